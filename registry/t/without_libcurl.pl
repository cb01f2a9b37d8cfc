# A machine without libcurl: a registry in PostgreSQL serves it as any other; one in etcd is refused in words that say what
# to install, and answers once that is there, without a restart.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenLease;
use IdgenNode;
use PostgreSQL::Test::Utils;
use Test::More;

my $registry = start_registry('registry');
my $hidden = PostgreSQL::Test::Utils::tempdir . '/no_libcurl';
append_to_file($hidden, '');
local %ENV = (%ENV, LD_PRELOAD => join(' ', preload('no_libcurl'), $ENV{LD_PRELOAD} // ()), NO_LIBCURL => $hidden);
my $node = start_leased('node', address_of($registry));
my $session = connect_to($node);
wait_for_id($session);
is(number_of($session), 0, 'a registry in PostgreSQL gives it a number');

# etcd on a port at which nobody listens.
$node->safe_psql('postgres', q{ALTER SYSTEM SET idgen.registry = 'etcd://127.0.0.1:1/idgen'});
$session->disconnect;
$node->restart;
$session = connect_to($node);
sub error_of { return ($node->psql('postgres', 'SELECT * FROM idgen_lease.nodes()'))[2] }
like(error_of(), qr/a registry in etcd needs libcurl 7\.66 or later: install the package libcurl4/, 'a call names what is missing');
wait_until($session, q{SELECT EXISTS (SELECT FROM idgen.status() WHERE key = 'registry' AND NOT ok AND value LIKE '%needs libcurl 7.66%')});
pass('status() says so');
unlink $hidden;
like(error_of(), qr/Connection refused|connect/, 'once it is installed, the next call uses it');
unlike(error_of(), qr/libcurl/, 'and no longer asks for it');
wait_until($session, q{SELECT NOT EXISTS (SELECT FROM idgen.status() WHERE value LIKE '%libcurl 7.66%')});
pass('nor does the process that keeps the numbers, without a restart');

$session->disconnect;
$node->stop('immediate');
$registry->stop;
done_testing();
