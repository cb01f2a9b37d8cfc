-- The extension idgen takes over from idgen in SQL alone: run by a superuser, where the server has the extension. Where it fails, nothing is
-- moved, and it can be run again:
--
--     psql -X -q -v ON_ERROR_STOP=1 -d app -f sql-only/to-extension.sql
--
-- The schema idgen becomes idgen_sql, and the extension comes into a new schema idgen. What was made with the old functions (a DEFAULT, an
-- index, a generated column, a check, a view) goes on with them; they call the extension now, and the planner puts its functions in
-- their place. The extension's IDs begin above all that were made before.
SET search_path = pg_catalog, pg_temp;

-- The extension, in a schema that nobody uses yet: its horizon is to be raised before its first ID.
DO $$
DECLARE
    stands_in text := (SELECT n.nspname FROM pg_extension e, pg_namespace n WHERE e.extname = 'idgen' AND n.oid = e.extnamespace);
BEGIN
    IF to_regclass('idgen.idgen_shard') IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'undefined_table', MESSAGE = 'idgen in SQL alone is not in this database',
            DETAIL = 'There is no table idgen.idgen_shard.', HINT = 'Connect to the database where it is.';
    ELSIF stands_in IS NULL THEN
        CREATE SCHEMA idgen_new;
        CREATE EXTENSION idgen SCHEMA idgen_new;
    ELSIF stands_in <> 'idgen_new' THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('the extension idgen is in this database already, in schema "%s"', stands_in),
            DETAIL = 'It has to come into a schema that nobody uses, so that none of its IDs is made before it takes over.',
            HINT = 'Where nothing uses it, DROP EXTENSION idgen, and run this again.';
    END IF;
END
$$;

BEGIN;
-- Waits for the transactions that have drawn IDs, and lets nobody draw until this one is over. The table is its owner's word: it counts as
-- far as it names what is his, and none of his functions is called here.
DO $$
DECLARE
    slot idgen.idgen_shard;
    end_ms bigint := 946684800000;
BEGIN
    IF EXISTS (SELECT FROM pg_class t, idgen.idgen_shard s, unnest(ARRAY[s.numbers, s.cycles, s.lock]) AS used (oid) LEFT JOIN pg_class c ON c.oid = used.oid
                WHERE t.oid = 'idgen.idgen_shard'::regclass
                  AND (c.relname ~ '^idgen_(numbers|cycles|lock)_[0-9]+$'::text AND c.relnamespace = t.relnamespace AND c.relowner = t.relowner) IS NOT TRUE) THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = 'idgen.idgen_shard names what idgen_set_shards() did not make',
            DETAIL = 'Its sequences and tables stand in its schema and belong to its owner.', HINT = 'Look at the table.';
    END IF;
    FOR slot IN SELECT DISTINCT ON (numbers) * FROM idgen.idgen_shard ORDER BY numbers LOOP
        EXECUTE format('ALTER SEQUENCE %s OWNED BY NONE', slot.numbers);
        end_ms := greatest(end_ms, (slot.form).epoch_ms + ((pg_sequence_last_value(slot.numbers) >> (slot.form).sequence_bits) + 1) * (slot.form).unit_ms);
    END LOOP;
    PERFORM idgen_new.idgen_advance('1970-01-01 00:00:00+00'::timestamptz + end_ms * '1 ms'::interval);
END
$$;

ALTER SCHEMA idgen RENAME TO idgen_sql;
ALTER SCHEMA idgen_new RENAME TO idgen;

-- Who could look into the old schema can look into the new one.
DO $$
DECLARE
    grantee text;
BEGIN
    FOR grantee IN SELECT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END
                     FROM pg_namespace n, aclexplode(n.nspacl) a WHERE n.nspname = 'idgen_sql' AND a.privilege_type = 'USAGE'
                   UNION SELECT quote_ident(pg_get_userbyid(nspowner)) FROM pg_namespace WHERE nspname = 'idgen_sql' LOOP
        EXECUTE format('GRANT USAGE ON SCHEMA idgen TO %s', grantee);
    END LOOP;
END
$$;

