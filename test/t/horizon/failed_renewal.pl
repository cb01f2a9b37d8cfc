# A renewal ahead of need that fails takes no ID away, and leaves nothing behind: the ID is returned, and the next that
# needs the renewal gets the error. A cancellation is one at once.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use DBD::Pg qw(:async);
use IdgenNode;
use Test::More;

# A lock table that is soon full; few buffers, so that a page can be made to leave them; windows so long that the clock
# can stand at whole seconds.
my $node = start_node('failed', fake_clock => 1,
	conf => [ 'max_locks_per_transaction = 10', 'max_connections = 20', 'shared_buffers = 512kB', 'autovacuum = off', 'idgen.horizon_window = 60s' ]);
my $session = connect_to($node);
my $greedy = connect_to($node);
my $pid = value_of($session, 'SELECT pg_backend_pid()');
my $began = time + 60;
my %made;

sub at { return freeze_clock($node, $began + shift) }

sub id { return scalar value_of($session, 'SELECT next_id(1)') }

# The same, undefined if it fails.
sub id_if_any { return scalar eval { id() } }

# Begins a transaction in which each further lock of a relation needs room in the shared table.
sub begin_with_locks
{
	$session->begin_work;
	$session->do("SELECT FROM table_$_") for 1 .. 20;
	return;
}

sub fill_lock_table
{
	my $done = eval { $greedy->do('SELECT pg_advisory_lock(n) FROM generate_series(1, 1000000) n'); 1 };
	is($done ? '' : $greedy->state, '53200', 'no room is left for locks');
	return;
}

sub clear_lock_table { return $greedy->do('SELECT pg_advisory_unlock_all()') }

sub is_new { my ($id, $what) = @_; return is(repeated(\%made, $id // ()), 0, $what) && ok(defined $id, "$what: is made") }

$session->do('CREATE TABLE filled (n integer)');
$session->do("CREATE TABLE table_$_ ()") for 1 .. 20;

# The window that begins here ends 60 s later: from its half on a draw renews ahead of need.
at(0);
is_new(id(), 'an ID');
begin_with_locks();
is_new(id(), 'an ID in a transaction');
fill_lock_table();
for my $second (40, 41, 42)
{
	at($second);
	is_new(id_if_any(), "out of shared memory in a renewal ahead of need, $second s: an ID");
}
at(70);
fails_with($session, 'SELECT next_id(1)', '53200', qr/out of shared memory/,
	'out of shared memory in a renewal that is needed');
$session->rollback;
clear_lock_table();
$greedy->do(q{SET idgen.shards = '1'});
my $server = q{SELECT value FROM idgen.status() WHERE key = 'server'};
select undef, undef, undef, 1.2;
is(value_of($greedy, $server), 'makes no IDs: see renewal', 'a renewal that failed is told until one succeeds');
is_new(id(), 'room again: an ID');
like(value_of($greedy, $server), qr/^makes IDs/, 'one has succeeded: that is told');

# The transaction is unharmed, and so is the renewal after.
begin_with_locks();
is_new(id(), 'a second transaction: an ID');
fill_lock_table();
at(110);
is_new(id_if_any(), 'out of shared memory ahead of need again: an ID');
clear_lock_table();
at(135);
is_new(id_if_any(), 'room again, in the same transaction: an ID of the next window');
$session->do('INSERT INTO filled VALUES (0)');
ok($session->commit, 'the transaction that had no room commits');
is(value_of($session, 'SELECT count(*) FROM filled'), 1, 'the transaction that had no room has what it wrote');
is(value_of($greedy, 'SELECT count(*) FROM pg_locks WHERE pid = ?', $pid), 0, 'no lock is left');

# The record's page, made unreadable while it is in no buffer: what reads it holds locks of the server (LWLocks) then. A
# renewal ahead of need that fails so keeps none of them.
my $block_size = 8192;
my $file = $node->data_dir . '/' . value_of($greedy, q{SELECT pg_relation_filepath('idgen.horizon')});

sub swap_page
{
	my ($new) = @_;
	open my $handle, '+<:raw', $file or die "$file: $!";
	sysseek $handle, $block_size, 0 or die "$file: $!";
	sysread($handle, my $old, $block_size) == $block_size or die "$file: no block 1";
	sysseek $handle, $block_size, 0 or die "$file: $!";
	syswrite($handle, $new) == $block_size or die "$file: $!";
	close $handle or die "$file: $!";
	return $old;
}

sub is_in_buffer { return value_of($greedy, q{SELECT count(*) FROM pg_buffercache WHERE relfilenode = pg_relation_filenode('idgen.horizon') AND relblocknumber = 1}) }

$greedy->do($_) for 'CREATE EXTENSION pg_buffercache', 'CHECKPOINT', 'SET enable_seqscan = off';
for (1 .. 1000)
{
	last unless is_in_buffer();
	$greedy->do('SELECT sum(length(prosrc)) FROM pg_proc WHERE oid > 0');
}
is(is_in_buffer(), 0, q{the record's page is in no buffer});
my $page = swap_page("\xFF" x $block_size);
begin_with_locks();
at(170);
is_new(id_if_any(), 'a page that cannot be read in a renewal ahead of need: an ID');
at(200);
fails_with($greedy, 'SELECT next_id(1)', 'XX001', qr/invalid page in block 1/,
	'the lock is free: another session finds the same page');
swap_page($page);
is_new(scalar(eval { value_of($greedy, 'SELECT next_id(1)') }), 'the page is readable again: another session renews');
is_new(id_if_any(), 'the transaction that met the bad page gets an ID of the next window');
ok($session->commit, 'the transaction that met the bad page commits');

# A renewal in a transaction with a number looks into pg_class, which another session locks. The server's timeouts need
# a clock that goes.
sub wait_in_renewal
{
	my ($offset, $setting) = @_;
	set_clock($node, "+$offset");
	$session->begin_work;
	$session->do($setting);
	$session->do('INSERT INTO filled VALUES (0)');
	id();
	$greedy->begin_work;
	$greedy->do('LOCK TABLE pg_class IN ACCESS EXCLUSIVE MODE');
	set_clock($node, '+' . ($offset + 40));
	return $session->do('SELECT next_id(1)', { pg_async => PG_ASYNC });
}

wait_in_renewal(300, q{SET LOCAL lock_timeout = '50ms'});
my $rows = eval { $session->pg_result };
$greedy->rollback;
is($rows, 1, 'a lock that times out in a renewal ahead of need: an ID');
ok(eval { id(); $session->commit }, 'a lock that times out in a renewal: more IDs in the same transaction');

wait_in_renewal(400, 'SET LOCAL lock_timeout = 0');
wait_until($greedy, "SELECT EXISTS (SELECT FROM pg_locks WHERE pid = $pid AND NOT granted)");
$greedy->do("SELECT pg_cancel_backend($pid)");
ok(!succeeds($session), 'a cancellation in a renewal ahead of need: an error');
is($session->state, '57014', 'a cancellation in a renewal ahead of need has its own SQLSTATE');
$greedy->rollback;
$session->rollback;
is_new(id(), 'IDs go on after a cancellation in a renewal');

$_->disconnect for $session, $greedy;
done_testing();
