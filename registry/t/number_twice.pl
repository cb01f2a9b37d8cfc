# Two servers that have, or believe to have, one number: stopped and continued, cut off, copied, restored, promoted,
# told by hand, with a clock that is wrong. No ID is made twice. For each kind of registry.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenLease;
use IdgenNode;
use IdgenStore;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

for my $kind (store_kinds())
{
	my $store = begin_store($kind);
	reuse_numbers($kind, $store);
	give_by_hand($kind, $store);
	copy_data($kind, $store);
	promote($kind, $store, $_) for '100ms', '5s';
	step_clock($kind, $store);
	$store->{stop}->('immediate');
}

# Three owners of a number: cut off from the registry, stopped altogether and continued, dead. Each is followed by a
# server that may have no other number.
sub reuse_numbers
{
	my ($kind, $store) = @_;
	my @owners = map { start_leased("$kind-owner$_", $store->{address}) } 0 .. 2;
	my @sessions = map { connect_to($_) } @owners;
	my @numbers = map { number_of($_) } @sessions;
	is(keys %{ { map { $_ => 1 } @numbers } }, 3, "$kind: three owners of a number each");
	my @takers = map { start_leased("$kind-taker$_", $store->{address}, setting => { 'idgen.lease_range' => "$numbers[$_]-$numbers[$_]", 'idgen.max_wait' => '500ms' }) } 0 .. 2;
	my @waiting = map { connect_to($_) } @takers;
	fails_to_draw($waiting[$_], qr/DETAIL:  The keeper of its shards says: all shards from $numbers[$_] to $numbers[$_] are held by others\. Waited for/, "$kind: number of owner $_ is used up") for 0 .. 2;
	my @drawings = map { begin_drawing($_) } @owners;
	sleep 0.3;
	my $keeper = keeper_of($sessions[0]);
	my $began = time;
	kill 'STOP', $keeper;
	freeze($owners[1]);
	crash($owners[2]);
	my %made;
	my @first = map { wait_for_id($_) } @waiting;
	note sprintf '%s: the numbers of dead servers are used again after %.1f s', $kind, time - $began;
	my @after = map { [ $first[$_], ids_of($waiting[$_], 1000) ] } 0 .. 2;
	$sessions[0]->do(q{SET idgen.max_wait = '500ms'});
	fails_to_draw($sessions[0], qr/holds no shard/, "$kind: a server that is cut off stops by itself");
	thaw($owners[1]);
	kill 'CONT', $keeper;
	isnt(wait_for_id($sessions[$_]) >> 10 & 8191, $numbers[$_], "$kind: owner $_ goes on with another number") for 0, 1;
	my @before = map { [ end_drawing($_) ] } @drawings;
	is(repeated(\%made, map { @$_ } @before, @after), 0, "$kind: no ID twice");
	for (0 .. 2)
	{
		my ($last) = reverse of_number($numbers[$_], @{ $before[$_] });
		cmp_ok($last, '<', $first[$_], "$kind: the last ID of owner $_ lies below the first of the next one");
	}
	$_->stop('immediate') for @owners[ 0, 1 ], @takers;
	return;
}

# One number by hand for two servers, and for a backup of the first that is restored beside it.
sub give_by_hand
{
	my ($kind, $store) = @_;
	my %setting = ('idgen.shards' => '5', 'idgen.max_wait' => '1s', 'idgen.lease_ttl' => '1h');
	my $production = start_leased("$kind-hand", $store->{address}, init => { allows_streaming => 1 }, setting => \%setting);
	my $session = connect_to($production);
	my %made;
	repeated(\%made, wait_for_id($session));
	my $other = start_leased("$kind-other", $store->{address}, setting => \%setting);
	my $second = connect_to($other);
	my $calls = sub { return $store->{node} ? told($store->{node}, 'idgen_registry\.claim\(') : 0 };
	my $before = $calls->();
	fails_to_draw($second,
		qr/^ERROR:  shard 5 cannot be used now: the registry has not granted it\nDETAIL:  The keeper of its shards says: shard 5 is held by "$kind-hand", system \d+\. Waited for [\d.]+ s\.\nHINT:/,
		"$kind: a number by hand that another server has");
	cmp_ok($calls->() - $before, '<', 50, "$kind: a session that waits makes no more calls of the registry");
	fails_with($second, 'SELECT next_id(7)', '22023', qr/shard 7 does not belong/,
		"$kind: a number by hand that is not named is refused");

	$production->backup('night');
	my $restored = PostgreSQL::Test::Cluster->new("$kind-restored");
	$restored->init_from_backup($production, 'night', standby => 0);
	$restored->start;
	my $third = connect_to($restored);
	fails_to_draw($third, qr/shard 5 is held by "$kind-hand"/, "$kind: a backup beside its origin does not get its number");
	sleep 2.5;
	is(repeated(\%made, wait_for_id($session), ids_of($session, 1000)), 0, "$kind: production goes on, no ID twice");
	is(told($production, 'has lost shard'), 0, "$kind: production never lost its number");
	$third->disconnect;
	$restored->stop('immediate');
	is(take_back($kind, \%made, $production, $session, $other, $second), 0,
		"$kind: a number that was another's meanwhile, who still draws: no ID twice");
	$session->disconnect;
	$session = crash_and_start($production);
	is(repeated(\%made, wait_for_id($session), ids_of($session, 1000)), 0,
		"$kind: after a crash it goes on with its number, no ID twice");
	$session->disconnect;
	crash($production);
	fails_to_draw($second, qr/shard 5 is held by "$kind-hand"/, "$kind: a dead server keeps its number until its lease is past");
	is(value_of($second, 'SELECT idgen_lease.release(5)'), 1,
		"$kind: the number of a dead server can be taken from it");
	is(repeated(\%made, wait_for_id($second), ids_of($second, 1000)), 0,
		"$kind: another has a number taken back at once, no ID twice");
	$production->start;
	$session = connect_to($production);
	fails_to_draw($session, qr/shard 5 is held by "$kind-other"/, "$kind: the server whose number was taken does not have it");
	$_->disconnect for $session, $second;
	$_->stop('immediate') for $production, $other;
	return;
}

