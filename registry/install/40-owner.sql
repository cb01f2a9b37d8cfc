-- Only for the owner of the registry.

-- The latest instant that the registry knows: of a horizon, which nodes set by their clocks, or of the server's last checkpoint.
CREATE FUNCTION idgen_registry.latest_known(OUT at timestamptz, OUT what text)
LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT k.at, k.what
      FROM (SELECT 'epoch'::timestamptz + l.horizon_ms * interval '1 ms', format('the horizon of shard %s', l.number) FROM idgen_registry.lease l
            UNION ALL SELECT 'epoch'::timestamptz + r.floor_ms * interval '1 ms', 'the horizon of shards without a row' FROM idgen_registry.registry r
            UNION ALL SELECT c.checkpoint_time, 'the last checkpoint of this server' FROM pg_control_checkpoint() c) AS k(at, what)
     ORDER BY k.at DESC, k.what LIMIT 1
$$;
COMMENT ON FUNCTION idgen_registry.latest_known() IS 'the latest instant that the registry knows, and what that is of';

-- Makes a registry safe that was put back to an older state, or made again. No horizon was ever granted further than 15 minutes ahead of the
-- registry's clock, whatever the limit was: every shard begins above that, and has no owner. That rests on the clock: one that lies
-- behind what the registry knows is not believed.
CREATE FUNCTION idgen_registry.advance(longest_ahead interval DEFAULT '15 min', at timestamptz DEFAULT NULL) RETURNS timestamptz
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    terms idgen_registry.registry;
    known record;
    now timestamptz;
    at_ms bigint;
BEGIN
    terms := idgen_registry.lock_registry();
    PERFORM idgen_registry.keep_again();
    SELECT * INTO known FROM idgen_registry.latest_known();
    now := clock_timestamp();
    IF advance.at IS NULL THEN
        PERFORM idgen_registry.demand(longest_ahead BETWEEN terms.max_ahead AND interval '15 min',
            format('longest_ahead must lie between %s, the limit now in force, and 15 minutes', terms.max_ahead),
            format('It is %s.', coalesce(longest_ahead::text, 'null')));
        IF now < known.at THEN
            RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = 'the clock of the registry lies behind an instant that it knows',
                DETAIL = format('It says %s, and %s is %s. Such a clock does not show what was granted since.', now, known.what, known.at),
                HINT = 'If the clock is right, nodes that run keep that instant ahead of it: stop them, and call advance() again after that instant; or '
                    || 'name an instant above all that was granted: SELECT idgen_registry.advance(at => now() + ''15 min''). If it is not, correct it first.';
        END IF;
        at := now + longest_ahead;
    END IF;
    PERFORM idgen_registry.demand(isfinite(at) AND at BETWEEN greatest(now, known.at) AND now + interval '2 days',
        'the instant must lie above all that the registry knows, and at most two days ahead',
        format('It is %s, and %s is %s.', at, known.what, known.at));
    at_ms := ceil(extract(epoch FROM at) * 1000);
    UPDATE idgen_registry.registry SET floor_ms = greatest(floor_ms, at_ms), home = idgen_registry.here(), was_advanced = true;
    UPDATE idgen_registry.lease SET incarnation_hash = NULL, life_hash = NULL, lease_end = clock_timestamp(),
           horizon_ms = greatest(horizon_ms, at_ms);
    PERFORM idgen_registry.stop_counters();
    IF at > now + interval '1 hour' THEN
        RAISE NOTICE USING MESSAGE = format('no server makes IDs with a shard of this registry for %s', date_trunc('minute', at - now)),
            DETAIL = format('All shards begin at %s.', at),
            HINT = 'In a transaction block, ROLLBACK takes it back, within 20 s. Otherwise give the servers shards by hand that have made no IDs, without the registry.';
    END IF;
    RETURN at;
END
$$;
COMMENT ON FUNCTION idgen_registry.advance(interval, timestamptz) IS
    'after a restore: no shard has an owner, and all begin longest_ahead from now, above all that was ever granted; or at an explicit instant';

