# Which number a server asks for again that held several, or one that another has by now; and that the last call of its
# keeper is made, by which a restart finds the number again. For each kind of registry.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenLease;
use IdgenNode;
use IdgenStore;
use PostgreSQL::Test::Utils;
use Sys::Hostname;
use Test::More;
use Time::HiRes qw(sleep);

for my $kind (store_kinds())
{
	my $store = begin_store($kind);
	give_up_a_lost_one($kind, $store->{address});
	find_the_last_one($kind, $store->{address});
	name_all_owners($kind, $store->{address});
	end_twice($kind, $store);
	leave_one($kind, $store) if $kind eq 'postgresql';
	$store->{stop}->('immediate');
}

# A server held number 10, then number 11. After a clean stop it has number 11 again, also if another server has number
# 10 by now, if all are held, and if the other used number 10 later.
sub find_the_last_one
{
	my ($kind, $address) = @_;
	my %setting = ('idgen.lease_ttl' => '1h', 'idgen.max_wait' => '500ms');
	my $node = start_leased("$kind-node", $address, setting => \%setting);
	is(number_after_restart($node, "$_-$_"), $_, "$kind: number $_, where there is no other") for 10, 11;
	is(number_after_restart($node, '10-13'), 11, "$kind: of two the number that was used last");
	my $other = start_leased("$kind-other", $address, setting => { %setting, 'idgen.lease_range' => '10-10' });
	my $second = connect_to($other);
	wait_for_id($second);
	is(number_after_restart($node, $_), 11,
		"$kind: a clean stop and start finds the number that was used last, of $_") for '10-13', '10-11';

	# The other uses number 10 after this one has stopped, so its horizon is the larger one; and gives it up.
	$node->stop;
	ids_of($second, 1000);
	my $horizon_ms = row_of($second, 11)->{horizon_ms};
	wait_for('a later horizon', sub { $second->selectrow_array('SELECT next_id()'); row_of($second, 10)->{horizon_ms} > $horizon_ms });
	$second->disconnect;
	$other->stop;
	is(number_after_restart($node, '10-13'), 11, "$kind: the number used last, also if another has the larger horizon");
	$node->stop('immediate');
	return;
}

sub number_after_restart
{
	my ($node, $range) = @_;
	$node->append_conf('postgresql.conf', "idgen.lease_range = '$range'");
	$node->restart;
	my $session = connect_to($node);
	my $id = wait_for_id($session);
	$session->disconnect;
	return $id >> 10 & 8191;
}

# A server held number 0, then number 5, which another has taken by now and keeps while it is stopped: the first asks
# for it once, and goes on with shard 0.
sub give_up_a_lost_one
{
	my ($kind, $address) = @_;
	my %setting = ('idgen.lease_ttl' => '1h');
	my $node = start_leased("$kind-loser", $address, setting => \%setting);
	is(number_after_restart($node, "$_-$_"), $_, "$kind: number $_, where there is no other") for 0, 5;
	$node->stop;
	my $other = start_leased("$kind-finder", $address, setting => { %setting, 'idgen.lease_range' => '5-5' });
	my $second = connect_to($other);
	wait_for_id($second);
	$second->disconnect;
	# It does not give the number up; and the window passes, so that the horizon is not ahead.
	$other->stop('immediate');
	sleep 2.5;
	is(number_after_restart($node, '0-6'), 0,
		"$kind: a server whose last number is another's goes on with the one before");
	$node->stop('immediate');
	return;
}

