-- Before PostgreSQL 17 the extension needs the library in the server: said at once, rather than by the first next_id().
DO $$
BEGIN
    IF pg_catalog.current_setting('server_version_num'::pg_catalog.text)::pg_catalog.int4 OPERATOR(pg_catalog.<) 170000
       AND NOT pg_catalog.current_setting('shared_preload_libraries'::pg_catalog.text) OPERATOR(pg_catalog.~) '\midgen\M'::pg_catalog.text
    THEN
        RAISE WARNING USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = 'idgen is not loaded by the server',
            DETAIL = 'IDs are made from shared memory, which is set up when the server starts; until then next_id() is an error.',
            HINT = (SELECT advice FROM idgen.status() WHERE key OPERATOR(pg_catalog.=) 'library'::pg_catalog.text);
    END IF;
END
$$;
