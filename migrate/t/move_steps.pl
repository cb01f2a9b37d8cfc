# The move from uuid keys.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../test/t/lib";
use DBD::Pg qw(:async);
use IdgenNode;
use POSIX ();
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

# The move from uuid keys, step by step beside sessions that write, with the extension in a schema of its own and names
# that need quotes.
{
	my $node = start_node('migrate_uuid', extension => 0, conf => ["idgen.shards = '5'"]);
	my $session = connect_to($node);
	$session->do($_) for 'CREATE SCHEMA "id gen"', 'CREATE EXTENSION idgen SCHEMA "id gen"', 'CREATE EXTENSION idgen_migrate', 'CREATE SCHEMA "my app"', 'CREATE ROLE "the owner" LOGIN',
	  'CREATE ROLE inserter LOGIN', 'GRANT ALL ON SCHEMA "my app" TO "the owner"', 'GRANT USAGE ON SCHEMA "my app" TO inserter',
	  'GRANT USAGE ON SCHEMA "id gen" TO "the owner", inserter';
	my $owner = connect_to($node, user => 'the owner');
	$owner->do($_)
	  for 'SET search_path = "my app"',
	  'CREATE TABLE "Node" (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), made timestamptz NOT NULL DEFAULT clock_timestamp(), "Up" uuid REFERENCES "Node" ON DELETE SET NULL, n int)',
	  'CREATE TABLE leaf (key bigserial PRIMARY KEY, node uuid NOT NULL REFERENCES "Node" ON DELETE CASCADE, other uuid REFERENCES "Node")',
	  q{INSERT INTO "Node" (made, n) SELECT '2020-01-01'::timestamptz + n * interval '1 s', n FROM generate_series(1, 5000) n},
	  'UPDATE "Node" a SET "Up" = b.id FROM "Node" b WHERE b.n = a.n / 2',
	  'INSERT INTO leaf (node, other) SELECT a.id, a."Up" FROM "Node" a, generate_series(1, 3)',
	  'CREATE FUNCTION seen() RETURNS boolean LANGUAGE sql AS $$ SELECT true $$',
	  'CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM seen(); RETURN NEW; END $$',
	  'CREATE TRIGGER looks BEFORE UPDATE ON leaf FOR EACH ROW EXECUTE FUNCTION look()',
	  'CREATE TRIGGER looks BEFORE UPDATE ON "Node" FOR EACH ROW EXECUTE FUNCTION look()',
	  'GRANT SELECT (key), INSERT ON leaf TO inserter', 'GRANT USAGE ON SEQUENCE leaf_key_seq TO inserter', 'ANALYZE';
	my ($some) = $owner->selectrow_array('SELECT id FROM "Node" WHERE n = 17');

	# Sessions that write all the time: rows of both tables, references moved, rows deleted. They may deadlock with one
	# another and with a batch, as sessions that lock several rows do; any other error is a failure. None refers to the row
	# 17, which is deleted at last.
	my $stop = $node->basedir . '/stop';
	my @writers;
	for my $number (1 .. 2)
	{
		my $writer = fork // die "fork: $!";
		if ($writer == 0)
		{
			my $turns = 0;
			my $done = eval {
				my $own = connect_to($node, user => 'the owner');
				$own->do('SET search_path = "my app"');
				while (!-e $stop)
				{
					$turns++;
					next if eval {
						my $n = 10_000 + 10 * $turns + $number;
						$own->do('INSERT INTO "Node" (n, "Up") SELECT ?, id FROM "Node" WHERE n = ?', undef, $n, 18 + $turns % 100);
						$own->do('INSERT INTO leaf (node, other) SELECT id, "Up" FROM "Node" WHERE n IN (?, ?)', undef, $n, 101 + $turns % 4000);
						$own->do('UPDATE leaf SET other = (SELECT id FROM "Node" WHERE n = ?) WHERE key = ?', undef, 1 + $turns % 5 * 9, $turns * 7 % 15000);
						$own->do('DELETE FROM "Node" WHERE n = ? AND NOT EXISTS (SELECT FROM leaf WHERE other = "Node".id)', undef, 4000 + 2 * $turns + $number) if $turns < 300;
						sleep 0.002;
						1;
					};
					die $@ unless $own->state eq '40P01';
				}
				1;
			};
			append_to_file("$stop.why", "turn $turns: $@") unless $done;
			POSIX::_exit($done ? 0 : 1);
		}
		push @writers, $writer;
	}

	my $started;

	# References agree by both columns, both keys are unique, new rows have both.
	sub is_whole
	{
		my ($step, $is_linked) = @_;
		my $count = sub { return value_of($owner, @_) };
		is($count->('SELECT count(*) - count(DISTINCT id) FROM "Node"'), 0, "$step: the uuid is unique");
		is($count->('SELECT count("New") - count(DISTINCT "New") FROM "Node"'), 0, "$step: the ID is unique");
		is($count->(qq{SELECT count(*) FROM "Node" WHERE made > '$started' AND "New" IS NULL}), 0,
			"$step: new rows have both keys");
		for ([ leaf => 'node', 'node_New' ], [ leaf => 'other', 'other_New' ], [ '"Node"', '"Up"', 'Up_New' ])
		{
			my ($table, $uuid, $id) = @$_;
			is($count->(qq{SELECT count(*) FROM $table c LEFT JOIN "Node" p ON p.id = c.$uuid WHERE c."$id" IS NOT NULL AND p."New" IS DISTINCT FROM c."$id"}),
				0, "$step: $table, $uuid: both references say the same");
			is($count->(qq{SELECT count(*) FROM $table WHERE ($uuid IS NULL) <> ("$id" IS NULL)}), 0,
				"$step: $table, $uuid: none is missing") if $is_linked;
		}
		return;
	}

	my $of = q{'"my app"."Node"', 'New'};
	$owner->do("CALL idgen_migrate.uuid_start($of, lock_wait => '1 s')");
	$started = value_of($owner, 'SELECT clock_timestamp()');
	sleep 0.2;
	is_whole('started', 0);
	$owner->do('CREATE UNIQUE INDEX CONCURRENTLY ON "Node" ("New")');
	$owner->do('CREATE UNIQUE INDEX CONCURRENTLY ON "Node" (id)');
	$owner->do("CALL idgen_migrate.backfill($of, 'made', 7, batch => 300)");
	is_whole('filled', 0);
	is(value_of($owner, 'UPDATE leaf SET key = key WHERE key = 8 RETURNING "node_New" IS NOT NULL'), 1,
		'filled: an update brings the reference');
	is(value_of($owner, 'SELECT count(*) FROM (SELECT "New", lag("New") OVER (ORDER BY made, id) AS before FROM "Node" WHERE n <= 5000) o WHERE "New" <= before'),
		0, 'filled: in the order of time');
	my $inserter = connect_to($node, user => 'inserter');
	is(value_of($inserter, qq{INSERT INTO "my app".leaf (node) VALUES ('$some') RETURNING key > 0}), 1,
		'a role that may only insert inserts');
	$owner->do("CALL idgen_migrate.uuid_link($of, batch => 700, lock_wait => '1 s')");
	is_whole('linked', 1);
	is(value_of($inserter, qq{INSERT INTO "my app".leaf (node) VALUES ('$some') RETURNING key > 0}), 1,
		'linked: it still does');
	$owner->do("CALL idgen_migrate.uuid_switch($of, lock_wait => '1 s')");
	is_whole('switched', 1);
	sleep 0.3;
	is_whole('switched, later', 1);

	# Both ways of referencing work now; what is wrong is refused.
	my ($id) = $owner->selectrow_array('SELECT "New" FROM "Node" WHERE n = 17');
	is(value_of($owner, qq{INSERT INTO leaf ("node_New") VALUES ($id) RETURNING node}), $some,
		'switched: a reference by the ID brings the uuid');
	is(value_of($owner, qq{INSERT INTO leaf (node) VALUES ('$some') RETURNING "node_New"}), $id,
		'switched: a reference by the uuid brings the ID');
	fails_with($owner, q{INSERT INTO leaf (node) VALUES (gen_random_uuid())}, '23502', qr/node_New/,
		'switched: a uuid that is not there');
	fails_with($owner, q{INSERT INTO leaf ("node_New") VALUES (1)}, '23502', qr/"node"/,
		'switched: an ID that is not there');
	is(value_of($owner, qq{SELECT string_agg(conname::text || contype::text, ' ' ORDER BY conname) FROM pg_constraint WHERE conrelid = '"Node"'::regclass AND contype IN ('p', 'u')}),
		'Node_id_idxu Node_pkeyp', 'switched: primary key and unique key');
	is(value_of($owner, q{SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND confrelid = '"Node"'::regclass}), 3,
		'switched: three foreign keys, as before');
	$owner->do('UPDATE leaf SET other = NULL WHERE other = ?', undef, $some);
	$owner->do('DELETE FROM "Node" WHERE n = 17');
	is(value_of($owner, q{SELECT count(*) FROM leaf WHERE node = ?}, $some), 0, 'switched: ON DELETE CASCADE');
	is(value_of($owner, q{SELECT count(*) FROM "Node" WHERE "Up" = ? OR "Up_New" = ?}, $some, $id), 0,
		'switched: ON DELETE SET NULL, both columns');

	open my $flag, '>', $stop or die $!;
	close $flag;
	my $broken = 0;
	for (@writers) { waitpid $_, 0; $broken++ if $? }
	is($broken, 0, 'no writer failed at any step') or diag(slurp_file("$stop.why"));
	is_whole('at rest', 1);
	$owner->do("CALL idgen_migrate.uuid_finish($of)");
	is(value_of($owner, q{SELECT count(*) FROM pg_trigger WHERE tgname ~ 'idgen'}), 0, 'finished: no trigger is left');
	is(value_of($owner, q{SELECT count(*) FROM pg_proc WHERE proname LIKE 'idgen_sync%'}), 0,
		'finished: no function is left');
	is(value_of($owner, qq{SELECT string_agg(DISTINCT state, ' ') FROM idgen_migrate.progress}), 'done',
		'finished: the view says so');

	# A database restored in the middle of a move: started again, it goes on.
	$owner->do($_) for 'CREATE TABLE thing (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), made timestamptz DEFAULT clock_timestamp())',
	  'CREATE TABLE part (thing uuid REFERENCES thing)', 'INSERT INTO thing SELECT FROM generate_series(1, 10)', 'INSERT INTO part SELECT id FROM thing';
	$owner->do("CALL idgen_migrate.uuid_start('thing', 'new')");
	my $file = PostgreSQL::Test::Utils::tempdir . '/dump';
	$node->command_ok([ 'pg_dump', '-f', $file, 'postgres' ], 'dumped in the middle');
	$node->safe_psql('postgres', 'CREATE DATABASE restored');
	$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $file, 'restored' ], 'restored');
	my ($status, $out, $error) = $node->psql('restored', <<'SQL', on_error_stop => 1, extra_params => [ '-U', 'the owner' ]);