# A number goes from a server that runs to another, and back while that one is cut off and goes on. Gives how many IDs
# were made twice.
sub take_back
{
	my ($kind, $made, $node, $session, $other, $second) = @_;
	my @keepers = map { keeper_of($_) } $session, $second;
	kill 'STOP', $keepers[0];
	value_of($session, 'SELECT idgen_lease.release(5)');
	my $repeated = repeated($made, wait_for_id($second), ids_of($second, 1000));
	kill 'CONT', $keepers[0];
	wait_for('lost', sub { told($node, 'has lost shard 5') });
	my $drawing = begin_drawing($other);
	my $horizon_ms = row_of($session, 5)->{horizon_ms};
	kill 'STOP', $keepers[1];
	value_of($session, 'SELECT idgen_lease.release(5)');
	my @ids = (wait_for_id($session), ids_of($session, 1000));
	cmp_ok(value_of($session, 'SELECT (extract(epoch FROM id_time(?)) * 1000)::bigint', $ids[0]), '>=', $horizon_ms,
		"$kind: taken back, its IDs begin at R");
	$repeated += repeated($made, @ids, end_drawing($drawing));
	kill 'CONT', $keepers[1];
	return $repeated;
}

# Starts a copy of a server's data directory under another port.
sub start_copy
{
	my ($origin, $name, @more) = @_;
	my $copy = PostgreSQL::Test::Cluster->new($name);
	my $copied = $origin->backup_dir . "/$name";
	mkdir $origin->backup_dir;
	system_or_bail('cp', '-a', $origin->data_dir, $copied);
	unlink "$copied/postmaster.pid";
	thaw($origin);
	$copy->init_from_backup($origin, $name, standby => 0);
	$copy->append_conf('postgresql.conf', $_) for @more;
	$copy->start;
	return $copy;
}

# Copies of a data directory as it is while its server runs.
sub copy_data
{
	my ($kind, $store) = @_;
	my $origin = start_leased("$kind-origin", $store->{address}, init => { allows_streaming => 1 });
	my $session = connect_to($origin);
	my %made;
	repeated(\%made, wait_for_id($session));
	my $number = number_of($session);
	for my $max_lead ('100ms', '1min')
	{
		my $drawing = begin_drawing($origin);
		freeze($origin);
		my $copy = start_copy($origin, "$kind-copy-$max_lead", "idgen.max_lead = '$max_lead'");
		my $on_copy = connect_to($copy);
		repeated(\%made, wait_for_id($on_copy));
		my $copied = number_of($on_copy);
		if ($max_lead eq '100ms') { isnt($copied, $number, "$kind: a copy of a server that runs claims another number") }
		else { wait_for('lost', sub { told($origin, "has lost shard $number ") || told($copy, "has lost shard") }) if $copied == $number }
		my @ids = (wait_for_id($session), ids_of($session, 1000), wait_for_id($on_copy), ids_of($on_copy, 1000));
		isnt(number_of($session), number_of($on_copy), "$kind: both go on, with two numbers (max_lead $max_lead)");
		is(repeated(\%made, @ids, end_drawing($drawing)), 0, "$kind: no ID twice");
		$on_copy->disconnect;
		$copy->stop('immediate');
	}
	$session->disconnect;
	$origin->backup('night');
	my $restored = PostgreSQL::Test::Cluster->new("$kind-night");
	$restored->init_from_backup($origin, 'night', standby => 0);
	my $lost = told($origin, 'has lost shard');
	$restored->append_conf('postgresql.conf', q{idgen.max_lead = '1min'});
	$restored->start;
	my @both = map { connect_to($_) } $origin, $restored;
	is(repeated(\%made, map { wait_for_id($_), ids_of($_, 1000) } @both), 0,
		"$kind: a backup restored beside its origin: no ID twice");
	isnt(number_of($both[0]), number_of($both[1]), "$kind: a backup restored beside its origin has another number");
	sleep 1.5;
	is(told($origin, 'has lost shard'), $lost, "$kind: the origin is not disturbed");
	$_->disconnect for @both;
	$_->stop('immediate') for $origin, $restored;
	return;
}

