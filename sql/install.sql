-- The extensions, and what the other tests share.
CREATE EXTENSION idgen;
CREATE EXTENSION idgen_kinds;

SELECT extname, extversion = default_version AS is_latest, extrelocatable, extnamespace::regnamespace
  FROM pg_extension
  JOIN pg_available_extensions ON name = extname
 WHERE extname IN ('idgen', 'idgen_kinds') ORDER BY extname;

\getenv inputdir PG_ABS_SRCDIR
\cd :inputdir
\i sql/called.sql
\i sql/vectors.sql
\i sql/helpers.sql
