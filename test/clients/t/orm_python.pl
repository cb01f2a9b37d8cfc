# Projects of SQLAlchemy with Alembic, Django and psycopg 3 with keys that are bigint, id64 and ulid, from a fresh
# database, by these tools' own commands: a second look for changes finds none, and none of them sees anything of ours.
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
@ENV{qw(PGHOST PGPORT PGUSER PYTHONDONTWRITEBYTECODE)} = ($node->host, $node->port, scalar getpwuid $<, 1);

# Runs a command in a copy of a client's project; what it wrote, or nothing if it failed.
my $folder = PostgreSQL::Test::Utils::tempdir;
my $python = '/usr/bin/python3';
sub run_in
{
	my ($project, @command) = @_;
	my ($out, $error);
	my $succeeds = IPC::Run::run(\@command, '>', \$out, '2>', \$error, init => sub { chdir "$folder/$project" or die "$project: $!" });
	return $out if $succeeds;
	diag("@command: ", substr($error, -2000));
	return;
}

# A copy of a project of its own for each database: tools write migrations into it.
sub copy_of
{
	my ($client, $database) = @_;
	system('cp', '-r', "$FindBin::Bin/../$client", "$folder/$database") == 0 or die "cp: $?";
	return $database;
}

sub make_database
{
	my ($database, $schema) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql($database, "CREATE SCHEMA IF NOT EXISTS $schema; CREATE EXTENSION idgen SCHEMA $schema; CREATE EXTENSION idgen_kinds SCHEMA $schema") if $schema;
	return;
}

# The columns that hold IDs: their types and defaults.
sub columns_of
{
	my ($database) = @_;
	return $node->safe_psql($database, <<'SQL');
SELECT concat_ws(' ', attrelid::regclass, attname, format_type(atttypid, NULL), pg_get_expr(adbin, adrelid))
  FROM pg_attribute JOIN pg_class c ON c.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
 WHERE relkind = 'r' AND relname ~ '(photo|album|visit)$' AND (attname ~ 'id$' OR attname = 'pictures') AND attnum > 0
 ORDER BY relname, attname
SQL
}

