-- The audit of a column. PL/pgSQL, because the table is an argument. It reads the table once, with the caller's
-- privileges. Functions named idgen_audit_... are its parts; search_path is pinned in each, and the extension's own schema,
-- which may change, is looked up.

-- Refuses arguments that name nothing to look at.
CREATE FUNCTION idgen_audit_check("table" regclass, "column" name, sample real, layout id_layout) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kind "char" := (SELECT relkind FROM pg_class WHERE oid = "table");
BEGIN
    IF "table" IS NULL OR "column" IS NULL OR sample IS NULL OR layout IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'null_value_not_allowed',
            MESSAGE = CASE WHEN "table" IS NULL THEN 'table' WHEN "column" IS NULL THEN 'column'
                           WHEN sample IS NULL THEN 'sample' ELSE 'layout' END || ' must not be null',
            DETAIL = 'A null names nothing to look at.',
            HINT = 'Give a table and a column; leave sample and layout out to use their defaults.';
    ELSIF NOT sample BETWEEN 0 AND 100 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'numeric_value_out_of_range',
            MESSAGE = format('sample %s is out of range', sample),
            DETAIL = 'It is how many percent of the table are looked at.',
            HINT = 'Give a number from 0 to 100.';
    ELSIF kind IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'undefined_table',
            MESSAGE = format('table with OID %s does not exist', "table"::oid),
            DETAIL = 'It may have been dropped meanwhile.',
            HINT = 'Name an existing table.';
    ELSIF kind NOT IN ('r', 'p', 'm', 'v', 'f') THEN
        RAISE EXCEPTION USING
            ERRCODE = 'wrong_object_type',
            MESSAGE = format('%s cannot be audited', "table"),
            DETAIL = 'It is neither a table nor a view.',
            HINT = 'Name the table that holds the IDs.';
    END IF;
END
$$;

-- Refuses a column that is missing, or of a type that holds no IDs.
CREATE FUNCTION idgen_audit_check_column("table" regclass, "column" name) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    column_type oid := (SELECT atttypid FROM pg_attribute
                         WHERE attrelid = "table" AND attname = "column" AND NOT attisdropped);
    base_type oid := column_type;
BEGIN
    IF column_type IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'undefined_column',
            MESSAGE = format('column %I of %s does not exist', "column", "table"),
            DETAIL = 'The name is taken as it is written, capitals included.',
            HINT = 'Name a column of the type bigint.';
    END IF;
    WHILE (SELECT typtype FROM pg_type WHERE oid = base_type) = 'd' LOOP
        base_type := (SELECT typbasetype FROM pg_type WHERE oid = base_type);
    END LOOP;
    IF base_type NOT IN ('bigint'::regtype, (@OWN_SCHEMA@ || '.id64')::regtype) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'datatype_mismatch',
            MESSAGE = format('column %I of %s has the type %s', "column", "table", column_type::regtype),
            DETAIL = 'IDs are read from a bigint, an id64, or a domain over one.',
            HINT = 'Audit a view that casts the column to bigint.';
    END IF;
END
$$;

