# The faults of the nemesis, by name. A brief one runs in a process of its own, beside others, and leaves all as it was; a long one is the driver's. Each says whether it
# struck.
package NemesisFaults;

use strict;
use warnings;

use Exporter qw(import);
use IdgenNode qw(crash start_again);
use NemesisCopies;
use NemesisOwner;
use POSIX qw(_exit);
use PostgreSQL::Test::Utils;
use Time::HiRes qw(sleep time);

our @EXPORT = qw(faults_of);

# Faults of the clock: steps, rates, and what a boot of the machine brings.

# How far the clock steps, in seconds. Those up to 0.4 are right within idgen.clock_error.
my %steps = (
	clock_back_0_02 => -0.02, clock_back_0_4 => -0.4, clock_back_1 => -1, clock_back_5 => -5, clock_back_hour => -3600, clock_back_year => -31_536_000,
	clock_ahead_0_02 => 0.02, clock_ahead_0_4 => 0.4, clock_ahead_1 => 1, clock_ahead_3 => 3, clock_ahead_hour => 3600, clock_ahead_year => 31_536_000);

# A clock that is slow, stands still or is fast, by millionths.
my %rates = (clock_slow => -200_000, clock_still => -1_000_000, clock_fast => 200_000, clock_double => 1_000_000);

# On a new boot any clock is believed until the first IDs: one far ahead would be the end of all IDs where every loss of power is a boot.
sub clock_faults
{
	return (
		(map { my $ahead = $steps{$_}; $_ => { modes => $ahead < 3600 ? 'sayrcp' : 'sayrc', brief => 1, clock => abs $ahead, strike => _moved($ahead, 0) } } keys %steps),
		(map { my $faster = $rates{$_}; $_ => { modes => 'sayrc', brief => 1, clock => 1, strike => _moved(0, $faster) } } keys %rates),
		clock_jumps       => { modes => 'sayrc', brief => 1, clock => 1, strike => \&_jumps },
		start_behind      => { modes => 'sayrcp', clock => 5, strike => _started(-5, 0) },
		start_ahead       => { modes => 'sayrc', clock => 2, strike => _started(2, 0) },
		boot              => { modes => 'sayrc', strike => _started(0, 1) },
		boot_behind       => { modes => 'sayrcp', clock => 5, strike => _started(-5, 1) });
}

# The clock is wrong for a moment, and then right again.
sub _moved
{
	my ($ahead, $faster) = @_;
	return sub {
		my ($world) = @_;
		my $server = $world->{primary};
		$server->move_clock($ahead, $faster);
		sleep 0.2 + 0.8 * rand;
		$server->move_clock(0);
		return 1;
	};
}

# It steps to and fro.
sub _jumps
{
	my ($world) = @_;
	my $server = $world->{primary};
	for (1 .. 40) { $server->move_clock(rand() - 0.5); sleep 0.02 }
	$server->move_clock(0);
	return 1;
}

# The server crashes, and starts with a wrong clock, which is soon set right; on another boot, or on the same.
sub _started
{
	my ($ahead, $is_other_boot) = @_;
	return sub {
		my ($world) = @_;
		my $server = $world->{primary};
		$server->kill_all;
		$server->change_boot if $is_other_boot;
		$server->move_clock($ahead);
		$server->start;
		sleep 0.7;
		$server->move_clock(0);
		return 1;
	};
}

