# One server of the nemesis: a data directory, a port, a clock, and a host that tells of copies of its machine by a file. It is started without waiting for it, and every
# process of it can be struck. Its disk may have a cache that is lost with its power.
package NemesisServer;

use strict;
use warnings;

use Cwd qw(realpath);
use DBI;
use File::Path qw(make_path remove_tree);
use IdgenDisk qw(cache_of lose_writes_of);
use IdgenEtcd;
use IdgenHost qw(write_disruption write_generation write_page);
use POSIX qw(_exit WNOHANG);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC sleep time);

chomp(my $programs = `pg_config --bindir`);

# Options: name, folder (of all servers), sockets (a short folder), has_cache. It has no data yet.
sub new
{
	my ($class, %option) = @_;
	my $self = bless { %option, driver => $$, port => PostgreSQL::Test::Cluster::get_free_port(), folder => "$option{folder}/$option{name}" }, $class;
	make_path($self->{folder});
	@$self{qw(data clock boot machine log)} = map { "$self->{folder}/$_" } qw(data clock boot machine log);
	$self->move_clock(0);
	$self->change_boot;
	write_page($self->{machine});
	$self->tell_copy(any_word());
	return $self;
}

# Makes its data: a new cluster, with these lines of configuration.
sub make
{
	my ($self, @conf) = @_;
	$self->run_program('initdb', '-A', 'trust', '-N', '--no-instructions', '-E', 'UTF8', '-D', $self->{data}) or die "initdb: see $self->{log}";
	$self->configure(@conf);
	return $self;
}

