# Clients and ORMs from Debian, of Python, Ruby, PHP, Java and Go: the pages show the very code that ran.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../t/lib";
use IdgenNode;
use IdgenShown;
use JSON::PP;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('clients', conf => [ "idgen.shards = '5'", "listen_addresses = '127.0.0.1'" ]);
enter_node($node);

# Go's packages are Debian's.
my $program = PostgreSQL::Test::Utils::tempdir . '/program';
my $go = "GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE='" . PostgreSQL::Test::Utils::tempdir . "' CGO_ENABLED=0";

# What is of kinds, and of a project, orm_python.pl, rails_and_java.pl and more_kinds.pl run.
my @clients = (
	{ name => 'psycopg',    run => '/usr/bin/python3 app.py',    shows => ['app.py'] },
	{ name => 'sqlalchemy', run => '/usr/bin/python3 app.py',    shows => [ 'app.py', 'kinds/env.py' ] },
	{ name => 'django',     run => '/usr/bin/python3 app.py',    shows => [ 'app.py', 'kinds/photos/models.py' ] },
	{ name => 'asyncpg', run => '/usr/bin/python3 app.py', shows => [ 'app.py', '../pandas/kinds.py' ] },
	{ name => 'pdo', folder => 'php', run => 'php pdo.php', shows => ['pdo.php'] },
	map({ { name => $_, folder => 'php', run => "php $_.php", shows => [ "$_.php", "${_}_kinds.php" ] } } qw(doctrine eloquent)),
	{ name => 'pgx', run => "$go go build -o '$program' . && '$program'", shows => ['main.go'] },
	{ name => 'jdbc', run => java_with('postgresql'), shows => ['App.java'] },
	{ name => 'hibernate', run => java_with(qw(postgresql hibernate-core hibernate-commons-annotations geronimo-jpa_2.0_spec geronimo-jta-1.2-spec dom4j antlr
		commons-collections3 javassist slf4j-api slf4j-nop)), shows => [ 'App.java', 'kinds/Kinds.java', 'kinds/ByDefault.java' ] },
	{ name => 'rails', run => '/usr/bin/ruby app.rb', tables => [ 'photos', 'comments' ],
		shows => [ 'app.rb', 'application.rb', 'models.rb', 'config/database.yml', 'test/fixtures/albums.yml',
			map { "db/migrate/2026010100000$_.rb" } '0_create_photos', '1_create_albums' ] });

# Java speaks TCP only, and loads these of Debian's libraries. Hibernate 3 makes classes in a way that Java 17 must be
# told to allow.
sub java_with
{
	my (@libraries) = @_;
	my $path = join ':', map { "/usr/share/java/$_.jar" } @libraries;
	my $classes = PostgreSQL::Test::Utils::tempdir;
	return "javac -cp $path -d '$classes' App.java && java --add-opens java.base/java.lang=ALL-UNNAMED -cp '$path:$classes' App";
}

check_client($_) for @clients;

# What was built of Go also has keys that are id64.
{
	local $ENV{PGDATABASE} = 'pgx';
	my $made = decode_json(run_in('pgx', "'$program' kinds") // '{}');
	my @pictures = @{ $made->{pictures} // [] };
	is($node->safe_psql('pgx', 'SELECT id, pictures FROM album'), ($made->{album} // '') . '|{' . join(',', @pictures) . '}', 'pgx: an ID of id64 and an array of them');
	is_deeply($made->{stored}, \@pictures, 'pgx: the array comes back');
}

check_bounds(rails => 'rails/app.rb', hibernate => 'hibernate/App.java', map { $_ => "$_/app.py" } qw(sqlalchemy django));
check_rest("docs/clients/$_.md") for qw(README python ruby php java go others);

done_testing();
