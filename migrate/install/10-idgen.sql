-- The functions of idgen that a migration calls, bound here for good: later nothing looks for them by name.

CREATE FUNCTION idgen_migrate.make_ids(created_at timestamptz[], shard bigint, above bigint, taken bigint[], layout id_layout) RETURNS bigint[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN id_make_array(created_at, shard, above, taken, layout);
CREATE FUNCTION idgen_migrate.new_ids(count integer, shard bigint, layout id_layout) RETURNS bigint[]
LANGUAGE sql VOLATILE PARALLEL SAFE RETURN next_id_array(count, shard, layout);
CREATE FUNCTION idgen_migrate.first_id(at timestamptz, layout id_layout) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN id_min(at, layout);
CREATE FUNCTION idgen_migrate.last_id(at timestamptz, layout id_layout) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN id_max(at, layout);
CREATE FUNCTION idgen_migrate.time_of_id(id bigint, layout id_layout) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN id_time(id, layout);
CREATE FUNCTION idgen_migrate.shard_of_id(id bigint, layout id_layout) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN id_shard(id, layout);
CREATE FUNCTION idgen_migrate.time_of_uuid(value uuid) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN CASE WHEN uuid_version_number(value) = 7 THEN uuid_time(value) END;
CREATE FUNCTION idgen_migrate.id64_type() RETURNS oid
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 'id64'::regtype::oid;
CREATE FUNCTION idgen_migrate.id64_equals(a id64, b id64) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN a = b;
-- Whether an ID lies between two. The planner puts the comparisons in its place: an index finds it.
CREATE FUNCTION idgen_migrate.id64_between(id id64, low bigint, high bigint) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN id >= low::id64 AND id <= high::id64;
CREATE FUNCTION idgen_migrate.layout_limits(layout id_layout)
    RETURNS TABLE (first_time timestamptz, last_time timestamptz, wraps boolean, shards bigint)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1
BEGIN ATOMIC
    SELECT i.first_time, i.last_time, i.wraps, i.shards FROM id_layout_info(layout) i;
END;

-- Lets next_id() make a column, with the arguments that are not its defaults; and looks whether it is idgen's function
-- that the column's default now calls.
CREATE FUNCTION idgen_migrate.set_default(relation oid, id_column name, shard bigint, layout id_layout) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT %s', idgen_migrate.name_of(relation), id_column,
                   idgen_migrate.default_text(shard, layout));
    IF NOT EXISTS (SELECT FROM pg_attrdef f JOIN pg_depend d ON d.classid = 'pg_attrdef'::regclass AND d.objid = f.oid
                     JOIN pg_proc p ON d.refclassid = 'pg_proc'::regclass AND p.oid = d.refobjid AND p.prosrc IN ('idgen_next_id', 'idgen_own_next_id')
                     JOIN pg_depend m ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid AND m.deptype = 'e'
                     JOIN pg_extension e ON m.refclassid = 'pg_extension'::regclass AND e.oid = m.refobjid AND e.extname = 'idgen'
                    WHERE f.adrelid = relation AND f.adnum = idgen_migrate.column_number(relation, id_column)) THEN
        RAISE EXCEPTION USING ERRCODE = 'ambiguous_function',
            MESSAGE = format('%s is not idgen''s function', idgen_migrate.default_text(shard, layout)),
            DETAIL = 'Another function of that name is called before it.', HINT = 'Drop that function, or rename it.';
    END IF;
END
$$;

-- That call, wherever idgen is. Without arguments it is the one that costs less to plan.
CREATE FUNCTION idgen_migrate.default_text(shard bigint, layout id_layout) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN given = '' THEN 'idgen.next_id()' ELSE format('%I.next_id(%s)', n.nspname, given) END
      FROM concat_ws(', ', CASE WHEN shard >= 0 THEN shard::text END, CASE WHEN layout::text <> 'instagram' THEN format('layout => %L', layout) END) AS given,
            pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'idgen'
$$;

COMMENT ON FUNCTION idgen_migrate.make_ids(timestamptz[], bigint, bigint, bigint[], id_layout) IS 'id_make_array of idgen';
COMMENT ON FUNCTION idgen_migrate.new_ids(integer, bigint, id_layout) IS 'next_id_array of idgen';
COMMENT ON FUNCTION idgen_migrate.first_id(timestamptz, id_layout) IS 'id_min of idgen';
COMMENT ON FUNCTION idgen_migrate.last_id(timestamptz, id_layout) IS 'id_max of idgen';
COMMENT ON FUNCTION idgen_migrate.time_of_id(bigint, id_layout) IS 'id_time of idgen';
COMMENT ON FUNCTION idgen_migrate.shard_of_id(bigint, id_layout) IS 'id_shard of idgen';
COMMENT ON FUNCTION idgen_migrate.time_of_uuid(uuid) IS 'uuid_time of idgen, only for version 7';
COMMENT ON FUNCTION idgen_migrate.id64_type() IS 'id64 of idgen';
COMMENT ON FUNCTION idgen_migrate.id64_equals(id64, id64) IS 'whether two IDs are one';
COMMENT ON FUNCTION idgen_migrate.id64_between(id64, bigint, bigint) IS 'whether an ID lies between two';
COMMENT ON FUNCTION idgen_migrate.layout_limits(id_layout) IS 'id_layout_info of idgen';
COMMENT ON FUNCTION idgen_migrate.set_default(oid, name, bigint, id_layout) IS 'next_id() of idgen as the default of a column';
COMMENT ON FUNCTION idgen_migrate.default_text(bigint, id_layout) IS 'a call of next_id(), wherever idgen is';
