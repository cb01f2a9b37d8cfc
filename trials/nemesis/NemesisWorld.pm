# The servers of the nemesis: which is the primary, who follows it, what stands beside them, and what an operator does with them.
package NemesisWorld;

use strict;
use warnings;

use File::Path qw(make_path);
use IdgenProxy;
use IdgenRecovery;
use IdgenRegistry;
use NemesisClients;
use NemesisOwner;
use NemesisServer;
use parent 'NemesisStandbys';
use POSIX qw(WNOHANG);
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

# Begins with a primary and its standbys. Options: mode, maker (what others use instead of idgen: sql, expression), writes (every
# transaction of a client writes), histories.
sub begin
{
	my ($class, %option) = @_;
	my $self = bless { %option, folder => PostgreSQL::Test::Utils::tempdir('nemesis'), sockets => PostgreSQL::Test::Utils::tempdir_short(), wild_until => 0 }, $class;
	$self->{is_own} = !$self->{maker};
	my $extension = $self->_has_decimals ? 'idgen_kinds CASCADE' : 'idgen';
	$self->{maker} //= { sql => "CREATE EXTENSION IF NOT EXISTS $extension", expression => 'next_id()' };
	$self->{has_registry} = $self->{mode} =~ /^registry|^clones/;
	$self->{is_synchronous} = $self->{mode} eq 'synchronous';
	$self->_begin_registry($self->{mode} eq 'registry-etcd' ? 'etcd' : 'postgresql') if $self->{has_registry};
	my ($first, @others) = $self->has_standbys ? 'a' .. 'c' : 'a';
	my $primary = $self->{primary} = $self->add($first, 'primary');
	make_path("$self->{folder}/archive");
	$primary->make($self->_configuration);
	$primary->start;
	$primary->wait_until('SELECT true', 60) or die "$first does not start: see $primary->{log}";
	$self->_prepare($primary) or die "$first: no database: see $primary->{log}";
	$self->rejoin($self->add($_, 'standby')) for @others;
	# Rows of a copy are no rows of the primary, so that nobody reads there.
	my @places = $self->{mode} eq 'clones' ? qw(d e) : $self->{mode} =~ /^(?:registry|single|control-machine)/ ? 'd' : ();
	$self->add($_, 'none', qw(bulk single), $self->has_counters ? 'tickets' : ()) for @places;
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
		q{listen_addresses = ''}, 'fsync = ' . ($self->_loses_power ? 'on' : 'off'), 'autovacuum = off', 'wal_log_hints = on', 'wal_keep_size = 256MB', 'max_wal_size = 256MB', 'wal_retrieve_retry_interval = 100ms', 'wal_receiver_status_interval = 1s',
		'shared_buffers = 32MB', 'max_connections = 60', 'max_prepared_transactions = 10', 'restart_after_crash = on', 'superuser_reserved_connections = 5',
		'archive_mode = ' . ($self->{mode} eq 'single' ? 'on' : 'off'), "archive_command = 'cp %p $self->{folder}/archive/%f.\$\$ && mv $self->{folder}/archive/%f.\$\$ $self->{folder}/archive/%f'", 'wal_sender_timeout = 5s', 'wal_receiver_timeout = 5s');
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
		# A DROP that was cut short leaves one that nobody can connect to.
		$session->do("DROP DATABASE $_") for @{ $session->selectcol_arrayref('SELECT datname FROM pg_database WHERE datconnlimit = -2') };
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
	return @$self{qw(is_owed is_exact)} = (0, 0) if $makes->();
	return $self->has_right_clocks && $self->mend_database($self->{primary});
}

# A place for a server, with clients that stay there.
sub add
{
	my ($self, $name, $role, @kinds) = @_;
	my $server = NemesisServer->new(name => $name, folder => $self->{folder}, sockets => $self->{sockets}, has_cache => $self->_loses_power);
	$server->{role} = $role;
	push @{ $self->{servers} }, $server;
	@kinds = (qw(bulk bulk single events), $self->{is_own} ? 'readers' : (), $self->_has_decimals ? 'decimals' : (), $self->has_counters ? qw(tickets orders) : ()) unless @kinds;
	push @{ $self->{clients} },
	  begin_clients(
		$server,
		histories => $self->{histories},
		maker     => $self->{maker}{expression},
		is_own    => $self->{is_own},
		writes    => $self->{writes},
		by_hand   => $self->{has_registry} ? 2000 : undef,
		line      => $self->{is_synchronous} ? 0 : NemesisStandbys::timeline(),
		kinds     => \@kinds);
	return $server;
}

