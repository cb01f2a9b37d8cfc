-- The view `called`: the functions of idgen and idgen_kinds that people call, which are all but those that a type, an operator, an
-- operator class, an aggregate, a cast, a trigger or the planner calls by itself. An aggregate whose arguments have no names is part of a
-- type or of a function; a body that was bound when it was made is part of a function. Read by install.sql, and by the README's test.
CREATE VIEW called AS
WITH function AS (
    SELECT p.* FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
     WHERE d.refobjid IN (SELECT oid FROM pg_extension WHERE extname IN ('idgen', 'idgen_kinds'))
)
SELECT oid, proname, prokind, pronargs, proargnames FROM function AS f
 WHERE NOT EXISTS (SELECT FROM pg_type WHERE f.oid IN (typinput, typoutput, typreceive, typsend))
   AND NOT EXISTS (SELECT FROM pg_operator WHERE oprcode = f.oid)
   AND NOT EXISTS (SELECT FROM pg_amproc WHERE amproc = f.oid)
   AND NOT EXISTS (SELECT FROM pg_aggregate WHERE f.oid IN (aggfnoid, aggtransfn, aggfinalfn, aggcombinefn) AND f.proargnames IS NULL)
   AND NOT EXISTS (SELECT FROM pg_cast WHERE castfunc = f.oid)
   AND f.prosqlbody IS NULL
   AND f.prorettype NOT IN ('internal'::regtype, 'trigger'::regtype);
