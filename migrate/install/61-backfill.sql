-- What speaks about a backfill before its rows are read.
CREATE FUNCTION idgen_migrate.backfill_findings(relation oid, id_column name, time_column name, shard bigint, batch integer, layout id_layout)
    RETURNS SETOF idgen_migrate.finding
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text := idgen_migrate.name_of(relation);
    id_type oid := idgen_migrate.column_type(relation, id_column);
    time_type oid := idgen_migrate.column_type(relation, time_column);
    info record;
BEGIN
    SELECT * INTO info FROM idgen_migrate.layout_limits(layout);
    RETURN QUERY SELECT false, '42804', format('%s.%I is of type %s', target, id_column, format_type(id_type, NULL)),
        'IDs need a column of type bigint or id64: add a new one.' WHERE id_type NOT IN ('bigint'::regtype, idgen_migrate.id64_type());
    RETURN QUERY SELECT false, '22023', 'the time of this layout wraps, so its IDs do not sort by time',
        'Use a layout that does not wrap.' WHERE info.wraps;
    RETURN QUERY SELECT false, '22003', format('shard %s is out of range', coalesce(shard::text, 'null')),
        format('Name a shard from 0 to %s that nobody else fills the table with.', info.shards - 1)
        WHERE info.shards > 1 AND time_column IS NOT NULL AND (shard IS NULL OR shard NOT BETWEEN 0 AND info.shards - 1);
    RETURN QUERY SELECT false, '22023', 'a batch must have from 1 to 1000000 rows', 'The default is 10000.'
        WHERE coalesce(batch, 0) NOT BETWEEN 1 AND 1000000;
    RETURN QUERY SELECT true, NULL, 'no column of times is named: IDs are made by next_id(), of the time of the backfill',
        'Name the column whose times the IDs should have, if there is one.' WHERE time_column IS NULL;
    RETURN QUERY SELECT false, '42703', format('%s has no column %I', target, time_column), 'Name the column whose times the IDs should have.'
        WHERE time_column IS NOT NULL AND time_type IS NULL;
    RETURN QUERY SELECT false, '42804', format('%s.%I is of type %s', target, time_column, format_type(time_type, NULL)),
        'Name a timestamptz, a timestamp or date (taken as UTC), or a uuid of version 7; null for IDs of now.'
        WHERE time_type NOT IN ('timestamptz'::regtype, 'timestamp'::regtype, 'date'::regtype, 'uuid'::regtype);
    RETURN QUERY SELECT false, '55000', format('%s.%I has no unique index', target, id_column),
        format('CREATE UNIQUE INDEX CONCURRENTLY ON %s (%I)', target, id_column)
        WHERE idgen_migrate.unique_index(relation, id_column) IS NULL AND id_type IN ('bigint'::regtype, idgen_migrate.id64_type());
    RETURN QUERY SELECT true, NULL, format('%s.%I is taken as UTC', target, time_column),
        'Convert it to timestamptz first if it is not.' WHERE time_type IN ('timestamp'::regtype, 'date'::regtype);
    RETURN QUERY SELECT true, NULL, n.finding, n.advice FROM idgen_migrate.backfill_notes(relation, id_column) n;
END
$$;

-- What is worth knowing about a backfill, and is not an obstacle.
CREATE FUNCTION idgen_migrate.backfill_notes(relation oid, id_column name) RETURNS TABLE (finding text, advice text)
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text := idgen_migrate.name_of(relation);
    id_number smallint := idgen_migrate.column_number(relation, id_column);
BEGIN
    RETURN QUERY SELECT format('trigger %I fires for each row', t.tgname),
        format('If it should not: ALTER TABLE %s DISABLE TRIGGER %I', target, t.tgname)
        FROM pg_trigger t WHERE t.tgrelid = relation AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A')
         AND (t.tgtype & 16) <> 0 AND (t.tgattr = ''::int2vector OR id_number = ANY (t.tgattr::int2[])) ORDER BY t.tgname;
    RETURN QUERY SELECT format('generated column %I is computed again for each row', a.attname), 'Nothing needs to be done.'
        FROM pg_attribute a WHERE a.attrelid = relation AND a.attgenerated = 's' ORDER BY a.attnum;
    RETURN QUERY SELECT format('%s.%I has no default: rows that come meanwhile get no ID', target, id_column),
        format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT %s', target, id_column, idgen_migrate.default_text(-1, NULL))
        FROM pg_attribute a WHERE a.attrelid = relation AND a.attnum = id_number AND NOT a.atthasdef;
    RETURN QUERY SELECT format('foreign key %I of %s references %I', r.constraint_name, idgen_migrate.name_of(r.child), id_column),
        'Only rows without an ID get one, and nothing references those.' FROM idgen_migrate.references_to(relation, id_column) r;
    RETURN QUERY SELECT 'each batch locks its rows until it commits; no lock of the table keeps readers or writers out',
        'Sessions that update the same rows wait for a batch: a smaller one is shorter.';
