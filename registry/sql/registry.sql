-- The registry of numbers: its objects, and what it says of wrong calls. Sessions at once, dumps, standbys: registry/t.
\getenv house PG_ABS_SRCDIR
\set helpers :house /../sql/helpers.sql
\set ECHO none
\i :helpers
\set ECHO all
CREATE EXTENSION idgen_registry;
SELECT extrelocatable, extnamespace::regnamespace FROM pg_extension WHERE extname = 'idgen_registry';
\set VERBOSITY default
\set SHOW_CONTEXT never
SELECT idgen_registry.identity() AS registry \gset

-- A number's life
SELECT outcome, horizon_ms, name, system_identifier FROM idgen_registry.claim(:'registry', 3, 0, 11, 12, 0, 'one', 1001, 1);
SELECT outcome, horizon_ms, name, system_identifier FROM idgen_registry.claim(:'registry', 3, 0, 21, 22, 0, 'two', 1002, 1);
SELECT outcome, horizon_ms, lease_left_ms FROM idgen_registry.extend(:'registry', 3, 11, 12, 0, 1700000000000, 0);
SELECT outcome, horizon_ms FROM idgen_registry.extend(:'registry', 3, 11, 12, 1700000000000, 7000000000000, 0);
SELECT outcome, horizon_ms FROM idgen_registry.stop(:'registry', 3, 11, 12, 1700000000000, 1600000000000);
SELECT number, name, system_identifier, timeline, is_free, lease_left, horizon AT TIME ZONE 'UTC' AS horizon FROM idgen_registry.list();
SELECT outcome, horizon_ms FROM idgen_registry.claim(:'registry', 3, 11, 13, 14, 0, 'one', 1001, 1);
SELECT idgen_registry.release(3);
SELECT outcome, horizon_ms FROM idgen_registry.extend(:'registry', 3, 13, 14, 1600000000000, 1600000000001, 0);
SELECT number, is_free FROM idgen_registry.list();

-- What is refused
\pset format unaligned
\pset tuples_only
SET search_path = idgen_registry, public;
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
SELECT replace(refusals(VARIADIC array_agg(replace(call, 'R', quote_literal(:'registry')))), :'registry', 'R')
  FROM unnest(ARRAY[$$claim(R, -1, 0, 1, 1, 0, 'x', 1, 1)$$, $$claim(R, NULL, 0, 1, 1, 0, 'x', 1, 1)$$, $$claim(R, 0, 0, 0, 1, 0, 'x', 1, 1)$$,
                    $$claim(R, 0, NULL, 1, 1, 0, 'x', 1, 1)$$, $$claim(R, 0, 0, 1, NULL, 0, 'x', 1, 1)$$, $$claim(R, 0, 0, 1, 1, -1, 'x', 1, 1)$$,
                    $$claim(R, 0, 0, 1, 1, 0, repeat('x', 129), 1, 1)$$, $$claim(R, 0, 0, 1, 1, 0, NULL, 1, 1)$$, $$claim(R, 0, 0, 1, 1, 0, 'x', NULL, 1)$$,
                    $$claim(R, 8192, 0, 1, 1, 0, 'x', 1, 1)$$, $$claim('00000000-0000-4000-8000-000000000000', 0, 0, 1, 1, 0, 'x', 1, 1)$$,
                    $$extend(R, 0, 1, 1, 5, 4, 0)$$, $$extend(R, 0, 1, 1, 5, NULL, 0)$$, $$extend(NULL, 0, 1, 1, 5, 6, 0)$$,
                    $$stop(R, 0, 1, 1, 5, 6)$$, $$stop(R, 0, 0, 1, 5, 4)$$, $$release(NULL)$$,
                    $$fetch_ranges(R, '{c}', '{-1}', '{1}', '{0}')$$, $$fetch_ranges(R, '{c}', '{1}', '{0}', '{0}')$$,
                    $$fetch_ranges(R, '{c}', '{NULL}', '{1}', '{0}')$$, $$fetch_ranges(R, '{c}', '{1}', '{1}', '{NULL}')$$,
                    $$fetch_ranges('00000000-0000-4000-8000-000000000000', '{c}', '{1}', '{1}', '{0}')$$,
                    $$give_back_ranges('00000000-0000-4000-8000-000000000000', '{c}', '{1}', '{1}')$$,
                    $$fetch_ranges(R, '{c}', '{1,1}', '{1}', '{0}')$$, $$fetch_ranges(R, '{c}', '{1}', '{1,1}', '{0}')$$, $$fetch_ranges(R, '{c}', '{1}', '{1}', '{0,0}')$$,
                    $$fetch_ranges(R, '{c,d}', '{1}', '{1}', '{0}')$$, $$fetch_ranges(R, '{c}', '[0:0]={1}', '{1}', '{0}')$$, $$fetch_ranges(R, '{c,d}', '{1,1}', '{{1,1}}', '{0,0}')$$,
                    $$fetch_ranges(R, NULL, '{}', '{}', '{}')$$, $$fetch_ranges(R, '{}', '{}', NULL, '{}')$$, $$fetch_ranges(R, array_fill('c'::bytea, '{1001}'), '{}', '{}', '{}')$$,
                    $$give_back_ranges(R, '{c}', '{1}', '{1,1}')$$, $$give_back_ranges(R, '{c}', '{}', '{}')$$, $$give_back_ranges(R, '{}', NULL, NULL)$$,
                    $$give_back_ranges(R, array_fill('c'::bytea, '{1001}'), '{}', '{}')$$]) AS call;
