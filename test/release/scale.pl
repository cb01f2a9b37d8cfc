# The section "Scale" of docs/benchmarks.md: what writes it keeps the rest of the page, what writes the page keeps it, and its
# charts are drawn from its tables.
use strict;
use warnings;
use utf8;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../bench/lib";
use Checkout;
use IdgenBench::Charts qw(charts);
use IdgenBench::Page qw(page scale_of scale_section with_scale);
use IdgenBench::Scale::Nodes qw(nodes_section);
use IdgenBench::Scale::Rows;
use Test::More;

utf8::decode(my $page = text_of(source_tree() . '/docs/benchmarks.md'));
my $scale = scale_of($page);
is(with_scale($page, $scale), $page, 'written again it changes nothing');
like($scale, qr/^### \Q$_\E\n\n[^#]*^\| --- \|/m, "it has $_") for 'More processors and sessions', 'The same as ratios', 'What a call costs as things grow', 'Rows';

# Another one in its place, and on a page that has none.
my $other = scale_section("Of today.\n", { title => 'Rows', text => "Many.\n", header => [ 'rows', 'ms' ], rows => [ [ '1', '2' ] ] });
is($other, "## Scale\n\nOf today.\n\n### Rows\n\nMany.\n\n| rows | ms |\n| --- | --- |\n| 1 | 2 |\n", 'a section from figures');
my $changed = with_scale($page, $other);
is(scale_of($changed), $other, 'a new one stands in the place of the old one');
is($changed =~ s/\Q$other\E//r, $page =~ s/\Q$scale\E//r, 'a new section leaves the rest of the page as it was');
my $without = $page =~ s/^\Q$scale\E\n//mr;
is(scale_of($without), undef, 'a page without it');
is(with_scale($without, $scale), $page, 'a page without the section gets it in its place');
is(scale_of(page(3, [], $scale)), $scale, 'make bench keeps the section');

# The charts of a page: its table's medians, from left to right.
my %chart = charts($page);
my ($rates) = $scale =~ /^### More processors and sessions\n(.*?)(?=^#)/ms;
my @medians = map { (split / \| /)[1] =~ /^([\d.,]+)/ } grep { /^\| \d/ } split /\n/, $rates;
cmp_ok(scalar @medians, '>=', 4, 'there is a curve');
my @counts = $rates =~ /^\| (\d+) sessions? on/mg;
my $said = join ', ', map { "$medians[$_] at $counts[$_]" } 0 .. $#counts;
like($chart{'benchmarks-scale-sessions.svg'}, qr/one shard: \Q$said\E/, 'its chart says the same');
my $torn = $page =~ s/^\| [\d,]+ shards? \|.*\n//mgr;
ok(!eval { charts($torn); 1 }, 'noticed: a line without points');
like($@, qr/no shards/, 'noticed: which line has no points');

# The depth of an index: 366 keys on a leaf, 286 pages below a page.
is(IdgenBench::Scale::Rows::depth_of($_->[0]), $_->[1], "$_->[0] rows: depth $_->[1]") for [ 1, 1 ], [ 366, 1 ], [ 367, 2 ], [ 366 * 286, 2 ], [ 366 * 286 + 1, 3 ], [ 1e8, 4 ];

# Nodes, from the figures of a fleet of 1,024.
my $fleet = "| all nodes have a number after | 9.0 s | 27.3 s |\n| calls a second, and the requests that they make | 34, 59 | 35, 104 |\n| memory | 2,870 MB | 101 MB |\n";
my $nodes = nodes_section($fleet);
is_deeply($nodes->{rows}[2], [ '1,024', 10, '34.0', '9.00', '27.3', '2,870' ], '1,024 nodes: as they were measured');
is_deeply($nodes->{rows}[3], [ '8,192', 13, '272', '72.0', '218', '22,960' ], '8,192 nodes: eight times as much, and three bits more');
like($nodes->{text}, qr/answers 114 claims a\s+second/, 'claims a second');
ok(!eval { nodes_section($fleet =~ s/memory/room/r); 1 }, 'noticed: a figure that is not there');

done_testing();
