# How docs/layouts.md changes a layout, from the first block to the last, while sessions insert into its table: each ID is read by the
# layout that it was made with, and the old and the new ones sort by time.
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

done_testing();
