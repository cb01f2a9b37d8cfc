# Faults at random on three servers that Patroni keeps, while clients of each draw IDs: none twice, those of a session rise, readers by ID miss
# nothing, no number of a counter comes twice, and each server makes IDs in the end. MINUTES (3) says for how long, SEED which faults, STORE (postgresql, etcd or none) where the numbers come from; with none all
# servers have the same shard, and SYNCHRONOUS=1 is what protects them. With a store, one client in three draws with a number given by hand, the
# same on all servers and on a rival, a server beside the cluster; and the registry is restored, made again, limited and read by a thief, and struck
# by its owner as in NemesisOwner.pm. The totals go to the file NEMESIS_TOTALS.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../test/t/lib", "$FindBin::Bin/../../registry/t/lib";
use File::Path qw(make_path);
use IdgenClients;
use IdgenFaults;
use IdgenPatroni;
use IdgenRecovery;
use List::Util qw(first);
use NemesisClients qw(ranges);
use NemesisOwner;
use NemesisReport;
use POSIX qw(_exit);
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time sleep);

my $minutes = $ENV{MINUTES} || 3;
my $seed = $ENV{SEED} || 1 + int rand 1e9;
my $store = $ENV{STORE} || 'postgresql';
my $is_synchronous = $ENV{SYNCHRONOUS} || 0;
diag("SEED=$seed STORE=$store SYNCHRONOUS=$is_synchronous MINUTES=$minutes");

# What each fault strikes, and for how many seconds. The primary is also seven in ten of any.
my %strikes = (
	cut_off           => [ 'primary', 3, 6 ],
	freeze            => [ 'primary', 3, 6 ],
	keeper_away       => [ 'primary', 1, 20 ],
	kill_server       => [ 'any',     1, 3 ],
	kill_session      => [ 'primary', 1, 3 ],
	step_clock        => [ 'any',     1, 6 ],
	switchover        => [ 'standby', 1, 3 ],
	restart           => [ 'primary', 1, 3 ],
	failover          => [ 'standby', 1, 3 ],
	slow_standby      => [ 'standby', 1, 8 ],
	registry_away     => [ 'any',     1, 12 ],
	registry_killed   => [ 'any',     1, 12 ],
	registry_saved    => [ 'any',     0, 1 ],
	registry_put_back => [ 'any',     1, 4 ],
	registry_restored => [ 'any',     1, 4 ],
	registry_new      => [ 'any',     1, 4 ],
	registry_limited  => [ 'any',     0, 1 ],
	registry_leaked   => [ 'any',     0, 1 ],
	rival_restarted   => [ 'any',     0, 1 ],
	rival_killed      => [ 'any',     0, 1 ]);
my $has_store = $store ne 'none';

