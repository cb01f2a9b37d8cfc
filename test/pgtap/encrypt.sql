-- Encrypted and public IDs over random values: what is encrypted comes back, and nothing shows through.
BEGIN;
SELECT no_plan();
SELECT setseed(0.91);

CREATE TEMP TABLE sample AS
SELECT n, (random() * 9223372036854774784 + n * 0)::bigint AS id,
       decode(substr(md5(random()::text) || md5(n::text), 1, (ARRAY[32, 48, 64])[n % 3 + 1]), 'hex') AS key,
       substr(repeat(md5(n::text), 8), 1, n % 257)::bytea AS tweak
  FROM generate_series(1, 20000) AS n;
-- The edges, and small numbers
INSERT INTO sample SELECT n, id, key, tweak FROM sample AS s JOIN LATERAL (SELECT id FROM unnest('{0, 1, 9223372036854775806, 9223372036854775807}'::bigint[]) AS id) AS e(edge) ON true WHERE n <= 100;
INSERT INTO sample SELECT n + 100000, n, '\x000102030405060708090a0b0c0d0e0f', '' FROM generate_series(1, 20000) AS n;
ANALYZE sample;

SELECT is(count(*) FILTER (WHERE id_decrypt(id_encrypt(id, key, tweak), key, tweak) <> id), 0::bigint, 'decrypted, the ID comes back') FROM sample;
SELECT is(count(*) FILTER (WHERE id_encrypt(id_decrypt(id, key, tweak), key, tweak) <> id), 0::bigint, 'and every number is that of some ID') FROM sample;
SELECT is(count(*) FILTER (WHERE id_encrypt(id, key, tweak) < 0), 0::bigint, 'never negative') FROM sample;
SELECT is(count(*) FILTER (WHERE id_encrypt(id, key) = id_encrypt(id, key, 'x')), 0::bigint, 'another tweak, another number') FROM sample;
SELECT is(count(*) FILTER (WHERE id_encrypt(id, key) = id_encrypt(id, key, '\x00')), 0::bigint, 'a tweak of zero is not the empty one') FROM sample;
SELECT is(count(*) FILTER (WHERE id_encrypt(id, key) = id_encrypt(id, set_byte(key, 0, get_byte(key, 0) # 1))), 0::bigint, 'a bit of the key, another number') FROM sample;
SELECT is(count(DISTINCT id_encrypt(id, key)), count(*), 'different IDs, different numbers') FROM sample WHERE n > 100000;

-- Of 20,000 consecutive IDs the numbers are as good as random: 64 ranges get some 312 each, of which 6 standard deviations are
-- 106; next to next they rise and fall, and no correlation with the ID is left (6 deviations are 0.042).
SELECT cmp_ok(max(abs(many - 312.5))::float8, '<', 106::float8, 'evenly spread')
  FROM (SELECT count(*) AS many FROM sample WHERE n > 100000 GROUP BY id_encrypt(id, key) >> 57) AS ranges;
SELECT is(count(DISTINCT id_encrypt(id, key) >> 57), 64::bigint, 'over the whole range') FROM sample WHERE n > 100000;
SELECT is(count(DISTINCT id_encrypt(id, key) & 63), 64::bigint, 'in the low bits, too') FROM sample WHERE n > 100000;
SELECT cmp_ok(abs(corr(id, id_encrypt(id, key))), '<', 0.042::float8, 'in no order') FROM sample WHERE n > 100000;

-- Public IDs
SET LOCAL idgen.keys = '7:000102030405060708090a0b0c0d0e0f, 31:000102030405060708090a0b0c0d0e0f1011121314151617, 4:ffffffffffffffffffffffffffffffff';
SELECT is(count(*) FILTER (WHERE id_from_public(id_to_public(id, number, tweak), tweak) <> id), 0::bigint, format('public with key %s, it comes back', number))
  FROM sample, unnest('{0, 4, 7, 31}'::int[]) AS number GROUP BY number ORDER BY number;
SELECT is(count(*) FILTER (WHERE id_to_public(id, 7, tweak) <> '7' || id_to_base62(id_encrypt(id, '\x000102030405060708090a0b0c0d0e0f', tweak))), 0::bigint,
          'it is the key''s number and the encrypted ID') FROM sample;
SELECT is(count(*) FILTER (WHERE id_to_public(id) <> id_to_public(id, 31)), 0::bigint, 'the highest number is the default') FROM sample;

-- In parallel workers: the keys of the session are theirs.
\ir lib/workers.sql
CREATE TABLE shown AS SELECT id, id_to_public(id) AS public FROM sample;
ALTER TABLE shown SET (parallel_workers = 2);
SELECT ok(pg_temp.is_parallel('SELECT count(*) FROM shown WHERE id_from_public(public) = id AND id_to_public(id) = public'), 'workers run');
SELECT is((SELECT count(*) FROM shown WHERE id_from_public(public) = id AND id_to_public(id) = public), (SELECT count(*) FROM sample), 'in parallel workers');

SELECT * FROM finish();
ROLLBACK;
