-- The backfill: IDs for rows that have none, from a column of times.
--
-- A pass ranks the rows without an ID once, by time, into a temporary table of (ctid, time), and fills them from its
-- start, a batch and a transaction at a time. A batch fills a row where it still lies there, without an ID and with that
-- time, by an UPDATE of the table alone, in the order of the table; one that a session has moved is found by the primary
-- key, where that is of fixed width, and has its place kept. What came in between is found by the next pass, and takes
-- what is free from its time on. The last ID and time are committed with their batch, so a later call goes on exactly there.

-- The rows of a batch, where they lie, with their times and IDs, for idgen_migrate_find. Also the first and the last of
-- them, where they lie so close that the table is best read from the one to the other; else null.
CREATE FUNCTION idgen_migrate_map(rows tid[], created_at timestamptz[], ids bigint[], OUT map bytea, OUT low tid, OUT high tid)
    AS 'MODULE_PATHNAME', 'idgen_make_row_map' LANGUAGE C IMMUTABLE PARALLEL SAFE;

-- The ID of a row in such a map; null where the row is not in it, or has another time by now. Its cost keeps the planner
-- from asking it of a whole table.
CREATE FUNCTION idgen_migrate_find(map bytea, "row" tid, created_at timestamptz) RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_find_row' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;

-- Checks a backfill and enters it; gives the statements of the procedure, and where an earlier call stopped.
CREATE FUNCTION idgen_migrate_begin_backfill(relation oid, id_column name, time_column name, shard bigint, tie_column name,
                                             batch integer, layout id_layout, OUT label text, OUT at text, OUT rank_text text,
                                             OUT exists_text text, OUT update_text text, OUT missed_text text, OUT last_id bigint,
                                             OUT last_time timestamptz)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text;
    ties text;
    keys text;
    same text;
    find text;
BEGIN
    @SEARCH_OWN_SCHEMA@
    PERFORM idgen_migrate_require('backfill', relation, id_column, time_column, shard, batch, layout,
        CASE WHEN idgen_migrate_time(relation, time_column) LIKE '%to_timestamp%' THEN 'all' ELSE 'fast' END);
    target := idgen_migrate_name(relation);
    at := idgen_migrate_time(relation, time_column);
    IF tie_column IS NOT NULL AND idgen_migrate_column(relation, tie_column) IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'undefined_column', MESSAGE = format('%s has no column %I', target, tie_column),
            DETAIL = 'Rows of one time are ordered by it.', HINT = 'Leave it out to order them by the primary key.';
    END IF;
    SELECT string_agg(format('t.%I', a.attname), ', ' ORDER BY k.place),
           CASE WHEN bool_and(a.attlen > 0) THEN string_agg(format(', t.%I AS k%s', a.attname, k.place), '' ORDER BY k.place) END,
           CASE WHEN bool_and(a.attlen > 0) THEN string_agg(format('t.%I = x.k%s', a.attname, k.place), ' AND ') END
      INTO ties, keys, same
      FROM pg_index i, unnest(i.indkey::int2[]) WITH ORDINALITY k(attnum, place), pg_attribute a
     WHERE i.indrelid = relation AND i.indisprimary AND a.attrelid = relation AND a.attnum = k.attnum AND a.attname <> id_column;
    ties := concat_ws(', ', '2', CASE WHEN at LIKE '%to_timestamp%' THEN format('t.%I', time_column) END,
                      CASE WHEN tie_column IS NOT NULL THEN format('t.%I', tie_column) END, ties, 't.ctid');
    label := format('%s.%I', target, id_column);
    rank_text := format('CREATE TEMPORARY TABLE idgen_queue AS SELECT t.ctid AS tid, %s AS at%s FROM ONLY %s t'
                        ' WHERE t.%I IS NULL AND %%s ORDER BY %s', at, keys, target, id_column, ties);
    exists_text := format('SELECT EXISTS (SELECT FROM ONLY %s t WHERE t.%I IS NULL AND %s <= $1)', target, id_column, at);
    -- Where a session has moved a row, its place in the ranking is found by the key; unless that is given already, to a
    -- row of the same time that has come to lie where the first one lay. What is only checked is written so that no index
    -- serves it: one on the time or the ID would be read anew for each row.
    find := format('%s.idgen_migrate_find($1, t.ctid, %s)', @OWN_SCHEMA@, at);
    update_text := format('UPDATE ONLY %1$s t SET %2$I = %3$s WHERE pg_catalog.num_nulls(t.%2$I) = 1 AND %3$s IS NOT NULL AND ',
                          target, id_column, find);
    missed_text := CASE WHEN same IS NOT NULL THEN format('UPDATE ONLY %1$s t SET %2$I = x.id'
                          ' FROM (SELECT q.*, ($1)[pg_catalog.row_number() OVER ()] AS id'
                          ' FROM pg_temp.idgen_queue q WHERE q.ctid >= $2 AND q.ctid < $3) x WHERE %3$s AND t.%2$I IS NULL'
                          ' AND %4$s IS NOT DISTINCT FROM x.at AND NOT EXISTS (SELECT FROM ONLY %1$s u WHERE u.%2$I = x.id)',
                          target, id_column, same, at) END;
    PERFORM idgen_migrate_enter(relation, id_column, 'backfill', 'ranking');
    SELECT s.last_id, s.last_time INTO last_id, last_time FROM idgen_migration_state s
     WHERE s.relation = $1 AND s.id_column = $2;
