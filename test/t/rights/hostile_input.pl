# Hostile use: bad input of every kind from many sessions, cancellation in the middle, little memory.
# No backend dies, and memory does not grow with the number of IDs.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use DBD::Pg qw(:async);
use IdgenNode;
use Test::More;

my $node = start_node('hostile', conf => [ "idgen.shards = '0-15'", "work_mem = '4MB'", 'idgen.max_slots = 1024' ]);
my $session = connect_to($node);
my $postmaster = $node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');
my $pid = value_of($session, 'SELECT pg_backend_pid()');

# The peak of a backend's memory, in kB.
sub peak_kb
{
	open my $status, '<', "/proc/$pid/status" or die "/proc/$pid/status: $!";
	my ($peak) = map { /^VmHWM:\s+(\d+)/ ? $1 : () } <$status>;
	return $peak;
}

value_of($session, 'SELECT count(*) FROM next_ids(1000)');
my $before = peak_kb();
is(value_of($session, 'SELECT count(*) FROM next_ids(10000000)'), 10_000_000, '10 million rows');
cmp_ok(peak_kb() - $before, '<', (16 + 4) * 1024,
	'next_ids(10000000): peak memory rises by less than 16 MB and work_mem');
$before = peak_kb();
is(value_of($session, 'SELECT count(i) FROM (SELECT next_ids(3000000) OFFSET 0) s(i)'), 3_000_000,
	'in the select list');
cmp_ok(peak_kb() - $before, '<', 4096, 'in the select list: no memory for rows');
is(scalar @{ $session->selectcol_arrayref('SELECT next_ids(1000000000) LIMIT 3') }, 3, 'LIMIT ends a long row source');

# Every function with the edges of its types: each call gives a value or an error with SQLSTATE,
# DETAIL and HINT if it is ours.
my @numbers = ('NULL', -9223372036854775807, -1, 0, 1, 5, 8191, 8192, 2147483647, 2147483648, 9223372036854775807);
my @ints = grep { $_ eq 'NULL' || abs $_ <= 2147483647 } @numbers;
my @times = map { $_ eq 'NULL' ? 'NULL' : "'$_'::timestamptz" }
  ('NULL', 'infinity', '-infinity', '4713-01-01 BC', '1900-01-01', '1970-01-01', '2026-11-01', '2046-06-27 17:00:49.497+00', '294276-12-31');
my @layouts = ('NULL', map { "'$_'" } @{ $session->selectcol_arrayref('SELECT name FROM id_layouts()') },
	'epoch=2200-01-01T00:00:00Z unit=1ms time=41 shard=13 sequence=10',
	'epoch=0001-01-01T00:00:00Z unit=1ms time=1',
	'epoch=2020-01-01T00:00:00Z unit=1s time=63',
	'epoch=2020-01-01T00:00:00Z unit=1s time=40 shard=3 sequence=1');
