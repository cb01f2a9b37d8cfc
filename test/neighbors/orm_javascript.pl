# Projects of Drizzle, Prisma and node-postgres with keys that are bigint, id64 and ulid, from a fresh database, by
# these tools' own commands: what they make of a schema is that schema, they have nothing to change a second time, and
# they name nothing of ours.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../t/lib";
use IdgenNode;
use IdgenNpm;
use IdgenPooler;
use JSON::PP;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('javascript', conf => [ "idgen.shards = '5'", "listen_addresses = '127.0.0.1'" ]);
my $pooler = start_pooler($node);
@ENV{qw(PGHOST PGPORT PGUSER)} = ($node->host, $node->port, scalar getpwuid $<);

# A copy of a client's folder, for what its tool writes there.
my $clients = "$FindBin::Bin/../clients";
my $folder = PostgreSQL::Test::Utils::tempdir;
system('cp', '-r', map({ "$clients/$_" } qw(drizzle prisma node_postgres)), $folder) == 0 or die "cp: $?";
ok(install_npm("$clients/npm"), 'the packages from npm are there');
symlink "$clients/npm/node_modules", "$folder/node_modules" or die "node_modules: $!";

# Runs a command in a client's copy, on a database; what it wrote, or nothing if it failed.
sub run_in
{
	my ($client, $database, @command) = @_;
	local $ENV{PGDATABASE} = $database;
	my ($out, $error);
	my $succeeds = IPC::Run::run(\@command, '<', \undef, '>', \$out, '2>', \$error, init => sub { chdir "$folder/$client" or die "$client: $!" });
	return $out if $succeeds;
	diag("@command: ", substr($error . $out, 0, 2000));
	return;
}

# What pg_dump says of a database's schema public: two that are equal give the same. Newer minors write random words.
sub schema_of
{
	my ($database, @but) = @_;
	my ($dump, $error) = run_command([ qw(pg_dump --schema-only --no-owner --schema=public), map({ "--exclude-table=$_" } @but), $database ]);
	like($dump, qr/CREATE TABLE public\.album .*CREATE TABLE public\.photo .*CREATE TABLE public\.visit /s, "$database has the tables");
	return $dump =~ s/^\\(un)?restrict .*$//gmr;
}

# A fresh database, with the extensions if a schema for them is given.
sub create_database
{
	my ($database, $schema) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	return unless $schema;
	$node->safe_psql('postgres', "ALTER DATABASE $database SET search_path = public, $schema");
	$node->safe_psql($database, "CREATE SCHEMA IF NOT EXISTS $schema; CREATE EXTENSION idgen SCHEMA $schema; CREATE EXTENSION idgen_kinds SCHEMA $schema");
	return;
}

