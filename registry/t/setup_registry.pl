# bin/idgen-setup with a registry.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenEtcd;
use IdgenLease;
use IdgenNode;
use IdgenPages;
use IdgenTenant;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils qw(append_to_file slurp_file);
use Test::More;

# bin/idgen-setup with a registry: it makes one, in PostgreSQL, and sets up two nodes of it, which get different shards;
# and a node of an etcd. No password stands in a command line or in a log.
{
	my $folder = PostgreSQL::Test::Utils::tempdir;
	my $password = q{s'e"c\\r:e%t };
	append_to_file("$folder/password", "$password\nanother line\n");

	# Calls it on a server; passes if it ends with a status, and says what matches. Gives what it said.
	sub sets_up
	{
		my ($what, $node, $arguments, $wanted, @patterns) = @_;
		my $input = ref $arguments->[0] ? ${ shift @$arguments } : '';
		local %ENV = (%ENV, PGHOST => $node->host, PGPORT => $node->port, PGPASSFILE => '/nowhere');
		IPC::Run::run([ tree() . '/bin/idgen-setup', @$arguments ], '<', \$input, '>&', \my $said);
		is($? >> 8, $wanted, "$what: the status") or diag($said);
		like($said, $_, "$what: it says so") for @patterns;
		unlike($said, qr/\Q$password\E/, "$what: it shows no password");
		$node->_update_pid(1);
		return $said;
	}

	sub hba { my ($node) = @_; return $node->data_dir . '/pg_hba.conf' }

	# The registry, in a server that logs all it can. Nodes come to it over the network, with a password.
	my @talks = ("log_statement = 'all'", 'log_min_duration_statement = 0', "shared_preload_libraries = 'pg_stat_statements'");
	my $registry = start_node('registry', preload => 0, extension => 0, conf => [ @talks, "listen_addresses = ''" ]);
	unlink hba($registry);
	append_to_file(hba($registry), "local all all trust\n");
	$registry->reload;
	my $listens = '127.0.0.2';
	my @make = ('--make-registry', '--role', 'photo nodes', '--listen', $listens, '--nodes', '127/8');
	my $planned = sets_up('dry run', $registry, [ @make, '--password-file', "$folder/password", '--dry-run' ], 0, qr/only printed/);
	is($registry->safe_psql('postgres', 'SELECT count(*) FROM pg_database'), 3, 'dry run: no database is made');
	is(slurp_file(hba($registry)), "local all all trust\n", 'dry run: nobody is admitted');
	my $done = sets_up('a registry', $registry, [ @make, '--password-file', "$folder/password" ], 0, qr/^        --registry postgresql:\/\/%70\S+\@HOST:\d+\/registry$/m);
	is_deeply([ $planned =~ /^(\w+=# .*|\$ .*)$/mg ], [ $done =~ /^(\w+=# .*|\$ .*)$/mg ], 'dry run: it prints the commands that are run');
	my $hba = slurp_file(hba($registry));
	is($hba, qq{local all all trust\nhost registry "photo nodes" 127.0.0.0/8 scram-sha-256\n}, 'a registry: its nodes are admitted');
	is($registry->safe_psql('postgres', q{SELECT has_parameter_privilege('photo nodes', 'log_parameter_max_length', 'SET')}), 't', 'a registry: nodes may keep their arguments out of the log');
	$registry->safe_psql('postgres', 'CREATE EXTENSION pg_stat_statements');
	my $seen = sub { my ($node) = @_; return slurp_file($node->logfile) . $node->safe_psql('postgres', 'SELECT query FROM pg_stat_statements') };
	unlike($seen->($registry), qr/e"c/, 'a registry: the password is in no log and no statistics');
	unlike(sets_up('a registry again', $registry, [@make], 0, qr/^there already: the role photo nodes/m, qr/^set already: listen_addresses/m), qr/=# |^\$ /m, 'a registry again: it runs no command');
	is(slurp_file(hba($registry)), $hba, 'a registry again: nobody is admitted twice');
	$registry->safe_psql('postgres', 'CREATE ROLE web LOGIN');
	sets_up('the role of others', $registry, [qw(--make-registry --role web)], 1, qr/the role web is there, and is not a role of nodes/, qr/^    .*GRANT idgen_node TO web/m);
	sets_up('no network', $registry, [qw(--make-registry --nodes here)], 1, qr/"here" is not a network/, qr{^    .*10\.0\.0\.0/24}m);

	# Two nodes. One loads another library already, and has a shard by hand.
	my $address = sprintf 'postgresql://photo%%20nodes@%s:%d/registry', $listens, $registry->port;
	my @nodes = map { start_node("node$_", preload => 0, extension => 0, conf => [ $_ == 1 ? @talks : (), 'autovacuum = off' ]) } 1, 2;
	my @arguments = ('--database', 'app', '--registry', $address, '--password-file', '-');
	$nodes[0]->safe_psql('postgres', q{CREATE DATABASE app; ALTER DATABASE app SET idgen.shards = '0'});
	sets_up('a shard by hand', $nodes[0], [ \$password, @arguments ], 1, qr/idgen\.shards is '0' for the database app, not 'lease'/, qr/--replace-shards/);
	sets_up('a wrong password', $nodes[0], [ \'guess', @arguments, '--replace-shards' ], 1, qr/password authentication failed/, qr/the registry does not answer, so nothing was changed/);
	is(slurp_file($nodes[0]->data_dir . '/postgresql.auto.conf') =~ /registry/, '', 'a wrong password: nothing is set');
	is(join(' ', glob $nodes[0]->data_dir . '/*.pass'), '', 'a wrong password: no file of it is left');
	$planned = sets_up('dry run of a node', $nodes[0], [ \$password, @arguments, '--replace-shards', '--dry-run' ], 0, qr/only printed/);
	is(join(' ', glob($nodes[0]->data_dir . '/*.pass'), slurp_file($nodes[0]->data_dir . '/postgresql.auto.conf') =~ /idgen/g), '', 'dry run of a node: nothing is changed');
	my @of = map { sets_up("node $_", $nodes[ $_ - 1 ], [ \$password, @arguments, '--replace-shards' ], 0, qr/^an ID of shard \d+ of this server: \d+$/m, qr/^All is well/m) } 1, 2;
	is_deeply([ $of[0] =~ /^(\w+=# .*|\$ .*)$/mg ], [ $planned =~ /^(\w+=# .*|\$ .*)$/mg ], 'dry run of a node: it prints the commands that are run');
	like($of[0], qr/^postgres=# ALTER DATABASE app RESET idgen\.shards;$/m, 'node 1: its shard by hand is taken away');
	is($nodes[0]->safe_psql('postgres', 'SHOW shared_preload_libraries'), 'pg_stat_statements, idgen, idgen_lease', 'node 1: it loads what it loaded before');
	is(join(' ', sort map { $_->safe_psql('app', 'SELECT id_shard(next_id())') } @nodes), '0 1', 'the nodes have two shards');
	$nodes[0]->safe_psql('postgres', 'CREATE EXTENSION pg_stat_statements');
	unlike($seen->($nodes[0]), qr/e"c/, 'node 1: the password is in no log and no statistics');
	is(sprintf('%o', (stat $nodes[0]->data_dir . '/idgen-registry.pass')[2] & 07777), 600, 'node 1: only its user can read the file of the password');
	for my $again ([@arguments[ 0 .. 3 ]], [ \$password, @arguments ])
	{
		unlike(sets_up('node 2 again', $nodes[1], $again, 0, qr/^set already: idgen\.registry/m, qr/^loaded already: idgen, idgen_lease$/m), qr/=# /, 'node 2 again: it runs no statement');
	}
	sets_up('another registry', $nodes[1], [ '--database', 'app', '--registry', "host=$listens port=" . $registry->port . " dbname=registry user='photo nodes'" ], 1,
		qr/takes its shards from another registry/, qr/^    .*ALTER SYSTEM RESET idgen\.registry/m);
	is($nodes[1]->safe_psql('app', q{SELECT value ~ 'answered' FROM idgen.status() WHERE key = 'registry'}), 't', 'another registry: the node keeps its own');
	sets_up('a password in the address', $nodes[1], [ '--database', 'app', '--registry', $_ ], 1, qr/the address holds a password/, qr/^    .*--password-file FILE/m)
	  for 'postgresql://a:b@c/d', 'etcd://a:b@c', 'host=a password=b', 'postgresql://a@c/d?password=b';
	sets_up('no address', $nodes[1], [ '--database', 'app', '--registry', $_ ], 1, qr/is not the address of a registry/) for 'registry.example.com', 'http://a';

	# A standby takes what is its own; the databases come from its primary.
	$nodes[1]->append_conf('pg_hba.conf', 'local replication all trust');
	$nodes[1]->append_conf('postgresql.conf', "wal_level = replica\nmax_wal_senders = 4");
	$nodes[1]->restart;
	$nodes[1]->backup('base');
	my $standby = PostgreSQL::Test::Cluster->new('standby');
	$standby->init_from_backup($nodes[1], 'base', has_streaming => 1);
	chmod 0600, $standby->data_dir . '/idgen-registry.pass';
	$standby->start;
	sets_up('a standby', $standby, [ @arguments[ 0 .. 3 ] ], 0, qr/a standby$/m, qr/^This standby is ready\./m);
	sets_up('a standby, by hand', $standby, [qw(--database app --shards 5)], 1, qr/this server is a standby/, qr/on the primary/);
	$_->stop('immediate') for $standby, @nodes, $registry;

	# etcd. The user's password is a part of the address, which is logged nowhere.
	my $etcd = IdgenEtcd->start;
	my $node = start_node('of_etcd', preload => 0, extension => 0, conf => \@talks);
	sets_up('a node of etcd', $node, [ '--database', 'app', '--registry', 'etcd://' . $etcd->address . '/photos' ], 0, qr/^an ID of shard 0 /m);
	$node->safe_psql('postgres', 'ALTER SYSTEM RESET idgen.registry');
	sets_up('a password of etcd', $node, [ \$password, '--database', 'app', '--registry', 'etcd://me@' . $etcd->address . '/photos', '--password-file', '-', '--no-restart' ], 3,
	  qr{^postgres=# ALTER SYSTEM SET idgen\.registry = 'etcd://me:\.\.\.@}m);
	like(slurp_file($node->data_dir . '/postgresql.auto.conf'), qr{idgen\.registry = 'etcd://me:%73%27%65%22%63%5c}, 'a password of etcd: it is in the address');
	$node->safe_psql('postgres', 'CREATE EXTENSION pg_stat_statements');
	unlike($seen->($node), qr/%65%22%63/, 'a password of etcd: it is in no log and no statistics');
	$node->stop('immediate');
}

# bin/idgen-setup with a registry, where a database belongs to a hostile owner: as a node, as the registry's own database,
# and by the statements of the pages. That owner gets nothing of the superuser who calls it.
{
	sub environment { my ($node) = @_; return (%ENV, PGHOST => $node->host, PGPORT => $node->port, PGUSER => scalar getpwuid($<), PGPASSFILE => '/nowhere', LC_ALL => 'C') }

	sub sets_up_tenant
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
	my $registry = start_node('tenant_registry', preload => 0, extension => 0, conf => ["listen_addresses = '127.0.0.2'"]);
	make_tenant($registry, 'registry');
	my @make = qw(--make-registry --role photos --listen 127.0.0.2 --nodes 127/8);
	my $pid = begin_tenant($registry, 'registry', 'idgen_registry');
	my $said = sets_up_tenant('a registry in an owner\'s database', $registry, [ @make, '--dry-run' ], 0);
	sets_up_tenant('a registry in an owner\'s database', $registry, \@make, 0);
	kill 'TERM', $pid;
	waitpid $pid, 0;
	$registry->safe_psql('postgres', $_) for hostile_settings('registry');
	sets_up_tenant('the registry once more', $registry, \@make, 0);
	$registry->safe_psql('postgres', "ALTER DATABASE registry RESET ALL");

	# A node whose database is the owner's.
	unlink $registry->data_dir . '/pg_hba.conf';
	append_to_file($registry->data_dir . '/pg_hba.conf', "local all all trust\nhost all all 127.0.0.0/8 trust\n");
	$registry->reload;
	my $address = sprintf 'postgresql://photos@127.0.0.2:%d/registry', $registry->port;
	my $node = start_node('node', preload => 0, extension => 0, conf => ['autovacuum = off']);
	make_tenant($node, 'app');
	my @node = ('--database', 'app', '--registry', $address);
	sets_up_tenant('a node, dry run', $node, [ @node, '--dry-run' ], 0);
	$pid = begin_tenant($node, 'app');
	sets_up_tenant('a node', $node, \@node, 0, qr/^an ID of shard 0 of this server: \d+$/m, qr/^The schema public is tenant's/m);
	waitpid $pid, 0;
	$node->safe_psql('postgres', $_) for hostile_settings('app');
	sets_up_tenant('a node once more', $node, \@node, 0, qr/^an ID of shard 0 of this server: \d+$/m);
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
}

done_testing();
