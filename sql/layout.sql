-- The type id_layout: text and binary form, equality, hash, and what id_layout_info says.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
SET IntervalStyle = 'postgres';

-- A preset's name, or the long form; printed as the name where it equals a preset.
SELECT layout::id_layout
  FROM unnest(ARRAY[
      'instagram',
      '  instagram  ',
      'Instagram',
      'SNOWFLAKE',
      'epoch=2011-08-24T21:07:01.721Z unit=1ms time=41 shard=13 sequence=10',
      'epoch=2011-08-24T21:07:01.721Z, unit=1ms, time=41,shard=13,sequence=10',
      'unit=1ms epoch=2011-08-24T21:07:01.721Z time=41 shard=13 sequence=10',
      'time=41 shard=13 sequence=10 unit=1ms epoch=2011-08-24T21:07:01.721Z',
      E'epoch=2011-08-24T21:07:01.721Z\n  unit=1ms\ttime=41 shard=13 sequence=10',
      'epoch=1970-01-01T00:00:00Z unit=1s time=25w shard=16 sequence=22+1',
      'epoch=1970-01-01 unit=1000ms time=25w shard=16 sequence=22+1',
      'epoch=2010-11-04T01:42:54.657Z unit=1ms time=41 region=5 shard=5 sequence=12',
      'epoch=2010-11-04T01:42:54.657Z unit=1ms time=41 shard=10 sequence=12',
      'epoch=2014-09-01 unit=10ms time=39 sequence=8 shard=16',
      'epoch=2014-09-01 unit=10ms time=39 shard=16 sequence=8',
      'epoch=2020-01-01 unit=1ms time=41 sequence=20',
      'epoch=2020-01-01 unit=1ms time=41 sequence=10+1 region=4 shard=8',
      'epoch=2020-01-01T12:30:00.5Z unit=999ms time=20 shard=31',
      'epoch=1970-01-01 unit=1us time=53 shard=10',
      'epoch=2020-01-01 unit=100us time=45 shard=11 sequence=7',
      'epoch=2020-01-01 unit=1500us time=40 shard=11 sequence=7',
      'epoch=2020-01-01 unit=1000us time=41 shard=10 sequence=12',
      'epoch=2020-01-01 unit=1000000us time=32 shard=8 sequence=13',
      'epoch=0001-01-01 unit=1s time=40 shard=1',
      'epoch=9999-12-31T23:59:59.999Z unit=1s time=40 shard=1',
      'epoch=2020-02-29 unit=1ms time=1 shard=31 sequence=31']) AS layout;

-- The presets, and their order
SELECT coalesce(l.name, p.name) AS wrong
  FROM id_layouts() WITH ORDINALITY AS l (name, long_form, place) FULL JOIN preset AS p USING (place)
 WHERE ((l.name, l.long_form) = (p.name, p.long_form)) IS NOT TRUE;

-- What is printed is read back to the same layout.
SELECT bool_and(layout::text::id_layout = layout) AND bool_and((id_layout_info(layout)).long_form::id_layout = layout)
  FROM unnest(ARRAY(SELECT name FROM id_layouts() UNION ALL VALUES ('epoch=2020-01-01 unit=7ms time=30w sequence=10+1 region=4 shard=8'))::id_layout[]) AS layout;

