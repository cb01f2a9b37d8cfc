# bin/idgen-setup with a registry, where a database belongs to a hostile owner: as a node, as the registry's own database,
# and by the statements of the pages. That owner gets nothing of the superuser who calls it.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenLease;
use IdgenNode;
use IdgenPages;
use IdgenTenant;
use IPC::Run ();
use PostgreSQL::Test::Utils qw(append_to_file slurp_file);
use Test::More;

sub environment { my ($node) = @_; return (%ENV, PGHOST => $node->host, PGPORT => $node->port, PGUSER => scalar getpwuid($<), PGPASSFILE => '/nowhere', LC_ALL => 'C') }

sub sets_up
{
	my ($what, $node, $arguments, $wanted, @patterns) = @_;
	local %ENV = environment($node);
	IPC::Run::run([ tree() . '/bin/idgen-setup', @$arguments ], '<', \'', '>&', \my $said);
	is($? >> 8, $wanted, "$what: the status") or diag($said);
	like($said, $_, "$what: it says so") for @patterns;
	$node->_update_pid(1);
	is(is_super($node), 0, "$what: no superuser");
	return $said;
}

# The registry's database was there, and is the owner's.
my $registry = start_node('registry', preload => 0, extension => 0, conf => ["listen_addresses = '127.0.0.2'"]);
make_tenant($registry, 'registry');
my @make = qw(--make-registry --role photos --listen 127.0.0.2 --nodes 127/8);
my $pid = begin_tenant($registry, 'registry', 'idgen_registry');
my $said = sets_up('a registry in an owner\'s database', $registry, [ @make, '--dry-run' ], 0);
sets_up('a registry in an owner\'s database', $registry, \@make, 0);
kill 'TERM', $pid;
waitpid $pid, 0;
$registry->safe_psql('postgres', $_) for hostile_settings('registry');
sets_up('the registry once more', $registry, \@make, 0);
$registry->safe_psql('postgres', "ALTER DATABASE registry RESET ALL");

# A node whose database is the owner's.
unlink $registry->data_dir . '/pg_hba.conf';
append_to_file($registry->data_dir . '/pg_hba.conf', "local all all trust\nhost all all 127.0.0.0/8 trust\n");
$registry->reload;
my $address = sprintf 'postgresql://photos@127.0.0.2:%d/registry', $registry->port;
my $node = start_node('node', preload => 0, extension => 0, conf => ['autovacuum = off']);
make_tenant($node, 'app');
my @node = ('--database', 'app', '--registry', $address);
sets_up('a node, dry run', $node, [ @node, '--dry-run' ], 0);
$pid = begin_tenant($node, 'app');
sets_up('a node', $node, \@node, 0, qr/^an ID of shard 0 of this server: \d+$/m, qr/^The schema public is tenant's/m);
waitpid $pid, 0;
$node->safe_psql('postgres', $_) for hostile_settings('app');
sets_up('a node once more', $node, \@node, 0, qr/^an ID of shard 0 of this server: \d+$/m);
$node->safe_psql('postgres', "ALTER DATABASE app RESET $_") for qw(role statement_timeout);

# What the page has a superuser type there.
for my $block (grep { /psql -d app/ } page('registry') =~ /^```sh\n(.*?)^```$/msg)
{
	my $script = $block =~ s/^(?!.*psql).*\n//gmr =~ s/sudo -u postgres //gr;
	local %ENV = environment($node);
	IPC::Run::run([ 'bash', '-c', $script ], '<', \'', '>&', \$said);
	note $said;
	is(is_super($node), 0, 'registry.md: a hostile owner gets nothing of it') or diag($script);
}
done_testing();
