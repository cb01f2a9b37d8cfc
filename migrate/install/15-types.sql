-- A finding about a table, with advice. The state of one is the SQLSTATE of the error that it becomes.
CREATE TYPE idgen_migrate.finding AS (ok boolean, state text, finding text, advice text);

-- The statements of a backfill.
CREATE TYPE idgen_migrate.backfill_text AS (target text, at text, rank_head text, rank_tail text, exists_text text, taken_text text, update_text text, moved_text text);

COMMENT ON TYPE idgen_migrate.finding IS 'something about a table that speaks for or against a migration';
COMMENT ON TYPE idgen_migrate.backfill_text IS 'the statements of a backfill';
