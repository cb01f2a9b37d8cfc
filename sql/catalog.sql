-- What CREATE EXTENSION made, beside what test/stable holds: properties, privileges, comments.

\getenv inputdir PG_ABS_SRCDIR
\set objects :inputdir /sql/objects.sql
\set extensions '''idgen'', ''idgen_kinds'''
\i :objects

-- Of the functions that people call, how many stand in the schema that they chose
SELECT e.extname, p.pronamespace::regnamespace, count(*)
  FROM called JOIN pg_proc AS p USING (oid) JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
  JOIN pg_extension AS e ON e.oid = d.refobjid
 GROUP BY 1, 2 ORDER BY 1, 2;

CREATE TEMP VIEW function AS
SELECT p.* FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
 WHERE d.refobjid IN (SELECT oid FROM pg_extension WHERE extname IN ('idgen', 'idgen_kinds'));

-- Volatility (immutable, volatile), strictness and parallel safety of those that PostgreSQL calls; of the others, see
-- test/stable
SELECT proname, provolatile AS v, proisstrict AS strict, proparallel AS p FROM function
 WHERE oid NOT IN (SELECT oid FROM called) ORDER BY proname COLLATE "C", pg_get_function_arguments(oid);
SELECT proname, prorows AS rows FROM function WHERE prorows > 0 ORDER BY proname COLLATE "C";
-- What PUBLIC may not call
SELECT proname FROM function WHERE NOT has_function_privilege('public', oid, 'execute') ORDER BY proname COLLATE "C";

-- Plain functions with names of their own: no overloads in a schema, no settings, no security definer. In C, with a pinned
-- search_path, or bound when they are made: none finds the schema that was chosen by its name, which may be another's soon. What
-- does for id64 what the server does for bigint has the properties that it has there.
SELECT proname FROM function WHERE prokind <> 'a' GROUP BY pronamespace, proname HAVING count(*) > 1;
SELECT DISTINCT l.lanname, probin, prokind, prosecdef, proleakproof, procost, proconfig, prosupport
  FROM function AS f JOIN pg_language AS l ON l.oid = prolang ORDER BY 1, 3, 5;
SELECT proname FROM function WHERE prosrc ~* 'extnamespace|regnamespace';
SELECT proname, prosrc FROM function WHERE probin = 'idgen' AND prosrc !~ '^idgen_';
SELECT f.proname, f.prosrc, (f.provolatile, f.proisstrict, f.proparallel, f.proleakproof)
                          = (b.provolatile, b.proisstrict, b.proparallel, b.proleakproof) AS as_of_bigint
  FROM function AS f JOIN pg_proc AS b ON b.oid < 16384 AND 'idgen_' || b.prosrc = f.prosrc ORDER BY f.proname COLLATE "C";
-- Arguments of those that people call have names.
SELECT proname FROM called WHERE pronargs > 0 AND proargnames IS NULL;

-- The types; id64's casts, operators and operator classes are in id64.sql
SELECT typname, typlen, typbyval, typalign, typstorage, typcategory, typispreferred, typdelim, typdefault,
       has_type_privilege('public', oid, 'usage') AS public
  FROM pg_type WHERE oid IN ('id_layout'::regtype, 'id64'::regtype, 'ulid'::regtype, 'ksuid'::regtype, 'objectid'::regtype) ORDER BY typname COLLATE "C";
SELECT count(*) AS casts FROM pg_cast WHERE 'id_layout'::regtype IN (castsource, casttarget);
SELECT oid::regoperator, oprcode, oprcom::regoperator, oprnegate::regoperator, oprrest, oprjoin, oprcanhash, oprcanmerge
  FROM pg_operator WHERE oprleft = 'id_layout'::regtype ORDER BY oprname;
SELECT opcname, opcdefault, amname, amvalidate(o.oid)
  FROM pg_opclass AS o JOIN pg_am AS a ON a.oid = opcmethod WHERE opcintype = 'id_layout'::regtype;

-- The defaults are constants: no function of the extension looks at search_path.
SELECT DISTINCT pg_get_function_arg_default(oid, n)
  FROM function, generate_series(1, 5) AS n WHERE pg_get_function_arg_default(oid, n) IS NOT NULL ORDER BY 1;
