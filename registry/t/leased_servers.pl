# Servers that claim their shards from a registry: as they start, stop, crash and lose what they hold. For each kind of
# registry.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use DBD::Pg qw(:async);
use IdgenEtcd;
use IdgenLease;
use IdgenNode;
use IdgenPair;
use IdgenStore;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $ms_of = 'SELECT (extract(epoch FROM id_time(?)) * 1000)::bigint';

for my $kind (store_kinds())
{
	my $store = begin_store($kind);
	my $made = {};
	my @nodes = map { start_leased("$kind$_", $store->{address}, setting => settings_of($_)) } 0 .. ($kind eq 'postgresql' ? 5 : 3);
	my $next = take_at_once($kind, $made, @nodes);
	stop_under_load($kind, $made, $nodes[0], $nodes[1]);
	crash_far_ahead($kind, $made, $nodes[1], $next);
	crash_often($kind, $made, $nodes[2]);
	use_two_databases($kind, $nodes[3], $nodes[1]);
	crash_by_hand($kind, $store);
	lose_by_hand($kind, $made, $nodes[0]);
	end_lease($kind, $store, $made, $nodes[0]);
	end_keeper($kind, $made, $nodes[0]);
	$_->stop('immediate') for @nodes;
	draw_from_pool($kind, $store->{address});
	$store->{stop}->('immediate');
}

# The window of number 1 outlasts every pause of the machine.
sub settings_of
{
	my ($number) = @_;
	return $number == 1 ? { 'idgen.lease_window' => '5min', 'idgen.lease_ttl' => '10min' } : {};
}

# One that comes when another takes the number that it wants begins anew at a random one; gives the smallest that is left.
sub take_at_once
{
	my ($kind, $made, @nodes) = @_;
	my @drawings = map { begin_drawing($_) } @nodes;
	my @sessions = map { connect_to($_) } @nodes;
	wait_for_id($_) for @sessions;
	my %held = map { number_of($_) => 1 } @sessions;
	is(keys %held, scalar @nodes, "$kind: servers that start at once take a number each");
	ok($held{0}, "$kind: one of them takes the smallest");
	my @ids = map { end_drawing($_) } @drawings;
	cmp_ok(scalar @ids, '>', 0, "$kind: servers that start at once make IDs");
	is(repeated($made, @ids), 0, "$kind: none twice");
	$_->disconnect for @sessions;
	my ($left) = grep { !$held{$_} } 1 .. @nodes;
	return $left;
}

# A fast shutdown while eight sessions draw: R is lowered to what was used.
sub stop_under_load
{
	my ($kind, $made, $node, $other) = @_;
	my $session = connect_to($node);
	my $number = number_of($session);
	my $drawing = begin_drawing($node, 8);
	sleep 0.5;
	$session->disconnect;
	$node->stop('fast');
	my $stopped_ms = int(time * 1000);
	my @ids = end_drawing($drawing);
	is(repeated($made, @ids), 0, "$kind, a fast shutdown under load: no ID twice");
	my $last = (sort { $a <=> $b } @ids)[-1];
	my $watcher = connect_to($other);
	my $horizon_ms = row_of($watcher, $number)->{horizon_ms};
	cmp_ok($horizon_ms, '>', value_of($watcher, $ms_of, $last), "$kind: R lies above every ID that was made");
	cmp_ok($horizon_ms, '<=', $stopped_ms, "$kind: R does not lie above the time of the stop");
	$watcher->disconnect;
	$node->start;
	$session = connect_to($node);
	my @after = ids_of($session, 1000);
	is(number_of($session), $number, "$kind: the next start takes the same number");
	is(repeated($made, @after), 0, "$kind: none twice after it");
	cmp_ok($after[0], '>', $last, "$kind: the next start makes IDs above the last");
	$session->disconnect;
	return;
}

# R lies minutes ahead: after a crash of the server the number is found again, after one of its machine another is
# claimed.
sub crash_far_ahead
{
	my ($kind, $made, $node, $next) = @_;
	my $session = connect_to($node);
	my $number = number_of($session);
	repeated($made, ids_of($session, 1000));
	$session->disconnect;
	$session = crash_and_start($node);
	# If the system does not name its boot, the machine may have crashed.
	is(number_of($session), is_linux() ? $number : $next++, "$kind: after a crash with R far ahead the same number, if the boot is known");
	is(repeated($made, ids_of($session, 1000)), 0, "$kind: no ID twice");
	$session->disconnect;
	crash($node);
	forget_left($node);
	start_again($node);
	$session = connect_to($node);
	is(number_of($session), $next, "$kind: after a crash of the machine with R far ahead another number");
	is(repeated($made, ids_of($session, 1000)), 0, "$kind: no ID twice");
	is(row_of($session, $number)->{is_free}, 0, "$kind: the one before is not free until its lease is past");
	$session->disconnect;
	return;
}

