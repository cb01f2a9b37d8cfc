# Which clock is believed: a jump that was refused stays refused whatever ends and starts again on the same boot; a slow
# clock that is set right is not a jump; and a renewal ahead of need that is refused takes no ID away.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use IdgenPair;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time sleep);

my $node = begin_primary('believed', 'restart_after_crash = on', 'checkpoint_timeout = 1h', q{idgen.max_wait = 0});
my $session = connect_to($node);
my %made;
my $jumped = qr/the clock jumped forward by/;

sub reconnect
{
	ok(poll(sub { $session = eval { connect_to($node) }; $session && eval { value_of($session, 'SELECT 1') } }), 'the server is back')
	  || die 'no server';
	return;
}

# A clock a day ahead, then each way to forget that it was refused.
my %way = (
	'kill -9 of a backend' => sub {
		my $victim = connect_to($node);
		my $pid = value_of($victim, 'SELECT pg_backend_pid()');
		kill 'KILL', $pid;
		poll(sub { !eval { value_of($session, 'SELECT 1') } });
	},
	'kill -9 of the server' => sub { crash($node); start_again($node) },
	'a restart'             => sub { $session->disconnect; $node->stop; start_again($node) });
my $offset = 0;
for my $way (sort keys %way)
{
	set_clock($node, '+' . ($offset += 4));
	ok(eval { repeated(\%made, draw($session, 10)); 1 }, "$way: IDs before it");
	set_clock($node, '+86400');
	fails_with($session, 'SELECT next_id()', '55000', $jumped, "$way, before it: a day ahead");
	$way{$way}->();
	reconnect();
	fails_with($session, 'SELECT next_id()', '55000', $jumped, "$way, after it: a day ahead");
	set_clock($node, '+' . ($offset + 2));
	ok(poll(sub { eval { repeated(\%made, draw($session, 10)); 1 } }), "$way, the clock right again: IDs go on")
	  || $session->do('SELECT idgen.reset(clock_timestamp(), force => true)');
}

# What was accepted is remembered as well.
set_clock($node, '+7200');
fails_with($session, 'SELECT next_id()', '55000', $jumped, 'two hours ahead');
$session->do('SELECT idgen.accept_clock()');
ok(eval { draw($session, 10); 1 }, 'accepted: IDs go on');
$session->disconnect;
$node->stop;
kernel_says($node, '5 100 100');
start_again($node);
reconnect();
set_clock($node, '+7210');
ok(eval { draw($session, 10); 1 }, 'accepted, and a restart: IDs go on');
set_clock($node, '+93600');
fails_with($session, 'SELECT next_id()', '55000', $jumped, 'accepted, a restart, and another day ahead');

# What the server knows of a clock that is to be accepted.
my $told = '';
{
	local $SIG{__WARN__} = sub { $told .= "@_" };
	local @$session{qw(PrintWarn PrintError)} = (1, 0);
	for my $case ([ '5 100 100', qr/NOTICE:  the clock of this machine is not synchronized\nDETAIL:.*kernel/ ], [ '0 100 100', qr/^$/ ])
	{
		my ($words, $pattern) = @$case;
		kernel_says($node, $words);
		$told = '';
		$session->do('SELECT idgen.accept_clock()');
		like($told, $pattern, "a kernel that says $words");
	}
}
ok(eval { draw($session, 10); 1 }, 'a day ahead, accepted: IDs go on');
set_clock($node, '+7220');
fails_with($session, 'SELECT idgen.accept_clock()', '55000',
	qr/the clock is $duration behind the durable horizon\nDETAIL:.*would change nothing.*\nHINT:.*idgen\.reset\(at, force => true\)/, 'a clock far behind the horizon is not accepted');
$session->do('SELECT idgen.reset(clock_timestamp(), force => true)');
ok(eval { draw($session, 10); 1 }, 'the hint helps');

# A renewal ahead of need that is refused: the ID that was taken is returned. The next one beyond the window gets the
# error.
$offset = 7300;
set_clock($node, "+$offset");
set_for_server($session, 'idgen.horizon_window', '60s');
$session->do('SELECT idgen.accept_clock()');
$session->do(q{SET idgen.max_wait = '5s'});
my @refusals = (
	[ 'unlogged', qr/is unlogged/, ['ALTER SEQUENCE idgen.horizon SET UNLOGGED'], ['ALTER SEQUENCE idgen.horizon SET LOGGED'] ],
	[ 'required', qr/need a synchronous standby/,
		[ q{ALTER SYSTEM SET idgen.synchronous = 'required'}, 'SELECT pg_reload_conf()' ],
		[ 'ALTER SYSTEM RESET idgen.synchronous', 'SELECT pg_reload_conf()' ] ]);
for (@refusals)
{
	my ($what, $pattern, $before, $after) = @$_;
	repeated(\%made, draw($session, 10));
	$session->do($_) for @$before;
	poll(sub { value_of($session, q{SELECT current_setting('idgen.synchronous') = 'required'}) }) if $what eq 'required';
	set_clock($node, '+' . ($offset + 40));
	for my $sql ('SELECT next_id_array(10)', 'SELECT array_agg(id) FROM next_ids(10) id', 'SELECT ARRAY[next_id()]')
	{
		my $ids = eval { value_of($session, $sql) } // [];
		ok(@$ids > 0, "$what, within the window: $sql");
		is(repeated(\%made, @$ids), 0, "$what, within the window: others");
	}
	set_clock($node, '+' . ($offset + 70));
	fails_with($session, 'SELECT next_id()', '55000', $pattern, "$what, past the window");
	$session->do($_) for @$after;
	poll(sub { value_of($session, q{SELECT current_setting('idgen.synchronous') = 'auto'}) });
	ok(eval { !repeated(\%made, draw($session, 10)) }, "$what no more: IDs go on") || note $session->errstr;
	set_clock($node, '+' . ($offset += 200));
}

# Another boot knows nothing of what this one refused; the log says how far the horizon was behind.
set_clock($node, '+' . ($offset + 86400));
fails_with($session, 'SELECT next_id()', '55000', $jumped, 'a day ahead on this boot');
$session->disconnect;
$node->stop;
give_boot($node, '5d6b6c4e-0001-4000-8000-000000000001');
start_again($node);
reconnect();
ok(eval { !repeated(\%made, draw($session, 10)) }, 'a day ahead on another boot: IDs go on') || note $session->errstr;
like(slurp_file($node->logfile), qr/the durable horizon of database "postgres" lies $duration behind the clock/,
	'another boot: the log is told');
$session->disconnect;
done_testing();
