-- idgen.shards and idgen.region: the syntax, and which shard a maker draws from.

-- Numbers and ranges, in any order
SET idgen.shards = '5';
SELECT array_agg(DISTINCT id_shard(id) ORDER BY id_shard(id)) FROM next_ids(100) AS id;
SET idgen.shards = ' 8 - 11 , 4,1 ';
SHOW idgen.shards;
-- One session can use the whole pool: 6 shards of 64 IDs in 10 ms.
SELECT count(*), bool_and(id_shard(id, layout) IN (1, 4, 8, 9, 10, 11)) AS own, count(DISTINCT id_shard(id, layout)) AS shards
  FROM CAST('epoch=2020-01-01 unit=10ms time=40 shard=10 sequence=6' AS id_layout) AS layout, next_ids(5000, layout => layout) AS id;
SET idgen.shards = '3-5,4-9,10,0-1';
SELECT count(*) FROM (SELECT DISTINCT id_shard(next_id(shard)) FROM unnest('{0,1,3,4,5,6,7,8,9,10}'::bigint[]) AS shard) AS own;
SET idgen.shards = '0-2147483647';
SET idgen.shards = '  ';
SET idgen.shards = '';

-- Refused when it is set
SET idgen.shards = 'five';
SET idgen.shards = '-1';
SET idgen.shards = '5-';
SET idgen.shards = '9-5';
SET idgen.shards = '1,,2';
SET idgen.shards = '1,2,';
SET idgen.shards = '1 2';
SET idgen.shards = '1;2';
SET idgen.shards = '1-2-3';
SET idgen.shards = '2147483648';
SET idgen.shards = '0-99999999999999999999';
SET idgen.shards = '0x5';
SET idgen.shards = '1.5';
\set VERBOSITY sqlstate
SET idgen.shards = 'five';
SET idgen.region = -1;
\set VERBOSITY default
SHOW idgen.shards;

\pset format unaligned
\pset tuples_only
-- Unset
SELECT refusals('next_id()', 'next_id(idgen.own_shards(), ''twitter'')', 'next_ids(1)', 'next_id_array(1)');
RESET idgen.shards;
-- Set for this database after this connection began
ALTER DATABASE :DBNAME SET idgen.shards = '5';
SELECT refusals('next_id()');
SET idgen.shards = '';
SELECT refusals('next_id()');
RESET idgen.shards;
SELECT refusals('next_id()');
ALTER DATABASE :DBNAME RESET idgen.shards;
ALTER ROLE :USER SET idgen.shards = '5';
SELECT refusals('next_id()');
ALTER ROLE :USER RESET idgen.shards;
-- Set to nothing: to reconnect would not help.
ALTER DATABASE :DBNAME SET idgen.shards = '';
SELECT refusals('next_id()');
ALTER DATABASE :DBNAME RESET idgen.shards;
-- For another role it is of no matter.
CREATE ROLE regress_idgen;
ALTER ROLE regress_idgen SET idgen.shards = '5';
SELECT refusals('next_id()');
DROP ROLE regress_idgen;

-- Without idgen.shards an explicit shard may be any of the layout; a layout without shard field needs none.
\pset format aligned
\pset tuples_only off
SELECT id_shard(next_id(0)), id_shard(next_id(8191)), id_shard(next_id(65535, 'sonyflake'), 'sonyflake'),
       id_shard(next_id(layout => 'mastodon'), 'mastodon'), next_id(0, 'mastodon') > 0 AS mastodon;
\pset format unaligned
\pset tuples_only
SELECT refusals('next_id(8192)', 'next_id(-1)', 'next_id(-9223372036854775807)', 'next_id(9223372036854775807)', 'next_id(4294967301)',
                'next_id(65536, ''sonyflake'')', 'next_id(1, ''mastodon'')', 'next_ids(1, 8192)', 'next_id_array(1, 8192)');

