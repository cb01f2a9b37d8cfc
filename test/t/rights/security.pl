# Who runs what as whom, by the catalog: where each function finds what it calls, what stored expressions are bound to,
# and who has which right, compared with the tables of docs/security.md. Each check is seen to notice what it is there
# for.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('security', extension => 0, conf => ["idgen.shards = '5'"]);
my $session = connect_to($node);
# By default privileges one role gets all that is made, and others some of it: no extension gives a role more for that.
my @defaults = map { "ALTER DEFAULT PRIVILEGES %s $_" } 'ALL ON FUNCTIONS %s favored, monitor', 'ALL ON TABLES %s favored, pg_monitor, PUBLIC',
  'ALL ON SEQUENCES %s favored, PUBLIC', 'ALL ON TYPES %s favored', 'USAGE ON SCHEMAS %s favored';
$session->do($_)
  for 'CREATE ROLE app LOGIN', 'CREATE ROLE monitor LOGIN IN ROLE pg_monitor', 'CREATE ROLE dba SUPERUSER', 'CREATE ROLE favored', 'CREATE SCHEMA "id gen"', map({ sprintf $_, 'GRANT', 'TO' } @defaults),
  'CREATE EXTENSION idgen SCHEMA "id gen"', 'CREATE EXTENSION idgen_kinds SCHEMA "id gen"', 'CREATE EXTENSION idgen_lease SCHEMA "id gen"', 'CREATE EXTENSION idgen_registry',
  'CREATE EXTENSION idgen_migrate', map({ sprintf $_, 'REVOKE', 'FROM' } @defaults), 'GRANT USAGE ON SCHEMA "id gen" TO PUBLIC', <<'SQL',
CREATE TEMP VIEW member AS
SELECT d.classid, d.objid, e.extname FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid
 WHERE d.deptype = 'e' AND e.extname IN ('idgen', 'idgen_kinds', 'idgen_migrate', 'idgen_lease', 'idgen_registry')
SQL
  'CREATE TEMP VIEW routine AS SELECT p.*, m.extname, l.lanname FROM member m JOIN pg_proc p ON m.classid = \'pg_proc\'::regclass AND p.oid = m.objid JOIN pg_language l ON l.oid = p.prolang';

# The first column of all rows.
sub list_of { return @{ $session->selectcol_arrayref(@_) } }

