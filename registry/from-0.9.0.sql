\echo Use "ALTER EXTENSION idgen_registry UPDATE" to load this file. \quit
-- What of the tables differs, and what is said of them. The parts of the install script follow, which replace the functions.

SET LOCAL search_path = pg_catalog, pg_temp;
-- What an earlier script of this transaction made was there before (sql/common/90-rights.sql).
SELECT pg_catalog.set_config('idgen_update.began'::pg_catalog.text, e.cmin::pg_catalog.text, true) FROM pg_catalog.pg_extension e
 WHERE e.extname OPERATOR(pg_catalog.=) 'idgen_registry'::pg_catalog.name;

-- What default privileges gave on the schema when it was made goes, as in sql/from-0.9.0.sql.
DO $$
DECLARE
    first aclitem[] := (SELECT initprivs FROM pg_init_privs WHERE classoid = 'pg_namespace'::regclass AND objoid = 'idgen_registry'::regnamespace);
    given record;
BEGIN
    FOR given IN
        SELECT CASE WHEN a.grantee = 0 OR r.rolname IS NOT NULL THEN
                   format('REVOKE %s ON SCHEMA idgen_registry FROM %s CASCADE', a.privilege_type, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(r.rolname) END) ELSE '' END AS take_back,
               ARRAY(SELECT x FROM unnest(first) x WHERE (SELECT min(a.grantee) FROM aclexplode(ARRAY[x]) a) IN (n.nspowner, 'idgen_node'::regrole)) AS of_script
          FROM pg_namespace n, aclexplode(first) a LEFT JOIN pg_roles r ON r.oid = a.grantee
         WHERE n.oid = 'idgen_registry'::regnamespace AND a.grantee NOT IN (n.nspowner, 'idgen_node'::regrole)
    LOOP
        EXECUTE given.take_back;
        UPDATE pg_init_privs SET initprivs = given.of_script WHERE classoid = 'pg_namespace'::regclass AND objoid = 'idgen_registry'::regnamespace;
        DELETE FROM pg_shdepend WHERE deptype = 'i' AND classid = 'pg_namespace'::regclass AND objid = 'idgen_registry'::regnamespace
           AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND refobjid <> 'idgen_node'::regrole;
    END LOOP;
END
$$;

-- All that the update locks, the table that calls lock last at the end. Behind a lock that waits for an open take_range() all calls would
-- wait, so none waits for long, and between two attempts they go on.
DO $$
BEGIN
    FOR attempt IN 1 .. 100 LOOP
        BEGIN
            PERFORM pg_catalog.set_config('lock_timeout', '200ms', true);
            LOCK TABLE idgen_registry.creation, idgen_registry.registry, idgen_registry.counter, idgen_registry.lease IN SHARE ROW EXCLUSIVE MODE;
            LOCK TABLE idgen_registry.taken IN ACCESS EXCLUSIVE MODE;
            RETURN;
        EXCEPTION WHEN lock_not_available THEN
            PERFORM pg_catalog.pg_sleep(0.4);
        END;
    END LOOP;
    RAISE EXCEPTION USING ERRCODE = 'lock_not_available', MESSAGE = 'the registry is in use',
        DETAIL = 'An open transaction has taken a range, or changed a shard. Nothing has been changed.',
        HINT = 'Update it again when that has ended: pg_locks names its process.';
END
$$;
ALTER TABLE idgen_registry.taken ADD taker name NOT NULL DEFAULT session_user;
CREATE INDEX taken_of_taker ON idgen_registry.taken (taker, at);
COMMENT ON EXTENSION idgen_registry IS 'the registry from which nodes with idgen take their shards; tables and functions in SQL alone';
COMMENT ON TABLE idgen_registry.taken IS 'ranges that were taken and are to be handed out after the COMMIT, at most 1000 of each role';
COMMENT ON COLUMN idgen_registry.taken.taker IS 'the role of the session that took it';
COMMENT ON COLUMN idgen_registry.registry.floor_ms IS 'horizon of every shard that no server has held, unix ms';
COMMENT ON COLUMN idgen_registry.registry.largest_number IS 'no shard above it is given';
COMMENT ON TABLE idgen_registry.lease IS 'who holds which shard, and how far its IDs can have come';
COMMENT ON COLUMN idgen_registry.lease.horizon_ms IS 'no ID at or after it has been made with the shard, unix ms';
COMMENT ON COLUMN idgen_registry.lease.claimed_ms IS 'the horizon when the owner claimed the shard: it is never lowered below that';
COMMENT ON COLUMN idgen_registry.lease.lease_end IS 'when others may claim the shard; null: never';
COMMENT ON TYPE idgen_registry.answer IS 'what a call comes to: granted, refused or too far; the shard as it is now, and the registry''s clock and limit';
