SELECT count(*) FROM post WHERE id_within(id, '[2026-01-05 00:00:00+00, 2026-01-06 00:00:00+00)');
SELECT id_shard(id) AS shard, count(*), min(id_time(id)) AS first, max(id_time(id)) AS last FROM post GROUP BY 1 ORDER BY 1;
