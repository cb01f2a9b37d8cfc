-- The other kinds: the hybrid logical clock, waiting for the clock, and at the end UUIDs of version 7.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
SET idgen.shards = '5';

-- Parts: 48 bits of unix ms, 16 bits logical
SELECT hlc_make('1970-01-01'), hlc_make('1970-01-01 00:00:00.001', 2), hlc_make('2026-11-21 12:00:00.1239', 65535),
       hlc_make('6429-10-17 02:45:55.327', 65535);
SELECT hlc, hlc_time(hlc), hlc_logical(hlc)
  FROM unnest('{0,1,65536,117654563295199232,9223372036854775807,-1,-9223372036854775808,NULL}'::bigint[]) AS hlc;
SELECT bool_and(hlc_make(hlc_time(hlc), hlc_logical(hlc)) = hlc) FROM generate_series(117654563295199232, 117654563295199232 + 200000, 7) AS hlc;

-- Each event rises, whatever takes it; a receipt lies above what was received.
SELECT abs(extract(epoch FROM hlc_time(hlc_now()) - clock_timestamp())) < 10 AS this_instant;
SELECT count(*), bool_and(hlc > before) AS rises
  FROM (SELECT hlc, lag(hlc) OVER (ORDER BY n) AS before FROM (SELECT n, hlc_now() AS hlc FROM generate_series(1, 5000) AS n OFFSET 0) AS made) AS pair
 WHERE before IS NOT NULL;
SELECT hlc_now() AS sent \gset
SELECT hlc_receive(:sent) AS received \gset
SELECT :received > :sent AS above_own, hlc_receive(0) > :received AS above_an_old_one, hlc_receive(hlc_make('2011-08-24')) > :received AS another;
SELECT hlc_make(clock_timestamp() + interval '300 ms', 41) AS remote \gset
SELECT hlc_receive(:remote) > :remote AS above_the_remote_one, hlc_now() > :remote + 1 AS then_now;
BEGIN;
SELECT hlc_now() AS rolled_back \gset
ROLLBACK;
SELECT hlc_now() > :rolled_back AS not_given_back;
CREATE TEMP TABLE event (at bigint DEFAULT hlc_now(), day date GENERATED ALWAYS AS ((hlc_time(at) AT TIME ZONE 'UTC')::date) STORED);
INSERT INTO event DEFAULT VALUES;
SELECT count(*) FROM event WHERE day BETWEEN current_date - 1 AND current_date + 1;

-- Refused
\pset format unaligned
\pset tuples_only
SELECT refusals('hlc_receive(NULL)', 'hlc_receive(-1)', 'hlc_receive(-9223372036854775808)',
                'hlc_make(''1969-12-31 23:59:59.999'')', 'hlc_make(''6429-10-17 02:45:55.328'')', 'hlc_make(''infinity'')',
                'hlc_make(''-infinity'')', 'hlc_make(''2026-11-21'', -1)', 'hlc_make(''2026-11-21'', 65536)');
SELECT refusals('wait_until_past(NULL)', 'wait_until_past(''infinity'')');
\pset format aligned
\pset tuples_only off
SELECT hlc_make(NULL), hlc_make('2026-11-21', NULL), hlc_time(NULL), hlc_logical(NULL);
-- Far ahead of the clock: the message says by how much, so only the SQLSTATE is shown.
\set VERBOSITY sqlstate
SELECT hlc_receive(9223372036854775807);
SELECT id_time(next_id()) < clock_timestamp() + interval '10 s' AS no_trace;
\set VERBOSITY default
RESET idgen.shards;

-- DecimalIds: 9 digits counter, 5 digits generator, 5 digits launch.
SELECT id, d.* FROM unnest('{10000100000,1234567891234567890,9223372029999999999,20000300004}'::bigint[]) AS id, decimal_id_decode(id) AS d;
-- What is none
SELECT id FROM unnest('{-1,0,9999999999,10000000000,10000099999,9223372030000100000,9223372036854775807,-9223372036854775808,NULL}'::bigint[]) AS id
 WHERE decimal_id_decode(id) IS NOT NULL;

