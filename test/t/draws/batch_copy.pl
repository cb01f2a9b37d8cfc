# COPY in batches by a default that is a maker (src/pg/sql/maker_support_sql.cpp): that it does, and that nothing else
# changes. Whatever plans an expression by itself is done with idgen.batch_copy on and off, and answers the same.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use Test::More;

my $node = start_node(
	'batch_copy',
	kinds => 1,
	init  => { allows_streaming => 'logical' },
	conf  => [ 'full_page_writes = off', 'autovacuum = off', "idgen.shards = '5'", 'idgen.horizon_window = 60s' ]);
my $session = connect_to($node);
my $major = int($session->{pg_server_version} / 10000);
my $is_known = grep { $_ == $major } 15, 17, 18, 19;
my $owner = value_of($session, 'SELECT current_user');

# What the statements answer: the rows of the last one, or the SQLSTATE and text of the error.
sub answer
{
	my (@statements) = @_;
	my $rows = eval {
		my $last = pop @statements;
		$session->do($_) for @statements;
		$session->selectall_arrayref($last);
	};
	return join "\n", map { join '|', map { $_ // 'null' } @$_ } @$rows if $rows;
	my ($state, $text) = ($session->state, $session->errstr);
	$session->rollback unless $session->{AutoCommit};
	return "$state $text";
}

# The answer with the setting on and off, which must be the same, and like the pattern.
sub same
{
	my ($what, $pattern, @statements) = @_;
	my %answer;
	for my $value ('on', 'off')
	{
		$session->do('DROP SCHEMA IF EXISTS work CASCADE');
		$session->do($_)
		  for 'CREATE SCHEMA work', 'SET search_path = work, public', "SET idgen.batch_copy = $value", 'GRANT ALL ON SCHEMA work TO PUBLIC';
		$answer{$value} = answer(@statements);
		$session->do($_) for 'ROLLBACK', 'RESET ALL', 'RESET SESSION AUTHORIZATION';
	}
	like($answer{on}, $pattern, $what);
	is($answer{on}, $answer{off}, "$what: the same without batches");
	return;
}
$session->{PrintWarn} = 0;
$session->do('SET client_min_messages = error');

my $rows = q{FROM PROGRAM 'seq 2000'};
my $distinct = 'SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE id_shard(id) = 5) FROM t';

# COPY itself
same('COPY', qr/^2000\|2000\|2000$/, 'CREATE TABLE t (a int, id bigint PRIMARY KEY DEFAULT next_id())', "COPY t (a) $rows", $distinct);
same("COPY by next_id($_)", qr/^2000\|2000$/, "CREATE TABLE t (a int, id bigint DEFAULT next_id($_))", "COPY t (a) $rows", 'SELECT count(*), count(DISTINCT id) FROM t')
  for '5', q{5, 'idgen'}, q{layout => 'snowflake'}, q{shard => 5};
same('COPY with a null shard', qr/^22004 ERROR:  shard must not be null.*CONTEXT:  COPY t, line 1/s, 'CREATE TABLE t (a int, id bigint DEFAULT next_id(NULL))', "COPY t (a) $rows");
same('COPY with a null layout', qr/^22004 ERROR:  layout must not be null/, 'CREATE TABLE t (a int, id bigint DEFAULT next_id(layout => NULL))', "COPY t (a) $rows");
same('COPY by another shard', qr/^22023 ERROR:  shard 6 does not belong to this node\n.*CONTEXT:  COPY t, line 1/s, 'CREATE TABLE t (a int, id bigint DEFAULT next_id(6))', "COPY t (a) $rows");
same('COPY by an impossible shard', qr/^22003 ERROR: /, 'CREATE TABLE t (a int, id bigint DEFAULT next_id(-1))', "COPY t (a) $rows");
same('COPY of nothing', qr/^0\|0\|0$/, 'CREATE TABLE t (a int, id bigint DEFAULT next_id())', q{COPY t (a) FROM PROGRAM 'true'}, $distinct);
same('COPY with an error in the middle', qr/^22P02 .*CONTEXT:  COPY t, line 1500/s, 'CREATE TABLE t (a int, id bigint DEFAULT next_id())', q{COPY t (a) FROM PROGRAM 'seq 1499; echo x; seq 500'});
same('COPY that runs out of IDs', qr/^2200H\|0$/,
	q{CREATE TABLE t (a int, id bigint DEFAULT next_id(5, 'epoch=2020-01-01 unit=1s time=40 shard=10 sequence=2'))}, q{SET idgen.overflow = 'error'},
	q{CREATE FUNCTION state() RETURNS text LANGUAGE plpgsql AS $$BEGIN COPY t (a) FROM PROGRAM 'seq 2000'; EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE; END$$},
	'SELECT state(), (SELECT count(*) FROM t)');
same('COPY that would wait too long', qr/^2200H\|0$/,
	q{CREATE TABLE t (a int, id bigint DEFAULT next_id(5, 'epoch=2020-01-01 unit=1s time=40 shard=10 sequence=2'))}, 'SET idgen.max_wait = 0',
	q{CREATE FUNCTION state() RETURNS text LANGUAGE plpgsql AS $$BEGIN COPY t (a) FROM PROGRAM 'seq 2000'; EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE; END$$},
	'SELECT state(), (SELECT count(*) FROM t)');
same('a canceled COPY', qr/^57014\|0$/,
	'CREATE TABLE t (a int, id bigint DEFAULT next_id())', q{SET statement_timeout = '1s'},
	q{CREATE FUNCTION state() RETURNS text LANGUAGE plpgsql AS $$BEGIN COPY t (a) FROM PROGRAM 'seq 2000; sleep 60'; EXCEPTION WHEN query_canceled THEN RETURN SQLSTATE; END$$},
	'SELECT state(), (SELECT count(*) FROM t)');
same('COPY FREEZE', qr/^2000\|2000\|2000$/, 'BEGIN', 'CREATE TABLE t (a int, id bigint DEFAULT next_id())', "COPY t (a) $rows WITH (FREEZE)", $distinct);
same('COPY with a condition', qr/^1001\|1001\|1001$/, 'CREATE TABLE t (a int, id bigint DEFAULT next_id())', "COPY t (a) $rows WHERE a >= 1000 AND id > 0", $distinct);
same('COPY with a condition that is a maker', qr/^2000\|2000\|2000$/, 'CREATE TABLE t (a int, id bigint DEFAULT next_id())', "COPY t (a) $rows WHERE id < next_id()", $distinct);
same('COPY of a column DEFAULT', qr/^1000\|1000\|1000$/, 'CREATE TABLE t (a int, id bigint DEFAULT next_id())',
	q{COPY t (a, id) FROM PROGRAM 'seq -f "%.0f	D" 1000' WITH (DEFAULT 'D')}, $distinct)
  if $major >= 16;
same('COPY with a trigger before each row', qr/^2000\|2000\|1999$/, 'CREATE TABLE t (a int, id bigint DEFAULT next_id(), seen int)',
	q{CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN NEW.seen := (SELECT count(*) FROM t WHERE id < NEW.id); RETURN NEW; END$$},
	'CREATE TRIGGER look BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION look()', "COPY t (a) $rows", 'SELECT count(*), count(DISTINCT id), max(seen) FROM t');
same('COPY with a default that looks at the table', qr/^2000\|1999$/, 'CREATE TABLE t (a int, id bigint)',
	q{CREATE FUNCTION look(bigint) RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT count(*) + $1 - $1 FROM t'},
	'ALTER TABLE t ALTER id SET DEFAULT look(next_id())', "COPY t (a) $rows", 'SELECT count(DISTINCT id), max(id) FROM t');
same('COPY into partitions by ID', qr/^2000\|2000\|0$/, 'CREATE TABLE t (a int, id bigint DEFAULT next_id()) PARTITION BY HASH (id)',
	(map { "CREATE TABLE t$_ PARTITION OF t FOR VALUES WITH (MODULUS 4, REMAINDER $_)" } 0 .. 3), "COPY t (a) $rows",
	q{SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE NOT satisfies_hash_partition('t'::regclass, 4, right(tableoid::regclass::text, 1)::int, id)) FROM t});
same('COPY with a trigger after each row', qr/^2000\|2000$/, 'CREATE TABLE t (a int, id bigint DEFAULT next_id())', 'CREATE TABLE seen (id bigint)',
	q{CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN INSERT INTO seen VALUES (NEW.id); RETURN NULL; END$$},
	'CREATE TRIGGER look AFTER INSERT ON t FOR EACH ROW WHEN (NEW.id < next_id()) EXECUTE FUNCTION look()', "COPY t (a) $rows",
	'SELECT count(DISTINCT id), (SELECT count(*) FROM t JOIN seen USING (id)) FROM seen');

# What rewrites a table, or evaluates a default once for all rows if that is allowed
my $table = 'CREATE TABLE t AS SELECT n AS a FROM generate_series(1, 2000) AS n';
same("ADD COLUMN $_", qr/^2000\|0$/, $table, 'CREATE DOMAIN own AS bigint DEFAULT next_id()', 'CREATE DOMAIN positive AS bigint CHECK (VALUE > 0)',
	"ALTER TABLE t ADD COLUMN id $_", q{SELECT count(DISTINCT id), bool_or(atthasmissing) FROM t, pg_attribute WHERE attrelid = 't'::regclass AND attname = 'id' GROUP BY attrelid})
  for 'bigint DEFAULT next_id()', 'bigint NOT NULL DEFAULT next_id(5)', 'text DEFAULT next_id()', q{text DEFAULT 'x' || next_id()}, 'id64 DEFAULT next_id()', 'own',
  'positive DEFAULT next_id()', 'uuid DEFAULT next_uuidv7()', 'bigint DEFAULT hlc_now()', 'bigint DEFAULT COALESCE(next_id(), 1)', 'bigint[] DEFAULT ARRAY[next_id()]',
  'bigint DEFAULT CASE WHEN true THEN next_id() END';
same('ADD COLUMN by a function in SQL', qr/^2000$/, $table, q{CREATE FUNCTION own() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT next_id()'}, 'ALTER TABLE t ADD COLUMN id bigint DEFAULT own()',
	'SELECT count(DISTINCT id) FROM t');
same('an argument that a function in SQL uses twice', qr/^2000\|2000$/, 'CREATE TABLE t (a int, id bigint[])', q{CREATE FUNCTION twice(bigint) RETURNS bigint[] LANGUAGE sql VOLATILE AS 'SELECT ARRAY[$1, $1]'},
	'ALTER TABLE t ALTER id SET DEFAULT twice(next_id())', "COPY t (a) $rows", 'SELECT count(DISTINCT id), count(*) FILTER (WHERE id[1] = id[2]) FROM t');
same('ALTER TYPE USING', qr/^2000\|2000\|2000$/, $table, 'ALTER TABLE t ADD COLUMN id int', 'ALTER TABLE t ALTER id TYPE bigint USING next_id()', $distinct);
same('ALTER TYPE USING with a cast', qr/^2000$/, $table, 'ALTER TABLE t ALTER a TYPE text USING next_id()', 'SELECT count(DISTINCT a) FROM t');
same('CREATE TABLE LIKE', qr/^next_id\(\)\|2000$/, 'CREATE TABLE o (a int, id bigint DEFAULT next_id())', 'CREATE TABLE t (LIKE o INCLUDING ALL)', "COPY t (a) $rows",
	q{SELECT pg_get_expr(adbin, adrelid), (SELECT count(DISTINCT id) FROM t) FROM pg_attrdef WHERE adrelid = 't'::regclass});

# What is stored is what was written.
same('the default of a column', qr/^next_id\(\)$/, 'CREATE TABLE t (id bigint DEFAULT next_id())', 'ALTER TABLE t ADD COLUMN other bigint DEFAULT next_id()',
	q{SELECT DISTINCT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 't'::regclass});
same('no catalog has the call that COPY makes', qr/^0$/, 'CREATE DOMAIN own AS bigint DEFAULT next_id() CHECK (VALUE < next_id())',
	'CREATE TABLE t (a int, id own, other bigint DEFAULT next_id() CHECK (other < next_id()))', "COPY t (a) $rows", 'ALTER TABLE t ADD COLUMN third bigint DEFAULT next_id()',
	q{SELECT count(*) FROM pg_depend WHERE refobjid = 'idgen.draw(internal)'::regprocedure AND deptype <> 'e'});
same('a bound of a partition', qr/^FOR VALUES FROM \('\d+'\) TO \('9+'\)|same$/, 'CREATE TABLE t (id bigint DEFAULT next_id()) PARTITION BY RANGE (id)',
	'CREATE TABLE p PARTITION OF t FOR VALUES FROM (next_id()) TO (9223372036854775806)', 'CREATE TABLE low PARTITION OF t DEFAULT',
	'INSERT INTO t SELECT FROM generate_series(1, 100)',
	q{SELECT 'same' FROM pg_class WHERE oid = 'p'::regclass AND pg_get_expr(relpartbound, oid) ~ '^FOR VALUES FROM \(''\d{18,}''\) TO \(''9223372036854775806''\)$' AND (SELECT count(*) FROM p) = 100});

# What is refused, and with which words
same('a generated column', qr/^42P17 ERROR:  generation expression is not immutable/, 'CREATE TABLE t (a int, id bigint GENERATED ALWAYS AS (next_id(a)) STORED)');
same('a virtual column', qr/^\w{5} ERROR: /, 'CREATE TABLE t (a int, id bigint GENERATED ALWAYS AS (next_id(a)) VIRTUAL)');
same('an index on a call', qr/^42P17 ERROR:  functions in index expression must be marked IMMUTABLE/, $table, 'CREATE INDEX ON t (next_id(a))');
same('an index with a condition', qr/^42P17 ERROR:  functions in index predicate must be marked IMMUTABLE/, $table, 'CREATE INDEX ON t (a) WHERE next_id() > a');
same('partitions by a call', qr/^42P17 ERROR:  functions in partition key expression must be marked IMMUTABLE/, 'CREATE TABLE t (a int) PARTITION BY RANGE (next_id(a))');
same('statistics on a call', qr/^\d+$/, $table, 'CREATE STATISTICS s ON (next_id(5 + a - a)), a FROM t', 'ANALYZE t', 'SELECT count(*) FROM pg_statistic_ext_data JOIN pg_statistic_ext ON oid = stxoid');
same('a call in a publication', qr/^0A000 ERROR:  invalid publication WHERE expression/, $table, 'CREATE PUBLICATION p FOR TABLE t WHERE (a < next_id())');

# Checks and domains, row by row
same('a CHECK that a row fails', qr/^23514 .*CONTEXT:  COPY t, line 3/s, 'CREATE TABLE t (id bigint CHECK (id < next_id()))', q{COPY t FROM PROGRAM 'echo 1; echo 2; echo 9223372036854775807'});
same('a domain', qr/^2000\|2000\|2000$/, 'CREATE DOMAIN own AS bigint DEFAULT next_id() CHECK (VALUE < next_id() AND id_shard(VALUE) = 5)', 'CREATE TABLE t (a int, id own)', "COPY t (a) $rows", $distinct);
same('a domain that a row fails', qr/^23514 /, 'CREATE DOMAIN old AS bigint CHECK (VALUE < next_id())', 'SELECT 1::bigint::old, 9223372036854775807::bigint::old');
same('a check of the whole table', qr/^23514 /, $table, 'INSERT INTO t VALUES (1)', 'ALTER TABLE t ADD CHECK (a > next_id())');

# PL/pgSQL, CALL and EXECUTE
same('PL/pgSQL', qr/^1000\|1$/,
	q{CREATE FUNCTION many() RETURNS SETOF bigint LANGUAGE plpgsql AS $$DECLARE first bigint := next_id(); BEGIN FOR i IN 1 .. 999 LOOP RETURN NEXT next_id(); END LOOP; RETURN NEXT first; END$$},
	'SELECT count(DISTINCT id), bool_and(id_shard(id) = 5) FROM many() AS id');
same('CALL', qr/^3$/, 'CREATE TABLE t (id bigint)', q{CREATE PROCEDURE keep(bigint) LANGUAGE sql AS 'INSERT INTO t VALUES ($1)'}, ('CALL keep(next_id())') x 3, 'SELECT count(DISTINCT id) FROM t');
same('EXECUTE', qr/^3$/, 'DEALLOCATE ALL', 'CREATE TABLE t (id bigint)', 'PREPARE keep (bigint) AS INSERT INTO t VALUES ($1)', ('EXECUTE keep(next_id())') x 3, 'SELECT count(DISTINCT id) FROM t');
same('EXECUTE of an array, by the plan that is kept', qr/^21$/, 'DEALLOCATE ALL', 'CREATE TABLE t (id bigint)', 'PREPARE keep (int) AS INSERT INTO t SELECT unnest(next_id_array($1))', ('EXECUTE keep(3)') x 7, 'SELECT count(DISTINCT id) FROM t');
same("EXPLAIN of $_->[0]", $_->[1], "EXPLAIN (VERBOSE, COSTS OFF) SELECT $_->[0]")
  for [ 'next_id()', qr/^Result\n  Output: next_id\(\)$/ ], [ 'next_id(5)', qr/^Result\n  Output: next_id\('5'::bigint, 'instagram'::id_layout\)$/ ],
  [ q{next_id(layout => 'idgen')}, qr/^Result\n  Output: next_id\('-9223372036854775808'::bigint, 'idgen'::id_layout\)$/ ],
  [ 'next_id(idgen.own_shards())', qr/^Result\n  Output: next_id\(\)$/ ],
  [ 'next_id_array(3)', qr/^Result\n  Output: next_id_array\(3, '-9223372036854775808'::bigint, 'instagram'::id_layout\)$/ ],
  [ '* FROM next_ids(3)', qr/^Function Scan .*Function Call: next_ids\('3'::bigint, '-9223372036854775808'::bigint, 'instagram'::id_layout\)$/s ];

# A foreign table, whose rows are sent by another session of the server itself
$session->do('CREATE EXTENSION postgres_fdw');
$session->do(sprintf q{CREATE SERVER itself FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '%s', port '%s', dbname 'postgres', batch_size '100')}, $node->host, $node->port);
$session->do('CREATE USER MAPPING FOR CURRENT_USER SERVER itself');
same('COPY into a foreign table', qr/^2000\|2000\|2000$/, 'CREATE TABLE there (a int, id bigint)',
	q{CREATE FOREIGN TABLE t (a int, id bigint DEFAULT next_id()) SERVER itself OPTIONS (schema_name 'work', table_name 'there')}, "COPY t (a) $rows", $distinct);

# The source of a call without arguments is kept from one statement to the next, as long as the settings are.
same('other shards in the session', qr/^55000 ERROR:  idgen\.shards is not set\n/, 'CREATE TABLE t (a int, id bigint DEFAULT next_id())', 'INSERT INTO t VALUES (5)', q{SET idgen.shards = '7'}, 'INSERT INTO t VALUES (7)',
	q{SET idgen.shards = ''}, 'INSERT INTO t VALUES (0)');
same('other shards after an error', qr/^5\|5\n7\|7\n8\|8$/, 'CREATE TABLE t (a int, id bigint DEFAULT next_id())', 'INSERT INTO t VALUES (5)', q{SET idgen.shards = '7'}, 'INSERT INTO t VALUES (7)',
	q{SET idgen.shards = '99999'}, q{DO 'BEGIN INSERT INTO t VALUES (0); EXCEPTION WHEN numeric_value_out_of_range THEN NULL; END'}, q{SET idgen.shards = '8'},
	q{COPY t (a) FROM PROGRAM 'echo 8'}, 'SELECT a, id_shard(id) FROM t ORDER BY a');

# Rights: as the server refuses the call itself
$session->do('CREATE ROLE app LOGIN');
$session->do('GRANT pg_execute_server_program TO app');
my @revoke = ('BEGIN', 'REVOKE EXECUTE ON FUNCTION next_id FROM PUBLIC');
my $refused = qr/^42501 ERROR:  permission denied for function next_id$/;
my $of_app = 'ALTER TABLE t OWNER TO app';
my @as_app = ('SAVEPOINT s', 'SET LOCAL SESSION AUTHORIZATION app');
same("$_->[0] without the right", $refused, @revoke, 'CREATE TABLE t (a int, id bigint DEFAULT next_id())', $of_app, @as_app, $_->[1])
  for [ 'COPY', "COPY t (a) $rows" ], [ 'COPY of nothing', q{COPY t (a) FROM PROGRAM 'true'} ], [ 'ADD COLUMN', 'ALTER TABLE t ADD COLUMN other bigint DEFAULT next_id()' ],
  [ 'INSERT', 'INSERT INTO t VALUES (1)' ];
same('a role that SET ROLE gives the right', qr/^2000\|2000\|2000$/, @revoke, 'GRANT EXECUTE ON FUNCTION next_id TO app', 'CREATE TABLE t (a int, id bigint DEFAULT next_id())', $of_app,
	'SET LOCAL ROLE app', "COPY t (a) $rows", $distinct);
same('a domain that a role with the right has used before', qr/^42501 ERROR:  permission denied for function next_id\n/, @revoke, 'CREATE DOMAIN own AS bigint CHECK (VALUE < next_id())', 'CREATE TABLE t (id own)', $of_app,
	q{COPY t FROM PROGRAM 'seq 5'}, @as_app, q{COPY t FROM PROGRAM 'seq 5'});
same('idgen.draw() in SQL', qr/^42883 ERROR:  function idgen\.draw\(unknown\) does not exist/, 'SELECT idgen.draw(NULL)');
same('idgen.draw() by a parameter', qr/^(?:0A000|42883) ERROR:  (?:idgen\.draw\(\) cannot be called in SQL\n|functions accepting type "internal" cannot be called explicitly)/, 'DEALLOCATE ALL', 'PREPARE call (internal) AS SELECT idgen.draw($1) IS NULL', 'EXECUTE call(NULL)');
same('what it does where an earlier minor lets a null through', qr/^0A000 ERROR:  idgen\.draw\(\) cannot be called in SQL\n/,
	q{CREATE FUNCTION bare(bigint) RETURNS bigint LANGUAGE C AS 'idgen', 'idgen_draw'}, 'SELECT bare(NULL)');
same('a role without the right to call idgen.draw()', qr/^2000\|2000\|2000$/, 'BEGIN', 'REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA idgen FROM PUBLIC', 'CREATE TABLE t (a int, id bigint DEFAULT next_id())', $of_app,
	'SET LOCAL ROLE app', "COPY t (a) $rows", $distinct);
same('COPY with an empty search_path', qr/^2000\|2000\|2000$/, 'CREATE TABLE t (a int, id bigint DEFAULT next_id())', q{SET search_path = ''}, "COPY work.t (a) $rows", 'SET search_path = work, public', $distinct);
same('functions that are counted', qr/^next_id\|2000$/, 'CREATE TABLE t (a int, id bigint DEFAULT next_id())', q{SELECT pg_stat_reset_single_function_counters('next_id'::regproc)}, q{SET track_functions = 'all'},
	"COPY t (a) $rows", q{SET track_functions = 'none'}, 'SELECT pg_stat_force_next_flush()', q{SELECT funcname, calls FROM pg_stat_user_functions WHERE funcname IN ('next_id', 'draw') AND calls > 0});

# Replication: what the subscriber adds to rows from elsewhere, first by COPY, then row by row
$session->do('CREATE DATABASE target');
my $target = connect_to($node, db => 'target');
$target->do('SET client_min_messages = error');
$target->do('CREATE EXTENSION idgen');
for my $value ('on', 'off')
{
	$session->do($_) for "ALTER SYSTEM SET idgen.batch_copy = $value", 'SELECT pg_reload_conf()', 'DROP TABLE IF EXISTS sent', 'CREATE TABLE sent (a int PRIMARY KEY)',
	  'INSERT INTO sent SELECT generate_series(1, 1000)', 'CREATE PUBLICATION sent FOR TABLE sent', q{SELECT pg_create_logical_replication_slot('sent', 'pgoutput')};
	$target->do($_) for 'DROP TABLE IF EXISTS sent', 'CREATE TABLE sent (a int PRIMARY KEY, id bigint DEFAULT next_id())',
	  sprintf q{CREATE SUBSCRIPTION sent CONNECTION '%s' PUBLICATION sent WITH (create_slot = false, slot_name = 'sent')}, $node->connstr('postgres') =~ s/'/''/gr;
	wait_until($target, 'SELECT count(*) = 1000 FROM sent');
	wait_until($target, q{SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel});
	$session->do('INSERT INTO sent SELECT generate_series(1001, 2000)');
	wait_until($target, 'SELECT count(*) = 2000 FROM sent');
	is(value_of($target, 'SELECT count(DISTINCT id) FROM sent WHERE id_shard(id) = 5'), 2000, "a subscriber's own column, batch_copy $value");
	$target->do('DROP SUBSCRIPTION sent');
	$session->do('DROP PUBLICATION sent');
}
$session->do('ALTER SYSTEM RESET idgen.batch_copy');
$session->do('SELECT pg_reload_conf()');
$target->disconnect;

# A reader by ID, while rows wait in the batch of a COPY that goes on
my $copying = connect_to($node);
$session->do('CREATE TABLE polled (a int, id bigint DEFAULT next_id())');
my $before = value_of($session, 'SELECT next_id()');
my $drawn = value_of($session, 'SELECT sum(ids) FROM idgen.stat_shard');
$copying->do('COPY polled (a) FROM STDIN');
$copying->pg_putcopydata("$_\n") for 1 .. 20_500;
wait_until($session, "SELECT sum(ids) > $drawn + 1000 FROM idgen.stat_shard");
my $settled = value_of($session, 'SELECT id_settled()');
$copying->pg_putcopyend;
cmp_ok($settled, '>', $before, 'a reader goes on up to the COPY');
cmp_ok(value_of($session, 'SELECT min(id) FROM polled'), '>=', $settled, 'and not into its rows, which are still in a batch');
is(value_of($session, 'SELECT count(DISTINCT id) FROM polled'), 20_500, 'they are all there in the end');
cmp_ok(value_of($session, 'SELECT id_settled()'), '>', value_of($session, 'SELECT max(id) FROM polled'), 'and the reader goes on');

# The WAL of a COPY, in bytes
sub wal_of
{
	my ($column, $value) = @_;
	$session->do($_) for 'DROP TABLE IF EXISTS loaded', "CREATE TABLE loaded (a int, id $column)", "SET idgen.batch_copy = $value";
	my $from = value_of($session, 'SELECT pg_current_wal_insert_lsn()');
	$session->do(q{COPY loaded (a) FROM PROGRAM 'seq 20000'});
	return value_of($session, 'SELECT pg_current_wal_insert_lsn() - ?::pg_lsn', $from);
}
my $by_nextval = wal_of('bigserial PRIMARY KEY', 'on');
my $by_next_id = wal_of('bigint PRIMARY KEY DEFAULT next_id()', 'on');
note "bytes of WAL: $by_next_id by next_id(), $by_nextval by nextval()";
cmp_ok($by_next_id, '<=', 1.05 * $by_nextval, 'the WAL of a COPY by next_id() is at most that by nextval()') if $is_known;
for my $column (
	'bigint DEFAULT next_id()', q{bigint DEFAULT next_id(5, 'idgen')}, 'text DEFAULT next_id()', 'uuid DEFAULT next_uuidv7()', 'ulid DEFAULT next_ulid()', 'ksuid DEFAULT next_ksuid()',
	'objectid DEFAULT next_objectid()', 'text DEFAULT next_nanoid()', 'bigint DEFAULT next_decimal_id()', 'bigint DEFAULT hlc_now()')
{
	my ($on, $off) = map { wal_of($column, $_) } 'on', 'off';
	note "bytes of WAL: $on, in single rows $off: $column";
	cmp_ok($on, $is_known ? '<' : '>', 0.75 * $off, "$column: COPY inserts " . ($is_known ? 'in batches' : 'single rows'));
	is(value_of($session, 'SELECT count(DISTINCT id) FROM loaded'), 20_000, "$column: all distinct");
}

done_testing();
