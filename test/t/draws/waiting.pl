# Sessions that wait for a tick, and those that do not.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use DBD::Pg qw(:async);
use IdgenNode;
use Test::More;
use Time::HiRes qw(time);

# Waiting for a tick: asleep, visible, cancellable, and nobody else has to wait.
{
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
}

# Sessions that borrow, or draw above IDs ahead of the clock, leave those that wait their turn, and an error beside them
# does not blame the clock.
{
	my $node = start_node('borrowing', fake_clock => 1, conf => [ "idgen.max_lead = '10s'", "idgen.max_clock_jump = '1h'" ]);
	my $onlooker = connect_to($node);
	my $waiting = connect_to($node);
	my $borrowing = connect_to($node);
	$borrowing->do('SET idgen.overflow = borrow');
	$_->do('SET idgen.max_wait = 0') for $waiting, $borrowing;

	# Four IDs a second for each shard, on a clock that stands still where it is put.
	my $layout = 'epoch=2020-01-01T00:00:00Z unit=1s time=40 shard=10 sequence=2';
	# Later than where the shards of a new extension begin.
	my $second = int(time) + 60;

	# The seconds that the IDs of one statement are dated ahead of the clock, each with how many they are.
	sub leads
	{
		my ($session, $count, $now, $shard) = (@_, 5);
		my $ids = $session->selectcol_arrayref("SELECT next_id($shard, '$layout') FROM generate_series(1, $count)");
		my %count;
		$count{ value_of($session, "SELECT extract(epoch FROM id_time(?, '$layout'))::bigint", $_) - $now - clock_offset() }++ for @$ids;
		return join ' ', map { "$_:$count{$_}" } sort { $a <=> $b } keys %count;
	}

	freeze_clock($node, $second);
	is(leads($borrowing, 44, $second), join(' ', map { "$_:4" } 0 .. 10), 'borrowed as far as max_lead');
	my $borrowed = qr/other sessions have borrowed the IDs of shard 5 up to 11\.000 s ahead of the clock\nDETAIL:.*idgen\.overflow to borrow, or call next_id_after\(\) with IDs ahead of the clock, which any role may do\. Waited for 0\.000 s; idgen\.max_lead is 10\.000 s.*\nHINT:.*idgen\.max_wait.*more shards.*idgen\.overflow to wait.*no such IDs/s;
	for ("next_id(5, '$layout')", "next_id_array(3, 5, '$layout')", "next_ids(3, 5, '$layout')")
	{
		fails_with($waiting, "SELECT $_", '2200H', $borrowed, "beside a session that borrows: $_");
	}
	fails_with($borrowing, "SELECT next_id(5, '$layout')", '2200H', qr/no ID is left in this tick for shard 5\nDETAIL:.*its next tick is 11\.000 s ahead/s,
		'the session that borrowed');

	freeze_clock($node, $second + 1);
	is(leads($waiting, 4, $second + 1), '10:4', 'a second later the session that waits has its turn, at once');
	fails_with($waiting, "SELECT next_id(5, '$layout')", '2200H', $borrowed,
		'a session that waits gets no more than its turn');
	freeze_clock($node, $second + 3);
	is(leads($waiting, 4, $second + 3), '9:4', 'after two seconds, too, and so the lead shrinks');
	freeze_clock($node, $second + 6);
	is(leads($waiting, 4, $second + 6), '7:4', 'after six seconds the lead has shrunk further');
	fails_with($waiting, "SELECT next_id(5, '$layout')", '2200H', qr/ up to 8\.000 s ahead of the clock/,
	  'the lead of a session that waits grows no more');
	is(leads($borrowing, 12, $second + 6), '8:4 9:4 10:4', 'the lead grows for a session that borrows');
	is(value_of($waiting, 'SELECT borrows FROM idgen.stat_shard WHERE shard = 5'), 64,
		'all of them but those of the first tick count as borrowed');
	is(value_of($waiting, 'SELECT holds FROM idgen.stat_shard WHERE shard = 5'), 0,
		'a session that borrowed leaves no ID counted as held');

	# So does one that draws above an ID ahead of the clock, whatever its idgen.overflow says.
	my $lifting = connect_to($node);
	my $above = "SELECT next_id_after(id_make(to_timestamp($second + 16), 7, 0, '$layout'), 7, '$layout')";
	is(value_of($lifting, "SELECT id_time(($above), '$layout') = to_timestamp($second + 16)"), 1,
		'drawn above an ID ahead of the clock');
	is(leads($waiting, 2, $second + 6, 7), '10:2', 'a session that waits uses up its tick');
	fails_with($waiting, "SELECT next_id(7, '$layout')", '2200H', qr/other sessions have borrowed the IDs of shard 7 up to 11\.000 s ahead/,
	  'a session that waits is told why it gets no more');
	freeze_clock($node, $second + 7);
	is(leads($waiting, 4, $second + 7, 7), '10:4', 'a second later it has its turn, at once');
	freeze_clock($node, $second + 9);
	is(leads($lifting, 4, $second + 9, 7), '9:4', 'the session that lifted the clock leads no further');
	is(value_of($waiting, 'SELECT borrows FROM idgen.stat_shard WHERE shard = 7'), 11, 'all of them count as borrowed');
	is(value_of($waiting, 'SELECT holds FROM idgen.stat_shard WHERE shard = 7'), 0,
		'an ID drawn above the clock leaves none counted as held');

	# A clock that was set back is to blame, whoever has borrowed before.
	freeze_clock($node, $second - 60);
	fails_with($waiting, "SELECT next_id(5, '$layout')", '55000', qr/the clock is 7\d\.000 s behind the next ID of shard 5/,
		'a clock that is behind');
	set_clock($node, '+0');

	# Four sessions that take all that a shard makes, eight IDs a millisecond: beside them each draw comes to its end.
	my $small = "6, 'epoch=2020-01-01T00:00:00Z unit=1ms time=41 shard=10 sequence=3'";
	my @others = map { connect_to($node) } 1 .. 4;
	for (@others)
	{
		$_->do('SET idgen.overflow = borrow');
		$_->do("SELECT count(next_id($small)) FROM (SELECT generate_series(1, 2000000000) OFFSET 0) s", { pg_async => PG_ASYNC });
	}
	wait_until($onlooker, 'SELECT EXISTS (SELECT FROM idgen.stat_shard WHERE shard = 6 AND max_lead >= 9990)');
	$waiting->do("SET idgen.max_wait = '20s'");
	my ($drawn, $began) = (0, time);
	while ($drawn < 100 && time - $began < 60)
	{
		last unless eval { value_of($waiting, "SELECT next_id($small)") };
		$drawn++;
	}
	is($drawn, 100, 'beside four sessions that borrow, one that waits draws on') or diag($waiting->errstr);
	is(value_of($onlooker, q{SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%next_id(6,%' AND pid <> pg_backend_pid()}), 4,
		'all four sessions that borrow go on meanwhile');
	$_->pg_cancel for @others;
	$_->disconnect for @others, $onlooker, $waiting, $borrowing, $lifting;
}

done_testing();
