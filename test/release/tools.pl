# What tools/test reads of its lanes: each line whole, however slowly it comes.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Checkout;
use Test::More;

my ($read) = text_of(source_tree() . '/tools/test') =~ /^(read_patiently\(\) \{.*?^\}\n)/ms or die 'no function';

# What it makes of a line that comes in parts, as long after each other as it waits for several times.
sub read_of
{
	my (@parts) = @_;
	my $writes = join '; sleep 0.5; ', map { "printf '$_'" } @parts;
	open my $bash, '-|', 'bash', '-c', "$read\n exec 3< <($writes); read_patiently 0.1 true; echo \"\$line\"" or die "bash: $!";
	return join '', <$bash>;
}

is(read_of('tap 0 12\n'), "tap 0 12\n", 'a line');
is(read_of('n', 'eighbors 0 ', '240\n'), "neighbors 0 240\n", 'a line in three parts');
is(read_of('', 'tap 1 3\nhouses 0 4\n'), "tap 1 3\n", 'the first of two lines');

done_testing();
