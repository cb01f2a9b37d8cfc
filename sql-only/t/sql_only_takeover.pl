# Moving from idgen in SQL alone to the extension. Mallory owns the database and the schema idgen_sql, and wants a
# superuser's session to run what is hers: none of her ways works. Then the takeover as honest owners do it: no ID
# twice, whoever owns the schema and whoever draws meanwhile.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenNode;
use IdgenSqlOnly;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('sql_only_takeover', extension => 0, conf => [ "idgen.shards = '5'", 'max_connections = 40' ]);
# An instant too far ahead is refused, and may mean that the clock is behind.
expect_blame($node, 'clock');
my $root = connect_to($node);
my $boss = $ENV{USER} // scalar getpwuid($<);
my $loot = $node->basedir . '/loot';
my $instant = '2026-01-01T00:00:00.000Z';
$root->do($_) for 'CREATE ROLE mallory LOGIN', 'CREATE ROLE owner LOGIN';

# A database of Mallory's, whose sessions find her functions and operators first. Her trap gives up whatever role it was
# set to, and does what only a superuser may.
$root->do('CREATE DATABASE trap OWNER mallory');
$node->safe_psql('trap', <<"SQL");
SET ROLE mallory;
CREATE SCHEMA evil;
GRANT USAGE ON SCHEMA evil TO PUBLIC;
CREATE FUNCTION evil.grab() RETURNS boolean LANGUAGE plpgsql AS \$\$
BEGIN
    BEGIN
        RESET ROLE;
    EXCEPTION WHEN insufficient_privilege THEN
        NULL;
    END;
    IF (SELECT r.rolsuper FROM pg_catalog.pg_roles r WHERE r.rolname OPERATOR(pg_catalog.=) pg_catalog.current_setting('session_authorization'::text)::name) THEN
        ALTER ROLE mallory SUPERUSER;
        COPY (SELECT 'superuser') TO PROGRAM 'cat > $loot';
    END IF;
    RETURN true;
END
\$\$;
CREATE FUNCTION evil.fold(integer) RETURNS integer IMMUTABLE LANGUAGE plpgsql AS \$\$BEGIN PERFORM evil.grab(); RETURN 1; END\$\$;
CREATE FUNCTION evil.is_well(text) RETURNS boolean LANGUAGE plpgsql AS \$\$BEGIN RETURN evil.grab(); END\$\$;
SQL
$root->do(q{ALTER ROLE owner SET idgen.max_wait = '1min'});

my $own_path = <<'SQL';
CREATE FUNCTION evil.format(text, name) RETURNS text LANGUAGE sql AS $$SELECT evil.grab()::text$$;
CREATE FUNCTION evil.to_regprocedure(text) RETURNS regprocedure LANGUAGE sql AS $$SELECT CASE WHEN evil.grab() THEN 1::regprocedure END$$;
CREATE FUNCTION evil.current_setting(text) RETURNS text LANGUAGE sql AS $$SELECT evil.grab()::text$$;
CREATE FUNCTION evil.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$SELECT CASE WHEN evil.grab() THEN pg_catalog.now() END$$;
CREATE FUNCTION evil.same(name, name) RETURNS boolean LANGUAGE sql AS $$SELECT evil.grab()$$;
CREATE FUNCTION evil.same(oid, oid) RETURNS boolean LANGUAGE sql AS $$SELECT evil.grab()$$;
CREATE FUNCTION evil.same(name, text) RETURNS boolean LANGUAGE sql AS $$SELECT evil.grab()$$;
CREATE FUNCTION evil.same(text, text) RETURNS boolean LANGUAGE sql AS $$SELECT evil.grab()$$;
CREATE OPERATOR evil.= (LEFTARG = name, RIGHTARG = name, FUNCTION = evil.same);
CREATE OPERATOR evil.= (LEFTARG = oid, RIGHTARG = oid, FUNCTION = evil.same);
CREATE OPERATOR evil.<> (LEFTARG = name, RIGHTARG = name, FUNCTION = evil.same);
CREATE OPERATOR evil.!~ (LEFTARG = text, RIGHTARG = text, FUNCTION = evil.same);
CREATE OPERATOR evil.~ (LEFTARG = name, RIGHTARG = text, FUNCTION = evil.same);
DO $$BEGIN EXECUTE pg_catalog.format('ALTER DATABASE %I SET search_path = evil, idgen_sql, pg_catalog', pg_catalog.current_database()); END$$;
SQL
my $aside = 'ALTER TABLE idgen_sql.idgen_shard RENAME TO kept';
my $columns = 'k.layout, k.shard, k.rank, k.form, k.numbers, k.cycles, k.lock';

