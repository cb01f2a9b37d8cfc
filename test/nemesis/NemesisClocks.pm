# Faults of the clock: steps, rates, and what a boot of the machine brings.
package NemesisClocks;

use strict;
use warnings;

use Exporter qw(import);
use Time::HiRes qw(sleep time);

our @EXPORT = qw(clock_faults);

# How far the clock steps, in seconds. Those up to 0.4 are right within idgen.clock_error.
my %steps = (
	clock_back_0_02 => -0.02, clock_back_0_4 => -0.4, clock_back_1 => -1, clock_back_5 => -5, clock_back_hour => -3600, clock_back_year => -31_536_000,
	clock_ahead_0_02 => 0.02, clock_ahead_0_4 => 0.4, clock_ahead_1 => 1, clock_ahead_3 => 3, clock_ahead_hour => 3600, clock_ahead_year => 31_536_000);

# A clock that is slow, stands still or is fast, by millionths.
my %rates = (clock_slow => -200_000, clock_still => -1_000_000, clock_fast => 200_000, clock_double => 1_000_000);

sub clock_faults
{
	return (
		(map { my $ahead = $steps{$_}; $_ => { modes => 'sayrc', brief => 1, clock => abs $ahead, strike => _moved($ahead, 0) } } keys %steps),
		(map { my $faster = $rates{$_}; $_ => { modes => 'sayrc', brief => 1, clock => 1, strike => _moved(0, $faster) } } keys %rates),
		clock_jumps       => { modes => 'sayrc', brief => 1, clock => 1, strike => \&_jumps },
		start_behind      => { modes => 'sayrc', clock => 5, strike => _started(-5, 0) },
		start_ahead       => { modes => 'sayrc', clock => 2, strike => _started(2, 0) },
		boot              => { modes => 'sayrc', strike => _started(0, 1) },
		boot_behind       => { modes => 'sayrc', clock => 5, strike => _started(-5, 1) });
}

# The clock is wrong for a moment, and then right again.
sub _moved
{
	my ($ahead, $faster) = @_;
	return sub {
		my ($world) = @_;
		my $server = $world->{primary};
		$server->move_clock($ahead, $faster);
		sleep 0.2 + 0.8 * rand;
		$server->move_clock(0);
		return 1;
	};
}

# It steps to and fro.
sub _jumps
{
	my ($world) = @_;
	my $server = $world->{primary};
	for (1 .. 40) { $server->move_clock(rand() - 0.5); sleep 0.02 }
	$server->move_clock(0);
	return 1;
}

# The server crashes, and starts with a wrong clock, which is soon set right; on another boot, or on the same.
sub _started
{
	my ($ahead, $is_other_boot) = @_;
	return sub {
		my ($world) = @_;
		my $server = $world->{primary};
		$server->kill_all;
		$server->change_boot if $is_other_boot;
		$server->move_clock($ahead);
		$server->start;
		sleep 0.7;
		$server->move_clock(0);
		return 1;
	};
}

1;
