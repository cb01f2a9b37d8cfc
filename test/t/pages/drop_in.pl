# Taking over from the well-known PL/pgSQL function, as docs/migration.md says: same layout, same epoch, IDs go on
# above.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use IdgenPages;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('drop_in', extension => 0);
my ($section) = page('migration') =~ /^## Taking over a PL\/pgSQL next_id\(\)\n(.*?)^## /ms;
my ($rename, $beside, @more) = $section =~ /((?:^    .*\n)+)/mg;
ok($beside && !@more, 'the page has two ways');

# A table as the blog post's readers have it, with 3,000 rows.
sub make_old_database
{
	my ($db) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $db");
	$node->safe_psql($db, <<'SQL');
CREATE SEQUENCE photo_seq;
CREATE FUNCTION next_id(OUT result bigint) LANGUAGE plpgsql AS $$
DECLARE
    our_epoch bigint := 1314220021721;
    now_ms bigint := floor(extract(epoch FROM clock_timestamp()) * 1000);
    shard_id int := 5;
BEGIN
    result := (now_ms - our_epoch) << 23 | (shard_id << 10) | (nextval('photo_seq') % 1024);
END
$$;
CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id(), made timestamptz DEFAULT clock_timestamp(), by text DEFAULT 'old');
SQL
	$node->safe_psql($db, "INSERT INTO photo (id) SELECT next_id() FROM generate_series(1, 3000) ON CONFLICT DO NOTHING");
	return;
}

# What must hold once the default is ours: later IDs larger, all decoded rightly.
sub check_taken_over
{
	my ($db, $what, $schema) = @_;
	$node->safe_psql($db, "INSERT INTO photo (by) SELECT 'new' FROM generate_series(1, 3000)");
	is( $node->safe_psql($db, "SELECT max(id) FILTER (WHERE by = 'old') < min(id) FILTER (WHERE by = 'new') FROM photo"),
		't', "$what: later IDs are larger than all earlier ones");
	is( $node->safe_psql($db, <<"SQL"),
SELECT by, count(*), bool_and(shard = 5), bool_and(abs(extract(epoch FROM made - created_at)) < 1)
  FROM photo, $schema.id_decode(id) GROUP BY by ORDER BY by DESC
SQL
		join("\n", 'old|' . $node->safe_psql($db, "SELECT count(*) FROM photo WHERE by = 'old'") . '|t|t', 'new|3000|t|t'),
		"$what: id_decode is right for both");
	return;
}

make_old_database('renamed');
my ($status, $out, $error) = $node->psql('renamed', 'CREATE EXTENSION idgen');
like($error, qr/functions of the same name exist in schema public: next_id\(\)/, 'CREATE EXTENSION names the clash');
like($error, qr/HINT:.*CREATE EXTENSION idgen SCHEMA ids.*RENAME TO/,
	'CREATE EXTENSION names the two remedies of a clash');
$node->safe_psql('renamed', $rename =~ s/DATABASE app/DATABASE renamed/r);
check_taken_over('renamed', 'after a rename', 'public');

make_old_database('schema');
$node->safe_psql('schema', $beside =~ s/DATABASE app/DATABASE schema/r);
check_taken_over('schema', 'in another schema', 'ids');

for my $db ('renamed', 'schema')
{
	my $file = PostgreSQL::Test::Utils::tempdir . "/$db";
	my $checksum = 'SELECT count(*), sum(hashint8(id)::bigint) FROM photo';
	my $before = $node->safe_psql($db, $checksum);
	$node->command_ok([ 'pg_dump', '--create', '-f', $file, $db ], "$db: dumped");
	$node->safe_psql('postgres', "DROP DATABASE $db");
	$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $file, 'postgres' ], "$db: restored");
	is($node->safe_psql($db, $checksum), $before, "$db: a restored dump has the same rows");
	$node->safe_psql($db, "INSERT INTO photo (by) VALUES ('restored')");
	is($node->safe_psql($db, "SELECT by FROM photo ORDER BY id DESC LIMIT 1"), 'restored', "$db: IDs go on above");
}

done_testing();
