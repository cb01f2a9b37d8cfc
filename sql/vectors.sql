-- Tables of test/vectors, which its README.md explains. Read by install.sql, and by a test of SQL alone.
CREATE TABLE preset (
    name text, long_form text, bytes text, first_ms bigint, last_ms bigint, tick_ms bigint, wraps boolean, shards bigint,
    first_sequence bigint, last_sequence bigint, largest_id bigint, time_shift int, shard_shift int, sequence_shift int,
    noon_ms bigint, noon_lowest bigint, noon_highest bigint
);
\copy preset FROM 'test/vectors/presets.csv' (FORMAT csv, HEADER)
-- The order of the file, in which IDs are given to rows that exist.
ALTER TABLE preset ADD place bigint GENERATED ALWAYS AS IDENTITY;

-- What is called to write a form and to read it stands behind each case.
CREATE TABLE text_form (
    form text, value numeric, text text, direction text, reason text, position int, class text, source text,
    id bigint GENERATED ALWAYS AS (CASE WHEN value < 9223372036854775808 THEN value ELSE value - 18446744073709551616 END) STORED,
    name text GENERATED ALWAYS AS (regexp_replace(form, 'check$', '')) STORED,
    checksum text GENERATED ALWAYS AS (CASE WHEN form LIKE '%check' THEN ', true' ELSE '' END) STORED
);
\copy text_form (form, value, text, direction, reason, position, class, source) FROM 'test/vectors/text_forms.csv' (FORMAT csv, HEADER, FORCE_NOT_NULL (text))
