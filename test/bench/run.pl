# Runs every measurement round by round on the server that PGHOST names, and writes the page and its
# charts to a folder: ROUNDS=15 perl -Ilib run.pl FOLDER
use strict;
use warnings;
use open qw(:std :encoding(UTF-8));
use utf8;

use FindBin;
use IdgenBench::Borrow;
use IdgenBench::Calls;
use IdgenBench::Chart qw(chart);
use IdgenBench::Claims qw(claim_row);
use IdgenBench::Codecs;
use IdgenBench::Core;
use IdgenBench::HotSpot;
use IdgenBench::Insert;
use IdgenBench::Instructions;
use IdgenBench::Keys;
use IdgenBench::Latency;
use IdgenBench::Machine;
use IdgenBench::Migrate;
use IdgenBench::Page qw(page);
use IdgenBench::Pair;
use IdgenBench::Pool;
use IdgenBench::Recovery;
use IdgenBench::Range;
use IdgenBench::Scrape;
use IdgenBench::Session;
use IdgenBench::Shard;
use IdgenBench::SqlOnly;
use IdgenBench::TypeText;

$| = 1;

my ($folder) = @ARGV;
my $rounds = $ENV{ROUNDS} || 15;
die "usage: ROUNDS=15 perl -Ilib run.pl FOLDER\n" unless defined $folder && $rounds =~ /^[1-9]\d*$/;

my $machine = IdgenBench::Machine->new(IdgenBench::Session->new);
my @measurements = (
	IdgenBench::Calls->new,
	IdgenBench::Instructions->new,
	IdgenBench::Shard->new,
	IdgenBench::Pool->new,
	IdgenBench::Insert->new,
	IdgenBench::Latency->new,
	IdgenBench::Borrow->new,
	IdgenBench::Pair->new,
	IdgenBench::Recovery->new,
	IdgenBench::Range->new,
	IdgenBench::HotSpot->new,
	IdgenBench::Keys->new,
	IdgenBench::Core->new("$FindBin::Bin/build/core_bench"),
	IdgenBench::Codecs->new("$FindBin::Bin/build/core_bench"),
	IdgenBench::TypeText->new,
	IdgenBench::Scrape->new("$FindBin::Bin/../../monitoring/queries.yaml"),
	IdgenBench::Migrate->new,
	IdgenBench::SqlOnly->new,
);

print "warming up ...\n";
$_->warm_up for @measurements;
for my $number (1 .. $rounds)
{
	my $began = time;
	$_->round($number) for grep { !$_->can('most_rounds') || $number <= $_->most_rounds } @measurements;
	printf "round %d of %d: %d s\n", $number, $rounds, time - $began;
}

my @sections = map { $_->section } @measurements;
write_file('benchmarks.md', page($rounds, [ $machine->facts ], @sections));
write_file($_->{name}, chart($_)) for grep { $_ } map { $_->{chart} } @sections;

printf "%-70s %10s  %-28s %s\n", claim_row($_) for map { @{ $_->{claims} } } @sections;

sub write_file
{
	my ($name, $text) = @_;
	open my $file, '>', "$folder/$name" or die "$folder/$name: $!\n";
	print $file $text;
	close $file or die "$folder/$name: $!\n";
	return;
}
