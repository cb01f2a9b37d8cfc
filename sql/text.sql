-- Text forms of an ID, and an ID inside a UUID: values, order, refusals.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';

-- One ID in every form
SELECT id, id_to_base62(id), id_to_base32(id), id_to_base32(id, checksum => true), id_to_base64url(id), id_to_uuid(id)
  FROM unnest('{0, 1, 61, 62, 1234, 4036565484265537613, 9223372036854775807}'::bigint[]) AS id;
-- A negative number, which no layout makes, is the unsigned number of its 64 bits.
SELECT id, id_to_base62(id), id_to_base32(id), id_to_base32(id, true), id_to_base64url(id)
  FROM unnest('{-1, -9223372036854775808}'::bigint[]) AS id;
-- What Instagram's links say
SELECT id_to_base64url(id), id_from_base64url(shortcode, short => true) = id AS same
  FROM (VALUES ('CO5WXONKMxM', 2574187014843321420), ('CP5h-I1FuPr', 2592252466151482347), ('aG-H', 6844295), ('D', 3)) AS v (shortcode, id);

-- Every form of the vectors: what is read of a text, or how it is refused; and what is written.
SELECT form, text, result
  FROM text_form, result_of(format('id_from_%s(%L%s, short => true)', name, text, checksum)) AS result
 WHERE to_regproc('id_from_' || name) IS NOT NULL AND result IS DISTINCT FROM CASE WHEN direction <> 'refused' THEN id::text WHEN reason IN ('too_long', 'too_large') THEN '22003' ELSE '22P02' END;
SELECT form, id, result
  FROM text_form, result_of(format('id_to_%s(%s%s)', name, id, checksum)) AS result
 WHERE to_regproc('id_to_' || name) IS NOT NULL AND direction = 'both' AND result IS DISTINCT FROM CASE name WHEN 'base32' THEN lpad(text, length(result), '0') ELSE text END;
SELECT count(DISTINCT form) > 3 AS several FROM text_form WHERE to_regproc('id_to_' || name) IS NOT NULL AND to_regproc('id_from_' || name) IS NOT NULL;
-- Each form of the extension has vectors.
SELECT proname AS without_vectors FROM pg_proc AS p WHERE proname ~ '^id_to_base' AND NOT EXISTS (SELECT FROM text_form AS t WHERE proname = 'id_to_' || t.name);

-- What is written is read back: all forms, IDs and all other numbers.
SELECT count(*),
       bool_and(id_from_base62(id_to_base62(id)) = id) AS base62,
       bool_and(id_from_base32(id_to_base32(id)) = id) AS base32,
       bool_and(id_from_base32(id_to_base32(id, true), true) = id) AS base32_check,
       bool_and(id_from_base64url(id_to_base64url(id), short => true) = id) AS base64url,
       bool_and(length(id_to_base62(id)) = 11 AND length(id_to_base32(id)) = 13 AND length(id_to_base32(id, true)) = 14) AS fixed
  FROM (SELECT (1::bigint << bit) + step AS id FROM generate_series(0, 63) AS bit, generate_series(-2, 2) AS step
         WHERE NOT (bit = 63 AND step < 0)) AS n;

-- Readers take fewer digits only if they are told to. That of Base32 also takes what people write.
SELECT id_from_base62('z', short => true), id_from_base62('10', short => true), id_from_base64url('AAAAAAAAAAD'), id_from_base64url('BWrVZ', true),
       id_from_base32('z', short => true);
SELECT text, id_from_base32(text, short => true) FROM unnest('{16J, 16j, i6-J, L6J, -1-6-J-, 000000000016J, oooo16J}'::text[]) AS text;
SELECT text, id_from_base32(text, true, true) FROM unnest('{16JD, i6-jd, 16J-D-, 14U, 14u, 10*, 11~, 12$, 13=}'::text[]) AS text;
SELECT id_from_base32(digits => '16JD', checksum => true, short => true), id_to_base32(id => 1234, checksum => true);