# Each way stands in the place of what the superuser's script once read, and all of them run in a query of it.
my @ways = (
	{ way => 'a folded index expression', sql => 'CREATE INDEX ON idgen_sql.idgen_shard ((evil.fold(1)))' },
	{ way => 'a folded predicate of an index', sql => 'CREATE INDEX ON idgen_sql.idgen_shard (shard) WHERE evil.fold(1) = 1' },
	{ way => 'a folded expression of statistics', sql => 'CREATE STATISTICS idgen_sql.s ON (evil.fold(1)), (shard + 1) FROM idgen_sql.idgen_shard; ANALYZE idgen_sql.idgen_shard' },
	{ way => 'a view', sql => "$aside; CREATE VIEW idgen_sql.idgen_shard AS SELECT $columns FROM idgen_sql.kept k WHERE evil.grab()" },
	{
		way => 'a rule',
		sql => "$aside; CREATE VIEW idgen_sql.idgen_shard AS SELECT $columns FROM idgen_sql.kept k;"
		  . " CREATE OR REPLACE RULE \"_RETURN\" AS ON SELECT TO idgen_sql.idgen_shard DO INSTEAD SELECT $columns FROM idgen_sql.kept k, evil.grab()"
	},
	{
		way => 'a policy below a view',
		sql => "$aside; ALTER TABLE idgen_sql.kept ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY; CREATE POLICY p ON idgen_sql.kept USING (evil.is_well(layout));"
		  . " CREATE VIEW idgen_sql.idgen_shard AS SELECT $columns FROM idgen_sql.kept k"
	},
	{
		way => "a domain's check",
		sql => 'CREATE DOMAIN evil.checked AS text CHECK (evil.is_well(VALUE));'
		  . " $aside; CREATE VIEW idgen_sql.idgen_shard AS SELECT $columns, 'x'::evil.checked AS more FROM idgen_sql.kept k"
	},
	{
		way => "a type's cast",
		sql => q{CREATE TYPE evil.ms AS ENUM ('1'); CREATE TYPE evil.form AS (epoch_ms evil.ms, unit_ms bigint, sequence_bits integer);}
		  . ' CREATE FUNCTION evil.ms_to_bigint(evil.ms) RETURNS bigint LANGUAGE sql AS $$SELECT 1::bigint FROM evil.grab()$$;'
		  . ' CREATE CAST (evil.ms AS bigint) WITH FUNCTION evil.ms_to_bigint(evil.ms) AS IMPLICIT;'
		  . " $aside; CREATE TABLE idgen_sql.idgen_shard AS SELECT layout, shard, rank, ROW('1', 1, 10)::evil.form AS form, numbers, cycles, lock FROM idgen_sql.kept"
	},
	{
		way => 'functions in the place of the makers', safe_before => 1,
		sql => 'CREATE OR REPLACE FUNCTION idgen_sql.next_id(shard bigint DEFAULT evil.fold(1), layout text DEFAULT evil.grab()::text) RETURNS bigint SECURITY DEFINER LANGUAGE sql AS $$SELECT 1::bigint FROM evil.grab()$$;'
		  . ' CREATE OR REPLACE FUNCTION idgen_sql.idgen_own_shards() RETURNS bigint LANGUAGE sql AS $$SELECT 1::bigint FROM evil.grab()$$'
	},
	{ way => 'functions and operators on the path', safe_before => 1, sql => $own_path },
);

sub no_superuser
{
	my ($what) = @_;
	return ok(value_of($root, q{SELECT NOT rolsuper FROM pg_roles WHERE rolname = 'mallory'}) && !-e $loot,
		"$what: nothing of hers ran as a superuser");
}

