\echo Use "ALTER EXTENSION idgen_registry UPDATE" to load this file. \quit
-- Names have no control characters, ranges that are not told are bounded, and the lists of a call are as long as each other.

SET LOCAL search_path = pg_catalog, pg_temp;

ALTER TABLE idgen_registry.taken ADD taker name NOT NULL DEFAULT session_user;
CREATE INDEX taken_of_taker ON idgen_registry.taken (taker, at);
COMMENT ON TABLE idgen_registry.taken IS 'ranges that were taken and are to be handed out after the COMMIT, at most 1000 of each role';
COMMENT ON COLUMN idgen_registry.taken.taker IS 'the role of the session that took it';

CREATE FUNCTION idgen_registry.refuse_controls(name text) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF encode(convert_to(name, 'UTF8'), 'hex') ~ '^(..)*([01].|7f|c2[89].|e280a[89])' THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = 'a name must not contain control characters',
            DETAIL = format('With "?" for those of ASCII it is "%s".', regexp_replace(left(name, 128), '[\x01-\x1f\x7f]', '?', 'g')),
            HINT = 'Give a name without line breaks and the like.';
    END IF;
END
$$;
COMMENT ON FUNCTION idgen_registry.refuse_controls(text) IS 'an error if a name has a line break or another control character';

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

-- What each call of a node asks for: parsed once, and put into the query that calls it, or planned once in a session.
CREATE OR REPLACE FUNCTION idgen_registry.clock_ms() RETURNS bigint
LANGUAGE sql VOLATILE PARALLEL SAFE RETURN floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
CREATE OR REPLACE FUNCTION idgen_registry.here() RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT format('%s/%s/%s/%s/%s', s.system_identifier, d.oid, c.tableoid, c.xmin, c.id)
              FROM pg_control_system() s, pg_database d, idgen_registry.creation c WHERE d.datname = current_database());
END
$$;
CREATE OR REPLACE FUNCTION idgen_registry.lease_end(ttl_ms bigint) RETURNS timestamptz
LANGUAGE sql VOLATILE PARALLEL SAFE RETURN clock_timestamp() + nullif(ttl_ms, 0) * interval '1 ms';
CREATE OR REPLACE FUNCTION idgen_registry.lease_left(lease_end timestamptz) RETURNS interval
LANGUAGE sql VOLATILE PARALLEL SAFE RETURN CASE WHEN lease_end IS NOT NULL THEN greatest(lease_end - clock_timestamp(), '0') END;
CREATE OR REPLACE FUNCTION idgen_registry.answer_of(number integer, outcome text) RETURNS idgen_registry.answer
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    answer idgen_registry.answer;
BEGIN
    SELECT answer_of.outcome, coalesce(l.horizon_ms, r.floor_ms), ceil(extract(epoch FROM idgen_registry.lease_left(l.lease_end)) * 1000)::bigint,
           l.name, l.system_identifier, idgen_registry.clock_ms(), (extract(epoch FROM r.max_ahead) * 1000)::bigint INTO answer
      FROM idgen_registry.registry r LEFT JOIN idgen_registry.lease l ON l.number = answer_of.number;
    RETURN answer;
END
$$;
CREATE OR REPLACE FUNCTION idgen_registry.hash(secret bigint) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN sha256(int8send(secret));
CREATE OR REPLACE FUNCTION idgen_registry.check_call(number integer, incarnation bigint, life bigint, ttl_ms bigint) RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM idgen_registry.demand(number >= 0, 'a number must be at least 0', format('It is %s.', coalesce(number::text, 'null')));
    PERFORM idgen_registry.demand(incarnation <> 0, 'an incarnation must not be null or 0', 'It is a random number of 64 bits.');
    PERFORM idgen_registry.demand(life IS NOT NULL, 'a life must not be null', 'It is a random number of 64 bits.');
    PERFORM idgen_registry.demand(ttl_ms BETWEEN 0 AND 31536000000, 'a lease must last from 0 ms (for ever) to a year',
                                   format('It is %s ms.', coalesce(ttl_ms::text, 'null')));
