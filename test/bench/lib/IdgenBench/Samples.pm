# Values measured round by round, each under a name, and how they spread.
package IdgenBench::Samples;

use strict;
use warnings;

use IdgenBench::Text qw(spread_text);

sub new
{
	my ($class) = @_;
	return bless {}, $class;
}

sub add
{
	my ($self, $name, $value) = @_;
	push @{ $self->{$name} }, $value;
	return;
}

# Median, quartiles and extremes of all rounds.
sub spread
{
	my ($self, $name) = @_;
	my @sorted = sort { $a <=> $b } @{ $self->{$name} };
	my %at = (min => 0, low => 0.25, median => 0.5, high => 0.75, max => 1);
	return { map { $_ => _quantile(\@sorted, $at{$_}) } keys %at };
}

# The same as text.
sub text
{
	my ($self, $name) = @_;
	return spread_text($self->spread($name));
}

# Interpolates between the two values on either side.
sub _quantile
{
	my ($sorted, $share) = @_;
	my $place = $share * $#$sorted;
	my $below = int $place;
	my $above = $below < $#$sorted ? $below + 1 : $below;
	return $sorted->[$below] + ($place - $below) * ($sorted->[$above] - $sorted->[$below]);
}

1;
