# Counters of a registry, many in one call, as nodes call them and owners manage them, in a PostgreSQL and in an etcd:
# an answer for each, calls at once, calls that lose against another node, answers that are lost, keys that hold
# something else.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use DBD::Pg qw(:async);
use Fcntl qw(LOCK_EX);
use HTTP::Tiny;
use IdgenEtcd;
use IdgenImpostor;
use IdgenNode;
use IdgenProxy;
use IdgenStoreCalls;
use MIME::Base64 qw(encode_base64);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('node', preload => 0, extension => 0, conf => ['max_connections = 40']);
my $session = connect_to($node);
make_store_functions($session);
my $server = start_node('registry', preload => 0, extension => 0, conf => ["listen_addresses = '127.0.0.1'", 'max_connections = 60']);
my $owner = connect_to($server);
$owner->do($_) for 'CREATE EXTENSION idgen_registry', 'CREATE ROLE node LOGIN IN ROLE idgen_node', 'CREATE ROLE keeper LOGIN SUPERUSER';
my $hba = slurp_file($server->data_dir . '/pg_hba.conf');
unlink $server->data_dir . '/pg_hba.conf';
$server->append_conf('pg_hba.conf', "host all all 127.0.0.1/32 trust\n$hba");
$server->reload;
my $etcd = IdgenEtcd->start;
my %address = (postgres => 'postgresql://USER@127.0.0.1:' . $server->port . '/postgres', etcd => "etcd://127.0.0.1:$etcd->{port}/idgen");
sub store { my ($kind, %option) = @_; return IdgenStoreCalls->new(kind => $kind, session => $session, registry => $kind eq 'etcd' ? $etcd : $owner, address => $address{$kind} =~ s/USER/node/r, %option) }

# The numbers of an answer, "1 10"; or why there are none.
sub range_of { my ($answer) = @_; return $answer->[0] eq 'done' ? "$answer->[1] $answer->[2]" : $answer->[0] }
sub ranges { my ($reply, @answers) = @_; return join ', ', $reply, map { range_of($_) } @answers }
sub words { my ($reply, @answers) = @_; return join ', ', $reply, map { $_->[0] } @answers }

# Without a wish: a block.
sub blocks { return map { [ $_, 0, 1, 0 ] } @_ }

# The cases of the file, as a node calls.
sub check_cases
{
	my ($store, $put) = @_;
	my ($head, @rows) = map { chomp; [ split /,/, $_, -1 ] } split /^/, slurp_file("$FindBin::Bin/../../test/vectors/counter.csv");
	for (@rows)
	{
		my %c;
		@c{@$head} = @$_;
		$put->('c', %c);
		my ($reply, $answer) = $c{kind} eq 'fetch' ? $store->fetch([ 'c', @c{qw(count least since)} ]) : $store->give_back([ 'c', @c{qw(first call_version)} ]);
		is("$reply " . range_of($answer),
			'answered ' . ($c{given_first} ne '' ? "$c{given_first} $c{given_last}" : $c{outcome}),
			"$store->{kind}: $c{what}") if $c{kind} eq 'fetch';
		is("$reply $answer->[0]", "answered $c{outcome}", "$store->{kind}: $c{what}") if $c{kind} ne 'fetch';
		is(join(' ', @$answer[ 4 .. 7 ]), "10 100 77 $c{largest}",
			"$store->{kind}: $c{what}: the answer describes the counter") if $answer->[1];
		my $row = $store->value_in('/idgen/counter/c') if $store->{kind} eq 'etcd';
		is("@$row{qw(last run_start)}", "@c{qw(new_last new_run_start)}", "$store->{kind}: $c{what}: the row") if $row;
	}
	return;
}

