# idgen in SQL alone: who may do what, what hostile objects and roles change (nothing), and how it comes and goes: an
# ordinary role that owns a database, another schema, a dump, an extension's script, the extension that takes over.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenNode;
use IdgenSqlOnly;
use IdgenTenant;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('sql_only_roles', extension => 0, init => { allows_streaming => 'logical' });
my $superuser = $ENV{USER} // scalar getpwuid($<);
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE ROLE app LOGIN; CREATE ROLE other LOGIN; CREATE DATABASE mine OWNER owner; CREATE DATABASE named OWNER owner');

# Others' operators and functions, that fit better than pg_catalog's, stand in public and first in the path; default
# privileges give all away.
$node->safe_psql('mine', <<'SQL');
SET ROLE owner;
CREATE FUNCTION public.bad(bigint, integer) RETURNS bigint LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'captured'; END$$;
CREATE FUNCTION public.bad(text, text) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'captured'; END$$;
CREATE FUNCTION public.bad(name, name) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'captured'; END$$;
CREATE FUNCTION public.bad(bigint, bigint) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'captured'; END$$;
CREATE OPERATOR public.>> (LEFTARG = bigint, RIGHTARG = integer, FUNCTION = public.bad);
CREATE OPERATOR public.+ (LEFTARG = bigint, RIGHTARG = integer, FUNCTION = public.bad);
CREATE OPERATOR public.& (LEFTARG = bigint, RIGHTARG = integer, FUNCTION = public.bad);
CREATE OPERATOR public.= (LEFTARG = text, RIGHTARG = text, FUNCTION = public.bad);
CREATE OPERATOR public.= (LEFTARG = name, RIGHTARG = name, FUNCTION = public.bad);
CREATE OPERATOR public.>= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = public.bad);
CREATE OPERATOR public.<= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = public.bad);
CREATE FUNCTION public.nextval(regclass) RETURNS bigint LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'captured'; END$$;
CREATE FUNCTION public.format(text, bigint) RETURNS text LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'captured'; END$$;
CREATE FUNCTION public.length(text) RETURNS integer LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'captured'; END$$;
ALTER DATABASE mine SET search_path = public, pg_catalog;
ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO app, PUBLIC;
ALTER DEFAULT PRIVILEGES GRANT ALL ON SEQUENCES TO app, PUBLIC;
ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO app, PUBLIC;
ALTER DEFAULT PRIVILEGES GRANT ALL ON FUNCTIONS TO other, PUBLIC;
SQL
my ($status, $said) = run_file($node, 'mine', 'idgen.sql', 'owner');
is("$status $said", '0 ', 'an ordinary role that owns its database installs it');
sub connect_owner
{
	my $own = connect_to($node, db => 'mine', user => 'owner');
	$own->do('SET search_path = pg_catalog');
	return $own;
}
my $owner = connect_owner();
my $app = connect_to($node, db => 'mine', user => 'app');
my $other = connect_to($node, db => 'mine', user => 'other');
set_shards($owner, '5-6', 'instagram', 'twitter');
is(value_of($owner, 'SELECT superuser_of FROM (SELECT bool_or(rolsuper) AS superuser_of FROM pg_proc JOIN pg_roles r ON r.oid = proowner WHERE pronamespace = $$idgen_sql$$::regnamespace) AS s'), 0,
  'an ordinary role owns what it installed');
my $use = 'SELECT idgen_sql.id_shard(idgen_sql.next_id(5)), idgen_sql.id_shard((idgen_sql.next_id_array(1, 5))[1]), (SELECT idgen_sql.id_shard(n) FROM idgen_sql.next_ids(1, 5) AS n)';
is(join(',', $owner->selectrow_array($use)), '5,5,5', 'an ordinary role that installed it makes IDs');

# Rights: every role may call the readers, roles that the owner lets the makers, only the owner the rest; whatever
# default privileges say.
is(value_of($owner, 'SELECT string_agg(proname, $$ $$ ORDER BY proname COLLATE "C") FROM pg_proc WHERE pronamespace = $$idgen_sql$$::regnamespace AND prosecdef'),
	'next_id next_id_array next_ids', 'three functions run as their owner');
is(value_of($owner, <<'SQL'), 'idgen_draw idgen_keep_own idgen_make_private idgen_open_tick idgen_resolve idgen_set_shards idgen_slot idgen_take idgen_write_slots next_id next_id_array next_ids', 'functions that run as their owner, and what they call, are closed to others');
SELECT string_agg(proname, ' ' ORDER BY proname COLLATE "C") FROM pg_proc p WHERE pronamespace = 'idgen_sql'::regnamespace
   AND NOT EXISTS (SELECT FROM aclexplode(p.proacl) a WHERE a.grantee <> p.proowner) AND p.proacl IS NOT NULL
SQL
is(value_of($owner, q{SELECT count(*) FROM pg_class c, aclexplode(c.relacl) a WHERE relnamespace = 'idgen_sql'::regnamespace AND relkind IN ('r', 'S', 'v') AND a.grantee <> relowner}), 0,
	'nobody else has any right on tables and sequences');
is(value_of($owner, <<'SQL'), undef, 'PL/pgSQL pins its path or is called only by what does, SQL is parsed, and neither is bound to search_path');
SELECT string_agg(proname, ' ') FROM pg_proc JOIN pg_language l ON l.oid = prolang WHERE pronamespace = 'idgen_sql'::regnamespace
   AND proname <> 'next_id' AND NOT CASE lanname WHEN 'plpgsql' THEN proconfig = '{"search_path=pg_catalog, pg_temp"}' OR proconfig IS NULL AND NOT prosecdef AND proname IN ('idgen_draw', 'idgen_take') WHEN 'sql' THEN prosqlbody IS NOT NULL ELSE false END