-- Refused
\pset format unaligned
\pset tuples_only
SELECT replace(line, (SELECT string_agg(name, ', ') FROM id_layouts()), 'the presets')
  FROM (SELECT array_agg(quote_literal(layout) || '::id_layout') AS calls FROM unnest(ARRAY[
      '',
      '   ',
      ',',
      'Instagran',
      'discrod',
      'twit',
      'facebook',
      'js',
      'instagram 2',
      'epoch=2020-01-01 instagram',
      'epoch=2020-01-01 unit=1ms time=41 worker=10',
      'epoch=2020-01-01 unit=1ms time 41',
      'epoch=2020-01-01 epoch=2020-01-01 unit=1ms time=41',
      'epoch=2020-01-01 unit=1ms unit=1ms time=41',
      'epoch=2020-01-01 unit=1ms time=41 time=41',
      'epoch=2020-01-01 unit=1ms time=41 shard=5 sequence=5 shard=5',
      'epoch=2020-01-01 unit=1ms time=41 region=5 shard=5 region=5',
      'epoch=2020-01-01 unit=1ms time=41 sequence=5 sequence=5',
      'epoch=2020-01-01 unit=1ms time=0',
      'epoch=2020-01-01 unit=1ms time=',
      'epoch=2020-01-01 unit=1ms time=-41',
      'epoch=2020-01-01 unit=1ms time=41 shard=ten',
      'epoch=2020-01-01 unit=1ms time=99999999999999999999',
      'epoch=2020-01-01 unit=0ms time=41',
      'epoch=2020-01-01 unit=1001ms time=41',
      'epoch=2020-01-01 unit=2s time=41',
      'epoch=2020-01-01 unit=0us time=41',
      'epoch=2020-01-01 unit=1000001us time=41',
      'epoch=2020-01-01 unit=4294967297us time=41',
      'epoch=2020-01-01 unit=1ns time=41',
      'epoch=2020-01-01 unit=1 time=41',
      'epoch=2020-01-01 unit=1.5ms time=41',
      'epoch=2020-02-30 unit=1ms time=41',
      'epoch=2019-02-29 unit=1ms time=41',
      'epoch=0000-01-01 unit=1ms time=41',
      'epoch=2020-01-01T24:00:00Z unit=1ms time=41',
      'epoch=2020-01-01T00:00:00 unit=1ms time=41',
      'epoch=2020-01-01T00:00:00+01 unit=1ms time=41',
      'epoch=2020-01-01T00:00:00.0001Z unit=1ms time=41',
      'epoch=1577836800000 unit=1ms time=41',
      'epoch= unit=1ms time=41',
      'epoch=2020-01-01 unit=1ms time=41x',
      'epoch=2020-01-01 unit=1ms time=41+1',
      'epoch=2020-01-01 unit=1ms time=41 shard=5w',
      'epoch=2020-01-01 unit=1ms time=41 sequence=5+2',
      'epoch=2020-01-01 unit=1ms time=41 sequence=5w',
      'unit=1ms time=41 shard=10 sequence=12',
      'epoch=2020-01-01 time=41 shard=10 sequence=12',
      'epoch=2020-01-01 unit=1ms',
      'epoch=2020-01-01 unit=1ms shard=10 sequence=12',
      'epoch=2020-01-01 unit=1ms shard=10 time=41',
      'epoch=2020-01-01 unit=1ms sequence=10 time=41',
      'epoch=2020-01-01 unit=1ms time=41 region=5',
      'epoch=2020-01-01 unit=1ms time=41 shard=5 region=5',
      'epoch=2020-01-01 unit=1ms time=41 region=5 sequence=5 shard=5',
      'epoch=2020-01-01 unit=1ms time=20 shard=32',
      'epoch=2020-01-01 unit=1ms time=20 region=16 shard=16',
      'epoch=2020-01-01 unit=1ms time=20 sequence=32',
      'epoch=2020-01-01 unit=1ms time=42 shard=13 sequence=10',
      'epoch=2020-01-01 unit=1ms time=65',
      'epoch=2020-01-01 unit=1ms time=41w shard=13 sequence=10',
      'epoch=2020-01-01 unit=1s time=50',
      'epoch=2020-01-01 unit=1ms time=63']) AS layout) AS refused, refusals(VARIADIC calls) AS line;
\pset format aligned
\pset tuples_only off

-- Bit 63 stays clear: a time field that reaches it is allowed, and ends where it would be set.
SELECT last_time, largest_id
  FROM id_layout_info('epoch=2020-01-01 unit=1ms time=42 shard=12 sequence=10');

-- The binary form: epoch, unit, bits of time, region, shard and sequence, flags, the unit's upper bits.
SELECT array_agg(name) FILTER (WHERE (idgen.id_layout_send(name::id_layout) = decode(bytes, 'hex')) IS NOT TRUE) AS wrong, count(*) = (SELECT count(*) FROM id_layouts()) AS every_preset
  FROM preset;

CREATE TABLE layouts (layout id_layout);
CREATE TABLE received (layout id_layout);
INSERT INTO layouts
VALUES ('instagram'), ('snowflake'), ('twitter'), ('discord'), ('sonyflake'), ('sonyflake2'), ('mastodon'), ('js53'), ('js53ms'), ('idgen'), ('trace'),
       ('epoch=0001-01-01 unit=7ms time=30w sequence=10+1 region=4 shard=8'), ('epoch=2020-01-01 unit=999999us time=30w sequence=10+1 shard=8'), (NULL);
\copy layouts TO 'results/layout.data' (FORMAT binary)
\copy received FROM 'results/layout.data' (FORMAT binary)
SELECT count(*), count(DISTINCT layout::text) FROM received;
(TABLE layouts EXCEPT ALL TABLE received) UNION ALL (TABLE received EXCEPT ALL TABLE layouts);

