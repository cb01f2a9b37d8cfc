# Ways from an ordinary role to another role's rights, each tried with the roles that it needs: none works. Mallory owns
# the database, so that the schema public is hers; the boss is a superuser; the victim is another ordinary role.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use DBD::Pg qw(:async);
use IdgenNode;
use IdgenTenant;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('attacks', extension => 0, conf => [ "idgen.shards = '5'", "idgen.keys = '1:" . '2b' x 16 . ",7:" . '7e' x 16 . "'" ]);
my $root = connect_to($node);
$root->do($_) for 'CREATE ROLE mallory LOGIN', 'CREATE ROLE victim LOGIN';
my ($boss, $mallory, $victim, $number);

# A database of Mallory's with a trap: any other role that calls it leaves its name in loot, and a superuser makes her
# one.
sub new_database
{
	my ($extension) = @_;
	$_->disconnect for grep { $_ } $boss, $mallory, $victim;
	my $name = 'app' . ++$number;
	$root->do("CREATE DATABASE $name OWNER mallory");
	($boss, $mallory, $victim) = (connect_to($node, db => $name), map { connect_to($node, db => $name, user => $_) } qw(mallory victim));
	$_->do('SET client_min_messages = error') for $boss, $mallory, $victim;
	$boss->do($_) for 'CREATE SCHEMA boss', 'CREATE SCHEMA home AUTHORIZATION victim', 'GRANT USAGE ON SCHEMA home TO PUBLIC';
	$mallory->do($_)
	  for 'CREATE SCHEMA evil', 'GRANT USAGE ON SCHEMA evil TO PUBLIC', 'CREATE TABLE evil.loot (who name)', 'GRANT INSERT ON evil.loot TO PUBLIC',
	  <<'SQL';
CREATE FUNCTION evil.trap() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF current_user <> 'mallory' THEN
        INSERT INTO evil.loot VALUES (current_user);
    END IF;
    RETURN true;
END
$$
SQL
	extend($boss) unless defined $extension && !$extension;
	return;
}

sub extend
{
	my ($who) = @_;
	$who->do($_) for 'CREATE EXTENSION idgen', 'CREATE EXTENSION idgen_migrate';
	return;
}

# A role does what may be refused.
sub try_all
{
	my ($who, @calls) = @_;
	my @errors;
	for (@calls)
	{
		eval { $who->do($_); 1 } or push @errors, $who->errstr;
	}
	note $_ for @errors;
	return @errors;
}

sub nobody_fell
{
	my ($what) = @_;
	is(value_of($root, q{SELECT count(*) FROM pg_roles WHERE rolname = 'mallory' AND rolsuper}), 0,
		"$what: no superuser is made");
	return is(value_of($boss, q{SELECT coalesce(string_agg(DISTINCT who::text, ' '), 'nobody') FROM evil.loot}),
		'nobody', "$what: nobody fell into the trap");
}

# Two tables of a role, one with references to the other, and a move of them that has begun.
sub make_tables
{
	my ($who, $schema) = @_;
	$who->do($_)
	  for "CREATE TABLE $schema.album (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), made timestamptz NOT NULL DEFAULT '2024-01-01')",
	  "CREATE TABLE $schema.track (key int PRIMARY KEY, album_id uuid REFERENCES $schema.album)",
	  "INSERT INTO $schema.album SELECT FROM generate_series(1, 5)", "INSERT INTO $schema.track SELECT row_number() OVER (), id FROM $schema.album";
	return;
}

sub begin_move
{
	my ($who, $schema) = @_;
	make_tables($who, $schema);
	$who->do($_) for "CALL idgen_migrate.uuid_start('$schema.album', 'new')", "CREATE UNIQUE INDEX ON $schema.album (new)",
	  "CREATE UNIQUE INDEX ON $schema.album (id)", "CALL idgen_migrate.backfill('$schema.album', 'new', 'made', 7)";
	return;
}

# 1. The trigger's function of a move, on a table of Mallory's: a domain's CHECK would run as the function's owner, and
# what it looks up would tell keys that Mallory may not read.
new_database();
begin_move($victim, 'home');
my ($function) = $boss->selectrow_array(q{SELECT tgfoid::regprocedure FROM pg_trigger WHERE tgrelid = 'home.track'::regclass AND NOT tgisinternal AND tgtype & 4 <> 0});
my ($trigger) = $boss->selectrow_array(q{SELECT tgname FROM pg_trigger WHERE tgrelid = 'home.track'::regclass AND NOT tgisinternal AND tgtype & 4 <> 0});
my ($album, $new) = $boss->selectrow_array('SELECT id, new FROM home.album LIMIT 1');
sub attach
{
	my ($type) = @_;
	$mallory->do('DROP TABLE IF EXISTS evil.track');
	return try_all($mallory, "CREATE TABLE evil.track (key int, album_id uuid, album_id_new $type)",
		qq{CREATE TRIGGER "$trigger" BEFORE INSERT OR UPDATE ON evil.track FOR EACH ROW EXECUTE FUNCTION $function},
		"INSERT INTO evil.track VALUES (1, '$album')");
}
$mallory->do('CREATE DOMAIN evil.bait AS bigint CHECK (evil.trap())');
my @steps = ([ 'by PUBLIC', sub { } ], [ 'after a GRANT', sub { $victim->do("GRANT EXECUTE ON FUNCTION $function TO mallory") } ]);
for (@steps)
{
	my ($how, $before) = @$_;
	$before->();
	attach('evil.bait');
	nobody_fell("a trigger's function on another table, $how");
	attach('bigint');
	is(value_of($mallory, 'SELECT count(album_id_new) FROM evil.track'), 0,
		"a trigger's function on another table, $how: it tells no key");
}

# Default privileges that give PUBLIC every function
new_database();
$victim->do('ALTER DEFAULT PRIVILEGES FOR ROLE victim GRANT EXECUTE ON FUNCTIONS TO mallory');
begin_move($victim, 'home');
is(value_of($boss, q{SELECT count(*) FROM pg_proc p WHERE prosecdef AND pronamespace <> 'pg_catalog'::regnamespace
  AND (has_function_privilege('mallory', p.oid, 'EXECUTE') OR proacl IS NULL OR EXISTS (SELECT FROM aclexplode(proacl) WHERE grantee = 0))}), 0, 'default privileges give no one the trigger\'s function');

# 2. What is remembered of a move, written by another role. The boss owns a move; Mallory says that her table is a part
# of it.
sub state_table { return value_of($boss, q{SELECT c.oid::regclass::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'rows_done' WHERE relkind = 'r'}) }
new_database();
begin_move($boss, 'boss');
my $state = state_table();
my $planted = "INSERT INTO $state (relation, id_column, kind, step, source, parent)";
my $album_oid = value_of($boss, q{SELECT 'boss.album'::regclass::oid});
$mallory->do($_) for 'CREATE TABLE evil.part (album_id uuid, album_id_new bigint)',
  'CREATE FUNCTION evil.fall() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM evil.trap(); RETURN NEW; END $$',
  'CREATE TRIGGER t BEFORE UPDATE ON evil.part FOR EACH ROW EXECUTE FUNCTION evil.fall()';
