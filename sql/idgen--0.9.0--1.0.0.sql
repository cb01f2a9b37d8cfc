\echo Use "ALTER EXTENSION idgen UPDATE" to load this file. \quit
-- idgen.next_id() is new, idgen.reset() takes one argument more, id_layout_info() has a default, and idgen.audit() says
-- first what its caller may not read; the functions of id64 are in C. Every other object stays as it is but for what is said of it. The library must be there.
SELECT idgen.require_library('1.0.0'::pg_catalog.text);

CREATE FUNCTION idgen.next_id() RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_own_next_id' LANGUAGE C VOLATILE PARALLEL SAFE SUPPORT idgen.maker_support;
COMMENT ON FUNCTION idgen.next_id() IS 'makes an ID as next_id() does without arguments, for roles that may execute that one; stands in a schema of a superuser';

DROP FUNCTION idgen.reset(timestamptz);
CREATE FUNCTION idgen.reset(no_id_above timestamptz DEFAULT NULL, force boolean DEFAULT false) RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_reset' LANGUAGE C VOLATILE PARALLEL UNSAFE;
REVOKE EXECUTE ON FUNCTION idgen.reset(timestamptz, boolean) FROM PUBLIC;
COMMENT ON FUNCTION idgen.reset(timestamptz, boolean) IS
    'lowers the durable horizon after a mistake raised it: to the instant no_id_above, or without one to just above what this server made; refused where IDs could come twice, unless force is true: then no ID may have reached that instant';

