-- Encrypted and public IDs over random values: what is encrypted comes back, and nothing shows through.
BEGIN;
SELECT no_plan();
SELECT setseed(0.91);

CREATE TEMP TABLE sample AS
SELECT n, (random() * 9223372036854774784 + n * 0)::bigint AS id,
       decode(substr(md5(random()::text) || md5(n::text), 1, (ARRAY[32, 48, 64])[n % 3 + 1]), 'hex') AS key,
       substr(repeat(md5(n::text), 8), 1, n % 257)::bytea AS tweak
  FROM generate_series(1, 7000) AS n;
-- The edges, and small numbers
INSERT INTO sample SELECT n, id, key, tweak FROM sample AS s JOIN LATERAL (SELECT id FROM unnest('{0, 1, 9223372036854775806, 9223372036854775807}'::bigint[]) AS id) AS e(edge) ON true WHERE n <= 100;
INSERT INTO sample SELECT n + 100000, n, '\x000102030405060708090a0b0c0d0e0f', '' FROM generate_series(1, 20000) AS n;
ANALYZE sample;

SELECT is(count(*) FILTER (WHERE id_decrypt(id_encrypt(id, key, tweak), key, tweak) <> id), 0::bigint, 'decrypted, the ID comes back') FROM sample;
SELECT is(count(*) FILTER (WHERE id_encrypt(id_decrypt(id, key, tweak), key, tweak) <> id), 0::bigint, 'encrypted, every number is that of some ID') FROM sample;
SELECT is(count(*) FILTER (WHERE id_encrypt(id, key, tweak) < 0), 0::bigint, 'an encrypted ID is never negative') FROM sample;
SELECT is(count(*) FILTER (WHERE id_encrypt(id, key) = id_encrypt(id, key, 'x')), 0::bigint, 'another tweak, another number') FROM sample;
SELECT is(count(*) FILTER (WHERE id_encrypt(id, key) = id_encrypt(id, key, '\x00')), 0::bigint, 'a tweak of zero is not the empty one') FROM sample;
SELECT is(count(*) FILTER (WHERE id_encrypt(id, key) = id_encrypt(id, set_byte(key, 0, get_byte(key, 0) # 1))), 0::bigint, 'a bit of the key, another number') FROM sample;
SELECT is(count(DISTINCT id_encrypt(id, key)), count(*), 'different IDs, different numbers') FROM sample WHERE n > 100000;

-- Of 20,000 consecutive IDs the numbers are as good as random: 64 ranges get some 312 each, of which 6 standard deviations are
-- 106; next to next they rise and fall, and no correlation with the ID is left (6 deviations are 0.042).
SELECT cmp_ok(max(abs(many - 312.5))::float8, '<', 106::float8, 'numbers of consecutive IDs are spread evenly')
  FROM (SELECT count(*) AS many FROM sample WHERE n > 100000 GROUP BY id_encrypt(id, key) >> 57) AS ranges;
SELECT is(count(DISTINCT id_encrypt(id, key) >> 57), 64::bigint, 'numbers of consecutive IDs lie in the whole range') FROM sample WHERE n > 100000;
SELECT is(count(DISTINCT id_encrypt(id, key) & 63), 64::bigint, 'numbers of consecutive IDs have all low bits') FROM sample WHERE n > 100000;
SELECT cmp_ok(abs(corr(id, id_encrypt(id, key))), '<', 0.042::float8, 'numbers of consecutive IDs are in no order') FROM sample WHERE n > 100000;

-- Public IDs
SET LOCAL idgen.keys = '7:000102030405060708090a0b0c0d0e0f, 31:000102030405060708090a0b0c0d0e0f1011121314151617, 4:ffffffffffffffffffffffffffffffff';
SELECT is(count(*) FILTER (WHERE id_from_public(id_to_public(id, number, tweak), tweak) <> id), 0::bigint, format('public with key %s, the ID comes back', number))
  FROM sample, unnest('{0, 4, 7, 31}'::int[]) AS number GROUP BY number ORDER BY number;
SELECT is(count(*) FILTER (WHERE id_to_public(id, 7, tweak) <> '7' || id_to_base62(id_encrypt(id, '\x000102030405060708090a0b0c0d0e0f', tweak))), 0::bigint,
          'a public ID is the key''s number and the encrypted ID') FROM sample;
SELECT is(count(*) FILTER (WHERE id_to_public(id) <> id_to_public(id, 31)), 0::bigint, 'the highest number is the default') FROM sample;

-- In parallel workers: the keys of the session are theirs.
\ir lib/workers.sql
CREATE TABLE shown AS SELECT id, id_to_public(id) AS public FROM sample;
ALTER TABLE shown SET (parallel_workers = 2);
SELECT ok(pg_temp.is_parallel('SELECT count(*) FROM shown WHERE id_from_public(public) = id AND id_to_public(id) = public'), 'workers run');
SELECT is((SELECT count(*) FROM shown WHERE id_from_public(public) = id AND id_to_public(id) = public), (SELECT count(*) FROM sample), 'parallel workers have the keys of the session');

-- Text forms, UUIDs, TypeIDs and id64 over random numbers: what is written is read back, and sorts as the IDs do.
SET LOCAL TimeZone = 'UTC';
SELECT setseed(0.62);

-- Numbers of every length in bits, half of them negative; `id` is one that a layout can have made.
CREATE TEMP TABLE number AS
SELECT (('x' || encode(substr(sha256((random() || ' ' || n)::bytea), 1, 8), 'hex'))::bit(64)::bigint >> (n % 64)) AS value
  FROM generate_series(1, 17000) AS n;
CREATE TEMP TABLE id AS SELECT value & 9223372036854775807 AS id FROM number;

-- Every form of the extension, by its writer and its reader
CREATE TEMP TABLE form AS
SELECT to_base.proname AS writer, from_base.proname AS reader, checksum
  FROM pg_proc AS to_base JOIN pg_proc AS from_base ON from_base.proname = replace(to_base.proname, '_to_', '_from_'),
       unnest(ARRAY['', ', true']) AS checksum
 WHERE to_base.proname ~ '^id_to_base' AND (checksum = '' OR to_base.pronargs = 2);
SELECT cmp_ok(count(*), '>', 3::bigint, 'forms') FROM form;
SELECT format('SELECT is(count(*), 0::bigint, %1$L) FROM number WHERE %2$s(%3$s(value%4$s)%4$s, short => true) <> value', concat(writer, checksum, ': comes back'), reader, writer, checksum)
  FROM form ORDER BY writer, checksum \gexec
-- Their order; the texts of base64url have several lengths.
SELECT format('SELECT is(count(*) FILTER (WHERE wrong), 0::bigint, %L) FROM (SELECT id < lag(id) OVER (ORDER BY %s(id%s) COLLATE "C") AS wrong FROM id) AS steps',
              concat(writer, checksum, ': order of bytes is order of IDs'), writer, checksum)
  FROM form WHERE writer <> 'id_to_base64url' ORDER BY writer, checksum \gexec
SELECT is(count(*), 0::bigint, 'Base32 comes back in lower case, with hyphens, o and l')
  FROM number
 WHERE id_from_base32(regexp_replace(translate(lower(id_to_base32(value)), '01', 'ol'), '(.{4})', '\1-', 'g')) <> value;
SELECT is(count(*), 0::bigint, 'id64 comes back, and is Base62')
  FROM number WHERE value::id64::text::id64::bigint <> value OR value::id64::text <> id_to_base62(value);
SELECT is(count(*), 0::bigint, 'id64 comes back from JSON')
  FROM number WHERE (to_jsonb(value::id64) #>> '{}')::id64::bigint <> value OR jsonb_typeof(to_jsonb(value::id64)) <> 'string';

SELECT is(count(*), 0::bigint, 'lengths')
  FROM number
 WHERE length(id_to_base62(value)) <> 11 OR length(id_to_base32(value)) <> 13 OR length(id_to_base32(value, true)) <> 14
    OR length(id_to_base64url(value)) NOT BETWEEN 1 AND 11 OR id_to_base64url(value) ~ '^A.';

-- base64url is RFC 4648's over the big-endian bytes with two zero bits in front of them.
SELECT is(count(*), 0::bigint, 'base64url by another way')
  FROM number
 WHERE ltrim(translate(encode('\x00'::bytea || int8send(value), 'base64'), '+/', '-_'), 'A') <> ltrim(id_to_base64url(value), 'A');

-- Order
SELECT is(count(*) FILTER (WHERE wrong), 0::bigint, format('order of bytes is order of IDs: %s', form))
  FROM (SELECT form, id < lag(id) OVER (PARTITION BY form ORDER BY text COLLATE "C") AS wrong
          FROM id, LATERAL (VALUES ('id64', id::id64::text)) AS t (form, text)) AS steps
 GROUP BY form ORDER BY form;
SELECT is((SELECT array_agg(value ORDER BY value) FROM number), (SELECT array_agg(value ORDER BY value::id64) FROM number), 'id64 sorts as bigint');
SELECT is((SELECT array_agg(DISTINCT value) FROM number), (SELECT array_agg(DISTINCT value::id64)::bigint[] FROM number), 'distinct id64');

-- A check symbol finds a wrong digit: one digit at random, replaced by another.
CREATE FUNCTION pg_temp.is_refused(text text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM id_from_base32(text, true);
    RETURN false;
EXCEPTION WHEN invalid_text_representation THEN
    RETURN true;
END
$$;
SELECT is(count(*), 0::bigint, 'a wrong digit is noticed')
  FROM (SELECT id_to_base32(id, true) AS text, 2 + (id % 12)::int AS at, substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (id / 64 % 32)::int, 1) AS digit
          FROM id LIMIT 5000) AS slip
 WHERE substr(text, at, 1) <> digit AND NOT pg_temp.is_refused(overlay(text PLACING digit FROM at FOR 1));

-- UUIDs, in every layout
CREATE TEMP TABLE kind AS
SELECT layout, (id_layout_info(layout)).largest_id
  FROM unnest((ARRAY(SELECT name FROM id_layouts()) || ARRAY[
                    'epoch=1999-12-31T23:59:59.999Z unit=7ms time=40 region=3 shard=5 sequence=9',
                    'epoch=2020-01-01 unit=1ms time=42 shard=12 sequence=10',
                    'epoch=2020-01-01 unit=999ms time=38 sequence=20+1'])::id_layout[]) AS layout;
CREATE TEMP TABLE held AS
SELECT layout, i.id, id_to_uuid(i.id, layout) AS uuid
  FROM kind, (SELECT id FROM id LIMIT 10000) AS n, LATERAL (SELECT CASE WHEN largest_id = 9223372036854775807 THEN id ELSE id % (largest_id + 1) END AS id) AS i;

SELECT is(count(*) FILTER (WHERE id_from_uuid(uuid, layout) IS DISTINCT FROM id), 0::bigint, format('comes back from a UUID: %s', layout))
  FROM held GROUP BY layout ORDER BY layout::text;
SELECT is(count(*) FILTER (WHERE substr(uuid::text, 15, 1) <> '7' OR substr(uuid::text, 20, 1) !~ '[89ab]'), 0::bigint,
          format('version and variant: %s', layout))
  FROM held GROUP BY layout ORDER BY layout::text;
SELECT is(count(*) FILTER (WHERE ('x' || substr(translate(uuid::text, '-', ''), 1, 12))::bit(48)::bigint
                                 IS DISTINCT FROM extract(epoch FROM id_time(id, layout)) * 1000), 0::bigint, format('the time that everybody reads: %s', layout))
  FROM held GROUP BY layout ORDER BY layout::text;
SELECT is(count(*) FILTER (WHERE wrong), 0::bigint, format('UUIDs sort as IDs: %s', layout))
  FROM (SELECT layout, id < lag(id) OVER (PARTITION BY layout::text ORDER BY uuid) AS wrong FROM held) AS steps
 GROUP BY layout ORDER BY layout::text;
SELECT is(count(DISTINCT uuid), count(DISTINCT id), format('one UUID for one ID: %s', layout::text))
  FROM held GROUP BY layout::text ORDER BY layout::text;

-- Any instant: the bounds enclose the UUIDs of its millisecond, and no others.
CREATE TABLE instant AS
SELECT date_trunc('milliseconds', '1970-01-01Z'::timestamptz + random() * interval '2900000 days') + random() * interval '999 us' AS at
  FROM generate_series(1, 3300);
SELECT ok(bool_and(uuid_time(uuidv7_min(at)) = date_trunc('milliseconds', at) AND uuid_time(uuidv7_max(at)) = date_trunc('milliseconds', at)
                   AND uuid_version_number(uuidv7_min(at)) = 7 AND uuid_version_number(uuidv7_max(at)) = 7
                   AND uuidv7_min(at) < uuidv7_max(at) AND uuidv7_max(at) < uuidv7_min(at + interval '1 ms')),
          'bounds of a millisecond')
  FROM instant;

-- Any UUID, any prefix: back, and in order.
CREATE TABLE value AS
SELECT gen_random_uuid() AS uuid, substr(translate(gen_random_uuid()::text, '0123456789', 'ghijklmnop'), 1, 1 + n % 8) AS prefix
  FROM generate_series(1, 3300) AS n;
SELECT ok(bool_and(typeid_uuid(typeid_text(prefix, uuid)) = uuid AND typeid_prefix(typeid_text(prefix, uuid)) = prefix
                   AND typeid_text(prefix, uuid::ulid) = typeid_text(prefix, uuid)),
          'TypeIDs come back')
  FROM value;
SELECT is(array_agg(uuid ORDER BY typeid_text('x', uuid) COLLATE "C"), array_agg(uuid ORDER BY uuid), 'TypeIDs sort as their values') FROM value;

-- An index of id64 gives the rows that one of bigint gives.
CREATE TEMP TABLE indexed AS SELECT value AS plain, value::id64 AS id FROM number;
CREATE INDEX ON indexed (plain);
CREATE INDEX ON indexed (id);
ANALYZE indexed;
SET LOCAL enable_seqscan = off;
SELECT is((SELECT count(*) FROM indexed WHERE id BETWEEN low::id64 AND high::id64), (SELECT count(*) FROM indexed WHERE plain BETWEEN low AND high),
          'a range of an index')
  FROM (SELECT least(a.value, b.value) AS low, greatest(a.value, b.value) AS high
          FROM (SELECT value, row_number() OVER () AS n FROM number LIMIT 20) AS a
          JOIN (SELECT value, row_number() OVER () AS n FROM number OFFSET 1000 LIMIT 20) AS b ON b.n = a.n + 1000) AS bounds;
SELECT is(count(*), (SELECT count(*) FROM indexed AS a JOIN indexed AS b USING (plain)), 'a join') FROM indexed AS a JOIN indexed AS b USING (id);

SELECT * FROM finish();
ROLLBACK;