END
$$;

-- How a ranking of `total` rows lies: in ascending order of time, in pages of equal numbers of rows; empty ones may follow.
-- Where its first or last time is out of bounds, the error that counts such rows.
CREATE FUNCTION idgen_migrate_ranked(relation oid, id_column name, time_column name, shard bigint, batch integer,
                                     layout id_layout, until timestamptz, total bigint, OUT per_page integer)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    first_at timestamptz;
    last_at timestamptz;
BEGIN
    @SEARCH_OWN_SCHEMA@
    IF total = 0 THEN
        RETURN;
    END IF;
    SELECT count(*) INTO per_page FROM pg_temp.idgen_queue q WHERE q.ctid < '(1,0)';
    SELECT q.at INTO first_at FROM pg_temp.idgen_queue q WHERE q.ctid = '(0,1)';
    SELECT q.at INTO last_at FROM pg_temp.idgen_queue q WHERE q.ctid = format('(%s,%s)', (total - 1) / per_page, (total - 1) % per_page + 1)::tid;
    IF (SELECT first_at >= i.first_time AND last_at <= least(until, i.last_time) FROM id_layout_info(layout) i) IS NOT TRUE THEN
        PERFORM idgen_migrate_require('backfill', relation, id_column, time_column, shard, batch, layout, 'all');
    END IF;
END
$$;

-- A batch of the ranking from a place on, and its IDs: above the last one, and none that the column holds already.
CREATE FUNCTION idgen_migrate_batch(relation oid, id_column name, place bigint, batch integer, per_page integer,
                                    above bigint, shard bigint, layout id_layout,
                                    OUT map bytea, OUT low tid, OUT high tid, OUT tids tid[], OUT ids bigint[], OUT rows integer,
                                    OUT first_tid tid, OUT end_tid tid, OUT last_id bigint, OUT last_time timestamptz)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    times timestamptz[];
    first_id bigint;
    taken bigint[];
    taken_text text;
    seqscan text := current_setting('enable_seqscan');
