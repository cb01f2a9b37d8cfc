# Citus itself: IDs on a coordinator and its workers, by Citus' groups and by a registry, while nodes are added,
# drained, removed, replaced by a standby and split off as a clone. tools/citus builds Citus from a checkout and runs
# this.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../../registry/t/lib";
use IdgenLease;
use IdgenNode;
use IdgenPair;
use POSIX qw(_exit);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

chomp(my $library = `pg_config --pkglibdir`);
plan skip_all => 'Citus is not installed here; tools/citus builds it from a checkout' unless -e "$library/citus.so";

my @conf = (
	"shared_preload_libraries = 'citus, idgen'", "listen_addresses = '127.0.0.1'", 'max_prepared_transactions = 60', 'max_connections = 120',
	'wal_level = logical', 'max_wal_senders = 30', 'max_replication_slots = 30', 'max_worker_processes = 40', 'wal_keep_size = 1GB',
	"citus.node_conninfo = 'sslmode=disable'", 'citus.enable_statistics_collection = off', 'autovacuum = off');

# A server that could be a node.
sub begin_member
{
	my ($name) = @_;
	my $node = start_node($name, preload => 0, extension => 0, init => { allows_streaming => 'logical' }, conf => \@conf);
	$node->safe_psql('postgres', 'CREATE EXTENSION citus');
	return $node;
}

sub add { my ($node) = @_; return $main::coordinator->safe_psql('postgres', "SELECT citus_add_node('127.0.0.1', " . $node->port . ')') }
sub at { my ($node) = @_; return "'127.0.0.1', " . $node->port }

our $coordinator = begin_member('coordinator');
my @workers = map { begin_member("worker$_") } 1 .. 3;
note $coordinator->safe_psql('postgres', 'SELECT citus_version()');
$coordinator->safe_psql('postgres', $_) for 'SELECT citus_set_coordinator_host(' . at($coordinator) . ')', 'CREATE EXTENSION citus_columnar', 'CREATE EXTENSION idgen', q{ALTER DATABASE postgres SET idgen.shards = 'citus'};
add($_) for @workers;
$coordinator->safe_psql('postgres', <<'SQL');
CREATE TABLE photo (id bigint NOT NULL DEFAULT next_id(), author int NOT NULL, PRIMARY KEY (author, id)) PARTITION BY RANGE (id);
SELECT create_distributed_table('photo', 'author', shard_count => 8);
CREATE TABLE photo_before PARTITION OF photo FOR VALUES FROM (MINVALUE) TO (id_min('2026-01-01 00:00:00+00'));
CREATE TABLE photo_since PARTITION OF photo FOR VALUES FROM (id_min('2026-01-01 00:00:00+00')) TO (MAXVALUE);
CREATE TABLE post (id bigint PRIMARY KEY DEFAULT next_id(), author int);
SELECT create_distributed_table('post', 'id', shard_count => 8);
CREATE TABLE seed (author int PRIMARY KEY);
SELECT create_distributed_table('seed', 'author', colocate_with => 'photo');
INSERT INTO seed SELECT generate_series(1, 2000);
CREATE TABLE tag (id bigint PRIMARY KEY DEFAULT next_id(), name text);
SELECT create_reference_table('tag');
CREATE TABLE hit (id bigint NOT NULL DEFAULT next_id(), author int) USING columnar;
SELECT create_distributed_table('hit', 'author', shard_count => 8, colocate_with => 'none');
SQL

my $rows = 0;

# Rows through a node in every way: one by one, COPY, INSERT ... SELECT, into each kind of table.
sub fill_through
{
	my ($node) = @_;
	my $one_by_one = join '', map { "INSERT INTO photo (author) VALUES ($_);\nINSERT INTO post (author) VALUES ($_);\n" } 1 .. 50;
	my $copy = join '', map { "COPY $_ (author) FROM STDIN;\n" . join('', map { "$_\n" } 1 .. 500) . "\\.\n" } qw(photo post hit);
	my $select = join '', map { "INSERT INTO $_ (author) SELECT author FROM seed;\n" } qw(photo post hit);
	my $file = $node->basedir . '/fill.sql';
	unlink $file;
	append_to_file($file, "$one_by_one${copy}${select}INSERT INTO tag (name) SELECT 'tag' FROM generate_series(1, 100);\n");
	$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('postgres'), '-f', $file ],
		$node->name . ': rows of every kind');
	return $rows += 2 * 50 + 3 * 500 + 3 * 2000 + 100;
}

my $all = 'SELECT id FROM photo UNION ALL SELECT id FROM post UNION ALL SELECT id FROM hit UNION ALL SELECT id FROM tag';

