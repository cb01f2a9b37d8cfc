# What a fleet costs its registry, of which a hundredth dies each minute: a row of trials/bench/tables.md for each store.
# NODES, MINUTES of each store's steady time, STORE.
use strict;
use warnings;
# Each connection is an open file: as many as this process may have. Before what follows sends the output elsewhere.
BEGIN { exec 'sh', '-c', 'ulimit -Sn "$(ulimit -Hn)" && exec "$@"', 'sh', $^X, $0 unless $ENV{FLEET_HAS_FILES}++ }
use FindBin;
use lib "$FindBin::Bin/../t/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenFleet;
use Test::More;

my $count = $ENV{NODES} || 1024;
run_fleet($_, count => $count, seconds => 60 * ($ENV{MINUTES} || 3), death => 6000 / $count) for $ENV{STORE} || qw(postgresql etcd);
done_testing();
