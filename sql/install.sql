-- The extensions, and what the other tests share.
CREATE EXTENSION idgen;
CREATE EXTENSION idgen_kinds;

SELECT extname, extversion = default_version AS is_latest, extrelocatable, extnamespace::regnamespace
  FROM pg_extension
  JOIN pg_available_extensions ON name = extname
 WHERE extname IN ('idgen', 'idgen_kinds') ORDER BY extname;

\getenv inputdir PG_ABS_SRCDIR
\set called :inputdir /sql/called.sql
\set helpers :inputdir /sql/helpers.sql
\i :called

\i :helpers