BEGIN
    @SEARCH_OWN_SCHEMA@
    first_tid := format('(%s,%s)', place / per_page, place % per_page + 1)::tid;
    end_tid := format('(%s,%s)', (place + batch) / per_page, (place + batch) % per_page + 1)::tid;
    SELECT array_agg(q.tid), array_agg(q.at) INTO tids, times FROM pg_temp.idgen_queue q WHERE q.ctid >= first_tid AND q.ctid < end_tid;
    taken_text := format('SELECT coalesce(array_agg(t.%1$I ORDER BY t.%1$I), ''{}'') FROM ONLY %2$s t'
                         ' WHERE t.%1$I >= $1 AND t.%1$I <= $2 AND coalesce(id_shard(t.%1$I, $3), 0) = coalesce($4, 0)',
                         id_column, idgen_migrate_name(relation));
    PERFORM set_config('enable_seqscan', 'off', true);
    ids := id_make_array(times, shard, above, '{}', layout);
    first_id := ids[1];
    last_id := ids[cardinality(ids)];
    LOOP
        EXECUTE taken_text INTO taken USING first_id, last_id, layout, shard;
        EXIT WHEN taken = '{}';
        IF cardinality(taken) > 1000000 AND cardinality(times) > 1 THEN
            -- So many between so few rows: a smaller batch spans less.
            times := times[:(cardinality(times) + 7) / 8];
            tids := tids[:cardinality(times)];
            ids := id_make_array(times, shard, above, '{}', layout);
            last_id := ids[cardinality(ids)];
            CONTINUE;
        END IF;
        ids := id_make_array(times, shard, above, taken, layout);
        EXIT WHEN ids[cardinality(ids)] <= last_id;
        -- The taken ones pushed some past those that were looked at: look twice as far.
        last_id := greatest(ids[cardinality(ids)], least(last_id + (last_id - first_id), id_max(clock_timestamp(), layout)));
    END LOOP;
    rows := cardinality(ids);
    SELECT m.* INTO map, low, high FROM idgen_migrate_map(tids, times, ids) m;
    end_tid := format('(%s,%s)', (place + rows) / per_page, (place + rows) % per_page + 1)::tid;
    last_id := ids[rows];
    last_time := times[rows];
    IF last_id >= id_min(clock_timestamp(), layout) THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('too many rows of one time for shard %s: their IDs would reach the present', shard),
            DETAIL = format('The row of %s would get the ID of %s.', last_time, id_time(last_id, layout)),
            HINT = 'Call it again later, or use a layout with more sequence bits.';
    END IF;
    PERFORM set_config('enable_seqscan', seqscan, true);
END
$$;

-- Fills a batch and enters it. Under the caller's search_path, because triggers fire.
CREATE FUNCTION idgen_migrate_fill(relation oid, id_column name, place bigint, batch integer, per_page integer, above bigint,
                                   shard bigint, layout id_layout, update_text text, missed_text text,
                                   OUT done bigint, OUT rows integer, OUT last_id bigint, OUT last_time timestamptz)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
DECLARE
    home text := @OWN_SCHEMA@;
    part record;
    filled bigint;
    missed bigint;
BEGIN
    FOR attempt IN 1 .. 10 LOOP
        BEGIN
            EXECUTE pg_catalog.format('SELECT * FROM %s.idgen_migrate_batch($1, $2, $3, $4, $5, $6, $7, $8)', home)
               INTO part USING relation, id_column, place, batch, per_page, above, shard, layout;
            IF part.low IS NULL THEN
                EXECUTE update_text || 't.ctid = ANY ($2)' USING part.map, part.tids;
            ELSE
                EXECUTE update_text || 't.ctid BETWEEN $2 AND $3' USING part.map, part.low, part.high;
            END IF;
            GET DIAGNOSTICS filled = ROW_COUNT;
            IF filled < part.rows AND missed_text IS NOT NULL THEN
                PERFORM pg_catalog.set_config('enable_hashjoin', 'off', true);
                PERFORM pg_catalog.set_config('enable_mergejoin', 'off', true);
                EXECUTE missed_text USING part.ids, part.first_tid, part.end_tid;
                GET DIAGNOSTICS missed = ROW_COUNT;
                filled := filled + missed;
            END IF;
            EXECUTE pg_catalog.format('SELECT %s.idgen_migrate_record($1, $2, $3, $4, $5, $6, NULL)', home)
               INTO done USING relation, id_column, 'filling', filled, part.last_id, part.last_time;
            rows := part.rows;
            last_id := part.last_id;
            last_time := part.last_time;
            RETURN;
        EXCEPTION WHEN unique_violation OR deadlock_detected THEN
            -- Another session has just taken one of the IDs, or holds a row: look again.
            IF attempt = 10 THEN
                RAISE;
            END IF;
        END;
    END LOOP;
END
$$;

CREATE PROCEDURE idgen_backfill(relation regclass, id_column name, time_column name, shard bigint,
                                tie_column name DEFAULT NULL, batch integer DEFAULT 10000, pause interval DEFAULT '0',
                                notice interval DEFAULT '10 seconds', layout id_layout DEFAULT 'instagram')
LANGUAGE plpgsql AS $$
DECLARE
    home text := @OWN_SCHEMA@;
    until timestamptz := pg_catalog.clock_timestamp();
    noticed timestamptz := pg_catalog.clock_timestamp();
    job record;
    ranked bigint;
    per_page integer;
    part record;
    place bigint;
    above bigint;
    done bigint;
    estimated bigint;
    is_left boolean;
    pass integer := 0;
