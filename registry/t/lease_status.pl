# What idgen.status() and the views say of shards from a registry, of the registry, and of another database that uses
# the same number. A keeper that does what the test says stands for the real one.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use DBD::Pg qw(:async);
use IdgenKeeper;
use IdgenNode;
use PostgreSQL::Test::Utils;
use Test::More;

# The rows of idgen.status() with that key: "value | ok | advice"
sub rows_of
{
	my ($session, @keys) = @_;
	my $rows = $session->selectall_arrayref(
		q{SELECT concat_ws(' | ', value, ok, advice) FROM idgen.status() WITH ORDINALITY AS s WHERE key = ANY(?) ORDER BY s.ordinality}, undef, \@keys);
	return map { $_->[0] } @$rows;
}
sub row_is { my ($session, $key, $expected, $what) = @_; return is(join("\n", rows_of($session, $key)), $expected, "$what: $key") }
sub row_like { my ($session, $key, $pattern, $what) = @_; return like(join("\n", rows_of($session, $key)), $pattern, "$what: $key") }

my $plain = start_node('plain', kinds => 1, conf => ["idgen.shards = '5'"]);
my $session = connect_to($plain);
my $keys = q{SELECT string_agg(key, ' ') FROM idgen.status()};
my $usual = 'library server shards nodes copy machine horizon renewal lead settled clock ntp standby layout slots schemas';
is(value_of($session, $keys), $usual, 'without a registry: the rows');
is(value_of($session, 'SELECT (SELECT count(*) FROM idgen.stat_lease) + (SELECT count(*) FROM idgen.stat_registry)'), 0,
	'without a registry: the views are empty');
$session->do(q{SET idgen.shards = 'lease'});
row_is($session, 'shards', q{this server holds no shard from the registry. idgen.shards is "lease", and idgen.registry is not set. | f | ALTER SYSTEM SET idgen.registry = '...' and restart, or set idgen.shards to the shards of this node.},
	'without a registry');
is(value_of($session, $keys), $usual, 'without a registry: the same rows for lease');
$session->do('RESET idgen.shards');

# Another database that draws from the same number in the same packing.
$session->do("CREATE DATABASE $_") for qw(other third);
my %in;
for my $name (qw(other third))
{
	$plain->safe_psql($name, 'CREATE EXTENSION idgen_kinds CASCADE');
	$in{$name} = connect_to($plain, db => $name);
}
value_of($session, 'SELECT next_id()');
value_of($in{other}, $_) for q{SELECT next_id(layout => 'snowflake')}, q{SELECT next_id(layout => 'mastodon')}, 'SELECT hlc_now()';
value_of($session, $_) for q{SELECT next_id(layout => 'mastodon')}, 'SELECT hlc_now()';
is(value_of($session, $keys), $usual,
	'two databases: another layout, one without a shard, and the hybrid logical clock are nothing to tell');
$in{third}->do($_) for q{SET idgen.shards = '6'}, 'SELECT next_id()';
is(value_of($session, $keys), $usual, 'two databases: another number is nothing to tell');
value_of($in{other}, 'SELECT next_id()');
row_is($session, 'databases', '"other" of this server draws from shard 5 of instagram as well: IDs are unique within each of the two | t', 'two databases');
row_like($in{other}, 'databases', qr/^"postgres" of this server draws from shard 5 of instagram as well/, 'two databases, seen from the other');
is(join('', rows_of($in{third}, 'databases')), '', 'a third has no part in it');
$in{third}->do($_) for q{SET idgen.shards = '5'}, 'SELECT next_id()';
$in{other}->disconnect;
$session->do('DROP DATABASE other');
row_like($session, 'databases', qr/^"third" /, 'a dropped database is not shown, whatever slots it left');
$in{third}->disconnect;
$session->do('DROP DATABASE third');
is(value_of($session, $keys), $usual, 'the last of the other databases, dropped, uses no number');
$session->disconnect;
$plain->stop;

# A server with a registry; its clock stands still where the test needs that.
my $node = start_node(
	'leased',
	fake_clock => 1,
	conf       => [
		"idgen.registry = 'postgresql://photos:verysecret\@registry.example/registry'", "idgen.shards = 'lease'",
		"idgen.lease_window = '40 s'", "idgen.max_wait = 0" ]);
$session = connect_to($node);
my $watcher = connect_to($node);
create_keeper($session);
is(value_of($watcher, $keys),
	'library server shards lease registry lease_database nodes copy machine horizon renewal lead settled clock ntp standby layout slots schemas',
	'with a registry: the rows');
