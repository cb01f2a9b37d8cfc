# The backfill of a table that is in use: killed and resumed, cancelled, beside sessions that insert, update and delete.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../test/t/lib";
use DBD::Pg qw(:async);
use IdgenNode;
use Test::More;
use POSIX ();
use Time::HiRes qw(sleep);

my $node = start_node('migrate', conf => [ "idgen.shards = '5'", 'autovacuum = off', 'restart_after_crash = on' ]);
$node->safe_psql('postgres', 'CREATE EXTENSION idgen_migrate');
my $rows = 60_000;

# A table whose rows have times in no order of the heap, many of them in one millisecond, and no IDs.
sub make_table
{
	my ($session, $name) = @_;
	$session->do($_)
	  for "CREATE TABLE $name (key bigint PRIMARY KEY, id bigint, made timestamptz NOT NULL, note text)",
	  "INSERT INTO $name SELECT n, NULL, '2020-01-01'::timestamptz + n * 7919 % $rows / 2000 * interval '1 ms', 'old' FROM generate_series(1, $rows) n",
	  "CREATE UNIQUE INDEX ON $name (id)", "ALTER TABLE $name ALTER id SET DEFAULT next_id()";
	return;
}

# The rows of before have distinct IDs in the order of time and key.
sub is_filled
{
	my ($session, $name, $what) = @_;
	is(value_of($session, "SELECT count(*) - count(DISTINCT id) FROM $name"), 0,
		"$what: every row has an ID, none twice");
	is( value_of($session, "SELECT count(*) FROM (SELECT id, lag(id) OVER (ORDER BY made, key) AS before FROM $name WHERE note = 'old') o WHERE id <= before"),
		0, "$what: in the order of time");
	return;
}

# Begins a backfill in a session of its own, slow enough to be met, and waits until some batches are done.
sub begin_backfill
{
	my ($session, $name, $more) = @_;
	my $filler = connect_to($node);
	my $pid = value_of($filler, 'SELECT pg_backend_pid()');
	$filler->do("CALL idgen_migrate.backfill('$name', 'id', 'made', 7, batch => 500, pause => '5 ms'$more)", { pg_async => PG_ASYNC });
	wait_until($session, "SELECT count(id) >= 3000 FROM $name");
	return ($filler, $pid);
}

sub connect_again
{
	for (1 .. 20_000)
	{
		my $session = eval { connect_to($node) };
		return $session if $session && eval { value_of($session, 'SELECT 1') };
		sleep 0.01;
	}
	die 'the server does not come back';
}

# What is done, as the table itself and as the view have it.
sub filled_so_far
{
	my ($session, $name) = @_;
	my ($count, $done, $state) = (value_of($session, "SELECT count(id) FROM $name"),
		$session->selectrow_array("SELECT rows_done, state FROM idgen_migrate.progress WHERE relation = '$name'::regclass"));
	is($done, $count, "$name: the view counts what is committed");
	return ($count, $state);
}

my $session = connect_to($node);

# kill -9 of the backend, of the postmaster, a cancel: the next call goes on.
make_table($session, 'killed');
my (undef, $pid) = begin_backfill($session, 'killed', '');
kill 'KILL', $pid;
sleep 0.01 while eval { value_of($session, 'SELECT 1') };
$session = connect_again();
my ($count, $state) = filled_so_far($session, 'killed');
ok($count >= 3000 && $count < $rows && $count % 500 == 0, "kill -9 of the backend: $count rows are filled");
is($state, 'stopped', 'kill -9 of the backend: stopped');
my $first_ids = $session->selectall_hashref('SELECT key, id FROM killed WHERE id IS NOT NULL', 'key');
begin_backfill($session, 'killed', '');
wait_until($session, "SELECT count(id) > $count + 1000 FROM killed");
crash($node);
start_again($node);
$session = connect_to($node);
my ($later) = filled_so_far($session, 'killed');
ok($later > $count && $later < $rows, "kill -9 of the postmaster: $later rows are filled");
my ($filler, $cancelled) = begin_backfill($session, 'killed', '');
wait_until($session, "SELECT count(id) > $later + 1000 FROM killed");
is(value_of($session, "SELECT state FROM idgen_migrate.progress WHERE relation = 'killed'::regclass"), 'running',
	'the view says that it runs');