BEGIN
    COMMIT;
    EXECUTE pg_catalog.format('SELECT * FROM %s.idgen_migrate_begin_backfill($1, $2, $3, $4, $5, $6, $7)', home)
       INTO job USING relation::oid, id_column, time_column, shard, tie_column, batch, layout;
    COMMIT;
    LOOP
        pass := pass + 1;
        -- Pass 1 goes on where an earlier call stopped; the next ones find what came in between.
        IF pg_catalog.to_regclass('pg_temp.idgen_queue') IS NOT NULL THEN
            DROP TABLE pg_temp.idgen_queue;
        END IF;
        PERFORM pg_catalog.set_config('work_mem', pg_catalog.current_setting('maintenance_work_mem'), true);
        EXECUTE pg_catalog.format(job.rank_text, CASE
            WHEN pass > 1 THEN pg_catalog.format('%s <= %L', job.at, until)
            WHEN job.last_time IS NOT NULL THEN pg_catalog.format('(%s < %L) IS NOT TRUE', job.at, job.last_time)
            ELSE 'true' END);
        GET DIAGNOSTICS ranked = ROW_COUNT;
        EXECUTE pg_catalog.format('SELECT %s.idgen_migrate_ranked($1, $2, $3, $4, $5, $6, $7, $8)', home)
           INTO per_page USING relation::oid, id_column, time_column, shard, batch, layout, until, ranked;
        EXECUTE pg_catalog.format('SELECT %s.idgen_migrate_record($1, $2, $3, 0, $4, $5, $6)', home)
           INTO done USING relation::oid, id_column, 'filling', job.last_id, job.last_time, ranked;
        COMMIT;
        above := CASE WHEN pass = 1 THEN coalesce(job.last_id, 0) ELSE 0 END;
        place := 0;
        estimated := done + ranked;
        WHILE place < ranked LOOP
            EXECUTE pg_catalog.format('SELECT * FROM %s.idgen_migrate_fill($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)', home)
               INTO part USING relation::oid, id_column, place, batch, per_page, above, shard, layout, job.update_text, job.missed_text;
            COMMIT;
            done := part.done;
            above := part.last_id;
            place := place + part.rows;
            IF pg_catalog.clock_timestamp() >= noticed + notice THEN
                RAISE NOTICE '%: % of about % rows have an ID', job.label, done, estimated;
                noticed := pg_catalog.clock_timestamp();
            END IF;
            PERFORM pg_catalog.pg_sleep_for(pause);
        END LOOP;
        EXECUTE job.exists_text INTO is_left USING until;
        EXIT WHEN NOT is_left;
        COMMIT;
    END LOOP;
    DROP TABLE pg_temp.idgen_queue;
    EXECUTE pg_catalog.format('SELECT %s.idgen_migrate_leave($1, $2, %L, NULL)', home, 'done')
      USING relation::oid, id_column;
    COMMIT;
    RAISE NOTICE '%: % rows have got an ID', job.label, done;
END
$$;

COMMENT ON PROCEDURE idgen_backfill(regclass, name, name, bigint, name, integer, interval, interval, id_layout) IS
    'gives the rows without an ID one of their time, in batches that are transactions; called again it goes on';
COMMENT ON FUNCTION idgen_migrate_map(tid[], timestamptz[], bigint[]) IS 'part of the migration: rows of a batch, their times and IDs';
COMMENT ON FUNCTION idgen_migrate_find(bytea, tid, timestamptz) IS 'part of the migration: the ID of a row in such a map';
COMMENT ON FUNCTION idgen_migrate_begin_backfill(oid, name, name, bigint, name, integer, id_layout) IS
    'part of the migration: checks a backfill and enters it';
COMMENT ON FUNCTION idgen_migrate_ranked(oid, name, name, bigint, integer, id_layout, timestamptz, bigint) IS
    'part of the migration: how a ranking lies, and its bounds';
COMMENT ON FUNCTION idgen_migrate_batch(oid, name, bigint, integer, integer, bigint, bigint, id_layout) IS
    'part of the migration: the rows of a batch and their IDs';
COMMENT ON FUNCTION idgen_migrate_fill(oid, name, bigint, integer, integer, bigint, bigint, id_layout, text, text) IS
    'part of the migration: fills a batch and enters it';