END
$$;
CREATE OR REPLACE FUNCTION idgen_registry.shortened(terms idgen_registry.registry, ttl_ms bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN coalesce(least(nullif(ttl_ms, 0), (extract(epoch FROM terms.longest_ttl) * 1000)::bigint), 0);
CREATE OR REPLACE FUNCTION idgen_registry.is_held_by(lease idgen_registry.lease, incarnation bigint, life bigint) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN lease.incarnation_hash = idgen_registry.hash(incarnation) AND lease.life_hash = idgen_registry.hash(life);
CREATE OR REPLACE FUNCTION idgen_registry.random_version() RETURNS bigint
LANGUAGE sql VOLATILE PARALLEL SAFE RETURN ('x' || left(replace(gen_random_uuid()::text, '-', ''), 16))::bit(64)::bigint;

CREATE OR REPLACE FUNCTION idgen_registry.claim(registry uuid, number integer, accepted bigint, proposed bigint, life bigint, ttl_ms bigint,
    name text, system_identifier bigint, timeline integer) RETURNS idgen_registry.answer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    terms idgen_registry.registry := idgen_registry.enter(claim.registry);
BEGIN
    PERFORM idgen_registry.check_call(claim.number, claim.proposed, claim.life, claim.ttl_ms);
    PERFORM idgen_registry.check_limits(terms, claim.number, claim.ttl_ms);
    PERFORM idgen_registry.demand(claim.accepted IS NOT NULL, 'the accepted incarnation must not be null', 'It is 0 if there is none.');
    PERFORM idgen_registry.demand(length(claim.name) <= 128, 'a name must have at most 128 characters', format('It is %L.', left(claim.name, 128)));
    PERFORM idgen_registry.refuse_controls(claim.name);
    PERFORM idgen_registry.demand(claim.system_identifier IS NOT NULL AND claim.timeline IS NOT NULL,
        'system identifier and timeline must not be null', 'They say whose number it is.');
    INSERT INTO idgen_registry.lease AS l (number, incarnation_hash, life_hash, horizon_ms, claimed_ms, lease_end, name, system_identifier, timeline, since)
    VALUES (claim.number, idgen_registry.hash(claim.proposed), idgen_registry.hash(claim.life), terms.floor_ms, terms.floor_ms, idgen_registry.lease_end(claim.ttl_ms),
            claim.name, claim.system_identifier, claim.timeline, clock_timestamp())
    ON CONFLICT ON CONSTRAINT lease_pkey DO UPDATE
       SET incarnation_hash = EXCLUDED.incarnation_hash, life_hash = EXCLUDED.life_hash, claimed_ms = l.horizon_ms,
           lease_end = idgen_registry.lease_end(claim.ttl_ms),
           name = EXCLUDED.name, system_identifier = EXCLUDED.system_identifier, timeline = EXCLUDED.timeline,
           since = CASE WHEN l.incarnation_hash IN (idgen_registry.hash(claim.accepted), EXCLUDED.incarnation_hash) THEN l.since
                        ELSE clock_timestamp() END
     WHERE l.incarnation_hash IS NULL OR l.lease_end <= clock_timestamp()
        OR l.incarnation_hash IN (idgen_registry.hash(claim.accepted), EXCLUDED.incarnation_hash);
    RETURN idgen_registry.answer_of(claim.number, CASE WHEN FOUND THEN 'granted' ELSE 'refused' END);
END
$$;

CREATE OR REPLACE FUNCTION idgen_registry.lock_counter(name text) RETURNS idgen_registry.counter
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

CREATE OR REPLACE FUNCTION idgen_registry.take_range(name text, n bigint) RETURNS uuid
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

CREATE OR REPLACE FUNCTION idgen_registry.taken_range(key uuid) RETURNS int8range
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

CREATE OR REPLACE PROCEDURE idgen_registry.next_range(name text, n bigint, INOUT range int8range DEFAULT NULL)
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

CREATE OR REPLACE FUNCTION idgen_registry.fetch_ranges(registry uuid, names bytea[], counts bigint[], least_counts bigint[], sinces bigint[])
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

CREATE OR REPLACE FUNCTION idgen_registry.give_back_ranges(registry uuid, names bytea[], firsts bigint[], versions bigint[]) RETURNS SETOF text
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

CREATE OR REPLACE FUNCTION idgen_registry.create_counter(name text, start bigint DEFAULT NULL, block bigint DEFAULT 10, max bigint DEFAULT 9223372036854775806,
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

-- Takes back what default privileges gave to any role, and what PUBLIC has.
DO $$
DECLARE
    grant_back text;
BEGIN
    FOR grant_back IN
        SELECT format('REVOKE ALL ON FUNCTION %s FROM %s', p.oid::regprocedure, coalesce(quote_ident(r.rolname), 'PUBLIC'))
          FROM pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a LEFT JOIN pg_roles r ON r.oid = a.grantee
         WHERE p.pronamespace = 'idgen_registry'::regnamespace AND a.grantee <> p.proowner
           AND p.proname IN ('refuse_controls', 'check_untold', 'size_of', 'check_lists')
    LOOP
        EXECUTE grant_back;
    END LOOP;
END
$$;

-- What is said of arguments.
COMMENT ON FUNCTION idgen_registry.set_counter_max(text, bigint) IS
    'max, the last number that the counter name gives, not below what it gave';
COMMENT ON FUNCTION idgen_registry.set_counter_block(text, bigint, bigint) IS
    'how many numbers of the counter name a node gets at once, at least block and at most max_block, 1 to 1000000000: its blocks grow and shrink with its use';
COMMENT ON FUNCTION idgen_registry.advance_counter(text, bigint) IS
    'the counter name goes on at next: above every number of it that was used, which is to be said after advance()';
COMMENT ON FUNCTION idgen_registry.take_range(text, bigint) IS
    'the first half of next_range(): takes n numbers of the counter name, and gives the key by which taken_range() tells them after a COMMIT';
COMMENT ON PROCEDURE idgen_registry.next_range(text, bigint, int8range) IS
    'the next n numbers of the counter name as a range, at most max_block, durable when it answers; it commits, so it stands in no transaction block';
COMMENT ON FUNCTION idgen_registry.forget(interval) IS
    'removes the rows of numbers that no server has held for the time unused_for; gives how many';
COMMENT ON FUNCTION idgen_registry.set_max_ahead(interval) IS
    'max_ahead: how far ahead of the registry''s clock a horizon may be extended, 1 s to 15 min: idgen.lease_window and idgen.max_clock_jump of the nodes together';
COMMENT ON FUNCTION idgen_registry.set_largest_number(integer) IS
    'largest_number: the largest number that nodes may claim, 8191 unless set, as many as the default layout has';
COMMENT ON FUNCTION idgen_registry.set_longest_ttl(interval) IS
    'longest_ttl: the longest lease that nodes may ask for, 5 s to a year; null: no limit';
COMMENT ON FUNCTION idgen_registry.list(integer, integer) IS
    'the numbers from first to last that were ever held: their last owners, and whether they are free';
