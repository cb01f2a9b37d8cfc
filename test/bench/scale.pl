# Measures how idgen scales on the server that PGHOST names, and writes the section "Scale" of the page and its charts to a folder:
# ROUNDS=9 ROWS=100000000 perl scale.pl FOLDER. SHORT=1 prints the section only, from one short round.
use strict;
use warnings;
use open qw(:std :encoding(UTF-8));
use utf8;

# Each connection is an open file: as many as this process may have.
BEGIN { exec 'sh', '-c', 'ulimit -Sn "$(ulimit -Hn)" && exec "$@"', 'sh', $^X, $0, @ARGV unless $ENV{SCALE_HAS_FILES}++ }

use FindBin;
use lib "$FindBin::Bin/lib";
use IdgenBench::Charts qw(charts);
use IdgenBench::Machine;
use IdgenBench::Page qw(scale_section with_scale);
use IdgenBench::Scale::Curve;
use IdgenBench::Scale::Growth;
use IdgenBench::Scale::Limits;
use IdgenBench::Scale::Nodes qw(nodes_section);
use IdgenBench::Scale::Renewals;
use IdgenBench::Scale::Rows;
use IdgenBench::Session;
use POSIX qw(strftime);

$| = 1;

my ($folder) = @ARGV;
my $is_short = $ENV{SHORT};
my $rounds = $ENV{ROUNDS} || ($is_short ? 1 : 9);
my $rows = $ENV{ROWS} || ($is_short ? 1_000_000 : 100_000_000);
die "usage: ROUNDS=9 perl scale.pl FOLDER\n" unless defined $folder && $rounds =~ /^[1-9]\d*$/;

my $first = IdgenBench::Session->new;
$first->run('CREATE EXTENSION idgen');
my $machine = IdgenBench::Machine->new($first);
my %most = $is_short ? (sessions => 100, databases => 10) : (sessions => 1000, databases => 50);
# Kept, since what their sessions used counts as this program's only while they last.
my @measurements;
my @sections = map { measured(@$_) }
  [ Curve => (seconds => $is_short ? 0.1 : 0.3) ],
  [ Growth => %most ],
  [ Renewals => (%most, seconds => 3) ],
  [ Rows => (rows => $rows) ];
my %fact = map { @$_ } $machine->facts;
# Which starts the server again.
push @sections, nodes_section(read_file('benchmarks.md')), measured('Limits');
my $day = strftime '%Y-%m-%d', gmtime;
my $introduction = <<"END";
`make scale` measured this on $day, in $rounds round@{[ $rounds > 1 ? 's' : '' ]}, with PostgreSQL $fact{PostgreSQL}, on:
$fact{processor}.
Other processes used $fact{'used meanwhile by other processes'}. Rates are those of this machine; ratios say more.
END
my $scale = scale_section($introduction, @sections);
print "\n$scale";
exit if $is_short;
my $page = with_scale(read_file('benchmarks.md'), $scale);
my %chart = charts($page);
write_file('benchmarks.md', $page);
write_file($_, $chart{$_}) for sort keys %chart;

# Runs a measurement round by round: its sections.
sub measured
{
	my ($name, %options) = @_;
	my $began = time;
	my $measurement = "IdgenBench::Scale::$name"->new(%options);
	push @measurements, $measurement;
	$measurement->warm_up;
	$measurement->round($_) for 1 .. $rounds;
	printf "%s: %d s\n", $name, time - $began;
	return $measurement->sections;
}

sub read_file
{
	my ($name) = @_;
	open my $file, '<', "$folder/$name" or die "$folder/$name: $!\n";
	local $/;
	return <$file>;
}

sub write_file
{
	my ($name, $text) = @_;
	open my $file, '>', "$folder/$name" or die "$folder/$name: $!\n";
	print $file $text;
	close $file or die "$folder/$name: $!\n";
	return;
}
