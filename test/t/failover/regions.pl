# Regions: servers of three by a layout with a region in it, of two and of three by ranges of numbers, each region with
# a registry of its own. No ID of two servers, each tells its region, and a region goes on while the registry of another
# is down.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../../registry/t/lib";
use IdgenLease;
use IdgenNode;
use IdgenPages;
use Test::More;

my $count = 2000;
my @nodes = map { start_node("node$_", conf => [ 'shared_buffers = 8MB', 'autovacuum = off', "idgen.lease_window = '2s'", "idgen.lease_ttl = '5s'", "idgen.max_wait = '60s'" ]) } 0 .. 5;
like(page('sharding'), qr/`idgen\.lease_range = '0-511'`.*`'512-1023'`/s,
	'the ranges of two regions are those of the page');

# Gives servers their settings, and starts them again.
sub set_all
{
	my ($setting_of) = @_;
	for my $place (0 .. $#nodes)
	{
		my %setting = $setting_of->($place);
		$nodes[$place]->append_conf('postgresql.conf', "$_ = '$setting{$_}'") for sort keys %setting;
		$nodes[$place]->restart;
	}
	return;
}

# IDs of all servers, those of a list each time, drawn in turns.
sub take_in_turns
{
	my ($layout, @sessions) = @_;
	my @ids = map { [] } @sessions;
	for (1 .. 10)
	{
		for my $place (0 .. $#sessions) { push @{ $ids[$place] }, @{ value_of($sessions[$place], 'SELECT next_id_array(?, layout => ?)', $count / 10, $layout) } }
	}
	return @ids;
}
sub twice { return repeated({}, map { @$_ } @_) }

# What an ID says by one of the readers: of a server's IDs, each value once.
sub says
{
	my ($reader, $layout, $ids) = @_;
	my $session = connect_to($nodes[0]);
	my $said = value_of($session, "SELECT string_agg(DISTINCT $reader(id, ?)::text, ',') FROM unnest(?::bigint[]) AS id", $layout, $ids);
	$session->disconnect;
	return $said;
}

# Three regions by the layout, two servers in each; the same numbers in each region.
for my $layout ('twitter', 'discord')
{
	set_all(sub { my ($place) = @_; return ('idgen.region' => int($place / 2), 'idgen.shards' => $place % 2) });
	my @ids = take_in_turns($layout, my @sessions = map { connect_to($_) } @nodes);
	is(twice(@ids), 0, "$layout: no ID of two servers, among " . @nodes * $count);
	is(join(' ', map { says('id_region', $layout, $_) } @ids), '0 0 1 1 2 2', "$layout: each tells its region");
	is(join(' ', map { says('id_shard', $layout, $_) } @ids), '0 1 32 33 64 65', "$layout: each tells its number");
	$_->disconnect for @sessions;
}

# A registry for each region, in which its servers take numbers of its range.
my $registry = start_registry('registry');
$_->safe_psql('postgres', 'CREATE EXTENSION idgen_lease') for @nodes;
my @cases = (
	{ name => 'two regions', database => 'of_two_', layout => 'instagram', ranges => [ '0-511', '512-1023' ] },
	{ name => 'three regions', database => 'of_three_', layout => 'twitter', ranges => [ '0-31', '32-63', '64-95' ] });
for my $case (@cases)
{
	my ($layout, @ranges) = ($case->{layout}, @{ $case->{ranges} });
	my $region_of = sub { my ($place) = @_; return int($place * @ranges / @nodes) };
	for my $database (map { "$case->{database}$_" } 0 .. $#ranges)
	{
		$registry->safe_psql('postgres', "CREATE DATABASE $database");
		$registry->safe_psql($database, 'CREATE EXTENSION idgen_registry');
	}
	set_all(
		sub {
			my ($place) = @_;
			my $region = $region_of->($place);
			return (
				shared_preload_libraries => 'idgen, idgen_lease', 'idgen.region' => 0, 'idgen.shards' => 'lease', 'idgen.lease_range' => $ranges[$region],
				'idgen.registry' => address_of($registry) =~ s/dbname=\w+/dbname=$case->{database}$region/r);
		});
	my @sessions = map { connect_to($_) } @nodes;
	# To the servers of the case before it is another registry.
	$_->do('SELECT idgen_lease.confirm_registry(force => true)') for @sessions;
	wait_for_id($_) for @sessions;
	my @ids = take_in_turns($layout, @sessions);
	is(twice(@ids), 0, "$case->{name}: no ID of two servers, among " . @nodes * $count);
	my %by_region;
	push @{ $by_region{ $region_of->($_) } }, says('id_shard', $layout, $ids[$_]) for 0 .. $#nodes;
	my $per_region = @nodes / @ranges;
	for my $region (0 .. $#ranges)
	{
		my ($first, $last) = split /-/, $ranges[$region];
		is(scalar(grep { /^\d+$/ && $_ >= $first && $_ <= $last } @{ $by_region{$region} }), $per_region, "$case->{name}: region $region has numbers of its range") or diag("@{ $by_region{$region} }");
	}
	is(join(' ', map { says('id_region', $layout, $_) } @ids), '0 0 1 1 2 2',
		"$case->{name}: each tells its region") if $layout eq 'twitter';

	# The registry of the last region is down for longer than a lease: the others go on, and it goes on when it is back.
	my $away = "$case->{database}$#ranges";
	$registry->safe_psql('postgres', "ALTER DATABASE $away ALLOW_CONNECTIONS false; SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '$away'");
	$sessions[-1]->do(q{SET idgen.max_wait = '1s'});
	wait_for('the last region has none', sub { !is_id(try_id($sessions[-1])) });
	push @{ $ids[$_] }, ids_of($sessions[$_], 100) for 0 .. @nodes - $per_region - 1;
	pass("$case->{name}: a region goes on while the registry of another is down");
	$registry->safe_psql('postgres', "ALTER DATABASE $away ALLOW_CONNECTIONS true");
	push @{ $ids[-1] }, wait_for_id($sessions[-1]), ids_of($sessions[-1], 100);
	is(twice(@ids), 0, "$case->{name}: no ID twice when the registry is back");
	$_->disconnect for @sessions;
}
done_testing();
