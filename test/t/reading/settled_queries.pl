# id_settled() goes by the snapshot of the query that calls it: in every isolation level, under cursors, in views and
# functions, with snapshots that another session exported, beside transactions that are being prepared, and on a
# standby, also over its promotion.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use IdgenPair;
use Test::More;
use Time::HiRes qw(sleep);

my $node = begin_primary('primary', "idgen.shards = '0-15'", 'max_prepared_transactions = 10', 'max_worker_processes = 12', 'wal_level = logical');
my $main = connect_to($node);
$main->do('CREATE TABLE event (id bigint PRIMARY KEY DEFAULT next_id(), what text)');
my $insert = 'INSERT INTO event DEFAULT VALUES RETURNING id';

# Waits until the tick of an ID has ended: from then on a look settles it if its transaction has ended.
sub outlast
{
	my ($id) = @_;
	sleep 0.001 until value_of($main, "SELECT id_time(?) + interval '2 ms' < clock_timestamp()", $id);
	return $id;
}
sub committed { return outlast(value_of($main, $insert)) }
sub bound { my ($session) = @_; return value_of($session, 'SELECT coalesce(id_settled(), 0)') }

# A session in a transaction that has a snapshot already.
sub in_snapshot
{
	my ($on, $level) = @_;
	my $session = connect_to($on);
	$session->begin_work;
	$session->do('SET TRANSACTION ISOLATION LEVEL ' . ($level // 'REPEATABLE READ'));
	$session->do('SELECT 1 FROM pg_class LIMIT 1');
	return $session;
}

# A writer that has drawn, and whose transaction has an xid below the next one's.
sub writer_with
{
	my ($id) = @_;
	my $writer = connect_to($node);
	$writer->begin_work;
	$$id = outlast(value_of($writer, $insert));
	committed();
	return $writer;
}

# What is committed after a snapshot was taken lies above its bound, whatever calls other sessions make meanwhile.
for my $level ('REPEATABLE READ', 'SERIALIZABLE')
{
	my $before = committed();
	my $reader = in_snapshot($node, $level);
	my $after = committed();
	bound($main) for 1 .. 3;
	cmp_ok(bound($reader), '<=', $after, "$level: not past what its snapshot does not show");
	is(bound($reader), bound($reader), "$level: one answer");
	$reader->commit;
	cmp_ok(bound($reader), '>', $after, "$level: the next transaction goes on");
	my $quiet = in_snapshot($node, $level);
	cmp_ok(bound($quiet), '>', $after, "$level: at once where nothing ended since");
}

# A transaction that ended after the snapshot, though it is not the last one: xmax alone does not tell.
{
	my $reader;
	my $writer = writer_with(\my $id);
	$reader = in_snapshot($node);
	$writer->commit;
	cmp_ok(bound($reader), '<=', $id, 'one of the transactions that ran is over: not past it');
}

# Nor do counts: one that is being prepared is listed twice as long as its synchronous standby lets it wait.
my $standby = begin_standby($node, 'standby', '+0', 'hot_standby = on', 'max_standby_streaming_delay = -1');
wait_for_replay($node, $standby);
{
	my $preparing = connect_to($node);
	$preparing->begin_work;
	$preparing->do('SELECT pg_current_xact_id()');
	my $writer = writer_with(\my $id);
	$writer->do('SET LOCAL synchronous_commit = local');
	my $reader = in_snapshot($node);
	name_standbys($main, 'nobody');
	$preparing->do(q{PREPARE TRANSACTION 'waits'}, { pg_async => DBD::Pg::PG_ASYNC() });
	wait_until($main, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep')");
	is(value_of($main, q{SELECT count(*) FROM pg_prepared_xacts}), 1, 'a transaction waits in PREPARE');
	$writer->commit;
	cmp_ok(bound($reader), '<=', $id, 'beside it: not past a transaction that ended since');
	set_for_server($main, 'synchronous_standby_names', '');
	$preparing->pg_result;
	$reader->commit;
	cmp_ok(bound($reader), '>', $id, 'a new snapshot reads past a transaction that ended');
	$main->do(q{ROLLBACK PREPARED 'waits'});
}

# A savepoint that is rolled back moves xmax, and nothing else.
{
	my $reader = in_snapshot($node);
	my $writer = connect_to($node);
	$writer->begin_work;
	my $id = outlast(value_of($writer, $insert));
	$writer->do('SAVEPOINT s');
	value_of($writer, $insert);
	$writer->do('ROLLBACK TO s');
	bound($main);
	cmp_ok(bound($main), '<=', $id, 'a savepoint that is rolled back: its transaction holds back');
	$writer->commit;
	cmp_ok(bound($reader), '<=', $id,
		'a savepoint that is rolled back: an older snapshot is held back after the commit');
	cmp_ok(bound($main), '>', $id, 'a savepoint that is rolled back: a newer snapshot is not held back');
}

# A transaction that asks late finds what others asked before it, however much they ask.
{
	committed() for 1 .. 3;
	bound($main);
	committed();
	my $reader = in_snapshot($node);
	my $late = committed();
	$main->do(q{CREATE PROCEDURE ask() LANGUAGE plpgsql AS 'BEGIN FOR i IN 1 .. 20000 LOOP IF i % 10 = 0 THEN INSERT INTO event DEFAULT VALUES; COMMIT; END IF; PERFORM id_settled(); END LOOP; END'});
	$main->do('CALL ask()');
	my $bound = bound($reader);
	cmp_ok($bound, '>', 0, 'a transaction that asks late gets an answer');
	cmp_ok($bound, '<=', $late, 'a transaction that asks late gets an answer that its snapshot shows');
}

# Rows below the bound are all there, as the same query sees them: each row of the reader's own snapshot, and no other.
sub reads_all
{
	my ($what, $session, $sql, $expected) = @_;
	is(value_of($session, $sql), $expected, $what);
	return;
}
{
	my $last = committed();
	my $all = value_of($main, 'SELECT count(*) FROM event');
	$main->do('CREATE VIEW event_settled AS SELECT * FROM event WHERE id < id_settled()');
	reads_all('a view', $main, 'SELECT count(*) FROM event_settled', $all);
	reads_all('an init plan', $main, 'SELECT count(*) FROM event WHERE id < (SELECT id_settled())', $all);
	$main->do(q{CREATE FUNCTION upto() RETURNS bigint STABLE PARALLEL RESTRICTED LANGUAGE plpgsql AS 'BEGIN RETURN id_settled(); END'});
	$main->do(q{CREATE FUNCTION upto_sql() RETURNS bigint STABLE PARALLEL RESTRICTED LANGUAGE sql AS 'SELECT id_settled()'});
	reads_all("a STABLE function in $_", $main, "SELECT count(*) FROM event WHERE id < $_()", $all) for 'upto', 'upto_sql';
	reads_all('a nested loop', $main, 'SELECT count(*) FROM event e JOIN generate_series(1, 2) g ON e.id < id_settled()', 2 * $all);
	reads_all('a statement that draws and reads', $main, 'SELECT count(*) FROM event, (SELECT next_id() OFFSET 0) AS drawn(id) WHERE event.id < id_settled()', $all);

	$main->do('CREATE TABLE parts (id bigint DEFAULT next_id(), k int) PARTITION BY LIST (k)');
	$main->do("CREATE TABLE part$_ PARTITION OF parts FOR VALUES IN ($_)") for 0 .. 3;
	$main->do('INSERT INTO parts (k) SELECT n % 4 FROM generate_series(1, 4000) n');
	outlast(value_of($main, 'SELECT max(id) FROM parts'));
	reads_all('a partitioned table', $main, 'SELECT count(*) FROM parts WHERE id < id_settled()', 4000);
	is(value_of($main, 'SELECT count(DISTINCT id_settled()) FROM parts WHERE (next_id() > 0)'), 1,
		'one answer for all rows');

	# Two call sites of a statement whose plan is kept have one answer, also after an earlier statement of the transaction had another.
	my $reading = connect_to($node);
	$reading->do($_) for 'SET plan_cache_mode = force_generic_plan', 'SET client_min_messages = debug2';
	my $kept_plan = $reading->prepare('SELECT count(*) FROM parts WHERE id >= ? AND id < id_settled()');
	$kept_plan->{pg_switch_prepared} = 1;
	my $answers = 0;
	{
		local $SIG{__WARN__} = sub { $answers += "@_" =~ /id_settled\(\) answered by/ };
		local @$reading{qw(PrintWarn PrintError)} = (1, 0);
		$reading->begin_work;
		for (1 .. 12)
		{
			$answers = 0;
			committed();
			$kept_plan->execute(0);
			$kept_plan->finish;
		}
		$reading->rollback;
	}
	is($answers, 1, 'one answer for all partitions by a plan that is kept');
	$reading->disconnect;

	# The planner asks with a snapshot of its own: here a commit comes between it and the query's.
	$main->do(q{CREATE FUNCTION wait_at_plan() RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS 'BEGIN PERFORM id_settled(); PERFORM pg_advisory_lock(7); RETURN true; END'});
	my $watcher = connect_to($node);
	$watcher->do('SELECT pg_advisory_lock(7)');
	my $planning = connect_to($node);
	my $open = writer_with(\my $id);
	$planning->do('SELECT count(*) FROM event WHERE id < id_settled() AND wait_at_plan()', { pg_async => DBD::Pg::PG_ASYNC() });
	wait_until($watcher,
		"SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND wait_event = 'advisory')");
	$open->commit;
	committed();
	$watcher->do('SELECT pg_advisory_unlock(7)');
	$planning->pg_result;
	is($planning->selectrow_array('SELECT max(id) > ? FROM event WHERE id < id_settled()', undef, $id), 1,
		'the answer of a plan is not that of the query');
}

# Cursors: each goes by its own snapshot, whatever is asked between two fetches.
{
	$main->do('CREATE TABLE stream (id bigint PRIMARY KEY DEFAULT next_id())');
	$main->do('INSERT INTO stream SELECT FROM generate_series(1, 100)');
	outlast(value_of($main, 'SELECT max(id) FROM stream'));
	my $session = connect_to($node);
	$session->begin_work;
	$session->do("DECLARE $_ CURSOR FOR SELECT id, id_settled() FROM stream WHERE id + 0 < id_settled() ORDER BY id") for 'first';
	my (undef, $bound) = $session->selectrow_array('FETCH first');
	my %bounds = ($bound => 1);
	for (1 .. 99)
	{
		my $id = outlast(value_of($main, 'INSERT INTO stream DEFAULT VALUES RETURNING id')) if $_ % 10 == 0;
		cmp_ok(bound($session), '>', $id, 'a query beside an open cursor goes on') if defined $id && $_ == 50;
		(undef, $bound) = $session->selectrow_array('FETCH first');
		$bounds{$bound}++;
	}
	is(scalar keys %bounds, 1, 'a cursor that is fetched between other queries has one answer');
	is($session->selectrow_array('FETCH first'), undef, 'a cursor does not show what came after it was opened');
	$session->do('DECLARE by_function CURSOR FOR SELECT upto()');
	$session->do('DECLARE unread CURSOR FOR SELECT id FROM stream WHERE id < id_settled() ORDER BY id');
	my $late = outlast(value_of($main, 'INSERT INTO stream DEFAULT VALUES RETURNING id'));
	cmp_ok(bound($session), '>', $late, 'a query reads past what was committed after a cursor was opened');
	cmp_ok(value_of($session, 'SELECT upto()'), '>', $late,
		'a function reads past what was committed after a cursor was opened');
	cmp_ok(value_of($session, 'FETCH by_function'), '<=', $late,
		'a function gives an older cursor an answer of its own');
	my $rows = $session->selectcol_arrayref('FETCH ALL FROM unread');
	is(scalar @$rows, 109, 'a cursor that was opened before reads what its snapshot shows');
	$session->do('DECLARE held CURSOR WITH HOLD FOR SELECT id FROM stream WHERE id < id_settled()');
	value_of($main, 'INSERT INTO stream DEFAULT VALUES RETURNING id');
	$session->commit;
	is(scalar @{ $session->selectcol_arrayref('FETCH ALL FROM held') }, 110,
		'a cursor held beyond its transaction reads what its snapshot shows');
}

# A reader that asks again and again in one transaction, where nothing else ends: its snapshots are all alike, and the last
# rows come all the same. Their ticks lie ahead of the clock at first.
for my $prepare (0, 1)
{
	my $reader = connect_to($node);
	$reader->{pg_server_prepare} = $prepare;
	$main->do(q{SELECT idgen.advance(clock_timestamp() + '900 ms')});
	my $last = value_of($main, $insert);
	for my $level ('READ COMMITTED', 'REPEATABLE READ')
	{
		$reader->begin_work;
		$reader->do("SET TRANSACTION ISOLATION LEVEL $level");
		my $read = 'SELECT id_settled(), count(*) FROM event WHERE id = ? AND id < id_settled()';
		my ($bound, $count) = $reader->selectrow_array($read, undef, $last);
		my $before = $bound;
		for (1 .. 30_000)
		{
			last if $count || $level eq 'REPEATABLE READ' && value_of($reader, 'SELECT id_time(?) < clock_timestamp()', $last);
			sleep 0.01;
			($bound, $count) = $reader->selectrow_array($read, undef, $last);
		}
		if ($level eq 'READ COMMITTED') { is($count, 1, "asked again in a transaction, server-side prepared: $prepare") }
		else { is($bound, $before, "REPEATABLE READ has one answer, server-side prepared: $prepare") }
		$reader->rollback;
	}
}

# Beside a cursor that is open, what it was answered stays; each of its fetches has it.
{
	my $session = connect_to($node);
	$main->do(q{SELECT idgen.advance(clock_timestamp() + '900 ms')});
	my $last = value_of($main, $insert);
	$session->begin_work;
	$session->do('DECLARE slow CURSOR FOR SELECT id_settled(), id_settled() FROM generate_series(1, 400)');
	my %answers;
	for (1 .. 200)
	{
		$answers{ $_ // 'none' }++ for $session->selectrow_array('FETCH slow');
		bound($session);
		sleep 0.005;
	}
	is(scalar keys %answers, 1, 'each fetch of a cursor has one answer, though time passes and nothing ends');
	$session->do('CLOSE slow');
	sleep 0.01 until value_of($main, 'SELECT id_time(?) < clock_timestamp()', $last);
	cmp_ok(bound($session), '>', $last, 'after it was closed, a query asks anew');
	$session->rollback;
}

# Statements of one call site in many transactions.
{
	$main->do('CREATE TABLE found (n int)');
	$main->do(q{CREATE PROCEDURE follow() LANGUAGE plpgsql AS $$
		DECLARE upto bigint; last bigint;
		BEGIN
			FOR i IN 1 .. 300 LOOP
				INSERT INTO event DEFAULT VALUES RETURNING id INTO last;
				COMMIT;
				WHILE id_time(last) + interval '2 ms' > clock_timestamp() LOOP PERFORM pg_sleep(0.0005); END LOOP;
				upto := id_settled();
				IF upto <= last THEN RAISE EXCEPTION 'not past % but %', last, upto; END IF;
				COMMIT;
			END LOOP;
		END $$});
	ok(eval { $main->do('CALL follow()'); 1 }, 'a procedure that commits gets a new answer each time') or diag $@;
}

# Another session's snapshot, older than what it asks.
{
	my $writer = writer_with(\my $id);
	my $exporter = in_snapshot($node);
	my $name = value_of($exporter, 'SELECT pg_export_snapshot()');
	$writer->commit;
	my $importer = connect_to($node);
	$importer->begin_work;
	$importer->do('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
	$importer->do("SET TRANSACTION SNAPSHOT '$name'");
	cmp_ok(bound($importer), '<=', $id, 'an imported snapshot: not past what it does not show');
	cmp_ok(bound($exporter), '<=', $id, 'an exported snapshot: not past what it does not show');
}

# Parallel plans.
{
	my $session = connect_to($node);
	$session->do("SET $_") for 'parallel_leader_participation = off', 'min_parallel_table_scan_size = 0', 'parallel_setup_cost = 0', 'parallel_tuple_cost = 0', 'enable_indexscan = off', 'enable_bitmapscan = off', 'enable_indexonlyscan = off';
	my $init = 'SELECT count(*) FROM stream WHERE id < (SELECT id_settled())';
	my $plan = join "\n", @{ $session->selectcol_arrayref("EXPLAIN $init") };
	like($plan, qr/InitPlan.*Parallel Seq Scan/s, 'an init plan lets the scan be parallel');
	outlast(value_of($session, 'SELECT max(id) FROM stream'));
	is(value_of($session, $init), value_of($session, 'SELECT count(*) FROM stream'),
		'workers with the bound of an init plan find all rows');
	$session->do(q{CREATE FUNCTION wrong() RETURNS bigint STABLE PARALLEL SAFE LANGUAGE plpgsql AS 'BEGIN RETURN id_settled(); END'});
	fails_with($session, 'SELECT count(*) FROM stream WHERE id < wrong()', '25000',
		qr/in a parallel worker\nDETAIL:.*PARALLEL SAFE.*\nHINT:.*PARALLEL RESTRICTED/s,
		'a parallel worker is refused');
}

# VACUUM and a walsender are left out of snapshots.
{
	my $id = committed();
	my $reader = in_snapshot($node);
	$main->do($_) for 'VACUUM event', 'VACUUM FULL found', 'ANALYZE event';
	value_of($main, q{SELECT count(*) FROM pg_create_logical_replication_slot('slot', 'test_decoding')});
	value_of($main, q{SELECT count(*) FROM pg_logical_slot_get_changes('slot', NULL, NULL)});
	value_of($main, q{SELECT count(*) FROM pg_drop_replication_slot('slot')});
	my $after = committed();
	cmp_ok(bound($reader), '<=', $after, 'VACUUM and decoding since the snapshot: not past what it does not show');
	$reader->commit;
	cmp_ok(bound($reader), '>', $after, 'VACUUM and decoding: a later snapshot reads past them');
}

# A relation that somebody has locked for good holds up nobody.
{
	my $owner = connect_to($node);
	$owner->begin_work;
	$owner->do('ALTER SEQUENCE idgen.horizon OWNER TO CURRENT_USER');
	ok(bound($main) > 0, 'the horizon is locked: the answer is what it would be');
	$owner->rollback;
}

# Idle: one record after the last ID, and nothing more, however often it is asked.
sub position { return value_of($main, 'SELECT pg_current_wal_insert_lsn()') }
sub goes_quiet
{
	committed();
	sleep 2.3;
	my $before = position();
	bound($main);
	my $written = position();
	for (1 .. 200) { bound($main); sleep 0.01 }
	return (value_of($main, 'SELECT ?::pg_lsn - ?::pg_lsn', $written, $before), value_of($main, 'SELECT ?::pg_lsn - ?::pg_lsn', position(), $written));
}
{
	my ($first, $more) = (0, 1);
	# The server writes of its own accord, such as at a checkpoint.
	for (1 .. 10) { ($first, $more) = goes_quiet(); last unless $more }
	cmp_ok($first, '>', 0, 'a call on an idle server writes what is settled for standbys');
	cmp_ok($first, '<', 1500, 'a call on an idle server writes one record');
	is($more, 0, 'further calls on an idle server write nothing');
}

# A database that is being restored: its horizon has no page of its own yet, and what the dump sets still counts.
{
	$main->do('CREATE DATABASE restored');
	my $restored = connect_to($node, db => 'restored');
	$restored->do('CREATE EXTENSION idgen');
	ok(bound($restored) > 0, 'a database in which nothing was drawn is answered');
	sleep 2.3;
	is(value_of($restored, q{SELECT pg_relation_size('idgen.horizon') FROM (SELECT id_settled() OFFSET 0) s}), 8192,
	  'a database in which nothing was drawn has a horizon of one page');
	my $at = value_of($restored, q{SELECT (1000 * extract(epoch FROM clock_timestamp() + interval '400 ms'))::bigint});
	$restored->do(q{SELECT setval('idgen.horizon', ?)}, undef, $at);
	cmp_ok(value_of($restored, 'SELECT id_time(next_id())'), 'ge',
		value_of($restored, 'SELECT to_timestamp(? / 1000.0)', $at), 'what the dump sets counts');
	$restored->disconnect;
}

# A hot standby: what its primary wrote, as it is replayed.
my $on_standby = connect_to($standby);
sub reaches
{
	my ($session, $id) = @_;
	for (1 .. 20_000) { return 1 if bound($session) > $id; sleep 0.02 }
	return 0;
}
{
	my $id = committed();
	sleep 2.3;
	value_of($main, 'SELECT 1');
	ok(reaches($on_standby, $id), 'standby: any transaction on the primary has it reach the last row');
	is(value_of($on_standby, 'SELECT count(*) FROM event WHERE id < id_settled()'), value_of($main, 'SELECT count(*) FROM event'),
	  'standby: the bound reaches all rows');
	my $reader = in_snapshot($standby);
	my $later = committed();
	sleep 2.3;
	value_of($main, 'SELECT 1');
	ok(reaches($on_standby, $later), 'standby: a new query reaches what came later');
	cmp_ok(bound($reader), '<=', $later, 'standby: an older snapshot does not');
	$reader->commit;

	# Beside transactions that run there.
	my $writer = writer_with(\my $open);
	value_of($main, 'SELECT 1'), sleep 0.3 for 1 .. 5;
	wait_for_replay($node, $standby);
	cmp_ok(bound($on_standby), '<=', $open, 'standby: a transaction of the primary holds back');
	my $before = in_snapshot($standby);
	$writer->commit;
	sleep 2.3;
	value_of($main, 'SELECT 1');
	ok(reaches($on_standby, $open), 'standby: a committed transaction of the primary holds nothing back');
	cmp_ok(bound($before), '<=', $open, 'standby: an older snapshot is still held back, though xmax is the same');
	committed();
	sleep 2.3;
	value_of($main, 'SELECT 1');
	wait_for_replay($node, $standby);
	cmp_ok(bound($before), '<=', $open, 'standby: an older snapshot stays behind when the bound has moved');

	# While IDs are drawn, each renewal says how far all is settled.
	$main->do('CREATE TABLE enough ()');
	$main->do(q{CREATE PROCEDURE draw_on() LANGUAGE plpgsql AS 'BEGIN WHILE NOT EXISTS (SELECT FROM enough) LOOP INSERT INTO event DEFAULT VALUES; COMMIT; PERFORM pg_sleep(0.01); END LOOP; END'});
	my $drawing = connect_to($node);
	$drawing->do('CALL draw_on()', { pg_async => DBD::Pg::PG_ASYNC() });
	my $early = committed();
	ok(reaches($on_standby, $early), 'standby: goes on while IDs are drawn');
	$main->do('INSERT INTO enough DEFAULT VALUES');
	$drawing->pg_result;

	# It answers nothing while the page cannot be read, and does not wait.
	my $owner = connect_to($node);
	$owner->begin_work;
	$owner->do('ALTER SEQUENCE idgen.horizon OWNER TO CURRENT_USER');
	$owner->do('SELECT pg_switch_wal()');
	wait_for_replay($node, $standby);
	is(value_of($on_standby, 'SELECT id_settled()'), undef, 'standby: the horizon is locked: not known');
	$owner->rollback;
	committed();
	wait_for_replay($node, $standby);
	ok(value_of($on_standby, 'SELECT id_settled()') > 0, 'standby: the bound is known again');
}

# The primary starts again before it has told of the last ID, and nobody asks or draws there any more. The clock stands still
# meanwhile: two seconds after the ID it would tell.
{
	my $second = 1 + time;
	freeze_clock($node, $second);
	my $id = value_of($main, $insert);
	freeze_clock($node, $second + 1);
	$node->restart;
	wait_for_replay($node, $standby);
	$main = connect_to($node);
	value_of($main, 'SELECT 1');
	cmp_ok(bound($on_standby), '<=', $id, 'standby: its primary starts again: the last row is not settled');
	set_clock($node, '+0');
	wait_until_true($node, 'EXISTS (SELECT FROM pg_stat_replication)');
	sleep 2.3;
	value_of(connect_to($node), 'SELECT 1');
	ok(reaches($on_standby, $id), 'standby: the next session there has it reach the last row');
}

# What its synchronous standbys do not have yet is not durable: it settles nothing after a start.
{
	my $id = committed();
	set_for_server($main, 'synchronous_standby_names', 'nobody');
	$node->restart;
	$main = connect_to($node);
	sleep 2.3;
	cmp_ok(bound($main), '<=', $id, 'without its synchronous standbys a primary that starts settles nothing more');
	set_for_server($main, 'synchronous_standby_names', '');
	ok(reaches($main, $id), 'without synchronous standbys set, a primary that starts settles more');
	wait_until_true($node, 'EXISTS (SELECT FROM pg_stat_replication)');
}

# A reset takes answers back, on the standby, too.
{
	my $reached = bound($main);
	my $at = value_of($main, "SELECT id_time(?) - interval '1 s'", $reached);
	$main->do('SELECT idgen.reset(?, force => true)', undef, $at);
	cmp_ok(bound($main), '<', $reached, 'a reset takes answers back');
	wait_for_replay($node, $standby);
	cmp_ok(bound($on_standby), '<=', value_of($main, 'SELECT id_min(?)', $at), 'standby: a reset takes answers back');
	my $snapshot = in_snapshot($node);
	committed();
	cmp_ok(bound($snapshot), '<=', value_of($main, 'SELECT min(id) FROM event WHERE id_time(id) >= ?', $at),
	  'a reset: an older snapshot gets the lower bound, too');
	$snapshot->commit;
}

# A standby of a standby, and a promotion: with a transaction there that began before, and one of the primary that is
# prepared.
my $reached_before;
{
	my $id = committed();
	sleep 2.3;
	value_of($main, 'SELECT 1');
	ok(reaches($on_standby, $id), 'before the promotion: the standby has it all');
	my $prepared = connect_to($node);
	$prepared->begin_work;
	my $held = outlast(value_of($prepared, $insert));
	$prepared->do(q{PREPARE TRANSACTION 'held'});
	committed();
	sleep 2.3;
	value_of($main, 'SELECT 1');
	wait_for_replay($node, $standby);
	$reached_before = bound($on_standby);
	cmp_ok($reached_before, '<=', $held, 'a prepared transaction holds back readers of the standby');
	my $second = begin_standby($node, 'second', '+0', 'hot_standby = on');
	$second->append_conf('postgresql.conf', sprintf "primary_conninfo = '%s'", $standby->connstr =~ s/'/''/gr);
	$second->restart;
	wait_for_replay($node, $second);
	my $further = bound(connect_to($second));
	ok($further >= $reached_before && $further <= $held, 'a standby of the standby is told the same');
	$second->stop;
	my $position = bound($main);
	my $old = in_snapshot($standby);
	my $cursors = connect_to($standby);
	$cursors->begin_work;
	$cursors->do('DECLARE c CURSOR FOR SELECT id, id_settled() FROM event WHERE id + 0 < id_settled() ORDER BY id');
	my (undef, $bound) = $cursors->selectrow_array('FETCH c');
	wait_for_replay($node, $standby);
	crash($node);
	$standby->promote;
	my $new = connect_to($standby);
	is_deeply([ $new->selectrow_array('SELECT coalesce(id_settled(), 0) <= ?', undef, $held) ], [1],
		'promoted: it still does');
	$new->do(q{COMMIT PREPARED 'held'});
	my $first = value_of($new, $insert);
	cmp_ok($first, '>=', $reached_before, 'promoted: IDs go on above what was settled on the standby');
	cmp_ok($first, '>=', $position, 'promoted: IDs go on above what was settled on the former primary');
	sleep 0.001 until value_of($new, "SELECT id_time(?) + interval '2 ms' < clock_timestamp()", $first);
	cmp_ok(bound($new), '>', $first, 'promoted: readers go on');
	cmp_ok(bound($old), '<=', $held,
		'a transaction that began before the promotion: not past what its snapshot does not show');
	my $rows = $cursors->selectall_arrayref('FETCH ALL FROM c');
	is(scalar(grep { $_->[1] != $bound } @$rows), 0, 'a cursor that was opened before it keeps its answer');
	cmp_ok($rows->[-1][0], '<=', $held, 'a cursor opened before the promotion shows no row beyond its bound');
	is($new->selectrow_array('SELECT count(*) FROM event WHERE id < id_settled()'),
		value_of($new, 'SELECT count(*) FROM event'), 'promoted: nothing is lost');
}

# After a start, a reader that comes first is answered, though nothing is drawn.
{
	$node = $standby;
	my $last = value_of(connect_to($node), 'SELECT max(id) FROM event');
	$node->restart;
	$main = connect_to($node);
	outlast($last);
	ok(reaches($main, $last), 'after a restart: known before anything is drawn');
	is($main->selectrow_array(q{SELECT renewals FROM idgen.stat_database}), 0,
		'after a restart the bound is known without a renewal');
}

done_testing();
