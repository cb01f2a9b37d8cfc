# tools/slower names a suite whose share of the time has doubled, whatever the speed of the machine.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Checkout;
use File::Temp qw(tempdir);
use Test::More;

my $tree = source_tree();
my $folder = tempdir(CLEANUP => 1);

# The lines of tools/test, from suites and their seconds.
sub lines { my (%seconds) = @_; return join '', map { "$_: 10 passed, 0 failed, $seconds{$_} s\n" } sort keys %seconds }

# What is said of these seconds after those.
sub said
{
	my ($before, $now) = @_;
	put("$folder/before", lines(%$before));
	put("$folder/now", "note: something\n" . lines(%$now) . "40 passed, 0 failed\n");
	my $said = `'$tree/tools/slower' '$folder/before' <'$folder/now'`;
	is($?, 0, 'it does not fail');
	return $said =~ s/\Q$folder\E\///gr;
}

my %before = (tap => 600, sim => 300, unit => 90, style => 10);
is(said(\%before, \%before), '', 'as before');
is(said(\%before, { map { $_ => 3 * $before{$_} } keys %before }), '', 'on a machine three times as slow');
is(said(\%before, { %before, unit => 240 }), "note: unit took 240 s, 21 % of the time, and 9 % when before was written\n", 'a suite that is twice as slow');
is(said(\%before, { %before, style => 30 }), '', 'one that takes no time to speak of');
is(said(\%before, { unit => 240, other => 1000 }), '', 'suites that only one of them has do not count');

done_testing();