-- Names with control characters, wherever in them
SELECT replace(refusals(VARIADIC array_agg(replace(format(call, name), 'R', quote_literal(:'registry')))), :'registry', 'R')
  FROM unnest(ARRAY['claim(R, 0, 0, 1, 1, 0, %L, 1, 1)', 'create_counter(%L)', 'take_range(%L, 1)', 'set_counter_max(%L, 9)']) AS call, unnest(ARRAY[E'a\nb']) AS name;
SELECT string_agg(to_hex(code), ' ' ORDER BY code)
  FROM generate_series(1, 8300) AS code, refusals(format('refuse_controls(%L)', 'ä' || chr(code) || 'z')) AS line WHERE line ~ '22023';
SELECT refusals($$advance('10 min')$$, $$advance('16 min')$$, 'advance(NULL)', $$advance('-1 s')$$,
                'set_max_ahead(NULL)', $$set_max_ahead('16 min')$$, $$set_max_ahead('1 ms')$$, 'set_largest_number(NULL)', 'set_largest_number(-1)',
                $$set_longest_ttl('1 s')$$, $$set_longest_ttl('2 years')$$, 'forget(NULL)', $$forget('-1 s')$$);
SELECT regexp_replace(refusals, '\d{4}-\d\d-\d\d [\d:.]+\+00', 'T', 'g')
  FROM refusals($$advance(at => 'infinity')$$, $$advance(at => now() - interval '1 s')$$, $$advance(at => now() + interval '3 days')$$);
-- What the owner allows
SELECT set_longest_ttl('1 min');
SELECT replace(refusals(VARIADIC array_agg(format('claim(%L, 5, 0, 1, 1, %s, ''x'', 1, 1)', :'registry', ms))), :'registry', 'R')
  FROM unnest(ARRAY[0, 60001]) AS ms;
