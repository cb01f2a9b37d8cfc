-- What the calls have in common. Only the owner calls these.

CREATE FUNCTION idgen_registry.clock_ms() RETURNS bigint
LANGUAGE sql VOLATILE PARALLEL SAFE RETURN floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
COMMENT ON FUNCTION idgen_registry.clock_ms() IS 'the registry''s clock, unix ms';

-- Another system, database or table: the row has been copied or restored. A server that was put back to an older state gives the same
-- OIDs again, so the table's row counts, too: another one in a new extension, and one that another transaction wrote if a dump brought it.
CREATE FUNCTION idgen_registry.here() RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT format('%s/%s/%s/%s/%s', s.system_identifier, d.oid, c.tableoid, c.xmin, c.id)
              FROM pg_control_system() s, pg_database d, idgen_registry.creation c WHERE d.datname = current_database());
END
$$;
COMMENT ON FUNCTION idgen_registry.here() IS 'where the registry''s tables lie';

CREATE FUNCTION idgen_registry.demand(is_right boolean, rule text, detail text) RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF is_right IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = rule, DETAIL = detail,
            HINT = 'Call it again with such a value.';
    END IF;
END
$$;
COMMENT ON FUNCTION idgen_registry.demand(boolean, text, text) IS 'an error if an argument is wrong';

-- Begins a call that writes. What it writes is durable when its COMMIT returns, whatever the session was set to: a standby that may be
-- promoted has it too, if one is required, or the session is warned. Settings of the function's own would end before the COMMIT.
-- A caller that sets synchronous_commit after the call, in the same transaction, has what it set: nothing can prevent that, since a deferred
-- trigger can be fired by SET CONSTRAINTS before it. A node, and next_range(), COMMIT at once.
-- A call of a node waits for no lock for long: what it waits for is one row, or an owner's work on a table, and the node has others.
CREATE FUNCTION idgen_registry.begin_write(of_node boolean DEFAULT false) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF pg_is_in_recovery() THEN
        RAISE EXCEPTION USING ERRCODE = 'read_only_sql_transaction', MESSAGE = 'this server is a standby of the registry',
            DETAIL = 'Only the primary grants numbers.', HINT = 'Connect to the primary, with target_session_attrs=read-write.';
    ELSIF current_setting('session_replication_role') = 'replica' THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = 'a registry is not changed where session_replication_role is replica',
            DETAIL = 'Its tables keep nothing that comes by replication.', HINT = 'SET session_replication_role = origin first. The function of a trigger that replication fires gets that from a superuser: '
                || 'ALTER FUNCTION ... SET session_replication_role = origin.';
    END IF;
    IF current_setting('synchronous_commit') <> 'remote_apply' THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
    -- The parameters of calls are secrets, and a slow call is logged with them.
    IF has_parameter_privilege('log_parameter_max_length', 'SET') THEN
        PERFORM set_config('log_parameter_max_length', '0', true);
    END IF;
    IF current_setting('client_min_messages') = 'error' THEN
        PERFORM set_config('client_min_messages', 'warning', true);
    END IF;
    IF of_node AND current_setting('lock_timeout')::interval NOT BETWEEN '1 ms' AND '1 s' THEN
        PERFORM set_config('lock_timeout', '1s', true);
    END IF;
END
$$;
COMMENT ON FUNCTION idgen_registry.begin_write(boolean) IS
    'refuses a standby and replication, makes the commit durable, keeps secrets out of the log; a node waits for each lock for one second at most';

-- Begins a call of a node that knows the registry by its identity. The row stays locked against advance() and forget() until the COMMIT:
-- what those change holds until then. Its limits may change meanwhile.
CREATE FUNCTION idgen_registry.enter(identity uuid) RETURNS idgen_registry.registry
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    terms idgen_registry.registry;
BEGIN
    PERFORM idgen_registry.begin_write(of_node => true);
    SELECT * INTO terms FROM idgen_registry.registry FOR KEY SHARE;
    IF terms.identity = enter.identity IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', CONSTRAINT = 'identity', MESSAGE = 'this is another registry',
            DETAIL = format('The node knows %s, this is %s.', coalesce(enter.identity::text, 'none'), coalesce(terms.identity::text, 'a new one')),
            HINT = 'Check the address. This registry knows nothing of the shards of the other one, and logical replication brings nothing into it. '
                || 'If it takes the place of the other one: SELECT idgen_registry.advance() there first.';
    END IF;
    PERFORM idgen_registry.refuse_copy(terms.home);
    RETURN terms;
