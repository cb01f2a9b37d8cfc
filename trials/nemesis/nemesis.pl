# Faults at random on servers, while clients draw IDs, store rows, read them by ID and take tickets; then trials/nemesis/check reads what the clients wrote down. MODE says
# which servers: see NemesisWorld.pm. MINUTES (1) says for how long, SEED which faults, ONLY which of them (a list of names). HISTORIES is a folder that keeps what the
# clients wrote. MAKER_SQL and MAKER stand for another maker than idgen: what makes it, and the expression. With WRITES=1 every
# transaction of the clients writes. MUTANT says that the module lacks a guard: the run must find an ID twice, and ends when it does. The totals go to the file
# NEMESIS_TOTALS.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../test/t/lib", "$FindBin::Bin/../../registry/t/lib";
use File::Path qw(make_path remove_tree);
use List::Util qw(sum0);
use NemesisFaults;
use NemesisReport;
use NemesisWorld;
use POSIX qw(_exit WNOHANG);
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

# Says why nothing is run.
sub refuse { diag(@_); exit 2 }

my $mode = $ENV{MODE} || 'single';
my $minutes = $ENV{MINUTES} || 1;
my $seed = $ENV{SEED} || 1 + int rand 1e9;
my $maker = $ENV{MAKER} ? { sql => $ENV{MAKER_SQL}, expression => $ENV{MAKER} } : undef;
# What makes IDs come twice in a control.
my $control = { control => 'failover_unfenced', 'control-machine' => 'machine_untold' }->{$mode};
# Whether they must come twice.
my $is_control = $control || $ENV{MUTANT};
my $faults = faults_of($mode, !$maker) // refuse("no such mode: $mode");
my %only = map { $_ => 1 } split /[\s,]+/, $ENV{ONLY} // '';
my @unknown = grep { !$faults->{$_} } keys %only;
refuse("no such fault in $mode: @unknown; there are ", join ' ', sort keys %$faults) if @unknown;
my @names = grep { !%only || $only{$_} } sort keys %$faults;
my $histories = $ENV{HISTORIES} ? "$ENV{HISTORIES}/$mode.$seed" : PostgreSQL::Test::Utils::tempdir('histories');
diag("MODE=$mode SEED=$seed MINUTES=$minutes, histories in $histories");

# At most that many brief faults at once, and none for longer, in seconds.
my ($most_at_once, $longest) = (3, 20);
my (%count_of, %running);

# Counts the brief faults that have ended, and ends those that hang; a clock that such a fault moved is set right here.
sub reap
{
	for my $pid (keys %running)
	{
		kill 'KILL', $pid if time - $running{$pid}{began} > $longest;
		waitpid($pid, WNOHANG) == $pid or next;
		my $fault = delete $running{$pid};
		$fault->{server}->move_clock(0) if $fault->{clock} && $? != 0;
		$count_of{ $fault->{name} }++ if $? == 0;
		fail("$fault->{name} found what may not be") if $? >> 8 == 2;
	}
	return;
}

