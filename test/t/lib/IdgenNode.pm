# A server with idgen for the TAP tests, sessions on it, and a clock that tests may set.
package IdgenNode;

use strict;
use warnings;

use DBI;
use Exporter qw(import);
use POSIX qw(strftime _exit);
use PostgreSQL::Test::Cluster;
use Test::More;

our @EXPORT = qw(start_node start_again connect_to in_sessions fails_with set_clock freeze_clock set_for_server value_of);

my %clock_of;

# Starts a node whose database postgres has the extension. Options: conf (lines of configuration),
# fake_clock (set_clock works on it), preload (0: without the library), extension (0: not created).
sub start_node
{
	my ($name, %option) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init;
	$node->append_conf('postgresql.conf', "shared_preload_libraries = 'idgen'")
	  if $option{preload} // 1;
	$node->append_conf('postgresql.conf', $_) for @{ $option{conf} // [] };
	if ($option{fake_clock})
	{
		$clock_of{$name} = $node->basedir . '/clock';
		set_clock($node, '+0');
	}
	start_again($node);
	$node->safe_psql('postgres', 'CREATE EXTENSION idgen') if $option{extension} // 1;
	return $node;
}

# Starts a node that is stopped, under its own clock if it has one.
sub start_again
{
	my ($node) = @_;
	my $clock = $clock_of{ $node->name };
	return $node->start unless $clock;
	my ($library) = glob '/usr/lib/*/faketime/libfaketimeMT.so.1';
	local $ENV{LD_PRELOAD} = $library;
	local $ENV{FAKETIME_TIMESTAMP_FILE} = $clock;
	local $ENV{FAKETIME_NO_CACHE} = 1;
	local $ENV{FAKETIME_DONT_FAKE_MONOTONIC} = 1;
	local $ENV{FAKETIME_DONT_RESET} = 1;
	return $node->start;
}

# Sets the clock of a node: "+3600" or "-0.005" seconds off the true one.
sub set_clock
{
	my ($node, $time) = @_;
	my $file = $clock_of{ $node->name };
	open my $new, '>', "$file.new" or die "$file.new: $!";
	print $new "$time\n";
	close $new;
	rename "$file.new", $file or die "$file: $!";
	return;
}

# Stops the clock of a node at a second of unix time.
sub freeze_clock
{
	my ($node, $second) = @_;
	return set_clock($node, strftime('%Y-%m-%d %H:%M:%S', localtime $second));
}

# Opens a session.
sub connect_to
{
	my ($node, %option) = @_;
	my $db = $option{db} // 'postgres';
	my $source = sprintf 'dbi:Pg:dbname=%s;host=%s;port=%s', $db, $node->host, $node->port;
	return DBI->connect($source, $option{user} // $ENV{USER} // getpwuid($<),
		'', { RaiseError => 1, PrintError => 0, AutoCommit => 1, pg_enable_utf8 => 0 });
}

# Runs $work->($session, $number) in $count processes at once, each with a session of its own.
# True where none of them failed.
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

# Sets a setting for the whole server, and waits until this session has it.
sub set_for_server
{
	my ($session, $name, $value) = @_;
	my $before = value_of($session, "SELECT current_setting('$name')");
	$session->do("ALTER SYSTEM SET $name = '$value'");
	$session->do('SELECT pg_reload_conf()');
	for (1 .. 1000)
	{
		return if value_of($session, "SELECT current_setting('$name')") ne $before;
		select undef, undef, undef, 0.01;
	}
	die "$name is still $before";
}

# The first column of the first row.
sub value_of
{
	my ($session, $sql, @binds) = @_;
	return scalar $session->selectrow_array($sql, undef, @binds);
}

# Passes where the statement fails with that SQLSTATE and its message, DETAIL and HINT match.
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
