# Promotion, synchronous standbys and restores: no ID of the old primary is made again by its successor.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use DBD::Pg qw(:async);
use File::Copy;
use IdgenNode;
use IdgenPair;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time sleep);

# The first draw of a node: how long it took, and the IDs.
sub first_draw
{
	my ($session, $count) = @_;
	my $began = time;
	my @ids = draw($session, $count);
	return (time - $began, @ids);
}

# Draws ahead of the clock as far as borrowing goes, few a tick, so that a slow machine too is faster than its clock.
# Gives the highest ID that the default layout, with the same ticks, has in the last of them.
sub lead_built_up
{
	my ($session, $what) = @_;
	my $highest = (draw_few($session, 3000))[-1];
	my $lead = value_of($session, 'SELECT extract(epoch FROM id_time(?, ?::id_layout) - clock_timestamp())', $highest, few_a_tick());
	cmp_ok($lead, '>', 0.3, "$what: the last IDs lie well ahead of the clock");
	return $highest >> 14 << 23 | 0x7fffff;
}

# Asynchronous: the standby misses the last windows, the IDs of the primary lie ahead of its clock as far as they
# may, and the clocks are off by less than clock_error.
for my $error ('-0.4', '+0.4')
{
	my $tag = $error < 0 ? 'slow' : 'fast';
	my %made;
	my $primary = begin_primary("old_$tag");
	my $standby = begin_standby($primary, "new_$tag", $error, 'wal_writer_delay = 10s');
	my $session = connect_to($primary);
	$session->do('SET idgen.overflow = borrow');
	is(repeated(\%made, draw($session, 1000)), 0, "$tag clock: the primary makes IDs");
	wait_for_replay($primary, $standby);
	my $on_standby = connect_to($standby);
	fails_with($on_standby, 'SELECT next_id()', '25006', qr/during recovery/, "$tag clock: the standby makes none");
	fails_with($on_standby, 'SELECT idgen.advance(now())', '25006', qr/./,
		"$tag clock: the standby does not move the horizon");
	cut_off($standby);
	my $end = time + 1.5;
	my $repeats = 0;
	$repeats += repeated(\%made, draw($session, 5000)) while time < $end;
	my $highest = lead_built_up($session, $tag);
	my $since = time;
	crash($primary);
	$standby->promote;
	go_on_at($standby, $since, $error);
	my ($took, @ids) = first_draw($on_standby, 20_000);
	is($repeats + repeated(\%made, @ids), 0, "$tag clock, windows missed: none again");
	cmp_ok($ids[0], '>', $highest, "$tag clock, windows missed: above all that the old primary made");
	cmp_ok($took, '<', 4, "$tag clock: the first ID waits a second or two");

	# The new primary crashes, right after its first renewal.
	crash($standby);
	start_again($standby);
	$on_standby = connect_to($standby);
	is(repeated(\%made, draw($on_standby, 20_000)), 0, "$tag clock, kill -9 of the new primary: none again");
	$standby->stop('immediate');
}

# A promoted node that crashes before its first renewal, and one that crashes while it waits for it.
{
	my %made;
	my $primary = begin_primary('old_crash');
	my $standby = begin_standby($primary, 'new_crash', '-0.4', 'wal_writer_delay = 10s');
	my $session = connect_to($primary);
	draw($session, 1);
	wait_for_replay($primary, $standby);
	cut_off($standby);
	my $end = time + 1.5;
	while (time < $end) { repeated(\%made, draw($session, 2000)) }
	my $since = time;
	$primary->stop('immediate');
	$standby->promote;
	crash($standby);
	start_again($standby);
	go_on_at($standby, $since, -0.4);
	my $waiting = connect_to($standby);
	$waiting->do('SELECT next_id()', { pg_async => PG_ASYNC });
	sleep 0.1;
	crash($standby);
	start_again($standby);
	go_on_at($standby, $since, -0.4);
	is(repeated(\%made, draw(connect_to($standby), 20_000)), 0,
		'promoted, and two crashes before the first ID: none again');
	$standby->stop('immediate');
}

