-- Migration of existing tables: what all of it shares. The procedures run with the rights of their caller, and each
-- batch is a transaction. Functions named idgen_migrate_... are their parts; each sets its search_path to pg_catalog
-- and the schema where the extension is now, as tools/install-script writes it out. What fires triggers of users runs in
-- the procedures, under their search_path.

CREATE FUNCTION id_make_array(created_at timestamptz[], shard bigint, above bigint DEFAULT 0,
                              taken bigint[] DEFAULT '{}', layout id_layout DEFAULT 'instagram')
    RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'idgen_make_array' LANGUAGE C IMMUTABLE PARALLEL SAFE;

-- One row for each migration, written by whoever owns its table. Not in pg_dump: it holds OIDs, and the tables
-- themselves say which rows are still without an ID.
CREATE TABLE idgen_migration_state (
    relation oid NOT NULL,
    id_column name NOT NULL,
    kind text NOT NULL CHECK (kind IN ('backfill', 'serial', 'uuid', 'reference')),
    step text NOT NULL,
    rows_done bigint NOT NULL DEFAULT 0,
    rows_estimated bigint,
    started timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    last_batch timestamptz,
    runner integer,
    last_id bigint,
    last_time timestamptz,
    source name,
    parent oid,
    next_step text,
    PRIMARY KEY (relation, id_column)
);
ALTER TABLE idgen_migration_state ENABLE ROW LEVEL SECURITY;
CREATE POLICY idgen_table_owner ON idgen_migration_state USING (EXISTS (
    SELECT FROM pg_catalog.pg_class c
     WHERE c.oid = relation AND pg_catalog.pg_has_role(c.relowner, 'USAGE')));
GRANT SELECT, INSERT, UPDATE, DELETE ON idgen_migration_state TO PUBLIC;

CREATE VIEW idgen_migration WITH (security_invoker = true) AS
SELECT s.relation::pg_catalog.regclass AS relation, s.id_column, s.kind, s.step, s.rows_done, s.rows_estimated,
       s.started, s.last_batch,
       CASE WHEN s.step = 'done' THEN 'done'
            WHEN s.runner IS NULL THEN 'waiting'
            WHEN EXISTS (SELECT FROM pg_catalog.pg_stat_activity a
                          WHERE a.pid = s.runner AND a.pid <> pg_catalog.pg_backend_pid()
                            AND coalesce(a.state, 'active') = 'active') THEN 'running'
            ELSE 'stopped' END AS state,
       s.next_step
  FROM idgen_migration_state s
 WHERE EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = s.relation);
GRANT SELECT ON idgen_migration TO PUBLIC;

-- A table as schema and name, whatever search_path says.
CREATE FUNCTION idgen_migrate_name(relation oid) RETURNS text LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT pg_catalog.format('%I.%I', n.nspname, c.relname)
          FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = relation);

-- A column's number; null where there is none.
CREATE FUNCTION idgen_migrate_column(relation oid, column_name name) RETURNS smallint
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT attnum FROM pg_catalog.pg_attribute
         WHERE attrelid = relation AND attname = column_name AND attnum > 0 AND NOT attisdropped);

-- The foreign keys that reference exactly that column.
CREATE FUNCTION idgen_migrate_references(relation oid, column_name name)
    RETURNS TABLE (constraint_oid oid, constraint_name name, child oid, child_column name, child_type oid)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT k.oid, k.conname, k.conrelid, a.attname, a.atttypid
      FROM pg_catalog.pg_constraint k
      JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
     WHERE k.contype = 'f' AND k.confrelid = relation AND k.conparentid = 0
       AND k.confkey = ARRAY[idgen_migrate_column(relation, column_name)]
     ORDER BY idgen_migrate_name(k.conrelid), k.conname;
END;

-- A unique index on that column alone that holds at every moment; null where there is none.
CREATE FUNCTION idgen_migrate_unique(relation oid, column_name name) RETURNS oid
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT i.indexrelid FROM pg_catalog.pg_index i
         WHERE i.indrelid = relation AND i.indisunique AND i.indisvalid AND i.indimmediate AND i.indnkeyatts = 1
           AND i.indnatts = 1 AND i.indpred IS NULL AND i.indexprs IS NULL AND i.indkey[0] = idgen_migrate_column(relation, column_name)
         ORDER BY i.indisprimary, i.indexrelid LIMIT 1);

-- Lets next_id() make a column, with the arguments that are not its defaults.
CREATE FUNCTION idgen_migrate_set_default(relation oid, id_column name, shard bigint, layout id_layout) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    @SEARCH_OWN_SCHEMA@
    EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT next_id(%s)', idgen_migrate_name(relation), id_column, concat_ws(', ',
        CASE WHEN shard <> idgen_own_shards() THEN shard::text END,
        CASE WHEN layout <> 'instagram' THEN format('layout => %L', layout) END));
END
$$;

-- Locks a table; false where that takes longer than the wait. The lock lasts until the transaction ends.
CREATE FUNCTION idgen_migrate_lock(relations oid[], lock_wait interval) RETURNS boolean
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one oid;
BEGIN
    @SEARCH_OWN_SCHEMA@
    PERFORM set_config('lock_timeout', (1000 * extract(epoch FROM lock_wait))::bigint::text, true);
    FOREACH one IN ARRAY relations LOOP
        EXECUTE 'LOCK TABLE ONLY ' || idgen_migrate_name(one) || ' IN ACCESS EXCLUSIVE MODE';
    END LOOP;
    RETURN true;
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
    RETURN false;
END
$$;