# What an owner does, and what a name is afterwards.
sub check_owner
{
	my ($kind, $store, $keeper) = @_;
	my $is_etcd = $kind eq 'etcd';
	is($keeper->manage('create', 'once', first => 5), 'answered', "$kind: once: a counter");
	is(ranges($store->fetch(blocks('once'))), 'answered, 5 14', "$kind: once: begins where its owner says");
	my $identity = $store->fetch(blocks('once')) && ($store->fetch(blocks('once')))[1][6];
	like($keeper->manage('create', 'once'), qr/^denied .*counter "once" exists/, "$kind: once: it exists");
	is(join(' ', $keeper->manage('create', 'large', first => 5000000000, largest => 6000000000), $keeper->manage('forget', 'large')),
		'answered answered', "$kind: a counter of large numbers");
	is($keeper->manage('drop', 'once'), 'answered', "$kind: once: dropped");
	is(words($store->fetch(blocks('once'))), 'answered, missing', "$kind: once: a dropped counter is missing");
	unlike($keeper->counters, qr/\bonce\b/, "$kind: once: it is not listed");
	like($keeper->manage($_, 'once', first => 500, largest => 1000), qr/^denied .*counter "once" does not exist/,
		"$kind: once: $_") for 'drop', 'advance', 'set_max', 'set_block';
	like($keeper->manage('create', 'once', first => 34),
		qr/^denied .*(?:gave numbers up to 34 before: give a start above that, or none|begins above the numbers that one of that name gave)/,
		"$kind: once: not below what it gave");
	like($keeper->manage('create', 'once', largest => 34), qr/^denied .*(?:would begin with 35: give a max|lie between 0 and)/,
	  "$kind: once: not without a number above what it gave");
	is($keeper->manage('create', 'once'), 'answered', "$kind: once: made again");
	my ($reply, $answer) = $store->fetch(blocks('once'));
	is(range_of($answer), '35 44', "$kind: once: above what it gave");
	isnt($answer->[6], $identity, "$kind: once: a counter made again has another identity");
	is($keeper->manage('drop', 'once'), 'answered', "$kind: once: dropped again");
	is($keeper->manage('create', 'once', first => 100), 'answered', "$kind: once: made above");
	is(ranges($store->fetch(blocks('once'))), 'answered, 100 109', "$kind: once: from there");
	is($keeper->manage('forget', 'once'), 'answered', "$kind: once: forgotten");
	like($keeper->manage('forget', 'once'), qr/^denied .*counter "once" does not exist/,
		"$kind: once: there is nothing to forget");
	is($keeper->manage('create', 'once'), 'answered', "$kind: once: made again");
	is(ranges($store->fetch(blocks('once'))), 'answered, 1 10', "$kind: once: from 1");
	is($keeper->manage('drop', 'once'), 'answered', "$kind: once: dropped");
	is($keeper->manage('forget', 'once'), 'answered', "$kind: once: a dropped counter is forgotten");
	like($keeper->manage('create', 'once', first => 9, largest => 5),
		qr/^denied .*(?:would begin with 9: give a max|lie between 0 and)/,
		"$kind: once: it would end before it begins");

	# Bounds.
	is($keeper->manage('create', 'bound', largest => 25), 'answered', "$kind: bound");
	is($keeper->manage('set_block', 'bound', block => 20, max_block => 22), 'answered', "$kind: bound: a longer block");
	is(ranges($store->fetch([ 'bound', 0, 23, 0 ])), 'answered, too long', "$kind: bound: not more than max_block");
	is(ranges($store->fetch(blocks('bound'))), 'answered, 1 20', "$kind: bound: the longer block");
	like($keeper->manage('set_max', 'bound', largest => 19), qr/^denied .*\b20\b/,
		"$kind: bound: it does not end before what it gave");
	is($keeper->manage('set_max', 'bound', largest => 22), 'answered', "$kind: bound: it ends earlier");
	like($keeper->manage('advance', 'bound', first => $_), qr/^denied .*goes on/,
		"$kind: bound: not on at $_") for 20, 24;
	is($keeper->counters =~ /(bound[^;]*)/ ? $1 : '', 'bound 21 22 20 22', "$kind: bound: the list has its new end");
	is($keeper->manage('advance', 'bound', first => 23), 'answered', "$kind: bound: on behind its end");
	is(ranges($store->fetch(blocks('bound'))), 'answered, too few', "$kind: bound: none is left behind its end");
	is($keeper->counters =~ /(bound[^;]*)/ ? $1 : '', 'bound -1 22 20 22', "$kind: bound: the list says that none is left");
	is($keeper->manage('forget', 'bound'), 'answered', "$kind: bound: forgotten");
	return;
}

