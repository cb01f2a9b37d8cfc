# Stands between a client and a server on loopback, for the TAP tests: loses answers, or gives them late.
package IdgenProxy;

use strict;
use warnings;

use IO::Select;
use IO::Socket::INET;
use POSIX qw(_exit);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

my @all;
my $test = $$;
my $proxies = 0;

# Starts one before a port; `port` is its own.
sub start
{
	my ($class, $target) = @_;
	my $self = bless { target => $target, mode => PostgreSQL::Test::Utils::tempdir_short() . '/proxy.' . ++$proxies }, $class;
	my $listener = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 50, ReuseAddr => 1) or die "listen: $!";
	$self->{port} = $listener->sockport;
	$self->pass;
	$self->{pid} = fork // die "fork: $!";
	if ($self->{pid} == 0)
	{
		$SIG{PIPE} = 'IGNORE';
		_run($self, $listener);
		_exit(0);
	}
	push @all, $self;
	return $self;
}

# From now on everything passes; or the answers to what matches a text are lost, and all after it on that connection; or every answer
# comes so many seconds late.
sub pass { my ($self) = @_; return _set($self, 'pass') }
sub lose_answers_to { my ($self, $text) = @_; return _set($self, "lose $text") }
sub be_late { my ($self, $seconds) = @_; return _set($self, "late $seconds") }

sub _set
{
	my ($self, $mode) = @_;
	open my $file, '>', "$self->{mode}.new" or die "$self->{mode}.new: $!";
	print $file $mode;
	close $file;
	rename "$self->{mode}.new", $self->{mode} or die "$self->{mode}: $!";
	return;
}

# One process for all connections: what is late, is late for all.
sub _run
{
	my ($self, $listener) = @_;
	my (%peer, %is_server, %is_lost);
	my $select = IO::Select->new($listener);
	while (1)
	{
		for my $socket ($select->can_read)
		{
			if ($socket == $listener) { _join($self, scalar $listener->accept, \%peer, \%is_server, $select); next }
			next unless $peer{$socket};
			my $other = $peer{$socket};
			my ($action, $argument) = split / /, slurp_file($self->{mode}), 2;
			my $is_open = sysread $socket, my $bytes, 65536;
			if (!$is_open)
			{
				$select->remove($_), delete $peer{$_}, close $_ for $socket, $other;
				next;
			}
			if ($is_server{$socket})
			{
				next if $is_lost{$socket};
				select undef, undef, undef, $argument if $action eq 'late';
			}
			elsif ($action eq 'lose' && $bytes =~ /\Q$argument\E/) { $is_lost{$other} = 1 }
			syswrite $other, $bytes;
		}
	}
	return;
}

sub _join
{
	my ($self, $client, $peer, $is_server, $select) = @_;
	my $server = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $self->{target}) or return close $client;
	@$peer{ $client, $server } = ($server, $client);
	$is_server->{$server} = 1;
	$is_server->{$client} = 0;
	$select->add($client, $server);
	return;
}

END
{
	if ($$ == $test)
	{
		local $?;
		for (@all) { kill 'KILL', $_->{pid}; waitpid $_->{pid}, 0 }
	}
}

1;