END
$$;

-- What speaks about the rows themselves; reads the whole table once.
CREATE FUNCTION idgen_migrate.row_findings(relation oid, id_column name, time_column name, batch integer, layout id_layout)
    RETURNS SETOF idgen_migrate.finding
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text := idgen_migrate.name_of(relation);
    is_uuid boolean := idgen_migrate.column_type(relation, time_column) IS NOT DISTINCT FROM 'uuid'::regtype;
    info record;
    n record;
BEGIN
    SELECT * INTO info FROM idgen_migrate.layout_limits(layout);
    EXECUTE format($q$
        SELECT count(*) AS rows, count(*) - count(at) AS unknown, min(at) AS first, max(at) AS last,
               count(*) FILTER (WHERE at < $1) AS early, count(*) FILTER (WHERE at > $2) AS late
          FROM (SELECT %s AS at FROM ONLY %s t WHERE t.%I IS NULL) r$q$, idgen_migrate.time_text(relation, time_column), target, id_column)
        INTO n USING info.first_time, least(clock_timestamp(), info.last_time);
    RETURN QUERY SELECT true, NULL, format('rows without an ID: %s', n.rows),
        format('Batches of up to %s rows: %s.', batch, ceil(n.rows::numeric / batch));
    RETURN QUERY SELECT true, NULL, format('their times are from %s to %s', n.first, n.last), 'Nothing needs to be done.'
        WHERE n.first IS NOT NULL AND n.unknown = 0;
    RETURN QUERY SELECT false, '22004', format('rows without an ID and without a time: %s', n.unknown),
        format('Give them one: UPDATE %s SET %I = ... WHERE %I IS NULL', target, time_column, time_column)
        WHERE n.unknown > 0 AND time_column IS NOT NULL AND NOT is_uuid;
    RETURN QUERY SELECT false, '22023', format('rows with a uuid that is not of version 7: %s', n.unknown),
        'It holds no time to go by: name a column of times, or null for IDs of now.' WHERE n.unknown > 0 AND is_uuid;
    RETURN QUERY SELECT false, '22003', format('rows with a time before the epoch of the layout, %s: %s', info.first_time, n.early),
        'Use a layout with an earlier epoch, or give those rows a later time.' WHERE n.early > 0;
    RETURN QUERY SELECT false, '22003', format('rows with a time in the future or past the end of the layout: %s', n.late),
        'next_id() could make their IDs again: give those rows a time in the past.' WHERE n.late > 0;
END
$$;

COMMENT ON FUNCTION idgen_migrate.backfill_findings(oid, name, name, bigint, integer, id_layout) IS 'findings about a backfill';
COMMENT ON FUNCTION idgen_migrate.backfill_notes(oid, name) IS 'what to know about a backfill';
COMMENT ON FUNCTION idgen_migrate.row_findings(oid, name, name, integer, id_layout) IS 'findings about the rows to be filled';

-- The backfill: IDs for rows that have none, from a column of times.
--
-- A pass ranks the rows without an ID once, by time, into a temporary table of (ctid, time, key), and fills them from
-- its start, a batch and a transaction at a time. A batch fills a row if it is still there, without an ID and with that
-- time; one that a session has moved is found by the primary key, if that is of fixed width, and has its place kept.
-- What came in between is found by the next pass, and takes what is free from its time on. The last ID and time are
-- committed with their batch, so a later call goes on exactly there.
--
-- The statements that fill fire triggers of the user, so they run under the path of the caller: nothing in them is looked
-- up by it, nor in a schema that another role could rename between two batches.

