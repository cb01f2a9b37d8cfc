# The readers of idgen in SQL alone are those of the extension: pg_regress' files of the readers give the same output
# but for what docs/sql-only.md says, and beside each other in one database both give the same for random IDs, times,
# periods and layouts.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenNode;
use IdgenSqlOnly;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = two_editions('sql_only_readers');
my $session = connect_to($node);
my $tree = "$FindBin::Bin/../..";
my ($differences) = page_of_sql_only() =~ /^## What differs\n(.*?)^## /ms or die 'the page has no list of what differs';
$differences =~ s/\s+/ /g;

# The differences, each by the words of the page that say so: which statements are left out, and what is read as the
# same. Each is to be used.
my @rules = (
	{ says => '`id_layout` is a domain', same => sub { s/::id_layout\b/::text/g; s/\(((?:\w+\.)?layout|\$\d)\)::text/$1/g } },
	{ says => 'keeps it as it was written', same => sub { s/\bepoch=2020-01-01 unit=1ms time=1 shard=31/epoch=2020-01-01T00:00:00Z unit=1ms time=1 shard=31/ } },
	{ says => 'keeps it as it was written', leave_out => qr/SELECT layout::id_layout|^SELECT layout, count|layout::text::id_layout = layout/m },
	{ says => 'a misspelled preset', same => sub { s/Perhaps you meant "\w+"\. //g } },
	{ says => 'compared as texts', leave_out => qr/'snowflake'::id_layout =/ },
	{ says => 'no binary form', leave_out => qr/id_layout_send|id_layout_hash|^\\copy received|^SELECT count\(\*\) FROM received|FROM received;$|FROM layouts JOIN/m },
	{ says => '`id_within(NULL, …)`', leave_out => qr/id_within\(NULL, '\(,\)', 'trace'\)/ },
	{ says => '`id_partition_bounds`', leave_out => qr/never/, used => 1 },
);

# A file's statements with what they gave: the output of psql -a, cut before each line of the file.
sub results_of
{
	my ($lines, $output) = @_;
	my @results = (['', '']);
	my $next = 0;
	for my $line (split /\n/, $output)
	{
		if ($next < @$lines && $line eq $lines->[$next])
		{
			push @results, ['', ''] if $results[-1][1] ne '';
			$results[-1][0] .= "$line\n";
			$next++;
			$next++ while $next < @$lines && $lines->[$next] eq '';
		}
		else
		{
			$results[-1][1] .= "$line\n";
		}
	}
	return @results;
}

# The same without what only widths of columns make.
sub plain
{
	my ($text, $rule) = @_;
	local $_ = $text;
	for my $rule (grep { $_->{same} } @rules)
	{
		my $before = $_;
		$rule->{same}->();
		$rule->{used} ||= $before ne $_;
	}
	s/ +/ /g;
	s/-{2,}/-/g;
	s/ +$//mg;
	return $_;
}

# What SQL alone does not have, and what install.sql gives the other files.
$session->do(<<'SQL');
CREATE FUNCTION public.id_partition_bounds("from" timestamptz, "to" timestamptz, step interval, OUT suffix text, OUT lower bigint, OUT upper bigint)
    RETURNS SETOF record LANGUAGE sql AS 'SELECT * FROM ext.id_partition_bounds($1, $2, $3)';
CREATE FUNCTION public.id_layouts(OUT name text, OUT long_form text) RETURNS SETOF record LANGUAGE sql AS 'SELECT * FROM ext.id_layouts()'
SQL
my $vectors = slurp_file("$tree/sql/vectors.sql") =~ s{FROM 'test/}{FROM '$tree/test/}gr;
IPC::Run::run([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-h', $node->host, '-p', $node->port, 'postgres' ], '<', \$vectors) or die 'no vectors';
my ($refusals) = slurp_file("$tree/sql/helpers.sql") =~ /^(CREATE FUNCTION refusals.*)/ms;
$session->do($refusals);
mkdir 'results' unless -d 'results';

# What follows a line of a file, or comes before one.
my %part = (
	bounds => [ 'range', qr/^.*?(?=^-- id_partition_bounds: )/ms ],
	within => [ 'range', qr/^-- id_within: the rows.*/ms ],
	text   => [ 'text',  qr/^.*?(?=^-- Encrypted and public IDs)/ms ]);
for my $name (qw(readers bounds within text layout))
{
	my ($file, $part) = @{ $part{$name} // [ $name, qr/.*/s ] };
	my ($sql, $expected) = map { slurp_file("$tree/$_") =~ /($part)/ ? $1 : die "$_: no $part" } "sql/$file.sql", "expected/$file.out";
	local $ENV{PGTZ} = 'America/Los_Angeles';
	local $ENV{PGDATESTYLE} = 'Postgres, MDY';
	local $ENV{PGOPTIONS} = '-c intervalstyle=postgres_verbose -c search_path=idgen_sql,public';
	my $output = '';
	IPC::Run::run([ 'psql', '-X', '-a', '-q', '-v', 'HIDE_TABLEAM=on', '-v', 'SHOW_CONTEXT=never', '-h', $node->host, '-p', $node->port, 'postgres' ],
		'<', \$sql, '>&', \$output);
	my @lines = grep { $_ ne '' } split /\n/, $sql;
	my @wanted = results_of(\@lines, $expected);
	my @given = results_of(\@lines, $output);
	my ($same, $left_out) = (0, 0);
	my %given = map { $_->[0] => $_->[1] } @given;
	for my $result (@wanted)
	{
		my ($statement, $wanted) = @$result;
		my @reasons = grep { $_->{leave_out} && $statement =~ $_->{leave_out} } @rules;
		$_->{used} = 1 for @reasons;
		if (@reasons) { $left_out++ }
		elsif (defined $given{$statement} && plain($given{$statement}) eq plain($wanted)) { $same++ }
		else { is($given{$statement}, $wanted, "$name.sql: $statement") }
	}
	cmp_ok($same, '>', 5, "$name.sql: $same results are those of the extension, $left_out left out");
}
for my $rule (@rules)
{
	ok(index($differences, $rule->{says}) >= 0, "docs/sql-only.md says: $rule->{says}");
	ok($rule->{used}, "a test finds what docs/sql-only.md says: $rule->{says}");
}

# Beside each other: random IDs, instants and periods, in presets and long forms.
my @layouts = (
	@{ $session->selectcol_arrayref('SELECT name FROM ext.id_layouts()') },
	'epoch=2020-01-01 unit=10ms time=39 sequence=8+1 region=4 shard=8', 'epoch=0001-01-01 unit=7ms time=40 sequence=10',
	'epoch=1066-10-14 unit=1s time=40 shard=8 sequence=8', 'epoch=2020-01-01 unit=1ms time=41',
	'epoch=1999-12-31T23:59:59.999Z unit=999ms time=30w region=2 shard=20', 'epoch=9999-12-31 unit=1s time=40 shard=20',
	map { "epoch=2020-01-01T00:00:00.001Z unit=$_ time=45 shard=8 sequence=8" } '1us', '10us', '100us', '125us', '1500us', '65537us');
$session->do("SET TimeZone = 'UTC'");
$session->do('SELECT setseed(0.5)');
my %compare = (
	'readers' => ['(%1$s.id_time(id, %2$s), %1$s.id_shard(id, %2$s), %1$s.id_region(id, %2$s), %1$s.id_sequence(id, %2$s), %1$s.id_time_near(id, at, %2$s),'
		. ' d.created_at, d.shard, d.sequence, %1$s.id_to_base62(id), %1$s.id_to_base32(id, true), %1$s.id_to_base64url(id))', 'LEFT JOIN LATERAL %1$s.id_decode(id, %2$s) d ON true'],
	'bounds' => ['CASE WHEN inside THEN ARRAY[%1$s.id_min(at, %2$s), %1$s.id_max(at, %2$s)] END', '', 'no_wrap'],
	'periods' => ['(%1$s.id_within(id, period, %2$s), %1$s.id_within_first(period, %2$s), %1$s.id_within_last(period, %2$s))', '', 'no_wrap'],
	'parts' => ['CASE WHEN inside THEN %1$s.id_make(at, shard, sequence, %2$s) END', ''],
	'uuids' => ['CASE WHEN id BETWEEN 0 AND largest_id AND ext.id_time(id, %3$s) BETWEEN \'1970-01-01\' AND \'10889-01-01\''
		. ' THEN (%1$s.id_to_uuid(id, %2$s), %1$s.id_from_uuid(ext.id_to_uuid(id, %3$s), %2$s)) END', ''],
	'random uuids' => ['CASE WHEN id BETWEEN 0 AND largest_id THEN (left(%1$s.id_to_uuidv8(id, %2$s)::text, 20), %1$s.id_from_uuid(ext.id_to_uuidv8(id, %3$s), %2$s),'
		. ' ext.id_from_uuid(%1$s.id_to_uuidv8(id, %2$s), %3$s)) END', ''],
	'texts' => ['(%1$s.id_from_base62(ext.id_to_base62(id)), %1$s.id_from_base32(lower(ext.id_to_base32(id))), %1$s.id_from_base64url(ext.id_to_base64url(id), true))', ''],
);
my $compared = 0;
for my $layout (@layouts)
{
	my ($text, $type) = ($session->quote($layout), $session->quote($layout) . '::ext.id_layout');
	my $wraps = value_of($session, "SELECT wraps FROM ext.id_layout_info($type)");
	$session->do('DROP TABLE IF EXISTS sample');
	# IDs of all sizes; instants in and around the layout's time, at ticks and off them; periods with any bounds.
	$session->do(<<"SQL");
CREATE TABLE sample AS
SELECT id, at, at BETWEEN info.first_time AND info.last_time AND at <> info.first_time AS inside, info.largest_id,
       CASE WHEN info.one_node THEN 0 ELSE floor(random() * info.shards)::bigint END AS shard,
       (CASE WHEN long_form ~ '[+]1' THEN 1 ELSE 0 END + floor(random() * info.ids_per_tick))::integer AS sequence,
       CASE (random() * 9)::int WHEN 0 THEN 'empty' WHEN 1 THEN tstzrange(NULL, at, '(]') WHEN 2 THEN tstzrange(at, NULL, '()') WHEN 3 THEN tstzrange('-infinity', at, '[]')
            ELSE tstzrange(at, at + random() * random() * interval '1 year' * (random() * 10)::int, (ARRAY['[]', '[)', '(]', '()'])[1 + floor(random() * 4)]) END AS period
  FROM ext.id_layout_info($type) AS info, generate_series(1, 6250) AS n,
       LATERAL (SELECT CASE n % 3 WHEN 0 THEN ((random() - 0.1) * 1e18)::bigint * 9 WHEN 1 THEN floor(random() * info.largest_id)::numeric::bigint
                       ELSE ((random() * 2 ^ (n % 60))::bigint) END AS id,
                       date_trunc((ARRAY['microseconds', 'milliseconds', 'second', 'day'])[1 + n % 4],
                           info.first_time + (random() * 1.02 - 0.01) * least(info.last_time - info.first_time, interval '280000 years' - (info.first_time - '0001-01-01'))) AS at) AS r
SQL
	for my $what (sort keys %compare)
	{
		my ($value, $from, $but) = @{ $compare{$what} };
		next if $but && $wraps;
		my @query = map { sprintf "(SELECT array_agg(($value)::text ORDER BY id, at, s.ctid) FROM sample s $from)", @$_ } [ 'idgen_sql', $text, $type ], [ 'ext', $type, $type ];
		my $different = value_of($session, <<"SQL");
SELECT count(*) || ' values, such as ' || min(concat_ws(' instead of ', a, b)) FROM unnest($query[0], $query[1]) AS v (a, b) WHERE a IS DISTINCT FROM b HAVING count(*) > 0
SQL
		is($different, undef, "$layout: $what");
	}
	is(value_of($session, "SELECT i::text FROM idgen_sql.id_layout_info($text) i"),
		value_of($session, "SELECT i::text FROM ext.id_layout_info($type) i"), "$layout: id_layout_info");
	$compared += value_of($session, 'SELECT count(*) FROM sample');
}
cmp_ok($compared, '>=', 100_000, 'more than 100,000 random IDs, instants and periods');

# Random layouts, most of them right: both read them alike, or refuse them alike.
$session->do(<<'SQL');
CREATE FUNCTION outcome(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE query INTO result;
    RETURN result;
EXCEPTION WHEN OTHERS THEN
    RETURN concat(sqlstate, ' ', sqlerrm);
END
$$
SQL
my $layouts_sql = <<'SQL';
WITH drawn AS (
    SELECT n, format('epoch=%s unit=%s%s %s', (ARRAY['2020-01-01', '1582-10-15T00:00:00.5Z', '9999-12-31T23:59:59.999Z', '0001-01-01', '2021-02-29', '2020-1-1'])[1 + floor(random() ^ 2 * 6)],
                     ceil(random() * 1005), (ARRAY['ms', 'ms', 'us', '000us', '500us'])[1 + floor(random() * 5)], array_to_string(ARRAY(
               SELECT f.name || '=' || ceil(random() * f.most) || CASE WHEN random() < 0.1 THEN (ARRAY['w', '+1'])[1 + floor(random() * 2)] ELSE '' END
                 FROM (VALUES (1, 'time', 55), (2, 'region', 6), (3, 'shard', 16), (4, 'sequence', 16)) AS f (rank, name, most)
                WHERE f.name = 'time' OR random() + n * 0 < 0.7 ORDER BY CASE WHEN random() < 0.8 THEN rank ELSE random() * 5 END), ' ')) AS layout
      FROM generate_series(1, 2000) AS n)
SELECT count(*), count(*) FILTER (WHERE theirs ~ '^epoch='), string_agg(layout || ': ' || ours || ' instead of ' || theirs, E'\n') FILTER (WHERE ours IS DISTINCT FROM theirs)
  FROM (SELECT layout, outcome(format('SELECT idgen_sql.idgen_layout_text(%L)', layout)) AS ours, outcome(format('SELECT %L::ext.id_layout', layout)) AS theirs FROM drawn) AS o
SQL
my ($count, $right, $other) = $session->selectrow_array($layouts_sql);
is($other, undef, "$count random layouts, of which $right are right");
cmp_ok($right, '>', 300, 'enough of them are right');

# A text has whatever collation the caller's column has: one that takes letters and punctuation loosely changes nothing.
if (make_loose_collation($session))
{
	my @layouts = ('instagram', 'Instagram', 'js-53', ' snowflake ', 'epoch=2020-01-01 unit=1ms time=41 shard=10 sequence=12', 'epoch=2020-01-01 unit=1MS time=41', 'EPOCH=2020-01-01 unit=1ms time=41');
	my @texts = ('a', 'A', 'a-bo', 'A_-', 'u', '*', '');
	my %call = (
		(map { $_ => \@layouts } 'id_layout_info(%s)::text', 'id_time(1000000000, %s)', q{id_min('2026-01-01', %s)}, q{id_within_last('[2026-01-01,)', %s)}, 'id_decode(1000000000, %s)::text'),
		(map { $_ => \@texts } map({ ("$_(%s)", "$_(%s, short => true)") } qw(id_from_base62 id_from_base32 id_from_base64url))),
		'id_from_base32(%s, true, true)' => [ map { ("A$_", "10$_", "a-$_-") } split //, '01Zu*~$=U' ],
	);
	for my $call (sort keys %call)
	{
		my ($ours, $theirs) = map { my ($schema, $collation) = @$_; [ map { value_of($session, 'SELECT outcome(?)', "SELECT $schema." . sprintf $call, "'$_'$collation") } @{ $call{$call} } ] }
		  [ 'idgen_sql', ' COLLATE loose' ], [ 'ext', '' ];
		is_deeply($ours, $theirs, "$call of a loose collation");
	}
}
is(value_of($session, q{SELECT pg_collation_for(NULL::idgen_sql.id_layout)}), '"C"',
	'layouts are sorted as bytes, whatever the locale');

# Constant layouts leave shifts and masks, and nothing that is called.
my $plan = join "\n", @{ $session->selectcol_arrayref('EXPLAIN (VERBOSE, COSTS OFF) SELECT idgen_sql.id_shard(id), idgen_sql.id_sequence(id), idgen_sql.id_region(id, \'twitter\') FROM sample') };
unlike($plan, qr/idgen/, 'readers of a constant layout call no function');
like($plan, qr/>> 10\) & '?8191/, 'readers of a constant layout shift and mask');
is(value_of($session, q{SELECT '2026-11-21'::timestamptz = idgen_sql.id_time(idgen_sql.id_make('2026-11-21', 5, 6))}), 1,
  'an ID made at an instant has that instant');

done_testing();
