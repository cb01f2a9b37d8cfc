# The postmaster killed alone: its sessions live on for as long as their statements last, beside the standby that is
# promoted in its place. No ID is handed out once the postmaster is dead, however long the window that was granted.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IdgenNode;
use IdgenPair;
use Test::More;
use Time::HiRes qw(time sleep);

my $primary = begin_primary('killed', "idgen.horizon_window = '60s'");
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
my @ways = sort keys %sql;
my %statement = map { $_ => begin_statement($primary, q{SET idgen.shards = ''}, $sql{$_}) } @ways;
my $postmaster = $primary->{_pid};

$primary->kill9;
poll(sub { !-d "/proc/$postmaster" }, 60) or die 'the postmaster lives';
my $dead = time;
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
	cmp_ok(scalar @ids, '>', 0, "$way: it made IDs");
	# Half a second for an ID that was on its way.
	my $limit = value_of($session, 'SELECT id_max(to_timestamp(?::numeric + 0.5), ?::id_layout)', $dead, $layout);
	is(scalar(grep { $_ > $limit } @ids), 0, "$way: none after the postmaster's end");
	my %mine = map { $_ => 1 } @ids;
	is(repeated(\%mine, @{ $made{$way} }), 0, "$way: none that the promoted standby made too");
}

$session->disconnect;
$standby->stop('immediate');
done_testing();
