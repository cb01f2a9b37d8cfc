# A clock that is slow when a server starts or is promoted, and is then set right: nothing is made twice, and IDs go on
# by themselves.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use IdgenPair;
use Test::More;
use Time::HiRes qw(time);

my $behind = qr/the clock is $duration behind/;

# Booted and started under a clock that is an hour slow. Another database of the server has not made an ID for hours:
# there the clock set right is a jump as long as the slow one is all that was accepted.
{
	my %made;
	my $node = start_node('started', fake_clock => 1, conf => ["idgen.shards = '5'"]);
	my $session = connect_to($node);
	set_clock($node, '-10800');
	$session->do('CHECKPOINT');
	$session->do('CREATE DATABASE seldom');
	my $seldom = connect_to($node, db => 'seldom');
	$seldom->do('CREATE EXTENSION idgen');
	value_of($seldom, 'SELECT next_id()');
	$seldom->disconnect;
	set_clock($node, '+0');
	$session->do('SELECT idgen.accept_clock()');
	repeated(\%made, draw($session, 10_000));
	$session->disconnect;
	$node->stop;
	give_boot($node, '5d6b6c4e-0001-4000-8000-000000000001');
	set_clock($node, '-3600');
	start_again($node);
	$session = connect_to($node);
	fails_with($session, 'SELECT next_id()', '55000', $behind, 'started an hour slow');
	$seldom = connect_to($node, db => 'seldom');
	ok(value_of($seldom, 'SELECT next_id()'), 'started an hour slow: a database with an old horizon goes on');
	set_clock($node, '+0');
	my @ids = eval { draw($session, 10_000) };
	is(scalar @ids, 10_000, 'set right: IDs go on by themselves') || note $session->errstr;
	is(repeated(\%made, @ids), 0, 'set right: none again');
	fails_with($seldom, 'SELECT next_id()', '55000', qr/the clock jumped forward by/,
		'set right: a jump for the database with an old horizon');
	set_clock($node, '+86400');
	fails_with($session, 'SELECT next_id()', '55000', qr/the clock jumped forward by/,
		'a day too far: refused here as well');
	set_clock($node, '+2');
	ok(eval { draw($session, 10) }, 'right again: IDs go on');
	$seldom->do('SELECT idgen.accept_clock()');
	ok(eval { value_of($seldom, 'SELECT next_id()') }, 'accepted: IDs go on there too');
	$_->disconnect for $session, $seldom;
	$node->stop('immediate');
}

# Promoted under a slow clock that is set right before the debt is paid. The standby missed the last windows, and the
# IDs of the primary lay ahead of its clock as far as they may.
for my $slow (480, 3600)
{
	my %made;
	my $primary = begin_primary("old_$slow", "idgen.max_lead = '10s'", 'idgen.overflow = borrow');
	my $standby = begin_standby($primary, "new_$slow", "-$slow");
	$standby->stop;
	give_boot($standby, '5d6b6c4e-0002-4000-8000-000000000002');
	start_again($standby);
	my $session = connect_to($primary);
	repeated(\%made, draw_few($session, 10));
	wait_for_replay($primary, $standby);
	cut_off($standby);
	repeated(\%made, draw_few($session, 19_000));
	my $since = time;
	crash($primary);
	$standby->promote;
	$session = connect_to($standby);
	fails_with($session, 'SELECT next_id()', '55000', $behind, "promoted $slow s slow");
	fails_with($session, 'SELECT next_id()', '55000', $behind, "promoted $slow s slow, asked again");
	go_on_at($standby, $since, -0.4);
	$session->do(q{SET idgen.max_wait = '30s'});
	my @ids = eval { draw_few($session, 19_000) };
	is(scalar @ids, 19_000, "promoted $slow s slow, set right: IDs go on by themselves") || note $session->errstr;
	is(repeated(\%made, @ids), 0, "promoted $slow s slow, set right: none again");
	$session->disconnect;
	$standby->stop('immediate');
}
done_testing();
