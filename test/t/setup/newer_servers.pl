# What newer majors of PostgreSQL brought, beside idgen: each part runs where the server has it, and elsewhere the server
# says that it has not.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('newer', init => { allows_streaming => 1 }, conf => ["idgen.shards = '5'"]);
my $major = $node->pg_version->major;
my $session = connect_to($node);
$session->do($_) for split /;\n/, <<'SQL';
CREATE SEQUENCE drawn;
CREATE FUNCTION counted() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT next_id() + 0 * nextval(''drawn'')';
CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT counted(), name text UNIQUE, seen int DEFAULT 0);
INSERT INTO photo (name) SELECT n FROM generate_series(1, 5) AS n
SQL

# Whether the server has it, from a major on; if not, the statement is refused.
sub has
{
	my ($since, $statement, $what) = @_;
	return 1 if $major >= $since;
	ok(!eval { $session->do($statement); 1 }, "$what: PostgreSQL $major has none");
	return 0;
}

# How many IDs a statement draws, and what it returns first.
sub draws
{
	my ($statement) = @_;
	my $before = value_of($session, q{SELECT nextval('drawn')});
	my ($first) = $session->selectrow_array($statement);
	return (value_of($session, q{SELECT nextval('drawn')}) - $before - 1, $first);
}

# Which statements draw an ID for a row that exists.
my $known = value_of($session, q{SELECT id FROM photo WHERE name = '3'});
is((draws(q{INSERT INTO photo (name) VALUES ('3') ON CONFLICT DO NOTHING RETURNING id}))[0], 1, 'ON CONFLICT DO NOTHING draws one');
is_deeply([ draws(q{INSERT INTO photo (name) VALUES ('3') ON CONFLICT (name) DO UPDATE SET seen = photo.seen + 1 RETURNING id}) ], [ 1, $known ],
	'ON CONFLICT DO UPDATE draws one, and returns the known ID');
my $merge = q{MERGE INTO photo USING (VALUES ('3'), ('%s')) AS s (name) ON photo.name = s.name
	WHEN MATCHED THEN UPDATE SET seen = 2 WHEN NOT MATCHED THEN INSERT (name) VALUES (s.name)};
$session->do(sprintf 'CREATE FUNCTION merged() RETURNS void LANGUAGE sql AS $$%s$$', sprintf $merge, 'merged');
is((draws('SELECT merged()'))[0], 1, 'MERGE draws one for the row that it inserts, none for the one that it finds');
my $returning = sprintf($merge, 'returned') . ' RETURNING id';
is_deeply([ draws($returning) ], [ 1, $known ], 'MERGE RETURNING gives the known ID and draws for the other') if has(17, $returning, 'MERGE RETURNING');
my $select = q{INSERT INTO photo (name) VALUES ('3') ON CONFLICT (name) DO SELECT RETURNING id};
is_deeply([ draws($select) ], [ 1, $known ], 'ON CONFLICT DO SELECT draws one, and returns the known ID') if has(19, $select, 'ON CONFLICT DO SELECT');

# Virtual generated columns take no function and no type of an extension. Stored ones do, and the arithmetic of the layout.
my $virtual = 'ALTER TABLE photo ADD made timestamptz GENERATED ALWAYS AS (to_timestamp(((id >> 23) + 1314220021721) / 1000.0)) VIRTUAL';
if (has(18, $virtual, 'a virtual generated column'))
{
	fails_with($session, 'ALTER TABLE photo ADD made timestamptz GENERATED ALWAYS AS (id_time(id)) VIRTUAL', '0A000', qr/user-defined function/, 'virtual: id_time()');
	fails_with($session, 'ALTER TABLE photo ADD code id64 GENERATED ALWAYS AS (id::id64) VIRTUAL', '0A000', qr/user-defined type/, 'virtual: id64');
	$session->do($virtual);
	is(value_of($session, 'SELECT count(*) FROM photo WHERE made <> id_time(id)'), 0, 'virtual: the arithmetic of the layout');
}
$session->do('ALTER TABLE photo ADD stored timestamptz GENERATED ALWAYS AS (id_time(id)) STORED');
is(value_of($session, 'SELECT count(*) FROM photo WHERE stored <> id_time(id)'), 0, 'stored: id_time()');