SQL
my ($body) = value_of($owner, q{SELECT prosrc FROM pg_proc WHERE pronamespace = 'idgen_sql'::regnamespace AND proname = 'next_id'}) =~ s/--.*//gr =~ s/'[^']*'//gr =~ s/:=|\.\.//gr;
is(join(' ', $body =~ /(?<![\w.])(?!(?:IF|ELSIF|AND|EXCEPTION|WHEN|OR)\b)(\w+)\(|([-+*\/<>=~!@#%^&|`?]+)/g), '', 'next_id names each function with its schema, and has no operator');
is(value_of($owner, <<'SQL'), undef, 'each object has a comment');
SELECT string_agg(o.name, ' ') FROM (SELECT oid, 'pg_proc' AS class, proname::text AS name FROM pg_proc WHERE pronamespace = 'idgen_sql'::regnamespace
    UNION ALL SELECT oid, 'pg_class', relname FROM pg_class WHERE relnamespace = 'idgen_sql'::regnamespace AND relkind IN ('r', 'S', 'v')
    UNION ALL SELECT oid, 'pg_type', typname FROM pg_type t WHERE typnamespace = 'idgen_sql'::regnamespace AND typtype IN ('c', 'd') AND typname NOT IN (SELECT relname FROM pg_class WHERE relkind IN ('r', 'v'))) AS o
 WHERE obj_description(oid, class) IS NULL
SQL
is(value_of($owner, q{SELECT string_agg(a.privilege_type, ' ') FROM pg_namespace n, aclexplode(n.nspacl) a WHERE nspname = 'idgen_sql' AND a.grantee <> nspowner}), undef,
	'nobody else has any right on the schema');
fails_with($app, 'SELECT idgen_sql.next_id()', '42501', qr/permission denied for schema idgen_sql/, 'another role');
$owner->do('GRANT USAGE ON SCHEMA idgen_sql TO app, other');
fails_with($app, "SELECT idgen_sql.$_", '42501', qr/permission denied/, "another role: $_")
  for 'next_id()', 'next_ids(1)', 'next_id_array(1)', "idgen_set_shards('9')", 'idgen_draw(5, $$instagram$$, 1, 0, -1)';
fails_with($other, 'SELECT idgen_sql.next_id()', '42501', qr/permission denied/, 'default privileges gave it nothing');
is(value_of($app, 'SELECT idgen_sql.id_shard(5120)'), 5, 'a role that may only read reads an ID');
$owner->do('GRANT EXECUTE ON FUNCTION idgen_sql.next_id, idgen_sql.next_ids, idgen_sql.next_id_array TO app');
is(join(',', $app->selectrow_array($use)), '5,5,5', 'a role that may make IDs makes them');
fails_with($app, $_, '42501', qr/permission denied/, "a role that may make IDs, refused: $_")
  for q{SELECT pg_catalog.setval('idgen_sql.idgen_numbers_1', 5)}, q{SELECT pg_catalog.nextval('idgen_sql.idgen_numbers_1')}, 'SELECT * FROM idgen_sql.idgen_numbers_1', 'DO $$BEGIN LOCK TABLE idgen_sql.idgen_lock_1; END$$', 'DO $$BEGIN LOCK TABLE idgen_sql.idgen_shard IN ACCESS SHARE MODE; END$$',
  'UPDATE idgen_sql.idgen_shard SET rank = NULL', q{UPDATE idgen_sql.idgen_setting SET max_lead = '0'}, 'CREATE TABLE idgen_sql.mine (n int)';
is(value_of($owner, 'SELECT count(*) FROM pg_proc WHERE pronamespace = $$idgen_sql$$::regnamespace AND prosrc ~ $$pg_(try_)?advisory$$'), 0, 'no advisory lock, which anybody could hold');

# A caller's own settings change nothing. From 19 on there are only standard strings.
$app->do('SET standard_conforming_strings = off') if $app->{pg_server_version} < 190000;
$app->do($_) for 'SET DateStyle = $$German, DMY$$', 'SET TimeZone = $$Pacific/Apia$$', 'SET IntervalStyle = iso_8601', 'SET extra_float_digits = -15',
  'SET search_path = public, pg_catalog', 'CREATE TEMP TABLE idgen_shard (layout text, shard bigint)', 'SET transform_null_equals = on', 'SET array_nulls = off', 'SET bytea_output = escape', 'SET quote_all_identifiers = on';
is(join(',', $app->selectrow_array($use)), '5,5,5', 'whatever the session has set');
is(value_of($app, q{SELECT idgen_sql.id_make('2026-11-21 12:00:00.123Z'::pg_catalog.timestamptz, 5, 6, 'twitter')}), value_of($owner, q{SELECT idgen_sql.id_make('2026-11-21 12:00:00.123+00', 5, 6, 'twitter')}),
  'whatever the session has set, id_make gives the same ID');
is(value_of($app, q{SELECT idgen_sql.id_from_uuid(idgen_sql.id_to_uuid(4036565484265537613))}), 4036565484265537613, 'an ID in a UUID');
is(value_of($app, q{SELECT idgen_sql.idgen_layout_text(E'\tunit=1ms\nepoch=2020-01-01 time=41 shard=10 sequence=12 ')}), 'snowflake', 'a layout');
$app->disconnect;
$app = connect_to($node, db => 'mine', user => 'app');
# A collation under which other texts are equal
$node->safe_psql('mine', 'CREATE COLLATION public.blind (provider = icu, locale = $$und-u-ks-level1$$, deterministic = false)');
fails_with($app, q{SELECT idgen_sql.id_shard(5120, 'ínstagram' COLLATE public.blind)}, '22P02', qr/unknown word "ínstagram"/, 'a collation that is blind to case');
is(value_of($app, q{SELECT idgen_sql.id_shard(5120, 'instagram' COLLATE public.blind)}), 5, 'reads the right name');
is(value_of($app, q{SELECT idgen_sql.id_from_base62('A' COLLATE public.blind, true) || ' ' || idgen_sql.id_from_base62('a' COLLATE public.blind, true) || ' ' || idgen_sql.id_from_base32('16jd' COLLATE public.blind, true, true)}), '10 36 1234',
  'a collation that is blind to case: A is told from a');

# Another owner's hand in the table of shards
fails_with($other, q{SELECT idgen_sql.idgen_set_shards('7')}, '42501', qr/permission denied/, 'nobody else sets the shards');
$node->safe_psql('mine', 'GRANT owner TO other');
my $member = connect_to($node, db => 'mine', user => 'other');
fails_with($member, q{SELECT idgen_sql.idgen_set_shards('7')}, '42501', qr/only the owner/, 'not even a member of the owner, whose sequences would be his');
$node->safe_psql('mine', 'REVOKE owner FROM other');
$_->disconnect for $member, $other;

# A dump and its restore: IDs go on above.
$owner->do('CREATE TABLE public.photo (id bigint PRIMARY KEY DEFAULT idgen_sql.next_id(), made timestamptz GENERATED ALWAYS AS (idgen_sql.id_time(id)) STORED, layout idgen_sql.id_layout DEFAULT $$twitter$$)');
$owner->do('INSERT INTO public.photo SELECT FROM generate_series(1, 500)');
$owner->disconnect;
$app->disconnect;
my $dump = $node->basedir . '/dump';
$node->command_ok([ 'pg_dump', '-U', 'owner', '-f', $dump, 'mine' ], 'the owner dumps the database');
$node->safe_psql('postgres', 'ALTER DATABASE mine RENAME TO origin; CREATE DATABASE mine OWNER owner');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $dump, 'mine' ], 'the owner restores the dump');
$owner = connect_owner();
$owner->do('INSERT INTO public.photo SELECT FROM generate_series(1, 500)');
is(value_of($owner, 'SELECT count(*) FROM public.photo'), 1000, 'IDs go on');
is(value_of($owner, q{SELECT string_agg(s::text, ',' ORDER BY 1) FROM (SELECT DISTINCT idgen_sql.id_shard(n) FROM idgen_sql.next_id_array(5000) AS a, unnest(a) AS n) AS d (s)}) =~ /^[56](,6)?$/, 1, 'from the same shards');

# A superuser who owns it in a database of another role, whose operators fit better than pg_catalog's where the path is not pinned.
$node->safe_psql('postgres', 'CREATE DATABASE trapped OWNER owner');
{
	my $trapping = connect_to($node, db => 'trapped', user => 'owner');
	trap_operators($trapping);
	fails_with($trapping, q{SELECT FROM pg_class WHERE relname ~ '^x'}, 'P0001', qr/captured/, 'an operator that fits better');
	$trapping->disconnect;
}
is(join(' ', run_file($node, 'trapped', 'idgen.sql')), '0 ', 'better operators in public: idgen.sql');
is($node->safe_psql('trapped', q{SELECT idgen_sql.idgen_set_shards('5,8'); SELECT count(*) FROM idgen_sql.next_ids(3)}), "\n3", 'better operators in public: makers');
my ($what_uses) = page_of_sql_only() =~ /^```sql\n([^`]*uses_the_old_names.*?)^```/ms or die 'the page does not say how to see what uses the old names';
is($node->safe_psql('trapped', "CREATE TABLE using_it (id bigint DEFAULT idgen_sql.next_id()); $what_uses DROP TABLE using_it"), 'default value for column id of table public.using_it',
	'better operators in public: what uses the old names');
is(join(' ', run_file($node, 'trapped', 'uninstall.sql')), '0 ', 'better operators in public: uninstall.sql');

# A role that may create in the schema all the same: each call of one of its functions fits exactly, so that no other function fits better.
$node->safe_psql('postgres', 'CREATE DATABASE exact OWNER owner');
install_sql_only($node, 'exact', 'owner');
$node->safe_psql('exact', <<'SQL');
SET ROLE owner;
SELECT idgen_sql.idgen_set_shards('5-6'), idgen_sql.idgen_set_shards('5', 'js53ms'), idgen_sql.idgen_set_shards('5-6', 'twitter'), idgen_sql.idgen_set_shards('7', 'discord');
GRANT USAGE, CREATE ON SCHEMA idgen_sql TO app;
SET ROLE app;
DO $make$
DECLARE
    made text;
BEGIN
    FOR made IN SELECT DISTINCT format('%I(%s)', p.proname, (SELECT string_agg(CASE WHEN o = place THEN type ELSE t::regtype::text END, ', ' ORDER BY o) FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY AS a (t, o)))
                  FROM pg_proc p, generate_series(1, p.pronargs) AS place, unnest('{smallint,integer,bigint,numeric,double precision,text,name,interval,timestamp with time zone,boolean}'::text[]) AS type
                 WHERE p.pronamespace = 'idgen_sql'::regnamespace AND p.proargtypes[place - 1]::regtype::text <> type
                UNION
                SELECT format('%I(%s)', p.proname, (SELECT string_agg(t::regtype::text, ', ' ORDER BY o) FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY AS a (t, o) WHERE o <= p.pronargs - less))
                  FROM pg_proc p, generate_series(1, p.pronargdefaults) AS less WHERE p.pronamespace = 'idgen_sql'::regnamespace LOOP
        IF to_regprocedure('idgen_sql.' || made) IS NULL THEN
            EXECUTE format('CREATE FUNCTION idgen_sql.%s RETURNS void LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION ''captured''; END$$', made);
        END IF;
    END LOOP;
END
$make$;
SQL
{
	my $calling = connect_to($node, db => 'exact', user => 'owner');
	my @at = map { "'$_'::timestamptz" } '2026-11-21 12:00:00.123+00', '1900-01-01', '5000-01-01', 'infinity';
	my @calls = (
		(map { my $layout = $_; map { ("next_id($_, $layout)", "next_ids(70::bigint, $_, $layout)", "next_id_array(300, $_, $layout)", "next_ids(-1::bigint, $_, $layout)", "next_ids(NULL::bigint, $_, $layout)", "next_id_array(NULL::integer, $_, $layout)",
						"next_id_array(-1, $_, $layout)", "next_id_array(2147483647, $_, $layout)") } 'idgen_sql.idgen_own_shards()', '5::bigint', '99::bigint', 'NULL::bigint' }
			  "'instagram'::text", "'js53ms'::text", "' INSTAGRAM'::text", "'js53'::text", 'NULL::text'),
		(map { my $layout = $_; ((map { ("id_time($_, $layout)", "id_decode($_, $layout)", "id_to_uuid($_, $layout)", "id_to_uuidv8($_, $layout)", "id_time_near($_, $at[0], $layout)", "id_time_near($_, $at[3], $layout)", "id_from_uuid(idgen_sql.id_to_uuid($_, $layout), $layout)",
						"id_from_uuid(idgen_sql.id_to_uuidv8($_, $layout), $layout)") } '4036565484265537613', '5120::bigint', '(-1)::bigint', '9223372036854775807'),
				(map { ("id_min($_, $layout)", "id_max($_, $layout)", "id_make($_, 5::bigint, 6, $layout)", "id_make($_, 99999::bigint, 6, $layout)", "id_make($_, 5::bigint, 99999, $layout)", "id_within(5120::bigint, tstzrange($_, NULL), $layout)") } @at),
				"id_make(NULL::timestamptz, 5::bigint, 6, $layout)", "id_make($at[0], NULL::bigint, 6, $layout)", "id_make($at[0], 5::bigint, NULL::integer, $layout)", "id_layout_info($layout)", "idgen_layout_text($layout)",
				"id_from_uuid('018cc251-f400-7000-8000-000000000001'::uuid, $layout)", "id_from_uuid('018cc251-f400-4000-8000-000000000001'::uuid, $layout)") }
			  map { "'$_'::text" } 'instagram', 'trace', 'mastodon', 'nothing', '', 'instagram 5', 'unit=7ms', 'epoch=2020-02-30 unit=1ms time=41', 'unit=1ms unit=1ms', 'epoch=2020-01-01 unit=100us time=45 region=3 shard=5 sequence=10+1', 'shard=5 time=41', 'region=5 sequence=5', 'time=99', 'time=0', 'time=5x',
				'epoch=0001-01-01 unit=1s time=30 shard=5', 'epoch=2020-01-01 unit=1s time=63', 'unit=3h'),
		(map { my $text = $_; map { ("id_from_base62('$text'::text, $_)", "id_from_base64url('$text'::text, $_)", map { my $checksum = $_; map { "id_from_base32('$text'::text, $checksum, $_)" } 'true', 'false' } 'true', 'false') } 'true', 'false' } 'A', '', '1-', '*', 'zzzzzzzzzzz', 'FZZZZZZZZZZZZ', '0' x 99),
		"id_to_base62(5::bigint)", "id_to_base32(5::bigint, true)", "id_to_base64url((-5)::bigint)",
		(map { ("idgen_set_shards($_, 'twitter'::text)", "idgen_set_shards($_, 'trace'::text)") } map { "'$_'::text" } '5-7', '99999', 'x', '0-2000'), "idgen_set_shards('5'::text, NULL::text)", "idgen_set_shards(NULL::text, 'twitter'::text)", "idgen_set_shards('1'::text, 'epoch=1970-01-01 unit=1us time=60w shard=1'::text)");
	my (%said, $right);
	for my $call (@calls, '(SELECT count(idgen_sql.next_id(5::bigint, $$js53ms$$::text)) FROM generate_series(1, 3000))')
	{
		my $done = eval { $calling->do($call =~ /^\(/ ? "SELECT $call" : "SELECT idgen_sql.$call"); 1 };
		$done ? ++$right : push @{ $said{ $calling->errstr =~ s/\n.*//sr } }, $call;
	}
	cmp_ok($right, '>', 150, 'overloads: most calls succeed');
	cmp_ok(scalar keys %said, '>', 40, 'overloads: the errors of many kinds');
	# One that gives up
	expect_blame($node, 'clock');
	$calling->do($_) for q{SELECT idgen_sql.next_id(7::bigint, 'discord'::text)}, q{UPDATE idgen_sql.idgen_setting SET max_lead = '0', max_wait = '0'}, q{SELECT setval(s.cycles::regclass, pg_sequence_last_value(s.cycles::regclass) + (100000::bigint << 17)), setval(s.numbers::regclass, pg_sequence_last_value(s.numbers::regclass) + (100000::bigint << 12)) FROM idgen_sql.idgen_shard s WHERE s.layout = 'discord'};
	fails_with($calling, q{SELECT idgen_sql.next_id(7::bigint, 'discord'::text)}, '55000', qr/the clock is .* behind/, 'overloads: a clock behind');
	is(join("\n", map { "$_: $said{$_}[0]" } sort grep { /captured|is not unique|does not exist/ } keys %said), '', 'overloads: each call fits exactly');
	$calling->disconnect;
}

# A subscriber: FOR ALL TABLES publishes the tables of shards and settings, and nothing of them comes.
$node->safe_psql('postgres', "CREATE DATABASE $_ OWNER owner") for qw(published copied beside tables_only);
install_sql_only($node, $_, 'owner') for qw(published beside);
my $photo = 'CREATE TABLE public.photo (id bigint PRIMARY KEY DEFAULT idgen_sql.next_id())';
$node->safe_psql('published', "SET ROLE owner; SELECT idgen_sql.idgen_set_shards('5-6'); UPDATE idgen_sql.idgen_setting SET max_wait = '3 s'; RESET ROLE; GRANT CREATE ON SCHEMA public TO owner; SET ROLE owner; $photo; INSERT INTO photo DEFAULT VALUES");
$node->safe_psql('beside', "SET ROLE owner; SELECT idgen_sql.idgen_set_shards('8'); RESET ROLE; GRANT CREATE ON SCHEMA public TO owner; SET ROLE owner; $photo");
$node->command_ok([ 'pg_dump', '-s', '-f', "$dump-schema", 'published' ], 'a dump without data');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', "$dump-schema", 'copied' ], 'a dump without data: restored');
$node->safe_psql('published', 'CREATE PUBLICATION everything FOR ALL TABLES');
for my $db (qw(copied beside))
{
	$node->safe_psql('published', "SELECT pg_create_logical_replication_slot('$db', 'pgoutput')");
	$node->safe_psql($db, sprintf q{CREATE SUBSCRIPTION %s CONNECTION 'host=%s port=%s dbname=published' PUBLICATION everything WITH (create_slot = false, slot_name = '%1$s')}, $db, $node->host, $node->port);
}
my %reading = map { $_ => connect_to($node, db => $_, user => 'owner') } qw(copied beside tables_only);
my $synchronized = q{SELECT count(*) > 2 AND bool_and(srsubstate = 'r') FROM pg_subscription_rel WHERE srsubid = (SELECT oid FROM pg_subscription WHERE subname = current_database())};
wait_until($reading{$_}, $synchronized) for qw(copied beside);
fails_with($reading{copied}, "SELECT idgen_sql.$_", '55000', qr/this node owns no shard of layout "instagram"/, "a subscriber: $_") for 'next_id()', 'next_id(5)', 'next_id_array(5)', 'next_ids(5)';
is(value_of($reading{copied}, 'SELECT count(*) FROM idgen_sql.idgen_shard') . value_of($reading{copied}, 'SELECT count(*) FROM idgen_sql.idgen_setting'), '00', 'a subscriber: no row of shards or settings comes');
is(value_of($reading{copied}, q{SELECT idgen_sql.idgen_set_shards('8')}), '', 'a subscriber: its own shard, beside the sequences of the dump');
# The same ranks and shards as those of the subscribers, another shard, and one that goes.
$node->safe_psql('published', q{SET ROLE owner; SELECT idgen_sql.idgen_set_shards('8,6'), idgen_sql.idgen_set_shards('9', 'twitter'); DELETE FROM idgen_sql.idgen_shard WHERE shard = 5; INSERT INTO photo VALUES (17)});
for my $db (qw(copied beside))
{
	wait_until($reading{$db}, 'SELECT count(*) = 1 FROM public.photo WHERE id = 17');
	is(join(' ', map { $reading{$db}->selectrow_array($_) } q{SELECT string_agg(layout || shard || coalesce(rank::text, ''), ' ') FROM idgen_sql.idgen_shard}, 'SELECT max_wait FROM idgen_sql.idgen_setting',
			'SELECT string_agg(DISTINCT idgen_sql.id_shard(id)::text, $$ $$) FROM (SELECT idgen_sql.next_id() AS id FROM generate_series(1, 3) UNION ALL SELECT idgen_sql.next_ids(3000)) AS made'), 'instagram80 00:00:05 8', "a subscriber ($db): shards and settings stay its own");
}
# A TRUNCATE cannot be left out row by row. It stops the subscription, which goes on as the HINT says.
{
	my $published = connect_to($node, db => 'published');
	my ($seen, $lsn) = (-s $node->logfile);
	my %words;
	$published->begin_work;
	$published->do($_) for 'CREATE TEMP TABLE row_there AS TABLE idgen_sql.idgen_shard', 'TRUNCATE idgen_sql.idgen_shard, idgen_sql.idgen_setting',
	  'INSERT INTO idgen_sql.idgen_shard TABLE row_there', 'INSERT INTO idgen_sql.idgen_setting DEFAULT VALUES', 'INSERT INTO photo VALUES (18)';
	$published->commit;
	for (1 .. 600)
	{
		my $log = slurp_file($node->logfile, $seen);
		$words{$1} = $lsn = $2 while $log =~ /ERROR:  replication must not empty idgen_sql\.idgen_shard\n.*?HINT:.*?ALTER SUBSCRIPTION \.\.\. SKIP.*?CONTEXT:.*?origin "(\w+)".*?finished at ([0-9A-F]+\/[0-9A-F]+)/gs;
		last if keys %words == 2;
		select undef, undef, undef, 0.1;
	}
	is(scalar(keys %words), 2, 'a TRUNCATE stops each subscription, and the error says where');
	for my $db (qw(copied beside))
	{
		is(value_of($reading{$db}, q{SELECT count(*) FROM idgen_sql.idgen_shard WHERE rank = 0}), 1, "a subscriber ($db): a TRUNCATE leaves it its shards");
		$node->safe_psql($db, "ALTER SUBSCRIPTION $db SKIP (lsn = '$lsn')") if $lsn;
	}
	$published->do('INSERT INTO photo VALUES (19)');
	wait_until($reading{$_}, 'SELECT array_agg(id) = ARRAY[19::bigint] FROM public.photo WHERE id IN (18, 19)') for qw(copied beside);
	$published->disconnect;
}
# Rows that came otherwise, but no values of sequences
my @wanted = ([ '-s', '--no-publications' ], [ '-a', '--disable-triggers', '-t', 'idgen_sql.idgen_shard', '-t', 'idgen_sql.idgen_setting' ]);
for (@wanted)
{
	$node->command_ok([ 'pg_dump', @$_, '-f', "$dump-rows", 'published' ], "a dump of tables: $_->[0]");
	$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', "$dump-rows", 'tables_only' ], "a dump of tables: $_->[0]: restored");
}
fails_with($reading{tables_only}, "SELECT idgen_sql.$_", '55000', qr/does not know which IDs of the shard were made.*idgen_numbers_\d.*without their values/s, "no values of sequences: $_") for 'next_id()', 'next_id(6)', 'next_id_array(5)', 'next_ids(5)';
# A row that came by replication while a restore's triggers let it in
$node->safe_psql('tables_only', q{SET session_replication_role = replica; INSERT INTO idgen_sql.idgen_shard SELECT idgen_sql.idgen_layout_text('discord'), 9, 0, idgen_sql.idgen_form('discord'), numbers, cycles, lock FROM idgen_sql.idgen_shard WHERE layout = 'twitter'});
is(value_of($reading{tables_only}, q{SELECT idgen_sql.idgen_set_shards('6')}) . join(' ', map { value_of($reading{tables_only}, "SELECT idgen_sql.id_shard($_)") } 'idgen_sql.next_id()', '(idgen_sql.next_id_array(5))[5]'), '6 6', 'no values of sequences: shards that are set make IDs');
is(join(' ', map { value_of($reading{tables_only}, "SELECT idgen_sql.$_") } q{idgen_set_shards('9')}, 'id_shard(idgen_sql.next_id())'), ' 9', 'triggers that a restore turned on keep no shard out');
is(value_of($reading{tables_only}, q{SELECT string_agg(DISTINCT tgenabled::text, '') FROM pg_trigger WHERE tgname IN ('idgen_keep_own', 'idgen_keep_all')}), 'R', 'such triggers are as they were made again');
fails_with($reading{tables_only}, q{SELECT idgen_sql.next_id(layout => 'discord')}, '55000', qr/this node owns no shard of layout "discord"/, 'a row that such triggers let in: nothing draws from it');
is(value_of($reading{tables_only}, q{SELECT rank FROM idgen_sql.idgen_shard WHERE layout = 'twitter'}), 0, 'a row that such triggers let in: the others are drawn from');
# A session that replicates sets nothing.
my $replaying = connect_to($node, db => 'tables_only');
$replaying->do($_) for 'SET session_replication_role = replica', 'SET ROLE owner';
fails_with($replaying, q{SELECT idgen_sql.idgen_set_shards('7')}, '55000', qr/session_replication_role is replica/, 'shards that would not be kept');
$_->disconnect for $replaying, values %reading;
for my $db (qw(copied beside))
{
	$node->safe_psql($db, "ALTER SUBSCRIPTION $db DISABLE; ALTER SUBSCRIPTION $db SET (slot_name = NONE); DROP SUBSCRIPTION $db");
}
$node->poll_query_until('postgres', q{SELECT NOT bool_or(active) FROM pg_replication_slots}) or die 'a slot is still in use';
$node->safe_psql('postgres', 'SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots');
# It can be handed over and taken out, with the sequences of no row.
is(join(' ', take_over($node, 'copied', 'owner', $superuser)), '0 ', 'a subscriber: the extension takes over');
$node->safe_psql('copied', 'ALTER TABLE photo ALTER id DROP DEFAULT');
is(join(' ', take_out($node, 'copied', 'owner')), '0 ', 'a subscriber: the edition goes');

# In another schema, as the page says; and taken out again, but not while something needs it.
my ($command) = page_of_sql_only() =~ /^(sed .*)$/m or die 'the page does not say how to choose another schema';
is($command, q{sed 's/\bidgen_sql\b/app_ids/g' sql-only/idgen.sql > app_ids.sql}, 'the page says how to choose another schema');
(my $renamed = sql_only('idgen.sql')) =~ s/\bidgen_sql\b/app_ids/g;
is(join(' ', run_file($node, 'named', \$renamed, 'owner')), '0 ', 'in another schema');
is($node->safe_psql('named', q{SET ROLE owner; SELECT app_ids.idgen_set_shards('7'); SELECT app_ids.id_shard(app_ids.next_id()), (SELECT count(*) FROM pg_namespace WHERE nspname = 'idgen_sql')}), "\n7|0",
  'in another schema: it makes IDs');
$node->safe_psql('postgres', 'CREATE DATABASE leaving OWNER owner');
install_sql_only($node, 'leaving', 'owner');
$node->safe_psql('leaving', q{SET ROLE owner; SELECT idgen_sql.idgen_set_shards('5'); CREATE TABLE public.photo (id bigint DEFAULT idgen_sql.next_id()); INSERT INTO public.photo DEFAULT VALUES});
($status, $said) = run_file($node, 'leaving', 'uninstall.sql', 'owner');
like($said, qr/default value for column id of table public\.photo depends on function/, 'a table that needs the schema is named, and keeps it');
$node->safe_psql('leaving', 'ALTER TABLE public.photo ALTER id DROP DEFAULT');
is(join(' ', run_file($node, 'leaving', 'uninstall.sql', 'owner')), '0 ', 'uninstall.sql goes through when nothing needs the schema');
is($node->safe_psql('leaving', q{SELECT count(*), (SELECT count(*) FROM pg_namespace WHERE nspname = 'idgen_sql'), (SELECT count(*) FROM pg_proc WHERE proname LIKE 'idgen%') FROM photo}), '1|0|0',
  'uninstall.sql removes all that it made, and the IDs stay');

# As the script of an extension, which is what pg_tle makes of it: no transaction of its own, no command of psql. The call that
# registers it is that of pg_tle's documentation.
chomp(my $share = `pg_config --sharedir`);
my $tle = qx("$FindBin::Bin/../tle");
$node->safe_psql('postgres', 'CREATE DATABASE packaged OWNER owner; CREATE DATABASE restored OWNER owner');
$node->safe_psql('postgres', 'CREATE SCHEMA pgtle; CREATE TABLE pgtle.installed (name text, version text, description text, ext text, requires text[]);
	CREATE FUNCTION pgtle.install_extension(name text, version text, description text, ext text, requires text[] DEFAULT NULL) RETURNS boolean LANGUAGE sql AS $$INSERT INTO pgtle.installed VALUES ($1, $2, $3, $4, $5) RETURNING true$$');
is($node->safe_psql('postgres', $tle), 't', 'the call for pg_tle');
my ($version) = slurp_file("$FindBin::Bin/../../idgen.control") =~ /^default_version = '(.*)'/m;
is($node->safe_psql('postgres', 'SELECT name, version, requires IS NULL FROM pgtle.installed'), "idgen_sql|$version|t", 'of the version of idgen');
append_to_file("$share/extension/idgen_sql.control", "default_version = '$version'\nsuperuser = false\n");
append_to_file("$share/extension/idgen_sql--$version.sql", $node->safe_psql('postgres', 'SELECT ext FROM pgtle.installed'));
is($node->safe_psql('packaged', q{SET ROLE owner; CREATE EXTENSION idgen_sql; SELECT idgen_sql.idgen_set_shards('5'); SELECT idgen_sql.id_shard(idgen_sql.next_id())}), "\n5", 'as the script of an extension, by an ordinary role');
$node->safe_psql('packaged', q{SET ROLE owner; UPDATE idgen_sql.idgen_setting SET max_wait = '2 s'; CREATE TABLE public.photo (id bigint PRIMARY KEY DEFAULT idgen_sql.next_id()); INSERT INTO photo SELECT FROM generate_series(1, 500)});
$node->command_ok([ 'pg_dump', '-U', 'owner', '-f', "$dump-packaged", 'packaged' ], 'packaged: the owner dumps the database');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-U', 'owner', '-f', "$dump-packaged", 'restored' ], 'packaged: the owner restores the dump');
is($node->safe_psql('restored', q{SET ROLE owner; INSERT INTO photo SELECT FROM generate_series(1, 500); SELECT count(*), count(DISTINCT idgen_sql.id_shard(id)), (SELECT max_wait FROM idgen_sql.idgen_setting), (SELECT min(last_value) FROM idgen_sql.idgen_numbers_1) >= max(id) >> 23 << 10 FROM photo}),
  '1000|1|00:00:02|t', 'packaged: shards, settings and sequences come with the dump');
$node->safe_psql('packaged', 'DROP TABLE photo');
append_to_file("$share/extension/bundle.control", "default_version = '1'\nsuperuser = false\n");
append_to_file("$share/extension/bundle--1.sql", sql_only('idgen.sql') . 'CREATE TABLE public.theirs (n int);');
$node->safe_psql('postgres', 'CREATE DATABASE bundled OWNER owner');
$node->safe_psql('bundled', q{GRANT CREATE ON SCHEMA public TO owner; SET ROLE owner; CREATE EXTENSION bundle; SELECT idgen_sql.idgen_set_shards('5')});
is(join(' ', take_out($node, 'bundled', 'owner')), '0 ', "an extension that holds more: it goes from there");
is($node->safe_psql('bundled', q{SELECT count(*), (SELECT count(*) FROM pg_extension x JOIN pg_depend d ON d.refobjid = x.oid AND d.deptype = 'e' WHERE extname = 'bundle' AND classid = 'pg_class'::regclass) FROM pg_namespace WHERE nspname = 'idgen_sql'}), '0|1',
  'an extension that holds more: what is not idgen\'s stays a member');
unlink glob "$share/extension/bundle*";
unlink glob "$share/extension/idgen_sql{.,--}*";
is(join(' ', take_over($node, 'packaged', 'owner', $superuser)), '0 ', 'the extension takes over from it');
is($node->safe_psql('packaged', q{SET idgen.shards = '5'; SELECT ids.id_shard(idgen_sql.next_id())}), 5,
  'after the takeover the extension makes IDs under the old names');
$node->safe_psql('packaged', 'SET ROLE owner; CREATE TABLE public.photo (id bigint DEFAULT idgen_sql.next_id())');
($status, $said) = take_out($node, 'packaged', 'owner');
like($said, qr/default value for column id of table public\.photo depends on function/, 'packaged: what needs it is named, and keeps it');
is($node->safe_psql('packaged', q{SELECT count(*) FROM pg_extension WHERE extname = 'idgen_sql'}), 1,
  'packaged: the extension stays when something needs it');
$node->safe_psql('packaged', 'DROP TABLE photo');
is(join(' ', take_out($node, 'packaged', 'owner')), '0 ', 'packaged: the extension goes when nothing needs it');
is($node->safe_psql('packaged', q{SELECT count(*), (SELECT count(*) FROM pg_extension WHERE extname = 'idgen_sql') FROM pg_namespace WHERE nspname = 'idgen_sql'}), '0|0',
  'packaged: the schema and the extension are gone');

# The extension takes over by what the page says: defaults, indexes, generated columns, checks, views and columns of
# layouts go on; IDs go on above.
$owner->do(<<'SQL');
CREATE SCHEMA app;
SET search_path = idgen_sql, app, pg_catalog;
CREATE TABLE app.event (id bigint PRIMARY KEY DEFAULT next_id(6, 'instagram'), made timestamptz GENERATED ALWAYS AS (id_time(id)) STORED, n int, CHECK (id_within(id, '[2020-01-01,)')));
CREATE INDEX event_by_shard ON app.event (id_shard(id), id_time(id));
CREATE VIEW app.today AS SELECT n, (id_decode(id)).shard FROM app.event WHERE id_within(id, tstzrange(now() - interval '1 day', NULL));
CREATE TABLE app.kind (layout id_layout);
INSERT INTO app.kind VALUES ('unit=1ms epoch=2020-01-01 time=41 shard=10 sequence=12');
INSERT INTO app.event (n) SELECT generate_series(1, 1000);
INSERT INTO app.event (id, n) SELECT id, 1000 + n FROM unnest(next_id_array(5000, 6)) WITH ORDINALITY AS a (id, n);
SET search_path = pg_catalog
SQL
# The sequences stand ahead of the clock, as after it was set back: the extension has to begin above them all the same.
$owner->do(<<'SQL');
SELECT setval(numbers, (s.tick + 15000) << 10), setval(cycles, (s.tick + 15000) << 17)
  FROM (SELECT *, pg_sequence_last_value(numbers) >> 10 AS tick FROM idgen_sql.idgen_shard) AS s WHERE layout = 'instagram'
SQL
my $ahead = value_of($owner, q{SELECT max((pg_sequence_last_value(numbers) >> 10) << 23) FROM idgen_sql.idgen_shard WHERE layout = 'instagram'});
my ($section) = page_of_sql_only() =~ /^## Moving to the extension\n(.*?)(?=^## |\z)/ms;
my @blocks = $section =~ /^```sql\n(.*?)^```/msg;
is(scalar @blocks, 4, 'the page has four blocks of SQL: the shards, the setting, what is left, and the new defaults');
unlike(page_of_sql_only(), qr/^[^`]*CASCADE;$/m, 'no command of the page takes columns along');
is(join(',', sort map { "@$_" } @{ $owner->selectall_arrayref($blocks[0]) }), 'instagram 5,instagram 6,twitter 5,twitter 6', 'the owner reads the shards');
$blocks[1] =~ s/\bapp\b/mine/g;
$node->safe_psql('mine', $blocks[1]);
# One draws meanwhile, in an open transaction: the first step waits for its end.
$owner->begin_work;
$owner->do(q{UPDATE idgen_sql.idgen_setting SET max_lead = '1 minute'});
$owner->do('INSERT INTO app.event (n) SELECT 6001');
my $output = $node->basedir . '/taken';
my $taking = fork // die "fork: $!";
if ($taking == 0)
{
	my ($failed, $said_there) = take_over($node, 'mine', 'owner', $superuser);
	append_to_file($output, $said_there);
	POSIX::_exit($failed);
}
my $super = connect_to($node, db => 'mine');
wait_until($super, q{SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)});
$owner->commit;
waitpid $taking, 0;
# Those IDs lie ahead of the clock, by more than the extension admits.
like($? . slurp_file($output), qr/^0(?:psql:\S+ NOTICE:  no ID will be made in this database for $duration\nDETAIL:  .*\nHINT:  .*\n)?$/,
	'the extension takes over by the two commands of the page, after those who drew');
