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
	{ name => 'drizzle', shows => [ map { "../drizzle/$_" } qw(ids.js schema.js extensions.sql kinds.js) ] },
	{ name => 'prisma', shows => [ 'prisma/schema.prisma', map { "../prisma/$_" }
			qw(schema.prisma prisma.config.ts migrations/0_albums/migration.sql kinds.mjs) ] },
	map { { name => $_ } } qw(sequelize typeorm knex));

# Prisma's own engine makes migrations and would be fetched from its maker's server; the client here needs none.
$ENV{PRISMA_SCHEMA_ENGINE_BINARY} = '/bin/true';
$ENV{CHECKPOINT_DISABLE} = $ENV{PRISMA_HIDE_UPDATE_MESSAGE} = 1;
ok(install_npm("$clients/npm"), 'the packages from npm are there');
{
	local $ENV{DATABASE_URL} = 'postgresql://localhost';
	ok(defined run_in('npm', 'node node_modules/prisma/build/index.js generate'), 'Prisma makes its client');
}
check_client($_) for @clients;

# Reading by ID: the statement, and how each ORM writes the bound, are what ran.
my ($section) = slurp_file("$FindBin::Bin/../../docs/clients/README.md") =~ /^### Reading by ID\n(.*)/ms;
my ($statement) = $section =~ /^    (SELECT .*)$/m;
cmp_ok(index(slurp_file("$clients/npm/node_pg.mjs"), $statement), '>', 0, 'Reading by ID: the statement ran');
is(join(' ', sort map { lc } $section =~ /^\| ([A-Z]\w+) \|/mg), 'django drizzle hibernate knex prisma rails sequelize sqlalchemy typeorm',
	'Reading by ID: the ORMs that ran, here or in debian_clients.pl');
check_bounds(map { $_ => "npm/$_.mjs" } qw(drizzle knex prisma sequelize typeorm));
check_rest('docs/clients/javascript.md');

done_testing();
