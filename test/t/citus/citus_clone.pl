# A clone of a node of Citus is promoted before it has a group of its own: until then it has its origin's, and makes no
# IDs by it. What Citus writes is written here by hand, into tables like its own.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use IdgenPair;
use PostgreSQL::Test::Utils;
use Test::More;

sub as_superuser
{
	my ($node, $sql) = @_;
	return $node->safe_psql('postgres', "SET allow_system_table_mods = on; $sql");
}

sub shard_of { my ($session, $maker) = @_; return value_of($session, 'SELECT id_shard(' . ($maker // 'next_id()') . ')') }

sub shards_row { my ($session) = @_; return $session->selectrow_hashref(q{SELECT split_part(value, '; set by ', 1) AS value, ok, advice FROM idgen.status() WHERE key = 'shards'}) }

my $in_doubt = qr/this server may be a clone with the group of its origin in Citus.*DETAIL:.*was promoted or restored, and pg_dist_node has a clone.*HINT:  Wait until .*citus_remove_clone_node\(\)/s;
my @makers = ('next_id()', 'next_ids(3)', 'next_id_array(3)', 'next_id_after(1)', 'next_id(7)', q{next_id(layout => 'snowflake')});

# Fails unless every maker that asks for the group is refused.
sub is_refused
{
	my ($session, $what) = @_;
	fails_with($session, "SELECT $_", '55000', $in_doubt, "$what: $_") for @makers;
	my $row = shards_row($session);
	like("$row->{value} $row->{ok}", qr/^this server may be a clone with the group of its origin in Citus\. .* 0$/,
		"$what: idgen.status()");
	like($row->{advice}, qr/^Wait until citus_promote_clone_and_rebalance/, "$what: what to do");
	return;
}

# Fails unless IDs are of the group.
sub is_of_group
{
	my ($session, $group, $what) = @_;
	is(shard_of($session), $group, "$what: IDs of group $group");
	my $row = shards_row($session);
	is("$row->{value} $row->{ok}", "citus: group $group 1", "$what: idgen.status()");
	return;
}

sub reconnected { my ($node) = @_; $node->restart; return connect_to($node) }

# Node 2, of group 7, among others; the columns are those of 13.2, in another order.
my $origin = begin_primary('origin');
$origin->safe_psql('postgres', 'CREATE EXTENSION idgen_kinds');
as_superuser($origin, <<'SQL');
CREATE TABLE pg_catalog.pg_dist_local_group (groupid int NOT NULL);
CREATE TABLE pg_catalog.pg_dist_node (nodename text, nodeid int PRIMARY KEY, groupid int NOT NULL);
GRANT SELECT ON pg_catalog.pg_dist_local_group, pg_catalog.pg_dist_node TO PUBLIC;
INSERT INTO pg_catalog.pg_dist_local_group VALUES (7);
INSERT INTO pg_catalog.pg_dist_node VALUES ('coordinator', 1, 0), ('origin', 2, 7), ('other', 4, 9);
ALTER DATABASE postgres SET idgen.shards = 'citus';
SQL
my $session = connect_to($origin);
is_of_group($session, 7, 'before 13.2');
as_superuser($origin, 'ALTER TABLE pg_catalog.pg_dist_node ADD nodeprimarynodeid int NOT NULL DEFAULT 0, ADD nodeisclone bool NOT NULL DEFAULT false');
is_of_group($session, 7, 'no clone');

# The origin is never in doubt: its horizon was written by itself.
my $clone_row = q{('clone', 3, 8, 2, true)};
as_superuser($origin, "INSERT INTO pg_catalog.pg_dist_node VALUES $clone_row");
is_of_group($session, 7, 'the origin');
$session->disconnect;
$session = reconnected($origin);
is_of_group($session, 7, 'the origin after a restart');
$session->disconnect;
crash($origin);
start_again($origin);
$session = connect_to($origin);
is_of_group($session, 7, 'the origin after a crash');

my ($clone, $successor, $older) = map { begin_standby($origin, $_, '+0') } qw(clone successor older);
wait_for_replay($origin, $_) for $clone, $successor, $older;
my $standby = connect_to($clone);
is(shards_row($standby)->{value}, 'citus: group 7', 'a clone in recovery: idgen.status()');
fails_with($standby, 'SELECT next_id()', '25006', qr/during recovery/, 'a clone in recovery');
for my $node ($clone, $successor, $older) { cut_off($node); $node->promote }

# Promoted, and Citus has not committed.
is_refused($standby, 'a promoted clone, in a session from before');
my $one = connect_to($clone);
is_refused($one, 'a promoted clone');
is(value_of($one, q{SELECT current_setting('idgen.shards')}), 'citus',
	'a promoted clone has the setting of its origin');
# Code in C that keeps what it calls, and goes on after an error.
$one->do("CREATE FUNCTION kept_call(regprocedure, bigint, id_layout) RETURNS bigint LANGUAGE c AS '$ENV{IDGEN_PRELOADS}/kept_call.so'");
$one->begin_work;
for my $turn (1 .. 2)
{
	$one->do('SAVEPOINT before');
	fails_with($one, q{SELECT kept_call('next_id(bigint, id_layout)', idgen.own_shards(), 'instagram')}, '55000',
		$in_doubt, "a transaction that insists: $turn");
	$one->do('ROLLBACK TO before');
}
$one->commit;
is_of_group($session, 7, 'the origin of a clone goes on');

# What asks for no group is made, and proves nothing.
ok(value_of($one, "SELECT $_"),
	"a promoted clone: $_") for q{next_id(layout => 'mastodon')}, 'hlc_now()', 'next_ulid()', 'next_decimal_id()';
is_refused($one, 'after a timestamp');
$one->do(q{SET idgen.shards = '5'});
is(shard_of($one), 5, 'a promoted clone: numbers by hand');
$one->do('RESET idgen.shards');
is_refused($one, 'after IDs of another number');
$one->do('SELECT idgen.advance(now())');
is_refused($one, 'after idgen.advance()');
$one->do('SELECT idgen.confirm_shards()');
is_refused($one, 'after idgen.confirm_shards()');
$one->do(q{SELECT idgen.reset(now() + interval '1 s', force => true)});
is_refused($one, 'after idgen.reset()');
$_->disconnect for $standby, $one;
$one = reconnected($clone);
is_refused($one, 'a promoted clone after a restart');

# A lock on the nodes does not stop a timestamp, which proves nothing then either.
$one->disconnect;
$one = reconnected($clone);
my $holder = connect_to($clone);
$holder->begin_work;
$holder->do('SET LOCAL allow_system_table_mods = on');
$holder->do('LOCK TABLE pg_catalog.pg_dist_node');
$one->do(q{SET statement_timeout = '30s'});
ok(value_of($one, 'SELECT hlc_now()'), 'a timestamp while the nodes are locked');
$holder->rollback;
is_refused($one, 'after the lock');
# A lock on the horizon, which would tell.
$holder->begin_work;
$holder->do('ALTER SEQUENCE idgen.horizon OWNER TO CURRENT_USER');
$one->do('SET idgen.max_wait = 100');
fails_with($one, 'SELECT next_id()', '55000',
	qr/not renewed within.*DETAIL:.*holds a lock on sequence "idgen.horizon"/s, 'the horizon is locked');
$holder->rollback;
$holder->disconnect;
$one->do('RESET idgen.max_wait');

# Citus commits: the group and the nodes at once. An open session goes on.
as_superuser($clone, 'BEGIN; UPDATE pg_catalog.pg_dist_local_group SET groupid = 8; DELETE FROM pg_catalog.pg_dist_node;'
	  . q{INSERT INTO pg_catalog.pg_dist_node VALUES ('coordinator', 1, 0), ('origin', 2, 7), ('clone', 3, 8); COMMIT});
is_of_group($one, 8, 'Citus has committed');
# The next renewal is this server's own, as of each that makes IDs for a while.
$one->do('SELECT idgen.advance(now())');
as_superuser($clone, q{INSERT INTO pg_catalog.pg_dist_node VALUES ('next', 5, 10, 3, true), ('far', 6, 11, 2, true)});
is_of_group($one, 8, 'the clone, now an origin');
$one->disconnect;
$one = reconnected($clone);
is_of_group($one, 8, 'the clone, now an origin, after a restart');

# A standby that has replaced the origin looks the same, until the clone is removed.
my $two = connect_to($successor);
is_refused($two, 'a successor');
as_superuser($successor, 'DELETE FROM pg_catalog.pg_dist_node WHERE nodeisclone');
is_of_group($two, 7, 'a successor, the clone being removed');
as_superuser($successor, "INSERT INTO pg_catalog.pg_dist_node VALUES $clone_row");
is_of_group($two, 7, 'a successor, the clone being added again');
$two->disconnect;
$two = reconnected($successor);
is_of_group($two, 7, 'a successor after a restart');

# With a registry the group is a number that the registry grants.
my $three = connect_to($older);
is_refused($three, 'another');
$three->disconnect;
$older->append_conf('postgresql.conf', q{idgen.registry = 'host=127.0.0.1 port=1'});
$three = reconnected($older);
is(shards_row($three)->{value}, 'citus: group 7', 'with a registry: idgen.status()');
$three->do('SET idgen.max_wait = 100');
fails_with($three, 'SELECT next_id()', '55000', qr/shard 7 cannot be used now: the registry has not granted it/,
	'with a registry');
$three->disconnect;
$older->append_conf('postgresql.conf', q{idgen.registry = ''});
$three = reconnected($older);
is_refused($three, 'a clone without a registry again');

# A clone of another node says nothing of this one.
as_superuser($older, 'UPDATE pg_catalog.pg_dist_node SET nodeprimarynodeid = 4 WHERE nodeisclone');
is(shards_row($three)->{value}, 'citus: group 7', 'a clone of another node: idgen.status()');
as_superuser($older, 'UPDATE pg_catalog.pg_dist_node SET nodeprimarynodeid = 2 WHERE nodeisclone');
is_refused($three, 'a clone of this node again');

# Before 13.2 there are no clones.
as_superuser($older, 'ALTER TABLE pg_catalog.pg_dist_node DROP nodeisclone');
is_of_group($three, 7, 'promoted, before 13.2');

$_->disconnect for $session, $one, $two, $three;
done_testing();