is(value_of($super, 'SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE extname = $$idgen$$'), 'ids',
  'the extension is in the schema ids');
is(value_of($super, q{SELECT string_agg(nspname, ' ' ORDER BY nspname COLLATE "C") FROM pg_namespace WHERE nspname ~ '^idgen|^ids'}), 'idgen idgen_sql ids',
  'a takeover makes no schema of another name');
fails_with($owner, 'INSERT INTO public.photo DEFAULT VALUES', '55000', qr/idgen.shards is not set/,
  'a session from before the takeover does not know its shards');
is($node->safe_psql('mine', q{SET idgen.max_wait = '1min'; SELECT ids.id_shard(ids.next_id())}), 5,
  'a new session after the takeover has its shards');
$node->safe_psql('mine', q{ALTER DATABASE mine SET idgen.shards = '5-6'; ALTER DATABASE mine SET search_path = app, public});
$owner->disconnect;
$app->disconnect;
$owner = connect_owner();
$app = connect_to($node, db => 'mine', user => 'app');
$owner->do(q{SET idgen.max_wait = '1min'});
$owner->do('INSERT INTO app.event (n) SELECT generate_series(6002, 7000)');
is(join(',', $owner->selectrow_array('SELECT count(*), count(DISTINCT id), bool_and(made = ids.id_time(id)) FROM app.event')), '7000,7000,1', 'the DEFAULT and the generated column go on');
is(value_of($owner, 'SELECT count(*) FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before FROM app.event) AS e WHERE id <= before'), 0, 'each later ID is larger than each earlier one of the shard');
is(value_of($owner, 'SELECT min(id) FILTER (WHERE n > 6001) > (SELECT max(id) FROM public.photo) FROM app.event'), 1,
  "each later ID is larger than all earlier ones of the other shard");
