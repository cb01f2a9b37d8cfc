# Crashes and restarts: no ID that a client holds is made again, and the first one lies above the durable horizon.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use DBD::Pg qw(:async);
use IdgenNode;
use List::Util qw(max);
use Test::More;
use Time::HiRes qw(time sleep);

# The WAL writer sleeps: what survives kill -9 is what idgen flushed itself.
my $node = start_node(
	'crash',
	fake_clock => 1,
	conf       => [
		"idgen.shards = '5'", "wal_writer_delay = '10s'",
		'max_prepared_transactions = 2', 'restart_after_crash = on',
		'checkpoint_timeout = 1h', 'autovacuum = off' ]);
my %made;
my $second = int(time) + 2;

# Stops the clock some seconds after it was stopped last: the next ID needs a renewal.
sub freeze_later
{
	$second += 5;
	return freeze_clock($node, $second);
}

sub horizon_ms
{
	my ($session) = @_;
	return value_of($session, 'SELECT last_value FROM idgen.horizon');
}

sub ms_of
{
	my ($session, $id) = @_;
	return value_of($session, 'SELECT (extract(epoch FROM id_time(?)) * 1000)::bigint', $id);
}

# Crashes and starts, and draws again: under a clock that stands still only the horizon keeps new IDs from old ones.
sub crash_and_compare
{
	my ($session, $what) = @_;
	my $horizon_ms = horizon_ms($session);
	crash($node);
	start_again($node);
	$session = connect_to($node);
	my @ids = draw($session, 300);
	is(repeated(\%made, @ids), 0, "$what: no ID is made again");
	cmp_ok(ms_of($session, $ids[0]), '>=', $horizon_ms, "$what: the first ID lies above the horizon");
	return $session;
}

# A parallel worker makes IDs and renews. Up to PostgreSQL 15 it is forked by a signal handler, where the clock
# cannot be set: so this comes first.
my $session = connect_to($node);
$session->do('CREATE TABLE hundred AS SELECT generate_series(1, 100)');
my $in_worker = $node->pg_version >= 16 ? 'debug_parallel_query' : 'force_parallel_mode';
my @settings = (qw(parallel_setup_cost parallel_tuple_cost min_parallel_table_scan_size), "$in_worker = on", 'parallel_leader_participation = off');
$session->do('SET ' . (/=/ ? $_ : "$_ = 0")) for @settings;
like(join("\n", @{ $session->selectcol_arrayref('EXPLAIN (VERBOSE, COSTS OFF) SELECT next_id() FROM hundred') }),
	qr/Gather.*Output:.*Seq Scan.*Output: next_id/s, 'a parallel worker draws');
repeated(\%made, draw($session, 100));
sleep 2.2;
my $before_ms = horizon_ms($session);
is(repeated(\%made, @{ $session->selectcol_arrayref('SELECT next_id() FROM hundred') }), 0,
	'a parallel worker: 100 IDs');
cmp_ok(horizon_ms($session), '>', $before_ms, 'a parallel worker: it renewed');
$session->do('RESET ALL');

# The client holds IDs of a transaction that never ends.
freeze_later();
$session->begin_work;
my @ids = (draw($session, 200), map { value_of($session, 'SELECT next_id()') } 1 .. 100);
push @ids, @{ $session->selectcol_arrayref('SELECT next_ids(200)') };
is(repeated(\%made, @ids), 0, 'an open transaction: 500 IDs');
$session = crash_and_compare($session, 'kill -9, an open transaction');

freeze_later();
$session->do('SET synchronous_commit = off');
is(repeated(\%made, draw($session, 300)), 0, 'synchronous_commit = off: 300 IDs');
$session = crash_and_compare($session, 'kill -9, synchronous_commit = off');

# A checkpoint before the renewal, after it, and between two.
freeze_later();
$session->do('CHECKPOINT');
is(repeated(\%made, draw($session, 300)), 0, 'after a checkpoint: 300 IDs');
$session = crash_and_compare($session, 'kill -9, a checkpoint before the renewal');
freeze_later();
@ids = draw($session, 100);
$session->do('CHECKPOINT');
is(repeated(\%made, @ids, draw($session, 200)), 0, 'a checkpoint after the renewal: 300 IDs');
freeze_later();
is(repeated(\%made, draw($session, 200)), 0, 'the next renewal: 200 IDs');
$session = crash_and_compare($session, 'kill -9, a checkpoint between two renewals');

# A crash right after a crash: nothing was renewed in between.
crash($node);
start_again($node);
freeze_later();
$session = connect_to($node);
is(repeated(\%made, draw($session, 300)), 0, 'two crashes: 300 IDs');
$session = crash_and_compare($session, 'kill -9 after two crashes');

