# Stands between a client and a server on loopback, for the TAP tests: holds requests, loses answers, or gives them
# late.
package IdgenProxy;

use strict;
use warnings;

use IO::Select;
use IO::Socket::INET;
use IO::Socket::UNIX;
use POSIX qw(_exit);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Socket qw(IPPROTO_TCP TCP_NODELAY);
use Time::HiRes qw(time);
use Time::Local qw(timegm);

my @all;
my $test = $$;
my $proxies = 0;

# Starts one before a port, or before a socket of the file system; `port` is its own.
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

# From now on everything passes; or the answers to what matches a text are lost, and all after it on that connection; or
# what matches is held, and all after it there, until everything passes again or its client is gone; or every answer
# comes that many seconds late. The first matches can be let through: `from` 2 begins with the second. Or a web server's
# clock is that many seconds ahead, as the dates of its answers say.
sub pass { my ($self) = @_; return _set($self, 'pass') }
sub lose_answers_to { my ($self, $text, $from) = @_; return _set($self, 'lose', $text, $from) }
sub hold { my ($self, $text, $from) = @_; return _set($self, 'hold', $text, $from) }
sub shift_dates { my ($self, $seconds) = @_; return _set($self, 'shift', $seconds) }
sub be_late { my ($self, $seconds) = @_; return _set($self, 'late', $seconds) }

# From now on a PostgreSQL server says to each new client that its process has that number.
sub be_process { my ($self, $pid) = @_; return _set($self, 'process', $pid) }

# From now on everything takes that many seconds in each direction. Unlike be_late, no connection waits for another.
sub be_far { my ($self, $seconds) = @_; return _set($self, 'far', $seconds) }

# Waits until a request is held, or an answer was lost.
sub wait_for_match
{
	my ($self) = @_;
	for (1 .. 30_000)
	{
		return if -e "$self->{mode}.$self->{order}";
		select undef, undef, undef, 0.01;
	}
	die "nothing matches: " . slurp_file($self->{mode});
}

