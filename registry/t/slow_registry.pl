# A registry whose answers come seconds late, are lost after the call was executed, or come later than anyone waits for:
# leased servers and the registry with a proxy between them. For each kind of registry.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenEtcd;
use IdgenLease;
use IdgenNode;
use IdgenProxy;
use IdgenStore;
use IdgenStoreCalls;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my %begin = (postgresql => \&begin_postgresql, etcd => \&begin_etcd);

for my $kind (store_kinds())
{
	my $registry = $begin{$kind}->();
	my %made;
	answer_late($kind, $registry, \%made);
	lose_raises($kind, $registry, \%made);
	lose_claim($kind, $registry, \%made);
	$registry->{stop}->();
}

# A registry as servers reach it, by a proxy, and its rows as they lie there. `claim` and `extend` stand in what such a
# call sends.
sub begin_postgresql
{
	my $node = start_registry('registry', conf => [q{listen_addresses = '127.0.0.1'}]);
	my $session = connect_to($node);
	my $proxy = IdgenProxy->start($node->port);
	return {
		proxy => $proxy, address => "host=127.0.0.1 port=$proxy->{port} dbname=postgres user=node_role",
		rows => IdgenStoreCalls->new(kind => 'postgres', registry => $session), claim => 'idgen_registry.claim', extend => 'idgen_registry.extend',
		stop => sub { $session->disconnect; $node->stop } };
}

sub begin_etcd
{
	my $etcd = IdgenEtcd->start;
	my $proxy = IdgenProxy->start($etcd->{port});
	return {
		proxy => $proxy, address => "etcd://127.0.0.1:$proxy->{port}/idgen",
		rows => IdgenStoreCalls->new(kind => 'etcd', registry => $etcd), claim => 'request_put', extend => 'request_put',
		stop => sub { $etcd->stop } };
}

sub horizon_in { my ($registry, $number) = @_; my $row = $registry->{rows}->row($number) // return 0; return $row->{horizon_ms} }

# Each answer half a second late: no draw waits for it, from one extension to the next. A call waits for 10 s, and the
# window outlasts every pause of the machine.
sub answer_late
{
	my ($kind, $registry, $made) = @_;
	$registry->{proxy}->be_late(0.5);
	my $node = start_leased("$kind-late", $registry->{address}, setting => { 'idgen.lease_window' => '40s', 'idgen.lease_ttl' => '41s', 'idgen.lease_range' => '0-0' });
	my $session = connect_to($node);
	my $began = time;
	repeated($made, wait_for_id($session));
	note sprintf '%s: the first ID after %.1f s', $kind, time - $began;
	$session->do('SET idgen.max_wait = 0');
	my $horizon_ms = horizon_in($registry, 0);
	my @tried;
	wait_for('an extension', sub { push @tried, try_id($session); return horizon_in($registry, 0) > $horizon_ms });
	push @tried, map { sleep 0.01; try_id($session) } 1 .. 100;
	is_deeply([ grep { !is_id($_) } @tried ], [],
		"$kind, answers half a second late: every draw succeeds at once, before an extension and after it");
	is(repeated($made, grep { is_id($_) } @tried), 0, "$kind: no ID twice");
	$registry->{proxy}->pass;
	$session->disconnect;
	$node->stop;
	return;
}

# Extends are executed, and their answers lost; then every answer comes later than a server waits for one.
sub lose_raises
{
	my ($kind, $registry, $made) = @_;
	my $node = start_leased("$kind-extend", $registry->{address}, setting => { 'idgen.lease_window' => '4s', 'idgen.lease_ttl' => '1h', 'idgen.lease_range' => '5-5', 'idgen.max_wait' => '300ms' });
	my $session = connect_to($node);
	repeated($made, wait_for_id($session));
	my ($number, $incarnation) = (5, $registry->{rows}->row(5)->{incarnation});
	for my $fault ('lost', 'too late')
	{
		my $drawing = begin_drawing($node);
		$fault eq 'lost' ? $registry->{proxy}->lose_answers_to($registry->{extend}) : $registry->{proxy}->be_late(3);
		wait_for('no more IDs', sub { my $tried = try_id($session); repeated($made, $tried) if is_id($tried); return !is_id($tried) });
		wait_for('the reason', sub { try_id($session) =~ /did not answer in time\. Waited for/ });
		pass("$kind, answers are $fault: no IDs, and the error says why");
		my $known_ms = value_of($session, 'SELECT (extract(epoch FROM horizon) * 1000)::bigint FROM idgen.stat_lease');
		cmp_ok(horizon_in($registry, $number), '>', $known_ms,
			"$kind: though an extension was executed, of which the server does not know") if $fault eq 'lost';
		$registry->{proxy}->pass;
		is(repeated($made, wait_for_id($session), ids_of($session, 1000), end_drawing($drawing)), 0,
		  "$kind, answers are $fault: IDs come by themselves in the end, none twice");
		is($registry->{rows}->row($number)->{incarnation}, $incarnation,
			"$kind: the number is the one that the server had");
		is(told($node, 'has lost shard'), 0, "$kind: the number is never lost");
	}
	$session->disconnect;
	$node->stop;
	return;
}

# The number is claimed, and its answer lost again and again.
sub lose_claim
{
	my ($kind, $registry, $made) = @_;
	$registry->{proxy}->lose_answers_to($registry->{claim});
	my $node = start_leased("$kind-claim", $registry->{address}, setting => { 'idgen.lease_window' => '4s', 'idgen.lease_ttl' => '1h', 'idgen.lease_range' => '7-9' });
	wait_for('a claim', sub { $registry->{rows}->row(7) });
	my $incarnation = $registry->{rows}->row(7)->{incarnation};
	wait_for('silence', sub { told($node, 'did not answer in time') });
	$registry->{proxy}->pass;
	my $session = connect_to($node);
	my $id = wait_for_id($session);
	is(repeated($made, $id, ids_of($session, 1000)), 0, "$kind, the answer to a claim is lost: IDs come, none twice");
	is($id >> 10 & 8191, 7, "$kind, the answer to a claim is lost: IDs are of the number claimed");
	is($registry->{rows}->row(7)->{incarnation}, $incarnation,
		"$kind, the answer to a claim is lost: that very call holds the number");
	is_deeply([ grep { $registry->{rows}->row($_) } 8, 9 ], [], "$kind: no other number is claimed");
	$session->disconnect;
	$node->stop;
	return;
}

done_testing();
