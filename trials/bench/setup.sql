-- What the benchmark calls: idgen, the functions of its own module, and the peers.
CREATE EXTENSION idgen;
CREATE EXTENSION idgen_kinds;

CREATE FUNCTION bench_empty() RETURNS bigint
    AS '$libdir/idgen_bench', 'bench_empty' LANGUAGE C VOLATILE PARALLEL SAFE;
CREATE FUNCTION bench_latency(maker regprocedure, shard bigint, layout id_layout, calls integer, interval_ns integer)
    RETURNS bigint[]
    AS '$libdir/idgen_bench', 'bench_latency' LANGUAGE C VOLATILE STRICT;
CREATE FUNCTION bench_dump() RETURNS void
    AS '$libdir/idgen_bench', 'bench_dump' LANGUAGE C VOLATILE;

CREATE SEQUENCE cache_1;
CREATE SEQUENCE cache_1000 CACHE 1000;

-- The PL/pgSQL function of Instagram's blog post, for shard 5: the same statements under other names.
CREATE SEQUENCE instagram_number;
CREATE FUNCTION instagram_plpgsql(OUT id bigint) AS $$
DECLARE
    epoch_ms bigint := 1314220021721;
    shard int := 5;
    number bigint;
    now_ms bigint;
BEGIN
    SELECT nextval('instagram_number') % 1024 INTO number;
    SELECT floor(extract(epoch FROM clock_timestamp()) * 1000) INTO now_ms;
    id := (now_ms - epoch_ms) << 23;
    id := id | (shard << 10);
    id := id | number;
END;
$$ LANGUAGE plpgsql;

-- The edition in SQL alone, in a schema of its own.
\i sql-only/idgen.sql
SELECT idgen_sql.idgen_set_shards('5');