# The extension, or its database under the same OID, is created again on a promoted server before it has paid what it
# owes, under a clock that is minutes slow and then set right. The new horizon owes it, too: that of an extension also
# if the server crashes in between.
for my $then ('', ', kill -9', ' with its database')
{
	my %made;
	my $tag = $then =~ s/\W//gr;
	my $primary = begin_primary("old_created_$tag");
	my $standby = begin_standby($primary, "new_created_$tag", '-0.4', 'wal_writer_delay = 10s');
	connect_to($primary)->do('CREATE DATABASE app');
	my $session = connect_to($primary, db => 'app');
	$session->do('CREATE EXTENSION idgen');
	$session->do('SET idgen.overflow = borrow');
	draw($session, 1);
	wait_for_replay($primary, $standby);
	cut_off($standby);
	my $end = time + 1.5;
	while (time < $end) { repeated(\%made, draw($session, 2000)) }
	my $highest = lead_built_up($session, "created again$then");
	my $since = time;
	crash($primary);
	set_clock($standby, '-300');
	$standby->promote;
	my $on_standby = connect_to($standby, db => 'app');
	$on_standby->do('SET idgen.max_wait = 0');
	fails_with($on_standby, 'SELECT next_id()', '55000', qr/./, "created again$then: the first ID would wait");
	if ($then =~ /database/)
	{
		my $oid = value_of($on_standby, 'SELECT oid FROM pg_database WHERE datname = current_database()');
		$on_standby->disconnect;
		my $beside = connect_to($standby);
		$beside->do('DROP DATABASE app');
		$beside->do("CREATE DATABASE app OID = $oid");
		$on_standby = connect_to($standby, db => 'app');
	}
	else { $on_standby->do('DROP EXTENSION idgen') }
	$on_standby->do('CREATE EXTENSION idgen');
	crash($standby), start_again($standby) if $then =~ /kill/;
	go_on_at($standby, $since, -0.4);
	my @ids = draw(connect_to($standby, db => 'app'), 20_000);
	is(repeated(\%made, @ids), 0, "created again$then: none again");
	cmp_ok($ids[0], '>', $highest, "created again$then: above all that the old primary made");
	$standby->stop('immediate');
}

