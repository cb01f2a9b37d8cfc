# The server is killed before a call that the process makes of it that keeps the shards from a registry: while it
# claims a further number, and while it extends one. It goes on, and no ID is made twice. Half of the times the machine
# begins again, too, and forgets what lies in its memory. INJECTION=all (tools/injection) tries every call; without it,
# every thirteenth.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenDisk;
use IdgenInjection;
use IdgenLease;
use IdgenNode;
use IdgenPair qw(poll);
use IdgenStore;
use Test::More;

my $stride = ($ENV{INJECTION} // '') eq 'all' ? 1 : 13;
my $store = begin_store('postgresql');
my %setting = ('idgen.lease_window' => '500ms', 'idgen.lease_ttl' => '2s', 'idgen.horizon_window' => '100ms');
my $node = start_leased('kept', $store->{address}, setting => \%setting, conf => [ grep { !/^idgen|^shared_buffers/ } injected_conf() ]);
my %made = (wait_for_id(connect_to($node)) => 1);

# ALTER SYSTEM knows no setting of an injection.
sub set_conf
{
	my (@lines) = @_;
	my $file = $node->data_dir . '/postgresql.auto.conf';
	truncate $file, 0;
	return write_bytes($file, join '', map { "$_\n" } @lines);
}

# Has the keeper be killed before a call, counted from when it begins what it is told; false if it has fewer.
sub keeper_crashes
{
	my ($number, @change) = @_;
	my $session = connect_to($node);
	repeated(\%made, wait_for_id($session));
	my @processes = processes_of($node);
	set_conf(@change, "injection.idgen_lease = 'crash $number'");
	$node->reload;
	my $count = told($node, 'has claimed shard');
	my $is_over = sub { !$session->ping || (@change && told($node, 'has claimed shard') > $count) };
	repeated(\%made, eval { draw($session, 20) }) until poll($is_over, 0.02) || $number > 300;
	return 0 if $session->ping;
	wait_for_end($node, @processes);
	return 1;
}

for my $what ('an extension', 'a claim')
{
	my @change = $what eq 'a claim' ? 'idgen.lease_count = 2' : ();
	my ($number, $killed, $repeats) = (1, 0, 0);
	while ($number <= ($what eq 'a claim' ? 300 : 30) && keeper_crashes($number, @change))
	{
		set_conf();
		forget_left($node) if $killed % 2;
		start_again($node);
		my $session = connect_to($node);
		$repeats += repeated(\%made, wait_for_id($session), eval { draw($session, 1000) });
		$killed++;
		$number += $stride;
	}
	cmp_ok($killed, '>', 1, "$what: killed before $killed calls");
	is($repeats, 0, "$what: none twice");
}
my %count;
$count{$_}++ for injected($node);
note join ', ', map { "$_ $count{$_}" } sort keys %count;
# The last one may yet come to the call that it is to be killed before.
my @processes = processes_of($node);
kill 'KILL', @processes;
wait_for_end($node, @processes);
$store->{stop}->('immediate');
done_testing();
