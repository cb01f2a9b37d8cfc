-- Counters: small numbers that rise, given in ranges. A range is one addition, which is durable when the answer comes; what is not used of it is a
-- gap. No number is given twice, whatever becomes of the nodes that took it. The same rules stand in C++ in src/core/lease/counter_row.hpp.

CREATE FUNCTION idgen_registry.random_version() RETURNS bigint
LANGUAGE sql VOLATILE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT ('x' || left(replace(gen_random_uuid()::text, '-', ''), 16))::bit(64)::bigint
$$;
COMMENT ON FUNCTION idgen_registry.random_version() IS 'a version of a counter: one of a state that was put back never comes again';

CREATE TABLE idgen_registry.counter (
    name text PRIMARY KEY CHECK (name <> ''),
    last bigint NOT NULL CHECK (last >= -1),
    largest bigint NOT NULL CHECK (largest BETWEEN last AND 9223372036854775806),
    run_start bigint NOT NULL CHECK (run_start <= last + 1),
    version_hash bytea NOT NULL DEFAULT idgen_registry.hash(idgen_registry.random_version()),
    block bigint NOT NULL CHECK (block >= 1),
    max_block bigint NOT NULL CHECK (max_block >= block),
    awaits_advance boolean NOT NULL DEFAULT false
);
COMMENT ON TABLE idgen_registry.counter IS 'counters, and how far each has come';
COMMENT ON COLUMN idgen_registry.counter.last IS 'the last number that was given; one less than the first if none was';
COMMENT ON COLUMN idgen_registry.counter.largest IS 'the last number that there is';
COMMENT ON COLUMN idgen_registry.counter.run_start IS 'the first of the numbers that may be given back with the version';
COMMENT ON COLUMN idgen_registry.counter.version_hash IS
    'SHA-256 of the version: random, another one after each change, known to the node that fetched last. With it numbers are given back if nothing has changed since';
COMMENT ON COLUMN idgen_registry.counter.block IS 'how many numbers a node gets at once, at least';
COMMENT ON COLUMN idgen_registry.counter.max_block IS 'and at most, for numbers one by one';
COMMENT ON COLUMN idgen_registry.counter.awaits_advance IS 'gives nothing until advance_counter(): the registry was put back to an older state';

CREATE FUNCTION idgen_registry.report_no_counter(name text) RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'undefined_object', MESSAGE = format('counter "%s" does not exist', name),
        DETAIL = 'This registry has none of that name.',
        HINT = 'SELECT * FROM idgen_registry.counters() lists them; the owner of the registry makes one by idgen_registry.create_counter().';
END
$$;
COMMENT ON FUNCTION idgen_registry.report_no_counter(text) IS 'an error: there is no such counter';

-- Locks a counter, and the registry against advance() as every call does.
CREATE FUNCTION idgen_registry.lock_counter(name text) RETURNS idgen_registry.counter
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    locked idgen_registry.counter;
BEGIN
    PERFORM idgen_registry.demand(lock_counter.name IS NOT NULL, 'the name of a counter must not be null', 'It is null.');
    PERFORM idgen_registry.begin_write();
    PERFORM idgen_registry.refuse_copy((SELECT r.home FROM idgen_registry.registry r FOR SHARE));
    SELECT * INTO locked FROM idgen_registry.counter c WHERE c.name = lock_counter.name FOR UPDATE;
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
    ELSIF counter.largest - counter.last < n THEN
        RAISE EXCEPTION USING ERRCODE = 'sequence_generator_limit_exceeded', MESSAGE = format('counter "%s" does not have that many numbers left', counter.name),
            DETAIL = format('Asked for: %s. Left, up to %s: %s.', n, counter.largest, counter.largest - counter.last),
            HINT = 'Ask for fewer. Where it has come to its end: a counter of another name, or idgen_registry.set_counter_max().';
    END IF;
END
$$;
COMMENT ON FUNCTION idgen_registry.check_left(idgen_registry.counter, bigint) IS 'an error if a counter cannot give that many numbers';

-- What next_range() does between its COMMITs, with the rights of the owner. By itself it could be rolled back, and the same numbers be given again.
CREATE FUNCTION idgen_registry.take_range(name text, n bigint) RETURNS int8range
LANGUAGE plpgsql VOLATILE SECURITY DEFINER PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    callers text;
    counter idgen_registry.counter;
BEGIN
    GET DIAGNOSTICS callers = PG_CONTEXT;
    IF strpos(callers, 'next_range(text,bigint,int8range)') = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_transaction_state', MESSAGE = 'take_range() is a part of next_range()',
            DETAIL = 'By itself it could be rolled back, and the same numbers be given again.', HINT = 'CALL idgen_registry.next_range(name, n);';
    END IF;
    PERFORM idgen_registry.demand(n >= 1, 'a range has at least one number', format('Asked for: %s.', coalesce(n::text, 'null')));
    counter := idgen_registry.lock_counter(take_range.name);
    PERFORM idgen_registry.check_left(counter, n);
    UPDATE idgen_registry.counter c SET last = c.last + n, run_start = c.last + n + 1, version_hash = idgen_registry.hash(idgen_registry.random_version())
     WHERE c.name = counter.name;
    RETURN int8range(counter.last + 1, counter.last + n, '[]');
