# What was demanded of the figures, and whether the medians meet it.
package IdgenBench::Claims;

use strict;
use warnings;
use utf8;

use Exporter qw(import);
use IdgenBench::Text qw(number spread_text);

our @EXPORT_OK = qw(claim_row);

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
