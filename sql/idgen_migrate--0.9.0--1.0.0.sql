\echo Use "ALTER EXTENSION idgen_migrate UPDATE" to load this file. \quit
-- A backfill fills no row that came to lie where another one was. All else stays as it is but for what is said of it.

CREATE OR REPLACE FUNCTION idgen_migrate.backfill_texts(relation oid, id_column name, time_column name, tie_column name) RETURNS idgen_migrate.backfill_text
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text := idgen_migrate.name_of(relation);
    at text := idgen_migrate.time_text(relation, time_column);
    key record;
    compared record;
    batch_text text;
    made idgen_migrate.backfill_text;
BEGIN
    SELECT * INTO key FROM idgen_migrate.moved_key(relation, id_column);
    SELECT * INTO compared FROM idgen_migrate.comparison(relation, id_column);
    made.target := target;
    made.at := CASE WHEN time_column IS NOT NULL THEN at END;
    made.rank_head := format('CREATE TEMPORARY TABLE idgen_queue AS SELECT t.ctid AS tid, %s AS at%s FROM ONLY %s t WHERE t.%I IS NULL AND ', at, key.columns, target, id_column);
    made.rank_tail := ' ORDER BY ' || concat_ws(', ', '2',
        CASE WHEN idgen_migrate.column_type(relation, time_column) = 'uuid'::regtype THEN format('t.%I', time_column) END,
        CASE WHEN tie_column IS NOT NULL THEN format('t.%I', tie_column) END, key.ties, 't.ctid');
    made.exists_text := format('SELECT EXISTS (SELECT FROM ONLY %s t WHERE t.%I IS NULL%s)', target, id_column,
                          CASE WHEN time_column IS NOT NULL THEN format(' AND %s <= $1', at) END);
    made.taken_text := format('SELECT coalesce(array_agg(t.%1$I::bigint ORDER BY t.%1$I::bigint), ''{}'') FROM ONLY %2$s t'
                              ' WHERE t.%1$I OPERATOR(%3$s.>=) $1::%4$s AND t.%1$I OPERATOR(%3$s.<=) $2::%4$s'
                              ' AND coalesce(idgen_migrate.shard_of_id(t.%1$I::bigint, $3), 0) = coalesce($4, 0)',
                              id_column, target, compared.operators, compared.type);
    -- $1 are the IDs of the batch, $2 and $3 its bounds in the ranking, $4 and $5 the first and the last place of its rows.
    batch_text := format('FROM (SELECT q.*, ($1)[pg_catalog.row_number() OVER ()] AS id FROM pg_temp.idgen_queue q'
                         ' WHERE q.ctid OPERATOR(pg_catalog.>=) $2 AND q.ctid OPERATOR(pg_catalog.<) $3) x WHERE t.%I IS NULL', id_column)
                  || CASE WHEN time_column IS NULL THEN '' ELSE format(' AND %s OPERATOR(pg_catalog.=) x.at', at) END;
    -- Another row of the same time may have come to lie there. IS TRUE: the rows are not to be looked up by their keys.
    made.update_text := format('UPDATE ONLY %s t SET %I = x.id ', target, id_column) || batch_text
                        || ' AND t.ctid OPERATOR(pg_catalog.=) x.tid AND t.ctid OPERATOR(pg_catalog.>=) $4 AND t.ctid OPERATOR(pg_catalog.<=) $5'
                        || coalesce(' AND (' || key.same || ') IS TRUE', '');
    made.moved_text := format('UPDATE ONLY %s t SET %I = x.id ', target, id_column) || batch_text || ' AND ' || key.same;
    RETURN made;
END
$$;

COMMENT ON PROCEDURE idgen_migrate.uuid_finish(regclass, name, interval, integer) IS
    'from uuid or integer keys to IDs, once nobody writes the old references: nothing keeps them any more';
COMMENT ON PROCEDURE idgen_migrate.uuid_rename(regclass, name, interval, integer) IS
    'from uuid or integer keys to IDs, after uuid_finish: the old columns go, the new ones take their names';