# R lies seconds ahead, and there is no other number: the server keeps it, and waits if its machine crashed.
sub crash_by_hand
{
	my ($kind, $store) = @_;
	my $node = start_leased("$kind-hand", $store->{address}, setting => { 'idgen.shards' => '77', 'idgen.lease_window' => '10s', 'idgen.lease_ttl' => '1h', 'idgen.max_wait' => '1min' });
	my $session = connect_to($node);
	my %made;
	repeated(\%made, wait_for_id($session), ids_of($session, 1000));
	$session->disconnect;
	crash($node);
	forget_left($node);
	my $horizon_ms = $store->{rows}->()->{77}{horizon_ms};
	note sprintf '%s: R lies %d ms ahead of a crash', $kind, $horizon_ms - time * 1000;
	start_again($node);
	$session = connect_to($node);
	my $id = try_id($session);
	my $now_ms = time * 1000;
	ok(is_id($id),
		"$kind, a number by hand after a crash with R far ahead: next_id() waits, and does not fail") or diag $id;
	cmp_ok(value_of($session, $ms_of, $id), '>=', $horizon_ms, "$kind: IDs begin at R");
	cmp_ok($now_ms, '>=', $horizon_ms - 100, "$kind: no further ahead of the clock than IDs may lie");
	is(repeated(\%made, $id, ids_of($session, 1000)), 0, "$kind: no ID twice");
	is(number_of($session), 77, "$kind: the server keeps number 77");
	$session->disconnect;
	return $node->stop('immediate');
}

sub crash_often
{
	my ($kind, $made, $node) = @_;
	my ($lives, $repeated) = (0, 0);
	for (1 .. 6)
	{
		my $drawing = begin_drawing($node, 2);
		my $session = connect_to($node);
		$lives++ if wait_for_id($session);
		sleep 0.3;
		crash($node);
		$repeated += repeated($made, end_drawing($drawing));
		start_again($node);
	}
	is($lives, 6, "$kind, a server that crashes again and again: each life makes IDs");
	is($repeated, 0, "$kind: none twice");
	return;
}

# What one database used counts, and what the other did, whichever came last.
sub use_two_databases
{
	my ($kind, $node, $other) = @_;
	$node->safe_psql('postgres', 'CREATE DATABASE second');
	$node->safe_psql('second', 'CREATE EXTENSION idgen');
	for my $last (qw(postgres second))
	{
		my $number;
		for my $db ($last eq 'second' ? qw(postgres second) : qw(second postgres))
		{
			my $session = connect_to($node, db => $db);
			wait_for_id($session);
			$number //= number_of($session);
			is(number_of($session), $number, "$kind: database $db uses the server's number");
			$session->disconnect;
			sleep 0.1;
		}
		my $id = $node->safe_psql($last, 'SELECT next_id()');
		$node->stop;
		my $watcher = connect_to($other);
		cmp_ok(row_of($watcher, $number)->{horizon_ms}, '>', value_of($watcher, $ms_of, $id),
			"$kind: a stop keeps R above the IDs of database $last");
		$watcher->disconnect;
		$node->start;
	}
	return;
}

sub lose_by_hand
{
	my ($kind, $made, $node) = @_;
	my $session = connect_to($node);
	my $number = number_of($session);
	my $drawing = begin_drawing($node);
	my $other = connect_to($node);
	my $draw = 'SELECT id_shard(next_ids(1000000000)) AS shard';
	my $long = $other->prepare("SELECT shard FROM ($draw) AS made WHERE shard <> $number LIMIT 1", { pg_async => PG_ASYNC });
	$long->execute;
	wait_until($session, "SELECT ids > 0 FROM idgen.stat_backend WHERE pid = $other->{pg_pid}");
	is(value_of($session, 'SELECT idgen_lease.release(?)', $number), 1, "$kind: a number is taken from a live owner");
	wait_for('lost', sub { told($node, "has lost shard $number ") });
	wait_for_id($session);
	sleep 0.2;
	my $next = eval { $long->pg_result && $long->fetchrow_arrayref->[0] };
	isnt($next, undef, "$kind: a statement that runs meanwhile begins with one number and ends with another");
	$other->disconnect;
	is(repeated($made, end_drawing($drawing)), 0,
		"$kind: a server that lost its number goes on with another, no ID twice");
	my $now = number_of($session);
	is(row_of($session, $now)->{is_free}, 0, "$kind: the number that the registry gives is the server's own");
	fails_with($session, 'SELECT idgen_lease.release(-1)', '22023', qr/must not be negative/,
		"$kind: a negative number");
	is(value_of($session, 'SELECT idgen_lease.release(?)', $now == 999 ? 998 : 999), 0, "$kind: one that nobody has");
	$session->disconnect;
	return;
}