-- Refused: SQLSTATE, message, DETAIL, HINT
\pset format unaligned
\pset tuples_only
SELECT refusals($$id_from_base62('')$$, $$id_from_base62(' ')$$, $$id_from_base62('4oBVmyxvRfB ')$$, $$id_from_base62('4oBVm yxvRf')$$,
                $$id_from_base62(E'4oBVmyxvRf\n')$$, $$id_from_base62('-1')$$, $$id_from_base62('12+4')$$, $$id_from_base62('LygHa16AHYG')$$,
                $$id_from_base62('4oBVyxvRfB')$$, $$id_from_base62('zzzzzzzzzzz')$$, $$id_from_base62('000000000000')$$, $$id_from_base62(repeat('1', 1000))$$);
SELECT refusals($$id_from_base32('')$$, $$id_from_base32('-')$$, $$id_from_base32('16 J')$$, $$id_from_base32('16U')$$, $$id_from_base32('16J*')$$,
                $$id_from_base32('16J=')$$, $$id_from_base32('G000000000000')$$, $$id_from_base32('00000000000000')$$,
                $$id_from_base32('3G162XFD4002DS')$$, $$id_from_base32('3G16-2XFD-402D')$$,
                $$id_from_base32('', true)$$, $$id_from_base32('D', true)$$, $$id_from_base32('-D-', true)$$,
                $$id_from_base32('16JE', true, true)$$, $$id_from_base32('16-J-U', true, true)$$, $$id_from_base32('16J!', true)$$, $$id_from_base32('1UJD', true)$$,
                $$id_from_base32('61JD', true, true)$$, $$id_from_base32('3G162XFD4002D', true)$$, $$id_from_base32('3G162XFD40002DS', true)$$);
SELECT refusals($$id_from_base64url('')$$, $$id_from_base64url('CO5WXONKMxM=')$$, $$id_from_base64url('CO5+')$$, $$id_from_base64url('/')$$,
                $$id_from_base64url('CO5WXONKMx')$$, $$id_from_base64url('QAAAAAAAAAA')$$, $$id_from_base64url('CO5WXONKMxMA')$$, $$id_from_base64url('https://www.instagram.com/p/CO5WXONKMxM/')$$);
-- Characters are counted, not bytes; a long text is cut between characters.
SELECT refusals($$id_from_base62('12é4')$$, $$id_from_base62('é')$$, $$id_from_base62('1€')$$, $$id_from_base62('日本語')$$, $$id_from_base62('1𝟚3')$$,
                $$id_from_base32('16J-é')$$, $$id_from_base32('16Jé', true)$$, $$id_from_base32('é6JD', true)$$, $$id_from_base64url('CO5‑')$$,
                $$id_from_base62('é' || repeat('é', 100))$$, $$id_from_base62('1' || repeat('é', 100))$$);
\pset format aligned
\pset tuples_only off

-- NULL in, NULL out
SELECT id_to_base62(NULL), id_from_base62(NULL), id_from_base62('1', NULL), id_to_base32(NULL), id_to_base32(1, NULL), id_from_base32(NULL), id_from_base32('1', NULL), id_from_base32('1', false, NULL),
       id_to_base64url(NULL), id_from_base64url(NULL), id_to_uuid(NULL), id_to_uuid(1, NULL), id_from_uuid(NULL), id_from_uuid(id_to_uuid(1), NULL),
       id_to_uuidv8(NULL), id_to_uuidv8(1, NULL);

-- Columns of text sort and compare as IDs in the order of bytes.
SELECT array_agg(id ORDER BY id_to_base62(id) COLLATE "C") = array_agg(id ORDER BY id) AS base62,
       array_agg(id ORDER BY id_to_base32(id) COLLATE "C") = array_agg(id ORDER BY id) AS base32,
       array_agg(id ORDER BY id_to_uuid(id)) = array_agg(id ORDER BY id) AS uuid
  FROM (SELECT ((n::numeric * 9223372036854775783 * 7919) % 9223372036854775808)::bigint AS id FROM generate_series(1, 2000) AS n) AS ids;

