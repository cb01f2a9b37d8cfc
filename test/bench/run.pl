# Runs every measurement round by round on the server that PGHOST names, and writes the page and its charts to a folder:
# ROUNDS=15 perl -Ilib run.pl FOLDER. ONLY='Keys Latency' runs these and writes their figures into the page that is there.
# Without a folder it prints their tables.
use strict;
use warnings;
use open qw(:std :encoding(UTF-8));
use utf8;

use FindBin;
use IdgenBench::Borrow;
use IdgenBench::Calls;
use IdgenBench::Charts qw(charts);
use IdgenBench::Samples qw(claim_row);
use IdgenBench::Codecs;
use IdgenBench::Core;
use IdgenBench::HotSpot;
use IdgenBench::Insert;
use IdgenBench::Instructions;
use IdgenBench::Keys;
use IdgenBench::Latency;
use IdgenBench::Machine;
use IdgenBench::Migrate;
use IdgenBench::Onlookers;
use IdgenBench::Page qw(page renewed scale_of);
use IdgenBench::Recovery;
use IdgenBench::Range;
use IdgenBench::Scrape;
use IdgenBench::Session;
use IdgenBench::Shards;
use IdgenBench::SqlOnly;
use IdgenBench::TypeText;

$| = 1;

my ($folder) = @ARGV;
my $rounds = $ENV{ROUNDS} || 15;
die "usage: ROUNDS=15 perl -Ilib run.pl [FOLDER]\n" unless @ARGV <= 1 && $rounds =~ /^[1-9]\d*$/;

my $machine = IdgenBench::Machine->new(IdgenBench::Session->new);
my $core = "$FindBin::Bin/build/core_bench";
my %arguments_of = (Core => [$core], Codecs => [$core], Scrape => ["$FindBin::Bin/../../monitoring/queries.yaml"]);
my @names = qw(Calls Instructions Shard Pool Insert Latency Borrow Onlookers Pair Recovery Range HotSpot Keys Core Codecs TypeText Scrape
  Migrate SqlOnly);
my %is_wanted = map { $_ => 1 } split ' ', $ENV{ONLY} || "@names";
my @measurements = map { "IdgenBench::$_"->new(@{ $arguments_of{$_} // [] }) } grep { delete $is_wanted{$_} } @names;
die "no such measurement: @{[ sort keys %is_wanted ]}\n" if %is_wanted;

print "warming up ...\n";
$_->warm_up for @measurements;
for my $number (1 .. $rounds)
{
	my $began = time;
	$_->round($number) for grep { !$_->can('most_rounds') || $number <= $_->most_rounds } @measurements;
	printf "round %d of %d: %d s\n", $number, $rounds, time - $began;
}

my @sections = map { $_->section } @measurements;
my @facts = $machine->facts;
if (defined $folder) { write_page() }
else { print_table($_) for @sections }
printf "%s: %s\n", @$_ for @facts;

printf "%-70s %10s  %-28s %s\n", claim_row($_) for map { @{ $_->{claims} } } @sections;

sub write_page
{
	my $old = read_file('benchmarks.md');
	my $page = $ENV{ONLY} ? renewed($old, @sections) : page($rounds, \@facts, scale_of($old), @sections);
	write_file('benchmarks.md', $page);
	my %chart = charts($page);
	write_file($_, $chart{$_}) for sort keys %chart;
	return;
}

sub print_table
{
	my ($section) = @_;
	print "$section->{title}\n";
	printf "%-45s" . ' %30s' x (@$_ - 1) . "\n", @$_ for $section->{header}, @{ $section->{rows} };
	return;
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
