# A server of its own, for measurements below another program.
package IdgenBench::Cluster;

use strict;
use warnings;

use DBI;
use File::Path qw(remove_tree);
use IdgenBench::Session;
use POSIX qw(_exit);
use Time::HiRes qw(sleep time);

my $next_port = 5500;

# Makes a cluster with what setup.sql makes and these lines of configuration, and starts it again by a command, such as valgrind.
# FOLDER and PORT stand for its own.
sub new
{
	my ($class, $command, @lines) = @_;
	my $self = bless { port => $next_port++ }, $class;
	$self->{folder} = "$ENV{HOME}/cluster-$self->{port}";
	_run('initdb', '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', '-D', $self->{folder});
	$self->_configure("shared_preload_libraries = 'idgen'", "listen_addresses = ''", "unix_socket_directories = '$ENV{PGHOST}'",
		'autovacuum = off', 'jit = off', map { s/PORT/$self->{port}/r } @lines);
	$self->_start;
	_run('psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-p', $self->{port}, '-f', 'trials/bench/setup.sql');
	_run('pg_ctl', '-s', '-w', '-m', 'fast', '-D', $self->{folder}, 'stop');
	waitpid $self->{pid}, 0;
	$self->_start(map { s/FOLDER/$self->{folder}/r } @$command);
	return $self;
}

sub port { my ($self) = @_; return $self->{port} }
sub folder { my ($self) = @_; return $self->{folder} }

sub _configure
{
	my ($self, @lines) = @_;
	open my $file, '>>', "$self->{folder}/postgresql.conf" or die "$self->{folder}: $!\n";
	print $file "$_\n" for @lines;
	close $file or die "$self->{folder}: $!\n";
	return;
}

# Starts the server, and waits until it takes connections.
sub _start
{
	my ($self, @command) = @_;
	$self->{pid} = fork // die "fork: $!\n";
	if ($self->{pid} == 0)
	{
		open STDIN, '<', '/dev/null';
		open STDOUT, '>>', "$self->{folder}.log";
		open STDERR, '>&', \*STDOUT;
		exec @command, 'postgres', '-D', $self->{folder}, '-p', $self->{port} or _exit(1);
	}
	my $until = time + 60;
	sleep 0.05 until DBI->connect("dbi:Pg:port=$self->{port}", undef, undef, { PrintError => 0 }) || time > $until;
	return;
}

# Kills it, and waits until its processes are gone.
sub remove
{
	my ($self) = @_;
	kill 'QUIT', $self->{pid};
	waitpid $self->{pid}, 0;
	remove_tree($self->{folder});
	return;
}

sub _run
{
	my (@command) = @_;
	system("@command >>'$ENV{HOME}/clusters.log' 2>&1") == 0 or die "$command[0] failed\n";
	return;
}

# A server below callgrind, which counts the instructions of its sessions: the same on a busy machine as on a quiet one.
package IdgenBench::Counted;

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
