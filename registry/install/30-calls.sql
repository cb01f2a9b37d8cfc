-- The calls of a node, each one conditional update; a node that got no answer sends the identical call again, and gets what it would have
-- got. Every node keeps its incarnation in its database and its life in its memory. Only their hashes are stored.

CREATE FUNCTION idgen_registry.identity() RETURNS uuid
LANGUAGE plpgsql VOLATILE SECURITY DEFINER PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    terms idgen_registry.registry;
BEGIN
    PERFORM idgen_registry.begin_write(of_node => true);
    SELECT * INTO terms FROM idgen_registry.registry;
    IF NOT FOUND THEN
        INSERT INTO idgen_registry.registry (home) VALUES (idgen_registry.here()) ON CONFLICT DO NOTHING;
        SELECT * INTO terms FROM idgen_registry.registry;
    END IF;
    PERFORM idgen_registry.refuse_copy(terms.home);
    RETURN terms.identity;
END
$$;
COMMENT ON FUNCTION idgen_registry.identity() IS 'what a node remembers the registry by';

-- Granted if no server holds the shard, the lease is past, or its owner has one of the two incarnations (0: none). The horizon in the
-- answer is where IDs may begin.
CREATE FUNCTION idgen_registry.claim(registry uuid, number integer, accepted bigint, proposed bigint, life bigint, ttl_ms bigint,
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
        'system identifier and timeline must not be null', 'They say whose shard it is.');
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
COMMENT ON FUNCTION idgen_registry.claim(uuid, integer, bigint, bigint, bigint, bigint, text, bigint, integer) IS
    'a shard for a node, for the time of a lease';

-- Granted if incarnation and life are the owner's and the horizon is `from_ms`; or already `to_ms`, by the same call: a claim that came late, and
-- twice, would have found it there. Refused: the shard is lost. Too far: the horizon would lie further ahead of the registry's clock than it
-- may; nothing has changed.
CREATE FUNCTION idgen_registry.extend(registry uuid, number integer, incarnation bigint, life bigint, from_ms bigint, to_ms bigint,
    ttl_ms bigint) RETURNS idgen_registry.answer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    terms idgen_registry.registry := idgen_registry.enter(extend.registry);
BEGIN
    PERFORM idgen_registry.check_call(extend.number, extend.incarnation, extend.life, extend.ttl_ms);
    PERFORM idgen_registry.demand(extend.from_ms <= extend.to_ms, 'a horizon is not extended downwards', format('From %s to %s.', extend.from_ms, extend.to_ms));
    UPDATE idgen_registry.lease l
       SET horizon_ms = extend.to_ms, lease_end = idgen_registry.lease_end(idgen_registry.shortened(terms, extend.ttl_ms))
     WHERE l.number = extend.number AND idgen_registry.is_held_by(l, extend.incarnation, extend.life)
       AND (l.horizon_ms = extend.to_ms AND l.claimed_ms <= extend.from_ms
            OR l.horizon_ms = extend.from_ms AND extend.to_ms <= idgen_registry.clock_ms() + extract(epoch FROM terms.max_ahead) * 1000);
    IF FOUND THEN
        RETURN idgen_registry.answer_of(extend.number, 'granted');
    END IF;
    RETURN idgen_registry.answer_of(extend.number, CASE WHEN EXISTS (
        SELECT FROM idgen_registry.lease l WHERE l.number = extend.number AND l.horizon_ms = extend.from_ms
           AND idgen_registry.is_held_by(l, extend.incarnation, extend.life)) THEN 'too far' ELSE 'refused' END);
END
$$;
COMMENT ON FUNCTION idgen_registry.extend(uuid, integer, bigint, bigint, bigint, bigint, bigint) IS
    'more time for the IDs of a shard that the node holds, and for its lease';

-- Granted if incarnation and life are the owner's and the horizon is `from_ms`. The shard has no owner then: the horizon is what keeps the
-- next owner's IDs apart, so no server has to wait for the end of the lease.
CREATE FUNCTION idgen_registry.stop(registry uuid, number integer, incarnation bigint, life bigint, from_ms bigint, to_ms bigint)
    RETURNS idgen_registry.answer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM idgen_registry.enter(stop.registry);
    PERFORM idgen_registry.check_call(stop.number, stop.incarnation, stop.life, 0);
    PERFORM idgen_registry.demand(stop.to_ms <= stop.from_ms, 'a horizon is not lowered upwards', format('From %s to %s.', stop.from_ms, stop.to_ms));
    UPDATE idgen_registry.lease l
       SET horizon_ms = greatest(stop.to_ms, l.claimed_ms), incarnation_hash = NULL, life_hash = NULL,
           lease_end = least(l.lease_end, clock_timestamp())
     WHERE l.number = stop.number AND idgen_registry.is_held_by(l, stop.incarnation, stop.life) AND l.horizon_ms = stop.from_ms;
    RETURN idgen_registry.answer_of(stop.number, CASE WHEN FOUND THEN 'granted' ELSE 'refused' END);