SET client_min_messages = warning;
SET search_path = "my app";
CALL idgen_migrate.uuid_start('thing', 'new');
CREATE UNIQUE INDEX ON thing (new);
CREATE UNIQUE INDEX ON thing (id);
CALL idgen_migrate.backfill('thing', 'new', 'made', 7);
CALL idgen_migrate.uuid_link('thing', 'new');
CALL idgen_migrate.uuid_switch('thing', 'new');
CALL idgen_migrate.uuid_finish('thing', 'new');
SELECT count(*), (SELECT count(*) FROM pg_trigger WHERE tgname ~ 'idgen'), (SELECT count(*) FROM pg_proc WHERE proname LIKE 'idgen_sync%')
  FROM part JOIN thing ON thing.new = part.thing_new AND thing.id = part.thing;
SQL
	is($error, '', 'restored: no error');
	is($out, '10|0|0', 'restored: moved, and no helper is left');

	# Only the owner sees the move, and the extension goes when it is done: the tables work as ever.
	is(value_of($inserter, 'SELECT count(*) FROM idgen_migrate.progress'), 0, 'others do not see it');
	$owner->do("CALL idgen_migrate.uuid_abandon('thing', 'new')");
	$session->do($_) for 'DROP EXTENSION idgen_migrate', 'DROP SCHEMA idgen_migrate';
	my ($made) = $owner->selectrow_array('INSERT INTO "Node" (n) VALUES (-1) RETURNING "New"');
	is(value_of($owner, 'INSERT INTO leaf (node, "node_New") SELECT id, "New" FROM "Node" WHERE n = -1 RETURNING "node_New"'),
		$made, 'dropped: rows are inserted');
	fails_with($owner, 'INSERT INTO leaf ("node_New") VALUES (1)', '23503', qr/foreign key/,
		'dropped: a reference that is none');
	is(value_of($owner, 'DELETE FROM "Node" WHERE n = -1 RETURNING n'), -1, 'dropped: rows are deleted');
	is(value_of($owner, "SELECT count(*) FROM leaf WHERE \"node_New\" = $made"), 0, 'dropped: with what references them');

	# pgEdge's snowflakes: one that its manual shows, of before its version 1.2, and one as 1.2 and later pack it,
	# milliseconds of 2023 << 22 | node << 12 | count.
	sub decoded
	{
		my ($id, $layout) = @_;
		return $node->safe_psql('postgres', qq{SET timezone = 'UTC'; SELECT * FROM "id gen".id_decode($id, 'epoch=2023-01-01 unit=1ms time=41 $layout')});
	}
	is(decoded(135824609030176769, 'sequence=12 shard=10'), '2024-01-10 19:18:30.292+00|1|0',
		'pgEdge before 1.2: a number of its manual');
	is(decoded((32465339845 << 22) | (11 << 12) | 3, 'shard=10 sequence=12'), '2024-01-11 18:08:59.845+00|11|3',
		'pgEdge since 1.2');
	like(slurp_file("$FindBin::Bin/../../docs/migration.md"), qr/epoch=2023-01-01 unit=1ms time=41 shard=10 sequence=12/,
	  'docs/migration.md has the long form of these IDs');

	$_->disconnect for $session, $owner, $inserter;
}

