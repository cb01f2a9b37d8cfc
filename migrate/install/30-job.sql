-- How far migrations are, and how a session enters one.

-- What the owner calls next in a move of a key.
CREATE FUNCTION idgen_migrate.next_step(relation oid, id_column name, kind text, step text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN kind <> 'uuid' THEN NULL
        WHEN step = 'linked' THEN format('CALL idgen_migrate.uuid_switch(%L, %L)', target, id_column)
        WHEN step = 'switched' THEN format('CALL idgen_migrate.uuid_finish(%L, %L)', target, id_column)
        WHEN step <> 'done' THEN concat_ws('; ',
            CASE WHEN idgen_migrate.unique_index(relation, id_column) IS NULL THEN
                format('CREATE UNIQUE INDEX CONCURRENTLY ON %s (%I)', target, id_column) END,
            CASE WHEN (SELECT i.indisprimary FROM pg_index i WHERE i.indexrelid = idgen_migrate.unique_index(relation, key)) THEN
                format('CREATE UNIQUE INDEX CONCURRENTLY ON %s (%I)', target, key) END,
            CASE WHEN step IN ('started', 'ranking', 'filling') THEN format('CALL idgen_migrate.backfill(%L, %L, ...)', target, id_column) END,
            format('CALL idgen_migrate.uuid_link(%L, %L)', target, id_column)) END
      FROM (SELECT idgen_migrate.name_of(relation) AS target, idgen_migrate.key_column(relation) AS key) t
$$;

CREATE VIEW idgen_migrate.progress WITH (security_invoker = true) AS
SELECT j.relation, j.id_column, j.kind, j.step, j.rows_done, j.rows_estimated, j.started, j.last_batch,
       CASE WHEN j.step = 'done' THEN 'done'
            WHEN j.runner IS NULL THEN 'waiting'
            WHEN EXISTS (SELECT FROM pg_catalog.pg_stat_activity a
                          WHERE a.pid = j.runner AND a.pid <> pg_catalog.pg_backend_pid()
                            AND coalesce(a.state, 'active') = 'active') THEN 'running'
            ELSE 'stopped' END AS state,
       idgen_migrate.next_step(j.relation::pg_catalog.oid, j.id_column, j.kind, j.step) AS next_step
  FROM idgen_migrate.job j
 WHERE j.step <> 'abandoned' AND EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = j.relation::pg_catalog.oid);

-- Enters a migration, or this session as the one that goes on with it.
CREATE FUNCTION idgen_migrate.enter(relation oid, id_column name, kind text, step text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    as_kind text := kind;
    as_step text := step;
BEGIN
    PERFORM idgen_migrate.guard($1);
    IF EXISTS (SELECT FROM idgen_migrate.job j WHERE j.relation = $1 AND j.id_column = $2 AND j.step = 'switched') THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('%s.%I is the primary key already', idgen_migrate.name_of($1), $2),
            DETAIL = 'The move has been switched.', HINT = idgen_migrate.next_step($1, $2, 'uuid', 'switched');
    END IF;
    INSERT INTO idgen_migrate.job AS j (relation, id_column, kind, step, runner, rows_estimated)
    SELECT $1, $2, $3, $4, pg_backend_pid(), greatest(c.reltuples, 0)::bigint FROM pg_class c WHERE c.oid = $1
    ON CONFLICT ON CONSTRAINT job_pkey DO UPDATE
       SET step = as_step, runner = pg_backend_pid(),
           kind = CASE WHEN as_kind = 'backfill' AND j.kind = 'uuid' AND j.step <> 'abandoned' THEN j.kind ELSE as_kind END,
           (started, rows_done, last_id, last_time) = (
               SELECT j.started, j.rows_done, j.last_id, j.last_time WHERE j.step NOT IN ('done', 'filled', 'abandoned') OR as_step = 'linking'
               UNION ALL SELECT clock_timestamp(), 0, NULL, NULL LIMIT 1);
END
$$;

-- Enters a batch of this session. A session that has taken the migration over ends this one.
CREATE FUNCTION idgen_migrate.record(relation oid, id_column name, done bigint, last_id bigint, last_time timestamptz, estimated bigint)
    RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    total bigint;
BEGIN
    UPDATE idgen_migrate.job j
       SET step = 'filling', rows_done = j.rows_done + $3, last_id = $4, last_time = $5, last_batch = clock_timestamp(),
           rows_estimated = coalesce(j.rows_done + $6, j.rows_estimated)
     WHERE j.relation = $1 AND j.id_column = $2 AND j.runner = pg_backend_pid()
     RETURNING j.rows_done INTO total;
    IF total IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'object_in_use',
            MESSAGE = format('another session goes on with the migration of %s.%I', idgen_migrate.name_of($1), $2),
            DETAIL = 'Of two sessions, the later one goes on.', HINT = 'SELECT * FROM idgen_migrate.progress shows how far it is.';
    END IF;
    RETURN total;
END
$$;

-- Ends this session's part in a migration.
CREATE FUNCTION idgen_migrate.leave(relation oid, id_column name, step text) RETURNS void
LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
    UPDATE idgen_migrate.job j
       SET step = CASE WHEN $3 = 'done' AND j.kind = 'uuid' THEN 'filled' ELSE $3 END, runner = NULL,
           rows_estimated = CASE WHEN $3 = 'done' THEN j.rows_done ELSE j.rows_estimated END
     WHERE j.relation = $1 AND j.id_column = $2
$$;

COMMENT ON VIEW idgen_migrate.progress IS 'migrations of tables: what is done, whether it goes on, what comes next';
COMMENT ON FUNCTION idgen_migrate.next_step(oid, name, text, text) IS 'what to call next';
COMMENT ON FUNCTION idgen_migrate.enter(oid, name, text, text) IS 'this session goes on with a migration';
COMMENT ON FUNCTION idgen_migrate.record(oid, name, bigint, bigint, timestamptz, bigint) IS 'a batch is done';
COMMENT ON FUNCTION idgen_migrate.leave(oid, name, text) IS 'this session stops';
