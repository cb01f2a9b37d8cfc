# docs/benchmarks.md and trials/bench/tables.md: their words are written by hand, their tables are measured.
package IdgenBench::Page;

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT_OK = qw(table_of with_table);

# Pages with another table below a heading, in the place of the one that is there.
sub with_table
{
	my ($page, $title, @rows) = @_;
	my ($header, @body) = map { '| ' . join(' | ', @$_) . " |\n" } $rows[0], [ map { '---' } @{ $rows[0] } ], @rows[ 1 .. $#rows ];
	my $table = join '', $header, @body;
	$page =~ s/^#+ \Q$title\E\n(?:(?!#)[^|\n][^\n]*\n|\n)*\K(?:\|[^\n]*\n)+/$table/m or die "no table below $title\n";
	return $page;
}

# The cells of that table, its header first.
sub table_of
{
	my ($page, $title) = @_;
	my ($table) = $page =~ /^#+ \Q$title\E\n(?:(?!#)[^|\n][^\n]*\n|\n)*((?:\|[^\n]*\n)+)/m or die "no table below $title\n";
	my ($header, undef, @rows) = map { [ split / \| /, $_, -1 ] } $table =~ /^\| (.*) \|$/mg;
	return ($header, @rows);
}

1;