# The move from uuid keys, killed half-way at every step: what is there is whole, and the step called again goes on.
{
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
	sub is_whole_tree
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
			is_whole_tree("$step, killed after $round rounds") if $step ne 'idgen_migrate.uuid_start';
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
	is_whole_tree('a late row');

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
	is_whole_tree('kill -9 of the postmaster');
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
	is_whole_tree('the switch, killed');
	call_killed(q{idgen_migrate.uuid_switch('folder', 'new')}, q{SELECT step = 'linked' FROM idgen_migrate.progress WHERE kind = 'uuid'});
	like(value_of($session, $shape), qr/folder folder_pkey PRIMARY KEY \(new\)/, 'switched: the ID is the primary key');
	is_whole_tree('switched');
	call_killed(q{idgen_migrate.uuid_finish('folder', 'new')}, q{SELECT step = 'switched' FROM idgen_migrate.progress WHERE kind = 'uuid'});
	is(value_of($session, q{SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal}), 0, 'finished: no trigger is left');
	is(value_of($session, q{SELECT string_agg(DISTINCT state, ' ') FROM idgen_migrate.progress}), 'done',
		'finished: the view says so');

	# What has come while a step tried to get its locks counts, too: a reference, and the switch itself.
	$session->do($_) for 'CREATE TABLE p (id int PRIMARY KEY, made timestamptz DEFAULT now())', 'CREATE TABLE q (p_id int REFERENCES p)', 'INSERT INTO p VALUES (1)',
	  q{CALL idgen_migrate.uuid_start('p', 'new')}, 'CREATE UNIQUE INDEX ON p (new)', 'CREATE UNIQUE INDEX ON p (id)',
	  q{CALL idgen_migrate.backfill('p', 'new', NULL, idgen.own_shards())}, q{CALL idgen_migrate.uuid_link('p', 'new')};
	$reader->begin_work;
	value_of($reader, 'SELECT count(*) FROM q');
	my ($switcher) = begin_call(q{idgen_migrate.uuid_switch('p', 'new', lock_wait => '300 ms', attempts => 100)});
	wait_until($session, q{SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'q'::regclass AND NOT granted)});
	$session->do($_) for 'CREATE TABLE late (p_id int REFERENCES p)', 'INSERT INTO late VALUES (1)';
	$reader->commit;
	ok(!succeeds($switcher), 'a reference that has come: the switch does not lose it');
	like($switcher->errstr, qr/foreign key late_p_id_fkey of public.late has no counterpart yet/, 'a reference that has come: it says so');
	$session->do($_) for q{CALL idgen_migrate.uuid_start('p', 'new')}, q{CALL idgen_migrate.uuid_link('p', 'new')};
	$reader->begin_work;
	value_of($reader, 'SELECT count(*) FROM q');
	my ($abandoner) = begin_call(q{idgen_migrate.uuid_abandon('p', 'new', lock_wait => '1 s', attempts => 100)});
	wait_until($session, q{SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'q'::regclass AND NOT granted)});
	($switcher, $pid) = begin_call(q{idgen_migrate.uuid_switch('p', 'new', lock_wait => '1 min')});
	wait_until($session, "SELECT EXISTS (SELECT FROM pg_locks WHERE pid = $pid AND relation = 'q'::regclass AND NOT granted)");
	$reader->commit;
	ok(succeeds($switcher), 'a switch beside an abandon') or diag($switcher->errstr);
	ok(!succeeds($abandoner), 'an abandon that waited meanwhile drops nothing');
	like($abandoner->errstr, qr/the move of public.p to new is (switched|not started)/, 'and says why');
	is(value_of($session, 'SELECT count(*) FROM q JOIN late USING (p_id_new) RIGHT JOIN p ON p.new = p_id_new'), 1, 'all is there');

	$_->disconnect for $session, $reader, $late;
}

done_testing();
