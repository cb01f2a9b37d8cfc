# Synchronous standbys that are named, required or no longer named while statements run: what holds is what the server
# knows, not what the session that renews read when its statement began.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use DBD::Pg qw(:async);
use IdgenNode;
use IdgenPair;
use Test::More;
use Time::HiRes qw(time sleep);

my $layout = few_a_tick();
my $for_long = "COPY (SELECT next_id(5, '$layout') FROM generate_series(1, 1000000)) TO STDOUT";

my $primary = begin_primary('named_a');
my $standby = begin_standby($primary, 'named_b', '+0');
my $session = connect_to($primary);

# Names the synchronous standbys, or none, and waits until every process of the server has it: the checkpointer tells
# the others, and does so before it begins a checkpoint.
sub names_become
{
	my ($names) = @_;
	set_for_server($session, 'synchronous_standby_names', $names);
	my $state = $names eq '' ? 'async' : 'sync';
	wait_until_true($primary, "EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = '$state')");
	$session->do('CHECKPOINT');
	return;
}

# The last instant of an ID in unix seconds.
sub last_second
{
	my (@ids) = @_;
	return value_of($session, 'SELECT extract(epoch FROM id_time(?, ?::id_layout))', $ids[-1], $layout);
}

# Required at run time, and none is named: no session goes on, whichever renews.
my $statement = begin_statement($primary, $for_long);
$session->do(q{ALTER SYSTEM SET idgen.synchronous = 'required'});
$session->do('SELECT pg_reload_conf()');
my $required = qr/need a synchronous standby, and none is configured/;
my $is_refused = sub { return !eval { draw_few($session, 1); 1 } && $session->errstr =~ $required };
ok(poll($is_refused), 'required while a statement runs: another session is refused');
ok(poll(sub { has_ended($statement) }), 'required: the statement that was running ends');
my ($error, @ids) = end_statement($statement);
like($error, qr/ERROR: +55000: .*$required/, 'required: it says why');
$session->do('ALTER SYSTEM RESET idgen.synchronous');
$session->do('SELECT pg_reload_conf()');
ok(poll(sub { eval { draw_few($session, 1) } }), 'no longer required: IDs go on');

# Emptied names: a session that waits for their confirmation goes on by itself, in the middle of its statement.
names_become('*');
my $walreceiver = $standby->safe_psql('postgres', 'SELECT pid FROM pg_stat_wal_receiver');
$statement = begin_statement($primary, q{SET idgen.max_wait = '1h'}, $for_long);
kill 'STOP', $walreceiver;
wait_until_true($primary, 'stall > 500 FROM idgen.stat_database');
my $advancing = connect_to($primary);
$advancing->do('SELECT idgen.advance(now())', { pg_async => PG_ASYNC });
wait_until_true($primary, q{EXISTS (SELECT FROM pg_stat_activity WHERE query ~ '^SELECT idgen.advance' AND state = 'active')});
sleep 0.5;
is($primary->safe_psql('postgres', q{SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE query ~ '^SELECT idgen.advance' AND relation = 'idgen.horizon'::regclass}),
	0, 'idgen.advance waits for the standbys without a lock');
names_become('');
my $began = time;
ok(goes_on($statement, 1000), 'names emptied: a statement that waits for the standbys goes on by itself');
note sprintf 'after %.1f s', time - $began;
ok(poll(sub { $advancing->pg_ready }), 'names emptied: idgen.advance returns');
$advancing->pg_cancel unless $advancing->pg_ready;
$advancing->disconnect;
kill 'CONT', $walreceiver;
($error, @ids) = end_statement($statement);

# Named at run time. The clock of the standby is far behind: nothing but the acknowledged windows keeps its IDs apart.
$statement = begin_statement($primary, q{SET idgen.max_wait = '2s'}, $for_long);
names_become('*');
ok(goes_on($statement, 1000), 'named while a statement runs: it goes on');
wait_for_replay($primary, $standby);
kill 'STOP', $walreceiver;
my $stopped = time;
$session->do(q{SET idgen.max_wait = '300ms'});
my %made;
my $is_over = sub { return !eval { repeated(\%made, draw_few($session, 100)); 1 } };
poll($is_over);
like($session->errstr // '', qr/The synchronous standbys have not confirmed it/, 'the standby stopped: another session is refused');
ok(poll(sub { has_ended($statement) }), 'the standby stopped: the statement that was running ends');
($error, @ids) = end_statement($statement);
like($error, qr/ERROR: +55000: .*was not renewed within .*The synchronous standbys have not confirmed it/s,
	'the standby stopped: it says why');
is(repeated(\%made, @ids), 0, 'the primary: all distinct');
my $last = value_of($session, 'SELECT extract(epoch FROM id_time(?, ?::id_layout))', $ids[-1], $layout);
cmp_ok($last, '<=', $stopped + 1.6, 'the standby stopped: IDs for a window at most');

crash($primary);
go_on_at($standby, $stopped, 0);
lose_unread($standby, $walreceiver);
$standby->safe_psql('postgres', q{ALTER SYSTEM SET synchronous_standby_names = ''});
go_on_at($standby, $stopped, 0);
$standby->promote;
my $on_standby = connect_to($standby);
$on_standby->do(q{SET idgen.max_wait = '20s'});
is(repeated(\%made, draw_few($on_standby, 4000)), 0, 'the standby promoted, its clock back at that moment: none again');
$on_standby->disconnect;
$standby->stop('immediate');
done_testing();
