INSERT INTO post
SELECT id_make(at, shard, 0), 0, 'old', gen_random_uuid()
  FROM generate_series('2026-01-01 00:00:00+00'::timestamptz, '2026-01-31 23:50:00+00', '10 minutes') AS at,
       (SELECT id_shard(next_id()) AS shard) AS own;
