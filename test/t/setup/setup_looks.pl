# bin/idgen-setup looks before it changes: what would fail later is refused first, by --dry-run too; a database's owner who
# is hostile gets nothing of its superuser; and wherever it is killed, the next run ends well.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use IdgenPages;
use IdgenTenant;
use IPC::Run ();
use POSIX ();
use PostgreSQL::Test::Utils qw(append_to_file slurp_file);
use Test::More;
use Time::HiRes qw(sleep time);

sub command_of { my (@arguments) = @_; return (tree() . '/bin/idgen-setup', @arguments) }
sub environment { my ($node) = @_; return (%ENV, PGHOST => $node->host, PGPORT => $node->port, LC_ALL => 'C') }

sub set_up
{
	my ($node, @arguments) = @_;
	local %ENV = (environment($node), %{ ref $arguments[0] ? shift @arguments : {} });
	IPC::Run::run([ command_of(@arguments) ], '<', \'', '>&', \my $said);
	my $status = $? >> 8;
	$node->_update_pid(1) if -e $node->data_dir . '/postmaster.pid';
	return ($status, $said);
}

sub sets_up
{
	my ($what, $node, $arguments, $wanted, @patterns) = @_;
	my ($status, $said) = set_up($node, @$arguments);
	is($status, $wanted, "$what: the status") or diag($said);
	like($said, $_, "$what: it says so") for @patterns;
	return $said;
}

# All that it may change: files of the configuration, and all databases as text.
sub state_of
{
	my ($node) = @_;
	my $files = join "\n", map { slurp_file($_) } grep { -f } glob $node->data_dir . '/{*.conf,*.pass}';
	return "$files\n" . join "\n", grep { !/^(?:--|\\(?:un)?restrict )/ } split /\n/, `pg_dumpall --no-sync -h '@{[ $node->host ]}' -p @{[ $node->port ]}`;
}

# Refused, without and with --dry-run, before anything is changed.
sub looks
{
	my ($what, $node, $arguments, @patterns) = @_;
	my ($before, @options) = (state_of($node), ref $arguments->[0] ? shift @$arguments : ());
	sets_up("$what$_->[0]", $node, [ @options, @$arguments, @{ $_->[1] } ], 1, @patterns) for [ ', dry run', ['--dry-run'] ], [ '', [] ];
	return is(state_of($node), $before, "$what: nothing is changed");
}

my $node = start_node('looks', extension => 0);
my $root = connect_to($node);
my $is_late = $node->pg_version >= 17;
make_tenant($node, 'app');

my $owned = qr/^The schema public is tenant's, who can put other functions in place of idgen's: as a superuser, call none of them\.$/m;
my $pid = begin_tenant($node, 'app');
sets_up('a hostile owner', $node, [qw(--database app --shards 5)], 0, qr/^an ID of shard 5 of this server: \d+$/m, $owned);
waitpid $pid, 0;
is(is_super($node), 0, 'a hostile owner, in the first run: no superuser');
is($node->safe_psql('app', q{SELECT count(*) FROM pg_proc WHERE proname = 'id_shard' AND prolang = (SELECT oid FROM pg_language WHERE lanname = 'plpgsql')}), 1,
	'a hostile owner: its function is there');
sets_up('a hostile owner, once more', $node, [qw(--database app --shards 5)], 0, $owned);
is(is_super($node), 0, 'a hostile owner, once more: no superuser');
$root->do($_) for hostile_settings('app');
for my $again ([qw(--database app --shards 5)], [qw(--database app --shards 6 --replace-shards)], [qw(--database app --shards 6 --preload)], ['--preload'], [qw(--database app --shards 6 --dry-run)])
{
	sets_up("a hostile owner: @$again", $node, $again, 0);
	is(is_super($node), 0, "a hostile owner: @$again: no superuser");
}
$root->do("DROP DATABASE app");
$root->do('CREATE DATABASE app OWNER tenant');
make_hostile($node, 'app');
$root->do($_) for hostile_settings('app');
unlike(sets_up('a hostile owner, another schema', $node, [qw(--database app --shards 5 --schema ids)], 0), $owned, 'a superuser\'s schema: nothing is said of its owner');
is(is_super($node), 0, 'a hostile owner, another schema: no superuser');