# Two numbers by hand that another server has: the error names both owners, and the log has one line.
sub name_all_owners
{
	my ($kind, $address) = @_;
	my %setting = ('idgen.shards' => '7,8', 'idgen.lease_ttl' => '1h', 'idgen.max_wait' => '100ms');
	my @nodes = map { start_leased("$kind-$_", $address, setting => \%setting) } qw(holder rival);
	my ($session, $second) = map { connect_to($_) } @nodes;
	for my $number (7, 8) { wait_for('an ID', sub { value_of($session, 'SELECT next_id(?)', $number) }) }
	my $refused = sub { my ($number) = @_; return eval { value_of($second, 'SELECT next_id(?)', $number); '' } // $second->errstr };
	for my $number (7, 8)
	{
		wait_for("the owner of $number", sub { $refused->($number) =~ /says: shard $number is held by "$kind-holder", system \d+\. Waited/ });
	}
	my $lines = told($nodes[1], qq{cannot be kept now: shard [78] is held by "$kind-holder"});
	is($lines, 2, "$kind: two numbers that another server has, each with its owner, are told of");
	$refused->($_) for (7, 8) x 5;
	is(told($nodes[1], 'cannot be kept now'), $lines, "$kind: the numbers that another server has are told of once");
	$_->disconnect for $session, $second;
	$nodes[1]->stop('immediate');
	name_by_host($kind, $nodes[0]);
	$nodes[0]->stop('immediate');
	return;
}

# A server without a cluster_name, which the tests' servers have from the command that starts them, is known by host and
# port.
sub name_by_host
{
	my ($kind, $node) = @_;
	$node->stop;
	system_or_bail('pg_ctl', '-w', '-s', '-D', $node->data_dir, '-l', $node->logfile, 'start');
	$node->_update_pid(1);
	my $session = connect_to($node);
	my $owner = sub { value_of($session, 'SELECT owner FROM idgen_lease.nodes() WHERE shard = 7') };
	wait_for('an ID', sub { value_of($session, 'SELECT next_id(7)') });
	is($owner->(), hostname() . ':' . $node->port, "$kind: without a cluster_name the registry shows host and port");
	return $session->disconnect;
}

# The server sends a signal to a process, and then to its group. An answer that comes late does not count: so it may
# take some tries.
sub end_twice
{
	my ($kind, $store) = @_;
	my $node = start_leased("$kind-twice", $store->{address}, setting => { 'idgen.lease_window' => '20s', 'idgen.lease_ttl' => '1h' });
	my $session = connect_to($node);
	my $has_stopped = 0;
	for (1 .. 5)
	{
		wait_for_id($session);
		my $keeper = keeper_of($session);
		my $stops = sub { told($node, "\\[$keeper\\] LOG:  this server has stopped using shard") };
		my $before = $stops->();
		$store->{freeze}->();
		for (1 .. 2) { kill 'TERM', $keeper; sleep 0.2 }
		$store->{thaw}->();
		wait_for('another keeper', sub { my $now = keeper_of($session); $now && $now != $keeper });
		$has_stopped = $stops->() - $before and last;
	}
	is($has_stopped, 1, "$kind: a keeper that is told twice to end tells the registry how far its number was used");
	$session->disconnect;
	$node->stop('immediate');
	return;
}

# Between the list and the claim of a free number its horizon rises. The server claims another, and the first is free
# again at once, not after an hour.
sub leave_one
{
	my ($kind, $store) = @_;
	my %setting = ('idgen.lease_range' => '30-31', 'idgen.lease_ttl' => '1h', 'idgen.lease_window' => '1min');
	my $node = start_leased("$kind-leaver", $store->{address}, setting => \%setting);
	my $session = connect_to($node);
	wait_for_id($session);
	is(number_of($session), 30, "$kind: number 30 is free");
	$session->disconnect;
	$node->stop;
	my $registry = connect_to($store->{node});
	$registry->begin_work;
	$registry->do('UPDATE idgen_registry.lease SET horizon_ms = horizon_ms + 240000 WHERE number = 30');
	$node->start;
	$session = connect_to($node);
	wait_for('a claim that waits', sub { value_of($registry, q{SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)}) });
	$registry->commit;
	wait_for_id($session);
	is(number_of($session), 31, "$kind: where a horizon rises before the claim, another number");
	is(row_of($session, 30)->{is_free}, 1, "$kind: the first one is free again");
	$_->disconnect for $session, $registry;
	$node->stop('immediate');
	return;
}

done_testing();
