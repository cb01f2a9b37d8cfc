# A machine that is resumed from a snapshot of its memory, as far as one machine can show it: a server stands still, the
# word by which its host tells of copies changes, and it goes on with the memory that it had; beside it runs a copy of
# its disk, for which the word is the same. No ID, number or ticket of before comes again, and no answer to a call of
# before counts. For each kind of registry.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use DBD::Pg qw(:async);
use IdgenEtcd;
use IdgenHost qw(write_generation write_page);
use IdgenLease;
use IdgenMany;
use IdgenNode;
use IdgenStore;
use PostgreSQL::Test::Utils;
use Test::More;

# No number of before is free again while the file runs.
my %setting = ('idgen.lease_window' => '1min', 'idgen.lease_ttl' => '1h', 'idgen.max_wait' => '60s');
my $folder = PostgreSQL::Test::Utils::tempdir();
my $copied = 'this machine was resumed from a snapshot of its memory$';
my $block = 10;
my $generation = 0;

for my $kind (store_kinds())
{
	my $store = begin_store($kind);
	two_copies($kind, $store);
	by_hand($kind, $store);
	if ($kind eq 'postgresql') { answers_of_before($store); keepers_of_before($store) }
	$store->{stop}->('immediate');
}
own_registry();
done_testing();

# Two sessions are in the middle of a statement, another draws all the time.
sub two_copies
{
	my ($kind, $store) = @_;
	my $node = start_told("$kind-node", $store->{address});
	my $session = connect_to($node);
	make_counter($store, $session, 'orders', $block);
	my (%ids, %tickets);
	is(number_of($session), 0, "$kind: the number of before");
	is(repeated(\%ids, ids_of($session, 500)), 0, "$kind: IDs of before");
	is(repeated(\%tickets, tickets_of($session, 25)), 0, "$kind: tickets of before");
	my $gate = connect_to($node);
	$gate->do('SELECT pg_advisory_lock(1)');
	my $wait = 'CASE WHEN i = 500 THEN pg_advisory_lock_shared(1) IS NULL END';
	my $in_block = begin_statement($node, "SELECT id, $wait FROM (SELECT next_ids(1000) AS id, generate_series(1, 1000) AS i) AS s");
	my $in_order = begin_statement($node, "SELECT next_id(), next_ticket('orders'), $wait FROM generate_series(1, 1000) AS i");
	wait_until($gate, q{SELECT count(*) = 2 FROM pg_stat_activity WHERE wait_event = 'advisory'});
	my $drawing = begin_drawing($node);
	wait_for('IDs', sub { -s (values %{ $drawing->{makers} })[0] });
	stand_still($node);
	my $copy = copy_node($node, "$kind-copy", q{idgen.machine_generation = '} . word_file("$kind-copy") . q{'});
	unlink $copy->data_dir . '/postmaster.pid';
	$generation++;
	tell_host($_) for $node, $copy;
	start_again($copy);
	thaw($node);

	$gate->do('SELECT pg_advisory_unlock(1)');
	my @in_block = map { $_->[0] } @{ end_statement($in_block) };
	my @in_order = @{ end_statement($in_order) };
	fails_with($_, 'COMMIT', '40001', qr/resumed from a snapshot of its memory while the transaction was open/, "$kind: a statement under way is not committed")
	  for $in_block, $in_order;
	my $there = connect_to($copy);
	my ($here_number, $there_number) = map { number_of($_) } $session, $there;
	is(scalar(grep { $_ == 0 } $here_number, $there_number), 0, "$kind: neither goes on with the number of before");
	isnt($here_number, $there_number, "$kind: nor do both take the same one");
	is(scalar(() = of_number(0, @in_block[ 0 .. 499 ])), 500, "$kind: a block, as long as the machine was not copied");
	is(scalar(() = of_number(0, @in_block[ 500 .. 999 ])), 0, "$kind: the rest of it is left");
	is(repeated(\%ids, @in_block, map { $_->[0] } @in_order), 0, "$kind: no ID twice in statements that were under way");
	is(repeated(\%ids, ids_of($session, 500), ids_of($there, 500), end_drawing($drawing)), 0, "$kind: no ID twice");
	is(repeated(\%tickets, map { $_->[1] } @in_order), 0, "$kind: no ticket twice in a statement that was under way");
	is(repeated(\%tickets, tickets_of($session, 25), tickets_of($there, 25)), 0, "$kind: no ticket twice");
	is(told($node, qr/$copied/m), 1, "$kind: the log says it once");

	# Nobody gives up what all copies hold.
	$_->disconnect for $session, $there, $gate, $in_block, $in_order;
	$_->stop('fast') for $node, $copy;
	my $rows = $store->{rows}->();
	my @held = map { $rows->{$_}{incarnation} ? 1 : 0 } 0, $here_number, $there_number;
	is("@held", '1 0 0', "$kind: a clean stop gives up the numbers of after, and no other");
	return;
}

