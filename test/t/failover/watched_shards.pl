# Rows that arrive from other nodes with IDs of shards of this one: what proves that another node makes them, what is only
# possible, and what is nothing. First between two servers, then in sessions with a replication origin.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use IdgenPair qw(poll);
use Test::More;
use Time::HiRes qw(sleep);

my @conf = ("idgen.shards = '5'", 'wal_level = logical', 'autovacuum = off', 'max_replication_slots = 10', 'max_logical_replication_workers = 8');
my ($node, $peer) = map { start_node($_, init => { allows_streaming => 'logical' }, conf => \@conf) } qw(node peer);
my ($on, $on_peer) = map { connect_to($_) } $node, $peer;

# What idgen.status() says: how many, if another node makes IDs; else ''.
sub proved { my ($count) = value_of($on, q{SELECT value FROM idgen.status() WHERE key = 'arrivals' AND NOT ok}) =~ /: (\d+) rows/ if value_of($on, q{SELECT count(*) FROM idgen.status() WHERE key = 'arrivals' AND NOT ok}); return $count // 0 }
sub possible { my $said = $on->selectrow_array(q{SELECT value FROM idgen.status() WHERE key = 'arrivals' AND ok}) // ''; my ($count) = $said =~ /^(\d+) rows with IDs/; return $count // 0 }
sub is_told { my ($proved, $possible, $what) = @_; is(proved(), $proved, "$what: proved"); is(possible(), $possible, "$what: possible") unless $proved; return }
sub forget_all { $on->do('SELECT idgen.reset_stats()'); return }

# Two masters. The peer has rows of the same shard before this server copies them.
$_->do('CREATE TABLE event (id bigint DEFAULT next_id(), what text)') for $on, $on_peer;
$on_peer->do(q{INSERT INTO event (what) SELECT 'before' FROM generate_series(1, 1000)});
value_of($on, 'SELECT next_id()');
sleep 0.01;
$on_peer->do(q{INSERT INTO event (what) VALUES ('before, and later than what this server made')});
$on->do(q{SELECT idgen.watch('event', 'id')});
$on_peer->do('CREATE PUBLICATION all_of_peer FOR TABLE event');
# Both ways where the server can keep rows from going round.
my $is_mutual = $on->{pg_server_version} >= 160000;
sub subscription { my ($name, $publisher) = @_; return sprintf q{CREATE SUBSCRIPTION of_%s CONNECTION '%s' PUBLICATION all_of_%1$s}, $name, $publisher->connstr('postgres') =~ s/'/''/gr }
$on->do(subscription('peer', $peer) . ($is_mutual ? ' WITH (origin = none)' : ''));
sub arrived { my ($count) = @_; wait_until($on, "SELECT count(*) = $count FROM event"); return }
arrived(1001);
wait_until($on, q{SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel});
is_told(0, 0, 'the first copy of a table');
if ($is_mutual) { $on->do('CREATE PUBLICATION all_of_node FOR TABLE event'); $on_peer->do(subscription('node', $node) . ' WITH (origin = none, copy_data = false)') }
$on_peer->do(q{INSERT INTO event (what) VALUES ('its own')});
arrived(1002);
is_told(1, 0, 'one shard on two nodes');
my ($value, $advice) = $on->selectrow_array(q{SELECT value, advice FROM idgen.status() WHERE key = 'arrivals'});
my $last = value_of($on_peer, 'SELECT max(id) FROM event');
like($value, qr/^another node makes IDs of a shard of this one: 1 rows, the last with $last in event, from pg_\d+$/, 'one shard on two nodes: it says which');
like($advice, qr/idgen\.shards.*SELECT idgen\.reset_stats\(\)/, 'one shard on two nodes: and what to do');
is_deeply($on->selectrow_arrayref(q{SELECT value, ok FROM idgen.audit('event', 'id') WHERE finding = 'of another node'})->[1], 0, 'the audit says so, too');
# Busy masters: what arrives is mostly of before this server's last draw. It is found in their first pause.
forget_all();
for (1 .. 200) { value_of($_, 'INSERT INTO event DEFAULT VALUES RETURNING id') for $on, $on_peer }
$on_peer->do(q{INSERT INTO event (what) VALUES ('last')});
arrived(1403);
cmp_ok(proved(), '>=', 1, 'two busy masters with one shard: found');
note 'two busy masters with one shard: ' . proved() . ' of 201 rows prove it';

# Each with a shard of its own
$peer->append_conf('postgresql.conf', "idgen.shards = '6'");
$peer->reload;
$on_peer->disconnect;
$on_peer = connect_to($peer);
forget_all();
for (1 .. 200) { value_of($_, 'INSERT INTO event DEFAULT VALUES RETURNING id') for $on, $on_peer }
arrived(1803);
is_told(0, 0, 'two busy masters with two shards');

# Own rows come back: one that the peer has moves to another partition there.
for my $session ($on, $on_peer)
{
	$session->do($_) for 'CREATE TABLE part (id bigint DEFAULT next_id(), place integer, PRIMARY KEY (id, place)) PARTITION BY LIST (place)',
	  'CREATE TABLE part_1 PARTITION OF part FOR VALUES IN (1)', 'CREATE TABLE part_2 PARTITION OF part FOR VALUES IN (2)';
}
$on->do(q{SELECT idgen.watch('part', 'id')});
is_deeply($on->selectcol_arrayref(q{SELECT DISTINCT tgenabled FROM pg_trigger WHERE tgname = 'idgen_watch_shard'}), ['R'], 'also the triggers of partitions fire only for replicas');
my $own = value_of($on, 'INSERT INTO part (place) VALUES (1) RETURNING id');
$on_peer->do("INSERT INTO part VALUES ($own, 1)");
$on_peer->do('ALTER PUBLICATION all_of_peer ADD TABLE part');
$on->do('DELETE FROM part');
$on->do('ALTER SUBSCRIPTION of_peer REFRESH PUBLICATION');
wait_until($on, q{SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel});
$on_peer->do('UPDATE part SET place = 2');
wait_until($on, 'SELECT count(*) = 1 FROM part_2');
is_told(0, 1, 'a row that comes back in another partition');
# The server is stopped and started: it knows nothing of itself before it draws.
$on->do('DROP SUBSCRIPTION of_peer');
$on_peer->do('DROP SUBSCRIPTION of_node') if $is_mutual;
$_->disconnect for $on, $on_peer;
$peer->stop;
$node->restart;
$on = connect_to($node);

# A session as a subscriber's worker is one.
$on->do(q{SELECT pg_replication_origin_create('far')});
my $worker = connect_to($node);
$worker->do($_) for q{SELECT pg_replication_origin_session_setup('far')}, 'SET session_replication_role = replica';
sub arrives { my ($id, $by) = @_; ($by // $worker)->do("INSERT INTO event (id) VALUES ($id)"); return }
sub later { my ($what) = @_; return value_of($on, "SELECT id_make(clock_timestamp() + interval '$what', 5, 1)") }
arrives(later('1 min'));
is_told(0, 0, 'after a start, before a draw');
my @ids = draw($on, 3);
arrives($_) for @ids[ 1, 2 ];
is_told(0, 2, 'its last ID, and the one before');
arrives(value_of($on, 'SELECT ?::bigint + 1', $ids[2]));
is_told(1, 0, 'the one after it');
forget_all();
arrives(value_of($on, q{SELECT id_make(id_time(?) - interval '1 min', 5, 1)}, $ids[0]));
is_told(0, 1, 'one of before');
# Without an origin it is a load, of whatever was exported.
my $load = connect_to($node);
$load->do('SET session_replication_role = replica');
arrives(later('1 min 1 s'), $load);
is_told(0, 2, 'a load in the role of a replica');
$load->do('SET session_replication_role = origin');
arrives(later('1 min 2 s'), $load);
is_told(0, 2, 'what is inserted here');
# Not of this node, or no ID
arrives(value_of($on, 'SELECT id_make(clock_timestamp(), 6, 1)'));
arrives(-7);
arrives(0);
is_told(0, 2, 'of another shard, and no ID');
forget_all();

# The floor: an advance lifts it over what others may have made. A slot that is taken back leaves it.
$on->do(q{SELECT idgen.advance(clock_timestamp() + interval '20 min')});
arrives(later('10 min'));
is_told(0, 1, 'below an advance');
arrives(later('30 min'));
is_told(0, 2, 'above it, before a window is granted there');
forget_all();
# After a horizon that was lowered own IDs can lie above it.
$on->do('SELECT idgen.reset(clock_timestamp(), force => true)');
value_of($on, 'SELECT next_id()');
arrives(later('40 min'));
is_told(0, 1, 'after a reset');
$node->restart;
$_->disconnect for $on, $worker, $load;
$on = connect_to($node);
$worker = connect_to($node);
$worker->do($_) for q{SELECT pg_replication_origin_session_setup('far')}, 'SET session_replication_role = replica';
value_of($on, 'SELECT next_id()');
# Another shard of this node, of which it has made nothing: all lies below the floor.
$worker->do(q{SET idgen.shards = '5, 7'});
arrives(value_of($on, q{SELECT id_make(now() - interval '1 day', 7, 1)}));
is_told(0, 1, 'a shard without a slot: below the floor');
arrives(value_of($on, q{SELECT id_make(clock_timestamp() + interval '1 h', 7, 1)}));
is_told(1, 0, 'a shard without a slot: above the floor');
$worker->do('RESET idgen.shards');
forget_all();

# pglogical's session that copies a table
$worker->do(q{SET application_name = 'subscription_copy'});
arrives(later('70 s'));
is_told(0, 0, 'a session that copies for pglogical');
$worker->do(q{SET application_name = '_copy'});
arrives(later('80 s'));
is_told(1, 0, 'a session of another name');
forget_all();

# Columns of id64, another layout, no value; and a trigger by hand that says nonsense refuses no row.
$on->do($_) for 'CREATE TABLE shown (id id64, other bigint, text text)', q{SELECT idgen.watch('shown', 'id')};
$worker->do('INSERT INTO shown (id) VALUES (' . later('90 s') . '::id64), (NULL)');
is_told(1, 0, 'a column of id64');
forget_all();
$on->do($_) for q{SELECT idgen.watch('shown', 'other', 'snowflake')};
$worker->do(q{INSERT INTO shown (other) SELECT id_make(clock_timestamp() + interval '1 h', 5, 1, 'snowflake')});
is_told(1, 0, 'another layout, without a horizon of its own');
forget_all();
for my $arguments (q{'text', 'instagram'}, q{'nothing', 'instagram'}, q{'id', 'nonsense'}, q{'id', 'mastodon'})
{
	$on->do('SELECT idgen.unwatch(\'shown\')');
	$on->do("CREATE TRIGGER idgen_watch_shard AFTER INSERT ON shown FOR EACH ROW EXECUTE FUNCTION idgen.watch_shard($arguments)");
	$on->do('ALTER TABLE shown ENABLE ALWAYS TRIGGER idgen_watch_shard');
	ok($worker->do(q{INSERT INTO shown (id, text) VALUES (4036565484265537613::id64, 'x')}), "$arguments: the row is stored");
}
is_told(0, 0, 'triggers that say nonsense');
$on->do(q{SELECT idgen.unwatch('shown')});
for my $wrong ('BEFORE INSERT ON shown FOR EACH ROW EXECUTE FUNCTION idgen.watch_shard(\'id\', \'instagram\')', 'AFTER INSERT ON shown EXECUTE FUNCTION idgen.watch_shard(\'id\', \'instagram\')',
	'AFTER INSERT ON shown FOR EACH ROW EXECUTE FUNCTION idgen.watch_shard(\'id\')')
{
	$on->do("CREATE TRIGGER wrong $wrong");
	fails_with($on, 'INSERT INTO shown DEFAULT VALUES', '39P01', qr/AFTER INSERT FOR EACH ROW\nDETAIL:.*\nHINT:.*idgen\.watch\(\)/, $wrong);
	$on->do('DROP TRIGGER wrong ON shown');
}

# Who may, and what is refused.
$on->do('CREATE ROLE other LOGIN; GRANT ALL ON event TO other');
my $other = connect_to($node, user => 'other');
fails_with($other, q{SELECT idgen.watch('event', 'id')}, '42501', qr/must be owner of/, 'not by another role');
fails_with($other, q{SELECT idgen.unwatch('event')}, '42501', qr/must be owner of/, 'nor taken off');
fails_with($on, q{SELECT idgen.watch(NULL, 'id')}, '22004', qr/must not be null\nDETAIL:.*\nHINT:/, 'null');
fails_with($on, q{SELECT idgen.watch('event', 'nothing')}, '42703', qr/column nothing of public\.event does not exist\nDETAIL:.*\nHINT:/, 'no such column');
fails_with($on, q{SELECT idgen.watch('event', 'what')}, '42804', qr/has the type text\nDETAIL:.*\nHINT:/, 'no column of IDs');
fails_with($on, q{SELECT idgen.watch('event', 'id', 'mastodon')}, '22023', qr/do not say which node made them\nDETAIL:.*\nHINT:/, 'a layout without a shard');
fails_with($on, q{SELECT idgen.watch('event', 'id', 'snowflake')}, '22023', qr/makes IDs of layout 'instagram'\nDETAIL:.*\nHINT:  SELECT idgen\.watch\('public\.event', 'id', 'instagram'\)/, 'a layout that is not that of the DEFAULT');
fails_with($on, 'DROP EXTENSION idgen', '2BP01', qr/trigger idgen_watch_shard on table event depends on/, 'DROP EXTENSION names the triggers');
$on->do(q{SELECT idgen.unwatch('event'), idgen.unwatch('event')});
is(value_of($on, q{SELECT count(*) FROM pg_trigger WHERE tgrelid = 'event'::regclass}), 0, 'taken off, and once more');
$_->disconnect for $on, $worker, $other, $load;
done_testing();
