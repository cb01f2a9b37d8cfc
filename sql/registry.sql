-- The registry of numbers: its objects, and what it says of wrong calls. Sessions at once, dumps, standbys: test/t/065_registry.pl.
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
SELECT idgen_registry.claim(:'registry', -1, 0, 11, 12, 0, 'one', 1001, 1);
SELECT idgen_registry.claim(:'registry', 3, 0, 0, 12, 0, 'one', 1001, 1);
SELECT idgen_registry.claim(:'registry', 3, 0, 11, 12, -1, 'one', 1001, 1);
SELECT idgen_registry.extend(:'registry', 3, 11, 12, 5, 4, 0);
SELECT idgen_registry.stop(:'registry', 3, 11, 12, 5, 6);
SELECT idgen_registry.claim(:'registry', 8192, 0, 11, 12, 0, 'one', 1001, 1);
SELECT idgen_registry.set_max_ahead('2 days');
SELECT idgen_registry.advance('16 min');