-- In a UUID: version 7, the variant of RFC 9562, the ID's time in the first 48 bits, in every layout.
SELECT layout, id, uuid, substr(uuid::text, 15, 1) AS version, substr(uuid::text, 20, 1) IN ('8', '9', 'a', 'b') AS variant,
       ('x' || translate(left(uuid::text, 13), '-', ''))::bit(48)::bigint = (extract(epoch FROM id_time(id, layout)) * 1000)::bigint AS time,
       id_from_uuid(uuid, layout) = id AS same
  FROM (VALUES ('instagram', 4035275943810433023), ('snowflake', 911949064302493695), ('twitter', 2124110576345939967),
               ('discord', 1573669306888093695), ('sonyflake', 647152250606583807), ('mastodon', 117654316654526463),
               ('js53', 455974533988351), ('trace', 3855296650016718847), ('trace', 0),
               ('epoch=2020-01-01 unit=1ms time=1 shard=31 sequence=31', 9223372036854775807)) AS v (text, id),
       CAST(text AS id_layout) AS layout,
       id_to_uuid(id, layout) AS uuid;

-- In a UUID of version 8: the bits of the ID, then random ones, in the order of the IDs.
SELECT left(uuid::text, 20), substr(uuid::text, 21, 1) IN ('4', '5', '6', '7') AS last_bits, id_from_uuid(uuid) FROM id_to_uuidv8(4036565484265537613) AS uuid;
SELECT count(DISTINCT uuid) AS different, count(DISTINCT right(uuid::text, 12)) AS random, bool_and(id_from_uuid(uuid, layout) = id) AS same,
       array_agg(id ORDER BY uuid) = array_agg(id ORDER BY id) AS ordered, bool_and(substr(uuid::text, 15, 1) = '8' AND substr(uuid::text, 20, 1) IN ('8', '9', 'a', 'b')) AS version
  FROM (VALUES ('instagram', 9223372036854775807), ('js53', 9007199254740991)) AS v (text, largest), CAST(text AS id_layout) AS layout,
       LATERAL (SELECT (n::numeric * largest / 1000)::bigint AS id FROM generate_series(0, 1000) AS n) AS i, id_to_uuidv8(id, layout) AS uuid;

\pset format unaligned
\pset tuples_only
SELECT refusals('id_to_uuid(-1)', $$id_to_uuid(9007199254740992, 'js53')$$,
                $$id_to_uuid(1, 'epoch=1969-12-31T23:59:59.999Z unit=1ms time=41 shard=10 sequence=12')$$,
                $$id_to_uuid(9223372036854775807, 'epoch=1970-01-01 unit=1ms time=49 sequence=14')$$);
SELECT refusals($$id_from_uuid('00000000-0000-0000-0000-000000000000')$$, $$id_from_uuid('ffffffff-ffff-ffff-ffff-ffffffffffff')$$,
                $$id_from_uuid('919108f7-52d1-4320-9bac-f847db4148a8')$$, $$id_from_uuid('017f22e2-79b0-7cc3-98c4-dc0c0c07398f')$$,
                $$id_from_uuid('01a20723-ef8d-7000-f804-c2ebda40004d')$$, $$id_from_uuid('01a20723-ef8e-7000-b804-c2ebda40004d')$$,
                $$id_from_uuid('01a20723-ef8d-7000-b804-c2ebda40004d', 'twitter')$$, $$id_from_uuid('01a20723-ef8d-7001-b804-c2ebda40004d', 'js53')$$,
                $$id_from_uuid('3804c2eb-da40-8004-b400-000000000000', 'js53')$$, $$id_from_uuid('b804c2eb-da40-8004-b400-000000000000')$$,
                $$id_from_uuid('3804c2eb-da40-8004-f400-000000000000')$$, 'id_to_uuidv8(-1)', $$id_to_uuidv8(9007199254740992, 'js53')$$);
\pset format aligned
\pset tuples_only off
SELECT id_from_uuid('01a20723-ef8d-7000-b804-c2ebda40004d');