# A new database, copied from one that is connected to by nobody; its owner has set shard 5 and made IDs.
my $number = 0;
sub new_database
{
	my ($owner, $template) = @_;
	my $db = 'app' . ++$number;
	$root->do("CREATE DATABASE $db OWNER $owner TEMPLATE " . ($template // 'template0'));
	install_sql_only($node, $db, $owner);
	my $session = connect_to($node, db => $db, user => $owner);
	set_shards($session, '5');
	value_of($session, 'SELECT idgen_sql.next_id()');
	$session->disconnect;
	return $db;
}

# Runs a file, and wants its error.
sub refused
{
	my ($db, $name, $user, $error, $what, %variables) = @_;
	my ($status, $said) = run_file($node, $db, $name, $user, %variables);
	return ok($status && $said =~ $error, "$what is refused") || diag $said;
}

my $hand_over = sql_only('hand-over.sql');
for my $way (@ways)
{
	my $db = new_database('mallory', 'trap');
	$node->safe_psql($db, $way->{sql}, extra_params => [ '-U', 'mallory' ]);
	refused($db, 'hand-over.sql', undef, qr/only the owner of schema idgen_sql/, "$way->{way}: a superuser in the first half");
	refused($db, \"SET $_ mallory;\n$hand_over", undef, qr/role with the rights of a superuser/, "$way->{way}: SET $_") for 'ROLE', 'SESSION AUTHORIZATION';
	refused($db, 'to-extension.sql', undef, qr/has not been handed over/, "$way->{way}: the second half before the first", after => $instant);
	no_superuser($way->{way});
	$node->safe_psql($db, 'SET search_path = pg_catalog; DROP SEQUENCE idgen_sql.idgen_numbers_1 CASCADE; CREATE TABLE idgen_sql.idgen_handed_over AS SELECT now() AS after FROM evil.grab()', extra_params => [ '-U', 'mallory' ]);
	is(join(' ', run_file($node, $db, 'to-extension.sql', undef, after => $instant)), '0 ',
		"$way->{way}: the second half");
	no_superuser($way->{way});
	$root->do("DROP DATABASE $db");
}

# The instant that she hands over is text to the superuser's script: it is one or it is none.
my $db = new_database('mallory', 'trap');
$node->safe_psql($db, 'DROP SEQUENCE idgen_sql.idgen_numbers_1 CASCADE', extra_params => [ '-U', 'mallory' ]);
for my $after ("$instant'); SELECT evil.grab(); --", "$instant'\n\\! touch $loot\n", "`touch $loot`", q{\'; SELECT evil.grab(); --}, '$$ || evil.grab() || $$', ':schema', "$instant\n", '',
	'now', 'infinity', 'tomorrow', '1760000000000', '2026-01-01', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000+00')
{
	refused($db, 'to-extension.sql', undef, qr/after is not an instant as hand-over\.sql prints it/, 'the instant ' . $after =~ s/\s+/ /gr, after => $after);
}
refused($db, 'to-extension.sql', undef, qr/after is not an instant/, 'no instant');
refused($db, 'to-extension.sql', undef, qr/date\/time field value out of range/, 'an instant of no calendar', after => '2026-02-30T00:00:00.000Z');
refused($db, 'to-extension.sql', undef, qr/more than an hour ahead of the clock/, 'an instant that keeps all from making IDs', after => value_of($root, q{SELECT to_char((now() + interval '61 min') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')}));
no_superuser('an instant');

# What she put in the place of the extension's schemas, or of a maker; settings of her database.
my $advance = 'FUNCTION idgen.advance(at timestamptz, far boolean DEFAULT false) RETURNS void LANGUAGE sql AS $$SELECT FROM evil.grab()$$';
my $own_shards = 'FUNCTION idgen.own_shards() RETURNS bigint IMMUTABLE LANGUAGE sql AS $$SELECT 1::bigint FROM evil.grab()$$';
my $as_mallory = sub { return $node->safe_psql($db, join('; ', @_), extra_params => [ '-U', 'mallory' ]) };
$as_mallory->('CREATE SCHEMA ids', 'CREATE FUNCTION ids.next_id(bigint, text) RETURNS bigint LANGUAGE sql AS $$SELECT 1::bigint FROM evil.grab()$$');
refused($db, 'to-extension.sql', undef, qr/ERROR:  schema "ids" already exists/, 'a schema of hers', after => $instant);
refused($db, 'to-extension.sql', undef, qr/ERROR:  schema "ids" already exists/, "a superuser's with her objects in it", after => $instant)
  if is($node->safe_psql($db, "ALTER SCHEMA ids OWNER TO $boss"), '', 'the schema is taken from her');
for my $theirs (
	[ 'an empty schema idgen of hers', 'CREATE SCHEMA idgen' ],
	[ 'a schema idgen of hers with what is called', "CREATE $advance", "CREATE $own_shards" ],
	[ 'the same, taken from her', "ALTER SCHEMA idgen OWNER TO $boss" ],
	[ 'an empty one in which she may create', 'DROP SCHEMA idgen CASCADE', 'CREATE SCHEMA idgen', 'GRANT ALL ON SCHEMA idgen TO mallory' ])
{
	my ($what, @made) = @$theirs;
	if ("@made" =~ /\Q$boss\E|GRANT/) { $node->safe_psql($db, "SET search_path = pg_catalog; $_") for @made }
	else { $as_mallory->(@made) }
	refused($db, 'to-extension.sql', undef, qr/ERROR:  the schema idgen is not empty, or other roles own it or may create in it/, $what, after => $instant, schema => 'other');
	is($node->safe_psql($db, q{SELECT count(*) FROM pg_catalog.pg_namespace WHERE nspname = 'other'}), 0,
		"$what: nothing is left");
	no_superuser($what);
}
$node->safe_psql($db, 'DROP SCHEMA idgen CASCADE; DROP SCHEMA ids CASCADE');

# The extension is there already, in a schema that nobody may use; but the name idgen, or a function of the extension,
# is hers by now.
my $not_own = qr/not a function of the extension, or not owned by superusers only: idgen\.advance\(timestamptz, boolean\)/;
$node->safe_psql($db, 'SET search_path = pg_catalog; CREATE SCHEMA ids; CREATE EXTENSION idgen SCHEMA ids; ALTER SCHEMA idgen RENAME TO elsewhere');
refused($db, 'to-extension.sql', undef, $not_own, 'a schema idgen that has another name', after => $instant);
$as_mallory->('CREATE SCHEMA idgen', "CREATE $advance", "CREATE $own_shards");
refused($db, 'to-extension.sql', undef, $not_own, 'another schema in its place', after => $instant);
$node->safe_psql($db, "ALTER SCHEMA idgen OWNER TO $boss");
refused($db, 'to-extension.sql', undef, $not_own, 'the same, taken from her', after => $instant);
$node->safe_psql($db, 'DROP SCHEMA idgen CASCADE; ALTER SCHEMA elsewhere RENAME TO idgen; ALTER SCHEMA idgen OWNER TO mallory');
refused($db, 'to-extension.sql', undef, $not_own, 'the schema given to her', after => $instant);
$node->safe_psql($db, "ALTER SCHEMA idgen OWNER TO $boss; ALTER FUNCTION idgen.advance(timestamptz, boolean) OWNER TO mallory");
refused($db, 'to-extension.sql', undef, $not_own, 'the function given to her', after => $instant);
$node->safe_psql($db, 'GRANT CREATE ON SCHEMA idgen TO mallory');
$as_mallory->("CREATE OR REPLACE $advance");
refused($db, 'to-extension.sql', undef, $not_own, 'the function given to her and written by her', after => $instant);
$node->safe_psql($db, "SET search_path = pg_catalog; ALTER FUNCTION idgen.advance(timestamptz, boolean) OWNER TO $boss");
refused($db, 'to-extension.sql', undef, $not_own, 'the same, taken from her', after => $instant);
no_superuser('an extension that is there already');
$node->safe_psql($db, 'SET search_path = pg_catalog; DROP EXTENSION idgen; DROP SCHEMA ids');
$node->safe_psql($db, "ALTER DATABASE $db SET role = mallory", extra_params => [ '-U', 'mallory' ]);
refused($db, 'to-extension.sql', undef, qr/permission denied to create extension|must be superuser/, 'a role that she set', after => $instant, schema => 'other');
$node->safe_psql($db, "RESET ROLE; ALTER DATABASE $db RESET role");
no_superuser('in the place of others');
is(value_of($root, q{SELECT count(*) FROM pg_roles WHERE rolsuper AND rolname <> current_user}), 0,
  'no role but the one of the session is a superuser');
$root->do("DROP DATABASE $db");

# A superuser's schema in which another role may create: the first half runs nothing of that role. Nor for a member of a
# superuser.
$root->do($_) for 'CREATE ROLE member LOGIN', "GRANT $boss, owner TO member";
$db = new_database($boss, 'trap');
$node->safe_psql($db, 'GRANT ALL ON SCHEMA idgen_sql TO mallory');
$node->safe_psql($db, 'CREATE VIEW idgen_sql.hers AS SELECT evil.grab()', extra_params => [ '-U', 'mallory' ]);
refused($db, 'hand-over.sql', undef, qr/idgen_sql\.hers does not belong to $boss/, "another role's object in a superuser's schema");
$node->safe_psql($db, 'DROP VIEW idgen_sql.hers');
refused($db, 'hand-over.sql', undef, qr/other roles may create objects in schema idgen_sql/, "a superuser's schema in which others may create");
$root->do("DROP DATABASE $db");
$db = new_database('owner');
refused($db, \"SET ROLE owner;\n$hand_over", 'member', qr/role with the rights of a superuser/, 'a member of a superuser');
no_superuser('members');

# An extension that another role may have used does not take over; default privileges open no door before the time.
$node->safe_psql($db, 'CREATE EXTENSION idgen');
is((my ($status, $after) = run_file($node, $db, 'hand-over.sql', 'owner'))[0], 0, 'the owner hands over');
like($after, qr/\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\n\z/,
	'the owner who hands over gets an instant, and nothing else');
is((run_file($node, $db, 'hand-over.sql', 'owner'))[1], $after,
	'the instant is the same when the owner hands over again');
chomp $after;
fails_with(connect_to($node, db => $db, user => 'owner'), "SELECT idgen_sql.$_", '55000', qr/has been handed over to the extension.*to-extension\.sql/s, "$_ has to wait")
  for 'next_id()', 'next_ids(1)', 'next_id_array(1)';
refused($db, 'to-extension.sql', undef, qr/the extension idgen is in this database already, in schema "public"/, 'an extension in use', after => $after);
my $missing;
$node->safe_psql($db, 'DROP EXTENSION idgen; ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO mallory, PUBLIC');
for my $maker ('next_id(bigint, text)', 'next_id_array(integer, bigint, text)', 'next_ids(bigint, bigint, text)')
{
	$node->safe_psql($db, 'ALTER FUNCTION idgen_sql.elsewhere RENAME TO ' . $_) for grep { $_ } $missing;
	($missing) = $maker =~ /^(\w+)/;
	$node->safe_psql($db, "ALTER FUNCTION idgen_sql.$maker RENAME TO elsewhere");
	refused($db, 'to-extension.sql', undef, qr/idgen in SQL alone is not in this database/, "a database without $missing()", after => $after);
}
$node->safe_psql($db, 'CREATE FUNCTION idgen_sql.next_ids(bigint, bigint, text) RETURNS text LANGUAGE sql RETURN NULL');
refused($db, 'to-extension.sql', undef, qr/cannot change return type/, 'a maker of another type', after => $after);
is($node->safe_psql($db, q{SELECT nspacl FROM pg_namespace WHERE nspname = 'ids'}), "{$boss=UC/$boss}",
	'the extension is there, and nobody may use it');
$node->safe_psql($db, 'DROP FUNCTION idgen_sql.next_ids; ALTER FUNCTION idgen_sql.elsewhere RENAME TO next_ids');
is(join(' ', run_file($node, $db, 'to-extension.sql', undef, after => $after)), '0 ',
	'the second half goes on where it failed');
is($node->safe_psql($db, q{SET ROLE owner; SELECT ids.id_shard(idgen_sql.next_id()), (SELECT count(*) FROM idgen_sql.next_ids(7)), cardinality(idgen_sql.next_id_array(8))}), '5|7|8',
  'the makers make IDs after the second half');
refused($db, 'to-extension.sql', undef, qr/in this database already, in schema "ids"/, 'a second takeover', after => $after);
refused($_, 'hand-over.sql', undef, qr/idgen in SQL alone is not in this database/, 'a database without it') for 'postgres';
refused($_, 'to-extension.sql', undef, qr/idgen in SQL alone is not in this database/, 'a database without it, in the second half', after => $after) for 'postgres';

# A server without the extension: the owner's half, which would leave it without IDs, does nothing.
(my $elsewhere = $hand_over) =~ s/WHERE name = 'idgen'/WHERE name = 'idgen_absent'/ or die;
$db = new_database('owner');
refused($db, \$elsewhere, 'owner', qr/this server does not have the extension idgen/, 'a server without the extension');
is($node->safe_psql($db, 'SELECT idgen_sql.id_shard(idgen_sql.next_id())'), '5',
	'a server without the extension goes on making IDs');

# The first half waits for transactions that have drawn IDs, or set shards, and counts what they draw until their end.
for my $first ("SELECT idgen_sql.idgen_set_shards('5-6')", 'SELECT idgen_sql.next_id()')
{
	my $drawing = connect_to($node, db => $db, user => 'owner');
	$drawing->begin_work;
	value_of($drawing, $first);
	my $output = $node->basedir . '/instant';
	unlink $output;
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		my ($failed, $said) = run_file($node, $db, 'hand-over.sql', 'owner');
		append_to_file($output, $said);
		POSIX::_exit($failed);
	}
	wait_until($root, q{SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)});
	my @last = map { my $shard = $_; map { value_of($drawing, 'SELECT max(id) FROM unnest(idgen_sql.next_id_array(20000, ?)) AS id', $shard) } 1 .. 3 } $first =~ /5-6/ ? (5, 6) : 5;
	$drawing->commit;
	waitpid $pid, 0;
	chomp(my $after = slurp_file($output));
	is($?, 0, "the first half waits for: $first") or diag $after;
	is(value_of($drawing, 'SELECT min(?::timestamptz - idgen_sql.id_time(id)) > $$0$$ FROM unnest(?::bigint[]) AS id', $after, \@last), 1,
	  "the instant of the first half lies above what was drawn until then: $first");
	is(value_of($drawing, q{SELECT count(*) FROM pg_class WHERE relnamespace = 'idgen_sql'::regnamespace AND relname LIKE 'idgen\_numbers%'}),
		0, 'no sequence is left');
	$drawing->disconnect;
	$db = new_database('owner');
}

# 4 sessions draw by a DEFAULT, one at a time, in blocks and in transactions, while it is taken over: by an owner and a
# superuser; by one superuser who owns all; by a role without login, as a member; in another schema, as the page says,
# and with another schema for the extension.
my ($sed) = page_of_sql_only() =~ m{^sed '(.*)' sql-only/idgen\.sql}m or die 'the page does not say how to choose another schema';
$root->do($_) for 'CREATE ROLE team', 'GRANT team TO owner';
for my $case (
	[ 'owner', 'an owner and a superuser' ],
	[ $boss, 'one superuser who owns all' ],
	[ 'team', 'a member of the owner', "SET ROLE team;\n" ],
	[ 'owner', 'another schema', '', 'app_ids', 'made' ])
{
	my ($role, $what, $first, $named, $target) = @$case;
	$target //= 'ids';
	my $schema = $named // 'idgen_sql';
	my %file = map {
		my $text = sql_only($_);
		if ($named) { eval "\$text =~ $sed" // die $@ }
		($_ => ($first // '') . $text)
	} qw(idgen.sql hand-over.sql);
	my $second = sql_only('to-extension.sql');
	if ($named) { eval "\$second =~ $sed" // die $@ }
	my $login = $role eq 'team' ? 'owner' : $role;
	my $db = 'app' . ++$number;
	$root->do("CREATE DATABASE $db OWNER $role TEMPLATE template0");
	is(join(' ', run_file($node, $db, \$file{'idgen.sql'}, $login)), '0 ', "$what: install");
	$node->safe_psql($db, <<"SQL");
SET ROLE $role;
SELECT $schema.idgen_set_shards('5');
CREATE TABLE public.drawn (id bigint DEFAULT $schema.next_id(), made timestamptz GENERATED ALWAYS AS ($schema.id_time(id)) STORED);
CREATE INDEX ON public.drawn ($schema.id_sequence(id));
GRANT ALL ON public.drawn TO PUBLIC;
GRANT USAGE ON SCHEMA $schema TO mallory;
GRANT EXECUTE ON FUNCTION $schema.next_id, $schema.next_ids, $schema.next_id_array TO mallory;
SQL
	my $session = connect_to($node, db => $db);
	my @makers = map { begin_drawing($db, $schema) } 1 .. 4;
	wait_until($session, 'SELECT count(*) > 200 FROM public.drawn');
	my ($failed, $after) = run_file($node, $db, \$file{'hand-over.sql'}, $login);
	is($failed, 0, "$what: the first half beside 4 sessions that draw") or diag $after;
	chomp $after;
	my $before = value_of($session, 'SELECT count(*) FROM public.drawn');
	is(join(' ', run_file($node, $db, \$second, undef, after => $after, $target ne 'ids' ? (schema => $target) : ())),
		'0 ', "$what: the second half");
	wait_until($session, "SELECT count(*) > $before + 200 FROM public.drawn");
	kill TERM => @makers;
	waitpid $_, 0 for @makers;
	is(value_of($session, 'SELECT count(*) - count(DISTINCT id) FROM public.drawn'), 0, "$what: none twice");
	is(value_of($session, "SELECT count(*) FROM public.drawn WHERE made < '$after'"), $before,
		"$what: all that were made before lie below the instant, and all later ones above");
	is(value_of($session, "SELECT count(*) FROM public.drawn WHERE made IS DISTINCT FROM $target.id_time(id) OR $schema.id_shard(id) IS DISTINCT FROM 5"),
		0, "$what: readers of both say the same");
	is(value_of($session, q{SELECT string_agg(nspname, ' ' ORDER BY nspname COLLATE "C") FROM pg_namespace WHERE nspname !~ '^(pg_.*|public|information_schema)$'}),
		join(' ', sort 'idgen', $schema, $target), "$what: no schema has another name");
	$session->disconnect;
}

# The first half of the takeover: its instant, of whole ms, is the end of the last tick or up to a ms later.
my $tid = 'epoch=1970-01-01T00:00:00Z unit=1us time=53 shard=10';
my $tenth = 'epoch=2020-01-01T00:00:00Z unit=100us time=44 shard=10 sequence=6';
my $number = 0;
for my $case ([ $tid, 0, '59.000001', '59.001' ], [ $tid, 998, '59.000999', '59.001' ], [ $tid, 999, '59.001', '59.001' ], [ $tid, 1000, '59.001001', '59.002' ],
	[ $tenth, 0, '59.0001', '59.001' ], [ $tenth, 9, '59.001', '59.001' ], [ 'snowflake', 0, '59.001', '59.001' ])
{
	my ($layout, $ticks, $end, $after) = @$case;
	my $db = 'left' . ++$number;
	$node->safe_psql('postgres', "CREATE DATABASE $db");
	install_sql_only($node, $db);
	my $there = connect_to($node, db => $db);
	set_shards($there, '5', $layout);
	$there->do(q{SELECT setval(numbers, (idgen_sql.id_min('2026-11-27 12:00:59Z', layout) >> (form).time_shift) + ? << (form).sequence_bits) FROM idgen_sql.idgen_shard}, undef, $ticks);
	$there->disconnect;
	is(join(' ', run_file($node, $db, 'hand-over.sql')), "0 2026-11-27T12:00:${after}Z\n", "a last tick that ends at $end: $layout");
}

# A session that commits rows until it is ended; it connects again after an error, as a pool does.
sub begin_drawing
{
	my ($db, $schema) = @_;
	my $parent = $$;
	my $pid = fork // die "fork: $!";
	return $pid if $pid;
	$SIG{TERM} = sub { POSIX::_exit(0) };
	while (getppid == $parent)
	{
		eval {
			local $SIG{__WARN__} = sub { };
			my $own = connect_to($node, db => $db, user => 'mallory');
			$own->do('SET idgen.max_wait = $$1min$$');
			while (getppid == $parent)
			{
				$own->do('INSERT INTO public.drawn DEFAULT VALUES');
				$own->do("INSERT INTO public.drawn (id) SELECT unnest($schema.next_id_array(5))");
				$own->begin_work;
				$own->do('INSERT INTO public.drawn SELECT FROM generate_series(1, 3)');
				$own->do("INSERT INTO public.drawn (id) SELECT * FROM $schema.next_ids(3)");
				$own->commit;
			}
		};
		select undef, undef, undef, 0.01;
	}
	return POSIX::_exit(0);
}

done_testing();