cmp_ok(value_of($owner, 'SELECT min(id) FROM app.event WHERE n > 6001'), '>', $ahead, 'a sequence ahead of the clock: later IDs are larger');
is(value_of($owner, 'SELECT count(DISTINCT shard) FROM app.today'), 1, 'the view goes on');
fails_with($owner, q{INSERT INTO app.kind VALUES ('face')}, '22P02', qr/unknown word/, 'a column of layouts is checked');
is(join(',', $owner->selectrow_array($use)), '5,5,5', 'the old names call the extension');
is(join(',', $app->selectrow_array($use)), '5,5,5', 'a role that could use the old names still can');
fails_with(connect_to($node, db => 'mine', user => 'other'), 'SELECT idgen_sql.next_id()', '42501', qr/permission denied/,
  'a role that could not use the old names still cannot');
is(value_of($app, 'SELECT ids.id_shard(ids.next_id(6))'), 6, 'the new names are there for everybody');
is(value_of($owner, q{SELECT string_agg(DISTINCT pg_get_userbyid(proowner), ' ') FROM pg_proc WHERE pronamespace = 'idgen_sql'::regnamespace}), 'owner', 'the functions still belong to their owner');
is(value_of($owner, q{SELECT count(*) FROM pg_proc WHERE pronamespace = 'idgen_sql'::regnamespace AND prosecdef}), 0,
  'the functions with the old names run as the caller');
