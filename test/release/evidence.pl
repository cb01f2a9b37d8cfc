# trials/evidence.md says what trials/evidence/runs.txt has, and each fault in trials/evidence/faults-found.md has a test or a mutant that exists.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Checkout;
use List::Util qw(sum0);
use Test::More;

my $tree = source_tree();
my $page = text_of("$tree/trials/evidence.md");
my $found = text_of("$tree/trials/evidence/faults-found.md");
my $row = qr/^\d{4}-\d\d-\d\d [0-9a-f]{12} (?:simulator(?:-registry)?(?:-copies)?|walk-(?:registry|tickets)|nemesis-[a-z-]+) (?:\d+ ){5}(?:nothing|failed|seed-\d+) [0-9a-f]{64}$/;
my %mutants = map { ($_ => 1) } text_of("$tree/test/sim/mutants") =~ /^(\w+) /gm, map { split ' ', text_of("$tree/registry/walks/$_/Makefile") =~ s/.*\nMUTANTS = ([^\n]*)\n.*/$1/sr } qw(numbers tickets);

# The rows of the table below a heading, as cells.
sub table
{
	my ($heading) = @_;
	my ($section) = $found =~ /^## \Q$heading\E\n(.*?)(?=^## |\z)/ms or die "no heading: $heading";
	my @lines = grep { /^\|/ && !/^\|---/ } split /\n/, $section;
	return map { [ split /\s*\|\s*/, s/^\|\s*//r ] } @lines[ 1 .. $#lines ];
}

# What is wrong with the rows of runs, if anything. Jobs that run side by side end in any order.
sub faults_of
{
	my (%of, @faults);
	for (grep { /^[^#\s]/ } split /\n/, $_[0])
	{
		if ($_ !~ $row) { push @faults, "malformed: $_"; next }
		my (undef, undef, $method) = split;
		push @{ $of{$method} }, $_ if $method !~ /^nemesis/;
	}
	for my $method (sort keys %of)
	{
		my $next = 1_000_001;
		for (sort { (split ' ', $a)[3] <=> (split ' ', $b)[3] } @{ $of{$method} })
		{
			my ($first, $last) = (split)[ 3, 4 ];
			push @faults, "seeds twice: $_" if $first < $next || $last < $first;
			$next = $last + 1;
		}
	}
	return join "\n", @faults;
}

# What of a cell in backquotes is neither a file nor a mutant.
sub missing_of { my ($cell) = @_; my @names = $cell =~ /`([^`]+)`/g; return join ' ', @names ? grep { !(m{/} ? -e "$tree/$_" : $mutants{$_}) } @names : 'nothing' }

my $runs = text_of("$tree/trials/evidence/runs.txt");
is(faults_of($runs), '', 'every run has its row, and no seed stands in two');
my @struck = map { /nemesis-/ ? (split)[5] : () } grep { /^[^#\s]/ } split /\n/, $runs;
my %times = text_of("$tree/trials/evidence/faults.txt") =~ /^(\w+) (\d+)$/gm;
is(sum0(values %times), sum0(@struck), 'the faults of the nemesis are those of its rows');
my ($totals) = $page =~ /<!-- trials\/evidence\/evidence --totals -->\n\n((?:\|.*\n)+)/;
is($totals, qx("$tree/trials/evidence/evidence" --totals), 'the totals are those of the rows');
my ($majors) = $page =~ /<!-- trials\/all-majors --table -->\n\n((?:\|.*\n)+)/;
is($majors, qx("$tree/trials/all-majors" --table), 'the table of majors is that of its rows');
is(join("\n", grep { !/^(?:#|\d{4}-\d\d-\d\d [0-9a-f]{12} [a-z0-9-]+ \S+ \d+ \d+ \d+$)/ } split /\n/, text_of("$tree/trials/evidence/majors.txt")), '', 'every row of majors can be read');
my @faults = table('In idgen');
cmp_ok(scalar @faults, '>=', 30, 'the page names faults');
is(missing_of($_->[2]), '', "$_->[0]: has a test or a mutant") for @faults;

# The rules notice what is wrong.
my $good = join ' ', '2026-11-25', '0' x 12, 'walk-tickets', 1_000_001, 1_000_009, 1, 1, 1, 'nothing', "${\('a' x 64)}\n";
is(faults_of($good), '', 'a good row passes');
like(faults_of($good . $good), qr/^seeds twice/, 'noticed: seeds that were run before');
like(faults_of($good =~ s/nothing/none/r), qr/^malformed/, 'noticed: a row that no script reads');
is(missing_of('`slots_unseen`, `test/t/000_none.pl`, `none`'), 'test/t/000_none.pl none', 'noticed: a test and a mutant that are not there');
is(missing_of(''), 'nothing', 'noticed: a fault without either');

# Two searches can follow each other, though the first has written its rows and the page: what was run must be as committed. The programs
# themselves are not built here, and no time is left to run one.
if (-e "$tree/.git")
{
	my $clone = checkout();
	mkdir "$clone/../bin";
	put("$clone/../bin/make", "#!/bin/sh\n");
	chmod 0755, "$clone/../bin/make";
	for ([ 'trials/evidence.md', 1 ], [ 'trials/evidence/runs.txt', 1 ], [ 'trials/nemesis/nemesis', '' ], [ 'test/sim/world.cpp', '' ])
	{
		my ($name, $passes) = @$_;
		put("$clone/$name", text_of("$clone/$name") . "\n");
		my $output = qx(cd "$clone" && PATH="$clone/../bin:\$PATH" HOURS=.0001 METHODS=walk-tickets trials/evidence/evidence 2>&1);
		is($? == 0, $passes, "$name: differs from the last commit") or diag($output);
		git($clone, 'checkout', '-q', '.');
	}
}

done_testing();
