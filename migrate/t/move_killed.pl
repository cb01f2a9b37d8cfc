# The move from uuid keys, killed half-way at every step: what is there is whole, and the step called again goes on.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../test/t/lib";
use DBD::Pg qw(:async);
use IdgenNode;
use Test::More;
use Time::HiRes qw(sleep);

my $node = start_node('migrate_killed', conf => [ "idgen.shards = '5'", 'autovacuum = off' ]);
$node->safe_psql('postgres', 'CREATE EXTENSION idgen_migrate');
my $session = connect_to($node);
my $folders = 3000;
$session->do($_)
  for 'CREATE TABLE folder (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), made timestamptz NOT NULL, up uuid REFERENCES folder ON DELETE SET NULL, n int UNIQUE)',
  'CREATE TABLE file (key bigserial PRIMARY KEY, folder uuid NOT NULL REFERENCES folder ON DELETE CASCADE, other uuid REFERENCES folder)',
  "INSERT INTO folder (made, n) SELECT '2020-01-01'::timestamptz + n * interval '1 s', n FROM generate_series(1, $folders) n",
  'UPDATE folder a SET up = b.id FROM folder b WHERE b.n = a.n / 2',
  'INSERT INTO file (folder, other) SELECT a.id, a.up FROM folder a, generate_series(1, 3)', 'ANALYZE';

# Both keys are unique, and if a reference has both columns, they say the same. Files and folders come and go as ever.
my $next = $folders;
sub is_whole
{
	my ($what) = @_;
	my @wrong = map { value_of($session, $_) } 'SELECT count(*) - count(DISTINCT id) FROM folder',
	  'SELECT count(new) - count(DISTINCT new) FROM folder',
	  'SELECT count(*) FROM file c JOIN folder p ON p.id = c.folder WHERE p.new <> c.folder_new',
	  'SELECT count(*) FROM file c JOIN folder p ON p.id = c.other WHERE p.new <> c.other_new',
	  'SELECT count(*) FROM folder c JOIN folder p ON p.id = c.up WHERE p.new <> c.up_new';
	is("@wrong", '0 0 0 0 0', "$what: keys are unique, references agree");
	$next++;
	$session->do("INSERT INTO folder (made, n, up) SELECT clock_timestamp(), $next, id FROM folder WHERE n = 5");
	$session->do("INSERT INTO file (folder, other) SELECT id, up FROM folder WHERE n IN ($next, 7)");
	$session->do('DELETE FROM folder WHERE n = ?', undef, $next - 3) if $next > $folders + 3;
	return;
}

# A call in a session of its own, and that session's process.
sub begin_call
{
	my ($call) = @_;
	my $caller = connect_to($node);
	$caller->do('SET client_min_messages = warning');
	my $pid = value_of($caller, 'SELECT pg_backend_pid()');
	$caller->do("CALL $call", { pg_async => PG_ASYNC });
	return ($caller, $pid);
}

# Waits until the process waits for a lock of that table, and kills it there.
sub kill_at_lock_of
{
	my ($table, $caller, $pid) = @_;
	wait_until($session,
		"SELECT EXISTS (SELECT FROM pg_locks WHERE pid = $pid AND relation = '$table'::regclass AND NOT granted)");
	$session->do("SELECT pg_terminate_backend($pid, 60000)");
	ok(!succeeds($caller), "killed while it waits for $table");
	return;
}

# Calls a step, killed later each time, until it ends by itself; or until nothing is left to do, if that is asked.
sub call_killed
{
	my ($call, $is_left) = @_;
	my ($step) = $call =~ /^([\w.]+)/;
	for my $round (0 .. 400)
	{
		my ($caller, $pid) = begin_call($call);
		# Rising ever faster, so that a slow machine too comes to the end.
		sleep 0.003 * $round * 1.01 ** $round;
		$session->do("SELECT pg_terminate_backend($pid, 60000)");
		my $is_done = succeeds($caller);
		return $round if $is_done;
		like($caller->state, qr/^(57P01|08006|08000|22000)$/,
			"$step, killed: the call ends by nothing else") or diag($caller->errstr);
		return $round if $is_left && !value_of($session, $is_left);
		is_whole("$step, killed after $round rounds") if $step ne 'idgen_migrate.uuid_start';
	}
	die "$call: it never ends";
}

# Abandoned half-way: everything is as it was.
my $shape = q{SELECT string_agg(c.conrelid::regclass || ' ' || c.conname || ' ' || pg_get_constraintdef(c.oid), E'\n' ORDER BY c.conrelid, c.conname)
  || (SELECT string_agg(attrelid::regclass || '.' || attname || attnotnull, E'\n' ORDER BY attrelid, attnum) FROM pg_attribute
       WHERE attrelid IN ('folder'::regclass, 'file'::regclass) AND attnum > 0 AND NOT attisdropped)
  || (SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal) || (SELECT count(*) FROM pg_proc WHERE proname LIKE 'idgen_sync%')
  FROM pg_constraint c WHERE conrelid IN ('folder'::regclass, 'file'::regclass)};