-- In an index, a generated column, a check
CREATE TABLE link (id bigint PRIMARY KEY, code text COLLATE "C" GENERATED ALWAYS AS (id_to_base62(id)) STORED UNIQUE,
                   key uuid CHECK (id_from_uuid(key) = id));
INSERT INTO link (id, key) VALUES (4036565484265537613, '01a20723-ef8d-7000-b804-c2ebda40004d');
SELECT * FROM link WHERE code = '4oBVmyxvRfB';
\set VERBOSITY terse
INSERT INTO link (id, key) VALUES (5, '01a20723-ef8d-7000-b804-c2ebda40004d');
\set VERBOSITY default
DROP TABLE link;

-- Encrypted and public IDs: values, keys and who may see them, refusals.

-- The same numbers come from an independent implementation of FF1, test/vectors/ff1.csv.
SELECT id, id_encrypt(id, key), id_encrypt(id, key, 'photo'), id_encrypt(id, key || key), id_encrypt(id, key || substr(key, 1, 8)) <> id AS aes192
  FROM unnest('{0, 1, 4036565484265537613, 9223372036854775807}'::bigint[]) AS id, decode('2B7E151628AED2A6ABF7158809CF4F3C', 'hex') AS key;
SELECT id_encrypt(4036565484265537613, '\x2B7E151628AED2A6ABF7158809CF4F3CEF4359D8D580AA4F7F036D6F04FC6A94'),
       id_encrypt(4036565484265537613, '\x2B7E151628AED2A6ABF7158809CF4F3CEF4359D8D580AA4F7F036D6F04FC6A94', 'photo');
SELECT id_decrypt(7691034678305729193, '\x2B7E151628AED2A6ABF7158809CF4F3C'), id_decrypt(number => 5208847852955030608, key => '\x2B7E151628AED2A6ABF7158809CF4F3C', tweak => 'photo');
-- More keys than a session keeps: each call has its own.
SELECT count(DISTINCT encrypted), bool_and(id_decrypt(encrypted, key) = 5) AS same
  FROM generate_series(1, 1000) AS n, decode(md5((n % 20)::text), 'hex') AS key, id_encrypt(5, key) AS encrypted;
-- A key that begins like another
SELECT count(DISTINCT id_encrypt(5, substr(decode(repeat('00', 32), 'hex'), 1, size))) FROM unnest('{16, 24, 32, 16}'::int[]) AS size;

-- Refused: SQLSTATE, message, DETAIL, HINT. The key is in none.
\pset format unaligned
\pset tuples_only
SELECT refusals($$id_encrypt(-1, '\x2B7E151628AED2A6ABF7158809CF4F3C')$$, $$id_decrypt(-9223372036854775808, '\x2B7E151628AED2A6ABF7158809CF4F3C')$$,
                $$id_encrypt(1, '')$$, $$id_encrypt(1, '\x2B7E151628AED2A6ABF7158809CF4F')$$, $$id_encrypt(1, '\x2B7E151628AED2A6ABF7158809CF4F3C00')$$,
                $$id_decrypt(1, '2B7E151628AED2A6ABF7158809CF4F3C2B7E151628AED2A6ABF7158809CF4F3C')$$,
                $$id_encrypt(1, '\x2B7E151628AED2A6ABF7158809CF4F3C', repeat('x', 257)::bytea)$$,
                $$id_decrypt(1, '\x2B7E151628AED2A6ABF7158809CF4F3C', repeat('x', 1000000)::bytea)$$);
\pset format aligned
\pset tuples_only off
SELECT id_decrypt(id_encrypt(1, key, tweak), key, tweak) AS longest_tweak
  FROM (SELECT '\x2B7E151628AED2A6ABF7158809CF4F3C'::bytea AS key, repeat('x', 256)::bytea AS tweak) AS v;
SELECT id_encrypt(NULL, '\x00'), id_encrypt(1, NULL), id_encrypt(1, '\x00', NULL), id_decrypt(NULL, '\x00'), id_decrypt(1, NULL), id_decrypt(1, '\x00', NULL),
       id_to_public(NULL), id_to_public(1, NULL), id_to_public(1, 1, NULL), id_to_public(1, 1, '', NULL),
       id_from_public(NULL), id_from_public('1', NULL), id_from_public('1', '', NULL);

