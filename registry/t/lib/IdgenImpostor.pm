# Something that is not a registry, under the address of one, for the TAP tests: it speaks the protocol of PostgreSQL or
# of HTTP as far as a test has it do so, and then whatever the test likes.
package IdgenImpostor;

use strict;
use warnings;

use Exporter qw(import);
use IO::Select;
use IO::Socket::INET;
use IO::Socket::UNIX;
use POSIX qw(_exit);

our @EXPORT = qw(message rows error_message command_complete ready http);

my @all;
my $test = $$;

# Starts one. answer(socket, request, how often on this connection, which connection) is called in a process of its own
# for each connection: the request is the text of a statement, or that of a request by HTTP; what it gives is sent, and
# the connection ends if that is undefined. A statement's parameters follow as a list, undef for null. Option: greeting(socket, greeting, which connection) gives what PostgreSQL's
# protocol begins with, in the place of the usual. Options: only as long as the file `lies` is there it answers itself;
# otherwise it passes everything on to the port `honest`. With `folder` it listens to a socket there.
sub start
{
	my ($class, $kind, $answer, %option) = @_;
	my $folder = $option{folder};
	my $listener = $folder ? IO::Socket::UNIX->new(Local => "$folder/.s.PGSQL.1", Listen => 50) : IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 50, ReuseAddr => 1);
	die "listen: $!" if !$listener;
	my $self = bless { port => $folder ? 1 : $listener->sockport }, $class;
	$self->{pid} = fork // die "fork: $!";
	if ($self->{pid} == 0)
	{
		@SIG{qw(PIPE CHLD TERM)} = ('DEFAULT', 'IGNORE', sub { kill 'KILL', -$$; _exit(0) });
		setpgrp;
		my $connections = 0;
		while (my $socket = $listener->accept)
		{
			$connections++;
			fork and next;
			binmode $socket;
			my $numbered = sub { my ($on, $request, $count, @values) = @_; return $answer->($on, $request, $count, $connections, @values) };
			my $greeting = sub { return $option{greeting} ? $option{greeting}->(@_, $connections) : $_[1] };
			_pass_on($socket, @option{qw(honest lies)}) if $option{lies} && !-e $option{lies};
			eval { $kind eq 'etcd' ? _serve_http($socket, $numbered) : _serve_postgres($socket, $numbered, $greeting) };
			_exit(0);
		}
		_exit(0);
	}
	push @all, $self;
	return $self;
}

sub stop
{
	my ($self) = @_;
	return unless $self->{pid};
	kill 'TERM', $self->{pid};
	waitpid delete $self->{pid}, 0;
	return;
}

# A message of PostgreSQL's protocol.
sub message { my ($type, $body) = @_; return $type . pack('N', length($body) + 4) . $body }

# The rows of a result, each a reference to its values; a column is called as you like.
sub rows
{
	my (@rows) = @_;
	my $columns = @rows ? @{ $rows[0] } : 0;
	my $description = message('T', pack('n', $columns) . join '', map { "c$_\0" . pack 'NnNnNn', 0, 0, 25, 65535, 4294967295, 0 } 1 .. $columns);
	return $description . join '', map { _row(@$_) } @rows;
}

sub _row { my (@values) = @_; return message('D', pack('n', scalar @values) . join '', map { defined $_ ? pack('N', length) . $_ : pack('N', 4294967295) } @values) }
sub command_complete { return message('C', "SELECT 1\0") }
sub error_message { my ($words, $state) = @_; return message('E', "SERROR\0VERROR\0C" . ($state // 'XX000') . "\0M$words\0\0") }
sub ready { return message('Z', 'I') }

# An answer by HTTP with that body.
sub http
{
	my ($status, $body, @headers) = @_;
	return join "\r\n", "HTTP/1.1 $status", 'Content-Length: ' . length $body, 'Date: Sun, 22 Nov 2026 10:00:00 GMT', @headers, '', $body;
}

# Carries bytes until an end is closed, or the lies begin.
sub _pass_on
{
	my ($client, $port, $lies) = @_;
	my $server = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port) or _exit(0);
	my $select = IO::Select->new($client, $server);
	until (-e $lies)
	{
		for my $socket ($select->can_read(0.02))
		{
			sysread($socket, my $bytes, 65536) or _exit(0);
			syswrite $socket == $client ? $server : $client, $bytes;
		}
	}
	_exit(0);
}

sub _read
{
	my ($socket, $size) = @_;
	my $bytes = '';
	while (length $bytes < $size)
	{
		sysread($socket, $bytes, $size - length $bytes, length $bytes) or die;
	}
	return $bytes;
}

sub _serve_postgres
{
	my ($socket, $answer, $greeting) = @_;
	my $code = 0;
	while ($code != 196608)
	{
		$code = unpack 'N', substr _read($socket, unpack('N', _read($socket, 4)) - 4), 0, 4;
		syswrite $socket, 'N' if $code == 80877103 || $code == 80877104;
	}
	my $usual = message('R', pack 'N', 0) . message('S', "server_version\0" . "15.0\0") . message('S', "client_encoding\0UTF8\0") . message('K', pack 'NN', 1, 1) . ready();
	syswrite $socket, $greeting->($socket, $usual) // return;
	my ($statement, $count, @values) = ('', 0);
	while (1)
	{
		my $type = _read($socket, 1);
		my $body = _read($socket, unpack('N', _read($socket, 4)) - 4);
		return if $type eq 'X';
		$statement = (split /\0/, $body)[1] if $type eq 'P';
		@values = _parameters($body) if $type eq 'B';
		next if $type ne 'S';
		my $bytes = $answer->($socket, $statement, ++$count, @values) // return;
		syswrite $socket, $bytes;
	}
}

# Those of a Bind, all as text.
sub _parameters
{
	my ($body) = @_;
	my (undef, undef, $formats, $rest) = unpack 'Z* Z* n a*', $body;
	my ($count, $values) = unpack 'n a*', substr $rest, 2 * $formats;
	my @values;
	for (1 .. $count)
	{
		(my $size, $values) = unpack 'N a*', $values;
		push @values, $size == 4294967295 ? undef : substr $values, 0, $size, '';
	}
	return @values;
}

sub _serve_http
{
	my ($socket, $answer) = @_;
	my $count = 0;
	while (1)
	{
		my $head = '';
		$head .= _read($socket, 1) while $head !~ /\r\n\r\n\z/;
		my ($size) = $head =~ /^content-length: *(\d+)/im;
		my $bytes = $answer->($socket, $head . _read($socket, $size // 0), ++$count) // return;
		syswrite $socket, $bytes;
	}
}

END
{
	if ($$ == $test)
	{
		local $?;
		$_->stop for @all;
	}
}

1;
