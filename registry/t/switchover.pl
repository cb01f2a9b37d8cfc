# A planned end of a server: its numbers are given up, and its successor has them at once, by hand too, whatever is left
# of the lease. The successor is a promoted standby, or the same data after pg_upgrade. For each kind of registry.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenLease;
use IdgenNode;
use IdgenStore;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

# No lease is past while the file runs: what waits for that never comes.
my %setting = ('idgen.shards' => '5', 'idgen.lease_window' => '4s', 'idgen.lease_ttl' => '1h', 'idgen.max_lead' => '1s');

for my $kind (store_kinds())
{
	my $store = begin_store($kind);
	my $made = {};
	my $primary = start_leased("$kind-primary", $store->{address}, init => { allows_streaming => 1 }, setting => \%setting);
	my $session = connect_to($primary);
	is(repeated($made, wait_for_id($session), ids_of($session, 1000)), 0, "$kind: IDs");
	$session->disconnect;
	my $standby = standby_of($primary, "$kind-standby");

	# One that crashes keeps its number from the standby, which is refused until an administrator says that it is dead.
	$primary->wait_for_catchup($standby);
	crash($primary);
	$standby->promote;
	$session = connect_to($standby);
	wait_for('a refusal', sub { try_id($session) =~ /shard 5 is held by/ });
	pass("$kind: after a crash the promoted server is refused");
	value_of($session, 'SELECT idgen_lease.release(5)');
	is(repeated($made, wait_for_id($session)), 0, "$kind: the promoted server makes IDs when the number is released");
	forget_left($primary);

	# A clean stop.
	my $next = standby_of($standby, "$kind-next");
	is(repeated($made, ids_of($session, 1000)), 0, "$kind: IDs of the promoted server");
	$session->disconnect;
	$standby->stop('fast');
	$next->promote;
	my $began = time;
	$session = connect_to($next);
	is(repeated($made, wait_for_id($session), ids_of($session, 1000)), 0,
		"$kind: a planned switchover: IDs at once, none twice");
	note sprintf '%s: switchover: the first ID %.2f s after the promotion', $kind, time - $began;
	is(number_of($session), 5, "$kind: a planned switchover: IDs of the same number");
	$session->disconnect;
	$next->stop('fast');

	my $new = upgraded($next, "$kind-new");
	$new->start;
	$began = time;
	$session = connect_to($new);
	is(repeated($made, wait_for_id($session), ids_of($session, 1000)), 0, "$kind: pg_upgrade: IDs at once, none twice");
	note sprintf '%s: pg_upgrade: the first ID %.2f s after the start', $kind, time - $began;
	is(number_of($session), 5, "$kind: pg_upgrade: IDs of the same number");
	$session->disconnect;
	$new->stop('fast');
	$store->{stop}->('immediate');
}

sub standby_of
{
	my ($node, $name) = @_;
	$node->backup($name);
	my $standby = PostgreSQL::Test::Cluster->new($name);
	$standby->init_from_backup($node, $name, has_streaming => 1);
	$standby->start;
	return $standby;
}

# A new cluster with the data of one that is stopped.
sub upgraded
{
	my ($old, $name) = @_;
	my $new = PostgreSQL::Test::Cluster->new($name);
	$new->init;
	my $conf = slurp_file($old->data_dir . '/postgresql.conf');
	$new->append_conf('postgresql.conf', join "\n", $conf =~ /^(?:idgen\.|shared_preload).*$/mg);
	chomp(my $bin = `pg_config --bindir`);
	chdir $new->basedir or die $!;
	command_ok([ 'pg_upgrade', '--no-sync', '-d', $old->data_dir, '-D', $new->data_dir, '-b', $bin, '-B', $bin, '-s', $new->host, '-p', $old->port, '-P', $new->port ], "$name: pg_upgrade");
	return $new;
}

chdir q{/};
done_testing();
