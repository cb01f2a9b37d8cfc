# A test that dies says why in what prove shows, on every major; what an eval catches is not said.
use strict;
use warnings;
use FindBin;
use PostgreSQL::Test::Utils;
use Test::More;

my $dying = <<'PERL';
use IdgenNode;
use Test::More;
ok(1, 'begun');
eval { die "caught\n" };
die "never: an answer\n";
PERL
my $folder = PostgreSQL::Test::Utils::tempdir;
my $pid = open(my $output, '-|') // die "fork: $!";
if ($pid == 0)
{
	open STDERR, '>&', \*STDOUT or die "STDERR: $!";
	@ENV{qw(TESTDATADIR TESTLOGDIR)} = ("$folder/data", "$folder/log");
	exec $^X, '-I', "$FindBin::Bin/../lib", '-e', $dying or die "perl: $!";
}
my $said = join '', <$output>;
like($said, qr/^ok 1 - begun$/m, 'it begins');
like($said, qr/^# di[^:]*: never: an answer$/m, 'it says why it died');
unlike($said, qr/caught/, 'what is caught is not said');
done_testing();
