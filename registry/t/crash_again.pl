# A server that crashes every 5 s for two minutes while sessions draw: each life makes IDs, none twice, with few
# numbers, of which it holds one in the end. For each kind of registry, beside each other.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenLease;
use IdgenMany;
use IdgenNode;
use IdgenStore;
use Test::More;
use Time::HiRes qw(sleep time);

my ($lives, $period) = (24, 5);

my @servers = map { begin_server($_) } store_kinds();
for my $life (1 .. $lives)
{
	for my $server (@servers)
	{
		make_first($server);
		sleep 0.05 while time < $server->{until};
		$server->{until} = time + $period;
		kill_all($server->{node});
		start_again($server->{node});
	}
}
end_server($_) for @servers;

# A server, and two processes that draw from it whether it is there or not.
sub begin_server
{
	my ($kind) = @_;
	my $store = begin_store($kind);
	my %setting = ('idgen.lease_window' => '4s', 'idgen.lease_ttl' => '15s', 'idgen.horizon_window' => '100ms');
	my $node = start_leased("$kind-node", $store->{address}, setting => \%setting, conf => [ small_server() ]);
	return {
		kind     => $kind,
		store    => $store,
		node     => $node,
		drawings => [ map { begin_rounds(0.01, $node) } 1, 2 ],
		until    => time + $period,
		first    => []
	};
}

# Waits for the first ID of a life, however long the server takes to come back: so every life makes one.
sub make_first
{
	my ($server) = @_;
	my $session = connect_to($server->{node});
	push @{ $server->{first} }, wait_for_id($session);
	$session->disconnect;
	return;
}

sub end_server
{
	my ($server) = @_;
	my ($kind, $node, @first) = ($server->{kind}, $server->{node}, @{ $server->{first} });
	my $session = connect_to($node);
	wait_for_id($session);
	my @drawn = map { map { @$_ } end_rounds($_) } @{ $server->{drawings} };
	note sprintf '%s: %d IDs', $kind, scalar @drawn;
	is(scalar @first, $lives, "$kind: each of $lives lives makes IDs");
	is(repeated({}, @first, @drawn), 0, "$kind: none twice");
	check_numbers($kind, $session);
	$session->disconnect;
	$node->stop('immediate');
	return $server->{store}{stop}->('immediate');
}

# After a crash R of the number lies up to a window ahead: a server that is back before claims another, and after the
# next crash the one before again, which it remembers whether its lease is past or not. A third one it takes only if the
# registry carries out the last extension of a life so late that the next life has just asked for the number.
sub check_numbers
{
	my ($kind, $session) = @_;
	my $count = value_of($session, 'SELECT count(*) FROM idgen_lease.nodes()');
	note "$kind: $count numbers";
	cmp_ok($count, '<=', 3, "$kind: few numbers were used");
	my $is_one = sub { value_of($session, 'SELECT count(*) = 1 FROM idgen_lease.nodes() WHERE NOT is_free') };
	ok(eval { wait_for('one number that is held', $is_one) },
		"$kind: in the end it holds one number, and the others are free");
	return;
}

done_testing();
