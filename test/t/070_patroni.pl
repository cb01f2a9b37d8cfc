# Three servers that Patroni keeps, asynchronous: the primary is cut off from etcd while its clients go on, and another is promoted. The same
# shard on all of them makes IDs twice: the control. What prevents it: synchronous replication.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IdgenClients;
use IdgenFaults;
use IdgenPatroni;
use Test::More;
use Time::HiRes qw(time);

plan skip_all => 'no Patroni and etcd here' unless IdgenPatroni::is_installed();

my $cluster = IdgenPatroni->begin;
my $began = time;

# How many ticks of the IDs that one node made are also ticks of the others' IDs.
sub common_ticks
{
	my ($clients, $old) = @_;
	my ($ticks) = parts_of($clients, $old->{name});
	my %common;
	for my $node (grep { $_ != $old } $cluster->nodes)
	{
		my ($others) = parts_of($clients, $node->{name});
		$common{$_}++ for grep { $others->{$_} } keys %$ticks;
	}
	return scalar keys %common;
}

# Cuts the primary off from etcd until $is_done->(clients, old, new), lets it come back, and says what the clients received.
sub split_brain
{
	my ($what, $is_done) = @_;
	$cluster->wait_for("$what: the cluster is whole", sub { $cluster->is_whole });
	my $old = $cluster->primary;
	my $clients = begin_clients($cluster, 2);
	$cluster->wait_for("$what: IDs", sub { received($clients, $old->{name}) > 1000 });
	my $fault = begin_fault($cluster, 'cut_off', $old);
	my $new = $cluster->wait_for_successor($old);
	$cluster->wait_for("$what: done", sub { $is_done->($clients, $old, $new) });
	end_fault($fault);
	$cluster->wait_for("$what: the old primary follows", sub { $cluster->is_whole });
	end_clients($clients);
	my $survey = survey($clients);
	diag(sprintf '%s: %d IDs attempted, %d received, %d twice, %d out of order, at most %.1f s without one, refused %s',
		$what, @$survey{qw(attempted received duplicates disordered gap)}, join ', ', map { "$_ $survey->{refused}{$_}" } sort keys %{ $survey->{refused} });
	is($survey->{disordered}, 0, "$what: IDs of a session rise");
	return $survey;
}

my $control = split_brain('asynchronous, one shard', sub { my ($clients, $old) = @_; return common_ticks($clients, $old) >= 200 });
cmp_ok($control->{duplicates}, '>=', 200, 'asynchronous, one shard: what the old and the new primary make in one millisecond is the same');

$cluster->configure(synchronous_mode => JSON::PP::true, parameters => { 'idgen.synchronous' => 'required', 'idgen.max_wait' => '1s' });
$cluster->wait_for('a synchronous standby', sub { $cluster->synchronous_standby });
my $synchronous = split_brain(
	'synchronous',
	sub {
		my ($clients, $old, $new) = @_;
		return survey($clients, $old->{name})->{refused}{55000} && received($clients, $new->{name}) >= 1000;
	});
is($synchronous->{duplicates}, 0, 'synchronous: none twice');

# Numbers from a registry, asynchronous again: the old primary and the new one make IDs in the same milliseconds, with two numbers. The lease of
# the first is far from its end.
$cluster->configure(synchronous_mode => JSON::PP::false, parameters => { 'idgen.synchronous' => 'auto', 'idgen.lease_range' => '0-1023' });
for my $store ('postgresql', 'etcd')
{
	my $what = "registry in $store";
	$cluster->change_registry($store, 'idgen.lease_ttl' => '10min');
	my ($of_old, $of_new);
	my $with_registry = split_brain(
		$what,
		sub {
			my ($clients, $old, $new) = @_;
			(undef, $of_old) = parts_of($clients, $old->{name});
			(undef, $of_new) = parts_of($clients, $new->{name});
			return common_ticks($clients, $old) >= 200;
		});
	is($with_registry->{duplicates}, 0, "$what: none twice");
	is(keys %$of_old, 1, "$what: the old primary keeps its number");
	ok(!grep({ $of_old->{$_} } keys %$of_new), "$what: the new one has another: " . join ', ', keys %$of_old, keys %$of_new);
}

# The owner of a number is cut off from etcd and from the registry: it stops by itself, and who takes the number next begins above.
{
	$cluster->wait_for('the cluster is whole', sub { $cluster->is_whole });
	my $old = $cluster->primary;
	my $number = $cluster->value($old, 'SELECT id_shard(next_id())');
	$cluster->configure(parameters => { 'idgen.lease_range' => "$number-$number", 'idgen.lease_ttl' => '5s' });
	$cluster->wait_for('all have one number to take', sub { 3 == grep { ($cluster->value($_, 'SHOW idgen.lease_range') // '') eq "$number-$number" } $cluster->nodes });
	my $clients = begin_clients($cluster, 2);
	$cluster->wait_for('a short lease', sub { $cluster->value($old, q{SELECT lease_left <= '5s' FROM idgen_nodes() WHERE number = $1}, $number) });
	my @faults = map { begin_fault($cluster, $_, $old) } 'keeper_away', 'cut_off';
	my $new = $cluster->wait_for_successor($old);
	$cluster->wait_for('IDs of the successor', sub { received($clients, $new->{name}) >= 1000 });
	end_fault($_) for @faults;
	$cluster->wait_for('the old primary follows', sub { $cluster->is_whole });
	end_clients($clients);
	is(survey($clients)->{duplicates}, 0, 'an isolated owner: none twice');
	cmp_ok(survey($clients, $old->{name})->{refused}{55000} // 0, '>', 0, 'an isolated owner stops by itself');
	my ($of_old, $of_new) = map { (parts_of($clients, $_->{name}))[1]{$number} } $old, $new;
	cmp_ok($of_old->{last}, '<', $of_new->{first}, 'an isolated owner: its last ID lies below the first that its successor makes of the number');
}

diag(sprintf '%.0f s', time - $began);
$cluster->end;
done_testing();
