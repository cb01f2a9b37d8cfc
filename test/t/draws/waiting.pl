# Waiting for a tick: asleep, visible, cancellable, and nobody else has to wait.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use DBD::Pg qw(:async);
use IdgenNode;
use Test::More;
use Time::HiRes qw(time);

# The extension is older than the clock will be set back: no shard begins below its creation.
my $node = start_node('waiting', clock => '-900', extension => 0, conf => [ "idgen.max_wait = '1h'", 'idgen.max_lead = 0' ]);
my $waiting = connect_to($node);
my $other = connect_to($node);
$other->do($_) for 'CHECKPOINT', 'CREATE EXTENSION idgen';
set_clock($node, '+0');
my $pid = value_of($waiting, 'SELECT pg_backend_pid()');

# The clock 600 s behind the last ID of shard 5: a wait of ten minutes.
sub begin_wait
{
	set_clock($node, '+0');
	value_of($waiting, 'SELECT next_id(5)');
	set_clock($node, '-600');
	$waiting->do('SELECT next_id(5)', { pg_async => PG_ASYNC });
	for (1 .. 15_000)
	{
		return 1
		  if value_of($other, q{SELECT wait_event_type = 'Extension' FROM pg_stat_activity WHERE pid = ?}, $pid);
		select undef, undef, undef, 0.02;
	}
	return 0;
}

sub cpu_seconds
{
	open my $stat, '<', "/proc/$pid/stat" or die "/proc/$pid/stat: $!";
	my @fields = split ' ', (<$stat> =~ s/.*\) //r);
	return ($fields[11] + $fields[12]) / 100;
}

ok(begin_wait(), 'pg_stat_activity shows a wait event');
is(value_of($other, 'SELECT count(*) FROM pg_locks WHERE pid = ? AND locktype <> $$virtualxid$$', $pid),
	0, 'a waiting session holds no lock');
my $used = cpu_seconds();
ok(value_of($other, 'SELECT next_id(6)') > 0, 'a second shard goes on beside a session that waits');
is(value_of($other, 'SELECT count(*) FROM next_ids(5000, 7)'), 5000,
	'a third shard goes on beside a session that waits');
select undef, undef, undef, 1;
cmp_ok(cpu_seconds() - $used, '<=', 0.2, 'a waiting session sleeps');

ok(value_of($other, 'SELECT pg_cancel_backend(?)', $pid), 'a session that waits is canceled');
ok(!succeeds($waiting), 'the wait ends');
is($waiting->state, '57014', 'a canceled wait ends with query_canceled');

$waiting->do("SET statement_timeout = '2s'");
ok(begin_wait(), 'a session whose wait was canceled waits again');
ok(!succeeds($waiting), 'statement_timeout ends the wait');
is($waiting->state, '57014', 'statement_timeout ends the wait with query_canceled');
$waiting->do('RESET statement_timeout');

ok(begin_wait(), 'a session waits again after statement_timeout');
set_clock($node, '+0');
ok(succeeds($waiting), 'the clock corrected, the wait ends with an ID');

# The same inside a block of many, and in a row source.
set_clock($node, '-600');
$waiting->do("SET statement_timeout = '2s'");
for my $sql ('SELECT next_id_array(10, 5)', 'SELECT count(*) FROM next_ids(10, 5)', 'INSERT INTO t DEFAULT VALUES')
{
	$other->do('CREATE TABLE IF NOT EXISTS t (id bigint DEFAULT next_id(5))');
	fails_with($waiting, $sql, '57014', qr/statement timeout/, $sql);
}

# A terminated wait leaves nothing behind.
$waiting->do('RESET statement_timeout');
ok(begin_wait(), 'a session that is to be terminated waits');
value_of($other, 'SELECT pg_terminate_backend(?)', $pid);
ok(!succeeds($waiting), 'terminated');
set_clock($node, '+0');
ok(value_of($other, 'SELECT next_id(5)') > 0, 'another session draws the shard of a terminated one');

# Many waiters on one saturated shard all get their IDs.
$other->do('CREATE UNLOGGED TABLE made (id bigint)');
ok( in_sessions(
		$node, 16, sub { $_[0]->do('INSERT INTO made SELECT next_id(5) FROM generate_series(1, 3000)') }),
	'16 sessions on one saturated shard');
is(value_of($other, 'SELECT count(DISTINCT id) FROM made'), 48_000,
	'16 sessions on one saturated shard: all IDs are distinct');

$other->disconnect;
done_testing();
