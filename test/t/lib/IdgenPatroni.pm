# Three servers that Patroni keeps, on loopback, with an etcd of their own. All that belongs to them is found by a
# variable of its environment and killed when the test ends, however it ends.
package IdgenPatroni;

use strict;
use warnings;

use DBI;
use HTTP::Tiny;
use IdgenEtcd;
use IdgenLease qw(start_leased);
use IdgenNode qw(clock_environment expect_blame $patience);
use IdgenPair qw(poll);
use IdgenRegistry;
use JSON::PP;
use MIME::Base64;
use POSIX qw(_exit);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $json = JSON::PP->new->canonical;

# Whether the programs are there.
sub is_installed
{
	return -x '/usr/bin/patroni';
}

# Starts the cluster, and creates the extension in its database postgres. Options: parameters (settings of all servers),
# fake_clock (set_clock works on each server, which begins each time it starts with the true time), store (their numbers
# come from a registry there), with_registry (a function that is given that, before a server is there), ttl (for how
# many seconds a leader that says nothing is still the leader; else so long that no busy machine gets another by
# itself).
sub begin
{
	my ($class, %option) = @_;
	my $self = bless { %option, folder => PostgreSQL::Test::Utils::tempdir('patroni'), short => PostgreSQL::Test::Utils::tempdir_short() }, $class;
	$self->_watch;
	$self->{etcd} = $self->owned(sub { IdgenEtcd->start });
	$self->use_registry($option{store}) if $option{store};
	$self->{nodes} = [ map { $self->_node($_) } 'a' .. 'c' ];
	$self->begin_patroni($_) for $self->nodes;
	$self->wait_for('a primary and two standbys', sub { $self->whole });
	$self->run($self->primary, 'CREATE EXTENSION idgen_lease CASCADE');
	return $self;
}

sub nodes { my ($self) = @_; return @{ $self->{nodes} } }

# Kills all that is begun here, once this process has ended or calls the function below.
sub _watch
{
	my ($self) = @_;
	pipe my $reader, my $writer or die "pipe: $!";
	$self->{watcher} = fork // die "fork: $!";
	if ($self->{watcher} == 0)
	{
		close $writer;
		$SIG{$_} = 'IGNORE' for qw(INT TERM HUP);
		open $_->[0], $_->[1], '/dev/null' for [ *STDOUT, '>' ], [ *STDERR, '>' ];
		sysread $reader, my $nothing, 1;
		1 while $self->_kill_all && sleep 0.1;
		_exit(0);
	}
	$self->{writer} = $writer;
	$self->{owner} = $$;
	return;
}

# Sends SIGKILL to all processes of the cluster; says to how many.
sub _kill_all
{
	my ($self) = @_;
	return kill 'KILL', $self->_processes;
}

sub _processes
{
	my ($self) = @_;
	my @found;
	for my $process (glob '/proc/[0-9]*')
	{
		open my $environment, '<', "$process/environ" or next;
		local $/;
		my $text = <$environment> // '';
		push @found, $process =~ /(\d+)/ if $text =~ /(?:^|\0)IDGEN_CLUSTER=\Q$self->{folder}\E(?:\0|$)/;
	}
	return @found;
}

# A process forked from that of the test has no part in when all ends.
sub let_go
{
	my ($self) = @_;
	close delete $self->{writer};
	return;
}

sub DESTROY
{
	my ($self) = @_;
	$self->end;
	return;
}

