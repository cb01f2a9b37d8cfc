# A registry that is locked, or slow.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use DBD::Pg qw(:async);
use IdgenEtcd;
use IdgenLease;
use IdgenNode;
use IdgenProxy;
use IdgenStore;
use IdgenStoreCalls;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

# What somebody locks at a registry in PostgreSQL, or a standby that it waits for in vain, holds up what it must and
# nothing else: other counters and the IDs go on, the words name who it is, no node fills the registry's server with
# calls that it has given up, and all is over when it is over.
{
	my $registry = start_registry('registry', init => { allows_streaming => 1 }, conf => [ 'max_prepared_transactions = 5', 'max_connections = 60' ]);
	my $address = address_of($registry);
	my ($owner, $locker) = map { connect_to($registry) } 1, 2;
	$owner->do("SELECT idgen_registry.create_counter('$_', block => 1, max_block => 1)") for qw(one other);
	$owner->do($_) for q{ALTER SYSTEM SET synchronous_standby_names = ''}, q{CREATE ROLE app LOGIN};
	my %setting = ('idgen.lease_window' => '16s', 'idgen.lease_ttl' => '1h', 'idgen.max_wait' => '3s', 'idgen.max_lead' => '1h');
	my @nodes = map { start_leased("node$_", $address, setting => \%setting) } 1, 2;
	my @sessions = map { connect_to($_) } @nodes;
	my (%ids, %tickets);

	# Draws of each kind on each node, whose errors are given back.
	sub draw_id { my ($session) = @_; my $tried = try_id($session); repeated(\%ids, $tried) and die "twice: $tried" if is_id($tried); return $tried }
	sub draw_ticket
	{
		my ($session, $name) = @_;
		my $ticket = eval { value_of($session, 'SELECT next_ticket(?)', $name) } // return $session->state . ' ' . $session->errstr;
		$tickets{$name}{$ticket}++ and die "twice: $name $ticket";
		return $ticket;
	}
	sub row { my ($session, $key) = @_; return $session->selectrow_hashref('SELECT value, ok::int AS ok, advice FROM idgen.status() WHERE key = ?', undef, $key) }

	# The most connections of nodes at the registry, and how far R of a number has come.
	my $most = 0;
	sub connections
	{
		my $count = value_of($owner, q{SELECT count(*) FROM pg_stat_activity WHERE usename = 'node_role'});
		$most = $count if $count > $most;
		return $count;
	}
	sub horizon { my ($number) = @_; return value_of($owner, 'SELECT horizon_ms FROM idgen_registry.lease WHERE number = ?', $number) }

	# For some rounds of calls that are given up: all IDs come, and all tickets of a counter.
	sub go_on
	{
		my ($what, $seconds, $counter) = @_;
		my $end = time + $seconds;
		my @failed;
		while (time < $end)
		{
			push @failed, grep { !is_id($_) } map { (draw_id($_), $counter ? draw_ticket($_, $counter) : ()) } @sessions;
			connections();
			sleep 0.02;
		}
		is_deeply(\@failed, [], "$what: every draw has its number");
		return;
	}
	sub is_over
	{
		my ($what) = @_;
		wait_for("$what is over", sub { !grep { !is_id(draw_id($_)) || draw_ticket($_, 'one') !~ /^\d+$/ || draw_ticket($_, 'other') !~ /^\d+$/ } @sessions });
		my $are_well = sub { my ($session) = @_; return row($session, 'counters')->{value} eq '2 in use' && !grep { !row($session, $_)->{ok} } qw(registry lease counters) };
		ok(wait_for("$what is over in status()", sub { !grep { !$are_well->($_) } @sessions }),
			"$what: all is well by itself when it is over");
		return;
	}
	wait_for_id($_) for @sessions;
	is_over('the beginning');
	my @numbers = map { number_of($_) } @sessions;

	# One counter, in each way to lock it.
	my %lock = (
		'an open transaction' => [ 'BEGIN', q{SELECT idgen_registry.set_counter_block('one', 1, 1)} ],
		'a prepared transaction' => [ 'BEGIN', q{SELECT idgen_registry.set_counter_block('one', 1, 1)}, q{PREPARE TRANSACTION 'left'} ],
		'a reader' => [ 'BEGIN', q{SELECT FROM idgen_registry.counter WHERE name = 'one' FOR SHARE} ],
		'a table' => [ 'BEGIN', 'LOCK TABLE idgen_registry.counter IN ACCESS EXCLUSIVE MODE' ]);
	for my $what (sort keys %lock)
	{
		my @before = map { horizon($_) } @numbers;
		my $pid = value_of($locker, 'SELECT pg_backend_pid()');
		$locker->do($_) for @{ $lock{$what} };
		my $who = $what =~ /prepared/ ? q{the prepared transaction 'left' there} : "process $pid there";
		wait_for("$what is named", sub { draw_ticket($sessions[0], 'one'); row($sessions[0], 'counters')->{value} =~ /counter "one" is locked by \Q$who\E/ });
		my $is_table = $what =~ /table/;
		like(draw_ticket($sessions[0], 'one'),
			qr/^55000 .*this server holds no number of counter "one".*It is locked at the registry by \Q$who\E.*Waited for 3/s,
			"$what: the error names it");
		go_on($what, 2, $is_table ? undef : 'other');
		is(row($sessions[1], 'registry')->{ok}, 1, "$what: the registry is not blamed");
		wait_for("$what: R is extended", sub { !grep { horizon($numbers[$_]) <= $before[$_] } 0, 1 });
		$locker->do($what =~ /prepared/ ? q{ROLLBACK PREPARED 'left'} : 'ROLLBACK');
		is_over($what);
	}

	# One lock follows another.
	{
		my ($first, $second) = map { connect_to($registry) } 1, 2;
		my @pids = map { value_of($_, 'SELECT pg_backend_pid()') } $first, $second;
		my $lock = q{SELECT FROM idgen_registry.counter WHERE name = 'one' FOR UPDATE};
		my $is_named = sub { my ($pid) = @_; draw_ticket($sessions[0], 'one'); return row($sessions[0], 'counters')->{value} =~ /locked by process $pid there/ };
		$first->do($_) for 'BEGIN', $lock;
		wait_for('the first is named', sub { $is_named->($pids[0]) });
		$second->do('BEGIN');
		$second->do($lock, { pg_async => PG_ASYNC });
		$first->do('ROLLBACK');
		$second->pg_result;
		wait_for('the second is named', sub { $is_named->($pids[1]) });
		$_->disconnect for $first, $second;
		is_over('one lock after another');
	}

	# What the owner leaves open.
	$locker->do($_) for 'BEGIN', q{SELECT idgen_registry.set_max_ahead('15 min')}, 'SELECT idgen_registry.set_largest_number(5000)';
	my @before = map { horizon($_) } @numbers;
	go_on('limits', 2, 'other');
	wait_for('limits: R is extended', sub { !grep { horizon($numbers[$_]) <= $before[$_] } 0, 1 });
	$locker->do('ROLLBACK');
	for my $call ('idgen_registry.forget()', q{idgen_registry.advance(at => now() + '10 min')})
	{
		local $locker->{PrintWarn} = 0;
		$locker->do($_) for 'BEGIN', "SELECT $call";
		is(value_of($locker, 'SHOW idle_in_transaction_session_timeout'), '20s',
			"$call: an open transaction of it does not last");
		$locker->do($_) for 'ROLLBACK', 'BEGIN', q{SET LOCAL idle_in_transaction_session_timeout = '10s'}, "SELECT $call";
		is(value_of($locker, 'SHOW idle_in_transaction_session_timeout'), '10s',
			"$call: an open transaction does not last longer than was set");
		$locker->do('ROLLBACK');
	}

	# What a node leaves open holds up forget(), but forget() then no node; nor does it while it waits for another lock.
	{
		my ($member, $waiting) = (connect_to($registry, user => 'node_role'), connect_to($registry));
		$owner->do(q{INSERT INTO idgen_registry.lease VALUES (4999, 'x', 'y', 0, 0, now() - interval '90 days', 'old', 1, 1, now())});
		$member->do($_) for 'BEGIN', 'SELECT idgen_registry.release(4999)';
		$waiting->do('SELECT idgen_registry.forget()', { pg_async => PG_ASYNC });
		go_on('forget() that waits for a node', 4, 'other');
		is($waiting->pg_ready, 0, 'forget() waits for what a node leaves open');
		$member->do('ROLLBACK');
		$waiting->pg_result;
		$owner->do(q{INSERT INTO idgen_registry.lease VALUES (4999, NULL, NULL, 0, 0, now() - interval '90 days', 'old', 1, 1, now()) ON CONFLICT DO NOTHING});
		$locker->do($_) for 'BEGIN', 'SELECT FROM idgen_registry.lease WHERE number = 4999 FOR UPDATE';
		fails_with($waiting, 'SELECT idgen_registry.forget()', '55P03', qr/lock timeout/,
			'forget() waits for no lock for long');
		$locker->do('ROLLBACK');
		is_over('forget()');
		$_->disconnect for $member, $waiting;
	}

	# The row of a number: the node leaves it for another before its IDs end, and draws all the time.
	$locker->do($_) for 'BEGIN', "SELECT FROM idgen_registry.lease WHERE number = $numbers[0] FOR UPDATE";
	$sessions[0]->do(q{SET idgen.max_wait = '3s'});
	my @failed;
	wait_for('another number', sub { push @failed, grep { !is_id($_) } draw_id($sessions[0]); connections(); return number_of($sessions[0]) != $numbers[0] });
	is_deeply(\@failed, [], 'a row: no draw fails');
	ok(told($nodes[0], qr/leaves a shard that it cannot keep: shard $numbers[0] is locked by process \d+ there/),
		'a row: the log says why');
	$locker->do('ROLLBACK');
	$sessions[0]->do('RESET idgen.max_wait');
	is_over('a row');
	$numbers[0] = number_of($sessions[0]);

	# The row of the smallest number that is free: a node that looks for one takes another.
	{
		my $change = sub { my ($count) = @_; $sessions[1]->do($_) for "ALTER SYSTEM SET idgen.lease_count = $count", 'SELECT pg_reload_conf()'; return };
		my $held = sub { return value_of($sessions[1], 'SELECT count(*) FROM idgen.stat_lease WHERE held') };
		my $first = value_of($owner, 'SELECT min(n) FROM generate_series(0, 9) AS n WHERE n NOT IN (SELECT number FROM idgen_registry.list())');
		$owner->do(q{INSERT INTO idgen_registry.lease VALUES (?, NULL, NULL, 0, 0, now() - interval '1 day', 'old', 1, 1, now())}, undef, $first);
		$locker->do($_) for 'BEGIN', "SELECT FROM idgen_registry.lease WHERE number = $first FOR UPDATE";
		$change->(2);
		ok(wait_for('two numbers', sub { $held->() == 2 }), 'the first row that is free: another number is claimed');
		is(value_of($owner, "SELECT is_free::int FROM idgen_registry.list() WHERE number = $first"), 1, 'the first row that is free: it is not');
		$locker->do('ROLLBACK');
		$change->(1);
		wait_for('one number', sub { $held->() == 1 });
		is_over('the first row that is free');
	}

	# Many rows of numbers at once: a round waits for one of them, and the counters go on between.
	{
		my $change = sub { my ($count) = @_; $sessions[0]->do($_) for "ALTER SYSTEM SET idgen.lease_count = $count", 'SELECT pg_reload_conf()'; return };
		my $held = sub { return value_of($sessions[0], 'SELECT count(*) FROM idgen.stat_lease WHERE held') };
		$change->(20);
		wait_for('twenty numbers', sub { $held->() == 20 });
		$locker->do($_) for 'BEGIN', 'SELECT count(*) FROM (SELECT FROM idgen_registry.lease FOR UPDATE) AS l';
		$sessions[0]->do(q{SET idgen.max_wait = '10s'});
		my ($end, @refused) = (time + 12);
		while (time < $end) { push @refused, grep { !/^\d+$/ } draw_ticket($sessions[0], 'other'); sleep 0.05 }
		is_deeply(\@refused, [], 'all rows: every ticket comes');
		$locker->do('ROLLBACK');
		$change->(1);
		wait_for('one number', sub { $held->() == 1 });
		$sessions[0]->do('RESET idgen.max_wait');
		is_over('all rows');
	}

	# The table of numbers, and a standby that is gone: IDs go on as far as R. No call of a session waits for longer than
	# the registry lets it.
	for my $fault ('the table of numbers', 'a standby')
	{
		my $is_table = $fault =~ /table/;
		$locker->do($_) for $is_table ? ('BEGIN', 'LOCK TABLE idgen_registry.lease IN ACCESS EXCLUSIVE MODE') : (q{ALTER SYSTEM SET synchronous_standby_names = 'nobody'}, 'SELECT pg_reload_conf()');
		my $calls = $is_table ? 'SELECT count(*) FROM idgen_lease.nodes()' : 'SELECT count(*) FROM idgen_lease.counters()';
		if ($is_table) { fails_with($sessions[0], $calls, '55P03', qr/another transaction at the registry locks the row/, "$fault: a session's call") }
		else           { cmp_ok(value_of($sessions[0], $calls), '==', 2, "$fault: a session reads") }
		wait_for("$fault: no more IDs", sub { connections(); !grep { is_id(draw_id($_)) } @sessions });
		for (1 .. 200) { connections(); sleep 0.05 }
		$locker->do($_) for $is_table ? 'ROLLBACK' : (q{ALTER SYSTEM SET synchronous_standby_names = ''}, 'SELECT pg_reload_conf()');
		is_over($fault);
	}
	# Who locks the row of a number is told those who watch, and no others.
	{
		my $row = q{4990, NULL, NULL, 0, 0, now(), 'old', 1, 1, now()};
		$owner->do("INSERT INTO idgen_registry.lease VALUES ($row)");
		$locker->do($_) for 'BEGIN', 'SELECT FROM idgen_registry.lease WHERE number = 4990 FOR UPDATE';
		$sessions[0]->do($_) for 'CREATE ROLE plain LOGIN', 'CREATE ROLE watcher LOGIN IN ROLE pg_monitor', map { "ALTER ROLE $_ SET idgen.shards = '4990'" } qw(plain watcher);
		my %as = map { $_ => connect_to($nodes[0], user => $_) } qw(plain watcher);
		my $words_to = sub { my ($role) = @_; return join ' | ', try_id($as{$role}), value_of($as{$role}, q{SELECT string_agg(value, ' ') FROM idgen.status()}) };
		ok(wait_for('who locks it', sub { $words_to->('watcher') =~ /says: shard 4990 is locked by process \d+ there.* \| .*shard 4990 is locked by process/s }), 'those who watch are told who locks a row');
		my $words = $words_to->('plain');
		like($words, qr/says: it cannot be kept now; members of pg_monitor see why.* \| .*it cannot be kept now/s, 'others are told that something does');
		unlike($words, qr/locked|process \d+ there/, 'and not who');
		$locker->do('ROLLBACK');
		$_->disconnect for values %as;
	}
	cmp_ok($most, '<=', 2 * @nodes, "at no time had a node more than two connections: $most");
	is(told($registry, qr/too many clients/), 0, 'the registry was never full');
}

