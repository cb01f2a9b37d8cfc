# Many nodes of one registry.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use HTTP::Tiny;
use IdgenEtcd;
use IdgenFleet;
use IdgenLease;
use IdgenMany;
use IdgenNode;
use IdgenRecord;
use IdgenStore;
use IdgenStoreCalls;
use List::Util qw(sum0);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

# Twenty servers at once against one registry, ten of them copies of one data directory: each gets a number of its own,
# also after all were killed, and finds it again after all were stopped. For each kind of registry.
{
	my @all = 0 .. 19;

	for my $kind (store_kinds())
	{
		my $store = begin_store($kind);
		my $made = {};
		my @nodes = make_nodes($kind, $store->{address}, $made);
		live("$kind, started at once", $made, \&kill_all, @nodes);

		# From now on no lease is past before the file ends, however long a start takes.
		$_->append_conf('postgresql.conf', q{idgen.lease_ttl = '1h'}) for @nodes;
		my @numbers = live("$kind, all killed and started at once", $made, sub { stop_all('fast', @_) }, @nodes);
		# The horizons lie at the next second, since IDs with long ticks were made. A server does not wait for its own
		# number if another is free.
		sleep 1.5;
		my @again = live("$kind, all stopped and started at once", $made, sub { stop_all('immediate', @_) }, @nodes);
		is_deeply(\@again, \@numbers, "$kind: after a clean stop each finds its own number again");
		$_->clean_node for @nodes;
		$store->{stop}->('immediate');
	}

	# Servers that are still to start. Each stands where a crash leaves one after number 0 was asked for, before the answer
	# was taken in. Number 0 is the own one of the ten that have the system identifier of their origin; the others are
	# clusters of their own.
	sub make_nodes
	{
		my ($kind, $address, $made) = @_;
		my %setting = ('idgen.lease_range' => "0-$all[-1]", 'idgen.lease_window' => '2s', 'idgen.lease_ttl' => '5s', 'idgen.max_wait' => '200ms');
		my $origin = start_leased("$kind-origin", $address, init => { extra => ['--wal-segsize=1'], no_data_checksums => 1 }, setting => \%setting, conf => [ small_server() ]);
		my $session = connect_to($origin);
		repeated($made, wait_for_id($session), ids_of($session, 1000));
		my $path = value_of($session, q{SELECT pg_relation_filepath('idgen_lease.record')});
		$session->disconnect;
		$origin->stop;
		change_remembered($origin, $path, 0, sub { return (0, $_[0]) });
		my @nodes = map { copy_node($origin, "$kind$_") } @all;
		make_another($nodes[$_], $_) for grep { $_ % 2 } @all;
		return @nodes;
	}

	# One life of all servers: they start, draw, and are ended. Gives their numbers.
	sub live
	{
		my ($what, $made, $end, @nodes) = @_;
		my $began = time;
		start_all(@nodes);
		my $drawing = begin_rounds(0.02, @nodes);
		my @numbers = settled(@nodes);
		note sprintf '%s: %d numbers after %.1f s', $what, scalar @all, time - $began;
		is_deeply([ map { $_->name } @nodes ], [ @{ owners($nodes[0]) }{@numbers} ],
			"$what: each has another number, the one that the registry says");
		my $draws = sub { return !grep { !@$_ } rounds_of($drawing) };
		ok(eval { wait_for("$what: IDs of all", $draws) }, "$what: all make IDs");
		$end->(@nodes);
		is(repeated($made, map { @$_ } end_rounds($drawing)), 0, "$what: no ID twice, or made before");
		return @numbers;
	}

	# The numbers of the servers, once each has another, and none is left over.
	sub settled
	{
		my (@nodes) = @_;
		my @numbers;
		my $is_settled = sub {
			@numbers = map { number_at($_) } @nodes;
			return "@{[ sort @numbers ]}" eq "@{[ sort @all ]}";
		};
		eval { wait_for('another number each', $is_settled) } or diag $@, rows_as_text($nodes[0]), map { $_->name . ': ' . state_of($_) . "\n" } @nodes;
		return @numbers;
	}

	sub number_at
	{
		my ($node) = @_;
		my $session = connect_to($node);
		my $number = eval { number_of($session) } // 'none';
		$session->disconnect;
		return $number;
	}

	# What a server says of its numbers, and what the registry does: for one that has waited in vain.
	sub state_of
	{
		my ($node) = @_;
		my $session = connect_to($node);
		my $tried = try_id($session);
		my $said = is_id($tried) ? "ID $tried" : $tried;
		$session->disconnect;
		return $said =~ s/\s*\n\s*/ /gr;
	}

	sub rows_as_text
	{
		my ($node) = @_;
		my $session = connect_to($node);
		my $rows = $session->selectall_arrayref('SELECT * FROM idgen_lease.nodes()');
		$session->disconnect;
		return map { join(' | ', map { $_ // '' } @$_) . "\n" } @$rows;
	}

	# Who holds which number, as the registry says.
	sub owners
	{
		my ($node) = @_;
		my $session = connect_to($node);
		my %owner_of = map { @$_ } @{ $session->selectall_arrayref('SELECT shard, owner FROM idgen_lease.nodes() WHERE NOT is_free') };
		$session->disconnect;
		return \%owner_of;
	}
}

# 40 nodes begin at once against a registry of either kind, die and come back all the time, and their registry fails
# over: each has a number, and none that another has. `make soak OF=fleet` has as many as one likes.
{
	run_fleet($_, count => 40, seconds => 5, death => 0.05) for qw(postgresql etcd);
}

# What nodes cost their registry: 50 of them claim a number each and extend it, and the requests that reach the store
# are counted. trials/bench/tables.md says what follows for 1,000.
{
	my ($nodes, $extends) = (50, 4);
	my $client = start_node('client', preload => 0, extension => 0);
	my $session = connect_to($client);
	make_store_functions($session);
	my $server = start_node('load_registry', preload => 0, extension => 0);
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
}

done_testing();
