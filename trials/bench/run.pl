# Measures on the server that PGHOST names, and prints the pages with the new tables: perl -Ilib run.pl PAGE... ROUNDS is 5 by
# default; ONLY='Calls Rows' measures these parts. SUFFIX ends the headings of what is measured. Progress goes to standard error.
use strict;
use warnings;
use open qw(:std :encoding(UTF-8));
use utf8;

use IdgenBench::Calls;
use IdgenBench::Latency;
use IdgenBench::Machine;
use IdgenBench::Page qw(with_table);
use IdgenBench::Reading;
use IdgenBench::Rows;
use IdgenBench::Session;
use IdgenBench::Sessions;

my $rounds = $ENV{ROUNDS} || 5;
my @parts = split ' ', $ENV{ONLY} || 'Calls Rows Latency Sessions Reading';
die "usage: ROUNDS=5 perl -Ilib run.pl PAGE...\n" unless @ARGV && $rounds =~ /^[1-9]\d*$/;
die "no such part: $_\n" for grep { !"IdgenBench::$_"->can('tables') } @parts;

my $pages = do { local $/; join '', <> };
my $machine = IdgenBench::Machine->new(IdgenBench::Session->new);
my @tables;
for my $part (@parts)
{
	my $began = time;
	print STDERR "$part ";
	push @tables, "IdgenBench::$part"->tables($rounds);
	printf STDERR " %d s\n", time - $began;
}
push @tables, { title => 'The machine', header => [ 'what', 'measured on' ], rows => [ $machine->facts, [ 'rounds', $rounds ] ] } unless $ENV{ONLY};
$pages = with_table($pages, $_->{title} . ($ENV{SUFFIX} // ''), $_->{header}, @{ $_->{rows} }) for @tables;
print $pages;
