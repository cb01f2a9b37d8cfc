# Ticks shorter than a millisecond: full ones are waited for that long only, sessions beside each other repeat nothing, and
# neither a restart nor a crash does.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use Test::More;

my $node = start_node('short_ticks', conf => ["idgen.shards = '0-2'"]);
my @units = ('1us', '10us', '100us', '1ms');
my %layout = map { $_ => "epoch=2026-01-01T00:00:00Z unit=$_ time=53 shard=3 sequence=3" } @units;
$node->safe_psql('postgres', "CREATE TABLE made (unit text, number bigserial, id bigint, at timestamptz DEFAULT clock_timestamp(), PRIMARY KEY (unit, id))");

# Draws until each full tick was met: far more IDs than ticks, from one shard, in four sessions.
sub draw_beside
{
	my ($unit, $sessions, $count) = @_;
	my @sessions = map { $node->background_psql('postgres') } 1 .. $sessions;
	$_->query_until(qr/begun/, "\\echo begun\nINSERT INTO made (unit, id) SELECT '$unit', next_id(1, '$layout{$unit}') FROM generate_series(1, $count);\n") for @sessions;
	$_->quit for @sessions;
}

for my $unit (@units)
{
	draw_beside($unit, 4, 1000);
	is($node->safe_psql('postgres', "SELECT count(*), count(DISTINCT id) FROM made WHERE unit = '$unit'"), '4000|4000', "four sessions in ticks of $unit repeat nothing");
}
is($node->safe_psql('postgres', "SELECT unit FROM made WHERE id_time(id, format('epoch=2026-01-01T00:00:00Z unit=%s time=53 shard=3 sequence=3', unit)::id_layout) > at + interval '1 s' GROUP BY unit"),
	'', 'no ID lies further ahead of the clock than max_lead');

# IDs of an array rise and fill ticks: with 8 in a tick of 100 us the times are those ticks'.
is($node->safe_psql('postgres', <<SQL), 't|t', 'ticks are filled, one after the other');
SELECT bool_and(id > before IS NOT FALSE), max(n) = 8
  FROM (SELECT id, lag(id) OVER (ORDER BY place) AS before, count(*) OVER (PARTITION BY id_time(id, '$layout{'100us'}')) AS n
          FROM unnest(next_id_array(10000, 2, '$layout{'100us'}')) WITH ORDINALITY AS u (id, place)) AS ids
SQL

# The end of a slot and the horizon are whole ms: whatever begins in a part of one lies below.
for my $stop (qw(fast immediate))
{
	my $last = $node->safe_psql('postgres', "SELECT string_agg(next_id(1, l)::text, ' ' ORDER BY o) FROM unnest(ARRAY['" . join("', '", @layout{@units}) . "']::id_layout[]) WITH ORDINALITY AS u (l, o)");
	$node->stop($stop);
	$node->start;
	my $next = $node->safe_psql('postgres', "SELECT string_agg(next_id(1, l)::text, ' ' ORDER BY o) FROM unnest(ARRAY['" . join("', '", @layout{@units}) . "']::id_layout[]) WITH ORDINALITY AS u (l, o)");
	my @last = split ' ', $last;
	my @next = split ' ', $next;
	is(join(' ', grep { $next[$_] <= $last[$_] } 0 .. $#units), '', "after a stop, $stop, IDs of every unit go on above the last");
}
# A moved horizon is put up to the end of its ms.
my $at = $node->safe_psql('postgres', "SELECT date_trunc('milliseconds', clock_timestamp() + interval '50 min') + interval '123 us'");
$node->safe_psql('postgres', "SELECT idgen.advance('$at')");
is($node->safe_psql('postgres', "SELECT horizon - '$at' FROM idgen.stat_database"), '00:00:00.000877', 'idgen.advance() rounds up to a ms');

$node->stop;
done_testing();