-- Immutable with the key given: in a generated column, an index
CREATE TABLE link (id bigint PRIMARY KEY, shown bigint GENERATED ALWAYS AS (id_encrypt(id, '\x2B7E151628AED2A6ABF7158809CF4F3C')) STORED UNIQUE);
INSERT INTO link VALUES (1), (2);
SELECT * FROM link ORDER BY id;
DROP TABLE link;
-- Those that read the setting are not.
\set VERBOSITY terse
CREATE TABLE link (id bigint PRIMARY KEY, shown text GENERATED ALWAYS AS (id_to_public(id)) STORED);
\set VERBOSITY default

-- The keys of the server
\pset format unaligned
\pset tuples_only
SELECT refusals('id_to_public(5)', 'id_to_public(5, 1)', $$id_from_public('12ansWEBl4Nl')$$);
\pset format aligned
\pset tuples_only off
SET idgen.keys = '1:2B7E151628AED2A6ABF7158809CF4F3C';
SELECT id, id_to_public(id), id_to_public(id, tweak => 'photo') AS photo, id_to_base62(id_encrypt(id, '\x2B7E151628AED2A6ABF7158809CF4F3C')) AS digits
  FROM unnest('{0, 1, 5, 4036565484265537613, 9223372036854775807}'::bigint[]) AS id;
-- The highest number is used, and all are read.
SET idgen.keys = '12:2b7e151628aed2a6abf7158809cf4f3cef4359d8d580aa4f, 1:2B7E151628AED2A6ABF7158809CF4F3C, 2:2B7E151628AED2A6ABF7158809CF4F3D';
SELECT number, public, id_from_public(public) FROM unnest('{0, 1, 2, 12}'::int[]) AS number, id_to_public(5, number) AS public ORDER BY number;
SELECT id_from_public('12ansWEBl4Nl'), id_from_public(id_to_public(5, tweak => 'photo'), 'photo'),
       id_from_public(id_to_public(5, tweak => 'photo')) <> 5 AS other_tweak;
-- With a prefix, which is only shown
SELECT public, id_from_public(public, prefix => 'inv'), public = 'inv_' || id_to_public(5) AS same, id_from_public(id_to_public(5, tweak => 'photo', prefix => 'sk_live'), 'photo', 'sk_live')
  FROM id_to_public(5, prefix => 'inv') AS public;
-- Another key under the same number
SET idgen.keys = '1:2B7E151628AED2A6ABF7158809CF4F3D';
SELECT id_from_public('12ansWEBl4Nl') <> 5 AS other_key;
SET idgen.keys = '12:2b7e151628aed2a6abf7158809cf4f3cef4359d8d580aa4f, 1:2B7E151628AED2A6ABF7158809CF4F3C, 2:2B7E151628AED2A6ABF7158809CF4F3D';

\pset format unaligned
\pset tuples_only
SELECT refusals('id_to_public(-1)', 'id_to_public(5, 3)', 'id_to_public(5, -1)', $$id_to_public(5, 1, repeat('x', 257)::bytea)$$,
                $$id_from_public('32ansWEBl4Nl')$$, $$id_from_public('12ansWEBl4Nl', repeat('x', 257)::bytea)$$,
                $$id_from_public('')$$, $$id_from_public('2ansWEBl4Nl')$$, $$id_from_public('02ansWEBl4Nl')$$, $$id_from_public('21474836482ansWEBl4Nl')$$,
                $$id_from_public('x2ansWEBl4Nl')$$, $$id_from_public('12ansWEBl4N ')$$, $$id_from_public('12ans-EBl4Nl')$$, $$id_from_public('1é2ansWEBl4Nl')$$,
                $$id_from_public('1AzL8n0Y58m8')$$, $$id_from_public('1zzzzzzzzzzz')$$, $$id_from_public(repeat('é', 200))$$,
                $$id_from_public('inv_12ansWEBl4Nl')$$, $$id_from_public('12ansWEBl4Nl', prefix => 'inv')$$, $$id_from_public('cus_12ansWEBl4Nl', prefix => 'inv')$$,
                $$id_from_public('_12ansWEBl4Nl')$$, $$id_from_public('inv_12ansWEBl4N', prefix => 'inv')$$, $$id_from_public('inv_12ans-EBl4Nl', prefix => 'inv')$$,
                $$id_from_public(repeat('é', 200) || '_12ansWEBl4Nl', prefix => 'inv')$$,
                $$id_to_public(5, prefix => 'Inv')$$, $$id_to_public(5, prefix => 'inv_')$$, $$id_to_public(5, prefix => repeat('p', 64))$$, $$id_from_public('x', prefix => 'é')$$);