# Every kind of transaction makes IDs and renews.
$session->do('CREATE TABLE kept (id bigint)');
my @kinds = (
	[ 'rolled back', ['BEGIN'], ['ROLLBACK'] ],
	[ 'rolled back to a savepoint', [ 'BEGIN', 'SAVEPOINT s' ], [ 'ROLLBACK TO s', 'COMMIT' ] ],
	[ 'released savepoint', [ 'BEGIN', 'SAVEPOINT s' ], [ 'RELEASE s', 'ROLLBACK' ] ],
	[ 'prepared', [ 'BEGIN', 'INSERT INTO kept VALUES (1)' ], [q{PREPARE TRANSACTION 'p'}] ],
	[ 'READ ONLY', ['BEGIN READ ONLY'], ['COMMIT'] ],
	[ 'SERIALIZABLE READ ONLY DEFERRABLE', ['BEGIN ISOLATION LEVEL SERIALIZABLE, READ ONLY, DEFERRABLE'], ['COMMIT'] ],
	[ 'default_transaction_read_only', ['SET default_transaction_read_only = on'], ['RESET default_transaction_read_only'] ]);
for (@kinds)
{
	my ($kind, $before, $after) = @$_;
	freeze_later();
	$session->do($_) for @$before;
	my $horizon_ms = horizon_ms($session);
	my @ids = @{ $session->selectcol_arrayref('SELECT next_id() FROM hundred') };
	is(repeated(\%made, @ids), 0, "$kind: 100 IDs");
	$session->do($_) for @$after;
	cmp_ok(horizon_ms($session), '>', $horizon_ms, "$kind: the horizon was renewed");
}
$session = crash_and_compare($session, 'kill -9 after them');
$session->do(q{COMMIT PREPARED 'p'});
is(repeated(\%made, draw($session, 100)), 0, 'the prepared transaction committed: IDs go on');

# A backend is killed while it makes IDs: the server starts shared memory again.
sub wait_for_server
{
	for (1 .. 20_000)
	{
		my $session = eval { connect_to($node) };
		return $session if $session && eval { value_of($session, 'SELECT 1') };
		sleep 0.01;
	}
	die 'the server does not come back';
}

for my $round (1 .. 3)
{
	set_clock($node, '+' . (100 * $round));
	my $victim = connect_to($node);
	my $pid = value_of($victim, 'SELECT pg_backend_pid()');
	my $makers = begin_makers($node, 3);
	$victim->do('SELECT count(next_id()) FROM generate_series(1, 100000000)', { pg_async => PG_ASYNC });
	sleep 0.7;
	my @ids = draw($session, 20_000);
	kill 'KILL', $pid;
	push @ids, made_by($makers);
	cmp_ok(scalar @ids, '>', 20_000, "kill -9 of a backend, round $round: others made IDs too");
	is(repeated(\%made, @ids), 0, "kill -9 of a backend, round $round: all distinct before");
	set_clock($node, '+' . (100 * $round - 0.9));
	$session = wait_for_server();
	my @later = draw($session, 50_000);
	is(repeated(\%made, @later), 0, "kill -9 of a backend, round $round: none again");
	# Not above the horizon that a session saw: one written ahead of need is flushed only when an ID needs it.
	cmp_ok($later[0], '>', max(@ids), "kill -9 of a backend, round $round: above all before");
}

# The postmaster is killed below sessions at work.
my $makers = begin_makers($node, 4);
sleep 1;
crash($node);
is(repeated(\%made, made_by($makers)), 0, 'kill -9 below four sessions: all distinct before');
set_clock($node, '+299.5');
start_again($node);
$session = connect_to($node);
is(repeated(\%made, draw($session, 50_000)), 0, 'kill -9 below four sessions: none again');

# Stopped, and the clock set back meanwhile.
my $last = value_of($session, 'SELECT next_id()');
repeated(\%made, $last);
$node->stop;
set_clock($node, '+299');
start_again($node);
$session = connect_to($node);
my $id = value_of($session, 'SELECT next_id()');
cmp_ok($id, '>', $last, 'stopped, half a second back: IDs go on above');
is(repeated(\%made, $id, draw($session, 20_000)), 0, 'stopped, half a second back: none again');
$node->stop;
set_clock($node, '-3600');
start_again($node);
$session = connect_to($node);
fails_with($session, 'SELECT next_id()', '55000', qr/the clock is $duration behind/, 'stopped, an hour back');
set_clock($node, '+300');
is(repeated(\%made, draw($session, 1000)), 0, 'right again: IDs go on by themselves, none again');

# Many restarts in quick succession, the clock a little further back each time.
$node->append_conf('postgresql.conf', "idgen.horizon_window = '200ms'");
my $repeats = 0;
my $largest = 0;
my $not_above = 0;
for my $number (1 .. 20)
{
	$node->stop($number % 2 ? 'fast' : 'immediate');
	set_clock($node, sprintf '+%.3f', 300 - 0.02 * $number);
	start_again($node);
	$session = connect_to($node);
	my @ids = draw($session, 2000);
	$repeats += repeated(\%made, @ids);
	$not_above++ if $ids[0] <= $largest;
	$largest = $ids[-1];
}
is($repeats, 0, '20 restarts: all distinct');
is($not_above, 0, '20 restarts: each goes on above the one before');

$session->disconnect;
done_testing();