is(value_of($owner, q{SELECT count(*) FROM pg_class c, aclexplode(c.relacl) a WHERE relnamespace = 'idgen_sql'::regnamespace AND relkind IN ('r', 'S', 'v') AND a.grantee <> relowner}), 0,
	'nobody else has got a right on tables and sequences');
fails_with($owner, q{SELECT idgen_sql.idgen_set_shards('7')}, '55000', qr/has been handed over.*idgen\.shards/s, 'shards are set otherwise');
my $plan = join "\n", @{ $owner->selectcol_arrayref('EXPLAIN (VERBOSE, COSTS OFF) INSERT INTO app.event (n) VALUES (1)') };
like($plan, qr/ids\.next_id\('6'::bigint, 'instagram'::(ids\.)?id_layout\)/, 'the DEFAULT calls it directly');
$owner->do('SET enable_seqscan = off');
$plan = join "\n", @{ $owner->selectcol_arrayref(q{EXPLAIN (COSTS OFF) SELECT * FROM app.event WHERE idgen_sql.id_shard(id) = 6 AND idgen_sql.id_time(id) < '2020-01-01'}) };
like($plan, qr/event_by_shard/, 'the index serves the old functions that it was made with');

# A dump carries it as it is now.
$node->command_ok([ 'pg_dump', '-f', "$dump.taken", 'mine' ], 'a dump after the takeover');
$node->safe_psql('postgres', 'CREATE DATABASE again OWNER owner');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', "$dump.taken", 'again' ], 'the dump after the takeover is restored');
is($node->safe_psql('again', q{SET idgen.shards = '6'; SET idgen.max_wait = '1min'; INSERT INTO app.event (n) SELECT 7001; SELECT count(*), count(DISTINCT id) FROM app.event}), '7001|7001',
  'the restored database makes IDs');

