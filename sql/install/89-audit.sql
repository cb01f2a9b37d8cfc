-- The audit of a column: an aggregate finds the facts, and PL/pgSQL, because the table is an argument, puts them into
-- words. It reads the table once, with the caller's privileges. What it calls of the schema that CREATE EXTENSION chose is
-- bound here for good: who owns that schema could rename it meanwhile, and put another in its place.
--
-- Of its query, $1 is the layout and $2 the sample. Rows are stored if all lie here, so that TABLESAMPLE works; they
-- have places if the caller may see them, and they are in order. ok is null if only the reader can judge.

-- Whose IDs the DEFAULT of a column makes, if it calls this extension's function: others have the name, too.
CREATE FUNCTION idgen.layout_of_default("table" oid, "column" name) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT coalesce((regexp_match(expression, $re$'([^']+)'::(?:"(?:[^"]|"")+"[.]|\w+[.])?id_layout$re$))[1], 'instagram')
      FROM pg_attribute AS a JOIN pg_attrdef AS d ON (adrelid, adnum) = (attrelid, attnum), pg_get_expr(adbin, adrelid) AS expression
     WHERE attrelid = "table" AND attname = "column"
       AND EXISTS (SELECT FROM pg_depend AS u JOIN pg_proc AS p ON p.oid = u.refobjid
                    WHERE u.classid = 'pg_attrdef'::regclass AND u.objid = d.oid AND u.refclassid = 'pg_proc'::regclass
                      AND p.proname IN ('next_id', 'next_id_after')
                      AND EXISTS (SELECT FROM pg_depend AS m JOIN pg_extension AS e ON e.oid = m.refobjid
                                   WHERE m.classid = 'pg_proc'::regclass AND m.objid = p.oid AND m.deptype = 'e' AND extname = 'idgen'))
$$;

CREATE FUNCTION idgen.audit_time(id bigint, near timestamptz, layout id_layout) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN id_time_near(id, near, layout);
CREATE FUNCTION idgen.audit_shard(id bigint, layout id_layout) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN id_shard(id, layout);
CREATE FUNCTION idgen.audit_limits(layout id_layout) RETURNS TABLE (shards bigint, wraps boolean, ids_per_tick bigint)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1
BEGIN ATOMIC
    SELECT i.shards, i.wraps, i.ids_per_tick FROM id_layout_info(layout) AS i;
END;
-- The time of an ID in each preset, in the order of these.
CREATE FUNCTION idgen.audit_presets(id bigint) RETURNS TABLE (name text, place bigint, at timestamptz)
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 16
BEGIN ATOMIC
    SELECT p.name, p.place, id_time(id, p.name::id_layout) FROM id_layouts() WITH ORDINALITY AS p (name, long_form, place);
END;

CREATE FUNCTION idgen.audit("table" regclass, "column" name, sample real DEFAULT 100,
                            layout id_layout DEFAULT 'instagram')
    RETURNS TABLE (finding text, value text, ok boolean, advice text)
    LANGUAGE plpgsql VOLATILE PARALLEL RESTRICTED ROWS 13
    SET search_path = pg_catalog, pg_temp
    -- Else a scan of a large table may begin in its middle.
    SET synchronize_seqscans = off
AS $$
DECLARE
    kind "char" := (SELECT relkind FROM pg_class WHERE oid = "table");
    schema_name text := (SELECT nspname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace WHERE c.oid = "table");
    column_type oid := (SELECT atttypid FROM pg_attribute WHERE attrelid = "table" AND attname = "column" AND NOT attisdropped);
    base_type oid := (WITH RECURSIVE base AS (
                          SELECT column_type AS oid UNION SELECT t.typbasetype FROM base JOIN pg_type AS t USING (oid) WHERE t.typtype = 'd')
                      SELECT oid FROM base JOIN pg_type AS t USING (oid) WHERE t.typtype <> 'd');
    made_of text := idgen.layout_of_default("table", "column");
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
        WHEN base_type NOT IN ('bigint'::regtype, (SELECT prorettype FROM pg_proc WHERE oid = 'idgen.id64_in(cstring)'::regprocedure)) THEN
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
    SELECT * INTO limits FROM idgen.audit_limits(layout);
    max_lead := (SELECT setting::bigint * interval '1 ms' FROM pg_settings WHERE name = 'idgen.max_lead');
    EXECUTE format($query$
    WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now)
    SELECT f.*, idgen.audit_time(f.earliest_id, now, $1) AS first_time, idgen.audit_time(f.latest_id, now, $1) AS last_time,
           idgen.audit_time(f.latest_id, now, $1) - clock_timestamp() AS ahead,
           idgen.audit_time(f.back_from, now, $1) - idgen.audit_time(f.back_to, now, $1) AS furthest,
           idgen.audit_time(f.busiest_id, now, $1) AS busiest, idgen.audit_shard(f.busiest_id, $1) AS busiest_shard,
           (SELECT string_agg(format('%%s (%%s %%%%)', shard ->> 0, round(100 * (shard ->> 1)::numeric / f.ids, 1)), ', ' ORDER BY place)
              FROM json_array_elements(f.largest) WITH ORDINALITY AS shards (shard, place)) AS list
      FROM clock,
           (SELECT idgen.audit_facts(id, part, (SELECT now FROM clock), $1) AS found
              FROM (SELECT t.%1$I::bigint AS id, %3$s AS part FROM %2$s AS t %4$s) AS source) AS facts,
           json_to_record(coalesce(found, '{"rows": 0, "nulls": 0, "repeated": 0, "strangers": 0, "early": 0, "future": 0, "others": 0, "back": 0, "shards": 0}')) AS f
               (rows bigint, nulls bigint, repeated bigint, copies bigint, repeated_id bigint, strangers bigint, stranger_id bigint,
                early bigint, early_id bigint, future bigint, others bigint, others_id bigint, ids numeric, shards bigint, largest json, back bigint, back_from bigint,
                back_to bigint, busiest_id bigint, busiest_ids bigint, earliest_id bigint, latest_id bigint, last_id bigint)
    $query$, "column", "table", CASE WHEN has_places THEN 't.tableoid' ELSE 'NULL::oid' END,
        CASE WHEN NOT is_sample THEN '' WHEN is_stored THEN 'TABLESAMPLE SYSTEM ($2)' ELSE 'WHERE random() * 100 < $2' END
        -- A policy's condition may choose an index.
        || CASE WHEN has_places AND row_security_active("table") THEN ' ORDER BY t.tableoid, t.ctid' ELSE '' END)
      INTO facts USING layout, sample;

    -- Of which presets the last ID has just been made, if that of this layout was not made in the last year.
    SELECT string_agg(quote_literal(p.name), ' or ' ORDER BY p.place) AS layouts, min(p.at) AS at INTO fitting
      FROM idgen.audit_presets(facts.last_id) AS p
     WHERE p.at BETWEEN clock_timestamp() - interval '30 days' AND clock_timestamp() + max_lead
       AND (NOT facts.last_time BETWEEN clock_timestamp() - interval '1 year' AND clock_timestamp() + max_lead) IS NOT FALSE;

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
        ('of another node',
         CASE WHEN facts.others = 0 THEN '0' ELSE format('%s, such as %s', facts.others, facts.others_id) END,
         facts.others = 0,
         CASE WHEN facts.others > 0 THEN 'of a shard of this node, and above all that it has made: another node has that shard, or id_make placed them' END),
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

COMMENT ON FUNCTION idgen.layout_of_default(oid, name) IS 'layout of the IDs that the DEFAULT of column of table makes by next_id(); null if it does not';
COMMENT ON FUNCTION idgen.audit_time(bigint, timestamptz, id_layout) IS 'id_time_near for the audit of a column';
COMMENT ON FUNCTION idgen.audit_shard(bigint, id_layout) IS 'id_shard for the audit of a column';
COMMENT ON FUNCTION idgen.audit_limits(id_layout) IS 'id_layout_info for the audit of a column';
COMMENT ON FUNCTION idgen.audit_presets(bigint) IS 'the time of an ID in each preset, for the audit of a column';
COMMENT ON FUNCTION idgen.audit(regclass, name, real, id_layout) IS
    'checks the IDs of a column: layout, duplicates, nulls, strangers, shards, the future, order, the busiest tick; reads the table once. sample: how many percent of it are looked at';
