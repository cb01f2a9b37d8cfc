# What an operator does with the standbys of the nemesis: makes them, lets them follow, promotes one.
package NemesisStandbys;

use strict;
use warnings;

use POSIX qw(_exit);
use PostgreSQL::Test::Utils;
use Time::HiRes qw(sleep time);

# The timeline that a primary writes.
my $timeline = q{('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int};

sub timeline { return $timeline }

sub standbys { my ($self) = @_; return $self->of_role('standby') }

# Whether a standby receives from the primary, on its timeline.
sub follows
{
	my ($self, $standby) = @_;
	return 0 unless $standby->runs;
	my ($line) = ($self->{primary}->value("SELECT $timeline") // return 0);
	return $standby->value(q{SELECT count(*) FROM pg_stat_wal_receiver WHERE status = 'streaming' AND received_tli = ? AND conninfo ~ ?}, $line, "port=$self->{primary}{port}\\M") // 0;
}

# Makes a server a standby of the primary, beside all else: by pg_rewind if that does it, else by a base backup.
sub rejoin
{
	my ($self, $server, $is_rewound) = @_;
	$server->kill_all;
	$server->{role} = 'standby';
	my $primary = $self->{primary};
	my $source = $primary->connection('postgres') . " application_name=$server->{name}";
	my $pid = $server->{builder} = fork // die "fork: $!";
	return if $pid;
	$SIG{__DIE__} = 'DEFAULT';
	my $done = $is_rewound && $primary->run('postgres', 'CHECKPOINT') && $server->run_program('pg_rewind', '-N', '-D', $server->{data}, '--source-server', $primary->connection('postgres'));
	unless ($done)
	{
		$server->remove_data;
		$done = $server->run_program('pg_basebackup', '-N', '-c', 'fast', '-D', $server->{data}, '-d', $source);
	}
	$self->make_follower($server) if $done;
	_exit($done ? 0 : 1);
}

# A stopped server follows the primary from its next start on.
sub make_follower
{
	my ($self, $server) = @_;
	open my $signal, '>', "$server->{data}/standby.signal" or die "$server->{data}: $!";
	close $signal;
	$server->forget_settings;
	append_to_file("$server->{data}/postgresql.auto.conf", sprintf "primary_conninfo = 'host=%s port=%d application_name=%s'\n", $self->{sockets}, $self->{primary}{port}, $server->{name});
	return;
}

# A running standby follows a server, or nobody.
sub point
{
	my ($self, $standby, $server) = @_;
	my $source = $server ? "host=$self->{sockets} port=$server->{port} application_name=$standby->{name}" : '';
	return $standby->run('postgres', "ALTER SYSTEM SET primary_conninfo = '$source'") && $standby->reload;
}

# Cuts standbys off from the primary; false if one does not say that it is.
sub cut_off
{
	my ($self, @standbys) = @_;
	$self->point($_) || return 0 for @standbys;
	return !grep { !$_->wait_until('SELECT NOT EXISTS (SELECT FROM pg_stat_wal_receiver)', 5) } @standbys;
}

# How far a standby that is cut off has come, when it has replayed all that it received.
sub position
{
	my ($self, $standby) = @_;
	my $last = '';
	for (1 .. 50)
	{
		my $position = $standby->value(q{SELECT greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0'::pg_lsn + CASE WHEN pg_last_wal_replay_lsn() >= pg_last_wal_receive_lsn() THEN 0 ELSE 0.5 END}) // return;
		return $position if $position eq $last && $position !~ /\.5/;
		$last = $position;
		sleep 0.03;
	}
	return;
}

# A standby takes over. Options: fenced (the old primary is killed first; else it goes on for some seconds), tail (for how many seconds what it does gets lost),
# killed (the standby is killed as it is promoted).
sub fail_over
{
	my ($self, %how) = @_;
	my $old = $self->{primary};
	my @standbys = grep { $self->follows($_) } $self->standbys;
	return 0 if !@standbys || $self->{is_synchronous} && @standbys < 2;
	my $fails = sub { $self->point($_, $old) for @standbys; return 0 };
	$old->kill_all if $how{fenced} && !$how{tail};
	$self->cut_off(@standbys) or return $fails->();
	sleep $how{tail} if $how{tail};
	$old->kill_all if $how{fenced};
	my %position = map { $_->{name} => $self->position($_) // return $fails->() } @standbys;
	my ($new, @others) = sort { $position{ $b->{name} } <=> $position{ $a->{name} } } @standbys;
	$self->_promote($new, $how{killed});
	$old->{role} = 'old';
	$old->{until} = time + ($how{fenced} ? 0 : $self->{mode} eq 'control' ? 5 : 1 + 2 * rand);
	$self->_follow_new($new, @others);
	return 1;
}

sub _promote
{
	my ($self, $new, $is_killed) = @_;
	for (1 .. 5)
	{
		$new->value('SELECT pg_promote(false)');
		if ($is_killed)
		{
			sleep 0.1 * rand;
			$new->kill_all;
			$new->start;
			$is_killed = 0;
		}
		$new->wait_until('SELECT true', 20);
		next unless $new->wait_until('SELECT NOT pg_is_in_recovery()', 5);
		$self->{primary} = $new;
		delete $self->{next_reset};
		$new->{role} = 'primary';
		return 1;
	}
	die " is never promoted: see ";
}

sub _follow_new
{
	my ($self, $new, @others) = @_;
	for my $standby ($self->standbys)
	{
		next if $standby->{builder};
		$self->point($standby, $new) if grep { $_ == $standby } @others;
	}
	return;
}

# The primary is stopped cleanly, and becomes a standby of its successor.
sub switch_over
{
	my ($self) = @_;
	my $old = $self->{primary};
	my ($new, @others) = grep { $self->follows($_) } $self->standbys;
	return 0 unless $new && (!$self->{is_synchronous} || @others);
	$old->stop('fast', 10);
	my $has_ended = !-e "$old->{data}/postmaster.pid";
	$self->cut_off($new, @others) or return 0;
	my %position = map { $_->{name} => $self->position($_) // 0 } $new, @others;
	($new, @others) = sort { $position{ $b->{name} } <=> $position{ $a->{name} } } $new, @others;
	$self->_promote($new);
	$self->_follow_new($new, @others);
	if ($has_ended) { $self->make_follower($old); $old->{role} = 'standby' }
	else { $self->rejoin($old) }
	return 1;
}

sub _look_at_standbys
{
	my ($self) = @_;
	for my $standby (grep { !$_->{builder} } $self->standbys)
	{
		if ($self->follows($standby)) { $standby->{since} = time }
		elsif ($self->{primary}->value('SELECT true') && time - $standby->{since} > 5) { $self->rejoin($standby) }
	}
	return;
}

1;