# A bigint that refers to an id64, one row and many at a time: 19 looks for the rows in another way.
$session->do($_) for split /;\n/, <<'SQL';
CREATE TABLE album (id id64 PRIMARY KEY DEFAULT next_id());
CREATE TABLE track (id bigint PRIMARY KEY DEFAULT next_id());
INSERT INTO album SELECT FROM generate_series(1, 2000);
INSERT INTO track SELECT FROM generate_series(1, 2000);
CREATE TABLE of_album (album bigint REFERENCES album);
CREATE TABLE of_track (track bigint REFERENCES track)
SQL
fails_with($session, 'CREATE TABLE other_track (track id64 REFERENCES track)', '42804', qr/cannot be implemented/, 'an id64 that refers to a bigint');
for my $pair ([ 'of_album', 'album' ], [ 'of_track', 'track' ])
{
	my ($child, $parent) = @$pair;
	$session->do("INSERT INTO $child $_") for "SELECT id FROM $parent", "SELECT min(id::bigint) FROM $parent", 'VALUES (NULL)';
	is(value_of($session, "SELECT count(*) FROM $child"), 2002, "$child: 2,000 rows at once, one, and NULL");
	fails_with($session, "INSERT INTO $child VALUES (5::bigint)", '23503', qr/foreign key constraint/, "$child: a row that is not there");
	fails_with($session, "INSERT INTO $child SELECT id FROM (SELECT id::bigint FROM $parent UNION ALL SELECT 5) AS s", '23503', qr/foreign key constraint/, "$child: one of 2,001 is not there");
	fails_with($session, "DELETE FROM $parent", '23503', qr/foreign key constraint/, "$child: a row that it refers to");
}

# A full backup and an incremental one, put together: what was drawn after the first is known, and no ID is made again.
if (has(17, 'SHOW summarize_wal', 'an incremental backup'))
{
	set_for_server($session, 'summarize_wal', 'on');
	my ($full, $incremental, $both) = map { $node->backup_dir . "/$_" } qw(full incremental both);
	my @connection = ('-h', $node->host, '-p', $node->port, '-c', 'fast', '-D');
	command_ok([ 'pg_basebackup', @connection, $full ], 'a full backup');
	$session->do('INSERT INTO track SELECT FROM generate_series(1, 1000)');
	command_ok([ 'pg_basebackup', @connection, $incremental, '--incremental', "$full/backup_manifest" ], 'an incremental one');
	command_ok([ 'pg_combinebackup', $full, $incremental, '-o', $both ], 'put together');
	my $last = value_of($session, 'SELECT max(id) FROM track');
	my $restored = PostgreSQL::Test::Cluster->new('restored');
	$restored->init_from_backup($node, 'both');
	$node->stop;
	start_again($restored);
	my $on = connect_to($restored);
	is(value_of($on, 'SELECT max(id) FROM track'), $last, 'the restored server has all rows');
	cmp_ok(value_of($on, 'SELECT next_id()'), '>', $last, 'its next ID is above them');
	is(value_of($on, q{SELECT string_agg(key || ': ' || value, ', ') FROM idgen.status() WHERE NOT ok AND key IN ('horizon', 'record')}), undef, 'and its record is whole');
	$on->disconnect;
	$restored->stop;
	start_again($node);
	$session = connect_to($node);
}

# A session of a standby waits for what another one wrote on the primary, and reads it by its ID.
if (has(19, q{WAIT FOR LSN '0/0'}, 'WAIT FOR LSN'))
{
	$node->backup('copy');
	my $standby = PostgreSQL::Test::Cluster->new('reader');
	$standby->init_from_backup($node, 'copy', has_streaming => 1);
	start_again($standby);
	my $reader = connect_to($standby);
	my $found = 0;
	for (1 .. 20)
	{
		my $id = value_of($session, 'INSERT INTO track DEFAULT VALUES RETURNING id');
		my $lsn = value_of($session, 'SELECT pg_current_wal_insert_lsn()');
		is(value_of($reader, "WAIT FOR LSN '$lsn' WITH (timeout '180s')"), 'success', 'the standby has it') or last;
		$found += value_of($reader, "SELECT count(*) FROM track WHERE id = $id");
	}
	is($found, 20, 'and each row is found by its ID');
	$reader->disconnect;
}

done_testing();
