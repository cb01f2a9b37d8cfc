# What pages of docs print runs as printed, and shows what they say it shows.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IdgenNode;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('pages', conf => [ "idgen.shards = '5'", "timezone = 'UTC'" ]);
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id(), title text);
INSERT INTO photo (title) SELECT 'photo ' || n FROM generate_series(1, 1000) n;
SQL
$ENV{PGHOST} = $node->host;
$ENV{PGPORT} = $node->port;

# What psql shows to somebody who pastes a block, without blanks at the ends of lines.
sub shown_by
{
	my ($sql) = @_;
	my ($out, $error);
	IPC::Run::run([ 'psql', '-X', '-v', 'ON_ERROR_STOP=1', 'postgres' ], '<', \$sql, '>', \$out, '2>', \$error);
	$out =~ s/ +$//mg;
	$out =~ s/\n+\z/\n/;
	return ($out, $error);
}

for my $page ('layouts', 'audit')
{
	my $text = slurp_file("$FindBin::Bin/../../docs/$page.md");
	my $blocks = 0;
	while ($text =~ /^```sql\n(.*?)^```\n(?:\n```\n(.*?)^```$)?/gms)
	{
		my ($sql, $says) = ($1, $2);
		my ($out, $error) = shown_by($sql);
		$blocks++;
		is($error, '', "docs/$page.md, block $blocks: no error");
		is($out, $says, "docs/$page.md, block $blocks: shows what the page says") if defined $says;
	}
	cmp_ok($blocks, '>', 0, "docs/$page.md has blocks of SQL");
}

# The calculator: each layout holds what was asked of it, and would not with a bit less in any field.
my ($query) = slurp_file("$FindBin::Bin/../../docs/layouts.md") =~ /^```sql\n(.*?)^```/ms;
$query =~ s/\(VALUES\n.*?\n\), bits/(SELECT * FROM asked), bits/s or die 'no values in the query';
$query =~ s/;\s*\z//;
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE asked AS
SELECT row_number() OVER () AS who, nodes, ids_per_second, burst, years, unit_ms
  FROM unnest('{1, 2, 3, 64, 65}'::int[]) AS nodes, unnest('{1, 1000, 1024, 1025, 999999}'::int[]) AS ids_per_second,
       unnest('{1, 8}'::int[]) AS burst, unnest('{1, 33, 100}'::int[]) AS years, unnest('{1, 10, 1000}'::int[]) AS unit_ms;
SQL
is( $node->safe_psql('postgres', <<"SQL"),
CREATE TABLE given AS $query;
SELECT count(*), bool_and(bits <= 63),
       bool_and(i.shards >= nodes AND (nodes = 1 OR i.shards < 2 * nodes)),
       bool_and(i.ids_per_tick >= per_tick AND (i.ids_per_tick = 1 OR i.ids_per_tick < 2 * per_tick)),
       bool_and(i.last_time + i.tick >= i.first_time + years * interval '365.25 days'
                AND i.last_time < i.first_time + 2 * years * interval '365.25 days'),
       bool_and(spare = 63 - bits AND i.largest_id <= 2::numeric ^ bits - 1 AND i.largest_id >= 2::numeric ^ (bits - 1))
  FROM given JOIN asked USING (who), id_layout_info(layout::id_layout) AS i,
       LATERAL (SELECT asked.ids_per_second / 1000.0 * unit_ms * burst AS per_tick) AS p
SQL
	'450|t|t|t|t|t', 'the calculator gives as many bits as are needed');
$node->safe_psql('postgres', "DROP TABLE given; TRUNCATE asked; INSERT INTO asked VALUES (1, 100000, 100000000, 1, 100, 1)");
is($node->safe_psql('postgres', "SELECT spare, ends IS NULL FROM ($query) AS q"), '-13|t', 'and says what does not fit');

done_testing();