my $before = value_of($session, $shape);
my $start = q{idgen_migrate.uuid_start('folder', 'new')};
my $backfill = q{idgen_migrate.backfill('folder', 'new', 'made', 7, batch => 100)};
my $link = q{idgen_migrate.uuid_link('folder', 'new', batch => 200)};
my $unique = 'CREATE UNIQUE INDEX ON folder (new)';
call_killed($start);
$session->do($unique);
call_killed($backfill);
# The first batch must be full of rows: no pages of dead ones.
my $pack = 'VACUUM (FULL, ANALYZE) file';
$session->do($pack);
my ($linker, $pid) = begin_call(q{idgen_migrate.uuid_link('folder', 'new', batch => 1500, pause => '1 min')});
wait_until($session,
	q{SELECT EXISTS (SELECT FROM idgen_migrate.progress WHERE kind = 'reference' AND rows_done > 1000)});
$session->do("SELECT pg_terminate_backend($pid, 60000)");
is(value_of($session, q{SELECT string_agg(DISTINCT state, ' ') FROM idgen_migrate.progress WHERE rows_done > 1000 AND step = 'filling'}),
	'stopped', 'the view says that it stopped');
call_killed(q{idgen_migrate.uuid_abandon('folder', 'new')}, 'SELECT count(*) FROM idgen_migrate.progress');
is(value_of($session, $shape), $before, 'abandoned: everything is as it was');

# Once more, by kill -9 of the postmaster while rows are filled, then by kills at any moment.
$session->do("CALL $start");
$session->do($_) for $unique, 'CREATE UNIQUE INDEX ON folder (id)';

# A session that took its snapshot before the backfill sees no IDs. If it moves a row, the row is without its reference
# still, and lies elsewhere than when its page was looked at.
my $late = connect_to($node);
$late->begin_work;
$late->do('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
value_of($late, 'SELECT count(*) FROM file');
$session->do("CALL $backfill");
my $holder = connect_to($node);
$holder->begin_work;
$holder->do('SELECT FROM file WHERE key = 4000 FOR UPDATE');
($linker, $pid) = begin_call($link);
my $is_blocked = "EXISTS (SELECT FROM pg_locks WHERE pid = $pid AND NOT granted)";
wait_until($session, "SELECT $is_blocked");
my $filled = 'SELECT rows_done FROM idgen_migrate.progress WHERE id_column = \'folder_new\'';
my $so_far = value_of($session, $filled);
is(value_of($late, "UPDATE file SET other = other WHERE key = 8000 RETURNING folder_new IS NULL"), 1,
	'a late row: it has no reference');
$holder->commit;
wait_until($session, "SELECT $is_blocked AND ($filled) > $so_far");
$late->commit;
ok(succeeds($linker), 'a late row: the link ends well') or diag($linker->errstr);
is(value_of($session, 'SELECT count(*) FROM file WHERE (folder IS NULL) <> (folder_new IS NULL)'), 0,
	'a late row: it has got its reference');
is_whole('a late row');

$session->do(q{CALL idgen_migrate.uuid_abandon('folder', 'new')});
$session->do("CALL $start");
$session->do($unique);
$session->do("CALL $backfill");
$session->do($pack);
($linker, $pid) = begin_call(q{idgen_migrate.uuid_link('folder', 'new', batch => 1500, pause => '1 min')});
wait_until($session,
	q{SELECT EXISTS (SELECT FROM idgen_migrate.progress WHERE kind = 'reference' AND rows_done > 1000)});
crash($node);
start_again($node);
$session = connect_to($node);
$session->do('SET client_min_messages = warning');
is(value_of($session, q{SELECT rows_done = (SELECT count(folder_new) FROM file) FROM idgen_migrate.progress WHERE id_column = 'folder_new'}),
	1, 'kill -9 of the postmaster: the view counts what is committed');
is_whole('kill -9 of the postmaster');
call_killed($link);
is(value_of($session, 'SELECT count(*) FROM file WHERE folder_new IS NULL OR (other IS NULL) <> (other_new IS NULL)'),
	0, 'linked: none is missing');

# The switch has locked one table and waits for the other: killed, nothing of it is left.
my $linked = value_of($session, $shape);
my $reader = connect_to($node);
$reader->begin_work;
my ($last) = sort { value_of($session, "SELECT '$b'::regclass::oid") <=> value_of($session, "SELECT '$a'::regclass::oid") } qw(folder file);
value_of($reader, "SELECT count(*) FROM $last");
kill_at_lock_of($last, begin_call(q{idgen_migrate.uuid_switch('folder', 'new', lock_wait => '1 min')}));
is(value_of($session, $shape), $linked, 'the switch, killed: nothing has changed');
$reader->commit;
is_whole('the switch, killed');
call_killed(q{idgen_migrate.uuid_switch('folder', 'new')}, q{SELECT step = 'linked' FROM idgen_migrate.progress WHERE kind = 'uuid'});
like(value_of($session, $shape), qr/folder folder_pkey PRIMARY KEY \(new\)/, 'switched: the ID is the primary key');
is_whole('switched');
call_killed(q{idgen_migrate.uuid_finish('folder', 'new')}, q{SELECT step = 'switched' FROM idgen_migrate.progress WHERE kind = 'uuid'});
is(value_of($session, q{SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal}), 0, 'finished: no trigger is left');
is(value_of($session, q{SELECT string_agg(DISTINCT state, ' ') FROM idgen_migrate.progress}), 'done',
	'finished: the view says so');

$_->disconnect for $session, $reader, $late;
done_testing();
