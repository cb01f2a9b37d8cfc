# Leased servers and a registry that is down, slow, restarted, put back, another one, or refuses. For each kind of
# registry.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenLease;
use IdgenNode;
use IdgenStore;
use MIME::Base64 qw(encode_base64);
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

for my $kind (store_kinds())
{
	my $store = begin_store($kind);
	my $made = {};
	my $node = start_leased("$kind-one", $store->{address}, setting => { 'idgen.lease_window' => '4s', 'idgen.lease_ttl' => '10s' });
	my $other = start_leased("$kind-two", $store->{address}, setting => { 'idgen.lease_window' => '4s', 'idgen.lease_ttl' => '10s' });
	my ($session, $second) = map { connect_to($_) } $node, $other;
	$session->do('CREATE ROLE nobody');
	repeated($made, map { wait_for_id($_) } $session, $second);
	away_for_a_moment($kind, $store, $made);
	away_for_long($kind, $store, $made, $node, $session, $second);
	start_without($kind, $store, $made, $node);
	$session = connect_to($node);
	put_back($kind, $store, $made, $session, $second);
	replace_registry($kind, $store, $made, $node, $session, $second);
	list_another($kind, $store);
	damage_keys($store) if $kind eq 'etcd';
	refuse_password($kind, $store, $made, $node);
	$_->disconnect for $session, $second;
	$_->stop('immediate') for $node, $other;
	$store->{stop}->('immediate');
}

# Within the window that was granted: every draw is answered at once. The window outlasts every pause of the machine.
sub away_for_a_moment
{
	my ($kind, $store, $made) = @_;
	my $node = start_leased("$kind-moment", $store->{address}, setting => { 'idgen.lease_window' => '5min', 'idgen.lease_ttl' => '10min' });
	my $session = connect_to($node);
	repeated($made, wait_for_id($session));
	$session->do('SET idgen.max_wait = 0');
	my $number = number_of($session);
	for my $fault ([ stop => 'go' ], [ freeze => 'thaw' ])
	{
		my ($begin, $end) = @$fault;
		my @tried;
		$store->{$begin}->();
		for (1 .. 50) { push @tried, try_id($session); sleep 0.01 }
		$store->{$end}->();
		for (1 .. 50) { push @tried, try_id($session); sleep 0.01 }
		is_deeply([ grep { !/^\d+$/ } @tried ], [], "$kind, away for less than a window ($begin): every draw succeeds at once");
		is(repeated($made, @tried), 0, "$kind: no ID twice");
	}
	is(number_of($session), $number, "$kind: IDs come with the same number");
	$session->disconnect;
	return $node->stop;
}

sub away_for_long
{
	my ($kind, $store, $made, $node, $session, $second) = @_;
	$store->{freeze}->();
	$session->do(q{SET idgen.max_wait = '700ms'});
	my ($began, $tried);
	wait_for('an error', sub { $began = time; $tried = try_id($session); push @{ $made->{last} }, $tried; $tried !~ /^\d+$/ });
	my $waited = time - $began;
	my @ids = grep { /^\d+$/ } @{ delete $made->{last} };
	is(repeated($made, @ids), 0, "$kind, away for longer: IDs go on for a while, none twice");
	# The server counts in whole milliseconds.
	cmp_ok($waited, '>=', 0.698, "$kind, away for longer: next_id() waits in the end");
	like($tried, qr/^55000 ERROR:  this server holds no shard from the registry\nDETAIL:  The keeper of its shards says: \S.*\. Waited for $duration\.\nHINT:  .*idgen.status/,
		"$kind: no longer than it should, and says why");
	note $tried;
	my $at = time;
	$store->{thaw}->();
	my $id = wait_for_id($session);
	note sprintf 'an ID %.0f ms after the registry', (time - $at) * 1000;
	is(repeated($made, $id, wait_for_id($second)), 0,
		"$kind: when the registry is back, IDs come by themselves, none twice");
	cmp_ok(told($node, 'shards of this server cannot be kept now'), '>=', 1, "$kind: the log says that it was away");
	cmp_ok(told($node, 'shards of this server are kept again'), '>=', 1,
		"$kind: the log says that the registry is back");
	return;
}