# Ends all of it.
sub end
{
	my ($self) = @_;
	return unless $self->{writer} && $self->{owner} == $$;
	$_->stop('immediate') for map { $_->{server} // () } @{ $self->{rivals} // [] };
	$self->{registry}->stop if $self->{registry};
	close delete $self->{writer};
	local $?;
	waitpid $_, 0 for $self->{watcher}, @{ $self->{programs} };
	return;
}

# Starts a registry in that store, and gives the settings by which a server takes its numbers there.
sub use_registry
{
	my ($self, $store) = @_;
	$self->{registry}->stop if $self->{registry};
	$self->{registry} = $self->owned(sub { IdgenRegistry->start($store) });
	$self->owned(sub { $self->{with_registry}->($self->{registry}) }) if $self->{with_registry};
	my %settings = ('idgen.shards' => 'lease', 'idgen.registry' => $self->{registry}->address, 'idgen.lease_window' => '4s', 'idgen.lease_ttl' => '15s');
	%{ $self->{parameters} } = (%{ $self->{parameters} // {} }, %settings);
	return \%settings;
}

# The servers take their shards from a registry in that store from now on.
sub change_registry
{
	my ($self, $store, %settings) = @_;
	$self->configure(parameters => { %{ $self->use_registry($store) }, %settings });
	$self->wait_for('all servers are started again', sub { $self->whole });
	$self->run($self->primary, 'SELECT idgen_lease.confirm_registry(force => true)');
	return;
}

# Begins a server that Patroni does not keep, which takes its numbers where the servers of the cluster do; clients begin
# there too.
sub begin_rival
{
	my ($self) = @_;
	my %setting = (%{ $self->{parameters} }, 'idgen.max_lead' => '1s');
	my $server = $self->owned(sub { start_leased('rival', $self->{registry}->address, setting => \%setting, conf => [q{listen_addresses = '127.0.0.1'}]) });
	expect_blame($server, 'registry');
	push @{ $self->{rivals} }, { name => 'rival', port => $server->port, server => $server };
	return $self->{rivals}[-1];
}

# What is begun meanwhile belongs to the cluster.
sub owned
{
	my ($self, $work) = @_;
	local $ENV{IDGEN_CLUSTER} = $self->{folder};
	return $work->();
}

# Begins a program, whose output goes to a file of that name.
sub begin_program
{
	my ($self, $name, @command) = @_;
	my $pid = fork // die "fork: $!";
	push @{ $self->{programs} }, $pid;
	return $pid if $pid;
	$ENV{IDGEN_CLUSTER} = $self->{folder};
	delete @ENV{qw(PGHOST PGPORT PGDATABASE PGUSER PGDATA http_proxy https_proxy HTTP_PROXY HTTPS_PROXY)};
	open STDIN,  '<',  '/dev/null' or _exit(1);
	open STDOUT, '>>', "$self->{folder}/$name.log" or _exit(1);
	open STDERR, '>&', \*STDOUT or _exit(1);
	exec @command or _exit(1);
}

# A request in JSON; the answer, false if there is none or it is an error.
sub ask
{
	my ($port, $method, $path, $content, $timeout) = @_;
	my $answer = HTTP::Tiny->new(timeout => $timeout // 5)->request($method, "http://127.0.0.1:$port$path", $content ? { content => $json->encode($content) } : {});
	return unless $answer->{success};
	return eval { $json->decode($answer->{content}) } // $answer->{content};
}

sub _node
{
	my ($self, $name) = @_;
	my $folder = "$self->{folder}/$name";
	mkdir $folder or die "$folder: $!";
	my $node = { name => $name, folder => $folder, data => "$folder/data", clock => "$folder/clock", map { $_ => PostgreSQL::Test::Cluster::get_free_port() } qw(port rest) };
	$self->_make_programs($node);
	open my $file, '>', "$folder/patroni.json" or die "$folder: $!";
	print $file $json->encode($self->_configuration($node));
	close $file;
	return $node;
}

# The server's programs, by links; the server itself with a clock that can be set, if wanted.
sub _make_programs
{
	my ($self, $node) = @_;
	chomp(my $programs = `pg_config --bindir`);
	mkdir "$node->{folder}/bin" or die "$node->{folder}/bin: $!";
	symlink $_, "$node->{folder}/bin/" . s{.*/}{}r for grep { !$self->{fake_clock} || !m{/postgres$} } glob "$programs/*";
	return unless $self->{fake_clock};
	$self->set_clock($node, '+0');
	my %clock = clock_environment($node->{clock});
	my $settings = join ' ', map { "$_='$clock{$_}'" } sort keys %clock;
	my $program = "$node->{folder}/bin/postgres";
	open my $file, '>', $program or die "$program: $!";
	print $file <<"SH";
#!/bin/sh
# Patroni knows a server by the time at which it started.
case "\$*" in *--config-file=*) echo +0 >'$node->{clock}' ;; esac
exec env $settings '$programs/postgres' "\$@"
SH
	close $file;
	chmod 0755, $program or die "$program: $!";
	return;
}

# Sets the clock of a server, in seconds off the true one.
sub set_clock
{
	my ($self, $node, $offset) = @_;
	open my $file, '>', "$node->{clock}.new" or die "$node->{clock}.new: $!";
	print $file "$offset\n";
	close $file;
	rename "$node->{clock}.new", $node->{clock} or die "$node->{clock}: $!";
	return;
}

sub _configuration
{
	my ($self, $node) = @_;
	my $user = user();
	my %parameters = (
		shared_preload_libraries => 'idgen, idgen_lease', wal_log_hints => 'on', wal_keep_size => '256MB', wal_retrieve_retry_interval => '200ms', fsync => 'off', autovacuum => 'off', max_connections => 40,
		'idgen.shards' => '5', %{ $self->{parameters} // {} });
	return {
		scope => 'idgen', name => $node->{name}, etcd3 => { host => $self->{etcd}->address },
		restapi => { map { $_ => "127.0.0.1:$node->{rest}" } qw(listen connect_address) },
		bootstrap => {
			dcs => {
				ttl => $self->{ttl} // 30, loop_wait => 1, retry_timeout => $self->{ttl} ? 2 : 10, maximum_lag_on_failover => 1 << 30, primary_start_timeout => 0,
				postgresql => { use_pg_rewind => JSON::PP::true, parameters => \%parameters } },
			initdb => [ { encoding => 'UTF8' }, 'no-sync' ],
			pg_hba => [ 'local all all trust', 'host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust' ] },
		postgresql => {
			(map { $_ => "127.0.0.1:$node->{port}" } qw(listen connect_address)), data_dir => $node->{data}, bin_dir => "$node->{folder}/bin", pgpass => "$node->{folder}/pgpass",
			authentication => { map { $_ => { username => $user } } qw(superuser replication rewind) },
			parameters => { unix_socket_directories => $self->{short} },
			# Else a copy waits for a checkpoint that takes its time: up to minutes.
			basebackup => [ { checkpoint => 'fast' } ],
			map { $_ => JSON::PP::true } qw(remove_data_directory_on_rewind_failure remove_data_directory_on_diverged_timelines) } };
}

sub user { return $ENV{PGUSER} // scalar getpwuid $< }

# Begins the Patroni of a node.
sub begin_patroni
{
	my ($self, $node) = @_;
	$node->{patroni} = $self->begin_program("patroni.$node->{name}", '/usr/bin/patroni', "$node->{folder}/patroni.json");
	return;
}

# Changes settings of the whole cluster: those of Patroni; with parameters those of the servers, which have them then.
sub configure
{
	my ($self, %change) = @_;
	my $parameters = delete $change{parameters} // {};
	$change{postgresql} = { parameters => $parameters };
	my ($done) = grep { ask($_->{rest}, 'PATCH', '/config', \%change) } $self->nodes;
	die 'no Patroni takes the configuration' unless $done;
	$self->wait_for('the settings', sub { !grep { !$self->_has($_, $parameters) } $self->nodes });
	return;
}

# Whether a server has these settings. If not, it is started again if they need that; else its Patroni, which had other
# things to do as they were changed, gets them again.
sub _has
{
	my ($self, $node, $parameters) = @_;
	my @missing = grep { ($self->value($node, 'SELECT current_setting(?)', $_) // '') ne $parameters->{$_} } keys %$parameters;
	return 1 unless @missing;
	my $state = ask($node->{rest}, 'GET', '/patroni') // return 0;
	ask($node->{rest}, 'POST', $state->{pending_restart} ? '/restart' : '/reload', {}, $patience);
	sleep 0.5;
	return 0;
}

# The leader's key in etcd; none if there is none, or etcd does not say.
sub _leader_key
{
	my ($self) = @_;
	my $answer = $self->_ask_etcd('kv/range', { key => encode_base64('/service/idgen/leader', '') }) // return;
	return $answer->{kvs}[0];
}

# What etcd answers; none if it is busy, or has nothing of that name any more: who asks tries again, or waits.
sub _ask_etcd
{
	my ($self, $path, $request) = @_;
	my $answer = eval { $self->{etcd}->call($path, $request) };
	note("etcd: $@") unless $answer;
	return $answer;
}

# The node that holds the lock of the leader; none if no node does.
sub leader
{
	my ($self) = @_;
	my $key = $self->_leader_key // return;
	my ($leader) = grep { $_->{name} eq decode_base64($key->{value}) } $self->nodes;
	return $leader;
}

# Lets the lock of the leader end at once, as it does when its time is over.
sub expire_leader
{
	my ($self) = @_;
	my $key = $self->_leader_key // return;
	return $self->_ask_etcd('lease/revoke', { ID => $key->{lease} });
}

# The leader, if it is a primary already.
sub primary
{
	my ($self) = @_;
	my $leader = $self->leader or return;
	return ($self->value($leader, 'SELECT pg_is_in_recovery()') // 1) eq '0' ? $leader : undef;
}

# The primary, if all others follow it on its timeline: one that is still to be rewound streams as well for a moment.
sub whole
{
	my ($self) = @_;
	my $primary = $self->primary or return;
	my $timeline = $self->value($primary, q{SELECT ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int});
	my $follows = q{SELECT count(*) FROM pg_stat_wal_receiver WHERE status = 'streaming' AND sender_port = ? AND received_tli = ?};
	return (grep { $_ != $primary && !$self->value($_, $follows, $primary->{port}, $timeline) } $self->nodes) ? undef : $primary;
}

# The name of the standby that Patroni replicates to synchronously.
sub synchronous_standby
{
	my ($self) = @_;
	my $primary = $self->primary // return;
	return $self->value($primary, q{SELECT application_name FROM pg_stat_replication WHERE sync_state = 'sync' LIMIT 1});
}

# Waits until the answer is true; gives it.
sub wait_for
{
	my ($self, $what, $question) = @_;
	my ($began, $answer) = time;
	poll(sub { $answer = $question->() }) or die "never: $what";
	note(sprintf '%s: after %.1f s', $what, time - $began);
	return $answer;
}

# A session on a node, whoever leads; dies if there is none within some seconds.
sub session
{
	my ($node) = @_;
	return DBI->connect("dbi:Pg:dbname=postgres;host=127.0.0.1;port=$node->{port};connect_timeout=3", user(), '', { RaiseError => 1, PrintError => 0, AutoCommit => 1 });
}

# The first column of the first row, asked in a session of its own; undefined if that fails.
sub value
{
	my ($self, $node, $sql, @binds) = @_;
	return eval {
		my $session = session($node);
		$session->do('SET statement_timeout = 5000');
		scalar $session->selectrow_array($sql, undef, @binds);
	};
}

sub primary_session { my ($self) = @_; return session($self->primary // die "there is no primary\n") }

sub run { my ($self, $node, $sql) = @_; return session($node)->do("SET client_min_messages = error; $sql") }

# The processes of a node's server that are there: the postmaster, and those it began.
sub server_processes
{
	my ($self, $node) = @_;
	open my $file, '<', "$node->{data}/postmaster.pid" or return;
	chomp(my $postmaster = <$file> // return);
	return ($postmaster, split ' ', `ps -o pid= --ppid $postmaster`);
}

1;
