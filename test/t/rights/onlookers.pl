# Statistics and readers by ID wait for no lock that draws need, and a session that waits for one can be canceled: each
# lock is held for as long as the test wants.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use DBD::Pg qw(:async);
use IdgenNode;
use IdgenReader qw(settled_id);
use Test::More;

plan skip_all => 'from 17 on without preload the state is no shared memory of the start' if $ENV{IDGEN_WITHOUT_PRELOAD};

my $node = start_node('onlookers', conf => ["idgen.shards = '0-3'", 'max_prepared_transactions = 5']);
my $main = connect_to($node);
$main->do("CREATE FUNCTION held_lock(text, bigint, text, text) RETURNS void LANGUAGE c STRICT AS '$ENV{IDGEN_PRELOADS}/held_lock.so'");
my ($state, $size) = $main->selectrow_array(q{SELECT name, size FROM pg_shmem_allocations WHERE name LIKE 'idgen state%'});
my $until = $node->basedir . '/let_go';

# Holds a lock of the state in a session of its own; gives what lets it go.
sub hold
{
	my ($which) = @_;
	unlink $until;
	my $holder = connect_to($node);
	my $pid = value_of($holder, 'SELECT pg_backend_pid()');
	$holder->do("SELECT held_lock('$state', $size, '$which', '$until')", { pg_async => PG_ASYNC });
	wait_until($main,
		"SELECT query LIKE 'SELECT held_lock%' AND state = 'active' FROM pg_stat_activity WHERE pid = $pid");
	# It takes the lock in its first steps.
	select undef, undef, undef, 0.2;
	return sub {
		open my $file, '>', $until or die $!;
		close $file;
		$holder->pg_result;
		$holder->disconnect;
	};
}

# A statement that is begun and not waited for.
sub begin
{
	my ($session, $sql) = @_;
	$session->do($sql, { pg_async => PG_ASYNC });
	return $session;
}

sub is_waiting { my ($pid) = @_; return wait_until($main, "SELECT wait_event IS NOT NULL AND state = 'active' FROM pg_stat_activity WHERE pid = $pid") }

# Whether the lock is still held: it is let go after five minutes, in case somebody waits for it who should not.
sub is_held { return value_of($main, q{SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT held_lock%' AND state = 'active'}) == 1 }

my @views = map { "SELECT count(*) FROM idgen.$_" } 'status()', qw(stat_shard stat_backend stat_database stat_lease stat_registry);
$main->do('SET statement_timeout = 0');
my %seen;

# The lock of the directory, which a first draw needs.
my $drawing = connect_to($node);
is(repeated(\%seen, draw($drawing, 10)), 0, 'a session draws');
my $let_go = hold('directory');
is(repeated(\%seen, draw($drawing, 10)), 0, 'a session that has drawn goes on while another holds the lock');
ok(is_held(), 'another session still holds the lock while IDs are drawn');
my $onlooker = connect_to($node);
for my $view (@views, 'SELECT idgen.reset_stats()', 'SELECT idgen.own_shards()')
{
	my $done = begin(connect_to($node), $view);
	ok(succeeds($done) && is_held(), "$view: does not wait for it");
	$done->disconnect;
}
my $first = connect_to($node);
$first->do('SET statement_timeout = 100');
fails_with($first, 'SELECT next_id()', '57014', qr/statement timeout/, 'a first draw waits, up to its timeout');
$first->do('RESET statement_timeout');
my $pid = value_of($first, 'SELECT pg_backend_pid()');
begin($first, 'SELECT next_id()');
is_waiting($pid);
ok(value_of($main, "SELECT pg_cancel_backend($pid)"), 'a session that waits for the lock is canceled');
ok(!succeeds($first) && is_held(), 'a canceled session ends while the lock is held');
begin($first, 'SELECT next_id()');
is_waiting($pid);
value_of($main, "SELECT pg_terminate_backend($pid)");
wait_until($main, "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $pid)");
ok(is_held(), 'a session does not outlast pg_terminate_backend() while the lock is held');
$first = begin(connect_to($node), 'SELECT next_id()');
$let_go->();
ok(succeeds($first), 'a session draws once the lock is free');
$first->disconnect;

# That of prepared transactions, which PREPARE TRANSACTION needs.
$main->do('CREATE TABLE event (id bigint DEFAULT next_id())');
settled_id($drawing);
$let_go = hold('prepared');
ok(defined settled_id($drawing) && is_held(), 'id_settled() does not wait for who prepares a transaction');
ok(defined value_of($onlooker, $_) && is_held(), "$_: does not wait for who prepares a transaction") for @views;
$pid = value_of($drawing, 'SELECT pg_backend_pid()');
$drawing->do('BEGIN');
$drawing->do('INSERT INTO event DEFAULT VALUES');
begin($drawing, q{PREPARE TRANSACTION 'event'});
is_waiting($pid);
value_of($main, "SELECT pg_cancel_backend($pid)");
ok(!succeeds($drawing) && is_held(), 'PREPARE TRANSACTION waits for another, until it is canceled');
$drawing->do('ROLLBACK');
$let_go->();
$drawing->begin_work;
$drawing->do('INSERT INTO event DEFAULT VALUES');
ok($drawing->do(q{PREPARE TRANSACTION 'event'}), 'a transaction that has drawn is prepared');
$main->do(q{ROLLBACK PREPARED 'event'});
done_testing();
