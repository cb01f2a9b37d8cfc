# Settings and where they come from: ALTER DATABASE, dumps, roles, a server without the library.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('settings', kinds => 1);
my $early = connect_to($node);
my $main = connect_to($node);

# A connection that is older than the setting gets the advice to reconnect.
fails_with($early, 'SELECT next_id()', '55000',
	qr/idgen.shards is not set\nDETAIL:.*\nHINT:.*ALTER DATABASE postgres SET idgen.shards = '5'/,
	'shards never set');
$main->do("ALTER DATABASE postgres SET idgen.shards = '7'");
fails_with($early, 'SELECT next_id()', '55000', qr/HINT:.*after this connection began: reconnect/,
	'shards set for the database after the connection began');
my $late = connect_to($node);
is(value_of($late, 'SELECT id_shard(next_id())'), 7, 'a new connection has them');

$main->do('ALTER DATABASE postgres RESET idgen.shards');
$main->do('CREATE ROLE app LOGIN');
my $app = connect_to($node, user => 'app');
$main->do("ALTER ROLE app SET idgen.shards = '8'");
fails_with($app, 'SELECT next_id()', '55000', qr/HINT:.*reconnect/, 'shards set for the role');
$app = connect_to($node, user => 'app');
is(value_of($app, 'SELECT id_shard(next_id())'), 8, 'the role has them');
$main->do("ALTER ROLE app IN DATABASE postgres SET idgen.shards = '9'");
is(value_of(connect_to($node, user => 'app'), 'SELECT id_shard(next_id())'), 9,
	'the role has the shards that are set for it in the database');
fails_with($early, 'SELECT next_id()', '55000', qr/HINT:.*ALTER DATABASE/,
	'another role\'s shards are no reason to reconnect');

# A setting that changes under a kept plan takes effect at once.
$main->do("SET idgen.shards = '1'");
my $kept = $main->prepare('SELECT id_shard(next_id())', { pg_server_prepare => 1 });
my @shards;
for my $shard (1 .. 20)
{
	$main->do("SET idgen.shards = '$shard'");
	$kept->execute;
	push @shards, $kept->fetchrow_array;
}
is("@shards", join(' ', 1 .. 20), 'a prepared statement follows idgen.shards');
is(join(' ', @{ $main->selectcol_arrayref(
				q{SELECT id_shard(next_id()) FROM generate_series(1, 3) n
				   WHERE set_config('idgen.shards', (30 + n)::text, false) <> ''}) }),
	'31 32 33', 'a statement that changes idgen.shards follows it while it runs');

