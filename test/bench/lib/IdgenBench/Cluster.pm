# A server of its own for measurements that crash, promote or restore it.
package IdgenBench::Cluster;

use strict;
use warnings;

use DBI;
use File::Path qw(remove_tree);
use POSIX qw(_exit);
use Time::HiRes qw(sleep time);

my $next_port = 5500;

# Makes and starts a cluster with what setup.sql makes; like the measured server, it keeps fsync on.
sub new
{
	my ($class, $name) = @_;
	my $self = $class->_with_folder($name);
	_run('initdb', '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', '-D', $self->{folder});
	$self->configure("shared_preload_libraries = 'idgen'", "listen_addresses = ''", "idgen.shards = '5'",
		"unix_socket_directories = '$ENV{PGHOST}'", 'autovacuum = off', 'log_min_messages = fatal');
	$self->start;
	_run('psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-p', $self->{port}, '-f', 'test/bench/setup.sql');
	return $self;
}

# Makes a copy of a running cluster, not yet started; it follows the other as a standby.
sub standby_of
{
	my ($class, $primary, $name) = @_;
	my $self = $class->_with_folder($name);
	_run('pg_basebackup', '-R', '--no-sync', '-c', 'fast', '-h', $ENV{PGHOST}, '-p', $primary->{port}, '-U', 'postgres', '-D', $self->{folder});
	return $self;
}

sub _with_folder
{
	my ($class, $name) = @_;
	my $folder = "$ENV{HOME}/$name";
	remove_tree($folder);
	return bless { folder => $folder, port => $next_port++ }, $class;
}

# Adds lines to the configuration.
sub configure
{
	my ($self, @lines) = @_;
	open my $file, '>>', "$self->{folder}/postgresql.conf" or die "$self->{folder}: $!\n";
	print $file "$_\n" for @lines;
	close $file or die "$self->{folder}: $!\n";
	return;
}

# Starts the server, and waits until it takes connections; gives the seconds until then.
sub start
{
	my ($self) = @_;
	my $began = time;
	$self->{pid} = fork // die "fork: $!\n";
	if ($self->{pid} == 0)
	{
		open STDIN, '<', '/dev/null';
		open STDOUT, '>>', "$self->{folder}.log";
		open STDERR, '>&', \*STDOUT;
		exec 'postgres', '-D', $self->{folder}, '-p', $self->{port} or _exit(1);
	}
	$self->connect->disconnect;
	return time - $began;
}

# A session, as soon as the server gives one.
sub connect
{
	my ($self) = @_;
	my $until = time + 60;
	while (time < $until)
	{
		my $session = DBI->connect("dbi:Pg:port=$self->{port}", undef, undef, { RaiseError => 0, PrintError => 0 });
		if ($session)
		{
			$session->{RaiseError} = 1;
			return $session;
		}
		sleep 0.002;
	}
	die "$self->{folder}: no connection\n";
}

# Stops it as pg_ctl does, in a mode.
sub stop
{
	my ($self, $mode) = @_;
	_run('pg_ctl', '-s', '-w', '-m', $mode, '-D', $self->{folder}, 'stop');
	waitpid $self->{pid}, 0;
	return;
}

# Kills the postmaster with signal 9, and waits until its processes are gone.
sub crash
{
	my ($self) = @_;
	kill 'KILL', $self->{pid};
	waitpid $self->{pid}, 0;
	sleep 0.01 while _is_attached($self->{folder});
	unlink "$self->{folder}/postmaster.pid";
	return;
}

# Whether a process still works in the folder of a cluster.
sub _is_attached
{
	my ($folder) = @_;
	return scalar grep { (readlink "$_/cwd" // '') eq $folder } glob '/proc/[0-9]*';
}

sub folder
{
	my ($self) = @_;
	return $self->{folder};
}

sub remove
{
	my ($self) = @_;
	$self->crash if kill 0, $self->{pid};
	remove_tree($self->{folder});
	return;
}

sub _run
{
	my (@command) = @_;
	system("@command >>'$ENV{HOME}/clusters.log' 2>&1") == 0 or die "$command[0] failed\n";
	return;
}

1;
