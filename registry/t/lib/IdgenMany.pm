# Many servers for the TAP tests: copies of one data directory, started, killed and stopped at once, and a process that
# draws from all.
package IdgenMany;

use strict;
use warnings;

use DBI;
use Exporter qw(import);
use IdgenNode;
use IdgenStore;
use POSIX qw(_exit);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(sleep);

our @EXPORT = qw(copy_node make_another start_all stop_all kill_all begin_rounds end_rounds rounds_of small_server);

my $rounds = 0;
my %stop_file_of;
my $test = $$;

# A layout whose tick is a second: two servers with one number make an ID twice at once.
my $long_tick = 'js53';

# Configuration of a server that there are many of.
sub small_server
{
	return ('shared_buffers = 1MB', 'max_connections = 12', 'max_worker_processes = 4', 'max_wal_size = 32MB', 'min_wal_size = 32MB', 'log_statement = none');
}

# A copy of the data directory of a server that is stopped, with further lines of configuration.
sub copy_node
{
	my ($origin, $name, @conf) = @_;
	my $copy = PostgreSQL::Test::Cluster->new($name);
	my $backup = $origin->backup_dir . '/copied';
	symlink $origin->data_dir, $backup unless -l $backup;
	$copy->init_from_backup($origin, 'copied', standby => 0);
	$copy->append_conf('postgresql.conf', $_) for @conf;
	return $copy;
}

# Makes a server that is stopped another cluster, as initdb would: the system identifier stands at the beginning of
# pg_control, and pg_resetwal writes its checksum again, and the WAL, which carries it too.
sub make_another
{
	my ($node, $by) = @_;
	my $file = $node->data_dir . '/global/pg_control';
	open my $control, '+<:raw', $file or die "$file: $!";
	read $control, my $identifier, 8 or die "$file: $!";
	seek $control, 0, 0;
	print $control pack 'Q', $by + unpack 'Q', $identifier;
	close $control or die "$file: $!";
	return run_command([ 'pg_resetwal', '-f', '-D', $node->data_dir ]);
}

# Each comes back when all have started, or stopped in that mode.
sub start_all { my (@nodes) = @_; return _at_once(sub { $_[0]->start(fail_ok => 1) }, @nodes) }
sub stop_all { my ($mode, @nodes) = @_; return _at_once(sub { $_[0]->stop($mode, fail_ok => 1) }, @nodes) }

# Runs $work->($node) for all nodes at once, each in a process of its own.
sub _at_once
{
	my ($work, @nodes) = @_;
	local $ENV{PGCTLTIMEOUT} = 600;
	my %node_of;
	for my $node (@nodes)
	{
		my $pid = fork // die "fork: $!";
		_exit(eval { $work->($node) } ? 0 : 1) if $pid == 0;
		$node_of{$pid} = $node;
	}
	my @failed;
	for my $pid (keys %node_of)
	{
		waitpid $pid, 0;
		push @failed, $node_of{$pid}->name if $?;
		$node_of{$pid}->_update_pid(-1);
	}
	die "@failed: neither started nor stopped" if @failed;
	return;
}

# Kills all processes of all servers at once, and waits until they are gone.
sub kill_all
{
	my (@nodes) = @_;
	my @processes = map { ($_->{_pid}, processes_of($_)) } @nodes;
	$_->kill9 for @nodes;
	kill 'KILL', @processes;
	for (1 .. 30_000)
	{
		return unless grep { -d "/proc/$_" } @processes;
		sleep 0.01;
	}
	die "@processes: still there";
}

# Starts a process that draws from each of the servers in turn, then pauses, until end_rounds. What is refused, or away,
# is left out.
sub begin_rounds
{
	my ($pause, @nodes) = @_;
	my $file = $nodes[0]->basedir . '/rounds.' . ++$rounds;
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		eval { _draw_rounds($pause, $file, @nodes) };
		_exit(0);
	}
	$stop_file_of{$pid} = "$file.stop";
	return { pid => $pid, file => $file, count => scalar @nodes };
}

sub _draw_rounds
{
	my ($pause, $file, @nodes) = @_;
	open my $made, '>', $file or die "$file: $!";
	my @sessions;
	until (-e "$file.stop")
	{
		for my $i (0 .. $#nodes)
		{
			undef $sessions[$i] unless $sessions[$i] && $sessions[$i]->ping;
			for my $call ('next_id_array(10)', "next_id_array(10, layout => '$long_tick')")
			{
				my $ids = eval { value_of($sessions[$i] //= connect_to($nodes[$i]), "SELECT $call") } // next;
				syswrite $made, "$i @$ids\n";
			}
		}
		sleep $pause;
	}
	return;
}

# What such a process has drawn by now: a list of IDs for each server.
sub rounds_of
{
	my ($drawing) = @_;
	my @drawn = map { [] } 1 .. $drawing->{count};
	for (-e $drawing->{file} ? split /\n/, slurp_file($drawing->{file}) : ())
	{
		my ($i, @ids) = split ' ';
		push @{ $drawn[$i] }, @ids;
	}
	return @drawn;
}

# Ends it; the same.
sub end_rounds
{
	my ($drawing) = @_;
	append_to_file(delete $stop_file_of{ $drawing->{pid} }, '');
	waitpid $drawing->{pid}, 0;
	return rounds_of($drawing);
}

# A test that dies leaves no process that draws.
END
{
	if ($$ == $test) { append_to_file($_, '') for values %stop_file_of }
}

1;