-- One counter, one generator, the launch of the setting
SELECT count(DISTINCT id), max(d.counter) - min(d.counter) AS counters, count(DISTINCT d.generator) AS generators, max(d.launch) AS launch
  FROM (SELECT next_decimal_id() AS id FROM generate_series(1, 5000)) AS made, decimal_id_decode(id) AS d;
SELECT next_decimal_id() AS a \gset
SELECT (next_decimal_id() - :a) % 10000000000 AS below_the_counter;
SELECT d.generator = last_value AS generator FROM decimal_id_decode(next_decimal_id()) AS d, idgen.generator;
SET idgen.decimal_launch = 67890;
SELECT (decimal_id_decode(next_decimal_id())).launch, next_decimal_id() % 100000 AS at_a_glance;
CREATE TEMP TABLE deal (id bigint PRIMARY KEY DEFAULT next_decimal_id());
INSERT INTO deal SELECT FROM generate_series(1, 10);
SELECT count(*) FROM deal WHERE id % 100000 = 67890;
BEGIN READ ONLY;
SELECT next_decimal_id() > 0 AS read_only;
COMMIT;

-- Vector clocks: values, order, refusals.

-- One more write of a node
SELECT clock, vclock_next(clock, 'paris')
  FROM (VALUES ('{}'::jsonb), ('{"paris": 1}'), ('{"tokyo": 7}'), ('{"paris": 0, "tokyo": 7}'), ('{"paris": 41.0, "tokyo": 0}'),
               ('{"paris": 9223372036854775806}'), ('{"a": 1e3}')) AS v (clock);
SELECT vclock_next('{"": 1}', ''), vclock_next('{"東京": 1}', '東京'), vclock_next('{"a\"b": 1}', 'a"b'), vclock_next(vclock => '{}', node => repeat('x', 20));

-- The larger of each; entries of 0 are as if missing, and left out.
SELECT vclock_merge('{"paris": 3, "tokyo": 1}', '{"tokyo": 2, "lima": 5}'), vclock_merge('{}', '{}'), vclock_merge('{"paris": 0}', '{"tokyo": 0.0}'),
       vclock_merge(a => '{"paris": 9223372036854775807}', b => '{}'), vclock_merge('{"paris": 1, "paris": 2}', '{}');

-- Before, after, equal, concurrent
SELECT a, b, vclock_compare(a, b)
  FROM (VALUES ('{}'::jsonb, '{}'::jsonb), ('{}', '{"paris": 0}'), ('{"paris": 1}', '{"paris": 1.0, "tokyo": 0}'),
               ('{}', '{"paris": 1}'), ('{"paris": 1}', '{"paris": 2}'), ('{"paris": 1}', '{"paris": 1, "tokyo": 1}'),
               ('{"paris": 2}', '{"paris": 1}'), ('{"paris": 2, "tokyo": 1}', '{"paris": 2}'),
               ('{"paris": 2}', '{"tokyo": 1}'), ('{"paris": 2, "tokyo": 1}', '{"paris": 1, "tokyo": 2}'),
               ('{"aa": 1, "b": 1}', '{"a": 1, "bb": 1}'), ('{"aa": 1, "b": 1}', '{"b": 1}'),
               ('{"paris": 9223372036854775806}', '{"paris": 9223372036854775807}')) AS v (a, b);

-- Of many rows: NULL is skipped, no rows give {}.
SELECT vclock_merge_agg(clock) FROM (VALUES ('{"paris": 3}'::jsonb), (NULL), ('{"tokyo": 2, "paris": 1}'), ('{"lima": 0}')) AS v (clock);
SELECT vclock_merge_agg(clock), vclock_merge_agg(clock) FILTER (WHERE false) AS none FROM (VALUES (NULL::jsonb)) AS v (clock);
SELECT vclock_merge_agg('{"lima": 0, "paris": 1.0}');
-- By parallel workers
CREATE TABLE version (clock jsonb);
INSERT INTO version SELECT jsonb_build_object('node' || n % 7, n) FROM generate_series(1, 2000) AS n;
BEGIN;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SET LOCAL max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT vclock_merge_agg(clock) FROM version;
SELECT vclock_merge_agg(clock) FROM version;
COMMIT;
DROP TABLE version;