# A server that starts while the registry is down waits for it.
sub start_without
{
	my ($kind, $store, $made, $node) = @_;
	$store->{stop}->('immediate');
	$node->stop;
	ok(-e left_leases($node), "$kind: numbers that could not be given up are left as by a crash");
	# As after a boot of the machine.
	forget_left($node);
	start_again($node);
	my $session = connect_to($node);
	$session->do(q{SET idgen.max_wait = '1500ms'});
	fails_to_draw($session, qr/holds no shard.*\nDETAIL:  \S.+\. Waited for/s, "$kind, a start without the registry");
	note $session->errstr;
	fails_with($session, 'SELECT * FROM idgen_lease.nodes()', '08006', qr/did not answer\nDETAIL:.*\nHINT:/s,
	  "$kind, a start without the registry: nodes() has no answer");
	$store->{go}->();
	is(repeated($made, wait_for_id($session), ids_of($session, 1000)), 0,
		"$kind: when it is back, IDs come, none twice");
	$session->disconnect;
	return;
}

# Draws until that is refused.
sub wait_until_refused
{
	my ($made, $session) = @_;
	return wait_for('no more IDs', sub { my $tried = try_id($session); repeated($made, $tried) if is_id($tried); return !is_id($tried) });
}

# An older state: what was granted since is not in it. Nobody asks until it is advanced; then every number begins above
# all of that.
sub put_back
{
	my ($kind, $store, $made, @sessions) = @_;
	$store->{limit_horizons}->(5);
	$store->{save}->();
	# But for that of a window of minutes, which an earlier server may have left behind.
	my $horizons = sub { return $sessions[0]->selectcol_arrayref(q{SELECT horizon FROM idgen_lease.nodes() WHERE horizon < now() + interval '1 min' ORDER BY 1}) };
	my $saved = $horizons->()->[-1];
	my $before;
	wait_for('an extension', sub { $before = $horizons->()->[-1]; return $before gt $saved });
	is(repeated($made, map { wait_for_id($_), ids_of($_, 1000) } @sessions), 0,
		"$kind: IDs after a backup of the registry");
	my @keepers = map { keeper_of($_) } @sessions;
	kill 'STOP', @keepers;
	$store->{put_back}->();
	cmp_ok($horizons->()->[-1], 'lt', $before, "$kind: put back to an older state");
	ok(!eval { $store->{advance_by}->($sessions[0], '1 s'); 1 },
		"$kind: advanced by less than can have been granted: refused");
	like($@, qr/must lie between/, "$kind: advanced by less than can have been granted: the error says why");
	# The keepers stand still, so this does not move, however late it is by now.
	my $granted = value_of($sessions[0], 'SELECT max(horizon) FROM idgen.stat_lease');
	fails_with($sessions[0], "SELECT idgen_lease.advance_registry(at => '$granted')", '22023', qr/the registry has granted IDs of this server beyond .*\nDETAIL:  This server may make IDs up to .*\nHINT:  Give an instant above that/,
		"$kind: advanced to less than this server was granted: refused");
	$store->{advance}->($sessions[0], '6 s');
	cmp_ok($horizons->()->[0], 'gt', $before, "$kind: advanced, every number begins above all that was granted");
	is(value_of($sessions[0], 'SELECT count(*) FROM idgen_lease.nodes() WHERE NOT is_free'), 0,
		"$kind: advanced, every number belongs to nobody");
	kill 'CONT', @keepers;
	$sessions[0]->do(q{SET idgen.max_wait = '300ms'});
	wait_until_refused($made, $sessions[0]);
	wait_for('a reason', sub { try_id($sessions[0]) =~ /the first free shard, \d+, can be used from [-\d]+ [\d:.]+\+\d+ on\. Waited/ });
	pass("$kind: no IDs before the first free shard can be used, as the error says");
	is(repeated($made, map { wait_for_id($_), ids_of($_, 1000) } @sessions), 0,
		"$kind: advanced, IDs come by themselves in the end, none twice");
	return;
}

