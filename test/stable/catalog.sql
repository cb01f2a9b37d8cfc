-- What the five extensions show, a line each, and the name that says whether it is promised, which test/t/setup/stable.pl
-- looks for in the pages; if the name is empty, it is. Objects that PostgreSQL makes or calls by itself are left out
-- here: the functions of types, operators, operator classes, casts, aggregates and of the planner, array and row types,
-- and the function behind a view of its name.
SET search_path = pg_catalog, public;

CREATE TEMP VIEW member AS
SELECT d.classid, d.objid, e.extname
  FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid
 WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND e.extname LIKE 'idgen%';

CREATE TEMP VIEW called AS
SELECT p.*, CASE WHEN n.nspname <> 'public' THEN n.nspname || '.' ELSE '' END || p.proname AS name,
       pg_has_role('idgen_node', p.proowner, 'usage') IS FALSE AND has_function_privilege('idgen_node', p.oid, 'execute') AND n.nspname = 'idgen_registry' AS of_node
  FROM pg_proc AS p JOIN member ON classid = 'pg_proc'::regclass AND objid = p.oid JOIN pg_namespace AS n ON n.oid = p.pronamespace
 WHERE NOT EXISTS (SELECT FROM pg_type WHERE p.oid IN (typinput, typoutput, typreceive, typsend))
   AND NOT EXISTS (SELECT FROM pg_operator WHERE oprcode = p.oid)
   AND NOT EXISTS (SELECT FROM pg_amproc WHERE amproc = p.oid)
   AND NOT EXISTS (SELECT FROM pg_aggregate WHERE p.oid IN (aggtransfn, aggfinalfn, aggcombinefn) AND p.proargnames IS NULL)
   AND NOT EXISTS (SELECT FROM pg_cast WHERE castfunc = p.oid)
   AND NOT EXISTS (SELECT FROM pg_class WHERE relname = p.proname AND relnamespace = p.pronamespace AND relkind = 'v')
   AND p.prorettype <> 'internal'::regtype;

-- Views, sequences, the row types that calls give, and the tables that pg_dump carries along, which is promised.
CREATE TEMP VIEW relation AS
SELECT c.oid, c.relkind, c.relacl, c.relowner, c.oid::regclass::text AS name, CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'S' THEN 'sequence' ELSE 'row' END AS kind,
       CASE WHEN EXISTS (SELECT FROM pg_extension AS e WHERE c.oid = ANY (e.extconfig)) OR EXISTS (SELECT FROM called AS f WHERE f.prorettype = c.reltype AND of_node) THEN ''
            ELSE coalesce((SELECT min(f.name) FROM called AS f WHERE f.prorettype = c.reltype AND c.relkind = 'c'), c.oid::regclass::text) END AS promised_by
  FROM pg_class AS c JOIN member ON (classid, objid) IN (('pg_class'::regclass, c.oid), ('pg_type'::regclass, c.reltype))
 WHERE c.relkind IN ('v', 'S', 'c') OR EXISTS (SELECT FROM pg_extension AS e WHERE c.oid = ANY (e.extconfig));

SELECT CASE WHEN of_node THEN '' ELSE name END AS promised_by,
       format('%s %s(%s)%s', CASE prokind WHEN 'p' THEN 'procedure' WHEN 'a' THEN 'aggregate' ELSE 'function' END, name, pg_get_function_arguments(oid),
              CASE WHEN prokind <> 'p' THEN format(' returns %s; %s%s, parallel %s', pg_get_function_result(oid),
                   CASE provolatile WHEN 'i' THEN 'immutable' WHEN 's' THEN 'stable' ELSE 'volatile' END, CASE WHEN proisstrict THEN ', strict' END,
                   CASE proparallel WHEN 's' THEN 'safe' WHEN 'r' THEN 'restricted' ELSE 'unsafe' END) END) AS line
  FROM called
UNION ALL
SELECT CASE WHEN of_node THEN '' ELSE name END, format('grant execute on %s to %s', f.oid::regprocedure, CASE WHEN grantee = 0 THEN 'PUBLIC' ELSE grantee::regrole::text END)
  FROM called AS f, aclexplode(coalesce(proacl, acldefault('f', proowner))) WHERE grantee <> proowner
UNION ALL
SELECT promised_by, format('%s %s', kind, name) FROM relation WHERE kind <> 'row'
UNION ALL
SELECT promised_by, format('column %s.%s %s', name, attname, format_type(atttypid, atttypmod))
  FROM relation AS r JOIN pg_attribute AS a ON attrelid = r.oid WHERE attnum > 0 AND NOT attisdropped AND kind <> 'sequence'
UNION ALL
SELECT promised_by, format('key of %s: %s', name, pg_get_constraintdef(c.oid)) FROM relation AS r JOIN pg_constraint AS c ON conrelid = r.oid WHERE contype IN ('p', 'u')
UNION ALL
SELECT promised_by, format('grant %s on %s to %s', lower(privilege_type), name, CASE WHEN grantee = 0 THEN 'PUBLIC' ELSE grantee::regrole::text END)
  FROM relation, aclexplode(relacl) WHERE grantee <> relowner AND kind <> 'row'
UNION ALL
SELECT '', format('type %s: %s bytes, %s, align %s, storage %s, category %s', t.oid::regtype, typlen, CASE WHEN typbyval THEN 'by value' ELSE 'by reference' END, typalign, typstorage, typcategory)
  FROM pg_type AS t JOIN member ON classid = 'pg_type'::regclass AND objid = t.oid WHERE typtype = 'b' AND typcategory <> 'A'
UNION ALL
SELECT '', format('cast %s to %s: %s', castsource::regtype, casttarget::regtype, CASE castcontext WHEN 'i' THEN 'implicit' WHEN 'a' THEN 'assignment' ELSE 'explicit' END)
  FROM pg_cast AS c JOIN member ON classid = 'pg_cast'::regclass AND objid = c.oid
UNION ALL
SELECT '', format('operator %s %s %s: %s%s%s%s%s', oprleft::regtype, oprname, oprright::regtype, oprresult::regtype,
                  '; commutator ' || (SELECT c.oprname FROM pg_operator AS c WHERE c.oid = o.oprcom), '; negator ' || (SELECT c.oprname FROM pg_operator AS c WHERE c.oid = o.oprnegate), CASE WHEN oprcanhash THEN '; hashes' END, CASE WHEN oprcanmerge THEN '; merges' END)
  FROM pg_operator AS o JOIN member ON classid = 'pg_operator'::regclass AND objid = o.oid
UNION ALL
SELECT '', format('operator class %s for %s on %s%s', opcname, amname, opcintype::regtype, CASE WHEN opcdefault THEN ', default' END)
  FROM pg_opclass AS o JOIN pg_am AS a ON a.oid = opcmethod JOIN member ON classid = 'pg_opclass'::regclass AND objid = o.oid
UNION ALL
SELECT '', format('schema %s', nspname) FROM pg_namespace AS n JOIN member ON classid = 'pg_namespace'::regclass AND objid = n.oid
UNION ALL
SELECT '', format('role %s', rolname) FROM pg_roles WHERE rolname LIKE 'idgen%'
UNION ALL
SELECT '', format('setting %s: %s%s, %s', name, vartype, ', ' || unit, context) FROM pg_settings WHERE name LIKE 'idgen.%'
UNION ALL
SELECT '', format('setting %s takes %s', name, unnest(enumvals)) FROM pg_settings WHERE name LIKE 'idgen.%' AND vartype = 'enum';
