# Projects of Rails, JDBC and Hibernate with keys that are bigint, id64 and ulid, from a fresh database, by these tools'
# own commands: what they write down of a schema makes the same schema again, and names nothing of ours.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../t/lib";
use IdgenNode;
use IdgenPooler;
use JSON::PP;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('orms', conf => [ "idgen.shards = '5'", "listen_addresses = '127.0.0.1'" ]);
my $pooler = start_pooler($node);
$ENV{PGHOST} = $node->host;
$ENV{PGPORT} = $node->port;
$ENV{PGUSER} = getpwuid $<;

# A copy of a client's folder, for what its tool writes there.
my $folder = PostgreSQL::Test::Utils::tempdir;
system('cp', '-r', map({ "$FindBin::Bin/../$_" } qw(rails jdbc hibernate)), $folder) == 0 or die "cp: $?";

# Runs a command in a client's copy, with settings of its environment; what it wrote, or nothing if it failed.
sub run_in
{
	my ($client, $environment, @command) = @_;
	local %ENV = (%ENV, %$environment);
	my ($out, $error);
	my $succeeds = IPC::Run::run(\@command, '>', \$out, '2>', \$error, init => sub { chdir "$folder/$client" or die "$client: $!" });
	return $out if $succeeds;
	diag("@command: ", substr($error, 0, 2000));
	return;
}

# What pg_dump says of a database's schema: two that are equal give the same.
sub schema_of
{
	my ($database) = @_;
	my ($dump, $error) = run_command([ 'pg_dump', '--schema-only', '--no-owner', $database ]);
	return without_keys($dump);
}

# Without the random words that newer minors of pg_dump write.
sub without_keys
{
	my ($dump) = @_;
	$dump =~ s/^\\(un)?restrict .*$//gm;
	return $dump;
}

# Rails' commands on a database, and a program with its application.
sub on_rails
{
	my ($database, @command) = @_;
	return run_in('rails', { PHOTOS => $database, PHOTOS_TEST => "${database}_test" }, @command);
}
sub rails { my ($database, @tasks) = @_; return on_rails($database, qw(rake -f application.rb), @tasks) }
sub run_on_rails { my ($database, $program) = @_; return on_rails($database, qw(ruby -r./application), $program) }

# Rails: schema.rb.
ok(defined rails('photos', qw(db:create db:migrate)), 'Rails migrates a fresh database');
my $schema = slurp_file("$folder/rails/db/schema.rb");
like($schema, qr/^ +\Q$_\E$/m, "schema.rb has $_")
  for 'enable_extension "idgen"', 'enable_extension "idgen_kinds"',
  'create_table "photos", id: :bigint, default: -> { "next_id()" }, force: :cascade do |t|',
  'create_table "albums", id: :id64, default: -> { "next_id()" }, force: :cascade do |t|',
  't.id64 "pictures", default: [], array: true',
  'create_table "visits", id: :ulid, default: -> { "next_ulid()" }, force: :cascade do |t|',
  't.id64 "album_id"', 't.ulid "before", array: true';
my @tables = $schema =~ /create_table "(\w+)"/g;
is("@tables", 'albums comments photos visits', 'schema.rb has the tables and none of ours');
unlike($schema, qr/Could not dump/, 'schema.rb lacks no table');

ok(defined rails('photos_loaded', qw(db:create db:schema:load db:schema:dump)),
	'schema.rb loads into a fresh database');
is(slurp_file("$folder/rails/db/schema.rb"), $schema, 'a database loaded from schema.rb dumps the same schema.rb');
my $real = schema_of('photos');
is(schema_of('photos_loaded'), $real, 'the loaded database has the same schema, as pg_dump sees it');
ok(defined rails('photos', 'db:test:prepare'), 'db:test:prepare');
is(schema_of('photos_test'), $real, 'db:test:prepare makes the schema of the database');

# Rails: structure.sql.
{
	local $ENV{SCHEMA_FORMAT} = 'sql';
	ok(defined rails('photos', 'db:schema:dump'), 'structure.sql is dumped');
	my $structure = slurp_file("$folder/rails/db/structure.sql");
	like($structure, qr/^CREATE EXTENSION IF NOT EXISTS idgen WITH SCHEMA public;$/m,
		'structure.sql has the extension');
	unlike($structure, qr/idgen\.|SCHEMA idgen|horizon/, 'structure.sql has nothing of what the extension makes');
	ok(defined rails('photos_structure', qw(db:create db:schema:load db:schema:dump)),
		'structure.sql loads into a fresh database');
	is(without_keys(slurp_file("$folder/rails/db/structure.sql")), without_keys($structure),
	  'a database loaded from structure.sql dumps the same structure.sql');
	is(schema_of('photos_structure'), $real, 'the database loaded from structure.sql has the same schema');

	$node->safe_psql('postgres', 'CREATE DATABASE photos_ids');
	$node->safe_psql('photos_ids', 'CREATE SCHEMA ids; CREATE EXTENSION idgen SCHEMA ids; CREATE EXTENSION idgen_kinds SCHEMA ids');
	local $ENV{PGOPTIONS} = '-c search_path=public,ids';
	ok(defined rails('photos_ids', 'db:migrate') && defined rails('photos_ids_loaded', qw(db:create db:schema:load)),
	  'schema.rb loads with the extension in a schema of its own');
	my $in_ids = schema_of('photos_ids');
	like($in_ids, qr/CREATE EXTENSION IF NOT EXISTS idgen WITH SCHEMA ids;.* id ids\.id64 DEFAULT ids\.next_id\(\) NOT NULL/s,
	  'the schema of its own has the extension and its functions');
	is(schema_of('photos_ids_loaded'), $in_ids, 'schema.rb with a schema of its own makes the same schema');
}