-- An explicit shard must be among the node's own.
SET idgen.shards = '5,8-9';
SELECT refusals('next_id(6)', 'next_ids(1, 7)', 'next_id_array(1, 10, ''snowflake'')', 'next_id(8192)');
\pset format aligned
\pset tuples_only off
SELECT id_shard(next_id(9)), (SELECT id_shard(id) FROM next_ids(1, 8) AS id), id_shard((next_id_array(1, 5))[1]);

-- The range of idgen.shards is checked against the layout of each call.
SET idgen.shards = '200-300';
SELECT id_shard(next_id()) BETWEEN 200 AND 300 AS instagram, next_id(layout => 'mastodon') > 0 AS mastodon;
SELECT next_id(layout => 'mastodon') < next_id(layout => 'mastodon') AS told_before;
\pset format unaligned
\pset tuples_only
SELECT refusals('next_id(layout => ''js53'')', 'next_ids(1, layout => ''js53'')', 'next_id(300, ''js53'')');
\pset format aligned
\pset tuples_only off
SELECT id_shard(next_id(255, 'js53'), 'js53');

-- The region is put above the shard: 3 above 10 is 106.
SET idgen.shards = '10';
SET idgen.region = 3;
SELECT id_shard(id, 'twitter'), id_region(id, 'twitter') FROM next_id(layout => 'twitter') AS id;
SELECT id_shard(id, 'discord'), id_region(id, 'discord') FROM next_ids(1, layout => 'discord') AS id;
-- An explicit shard may be given without its region or with it.
SELECT id_shard(next_id(10, 'twitter'), 'twitter'), id_shard(next_id(106, 'twitter'), 'twitter');
SET idgen.shards = '0-31';
SELECT bool_and(id_shard(id, 'twitter') BETWEEN 96 AND 127) AS own, bool_and(id_region(id, 'twitter') = 3) AS region
  FROM next_ids(10000, layout => 'twitter') AS id;
SELECT id_shard(next_id(0, 'twitter'), 'twitter'), id_shard(next_id(31, 'twitter'), 'twitter');
\pset format unaligned
\pset tuples_only
SELECT refusals('next_id()', 'next_id(5)', 'next_id(layout => ''mastodon'')', 'next_id(32, ''twitter'')', 'next_id(138, ''twitter'')',
                'next_id(1024, ''twitter'')', 'next_id(-1, ''twitter'')');
SET idgen.shards = '10';
SELECT refusals('next_id(11, ''twitter'')', 'next_id(107, ''twitter'')');
SET idgen.shards = '32';
SELECT refusals('next_id(layout => ''twitter'')');
SET idgen.shards = '10,106';
SELECT refusals('next_id(layout => ''twitter'')');
SET idgen.region = 32;
SELECT refusals('next_id(10, ''twitter'')', 'next_id(layout => ''twitter'')');
\pset format aligned
\pset tuples_only off
-- Without a region the whole number is the shard.
SET idgen.region = 0;
SET idgen.shards = '106';
SELECT id_shard(id, 'twitter'), id_region(id, 'twitter') FROM next_id(layout => 'twitter') AS id;

-- A change takes effect at the next call, also within a statement that is prepared.
PREPARE own AS SELECT id_shard(next_id());
SET idgen.shards = '1';
EXECUTE own;
SET idgen.shards = '2';
EXECUTE own;
BEGIN;
SET LOCAL idgen.shards = '3';
EXECUTE own;
ROLLBACK;
EXECUTE own;
SELECT id_shard(next_id()) AS before, set_config('idgen.shards', '4', false), id_shard(next_id()) AS after;
DEALLOCATE own;
-- Also between the rows of one call
SELECT n, set_config('idgen.shards', n::text, false) AS shards, id_shard(next_id()) FROM generate_series(1, 3) AS n;
SELECT n, set_config('idgen.region', n::text, false) AS region, id_shard(next_id(layout => 'twitter'), 'twitter') FROM generate_series(0, 2) AS n;
