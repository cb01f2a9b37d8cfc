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
       id_to_public(NULL), id_to_public(1, NULL), id_to_public(1, 1, NULL), id_from_public(NULL), id_from_public('1', NULL);

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
                $$id_from_public('1AzL8n0Y58m8')$$, $$id_from_public('1zzzzzzzzzzz')$$, $$id_from_public(repeat('é', 200))$$);
\pset format aligned
\pset tuples_only off

-- Who may do what: an ordinary role uses the keys, and cannot see or set them.
CREATE ROLE regress_idgen_user;
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
