# A server from 17 on that did not load the library when it started: the first session that needs it makes the shared
# state, and what holds with preload holds here.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use DBD::Pg qw(:async);
use IdgenNode;
use IdgenReader qw(settled_id);
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'before 17 the library must be loaded when the server starts' if `pg_config --version` =~ /PostgreSQL 1[56]\b/;

my $node = start_node('bare', preload => 0, fake_clock => 1, conf => ["idgen.shards = '5'"]);
my %made;
my $clock = 0;

# Past the window, which CREATE EXTENSION begins idgen.max_lead ahead: the next ID needs a renewal, and that reads what
# is required.
sub pass_window { return set_clock($node, sprintf '%+.1f', $clock += 2.5) }

# What shared memory knows of shard 5.
sub ids_of_shard
{
	my ($session) = @_;
	return value_of($session, 'SELECT sum(ids) FROM idgen.stat_shard WHERE shard = 5');
}

# The state is made once, by sessions that come together, and outlives them all.
ok(in_sessions($node, 8, sub { my ($session) = @_; draw($session, 100) }), 'eight sessions at once make the state');
my $session = connect_to($node);
is(ids_of_shard($session), 800, 'the shard counts what ended sessions made');
is(value_of($session, 'SELECT count(*) FROM idgen.stat_backend'), 0, 'ended sessions are no longer shown');
$session->do('SET debug_parallel_query = on');
my @settings = qw(parallel_setup_cost parallel_tuple_cost min_parallel_table_scan_size);
$session->do('CREATE TABLE hundred AS SELECT generate_series(1, 100)');
$session->do("SET $_ = 0") for @settings;
$session->do('SET parallel_leader_participation = off');
is(repeated(\%made, @{ $session->selectcol_arrayref('SELECT next_id() FROM hundred') }), 0, 'a parallel worker draws');
is(ids_of_shard($session), 900, 'from the same state');
$session->do('RESET ALL');

# The name says which version of the structs it holds; only 19 shows it.
SKIP:
{
	skip 'no view of such memory', 1 unless value_of($session, q{SELECT to_regclass('pg_dsm_registry_allocations')});
	my $names = $session->selectcol_arrayref('SELECT name FROM pg_dsm_registry_allocations');
	like(join(', ', sort @$names), qr/^idgen libraries, idgen state \d+$/, 'one state, its version in its name');
}

# idgen.synchronous: a session that joins the state announces it, unless the session missed the reload in a running
# statement.
my $required = qr/need a synchronous standby, and none is configured/;
set_for_server($session, 'idgen.synchronous', 'required');
$session->disconnect;
$session = connect_to($node);
pass_window();
fails_with($session, 'SELECT next_id()', '55000', $required, 'set while a session was there');
$session->do('ALTER SYSTEM RESET idgen.synchronous');
$session->do('SELECT pg_advisory_lock(1)');
my $late = connect_to($node);
my $onlooker = connect_to($node);
$session->do('SELECT pg_reload_conf()');
wait_until($_,
	q{SELECT current_setting('idgen.synchronous', true) IS DISTINCT FROM 'required'}) for $session, $late, $onlooker;
is(repeated(\%made, draw($session, 10)), 0, 'no longer set: IDs go on');
my $waiting = q{SELECT pg_advisory_lock_shared(1), next_id()};
$late->do($waiting, { pg_async => PG_ASYNC });
wait_until($session, q{SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)});
set_for_server($session, 'idgen.synchronous', 'required');
pass_window();
$session->do('SELECT pg_advisory_unlock(1)');
ok(!succeeds($late), 'a statement from before the reload is the first of its session: refused');
like($late->errstr, $required, 'a session refused by the reloaded setting is told why');
fails_with($session, 'SELECT next_id()', '55000', $required, 'required synchronous standbys: no other session goes on');
$_->disconnect for $session, $late, $onlooker;

# With no session there to read it.
$node->stop;
$node->append_conf('postgresql.auto.conf', "idgen.synchronous = 'auto'");
start_again($node);
is($node->safe_psql('postgres', 'SELECT next_id() > 0'), 't', 'a state made without');
$node->append_conf('postgresql.auto.conf', "idgen.synchronous = 'required'");
$node->reload;
$node->poll_query_until('postgres', q{SELECT current_setting('idgen.synchronous') = 'required'});
pass_window();
isnt($node->psql('postgres', 'SELECT next_id()', stderr => \my $error), 0, 'set while no session was there');
like($error, $required, 'a session after the reload is told why it is refused');
$node->append_conf('postgresql.auto.conf', "idgen.synchronous = 'auto'");

