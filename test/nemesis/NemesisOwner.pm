# Faults by the owner of a registry: a counter is dropped, made again, moved and bounded; and in a PostgreSQL, rows and
# tables stay locked, or no standby confirms. Each leaves all as it was, whatever else strikes the registry meanwhile.
package NemesisOwner;

use strict;
use warnings;

use Exporter qw(import);
use PostgreSQL::Test::Utils;
use Time::HiRes qw(sleep time);

our @EXPORT = qw(owner_faults settle_registry);

my @both = (modes => 'rc', own => 1, brief => 1);
my @postgresql = (@both, store => 'postgresql');
my $any_number = 'SELECT FROM lease WHERE number = (SELECT number FROM lease ORDER BY random() LIMIT 1) FOR UPDATE';
my $no_standby = 'RESET synchronous_standby_names';

sub owner_faults
{
	return (
		counter_dropped       => { @both, strike => \&_drop_counter },
		counter_advanced      => { @both, strike => \&_advance_counter },
		counter_bounded       => { @both, strike => \&_bound_counter },
		counter_locked        => { @postgresql, strike => \&_lock_counter },
		lease_locked          => { @postgresql, strike => _open(1, 4, 'SELECT FROM lease FOR UPDATE', $any_number) },
		registry_table_locked => { @postgresql, strike => _open(1, 3, map { "LOCK TABLE $_" } qw(lease counter registry)) },
		registry_vacuumed     => { @postgresql, strike => \&_vacuum },
		registry_no_standby   => { @postgresql, strike => \&_require_standby },
		registry_open_advance => { @postgresql, strike => \&_leave_open });
}

# What such a fault can leave behind if it was killed.
sub settle_registry
{
	my ($world) = @_;
	return unless $world->{is_own};
	_until_done(sub { _configure($world, $no_standby) }) unless $world->{registry}{etcd};
	return _until_done(sub { _has_counter($world) });
}

# A session of the owner, which finds what it may call without a schema. That of an etcd is on the server of its
# operator, or on the primary.
sub _session
{
	my ($world) = @_;
	my $asks_primary = $world->{registry}{etcd} && rand() < 0.5;
	my ($session, $schema) =
	  $asks_primary ? ($world->{primary}->session('postgres'), 'idgen_lease') : $world->{recovery}->owner;
	$session->do("SET search_path = $schema; SET lock_timeout = '2s'; RESET statement_timeout");
	return $session;
}

# Has the owner say something; false if it fails, or finds nothing.
sub _say { my ($world, $sql) = @_; return eval { _session($world)->do($sql) > 0 } }

# Does something until it succeeds.
sub _until_done
{
	my ($what) = @_;
	my $end = time + 10;
	until ($what->()) { return 0 if time > $end; sleep 0.05 }
	return 1;
}

# It is gone for a moment, and begins again above what it gave.
sub _drop_counter
{
	my ($world) = @_;
	my $is_dropped = _say($world, q{SELECT drop_counter('tickets')});
	sleep 0.5 * rand;
	return _until_done(sub { _has_counter($world) }) && $is_dropped;
}

# Makes the counter if it is not there.
sub _has_counter
{
	my ($world) = @_;
	return _say($world, q{SELECT create_counter('tickets', max_block => 1000)})
	  || _say($world, q{SELECT FROM counters() WHERE name = 'tickets'});
}

# It leaves some numbers out. Those that others take meanwhile can be more.
sub _advance_counter
{
	my ($world) = @_;
	my $more = int rand 100;
	my $sql = "SELECT advance_counter('tickets', next + $more) FROM counters() WHERE name = 'tickets'";
	return _until_done(sub { _say($world, $sql) });
}

# Nodes get few numbers at once, and no long ranges.
sub _bound_counter
{
	my ($world) = @_;
	my $most = 1 + int rand 60;
	_say($world, sprintf q{SELECT set_counter_block('tickets', %d, %d)}, 1 + rand $most, $most) or return 0;
	sleep 0.5 + 1.5 * rand;
	return _until_done(sub { _say($world, q{SELECT set_counter_block('tickets', 10, 1000)}) });
}

# A transaction that changes something stays open, one of several.
sub _open
{
	my ($shortest, $longest, @sql) = @_;
	return sub {
		my ($world) = @_;
		my $session = _session($world);
		$session->begin_work;
		$session->do($sql[ rand @sql ]);
		sleep $shortest + ($longest - $shortest) * rand;
		return rand() < 0.5 ? $session->commit : $session->rollback;
	};
}

# The same of the counter. Numbers that it took count if it is committed: they are told after that.
sub _lock_counter
{
	my ($world) = @_;
	my $session = _session($world);
	$session->begin_work;
	my $takes = rand() < 0.5;
	my $change = $takes ? q{take_range('tickets', 100)} : q{set_counter_block('tickets', 10, 1000)};
	my $key = $session->selectrow_array("SELECT $change");
	sleep 1 + 3 * rand;
	return $session->rollback if rand() < 0.5;
	$session->commit;
	return 1 unless $takes;
	my $first = $session->selectrow_array('SELECT lower(taken_range(?))', undef, $key);
	append_to_file("$world->{histories}/owner.history", "tickets $first+99\n");
	return 1;
}

# The tables are written again.
sub _vacuum
{
	my ($world) = @_;
	my $session = _session($world);
	for (1 .. 3) { $session->do("VACUUM FULL $_") for qw(lease counter registry); sleep 0.3 * rand }
	return 1;
}

# Each COMMIT there waits for a standby that is not there.
sub _require_standby
{
	my ($world) = @_;
	_configure($world, q{SET synchronous_standby_names = 'nobody'}) or return 0;
	sleep 1 + 2 * rand;
	return _until_done(sub { _configure($world, $no_standby) });
}

# Changes a setting of the registry's server.
sub _configure
{
	my ($world, $change) = @_;
	return eval {
		my $session = _session($world);
		$session->do($_) for "ALTER SYSTEM $change", 'SELECT pg_reload_conf()';
		1;
	};
}

# A change of the limits that is left open holds nobody up: whoever calls the registry shares its row with it.
sub _leave_open
{
	my ($world) = @_;
	my ($session, $caller) = map { _session($world) } 1 .. 2;
	$session->begin_work;
	$session->do('SELECT set_max_ahead(max_ahead) FROM registry');
	eval { $caller->do('SELECT enter(identity())'); 1 } || $caller->state ne '55P03' or die "wrong: " . $caller->errstr;
	sleep 2;
	return $session->rollback;
}

1;
