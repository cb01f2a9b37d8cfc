# Clients and ORMs from npm: the pages show the very code that ran.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../t/lib";
use IdgenNode;
use IdgenNpm;
use IdgenShown;
use PostgreSQL::Test::Utils;
use Test::More;

my $clients = "$FindBin::Bin/../clients";
my $node = start_node('clients', conf => ["idgen.shards = '5'"]);
enter_node($node);

# What is of kinds, and of a project, node_driver.pl and orm_javascript.pl run.
my @clients = map { { folder => 'npm', run => "node $_->{name}.mjs", %$_, shows => [ "$_->{name}.mjs", @{ $_->{shows} // [] } ] } } (
	{ name => 'node_pg', shows => ['../node_postgres/kinds.mjs'] },
	{ name => 'drizzle', shows => ['../drizzle/ids.js'] },
	{ name => 'prisma', shows => [ 'prisma/schema.prisma', map { "../prisma/$_" } qw(prisma.config.ts kinds.mjs) ] },
	map { { name => $_ } } qw(postgres_js sequelize typeorm knex kysely));

# Prisma's own engine makes migrations and would be fetched from its maker's server; the client here needs none.
$ENV{PRISMA_SCHEMA_ENGINE_BINARY} = '/bin/true';
$ENV{CHECKPOINT_DISABLE} = $ENV{PRISMA_HIDE_UPDATE_MESSAGE} = 1;
ok(install_npm("$clients/npm"), 'the packages from npm are there');
ok(defined run_in('npm', 'node node_modules/prisma/build/index.js generate'), 'Prisma makes its client');
check_client($_) for @clients;

# Albums, whose keys are id64: those of Drizzle, Prisma and node-postgres are in orm_javascript.pl.
for my $name (qw(postgres_js sequelize typeorm knex kysely))
{
	is($node->safe_psql($name, <<"SQL"), 'id64|next_id()|id64[]|t', "$name: a key that is an id64, and an array of them");
SELECT format_type(id.atttypid, NULL), pg_get_expr(adbin, adrelid), format_type(pictures.atttypid, NULL),
       (SELECT pictures::text FROM album WHERE title = 'one') = (SELECT array_agg(id ORDER BY title)::text FROM album WHERE title LIKE 'batch _')
  FROM pg_attribute AS id JOIN pg_attrdef ON (adrelid, adnum) = (id.attrelid, id.attnum) JOIN pg_attribute AS pictures USING (attrelid)
 WHERE attrelid = 'album'::regclass AND id.attname = 'id' AND pictures.attname = 'pictures'
SQL
}

# The table of clients: each that is installed, its version, and what an ID is to it, which its program asserts.
my $page = slurp_file("$FindBin::Bin/../../docs/clients/javascript.md");
my @rows = map { [/^\| \[(.+?)\]\(#\S+\) \| (\S+) \| `(\w+)`/] } $page =~ /^(\| \[.*)$/mg;
my %package = ('node-postgres' => 'pg', 'postgres.js' => 'postgres', Drizzle => 'drizzle-orm', map { $_ => lc } qw(Kysely Knex Sequelize TypeORM Prisma));
my %program = ('node-postgres' => 'node_pg', 'postgres.js' => 'postgres_js');
is_deeply({ map { @$_[ 0, 1 ] } @rows }, { map { $_ => version_of_npm("$clients/npm", $package{$_}) } keys %package },
	'the table of clients has the versions that ran');
for (@rows)
{
	my ($name, undef, $type) = @$_;
	like(slurp_file("$clients/npm/" . ($program{$name} // lc $name) . '.mjs'), qr/^assert\.strictEqual\(typeof \w+\.id, '$type'\);$/m,
		"$name reads a bigint as the table says");
}
my ($node_version) = `node --version` =~ /^v(\d+)/;
my $drizzle_kit = version_of_npm("$clients/npm", 'drizzle-kit');
like($page, qr/^A test ran .* on Node\.js $node_version, and drizzle-kit \Q$drizzle_kit\E\./m, 'and of what ran them');

# Reading by ID: the statement, and how each ORM writes the bound, are what ran.
my ($section) = slurp_file("$FindBin::Bin/../../docs/clients/README.md") =~ /^### Reading by ID\n(.*)/ms;
my ($statement) = $section =~ /^    (SELECT .*)$/m;
cmp_ok(index(slurp_file("$clients/npm/node_pg.mjs"), $statement), '>', 0, 'Reading by ID: the statement ran');
is(join(' ', sort map { lc } $section =~ /^\| ([A-Z]\w+) \|/mg), 'django drizzle hibernate knex kysely prisma rails sequelize sqlalchemy typeorm',
	'Reading by ID: the ORMs that ran, here or in debian_clients.pl');
check_bounds(map { $_ => "npm/$_.mjs" } qw(drizzle knex kysely prisma sequelize typeorm));
check_rest('docs/clients/javascript.md');

done_testing();
