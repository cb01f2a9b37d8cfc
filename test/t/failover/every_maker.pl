# A transaction that was handed anything before its machine was copied with its memory is neither committed nor prepared
# after it, for each copy would store the same: by every maker of idgen and idgen_kinds, in every way.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenHost;
use IdgenMakers;
use IdgenNode;
use Test::More;

# Each volatile function is a maker, with a call, or none, by the reason.
my %makers = (
	next_id         => 'next_id()',
	'idgen.next_id' => 'idgen.next_id()',
	next_ids        => 'next_ids(100)',
	next_id_array   => 'next_id_array(3)',
	next_id_after   => 'next_id_after(1)',
	next_decimal_id => 'next_decimal_id()',
	hlc_now         => 'hlc_now()',
	hlc_receive     => 'hlc_receive(0)',
	next_ulid       => 'next_ulid()',
	next_ksuid      => 'next_ksuid()',
	next_objectid   => 'next_objectid()',
	next_uuidv7     => 'next_uuidv7()',
	uuidv7_make     => 'uuidv7_make(clock_timestamp())',
	next_nanoid     => 'next_nanoid()',
	id_to_uuidv8    => 'id_to_uuidv8(1)');
my %others = (
	'looks at the clock' => [qw(clock_bounds wait_until_past)],
	'for the DBA'        => [qw(idgen.accept_clock idgen.advance idgen.reset idgen.confirm_shards)],
	'reads a table'      => [qw(idgen.audit)],
	'compares versions'  => [qw(idgen.require_library)],
	'counts rows that arrive' => [qw(idgen.watch idgen.unwatch idgen.watch_shard)],
	'of statistics'      => [qw(idgen.stat_shard idgen.stat_backend idgen.stat_database idgen.stat_lease idgen.stat_registry idgen.status idgen.reset_stats)]);

my $node = start_told('makers', kinds => 1,
	conf => [ q{idgen.shards = '5'}, 'idgen.on_copy = warn', 'idgen.max_lead = 100ms', 'idgen.max_wait = 30s', 'autovacuum = off', conf_of_ways() ]);
my $session = connect_to($node);
my @makers = makers_of($session, [qw(idgen idgen_kinds)], \%makers, \%others);
begin_ways($session, @makers);
my $generation = 0;
my $copy = sub { resume($node, ++$generation) };
walk_ways($node, $copy, @makers);
walk_controls($node, $copy, @makers);
walk_readers($node, grep { $_->{name} !~ /^(?:idgen\.)?next_id/ } @makers);

# Drawn after a copy, before another one.
sub open_all { my %open = map { $_->{name} => connect_to($node) } @makers; $_->do('BEGIN') for values %open; return \%open }
sub draw_in_all { my ($open) = @_; value_of($open->{ $_->{name} }, "SELECT $_->{call}") for @makers; return }
my $open = open_all();
$copy->();
draw_in_all($open);
$copy->();
is_refused($open->{$_}, 'COMMIT', "$_, between two copies") for sort keys %$open;

# Also if the server refuses to make IDs after a copy, which it has not done until now. It renews no window then, so the last
# one is long enough for all that is drawn here.
set_for_server($session, 'idgen.horizon_window', '20s');
select undef, undef, undef, 1.1;
value_of($session, "SELECT $_->{call}") for @makers;
set_for_server($session, 'idgen.on_copy', 'refuse');
$open = open_all();
draw_in_all($open);
$copy->();
is_refused($open->{$_}, 'COMMIT', "$_, idgen.on_copy = refuse") for sort keys %$open;

done_testing;
