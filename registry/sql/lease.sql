-- The side of a node that claims its shards from a registry: its objects, rights, and what it says where no registry is set.
-- With a registry: registry/t. registry.sql has loaded the helpers.
CREATE EXTENSION idgen;
\set SHOW_CONTEXT never
CREATE ROLE lease_reader LOGIN;
ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO lease_reader;
ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO lease_reader;
CREATE SCHEMA "le ase";
CREATE SCHEMA idgen_lease;
CREATE EXTENSION idgen_lease SCHEMA idgen_lease;
DROP SCHEMA idgen_lease;
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
  FROM pg_proc, unnest(ARRAY['public', 'lease_reader', 'pg_monitor']) AS r WHERE pronamespace = 'idgen_lease'::regnamespace
 ORDER BY proname, r;
SELECT r AS role, has_sequence_privilege(r, 'idgen_lease.record', 'SELECT, UPDATE, USAGE') AS has_any,
       has_table_privilege(r, 'idgen_lease.stat_counter', 'SELECT') AS may_read
  FROM unnest(ARRAY['public', 'lease_reader', 'pg_monitor']) AS r ORDER BY r;

-- Without a registry
SELECT refusals('idgen_lease.release(1)', 'idgen_lease.release(-1)', 'idgen_lease.release(null)', 'idgen_lease.advance_registry()',
                $$idgen_lease.advance_registry('200 years')$$, '(SELECT count(*) FROM idgen_lease.nodes())', 'idgen_lease.confirm_registry()');
-- Tickets
SELECT refusals($$"le ase".next_tickets('orders', NULL)$$, $$"le ase".next_tickets('orders', 0)$$, $$"le ase".next_tickets('orders', -1)$$,
                $$"le ase".next_tickets('orders', 1000000001)$$, $$idgen_lease.create_counter('x', -1)$$, $$idgen_lease.create_counter('x', 5, 1, 4)$$,
                $$idgen_lease.create_counter('x', 1, 0)$$, $$idgen_lease.create_counter('x', 1, 5, 9, 4)$$,
                $$idgen_lease.create_counter('x', 1, 5, 9223372036854775807)$$, $$idgen_lease.create_counter(E'a\nb')$$,
                $$idgen_lease.create_counter(U&'a\009B\2028b')$$, $$idgen_lease.drop_counter(E'a\x7f')$$);

-- For a superuser alone, whatever was granted
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA idgen_lease TO lease_reader;
SET ROLE lease_reader;
SELECT refusals('idgen_lease.release(1)', 'idgen_lease.advance_registry()', 'idgen_lease.confirm_registry()');
RESET ROLE;

DROP EXTENSION idgen_lease;
DROP SCHEMA "le ase";
DROP ROLE lease_reader;
