# What a node holds its number by stays with the node: whoever reads the registry's table, a dump or the log of a
# PostgreSQL that logs all it can cannot act as its owner. And what a node reads when it asks for more than the registry
# allows. For PostgreSQL, and the limits for etcd too.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenLease;
use IdgenNode;
use IdgenRecord;
use IdgenStore;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

keep_secrets();
for my $kind (store_kinds()) { allow($kind) }
done_testing();

sub keep_secrets
{
	my $registry = start_registry('talkative', conf => [ q{log_statement = 'all'}, 'log_min_duration_statement = 0', 'log_parameter_max_length_on_error = -1' ]);
	my $owner = connect_to($registry);
	is(value_of($owner, q{SELECT has_parameter_privilege('node_role', 'log_parameter_max_length', 'SET')}), 1,
		'a node may keep its arguments out of the log');
	my $node = start_leased('discreet', address_of($registry), setting => { 'idgen.lease_window' => '1s' });
	my $session = connect_to($node);
	wait_for_id($session);
	my $horizon_ms = row_in($registry, 0)->{horizon_ms};
	wait_for('an extension', sub { row_in($registry, 0)->{horizon_ms} > $horizon_ms });
	my ($incarnation) = @{ remembered($session)->{numbers}{0} };
	like($incarnation, qr/^-?\d{10}/, 'a secret');
	my $log = slurp_file($registry->logfile);
	like($log, qr/idgen_registry\.$_\(\$1/, "the log has the statement: $_") for qw(claim extend);
	unlike($log, qr/\Q$incarnation\E/, 'the log has no incarnation');
	my ($calls) = scalar(() = $log =~ /idgen_registry\.(?:claim|extend)\(\$1.*\n.*DETAIL:  [Pp]arameters/g);
	is($calls, 0, 'the log has no argument of a call');
	steal($registry, $owner, $incarnation);
	# A role that may not set it: the call works all the same.
	$owner->do('REVOKE SET ON PARAMETER log_parameter_max_length FROM idgen_node');
	$owner->do(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'node_role'});
	$horizon_ms = row_in($registry, 0)->{horizon_ms};
	wait_for('an extension', sub { row_in($registry, 0)->{horizon_ms} > $horizon_ms + 2000 });
	is(is_id(try_id($session)), 1, 'a role that may not set the logging makes its calls all the same');
	$session->disconnect;
	$node->stop;
	like(slurp_file($registry->logfile), qr/idgen_registry\.stop\(\$1/,
		'a role that may not set the logging stops its number all the same');
	is(row_in($registry, 0)->{incarnation}, undef, 'a stopped number is nobody\'s');
	my $again = start_leased('next', address_of($registry));
	my $other = connect_to($again);
	wait_for_id($other);
	is(number_of($other), 0, 'another server has a stopped number at once');
	$_->disconnect for $owner, $other;
	$_->stop('immediate') for $again, $registry;
	return;
}

# A role that reads all, and may make the calls of a node.
sub steal
{
	my ($registry, $owner, $incarnation) = @_;
	$owner->do('CREATE ROLE thief LOGIN IN ROLE idgen_node, pg_read_all_data');
	my $thief = connect_to($registry, user => 'thief');
	my ($id, $from, $bytes, $life) = $thief->selectrow_array('SELECT identity, horizon_ms, incarnation_hash, life_hash FROM idgen_registry.registry, idgen_registry.lease WHERE number = 0');
	my $dump = $registry->basedir . '/dump';
	$registry->command_ok([ 'pg_dump', '-h', $registry->host, '-p', $registry->port, '-U', 'thief', '-t', 'idgen_registry.lease', '-f', $dump, 'postgres' ], 'a thief dumps the table');
	unlike(slurp_file($dump) . join(' ', map { $_ // '' } $thief->selectrow_array('SELECT l::text FROM idgen_registry.lease l')), qr/\Q$incarnation\E|@{[ unpack 'H*', pack 'q>', $incarnation ]}/,
	  'a dump of the table does not hold the secret');
	for my $try ([ $bytes, $life ], [ substr($bytes, 8), substr($life, 8) ], [ substr($bytes, 24), substr($life, 24) ])
	{
		my ($secret, $second) = map { unpack 'q>', $_ } @$try;
		for my $call ("extend(?, 0, $secret, $second, $from, $from, 0)", "stop(?, 0, $secret, $second, $from, 0)", "claim(?, 0, $secret, 1, $second, 0, 'thief', 1, 1)")
		{
			is($thief->selectrow_hashref("SELECT * FROM idgen_registry.$call", undef, $id)->{outcome}, 'refused',
				"a thief cannot: $call");
		}
	}
	$thief->disconnect;
	return;
}

# What a node says that asks for more than the registry allows; and the calls of its superuser that change it.
sub allow
{
	my ($kind) = @_;
	my $store = begin_store($kind);
	my $node = start_leased("$kind-window", $store->{address}, setting => { 'idgen.lease_window' => '5min', 'idgen.lease_ttl' => '10min', 'idgen.max_wait' => '300ms' });
	my $session = connect_to($node);
	wait_for_id($session);
	if ($kind eq 'etcd')
	{
		fails_with($session, "SELECT idgen_lease.limit_registry($_->[0])", '22023', qr/$_->[1].*DETAIL.*HINT/s, "$kind: a limit of $_->[0]")
		  for [ q{max_ahead => '16 min'}, 'max_ahead' ], [ q{max_ahead => '1 ms'}, 'max_ahead' ], [ 'largest_shard => -1', 'must not be negative' ], [ q{longest_ttl => '366 days'}, 'longest_ttl' ];
	}
	else
	{
		fails_with($session, q{SELECT idgen_lease.limit_registry('5 min')}, '08004',
			qr/permission denied for function set_max_ahead/, "$kind: who is not the registry's owner limits nothing");
		fails_with($session, q{SELECT idgen_lease.forget_shards()}, '08004', qr/permission denied for function forget/,
			"$kind: who is not the registry's owner removes no numbers");
		$store->{node}->safe_psql('postgres', 'ALTER ROLE node_role SUPERUSER');
	}
	$session->do(q{SELECT idgen_lease.limit_registry(max_ahead => '2 min')});
	$session->disconnect;
	$node->restart;
	$session = connect_to($node);
	my $reason = qr/idgen\.lease_window, 5 min, is longer than the registry allows, 2 min: lower it, or have the owner of the registry raise max_ahead/;
	wait_for('the reason', sub { try_id($session) =~ $reason });
	pass("$kind: a window that is longer than the registry allows is named, with the limit");
	$session->do(q{SELECT idgen_lease.limit_registry(max_ahead => '11 min')});
	ok(wait_for_id($session), "$kind: the limit raised, IDs come");

	$session->do('SELECT idgen_lease.limit_registry(largest_shard => 100)');
	my $far = start_leased("$kind-far", $store->{address}, setting => { 'idgen.lease_range' => '101-200', 'idgen.max_wait' => '300ms' });
	my $hand = start_leased("$kind-hand", $store->{address}, setting => { 'idgen.shards' => '3,150', 'idgen.max_wait' => '300ms', 'idgen.lease_window' => '1s' });
	my ($distant, $by_hand) = map { connect_to($_) } $far, $hand;
	wait_for('the limit', sub { try_id($distant) =~ /this registry gives shards up to 100\. Waited/ });
	pass("$kind: a range beyond the largest number");
	wait_for('an ID', sub { value_of($by_hand, 'SELECT next_id(3)') });
	wait_for('the limit', sub { !eval { value_of($by_hand, 'SELECT next_id(150)'); 1 } && $by_hand->errstr =~ /this registry gives shards up to 100/ });
	sleep 2.5;
	ok(eval { value_of($by_hand, 'SELECT next_id(3)') }, "$kind: a number by hand beyond it; the other goes on");
	$session->do('SELECT idgen_lease.limit_registry(largest_shard => 200)');
	ok(wait_for_id($distant), "$kind: the largest number raised, IDs come");
	ok(wait_for('an ID', sub { eval { value_of($by_hand, 'SELECT next_id(150)') } }),
	  "$kind: the largest number raised, IDs of a number by hand come");

	# A server that asked for too large a number, as all smaller ones were held, asks for one of those that is free again.
	$session->do('SELECT idgen_lease.limit_registry(largest_shard => 150)');
	$distant->do($_) for q{ALTER SYSTEM SET idgen.lease_range = '150-200'}, 'ALTER SYSTEM SET idgen.lease_count = 2', 'SELECT pg_reload_conf()';
	wait_for('the limit', sub { value_of($distant, q{SELECT value FROM idgen.status() WHERE key = 'lease'}) =~ /gives shards up to 150/ });
	$by_hand->disconnect;
	$hand->stop;
	ok(wait_for('two shards', sub { value_of($distant, q{SELECT string_agg(shard::text, ' ' ORDER BY shard) FROM idgen.stat_lease WHERE held}) eq '101 150' }),
		"$kind: a smaller number that is free again is claimed");

	$distant->disconnect;
	$far->stop;
	my $count = sub { value_of($session, 'SELECT count(*) FROM idgen_lease.nodes()') };
	my $before = $count->();
	is(value_of($session, 'SELECT idgen_lease.forget_shards()'), 0, "$kind: nothing is unused for 30 days");
	fails_with($session, q{SELECT idgen_lease.forget_shards('-1 s')}, '22023', qr/unused_for is out of range/,
	  "$kind: a negative time for unused numbers is refused");
	my $highest_ms = value_of($session, 'SELECT (extract(epoch FROM max(horizon)) * 1000)::bigint FROM idgen_lease.nodes() WHERE is_free AND shard > 0');
	my $removed = wait_for('three numbers', sub { my $now = value_of($session, q{SELECT idgen_lease.forget_shards('0')}); return $now && $before - $count->() == 3 });
	ok($removed, "$kind: numbers that nobody holds are removed");
	my $fresh = start_leased("$kind-fresh", $store->{address}, setting => { 'idgen.lease_range' => '101-101' });
	my $last = connect_to($fresh);
	my $id = wait_for_id($last);
	cmp_ok(value_of($last, 'SELECT (extract(epoch FROM id_time(?)) * 1000)::bigint', $id), '>=', $highest_ms,
		"$kind: none begins lower than it would have");
	$_->disconnect for $session, $last;
	$_->stop('immediate') for $node, $fresh;
	$store->{stop}->('immediate');
	return;
}
