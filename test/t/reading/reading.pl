# Reading by ID: nothing that commits is missed, whatever writers, workers, prepared transactions, clocks and crashes
# do. Naive readers beside it do lose rows.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use IdgenPair;
use IdgenReader;
use Test::More;
use Time::HiRes qw(sleep time);

my %layout = (ms => 'instagram', centi => 'sonyflake', second => 'epoch=2020-01-01T00:00:00Z unit=1s time=40 shard=6 sequence=17');
my $primary = begin_primary('reading', "idgen.shards = '0-15'", 'max_prepared_transactions = 10', "idgen.max_wait = '20s'",
	'max_worker_processes = 12', 'restart_after_crash = on');
my $node = $primary;
my $main = connect_to($node);
$main->do("CREATE TABLE $_ (id bigint PRIMARY KEY DEFAULT next_id(layout => '$layout{$_}'), writer int)") for sort keys %layout;
$main->do('CREATE TABLE counted (id bigserial PRIMARY KEY, writer int)');

# Whether all below an ID is settled, as other sessions see it.
sub is_settled
{
	my ($id, $layout) = @_;
	my $upto = settled_id($main, $layout);
	return defined $upto && $upto > $id;
}

# Waits until the tick of an ID has ended.
sub outlast
{
	my ($id) = @_;
	sleep 0.001 until value_of($main, "SELECT id_time(?) + interval '2 ms' < clock_timestamp()", $id);
	return;
}

# What one transaction draws holds back others from its first ID on, until it ends.
sub check_hold
{
	my ($what, $draw) = @_;
	my $writer = connect_to($node);
	my $before = value_of($main, 'SELECT next_id()');
	outlast($before);
	$writer->begin_work;
	my ($first, $last) = $draw->($writer);
	outlast($last);
	ok(!is_settled($first), "$what: held back");
	ok(is_settled($before), "$what: not what was drawn before");
	$writer->commit;
	ok(is_settled($last), "$what: let go");
	$writer->disconnect;
	return;
}

sub bounds_of { my ($ids) = @_; my @ids = sort { $a <=> $b } @$ids; return @ids[ 0, -1 ] }

check_hold('next_id', sub { bounds_of([ map { value_of($_[0], 'SELECT next_id()') } 1 .. 3 ]) });
check_hold('next_ids', sub { bounds_of($_[0]->selectcol_arrayref('SELECT next_ids(5000)')) });
check_hold('next_id_array', sub { bounds_of(value_of($_[0], 'SELECT next_id_array(5000)')) });
check_hold('next_id_after', sub { bounds_of([ value_of($_[0], 'SELECT next_id_after(next_id())') ]) });
check_hold('a savepoint that is rolled back',
	sub {
		my ($writer) = @_;
		$writer->do('SAVEPOINT s');
		my @ids = value_of($writer, 'SELECT next_id()');
		$writer->do('ROLLBACK TO s');
		return bounds_of(\@ids);
	});

# Parallel workers draw in their leader's transaction; the leader has drawn nothing, or before them.
$main->do('CREATE TABLE source AS SELECT n FROM generate_series(1, 20000) n');
$main->do('ANALYZE source');
$main->do('CREATE TABLE parts (id bigint, writer int) PARTITION BY LIST (writer)');
my $part = 0;

sub draw_by_workers
{
	my ($writer) = @_;
	$part++;
	$writer->do("SET LOCAL $_")
	  for 'parallel_leader_participation = off', 'max_parallel_workers_per_gather = 4', 'min_parallel_table_scan_size = 0',
	  'parallel_setup_cost = 0', 'parallel_tuple_cost = 0';
	my $plan = join "\n", @{ $writer->selectcol_arrayref("EXPLAIN SELECT next_id() AS id, $part AS writer FROM source") };
	like($plan, qr/Gather.*next_id|Gather.*\n.*Parallel Seq Scan/s, 'workers draw');
	$writer->do("CREATE TABLE part$part AS SELECT next_id() AS id, $part AS writer FROM source");
	$writer->do("ALTER TABLE parts ATTACH PARTITION part$part FOR VALUES IN ($part)");
	return $writer->selectrow_array("SELECT min(id), max(id) FROM part$part");
}
check_hold('workers alone', \&draw_by_workers);
check_hold('workers after their leader',
	sub { my $first = value_of($_[0], 'SELECT next_id()'); return ($first, (draw_by_workers(@_))[1]) });