# What an application does with such keys, as its program says: checked against the rows. Gives what it said.
sub check_kinds
{
	my ($database, $client, $program, $prepared) = @_;
	my $made = decode_json(run_in($client, $database, 'node', $program) // '{}');
	my ($album, $visit, $batch) = @$made{qw(one visit batch)};
	my ($block, $visits) = map { $_ // [] } @$made{qw(block visits)};
	my @batch = map { $batch->{$_} } 'batch 1', 'batch 2';
	my %rows = ('one' => $album, %$batch, map { 'block ' . ($_ + 1) => $block->[$_] } 0 .. $#$block);
	is($node->safe_psql($database, 'SELECT title, id FROM album ORDER BY title COLLATE "C"'),
		join("\n", map { "$_|$rows{$_}" } sort keys %rows), "$database: RETURNING gives the IDs of id64");
	is($node->safe_psql($database, "SELECT id FROM visit WHERE id IN ('$visit', '" . join("', '", @$visits) . "') ORDER BY id"),
		join("\n", sort $visit, @$visits), "$database: RETURNING gives the IDs of ulid");
	is_deeply([ @$made{qw(found chosen containing)} ], [ 'one', [ 'batch 1', 'batch 2' ], ['one'] ], 'rows are found by them');
	is_deeply([ @$made{qw(pictures before)} ], [ \@batch, $visits ], 'arrays of them come back');
	is($node->safe_psql($database, "SELECT pictures FROM album WHERE title = 'one'"), '{' . join(',', @batch) . '}',
	  "$database: an array of IDs comes back as it is stored");
	like(join(' ', @{ $made->{json} // [] }), qr/^\{"id":"$album".* \{"id":"$visit"/, 'in JSON an ID is a string');
	is($node->safe_psql($database, "SELECT id, id::float8::bigint = id FROM photo WHERE id = $made->{photo}"), "$made->{photo}|f", 'a bigint has all its digits');
	my $bigint = $made->{drawn} // $made->{photo};
	is($node->safe_psql($database, <<"SQL"), "$made->{times}{bigint}|$made->{times}{id64}", "$database: parameters need no type");
SELECT to_char(id_time($bigint) AT TIME ZONE 'UTC', format), to_char(id64_time('$album') AT TIME ZONE 'UTC', format)
  FROM (VALUES ('YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) AS f (format)
SQL
	is($made->{prepared}, $prepared, "$database: $prepared prepared statements");
	return $made;
}

# Runs the same behind PgBouncer, where each transaction is on another connection.
sub check_pooled
{
	my ($database, $client, $program) = @_;
	is(widen_pool($pooler, $database, 7), 7, "PgBouncer has seven connections to $database");
	local @ENV{qw(PGHOST PGPORT POOLED)} = ('127.0.0.1', $pooler->{port}, 1);
	return check_kinds($database, $client, $program, 0);
}

# Drizzle's commands on a database.
sub drizzle { my ($database, @command) = @_; return run_in('drizzle', $database, 'node', '../node_modules/drizzle-kit/bin.cjs', @command) }

# Drizzle: migrations.
like(drizzle('none', qw(generate --custom --name extensions)), qr/Prepared empty file for your custom SQL migration/, 'drizzle-kit prepares a migration');
my ($first) = glob "$folder/drizzle/drizzle/0000_*.sql";
append_to_file($first, <<'SQL');

CREATE EXTENSION IF NOT EXISTS idgen;
--> statement-breakpoint
CREATE EXTENSION IF NOT EXISTS idgen_kinds;
SQL
like(drizzle('none', 'generate'), qr/Your SQL migration file/, 'drizzle-kit generates a migration of the tables');
my ($second) = glob "$folder/drizzle/drizzle/0001_*.sql";
my $migration = slurp_file($second);
like($migration, qr/\Q$_\E/, "the generated migration has $_")
  for '"id" bigint PRIMARY KEY DEFAULT next_id()', '"id" "id64" PRIMARY KEY DEFAULT next_id()', '"pictures" "id64"[]', '"id" "ulid" PRIMARY KEY DEFAULT next_ulid()',
  '"before" "ulid"[]';
like(drizzle('none', 'generate'), qr/No schema changes, nothing to migrate/, 'a second generate finds nothing');
create_database('drizzle');
ok(defined drizzle('drizzle', 'migrate'), 'drizzle-kit migrates a fresh database');
my $drizzle = schema_of('drizzle');

# Drizzle: push and pull, with the extension where all is, or in a schema of its own.
for ([ 'drizzle_public', 'public' ], [ 'drizzle_ids', 'ids' ])
{
	my ($database, $schema) = @$_;
	create_database($database, $schema);
	like(drizzle($database, 'push'), qr/Changes applied/, "drizzle-kit pushes to $database");
	my $pushed = schema_of($database);
	is($pushed, $schema eq 'ids' ? $drizzle =~ s/\bpublic\.(id64|ulid|next_\w+)/ids.$1/gr : $drizzle,
	  "$database: a push makes what the migrations make");
	like(drizzle($database, 'push'), qr/No changes detected/, 'a second push has nothing to do');
	is(schema_of($database), $pushed, 'a second push changes nothing');
	check_pulled($database);
}
like(drizzle('drizzle', 'push'), qr/No changes detected/, 'a push finds nothing to do where migrations were');
{
	append_to_file("$folder/drizzle/defaults.js",
		slurp_file("$folder/drizzle/schema.js") =~ s/text\('title'\)(?=,\n    pictures)/$&.array().default([])/r =~ s/'pictures'\)\.array\(\)/$&.default([])/r);
	local $ENV{SCHEMA} = './defaults.js';
	create_database('drizzle_defaults', 'public');
	drizzle('drizzle_defaults', 'push');
	my @again = drizzle('drizzle_defaults', 'push', '--verbose') =~ /^(ALTER .*)/mg;
	is_deeply(\@again, [ map { qq{ALTER TABLE "album" ALTER COLUMN "$_" SET DEFAULT '{}';} } qw(title pictures) ], 'arrays have their DEFAULTs set each time');
}

# A schema that was pulled, once it has what the page says: names nothing of ours, and push has nothing to do.
sub check_pulled
{
	my ($database) = @_;
	system('mv', "$folder/drizzle/drizzle", "$folder/drizzle/generated") == 0 or die "mv: $?";
	ok(defined drizzle($database, 'pull'), "drizzle-kit pulls from $database");
	my $pulled = slurp_file("$folder/drizzle/drizzle/schema.ts");
	is(join(' ', sort $pulled =~ /^export const (\w+ = \w+)/mg), 'album = pgTable photo = pgTable visit = pgTable', 'the tables, and nothing of ours');
	unlike($pulled, qr/idgen|pgSequence|pgView|pgEnum|pgSchema/, 'a pulled schema names no object of idgen');
	is(scalar(() = $pulled =~ /failed to parse database type '(?:id64|ulid)(?:\[\])?'/g), 5, 'drizzle-kit does not know the types of idgen');
	$pulled =~ s/^\s*\/\/ TODO: failed to parse database type '(\w+)(?:\[\])?'\n(.*?)unknown\(/$2$1(/gm;
	$pulled =~ s/mode: "number"/mode: "bigint"/g;
	my %maker = (id64 => 'next_id()', ulid => 'next_ulid()');
	$pulled =~ s/\bid: (id64|ulid)\("id"\)/id: $1("id").default(sql`$maker{$1}`)/g;
	append_to_file("$folder/drizzle/pulled.ts", "import { id64, ulid } from './ids.js';\n$pulled");
	local $ENV{SCHEMA} = './pulled.ts';
	like(drizzle($database, 'push'), qr/No changes detected/, 'a pulled schema with the types added has nothing to push');
	system('rm', '-r', "$folder/drizzle/drizzle", "$folder/drizzle/pulled.ts") == 0 or die "rm: $?";
	system('mv', "$folder/drizzle/generated", "$folder/drizzle/drizzle") == 0 or die "mv: $?";
	return;
}

# Drizzle: rows.
my $made = check_kinds('drizzle', 'drizzle', 'kinds.mjs', 1);
is($made->{joined}, $made->{photo}, 'a join has a bigint');
my $nested = $made->{nested};
is_deeply([ @$nested{qw(album pictures photoId)} ], [ $made->{one}, $made->{pictures}, $made->{photo} ], 'a relational query has IDs of id64');
isnt($nested->{photo}, $made->{photo}, 'a relational query rounds a bigint, as the page says');
check_pooled('drizzle_public', 'drizzle', 'kinds.mjs');
{
	local @ENV{qw(PGHOST PGPORT)} = ('127.0.0.1', $pooler->{port});
	like(drizzle('drizzle_public', 'push'), qr/No changes detected/, 'drizzle-kit works through PgBouncer');
}
check_kinds('drizzle_ids', 'drizzle', 'kinds.mjs', 1);

# node-postgres.
create_database('node', 'public');
my $document = check_kinds('node', 'node_postgres', 'kinds.mjs', 1);
is_deeply($document->{document}, { album => { id => $document->{one}, title => 'one', pictures => $document->{pictures} }, photo => $document->{photo} },
	'documents have the IDs');
is($node->safe_psql('node', "SELECT id, album_id FROM visit WHERE title = 'json'"), join('|', @{ $document->{copied}[0] }{qw(id album_id)}),
  'documents give the IDs back');
create_database('node_pooled', 'public');
check_pooled('node_pooled', 'node_postgres', 'kinds.mjs');

# postgres.js through PgBouncer: how many reads of thirty found their row.
{
	local @ENV{qw(PGHOST PGPORT)} = ('127.0.0.1', $pooler->{port});
	my $pooled = <<'JS';
import postgres from 'postgres';

const sql = postgres({ prepare: false, max: 3 });
const [{ id }] = await sql`INSERT INTO album ${sql({ title: 'pooled' })} RETURNING id`;
const found = await Promise.all(Array(30).fill().map(() => sql`SELECT title FROM album WHERE id = ${id}`));
console.log(found.filter(([{ title }]) => title === 'pooled').length);
await sql.end();
JS
	is(run_in('node_postgres', 'node_pooled', qw(node --input-type=module -e), $pooled), "30\n", 'postgres.js reads behind PgBouncer');
}
create_database('node_ids', 'ids');
check_kinds('node_ids', 'node_postgres', 'kinds.mjs', 1);

# Prisma's commands on a database. Its engine is WebAssembly; nothing is to be fetched in place of the binary.
$ENV{PRISMA_SCHEMA_ENGINE_BINARY} = "$folder/prisma/schema_engine.mjs";
$ENV{CHECKPOINT_DISABLE} = $ENV{PRISMA_HIDE_UPDATE_MESSAGE} = 1;
$ENV{DATABASE_URL} = 'postgresql://localhost';
my $project = 'prisma';
sub prisma { my ($database, @command) = @_; return run_in($project, $database, 'node', '../node_modules/prisma/build/index.js', @command) }

like(prisma('none', 'validate'), qr/is valid/, 'Prisma takes the schema');
ok(defined prisma('none', 'generate'), 'Prisma generates its client');
create_database('prisma');
like(prisma('prisma', qw(migrate deploy)), qr/migrations have been successfully applied/, 'the migration by hand is applied');
like(prisma('prisma', qw(migrate dev --name photo)), qr/now in sync/, 'Prisma migrates');
my ($by_prisma) = glob "$folder/prisma/migrations/*_photo/migration.sql";
is(join(' ', slurp_file($by_prisma) =~ /^(?:CREATE|ALTER|DROP) (\w+ "\w+")/mg), 'TABLE "photo"', 'the migration of Prisma has its own table alone');
like(prisma('prisma', qw(migrate dev --name none)), qr/Already in sync/, 'a second migration finds nothing');
like(prisma('prisma', qw(db push)), qr/already in sync/, 'a push finds nothing that a migration has not made');
my $prisma = schema_of('prisma', '_prisma_migrations');
create_database('prisma_deployed');
like(prisma('prisma_deployed', qw(migrate deploy)), qr/migrations have been successfully applied/, 'migrations deploy to a fresh database');
is(schema_of('prisma_deployed', '_prisma_migrations'), $prisma, 'deployed migrations make the same schema');
my $pulled = prisma('prisma', qw(db pull --print));
is(join(' ', sort $pulled =~ /^(?:model|view|enum) (\w+)/mg), 'Album Photo Visit', 'a pull names nothing of ours');
like($pulled, qr/id +\Q$_\E/, "a pulled schema says $_")
  for 'BigInt  @id @default(dbgenerated("next_id()"))', 'Unsupported("id64")   @id @default(dbgenerated("next_id()"))', 'Unsupported("ulid")   @id';

my $nest = check_kinds('prisma', 'prisma', 'kinds.mjs', 0);
is_deeply($nest->{nested}, [ sort $nest->{visit}, @{ $nest->{visits} } ], 'relations are followed by them');
check_pooled('prisma_deployed', 'prisma', 'kinds.mjs');

# Prisma: the extension in a schema of its own, which only the client has in its search_path.
system('cp', '-r', "$folder/prisma", "$folder/prisma_ids") == 0 or die "cp: $?";
for my $file ("$folder/prisma_ids/schema.prisma", glob "$folder/prisma_ids/migrations/*/migration.sql")
{
	my $text = slurp_file($file);
	unlink $file or die "$file: $!";
	append_to_file($file, $text =~ s/\b(?:id64|ulid|next_\w+)\b/ids.$&/gr =~ s/^(CREATE EXTENSION .*);/$1 SCHEMA ids;/gmr =~ s/^(?=CREATE EXTENSION .* idgen )/CREATE SCHEMA ids;\n/mr);
}
$project = 'prisma_ids';
create_database('prisma_ids');
like(prisma('prisma_ids', qw(migrate deploy)), qr/migrations have been successfully applied/, 'migrations with the schema deploy');
like(prisma('prisma_ids', qw(migrate dev --name none)), qr/Already in sync/, 'a further one finds nothing');
is(schema_of('prisma_ids', '_prisma_migrations'), $prisma =~ s/\bpublic\.(id64|ulid|next_\w+)/ids.$1/gr, 'the schema is the same');
{
	local $ENV{PGOPTIONS} = '-c search_path=public,ids';
	check_kinds('prisma_ids', 'prisma', 'kinds.mjs', 0);
}

# A role that is not a superuser cannot create the extensions: its databases come from one that has them.
$project = 'prisma';
$node->safe_psql('template1', 'CREATE EXTENSION idgen; CREATE EXTENSION idgen_kinds');
$node->safe_psql('postgres', 'CREATE ROLE app LOGIN CREATEDB');
{
	local $ENV{PGUSER} = 'app';
	create_database($_) for qw(drizzle_app prisma_app);
	ok(defined drizzle('drizzle_app', 'migrate'), 'a role that is no superuser migrates by Drizzle where the extensions are');
	like(prisma('prisma_app', qw(migrate deploy)), qr/migrations have been successfully applied/,
	  'a role that is no superuser migrates by Prisma where the extensions are');
	like(prisma('prisma_app', qw(migrate dev --name none)), qr/Already in sync/, 'Prisma has the extensions in its shadow database');
}
is(schema_of('drizzle_app'), $drizzle, 'the schema is the same');
is(schema_of('prisma_app', '_prisma_migrations'), $prisma, 'Prisma as an ordinary role makes the same schema');

# What a relation of an extension in the user's schema would be to these tools: noticed.
$node->safe_psql('drizzle_public', 'CREATE VIEW stat_shard AS SELECT * FROM idgen.stat_shard; ALTER EXTENSION idgen ADD VIEW stat_shard');
unlike(drizzle('drizzle_public', 'push') // '', qr/No changes detected/, 'a view of an extension would be dropped');

done_testing();
