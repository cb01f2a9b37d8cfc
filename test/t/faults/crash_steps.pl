# The server is killed before a call that the module makes of it, while it renews the horizon, creates the extension,
# moves the horizon by hand: no ID is made twice. With the server goes what lies in the disk's cache: nothing of it, all
# of it, or some sectors. INJECTION=all (tools/injection) tries every call; without it, every call of a renewal and
# every twelfth of the rest.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenDisk;
use IdgenInjection;
use IdgenNode;
use Test::More;

my $stride = ($ENV{INJECTION} // '') eq 'all' ? 1 : 12;
srand($ENV{SEED} // 1);

my $node = start_injected('steps', conf => ['fsync = on']);
$node->stop;
%ENV = (%ENV, cached($node));
start_again($node);

# What the disk loses, in turn. Once an operation is over, all that was not flushed.
my ($crashes, $lost) = (0, 0);
sub lose { my ($node, $is_over) = @_; return $lost += $is_over || $crashes++ % 3 ? lose_writes($node, !$is_over && $crashes % 3) : 0 }

my %made;
my %operation = operations();
for my $name (sort keys %operation)
{
	my ($number, $killed, $repeats) = (1, 0, 0);
	for (my $is_over = 0; !$is_over; $number += $name eq 'renewal' ? 1 : $stride)
	{
		(my $again, $is_over) = crash_at($node, \%made, $operation{$name}, $number, \&lose);
		$repeats += $again;
		$killed++;
	}
	cmp_ok($killed, '>', 1, "$name: killed $killed times");
	is($repeats, 0, "$name: none twice");
}
my %count;
$count{$_}++ for injected($node);
note join ', ', "$lost sectors lost", map { "$_ $count{$_}" } sort keys %count;
cmp_ok($lost, '>', 0, 'sectors were lost');
ok($count{$_}, "killed before $_") for qw(GenericXLogFinish XLogFlush LWLockRelease UnlockReleaseBuffer);
$node->stop('immediate');
done_testing();
