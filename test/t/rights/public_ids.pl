# The keys of public IDs on a real server: reloaded, never logged, never in a catalog, absent without preload.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use IdgenPages;
use PostgreSQL::Test::Utils;
use Test::More;

my ($old, $new, $third) = map { $_ x 16 } '2b', '7e', '5c';
my $node = start_node('keys', kinds => 1, conf => [ "log_min_messages = 'debug2'", "log_min_error_statement = 'panic'", "log_statement = 'none'" ]);
my $session = connect_to($node);
$node->safe_psql('postgres', 'CREATE ROLE app LOGIN; GRANT EXECUTE ON FUNCTION id_to_public, id_from_public TO app');
my $app = connect_to($node, user => 'app');

# Waits until a session has seen the reload: its default key makes public IDs that begin so.
sub reload
{
	my ($value, $begins) = @_;
	$node->append_conf('postgresql.conf', "idgen.keys = '$value'");
	$node->reload;
	for (1 .. 600)
	{
		return 1 if ($app->selectrow_array('SELECT id_to_public(5)') // '') =~ /^$begins.{11}$/;
		select undef, undef, undef, 0.1;
	}
	return 0;
}

# A reload reaches open sessions of every role. (Errors of sessions without keys are no failure here.)
{
	local $app->{RaiseError} = 0;
	local $app->{PrintError} = 0;
	ok(reload("1:$old", '1'), 'keys come by a reload');
}
my $public = value_of($app, 'SELECT id_to_public(5)');
is($public, value_of($session, "SELECT '1' || id_to_base62(id_encrypt(5, '\\x$old'))"),
	'made with the key of the file');
ok(reload("1:$old,2:$new", '2'), 'a new key is used at once');
is(value_of($app, "SELECT id_from_public('$public')"), 5, 'old public IDs are still read beside a new key');
ok(reload("2:$new,3:$third", '3'), 'an old key is taken out');
fails_with($app, "SELECT id_from_public('$public')", '22023', qr/there is no key 1\nDETAIL:  idgen.keys has no key of that number/,
  'public IDs of a key that was taken out are unreadable');

# A value that is refused leaves the keys as they are.
$node->append_conf('postgresql.conf', "idgen.keys = '4:${old}0'");
my $offset = -s $node->logfile;
$node->reload;
ok($node->poll_query_until('postgres', "SELECT pg_read_file('" . $node->logfile . "', $offset, 1000000) ~ 'idgen.keys'"),
	'a refused value is reported');
like(value_of($app, 'SELECT id_to_public(5)'), qr/^3/, 'a refused value changes nothing');
is(value_of($session, q{SELECT count(*) FROM pg_file_settings WHERE name = 'idgen.keys' AND error IS NOT NULL}), 1,
	'pg_file_settings says so');
$node->append_conf('postgresql.conf', "idgen.keys = '2:$new'");
$node->restart;
$_->disconnect for $session, $app;
$session = connect_to($node);
$app = connect_to($node, user => 'app');
like(value_of($app, 'SELECT id_to_public(5)'), qr/^2/, 'after a restart');

# Nobody but a superuser sees them.
fails_with($app, 'SELECT * FROM pg_file_settings', '42501', qr/permission denied/, 'pg_file_settings');

# The log has every change of the keys, and no key.
fails_with($session, "SET idgen.keys = '$old:1'", '22023', qr/DETAIL:.*number of key 1/, 'an error with no key in it');
$session->do("ALTER SYSTEM SET idgen.keys = '1:$old,2:$new'");
$offset = -s $node->logfile;
$node->reload;
ok($node->poll_query_until('postgres', "SELECT pg_read_file('" . $node->logfile . "', $offset, 1000000) ~ 'idgen.keys.* changed'"),
	'a reload is logged');
my $log = slurp_file($node->logfile);
like($log, qr/parameter "idgen.keys" changed to "\*+"/, 'a reload logs the keys as stars');
unlike($log, qr/$_/i, 'no key is in the log') for $old, $new, $third;

# Who may show IDs, and who may turn them back: neither PUBLIC nor the owner of the database. Views, defaults and policies call
# with the rights of whoever uses them.
{
	$session->do($_) for 'CREATE ROLE web LOGIN', 'CREATE ROLE visitor LOGIN', 'GRANT EXECUTE ON FUNCTION id_to_public TO web', 'CREATE TABLE shown (id bigint, public text DEFAULT id_to_public(7))',
	  'INSERT INTO shown VALUES (5)', 'CREATE VIEW as_shown AS SELECT id_to_public(id) AS public FROM shown', 'CREATE VIEW as_turned AS SELECT id_from_public(public) AS id FROM shown',
	  'CREATE TABLE guarded (public text)', 'INSERT INTO guarded VALUES (id_to_public(5))', 'ALTER TABLE guarded ENABLE ROW LEVEL SECURITY', 'CREATE POLICY p ON guarded USING (id_from_public(public) = 5)',
	  'GRANT ALL ON shown, as_shown, as_turned, guarded TO web, visitor, app';
	my %on = map { $_ => connect_to($node, user => $_) } qw(web visitor app);
	is(length value_of($on{$_}, 'SELECT public FROM as_shown'), 12, "$_: a view shows IDs") for qw(web app);
	ok($on{$_}->do('INSERT INTO shown (id) VALUES (1)'), "$_: a DEFAULT does") for qw(web app);
	fails_with($on{visitor}, $_, '42501', qr/permission denied for function id_to_public$/, "without the right: $_") for 'SELECT public FROM as_shown', 'INSERT INTO shown (id) VALUES (1)';
	fails_with($on{ $_->[0] }, $_->[1], '42501', qr/permission denied for function id_from_public$/, "$_->[0]: $_->[1]")
	  for map { my $role = $_; map { [ $role, $_ ] } 'SELECT id FROM as_turned', 'SELECT * FROM guarded' } qw(web visitor);
	is(value_of($on{app}, 'SELECT max(id) FROM as_turned'), 7, 'with both rights: a view');
	is(value_of($on{app}, 'SELECT count(*) FROM guarded'), 1, 'with both rights: a policy');
	$session->do($_) for 'CREATE ROLE tenant LOGIN', 'CREATE DATABASE rented OWNER tenant';
	$node->safe_psql('rented', 'CREATE EXTENSION idgen');
	my $tenant = connect_to($node, user => 'tenant', db => 'rented');
	fails_with($tenant, $_, '42501', qr/permission denied for function id_to_public$/, "the owner of the database: $_") for 'SELECT id_to_public(5)', 'GRANT EXECUTE ON FUNCTION id_to_public TO tenant';
	$_->disconnect for values %on, $tenant;
}

# A setting that was stored before the library guarded it is not taken.
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''");
$session->do('ALTER SYSTEM RESET idgen.keys');
$node->append_conf('postgresql.conf', "idgen.keys = ''");
$_->disconnect for $session, $app;
$node->restart;
$node->safe_psql('postgres', "ALTER ROLE app SET idgen.keys = '1:$old'");

# Without preload the server would show the keys, so there are none.
my ($status, $out, $error) = $node->psql('postgres', "SELECT id_shard(1); SELECT id_to_public(5)", extra_params => [ '-U', 'app' ]);
like($error, qr/idgen.keys is not set\n.*\n.*HINT:.*shared_preload_libraries/s, 'without preload');
is($node->safe_psql('postgres', "SELECT id_encrypt(1, '\\x$old') > 0"), 't', 'an explicit key needs none');
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'idgen'");
$node->restart;
($status, $out, $error) = $node->psql('postgres', 'SELECT id_to_public(5)', extra_params => [ '-U', 'app' ]);
like($error, qr/WARNING:.*cannot be set for a database, a role.*idgen.keys is not set/s,
	'a stored setting is not taken');
unlike($error, qr/$old/, 'the key of a stored setting is not told');

done_testing();
