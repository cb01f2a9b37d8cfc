# A PgBouncer in transaction mode before a node, that gives each transaction of a client another of its server's
# connections.
package IdgenPooler;

use strict;
use warnings;

use DBI;
use Exporter qw(import);
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

our @EXPORT = qw(start_pooler widen_pool);

my @started;
my $test = $$;
END { local $?; if ($$ == $test && @started) { kill 'TERM', @started; waitpid $_, 0 for @started } }

# Starts one; its folder, where its socket is, and its port, which TCP on 127.0.0.1 has, too.
sub start_pooler
{
	my ($node) = @_;
	my ($folder, $port, $user) = (PostgreSQL::Test::Utils::tempdir_short, PostgreSQL::Test::Cluster::get_free_port(), scalar getpwuid $<);
	append_to_file("$folder/users", qq{"$user" ""\n});
	append_to_file("$folder/ini", <<"INI");
[databases]
* = host=${\ $node->host} port=${\ $node->port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $port
unix_socket_dir = $folder
auth_type = trust
auth_file = $folder/users
pool_mode = transaction
server_round_robin = 1
ignore_startup_parameters = extra_float_digits
logfile = $folder/log
INI
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		open STDOUT, '>', "$folder/out" or POSIX::_exit(1);
		open STDERR, '>&', \*STDOUT or POSIX::_exit(1);
		exec '/usr/sbin/pgbouncer', "$folder/ini" or POSIX::_exit(1);
	}
	push @started, $pid;
	for (1 .. 30_000)
	{
		return { folder => $folder, port => $port } if -S "$folder/.s.PGSQL.$port";
		die 'pgbouncer ended: ' . slurp_file("$folder/out") if waitpid $pid, POSIX::WNOHANG();
		select undef, undef, undef, 0.01;
	}
	die 'pgbouncer does not start';
}

# Has it open that many connections to a database: as many transactions at once.
sub widen_pool
{
	my ($pooler, $database, $count) = @_;
	my @sessions = map {
		DBI->connect("dbi:Pg:dbname=$database;host=$pooler->{folder};port=$pooler->{port}", scalar getpwuid $<, '',
			{ AutoCommit => 0, RaiseError => 1, PrintError => 0, pg_server_prepare => 0 })
	} 1 .. $count;
	my %servers = map { $_->selectrow_array('SELECT pg_backend_pid()') => 1 } @sessions;
	$_->rollback for @sessions;
	$_->disconnect for @sessions;
	return scalar keys %servers;
}

1;