-- The key of fixed width by which a row is found that has moved: its columns, and how they are compared. Other operators than
-- the server's and those of id64 could be found only by the names of their schemas: rows with such keys wait for the next pass.
CREATE FUNCTION idgen_migrate.moved_key(relation oid, id_column name, OUT ties text, OUT columns text, OUT same text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT string_agg(format('t.%I', a.attname), ', ' ORDER BY k.place),
           CASE WHEN bool_and(a.attlen > 0 AND p.oprname IS NOT NULL) THEN string_agg(format(', t.%I AS k%s', a.attname, k.place), '' ORDER BY k.place) END,
           CASE WHEN bool_and(a.attlen > 0 AND p.oprname IS NOT NULL) THEN string_agg(
               CASE WHEN a.atttypid = idgen_migrate.id64_type() THEN format('idgen_migrate.id64_equals(t.%I, x.k%s)', a.attname, k.place)
                    ELSE format('t.%I OPERATOR(pg_catalog.%s) x.k%s', a.attname, p.oprname, k.place) END, ' AND ') END
      FROM pg_index i CROSS JOIN unnest(i.indkey::int2[], i.indclass::oid[]) WITH ORDINALITY k(attnum, class, place)
      JOIN pg_attribute a ON a.attrelid = relation AND a.attnum = k.attnum
      LEFT JOIN pg_opclass c ON c.oid = k.class
      LEFT JOIN pg_amop o ON o.amopfamily = c.opcfamily AND o.amopstrategy = 3 AND o.amoplefttype = c.opcintype AND o.amoprighttype = c.opcintype
      LEFT JOIN pg_operator p ON p.oid = o.amopopr AND (p.oprnamespace = 'pg_catalog'::regnamespace
                                                        OR a.atttypid = idgen_migrate.id64_type() AND p.oprleft = a.atttypid)
     WHERE i.indrelid = relation AND i.indisprimary AND a.attname <> id_column
$$;

-- The statements of a backfill: how it ranks, whether anything is left, which IDs the column holds between two, how it fills, and
-- how it fills what has moved.
CREATE FUNCTION idgen_migrate.backfill_texts(relation oid, id_column name, time_column name, tie_column name) RETURNS idgen_migrate.backfill_text
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text := idgen_migrate.name_of(relation);
    at text := idgen_migrate.time_text(relation, time_column);
    key record;
    batch_text text;
    made idgen_migrate.backfill_text;
BEGIN
    SELECT * INTO key FROM idgen_migrate.moved_key(relation, id_column);
    made.target := target;
    made.at := CASE WHEN time_column IS NOT NULL THEN at END;
    made.rank_head := format('CREATE TEMPORARY TABLE idgen_queue AS SELECT t.ctid AS tid, %s AS at%s FROM ONLY %s t WHERE t.%I IS NULL AND ', at, key.columns, target, id_column);
    made.rank_tail := ' ORDER BY ' || concat_ws(', ', '2',
        CASE WHEN idgen_migrate.column_type(relation, time_column) = 'uuid'::regtype THEN format('t.%I', time_column) END,
        CASE WHEN tie_column IS NOT NULL THEN format('t.%I', tie_column) END, key.ties, 't.ctid');
    made.exists_text := format('SELECT EXISTS (SELECT FROM ONLY %s t WHERE t.%I IS NULL%s)', target, id_column,
                          CASE WHEN time_column IS NOT NULL THEN format(' AND %s <= $1', at) END);
    made.taken_text := format('SELECT coalesce(array_agg(t.%1$I::bigint ORDER BY t.%1$I::bigint), ''{}'') FROM ONLY %2$s t'
                              ' WHERE %3$s'
                              ' AND coalesce(idgen_migrate.shard_of_id(t.%1$I::bigint, $3), 0) = coalesce($4, 0)',
                              id_column, target, format(CASE WHEN idgen_migrate.column_type(relation, id_column) = idgen_migrate.id64_type()
                                  THEN 'idgen_migrate.id64_between(t.%I, $1, $2)' ELSE 't.%I BETWEEN $1 AND $2' END, id_column));
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

-- Checks a backfill and enters it; gives where an earlier call stopped.
CREATE FUNCTION idgen_migrate.begin_backfill(relation oid, id_column name, time_column name, shard bigint, tie_column name,
                                             batch integer, layout id_layout, OUT last_id bigint, OUT last_time timestamptz)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM idgen_migrate.require('backfill', relation, id_column, time_column, shard, batch, layout,
        CASE WHEN idgen_migrate.column_type(relation, time_column) = 'uuid'::regtype THEN 'all' ELSE 'fast' END);
    IF tie_column IS NOT NULL AND idgen_migrate.column_number(relation, tie_column) IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'undefined_column', MESSAGE = format('%s has no column %I', idgen_migrate.name_of(relation), tie_column),
            DETAIL = 'Rows of one time are ordered by it.', HINT = 'Leave it out to order them by the primary key.';
    END IF;
    PERFORM idgen_migrate.enter(relation, id_column, 'backfill', 'ranking');
    SELECT j.last_id, j.last_time INTO last_id, last_time FROM idgen_migrate.job j WHERE j.relation = $1 AND j.id_column = $2;
END
$$;

-- How a ranking of `total` rows lies: in ascending order of time, in pages of equal numbers of rows; empty ones may follow.
-- If its first or last time is out of bounds, the error that counts such rows.
CREATE FUNCTION idgen_migrate.rows_per_page(relation oid, id_column name, time_column name, shard bigint, batch integer,
                                            layout id_layout, until timestamptz, total bigint, OUT per_page integer)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    first_at timestamptz;
    last_at timestamptz;
BEGIN
    IF total = 0 THEN
        RETURN;
    END IF;
    SELECT count(*) INTO per_page FROM pg_temp.idgen_queue q WHERE q.ctid < '(1,0)';
    SELECT q.at INTO first_at FROM pg_temp.idgen_queue q WHERE q.ctid = '(0,1)';
    SELECT q.at INTO last_at FROM pg_temp.idgen_queue q WHERE q.ctid = format('(%s,%s)', (total - 1) / per_page, (total - 1) % per_page + 1)::tid;
    IF time_column IS NOT NULL
       AND (SELECT first_at >= i.first_time AND last_at <= least(until, i.last_time) FROM idgen_migrate.layout_limits(layout) i) IS NOT TRUE THEN
        PERFORM idgen_migrate.require('backfill', relation, id_column, time_column, shard, batch, layout, 'all');
    END IF;
END
$$;

-- IDs for ascending times: above the last one, and none that the column holds already. Fewer than times, if so many lie
-- between so few rows that a smaller batch is wanted.
CREATE FUNCTION idgen_migrate.free_ids(taken_text text, times timestamptz[], above bigint, shard bigint, layout id_layout) RETURNS bigint[]
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
DECLARE
    ids bigint[] := idgen_migrate.make_ids(times, shard, above, '{}', layout);
    first_id bigint := ids[1];
    last_id bigint := ids[cardinality(ids)];
    taken bigint[];
BEGIN
    LOOP
        EXECUTE taken_text INTO taken USING first_id, last_id, layout, shard;
        EXIT WHEN taken = '{}';
        IF cardinality(taken) > 1000000 AND cardinality(times) > 1 THEN
            times := times[:(cardinality(times) + 7) / 8];
            ids := idgen_migrate.make_ids(times, shard, above, '{}', layout);
            last_id := ids[cardinality(ids)];
            CONTINUE;
        END IF;
        ids := idgen_migrate.make_ids(times, shard, above, taken, layout);
        EXIT WHEN ids[cardinality(ids)] <= last_id;
        -- The taken ones pushed some past those that were looked at: look twice as far.
        last_id := greatest(ids[cardinality(ids)], least(last_id + (last_id - first_id), idgen_migrate.last_id(clock_timestamp(), layout)));
    END LOOP;
    IF ids[cardinality(ids)] >= idgen_migrate.first_id(clock_timestamp(), layout) THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('too many rows of one time for shard %s: their IDs would reach the present', shard),
            DETAIL = format('The row of %s would get the ID of %s.', times[cardinality(times)], idgen_migrate.time_of_id(ids[cardinality(ids)], layout)),
            HINT = 'Call it again later, or use a layout with more sequence bits.';
    END IF;
    RETURN ids;
END
$$;

-- Fills the batch at a place of the ranking, and enters it. Another session may take one of the IDs, or hold a row: then it
-- looks again.
CREATE FUNCTION idgen_migrate.fill(relation oid, id_column name, place bigint, batch integer, per_page integer, above bigint, shard bigint,
                                   layout id_layout, texts idgen_migrate.backfill_text, path text,
                                   OUT done bigint, OUT rows integer, OUT last_id bigint, OUT last_time timestamptz)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
    first_tid tid := format('(%s,%s)', place / per_page, place % per_page + 1);
    end_tid tid := format('(%s,%s)', (place + batch) / per_page, (place + batch) % per_page + 1);
    low tid;
    high tid;
    times timestamptz[];
    ids bigint[];
    filled bigint;
    moved bigint := 0;
BEGIN
    PERFORM idgen_migrate.hold(relation, texts.target);
    FOR attempt IN 1 .. 10 LOOP
        BEGIN
            SELECT array_agg(q.at), min(q.tid), max(q.tid) INTO times, low, high FROM pg_temp.idgen_queue q WHERE q.ctid >= first_tid AND q.ctid < end_tid;
            ids := CASE WHEN texts.at IS NULL THEN idgen_migrate.new_ids(cardinality(times), shard, layout)
                        ELSE idgen_migrate.free_ids(texts.taken_text, times, above, shard, layout) END;
            rows := cardinality(ids);
            last_id := ids[rows];
            last_time := times[rows];
            end_tid := format('(%s,%s)', (place + rows) / per_page, (place + rows) % per_page + 1);
            PERFORM pg_catalog.set_config('search_path', path, true);
            EXECUTE texts.update_text USING ids, first_tid, end_tid, low, high;
            GET DIAGNOSTICS filled = ROW_COUNT;
            @PIN@
            IF filled < rows AND texts.moved_text IS NOT NULL THEN
                PERFORM set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true);
                PERFORM pg_catalog.set_config('search_path', path, true);
                EXECUTE texts.moved_text USING ids, first_tid, end_tid;
                GET DIAGNOSTICS moved = ROW_COUNT;
                @PIN@
            END IF;
            done := idgen_migrate.record(relation, id_column, filled + moved, last_id, last_time, NULL);
            RETURN;
        EXCEPTION WHEN unique_violation OR deadlock_detected THEN
            IF attempt = 10 THEN
                RAISE;
            END IF;
        END;
    END LOOP;