sub _set
{
	my ($self, $action, $argument, $from) = @_;
	append_to_file("$self->{mode}.new", join ' ', ++$self->{order}, $action, $from // 1, $argument // '');
	rename "$self->{mode}.new", $self->{mode} or die "$self->{mode}: $!";
	return;
}

# One process for all connections: what is late, is late for all; what is far is not.
sub _run
{
	my ($self, $listener) = @_;
	my $select = IO::Select->new($listener);
	my %start = (select => $select, order => 0, on_way => [], map { $_ => {} } qw(peer is_server lost_since held));
	%$self = (%$self, %start);
	while (1)
	{
		for my $socket ($select->can_read(_deliver($self) // (%{ $self->{held} } ? 0.02 : ())))
		{
			_read_mode($self);
			if ($socket == $listener) { _join($self, scalar $listener->accept) }
			elsif ($self->{peer}{$socket}) { _carry($self, $socket) }
		}
		_read_mode($self);
		_let_go($self) if $self->{action} ne 'hold';
	}
	return;
}

# What the test asked for; a new order counts its matches from the first.
sub _read_mode
{
	my ($self) = @_;
	my ($order, @mode) = split / /, slurp_file($self->{mode}), 4;
	return if $order == $self->{order};
	@$self{qw(order action from argument)} = ($order, @mode);
	$self->{matches} = 0;
	return;
}

sub _carry
{
	my ($self, $socket) = @_;
	my $other = $self->{peer}{$socket};
	return _end($self, $socket, $other) unless sysread $socket, my $bytes, 65536;
	return $self->{is_server}{$socket} ? _answer($self, $socket, $other, $bytes) : _request($self, $socket, $other, $bytes);
}

sub _answer
{
	my ($self, $server, $client, $bytes) = @_;
	return _tell_match($self, $self->{lost_since}{$server}) if $self->{lost_since}{$server};
	select undef, undef, undef, $self->{argument} if $self->{action} eq 'late';
	$bytes =~ s{^(Date: )\w+, (\d+) (\w+) (\d+) (\d+):(\d+):(\d+) GMT}{$1 . _date($self->{argument}, $7, $6, $5, $2, $3, $4)}me if $self->{action} eq 'shift';
	$bytes =~ s/K\0\0\0\x0c\K....(?=....Z)/pack 'N', $self->{argument}/es if $self->{action} eq 'process';
	return _pass_on($self, $client, $bytes);
}

# A date of HTTP, moved by some seconds.
sub _date
{
	my ($seconds, $second, $minute, $hour, $day, $month, $year) = @_;
	my @months = qw(Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec);
	my ($number) = grep { $months[$_] eq $month } 0 .. 11;
	my @moved = gmtime(timegm($second, $minute, $hour, $day, $number, $year) + int $seconds);
	return sprintf '%s, %02d %s %04d %02d:%02d:%02d GMT', (qw(Sun Mon Tue Wed Thu Fri Sat))[ $moved[6] ], $moved[3], $months[ $moved[4] ], $moved[5] + 1900, @moved[ 2, 1, 0 ];
}

sub _request
{
	my ($self, $client, $server, $bytes) = @_;
	my $is_chosen = $self->{action} =~ /lose|hold/ && $bytes =~ /\Q$self->{argument}\E/ && ++$self->{matches} >= $self->{from};
	if ($self->{held}{$client} || $is_chosen && $self->{action} eq 'hold')
	{
		$self->{held}{$client}[0] = $client;
		$self->{held}{$client}[1] .= $bytes;
		return _tell_match($self, $self->{order});
	}
	$self->{lost_since}{$server} = $self->{order} if $is_chosen;
	return _pass_on($self, $server, $bytes);
}

# Nothing overtakes what is on its way.
sub _pass_on
{
	my ($self, $socket, $bytes) = @_;
	return syswrite $socket, $bytes unless _is_way_long($self);
	push @{ $self->{on_way} }, { due => _due($self), socket => $socket, bytes => $bytes };
	return;
}

# One end is closed, and reads no more: the other is closed once it has all.
sub _end
{
	my ($self, $socket, $other) = @_;
	return _part($self, $socket, $other) unless _is_way_long($self);
	$self->{select}->remove($socket);
	push @{ $self->{on_way} }, { due => _due($self), socket => $other, from => $socket };
	return;
}

sub _is_way_long { my ($self) = @_; return $self->{action} eq 'far' || @{ $self->{on_way} } }
sub _due { my ($self) = @_; return time + ($self->{action} eq 'far' ? $self->{argument} : 0) }

# Hands over what has been on its way for long enough; gives the seconds until the next comes, undef if nothing is.
sub _deliver
{
	my ($self) = @_;
	my $on_way = $self->{on_way};
	while (@$on_way)
	{
		my $left = $on_way->[0]{due} - time;
		return $left if $left > 0;
		my $part = shift @$on_way;
		next unless $self->{peer}{ $part->{socket} };
		$part->{from} ? _part($self, $part->{socket}, $part->{from}) : syswrite $part->{socket}, $part->{bytes};
	}
	return;
}

# Passes on what was held, if its client is there and has no more to say.
sub _let_go
{
	my ($self) = @_;
	for my $held (keys %{ $self->{held} })
	{
		my ($client, $bytes) = @{ $self->{held}{$held} };
		next if IO::Select->new($client)->can_read(0);
		delete $self->{held}{$held};
		syswrite $self->{peer}{$held}, $bytes;
	}
	return;
}

sub _tell_match { my ($self, $order) = @_; return append_to_file("$self->{mode}.$order", '') }

sub _part
{
	my ($self, @ends) = @_;
	delete @{ $self->{$_} }{@ends} for qw(peer is_server lost_since held);
	for (@ends) { $self->{select}->remove($_); close $_ }
	return;
}

sub _join
{
	my ($self, $client) = @_;
	my $server =
	  ($self->{target} =~ m{/} ? IO::Socket::UNIX->new(Peer => $self->{target}) : IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $self->{target}))
	  or return close $client;
	$client->setsockopt(IPPROTO_TCP, TCP_NODELAY, 1);
	$self->{peer}{$client} = $server;
	$self->{peer}{$server} = $client;
	$self->{is_server}{$server} = 1;
	$self->{select}->add($client, $server);
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
