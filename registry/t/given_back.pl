# The numbers that a server gives back.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use DBD::Pg qw(:async);
use IdgenLease;
use IdgenNode;
use IdgenStore;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

# The numbers that a server holds: given back when idgen.lease_count is lowered, more by hand than it can hold, one that
# a statement loses while it runs; what stands in the way of each; and a registry that has lost what it granted. The
# first and the last for each kind of registry.
{
	for my $kind (store_kinds())
	{
		my $store = begin_store($kind);
		give_back($kind, $store->{address});
		lose_horizons($kind, $store);
		$store->{stop}->('immediate');
	}
	{
		my $store = begin_store('postgresql');
		use_rooms_again($store->{address});
		want_too_many($store->{address});
		lose_a_named_one($store);
		say_each($store);
		reset_stored($store->{address});
		$store->{stop}->('immediate');
	}

	sub held { my ($session) = @_; return value_of($session, q{SELECT string_agg(shard::text, ' ' ORDER BY shard) FROM idgen.stat_lease WHERE held}) // '' }
	sub free_in { my ($session) = @_; return value_of($session, q{SELECT string_agg(shard::text, ' ' ORDER BY shard) FROM idgen_lease.nodes() WHERE is_free AND shard BETWEEN 20 AND 29}) // '' }
	sub status_of { my ($session, $key) = @_; return value_of($session, q{SELECT concat_ws(' | ', value, ok, advice) FROM idgen.status() WHERE key = ?}, $key) }

	# Begins a statement of that many rows that takes a millisecond for each.
	sub slow_statement
	{
		my ($session, $call, $rows) = @_;
		my $statement = $session->prepare("SELECT count(CASE WHEN pg_sleep(0.001) IS NOT NULL THEN $call END) FROM generate_series(1, $rows)", { pg_async => PG_ASYNC });
		$statement->execute;
		return $statement;
	}

	# Three numbers, one, three again, under load: no statement fails, and nothing is made twice.
	sub give_back
	{
		my ($kind, $address) = @_;
		my $node = start_leased("$kind-pool", $address, setting => { 'idgen.lease_count' => 3, 'idgen.lease_range' => '20-29', 'idgen.lease_ttl' => '1h' });
		my $session = connect_to($node);
		wait_for_id($session);
		wait_for('three numbers', sub { held($session) eq '20 21 22' });
		my @long = map { connect_to($node) } 1 .. 6;
		my $drawing = begin_drawing($node, 6);
		for my $round (1, 2)
		{
			sleep 0.3;
			$_->do('SET idgen.max_wait = 0') for @long;
			my @statements = map { slow_statement($_, 'next_id(layout => $$snowflake$$)', 3000) } @long;
			set_for_server($session, 'idgen.lease_count', 1);
			wait_for('two given back', sub { free_in($session) eq '21 22' });
			is_deeply([ map { eval { $_->pg_result; $_->fetchrow_arrayref->[0] } // $@ } @statements ], [ (3000) x @long ], "$kind, $round: statements that run meanwhile, and do not wait, go on at once with what is left");
			is(held($session), '20',
				"$kind, $round: of three numbers the two highest are given back, at once free for others");
			my $row = row_of($session, 22);
			cmp_ok($row->{horizon_ms}, '<=', time * 1000 + 100,
				"$kind, $round: R of the numbers given back is lowered to what was used");
			is(number_of($session), 20, "$kind, $round: sessions go on with the one that is left");
			sleep 0.3;
			set_for_server($session, 'idgen.lease_count', 3);
			wait_for('three numbers', sub { held($session) eq '20 21 22' });
			is(free_in($session), '', "$kind, $round: a higher count claims them again");
		}
		sleep 0.3;
		append_to_file($drawing->{stop_file}, '');
		my @lines = map { @$_ } lines_of($drawing->{makers});
		is_deeply([ grep { /refused/ } @lines ], [], "$kind: no statement of six sessions failed");
		is(repeated({}, @lines), 0, "$kind: no ID twice");
		my %count;
		$count{ $_ >> 10 & 8191 }++ for @lines;
		is_deeply([ sort keys %count ], [ 20 .. 22 ], "$kind: sessions use each number");
		is(told($node, 'has stopped using shard 2[12]'), 4, "$kind: the log says what was given back");
		is(value_of($session, 'SELECT count(*) FROM idgen.stat_lease'), 3, "$kind: three are kept");
		is(told($node, 'the registry has lost'), 0, "$kind: a horizon that the server lowered itself is not lost");

		# The highest is in use by hand in another session: it is asked for again as such.
		my $hand = connect_to($node);
		$hand->do(q{SET idgen.shards = '22'});
		is(number_of($hand), 22, "$kind: a number of the pool, by hand");
		set_for_server($session, 'idgen.lease_count', 2);
		wait_for('given back', sub { told($node, 'has stopped using shard 22') == 3 });
		ok(is_id(try_id($hand)), "$kind: a session that draws from it by hand goes on");
		is(value_of($session, 'SELECT by_hand::int FROM idgen.stat_lease WHERE shard = 22'), 1,
			"$kind: the number is by hand now");

		$_->disconnect for @long, $session, $hand;
		return $node->stop;
	}

	# The room of a number that was given back is used again: in all more numbers come and go than the server has room for.
	sub use_rooms_again
	{
		my ($address) = @_;
		my $node = start_leased('rooms', $address, setting => { 'idgen.lease_range' => '500-599', 'idgen.lease_window' => '1min', 'idgen.lease_ttl' => '1h' });
		my $session = connect_to($node);
		wait_for_id($session);
		for my $count (64, 1, 64, 1, 64)
		{
			set_for_server($session, 'idgen.lease_count', $count);
			wait_for("$count numbers", sub { value_of($session, 'SELECT count(*) FROM idgen.stat_lease WHERE held') == $count });
		}
		like(status_of($session, 'registry'), qr/\| t$/, '64 numbers, one, 64, and again: there is room');
		$session->disconnect;
		return $node->stop;
	}

	# A registry that forgets what it granted, for a number of the pool and for one by hand. The server begins above what it
	# knows itself, and says so until the registry is advanced.
	sub lose_horizons
	{
		my ($kind, $store) = @_;
		my %setting = ('idgen.shards' => $kind eq 'etcd' ? '30' : 'lease', 'idgen.lease_range' => '30-30', 'idgen.lease_window' => '8s', 'idgen.lease_ttl' => '1h', 'idgen.max_lead' => '100ms', 'idgen.max_wait' => '1min');
		my $node = start_leased("$kind-lost", $store->{address}, setting => \%setting);
		my $session = connect_to($node);
		my %made;
		repeated(\%made, wait_for_id($session));
		$store->{save}->();
		my $saved_ms = row_of($session, 30)->{horizon_ms};
		wait_for('a horizon above that', sub { row_of($session, 30)->{horizon_ms} > $saved_ms });
		is(status_of($session, 'registry') =~ /\| t$/, 1, "$kind: the registry is well");
		my $keeper = keeper_of($session);
		kill 'STOP', $keeper;
		my $granted_ms = row_of($session, 30)->{horizon_ms};
		repeated(\%made, ids_of($session, 1000));
		$store->{put_back}->();
		kill 'CONT', $keeper;
		wait_for('the warning', sub { told($node, 'the registry has lost horizons that it had granted') });
		like(status_of($session, 'registry'),
			qr/it was put back to an older state, is new or damaged, and was not advanced: shard 30 ends at .*, and was granted up to .* to this server \| f \| Advance it now, to an instant above /,
			"$kind: the status says what to do");
		like(value_of($session, 'SELECT trouble FROM idgen.stat_registry'), qr/put back to an older state/,
		  "$kind: the view says that the registry was put back");
		my $id = wait_for_id($session);
		cmp_ok(value_of($session, 'SELECT (extract(epoch FROM id_time(?)) * 1000)::bigint', $id), '>=', $granted_ms,
			"$kind: the server's own IDs begin above what it was granted");
		is(repeated(\%made, $id, ids_of($session, 1000)), 0, "$kind: none twice");
		cmp_ok(row_of($session, 30)->{horizon_ms}, '>', $granted_ms, "$kind: the registry knows as much by now");
		like(status_of($session, 'registry'), qr/ \| f \| /, "$kind: the status goes on to warn, for other servers");
		is(told($node, 'the registry has lost horizons'), 1, "$kind: the log says it once");
		$store->{advance}->($session, '16 min');
		wait_for('the end of it', sub { status_of($session, 'registry') =~ /\| t$/ });
		pass("$kind: the status is well when the registry was advanced");
		$session->do('SET idgen.max_wait = 0');
		if ($kind eq 'etcd')
		{
			like(status_of($session, 'lease'), qr/^the next ID of shard 30 lies .* ahead of the clock\. The registry had granted the shard up to \d{4}-[-\d: .+]*: its next IDs begin there\./,
			  "$kind: the status says when a number by hand begins");
			fails_to_draw($session, qr/the next ID of shard 30 lies .* ahead of the clock\nDETAIL:  The registry had granted the shard up to \d{4}-[-\d: .+]*: its next IDs begin there\./,
			  "$kind: the error says when a number by hand begins");
		}
		else
		{
			fails_to_draw($session, qr/the first free shard, 30, can be used from \d{4}-[-\d: .+]* on/,
			  "$kind: the error says when the first free shard begins");
			like(status_of($session, 'lease'), qr/^none chosen by the registry yet; the first free shard, 30, can be used from .* \| f \|/,
			  "$kind: the status says when the first free shard begins");
		}
		$session->disconnect;
		return $node->stop('immediate');
	}

	# 128 are what one server can hold. Those of its own choice need room beside those by hand.
	sub want_too_many
	{
		my ($address) = @_;
		my $node = start_leased('many', $address, setting => { 'idgen.shards' => '200-399', 'idgen.lease_window' => '1min', 'idgen.lease_ttl' => '1h' });
		my $session = connect_to($node);
		$session->do(q{SET idgen.max_wait = '1min'});
		is(value_of($session, 'SELECT count(DISTINCT id_shard(next_id(n))) FROM generate_series(200, 327) AS n'), 128,
			'128 numbers by hand');
		fails_with($session, 'SELECT next_id(328)', '54000',
			qr/^ERROR:  shard 328 cannot be used: this server holds at most 128 shards from the registry\nDETAIL:  It holds that many already: .*\.\nHINT:  Give idgen\.shards at most 128 shards, .*restart\./,
			'one number more by hand is an error that says so, at once');
		is(value_of($session, 'SELECT count(*) FROM idgen.stat_lease WHERE by_hand'), 128,
			'the number above the limit is not asked for');
		is(value_of($session, 'SELECT id_shard(next_id(327))'), 327, 'numbers within the limit go on');
		$session->do(q{SET idgen.shards = 'lease'});
		$session->do(q{SET idgen.max_wait = '2s'});
		wait_for('a reason', sub { try_id($session) =~ /no room for 1 shards? of its own beside those by hand: it holds 128 at most/ });
		pass('a number that the registry chooses is refused at the limit, with a reason');
		like(status_of($session, 'registry'), qr/no room for 1 shards? of its own.*\| f \|/,
		  'the status says that there is no room for a chosen number');
		$session->disconnect;
		return $node->stop('immediate');
	}

	# A statement names the number that the registry chose, and loses it to another server.
	sub lose_a_named_one
	{
		my ($store) = @_;
		my %setting = ('idgen.lease_ttl' => '1h', 'idgen.max_wait' => '1min');
		my $node = start_leased('named', $store->{address}, setting => { %setting, 'idgen.lease_range' => '40-41' });
		my $rival = start_leased('rival', $store->{address}, setting => { %setting, 'idgen.lease_range' => '40-40' });
		my ($session, $other, $on_rival) = (connect_to($node), connect_to($node), connect_to($rival));
		wait_for_id($session);
		is(number_of($session), 40, 'the registry chose number 40');
		my $statement = slow_statement($other, 'next_id(40)', 200_000);
		wait_for('an ID of it', sub { value_of($session, q{SELECT ids > 0 FROM idgen.stat_backend WHERE pid = ?}, $other->{pg_pid}) });
		my $keeper = keeper_of($session);
		kill 'STOP', $keeper;
		value_of($session, 'SELECT idgen_lease.release(40)');
		my $id = wait_for_id($on_rival);
		is($id >> 10 & 8191, 40, 'another server has the number that was released');
		kill 'CONT', $keeper;
		ok(!eval { $statement->pg_result; 1 }, 'a statement that names it ends with an error');
		is($other->state, '22023', 'a statement that names a released number: SQLSTATE');
		like($other->errstr, qr/shard 40 does not belong to this node\nDETAIL:  idgen\.shards is "lease", set by .*, now (?:41|none);/,
		  'the error of a released number says what the server has instead');
		wait_for_id($session);
		is(value_of($session, q{SELECT string_agg(shard || ' ' || by_hand, ', ') FROM idgen.stat_lease}), '41 false',
			'nothing is wanted by hand');
		$_->disconnect for $session, $other, $on_rival;
		$_->stop('immediate') for $node, $rival;
		return;
	}

	# Two numbers that others have, each with its owner: a session reads about its own.
	sub say_each
	{
		my ($store) = @_;
		my @owners = map { start_leased("owner$_", $store->{address}, setting => { 'idgen.shards' => $_, 'idgen.lease_ttl' => '1h' }) } 51, 52;
		wait_for_id($_), $_->disconnect for map { connect_to($_) } @owners;
		my $node = start_leased('asker', $store->{address}, setting => { 'idgen.shards' => '51-53', 'idgen.lease_ttl' => '1h', 'idgen.max_wait' => '300ms' });
		my $session = connect_to($node);
		wait_for('53', sub { value_of($session, 'SELECT next_id(53)') });
		for my $number (51, 52)
		{
			wait_for('a reason', sub { eval { value_of($session, "SELECT next_id($number)") }; $session->errstr =~ /is held by/ });
		}
		for my $number (51, 52)
		{
			fails_with($session, "SELECT next_id($number)", '55000',
				qr/shard $number cannot be used now.*\nDETAIL:  The keeper of its shards says: shard $number is held by "owner$number", system \d+\. Waited/, "number $number: its own owner");
		}
		ok(value_of($session, 'SELECT next_id(53)'), 'a third is not in the way');
		like(status_of($session, 'lease'),
			qr/^53 by hand; 51, 52 not held; horizon $duration ahead of the clock; shard 51 is held by "owner51", system \d+; shard 52 is held by "owner52", system \d+ \| f \|/,
			'the status names both numbers that others hold');
		like(status_of($session, 'registry'), qr/^answered last at [^;]* \| t$/,
			'the status of the registry is well beside numbers that others hold');
		like(value_of($session, 'SELECT trouble FROM idgen.stat_registry'),
			qr/^shard 51 is held by .*; shard 52 is held by /, 'the view names both');
		is(told($node, "shards of this server cannot be kept now: shard $_ is held by"), 1,
			"the log says once that $_ is held by another") for 51, 52;
		$_->stop for @owners;
		wait_for("$_", sub { value_of($session, "SELECT next_id($_)") }) for 51, 52;
		pass('a clean stop of their owners: both are this server\'s');
		wait_for('well', sub { status_of($session, 'lease') =~ /\| t$/ });
		is(value_of($session, 'SELECT trouble FROM idgen.stat_registry'), undef, 'nothing is wrong any more');
		is(told($node, 'shards of this server are kept again'), 1, 'the log says that numbers are kept again');
		$session->disconnect;
		return $node->stop('immediate');
	}

	# A number by hand, stored for a database or a role, goes before the server's own file: reported on the primary, before
	# a failover.
	sub reset_stored
	{
		my ($address) = @_;
		my $node = start_leased('stored', $address, setting => { 'idgen.lease_range' => '60-60' });
		my $session = connect_to($node);
		wait_for_id($session);
		is(status_of($session, 'shards'), q{lease: 60; set by the server's configuration | t}, 'lease in the file');
		$session->do($_) for 'CREATE DATABASE "App one"', 'CREATE ROLE clerk LOGIN';
		my $own = sub { my $again = connect_to($node, @_); my $row = status_of($again, 'shards'); $again->disconnect; return $row };
		for my $case ([ 'DATABASE "App one"', 0 ], [ 'DATABASE postgres', 1 ], [ 'ROLE clerk', 0 ], [ 'ROLE clerk IN DATABASE postgres', 0 ], [ 'ROLE ALL', 1 ])
		{
			my ($whose, $is_own) = @$case;
			$session->do("ALTER $whose SET idgen.shards = '61'");
			my ($shown, $origin) = $is_own ? ('61', qq{ALTER $whose, which hides "lease" of the server's configuration}) : ('lease: 60', q{the server's configuration});
			is($own->(), "$shown; ALTER $whose has 61 by hand; set by $origin | f | ALTER $whose RESET idgen.shards, then reconnect: a promoted server has the same setting, and is refused that "
				. 'shard until the lease of the server before it ends. Write idgen.shards into postgresql.conf.', "by hand for $whose");
			$session->do("ALTER $whose SET idgen.shards = 'lease'");
			like($own->(), qr/^lease: 60; set by [^,;]* \| t$/, "lease for $whose");
			$session->do("ALTER $whose RESET idgen.shards");
		}
		$session->do(q{ALTER DATABASE "App one" SET idgen.shards = '61'});
		$session->do(q{ALTER ROLE clerk IN DATABASE postgres SET idgen.shards = '62'});
		like($own->(user => 'clerk'), qr/^62; ALTER ROLE clerk IN DATABASE postgres has 62 by hand; set by .* \| f \| ALTER ROLE clerk IN DATABASE postgres RESET/,
		  'numbers by hand in several places: the status names the session\'s');
		$session->do($_) for 'ALTER DATABASE "App one" RESET idgen.shards', 'ALTER ROLE clerk IN DATABASE postgres RESET idgen.shards';
		set_for_server($session, 'idgen.shards', '63');
		like($own->(),
			qr/^63, by hand: a promoted server waits for the end of the lease, or for a clean stop of the server before it; set by the server's configuration \| t$/,
			'by hand in the file: what a failover means');
		$session->disconnect;
		return $node->stop('immediate');
	}
}

# A planned end of a server: its numbers are given up, and its successor has them at once, by hand too, whatever is left
# of the lease. The successor is a promoted standby, or the same data after pg_upgrade. For each kind of registry.
{
	# No lease is past while the file runs: what waits for that never comes.
	my %setting = ('idgen.shards' => '5', 'idgen.lease_window' => '4s', 'idgen.lease_ttl' => '1h', 'idgen.max_lead' => '1s');

	for my $kind (store_kinds())
	{
		my $store = begin_store($kind);
		my $made = {};
		my $primary = start_leased("$kind-primary", $store->{address}, init => { allows_streaming => 1 }, setting => \%setting);
		my $session = connect_to($primary);
		is(repeated($made, wait_for_id($session), ids_of($session, 1000)), 0, "$kind: IDs");
		$session->disconnect;
		my $standby = standby_of($primary, "$kind-standby");

		# One that crashes keeps its number from the standby, which is refused until an administrator says that it is dead.
		$primary->wait_for_catchup($standby);
		crash($primary);
		$standby->promote;
		$session = connect_to($standby);
		wait_for('a refusal', sub { try_id($session) =~ /shard 5 is held by/ });
		pass("$kind: after a crash the promoted server is refused");
		value_of($session, 'SELECT idgen_lease.release(5)');
		is(repeated($made, wait_for_id($session)), 0, "$kind: the promoted server makes IDs when the number is released");
		forget_left($primary);

		# A clean stop.
		my $next = standby_of($standby, "$kind-next");
		is(repeated($made, ids_of($session, 1000)), 0, "$kind: IDs of the promoted server");
		$session->disconnect;
		$standby->stop('fast');
		$next->promote;
		my $began = time;
		$session = connect_to($next);
		is(repeated($made, wait_for_id($session), ids_of($session, 1000)), 0,
			"$kind: a planned switchover: IDs at once, none twice");
		note sprintf '%s: switchover: the first ID %.2f s after the promotion', $kind, time - $began;
		is(number_of($session), 5, "$kind: a planned switchover: IDs of the same number");
		$session->disconnect;
		$next->stop('fast');

		my $new = upgraded($next, "$kind-new");
		$new->start;
		$began = time;
		$session = connect_to($new);
		is(repeated($made, wait_for_id($session), ids_of($session, 1000)), 0, "$kind: pg_upgrade: IDs at once, none twice");
		note sprintf '%s: pg_upgrade: the first ID %.2f s after the start', $kind, time - $began;
		is(number_of($session), 5, "$kind: pg_upgrade: IDs of the same number");
		$session->disconnect;
		$new->stop('fast');
		$store->{stop}->('immediate');
	}

	sub standby_of
	{
		my ($node, $name) = @_;
		$node->backup($name);
		my $standby = PostgreSQL::Test::Cluster->new($name);
		$standby->init_from_backup($node, $name, has_streaming => 1);
		$standby->start;
		return $standby;
	}

	# A new cluster with the data of one that is stopped.
	sub upgraded
	{
		my ($old, $name) = @_;
		my $new = PostgreSQL::Test::Cluster->new($name);
		$new->init;
		my $conf = slurp_file($old->data_dir . '/postgresql.conf');
		$new->append_conf('postgresql.conf', join "\n", $conf =~ /^(?:idgen\.|shared_preload).*$/mg);
		chomp(my $bin = `pg_config --bindir`);
		chdir $new->basedir or die $!;
		command_ok([ 'pg_upgrade', '--no-sync', '-d', $old->data_dir, '-D', $new->data_dir, '-b', $bin, '-B', $bin, '-s', $new->host, '-p', $old->port, '-P', $new->port ], "$name: pg_upgrade");
		return $new;
	}

	chdir q{/};
}

done_testing();