sub of_role { my ($self, $role) = @_; return grep { $_->{role} eq $role } @{ $self->{servers} } }
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
		$self->end_copy($server) if $server->{role} eq 'copy' && time > ($server->{until} // time);
		$server->start unless $server->{builder} || $server->{role} eq 'none';
	}
	return if time < ($self->{next_look} // 0);
	$self->{next_look} = time + 0.5;
	$self->_look_at_standbys;
	$self->_confirm_registry if $self->has_counters;
	$self->_confirm_shards unless $self->{has_registry} || !$self->{is_own};
	$self->_pay if $self->{is_owed};
	return;
}

# A registry that was made again has been advanced; each primary that knows another one gets it confirmed as the one from now on.
sub _confirm_registry
{
	my ($self) = @_;
	$_->value(q{SELECT count(idgen_lease.confirm_registry()) FROM idgen.status() WHERE key = 'registry' AND value ~ 'another registry' AND NOT pg_is_in_recovery()}) for grep { $_->runs && $_->{role} ne 'standby' } @{ $self->{servers} };
	return;
}

# A backup that was made before the machine was copied is one of the copied machine, when it is restored; nobody else
# has its shards any more.
sub _confirm_shards
{
	my ($self) = @_;
	return $self->{primary}->value_in('app', q{SELECT count(idgen.confirm_shards()) FROM idgen.status() WHERE key = 'copy' AND value ~ 'of a machine'});
}

# A copy is gone, and its place is free.
sub end_copy
{
	my ($self, $copy) = @_;
	$copy->kill_all;
	$copy->remove_data;
	@$copy{qw(role since)} = ('none', 0);
	return delete $copy->{until};
}

sub primary_session { my ($self) = @_; return $self->{primary}->session('postgres') }

# Whether standbys follow the primary.
sub has_standbys { my ($self) = @_; return $self->{mode} !~ /^(?:single|power-loss|clones|control-machine)$/ }

# Whether its disk loses what was not flushed.
sub _loses_power { my ($self) = @_; return $self->{mode} eq 'power-loss' }

# Whether clients draw DecimalIds, which rest on a record of their own. Not with a mutant of the horizon, which the other IDs must find.
sub _has_decimals { my ($self) = @_; return $self->{is_own} && $self->_loses_power && ($ENV{MUTANT} // 'generator') =~ /^generator/ }

# Whether clients take numbers of counters.
sub has_counters { my ($self) = @_; return $self->{has_registry} && $self->{is_own} }

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
	if ($self->{has_registry}) { $self->{registry}->resume; $self->{proxy}->pass; settle_registry($self) if $self->{is_own} }
	$self->{next_reset} = 0;
	$self->{primary}->wait_until('SELECT true', 30);
	return $self->reset_settings;
}

# The primary makes IDs, and gives numbers of each counter.
sub makes_ids
{
	my ($self) = @_;
	$self->{is_owed} = 1;
	return $self->gives($self->{primary}, 'app', "SELECT $self->{maker}{expression}");
}

sub gives_tickets
{
	my ($self) = @_;
	return !grep { !$self->gives($self->{primary}, 'postgres', "SELECT next_ticket('$_')") } qw(tickets orders);
}

# A server answers; false if it does not within a minute.
sub gives
{
	my ($self, $server, $db, $sql) = @_;
	for (1 .. 1200)
	{
		$self->mend;
		$self->reset_settings;
		return 1 if eval { $server->session($db)->selectrow_array($sql) };
		sleep 0.05;
	}
	diag("$server->{name}, in $self->{folder}: $@", qx(tail -n 40 '$server->{log}'));
	return 0;
}

# Ends the clients, writes down the rows, and ends all servers; whether the primary and each standby showed all of them
# to a reader by ID in the end.
sub end
{
	my ($self) = @_;
	end_clients(@{ $self->{clients} });
	my $shows_all = !$self->{is_own} || $self->_shows_all;
	write_rows($self->{primary}, $self->{histories});
	$self->kill_everything;
	return $shows_all;
}

# A standby learns of the last rows by what commits after them.
sub _shows_all
{
	my ($self) = @_;
	for (1 .. 2400)
	{
		$self->mend;
		my $primary = $self->{primary};
		my $forgotten = $primary->value('SELECT gid FROM pg_prepared_xacts');
		$primary->run('app', "ROLLBACK PREPARED '$forgotten'") if $forgotten;
		my $is_told = $primary->run('app', 'SELECT id_settled()', 'INSERT INTO note VALUES (1)');
		my $count = $primary->value_in('app', 'SELECT count(*) FROM event');
		my @readers = ($primary, $self->standbys);
		my @behind = grep { !defined $count || $count != (eval { read_in_the_end($_, $self->{histories}) } // -1) } @readers;
		return 1 if $is_told && !@behind;
		$self->{late} = "@{[ map { $_->{name} } @behind ]}: $@";
		sleep 0.05;
	}
	diag("rows are missing on $self->{late}");
	return 0;
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
