# Clocks that were wrong and are right now: which one is believed, and that IDs go on above.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use IdgenPages;
use IdgenPair;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time sleep);

# Which clock is believed: a jump that was refused stays refused whatever ends and starts again on the same boot; a slow
# clock that is set right is not a jump; and a renewal ahead of need that is refused takes no ID away.
{
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
}

# A clock that is slow when a server starts or is promoted, and is then set right: nothing is made twice, and IDs go on
# by themselves.
{
	my $behind = qr/the clock is $duration behind/;

	# Booted and started under a clock that is an hour slow. Another database of the server has not made an ID for hours:
	# there the clock set right is a jump as long as the slow one is all that was accepted.
	{
		my %made;
		my $node = start_node('started', fake_clock => 1, conf => ["idgen.shards = '5'"]);
		my $session = connect_to($node);
		set_clock($node, '-10800');
		$session->do('CHECKPOINT');
		$session->do('CREATE DATABASE seldom');
		my $seldom = connect_to($node, db => 'seldom');
		$seldom->do('CREATE EXTENSION idgen');
		value_of($seldom, 'SELECT next_id()');
		$seldom->disconnect;
		set_clock($node, '+0');
		$session->do('SELECT idgen.accept_clock()');
		repeated(\%made, draw($session, 10_000));
		$session->disconnect;
		$node->stop;
		give_boot($node, '5d6b6c4e-0001-4000-8000-000000000001');
		set_clock($node, '-3600');
		start_again($node);
		$session = connect_to($node);
		fails_with($session, 'SELECT next_id()', '55000', $behind, 'started an hour slow');
		$seldom = connect_to($node, db => 'seldom');
		ok(value_of($seldom, 'SELECT next_id()'), 'started an hour slow: a database with an old horizon goes on');
		set_clock($node, '+0');
		my @ids = eval { draw($session, 10_000) };
		is(scalar @ids, 10_000, 'set right: IDs go on by themselves') || note $session->errstr;
		is(repeated(\%made, @ids), 0, 'set right: none again');
		fails_with($seldom, 'SELECT next_id()', '55000', qr/the clock jumped forward by/,
			'set right: a jump for the database with an old horizon');
		set_clock($node, '+86400');
		fails_with($session, 'SELECT next_id()', '55000', qr/the clock jumped forward by/,
			'a day too far: refused here as well');
		set_clock($node, '+2');
		ok(eval { draw($session, 10) }, 'right again: IDs go on');
		$seldom->do('SELECT idgen.accept_clock()');
		ok(eval { value_of($seldom, 'SELECT next_id()') }, 'accepted: IDs go on there too');
		$_->disconnect for $session, $seldom;
		$node->stop('immediate');
	}

	# Promoted under a slow clock that is set right before the debt is paid. The standby missed the last windows, and the
	# IDs of the primary lay ahead of its clock as far as they may.
	for my $slow (480, 3600)
	{
		my %made;
		my $primary = begin_primary("old_$slow", "idgen.max_lead = '10s'", 'idgen.overflow = borrow');
		my $standby = begin_standby($primary, "new_$slow", "-$slow");
		$standby->stop;
		give_boot($standby, '5d6b6c4e-0002-4000-8000-000000000002');
		start_again($standby);
		my $session = connect_to($primary);
		repeated(\%made, draw_few($session, 10));
		wait_for_replay($primary, $standby);
		cut_off($standby);
		repeated(\%made, draw_few($session, 19_000));
		my $since = time;
		crash($primary);
		$standby->promote;
		$session = connect_to($standby);
		fails_with($session, 'SELECT next_id()', '55000', $behind, "promoted $slow s slow");
		fails_with($session, 'SELECT next_id()', '55000', $behind, "promoted $slow s slow, asked again");
		go_on_at($standby, $since, -0.4);
		$session->do(q{SET idgen.max_wait = '30s'});
		my @ids = eval { draw_few($session, 19_000) };
		is(scalar @ids, 19_000, "promoted $slow s slow, set right: IDs go on by themselves") || note $session->errstr;
		is(repeated(\%made, @ids), 0, "promoted $slow s slow, set right: none again");
		$session->disconnect;
		$standby->stop('immediate');
	}
}

# A laptop that slept, WSL or Docker Desktop: the wall clock went on by ten hours, the time since boot stood still. What an
# ordinary role reads, also after a restart; what a superuser does, as docs/troubleshooting.md says; and the way back.
{
	my $node = start_node('laptop', fake_clock => 1, kernel => '0 20000 100', conf => ["idgen.shards = '5'"]);
	$node->safe_psql('postgres', 'CREATE ROLE app LOGIN; SELECT next_id()');

	# What an ordinary role gets.
	sub is_refused
	{
		my ($pattern, $what) = @_;
		my $session = connect_to($node, user => 'app');
		fails_with($session, 'SELECT next_id()', '55000', $pattern, $what);
		$session->disconnect;
		return;
	}
	sub makes
	{
		my ($what) = @_;
		my $session = connect_to($node, user => 'app');
		is(value_of($session, 'SELECT abs(extract(epoch FROM id_time(next_id()) - clock_timestamp())) < 2'), 1, $what);
		$session->disconnect;
		return;
	}
	sub restart { $node->stop; start_again($node); return }

	my $jumped = qr/^ERROR:  the clock jumped forward by 10 h\nDETAIL:  idgen\.max_clock_jump is 10 min\. No ID is stamped .*\nHINT:  .*have a superuser call idgen\.accept_clock\(\)\.$/;
	makes('before it sleeps');
	set_clock($node, '+36000');
	is_refused($jumped, 'after it slept');
	restart();
	is_refused($jumped, 'after a restart');
	$node->safe_psql('postgres', 'SELECT idgen.accept_clock()');
	makes('accepted');

	# A clock that was wrong and is right now: a wait of hours is not advised by a setting.
	my $behind = qr/^ERROR:  the clock is (?:9 h 5\d min|10 h(?: 1 min)?) behind the next ID of shard 5\n.*\nHINT:  Correct the clock; or, if it is right now, wait until it has passed that time\.$/;
	set_clock($node, '+0');
	is_refused($behind, 'set back');
	restart();
	is_refused($behind, 'set back, and restarted');
	set_clock($node, '+36000');
	makes('the clock forward again');

	# For development only: a clock that may jump.
	my ($row) = grep { /Docker Desktop/ } split /\n/, page('troubleshooting');
	my @typed = $row =~ /`((?:ALTER SYSTEM|SELECT) [^`]+)`/g;
	is(scalar @typed, 2, 'the page has two commands');
	$node->safe_psql('postgres', $_) for @typed;
	my $session = connect_to($node);
	wait_until($session, q{SELECT current_setting('idgen.max_clock_jump') = '24d'});
	$session->disconnect;
	set_clock($node, '+96000');
	makes('a jump of hours is taken where the setting says so');
}

done_testing();
