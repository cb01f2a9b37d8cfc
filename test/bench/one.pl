# Runs one measurement by hand on the server that PGHOST names, round by round: ROUNDS=9 perl -Ilib one.pl SqlOnly
use strict;
use warnings;
use open qw(:std :encoding(UTF-8));

use IdgenBench::Samples qw(claim_row);

my ($name) = @ARGV;
my $class = 'IdgenBench::' . ($name // die "usage: ROUNDS=9 perl -Ilib one.pl NAME\n");
eval "require $class" or die $@;
my $measurement = $class->new;
$measurement->warm_up;
$measurement->round($_) for 1 .. $ENV{ROUNDS} || 9;
my $section = $measurement->section;
printf "%-45s" . ' %30s' x (@$_ - 1) . "\n", @$_ for $section->{header}, @{ $section->{rows} };
printf "%-70s %10s  %-28s %s\n", claim_row($_) for @{ $section->{claims} };