# Sizes and keys need preload, and a message says so.
$node->append_conf('postgresql.conf', $_) for 'idgen.max_slots = 8', 'idgen.max_databases = 8', q{idgen.keys = '1:000102030405060708090a0b0c0d0e0f'};
$node->restart;
$node->psql('postgres', q{SELECT 1::bigint::id64 < 2::bigint::id64}, stderr => \$error);
is($error, '', 'a comparison of id64 warns of nothing, before a session needs the shared state');
$node->psql('postgres', 'SELECT next_id()', stderr => \$error);
like($error, qr/WARNING:  $_ has no effect here\nDETAIL:.*\nHINT:.*shared_preload_libraries/,
	"$_: told") for qw(idgen.max_slots idgen.max_databases idgen.keys);
like($error, qr/WARNING:  idgen\.keys .*\nDETAIL:.*every role can read the value.*\nHINT:.*then put other keys in place of these/, 'keys that anybody could read are to be replaced');
unlike($error, qr/0001020304/, 'without the keys');
$session = connect_to($node);
like(value_of($session, q{SELECT value FROM idgen.status() WHERE key = 'library'}),
	qr/, loaded by the first session that needed it; idgen.keys, idgen.max_slots, idgen.max_slots_per_database and idgen.max_databases need shared_preload_libraries$/,
	'idgen.status()');
like(value_of($session, q{SELECT value || ' | ' || advice FROM idgen.status() WHERE key = 'settings'}),
	qr/idgen\.keys of the server's configuration: there is no such setting here.* \| Add idgen to shared_preload_libraries and restart; or correct the name/,
	'idgen.status(): what to do so that they are taken');
is(value_of($session, q{SELECT value FROM idgen.status() WHERE key = 'slots'}) =~ / of 16384 in all; IDs are made in \d of at most 1000 databases/, 1, 'the sizes are what they are');
freeze_clock($node, time + 60);
$session->do(q{SET idgen.shards = ''});
fails_with($session, q{SELECT count(next_id(n, 'epoch=2020-01-01 unit=1ms time=41 shard=13 sequence=5')) FROM generate_series(0, 8000) AS n},
	'53400', qr/HINT:.*add idgen to shared_preload_libraries, with a higher idgen.max_slots, and restart/s, 'more slots');
$session->do(q{SET idgen.shards = 'lease'});
fails_with($session, 'SELECT next_id()', '55000', qr/idgen\.registry is not set\.\nHINT:  ALTER SYSTEM SET shared_preload_libraries = idgen, idgen_lease; then restart/,
	'shards from a registry');
like(value_of($session, q{SELECT advice FROM idgen.status() WHERE key = 'shards'}), qr/^ALTER SYSTEM SET shared_preload_libraries/,
	'shards from a registry: idgen.status() says the same');
$session->do('CREATE EXTENSION idgen_lease');
fails_with($session, 'SELECT idgen_lease.nodes()', '55000', qr/idgen\.registry is not set\n.*HINT:  ALTER SYSTEM SET shared_preload_libraries = idgen, idgen_lease;/s,
	'shards from a registry: its calls say the same');
$session->do('DROP EXTENSION idgen_lease');
$session->disconnect;
$node->stop;

# The library's file is replaced below the server: sessions have one of two, whose shared states are apart.
my $libraries = PostgreSQL::Test::Utils::tempdir;
my $library = "$libraries/idgen.so";