END
$$;
COMMENT ON FUNCTION idgen_registry.take_range(text, bigint) IS 'what next_range() does between its COMMITs';

-- In a transaction block the first COMMIT is an error; said in better words if the block can be recognized.
CREATE PROCEDURE idgen_registry.next_range(name text, n bigint, INOUT range int8range DEFAULT NULL)
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    IF now() < statement_timestamp() THEN
        RAISE EXCEPTION USING ERRCODE = 'active_sql_transaction', MESSAGE = 'next_range() cannot be called in a transaction block',
            DETAIL = 'It commits before it answers, since a ROLLBACK would give the same numbers again.',
            HINT = 'Call it by itself, on a connection that commits each statement.';
    END IF;
    COMMIT;
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    range := idgen_registry.take_range(name, n);
    COMMIT;
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
END
$$;
COMMENT ON PROCEDURE idgen_registry.next_range(text, bigint, int8range) IS
    'the next n numbers of a counter, durable when it answers; it commits, so it stands in no transaction block';

-- The calls of a node, which keeps numbers in memory. Each is a transaction of its own.

CREATE TYPE idgen_registry.counter_answer AS (outcome text, first bigint, last bigint, version bigint, block bigint, max_block bigint);
COMMENT ON TYPE idgen_registry.counter_answer IS 'what a call comes to: done, missing, awaits advance, too few or refused; the numbers, and the version to give them back with';

-- Gives `count` numbers, within the bounds of the counter, or the last ones that are left; but at least `least_count`, in one range. They continue those that
-- the same node got before, if nothing has changed since.
CREATE FUNCTION idgen_registry.fetch_range(registry uuid, name text, count bigint, least_count bigint, since bigint) RETURNS idgen_registry.counter_answer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    counter idgen_registry.counter;
    n bigint;
    new_version bigint := idgen_registry.random_version();
BEGIN
    PERFORM idgen_registry.enter(fetch_range.registry);
    PERFORM idgen_registry.demand(fetch_range.count >= 0 AND fetch_range.least_count >= 1 AND fetch_range.since IS NOT NULL, 'a range has at least one number',
        format('Asked for: %s, at least %s.', coalesce(fetch_range.count::text, 'null'), coalesce(fetch_range.least_count::text, 'null')));
    SELECT * INTO counter FROM idgen_registry.counter c WHERE c.name = fetch_range.name FOR UPDATE;
    IF NOT FOUND THEN
        RETURN ('missing', NULL, NULL, NULL, NULL, NULL)::idgen_registry.counter_answer;
    ELSIF counter.awaits_advance THEN
        RETURN ('awaits advance', NULL, NULL, NULL, counter.block, counter.max_block)::idgen_registry.counter_answer;
    ELSIF counter.largest - counter.last < fetch_range.least_count THEN
        RETURN ('too few', NULL, NULL, NULL, counter.block, counter.max_block)::idgen_registry.counter_answer;
    END IF;
    n := least(greatest(fetch_range.least_count, least(greatest(fetch_range.count, counter.block), counter.max_block)), counter.largest - counter.last);
    UPDATE idgen_registry.counter c
       SET last = c.last + n, version_hash = idgen_registry.hash(new_version),
           run_start = CASE WHEN fetch_range.since <> 0 AND c.version_hash = idgen_registry.hash(fetch_range.since) THEN c.run_start ELSE c.last + 1 END
     WHERE c.name = counter.name;
    RETURN ('done', counter.last + 1, counter.last + n, new_version, counter.block, counter.max_block)::idgen_registry.counter_answer;
END
$$;
COMMENT ON FUNCTION idgen_registry.fetch_range(uuid, text, bigint, bigint, bigint) IS 'numbers of a counter for the memory of a node; what a lost answer gave is a gap';

CREATE FUNCTION idgen_registry.give_back_range(registry uuid, name text, first bigint, version bigint) RETURNS text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    counter idgen_registry.counter;
BEGIN
    PERFORM idgen_registry.enter(give_back_range.registry);
    SELECT * INTO counter FROM idgen_registry.counter c WHERE c.name = give_back_range.name FOR UPDATE;
    IF NOT FOUND THEN
        RETURN 'missing';
    ELSIF counter.awaits_advance THEN
        RETURN 'awaits advance';
    ELSIF (counter.version_hash = idgen_registry.hash(give_back_range.version) AND give_back_range.first BETWEEN counter.run_start AND counter.last) IS NOT TRUE THEN
        RETURN 'refused';
    END IF;
    UPDATE idgen_registry.counter c SET last = give_back_range.first - 1, run_start = give_back_range.first,
        version_hash = idgen_registry.hash(idgen_registry.random_version())
     WHERE c.name = counter.name;
    RETURN 'done';
