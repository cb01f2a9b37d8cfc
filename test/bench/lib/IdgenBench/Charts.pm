# The charts of the page of results. Each is drawn from a table of the page itself, so that the two cannot differ.
package IdgenBench::Charts;

use strict;
use warnings;
use utf8;

use Exporter qw(import);
use IdgenBench::Chart qw(chart);
use IdgenBench::LineChart qw(line_chart);

our @EXPORT_OK = qw(charts charts_of);

# section: its title on the page. rows: the labels in the table, in the order of the chart. columns: their headers, without the unit.
# lines: instead of rows and columns, what the lines of a chart are and how each looks; a column, or rows of one column. along: their axis.
# by: what a group of bars has in common, a column or a row; one column needs no groups. peers: the rows that are not idgen's.
my @charts = (
	{
		name => 'benchmarks-makers.svg', section => 'One call', title => 'Net CPU time of a call that makes a value', unit => 'ns',
		columns => ['net CPU time'], cut => 250,
		rows => [
			'next_id(shard, layout)', 'next_ksuid()', 'next_objectid()', 'next_ulid()', 'next_nanoid()', 'next_uuidv7()',
			'clock_timestamp()', 'nextval, CACHE 1000', 'nextval, CACHE 1', 'gen_random_uuid()', "Instagram's PL/pgSQL",
		],
		peers => [ 'clock_timestamp()', 'nextval, CACHE 1000', 'nextval, CACHE 1', 'gen_random_uuid()', "Instagram's PL/pgSQL" ],
	},
	{
		name => 'benchmarks-readers.svg', section => 'One call', title => 'Net CPU time of a call that takes an ID', unit => 'ns',
		columns => ['net CPU time'],
		rows => [
			'id_shard(id)', 'id_time(id)', 'id_to_uuid(id)', 'id_to_base64url(id)', 'id_to_base62(id)', 'id::text, decimal',
			'id_decode(id)', 'id_encrypt(id, key)', 'id_decrypt(id, key)',
		],
		peers => ['id::text, decimal'],
	},
	{
		name => 'benchmarks-insert.svg', section => 'A million rows inserted', title => 'INSERT of a million rows', unit => 'ms',
		columns => [ 'wall time', 'CPU time' ], by => 'column', rows => [ '`next_id()`', '`bigserial`' ], peers => ['`bigserial`'],
	},
	{
		name => 'benchmarks-latency.svg', section => 'Latency of single calls', title => 'Latency of single calls', unit => 'µs',
		columns => [ 'p50', 'p99', 'p99.9', 'p99.99', 'longest' ], by => 'column', logarithmic => 1,
		rows => [
			'next_id, 30 % of the shard', 'nextval, CACHE 1, as often', 'next_id, saturated', 'nextval, CACHE 1, in a row',
			'empty C function',
		],
		peers => [ 'nextval, CACHE 1, as often', 'nextval, CACHE 1, in a row', 'empty C function' ],
	},
	{
		name => 'benchmarks-keys.svg', section => 'Five million rows under each kind of key', title => 'CPU time of an INSERT of five million rows',
		unit => 's', columns => ['CPU time'],
		rows => [
			'next_id(), bigint', 'bigserial', 'next_ulid(), ulid', 'next_uuidv7(), uuid', 'gen_random_uuid(), uuid', 'next_ulid(), text',
		],
		peers => [ 'bigserial', 'gen_random_uuid(), uuid', 'next_ulid(), text' ],
	},
	{
		name => 'benchmarks-scrape.svg', section => 'One scrape', title => 'One scrape', unit => 'ms', columns => ['wall time'],
		rows => [ 'what `monitoring/queries.yaml` asks', "the exporter's own metrics" ], peers => ["the exporter's own metrics"],
	},
	{
		name => 'benchmarks-scale-sessions.svg', section => 'More processors and sessions', title => 'IDs a second by sessions', unit => 'million',
		along => 'sessions; as many processors, up to those of the machine',
		lines => [
			[ 'pool of 256 shards', 'ours' ],
			[ 'pool of 16 shards', 'ours dashed' ],
			[ 'one shard, roomy layout', 'good' ],
			[ 'one shard', 'good dashed' ],
			[ 'nextval, CACHE 50', 'peer' ],
			[ 'nextval, CACHE 1', 'peer dashed' ],
		],
	},
	{
		name => 'benchmarks-scale-growth.svg', section => 'What a call costs as things grow', title => 'CPU time of next_id() by how much there is',
		unit => 'to the fewest', along => 'how many, logarithmic', column => 'to the fewest',
		lines => [ [ 'shards', 'ours' ], [ 'idle sessions', 'good' ], [ 'databases', 'bad' ], [ 'layouts', 'peer' ] ],
	},
);