-- Two places wrote the same row: who saw what.
SELECT vclock_compare(paris, tokyo) AS apart, vclock_compare(tokyo, vclock_next(merged, 'tokyo')) AS settled
  FROM (SELECT vclock_next('{"paris": 1}', 'paris') AS paris, vclock_next('{"paris": 1}', 'tokyo') AS tokyo) AS written,
       vclock_merge(paris, tokyo) AS merged;

-- Refused: SQLSTATE, message, DETAIL, HINT
\pset format unaligned
\pset tuples_only
SELECT refusals($$vclock_next('[]', 'a')$$, $$vclock_next('1', 'a')$$, $$vclock_next('"a"', 'a')$$, $$vclock_next('null', 'a')$$, $$vclock_next('true', 'a')$$,
                $$vclock_next('[{}]', 'a')$$,
                $$vclock_next('{"a": "1"}', 'a')$$, $$vclock_next('{"a": null}', 'a')$$, $$vclock_next('{"a": true}', 'a')$$, $$vclock_next('{"a": {"b": 1}}', 'a')$$,
                $$vclock_next('{"a": [1, 2]}', 'a')$$, $$vclock_next('{"a": 1.5}', 'a')$$, $$vclock_next('{"a": 0.1}', 'a')$$, $$vclock_next('{"a": -1}', 'a')$$,
                $$vclock_next('{"a": -0.5}', 'a')$$, $$vclock_next('{"a": 9223372036854775808}', 'b')$$, $$vclock_next('{"a": 9223372036854775807.5}', 'b')$$,
                $$vclock_next('{"a": 1e100}', 'b')$$, $$vclock_next('{"a": 9223372036854775807}', 'a')$$);
SELECT refusals($$vclock_merge('{}', '[]')$$, $$vclock_merge('[]', '{}')$$, $$vclock_merge('{"a": 1}', '{"a": 1, "bb": -1}')$$,
                $$vclock_compare('{}', '0')$$, $$vclock_compare('{"a": "x"}', '{}')$$, $$vclock_compare('{}', jsonb_build_object(repeat('é', 200), 1.5))$$,
                $$(SELECT vclock_merge_agg(c) FROM (VALUES ('[]'::jsonb)) AS v (c))$$, $$(SELECT vclock_merge_agg(c) FROM (VALUES ('{"a": 1.5}'::jsonb)) AS v (c))$$);
\pset format aligned
\pset tuples_only off

-- NULL in, NULL out
SELECT vclock_next(NULL, 'a'), vclock_next('{}', NULL), vclock_merge(NULL, '{}'), vclock_merge('{}', NULL), vclock_compare(NULL, '{}'), vclock_compare('{}', NULL);

-- NanoIDs: size, alphabet, characters of several bytes, evenness, refusals.
\pset null '(null)'

-- By default 21 characters that a URL needs not escape
SELECT length(id), id ~ '^[A-Za-z0-9_-]{21}$' AS of_the_alphabet, pg_typeof(id) FROM (SELECT next_nanoid() AS id) AS new;
SELECT count(DISTINCT next_nanoid()) FROM generate_series(1, 10000);
SELECT count(DISTINCT c) AS symbols FROM (SELECT next_nanoid(1000) AS id FROM generate_series(1, 20)) AS made, string_to_table(id, NULL) AS c;

-- Other sizes and alphabets, also by name, also another one in each row
SELECT next_nanoid(5, 'x'), next_nanoid(1, 'é'), next_nanoid(alphabet => '€', size => 3), length(next_nanoid(65536));
SELECT size, length(next_nanoid(size)) AS length, length(next_nanoid(size, 'abc')) AS of_abc, octet_length(next_nanoid(size, '𝄞€')) BETWEEN 3 * size AND 4 * size AS of_many_bytes
  FROM unnest('{1, 2, 63, 64, 65, 128, 129, 1000, 65536}'::int[]) AS size;
SELECT n, next_nanoid(3, chr(n)) FROM generate_series(945, 948) AS n;
SELECT bool_and(next_nanoid(10, alphabet) ~ ('^[' || alphabet || ']{10}$')) AS of_its_alphabet
  FROM (SELECT CASE n % 3 WHEN 0 THEN 'abc' WHEN 1 THEN 'xyzäöü' ELSE '日本語' END AS alphabet FROM generate_series(1, 300) AS n) AS rows;

