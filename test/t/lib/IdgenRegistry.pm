# A registry of numbers for the servers of a cluster, in either store, that can be paused, killed and started again.
package IdgenRegistry;

use strict;
use warnings;

use IdgenEtcd;
use IdgenNode;

# Starts one in "postgresql" or "etcd".
sub start
{
	my ($class, $store) = @_;
	return bless { etcd => IdgenEtcd->start }, $class if $store eq 'etcd';
	my $node = start_node('registry', preload => 0, extension => 0, conf => ['autovacuum = off']);
	$node->safe_psql('postgres', 'CREATE EXTENSION idgen_registry; CREATE ROLE node LOGIN IN ROLE idgen_node');
	return bless { node => $node }, $class;
}

# What idgen.registry names it.
sub address
{
	my ($self) = @_;
	return $self->{etcd}->registry('/idgen') if $self->{etcd};
	return sprintf 'postgresql://node@/postgres?host=%s&port=%d', $self->{node}->host, $self->{node}->port;
}

# Lets it stand still, its connections open; and go on.
sub pause { my ($self) = @_; return $self->{etcd} ? $self->{etcd}->pause : kill 'STOP', $self->_processes }
sub resume { my ($self) = @_; return $self->{etcd} ? $self->{etcd}->resume : kill 'CONT', $self->_processes }

sub kill_it { my ($self) = @_; return $self->{etcd} ? $self->{etcd}->stop('KILL') : crash($self->{node}) }
sub go { my ($self) = @_; return $self->{etcd} ? $self->{etcd}->go : start_again($self->{node}) }

# Ends it for good.
sub stop
{
	my ($self) = @_;
	return $self->{etcd}->stop('KILL') if $self->{etcd};
	return $self->{node}->stop('immediate');
}

sub _processes
{
	my ($self) = @_;
	my $postmaster = $self->{node}{_pid};
	return ($postmaster, split ' ', `ps -o pid= --ppid $postmaster`);
}

1;
