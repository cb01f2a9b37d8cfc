# Whatever holds up a record that is on its way to the disk: a writer of the log that stands still, a session that is
# cancelled as it flushes, another length of the window, a crash. No ID is made twice, whoever waits can be cancelled,
# and the statistics say for how long.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use DBD::Pg qw(:async);
use IdgenDisk;
use IdgenNode;
use Test::More;

my %made;
my $node = start_on_held_disk('held');

my $second = int(time) + 5;
my ($session, $other, $eyes) = map { connect_to($node) } 1 .. 3;

# The clock stands so many whole seconds after the first ID.
sub at { my ($seconds) = @_; return freeze_clock($node, $second + $seconds) }
sub hold { return calls_fail($node, 'hold 1 /pg_wal/') }
sub figure { my ($name) = @_; return value_of($eyes, "SELECT $name FROM idgen.stat_database WHERE datname = current_database()") }
sub written { return value_of($eyes, 'SELECT last_value FROM idgen.horizon') / 1000 - $second - clock_offset() }
sub is_new { my ($what, @ids) = @_; return is(repeated(\%made, @ids), 0, "$what: IDs that are new") }

# Draws in a statement that is not waited for.
sub begin
{
	my ($session) = @_;
	my $statement = $session->prepare('SELECT next_id()', { pg_async => PG_ASYNC });
	$statement->execute;
	return $statement;
}
sub ends
{
	my ($statement) = @_;
	# If it was canceled, later versions of DBD::Pg raise nothing.
	return unless eval { $statement->pg_result; 1 } && ($statement->state // '') ne '57014';
	my ($id) = $statement->fetchrow_array;
	$statement->finish;
	return $id;
}
# Whether that is so within five minutes.
sub seen
{
	my ($question) = @_;
	for (1 .. 30_000)
	{
		return 1 if value_of($eyes, $question);
		select undef, undef, undef, 0.01;
	}
	return 0;
}
sub wait_for_disk
{
	my ($session) = @_;
	return seen("SELECT wait_event IN ('WALSync', 'WALWrite', 'WalSync', 'WalWrite') FROM pg_stat_activity WHERE pid = $session->{pg_pid}");
}

at(0);
is_new('the first window', draw($session, 10), draw($other, 10));
my $count = figure('renewals');

# The writer of the log stands still: a session flushes the record before all have to.
my $writer = value_of($eyes, "SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'");
kill 'STOP', $writer;
at(6);
is_new('half of the window is used', draw($session, 10));
at(7);
is_new('it is on its way', draw($other, 10));
is(figure('renewals'), $count, 'nobody flushes the record');
at(9);
is_new('nearly all is used', draw($session, 10));
is(figure('renewals'), ++$count, 'a session flushed the record');
kill 'CONT', $writer;

# A lock on the sequence that ends: what was asked for is on its way.
my $locker = connect_to($node);
$locker->begin_work;
$locker->do('ALTER SEQUENCE idgen.horizon START WITH 1400000000000');
at(12);
is_new('the sequence is locked', draw($session, 1));
select undef, undef, undef, 0.05;
is_new('the sequence is locked, another session', draw($other, 1));
cmp_ok(figure('stall'), '>', 0, 'renewals are asked for in vain');
$locker->rollback;
hold();
at(13);
is_new('the lock is gone', draw($session, 1));
cmp_ok(written(), '>=', 13 + 10, 'the record is written');
is(figure('stall'), 0, 'and not asked for in vain any more');

# The disk holds the session that flushes, and the others at the end of the window: they can be cancelled.
at(15);
my $flushing = begin($session);
wait_for_disk($session);
at(16);
my $waiting = begin($other);
ok(seen('SELECT stall > 100 FROM idgen.stat_database WHERE datname = current_database()'), 'the renewal is seen to stall');
value_of($eyes, 'SELECT pg_cancel_backend(?)', $_->{pg_pid}) for $session, $other;
is(ends($waiting), undef, 'who waits for the session that flushes can be cancelled');
is($other->state, '57014', 'by a cancellation');
calls_fail($node);
is_new('the disk is well', grep { defined } ends($flushing));
is_new('after the cancellations', draw($session, 10), draw($other, 10));
is(figure('stall'), 0, 'nothing stalls');

# The length of the window changes with a record on its way.
my $at = 16;
for my $window ('60s', '100ms')
{
	at($at += 200);
	is_new('a window that begins', draw($session, 10));
	hold();
	at($at += 6);
	is_new('half of it is used', draw($session, 10));
	calls_fail($node);
	set_for_server($eyes, 'idgen.horizon_window', $window);
	my $late = connect_to($node);
	my @ids;
	for (1 .. 12)
	{
		at($at += 1);
		push @ids, draw($session, 10), draw($late, 10);
		cmp_ok(written(), '>', $at, "the window becomes $window, $at s: IDs lie below what is written");
	}
	is_new("the window becomes $window", @ids);
	$late->disconnect;
	set_for_server($eyes, 'idgen.horizon_window', '10s');
}

# A crash as one session flushes and the others wait.
at($at += 100);
is_new('the last window', draw($session, 10));
hold();
at($at += 6);
is_new('half of it is used', draw($session, 10));
at($at += 3);
my $lost = begin($session);
wait_for_disk($session);
is_new('nearly all is used', draw($other, 10));
my $written = written();
kill 'STOP', $node->{_pid};
kill 'KILL', split ' ', `ps -o pid= --ppid $node->{_pid}`;
crash($node);
lose_writes($node);
calls_fail($node);
$_->disconnect for $session, $other, $locker, $eyes;
start_again($node);
($session, $other, $eyes) = map { connect_to($node) } 1 .. 3;
cmp_ok(written(), '<', $written, 'the record is lost');
at($at += 1);
is_new('after the crash', draw($session, 400), draw($other, 400));
$_->disconnect for $session, $other, $eyes;
$node->stop;
done_testing();
