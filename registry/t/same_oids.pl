# A registry whose server is put back to an older state and then gets a later dump: its tables have the OIDs again that
# they had when the dump was made, and the dump is an older state all the same.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenLease;
use IdgenNode;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_registry('registry', conf => ['autovacuum = off']);
my ($folder, $saved, $dump) = ($node->data_dir, $node->basedir . '/saved', $node->basedir . '/dump.sql');

sub make
{
	my (@with) = @_;
	system_or_bail('psql', '-X', '-q', '-1', '-v', 'ON_ERROR_STOP=1', '-o', '/dev/null', '-d', $node->connstr('postgres'), '-c', 'DROP EXTENSION idgen_registry',
		'-c', 'DROP SCHEMA IF EXISTS idgen_registry', @with);
	return $node->safe_psql('postgres', q{SELECT 'idgen_registry.registry'::regclass::oid});
}

$node->stop('fast');
system_or_bail('cp', '-a', $folder, $saved);
start_again($node);
my $before = make('-c', 'CREATE EXTENSION idgen_registry');
$node->safe_psql('postgres', 'SELECT idgen_registry.identity()');
system_or_bail('pg_dump', '-d', $node->connstr('postgres'), '-f', $dump);
$node->stop('fast');
system_or_bail('rm', '-rf', $folder);
system_or_bail('mv', $saved, $folder);
start_again($node);
is(make('-f', $dump), $before, 'the tables have their OIDs again');
my $session = connect_to($node);
fails_with($session, 'SELECT idgen_registry.identity()', '55000', qr/the registry has been copied or restored/,
  'tables with the OIDs of earlier ones are told from those');
$session->do('SELECT idgen_registry.advance()');
ok(value_of($session, 'SELECT idgen_registry.identity()'), 'advanced, it answers');
$session->disconnect;
$node->stop('immediate');
done_testing();