# Who has it: s single, p with losses of power, a asynchronous, y synchronous, r with a registry, c clones, m the control of copied machines. Whose fault it is: the own one of
# idgen has no meaning for another maker. What it needs: right clocks, a store of the registry. How often it comes
# beside others of its length: its weight. What it does not stand beside, or has to end first: a pattern of their names.
my %faults = (
	# Processes.
	kill_backend      => { modes => 'sayrcp', brief => 1, strike => sub { $_[0]{primary}->signal_one('KILL', qr/ app /) } },
	kill_checkpointer => { modes => 'sayrcp', brief => 1, strike => sub { $_[0]{primary}->signal_one('KILL', qr/: checkpointer/) } },
	kill_walwriter    => { modes => 'sayrcp', brief => 1, strike => sub { $_[0]{primary}->signal_one('KILL', qr/: walwriter/) } },
	kill_bgwriter     => { modes => 'sayrc', brief => 1, strike => sub { $_[0]{primary}->signal_one('KILL', qr/: background writer/) } },
	kill_logical      => { modes => 'sayrc', brief => 1, strike => sub { $_[0]{primary}->signal_one('KILL', qr/: logical replication launcher/) } },
	kill_postmaster   => { modes => 'sayrc', strike => sub { $_[0]{primary}->kill_all('only the postmaster') } },
	kill_all          => { modes => 'sayrcp', strike => sub { $_[0]{primary}->kill_all } },
	kill_recovery     => { modes => 'sayrc', strike => \&_kill_recovery },
	stop_immediate    => { modes => 'sayrcp', strike => sub { $_[0]{primary}->stop('immediate') } },
	stop_fast         => { modes => 'sayrcp', strike => sub { $_[0]{primary}->stop('fast') } },
	stop_smart        => { modes => 'sayrc', strike => sub { $_[0]{primary}->stop('smart', 0.5) } },
	freeze_backend    => { modes => 'sayrc', brief => 1, strike => _frozen(sub { my @backends = $_[0]->children(qr/ app /); $backends[ rand @backends ] // () }) },
	freeze_checkpointer => { modes => 'sayrcp', brief => 1, strike => _frozen(sub { $_[0]->children(qr/: checkpointer/) }) },
	freeze_walwriter    => { modes => 'sayrcp', brief => 1, strike => _frozen(sub { $_[0]->children(qr/: walwriter/) }) },
	freeze_postmaster   => { modes => 'sayrc', brief => 1, strike => _frozen(sub { $_[0]{pid} // () }) },
	freeze_server       => { modes => 'sayrc', brief => 1, strike => _frozen(sub { $_[0]->processes }) },
	no_space            => { modes => 'sayrc', brief => 1, strike => _limited('fsize', 1 << 20) },
	no_files            => { modes => 'sayrc', brief => 1, strike => _limited('nofile', 24) },
	# Sessions.
	terminate_sessions => { modes => 'sayrcp', brief => 1, strike => _sql(q{SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = 'app'}) },
	cancel_statements  => { modes => 'sayrcp', brief => 1, strike => _repeated(40, q{SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE datname = 'app'}) },
	statement_timeout  => { modes => 'sayrc', brief => 1, strike => _set(statement_timeout => '3ms') },
	idle_transactions  => { modes => 'sayrcp', brief => 1, strike => \&_idle_transactions },
	idle_timeout       => { modes => 'sayrc', brief => 1, strike => _set(idle_in_transaction_session_timeout => '5ms') },
	lock_table         => { modes => 'sayrc', brief => 1, strike => _held('app', 'LOCK TABLE event IN ACCESS EXCLUSIVE MODE') },
	full_slots         => { modes => 'sayrc', brief => 1, strike => \&_full_slots },
	prepared           => { modes => 'sayrcp', strike => \&_prepared },
	savepoints         => { modes => 'sayrcp', brief => 1, strike => \&_savepoints },
	# Settings.
	set_asynchronous    => { modes => 'sayrcp', brief => 1, strike => _set(synchronous_commit => 'off') },
	set_full_page       => { modes => 'sayrc', brief => 1, strike => _set(full_page_writes => 'off') },
	set_walwriter       => { modes => 'sayrcp', brief => 1, strike => _set(wal_writer_delay => '10s') },
	set_commit_delay    => { modes => 'sayrcp', brief => 1, strike => _set(commit_delay => '20000') },
	set_short_window    => { modes => 'sayrcp', own => 1, brief => 1, strike => _set('idgen.horizon_window' => '100ms') },
	set_long_window     => { modes => 'sayrcp', own => 1, brief => 1, strike => _set('idgen.horizon_window' => '3s') },
	set_no_wait         => { modes => 'sayrcp', own => 1, brief => 1, strike => _set('idgen.max_wait' => '0') },
	set_few_slots       => { modes => 'sayrc', own => 1, brief => 1, strike => _set('idgen.max_slots_per_database' => '2') },
	set_pool            => { modes => 'say', own => 1, brief => 1, strike => _set('idgen.shards' => '5,6,7') },
	reloads             => { modes => 'sayrc', brief => 1, strike => _repeated(50, 'SELECT pg_reload_conf()') },
	# Storage.
	checkpoints   => { modes => 'sayrcp', brief => 1, strike => _repeated(5, 'CHECKPOINT') },
	vacuum        => { modes => 'sayrc', brief => 1, strike => _in_app('VACUUM FULL event') },
	vacuum_freeze => { modes => 'sayrc', brief => 1, strike => _in_app('VACUUM (FREEZE, ANALYZE)') },
	reindex       => { modes => 'sayrc', brief => 1, strike => _in_app('REINDEX TABLE CONCURRENTLY event') },
	reindex_all   => { modes => 'sayrc', brief => 1, strike => _in_app('REINDEX SYSTEM app') },
	switch_wal    => { modes => 'sayrcp', brief => 1, strike => _repeated(3, q{SELECT pg_switch_wal()}) },
	fill_wal      => { modes => 'sayrcp', brief => 1, strike => _in_app(q{CREATE TABLE filler AS SELECT repeat(i::text, 200) FROM generate_series(1, 20000) AS i}, 'DROP TABLE filler') },
	# What idgen can be asked.
	advance            => { modes => 'sayrc', own => 1, brief => 1, strike => \&_advance },
	many_layouts       => { modes => 'sayrc', own => 1, brief => 1, strike => \&_many_layouts },
	recreate_extension => { modes => 'sayrc', own => 1, right => 1, exact => 1, strike => _in_app('DROP EXTENSION idgen', 'CREATE EXTENSION idgen') },
	replace_extension  => { modes => 'sayrc', own => 1, right => 1, exact => 1, strike => _in_app('BEGIN; DROP EXTENSION idgen; CREATE EXTENSION idgen; COMMIT') },
	rollback_extension => { modes => 'sayrc', own => 1, right => 1, strike => _in_app('BEGIN; DROP EXTENSION idgen; CREATE EXTENSION idgen; ROLLBACK') },
	alter_horizon      => { modes => 'sayrc', own => 1, right => 1, strike => _in_app('ALTER SEQUENCE idgen.horizon RESTART') },
	# The disk.
	power_loss        => { modes => 'p', weight => 4, strike => sub { $_[0]{primary}->lose_power } },
	power_loss_torn   => { modes => 'p', weight => 2, strike => sub { $_[0]{primary}->lose_power(1) } },
	power_loss_behind => { modes => 'p', weight => 4, clock => 5, strike => sub { my ($world) = @_; $world->{primary}->lose_power && _start_behind($world) } },
	power_loss_held   => { modes => 'p', weight => 3, clock => 5, strike => \&_power_loss_held },
	power_loss_quiet  => { modes => 'p', weight => 3, clock => 5, strike => \&_power_loss_quiet },
	slow_flushes      => { modes => 'p', brief => 1, strike => sub { $_[0]{primary}->disturb_disk('hold 1 /pg_wal/') } },
	failing_flushes   => { modes => 'p', brief => 1, strike => sub { $_[0]{primary}->disturb_disk('flush 5 /pg_wal/') } },
	# Standbys.
	slow_standby     => { modes => 'ayr', brief => 1, strike => _of_standby(sub { _froze(2, $_[0]->children(qr/: walreceiver/)) }) },
	kill_receiver    => { modes => 'ayr', brief => 1, strike => _of_standby(sub { $_[0]->signal_one('KILL', qr/: walreceiver/) }) },
	kill_sender      => { modes => 'ayr', brief => 1, strike => sub { $_[0]{primary}->signal_one('KILL', qr/: walsender/) } },
	end_sender       => { modes => 'ayr', brief => 1, strike => sub { $_[0]{primary}->signal_one('TERM', qr/: walsender/) } },
	kill_standby     => { modes => 'ayr', strike => _of_standby(sub { $_[0]->kill_all }) },
	restart_standby  => { modes => 'ayr', strike => _of_standby(sub { $_[0]->stop('fast') }) },
	pause_replay     => { modes => 'ayr', brief => 1, strike => _of_standby(sub { my ($standby) = @_; defined $standby->value('SELECT pg_wal_replay_pause()') or return 0; sleep 1; $standby->value('SELECT pg_wal_replay_resume()'); 1 }) },
	remake_standby   => { modes => 'ayr', strike => sub { my ($world) = @_; my $standby = _any(grep { !$_->{builder} } $world->standbys) // return 0; $world->rejoin($standby); 1 } },
	switchover       => { modes => 'ayr', weight => 3, right => 1, strike => sub { $_[0]->switch_over } },
	failover         => { modes => 'ayr', weight => 3, right => 1, strike => sub { $_[0]->fail_over(fenced => 1) } },
	failover_tail    => { modes => 'ayr', weight => 3, right => 1, strike => sub { $_[0]->fail_over(fenced => 1, tail => $_[0]{is_synchronous} ? 0.1 : 1.2 * rand) } },
	failover_killed  => { modes => 'ayr', weight => 3, right => 1, strike => sub { $_[0]->fail_over(fenced => 1, killed => 1) } },
	failover_unfenced => { modes => 'yrx', weight => 5, right => 1, strike => sub { $_[0]->fail_over } },
	unfenced_tail     => { modes => 'rx', weight => 5, right => 1, strike => sub { $_[0]->fail_over(tail => rand) } },
	names_first       => { modes => 'y', brief => 1, strike => _set(synchronous_standby_names => 'FIRST 1 (c, b, a)') },
	names_two         => { modes => 'y', brief => 1, strike => _set(synchronous_standby_names => 'ANY 2 (a, b, c)') },
	names_none        => { modes => 'y', brief => 1, strike => _set(synchronous_standby_names => '') },
	names_unknown     => { modes => 'y', brief => 1, strike => _set(synchronous_standby_names => 'nobody') },
	# The registry.
	registry_away      => { modes => 'rc', brief => 1, strike => sub { my ($world) = @_; $world->{registry}->pause; sleep 0.5 + 1.5 * rand; $world->{registry}->resume } },
	registry_killed    => { modes => 'rc', strike => sub { my ($world) = @_; $world->{registry}->kill_it; sleep rand; $world->{registry}->go; 1 } },
	registry_saved     => { modes => 'rc', strike => _of_registry('save') },
	registry_put_back  => { modes => 'rc', not_beside => qr/^counter/, strike => _of_registry('put_back', 'reopen') },
	registry_restored  => { modes => 'rc', not_beside => qr/^counter/, strike => _of_registry('restore', 'reopen') },
	registry_new       => { modes => 'rc', not_beside => qr/^counter/, strike => _of_registry('make_new', 'reopen') },
	registry_limited   => { modes => 'rc', strike => _of_registry('limit') },
	registry_leaked    => { modes => 'c', strike => _of_registry('leak') },
	registry_cut       => { modes => 'rc', brief => 1, strike => _by_proxy(sub { $_[0]->hold('') }) },
	registry_lossy     => { modes => 'rc', brief => 1, strike => _by_proxy(sub { $_[0]->lose_answers_to('') }) },
	registry_late      => { modes => 'rc', brief => 1, strike => _by_proxy(sub { $_[0]->be_late(0.2) }) },
	keeper_frozen      => { modes => 'rc', brief => 1, strike => _frozen(sub { $_[0]->children(qr/idgen keeper/) }) },
	keeper_killed      => { modes => 'rc', brief => 1, strike => sub { $_[0]{primary}->signal_one('KILL', qr/idgen keeper/) } },
	keeper_ended       => { modes => 'rc', brief => 1, strike => sub { $_[0]{primary}->signal_one('TERM', qr/idgen keeper/) } },
	number_released    => { modes => 'rc', brief => 1, strike => _sql('SELECT count(idgen_lease.release(shard)) FROM idgen_lease.nodes() WHERE NOT is_free') },
	record_locked      => { modes => 'rc', brief => 1, strike => _held('postgres', 'LOCK TABLE idgen_lease.record IN ACCESS EXCLUSIVE MODE') },
	set_two_numbers    => { modes => 'rc', brief => 1, strike => _set('idgen.lease_count' => '2') },
	set_lease_window   => { modes => 'rc', brief => 1, strike => _set('idgen.lease_window' => '1s') },
	set_lease_range    => { modes => 'rc', brief => 1, strike => _set('idgen.lease_range' => '100-300') },
	clock_faults(),
	copy_faults(),
	owner_faults());

my %letter_of = (single => 's', 'power-loss' => 'p', asynchronous => 'a', synchronous => 'y', 'registry-postgresql' => 'r', 'registry-etcd' => 'r', clones => 'c', control => 'x', 'control-machine' => 'm');

# The faults of a mode: those of idgen only if it is the maker, those of a store only with it. The control has what an
# asynchronous cluster may have, and a promotion beside the old primary.
sub faults_of
{
	my ($mode, $is_own) = @_;
	my $letter = $letter_of{$mode} // return;
	my $other_store = $mode eq 'registry-etcd' ? 'postgresql' : '';
	my @fitting = grep { ($is_own || !$faults{$_}{own}) && ($faults{$_}{store} // 'any') ne $other_store } keys %faults;
	my $letters = $letter eq 'x' ? 'ax' : $letter;
	return { map { $_ => $faults{$_} } grep { $faults{$_}{modes} =~ /[$letters]/ } @fitting };
}

sub _any { my (@choices) = @_; return @choices ? $choices[ rand @choices ] : undef }

# Statements in database postgres, or in the clients'.
sub _sql { my (@sql) = @_; return sub { my ($world) = @_; return $world->{primary}->run('postgres', @sql) } }
sub _in_app { my (@sql) = @_; return sub { my ($world) = @_; return $world->{primary}->run('app', @sql) } }

sub _repeated
{
	my ($times, $sql) = @_;
	return sub {
		my ($world) = @_;
		return eval { my $session = $world->{primary}->session('postgres'); for (1 .. $times) { $session->do($sql); sleep 0.02 } 1 };
	};
}

# A setting of the whole server for a moment.
sub _set
{
	my ($name, $value) = @_;
	return sub {
		my ($world) = @_;
		my $server = $world->{primary};
		$server->run('postgres', "ALTER SYSTEM SET $name = '$value'", 'SELECT pg_reload_conf()') or return 0;
		sleep 0.3 + 0.7 * rand;
		for (1 .. 100) { last if $server->run('postgres', "ALTER SYSTEM RESET $name", 'SELECT pg_reload_conf()'); sleep 0.1 }
		return 1;
	};
}

# A lock that is held for a moment.
sub _held
{
	my ($db, $sql) = @_;
	return sub {
		my ($world) = @_;
		return eval { my $session = $world->{primary}->session($db); $session->begin_work; $session->do($sql); sleep 0.2 + 0.8 * rand; $session->rollback; 1 };
	};
}

sub _froze
{
	my ($seconds, @processes) = @_;
	kill('STOP', @processes) or return 0;
	sleep $seconds * (0.1 + 0.9 * rand);
	kill 'CONT', @processes;
	return 1;
}

sub _frozen { my ($which) = @_; return sub { my ($world) = @_; return _froze(1, $which->($world->{primary})) } }

# All processes of the server have less of something for a moment: no file of theirs may grow beyond that size, or they may open no more files.
sub _limited
{
	my ($what, $limit) = @_;
	return sub {
		my ($world) = @_;
		my $change = sub { my ($limit) = @_; system "prlimit --pid $_ --$what=$limit: 2>/dev/null" for $world->{primary}->processes };
		$change->($limit);
		sleep 0.1 + 0.4 * rand;
		$change->($what eq 'fsize' ? 'unlimited' : 1024);
		return 1;
	};
}

sub _of_standby { my ($what) = @_; return sub { my ($world) = @_; my $standby = _any(grep { $_->runs } $world->standbys) // return 0; return $what->($standby) } }
sub _of_registry { my (@calls) = @_; return sub { my ($world) = @_; $world->{recovery}->$_ for @calls; return 1 } }

sub _by_proxy
{
	my ($what) = @_;
	return sub { my ($world) = @_; $what->($world->{proxy}); sleep 0.5 + 1.5 * rand; $world->{proxy}->pass; return 1 };
}

# A server that has just begun to recover is killed again.
sub _kill_recovery
{
	my ($world) = @_;
	my $server = $world->{primary};
	$server->kill_all;
	for (1 .. 2) { $server->start; sleep 0.3 * rand; $server->kill_all }
	return 1;
}

# When the power comes back, the clock goes on from where it stood when the power went, or from a little before, and is set right when some
# more IDs were made by it.
sub _start_behind
{
	my ($world) = @_;
	my $server = $world->{primary};
	$server->forget_settings;
	$server->move_clock($server->{lost} - time - 2 * rand);
	$server->start;
	$server->wait_until('SELECT true', 3);
	sleep 0.7 + 2 * rand;
	$server->move_clock(0);
	return 1;
}

# The power is gone while every flush of the log waits.
sub _power_loss_held
{
	my ($world) = @_;
	my $server = $world->{primary};
	my $is_lost;
	$server->disturb_disk('hold 1 /pg_wal/', sub { sleep 0.5 + 2 * rand; $is_lost = $server->lose_power(rand() < 0.3) });
	return $is_lost && _start_behind($world);
}

# The power is gone after a while in which no commit waits for its flush, and the WAL writer flushes nothing or stands still: only
# what insists on it is flushed.
sub _power_loss_quiet
{
	my ($world) = @_;
	my $server = $world->{primary};
	$server->run('postgres', 'ALTER SYSTEM SET synchronous_commit = off', q{ALTER SYSTEM SET wal_writer_delay = '10s'}, 'SELECT pg_reload_conf()') or return 0;
	kill 'STOP', $server->children(qr/: walwriter/) if rand() < 0.5;
	sleep 0.5 + 2 * rand;
	return $server->lose_power(rand() < 0.3) && _start_behind($world);
}

# Transactions that have drawn IDs and do nothing for a moment.
sub _idle_transactions
{
	my ($world) = @_;
	return eval {
		my @sessions = map { my $session = $world->{primary}->session('app'); $session->begin_work; $session->do("INSERT INTO event SELECT $world->{maker}{expression}, 0 WHERE false"); $session } 1 .. 5;
		$_->selectrow_array("SELECT $world->{maker}{expression}") for @sessions;
		sleep 0.2 + 0.8 * rand;
		$_->rollback for @sessions;
		1;
	};
}

# Sessions until no more are admitted.
sub _full_slots
{
	my ($world) = @_;
	my @sessions;
	for (1 .. 80) { push @sessions, eval { $world->{primary}->session('postgres') } // last }
	sleep 0.3;
	return scalar @sessions;
}

# A prepared transaction that outlives a crash; it ends later.
sub _prepared
{
	my ($world) = @_;
	my ($server, $maker) = ($world->{primary}, $world->{maker}{expression});
	$server->run('app', "BEGIN; INSERT INTO event SELECT $maker, 0 WHERE false; CREATE TABLE prepared AS SELECT $maker AS id; PREPARE TRANSACTION 'nemesis'") or return 0;
	$server->kill_all if rand() < 0.5;
	$server->start;
	for (1 .. 100) { return 1 if $server->wait_until('SELECT NOT pg_is_in_recovery()') && $server->run('app', q{ROLLBACK PREPARED 'nemesis'}); sleep 0.1 }
	return 0;
}

# Draws in subtransactions that fail.
sub _savepoints
{
	my ($world) = @_;
	return $world->{primary}->run('app', "DO \$\$ BEGIN FOR i IN 1 .. 500 LOOP BEGIN PERFORM $world->{maker}{expression}, 1 / (i % 3); EXCEPTION WHEN division_by_zero THEN NULL; END; END LOOP; END \$\$");
}

# What an operator asks for by the true time: by the server's, which may be a year ahead, no more IDs would be made.
sub _advance { my ($world) = @_; return $world->{primary}->run('app', sprintf 'SELECT idgen.advance(to_timestamp(%.3f))', time + 0.3) }

# Slots for layouts that nobody else uses.
sub _many_layouts
{
	my ($world) = @_;
	return $world->{primary}->run('app', q{SELECT count(next_id(5, ('epoch=2011-08-24T21:07:01.721Z unit=1ms time=41 shard=' || 13 - i || ' sequence=' || 9 + i)::id_layout)) FROM generate_series(0, 7) AS i});
}

1;
