# A server of the version before this one, built from git, gets this version below it: files are exchanged while it runs,
# it restarts, and ALTER EXTENSION updates each database while sessions write, draw and read by ID. What is stored stays,
# and each database ends as one made now, wherever the extensions stand.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../t/lib";
use IdgenNode;
use IdgenReader;
use IdgenVersions;
use POSIX qw(_exit);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my ($earlier, $this) = (earlier_version(), this_version());
my @extensions = qw(idgen idgen_kinds idgen_lease idgen_migrate idgen_registry);
my $server = copy_server('server');
install_earlier($server);
my $script = extension_folder($server) . "/idgen--$earlier.sql";
my $script_before = slurp_file($script);
my $node = start_node('server', server => $server, preload => 1, extension => 0, conf => [
	q{idgen.shards = '5'}, q{idgen.keys = '1:000102030405060708090a0b0c0d0e0f'}, 'idgen.decimal_launch = 3', 'max_wal_size = 1GB' ]);

# Where the extensions stand in a database: in the schemas that a user has if nothing is chosen, or in chosen ones.
my %schema_of = (plain => {}, chosen => { idgen => 'ids', idgen_kinds => 'kinds', idgen_lease => 'tickets' });

sub create_extensions
{
	my ($db, $schemas) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $db");
	for my $extension (@extensions)
	{
		my $schema = $schemas->{$extension};
		$node->safe_psql($db, ($schema ? "CREATE SCHEMA $schema; " : '') . "CREATE EXTENSION $extension" . ($schema ? " SCHEMA $schema" : ''));
	}
	$node->safe_psql('postgres', "ALTER DATABASE $db SET search_path = ids, kinds, tickets, public");
	return;
}

my $filling = <<'SQL';
CREATE TABLE event (id bigint PRIMARY KEY DEFAULT next_id(), at timestamptz GENERATED ALWAYS AS (id_time(id)) STORED);
CREATE TABLE photo (id id64 PRIMARY KEY DEFAULT next_id(), key ulid UNIQUE DEFAULT next_ulid(), token uuid DEFAULT next_uuidv7(),
    segment ksuid DEFAULT next_ksuid(), object objectid DEFAULT next_objectid(), number bigint UNIQUE DEFAULT next_decimal_id(),
    tag text DEFAULT next_nanoid(), made_by text DEFAULT 'before');
CREATE TABLE shot (id bigint PRIMARY KEY DEFAULT next_id(layout => 'epoch=2020-01-01 unit=100us time=47 shard=8 sequence=8'),
    other bigint DEFAULT next_id(5, 'idgen'), layout id_layout DEFAULT 'epoch=2020-01-01 unit=1ms time=41 shard=13 sequence=9');
CREATE TABLE parts (id bigint DEFAULT next_id()) PARTITION BY RANGE (id);
CREATE TABLE parts_all PARTITION OF parts FOR VALUES FROM (1) TO (9223372036854775807);
CREATE INDEX ON photo USING hash (key);
CREATE INDEX ON photo USING brin (object);
CREATE VIEW recent AS SELECT id::text, id_to_public(id::bigint, 1, 'photo', 'cus') AS public, id_to_base62(id::bigint), key::text, token, uuid_time(token),
    segment::text, object::text, number, decimal_id_decode(number)::text FROM photo WHERE id_within(id::bigint, '[2020-01-01, 2060-01-01)') AND made_by = 'before';
CREATE FUNCTION made() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT next_id() + 0; END;
INSERT INTO photo SELECT FROM generate_series(1, 500);
INSERT INTO shot SELECT FROM generate_series(1, 500);
INSERT INTO parts SELECT made() FROM generate_series(1, 500);
SQL

# What users have of it, as text: rows, defaults, definitions, layouts.
sub state_of
{
	my ($db) = @_;
	return $node->safe_psql($db, <<'SQL');
SELECT md5(string_agg(r::text, E'\n' ORDER BY r::text)) FROM recent r;
SELECT md5(string_agg(s::text, E'\n' ORDER BY id)), min(layout::text), min(id_shard(id, 'epoch=2020-01-01 unit=100us time=47 shard=8 sequence=8')) FROM shot s;
SELECT md5(string_agg(id::text, ' ' ORDER BY id)) FROM parts;
SELECT adrelid::regclass, adnum, pg_get_expr(adbin, adrelid) FROM pg_attrdef d
 WHERE NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = d.adrelid AND deptype = 'e') ORDER BY adrelid::regclass::text, 2;