# What a program of a project printed, against the rows.
sub check_kinds
{
	my ($how, $database, $prefix, $out) = @_;
	my $made = decode_json($out // '{}');
	my ($album, @visits) = ($made->{album}, @{ $made->{visits} // [] });
	my @batch = map { $made->{batch}{"batch $_"} } 1, 2;
	is($node->safe_psql($database, "SELECT title, id FROM ${prefix}album WHERE title ~ '^(one|batch)' ORDER BY title"),
		join("\n", "batch 1|$batch[0]", "batch 2|$batch[1]", "one|$album"), "$how: IDs of id64");
	is($node->safe_psql($database, "SELECT id, album_id FROM ${prefix}visit WHERE album_id = '$album' ORDER BY id"),
		join("\n", map { "$_|$album" } @visits), "$how: IDs of ulid");
	is(scalar @visits, 2, "$how: two of them");
	is($node->safe_psql($database, "SELECT pictures FROM ${prefix}album WHERE id = '$album'"), '{' . join(',', @{ $made->{pictures} // [] }) . '}', "$how: an array of id64");
	is_deeply($made->{pictures}, \@batch, "$how: comes back as a list");
	is_deeply([ @$made{qw(chosen of containing)} ], [ [ 'batch 1', 'batch 2' ], 'one', ['one'] ],
		"$how: rows are found by them");
	ok($made->{'same time'}, "$how: id64_time() of a string is id_time() of its number");
	is($node->safe_psql($database, "SELECT id FROM ${prefix}photo WHERE title = 'json'"), $made->{photo},
		"$how: a bigint has all its digits");
	return $made;
}

my @bare = ('album id id64 next_id()', 'album pictures id64[]', 'photo id bigint next_id()', 'visit album_id id64', 'visit id ulid next_ulid()');

# Alembic, three times: extensions made by a migration, in a schema of their own, and behind PgBouncer.
sub alembic
{
	my ($database, @arguments) = @_;
	return run_in("$database/kinds", 'alembic', @arguments);
}

sub try_alembic
{
	my ($how, $database, $host, $port) = @_;
	copy_of('sqlalchemy', $database);
	local $ENV{DATABASE} = "postgresql+psycopg2://$ENV{PGUSER}\@/$database?host=$host&port=$port";
	ok(defined alembic($database, qw(upgrade head)) && defined alembic($database, qw(revision --autogenerate --rev-id first -m tables)),
		"$how: Alembic writes a migration");
	my $written = slurp_file("$folder/$database/kinds/versions/first_tables.py");
	my ($upgrade) = $written =~ /^def upgrade\(\):\n(.*?)^def /ms;
	is(join(' ', $upgrade =~ /op\.(\w+\('\w+')/g), "create_table('album' create_table('photo' create_table('visit'",
	  "$how: the migration makes the tables and nothing else");
	ok(defined alembic($database, qw(upgrade head)), "$how: the migration of Alembic runs");
	is(columns_of($database), join("\n", @bare), "$how: to the columns that the models say");
	ok(defined alembic($database, qw(revision --autogenerate --rev-id second -m nothing)), "$how: a second look");
	my ($second) = slurp_file("$folder/$database/kinds/versions/second_nothing.py") =~ /^def upgrade\(\):\n(.*?)^def /ms;
	is($second =~ s/^ *#.*\n//gmr =~ s/\s+//gr, 'pass', "$how: finds nothing");
	my $made = check_kinds($how, $database, '', run_in("$database/kinds", $python, 'kinds.py'));
	is_deeply($made->{returning}, $made->{pictures}, "$how: a list is bound");
	return;
}

make_database('alembic');
try_alembic('Alembic', 'alembic', $node->host, $node->port);
make_database('alembic_ids', 'ids');
{
	local $ENV{PGOPTIONS} = '-c search_path=public,ids';
	$node->safe_psql('postgres', 'ALTER DATABASE alembic_ids SET search_path = public, ids');
	try_alembic('in a schema of its own', 'alembic_ids', $node->host, $node->port);
}
make_database('alembic_pooled', 'public');
is(widen_pool($pooler, 'alembic_pooled', 5), 5, 'PgBouncer has five connections');
try_alembic('through PgBouncer', 'alembic_pooled', '127.0.0.1', $pooler->{port});
# What a model changes, the page's options show.
for my $change ([ 'a default', qr/class Album.*?\K, server_default=text\('next_id\(\)'\)/s, '' ], [ 'a type', qr/album_id = Column\(\KId64/, 'Ulid' ])
{
	my ($what, $from, $to) = @$change;
	my $models = slurp_file("$folder/alembic/kinds/models.py");
	(my $changed = $models) =~ s/$from/$to/ or die $what;
	rewrite('alembic/kinds/models.py', $changed);
	local $ENV{DATABASE} = "postgresql+psycopg2://$ENV{PGUSER}\@/alembic?host=$ENV{PGHOST}&port=$ENV{PGPORT}";
	alembic('alembic', qw(upgrade head)), alembic('alembic', qw(revision --autogenerate --rev-id third -m changed));
	like(slurp_file("$folder/alembic/kinds/versions/third_changed.py"), qr/op\.alter_column\('(album|visit)'/,
		"Alembic: $what that a model changes is seen");
	unlink "$folder/alembic/kinds/versions/third_changed.py";
	rewrite('alembic/kinds/models.py', $models);
}

sub rewrite
{
	my ($file, $text) = @_;
	unlink "$folder/$file";
	return append_to_file("$folder/$file", $text);
}

# Django.
sub manage
{
	my ($database, @arguments) = @_;
	return run_in("$database/kinds", $python, 'manage.py', @arguments);
}

sub try_django
{
	my ($how, $database, $host, $port) = @_;
	copy_of('django', $database);
	append_to_file("$folder/$database/kinds/photos/migrations/__init__.py", '');
	local @ENV{qw(PHOTOS PGHOST PGPORT)} = ($database, $host, $port);
	like(manage($database, 'makemigrations') // '', qr/Create model Album\n.*Create model Photo\n.*Create model Visit\n\z/s, "$how: Django writes a migration");
	ok(defined manage($database, 'migrate'), "$how: the migration of Django runs");
	is(columns_of($database), join("\n", map { "photos_$_" } map { s/album_id id64\K$//r } @bare),
		"$how: to the columns that the fields say");
	is(manage($database, qw(makemigrations --check)), "No changes detected\n", "$how: a second look finds nothing");
	my $seen = manage($database, qw(inspectdb --include-views --include-partitions)) // '';
	is(join(' ', $seen =~ /db_table = '(\w+)'/g), 'django_migrations photos_album photos_photo photos_visit', "$how: inspectdb sees nothing of ours");
	my $made = check_kinds($how, $database, 'photos_', run_in("$database/kinds", $python, 'kinds.py'));
	like($made->{json}, qr/"pk": "$made->{album}".*"album": "$made->{album}"/, "$how: in JSON an ID is a string");
	return;
}

make_database('django');
try_django('Django', 'django', $node->host, $node->port);
# Commands of Django that set sequences, on a table that had one: there is none to set, and next_id() goes on.
{
	local @ENV{qw(PHOTOS PGHOST PGPORT)} = ('django', $node->host, $node->port);
	$node->safe_psql('django', 'CREATE EXTENSION idgen_migrate; TRUNCATE photos_photo; ALTER TABLE photos_photo ALTER id DROP DEFAULT');
	$node->safe_psql('django', 'ALTER TABLE photos_photo ALTER id ADD GENERATED BY DEFAULT AS IDENTITY');
	$node->safe_psql('django', q{INSERT INTO photos_photo (title) VALUES ('a'), ('b')});
	$node->safe_psql('django', q{CALL idgen_migrate.replace_serial('photos_photo', 'id')});
	my $reset = manage('django', qw(sqlsequencereset photos)) // '';
	is(join(' ', $reset =~ /pg_get_serial_sequence\('"(\w+)"'/g), 'photos_photo', 'Django: sqlsequencereset names the table, and none whose key is another type');
	my ($status, undef, $error) = $node->psql('django', $reset, on_error_stop => 1);
	is("$status $error", '0 ', 'Django: sqlsequencereset sets nothing');
	append_to_file("$folder/django/kinds/photos.json", '[{"model": "photos.photo", "pk": 3, "fields": {"title": "c"}},
		{"model": "photos.album", "pk": "4oPf3gqtma0", "fields": {"title": "fixed"}}, {"model": "photos.album", "fields": {"title": "made"}}]');
	is(manage('django', qw(loaddata photos.json)), "Installed 3 object(s) from 1 fixture(s)\n", 'Django: loaddata');
	is($node->safe_psql('django', q{SELECT title, id = '4oPf3gqtma0' FROM photos_album WHERE title IN ('fixed', 'made') ORDER BY title}), "fixed|t\nmade|f", 'Django: also of keys that are id64');
	is($node->safe_psql('django', q{INSERT INTO photos_photo (title) VALUES ('d'); SELECT count(*), max(id_shard(id)) FILTER (WHERE title = 'd') FROM photos_photo}), '4|5',
		'Django: after replace_serial() neither of them stops next_id()');
}
make_database('django_ids', 'ids');
$node->safe_psql('postgres', 'ALTER DATABASE django_ids SET search_path = public, ids');
try_django('Django, in a schema of its own', 'django_ids', $node->host, $node->port);
make_database('django_pooled', 'public');
widen_pool($pooler, 'django_pooled', 5);
try_django('Django, through PgBouncer', 'django_pooled', '127.0.0.1', $pooler->{port});

# psycopg 3, with statements that the server prepares, and behind PgBouncer with none.
for ([ 'psycopg', $node->host, $node->port, 1 ], [ 'psycopg_pooled', '127.0.0.1', $pooler->{port}, '' ])
{
	my ($database, $host, $port, $prepares) = @$_;
	make_database($database, 'public');
	widen_pool($pooler, $database, 5) unless $prepares;
	copy_of('psycopg', $database);
	local @ENV{qw(PGDATABASE PGHOST PGPORT PREPARES)} = ($database, $host, $port, $prepares);
	my $made = decode_json(run_in($database, $python, 'app.py', 'kinds') // '{}');
	my ($album, @pictures) = ($made->{album}, @{ $made->{pictures} // [] });
	is($node->safe_psql($database, "SELECT id, pictures FROM album WHERE title = 'one'"),
		"$album|{" . join(',', @pictures) . '}', "$database: an ID of id64, and an array");
	is($node->safe_psql($database, "SELECT id FROM album WHERE title = 'copied' ORDER BY id"), join("\n", @pictures),
		"$database: COPY");
	is_deeply([ @$made{qw(made copied batch)} ], [ ([@pictures]) x 3 ], "$database: what a list of IDs found and made");
	is($node->safe_psql($database, "SELECT id FROM visit WHERE album_id = '$album' ORDER BY id"), join("\n", @{ $made->{visits} // [] }), "$database: executemany() made ulids");
	is_deeply([ @$made{qw(found of any)} ], [ 'one', 'one', 2 ], "$database: rows are found by them");
	ok($made->{'same time'}, "$database: id64_time() of a string is id_time() of its number");
	is($node->safe_psql($database, "SELECT $made->{number}::bigint::id64"), $album,
		"$database: a number of all digits");
	is($made->{prepared} ? 1 : '', $prepares, "$database: by prepared statements, or none");
}

done_testing();