END
$$;
COMMENT ON FUNCTION idgen_registry.stop(uuid, integer, bigint, bigint, bigint, bigint) IS
    'gives a shard up: its horizon is lowered to what can have been used, and any node may claim it';

CREATE FUNCTION idgen_registry.check_call(number integer, incarnation bigint, life bigint, ttl_ms bigint) RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM idgen_registry.demand(number >= 0, 'a shard must be at least 0', format('It is %s.', coalesce(number::text, 'null')));
    PERFORM idgen_registry.demand(incarnation <> 0, 'an incarnation must not be null or 0', 'It is a random number of 64 bits.');
    PERFORM idgen_registry.demand(life IS NOT NULL, 'a life must not be null', 'It is a random number of 64 bits.');
    PERFORM idgen_registry.demand(ttl_ms BETWEEN 0 AND 31536000000, 'a lease must last from 0 ms (for ever) to a year',
                                   format('It is %s ms.', coalesce(ttl_ms::text, 'null')));
END
$$;
COMMENT ON FUNCTION idgen_registry.check_call(integer, bigint, bigint, bigint) IS 'an error if an argument that calls share is wrong';

CREATE FUNCTION idgen_registry.check_limits(terms idgen_registry.registry, number integer, ttl_ms bigint) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF number > terms.largest_number THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', CONSTRAINT = 'limit',
            MESSAGE = format('this registry gives shards up to %s', terms.largest_number), DETAIL = format('Shard %s was asked for.', number),
            HINT = 'Ask for smaller ones with idgen.lease_range, or have the owner of the registry call idgen_registry.set_largest_number().';
    END IF;
    IF idgen_registry.shortened(terms, ttl_ms) <> ttl_ms THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', CONSTRAINT = 'limit',
            MESSAGE = format('this registry gives leases of at most %s', terms.longest_ttl),
            DETAIL = format('One of %s was asked for.', coalesce((nullif(ttl_ms, 0) * interval '1 ms')::text, 'no end')),
            HINT = 'Lower idgen.lease_ttl, or have the owner of the registry call idgen_registry.set_longest_ttl().';
    END IF;
END
$$;
COMMENT ON FUNCTION idgen_registry.check_limits(idgen_registry.registry, integer, bigint) IS 'an error if a claim asks for more than the owner allows';

