-- Counters: small numbers that rise, given in ranges. A range is one addition, which is durable when the answer comes; what is not used of it is a
-- gap. No number is given twice, whatever becomes of the nodes that took it. The same rules stand in C++ in registry/node/rules/counter_row.hpp.

CREATE FUNCTION idgen_registry.report_no_counter(name text) RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'undefined_object', MESSAGE = format('counter "%s" does not exist', name),
        DETAIL = 'This registry has none of that name.',
        HINT = 'SELECT * FROM idgen_registry.counters() lists them; the owner of the registry makes one by idgen_registry.create_counter().';
END
$$;
COMMENT ON FUNCTION idgen_registry.report_no_counter(text) IS 'an error: there is no such counter';

-- Null for a name that the encoding of this database does not have: there is no counter of that name.
CREATE FUNCTION idgen_registry.name_of(utf8 bytea) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN convert_from(utf8, 'UTF8');
EXCEPTION WHEN untranslatable_character OR character_not_in_repertoire THEN
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION idgen_registry.name_of(bytea) IS 'the name of a counter, of its bytes in UTF-8';

-- Locks a counter, and the registry against advance() as every call does.
CREATE FUNCTION idgen_registry.lock_counter(name text) RETURNS idgen_registry.counter
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    locked idgen_registry.counter;
BEGIN
    PERFORM idgen_registry.demand(lock_counter.name IS NOT NULL, 'the name of a counter must not be null', 'It is null.');
    PERFORM idgen_registry.refuse_controls(lock_counter.name);
    PERFORM idgen_registry.begin_write();
    PERFORM idgen_registry.refuse_copy((SELECT r.home FROM idgen_registry.registry r FOR KEY SHARE));
    SELECT * INTO locked FROM idgen_registry.counter c WHERE c.name = lock_counter.name AND NOT c.dropped FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM idgen_registry.report_no_counter(lock_counter.name);
    END IF;
    RETURN locked;
END
$$;
COMMENT ON FUNCTION idgen_registry.lock_counter(text) IS 'the row of a counter, locked';

CREATE FUNCTION idgen_registry.check_left(counter idgen_registry.counter, n bigint) RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF counter.awaits_advance THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('counter "%s" gives no numbers until advance_counter() is called', counter.name),
            DETAIL = format('The registry was put back to a state in which the last number was %s: later ones may have been given since.', counter.last),
            HINT = format('Let the owner of the registry name a number above every one that was used: SELECT idgen_registry.advance_counter(%L, ...).', counter.name);
    ELSIF n > counter.max_block THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('a range of counter "%s" has at most %s numbers', counter.name, counter.max_block),
            DETAIL = format('Asked for: %s.', n),
            HINT = 'Ask for it in parts. The owner of the registry sets the limit, with idgen_registry.set_counter_block().';
    ELSIF counter.largest - counter.last < n THEN
        RAISE EXCEPTION USING ERRCODE = 'sequence_generator_limit_exceeded', MESSAGE = format('counter "%s" does not have that many numbers left', counter.name),
            DETAIL = format('Asked for: %s. Left, up to %s: %s.', n, counter.largest, counter.largest - counter.last),
            HINT = 'Ask for fewer. Where it has come to its end: a counter of another name, or idgen_registry.set_counter_max().';
    END IF;
END
$$;
COMMENT ON FUNCTION idgen_registry.check_left(idgen_registry.counter, bigint) IS 'an error if a counter cannot give that many numbers';