# Prepared transactions, also over a restart.
sub prepare
{
	my ($name, $sql) = @_;
	my $writer = connect_to($node);
	value_of($writer, 'SELECT next_id()');
	$writer->begin_work;
	my $id = value_of($writer, $sql);
	$writer->do("PREPARE TRANSACTION '$name'");
	$writer->disconnect;
	return $id;
}
# What workers drew is their leader's, who has drawn nothing, nor asked for anything, in its whole session.
{
	my $writer = connect_to($node);
	my $pid = value_of($writer, 'SELECT pg_backend_pid()');
	$writer->begin_work;
	my ($first, $last) = draw_by_workers($writer);
	outlast($last);
	like(value_of($main, "SELECT value FROM idgen.status() WHERE key = 'settled'"), qr/held by.* $pid\b/,
		'status names a leader whose workers drew');
	is_deeply(
		$main->selectall_arrayref('SELECT ids, last_id, draws_from <= id_time(?) FROM idgen.stat_backend WHERE pid = ?', undef, $first, $pid),
		[ [ 0, undef, 1 ] ],
		'stat_backend shows a leader whose workers drew');
	$writer->do("PREPARE TRANSACTION 'workers'");
	$writer->disconnect;
	ok(!is_settled($first), 'a prepared transaction holds back what only its workers drew');
	is(value_of($main, "SELECT count(*) FROM idgen.stat_backend WHERE gid = 'workers' AND draws_from <= id_time(?)", $first), 1, 'stat_backend, too');
	$main->do("COMMIT PREPARED 'workers'");
	ok(is_settled($last), 'a committed prepared transaction holds nothing back');
}
my $insert = 'INSERT INTO ms DEFAULT VALUES RETURNING id';
my $last = value_of($main, 'SELECT next_id()');
outlast($last);
my $prepared = prepare('drew', $insert);
prepare('drew nothing', 'SELECT 1 FROM pg_current_xact_id()');
outlast($prepared);
ok(is_settled($last) && !is_settled($prepared), 'a prepared transaction holds back what it drew');
like(value_of($main, "SELECT value FROM idgen.status() WHERE key = 'settled'"),
	qr/held by the prepared transaction \d+$/, 'status names it');
is_deeply(
	$main->selectall_arrayref('SELECT pid, datname, gid, draws_from = id_time(?), xact_start IS NOT NULL FROM idgen.stat_backend WHERE prepared IS NOT NULL', undef, $prepared),
	[ [ undef, 'postgres', 'drew', 1, 1 ] ],
	'stat_backend shows the prepared transaction');
