# Sessions at once, in ticks of any length.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use Test::More;

# Sessions at once: every ID distinct, and rising within each session, by every way of making them.
{
	my $node = start_node('concurrency');
	my $sessions = 8;
	my $main = connect_to($node);

	$main->do('CREATE UNLOGGED TABLE made (session int, n int, id bigint)');

	# The IDs of one run, made by $work in each session, checked as a whole.
	sub check_run
	{
		my ($what, $settings, $layout, $per_session, $work) = @_;
		$main->do('TRUNCATE made');
		$main->do("ALTER DATABASE postgres SET $_") for @$settings;
		ok(in_sessions($node, $sessions, sub { $work->(@_, $per_session) }), "$what: every session succeeds");
		$main->do("ALTER DATABASE postgres RESET ALL");
		my ($rows, $distinct) = $main->selectrow_array('SELECT count(*), count(DISTINCT id) FROM made');
		is($rows, $sessions * $per_session, "$what: number of IDs");
		is($distinct, $rows, "$what: all distinct");
		is(value_of($main,
				'SELECT count(*) FROM (SELECT id, lag(id) OVER (PARTITION BY session ORDER BY n) AS last FROM made) m
				  WHERE id <= last'),
			0, "$what: strictly rising in each session");
		my ($shards) = map { /shards = '(\d+)-(\d+)'/ ? [ $1, $2 ] : /shards = '(\d+)'/ ? [ $1, $1 ] : () } @$settings;
		is(value_of($main, 'SELECT count(*) FROM made WHERE id_shard(id, ?::id_layout) NOT BETWEEN ? AND ?',
				$layout, @$shards),
			0, "$what: shards all in the pool");
		return;
	}

	my %way = (
		'next_id in INSERT' => sub {
			my ($session, $number, $count) = @_;
			$session->do("INSERT INTO made SELECT $number, n, next_id() FROM generate_series(1, $count) n");
		},
		'COPY with the DEFAULT' => sub {
			my ($session, $number, $count) = @_;
			$session->do("COPY made (session, n) FROM PROGRAM 'seq -f \"$number\t%.0f\" $count'");
		},
		'next_ids' => sub {
			my ($session, $number, $count) = @_;
			$session->do("INSERT INTO made SELECT $number, n, id FROM next_ids($count) WITH ORDINALITY AS i (id, n)");
		},
		'next_id_array' => sub {
			my ($session, $number, $count) = @_;
			$session->do("INSERT INTO made SELECT $number, n, id
				FROM unnest(next_id_array($count)) WITH ORDINALITY AS i (id, n)");
		},
	);

	$main->do('ALTER TABLE made ALTER id SET DEFAULT next_id()');
	for my $shards ('5', '0-15')
	{
		for my $way (sort keys %way)
		{
			check_run("$way, shards $shards", ["idgen.shards = '$shards'"], 'instagram', 250_000, $way{$way});
		}
	}
	check_run('borrowing', [ "idgen.shards = '5'", "idgen.overflow = 'borrow'" ],
		'instagram', 100_000, $way{'next_id in INSERT'});

	# Sonyflake has its shard below the sequence: a session stays on its shard within a tick.
	$main->do("ALTER TABLE made ALTER id SET DEFAULT next_id(layout => 'sonyflake')");
	check_run('a sonyflake pool', ["idgen.shards = '0-15'"], 'sonyflake', 10_000, $way{'COPY with the DEFAULT'});

	# More sessions than shards: they meet on shards that another session has filled.
	check_run('a sonyflake pool smaller than its sessions',
		["idgen.shards = '3-5'"], 'sonyflake', 5_000, $way{'COPY with the DEFAULT'});

	# A pool whose sessions draw one by one, in statements of their own.
	check_run(
		'single statements',
		["idgen.shards = '0-15'"],
		'instagram', 2_000,
		sub {
			my ($session, $number, $count) = @_;
			my $insert = $session->prepare("INSERT INTO made VALUES ($number, ?::int, next_id())");
			$insert->execute($_) for 1 .. $count;
		});

	# A token handed from session to session: on one shard, a call that starts after another returned
	# gives the larger ID.
	my @ring = map { connect_to($node) } 1 .. $sessions;
	my $draw = { map { $_ => $ring[$_]->prepare('SELECT next_id(77)') } 0 .. $#ring };
	my ($last, $smaller) = (0, 0);
	for my $turn (1 .. 20_000)
	{
		my $statement = $draw->{ $turn % @ring };
		$statement->execute;
		my ($id) = $statement->fetchrow_array;
		$smaller++ if $id <= $last;
		$last = $id;
	}
	is($smaller, 0, 'a token handed on: later calls give larger IDs');

	# Several sessions take single IDs and blocks of one shard at once.
	$main->do('TRUNCATE made');
	ok( in_sessions(
			$node,
			$sessions,
			sub {
				my ($session, $number) = @_;
				my $ids = $number % 2 ? 'unnest(next_id_array(20000, 9))' : 'next_ids(20000, 9)';
				$session->do("INSERT INTO made SELECT $number, n, id FROM $ids WITH ORDINALITY AS i (id, n)");
				$session->do("INSERT INTO made SELECT $number, 20000 + n, next_id(9) FROM generate_series(1, 20000) n");
			}),
		'blocks and single IDs on one shard: every session succeeds');
	is(value_of($main, 'SELECT count(*) - count(DISTINCT id) FROM made'), 0, 'blocks and single IDs: all distinct');
}

# Ticks shorter than a millisecond: full ones are waited for that long only, sessions beside each other repeat nothing, and
# neither a restart nor a crash does.
{
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
}

done_testing();
