# The registry's counters, by their calls: no number twice and none left out, by sessions at once, killed ones, a crash,
# a failover and a restored dump; in no transaction block; and who may call what.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use DBD::Pg qw(:async);
use IdgenNode;
use POSIX qw(_exit);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $node = start_node('counters', preload => 0, extension => 0, init => { allows_streaming => 1 }, conf => [ 'max_connections = 60', "wal_keep_size = '64MB'" ]);
my $owner = connect_to($node);
$owner->do($_) for 'CREATE EXTENSION idgen_registry', 'CREATE ROLE node LOGIN IN ROLE idgen_node', 'CREATE ROLE app LOGIN', 'CREATE ROLE mallory LOGIN',
  q{SELECT idgen_registry.create_counter('orders')};

# The first and the last number of a range.
sub next_range
{
	my ($session, $name, $n) = @_;
	return $session->selectrow_array('SELECT 1') && map { /^\[(\d+),(\d+)\)$/ ? ($1, $2 - 1) : die "no range: $_" } value_of($session, 'CALL idgen_registry.next_range(?, ?)', $name, $n);
}

# What sessions at once wrote down of their ranges, in their order.
sub take_ranges
{
	my ($on, $count, $work) = @_;
	my $folder = PostgreSQL::Test::Utils::tempdir();
	my @pids;
	for my $number (1 .. $count)
	{
		my $pid = fork // die "fork: $!";
		push(@pids, $pid), next if $pid;
		srand $number;
		open my $out, '>', "$folder/$number" or die "$folder: $!";
		eval { $work->($number, sub { syswrite $out, "@_\n" }); 1 } or print STDERR $@;
		_exit($@ ? 1 : 0);
	}
	return { pids => \@pids, folder => $folder };
}
sub ranges_of
{
	my ($taking) = @_;
	waitpid $_, 0 for @{ $taking->{pids} };
	return map { my $text = slurp_file($_); [ map { [ split / / ] } split /\n/, $text ] } glob "$taking->{folder}/*";
}

# How many numbers ranges have twice, and how many they leave out between their first and last.
sub overlaps_and_gaps
{
	my @ranges = sort { $a->[0] <=> $b->[0] } @_;
	my ($twice, $left_out, $last) = (0, 0, $ranges[0][0] - 1);
	for (@ranges)
	{
		my ($from, $to) = @$_;
		$twice += $last - $from + 1 if $from <= $last;
		$left_out += $from - $last - 1 if $from > $last + 1;
		$last = $to if $to > $last;
	}
	return "$twice twice, $left_out left out";
}