$boss->do('INSERT INTO evil.part SELECT id FROM boss.album');
try_all($mallory, "$planted VALUES ('evil.part'::regclass, 'album_id_new', 'reference', 'started', 'album_id', $album_oid)");
try_all($boss, "CALL idgen_migrate.uuid_link('boss.album', 'new')");
nobody_fell('a planted reference, linked');
new_database();
begin_move($boss, 'boss');
$boss->do($_) for 'CREATE FUNCTION boss.important() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$', 'GRANT USAGE ON SCHEMA boss TO PUBLIC';
$album_oid = value_of($boss, q{SELECT 'boss.album'::regclass::oid});
$mallory->do('CREATE TABLE evil.part (album_id uuid, album_id_new bigint)');
my $part = value_of($mallory, q{SELECT 'evil.part'::regclass::oid});
$mallory->do("CREATE TRIGGER idgen_sync_${part}_1 BEFORE INSERT ON evil.part FOR EACH ROW EXECUTE FUNCTION boss.important()");
try_all($mallory, "$planted VALUES ('evil.part'::regclass, 'album_id_new', 'reference', 'started', 'album_id', $album_oid)");
try_all($boss, "CALL idgen_migrate.uuid_abandon('boss.album', 'new')");
is(value_of($boss, q{SELECT count(*) FROM pg_proc WHERE proname = 'important'}), 1,
	'a planted reference, abandoned: nobody else\'s function is dropped');
is(value_of($boss, q{SELECT count(*) FROM pg_attribute WHERE attrelid = 'evil.part'::regclass AND attname = 'album_id_new'}), 1,
  'a planted reference, abandoned: no column of another table is dropped');
for my $mode ('SHARE', 'ACCESS EXCLUSIVE')
{
	ok(!eval { $mallory->do("BEGIN; LOCK TABLE $state IN $mode MODE"); 1 }, "nobody locks what is remembered: $mode");
	$mallory->do('ROLLBACK');
}
my ($text) = $boss->selectrow_array(q{SELECT count(*) FROM information_schema.columns WHERE column_name = 'next_step' AND table_name = ?}, undef, $state =~ /(\w+)$/);
try_all($mallory, qq{INSERT INTO $state (relation, id_column, kind, step, next_step) VALUES ('evil.part'::regclass, 'x', 'uuid', 'linked', 'SELECT evil.trap()')},
	qq{INSERT INTO $state (relation, id_column, kind, step) VALUES ('evil.part'::regclass, 'y', 'uuid', 'SELECT evil.trap()')});
is(value_of($boss, q{SELECT count(*) FROM idgen_migrate.progress p WHERE p::text LIKE '%evil.trap%'}), 0,
	'nobody writes a next step for others');

# 3. Operators in the schema where the extension goes, before it is made and after.
my %operator = (
	'~ (name, name)' => '~ (LEFTARG = name, RIGHTARG = name',
	'= (oid, integer)' => '= (LEFTARG = oid, RIGHTARG = integer',
	'= (smallint[], smallint[])' => '= (LEFTARG = smallint[], RIGHTARG = smallint[]',
	'= (oid, regtype)' => '= (LEFTARG = oid, RIGHTARG = regtype',
	'* (integer, numeric)' => '* (LEFTARG = integer, RIGHTARG = numeric',
	'/ (integer, numeric)' => '/ (LEFTARG = integer, RIGHTARG = numeric',
	'/ (bigint, numeric)' => '/ (LEFTARG = bigint, RIGHTARG = numeric',
	'< (bigint, integer)' => '< (LEFTARG = bigint, RIGHTARG = integer',
	'= (oid, regclass)' => '= (LEFTARG = oid, RIGHTARG = regclass',
	'= (name, text)' => '= (LEFTARG = name, RIGHTARG = text',
	'|| (name, text)' => '|| (LEFTARG = name, RIGHTARG = text');
my %result = ('*' => 'numeric', '/' => 'numeric', '||' => 'text');
for my $name (sort keys %operator)
{
	new_database(0);
	my ($sign, $left, $right) = $name =~ /^(\S+) \((\S+), (\S+)\)/;
	my $type = $result{$sign} // 'boolean';
	my $value = $type eq 'boolean' ? '$1::text OPERATOR(pg_catalog.=) $2::text' : $type eq 'numeric' ? '2::numeric' : '$1::text';
	$mallory->do($_)
	  for "CREATE FUNCTION public.hostile($left, $right) RETURNS $type LANGUAGE sql AS 'SELECT $value FROM evil.trap() OFFSET 0'",
	  "CREATE OPERATOR public.$operator{$name}, FUNCTION = public.hostile)", 'GRANT USAGE, CREATE ON SCHEMA public TO PUBLIC';
	is_deeply([ try_all($boss, 'CREATE EXTENSION idgen', 'CREATE EXTENSION idgen_migrate') ], [],
		"$name in public: the extensions are made");
	nobody_fell("$name in public, CREATE EXTENSION");
	make_tables($boss, 'boss');
	$boss->do($_)
	  for 'CREATE TABLE boss.small (id serial PRIMARY KEY)', 'CREATE TABLE boss.seven (id bigint UNIQUE, v uuid)', q{INSERT INTO boss.seven SELECT NULL, ('018cc251-f400-7000-8000-00000000000' || n)::uuid FROM generate_series(1, 5) n};
	# A caller's own path is no better than public. If only the caller's own statements call Mallory's operator, that is
	# up to the caller.
	$boss->do('SET search_path = public, pg_catalog');
	my @errors = try_all($boss, q{CALL idgen_migrate.uuid_start('boss.album', 'new')}, 'CREATE UNIQUE INDEX ON boss.album (new)', 'CREATE UNIQUE INDEX ON boss.album (id)',
		q{CALL idgen_migrate.backfill('boss.album', 'new', 'made', 7)}, q{CALL idgen_migrate.backfill('boss.seven', 'id', 'v', 7)}, q{CALL idgen_migrate.replace_serial('boss.small', 'id', widen => true)},
	  q{CALL idgen_migrate.uuid_link('boss.album', 'new')}, q{CALL idgen_migrate.uuid_switch('boss.album', 'new')}, q{CALL idgen_migrate.uuid_finish('boss.album', 'new')},
		q{SELECT * FROM idgen_migrate.check('backfill', 'boss.album', 'new', 'made', 5)}, 'SELECT * FROM idgen_migrate.progress',
	  'CREATE TABLE boss.counted (id serial PRIMARY KEY)', 'CREATE VIEW boss.shown AS SELECT id FROM boss.counted', q{SELECT * FROM idgen_migrate.plan('boss')}, q{CALL idgen_migrate.adopt('boss')},
	  q{SELECT * FROM idgen.audit('boss.album', 'new')}, 'SELECT * FROM idgen.stat_backend', 'SELECT * FROM idgen.status()');
	is_deeply(\@errors, [], "$name in public: every call of the boss works");
	nobody_fell("$name in public, every call of the boss");
}

