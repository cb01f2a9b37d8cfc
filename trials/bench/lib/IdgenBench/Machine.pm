# What kind of machine the figures come from, and how quiet it was meanwhile.
package IdgenBench::Machine;

use strict;
use warnings;

sub new
{
	my ($class, $session) = @_;
	my $version = ($session->row('SHOW server_version'))[0] =~ s/ .*//r;
	my $server = (_stat($session->pid))[3];
	my $self = bless { version => $version, server => $server }, $class;
	$self->{began} = $self->_used;
	return $self;
}

sub _first_line
{
	my ($path) = @_;
	open my $file, '<', $path or die "$path: $!\n";
	my $line = <$file>;
	chomp $line;
	return $line;
}

# Fields of /proc/PID/stat; the name of the process may hold spaces.
sub _stat
{
	my ($pid) = @_;
	return split ' ', _first_line("/proc/$pid/stat") =~ s/\(.*\)/name/r;
}

# CPU time so far, in ticks of 10 ms: of the whole machine (idle, busy, taken by a hypervisor), and of this program and the server
# with their processes, also those that have ended.
sub _used
{
	my ($self) = @_;
	my (undef, $user, $nice, $system, $idle, $disk, $irq, $softirq, $stolen) = split ' ', _first_line('/proc/stat');
	my $busy = $user + $nice + $system + $irq + $softirq;
	my $own = 0;
	$own += $_ for map { (_stat($_))[ 13 .. 16 ] } $$, $self->{server};
	for my $pid (map { m{(\d+)} } glob '/proc/[0-9]*')
	{
		my @stat = eval { _stat($pid) } or next;
		$own += $stat[13] + $stat[14] if $stat[3] == $self->{server};
	}
	return { all => $busy + $idle + $disk + $stolen, busy => $busy, stolen => $stolen, own => $own };
}

# What other processes and the hypervisor used since the beginning, in % of the machine.
sub _noise
{
	my ($self) = @_;
	my $now = $self->_used;
	my %used = map { $_ => $now->{$_} - $self->{began}{$_} } keys %$now;
	my $others = $used{busy} - $used{own};
	return map { 100 * ($_ > 0 ? $_ : 0) / ($used{all} || 1) } $others, $used{stolen};
}

sub _processor
{
	open my $file, '<', '/proc/cpuinfo' or die "/proc/cpuinfo: $!\n";
	my ($model, $cores) = ('unknown', 0);
	while (my $line = <$file>)
	{
		$cores++ if $line =~ /^processor\s*:/;
		$model = $1 if $line =~ /^model name\s*:\s*(.+)/;
	}
	return ($model, $cores);
}

# Pairs of a name and a value; to be called after the last round.
sub facts
{
	my ($self) = @_;
	my ($model, $cores) = _processor();
	my ($kernel, $hardware) = split ' ', `uname -rm`;
	my ($others, $stolen) = $self->_noise;
	return (
		[ 'processor', "$model, $cores cores, $hardware" ],
		[ 'kernel', "Linux $kernel" ],
		[ 'PostgreSQL', $self->{version} ],
		[ 'used meanwhile by other processes', sprintf '%.1f %% of the processor time', $others ],
		[ 'taken meanwhile by the hypervisor', sprintf '%.1f %% of the processor time', $stolen ],
	);
}

1;
