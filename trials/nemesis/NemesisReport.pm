# What a run of the nemesis says in the end: what the checker found, the faults, the digests of the histories, and the line of totals. It goes to the file NEMESIS_TOTALS.
package NemesisReport;

use strict;
use warnings;

use Digest::SHA;
use Exporter qw(import);
use FindBin;
use List::Util qw(sum0);
use Test::More;

our @EXPORT = qw(report);

# Has a folder of histories checked; gives the totals. Options: mode, seed, seconds, count_of (faults by name).
sub report
{
	my ($histories, %run) = @_;
	my $count_of = $run{count_of};
	my @said = split /\n/, qx("$FindBin::Bin/check" "$histories");
	my %totals = (pop(@said) // '') =~ /(\w+)=(\d+)/g;
	die "the checker says nothing of $histories" unless defined $totals{standby};
	my @digests = map { 'history ' . s{.*/}{}r . ' ' . Digest::SHA->new(256)->addfile($_)->hexdigest } sort glob "$histories/*.history";
	my @lines = (
		@said, (map { "fault $_ $count_of->{$_}" } sort keys %$count_of),
		@digests, 'histories ' . Digest::SHA::sha256_hex(join '', map { "$_\n" } @digests),
		sprintf 'totals mode=%s seed=%d faults=%d kinds=%d %s seconds=%d', @run{qw(mode seed)}, sum0(values %$count_of), scalar keys %$count_of,
		join(' ', map { "$_=$totals{$_}" } qw(ids tickets twice lost disordered reread skipped read standby)), $run{seconds});
	diag($_) for @said, $lines[-1];
	open my $file, '>', $ENV{NEMESIS_TOTALS} // '/dev/null' or die "$ENV{NEMESIS_TOTALS}: $!";
	print $file map { "$_\n" } @lines;
	close $file;
	return \%totals;
}

1;