-- Evenness: chi-square of 100,000 characters against alphabets of each of these lengths, of one byte and of several.
-- Refused only where chance alone does it in less than one of 10^9 runs; the bound is that of Wilson and Hilferty for z = 6.
CREATE FUNCTION alphabet_of(symbols int, first int) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(chr(first + n), '' ORDER BY n) FROM generate_series(0, symbols - 1) AS n
$$;
CREATE FUNCTION chi_square(alphabet text, samples int) RETURNS float8 LANGUAGE sql AS $$
    WITH seen AS (SELECT c, count(*) AS times FROM (SELECT next_nanoid(1000, alphabet) AS id FROM generate_series(1, samples / 1000) OFFSET 0) AS made,
                                                   string_to_table(id, NULL) AS c GROUP BY c)
    SELECT sum((coalesce(times, 0) - expected) ^ 2 / expected)
      FROM string_to_table(alphabet, NULL) AS c LEFT JOIN seen USING (c), (SELECT (samples / 1000 * 1000)::float8 / length(alphabet) AS expected) AS e
$$;
SELECT symbols, chi_square(alphabet_of(symbols, first), 100000) <=
                greatest(symbols - 1, 0) * (1 - 2 / (9 * greatest(symbols - 1, 1)::float8) + 6 * sqrt(2 / (9 * greatest(symbols - 1, 1)::float8))) ^ 3 AS even
  FROM unnest('{1, 2, 10, 62, 64, 100, 127, 128, 129, 192, 254, 255}'::int[]) WITH ORDINALITY AS length (symbols, n),
       LATERAL (SELECT CASE WHEN symbols < 90 THEN 33 ELSE 19968 END AS first) AS f ORDER BY symbols;
DROP FUNCTION chi_square(text, int);
DROP FUNCTION alphabet_of(int, int);

-- As a column's default
CREATE TABLE link (code text PRIMARY KEY DEFAULT next_nanoid(12), url text);
INSERT INTO link (url) SELECT 'https://example.org/' || n FROM generate_series(1, 1000) AS n;
SELECT count(*), min(length(code)), max(length(code)) FROM link;
DROP TABLE link;

-- Refused: SQLSTATE, message, DETAIL, HINT
\pset format unaligned
\pset tuples_only
SELECT refusals($$next_nanoid(0)$$, $$next_nanoid(-1)$$, $$next_nanoid(65537)$$, $$next_nanoid(2147483647)$$, $$next_nanoid(NULL)$$,
                $$next_nanoid(21, NULL)$$, $$next_nanoid(21, '')$$, $$next_nanoid(21, repeat('a', 256))$$, $$next_nanoid(21, repeat('é', 1000))$$,
                $$next_nanoid(21, 'abca')$$, $$next_nanoid(21, 'aé€é')$$, $$next_nanoid(21, '𝄞𝄞')$$);
\pset format aligned
\pset tuples_only off
SELECT next_nanoid(3, 'a'), length(next_nanoid(3, string_agg(chr(19968 + n), ''))) FROM generate_series(1, 255) AS n;

-- Characters are those of the server's encoding.
SELECT current_database() AS here \gset
CREATE DATABASE "nanoid euc" ENCODING 'EUC_JP' LOCALE 'C' TEMPLATE template0;
\connect "nanoid euc"
SET client_encoding = 'UTF8';
CREATE EXTENSION idgen_kinds CASCADE;
SELECT length(id), octet_length(id), id ~ '^[日本語]{20}$' AS of_the_alphabet FROM (SELECT next_nanoid(20, '日本語') AS id) AS new;
SELECT next_nanoid(20, '日本日');
\connect :here
CREATE DATABASE "nanoid latin" ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0;
\connect "nanoid latin"
SET client_encoding = 'UTF8';
CREATE EXTENSION idgen_kinds CASCADE;
SELECT length(id), octet_length(id), id ~ '^[éü]{20}$' AS of_the_alphabet FROM (SELECT next_nanoid(20, 'éü') AS id) AS new;
SELECT length(next_nanoid(20, string_agg(chr(n), ''))) FROM generate_series(1, 255) AS n;
\connect :here
DROP DATABASE "nanoid euc";
DROP DATABASE "nanoid latin";

