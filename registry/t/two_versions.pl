# A server of the version before this one and one of this version beside each other, with one registry: both draw IDs
# and tickets, a number passes from one to the other, the registry is updated while they hold numbers, and so is the
# older server. No ID is made twice. For each kind of registry.
use strict;
use warnings;
use FindBin;
use DBD::Pg qw(:async);
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenLease;
use IdgenNode;
use IdgenStore;
use IdgenVersions;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my ($earlier, $this) = (earlier_version(), this_version());
with_registry($_) for store_kinds();
done_testing();

sub with_registry
{
	my ($kind) = @_;
	my $registry_server = copy_server("$kind-registry");
	install_earlier($registry_server);
	my $store = begin_store($kind, server => $registry_server);
	my $old_server = copy_server("$kind-old");
	install_earlier($old_server);
	my $old = start_leased("$kind-old", $store->{address}, server => $old_server, setting => { 'idgen.lease_range' => '10-10' });
	my $new = start_leased("$kind-new", $store->{address}, setting => { 'idgen.lease_range' => '11-11' });
	my @sessions = map { connect_to($_) } $old, $new;
	like(library_of($sessions[0]), qr/^\Q$earlier\E, loaded .* \| 1 \| $/, "$kind: the one server has the version before");
	like(library_of($sessions[1]), qr/^\Q$this\E, loaded .* \| 1 \| $/, "$kind: the other has this version");
	my $tickets = begin_tickets($kind, $store, @sessions);

	# Beside each other.
	my (%made, $highest);
	wait_for_id($_) for @sessions;
	is(join(' ', map { number_of($_) } @sessions), '10 11', "$kind: each has a number");
	is(nodes_of($sessions[0]), nodes_of($sessions[1]), "$kind: both see the same nodes");
	is(scalar(() = nodes_of($sessions[0]) =~ /^1[01]:.*:0$/mg), 2, "$kind: both numbers have owners");
	my @drawings = map { begin_drawing($_) } $old, $new;
	update_registry($kind, $store, $registry_server, @sessions);
	$tickets->("$kind: tickets of both", @sessions);
	my @drawn = map { [ end_drawing($_) ] } @drawings;
	is(repeated(\%made, map { @$_ } @drawn), 0, "$kind: none twice");
	is(scalar(grep { @$_ } @drawn), 2, "$kind: both drew meanwhile");
	is(join(' ', map { number_of($_) } @sessions), '10 11', "$kind: each has the number that it had");

	# A number passes from one to the other.
	$sessions[1]->disconnect;
	$new->stop;
	$new->append_conf('postgresql.conf', q{idgen.lease_range = '10-10'});
	$highest = draws_above(\%made, 0, $sessions[0], "$kind: the older server");
	$sessions[0]->disconnect;
	for my $turn ([ $old, $new, 'a stop' ], [ $new, $old, 'a crash' ], [ $old, $new, 'a crash' ], [ $new, $old, 'a stop' ])
	{
		my ($from, $to, $end) = @$turn;
		$end eq 'a stop' ? $from->stop : crash($from);
		start_again($to);
		my $session = connect_to($to);
		is(wait_for_id($session) >> 10 & 8191, 10, "$kind: after $end of @{[ $from->name ]}: the number");
		$highest = draws_above(\%made, $highest, $session, "$kind: after $end of @{[ $from->name ]}");
		$tickets->("$kind: tickets after $end of @{[ $from->name ]}", $session);
		$session->disconnect;
	}
	unlink left_leases($new);

	# The older server gets this version.
	install_this($old_server);
	$old->restart;
	my $session = connect_to($old);
	$highest = draws_above(\%made, $highest, $session, "$kind: this library, SQL of before");
	is(number_of($session), 10, "$kind: this library, SQL of before: the number that it had");
	is(library_of($session), "$this, and the extension is $earlier | 0 | ALTER EXTENSION idgen UPDATE", "$kind: what is to be done");
	$tickets->("$kind: tickets, this library, SQL of before", $session);
	my $held = held_by($session);
	my $drawing = begin_drawing($old, 2);
	$session->do($_) for updates_of($session);
	$tickets->("$kind: tickets after the update", $session);
	is(repeated(\%made, end_drawing($drawing)), 0, "$kind: an update while sessions draw: none twice");
	is(held_by($session), $held, "$kind: updated: what is held is the same");
	is(number_of($session), 10, "$kind: updated: the number that it had");
	like(library_of($session), qr/^\Q$this\E, loaded .* \| 1 \| $/, "$kind: updated: all is well");
	$highest = draws_above(\%made, $highest, $session, "$kind: updated");
	$session->disconnect;
	$old->stop;
	$store->{stop}->('immediate');
	return;
}

