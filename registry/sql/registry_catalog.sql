-- What CREATE EXTENSION idgen_registry made.
\getenv house PG_ABS_SRCDIR
\set objects :house /../sql/objects.sql
\set extensions '''idgen_registry'''
\set ECHO none
\i :objects