# Many sessions take and give back many counters at once: each call has all of its answers, and every number comes once
# and none is left out.
sub check_crowd
{
	my ($kind, $store, $keeper) = @_;
	my @names = map { "crowd$_" } 1 .. 20;
	$keeper->manage('create', $_) for @names;
	my $folder = PostgreSQL::Test::Utils::tempdir();
	my $done = in_sessions($node, 6, sub {
		my ($other, $number) = @_;
		my $own = $store->with(session => $other);
		open my $out, '>', "$folder/$number" or die "$folder: $!";
		my %since = map { $_ => 0 } @names;
		for my $round (1 .. 25)
		{
			my ($reply, @answers) = $own->fetch(map { [ $_, 0, 1, $since{$_} ] } @names);
			die $reply if $reply ne 'answered' || @answers != @names;
			my @unused;
			for my $i (0 .. $#names)
			{
				# Another session works on it; in an etcd it was tried again.
				next if $answers[$i][0] eq 'locked' && $kind eq 'postgres';
				my ($word, $first, $last, $version) = @{ $answers[$i] };
				die "$names[$i]: $word" if $word ne 'done';
				$since{ $names[$i] } = $version;
				push @unused, [ $names[$i], $first + 5, $version, $last ];
				syswrite $out, "$names[$i] $_\n" for $first .. $first + 4;
			}
			next if !@unused;
			($reply, @answers) = $own->give_back(@unused);
			die $reply if $reply ne 'answered' || @answers != @unused;
			for my $i (0 .. $#unused)
			{
				next if $answers[$i][0] eq 'done';
				my ($name, $first, $version, $last) = @{ $unused[$i] };
				syswrite $out, "$name $_\n" for $first .. $last;
			}
		}
		return 1;
	});
	ok($done, "$kind: a crowd: each has its answers");
	my (%times, %most);
	for (map { split /\n/, slurp_file("$folder/$_") } 1 .. 6)
	{
		my ($name, $number) = split / /;
		$times{"$name $number"}++;
		$most{$name} = $number if $number > ($most{$name} // 0);
	}
	is(join(', ', grep { $times{$_} > 1 } sort keys %times), '', "$kind: a crowd: no number comes twice");
	my $given = 0;
	$given += $_ for values %most;
	is(scalar keys %times, $given, "$kind: a crowd: none is left out");
	is_deeply([ sort keys %most ], [ sort @names ], "$kind: a crowd: all counters gave some");
	$keeper->manage('forget', $_) for @names;
	return;
}

for my $kind ('postgres', 'etcd')
{
	my $store = store($kind);
	like($store->identity, qr/^answered \S+$/, "$kind: a registry");
	my $keeper = $store->with(address => $address{$kind} =~ s/USER/keeper/r);
	my $put = sub {
		my ($name, %c) = @_;
		my ($awaits, $is_dropped) = map { $c{$_} eq 'yes' ? 1 : 0 } qw(awaits dropped);
		if ($kind eq 'etcd')
		{
			my %row = (identity => '77', (map { $_ => "$c{$_}" } qw(last largest run_start version)), block => '10', max_block => '100', advances => $awaits ? '-1' : '0');
			return $store->put("/idgen/counter/$name", { %row, dropped => $is_dropped ? JSON::PP::true : JSON::PP::false });
		}
		$owner->do('DELETE FROM idgen_registry.counter');
		return $owner->do(<<'SQL', undef, $name, @c{qw(last largest run_start version)}, $awaits, $is_dropped);
INSERT INTO idgen_registry.counter (name, identity, last, largest, run_start, version_hash, block, max_block, awaits_advance, dropped)
VALUES (?, 77, ?, ?, ?, idgen_registry.hash(?), 10, 100, ?, ?)
SQL
	};
	check_cases($store, $put);
	is($keeper->manage('forget', 'c'), 'answered', "$kind: what the cases left is forgotten");
	check_owner($kind, $store, $keeper);

	# An answer for each, in their order; and as many as a call takes.
	$keeper->manage('create', "n$_", first => $_ * 1000) for 1 .. 128;
	is(words($store->fetch(blocks('n2', 'none', 'n1'))), 'answered, done, missing, done', "$kind: an answer for each");
	my ($reply, @answers) = $store->fetch(blocks(map { "n$_" } 1 .. 128));
	is($reply, 'answered', "$kind: 128 in one call");
	is_deeply([ map { range_of($_) } @answers ], [ map { my $first = $_ * 1000 + ($_ <= 2 ? 10 : 0); "$first " . ($first + 9) } 1 .. 128 ],
	  "$kind: 128 in one call: ranges in the order of the names");
	my @unused = map { [ "n$_", $answers[ $_ - 1 ][1] + 4, $answers[ $_ - 1 ][3] ] } 1 .. 128;
	is_deeply([ $store->give_back(@unused) ], [ 'answered', (['done']) x 128 ], "$kind: 128 given back");
	is_deeply([ $store->give_back(@unused) ], [ 'answered', (['refused']) x 128 ],
		"$kind: 128 given back once more are refused");
	is(ranges($store->fetch([ 'n1', 0, 1, 0 ], [ 'n128', 0, 1, 0 ])), 'answered, 1014 1023, 128004 128013',
		"$kind: counters go on where numbers were given back");
	is($store->with(identity => '00000000-0000-0000-0000-000000000001')->fetch(blocks('n1')),
		'foreign this is another registry', "$kind: another registry");
	$keeper->manage('forget', "n$_") for 1 .. 128;
	check_crowd($kind, $store, $keeper);
}

# Only of an etcd: transactions of other nodes between a call's look and its write.

my $store = store('etcd');
$store->identity;
my $proxy = IdgenProxy->start($etcd->{port});
my $far = $store->with(address => "etcd://127.0.0.1:$proxy->{port}/idgen");
$store->manage('create', $_) for 'a', 'b', 'c';

# Starts a call of counters in a session of its own.
sub begin_fetch
{
	my ($from, @calls) = @_;
	my $other = connect_to($node);
	my $statement = $other->prepare(IdgenStoreCalls::fetch_sql(), { pg_async => PG_ASYNC });
	$statement->execute($from->fetch_arguments(@calls));
	return { session => $other, statement => $statement };
}
sub answer_to
{
	my ($begun) = @_;
	$begun->{statement}->pg_result;
	my @answers = IdgenStoreCalls::answers_in($begun->{statement}->fetchall_arrayref->[0][0]);
	$begun->{session}->disconnect;
	return @answers;
}

$proxy->hold('request_put');
my $begun = begin_fetch($far, blocks('a', 'b', 'c'));
$proxy->wait_for_match;
is(ranges($store->fetch(blocks('b'))), 'answered, 1 10', 'etcd: another node is faster');
my %revision = map { $_ => $etcd->call('kv/range', { key => encode_base64("/idgen/counter/$_", '') })->{kvs}[0]{version} } 'a', 'c';
$proxy->pass;
is(ranges(answer_to($begun)), 'answered, 1 10, 11 20, 1 10', 'etcd: only the one that it took is tried again');
is_deeply({ map { $_ => $etcd->call('kv/range', { key => encode_base64("/idgen/counter/$_", '') })->{kvs}[0]{version} } 'a', 'c' },
	{ map { $_ => $revision{$_} + 1 } keys %revision }, 'etcd: the others are written once');

# The registry is advanced meanwhile: none is written.
$proxy->hold('request_put');
$begun = begin_fetch($far, blocks('a', 'b'));
$proxy->wait_for_match;
my $key = $store->value_in('/idgen/registry');
$store->put('/idgen/registry', { %$key, advances => $key->{advances} + 1 . '' });
$proxy->pass;
is(ranges(answer_to($begun)), 'answered, awaits advance, awaits advance', 'etcd: advanced meanwhile');
$store->put('/idgen/registry', $key);

# One that is dropped meanwhile, and one that is forgotten and made again.
$proxy->hold('request_put');
$begun = begin_fetch($far, blocks('a', 'b', 'c'));
$proxy->wait_for_match;
is($store->manage($_->[0], $_->[1]), 'answered',
	"etcd: meanwhile: $_->[0] $_->[1]") for [ 'drop', 'a' ], [ 'forget', 'b' ], [ 'create', 'b' ];
$proxy->pass;
is(ranges(answer_to($begun)), 'answered, missing, 1 10, 11 20', 'etcd: dropped meanwhile, and made again');
$store->manage('create', 'a');

# An answer that is lost is a gap for all.
$proxy->lose_answers_to('request_put');
my $last = sub { my ($name) = @_; return $store->value_in("/idgen/counter/$name")->{last} };
my ($before, $reply) = $last->('c');
for (1 .. 20)
{
	# On a slow machine the time is over before anything was sent.
	($reply) = $far->with(answer_ms => 1500)->fetch(blocks('a', 'c'));
	last if $last->('c') > $before;
}
is($reply, 'silent it did not answer in time', 'etcd: the answer to a write is lost');
is($last->('c'), $before + 10, 'etcd: it was executed');
$proxy->pass;
is(ranges($far->fetch(blocks('c'))), 'answered, ' . ($before + 11) . ' ' . ($before + 20), 'etcd: a gap is left');

# So it is if only one was left to write: the others have their numbers.
my ($ranges, $expected);
for (1 .. 20)
{
	$proxy->hold('request_put');
	$before = { map { $_ => $last->($_) } 'a', 'b', 'c' };
	$expected = join ', ', 'answered', map { $_ eq 'b' ? 'locked' : ($before->{$_} + 1) . ' ' . ($before->{$_} + 10) } 'a', 'b', 'c';
	$begun = begin_fetch($far->with(answer_ms => 4000), blocks('a', 'b', 'c'));
	$proxy->wait_for_match;
	$store->fetch(blocks('b'));
	$proxy->lose_answers_to('request_put');
	$ranges = ranges(answer_to($begun));
	$proxy->pass;
	last if $last->('b') == $before->{b} + 20;
}
is($ranges, $expected, 'etcd: the answer to the last write is lost');
is($last->('b'), $before->{b} + 20, 'etcd: it was executed, too');
$proxy->hold('request_put');
$begun = begin_fetch($far->with(answer_ms => 4000), blocks('b'));
$proxy->wait_for_match;
$store->fetch(blocks('b'));
$proxy->lose_answers_to('request_put');
is(ranges(answer_to($begun)), 'silent it did not answer in time',
	'etcd: the answer to the only write is lost, after one that came too late');
$proxy->pass;
$etcd->pause;
is(ranges($store->with(answer_ms => 500)->fetch(blocks('b'))), 'silent it did not answer in time',
	'etcd: it stands still');
$etcd->resume;

# One that others always write first is left locked when the time is over, and the others have their numbers. What those
# write is what they have read; a request that was given up may still be at it.
my $turn = PostgreSQL::Test::Utils::tempdir() . '/turn';
sub in_turn
{
	my ($call) = @_;
	open my $file, '>', $turn or die "$turn: $!";
	flock $file, LOCK_EX or die "$turn: $!";
	return $call->();
}
my $http = HTTP::Tiny->new(timeout => 10);
my $quicker = IdgenImpostor->start(
	'etcd',
	sub {
		my ($socket, $asked) = @_;
		my ($path) = $asked =~ m{^POST (\S+)};
		my ($body) = $asked =~ /\r\n\r\n(.*)/s;
		in_turn(sub { $store->put('/idgen/counter/b', $store->value_in('/idgen/counter/b')) }) if $body =~ /request_put/;
		my $answer = $http->post("http://127.0.0.1:$etcd->{port}$path", { content => $body, headers => { 'Content-Type' => 'application/json' } });
		return http("$answer->{status} OK", $answer->{content});
	});
my $beaten = $store->with(address => "etcd://127.0.0.1:$quicker->{port}/idgen", answer_ms => 1500);
for (1 .. 20)
{
	# On a slow machine the time is over before anything was answered.
	$before = { map { $_ => $last->($_) } 'a', 'b', 'c' };
	$expected = join ', ', 'answered', map { $_ eq 'b' ? 'locked' : ($before->{$_} + 1) . ' ' . ($before->{$_} + 10) } 'a', 'b', 'c';
	last if ($ranges = ranges($beaten->fetch(blocks('a', 'b', 'c')))) !~ /^silent/;
}
is($ranges, $expected, 'etcd: one that others always write first');
is($last->('b'), $before->{b}, 'etcd: nothing of it was taken');
# The time may be over when it asks, or while it does not.
my $unanswered = qr/^(?:answered, locked|silent it did not answer in time)$/;
like(ranges($beaten->fetch(blocks('b'))), $unanswered, 'etcd: a counter that others always write gives none alone');
my ($word, $answer) = in_turn(sub { return $store->fetch(blocks('b')) });
like(words($beaten->give_back([ 'b', $answer->[1] + 1, $answer->[3] ])), $unanswered,
	'etcd: a counter that others always write takes nothing back');
is($last->('b'), $answer->[2], 'etcd: its row is as it was');
$quicker->stop;

# A key that holds something else than a counter: only that one gives none.
my $good = $store->value_in('/idgen/counter/b');
my %lacking = map { my %row = %$good; delete $row{$_}; ("no $_" => \%row) } keys %$good;
my %other = (%lacking, 'no JSON' => 'something', 'no identity but 0' => { %$good, identity => '0' }, 'a last number that is not one' => { %$good, last => 'x' }, 'an end before its last number' => { %$good, largest => '0' }, 'a word for dropped' => { %$good, dropped => 'false' });
for my $what (sort keys %other)
{
	$store->put('/idgen/counter/b', $other{$what});
	is(words($store->fetch(blocks('a', 'b', 'c'))), 'answered, done, awaits advance, done',
		"etcd: $what: only that one gives none");
}
is(words($store->give_back([ 'b', 1, 1 ])), 'answered, awaits advance',
	'etcd: something else: nothing is given back to it');
is($store->manage($_, 'b', first => 500), 'denied the key /idgen/counter/b holds something else than a counter: call drop_counter(name, forget => true), then create_counter() with a start above all that it gave', "etcd: something else: $_")
  for 'create', 'drop', 'advance', 'set_max', 'set_block';
$store->put("/idgen/counter/$_", 'x') for '', 'x' x 64, "\xff";
is($store->counters,
	join('; ', 'answered a ' . ($last->('a') + 1) . ' 1000000 10 100', 'b -1 -1 1 1 awaits', 'c ' . ($last->('c') + 1) . ' 1000000 10 100'),
	'etcd: something else: the others are listed');
is($store->manage('forget', 'b'), 'answered', 'etcd: something else: it can be forgotten');
is($store->manage('create', 'b', first => 5000), 'answered', 'etcd: something else: it can be made again');
is(ranges($store->fetch(blocks('b'))), 'answered, 5000 5009',
	'etcd: something else: made again, it begins where its owner says');

# After an advance, what a dropped one gave is not known either.
$store->manage('drop', 'b');
$store->put('/idgen/registry', { %$key, advances => $key->{advances} + 1 . '' });
my $unknown = 'denied what a counter of that name may have given before is not known since the registry was advanced: give a start above all of it';
is($store->manage('create', 'b', @$_), $unknown, "etcd: advanced: create @$_") for [], [ first => 5009 ];
is($store->manage('create', 'b', first => 6000), 'answered', 'etcd: advanced: its owner knows');
is(ranges($store->fetch(blocks('a', 'b'))), 'answered, awaits advance, 6000 6009',
	'etcd: advanced: the counter made above goes on');
$store->manage('drop', 'a');
is($store->manage('create', 'a'), $unknown, 'etcd: advanced: one that waited when it was dropped waits on');
is($store->manage('create', 'fresh'), $unknown,
	'etcd: advanced: a name that it does not know may be one that it has lost');
is(words($store->fetch(blocks('fresh'))), 'answered, missing', 'etcd: advanced: there is no counter of it');
is($store->manage('create', 'fresh', first => 1), 'answered', 'etcd: advanced: its owner knows that it is not');

$_->disconnect for $session, $owner;
$_->stop('immediate') for $node, $server;
done_testing();
