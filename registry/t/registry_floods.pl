# A registry's server that sends without end, or messages of a gigabyte: whatever libpq or libcurl would store of it,
# the process that keeps the numbers leaves such a server early, says so, and goes on with the same memory when the
# server has become a registry again.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenEtcd;
use IdgenImpostor;
use IdgenLease;
use IdgenNode;
use IdgenStoreCalls;
use PostgreSQL::Test::Utils;
use Test::More;

my $most_growth_kb = 20_000;
my $gigabyte = 1_000_000_000;
my $admitted = message('R', pack 'N', 0);
my $parsed = message('1', '') . message('2', '');
my $described = message('T', pack('n', 1) . "c\0" . pack 'NnNnNn', 0, 0, 25, 65535, 4294967295, 0);
my $too_much = qr/what answers there sends more than a registry does/;

# A client that leaves ends this process.
sub pour { my ($socket, $bytes) = @_; 1 while syswrite $socket, $bytes; return }

# A message of a gigabyte, from the beginning of its body on.
sub pour_message
{
	my ($socket, $type, $begin) = @_;
	syswrite $socket, $type . pack('N', $gigabyte) . $begin;
	my $bytes = 'x' x 1_000_000;
	syswrite $socket, $bytes or last for 1 .. 1000;
	return;
}

# Each setting has a name of its own.
sub pour_settings
{
	my ($socket) = @_;
	my $count = 0;
	while (1)
	{
		syswrite $socket, join '', map { message('S', sprintf "%x\0\0", ++$count) } 1 .. 1000;
	}
	return;
}

my $notice = message('N', "SNOTICE\0VNOTICE\0C00000\0Mn\0\0");

# What it sends after a statement.
my %after_statement = (
	'a row of a gigabyte'         => sub { my ($s) = @_; syswrite $s, $parsed . $described; return pour_message($s, 'D', pack 'nN', 1, $gigabyte - 10) },
	'a notice of a gigabyte'      => sub { my ($s) = @_; return pour_message($s, 'N', "SNOTICE\0VNOTICE\0C00000\0M") },
	'an error of a gigabyte'      => sub { my ($s) = @_; return pour_message($s, 'E', "SERROR\0VERROR\0CXX000\0M") },
	'columns of a gigabyte'       => sub { my ($s) = @_; syswrite $s, $parsed; return pour_message($s, 'T', pack 'n', 65535) },
	'a notification of a gigabyte' => sub { my ($s) = @_; return pour_message($s, 'A', pack 'N', 1) },
	'notifications without end'   => sub { my ($s) = @_; return pour($s, message('A', pack('N', 1) . "c\0\0") x 1000) },
	'settings without end'        => sub { my ($s) = @_; return pour_settings($s) },
	'notices without end'         => sub { my ($s) = @_; return pour($s, $notice x 1000) },
	'errors without end'          => sub { my ($s) = @_; return pour($s, error_message('e' x 1000) x 100) },
);

# What it sends as the connection is opened.
my %at_start = (
	'at the start, a notice of a gigabyte'            => sub { my ($s) = @_; syswrite $s, $admitted; return pour_message($s, 'N', "SNOTICE\0VNOTICE\0C00000\0M") },
	'at the start, an error of a gigabyte'            => sub { my ($s) = @_; syswrite $s, $admitted; return pour_message($s, 'E', "SERROR\0VERROR\0CXX000\0M") },
	'at the start, settings without end'              => sub { my ($s) = @_; syswrite $s, $admitted; return pour_settings($s) },
	'at the start, notices without end'               => sub { my ($s) = @_; syswrite $s, $admitted; return pour($s, $notice x 1000) },
	'at the start, notifications without end'         => sub { my ($s) = @_; syswrite $s, $admitted; return pour($s, message('A', pack('N', 1) . "c\0\0") x 1000) },
	'before it admits, words without end'             => sub { my ($s) = @_; syswrite $s, 'E'; return pour($s, 'x' x 1_000_000) },
	'before it admits, an error of a gigabyte'        => sub { my ($s) = @_; return pour_message($s, 'E', "SERROR\0VERROR\0CXX000\0M") },
	'before it admits, a request of a gigabyte'       => sub { my ($s) = @_; return pour_message($s, 'R', pack 'N', 3) },
);
# libpq has limits of its own until then, and words of its own for them.
my $at_once = qr/\w/;