# Where a function finds what it calls. In C and in the server's own code by OID; in SQL by OID where its body is parsed
# (BEGIN ATOMIC); else by a search_path of its own. A procedure that commits sets it as its first statement and after
# each end of a transaction, and computes nothing before. The registry's calls run as their owner, and not for PUBLIC.
my $pin = q{PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);};
sub loose_routines
{
	my %reason;
	for my $routine (@{ $session->selectall_arrayref('SELECT oid::regprocedure AS name, extname, prokind, lanname, proconfig, prosqlbody IS NOT NULL AS parsed, prosrc, prosecdef, has_function_privilege(\'app\', oid, \'EXECUTE\') AS public FROM routine', { Slice => {} }) })
	{
		my $settings = join ' ', @{ $routine->{proconfig} // [] };
		my $is_pinned = $settings =~ /^search_path=pg_catalog, pg_temp\b/;
		my ($declared, $body) = $routine->{prosrc} =~ /^(.*?)\bBEGIN\n(.*)/s;
		my @ends = ($routine->{prosrc} =~ /\b(?:COMMIT|ROLLBACK);\s*(.*?)\n/g);
		$reason{ $routine->{name} } =
			$routine->{prosecdef} && ($routine->{extname} ne 'idgen_registry' || $routine->{public} || !$is_pinned) ? 'security definer'
		  : $routine->{lanname} =~ /^(c|internal)$/ || $routine->{parsed} ? $settings && 'has settings'
		  : $is_pinned ? ''
		  : $routine->{prokind} ne 'p' || $routine->{lanname} ne 'plpgsql' ? 'no search_path'
		  : $declared =~ /:=|DEFAULT|=/ ? 'computes before it sets the path'
		  : $body !~ /^\s*\Q$pin\E/ ? 'does not begin with the path'
		  : $routine->{name} !~ /refuse_block/ && grep({ $_ ne $pin } @ends) ? 'no path after a COMMIT' : '';
	}
	return map { "$_: $reason{$_}" } sort grep { $reason{$_} } keys %reason;
}
my %kinds = map { $_->[0] => $_->[1] } @{ $session->selectall_arrayref(q{SELECT concat(lanname, ' ', prokind), count(*) FROM routine GROUP BY 1}) };
is_deeply([ loose_routines() ], [],
	join(', ', map { "$_ $kinds{$_}" } sort keys %kinds) . ': each finds what it calls in pg_catalog or by OID');
is_deeply([ list_of(q{SELECT oid::regprocedure FROM routine WHERE extname <> 'idgen' AND lanname = 'plpgsql' AND array_length(string_to_array(btrim(prosrc, E'\n'), E'\n'), 1) > 50}) ],
	[], 'no routine in PL/pgSQL has more than 50 lines');

# Not for every owner of a database to create: SECURITY.md says why.
is_deeply([ list_of(q{SELECT name FROM pg_available_extension_versions WHERE name LIKE 'idgen%' AND (trusted OR NOT superuser)}) ],
	[], 'only a superuser creates the extensions');

# Stored expressions: bodies, defaults, views, policies, constraints. Every operator, function and type in them by its
# OID.
my $trees = <<'SQL';
SELECT oid::regprocedure::text AS holder, prosqlbody::text AS tree FROM routine WHERE prosqlbody IS NOT NULL
UNION ALL SELECT oid::regprocedure || ' defaults', proargdefaults::text FROM routine WHERE proargdefaults IS NOT NULL
UNION ALL SELECT ev_class::regclass::text, ev_action::text FROM pg_rewrite JOIN member ON classid = 'pg_class'::regclass AND objid = ev_class
UNION ALL SELECT adrelid::regclass || ' default', adbin::text FROM pg_attrdef JOIN member ON classid = 'pg_class'::regclass AND objid = adrelid
UNION ALL SELECT conname, conbin::text FROM pg_constraint JOIN member ON classid = 'pg_class'::regclass AND objid = conrelid WHERE conbin IS NOT NULL
UNION ALL SELECT polname, concat(polqual::text, polwithcheck::text) FROM pg_policy JOIN member ON classid = 'pg_class'::regclass AND objid = polrelid
SQL
my $foreign = <<"SQL";
WITH used AS (
    SELECT holder, m[1] AS what, m[2]::oid AS oid FROM ($trees) t, regexp_matches(tree, ':(opno|opfuncid|funcid|aggfnoid|winfnoid|eqop|sortop|resulttype|vartype|consttype|funcresulttype) ([0-9]+)', 'g') m
    UNION ALL SELECT 'operator ' || o.oid::regoperator, 'funcid', f FROM member JOIN pg_operator o ON classid = 'pg_operator'::regclass AND objid = o.oid, unnest(ARRAY[oprcode, oprrest, oprjoin]::oid[]) f
    UNION ALL SELECT 'family ' || opfname, 'opno', amopopr FROM member JOIN pg_opfamily f ON classid = 'pg_opfamily'::regclass AND objid = f.oid JOIN pg_amop ON amopfamily = f.oid
    UNION ALL SELECT 'family ' || opfname, 'funcid', amproc FROM member JOIN pg_opfamily f ON classid = 'pg_opfamily'::regclass AND objid = f.oid JOIN pg_amproc ON amprocfamily = f.oid
    UNION ALL SELECT 'aggregate ' || aggfnoid::regprocedure, 'funcid', f FROM routine JOIN pg_aggregate ON aggfnoid = oid, unnest(ARRAY[aggtransfn, aggcombinefn, aggfinalfn]::oid[]) f
    UNION ALL SELECT 'type ' || typname, 'funcid', f FROM member JOIN pg_type t ON classid = 'pg_type'::regclass AND objid = t.oid, unnest(ARRAY[typinput, typoutput, typreceive, typsend]::oid[]) f
    UNION ALL SELECT 'cast', 'funcid', castfunc FROM member JOIN pg_cast c ON classid = 'pg_cast'::regclass AND objid = c.oid),
known AS (
    SELECT u.*, CASE WHEN what IN ('opno', 'eqop', 'sortop') THEN 'pg_operator' WHEN what LIKE '%type' THEN 'pg_type' ELSE 'pg_proc' END::regclass AS class FROM used u WHERE oid <> 0)
SELECT count(*) AS uses, count(DISTINCT holder) AS holders,
       coalesce(string_agg(DISTINCT holder || ' uses ' || pg_describe_object(class, oid, 0), '; ') FILTER (WHERE oid >= 16384 AND NOT EXISTS (
           SELECT FROM pg_depend d WHERE d.classid = class AND d.objid = known.oid AND d.deptype IN ('e', 'i')
              AND (d.refclassid = 'pg_extension'::regclass AND d.refobjid IN (SELECT oid FROM pg_extension WHERE extname IN ('idgen', 'idgen_kinds', 'idgen_migrate', 'idgen_lease', 'idgen_registry', 'plpgsql'))
                   OR EXISTS (SELECT FROM member m WHERE m.classid = d.refclassid AND m.objid = d.refobjid)))), '') AS foreign
  FROM known
SQL
my ($uses, $holders, $strangers) = $session->selectrow_array($foreign);
is($strangers, '', "$uses uses of functions, operators and types in $holders stored expressions, operators, families and types: all in pg_catalog or our own");
cmp_ok($uses, '>', 400, 'stored expressions use many functions, operators and types');
is_deeply([ list_of(<<'SQL') ], [], 'nothing of ours depends on anything else');
SELECT pg_describe_object(d.classid, d.objid, d.objsubid) || ' on ' || pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid)
  FROM member m JOIN pg_depend d ON d.classid = m.classid AND d.objid = m.objid AND d.deptype <> 'e'
 WHERE d.refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass, 'pg_type'::regclass, 'pg_class'::regclass, 'pg_cast'::regclass)
   AND d.refobjid >= 16384 AND NOT EXISTS (SELECT FROM member o WHERE o.classid = d.refclassid AND o.objid = d.refobjid)
   AND NOT EXISTS (SELECT FROM pg_type t JOIN member o ON o.objid IN (t.typrelid, t.typelem) WHERE d.refclassid = 'pg_type'::regclass AND t.oid = d.refobjid)