# Whether a fault may begin now: one of the registry not beside another of it, nor a restore or a backup beside a
# backup, nor what puts a registry back beside an owner who goes by what its counters say; one that relies on right
# clocks not after a clock was far ahead, and the other way round; one that makes an extension again beside no clock
# that is set at all, because after a crash its first ID rests on the clock.
sub may_begin
{
	my ($world, $name, $fault) = @_;
	return 0 if $name =~ /^registry/ && grep { $_->{name} =~ /^registry/ } values %running;
	return 0 if $fault->{not_beside} && grep { $_->{name} =~ $fault->{not_beside} } values %running;
	return 0 if $fault->{brief} && keys %running >= $most_at_once;
	return 0 if $fault->{right} && !$world->has_right_clocks;
	return 0 if $fault->{right} && grep { ($_->{clock} // 0) > ($fault->{exact} ? 0 : 0.4) } values %running;
	return 0 if $fault->{clock} && $world->{is_exact};
	return !(($fault->{clock} // 0) > 0.4 && $world->{is_owed} && !$world->needs_no_clock);
}

sub strike
{
	my ($world, $name) = @_;
	my $fault = $faults->{$name};
	while ($fault->{awaits} && grep { $_->{name} =~ $fault->{awaits} } values %running) { reap(); sleep 0.05 }
	return unless may_begin($world, $name, $fault);
	$world->{wild_until} = time + 3 + ($fault->{clock} > 100 ? 0 : $fault->{clock}) if ($fault->{clock} // 0) > 0.4;
	$world->{is_owed} = 1 if $fault->{right};
	$world->{is_exact} ||= $fault->{exact};
	note(sprintf '%6.1f s: %s on %s', time - $^T, $name, $world->{primary}{name});
	unless ($fault->{brief})
	{
		my $has_struck = eval { $fault->{strike}->($world) };
		fail("$name: $@") if $@;
		die $@ if $@ && $@ !~ /^wrong: /;
		$count_of{$name}++ if $has_struck;
		return;
	}
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		$SIG{$_} = 'DEFAULT' for qw(INT TERM __DIE__);
		srand $$;
		my $has_struck = eval { $fault->{strike}->($world) };
		_exit(0) if $has_struck;
		_exit(1) if $@ !~ /^wrong: /;
		diag("$name: $@");
		_exit(2);
	}
	$running{$pid} = { name => $name, began => time, clock => $fault->{clock}, server => $world->{primary} };
	return;
}

# Whether what the clients wrote so far shows an ID twice; looked for every few seconds.
my $next_check = 0;

sub has_found
{
	return 0 if time < $next_check;
	local $?;
	my $began = time;
	my $said = qx("$FindBin::Bin/check" "$histories");
	$next_check = time + 3 + 3 * (time - $began);
	return $said =~ / twice=[1-9]/;
}

# Whether the time is up and the clients have received IDs, and rows on a standby; in a control also, whether an old primary or a copy ran beside the primary and is ended. Two minutes late it is
# over anyway.
sub is_over
{
	my ($world, $end) = @_;
	return 1 if $ENV{MUTANT} && has_found();
	return 0 if time < $end;
	return 1 if time > $end + 120;
	return 0 if $control && (!$count_of{$control} || $world->of_role('old') || $world->of_role('copy'));
	my @awaited = ('ids', $world->has_standbys && !$maker ? 'standby( [0-9+]+){4}' : ());
	return !grep { system("grep -qE '^$_' '$histories'/*.history") != 0 } @awaited;
}

make_path($histories);
my $world = NemesisWorld->begin(mode => $mode, maker => $maker, writes => $ENV{WRITES}, histories => $histories);
my @brief = grep { $faults->{$_}{brief} } @names;
my @long = map { ($_) x ($faults->{$_}{weight} // 1) } grep { !$faults->{$_}{brief} } @names;
srand $seed;
my $began = time;
my $end = $began + 60 * $minutes;
until (is_over($world, $end))
{
	reap();
	$world->mend;
	$world->reset_settings unless %running;
	my $names = !@brief || @long && rand() < (@brief < 5 ? 0.5 : 0.2) ? \@long : \@brief;
	# The control is not left to chance.
	my $is_due = $control && (time > $end || rand() < 0.1);
	strike($world, $is_due ? $control : $names->[ rand @$names ]) if time < $end || $is_due && !$count_of{$control};
	sleep 0.3 * rand;
}
my $seconds = time - $began;
while (%running) { reap(); sleep 0.05 }
$world->settle;
ok($world->makes_ids, 'the primary makes IDs in the end');
ok($world->gives_tickets, 'the primary gives numbers of each counter in the end') if $world->has_counters;
ok($world->end, 'the primary and each standby show all rows below the bound in the end');

my $checked = report($histories, mode => $mode, seed => $seed, seconds => $seconds, count_of => \%count_of);
if ($is_control) { cmp_ok($checked->{twice}, '>', 0, 'without a guard IDs come twice, and that is seen') }
else { is($checked->{$_}, 0, "none $_") for qw(twice lost disordered reread skipped) }
cmp_ok($checked->{ids}, '>', 0, 'the run makes IDs');
cmp_ok($checked->{standby}, '>', 0, 'rows are read on standbys') if $world->has_standbys && !$maker;
remove_tree($histories) unless $ENV{HISTORIES};
done_testing();
