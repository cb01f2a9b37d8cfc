-- DecimalIds: 9 digits counter, 5 digits generator, 5 digits launch.
SELECT id, d.* FROM unnest('{10000100000,1234567891234567890,9223372029999999999,20000300004}'::bigint[]) AS id, decimal_id_decode(id) AS d;
-- What is none
SELECT id FROM unnest('{-1,0,9999999999,10000000000,10000099999,9223372030000100000,9223372036854775807,-9223372036854775808,NULL}'::bigint[]) AS id
 WHERE decimal_id_decode(id) IS NOT NULL;

-- One counter, one generator, the launch of the setting
SELECT count(DISTINCT id), max(d.counter) - min(d.counter) AS counters, count(DISTINCT d.generator) AS generators, max(d.launch) AS launch
  FROM (SELECT next_decimal_id() AS id FROM generate_series(1, 5000)) AS made, decimal_id_decode(id) AS d;
SELECT next_decimal_id() AS a \gset
SELECT (next_decimal_id() - :a) % 10000000000 AS below_the_counter;
SELECT d.generator = last_value AS generator FROM decimal_id_decode(next_decimal_id()) AS d, idgen.generator;
SET idgen.decimal_launch = 67890;
SELECT (decimal_id_decode(next_decimal_id())).launch, next_decimal_id() % 100000 AS at_a_glance;
CREATE TEMP TABLE deal (id bigint PRIMARY KEY DEFAULT next_decimal_id());
INSERT INTO deal SELECT FROM generate_series(1, 10);
SELECT count(*) FROM deal WHERE id % 100000 = 67890;
BEGIN READ ONLY;
SELECT next_decimal_id() > 0 AS read_only;
COMMIT;
