# Three servers that Patroni keeps, asynchronous: the primary is cut off from etcd while its clients go on, and another
# is promoted. The same shard on all of them makes IDs twice: the control. What prevents it: synchronous replication, or
# shards from a registry, in either store.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../t/lib", "$FindBin::Bin/../../registry/t/lib";
use IdgenClients;
use IdgenFaults;
use IdgenPatroni;
use JSON::PP;
use Test::More;

plan skip_all => 'no Patroni here' unless IdgenPatroni::is_installed();

my $cluster = IdgenPatroni->begin;

sub others { my ($old) = @_; return map { $_->{name} } grep { $_ != $old } $cluster->nodes }

# Begins clients, and cuts the primary off from etcd once there are IDs of it: another is promoted. Gives the primary,
# the clients and the fault.
sub cut_off_primary
{
	my ($what) = @_;
	my $old = $cluster->wait_for("$what: the cluster is whole", sub { $cluster->whole });
	my $clients = begin_clients($cluster, 2);
	$cluster->wait_for("$what: IDs", sub { received($clients, $old->{name}) > 1000 });
	my $fault = begin_fault($cluster, 'cut_off', $old);
	$cluster->expire_leader;
	return ($old, $clients, $fault);
}

# How many ticks of the IDs that one node made are also ticks of the others' IDs.
sub common_ticks
{
	my ($clients, $old) = @_;
	my ($ticks, $of_others) = map { (parts_of($clients, @$_))[0] } [ $old->{name} ], [ others($old) ];
	return scalar grep { $of_others->{$_} } keys %$ticks;
}

# The primary is cut off until $is_done->(clients, it) and then comes back: what the clients received.
sub split_brain
{
	my ($what, $is_done) = @_;
	my ($old, $clients, $fault) = cut_off_primary($what);
	$cluster->wait_for("$what: done", sub { $is_done->($clients, $old) });
	end_fault($fault);
	my $new = $cluster->wait_for("$what: the old primary follows", sub { $cluster->whole });
	isnt($new->{name}, $old->{name}, "$what: another is the primary now");
	end_clients($clients);
	my $survey = survey($clients);
	diag(sprintf '%s: %d IDs attempted, %d received, %d twice, %d out of order, at most %.1f s without one, refused %s',
		$what, @$survey{qw(attempted received duplicates disordered gap)}, join ', ', map { "$_ $survey->{refused}{$_}" } sort keys %{ $survey->{refused} });
	is($survey->{disordered}, 0, "$what: IDs of a session rise");
	return $survey;
}

my $control = split_brain('one shard', sub { my ($clients, $old) = @_; return common_ticks($clients, $old) >= 200 });
cmp_ok($control->{duplicates}, '>=', 200,
	'one shard: what the old and the new primary make in one millisecond is the same');

$cluster->configure(synchronous_mode => JSON::PP::true, parameters => { 'idgen.synchronous' => 'required', 'idgen.max_wait' => '1s' });
$cluster->wait_for('a synchronous standby', sub { $cluster->synchronous_standby });
my $synchronous = split_brain(
	'synchronous',
	sub { my ($clients, $old) = @_; return survey($clients, $old->{name})->{refused}{55000} && received($clients, others($old)) >= 1000 });
is($synchronous->{duplicates}, 0, 'synchronous: none twice');

# Shards from a registry, asynchronous again: the old primary and the new one make IDs in the same milliseconds, with
# two numbers. The lease of the first is far from its end.
$cluster->configure(synchronous_mode => JSON::PP::false, parameters => { 'idgen.synchronous' => 'auto' });
for my $store ('postgresql', 'etcd')
{
	my $what = "registry in $store";
	$cluster->change_registry($store, 'idgen.lease_ttl' => '10min');
	my ($of_old, $of_others);
	my $with_registry = split_brain(
		$what,
		sub {
			my ($clients, $old) = @_;
			($of_old, $of_others) = map { (parts_of($clients, @$_))[1] } [ $old->{name} ], [ others($old) ];
			return common_ticks($clients, $old) >= 200;
		});
	is($with_registry->{duplicates}, 0, "$what: none twice");
	is(keys %$of_old, 1, "$what: the old primary keeps its number");
	ok(!grep({ $of_old->{$_} } keys %$of_others), "$what: the new one has another");
}

# The owner of a number is cut off from etcd and from the registry: it stops by itself, and the server that claims the
# number next begins above. All servers have that one number to take.
{
	my $what = 'an isolated owner';
	my $owner = $cluster->wait_for("$what: the cluster is whole", sub { $cluster->whole });
	my $number = $cluster->value($owner, 'SELECT id_shard(next_id())');
	$cluster->configure(parameters => { 'idgen.lease_range' => "$number-$number", 'idgen.lease_ttl' => '5s' });
	my ($old, $clients, $fault) = cut_off_primary($what);
	$cluster->wait_for("$what: a short lease", sub { $cluster->value($old, q{SELECT lease_left <= '5s' FROM idgen_lease.nodes() WHERE shard = $1}, $number) });
	my @faults = (begin_fault($cluster, 'keeper_away', $old), $fault);
	$cluster->wait_for("$what: IDs of its successor", sub { received($clients, others($old)) >= 1000 });
	end_fault($_) for @faults;
	end_clients($clients);
	is(survey($clients)->{duplicates}, 0, "$what: none twice");
	cmp_ok(survey($clients, $old->{name})->{refused}{55000} // 0, '>', 0, "$what stops by itself");
	my ($of_old, $of_others) = map { (parts_of($clients, @$_))[1] } [ $old->{name} ], [ others($old) ];
	is("@{[ keys %$of_old ]} @{[ keys %$of_others ]}", "$number $number",
		"$what: the successor has the number of the old primary");
	cmp_ok($of_old->{$number}{last}, '<', $of_others->{$number}{first},
		"$what: the last ID of the old primary lies below the first of its successor");
}

$cluster->end;
done_testing();