# Those by the owner of the registry, each in a process of its own, last as long as they last.
my %owners = owner_faults();
delete @owners{ grep { !$owners{$_}{brief} || ($owners{$_}{store} // $store) ne $store } keys %owners };
$strikes{$_} = [ 'any', 0, 1 ] for keys %owners;
my @names = grep { $has_store || !/^(?:registry|keeper|rival|counter|lease)/ } grep { $store eq 'postgresql' || $_ ne 'registry_leaked' } sort keys %strikes;

my ($recovery, $clients, $events);
my $cluster = IdgenPatroni->begin(
	fake_clock    => 1,
	ttl           => 6,
	store         => $has_store ? $store : undef,
	with_registry => sub { my ($registry) = @_; $recovery = IdgenRecovery->of($registry) });
$cluster->{recovery} = $recovery;
if ($is_synchronous)
{
	$cluster->configure(synchronous_mode => JSON::PP::true, parameters => { 'idgen.synchronous' => 'required' });
	$cluster->wait_for('a synchronous standby', sub { $cluster->synchronous_standby });
}

sub between { my ($low, $high) = @_; return $low + rand($high - $low) }

# The node that a fault strikes. A synchronous cluster is asked only for its synchronous standby.
sub target
{
	my ($kind, $primary) = @_;
	my @standbys = grep { $_ != $primary } $cluster->nodes;
	my ($is_primary, $standby) = ($kind eq 'primary' || rand() < 0.7 && $kind eq 'any', $standbys[ rand @standbys ]);
	return $primary if $is_primary;
	return $standby unless $is_synchronous && $kind eq 'standby';
	my $name = $cluster->synchronous_standby // '';
	return (first { $_->{name} eq $name } @standbys) // $standby;
}

sub begin_owner
{
	my ($name, $node) = @_;
	my $pid = fork // die "fork: $!";
	return { name => $name, node => $node, pid => $pid } if $pid;
	$cluster->let_go;
	$SIG{$_} = 'DEFAULT' for qw(INT TERM __DIE__);
	srand $$;
	my $has_struck = eval { $owners{$name}{strike}->($cluster) };
	diag("$name: $@") if $@;
	_exit($@ =~ /^wrong: / ? 2 : $has_struck ? 0 : 1);
}

# Ends a fault; whether it struck.
sub end_any
{
	my ($fault) = @_;
	if (!$fault->{pid}) { end_fault($fault); return 1 }
	waitpid $fault->{pid}, 0;
	fail("$fault->{name} found what may not be") if $? >> 8 == 2;
	return $? == 0;
}

# Begins a fault picked at random, beside another perhaps: not of the same node, whose end would end both; nor a second one of the registry.
sub begin_any
{
	my ($primary, $other) = @_;
	my $name = $names[ rand @names ];
	my ($kind, @span) = @{ $strikes{$name} };
	my $node = target($kind, $primary);
	my ($offset, $seconds) = ((-1, 1)[ rand 2 ] * (0.2, 2, 10)[ rand 3 ], between(@span));
	return if $other && ($other->{node} == $node || 2 == grep { /^(?:registry|counter|lease)/ } $other->{name}, $name);
	diag(sprintf '%5.1f s: %s of %s%s', time - $^T, $name, $node->{name}, $name eq 'step_clock' ? " by $offset s" : '');
	my $fault = $owners{$name} ? begin_owner($name, $node) : begin_fault($cluster, $name, $node, $offset);
	$fault->{until} = time + $seconds;
	return $fault;
}

# Makes a standby again that has not followed for half a minute: what an operator does with one that cannot be rewound.
my %lame_since;
sub mend
{
	confirm() if $recovery;
	for my $node ($cluster->nodes)
	{
		my $is_well = $cluster->value($node, q{SELECT NOT pg_is_in_recovery() OR EXISTS (SELECT FROM pg_stat_wal_receiver WHERE status = 'streaming')});
		delete $lame_since{ $node->{name} } if $is_well;
		next if $is_well || time - ($lame_since{ $node->{name} } //= time) < 30;
		diag(sprintf '%5.1f s: %s made anew', time - $^T, $node->{name});
		IdgenPatroni::ask($node->{rest}, 'POST', '/reinitialize', { force => JSON::PP::true });
		delete $lame_since{ $node->{name} };
	}
	return;
}

# A registry that was made again has been advanced; each primary that knows another one gets it confirmed as the one
# from now on.
sub confirm
{
	for my $node ($cluster->nodes, @{ $cluster->{rivals} })
	{
		my $is_told = $cluster->value($node,
			q{SELECT count(idgen_lease.confirm_registry()) FROM idgen.status() WHERE key = 'registry' AND value ~ 'another registry' AND NOT pg_is_in_recovery()});
		diag(sprintf '%5.1f s: the registry is confirmed on %s', time - $^T, $node->{name}) if $is_told;
	}
	return;
}

# One fault, or two at once, those that struck, until each has lasted long enough; a server that is cut off stays so until another is the
# primary.
sub strike
{
	my $primary = $cluster->wait_for('a primary', sub { $cluster->primary });
	mend();
	my (@struck, @faults);
	push @faults, begin_any($primary);
	push @faults, begin_any($primary, @faults) if rand() < 0.3;
	for my $fault (sort { $a->{until} <=> $b->{until} } @faults)
	{
		IdgenPair::poll(sub { my $now = $cluster->leader; $now && $now != $primary }, 30) if $fault->{name} =~ /^(?:cut_off|freeze)$/;
		my $left = $fault->{until} - time;
		sleep $left if $left > 0;
		push @struck, $fault->{name} if end_any($fault);
	}
	sleep between(0, 4);
	return @struck;
}

# Each server makes IDs as the primary, of each kind. A synchronous cluster has only one standby at a time that it can switch over to, so there it is
# the primary alone.
sub visit_all
{
	my (@kinds) = @_;
	for my $node ($is_synchronous ? $cluster->primary : $cluster->nodes)
	{
		my $began = time;
		$cluster->wait_for(
			"$node->{name} is the primary",
			sub {
				mend();
				my $primary = $cluster->whole // return 0;
				begin_fault($cluster, 'switchover', $node) if $primary != $node;
				return $primary == $node;
			});
		for my $number (0 .. $#kinds)
		{
			$cluster->wait_for("IDs of $node->{name}, kind $number", sub { mend(); received($kinds[$number], $node->{name}) });
		}
		note(sprintf '%s makes IDs after %.1f s', $node->{name}, time - $began);
	}
	return;
}

# Writes down what the clients received as trials/nemesis/check reads it, but without what was read on the rival, whose rows are others, and on lines that
# did not lead to the primary. Gives the folder.
sub write_histories
{
	my $folder = $cluster->{histories};
	my $lines = lines_of($events);
	for my $file (map { @$_ } values %{ $clients->{files} })
	{
		open my $history, '>', "$folder/" . $file =~ s{.*/}{}r . '.history' or die "$folder: $!";
		each_attempt($file, sub { my ($instant, $count, @ids) = @_; print $history $ids[0] eq '+' ? "session\n" : join(' ', 'ids', ranges(@ids)) . "\n" if $ids[0] !~ /^!/ });
		each_ticket($file, sub { print $history join(' ', 'tickets', ranges(@_)), "\n" if $_[0] !~ /^!/ });
		my %from;
		each_read(
			$file,
			sub {
				my ($what, $line, $upto, @ids) = @_;
				return unless $lines->{$line};
				print $history join(' ', $what, $line, $from{$line} // 0, $upto, @ids ? ranges(@ids) : ()), "\n";
				$from{$line} = $upto;
			}) unless $file =~ /rival/;
	}
	my %of;
	push @{ $of{ $events->{$_} } }, $_ for sort { $a <=> $b } keys %$events;
	open my $rows, '>', "$folder/rows.history" or die "$folder: $!";
	print $rows join(' ', 'rows', $_, ranges(@{ $of{$_} })), "\n" for keys %of;
	close $rows;
	return $folder;
}

$cluster->{histories} = $ENV{HISTORIES} ? "$ENV{HISTORIES}/patroni.$seed" : "$cluster->{folder}/histories";
make_path($cluster->{histories});
my $rival;
if ($recovery)
{
	$recovery->save;
	$rival = $cluster->begin_rival;
}
begin_events($cluster);
begin_tickets($cluster) if $recovery;
my @clients = begin_clients($cluster, 2);
push @clients, begin_clients($cluster, 1, 2000) if $recovery;
# The ports were chosen at random, too.
srand $seed;
my (%count_of, $events_of_rival);
my $end = time + 60 * $minutes;
while (time < $end)
{
	$count_of{$_}++ for strike();
}
settle_registry($cluster) if $recovery;
$cluster->wait_for('the cluster is whole again', sub { mend(); $cluster->whole });
if ($rival)
{
	my $before = received($clients[0], 'rival');
	$cluster->wait_for('IDs of the rival', sub { sleep 1; received($clients[0], 'rival') > $before });
	my $session = IdgenPatroni::session($rival);
	$events_of_rival = events_of($session);
	$rival->{server}->stop('fast');
}
my @late = map { begin_clients($cluster, 1, $_) } undef, $recovery ? 2000 : ();
visit_all(@late);
$clients = together(@clients, @late);
end_clients($clients);
my $session = IdgenPatroni::session($cluster->wait_for('a primary', sub { $cluster->primary }));
$events = events_of($session);
my $missed = missed_of($clients, $events, map { $_->{name} } $cluster->nodes);
my $missed_of_rival = $rival ? missed_of($clients, $events_of_rival, 'rival') : { map { $_ => 0 } qw(lost twice seen) };
$missed->{$_} += $missed_of_rival->{$_} for keys %$missed;

my $survey = survey($clients);
@$survey{qw(gap gap_began)} = @{ survey($clients, map { $_->{name} } $cluster->nodes) }{qw(gap gap_began)};
is($survey->{duplicates}, 0, 'no ID twice');
is($survey->{disordered}, 0, 'the IDs of a session rise');
is($missed->{lost}, 0, 'no reader loses an event');
is($missed->{twice}, 0, 'no reader sees an event twice');
cmp_ok($missed->{seen}, '>', keys %$events, 'readers read events');
if ($recovery)
{
	is($recovery->{granted}, 0, 'nothing is granted to a thief');
	my $tickets = tickets_of($clients);
	is($tickets->{twice}, 0, 'no number of a counter twice');
	cmp_ok($tickets->{taken}, '>', 1000, 'numbers of counters are taken');
	diag("tickets: $tickets->{taken} taken; refused: " . join ', ', map { "$_ $tickets->{refused}{$_}" } sort keys %{ $tickets->{refused} });
	my @logs = map { slurp_file($_) } glob("$cluster->{folder}/patroni.?.log"), $rival->{server}->logfile;
	is(scalar(() = "@logs" =~ /an older state, is new or damaged, and was not advanced/g), 0, 'no server finds that the registry was not advanced');
	my $by_hand = survey(together($clients[1], $late[1]));
	diag(sprintf 'by hand: %d IDs received of %d attempted, the longest time without one %.1f s', @$by_hand{qw(received attempted gap)});
}

diag(sprintf 'the longest time without an ID: %.1f s, from %.1f s on', $survey->{gap}, $survey->{gap_began} - $^T);
diag('refused: ' . join ', ', map { "$_ $survey->{refused}{$_}" } sort keys %{ $survey->{refused} });
my $checked = report(write_histories(), mode => join('-', 'patroni', $store, $is_synchronous ? 'synchronous' : ()), seed => $seed, seconds => $minutes * 60, count_of => \%count_of);
is($checked->{$_}, 0, "the checker: none $_") for qw(twice lost disordered reread skipped);

cmp_ok($checked->{standby}, '>', 0, 'rows are read on standbys');

$cluster->end;
done_testing();
