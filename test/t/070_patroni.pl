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
	$cluster->wait_for("$what: IDs", sub { survey($clients, $old->{name})->{received} > 1000 });
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
		return survey($clients, $old->{name})->{refused}{55000} && survey($clients, $new->{name})->{received} >= 1000;
	});
is($synchronous->{duplicates}, 0, 'synchronous: none twice');

diag(sprintf '%.0f s', time - $began);
$cluster->end;
done_testing();
