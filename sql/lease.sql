-- The side of a node that claims its numbers from a registry: its objects, rights, and what it says where no registry is set.
-- With a registry: test/t/066_stores.pl.
CREATE ROLE lease_reader LOGIN;
ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO lease_reader;
ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO lease_reader;
CREATE SCHEMA "le ase";
CREATE EXTENSION idgen_lease SCHEMA "le ase";
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM lease_reader;
ALTER DEFAULT PRIVILEGES REVOKE ALL ON TABLES FROM lease_reader;
ALTER EXTENSION idgen_lease SET SCHEMA public;
SELECT pg_describe_object(d.classid, d.objid, d.objsubid) COLLATE "C" AS object, obj_description(d.objid, c.relname) AS comment
  FROM pg_depend AS d JOIN pg_class AS c ON c.oid = d.classid
 WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'idgen_lease')
   AND d.classid <> 'pg_type'::regclass
 ORDER BY object;
SELECT proname, r AS role, has_function_privilege(r, oid, 'EXECUTE') AS may_call
  FROM pg_proc, unnest(ARRAY['public', 'lease_reader', 'pg_monitor']) AS r WHERE pronamespace = '"le ase"'::regnamespace
 ORDER BY proname, r;
SELECT r AS role, has_sequence_privilege(r, '"le ase".idgen_lease_record', 'SELECT, UPDATE, USAGE') AS has_any
  FROM unnest(ARRAY['public', 'lease_reader', 'pg_monitor']) AS r ORDER BY r;

-- Without a registry
SELECT refusals('"le ase".idgen_release(1)', '"le ase".idgen_release(-1)', '"le ase".idgen_release(null)', '"le ase".idgen_registry_advance()',
                $$"le ase".idgen_registry_advance('200 years')$$, '(SELECT count(*) FROM "le ase".idgen_nodes())', '"le ase".idgen_confirm_registry()');

-- For a superuser alone, whatever was granted
GRANT USAGE ON SCHEMA "le ase" TO lease_reader;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA "le ase" TO lease_reader;
SET ROLE lease_reader;
SELECT refusals('"le ase".idgen_release(1)', '"le ase".idgen_registry_advance()', '"le ase".idgen_confirm_registry()');
RESET ROLE;

DROP EXTENSION idgen_lease;
DROP SCHEMA "le ase";
DROP ROLE lease_reader;