-- The first of the findings that speaks against a migration, as an error.
CREATE FUNCTION idgen_migrate_require(kind text, relation oid, id_column name, time_column name, shard bigint,
                                      batch integer, layout id_layout, what text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found record;
BEGIN
    @SEARCH_OWN_SCHEMA@
    FOR found IN SELECT c.* FROM idgen_migrate_findings(kind, relation, id_column, time_column, shard, batch, layout, what) c
                  WHERE NOT c.ok LOOP
        RAISE EXCEPTION USING ERRCODE = found.state, MESSAGE = found.finding, HINT = found.advice,
            DETAIL = 'idgen_migration_check() lists all that stands in the way.';
    END LOOP;
END
$$;

-- Enters a migration, or this session as the one that goes on with it.
CREATE FUNCTION idgen_migrate_enter(relation oid, id_column name, kind text, step text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    as_kind text := kind;
    as_step text := step;
BEGIN
    @SEARCH_OWN_SCHEMA@
    IF EXISTS (SELECT FROM idgen_migration_state s WHERE s.relation = $1 AND s.id_column = $2 AND s.step = 'switched') THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('%s.%I is the primary key already', idgen_migrate_name($1), $2),
            DETAIL = 'The move has been switched.', HINT = format('CALL idgen_uuid_finish(%L, %L)', idgen_migrate_name($1), $2);
    END IF;
    INSERT INTO idgen_migration_state AS s (relation, id_column, kind, step, runner, rows_estimated)
    SELECT $1, $2, $3, $4, pg_backend_pid(), greatest(c.reltuples, 0)::bigint FROM pg_class c WHERE c.oid = $1
    ON CONFLICT ON CONSTRAINT idgen_migration_state_pkey DO UPDATE
       SET step = as_step, runner = pg_backend_pid(),
           kind = CASE WHEN as_kind = 'backfill' AND s.kind = 'uuid' THEN s.kind ELSE as_kind END,
           started = CASE WHEN s.step IN ('done', 'filled') THEN clock_timestamp() ELSE s.started END,
           rows_done = CASE WHEN s.step IN ('done', 'filled') THEN 0 ELSE s.rows_done END,
           last_id = CASE WHEN s.step IN ('done', 'filled') THEN NULL ELSE s.last_id END,
           last_time = CASE WHEN s.step IN ('done', 'filled') THEN NULL ELSE s.last_time END;
END
$$;

-- Enters a batch of this session. A session that has taken the migration over ends this one.
CREATE FUNCTION idgen_migrate_record(relation oid, id_column name, step text, done bigint, last_id bigint,
                                     last_time timestamptz, estimated bigint) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    total bigint;
BEGIN
    @SEARCH_OWN_SCHEMA@
    UPDATE idgen_migration_state s
       SET step = $3, rows_done = s.rows_done + $4, last_id = $5, last_time = $6, last_batch = clock_timestamp(),
           rows_estimated = coalesce(s.rows_done + $7, s.rows_estimated)
     WHERE s.relation = $1 AND s.id_column = $2 AND s.runner = pg_backend_pid()
     RETURNING s.rows_done INTO total;
    IF total IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'object_in_use',
            MESSAGE = format('another session goes on with the migration of %s.%I', idgen_migrate_name($1), $2),
            HINT = 'Let it, or stop it first: SELECT * FROM idgen_migration.';
    END IF;
    RETURN total;
END
$$;

-- Ends this session's part in a migration.
CREATE FUNCTION idgen_migrate_leave(relation oid, id_column name, step text, next_step text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    @SEARCH_OWN_SCHEMA@
    UPDATE idgen_migration_state s
       SET step = CASE WHEN $3 = 'done' AND s.kind = 'uuid' THEN 'filled' ELSE $3 END,
           next_step = coalesce($4, CASE WHEN s.kind = 'uuid' THEN s.next_step END), runner = NULL,
           rows_estimated = CASE WHEN $3 = 'done' THEN s.rows_done ELSE s.rows_estimated END
     WHERE s.relation = $1 AND s.id_column = $2;
END
$$;

COMMENT ON FUNCTION id_make_array(timestamptz[], bigint, bigint, bigint[], id_layout) IS
    'ascending IDs for instants in ascending order, above an ID and none of the taken ones; a full tick spills into the next';
COMMENT ON TABLE idgen_migration_state IS 'migrations of tables, one row each; the owner of a table writes its rows';
COMMENT ON VIEW idgen_migration IS 'migrations of tables: what is done, whether it goes on, what comes next';
COMMENT ON POLICY idgen_table_owner ON idgen_migration_state IS 'the owner of a table sees and writes its migrations';
COMMENT ON FUNCTION idgen_migrate_name(oid) IS 'part of the migration: a table as schema and name';
COMMENT ON FUNCTION idgen_migrate_column(oid, name) IS 'part of the migration: number of a column';
COMMENT ON FUNCTION idgen_migrate_references(oid, name) IS 'part of the migration: foreign keys that reference a column';
COMMENT ON FUNCTION idgen_migrate_unique(oid, name) IS 'part of the migration: a unique index on a column';
COMMENT ON FUNCTION idgen_migrate_set_default(oid, name, bigint, id_layout) IS 'part of the migration: next_id() as a default';
COMMENT ON FUNCTION idgen_migrate_lock(oid[], interval) IS 'part of the migration: locks tables, or gives up after a time';
COMMENT ON FUNCTION idgen_migrate_require(text, oid, name, name, bigint, integer, id_layout, text) IS
    'part of the migration: the first finding against it as an error';
COMMENT ON FUNCTION idgen_migrate_enter(oid, name, text, text) IS 'part of the migration: this session goes on with it';
COMMENT ON FUNCTION idgen_migrate_record(oid, name, text, bigint, bigint, timestamptz, bigint) IS
    'part of the migration: a batch is done';
COMMENT ON FUNCTION idgen_migrate_leave(oid, name, text, text) IS 'part of the migration: this session stops';
