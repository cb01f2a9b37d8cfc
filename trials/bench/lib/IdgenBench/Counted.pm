# A server below callgrind, which counts the instructions of its sessions: the same on a busy machine as on a quiet one.
package IdgenBench::Counted;

use strict;
use warnings;

use IdgenBench::Cluster;
use IdgenBench::Session;

# It is slow, and the horizon is renewed by the clock: seldom, so that it hardly counts.
sub new
{
	my ($class, %setting) = @_;
	my $cluster = IdgenBench::Cluster->new([qw(valgrind --quiet --tool=callgrind --callgrind-out-file=FOLDER/profile-%p)],
		'fsync = off', q{idgen.horizon_window = '60s'}, q{idgen.max_wait = '5min'});
	return bless { cluster => $cluster, session => IdgenBench::Session->new(port => $cluster->port, %setting) }, $class;
}

sub session { my ($self) = @_; return $self->{session} }

# Instructions of one of so many pieces of work: how many more twice as many of them take. Before them as many fill the caches.
sub instructions
{
	my ($self, $times, $work) = @_;
	$work->($times);
	$self->_executed;
	my ($once, $twice) = map { $work->($_ * $times); $self->_executed } 1, 2;
	return ($twice - $once) / $times;
}

# Instructions since the last time.
sub _executed
{
	my ($self) = @_;
	$self->{session}->run('SELECT bench_dump()');
	my $profile = join '', $self->{cluster}->folder, '/profile-', $self->{session}->pid, '.', ++$self->{dumps};
	open my $file, '<', $profile or die "$profile: $!\n";
	my ($total) = map { /^totals: (\d+)/ } <$file>;
	unlink $profile;
	return $total;
}

sub remove
{
	my ($self) = @_;
	delete $self->{session};
	$self->{cluster}->remove;
	return;
}

1;
