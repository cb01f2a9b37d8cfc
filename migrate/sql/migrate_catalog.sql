-- What CREATE EXTENSION idgen_migrate made.
\getenv house PG_ABS_SRCDIR
\set objects :house /../sql/objects.sql
\set extensions '''idgen_migrate'''
\set ECHO none
\i :objects