END
$$;

-- A pass begins: ranks the rows without an ID, of the time that the condition names, and says how the ranking lies.
CREATE FUNCTION idgen_migrate.rank(relation oid, id_column name, time_column name, shard bigint, batch integer, layout id_layout, until timestamptz,
                                   rank_text text, last_id bigint, last_time timestamptz, OUT ranked bigint, OUT per_page integer, OUT done bigint)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
    IF to_regclass('pg_temp.idgen_queue') IS NOT NULL THEN
        DROP TABLE pg_temp.idgen_queue;
    END IF;
    PERFORM set_config('work_mem', current_setting('maintenance_work_mem'), true);
    PERFORM idgen_migrate.hold(relation, idgen_migrate.name_of(relation));
    EXECUTE rank_text USING until, last_time;
    GET DIAGNOSTICS ranked = ROW_COUNT;
    per_page := idgen_migrate.rows_per_page(relation, id_column, time_column, shard, batch, layout, until, ranked);
    done := idgen_migrate.record(relation, id_column, 0, last_id, last_time, ranked);
END
$$;

-- How many passes one after the other have filled no row, this one included; null if no row is left. An error if there is no end.
CREATE FUNCTION idgen_migrate.idle_passes(relation oid, exists_text text, until timestamptz, idle integer, has_filled boolean) RETURNS integer
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    is_left boolean;
BEGIN
    EXECUTE exists_text INTO is_left USING until;
    IF is_left AND NOT has_filled AND idle >= 9 THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('rows of %s stay without an ID', idgen_migrate.name_of(relation)),
            DETAIL = 'Each pass finds rows that it cannot fill: a trigger keeps them as they are, or sessions change them.', HINT = 'Disable the trigger, and call it again.';
    END IF;
    RETURN CASE WHEN NOT is_left THEN NULL WHEN has_filled THEN 0 ELSE coalesce(idle, 0) + 1 END;