sub status_of { my ($pid, $what) = @_; my ($kb) = slurp_file("/proc/$pid/status") =~ /^$what:\s+(\d+)/m; return $kb }
sub registry_of { my ($session) = @_; return value_of($session, q{SELECT value FROM idgen.status() WHERE key = 'registry'}) }

# The kernel's record of the most memory begins again.
sub forget_peak { my ($pid) = @_; append_to_file("/proc/$pid/clear_refs", '5'); return status_of($pid, 'VmHWM') }

# Has the server lie until the sentence is read, or if there is none until it is honest again by itself. Which lie it is
# stands in the file.
sub endure
{
	my ($session, $lies, $name, $sentence) = @_;
	my $keeper = keeper_of($session);
	my $before = forget_peak($keeper);
	append_to_file("$lies.new", $name);
	rename "$lies.new", $lies or die "$lies: $!";
	wait_for("a reason: $name", sub { return $sentence ? registry_of($session) =~ /; .*$sentence/ : !-e $lies });
	my $growth = status_of($keeper, 'VmHWM') - $before;
	cmp_ok($growth, '<', $most_growth_kb, "$name: $growth kB of memory");
	unlink $lies;
	wait_for("an answer after $name", sub { return registry_of($session) !~ /;/ });
	is(keeper_of($session), $keeper, "$name: the keeper goes on by itself");
	return;
}

my $settings = { 'idgen.lease_window' => '4s', 'idgen.lease_ttl' => '10s', 'idgen.max_wait' => '100ms' };

sub postgresql
{
	my $registry = start_registry('registry', conf => [q{listen_addresses = '127.0.0.1'}]);
	my $lies = PostgreSQL::Test::Utils::tempdir_short() . '/lies';
	my $attack = sub { my ($list, $socket, $usual) = @_; my $way = $list->{ slurp_file($lies) }; return $way ? $way->($socket) : $usual };
	my $impostor = IdgenImpostor->start('postgresql', sub { return $attack->(\%after_statement, $_[0]) },
		greeting => sub { my ($socket, $usual) = @_; return $attack->(\%at_start, $socket, $usual) }, honest => $registry->port, lies => $lies);
	my $node = start_leased('flooded', "host=127.0.0.1 port=$impostor->{port} dbname=postgres user=node_role", setting => $settings);
	my $session = connect_to($node);
	wait_for_id($session);
	endure($session, $lies, $_, $too_much) for sort keys %after_statement;
	endure($session, $lies, $_, /^before/ ? $at_once : $too_much) for sort keys %at_start;
	ok(wait_for_id($session), 'IDs come after all of them');
	$session->disconnect;
	$_->stop('immediate') for $node, $registry;
	return;
}

# A token of etcd that is too long, and one that has the connection cut wherever it is sent, until another one is asked
# for. The token that the node has is not taken.
my %tokens = (
	'a token of two megabytes' => sub { my ($asked) = @_; return $asked =~ m{/auth/} ? token('x' x 2_000_000) : $asked =~ /xxx/ ? http('431 Request Header Fields Too Large', '') : no_token() },
	'a token that is cut off'  => sub {
		my ($asked, $lies) = @_;
		return $asked =~ /xxx/ ? undef : no_token() if $asked !~ m{/auth/};
		return if -e "$lies.given" && unlink $lies;
		append_to_file("$lies.given", '');
		return token('x' x 16_000);
	});
sub no_token { return http('401 Unauthorized', '{"code":16,"message":"etcdserver: invalid auth token"}') }
sub token { my ($token) = @_; return http('200 OK', qq({"header":{"cluster_id":"7"},"token":"$token"})) }

sub etcd
{
	my $etcd = IdgenEtcd->start;
	$etcd->demand_password('secret', 'photos', 's3cret', '/x');
	my $lies = PostgreSQL::Test::Utils::tempdir_short() . '/lies';
	my $impostor = IdgenImpostor->start('etcd', sub { return $tokens{ slurp_file($lies) }->($_[1], $lies) }, honest => $etcd->{port}, lies => $lies);
	my $node = start_leased('tokens', "etcd://photos:s3cret\@127.0.0.1:$impostor->{port}/x", setting => $settings);
	my $session = connect_to($node);
	wait_for_id($session);
	endure($session, $lies, 'a token of two megabytes', $too_much);
	endure($session, $lies, 'a token that is cut off');
	ok(wait_for_id($session), 'IDs come after all tokens');
	$session->disconnect;
	$node->stop('immediate');
	$etcd->stop;
	return;
}