-- The old functions by the new ones, each to be put in place of its call
CREATE OR REPLACE FUNCTION idgen_sql.next_id(shard bigint DEFAULT idgen_sql.idgen_own_shards(), layout text DEFAULT 'instagram') RETURNS bigint
    LANGUAGE sql VOLATILE
    RETURN idgen.next_id(shard, layout::idgen.id_layout);
CREATE OR REPLACE FUNCTION idgen_sql.next_ids(count bigint, shard bigint DEFAULT idgen_sql.idgen_own_shards(), layout text DEFAULT 'instagram') RETURNS SETOF bigint
    LANGUAGE sql VOLATILE ROWS 1000
    BEGIN ATOMIC SELECT idgen.next_ids(count, shard, layout::idgen.id_layout); END;
CREATE OR REPLACE FUNCTION idgen_sql.next_id_array(count integer, shard bigint DEFAULT idgen_sql.idgen_own_shards(), layout text DEFAULT 'instagram') RETURNS bigint[]
    LANGUAGE sql VOLATILE
    RETURN idgen.next_id_array(count, shard, layout::idgen.id_layout);
CREATE OR REPLACE FUNCTION idgen_sql.id_layout_info(layout text, OUT long_form text, OUT first_time timestamptz, OUT last_time timestamptz, OUT wraps boolean, OUT tick interval,
    OUT shards bigint, OUT ids_per_tick bigint, OUT ids_per_second bigint, OUT largest_id bigint, OUT fits_js boolean, OUT one_node boolean)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
        SELECT f.long_form, f.first_time, f.last_time, f.wraps, f.tick, f.shards, f.ids_per_tick, f.ids_per_second, f.largest_id, f.fits_js, f.one_node
          FROM idgen.id_layout_info(layout::idgen.id_layout) AS f;
    END;
