-- Rows that arrive from other nodes with IDs of shards of this one. A trigger counts them; idgen.status() says so.

CREATE FUNCTION idgen.watch_shard() RETURNS trigger
    AS 'MODULE_PATHNAME', 'idgen_watch_shard' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION idgen.watch("table" regclass, "column" name, layout id_layout DEFAULT 'instagram') RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    column_type oid := (SELECT atttypid FROM pg_attribute WHERE attrelid = "table" AND attname = "column" AND attnum > 0 AND NOT attisdropped);
    of_default text := idgen.layout_of_default("table", "column");
    has_shards boolean := (SELECT shards > 1 AND NOT wraps FROM idgen.audit_limits(layout));
    refusal text[];
BEGIN
    refusal := CASE
        WHEN "table" IS NULL OR "column" IS NULL OR layout IS NULL THEN
            ARRAY['null_value_not_allowed', 'table, column and layout must not be null', 'They say what is watched.', 'Give a value.']
        WHEN column_type IS NULL THEN
            ARRAY['undefined_column', format('column %I of %s does not exist', "column", "table"),
                  'The name is used exactly as it is written, capitals included.', 'Name a column of IDs.']
        WHEN column_type NOT IN ('bigint'::regtype, (SELECT prorettype FROM pg_proc WHERE oid = 'idgen.id64_in(cstring)'::regprocedure)) THEN
            ARRAY['datatype_mismatch', format('column %I of %s has the type %s', "column", "table", column_type::regtype),
                  'IDs are read from a bigint or an id64.', 'Name a column of IDs.']
        WHEN NOT has_shards THEN
            ARRAY['invalid_parameter_value', format('IDs of layout %L do not say which node made them', layout),
                  'It has no shard, or its time wraps.', 'Only other layouts can be watched.']
        WHEN of_default <> layout::text THEN
            ARRAY['invalid_parameter_value', format('the DEFAULT of column %I makes IDs of layout %L', "column", of_default),
                  format('They would be read as IDs of layout %L.', layout), format('SELECT idgen.watch(%L, %L, %L)', "table", "column", of_default)] END;
    IF refusal IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = refusal[1], MESSAGE = refusal[2], DETAIL = refusal[3], HINT = refusal[4];
    END IF;
    PERFORM idgen.unwatch("table");
    EXECUTE format('CREATE TRIGGER idgen_watch_shard AFTER INSERT ON %s FOR EACH ROW EXECUTE FUNCTION idgen.watch_shard(%L, %L)', "table", "column", layout);
    EXECUTE format('ALTER TABLE %s ENABLE REPLICA TRIGGER idgen_watch_shard', "table");
END
$$;

CREATE FUNCTION idgen.unwatch("table" regclass) RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = "table" AND tgname = 'idgen_watch_shard') THEN
        EXECUTE format('DROP TRIGGER idgen_watch_shard ON %s', "table");
    END IF;
END
$$;

COMMENT ON FUNCTION idgen.watch_shard() IS 'trigger that counts rows with IDs of shards of this node; idgen.watch() puts it on a table';
COMMENT ON FUNCTION idgen.watch(regclass, name, id_layout) IS
    'watches the IDs of layout in column of table as rows arrive from other nodes, whether another makes IDs of a shard of this one: a row of idgen.status() says so. For the owner of the table';
COMMENT ON FUNCTION idgen.unwatch(regclass) IS 'ends what idgen.watch() began for table';
