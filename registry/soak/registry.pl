# What a registry costs its nodes, and what its troubles cost them. PART is a list of these, all if unset:
#   faults    a lock or a wait at the registry, SECONDS (300) each: connections there, draws that fail, when all go on
#   fetches   blocks a second by the way to the registry and the number of counters, and how numbers are extended beside
#   sessions  64 sessions that draw from one counter, beside nextval
# Figures are said, and not judged: only what comes twice fails.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../t/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenLease;
use IdgenNode;
use IdgenProxy;
use List::Util qw(max min sum0);
use POSIX qw(_exit);
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $seconds = $ENV{SECONDS} || 300;
my %part = (faults => \&measure_faults, fetches => \&measure_fetches, sessions => \&measure_sessions);
my @parts = split /[\s,]+/, $ENV{PART} || 'faults fetches sessions';
my @unknown = grep { !$part{$_} } @parts;
die "no such part: @unknown" if @unknown;

my %call = (id => 'SELECT next_id()', map { $_ => "SELECT next_ticket('$_')" } qw(one other));
my $processes = 0;

# Settings of a node as they are if nobody changes them, where start_leased has shorter ones.
sub plain_settings
{
	my (%other) = @_;
	return { 'idgen.lease_window' => '1min', 'idgen.lease_ttl' => '10min', 'idgen.max_lead' => '1s', %other };
}

# A registry that can have standbys.
sub begin_registry
{
	my %option = (conf => [ 'max_connections = 100', 'autovacuum = off' ], init => { allows_streaming => 1 });
	my $registry = start_registry('registry_' . ++$processes, %option);
	return ($registry, connect_to($registry));
}

sub create_counter
{
	my ($owner, $name, $max_block) = @_;
	return $owner->do('SELECT idgen_registry.create_counter(?, 1, 10, 9223372036854775806, ?)', undef, $name, $max_block);
}

# Runs $work->($file, $goes_on) in a process of its own, until $goes_on->() is false.
sub begin_process
{
	my ($node, $work) = @_;
	my $file = $node->basedir . '/process.' . ++$processes;
	my $parent = $$;
	open my $out, '>', $file or die "$file: $!";
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		$SIG{__DIE__} = 'DEFAULT';
		my $goes_on = sub { return getppid == $parent && !-e "$file.end" };
		eval { $work->($out, $goes_on); 1 } or syswrite STDERR, $@;
		_exit(0);
	}
	return { file => $file, pid => $pid };
}

sub end_processes
{
	my (@all) = @_;
	append_to_file("$_->{file}.end", '') for @all;
	waitpid $_->{pid}, 0 for @all;
	return;
}

# Draws for ever, each time failing at once if there is nothing. A line for each draw: when it ended, how long it took,
# and the number, or ! and the SQLSTATE.
sub begin_draws
{
	my ($node, $kind, $pause) = @_;
	my $process = begin_process(
		$node,
		sub {
			my ($out, $goes_on) = @_;
			my $session;
			while ($goes_on->())
			{
				my $began = time;
				my $number = eval {
					$session //= hasty_session($node);
					value_of($session, $call{$kind});
				};
				my $state = $session ? $session->state : '08000';
				syswrite $out, sprintf "%.3f %.3f %s\n", time, time - $began, $number // "!$state";
				undef $session unless defined $number || $session && $session->ping;
				sleep $pause;
			}
		});
	return { %$process, kind => $kind };
}

sub hasty_session
{
	my ($node) = @_;
	my $session = connect_to($node);
	$session->do('SET idgen.max_wait = 0');
	return $session;
}

# Its lines that are whole, from an instant on.
sub draws_of
{
	my ($process, $from) = @_;
	my @lines = map { [split] } slurp_file($process->{file}) =~ /^(.*)\n/mg;
	return grep { $_->[0] >= $from } @lines;
}
sub is_failed { my ($draw) = @_; return $draw->[2] =~ /^!/ }

