-- Parallel workers from the first row on, and whether a query ran in any.
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
CREATE FUNCTION pg_temp.is_parallel(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    line text;
    launched boolean := false;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
        launched := launched OR line ~ 'Workers Launched: [1-9]';
    END LOOP;
    RETURN launched;
END
$$;
