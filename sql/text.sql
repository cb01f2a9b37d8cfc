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
SELECT id_to_base64url(id), id_from_base64url(shortcode) = id AS same
  FROM (VALUES ('CO5WXONKMxM', 2574187014843321420), ('CP5h-I1FuPr', 2592252466151482347), ('aG-H', 6844295), ('D', 3)) AS v (shortcode, id);

-- Every form of the vectors: what is read of a text, or how it is refused; and what is written.
SELECT form, text, result
  FROM text_form, result_of(format('id_from_%s(%L%s)', name, text, checksum)) AS result
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
       bool_and(id_from_base64url(id_to_base64url(id)) = id) AS base64url,
       bool_and(length(id_to_base62(id)) = 11 AND length(id_to_base32(id)) = 13 AND length(id_to_base32(id, true)) = 14) AS fixed
  FROM (SELECT (1::bigint << bit) + step AS id FROM generate_series(0, 63) AS bit, generate_series(-2, 2) AS step
         WHERE NOT (bit = 63 AND step < 0)) AS n;

-- Readers take fewer digits, and Base32 what people write.
SELECT id_from_base62('z'), id_from_base62('10'), id_from_base64url('AAAAAAAAAAD'), id_from_base32('z');
SELECT text, id_from_base32(text) FROM unnest('{16J, 16j, i6-J, L6J, -1-6-J-, 000000000016J, oooo16J}'::text[]) AS text;
SELECT text, id_from_base32(text, true) FROM unnest('{16JD, i6-jd, 16J-D-, 14U, 14u, 10*, 11~, 12$, 13=}'::text[]) AS text;
SELECT id_from_base32(digits => '16JD', checksum => true), id_to_base32(id => 1234, checksum => true);

-- Refused: SQLSTATE, message, DETAIL, HINT
\pset format unaligned
\pset tuples_only
SELECT refusals($$id_from_base62('')$$, $$id_from_base62(' ')$$, $$id_from_base62('4oBVmyxvRfB ')$$, $$id_from_base62('4oBVm yxvRf')$$,
                $$id_from_base62(E'4oBVmyxvRf\n')$$, $$id_from_base62('-1')$$, $$id_from_base62('12+4')$$, $$id_from_base62('LygHa16AHYG')$$,
                $$id_from_base62('zzzzzzzzzzz')$$, $$id_from_base62('000000000000')$$, $$id_from_base62(repeat('1', 1000))$$);
SELECT refusals($$id_from_base32('')$$, $$id_from_base32('-')$$, $$id_from_base32('16 J')$$, $$id_from_base32('16U')$$, $$id_from_base32('16J*')$$,
                $$id_from_base32('16J=')$$, $$id_from_base32('G000000000000')$$, $$id_from_base32('00000000000000')$$,
                $$id_from_base32('3G162XFD4002DS')$$,
                $$id_from_base32('', true)$$, $$id_from_base32('D', true)$$, $$id_from_base32('-D-', true)$$,
                $$id_from_base32('16JE', true)$$, $$id_from_base32('16-J-U', true)$$, $$id_from_base32('16J!', true)$$, $$id_from_base32('1UJD', true)$$,
                $$id_from_base32('61JD', true)$$, $$id_from_base32('3G162XFD4002D', true)$$, $$id_from_base32('3G162XFD40002DS', true)$$);
SELECT refusals($$id_from_base64url('')$$, $$id_from_base64url('CO5WXONKMxM=')$$, $$id_from_base64url('CO5+')$$, $$id_from_base64url('/')$$,
                $$id_from_base64url('QAAAAAAAAAA')$$, $$id_from_base64url('CO5WXONKMxMA')$$, $$id_from_base64url('https://www.instagram.com/p/CO5WXONKMxM/')$$);
-- Characters are counted, not bytes; a long text is cut between characters.
SELECT refusals($$id_from_base62('12é4')$$, $$id_from_base62('é')$$, $$id_from_base62('1€')$$, $$id_from_base62('日本語')$$, $$id_from_base62('1𝟚3')$$,
                $$id_from_base32('16J-é')$$, $$id_from_base32('16Jé', true)$$, $$id_from_base32('é6JD', true)$$, $$id_from_base64url('CO5‑')$$,
                $$id_from_base62('é' || repeat('é', 100))$$, $$id_from_base62('1' || repeat('é', 100))$$);
\pset format aligned
\pset tuples_only off

-- NULL in, NULL out
SELECT id_to_base62(NULL), id_from_base62(NULL), id_to_base32(NULL), id_to_base32(1, NULL), id_from_base32(NULL), id_from_base32('1', NULL),
       id_to_base64url(NULL), id_from_base64url(NULL), id_to_uuid(NULL), id_to_uuid(1, NULL), id_from_uuid(NULL), id_from_uuid(id_to_uuid(1), NULL);

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

\pset format unaligned
\pset tuples_only
SELECT refusals('id_to_uuid(-1)', $$id_to_uuid(9007199254740992, 'js53')$$,
                $$id_to_uuid(1, 'epoch=1969-12-31T23:59:59.999Z unit=1ms time=41 shard=10 sequence=12')$$,
                $$id_to_uuid(9223372036854775807, 'epoch=1970-01-01 unit=1ms time=49 sequence=14')$$);
SELECT refusals($$id_from_uuid('00000000-0000-0000-0000-000000000000')$$, $$id_from_uuid('ffffffff-ffff-ffff-ffff-ffffffffffff')$$,
                $$id_from_uuid('919108f7-52d1-4320-9bac-f847db4148a8')$$, $$id_from_uuid('017f22e2-79b0-7cc3-98c4-dc0c0c07398f')$$,
                $$id_from_uuid('01a20723-ef8d-7000-f804-c2ebda40004d')$$, $$id_from_uuid('01a20723-ef8e-7000-b804-c2ebda40004d')$$,
                $$id_from_uuid('01a20723-ef8d-7000-b804-c2ebda40004d', 'twitter')$$, $$id_from_uuid('01a20723-ef8d-7001-b804-c2ebda40004d', 'js53')$$);
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
