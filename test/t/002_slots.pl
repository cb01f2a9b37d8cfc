# Slots: which IDs share one, how many there are, and when one is given to somebody else.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IdgenNode;
use Test::More;

my $node = start_node('slots', fake_clock => 1, conf => ['idgen.max_slots = 16']);
my $session = connect_to($node);

# Makes IDs in two ways at once, from two sessions each, and looks for one made twice.
sub made_twice
{
	my (@ways) = @_;
	$session->do('DROP TABLE IF EXISTS made');
	$session->do('CREATE UNLOGGED TABLE made (id bigint)');
	my $fine = in_sessions(
		$node, 4,
		sub {
			my ($worker, $number) = @_;
			my $way = $ways[ $number % 2 ];
			$worker->do($_) for @{ $way->{set} // [] };
			$worker->do("INSERT INTO made SELECT $way->{make} FROM generate_series(1, 30000)");
		});
	return -1 unless $fine;
	return value_of($session, 'SELECT count(*) - count(DISTINCT id) FROM made');
}

is( made_twice(
		{ set => ["SET idgen.shards = '0-15'"], make => "next_id(layout => 'mastodon')" },
		{ set => ["SET idgen.shards = '7'"],    make => "next_id(layout => 'mastodon')" }),
	0,
	'mastodon with a pool set: one slot');
is( made_twice(
		{ set => [ 'SET idgen.region = 3', "SET idgen.shards = '10'" ], make => "next_id(layout => 'twitter')" },
		{ make => "next_id(106, 'twitter')" }),
	0,
	'region 3 and shard 10 is shard 106: one slot');
is( made_twice(
		{ make => "next_id(106, 'epoch=2010-11-04T01:42:54.657Z unit=1ms time=41 region=5 shard=5 sequence=12')" },
		{ make => "next_id(106, 'unit=1ms epoch=2010-11-04T01:42:54.657Z time=40 shard=10 sequence=12')" }),
	0,
	'two spellings, one with another width of time and without a region: one slot');
is( made_twice(
		{ make => "next_id(3, 'epoch=2020-01-01T00:00:00Z unit=1s time=30 shard=4 sequence=20')" },
		{ make => "next_id(3, 'epoch=2020-01-01T00:00:00Z unit=1000ms time=30w shard=4 sequence=20+1')" }),
	0,
	'wrapping and the first sequence make no slot of their own');

# From here on the clock stands still but for steps of a second, which make every slot idle.
my $now = time + 2;
sub a_second_later { freeze_clock($node, ++$now); return }

# A database has a quarter of 16 slots; the ones used above are idle by now.
a_second_later();
fails_with(
	$session, 'SELECT next_id(n) FROM generate_series(0, 4) n',
	'53400', qr/this database uses all of its 4 idgen slots.*DETAIL:.*HINT:.*max_slots_per_database/s,
	'a fifth shard at once');
my @first = @{ $session->selectcol_arrayref('SELECT next_id(n) FROM generate_series(0, 3) n') };
is(scalar @first, 4, 'the four shards go on');
a_second_later();
is(scalar @{ $session->selectcol_arrayref('SELECT next_id(n) FROM generate_series(4, 7) n') },
	4, 'idle slots are given to other shards');
a_second_later();
my @again = @{ $session->selectcol_arrayref('SELECT next_id(n) FROM generate_series(0, 3) n') };
is(scalar(grep { $again[$_] <= $first[$_] } 0 .. 3), 0, 'and their shards go on above what they made');

# A kept plan whose slot was given away in between finds a new one.
my $kept = $session->prepare('SELECT next_id(1)');
$kept->execute;
my ($before) = $kept->fetchrow_array;
a_second_later();
$session->selectall_arrayref('SELECT next_id(n) FROM generate_series(10, 13) n');
a_second_later();
$kept->execute;
my ($after) = $kept->fetchrow_array;
cmp_ok($after, '>', $before, 'a session whose slot was given away finds another');

# So does a statement that is still running, of every kind that keeps its slot in mind.
for my $make ('next_id(1)', 'hlc_now()')
{
	my $running = connect_to($node);
	$running->begin_work;
	$running->do("DECLARE running CURSOR FOR SELECT $make FROM generate_series(1, 2)");
	my $first_made = value_of($running, 'FETCH running');
	a_second_later();
	my @others = @{ $session->selectcol_arrayref('SELECT next_id(n) FROM generate_series(10, 13) n') };
	a_second_later();
	cmp_ok(value_of($running, 'FETCH running'), '>', $first_made, "$make: a statement whose slot was given away finds another");
	my @later = @{ $session->selectcol_arrayref('SELECT next_id(n) FROM generate_series(11, 13) n') };
	is(scalar(grep { $later[ $_ - 1 ] <= $others[$_] } 1 .. 3), 0, "$make: and leaves those of others alone");
	$running->disconnect;
	a_second_later();
}

# The share can be changed without a restart.
set_for_server($session, 'idgen.max_slots_per_database', 8);
a_second_later();
is(scalar @{ $session->selectcol_arrayref('SELECT next_id(n) FROM generate_series(0, 7) n') },
	8, 'a larger share');

# All 16 slots used, by several databases.
for my $db (qw(one two three))
{
	$session->do("CREATE DATABASE $db");
	$node->safe_psql($db, 'CREATE EXTENSION idgen');
}
my %other = map { $_ => connect_to($node, db => $_) } qw(one two three);
sub use_slots
{
	my ($db, $count) = @_;
	my $sql = "SELECT next_id(n) FROM generate_series(1, $count) n";
	return scalar @{ ($other{$db} // $session)->selectcol_arrayref($sql) };
}
a_second_later();
use_slots('one', 8);
use_slots('two', 8);
fails_with($other{three}, 'SELECT next_id(n) FROM generate_series(1, 4) n',
	'53400', qr/all 16 idgen slots of this server are used.*DETAIL:.*HINT:.*idgen.max_slots and restart/s,
	'slots used by other databases');

# The slots of a dropped database are free at once.
$other{one}->disconnect;
$session->do('DROP DATABASE one');
is(use_slots('three', 6), 6, 'slots of a dropped database are used again');

$_->disconnect for $session, $other{two}, $other{three};
done_testing();