# Its lease is past before its time, as when the registry's clock went ahead: first no server claims the number, then
# one does.
sub end_lease
{
	my ($kind, $store, $made, $node) = @_;
	my $session = connect_to($node);
	wait_for_id($session);
	my ($number, $keeper) = (number_of($session), keeper_of($session));
	my $lost = told($node, 'has lost shard');
	my $drawing = begin_drawing($node);
	IdgenEtcd::halt($keeper);
	my $horizon_ms = row_of($session, $number)->{horizon_ms};
	$store->{end_lease}->($number);
	is(row_of($session, $number)->{is_free}, 1, "$kind, a lease that ends while its owner runs: the number is free");
	kill 'CONT', $keeper;
	my $row = wait_for('an extension', sub { my $now = row_of($session, $number); return $now->{horizon_ms} > $horizon_ms && $now });
	cmp_ok($row->{left_s}, '>', 0, "$kind: the next extension is granted, with a lease again");
	is(told($node, 'has lost shard'), $lost, "$kind: a keeper that was halted never lost the number");
	is(number_of($session), $number, "$kind: a server whose keeper was halted goes on with its number");

	my $rival = start_leased("taker-$kind", $store->{address}, setting => { 'idgen.lease_range' => "$number-$number" });
	my $second = connect_to($rival);
	IdgenEtcd::halt($keeper);
	$store->{end_lease}->($number);
	my $first = wait_for_id($second);
	kill 'CONT', $keeper;
	wait_for('lost', sub { told($node, "has lost shard $number ") });
	my @drawn = end_drawing($drawing);
	my @ids = (wait_for_id($session), ids_of($session, 1000), $first, ids_of($second, 1000));
	isnt(number_of($session), $number, "$kind: a server whose number was taken goes on with another");
	is(repeated($made, @drawn, @ids), 0, "$kind: no ID twice");
	cmp_ok((of_number($number, @drawn))[-1], '<', $first,
		"$kind: the last ID of a number that was taken lies below the first of the next owner");
	$_->disconnect for $session, $second;
	return $rival->stop('immediate');
}

# Only the process ends: asked to, and by a signal that restarts the server. A stop whose answer comes late does not
# count: so it may take some tries.
sub end_keeper
{
	my ($kind, $made, $node) = @_;
	my $session = connect_to($node);
	my $drawing = begin_drawing($node);
	my $is_again = 0;
	for (1 .. 5)
	{
		my ($number, $keeper) = (number_of($session), keeper_of($session));
		$session->do('SELECT pg_terminate_backend(?)', undef, $keeper);
		eval { wait_for('another keeper', sub { my $now = keeper_of($session); $now && $now != $keeper }) }
		  or die $@, `ps -o pid,stat,wchan,etime,args --ppid $node->{_pid}`, grep { !/ STATEMENT: / } (split /^/, slurp_file($node->logfile))[ -100 .. -1 ];
		wait_for_id($session);
		$is_again = number_of($session) == $number and last;
	}
	ok($is_again, "$kind: a keeper that was ended is started again, and claims its number again");
	$session->do('SELECT pg_cancel_backend(?)', undef, keeper_of($session));
	sleep 0.2;
	is(repeated($made, end_drawing($drawing)), 0, "$kind: no ID twice");
	kill 'KILL', wait_for('a keeper', sub { keeper_of($session) });
	wait_for('a restart', sub { !eval { $session->do('SELECT 1') } });
	$session = wait_for('a session', sub { connect_to($node) });
	wait_for_id($session);
	is(repeated($made, ids_of($session, 1000)), 0,
		"$kind: no ID twice after the keeper was killed and the server restarted");
	$session->disconnect;
	return;
}

