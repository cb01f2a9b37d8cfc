# A project of Rails with keys that are bigint, id64 and ulid, from a fresh database, by Rails' own commands: what
# it writes down of a schema makes the same schema again, and names nothing of ours.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
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
system('cp', '-r', "$FindBin::Bin/../clients/rails", $folder) == 0 or die "cp: $?";

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

# Rails' commands on a database.
sub rails
{
	my ($database, @tasks) = @_;
	return run_in('rails', { PHOTOS => $database, PHOTOS_TEST => "${database}_test" }, 'ruby', 'bin/rails', @tasks);
}

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
is("@tables", 'albums comments photos visits', 'and no table of ours');
unlike($schema, qr/Could not dump/, 'and it lacks none');

ok(defined rails('photos_loaded', qw(db:create db:schema:load db:schema:dump)), 'schema.rb loads into a fresh database');
is(slurp_file("$folder/rails/db/schema.rb"), $schema, 'whose schema.rb is the same');
my $real = schema_of('photos');
is(schema_of('photos_loaded'), $real, 'and whose schema is, as pg_dump sees it');
ok(defined rails('photos', 'db:test:prepare'), 'db:test:prepare');
is(schema_of('photos_test'), $real, 'makes the same schema');

# Rails: structure.sql.
{
	local $ENV{SCHEMA_FORMAT} = 'sql';
	ok(defined rails('photos', 'db:schema:dump'), 'structure.sql is dumped');
	my $structure = slurp_file("$folder/rails/db/structure.sql");
	like($structure, qr/^CREATE EXTENSION IF NOT EXISTS idgen WITH SCHEMA public;$/m, 'with the extension');
	unlike($structure, qr/idgen\.|SCHEMA idgen|horizon/, 'and nothing of what the extension makes');
	ok(defined rails('photos_structure', qw(db:create db:schema:load db:schema:dump)), 'it loads into a fresh database');
	is(without_keys(slurp_file("$folder/rails/db/structure.sql")), without_keys($structure), 'whose structure.sql is the same');
	is(schema_of('photos_structure'), $real, 'and whose schema is');

	$node->safe_psql('postgres', 'CREATE DATABASE photos_ids');
	$node->safe_psql('photos_ids', 'CREATE SCHEMA ids; CREATE EXTENSION idgen SCHEMA ids; CREATE EXTENSION idgen_kinds SCHEMA ids');
	local $ENV{PGOPTIONS} = '-c search_path=public,ids';
	ok(defined rails('photos_ids', 'db:migrate') && defined rails('photos_ids_loaded', qw(db:create db:schema:load)), 'it loads with the extension in a schema');
	my $in_ids = schema_of('photos_ids');
	like($in_ids, qr/CREATE EXTENSION IF NOT EXISTS idgen WITH SCHEMA ids;.* id ids\.id64 DEFAULT ids\.next_id\(\) NOT NULL/s, 'of its own');
	is(schema_of('photos_ids_loaded'), $in_ids, 'to the same schema');
}

# Rails 7.2 and later write the schemas before the extensions, those of the extensions among them.
append_to_file("$folder/rails/db/later.rb",
	$schema =~ s/^(?=  # These are extensions)/  create_schema "idgen"\n  create_schema "idgen_lease"\n\n/mr
	  =~ s/^  enable_extension "idgen_kinds"\n\K/  enable_extension "idgen_lease"\n/mr);
{
	local $ENV{SCHEMA} = 'db/later.rb';
	ok(defined rails('photos_later', qw(db:create db:schema:load)), 'schema.rb may make the schemas of the extensions before these');
	is($node->safe_psql('photos_later', q{SELECT objid::regnamespace, extname, deptype FROM pg_depend JOIN pg_extension e ON refobjid = e.oid
		WHERE classid = 'pg_namespace'::regclass ORDER BY extname}),
		"idgen|idgen|e\nidgen_lease|idgen_lease|e", 'which own them then');
	$node->safe_psql('photos_later', 'DROP EXTENSION idgen_lease');
	is(schema_of('photos_later'), $real, 'and the schema is the same');
}

# A role that is no superuser cannot create the extensions: its databases come from one that has them.
$node->safe_psql('template1', 'CREATE EXTENSION idgen; CREATE EXTENSION idgen_kinds');
$node->safe_psql('postgres', 'CREATE ROLE app LOGIN CREATEDB');
{
	local $ENV{PGUSER} = 'app';
	ok(defined rails('photos_app', qw(db:create db:migrate db:test:prepare)), 'a role that is no superuser migrates where the extensions are');
	is(slurp_file("$folder/rails/db/schema.rb"), $schema, 'to the same schema.rb');
	local $ENV{SCHEMA_FORMAT} = 'sql';
	ok(defined rails('photos_app', 'db:schema:dump'), 'dumps structure.sql');
	ok(defined rails('photos_app_loaded', qw(db:create db:schema:load)), 'and loads it');
}
is(schema_of('photos_app_test'), $real, 'db:test:prepare makes the same schema');
is(schema_of('photos_app_loaded'), $real, 'and so does structure.sql');
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
	is($node->safe_psql($database, 'SELECT id, album_id FROM visits ORDER BY id'), join("\n", map { "$_|$album" } $visit, @visits), 'and of ulid');
	is_deeply([ @$made{qw(found of chosen containing)} ], [ 'one', 'one', [ 'batch 1', 'batch 2' ], ['one'] ], 'rows are found by them');
	is_deeply([ @$made{qw(pictures before)} ], [ [ map { $made->{batch}{$_} } 'batch 1', 'batch 2' ], \@visits ], 'arrays of them come back');
	is($node->safe_psql($database, "SELECT pictures FROM albums WHERE title = 'one'"), '{' . join(',', @{ $made->{pictures} // [] }) . '}', 'as they are stored');
	like($made->{json}, qr/^.*?"id":"$album".*"id":"$visit".*"id":"$made->{photo}"/, 'in JSON an ID is a string');
	is($node->safe_psql($database, "SELECT id FROM photos WHERE title = 'json'"), $made->{photo}, 'of all its digits');
	is_deeply($made->{schemas}, ['public'], 'Rails sees no schema of ours');
	return $made->{prepared};
}
is(check_kinds('photos', rails('photos', qw(runner kinds.rb)), 'Rails'), JSON::PP::true, 'with statements that the server prepared');

ok(defined rails('photos_loaded', 'db:fixtures:load'), 'fixtures load');
is($node->safe_psql('photos_loaded', q{SELECT title, visits.id, albums.id FROM albums JOIN visits ON album_id = albums.id}),
	'summer|01M847W60NZ97D3TPMT624Q85R|4oCOHzgSdX6', 'with the IDs that they say');

# Rails behind PgBouncer: each transaction is on another connection.
{
	$node->safe_psql('postgres', 'CREATE DATABASE photos_pooled');
	is(widen_pool($pooler, 'photos_pooled', 7), 7, 'PgBouncer has seven connections');
	local @ENV{qw(RAILS_ENV DATABASE_URL)} = ('production', "postgresql://$ENV{PGUSER}\@127.0.0.1:$pooler->{port}/photos_pooled");
	ok(defined rails('photos_pooled', 'db:migrate'), 'Rails migrates through PgBouncer');
	is(slurp_file("$folder/rails/db/schema.rb"), $schema, 'to the same schema.rb');
	is(check_kinds('photos_pooled', rails('photos_pooled', qw(runner kinds.rb)), 'through PgBouncer'), JSON::PP::false, 'with no prepared statement');
}

done_testing();