# How often it failed, by SQLSTATE, the longest time without a success and the longest draw, between two instants.
sub survey
{
	my ($process, $from, $to) = @_;
	my ($last, %survey) = ($from, map { $_ => 0 } qw(tried failed gap slowest));
	for my $draw (grep { $_->[0] <= $to } draws_of($process, $from))
	{
		$survey{tried}++;
		$survey{slowest} = max($survey{slowest}, $draw->[1]);
		if (is_failed($draw)) { $survey{failed}++; $survey{states}{ substr $draw->[2], 1 }++; next }
		$survey{gap} = max($survey{gap}, $draw->[0] - $last);
		$last = $draw->[0];
	}
	$survey{gap} = max($survey{gap}, $to - $last);
	return \%survey;
}

# When it went on after an instant: its first success behind its last failure, if more have come since than a node holds
# of a counter; undef before.
sub went_on
{
	my ($process, $from) = @_;
	my @draws = draws_of($process, $from);
	my $first = 0;
	for (0 .. $#draws) { $first = $_ + 1 if is_failed($draws[$_]) }
	return @draws - $first >= 30 ? $draws[$first][0] : undef;
}

# The faults: each begins one, and gives what ends it, and then gives what else is to be said.
sub hold
{
	my ($registry, @statements) = @_;
	my $session = connect_to($registry);
	$session->begin_work;
	$session->do($_) for @statements;
	return sub { $session->rollback; $session->disconnect; return '' };
}

sub lose_standby
{
	my ($registry, $owner) = @_;
	set_for_server($owner, 'synchronous_standby_names', 'nobody');
	return sub {
		$owner->do($_) for 'ALTER SYSTEM RESET synchronous_standby_names', 'SELECT pg_reload_conf()';
		return '';
	};
}

sub vacuum_for_ever
{
	my ($registry) = @_;
	my $process = begin_process(
		$registry,
		sub {
			my ($out, $goes_on) = @_;
			my $session = connect_to($registry);
			my @tables = map { "idgen_registry.$_" } qw(lease counter registry);
			while ($goes_on->())
			{
				for (@tables) { syswrite $out, '.' if eval { $session->do("VACUUM FULL $_") } }
			}
		});
	return sub { end_processes($process); return ' ' . (-s $process->{file}) . ' times' };
}

my @faults = (
	[ 'counter locked', sub { hold($_[0], q{SELECT idgen_registry.set_counter_block('one', 20, 20)}) } ],
	[ 'lease row locked', sub { hold($_[0], "SELECT FROM idgen_registry.lease WHERE number = $_[2] FOR UPDATE") } ],
	[ 'standby lost', \&lose_standby ],
	[ 'VACUUM FULL', \&vacuum_for_ever ],
	[ 'table locked', sub { hold($_[0], 'LOCK TABLE idgen_registry.counter IN ACCESS EXCLUSIVE MODE') } ]);

my $connections = <<'SQL';
SELECT count(*), count(*) FILTER (WHERE wait_event_type = 'Lock' OR wait_event = 'SyncRep')
  FROM pg_stat_activity WHERE usename = 'node_role'
SQL

# Looks each second how many connections of nodes the registry has, and how many of them wait, until $is_over->().
sub watch_connections
{
	my ($owner, $most, $is_over) = @_;
	for (my $next = time; !$is_over->(); sleep max(0, ++$next - time))
	{
		my ($count, $waiting) = $owner->selectrow_array($connections);
		$most->{connections} = max($most->{connections}, $count);
		$most->{waiting} = max($most->{waiting}, $waiting);
	}
	return;
}

sub refusals
{
	my ($registry) = @_;
	return told($registry, qr/FATAL:  (?:sorry, too many clients|remaining connection slots)/);
}

sub measure_fault
{
	my ($name, $begin, $registry, $owner, $number, @draws) = @_;
	my %most = (connections => 0, waiting => 0);
	my $refused = refusals($registry);
	my $began = time;
	my $end_fault = $begin->($registry, $owner, $number);
	watch_connections($owner, \%most, sub { time >= $began + $seconds });
	my $more = $end_fault->();
	my $ended = time;
	# As long as a window and a lease are, and as much again.
	my $latest = $ended + 1200;
	my $all_went_on = sub { return !grep { !defined went_on($_, $ended) } @draws };
	watch_connections($owner, \%most, sub { time > $latest || $all_went_on->() });
	my $again = $all_went_on->() ? sprintf 'after %.1f s', max(map { went_on($_, $ended) } @draws) - $ended : 'never';
	my $line = sprintf '%s, %.0f s%s: %d connections, %d waiting, %d refused', $name, $ended - $began,
	  $more, @most{qw(connections waiting)}, refusals($registry) - $refused;
	for my $draw (@draws)
	{
		my $survey = survey($draw, $began, time);
		my $states = join ' ', map { "$_ x $survey->{states}{$_}" } sort keys %{ $survey->{states} };
		$line .= sprintf '; node %d %s: %d of %d failed%s, %.1f s without, slowest %.1f s', $draw->{node}, $draw->{kind},
		  @$survey{qw(failed tried)}, $states && " ($states)", @$survey{qw(gap slowest)};
	}
	note "$line; all again $again";
	return;
}

sub measure_faults
{
	my ($registry, $owner) = begin_registry();
	create_counter($owner, $_, 10) for qw(one other);
	my @nodes = map { start_leased("node_$_", address_of($registry), setting => plain_settings()) } 1, 2;
	expect_blame($_, 'registry') for @nodes;
	my @sessions = map { connect_to($_) } @nodes;
	for my $session (@sessions)
	{
		wait_for_id($session);
		value_of($session, $call{$_}) for qw(one other);
	}
	my @draws;
	for my $number (1, 2)
	{
		push @draws, { %{ begin_draws($nodes[ $number - 1 ], $_, 0.2) }, node => $number } for qw(id other one);
	}
	for my $fault (@faults)
	{
		sleep 5;
		measure_fault(@$fault, $registry, $owner, number_of($sessions[0]), @draws);
	}
	end_processes(@draws);
	for my $kind (qw(id other one))
	{
		my @all = map { draws_of($_, 0) } grep { $_->{kind} eq $kind } @draws;
		my @numbers = map { $_->[2] } grep { !is_failed($_) } @all;
		is(repeated({}, @numbers), 0, "of $kind none of " . @numbers . ' came twice');
	}
	$_->disconnect for $owner, @sessions;
	$_->stop('immediate') for @nodes, $registry;
	return;
}

# Draws in turn from counters, as fast as it gets numbers.
sub begin_turns
{
	my ($node, @names) = @_;
	return begin_process(
		$node,
		sub {
			my ($out, $goes_on) = @_;
			my $session = connect_to($node);
			$session->do(q{SET application_name = 'turns'});
			my $failed = 0;
			$failed += value_of($session, 'SELECT draw_in_turn(?, 16)', \@names) while $goes_on->();
			syswrite $out, $failed;
		});
}

my $draw_in_turn = <<'SQL';
CREATE FUNCTION draw_in_turn(names text[], n int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    failed int := 0;
BEGIN
    FOR i IN 0 .. n - 1 LOOP
        BEGIN
            PERFORM next_ticket(names[1 + i % cardinality(names)]);
        EXCEPTION WHEN object_not_in_prerequisite_state THEN
            failed := failed + 1;
        END;
    END LOOP;
    RETURN failed;
END
$$
SQL

# The longest time between two changes of the horizon of the only number, looked at each 20 ms for some seconds; the
# beginning and the end count as changes.
sub watch_horizon
{
	my ($owner, $length) = @_;
	my $question = $owner->prepare('SELECT max(horizon_ms) FROM idgen_registry.lease');
	my $end = time + $length;
	my ($last, $known, $longest, $changes) = (time, undef, 0, 0);
	while (time < $end)
	{
		my ($horizon) = $owner->selectrow_array($question);
		if (defined $known && $horizon != $known)
		{
			$longest = max($longest, time - $last);
			$last = time;
			$changes++;
		}
		$known = $horizon;
		sleep 0.02;
	}
	return (max($longest, time - $last), $changes);
}

# What a round trip takes through the proxy, ms: a median.
sub round_trip
{
	my ($registry, $port) = @_;
	my $session = DBI->connect("dbi:Pg:dbname=postgres;host=127.0.0.1;port=$port", 'node_role', '', { RaiseError => 1 });
	my @times = map { my $began = time; $session->do('SELECT 1'); 1000 * (time - $began) } 1 .. 9;
	$session->disconnect;
	return median(@times);
}

sub median { my @sorted = sort { $a <=> $b } @_; return $sorted[ $#sorted / 2 ] }

sub counted
{
	my ($session, $what) = @_;
	return value_of($session, "SELECT coalesce($what, 0) FROM idgen_lease.stat_counter");
}

# Until nothing more is fetched ahead.
sub wait_for_rest
{
	my ($session) = @_;
	my $is_at_rest = sub {
		my $before = counted($session, 'sum(fetches)');
		sleep 5;
		return counted($session, 'sum(fetches)') == $before;
	};
	return wait_for('the end of fetches', $is_at_rest, 300);
}

sub measure_fetch
{
	my ($owner, $node, $session, $ms, $count) = @_;
	wait_for_rest($session);
	my @turns;
	for my $first (1 .. min($count, 16))
	{
		push @turns, begin_turns($node, map { "c$_" } grep { $_ % 16 == $first % 16 } 1 .. $count);
	}
	my $are_drawn = sub { counted($session, 'count(*) FILTER (WHERE drawn > 0)') >= $count };
	wait_for("$count counters", $are_drawn, 120);
	# What was held at the beginning is used up.
	sleep 3;
	my $id = begin_draws($node, 'id', 0.05);
	my ($fetches, $drawn, $began) = (counted($session, 'sum(fetches)'), counted($session, 'sum(drawn)'), time);
	my ($longest, $changes) = watch_horizon($owner, 20);
	my $took = time - $began;
	($fetches, $drawn) = (counted($session, 'sum(fetches)') - $fetches, counted($session, 'sum(drawn)') - $drawn);
	my $survey = survey($id, $began, time);
	end_processes($id, @turns);
	my $failed = sum0(map { slurp_file($_->{file}) } @turns);
	my $line = sprintf '%.1f ms, %d counters, %d sessions: %.1f fetches a second, %.0f tickets, %d draws failed',
	  $ms, $count, scalar @turns, $fetches / $took, $drawn / $took, $failed;
	note sprintf 'round trip %s; number extended %d times, %.1f s apart at most; %d of %d IDs failed, %.1f s without',
	  $line, $changes, $longest, @$survey{qw(failed tried gap)};
	return;
}

# A clean stop of a node that holds numbers of many counters.
sub measure_stop
{
	my ($owner, $node, $session, $ms) = @_;
	my $held = $session->selectall_arrayref('SELECT name, held FROM idgen_lease.stat_counter WHERE held > 0');
	my %held = map { @$_ } @$held;
	$session->disconnect;
	my %before = counters_in($owner);
	local $ENV{PGCTLTIMEOUT} = 3600;
	my $began = time;
	$node->stop('fast');
	my $took = time - $began;
	my %after = counters_in($owner);
	my $given_back = grep { $after{$_} == $before{$_} - $held{$_} } keys %held;
	note sprintf 'round trip %.1f ms: a clean stop takes %.1f s; of %d counters with numbers held %d got all of them back',
	  $ms, $took, scalar keys %held, $given_back;
	is((grep { $after{$_} < $before{$_} - ($held{$_} // 0) } keys %after), 0, 'no counter goes back below what was drawn');
	return;
}

# The next number of each counter.
sub counters_in
{
	my ($owner) = @_;
	return map { @$_ } @{ $owner->selectall_arrayref('SELECT name, next FROM idgen_registry.counters()') };
}

sub measure_fetches
{
	my ($registry, $owner) = begin_registry();
	create_counter($owner, "c$_", 10) for 1 .. 128;
	my $proxy = IdgenProxy->start($registry->host . '/.s.PGSQL.' . $registry->port);
	my $address = "host=127.0.0.1 port=$proxy->{port} dbname=postgres user=node_role";
	my %window = ('idgen.lease_window' => '10s', 'idgen.lease_ttl' => '30s');
	my $setting = plain_settings(%window, 'idgen.max_counters' => 128);
	my $node = start_leased('node_far', $address, setting => $setting);
	expect_blame($node, 'registry');
	my $session = connect_to($node);
	$session->do($draw_in_turn);
	wait_for_id($session);
	for my $way (0, 0.015, 0.05)
	{
		$proxy->be_far($way);
		my $ms = round_trip($registry, $proxy->{port});
		measure_fetch($owner, $node, $session, $ms, $_) for 1, 16, 128;
	}
	$proxy->be_far(0.1);
	my $ms = round_trip($registry, $proxy->{port});
	value_of($session, q{SELECT draw_in_turn(array_agg('c' || n), 128) FROM generate_series(1, 128) AS n});
	wait_for_rest($session);
	measure_stop($owner, $node, $session, $ms);
	$owner->disconnect;
	$registry->stop('immediate');
	return;
}

# What pgbench says of that many seconds of a statement in 64 sessions.
sub rate
{
	my ($node, $sql, $length) = @_;
	my $file = $node->basedir . '/statement.sql';
	unlink $file;
	append_to_file($file, "$sql;\n");
	my @where = ('-h', $node->host, '-p', $node->port, 'postgres');
	my ($out, $err) = run_command([ qw(pgbench -n -M prepared -c 64 -j 2 -T), $length, '-f', $file, @where ]);
	my ($rate) = $out =~ /^tps = ([\d.]+)/m or die "pgbench: $out$err";
	note "pgbench says: $err" if $err =~ /error|abort/;
	return $rate;
}

sub rates_text
{
	my (%rate) = @_;
	return sprintf 'tickets %.0f a second, nextval CACHE 1 %.0f, CACHE 50 %.0f', @rate{qw(ticket cache_1 cache_50)};
}

sub measure_sessions
{
	my ($registry, $owner) = begin_registry();
	create_counter($owner, 'one', 100000);
	my %option = (setting => plain_settings(), conf => ['max_connections = 100']);
	my $node = start_leased('node_sessions', address_of($registry), %option);
	my $session = connect_to($node);
	$session->do("CREATE SEQUENCE cache_$_ CACHE $_") for 1, 50;
	my %sql = (ticket => $call{one}, map { ("cache_$_" => "SELECT nextval('cache_$_')") } 1, 50);
	rate($node, $sql{$_}, 2) for sort keys %sql;
	my (%rates, %ratios);
	for my $round (1 .. 5)
	{
		my %of = map { $_ => rate($node, $sql{$_}, 5) } $round % 2 ? sort keys %sql : reverse sort keys %sql;
		push @{ $rates{$_} }, $of{$_} for keys %of;
		push @{ $ratios{$_} }, $of{ticket} / $of{$_} for keys %of;
		note sprintf 'round %d: %s', $round, rates_text(%of);
	}
	note '64 sessions: ' . rates_text(map { $_ => median(@{ $rates{$_} }) } keys %rates);
	my @medians = map { median(@{ $ratios{$_} }) } qw(cache_1 cache_50);
	note sprintf 'tickets beside nextval CACHE 1: %.3f, CACHE 50: %.3f', @medians;
	my $stat = $session->selectrow_hashref('SELECT drawn, fetches, held FROM idgen_lease.stat_counter');
	note "drawn $stat->{drawn}, fetches $stat->{fetches}, held $stat->{held}";
	my ($given) = value_of($owner, 'SELECT next - 1 FROM idgen_registry.counters()');
	cmp_ok($stat->{drawn}, '<=', $given, 'no more tickets than the registry gave');
	$_->disconnect for $owner, $session;
	$_->stop('immediate') for $node, $registry;
	return;
}

$part{$_}->() for @parts;
done_testing();
