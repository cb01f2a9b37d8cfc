# Citus copies ALTER DATABASE ... SET and ALTER ROLE ... SET to every node: where it is, the advice is another. An empty
# extension of its name stands for it.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IdgenNode;
use PostgreSQL::Test::Utils;
use Test::More;

chomp(my $share = `pg_config --sharedir`);
my %stub = ("$share/extension/citus.control" => "default_version = '1'\n", "$share/extension/citus--1.sql" => "-- empty\n");
-e $_ and die "$_ is there" for keys %stub;
append_to_file($_, $stub{$_}) for keys %stub;
END { unlink keys %stub }

my $node = start_node('citus');
my $session = connect_to($node);

# The row of idgen_status(), seen by a new session.
sub shards_row
{
	my (%option) = @_;
	my $seen = connect_to($node, %option);
	my $row = $seen->selectrow_hashref(q{SELECT * FROM idgen_status() WHERE key = 'shards'});
	$seen->disconnect;
	return $row;
}

my $hint = qr/HINT:  Set the shards of each node on that node.*ALTER SYSTEM SET idgen.shards = '5'; SELECT pg_reload_conf\(\)/;
fails_with($session, 'SELECT next_id()', '55000', qr/not set.*HINT:.*ALTER DATABASE postgres SET/s, 'without Citus');
like(shards_row()->{advice}, qr/ALTER DATABASE \.\.\. SET/, 'without Citus: idgen_status()');

$session->do('CREATE EXTENSION citus');
fails_with($session, 'SELECT next_id()', '55000', $hint, 'with Citus');
like(shards_row()->{advice}, qr/ALTER SYSTEM SET idgen.shards = '5' and SELECT pg_reload_conf\(\), on each node/, 'with Citus: idgen_status()');

# A value that Citus has copied to all nodes already: by the database, by the role, for this session or the next.
for my $holder ('DATABASE postgres', 'ROLE CURRENT_USER', 'ROLE ALL')
{
	$session->do("ALTER $holder SET idgen.shards = '5'");
	fails_with($session, 'SELECT next_id()', '55000', $hint, "ALTER $holder: an older session is not told to reconnect");
	my $row = shards_row();
	is($row->{ok}, 0, "ALTER $holder: not ok");
	like($row->{value}, qr/^5, by ALTER DATABASE or ALTER ROLE: the same on every node/, "ALTER $holder: what is wrong");
	like($row->{advice}, qr/ALTER SYSTEM.*RESET idgen.shards/, "ALTER $holder: what to do");
	$session->do("ALTER $holder RESET idgen.shards");
}

# What is advised works, in sessions that are open.
set_for_server($session, 'idgen.shards', '5');
is(value_of($session, 'SELECT id_shard(next_id())'), 5, 'ALTER SYSTEM: IDs of the shard');
my $row = shards_row();
is("$row->{value} $row->{ok}", '5 1', 'ALTER SYSTEM: ok');

# Another database of the same server has no Citus.
$session->do('CREATE DATABASE plain');
$node->safe_psql('plain', 'CREATE EXTENSION idgen');
$session->do(q{ALTER DATABASE plain SET idgen.shards = '7'});
$row = shards_row(db => 'plain');
is("$row->{value} $row->{ok}", '7 1', 'a database without Citus: ok');

$session->disconnect;
done_testing();