# A number that was given by hand is held by the machine of before: the server waits for its end.
sub by_hand
{
	my ($kind, $store) = @_;
	my $node = start_told("$kind-hand", $store->{address}, 'idgen.shards' => '7', 'idgen.max_wait' => '0');
	my $session = connect_to($node);
	my %ids;
	is(repeated(\%ids, wait_for_id($session), ids_of($session, 100)), 0, "$kind: by hand: IDs of before");
	resume_again($node);
	wait_for('a refusal', sub { try_id($session) =~ /shard 7 is held by/ });
	pass("$kind: by hand: the number is not claimed as its own");
	value_of($session, 'SELECT idgen_lease.release(7)');
	is(repeated(\%ids, wait_for_id($session), ids_of($session, 100)), 0, "$kind: by hand: released, no ID twice");
	$session->disconnect;
	$node->stop('immediate');
	forget_left($node);
	return;
}

# The registry answers calls that were sent before.
sub answers_of_before
{
	my ($store) = @_;
	my ($owner, $watcher) = map { connect_to($store->{node}) } 1, 2;
	# A claim.
	$owner->do('BEGIN');
	$owner->do('LOCK TABLE idgen_registry.lease IN SHARE MODE');
	my $node = start_told('answers', $store->{address});
	wait_until($watcher, q{SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ~ 'idgen_registry.claim' AND pid <> pg_backend_pid())});
	resume_again($node);
	$owner->do('COMMIT');
	my $session = connect_to($node);
	wait_for_id($session);
	is(told($node, 'claimed shard'), 1, 'a claim of before: its answer does not count');

	# A block of a counter, half of the one before being used. A call waits for the lock for some seconds only.
	my $counts = 1;
	for my $name (map { "bills$_" } 1 .. 5) { last unless $counts = counts_block($store, $node, $session, $owner, $watcher, $name) }
	ok(!$counts, 'a block of before: its answer does not count');
	$_->disconnect for $session, $owner, $watcher;
	$node->stop('immediate');
	forget_left($node);
	return;
}

# Whether one call was enough for a number of after: then its answer counted, or the call was not executed.
sub counts_block
{
	my ($store, $node, $session, $owner, $watcher, $name) = @_;
	my $fetching = q{EXISTS (SELECT FROM pg_stat_activity WHERE state <> 'idle' AND query ~ 'idgen_registry.fetch' AND pid <> pg_backend_pid() %s)};
	make_counter($store, $session, $name, $block);
	my @before = map { value_of($session, 'SELECT next_ticket(?)', $name) } 1 .. $block / 2 - 1;
	$owner->do('BEGIN');
	$owner->do('LOCK TABLE idgen_registry.counter IN SHARE MODE');
	push @before, value_of($session, 'SELECT next_ticket(?)', $name);
	wait_until($watcher, sprintf "SELECT $fetching", q{AND wait_event_type = 'Lock'});
	resume_again($node);
	my $asking = begin_statement($node, "SELECT next_ticket('$name')");
	wait_until($session, "SELECT left_out > 0 FROM idgen_lease.stat_counter WHERE name = '$name'");
	$owner->do('COMMIT');
	my $ticket = end_statement($asking)->[0][0];
	wait_until($watcher, sprintf "SELECT NOT $fetching", '');
	cmp_ok($ticket, '>', $block, "a block of before: after @before the rest is left out");
	$asking->disconnect;
	return value_of($owner, 'SELECT next FROM idgen_registry.counters() WHERE name = ?', $name) <= 2 * $block + 1;
}

# The keeper ends before it has seen the change: killed, and the whole server with it; by an error, and another one finds
# its numbers in shared memory; by its usual end, as when the server stops.
sub keepers_of_before
{
	my ($store) = @_;
	my $node = start_told('keepers', $store->{address});
	my $session = connect_to($node);
	my (%ids, %numbers);
	is(repeated(\%ids, ids_of($session, 500)), 0, 'keeper: IDs of before');
	for my $signal ('KILL', 'INT', 'TERM')
	{
		my $number = number_of($session);
		$numbers{$number}++;
		my $keeper = keeper_of($session);
		stand_still($node);
		resume_again($node);
		kill $signal, $keeper;
		thaw($node);
		wait_for('another keeper', sub { my $other = eval { keeper_of($session) }; $session = connect_to($node) unless defined $other; return $other && $other != $keeper });
		is(repeated(\%ids, ids_of($session, 500)), 0, "keeper: SIG$signal: no ID twice");
		ok(!$numbers{ number_of($session) }, "keeper: SIG$signal: another number");
		ok($store->{rows}->()->{$number}{incarnation}, "keeper: SIG$signal: the one of before is not given up");
	}
	$session->disconnect;
	$node->stop('immediate');
	forget_left($node);
	return;
}

