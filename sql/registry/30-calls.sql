-- The calls of a node, each one conditional update; a node that got no answer sends the identical call again, and gets what it would have
-- got. Every node keeps its incarnation in its database and its life in its memory; neither is shown to anybody.

CREATE FUNCTION idgen_registry.identity() RETURNS uuid
LANGUAGE plpgsql VOLATILE SECURITY DEFINER PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    terms idgen_registry.registry;
BEGIN
    PERFORM idgen_registry.begin_write();
    INSERT INTO idgen_registry.registry (home) VALUES (idgen_registry.here()) ON CONFLICT DO NOTHING;
    SELECT * INTO terms FROM idgen_registry.registry;
    PERFORM idgen_registry.refuse_copy(terms.home);
    RETURN terms.identity;
END
$$;
COMMENT ON FUNCTION idgen_registry.identity() IS 'what a node remembers the registry by';

-- Granted where nobody holds the number, the lease is past, or its owner has one of the two incarnations (0: none). The horizon in the
-- answer is where IDs may begin.
CREATE FUNCTION idgen_registry.claim(registry uuid, number integer, accepted bigint, proposed bigint, life bigint, ttl_ms bigint,
    name text, system_identifier bigint, timeline integer) RETURNS idgen_registry.answer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    terms idgen_registry.registry := idgen_registry.enter(claim.registry);
BEGIN
    PERFORM idgen_registry.check_call(claim.number, claim.proposed, claim.life, claim.ttl_ms);
    PERFORM idgen_registry.demand(claim.accepted IS NOT NULL, 'the accepted incarnation must not be null', 'It is 0 where there is none.');
    PERFORM idgen_registry.demand(length(claim.name) <= 128, 'a name must have at most 128 characters', format('It is %L.', left(claim.name, 128)));
    PERFORM idgen_registry.demand(claim.system_identifier IS NOT NULL AND claim.timeline IS NOT NULL,
        'system identifier and timeline must not be null', 'They say whose number it is.');
    INSERT INTO idgen_registry.lease AS l (number, incarnation, life, horizon_ms, claimed_ms, lease_end, name, system_identifier, timeline, since)
    VALUES (claim.number, claim.proposed, claim.life, terms.floor_ms, terms.floor_ms, idgen_registry.lease_end(claim.ttl_ms),
            claim.name, claim.system_identifier, claim.timeline, clock_timestamp())
    ON CONFLICT ON CONSTRAINT lease_pkey DO UPDATE
       SET incarnation = EXCLUDED.incarnation, life = EXCLUDED.life, claimed_ms = l.horizon_ms, lease_end = idgen_registry.lease_end(claim.ttl_ms),
           name = EXCLUDED.name, system_identifier = EXCLUDED.system_identifier, timeline = EXCLUDED.timeline,
           since = CASE WHEN l.incarnation IN (claim.accepted, claim.proposed) THEN l.since ELSE clock_timestamp() END
     WHERE l.incarnation IS NULL OR l.lease_end <= clock_timestamp() OR l.incarnation IN (claim.accepted, claim.proposed);
    RETURN idgen_registry.answer_of(claim.number, CASE WHEN FOUND THEN 'granted' ELSE 'refused' END);
END
$$;
COMMENT ON FUNCTION idgen_registry.claim(uuid, integer, bigint, bigint, bigint, bigint, text, bigint, integer) IS
    'a number for a node, for the time of a lease';

-- Granted where incarnation and life are the owner's and the horizon is `from_ms`; or already `to_ms`, by the same call: a claim that came late, and
-- twice, would have found it there. Refused: the number is lost. Too far: the horizon would lie further ahead of the registry's clock than it
-- may; nothing has changed.
CREATE FUNCTION idgen_registry.extend(registry uuid, number integer, incarnation bigint, life bigint, from_ms bigint, to_ms bigint,
    ttl_ms bigint) RETURNS idgen_registry.answer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    terms idgen_registry.registry := idgen_registry.enter(extend.registry);
    limit_ms bigint;
BEGIN
    PERFORM idgen_registry.check_call(extend.number, extend.incarnation, extend.life, extend.ttl_ms);
    PERFORM idgen_registry.demand(extend.from_ms <= extend.to_ms, 'a horizon is not extended downwards', format('From %s to %s.', extend.from_ms, extend.to_ms));
    UPDATE idgen_registry.lease l SET horizon_ms = extend.to_ms, lease_end = idgen_registry.lease_end(extend.ttl_ms)
     WHERE l.number = extend.number AND l.incarnation = extend.incarnation AND l.life = extend.life
       AND (l.horizon_ms = extend.to_ms AND l.claimed_ms <= extend.from_ms
            OR l.horizon_ms = extend.from_ms AND extend.to_ms <= idgen_registry.clock_ms() + extract(epoch FROM terms.max_ahead) * 1000);
    IF FOUND THEN
        RETURN idgen_registry.answer_of(extend.number, 'granted');
    END IF;
    RETURN idgen_registry.answer_of(extend.number, CASE WHEN EXISTS (
        SELECT FROM idgen_registry.lease l WHERE l.number = extend.number AND l.incarnation = extend.incarnation AND l.life = extend.life
           AND l.horizon_ms = extend.from_ms) THEN 'too far' ELSE 'refused' END);