$session->do('SELECT pg_cancel_backend(?)', undef, $cancelled);
ok(!succeeds($filler), 'a cancel ends it');
is($filler->state, '57014', 'a cancel: SQLSTATE');
filled_so_far($session, 'killed');

# The last ID of a batch is deleted meanwhile: it is not made again.
my $gone = value_of($session, 'SELECT max(id) FROM killed');
my ($gone_key) = $session->selectrow_array('DELETE FROM killed WHERE id = ? RETURNING key', undef, $gone);
my @notices;
{
	local $SIG{__WARN__} = sub { push @notices, @_ };
	$session->do("CALL idgen_migrate.backfill('killed', 'id', 'made', 7, batch => 500, notice => '1 ms')");
}
cmp_ok(scalar(grep { /killed\.id: \d+ of about \d+ rows have an ID/ } @notices), '>', 1, 'NOTICEs show how far it is');
is_filled($session, 'killed', 'killed and resumed');
is(value_of($session, "SELECT count(*) FROM killed WHERE id = $gone"), 0,
	'killed and resumed: the ID of a deleted row is not made again');
my $kept = 0;
for my $row (values %$first_ids)
{
	$kept++ if $row->{key} == $gone_key || value_of($session, "SELECT id FROM killed WHERE key = $row->{key}") == $row->{id};
}
is($kept, scalar keys %$first_ids, 'killed and resumed: no ID has changed');
is(value_of($session, "SELECT rows_done || state FROM idgen_migrate.progress WHERE relation = 'killed'::regclass"),
	"${rows}done", 'the view: all done');

# Others insert with and without a default, with the shard of the backfill, update and delete all the time.
make_table($session, 'busy');
my @writers;
for my $number (1 .. 3)
{
	my $writer = fork // die "fork: $!";
	if ($writer == 0)
	{
		my $done = eval {
			my $own = connect_to($node);
			srand $number;
			for my $turn (1 .. 400)
			{
				$own->do("INSERT INTO busy (key, made, note) VALUES ($rows + $turn * 10 + $number, clock_timestamp(), 'new')");
				$own->do("INSERT INTO busy VALUES (-$turn * 10 - $number, NULL, '2020-01-01'::timestamptz + $turn % 30 * interval '1 ms', 'late')");
				$own->do(sprintf "UPDATE busy SET note = note WHERE key = %d", 1 + int rand $rows) for 1 .. 3;
				$own->do("UPDATE busy SET made = made - interval '1 day', note = 'moved' WHERE key = $turn * 100 + $number AND id IS NULL");
				$own->do("DELETE FROM busy WHERE key = $turn * 100 + 10 + $number");
				$own->do("INSERT INTO busy VALUES (100000000 + $turn * 10 + $number, id_make('2020-01-01'::timestamptz + (30 + $turn % 60) * interval '1 ms', 7, $number * 300 + $turn / 60), '2030-01-01', 'given') ON CONFLICT DO NOTHING");
			}
			1;
		};
		warn $@ unless $done;
		POSIX::_exit($done ? 0 : 1);
	}
	push @writers, $writer;
}
($filler) = begin_backfill($session, 'busy', '');
my $is_done = succeeds($filler);
ok($is_done, 'beside writers: it ends well') or diag($filler->errstr);
my $broken = 0;
for (@writers) { waitpid $_, 0; $broken++ if $? }
is($broken, 0, 'beside writers: none of them failed');
$session->do("CALL idgen_migrate.backfill('busy', 'id', 'made', 7)");
is_filled($session, 'busy', 'beside writers');
is(value_of($session, "SELECT count(*) FROM busy WHERE note = 'late'"), 1200,
	'beside writers: rows without an ID that came meanwhile are there');
is( value_of($session, "SELECT count(*) FROM busy WHERE note IN ('late', 'moved') AND NOT id_time(id) - made BETWEEN '0' AND '100 ms'"),
	0, 'beside writers: rows that came or moved meanwhile have IDs of their own times');
is( value_of($session, "SELECT max(id) FILTER (WHERE note = 'old') < min(id) FILTER (WHERE note = 'new') FROM busy"),
	1, 'beside writers: new rows are above all old ones');

# A row moves after it was ranked, and another of the same time comes to lie where it was: each keeps its place in the order. The
# backfill waits for rows of another page meanwhile: what it holds is not vacuumed.
$session->do($_)
  for 'CREATE TABLE places (key bigint PRIMARY KEY, id bigint UNIQUE, made timestamptz, note text) WITH (fillfactor = 10)', 'CREATE INDEX ON places (note)',
  q{INSERT INTO places SELECT n, NULL, '2020-01-01', 'old' FROM generate_series(1, 30) n};
