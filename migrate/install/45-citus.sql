-- Tables of Citus. It need not be there: what it says is read only from its own table, found in the catalog.

-- How Citus keeps a table, and by which column it is distributed; no row for a table that is not Citus's.
CREATE FUNCTION idgen_migrate.citus_table(relation oid) RETURNS TABLE (kind text, distribution_column name)
LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_class c JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
                     JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid AND e.extname = 'citus'
                    WHERE c.relname = 'pg_dist_partition' AND c.relnamespace = 'pg_catalog'::regnamespace AND c.relkind = 'r') THEN
        RETURN;
    END IF;
    -- The column is a Var, as text.
    RETURN QUERY EXECUTE $q$
        SELECT CASE WHEN p.partmethod <> 'n' THEN 'distributed' WHEN p.repmodel = 't' THEN 'reference' ELSE 'local' END, a.attname
          FROM pg_catalog.pg_dist_partition p
          LEFT JOIN pg_attribute a ON a.attrelid = $1 AND a.attnum = substring(p.partkey, ':varattno ([0-9]+)')::smallint
         WHERE p.logicalrelid = $1$q$ USING relation;
END
$$;

-- What Citus keeps from being moved in place. Only a default can be set: Citus sets it on every node.
CREATE FUNCTION idgen_migrate.citus_findings(relation oid, id_column name, kind text) RETURNS SETOF idgen_migrate.finding
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text := idgen_migrate.name_of(relation);
    changed name := CASE WHEN kind IN ('uuid', 'switch') THEN idgen_migrate.key_column(relation) ELSE id_column END;
    class record;
BEGIN
    SELECT * INTO class FROM idgen_migrate.citus_table(relation);
    IF NOT FOUND THEN
        RETURN;
    END IF;
    RETURN QUERY SELECT true, NULL, format('%s is a %s table of Citus', target, class.kind), 'Citus sets the default on every node.'
        WHERE kind = 'serial';
    RETURN QUERY SELECT false, '0A000', format('%s is a %s table of Citus', target, class.kind),
        format('Its rows are on shards, where they are not migrated in place. Call undistribute_table(%L), migrate, and distribute it again; '
               'or copy it into a new table by INSERT ... SELECT.', target)
        WHERE kind <> 'serial';
    RETURN QUERY SELECT false, '0A000', format('%s.%I is the distribution column', target, changed),
        'Citus changes neither its values nor its type. Make a new table, and distribute that by a column that stays.'
        WHERE kind <> 'serial' AND changed = class.distribution_column;
    RETURN QUERY SELECT false, '0A000', format('%s.%I cannot have a unique index of its own', target, id_column),
        format('In Citus a unique index must have the distribution column %I in it.', class.distribution_column)
        WHERE kind IN ('backfill', 'uuid', 'switch') AND id_column <> class.distribution_column;
END
$$;

-- The rows of a table of Citus, which the table's own statistics do not count; reads all of them.
CREATE FUNCTION idgen_migrate.citus_row_findings(relation oid) RETURNS SETOF idgen_migrate.finding
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text := idgen_migrate.name_of(relation);
    rows bigint;
BEGIN
    IF EXISTS (SELECT FROM idgen_migrate.citus_table(relation)) THEN
        -- Without ONLY: Citus counts on the shards.
        EXECUTE format('SELECT count(*) FROM %s', target) INTO rows;
        RETURN QUERY SELECT true, NULL, format('rows of %s: %s, counted on its shards', target, rows), 'Nothing needs to be done.';
    END IF;
END
$$;

COMMENT ON FUNCTION idgen_migrate.citus_table(oid) IS 'how Citus keeps a table';
COMMENT ON FUNCTION idgen_migrate.citus_findings(oid, name, text) IS 'findings about a table of Citus';
COMMENT ON FUNCTION idgen_migrate.citus_row_findings(oid) IS 'how many rows a table of Citus has';
