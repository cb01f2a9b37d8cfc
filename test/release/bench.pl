# docs/benchmarks.md or trials/bench/tables.md has a table for all that make bench measures, a new one changes nothing else, and README's
# chart is drawn from them.
use strict;
use warnings;
use utf8;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../trials/bench/lib";
use Checkout;
use IdgenBench::Chart qw(charts);
use IdgenBench::Page qw(table_of with_table);
use IdgenBench::Samples qw(in_rounds number);
use Test::More;

my $tree = source_tree();
utf8::decode(my $page = join '', map { text_of("$tree/$_") } 'docs/benchmarks.md', 'trials/bench/tables.md');

my $measured = 0;
for my $part (glob("$tree/trials/bench/lib/IdgenBench/*.pm"), "$tree/trials/bench/run.pl")
{
	utf8::decode(my $code = text_of($part));
	for my $title ($code =~ /(?:\btitle => |\b_table\()'([^']+)'/g)
	{
		for my $heading ($part =~ /(?:Calls|Rows)\.pm$/ ? ($title, "$title, PostgreSQL 18") : $title)
		{
			my @rows = eval { table_of($page, $heading) };
			cmp_ok(scalar @rows, '>', 1, "a table below \"$heading\"");
			is(scalar(() = $page =~ /^#+ \Q$heading\E$/mg), 1, "\"$heading\": in one of the two pages");
			is(with_table($page, $heading, @rows), $page, "\"$heading\": the same table changes nothing") if @rows;
			$measured++;
		}
	}
}
cmp_ok($measured, '>', 15, 'there are tables');
my ($first_line) = text_of("$tree/trials/bench/tables.md") =~ /^(# .*)\n/;
is(scalar(() = $page =~ /^\Q$first_line\E$/mg), 1, 'trials/bench/bench can part the pages by the title of the second');

my $two = "# A\n\n## B\n\nWords.\n\n| b |\n| --- |\n| 1 |\n\nMore.\n\n## C\n\nNone here.\n\n## D\n\n| d |\n| --- |\n";
is(with_table($two, 'B', ['x'], ['2']), $two =~ s/\| b \|\n(.*)\n\| 1 \|/| x |\n$1\n| 2 |/r, 'a new table, and all else as it was');
ok(!eval { with_table($two, 'C', ['x']); 1 }, 'noticed: a heading without a table, though the next one has one');
ok(!eval { with_table($two, 'E', ['x']); 1 }, 'noticed: a heading that is not there');

my %chart = charts($page);
my (undef, @calls) = table_of($page, 'One call');
my ($uuid) = map { $_->[1] =~ /^(\S+)/ } grep { $_->[0] eq 'gen_random_uuid()' } @calls;
like($chart{'benchmarks-makers.svg'}, qr/gen_random_uuid\(\): \Q$uuid\E;/, 'the chart says what the table says');
ok(!eval { charts($page =~ s/^\| next_ulid\(\) \|.*\n//mgr); 1 }, 'noticed: a bar without a row');

# Of three rounds: the medians, the ratio taken within each round, and every other round backward.
my @order;
my %values = (a => [ 1, 4, 30 ], b => [ 2, 1, 10 ]);
# What it prints meanwhile would stand before a test's line.
open my $progress, '>&', \*STDERR or die $!;
open STDERR, '>', '/dev/null' or die $!;
my $samples = in_rounds(3, sub { push @order, $_[0]{name}; return (ns => $values{ $_[0]{name} }[ $_[1] - 1 ]) }, { name => 'a' }, { name => 'b' });
open STDERR, '>&', $progress or die $!;
is("@order", 'a b b a a b', 'rounds take turns');
is($samples->text('a ns'), '4.00 [2.50 to 17.0]', 'the median and the quartiles');
is($samples->median('a ns', 'b ns'), '3.00', 'the median of the ratios');
is(join(' ', map { number($_) } 1234567.8, 0.0416, 0.999, 12.34), '1,234,568 0.042 1.00 12.3', 'three digits that count');

done_testing();
