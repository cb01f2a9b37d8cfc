-- Every object of :extensions, and whether it has a comment. Array types come with their types, row types with
-- their tables.
CREATE TEMP VIEW object AS
SELECT e.extname, pg_describe_object(d.classid, d.objid, d.objsubid) AS object,
       obj_description(d.objid, c.relname) AS comment
  FROM pg_depend AS d
  JOIN pg_extension AS e ON e.oid = d.refobjid
  JOIN pg_class AS c ON c.oid = d.classid
  LEFT JOIN pg_type AS t ON d.classid = 'pg_type'::regclass AND t.oid = d.objid
 WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
   AND e.extname IN (:extensions)
   AND (t.typrelid = 0 AND t.typcategory <> 'A') IS NOT FALSE;
SELECT object AS without_comment FROM object WHERE comment IS NULL ORDER BY object COLLATE "C";
SELECT object, comment AS no_phrase FROM object WHERE comment ~ '[^.]\.$|^\s|\s$|^[A-Z][a-z]|\n' ORDER BY object COLLATE "C";
SELECT extname, obj_description(oid, 'pg_extension') FROM pg_extension WHERE extname IN (:extensions) ORDER BY 1;

-- How many objects of each kind an extension makes
SELECT extname, split_part(object, ' ', 1) AS kind, count(*) FROM object GROUP BY GROUPING SETS ((1, 2), (1)) ORDER BY 1, 2 NULLS LAST;
