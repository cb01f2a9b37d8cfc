-- For the owner of the registry alone.

-- Makes a registry safe that was put back to an older state. Nothing that was granted meanwhile reaches further than max_ahead above the
-- clock; every number begins above that, and belongs to nobody.
CREATE FUNCTION idgen_registry.advance(at timestamptz DEFAULT NULL) RETURNS timestamptz
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    terms idgen_registry.registry;
    at_ms bigint;
BEGIN
    PERFORM idgen_registry.begin_write();
    INSERT INTO idgen_registry.registry (home) VALUES (idgen_registry.here()) ON CONFLICT DO NOTHING;
    SELECT * INTO terms FROM idgen_registry.registry FOR UPDATE;
    at := coalesce(at, clock_timestamp() + terms.max_ahead + interval '1 min');
    PERFORM idgen_registry.demand(isfinite(at) AND at BETWEEN clock_timestamp() + terms.max_ahead AND clock_timestamp() + interval '2 days',
        format('the instant must lie at least %s and at most two days ahead', terms.max_ahead),
        format('Nodes can have extended the horizons of their numbers so far. It is %s.', at));
    at_ms := ceil(extract(epoch FROM at) * 1000);
    UPDATE idgen_registry.registry SET floor_ms = greatest(floor_ms, at_ms), home = idgen_registry.here();
    UPDATE idgen_registry.lease SET incarnation = NULL, life = NULL, lease_end = clock_timestamp(), horizon_ms = greatest(horizon_ms, at_ms);
    RETURN at;
END
$$;
COMMENT ON FUNCTION idgen_registry.advance(timestamptz) IS
    'after a restore: no number has an owner, and none begins below that instant; by default the first that is safe';

CREATE FUNCTION idgen_registry.confirm_home() RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM idgen_registry.begin_write();
    UPDATE idgen_registry.registry SET home = idgen_registry.here();
END
$$;
COMMENT ON FUNCTION idgen_registry.confirm_home() IS 'the registry has been moved with all that it ever granted, and goes on here';

CREATE FUNCTION idgen_registry.set_max_ahead(max_ahead interval) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM idgen_registry.demand(set_max_ahead.max_ahead BETWEEN interval '1 s' AND interval '1 day',
        'a horizon may be extended from 1 s to a day ahead', format('It is %s.', coalesce(set_max_ahead.max_ahead::text, 'null')));
    PERFORM idgen_registry.begin_write();
    INSERT INTO idgen_registry.registry (home) VALUES (idgen_registry.here()) ON CONFLICT DO NOTHING;
    UPDATE idgen_registry.registry SET max_ahead = set_max_ahead.max_ahead;
END
$$;
COMMENT ON FUNCTION idgen_registry.set_max_ahead(interval) IS
    'how far ahead of the registry''s clock a horizon may be extended: idgen.lease_window and idgen.max_clock_jump of the nodes together';
