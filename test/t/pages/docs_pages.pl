# What docs/layouts.md and docs/installing.md say is true.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenMachine;
use IdgenNode;
use IdgenPages;
use IPC::Run ();
use PostgreSQL::Test::Utils;
use Test::More;

# What docs/layouts.md and docs/installing.md say is true: the table of presets, that every value stays, the calculator.
{
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
}

# How docs/layouts.md changes a layout, from the first block to the last, while sessions insert into its table: each ID is read by the
# layout that it was made with, and the old and the new ones sort by time.
{
	my $node = start_node('layouts', conf => ["idgen.shards = '5'"]);
	my $machine = IdgenMachine->new($node);
	my @blocks = grep { $_->{language} eq 'sql' } blocks('layouts');
	shift @blocks until $blocks[0]{section} eq 'Changing the layout';
	my ($first, @others) = @blocks;
	$machine->types($first);

	# Two sessions insert from now on, each row with the time of its clock.
	$node->safe_psql('postgres', 'CREATE TABLE stop (n int)');
	my $inserts = q{DO $$ BEGIN WHILE NOT EXISTS (SELECT FROM stop) LOOP INSERT INTO photo (title) VALUES ('live ' || clock_timestamp()); COMMIT; PERFORM pg_sleep(0.001); END LOOP; END $$};
	my @sessions = map { IPC::Run::start([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('postgres'), '-c', $inserts ], '<', \'', '>&', \my $said) } 1 .. 2;
	ok($node->poll_query_until('postgres', q{SELECT count(*) > 100 FROM photo WHERE title ~ '^live'}),
		'sessions insert old IDs');

	# All further blocks in one psql, as the page says.
	my $out = $machine->types({ %{ $others[0] }, section => 'all that follows' }, text => join "\n", map { $_->{text} } @others);
	die "the page has come to nothing\n" unless Test::More->builder->is_passing;
	my ($layout) = $out =~ /^long_form +\| (.*?) *$/m or die 'no layout';
	like($out, qr/^ begins_above \| none_reached *\n\S+\n t +\| t *$/m,
		'the layout begins above the boundary') or die "no new IDs come\n";
	like($out, qr/^ is_new \|.*\n\S+\n t /m, 'a row by the new default has a new ID');
	like($out, qr/^ event_new_\d{4}_\d\d$/m, 'a row by the new default lies in a partition of its own');
	ok($node->poll_query_until('postgres', qq{SELECT count(*) > 100 FROM photo WHERE title ~ '^live' AND id >= id_min(now() - interval '1 hour', '$layout')}),
		'the sessions insert new IDs');
	$node->safe_psql('postgres', 'INSERT INTO stop VALUES (1)');
	$_->finish for @sessions;
	is(join(' ', map { $_->full_result(0) } @sessions), '0 0', 'neither of the sessions that insert had an error');

	is($node->safe_psql('postgres', q{SELECT bool_and(before <= time) FROM
		(SELECT time, lag(time) OVER (ORDER BY id) AS before FROM (SELECT id, id_time(id, photo_layout(id)) AS time FROM photo) AS p) AS q}), 't', 'old ones and new ones sort by time');

	# Whoever still makes old IDs may, until the boundary.
	$node->safe_psql('postgres', q{INSERT INTO photo SELECT next_id(), 'live ' || clock_timestamp()});
	my $live = q{(SELECT id, photo_layout(id) AS layout, substr(title, 6)::timestamptz AS at FROM photo WHERE title ~ '^live') AS l};
	my $near = q{abs(extract(epoch FROM id_time(id, %s) - at)) < 3600};
	is($node->safe_psql('postgres', "SELECT bool_and($near), count(DISTINCT layout::text) FROM $live" =~ s/%s/layout/r),
		't|2', 'each is read by its own layout');
	is($node->safe_psql('postgres', "SELECT bool_or($near) FROM $live WHERE layout::text <> 'instagram'" =~ s/%s/'instagram'/r), 'f',
	  'IDs of the new layout would be read wrong by the old one');
	my $period = "tstzrange((SELECT percentile_disc(0.1) WITHIN GROUP (ORDER BY at) FROM $live), (SELECT percentile_disc(0.9) WITHIN GROUP (ORDER BY at) FROM $live))";
	is($node->safe_psql('postgres', "SELECT count(*) FILTER (WHERE photo_within(id, $period)) - count(*) FILTER (WHERE id_time(id, photo_layout(id)) <\@ $period) FROM photo"),
		0, 'a period has the same rows');
	my $plan = $node->safe_psql('postgres', q{SET enable_seqscan = off; EXPLAIN SELECT * FROM photo WHERE photo_within(id, tstzrange(now() - interval '1 hour', NULL))});
	is(scalar(() = $plan =~ /Index Cond: \(\(id >?<?=? '\d+'::bigint\) AND \(id >= id_within_first\(/g), 2,
	  'a period is read by two ranges of the index') or diag($plan);

	# Every row in the new layout, by the steps of docs/migration.md with the differences that the page names.
	my ($start, $column, $update) = page('layouts') =~ /`(CALL idgen_migrate\.uuid_start[^`]*)`.*`(ALTER TABLE album [^`]*)`.*`(UPDATE album [^`]*)`/s or die 'the page names no differences';
	$node->safe_psql('postgres', <<"SQL");
CREATE EXTENSION idgen_migrate;
CREATE TABLE album (id bigint PRIMARY KEY DEFAULT next_id(), title text);
CREATE TABLE track (album_id bigint NOT NULL REFERENCES album, title text);
INSERT INTO album SELECT id_make(now() - n * interval '1 hour', 5, 0), 'album ' || n FROM generate_series(1, 100) n;
INSERT INTO track SELECT id, 'track ' || n FROM album, generate_series(1, 3) n;
SELECT * FROM idgen_migrate.check('uuid', 'album', 'new_id', layout => 'js53');
$start;
CREATE UNIQUE INDEX CONCURRENTLY album_new_id_key ON album (new_id);
CREATE UNIQUE INDEX CONCURRENTLY album_id_key ON album (id);
$column;
$update;
CALL idgen_migrate.backfill('album', 'new_id', 'made_at', shard => 7, layout => 'js53');
CALL idgen_migrate.uuid_link('album', 'new_id');
CREATE INDEX CONCURRENTLY track_album_id_new_id_idx ON track (album_id_new_id);
CALL idgen_migrate.uuid_switch('album', 'new_id');
SQL
	is($node->safe_psql('postgres', q{SELECT count(*), bool_and(id_time(new_id, 'js53') = date_trunc('second', id_time(id))), bool_and(new_id < 2 ^ 53),
		array_agg(id ORDER BY id) = array_agg(id ORDER BY new_id) FROM album}), '100|t|t|t', 'new IDs of the same times, in the same order');
	is($node->safe_psql('postgres', q{SELECT count(*), bool_and(a.id = t.album_id) FROM album a JOIN track t ON t.album_id_new_id = a.new_id}),
		'300|t', 'references have them');
	is($node->safe_psql('postgres', q{INSERT INTO album (title) VALUES ('new') RETURNING new_id < 2 ^ 53}), 't',
		'new rows have IDs of the new layout');
}

# A dump of a database that has idgen in one schema goes into one that has it in another, as docs/installing.md says.
{
	my $node = start_node('dumps', extension => 0, conf => [ "idgen.shards = '5'", "timezone = 'UTC'" ]);
	@ENV{qw(PGHOST PGPORT PGUSER)} = ($node->host, $node->port, scalar getpwuid $<);
	$node->safe_psql('postgres', 'CREATE DATABASE one; CREATE DATABASE two');
	$node->safe_psql('one', <<'SQL');
CREATE EXTENSION idgen_kinds CASCADE;
CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id(), code id64 GENERATED ALWAYS AS (id::id64) STORED, layout id_layout, note text,
	upload ulid DEFAULT next_ulid(), codes id64[], CHECK (id_time(id) > '2020-01-01Z'), CHECK (layout <> 'trace'));
CREATE INDEX photo_id_time_idx ON photo (id_time(id));
CREATE INDEX photo_brin ON photo USING brin (code id64_minmax_multi_ops);
CREATE VIEW recent AS SELECT next_id() AS next, id_to_base62(id), note FROM photo WHERE id_within(id, '[2020-01-01, infinity)') AND id = code AND code >= 5;
CREATE FUNCTION note_of(wanted id64) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT note FROM public.photo WHERE code OPERATOR(public.=) wanted::public.id64); END $$;
CREATE TABLE id_times (public text);
INSERT INTO photo (layout, note, codes) VALUES ('js53', 'text of public.next_id() and OPERATOR(public.=)', ARRAY[next_id()]::id64[]), (NULL, 'other', NULL);
SQL
	$node->safe_psql('two', <<'SQL');
CREATE SCHEMA ids;
CREATE EXTENSION idgen SCHEMA ids;
CREATE EXTENSION idgen_kinds SCHEMA ids;
CREATE TABLE there (id ids.id64 PRIMARY KEY DEFAULT ids.next_id());
INSERT INTO there DEFAULT VALUES;
SQL

	sub fails_in_two
	{
		my ($command) = @_;
		my $done = IPC::Run::run([ 'bash', '-o', 'pipefail', '-c', $command ], '<', \undef, '>', \my $out, '2>', \my $error);
		return $done ? '' : $error;
	}
	like(fails_in_two('pg_dump -d one | psql -X -q -v ON_ERROR_STOP=1 -1 -d two'), qr/type (?:"public\.id64"|public\.id64) does not exist/, 'as it is, the dump fails');
	like(($node->psql('two', 'ALTER EXTENSION idgen SET SCHEMA public'))[2], qr/does not support SET SCHEMA/, 'the extension stays in its schema');

	my $shown = q{SELECT id, code::text, layout::text, note, upload::text, codes::text FROM photo ORDER BY id};
	my ($command) = map { $_->{text} } grep { $_->{section} eq 'Into a database that has idgen in another schema' } blocks('installing');
	is(fails_in_two($command), '', 'the commands of the page');
	is($node->safe_psql('two', "SET search_path = public, ids; $shown"), $node->safe_psql('one', $shown), 'the rows are the same, also what they say of public');
	$node->safe_psql('two', q{SET search_path = ''; INSERT INTO public.photo (note) VALUES ('new')});
	is($node->safe_psql('two', q{SET search_path = public, ids; SELECT count(*), max(id_shard(id)), count(DISTINCT next) FROM photo, recent}), '9|5|3', 'the default and the view work');
	is($node->safe_psql('two', q{SET search_path = public, ids; SELECT count(*) FROM photo WHERE note_of(code) = note}), 3, 'a function that names the schema works');
	is($node->safe_psql('two', q{SELECT count(*) FROM pg_extension e JOIN pg_namespace n ON n.oid = extnamespace WHERE extname ~ '^idgen' AND nspname = 'ids'}), 2, 'the extensions are where they were');
	is($node->safe_psql('two', q{SELECT count(*) FROM pg_class WHERE relname IN ('photo_id_time_idx', 'photo_brin', 'id_times') AND relnamespace = 'public'::regnamespace}), 3, 'the other names stay in public');
}

done_testing();