END
$$;

CREATE PROCEDURE idgen_migrate.backfill(relation regclass, id_column name, time_column name, shard bigint,
                                        tie_column name DEFAULT NULL, batch integer DEFAULT 10000, pause interval DEFAULT '0',
                                        notice interval DEFAULT '10 seconds', layout id_layout DEFAULT 'instagram',
                                        triggers_path text DEFAULT pg_catalog.current_setting('search_path'))
LANGUAGE plpgsql AS $$
DECLARE
    until timestamptz;
    noticed timestamptz;
    job record;
    texts idgen_migrate.backfill_text;
    pass record;
    part record;
    place bigint;
    idle integer;
BEGIN
    @PIN@
    CALL idgen_migrate.refuse_block();
    until := clock_timestamp();
    noticed := until;
    SELECT * INTO job FROM idgen_migrate.begin_backfill(relation, id_column, time_column, shard, tie_column, batch, layout);
    SELECT * INTO texts FROM idgen_migrate.backfill_texts(relation, id_column, time_column, tie_column);
    @COMMIT@
    FOR number IN 1 .. 1000 LOOP
        -- Pass 1 goes on where an earlier call stopped; the next ones find what came in between.
        SELECT * INTO pass FROM idgen_migrate.rank(relation, id_column, time_column, shard, batch, layout, until, texts.rank_head || CASE
            WHEN time_column IS NULL THEN 'true'
            WHEN number > 1 THEN texts.at || ' <= $1'
            WHEN job.last_time IS NOT NULL THEN format('(%s < $2) IS NOT TRUE', texts.at)
            ELSE 'true' END || texts.rank_tail, job.last_id, job.last_time);
        @COMMIT@
        SELECT pass.done AS done, CASE WHEN number = 1 THEN coalesce(job.last_id, 0) ELSE 0 END AS last_id INTO part;
        place := 0;
        WHILE place < pass.ranked LOOP
            SELECT * INTO part FROM idgen_migrate.fill(relation, id_column, place, batch, pass.per_page, part.last_id, shard, layout,
                                                       texts, triggers_path);
            @COMMIT@
            place := place + part.rows;
            IF clock_timestamp() >= noticed + notice THEN
                RAISE NOTICE '%.%: % of about % rows have an ID', idgen_migrate.name_of(relation), quote_ident(id_column), part.done, pass.done + pass.ranked;
                noticed := clock_timestamp();
            END IF;
            PERFORM pg_sleep_for(pause);
        END LOOP;
        idle := idgen_migrate.idle_passes(relation, texts.exists_text, until, idle, part.done > pass.done);
        EXIT WHEN idle IS NULL;
        @COMMIT@
    END LOOP;
    DROP TABLE pg_temp.idgen_queue;
    PERFORM idgen_migrate.leave(relation, id_column, 'done');
    RAISE NOTICE '%.%: rows that have got an ID: %', idgen_migrate.name_of(relation), quote_ident(id_column), part.done;
