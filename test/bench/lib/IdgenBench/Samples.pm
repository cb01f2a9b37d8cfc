# Values measured round by round, each under a name, and how they spread; the same as text, and whether they are what was demanded.
package IdgenBench::Samples;

use strict;
use warnings;
use utf8;

use Exporter qw(import);

our @EXPORT_OK = qw(claim_row number spread_text);

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

# Three digits that count, or more before the point, in groups of three.
sub number
{
	my ($value) = @_;
	my $size = abs $value;
	my $places = $size >= 100 ? 0 : $size >= 10 ? 1 : $size >= 1 ? 2 : 3;
	my $text = sprintf '%.*f', $places, $value;
	1 while $text =~ s/^(-?\d+)(\d{3})\b/$1,$2/;
	return $text;
}

# "median [quartile to quartile]"
sub spread_text
{
	my ($spread) = @_;
	return sprintf '%s [%s to %s]', map { number($spread->{$_}) } qw(median low high);
}

# A claim has most or least, the limit; is_strict if the limit itself does not meet it; in_short if the page's first table has it.
sub _verdict
{
	my ($claim) = @_;
	my $median = $claim->{spread}{median};
	my $is_met = defined $claim->{least} ? $median >= $claim->{least} : $median <= $claim->{most};
	$is_met = 0 if $claim->{is_strict} && $median == $claim->{most};
	return $is_met ? 'met' : 'missed';
}

# What, demanded, measured, verdict.
sub claim_row
{
	my ($claim) = @_;
	my $sign = defined $claim->{least} ? '≥' : $claim->{is_strict} ? '<' : '≤';
	my $limit = number($claim->{least} // $claim->{most}) =~ s/(\.\d*?)0+$/$1/r =~ s/\.$//r;
	return ($claim->{what}, "$sign $limit", spread_text($claim->{spread}), _verdict($claim));
}

1;
