# The idgen keeper: its turns, and the locks of others.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenLease;
use IdgenNode;
use IdgenProxy;
use IdgenRecord;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

# The idgen keeper beside locks that others hold, prepared transactions among them: it goes on extending what it
# holds, ends at a signal, and idgen.status() says which lock it waits for and who holds it.
{
	my $registry = start_registry('registry');
	my $node = start_leased('node', address_of($registry), conf => ['max_prepared_transactions = 5'], setting => { 'idgen.lease_window' => '1s', 'idgen.lease_ttl' => '1h' });
	my $root = connect_to($node);
	$root->do($_) for 'CREATE ROLE app LOGIN', 'GRANT ALL ON ALL TABLES IN SCHEMA idgen, idgen_lease TO app', 'GRANT ALL ON ALL SEQUENCES IN SCHEMA idgen, idgen_lease TO app', 'CREATE ROLE heir';
	wait_for_id($root);

	# By whom, what, and where one sees that the keeper cannot claim a number meanwhile. With pg_extension locked,
	# idgen.status() waits itself; with pg_class locked nobody can connect, and a new keeper neither.
	my @locks = (
		[ 'app', q{SELECT nextval('idgen_lease.record')}, '' ],
		[ 'app', q{SELECT setval('idgen_lease.record', 7)}, '' ],
		[ undef, q{COMMENT ON SEQUENCE idgen_lease.record IS 'locked'}, '' ],
		[ undef, 'ANALYZE pg_extension', '' ],
		[ undef, 'ALTER SEQUENCE idgen_lease.record RESTART', 'status' ],
		[ undef, 'ALTER SEQUENCE idgen_lease.record OWNER TO heir', 'status' ],
		[ undef, 'DROP EXTENSION idgen_lease', 'status' ],
		[ undef, 'LOCK TABLE pg_depend', 'status' ],
		[ undef, 'LOCK TABLE pg_extension', 'log' ],
		[ undef, 'LOCK TABLE pg_class', '' ],
	);

	# Takes the lock in a transaction that is prepared, or stays open. Gives what ends it.
	sub hold_lock
	{
		my ($role, $statement, $is_prepared) = @_;
		my $holder = connect_to($node, user => $role);
		$holder->do("BEGIN; $statement");
		$holder->do(q{PREPARE TRANSACTION 'forgotten'}) if $is_prepared;
		my $pid = $holder->{pg_pid};
		my $release = $is_prepared ? sub { $root->do(q{ROLLBACK PREPARED 'forgotten'}) } : sub { $holder->do('ROLLBACK'); $holder->disconnect };
		$holder->disconnect if $is_prepared;
		return ($release, $is_prepared ? 'prepared transaction "forgotten"' : "process $pid");
	}

	# Draws until the clock is past what was granted when it began.
	sub outlive_window
	{
		my $until = time + 2;
		my $count = 0;
		while (time < $until)
		{
			return 0 unless is_id(try_id($root));
			$count++;
			sleep 0.02;
		}
		return $count;
	}

	# Ends the keeper; gives how long that took, s.
	sub end_keeper
	{
		my ($keeper) = @_;
		my $began = time;
		kill 'TERM', $keeper;
		wait_for('the end of the keeper', sub { !-e "/proc/$keeper" });
		return time - $began;
	}

	# The keeper's process, connected or not; undef: there is none.
	sub connecting_keeper
	{
		my ($postmaster) = slurp_file($node->data_dir . '/postmaster.pid') =~ /^(\d+)/;
		return (map { m{^/proc/(\d+)/} } grep { (eval { slurp_file($_) } // '') =~ /^PPid:\t$postmaster$/m && (eval { slurp_file(s/status$/cmdline/r) } // '') =~ /idgen keeper/ } glob '/proc/[0-9]*/status')[0];
	}

	sub registry_says { return value_of($root, q{SELECT value FROM idgen.status() WHERE key = 'registry' AND NOT ok}) // '' }

	$root->do(q{SET idgen.max_wait = '100ms'});
	for my $lock (@locks)
	{
		my ($role, $statement, $seen_in) = @$lock;
		for my $is_prepared (0, 1)
		{
			# What has dropped an extension cannot be prepared.
			next if $is_prepared && $statement =~ /^DROP/;
			my $what = "$statement, " . ($is_prepared ? 'prepared' : 'open');
			my $keeper = keeper_of($root);
			my ($release, $holder) = hold_lock($role, $statement, $is_prepared);
			cmp_ok(outlive_window(), '>', 0, "$what: IDs go on past the window");
			is(keeper_of($root), $keeper, "$what: the keeper goes on");
			my $took = end_keeper($keeper);
			cmp_ok($took, '<', 10, "$what: the keeper ends when it is told to");
			note sprintf '%s: %.2f s', $what, $took;
			# The next keeper claims the number again.
			my $says = qr/sequence idgen_lease.record of database "postgres" is locked: \Q$holder\E has \w+Lock of (?:it|catalog \d+)/;
			ok(wait_for('the lock', sub { registry_says() =~ $says }),
				"$what: idgen.status() names the lock and who holds it") if $seen_in eq 'status';
			ok(wait_for('the lock', sub { told($node, $says) }),
				"$what: the log names the lock and who holds it") if $seen_in eq 'log';
			$release->();
			ok(wait_for_id($root), "$what: IDs come again when the lock is released");
		}
	}

	# A server that stops and starts beside a prepared transaction.
	{
		my ($release) = hold_lock(undef, 'ALTER SEQUENCE idgen_lease.record RESTART', 1);
		$root->disconnect;
		for my $mode ('fast', 'smart', 'immediate')
		{
			$node->stop($mode);
			pass("a prepared transaction holds the lock: the server stops, $mode");
			$node->start;
		}
		$root = connect_to($node);
		$root->do(q{SET idgen.max_wait = '100ms'});
		wait_for('the lock in idgen.status()', sub { registry_says() =~ /prepared transaction "forgotten" has ShareRowExclusiveLock of it/ });
		fails_to_draw($root, qr/DETAIL:.*sequence idgen_lease.record.*prepared transaction "forgotten"/, 'the error of next_id() names the lock, too');
		$root->do(q{ROLLBACK PREPARED 'forgotten'});
		ok(wait_for_id($root), 'IDs come when the prepared transaction is rolled back');
	}

	# A keeper that waits for a lock as it connects ends at a signal, too.
	{
		my $keeper = keeper_of($root);
		my ($release) = hold_lock(undef, 'LOCK TABLE pg_class', 0);
		end_keeper($keeper);
		my $next = wait_for('the next keeper', sub { connecting_keeper() });
		# Time to come to the lock.
		sleep 1;
		end_keeper($next);
		pass('a lock on pg_class: a keeper that connects ends when it is told to');
		$release->();
		ok(wait_for_id($root), 'IDs come when the lock on pg_class is released');
	}

	# A sequence that got a new file while a number is held: the page is written again.
	{
		my $number = number_of($root);
		$root->do('ALTER SEQUENCE idgen_lease.record RESTART');
		wait_for('the page', sub { (remembered($root) // { numbers => {} })->{numbers}{$number} });
		pass('a page that was lost is written again');
	}

	# What may be read: never what proves that a number is this server's.
	{
		$root->do($_) for 'CREATE ROLE reader LOGIN IN ROLE pg_read_all_data';
		my $reader = connect_to($node, user => 'reader');
		is_deeply($reader->selectall_arrayref('SELECT * FROM idgen_lease.record', { Slice => {} })->[0],
			{ last_value => 1, log_cnt => 0, is_called => 0 },
			'a role in pg_read_all_data reads the value of the sequence, which means nothing');
		my $dump = `pg_dump -h '@{[ $node->host ]}' -p @{[ $node->port ]} postgres`;
		like($dump, qr/CREATE EXTENSION IF NOT EXISTS idgen_lease/, 'a dump has the extension');
		unlike($dump, qr/(?:setval|COPY).*idgen_lease.record/, 'a dump has nothing of what the server remembers');
		$reader->disconnect;
	}

	# If a crash would lose the page, no number is claimed.
	{
		$root->do('ALTER SEQUENCE idgen_lease.record SET UNLOGGED');
		end_keeper(keeper_of($root));
		wait_for('the reason', sub { registry_says() =~ /sequence idgen_lease.record of database "postgres" is unlogged/ });
		ok(!is_id(try_id($root)), 'an unlogged sequence: no number is claimed');
		$root->do('ALTER SEQUENCE idgen_lease.record SET LOGGED');
		ok(wait_for_id($root), 'logged again: IDs come');
	}
}

# What the keeper asks a registry in PostgreSQL for, and in which turn, by the registry's own log: numbers first, all
# counters in one call, all that is given back at a clean stop in another; and a stop that a slow registry does not hold
# up. A database that is closed to connections keeps the numbers all the same.
{
	my $counters = 40;
	my $registry = start_registry('logging_registry', conf => [ q{listen_addresses = '127.0.0.1'}, 'log_statement = all', 'max_connections = 40' ]);
	my $owner = connect_to($registry);
	$owner->do("SELECT idgen_registry.create_counter('c$_', block => 20)") for 1 .. $counters;
	my $proxy = IdgenProxy->start($registry->port);
	my $node = start_leased('turning', "host=127.0.0.1 port=$proxy->{port} dbname=postgres user=node_role", setting => { 'idgen.shards' => '3', 'idgen.lease_window' => '1min', 'idgen.lease_ttl' => '1h', 'idgen.max_wait' => '1min' });
	my $session = connect_to($node);
	wait_for_id($session);

	# The calls of nodes in the registry's log since the last look, one letter each.
	my $read = 0;
	sub calls
	{
		my $log = slurp_file($registry->logfile, $read);
		$read += length $log;
		my %letter = (fetch_ranges => 'F', give_back_ranges => 'G', claim => 'C', extend => 'E', stop => 'S', identity => 'I', list => 'L', find_locker => 'W');
		return join '', map { $letter{$_} // "<$_>" } $log =~ /execute .*?idgen_registry\.(\w+)\(/g;
	}
	calls();

	# All counters that sessions wait for while nothing comes from the registry.
	kill 'STOP', $proxy->{pid};
	my @waiting = map { connect_to($node) } 1 .. $counters;
	$waiting[$_]->do("SELECT next_ticket('c" . ($_ + 1) . q{')}, { pg_async => DBD::Pg::PG_ASYNC() }) for 0 .. $#waiting;
	wait_for('all of them to wait', sub { value_of($session, q{SELECT sum(waits) FROM idgen_lease.stat_counter}) // 0 == $counters });
	kill 'CONT', $proxy->{pid};
	$_->pg_result for @waiting;
	my $made = calls();
	is(value_of($session, 'SELECT count(*) FROM idgen_lease.stat_counter WHERE drawn = 1'), $counters,
		'each has its number');
	cmp_ok($made =~ tr/F//, '<=', 4, "$counters counters are filled by few calls: $made");
	$_->disconnect for @waiting;

	# A clean stop gives all back in one call, after the number.
	$node->stop('fast');
	like(calls(), qr/^I?[^G]*SG$/, 'a clean stop gives up the number, then all counters in one call');
	is(value_of($owner, 'SELECT count(*) FROM idgen_registry.counters() WHERE next = 2'), $counters,
		'a clean stop gives back all that was not used');

	# One that answers nothing in time: the stop does not last, and the number is as after a crash.
	start_again($node);
	$session = connect_to($node);
	expect_blame($node, 'registry');
	wait_for_id($session);
	is(value_of($session, "SELECT count(next_ticket('c' || i)) FROM generate_series(1, $counters) AS i"), $counters,
		'tickets after the start');
	kill 'STOP', $proxy->{pid};
	my $began = time;
	$node->stop('fast');
	note sprintf 'a stop that is not answered: %.1f s', time - $began;
	kill 'CONT', $proxy->{pid};
	start_again($node);
	$session = connect_to($node);
	ok(wait_for_id($session), 'IDs go on at once');
	ok(told($node, 'goes on with shard 3 as it was left'), 'a server that starts again goes on with its number');

	# What status() says of counters, and that it ends by itself, though nobody draws.
	{
		my $row = sub { return $session->selectrow_hashref(q{SELECT value, ok::int AS ok FROM idgen.status() WHERE key = 'counters'}) };
		my $says = sub { my ($pattern, $what) = @_; return ok(wait_for($what, sub { $row->()->{value} =~ $pattern }), $what) };
		my $is_well = sub { my ($what) = @_; return ok(wait_for($what, sub { $row->()->{ok} }), $what) };
		$owner->do(q{SELECT idgen_registry.create_counter('small', max => 100, block => 20, max_block => 20)});
		$session->do(q{SELECT next_ticket('small') FROM generate_series(1, 65)});
		$says->(qr/; counter "small" has come to 80 of 100$/, 'a counter at 80 %');
		$owner->do(q{SELECT idgen_registry.set_counter_max('small', 1000)});
		$is_well->('the end of a counter is moved: all is well');
		$owner->do(q{SELECT idgen_registry.set_counter_max('small', 100)});
		$session->do(q{SELECT next_ticket('small') FROM generate_series(66, 100)});
		$says->(qr/; counter "small" has come to its end$/, 'at its end');
		$owner->do(q{SELECT idgen_registry.drop_counter('small')});
		$is_well->('dropped: all is well');
		$owner->do('UPDATE idgen_registry.counter SET awaits_advance = (name = $$c1$$)');
		$session->do(q{SET idgen.max_wait = 0});
		wait_for('c1 awaits its owner', sub { eval { value_of($session, q{SELECT next_ticket('c1')}); 1 } ? 0 : $session->state eq '55000' && $session->errstr =~ /gives no numbers until/ });
		$says->(qr/; counter "c1" gives no numbers until advance_counter\(\) is called$/, 'a counter awaits its owner');
		$owner->do(q{SELECT idgen_registry.advance_counter('c1', 1000)});
		$is_well->('advanced: all is well');
		$session->do('RESET idgen.max_wait');
	}

	# The owner of the database closes it.
	$node->safe_psql('postgres', q{CREATE DATABASE app; CREATE ROLE landlord LOGIN; ALTER DATABASE postgres OWNER TO landlord});
	$node->safe_psql('app', 'CREATE EXTENSION idgen');
	my $row = $session->selectrow_hashref(q{SELECT value, ok::int AS ok, advice FROM idgen.status() WHERE key = 'lease_database'});
	is_deeply($row,
		{ value => q{"postgres", owned by "landlord", who is no superuser and can take it away from the whole server}, ok => 0, advice => 'ALTER DATABASE postgres OWNER TO a superuser.' },
		'an owner who is no superuser');
	connect_to($node, user => 'landlord', db => 'app')->do('ALTER DATABASE postgres ALLOW_CONNECTIONS false');
	$session->disconnect;
	$node->stop('fast');
	start_again($node, 'app');
	$session = connect_to($node, db => 'app');
	ok(wait_for_id($session), 'a database that is closed to connections: IDs all the same');
	$session->do($_) for 'ALTER DATABASE postgres ALLOW_CONNECTIONS true', 'ALTER DATABASE postgres OWNER TO CURRENT_USER';
	$row = $session->selectrow_hashref(q{SELECT ok::int AS ok FROM idgen.status() WHERE key = 'lease_database'});
	is($row->{ok}, 1, 'a database that is open to connections: the row is well');
	$session->disconnect;
	$node->stop('immediate');
	$registry->stop('immediate');
}

done_testing();
