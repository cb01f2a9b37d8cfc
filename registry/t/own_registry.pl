# A server whose registry is a database of its own, for whoever has one server: tickets and IDs go on at once after each
# stop and each crash, none twice. At a stop the registry ends as well, and nothing can be given back to it: what was
# held of a counter is left out.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenLease;
use IdgenNode;
use IdgenProxy;
use Test::More;
use Time::HiRes qw(time);

my $max_block = 100;
my $node = start_node('node', extension => 0, conf => [ 'shared_buffers = 8MB', 'autovacuum = off' ]);
$node->safe_psql('postgres', 'CREATE DATABASE registry; CREATE ROLE node_role LOGIN; CREATE EXTENSION idgen; CREATE EXTENSION idgen_lease');
$node->safe_psql('registry', "CREATE EXTENSION idgen_registry; GRANT idgen_node TO node_role; SELECT idgen_registry.create_counter('orders', block => 10, max_block => $max_block)");
$node->append_conf('postgresql.conf', $_)
  for "shared_preload_libraries = 'idgen, idgen_lease'", "idgen.registry = '" . (address_of($node) =~ s/dbname=\w+/dbname=registry/r) . q{'}, "idgen.shards = '1'", "idgen.max_wait = '60s'";
$node->restart;

my (%tickets, %ids);
my $last = 0;
sub take
{
	my ($what, $most_left_out) = @_;
	my $session = connect_to($node);
	my $began = time;
	my @ids = ids_of($session, 100);
	# A window is a minute.
	cmp_ok(time - $began, '<', 20, "$what: IDs at once");
	is(repeated(\%ids, @ids), 0, "$what: no ID twice");
	my @tickets = map { value_of($session, q{SELECT next_ticket('orders')}) } 1 .. 25;
	$session->disconnect;
	is(repeated(\%tickets, @tickets), 0, "$what: no ticket twice");
	cmp_ok($tickets[0] - $last - 1, '<=', $most_left_out, "$what: left out are two blocks at most");
	$last = $tickets[-1];
	return;
}
take('at first', 0);
for my $mode ('fast', 'immediate', 'smart')
{
	$node->stop($mode);
	start_again($node);
	take("after a stop, $mode", 2 * $max_block);
}
crash($node);
start_again($node);
take('after a crash', 2 * $max_block);
wait_for('word in the log of each start, whatever the end before it', sub { told($node, 'All IDs that it made before lie below') == 4 });
is(told($node, 'cannot be kept now'), 0, 'no start of the server logs that its number cannot be kept');

# The process of a registry elsewhere can have the number of one here, as in containers: what is held is given back to
# it.
{
	my $registry = start_registry('elsewhere', conf => ["listen_addresses = '127.0.0.1'"]);
	my $proxy = IdgenProxy->start($registry->port);
	my $address = "host=127.0.0.1 port=$proxy->{port} dbname=postgres user=node_role";
	my $leased = start_leased('leased', $address, setting => { 'idgen.lease_ttl' => '1h', 'idgen.lease_window' => '1min' });
	my ($session, $owner) = map { connect_to($_) } $leased, $registry;
	$owner->do(q{SELECT idgen_registry.create_counter('orders', block => 100)});
	$proxy->be_process(value_of($session, 'SELECT pg_backend_pid()'));
	my $number = number_of($session);
	is(value_of($session, q{SELECT next_ticket('orders')}), 1, 'elsewhere: a number of a counter');
	$leased->stop('fast');
	is(row_in($registry, $number)->{incarnation}, undef, 'elsewhere: the number is given up');
	is(value_of($owner, 'SELECT next FROM idgen_registry.counters()'), 2,
		'elsewhere: what was held of a counter is given back');
}
done_testing();