SELECT set_longest_ttl(NULL);
RESET search_path;
RESET TimeZone;
RESET DateStyle;
\pset format aligned
\pset tuples_only off
-- Counters
SELECT idgen_registry.create_counter('orders'), idgen_registry.create_counter('links', 1000, max => 1009);
CALL idgen_registry.next_range('orders', 100);
CALL idgen_registry.next_range('orders', 1);
CALL idgen_registry.next_range('links', 7);
CALL idgen_registry.next_range('links', 4);
CALL idgen_registry.next_range('links', 3);
CALL idgen_registry.next_range('links', 1);
SELECT idgen_registry.set_counter_max('links', 1010);
CALL idgen_registry.next_range('links', 1);
DO $$ DECLARE r int8range; BEGIN CALL idgen_registry.next_range('orders', 9, r); RAISE NOTICE 'from % to %', lower(r), upper(r) - 1; END $$;
SELECT * FROM idgen_registry.counters();
-- What is refused
BEGIN;
SELECT 1;
CALL idgen_registry.next_range('orders', 1);
ROLLBACK;
BEGIN \; CALL idgen_registry.next_range('orders', 1);
ROLLBACK;
CREATE FUNCTION in_a_function() RETURNS int8range LANGUAGE plpgsql AS $$ DECLARE r int8range; BEGIN CALL idgen_registry.next_range('orders', 1, r); RETURN r; END $$;
SELECT in_a_function();
DROP FUNCTION in_a_function;
SELECT idgen_registry.taken_range(idgen_registry.take_range('orders', 1));
CALL idgen_registry.next_range('orders', 0);
CALL idgen_registry.next_range('orders', NULL);
CALL idgen_registry.next_range('order', 1);
CALL idgen_registry.next_range(NULL, 1);
CALL idgen_registry.next_range('orders', 100001);
CALL idgen_registry.next_range('orders', 9223372036854775796);
DO $$ DECLARE r int8range; BEGIN BEGIN CALL idgen_registry.next_range('orders', 1, r); EXCEPTION WHEN division_by_zero THEN END; END $$;
SELECT idgen_registry.create_counter('orders');
SELECT idgen_registry.create_counter('');
SELECT idgen_registry.create_counter(NULL);
SELECT idgen_registry.create_counter(repeat('x', 64));
SELECT idgen_registry.create_counter(U&'\20AC' || repeat('x', 61));
SELECT idgen_registry.create_counter('x', -1);
SELECT idgen_registry.create_counter('x', 5, max => 4);
SELECT idgen_registry.create_counter('x', 5, max => 9223372036854775807);
SELECT idgen_registry.create_counter('x', 5, max => NULL);
SELECT idgen_registry.create_counter('x', block => 0);
SELECT idgen_registry.create_counter('x', block => 10, max_block => 9);
SELECT idgen_registry.set_counter_block('orders', NULL, 10);
SELECT idgen_registry.set_counter_block('orders', 5, 50);
SELECT idgen_registry.drop_counter('x');
SELECT idgen_registry.set_counter_max('links', 1009);
SELECT idgen_registry.set_counter_max('links', 9223372036854775807);
SELECT idgen_registry.advance_counter('orders', 110);
SELECT idgen_registry.advance_counter('links', 1012);
SELECT idgen_registry.advance_counter('links', NULL);
SELECT idgen_registry.advance_counter('x', 1);
-- What is taken and not told
SELECT idgen_registry.create_counter('untold');
DO $$ BEGIN FOR i IN 1 .. 1001 LOOP PERFORM idgen_registry.take_range('untold', 1); END LOOP; END $$;
SELECT count(idgen_registry.take_range('untold', 1)) FROM generate_series(1, 1000);
SELECT idgen_registry.take_range('untold', 1);
UPDATE idgen_registry.taken SET at = at - interval '25 hours' WHERE key IN (SELECT key FROM idgen_registry.taken LIMIT 600);
SELECT count(idgen_registry.take_range('untold', 1)) FROM generate_series(1, 2);
SELECT count(*), min(at) > now() - interval '1 day' AS old_ones_are_gone FROM idgen_registry.taken;
DELETE FROM idgen_registry.taken;
SELECT idgen_registry.drop_counter('untold', forget => true);
-- A counter that is dropped
SELECT idgen_registry.create_counter('again');
CALL idgen_registry.next_range('again', 40);
SELECT idgen_registry.drop_counter('again');
CALL idgen_registry.next_range('again', 1);
SELECT idgen_registry.drop_counter('again');
SELECT idgen_registry.advance_counter('again', 100);
SELECT idgen_registry.set_counter_max('again', 100);
SELECT idgen_registry.create_counter('again', 40);
SELECT idgen_registry.create_counter('again', max => 40);
SELECT idgen_registry.drop_counter('again', forget => true);
-- The ends
SELECT idgen_registry.create_counter('last', 9223372036854775806), idgen_registry.create_counter('first', 0, max => 0);
CALL idgen_registry.next_range('last', 1);
CALL idgen_registry.next_range('last', 1);
CALL idgen_registry.next_range('first', 9223372036854775807);
CALL idgen_registry.next_range('first', 1);
-- After a registry was put back, the owner says where each goes on.
SELECT idgen_registry.advance() > now() AS advanced;
CALL idgen_registry.next_range('orders', 1);
SELECT idgen_registry.advance_counter('orders', 5000);
CALL idgen_registry.next_range('orders', 1);
SELECT * FROM idgen_registry.counters();
SELECT idgen_registry.drop_counter(name) FROM idgen_registry.counters();
SELECT * FROM idgen_registry.counters();
SELECT idgen_registry.advance(at => now() + interval '1 h') > now() AS advanced;

-- What CREATE EXTENSION idgen_registry made.
RESET search_path;
\pset format aligned
\pset tuples_only off
\set objects :house /../sql/objects.sql
\set extensions '''idgen_registry'''
\set ECHO none
\i :objects
