# A server whose module does something before a step that a test names (test/injection/steps.cpp), for the TAP tests.
package IdgenInjection;

use strict;
use warnings;

use Exporter qw(import);
use IdgenDisk;
use IdgenNode;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(sleep time);

our @EXPORT = qw(start_injected injected_conf inject injected operations go_on date_after draw_repeated crash_at act_under processes_of wait_for_end kill_and_start);

# The present second of the clock of each node, which stands still.
my %second_of;

# Lines of configuration: a node so started has the module with steps.
sub injected_conf
{
	return ("dynamic_library_path = '$ENV{IDGEN_PRELOADS}/injected:\$libdir'", "idgen.shards = '5'", 'autovacuum = off', 'restart_after_crash = on', 'checkpoint_timeout = 1h',
		'wal_writer_delay = 10s', 'shared_buffers = 8MB', 'max_connections = 20', q{idgen.max_wait = '100ms'}, q{idgen.horizon_window = '100ms'});
}

sub start_injected
{
	my ($name, %option) = @_;
	return start_node($name, fake_clock => 1, %option, conf => [ injected_conf(), @{ $option{conf} // [] } ]);
}

# Has a session do something before a step of what it does from now on: 'crash 7', 'error 7', 'clock 7 +3600'; '' for
# nothing.
sub inject { my ($session, $what) = @_; return $session->do("SET injection.idgen = '$what'") }

# The calls before which something was done, from the log of a node.
sub injected { my ($node) = @_; return slurp_file($node->logfile) =~ /^injection: .*: (\w+)$/mg }

# Moves the clock of a node that many seconds on from where it stood last, and stops it there.
sub go_on
{
	my ($node, $seconds) = @_;
	$second_of{ $node->name } //= int time;
	return freeze_clock($node, $second_of{ $node->name } += $seconds);
}

# Where that clock stands, as its servers see it.
sub present_second { my ($node) = @_; return $second_of{ $node->name } + clock_offset() }

# The date that many seconds after where that clock stands, as injections take it.
sub date_after { my ($node, $seconds) = @_; return sprintf '=%d', $seconds + present_second($node) }

my $next_ids = 'SELECT next_id_array(?)';

# Draws IDs, and gives how many of them were made before. If they are to begin further ahead than the clock admits, it
# goes on meanwhile; what is owed to another server only a clock pays that runs, beyond the horizon.
sub draw_repeated
{
	my ($node, $made, $session, $count, $sql) = @_;
	my $began;
	for my $try (1 .. 100)
	{
		my @ids = eval { @{ value_of($session, $sql // $next_ids, $count) } };
		if (@ids)
		{
			go_on($node, 1 + int time - $began) if $began;
			return repeated($made, @ids);
		}
		die $@ unless $session->errstr =~ /behind the next ID of shard|the next ID of shard \d+ lies/;
		if ($began) { sleep 0.05 }
		elsif ($session->errstr !~ /the session waits once/) { go_on($node, 1) }
		else { set_clock($node, sprintf '%+.3f', ($second_of{ $node->name } += 10) - ($began = time)) }
	}
	die 'the clock goes on, and no ID comes';
}

# What is tried, by name: prepare is done before, then act with all steps counted. Both take a session and a function
# that draws IDs, by sql if there is one, and gives how many of them were made before; act also the second at which the
# clock stands. end is done after a crash.
sub operations
{
	my $note_after = sub {
		my ($sql) = @_;
		return sub { my ($session, $note) = @_; $session->do($sql); return $note->(5) };
	};
	return (
		generator    => { prepare => \&_create_kinds, sql => 'SELECT array_agg(next_decimal_id()) FROM generate_series(1, ?)', act => sub { my ($session, $note) = @_; return $note->(1) + $note->(5) } },
		renewal      => { act => sub { my ($session, $note) = @_; return $note->(1) + $note->(5) } },
		first        => { prepare => \&_create_again, act => sub { my ($session, $note) = @_; return $note->(1) + $note->(5) } },
		creation     => { prepare => sub { $_[0]->do('DROP EXTENSION IF EXISTS idgen_kinds, idgen') }, act => $note_after->('CREATE EXTENSION idgen'), end => \&_create_if_needed },
		drop         => { prepare => sub { $_[0]->do('DROP EXTENSION IF EXISTS idgen_kinds') }, act => $note_after->('DROP EXTENSION idgen; CREATE EXTENSION idgen'), end => \&_create_if_needed },
		# To an instant of the clock before it jumps: the commit of a SET reads it, too.
		advance => {
			act => sub {
				my ($session, $note, $second) = @_;
				$session->do(q{SELECT idgen.advance(to_timestamp(?) + '100ms')}, undef, $second);
				return $note->(5);
			}
		},
		reset        => { act => $note_after->(q{SELECT idgen.reset(clock_timestamp() + '1100ms')}) },
		confirmation => { act => $note_after->('SELECT idgen.confirm_shards()') });
}

sub _create_again { my ($session) = @_; return $session->do('DROP EXTENSION IF EXISTS idgen_kinds, idgen; CREATE EXTENSION idgen') }

sub _create_kinds { my ($session) = @_; return $session->do('SET client_min_messages = error; CREATE EXTENSION IF NOT EXISTS idgen_kinds') }

# What a crash has left of a transaction is all or nothing.
sub _create_if_needed { my ($session) = @_; return $session->do('SET client_min_messages = error; CREATE EXTENSION IF NOT EXISTS idgen') }

# The processes of a server; its postmaster is the first.
sub processes_of { my ($node) = @_; return ($node->{_pid}, split ' ', `ps -o pid= --ppid $node->{_pid}`) }

# Kills a server, and starts it again.
sub kill_and_start
{
	my ($node) = @_;
	my @processes = processes_of($node);
	kill 'KILL', @processes;
	wait_for_end($node, @processes);
	start_again($node);
	return connect_to($node);
}

# Waits until all processes of a server have ended that a step has killed. What is left of them until somebody asks for
# their status has no program any more; the next postmaster would take it for one that runs.
sub wait_for_end
{
	my ($node, @processes) = @_;
	for (1 .. 30_000)
	{
		last unless grep { defined readlink "/proc/$_/exe" } @processes;
		sleep 0.01;
	}
	unlink $node->data_dir . '/postmaster.pid', sprintf '%s/.s.PGSQL.%d.lock', $node->host, $node->port;
	$node->{_pid} = undef;
	return;
}

# One operation during which all processes are killed before its N-th call, or after its last one; then the server
# starts again, and draws. Gives how many IDs were made twice, and whether the operation was over.
sub crash_at
{
	my ($node, $made, $operation, $number, $lose) = @_;
	my $session = connect_to($node);
	my $note = sub { my ($count) = @_; return draw_repeated($node, $made, $session, $count, $operation->{sql}) };
	$operation->{prepare}->($session) if $operation->{prepare};
	go_on($node, 5);
	my @processes = processes_of($node);
	inject($session, "crash $number");
	my $repeats = eval { $operation->{act}->($session, $note, present_second($node)) };
	my $is_over = defined $repeats;
	die $@ unless $is_over || !$session->ping;
	kill 'KILL', @processes if $is_over;
	wait_for_end($node, @processes);
	$lose->($node, $is_over) if $lose;
	start_again($node);
	$session = connect_to($node);
	$operation->{end}->($session) if $operation->{end};
	return (($repeats // 0) + $note->(100), $is_over);
}

# One operation with something done before one of its calls, in a server that goes on. Gives the session, how many IDs
# were made twice, the error if one was raised, and whether anything was done.
sub act_under
{
	my ($node, $made, $operation, $seconds, $what) = @_;
	my $session = connect_to($node);
	my $note = sub { my ($count) = @_; return repeated($made, @{ value_of($session, $operation->{sql} // $next_ids, $count) }) };
	$operation->{prepare}->($session) if $operation->{prepare};
	go_on($node, $seconds);
	my $before = () = injected($node);
	inject($session, $what->());
	my $repeats = eval { $operation->{act}->($session, $note, present_second($node)) };
	my $error = defined $repeats ? '' : $session->state . ' ' . $session->errstr;
	inject($session, '');
	my $after = () = injected($node);
	return ($session, $repeats // 0, $error, $after > $before);
}

1;
