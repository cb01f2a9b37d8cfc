# A primary and its standbys for the TAP tests, and long statements whose rows a client writes down as they come.
package IdgenPair;

use strict;
use warnings;

use Exporter qw(import);
use IdgenNode;
use POSIX qw(_exit WNOHANG);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(time sleep);

our @EXPORT = qw(begin_primary begin_standby wait_until_true wait_for_replay cut_off lose_unread go_on_at begin_statement ids_so_far
  goes_on has_ended end_statement few_a_tick poll draw_few);

my @conf = ("idgen.shards = '5'", 'autovacuum = off', 'wal_keep_size = 1GB', 'wal_log_hints = on', 'wal_receiver_status_interval = 1s');

# A layout of two IDs a millisecond: little work makes IDs for long, or far ahead of the clock.
sub few_a_tick { return 'epoch=2011-08-24T21:07:01.721Z unit=1ms time=41 shard=13 sequence=1' }

# Draws that many of them in one statement.
sub draw_few
{
	my ($session, $count) = @_;
	return @{ value_of($session, 'SELECT next_id_array(?, 5, ?::id_layout)', $count, few_a_tick()) };
}

# Starts a node that can have standbys, under a clock of its own, and makes a base backup. Its pages have no checksums,
# so that tests may write there.
sub begin_primary
{
	my ($name, @more) = @_;
	my $node = start_node(
		$name,
		fake_clock => 1,
		init       => { allows_streaming => 1, has_archiving => 1, no_data_checksums => 1 },
		conf       => [ @conf, @more ]);
	$node->backup('base');
	return $node;
}

# Starts a standby of that backup.
sub begin_standby
{
	my ($primary, $name, $time, @more) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init_from_backup($primary, 'base', has_streaming => 1);
	$node->append_conf('postgresql.conf', $_) for @more;
	give_clock($node, $time);
	start_again($node);
	return $node;
}

# Waits until a condition holds on a node.
sub wait_until_true
{
	my ($node, $condition) = @_;
	return $node->poll_query_until('postgres', "SELECT $condition") || die "never: $condition";
}

sub wait_for_replay
{
	my ($primary, $standby) = @_;
	my $lsn = $primary->safe_psql('postgres', 'SELECT pg_current_wal_flush_lsn()');
	return wait_until_true($standby, "pg_last_wal_replay_lsn() >= '$lsn'");
}

# Cuts a standby off from its primary.
sub cut_off
{
	my ($standby) = @_;
	$standby->safe_psql('postgres', q{ALTER SYSTEM SET primary_conninfo = ''});
	$standby->reload;
	return wait_until_true($standby, 'NOT EXISTS (SELECT FROM pg_stat_wal_receiver)');
}

# Starts a standby again whose WAL receiver is stopped and whose primary is gone: what that one had sent and nobody
# had read is lost, as it is with the network.
sub lose_unread
{
	my ($standby, $walreceiver) = @_;
	my $postmaster = $standby->{_pid};
	kill 'KILL', $walreceiver;
	poll(sub { !-d "/proc/$postmaster" }) or die 'the standby goes on without its WAL receiver';
	$standby->{_pid} = undef;
	return start_again($standby);
}

# Goes on where a node stopped: its clock is $error off what it was when $since was read, as if no time had passed.
sub go_on_at
{
	my ($node, $since, $error) = @_;
	return set_clock($node, sprintf '%+.3f', $since - time + $error);
}

# Asks until the answer is true; false if it is not within those seconds, or within $patience.
sub poll
{
	my ($question, $seconds) = @_;
	my $end = time + ($seconds // $patience);
	until ($question->())
	{
		return 0 if time > $end;
		sleep 0.02;
	}
	return 1;
}

my $statements = 0;

# Runs statements in psql; what comes back, rows and messages, is written to a file as it comes. Gives a handle when the
# first row is there.
sub begin_statement
{
	my ($node, @sql) = @_;
	my $file = $node->basedir . '/statement.' . ++$statements;
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		open STDOUT, '>', $file or _exit(1);
		open STDERR, '>', "$file.messages" or _exit(1);
		exec 'psql', '-X', '-q', '-At', '-v', 'VERBOSITY=verbose', '-d', $node->connstr('postgres'),
			(map { ('-c', $_) } "SET application_name = 'statement.$statements'", @sql) or _exit(1);
	}
	my $statement = { pid => $pid, file => $file };
	poll(sub { -s $file || -s "$file.messages" }) or die "no row of @sql";
	my $session = connect_to($node);
	$statement->{backend} =
	  value_of($session, 'SELECT pid FROM pg_stat_activity WHERE application_name = ?', "statement.$statements");
	$session->disconnect;
	return $statement;
}

# The IDs that came so far; the last line may be half of one.
sub ids_so_far
{
	my ($statement) = @_;
	my $text = join '', map { slurp_file("$statement->{file}$_") } '', '.messages';
	return $text =~ /^(?:NOTICE:.* )?(\d+)\n/mg;
}

# Whether a statement goes on making IDs: as many more.
sub goes_on
{
	my ($statement, $count) = @_;
	my $before = () = ids_so_far($statement);
	return poll(sub { return $before + $count <= (() = ids_so_far($statement)) });
}

# Whether a statement has ended by itself.
sub has_ended
{
	my ($statement) = @_;
	$statement->{is_over} ||= waitpid($statement->{pid}, WNOHANG) == $statement->{pid};
	return $statement->{is_over};
}

# Ends a statement unless it has ended; gives the error that it ended with, if any, and its IDs.
sub end_statement
{
	my ($statement) = @_;
	kill 'TERM', $statement->{backend} unless has_ended($statement);
	# Where the postmaster is dead, or the session waits for a client that reads no more.
	kill 'KILL', $statement->{backend} unless poll(sub { has_ended($statement) }, 20);
	waitpid $statement->{pid}, 0 unless has_ended($statement);
	my ($error) = slurp_file("$statement->{file}.messages") =~ /^((?:ERROR|FATAL|PANIC):.*)/ms;
	return ($error // '', ids_so_far($statement));
}

1;