my $now = int(time) + 2;
freeze_clock($node, $now);

# The keeper.
row_is($watcher, 'shards', q{lease: none yet; set by the server's configuration | t}, 'at the start');
row_is($watcher, 'lease', 'no shard yet: the first ID asks for one | t', 'at the start');
row_like($watcher, 'registry', qr/^this server holds no shard from the registry\. The process that keeps the shards of this server does not run\. \| f \| ALTER SYSTEM SET shared_preload_libraries = idgen, idgen_lease; then restart the server\.$/, 'no keeper');
is_deeply($watcher->selectrow_arrayref('SELECT * FROM idgen.stat_registry'),
	[ 0, undef, 40000, undef, undef, undef, undef, 0, 0, 0, undef ], 'no keeper: the view');
registry_says($session);
row_is($watcher, 'registry', 'not asked yet | t', 'a keeper');
fails_with($session, 'SELECT next_id()', '55000', qr/holds no shard.*\nDETAIL:  The keeper of its shards waits for the registry's first answer\. Waited for $duration\.\nHINT:/,
  'next_id() before the keeper has a number is refused');
is(value_of($session, 'SELECT fake_wish()'), 'pool', 'the ID has asked for one');

# A call has failed, and the keeper has not said yet why.
expect_blame($node, 'registry');
registry_says($session, silent => 100);
fails_with($session, 'SELECT next_id()', '55000',
	qr/\nDETAIL:  The registry has not answered yet, or has refused\. Waited for $duration\.\nHINT:/,
	'no call has succeeded');

# What else there is to wait for than the registry.
registry_says($session, trouble => 'the extension idgen_lease is not in database "postgres"');
row_like($watcher, 'registry', qr/^not asked yet; the extension idgen_lease is not in database "postgres" \| f \|/, 'a keeper without its extension');
fails_with($session, 'SELECT next_id()', '55000',
	qr/\nDETAIL:  The keeper of its shards says: the extension idgen_lease is not in database "postgres"\. Waited/,
	'a keeper without its extension');
registry_says($session, answered => 1500);
fails_with($session, 'SELECT next_id()', '55000',
	qr/\nDETAIL:  The registry last answered at \d{4}-.*, and has not granted it yet\. Waited for $duration\./,
	'a registry that answers');
my $locked = connect_to($node);
my $locked_pid = value_of($locked, 'SELECT pg_backend_pid()');
$session->begin_work;
$session->do('SELECT pg_advisory_xact_lock(4711)');
$locked->do('SELECT pg_advisory_xact_lock(4711)', { pg_async => PG_ASYNC });
registry_says($session, keeper => $locked_pid);
wait_until($watcher, "SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = $locked_pid");
row_is($watcher, 'registry', "this server holds no shard from the registry. The process that keeps the shards of this server waits for a lock. | f | SELECT pg_blocking_pids($locked_pid) says who holds it.", 'a keeper that waits for a lock');
fails_with($watcher, 'SELECT next_id()', '55000', qr/\nDETAIL:  The process that keeps the shards of this server waits for a lock\. Waited for .*\nHINT:  SELECT pg_blocking_pids\($locked_pid\) says who/,
	'a keeper that waits for a lock');
$session->commit;
$locked->pg_result;
row_is($watcher, 'registry', 'not asked yet | t', 'a keeper that has the lock');
$locked->disconnect;
registry_says($session);
row_like($watcher, 'lease', qr/^none chosen by the registry yet \| f \| IDs of a shard wait until the registry grants it/, 'asked for');

# Numbers, and how far they reach.
hold($session, 3, 25_000);
# Sessions that have drawn begin their next statement with what is held then: with two numbers, those with even places and
# those with odd ones draw from another.
my @drawing = map { connect_to($node) } 1 .. 6;
sub numbers_drawn { my %of = map { value_of($_, 'SELECT id_shard(next_id())') => 1 } @drawing; return join ' ', sort { $a <=> $b } keys %of }
is(numbers_drawn(), '3', 'six sessions draw from the only number');
hold($session, 17, 39_500);
is(numbers_drawn(), '3 17', 'and from both once there are two');
$_->disconnect for @drawing;
registry_says($session, answered => 1500);
row_is($watcher, 'shards', q{lease: 3, 17; set by the server's configuration | t}, 'two numbers');
row_is($watcher, 'lease', '3, 17 chosen by the registry; horizon 25.000 s ahead of the clock | t', 'two numbers');
row_like($watcher, 'registry', qr/^answered last at \d{4}-.*\.5\d*\S+ \| t$/, 'two numbers');
like(value_of($session, 'SELECT id_shard(next_id())'), qr/^(?:3|17)$/, 'an ID of one of them');
is_deeply($watcher->selectall_arrayref('SELECT shard, by_hand, held, extract(epoch FROM horizon - clock_timestamp())::float8 FROM idgen.stat_lease'),
	[ [ 3, 0, 1, 25 ], [ 17, 0, 1, 39.5 ] ], 'two numbers: the view');
is_deeply($watcher->selectrow_arrayref('SELECT shards, extract(epoch FROM horizon - clock_timestamp())::float8, lease_window, keeper_pid,
		extract(epoch FROM clock_timestamp() - answered_at)::float8, silent_since, trouble FROM idgen.stat_registry'),
	[ 2, 25, 40000, 4711, 1.5, undef, undef ], 'two numbers: the view of the registry');

# One given by hand. Another session: the clock stands, and within a tick IDs of a session rise.
my $hand = connect_to($node);
$hand->do(q{SET idgen.shards = '7'});
fails_with($hand, 'SELECT next_id()', '55000', qr/shard 7 cannot be used now/, 'by hand');
row_like($watcher, 'lease', qr/^3, 17 chosen by the registry; 7 not held; horizon 25.000 s ahead of the clock \| f \| IDs of a shard wait/, 'by hand, not held');
is_deeply($watcher->selectrow_arrayref('SELECT * FROM idgen.stat_lease WHERE shard = 7'), [ 7, 1, 0, undef ],
	'by hand, not held: the view');
hold($session, 7, 30_000, by_hand => 1);
row_is($watcher, 'lease', '3, 17 chosen by the registry; 7 by hand; horizon 25.000 s ahead of the clock | t', 'by hand');
row_is($hand, 'shards', '7, by hand: a promoted server waits for the end of the lease, or for a clean stop of the server before it; set by this session | t', 'by hand');
is(value_of($hand, 'SELECT id_shard(next_id())'), 7, 'an ID of it');
$hand->disconnect;
$session->do('SET idgen.region = 1');
row_like($session, 'shards', qr/^layout "instagram" has no region\. idgen\.region is 1\. \| f \| Use a layout with a region, or set idgen\.region to 0/, 'a region');
$session->do('RESET idgen.region');

# What is left of the window: a quarter is enough.
hold($session, 17, 10_000);
row_like($watcher, 'lease', qr/horizon 10.000 s ahead of the clock \| t$/, 'a quarter of the window');
hold($session, 17, 9_999);
row_like($watcher, 'lease', qr/horizon 9.999 s ahead of the clock \| f \| IDs end at the horizon unless it is extended/, 'less than a quarter');
hold($session, 17, -2_500);
row_like($watcher, 'lease', qr/horizon 2.500 s behind the clock \| f \|/, 'a horizon that is past');
hold($session, 17, undef);
row_is($watcher, 'lease', '3 chosen by the registry; 7 by hand; horizon 25.000 s ahead of the clock | t', 'one lost');
row_is($watcher, 'shards', q{lease: 3; set by the server's configuration | t}, 'one lost');

# What stands in the way of one number is said of it alone, and a sentence that is true of several only once.
in_the_way($session, 3, 'the clock of this server has jumped forward');
in_the_way($session, 7, 'shard 7 is held by "barn", system 4');
in_the_way($session, 17, 'the clock of this server has jumped forward');
row_like($watcher, 'lease', qr/^3 chosen by the registry; 7 by hand; horizon 25.000 s ahead of the clock; the clock of this server has jumped forward; shard 7 is held by "barn", system 4 \| f \| Mend what it names/, 'in the way');
row_like($watcher, 'registry', qr/^answered last at [^;]* \| t$/, 'in the way');
is(value_of($watcher, 'SELECT trouble FROM idgen.stat_registry'),
	'the clock of this server has jumped forward; shard 7 is held by "barn", system 4', 'in the way: the view');
$hand = connect_to($node);
$hand->do(q{SET idgen.shards = '7'});
hold($session, 7, undef, by_hand => 1);
fails_with($hand, 'SELECT next_id()', '55000',
	qr/shard 7 cannot .*\nDETAIL:  The keeper of its shards says: shard 7 is held by "barn", system 4\. Waited/,
	'in the way of a number');
hold($session, 3, undef);
fails_with($watcher, 'SELECT next_id()', '55000',
	qr/holds no shard.*\nDETAIL:  The keeper of its shards says: the clock of this server has jumped forward\. Waited/,
	'in the way of the pool');
in_the_way($session, $_, undef) for 3, 7, 17;
hold($session, 3, 25_000);
hold($session, 7, 30_000, by_hand => 1);
$hand->disconnect;

# IDs of a number that begin later.
begin_at($session, 7, 20_000);
row_like($watcher, 'lease', qr/^3 chosen by the registry; 7 by hand; horizon 25.000 s ahead of the clock; IDs of shard 7 begin at \d{4}-[-\d: .+]* \| t$/, 'a number that begins later');
begin_at($session, 7, 1_000);
row_is($watcher, 'lease', '3 chosen by the registry; 7 by hand; horizon 25.000 s ahead of the clock | t',
  'a number that begins within idgen.max_lead');

# A registry that has lost what it granted.
registry_lost($session, 3, 4_000, -6_000);
row_like($watcher, 'registry', qr/^answered last at [^;]*; it was put back to an older state, is new or damaged, and was not advanced: shard 3 ends at \d[^;]* there, and was granted up to \d[^;]* to this server \| f \| Advance it now, to an instant above \d/,
	'horizons lost');
like(value_of($watcher, 'SELECT trouble FROM idgen.stat_registry'), qr/^it was put back to an older state/,
	'horizons lost: the view');
registry_says($session, answered => 1500, silent => 500, trouble => 'no route');
row_like($watcher, 'registry', qr/^calls fail since .*; no route; it was put back to an older state/, 'horizons lost, and silent');
$session->do('SELECT fake_older(0, NULL, NULL)');
registry_says($session, answered => 1500);

# The registry away, and back with something wrong.
registry_says($session, silent => 20_000, trouble => 'connection to registry.example failed');
row_like($watcher, 'registry', qr/^calls fail since \d{4}-.*, and none has succeeded since the server started; connection to registry.example failed \| f \| Check that it runs/, 'silent from the start');
registry_says($session, answered => 30_000, silent => 20_000);
row_like($watcher, 'registry', qr/^calls fail since \d{4}-[^;]*, the last one before succeeded at \d{4}-[^;]* \| f \|/, 'silent');
is(value_of($watcher, q{SELECT ((value::text ~ to_char(clock_timestamp() - interval '20 s', 'HH24:MI:SS')) AND value ~ to_char(clock_timestamp() - interval '30 s', 'HH24:MI:SS'))::int
		FROM idgen.status() WHERE key = 'registry'}), 1, 'silent: both times');
is(value_of($watcher, 'SELECT extract(epoch FROM clock_timestamp() - silent_since)::int FROM idgen.stat_registry'), 20,
	'silent: the view');
registry_says($session, answered => 0, trouble => 'all shards from 0 to 1023 are held by others');
row_like($watcher, 'registry', qr/^answered last at \d{4}-.*; all shards from 0 to 1023 are held by others \| f \| Mend what it names/, 'nothing left');
is(value_of($watcher, 'SELECT trouble FROM idgen.stat_registry'), 'all shards from 0 to 1023 are held by others',
	'nothing left: the view');

# What the keeper says can hold host, port and user of the registry: only those who watch read it.
my $spoken = 'connection to server at "registry.example", port 6543 failed: no password for user "photos"';
$session->do($_) for 'CREATE ROLE watcher LOGIN IN ROLE pg_monitor', 'CREATE ROLE app LOGIN', 'CREATE ROLE shown LOGIN', 'GRANT EXECUTE ON FUNCTION idgen.stat_registry TO shown', map { "ALTER ROLE $_ SET idgen.shards = '8'" } qw(app shown watcher);
for my $silent ({ silent => 20_000 }, {})
{
	registry_says($session, answered => 30_000, %$silent, trouble => $spoken);
	my $bare = %$silent ? 'the registry does not answer' : 'shards of this server cannot be kept now';
	for my $role (qw(app shown watcher))
	{
		my $reader = connect_to($node, user => $role);
		my $words = $role eq 'watcher' ? $spoken : $bare;
		row_like($reader, 'registry', qr/; \Q$words\E \| f \|/, "what $role reads");
		fails_with($reader, 'SELECT next_id()', '55000', qr/says: \Q$words\E\. Waited/, "what next_id() tells $role");
		next if $role eq 'watcher';
		unlike($reader->errstr . join('', map { $_->[0] } @{ $reader->selectall_arrayref('SELECT s::text FROM idgen.status() s') }),
			qr/registry\.example|6543|photos/, "$role learns no host, port or user");
		is(value_of($reader, 'SELECT trouble FROM idgen.stat_registry()'), $bare,
		  'a role that may call idgen.stat_registry() learns no host, port or user') if $role eq 'shown';
		$reader->disconnect;
	}
}

# Counters: a row once any is used. Their names, and who has locked one at the registry, are read only by those who
# watch.
is(join('', rows_of($watcher, 'counters')), '', 'no counters: no row');
counters_are($session, count => 2, used => 79);
row_is($watcher, 'counters', '2 in use | t', 'counters');
my $of_counters = 'SELECT counters, counters_in_trouble, counter_used, counter_trouble FROM idgen.stat_registry()';
is_deeply($watcher->selectrow_arrayref($of_counters), [ 2, 0, 79, undef ], 'counters: the view');
$spoken = 'counter "orders" is locked by process 5 there';
counters_are($session, count => 2, in_trouble => 1, used => 79, trouble => $spoken);
for my $role (qw(app shown watcher))
{
	my $reader = connect_to($node, user => $role);
	my $words = $role eq 'watcher' ? $spoken : q{some need attention};
	row_is($reader, 'counters', "2 in use; $words | f | SELECT * FROM idgen_lease.stat_counter shows each, with what is wrong.", "a counter in trouble: what $role reads");
	is_deeply($reader->selectrow_arrayref($of_counters), [ 2, 1, 79, $words ],
		"a counter in trouble: the view, for $role") if $role ne 'app';
	$reader->disconnect;
}
counters_are($session, count => 0);

# The database that remembers the numbers, as one whose owner is not a superuser.
my $boss = value_of($session, 'SELECT current_user');
row_is($watcher, 'lease_database', qq{"postgres", owned by "$boss" | t}, "a superuser's");
$session->do('ALTER DATABASE postgres OWNER TO app');
row_is($watcher, 'lease_database', '"postgres", owned by "app", who is no superuser and can take it away from the whole server | f | ALTER DATABASE postgres OWNER TO a superuser.', 'an ordinary role\'s');
$session->do('ALTER DATABASE postgres OWNER TO CURRENT_USER');

# Nobody reads the address but a superuser: not even those who watch.
for my $role (qw(app watcher))
{
	my $seen = connect_to($node, user => $role);
	my $all = value_of($seen, q{SELECT string_agg(s::text, ' ') FROM idgen.status() s});
	$all .= value_of($seen, q{SELECT string_agg(l::text, ' ') FROM idgen.stat_lease l}) . value_of($seen, 'SELECT r::text FROM idgen.stat_registry r') if $role eq 'watcher';
	unlike($all, qr/verysecret/, "$role sees no password");
	fails_with($seen, "SELECT * FROM $_", '42501', qr/permission denied/,
		"$role: $_") for $role eq 'app' ? qw(idgen.stat_lease idgen.stat_registry) : ();
	fails_with($seen, 'SHOW idgen.registry', '42501', qr/permission denied|must be superuser/,
		'app does not see the address') if $role eq 'app';
	$seen->disconnect;
}

# One that another server had up to an instant ahead of the clock, near or far: the clock is not blamed for it, nor is
# the shard full.
$hand = connect_to($node);
$hand->do(q{SET idgen.shards = '9'});
hold($session, 9, 30_000, by_hand => 1);
for my $ahead (500, 5_000)
{
	begin_at($session, 9, $ahead);
	my $s = sprintf '%.3f s', $ahead / 1000;
	fails_with($hand, 'SELECT next_id()', '55000',
		qr/the next ID of shard 9 lies \Q$s\E ahead of the clock\nDETAIL:  The registry had granted the shard up to 20.*: its next IDs begin there\. .*\nHINT:  Try again in \Q$s\E, or increase/, "a number that begins in $ahead ms");
}
$_->disconnect for $session, $watcher, $hand;
$node->stop;

# A standby claims no shards, so nothing is wrong there; promoted, it takes its own, unless there is no registry.
for my $registry ("idgen.registry = 'postgresql://registry.example/registry'", '')
{
	my $name = $registry ? 'registered' : 'unregistered';
	my $number = $registry ? 'lease' : '5';
	my $primary = start_node($name, init => { allows_streaming => 1 }, conf => [ $registry, "idgen.shards = '$number'" ]);
	my $on_primary = connect_to($primary);
	if ($registry)
	{
		create_keeper($on_primary);
		registry_says($on_primary, answered => 0);
		hold($on_primary, 3, 3_600_000);
	}
	value_of($on_primary, 'SELECT next_id()');
	$primary->backup('base');
	my $standby = PostgreSQL::Test::Cluster->new("${name}_standby");
	$standby->init_from_backup($primary, 'base', has_streaming => 1);
	kernel_says($standby, '0 20000 100');
	start_again($standby);
	$primary->wait_for_catchup($standby);
	my $on_standby = connect_to($standby);
	if ($registry)
	{
		row_is($on_standby, 'shards', q{lease: none yet; set by the server's configuration | t}, 'a standby');
		row_is($on_standby, 'lease', 'none: a standby claims no shards | t', 'a standby');
		row_is($on_standby, 'registry', 'not asked: a standby claims no shards | t', 'a standby');
	}
	is(value_of($on_standby, q{SELECT value ~ '; no failover rests on it, because shards come from a registry$' FROM idgen.status() WHERE key = 'ntp'}),
		$registry ? 1 : 0, "$name: whether a failover rests on the clock");
	is(value_of($on_standby, q{SELECT count(*) FROM idgen.status() WHERE NOT ok}), 0, "$name: a healthy standby");
	$on_primary->disconnect;
	$primary->stop;
	$standby->promote;
	$on_standby->disconnect;
	$on_standby = connect_to($standby);
	if ($registry)
	{
		row_like($on_standby, 'registry', qr/^this server holds no shard from the registry\. .* does not run\. \| f \|/, 'promoted');
		registry_says($on_standby, answered => 0);
		hold($on_standby, 17, 3_600_000);
	}
	is(value_of($on_standby, 'SELECT id_shard(next_id())'), $registry ? 17 : 5, "$name: promoted, IDs go on");
	my $told = () = slurp_file($standby->logfile) =~ /goes on with the shards of the server before this one/g;
	is($told, $registry ? 0 : 1, "$name: promoted, what the log is told of the shards");
	$on_standby->disconnect;
	$standby->stop;
}

# A keeper whose database is locked as it starts, by a transaction that outlives the server; then, one whose database is
# not there.
{
	my $kept = start_node('kept', conf => [
		"shared_preload_libraries = 'idgen, idgen_lease'", 'max_prepared_transactions = 1', "idgen.registry = 'postgresql://127.0.0.1:1/registry'", "idgen.shards = 'lease'",
		"idgen.lease_database = 'numbers'", 'idgen.max_wait = 0' ]);
	$kept->safe_psql('postgres', $_) for 'CREATE DATABASE numbers', q{ALTER SYSTEM SET idgen.registry = ''};
	$kept->restart;
	$kept->safe_psql('postgres', q{BEGIN; ALTER DATABASE numbers RENAME TO figures; PREPARE TRANSACTION 'renamed'});
	$kept->safe_psql('postgres', 'ALTER SYSTEM RESET idgen.registry');
	$kept->restart;
	my $on_kept = connect_to($kept);
	row_like($on_kept, 'registry', qr/^(?:not asked: the|this server holds no shard from the registry\. The) process that keeps the shards of this server is still starting\.? \| f \|/, 'a database that is locked');
	fails_with($on_kept, 'SELECT next_id()', '55000',
		qr/\nDETAIL:  The process that keeps the shards of this server is still starting\. Waited for/,
		'a database that is locked');
	$on_kept->do(q{COMMIT PREPARED 'renamed'});
	wait_until($on_kept, q{SELECT value ~ 'ends as it starts' FROM idgen.status() WHERE key = 'registry'});
	row_like($on_kept, 'registry', qr/^this server holds no shard from the registry\. The process that keeps the shards of this server ends as it starts\. \| f \| The server's log says why/, 'a database that is missing');
	row_like($on_kept, 'lease_database', qr/^"numbers" does not exist \| f \| CREATE DATABASE numbers, and CREATE EXTENSION idgen_lease in it; or set idgen\.lease_database/, 'a database that is missing');
	fails_with($on_kept, 'SELECT next_id()', '55000',
		qr/ends as it starts\. Waited for .*\nHINT:  .*log says why\. It works in database "numbers", idgen.lease_database\./,
		'a database that is missing');
	$on_kept->disconnect;
	$kept->stop;
}
done_testing();
