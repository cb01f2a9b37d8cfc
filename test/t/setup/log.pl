# What is logged of clocks and shards: once a minute for each cause, whichever of the sessions sees it.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use DBD::Pg qw(:async);
use IdgenNode;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time sleep);

my $node = start_node(
	'log',
	fake_clock => 1,
	kernel     => '0 20000 100',
	conf       => [ "idgen.shards = '0-7'", "idgen.max_wait = 0", "log_min_messages = error", "log_line_prefix = '%b '" ]);
my @sessions = map { connect_to($node) } 1 .. 6;
# Not before the extension is created: IDs begin that far ahead of the clock.
set_for_server($sessions[0], 'idgen.max_lead', '1min');
for my $session (@sessions) { sleep 0.02 while value_of($session, 'SHOW idgen.max_lead') ne '1min' }

# How often the log has a line, and the lines after its first.
sub told { my ($pattern) = @_; return scalar(() = slurp_file($node->logfile) =~ /$pattern/g) }

# Every session draws from the same shard; most fail.
sub everybody_draws
{
	my ($shard) = @_;
	for my $session (@sessions)
	{
		for (1 .. 3) { eval { value_of($session, 'SELECT next_id(?)', $shard) } }
	}
	return;
}

everybody_draws(1);
is(told(qr/LOG:  the clock/), 0, 'a right clock is not told of');
# A window later the horizon is renewed, and the clock looked at.
for my $offset ('+0.004', '+0')
{
	set_clock($node, $offset);
	sleep 1.2;
	everybody_draws(1);
}
is(told(qr/LOG:  the clock/), 0, 'a clock that is set by a few milliseconds is not logged');

# Back, within the lead: IDs are held, and that is logged.
set_clock($node, '-30');
everybody_draws(1);
my $back = qr/LOG:  the clock of this machine was set back by 30\.000 s\n.*DETAIL:  IDs go on above the last ones: held up to idgen.max_lead \(60\.000 s\).*\n.*HINT:  See what set it/;
is(told($back), 1, 'set back by half a minute: told once');

# Back by more, refused to everybody: the minute is not over.
set_clock($node, '-3600');
everybody_draws(1);
is(told(qr/ERROR:  the clock is $duration behind/), 18, 'set back by an hour: refused to every session');
is(told(qr/LOG:  the clock of this machine was set back/), 1,
	'set back by an hour within the minute: not logged again');
my $steps = sub { return join ' ', $sessions[0]->selectrow_array('SELECT clock_steps_back, clock_steps_forward FROM idgen.stat_database') };
is($steps->(), '2 0', 'set back by an hour within the minute: the step is counted');

# Forward: another cause, its own minute. Beyond the window, so that the horizon must be renewed.
set_clock($node, '+90');
everybody_draws(1);
is($steps->(), '2 1', 'set right, and more: a step forward is counted');
is(told(qr/LOG:  the clock of this machine was set forward by 1 h 2 min\n.*DETAIL:  That is more than idgen.max_clock_jump \(10 min\)/),
	1, 'set right, and more: a step forward is logged');
set_clock($node, '+86400');
everybody_draws(1);
is(told(qr/LOG:  the clock of this machine was set forward/), 1, 'a day forward within the minute: not told again');
is($steps->(), '2 2', 'a day forward within the minute: the step is counted');
is(told(qr/ERROR:  the clock jumped forward by/), 18, 'a day forward: refused to every session');
set_clock($node, '+0');

# Clients see none of it.
my @warnings;
{
	local $SIG{__WARN__} = sub { push @warnings, @_ };
	$_->{PrintWarn} = 1 for @sessions;
	everybody_draws(2);
}
is("@warnings", '', 'clients are told nothing');

# A shard that is out of IDs for long. A clock that stands still makes it so; 10 seconds are 10 real ones.
my $second = int(time) + 3;
freeze_clock($node, $second);
eval { value_of($sessions[0], 'SELECT max(id) FROM next_ids(1025, 3) id') };
my $full = qr/LOG:  shard 3 of database "postgres" has been out of IDs for 1\d\.\d{3} s\n.*DETAIL:  Layout "instagram" makes 1024 IDs in 1 ms for each shard; .*\n.*HINT:  Give this node more shards/;
$_->do("SET idgen.max_wait = '1h'") for @sessions;
my $began = time;
$_->do('SELECT next_id(3)', { pg_async => PG_ASYNC }) for @sessions;
sleep 0.1 while time - $began < 60 && told($full) == 0;
cmp_ok(time - $began, '>=', 9.5, 'a full shard: not told at once');
is(told($full), 1, 'full for ten seconds: told');
sleep 1;
is(told(qr/LOG:  shard/), 1, 'a full shard is logged once, though six sessions wait');
freeze_clock($node, $second + 2);
$_->pg_result for @sessions;

# NTP: the warning of all sessions together.
kernel_says($node, '5 100 100');
set_for_server($sessions[0], 'log_min_messages', 'warning');
set_for_server($sessions[0], 'idgen.require_clock_sync', 'warn');
for my $session (@sessions)
{
	sleep 0.02 while value_of($session, 'SHOW idgen.require_clock_sync') ne 'warn' || value_of($session, 'SHOW log_min_messages') ne 'warning';
	$second += 100;
	freeze_clock($node, $second);
	value_of($session, 'SELECT next_id(4)');
}
is(told(qr/WARNING:  the clock of this machine is not synchronized/), 1,
	'not synchronized: one warning for six sessions');

# After a boot there is nothing to compare the clock with but the horizon: far behind, it is logged.
$_->disconnect for @sessions;
my $behind = qr/LOG:  the durable horizon of database "postgres" lies ($duration) behind the clock\n.*DETAIL:  It is 20.*\n.*HINT:  If the clock is wrong/;
for ([ 60, 0 ], [ 7200, 1 ])
{
	my ($later, $expected) = @$_;
	$node->stop;
	$second += $later;
	freeze_clock($node, $second);
	give_boot($node, "5d6b6c4e-0001-4000-8000-00000000000$expected");
	start_again($node);
	my $session = connect_to($node);
	value_of($session, 'SELECT next_id(4)') for 1 .. 2;
	$session->disconnect;
	is(told($behind), $expected,
		"a start $later s later: " . ($expected ? 'told' : 'not told') . ' of the horizon that was found');
}
like((slurp_file($node->logfile) =~ $behind)[0], qr/^(?:2 h|1 h 5\d min)$/,
	'a start later: the log says how far the horizon is behind');
done_testing();
