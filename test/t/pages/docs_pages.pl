# What docs/layouts.md and docs/installing.md say is true: the table of presets, that every value stays, the calculator.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use IdgenPages;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('pages', kinds => 1, conf => [ "idgen.shards = '5'", "timezone = 'UTC'" ]);
# The table of presets: each one, in the order of id_layouts(), with what the server says of it.
my ($table) = page('layouts') =~ /^## Presets\n(.*?)^## /ms;
my @described = map { [ map { s/`//gr } split / \| /, s/^\| | \|$//gr ] } grep { /^\| `/ } split /\n/, $table;
my @presets = map { [ split /\|/, $_ ] } split /\n/, $node->safe_psql('postgres', <<'SQL');
SELECT name || CASE WHEN name::id_layout = 'instagram' THEN ' (default)' ELSE '' END,
       to_char(extract(epoch FROM first_time) * 1000, 'FM999999999999990') || to_char(first_time, ' (YYYY-MM-DD)'),
       CASE extract(epoch FROM tick) WHEN 1 THEN '1 s' ELSE extract(epoch FROM tick) * 1000 || ' ms' END,
       (SELECT string_agg(regexp_replace(regexp_replace(replace(word, '=', ' '), 'w$', ' wrapping'), '[+]1$', ' from 1'), ', ' ORDER BY n)
          FROM string_to_table(l.long_form, ' ') WITH ORDINALITY AS w (word, n) WHERE word !~ '^(epoch|unit)='),
       to_char(ids_per_tick, 'FM999,999,999'),
       CASE WHEN wraps THEN 'wraps every ' || extract(day FROM last_time + tick - first_time) || ' days' ELSE to_char(last_time + tick, 'YYYY-MM-DD') END
  FROM id_layouts() AS l, id_layout_info(name::id_layout)
SQL
is(scalar @described, scalar @presets, 'docs/layouts.md describes each preset');
for (0 .. $#presets)
{
	my ($row, $preset) = ($described[$_] // [], $presets[$_]);
	(my $per_tick = $row->[4] // '') =~ s/ (?:a m?s|in \d+ ms)$//;
	is(join(' | ', @$row[ 0 .. 3 ], $per_tick, $row->[5] // ''), join(' | ', map { s/\.0+(?= ms)//r } @$preset), "docs/layouts.md, $preset->[0]");
}

# Uninstalling: what the page changes keeps all its values, and nothing is left that needs the extension.
$node->safe_psql('postgres', 'CREATE DATABASE leaving');
my @blocks = grep { $_->{language} eq 'sql' } blocks('installing');
shift @blocks until $blocks[0]{section} eq 'What calls a function of idgen';
my @steps = map { $_->{text} } @blocks;
# What the page says of tables partitioned by an id64.
splice @steps, 2, 0, <<'SQL';
BEGIN;
ALTER TABLE event DETACH PARTITION event_old;
ALTER TABLE event DETACH PARTITION event_new;
ALTER TABLE event_old ALTER id DROP DEFAULT, ALTER id TYPE bigint;
ALTER TABLE event_new ALTER id DROP DEFAULT, ALTER id TYPE bigint;
CREATE TABLE event_bigint (id bigint PRIMARY KEY, n text) PARTITION BY RANGE (id);
ALTER TABLE event_bigint ATTACH PARTITION event_old FOR VALUES FROM (MINVALUE) TO (4020418040280645632);
ALTER TABLE event_bigint ATTACH PARTITION event_new FOR VALUES FROM (4020418040280645632) TO (MAXVALUE);
DROP TABLE event;
ALTER TABLE event_bigint RENAME TO event;
COMMIT;
SQL
$node->safe_psql('leaving', <<'SQL');
CREATE EXTENSION idgen_kinds CASCADE;
CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id(), n int, code text GENERATED ALWAYS AS (id_to_base62(id)) STORED,
                    CONSTRAINT photo_id_check CHECK (id_within(id, '[2020-01-01,)')));
CREATE INDEX photo_by_day ON photo (id_time(id));
CREATE VIEW recent_photo AS SELECT * FROM photo WHERE id_within(id, tstzrange(now(), NULL));
CREATE TABLE album (id id64 PRIMARY KEY DEFAULT next_id(), n int);
CREATE TABLE visit (id ulid PRIMARY KEY DEFAULT next_ulid(), n int);
CREATE TABLE guest (id ulid PRIMARY KEY DEFAULT next_ulid(), n int);
CREATE TABLE upload (id ksuid PRIMARY KEY DEFAULT next_ksuid(), n int);
CREATE TABLE device (id objectid PRIMARY KEY DEFAULT next_objectid(), n int);
CREATE TABLE kind (layout id_layout DEFAULT 'js53', n int);
CREATE TABLE event (id id64 PRIMARY KEY DEFAULT next_id(), n text) PARTITION BY RANGE (id);
CREATE TABLE event_old PARTITION OF event FOR VALUES FROM (MINVALUE) TO (4020418040280645632::bigint::id64);
CREATE TABLE event_new PARTITION OF event FOR VALUES FROM (4020418040280645632::bigint::id64) TO (MAXVALUE);
INSERT INTO photo (n) SELECT generate_series(1, 100);
INSERT INTO album (n) SELECT generate_series(1, 100);
INSERT INTO visit (n) SELECT generate_series(1, 100);
INSERT INTO guest SELECT next_ulid(), n FROM generate_series(1, 100) AS n;
INSERT INTO upload SELECT ksuid_make('2026-01-01'::timestamptz + n * interval '1 s', decode(repeat('ab', 16), 'hex')), n FROM generate_series(1, 100) AS n;
INSERT INTO device SELECT objectid_make('2026-01-01'::timestamptz + n * interval '1 s', decode(repeat('ab', 8), 'hex')), n FROM generate_series(1, 100) AS n;
INSERT INTO kind SELECT ('epoch=2020-01-01 unit=1ms time=41 shard=3 sequence=' || n)::id_layout, n FROM generate_series(1, 9) AS n;
INSERT INTO event SELECT id_make('2026-10-01'::timestamptz + n * interval '1 day', 5, 0), n FROM generate_series(0, 99) AS n;
SQL
my $in_order = join ' UNION ALL ',
  map { "SELECT '$_' AS of, count(*), array_agg(n::int ORDER BY id) = array_agg(n::int ORDER BY n::int) AS rising FROM $_" }
  qw(photo album visit guest upload device event);
my $values = sub {
	return join "\n", map { scalar $node->safe_psql('leaving', $_) } 'SELECT id, code FROM photo ORDER BY n', 'SELECT id::bigint FROM album ORDER BY n',
	  'SELECT id::uuid FROM visit ORDER BY n', 'SELECT id::text FROM guest ORDER BY n', 'SELECT id::text FROM upload ORDER BY n',
	  'SELECT id::bytea FROM device ORDER BY n', 'SELECT layout::text FROM kind ORDER BY n', 'SELECT id::bigint, n FROM event ORDER BY id';
};
my ($before, $order) = ($values->(), $node->safe_psql('leaving', $in_order));
my (undef, undef, $refusal) = $node->psql('leaving', 'DROP EXTENSION idgen_kinds, idgen');
like($refusal, qr/depend on them\nDETAIL:/, 'without CASCADE nothing is lost');
like($refusal, qr/^(DETAIL:  )?\Q$_\E$/m, 'the DETAIL is as docs/installing.md has it')
  for page('installing') =~ /^    (?:DETAIL:  )?(.* depends on .*)$/gm;
for my $number (1 .. @steps - 1)
{
	my ($status, $out, $error) = $node->psql('leaving', $steps[ $number - 1 ], on_error_stop => 1);
	is("$status $error", '0 ', "docs/installing.md, step $number: no error");
}
is($node->safe_psql('leaving', $steps[-1]), '', 'docs/installing.md: the extension goes without CASCADE');
is($values->(), $before, 'every value stays');
is($node->safe_psql('leaving', $in_order), $order, 'every row stays in the same order');
is($node->safe_psql('leaving', 'INSERT INTO photo (n) VALUES (101); SELECT n FROM photo ORDER BY id DESC LIMIT 1'), 101,
  'docs/installing.md: new rows sort after the old ones');

# The calculator: each layout holds what was asked of it, and would not with a bit less in any field.
my $query = block('layouts', 'How many bits do I need?', 'sql');
$query =~ s/\(VALUES\n.*?\n\), bits/(SELECT * FROM asked), bits/s or die 'no values in the query';
$query =~ s/;\s*\z//;
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE asked AS
SELECT row_number() OVER () AS who, nodes, ids_per_second, burst, years, unit_us
  FROM unnest('{1, 2, 3, 64, 65}'::int[]) AS nodes, unnest('{1, 1000, 1024, 1025, 999999}'::int[]) AS ids_per_second,
       unnest('{1, 8}'::int[]) AS burst, unnest('{1, 33, 100}'::int[]) AS years, unnest('{100, 1000, 10000, 1000000}'::int[]) AS unit_us;
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
       LATERAL (SELECT asked.ids_per_second / 1000000.0 * unit_us * burst AS per_tick) AS p
SQL
	'600|t|t|t|t|t', 'the calculator gives as many bits as are needed');
$node->safe_psql('postgres', "DROP TABLE given; TRUNCATE asked; INSERT INTO asked VALUES (1, 100000, 100000000, 1, 100, 1000)");
is($node->safe_psql('postgres', "SELECT spare, ends IS NULL FROM ($query) AS q"), '-13|t',
	'the calculator says what does not fit');

done_testing();