my ($first_lock, $second_lock) = map { connect_to($node) } 1 .. 2;
sub lock_row { my ($own, $key) = @_; $own->begin_work; return $own->do("SELECT FROM places WHERE key = $key FOR UPDATE") }
sub wait_for_row { return wait_until($session, "SELECT EXISTS (SELECT FROM pg_locks WHERE pid = $_[0]{pg_pid} AND NOT granted)") }
lock_row($first_lock, 1);
$filler = connect_to($node);
$filler->do(q{CALL idgen_migrate.backfill('places', 'id', 'made', 7, batch => 1)}, { pg_async => PG_ASYNC });
wait_for_row($filler);
my $place = value_of($session, 'SELECT ctid FROM places WHERE key = 20');
$session->do(q{UPDATE places SET note = 'moved' WHERE key = 20});
lock_row($second_lock, 2);
$first_lock->rollback;
wait_until($session, 'SELECT id IS NOT NULL FROM places WHERE key = 1');
wait_for_row($filler);
$session->do('VACUUM (INDEX_CLEANUP on) places');
$session->do(q{UPDATE places SET note = 'moved' WHERE key = 25});
is(value_of($session, 'SELECT ctid FROM places WHERE key = 25'), $place, 'a place: another row lies there');
$second_lock->rollback;
ok(succeeds($filler), 'a place: the backfill ends');
is(value_of($session, 'SELECT count(*) FROM (SELECT key, row_number() OVER (ORDER BY id) AS place FROM places) p WHERE key <> place'), 0, 'a place: each row keeps its own');

# Under a stricter level a row that has changed ends the call, and the next call goes on.
make_table($session, 'strict');
$session->do($_) for 'CREATE ROLE strict LOGIN', 'ALTER TABLE strict OWNER TO strict';
my $holder = connect_to($node);
$holder->begin_work;
$holder->do("UPDATE strict SET note = note WHERE made = (SELECT max(made) FROM strict)");
$filler = connect_to($node, user => 'strict');
$filler->do("SET default_transaction_isolation = 'repeatable read'");
$filler->do("CALL idgen_migrate.backfill('strict', 'id', 'made', 7)", { pg_async => PG_ASYNC });
wait_until($session,
	"SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%strict%')");
$holder->commit;
ok(!succeeds($filler), 'repeatable read: a row that has changed ends it');
is($filler->state, '40001', 'repeatable read: SQLSTATE');
$filler->do("CALL idgen_migrate.backfill('strict', 'id', 'made', 7)");
is_filled($session, 'strict', 'repeatable read');

# Two at once: the later one goes on, the earlier one ends.
make_table($session, 'twice');
($filler) = begin_backfill($session, 'twice', '');
$session->do("CALL idgen_migrate.backfill('twice', 'id', 'made', 7, batch => 500)");
ok(!succeeds($filler), 'two at once: the earlier one ends');
is($filler->state, '55006', 'two at once: SQLSTATE');
is_filled($session, 'twice', 'two at once');

# Rows among many that have IDs: order, and nothing twice, also if batches are large.
make_table($session, 'holes');
$session->do("CALL idgen_migrate.backfill('holes', 'id', 'made', 7)");
$session->do('CREATE TABLE before AS SELECT key, id FROM holes');
$session->do('UPDATE holes SET id = NULL WHERE key % 10 = 0');
$session->do("CALL idgen_migrate.backfill('holes', 'id', 'made', 7)");
is(value_of($session, 'SELECT count(*) - count(DISTINCT id) FROM holes'), 0, 'holes: filled, none twice');
is(value_of($session, 'SELECT count(*) FROM holes JOIN before USING (key) WHERE key % 10 <> 0 AND holes.id <> before.id'),
	0, 'holes: no other ID has changed');

# A row has come to lie where another of the same time lay when they were ranked: it takes the place of that one, which
# gets another. The two are ranked last, and lie first in the page, so that what comes next lies there once VACUUM has
# been there.
$session->do($_)
  for 'CREATE TABLE swapped (key bigint PRIMARY KEY, id bigint UNIQUE, made timestamptz)',
  "INSERT INTO swapped SELECT n, NULL, '2020-01-01'::timestamptz - n / 3 * interval '1 s' FROM generate_series(1, 100) n";