\pset format aligned
\pset tuples_only off

-- Who may do what: an ordinary role uses the keys, and cannot see or set them.
CREATE ROLE regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT id_to_public(5, 1);
SELECT id_from_public('12ansWEBl4Nl');
RESET ROLE;
GRANT EXECUTE ON FUNCTION id_to_public, id_from_public TO regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT id_to_public(5, 1), id_from_public('12ansWEBl4Nl');
\set VERBOSITY sqlstate
SHOW idgen.keys;
SELECT current_setting('idgen.keys');
SELECT current_setting('idgen.keys', true);
\set VERBOSITY default
SELECT count(*) FROM pg_settings WHERE name = 'idgen.keys';
SET idgen.keys = '';
RESET idgen.keys;
SELECT set_config('idgen.keys', '', false);
ALTER ROLE regress_idgen_user SET idgen.keys = '';
RESET ROLE;
SHOW idgen.keys;
DROP OWNED BY regress_idgen_user;
DROP ROLE regress_idgen_user;

-- Refused, and what was set remains. No message tells a key.
SET idgen.keys = '2B7E151628AED2A6ABF7158809CF4F3C';
SET idgen.keys = 'one:2B7E151628AED2A6ABF7158809CF4F3C';
SET idgen.keys = '2B7E151628AED2A6ABF7158809CF4F3C:1';
SET idgen.keys = '0:2B7E151628AED2A6ABF7158809CF4F3C';
SET idgen.keys = '1:2B7E151628AED2A6ABF7158809CF4F3';
SET idgen.keys = '1:2B7E151628AED2A6ABF7158809CF4F3X';
SET idgen.keys = '1:2B7E151628AED2A6ABF7158809CF4F3C,';
SET idgen.keys = '1:2B7E151628AED2A6ABF7158809CF4F3C,2:2B7E151628AED2A6ABF7158809CF4F3CEF4359D8D580AA4F7F036D6F04FC6A94,1:2B7E151628AED2A6ABF7158809CF4F3D';
SELECT set_config('idgen.keys', string_agg(n || ':2B7E151628AED2A6ABF7158809CF4F3C', ','), false) FROM generate_series(1, 65) AS n;
SELECT set_config('idgen.keys', '1:2B7E151628AED2A6ABF7158809CF4F3', true);
ALTER SYSTEM SET idgen.keys = '1:2B7E151628AED2A6ABF7158809CF4F3';
SELECT id_to_public(5, 12);
-- Settings of a database, a role or a function stand in open catalogs.
ALTER DATABASE :DBNAME SET idgen.keys = '1:2B7E151628AED2A6ABF7158809CF4F3C';
ALTER ROLE ALL SET idgen.keys = '1:2B7E151628AED2A6ABF7158809CF4F3C';
CREATE FUNCTION with_key() RETURNS text LANGUAGE sql SET idgen.keys = '1:2B7E151628AED2A6ABF7158809CF4F3C' AS 'SELECT id_to_public(5)';
ALTER DATABASE :DBNAME RESET idgen.keys;

-- For a transaction
BEGIN;
SET LOCAL idgen.keys = '1:2B7E151628AED2A6ABF7158809CF4F3C';
SELECT id_to_public(5);
ROLLBACK;
SELECT id_to_public(5);
RESET idgen.keys;
SELECT id_to_public(5);