# The statements of a superuser on the pages of upgrading and uninstalling, and of the roles of monitoring: here nothing
# keeps them from what the owner has in the way.
$root->do("ALTER DATABASE app RESET $_") for qw(role statement_timeout);
for my $page (qw(installing monitoring))
{
	my @blocks = grep { /psql/ && /-d app/ } page($page) =~ /^```sh\n(.*?)^```$/msg;
	cmp_ok(scalar @blocks, '>', 0, "$page: has such statements") if $page eq 'installing';
	for (@blocks)
	{
		my $script = s/^(?!.*psql|[A-Z]|END).*\n//gmr =~ s/sudo -u postgres //gr;
		local %ENV = (environment($node), PGUSER => getpwuid $<);
		IPC::Run::run([ 'bash', '-c', $script ], '<', \'', '>&', \my $said);
		note $said;
		is(is_super($node), 0, "$page: a hostile owner gets nothing of it") or diag($script);
	}
}

# What uninstalling says for each database; then all of it again.
{
	my ($uninstall) = page('installing') =~ /^(DROP EXTENSION IF EXISTS idgen_lease.*;)$/m or die 'no such statement';
	for my $statement ($uninstall, 'CREATE EXTENSION idgen SCHEMA ids')
	{
		$node->safe_psql('app', $statement);
		is(is_super($node), 0, "$statement: a hostile owner gets nothing of it");
	}
}

# What the default layout has.
is(value_of(connect_to($node, db => 'app'), q{SELECT shards FROM ids.id_layout_info()}), 8192, 'the default layout');
looks("shards $_", $node, [ qw(--database app --replace-shards --shards), $_ ], qr/there is no shard \d+$/m, qr/0 to 8191/) for 99999, 80800, '0,8192', '5-8192';
looks('a space within a number', $node, [ qw(--database app --replace-shards --shards), '8 0' ], qr/is not a list of shards/);
my $waiting = connect_to($node, db => 'app');
sets_up('the last shard', $node, [qw(--database app --replace-shards --shards 8191)], 0, qr/^an ID of shard 8191 /m, qr/^Sessions of app that are open keep what they had: they must reconnect\.$/m);
$waiting->disconnect;