($filler, $pid) = (connect_to($node));
$pid = value_of($filler, 'SELECT pg_backend_pid()');

# Holds a row in a session of its own. Each hold begins before the one that the backfill waits for ends: so it has
# ranked when the two rows go, and stands in a later transaction, with no page of the table in use, when VACUUM takes
# them away.
sub hold
{
	my ($row) = @_;
	my $own = connect_to($node);
	$own->begin_work;
	$own->do("SELECT FROM $row FOR UPDATE");
	return $own;
}
my $is_held = "SELECT EXISTS (SELECT FROM pg_locks WHERE pid = $pid AND NOT granted)";
my $in_first = hold('swapped WHERE key = 95');
$filler->do("CALL idgen_migrate.backfill('swapped', 'id', 'made', 7, batch => 10)", { pg_async => PG_ASYNC });
wait_until($session, $is_held);
$session->do('DELETE FROM swapped WHERE key IN (1, 2)');
my $in_third = hold('swapped WHERE key = 75');
$in_first->commit;
wait_until($session, "$is_held AND (SELECT count(id) = 20 FROM swapped)");
my $in_state = hold("idgen_migrate.job WHERE relation = 'swapped'::regclass");
$in_third->commit;
wait_until($session, "SELECT EXISTS (SELECT FROM pg_stat_activity a JOIN pg_locks l USING (pid) WHERE pid = $pid AND NOT granted AND pg_blocking_pids(pid) = ARRAY[$in_state->{pg_pid}])");
$session->do('VACUUM swapped');
my @places = map { value_of($session, "INSERT INTO swapped VALUES ($_) RETURNING ctid") }
  "2, NULL, '2020-01-01'", "1000, NULL, '2021-01-01'", "1, NULL, '2020-01-01'";
is($places[0], '(0,1)', 'rows that have moved: the second lies where the first lay');
is($places[1], '(0,2)', 'rows that have moved: where the second lay is one of another time');
$in_state->commit;
ok(succeeds($filler), 'rows that have moved: it ends well') or diag($filler->errstr);
is(value_of($session, 'SELECT count(*) - count(DISTINCT id) FROM swapped'), 0,
	'rows that have moved: every row has an ID, none twice');
is(value_of($session, "SELECT count(*) FROM swapped WHERE NOT id_time(id) - made BETWEEN '0' AND '100 ms'"), 0,
	'rows that have moved: each of its own time');

# IDs that would reach the present are refused, and nothing of that batch is kept.
$session->do($_)
  for 'CREATE TABLE crowd (id bigint UNIQUE, made timestamptz)',
  "INSERT INTO crowd SELECT NULL, now() - interval '3 s' FROM generate_series(1, 3000) n";
fails_with($session, "CALL idgen_migrate.backfill('crowd', 'id', 'made', 1, layout => 'epoch=2020-01-01 unit=1s time=32 shard=1 sequence=4')",
	'55000', qr/their IDs would reach the present/, 'more rows than ticks until now');
is(value_of($session, 'SELECT count(id) FROM crowd'), 0, 'more rows than ticks until now: none filled');

# A serial that is in use: the lock is tried for, readers do not queue for long.
$session->do($_) for 'CREATE TABLE counted (id bigserial PRIMARY KEY, note text)', "INSERT INTO counted (note) SELECT 'old' FROM generate_series(1, 100)";
my $reader = connect_to($node);
$reader->begin_work;
$reader->do('SELECT count(*) FROM counted');
fails_with($session, "CALL idgen_migrate.replace_serial('counted', 'id', lock_wait => '50 ms', attempts => 3)", '55P03',
	qr/counted.* is in use/, 'a table in use');
is(value_of($session, "SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'counted'::regclass AND adnum = 1"),
	"nextval('counted_id_seq'::regclass)", 'a table in use: nothing has changed');
$session->do("CALL idgen_migrate.replace_serial('counted', 'id', lock_wait => '200 ms', attempts => 1000)", { pg_async => PG_ASYNC });
sleep 0.5;
$reader->commit;
$session->pg_result;
$session->do("INSERT INTO counted (note) SELECT 'new' FROM generate_series(1, 100)");
is(value_of($session, "SELECT max(id) FILTER (WHERE note = 'old') < min(id) FILTER (WHERE note = 'new') FROM counted"), 1,
  'a table that is free again: new IDs are larger');

$session->disconnect;
done_testing();
