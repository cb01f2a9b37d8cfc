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