# Name, title and unit of the charts of a section.
sub charts_of
{
	my ($section) = @_;
	return grep { $_->{section} eq $section } @charts;
}

# The charts of a page as SVG, by the name of their file.
sub charts
{
	my ($page) = @_;
	return map { $_->{name} => _drawn($page, $_) } @charts;
}

sub _drawn
{
	my ($page, $chart) = @_;
	my $spread_of = _table($page, $chart);
	return chart({ %$chart, bars => [ _bars($chart, $spread_of) ] }) unless $chart->{lines};
	return line_chart({ %$chart, lines => [ map { { label => $_->[0], class => $_->[1], points => [ _points($chart, $_->[0], $spread_of) ] } } @{ $chart->{lines} } ] });
}

# The points of a line, from left to right: the number that a row begins with, and its cell.
sub _points
{
	my ($chart, $line, $spread_of) = @_;
	my @points;
	for my $row (keys %$spread_of)
	{
		my ($number, $things) = $row =~ /^([\d,]+) (.*)/ or next;
		next if $chart->{column} && $things ne $line && "${things}s" ne $line;
		my $spread = $spread_of->{$row}{ $chart->{column} // $line } or next;
		push @points, { x => $number =~ tr/,//dr, spread => $spread };
	}
	die "$chart->{section}: no $line\n" unless @points;
	return sort { $a->{x} <=> $b->{x} } @points;
}

# Which cells a chart's bars are, group by group. An empty cell has none.
sub _bars
{
	my ($chart, $spread_of) = @_;
	my %is_peer = map { $_ => 1 } @{ $chart->{peers} };
	my @bars;
	for my $column (@{ $chart->{columns} })
	{
		for my $row (@{ $chart->{rows} })
		{
			die "$chart->{section}: no row $row, or no $column in any\n"
			  unless $spread_of->{$row} && grep { $_->{$column} } values %$spread_of;
			my $spread = $spread_of->{$row}{$column} or next;
			push @bars, {
				label => $row =~ tr/`//dr, spread => $spread, ours => !$is_peer{$row},
				$chart->{by} ? (group => $column) : ()
			};
		}
	}
	return @bars;
}

# The cells of a section's table that have a median and quartiles, by row and by column.
sub _table
{
	my ($page, $chart) = @_;
	my ($section) = $page =~ /^##+ \Q$chart->{section}\E\n(.*?)(?=^##+ |\z)/ms or die "no section $chart->{section}\n";
	my ($header, undef, @rows) = map { [ split / \| /, $_, -1 ] } $section =~ /^\| (.*) \|$/mg;
	my @columns = map { s/, (?:\Q$chart->{unit}\E)$//r } @$header;
	my %spread_of;
	for my $row (@rows)
	{
		$spread_of{ $row->[0] } = {};
		for my $i (1 .. $#columns)
		{
			my @values = $row->[$i] =~ /^([\d.,]+) \[([\d.,]+) to ([\d.,]+)\]$/ or next;
			tr/,//d for @values;
			@{ $spread_of{ $row->[0] }{ $columns[$i] } }{qw(median low high)} = @values;
		}
	}
	return \%spread_of;
}

1;
