# A transaction that was handed a number of a counter before its machine was copied with its memory is neither committed
# nor prepared after it: by every maker of idgen_lease, in every way, for each kind of registry.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenHost qw(page_of resume write_page);
use IdgenLease;
use IdgenMakers;
use IdgenNode;
use IdgenStore;
use PostgreSQL::Test::Utils;
use Test::More;

# Each volatile function is a maker, with a call, or none, by the reason.
my %makers = (next_ticket => q{next_ticket('orders')}, next_tickets => q{next_tickets('orders', 3)});
my %others = (
	'of the registry' => [ map { "idgen_lease.$_" } qw(nodes release advance_registry limit_registry forget_shards confirm_registry
		counters create_counter drop_counter set_counter_max set_counter_block advance_counter) ],
	'of statistics' => ['idgen_lease.stat_counter']);

# The registry's extension has no library: what it hands out stands in its tables.
my %of_registry = (
	'in its tables' => [ map { "idgen_registry.$_" } qw(claim check_untold extend stop release list enter identity answer_of lease_end lease_left forget advance latest_known lock_registry
		find_locker locked_rows confirm_home set_max_ahead set_largest_number set_longest_ttl fetch_one fetch_ranges give_back_one give_back_ranges take_range taken_range
		next_range counters create_counter drop_counter set_counter_max set_counter_block advance_counter stop_counters lock_counter) ],
	'random'               => ['idgen_registry.random_version'],
	'looks at the clock'   => ['idgen_registry.clock_ms'],
	'changes the settings' => ['idgen_registry.begin_write']);

# No number is free again while the file runs.
my %setting = ('idgen.lease_window' => '1min', 'idgen.lease_ttl' => '1h', 'idgen.max_wait' => '60s');

for my $kind (store_kinds())
{
	my $store = begin_store($kind);
	my $word = PostgreSQL::Test::Utils::tempdir() . '/machine';
	write_page($word);
	my $node = start_leased($kind . '_node', $store->{address}, setting => { %setting, 'idgen.machine_generation' => $word }, conf => [ conf_of_ways() ]);
	link $word, page_of($node) or die page_of($node) . ": $!";
	my $session = connect_to($node);
	make_counter($store, $session, 'orders', 10);
	my @makers = makers_of($session, ['idgen_lease'], \%makers, \%others);
	makers_of(connect_to($store->{node}), ['idgen_registry'], {}, \%of_registry) if $kind eq 'postgresql';
	begin_ways($session, @makers);
	my $generation = 0;
	my $copy = sub { resume($node, ++$generation) };
	walk_ways($node, $copy, @makers);
	walk_controls($node, $copy, @makers);
	walk_readers($node, @makers);
	my ($drawn, $repeated) = $session->selectrow_array(q{SELECT count(*), count(*) - count(DISTINCT v) FROM kept WHERE v ~ '^\d+$'});
	cmp_ok($drawn, '>', 0, "$kind: numbers are stored");
	is($repeated, 0, "$kind: and none twice");
	$session->disconnect;
	$node->stop('immediate');
	$store->{stop}->('immediate');
}
done_testing();