-- TypeIDs: 128 bits with a prefix, there and back, refusals.
\pset null '(null)'

-- Of a uuid, a ulid, a domain over one, and a literal, which is a uuid
CREATE DOMAIN user_id AS uuid;
CREATE DOMAIN old_user_id AS user_id;
CREATE DOMAIN order_id AS ulid;
SELECT typeid_text('user', '01890a5d-ac96-774b-bcce-b302099a8057'::uuid) AS uuid, typeid_text('user', '01890a5d-ac96-774b-bcce-b302099a8057'::uuid::ulid) AS ulid,
       typeid_text('user', '01890a5d-ac96-774b-bcce-b302099a8057'::old_user_id) AS domain, typeid_text('user', '01890a5d-ac96-774b-bcce-b302099a8057') AS literal,
       typeid_text('order', '01H455VB4PEX5VSKNK084SN02Q'::order_id) AS domain_ulid;
SELECT typeid_text(prefix => '', value => '01H455VB4PEX5VSKNK084SN02Q'::ulid), typeid_text('a_b__c', '01H455VB4PEX5VSKNK084SN02Q'::ulid),
       length(typeid_text(repeat('z', 63), '01H455VB4PEX5VSKNK084SN02Q'::ulid));
PREPARE of_both (uuid, ulid) AS SELECT typeid_text('x', $1) = typeid_text('x', $2) AS same;
EXECUTE of_both ('01890a5d-ac96-774b-bcce-b302099a8057', '01H455VB4PEX5VSKNK084SN02Q');
DEALLOCATE of_both;

-- Back
SELECT typeid_prefix(t), typeid_uuid(t), typeid_ulid(t)
  FROM unnest('{user_01h455vb4pex5vsknk084sn02q, a_b__c_01h455vb4pex5vsknk084sn02q, 01h455vb4pex5vsknk084sn02q, x_00000000000000000000000000,
                x_7zzzzzzzzzzzzzzzzzzzzzzzzz}'::text[]) AS t;
SELECT count(*), bool_and(typeid_uuid(typeid_text('u', u)) = u) AS uuid, bool_and(typeid_ulid(typeid_text('l', l)) = l) AS ulid,
       bool_and(typeid_text('u', u) ~ '^u_[0-7][0-9a-hjkmnp-tv-z]{25}$') AS form,
       array_agg(u ORDER BY u) = array_agg(u ORDER BY typeid_text('u', u) COLLATE "C") AS sorted
  FROM (SELECT md5(n::text)::uuid AS u, next_ulid() AS l FROM generate_series(1, 2000) AS n) AS made;

-- As a column: the text kept, or made of the key
CREATE TABLE account (
    id uuid PRIMARY KEY DEFAULT next_uuidv7(),
    public_id text GENERATED ALWAYS AS (typeid_text('account', id)) STORED UNIQUE,
    invited_by text CHECK (typeid_prefix(invited_by) = 'account'));
INSERT INTO account DEFAULT VALUES;
INSERT INTO account (invited_by) SELECT public_id FROM account;
SELECT count(*), bool_and(typeid_uuid(public_id) = id) AS back FROM account;
SELECT count(*) FROM account WHERE id = (SELECT typeid_uuid(invited_by) FROM account WHERE invited_by IS NOT NULL);
\set VERBOSITY terse
INSERT INTO account (invited_by) VALUES (typeid_text('user', next_uuidv7()));
\set VERBOSITY default
DROP TABLE account;

SELECT typeid_text(NULL, next_uuidv7()), typeid_text('user', NULL::uuid), typeid_text('user', NULL), typeid_uuid(NULL), typeid_ulid(NULL), typeid_prefix(NULL);