# pg_dump --create keeps the settings of a database, plain pg_dump does not.
$main->do("ALTER DATABASE postgres SET idgen.shards = '7'");
$main->do("CREATE DATABASE app");
$main->do("ALTER DATABASE app SET idgen.shards = '42'");
$node->safe_psql('app', 'CREATE EXTENSION idgen_kinds CASCADE; CREATE TABLE t (id bigint PRIMARY KEY DEFAULT next_id());
	CREATE TABLE choice (layout id_layout); INSERT INTO choice VALUES ($$js53$$), ($$epoch=2020-01-01T00:00:00Z unit=5ms time=40 sequence=8$$)');
$node->safe_psql('app', 'INSERT INTO t DEFAULT VALUES');
my $dir = PostgreSQL::Test::Utils::tempdir;
$node->command_ok([ 'pg_dump', '--create', '-f', "$dir/with", 'app' ], 'pg_dump --create');
$node->command_ok([ 'pg_dump', '-f', "$dir/plain", 'app' ], 'pg_dump');
like(slurp_file("$dir/with"), qr/ALTER DATABASE app SET "idgen.shards" TO '42'/, '--create keeps idgen.shards');
unlike(slurp_file("$dir/plain"), qr/idgen.shards/, 'plain pg_dump does not');
my $made = $node->safe_psql('app', 'SELECT id FROM t');
$main->do('DROP DATABASE app');
$node->command_ok([ 'psql', '-X', '-v', 'ON_ERROR_STOP=1', '-f', "$dir/with", 'postgres' ], 'restored');
$node->safe_psql('app', 'INSERT INTO t DEFAULT VALUES');
is($node->safe_psql('app', "SELECT count(*), min(id) = $made, min(id_shard(id)), max(id_shard(id)) FROM t"),
	'2|t|42|42', 'the restored database goes on, on its shard');
is($node->safe_psql('app', 'SELECT layout FROM choice ORDER BY layout::text'),
	"epoch=2020-01-01T00:00:00Z unit=5ms time=40 sequence=8\njs53", 'layouts in columns are restored');

# The shards survive a restart; IDs go on above.
$node->restart;
is($node->safe_psql('app', 'INSERT INTO t DEFAULT VALUES; SELECT count(*) = count(DISTINCT id) AND max(id_shard(id)) = 42 FROM t'),
	't', 'after a restart');

# A server that did not load the library: reading works, making says what to do.
my $bare = start_node('bare', preload => 0);
my $session = connect_to($bare);
is(value_of($session, 'SELECT id_shard(2574187014843321420)'), 2611, 'readers need no shared memory');
if ($bare->pg_version >= 17)
{
	ok(value_of($session, 'SELECT next_id(5)') > 0, 'from PostgreSQL 17 on makers need no preload');
}
else
{
	fails_with($session, 'SELECT next_id(5)', '55000', qr/idgen is not loaded by the server/, 'makers without the library');
}

# Nor does it know idgen.keys: any value can be stored where every role can read it. A warning says that, and no such
# key is ever taken.
my $key = '1:' . 'ab' x 16;
$bare->safe_psql('postgres', 'CREATE DATABASE keyed');
$bare->safe_psql('postgres', "ALTER DATABASE keyed SET idgen.keys = '$key'");
$bare->psql('keyed', 'CREATE EXTENSION idgen', stderr => \my $told);
like($told, qr/WARNING:  idgen\.keys is set for a database or a role, where every role can read it\nDETAIL:.*\nHINT:.*RESET idgen\.keys.*new keys/,
	'keys in the catalogs: told by CREATE EXTENSION');
$bare->psql('keyed', 'SELECT id_to_public(5)', stderr => \$told);
like($told, qr/ERROR:  .*keys/, 'keys in the catalogs: not taken without the library');
$bare->append_conf('postgresql.conf', "shared_preload_libraries = 'idgen'");
$bare->restart;
$bare->psql('keyed', 'SELECT id_to_public(5)', stderr => \$told);
like($told, qr/ERROR:  .*keys/, 'keys in the catalogs: not taken with the library');
$bare->stop;

# The launch number of a database ends its DecimalIds.
$node->safe_psql('postgres', 'ALTER DATABASE app SET idgen.decimal_launch = 31');
is($node->safe_psql('app', 'SELECT (decimal_id_decode(next_decimal_id())).launch'), 31,
	'a database has its launch number');
is($node->safe_psql('postgres', 'SELECT (decimal_id_decode(next_decimal_id())).launch'), 0,
	'another database has no launch number');

# A standby makes no IDs until it is promoted.
$node->append_conf('postgresql.conf', 'wal_level = replica');
$node->append_conf('postgresql.conf', 'max_wal_senders = 4');
$node->append_conf('pg_hba.conf', 'local replication all trust');
$node->restart;
$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
my $on_standby = connect_to($standby, db => 'app');
fails_with($on_standby, 'SELECT next_id()', '25006',
	qr/cannot make IDs during recovery\nDETAIL:.*\nHINT:.*promote/, 'a standby');
is(value_of($on_standby, 'SELECT count(id_time(id)) FROM t'), 3, 'a standby reads');
$standby->promote;
is(value_of($on_standby, 'SELECT id_shard(next_id())'), 42, 'promoted, the same connection makes IDs');

$_->disconnect for $early, $main, $late, $app, $session, $on_standby;
done_testing();