# A standby, asynchronous, is promoted while its primary is alive and goes on: one that began as a base backup, with R
# too far ahead for it; and one that began as a copy of the stopped primary, with R near enough, so that only the
# timeline says that the number is not its own.
sub promote
{
	my ($kind, $store, $max_lead) = @_;
	my $primary = start_leased("$kind-primary-$max_lead", $store->{address}, init => { allows_streaming => 1 });
	my $session = connect_to($primary);
	my %made;
	repeated(\%made, wait_for_id($session));
	if ($max_lead eq '100ms') { $primary->backup('base') }
	else
	{
		$session->disconnect;
		$primary->stop;
		$primary->backup_fs_cold('base');
		$primary->start;
		$session = connect_to($primary);
		repeated(\%made, wait_for_id($session));
	}
	my $standby = PostgreSQL::Test::Cluster->new("$kind-standby-$max_lead");
	$standby->init_from_backup($primary, 'base', has_streaming => 1);
	$standby->append_conf('postgresql.conf', "idgen.max_lead = '$max_lead'");
	$standby->start;
	my $on_standby = connect_to($standby);
	fails_with($on_standby, 'SELECT next_id()', '25006', qr/./, "$kind: a standby makes none");
	my $drawing = begin_drawing($primary);
	my $began = time;
	$standby->promote;
	my $id = wait_for_id($on_standby);
	note sprintf '%s: the first ID of a promoted server after %.0f ms, max_lead %s', $kind, (time - $began) * 1000, $max_lead;
	my $number = number_of($on_standby);
	isnt($number, number_of($session), "$kind: promoted, it has another number (max_lead $max_lead)");
	my @ids = ($id, ids_of($on_standby, 1000), ids_of($session, 1000));
	is(repeated(\%made, @ids, end_drawing($drawing)), 0, "$kind: with the old primary alive and at work, no ID twice");
	is(told($primary, 'has lost shard'), 0, "$kind: the old primary keeps its number");
	$on_standby->disconnect;
	$standby->restart;
	$on_standby = connect_to($standby);
	is(number_of($on_standby), $number, "$kind: a restart finds the new number again");
	$_->disconnect for $session, $on_standby;
	$_->stop('immediate') for $primary, $standby;
	return;
}

# A clock that goes an hour ahead: the server refuses, or the registry does. Set right, all goes on.
sub step_clock
{
	my ($kind, $store) = @_;
	my $node = start_leased("$kind-clock", $store->{address}, fake_clock => 1, setting => { 'idgen.max_wait' => '1500ms', 'idgen.lease_window' => '1s' });
	my $session = connect_to($node);
	my %made;
	repeated(\%made, wait_for_id($session));
	for my $case ([ '10min', qr/the clock of this server has jumped forward; .*\. Waited/ ], [ '2h', qr/the clock of this server is (?:5\d min \d+ s|1 h(?: \d min)?) ahead of the registry's, which allows horizons up to 11 min ahead\. Waited/ ])
	{
		my ($max_jump, $reason) = @$case;
		set_for_server($session, 'idgen.max_clock_jump', $max_jump) if value_of($session, 'SHOW idgen.max_clock_jump') ne $max_jump;
		repeated(\%made, wait_for_id($session));
		set_clock($node, '+3600');
		wait_for('an error', sub { !is_id(try_id($session)) });
		like(wait_for('a reason', sub { my $tried = try_id($session); return $tried =~ $reason && $tried }), $reason,
			"$kind: an hour ahead, max_clock_jump = $max_jump: no ID");
		note try_id($session);
		set_clock($node, '+0');
		my $id = wait_for_id($session);
		is(repeated(\%made, $id, ids_of($session, 100)), 0, "$kind: set right, IDs go on, none twice");
		cmp_ok(abs(value_of($session, 'SELECT extract(epoch FROM now() - id_time(?))', $id)), '<', 60,
		  "$kind: set right, IDs are of the time of the clock");
	}
	$session->disconnect;
	$node->stop('immediate');
	return;
}

done_testing();