sub configure { my ($self, @lines) = @_; return append_to_file("$self->{data}/postgresql.conf", join '', map { "$_\n" } @lines) }
sub connection { my ($self, $db) = @_; return "host=$self->{sockets} port=$self->{port} dbname=" . ($db // 'app') }

# Runs one of the server's programs, its output in the log; true if it succeeds.
sub run_program
{
	my ($self, $program, @arguments) = @_;
	# As a session of it: a standby that another fault keeps away would be waited for without an end.
	local $ENV{PGOPTIONS} = '-c synchronous_commit=local';
	my $pid = fork // die "fork: $!";
	$self->_execute("$programs/$program", @arguments) if $pid == 0;
	local $?;
	waitpid $pid, 0;
	return $? == 0;
}

# Replaces this process by a program that says all to the log.
sub _execute
{
	my ($self, @command) = @_;
	open STDIN,  '<',  '/dev/null' or _exit(1);
	open STDOUT, '>>', $self->{log} or _exit(1);
	open STDERR, '>&', \*STDOUT or _exit(1);
	exec @command or _exit(1);
}

# While it is stopped: what ALTER SYSTEM has set, or a copy has brought along.
sub forget_settings { my ($self) = @_; return unlink "$self->{data}/postgresql.auto.conf" }

# Begins the server, unless it runs. A person has to remove the empty lock file of one that was killed as it began, and to end the
# processes of a killed postmaster that do not end by themselves.
sub start
{
	my ($self) = @_;
	return if $self->runs || !-e "$self->{data}/PG_VERSION";
	unlink "$self->{data}/postmaster.pid" if -z "$self->{data}/postmaster.pid";
	kill 'KILL', $self->_orphans if time > ($self->{orphaned} // time) + 10;
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		setpgrp;
		my @disk = $self->{has_cache} ? qw(failing_calls write_cache) : ();
		%ENV = (%ENV, LD_PRELOAD => join(' ', map { "$ENV{IDGEN_PRELOADS}/$_.so" } @disk, qw(offset_clock boot_id)), OFFSET_CLOCK => $self->{clock}, FAKE_BOOT_ID => $self->{boot});
		%ENV = (%ENV, cache_of($self->{data}, $self->{folder}), FAILING_CALLS => "$self->{folder}/failing_calls") if @disk;
		$self->_execute("$programs/postgres", '-D', $self->{data}, '-p', $self->{port}, '-k', $self->{sockets}, '-c', "idgen.machine_generation=$self->{machine}");
	}
	@$self{qw(pid parent)} = ($pid, $$);
	return;
}

# Whether its postmaster is there.
sub runs
{
	my ($self) = @_;
	return 0 unless $self->{pid};
	return kill 0, $self->{pid} if $self->{parent} != $$;
	local $?;
	delete $self->{pid} if waitpid($self->{pid}, WNOHANG) != 0;
	return $self->{pid} ? 1 : 0;
}

# The postmaster and its children.
sub processes
{
	my ($self) = @_;
	return unless $self->runs;
	local $?;
	return ($self->{pid}, split ' ', `ps -o pid= --ppid $self->{pid}`);
}

# The children whose title matches.
sub children
{
	my ($self, $title) = @_;
	return unless $self->runs;
	local $?;
	return map { /^ *(\d+) / } grep { /$title/ } split /\n/, `ps -o pid=,args= --ppid $self->{pid}`;
}

# Sends a signal to one child of that title; false if there is none.
sub signal_one
{
	my ($self, $signal, $title) = @_;
	my @children = $self->children($title) or return 0;
	return kill $signal, $children[ rand @children ];
}

# Kills the postmaster and, unless it is the only one, all its children; returns when they are gone.
sub kill_all
{
	my ($self, $is_only_postmaster) = @_;
	# It must not fork while its children are listed: one that is missed keeps the next postmaster from starting.
	kill 'STOP', $self->{pid} if $self->runs;
	my @processes = $self->processes or return 0;
	kill 'KILL', $is_only_postmaster ? $processes[0] : @processes;
	local $?;
	waitpid $processes[0], 0;
	delete $self->{pid};
	return $self->{orphaned} = time if $is_only_postmaster;
	for (1 .. 500)
	{
		@processes = grep { kill 0, $_ } @processes or last;
		kill 'KILL', @processes;
		sleep 0.01;
	}
	return 1;
}

# Takes its power: all processes are gone, and what they wrote and did not flush; if torn, only some sectors of that. The machine boots again.
sub lose_power
{
	my ($self, $is_torn) = @_;
	my $lost = time;
	$self->kill_all or return 0;
	$self->{lost} = $lost;
	lose_writes_of($self->{data}, $self->{folder}, $is_torn);
	$self->change_boot;
	return 1;
}

# For a moment, or while something is done, the flushes of its log wait, or fail: a line for lib/failing_calls.cpp.
sub disturb_disk
{
	my ($self, $line, $work) = @_;
	append_to_file("$self->{folder}/failing_calls", "$line\n");
	$work ? $work->() : sleep 0.1 + 0.5 * rand;
	unlink "$self->{folder}/failing_calls";
	return 1;
}

# What works in its folder; while it does not run, that is what a killed postmaster has left.
sub _orphans
{
	my ($self) = @_;
	my $data = realpath($self->{data});
	return grep { (readlink "/proc/$_/cwd" // '') eq $data } map { /(\d+)$/ } glob '/proc/[0-9]*';
}

# Stops it: smart, fast or immediate; one that does not end within that many seconds is killed.
sub stop
{
	my ($self, $mode, $seconds) = @_;
	return 0 unless $self->runs;
	kill { smart => 'TERM', fast => 'INT', immediate => 'QUIT' }->{$mode}, $self->{pid};
	my $end = time + ($seconds // 4);
	while (time < $end) { $self->runs ? sleep 0.02 : return 1 }
	return $self->kill_all;
}

sub reload { my ($self) = @_; return $self->runs && kill 'HUP', $self->{pid} }

# Its clock: that many seconds ahead of the true one, and faster by that many millionths from now on.
sub move_clock
{
	my ($self, $ahead, $faster) = @_;
	open my $file, -e $self->{clock} ? '+<' : '>', $self->{clock} or die "$self->{clock}: $!";
	syswrite $file, pack 'q3', int($ahead * 1e9), $faster // 0, int(clock_gettime(CLOCK_MONOTONIC) * 1e9);
	close $file;
	return;
}

# From its next start on, it runs on another boot of its machine.
sub change_boot
{
	my ($self) = @_;
	open my $file, '>', $self->{boot} or die "$self->{boot}: $!";
	printf $file "%08x-0000-4000-8000-%012x\n", map { int rand 1 << 32 } 1 .. 2;
	close $file;
	return;
}

# What a host writes: a word that was not there before.
sub any_word { return int rand 1 << 53 }

# From its next start on, it runs on the boot that another one runs on, as a copy of its machine does.
sub copy_boot { my ($self, $other) = @_; return system_or_bail('cp', $other->{boot}, $self->{boot}) }

# Its host tells that it may be a copy; or only that its clock may be wrong.
sub tell_copy { my ($self, $word) = @_; return write_generation($self->{machine}, $self->{word} = $word) }
sub tell_disruption { my ($self) = @_; write_disruption($self->{machine}, any_word()); return 1 }

# All its processes stand, none of them in the middle of a call; false if it does not run. They go on later.
sub stand_still
{
	my ($self) = @_;
	return 0 unless $self->runs;
	IdgenEtcd::halt($self->{pid});
	IdgenEtcd::halt($self->processes);
	return 1;
}
sub go_on { my ($self) = @_; return kill 'CONT', $self->processes }

# A session, which gives up within some seconds, and waits for no standby.
sub session
{
	my ($self, $db) = @_;
	my $session = DBI->connect("dbi:Pg:" . $self->connection($db) =~ tr{ }{;}r . ";connect_timeout=3", undef, '', { RaiseError => 1, PrintError => 0, AutoCommit => 1, pg_expand_array => 0 });
	$session->do('SET client_min_messages = error; SET statement_timeout = 4000; SET lock_timeout = 2000; SET synchronous_commit = local');
	return $session;
}

# The first column of the first row; undefined if the server does not answer, or fails.
sub value { my ($self, @question) = @_; return $self->value_in('postgres', @question) }
sub value_in { my ($self, $db, $sql, @binds) = @_; return eval { scalar $self->session($db)->selectrow_array($sql, undef, @binds) } }

# Runs statements in a database; false if one fails.
sub run
{
	my ($self, $db, @sql) = @_;
	return eval { my $session = $self->session($db); $session->do($_) for @sql; 1 };
}

# Waits until a question of it is answered with true, for that many seconds at most; a server that has ended is started meanwhile.
sub wait_until
{
	my ($self, $question, $seconds) = @_;
	my $end = time + ($seconds // 20);
	until ($self->value($question))
	{
		$self->start if $self->{driver} == $$;
		return 0 if time > $end;
		sleep 0.03;
	}
	return 1;
}

sub is_primary { my ($self) = @_; return $self->runs && ($self->value('SELECT pg_is_in_recovery()') // 1) eq '0' }

sub remove_data { my ($self) = @_; remove_tree($self->{data}); return }

1;