END
$$;

COMMENT ON FUNCTION idgen_migrate.moved_key(oid, name) IS 'the key by which a row is found that has moved';
COMMENT ON FUNCTION idgen_migrate.backfill_texts(oid, name, name, name) IS 'the statements of a backfill';
COMMENT ON FUNCTION idgen_migrate.begin_backfill(oid, name, name, bigint, name, integer, id_layout) IS 'checks a backfill and enters it';
COMMENT ON FUNCTION idgen_migrate.rows_per_page(oid, name, name, bigint, integer, id_layout, timestamptz, bigint) IS 'how a ranking lies';
COMMENT ON FUNCTION idgen_migrate.free_ids(text, timestamptz[], bigint, bigint, id_layout) IS 'IDs of times that a column does not hold';
COMMENT ON FUNCTION idgen_migrate.fill(oid, name, bigint, integer, integer, bigint, bigint, id_layout, idgen_migrate.backfill_text, text) IS 'fills a batch and enters it';
COMMENT ON FUNCTION idgen_migrate.rank(oid, name, name, bigint, integer, id_layout, timestamptz, text, bigint, timestamptz) IS 'ranks the rows of a pass';
COMMENT ON FUNCTION idgen_migrate.idle_passes(oid, text, timestamptz, integer, boolean) IS 'how many passes have filled no row';
COMMENT ON PROCEDURE idgen_migrate.backfill(regclass, name, name, bigint, name, integer, interval, interval, id_layout, text) IS
    'gives the rows of relation without an ID one in id_column, of shard and layout, with the time of time_column, in the order of tie_column within one time; in transactions of batch rows, a pause after each, a notice of how far it is as often, triggers with triggers_path as search_path; called again it goes on';
