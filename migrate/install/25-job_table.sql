-- What is remembered of a migration. Only the role that owns its table can write a row; and what it says is looked up
-- in the catalog before it is believed. PUBLIC has the columns, not the table, so no role can lock that. Not in
-- pg_dump: the tables themselves say which rows are still without an ID.

CREATE TABLE idgen_migrate.job (
    relation regclass NOT NULL,
    id_column name NOT NULL,
    kind text NOT NULL CHECK (kind IN ('backfill', 'serial', 'uuid', 'reference')),
    step text NOT NULL CHECK (step IN ('ranking', 'filling', 'filled', 'locking', 'started', 'linking', 'linked', 'switched', 'done', 'abandoned')),
    rows_done bigint NOT NULL DEFAULT 0,
    rows_estimated bigint,
    started timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    last_batch timestamptz,
    runner integer,
    last_id bigint,
    last_time timestamptz,
    parent regclass,            -- of a reference: the table that is moved
    source name,                -- the column beside which the new one stands
    helper name,                -- the function that keeps the two in step
    has_made boolean NOT NULL DEFAULT false,    -- whether the migration made the column
    PRIMARY KEY (relation, id_column)
);
ALTER TABLE idgen_migrate.job ENABLE ROW LEVEL SECURITY;
CREATE POLICY table_owner ON idgen_migrate.job USING (idgen_migrate.is_own(relation::pg_catalog.oid));

COMMENT ON TABLE idgen_migrate.job IS 'migrations of tables, one row each; the owner of a table writes its rows';
COMMENT ON POLICY table_owner ON idgen_migrate.job IS 'the owner of a table sees and writes its migrations';