sub install_library
{
	my ($bytes) = @_;
	open my $file, '>:raw', "$library.new" or die $!;
	print $file $bytes;
	close $file;
	chmod 0755, "$library.new";
	rename "$library.new", $library or die $!;
	return;
}
my $bytes = slurp_file(`pg_config --pkglibdir` =~ s/\n//r . '/idgen.so');
install_library($bytes);
chmod 0755, $libraries;
$node = start_node('replaced', preload => 0, conf => ["idgen.shards = '5'", "dynamic_library_path = '$libraries:\$libdir'", 'max_prepared_transactions = 5']);
my %twice;
my $old = connect_to($node);
my $old_pid = value_of($old, 'SELECT pg_backend_pid()');
$old->do('CREATE TABLE event (id bigint DEFAULT next_id())');
is(repeated(\%twice, draw($old, 1000)), 0, 'a session of the older library draws');
my $loaded = connect_to($node);
$loaded->do('SELECT idgen.own_shards()');
is($bytes =~ s/\0idgen state (\d+)\0/sprintf "\0idgen state %0*d\0", length $1, $1 + 1/eg, 1, 'the name of the state');
install_library($bytes);
my $new = connect_to($node);
is(repeated(\%twice, draw($new, 1000)), 0, 'a session of the newer library draws beside the older');
is(repeated(\%twice, draw($old, 1000), draw($new, 1000)), 0,
	'sessions with the older and the newer library both go on');
my $other = qr/sessions have another library of idgen\.?\n.*processes $old_pid\.\n.*restart the server/s;
fails_with($new, 'SELECT id_settled()', '55000', $other, 'readers by ID are refused');
fails_with($new, 'SELECT idgen.advance(now())', '55000', $other, 'an advance is refused');
fails_with($new, 'SELECT idgen.reset(now())', '55000', $other, 'a reset is refused');
fails_with($old, 'SELECT id_settled()', '55000', qr/sessions have another library/,
	'readers by ID are refused in the older library, too');
fails_with($loaded, 'SELECT next_id()', '55000', qr/this session has an older library.*HINT:  Reconnect/s,
	'nobody joins the older state any more');
# Workers of an older session load the newer library: that session would not hand over what they draw.
my $wrapper = 'CREATE FUNCTION wrapped() RETURNS bigint LANGUAGE plpgsql PARALLEL SAFE AS $$ BEGIN RETURN next_id(); END $$';
my $stage = 'CREATE TABLE stage AS SELECT wrapped() AS id FROM hundred';
$new->do($_) for 'CREATE TABLE hundred AS SELECT generate_series(1, 100)', $wrapper;
my $same = qr/session has not loaded the same library of idgen.*HINT:  Run SELECT idgen\.own_shards\(\) in the session first.*reconnect/s;
for my $leader ($old, $loaded)
{
	$leader->do("SET $_ = 0") for @settings;
	$leader->do('SET parallel_leader_participation = off');
	fails_with($leader, $stage, '55000', $same, 'workers with a newer library than their session');
}
$old->begin_work;
$old->do('INSERT INTO event DEFAULT VALUES');
fails_with($old, q{PREPARE TRANSACTION 'older'}, '55000', qr/this session has an older library/,
  'a transaction of the older library cannot be prepared');
$old->rollback;
# Should it be there, it would hold locks that the rest waits for.
eval { $new->do(q{ROLLBACK PREPARED 'older'}) };
$new->begin_work;
$new->do('DROP EXTENSION idgen CASCADE');
fails_with($new, 'CREATE EXTENSION idgen', '55000', $other, 'the extension cannot be created again');
$new->rollback;
$_->disconnect for $old, $loaded;
wait_until($new, "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $old_pid)");
ok(defined settled_id($new), 'readers by ID go on when the last older session ends');
ok($new->do('SELECT idgen.advance(now())'), 'an advance, too');

# A session that has not loaded the library would not hand over what its workers drew.
my $leader = connect_to($node);
$leader->do("SET $_ = 0") for @settings;
$leader->do('SET parallel_leader_participation = off');
fails_with($leader, $stage, '55000', $same, 'workers of a session that has not loaded the library');
$new->do('ALTER DATABASE postgres SET session_preload_libraries = idgen');
my $preloading = connect_to($node);
$new->do('ALTER DATABASE postgres RESET session_preload_libraries');
$preloading->do("SET $_ = 0") for @settings;
$preloading->do('SET parallel_leader_participation = off');
ok($preloading->do("$stage; DROP TABLE stage"), 'parallel workers draw with session_preload_libraries');
$preloading->disconnect;
$leader->do('SELECT idgen.own_shards()');
$leader->begin_work;
$leader->do($stage);
my $staged = value_of($leader, 'SELECT min(id) FROM stage');
$leader->do(q{PREPARE TRANSACTION 'stage'});
$leader->disconnect;
cmp_ok(settled_id($new), '<=', $staged, 'readers are held back by what parallel workers drew');
$new->do(q{COMMIT PREPARED 'stage'});
$new->disconnect;
$node->stop;

# These files once more, on such servers.
local $ENV{IDGEN_WITHOUT_PRELOAD} = 1;
local $ENV{TESTDATADIR} = "$ENV{TESTDATADIR}/without_preload";
local $ENV{TESTLOGDIR} = "$ENV{TESTLOGDIR}/without_preload";
for my $file (qw(draws/concurrency horizon/crash horizon/horizon failover/failover failover/standby_names))
{
	my @lines = `$^X $FindBin::Bin/../$file.pl 2>&1`;
	is($?, 0, "$file: to its end") or diag(grep { !/^ok / } @lines);
	for (@lines)
	{
		ok(!$1, "$file: $2") if /^(not )?ok \d+ - (.*)/;
	}
}
done_testing();