SELECT pg_get_viewdef('recent'::regclass), pg_get_functiondef('made()'::regprocedure);
SELECT * FROM id_layouts();
SQL
}

# IDs of all kinds: none is made again, and each that rises is above all before.
my (%made, %highest);

sub makes_ids
{
	my ($what) = @_;
	for my $db (sort keys %schema_of)
	{
		my $session = connect_to($node, db => $db);
		my %draws = (
			bigint  => 'SELECT unnest(next_id_array(1000))',
			ulid    => 'SELECT next_ulid()::text FROM generate_series(1, 100)',
			uuid    => 'SELECT next_uuidv7()::text FROM generate_series(1, 100)',
			decimal => 'SELECT next_decimal_id() FROM generate_series(1, 100)',
			own     => q{SELECT next_id(5, 'epoch=2020-01-01 unit=100us time=47 shard=8 sequence=8') FROM generate_series(1, 100)});
		my @wrong = grep {
			my $kind = $_;
			my @ids = @{ $session->selectcol_arrayref($draws{$kind}) };
			my $is_wrong = repeated($made{"$db $kind"} //= {}, @ids) || ($kind ne 'decimal' && defined $highest{"$db $kind"} && $ids[0] le $highest{"$db $kind"});
			$highest{"$db $kind"} = $ids[-1];
			$is_wrong;
		} sort keys %draws;
		is("@wrong", '', "$what: $db: no ID is made again, none is lower than one before");
		$session->disconnect;
	}
	return;
}

# Sessions that write events, some of them late, in transactions of which some are rolled back; they connect again if
# their server is gone. A duplicate ends them.
my $writing = PostgreSQL::Test::Utils::tempdir() . '/writing';

sub begin_writer
{
	my ($number) = @_;
	my $parent = $$;
	my $pid = fork // die "fork: $!";
	return $pid if $pid;
	srand $number;
	my ($session, $written) = (undef, 0);
	until (-e "$writing.end")
	{
		_exit(1) if getppid != $parent;
		my $done = eval {
			$session //= connect_to($node, db => 'plain');
			$session->begin_work;
			$session->do('INSERT INTO event DEFAULT VALUES') for 1 .. 1 + rand 3;
			sleep 0.05 * rand;
			rand() < 0.8 ? $session->commit : $session->rollback;
			$written++;
			1;
		};
		next if $done;
		_exit(1) if $session && ($session->state // '') =~ /^(?:23|XX|22)/;
		$session = undef;
		sleep 0.05;
	}
	append_to_file("$writing.$number", $written);
	_exit(0);
}

# What default privileges give somebody that PUBLIC should not have.
my $favored = <<'SQL';
SELECT string_agg(given, ', ') FROM (SELECT pg_describe_object(classid, objid, 0) FROM pg_depend LEFT JOIN pg_proc p ON (classid, objid) = ('pg_proc'::regclass, p.oid) LEFT JOIN pg_class c ON (classid, objid) = ('pg_class'::regclass, c.oid)
 WHERE deptype = 'e' AND refobjid IN (SELECT oid FROM pg_extension WHERE extname ~ '^idgen')
   AND (c.relacl::text ~ '[{,](favored=|=r?[^r/])' OR has_function_privilege('favored', p.oid, 'EXECUTE') AND NOT has_function_privilege('public', p.oid, 'EXECUTE'))
 UNION ALL SELECT concat('schema ', nspname) FROM pg_namespace WHERE nspname = 'idgen_registry' AND nspacl::text ~ '[{,](favored)?=') g(given)
SQL

# Nobody has more by default privileges of when the extensions were made, nor less of what was given by hand, in a dump, too.
sub updates_born
{
	my $other = connect_to($node, db => 'born');
	my $by_hand = q{SELECT string_agg(d.defined, ', ' ORDER BY d.defined COLLATE "C") FROM (SELECT pg_describe_object('pg_proc'::regclass, p.oid, 0) FROM pg_proc p, aclexplode(proacl) a WHERE a.grantee = 'helper'::regrole
		UNION ALL SELECT concat(pg_describe_object('pg_class'::regclass, c.oid, 0), ' ', privilege_type) FROM pg_class c, aclexplode(relacl) a WHERE a.grantee = 'helper'::regrole
		UNION ALL SELECT nspname FROM pg_namespace, aclexplode(nspacl) a WHERE a.grantee = 'helper'::regrole) d(defined)};
	my $before = value_of($other, $by_hand);
	like(value_of($other, $favored), qr/^(?=.*advance)(?=.*stat_shard)(?=.*horizon).*schema idgen_registry/, 'default privileges of before: what they gave');
	{
		my $warning = '';
		local $SIG{__WARN__} = sub { $warning .= shift };
		$other->{PrintWarn} = 1;
		$other->do($_) for updates_of($other);
		unlike($warning, qr/favored/, 'default privileges of before: no warning advises to give them again');
	}
	is(value_of($other, $favored), undef, 'default privileges of before: what they gave is gone');
	is(value_of($other, q{SELECT has_sequence_privilege('public', 'idgen.horizon', 'SELECT') AND has_table_privilege('pg_monitor', 'idgen.stat_shard', 'SELECT') AND has_function_privilege('pg_monitor', 'idgen.stat_shard()', 'EXECUTE')}), 1,
		'default privileges of before: what the script gave is there');
	is(value_of($other, $by_hand), $before, 'default privileges of before: rights given by hand');
	is($before, 'function id_to_public(bigint,integer,bytea,text), function idgen.advance(timestamp with time zone,boolean), idgen_registry, view idgen.stat_database SELECT', 'default privileges of before: which these are');
	$other->disconnect;
	$node->command_like([ 'pg_dump', '-d', $node->connstr('born') ], $_, 'default privileges of before: a dump has what was given by hand')
	  for qr/^GRANT ALL ON FUNCTION idgen\.advance\(.* TO helper;$/m, qr/^GRANT ALL ON FUNCTION public\.id_to_public\(.* TO helper;$/m, qr/^GRANT SELECT ON TABLE idgen\.stat_database TO helper;$/m, qr/^GRANT USAGE ON SCHEMA idgen_registry TO helper;$/m;
	my $first = join "\n", grep { / \| first \| / } map { split /\n/, catalog_of($node, 'born', $_) } @extensions;
	return unlike($first =~ s/^table idgen_migrate\.job .*//mgr, qr/favored|helper|[{,]=[^rU]/, 'default privileges of before: first privileges are those of the scripts');
}

# Nobody has more by default privileges, nor less of what was given by hand; what the views need beside it is said.
sub updates_favored
{
	my $warning;
	local $SIG{__WARN__} = sub { $warning = shift };
	my $other = connect_to($node, db => 'favored');
	$other->{PrintWarn} = 1;
	my $held = q{SELECT string_agg(x::regprocedure::text, ' ' ORDER BY x) FROM (SELECT p.oid FROM pg_proc p, aclexplode(proacl) a WHERE a.grantee = 'helper'::regrole AND proname <> 'stat_lease') f(x)};
	my $before = value_of($other, $held);
	$other->do($_) for 'BEGIN', 'SAVEPOINT updated', updates_of($other), 'RELEASE updated', 'COMMIT';
	is(value_of($other, $held), $before, 'updated: rights given by hand');
	like($before, qr/^(?=.*id_to_public)(?=.*advance)(?=.*counters).*list/, 'updated: which these are');
	is(value_of($other, $favored), undef, 'updated: default privileges give nobody what PUBLIC may not use');
	my ($advice) = ($warning // '') =~ /^WARNING:  views .*\nDETAIL:  .*\nHINT:  (.*)\n/;
	is($advice, 'GRANT EXECUTE ON FUNCTION idgen.stat_errors() TO helper; GRANT EXECUTE ON FUNCTION idgen.stat_lease() TO helper', 'updated: a warning says what readers of views need');
	$other->do('SET ROLE helper');
	fails_with($other, 'SELECT * FROM idgen.stat_database', '42501', qr/permission denied for function stat_errors/, 'updated: the warning not yet followed');
	$other->do($_) for 'RESET ROLE', $advice, 'SET ROLE helper';
	ok(eval { $other->do("SELECT * FROM idgen.stat_$_") }, "updated: the warning followed: stat_$_") for qw(database lease);
	$other->do($_) for 'RESET ROLE', 'CREATE DATABASE twice';
	$other->disconnect;

	# Two scripts in one transaction: what the first one granted stays.
	$other = connect_to($node, db => 'twice');
	append_to_file($script, $script_before);
	$other->do($_) for 'BEGIN', "CREATE EXTENSION idgen VERSION '$earlier'", 'ALTER EXTENSION idgen UPDATE', 'COMMIT';
	unlink $script;
	is(value_of($other, <<'SQL'), 5, 'created and updated in one transaction: rights of monitors and of who dumps');
SELECT has_function_privilege('pg_monitor', 'idgen.stat_shard()', 'EXECUTE')::int + has_function_privilege('pg_monitor', 'idgen.stat_errors()', 'EXECUTE')::int
     + has_table_privilege('pg_monitor', 'idgen.stat_shard', 'SELECT')::int + has_table_privilege('pg_monitor', 'idgen.stat_lease', 'SELECT')::int
     + has_sequence_privilege('public', 'idgen.horizon', 'SELECT')::int
SQL
	return $other->disconnect;
}

sub in_each { my ($work) = @_; $work->($_) for sort keys %schema_of; return }
sub versions_in { my ($db) = @_; return $node->safe_psql($db, q{SELECT string_agg(DISTINCT extversion, ' ') FROM pg_extension WHERE extname ~ '^idgen'}) }

in_each(sub { my ($db) = @_; create_extensions($db, $schema_of{$db}); $node->safe_psql($db, $filling) });
my %state = map { $_ => state_of($_) } keys %schema_of;
# Here who may not call next_id() may not call what the update adds, either; and default privileges let another role put a trigger on
# the table of migrations.
$node->safe_psql('postgres', 'CREATE DATABASE revoked; CREATE ROLE given');
$node->safe_psql('revoked', 'CREATE EXTENSION idgen; REVOKE EXECUTE ON FUNCTION next_id(bigint, id_layout) FROM PUBLIC;
	ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO given; CREATE EXTENSION idgen_migrate;
	CREATE TRIGGER given BEFORE INSERT ON idgen_migrate.job FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()');
# Here default privileges give a role what the update makes; another one was given rights by hand.
create_extensions('favored', {});
$node->safe_psql('favored', $_) for 'CREATE ROLE favored', 'CREATE ROLE helper',
  'GRANT EXECUTE ON FUNCTION idgen.advance, idgen.stat_database, idgen.stat_lease, id_to_public, idgen_lease.counters, idgen_registry.list TO helper',
  'GRANT SELECT ON idgen.stat_database, idgen.stat_lease, idgen.horizon TO helper', map { "ALTER DEFAULT PRIVILEGES GRANT ALL ON $_ TO favored, PUBLIC" } qw(FUNCTIONS TABLES SEQUENCES TYPES);
# Here they gave it when the extensions were made, also to a role that is gone, and a role was given rights by hand, too.
$node->safe_psql('postgres', 'CREATE DATABASE born');
$node->safe_psql('born', $_) for 'CREATE ROLE gone', map { "ALTER DEFAULT PRIVILEGES GRANT $_ TO favored, gone, PUBLIC" } "ALL ON FUNCTIONS", "ALL ON TABLES", "ALL ON SEQUENCES", "USAGE ON SCHEMAS";
$node->safe_psql('born', "CREATE EXTENSION $_") for @extensions;
$node->safe_psql('born', $_) for 'GRANT EXECUTE ON FUNCTION idgen.advance, id_to_public TO helper', 'GRANT SELECT ON idgen.stat_database TO helper', 'GRANT USAGE ON SCHEMA idgen_registry TO helper',
  (map { "ALTER DEFAULT PRIVILEGES REVOKE ALL ON $_ FROM favored, PUBLIC" } qw(FUNCTIONS TABLES SEQUENCES SCHEMAS)), 'DROP OWNED BY gone', 'DROP ROLE gone';
my %catalog_before = map { $_ => catalog_of($node, 'plain', $_) } @extensions;
makes_ids($earlier);
my $session = connect_to($node, db => 'plain');
like(library_of($session), qr/^\Q$earlier\E, loaded when the server started \| 1 \| $/, 'the server has the version before');
my @writers = map { begin_writer($_) } 1 .. 3;
my $reader = begin_reader($node, table => 'event', db => 'plain');

# Files are exchanged below a running server, which reads its configuration again: what it has loaded stays.
install_this($server);
$node->reload;
makes_ids('files exchanged');
like(library_of(connect_to($node, db => 'plain')), qr/^\Q$earlier\E, loaded when the server started \| 1 \| $/, 'files exchanged: new sessions have the library of before');
my $restart = qr/the library of idgen \Q$earlier\E is loaded, and \Q$this\E is needed.*\nDETAIL:.*\nHINT:.*restart the server/s;
fails_with($session, "ALTER EXTENSION $_ UPDATE", '55000', $restart, "files exchanged: an update of $_") for qw(idgen idgen_kinds idgen_lease);
$node->safe_psql('postgres', 'CREATE DATABASE early');
fails_with(connect_to($node, db => 'early'), 'CREATE EXTENSION idgen', '55000', $restart, 'files exchanged: CREATE EXTENSION');
makes_ids('files exchanged, after what was refused');

# The library of this version under the SQL of before.
$session->disconnect;
$node->restart;
makes_ids('this library, SQL of before');
$session = connect_to($node, db => 'plain');
is(library_of($session), "$this, and the extension is $earlier | 0 | ALTER EXTENSION idgen UPDATE", 'this library, SQL of before: what is to be done');
is(state_of($_), $state{$_}, "this library, SQL of before: $_ has what it had") for sort keys %state;

# Nobody but an owner updates, and an update that does not end changes nothing.
$session->do('CREATE ROLE anybody');
$session->do('SET ROLE anybody');
fails_with($session, "ALTER EXTENSION $_ UPDATE", '42501', qr/must be owner of extension \Q$_\E/, "by another role: $_") for @extensions;
$session->do('RESET ROLE');
my @updates = updates_of($session);
is(scalar @updates, scalar @extensions, 'each extension is to be updated');
$session->begin_work;
$session->do($_) for @updates;
ok(value_of($session, 'SELECT next_id()'), 'IDs in the transaction of the update');
$session->rollback;
is(versions_in('plain'), $earlier, 'rolled back: the version of before');
makes_ids('rolled back');
$session->begin_work;
$session->do($_) for @updates[ 0 .. 2 ];
$session->{InactiveDestroy} = 1;
crash($node);
start_again($node);
is(versions_in('plain'), $earlier, 'a crash amid the update: the version of before');
makes_ids('a crash amid the update');
is(catalog_of($node, 'plain', $_), $catalog_before{$_}, "a crash amid the update: $_ is what it was") for @extensions;

# Each database, while sessions go on. One has drawn before and commits afterwards.
$session = connect_to($node, db => 'plain');
my $slow = connect_to($node, db => 'plain');
$slow->begin_work;
$slow->do('INSERT INTO event DEFAULT VALUES');
in_each(sub { my ($db) = @_; my $other = connect_to($node, db => $db); $other->do($_) for updates_of($other); $other->disconnect });
makes_ids('updated');
{
	my $other = connect_to($node, db => 'revoked');
	$other->do($_) for 'ALTER EXTENSION idgen UPDATE', 'ALTER EXTENSION idgen_migrate UPDATE';
	is(value_of($other, q{SELECT count(*) FROM pg_class c, aclexplode(relacl) a WHERE relnamespace = 'idgen_migrate'::regnamespace AND a.grantee = 'given'::regrole}), 0,
		'updated: rights on migrations that default privileges gave are gone');
	is(value_of($other, q{SELECT count(*) FROM pg_trigger WHERE tgrelid = 'idgen_migrate.job'::regclass}), 0, 'updated: and what was done with them');
	$other->do('SET ROLE anybody');
	fails_with($other, 'SELECT idgen.next_id()', '42501', qr/permission denied for function next_id/, 'updated: the right to call next_id() that was taken before');
	$other->disconnect;
}
updates_favored();
updates_born();
$slow->commit;
is(versions_in($_), $this, "$_ is updated") for sort keys %schema_of;
like(library_of($session), qr/^\Q$this\E, loaded when the server started \| 1 \| $/, 'updated: all is well');
is(state_of($_), $state{$_}, "updated: $_ has what it had") for sort keys %state;
in_each(sub {
	my ($db) = @_;
	create_extensions("fresh_$db", $schema_of{$db});
	same_catalog($node, $db, "fresh_$db", $_, "updated: $_ in $db is as one made now") for @extensions;
	my ($status, $out, $error) = $node->psql($db, '\dx+ idgen*');
	is("$status$error", 0, "updated: \\dx+ in $db");
});

# The dump of an updated database.
in_each(sub {
	my ($db) = @_;
	my $dump = PostgreSQL::Test::Utils::tempdir() . '/dump';
	$node->command_ok([ 'pg_dump', '-Fc', '-f', $dump, '-d', $node->connstr($db) ], "$db: a dump");
	$node->safe_psql('postgres', "CREATE DATABASE restored_$db");
	$node->safe_psql('postgres', "ALTER DATABASE restored_$db SET search_path = ids, kinds, tickets, public");
	$node->command_ok([ 'pg_restore', '--exit-on-error', '-d', $node->connstr("restored_$db"), $dump ], "$db: is restored");
	is(state_of("restored_$db"), $state{$db}, "$db: the restored database has what it had");
	my $highest = $node->safe_psql($db, 'SELECT max(id) FROM event UNION ALL SELECT max(id)::bigint FROM photo ORDER BY 1 DESC NULLS LAST LIMIT 1');
	cmp_ok($node->safe_psql("restored_$db", 'SELECT next_id()'), '>', $highest, "$db: its IDs are above");
});

# What the sessions wrote and read meanwhile.
append_to_file("$writing.end", '');
my $failed = grep { waitpid $_, 0; $? } @writers;
is($failed, 0, 'no session wrote an ID twice');
cmp_ok(slurp_file("$writing.$_"), '>', 10, "session $_ wrote all the time") for 1 .. 3;
my ($lost, $twice, $seen) = missed_by($session, $reader);
is("$lost $twice", '0 0', 'a reader by ID lost no row, and saw none twice');
is($seen, value_of($session, 'SELECT count(*) FROM event'), 'a reader by ID saw all rows');
note "$seen rows were read";

# The library of before under the SQL of this version: it goes on, says what is wrong, and updates nothing.
my $before_server = copy_server('before');
install_earlier($before_server);
$_->disconnect for $session, $slow;
exchange_library($before_server, $server);
$node->restart;
makes_ids('library of before, this SQL');
$session = connect_to($node, db => 'plain');
is(library_of($session), "$earlier, and the extension is $this | 0 | Install the library of that version if it is not there, and restart.",
	'library of before, this SQL: what is to be done');
fails_with(connect_to($node, db => 'early'), 'CREATE EXTENSION idgen', '55000', $restart, 'library of before: CREATE EXTENSION');
$session->disconnect;
$node->stop;

# Without shared_preload_libraries, sessions begun later have this version at once, beside those of before.
SKIP:
{
	skip 'before 17 the library is loaded when the server starts', 1 if $node->pg_version->major < 17;
	my $mixed_server = copy_server('mixed');
	install_earlier($mixed_server);
	my $mixed = start_node('mixed', server => $mixed_server, preload => 0, conf => [q{idgen.shards = '5'}]);
	my %drawn;
	my $old = connect_to($mixed);
	is(repeated(\%drawn, draw($old, 3000)), 0, 'without preload: a session of before');
	install_this($mixed_server);
	my $new = connect_to($mixed);
	like(library_of($new), qr/^\Q$this\E, and the extension is \Q$earlier\E \| 0 \| ALTER EXTENSION idgen UPDATE/, 'without preload: a new session has this library');
	is(repeated(\%drawn, map { draw($_, 300) } ($old, $new) x 20), 0, 'without preload: both draw, none twice');
	fails_with($old, 'ALTER EXTENSION idgen UPDATE', '55000', $restart, 'without preload: the older session does not update');
	$new->do('ALTER EXTENSION idgen UPDATE');
	is(repeated(\%drawn, map { draw($_, 300) } ($old, $new) x 20), 0, 'without preload: updated, both draw, none twice');
	fails_with($new, 'SELECT id_settled()', '55000', qr/sessions have another library/, 'without preload: readers by ID are refused beside the older session');
	my $old_pid = value_of($old, 'SELECT pg_backend_pid()');
	$old->disconnect;
	wait_until($new, "SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = $old_pid");
	ok(defined settled_id($new), 'without preload: and go on once it has gone');
	$new->disconnect;
	$mixed->stop;
}

done_testing();
