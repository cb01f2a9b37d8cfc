# The servers of the nemesis: which is the primary, who follows it, what stands beside them, and what an operator does with them.
package NemesisWorld;

use strict;
use warnings;

use File::Path qw(make_path remove_tree);
use IdgenProxy;
use IdgenRecovery;
use IdgenRegistry;
use List::Util qw(first);
use NemesisClients;
use NemesisServer;
use POSIX qw(_exit WNOHANG);
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

# The timeline that a primary writes.
my $timeline = q{('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int};

# Begins with a primary and its standbys. Options: mode, maker (what others use instead of idgen: sql, expression), writes (every
# transaction of a client writes), histories.
sub begin
{
	my ($class, %option) = @_;
	my $self = bless { %option, folder => PostgreSQL::Test::Utils::tempdir('nemesis'), sockets => PostgreSQL::Test::Utils::tempdir_short(), wild_until => 0 }, $class;
	$self->{is_own} = !$self->{maker};
	$self->{maker} //= { sql => 'CREATE EXTENSION IF NOT EXISTS idgen', expression => 'next_id()' };
	$self->{has_registry} = $self->{mode} =~ /^registry|^clones/;
	$self->{is_synchronous} = $self->{mode} eq 'synchronous';
	$self->_begin_registry($self->{mode} eq 'registry-etcd' ? 'etcd' : 'postgresql') if $self->{has_registry};
	my ($first, @others) = $self->{mode} eq 'single' || $self->{mode} eq 'clones' ? 'a' : 'a' .. 'c';
	my $primary = $self->{primary} = $self->add($first, 'primary');
	make_path("$self->{folder}/archive");
	$primary->make($self->_configuration);
	$primary->start;
	$primary->wait_until('SELECT true', 60) or die "$first does not start: see $primary->{log}";
	$self->_prepare($primary) or die "$first: no database: see $primary->{log}";
	$self->rejoin($self->add($_, 'standby')) for @others;
	$self->add($_, 'none', qw(bulk single)) for $self->{mode} eq 'clones' ? qw(d e) : ();
	for (1 .. 1200) { last unless grep { !$self->follows($_) } $self->standbys; $self->mend; sleep 0.05 }
	return $self;
}

sub _begin_registry
{
	my ($self, $store) = @_;
	my $registry = $self->{registry} = IdgenRegistry->start($store);
	$self->{recovery} = IdgenRecovery->of($registry);
	$self->{recovery}->save;
	my ($host, $port) = $registry->address =~ /^host=(\S+) port=(\d+)/;
	my $proxy = $self->{proxy} = IdgenProxy->start($host ? "$host/.s.PGSQL.$port" : $registry->{etcd}{port});
	$self->{address} = $host ? "host=127.0.0.1 port=$proxy->{port} dbname=postgres user=node_role connect_timeout=2" : "etcd://127.0.0.1:$proxy->{port}/idgen";
	return;
}

# What faults of Patroni's cluster ask of it, too.
sub owned { my ($self, $work) = @_; return $work->() }

sub _configuration
{
	my ($self) = @_;
	my @conf = (
		q{listen_addresses = ''}, 'fsync = off', 'autovacuum = off', 'wal_log_hints = on', 'wal_keep_size = 256MB', 'max_wal_size = 256MB', 'wal_retrieve_retry_interval = 100ms', 'wal_receiver_status_interval = 1s',
		'shared_buffers = 32MB', 'max_connections = 60', 'max_prepared_transactions = 10', 'restart_after_crash = on', 'superuser_reserved_connections = 5', 'log_min_messages = log',
		'archive_mode = ' . ($self->{mode} eq 'single' ? 'on' : 'off'), "archive_command = 'cp %p $self->{folder}/archive/%f'", 'wal_sender_timeout = 5s', 'wal_receiver_timeout = 5s');
	return @conf unless $self->{is_own};
	push @conf, q{shared_preload_libraries = 'idgen} . ($self->{has_registry} ? q{, idgen_lease'} : q{'});
	push @conf, "idgen.registry = '$self->{address}'", q{idgen.shards = 'lease'}, 'idgen.lease_window = 4s', 'idgen.lease_ttl = 15s' if $self->{has_registry};
	push @conf, q{idgen.shards = '5'} unless $self->{has_registry};
	push @conf, q{synchronous_standby_names = 'ANY 1 (a, b, c)'}, 'idgen.synchronous = required' if $self->{is_synchronous};
	return @conf;
}

sub _prepare
{
	my ($self, $server) = @_;
	my $session = $server->session('postgres');
	$session->do('CREATE EXTENSION idgen_lease CASCADE') if $self->{has_registry} && $self->{is_own};
	return $self->mend_database($server);
}

# The database of the clients has all that it needs, and admits them, though what made it again was cut short; false if it is not so yet.
sub mend_database
{
	my ($self, $server) = @_;
	return eval {
		my $session = $server->session('postgres');
		my %is_there = map { $_->[0] => 1 } @{ $session->selectall_arrayref('SELECT datname FROM pg_database') };
		$session->do($is_there{copy} ? 'ALTER DATABASE copy RENAME TO app' : 'CREATE DATABASE app') unless $is_there{app};
		$session->do('ALTER DATABASE app ALLOW_CONNECTIONS true');
		$session->do('ALTER DATABASE app CONNECTION LIMIT -1');
		my $in_app = $server->session('app');
		$in_app->do($_) for $self->{maker}{sql}, 'CREATE TABLE IF NOT EXISTS event (id bigint, line int)', 'CREATE INDEX IF NOT EXISTS event_id ON event (id)', 'CREATE TABLE IF NOT EXISTS note (line int)';
		1;
	};
}

# What a fault that relies on right clocks leaves behind: they must be right until the primary makes IDs again.
sub _pay
{
	my ($self) = @_;
	my $makes = sub { eval { my $session = $self->{primary}->session('app'); $session->do('SET idgen.max_wait = 0') if $self->{is_own}; $session->selectrow_array("SELECT $self->{maker}{expression}") } };
	return $self->{is_owed} = 0 if $makes->();
	return $self->has_right_clocks && $self->mend_database($self->{primary});
}

# A place for a server, with clients that stay there.
sub add
{
	my ($self, $name, $role, @kinds) = @_;
	my $server = NemesisServer->new(name => $name, folder => $self->{folder}, sockets => $self->{sockets});
	$server->{role} = $role;
	push @{ $self->{servers} }, $server;
	@kinds = (qw(bulk bulk single events), $self->{has_registry} && $self->{is_own} ? 'tickets' : ()) unless @kinds;
	push @{ $self->{clients} },
	  begin_clients(
		$server,
		histories => $self->{histories},
		maker     => $self->{maker}{expression},
		is_own    => $self->{is_own},
		writes    => $self->{writes},
		by_hand   => $self->{has_registry} ? 2000 : undef,
		line      => $self->{is_synchronous} ? 0 : $timeline,
		kinds     => \@kinds);
	return $server;
}

sub of_role { my ($self, $role) = @_; return grep { $_->{role} eq $role } @{ $self->{servers} } }
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

# What an operator who looks every moment would do: starts what has ended, makes again what does not follow, accepts a registry that is another one.
sub mend
{
	my ($self) = @_;
	for my $server (@{ $self->{servers} })
	{
		if ($server->{builder})
		{
			local $?;
			next unless waitpid $server->{builder}, WNOHANG;
			delete $server->{builder};
			$self->rejoin($server) if $?;
			$server->{since} = time;
		}
		$self->rejoin($server, rand() < 0.5) if $server->{role} eq 'old' && time > $server->{until};
		$server->start unless $server->{builder} || $server->{role} eq 'none';
	}
	return if time < ($self->{next_look} // 0);
	$self->{next_look} = time + 0.5;
	$self->_look_at_standbys;
	$self->_confirm_registry if $self->{has_registry} && $self->{is_own};
	$self->_pay if $self->{is_owed};
	return;
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

# A registry that was made again has been advanced; each primary that knows another one gets it confirmed as the one from now on.
sub _confirm_registry
{
	my ($self) = @_;
	$_->value(q{SELECT count(idgen_lease.confirm_registry()) FROM idgen.status() WHERE key = 'registry' AND value ~ 'another registry' AND NOT pg_is_in_recovery()}) for grep { $_->runs && $_->{role} ne 'standby' } @{ $self->{servers} };
	return;
}

# Whether successors rely on no clock, and whether a fault may happen that relies on right ones.
sub needs_no_clock { my ($self) = @_; return $self->{has_registry} || $self->{is_synchronous} }
sub has_right_clocks { my ($self) = @_; return $self->needs_no_clock || time > $self->{wild_until} }

# No setting stays that a fault has changed.
sub reset_settings
{
	my ($self) = @_;
	return if time < ($self->{next_reset} // 0);
	$self->{next_reset} = time + 2;
	my $primary = $self->{primary};
	return $primary->run('postgres', 'ALTER SYSTEM RESET ALL', 'SELECT pg_reload_conf()');
}

# All that was struck goes on, with right clocks.
sub settle
{
	my ($self) = @_;
	for my $server (@{ $self->{servers} }) { kill 'CONT', $server->processes; $server->move_clock(0) }
	if ($self->{has_registry}) { $self->{registry}->resume; $self->{proxy}->pass }
	$self->{next_reset} = 0;
	$self->{primary}->wait_until('SELECT true', 30);
	return $self->reset_settings;
}

# The primary makes IDs; false if it does not within a minute.
sub makes_ids
{
	my ($self) = @_;
	$self->{is_owed} = 1;
	for (1 .. 1200)
	{
		$self->mend;
		return 1 if eval { $self->{primary}->session('app')->selectrow_array("SELECT $self->{maker}{expression}") };
		sleep 0.05;
	}
	diag("$self->{primary}{name}, in $self->{folder}: $@");
	return 0;
}

# Ends the clients, writes down the rows, and ends all servers.
sub end
{
	my ($self) = @_;
	end_clients(@{ $self->{clients} });
	write_rows($self->{primary}, $self->{histories});
	return $self->kill_everything;
}

sub kill_everything
{
	my ($self) = @_;
	kill 'KILL', map { $_->{builder} // () } @{ $self->{servers} };
	$_->kill_all for @{ $self->{servers} };
	$self->{registry}->stop if $self->{registry};
	delete $self->{registry};
	return;
}

1;
