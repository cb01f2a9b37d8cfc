# A server with idgen for the TAP tests, sessions on it, and a clock that tests may set.
package IdgenNode;

use strict;
use warnings;

use DBD::Pg;
use DBI;
use Exporter qw(import);
use POSIX qw(_exit);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(start_node start_again crash preload connect_to in_sessions begin_makers lines_of made_by fails_with succeeds give_clock set_clock
  freeze_clock clock_offset clock_environment give_boot kernel_says is_linux set_for_server name_standbys value_of wait_until draw repeated
  expect_blame $duration $patience);

# Why a test dies: before 19 that is said in a log alone, which goes with the test's folder. What fails in a destructor,
# such as a rollback after the server is gone, ends nothing; 19's own handler would end the tests.
INIT
{
	my $handler = ref $SIG{__DIE__} ? $SIG{__DIE__} : sub { diag("died: $_[0]") unless $^S // 1 };
	$SIG{__DIE__} = sub { $handler->(@_) unless $_[0] =~ /DESTROY failed/ };
}

my %clock_of;
my %boot_of;
my %kernel_of;

# Every node that was started, and what a test has made wrong there: its clock, by setting it, or what it said by
# expect_blame.
my %nodes;
my %blame_is_right;
my $test = $$;

# How many seconds what will come is waited for: a slow machine needs minutes for what takes a moment.
our $patience = 300;

# A duration as messages have it: 12.345 s, 2 h 5 min.
our $duration = qr/(?:\d+\.\d{3} s|\d+ (?:min|h|days?)(?: \d+ (?:s|min|h))?)/;

# Errors that blame the clock or the registry, by what they blame. Those of a clock that jumped are another matter.
my %blame = (
	clock    => qr/the clock is $duration behind|: +Correct the clock\b(?! that is wrong|; or)/,
	registry => qr/The registry has not answered yet/);

# If IDGEN_CLOCK is a unix time, the clock of every node begins there: all that is set counts from this offset, in
# seconds.
my $offset = defined $ENV{IDGEN_CLOCK} ? $ENV{IDGEN_CLOCK} - time : 0;

sub clock_offset { return $offset }

# Starts a node whose database postgres has the extension. Options: conf (lines of configuration),
# kernel (what the kernel says of its clock, as kernel_says), fake_clock (set_clock works on it), clock (the same, set
# so from the start), preload (0: without the library, as where IDGEN_WITHOUT_PRELOAD is set), extension (0: not
# created), kinds (1: idgen_kinds, too), init (options of the node's init), server (a copy of the server, as
# IdgenVersions makes it).
sub start_node
{
	my ($name, %option) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name, $option{server} ? (install_path => $option{server}) : ());
	$node->init(%{ $option{init} // {} });
	$node->append_conf('postgresql.conf', "shared_preload_libraries = 'idgen'")
	  if $option{preload} // !$ENV{IDGEN_WITHOUT_PRELOAD};
	$node->append_conf('postgresql.conf', $_) for @{ $option{conf} // [] };
	kernel_says($node, $option{kernel}) if $option{kernel};
	give_clock($node, $option{clock} // '+0') if $option{fake_clock} || $option{clock};
	start_again($node);
	$node->safe_psql('postgres', 'CREATE EXTENSION idgen') if $option{extension} // 1;
	$node->safe_psql('postgres', 'CREATE EXTENSION idgen_kinds') if $option{kinds};
	return $node;
}

# Starts a node that is stopped, under its own clock and boot_id if it has one; under a clock also if IDGEN_CLOCK is
# set.
sub start_again
{
	my ($node) = @_;
	my $name = $node->name;
	$nodes{$name} = $node;
	give_clock($node, '+0') if $offset && !$clock_of{$name};
	local %ENV = (%ENV, kernel_environment($kernel_of{$name})) if $kernel_of{$name};
	my $clock = $clock_of{$name};
	return $node->start unless $clock;
	local %ENV = (%ENV, clock_environment($clock, $boot_of{$name} ? 'boot_id' : ()), FAKE_BOOT_ID => $boot_of{$name} // '');
	return $node->start;
}

sub kernel_environment
{
	my ($file) = @_;
	return (KERNEL_CLOCK => $file, LD_PRELOAD => join ' ', preload('kernel_clock'), $ENV{LD_PRELOAD} // ());
}

# Whether the module asks the kernel for its boot and of its clock; what IDGEN_POSIX builds does not.
sub is_linux { return $^O eq 'linux' && ($ENV{COPT} // '') !~ /IDGEN_POSIX/ }

# Has the kernel say of its clock, from the node's next start on and at once from then on: what adjtimex returns (5: not
# synchronized), maxerror and esterror in us.
sub kernel_says
{
	my ($node, $words) = @_;
	my $file = $kernel_of{ $node->name } = $node->basedir . '/kernel_clock';
	return replace_file($file, $words);
}

# Writes a file that is read at any time.
sub replace_file
{
	my ($file, $line) = @_;
	open my $new, '>', "$file.new" or die "$file.new: $!";
	print $new "$line\n";
	close $new;
	rename "$file.new", $file or die "$file: $!";
	return;
}

# A test whose registry does not answer, or whose server finds a horizon that no right clock leaves, says so of the
# node.
sub expect_blame
{
	my ($node, @what) = @_;
	$blame_is_right{$_}{ $node->name } = 1 for @what;
	return;
}

# Fails the test if the log of a node blames a clock or a registry that was well. Of a test that failed or died it says
# which processes of its servers ended by a signal, and what they said last: the logs go with the test's folder.
END
{
	if ($$ == $test)
	{
		for my $name ($? || !Test::More->builder->is_passing ? sort keys %nodes : ())
		{
			my $log = eval { slurp_file($nodes{$name}->logfile) } // '';
			diag("$name: $_") for grep { /terminated by signal|^(?!\d{4}-).*(?:malloc|glibc|free\()|PANIC:|TRAP: / } split /\n/, $log;
		}
		for my $what (sort keys %blame)
		{
			for my $name (grep { !$blame_is_right{$what}{$_} } sort keys %nodes)
			{
				my $log = eval { slurp_file($nodes{$name}->logfile) } // '';
				my @lines = grep { $_ =~ $blame{$what} } split /\n/, $log;
				next unless @lines;
				diag("the $what of $name is well, and is blamed: $lines[0]");
				$? ||= 1;
			}
		}
	}
}

# The environment of a server whose clock is set by a file; further libraries of ours by name.
sub clock_environment
{
	my ($clock, @names) = @_;
	return (LD_PRELOAD => join(' ', (map { preload($_) } 'offset_clock', @names), $ENV{LD_PRELOAD} // ()), TEXT_CLOCK => $clock);
}

# Kills the postmaster with signal 9, and waits until all its processes are gone.
sub crash
{
	my ($node) = @_;
	my $pid = $node->{_pid};
	my @processes = ($pid, split ' ', `ps -o pid= --ppid $pid`);
	$node->kill9;
	for (1 .. 20_000)
	{
		return unless grep { -d "/proc/$_" } @processes;
		select undef, undef, undef, 0.01;
	}
	die "@processes: still there";
}

# Gives a node a clock of its own, from its next start on.
sub give_clock
{
	my ($node, $time) = @_;
	$clock_of{ $node->name } = $node->basedir . '/clock';
	return set_clock($node, $time);
}

# Sets the clock of a node: "+3600" or "-0.005" seconds off the true one, moved by the offset; or "=-14182980", a unix
# time at which it stands still.
sub set_clock
{
	my ($node, $time) = @_;
	$blame_is_right{clock}{ $node->name } = 1 unless $time eq '+0';
	$time =~ s{^([+-][\d.]+)}{sprintf "%+.6f", $1 + $offset}e;
	return replace_file($clock_of{ $node->name }, $time);
}

# Stops the clock of a node at a second of unix time, moved by the offset.
sub freeze_clock
{
	my ($node, $second) = @_;
	return set_clock($node, sprintf '=%d', $second + $offset);
}

# From its next start on a node with a clock of its own is on another boot of the machine, or on another machine.
sub give_boot
{
	my ($node, $boot_id) = @_;
	return replace_file($boot_of{ $node->name } = $node->basedir . '/boot_id', $boot_id);
}

# A library for LD_PRELOAD, as tools/sandbox.sh built it from its source beside this file.
sub preload
{
	my ($name) = @_;
	return "$ENV{IDGEN_PRELOADS}/$name.so";
}

# Opens a session.
sub connect_to
{
	my ($node, %option) = @_;
	my $db = $option{db} // 'postgres';
	my $source = sprintf 'dbi:Pg:dbname=%s;host=%s;port=%s', $db, $node->host, $node->port;
	return DBI->connect($source, $option{user} // $ENV{USER} // scalar getpwuid($<),
		'', { RaiseError => 1, PrintError => 0, AutoCommit => 1, pg_enable_utf8 => 0 });
}

# Runs $work->($session, $number) in $count processes at once, each with a session of its own.
# True if none of them failed.
sub in_sessions
{
	my ($node, $count, $work) = @_;
	my @workers;
	for my $number (1 .. $count)
	{
		my $pid = fork // die "fork: $!";
		if ($pid == 0)
		{
			my $done = eval {
				my $session = connect_to($node);
				$work->($session, $number);
				$session->disconnect;
				1;
			};
			warn $@ unless $done;
			_exit($done ? 0 : 1);
		}
		push @workers, $pid;
	}
	my $failed = 0;
	for my $pid (@workers)
	{
		waitpid $pid, 0;
		$failed++ if $?;
	}
	return $failed == 0;
}

# Starts $count processes that draw IDs, each with a session of its own, until it ends or fails; given a file, until
# that is there, noting the SQLSTATE of each draw that is refused. Returns when each has tried once; one that waits for
# its first ID, or cannot connect, is not waited for longer than five.
sub begin_makers
{
	my ($node, $count, $stop_file) = @_;
	my %file_of;
	for my $number (1 .. $count)
	{
		my $file = $node->basedir . "/made.$number." . time;
		my $pid = fork // die "fork: $!";
		if ($pid == 0)
		{
			open my $made, '>', $file or _exit(1);
			eval { _make($node, $made, $stop_file) };
			_exit(0);
		}
		$file_of{$pid} = $file;
	}
	my $end = time + $patience;
	for my $file (values %file_of) { select undef, undef, undef, 0.01 until -s $file || time > $end }
	return \%file_of;
}

sub _make
{
	my ($node, $made, $stop_file) = @_;
	my $session = connect_to($node);
	until ($stop_file && -e $stop_file)
	{
		my $done = eval { syswrite $made, join("\n", draw($session, 20)) . "\n"; 1 };
		die $@ unless $done || $stop_file;
		syswrite $made, 'refused ' . $session->state . "\n" unless $done;
		select undef, undef, undef, $done ? 0.001 : 0.05;
	}
	return;
}

# What such processes wrote, once they have ended: a list of lines for each, in the order of writing.
sub lines_of
{
	my ($makers) = @_;
	my @lists;
	for my $pid (keys %$makers)
	{
		waitpid $pid, 0;
		open my $made, '<', $makers->{$pid} or die "$makers->{$pid}: $!";
		chomp(my @lines = <$made>);
		push @lists, \@lines;
	}
	return @lists;
}

# The IDs of such processes.
sub made_by
{
	my ($makers) = @_;
	return grep { !/^refused/ } map { @$_ } lines_of($makers);
}

# Draws that many IDs in one statement.
sub draw
{
	my ($session, $count) = @_;
	return @{ value_of($session, 'SELECT next_id_array(?)', $count) };
}

# How many IDs of a list are already in a set, or twice in the list; they all are in the set afterwards.
sub repeated
{
	my ($set, @ids) = @_;
	return scalar grep { $set->{$_}++ } @ids;
}

# Sets a setting for the whole server, and waits until this session has it.
sub set_for_server
{
	my ($session, $name, $value) = @_;
	my $before = value_of($session, "SELECT current_setting('$name')");
	$session->do("ALTER SYSTEM SET $name = '$value'");
	$session->do('SELECT pg_reload_conf()');
	for (1 .. 30_000)
	{
		return if value_of($session, "SELECT current_setting('$name')") ne $before;
		select undef, undef, undef, 0.01;
	}
	die "$name is still $before";
}

# Names the synchronous standbys, and waits until commits wait for one. The checkpointer has them wait, later than a
# session sees the setting: a commit tells.
sub name_standbys
{
	my ($session, $names) = @_;
	set_for_server($session, 'synchronous_standby_names', 'nobody');
	my $probe = $session->clone({ PrintWarn => 0 });
	my $waits = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $probe->{pg_pid} AND wait_event = 'SyncRep')";
	my $is_waiting = 0;
	until ($is_waiting)
	{
		$probe->do('SELECT pg_current_xact_id()', { pg_async => DBD::Pg::PG_ASYNC() });
		select undef, undef, undef, 0.01 until ($is_waiting = value_of($session, $waits)) || $probe->pg_ready;
		value_of($session, 'SELECT pg_cancel_backend(?)', $probe->{pg_pid}) if $is_waiting;
		$probe->pg_result;
	}
	$probe->disconnect;
	set_for_server($session, 'synchronous_standby_names', $names) if $names ne 'nobody';
	return;
}

# The first column of the first row.
sub value_of
{
	my ($session, $sql, @binds) = @_;
	return scalar $session->selectrow_array($sql, undef, @binds);
}

# Waits until the question is answered with true. After a minute it dies, and ends all other sessions first: Perl waits
# for their queries.
sub wait_until
{
	my ($session, $question) = @_;
	for (1 .. 30_000)
	{
		return if value_of($session, $question);
		select undef, undef, undef, 0.01;
	}
	$session->do(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'});
	die "still not: $question";
}

# Waits for a statement that was begun with pg_async, and says whether it succeeded. If it was canceled, later versions
# of DBD::Pg raise nothing.
sub succeeds
{
	my ($session) = @_;
	return eval { $session->pg_result; 1 } && ($session->state // '') ne '57014';
}

# Passes if the statement fails with that SQLSTATE and its message, DETAIL and HINT match.
sub fails_with
{
	my ($session, $sql, $sqlstate, $pattern, $what) = @_;
	my $done = eval { $session->selectall_arrayref($sql); 1 };
	return fail("$what: it succeeded") if $done;
	my $text = $session->errstr;
	is($session->state, $sqlstate, "$what: SQLSTATE");
	return like($text, $pattern, "$what: text");
}

1;
