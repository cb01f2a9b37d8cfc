-- How each function refuses bad arguments: SQLSTATE and message, DETAIL, HINT.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
SET idgen.shards = '5';
\pset format unaligned
\pset tuples_only

-- Null: a silent null key would be worse.
SELECT refusals('next_id(NULL)', 'next_id(NULL, ''snowflake'')', 'next_id(5, NULL)', 'next_id(layout => NULL)', 'next_id(NULL, NULL)',
                'next_ids(NULL)', 'next_ids(1, NULL)', 'next_ids(1, 5, NULL)', 'next_ids(NULL, NULL, NULL)',
                'next_ids(0, NULL)', 'next_ids(0, 5, NULL)',
                'next_id_array(NULL)', 'next_id_array(1, NULL)', 'next_id_array(1, 5, NULL)', 'next_id_array(0, NULL)',
                'id_make(NULL, 5, 6)', 'id_make(''2026-11-21'', NULL, 6)', 'id_make(''2026-11-21'', 5, NULL)',
                'id_make(''2026-11-21'', 5, 6, NULL)', 'id_make(''2026-11-21'', NULL, NULL, ''mastodon'')');

-- Counts
SELECT refusals('next_ids(-1)', 'next_ids(-9223372036854775808)', 'next_id_array(-1)', 'next_id_array(134217725)', 'next_id_array(2147483647)');

-- Shards
SELECT refusals('next_id(-1)', 'next_id(8192)', 'next_id(6)', 'next_ids(1, -1)', 'next_ids(1, 8192)', 'next_ids(0, 8192)', 'next_ids(1, 6)',
                'next_id_array(1, -1)', 'next_id_array(1, 8192)', 'next_id_array(0, 8192)', 'next_id_array(1, 6)',
                'id_make(''2026-11-21'', -1, 6)', 'id_make(''2026-11-21'', 8192, 6)', 'id_make(''2026-11-21'', 4294967301, 6)',
                'id_make(''2026-11-21'', idgen.own_shards(), 6)', 'id_make(''2026-11-21'', 1024, 6, ''twitter'')',
                'id_make(''2026-11-21'', 1, 6, ''mastodon'')');

-- The horizon
SELECT refusals('idgen.advance(NULL)', 'idgen.advance(''2026-11-21'', NULL)', 'idgen.advance(''infinity'')', 'idgen.advance(''-infinity'')',
                'idgen.advance(''1999-12-31 23:59:59.999+00'')', 'idgen.advance(''2200-01-01 00:00:00.001+00'')',
                'idgen.advance(''4713-01-01 00:00Z BC'')', 'idgen.reset(force => NULL)', 'idgen.reset(''infinity'')', 'idgen.reset(''-infinity'')',
                'idgen.reset(''1999-12-31'')', 'idgen.reset(''2201-01-01'')', 'idgen.reset(''4713-01-01 00:00Z BC'')', 'idgen.reset(''294276-12-31'')');
-- Far ahead, unless that is said: the times and days that messages say are left out.
SELECT regexp_replace(regexp_replace(line, '\d{4}-\d\d-\d\d [\d:.]+\+00', 'T', 'g'), '\d+ days( \d+ h)?', 'N days')
  FROM refusals('idgen.advance(''2150-01-01'')', 'idgen.advance(clock_timestamp() + ''61 min'')', 'idgen.reset(clock_timestamp() + ''61 min'')') AS line;

-- Sequences
SELECT refusals('id_make(''2026-11-21'', 5, -1)', 'id_make(''2026-11-21'', 5, 1024)', 'id_make(''2026-11-21'', 5, 2147483647)',
                'id_make(''2026-11-21'', 5, 0, ''trace'')', 'id_make(''2026-11-21'', 5, 4194304, ''trace'')',
                'id_make(''2026-11-21'', 5, 1, ''epoch=2020-01-01 unit=1ms time=41 shard=10'')',
                'id_make(''2011-08-24 21:07:01.721Z'', 0, 0)', 'id_make(''1970-01-01'', NULL, 0, ''mastodon'')');