# A registry whose answers come seconds late, are lost after the call was executed, or come later than anyone waits for:
# leased servers and the registry with a proxy between them. For each kind of registry.
{
	my %begin = (postgresql => \&begin_postgresql, etcd => \&begin_etcd);

	for my $kind (store_kinds())
	{
		my $registry = $begin{$kind}->();
		my %made;
		answer_late($kind, $registry, \%made);
		lose_raises($kind, $registry, \%made);
		lose_claim($kind, $registry, \%made);
		$registry->{stop}->();
	}

	# A registry as servers reach it, by a proxy, and its rows as they lie there. `claim` and `extend` stand in what such a
	# call sends.
	sub begin_postgresql
	{
		my $node = start_registry('slow_registry', conf => [q{listen_addresses = '127.0.0.1'}]);
		my $session = connect_to($node);
		my $proxy = IdgenProxy->start($node->port);
		return {
			proxy => $proxy, address => "host=127.0.0.1 port=$proxy->{port} dbname=postgres user=node_role",
			rows => IdgenStoreCalls->new(kind => 'postgres', registry => $session), claim => 'idgen_registry.claim', extend => 'idgen_registry.extend',
			stop => sub { $session->disconnect; $node->stop } };
	}

	sub begin_etcd
	{
		my $etcd = IdgenEtcd->start;
		my $proxy = IdgenProxy->start($etcd->{port});
		return {
			proxy => $proxy, address => "etcd://127.0.0.1:$proxy->{port}/idgen",
			rows => IdgenStoreCalls->new(kind => 'etcd', registry => $etcd), claim => 'request_put', extend => 'request_put',
			stop => sub { $etcd->stop } };
	}

	sub horizon_in { my ($registry, $number) = @_; my $row = $registry->{rows}->row($number) // return 0; return $row->{horizon_ms} }

	# Each answer half a second late: no draw waits for it, from one extension to the next. A call waits for 10 s, and the
	# window outlasts every pause of the machine.
	sub answer_late
	{
		my ($kind, $registry, $made) = @_;
		$registry->{proxy}->be_late(0.5);
		my $node = start_leased("$kind-late", $registry->{address}, setting => { 'idgen.lease_window' => '40s', 'idgen.lease_ttl' => '41s', 'idgen.lease_range' => '0-0' });
		my $session = connect_to($node);
		my $began = time;
		repeated($made, wait_for_id($session));
		note sprintf '%s: the first ID after %.1f s', $kind, time - $began;
		$session->do('SET idgen.max_wait = 0');
		my $horizon_ms = horizon_in($registry, 0);
		my @tried;
		wait_for('an extension', sub { push @tried, try_id($session); return horizon_in($registry, 0) > $horizon_ms });
		push @tried, map { sleep 0.01; try_id($session) } 1 .. 100;
		is_deeply([ grep { !is_id($_) } @tried ], [],
			"$kind, answers half a second late: every draw succeeds at once, before an extension and after it");
		is(repeated($made, grep { is_id($_) } @tried), 0, "$kind: no ID twice");
		$registry->{proxy}->pass;
		$session->disconnect;
		$node->stop;
		return;
	}

	# Extends are executed, and their answers lost; then every answer comes later than a server waits for one.
	sub lose_raises
	{
		my ($kind, $registry, $made) = @_;
		my $node = start_leased("$kind-extend", $registry->{address}, setting => { 'idgen.lease_window' => '4s', 'idgen.lease_ttl' => '1h', 'idgen.lease_range' => '5-5', 'idgen.max_wait' => '300ms' });
		my $session = connect_to($node);
		repeated($made, wait_for_id($session));
		my ($number, $incarnation) = (5, $registry->{rows}->row(5)->{incarnation});
		for my $fault ('lost', 'too late')
		{
			my $drawing = begin_drawing($node);
			$fault eq 'lost' ? $registry->{proxy}->lose_answers_to($registry->{extend}) : $registry->{proxy}->be_late(3);
			wait_for('no more IDs', sub { my $tried = try_id($session); repeated($made, $tried) if is_id($tried); return !is_id($tried) });
			wait_for('the reason', sub { try_id($session) =~ /did not answer in time\. Waited for/ });
			pass("$kind, answers are $fault: no IDs, and the error says why");
			my $known_ms = value_of($session, 'SELECT (extract(epoch FROM horizon) * 1000)::bigint FROM idgen.stat_lease');
			cmp_ok(horizon_in($registry, $number), '>', $known_ms,
				"$kind: though an extension was executed, of which the server does not know") if $fault eq 'lost';
			$registry->{proxy}->pass;
			is(repeated($made, wait_for_id($session), ids_of($session, 1000), end_drawing($drawing)), 0,
			  "$kind, answers are $fault: IDs come by themselves in the end, none twice");
			is($registry->{rows}->row($number)->{incarnation}, $incarnation,
				"$kind: the number is the one that the server had");
			is(told($node, 'has lost shard'), 0, "$kind: the number is never lost");
		}
		$session->disconnect;
		$node->stop;
		return;
	}

	# The number is claimed, and its answer lost again and again.
	sub lose_claim
	{
		my ($kind, $registry, $made) = @_;
		$registry->{proxy}->lose_answers_to($registry->{claim});
		my $node = start_leased("$kind-claim", $registry->{address}, setting => { 'idgen.lease_window' => '4s', 'idgen.lease_ttl' => '1h', 'idgen.lease_range' => '7-9' });
		wait_for('a claim', sub { $registry->{rows}->row(7) });
		my $incarnation = $registry->{rows}->row(7)->{incarnation};
		wait_for('silence', sub { told($node, 'did not answer in time') });
		$registry->{proxy}->pass;
		my $session = connect_to($node);
		my $id = wait_for_id($session);
		is(repeated($made, $id, ids_of($session, 1000)), 0, "$kind, the answer to a claim is lost: IDs come, none twice");
		is($id >> 10 & 8191, 7, "$kind, the answer to a claim is lost: IDs are of the number claimed");
		is($registry->{rows}->row(7)->{incarnation}, $incarnation,
			"$kind, the answer to a claim is lost: that very call holds the number");
		is_deeply([ grep { $registry->{rows}->row($_) } 8, 9 ], [], "$kind: no other number is claimed");
		$session->disconnect;
		$node->stop;
		return;
	}
}

done_testing();