CREATE OR REPLACE FUNCTION idgen_sql.id_decode(id bigint, layout text DEFAULT 'instagram') RETURNS idgen_sql.idgen_parts LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (SELECT ROW(d.created_at, d.shard, d.sequence)::idgen_sql.idgen_parts FROM idgen.id_decode(id, layout::idgen.id_layout) AS d);
CREATE OR REPLACE FUNCTION idgen_sql.id_time(id bigint, layout text DEFAULT 'instagram') RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN idgen.id_time(id, layout::idgen.id_layout);
CREATE OR REPLACE FUNCTION idgen_sql.id_time_near(id bigint, near timestamptz, layout text DEFAULT 'instagram') RETURNS timestamptz
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN idgen.id_time_near(id, near, layout::idgen.id_layout);
CREATE OR REPLACE FUNCTION idgen_sql.id_shard(id bigint, layout text DEFAULT 'instagram') RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN idgen.id_shard(id, layout::idgen.id_layout);
CREATE OR REPLACE FUNCTION idgen_sql.id_region(id bigint, layout text DEFAULT 'instagram') RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN idgen.id_region(id, layout::idgen.id_layout);
CREATE OR REPLACE FUNCTION idgen_sql.id_sequence(id bigint, layout text DEFAULT 'instagram') RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN idgen.id_sequence(id, layout::idgen.id_layout);
CREATE OR REPLACE FUNCTION idgen_sql.id_make(created_at timestamptz, shard bigint, sequence integer, layout text DEFAULT 'instagram') RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN idgen.id_make(created_at, shard, sequence, layout::idgen.id_layout);
CREATE OR REPLACE FUNCTION idgen_sql.id_min(at timestamptz, layout text DEFAULT 'instagram') RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN idgen.id_min(at, layout::idgen.id_layout);
CREATE OR REPLACE FUNCTION idgen_sql.id_max(at timestamptz, layout text DEFAULT 'instagram') RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN idgen.id_max(at, layout::idgen.id_layout);
CREATE OR REPLACE FUNCTION idgen_sql.id_within(id bigint, period tstzrange, layout text DEFAULT 'instagram') RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN idgen.id_within(id, period, layout::idgen.id_layout);
CREATE OR REPLACE FUNCTION idgen_sql.id_within_first(period tstzrange, layout text DEFAULT 'instagram') RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN idgen.id_within_first(period, layout::idgen.id_layout);
CREATE OR REPLACE FUNCTION idgen_sql.id_within_last(period tstzrange, layout text DEFAULT 'instagram') RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN idgen.id_within_last(period, layout::idgen.id_layout);
CREATE OR REPLACE FUNCTION idgen_sql.id_to_base62(id bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN idgen.id_to_base62(id);
CREATE OR REPLACE FUNCTION idgen_sql.id_from_base62(digits text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN idgen.id_from_base62(digits);
CREATE OR REPLACE FUNCTION idgen_sql.id_to_base32(id bigint, checksum boolean DEFAULT false) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN idgen.id_to_base32(id, checksum);
CREATE OR REPLACE FUNCTION idgen_sql.id_from_base32(digits text, checksum boolean DEFAULT false) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN idgen.id_from_base32(digits, checksum);
CREATE OR REPLACE FUNCTION idgen_sql.id_to_base64url(id bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN idgen.id_to_base64url(id);
CREATE OR REPLACE FUNCTION idgen_sql.id_from_base64url(digits text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN idgen.id_from_base64url(digits);
CREATE OR REPLACE FUNCTION idgen_sql.id_to_uuid(id bigint, layout text DEFAULT 'instagram') RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN idgen.id_to_uuid(id, layout::idgen.id_layout);
CREATE OR REPLACE FUNCTION idgen_sql.id_from_uuid(id uuid, layout text DEFAULT 'instagram') RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN idgen.id_from_uuid(id, layout::idgen.id_layout);
CREATE OR REPLACE FUNCTION idgen_sql.idgen_layout_text(layout text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN layout::idgen.id_layout::text;

-- What made the IDs goes. A session that was about to draw one gets an error, once.
DROP FUNCTION idgen_sql.idgen_slot;
DO $$
DECLARE
    slot record;
BEGIN
    FOR slot IN SELECT DISTINCT numbers, cycles, lock FROM idgen_sql.idgen_shard LOOP
        EXECUTE format('DROP SEQUENCE %s, %s; DROP TABLE %s', slot.numbers, slot.cycles, slot.lock);
    END LOOP;
END
$$;
DROP FUNCTION idgen_sql.idgen_preset, idgen_sql.idgen_refuse_layout, idgen_sql.idgen_epoch_ms, idgen_sql.idgen_count,
    idgen_sql.idgen_instant_text, idgen_sql.idgen_parse_layout, idgen_sql.idgen_form, idgen_sql.idgen_instant, idgen_sql.idgen_unix_ms,
    idgen_sql.idgen_decode, idgen_sql.idgen_require_finite, idgen_sql.idgen_time_near, idgen_sql.idgen_require_ticks, idgen_sql.idgen_tick,
    idgen_sql.idgen_refuse_wrapping, idgen_sql.idgen_min, idgen_sql.idgen_max, idgen_sql.idgen_span, idgen_sql.idgen_refuse_null,
    idgen_sql.idgen_require_shard, idgen_sql.idgen_make, idgen_sql.idgen_clip, idgen_sql.idgen_digits, idgen_sql.idgen_number,
    idgen_sql.idgen_require_digits, idgen_sql.idgen_to_uuid, idgen_sql.idgen_from_uuid, idgen_sql.idgen_resolve, idgen_sql.idgen_take,
    idgen_sql.idgen_slot_of, idgen_sql.idgen_id, idgen_sql.idgen_clock_tick, idgen_sql.idgen_open_tick, idgen_sql.idgen_refuse_wait,
    idgen_sql.idgen_draw, idgen_sql.idgen_require_count, idgen_sql.idgen_parse_shards, idgen_sql.idgen_make_private,
    idgen_sql.idgen_set_shards;
DROP TABLE idgen_sql.idgen_shard, idgen_sql.idgen_setting;
DROP FUNCTION idgen_sql.idgen_write_slots;
DROP SEQUENCE idgen_sql.idgen_slot_number;
DROP TYPE idgen_sql.idgen_slot, idgen_sql.idgen_form;
COMMIT;
