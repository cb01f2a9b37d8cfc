# A throw-away etcd on loopback for the TAP tests: started, stopped, paused, with a certificate or a password if a test
# wants them.
package IdgenEtcd;

use strict;
use warnings;

use HTTP::Tiny;
use JSON::PP qw(decode_json encode_json);
use MIME::Base64 qw(encode_base64);
use POSIX qw(_exit);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

my @all;
my $test = $$;
my $etcds = 0;

# Starts one; with is_tls under a certificate of its own (`ca` is the file that it is known by). An operator has a
# separate port.
sub start
{
	my ($class, %option) = @_;
	my $self = bless { %option, folder => PostgreSQL::Test::Utils::tempdir_short() . '/etcd.' . ++$etcds }, $class;
	mkdir $self->{folder} or die "$self->{folder}: $!";
	@$self{qw(port peer_port operator_port)} = map { PostgreSQL::Test::Cluster::get_free_port() } 1 .. 3;
	$self->_make_certificate if $self->{is_tls};
	push @all, $self;
	$self->go;
	return $self;
}

# Its address, "127.0.0.1:PORT"; and as idgen.registry names it: address('/prefix', 'user:password').
sub address { my ($self) = @_; return "127.0.0.1:$self->{port}" }

sub operator_registry { my ($self, $prefix) = @_; return "etcd://127.0.0.1:$self->{operator_port}$prefix" }

sub registry
{
	my ($self, $prefix, $user) = @_;
	my $query = $self->{is_tls} ? "?cacert=$self->{ca}" : '';
	return ($self->{is_tls} ? 'etcds' : 'etcd') . '://' . (defined $user ? "$user@" : '') . $self->address . "$prefix$query";
}

# Starts it if it is stopped, with the keys that it had, and waits until it answers: fenced, only for the operator.
sub go
{
	my ($self, $is_fenced) = @_;
	my $scheme = $self->{is_tls} ? 'https' : 'http';
	my $client = "$scheme://" . $self->address;
	my $peer = "http://127.0.0.1:$self->{peer_port}";
	my @command = (
		'etcd', '--name', 'test', '--data-dir', "$self->{folder}/data", '--unsafe-no-fsync', '--listen-client-urls', join(',', map { "$scheme://127.0.0.1:$_" } $is_fenced ? () : $self->{port}, $self->{operator_port}),
		'--advertise-client-urls', $client, '--initial-cluster-token', 'test' . ($self->{token_of_cluster} // ''),
		'--listen-peer-urls', $peer, '--initial-advertise-peer-urls', $peer, '--initial-cluster', "test=$peer",
		$self->{is_tls} ? ('--cert-file', "$self->{folder}/server.crt", '--key-file', "$self->{folder}/server.key") : ());
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		delete @ENV{ grep { /^ETCD/ } keys %ENV };
		open STDOUT, '>>', "$self->{folder}/log" or _exit(1);
		open STDERR, '>&', \*STDOUT or _exit(1);
		exec @command or _exit(1);
	}
	$self->{pid} = $pid;
	delete $self->{token};
	for (1 .. 20_000)
	{
		return $self->_log_in if eval { $self->call('kv/range', { key => 'AA==' }); 1 } || $@ =~ /user name is empty/;
		select undef, undef, undef, 0.02;
	}
	die "etcd does not answer:\n" . slurp_file("$self->{folder}/log");
}

# Stops it: with TERM as an operator would, with KILL as a crash does.
sub stop
{
	my ($self, $signal) = @_;
	my $pid = delete $self->{pid} // return;
	kill 'CONT', $pid;
	kill $signal // 'TERM', $pid;
	local $?;
	waitpid $pid, 0;
	return;
}

# Lets it stand still, its connections open, and go on.
sub pause { my ($self) = @_; return halt($self->{pid}) }
sub resume { my ($self) = @_; return kill 'CONT', $self->{pid} }

# Stops processes, and waits until all of their threads stand: one that computes goes on for a moment.
sub halt
{
	my (@pids) = @_;
	kill 'STOP', @pids;
	for (1 .. 20_000)
	{
		return unless grep { (eval { PostgreSQL::Test::Utils::slurp_file($_) } // ") T ") !~ /\) [TtZX] / } map { glob "/proc/$_/task/*/stat" } @pids;
		select undef, undef, undef, 0.01;
	}
	die "@pids: still run";
}

# Calls its gateway: "kv/range" and the like; the answer as a hash. Dies with what etcd says.
sub call
{
	my ($self, $path, $request) = @_;
	my $http = HTTP::Tiny->new(timeout => 10, SSL_options => { SSL_ca_file => $self->{ca} });
	my %headers = $self->{token} ? (Authorization => $self->{token}) : ();
	my $url = ($self->{is_tls} ? 'https' : 'http') . "://127.0.0.1:$self->{operator_port}/v3/$path";
	my $answer = $http->post($url, { content => encode_json($request), headers => { %headers, 'Content-Type' => 'application/json' } });
	die "$path: $answer->{content}\n" unless $answer->{success};
	return decode_json($answer->{content});
}

# Demands user and password from now on: root, and a user who may read and write the keys that begin with a prefix.
sub demand_password
{
	my ($self, $root_password, $user, $password, $prefix) = @_;
	my ($key, $end) = map { encode_base64($_, '') } $prefix, $prefix . "\xff";
	my $etcd = sub { return $self->call("auth/$_[0]", $_[1]) };
	$etcd->('user/add', { name => 'root', password => $root_password });
	$etcd->('user/grant', { user => 'root', role => 'root' }) if eval { $etcd->('role/add', { name => 'root' }); 1 };
	$etcd->('role/add', { name => 'node' });
	$etcd->('role/grant', { name => 'node', perm => { permType => 'READWRITE', key => $key, range_end => $end } });
	$etcd->('user/add', { name => $user, password => $password });
	$etcd->('user/grant', { user => $user, role => 'node' });
	$etcd->('enable', {});
	$self->{root_password} = $root_password;
	return $self->_log_in;
}

# Fetches a token if it demands a password: a restart forgets all.
sub _log_in
{
	my ($self) = @_;
	my $password = $self->{root_password} // return;
	$self->{token} = $self->call('auth/authenticate', { name => 'root', password => $password })->{token};
	return;
}

# Makes a certificate for 127.0.0.1 that is its own authority.
sub _make_certificate
{
	my ($self) = @_;
	my $folder = $self->{folder};
	$self->{ca} = "$folder/server.crt";
	system_or_bail(
		'openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1',
		'-keyout', "$folder/server.key", '-out', $self->{ca});
	return;
}

END
{
	if ($$ == $test) { $_->stop('KILL') for @all }
}

1;
