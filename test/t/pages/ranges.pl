# What docs/ranges.md and docs/layouts.md (a layout of your own) print runs as printed, and does what they say.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('ranges', conf => [ "idgen.shards = '0-15'", "timezone = 'UTC'" ]);

sub page
{
	my ($name) = @_;
	return slurp_file("$FindBin::Bin/../../../docs/$name.md");
}

# The SQL of a page, block by block.
sub blocks_of
{
	my ($page) = @_;
	return $page =~ /^```sql\n(.*?)^```/msg;
}

# Runs SQL in psql; passes where it says nothing of an error.
sub runs
{
	my ($sql, $what) = @_;
	my ($status, $out, $error) = $node->psql('postgres', $sql, on_error_stop => 1);
	ok($status == 0 && $error !~ /ERROR|WARNING/, "$what: runs") or diag("$sql\n$error");
	return;
}

sub value
{
	my ($sql) = @_;
	return $node->safe_psql('postgres', $sql);
}

# The plan of a query, index scans preferred.
sub plan_of
{
	my ($query, $prepare) = @_;
	return value('SET enable_seqscan = off; SET enable_bitmapscan = off; SET plan_cache_mode = force_generic_plan;'
		  . ($prepare // '') . ";EXPLAIN (COSTS OFF) $query");
}

sub refused
{
	my ($sql, $pattern, $what) = @_;
	my ($status, $out, $error) = $node->psql('postgres', $sql);
	return like($error, $pattern, $what);
}

# The instants at which the partitions of a table begin.
sub starts
{
	my ($table, $layout) = @_;
	return map { split /\n/ } value(<<"SQL");
SELECT id_time(substring(pg_get_expr(relpartbound, oid) FROM '\\d+')::bigint, '$layout')
  FROM pg_class WHERE oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = '$table'::regclass)
   AND pg_get_expr(relpartbound, oid) <> 'DEFAULT' ORDER BY 1
SQL
}

# Queries of a period
my ($ranges, $spots) = split /^## When time order hurts$/m, page('ranges');
my @blocks = grep { !/postgres_fdw/ } blocks_of($ranges);
# As the page says, newer versions of pg_partman have another word for it.
my $partman = value(q{SELECT default_version FROM pg_available_extensions WHERE name = 'pg_partman'});
s/'native'/'range'/ for grep { $partman !~ /^4/ } @blocks;
@blocks = grep { !/partman/ } @blocks if $partman eq '';
runs($_, 'ranges.md') for @blocks;
value(<<'SQL');
INSERT INTO photo SELECT id_make(at, 5, 0), 'photo' FROM generate_series('2026-09-01'::timestamptz, '2026-11-30 23:59:59', '10 minutes') AS at;
INSERT INTO event VALUES ('a day', '[2026-11-21, 2026-11-22)');
VACUUM ANALYZE;
SQL
my ($shown) = $ranges =~ /(Index Cond: \(\(id >= '\d+.*)/;
like(plan_of(q{SELECT id FROM photo WHERE id_within(id, '[2026-11-21, 2026-11-22)')}),
	qr/Index Only Scan.*\n.*\Q$shown\E/, 'EXPLAIN shows what the page shows');
my ($by_clock, $by_event) = $blocks[1] =~ /^(SELECT .*);$/mg;
like(plan_of($by_clock), qr/Index Cond: .*id_within_first\(tstzrange\(\(now\(\) - .*id_within_last/,
	'a period by the clock');
like(plan_of($by_event), qr/Index Cond: .*id_within_first\(event\.during/, 'a period of another table');

# Partitions by a calendar
is(scalar starts('photo_log', 'instagram'), 4, 'the procedure made the partitions of this month and three more');
value('CALL make_photo_log_partitions()');
is(scalar starts('photo_log', 'instagram'), 4, 'the procedure makes no other partition when it is called again');
value("INSERT INTO photo_log (title) VALUES ('now')");
value("INSERT INTO photo_log SELECT id_make(now() + interval '2 months', 5, 0), 'later'");
is( value("SELECT count(*) FROM photo_log WHERE tableoid::regclass::text = 'photo_log_' || to_char(id_time(id), 'YYYY_MM')"),
	2, 'rows are where their month is');

# Partitions by pg_partman, where there is a package of it
SKIP:
{
	skip 'no pg_partman', 8 if $partman eq '';
	my @days = starts('message', 'snowflake');
	is(scalar @days, 8, 'pg_partman made the partitions of today and seven days');
	is(scalar(grep { !/ 00:00:00\+00$/ } @days), 0, 'the partitions of pg_partman begin at midnight');
	value("INSERT INTO message (body) VALUES ('today')");
	is(value('SELECT count(*) FROM message_default'), 0, 'a new ID has its partition');
	for my $ahead (6, 12, 18, 24, 30, 36, 42)
	{
		value("INSERT INTO message SELECT id_make(now() + interval '$ahead days', 5, 0, 'snowflake'), 'later'");
		value('CALL partman.run_maintenance_proc()');
	}
	is(value('SELECT count(*) FROM message_default'), 0, 'maintenance keeps ahead of the rows');
	my @kept = starts('message', 'snowflake');
	cmp_ok(value(qq{SELECT '$kept[-1]'::timestamptz - id_time(max(id), 'snowflake') > interval '6 days' FROM message}),
		'eq', 't', 'a week ahead');
	cmp_ok(value(qq{SELECT id_time(max(id), 'snowflake') - '$kept[0]'::timestamptz < interval '32 days' FROM message}),
		'eq', 't', 'pg_partman drops what is older than 30 days');
	cmp_ok($kept[0], 'gt', $days[0], 'pg_partman drops the oldest partitions');
	my $within = plan_of(qq{SELECT * FROM message WHERE id_within(id, tstzrange('$kept[3]', '$kept[4]'), 'snowflake')});
	is(scalar(() = $within =~ /Scan using message_p\d+_pkey/g), 1, 'a day is one partition') or diag($within);
}

# A layout of your own
my ($own) = page('layouts') =~ /^## A layout of your own\n(.*?)^## /ms;
runs($_, 'layouts.md') for blocks_of($own);
# And two more like those.
value($_) for 'CREATE FUNCTION my_id_min(at timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN id_min(at, $$js53$$)',
  'CREATE FUNCTION my_id_shard(id bigint) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN id_shard(id, $$js53$$)';
value("INSERT INTO note (body) SELECT 'n' FROM generate_series(1, 100)");
my $rightly = q{id < 1::bigint << 53 AND my_id_time(id) > now() - interval '1 minute' AND my_id_shard(id) < 16};
is(value("SELECT count(*) FROM note WHERE $rightly"), 100,
	'the wrappers make and read js53');
my $period = "'[2026-11-21, 2026-11-22)'";
my $wrapped = plan_of("SELECT * FROM note WHERE my_id_within(id, $period)");
is($wrapped, plan_of("SELECT * FROM note WHERE id_within(id, $period, 'js53')"),
	'the wrapper has the plan of id_within');
($shown) = $own =~ /(Index Cond: .*)/;
like($wrapped, qr/\Q$shown\E/, 'the page shows the plan of the wrapper');
like(plan_of(q{EXECUTE within('(,)')}, 'PREPARE within(tstzrange) AS SELECT * FROM note WHERE my_id_within(id, $1)'),
	qr/Index Cond: .*id_within_first\(\$1, 'js53'.*id_within_last\(\$1, 'js53'/, 'the wrapper has the plan of id_within for a parameter, too');
is(value("SELECT my_id_min('2026-11-21') = id_min('2026-11-21', 'js53')"), 't',
	'the wrapper of bounds gives those of id_min');
value('ALTER SCHEMA public RENAME TO elsewhere');
is(value('SET search_path = pg_catalog; SELECT elsewhere.my_id_time(elsewhere.my_next_id()) IS NOT NULL'), 't',
	'whatever the name of their schema');
value('ALTER SCHEMA elsewhere RENAME TO public');

# BRIN, and columnar files: what the page says of them, then whether it is so.
like(page($_->[0]) =~ s/\s+/ /gr, qr/\Q$_->[1]\E/, "$_->[0].md says what is measured here")
  for [ ranges => 'it has 24 kB, and the B-tree 21 MB. One minute of 17 reads 7 % of the pages.' ],
  [ ranges => 'take 3.2 bytes each in Parquet' ], [ ranges => 'A `bigserial` takes 0.04, a random `bigint` 8.' ],
  [ ranges => 'all 2,000 had remainder 0' ];
value(<<'SQL');
CREATE TABLE measured AS SELECT id_make('2026-01-01Z'::timestamptz + n * interval '1 ms', 1 + n % 4, 0) AS id, repeat('x', 100) AS pad
  FROM generate_series(1, 1000000) n ORDER BY n + random() * 50;
CREATE INDEX measured_brin ON measured USING brin (id);
CREATE INDEX measured_btree ON measured (id);
VACUUM ANALYZE measured;
SQL
is(value(q{SELECT pg_size_pretty(pg_relation_size('measured_brin')), pg_size_pretty(pg_relation_size('measured_btree'))}), '24 kB|21 MB',
	'the sizes of a BRIN index and a B-tree');
value('DROP INDEX measured_btree');
my $plan = value(q{SET enable_seqscan = off; SET max_parallel_workers_per_gather = 0; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)
	SELECT count(*) FROM measured WHERE id_within(id, '[2026-01-01 00:10Z, 2026-01-01 00:11Z)')});
like($plan, qr/Bitmap Heap Scan on measured \(actual rows=60000\b/, 'a minute by the BRIN index');
my ($lossy) = $plan =~ /Heap Blocks: lossy=(\d+)/;
is(value("SELECT round(100.0 * $lossy / (pg_relation_size('measured') / 8192))"), 7, 'the share of pages that a minute takes, in %');
value('DROP TABLE measured');

# Bytes for each number in Parquet's DELTA_BINARY_PACKED: blocks of 128 differences, four parts of one width in each.
sub delta_packed
{
	my @numbers = @_;
	my $bytes = 16;
	my @differences = map { $numbers[ $_ + 1 ] - $numbers[$_] } 0 .. $#numbers - 1;
	while (my @block = splice @differences, 0, 128)
	{
		my ($least) = sort { $a <=> $b } @block;
		$bytes += 4 + int((bits(2 * abs $least) + 6) / 7 || 1);
		while (my @part = splice @block, 0, 32) { $bytes += 4 * bits((sort { $b <=> $a } @part)[0] - $least) }
	}
	return $bytes / @numbers;
}
sub bits { my ($number) = @_; return $number == 0 ? 0 : length sprintf '%b', $number }
srand 1;
my ($ms, $before, $sequence) = (480_000_000_000, 0, 0);
my @arrivals = map {
	$ms -= log(1 - rand);
	$sequence = int $ms == $before ? $sequence + 1 : 0;
	$before = int $ms;
	($before << 23) + (5 << 10) + $sequence
} 1 .. 100_000;
is(sprintf('%.1f', delta_packed(@arrivals)), '3.2', 'the size of IDs in a columnar file');
is(sprintf('%.2f', delta_packed(1 .. 100_000)), '0.04', 'and that of a bigserial');
is(sprintf('%.0f', delta_packed(map { int(rand 2**31) << 31 | int rand 2**31 } 1 .. 100_000)), '8', 'and that of random numbers');
cmp_ok(delta_packed(split /\n/, value('SELECT next_ids(100000)')), '<', 0.5, 'and about that of one statement');

# Hot spots
runs($_, 'ranges.md') for blocks_of($spots);
is(value('SELECT count(*) FROM reading') + value('SELECT count(*) FROM sample'), 2000,
	'both tables that spread have their rows');
my $every = 'SELECT id_make(now(), shard, 7) FROM generate_series(0, 99) AS shard';
value("INSERT INTO reading $every");
cmp_ok(value('SELECT count(DISTINCT tableoid) FROM reading'), '==', 8, 'shards spread over the partitions');
my $one = value('SELECT id FROM reading LIMIT 1');
refused("INSERT INTO reading VALUES ($one)", qr/duplicate key value violates unique constraint "reading_\d_pkey"/,
	'an ID is unique in the whole table');
refused('ALTER TABLE reading ADD PRIMARY KEY (id)', qr/cannot be used when partition keys include expressions/,
	'the parent can have no primary key');
refused('CREATE TABLE r (id bigint REFERENCES reading (id))', qr/no unique constraint/, 'the parent cannot be referred to');
refused("INSERT INTO reading VALUES ($one) ON CONFLICT (id) DO NOTHING", qr/no unique or exclusion constraint/,
	'the parent cannot be named in ON CONFLICT (id)');
is(value("INSERT INTO reading VALUES ($one) ON CONFLICT DO NOTHING; SELECT count(*) FROM reading WHERE id = $one"), 1,
	'the parent takes ON CONFLICT without a name');
refused('CREATE TABLE g (id bigint, s int GENERATED ALWAYS AS (id_shard(id)) STORED) PARTITION BY HASH (s)',
	qr/cannot use generated column in partition key/,
	'a generated column is no partition key');
value('CREATE TABLE slow (id bigint)');
value('DO $$ BEGIN FOR n IN 1..300 LOOP INSERT INTO slow VALUES (next_id()); PERFORM pg_sleep(0.002); END LOOP; END $$');
is(value('SELECT count(*) FILTER (WHERE id % 16 = 0), count(DISTINCT hashint8(id) & 15) FROM slow'), '300|16',
	'the low bits are 0 in slow tables, and a hash spreads them');
sub scans
{
	my ($where) = @_;
	return scalar(() = plan_of("SELECT * FROM reading WHERE $where") =~ /Scan using reading_\d_pkey/g);
}
is(scans("id = $one AND id_shard(id) = id_shard($one)"), 1, 'one row: one partition');
is(scans("id = $one"), 8, 'one row without its shard: all partitions');
is(scans(q{id_within(id, '[2026-11-21, 2026-11-22)') ORDER BY id}), 8, 'a period: all of them, by their keys');
like(plan_of("SELECT * FROM sample WHERE id = 5 AND id_shard(id) = id_shard(5)"), qr/Index Scan using sample_key/,
	'one row by the unique index');
like(value(q{SET enable_seqscan = off; EXPLAIN (COSTS OFF) SELECT * FROM sample WHERE id_within(id, '[2026-11-21, 2026-11-22)')}),
	qr/Bitmap Index Scan on sample_time/, 'a period by the BRIN index');
refused("INSERT INTO sample SELECT id FROM sample LIMIT 1", qr/duplicate key/, 'an ID is unique');
refused('ALTER TABLE sample REPLICA IDENTITY USING INDEX sample_key', qr/expression/,
	'the index of an expression is not a replica identity');

# Foreign tables: what the page says is sent on is sent on.
my ($foreign) = page('ranges') =~ /^### Foreign tables\n.*?^```sql\n(.*?)^```/ms;
my ($sent, $fetched) = map { [/^(EXPLAIN .*?;)$/mg] } split /^-- Every row is fetched:$/m, $foreign;
runs($foreign, 'foreign tables');
value(sprintf q{ALTER SERVER archive OPTIONS (SET host '%s', SET dbname 'postgres', ADD port '%s')}, $node->host, $node->port);
is("@{[ scalar @$sent, scalar @$fetched ]}", '3 1', 'the page has examples of both');
like(value($_), qr/Remote SQL: .* WHERE /, "sent on: $_") for @$sent;
unlike(value($_), qr/Remote SQL: .* WHERE /, "fetched: $_") for @$fetched;
is(value("SELECT count(*) FROM archived_photo WHERE id_within(id, (SELECT tstzrange(now() - interval '1 day', NULL)))"),
	value("SELECT count(*) FROM photo WHERE id_within(id, (SELECT tstzrange(now() - interval '1 day', NULL)))"),
	  'the foreign table gives the same rows');
refused("INSERT INTO archived_photo (title) VALUES ('new')", qr/null value in column "id"/, 'a foreign table has no default of its own');
value("CREATE FOREIGN TABLE titles (title text) SERVER archive OPTIONS (table_name 'photo')");
value("INSERT INTO titles VALUES ('by the remote default')");
is(value("SELECT id_shard(id) BETWEEN 0 AND 15 FROM photo WHERE title = 'by the remote default'"), 't',
	'without the column the remote default makes it');

done_testing();