-- A lease that was begun before the limit was lowered goes on, with shorter extensions.
CREATE FUNCTION idgen_registry.shortened(terms idgen_registry.registry, ttl_ms bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN coalesce(least(nullif(ttl_ms, 0), (extract(epoch FROM terms.longest_ttl) * 1000)::bigint), 0);
COMMENT ON FUNCTION idgen_registry.shortened(idgen_registry.registry, bigint) IS 'the lease that a node gets of what it asks for; 0: it never ends';

CREATE FUNCTION idgen_registry.is_held_by(lease idgen_registry.lease, incarnation bigint, life bigint) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN lease.incarnation_hash = idgen_registry.hash(incarnation) AND lease.life_hash = idgen_registry.hash(life);
COMMENT ON FUNCTION idgen_registry.is_held_by(idgen_registry.lease, bigint, bigint) IS 'whether a call comes from the owner of a shard, in its present life';

CREATE FUNCTION idgen_registry.list(first integer DEFAULT 0, last integer DEFAULT 2147483647)
    RETURNS TABLE (number integer, name text, system_identifier bigint, timeline integer, since timestamptz, is_free boolean,
                   lease_left interval, horizon timestamptz)
LANGUAGE sql VOLATILE SECURITY DEFINER PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET lock_timeout = '200ms' AS $$
    SELECT l.number, l.name, l.system_identifier, l.timeline, l.since, l.incarnation_hash IS NULL OR coalesce(l.lease_end <= clock_timestamp(), false),
           idgen_registry.lease_left(l.lease_end), 'epoch'::timestamptz + l.horizon_ms * interval '1 ms'
      FROM idgen_registry.lease l WHERE l.number BETWEEN list.first AND list.last ORDER BY l.number
$$;
COMMENT ON FUNCTION idgen_registry.list(integer, integer) IS
    'the shards from first to last that were ever held: their last owners, and whether they are free';

CREATE FUNCTION idgen_registry.list_floor() RETURNS timestamptz
LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET lock_timeout = '200ms' AS $$
    SELECT 'epoch'::timestamptz + coalesce((SELECT r.floor_ms FROM idgen_registry.registry r), 0) * interval '1 ms'
$$;
COMMENT ON FUNCTION idgen_registry.list_floor() IS 'the horizon of every shard that list() does not know';

CREATE FUNCTION idgen_registry.release(number integer) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM idgen_registry.begin_write(of_node => true);
    -- Left open, it holds up advance() and forget() before those hold up nodes.
    PERFORM FROM idgen_registry.registry FOR KEY SHARE;
    PERFORM idgen_registry.demand(release.number >= 0, 'a shard must be at least 0', format('It is %s.', coalesce(release.number::text, 'null')));
    UPDATE idgen_registry.lease l SET incarnation_hash = NULL, life_hash = NULL, lease_end = least(l.lease_end, clock_timestamp())
     WHERE l.number = release.number AND l.incarnation_hash IS NOT NULL;
    RETURN FOUND;
END
$$;
COMMENT ON FUNCTION idgen_registry.release(integer) IS 'takes number, a shard, from its owner at once; true if it had one. The owner learns it at its next extension, and no ID is made twice';

-- The rows that a call of a node changes, each as it is locked now by somebody else.
CREATE FUNCTION idgen_registry.locked_rows(counter text, number integer) RETURNS TABLE (locker xid)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM FROM idgen_registry.registry FOR KEY SHARE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN QUERY SELECT r.xmax FROM idgen_registry.registry r;
    END IF;
    PERFORM FROM idgen_registry.lease l WHERE l.number = locked_rows.number FOR NO KEY UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN QUERY SELECT l.xmax FROM idgen_registry.lease l WHERE l.number = locked_rows.number;
    END IF;
    PERFORM FROM idgen_registry.counter c WHERE c.name = locked_rows.counter FOR NO KEY UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN QUERY SELECT c.xmax FROM idgen_registry.counter c WHERE c.name = locked_rows.counter;
    END IF;
END
$$;
COMMENT ON FUNCTION idgen_registry.locked_rows(text, integer) IS 'who has locked a counter or a shard, or the registry';

-- For the words of a node that gave up: it names whoever has to act. A lock of a whole table comes first, because reading would wait for it.
CREATE FUNCTION idgen_registry.find_locker(counter bytea, number integer) RETURNS text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' AS $$
#variable_conflict use_column
DECLARE
    found_pid integer;
    found_xid xid;
BEGIN
    -- It locks rows to see whether it can, and changes nothing: by itself its COMMIT waits for no standby.
    IF pg_current_xact_id_if_assigned() IS NULL THEN
        PERFORM set_config('synchronous_commit', 'off', true);
    END IF;
    SELECT l.pid, l.transactionid INTO found_pid, found_xid FROM pg_locks l
     WHERE l.granted AND l.locktype = 'relation' AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
       AND l.relation IN (SELECT c.oid FROM pg_class c WHERE c.relnamespace = 'idgen_registry'::regnamespace AND c.relname IN ('registry', 'lease', 'counter'))
       AND l.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock') LIMIT 1;
    IF NOT FOUND THEN
        SELECT l.pid, r.locker INTO found_pid, found_xid
          FROM idgen_registry.locked_rows(idgen_registry.name_of(find_locker.counter), find_locker.number) r
          LEFT JOIN pg_locks l ON l.locktype = 'transactionid' AND l.transactionid = r.locker AND l.granted LIMIT 1;
        IF NOT FOUND THEN
            RETURN NULL;
        END IF;
    END IF;
    RETURN coalesce(
        (SELECT format('process %s there (%s)', a.pid, concat_ws(', ', 'role ' || a.usename, nullif(a.application_name, ''),
                       a.state || ' since ' || date_trunc('second', a.state_change)))
           FROM pg_stat_activity a WHERE a.pid = found_pid),
        (SELECT format('the prepared transaction %L there', p.gid) FROM pg_prepared_xacts p WHERE p.transaction = found_xid),
        'another transaction there');
END
$$;
COMMENT ON FUNCTION idgen_registry.find_locker(bytea, integer) IS 'who keeps a counter (its name in UTF-8) or a shard from being changed; null: nobody does now';