-- Claims that begin later must not begin lower: the horizon of shards without a row rises to the highest that is forgotten.
CREATE FUNCTION idgen_registry.forget(unused_for interval DEFAULT '30 days') RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    forgotten bigint;
    highest_ms bigint;
BEGIN
    PERFORM idgen_registry.demand(unused_for >= interval '0', 'a shard is forgotten after a time of at least 0',
        format('It is %s.', coalesce(unused_for::text, 'null')));
    PERFORM idgen_registry.lock_registry();
    DELETE FROM idgen_registry.taken WHERE at < clock_timestamp() - interval '1 day';
    WITH gone AS (
        DELETE FROM idgen_registry.lease
         WHERE lease_end <= clock_timestamp() - unused_for AND horizon_ms <= idgen_registry.clock_ms() RETURNING horizon_ms)
    SELECT count(*), max(horizon_ms) INTO forgotten, highest_ms FROM gone;
    UPDATE idgen_registry.registry SET floor_ms = greatest(floor_ms, highest_ms);
    RETURN forgotten;
END
$$;
COMMENT ON FUNCTION idgen_registry.forget(interval) IS
    'removes the rows of shards that no server has held for the time unused_for; gives how many';

CREATE FUNCTION idgen_registry.confirm_home() RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM idgen_registry.begin_write();
    PERFORM idgen_registry.keep_again();
    UPDATE idgen_registry.registry SET home = idgen_registry.here();
END
$$;
COMMENT ON FUNCTION idgen_registry.confirm_home() IS 'the registry has been moved with all that it ever granted, and goes on here';

CREATE FUNCTION idgen_registry.set_max_ahead(max_ahead interval) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM idgen_registry.demand(set_max_ahead.max_ahead BETWEEN interval '1 s' AND interval '15 min',
        'a horizon may be extended from 1 s to 15 minutes ahead', format('It is %s.', coalesce(set_max_ahead.max_ahead::text, 'null')));
    PERFORM idgen_registry.begin_write();
    INSERT INTO idgen_registry.registry (home) VALUES (idgen_registry.here()) ON CONFLICT DO NOTHING;
    UPDATE idgen_registry.registry SET max_ahead = set_max_ahead.max_ahead;
END
$$;
COMMENT ON FUNCTION idgen_registry.set_max_ahead(interval) IS
    'max_ahead: how far ahead of the registry''s clock a horizon may be extended, 1 s to 15 min: idgen.lease_window and idgen.max_clock_jump of the nodes together';

CREATE FUNCTION idgen_registry.set_largest_number(largest_number integer) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM idgen_registry.demand(set_largest_number.largest_number >= 0, 'a shard must be at least 0',
        format('It is %s.', coalesce(set_largest_number.largest_number::text, 'null')));
    PERFORM idgen_registry.begin_write();
    INSERT INTO idgen_registry.registry (home) VALUES (idgen_registry.here()) ON CONFLICT DO NOTHING;
    UPDATE idgen_registry.registry SET largest_number = set_largest_number.largest_number;
END
$$;
COMMENT ON FUNCTION idgen_registry.set_largest_number(integer) IS
    'largest_number: the largest shard that nodes may claim, 8191 unless set, as many as the default layout has';

CREATE FUNCTION idgen_registry.set_longest_ttl(longest_ttl interval) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM idgen_registry.demand(coalesce(set_longest_ttl.longest_ttl BETWEEN interval '5 s' AND interval '1 year', true),
        'the longest lease must last from 5 s to a year, or be null for no limit', format('It is %s.', set_longest_ttl.longest_ttl));
    PERFORM idgen_registry.begin_write();
    INSERT INTO idgen_registry.registry (home) VALUES (idgen_registry.here()) ON CONFLICT DO NOTHING;
    UPDATE idgen_registry.registry SET longest_ttl = set_longest_ttl.longest_ttl;
END
$$;
COMMENT ON FUNCTION idgen_registry.set_longest_ttl(interval) IS
    'longest_ttl: the longest lease that nodes may ask for, 5 s to a year; null: no limit';
