# Only the postmaster killed: its sessions live on until their statements end, beside the standby that is
# promoted in its place. No ID is handed out once the postmaster is dead, however long the window that was granted.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use IdgenPair;
use Test::More;
use Time::HiRes qw(time sleep);

my $primary = begin_primary('killed', "idgen.horizon_window = '60s'");
$primary->safe_psql('postgres', 'CREATE EXTENSION idgen_kinds');
$primary->safe_psql('postgres', <<'END');
CREATE FUNCTION tell(id bigint, pause interval) RETURNS void LANGUAGE plpgsql AS $$
DECLARE began timestamptz := clock_timestamp();
BEGIN RAISE NOTICE '%', id; WHILE clock_timestamp() < began + pause LOOP END LOOP; END $$
END
my $standby = begin_standby($primary, 'promoted', '+0');
wait_for_replay($primary, $standby);
cut_off($standby);

# Each way to make IDs in one statement that goes on for long. The clients read at once, so no session waits for them; a
# session that sleeps for long would see the postmaster's end by itself.
my $layout = few_a_tick();
my %sql = (
	'next_id'       => "COPY (SELECT next_id(5, '$layout') FROM generate_series(1, 200000)) TO STDOUT",
	'next_ids'      => "COPY (SELECT next_ids(200000, 6, '$layout')) TO STDOUT",
	'next_id_array' => "COPY (SELECT unnest(next_id_array(50, 7, '$layout')) FROM generate_series(1, 200000)) TO STDOUT",
	'DO'            => "DO \$\$ BEGIN LOOP RAISE NOTICE '%', next_id(8, '$layout'); END LOOP; END \$\$");
# Those that are given one by one, slowly: next_ids() has a block of 64 in hand, the first for more than 10 s.
my $endless = '(SELECT generate_series(1, 1000000) OFFSET 0) s';
my %slow_sql = (
	'next_ids in hand' => q{SELECT tell(id, '200 ms') FROM (SELECT next_ids(1000000, 9) AS id OFFSET 0) s},
	'hlc_now'          => "SELECT tell(hlc_now(), '20 ms') FROM $endless",
	'next_decimal_id'  => "SELECT tell(next_decimal_id(), '20 ms') FROM $endless");
my %slow = map { $_ => begin_statement($primary, q{SET idgen.shards = ''}, $slow_sql{$_}) } sort keys %slow_sql;
my @ways = sort keys %sql;
my %statement = map { $_ => begin_statement($primary, q{SET idgen.shards = ''}, $sql{$_}) } @ways;
my $postmaster = $primary->{_pid};

$primary->kill9;
poll(sub { !-d "/proc/$postmaster" }) or die 'the postmaster lives';
my $dead = time;
sleep 0.5;
my %told = map { $_ => scalar(() = ids_so_far($slow{$_})) } keys %slow;
$standby->promote;

# The promoted standby makes IDs of the same shards; what it makes and what the others go on making for 3 s.
my $session = connect_to($standby);
$session->do(q{SET idgen.shards = ''});
$session->do(q{SET idgen.max_wait = '20s'});
my %shard = ('next_id' => 5, 'next_ids' => 6, 'next_id_array' => 7, 'DO' => 8);
my %made = map { $_ => [] } @ways;
my $end = time + 3;
while (time < $end)
{
	push @{ $made{$_} }, @{ value_of($session, 'SELECT next_id_array(200, ?::bigint, ?::id_layout)', $shard{$_}, $layout) } for @ways;
}

for my $way (@ways)
{
	my ($error, @ids) = end_statement($statement{$way});
	cmp_ok(scalar @ids, '>', 0, "$way: the statement made IDs");
	# Half a second for an ID that was on its way.
	my $limit = value_of($session, 'SELECT id_max(to_timestamp(?::numeric + 0.5), ?::id_layout)', $dead, $layout);
	is(scalar(grep { $_ > $limit } @ids), 0, "$way: none after the postmaster's end");
	my %mine = map { $_ => 1 } @ids;
	is(repeated(\%mine, @{ $made{$way} }), 0, "$way: none that the promoted standby made too");
}

for my $way (sort keys %slow)
{
	my ($error, @ids) = end_statement($slow{$way});
	cmp_ok($told{$way}, '>', 0, "$way: the statement made IDs");
	is(scalar @ids, $told{$way}, "$way: none is handed out after the postmaster's end");
	like($error, qr/FATAL: +57P01: .*main process is gone/, "$way: the statement says why it ended");
}

$session->disconnect;
$standby->stop('immediate');
done_testing();
