# Renewals ahead of need.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use DBD::Pg qw(:async);
use IdgenDisk;
use IdgenNode;
use Test::More;

# A renewal ahead of need keeps no client waiting for the disk: its record is written, and IDs of the new window are made
# only once it is flushed. Here the disk flushes nothing for as long as the test wants.
{
	my %made;
	my $window = 10;
	my $node = start_on_held_disk('ahead');

	my $second = int(time) + 5;
	my ($session, $other, $eyes) = map { connect_to($node) } 1 .. 3;

	# The clock stands so many whole seconds after the first ID.
	sub at { my ($seconds) = @_; return freeze_clock($node, $second + $seconds) }

	# H on the page, flushed or not; in seconds after the first ID.
	sub written { return value_of($eyes, 'SELECT last_value FROM idgen.horizon') / 1000 - $second - clock_offset() }
	sub renewals { return value_of($eyes, 'SELECT renewals FROM idgen.stat_database WHERE datname = current_database()') }

	# Begins to draw, and says whether the ID is there within a minute, or before the disk is seen to keep the session
	# waiting. The disk is let go of before a failure, or the test would hang.
	sub begin
	{
		my ($session) = @_;
		my $statement = $session->prepare('SELECT next_id()', { pg_async => PG_ASYNC });
		$statement->execute;
		return $statement;
	}
	sub is_blocked
	{
		my ($session) = @_;
		return value_of($eyes, q{SELECT wait_event IN ('WALSync', 'WALWrite', 'WalSync', 'WalWrite') FROM pg_stat_activity WHERE pid = ?}, $session->{pg_pid});
	}
	sub comes
	{
		my ($session) = @_;
		for (1 .. 30_000)
		{
			return 1 if $session->pg_ready;
			return 0 if is_blocked($session);
			select undef, undef, undef, 0.01;
		}
		return 0;
	}
	sub ends
	{
		my ($what, $statement) = @_;
		$statement->pg_result;
		my ($id) = $statement->fetchrow_array;
		$statement->finish;
		return is(repeated(\%made, $id), 0, "$what: an ID that is new");
	}
	sub goes_on
	{
		my ($session, $what) = @_;
		my $statement = begin($session);
		my $comes = ok(comes($session), "$what: nobody waits");
		calls_fail($node) unless $comes;
		return ends($what, $statement);
	}

	at(0);
	is(repeated(\%made, draw($session, 10), draw($other, 10)), 0, 'the first window');
	cmp_ok(written(), '>=', $window, 'it is written and flushed');
	my $first = renewals();

	# With half of the window used, the next one is written.
	calls_fail($node, 'hold 1 /pg_wal/');
	at(6);
	goes_on($session, 'half of the window is used');
	cmp_ok(written(), '>=', 6 + $window, 'the next window is written');
	is(renewals(), $first, 'and not granted');
	for my $second (7, 8)
	{
		at($second);
		goes_on($_, "the record is on its way, $second s") for $session, $other;
	}
	cmp_ok(written(), '<', 7 + $window, 'one record is on its way at a time');

	# With nearly all of it used, one session flushes it, and the others go on; at its end all wait.
	at(9);
	my @flushing = begin($session);
	ok(!comes($session), 'nearly all is used: one session flushes the record');
	goes_on($other, 'beside it');
	at(10);
	push @flushing, begin($other);
	select undef, undef, undef, 0.3;
	ok(!$other->pg_ready, 'at the end of the window IDs wait for the disk');
	is(renewals(), $first, 'nothing is granted');
	calls_fail($node);
	ends('the disk is well', $_) for @flushing;
	is(renewals(), $first + 1, 'the record is granted');

	# The writer of the log flushes it where nobody waits. Were the disk quicker than the session, that would grant it at once.
	calls_fail($node, 'hold 1 /pg_wal/');
	at(12);
	goes_on($session, 'half of that window is used');
	my $from = written();
	at(13);
	calls_fail($node);
	wait_until($eyes, "SELECT pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn()");
	is(renewals(), $first + 1, 'it is flushed, and not granted yet');
	my $late = connect_to($node);
	goes_on($late, 'a session that comes later');
	is(renewals(), $first + 2, 'grants it');
	is(written(), $from, 'as it was written');

	# What is on its way when a superuser lowers the horizon is not granted any more.
	calls_fail($node, 'hold 1 /pg_wal/');
	at(18);
	goes_on($session, 'the window after that is on its way');
	cmp_ok(written(), '>=', 18 + $window, 'it is written');
	my $reset = connect_to($node);
	$reset->do(sprintf('SELECT idgen.reset(to_timestamp(%d))', $second + 19 + clock_offset()), { pg_async => PG_ASYNC });
	select undef, undef, undef, 0.1 until is_blocked($reset) || $reset->pg_ready;
	calls_fail($node);
	$reset->pg_result;
	cmp_ok(written(), '<=', 19.001, 'the horizon is lowered');
	my $before = renewals();
	$late = connect_to($node);
	at(20);
	ends('after the reset', begin($late));
	is(renewals(), $before + 1, 'IDs rest on a new record');
	cmp_ok(written(), '>=', 20 + $window, 'and not on the one before the reset');

	# A crash with a record on its way: what was granted is on the disk, and the record is not.
	calls_fail($node, 'hold 1 /pg_wal/');
	at(26);
	goes_on($_, 'before a crash') for $late, $session;
	my $written = written();
	cmp_ok($written, '>=', 26 + $window, 'a record is on its way');
	$_->disconnect for $session, $other, $late, $reset, $eyes;
	# Whoever waits for the disk dies before it is let go of.
	kill 'STOP', $node->{_pid};
	kill 'KILL', split ' ', `ps -o pid= --ppid $node->{_pid}`;
	crash($node);
	lose_writes($node);
	calls_fail($node);
	start_again($node);
	($session, $eyes) = map { connect_to($node) } 1 .. 2;
	cmp_ok(written(), '<', $written, 'the record is lost');
	at(31);
	ends('after the crash', begin($session));
	is(repeated(\%made, draw($session, 1000)), 0, 'no ID is made again');
	$_->disconnect for $session, $eyes;
	$node->stop;
}

# A renewal ahead of need that fails takes no ID away, and leaves nothing behind: the ID is returned, and the next that
# needs the renewal gets the error. A cancellation is one at once.
{
	# A lock table that is soon full; few buffers, so that a page can be made to leave them; windows so long that the clock
	# can stand at whole seconds.
	my $node = start_node('failed', fake_clock => 1,
		conf => [ 'max_locks_per_transaction = 10', 'max_connections = 20', 'shared_buffers = 512kB', 'autovacuum = off', 'idgen.horizon_window = 60s' ]);
	my $session = connect_to($node);
	my $greedy = connect_to($node);
	my $pid = value_of($session, 'SELECT pg_backend_pid()');
	my $began = time + 60;
	my %made;

	sub at_instant { return freeze_clock($node, $began + shift) }

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
	at_instant(0);
	is_new(id(), 'an ID');
	begin_with_locks();
	is_new(id(), 'an ID in a transaction');
	fill_lock_table();
	for my $second (40, 41, 42)
	{
		at_instant($second);
		is_new(id_if_any(), "out of shared memory in a renewal ahead of need, $second s: an ID");
	}
	at_instant(70);
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
	at_instant(110);
	is_new(id_if_any(), 'out of shared memory ahead of need again: an ID');
	clear_lock_table();
	at_instant(135);
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
	at_instant(170);
	is_new(id_if_any(), 'a page that cannot be read in a renewal ahead of need: an ID');
	at_instant(200);
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
}

done_testing();