-- The two halves of next_range(), with the rights of the owner. A rollback would give the same numbers again, so the first half tells none: the second
-- one does, in a later transaction, which sees only what was committed. If that is rolled back, whoever has the key can be told them again.
-- Bounds what a role takes and is never told. A range that is removed is a gap: nobody else is given it.
CREATE FUNCTION idgen_registry.check_untold(taker name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    most integer := 1000;
BEGIN
    FOR try IN 1 .. 2 LOOP
        IF (SELECT count(*) FROM (SELECT FROM idgen_registry.taken t WHERE t.taker = check_untold.taker LIMIT most) AS untold) < most THEN
            RETURN;
        END IF;
        DELETE FROM idgen_registry.taken t WHERE t.taker = check_untold.taker AND t.at < clock_timestamp() - interval '1 day';
    END LOOP;
    RAISE EXCEPTION USING ERRCODE = 'program_limit_exceeded', MESSAGE = format('role "%s" has taken %s ranges that it has not been told', taker, most),
        DETAIL = 'Each is kept until taken_range() tells it, or for a day.', HINT = 'CALL idgen_registry.next_range(name, n) takes a range and tells it.';
END
$$;
COMMENT ON FUNCTION idgen_registry.check_untold(name) IS 'an error if a role has taken too many ranges that it has not been told';

CREATE FUNCTION idgen_registry.take_range(name text, n bigint) RETURNS uuid
LANGUAGE plpgsql VOLATILE SECURITY DEFINER PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    counter idgen_registry.counter;
    taken uuid;
BEGIN
    PERFORM idgen_registry.demand(n >= 1, 'a range has at least one number', format('Asked for: %s.', coalesce(n::text, 'null')));
    counter := idgen_registry.lock_counter(take_range.name);
    PERFORM idgen_registry.check_left(counter, n);
    PERFORM idgen_registry.check_untold(session_user);
    UPDATE idgen_registry.counter c SET last = c.last + n, run_start = c.last + n + 1, version_hash = idgen_registry.hash(idgen_registry.random_version())
     WHERE c.name = counter.name;
    INSERT INTO idgen_registry.taken AS t (range) VALUES (int8range(counter.last + 1, counter.last + n, '[]')) RETURNING t.key INTO taken;
    RETURN taken;
END
$$;
COMMENT ON FUNCTION idgen_registry.take_range(text, bigint) IS
    'the first half of next_range(): takes n numbers of the counter name, and gives the key by which taken_range() tells them after a COMMIT';

CREATE FUNCTION idgen_registry.taken_range(key uuid) RETURNS int8range
LANGUAGE plpgsql VOLATILE SECURITY DEFINER PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    taken int8range;
BEGIN
    IF pg_current_xact_id_if_assigned() IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_transaction_state', MESSAGE = 'this transaction has changed something, perhaps taken the range',
            DETAIL = 'A ROLLBACK would give the same numbers again, so they are told only after a COMMIT.', HINT = 'CALL idgen_registry.next_range(name, n);';
    END IF;
    DELETE FROM idgen_registry.taken t WHERE t.key = taken_range.key RETURNING t.range INTO taken;
    PERFORM idgen_registry.demand(taken IS NOT NULL, 'there is no range of that key', 'It was not committed, or told before.');
    RETURN taken;
END
$$;
COMMENT ON FUNCTION idgen_registry.taken_range(uuid) IS
    'the second half of next_range(): the numbers that take_range() took. The key is used up by the COMMIT: after a ROLLBACK it tells the same numbers again';

-- In a transaction block the first COMMIT is an error; said in better words if the block can be recognized.
CREATE PROCEDURE idgen_registry.next_range(name text, n bigint, INOUT range int8range DEFAULT NULL)
LANGUAGE plpgsql AS $$
DECLARE
    taken pg_catalog.uuid;
BEGIN
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    IF now() < statement_timestamp() THEN
        RAISE EXCEPTION USING ERRCODE = 'active_sql_transaction', MESSAGE = 'next_range() cannot be called in a transaction block',
            DETAIL = 'It commits before it answers, since a ROLLBACK would give the same numbers again.',
            HINT = 'Call it by itself, on a connection that commits each statement.';
    END IF;
    COMMIT;
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    taken := idgen_registry.take_range(name, n);
    COMMIT;
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    range := idgen_registry.taken_range(taken);
    -- Nothing depends on this COMMIT.
    PERFORM pg_catalog.set_config('synchronous_commit', 'off', true);
    COMMIT;
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
END
$$;
COMMENT ON PROCEDURE idgen_registry.next_range(text, bigint, int8range) IS
    'the next n numbers of the counter name as a range, at most max_block, durable when it answers; it commits, so it stands in no transaction block';

-- The calls of a node, which keeps numbers in memory. Each is a transaction of its own.

-- Gives `count` numbers, within the bounds of the counter, or the last ones that are left; but at least `least_count`, in one range. They continue those that
-- the same node got before, if nothing has changed since. A counter that another transaction works on is not waited for.
CREATE FUNCTION idgen_registry.fetch_one(name text, count bigint, least_count bigint, since bigint) RETURNS idgen_registry.counter_answer
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    counter idgen_registry.counter;
    said text;
    n bigint;
    new_version bigint := idgen_registry.random_version();
BEGIN
    IF (fetch_one.count >= 0 AND fetch_one.least_count >= 1 AND fetch_one.since IS NOT NULL) IS NOT TRUE THEN
        PERFORM idgen_registry.demand(false, 'a range has at least one number',
            format('Asked for: %s, at least %s.', coalesce(fetch_one.count::text, 'null'), coalesce(fetch_one.least_count::text, 'null')));
    END IF;
    SELECT * INTO counter FROM idgen_registry.counter c WHERE c.name = fetch_one.name FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        said := CASE WHEN EXISTS (SELECT FROM idgen_registry.counter c WHERE c.name = fetch_one.name) THEN 'locked' ELSE 'missing' END;
        RETURN (said, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::idgen_registry.counter_answer;
    END IF;
    said := CASE WHEN counter.dropped THEN 'missing' WHEN counter.awaits_advance THEN 'awaits advance' WHEN fetch_one.least_count > counter.max_block THEN 'too long'
                 WHEN counter.largest - counter.last < fetch_one.least_count THEN 'too few' ELSE 'done' END;
    IF said <> 'done' THEN
        RETURN (said, NULL, NULL, NULL, counter.block, counter.max_block, counter.identity, counter.largest)::idgen_registry.counter_answer;
    END IF;
    n := least(greatest(fetch_one.least_count, least(greatest(fetch_one.count, counter.block), counter.max_block)), counter.largest - counter.last);
    UPDATE idgen_registry.counter c
       SET last = c.last + n, version_hash = idgen_registry.hash(new_version),
           run_start = CASE WHEN fetch_one.since <> 0 AND c.version_hash = idgen_registry.hash(fetch_one.since) THEN c.run_start ELSE c.last + 1 END
     WHERE c.name = counter.name;
    RETURN ('done', counter.last + 1, counter.last + n, new_version, counter.block, counter.max_block, counter.identity, counter.largest)::idgen_registry.counter_answer;
END
$$;
COMMENT ON FUNCTION idgen_registry.fetch_one(text, bigint, bigint, bigint) IS 'numbers of one counter for the memory of a node';

CREATE FUNCTION idgen_registry.size_of(list anyarray) RETURNS integer
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN list = '{}' OR array_ndims(list) = 1 AND array_lower(list, 1) = 1 THEN cardinality(list) END;
END
$$;
COMMENT ON FUNCTION idgen_registry.size_of(anyarray) IS 'how many values a list has; null: it is not a list that is numbered from 1';

CREATE FUNCTION idgen_registry.check_lists(names bytea[], VARIADIC sizes integer[]) RETURNS integer
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    size integer := idgen_registry.size_of(names);
BEGIN
    PERFORM idgen_registry.demand(size <= 1000, 'a call names at most 1000 counters, in a list that is numbered from 1', format('Names: %s.', coalesce(size::text, 'no such list')));
    PERFORM idgen_registry.demand(size = ALL (sizes), 'each list of a call has one value for each counter, numbered from 1',
        format('Names: %s. Values of the other lists: %s.', size, array_to_string(sizes, ', ', 'no such list')));
    RETURN size;
END
$$;
COMMENT ON FUNCTION idgen_registry.check_lists(bytea[], integer[]) IS 'how many counters a call names; an error if they are too many, or its lists are not as long';

CREATE FUNCTION idgen_registry.fetch_ranges(registry uuid, names bytea[], counts bigint[], least_counts bigint[], sinces bigint[])
    RETURNS SETOF idgen_registry.counter_answer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER PARALLEL UNSAFE ROWS 16 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    size integer := idgen_registry.check_lists(names, idgen_registry.size_of(counts), idgen_registry.size_of(least_counts), idgen_registry.size_of(sinces));
BEGIN
    PERFORM idgen_registry.enter(fetch_ranges.registry);
    FOR i IN 1 .. size LOOP
        RETURN NEXT idgen_registry.fetch_one(idgen_registry.name_of(names[i]), counts[i], least_counts[i], sinces[i]);
    END LOOP;
END
$$;
COMMENT ON FUNCTION idgen_registry.fetch_ranges(uuid, bytea[], bigint[], bigint[], bigint[]) IS
    'numbers of counters, whose names are in UTF-8, for the memory of a node; an answer for each, none waits for another. What a lost answer gave is a gap';

CREATE FUNCTION idgen_registry.give_back_one(name text, first bigint, version bigint) RETURNS text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    counter idgen_registry.counter;
BEGIN
    SELECT * INTO counter FROM idgen_registry.counter c WHERE c.name = give_back_one.name FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN CASE WHEN EXISTS (SELECT FROM idgen_registry.counter c WHERE c.name = give_back_one.name) THEN 'locked' ELSE 'missing' END;
    ELSIF counter.dropped THEN
        RETURN 'missing';
    ELSIF counter.awaits_advance THEN
        RETURN 'awaits advance';
    ELSIF (counter.version_hash = idgen_registry.hash(give_back_one.version) AND give_back_one.first BETWEEN counter.run_start AND counter.last) IS NOT TRUE THEN
        RETURN 'refused';
    END IF;
    UPDATE idgen_registry.counter c SET last = give_back_one.first - 1, run_start = give_back_one.first,
        version_hash = idgen_registry.hash(idgen_registry.random_version())
     WHERE c.name = counter.name;
    RETURN 'done';
END
$$;
COMMENT ON FUNCTION idgen_registry.give_back_one(text, bigint, bigint) IS 'takes back numbers of one counter';

CREATE FUNCTION idgen_registry.give_back_ranges(registry uuid, names bytea[], firsts bigint[], versions bigint[]) RETURNS SETOF text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER PARALLEL UNSAFE ROWS 16 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    size integer := idgen_registry.check_lists(names, idgen_registry.size_of(firsts), idgen_registry.size_of(versions));
BEGIN
    PERFORM idgen_registry.enter(give_back_ranges.registry);
    FOR i IN 1 .. size LOOP
        RETURN NEXT idgen_registry.give_back_one(idgen_registry.name_of(names[i]), firsts[i], versions[i]);
    END LOOP;
END
$$;
COMMENT ON FUNCTION idgen_registry.give_back_ranges(uuid, bytea[], bigint[], bigint[]) IS
    'takes back the numbers from `first` on that the last fetch of each counter gave: done if the counter has not changed since, else refused';

CREATE FUNCTION idgen_registry.counters() RETURNS TABLE (name text, next bigint, max bigint, block bigint, max_block bigint, awaits_advance boolean)
LANGUAGE sql VOLATILE SECURITY DEFINER PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET lock_timeout = '200ms' AS $$
    SELECT c.name, CASE WHEN c.last < c.largest THEN c.last + 1 END, c.largest, c.block, c.max_block, c.awaits_advance
      FROM idgen_registry.counter c WHERE NOT c.dropped ORDER BY c.name
$$;
COMMENT ON FUNCTION idgen_registry.counters() IS 'the counters: the next number that each gives, null if none is left; the last there is; how many a node gets at once; awaits_advance: none before advance_counter()';

-- Only for the owner of the registry.

CREATE FUNCTION idgen_registry.check_blocks(block bigint, max_block bigint) RETURNS void
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT idgen_registry.demand(block >= 1 AND max_block >= block AND max_block <= 1000000000, 'a node gets between 1 and 1000000000 numbers at once, and max_block is at least block',
        format('It would get %s to %s.', coalesce(block::text, 'null'), coalesce(max_block::text, 'null')))
$$;
COMMENT ON FUNCTION idgen_registry.check_blocks(bigint, bigint) IS 'an error if a counter cannot have these blocks';

-- Where a counter begins, above all that one of its name gave before.
CREATE FUNCTION idgen_registry.first_number(before idgen_registry.counter, start bigint) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT before.dropped THEN
        RAISE EXCEPTION USING ERRCODE = 'duplicate_object', MESSAGE = format('counter "%s" exists', before.name), DETAIL = 'It goes on where it is.',
            HINT = 'SELECT * FROM idgen_registry.counters() shows it. To begin another one, above its numbers: idgen_registry.drop_counter(), then create_counter().';
    ELSIF before.awaits_advance AND start IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('where counter "%s" may begin is not known', before.name),
            DETAIL = 'The registry was put back to an older state, and may not know all that one of that name gave.',
            HINT = format('Name a number above every one that was used; 1, if there never was one of that name: SELECT idgen_registry.create_counter(%L, 1).', before.name);
    ELSIF start BETWEEN 0 AND before.last THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('counter "%s" begins above the numbers that one of that name gave', before.name),
            DETAIL = format('It gave numbers up to %s before it was dropped, and servers may still hold some.', before.last),
            HINT = format('Give a start above %s. If numbers may come again: SELECT idgen_registry.drop_counter(%L, forget => true), then create it.',
                before.last, before.name);
    END IF;
    RETURN coalesce(start, greatest(before.last + 1, 1));
END
$$;
COMMENT ON FUNCTION idgen_registry.first_number(idgen_registry.counter, bigint) IS 'the first number of a counter that is made; an error if it cannot be';

CREATE FUNCTION idgen_registry.create_counter(name text, start bigint DEFAULT NULL, block bigint DEFAULT 10, max bigint DEFAULT 9223372036854775806,
    max_block bigint DEFAULT 100000) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    before idgen_registry.counter;
    first bigint;
BEGIN
    PERFORM idgen_registry.demand(octet_length(convert_to(create_counter.name, 'UTF8')) BETWEEN 1 AND 63, 'the name of a counter has 1 to 63 bytes in UTF-8',
        format('It is %s.', coalesce(quote_literal(left(create_counter.name, 64)), 'null')));
    PERFORM idgen_registry.refuse_controls(create_counter.name);
    PERFORM idgen_registry.check_blocks(block, max_block);
    PERFORM idgen_registry.begin_write();
    INSERT INTO idgen_registry.registry (home) VALUES (idgen_registry.here()) ON CONFLICT DO NOTHING;
    PERFORM idgen_registry.refuse_copy((SELECT r.home FROM idgen_registry.registry r FOR KEY SHARE));
    INSERT INTO idgen_registry.counter (name, last, largest, run_start, block, max_block, dropped, awaits_advance)
    SELECT create_counter.name, -1, -1, 0, 1, 1, true, r.was_advanced FROM idgen_registry.registry r ON CONFLICT DO NOTHING;
    SELECT * INTO before FROM idgen_registry.counter c WHERE c.name = create_counter.name FOR UPDATE;
    first := idgen_registry.first_number(before, start);
    PERFORM idgen_registry.demand(first >= 0 AND max >= first AND max < 9223372036854775807, 'the numbers of a counter lie between 0 and 9223372036854775806',
        format('It would go from %s to %s.', first, coalesce(max::text, 'null')));
    UPDATE idgen_registry.counter c
       SET identity = idgen_registry.random_version(), last = first - 1, largest = max, run_start = first, version_hash = idgen_registry.hash(idgen_registry.random_version()),
           block = create_counter.block, max_block = create_counter.max_block, awaits_advance = false, dropped = false
     WHERE c.name = create_counter.name;
END
$$;
COMMENT ON FUNCTION idgen_registry.create_counter(text, bigint, bigint, bigint, bigint) IS
    'a new counter, which gives the numbers from start to max; without start from 1, or from above those of a dropped one of that name. block and max_block bound how many a call takes';

CREATE FUNCTION idgen_registry.drop_counter(name text, forget boolean DEFAULT false) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM idgen_registry.begin_write();
    IF drop_counter.forget THEN
        DELETE FROM idgen_registry.counter c WHERE c.name = drop_counter.name;
    ELSE
        UPDATE idgen_registry.counter c SET dropped = true, version_hash = idgen_registry.hash(idgen_registry.random_version())
         WHERE c.name = drop_counter.name AND NOT c.dropped;
    END IF;
    IF NOT FOUND THEN
        PERFORM idgen_registry.report_no_counter(drop_counter.name);
    END IF;
END
$$;
COMMENT ON FUNCTION idgen_registry.drop_counter(text, boolean) IS
    'takes a counter away; what it gave is remembered, so that another one of that name begins above. forget: it is not, and numbers can come again';

CREATE FUNCTION idgen_registry.set_counter_max(name text, max bigint) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    counter idgen_registry.counter := idgen_registry.lock_counter(set_counter_max.name);
BEGIN
    PERFORM idgen_registry.demand(set_counter_max.max >= counter.last AND max < 9223372036854775807,
        format('counter "%s" ends between %s, which is given, and 9223372036854775806', counter.name, counter.last), format('It would end at %s.', coalesce(max::text, 'null')));
    UPDATE idgen_registry.counter c SET largest = max WHERE c.name = counter.name;
END
$$;
COMMENT ON FUNCTION idgen_registry.set_counter_max(text, bigint) IS
    'max, the last number that the counter name gives, not below what it gave';

CREATE FUNCTION idgen_registry.set_counter_block(name text, block bigint, max_block bigint) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    counter idgen_registry.counter := idgen_registry.lock_counter(set_counter_block.name);
BEGIN
    PERFORM idgen_registry.check_blocks(set_counter_block.block, set_counter_block.max_block);
    UPDATE idgen_registry.counter c SET block = set_counter_block.block, max_block = set_counter_block.max_block WHERE c.name = counter.name;
END
$$;
COMMENT ON FUNCTION idgen_registry.set_counter_block(text, bigint, bigint) IS
    'how many numbers of the counter name a node gets at once, at least block and at most max_block, 1 to 1000000000: its blocks grow and shrink with its use';

CREATE FUNCTION idgen_registry.advance_counter(name text, next bigint) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    counter idgen_registry.counter := idgen_registry.lock_counter(advance_counter.name);
BEGIN
    PERFORM idgen_registry.demand(next BETWEEN counter.last + 1 AND counter.largest + 1,
        format('counter "%s" goes on between %s and %s', counter.name, counter.last + 1, counter.largest + 1), format('It would go on at %s.', coalesce(next::text, 'null')));
    UPDATE idgen_registry.counter c SET last = next - 1, run_start = next, version_hash = idgen_registry.hash(idgen_registry.random_version()), awaits_advance = false
     WHERE c.name = counter.name;
END
$$;
COMMENT ON FUNCTION idgen_registry.advance_counter(text, bigint) IS
    'the counter name goes on at next: above every number of it that was used, which is to be said after advance()';

-- Numbers know nothing of time, so only the owner can say how far they had come.
CREATE FUNCTION idgen_registry.stop_counters() RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    names text;
BEGIN
    WITH stopped AS (UPDATE idgen_registry.counter c SET awaits_advance = true RETURNING c.name, c.dropped)
    SELECT string_agg(quote_literal(stopped.name), ', ' ORDER BY stopped.name) INTO names FROM stopped WHERE NOT stopped.dropped;
    IF names IS NOT NULL THEN
        RAISE NOTICE USING MESSAGE = format('the counters %s give no numbers until advance_counter() is called', names),
            DETAIL = 'Later numbers may have been given than this registry knows.',
            HINT = 'For each of them, with a number above every one that was used: SELECT idgen_registry.advance_counter(name, next).';
    END IF;
END
$$;
COMMENT ON FUNCTION idgen_registry.stop_counters() IS 'what advance() does to counters';
