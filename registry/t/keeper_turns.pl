# What the keeper asks a registry in PostgreSQL for, and in which turn, by the registry's own log: numbers first, all
# counters in one call, all that is given back at a clean stop in another; and a stop that a slow registry does not hold
# up. A database that is closed to connections keeps the numbers all the same.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenLease;
use IdgenNode;
use IdgenProxy;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $counters = 40;
my $registry = start_registry('registry', conf => [ q{listen_addresses = '127.0.0.1'}, 'log_statement = all', 'max_connections = 40' ]);
my $owner = connect_to($registry);
$owner->do("SELECT idgen_registry.create_counter('c$_', block => 20)") for 1 .. $counters;
my $proxy = IdgenProxy->start($registry->port);
my $node = start_leased('node', "host=127.0.0.1 port=$proxy->{port} dbname=postgres user=node_role", setting => { 'idgen.shards' => '3', 'idgen.lease_window' => '1min', 'idgen.lease_ttl' => '1h', 'idgen.max_wait' => '1min' });
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
done_testing();
