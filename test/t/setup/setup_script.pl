# bin/idgen-setup on private servers: what it changes, what it leaves alone, what it refuses, and what it says of each.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use IdgenPages;
use IPC::Run ();
use PostgreSQL::Test::Utils qw(append_to_file slurp_file);
use Test::More;

# What a caller may have set means nothing to it.
my $folder = PostgreSQL::Test::Utils::tempdir;
append_to_file("$folder/psqlrc", "\\echo of the caller\n");
my %caller = (PSQLRC => "$folder/psqlrc", PGOPTIONS => '-c search_path=nowhere -c standard_conforming_strings=off', PGDATABASE => 'nowhere', LC_ALL => 'C');

# Calls it on a server; its status, and what it said.
sub set_up
{
	my ($node, @arguments) = @_;
	my %option = ref $arguments[0] ? %{ shift @arguments } : ();
	local %ENV = (%ENV, %caller, PGHOST => $node->host, PGPORT => $node->port, %{ $option{env} // {} });
	IPC::Run::run([ tree() . '/bin/idgen-setup', @arguments ], '<', \($option{input} // ''), '>&', \my $said);
	my $status = $? >> 8;
	$node->_update_pid(1) if -e $node->data_dir . '/postmaster.pid';
	return ($status, $said);
}

# Passes if it ends with a status and says a line; gives all that it said.
sub sets_up
{
	my ($what, $node, $arguments, $wanted, @patterns) = @_;
	my ($status, $said) = set_up($node, @$arguments);
	is($status, $wanted, "$what: the status") or diag($said);
	like($said, $_, "$what: it says so") for @patterns;
	unlike($said, qr/of the caller/, "$what: no psqlrc") if $wanted == 0;
	return $said;
}

# It refuses, says why and what to do.
sub refuses
{
	my ($what, $node, $arguments, $why, $remedy) = @_;
	my $before = state_of($node);
	sets_up($what, $node, $arguments, 1, qr/^idgen-setup: .*$why/m, qr/^    .*$remedy/m);
	return is(state_of($node), $before, "$what: nothing is changed");
}

sub auto_conf { my ($node) = @_; return slurp_file($node->data_dir . '/postgresql.auto.conf') }

# All that it may change, and when the server was started; nothing of a server that does not run.
sub state_of
{
	my ($node) = @_;
	return '' unless -e $node->data_dir . '/postmaster.pid';
	return join "\n", auto_conf($node), slurp_file($node->data_dir . '/pg_hba.conf'), join(' ', map { s{.*/}{}r } glob $node->data_dir . '/*.pass'),
	  $node->safe_psql('postgres', q{SELECT pg_postmaster_start_time(), (SELECT string_agg(datname, ' ' ORDER BY datname) FROM pg_database),
		(SELECT string_agg(s::text, ' ') FROM pg_db_role_setting s), (SELECT string_agg(rolname, ' ' ORDER BY rolname) FROM pg_roles), (SELECT string_agg(extname, ' ') FROM pg_extension)});
}

sub shard_in { my ($node, $db, $schema) = @_; return $node->safe_psql($db, sprintf 'SELECT %1$s.id_shard(%1$s.next_id())', $schema // 'public') }

# One server that loads another library already, for which PostgreSQL 17 and later needs no restart unless asked.
my $node = start_node('one', preload => 0, extension => 0, conf => ["shared_preload_libraries = 'pg_stat_statements'"]);
my $is_late = $node->pg_version >= 17;
my $before = state_of($node);
my $planned = sets_up('dry run', $node, [qw(--database app --shards 5 --preload --dry-run)], 0, qr/^app=# CREATE EXTENSION idgen SCHEMA public;$/m, qr/only printed/);
is(state_of($node), $before, 'dry run: nothing is changed');
my $done = sets_up('one server', $node, [qw(--database app --shards 5 --preload)], 0, qr/^an ID of shard 5 of this server: \d+$/m,
	qr/^postgres=# ALTER SYSTEM SET shared_preload_libraries = pg_stat_statements, idgen;$/m);
is_deeply([ $planned =~ /^(\w+=# .*|\$ .*)$/mg ], [ $done =~ /^(\w+=# .*|\$ .*)$/mg ], 'dry run: it prints the commands that are run');
like(auto_conf($node), qr/^shared_preload_libraries = 'pg_stat_statements, idgen'$/m, 'one server: a list, not a quoted one');
is($node->safe_psql('postgres', 'SHOW shared_preload_libraries'), 'pg_stat_statements, idgen', 'one server: it was restarted with both');
is(shard_in($node, 'app'), 5, 'one server: the IDs are of its shard');
$before = state_of($node);
my $again = sets_up('again', $node, [qw(--database app --shards 5 --preload)], 0, qr/^loaded already: /m, qr/^there already: the database app$/m, qr/^set already: idgen\.shards = '5'/m);
unlike($again, qr/^\w+=# |^\$ /m, 'again: it runs no command');
is(state_of($node), $before, 'again: nothing is changed');

# Shards.
refuses('other shards', $node, [qw(--database app --shards 6)], qr/idgen\.shards is '5' for the database app, not '6'/, qr/--replace-shards/);
sets_up('other shards on purpose', $node, [qw(--database app --shards 6-7 --replace-shards)], 0, qr/ALTER DATABASE app SET idgen\.shards = '6-7'/);
is(shard_in($node, 'app') =~ /^[67]$/, 1, 'other shards on purpose: the IDs are of them');
refuses("bad shards: $_", $node, [ '--database', 'app', '--replace-shards', '--shards', $_ ], qr/is not a list of shards/, qr/--shards 5/)
  for 'five', '5;6', q{5'; DROP DATABASE app; --}, '9-5', '99999999999', '%s', '$(id)';
refuses('the word citus', $node, [qw(--database app --shards citus)], qr/groups of Citus/, qr/--citus/);
refuses('the word lease', $node, [qw(--database app --shards lease)], qr/shards of a registry/, qr/--registry/);
$node->safe_psql('postgres', 'CREATE ROLE web LOGIN; ALTER ROLE web SET idgen.shards = 8');
refuses('shards of a role', $node, [qw(--database app --shards 6-7)], qr/roles have shards/, qr/ALTER ROLE web RESET idgen\.shards;/);
$node->safe_psql('postgres', 'ALTER ROLE web RESET idgen.shards');
$node->safe_psql('postgres', 'ALTER SYSTEM SET idgen.shards = 9');
refuses('shards of the server', $node, [qw(--database other --shards 5)], qr/idgen\.shards is '9' for the whole server/, qr/--replace-shards/);
$node->safe_psql('postgres', 'ALTER SYSTEM RESET idgen.shards');

# A schema, and names that SQL or psql would take for something else.
sets_up('a schema', $node, [qw(--database plain --shards 5 --schema ids)], 0, qr/^plain=# ALTER DATABASE plain SET search_path = "\$user", public, ids;$/m);
is($node->safe_psql('plain', 'SELECT id_shard(next_id())', extra_params => [ '-U', 'web' ]), 5, 'a schema: every role has it in the path');
unlike(sets_up('a schema again', $node, [qw(--database plain --shards 5 --schema ids)], 0), qr/^plain=# /m, 'a schema again: it runs no command');
refuses('another schema', $node, [qw(--database plain --shards 5 --schema public)], qr/in the schema ids of plain/, qr/--schema ids/);
$node->safe_psql('postgres', q{CREATE DATABASE pathed; ALTER DATABASE pathed SET search_path = "Odd, one", public});
sets_up('a path of its own', $node, [qw(--database pathed --shards 5 --schema user)], 0);
is($node->safe_psql('pathed', 'SHOW search_path'), '"Odd, one", public, "user"', 'a path of its own: the schema is added to it');
for my $name (q{it's}, 'two words', q{a"b}, 'dbname=postgres', 'postgresql://x', '100%s\\n', ':name', '-x', 'Größe', 'select')
{
	my $schema = $name =~ tr/"'\\//dr;
	my @arguments = ('--database', $name, '--shards=5', '--schema', $schema);
	sets_up("the database $name", $node, \@arguments, 0, qr/^an ID of shard 5/m);
	is(shard_in($node, $name, qq("$schema")), 5, "the database $name: it makes IDs");
	unlike(sets_up("the database $name, again", $node, \@arguments, 0), qr/=# /, "the database $name, again: it runs no command") if $name =~ /['":]/;
}
refuses('a schema that no extension can have', $node, [qw(--database app --shards 6-7 --schema), q{it's}], qr/no extension into a schema with a name like/, qr/without quotes/);
refuses('a line break in a name', $node, [ '--database', "a\nb", '--shards', 5 ], qr/--database holds a line break/, qr/without/);
# What psql refuses has a status of psql's own, which would mean something else here.
refuses('a name in no encoding', $node, [ '--database', "caf\xe9", '--shards', 5 ], qr/a program that it ran failed/, qr/the message above/);
$node->safe_psql('postgres', 'CREATE DATABASE closed ALLOW_CONNECTIONS false');
refuses('a database that lets nobody in', $node, [qw(--database closed --shards 5)], qr/a program that it ran failed/, qr/the message above/);

# What the owner of a database has set there, to be called by a superuser.
$node->safe_psql('postgres', 'CREATE DATABASE trap OWNER web; ALTER DATABASE trap SET search_path = trap, pg_catalog');
$node->safe_psql('postgres', 'ALTER DATABASE trap SET standard_conforming_strings = off') if $node->safe_psql('postgres', 'SHOW server_version_num') < 190000;
$node->safe_psql('trap', q{CREATE SCHEMA trap; CREATE FUNCTION trap.is_it(name, name) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN ALTER ROLE web SUPERUSER; RETURN true; END';
	CREATE OPERATOR trap.= (FUNCTION = trap.is_it, LEFTARG = name, RIGHTARG = name)}, extra_params => [ '-U', 'web' ]);
sets_up('a trap', $node, [qw(--database trap --shards 5 --schema ids)], 0);
is($node->safe_psql('postgres', q{SELECT rolsuper FROM pg_roles WHERE rolname = 'web'}), 'f', 'a trap: no operator of the database\'s owner is called');
# As if the owner had dropped the extension with the schema, and made another one of that name, just before an ID is shown.
$node->safe_psql('trap', join '; ', map { my ($name, $call, $type) = @$_; "ALTER EXTENSION idgen DROP FUNCTION $name; ALTER FUNCTION $name SET SCHEMA trap; " .
	"CREATE FUNCTION $call RETURNS $type LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''called''; END'" }
  [ 'idgen.next_id()', 'idgen.next_id()', 'bigint' ], [ 'idgen.status()', 'idgen.status(OUT key text, OUT value text, OUT ok boolean, OUT advice text)', 'SETOF record' ]);
sets_up('functions in place of idgen\'s', $node, [qw(--database trap --shards 5 --schema ids)], 0, qr/^an ID of shard 5 of this server: \d+$/m);

# Options.
refuses('an unknown option', $node, [qw(--database app --shard 5)], qr/no option "--shard"/, qr/--help/);
refuses('a value that is missing', $node, [qw(--database app --shards)], qr/--shards needs a value/, qr/--help/);
refuses('nothing to set up', $node, [qw(--database app)], qr/nothing to set up/, qr/--shards LIST/);
refuses('no database', $node, [qw(--shards 5)], qr/the database that makes IDs is missing/, qr/--database NAME/);
refuses('two at once', $node, [qw(--database app --shards 5 --citus)], qr/exclude each other/, qr/once for each/);
refuses('options of the registry', $node, [qw(--database app --shards 5 --role x)], qr/belong to --make-registry/, qr/Leave them out/);
my $help = sets_up('help', $node, ['--help'], 0, qr/^usage: /);
cmp_ok(scalar(split /\n/, $help), '<=', 40, 'help is one screen');
unlike($help, qr/^.{121}/m, 'no line of the help is wider than 120');
refuses('no Citus', $node, [qw(--database app --citus)], qr/Citus is not in the database app/, qr/CREATE EXTENSION citus/);

# Citus, for which its extension's name stands, with what idgen-setup asks of it. One worker has not got the setting, as
# before Citus 13.1, and does not load the library.
$node->safe_psql('postgres', 'CREATE DATABASE grid');
$node->safe_psql('grid', <<'SQL');
SET allow_system_table_mods = on;
INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion) VALUES (16000, 'citus', 10, 11, false, '12');
CREATE TABLE pg_catalog.pg_dist_local_group AS SELECT 3 AS groupid;
CREATE TABLE pg_catalog.pg_dist_node AS SELECT unnest('{1,2}'::int[]) AS nodeid, unnest('{0,7}'::int[]) AS groupid;
GRANT SELECT ON pg_catalog.pg_dist_local_group, pg_catalog.pg_dist_node TO PUBLIC;
CREATE FUNCTION pg_catalog.run_command_on_workers(command text, OUT nodename text, OUT nodeport int, OUT success boolean, OUT result text) RETURNS SETOF record LANGUAGE sql
    AS $$ SELECT v.* FROM (VALUES ('w1', 5432, true, ''), ('w2', 5432, true, CASE WHEN command ~ 'shards' THEN 'citus' ELSE 'citus, idgen' END)) AS v $$;
-- Citus would make the functions of the last step on the workers, too, and a standby that is away would hold their COMMIT up.
CREATE FUNCTION alone() RETURNS event_trigger LANGUAGE plpgsql AS $$
BEGIN
    ASSERT NOT EXISTS (SELECT FROM pg_event_trigger_ddl_commands() WHERE schema_name = 'pg_temp')
        OR current_setting('synchronous_commit') = 'off' AND current_setting('citus.enable_ddl_propagation') = 'off', 'not alone';
END
$$;
CREATE EVENT TRIGGER alone ON ddl_command_end WHEN TAG IN ('CREATE FUNCTION') EXECUTE FUNCTION alone();
SQL
refuses('a worker of Citus', $node, [qw(--database grid --citus)], qr/a worker of Citus/, qr/on each worker: idgen-setup --preload/);
$node->safe_psql('grid', 'SET allow_system_table_mods = on; UPDATE pg_catalog.pg_dist_local_group SET groupid = 0');
my $citus = sets_up('Citus', $node, [qw(--database grid --citus)], 0, qr/^grid=# ALTER DATABASE grid SET idgen\.shards = 'citus';$/m,
	qr/^grid=# ALTER ROLE ALL IN DATABASE grid SET idgen\.shards = 'citus';$/m, qr/^an ID of shard 0/m);
is($citus =~ /^These workers .* need idgen-setup --preload: w1:5432$/m, !$is_late, 'Citus: workers that lack the library are named, if they need it');

# Whom it serves.
refuses('a role that is no superuser', $node, [qw(--database app --shards 6-7 --user web)], qr/web is not a superuser/, qr/--user NAME/);
sets_up('no server', $node, [ { env => { PGPORT => 1 } }, qw(--database app --shards 5) ], 1, qr/^idgen-setup: psql cannot connect/m, qr/^    .*--port/m);
sets_up('no server, by option', $node, [qw(--database app --shards 5 --port 1)], 1, qr/^idgen-setup: psql cannot connect/m);
$node->stop;

# A server that loads nothing, and may not be restarted now.
my $bare = start_node('bare', preload => 0, extension => 0);
sets_up('without a restart', $bare, [qw(--database app --shards 5 --preload --no-restart)], 3, qr/^The server must be restarted: \S+\/pg_ctl restart -D /m, qr/run idgen-setup again/);
is($bare->safe_psql('postgres', 'SHOW shared_preload_libraries'), '', 'without a restart: it was not restarted');
like(auto_conf($bare), qr/^shared_preload_libraries = 'idgen'$/m, 'without a restart: the next one loads the library');
sets_up('without a restart, again', $bare, [qw(--database app --shards 5 --preload --no-restart)], 3, qr/^set already: shared_preload_libraries = idgen$/m);
$bare->restart;
sets_up('after that', $bare, [qw(--database app --shards 5 --preload --no-restart)], 0, qr/^loaded already: idgen$/m);

# A list that was quoted would keep the server from starting.
$bare->safe_psql('postgres', q{ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements, idgen'});
sets_up('a quoted list', $bare, [qw(--database app --shards 5 --preload)], 0, qr/^The next start would fail, .*a comma in it/m, qr/SET shared_preload_libraries = pg_stat_statements, idgen;/);
is($bare->safe_psql('postgres', 'SHOW shared_preload_libraries'), 'pg_stat_statements, idgen', 'a quoted list: it is taken apart, and the server starts');
$bare->safe_psql('postgres', q{ALTER SYSTEM SET shared_preload_libraries = "$libdir/pg_stat_statements", 'auto_explain'});
sets_up('names that need quotes', $bare, [qw(--database app --shards 5 --preload)], 0, qr{SET shared_preload_libraries = "\$libdir/pg_stat_statements", auto_explain, idgen;});
$bare->restart;
is($bare->safe_psql('postgres', 'SHOW shared_preload_libraries'), '"$libdir/pg_stat_statements", auto_explain, idgen', 'names that need quotes keep them');

# A configuration with which the server would not start.
$bare->safe_psql('postgres', 'ALTER SYSTEM SET shared_preload_libraries = auto_explain');
$bare->restart;
append_to_file($bare->data_dir . '/postgresql.conf', "no setting\n");
sets_up('an error in the configuration', $bare, [qw(--database app --shards 5 --preload)], 1, qr/would not start again/, qr/^    .*postgresql\.conf, line \d+/m);
is($bare->safe_psql('postgres', 'SELECT 1'), 1, 'an error in the configuration: the server still runs');
$bare->stop;

# PostgreSQL 17 and later, without a restart.
SKIP:
{
	skip 'this server needs the preload', 1 unless $is_late;
	my $late = start_node('late', preload => 0, extension => 0);
	my $started = $late->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');
	sets_up('17 and later', $late, [qw(--database app --shards 5)], 0, qr/^an ID of shard 5/m);
	is($late->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'), $started, '17 and later: no restart');
	unlike(auto_conf($late), qr/shared_preload/, '17 and later: no library is loaded at the start');
	$late->stop;
}

# Of libraries that the command line names, ALTER SYSTEM changes nothing.
my $commanded = PostgreSQL::Test::Cluster->new('commanded');
$commanded->init;
system('pg_ctl', '-s', '-w', '-D', $commanded->data_dir, '-l', $commanded->logfile, '-o', '-c shared_preload_libraries=auto_explain', 'start');
$commanded->_update_pid(1);
refuses('a command line', $commanded, [qw(--database app --shards 5 --preload)], qr/the command line of the server says/, qr/-c shared_preload_libraries='auto_explain, idgen'/);
$commanded->stop;

# Debian's list of clusters.
my $machine = "$folder/bin";
mkdir $machine;
sub clusters_are
{
	unlink "$machine/pg_lsclusters";
	append_to_file("$machine/pg_lsclusters", "#!/bin/sh\ncat <<'END'\n" . join('', map { "$_\n" } @_) . "END\n");
	chmod 0755, "$machine/pg_lsclusters";
	return;
}
my @lines = ('15 main 1 online postgres /data/15 /log', '17 main 2 online,recovery postgres /data/17 /log');
my $no_way = { env => { PATH => "$machine:$ENV{PATH}", PGHOST => '', PGPORT => '' } };
clusters_are(@lines);
sets_up('two clusters', $node, [ $no_way, qw(--database app --shards 5) ], 1, qr/^idgen-setup: more than one server runs here: 15\/main 17\/main/m, qr/^    Say which one: --cluster 15\/main, or --cluster 17\/main$/m);
sets_up('a cluster that is not there', $node, [ $no_way, qw(--database app --shards 5 --cluster 16/main) ], 1, qr/there is no cluster "16\/main" here/, qr/^    .*15\/main 17\/main/m);
sets_up('a cluster by name', $node, [ $no_way, qw(--database app --shards 5 --cluster 17/main) ], 1, qr/\.s\.PGSQL\.2"/);
# A cluster of Debian is restarted by Debian's command; below systemd only by systemd.
$bare->append_conf('postgresql.conf', 'autovacuum = off');
{
	my $conf = $bare->data_dir . '/postgresql.conf';
	my $text = slurp_file($conf) =~ s/^no setting\n//mr;
	unlink $conf;
	append_to_file($conf, $text);
}
$bare->start;
$bare->safe_psql('postgres', 'ALTER SYSTEM SET shared_preload_libraries = auto_explain');
$bare->restart;
clusters_are('15 main ' . $bare->port . ' online postgres ' . $bare->data_dir . ' /log');
append_to_file("$machine/pg_ctlcluster", qq(#!/bin/sh\n[ "\$*" = '15 main restart' ] && exec pg_ctl restart -s -w -m fast -D '@{[ $bare->data_dir ]}' -l '@{[ $bare->logfile ]}'\n));
chmod 0755, "$machine/pg_ctlcluster";
my $debians = { env => { PATH => "$machine:$ENV{PATH}", PGPORT => '' } };
if (-d '/run/systemd/system')
{
	sets_up('a cluster below systemd', $bare, [ $debians, qw(--database app --shards 5 --preload --cluster 15/main) ], 3, qr/^The server must be restarted: systemctl restart postgresql\@15-main$/m);
}
else
{
	sets_up('a cluster of Debian', $bare, [ $debians, qw(--database app --shards 5 --preload --cluster 15/main) ], 0, qr/^\$ pg_ctlcluster 15 main restart$/m, qr/^an ID of shard 5/m);
}

# Patroni says itself which libraries its servers load.
$bare->safe_psql('postgres', 'ALTER SYSTEM SET shared_preload_libraries = auto_explain');
append_to_file($bare->data_dir . '/patroni.dynamic.json', '{}');
refuses('Patroni', $bare, [qw(--database app --shards 5 --preload)], qr/Patroni runs this server/, qr/patronictl edit-config: shared_preload_libraries: 'auto_explain, idgen'/);
$bare->stop;
unlink $bare->data_dir . '/patroni.dynamic.json';
$bare->safe_psql('postgres', 'ALTER SYSTEM SET shared_preload_libraries = idgen') if $bare->start;
$bare->stop;

# A cluster that is down is started where nothing else does; below systemd the command is named, with sudo for who came by it.
clusters_are('15 main ' . $bare->port . ' down postgres ' . $bare->data_dir . ' /log');
unlink "$machine/pg_ctlcluster";
append_to_file("$machine/pg_ctlcluster", qq(#!/bin/sh\n[ "\$*" = '15 main start' ] && exec pg_ctl start -s -w -D '@{[ $bare->data_dir ]}' -l '@{[ $bare->logfile ]}'\n));
chmod 0755, "$machine/pg_ctlcluster";
my @down = ({ env => { PATH => "$machine:$ENV{PATH}", PGPORT => '', SUDO_USER => 'me' } }, qw(--database app --shards 5 --cluster 15/main));
if (-d '/run/systemd/system')
{
	sets_up('a cluster that is down', $bare, \@down, 1, qr/the cluster 15\/main does not run/, qr/^    Start it: sudo pg_ctlcluster 15 main start/m);
}
else
{
	sets_up('a cluster that is down, dry run', $bare, [ @down, '--dry-run' ], 1, qr/^\$ pg_ctlcluster 15 main start$/m, qr/the cluster 15\/main does not run, so what follows is not known/);
	sets_up('a cluster that is down', $bare, \@down, 0, qr/^\$ pg_ctlcluster 15 main start$/m, qr/^an ID of shard 5/m);
	$bare->stop;
}

# The manual page of the packages has each option.
my $manual = slurp_file(tree() . '/packaging/idgen-setup.1') =~ s/\\fR, " "" / /gr;
is(join(' ', grep { $manual !~ /\Q$_\E\b/ } $help =~ /(--[a-z][a-z-]*)/g), '', 'the manual page has each option of the help');
is(join(' ', grep { $help !~ /\Q$_\E\b/ && $_ ne '--help' } $manual =~ /(--[a-z][a-z-]*)/g), '', 'and no other');

done_testing();