END
$$;
COMMENT ON FUNCTION idgen_registry.enter(uuid) IS 'the registry''s row, locked, if it is the one that the node knows';

-- Begins what all nodes must wait for. It does not stop them for long if its transaction is left open.
CREATE FUNCTION idgen_registry.lock_registry() RETURNS idgen_registry.registry
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    terms idgen_registry.registry;
BEGIN
    PERFORM idgen_registry.begin_write();
    IF current_setting('idle_in_transaction_session_timeout')::interval NOT BETWEEN '1 ms' AND '20 s' THEN
        PERFORM set_config('idle_in_transaction_session_timeout', '20s', true);
    END IF;
    INSERT INTO idgen_registry.registry (home) VALUES (idgen_registry.here()) ON CONFLICT DO NOTHING;
    SELECT * INTO terms FROM idgen_registry.registry FOR UPDATE;
    -- All nodes wait from here on.
    IF current_setting('lock_timeout')::interval NOT BETWEEN '1 ms' AND '5 s' THEN
        PERFORM set_config('lock_timeout', '5s', true);
    END IF;
    RETURN terms;
END
$$;
COMMENT ON FUNCTION idgen_registry.lock_registry() IS 'the registry''s row, locked against all calls; a session that then idles in its transaction for 20 s is ended, and waits for each further lock for 5 s at most';

CREATE FUNCTION idgen_registry.refuse_copy(home text) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF home <> idgen_registry.here() OR idgen_registry.commands_to_keep() <> '{}' THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = 'the registry has been copied or restored',
            DETAIL = CASE WHEN home <> idgen_registry.here()
                          THEN format('It was written at %s, and lies at %s. It does not know what has been granted since.', home, idgen_registry.here())
                          ELSE 'A restore with --disable-triggers has turned off what keeps the rows of another registry out.' END,
            HINT = 'SELECT idgen_registry.advance() makes it safe to use, also after a switch by logical replication, which brings nothing into a registry. '
                || 'If nothing can have been granted since, as after pg_upgrade in place: SELECT idgen_registry.confirm_home().';
    END IF;
END
$$;
COMMENT ON FUNCTION idgen_registry.refuse_copy(text) IS 'an error if the registry lies elsewhere than it was written, or replication could change it';

CREATE FUNCTION idgen_registry.lease_end(ttl_ms bigint) RETURNS timestamptz
LANGUAGE sql VOLATILE PARALLEL SAFE RETURN clock_timestamp() + nullif(ttl_ms, 0) * interval '1 ms';
COMMENT ON FUNCTION idgen_registry.lease_end(bigint) IS 'when a lease ends that is granted now; null: never';

CREATE FUNCTION idgen_registry.lease_left(lease_end timestamptz) RETURNS interval
LANGUAGE sql VOLATILE PARALLEL SAFE RETURN CASE WHEN lease_end IS NOT NULL THEN greatest(lease_end - clock_timestamp(), '0') END;
COMMENT ON FUNCTION idgen_registry.lease_left(timestamptz) IS 'what is left of a lease; null: it never ends';

CREATE FUNCTION idgen_registry.answer_of(number integer, outcome text) RETURNS idgen_registry.answer
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
COMMENT ON FUNCTION idgen_registry.answer_of(integer, text) IS 'the answer to a call, with the shard''s row as it is now';

CREATE FUNCTION idgen_registry.hash(secret bigint) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN sha256(int8send(secret));
COMMENT ON FUNCTION idgen_registry.hash(bigint) IS 'what is stored of a secret: whoever reads it cannot act as its owner';

-- By the bytes in UTF-8, since classes of characters depend on the collation. The same rule stands in C++ in src/core/text/text_part.hpp.
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

CREATE FUNCTION idgen_registry.random_version() RETURNS bigint
LANGUAGE sql VOLATILE PARALLEL SAFE RETURN ('x' || left(replace(gen_random_uuid()::text, '-', ''), 16))::bit(64)::bigint;
COMMENT ON FUNCTION idgen_registry.random_version() IS 'a version of a counter: one of a state that was put back never comes again';