# The right to show public IDs, and not to turn them back.
looks('a role that is missing', $node, [qw(--database app --shards 8191 --public-ids web)], qr/there is no role "web"$/m, qr/^ +Create it first: CREATE ROLE web LOGIN$/m);
looks('public IDs of a registry', $node, [qw(--make-registry --public-ids web)], qr/--public-ids is for a database that makes IDs/);
$root->do('CREATE ROLE "we\'b" LOGIN');
sets_up('a role for public IDs', $node, [qw(--database app --shards 8191 --public-ids), q{we'b}], 0, qr/^app=# GRANT EXECUTE ON FUNCTION ids\.id_to_public\(.*\) TO "we'b";$/m, qr/id_from_public TO \.\.\.$/m);
sets_up('a role for public IDs, again', $node, [qw(--database app --shards 8191 --public-ids), q{we'b}], 0, qr/^there already: we'b may call id_to_public$/m);
is($node->safe_psql('app', q{SELECT has_function_privilege('we''b', 'ids.id_to_public(bigint, integer, bytea, text)', 'EXECUTE'), has_function_privilege('we''b', 'ids.id_from_public(text, bytea, text)', 'EXECUTE')}), 't|f',
	'that role may show them, and not turn them back');

# Schemas and names that CREATE EXTENSION refuses.
looks("the schema $_", $node, [ qw(--database new --shards 5 --schema), $_ ], qr/the schema $_ is not for idgen's functions/) for qw(idgen pg_own);
$root->do('CREATE DATABASE blog');
$node->safe_psql('blog', q{CREATE FUNCTION next_id() RETURNS bigint LANGUAGE sql AS 'SELECT 5::bigint'});
looks('a function of that name', $node, [qw(--database blog --shards 5)], qr/functions of the same name exist in schema public/, qr/cannot be created in the database blog/);
$node->safe_psql('template1', 'CREATE EXTENSION idgen; CREATE EXTENSION idgen_kinds');
looks('a template with idgen', $node, [qw(--database new --shards 5)], qr/the database new would be a copy of template1, which has idgen_kinds, idgen$/m, qr/DROP EXTENSION idgen_kinds, idgen$/m);
$node->safe_psql('template1', 'DROP EXTENSION idgen_kinds, idgen');
$node->safe_psql('template1', 'CREATE SCHEMA idgen; CREATE TABLE idgen.t ()');
looks('a schema idgen in the template', $node, [qw(--database new --shards 5)], qr/the schema idgen is not empty/);
$node->safe_psql('template1', 'DROP SCHEMA idgen CASCADE');

# ALTER SYSTEM that is forbidden, or whose file cannot be written.
my $bare = start_node('bare', preload => 0, extension => 0, conf => ["shared_preload_libraries = 'pg_stat_statements'"]);
my @needs = (qr/^ +shared_preload_libraries = 'pg_stat_statements, idgen'$/m, qr/Put this into .*postgresql\.conf/, qr/Restart the server/);
if ($is_late)
{
	$bare->append_conf('postgresql.conf', 'allow_alter_system = off');
	$bare->reload;
	looks('ALTER SYSTEM is forbidden', $bare, [qw(--database app --shards 5 --preload)], qr/ALTER SYSTEM is forbidden/, @needs);
	looks('ALTER SYSTEM is forbidden, for listening', $bare, [qw(--make-registry --listen 127.0.0.2)], qr/^ +listen_addresses = '.*127\.0\.0\.2'$/m);
	$bare->append_conf('postgresql.conf', 'allow_alter_system = on');
	$bare->reload;
}
# As root, who can write everywhere, these are red.
{
	chmod 0500, $bare->data_dir;
	looks('a folder that cannot be written', $bare, [qw(--database app --shards 5 --preload)], qr/ALTER SYSTEM cannot write to /, @needs);
	chmod 0700, $bare->data_dir;
	my $hba = $bare->data_dir . '/pg_hba.conf';
	chmod 0400, $hba;
	looks('a pg_hba.conf that cannot be written', $bare, [qw(--make-registry --nodes 10/8)], qr/cannot write .*pg_hba\.conf/, qr{Put this line into it, .*: host registry node 10\.0\.0\.0/8 scram-sha-256$}m);
	chmod 0600, $hba;
}
append_to_file($bare->data_dir . '/postgresql.conf', "no setting\n");
looks('an error in the configuration', $bare, [qw(--database app --shards 5 --preload)], qr/would not start again/);
{
	my $conf = $bare->data_dir . '/postgresql.conf';
	my $text = slurp_file($conf) =~ s/^no setting\n//mr;
	unlink $conf;
	append_to_file($conf, $text);
}

# A database of the registry whose name is a pattern from PostgreSQL 16 on.
like(sets_up('a name that begins with a slash', $bare, [ qw(--make-registry --nodes 10/8 --dry-run --role), '/n.x', '--database', '/x' ], 0),
	$bare->pg_version >= 16 ? qr{echo 'host "/\^/x\$" "/\^/n\\\.x\$" 10} : qr{echo 'host "/x" "/n\.x" 10}, 'a name that begins with a slash: it stands for itself');

# A password for local connections.
my $me = getpwuid $<;
$bare->safe_psql('postgres', qq{ALTER ROLE "$me" PASSWORD 'secret'});
my $trust = slurp_file($bare->data_dir . '/pg_hba.conf');
unlink $bare->data_dir . '/pg_hba.conf';
append_to_file($bare->data_dir . '/pg_hba.conf', "local all all scram-sha-256\n");
$bare->reload;
sets_up('a password', $bare, [ { PGPASSFILE => '/nowhere' }, qw(--database app --shards 5) ], 1, qr/the server asks for a password/, qr/PGPASSWORD/, qr/\.pgpass/);
sets_up('a password that is given', $bare, [ { PGPASSWORD => 'secret' }, qw(--database app --shards 5 --dry-run) ], 0);
unlink $bare->data_dir . '/pg_hba.conf';
append_to_file($bare->data_dir . '/pg_hba.conf', $trust);
chmod 0600, $bare->data_dir . '/pg_hba.conf';
$bare->reload;

# Killed with all that it has begun in its group, at 20 moments of a run with a restart: the server is up or comes up, and
# the next run ends well.
my $whole = time;
sets_up('in one go', $bare, [qw(--database first --shards 5 --schema ids --preload)], 0);
$whole = time - $whole;
for my $moment (1 .. 20)
{
	$bare->safe_psql('postgres', 'ALTER SYSTEM RESET shared_preload_libraries');
	$bare->restart;
	my @arguments = (qw(--shards 5 --schema ids --preload --database), "app$moment");
	my $child = fork // die "fork: $!";
	if (!$child)
	{
		setpgrp;
		%ENV = environment($bare);
		open STDOUT, '>', '/dev/null';
		open STDERR, '>&', \*STDOUT;
		exec command_of(@arguments) or POSIX::_exit(1);
	}
	sleep $whole * $moment / 21;
	kill 'KILL', -$child;
	waitpid $child, 0;
	sets_up("killed at moment $moment, again", $bare, \@arguments, 0, qr/^an ID of shard 5 of this server: \d+$/m);
}
is(join(' ', glob $bare->data_dir . '/*.new'), '', 'killed: no file is left');
done_testing();
