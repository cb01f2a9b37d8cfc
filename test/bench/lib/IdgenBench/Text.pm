# Numbers as people read them.
package IdgenBench::Text;

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT_OK = qw(number spread_text);

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

1;