# Fills through each of the nodes; then no ID is there twice, and the IDs are of those shards.
sub fill
{
	my ($what, $shards, @nodes) = @_;
	my $after = $coordinator->safe_psql('postgres', 'SELECT clock_timestamp()');
	fill_through($_) for @nodes;
	is($coordinator->safe_psql('postgres', "SELECT count(*), count(DISTINCT id) FROM ($all) a"), "$rows|$rows",
		"$what: $rows rows, no ID twice");
	my $seen = $coordinator->safe_psql('postgres',
		"SELECT string_agg(DISTINCT s::text, ' ') FROM (SELECT id_shard(id) AS s FROM ($all) a WHERE id >= id_min('$after')) b");
	is($seen, $shards, "$what: IDs of the shards $shards");
	is($coordinator->safe_psql('postgres', q{SELECT count(DISTINCT result) FROM run_command_on_all_nodes('SELECT md5(string_agg(id::text, '','' ORDER BY id)) FROM tag')}),
		'1', "$what: the reference table is the same everywhere");
	return;
}

# IDs that a server gives by itself meanwhile, as long as it gives any; it may refuse.
sub begin_taking
{
	my ($node) = @_;
	my $file = $node->basedir . '/drawn';
	my $pid = fork // die "fork: $!";
	return { pid => $pid, file => $file } if $pid;
	open my $out, '>>', $file or _exit(1);
	my $end = 0;
	local $SIG{TERM} = sub { $end = 1 };
	until ($end)
	{
		my $ids = eval { my $session = connect_to($node); my $got = value_of($session, 'SELECT next_id_array(500)'); $session->disconnect; $got };
		print $out map { "$_\n" } @{ $ids // [] };
		sleep 0.005;
	}
	close $out;
	_exit(0);
}

sub end_taking
{
	my ($drawing) = @_;
	kill 'TERM', $drawing->{pid};
	waitpid $drawing->{pid}, 0;
	return split /\n/, slurp_file($drawing->{file});
}

sub group_of { my ($node) = @_; return $node->safe_psql('postgres', 'SELECT groupid FROM pg_dist_local_group') }
sub node_id { my ($node) = @_; return $coordinator->safe_psql('postgres', 'SELECT nodeid FROM pg_dist_node WHERE nodeport = ' . $node->port) }

is(join(' ', map { group_of($_) } $coordinator, @workers), '0 1 2 3', 'groups');
fill('three workers', '0 1 2 3', $coordinator, @workers);
is($_->safe_psql('postgres', q{SELECT value, ok FROM idgen.status() WHERE key = 'shards'}),
	'citus: group ' . group_of($_) . '; set by ALTER DATABASE postgres|t', $_->name . ': idgen.status()') for $coordinator, @workers;

# The audit reads all shards, whose rows come mixed: it does not say in which order they are stored.
is($coordinator->safe_psql('postgres', q{SELECT string_agg(concat_ws(' ', a.finding, a.value), ', ') FROM idgen.audit('post', 'id') AS a WHERE finding IN ('rows', 'duplicates', 'out of order')}),
	'rows ' . $coordinator->safe_psql('postgres', 'SELECT count(*) FROM post') . ', duplicates 0, out of order unknown', 'the audit of a distributed table');
isnt($coordinator->safe_psql('postgres', q{SELECT value FROM idgen.audit('tag', 'id') WHERE finding = 'out of order'}), 'unknown', 'and of a reference table, which lies on each node');

# id_within() is a condition of the index on the workers, and prunes partitions there.
my $within = q{id_within(id, '[2026-02-01 00:00:00+00,2026-03-01 00:00:00+00)')};
my $plan = $coordinator->safe_psql('postgres', "SET citus.explain_all_tasks = on; SET enable_seqscan = off; EXPLAIN (COSTS OFF) SELECT count(*) FROM post WHERE $within");
is(scalar(() = $plan =~ /Index Cond: \(?\(?\(?id >= /g), 8, 'id_within: an index condition in each of 8 tasks') or diag $plan;
$plan = $coordinator->safe_psql('postgres', "SET citus.explain_all_tasks = on; EXPLAIN (COSTS OFF) SELECT count(*) FROM photo WHERE $within");
ok($plan =~ /photo_since/ && $plan !~ /photo_before/, 'id_within: a partition is pruned on the workers') or diag $plan;

# A node is added, gets its part, and others are emptied and removed.
push @workers, begin_member('worker4');
add($workers[3]);
fill('a node is added', '0 1 2 3 4', $coordinator, @workers);
my $drawing = begin_taking($workers[1]);
$coordinator->safe_psql('postgres', q{SELECT rebalance_table_shards(shard_transfer_mode => 'block_writes')});
cmp_ok($coordinator->safe_psql('postgres', 'SELECT count(*) FROM citus_shards WHERE nodeport = ' . $workers[3]->port),
	'>', 0, 'rebalanced: the new node has shards');
fill('rebalanced', '0 1 2 3 4', $coordinator, @workers);
$coordinator->safe_psql('postgres', "SELECT citus_drain_node(@{[ at($workers[0]) ]}, shard_transfer_mode => 'block_writes')");
# What is empty makes no IDs but those that are asked of it.
fill('drained', '0 1 2 3 4', $coordinator, @workers);
my $removed = shift @workers;
$coordinator->safe_psql('postgres', "SELECT citus_remove_node(@{[ at($removed) ]})");
fill('removed', '0 2 3 4', $coordinator, @workers);
is($removed->safe_psql('postgres', 'SELECT id_shard(next_id())'), '1',
	'removed: the node itself keeps its group, which no other gets');
my %made;
my @drawn = end_taking($drawing);
cmp_ok(scalar @drawn, '>', 0, 'IDs drawn beside it');
is(repeated(\%made, @drawn, split /\n/, $coordinator->safe_psql('postgres', $all)), 0, 'no ID twice, of those either');

# A standby takes the place of a worker that dies.
sub begin_copy
{
	my ($origin, $name) = @_;
	$origin->backup($name);
	my $copy = PostgreSQL::Test::Cluster->new($name);
	$copy->init_from_backup($origin, $name, has_streaming => 1);
	# By address, as Citus looks for it.
	$copy->append_conf('postgresql.conf', "primary_conninfo = 'host=127.0.0.1 port=" . $origin->port . " application_name=$name'");
	start_again($copy);
	wait_for_replay($origin, $copy);
	return $copy;
}
my $standby = begin_copy($workers[0], 'standby');
$drawing = begin_taking($workers[0]);
sleep 1;
my $id_of_it = node_id($workers[0]);
crash($workers[0]);
@drawn = end_taking($drawing);
$standby->promote;
$coordinator->safe_psql('postgres', "SELECT citus_update_node($id_of_it, @{[ at($standby) ]})");
$workers[0] = $standby;
fill('a standby is promoted', '0 2 3 4', $coordinator, @workers);
is(repeated({}, @drawn, split /\n/, $coordinator->safe_psql('postgres', $all)), 0, 'a standby is promoted: no ID twice, of those drawn before either');

# A clone of a worker becomes a worker of its own; both are asked for IDs all the time.
SKIP:
{
	my $knows_clones = $coordinator->safe_psql('postgres', q{SELECT count(*) FROM pg_proc WHERE proname = 'citus_add_clone_node'});
	last unless $knows_clones;
	my $origin = $workers[1];
	my $clone = begin_copy($origin, 'clone');
	my $clone_id = $coordinator->safe_psql('postgres', "SELECT citus_add_clone_node(@{[ at($clone) ]}, @{[ at($origin) ]})");
	wait_for_replay($origin, $clone);
	my @drawings = map { begin_taking($_) } $origin, $clone;
	$coordinator->safe_psql('postgres', "SELECT citus_promote_clone_and_rebalance($clone_id)");
	push @workers, $clone;
	cmp_ok(group_of($clone), '>', 4, 'a clone is promoted: it has a group of its own');
	sleep 2;
	my ($of_origin, $of_clone) = map { [ end_taking($_) ] } @drawings;
	note sprintf 'the origin made %d IDs meanwhile, the clone %d', scalar @$of_origin, scalar @$of_clone;
	cmp_ok(scalar @$_, '>', 0, 'a clone is promoted: IDs of both') for $of_origin, $of_clone;
	is(repeated({}, @$of_origin, @$of_clone), 0, 'a clone is promoted: no ID of both');
	my $group = group_of($origin);
	is($coordinator->safe_psql('postgres', "SELECT count(*) FROM unnest('{" . join(',', @$of_clone) . "}'::bigint[]) AS id WHERE id_shard(id) = $group"),
		'0', 'a clone is promoted: it made none by the group of its origin');
	fill('a clone is promoted', join(' ', sort map { group_of($_) } $coordinator, @workers), $coordinator, @workers);
}

# The numbers of a registry instead.
my $registry = start_registry('registry');
$coordinator->safe_psql('postgres', $_) for q{ALTER DATABASE postgres RESET idgen.shards}, 'CREATE EXTENSION idgen_lease';
for my $node ($coordinator, @workers)
{
	$node->append_conf('postgresql.conf', $_) for "shared_preload_libraries = 'citus, idgen, idgen_lease'", "idgen.shards = 'lease'",
	  "idgen.registry = '" . address_of($registry) . q{'}, q{idgen.lease_range = '100-199'}, q{idgen.max_wait = '60s'};
	$node->restart;
}
my @numbers = sort map { my $session = connect_to($_); my $id = wait_for_id($session, 120); value_of($session, 'SELECT id_shard(?)', $id) } $coordinator, @workers;
my %distinct = map { $_ => 1 } @numbers;
is(scalar(keys %distinct), 1 + @workers, "a registry: another number for each, @numbers");
fill('a registry', "@numbers", $coordinator, @workers);
note "$rows rows";
done_testing();
