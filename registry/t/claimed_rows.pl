# Rows that arrive with IDs of a shard that this server holds from a registry: those of its former holder lie below where its
# own IDs begin, and prove nothing; those above all that it has made are another's. Of a shard that it does not hold any more
# nothing is said.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenLease;
use IdgenNode;
use Test::More;

my $registry = start_registry('registry');
my %setting = ('idgen.lease_range' => '7-7', 'idgen.max_wait' => '5min');
my $former = start_leased('former', address_of($registry), setting => \%setting);
my $session = connect_to($former);
wait_for_id($session);
my @late = ids_of($session, 50);
$session->disconnect;
crash($former);

# The next holder waits until the lease is past, and begins above all that the former one can have made.
my $node = start_leased('node', address_of($registry), setting => \%setting);
my $on = connect_to($node);
my $first = wait_for_id($on);
is($first >> 10 & 8191, 7, 'the shard has changed hands');
$on->do($_) for 'CREATE TABLE event (id bigint)', q{SELECT idgen.watch('event', 'id')}, q{SELECT pg_replication_origin_create('far')};
my $worker = connect_to($node);
$worker->do($_) for q{SELECT pg_replication_origin_session_setup('far')}, 'SET session_replication_role = replica';

# The row of idgen.status(), and whether it is ok.
sub said { return join ' ', map { $_ // '' } $on->selectrow_array(q{SELECT ok, substring(value FROM '^(\d+ rows|another node)') FROM idgen.status() WHERE key = 'arrivals'}) }
sub arrive { my (@ids) = @_; $worker->do("INSERT INTO event VALUES ($_)") for @ids; return }

arrive(@late);
is(said(), '1 50 rows', 'late rows of the former holder');
arrive(value_of($on, q{SELECT id_make(id_time(?) - interval '1 ms', 7, 1023)}, $first));
is(said(), '1 51 rows', 'the last that it can have made');
arrive(value_of($on, q{SELECT id_make(clock_timestamp() + interval '1 min', 7, 0)}));
is(said(), '0 another node', 'above all that this server has made');
$on->do('SELECT idgen.reset_stats()');
# Cut off from its registry, it holds the shard no longer than that is granted: another may have it by then.
$registry->stop('immediate');
$on->do(q{SET idgen.max_wait = '100ms'});
wait_for('no more IDs', sub { !is_id(try_id($on)) });
arrive(value_of($on, q{SELECT id_make(clock_timestamp() + interval '2 min', 7, 0)}));
is(said(), '', 'of a shard that it does not hold');
$_->disconnect for $on, $worker;
$node->stop('immediate');
done_testing();