$main->do('CREATE DATABASE other');
ok(defined settled_id(connect_to($node, db => 'postgres')), 'another session has a bound after CREATE DATABASE');
$main->do("COMMIT PREPARED 'drew'");
ok(is_settled($prepared), 'a prepared transaction that drew nothing holds nothing back');
$main->do("ROLLBACK PREPARED 'drew nothing'");
$prepared = prepare('drew', $insert);
prepare('drew nothing', 'SELECT 1 FROM pg_current_xact_id()');
my $reached = settled_id($main);
for my $restart (sub { $node->restart }, sub { crash($node); start_again($node) })
{
	$restart->();
	$main = connect_to($node);
	cmp_ok(settled_id($main) // 0, '<=', $prepared, 'after a restart nobody knows what a prepared transaction has drawn: up to what was settled before');
	like(value_of($main, "SELECT value FROM idgen.status() WHERE key = 'settled'"),
		qr/^not known: the prepared transaction \d+ is older than the start of the server$/, 'status says so');
	is(value_of($main, "SELECT count(*) FROM idgen.stat_backend WHERE gid LIKE 'drew%' AND draws_from IS NULL"), 2,
	  'after a restart stat_backend does not know what prepared transactions have drawn');
	is(value_of($main, 'SELECT settled_lag FROM idgen.stat_database'), undef,
	  'after a restart stat_database gives no lag beside prepared transactions');
}
$main->do("COMMIT PREPARED 'drew'");
cmp_ok(settled_id($main) // 0, '<=', $prepared, 'each of them counts');
prepare('after the start', 'SELECT 1 FROM pg_current_xact_id()');
$main->do("ROLLBACK PREPARED 'drew nothing'");
outlast($prepared);
ok(is_settled($prepared), 'nothing is held back when the last prepared transaction has ended');
$main->do("ROLLBACK PREPARED 'after the start'");
cmp_ok(value_of($main, 'SELECT next_id()'), '>=', $reached, 'after a crash IDs go on above what was settled');

# A transaction that got its number before anybody drew, and is prepared after that, is not one of before the start.
$node->restart;
my $early = connect_to($node);
$early->begin_work;
value_of($early, 'SELECT 1 FROM pg_current_xact_id()');
$main = connect_to($node);
my $first;
for (1 .. 30_000) { last if defined($first = settled_id($main)); sleep 0.01 }
ok(defined $first, 'asked first after a start: known as soon as a draw need not wait');
$early->do("PREPARE TRANSACTION 'early'");
ok(defined settled_id($main), 'one that was begun before, and drew nothing, holds back nothing');
$main->do("ROLLBACK PREPARED 'early'");

# A clock that is a year ahead for a moment, while a session asks, holds up no session.
set_clock($node, '+31536000');
ok(defined settled_id($main), 'asked under a clock that is a year ahead');
set_clock($node, '+0');
my $id = value_of($main, 'SELECT next_id()');
ok(value_of($main, "SELECT id_time(?) < clock_timestamp() + interval '1 minute'", $id), 'the next ID is of today');

# A database that idles for longer than its window, a restart, and a slower clock.
sleep 2.5;
$reached = settled_id($main);
cmp_ok($reached, '>', $id, 'nothing was drawn for long: all is settled');
is(settled_id($main), $reached, 'nothing above the horizon is settled');
ok(value_of($main, 'SELECT id_time(id_settled(?), ?) > id_time(?)', $_, $_, $id),
	"no long tick is left open: $_") for @layout{qw(centi second)};
$node->stop;
set_clock($node, '-1.5');
start_again($node);
$main = connect_to($node);
cmp_ok(value_of($main, 'SELECT next_id()'), '>=', $reached, 'restarted under a slower clock: above what was settled');
set_clock($node, '+0');

# Without lead a layout of seconds does not wait for a session that asks in the middle of its tick.
set_for_server($main, 'idgen.max_lead', 0);
sleep 2.5;
my $seconds = connect_to($node);
$seconds->do('SET idgen.max_wait = 0');
my $end = time + 2.2;
my $failed = 0;
while (time < $end)
{
	settled_id($main, $_) for values %layout;
	$failed++ unless eval { value_of($seconds, "SELECT next_id(layout => '$_')") for values %layout; 1 };
}
is($failed, 0, 'no draw of a layout of seconds waits for a reader');
set_for_server($main, 'idgen.max_lead', '1s');

# A reset lowers what is settled; IDs of the transactions that go on lie above it again.
settled_id($main);
my $at = value_of($main, "SELECT clock_timestamp() - interval '3 s'");
$main->do("SELECT idgen.reset('$at', force => true)");
$id = value_of($main, 'SELECT next_id()');
cmp_ok(settled_id($main), '<=', value_of($main, 'SELECT next_id()'), 'after a reset nothing is drawn below the answer');

# Writers: transactions of 0 to 40 ms, with savepoints and rollbacks, sessions that come and go.
sub write_some
{
	my ($number, $seconds, $shard) = @_;
	my @tables = sort keys %layout;
	my $until = time + $seconds;
	my $session;
	while (time < $until)
	{
		undef $session if rand() < 0.1;
		eval {
			$session //= connect_to($node);
			$session->begin_work;
			for (1 .. 1 + int rand 3)
			{
				$session->do("INSERT INTO $_ (writer) VALUES ($number)") for 'counted', $tables[ rand @tables ];
				$session->do('SAVEPOINT s');
				$session->do("INSERT INTO $tables[rand @tables] (writer) SELECT $number FROM generate_series(1, 3)");
				$session->do('ROLLBACK TO s') if rand() < 0.3;
				sleep 0.02 * rand;
			}
			rand() < 0.1 ? $session->rollback : $session->commit;
			1;
		} or undef $session;
	}
	return;
}

# Readers of all tables, and naive ones, beside eight writers; $trouble->($until) meanwhile. Gives what the naive ones
# lost.
sub read_beside
{
	my ($what, $seconds, $trouble) = @_;
	my @readers = map { begin_reader($node, table => $_, layout => $layout{$_}) } sort keys %layout;
	my @naive = map { begin_reader($node, table => $_, naive => 1) } 'ms', 'counted';
	my @writers;
	for my $number (1 .. 8)
	{
		my $pid = fork // die "fork: $!";
		push @writers, $pid;
		next if $pid;
		srand $number;
		write_some($number, $seconds);
		POSIX::_exit(0);
	}
	$trouble->(time + $seconds) if $trouble;
	waitpid $_, 0 for @writers;
	$main = connect_to($node);
	for my $reader (@readers)
	{
		my ($lost, $twice, $seen) = missed_by($main, $reader);
		is("$lost lost, $twice twice", '0 lost, 0 twice', "$what: a reader of $reader->{table} misses nothing");
		cmp_ok($seen, '>', 0, "$what: a reader of $reader->{table} reads rows");
	}
	return map { (missed_by($main, $_))[0] } @naive;
}

my ($lost, $lost_counted, $rounds) = (0, 0, 0);
until ($lost && $lost_counted || $rounds++ == 20)
{
	my @lost = read_beside('writers', 3);
	$lost += $lost[0];
	$lost_counted += $lost[1];
}
cmp_ok($lost, '>', 0, 'a reader of all above the last ID loses rows');
cmp_ok($lost_counted, '>', 0, 'a reader of all above the last value of a sequence loses rows');

read_beside(
	'a clock that steps',
	6,
	sub {
		my ($until) = @_;
		while (time < $until) { set_clock($node, sprintf '%+.3f', 1.6 * rand() - 0.8), sleep 0.3 }
		set_clock($node, '+0');
	});

read_beside(
	'killed backends',
	6,
	sub {
		my ($until) = @_;
		for (1 .. 2)
		{
			sleep 2;
			my $pid = eval { value_of(connect_to($node), "SELECT pid FROM pg_stat_activity WHERE state = 'idle in transaction' LIMIT 1") };
			kill 'KILL', $pid if $pid;
		}
	});

read_beside('a crash', 6, sub { sleep 2; crash($node); start_again($node) });

# The server gives the PGPROC of a session that has ended to another one, whose transactions may have the same numbers:
# that one has announced nothing.
sub check_next_sessions
{
	my $other = start_node('next_sessions', conf => [ "idgen.shards = '5'", 'autovacuum = off' ]);
	my $watcher = connect_to($other);
	my @before = map { connect_to($other) } 1 .. 4;
	for my $turn (1 .. 4)
	{
		$before[ $turn - 1 ]->do('SELECT 1') for 1 .. 30 * $turn;
		my $id = value_of($before[ $turn - 1 ], 'SELECT next_id()');
		wait_until($watcher, "SELECT id_time($id) + interval '2 ms' < clock_timestamp()");
	}
	for my $session (@before)
	{
		my $pid = $session->{pg_pid};
		$session->disconnect;
		wait_until($watcher, "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $pid)");
	}
	my @held;
	for my $session (map { connect_to($other) } 1 .. 4)
	{
		for (1 .. 180)
		{
			$session->begin_work;
			$session->do('SELECT 1');
			my $value = value_of($watcher, q{SELECT value FROM idgen.status() WHERE key = 'settled'});
			push @held, $value unless $value eq 'up to the clock';
			$session->commit;
		}
	}
	is(join("\n", @held), '', 'sessions that draw nothing hold back nobody');
	$other->stop;
	return;
}
check_next_sessions();

# A promotion: readers go on at their positions.
my $standby = begin_standby($primary, 'next', '+0');
wait_for_replay($primary, $standby);
my $on_standby = connect_to($standby);
like(value_of($on_standby, "SELECT value FROM idgen.status() WHERE key = 'settled'"),
	qr/^up to .*, as its primary last said$/, 'status of a standby says how far it was told');
value_of($main, $insert) for 1 .. 10;
$reached = settled_id($main);
$prepared = prepare('prepared before the promotion', $insert);
wait_for_replay($primary, $standby);
crash($primary);
$standby->promote;
$node = $standby;
$main = connect_to($node);
cmp_ok(settled_id($main) // 0, '<=', $prepared, 'promoted: a prepared transaction of the old primary holds back');
$main->do("COMMIT PREPARED 'prepared before the promotion'");
cmp_ok(value_of($main, $insert), '>=', $reached, 'promoted: IDs go on above what was settled');

done_testing();
