# Clients and ORMs from npm.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../t/lib";
use IdgenNode;
use IdgenNpm;
use IdgenShown;
use IPC::Run ();
use JSON::PP qw(decode_json);
use PostgreSQL::Test::Utils;
use Test::More;

# Clients and ORMs from npm: the pages show the very code that ran.
{
	my $clients = "$FindBin::Bin/../clients";
	my $node = start_node('clients', conf => ["idgen.shards = '5'"]);
	enter_node($node);

	# What is of kinds, and of a project, the part below and orm_javascript.pl run.
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
}

# A Node.js client with the driver pg: JavaScript rounds a bigint in JSON, and carries id64 as a string.
{
	my $node = start_node('node', conf => ["idgen.shards = '5'"]);
	my $large = '9007199254740993';    # 2^53 + 1
	$node->safe_psql('postgres', <<"SQL");
CREATE TABLE photo (plain bigint, id id64 PRIMARY KEY DEFAULT next_id(), title text);
INSERT INTO photo VALUES ($large, $large, 'large');
SQL
	my $text = $node->safe_psql('postgres', "SELECT id_to_base62($large)");

	my $client = "$FindBin::Bin/../clients/npm";
	ok(install_npm($client), 'the driver is there');
	my ($out, $error) = ('', '');
	{
		local @ENV{qw(PGHOST PGPORT PGDATABASE)} = ($node->host, $node->port, 'postgres');
		local $ENV{PGUSER} = getpwuid $<;
		ok(IPC::Run::run([ 'node', "$client/client.cjs" ], '<', \undef, '>', \$out, '2>', \$error),
			'the client runs') or diag($error);
	}
	my $seen = decode_json($out);

	# 2^53 + 1 is not a number that JavaScript has; it takes the one beside it and says nothing.
	for my $type (qw(json jsonb))
	{
		my $document = $seen->{$type};
		is("$document->{plain}", '9007199254740992', "$type: the bigint is rounded");
		is("$document->{again}{plain}", '9007199254740992', "$type: the bigint stays rounded when it is written again");
		is($document->{id}, $text, "$type: the id64 is a string");
		is($document->{again}{id}, $text, "$type: the id64 stays the same when it is written again");
	}
	is($seen->{by_number}, 0, 'the rounded number finds no row');

	is_deeply($seen->{row}, { plain => $large, id => $text, type => 'id64' }, 'a row of the driver');
	is($seen->{$_}, 'large', $_) for qw(found found_in_array found_in_document found_prepared);
	is_deeply($seen->{made}, { type => 'string', length => 11 }, 'a new ID is a string of 11 characters');
	is($seen->{found_made}, 'made', 'a new ID finds its row');
	is($seen->{refused}{code}, '22P02', 'a wrong text: SQLSTATE');
	is($seen->{refused}{message}, 'invalid id64: "-" is not a digit', 'a wrong text: message');
	like($seen->{refused}{detail}, qr/^It is character 11 of/, 'a wrong text: detail');
}

done_testing();
