# The pictures say what the pages say: the fields of an ID have the colors of the page Read an ID, the tree of kinds
# asks as docs/choosing.md does, and readers by ID know their bound by id_settled().
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Checkout;
use Test::More;

my $tree = source_tree();
my (undef, %text_of) = split /^picture (\S+)\n/m, text_of("$tree/docs/pictures/pictures.txt");

# The colors of each field: on a light page, on a dark one.
my $css = text_of("$tree/js/page/page.css");
my %colors = map { my $field = $_; $field => [ $css =~ /--$field: (#\w+);/g ] } qw(time shard sequence);
is(scalar @{ $colors{$_} }, 2, "the page has two colors of $_") for sort keys %colors;
my %used;
for my $name (map { s{.*/(.*)\.svg$}{$1}r } glob "$tree/docs/pictures/*.svg")
{
	my $picture = text_of("$tree/docs/pictures/$name.svg");
	for my $field (sort keys %colors)
	{
		my @here = $picture =~ /rect\.$field \{ fill: (#\w+);/g;
		is("@here", "@{ $colors{$field} }", "$name: the colors of $field are those of the page");
	}
	$used{$_} .= " $name" for $picture =~ /<rect class="(time|shard|sequence)\b/g;
	unlike($picture, qr/\bnumbers?\b/i, "$name: a registry gives shards, not numbers");
}
like($used{$_} // '', qr/ id\b/, "the picture of an ID shows its $_") for sort keys %colors;
# A box that only names a server's shard; those that say what comes of it are good, bad or a warning.
for my $name (sort keys %text_of)
{
	my @others = $text_of{$name} =~ /^(box (?:plain|ours|peer|muted) .*\n)/gm;
	is(join('', grep { /\bshard[_ ]\d|\| -= '\d/ } @others), '', "$name: who has a shard has its color");
}

# The tree of kinds: the same questions in the same order, each with two arrows, and only makers that its answer has on
# the page.
sub faults_of_choice
{
	my ($picture, $page) = @_;
	my ($short) = $page =~ /^(In short: .*?)\n\n/ms or return 'no summary';
	my ($questions) = $page =~ /^## The questions, in order\n\n(.*?)\n(?=## )/ms or return 'no questions';
	my (undef, %item) = split /^(\d+)\. /m, $questions;
	my (undef, @asked) = split /^(?=box \S+ [\d ]+\| \d+\. )/m, $picture;
	my @numbers = map { /\| (\d+)\. / } @asked;
	my @faults = "@numbers" eq join(' ', 1 .. keys %item) ? () : "asks @numbers";
	for my $part (@asked)
	{
		my ($number) = $part =~ /\| (\d+)\. /;
		my @arrows = sort $part =~ /^text muted .* \| -(yes|no)$/gm;
		my @questions = grep { /\?\s*$/ } $part =~ /^box .*$/gm;
		push @faults, "question $number: arrows @arrows" if "@arrows" ne join ' ', ('no') x @questions, ('yes') x @questions;
		my $lines = () = $part =~ /^arrow /gm;
		push @faults, "question $number: $lines arrows" if $lines != @arrows;
		my @makers = $part =~ /\b(\w+(?=\(\))|bigserial|id64|js53\w*)/g;
		my $answer = ($item{$number} // '') . $short;
		push @faults, map { "question $number: $_ is not on the page" } grep { index($answer, $_) < 0 } @makers;
	}
	return join '; ', @faults;
}
my $page = text_of("$tree/docs/choosing.md");
my $choice = $text_of{choosing};
is(faults_of_choice($choice, $page), '', 'the tree of kinds asks as the page does');
my $without_arrow = $choice =~ s/^text .*-no\n//mr;
is(faults_of_choice($without_arrow, $page), 'question 1: arrows yes; question 1: 2 arrows', 'noticed: a missing arrow');
my $other_order = $choice =~ s/ 4\. / 5. /r =~ s/(.*) 5\. /$1 4. /sr;
like(faults_of_choice($other_order, $page), qr/^asks 1 2 3 5 4;/, 'noticed: another order');
my $other_maker = $choice =~ s/\*bigserial/*next_ulid()/r;
is(faults_of_choice($other_maker, $page), 'question 2: next_ulid is not on the page', 'noticed: another maker');

# Where a reader knows up to where to read.
my @bounds = $text_of{reading} =~ /^text center \d+ \d+ \| -?(\w+(?:\(\))? [<>=]+ \d+)$/gm;
is(join(', ', @bounds), 'id > 100, id > 102, id_settled() = 101, id_settled() = 103', 'readers know their bound');

done_testing();
