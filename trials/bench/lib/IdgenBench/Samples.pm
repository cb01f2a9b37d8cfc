# What was measured round by round, and how it spreads, as text.
package IdgenBench::Samples;

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT_OK = qw(in_rounds number);

# Measures each case in each round, every other round backward. `measure` gives figures by name for a case; they are kept as
# "CASE FIGURE", CASE being the case's name.
sub in_rounds
{
	my ($rounds, $measure, @cases) = @_;
	my %values_of;
	for my $round (1 .. $rounds)
	{
		for my $case ($round % 2 ? @cases : reverse @cases)
		{
			my %figure = $measure->($case, $round);
			push @{ $values_of{"$case->{name} $_"} }, $figure{$_} for keys %figure;
		}
		print STDERR '.';
	}
	return bless \%values_of, __PACKAGE__;
}

# Lower quartile, median and upper quartile of a figure, or of its ratio to another one in the same round.
sub spread
{
	my ($self, $name, $to) = @_;
	my @of = @{ $self->{$name} // die "no figure $name\n" };
	my @sorted = sort { $a <=> $b } $to ? map { $of[$_] / $self->{$to}[$_] } 0 .. $#of : @of;
	return map { _quantile(\@sorted, $_) } 0.25, 0.5, 0.75;
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

# The median; the same with the quartiles, "median [lower to upper]".
sub median { my ($self, @of) = @_; return number(($self->spread(@of))[1]) }

sub text
{
	my ($self, @of) = @_;
	return sprintf '%2$s [%1$s to %3$s]', map { number($_) } $self->spread(@of);
}

# Three digits that count, or more before the point, in groups of three.
sub number
{
	my ($value) = @_;
	my $size = abs $value;
	my $places = $size >= 100 ? 0 : $size >= 10 ? 1 : $size >= 0.995 || $size == 0 ? 2 : 3;
	my $text = sprintf '%.*f', $places, $value;
	1 while $text =~ s/^(-?\d+)(\d{3})\b/$1,$2/;
	return $text;
}

1;
