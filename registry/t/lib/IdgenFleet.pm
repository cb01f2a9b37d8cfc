# A fleet of nodes against one registry, of either kind, for the TAP tests: all begin at once, some die and come back,
# and the registry fails over. Each node is a session of its own that makes the calls of a node with the store's own
# code, over a connection of its own; what it asks for, and when, is as the keeper does it.
package IdgenFleet;

use strict;
use warnings;

use DBD::Pg qw(:async);
use Exporter qw(import);
use HTTP::Tiny;
use IdgenEtcd;
use IdgenNode;
use IdgenStoreCalls;
use List::Util qw(min sum0);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

our @EXPORT = qw(run_fleet);

# As the settings of a node are if nobody changes them: idgen.lease_window and idgen.lease_ttl; a round of the keeper;
# its tries in a round.
my ($window_ms, $ttl_ms, $round, $tries_at_once) = (60000, 600000, 1, 64);

# The settings of a server with a connection for each node.
sub conf_for
{
	my ($count) = @_;
	return ('shared_buffers = 128MB', 'max_connections = ' . ($count + 20), 'autovacuum = off', 'max_wal_size = 4GB', 'jit = off', 'wal_retrieve_retry_interval = 100ms');
}

# A fleet of `count` nodes against a registry in `kind`, postgresql or etcd, for that many `seconds`, of which one dies
# each `death` seconds. Four tests; gives what was counted, and says it.
sub run_fleet
{
	my ($kind, %of) = @_;
	my $count = $of{count};
	my $client = start_node("client_$kind", preload => 0, extension => 0, conf => [ conf_for($count) ]);
	my $owner = connect_to($client);
	make_store_functions($owner);
	my $store = $kind eq 'postgresql' ? begin_postgresql($count) : begin_etcd();
	# Without enough room in the range the fleet would wait for leases to end; with it a node that lost its record takes
	# another number.
	my $last_number = min(8191, 2 * $count + $of{seconds} / $of{death});
	my $fleet = { kind => $kind, store => $store, last => $last_number, held => {}, calls => 0, twice => 0, life => 1, secret => 1000 };
	$fleet->{nodes} = [ map { begin_node($fleet, $client) } 1 .. $count ];
	note "$kind: $count connections";
	my %row = (kind => $kind);
	my $began = time;
	work($fleet, 1800, sub { return !grep { !$_->{is_up} } @{ $fleet->{nodes} } });
	@row{qw(start_s start_calls)} = (time - $began, $fleet->{calls});
	is(scalar(keys %{ $fleet->{held} }), $count, "$kind: a number for each of $count nodes");
	my ($calls, $requests, $bytes, $since) = ($fleet->{calls}, $store->{requests}->(), $store->{written}->(), time);
	my $next_death = time;
	work($fleet, $of{seconds}, sub {
		return if time < $next_death;
		$next_death += $of{death};
		die_and_return($fleet, $fleet->{nodes}[ rand $count ]);
		return;
	});
	my $seconds = time - $since;
	@row{qw(calls_s requests_s written_hour memory)} =
	  (($fleet->{calls} - $calls) / $seconds, ($store->{requests}->() - $requests) / $seconds, ($store->{written}->() - $bytes) * 3600 / $seconds, $store->{memory}->());
	# The registry is killed, and its successor begins: until each node has extended again, all at once.
	my $killed = time;
	$store->{fail_over}->();
	my $back = time;
	$_->{due} = $back for @{ $fleet->{nodes} };
	my $waiting = sub { return scalar grep { !$_->{is_up} || $_->{extended} < $back } @{ $fleet->{nodes} } };
	work($fleet, 600, sub { return !$waiting->() });
	@row{qw(registry_s back_s)} = ($back - $killed, time - $killed);
	is($waiting->(), 0, "$kind: after the registry was killed all go on");
	cmp_ok($fleet->{deaths} // 0, '>', 0, "$kind: nodes have died");
	is($fleet->{twice}, 0, "$kind: no number of two nodes");
	note sprintf '%s: a number for each after %.1f s and %d calls; then %.1f calls a second, %.1f requests; %.0f MB of log in an hour; %.0f MB of memory; after a kill the registry is there again in %.1f s, all nodes in %.1f s',
	  @row{qw(kind start_s start_calls calls_s requests_s)}, $row{written_hour} / 2**20, $row{memory} / 2**20, @row{qw(registry_s back_s)};
	$_->{session}->disconnect for @{ $fleet->{nodes} };
	$store->{stop}->();
	$owner->disconnect;
	$client->stop('immediate');
	return;
}

# A primary with a synchronous standby, which takes over.
sub begin_postgresql
{
	my ($count) = @_;
	my $primary = start_node('registry', preload => 0, extension => 0, init => { allows_streaming => 1 }, conf => [ conf_for($count) ]);
	$primary->safe_psql('postgres', 'CREATE EXTENSION idgen_registry; CREATE ROLE node LOGIN IN ROLE idgen_node');
	$primary->backup('base');
	my $standby = PostgreSQL::Test::Cluster->new('registry_standby');
	$standby->init_from_backup($primary, 'base', has_streaming => 1);
	start_again($standby);
	name_standbys(connect_to($primary), '*');
	$primary->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'}) or die 'no synchronous standby';
	my $now = $primary;
	my $ask = sub { return $now->safe_psql('postgres', "SELECT $_[0]") };
	return {
		kind      => 'postgres',
		address   => sprintf('host=%s,%s port=%s,%s dbname=postgres user=node target_session_attrs=read-write', map({ $_->host } $primary, $standby), map { $_->port } $primary, $standby),
		requests  => sub { return $ask->(q{xact_commit + xact_rollback FROM pg_stat_database WHERE datname = 'postgres'}) },
		written   => sub { return $ask->(q{pg_current_wal_insert_lsn() - '0/0'}) },
		memory    => sub { return sum0(map { memory_of($_) } $now->{_pid}, split ' ', `ps -o pid= --ppid $now->{_pid}`) },
		fail_over => sub { crash($primary); $standby->promote; $now = $standby },
		stop      => sub { $standby->stop('immediate') },
	};
}

sub begin_etcd
{
	my $etcd = IdgenEtcd->start;
	my $metrics = sub { return HTTP::Tiny->new->get('http://' . $etcd->address . '/metrics')->{content} };
	return {
		kind      => 'etcd',
		address   => $etcd->registry('/idgen'),
		requests  => sub { return sum0($metrics->() =~ /^grpc_server_handled_total\{[^}]*grpc_code="OK"[^}]*grpc_method="(?:Range|Txn|Put|LeaseGrant|LeaseKeepAlive)"[^}]*\} (\S+)$/mg) },
		written   => sub { return ($metrics->() =~ /^etcd_disk_wal_write_bytes_total (\S+)$/m)[0] },
		memory    => sub { return memory_of($etcd->{pid}) },
		fail_over => sub { $etcd->stop('KILL'); $etcd->go },
		stop      => sub { $etcd->stop },
	};
}

