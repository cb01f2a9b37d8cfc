# Faults by the owner of a registry: a counter is dropped, made again with and without a start, moved and bounded, while
# servers hold numbers of it; and in a PostgreSQL, rows and tables stay locked, by open transactions and prepared ones,
# or no standby confirms. Each leaves all as it was, whatever else strikes the registry meanwhile. Where one row alone is
# locked, and nothing else strikes, IDs must go on.
package NemesisOwner;

use strict;
use warnings;

use Exporter qw(import);
use NemesisClients qw(ranges);
use PostgreSQL::Test::Utils;
use Time::HiRes qw(sleep time);

our @EXPORT = qw(owner_faults settle_registry);

my @both = (modes => 'rc', own => 1, brief => 1);
my @postgresql = (@both, store => 'postgresql');
my $any_number = 'SELECT FROM lease WHERE number = (SELECT number FROM lease ORDER BY random() LIMIT 1) FOR UPDATE';
my $registry_row = 'SELECT FROM registry FOR UPDATE';
my @tables = map { "LOCK TABLE $_" } qw(lease counter registry);
my $no_standby = 'RESET synchronous_standby_names';

sub owner_faults
{
	return (
		counter_dropped       => { @both, strike => \&_drop_counter },
		counter_advanced      => { @both, strike => \&_advance_counter },
		counter_bounded       => { @both, strike => \&_bound_counter },
		counter_replaced      => { @postgresql, strike => \&_replace_counter },
		counter_locked        => { @postgresql, strike => \&_lock_counter },
		lease_locked          => { @postgresql, strike => _open(1, 4, 'SELECT FROM lease FOR UPDATE', 'SELECT FROM lease FOR SHARE', $any_number) },
		one_row_locked        => { @postgresql, brief => 0, weight => 2, awaits => qr/./, strike => \&_lock_one_row },
		registry_table_locked => { @postgresql, strike => _open(1, 3, @tables, $registry_row) },
		registry_prepared     => { @postgresql, strike => _prepare(@tables, $registry_row, $any_number, 'SELECT FROM lease FOR UPDATE', q{SELECT set_counter_block('tickets', 10, 1000)}) },
		registry_vacuumed     => { @postgresql, strike => \&_vacuum },
		registry_no_standby   => { @postgresql, strike => \&_require_standby },
		registry_open_advance => { @postgresql, strike => \&_leave_open });
}

# What such a fault can leave behind if it was killed.
sub settle_registry
{
	my ($world) = @_;
	_until_done(sub { _configure($world, $no_standby) && _end_prepared($world) }) unless $world->{registry}{etcd};
	return _until_done(sub { _has_counter($world) });
}

# A session of the owner, which finds what it may call without a schema. That of an etcd is on the server of its
# operator, or on the primary.
sub _session
{
	my ($world) = @_;
	my $asks_primary = $world->{registry}{etcd} && rand() < 0.5;
	my ($session, $schema) =
	  $asks_primary ? ($world->primary_session, 'idgen_lease') : $world->{recovery}->owner;
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

# Where it goes on.
my $next = q{SELECT next FROM counters() WHERE name = 'tickets'};

# It is gone for a moment, and begins again above what it gave; some way above, if its owner says so and it is.
sub _drop_counter
{
	my ($world) = @_;
	my $from = eval { _session($world)->selectrow_array($next) };
	my $is_dropped = _say($world, q{SELECT drop_counter('tickets')});
	sleep 2 * rand;
	_make_counter($world, $from + int rand 5000) if $from && rand() < 0.5;
	return _until_done(sub { _has_counter($world) }) && $is_dropped;
}

sub _make_counter { my ($world, $start) = @_; return _say($world, sprintf q{SELECT create_counter('tickets', %s, max_block => 1000)}, $start // 'NULL') }

# Another one of its name takes its place at once. One that is forgotten begins where the owner says: where it had come.
sub _replace_counter
{
	my ($world) = @_;
	my $session = _session($world);
	$session->begin_work;
	$session->do(q{SELECT set_counter_block('tickets', 10, 1000)});
	my $from = $session->selectrow_array($next) // return 0;
	my $forgets = rand() < 0.5;
	$session->do(sprintf q{SELECT drop_counter('tickets', forget => %s)}, $forgets ? 'true' : 'false');
	$session->do(sprintf q{SELECT create_counter('tickets', %s, max_block => 1000)}, $forgets || rand() < 0.5 ? $from : 'NULL');
	sleep rand;
	return $session->commit;
}

# Makes the counter if it is not there.
sub _has_counter
{
	my ($world) = @_;
	return _make_counter($world)
	  || _say($world, q{SELECT FROM counters() WHERE name = 'tickets'});
}

# It leaves some numbers out. Those that others take meanwhile can be more.
sub _advance_counter
{
	my ($world) = @_;
	my $more = int rand((100, 100_000)[ rand 2 ]);
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

# The same, prepared: nobody's session.
sub _prepare
{
	my (@sql) = @_;
	return sub {
		my ($world) = @_;
		_begin_prepared($world, $sql[ rand @sql ]);
		sleep 1 + 3 * rand;
		return _until_done(sub { _end_prepared($world) });
	};
}

sub _begin_prepared { my ($world, $sql) = @_; my $session = _session($world); $session->do($_) for 'BEGIN', $sql, "PREPARE TRANSACTION 'left by $$'"; return }

sub _end_prepared
{
	my ($world) = @_;
	return eval {
		my $session = _session($world);
		my $how = rand() < 0.5 ? 'COMMIT' : 'ROLLBACK';
		$session->do("$how PREPARED '$_'") for @{ $session->selectcol_arrayref('SELECT gid FROM pg_prepared_xacts') };
		1;
	};
}

# For longer than a number lasts without the registry, one row is locked that the primary needs: its number's, so that
# it takes another one in time, or a counter's, so that the other counter goes on.
sub _lock_one_row
{
	my ($world) = @_;
	$world->makes_ids && $world->gives_tickets or die "wrong: no numbers, and no row is locked\n";
	my ($in_app, $session) = map { $world->{primary}->session($_) } qw(app postgres);
	$_->do(q{RESET statement_timeout; SET idgen.max_wait = '20s'}) for $in_app, $session;
	my @rows = (sprintf('lease WHERE number = %d', $in_app->selectrow_array('SELECT id_shard(next_id())')), q{counter WHERE name = 'tickets'});
	my $row = $rows[ rand @rows ];
	my @counters = $row =~ /^counter/ ? 'orders' : qw(orders tickets);
	my $is_prepared = rand() < 0.5;
	my $holder = _session($world);
	if ($is_prepared) { _begin_prepared($world, "SELECT FROM $row FOR UPDATE") }
	else              { $holder->do($_) for 'BEGIN', "SELECT FROM $row FOR UPDATE" }
	my (@ids, @tickets);
	my $end = time + 10;
	my $goes_on = eval {
		while (time < $end)
		{
			push @ids, $in_app->selectrow_array('SELECT next_id()');
			push @tickets, map { $session->selectrow_array('SELECT next_ticket(?)', undef, $_) } @counters;
			sleep 0.02;
		}
		1;
	};
	my $error = $@;
	$is_prepared ? _until_done(sub { _end_prepared($world) }) : $holder->rollback;
	append_to_file("$world->{histories}/beside_a_lock.history", join("\n", 'session', map({ "ids $_" } ranges(@ids)), map({ "tickets $_" } ranges(@tickets)), ''));
	die "wrong: $row is locked, and no more comes: $error" unless $goes_on;
	return 1;
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