-- Refused: SQLSTATE, message, DETAIL, HINT
\pset format unaligned
\pset tuples_only
-- The published ones that are no TypeID
SELECT refusals($$typeid_uuid('PREFIX_00000000000000000000000000')$$, $$typeid_uuid('pre.fix_00000000000000000000000000')$$,
                $$typeid_uuid('  prefix_00000000000000000000000000')$$, $$typeid_uuid('_00000000000000000000000000')$$,
                $$typeid_uuid('prefix_1234567890123456789012345')$$, $$typeid_uuid('prefix_1234567890123456789012345 ')$$,
                $$typeid_uuid('prefix_123456789-123456789-123456')$$, $$typeid_uuid('prefix_i23456789ol23456789oi23456')$$,
                $$typeid_uuid('prefix_8zzzzzzzzzzzzzzzzzzzzzzzzz')$$, $$typeid_uuid('prefix__00000000000000000000000000')$$,
                $$typeid_uuid('prefix_')$$, $$typeid_uuid('_prefix_01h5fskfsk4fpeqwnsyz5hj55t')$$);
-- Others; all readers refuse alike
SELECT refusals($$typeid_uuid('')$$, $$typeid_ulid('user_01H455VB4PEX5VSKNK084SN02Q')$$, $$typeid_prefix('user_01h455vb4pex5vsknk084sn02')$$,
                $$typeid_prefix('user')$$, $$typeid_ulid('user_01h455vb4pex5vsknk084sn02q0')$$, $$typeid_uuid('80000000000000000000000000')$$,
                $$typeid_uuid('user_01h455vb4pex5vsknk084sn0éq')$$, $$typeid_uuid('üser_01h455vb4pex5vsknk084sn02q')$$,
                $$typeid_uuid(repeat('u', 64) || '_01h455vb4pex5vsknk084sn02q')$$, $$typeid_uuid(repeat('u', 1000))$$);
SELECT refusals($$typeid_text('User', next_uuidv7())$$, $$typeid_text('_', next_uuidv7())$$, $$typeid_text('user_', next_ulid())$$, $$typeid_text('us3r', next_ulid())$$,
                $$typeid_text(' ', next_ulid())$$, $$typeid_text('naïve', next_ulid())$$, $$typeid_text(repeat('z', 64), next_ulid())$$,
                $$typeid_text('user', 5)$$, $$typeid_text('user', next_ksuid())$$, $$typeid_text('user', 'x'::text)$$, $$typeid_text('user', ARRAY[next_uuidv7()])$$,
                $$typeid_text('user', 'x')$$, $$typeid_text('user', ROW(next_uuidv7()))$$);
\pset format aligned
\pset tuples_only off
DROP DOMAIN order_id;
DROP DOMAIN old_user_id;
DROP DOMAIN user_id;

-- UUIDs of version 7.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
\pset null '(null)'

-- A new one: version, variant, the time of now
SELECT pg_typeof(u), uuid_version_number(u), substr(u::text, 15, 1) AS version, substr(u::text, 20, 1) IN ('8', '9', 'a', 'b') AS variant,
       abs(extract(epoch FROM uuid_time(u) - clock_timestamp())) < 10 AS this_instant
  FROM (SELECT next_uuidv7() AS u) AS new;
-- Each is larger than the one before.
SELECT count(*), count(DISTINCT u), bool_and(u > before) AS rising
  FROM (SELECT u, lag(u) OVER (ORDER BY n) AS before FROM (SELECT n, next_uuidv7() AS u FROM generate_series(1, 20000) AS n OFFSET 0) AS made) AS pairs;
-- The fraction is that of the clock: it lies between two readings, but for what was made just before. A unit is 244 ns.
CREATE FUNCTION uuid_us(uuid) RETURNS numeric LANGUAGE sql AS $$
    SELECT extract(epoch FROM uuid_time($1)) * 1000000 + ('x' || substr($1::text, 16, 3))::bit(12)::int * 1000000.0 / 4096 / 1000
$$;
SELECT count(*) FILTER (WHERE uuid_us(u) < extract(epoch FROM before) * 1000000 - 1) AS too_early,
       count(*) FILTER (WHERE uuid_us(u) > extract(epoch FROM after) * 1000000 + 1) AS too_late
  FROM (SELECT clock_timestamp() AS before, next_uuidv7() AS u, clock_timestamp() AS after, pg_sleep(0.0001) FROM generate_series(1, 1000) OFFSET 0) AS made;
