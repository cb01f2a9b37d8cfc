# The registry of numbers, by its calls: as an extension and as a plain file, on a server that has nothing of idgen's
# library. The cases that its rules in SQL and in C++ share, sessions at once, answers that are lost, dumps, copies and
# standbys, and who may do what.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use DBD::Pg qw(:async);
use Digest::SHA qw(sha256_hex);
use IdgenNode;
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('registry', preload => 0, extension => 0, init => { allows_streaming => 1 }, conf => ['max_connections = 80']);
my $root = connect_to($node);
$root->do($_) for 'CREATE ROLE keeper LOGIN', 'CREATE ROLE mallory LOGIN', 'CREATE DATABASE extended', 'CREATE DATABASE plain OWNER keeper';
my $file = "$FindBin::Bin/../../sql/idgen_registry.sql";
my %keeper = (extended => $ENV{USER} // scalar getpwuid($<), plain => 'keeper');
$node->command_fails_like([ psql_of('plain', 'keeper'), '-f', $file ], qr/the role idgen_node does not exist, and you may not create it/, 'the file without the role');
$node->safe_psql('extended', 'CREATE EXTENSION idgen_registry');
$node->command_ok([ psql_of('plain', 'keeper'), '-c', 'ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO mallory', '-f', $file ], 'the file with the role');
is($node->safe_psql('plain', q{SELECT has_schema_privilege('mallory', 'idgen_registry', 'CREATE, USAGE')}), 'f', 'the file: default privileges give nobody the schema');
$root->do('CREATE ROLE node LOGIN IN ROLE idgen_node');

sub psql_of { my ($db, $user) = @_; return ('psql', '-X', '-q', '-h', $node->host, '-p', $node->port, '-U', $user, '-d', $db, '-v', 'ON_ERROR_STOP=1') }

# A call of a node: the answer as a hash.
sub call
{
	my ($session, $registry, $function, @arguments) = @_;
	return $session->selectrow_hashref("SELECT * FROM idgen_registry.$function(" . join(', ', ('?') x (1 + @arguments)) . ')', undef, $registry, @arguments);
}
sub claim { my ($session, $registry, $number, $accepted, $proposed, $life, $ttl) = @_; return call($session, $registry, 'claim', $number, $accepted, $proposed, $life, $ttl // 600000, "name $proposed", 1000 + $proposed, 1) }
sub row_of { my ($session, $number) = @_; return $session->selectrow_hashref(q{SELECT *, encode(incarnation_hash, 'hex') AS incarnation, encode(life_hash, 'hex') AS life FROM idgen_registry.lease WHERE number = ?}, undef, $number) }
sub hash_of { my ($secret) = @_; return $secret ? sha256_hex(pack 'q>', $secret) : undef }
sub clock { my ($session) = @_; return value_of($session, 'SELECT idgen_registry.clock_ms()') }

# Starts a statement that has to wait for another session, and says whether it waits.
sub begin
{
	my ($session, $sql, @binds) = @_;
	my $statement = $session->prepare($sql, { pg_async => PG_ASYNC });
	$statement->execute(@binds);
	wait_until($root,
		"SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $session->{pg_pid} AND wait_event_type = 'Lock')");
	return $statement;
}
sub result_of { my ($statement) = @_; $statement->pg_result; return $statement->fetchrow_hashref }
my $take_sql = q{SELECT * FROM idgen_registry.claim(?, ?, 0, ?, ?, 600000, 'late', 1, 1)};

# The same objects in both.
my $objects = <<'SQL';
SELECT pg_describe_object(classid, objid, 0) || ' ' || what FROM (
    SELECT 'pg_proc'::regclass AS classid, oid AS objid, concat_ws(' ', md5(prosrc), pg_get_function_sqlbody(oid), provolatile, prosecdef, proparallel, proconfig, obj_description(oid, 'pg_proc'),
           has_function_privilege('idgen_node', oid, 'execute'), has_function_privilege('mallory', oid, 'execute')) AS what FROM pg_proc WHERE pronamespace = 'idgen_registry'::regnamespace
    UNION ALL SELECT 'pg_class'::regclass, oid, concat_ws(' ', obj_description(oid, 'pg_class'), has_table_privilege('idgen_node', oid, 'select'),
           (SELECT string_agg(concat_ws(' ', attname, atttypid::regtype, attnotnull, col_description(oid, attnum)), ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = oid AND attnum > 0),
           (SELECT string_agg(pg_get_constraintdef(c.oid), ', ' ORDER BY conname) FROM pg_constraint c WHERE conrelid = pg_class.oid))
      FROM pg_class WHERE relnamespace = 'idgen_registry'::regnamespace) o ORDER BY 1
SQL
my %objects_of = map { my $session = connect_to($node, db => $_); $_ => $session->selectcol_arrayref($objects) } qw(extended plain);
is_deeply($objects_of{plain}, $objects_of{extended},
	'the plain file makes what the extension has: ' . @{ $objects_of{plain} } . ' objects');
is(value_of($root, q{SELECT count(*) FROM pg_settings WHERE name LIKE 'idgen.%'}), 0, 'nothing of idgen\'s library');

# The cases of the file for counters, as a node calls.
sub check_counters
{
	my ($owner, $session, $registry) = @_;
	my ($head, @rows) = map { chomp; [ split /,/, $_, -1 ] } split /^/, slurp_file("$FindBin::Bin/../../test/vectors/counter.csv");
	my $put = sub {
		my ($name, %c) = @_;
		return $owner->do(<<'SQL', undef, $name, @c{qw(last largest run_start version)}, map { $c{$_} eq 'yes' ? 1 : 0 } qw(awaits dropped));
INSERT INTO idgen_registry.counter (name, identity, last, largest, run_start, version_hash, block, max_block, awaits_advance, dropped)
VALUES (?, 77, ?, ?, ?, idgen_registry.hash(?), 10, 100, ?, ?)
SQL
	};
	my $fetch = q{SELECT * FROM idgen_registry.fetch_ranges(?, ?, ?, ?, ?)};
	my $give_back = q{SELECT * FROM idgen_registry.give_back_ranges(?, ?, ?, ?) AS outcome};
	for my $row (@rows)
	{
		my %c;
		@c{@$head} = @$row;
		$owner->do('DELETE FROM idgen_registry.counter');
		$put->('c', %c);
		my @call = $c{kind} eq 'fetch' ? ($fetch, [ $c{count} ], [ $c{least} ], [ $c{since} ]) : ($give_back, [ $c{first} ], [ $c{call_version} ]);
		my $answer = $session->selectrow_hashref(shift @call, undef, $registry, ['\x63'], @call);
		my $after = $owner->selectrow_hashref('SELECT last, run_start, version_hash = idgen_registry.hash(?) AS is_old, version_hash = idgen_registry.hash(?) AS is_answer FROM idgen_registry.counter', undef, $c{version}, $answer->{version});
		is_deeply(
			[ $answer->{outcome}, $answer->{first} // '', $answer->{last} // '', @$after{qw(last run_start)}, $after->{is_old} ? 'as it was' : 'new', $after->{is_answer} ? 'told' : '' ],
			[ @c{qw(outcome given_first given_last new_last new_run_start)}, $c{outcome} eq 'done' ? 'new' : 'as it was', $c{given_first} ne '' ? 'told' : '' ], "counter: $c{what}");
		is_deeply([ @$answer{qw(block max_block identity largest)} ], [ 10, 100, 77, $c{largest} ],
		  "counter: $c{what}: the answer describes the counter") if $c{kind} eq 'fetch' && $c{outcome} ne 'missing';
	}

	# An answer for each, in their order: of a counter that is not there, one whose name is none in UTF-8, and two that
	# are.
	$owner->do('DELETE FROM idgen_registry.counter');
	my %c = (last => 40, largest => 1000, run_start => 31, version => 7, awaits => 'no', dropped => 'no');
	$put->($_, %c) for 'c', "\xc3\xa4";
	my @names = ('\x6e6f6e65', '\xff', '\xc3a4', '\x63');
	my $answers = $session->selectall_arrayref($fetch, { Slice => {} }, $registry, \@names, [ (1) x 4 ], [ 1, 1, 1, 50 ], [ (0) x 4 ]);
	is(join(', ', map { join ' ', grep { defined } @$_{qw(outcome first last)} } @$answers),
		'missing, missing, done 41 50, done 41 90', 'counter: many in one call');
	my $words = $session->selectcol_arrayref($give_back, undef, $registry, \@names, [ 1, 1, 45, 41 ], [ 1, 1, $answers->[2]{version}, 5 ]);
	is("@$words", 'missing missing done refused', 'counter: many given back');
	is($session->selectrow_array('SELECT count(*) FROM idgen_registry.fetch_ranges(?, ?, ?, ?, ?)', undef, $registry, [], [], [], []),
		0, 'counter: none in one call');
	$owner->do('DELETE FROM idgen_registry.counter');
	return;
}

# The cases of the file. Horizons in it count from now; an empty time of the lease is for ever.
my ($header, @cases) = map { chomp; [ split /,/, $_, -1 ] } split /^/, slurp_file("$FindBin::Bin/../../test/vectors/lease.csv");
sub check_cases
{
	my ($db, $owner, $session, $registry) = @_;
	my ($wrong, $count) = (0, 0);
	for (@cases)
	{
		my %c;
		@c{@$header} = @$_;
		next if $c{incarnation} eq '0' && $c{kind} ne 'claim';    # in SQL an error
		my $now = clock($owner);
		my $horizon = sub { my ($text) = @_; return $text eq 'floor' ? 0 : $now + ($text || 0) };
		$owner->do('DELETE FROM idgen_registry.lease WHERE number = 5');
		$owner->do(q{INSERT INTO idgen_registry.lease VALUES (5, idgen_registry.hash(nullif(?, 0)), idgen_registry.hash(nullif(?, 0)), ?, ?, clock_timestamp() + ? * interval '1 ms', 'owner', 1, 1, now())}, undef,
			@c{qw(owner life)}, map({ $horizon->($_) } @c{qw(horizon claimed)}), $c{left} eq '' ? undef : $c{left})
		  if $c{owner} ne '';
		my $answer =
		    $c{kind} eq 'claim' ? claim($session, $registry, 5, @c{qw(incarnation proposed call_life)}, 60000)
		  : call($session, $registry, $c{kind}, 5, @c{qw(incarnation call_life)}, map({ $horizon->($_) } @c{qw(from to)}), $c{kind} eq 'extend' ? 60000 : ());
		my $row = row_of($owner, 5) // { horizon_ms => 0, claimed_ms => 0 };
		my $left = !$row->{lease_end} ? '' : value_of($owner, 'SELECT round(extract(epoch FROM lease_end - clock_timestamp()) * 1000) FROM idgen_registry.lease WHERE number = 5');
		my $is_longer = $c{outcome} eq 'granted' && $c{kind} ne 'stop';
		# A minute is longer than any pause of this machine, and ten are longer still.
		my $is_left = $c{outcome} eq 'granted' && $c{kind} eq 'stop' ? $left <= 0 : $is_longer ? $left > 0 && $left <= 60000 : $c{left} eq '' ? $left eq '' : $c{left} < 0 ? $left <= 0 : $left > 60000;
		my $is_good = is_deeply(
			[ $answer->{outcome}, $answer->{horizon_ms}, @$row{qw(incarnation life horizon_ms claimed_ms)}, $is_left ? 1 : 0 ],
			[ $c{outcome}, $horizon->($c{new_horizon}), map({ hash_of($c{$_}) } qw(new_owner new_life)), map({ $horizon->($c{$_}) } qw(new_horizon new_claimed)), 1 ],
			"$db: $c{what}");
		diag("left $left") unless $is_left;
		$count++;
	}
	cmp_ok($count, '>=', 28, "$db: the file has cases");
	$owner->do('DELETE FROM idgen_registry.lease');
	return;
}

# Twenty at once, each as a node does it: the smallest number that is free, and another if another node was faster.
sub check_crowd
{
	my ($db, $owner, $registry) = @_;
	my $gate = connect_to($node, db => $db);
	$gate->do('SELECT pg_advisory_lock(7)');
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		my $done = in_sessions($node, 20, sub {
			my ($other, $number) = @_;
			my $session = connect_to($node, db => $db, user => 'node');
			$session->do('SELECT pg_advisory_lock_shared(7)');
			for (1 .. 100)
			{
				my %held = map { $_->[0] => 1 } @{ $session->selectall_arrayref('SELECT number FROM idgen_registry.list() WHERE NOT is_free') };
				my ($smallest) = grep { !$held{$_} } 0 .. 30;
				my $answer = claim($session, $registry, $smallest, 0, $number, 100 + $number);
				return 1 if $answer->{outcome} eq 'granted' && $answer->{name} eq "name $number";
			}
			die 'no number';
		});
		POSIX::_exit($done ? 0 : 1);
	}
	wait_until($gate, q{SELECT count(*) = 20 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted});
	$gate->disconnect;
	waitpid $pid, 0;
	is($?, 0, "$db: twenty at once: each has one");
	is(value_of($owner, 'SELECT count(*) || $$ $$ || count(DISTINCT incarnation_hash) || $$ $$ || max(number) FROM idgen_registry.lease'),
		'20 20 19', "$db: twenty at once: the numbers 0 to 19");
	$owner->do('DELETE FROM idgen_registry.lease');
	return;
}

# Two sessions, one of which waits for the other.
sub check_races
{
	my ($db, $owner, $registry) = @_;
	my ($first, $second) = map { connect_to($node, db => $db, user => 'node') } 1, 2;
	claim($first, $registry, 0, 0, 11, 12, 1);
	select undef, undef, undef, 0.01;
	for my $end ('commit', 'rollback')
	{
		my $row = row_of($owner, 0);
		$first->begin_work;
		is(call($first, $registry, 'extend', 0, 11, 12, $row->{horizon_ms}, clock($owner) + 1000, 600000)->{outcome},
			'granted', "$db: an extension after the lease was past, $end");
		my $waiting = begin($second, $take_sql, $registry, 0, 21, 22);
		$first->$end;
		is(result_of($waiting)->{outcome}, $end eq 'commit' ? 'refused' : 'granted',
			"$db: the claim that waited for it, $end");
		$owner->do(q{UPDATE idgen_registry.lease SET incarnation_hash = idgen_registry.hash(11), life_hash = idgen_registry.hash(12), lease_end = clock_timestamp() - interval '1 s'});
	}
	# The other way round
	$second->begin_work;
	my $row = row_of($owner, 0);
	is(claim($second, $registry, 0, 0, 21, 22)->{outcome}, 'granted', "$db: a claim after the lease was past");
	my $waiting = begin($first, 'SELECT * FROM idgen_registry.extend(?, 0, 11, 12, ?, ?, 600000)', $registry, $row->{horizon_ms}, $row->{horizon_ms} + 1000);
	$second->commit;
	is(result_of($waiting)->{outcome}, 'refused', "$db: the extension that waited for it");
	is(row_of($owner, 0)->{horizon_ms}, $row->{horizon_ms}, "$db: the extension that waited has changed nothing");
	# Of two takes of a number that nobody has held, one
	$first->begin_work;
	claim($first, $registry, 1, 0, 11, 12);
	$waiting = begin($second, $take_sql, $registry, 1, 21, 22);
	$first->commit;
	is(result_of($waiting)->{outcome}, 'refused', "$db: of two takes at once one is refused");
	# advance() waits for a claim, and clears it; a claim waits for advance(), and begins there.
	$first->begin_work;
	claim($first, $registry, 2, 0, 11, 12);
	$waiting = begin($owner, q{SELECT extract(epoch FROM idgen_registry.advance(at => date_trunc('s', now() + interval '20 min'))) * 1000 AS at});
	$first->commit;
	my $at = result_of($waiting)->{at} + 0;
	$row = row_of($owner, 2);
	is_deeply([ @$row{qw(incarnation horizon_ms)} ], [ undef, $at ],
		"$db: an advance that waited for a claim clears it");
	$owner->begin_work;
	$at = 1000 * value_of($owner, q{SELECT extract(epoch FROM idgen_registry.advance(at => date_trunc('s', now() + interval '30 min')))});
	$waiting = begin($first, $take_sql, $registry, 3, 11, 12);
	$owner->commit;
	is(result_of($waiting)->{horizon_ms}, $at,
		"$db: a claim that waited for an advance begins there, also of a number that nobody has held");
	$first->do('SET default_transaction_isolation = \'repeatable read\'');
	$first->begin_work;
	$first->do('SELECT 1');
	$owner->do(q{SELECT idgen_registry.advance(at => now() + interval '40 min')});
	fails_with($first, "SELECT * FROM idgen_registry.claim('$registry', 4, 0, 11, 12, 0, 'x', 1, 1)", '40001',
		qr/could not serialize/, "$db: a snapshot of before an advance");
	$first->rollback;
	$owner->do($_) for 'UPDATE idgen_registry.registry SET floor_ms = 0', 'DELETE FROM idgen_registry.lease';
	$_->disconnect for $first, $second;
	return;
}

# What a node does in its life, and what befalls it.
sub check_life
{
	my ($db, $owner, $session, $registry) = @_;
	my $now = clock($owner);
	is(value_of($session, 'SELECT extract(epoch FROM idgen_registry.list_floor())::int'), 0,
		"$db: numbers that nobody has held begin anywhere");
	is(claim($session, $registry, 0, 0, 11, 12)->{horizon_ms}, 0, "$db: a new number begins anywhere");
	my $answer = call($session, $registry, 'extend', 0, 11, 12, 0, $now + 60000, 600000);
	is_deeply([ @$answer{qw(outcome name system_identifier)} ], [ 'granted', 'name 11', 1011 ], "$db: an extension");
	my $since;
	# The answer is lost with the session, after the COMMIT.
	my $other = connect_to($node, db => $db, user => 'node');
	my @again = ($registry, 'extend', 0, 11, 12, $now + 60000, $now + 61000, 600000);
	call($other, @again);
	value_of($root, 'SELECT pg_terminate_backend(?)', $other->{pg_pid});
	is(call($session, @again)->{outcome}, 'granted',
		"$db: the identical extension in another session, its answer lost");
	is(row_of($owner, 0)->{horizon_ms}, $now + 61000, "$db: the identical extension is done once");
	$answer = claim($session, $registry, 0, 0, 21, 22);
	is_deeply([ @$answer{qw(outcome name system_identifier)} ], [ 'refused', 'name 11', 1011 ],
		"$db: the claim of a held number: the answer says by whom");
	cmp_ok($answer->{lease_left_ms}, '>', 0, "$db: the claim of a held number: the answer says for how long");
	is(call($session, $registry, 'stop', 0, 11, 12, $now + 61000, $now + 500)->{horizon_ms}, $now + 500,
		"$db: a clean stop");
	is(row_of($owner, 0)->{incarnation}, undef, "$db: a clean stop gives the number up");
	is(call($session, $registry, 'stop', 0, 11, 12, $now + 61000, $now + 500)->{outcome}, 'refused',
		"$db: a second clean stop is refused");
	is(claim($session, $registry, 0, 11, 13, 14)->{horizon_ms}, $now + 500,
		"$db: a start after a clean stop begins at its horizon");
	$since = row_of($owner, 0)->{since};
	is(claim($session, $registry, 0, 13, 13, 14)->{outcome}, 'granted', "$db: another start is granted");
	is(row_of($owner, 0)->{since}, $since, "$db: after another start the number is still the same owner's");
	is(value_of($session, 'SELECT idgen_registry.release(0)'), 1, "$db: released");
	is(value_of($session, 'SELECT idgen_registry.release(0)'), 0,
		"$db: a number that was released has no owner any more");
	is(call($session, $registry, 'extend', 0, 13, 14, $now + 500, $now + 900, 600000)->{outcome}, 'refused',
		"$db: the owner of a number that was released learns it");
	is(claim($session, $registry, 0, 0, 21, 22)->{horizon_ms}, $now + 500,
		"$db: the next begins where that one can have come");
	is(row_of($owner, 0)->{since} eq $since, '', "$db: since now");
	claim($session, $registry, 7, 0, 31, 32, 0);
	is(row_of($owner, 7)->{lease_end}, undef, "$db: a lease that never ends");
	is_deeply(
		[ map { "@$_" } @{ $session->selectall_arrayref(q{SELECT number, name, system_identifier, timeline, is_free, lease_left IS NULL, extract(epoch FROM horizon)::bigint - ? FROM idgen_registry.list()}, undef, int($now / 1000)) } ],
		[ map { sprintf '%s', $_ } '0 name 21 1021 1 0 0 ' . (value_of($owner, 'SELECT round(? / 1000.0)', $now + 500) - int($now / 1000)), '7 name 31 1031 1 0 1 ' . -int($now / 1000) ],
		"$db: the list");
	$session->begin_work;
	$session->do('SET LOCAL synchronous_commit = off');
	claim($session, $registry, 7, 0, 31, 32, 0);
	is(value_of($session, 'SHOW synchronous_commit'), 'on', "$db: a COMMIT is durable, whatever the session is set to");
	$session->commit;
	is(value_of($session, 'SHOW synchronous_commit'), 'on', "$db: and the session's setting is left alone");
	$session->begin_work;
	$session->do('SET LOCAL synchronous_commit = remote_apply');
	call($session, $registry, 'stop', 7, 31, 32, 0, 0);
	is(value_of($session, 'SHOW synchronous_commit'), 'remote_apply',
		"$db: a higher synchronous_commit is not lowered");
	$session->rollback;
	$session->begin_work;
	$session->do('SET LOCAL client_min_messages = error');
	call($session, $registry, 'stop', 7, 31, 32, 0, 0);
	is(value_of($session, 'SHOW client_min_messages'), 'warning',
		"$db: where a COMMIT is not durable, the session is warned, whatever it is set to");
	$session->rollback;
	return;
}

# advance(), and the limit that it rests on.
sub check_advance
{
	my ($db, $owner, $session, $registry) = @_;
	claim($session, $registry, 10, 0, 11, 12);
	my $row = row_of($owner, 10);
	$owner->do(q{SELECT idgen_registry.set_max_ahead('90 s')});
	is(call($session, $registry, 'extend', 10, 11, 12, $row->{horizon_ms}, clock($owner) + 600000, 600000)->{outcome},
		'too far', "$db: a limit of 90 s");
	my $after = clock($owner);
	is(call($session, $registry, 'extend', 10, 11, 12, $row->{horizon_ms}, $after + 60000, 600000)->{outcome},
		'granted', "$db: within it");
	# The horizon lies ahead of the clock, as of a server that goes on: then the clock may be wrong.
	fails_with($owner, 'SELECT idgen_registry.advance()', '55000',
		qr/the clock of the registry lies behind an instant that it knows\nDETAIL:  It says .*, and the horizon of shard 10 is .*HINT:  If the clock is right, nodes that run keep/s, "$db: an advance by a clock behind a horizon");
	# What the HINT names can be done while they run.
	my ($advice) = $owner->errstr =~ /(SELECT idgen_registry\.advance\(at => .*?'\))/;
	$owner->begin_work;
	cmp_ok(1000 * value_of($owner, "SELECT extract(epoch FROM ($advice))"), '>=', $after + 15 * 60 * 1000, "$db: the advice is followed");
	$owner->rollback;
	fails_with($owner, q{SELECT idgen_registry.advance(at => now() + interval '30 s')}, '22023',
		qr/the horizon of shard 10 is/, "$db: an advance to below a horizon");
	$owner->do('UPDATE idgen_registry.lease SET claimed_ms = 0, horizon_ms = ?', undef, $after - 1000);
	my $at = 1000 * value_of($owner, 'SELECT extract(epoch FROM idgen_registry.advance())');
	cmp_ok($at, '>=', $after + 15 * 60 * 1000, "$db: an advance goes beyond all that was ever allowed");
	cmp_ok($at, '<=', clock($owner) + 15 * 60 * 1000 + 1, "$db: an advance goes no further than it must");
	is(call($session, $registry, 'extend', 10, 11, 12, $after + 60000, $after + 61000, 600000)->{outcome}, 'refused',
		"$db: no number has its owner after an advance");
	is(value_of($session, 'SELECT round(extract(epoch FROM idgen_registry.list_floor()) * 1000)'), POSIX::ceil($at),
		"$db: the horizon of numbers that are not listed");
	cmp_ok(claim($session, $registry, $_, 0, 41, 42)->{horizon_ms}, '>=', $at,
		"$db: number $_ begins above it") for 10, 99;
	is(value_of($owner, 'SELECT bool_and(claimed_ms = horizon_ms) FROM idgen_registry.lease WHERE number IN (10, 99)'), 1,
	  "$db: numbers after an advance are not lowered below it");
	$owner->do($_) for 'UPDATE idgen_registry.registry SET floor_ms = 0', 'DELETE FROM idgen_registry.lease';
	is(value_of($owner, q{SELECT s.a BETWEEN 100 AND 121 FROM (SELECT extract(epoch FROM idgen_registry.advance('2 min') - now()) OFFSET 0) s(a)}),
		1, "$db: an advance by less, the owner's word");
	$owner->do($_) for 'UPDATE idgen_registry.registry SET floor_ms = 0', q{SELECT idgen_registry.set_max_ahead('11 min')};
	return;
}

# What the owner allows, and what is forgotten.
sub check_limits
{
	my ($db, $owner, $session, $registry) = @_;
	$owner->do('SELECT idgen_registry.set_largest_number(9000)');
	is(claim($session, $registry, 8192, 0, 11, 12, 0)->{outcome}, 'granted', "$db: a larger limit");
	$owner->do($_) for 'SELECT idgen_registry.set_largest_number(100)', q{SELECT idgen_registry.set_longest_ttl('1 min')};
	is(call($session, $registry, 'extend', 8192, 11, 12, 0, 1, 0)->{outcome}, 'granted',
		"$db: what is held already goes on");
	is(value_of($owner, q{SELECT lease_end <= clock_timestamp() + interval '1 min' FROM idgen_registry.lease WHERE number = 8192}), 1,
	  "$db: a lease that is held already goes on for as long as is allowed");
	$owner->do($_) for 'SELECT idgen_registry.set_largest_number(8191)', 'SELECT idgen_registry.set_longest_ttl(NULL)', 'DELETE FROM idgen_registry.lease';

	# Held; free, used lately; free and unused, its horizon ahead; two that are forgotten, one of them never released.
	my $now = clock($owner);
	$owner->do(q{INSERT INTO idgen_registry.lease SELECT n, idgen_registry.hash(h), idgen_registry.hash(h), ?::bigint + r, 0, now() + e * interval '1 day', 'x', 1, 1, now()
		FROM (VALUES (1, 7, -9000, 1), (2, NULL, -9000, -29), (3, NULL, 90000, -31), (4, NULL, -5000, -31), (5, 7, -7000, -31)) v(n, h, r, e)}, undef, $now);
	is(value_of($owner, 'SELECT idgen_registry.forget()'), 2, "$db: two numbers are forgotten");
	is(value_of($session, q{SELECT string_agg(number::text, ' ') FROM idgen_registry.list()}), '1 2 3',
		"$db: the others are not");
	is(value_of($session, q{SELECT string_agg(number::text, ' ') FROM idgen_registry.list(2, 2)}), '2',
		"$db: a range of the list");
	is(claim($session, $registry, 5, 0, 11, 12)->{horizon_ms}, $now - 5000,
		"$db: no number begins below what was forgotten");
	$owner->do($_) for 'UPDATE idgen_registry.registry SET floor_ms = 0', 'DELETE FROM idgen_registry.lease';
	return;
}

# A call that is logged because it was slow has no secret, whoever makes it.
sub check_log
{
	my ($db, $owner, $registry) = @_;
	my ($incarnation, $life) = (7_111_222_333_444, 7_555_666_777_888);
	$root->do($_) for 'ALTER SYSTEM SET log_min_duration_statement = 0', q{ALTER SYSTEM SET log_statement = 'none'}, 'SELECT pg_reload_conf()';
	my $session = connect_to($node, db => $db, user => 'node');
	wait_until($session, q{SELECT current_setting('log_min_duration_statement') = '0'});
	$session->{pg_server_prepare} = 1;
	is(claim($session, $registry, 400, 0, $incarnation, $life)->{outcome}, 'granted', "$db: a call that is logged");
	$root->do($_) for 'ALTER SYSTEM RESET log_min_duration_statement', 'ALTER SYSTEM RESET log_statement', 'SELECT pg_reload_conf()';
	my $log = slurp_file($node->logfile);
	like($log, qr/duration: [\d.]+ ms  execute [^\n]*idgen_registry\.claim[^\n]*\n(?![^\n]*DETAIL)/,
		"$db: a call stands in the log without its secrets");
	return $owner->do('DELETE FROM idgen_registry.lease WHERE number = 400');
}

# Ways of a role that may make the calls to more, and of one that may not.
sub check_hostile
{
	my ($db, $owner, $session, $registry) = @_;
	my $mallory = connect_to($node, db => $db, user => 'mallory');
	fails_with($mallory, 'SELECT idgen_registry.identity()', '42501', qr/permission denied for schema/,
		"$db: who is no node");
	for my $what ('TABLE idgen_registry.lease', 'TABLE idgen_registry.registry', 'UPDATE idgen_registry.lease SET horizon_ms = 0', 'SELECT idgen_registry.advance()',
		'SELECT idgen_registry.confirm_home()', q{SELECT idgen_registry.set_max_ahead('1 min')}, 'SELECT idgen_registry.set_largest_number(1)', 'SELECT idgen_registry.set_longest_ttl(NULL)', 'SELECT idgen_registry.forget()', "SELECT idgen_registry.enter('$registry')", 'SELECT idgen_registry.begin_write()',
		q{SELECT idgen_registry.answer_of(0, '')}, 'SELECT idgen_registry.here()', 'SELECT FROM idgen_registry.lease FOR UPDATE', 'CREATE TABLE idgen_registry.mine ()')
	{
		fails_with($session, $what, '42501', qr/permission denied/, "$db: a node may not: $what");
	}
	is(value_of($owner, q{SELECT string_agg(p.oid::regprocedure::text, ' ') FROM pg_proc p, aclexplode(coalesce(proacl, acldefault('f', proowner))) WHERE pronamespace = 'idgen_registry'::regnamespace AND grantee = 0}),
		undef, "$db: PUBLIC may call nothing");
	is(value_of($owner, q{SELECT count(*) FROM pg_proc WHERE pronamespace = 'idgen_registry'::regnamespace AND prokind = 'f' AND prosqlbody IS NULL AND (proconfig @> ARRAY['search_path=pg_catalog, pg_temp']) IS NOT TRUE}),
		0, "$db: every function is parsed, or has its path");
	# The secrets that a node holds its number by are shown to nobody.
	my ($incarnation, $life) = (7_000_000_000_001, 7_000_000_000_002);
	my $claimed = claim($session, $registry, 200, 0, $incarnation, $life);
	call($session, $registry, 'extend', 200, $incarnation, $life, $claimed->{horizon_ms}, clock($owner) + 1000, 600000);
	my $shown = join ' ', map { $_ // '' } map { @$_ } @{ $session->selectall_arrayref('SELECT l::text FROM idgen_registry.list() l') }, @{ $session->selectall_arrayref($take_sql =~ s/\?, \?, 0, \?, \?/'$registry', 200, 0, 5, 6/r) };
	unlike($shown, qr/$life/, "$db: neither list nor answer tells a life");
	unlike(join(' ', sort keys %{ claim($session, $registry, 200, 0, 5, 6) }), qr/incarnation|life/,
		"$db: an answer tells no incarnation");
	# A number taken from another: its horizon cannot be put below where that one's IDs can have come.
	my $used = row_of($owner, 200)->{horizon_ms};
	cmp_ok($used, '>', 0, "$db: a number has been used");
	value_of($session, 'SELECT idgen_registry.release(200)');
	claim($session, $registry, 200, 0, 51, 52);
	is(call($session, $registry, 'stop', 200, 51, 52, $used, 0)->{horizon_ms}, $used,
		"$db: nobody lowers what another used");
	# A caller's own objects in the way: temporary ones, and operators and functions in the caller's path.
	$owner->do(qq{GRANT CREATE ON DATABASE $db TO node});
	$session->do($_) for 'CREATE SCHEMA trap', 'CREATE TABLE trap.loot (who name)',
	  'GRANT USAGE ON SCHEMA trap TO PUBLIC', 'GRANT INSERT ON trap.loot TO PUBLIC',
	  q{CREATE FUNCTION trap.fall() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN IF current_user <> 'node' THEN INSERT INTO trap.loot VALUES (current_user); END IF; RETURN true; END $$},
	  q{CREATE FUNCTION trap.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ SELECT '1999-01-01'::timestamptz FROM trap.fall() $$},
	  q{CREATE FUNCTION trap.is_equal(bigint, bigint) RETURNS boolean LANGUAGE sql AS $$ SELECT trap.fall() $$},
	  'CREATE OPERATOR trap.= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = trap.is_equal)', 'CREATE TEMP TABLE lease (number int)', 'CREATE TEMP TABLE registry (identity uuid)',
	  q{CREATE FUNCTION pg_temp.floor(numeric) RETURNS numeric LANGUAGE sql AS $$ SELECT 0::numeric FROM trap.fall() $$}, 'SET search_path = pg_temp, trap, pg_catalog';
	claim($session, $registry, 201, 0, 51, 52);
	my $row = row_of($owner, 201);
	call($session, $registry, 'extend', 201, 51, 52, $row->{horizon_ms}, $row->{horizon_ms}, 0);
	call($session, $registry, 'stop', 201, 51, 52, $row->{horizon_ms}, 0);
	$session->selectall_arrayref("SELECT * FROM idgen_registry.$_") for 'list()', 'release(201)', 'identity()';
	is($session->selectrow_array('SELECT count(*) FROM trap.loot'), 0, "$db: nobody falls into a caller's trap");
	$session->do('RESET search_path');
	$mallory->disconnect;
	return;
}

for my $db ('extended', 'plain')
{
	my ($owner, $session) = (connect_to($node, db => $db, user => $keeper{$db}), connect_to($node, db => $db, user => 'node'));
	my $registry = value_of($session, 'SELECT idgen_registry.identity()');
	is(value_of($session, 'SELECT idgen_registry.identity()'), $registry, "$db: a registry keeps its identity");
	check_cases($db, $owner, $session, $registry);
	check_counters($owner, $session, $registry);
	check_crowd($db, $owner, $registry);
	check_races($db, $owner, $registry);
	check_life($db, $owner, $session, $registry);
	check_advance($db, $owner, $session, $registry);
	check_limits($db, $owner, $session, $registry);
	check_log($db, $owner, $registry) if $db eq 'extended';
	check_hostile($db, $owner, $session, $registry);
	$_->disconnect for $owner, $session;
}

# A dump that is restored, and a copy of the database: each call says so until it is advanced, or confirmed. The
# registry itself goes on.
for my $db ('extended', 'plain')
{
	my ($file, $copy) = ($node->basedir . "/$db.dump", "${db}_copy");
	my $session = connect_to($node, db => $db, user => 'node');
	my $registry = value_of($session, 'SELECT idgen_registry.identity()');
	claim($session, $registry, 300, 0, 61, 62);
	my $rows = join "\n", map { join ' ', map { $_ // '-' } @$_ } @{ connect_to($node, db => $db)->selectall_arrayref('SELECT * FROM idgen_registry.lease ORDER BY 1') };
	$node->command_ok([ 'pg_dump', '-h', $node->host, '-p', $node->port, '-f', $file, $db ], "$db: pg_dump");
	$root->do("CREATE DATABASE ${db}_restored OWNER keeper");
	$node->command_ok([ psql_of("${db}_restored", $keeper{extended}), '-f', $file ], "$db: restored");
	$session->disconnect;
	$root->do("CREATE DATABASE $copy TEMPLATE $db");
	for my $name ("${db}_restored", $copy)
	{
		my ($owner, $node_there) = (connect_to($node, db => $name), connect_to($node, db => $name, user => 'node'));
		is(join("\n", map { join ' ', map { $_ // '-' } @$_ } @{ $owner->selectall_arrayref('SELECT * FROM idgen_registry.lease ORDER BY 1') }), $rows, "$name: every row is there");
		fails_with($node_there, "SELECT * FROM $_", '55000', qr/has been copied or restored.*It was written at .*, and lies at .*idgen_registry\.advance/s, "$name: $_")
		  for "idgen_registry.claim('$registry', 300, 61, 63, 64, 0, 'x', 1, 1)", "idgen_registry.extend('$registry', 300, 61, 62, 0, 1, 0)", 'idgen_registry.identity()';
		if ($name eq $copy) { $owner->do('SELECT idgen_registry.confirm_home()') }
		else
		{
			my @notices;
			local $SIG{__WARN__} = sub { push @notices, @_ };
			local $owner->{PrintWarn} = 1;
			$owner->do(q{SELECT idgen_registry.advance(at => now() + interval '1 day')});
			like("@notices",
				qr/NOTICE:  no server makes IDs with a shard of this registry for 23:59:00\nDETAIL:  All shards begin at 20.*\nHINT:  /,
				"$name: told what it costs");
		}
		my $answer = claim($node_there, $registry, 300, 61, 63, 64);
		is($answer->{outcome}, 'granted', "$name: after the advance a number is claimed");
		cmp_ok($answer->{horizon_ms}, $name eq $copy ? '<' : '>', clock($owner) + 80000000,
			"$name: the number claimed begins where it must");
		is(value_of($node_there, 'SELECT idgen_registry.identity()'), $registry,
			"$name: an advance leaves the identity");
		is(value_of($owner, q{SELECT count(*) FROM pg_proc WHERE pronamespace = 'idgen_registry'::regnamespace AND has_function_privilege('mallory', oid, 'execute')}),
			0, "$name: nothing is given to PUBLIC");
		$_->disconnect for $owner, $node_there;
	}
	my $again = connect_to($node, db => $db, user => 'node');
	is(claim($again, $registry, 300, 61, 63, 64)->{outcome}, 'granted', "$db: the registry itself goes on");
	$again->disconnect;
}

# What others put in the way before: a schema, default privileges.
$root->do('CREATE DATABASE hostile OWNER mallory');
my ($boss, $mallory) = (connect_to($node, db => 'hostile'), connect_to($node, db => 'hostile', user => 'mallory'));
$mallory->do('CREATE SCHEMA idgen_registry');
fails_with($boss, 'CREATE EXTENSION idgen_registry', '55000',
	qr/is not empty, or roles that are not superusers own it or may create in it.*HINT/s,
	'a schema of somebody else\'s');
$mallory->do($_) for 'DROP SCHEMA idgen_registry', 'GRANT CREATE ON SCHEMA public TO PUBLIC', q{CREATE FUNCTION public.format(text, name) RETURNS text LANGUAGE sql AS 'SELECT $1'};
$boss->do($_) for 'ALTER DEFAULT PRIVILEGES GRANT ALL ON FUNCTIONS TO mallory', 'ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO mallory', 'ALTER DEFAULT PRIVILEGES GRANT ALL ON TYPES TO mallory', 'ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO mallory',
  'BEGIN', 'SAVEPOINT made', 'CREATE EXTENSION idgen_registry', 'RELEASE made', 'COMMIT';
is_deeply([ map { value_of($boss, $_) } q{SELECT count(*) FROM pg_proc WHERE pronamespace = 'idgen_registry'::regnamespace AND has_function_privilege('mallory', oid, 'execute')},
	q{SELECT count(*) FROM pg_class WHERE relnamespace = 'idgen_registry'::regnamespace AND relkind = 'r' AND has_table_privilege('mallory', oid, 'select, insert, update, delete')},
	q{SELECT has_schema_privilege('mallory', 'idgen_registry', 'usage, create')::int + has_type_privilege('mallory', 'idgen_registry.answer', 'usage')::int} ], [ 0, 0, 0 ], 'default privileges give nobody anything');
$boss->do($_) for 'DROP EXTENSION idgen_registry', 'DROP SCHEMA IF EXISTS idgen_registry', 'CREATE EXTENSION idgen_registry';
is(value_of($boss, q{SELECT has_function_privilege('node', 'idgen_registry.list(integer, integer)', 'execute')}), 1,
	'taken out and made again');
$_->disconnect for $boss, $mallory;

# A standby shows the numbers, and refuses to give any.
$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('follower');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
$node->wait_for_catchup($standby, 'replay', $node->lsn('flush'));
my $there = connect_to($standby, db => 'extended', user => 'node');
my $registry = value_of(connect_to($node, db => 'extended'), 'SELECT identity FROM idgen_registry.registry');
fails_with($there, "SELECT * FROM $_", '25006', qr/this server is a standby of the registry.*target_session_attrs/s, "a standby: $_")
  for 'idgen_registry.identity()', "idgen_registry.claim('$registry', 0, 0, 1, 1, 0, 'x', 1, 1)", "idgen_registry.extend('$registry', 0, 1, 1, 5, 6, 0)", "idgen_registry.stop('$registry', 0, 1, 1, 6, 5)", 'idgen_registry.release(0)';
is(value_of($there, 'SELECT count(*) FROM idgen_registry.list() WHERE number = 300'), 1, 'a standby lists the numbers');
$standby->promote;
wait_until($there, 'SELECT NOT pg_is_in_recovery()');
is(claim($there, $registry, 300, 63, 65, 66)->{outcome}, 'granted',
	'once promoted, it goes on: it has all that was acknowledged');

$_->disconnect for $there, $root;
done_testing();
