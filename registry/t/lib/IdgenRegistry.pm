# A registry of numbers for the servers of a cluster, in either store, that can be paused, killed and started again.
package IdgenRegistry;

use strict;
use warnings;

use IdgenEtcd;
use IdgenLease qw(start_registry address_of);
use IdgenNode;

# Starts one in "postgresql" or "etcd".
sub start
{
	my ($class, $store) = @_;
	return bless { etcd => IdgenEtcd->start }, $class if $store eq 'etcd';
	return bless { node => start_registry('registry', conf => [ 'autovacuum = off', 'max_prepared_transactions = 5' ]) }, $class;
}

# What idgen.registry names it.
sub address
{
	my ($self) = @_;
	return $self->{etcd} ? $self->{etcd}->registry('/idgen') : address_of($self->{node});
}

# Lets it stand still, its connections open; and go on.
sub pause { my ($self) = @_; return $self->{etcd} ? $self->{etcd}->pause : kill 'STOP', $self->_processes }
sub resume { my ($self) = @_; return $self->{etcd} ? $self->{etcd}->resume : kill 'CONT', $self->_processes }

sub kill_it { my ($self) = @_; return $self->{etcd} ? $self->{etcd}->stop('KILL') : crash($self->{node}) }
sub go { my ($self) = @_; return $self->{etcd} ? $self->{etcd}->go : start_again($self->{node}) }

# Ends it for good, and the server of its operator if there is one.
sub stop
{
	my ($self) = @_;
	$self->{operator}->stop('immediate') if $self->{operator};
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