-- The query that reads the column, of id, part and place, with the sample as $2; and what can be known of the rows. They
-- are stored where all lie here, so that TABLESAMPLE works; they have places where the caller may see them.
CREATE FUNCTION idgen_audit_source("table" regclass, "column" name, sample real,
                                   OUT query text, OUT is_sample boolean, OUT is_stored boolean, OUT has_places boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    is_sample := sample < 100;
    is_stored := (SELECT relkind FROM pg_class WHERE oid = "table") IN ('r', 'p', 'm') AND NOT EXISTS (
        WITH RECURSIVE tree AS (
            SELECT "table"::oid AS oid UNION SELECT i.inhrelid FROM tree AS t JOIN pg_inherits AS i ON i.inhparent = t.oid)
        SELECT FROM tree JOIN pg_class AS c USING (oid) WHERE c.relkind = 'f');
    has_places := is_stored AND has_column_privilege("table", 'ctid', 'SELECT');
    query := format('SELECT t.%I::bigint AS id, %s FROM %s AS t %s', "column",
                    CASE WHEN has_places THEN 't.tableoid AS part, t.ctid AS place'
                         ELSE 'NULL::oid AS part, NULL::tid AS place' END,
                    "table",
                    CASE WHEN NOT is_sample THEN ''
                         WHEN is_stored THEN 'TABLESAMPLE SYSTEM ($2)'
                         ELSE 'WHERE random() * 100 < $2' END);
END
$$;

-- The query of all facts, for a source; it makes one row. $1 is the layout, $2 the sample, $3 this instant, $4 whether
-- sequences begin at 1, $5 the lead, $6 whether places are known, $7 the end of the layout's first minute.
CREATE FUNCTION idgen_audit_query(home text, source text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN pg_catalog.format($query$
    WITH seen AS MATERIALIZED (
        SELECT id, part, place, %2$s.id_time_near(id, $3, $1) AS at, %2$s.id_shard(id, $1) AS shard,
               %2$s.id_time(id, $1) IS NOT NULL AND id <> 0
               AND NOT ($4 AND %2$s.id_sequence(id, $1) = 0) AS fits
          FROM (%1$s) AS source),
    numbers AS MATERIALIZED (
        SELECT id, at, shard, fits, count(*) AS copies FROM seen WHERE id IS NOT NULL GROUP BY id, at, shard, fits),
    ticks AS MATERIALIZED (
        SELECT at, shard, count(*) AS ids FROM numbers WHERE fits GROUP BY at, shard),
    shares AS (
        SELECT shard, sum(ids) AS ids, row_number() OVER (ORDER BY sum(ids) DESC, shard) AS place,
               round(100 * sum(ids) / sum(sum(ids)) OVER (), 1) AS percent
          FROM ticks GROUP BY shard),
    steps AS (
        SELECT at, id, lag(at) OVER stored AS at_before, lag(id) OVER stored AS id_before
          FROM seen WHERE fits AND $6 WINDOW stored AS (PARTITION BY part, shard ORDER BY place))
    SELECT r.*, n.*, s.*, o.*, t.at AS busiest, t.shard AS busiest_shard, t.ids AS busiest_ids
      FROM (SELECT count(*) AS rows, count(*) - count(id) AS nulls FROM seen) AS r,
           (SELECT count(*) FILTER (WHERE copies > 1) AS repeated, coalesce(sum(copies - 1), 0) AS copies,
                   min(id) FILTER (WHERE copies > 1) AS repeated_id,
                   count(*) FILTER (WHERE NOT fits) AS strangers, min(id) FILTER (WHERE NOT fits) AS stranger_id,
                   count(*) FILTER (WHERE fits AND at < $7) AS early, min(id) FILTER (WHERE fits AND at < $7) AS early_id,
                   count(*) FILTER (WHERE fits AND at > clock_timestamp() + $5) AS future,
                   max(at) FILTER (WHERE fits) - clock_timestamp() AS ahead,
                   min(at) FILTER (WHERE fits) AS first_time, max(at) FILTER (WHERE fits) AS last_time
              FROM numbers) AS n,
           (SELECT count(*) AS shards,
                   string_agg(format('%%s (%%s %%%%)', shard, percent), ', ' ORDER BY place) FILTER (WHERE place <= 5) AS list
              FROM shares) AS s,
           (SELECT count(*) AS back, max(at_before - at) AS furthest
              FROM steps WHERE (at, id) < (at_before, id_before)) AS o
      LEFT JOIN (SELECT * FROM ticks ORDER BY ids DESC, at, shard LIMIT 1) AS t ON true
    $query$, source, home);

-- Findings of rows and numbers, each with its advice. ok is null where only the reader can judge.
CREATE FUNCTION idgen_audit_number_findings("table" regclass, sample real, source record, facts record)
    RETURNS TABLE (finding text, value text, ok boolean, advice text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY VALUES
        ('rows', facts.rows::text, CASE WHEN facts.rows > 0 AND NOT source.is_sample THEN true END,
         nullif(concat_ws('; ',
                          CASE WHEN facts.rows = 0 THEN 'nothing to look at' END,
                          CASE WHEN source.is_sample
                               THEN format('a sample of %s %% of the %s: every figure is of the sample alone',
                                           sample, CASE WHEN source.is_stored THEN 'pages' ELSE 'rows' END) END,
                          CASE WHEN row_security_active("table") THEN 'row security may hide rows from you' END), '')),
        ('null', CASE WHEN facts.nulls = 0 THEN '0' ELSE format('%s rows', facts.nulls) END, facts.nulls = 0,
         CASE WHEN facts.nulls > 0 THEN 'make the column NOT NULL, or the primary key' END),
        ('duplicates',
         CASE WHEN facts.repeated = 0 THEN '0'
              ELSE format('%s IDs repeated, %s rows too many, such as %s', facts.repeated, facts.copies, facts.repeated_id) END,
         CASE WHEN facts.repeated > 0 THEN false WHEN NOT source.is_sample THEN true END,
         CASE WHEN facts.repeated > 0 THEN 'two makers own one shard, or another function makes IDs too; or rows were copied'
              WHEN source.is_sample THEN 'a pair is found only where the sample holds both: audit all rows to be sure' END),
        ('not of the layout',
         CASE WHEN facts.strangers = 0 THEN '0' ELSE format('%s IDs, such as %s', facts.strangers, facts.stranger_id) END,
         facts.strangers = 0,
         CASE WHEN facts.strangers > 0 THEN 'no ID of this layout: name the right layout, or look who made them' END),
        ('like a counter''s', CASE WHEN facts.early = 0 THEN '0' ELSE format('%s IDs, such as %s', facts.early, facts.early_id) END,
         facts.early = 0,
         CASE WHEN facts.early > 0 THEN 'they lie in the layout''s first minute, as the numbers of a sequence would' END);
END
$$;

-- Findings of shards, time and order.
CREATE FUNCTION idgen_audit_time_findings(limits record, source record, facts record)
    RETURNS TABLE (finding text, value text, ok boolean, advice text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 6 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY VALUES
        ('shards',
         CASE WHEN limits.shards = 1 THEN 'none in this layout'
              WHEN facts.shards > 5 THEN format('%s: %s, ...', facts.shards, facts.list)
              WHEN facts.shards > 0 THEN format('%s: %s', facts.shards, facts.list) ELSE '0' END,
         NULL::boolean,
         CASE WHEN limits.shards > 1 AND facts.shards > 0 THEN 'a shard that no node owns points to another layout' END),
        ('in the future',
         CASE WHEN facts.future = 0 THEN '0' ELSE format('%s IDs, as far ahead as %s', facts.future, facts.ahead) END,
         CASE WHEN facts.future = 0 THEN true WHEN NOT limits.wraps THEN false END,
         CASE WHEN facts.future = 0 THEN NULL
              WHEN limits.wraps THEN 'time wraps: IDs older than half a turn look like that too'
              ELSE 'beyond idgen.max_lead: made by a wrong clock, by id_make, or in another layout' END),
        ('out of order',
         CASE WHEN NOT source.has_places THEN 'unknown' WHEN facts.back = 0 THEN '0'
              ELSE format('%s rows, as far back as %s', facts.back, facts.furthest) END,
         CASE WHEN source.has_places AND facts.back = 0 THEN true END,
         CASE WHEN NOT source.has_places THEN 'needs to see where rows are stored (ctid)'
              WHEN facts.back > 0 THEN 'no fault by itself: sessions insert at once; UPDATE, DELETE and VACUUM move rows' END),
        ('busiest tick',
         CASE WHEN facts.busiest IS NULL THEN 'none'
              ELSE format('%s IDs of %s possible, %sat %s', facts.busiest_ids, limits.ids_per_tick,
                          'shard ' || facts.busiest_shard || ', ', facts.busiest) END,
         CASE WHEN facts.busiest_ids < limits.ids_per_tick AND NOT source.is_sample THEN true END,
         CASE WHEN facts.busiest_ids >= limits.ids_per_tick
              THEN 'full, as blocks of IDs make it; where single IDs wait, give the node more shards' END),
        ('first time', facts.first_time::text, NULL::boolean, NULL::text),
        ('last time', facts.last_time::text, NULL::boolean, NULL::text);
END
$$;

CREATE FUNCTION idgen_audit("table" regclass, "column" name, sample real DEFAULT 100,
                            layout id_layout DEFAULT 'instagram')
    RETURNS TABLE (finding text, value text, ok boolean, advice text)
    LANGUAGE plpgsql VOLATILE PARALLEL RESTRICTED ROWS 11
    SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    home text := @OWN_SCHEMA@;
    source record;
    limits record;
    query text;
    facts record;
BEGIN
    EXECUTE format('SELECT %s.idgen_audit_check($1, $2, $3, $4)', home) USING "table", "column", sample, layout;
    EXECUTE format('SELECT %s.idgen_audit_check_column($1, $2)', home) USING "table", "column";
    EXECUTE format('SELECT * FROM %s.idgen_audit_source($1, $2, $3)', home) INTO source USING "table", "column", sample;
    -- This also loads the library, and with it its settings.
    EXECUTE format('SELECT * FROM %s.id_layout_info($1)', home) INTO limits USING layout;

    EXECUTE format('SELECT %s.idgen_audit_query($1, $2)', home) INTO query USING home, source.query;
    EXECUTE query INTO facts
      USING layout, sample, clock_timestamp(), limits.long_form ~ 'sequence=\d+\+1',
            (SELECT setting::bigint * interval '1 ms' FROM pg_settings WHERE name = 'idgen.max_lead'), source.has_places,
            CASE WHEN limits.wraps THEN '-infinity' ELSE limits.first_time + interval '1 min' END;

    RETURN QUERY EXECUTE format('SELECT * FROM %s.idgen_audit_number_findings($1, $2, $3, $4)', home)
        USING "table", sample, source, facts;
    RETURN QUERY EXECUTE format('SELECT * FROM %s.idgen_audit_time_findings($1, $2, $3)', home) USING limits, source, facts;
END
$$;

COMMENT ON FUNCTION idgen_audit(regclass, name, real, id_layout) IS
    'looks over the IDs of a column: duplicates, nulls, strangers, shards, the future, order, the busiest tick; reads the table once';
COMMENT ON FUNCTION idgen_audit_check(regclass, name, real, id_layout) IS
    'part of the audit: refuses arguments that name nothing to look at';
COMMENT ON FUNCTION idgen_audit_check_column(regclass, name) IS 'part of the audit: refuses a column that holds no IDs';
COMMENT ON FUNCTION idgen_audit_source(regclass, name, real) IS 'part of the audit: how to read the column';
COMMENT ON FUNCTION idgen_audit_query(text, text) IS 'part of the audit: the query of all facts';
COMMENT ON FUNCTION idgen_audit_number_findings(regclass, real, record, record) IS
    'part of the audit: findings of rows, nulls, duplicates, strangers';
COMMENT ON FUNCTION idgen_audit_time_findings(record, record, record) IS
    'part of the audit: findings of shards, the future, order, the busiest tick';