# What a process has for itself, and its share of the rest.
sub memory_of { my ($pid) = @_; return 1024 * ((eval { slurp_file("/proc/$pid/smaps_rollup") } // '') =~ /^Pss:\s+(\d+)/m ? $1 : 0) }

sub begin_node
{
	my ($fleet, $client) = @_;
	my $node = { session => connect_to($client), due => 0, tries => 0, extended => 0, life => $fleet->{life}++ };
	$node->{calls} = IdgenStoreCalls->new(kind => $fleet->{store}{kind}, session => $node->{session}, address => $fleet->{store}{address});
	return $node;
}

# Asks all that are due, takes what has come, and calls $step, until that is true or the time is over.
sub work
{
	my ($fleet, $seconds, $step) = @_;
	my $end = time + $seconds;
	until ($step->() || time > $end)
	{
		my $has_come = 0;
		for my $node (@{ $fleet->{nodes} })
		{
			if ($node->{asked})
			{
				next unless $node->{session}->pg_ready;
				$has_come = 1;
				take_in($fleet, $node);
			}
			ask($fleet, $node, next_call($node)) if !$node->{asked} && $node->{due} <= time;
		}
		sleep 0.002 unless $has_come;
	}
	return;
}

# What a node does next: knows the registry, has a number, extends it; else lists and claims.
sub next_call
{
	my ($node) = @_;
	return 'identity' unless $node->{calls}{identity};
	return 'extend' if $node->{is_up};
	return defined $node->{number} ? 'claim' : 'list';
}

sub ask
{
	my ($fleet, $node, $kind) = @_;
	my $calls = $node->{calls};
	my @store = @$calls{qw(address answer_ms)};
	my ($sql, @arguments) = ("SELECT store_$kind(?, ?)", @store);
	$node->{proposed} = $fleet->{secret}++ if $kind eq 'claim';
	$node->{to} = int(time * 1000) + $window_ms;
	($sql, @arguments) = ($calls->call_sql, $calls->arguments('claim', $node->{number}, $node->{accepted} // 0, $node->{proposed}, $node->{life}, 0, 0, $ttl_ms, "node $node->{life}"))
	  if $kind eq 'claim';
	($sql, @arguments) = ($calls->call_sql, $calls->arguments('extend', $node->{number}, $node->{accepted}, 0, $node->{life}, $node->{horizon}, $node->{to}, $ttl_ms))
	  if $kind eq 'extend';
	$node->{asked} = $kind;
	$node->{statement} = $node->{session}->prepare($sql, { pg_async => PG_ASYNC });
	$node->{statement}->execute(@arguments);
	$fleet->{calls}++;
	return;
}

sub take_in
{
	my ($fleet, $node) = @_;
	my $kind = delete $node->{asked};
	$node->{session}->pg_result;
	my ($answer) = $node->{statement}->fetchrow_array;
	$node->{statement}->finish;
	return begin_again($fleet, $node) if delete $node->{dies};
	unless ($answer =~ s/^answered //)
	{
		note "$kind: $answer" unless $fleet->{trouble}{$answer}++;
		return wait_a_round($node);
	}
	if ($kind eq 'identity') { $node->{calls}{identity} = $answer }
	elsif ($kind eq 'list') { $node->{number} = choose($fleet, $node, $answer); wait_a_round($node) unless defined $node->{number} }
	elsif ($answer =~ /^granted (\d+)/) { take_granted($fleet, $node, $kind, $1) }
	else { lose($fleet, $node) }
	return;
}

sub wait_a_round { my ($node) = @_; $node->{due} = time + $round; $node->{tries} = 0; return }

# A number as the core chooses it for a server that has none of its own: the smallest that is free, and after a refusal
# the next that is free from anywhere.
sub choose
{
	my ($fleet, $node, $list) = @_;
	my %row = map { /^(\d+) (-?\d+) (\w+)/ ? ($1 => [ $2, $3 ]) : () } split /; /, $list;
	my $latest = (time + 1) * 1000;
	my $last = $fleet->{last};
	my $start = $node->{tries} ? int rand $last + 1 : 0;
	for my $number ($start .. $last, 0 .. $start - 1) { return $number if !$row{$number} || ($row{$number}[1] eq 'free' && $row{$number}[0] <= $latest) }
	return;
}

sub take_granted
{
	my ($fleet, $node, $kind, $horizon) = @_;
	$node->{horizon} = $horizon;
	if ($kind eq 'claim')
	{
		my $other = $fleet->{held}{ $node->{number} };
		$fleet->{twice}++ if $other && $other != $node;
		$fleet->{held}{ $node->{number} } = $node;
		$node->{accepted} = $node->{proposed};
		$node->{is_up} = 1;
		$node->{due} = 0;
		return;
	}
	$node->{extended} = time;
	# Half of the window later, and not all at one moment.
	$node->{due} = time + $window_ms / 2000 * (0.9 + rand 0.1);
	return;
}

# Refused: at once again, but for a few times in a round.
sub lose
{
	my ($fleet, $node) = @_;
	delete $fleet->{held}{ $node->{number} } if $node->{is_up};
	delete @$node{qw(number accepted is_up)};
	wait_a_round($node) if ++$node->{tries} >= $tries_at_once;
	return;
}

# Half of those that die come back with their disk and claim their number again; the others are new machines.
sub die_and_return
{
	my ($fleet, $node) = @_;
	return if $node->{dies} || !$node->{is_up};
	$fleet->{deaths}++;
	$node->{asked} ? $node->{dies} = 1 : begin_again($fleet, $node);
	return;
}

sub begin_again
{
	my ($fleet, $node) = @_;
	delete $fleet->{held}{ $node->{number} } if defined $node->{number};
	delete @$node{qw(is_up horizon)};
	delete @$node{qw(number accepted)} if rand() < 0.5;
	$node->{life} = $fleet->{life}++;
	$node->{due} = time;
	$node->{tries} = 0;
	return;
}

1;
