# Citus: idgen.shards = 'citus' takes the group of the node; a list that Citus has copied to every node is reported. An
# extension of its name stands for it, empty, and the two tables that it has in pg_catalog. Its second version has the
# table that says which tables are Citus's, for idgen_migrate.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use DBD::Pg qw(:async);
use IdgenNode;
use PostgreSQL::Test::Utils;
use Test::More;

chomp(my $share = `pg_config --sharedir`);
my %stub = (
	"$share/extension/citus.control" => "default_version = '1'\n",
	"$share/extension/citus--1.sql"  => "-- empty\n",
	"$share/extension/citus--2.sql"  => <<'SQL');
CREATE TABLE public.pg_dist_partition (logicalrelid regclass NOT NULL, partmethod "char" NOT NULL, partkey text, colocationid int NOT NULL DEFAULT 0, repmodel "char" NOT NULL);
ALTER TABLE public.pg_dist_partition SET SCHEMA pg_catalog;
GRANT SELECT ON pg_catalog.pg_dist_partition TO PUBLIC;
SQL
-e $_ and die "$_ is there" for keys %stub;
append_to_file($_, $stub{$_}) for keys %stub;
END { unlink keys %stub }

my $node = start_node('citus', kinds => 1);
my $session = connect_to($node);

# The row of idgen.status(), seen by a new session.
sub shards_row
{
	my (%option) = @_;
	my $seen = connect_to($node, %option);
	my $row = $seen->selectrow_hashref(q{SELECT * FROM idgen.status() WHERE key = 'shards'});
	$seen->disconnect;
	return $row;
}

my $hint = qr/HINT:  Have each node draw from the group that it has in Citus.*: ALTER DATABASE postgres SET idgen.shards = 'citus'$/m;
fails_with($session, 'SELECT next_id()', '55000', qr/not set.*HINT:.*ALTER DATABASE postgres SET/s, 'without Citus');
like(shards_row()->{advice}, qr/ALTER DATABASE postgres SET/, 'without Citus: idgen.status()');

$session->do('CREATE EXTENSION citus');
fails_with($session, 'SELECT next_id()', '55000', $hint, 'with Citus');
like(shards_row()->{advice}, qr/on the coordinator: ALTER DATABASE postgres SET idgen.shards = 'citus'$/,
	'with Citus: idgen.status()');

# A value that Citus has copied to all nodes already: by the database, by the role, for this session or the next.
for my $holder ('DATABASE postgres', 'ROLE CURRENT_USER', 'ROLE ALL')
{
	$session->do("ALTER $holder SET idgen.shards = '5'");
	fails_with($session, 'SELECT next_id()', '55000', $hint,
		"ALTER $holder: an older session is not told to reconnect");
	my $row = shards_row();
	is($row->{ok}, 0, "ALTER $holder: not ok");
	like($row->{value}, qr/^5: the same on every node of Citus; set by ALTER \Q@{[ $holder =~ s{CURRENT_USER}{$ENV{USER}}r ]}\E$/,
		"ALTER $holder: what is wrong");
	like($row->{advice}, qr/Set idgen.shards to citus for that database or role.*by ALTER SYSTEM/,
		"ALTER $holder: what to do");
	$session->do("ALTER $holder RESET idgen.shards");
}