# A registry on the server itself is copied with it.
sub own_registry
{
	my $file = word_file('own');
	my $node = start_node('own', extension => 0, conf => [ 'shared_buffers = 8MB', 'autovacuum = off' ]);
	$node->safe_psql('postgres', 'CREATE DATABASE registry; CREATE ROLE node_role LOGIN; CREATE EXTENSION idgen; CREATE EXTENSION idgen_lease');
	$node->safe_psql('registry', "CREATE EXTENSION idgen_registry; GRANT idgen_node TO node_role; SELECT idgen_registry.create_counter('orders', block => $block)");
	my $address = address_of($node) =~ s/dbname=\w+/dbname=registry/r;
	$node->append_conf('postgresql.conf', $_) for lease_conf($address, %setting, 'idgen.machine_generation' => $file);
	$node->restart;
	my $session = connect_to($node);
	my (%ids, %tickets);
	is(repeated(\%ids, ids_of($session, 100)), 0, 'own registry: IDs of before');
	is(repeated(\%tickets, tickets_of($session, 5)), 0, 'own registry: tickets of before');
	my $is_refused = sub {
		my ($what) = @_;
		my $why = qr/resumed from a snapshot of its memory with the registry in it: call idgen_lease\.confirm_registry\(\)/;
		$session->do(q{SET idgen.max_wait = '0'});
		wait_for('a refusal', sub { try_id($session) =~ $why });
		fails_to_draw($session, $why, "own registry: $what: no ID");
		fails_with($session, q{SELECT next_ticket('orders')}, '55000', $why, "own registry: $what: no ticket");
		$session->do('RESET idgen.max_wait');
	};
	resume_again($node);
	$is_refused->('copied');
	$session->disconnect;
	$node->restart;
	$session = connect_to($node);
	$is_refused->('after a restart');
	value_of($session, 'SELECT idgen_lease.confirm_registry()');
	is(repeated(\%ids, ids_of($session, 100)), 0, 'own registry: confirmed, no ID twice');
	is(repeated(\%tickets, tickets_of($session, 5)), 0, 'own registry: confirmed, no ticket twice');

	# The server ends before its keeper has seen the change.
	my $keeper = keeper_of($session);
	$session->disconnect;
	kill 'STOP', $keeper;
	resume_again($node);
	kill 'TERM', $keeper;
	kill 'CONT', $keeper;
	$node->restart;
	$session = connect_to($node);
	$is_refused->('ended before it was seen');
	value_of($session, 'SELECT idgen_lease.confirm_registry()');
	is(repeated(\%ids, ids_of($session, 100)), 0, 'own registry: confirmed again, no ID twice');

	# A process is killed, and all end with it, before the keeper has seen it. Once that is confirmed, another crash changes
	# nothing.
	my $crash = sub {
		my ($before) = @_;
		$keeper = keeper_of($session);
		stand_still($node);
		$before->();
		kill 'KILL', $keeper;
		thaw($node);
		wait_for('another keeper', sub { my $other = eval { keeper_of($session) }; $session = connect_to($node) unless defined $other; return $other && $other != $keeper });
	};
	$crash->(sub { resume_again($node) });
	$is_refused->('a crash before it was seen');
	value_of($session, 'SELECT idgen_lease.confirm_registry()');
	is(repeated(\%ids, ids_of($session, 100)), 0, 'own registry: confirmed after a crash, no ID twice');
	$crash->(sub { });
	is(repeated(\%ids, ids_of($session, 100)), 0, 'own registry: another crash, no ID twice');
	is(repeated(\%tickets, tickets_of($session, 5)), 0, 'own registry: another crash, no ticket twice');
	$session->disconnect;
	$node->stop('immediate');
	return;
}

# A server to which a file of its own tells of copies.
sub start_told
{
	my ($name, $address, %more) = @_;
	return start_leased($name, $address, setting => { %setting, 'idgen.machine_generation' => word_file($name), %more }, conf => [ small_server() ]);
}

# A file of the form of /dev/vmclock0, whose generation is 0.
sub word_file
{
	my ($name) = @_;
	write_page("$folder/$name");
	return "$folder/$name";
}

# Tells a node that its machine was resumed once more; or as often as the last one that was told so.
sub resume_again { my ($node) = @_; $generation++; return tell_host($node) }

sub tell_host { my ($node) = @_; return write_generation("$folder/" . $node->name, $generation) }

# Stops all processes of a server, and waits until they stand.
sub stand_still
{
	my ($node) = @_;
	freeze($node);
	return IdgenEtcd::halt($node->{_pid}, processes_of($node));
}

sub tickets_of { my ($session, $count) = @_; return map { value_of($session, q{SELECT next_ticket('orders')}) } 1 .. $count }

# Begins a statement in a session of its own; its rows.
sub begin_statement
{
	my ($node, $sql) = @_;
	my $session = connect_to($node);
	$session->do('BEGIN');
	$session->{private_statement} = $session->prepare($sql, { pg_async => PG_ASYNC });
	$session->{private_statement}->execute;
	return $session;
}

sub end_statement
{
	my ($session) = @_;
	$session->pg_result;
	return $session->{private_statement}->fetchall_arrayref;
}
