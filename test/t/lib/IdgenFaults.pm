# Faults of a cluster that Patroni keeps, by name: how each begins and how it ends.
package IdgenFaults;

use strict;
use warnings;

use Exporter qw(import);
use IdgenNode qw(crash start_again);
use IdgenPatroni;

our @EXPORT = qw(begin_fault end_fault fault_names);

# Without an end: it is over when it has begun.
my %faults = (
	# The node's Patroni dies, its server goes on. A new Patroni begins when the fault ends: one that only stood still
	# could take the leader's key back, by what it had read of etcd before, and with that key throw away the history of
	# the server that was promoted.
	cut_off => { begin => \&_kill_patroni, end => \&_begin_patroni },
	# The whole node stands still, and its server later goes on as if nothing had been; a new Patroni begins a little
	# later.
	freeze => { begin => \&_freeze, end => \&_thaw },
	kill_server => { begin => \&_kill_server },
	kill_session => { begin => \&_kill_session },
	step_clock => { begin => sub { my ($cluster, $node, $offset) = @_; $cluster->set_clock($node, sprintf '%+.3f', $offset) }, end => sub { my ($cluster, $node) = @_; $cluster->set_clock($node, '+0') } },
	# The server is stopped cleanly, and starts again.
	restart => { begin => sub { my ($cluster, $node) = @_; return IdgenPatroni::ask($node->{rest}, 'POST', '/restart', {}, 30) } },
	switchover => { begin => \&_switchover },
	failover => { begin => \&_failover },
	# The registry answers nobody; it is killed, and started again when the fault ends.
	registry_away => { begin => sub { my ($cluster) = @_; $cluster->{registry}->pause }, end => sub { my ($cluster) = @_; $cluster->{registry}->resume } },
	registry_killed => { begin => sub { my ($cluster) = @_; $cluster->{registry}->kill_it }, end => sub { my ($cluster) = @_; $cluster->owned(sub { $cluster->{registry}->go }) } },
	# What an IdgenRecovery does with the registry. It is reopened when the fault ends.
	registry_saved => { begin => _of_registry('save') },
	registry_put_back => { begin => _of_registry('put_back'), end => _of_registry('reopen') },
	registry_restored => { begin => _of_registry('restore'), end => _of_registry('reopen') },
	registry_new => { begin => _of_registry('make_new'), end => _of_registry('reopen') },
	registry_limited => { begin => _of_registry('limit') },
	registry_leaked => { begin => _of_registry('leak') },
	# A server beside the cluster that takes its shards from the same registry gives them up, or dies, and starts
	# again.
	rival_restarted => { begin => _of_rival(sub { my ($rival) = @_; $rival->stop('fast') }) },
	rival_killed => { begin => _of_rival(\&crash) },
	# The process that keeps the node's numbers stands still, so that the registry hears nothing of this node.
	keeper_away => { begin => \&_stop_keeper, end => sub { my ($cluster, $node, $keeper) = @_; kill 'CONT', $keeper // () } },
	# The node receives no WAL.
	slow_standby => { begin => \&_stop_walreceiver, end => sub { my ($cluster, $node, $walreceiver) = @_; kill 'CONT', $walreceiver // () } },
);

sub fault_names { return sort keys %faults }

# Begins a fault of a node; gives its handle.
sub begin_fault
{
	my ($cluster, $name, $node, @arguments) = @_;
	my $fault = $faults{$name} // die "no such fault: $name";
	return { name => $name, cluster => $cluster, node => $node, kept => scalar $fault->{begin}->($cluster, $node, @arguments) };
}

sub end_fault
{
	my ($fault) = @_;
	my $end = $faults{ $fault->{name} }{end} // return;
	return $end->($fault->{cluster}, $fault->{node}, $fault->{kept});
}

sub _of_registry { my ($what) = @_; return sub { my ($cluster) = @_; return $cluster->owned(sub { $cluster->{recovery}->$what }) } }

sub _of_rival
{
	my ($end) = @_;
	return sub {
		my ($cluster) = @_;
		my $rival = $cluster->{rivals}[0]{server};
		$end->($rival);
		return $cluster->owned(sub { start_again($rival) });
	};
}

sub _kill_patroni
{
	my ($cluster, $node) = @_;
	kill 'KILL', $node->{patroni};
	local $?;
	return waitpid $node->{patroni}, 0;
}

sub _begin_patroni { my ($cluster, $node) = @_; return $cluster->begin_patroni($node) }

sub _freeze
{
	my ($cluster, $node) = @_;
	my @processes = $cluster->server_processes($node);
	kill 'STOP', @processes;
	_kill_patroni($cluster, $node);
	return \@processes;
}

sub _thaw
{
	my ($cluster, $node, $processes) = @_;
	kill 'CONT', @$processes;
	select undef, undef, undef, 1;
	return _begin_patroni($cluster, $node);
}

sub _kill_server
{
	my ($cluster, $node) = @_;
	my ($postmaster) = $cluster->server_processes($node);
	return kill 'KILL', $postmaster // return;
}

# One of the sessions is killed: the server starts again by itself.
sub _kill_session
{
	my ($cluster, $node) = @_;
	my $backend = $cluster->value($node, q{SELECT pid FROM pg_stat_activity WHERE query ~ '^SELECT next_id' LIMIT 1});
	return kill 'KILL', $backend // return;
}

sub _switchover
{
	my ($cluster, $node) = @_;
	my $leader = $cluster->leader // return;
	return if $leader == $node;
	return IdgenPatroni::ask($leader->{rest}, 'POST', '/switchover', { leader => $leader->{name}, candidate => $node->{name} }, 30);
}

sub _failover
{
	my ($cluster, $node) = @_;
	return IdgenPatroni::ask($node->{rest}, 'POST', '/failover', { candidate => $node->{name} }, 30);
}

sub _stop_keeper
{
	my ($cluster, $node) = @_;
	my $keeper = $cluster->value($node, q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'idgen keeper'}) // return;
	kill 'STOP', $keeper;
	return $keeper;
}

sub _stop_walreceiver
{
	my ($cluster, $node) = @_;
	my $walreceiver = $cluster->value($node, 'SELECT pid FROM pg_stat_wal_receiver') // return;
	kill 'STOP', $walreceiver;
	return $walreceiver;
}

1;