# Another registry under the same address knows nothing of what was granted.
sub replace_registry
{
	my ($kind, $store, $made, $node, @sessions) = @_;
	$store->{stop}->('immediate');
	fails_with($sessions[0], 'SELECT idgen_lease.confirm_registry()', '55000', qr/no registry answers that could be confirmed\nDETAIL:.*was advanced is not known.*\nHINT:.*when the registry answers.*force => true/,
		"$kind: while none answers, the next one is not believed");
	$store->{go}->();
	$store->{replace}->();
	$sessions[0]->do(q{SET idgen.max_wait = '300ms'});
	wait_until_refused($made, $sessions[0]);
	fails_to_draw($sessions[0], qr/another registry, [-0-9a-f]{36}, than .* knows, [-0-9a-f]{36}; .*idgen_lease.confirm_registry\(\)/,
		"$kind, another registry under the same address");
	fails_with($sessions[0], 'SET SESSION AUTHORIZATION nobody; SELECT idgen_lease.confirm_registry()', '42501', qr/superuser|permission denied/,
		"$kind: an ordinary role cannot confirm it");
	$sessions[0]->do('RESET SESSION AUTHORIZATION');
	fails_with($sessions[0], 'SELECT idgen_lease.confirm_registry()', '55000', qr/the registry has not been advanced above the one before it\nDETAIL:.*made again\.\nHINT:.*advance_registry\(\) first.*force => true/,
		"$kind: one that was not advanced is not believed");
	$sessions[0]->do('SELECT idgen_lease.confirm_registry(force => true)');
	my $id = wait_for_id($sessions[0]);
	is(repeated($made, $id, ids_of($sessions[0], 1000)), 0, "$kind: confirmed, IDs go on, none twice");
	# What was confirmed is the registry that answered then, not whichever comes next.
	my $keeper = keeper_of($sessions[0]);
	kill 'STOP', $keeper;
	$store->{replace}->();
	$sessions[0]->do('SELECT idgen_lease.confirm_registry(force => true)');
	$store->{replace}->();
	kill 'CONT', $keeper;
	wait_until_refused($made, $sessions[0]);
	fails_to_draw($sessions[0], qr/another registry, [-0-9a-f]{36}, than .* knows/, "$kind, yet another registry, right after that");
	$sessions[0]->do('SELECT idgen_lease.confirm_registry(force => true)');
	is(repeated($made, wait_for_id($sessions[0])), 0, "$kind: confirmed, none twice");
	return;
}

# A server that looks for a number lists another registry first. What that one does not know is not lost.
sub list_another
{
	my ($kind, $store) = @_;
	my $node = start_leased("$kind-listing", $store->{address}, setting => { 'idgen.lease_range' => '60-60', 'idgen.lease_count' => 2, 'idgen.lease_window' => '1min' });
	my $session = connect_to($node);
	wait_for_id($session);
	my $keeper = keeper_of($session);
	kill 'STOP', $keeper;
	$store->{replace}->();
	kill 'CONT', $keeper;
	wait_for('another registry', sub { told($node, 'another registry') });
	is(told($node, 'has lost horizons'), 0, "$kind: another registry is not blamed for what it never granted");
	$session->disconnect;
	$node->stop('immediate');
	return;
}

# The keys of two shards hold something else: all others go on, and a server whose choice one of them was takes another.
# The error names the key. Once the registry was advanced, the key may go.
sub damage_keys
{
	my ($store) = @_;
	my %setting = ('idgen.lease_window' => '4s', 'idgen.lease_ttl' => '1h');
	my $hand = start_leased('damaged-hand', $store->{address}, setting => { %setting, 'idgen.shards' => '7,8', 'idgen.max_wait' => '300ms' });
	my $pool = start_leased('damaged-pool', $store->{address}, setting => { %setting, 'idgen.lease_range' => '9-10', 'idgen.max_wait' => '3s' });
	my ($by_hand, $of_pool) = map { connect_to($_) } $hand, $pool;
	my ($seven) = map { wait_for("an ID of $_->[1]", sub { value_of($_->[0], "SELECT next_id($_->[1])") }) } [ $by_hand, 7 ], [ $by_hand, 8 ];
	wait_for_id($of_pool);
	is(number_of($of_pool), 9, 'etcd: the smallest number');
	my $etcd = sub { my ($call, $number, %value) = @_; $store->{etcd}->call("kv/$call", { key => encode_base64("/idgen/number/000000000$number", ''), %value }) };
	$etcd->('put', $_, value => encode_base64('{}', '')) for 7, 9;
	my ($end, @failed) = (time + 8);
	while (time < $end)
	{
		push @failed, grep { !is_id($_) } eval { value_of($by_hand, 'SELECT next_id(8)') } // $by_hand->errstr, try_id($of_pool);
		sleep 0.02;
	}
	is_deeply(\@failed, [], 'etcd, damaged keys: every draw from other shards succeeds');
	is(number_of($of_pool), 10, 'etcd, damaged keys: the server whose choice it was has another shard');
	ok(told($pool, 'leaves a shard that it cannot keep: the key number/0000000009 '), 'etcd, damaged keys: the log says why');
	fails_with($by_hand, 'SELECT next_id(7)', '55000', qr{^(?!.*/idgen).*: the key number/0000000007 in the etcd lacks a field, or holds something else: call}s,
		'etcd, damaged keys: the error names it, and not the prefix');
	like(value_of($by_hand, q{SELECT value FROM idgen.status() WHERE key = 'lease'}), qr{the key number/0000000007 in the etcd}, 'etcd, damaged keys: so does idgen.status()');
	is_deeply($by_hand->selectall_arrayref(q{SELECT shard, owner FROM idgen_lease.nodes() WHERE owner ~ 'damaged key' AND NOT is_free}),
		[ map { [ $_, "unknown: damaged key number/000000000$_" ] } 7, 9 ], 'etcd, damaged keys: idgen_lease.nodes() lists them as held');
	my $at = value_of($by_hand, q{SELECT idgen_lease.advance_registry(at => now() + '6 s')});
	$etcd->('deleterange', 7);
	my $next = wait_for('an ID', sub { eval { value_of($by_hand, 'SELECT next_id(7)') } });
	is(value_of($by_hand, 'SELECT id_time(?) >= ?::timestamptz AND ? > ?', $next, $at, $next, $seven), 1, 'etcd, damaged keys: advanced, and the key deleted, IDs of it come');
	$_->disconnect for $by_hand, $of_pool;
	$_->stop('immediate') for $hand, $pool;
	return;
}

