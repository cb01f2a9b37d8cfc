# 40 nodes begin at once against a registry of either kind, die and come back all the time, and their registry fails
# over: each has a number, and none that another has. `make soak OF=fleet` has as many as one likes.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenFleet;
use Test::More;

run_fleet($_, count => 40, seconds => 5, death => 0.05) for qw(postgresql etcd);
done_testing();