-- What id64 takes from bigint is called from C.
CREATE OR REPLACE FUNCTION idgen.id64_recv(internal) RETURNS id64
    AS 'MODULE_PATHNAME', 'idgen_int8recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_send(id64) RETURNS bytea
    AS 'MODULE_PATHNAME', 'idgen_int8send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_eq(id64, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_ne(id64, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_lt(id64, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_le(id64, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_gt(id64, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_ge(id64, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_cmp(id64, id64) RETURNS integer
    AS 'MODULE_PATHNAME', 'idgen_btint8cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_hash(id64) RETURNS integer
    AS 'MODULE_PATHNAME', 'idgen_hashint8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_hash_extended(id64, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_hashint8extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_in_range(id64, id64, bigint, boolean, boolean) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_in_range_int8_int8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_smaller(id64, id64) RETURNS id64
    AS 'MODULE_PATHNAME', 'idgen_int8smaller' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_larger(id64, id64) RETURNS id64
    AS 'MODULE_PATHNAME', 'idgen_int8larger' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_eq_bigint(id64, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.bigint_eq_id64(bigint, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_ne_bigint(id64, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.bigint_ne_id64(bigint, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_lt_bigint(id64, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.bigint_lt_id64(bigint, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_le_bigint(id64, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.bigint_le_id64(bigint, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_gt_bigint(id64, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.bigint_gt_id64(bigint, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_ge_bigint(id64, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.bigint_ge_id64(bigint, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_cmp_bigint(id64, bigint) RETURNS integer
    AS 'MODULE_PATHNAME', 'idgen_btint8cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.bigint_cmp_id64(bigint, id64) RETURNS integer
    AS 'MODULE_PATHNAME', 'idgen_btint8cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION @extschema@.id_settled(@extschema@.id_layout) IS
    'the bound in layout below which the query that calls it sees every row that will ever be there; null if that is not known';
COMMENT ON COLUMN idgen.stat_shard.wait_time IS 'time that calls slept, all together, ms';
COMMENT ON COLUMN idgen.stat_shard.max_lead IS 'furthest that an ID lay ahead of the clock, ms';
COMMENT ON COLUMN idgen.stat_shard.ids_per_second_limit IS 'what the layout allows';
COMMENT ON COLUMN idgen.stat_backend.wait_time IS 'time that calls slept, all together, ms';
COMMENT ON COLUMN idgen.stat_backend.draws_from IS 'no ID of the transaction lies before it: how far readers by ID go';
COMMENT ON COLUMN idgen.stat_database.horizon IS 'no ID at or after it has left the server';
COMMENT ON COLUMN idgen.stat_database.stall IS 'for how long renewals of the horizon have failed, ms';
COMMENT ON COLUMN idgen.stat_database.lead IS 'how far the last ID of any shard lies ahead of the clock, ms';
COMMENT ON COLUMN idgen.stat_database.settled_lag IS 'how far open transactions hold the bound of id_settled() behind the clock, ms';
COMMENT ON COLUMN idgen.stat_database.clock_offset IS 'the clock less the highest one accepted, ms; below 0: it was set back';
COMMENT ON COLUMN idgen.stat_database.clock_max_error IS 'how far the clock may be wrong, as the kernel says, ms';
COMMENT ON COLUMN idgen.stat_database.layout IS 'the layout in use that ends first';
COMMENT ON COLUMN idgen.stat_registry.horizon IS 'the nearest horizon of those numbers';
COMMENT ON COLUMN idgen.stat_registry.lease_window IS 'how far ahead horizons are extended, ms';
COMMENT ON COLUMN idgen.stat_registry.counter_used IS 'of the counter that is nearest to its end, percent of its max';

CREATE OR REPLACE FUNCTION id_layout_info(
    layout id_layout DEFAULT 'instagram',
    OUT long_form text, OUT first_time timestamptz, OUT last_time timestamptz, OUT wraps boolean,
    OUT tick interval, OUT shards bigint, OUT ids_per_tick bigint, OUT ids_per_second bigint,
    OUT largest_id bigint, OUT fits_js boolean, OUT one_node boolean)
    AS 'MODULE_PATHNAME', 'idgen_layout_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE OR REPLACE FUNCTION idgen.audit("table" regclass, "column" name, sample real DEFAULT 100,
                            layout id_layout DEFAULT 'instagram')
    RETURNS TABLE (finding text, value text, ok boolean, advice text)
    LANGUAGE plpgsql VOLATILE PARALLEL RESTRICTED ROWS 12
    SET search_path = pg_catalog, pg_temp
    -- Else a scan of a large table may begin in its middle.
    SET synchronize_seqscans = off
AS $$
DECLARE
    home text := (SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'idgen');
    kind "char" := (SELECT relkind FROM pg_class WHERE oid = "table");
    schema_name text := (SELECT nspname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace WHERE c.oid = "table");
    column_type oid := (SELECT atttypid FROM pg_attribute WHERE attrelid = "table" AND attname = "column" AND NOT attisdropped);
    base_type oid := (WITH RECURSIVE base AS (
                          SELECT column_type AS oid UNION SELECT t.typbasetype FROM base JOIN pg_type AS t USING (oid) WHERE t.typtype = 'd')
                      SELECT oid FROM base JOIN pg_type AS t USING (oid) WHERE t.typtype <> 'd');
    -- Whose IDs the DEFAULT of the column makes, if it calls this extension's function: others have the name, too.
    made_of text := (SELECT coalesce((regexp_match(expression, $re$'([^']+)'::(?:"(?:[^"]|"")+"[.]|\w+[.])?id_layout$re$))[1],
                                     'instagram')
                       FROM pg_attribute AS a JOIN pg_attrdef AS d ON (adrelid, adnum) = (attrelid, attnum),
                            pg_get_expr(adbin, adrelid) AS expression
                      WHERE attrelid = "table" AND attname = "column"
                        AND EXISTS (SELECT FROM pg_depend AS u JOIN pg_proc AS p ON p.oid = u.refobjid
                                     WHERE u.classid = 'pg_attrdef'::regclass AND u.objid = d.oid AND u.refclassid = 'pg_proc'::regclass
                                       AND p.proname IN ('next_id', 'next_id_after')
                                       AND EXISTS (SELECT FROM pg_depend AS m JOIN pg_extension AS e ON e.oid = m.refobjid
                                                    WHERE m.classid = 'pg_proc'::regclass AND m.objid = p.oid AND m.deptype = 'e' AND extname = 'idgen')));
    is_sample boolean := sample < 100;
    is_stored boolean;
    has_places boolean;
    refusal text[];
    limits record;
    facts record;
    max_lead interval;
    fitting record;
BEGIN
    refusal := CASE
        WHEN "table" IS NULL OR "column" IS NULL OR sample IS NULL OR layout IS NULL THEN
            ARRAY['null_value_not_allowed', CASE WHEN "table" IS NULL THEN 'table' WHEN "column" IS NULL THEN 'column'
                                                 WHEN sample IS NULL THEN 'sample' ELSE 'layout' END || ' must not be null',
                  'A null names no table or column.', 'Give a table and a column; leave sample and layout out to use their defaults.']
        WHEN NOT sample BETWEEN 0 AND 100 THEN
            ARRAY['numeric_value_out_of_range', format('sample %s is out of range', sample),
                  'It is how many percent of the table are looked at.', 'Give a number from 0 to 100.']
        WHEN kind IS NULL THEN
            ARRAY['undefined_table', format('table with OID %s does not exist', "table"::oid),
                  'It may have been dropped meanwhile.', 'Name an existing table.']
        WHEN kind NOT IN ('r', 'p', 'm', 'v', 'f') THEN
            ARRAY['wrong_object_type', format('%s cannot be audited', "table"),
                  'It is neither a table nor a view.', 'Name the table that holds the IDs.']
        WHEN column_type IS NULL THEN
            ARRAY['undefined_column', format('column %I of %s does not exist', "column", "table"),
                  'The name is used exactly as it is written, capitals included.', 'Name a column of the type bigint.']
        WHEN base_type NOT IN ('bigint'::regtype, (home || '.id64')::regtype) THEN
            ARRAY['datatype_mismatch', format('column %I of %s has the type %s', "column", "table", column_type::regtype),
                  'IDs are read from a bigint, an id64, or a domain over one.', 'Audit a view that casts the column to bigint.']
        -- Else the server refuses the query below, and shows all of it.
        WHEN NOT has_schema_privilege(schema_name, 'USAGE') THEN
            ARRAY['insufficient_privilege', format('permission denied for schema %I', schema_name),
                  'The audit reads the table with your rights.', 'Have the owner of the schema grant you USAGE on it, or call the audit as the owner of the table.']
        WHEN NOT has_column_privilege("table", "column", 'SELECT') THEN
            ARRAY['insufficient_privilege', format('permission denied for column %I of %s', "column", "table"),
                  'The audit reads it with your rights.', 'Have the owner of the table grant you SELECT on it, or call the audit as the owner.']
        WHEN row_security_active("table") AND NOT current_setting('row_security')::boolean THEN
            ARRAY['insufficient_privilege', format('row security may hide rows of %s from you', "table"),
                  'row_security is off, so the server refuses to leave them out.', 'SET row_security = on, or call the audit as a role that sees all rows.'] END;
    IF refusal IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = refusal[1], MESSAGE = refusal[2], DETAIL = refusal[3], HINT = refusal[4];
    END IF;

    is_stored := kind IN ('r', 'p', 'm') AND NOT EXISTS (
        WITH RECURSIVE tree AS (
            SELECT "table"::oid AS oid UNION SELECT i.inhrelid FROM tree AS t JOIN pg_inherits AS i ON i.inhparent = t.oid)
        SELECT FROM tree JOIN pg_class AS c USING (oid) WHERE c.relkind = 'f');
    has_places := is_stored AND has_column_privilege("table", 'ctid', 'SELECT');
    -- Rows of Citus' shards come mixed, and shards on two nodes may have one OID.
    IF has_places AND to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        EXECUTE 'SELECT NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = $1 AND partmethod <> ''n'')' INTO has_places USING "table";
    END IF;
    -- This also loads the library, and with it its settings.
    EXECUTE format('SELECT * FROM %s.id_layout_info($1)', home) INTO limits USING layout;
    max_lead := (SELECT setting::bigint * interval '1 ms' FROM pg_settings WHERE name = 'idgen.max_lead');
    EXECUTE format($query$
    WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now)
    SELECT f.*, %2$s.id_time_near(f.earliest_id, now, $1) AS first_time, %2$s.id_time_near(f.latest_id, now, $1) AS last_time,
           %2$s.id_time_near(f.latest_id, now, $1) - clock_timestamp() AS ahead,
           %2$s.id_time_near(f.back_from, now, $1) - %2$s.id_time_near(f.back_to, now, $1) AS furthest,
           %2$s.id_time_near(f.busiest_id, now, $1) AS busiest, %2$s.id_shard(f.busiest_id, $1) AS busiest_shard,
           (SELECT string_agg(format('%%s (%%s %%%%)', shard ->> 0, round(100 * (shard ->> 1)::numeric / f.ids, 1)), ', ' ORDER BY place)
              FROM json_array_elements(f.largest) WITH ORDINALITY AS shards (shard, place)) AS list
      FROM clock,
           (SELECT idgen.audit_facts(id, part, (SELECT now FROM clock), $1) AS found
              FROM (SELECT t.%1$I::bigint AS id, %4$s AS part FROM %3$s AS t %5$s) AS source) AS facts,
           json_to_record(coalesce(found, '{"rows": 0, "nulls": 0, "repeated": 0, "strangers": 0, "early": 0, "future": 0, "back": 0, "shards": 0}')) AS f
               (rows bigint, nulls bigint, repeated bigint, copies bigint, repeated_id bigint, strangers bigint, stranger_id bigint,
                early bigint, early_id bigint, future bigint, ids numeric, shards bigint, largest json, back bigint, back_from bigint,
                back_to bigint, busiest_id bigint, busiest_ids bigint, earliest_id bigint, latest_id bigint, last_id bigint)
    $query$, "column", home, "table", CASE WHEN has_places THEN 't.tableoid' ELSE 'NULL::oid' END,
        CASE WHEN NOT is_sample THEN '' WHEN is_stored THEN 'TABLESAMPLE SYSTEM ($2)' ELSE 'WHERE random() * 100 < $2' END
        -- A policy's condition may choose an index.
        || CASE WHEN has_places AND row_security_active("table") THEN ' ORDER BY t.tableoid, t.ctid' ELSE '' END)
      INTO facts USING layout, sample;

    -- Of which presets the last ID has just been made, if that of this layout was not made in the last year.
    EXECUTE format($query$
    SELECT string_agg(quote_literal(name), ' or ' ORDER BY place) AS layouts, min(at) AS at
      FROM %1$s.id_layouts() WITH ORDINALITY AS preset (name, long_form, place), %1$s.id_time($1, name::%1$s.id_layout) AS at
     WHERE at BETWEEN clock_timestamp() - interval '30 days' AND clock_timestamp() + $2
       AND (NOT $3 BETWEEN clock_timestamp() - interval '1 year' AND clock_timestamp() + $2) IS NOT FALSE
    $query$, home) INTO fitting USING facts.last_id, max_lead, facts.last_time;

    RETURN QUERY VALUES
        ('rows', facts.rows::text, CASE WHEN facts.rows > 0 AND NOT is_sample THEN true END,
         nullif(concat_ws('; ',
                          CASE WHEN facts.rows = 0 THEN 'nothing to look at' END,
                          CASE WHEN is_sample
                               THEN format('a sample of %s %% of the %s: all figures are of the sample only',
                                           sample, CASE WHEN is_stored THEN 'pages' ELSE 'rows' END) END,
                          CASE WHEN row_security_active("table") THEN 'row security may hide rows from you' END), '')),
        ('layout', layout::text, coalesce(made_of, layout::text) = layout::text AND fitting.layouts IS NULL,
         CASE WHEN made_of <> layout::text THEN
                   format('the DEFAULT of the column makes IDs of layout %L: name it here, and in each call that reads them', made_of)
              WHEN fitting.layouts IS NOT NULL THEN
                   format('the last ID is of %s here, and of %s in layout %s: name that here, and in each call that reads them',
                          coalesce(facts.last_time::text, 'no time'), fitting.at, fitting.layouts) END),
        ('null', facts.nulls::text, facts.nulls = 0,
         CASE WHEN facts.nulls > 0 THEN 'make the column NOT NULL, or the primary key' END),
        ('duplicates',
         CASE WHEN facts.repeated = 0 THEN '0'
              ELSE format('%s repeated (%s too many), such as %s', facts.repeated, facts.copies, facts.repeated_id) END,
         CASE WHEN facts.repeated > 0 THEN false WHEN NOT is_sample THEN true END,
         CASE WHEN facts.repeated > 0 THEN 'two makers own one shard, or another function makes IDs too; or rows were copied'
              WHEN is_sample THEN 'a pair is found only where the sample holds both: audit all rows to be sure' END),
        ('not of the layout',
         CASE WHEN facts.strangers = 0 THEN '0' ELSE format('%s, such as %s', facts.strangers, facts.stranger_id) END,
         facts.strangers = 0,
         CASE WHEN facts.strangers > 0 THEN 'no ID of this layout: name the right layout, or look who made them' END),
        ('like a counter''s', CASE WHEN facts.early = 0 THEN '0' ELSE format('%s, such as %s', facts.early, facts.early_id) END,
         facts.early = 0,
         CASE WHEN facts.early > 0 THEN 'they lie in the layout''s first minute, as the numbers of a sequence would' END),
        ('shards',
         CASE WHEN limits.shards = 1 THEN 'none in this layout'
              WHEN facts.shards > 5 THEN format('%s: %s, ...', facts.shards, facts.list)
              WHEN facts.shards > 0 THEN format('%s: %s', facts.shards, facts.list) ELSE '0' END,
         NULL::boolean,
         CASE WHEN limits.shards > 1 AND facts.shards > 0 THEN 'a shard that no node owns points to another layout' END),
        ('in the future',
         CASE WHEN facts.future = 0 THEN '0' ELSE format('%s, as far ahead as %s', facts.future, facts.ahead) END,
         CASE WHEN facts.future = 0 THEN true WHEN NOT limits.wraps THEN false END,
         CASE WHEN facts.future = 0 THEN NULL
              WHEN limits.wraps THEN 'time wraps: IDs older than half a turn look like that too'
              ELSE 'beyond idgen.max_lead: made by a wrong clock, by id_make, or in another layout' END),
        ('out of order',
         CASE WHEN NOT has_places THEN 'unknown' WHEN facts.back = 0 THEN '0'
              ELSE format('%s, as far back as %s', facts.back, facts.furthest) END,
         CASE WHEN has_places AND facts.back = 0 THEN true END,
         CASE WHEN NOT has_places THEN 'needs to see where rows are stored (ctid)'
              WHEN facts.back > 0 THEN 'no fault by itself: sessions insert at once; UPDATE, DELETE and VACUUM move rows' END),
        ('busiest tick',
         CASE WHEN facts.busiest IS NULL THEN 'none'
              ELSE format('%s of %s possible, %sat %s', facts.busiest_ids, limits.ids_per_tick,
                          'shard ' || facts.busiest_shard || ', ', facts.busiest) END,
         CASE WHEN facts.busiest_ids < limits.ids_per_tick AND NOT is_sample THEN true END,
         CASE WHEN facts.busiest_ids >= limits.ids_per_tick
              THEN 'full, as blocks of IDs make it; where single IDs wait, give the node more shards' END),
        ('first time', facts.first_time::text, NULL::boolean, NULL::text),
        ('last time', facts.last_time::text, NULL::boolean, NULL::text);
END
$$;

COMMENT ON FUNCTION idgen.audit(regclass, name, real, id_layout) IS
    'checks the IDs of a column: layout, duplicates, nulls, strangers, shards, the future, order, the busiest tick; reads the table once. sample: how many percent of it are looked at';
COMMENT ON FUNCTION id_encrypt(bigint, bytea, bytea) IS 'ID encrypted to another positive bigint under an AES key of 16, 24 or 32 bytes (FF1 of NIST SP 800-38G). tweak: with another one the number is another';
COMMENT ON FUNCTION id_to_public(bigint, integer, bytea, text) IS
    'ID encrypted with the key key_number of idgen.keys, 1 to 2147483647, or 0 for the highest, as text: prefix and "_" if there is one, the key''s number, 11 digits. tweak: with another one the text is another, so that what it is an ID of can be part of it';
COMMENT ON FUNCTION id_from_public(text, bytea, text) IS
    'ID of public_id, a text of id_to_public with this prefix and tweak, decrypted with the key of idgen.keys that it names';

-- Whoever may call these uses keys that he may not see.
REVOKE EXECUTE ON FUNCTION @extschema@.id_to_public(bigint, integer, bytea, text), @extschema@.id_from_public(text, bytea, text) FROM PUBLIC;

-- What is said of arguments.
COMMENT ON FUNCTION @extschema@.next_id(bigint, @extschema@.id_layout) IS
    'makes a new ID of layout from shard, a number from 0 on that the layout has and this node owns; without one, from any that it owns';
COMMENT ON FUNCTION @extschema@.next_ids(bigint, bigint, @extschema@.id_layout) IS
    'makes count new IDs of layout as rows, ascending, from shard, a number from 0 on that the layout has and this node owns; without one, from any that it owns';
COMMENT ON FUNCTION @extschema@.next_id_array(integer, bigint, @extschema@.id_layout) IS
    'makes count new IDs of layout as an array, ascending, from shard, a number from 0 on that the layout has and this node owns; without one, from any that it owns';
COMMENT ON FUNCTION @extschema@.next_id_after(bigint, bigint, @extschema@.id_layout) IS
    'makes a new ID that is larger than id, one of the same layout that was seen elsewhere, from shard, a number from 0 on that the layout has and this node owns; without one, from any that it owns';
COMMENT ON FUNCTION @extschema@.id_make(timestamptz, bigint, integer, @extschema@.id_layout) IS
    'the ID of layout with the time created_at, rounded down to a tick, and the given shard and sequence, from 0 up to what the layout has; for backfill and tests: does not make it unique';
COMMENT ON FUNCTION @extschema@.id_make_array(timestamptz[], bigint, bigint, bigint[], @extschema@.id_layout) IS
    'ascending IDs of layout and shard for the instants created_at, which ascend: above the ID above, and none of those taken; a full tick spills into the next';
COMMENT ON FUNCTION @extschema@.id_time(bigint, @extschema@.id_layout) IS
    'time of an ID of layout: the start of its tick; of the first turn if time wraps';
COMMENT ON FUNCTION @extschema@.id_time_near(bigint, timestamptz, @extschema@.id_layout) IS
    'time of an ID in the turn nearest to the instant near, for a layout whose time wraps';
COMMENT ON FUNCTION @extschema@.id_shard(bigint, @extschema@.id_layout) IS
    'shard of an ID of layout: the node''s whole number, region included';
COMMENT ON FUNCTION @extschema@.id_sequence(bigint, @extschema@.id_layout) IS
    'sequence of an ID of layout within its tick and shard';
COMMENT ON FUNCTION @extschema@.id_min(timestamptz, @extschema@.id_layout) IS
    'smallest ID of layout in the tick of the instant at: a lower bound for ranges and partitions';
COMMENT ON FUNCTION @extschema@.id_max(timestamptz, @extschema@.id_layout) IS
    'largest ID of layout in the tick of the instant at: an upper bound, inclusive';
COMMENT ON FUNCTION @extschema@.uuid_time(uuid) IS
    'time of value, a UUID of version 1, 6 or 7; null for others, which have none';
COMMENT ON FUNCTION @extschema@.uuid_version_number(uuid) IS
    'version of value, a UUID; null if its variant is not that of RFC 9562';
COMMENT ON FUNCTION idgen.advance(timestamptz, boolean) IS
    'no ID below the instant at will be made from now on, durably: after a restore behind the server''s back, or taking over a shard; more than an hour ahead of the clock only if far is true';
COMMENT ON FUNCTION @extschema@.id_within(bigint, tstzrange, @extschema@.id_layout) IS
    'whether the time of an ID of layout lies in a period; an index condition on the ID';
COMMENT ON FUNCTION @extschema@.id_within_first(tstzrange, @extschema@.id_layout) IS
    'the smallest number whose time in layout lies in a period; above id_within_last if there is none';
COMMENT ON FUNCTION @extschema@.id_within_last(tstzrange, @extschema@.id_layout) IS
    'the largest number whose time in layout lies in a period';
COMMENT ON FUNCTION @extschema@.id_partition_bounds(timestamptz, timestamptz, interval, text, @extschema@.id_layout) IS
    'the periods of a calendar from one instant to another, in time_zone, each a step long (months, days, or hours or minutes that divide a day): a name''s suffix, and bounds in layout for FROM (lower) TO (upper)';
COMMENT ON FUNCTION @extschema@.id_to_base32(bigint, boolean) IS
    'ID as 13 digits of Crockford''s Base32, to be read aloud and typed; checksum: a check symbol follows';
COMMENT ON FUNCTION @extschema@.id_from_base32(text, boolean, boolean) IS
    'ID from 13 digits of Crockford''s Base32, in either case, hyphens skipped; checksum: a check symbol follows, and a wrong one is an error; short: from up to 13';
COMMENT ON FUNCTION @extschema@.id_to_uuid(bigint, @extschema@.id_layout) IS
    'ID of layout inside a UUID of version 7 that has the ID''s time, and sorts as the ID does';
COMMENT ON FUNCTION @extschema@.id_to_uuidv8(bigint, @extschema@.id_layout) IS
    'UUID of version 8 that begins with the ID, of layout, sorts as the ID does, and ends in 58 random bits';
COMMENT ON FUNCTION @extschema@.id64_decode(@extschema@.id64, @extschema@.id_layout) IS
    'time, shard and sequence of id, an id64 of layout, as id_decode';
COMMENT ON FUNCTION @extschema@.id64_time(@extschema@.id64, @extschema@.id_layout) IS
    'time of id, an id64 of layout, as id_time';
COMMENT ON FUNCTION @extschema@.id64_shard(@extschema@.id64, @extschema@.id_layout) IS
    'shard of id, an id64 of layout, as id_shard';
COMMENT ON FUNCTION @extschema@.id64_sequence(@extschema@.id64, @extschema@.id_layout) IS
    'sequence of id, an id64 of layout, as id_sequence';
