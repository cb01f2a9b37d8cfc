# A machine that is copied with its memory.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenHost;
use IdgenMakers;
use IdgenNode;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# A machine that is resumed from a snapshot of its memory, as its host tells: nothing that was held before is given out
# again, shards by hand wait for a superuser's word, and random kinds begin again. The host is a file.
{
	my $resumed = qr/this machine was resumed from a snapshot of its memory and keeps its shards.*\nDETAIL:.*both make the same IDs.*\nHINT:.*idgen\.confirm_shards\(\)/s;

	sub row
	{
		my ($on, $key) = @_;
		return $on->selectrow_array(q{SELECT ok, value, coalesce(advice, '') FROM idgen.status() WHERE key = ?}, undef, $key);
	}
	sub logged
	{
		my ($node, $pattern) = @_;
		return scalar(() = slurp_file($node->logfile) =~ /LOG:  $pattern/g);
	}
	sub ids { my ($on, $query) = @_; return @{ $on->selectcol_arrayref($query) } }
	sub largest { return (sort { $b <=> $a } @_)[0] }

	# An image that is taken before any ID was made: its record names no machine yet.
	my $image = start_told('image', kinds => 1, conf => [q{idgen.shards = '5'}]);
	resume($image, 1);
	my $first = connect_to($image);
	fails_with($first, 'SELECT next_id()', '55000', $resumed, 'an image without an ID');
	fails_with($first, 'SELECT next_decimal_id()', '55000', qr/keeps its launch number/, 'an image without a DecimalId');
	$first->do('SELECT idgen.confirm_shards()');
	cmp_ok(value_of($first, 'SELECT next_id()'), '>', 0, 'an image without an ID, confirmed');
	cmp_ok(value_of($first, 'SELECT next_decimal_id()'), '>', 0, 'and its DecimalIds');
	$image->stop;

	# A process crashes before any session has looked: the server's main process goes on, which started in the machine of
	# before. A database that gets the extension later names no machine either.
	my $crashed = start_told('crashed', kinds => 1, conf => [ q{idgen.shards = '5'}, 'restart_after_crash = on' ]);
	# Kills the process of a session; gives another session in its database, once all processes were started again.
	sub crash_backend
	{
		my ($on, $db) = @_;
		my $begun = qr/all server processes terminated; reinitializing/;
		my $before = logged($crashed, $begun);
		kill 'KILL', value_of($on, 'SELECT pg_backend_pid()');
		for (1 .. 30_000)
		{
			select undef, undef, undef, 0.01;
			next if logged($crashed, $begun) == $before;
			my $again = eval { connect_to($crashed, db => $db) };
			return $again if $again;
		}
		die 'the server does not come back';
	}
	sub draws_nothing
	{
		my ($on, $what) = @_;
		fails_with($on, 'SELECT next_id()', '55000', $resumed, $what);
		return fails_with($on, 'SELECT next_decimal_id()', '55000', qr/keeps its launch number/, "$what: a DecimalId");
	}
	my $outside = connect_to($crashed, db => 'template1');
	resume($crashed, 1);
	$outside = crash_backend($outside, 'template1');
	draws_nothing(connect_to($crashed), 'a crash before anything looked');
	$outside->do('CREATE DATABASE later');
	my $later = connect_to($crashed, db => 'later');
	$later->do('CREATE EXTENSION idgen_kinds CASCADE');
	draws_nothing(crash_backend($later, 'later'), 'an extension of after the copy, and a crash');
	for my $db ('later', 'postgres')
	{
		my $on = connect_to($crashed, db => $db);
		$on->do('SELECT idgen.confirm_shards()');
		my $made = value_of($on, 'SELECT next_id()');
		value_of($on, 'SELECT next_decimal_id()');
		$on = crash_backend($on, $db);
		cmp_ok(value_of($on, 'SELECT next_id()'), '>', $made, "$db: confirmed, and a crash");
		cmp_ok(value_of($on, 'SELECT next_decimal_id()'), '>', 0, "$db: confirmed, and a crash: a DecimalId");
	}
	$crashed->stop;

	my $node = start_told('told', kinds => 1, conf => [ q{idgen.shards = '5'}, 'idgen.max_wait = 30s', 'max_prepared_transactions = 2' ]);
	my $one = connect_to($node);
	my $two = connect_to($node);
	my ($ok, $value) = row($one, 'machine');
	ok($ok, 'status: all is well');
	is($value, 'its host tells of copies', 'status: the host tells');

	# What was drawn before; a block of which most is left; a statement in a transaction.
	my @before = ids($one, 'SELECT next_ids(500)');
	push @before, ids($two, 'SELECT next_id_array(50)');
	$two->begin_work;
	$two->do('CREATE TABLE kept (id bigint PRIMARY KEY DEFAULT next_id())');
	push @before, ids($two, 'INSERT INTO kept SELECT FROM generate_series(1, 20) RETURNING id');
	$two->do('DECLARE rows CURSOR FOR SELECT next_ids(1000)');
	push @before, ids($two, 'FETCH 10 FROM rows');
	my $left_of_block = $before[-1] + 54;
	my $decimal = value_of($one, 'SELECT next_decimal_id()');

	resume($node, 1);
	fails_with($one, 'SELECT next_id()', '55000', $resumed, 'a draw');
	fails_with($one, 'SELECT next_id(5, 5)' =~ s/, 5//r, '55000', $resumed, 'a draw of a shard that is given');
	fails_with($one, 'SELECT next_id_after(1)', '55000', $resumed, 'a draw above another ID');
	fails_with($one, 'SELECT hlc_now()', '55000', $resumed, 'a timestamp of the hybrid clock');
	fails_with($two, 'FETCH 1 FROM rows', '55000', $resumed, 'the rest of a block');
	$two->rollback;
	fails_with($one, 'SELECT next_decimal_id()', '55000',
		qr/keeps its launch number.*\nHINT:  Set idgen\.decimal_launch.*idgen\.confirm_shards\(\)/s, 'a DecimalId');
	is(logged($node, 'this machine was resumed from a snapshot of its memory'), 1, 'the log says so once');
	($ok, $value, my $advice) = row($one, 'copy');
	ok(!$ok, 'status: a copy');
	like($advice, qr/idgen\.confirm_shards\(\)/, 'status: what to do');
	($ok, $value) = row($one, 'machine');
	is($value, 'its host tells of copies: resumed from a snapshot 1 time since the server started', 'status: how often');

	# Another setting alone changes nothing: sessions of before have the old one.
	$one->do(q{SET idgen.shards = '6'});
	fails_with($one, 'SELECT next_id()', '55000', $resumed, 'another setting');
	$one->do('RESET idgen.shards');

	# Nor does a crash, or a restart, before or after it was seen.
	crash($node);
	start_again($node);
	$one = connect_to($node);
	fails_with($one, 'SELECT next_id()', '55000', $resumed, 'after a crash');
	fails_with($one, 'SELECT next_decimal_id()', '55000', qr/keeps its launch number/, 'a DecimalId after a crash');
	is(logged($node, 'this machine was resumed'), 1, 'the log says nothing more');
	$node->restart;
	$one = connect_to($node);
	fails_with($one, 'SELECT next_id()', '55000', $resumed, 'after a restart');

	# An administrator's word ends it: what follows lies above all that this machine, or another, can have made until then.
	$one->do('SELECT idgen.confirm_shards()');
	my $confirmed_at = value_of($one, 'SELECT clock_timestamp()');
	my @after = ids($one, 'SELECT next_ids(500)');
	cmp_ok($after[0], '>', largest(@before, $left_of_block), 'IDs after the word lie above those of before');
	is(value_of($one, "SELECT id_time($after[0]) > '$confirmed_at'"), 1, 'they begin above what a copy can have made');
	isnt(value_of($one, 'SELECT next_decimal_id()') % 10_000_000_000, $decimal % 10_000_000_000, 'another generator');
	($ok) = row($one, 'copy');
	ok($ok, 'status: no copy any more');
	is(value_of($one, q{SELECT count(*) FROM idgen.status() WHERE NOT ok AND key IN ('machine', 'copy', 'horizon')}), 0,
		'status: all is well again');

	# A crash after the change that no session has seen: the record of before is a stranger's.
	push @before, @after, ids($one, 'SELECT next_ids(500)');
	crash($node);
	says_generation($node, 2);
	start_again($node);
	$one = connect_to($node);
	fails_with($one, 'SELECT next_id()', '55000', $resumed, 'a crash in between');
	is(logged($node, 'database "postgres" is of a machine that was resumed from a snapshot of its memory'), 3, 'each start says so');
	$one->do('SELECT idgen.confirm_shards()');
	@after = ids($one, 'SELECT next_ids(10)');
	cmp_ok($after[0], '>', largest(@before), 'then IDs lie above those of before');

	# idgen.on_copy = warn: for a machine of which nothing else is left. It waits for what it owes, and goes on.
	push @before, @after;
	set_for_server($one, 'idgen.on_copy', 'warn');
	$two = connect_to($node);
	$two->begin_work;
	$two->do('DECLARE rows CURSOR FOR SELECT next_ids(1000)');
	push @before, ids($two, 'FETCH 10 FROM rows');
	$left_of_block = $before[-1] + 54;
	push @before, ids($one, 'SELECT next_ids(70)');
	$decimal = value_of($one, 'SELECT next_decimal_id()');
	resume($node, 3);
	@after = (ids($two, 'FETCH 100 FROM rows'), ids($one, 'SELECT next_ids(100)'));
	cmp_ok((sort { $a <=> $b } @after)[0], '>', largest(@before, $left_of_block), 'with a warning alone: IDs lie above those of before');
	my %seen;
	is(scalar(grep { $seen{$_}++ } @before, @after), 0, 'and none comes twice');
	isnt(value_of($one, 'SELECT next_decimal_id()') % 10_000_000_000, $decimal % 10_000_000_000,
		'with a warning alone: another generator');
	eval { $two->rollback };

	# A transaction that drew before the copy would store the same IDs in each: it is not committed, nor prepared. One that
	# drew nothing before is, and readers by ID go on.
	$one->do('CREATE TABLE event (id bigint PRIMARY KEY DEFAULT next_id(), what text)');
	$one->do('INSERT INTO event DEFAULT VALUES');
	my $three = connect_to($node);
	$_->begin_work for $two, $three;
	my $held = value_of($two, 'INSERT INTO event DEFAULT VALUES RETURNING id');
	value_of($three, 'SELECT count(*) FROM event');
	resume($node, 4);
	$one->do('INSERT INTO event DEFAULT VALUES');
	cmp_ok(value_of($one, 'SELECT coalesce(id_settled(), 0)'), '<=', $held, 'what is settled stays below an ID of a transaction');
	$two->do('INSERT INTO event DEFAULT VALUES');
	my $before_copy = qr/resumed from a snapshot of its memory while the transaction was open\nDETAIL:.*each copy of the machine.*\nHINT:  Run the transaction again\./s;
	fails_with($two, 'COMMIT', '40001', $before_copy, 'a transaction that drew before the copy');
	$three->do('INSERT INTO event DEFAULT VALUES');
	ok(eval { $three->commit }, 'one that drew after it is committed');
	eval { $two->rollback };
	$two->do('INSERT INTO event DEFAULT VALUES');
	wait_until($one, 'SELECT id_settled() > (SELECT max(id) FROM event)');
	is(value_of($one, 'SELECT count(*) FROM event WHERE id < id_settled()'), 4, 'then a reader sees all');
	$two->do('BEGIN');
	$two->do('INSERT INTO event DEFAULT VALUES');
	resume($node, 5);
	fails_with($two, q{PREPARE TRANSACTION 'drawn'}, '40001', $before_copy, 'nor is it prepared');
	$two->do('ROLLBACK');

	# A machine that is booted begins to count again: its identity is another one, but no copy is claimed.
	@before = ids($one, 'SELECT next_ids(500)');
	set_for_server($one, 'idgen.on_copy', 'auto');
	crash($node);
	give_clock($node, '+0');
	give_boot($node, '5d6b6c4e-0001-4000-8000-000000000001');
	says_generation($node, 0);
	start_again($node);
	$one = connect_to($node);
	cmp_ok(value_of($one, 'SELECT next_id()'), '>', largest(@before), 'after a boot IDs lie above those of before');
}

# A transaction that was handed anything before its machine was copied with its memory is neither committed nor prepared
# after it, for each copy would store the same: by every maker of idgen and idgen_kinds, in every way.
{
	# Each volatile function is a maker, with a call, or none, by the reason.
	my %makers = (
		next_id         => 'next_id()',
		'idgen.next_id' => 'idgen.next_id()',
		next_ids        => 'next_ids(100)',
		next_id_array   => 'next_id_array(3)',
		next_id_after   => 'next_id_after(1)',
		next_decimal_id => 'next_decimal_id()',
		hlc_now         => 'hlc_now()',
		hlc_receive     => 'hlc_receive(0)',
		next_ulid       => 'next_ulid()',
		next_ksuid      => 'next_ksuid()',
		next_objectid   => 'next_objectid()',
		next_uuidv7     => 'next_uuidv7()',
		uuidv7_make     => 'uuidv7_make(clock_timestamp())',
		next_nanoid     => 'next_nanoid()',
		id_to_uuidv8    => 'id_to_uuidv8(1)');
	my %others = (
		'looks at the clock' => [qw(clock_bounds wait_until_past)],
		'for the DBA'        => [qw(idgen.accept_clock idgen.advance idgen.reset idgen.confirm_shards)],
		'reads a table'      => [qw(idgen.audit)],
		'compares versions'  => [qw(idgen.require_library)],
		'counts rows that arrive' => [qw(idgen.watch idgen.unwatch idgen.watch_shard)],
		'of statistics'      => [qw(idgen.stat_shard idgen.stat_backend idgen.stat_database idgen.stat_errors idgen.stat_lease idgen.stat_registry idgen.status idgen.reset_stats)]);

	my $node = start_told('makers', kinds => 1,
		conf => [ q{idgen.shards = '5'}, 'idgen.on_copy = warn', 'idgen.max_lead = 100ms', 'idgen.max_wait = 30s', 'autovacuum = off', conf_of_ways() ]);
	my $session = connect_to($node);
	my @makers = makers_of($session, [qw(idgen idgen_kinds)], \%makers, \%others);
	begin_ways($session, @makers);
	my $generation = 0;
	my $copy = sub { resume($node, ++$generation) };
	walk_ways($node, $copy, @makers);
	walk_controls($node, $copy, @makers);
	walk_readers($node, grep { $_->{name} !~ /^(?:idgen\.)?next_id/ } @makers);

	# Drawn after a copy, before another one.
	sub open_all { my %open = map { $_->{name} => connect_to($node) } @makers; $_->do('BEGIN') for values %open; return \%open }
	sub draw_in_all { my ($open) = @_; value_of($open->{ $_->{name} }, "SELECT $_->{call}") for @makers; return }
	my $open = open_all();
	$copy->();
	draw_in_all($open);
	$copy->();
	is_refused($open->{$_}, 'COMMIT', "$_, between two copies") for sort keys %$open;

	# Also if the server refuses to make IDs after a copy, which it has not done until now. It renews no window then, so the last
	# one is long enough for all that is drawn here.
	set_for_server($session, 'idgen.horizon_window', '20s');
	select undef, undef, undef, 1.1;
	value_of($session, "SELECT $_->{call}") for @makers;
	set_for_server($session, 'idgen.on_copy', 'refuse');
	$open = open_all();
	draw_in_all($open);
	$copy->();
	is_refused($open->{$_}, 'COMMIT', "$_, idgen.on_copy = refuse") for sort keys %$open;
}

done_testing();
