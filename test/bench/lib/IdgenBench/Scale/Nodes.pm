# What many nodes cost a registry, by arithmetic from what `make soak OF=fleet` measured, as the page says it.
package IdgenBench::Scale::Nodes;

use strict;
use warnings;

use Exporter qw(import);
use IdgenBench::Samples qw(number);

our @EXPORT_OK = qw(nodes_section);

my $measured = 1024;

# The figures of a row of the table of the fleet: PostgreSQL's, etcd's.
sub _figures
{
	my ($page, $row) = @_;
	$page =~ /^\| \Q$row\E \| ([\d.,]+)(?:, [\d.,]+)?(?: \w+)? \| ([\d.,]+)/m or die "no row: $row\n";
	return map { tr/,//dr } $1, $2;
}

sub nodes_section
{
	my ($page) = @_;
	my @begun = _figures($page, 'all nodes have a number after');
	my ($calls) = _figures($page, 'calls a second, and the requests that they make');
	my ($memory) = _figures($page, 'memory');
	my @claims = map { number($measured / $_) } @begun;
	return {
		title => 'Nodes',
		text => <<"END",
What a fleet costs its registry, by arithmetic from [1,024 nodes](#1024-nodes-and-one-registry): calls rise with the
nodes, and each has a connection of a PostgreSQL. When all begin at once, a PostgreSQL answers $claims[0] claims a
second, an etcd $claims[1]. The nodes do not know one another: what one ID costs does not depend on how many there are.
END
		header => [ 'nodes', 'bits of the shard', 'calls a second', 'all have a number after, PostgreSQL, s', 'etcd, s', 'memory, PostgreSQL, MB' ],
		rows => [ map { _row($_, $calls, @begun, $memory) } 16, 128, 1024, 8192 ],
	};
}

sub _row
{
	my ($nodes, @of_measured) = @_;
	my $bits = length(sprintf '%b', $nodes - 1);
	return [ number($nodes) =~ s/\.\d+$//r, $bits, map { number($_ * $nodes / $measured) } @of_measured ];
}

1;