# Created again at once after the promotion, it knows nothing of what the old primary was granted, which may be cut off
# and go on: that is a window more.
{
	my $primary = begin_primary('granted_a');
	my $standby = begin_standby($primary, 'granted_b', '+0');
	draw(connect_to($primary), 1);
	wait_for_replay($primary, $standby);
	crash($primary);
	$standby->promote;
	my $session = connect_to($standby);
	$session->do($_) for 'DROP EXTENSION idgen', 'CREATE EXTENSION idgen', 'SET idgen.max_wait = 0';
	my $owed = value_of($session, q{SELECT extract(epoch FROM sum(setting::int * CASE name WHEN 'idgen.clock_error' THEN 2 ELSE 1 END) * interval '1 ms')
		FROM pg_settings WHERE name IN ('idgen.max_lead', 'idgen.clock_error', 'idgen.horizon_window')});
	eval { $session->do('SELECT next_id()') };
	my ($ahead) = $session->errstr =~ /lies (\d+\.\d+) s ahead/;
	cmp_ok($ahead // 0, '>', $owed - 0.5, 'created first after a promotion: above what the old primary was granted');
	$standby->stop('immediate');
}

# Synchronous: rests on no clock; the one of the standby is seconds behind.
{
	my %made;
	my $primary = begin_primary('sync_a');
	my $standby = begin_standby($primary, 'sync_b', '-3');
	my $session = connect_to($primary);
	name_standbys($session, '*');
	wait_until_true($primary, q{EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')});
	$session->do('SET synchronous_commit = off');
	my $end = time + 2.5;
	my $repeats = 0;
	$repeats += repeated(\%made, draw($session, 2000)) while time < $end;
	is($repeats, 0, 'synchronous: the primary makes IDs');

	# Without its standby the primary stops within a window, and says why.
	$session->do(q{SET idgen.max_wait = '2s'});
	my $walreceiver = $standby->safe_psql('postgres', 'SELECT pid FROM pg_stat_wal_receiver');
	kill 'STOP', $walreceiver;
	my $began = time;
	my $stopped;
	while (!$stopped && time < $began + 30)
	{
		my @ids = eval { draw($session, 500) };
		$stopped = time if !@ids;
		$repeats += repeated(\%made, @ids);
	}
	is($session->state, '55000', 'without its standby the primary refuses IDs');
	like($session->errstr, qr/was not renewed within 2\.\d+ s\nDETAIL:.*standbys have not confirmed it.*\nHINT:/,
		'without its standby the primary says why');
	cmp_ok($stopped - $began, '>=', 1.9, 'without its standby the primary refuses IDs after max_wait');
	cmp_ok($stopped - $began, '<', 10, 'without its standby the primary refuses IDs within a window and max_wait');

	# A wait that is cancelled grants nothing, however often.
	$session->do(q{SET idgen.max_wait = '1h'});
	my $other = connect_to($primary);
	for (1 .. 3)
	{
		$session->do('SELECT next_id()', { pg_async => PG_ASYNC });
		sleep 0.2;
		value_of($other, 'SELECT pg_cancel_backend(?)', value_of($other, q{SELECT pid FROM pg_stat_activity WHERE query = 'SELECT next_id()'}));
		my $ended = succeeds($session);
		ok(!$ended && $session->state eq '57014', 'a cancelled wait for the standby makes no ID');
	}
	$other->do(q{SET idgen.max_wait = '300ms'});
	fails_with($other, 'SELECT next_id()', '55000', qr/have not confirmed/,
		'a second session makes no ID while standbys have not confirmed');
	fails_with($other, q{SET statement_timeout = '300ms'; SELECT idgen.advance(now())}, '57014', qr/statement timeout/,
		'idgen.advance waits for the standby');

	kill 'CONT', $walreceiver;
	$session->do(q{SET idgen.max_wait = '20s'});
	my ($took, @ids) = first_draw($session, 20_000);
	is($repeats + repeated(\%made, @ids), 0, 'the standby back: IDs go on');

	# Failover, after IDs that the primary made up to the last moment, with nobody to confirm more.
	kill 'STOP', $walreceiver;
	$session->do('SET idgen.max_wait = 0');
	my $refused = 0;
	$began = time;
	while (!$refused && time < $began + 30)
	{
		@ids = eval { draw($session, 500) };
		$refused = !@ids;
		repeated(\%made, @ids);
	}
	ok($refused, 'cut off: the old primary stops by itself');
	kill 'CONT', $walreceiver;
	crash($primary);
	$standby->safe_psql('postgres', q{ALTER SYSTEM SET synchronous_standby_names = ''});
	$standby->promote;
	my $on_standby = connect_to($standby);
	$on_standby->do(q{SET idgen.max_wait = '20s'});
	is(repeated(\%made, draw($on_standby, 20_000)), 0,
		'a synchronous standby promoted, its clock 3 s behind: none again');

	$on_standby->do(q{ALTER SYSTEM SET idgen.synchronous = 'required'});
	$standby->reload;
	wait_until_true($standby, q{current_setting('idgen.synchronous') = 'required'});
	sleep 1.2;
	for my $sql ('SELECT next_id()', 'SELECT idgen.advance(now())')
	{
		fails_with($on_standby, $sql, '55000', qr/need a synchronous standby, and none is configured\nDETAIL:.*\nHINT:/,
			"idgen.synchronous = required without a standby: $sql");
	}
	$standby->stop('immediate');
}

# There and back again, with a standby that lacks the library; a restore to an earlier time; copies.
{
	my %made;
	my $first = begin_primary('there');
	my $second = begin_standby($first, 'back', '-0.4', q{shared_preload_libraries = ''});
	my $session = connect_to($first);
	my $until = value_of($session, 'SELECT clock_timestamp()');
	$session->do('CREATE TABLE kept (id bigint)');
	my $end = time + 1.5;
	while (time < $end) { repeated(\%made, draw($session, 2000)) }
	wait_for_replay($first, $second);
	# One that was written ahead of need is flushed, and sent, a little later.
	my $on_first = value_of($session, 'SELECT last_value FROM idgen.horizon');
	wait_until_true($second, "(SELECT last_value FROM idgen.horizon) >= $on_first");
	is(value_of(connect_to($second), 'SELECT last_value FROM idgen.horizon'), $on_first,
		'a standby without the library replays the horizon');
	$second->stop;
	$second->append_conf('postgresql.conf', q{shared_preload_libraries = 'idgen'});
	start_again($second);
	$first->stop;
	$second->promote;
	$session = connect_to($second);
	is(repeated(\%made, draw($session, 20_000)), 0, 'the first failover: none again');

	my $third = PostgreSQL::Test::Cluster->new('again');
	$second->backup('base');
	$third->init_from_backup($second, 'base', has_streaming => 1);
	give_clock($third, '-0.8');
	start_again($third);
	wait_for_replay($second, $third);
	cut_off($third);
	$end = time + 1.5;
	while (time < $end) { repeated(\%made, draw($session, 2000)) }
	$second->stop('immediate');
	$third->promote;
	$session = connect_to($third);
	is(repeated(\%made, draw($session, 20_000)), 0, 'the second failover: none again');

	# A copy goes on above what it copied, and so does a dump that is restored.
	my ($last) = reverse draw($session, 1000);
	$session->disconnect;
	$third->safe_psql('template1', 'CREATE DATABASE copied TEMPLATE postgres');
	my $copied = connect_to($third, db => 'copied');
	my @ids = draw($copied, 1000);
	cmp_ok($ids[0], '>', $last, 'CREATE DATABASE ... TEMPLATE: the copy goes on above');
	my $dump = $third->basedir . '/dump';
	$third->command_ok([ 'pg_dump', '-f', $dump, 'copied' ], 'pg_dump');
	$last = (draw($copied, 20_000))[-1];
	$copied->disconnect;
	$third->safe_psql('postgres', 'DROP DATABASE copied');
	$third->safe_psql('postgres', 'CREATE DATABASE copied');
	$third->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $dump, 'copied' ], 'restored');
	$copied = connect_to($third, db => 'copied');
	@ids = draw($copied, 1000);
	cmp_ok($ids[0], '>', $last, 'pg_dump and restore: IDs go on above');
	$copied->disconnect;
	$third->stop('immediate');
}

# A to B to A: the old primary comes back as a standby by pg_rewind and takes over again; each failover misses the
# last windows, and each clock is slow.
{
	my %made;
	my $first = begin_primary('to_and');
	my $second = begin_standby($first, 'fro', '-0.4');
	my $session = connect_to($first);
	$session->do('SET idgen.overflow = borrow');
	repeated(\%made, draw($session, 1000));
	wait_for_replay($first, $second);
	cut_off($second);
	my $end = time + 1.5;
	while (time < $end) { repeated(\%made, draw($session, 2000)) }
	my $highest = lead_built_up($session, 'A');
	my $since = time;
	crash($first);
	$second->promote;
	go_on_at($second, $since, -0.4);
	$session = connect_to($second);
	$session->do('SET idgen.overflow = borrow');
	my @ids = draw($session, 20_000);
	is(repeated(\%made, @ids), 0, 'A to B: none again');
	cmp_ok($ids[0], '>', $highest, 'A to B: above');

	$second->safe_psql('postgres', 'CHECKPOINT');
	# Its own settings stay; those of the new primary say that it streams from nowhere.
	my @settings = ('postgresql.conf', 'postgresql.auto.conf');
	for (@settings) { copy($first->data_dir . "/$_", $first->basedir . "/$_") or die "$_: $!" }
	$first->command_ok(
		[ 'pg_rewind', '--source-server', $second->connstr('postgres'), '--target-pgdata', $first->data_dir, '--no-sync' ],
		'pg_rewind of the old primary');
	for (@settings) { copy($first->basedir . "/$_", $first->data_dir . "/$_") or die "$_: $!" }
	$first->enable_streaming($second);
	set_clock($first, sprintf '%+.3f', $since - time - 0.8);
	start_again($first);
	wait_for_replay($second, $first);
	cut_off($first);
	$end = time + 1.5;
	while (time < $end) { repeated(\%made, draw($session, 2000)) }
	$highest = lead_built_up($session, 'B');
	my $now = value_of($session, 'SELECT extract(epoch FROM clock_timestamp())');
	crash($second);
	$first->promote;
	set_clock($first, sprintf '%+.3f', $now - time - 0.4);
	$session = connect_to($first);
	(my $took, @ids) = first_draw($session, 20_000);
	is(repeated(\%made, @ids), 0, 'B to A: none again');
	cmp_ok($ids[0], '>', $highest, 'B to A: above');
	cmp_ok($took, '<', 4, 'B to A: the first ID waits a second or two');
	$first->stop('immediate');
}

# A restore to an earlier time, the clock a little behind.
{
	my %made;
	my $node = begin_primary('archived');
	my $session = connect_to($node);
	repeated(\%made, draw($session, 1000));
	$session->do('CREATE TABLE before ()');
	$session->do(q{SELECT pg_create_restore_point('here')});
	my $end = time + 1.5;
	while (time < $end) { repeated(\%made, draw($session, 2000)) }
	my $since = time;
	$session->do('SELECT pg_switch_wal()');
	$node->stop;
	my $restored = PostgreSQL::Test::Cluster->new('restored');
	$restored->init_from_backup($node, 'base', has_restoring => 1, standby => 0);
	$restored->append_conf('postgresql.conf', q{recovery_target_name = 'here'});
	$restored->append_conf('postgresql.conf', q{recovery_target_action = 'promote'});
	give_clock($restored, '-0.4');
	start_again($restored);
	wait_until_true($restored, 'NOT pg_is_in_recovery()');
	go_on_at($restored, $since, -0.4);
	is(repeated(\%made, draw(connect_to($restored), 20_000)), 0, 'a restore to an earlier time: none again');
	$restored->stop('immediate');
}

done_testing();
