# A publication FOR ALL SEQUENCES (19) brings the sequences of its server to the subscriber: what it writes there over
# the horizon's and the generators' changes nothing, stalls nothing and ends nothing.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use IdgenPair;
use Test::More;
use Time::HiRes qw(time);

plan skip_all => 'sequences are replicated from 19 on' if `pg_config --version` =~ /PostgreSQL 1[5-8]\b/;

my @conf = ('checkpoint_timeout = 1h', 'autovacuum = off');
my $publisher = start_node('publisher', kinds => 1, init => { allows_streaming => 'logical' }, conf => [ "idgen.shards = '6'", @conf ]);
my $node = start_node('subscriber', kinds => 1, fake_clock => 1, init => { allows_streaming => 'logical' }, conf => [ "idgen.shards = '5'", @conf ]);
my $there = connect_to($publisher);
my $session = connect_to($node);
my $layout = few_a_tick();
my %made;
my $clock = 0;

# Past the window: the next ID needs a renewal.
sub pass_window { return set_clock($node, sprintf '%+.1f', $clock += 1.5) }

sub horizon { return value_of($session, 'SELECT horizon FROM idgen.stat_database') }

sub mirror { return value_of($session, 'SELECT last_value FROM idgen.horizon') }

# Kills the subscriber's server and starts it under a clock that lost 0.4 s.
sub crash_and_start
{
	my $since = time;
	crash($node);
	start_again($node);
	set_clock($node, sprintf '%+.3f', $clock - 0.4 + $since - time);
	return $session = connect_to($node);
}

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
done_testing();