-- Instants
SELECT refusals('id_make(''2011-08-24 21:07:01.720999'', 5, 6)', 'id_make(''2046-06-27 17:00:49.497'', 5, 6)',
                'id_make(''2156-02-07 06:28:16'', 5, 6, ''js53'')', 'id_make(''1969-12-31 23:59:59.999'', 5, 6, ''trace'')',
                'id_make(''infinity'', 5, 6)', 'id_make(''-infinity'', 5, 6)', 'id_make(''infinity'', 5, 6, ''trace'')',
                'id_time_near(1, ''infinity'')', 'id_time_near(1, ''-infinity'', ''trace'')',
                'id_min(''infinity'')', 'id_max(''-infinity'')', 'id_min(''2026-11-21'', ''trace'')', 'id_max(''2026-11-21'', ''trace'')');

-- Layouts
SELECT replace(line, (SELECT string_agg(name, ', ') FROM id_layouts()), 'the presets')
  FROM refusals('next_id(5, ''facebook'')', 'id_decode(1, ''facebook'')', 'id_layout_info(''facebook'')') AS line;

-- A tick is full: one ID in a second.
SET idgen.overflow = 'error';
SELECT refusals($$(SELECT count(next_id(5, 'epoch=2020-01-01 unit=1s time=40 shard=10')) FROM generate_series(1, 20))$$,
                $$(SELECT count(*) FROM next_ids(20, 5, 'epoch=2020-01-01 unit=1s time=40 shard=10'))$$,
                $$next_id_array(20, 5, 'epoch=2020-01-01 unit=1s time=40 shard=10')$$);
RESET idgen.overflow;
\pset format aligned
\pset tuples_only off

-- The clock is before the epoch, or past the end: the message says the time, so only the SQLSTATE is shown.
\set VERBOSITY sqlstate
SELECT next_id(5, 'epoch=2500-01-01 unit=1ms time=40 shard=10');
SELECT next_ids(1, 5, 'epoch=2500-01-01 unit=1ms time=40 shard=10');
SELECT next_id_array(1, 5, 'epoch=2500-01-01 unit=1ms time=40 shard=10');
SELECT next_id(5, 'epoch=2000-01-01 unit=1ms time=20 shard=10');
SELECT next_ids(1, 5, 'epoch=2000-01-01 unit=1ms time=20 shard=10');
SELECT next_id_array(1, 5, 'epoch=2000-01-01 unit=1ms time=20 shard=10');
-- A full tick stays a full tick where the session has borrowed all that it may: the clock is not to blame.
SET idgen.overflow = 'borrow';
SET idgen.max_wait = 0;
SELECT count(next_id(5, 'epoch=2020-01-01 unit=200ms time=40 shard=10 sequence=1')) FROM generate_series(1, 100);
\set VERBOSITY default

-- An error leaves the session able to go on, and a savepoint gives back no ID.
BEGIN;
SELECT next_id() AS id \gset
SAVEPOINT before;
SELECT next_id(8192);
ROLLBACK TO before;
SELECT next_id() > :id AS later;
COMMIT;

-- A message has only the beginning of a long text.
DO $$
DECLARE
    statement text;
    message text;
    detail text;
    hint text;
BEGIN
    FOREACH statement IN ARRAY ARRAY['SELECT repeat(''x'', 1000000)::id_layout', 'SELECT (''unit=1ms '' || repeat(''x'', 1000000))::id_layout',
        'SELECT idgen.require_library(repeat(''1'', 1000000))', 'SELECT id_from_base62(repeat(''1'', 1000000))', 'SELECT repeat(''-'', 1000000)::id64'] LOOP
        BEGIN
            EXECUTE statement;
        EXCEPTION WHEN OTHERS THEN
            GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
            RAISE NOTICE '% short: %', statement, greatest(length(message), length(detail), length(hint)) < 400;
        END;
    END LOOP;
END
$$;

-- Types that do not fit: what is no integer is no shard.
\set VERBOSITY sqlstate
SELECT next_id(5.0);
SELECT next_id('instagram');
SELECT next_id(5, 'snowflake'::text);
SELECT next_id(5, 'snowflake', 6);
SELECT next_id(9223372036854775808);
