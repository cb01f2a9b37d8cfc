# What nodes cost their registry: 50 of them claim a number each and extend it, and the requests that reach the store
# are counted. trials/bench/tables.md says what follows for 1,000.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use HTTP::Tiny;
use IdgenEtcd;
use IdgenNode;
use IdgenStoreCalls;
use List::Util qw(sum0);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my ($nodes, $extends) = (50, 4);
my $client = start_node('client', preload => 0, extension => 0);
my $session = connect_to($client);
make_store_functions($session);
my $server = start_node('registry', preload => 0, extension => 0);
my $owner = connect_to($server);
$owner->do($_) for 'CREATE DATABASE numbers', 'CREATE ROLE node LOGIN IN ROLE pg_monitor';
my $inside = connect_to($server, db => 'numbers');
$inside->do($_) for 'CREATE EXTENSION idgen_registry', 'GRANT idgen_node TO node';
$inside->disconnect;
my $etcd = IdgenEtcd->start;

# Transactions of the registry's database, once the sessions there have told of all of theirs.
sub requests_of_postgres
{
	wait_until($owner, q{SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = 'numbers')});
	return value_of($owner, q{SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = 'numbers'});
}

# Requests that etcd has handled, by its own count.
sub requests_of_etcd
{
	my $metrics = HTTP::Tiny->new->get('http://' . $etcd->address . '/metrics')->{content};
	return sum0($metrics =~ /^grpc_server_handled_total\{[^}]*grpc_code="OK"[^}]*grpc_method="(?:Range|Txn|Put|LeaseGrant|LeaseKeepAlive)"[^}]*\} (\S+)$/mg);
}

# Has so many nodes work; their requests by kind of work. A new address is a new connection: so the session closes the
# one before.
sub count_requests
{
	my ($store, $count, $close) = @_;
	my %requests;
	my $step = sub {
		my ($name, $work) = @_;
		my $before = $count->();
		$work->($_) for 1 .. $nodes;
		$close->();
		$requests{$name} = $count->() - $before;
	};
	my %horizon;
	$store->identity;
	$close->();
	$step->(list => sub { like($store->list, qr/^answered/, 'listed') if $_[0] == 1; $store->list if $_[0] > 1 });
	$step->(claim => sub { my ($node) = @_; $store->claim($node, 0, 100 + $node, 200 + $node, 20000) =~ /^answered granted (\d+)/ or die; $horizon{$node} = $1 });
	$step->(extend => sub {
		my ($node) = @_;
		for (1 .. $extends)
		{
			my $to = int(time * 1000) + 60000 + $_;
			$store->extend($node, 100 + $node, 200 + $node, $horizon{$node}, $to, 20000) eq "answered granted $to" or die;
			$horizon{$node} = $to;
		}
	});
	return \%requests;
}

my $postgres_address = 'host=' . $server->host . ' port=' . $server->port . ' dbname=numbers user=node';
my $other = 'host=' . $server->host . ' port=' . $server->port . ' dbname=postgres user=node';
my $close = sub { value_of($session, 'SELECT store_list(?, 1000)', $other) };
my $postgres = count_requests(IdgenStoreCalls->new(kind => 'postgres', session => $session, registry => $owner, address => $postgres_address), \&requests_of_postgres, $close);
my $of_etcd = count_requests(IdgenStoreCalls->new(kind => 'etcd', session => $session, registry => $etcd, address => 'etcd://' . $etcd->address . '/idgen'), \&requests_of_etcd, sub { });
note sprintf "%-6s %8s %8s", 'a node', 'postgres', 'etcd';
note sprintf "%-6s %8.2f %8.2f", $_, map { $_->[0] / $nodes } [ $postgres->{$_} ], [ $of_etcd->{$_} ] for qw(list claim extend);

# A few more of PostgreSQL: the connection itself.
my $few = 5;
for my $work (['list', $nodes, 1], ['claim', $nodes, 3], ['extend', $nodes * $extends, 3])
{
	my ($name, $calls, $each) = @$work;
	cmp_ok($postgres->{$name}, '<=', $calls + $few, "PostgreSQL: $name is one statement");
	cmp_ok($postgres->{$name}, '>=', $calls, "PostgreSQL: $name is counted");
	cmp_ok($of_etcd->{$name}, '<=', $calls * $each, "etcd: $name is at most $each requests");
	cmp_ok($of_etcd->{$name}, '>=', $calls, "etcd: $name is counted");
}
done_testing();
