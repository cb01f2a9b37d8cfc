# The long test: many sessions make IDs in every way for minutes. Nothing twice, and the memory of each
# backend stays flat. SOAK_SESSIONS (64) and SOAK_SECONDS (600) set its size; SOAK_WAY is one more way, a relation with a column id.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../test/t/lib";
use IdgenNode;
use Test::More;

my $sessions = $ENV{SOAK_SESSIONS} // 64;
my $seconds = $ENV{SOAK_SECONDS} // 600;

my $node = start_node('soak', conf => [ "idgen.shards = '0-15'", 'max_connections = 200', 'max_wal_size = 8GB' ]);
my $main = connect_to($node);

# IDs as runs of consecutive numbers, so that hundreds of millions can be kept and compared.
$main->do('CREATE UNLOGGED TABLE run (first bigint, last bigint)');
$main->do('CREATE UNLOGGED TABLE memory (session int, early_kb int, late_kb int)');

my @ways = (
	'unnest(next_id_array(10000)) id',
	'next_ids(5000) id',
	'(SELECT next_id() AS id FROM generate_series(1, 2000)) i',
	'(SELECT next_id(n % 16) AS id FROM generate_series(1, 500) n) i',
	$ENV{SOAK_WAY} // ());

# Memory of a backend that is its own, in kB.
sub own_kb
{
	my ($pid) = @_;
	open my $status, '<', "/proc/$pid/status" or die "/proc/$pid/status: $!";
	my ($kb) = map { /^RssAnon:\s+(\d+)/ ? $1 : () } <$status>;
	return $kb;
}

sub make_for_a_while
{
	my ($session, $number) = @_;
	my $pid = value_of($session, 'SELECT pg_backend_pid()');
	my ($began, $early) = (time);
	for (my $round = $number; time < $began + $seconds; $round++)
	{
		my $way = $ways[ $round % @ways ];
		$session->do(<<"SQL");
INSERT INTO run
SELECT min(id), max(id) FROM (SELECT id, id - row_number() OVER (ORDER BY id) AS island FROM $way) r GROUP BY island
SQL
		$early //= own_kb($pid) if time > $began + $seconds / 5;
	}
	$session->do('INSERT INTO memory VALUES (?, ?, ?)', undef, $number, $early, own_kb($pid));
	return;
}

ok(in_sessions($node, $sessions, \&make_for_a_while), "$sessions sessions for $seconds s: none failed");
my ($ids, $runs) = $main->selectrow_array('SELECT sum(last - first + 1), count(*) FROM run');
diag("$ids IDs in $runs runs");
cmp_ok($ids, '>', $sessions * $seconds, 'IDs were made all the time');
is( value_of($main, 'SELECT count(*) FROM (SELECT first, lag(last) OVER (ORDER BY first) AS before FROM run) r WHERE first <= before'),
	0, 'no ID made twice');
my $growth = value_of($main, 'SELECT max(late_kb - early_kb) FROM memory');
diag("largest growth of a backend: $growth kB");
cmp_ok($growth, '<', 1024, 'the memory of each backend stays flat');

$main->disconnect;
done_testing();