# What an honest registry says at most is taken in. What one says too much in each answer is forgotten with its
# connection.
sub in_a_session
{
	my $node = start_leased('asking', 'host=127.0.0.1 port=1 user=photos');
	my $session = connect_to($node);
	make_store_functions($session);
	my $backend = value_of($session, 'SELECT pg_backend_pid()');
	my $growth_of = sub {
		my ($sql, $answer, $folder) = @_;
		my $first = $parsed . rows([ '0', undef ]) . command_complete() . ready();
		my $impostor = IdgenImpostor->start('postgresql', sub { return $_[1] =~ /set_config/ ? $first : $answer->(@_) }, folder => $folder);
		my $before = forget_peak($backend);
		my $value = value_of($session, $sql, sprintf 'host=%s port=%d user=node', $folder // '127.0.0.1', $impostor->{port});
		$impostor->stop;
		return ($value, status_of($backend, 'VmHWM') - $before);
	};
	my $list = $parsed . rows(map { [ 0, $_, 1700000000000, 't', 'n' x 128, '7000000000000000000', 1, 1700000000000, 0 ] } 0 .. 65535) . command_complete() . ready();
	my ($value, $growth) = $growth_of->(q{SELECT length(a) > 65536 * 128 AND a ~ '^answered floor 0; 0 .*; 65535 ' FROM store_list(?, 60000) AS a}, sub { return $list });
	is($value, 1, "a list of 65,536 numbers with the longest names: taken in, with $growth kB");
	my %more = (
		settings      => sub { my ($count) = @_; return map { message('S', "$count.$_\0" . 'x' x 29_000 . "\0") } 1, 2 },
		notifications => sub { return map { message('A', pack('N', 1) . "c\0" . 'x' x 29_000 . "\0") } 1, 2 });
	for my $what (sort keys %more)
	{
		# It counts the connections.
		($value, $growth) = $growth_of->(
			q{SELECT count(DISTINCT a) || ' ' || bool_and(a ~ '^answered') FROM (SELECT store_identity(?, 60000) AS a FROM generate_series(1, 1500)) AS s},
			sub {
				my (undef, undef, $count, $connection) = @_;
				return $parsed . rows([ sprintf '00000001-0000-0000-0000-%012d', $connection ]) . command_complete() . join('', $more{$what}->($count)) . ready();
			});
		like($value, $what eq 'settings' ? qr/^[2-9] true$/ : qr/^1 true$/,
			"$what in each of 1500 answers: all are taken in, settings by a few connections");
		cmp_ok($growth, '<', 60_000, "$what: memory grows by $growth kB only");
	}
	for my $name (grep { /gigabyte/ } sort keys %after_statement)
	{
		($value, $growth) = $growth_of->('SELECT store_identity(?, 60000)', $after_statement{$name}, PostgreSQL::Test::Utils::tempdir_short());
		like($value, qr/^denied $too_much/, "$name by a Unix socket, whose bytes the kernel does not count");
		cmp_ok($growth, '<', $most_growth_kb, "$name by a Unix socket: $growth kB of memory");
	}
	$session->do($_) for 'CREATE ROLE reader LOGIN', 'GRANT EXECUTE ON FUNCTION idgen_lease.nodes TO reader';
	fails_with($session, 'SELECT * FROM idgen_lease.nodes()', '08006', qr/The reason: .*127\.0\.0\.1/,
		'what was said in a call, for a superuser');
	my $reader = connect_to($node, user => 'reader');
	fails_with($reader, 'SELECT * FROM idgen_lease.nodes()', '08006', qr/did not answer\nDETAIL:  Members of pg_monitor see the reason\.\nHINT/,
	  'what was said in a call is hidden from a role that may only call');
	$reader->disconnect;
	$session->disconnect;
	$node->stop('immediate');
	return;
}

postgresql();
etcd();
in_a_session();
done_testing();