# Rails 7.2 and later write the schemas before the extensions, those of the extensions among them.
append_to_file("$folder/rails/db/later.rb",
	$schema =~ s/^(?=  # These are extensions)/  create_schema "idgen"\n  create_schema "idgen_lease"\n\n/mr
	  =~ s/^  enable_extension "idgen_kinds"\n\K/  enable_extension "idgen_lease"\n/mr);
{
	local $ENV{SCHEMA} = 'db/later.rb';
	ok(defined rails('photos_later', qw(db:create db:schema:load)),
		'schema.rb may make the schemas of the extensions before these');
	is($node->safe_psql('photos_later', q{SELECT objid::regnamespace, extname, deptype FROM pg_depend JOIN pg_extension e ON refobjid = e.oid
		WHERE classid = 'pg_namespace'::regclass ORDER BY extname}),
		"idgen|idgen|e\nidgen_lease|idgen_lease|e", 'the extensions own the schemas that schema.rb made before');
	$node->safe_psql('photos_later', 'DROP EXTENSION idgen_lease');
	is(schema_of('photos_later'), $real, 'a database with the schemas made before has the same schema');
}

# A role that is not a superuser cannot create the extensions: its databases come from one that has them.
$node->safe_psql('template1', 'CREATE EXTENSION idgen; CREATE EXTENSION idgen_kinds');
$node->safe_psql('postgres', 'CREATE ROLE app LOGIN CREATEDB');
{
	local $ENV{PGUSER} = 'app';
	ok(defined rails('photos_app', qw(db:create db:migrate db:test:prepare)),
		'a role that is no superuser migrates where the extensions are');
	is(slurp_file("$folder/rails/db/schema.rb"), $schema, 'a role that is no superuser dumps the same schema.rb');
	local $ENV{SCHEMA_FORMAT} = 'sql';
	ok(defined rails('photos_app', 'db:schema:dump'), 'a role that is no superuser dumps structure.sql');
	ok(defined rails('photos_app_loaded', qw(db:create db:schema:load)),
		'a role that is no superuser loads structure.sql');
}
is(schema_of('photos_app_test'), $real, 'db:test:prepare makes the same schema');
is(schema_of('photos_app_loaded'), $real, 'a role that is no superuser loads the same schema from structure.sql');
$node->safe_psql('template1', 'DROP EXTENSION idgen CASCADE');

# Rails: what an application does with such keys.
sub check_kinds
{
	my ($database, $out, $how) = @_;
	my $made = decode_json($out // '{}');
	my ($album, $visit) = @$made{qw(one visit)};
	my @visits = @{ $made->{visits} // [] };
	is($node->safe_psql($database, 'SELECT title, id FROM albums ORDER BY title'),
		join("\n", map({ "$_|$made->{batch}{$_}" } 'batch 1', 'batch 2'), "one|$album"), "$how: create! and insert_all! return the IDs of id64");
	is($node->safe_psql($database, 'SELECT id, album_id FROM visits ORDER BY id'), join("\n", map { "$_|$album" } $visit, @visits),
	  "$how: create! and insert_all! return the IDs of ulid");
	is_deeply([ @$made{qw(found of chosen containing)} ], [ 'one', 'one', [ 'batch 1', 'batch 2' ], ['one'] ],
		'rows are found by them');
	is_deeply([ @$made{qw(pictures before)} ], [ [ map { $made->{batch}{$_} } 'batch 1', 'batch 2' ], \@visits ],
		'arrays of them come back');
	is($node->safe_psql($database, "SELECT pictures FROM albums WHERE title = 'one'"), '{' . join(',', @{ $made->{pictures} // [] }) . '}',
	  "$how: an array of IDs comes back as it is stored");
	like($made->{json}, qr/^.*?"id":"$album".*"id":"$visit".*"id":"$made->{photo}"/, 'in JSON an ID is a string');
	is($node->safe_psql($database, "SELECT id FROM photos WHERE title = 'json'"), $made->{photo},
		"$how: a bigint in JSON has all its digits");
	is_deeply($made->{schemas}, ['public'], 'Rails sees no schema of ours');
	is_deeply($made->{refused}, [ ('not found') x 6 ], "$how: find() finds no row by a text that is not an ID");
	is($made->{read_as_4}, 'row 4', "$how: by a bigint it finds the row whose number the text begins with");
	is_deeply($made->{routed}, [ $made->{photo}, 'no route', $album, 'no route' ], "$how: routes of the page refuse it");
	return $made->{prepared};
}
is(check_kinds('photos', run_on_rails('photos', 'kinds.rb'), 'Rails'), JSON::PP::true,
	'Rails without a pooler prepares statements');

append_to_file("$folder/rails/test/fixtures/photos.yml", "dawn:\n  title: dawn\n");
append_to_file("$folder/rails/test/fixtures/visits.yml", "first:\n  id: 01M847W60NZ97D3TPMT624Q85R\n  album_id: 4oCOHzgSdX6\n");
ok(defined rails('photos_loaded', 'db:fixtures:load'), 'fixtures load');
is($node->safe_psql('photos_loaded', q{SELECT title, visits.id, albums.id FROM albums JOIN visits ON album_id = albums.id}),
	'summer|01M847W60NZ97D3TPMT624Q85R|4oCOHzgSdX6', 'fixtures have the IDs that they say');

is_deeply(decode_json(run_on_rails('photos_loaded', 'serial.rb') // '{}'), { before => [ 1, 2 ], rising => JSON::PP::true, shards => [ 5, 5 ] },
	'after replace_serial() reset_pk_sequence! leaves next_id() alone');

# Rails behind PgBouncer: each transaction is on another connection.
{
	$node->safe_psql('postgres', 'CREATE DATABASE photos_pooled');
	is(widen_pool($pooler, 'photos_pooled', 7), 7, 'PgBouncer has seven connections');
	local @ENV{qw(RAILS_ENV SECRET_KEY_BASE DATABASE_URL)} = ('production', 'of a test', "postgresql://$ENV{PGUSER}\@127.0.0.1:$pooler->{port}/photos_pooled");
	ok(defined rails('photos_pooled', 'db:migrate'), 'Rails migrates through PgBouncer');
	is(slurp_file("$folder/rails/db/schema.rb"), $schema, 'Rails through PgBouncer dumps the same schema.rb');
	is(check_kinds('photos_pooled', run_on_rails('photos_pooled', 'kinds.rb'), 'through PgBouncer'), JSON::PP::false,
	  'Rails through PgBouncer prepares no statement');
}

# Java: what it runs with. Hibernate 3 makes classes in a way that Java 17 allows only with an option.
my @jdbc = ('postgresql');
my @hibernate = (@jdbc, qw(hibernate-core hibernate-commons-annotations geronimo-jpa_2.0_spec geronimo-jta-1.2-spec dom4j antlr commons-collections3 javassist
	slf4j-api slf4j-simple));

# Runs a class of a client's folder, whose sources are compiled by then; what it wrote, and what it logged.
sub java
{
	my ($client, $libraries, $url, @class) = @_;
	local $ENV{JDBC_URL} = $url;
	my ($out, $log);
	my @options = ('--add-opens', 'java.base/java.lang=ALL-UNNAMED', '-Dorg.slf4j.simpleLogger.log.org.hibernate.jdbc=debug');
	my $succeeds = IPC::Run::run([ 'java', @options, '-cp', class_path(@$libraries), @class ],
		'>', \$out, '2>', \$log, init => sub { chdir "$folder/$client" or die "$client: $!" });
	diag(substr $log, 0, 2000) unless $succeeds;
	return ($succeeds ? $out : undef, $log);
}

sub class_path { return join ':', '.', map { "/usr/share/java/$_.jar" } @_ }

# What came of a class as a hash: a line has a name, a tab and a value; several of one name are joined.
sub values_of
{
	my ($out) = @_;
	my %values;
	push @{ $values{$1} }, $2 while ($out // '') =~ /^([^\t\n]+)\t(.*)$/mg;
	return { map { $_ => join ' ', @{ $values{$_} } } keys %values };
}

sub url_of
{
	my ($port, $database, $settings) = @_;
	return "jdbc:postgresql://127.0.0.1:$port/$database?user=$ENV{PGUSER}&stringtype=unspecified&$settings";
}

# A fresh database with the extensions.
sub with_extensions
{
	my ($database) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql($database, 'CREATE EXTENSION idgen; CREATE EXTENSION idgen_kinds');
	return;
}

# JDBC: statements that the server prepares at their first use; and PgBouncer, with none.
ok(defined run_in('jdbc', {}, 'javac', '-cp', class_path(@jdbc), 'App.java'), 'JDBC compiles');
for ([ 'jdbc', $node->port, 'prepareThreshold=1', 8 ], [ 'jdbc_pooled', $pooler->{port}, 'prepareThreshold=0', 0 ])
{
	my ($database, $port, $settings, $prepared) = @$_;
	with_extensions($database);
	widen_pool($pooler, $database, 7) if $port == $pooler->{port};
	my ($out) = java('jdbc', \@jdbc, url_of($port, $database, $settings), 'Kinds');
	my $made = values_of($out);
	is($node->safe_psql($database, 'SELECT title, id FROM album ORDER BY title'),
		"block|$made->{block}\none|$made->{one}", "$database: IDs of id64");
	is($node->safe_psql($database, 'SELECT title, id, album_id FROM visit ORDER BY id'),
		join("\n", map { "$_|$made->{$_}|$made->{one}" } 'batch 1', 'batch 2'), 'a batch, and its IDs of ulid');
	my $pictures = $node->safe_psql($database, q{SELECT array_to_string(pictures, ',') FROM album WHERE title = 'block'});
	is($made->{pictures}, join(' ', ($pictures) x 3), 'an array of id64');
	like($pictures, qr/^$made->{block},\w{11}$/, 'an array of id64 has its two IDs');
	is_deeply([ @$made{qw(cast any prepared)} ], [ 'one', 2, $prepared ],
		"rows are found by them, by $prepared prepared statements");
}

# Hibernate: its schema tools on a fresh database.
ok(defined run_in('hibernate/kinds', {}, 'javac', '-cp', class_path(@hibernate), 'Kinds.java', 'ByDefault.java'),
	'Hibernate compiles');
with_extensions('hibernate');
my $url = url_of($node->port, 'hibernate', 'prepareThreshold=1');
append_to_file("$folder/hibernate/kinds/properties", "hibernate.connection.url=$url\n");

sub schema_tool
{
	my ($tool) = @_;
	my ($ddl, $log) = java('hibernate/kinds', \@hibernate, $url, "org.hibernate.tool.hbm2ddl.$tool", '--config=hibernate.cfg.xml', '--properties=properties');
	return ($ddl, join "\n", grep { /ERROR|Exception:/ && !/createClob/ } split /\n/, $log);
}
my ($ddl, $errors) = schema_tool('SchemaUpdate');
is($errors, '', 'hbm2ddl update makes the tables');
is(join(' ', $ddl =~ /^(?:create|alter) (\w+ \w+)/mg), 'table Album table Photo table Visit table Visit',
  'hbm2ddl update makes no other tables');
is($node->safe_psql('hibernate', <<'SQL'), <<'TABLES' =~ s/\n\z//r, 'hbm2ddl update makes keys by the DEFAULTs');
SELECT attrelid::regclass, attname, format_type(atttypid, NULL), pg_get_expr(adbin, adrelid)
  FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
 WHERE attrelid IN ('photo'::regclass, 'album'::regclass, 'visit'::regclass) AND attname ~ 'id$' AND attnum > 0 ORDER BY attrelid::regclass::text, attname
SQL
album|id|id64|next_id()
photo|id|bigint|next_id()
visit|album_id|id64|
visit|id|ulid|next_ulid()
TABLES
my $made_schema = schema_of('hibernate');
is_deeply([ schema_tool('SchemaValidator') ], [ '', '' ], 'validate finds nothing wrong');
is_deeply([ schema_tool('SchemaUpdate') ], [ '', '' ], 'a second update has nothing to do');
is(schema_of('hibernate'), $made_schema, 'a second update changes nothing');

my ($out, $log) = java('hibernate/kinds', \@hibernate, $url, 'Kinds');
my $made = values_of($out);
is($node->safe_psql('hibernate', 'SELECT id FROM photo'), $made->{photo}, 'Hibernate reads back a bigint');
is($node->safe_psql('hibernate', 'SELECT id FROM album ORDER BY id') =~ s/\n/ /gr, "$made->{album} $made->{block}",
	'id64, also of a block');
is($node->safe_psql('hibernate', 'SELECT id, album_id FROM visit'), "$made->{visit}|$made->{album}", 'ulid');
like($log, qr/Executing batch size: 3$/m, 'Hibernate inserts the block as one batch');
is_deeply([ @$made{qw(of found prepared)} ], [ 'one', 3, 3 ], 'Hibernate finds rows by IDs and by prepared statements');

$node->safe_psql('hibernate', 'ALTER TABLE photo ALTER id DROP DEFAULT, ALTER id TYPE id64 USING id::id64');
like((schema_tool('SchemaValidator'))[1],
	qr/Wrong column type in (?:hibernate\.)?public\.photo for column id\. Found: id64, expected: bigint/, 'validate sees another type');

done_testing();
