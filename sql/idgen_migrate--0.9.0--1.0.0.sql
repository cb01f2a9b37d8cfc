\echo Use "ALTER EXTENSION idgen_migrate UPDATE" to load this file. \quit
-- A backfill fills no row that came to lie where another one was; defaults without arguments call idgen.next_id(). All else stays as it is but for what is said of it.

CREATE OR REPLACE FUNCTION idgen_migrate.set_default(relation oid, id_column name, shard bigint, layout id_layout) RETURNS void
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

CREATE OR REPLACE FUNCTION idgen_migrate.default_text(shard bigint, layout id_layout) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN given = '' THEN 'idgen.next_id()' ELSE format('%I.next_id(%s)', n.nspname, given) END
      FROM concat_ws(', ', CASE WHEN shard >= 0 THEN shard::text END, CASE WHEN layout::text <> 'instagram' THEN format('layout => %L', layout) END) AS given,
            pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'idgen'
$$;

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
    'from uuid or integer keys to IDs in id_column of relation, once nobody writes the old references: nothing keeps them any more. Its locks are tried for lock_wait at a time, attempts times';
COMMENT ON PROCEDURE idgen_migrate.uuid_rename(regclass, name, interval, integer) IS
    'from uuid or integer keys to IDs in id_column of relation, after uuid_finish: the old columns go, the new ones take their names. Its locks are tried for lock_wait at a time, attempts times';

-- What is said of arguments.
COMMENT ON FUNCTION idgen_migrate.check(text, regclass, name, name, bigint, integer, id_layout) IS
    'what a migration of that kind (backfill, serial, widen, uuid, switch, rename) of id_column in relation would find, called with that time_column, shard, batch and layout: whether that is all right, and what to do';
COMMENT ON PROCEDURE idgen_migrate.backfill(regclass, name, name, bigint, name, integer, interval, interval, id_layout, text) IS
    'gives the rows of relation without an ID one in id_column, of shard and layout, with the time of time_column, in the order of tie_column within one time; in transactions of batch rows, a pause after each, a notice of how far it is as often, triggers with triggers_path as search_path; called again it goes on';
COMMENT ON PROCEDURE idgen_migrate.replace_serial(regclass, name, bigint, boolean, interval, integer, id_layout) IS
    'lets next_id(), with shard and layout, make id_column of relation, which a serial or an identity made; refuses if new IDs would not be larger than all old ones. widen: from integer to bigint first. Its locks are tried for lock_wait at a time, attempts times';
COMMENT ON PROCEDURE idgen_migrate.uuid_start(regclass, name, bigint, interval, integer, id_layout) IS
    'from uuid or integer keys to IDs, first step: adds id_column, of shard and layout, to relation, and columns beside its references; new rows get both keys. Its locks are tried for lock_wait at a time, attempts times';
COMMENT ON PROCEDURE idgen_migrate.uuid_link(regclass, name, integer, interval, interval, interval, integer, text) IS
    'from uuid or integer keys to IDs, after the backfill of id_column in relation: fills the references, in transactions of batch rows, a pause after each, a notice as often, triggers with triggers_path as search_path; and makes their foreign keys. Its locks are tried for lock_wait at a time, attempts times';
COMMENT ON PROCEDURE idgen_migrate.uuid_switch(regclass, name, interval, integer) IS
    'from uuid or integer keys to IDs: id_column becomes the primary key of relation, the old key a unique key. Its locks are tried for lock_wait at a time, attempts times';
COMMENT ON PROCEDURE idgen_migrate.uuid_abandon(regclass, name, interval, integer) IS
    'from uuid or integer keys to IDs in id_column of relation: takes everything back, at any step before the switch. Its locks are tried for lock_wait at a time, attempts times';