-- Binary values that no layout has
\set SHOW_CONTEXT never
-- an unknown flag
\copy (SELECT set_byte(idgen.id_layout_send('instagram'), 14, 16)) TO 'results/layout.data' (FORMAT binary)
\copy received FROM 'results/layout.data' (FORMAT binary)
\set VERBOSITY sqlstate
-- the last byte
\copy (SELECT set_byte(idgen.id_layout_send('instagram'), 15, 1)) TO 'results/layout.data' (FORMAT binary)
\copy received FROM 'results/layout.data' (FORMAT binary)
-- a unit of 0
\copy (SELECT set_byte(idgen.id_layout_send('instagram'), 9, 0)) TO 'results/layout.data' (FORMAT binary)
\copy received FROM 'results/layout.data' (FORMAT binary)
-- no time
\copy (SELECT set_byte(idgen.id_layout_send('instagram'), 10, 0)) TO 'results/layout.data' (FORMAT binary)
\copy received FROM 'results/layout.data' (FORMAT binary)
-- a region without shard
\copy (SELECT set_byte(idgen.id_layout_send('mastodon'), 11, 5)) TO 'results/layout.data' (FORMAT binary)
\copy received FROM 'results/layout.data' (FORMAT binary)
-- too many bits
\copy (SELECT set_byte(idgen.id_layout_send('instagram'), 12, 31)) TO 'results/layout.data' (FORMAT binary)
\copy received FROM 'results/layout.data' (FORMAT binary)
-- an epoch beyond the calendar
\copy (SELECT set_byte(idgen.id_layout_send('instagram'), 0, 127)) TO 'results/layout.data' (FORMAT binary)
\copy received FROM 'results/layout.data' (FORMAT binary)
-- a sequence from 1 without sequence
\copy (SELECT set_byte(set_byte(idgen.id_layout_send('mastodon'), 13, 0), 14, 2)) TO 'results/layout.data' (FORMAT binary)
\copy received FROM 'results/layout.data' (FORMAT binary)
-- sequence above a node number that is not there
\copy (SELECT set_byte(idgen.id_layout_send('mastodon'), 14, 4)) TO 'results/layout.data' (FORMAT binary)
\copy received FROM 'results/layout.data' (FORMAT binary)
-- a byte too few
\copy (SELECT substr(idgen.id_layout_send('instagram'), 1, 15)) TO 'results/layout.data' (FORMAT binary)
\copy received FROM 'results/layout.data' (FORMAT binary)
-- a byte too many
\copy (SELECT idgen.id_layout_send('instagram') || '\x00') TO 'results/layout.data' (FORMAT binary)
\copy received FROM 'results/layout.data' (FORMAT binary)
\set VERBOSITY default
SELECT count(*) FROM received;

-- Equality is of the layout, not of the text.
SELECT 'snowflake'::id_layout = 'epoch=2020-01-01 unit=1ms time=41 shard=10 sequence=12' AS same,
       'snowflake'::id_layout <> 'epoch=2020-01-01 unit=1ms time=41 shard=10 sequence=12' AS differs,
       'snowflake'::id_layout = 'twitter' AS not_same,
       'snowflake'::id_layout <> 'twitter' AS not_differs,
       'snowflake'::id_layout = NULL AS unknown;
SELECT count(*), count(DISTINCT idgen.id_layout_hash(layout)) FROM layouts WHERE layout IS NOT NULL;
INSERT INTO layouts TABLE layouts;
SELECT layout, count(*) FROM layouts GROUP BY layout ORDER BY layout::text COLLATE "C";
BEGIN;
SET LOCAL enable_sort = off;
EXPLAIN (COSTS OFF) SELECT DISTINCT layout FROM layouts;
SELECT count(*) FROM (SELECT DISTINCT layout FROM layouts) AS l;
SET LOCAL enable_nestloop = off;
SET LOCAL enable_mergejoin = off;
EXPLAIN (COSTS OFF) SELECT * FROM layouts JOIN received USING (layout);
SELECT count(*) FROM layouts JOIN received USING (layout);
CREATE INDEX ON layouts USING hash (layout);
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM layouts WHERE layout = 'sonyflake';
SELECT count(*) FROM layouts WHERE layout = 'sonyflake';
ROLLBACK;

-- What a layout can do
SELECT first_time, last_time, wraps, tick, shards, ids_per_tick, ids_per_second, largest_id, fits_js, one_node
  FROM unnest('{instagram,sonyflake,mastodon,js53,trace}'::id_layout[]) AS layout, id_layout_info(layout);
SELECT array_agg(name) FILTER (WHERE (
           i.long_form = p.long_form AND extract(epoch FROM first_time) * 1000 = first_ms AND extract(epoch FROM last_time) * 1000 = last_ms
           AND i.wraps = p.wraps AND i.tick = tick_ms * interval '1 ms' AND i.shards = p.shards
           AND ids_per_tick = last_sequence - first_sequence + 1 AND ids_per_second = ids_per_tick * 1000 / tick_ms
           AND i.largest_id = p.largest_id AND fits_js = (p.largest_id < 9007199254740992) AND one_node = (p.shards = 1)) IS NOT TRUE) AS wrong,
       count(*) = (SELECT count(*) FROM id_layouts()) AS every_preset
  FROM preset AS p, id_layout_info(name::id_layout) AS i;
SELECT wraps, shards, ids_per_tick, ids_per_second, largest_id, fits_js
  FROM id_layout_info('epoch=2020-01-01 unit=250ms time=30 region=2 shard=3');
SELECT tick, ids_per_tick, ids_per_second, last_time FROM id_layout_info('epoch=2020-01-01 unit=100us time=45 shard=11 sequence=7');
SELECT idgen.id_layout_send('epoch=2020-01-01 unit=100us time=45 shard=11 sequence=7'), idgen.id_layout_send('epoch=2020-01-01 unit=999999us time=30 shard=11 sequence=7');
SELECT id_layout_info(NULL) IS NULL;
SELECT id_layout_info() = id_layout_info('instagram') AS same, (id_layout_info()).shards, (SELECT shards FROM id_layout_info());
DROP TABLE layouts, received;
