# Clients and ORMs: each makes its tables as docs/clients says, leaves the ID to the DEFAULT and reads it back
# without losing a digit; and the page shows the very code that ran.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../t/lib";
use IdgenNode;
use IdgenNpm;
use PostgreSQL::Test::Utils;
use Test::More;

my $clients = "$FindBin::Bin/../clients";
my %page = map { (m{/docs/(.*)$} ? "docs/$1" : die) => slurp_file($_) } glob "$FindBin::Bin/../../docs/clients/*.md";
my $node = start_node('clients', conf => [ "idgen.shards = '5'", "listen_addresses = '127.0.0.1'" ]);

# Each client: its folder, the command there, the files that the page shows, and the tables where they are not the
# usual. What is of kinds, and of a project, the files from 092 to 094 run.
my @clients = (
	{ name => 'psycopg',    run => '/usr/bin/python3 app.py',    shows => [ 'app.py', 'kinds.py' ] },
	{ name => 'sqlalchemy', run => '/usr/bin/python3 app.py',    shows => [ 'app.py', map { "kinds/$_.py" } qw(idgen_types models env kinds versions/extensions) ] },
	{ name => 'django',     run => '/usr/bin/python3 app.py',    shows => [ 'app.py', map { "kinds/$_.py" } qw(photos/fields photos/models photos/migrations/0001_extensions kinds) ] },
	{ name => 'jdbc', run => java_with('postgresql'), shows => [ 'App.java', 'Kinds.java' ] },
	{ name => 'hibernate', run => java_with(qw(postgresql hibernate-core hibernate-commons-annotations geronimo-jpa_2.0_spec geronimo-jta-1.2-spec dom4j antlr
		commons-collections3 javassist slf4j-api slf4j-nop)), shows => [ 'App.java', 'kinds/Kinds.java', 'kinds/ByDefault.java' ] },
	{ name => 'rails', run => '/usr/bin/ruby app.rb', tables => [ 'photos', 'comments' ],
		shows => [ 'app.rb', 'app/models/photo.rb', 'config/database.yml', 'kinds.rb', 'test/fixtures/albums.yml',
			map({ "config/initializers/$_.rb" } 'idgen', 'structure'),
			map { "db/migrate/2026010100000$_.rb" } '0_create_photos', '1_create_albums' ] },
	map({ { folder => 'npm', run => "node $_->{name}.mjs", %$_, shows => [ "$_->{name}.mjs", @{ $_->{shows} // [] } ] } }
		{ name => 'node_pg', shows => ['../node_postgres/kinds.mjs'] },
		{ name => 'drizzle', shows => [ map { "../drizzle/$_" } qw(ids.js schema.js extensions.sql kinds.js) ] },
		{ name => 'prisma', shows => [ 'prisma/schema.prisma', map { "../prisma/$_" }
				qw(schema.prisma prisma.config.ts migrations/0_albums/migration.sql kinds.mjs) ] },
		map { { name => $_ } } qw(sequelize typeorm knex)));

$ENV{PGHOST} = $node->host;
$ENV{PGPORT} = $node->port;
$ENV{PGUSER} = getpwuid $<;

# Java speaks TCP only, and loads these of Debian's libraries. Hibernate 3 makes classes in a way that Java 17 must be
# told to allow.
sub java_with
{
	my (@libraries) = @_;
	my $path = join ':', map { "/usr/share/java/$_.jar" } @libraries;
	my $classes = PostgreSQL::Test::Utils::tempdir;
	return "javac -cp $path -d '$classes' App.java && java --add-opens java.base/java.lang=ALL-UNNAMED -cp '$path:$classes' App";
}

# Runs a command in a client's folder; what it wrote, if it succeeded.
sub run_in
{
	my ($folder, $command) = @_;
	my $errors = $node->basedir . '/client.log';
	my $out = `cd '$clients/$folder' && $command 2>'$errors'`;
	return $out unless $?;
	diag(slurp_file($errors));
	return;
}

# The parts of a file that a page shows, each with its page, without their common indentation.
sub shown_parts
{
	my ($file) = @_;
	my $text = slurp_file($file);
	my @parts;
	while ($text =~ m{^( *)(?:#|//|--) In (docs/clients/\w+\.md):\n(.*?)^ *(?:#|//|--) End\.$}gms)
	{
		my ($indent, $page, $part) = ($1, $2, $3);
		$part =~ s/^$indent//gm;
		$part =~ s/\n+\z/\n/;
		push @parts, [ $page, $part ];
	}
	return @parts;
}

# Prisma's own engine makes migrations and would be fetched from its maker's server; the client here needs none.
$ENV{PRISMA_SCHEMA_ENGINE_BINARY} = '/bin/true';
$ENV{CHECKPOINT_DISABLE} = $ENV{PRISMA_HIDE_UPDATE_MESSAGE} = 1;
ok(install_npm("$clients/npm"), 'the packages from npm are there');
{
	local $ENV{DATABASE_URL} = 'postgresql://localhost';
	ok(defined run_in('npm', 'node node_modules/prisma/build/index.js generate'), 'Prisma makes its client');
}

my %shown;
for my $client (@clients)
{
	my $name = $client->{name};
	my $folder = $client->{folder} // $name;
	my ($photo, $comment) = @{ $client->{tables} // [ 'photo', 'comment' ] };
	$node->safe_psql('postgres', "CREATE DATABASE $name");
	$node->safe_psql($name, 'CREATE EXTENSION idgen');
	local $ENV{PGDATABASE} = $name;
	local $ENV{JDBC_URL} = sprintf 'jdbc:postgresql://127.0.0.1:%d/%s?user=%s', $node->port, $name, $ENV{PGUSER};
	my $out = run_in($folder, $client->{run});
	ok(defined $out, "$name runs") or next;

	is( $node->safe_psql($name, <<"SQL"),
SELECT attrelid::regclass, attname, format_type(atttypid, NULL), attnotnull, attidentity = '', pg_get_expr(adbin, adrelid)
  FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
 WHERE attrelid IN ('$photo'::regclass, '$comment'::regclass) AND attname IN ('id', 'photo_id') ORDER BY attrelid, attname
SQL
		join("\n", "$photo|id|bigint|t|t|next_id()", "$comment|id|bigint|t|t|next_id()",
			"$comment|photo_id|bigint|" . ($name =~ /django|prisma/ ? 't' : 'f') . '|t|'),
		"$name: the columns are bigint, and their default is next_id()");
	is($node->safe_psql($name, "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND conrelid = '$comment'::regclass AND confrelid = '$photo'::regclass"),
		1, "$name: the comment refers to the photo");

	my @printed = split /\n/, $out;
	my @real = split /\n/, $node->safe_psql($name, <<"SQL");
SELECT title || E'\t' || id FROM $photo UNION ALL SELECT E'comment\t' || photo_id FROM $comment UNION ALL SELECT E'found\tone'
 UNION ALL SELECT E'read\t' || id FROM $photo
SQL
	is_deeply([ sort @printed ], [ sort @real ],
		"$name: the IDs that it printed are those of the rows, to the last digit; and it read each once by ID");
	cmp_ok(scalar(@real), '>=', 12, "$name: one row, a batch, a block, a comment");
	is($node->safe_psql($name, "SELECT DISTINCT id_shard(id), clock_timestamp() - id_time(id) BETWEEN '-2 s' AND '10 min' FROM $photo"),
		'5|t', "$name: the IDs are of this node and of now");
	is($node->safe_psql($name, "SELECT string_agg(finding, ' ') FROM idgen.audit('$photo', 'id') WHERE NOT ok"), '',
		"$name: the audit finds nothing");

	for my $file (map { "$clients/$folder/$_" } @{ $client->{shows} })
	{
		my @parts = shown_parts($file);
		isnt(scalar(@parts), 0, "$name: a page shows some of it");
		for (@parts)
		{
			my ($page, $part) = @$_;
			ok(index($page{$page} // '', $part) >= 0, "$name: $page shows what ran") or diag($part);
			$shown{$page}{$part} = 1;
		}
	}
}

# Reading by ID: the statement, and how each ORM writes the bound, are what ran.
my ($section) = $page{'docs/clients/README.md'} =~ /^### Reading by ID\n(.*)/ms;
my ($statement) = $section =~ /^    (SELECT .*)$/m;
cmp_ok(index(slurp_file("$clients/npm/node_pg.mjs"), $statement), '>', 0, 'Reading by ID: the statement ran');
my %app = map { $_->{name} => "$clients/" . ($_->{folder} // $_->{name}) . "/$_->{shows}[0]" } @clients;
$app{prisma} = "$clients/npm/prisma.mjs";
my %bounds = map { lc($_->[0]) => $_->[1] } map { [/^\| (\w+) \| (.*) \|$/] } grep { /^\| [A-Z]\w+ \|/ } split /\n/, $section;
is(join(' ', sort keys %bounds), 'django drizzle hibernate knex prisma rails sequelize sqlalchemy typeorm',
	'Reading by ID: the ORMs that ran');
for my $name (sort keys %bounds)
{
	my @code = grep { !/^\$/ } map { $_ // () } $bounds{$name} =~ /``(.*?)``|`(.*?)`/g;
	my @unknown = grep { index(slurp_file($app{$name}), $_) < 0 } @code;
	is("@unknown", '', "Reading by ID: $name ran with its bound");
}

# Nothing else on the pages claims to have run: the other sections say that they did not.
for my $page (sort keys %page)
{
	for my $section (split /^(?=## )/m, $page{$page})
	{
		my ($title) = $section =~ /^## (.*)/ or next;
		next if $section =~ /^Not run here/m;
		while ($section =~ /^```(\w+)\n(.*?)^```/gms)
		{
			my ($language, $rest) = ($1, $2);
			$rest =~ s/\Q$_\E// for sort { length $b <=> length $a } keys %{ $shown{$page} };
			like($rest, qr/\A\s*\z/, "$page, $title: every $language block ran");
		}
	}
}

done_testing();
