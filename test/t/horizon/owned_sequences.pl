# The sequences of the extension in other hands.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use IdgenPair;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

# The server whose sequences are written to, a session of it, and how far its clock is ahead.
my ($node, $session, $clock);

# Past the window: the next ID needs a renewal.
sub pass_window { return set_clock($node, sprintf '%+.1f', $clock += 1.5) }

sub horizon { return value_of($session, 'SELECT horizon FROM idgen.stat_database') }

# Kills the server and starts it under a clock that lost 0.4 s.
sub crash_and_start
{
	my $since = time;
	crash($node);
	start_again($node);
	set_clock($node, sprintf '%+.3f', $clock - 0.4 + $since - time);
	return $session = connect_to($node);
}

# What the owner of the horizon's sequence does to it by ALTER SEQUENCE: IDs go on above, live and after kill -9; and
# one that is not committed grants nothing to others.
{
	$node = begin_primary('altered', "wal_consistency_checking = 'generic, sequence'", 'checkpoint_timeout = 1h');
	$node->safe_psql('postgres', 'CREATE EXTENSION idgen_kinds');
	my $standby = begin_standby($node, 'follower', '+0');
	$session = connect_to($node);
	$session->do('CREATE ROLE app LOGIN');
	my %made;
	$clock = 0;

	my @changes = ('RESTART', 'MINVALUE 946684799999', 'SET UNLOGGED, SET LOGGED', 'OWNER TO app');
	for my $change (@changes)
	{
		repeated(\%made, my @ids = draw($session, 1000));
		my $last = $ids[-1];
		my @sql = map { "ALTER SEQUENCE idgen.horizon $_" } split ', ', $change;
		my $owner = connect_to($node);
		$owner->do($_) for @sql;
		pass_window();
		@ids = eval { draw($session, 5000) };
		cmp_ok($ids[0] // 0, '>', $last, "$change: IDs go on above");
		is(repeated(\%made, @ids), 0, "$change: none again");
		$last = $ids[-1] // $last;
		$owner->do($_) for @sql;
		crash_and_start();
		@ids = eval { draw($session, 5000) };
		cmp_ok($ids[0] // 0, '>', $last, "$change, then kill -9: IDs go on above");
		is(repeated(\%made, @ids), 0, "$change, then kill -9: none again");
		pass_window();
	}
	# A new file is nobody's, also when the server stops and starts: it waits out what a stranger may have made.
	$session->do("ALTER SEQUENCE idgen.horizon START WITH 1400000000000");
	$session->disconnect;
	$node->stop;
	start_again($node);
	$session = connect_to($node);
	$session->do('SET idgen.max_wait = 0');
	fails_with($session, 'SELECT next_id()', '55000',
		qr{the next ID of shard 5 lies [12]\.\d+ s ahead of the clock\nDETAIL:.*the horizon is not as this server left it.*\nHINT:  Try again in}s,
		'START, then a restart');
	$session->do('RESET idgen.max_wait');
	ok(eval { !repeated(\%made, draw($session, 1000)) }, 'START, then a restart: IDs go on above') || note $session->errstr;
	ok(eval { wait_for_replay($node, $standby) }, 'the standby has the same pages');
	$standby->stop('immediate');

	# In a transaction that is not over the sequence has a new file, which a crash takes away with all that it granted. The
	# clock is then put where the IDs of others began. Also if the server was restarted before, and if a parallel worker
	# asks.
	my $altered = 'ALTER SEQUENCE idgen.horizon';
	my @recreated = ('DROP EXTENSION idgen_kinds, idgen', 'CREATE EXTENSION idgen_kinds CASCADE');
	my $in_worker = $node->pg_version >= 16 ? 'debug_parallel_query' : 'force_parallel_mode';
	my @worker = ("$in_worker = on", 'parallel_leader_participation = off', map { "$_ = 0" } qw(parallel_setup_cost parallel_tuple_cost min_parallel_table_scan_size));
	my @parallel = map { "SET LOCAL $_" } @worker;
	$session->do('CREATE TABLE hundred AS SELECT generate_series(1, 100)');
	my @not_over = (
		[ [ "$altered START WITH 1400000000000" ] ],
		[ [ "$altered RESTART" ] ],
		[ [ 'SAVEPOINT s', "$altered RESTART", 'RELEASE s' ] ],
		[ [ "$altered START WITH 1400000000000", @parallel ] ],
		[ [@recreated] ],
		[ [ 'SAVEPOINT s', @recreated, 'RELEASE s' ] ],
		[ [ @recreated, @parallel ] ],
		[ [@recreated], 'after a restart, ' ],
		[ [ @recreated, @parallel ], 'after a restart, ' ]);
	for (@not_over)
	{
		my ($changes, $restart) = @$_;
		my $change = ($restart // '') . join '; ', map { /SET LOCAL/ ? /debug_par|force_par/ ? 'a parallel worker' : () : $_ } @$changes;
		set_clock($node, sprintf '%+.1f', $clock += 100);
		repeated(\%made, draw($session, 10));
		if ($restart)
		{
			crash($node);
			start_again($node);
			$session = connect_to($node);
		}
		my $other = connect_to($node);
		$other->do(q{SET idgen.max_wait = '3s'});
		repeated(\%made, draw($other, 10)) unless $restart;
		set_clock($node, sprintf '%+.1f', $clock += 100);
		$session->begin_work;
		$session->do($_) for @$changes, 'SAVEPOINT t';
		fails_with($session, 'SELECT idgen.advance(now())', '55000', qr/sequence "idgen.horizon".* in this transaction/,
		  "$change, not committed: idgen.advance() is refused");
		$session->do('ROLLBACK TO t');
		fails_with($session, 'SELECT next_decimal_id()', '55000', qr/sequence "idgen.generator".* in this transaction/,
		  "$change, not committed: DecimalIds are refused") if $restart;
		$session->do('ROLLBACK TO t');
		fails_with($session, 'SELECT next_id() FROM hundred', '55000', qr/sequence "idgen.horizon".* in this transaction/,
			"$change, not committed: refused");
		my @ids = eval { draw($other, 100_000) };
		note scalar(@ids) . ' IDs by others ' . ($@ =~ s|\n.*||sr);
		repeated(\%made, @ids);
		my $began = @ids ? value_of($other, 'SELECT extract(epoch FROM id_time(?) - clock_timestamp())', $ids[0]) : 0;
		$other->disconnect;
		my $since = time;
		crash($node);
		start_again($node);
		set_clock($node, sprintf '%+.3f', $clock + $began + $since - time);
		$session = connect_to($node);
		@ids = draw($session, 100_000);
		is(repeated(\%made, @ids), 0, "$change, not committed, then kill -9: none again");
	}

	# If no other session sees another, the transaction makes IDs: again after it was rolled back, in a parallel worker, and
	# with other things of the sequence changed or changes taken back.
	$session->do($recreated[0]);
	my @its_own = (
		[ [ $recreated[1] ], 'ROLLBACK' ],
		[ [ $recreated[1] ], 'ROLLBACK' ],
		[ [ $recreated[1], "$altered RESTART" ], 'ROLLBACK' ],
		[ [ @recreated[ 1, 0, 1 ] ], 'ROLLBACK' ],
		[ [ $recreated[1], @parallel ], 'COMMIT' ],
		[ [ 'SAVEPOINT s', "$altered RESTART", 'ROLLBACK TO s' ], 'COMMIT' ],
		[ [ 'SAVEPOINT s', @recreated, 'ROLLBACK TO s', @parallel ], 'COMMIT' ],
		[ [ "$altered OWNER TO app", 'GRANT SELECT ON SEQUENCE idgen.horizon TO PUBLIC', @parallel ], 'COMMIT' ]);
	for (@its_own)
	{
		my ($changes, $end) = @$_;
		my $change = join '; ', map { /SET LOCAL/ ? /debug_par|force_par/ ? 'a parallel worker' : () : $_ } @$changes;
		$session->do('BEGIN');
		$session->do($_) for @$changes;
		pass_window();
		my $ids = eval { $session->selectcol_arrayref('SELECT next_id() FROM hundred') } // [];
		is(scalar @$ids, 100, "$change; $end: IDs are made") || note $session->errstr;
		is(repeated(\%made, @$ids), 0, "$change; $end: others");
		ok(eval { value_of($session, 'SELECT next_decimal_id()') }, "$change; $end: DecimalIds are made");
		$session->do($end);
	}
	is(repeated(\%made, draw($session, 1000)), 0, 'committed: none again');
	$session->disconnect;
}

# The sequences of the extension in other hands: nextval and setval by a role that was granted all sequences change
# nothing, stall nothing and end nothing, on the server, after kill -9, on a standby and in a dump.
{
	# The standby compares each page that it replays with the primary's.
	$node = begin_primary('granted', "wal_consistency_checking = 'generic, sequence'", 'checkpoint_timeout = 1h');
	$node->safe_psql('postgres', 'CREATE EXTENSION idgen_kinds');
	my $standby = begin_standby($node, 'second_follower', '+0');
	$session = connect_to($node);
	$session->do('CREATE ROLE app LOGIN');
	$session->do('GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA idgen TO app');
	my %made;
	$clock = 0;

	my @writes = (
		[ 'nothing', 'SELECT 1' ],
		[ 'nextval', q{SELECT nextval('idgen.horizon')} ],
		[ 'nextval a hundred thousand times', q{SELECT count(nextval('idgen.horizon')) FROM generate_series(1, 100000)} ],
		[ 'setval to 2000', q{SELECT setval('idgen.horizon', 946684800000)} ],
		[ 'setval to 2199', q{SELECT setval('idgen.horizon', 7258118400000)} ],
		[ 'setval, not called', q{SELECT setval('idgen.horizon', 1500000000000, false)} ]);
	for (@writes)
	{
		my ($what, $sql) = @$_;
		repeated(\%made, draw($session, 1000));
		my $before = horizon();
		my $app = connect_to($node, user => 'app');
		$app->do($sql);
		is(horizon(), $before, "$what: the horizon is as it was");
		pass_window();
		$session->do('SET idgen.max_wait = 0');
		my @ids = eval { draw($session, 10) };
		is(scalar @ids, 10, "$what: IDs go on at once");
		$session->do('RESET idgen.max_wait');
		is(repeated(\%made, @ids, eval { draw($session, 5000) }), 0, "$what: none again");

		$app->do($sql);
		$app->disconnect;
		crash_and_start();
		is(repeated(\%made, eval { draw($session, 5000) }), 0, "$what, then kill -9: none again");
		@ids = eval { draw($session, 1) };
		is(scalar @ids, 1, "$what, then kill -9: IDs go on") || $session->do('SELECT idgen.reset(clock_timestamp(), force => true)');
		repeated(\%made, @ids);
		pass_window();
	}

	# A dump carries the horizon that is, not what another role wrote beside it.
	my $app = connect_to($node, user => 'app');
	$app->do(q{SELECT setval('idgen.horizon', 7258118400000)});
	$session->disconnect;
	$node->stop;
	start_again($node);
	$session = connect_to($node);
	eval { repeated(\%made, draw($session, 1000)); 1 } || $session->do('SELECT idgen.reset(clock_timestamp(), force => true)');
	my $at = value_of($session, q{SELECT clock_timestamp() + '3 s'});
	$session->do('SELECT idgen.advance(?)', undef, $at);
	my $dump = $node->basedir . '/dump';
	$node->command_ok([ 'pg_dump', '-f', $dump, 'postgres' ], 'pg_dump');
	$session->do('CREATE DATABASE restored');
	$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $dump, 'restored' ], 'restored');
	my $restored = connect_to($node, db => 'restored');
	my $id = eval { value_of($restored, 'SELECT next_id()') } // 0;
	ok(value_of($restored, q{SELECT id_time(?) BETWEEN ?::timestamptz AND ?::timestamptz + '1 min'}, $id, $at, $at),
		'restored: IDs go on above the horizon that was dumped');
	$restored->disconnect;

	# The generators of DecimalIds: neither used up nor given again.
	my %decimal;
	for my $last (99_999, 0, 5)
	{
		repeated(\%decimal, value_of($session, 'SELECT next_decimal_id()')) for 1 .. 3;
		$app = connect_to($node, user => 'app');
		$app->do("SELECT setval('idgen.generator', $last)");
		eval { $app->do(q{SELECT count(nextval('idgen.generator')) FROM generate_series(1, 1000)}) };
		repeated(\%decimal, value_of($session, 'SELECT next_decimal_id()'));
		crash_and_start();
		my $decimal = eval { value_of($session, 'SELECT next_decimal_id()') };
		ok($decimal, "the generators set to $last, 1000 taken, then kill -9: DecimalIds go on")
		  || $session->do(q{SELECT setval('idgen.generator', 1000)});
		is(repeated(\%decimal, grep { defined } $decimal), 0, "the generators set to $last, then kill -9: none again");
		cmp_ok(value_of($session, 'SELECT (decimal_id_decode(?)).generator', $decimal // 0) // 0, '<', 1000,
			"the generators set to $last, then kill -9: few were skipped");
	}

	# The standby follows, page by page, and makes none of them again.
	ok(eval { wait_for_replay($node, $standby) },
		'the standby has the same pages') || note slurp_file($standby->logfile) =~ /(FATAL:.*)/;
	crash($node);
	if (eval { $standby->promote; 1 })
	{
		set_clock($standby, sprintf '%+.1f', $clock);
		my $on_standby = connect_to($standby);
		is(repeated(\%made, eval { draw($on_standby, 5000) }), 0, 'the standby promoted: none again');
		is(scalar(my @ids = eval { draw($on_standby, 10) }), 10, 'the standby promoted: IDs go on');
		ok(eval { !repeated(\%decimal, value_of($on_standby, 'SELECT next_decimal_id()')) },
			'the standby promoted: DecimalIds go on');
		$on_standby->disconnect;
		$standby->stop('immediate');
	}
}

# A publication FOR ALL SEQUENCES (19) brings the sequences of its server to the subscriber: what it writes there over
# the horizon's and the generators' changes nothing, stalls nothing and ends nothing.
SKIP:
{
	skip 'sequences are replicated from 19 on', 1 if `pg_config --version` =~ /PostgreSQL 1[5-8]\b/;

	my @conf = ('checkpoint_timeout = 1h', 'autovacuum = off');
	my $publisher = start_node('publisher', kinds => 1, init => { allows_streaming => 'logical' }, conf => [ "idgen.shards = '6'", @conf ]);
	$node = start_node('subscriber', kinds => 1, fake_clock => 1, init => { allows_streaming => 'logical' }, conf => [ "idgen.shards = '5'", @conf ]);
	my $there = connect_to($publisher);
	$session = connect_to($node);
	my $layout = few_a_tick();
	my %made;
	$clock = 0;

	sub mirror { return value_of($session, 'SELECT last_value FROM idgen.horizon') }

	$there->do('SELECT next_id(), next_decimal_id()');
	$there->do('CREATE PUBLICATION all_of_them FOR ALL SEQUENCES');
	repeated(\%made, draw($session, 1000), map { value_of($session, 'SELECT next_decimal_id()') } 1 .. 3);
	$session->do(sprintf q{CREATE SUBSCRIPTION from_there CONNECTION '%s' PUBLICATION all_of_them}, $publisher->connstr('postgres') =~ s/'/''/gr);

	# What the publisher's sequences hold: as they are, and far ahead, which no clock would admit here.
	for my $write ('SELECT next_id()', q{SELECT setval('idgen.horizon', 7258118400000), setval('idgen.generator', 90000)},
		q{SELECT setval('idgen.horizon', 946684800000), setval('idgen.generator', 1)})
	{
		$there->do($write);
		my $brought = value_of($there, 'SELECT last_value FROM idgen.horizon');
		my $statement = begin_statement($node, "COPY (SELECT next_id(5, '$layout') FROM generate_series(1, 1000000)) TO STDOUT");
		repeated(\%made, draw($session, 1000));
		$session->do('ALTER SUBSCRIPTION from_there REFRESH SEQUENCES');
		wait_until($session, q{SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel});
		ok(goes_on($statement, 1000), "$write: a statement that was running goes on");
		pass_window();
		ok(goes_on($statement, 4000), "$write: past the next renewal, too");
		my ($error, @ids) = end_statement($statement);
		like($error, qr{^FATAL: .*terminating connection}, "$write: a statement that goes on can be ended");
		is(repeated(\%made, @ids), 0, "$write: none again");

		# With nobody at work
		my $before = horizon();
		$session->do('ALTER SUBSCRIPTION from_there REFRESH SEQUENCES');
		wait_until($session, "SELECT last_value = $brought FROM idgen.horizon");
		is(horizon(), $before, "$write: the horizon is as it was");
		pass_window();
		$session->do('SET idgen.max_wait = 0');
		@ids = eval { draw($session, 10) };
		is(scalar @ids, 10, "$write: IDs go on at once");
		$session->do('RESET idgen.max_wait');
		is(repeated(\%made, @ids, map { value_of($session, 'SELECT next_decimal_id()') } 1 .. 3), 0,
			"$write: no ID twice when IDs go on");
		$session->do('ALTER SUBSCRIPTION from_there REFRESH SEQUENCES');
		wait_until($session, "SELECT last_value = $brought FROM idgen.horizon");
		crash_and_start();
		@ids = eval { (draw($session, 1000), value_of($session, 'SELECT next_decimal_id()')) };
		is(scalar @ids, 1001, "$write, then kill -9: IDs go on");
		is(repeated(\%made, @ids), 0, "$write, then kill -9: none again");
		isnt(mirror(), $brought, "$write, then kill -9: the mirror is right again");
	}
	$session->do('DROP SUBSCRIPTION from_there');

	# A subscriber that has made no ID yet is not taken for a copy of the publisher.
	{
		my $fresh = start_node('fresh', init => { allows_streaming => 'logical' }, conf => [ "idgen.shards = '7'", q{idgen.on_copy = 'refuse'}, @conf ]);
		my $on = connect_to($fresh);
		$on->do(sprintf q{CREATE SUBSCRIPTION from_there CONNECTION '%s' PUBLICATION all_of_them}, $publisher->connstr('postgres') =~ s/'/''/gr);
		$on->do('ALTER SUBSCRIPTION from_there REFRESH SEQUENCES');
		my $brought = value_of($there, 'SELECT last_value FROM idgen.origin');
		wait_until($on, "SELECT last_value = $brought FROM idgen.origin");
		is(value_of($on, q{SELECT ok FROM idgen.status() WHERE key = 'copy'}), 1,
			'before the first ID: idgen.status() says nothing of a copy');
		ok(eval { value_of($on, 'SELECT next_id()') }, 'before the first ID: IDs are made') || note $on->errstr;
		is(value_of($on, 'SELECT last_value = system_identifier FROM idgen.origin, pg_control_system()'), 1,
		  'before the first ID: once made, the mirror is right again');
		$on->do('DROP SUBSCRIPTION from_there');
		$on->disconnect;
		$fresh->stop;
	}
	$_->disconnect for $session, $there;
}

done_testing();