my @uuids = ('NULL', map { "'$_'" } '0' x 32, 'f' x 32, '919108f752d143209bacf847db4148a8', '01a20723ef8d7000b804c2ebda40004d');
my @texts = ('NULL', map { "'$_'" } '', ' ', '-', '0', '4oBVmyxvRfB', '16JD', "16J\x{c3}\x{a9}", 'LygHa16AHYG', 'A' x 100000, "\x{c3}\x{a9}" x 1000);
# The text forms, by their readers; those with a check symbol have a second argument.
my %checked = map { @$_ } @{ $session->selectall_arrayref(q{SELECT proname, pronargs - 1 FROM pg_proc WHERE proname ~ '^id_(to|from)_base'}) };
my @readers = grep { /from/ } sort keys %checked;
cmp_ok(scalar @readers, '>', 2, 'text forms');
my ($calls, %foreign, @bare);
$session->do("SET idgen.max_wait = 0");
sub try_call
{
	my ($sql) = @_;
	$calls++;
	return if eval { $session->selectall_arrayref("SELECT $sql"); 1 };
	my $state = $session->state;
	$foreign{$state} = $sql unless $state =~ /^(22004|22003|22023|22P02|2200H|53400|55000|22008)$/;
	push @bare, "$sql: " . $session->errstr
	  unless $session->errstr =~ /DETAIL:.*HINT:/s || $state eq '22P02' || $session->errstr =~ /timestamp out of range/;
	return;
}
for my $layout (@layouts)
{
	try_call("id_layout_info($layout)");
	for my $number (@numbers)
	{
		try_call("next_id($number, $layout)");
		try_call("$_($number, $layout)") for qw(id_decode id_time id_shard id_region id_sequence);
		try_call("next_ids(3, $number, $layout)");
		try_call("next_id_array(3, $number, $layout)");
		try_call("next_ids($number, 5, $layout) LIMIT 1");
		try_call("id_time_near($number, $_, $layout)") for @times;
	}
	try_call("id_min($_, $layout)"), try_call("id_max($_, $layout)") for @times;
	try_call("id_to_uuid($_, $layout)") for @numbers;
	try_call("id_from_uuid($_, $layout)") for @uuids;
	for my $time (@times)
	{
		try_call("id_make($time, $_, 0, $layout)") for @numbers;
		try_call("id_make($time, 0, $_, $layout)") for @ints;
	}
}
for my $text (@texts)
{
	try_call("$_($text)") for 'id64', @readers;
	for my $reader (grep { $checked{$_} } @readers) { try_call("$reader($text, $_)") for qw(true false NULL) }
}
for my $number (@numbers)
{
	for my $writer (map { s/from/to/r } @readers)
	{
		try_call("$writer($number)");
		if ($checked{$writer}) { try_call("$writer($number, $_)") for qw(true false NULL) }
	}
}
try_call("next_id_array($_)") for grep { $_ ne '2147483647' } @ints;
is_deeply(\%foreign, {}, "$calls calls with edges: only the documented SQLSTATEs");
is_deeply(\@bare, [], 'each error has a DETAIL and a HINT');
fails_with($session, "SELECT 'instagram\x{ff}'::id_layout", '22021', qr/invalid byte sequence/, 'a wrong encoding');
$node->safe_psql('postgres', "CREATE DATABASE euc ENCODING 'EUC_JP' LOCALE 'C' TEMPLATE template0");
my $euc = connect_to($node, db => 'euc');
$euc->do('CREATE EXTENSION idgen');
$euc->do("SET client_encoding = 'UTF8'");
fails_with($euc, "SELECT id_from_base62('4o日本')", '22P02', qr/"日" is not a digit\nDETAIL:  It is character 3 of "4o日本"/,
	'a character of two bytes in EUC_JP');
fails_with($euc, "SELECT '4oBVmyxvRf本'::id64", '22P02', qr/"本" is not a digit\n.*DETAIL:  It is character 11 of/s,
  'a character of two bytes in EUC_JP, in id64');
$euc->disconnect;
fails_with($session, q{SELECT ('time=' || repeat('9', 100000))::id_layout}, '22P02', qr/invalid id_layout/,
	'a very long layout');
ok($session->do("SET idgen.shards = '" . join(',', map { 2 * $_ } 0 .. 4095) . "'"), 'a list of 4096 ranges');
ok(value_of($session, 'SELECT next_id()') > 0, 'a session with a list of 4096 ranges makes IDs');
$session->do("SET idgen.shards = '0-15'");

# Cancelled at random in the middle of making IDs.
$session->do('RESET idgen.max_wait');
my $ended = 0;
for my $round (1 .. 40)
{
	$session->do('SET statement_timeout = ' . (1 + $round * 3 % 23));
	$ended++ unless eval { $session->do('SELECT count(*) FROM next_ids(100000000), (SELECT next_id_array(1000000)) a'); 1 };
}
$session->do('RESET statement_timeout');
is($ended, 40, 'cancelled 40 times');
ok(value_of($session, 'SELECT next_id()') > 0, 'a session goes on after 40 cancellations');

# 32 sessions at the edges at once.
ok( in_sessions(
		$node, 32,
		sub {
			my ($worker, $number) = @_;
			$worker->do('SET idgen.max_wait = 0');
			for my $round (1 .. 200)
			{
				my $shard = ($number * 31 + $round * 7) % 9000 - 400;
				eval { $worker->do("SELECT next_id($shard, 'snowflake')") };
				eval { $worker->do("SELECT next_id_array(500, $shard)") };
			}
		}),
	'32 sessions at the edges');

is($node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'), $postmaster, 'the server was never restarted');
unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/terminated by signal|PANIC|TRAP:|stuck spinlock/,
	'no backend died');
is(value_of($session, 'SELECT pg_backend_pid()'), $pid, 'not even the first one');

$session->disconnect;
done_testing();