SQL

# Rights: what the page's tables say, and what the catalog has.
my $page = slurp_file("$FindBin::Bin/../../../docs/security.md");
my ($rights) = $page =~ /^## Rights\n(.*?)^## /ms;
my (%said, %rest);
while ($rights =~ /^\| (.*?) \| (.*?) \| (.*?) \| (.*?) \| (.*?) \|$/gm)
{
	my ($objects, @cells) = ($1, $2, $3, $4, $5);
	next if $objects =~ /^(object|-+)$/;
	if (my ($kind, $of) = $objects =~ /^every (?:other )?(function|type) of ([^:]*)/) { $rest{"$kind $_"} = \@cells for $of =~ /`(\w+)`/g; next }
	my ($kind) = $objects =~ /^(\w+)/;
	$said{"$kind $_"} = \@cells for $objects =~ /`([^`]+?)(?:\(\))?`/g;
}
my @roles = ('app', 'monitor', 'owner', 'dba');    # PUBLIC, pg_monitor, the owner of a table, a superuser
$session->do('CREATE ROLE owner LOGIN');
# A role that default privileges favor has what PUBLIC has.
sub cells_of
{
	my ($question) = @_;
	my ($favored, @cells) = map { value_of($session, $question, $_) // '-' } 'favored', @roles;
	return $favored eq $cells[0] ? \@cells : "favored: $favored";
}
my $any_write = 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER' . ($node->pg_version >= 17 ? ', MAINTAIN' : '');
my %had;
# By the schema in which it stands: no name of one where that is the user's choice.
for my $one (@{ $session->selectall_arrayref(q{SELECT extname, proname, routine.oid, CASE WHEN nspname <> 'id gen' THEN nspname || '.' END FROM routine JOIN pg_namespace n ON n.oid = pronamespace}) })
{
	my ($extension, $name, $oid, $schema) = @$one;
	my $key = 'function ' . ($schema // '') . $name;
	my $cells = cells_of("SELECT CASE WHEN has_function_privilege(\$1, $oid, 'EXECUTE') THEN 'call' END");
	my $expected = $said{$key} // $rest{"function $extension"};
	is_deeply($cells, $expected, "$key($oid)") or next;
	$had{$key} = 1;
}
for my $one (@{ $session->selectall_arrayref(q{SELECT c.relnamespace::regnamespace || '.' || c.relname, c.relkind, c.oid FROM member m JOIN pg_class c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid WHERE relkind <> 'c'}) })
{
	my ($name, $kind, $oid) = @$one;
	my $key = { r => 'table', v => 'view', S => 'sequence' }->{$kind} . " $name";
	my $cells = cells_of(<<"SQL");
SELECT string_agg(w, ', ' ORDER BY o) FROM (VALUES
    (1, 'read', has_table_privilege(\$1, $oid, 'SELECT')),
    (2, 'write own rows', '$kind' = 'r' AND has_any_column_privilege(\$1, $oid, 'INSERT') AND has_any_column_privilege(\$1, $oid, 'UPDATE') AND NOT has_table_privilege(\$1, $oid, '$any_write')),
    (3, 'write', CASE WHEN '$kind' = 'S' THEN has_sequence_privilege(\$1, $oid, 'USAGE, UPDATE') ELSE has_table_privilege(\$1, $oid, '$any_write') END)) p(o, w, has) WHERE has
SQL
	is_deeply($cells, $said{$key}, $key);
	$had{$key} = 1;
}
for my $type (list_of(q{SELECT t.oid::regtype FROM member m JOIN pg_type t ON m.classid = 'pg_type'::regclass AND t.oid = m.objid WHERE typtype = 'b' AND typcategory <> 'A'}))
{
	my ($name) = $type =~ /(\w+)$/;
	is_deeply(cells_of("SELECT CASE WHEN has_type_privilege(\$1, '$type', 'USAGE') THEN 'use' END"),
		$said{"type $name"}, "type $name");
	$had{"type $name"} = 1;
}
for my $schema ('idgen', 'idgen_lease', 'idgen_migrate', 'idgen_registry')
{
	my $cells = cells_of(qq{SELECT nullif(concat_ws(', ', CASE WHEN has_schema_privilege(\$1, '$schema', 'USAGE') THEN 'use' END, CASE WHEN has_schema_privilege(\$1, '$schema', 'CREATE') THEN 'create' END), '')});
	is_deeply($cells, $said{"schema $schema"}, "schema $schema");
	$had{"schema $schema"} = 1;
}
is_deeply([ list_of(q{SELECT oid::regprocedure::text FROM routine WHERE has_function_privilege('idgen_node', oid, 'EXECUTE') AND NOT has_function_privilege('app', oid, 'EXECUTE') ORDER BY 1}) ],
	[ list_of(q{SELECT oid::regprocedure::text FROM routine WHERE prosecdef OR proname = 'next_range' ORDER BY 1}) ], 'members of idgen_node may call what runs as its owner, what they take ranges by, and nothing else');
my ($calls) = $page =~ /^- Thirteen functions of `idgen_registry` are `SECURITY DEFINER`: (.*?)\. /ms;
is_deeply([ sort $calls =~ /`(\w+)\(\)`/g ], [ list_of('SELECT proname FROM routine WHERE prosecdef ORDER BY 1') ], 'the page names them');
is(value_of($session, q{SELECT relrowsecurity FROM pg_class WHERE oid = 'idgen_migrate.job'::regclass}), 1,
	'rows of others are hidden by a policy');
is_deeply([ grep { !$had{$_} } sort keys %said ], [], 'the page names nothing that is not there');
$session->do('SET search_path = "id gen"');
$session->do(slurp_file("$FindBin::Bin/../../../sql/called.sql") =~ s/CREATE VIEW/CREATE TEMP VIEW/r);
is_deeply([ grep { !$said{"function $_"} } list_of(q{SELECT DISTINCT CASE WHEN nspname <> 'id gen' THEN nspname || '.' ELSE '' END || c.proname FROM called c JOIN pg_proc USING (oid) JOIN pg_namespace n ON n.oid = pronamespace ORDER BY 1}) ], [],
  'the page names every function that people call');
# Which nobody calls by name, and which are not a part of a type or an aggregate, whose rights say the same.
is_deeply([ grep { !$said{"function $_"} } list_of(q{SELECT DISTINCT CASE WHEN nspname <> 'id gen' THEN nspname || '.' ELSE '' END || proname FROM routine JOIN pg_namespace n ON n.oid = pronamespace
  WHERE prorettype = 'internal'::regtype AND NOT EXISTS (SELECT FROM pg_aggregate WHERE routine.oid IN (aggtransfn, aggcombinefn)) ORDER BY 1}) ], [], 'and every function that the planner calls, or puts into statements');

# What PUBLIC may call, and why. Immutable functions compute from what they are given; those of idgen_migrate do what they do with
# the rights of their caller, whom they ask what he owns. Of the others, each by its name:
my %why = (
	'makes IDs, as a DEFAULT does for whoever may INSERT' => [qw(next_id next_ids next_id_array next_id_after idgen.next_id idgen.draw next_decimal_id next_ulid next_uuidv7 next_ksuid next_objectid next_nanoid hlc_now)],
	'makes a value of what it is given, and chance'       => [qw(id_to_uuidv8 uuidv7_make)],
	'reads the clock'                                     => [qw(clock_bounds hlc_receive wait_until_past)],
	'reads what a session may do'                         => [qw(idgen.own_shards idgen.instagram idgen.require_library)],
	'computes, by the time zones that the server has'     => [qw(id_layouts id_partition_bounds idgen.audit_presets)],
	'keeps who reads by ID from losing rows'              => [qw(id_settled)],
	'says whether all is well; numbers are for monitors'  => [qw(idgen.status)],
	'reads a table with the rights of its caller'         => [qw(idgen.audit idgen.audit_row idgen.audit_end idgen.layout_of_default)],
	'puts a trigger on a table of its caller, which counts' => [qw(idgen.watch idgen.unwatch idgen.watch_shard)]);
sub without_reason
{
	my %has_reason = map { $_ => 1 } map { @$_ } values %why;
	my @may = list_of(q{SELECT DISTINCT CASE WHEN nspname <> 'id gen' THEN nspname || '.' ELSE '' END || proname FROM routine JOIN pg_namespace n ON n.oid = pronamespace
	  WHERE extname <> 'idgen_migrate' AND provolatile <> 'i' AND has_function_privilege('app', routine.oid, 'EXECUTE') AND has_schema_privilege('app', n.oid, 'USAGE')});
	my %may = map { $_ => 1 } @may;
	my @wrong = (grep({ !$has_reason{$_} } @may), map { "$_, which it may not" } grep { !$may{$_} } keys %has_reason);
	return @wrong;
}
is_deeply([ without_reason() ], [], 'for every function that PUBLIC may call there is a reason');

# Each check notices: what is done here is taken back.
my @breaks = (
	[ 'a path taken away', 'ALTER FUNCTION idgen_migrate.guard(oid) RESET search_path', sub { scalar loose_routines() } ],
	[ 'security definer', 'ALTER FUNCTION idgen.status() SECURITY DEFINER', sub { scalar loose_routines() } ],
	[ 'a call of the registry for PUBLIC', 'GRANT USAGE ON SCHEMA idgen_registry TO PUBLIC; GRANT EXECUTE ON FUNCTION idgen_registry.list(integer, integer) TO PUBLIC', sub { scalar loose_routines() } ],
	[ 'a function for PUBLIC', 'GRANT EXECUTE ON FUNCTION "id gen".id_to_public TO PUBLIC', sub { scalar without_reason() } ],
	[ 'a path on a function in C', 'ALTER FUNCTION "id gen".id_min(timestamptz, "id gen".id_layout) SET search_path = pg_catalog', sub { scalar loose_routines() } ],
	[ 'an operator of somebody else', <<'SQL', sub { ($session->selectrow_array($foreign))[2] } ]);
CREATE FUNCTION public.never(oid, oid) RETURNS boolean LANGUAGE sql AS 'SELECT false';
CREATE OPERATOR public.=== (LEFTARG = oid, RIGHTARG = oid, FUNCTION = public.never);
ALTER POLICY table_owner ON idgen_migrate.job USING (relation::oid OPERATOR(public.===) 1::oid)
SQL
for (@breaks)
{
	my ($what, $sql, $check) = @$_;
	$session->begin_work;
	$session->do($sql);
	ok($check->(), "noticed: $what");
	$session->rollback;
}

# What the page says of roles that read or write all data, and of those who take ranges.
{
	$session->do($_)
	  for 'CREATE ROLE all_reader LOGIN IN ROLE pg_read_all_data', 'CREATE ROLE all_writer LOGIN IN ROLE pg_write_all_data', 'CREATE ROLE taker LOGIN IN ROLE idgen_node',
	  'CREATE SCHEMA AUTHORIZATION taker', q{SELECT idgen_registry.create_counter('orders')};
	my ($reader, $writer, $taker, $other, $app) = map { connect_to($node, user => $_) } qw(all_reader all_writer taker taker app);
	my $next_range = q{CALL idgen_registry.next_range('orders', 5)};
	for my $table (qw(registry lease creation counter taken))
	{
		ok(eval { $reader->do("SELECT * FROM idgen_registry.$table"); 1 }, "pg_read_all_data: reads $table");
		$writer->begin_work;
		ok(eval { $writer->do($_); 1 },
			"pg_write_all_data: $_") for "LOCK TABLE idgen_registry.$table IN ACCESS EXCLUSIVE MODE", "DELETE FROM idgen_registry.$table";
		$writer->rollback;
	}
	fails_with($_, 'SELECT idgen_registry.identity()', '42501', qr/permission denied for function/,
		'all data: no call of the registry') for $reader, $writer;
	is(value_of($other, $next_range), '[1,6)', 'a range');
	$writer->do('UPDATE idgen_registry.counter SET last = 0, run_start = 1');
	is(value_of($other, $next_range), '[1,6)', 'pg_write_all_data: a range is given twice');

	for my $sequence (qw(idgen.horizon idgen.generator idgen.origin idgen_lease.record))
	{
		my $value = $sequence =~ /horizon/ ? 946684800000 : 1;
		ok(eval { $writer->do("SELECT setval('$sequence', $value)"); 1 }, "pg_write_all_data: setval of $sequence");
		fails_with($writer, "ALTER SEQUENCE $sequence RESTART", '42501', qr/must be owner/,
			"pg_write_all_data: ALTER SEQUENCE $sequence");
		fails_with($reader, "SELECT setval('$sequence', 1)", '42501', qr/permission denied/,
			"pg_read_all_data: setval of $sequence");
	}
	my $before = value_of($session, 'SELECT "id gen".next_id()');
	cmp_ok(value_of($session, 'SELECT "id gen".next_id()'), '>', $before, 'pg_write_all_data: IDs go on');

	$app->do($_) for 'CREATE TEMP TABLE moved (id bigint)', q{INSERT INTO idgen_migrate.job (relation, id_column, kind, step) VALUES ('moved', 'id', 'backfill', 'filling')};
	for ([ 'pg_read_all_data', $reader ], [ 'pg_write_all_data', $writer ])
	{
		my ($what, $role) = @$_;
		is(value_of($role, 'SELECT count(*) FROM idgen_migrate.job'), 0, "$what: sees no job of others");
		is(eval { $role->do(q{UPDATE idgen_migrate.job SET step = 'done'}) + 0 }, 0, "$what: changes none");
	}
	ok(!eval { $_->do('LOCK TABLE idgen_migrate.job IN EXCLUSIVE MODE') }, 'job: cannot be locked') for $app, $reader;
	$writer->begin_work;
	ok(eval { $writer->do('LOCK TABLE idgen_migrate.job IN ACCESS EXCLUSIVE MODE'); 1 },
		'pg_write_all_data: locks job');
	$writer->rollback;

	# Ranges: what is taken and rolled back was told to nobody.
	$taker->begin_work;
	my $key = value_of($taker, q{SELECT idgen_registry.take_range('orders', 5)});
	$other->do('SET lock_timeout = 100');
	fails_with($other, $next_range, '55P03', qr/lock timeout/, 'take_range(): others wait for it');
	fails_with($taker, "SELECT idgen_registry.taken_range('$key')", '25000', qr/told only after a COMMIT/,
	  'take_range(): the range is not told before the COMMIT');
	$taker->rollback;
	is(value_of($other, $next_range), '[6,11)', 'others get the numbers');
	$taker->begin_work;
	is(value_of($taker, q{SELECT first FROM idgen_registry.fetch_ranges(idgen_registry.identity(), ARRAY['orders'::bytea], ARRAY[5], ARRAY[1], ARRAY[0])}),
		11, 'a call of a node that is rolled back');
	$taker->rollback;
	is(value_of($other, $next_range), '[11,16)', 'a call of a node that is rolled back: its numbers come again');
	$_->disconnect for $reader, $writer, $taker, $other, $app;
}

# A function next_id(integer) is the better match for next_id(5), in any schema of the path, and runs with its caller's
# rights. In a database that came from 14 every role can make one in public.
{
	my $root = $session;
	$root->do($_) for 'CREATE ROLE mallory LOGIN', 'CREATE ROLE writer', 'CREATE ROLE deputy IN ROLE owner', 'CREATE DATABASE open OWNER owner';
	my @warnings;
	local $SIG{__WARN__} = sub { push @warnings, @_ };
	my $boss = connect_to($node, db => 'open');
	$boss->{PrintWarn} = 1;
	my @create = ('CREATE EXTENSION idgen SCHEMA ids', 'CREATE EXTENSION idgen_kinds SCHEMA kinds', 'CREATE EXTENSION idgen_lease SCHEMA leases');
	my $extend = sub {
		$boss->do('DROP EXTENSION idgen, idgen_kinds, idgen_lease') if value_of($boss, q{SELECT count(*) FROM pg_extension WHERE extname = 'idgen'});
		@warnings = ();
		$boss->do($_) for @create;
		return scalar @warnings;
	};
	my $row = sub { return $boss->selectrow_arrayref(q{SELECT value, ok::int, advice FROM idgen.status() WHERE key = 'schemas'}) };
	$boss->do("CREATE SCHEMA $_; GRANT USAGE ON SCHEMA $_ TO PUBLIC") for qw(ids kinds leases);
	my $closed = [ 'no ordinary role may create functions in ids, kinds, leases, nor PUBLIC in public', 1, undef ];
	is($extend->(), 0, 'schemas in which nobody else may create: no warning') or diag("@warnings");
	is_deeply($row->(), $closed, 'schemas in which nobody else may create: the row says so');

	# Those who are trusted anyway: superusers, the owner of the database, its members, members of the owner of the
	# schema. In public others than PUBLIC may make their tables.
	$boss->do($_) for 'GRANT dba TO writer', 'ALTER SCHEMA kinds OWNER TO dba', 'GRANT CREATE ON SCHEMA kinds TO writer', 'ALTER SCHEMA leases OWNER TO owner', 'GRANT CREATE ON SCHEMA ids TO dba, owner, deputy, pg_database_owner', 'GRANT CREATE ON SCHEMA public TO app';
	is($extend->(), 0, 'roles that are trusted: no warning') or diag("@warnings");
	is_deeply($row->(), $closed, 'roles that are trusted: the row');

	# Each way in, and that the advice closes it.
	my $instead = 'a function next_id(integer) there would be called for next_id(5)';
	for my $case (
		[ ['GRANT CREATE ON SCHEMA public TO PUBLIC'], 'PUBLIC may create functions in public', 'REVOKE CREATE ON SCHEMA public FROM PUBLIC', 3 ],
		[ ['GRANT CREATE ON SCHEMA ids TO PUBLIC'], 'PUBLIC may create functions in ids', 'REVOKE CREATE ON SCHEMA ids FROM PUBLIC', 1 ],
		[ ['GRANT CREATE ON SCHEMA kinds TO mallory'], 'mallory may create functions in kinds', 'REVOKE CREATE ON SCHEMA kinds FROM mallory', 1 ],
		[ [ 'GRANT CREATE ON SCHEMA leases TO mallory WITH GRANT OPTION', 'SET ROLE mallory', 'GRANT CREATE ON SCHEMA leases TO app', 'RESET ROLE' ],
			'mallory, app may create functions in leases', 'REVOKE CREATE ON SCHEMA leases FROM mallory, app CASCADE', 1 ],
		[ [ 'GRANT CREATE ON SCHEMA ids TO mallory', 'GRANT CREATE ON SCHEMA public TO PUBLIC' ],
			'mallory may create functions in ids, PUBLIC may create functions in public', 'REVOKE CREATE ON SCHEMA ids FROM mallory; REVOKE CREATE ON SCHEMA public FROM PUBLIC', 4 ],
		[ ['ALTER SCHEMA leases OWNER TO mallory'], 'mallory owns leases', 'ALTER SCHEMA leases OWNER TO CURRENT_USER', 1 ],
		[ [ 'REVOKE ALL ON SCHEMA ids FROM CURRENT_USER', 'ALTER SCHEMA ids OWNER TO app', 'GRANT CREATE ON SCHEMA ids TO mallory' ],
			'app owns ids, mallory may create functions in ids', 'ALTER SCHEMA ids OWNER TO CURRENT_USER; REVOKE CREATE ON SCHEMA ids FROM mallory', 2 ])
	{
		my ($grants, $who, $advice, $count) = @$case;
		$boss->do($_) for @$grants;
		is($extend->(), $count, "$who: warnings");
		for (grep { $advice !~ /;/ } @warnings)
		{
			like($_, qr/^WARNING:  \Q$who\E\nDETAIL:  .*\Qnext_id(integer)\E.*\nHINT:  \Q$advice\E, /,
				"$who: a warning");
		}
		is_deeply($row->(), [ "$who: $instead", 0, $advice ], "$who: the row");
		$boss->do($advice);
		is_deeply($row->(), $closed, "$who: the advice followed");
		is($extend->(), 0, "$who: the advice followed: no warning");
	}

	# What it is all about, and what is safe meanwhile.
	$boss->do($_) for 'GRANT CREATE ON SCHEMA public TO PUBLIC', 'CREATE TABLE ids.photo (id bigint DEFAULT ids.next_id(5))', 'GRANT SELECT, INSERT ON ids.photo TO app';
	my ($mallory, $app) = map { connect_to($node, db => 'open', user => $_) } qw(mallory app);
	$app->do('SET search_path = "$user", public, ids');
	$app->do('CREATE TEMP TABLE bound (id bigint DEFAULT next_id(5))');
	$mallory->do(q{CREATE FUNCTION public.next_id(integer) RETURNS bigint LANGUAGE sql AS 'SELECT 666::bigint'});
	is(value_of($app, 'SELECT next_id(5)'), 666, 'PUBLIC may create in public: next_id(5) is another function');
	cmp_ok(value_of($app, 'SELECT ids.next_id(5)'), '>', 666, 'PUBLIC may create in public: ids.next_id(5) is not');
	cmp_ok(value_of($app, "INSERT INTO $_ DEFAULT VALUES RETURNING id"), '>', 666,
		"PUBLIC may create in public: the DEFAULT of $_ is idgen's") for qw(bound ids.photo);
	$boss->do($row->()->[2]);
	fails_with($mallory,
		q{CREATE FUNCTION public.next_id(smallint) RETURNS bigint LANGUAGE sql AS 'SELECT 666::bigint'}, '42501',
		qr/permission denied for schema public/, 'the advice followed');
	$_->disconnect for $boss, $mallory, $app;
	$root->do('DROP DATABASE open');
}

# idgen.next_id() asks for the right to call next_id(), wherever that stands: also after a dump, which knows nothing of
# such a rule; in each statement anew, also a prepared one; and in a default that COPY plans.
{
	my ($one, $two) = map { my $db = $_; $session->do("CREATE DATABASE $db"); { name => $db, boss => connect_to($node, db => $db) } } qw(asked restored);
	$one->{boss}->do($_) for 'CREATE SCHEMA ids', 'CREATE EXTENSION idgen SCHEMA ids', 'GRANT USAGE ON SCHEMA ids TO app', 'CREATE TABLE t (n int, id bigint DEFAULT idgen.next_id())', 'GRANT SELECT, INSERT ON t TO app';
	my ($with, $without) = ('GRANT EXECUTE ON FUNCTION ids.next_id(bigint, ids.id_layout) TO PUBLIC', 'REVOKE EXECUTE ON FUNCTION ids.next_id(bigint, ids.id_layout) FROM PUBLIC');
	my $refused = sub {
		my ($db, $what) = @_;
		my $app = connect_to($node, db => $db, user => 'app');
		fails_with($app, $_, '42501', qr/permission denied for function next_id/, "$what: $_")
		  for 'SELECT idgen.next_id()', 'SELECT ids.next_id()', 'INSERT INTO t VALUES (1)';
		return $app->disconnect;
	};
	my $app = connect_to($node, db => 'asked', user => 'app');
	$app->do('PREPARE p AS SELECT idgen.next_id()');
	cmp_ok(value_of($app, 'EXECUTE p'), '<', value_of($app, 'SELECT ids.next_id()'), 'idgen.next_id(): an ID as those of next_id()');
	$one->{boss}->do($without);
	fails_with($app, 'EXECUTE p', '42501', qr/permission denied for function next_id/, 'idgen.next_id(): a statement that was prepared before');
	$refused->('asked', 'idgen.next_id()');
	$app->disconnect;
	my $dump = PostgreSQL::Test::Utils::tempdir() . '/dump';
	$node->command_ok([ 'pg_dump', '-f', $dump, '-d', $node->connstr('asked') ], 'idgen.next_id(): a dump');
	$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $dump, '-d', $node->connstr('restored') ], 'idgen.next_id(): it is restored');
	$refused->('restored', 'idgen.next_id(), restored');
	$two->{boss}->do($with);
	$app = connect_to($node, db => 'restored', user => 'app');
	$app->do('INSERT INTO t VALUES (1)');
	$app->do('COPY t (n) FROM STDIN');
	$app->pg_putcopydata("1\n" x 100);
	$app->pg_putcopyend;
	is(value_of($app, 'SELECT count(DISTINCT id) FROM t'), 101, 'idgen.next_id(): by INSERT and by COPY, once granted');
	$_->disconnect for $app, map { $_->{boss} } $one, $two;
	$session->do("DROP DATABASE $_") for qw(asked restored);
}

$session->disconnect;
done_testing();