END
$$;
COMMENT ON FUNCTION idgen_registry.extend(uuid, integer, bigint, bigint, bigint, bigint, bigint) IS
    'more time for the IDs of a number that the node holds, and for its lease';

-- Granted as an extension is. The owner keeps the number until its lease ends, so that a restart finds it again.
CREATE FUNCTION idgen_registry.stop(registry uuid, number integer, incarnation bigint, life bigint, from_ms bigint, to_ms bigint)
    RETURNS idgen_registry.answer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM idgen_registry.enter(stop.registry);
    PERFORM idgen_registry.check_call(stop.number, stop.incarnation, stop.life, 0);
    PERFORM idgen_registry.demand(stop.to_ms <= stop.from_ms, 'a horizon is not lowered upwards', format('From %s to %s.', stop.from_ms, stop.to_ms));
    UPDATE idgen_registry.lease l SET horizon_ms = greatest(stop.to_ms, l.claimed_ms)
     WHERE l.number = stop.number AND l.incarnation = stop.incarnation AND l.life = stop.life
       AND l.horizon_ms IN (stop.from_ms, greatest(stop.to_ms, l.claimed_ms));
    RETURN idgen_registry.answer_of(stop.number, CASE WHEN FOUND THEN 'granted' ELSE 'refused' END);
END
$$;
COMMENT ON FUNCTION idgen_registry.stop(uuid, integer, bigint, bigint, bigint, bigint) IS
    'a node makes no more IDs with a number: its horizon is lowered to what can have been used';

CREATE FUNCTION idgen_registry.check_call(number integer, incarnation bigint, life bigint, ttl_ms bigint) RETURNS void
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT idgen_registry.demand(number >= 0, 'a number must be at least 0', format('It is %s.', coalesce(number::text, 'null')));
    SELECT idgen_registry.demand(incarnation <> 0, 'an incarnation must not be null or 0', 'It is a random number of 64 bits.');
    SELECT idgen_registry.demand(life IS NOT NULL, 'a life must not be null', 'It is a random number of 64 bits.');
    SELECT idgen_registry.demand(ttl_ms BETWEEN 0 AND 31536000000, 'a lease must last from 0 ms (for ever) to a year',
                                 format('It is %s ms.', coalesce(ttl_ms::text, 'null')));
$$;
COMMENT ON FUNCTION idgen_registry.check_call(integer, bigint, bigint, bigint) IS 'an error where an argument that calls share is wrong';

CREATE FUNCTION idgen_registry.list()
    RETURNS TABLE (number integer, name text, system_identifier bigint, timeline integer, since timestamptz, is_free boolean,
                   lease_left interval, horizon timestamptz)
LANGUAGE sql VOLATILE SECURITY DEFINER PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT l.number, l.name, l.system_identifier, l.timeline, l.since, l.incarnation IS NULL OR coalesce(l.lease_end <= clock_timestamp(), false),
           idgen_registry.lease_left(l.lease_end), 'epoch'::timestamptz + l.horizon_ms * interval '1 ms'
      FROM idgen_registry.lease l ORDER BY l.number
$$;
COMMENT ON FUNCTION idgen_registry.list() IS 'every number that was ever held: its last owner, and whether it is free';

CREATE FUNCTION idgen_registry.list_floor() RETURNS timestamptz
LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT 'epoch'::timestamptz + coalesce((SELECT r.floor_ms FROM idgen_registry.registry r), 0) * interval '1 ms'
$$;
COMMENT ON FUNCTION idgen_registry.list_floor() IS 'the horizon of every number that list() does not know';

CREATE FUNCTION idgen_registry.release(number integer) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM idgen_registry.begin_write();
    PERFORM idgen_registry.demand(release.number >= 0, 'a number must be at least 0', format('It is %s.', coalesce(release.number::text, 'null')));
    UPDATE idgen_registry.lease l SET incarnation = NULL, life = NULL, lease_end = least(l.lease_end, clock_timestamp())
     WHERE l.number = release.number AND l.incarnation IS NOT NULL;
    RETURN FOUND;
END
$$;
COMMENT ON FUNCTION idgen_registry.release(integer) IS 'takes a number from its owner at once; true where it had one. The owner learns it at its next extension, and no ID is made twice';
