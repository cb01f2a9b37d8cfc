# Numbers from a registry in PostgreSQL, on real servers.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IdgenLease;
use IdgenNode;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $registry = start_registry('registry');
my $address = address_of($registry);
my $first = start_leased('first', $address);
my $first_ms = first_id($first);
note "first ID after $first_ms ms";
my $session = connect_to($first);
is(number_of($session), 0, 'the first server takes the smallest number');
my $second = start_leased('second', $address);
my $other = connect_to($second);
is(number_of($other), 1, 'the second one the next');

# A clean stop lowers R; the next start takes the same number, and its IDs lie above.
my @before = ids_of($session, 1000);
my $raised = row_in($registry, 0)->{horizon_ms};
$session->disconnect;
$first->stop;
my $lowered = row_in($registry, 0)->{horizon_ms};
cmp_ok($lowered, '<', $raised, 'a clean stop lowers R');
$first->start;
$session = connect_to($first);
my @after = ids_of($session, 1000);
is(value_of($session, 'SELECT id_shard(?)', $after[0]), 0, 'the same number after a restart');
cmp_ok($after[0], '>', $before[-1], 'IDs go on above');

# A crash: another number at once.
$session->disconnect;
crash($first);
$first->start;
$session = connect_to($first);
my $began = time;
is(number_of($session), 2, 'after a crash R is far ahead: another number');
note sprintf 'after %.0f ms', (time - $began) * 1000;

done_testing();