# Without its password a server gets nothing, and nobody reads what it was.
sub refuse_password
{
	my ($kind, $store, $made, $node) = @_;
	my $address = $store->{demand_password}->('right-secret');
	my $wrong = $address =~ s/right-secret/wrong-secret/r;
	# A long window: etcd takes its time to judge a password.
	my $server = start_leased("$kind-password", $wrong, setting => { 'idgen.max_wait' => '1s', 'idgen.lease_window' => '1min', 'idgen.lease_ttl' => '10min' });
	my $session = connect_to($server);
	wait_for('a reason', sub { try_id($session) =~ /^55000 .*\nDETAIL:  .*(?:password|authentication)/s });
	pass("$kind: a wrong password");
	unlike($session->errstr, qr/secret/, "$kind: the error does not hold it");
	fails_with($session, 'SELECT * FROM idgen_lease.nodes()', '08004', qr/refused the call/,
		"$kind: a wrong password: nodes() is refused");
	$server->append_conf('postgresql.conf', "idgen.registry = '$address'");
	$session->disconnect;
	$server->restart;
	$session = connect_to($server);
	ok(wait_for_id($session), "$kind: with the right password IDs come");
	$session->do('CREATE ROLE somebody; SET ROLE somebody');
	fails_with($session, 'SHOW idgen.registry', '42501', qr/must be superuser|permission denied/,
		"$kind: an ordinary role cannot read the address");
	is(value_of($session, q{SELECT count(*) FROM pg_settings WHERE name = 'idgen.registry'}), 0,
	  "$kind: an ordinary role sees no address in pg_settings");
	is(told($server, 'secret'), 0, "$kind: no log holds a password");
	$session->disconnect;
	$server->stop('immediate');
	return;
}

# A registry in PostgreSQL whose primary dies, and whose synchronous standby is promoted.
sub fail_over
{
	my $first = start_registry('primary', init => { allows_streaming => 1 });
	$first->backup('base');
	my $standby = PostgreSQL::Test::Cluster->new('standby');
	$standby->init_from_backup($first, 'base', has_streaming => 1);
	$standby->append_conf('postgresql.conf', "primary_conninfo = '" . $first->connstr . " application_name=standby'");
	$standby->start;
	name_standbys(connect_to($first), 'standby');
	$first->poll_query_until('postgres', q{SELECT sync_state = 'sync' FROM pg_stat_replication});
	my $address = sprintf 'host=%s,%s port=%s,%s dbname=postgres user=node_role', map { ($first->$_, $standby->$_) } qw(host port);
	my $server = start_leased('leased', $address, setting => { 'idgen.lease_window' => '4s', 'idgen.lease_ttl' => '20s' });
	my $session = connect_to($server);
	my $made = {};
	repeated($made, wait_for_id($session));
	my $number = number_of($session);
	my $drawing = begin_drawing($server);
	sleep 0.5;
	my $before = row_in($first, $number);
	crash($first);
	$standby->promote;
	wait_for('an extension', sub { row_in($standby, $number)->{horizon_ms} > $before->{horizon_ms} });
	sleep 0.2;
	is(repeated($made, end_drawing($drawing), wait_for_id($session)), 0,
		'a registry that failed over to its synchronous standby: no ID twice');
	is(number_of($session), $number, 'the server keeps its number');
	is(told($server, 'has lost shard'), 0, 'the server never lost its number in a failover of the registry');
	$session->disconnect;
	$_->stop('immediate') for $server, $standby;
	return;
}