END
$$;
COMMENT ON FUNCTION idgen_registry.give_back_range(uuid, text, bigint, bigint) IS
    'takes back the numbers from `first` on that the last fetch gave: done if the counter has not changed since, else refused';

CREATE FUNCTION idgen_registry.counters() RETURNS TABLE (name text, next bigint, max bigint, block bigint, max_block bigint, awaits_advance boolean)
LANGUAGE sql VOLATILE SECURITY DEFINER PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT c.name, CASE WHEN c.last < c.largest THEN c.last + 1 END, c.largest, c.block, c.max_block, c.awaits_advance FROM idgen_registry.counter c ORDER BY c.name
$$;
COMMENT ON FUNCTION idgen_registry.counters() IS 'the counters: the next number that each gives, null if none is left; the last there is; how many a node gets at once; awaits_advance: none before advance_counter()';

-- Only for the owner of the registry.

CREATE FUNCTION idgen_registry.check_blocks(block bigint, max_block bigint) RETURNS void
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT idgen_registry.demand(block >= 1 AND max_block >= block AND max_block <= 1000000000, 'a node gets between 1 and 1000000000 numbers at once, and max_block is at least block',
        format('It would get %s to %s.', coalesce(block::text, 'null'), coalesce(max_block::text, 'null')))
$$;
COMMENT ON FUNCTION idgen_registry.check_blocks(bigint, bigint) IS 'an error if a counter cannot have these blocks';

CREATE FUNCTION idgen_registry.create_counter(name text, start bigint DEFAULT 1, block bigint DEFAULT 10, max bigint DEFAULT 9223372036854775806,
    max_block bigint DEFAULT 100000) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM idgen_registry.demand(octet_length(convert_to(create_counter.name, 'UTF8')) BETWEEN 1 AND 63, 'the name of a counter has 1 to 63 bytes in UTF-8',
        format('It is %s.', coalesce(quote_literal(left(create_counter.name, 64)), 'null')));
    PERFORM idgen_registry.demand(start >= 0 AND max >= start AND max < 9223372036854775807, 'the numbers of a counter lie between 0 and 9223372036854775806',
        format('It would go from %s to %s.', coalesce(start::text, 'null'), coalesce(max::text, 'null')));
    PERFORM idgen_registry.check_blocks(block, max_block);
    PERFORM idgen_registry.begin_write();
    INSERT INTO idgen_registry.registry (home) VALUES (idgen_registry.here()) ON CONFLICT DO NOTHING;
    PERFORM idgen_registry.refuse_copy((SELECT r.home FROM idgen_registry.registry r FOR SHARE));
    INSERT INTO idgen_registry.counter (name, last, largest, run_start, block, max_block)
    VALUES (create_counter.name, start - 1, max, start, create_counter.block, create_counter.max_block) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'duplicate_object', MESSAGE = format('counter "%s" exists', create_counter.name), DETAIL = 'It goes on where it is.',
            HINT = 'SELECT * FROM idgen_registry.counters() shows it. To start over: idgen_registry.drop_counter(), then create_counter().';
    END IF;
END
$$;
COMMENT ON FUNCTION idgen_registry.create_counter(text, bigint, bigint, bigint, bigint) IS
    'a new counter, which gives the numbers from start to max; block and max_block bound how many a node holds';

CREATE FUNCTION idgen_registry.drop_counter(name text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM idgen_registry.begin_write();
    DELETE FROM idgen_registry.counter c WHERE c.name = drop_counter.name;
    IF NOT FOUND THEN
        PERFORM idgen_registry.report_no_counter(drop_counter.name);
    END IF;
END
$$;
COMMENT ON FUNCTION idgen_registry.drop_counter(text) IS 'takes a counter away';

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
COMMENT ON FUNCTION idgen_registry.set_counter_max(text, bigint) IS 'the last number that a counter gives';

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
COMMENT ON FUNCTION idgen_registry.set_counter_block(text, bigint, bigint) IS 'how many numbers a node gets at once, at least and at most: its blocks grow and shrink with its use';

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
COMMENT ON FUNCTION idgen_registry.advance_counter(text, bigint) IS 'where a counter goes on: above every number of it that was used, which is to be said after advance()';

-- Numbers know nothing of time, so only the owner can say how far they had come.
CREATE FUNCTION idgen_registry.stop_counters() RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    names text;
BEGIN
    WITH stopped AS (UPDATE idgen_registry.counter c SET awaits_advance = true RETURNING c.name)
    SELECT string_agg(quote_literal(stopped.name), ', ' ORDER BY stopped.name) INTO names FROM stopped;
    IF names IS NOT NULL THEN
        RAISE NOTICE USING MESSAGE = format('the counters %s give no numbers until advance_counter() is called', names),
            DETAIL = 'Later numbers may have been given than this registry knows.',
            HINT = 'For each of them, with a number above every one that was used: SELECT idgen_registry.advance_counter(name, next).';
    END IF;
END
$$;
COMMENT ON FUNCTION idgen_registry.stop_counters() IS 'what advance() does to counters';