# Eight sessions at once.
{
	my @of = ranges_of(take_ranges($node, 8, sub {
		my (undef, $note) = @_;
		my $session = connect_to($node, user => 'node');
		$note->(next_range($session, 'orders', 1 + int rand 50)) for 1 .. 100;
	}));
	is(scalar(map { @$_ } @of), 800, 'eight sessions: each has its ranges');
	is(overlaps_and_gaps(map { @$_ } @of), '0 twice, 0 left out', 'eight sessions: every number once');
	is(scalar(grep { my $ranges = $_; grep { $ranges->[$_][0] <= $ranges->[ $_ - 1 ][1] } 1 .. $#$ranges } @of), 0,
		'eight sessions: those of each rise');
}

# Sessions that are killed while they call, and the server twice: whatever was answered is given to nobody else. Each
# call that was cut off may have left out its numbers, and no other.
{
	my $per_call = 10;
	my $end = $node->basedir . '/end';
	my $taking = take_ranges($node, 6, sub {
		my (undef, $note) = @_;
		my ($session, $cut) = (undef, 0);
		until (-e $end)
		{
			eval { $session //= connect_to($node, user => 'node'); $note->(next_range($session, 'orders', $per_call)); 1 } or do { undef $session; $cut++; sleep 0.01 };
		}
		$note->('cut', $cut);
	});
	for my $round (1 .. 8)
	{
		sleep 0.05;
		eval { connect_to($node)->do(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'node' AND random() < 0.5}) };
		next if $round % 4;
		crash($node);
		start_again($node);
	}
	sleep 0.2;
	append_to_file($end, '');
	my @notes = map { @$_ } ranges_of($taking);
	my ($cut) = (0);
	$cut += $_->[1] for grep { $_->[0] eq 'cut' } @notes;
	my ($twice, $left_out) = overlaps_and_gaps(grep { $_->[0] ne 'cut' } @notes) =~ /(\d+) twice, (\d+) left out/;
	cmp_ok($cut, '>=', 12, 'killed: each session was cut off, by both crashes');
	is($twice, 0, 'killed: no number twice');
	cmp_ok($left_out, '<=', $per_call * $cut, 'killed: left out are at most those of the calls that were cut off');
}
$owner = connect_to($node);

# Where a ROLLBACK could take it back, nothing is given, and nobody waits.
{
	my ($first, $second) = map { connect_to($node, user => 'node') } 1, 2;
	$second->do($_) for q{SET lock_timeout = '20s'}, 'SET synchronous_commit = on';
	my $before = value_of($owner, 'SELECT next FROM idgen_registry.counters()');
	$first->begin_work;
	$first->do('SELECT 1');
	fails_with($first, q{CALL idgen_registry.next_range('orders', 1)}, '25001', qr/cannot be called in a transaction block.*DETAIL.*ROLLBACK.*HINT/s,
	  'next_range() in a transaction block is refused');
	my ($given) = next_range($second, 'orders', 1);
	is($given, $before, 'a refused next_range() has taken nothing, and holds up nobody');
	$first->rollback;
	# Its halves by themselves, with a function of its name above them and a comment that names it: the numbers are told
	# after a COMMIT alone.
	$owner->do($_)
	  for 'CREATE SCHEMA taker AUTHORIZATION node',
	  q{CREATE FUNCTION taker.next_range(text, bigint, int8range) RETURNS int8range LANGUAGE plpgsql AS $$BEGIN RETURN idgen_registry.taken_range(idgen_registry.take_range($1, $2)); END$$};
	my $told = qr/this transaction has changed something.*ROLLBACK would give the same numbers again.*HINT:  CALL/s;
	fails_with($first, $_, '25000', $told, $_)
	  for q{SELECT idgen_registry.taken_range(idgen_registry.take_range('orders', 1))}, q{SELECT taker.next_range('orders', 1, NULL)},
	  q{DO 'BEGIN EXECUTE $x$SELECT idgen_registry.taken_range(idgen_registry.take_range($o$orders$o$, 1)) /* next_range(text,bigint,int8range) */$x$; END'};
	$first->begin_work;
	$first->do('SAVEPOINT s');
	my $key = value_of($first, q{SELECT idgen_registry.take_range('orders', 1)});
	$first->do('RELEASE s');
	fails_with($first, "SELECT idgen_registry.taken_range('$key')", '25000', $told, 'after a savepoint');
	$first->rollback;
	fails_with($first, "SELECT idgen_registry.taken_range('$key')", '22023', qr/there is no range of that key/,
	  'a range taken and rolled back is not told after the ROLLBACK');
	$key = value_of($first, q{SELECT idgen_registry.take_range('orders', 1)});
	my $range = sprintf '[%d,%d)', $given + 1, $given + 2;
	$first->begin_work;
	is(value_of($first, "SELECT idgen_registry.taken_range('$key')"), $range, 'after a COMMIT they are told');
	$first->rollback;
	is(value_of($first, "SELECT idgen_registry.taken_range('$key')"), $range, 'and after a ROLLBACK of that, to whoever has the key');
	fails_with($second, "SELECT idgen_registry.taken_range('$key')", '22023', qr/there is no range of that key/,
		'a range is told once, if that is committed');
	$key = value_of($second, q{SELECT idgen_registry.take_range('orders', 1)});
	$second->begin_work;
	$second->do("SELECT idgen_registry.taken_range('$key')");
	is(value_of($second, 'SHOW synchronous_commit'), 'on', 'what else its transaction writes is as durable as before');
	$second->commit;
	$given += 2;
	$owner->do('DROP SCHEMA taker CASCADE');
	is(value_of($owner, 'SELECT next FROM idgen_registry.counters()'), $given + 1,
		'refused calls of next_range() have taken nothing');
}

# A counter that is dropped and made again begins above all that the one before gave.
{
	$owner->do(q{SELECT idgen_registry.create_counter('again')});
	next_range($owner, 'again', 40);
	$owner->do(q{SELECT idgen_registry.drop_counter('again')});
	is(value_of($owner, q{SELECT count(*) FROM idgen_registry.counters() WHERE name = 'again'}), 0,
		'dropped: not listed');
	$owner->do(q{SELECT idgen_registry.create_counter('again')});
	is((next_range($owner, 'again', 1))[0], 41, 'made again: above');
	$owner->do(q{SELECT idgen_registry.drop_counter('again'), idgen_registry.create_counter('again', 50)});
	is((next_range($owner, 'again', 1))[0], 50, 'made again: where its owner says');
	$owner->do(q{SELECT idgen_registry.drop_counter('again'), idgen_registry.drop_counter('again', forget => true), idgen_registry.create_counter('again')});
	is((next_range($owner, 'again', 1))[0], 1, 'forgotten: from the beginning');
	$owner->do(q{SELECT idgen_registry.drop_counter('again', true)});
}

# Another's schema, first in the path, with functions of the same names.
{
	$owner->do($_) for 'CREATE SCHEMA evil AUTHORIZATION mallory', 'GRANT USAGE ON SCHEMA evil TO PUBLIC';
	my $mallory = connect_to($node, user => 'mallory');
	$mallory->do($_) for q{CREATE FUNCTION evil.now() RETURNS timestamptz LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION $$evil$$; END'},
	  q{CREATE FUNCTION evil.statement_timestamp() RETURNS timestamptz LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION $$evil$$; END'};
	my $session = connect_to($node, user => 'node');
	$session->do('SET search_path = evil, pg_catalog');
	my ($from, $to) = next_range($session, 'orders', 2);
	is($to, $from + 1, 'called in a hostile path');
	is(value_of($session, 'SHOW search_path'), 'evil, pg_catalog',
		'next_range() leaves the search_path of the session');
	$session->do('SET search_path = idgen_registry');
	is((next_range($session, 'orders', 1))[0], $to + 1, 'called in a path that begins with idgen_registry');
}

# Who may.
{
	my %as = map { $_ => connect_to($node, user => $_) } qw(node app mallory);
	for my $who (qw(app mallory))
	{
		fails_with($as{$who}, $_, '42501', qr/permission denied for schema idgen_registry/, "$who: $_")
		  for q{CALL idgen_registry.next_range('orders', 1)}, 'SELECT * FROM idgen_registry.counters()';
	}
	fails_with($as{node}, "SELECT idgen_registry.$_", '42501', qr/permission denied for function/, "a node: $_")
	  for q{create_counter('x')}, q{drop_counter('orders')}, q{set_counter_max('orders', 1)}, q{advance_counter('orders', 1000000)};
	fails_with($as{node}, 'UPDATE idgen_registry.counter SET last = 0', '42501', qr/permission denied for table/,
		'a node: the table');
	$owner->do($_) for slurp_file("$FindBin::Bin/../../docs/registry.md") =~ /^ *(GRANT .*? TO app);$/mg;
	my ($from) = next_range($as{app}, 'orders', 1);
	cmp_ok($from, '>', 0, 'app, after what the page grants');
	is(value_of($as{app}, 'SELECT next FROM idgen_registry.counters()'), $from + 1, 'app: the list');
	fails_with($as{app}, q{SELECT idgen_registry.create_counter('x')}, '42501', qr/permission denied for function/,
		'app: no more than that');
}

# A dump that is restored gives nothing before its owner has said where it goes on.
{
	my ($from) = next_range($owner, 'orders', 1);
	my $dump = $node->basedir . '/registry.sql';
	$node->command_ok([ 'pg_dump', '-h', $node->host, '-p', $node->port, '-f', $dump, 'postgres' ], 'a dump');
	my (undef, $later) = next_range($owner, 'orders', 100);
	$owner->do('CREATE DATABASE restored');
	$node->command_ok([ 'psql', '-X', '-q', '-h', $node->host, '-p', $node->port, '-d', 'restored', '-v', 'ON_ERROR_STOP=1', '-f', $dump ],
	  'a dump of the counters is restored');
	my $restored = connect_to($node, db => 'restored');
	my $node_there = connect_to($node, db => 'restored', user => 'node');
	my $call = q{CALL idgen_registry.next_range('orders', 1)};
	fails_with($node_there, $call, '55000', qr/the registry has been copied or restored/, 'restored: refused');
	my @notices;
	{
		local $restored->{PrintWarn} = 0;
		local $SIG{__WARN__} = sub { push @notices, @_ };
		$restored->{PrintWarn} = 1;
		$restored->do('SELECT idgen_registry.advance()');
	}
	like("@notices",
		qr/the counters 'orders' give no numbers until advance_counter\(\) is called.*HINT:.*advance_counter/s,
		'restored: advance() names them');
	fails_with($node_there, $call, '55000', qr/gives no numbers until advance_counter\(\) is called.*the last number was $from.*HINT:.*advance_counter\('orders', \.\.\.\)/s,
	  'restored: each counter waits to be advanced');
	fails_with($restored, "SELECT idgen_registry.advance_counter('orders', $from)", '22023', qr/goes on between/,
		'restored: not below what it knows');
	$restored->do('SELECT idgen_registry.advance_counter(?, ?)', undef, 'orders', $later + 1);
	is((next_range($node_there, 'orders', 1))[0], $later + 1, 'restored: it goes on where its owner said');
	# Nor does it know the counters that were made since, or how far those came that were dropped.
	fails_with($restored, q{SELECT idgen_registry.create_counter('later')}, '55000',
		qr/where counter "later" may begin is not known.*HINT:.*create_counter\('later', 1\)/s,
		'restored: a name that it does not know');
	$restored->do(q{SELECT idgen_registry.create_counter('later', 1)});
	is((next_range($node_there, 'later', 1))[0], 1, 'restored: begins where its owner says');
}

# A synchronous standby: an answer waits for it, and after its promotion no number comes again.
{
	my $standby = PostgreSQL::Test::Cluster->new('counters_standby');
	$node->backup('base');
	$standby->init_from_backup($node, 'base', has_streaming => 1);
	$standby->append_conf('postgresql.conf', "primary_conninfo = '" . $node->connstr . " application_name=second'");
	$standby->start;
	name_standbys($owner, 'second');
	wait_until($owner, q{SELECT EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')});
	my $session = connect_to($node, user => 'node');
	$session->do('SET synchronous_commit = off');
	my (undef, $last) = next_range($session, 'orders', 10);
	fails_with(connect_to($standby, user => 'node'), q{CALL idgen_registry.next_range('orders', 1)}, '25006',
		qr/this server is a standby/, 'a standby gives none');
	$standby->stop;
	my $waiting = $session->prepare(q{CALL idgen_registry.next_range('orders', 10)}, { pg_async => PG_ASYNC });
	$waiting->execute;
	wait_until($owner,
		"SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $session->{pg_pid} AND wait_event = 'SyncRep')");
	ok(!$session->pg_ready, 'without its standby no range is answered, whatever the session is set to');
	$standby->start;
	$waiting->pg_result;
	my ($upper) = $waiting->fetchrow_array =~ /,(\d+)\)/;
	is($upper, $last + 11, 'a range is answered when the standby is back');
	$node->stop('immediate');
	$standby->promote;
	is((next_range(connect_to($standby, user => 'node'), 'orders', 1))[0], $upper, 'promoted: it goes on behind that');
}

done_testing();