# Numbers by hand work too, in sessions that are open.
set_for_server($session, 'idgen.shards', '5');
is(value_of($session, 'SELECT id_shard(next_id())'), 5, 'ALTER SYSTEM: IDs of the shard');
my $row = shards_row();
is("$row->{value} $row->{ok}", q{5; set by the server's configuration 1}, 'ALTER SYSTEM: ok');

# Another database of the same server has no Citus.
$session->do('CREATE DATABASE plain');
$node->safe_psql('plain', 'CREATE EXTENSION idgen');
$session->do(q{ALTER DATABASE plain SET idgen.shards = '7'});
$row = shards_row(db => 'plain');
is("$row->{value} $row->{ok}", q{7; set by ALTER DATABASE plain, which hides "5" of the server's configuration 1}, 'a database without Citus: ok');

# The group of the node. Citus's tables can be read by everybody, as these.
$session->do('ALTER SYSTEM RESET idgen.shards');
$session->do('SELECT pg_reload_conf()');
wait_until($session, q{SELECT current_setting('idgen.shards') = ''});
$session->do(q{ALTER DATABASE postgres SET idgen.shards = 'citus'});
my ($one, $two) = map { connect_to($node) } 1 .. 2;
my $absent = qr/this node has no group in Citus.*DETAIL:.*pg_dist_local_group.*missing or empty.*HINT:.*CREATE EXTENSION citus/s;
my @makers = ('next_id()', 'next_ids(3)', 'next_id_array(3)', 'next_id_after(1)');
fails_with($one, "SELECT $_", '55000', $absent, "no table: $_") for @makers;
$row = shards_row();
like("$row->{value} $row->{ok}", qr/^this node has no group in Citus\. idgen\.shards is "citus", and the table pg_dist_local_group .* 0$/, 'no table: idgen.status()');
like($row->{advice}, qr/^CREATE EXTENSION citus/, 'no table: what to do');

sub as_superuser
{
	my ($sql) = @_;
	return $node->safe_psql('postgres', "SET allow_system_table_mods = on; $sql");
}
sub set_group { my ($group) = @_; return as_superuser("UPDATE pg_catalog.pg_dist_local_group SET groupid = $group") }
sub shard_of { my ($maker, $seen) = @_; return value_of($seen // $one, "SELECT id_shard($maker)") }
as_superuser('CREATE TABLE pg_catalog.pg_dist_local_group (groupid int NOT NULL, logical_clock_value bigint NOT NULL DEFAULT 0);
	GRANT SELECT ON pg_catalog.pg_dist_local_group TO PUBLIC');
fails_with($one, 'SELECT next_id()', '55000', $absent, 'an empty table');
as_superuser('INSERT INTO pg_catalog.pg_dist_local_group VALUES (0)');
is(shard_of('next_id()'), 0, 'group 0, the coordinator, where there is no list of nodes');
as_superuser('CREATE TABLE pg_catalog.pg_dist_node (nodeid int PRIMARY KEY, groupid int NOT NULL); GRANT SELECT ON pg_catalog.pg_dist_node TO PUBLIC');

# Every server begins with group 0: one that knows of no node may be a worker that is not added yet.
fails_with($one, 'SELECT next_id()', '55000',
	qr/in no cluster of Citus yet.*DETAIL:.*begins with the group 0.*HINT:.*citus_add_node\(\)/s, 'not added yet');
$row = shards_row();
like("$row->{value} $row->{ok}", qr/^this node is in no cluster of Citus yet\. idgen\.shards is "citus"\. .* 0$/, 'not added yet: idgen.status()');

# Citus adds a worker in one transaction, which empties the list of nodes first: what waits for that has the group, too.
$session->do('BEGIN; SET LOCAL allow_system_table_mods = on; TRUNCATE pg_catalog.pg_dist_node');
my $waiting = $one->prepare('SELECT id_shard(next_id())', { pg_async => PG_ASYNC });
$waiting->execute;
wait_until($two, q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ~ 'next_id'});
$session->do('UPDATE pg_catalog.pg_dist_local_group SET groupid = 7; INSERT INTO pg_catalog.pg_dist_node VALUES (1, 0), (2, 7); COMMIT');
$one->pg_result;
is($waiting->fetchrow_array, 7, 'what waits while a worker is added has its group');

# Later versions delete the rows, and nothing waits: a worker that is added and removed again and again never has group 0.
$session->do('SET allow_system_table_mods = on');
$session->do(q{DO $$ BEGIN FOR i IN 1 .. 5000 LOOP
	DELETE FROM pg_catalog.pg_dist_node; UPDATE pg_catalog.pg_dist_local_group SET groupid = 0; COMMIT;
	UPDATE pg_catalog.pg_dist_local_group SET groupid = 7; INSERT INTO pg_catalog.pg_dist_node VALUES (1, 0), (2, 7); COMMIT;
END LOOP; END $$}, { pg_async => PG_ASYNC });
my %drawn;
until ($session->pg_ready) { $drawn{ eval { shard_of('next_id()') } // 'refused' }++ }
$session->pg_result;
$session->do('RESET allow_system_table_mods');
is(join(' ', sort keys %drawn), '7 refused', 'a worker that is added and removed never draws from the shard of the coordinator');
set_group(0);
is(shard_of($_), 0, "the coordinator: $_") for 'next_id()', '(next_id_array(3))[3]';

# A worker. Set by ALTER DATABASE, which Citus copies, and that is right.
set_group(7);
is(shard_of($_), 7, "a worker: $_") for 'next_id()', '(next_id_array(3))[3]', 'next_id_after(1)', 'next_id(7)', 'max(id)) FROM (SELECT next_ids(2000) id) i --';
is(shard_of("next_id(layout => 'snowflake'), 'snowflake'"), 7, 'a worker: another preset');
$row = shards_row();
is("$row->{value} $row->{ok}", 'citus: group 7; set by ALTER DATABASE postgres 1', 'a worker: idgen.status() finds nothing wrong with ALTER DATABASE');
is($row->{advice}, undef, 'a worker: nothing to do');
fails_with($one, 'SELECT next_id(8)', '22023', qr/shard 8 does not belong to this node.*DETAIL:  idgen.shards is "citus", set by ALTER DATABASE postgres, now 7;.*HINT:  Leave the shard out to use the node's own\.$/s,
	'another shard');
my $ordinary = do { $session->do('CREATE ROLE app LOGIN'); connect_to($node, user => 'app') };
is(shard_of('next_id()', $ordinary), 7, 'an ordinary role gets IDs of the group');
$ordinary->disconnect;

# Whoever empties the list of nodes, as Citus did when it sent it again, holds up no worker that has its group.
$session->do('BEGIN; SET LOCAL allow_system_table_mods = on; LOCK TABLE pg_catalog.pg_dist_node');
$one->do(q{SET lock_timeout = '1s'});
is(eval { shard_of('next_id()') } // $one->errstr, 7, 'a worker draws while the list of nodes is locked');
$one->do('RESET lock_timeout');
$session->do('ROLLBACK');

# A group that changes counts from the next transaction on, whatever is prepared.
$_->do('PREPARE one AS SELECT id_shard(next_id())') for $one, $two;
$one->do('PREPARE many AS SELECT DISTINCT id_shard(id) FROM next_ids(100) id');
is_deeply([ map { value_of($one, "EXECUTE $_") } qw(one many) ], [ 7, 7 ], 'prepared');
$two->begin_work;
is(value_of($two, 'EXECUTE one'), 7, 'in a transaction');
set_group(9);
is_deeply([ map { value_of($one, "EXECUTE $_") } qw(one many one) ], [ 9, 9, 9 ],
	'another group: prepared statements have it');
$two->commit;
is(value_of($two, 'EXECUTE one'), 9, 'another group: the next transaction has it');
$two->begin_work;
fails_with($two, 'SELECT 1 / next_id(6)', '22023', qr/now 9;/, 'a transaction that fails');
set_group(7);
$two->rollback;
is(value_of($two, 'EXECUTE one'), 7, 'another group: after a ROLLBACK too');
$one->begin_work;
$one->do($_) for 'SAVEPOINT a', 'UPDATE pg_catalog.pg_dist_local_group SET groupid = 9';
is(value_of($one, 'EXECUTE one'), 9, 'another group, in a savepoint');
$one->do('ROLLBACK TO a');
is(value_of($one, 'EXECUTE one'), 7, 'another group: after ROLLBACK TO as well');
$one->commit;
$one->do($_) for 'CREATE TABLE seen (id bigint DEFAULT next_id(), turn int)', <<'SQL';
CREATE PROCEDURE twice() LANGUAGE plpgsql AS $$
BEGIN
    FOR turn IN 1..2 LOOP
        INSERT INTO seen (turn) VALUES (turn);
        UPDATE pg_catalog.pg_dist_local_group SET groupid = 12;
        COMMIT;
    END LOOP;
END
$$
SQL
$one->do('SET allow_system_table_mods = on');
$one->do('CALL twice()');
is(value_of($one, q{SELECT string_agg(id_shard(id)::text, ' ' ORDER BY turn) FROM seen}), '7 12',
	'a procedure that commits');

# So does code in C that keeps what it calls.
set_group(7);
$one->do("CREATE FUNCTION kept_call(regprocedure, bigint, id_layout) RETURNS bigint LANGUAGE c AS '$ENV{IDGEN_PRELOADS}/kept_call.so'");
my $kept = q{kept_call('next_id(bigint, id_layout)', idgen.own_shards(), 'instagram')};
is(shard_of($kept), 7, 'a call that is kept');
set_group(8);
is(shard_of($kept), 8, 'a call that is kept: in the next transaction');

# Parallel workers.
set_group(7);
$one->do('CREATE TABLE many AS SELECT generate_series(1, 20000) AS n');
$one->do('ALTER TABLE many SET (parallel_workers = 2)');
$one->do("SET $_") for 'min_parallel_table_scan_size = 0', 'parallel_setup_cost = 0', 'parallel_tuple_cost = 0', 'max_parallel_workers_per_gather = 2', 'parallel_leader_participation = off';
my $parallel = 'SELECT count(DISTINCT id), min(id_shard(id)), max(id_shard(id)) FROM (SELECT next_id() AS id FROM many WHERE n > 0 OFFSET 0) i';
like(join("\n", map { @$_ } @{ $one->selectall_arrayref("EXPLAIN (ANALYZE, COSTS OFF) $parallel") }),
	qr/Workers Launched: 2/, 'a parallel plan');
is_deeply($one->selectrow_arrayref($parallel), [ 20000, 7, 7 ], 'parallel workers have the group');

# A group that a layout cannot hold.
set_group(300);
fails_with($one, q{SELECT next_id(layout => 'js53')}, '22003',
	qr/group 300 of this node in Citus is too large for layout "js53".*DETAIL:.*shards 0 to 255\..*HINT:  Use a layout with more shards, or give each node a shard of its own/s,
	  'a group too large for a layout');
is(shard_of('next_id()'), 300, 'a group too large for one layout has IDs of the others');
$one->do('SET idgen.region = 1');
fails_with($one, q{SELECT next_id(layout => 'twitter')}, '22003', qr/DETAIL:.*idgen.region is 1; the layout has the shards 0 to 31 in each region.*HINT:.*idgen.region to 0/s,
	'a group too large for a layout beside a region');
set_group(3);
is(shard_of("next_id(layout => 'twitter'), 'twitter'"), 35, 'a region above the group');
$one->do('RESET idgen.region');

# What has no shard does not ask for the group.
as_superuser('DELETE FROM pg_catalog.pg_dist_local_group');
fails_with($one, 'SELECT next_id()', '55000', $absent, 'no group any more');
ok(value_of($one, "SELECT $_"),
	"without a group: $_") for q{next_id(layout => 'mastodon')}, q{next_id(0, 'mastodon')}, 'hlc_now()', 'next_ulid()', 'next_decimal_id()';
as_superuser('INSERT INTO pg_catalog.pg_dist_local_group VALUES (-1)');
fails_with($one, 'SELECT next_id()', '55000', $absent, 'a group that is none');
as_superuser('DROP TABLE pg_catalog.pg_dist_local_group; CREATE VIEW pg_catalog.pg_dist_local_group AS SELECT 7 AS groupid');
fails_with($one, 'SELECT next_id()', '55000', $absent, 'no table of that name');

# Numbers by hand again, and a value that is none.
$one->do(q{SET idgen.shards = '5'});
is(shard_of('next_id()'), 5, 'numbers by hand');
fails_with($one, q{SET idgen.shards = 'Citus'}, '22023', qr/neither a shard number.*HINT:.*or lease, or citus\.$/s,
	'a misspelt value');

# idgen_migrate knows the tables of Citus only by Citus's own table: Mallory's table of that name, and one that belongs
# to no extension, are nothing.
$session->do('CREATE DATABASE moving');
$node->safe_psql('moving', $_) for 'CREATE EXTENSION idgen', 'CREATE EXTENSION idgen_migrate', 'CREATE ROLE mallory; GRANT CREATE ON SCHEMA public TO app, mallory';
my $owner = connect_to($node, db => 'moving', user => 'app');
$owner->do($_) for 'CREATE TABLE photo (id bigserial, tenant int, small int UNIQUE, new bigint, made timestamptz, PRIMARY KEY (tenant, id))',
  q{INSERT INTO photo (tenant, made) SELECT n % 7, '2024-01-01' FROM generate_series(1, 10) n}, 'CREATE TABLE album (id uuid PRIMARY KEY)', 'CREATE TABLE plain (id bigint PRIMARY KEY)';
$node->safe_psql('moving', <<'SQL');
SET ROLE mallory;
CREATE FUNCTION public.told() RETURNS regclass LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'somebody asked Mallory'; END $$;
CREATE VIEW public.pg_dist_partition AS SELECT public.told() AS logicalrelid, 'h'::"char" AS partmethod, ':varattno 2 ' AS partkey, 's'::"char" AS repmodel;
GRANT SELECT ON public.pg_dist_partition TO PUBLIC;
SQL
$owner->do('SET search_path = public, pg_catalog');

# The findings of a kind that match, each as "ok: finding".
sub found
{
	my ($what, $call) = @_;
	my $rows = $owner->selectall_arrayref("SELECT CASE WHEN ok THEN 'ok' ELSE 'no' END || ': ' || finding FROM idgen_migrate.check($call)");
	return join "\n", grep { $_ =~ $what } map { @$_ } @$rows;
}
my $of_citus = qr/Citus|shards|distribution column|of its own/;
is(found($of_citus, q{'backfill', 'photo', 'new', 'made', 5}), '', q{Mallory's table is not asked});
$node->safe_psql('moving', <<'SQL');
DROP VIEW public.pg_dist_partition;
CREATE TABLE public.pg_dist_partition AS SELECT 'public.photo'::regclass AS logicalrelid, 'h'::"char" AS partmethod, ':varattno 2 ' AS partkey, 's'::"char" AS repmodel;
ALTER TABLE public.pg_dist_partition SET SCHEMA pg_catalog;
SQL
is(found($of_citus, q{'backfill', 'photo', 'new', 'made', 5}), '',
	'a relation pg_dist_partition that belongs to no extension tells nothing');
$node->safe_psql('moving', 'ALTER EXTENSION plpgsql ADD TABLE pg_catalog.pg_dist_partition');
is(found($of_citus, q{'backfill', 'photo', 'new', 'made', 5}), '',
	'a relation pg_dist_partition of another extension tells nothing');
$node->safe_psql('moving', $_) for 'ALTER EXTENSION plpgsql DROP TABLE pg_catalog.pg_dist_partition', q{DROP TABLE pg_catalog.pg_dist_partition; CREATE EXTENSION citus VERSION '2'};
is(found($of_citus, q{'backfill', 'photo', 'new', 'made', 5}), '', 'nothing is distributed yet');
like(found(qr/rows of/, q{'serial', 'photo', 'id'}), qr/^ok: rows of public.photo: not known before ANALYZE, in /,
	'the rows of an ordinary table are not counted');
$node->safe_psql('moving', 'ANALYZE photo');
like(found(qr/rows of/, q{'serial', 'photo', 'id'}), qr/^ok: rows of public.photo: about 10, in /,
	'the rows of an ordinary table are estimated');

# photo is distributed by its second column, album is a reference table.
$node->safe_psql('moving', <<'SQL');
INSERT INTO pg_catalog.pg_dist_partition VALUES ('public.photo', 'h', '{VAR :varno 1 :varattno 2 :vartype 23 :vartypmod -1 :varlevelsup 0}', 1, 's'),
    ('public.album', 'n', NULL, 2, 't')
SQL
my $counted = 'ok: rows of public.photo: 10, counted on its shards';
is(found($of_citus, q{'backfill', 'photo', 'new', 'made', 5}),
	"no: public.photo is a distributed table of Citus\nno: public.photo.new cannot have a unique index of its own\n$counted", 'backfill');
is(found($of_citus, q{'backfill', 'photo', 'tenant', 'made', 5}),
	"no: public.photo is a distributed table of Citus\nno: public.photo.tenant is the distribution column\n$counted", 'backfill of the distribution column');
is(found($of_citus, q{'widen', 'photo', 'tenant'}),
	"no: public.photo is a distributed table of Citus\nno: public.photo.tenant is the distribution column\n$counted", 'the distribution column is widened');
is(found($of_citus, q{'widen', 'photo', 'small'}), "no: public.photo is a distributed table of Citus\n$counted",
  'a column that does not distribute is widened');
is(found($of_citus, q{'uuid', 'album', 'new'}),
	"no: public.album is a reference table of Citus\nok: rows of public.album: 0, counted on its shards",
	'a reference table');
is(found($of_citus, q{'serial', 'photo', 'id'}), "ok: public.photo is a distributed table of Citus\n$counted",
	'a new default');
is(found(qr/about|ANALYZE/, q{'serial', 'photo', 'id'}), '', 'the local table of that name is not counted');
is(found($of_citus, q{'serial', 'plain', 'id'}), '', 'a table that is not of Citus');
fails_with($owner, q{CALL idgen_migrate.backfill('photo', 'new', 'made', 5)}, '0A000',
	qr/public.photo is a distributed table of Citus.*HINT:.*undistribute_table\('public.photo'\)/s,
	'backfill is refused');
fails_with($owner, q{CALL idgen_migrate.uuid_start('album', 'new', 5)}, '0A000', qr/public.album is a reference table of Citus/,
  'a move of a reference table is refused');
$owner->do(q{CALL idgen_migrate.replace_serial('photo', 'id', 5)});
is(value_of($owner, 'INSERT INTO photo (tenant) VALUES (1) RETURNING id_shard(id)'), 5, 'a default is set');
# Rows of others' tables are not read.
my $other = connect_to($node, db => 'moving');
$other->do(q{SET client_min_messages = error});
unlike(join("\n", map { @$_ } @{ $other->selectall_arrayref(q{SELECT finding FROM idgen_migrate.check('serial', 'photo', 'id')}) }),
	qr/counted/, q{another role's rows are not counted});

$_->disconnect for $session, $one, $two, $owner, $other;
done_testing();