# The numbers of the registry, as a server sees them.
sub nodes_of
{
	my ($session) = @_;
	return join "\n", map { join ':', map { $_ // '' } @$_ }
	  @{ $session->selectall_arrayref('SELECT shard, owner, system_identifier, timeline, since, is_free::int FROM idgen_lease.nodes() AS n(shard) ORDER BY shard') };
}

# The number of a server, and since when it has that.
sub held_by { my ($session) = @_; return join ' ', $session->selectrow_array('SELECT shard, owner, since FROM idgen_lease.nodes() AS n(shard) WHERE NOT is_free') }

# Draws IDs: none was made before, and all are above the highest; gives the highest.
sub draws_above
{
	my ($made, $highest, $session, $what) = @_;
	my @ids = (wait_for_id($session), ids_of($session, 2000));
	is(repeated($made, @ids), 0, "$what: none twice");
	cmp_ok($ids[0], '>', $highest, "$what: none below") if $highest;
	return $ids[-1];
}

# Makes a counter; gives what draws 25 tickets in each of some sessions, of which none comes twice.
sub begin_tickets
{
	my ($kind, $store, $session) = @_;
	my $make = q{.create_counter('orders', block => 10)};
	$kind eq 'etcd' ? $session->do("SELECT idgen_lease$make") : $store->{node}->safe_psql('postgres', "SELECT idgen_registry$make");
	my %drawn;
	return sub {
		my ($what, @sessions) = @_;
		my @tickets = map { my $with = $_; map { value_of($with, q{SELECT next_ticket('orders')}) } 1 .. 25 } @sessions;
		return is(repeated(\%drawn, @tickets), 0, "$what: none twice");
	};
}

# The registry in PostgreSQL is updated; its nodes go on, and its rows are what they were.
sub update_registry
{
	my ($kind, $store, $server, @sessions) = @_;
	return unless $store->{node};
	my $nodes = nodes_of($sessions[0]);
	my $version = q{SELECT extversion FROM pg_extension WHERE extname = 'idgen_registry'};
	is($store->{node}->safe_psql('postgres', $version), $earlier, "$kind: the registry has the version before");
	install_this($server);
	# An open transaction that took a range holds up the update, and no other counter meanwhile.
	my ($open, $updating, $other) = map { connect_to($store->{node}) } 1 .. 3;
	$open->do($_) for (map { "SELECT idgen_registry.create_counter('$_')" } qw(open other)), 'BEGIN', q{SELECT idgen_registry.take_range('open', 1)};
	$other->do(q{SET lock_timeout = '3s'});
	$updating->do('ALTER EXTENSION idgen_registry UPDATE', { pg_async => PG_ASYNC });
	my $waits = "SELECT EXISTS (SELECT FROM pg_locks WHERE pid = $updating->{pg_pid} AND NOT granted)";
	for (1 .. 3)
	{
		wait_until($other, $waits);
		ok(eval { $other->do(q{SELECT idgen_registry.take_range('other', 1)}); 1 }, "$kind: the update waits, and another counter gives numbers");
	}
	$open->do('COMMIT');
	ok(succeeds($updating), "$kind: the update goes on");
	$_->disconnect for $open, $updating, $other;
	is($store->{node}->safe_psql('postgres', $version), $this, "$kind: the registry is updated");
	for my $number (10, 11)
	{
		my $horizon_ms = row_of($sessions[0], $number)->{horizon_ms};
		ok(wait_for('an extension', sub { row_of($sessions[0], $number)->{horizon_ms} > $horizon_ms }), "$kind: number $number is extended");
	}
	is(nodes_of($_), $nodes, "$kind: the updated registry knows the same nodes") for @sessions;
	return;
}