-- The 62 bits below are random: each is set in about half of them.
SELECT count(*) AS bits, min(ones) > 4500 AND max(ones) < 5500 AS half_of_them
  FROM (SELECT n, sum(get_bit(uuid_send(u), n)) AS ones
          FROM (SELECT next_uuidv7() AS u FROM generate_series(1, 10000) OFFSET 0) AS made, generate_series(64, 127) AS n
         WHERE n NOT IN (70, 71) GROUP BY n) AS counts;

-- Bounds: of the millisecond, inclusive
SELECT uuidv7_min('2026-11-21 12:00:00.1239Z'), uuidv7_max('2026-11-21 12:00:00.1239Z'), uuidv7_min(at => '1970-01-01Z'), uuidv7_max('10889-08-02 05:31:50.655999Z');
SELECT bool_and(u BETWEEN uuidv7_min(uuid_time(u)) AND uuidv7_max(uuid_time(u))) AS within,
       bool_and(u < uuidv7_min(uuid_time(u) + interval '1 ms') AND u > uuidv7_max(uuid_time(u) - interval '1 ms')) AS not_beside
  FROM (SELECT next_uuidv7() AS u FROM generate_series(1, 1000)) AS made;
CREATE TABLE by_uuid (id uuid PRIMARY KEY DEFAULT next_uuidv7(), n int);
INSERT INTO by_uuid (n) SELECT generate_series(1, 100);
SELECT count(*), array_agg(n ORDER BY id) = array_agg(n ORDER BY n) AS in_order
  FROM by_uuid WHERE id BETWEEN uuidv7_min(now() - interval '1 min') AND uuidv7_max(now() + interval '1 min');
DROP TABLE by_uuid;
-- One of a given time: its bounds, the fraction of its microsecond, 62 random bits
SELECT count(DISTINCT u), bool_and(uuid_version_number(u) = 7), bool_and(u BETWEEN uuidv7_min(at) AND uuidv7_max(at)) AS within,
       min(uuid_us(u) - extract(epoch FROM at) * 1000000) BETWEEN -0.25 AND 0 AS fraction, bool_and(uuid_send(u) BETWEEN uuid_send(uuidv7_min(at)) AND uuid_send(uuidv7_max(at))) AS variant
  FROM (SELECT at, uuidv7_make(at) AS u FROM generate_series('2015-06-01 12:00:00.000001Z'::timestamptz, '2015-06-01 12:00:00.002Z', '1 us') AS at, generate_series(1, 5)) AS made;
SELECT bool_and(u > before) AS later_is_larger
  FROM (SELECT u, lag(u) OVER (ORDER BY at) AS before
          FROM (SELECT at, uuidv7_make(at) AS u FROM generate_series('2015-06-01 12:00Z'::timestamptz, '2015-06-01 12:00:01Z', '997 us') AS at) AS made) AS pairs;
SELECT min(ones) > 4500 AND max(ones) < 5500 AS half_of_them
  FROM (SELECT n, sum(get_bit(uuid_send(u), n)) AS ones
          FROM (SELECT uuidv7_make('2015-06-01Z') AS u FROM generate_series(1, 10000) OFFSET 0) AS made, generate_series(64, 127) AS n
         WHERE n NOT IN (70, 71) GROUP BY n) AS counts;
SELECT substr(uuidv7_make('1970-01-01Z')::text, 1, 20) ~ '^00000000-0000-7000-[89ab]' AS first, substr(uuidv7_make('10889-08-02 05:31:50.655999Z')::text, 1, 18) AS last;
SELECT uuid_time(NULL), uuid_version_number(NULL), uuidv7_min(NULL), uuidv7_max(NULL);

-- Refused: SQLSTATE, message, DETAIL, HINT
\pset format unaligned
\pset tuples_only
SELECT refusals($$uuidv7_min('1969-12-31 23:59:59.999999Z')$$, $$uuidv7_max('1900-01-01Z')$$, $$uuidv7_min('10889-08-02 05:31:50.656Z')$$,
                $$uuidv7_min('infinity')$$, $$uuidv7_make('1969-12-31 23:59:59.999999Z')$$, $$uuidv7_make('infinity')$$, $$uuidv7_make(NULL)$$, $$uuidv7_max('-infinity')$$);
\pset format aligned
\pset tuples_only off
DROP FUNCTION uuid_us(uuid);