# The commands of the page bring the rest over, until the old schema can go.
my $left = $node->safe_psql('mine', $blocks[2]);
my @needs = ('default value for column id of table app.event', 'column layout of table app.kind', 'constraint event_id_check on table app.event');
like($left, qr/^$_$/m, "the query of what is left names: $_") for @needs;
($status, $said) = take_out($node, 'mine', 'owner');
like($said, qr/ERROR:  cannot drop type idgen_sql\.id_layout because other objects depend on it\n.*^column layout of table app\.kind depends/ms, 'before that the old edition stays');
is($node->safe_psql('mine', 'SELECT layout FROM app.kind'), 'unit=1ms epoch=2020-01-01 time=41 shard=10 sequence=12',
  'a refused removal of the old edition leaves all that uses it');
$node->safe_psql('mine', <<'SQL');
SET ROLE owner;
ALTER TABLE app.event ALTER id SET DEFAULT ids.next_id(6);
ALTER TABLE app.event DROP COLUMN made, DROP CONSTRAINT event_id_check;
DROP VIEW app.today;
DROP INDEX app.event_by_shard;
ALTER TABLE app.kind ALTER layout TYPE ids.id_layout USING layout::text::ids.id_layout;
ALTER TABLE public.photo ALTER id SET DEFAULT ids.next_id(), DROP COLUMN made, ALTER layout DROP DEFAULT, ALTER layout TYPE ids.id_layout USING layout::text::ids.id_layout;
SQL
is($node->safe_psql('mine', $blocks[2]), '', 'nothing is left');
is(join(' ', take_out($node, 'mine', 'owner')), '0 ', 'the old edition goes when nothing uses it');
is($node->safe_psql('mine', q{SELECT count(*) FROM pg_namespace WHERE nspname = 'idgen_sql'}), 0, 'the schema of the old edition goes with it');
is($node->safe_psql('mine', 'SELECT layout FROM app.kind'), 'snowflake', 'a layout is the type\'s');

done_testing();
