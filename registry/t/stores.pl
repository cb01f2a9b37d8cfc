# The stores of a registry of numbers, PostgreSQL and etcd, by the calls that a node makes: the cases that all share,
# takers at once, answers that are lost or late, stores that are away, leases that are past, passwords and certificates.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use DBD::Pg qw(:async);
use IdgenEtcd;
use IdgenNode;
use IdgenProxy;
use IdgenStoreCalls;
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $secret = 'Geheim/42';
my $node = start_node('node', preload => 0, extension => 0);
my $session = connect_to($node);
make_store_functions($session);
my $server = start_node('registry', preload => 0, extension => 0, init => { allows_streaming => 1 }, conf => ["listen_addresses = '127.0.0.1'", 'max_connections = 60']);
my $owner = connect_to($server);
$owner->do($_) for 'CREATE EXTENSION idgen_registry', 'CREATE ROLE node LOGIN IN ROLE idgen_node', 'CREATE ROLE stranger LOGIN', 'CREATE DATABASE empty', "CREATE ROLE locked LOGIN PASSWORD '$secret' IN ROLE idgen_node";
my $hba = slurp_file($server->data_dir . '/pg_hba.conf');
unlink $server->data_dir . '/pg_hba.conf';
$server->append_conf('pg_hba.conf', "host all locked 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n$hba");
$server->reload;
my $etcd = IdgenEtcd->start;
my %port = (postgres => $server->port, etcd => $etcd->{port});
my %proxy = map { $_ => IdgenProxy->start($port{$_}) } keys %port;
sub address_at { my ($kind, $port, $user) = @_; return $kind eq 'etcd' ? "etcd://127.0.0.1:$port/idgen" : 'postgresql://' . ($user // 'node') . "\@127.0.0.1:$port/postgres" }
sub store { my ($kind, %option) = @_; return IdgenStoreCalls->new(kind => $kind, session => $session, registry => $kind eq 'etcd' ? $etcd : $owner, address => address_at($kind, $port{$kind}), %option) }
sub now_ms { return int(time * 1000) }

# Starts a call that takes long, in a session of its own; its answer later.
sub begin_call
{
	my ($store, @call) = @_;
	my $other = connect_to($node);
	my $statement = $other->prepare($store->call_sql, { pg_async => PG_ASYNC });
	$statement->execute($store->arguments(@call));
	return { session => $other, statement => $statement };
}

# Whether it ends within that many seconds, with an answer or without.
sub is_answered
{
	my ($begun, $seconds) = @_;
	my $end = time + $seconds;
	while (time < $end)
	{
		# It raises an error if the connection is lost.
		return 1 if (eval { $begun->{session}->pg_ready } // 1) != 0;
		sleep 0.02;
	}
	return 0;
}

sub answer_to
{
	my ($begun) = @_;
	my $answer = succeeds($begun->{statement}) ? ($begun->{statement}->fetchrow_array)[0] : 'error ' . $begun->{session}->state;
	$begun->{session}->disconnect;
	return $answer;
}

# The cases of the file. Horizons in it count from now; an empty time of the lease is for ever.
my ($header, @cases) = map { chomp; [ split /,/, $_, -1 ] } split /^/, slurp_file("$FindBin::Bin/../../test/vectors/lease.csv");
sub check_cases
{
	my ($kind, $store) = @_;
	for (@cases)
	{
		my %c;
		@c{@$header} = map { $_ eq '' ? undef : $_ } @$_;
		next if $kind eq 'postgres' && $c{incarnation} eq '0' && $c{kind} ne 'claim';    # in SQL an error
		my $now = now_ms();
		my $horizon = sub { my ($text) = @_; return ($text // 0) eq 'floor' ? 0 : $now + ($text // 0) };
		my $lease = sub { my ($left) = @_; return !defined $left ? 'for ever' : $left < 0 ? 'past' : 'left' };
		$store->clear;
		$store->put_row(5, incarnation => $c{owner}, life => $c{life}, horizon_ms => $horizon->($c{horizon}), claimed_ms => $horizon->($c{claimed}), lease => $lease->($c{left})) if defined $c{owner};
		my $answer =
		    $c{kind} eq 'claim' ? $store->claim(5, @c{qw(incarnation proposed call_life)}, 600000)
		  : $c{kind} eq 'extend' ? $store->extend(5, @c{qw(incarnation call_life)}, map({ $horizon->($_) } @c{qw(from to)}), 600000)
		  : $store->stop(5, @c{qw(incarnation call_life)}, map({ $horizon->($_) } @c{qw(from to)}));
		my $row = $store->row(5) // { incarnation => 0, life => 0, horizon_ms => 0, claimed_ms => 0, lease => 'for ever' };
		my $left = $c{outcome} ne 'granted' ? $lease->($c{left}) : $c{kind} eq 'stop' ? 'past' : 'left';
		is_deeply(
			[ $answer, @$row{qw(incarnation life horizon_ms claimed_ms lease)} ],
			[ 'answered ' . "$c{outcome} " . $horizon->($c{new_horizon}), map({ $store->secret($_) } @c{qw(new_owner new_life)}), map({ $horizon->($_) } @c{qw(new_horizon new_claimed)}), $left ],
			"$kind: $c{what}");
	}
	$store->clear;
	return;
}

# Twenty at once, each as a node does it: the smallest number that is free, and another if another node was faster.
sub check_crowd
{
	my ($kind, $store) = @_;
	my $gate = connect_to($node);
	$gate->do('SELECT pg_advisory_lock(7)');
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		my $done = in_sessions($node, 20, sub {
			my ($other, $number) = @_;
			my $own = $store->with(session => $other);
			$own->list;
			$other->do('SELECT pg_advisory_lock_shared(7)');
			for (1 .. 100)
			{
				my %held = map { /^(\d+) \d+ held/ ? ($1 => 1) : () } split /; /, $own->list;
				my ($smallest) = grep { !$held{$_} } 0 .. 30;
				return 1 if $own->claim($smallest, 0, $number, 100 + $number) =~ /^answered granted/;
			}
			die 'no number';
		});
		POSIX::_exit($done ? 0 : 1);
	}
	wait_until($gate, q{SELECT count(*) = 20 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted});
	$gate->disconnect;
	waitpid $pid, 0;
	is($?, 0, "$kind: twenty at once: each has one");
	is_deeply([ sort map { $store->row($_)->{incarnation} } 0 .. 19 ], [ sort map { $store->secret($_) } 1 .. 20 ],
		"$kind: twenty at once: the numbers 0 to 19");
	$store->clear;
	return;
}

# What a node does in its life.
sub check_life
{
	my ($kind, $store) = @_;
	my $now = now_ms();
	is($store->list, 'answered floor 0', "$kind: no number yet");
	is($store->claim(0, 0, 11, 12, 0, "n\xc3\xa4me"), 'answered granted 0', "$kind: a new number");
	is($store->extend(0, 11, 12, 0, $now + 60000), 'answered granted ' . ($now + 60000), "$kind: an extension");
	is($store->claim(1, 0, 21, 22), 'answered granted 0', "$kind: another");
	is($store->list, 'answered floor 0; 0 ' . ($now + 60000) . " held left n\xc3\xa4me; 1 0 held left name 21",
		"$kind: the list");
	is($store->extend(0, 11, 12, $now + 60000, $now + 61000, 0), 'answered granted ' . ($now + 61000),
		"$kind: an extension whose lease never ends");
	is($store->stop(0, 11, 12, $now + 61000, $now + 500), 'answered granted ' . ($now + 500), "$kind: a clean stop");
	like($store->list, qr/0 @{[ $now + 500 ]} free past n\xc3\xa4me/, "$kind: a clean stop gives the number up");
	is($store->claim(0, 11, 13, 14, 0, "n\xc3\xa4me"), 'answered granted ' . ($now + 500),
		"$kind: the owner of a number that was given up may claim it again");
	is($store->claim(0, 0, 31, 32), 'answered refused ' . ($now + 500),
		"$kind: a number that has an owner is kept from others");
	like($store->list, qr/0 @{[ $now + 500 ]} held for ever n\xc3\xa4me/,
		"$kind: the list says that the number is held for ever");
	is($store->release(0), 'answered had an owner', "$kind: released");
	is($store->release(0), 'answered had none', "$kind: a number that was released has no owner any more");
	is($store->release(77), 'answered had none', "$kind: a number that nobody has held has no owner");
	like($store->list, qr/0 @{[ $now + 500 ]} free past n\xc3\xa4me/, "$kind: a number that was released is free");
	is($store->extend(0, 13, 14, $now + 500, $now + 900), 'answered refused ' . ($now + 500),
		"$kind: the owner of a number that was released learns it");
	is($store->claim(0, 0, 31, 32), 'answered granted ' . ($now + 500),
		"$kind: the next begins where that one can have come");
	my $own = $store->{identity};
	like($store->with(identity => '12345678-1234-4234-8234-123456789012')->extend(0, 31, 32, $now + 500, $now + 900),
		qr/^foreign this is another registry/, "$kind: another registry");
	is($store->identity, "answered $own", "$kind: a call for another registry leaves the identity");
	$store->clear;
	return;
}

# A lease that is past, of an owner that goes on all the same, and of one that was too late.
sub check_ttl
{
	my ($kind, $store) = @_;
	$store->claim(0, 0, 11, 12, 1000);
	is($store->row(0)->{lease}, 'left', "$kind: a short lease");
	my $wait = sub { for (1 .. 20_000) { return if $store->row(0)->{lease} eq 'past'; sleep 0.02 } die 'the lease does not end' };
	$wait->();
	like($store->list, qr/0 0 free past name 11/, "$kind: a short lease that has passed");
	is($store->extend(0, 11, 12, 0, 5000, 1000), 'answered granted 5000',
		"$kind: the owner of a lease that has passed may go on");
	is($store->row(0)->{lease}, 'left', "$kind: an owner that goes on has a lease again");
	is($store->claim(0, 0, 21, 22, 1000), 'answered refused 5000', "$kind: a lease that was renewed is kept");
	$wait->();
	is($store->claim(0, 0, 21, 22), 'answered granted 5000', "$kind: past again, another claims the number");
	is($store->extend(0, 11, 12, 5000, 6000), 'answered refused 5000',
		"$kind: an owner whose number was claimed by another is too late");
	$store->clear;
	return;
}

# Answers that are lost after the call was executed, late ones, and what ends the wait.
sub check_answers
{
	my ($kind, $store) = @_;
	my $proxy = $proxy{$kind};
	my $far = $store->with(address => address_at($kind, $proxy->{port}));
	is($far->claim(0, 0, 11, 12), 'answered granted 0', "$kind: over a proxy");
	$proxy->be_late(0.5);
	is($far->extend(0, 11, 12, 0, 4000), 'answered granted 4000', "$kind: late answers");
	my $writes = $kind eq 'etcd' ? 'request_put' : 'idgen_registry.';
	my @calls = ([ 'extend', 0, 11, 0, 12, 4000, 5000, 600000 ], [ 'claim', 1, 0, 21, 22, 0, 0, 600000 ], [ 'stop', 0, 11, 0, 12, 5000, 4500, 0 ]);
	for my $call (@calls)
	{
		my ($before, %answers);
		$proxy->lose_answers_to($writes);
		# On a slow machine the time is over before anything was sent.
		for (1 .. 20)
		{
			$answers{ $far->with(answer_ms => 1500)->_call(@$call) } = 1;
			$before = $store->row($call->[1]);
			last if $before && $before->{horizon_ms} == $call->[6];
		}
		$proxy->pass;
		is_deeply([ keys %answers ], ['silent it did not answer in time'], "$kind: the answer to a $call->[0] is lost");
		is($before->{horizon_ms}, $call->[6], "$kind: a $call->[0] whose answer is lost was executed");
		my $again = $call->[0] eq 'stop' ? 'refused' : 'granted';
		is($far->_call(@$call), "answered $again $call->[6]", "$kind: the identical $call->[0] is $again again");
		is_deeply($store->row($call->[1]), $before, "$kind: the identical $call->[0] changes nothing");
	}
	$store->claim(0, 0, 11, 12);
	# A wait of a minute is ended by a cancellation, and by the end of the session, long before.
	$proxy->be_late(0);
	my $slow = $far->with(answer_ms => 60000);
	$proxy->lose_answers_to($writes);
	for my $end ('pg_cancel_backend', 'pg_terminate_backend')
	{
		my $begun = begin_call($slow, 'extend', 0, 11, 0, 12, 4500, 4600, 600000);
		my $pid = $begun->{session}{pg_pid};
		for (1 .. 20_000) { last if $store->row(0)->{horizon_ms} == 4600; sleep 0.02 }
		value_of($session, "SELECT $end(?)", $pid);
		ok(is_answered($begun, 30), "$kind: $end, and the call waits no longer");
		like(answer_to($begun), $end =~ /cancel/ ? qr/^error 57014/ : qr/^error/, "$kind: $end ends a wait");
		wait_until($session, "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $pid)");
	}
	$proxy->pass;
	$store->clear;
	return;
}

# A store that is down, stands still, and is there again.
sub check_away
{
	my ($kind, $store, $stop, $go, $pause, $resume) = @_;
	$store->claim(0, 0, 11, 12);
	my $short = $store->with(answer_ms => 1500);
	$pause->();
	is($short->extend(0, 11, 12, 0, 5000), 'silent it did not answer in time', "$kind: a store that stands still");
	$resume->();
	like($store->extend(0, 11, 12, 0, 5000), qr/^answered granted 5000/, "$kind: a store that goes on");
	$stop->();
	like($store->extend(0, 11, 12, 5000, 6000), qr/^silent .*(?:refused|connect|lost)/i, "$kind: a store that is down");
	$go->();
	like($store->extend(0, 11, 12, 5000, 6000), qr/^answered granted 6000/,
		"$kind: a store that is back has what it had");
	$stop->();
	$go->();
	is($store->extend(0, 11, 12, 6000, 7000), 'answered granted 7000',
		"$kind: a restart between two calls is not noticed");
	$store = store($kind, identity => $store->{identity});
	$store->clear;
	return;
}

my %stop = (postgres => sub { $owner->disconnect; $server->stop('immediate') }, etcd => sub { $etcd->stop('KILL') });
my %go = (postgres => sub { $server->start; $owner = connect_to($server) }, etcd => sub { $etcd->go });
# A server that stands still takes no connection either.
my %pause = (
	postgres => sub { IdgenEtcd::halt($server->{_pid}); IdgenEtcd::halt(split ' ', `ps -o pid= --ppid $server->{_pid}`) },
	etcd => sub { $etcd->pause });
my %resume = (
	postgres => sub { kill 'CONT', $server->{_pid}, split ' ', `ps -o pid= --ppid $server->{_pid}` },
	etcd => sub { $etcd->resume });

for my $kind ('postgres', 'etcd')
{
	my $store = store($kind);
	like($store->identity, qr/^answered [0-9a-f-]{36}$/, "$kind: a registry");
	$_->($kind, $store) for \&check_cases, \&check_crowd, \&check_life, \&check_ttl, \&check_answers;
	check_away($kind, $store, $stop{$kind}, $go{$kind}, $pause{$kind}, $resume{$kind});
	# Nobody there, for all of the addresses; the second of two that are given.
	like($store->with(address => address_at($kind, 1))->list, qr/^silent .*(?:refused|connect)/i,
		"$kind: nobody there");
	my $two = $kind eq 'etcd' ? "etcd://127.0.0.1:1,127.0.0.1:$port{etcd}" : "postgresql://node\@127.0.0.1:1,127.0.0.1:$port{postgres}/postgres";
	like($store->with(address => $two)->list, qr/^answered/, "$kind: the second of two");
	# One that takes connections and says nothing: the time of one call, or a share of it.
	my $mute = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 50) or die "listen: $!";
	my $first = $two =~ s/:1,/':' . $mute->sockport . ','/er;
	my $patient = $store->with(address => $first, answer_ms => 3000);
	like($patient->list, $kind eq 'etcd' ? qr/^answered/ : qr/^silent it did not answer in time/,
		"$kind: the first of two is mute");
	like($patient->list, qr/^answered/, "$kind: a mute address is not waited for twice");
}

# Only of a PostgreSQL: rights, and a COMMIT whose standby did not confirm it.
my $postgres = store('postgres');
$postgres->identity;
like($postgres->with(address => address_at('postgres', $port{postgres}, 'stranger'))->list,
	qr/^denied permission denied for schema idgen_registry/, 'a role that is no node');
like($postgres->with(address => address_at('postgres', $port{postgres}) =~ s/postgres$/empty/r)->list,
	qr/^denied schema "idgen_registry" does not exist/, 'no registry there');
like($postgres->with(address => address_at('postgres', $port{postgres}) =~ s/postgres$/none/r)->list,
	qr/^denied database "none" does not exist/, 'no database there');
$postgres->claim(3, 0, 11, 12);
name_standbys($owner, 'nobody');
my $begun = begin_call($postgres->with(answer_ms => 600000), 'extend', 3, 11, 0, 12, 0, 5000, 600000);
wait_until($owner, q{SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep')});
$owner->do(q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'});
is(answer_to($begun), 'silent the server warned that its standby may not have what it wrote',
	'a COMMIT that no standby confirmed');
$owner->do('ALTER SYSTEM RESET synchronous_standby_names');
$owner->do('SELECT pg_reload_conf()');
is($postgres->extend(3, 11, 12, 0, 5000), 'answered granted 5000', 'the identical call again');
# Its rows come before the COMMIT, which fails.
$owner->do($_) for q{CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused at COMMIT'; END $$},
  'CREATE CONSTRAINT TRIGGER refuse AFTER UPDATE ON idgen_registry.lease DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()';
is($postgres->extend(3, 11, 12, 5000, 6000), 'silent refused at COMMIT', 'a COMMIT that fails after the rows');
$owner->do('DROP FUNCTION refuse CASCADE');
is($postgres->row(3)->{horizon_ms}, 5000, 'nothing was done');
$owner->do(q{UPDATE idgen_registry.registry SET home = 'elsewhere'});
like($postgres->extend(3, 11, 12, 5000, 6000), qr/^denied the registry has been copied or restored/,
	'postgres: a copy');
$owner->do('SELECT idgen_registry.confirm_home()');

# Only of an etcd: a lease that is past, for which a keepalive gets 200 without a TTL, or that ends between keepalive
# and write.
sub end_leases
{
	my ($store) = @_;
	my $revoke = sub { my $lease = $store->value_in($store->key('number', 6))->{lease}; $etcd->call('lease/revoke', { ID => $lease }); return $lease };
	my $holder = sub { my $row = $store->row(6); return join ' ', @$row{qw(incarnation horizon_ms lease)} };
	$store->claim(6, 0, 11, 12);
	my $ended = $revoke->();
	my $kept = $etcd->call('lease/keepalive', { ID => $ended })->{result};
	is_deeply([ @$kept{qw(ID TTL)} ], [ $ended, undef ],
		'etcd: a lease that is past is kept alive with 200, and no TTL');
	is($holder->(), '11 0 past', 'etcd: nobody holds the number');
	is($store->extend(6, 11, 12, 0, 4000), 'answered granted 4000', 'etcd: its owner goes on');
	is($holder->(), '11 4000 left', 'etcd: the owner of a past lease has a lease again');
	isnt($store->value_in($store->key('number', 6))->{lease}, $ended,
		'etcd: the owner of a past lease has another lease');
	$revoke->();
	is($store->claim(6, 11, 13, 14), 'answered granted 4000', 'etcd: an owner that claims its number again goes on');
	is($holder->(), '13 4000 left', 'etcd: an owner that claims its number again has another lease');

	my $proxy = $proxy{etcd};
	my $far = $store->with(address => address_at('etcd', $proxy->{port}));
	$proxy->hold('request_put');
	my $begun = begin_call($far, 'extend', 6, 13, 0, 14, 4000, 5000, 600000);
	$proxy->wait_for_match;
	$revoke->();
	$proxy->pass;
	is(answer_to($begun), 'answered granted 5000', 'etcd: a lease that ends between keepalive and write');
	is($holder->(), '13 5000 left', 'etcd: is followed by another');
	$proxy->hold('request_put');
	$begun = begin_call($far, 'extend', 6, 13, 0, 14, 5000, 6000, 600000);
	$proxy->wait_for_match;
	$revoke->();
	$store->claim(6, 0, 21, 22);
	$proxy->pass;
	is(answer_to($begun), 'answered refused 5000',
		'etcd: claimed by another owner meanwhile, the one before learns it');
	is($holder->(), '21 5000 left', 'etcd: the other owner has the number');
	$store->clear;
	return;
}

# And a copy, and keys that hold something else.
my $store = store('etcd');
$store->identity;
end_leases($store);
$store->claim(3, 0, 11, 12);
my $registry_key = $store->value_in('/idgen/registry');
$store->put('/idgen/registry', { %$registry_key, cluster => '1' });
like($store->extend(3, 11, 12, 0, 5000), qr/^denied the registry has been copied or restored/, 'etcd: a copy');
$store->put('/idgen/registry', $registry_key);
$store->claim($_, 0, 31, 32, 600000, "number $_") for 2, 5;
$store->put($_, '{}') for '/idgen/number/00000000020', '/idgen/holder/00000000020', '/idgen/holder/0000000002/x';
for my $value ('nothing of ours', '{"horizon_ms": "5"}')
{
	$store->put('/idgen/number/0000000003', $value);
	my $horizon_ms = $value =~ /(5)/ ? $1 : 0;
	is($store->list, "answered floor 0; 2 0 held left number 2; 3 $horizon_ms held for ever unknown: damaged key number/0000000003; 5 0 held left number 5",
		"etcd: a number's key that holds $value is listed as held, as far as it can be read");
	is($_, "limited the key number/0000000003 in the etcd lacks a field, or holds something else: call idgen_lease.advance_registry(at => now() + '15 min') before you delete it",
		"etcd: nothing is done with a key that holds $value, and the answer names it")
	  for $store->extend(3, 11, 12, 0, 5000), $store->claim(3, 11, 21, 22), $store->stop(3, 11, 12, 0, 0), $store->release(3);
}
is($store->extend(5, 31, 32, 0, 5000), 'answered granted 5000', 'etcd: others go on beside it');
is($store->administer('forget', 0, 0, 0), 'answered 0', 'etcd: it is not forgotten');
like($store->administer('advance', 900000, 0, 0), qr/^answered \d/, 'etcd: and keeps no registry from being advanced');
like($store->list, qr/^answered floor (\d+); 2 \1 free .*; 3 \1 held for ever unknown.*; 5 \1 free /, 'etcd: it is held above that, too');
$store->put('/idgen/registry', '[]');
like($store->claim(4, 0, 21, 22), qr/^denied/, 'etcd: a registry that is none');
$store->put('/idgen/registry', $registry_key);
$store->clear;
is($store->claim(3, 0, 11, 12), 'answered granted 0', 'etcd: another prefix is another registry');
like($store->with(address => address_at('etcd', $port{etcd}) =~ s/idgen/other/r)->identity, qr/^answered (?!$store->{identity})/,
  'etcd: another prefix has another identity');
like($store->with(address => address_at('etcd', $port{postgres}))->list, qr/^silent/, 'etcd: a server that is none');

# Passwords: right, wrong, none; and none of them in what is said or written.
my %address_of = (
	'postgres, right' => 'postgresql://locked:Geheim%2F42@127.0.0.1:' . "$port{postgres}/postgres",
	'postgres, wrong' => 'postgresql://locked:Falsch%2F42@127.0.0.1:' . "$port{postgres}/postgres",
	'postgres, not encoded' => "postgresql://locked:$secret\@127.0.0.1:$port{postgres}/postgres",
	'postgres, as conninfo' => "host=127.0.0.1 port=$port{postgres} user=locked password='Falsch/42' dbname=postgres",
	'postgres, broken' => "postgresql://locked:Falsch42\@127.0.0.1:$port{postgres}/postgres?no=$secret",
	'postgres, broken conninfo' => "host=127.0.0.1 password=$secret $secret",
	'no address' => $secret);
$etcd->demand_password('Wurzel/42', 'node', $secret, '/idgen');
$address_of{"etcd, $_->[0]"} = "etcd://$_->[1]127.0.0.1:$port{etcd}/idgen" for [ 'right', 'node:Geheim%2F42@' ], [ 'wrong', 'node:Falsch%2F42@' ], [ 'not encoded', "node:$secret\@" ], [ 'none', '' ];
my $said = '';
for my $what (sort keys %address_of)
{
	my $answer = IdgenStoreCalls->new(session => $session, address => $address_of{$what})->list;
	$said .= "$what: $answer\n";
	like($answer, $what =~ /right/ ? qr/^answered/ : qr/^denied ./, "a password: $what");
}
my $right = $store->with(address => $address_of{'etcd, right'});
is($right->extend(3, 11, 12, 0, 5000), 'answered granted 5000', 'a call with a password');
$etcd->stop;
$etcd->go;
is($right->extend(3, 11, 12, 5000, 6000), 'answered granted 6000',
	'a token that the etcd has forgotten is fetched anew');
like($store->with(address => $address_of{'etcd, right'} =~ s/idgen$/other/r)->list,
	qr/^denied etcdserver: permission denied/, 'a prefix that is not the user\'s');
like($said, qr/postgres, wrong: denied password authentication failed for user "locked"/,
	'what a wrong password is told');
unlike($said, qr/Geheim|Falsch|42/, 'no password in what is said');
unlike(slurp_file($_), qr/^(?!.*STATEMENT|.*LOG:  (?:statement|execute)).*(?:Geheim|Falsch)/m,
  "no password in $_") for $server->logfile, "$etcd->{folder}/log";

# What the owner of an etcd does by a node's SQL. Number 0 is held, its horizon 50 s ahead.
sub _check_owner_calls
{
	my ($caller, $own, $now) = @_;
	fails_with($caller, 'SELECT idgen_lease.advance_registry()', '08004',
		qr/refused the call.*clock of the etcd lies behind an instant.*the horizon of shard 0 is .*give an instant/s,
		'etcd: an advance by a clock behind a horizon');
	# What it says can be done while servers hold numbers.
	my ($advice) = $caller->errstr =~ /(at => now\(\) \+ '15 min')/;
	is(value_of($caller, "SELECT idgen_lease.advance_registry($advice) > now() + interval '14 min'"), 1, 'etcd: the advice is followed');
	fails_with($caller, q{SELECT idgen_lease.advance_registry('10 min')}, '08004',
		qr/refused the call.*must lie between 11 min,/s, 'etcd: by less than the limit now in force');
	fails_with($caller, q{SELECT idgen_lease.advance_registry(at => now() + interval '1 s')}, '08004',
		qr/refused the call.*above all that the registry knows/s, 'etcd: to below a horizon');
	my @notices;
	{
		local $SIG{__WARN__} = sub { push @notices, @_ };
		local $caller->{PrintWarn} = 1;
		is(value_of($caller, q{SELECT idgen_lease.advance_registry(at => now() + interval '65 min') > now() + interval '64 min'}),
			1, 'etcd: idgen_lease.advance_registry() to an instant');
	}
	like("@notices",
		qr/NOTICE:  no server makes IDs with a shard of this registry for 1 h [45] min\nDETAIL:  All shards begin at 20.*\nHINT:  /,
		'etcd: told what it costs');
	is(value_of($caller, 'SELECT bool_and(is_free AND horizon > now()) FROM idgen_lease.nodes()'), 1,
		'etcd: no number has an owner');
	like($own->extend(0, 11, 12, $now + 50000, $now + 51000), qr/^answered refused/, 'etcd: its owner learns it');
	like($own->claim(99, 0, 31, 32), qr/^answered granted (?!0)/,
		'etcd: a number that nobody has held begins above, too');

	fails_with($caller, "SELECT idgen_lease.limit_registry($_)", '22023', qr/out of range|negative/,
		"etcd: a limit of $_") for q{'16 min'}, q{'1 ms'}, 'NULL, -1', q{NULL, NULL, '1 s'};
	value_of($caller, q{SELECT idgen_lease.limit_registry('2 min', 100, '1 min')});
	is($own->claim(101, 0, 41, 42, 60000), 'limited this registry gives shards up to 100', 'etcd: too large a number');
	is($own->claim(100, 0, 41, 42, $_), 'limited this registry gives leases of at most 60.000 s',
		"etcd: too long a lease: $_ ms") for 0, 60001;
	my ($horizon) = $own->claim(100, 0, 41, 42, 60000) =~ /^answered granted (\d+)$/;
	like($own->extend(100, 41, 42, $horizon, $horizon + 1, 60000), qr/^answered too far/, 'etcd: too far ahead');

	# A number that is free, unused for a day, and whose horizon is past, is forgotten; no number begins below it then.
	$own->clear;
	$own->put($own->key('registry'), { %{ $own->value_in($own->key('registry')) }, floor_ms => '0' });
	$own->put_row($_->[0], incarnation => $_->[1], life => $_->[1], horizon_ms => $now + $_->[2], claimed_ms => 0, lease => $_->[3])
	  for [ 1, 7, -9000, 'left' ], [ 2, 0, -9000, 'past' ], [ 3, 7, 90000, 'past' ], [ 4, 7, -5000, 'past' ];
	is(value_of($caller, q{SELECT idgen_lease.forget_shards('1 day')}), 2, 'etcd: two numbers are forgotten');
	is_deeply($caller->selectcol_arrayref('SELECT shard FROM idgen_lease.nodes()'), [ 1, 3 ],
		'etcd: the others are not');
	is($own->claim(4, 0, 11, 12, 60000), 'answered granted ' . ($now - 5000),
		'etcd: no number begins below what was forgotten');
	return;
}

# The SQL calls, which open the registry for themselves; who may call them, and who sees the address.
my $member = start_node('member', conf => ["idgen.registry = '$address_of{'postgres, right'}'"]);
$member->safe_psql('postgres', 'CREATE EXTENSION idgen_lease; CREATE ROLE ordinary LOGIN; CREATE ROLE monitor LOGIN IN ROLE pg_monitor');
for my $kind ('postgres', 'etcd')
{
	my $caller = connect_to($member);
	my ($monitor, $ordinary) = map { connect_to($member, user => $_) } 'monitor', 'ordinary';
	my $own = $kind eq 'etcd' ? $right : $postgres->with(address => $address_of{'postgres, right'});
	$own->clear;
	my $now = now_ms();
	$own->claim(0, 0, 11, 12, 0);
	$own->extend(0, 11, 12, 0, $now + 50000, 0);
	$own->claim(7, 0, 21, 22, 600000, 'seven');
	is_deeply(
		$monitor->selectall_arrayref(q{SELECT shard, owner, system_identifier, timeline, since BETWEEN now() - interval '1 min' AND now() + interval '1 min', lease_left BETWEEN '1 min' AND '10 min',
			(extract(epoch FROM horizon) * 1000)::bigint, is_free FROM idgen_lease.nodes()}),
		[ [ 0, 'name 11', 1011, 1, 1, undef, $now + 50000, 0 ], [ 7, 'seven', 1021, 1, 1, 1, 0, 0 ] ], "$kind: idgen_lease.nodes(), for a member of pg_monitor");
	fails_with($ordinary, $_, '42501', qr/permission denied|must be superuser/,
		"$kind: for nobody else: $_") for 'SELECT * FROM idgen_lease.nodes()', 'SELECT idgen_lease.release(7)', 'SHOW idgen.registry', 'TABLE idgen_lease.record';
	is(value_of($_, q{SELECT count(*) FROM pg_settings WHERE name = 'idgen.registry' OR setting ~ 'G.heim'}), 0,
		"$kind: no address in pg_settings") for $ordinary;
	is(value_of($caller, 'SELECT idgen_lease.release(7)'), 1, "$kind: idgen_lease.release()");
	is(value_of($caller, 'SELECT idgen_lease.release(7)'), 0, "$kind: a second time");
	_check_owner_calls($caller, $own, $now) if $kind eq 'etcd';
	fails_with($caller, q{SELECT idgen_lease.advance_registry()}, '08004',
		qr/refused the call.*permission denied for function advance/s,
		'postgres: idgen_lease.advance_registry() is its owner\'s') if $kind ne 'etcd';
	fails_with($caller, $_, '08004', qr/refused the call.*permission denied for function/s, "postgres: $_ is its owner's")
	  for $kind ne 'etcd' ? (q{SELECT idgen_lease.limit_registry('1 min')}, 'SELECT idgen_lease.forget_shards()') : ();
	if ($kind ne 'etcd')
	{
		$owner->do("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA idgen_registry TO idgen_node");
		$owner->do("ALTER FUNCTION idgen_registry.$_ SECURITY DEFINER") for 'set_max_ahead', 'set_largest_number', 'set_longest_ttl', 'forget';
		value_of($caller, q{SELECT idgen_lease.limit_registry('2 min', 100, '1 min')});
		is(value_of($owner, q{SELECT concat_ws(' ', max_ahead, largest_number, longest_ttl) FROM idgen_registry.registry}),
			'00:02:00 100 00:01:00', 'postgres: its owner may limit it by a node');
		value_of($caller, q{SELECT idgen_lease.limit_registry(largest_shard => 8191)});
		is(value_of($owner, q{SELECT concat_ws(' ', max_ahead, largest_number, longest_ttl) FROM idgen_registry.registry}),
			'00:02:00 8191 00:01:00', 'postgres: one limit alone');
		is(value_of($caller, 'SELECT idgen_lease.forget_shards()'), 0,
			'postgres: a node that may limit may forget numbers');
	}
	$pause{$kind}->();
	$caller->do(q{SET statement_timeout = '200ms'});
	fails_with($caller, 'SELECT * FROM idgen_lease.nodes()', '57014', qr/statement timeout/,
		"$kind: a statement that waits can be cancelled");
	$resume{$kind}->();
	$caller->do('RESET statement_timeout');
	is(value_of($caller, 'SELECT count(*) > 0 FROM idgen_lease.nodes()'), 1,
		"$kind: a statement that was canceled can be called again");
	$_->disconnect for $caller, $monitor, $ordinary;
	next if $kind eq 'etcd';
	$member->append_conf('postgresql.conf', "idgen.registry = '$address_of{'etcd, right'}'");
	$member->restart;
}
$member->append_conf('postgresql.conf', "idgen.registry = '$address_of{'etcd, not encoded'}'");
$member->restart;
my $last = connect_to($member);
fails_with($last, 'SELECT * FROM idgen_lease.nodes()', '22023',
	qr/^(?!.*Geheim).*idgen.registry is not the address of a registry.*HINT/s, 'an address that is none');
# What no store reads is refused when it is said; from a file that is read again, the server goes on as it was; and one
# that starts with it says so, and makes no ID of a number that it has not claimed.
my $unknown = qr/idgen.registry is not the address of a registry.*DETAIL:.*must begin with postgresql.*HINT:.*such as/s;
fails_with($last, q{ALTER SYSTEM SET idgen.registry = 'consul://node:Geheim@host:8500'}, '22023',
	qr/^(?!.*Geheim).*$unknown/s, 'ALTER SYSTEM SET idgen.registry to what no store reads');
fails_with($last, "ALTER SYSTEM SET idgen.registry = '$_'", '22023', $unknown,
	"ALTER SYSTEM SET idgen.registry to what no store reads: $_") for 'ETCD://host:1/a', ' etcd://host:1/a', 'etcd:/host', 'http://host/?a=b', 'registry';
ok(eval { $last->do("ALTER SYSTEM SET idgen.registry = '$_'") },
	"ALTER SYSTEM SET idgen.registry to '$_'") for 'etcd://host:2379/idgen', 'etcds://a:1,b:1/c', 'postgres://host/db', 'postgresql://node@host/db', 'host=a dbname=b', '';
$last->do('ALTER SYSTEM RESET idgen.registry');
my $was = value_of($last, 'SHOW idgen.registry');
$member->append_conf('postgresql.conf', "idgen.registry = 'consul://node\@host:8500'\nidgen.shards = '5'");
my $from = -s $member->logfile;
$member->reload;
$member->wait_for_log(qr/idgen.registry is not the address of a registry/, $from);
is(value_of($last, 'SHOW idgen.registry'), $was, 'in a file that is read again: nothing changes');
$last->disconnect;
$member->restart;
$last = connect_to($member);
$last->do(q{SET idgen.max_wait = '100ms'});
fails_with($last, 'SELECT next_id()', '55000', qr/shard 5 cannot be used now/,
	'at the start: no ID of a number that was not claimed');
fails_with($last, 'SELECT * FROM idgen_lease.nodes()', '22023', qr/idgen.registry is not the address of a registry.*must begin with postgresql/s,
  'a registry address that no store reads: nodes() gives the reason');
$last->disconnect;
unlike(slurp_file($member->logfile) =~ s/^.*ALTER SYSTEM.*\n//mgr, qr/Geheim/, 'no password in its log');

# TLS, by a certificate of its own.
my $tls = IdgenEtcd->start(is_tls => 1);
my $safe = IdgenStoreCalls->new(kind => 'etcd', session => $session, registry => $tls, address => $tls->registry('/idgen'));
like($safe->identity, qr/^answered/, 'TLS');
is($safe->claim(0, 0, 11, 12), 'answered granted 0', 'TLS: a call');
like($safe->with(address => $tls->registry('/idgen') =~ s/\?.*//r)->list, qr/^silent .*certificate/i,
	'TLS: a certificate that nobody vouches for');
like($safe->with(address => 'etcd://' . $tls->address)->list, qr/^silent/, 'TLS: not without');

$session->disconnect;
$owner->disconnect;
done_testing();
