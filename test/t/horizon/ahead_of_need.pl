# A renewal ahead of need keeps no client waiting for the disk: its record is written, and IDs of the new window are made
# only once it is flushed. Here the disk flushes nothing for as long as the test wants.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use DBD::Pg qw(:async);
use IdgenDisk;
use IdgenNode;
use Test::More;

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
done_testing();