# Numbers that were claimed at different times end at different times, if the registry is away: sessions go on with those that are left, wherever in
# the pool they are at home.
sub end_one_by_one
{
	my $registry = start_registry('apart');
	my $server = start_leased('of_two', address_of($registry), setting => { 'idgen.lease_window' => '12s', 'idgen.lease_ttl' => '1h', 'idgen.max_wait' => '300ms' });
	my $control = connect_to($server);
	wait_for_id($control);
	sleep 3;
	$control->do($_) for 'ALTER SYSTEM SET idgen.lease_count = 2', 'SELECT pg_reload_conf()';
	wait_for('two numbers', sub { value_of($control, 'SELECT count(*) FROM idgen.stat_lease WHERE held') == 2 });
	my @sessions = map { connect_to($server) } 1 .. 4;
	wait_for_id($_) for @sessions;
	wait_for('ends that differ', sub { value_of($control, 'SELECT extract(epoch FROM max(horizon) - min(horizon)) FROM idgen.stat_lease') > 2 });
	$registry->stop('immediate');
	my $last = value_of($control, 'SELECT extract(epoch FROM max(horizon)) FROM idgen.stat_lease');
	my (%failed, %numbers, @ids);
	while (keys %failed < @sessions)
	{
		for my $i (0 .. $#sessions)
		{
			my $tried = try_id($sessions[$i]);
			push @ids, $tried if is_id($tried);
			is_id($tried) ? $numbers{$i}{ $tried >> 10 & 8191 } = 1 : ($failed{$i} //= time);
		}
		sleep 0.05;
	}
	is_deeply([ grep { $failed{$_} < $last - 0.5 } keys %failed ], [], 'no session fails as long as a number goes on');
	is(scalar(grep { keys %{ $numbers{$_} } > 1 } keys %numbers) > 0, 1, 'some went on with another one');
	is(repeated({}, @ids), 0, 'no ID twice');
	$_->disconnect for $control, @sessions;
	$server->stop('immediate');
	return;
}

# Numbers by hand, of which another server holds the highest one: sessions ask for where they are at home.
sub ask_for_each
{
	my $address = address_of(start_registry('by_hand'));
	my $owner = start_leased('of_highest', $address, setting => { 'idgen.shards' => '3', 'idgen.lease_ttl' => '1h' });
	my $server = start_leased('of_four', $address, setting => { 'idgen.shards' => '0-3', 'idgen.lease_ttl' => '1h', 'idgen.max_wait' => '100ms' });
	my ($of_owner, $control) = map { connect_to($_) } $owner, $server;
	wait_for_id($of_owner);
	my @sessions = map { connect_to($server) } 1 .. 8;
	wait_for('the numbers that are free', sub {
		try_id($_) for @sessions;
		return value_of($control, q{SELECT string_agg(shard::text, ' ' ORDER BY shard) FROM idgen.stat_lease WHERE held}) eq '0 1 2';
	});
	wait_for('all sessions', sub { !grep { !is_id(try_id($_)) } @sessions });
	my @ids = map { try_id($_) } @sessions;
	is(scalar(grep { is_id($_) } @ids), 8, 'sessions whose home is held elsewhere draw from another number by hand');
	is(join(' ', sort keys %{ { map { ($_ >> 10 & 8191 => 1) } @ids } }), '0 1 2', 'sessions draw from all numbers by hand that are held');
	is(join(' ', map { value_of($_, q{SELECT ok FROM idgen.status() WHERE key = 'server'}) } @sessions), join(' ', (1) x 8), 'idgen.status() says in each that it makes IDs');
	$_->disconnect for $of_owner, $control, @sessions;
	$_->stop('immediate') for $owner, $server;
	return;
}

if (grep { $_ eq 'postgresql' } store_kinds())
{
	fail_over();
	end_one_by_one();
	ask_for_each();
}

done_testing();