# Functions that would be called before idgen's, made before it and after: of better matching types, or with no
# argument.
for my $when ('before', 'after')
{
	new_database(0);
	my @hostile = map { "CREATE OR REPLACE FUNCTION public.$_ LANGUAGE sql AS 'SELECT \$1 FROM evil.trap()'" }
	  'id_shard(anyelement) RETURNS anyelement', 'name_of(anyelement) RETURNS anyelement', 'guard(anyelement) RETURNS anyelement', 'format(text, name) RETURNS text',
	  'quote_ident(name) RETURNS name', 'concat_ws(text, text) RETURNS text', 'greatest(bigint) RETURNS bigint', 'set_config(text, text) RETURNS text';
	extend($boss) if $when eq 'after';
	try_all($mallory, @hostile, "CREATE FUNCTION public.next_id(integer) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint FROM evil.trap()'",
		"CREATE FUNCTION public.id_min(timestamptz) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint FROM evil.trap()'");
	try_all($mallory, 'DROP FUNCTION public.next_id(integer)', 'DROP FUNCTION public.id_min(timestamptz)', 'DROP FUNCTION public.id_shard(anyelement)'), extend($boss) if $when eq 'before';
	make_tables($boss, 'boss');
	$boss->do($_) for 'CREATE TABLE boss.big (id bigserial PRIMARY KEY)', 'SET search_path = public, pg_catalog';
	my @errors = try_all($boss, q{CALL idgen_migrate.replace_serial('boss.big', 'id', 5)}, 'INSERT INTO boss.big DEFAULT VALUES', q{CALL idgen_migrate.uuid_start('boss.album', 'new')},
		'INSERT INTO boss.album DEFAULT VALUES', q{SELECT * FROM idgen.audit('boss.big', 'id')}, q{SELECT * FROM idgen_migrate.check('serial', 'boss.big', 'id')});
	like($errors[0] // '', $when eq 'after' ? qr/next_id\(5\) is not idgen's function/ : qr/^$/, "functions of better types, $when: a default that would call another is refused");
	nobody_fell("functions of better types, $when");
}

# The schema of the second extension, made by another role before.
for my $before ('CREATE SCHEMA idgen_migrate', undef)
{
	new_database(0);
	$before ? $mallory->do($before) : $boss->do($_) for $before // ('CREATE SCHEMA idgen_migrate', 'GRANT CREATE ON SCHEMA idgen_migrate TO mallory');
	like((try_all($boss, 'CREATE EXTENSION idgen', 'CREATE EXTENSION idgen_migrate'))[0] // '', qr/roles that are not superusers own it or may create in it/,
		'a schema of ' . ($before ? 'somebody else\'s' : 'the boss in which others create') . ' is refused');
}

# A schema's owner puts another table in the place of the one that is migrated: before the call, and in the middle of
# it.
new_database();
my $filled = q{(id bigint UNIQUE, made timestamptz DEFAULT '2024-01-01')};
$boss->do($_) for "CREATE TABLE public.t $filled", 'INSERT INTO public.t SELECT FROM generate_series(1, 3)';
like((try_all($boss, q{CALL idgen_migrate.backfill('public.t', 'id', 'made', 5)}))[0],
	qr/lies in schema public of mallory/, 'a superuser\'s table in another\'s schema');
$mallory->do($_) for 'CREATE SCHEMA stage', 'GRANT USAGE, CREATE ON SCHEMA stage TO victim',
  'CREATE FUNCTION evil.fall() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM evil.trap(); RETURN NEW; END $$';
$victim->do($_) for "CREATE TABLE stage.t $filled", 'INSERT INTO stage.t SELECT FROM generate_series(1, 30)';
$victim->do(q{CALL idgen_migrate.backfill('stage.t', 'id', 'made', 5, batch => 3, pause => '50 ms')}, { pg_async => PG_ASYNC });
wait_until($boss, 'SELECT count(id) > 5 FROM stage.t');
$mallory->do($_) for 'BEGIN', 'ALTER SCHEMA stage RENAME TO before', 'CREATE SCHEMA stage', 'GRANT USAGE ON SCHEMA stage TO victim', "CREATE TABLE stage.t $filled",
  'INSERT INTO stage.t SELECT FROM generate_series(1, 30)', 'GRANT ALL ON stage.t TO victim', 'CREATE TRIGGER t BEFORE UPDATE ON stage.t FOR EACH ROW EXECUTE FUNCTION evil.fall()', 'COMMIT';
ok(!succeeds($victim), 'another table in its place: it ends');
like($victim->errstr, qr/stage.t is a different table now/, 'another table in its place: the error says why');
nobody_fell('another table in its place');
$victim->do($_) for q{CALL idgen_migrate.backfill('before.t', 'id', 'made', 5)};
is(value_of($boss, 'SELECT count(DISTINCT id) FROM before.t'), 30,
	'another table in its place: called again, it goes on');

# The schema that CREATE EXTENSION chose is Mallory's, too: another takes its place, with all that idgen has there, while a call of the
# boss waits for a lock, or between two batches.
my @in_its_place = ('BEGIN', 'ALTER SCHEMA public RENAME TO before', 'CREATE SCHEMA public', 'GRANT USAGE ON SCHEMA public TO PUBLIC',
	'CREATE DOMAIN public.id_layout AS before.id_layout', 'CREATE DOMAIN public.id64 AS before.id64',
	(map { "CREATE FUNCTION public.$_->[0] LANGUAGE plpgsql AS 'BEGIN PERFORM evil.trap(); $_->[1] END'" }
		[ 'id_layout_info(before.id_layout, OUT shards bigint, OUT wraps boolean, OUT ids_per_tick bigint)', 'shards := 5; wraps := false; ids_per_tick := 1;' ],
		[ 'id_time_near(bigint, timestamptz, before.id_layout) RETURNS timestamptz', 'RETURN $2;' ], [ 'id_shard(bigint, before.id_layout) RETURNS integer', 'RETURN 5;' ],
		[ 'id_layouts(OUT name text, OUT long_form text) RETURNS SETOF record', '' ], [ 'id_time(bigint, before.id_layout) RETURNS timestamptz', 'RETURN now();' ]),
	(map { (qq{CREATE FUNCTION public."f$_"(before.id64, before.id64) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN PERFORM evil.trap(); RETURN \$1::bigint $_ \$2::bigint; END'},
			qq{CREATE OPERATOR public.$_ (LEFTARG = before.id64, RIGHTARG = before.id64, FUNCTION = public."f$_")}) } '=', '>=', '<='), 'COMMIT');
for my $call (q{idgen.audit('boss.t', 'id')}, q{idgen.watch('boss.t', 'id')})
{
	new_database();
	$boss->do($_) for 'CREATE TABLE boss.t (id bigint DEFAULT public.next_id())', 'INSERT INTO boss.t DEFAULT VALUES';
	my $holder = connect_to($node, db => "app$number");
	$holder->do($_) for 'BEGIN', 'LOCK TABLE boss.t IN ACCESS EXCLUSIVE MODE';
	$boss->do("SELECT $call", { pg_async => PG_ASYNC });
	wait_until($root, "SELECT EXISTS (SELECT FROM pg_locks WHERE pid = $boss->{pg_pid} AND NOT granted)");
	$mallory->do($_) for @in_its_place;
	$holder->do('COMMIT');
	ok(succeeds($boss), "another schema in its place, $call: it calls what it was made with");
	nobody_fell("another schema in its place, $call");
	$holder->disconnect;
}
new_database();
$boss->do($_) for q{CREATE TABLE boss.t (key public.id64 PRIMARY KEY, id public.id64 UNIQUE, made timestamptz DEFAULT '2024-01-01')},
  'INSERT INTO boss.t SELECT n::bigint FROM generate_series(1, 60) n';
my $mover = connect_to($node, db => "app$number");
$boss->do(q{CALL idgen_migrate.backfill('boss.t', 'id', 'made', 5, batch => 3, pause => '50 ms')}, { pg_async => PG_ASYNC });
wait_until($mover, 'SELECT count(id) > 5 FROM boss.t');
$mallory->do($_) for @in_its_place;
$mover->do('UPDATE boss.t SET made = made WHERE id IS NULL');
ok(succeeds($boss), 'another schema in its place, between batches: it goes on');
is(value_of($mover, 'SELECT count(DISTINCT id) FROM boss.t'), 60, 'another schema in its place, between batches: every row has an ID');
is(value_of($mover, 'SELECT string_agg(key::bigint::text, $$ $$ ORDER BY id) = string_agg(key::bigint::text, $$ $$ ORDER BY key) FROM boss.t'), 1, 'another schema in its place, between batches: what has moved keeps its place');
$mover->disconnect;
nobody_fell('another schema in its place, between batches');

# 5. A view that is checked.
new_database();
$mallory->do('CREATE VIEW evil.view AS SELECT 1::bigint AS id FROM evil.trap()');
for my $kind (qw(serial widen backfill uuid switch))
{
	try_all($boss, "SELECT * FROM idgen_migrate.check('$kind', 'evil.view', 'id')");
}
nobody_fell('a view that is checked');

# 6. Names that break out of a body, and names that are formats.
new_database();
$mallory->do($_) for "ALTER DATABASE app$number SET check_function_bodies = off", 'CREATE TABLE evil.album (id uuid PRIMARY KEY)',
  'CREATE TABLE evil.track ("c$body$;SELECT evil.trap();SELECT $body$" uuid REFERENCES evil.album)', 'GRANT ALL ON ALL TABLES IN SCHEMA evil TO PUBLIC';
$boss->disconnect;
$boss = connect_to($node, db => "app$number");
$boss->do('SET client_min_messages = error');
try_all($boss, "CALL idgen_migrate.uuid_start('evil.album', 'new')");
nobody_fell('$body$ in a name');
$mallory->do($_) for q{CREATE TABLE evil."50%s $$ ' x" ("%I" int PRIMARY KEY, "id %L" bigint UNIQUE, "made %1$s" timestamptz DEFAULT '2024-01-01')},
  q{INSERT INTO evil."50%s $$ ' x" VALUES (1), (2)};
is_deeply([ try_all($mallory, q{CALL idgen_migrate.backfill('evil."50%s $$ '' x"', 'id %L', 'made %1$s', 5)}) ], [],
	'names that are formats: no error');
is(value_of($mallory, q{SELECT count(DISTINCT "id %L") FROM evil."50%s $$ ' x"}), 2, 'names that are formats: filled');

# A foreign key that names columns like the words of its actions
$mallory->do($_) for 'CREATE TABLE evil.folder (id uuid PRIMARY KEY)',
  q{CREATE TABLE evil.file ("x ON DELETE CASCADE); CREATE TABLE evil.made (y" uuid REFERENCES evil.folder ON DELETE SET NULL)};
is_deeply([ try_all($mallory, q{CALL idgen_migrate.uuid_start('evil.folder', 'new')}, 'CREATE UNIQUE INDEX ON evil.folder (new)', q{CALL idgen_migrate.uuid_link('evil.folder', 'new')}) ],
	[], 'a name like the words of a foreign key: no error');
is(value_of($boss, q{SELECT string_agg(confdeltype::text, '') FROM pg_constraint WHERE conrelid = 'evil.file'::regclass AND contype = 'f'}), 'nn',
  'a name like the words of a foreign key: its actions are kept');

# The boss works on Mallory's table, as boss or in her name, and on the boss's own with a trigger of hers.
new_database();
$mallory->do($_) for q{CREATE TABLE evil.t (id bigint UNIQUE, made timestamptz DEFAULT '2024-01-01')},
  'INSERT INTO evil.t VALUES (NULL), (NULL)', 'GRANT USAGE ON SCHEMA evil TO PUBLIC',
  q{CREATE FUNCTION evil.fall() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN BEGIN EXECUTE 'RESET ROLE'; EXECUTE 'RESET SESSION AUTHORIZATION'; EXCEPTION WHEN OTHERS THEN NULL; END; PERFORM evil.trap(); RETURN NEW; END $$},
  'CREATE TRIGGER t BEFORE UPDATE ON evil.t FOR EACH ROW EXECUTE FUNCTION evil.fall()';
for my $in ('SELECT 1', 'SET ROLE mallory', 'SET SESSION AUTHORIZATION mallory')
{
	$boss->do($in);
	try_all($boss, q{CALL idgen_migrate.backfill('evil.t', 'id', 'made', 5)});
	$boss->do($_) for 'RESET SESSION AUTHORIZATION', 'RESET ROLE';
	nobody_fell("the boss fills Mallory's table, $in");
}
$mallory->do('CREATE DOMAIN evil.note AS text CHECK (evil.trap())');
$mallory->do('CREATE FUNCTION evil.is_good(text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT evil.trap() $$');
my %own = (
	'a trigger' => 'CREATE TRIGGER t BEFORE UPDATE ON boss.t FOR EACH ROW EXECUTE FUNCTION evil.fall()',
	'a check' => 'ALTER TABLE boss.t ADD CHECK (evil.is_good(note))',
	'a domain' => 'ALTER TABLE boss.t ALTER note TYPE evil.note',
	'an index' => 'CREATE INDEX ON boss.t (evil.is_good(note))',
	'a generated column' => 'ALTER TABLE boss.t ADD good boolean GENERATED ALWAYS AS (evil.is_good(note)) STORED');
for my $what (sort keys %own)
{
	$boss->do($_) for 'DROP TABLE IF EXISTS boss.t', q{CREATE TABLE boss.t (id bigint UNIQUE, made timestamptz DEFAULT '2024-01-01', note text)},
	  'INSERT INTO boss.t VALUES (NULL), (NULL)', $own{$what};
	$mallory->do('DELETE FROM evil.loot');
	try_all($boss, q{CALL idgen_migrate.backfill('boss.t', 'id', 'made', 5)});
	nobody_fell("the boss's own table with $what of Mallory's");
}

# A trigger that comes while the boss fills the boss's own table
my $watcher = connect_to($node, db => "app$number");
$boss->do($_) for 'DROP TABLE boss.t', q{CREATE TABLE boss.t (id bigint UNIQUE, made timestamptz DEFAULT '2024-01-01')},
  'INSERT INTO boss.t SELECT FROM generate_series(1, 60)', 'GRANT USAGE ON SCHEMA boss TO mallory', 'GRANT TRIGGER ON boss.t TO mallory';
$mallory->do('DELETE FROM evil.loot');
$boss->do(q{CALL idgen_migrate.backfill('boss.t', 'id', 'made', 5, batch => 3, pause => '50 ms')}, { pg_async => PG_ASYNC });
wait_until($watcher, 'SELECT count(id) > 5 FROM boss.t');
$mallory->do('CREATE TRIGGER t BEFORE UPDATE ON boss.t FOR EACH ROW EXECUTE FUNCTION evil.fall()');
ok(!succeeds($boss), 'a trigger that comes meanwhile ends it');
$watcher->disconnect;
nobody_fell('a trigger that comes meanwhile');

# 7. Views of Mallory's that come while the boss, or a member of her role, widens a key: they stay hers, and nothing reads by them.
for my $kind ('VIEW', 'MATERIALIZED VIEW')
{
	new_database();
	$boss->do($_) for 'GRANT USAGE ON SCHEMA boss TO mallory', (map { ("CREATE TABLE boss.$_ (id serial PRIMARY KEY)", "INSERT INTO boss.$_ VALUES (1)") } qw(a b)), 'GRANT SELECT ON boss.b TO mallory',
	  'CREATE SCHEMA stage', 'GRANT USAGE, CREATE ON SCHEMA stage TO mallory';
	my $holder = connect_to($node, db => "app$number");
	$holder->do($_) for 'BEGIN', 'LOCK TABLE boss.a IN ROW EXCLUSIVE MODE';
	$boss->do(q{CALL idgen_migrate.adopt('boss', lock_wait => '1 h')}, { pg_async => PG_ASYNC });
	wait_until($root, "SELECT EXISTS (SELECT FROM pg_locks WHERE pid = $boss->{pg_pid} AND NOT granted)");
	$mallory->do("CREATE $kind stage.v AS SELECT id, query_to_xml('SELECT evil.trap()', false, false, '') FROM boss.b");
	$holder->do('COMMIT');
	ok(!succeeds($boss), "a $kind that comes meanwhile ends it");
	like($boss->errstr, qr/view stage\.v, which belongs to mallory, uses a column of boss\.b/, "a $kind that comes meanwhile: the error says why");
	is(value_of($holder, q{SELECT relowner::regrole FROM pg_class WHERE oid = 'stage.v'::regclass}), 'mallory', "a $kind that comes meanwhile stays its owner's");
	nobody_fell("a $kind that comes meanwhile");
	$holder->disconnect;
}
new_database();
$root->do('GRANT mallory TO victim');
$mallory->do($_) for 'CREATE SCHEMA stage', 'GRANT USAGE, CREATE ON SCHEMA stage TO victim';
$victim->do($_) for 'CREATE TABLE home.t (id serial PRIMARY KEY)', 'INSERT INTO home.t VALUES (1)', 'CREATE VIEW stage.v AS SELECT id FROM home.t';
my $holder = connect_to($node, db => "app$number");
$holder->do($_) for 'BEGIN', 'SELECT FROM stage.v';
$victim->do(q{CALL idgen_migrate.replace_serial('home.t', 'id', widen => true, lock_wait => '1 h')}, { pg_async => PG_ASYNC });
wait_until($root, "SELECT EXISTS (SELECT FROM pg_locks WHERE pid = $victim->{pg_pid} AND NOT granted)");
$mallory->do($_) for 'BEGIN', 'ALTER SCHEMA stage RENAME TO before', 'CREATE SCHEMA stage', 'CREATE VIEW stage.v AS SELECT evil.trap()', 'COMMIT';
$holder->do($_) for 'COMMIT', "SELECT pg_cancel_backend($victim->{pg_pid}) FROM pg_sleep(1)";
succeeds($victim);
is(value_of($holder, q{SELECT relowner::regrole FROM pg_class WHERE oid = 'stage.v'::regclass}), 'mallory', 'a view in the place of one that is locked stays its owner\'s');
$victim->do(q{CALL idgen_migrate.replace_serial('home.t', 'id', widen => true)});
is(value_of($holder, 'SELECT id FROM before.v'), 1, 'a view in the place of one that is locked: called again, it goes on');
nobody_fell('a view in the place of one that is locked');
$root->do('REVOKE mallory FROM victim');
$holder->do($_) for 'CREATE TABLE boss.t (id serial PRIMARY KEY)', 'CREATE VIEW evil.shown AS SELECT id FROM boss.t';
is(value_of($boss, q{SELECT finding FROM idgen_migrate.check('widen', 'boss.t', 'id') WHERE NOT ok}), 'view evil.shown, which lies in a schema of mallory, uses boss.t.id', 'a superuser\'s view in another\'s schema');
$holder->disconnect;

# 8. Functions and operators that would be called when the types have changed: refused, in each part that is bound by names, until
# what the HINTs say is done. By a superuser and an ordinary role; made by a role with a right of its own, by PUBLIC, by an owner.
my %bound = (
	'a check'             => 'ALTER TABLE %s.n ADD CHECK (tools.f(id))',
	'an operator'         => 'ALTER TABLE %s.n ADD CHECK (id OPERATOR(tools.===) 5)',
	'an index'            => 'CREATE INDEX ON %s.n (tools.f(id))',
	'a predicate'         => 'CREATE INDEX ON %s.n (id) WHERE tools.f(id)',
	'statistics'          => 'CREATE STATISTICS %1$s.s ON (tools.f(id)) FROM %1$s.n',
	'a view'              => 'CREATE VIEW %1$s.v AS SELECT tools.f(id) FROM %1$s.n',
	'a materialized view' => 'CREATE MATERIALIZED VIEW %1$s.v AS SELECT tools.f(id) FROM %1$s.n',
	'a view on a view'    => 'CREATE VIEW %1$s.u AS SELECT id FROM %1$s.n; CREATE VIEW %1$s.v AS SELECT tools.f(id) FROM %1$s.u',
	'an index of a view'  => 'CREATE MATERIALIZED VIEW %1$s.v AS SELECT id FROM %1$s.n; CREATE INDEX ON %1$s.v (tools.f(id))');
my %give = (
	'a right of its own' => [ 'GRANT CREATE ON SCHEMA tools TO mallory', qr/function tools\.f\(integer\), in whose schema mallory may create/ ],
	'PUBLIC'             => [ 'GRANT CREATE ON SCHEMA tools TO PUBLIC', qr/function tools\.f\(integer\), in whose schema PUBLIC may create/ ],
	'an owner'           => [ 'ALTER SCHEMA tools OWNER TO mallory', qr/function tools\.f\(integer\), in a schema of mallory/ ]);

sub make_bound
{
	my ($who, $schema, $ddl, @give) = @_;
	$boss->do($_) for 'DROP SCHEMA IF EXISTS tools CASCADE', 'DROP TABLE IF EXISTS boss.n, home.n CASCADE', 'CREATE SCHEMA tools', 'GRANT USAGE ON SCHEMA tools TO PUBLIC',
	  'CREATE FUNCTION tools.f(integer) RETURNS boolean IMMUTABLE LANGUAGE sql RETURN $1 > 0',
	  'CREATE FUNCTION tools.same(integer, integer) RETURNS boolean IMMUTABLE LANGUAGE sql RETURN $1 <> $2',
	  'CREATE OPERATOR tools.=== (FUNCTION = tools.same, LEFTARG = integer, RIGHTARG = integer)',
	  # What is called in the end
	  'CREATE FUNCTION tools.f(numeric) RETURNS boolean IMMUTABLE LANGUAGE sql RETURN $1 > 0',
	  'CREATE FUNCTION tools.same(numeric, numeric) RETURNS boolean IMMUTABLE LANGUAGE sql RETURN $1 <> $2',
	  'CREATE OPERATOR tools.=== (FUNCTION = tools.same, LEFTARG = numeric, RIGHTARG = numeric)', 'ALTER SCHEMA home OWNER TO victim';
	$who->do($_) for "CREATE TABLE $schema.n (id serial PRIMARY KEY)", "INSERT INTO $schema.n VALUES (1)", sprintf $ddl, $schema;
	$boss->do($_) for @give;
	$mallory->do('DELETE FROM evil.loot');
	return;
}
my @hostile = (q{CREATE FUNCTION tools.f(bigint) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN PERFORM nextval('evil.calls'); RETURN evil.trap(); END $$},
	'CREATE FUNCTION tools.same(bigint, integer) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN evil.trap(); END $$',
	'CREATE OPERATOR tools.=== (FUNCTION = tools.same, LEFTARG = bigint, RIGHTARG = integer)');
sub type_of { my ($schema) = @_; return value_of($boss, qq{SELECT atttypid::regtype FROM pg_attribute WHERE attrelid = '$schema.n'::regclass AND attname = 'id'}) }

new_database();
$mallory->do($_) for 'CREATE SEQUENCE evil.calls', 'GRANT USAGE ON SEQUENCE evil.calls TO PUBLIC';
for my $what (sort keys %bound)
{
	for my $how ($what eq 'a check' ? sort keys %give : 'a right of its own')
	{
		my ($who, $schema) = $how eq 'PUBLIC' ? ($victim, 'home') : ($boss, 'boss');
		make_bound($who, $schema, $bound{$what}, $give{$how}[0]);
		try_all($mallory, @hostile);
		my $call = "CALL idgen_migrate.replace_serial('$schema.n', 'id', widen => true)";
		my ($is_open, $is_hers) = (0, 0);
		like(value_of($who, "SELECT string_agg(finding, ' ') FROM idgen_migrate.check('widen', '$schema.n', 'id') WHERE NOT ok"), qr/schema.* tools\.\S+\(bigint.* belongs to another role/, "$what by $how: the check says both");
		for my $round (1 .. 4)
		{
			my ($error) = try_all($who, $call) or last;
			$is_open++ if $error =~ ($what eq 'an operator' ? qr/operator tools\.===\(integer,integer\), in whose schema mallory may create/ : $give{$how}[1]);
			$is_hers++ if $error =~ /, and (?:function|operator) tools\.\S+\(bigint(?:,integer)?\) belongs to another role/;
			last if $error !~ /HINT:.*(?:((?:REVOKE|ALTER SCHEMA) .*)|drop it)/;
			$boss->do($_) for $1 ? $1 : ('DROP OPERATOR IF EXISTS tools.=== (bigint, integer)', 'DROP FUNCTION tools.f(bigint), tools.same(bigint, integer)');
			is(type_of($schema), 'integer', "$what by $how: nothing is changed in round $round");
		}
		is("$is_open $is_hers", '1 1', "$what by $how: refused for the schema, and for what is there");
		is(type_of($schema), 'bigint', "$what by $how: what the HINTs say is enough");
		nobody_fell("$what by $how");
	}
}

# A type of Mallory's, to which she makes a cast
make_bound($boss, 'boss', 'COMMENT ON TABLE %s.n IS NULL', 'CREATE TYPE tools.pair AS (a boolean)', 'ALTER TYPE tools.pair OWNER TO mallory',
	'CREATE FUNCTION tools.pair(integer) RETURNS tools.pair IMMUTABLE LANGUAGE sql RETURN ROW(true)::tools.pair', 'CREATE CAST (integer AS tools.pair) WITH FUNCTION tools.pair(integer)',
	'CREATE TABLE home.n (id serial PRIMARY KEY CHECK ((id::tools.pair) IS NOT NULL))', 'ALTER TABLE home.n OWNER TO victim', 'INSERT INTO home.n VALUES (1)');
$mallory->do($_) for 'CREATE FUNCTION evil.pair(bigint) RETURNS tools.pair LANGUAGE sql RETURN ROW(evil.trap())::tools.pair', 'CREATE CAST (bigint AS tools.pair) WITH FUNCTION evil.pair(bigint)';
like((try_all($victim, q{CALL idgen_migrate.replace_serial('home.n', 'id', widen => true)}))[0], qr/uses function tools\.pair\(integer\), and type tools\.pair belongs to another role/, "a type of Mallory's is refused");
nobody_fell('a type of Mallory\'s');

# A column of such a type, of which a check has only the cast to a type of the server
make_bound($boss, 'boss', 'COMMENT ON TABLE %s.n IS NULL', q{CREATE TYPE tools.mood AS ENUM ('good', 'bad')}, 'ALTER TYPE tools.mood OWNER TO mallory',
	q{CREATE TABLE home.moody (id serial PRIMARY KEY, mood tools.mood DEFAULT 'good', CHECK (id > 0 AND mood::text <> ''))}, 'ALTER TABLE home.moody OWNER TO victim', 'INSERT INTO home.moody DEFAULT VALUES');
$mallory->do($_) for q{CREATE FUNCTION evil.mood(tools.mood) RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM nextval('evil.calls'); RETURN evil.trap(); END $$},
	'CREATE CAST (tools.mood AS text) WITH FUNCTION evil.mood(tools.mood)';
my $widens_moody = q{CALL idgen_migrate.replace_serial('home.moody', 'id', widen => true)};
like((try_all($victim, $widens_moody))[0], qr/uses type tools\.mood, and type tools\.mood belongs to another role/, "a column of a type of Mallory's is refused");
is(value_of($mallory, 'SELECT is_called FROM evil.calls'), 0, "a column of a type of Mallory's: her cast is never called");
$boss->do('DROP TABLE home.moody');
nobody_fell('a column of a type of Mallory\'s');

# One that comes after all was looked at, by a transaction that began before the right was taken back: while the migration waits for
# its lock; or at a gate, after it has dropped a view, or after it has written the table again.
$boss->do($_) for 'CREATE TABLE boss.gate ()', 'CREATE FUNCTION boss.wait_at_gate() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM FROM boss.gate; END $$';
for my $case ([ undef, 'a check' ], [ 'DROP VIEW', 'a check', '; CREATE VIEW %1$s.v AS SELECT id FROM %1$s.n' ], [ 'ALTER TABLE', 'a materialized view' ], [ 'ALTER TABLE', 'an index of a view' ])
{
	my ($tag, $what, $more) = @$case;
	make_bound($boss, 'boss', $bound{$what} . ($more // ''), 'GRANT CREATE ON SCHEMA tools TO mallory');
	$boss->do("CREATE EVENT TRIGGER waits ON ddl_command_end WHEN TAG IN ('$tag') EXECUTE FUNCTION boss.wait_at_gate()") if $tag;
	$mallory->do($_) for 'BEGIN', $hostile[0];
	$boss->do('REVOKE CREATE ON SCHEMA tools FROM mallory');
	my $gate = connect_to($node, db => "app$number");
	$gate->do($_) for 'BEGIN', $tag ? 'LOCK TABLE boss.gate' : 'LOCK TABLE boss.n IN ROW EXCLUSIVE MODE';
	$boss->do(q{CALL idgen_migrate.replace_serial('boss.n', 'id', widen => true, lock_wait => '1 h')}, { pg_async => PG_ASYNC });
	wait_until($root, "SELECT EXISTS (SELECT FROM pg_locks WHERE pid = $boss->{pg_pid} AND NOT granted)");
	$mallory->do('COMMIT');
	$gate->do('COMMIT');
	ok(!succeeds($boss), "$what of Mallory's that comes at last ends it");
	like($boss->errstr, $tag ? qr/ would use function tools\.f\(bigint\)\n.*Nothing has been changed\.\nHINT:/s : qr/tools\.f\(bigint\) belongs to another role\n/, "$what of Mallory's that comes at last: the error says why");
	is(type_of('boss'), 'integer', "$what of Mallory's that comes at last: nothing is changed");
	nobody_fell("$what of Mallory's that comes at last");
	# What a rollback takes back is no proof that nothing ran. The server itself calls checks when it writes the table.
	is(value_of($mallory, 'SELECT is_called FROM evil.calls'), 0, "$what of Mallory's that comes at last is never called") if ($tag // '') ne 'DROP VIEW';
	$mallory->do(q{SELECT setval('evil.calls', 1, false)});
	$boss->do('DROP EVENT TRIGGER IF EXISTS waits');
	$gate->disconnect;
}

# A key that references a table of Mallory's, a view that reads it, a rule that writes into it: what that table calls would run as whoever
# migrates.
new_database();
$mallory->do($_) for 'CREATE TABLE evil.p (id integer PRIMARY KEY)', 'INSERT INTO evil.p VALUES (1), (2)', 'GRANT ALL ON evil.p TO PUBLIC',
  'CREATE FUNCTION evil.same(integer) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN evil.trap(); END $$',
  'CREATE FUNCTION evil.fall() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM evil.trap(); RETURN NEW; END $$',
  'CREATE TABLE evil.log (id bigint)', 'CREATE TRIGGER t BEFORE INSERT ON evil.log FOR EACH ROW EXECUTE FUNCTION evil.fall()';
for ([ $boss, 'boss' ], [ $victim, 'home' ])
{
	my ($who, $schema) = @$_;
	$who->do("CREATE TABLE $schema.f (id serial PRIMARY KEY REFERENCES evil.p (id))");
}
$boss->do($_) for 'CREATE TABLE boss.w (id serial PRIMARY KEY, n integer)', 'INSERT INTO boss.w (n) VALUES (1)',
  'CREATE MATERIALIZED VIEW boss.mv AS SELECT w.id, p.id AS p FROM boss.w JOIN evil.p ON p.id = w.n', q{CREATE TABLE boss.r (id bigint UNIQUE, made timestamptz DEFAULT '2024-01-01')},
  'INSERT INTO boss.r VALUES (NULL)', 'CREATE RULE log AS ON UPDATE TO boss.r DO ALSO INSERT INTO evil.log VALUES (NEW.id)';
$mallory->do('CREATE INDEX ON evil.p (id) WHERE evil.same(1)');
for ([ $boss, 'widen', 'boss.f', qr/^a foreign key of boss\.f references evil\.p of mallory/ ], [ $victim, 'widen', 'home.f', qr/^a foreign key of home\.f references evil\.p of mallory/ ],
	[ $boss, 'widen', 'boss.w', qr/^view boss\.mv, which uses table evil\.p of mallory, uses boss\.w\.id/m ], [ $boss, 'backfill', 'boss.r', qr/^a superuser's table uses table evil\.log of mallory/m ])
{
	my ($who, $kind, $table, $finding) = @$_;
	like(value_of($who, qq{SELECT coalesce(string_agg(finding, E'\\n'), '') FROM idgen_migrate.check('$kind', '$table', 'id', 'made', 5) WHERE NOT ok}), $finding, "$kind of $table: the check says what is Mallory's");
	is(scalar(try_all($who, $kind eq 'widen' ? "CALL idgen_migrate.replace_serial('$table', 'id', widen => true)" : "CALL idgen_migrate.backfill('$table', 'id', 'made', 5)")), 1, "$kind of $table: refused");
	nobody_fell("$kind of $table");
}

# A superuser's table that a rule reaches: what is above it and below it, what its foreign keys change, and what it is computed with.
my @partition = ('CREATE TABLE boss.log (id bigint) PARTITION BY LIST (id)', 'CREATE TABLE evil.part PARTITION OF boss.log DEFAULT', 'ALTER TABLE evil.part OWNER TO mallory', 'CREATE TRIGGER t BEFORE INSERT ON evil.part FOR EACH ROW EXECUTE FUNCTION evil.fall()');
my %reached = (
	'a partition of Mallory\'s' => [ 'INSERT INTO boss.log VALUES (NEW.id)', 'table evil.part', @partition ],
	'a view on such a table' => [ 'INSERT INTO boss.shown VALUES (NEW.id)', 'table evil.part', @partition, 'CREATE VIEW boss.shown AS SELECT id FROM boss.log' ],
	'a function that writes it' => [ 'SELECT boss.note()', 'table evil.part', @partition, 'CREATE FUNCTION boss.note() RETURNS void BEGIN ATOMIC INSERT INTO boss.log VALUES (1); END' ],
	'a child of Mallory\'s' => [ 'UPDATE boss.log SET id = NEW.id', 'table evil.part', 'CREATE TABLE boss.log (id bigint)', 'CREATE TABLE evil.part () INHERITS (boss.log)', 'INSERT INTO evil.part VALUES (1)', 'ALTER TABLE evil.part OWNER TO mallory', 'CREATE TRIGGER t BEFORE UPDATE ON evil.part FOR EACH ROW EXECUTE FUNCTION evil.fall()' ],
	'a partition key' => [ 'INSERT INTO boss.part VALUES (NEW.id)', 'function evil.same(integer)', 'CREATE TABLE boss.log (id bigint) PARTITION BY LIST (evil.same(id::integer))', 'CREATE TABLE boss.part PARTITION OF boss.log FOR VALUES IN (true)' ],
	'a key that deletes' => [ 'DELETE FROM boss.log', 'table evil.part', 'CREATE TABLE boss.log (id bigint PRIMARY KEY)', 'INSERT INTO boss.log VALUES (1)', 'CREATE TABLE evil.part (id bigint REFERENCES boss.log ON DELETE CASCADE)', 'INSERT INTO evil.part VALUES (1)',
		'ALTER TABLE evil.part OWNER TO mallory', 'CREATE TRIGGER t AFTER DELETE ON evil.part FOR EACH ROW EXECUTE FUNCTION evil.fall()' ],
	'statistics' => [ 'UPDATE boss.log SET id = NEW.id WHERE id > 0', 'function evil.same(integer)', 'CREATE TABLE boss.log (id bigint)', 'CREATE STATISTICS boss.s ON (id > 0 AND evil.same(1)) FROM boss.log' ],
	'an operator class' => [ 'INSERT INTO boss.log VALUES (NEW.id)', 'function evil.compare(bigint,bigint)', 'CREATE TABLE boss.log (id bigint)', 'INSERT INTO boss.log VALUES (1), (2)',
		q{CREATE FUNCTION evil.compare(bigint, bigint) RETURNS integer IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN PERFORM evil.trap(); RETURN btint8cmp($1, $2); END $$}, 'CREATE OPERATOR CLASS boss.ops FOR TYPE bigint USING btree AS OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 evil.compare(bigint, bigint)',
		'CREATE INDEX ON boss.log (id boss.ops)', 'ALTER FUNCTION evil.compare(bigint, bigint) OWNER TO mallory' ],
	'a column of a row' => [ 'INSERT INTO boss.log (id) VALUES (NEW.id)', 'type evil.note', 'CREATE DOMAIN evil.note AS text CHECK (evil.trap())', 'CREATE TABLE boss.address (note evil.note)', 'ALTER DOMAIN evil.note OWNER TO mallory', q{CREATE TABLE boss.log (id bigint, address boss.address DEFAULT '(x)')} ],
	'a server of Mallory\'s' => [ 'INSERT INTO boss.log VALUES (NEW.id)', 'server away', 'CREATE FOREIGN DATA WRAPPER away', 'CREATE SERVER away FOREIGN DATA WRAPPER away', 'CREATE FOREIGN TABLE boss.log (id bigint) SERVER away', 'GRANT USAGE ON FOREIGN DATA WRAPPER away TO mallory', 'ALTER SERVER away OWNER TO mallory' ]);
for my $what (sort keys %reached)
{
	my ($action, $object, @ddl) = @{ $reached{$what} };
	$boss->do($_) for 'DROP TABLE boss.r', q{CREATE TABLE boss.r (id bigint UNIQUE, made timestamptz DEFAULT '2024-01-01')}, 'INSERT INTO boss.r VALUES (NULL)', @ddl, "CREATE RULE log AS ON UPDATE TO boss.r DO ALSO $action";
	$mallory->do('DELETE FROM evil.loot');
	like(value_of($boss, q{SELECT coalesce(string_agg(finding, E'\n'), '') FROM idgen_migrate.check('backfill', 'boss.r', 'id', 'made', 5) WHERE NOT ok}), qr/^a superuser's table uses \Q$object\E of mallory/m, "a rule reaches $what: the check says so");
	like((try_all($boss, q{CALL idgen_migrate.backfill('boss.r', 'id', 'made', 5)}))[0] // '', qr/a superuser's table uses/, "a rule reaches $what: refused");
	nobody_fell("a rule reaches $what");
	$boss->do($_) for 'DROP RULE log ON boss.r', 'DROP FUNCTION IF EXISTS boss.note()', 'DROP TABLE IF EXISTS boss.address CASCADE', 'DROP ' . ($what =~ /server/ ? 'FOREIGN ' : '') . 'TABLE boss.log CASCADE', 'DROP TABLE IF EXISTS evil.part';
}

# Default privileges of who makes the extension: nobody else gets a trigger on what is remembered, which would run as whoever
# migrates.
new_database(0);
$boss->do("ALTER DEFAULT PRIVILEGES GRANT ALL ON $_ TO mallory, PUBLIC") for 'TABLES', 'SCHEMAS';
extend($boss);
is(value_of($boss, q{SELECT string_agg(concat_ws(' ', a.grantee::regrole, privilege_type), ', ') FROM pg_namespace, aclexplode(nspacl) a
  WHERE nspname = 'idgen_migrate' AND a.grantee <> nspowner}), '- USAGE', 'default privileges give no right to create in the schema of migrations');
is(value_of($boss, q{SELECT string_agg(DISTINCT concat_ws(' ', relname, a.grantee::regrole, privilege_type), ', ') FROM pg_class c, aclexplode(relacl) a
  WHERE relnamespace = 'idgen_migrate'::regnamespace AND a.grantee <> relowner}), 'job - SELECT, progress - SELECT', 'default privileges give no right on migrations');
is(scalar(try_all($mallory, 'CREATE FUNCTION evil.fall() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM evil.trap(); RETURN NEW; END $$',
	'CREATE TRIGGER t BEFORE INSERT OR UPDATE ON idgen_migrate.job FOR EACH ROW EXECUTE FUNCTION evil.fall()', 'TRUNCATE idgen_migrate.job')), 2, 'migrations: no trigger of another role, and no TRUNCATE');
$boss->do($_) for 'CREATE TABLE boss.t (id bigserial PRIMARY KEY)', q{CALL idgen_migrate.replace_serial('boss.t', 'id')};
nobody_fell('a trigger on migrations');
is(scalar(try_all($boss, 'DROP EXTENSION idgen_migrate', 'DROP SCHEMA idgen_migrate', 'BEGIN', 'SAVEPOINT made', 'CREATE EXTENSION idgen_migrate', 'RELEASE made', 'COMMIT')), 0,
	'default privileges on schemas: the extension is made in a savepoint, too');

# 9. What one can cost or learn without being anybody.
new_database();
$mallory->do(q{CREATE TABLE evil.mine (id bigint)});
command_ok([ 'pg_dump', '-h', $node->host, '-p', $node->port, '-U', 'mallory', '-f', $node->basedir . '/dump', '--extension=idgen', '--schema=evil', "app$number" ],
	'pg_dump by an owner who is no superuser');
command_ok([ 'pg_dump', '-h', $node->host, '-p', $node->port, '-U', 'mallory', '-f', $node->basedir . '/dump', "app$number" ],
	'pg_dump of the whole database');
$boss->do('GRANT EXECUTE ON FUNCTION public.id_to_public TO mallory');
eval { $mallory->selectall_arrayref('SELECT public.id_to_public(5, 3)') };
unlike($mallory->errstr, qr/\b7\b/, 'id_to_public tells no numbers of keys');
$mallory->do(q{SET statement_timeout = '300 ms'});
ok(!eval { $mallory->selectall_arrayref(q{SELECT pg_proc.oid FROM pg_proc WHERE prosrc = 'idgen_make_row_map'})->[0] },
	'no map of rows, which nothing cancels');

# 10. What a role asks that looks at every database: no operator of Mallory's is in what it asks, by its own types; nor by the role's path,
# whatever path Mallory gives the database.
new_database();
trap_operators($mallory);
$mallory->do($_)
  for 'CREATE FUNCTION public.exact(float8, float8) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN RETURN evil.trap(); END$$',
  'CREATE OPERATOR public./ (LEFTARG = float8, RIGHTARG = float8, FUNCTION = public.exact)',
  'CREATE FUNCTION public.current_database() RETURNS text LANGUAGE plpgsql AS $$BEGIN PERFORM evil.trap(); RETURN 1; END$$';
my $tree = "$FindBin::Bin/../../..";
my ($roles) = slurp_file("$tree/docs/monitoring.md") =~ /^```sql\n(CREATE ROLE prometheus .*?)^```/ms or die 'the page makes no role';
$boss->do($_) for $roles =~ /([^;]+);/g;
# By default pg_catalog comes first, and what is exact is found there.
my $looking = connect_to($node, db => "app$number");
$looking->do('SET search_path = pg_catalog');
my $queries = slurp_file("$tree/monitoring/queries.yaml");
my %query = $queries =~ /^(\w+):\n  query: (?|"(.*)"|\|\n((?:    .*\n)+))/mg;
cmp_ok(scalar keys %query, '>', 6, 'queries.yaml has queries');
$boss->do('SELECT public.next_id()');

# The operators and functions of the schema public that a query takes.
sub taken_by
{
	my ($session, $query) = @_;
	$session->do("CREATE OR REPLACE TEMP VIEW looked AS $query");
	my $taken = value_of($looking, q{SELECT string_agg(pg_describe_object(d.refclassid, d.refobjid, 0), ', ') FROM pg_depend d JOIN pg_rewrite r ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
	  WHERE r.ev_class = (SELECT max(oid) FROM pg_class WHERE relname = 'looked' AND relpersistence = 't')
	    AND (d.refobjid IN (SELECT oid FROM pg_operator WHERE oprnamespace = 'public'::regnamespace) OR d.refobjid IN (SELECT oid FROM pg_proc WHERE pronamespace = 'public'::regnamespace))});
	$session->do('DROP VIEW looked');
	return $taken;
}
is(taken_by($boss, $query{$_}), undef, "$_: exact operators") for sort keys %query;
isnt(taken_by($boss, 'SELECT 1::float8 / 1000'), undef, 'noticed: an operand that is not exact');
$mallory->do("ALTER DATABASE app$number SET search_path = public, pg_catalog");
# Only this would stand above a path of the role.
like((try_all($mallory, "ALTER ROLE prometheus IN DATABASE app$number SET search_path = public, pg_catalog"))[0] // '', qr/permission denied/, 'the owner of a database sets nothing for another role there');
my $prometheus = connect_to($node, db => "app$number", user => 'prometheus');
my $plain = connect_to($node, db => "app$number");
$plain->do('SET client_min_messages = error');
isnt(taken_by($plain, $query{idgen_shard}), undef, 'noticed: the path of the database');
for (sort keys %query)
{
	is(taken_by($prometheus, $query{$_}), undef, "$_: the role's path");
	ok(eval { $prometheus->selectall_arrayref($query{$_}); 1 }, "$_: runs");
}
nobody_fell('what is asked of every database');
$_->disconnect for $looking, $prometheus, $plain;

$_->disconnect for grep { $_ } $root, $boss, $mallory, $victim;
done_testing();