# Three numbers, eight sessions; one that came before the other numbers were there draws from them too.
sub draw_from_pool
{
	my ($kind, $address) = @_;
	my $node = start_leased("pool-$kind", $address, setting => { 'idgen.lease_count' => 3, 'idgen.lease_range' => '10-12' });
	note sprintf '%s: the first ID of a fresh server after %d ms', $kind, first_id($node);
	my $session = connect_to($node);
	my $first = wait_for_id($session);
	my $drawing = begin_drawing($node, 8);
	my $numbers = sub {
		return $session->selectcol_arrayref('SELECT DISTINCT id_shard(id, l) FROM (SELECT ?::id_layout) AS _(l), next_ids(300, layout => l) AS id ORDER BY 1',
			undef, few_a_tick());
	};
	wait_for('three numbers', sub { @{ $numbers->() } == 3 });
	my ($held, $other) = @{ $numbers->() };
	my @ids = end_drawing($drawing);
	is(repeated({}, $first, @ids), 0, "$kind, a pool of three numbers, eight sessions: no ID twice");
	is(value_of($session, 'SELECT id_shard(next_id(?))', $held), $held, "$kind: a number that is held can be named");
	fails_with($session, 'SELECT next_id(1000)', '22023', qr/1000.*\nDETAIL:.*\nHINT:/s,
		"$kind: one that is not cannot");
	lose_one($kind, $address, $node, $session, $numbers);
	$session->do('SET idgen.region = 1');
	fails_with($session, 'SELECT next_id(layout => $$twitter$$)', '22023', qr/have no region beside them/,
	  "$kind: a region beside numbers of the registry is refused");
	$session->disconnect;
	$node->stop;
	return;
}

# One of three numbers is lost, and there is no other: the rest is used.
sub lose_one
{
	my ($kind, $address, $node, $session, $numbers) = @_;
	my $rival = start_leased("rival-$kind", $address, setting => { 'idgen.lease_range' => '11-11' });
	my $second = connect_to($rival);
	my $keeper = keeper_of($session);
	kill 'STOP', $keeper;
	value_of($session, 'SELECT idgen_lease.release(11)');
	wait_for_id($second);
	kill 'CONT', $keeper;
	wait_for('lost', sub { told($node, 'has lost shard 11') });
	is_deeply(eval { $numbers->() }, [ 10, 12 ], "$kind: where one is lost the others are used");
	my @sessions = map { connect_to($node) } 1 .. 6;
	is_deeply([ grep { !is_id($_) } map { try_id($_) } @sessions ], [],
		"$kind: where one is lost every session has an ID");
	$_->disconnect for @sessions;
	$second->disconnect;
	return $rival->stop('immediate');
}

# What is set wrong, and what is missing.
sub check_settings
{
	my $node = start_node('settings', conf => [ q{idgen.shards = 'lease'}, q{idgen.max_wait = '1s'} ]);
	my $session = connect_to($node);
	fails_to_draw($session, qr/DETAIL:  idgen\.shards is "lease", and idgen\.registry is not set\.\nHINT:  ALTER SYSTEM SET idgen\.registry/, 'no registry');
	fails_with($session, "ALTER SYSTEM SET $_->[0] = '$_->[1]'", '22023', qr/$_->[2]/, "$_->[0] = $_->[1]")
	  for [ 'idgen.lease_ttl', '4s', '0 or at least 5 s' ], [ 'idgen.lease_window', '500ms', 'outside the valid range for parameter "idgen.lease_window"' ],
	  [ 'idgen.lease_range', '1-2,5', 'one shard or one range' ], [ 'idgen.lease_range', '', 'one shard or one range' ],
	  [ 'idgen.lease_range', 'lease', 'one shard or one range' ], [ 'idgen.lease_count', '0', 'outside the valid range for parameter "idgen.lease_count"' ],
	  [ 'idgen.lease_count', '65', 'outside the valid range for parameter "idgen.lease_count"' ];
	fails_with($session, q{SET idgen.registry = 'host=localhost'}, '55P02', qr/cannot be changed without restarting/,
		'the registry of a running server');
	$session->disconnect;
	$node->append_conf('postgresql.conf', q{idgen.registry = 'host=/nowhere dbname=none'});
	$node->restart;
	$session = connect_to($node);
	fails_to_draw($session, qr/does not run\.\nHINT:.*shared_preload_libraries = idgen, idgen_lease;/s, 'without the library idgen_lease');
	$session->disconnect;
	$node->append_conf('postgresql.conf', q{shared_preload_libraries = 'idgen, idgen_lease'});
	$node->restart;
	$session = connect_to($node);
	fails_to_draw($session, qr/the extension idgen_lease is not in database "postgres"/, 'without the extension idgen_lease');
	$session->do('CREATE EXTENSION idgen_lease');
	wait_for('a reason', sub { try_id($session) =~ /nowhere/ });
	pass('a registry that is not there is named');
	$session->disconnect;
	return $node->stop;
}

check_settings();

done_testing();
