# Sessions at once: every ID distinct, and rising within each session, by every way of making them.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use Test::More;

my $node = start_node('concurrency');
my $sessions = 8;
my $main = connect_to($node);

$main->do('CREATE UNLOGGED TABLE made (session int, n int, id bigint)');

# The IDs of one run, made by $work in each session, checked as a whole.
sub check_run
{
	my ($what, $settings, $layout, $per_session, $work) = @_;
	$main->do('TRUNCATE made');
	$main->do("ALTER DATABASE postgres SET $_") for @$settings;
	ok(in_sessions($node, $sessions, sub { $work->(@_, $per_session) }), "$what: every session succeeds");
	$main->do("ALTER DATABASE postgres RESET ALL");
	my ($rows, $distinct) = $main->selectrow_array('SELECT count(*), count(DISTINCT id) FROM made');
	is($rows, $sessions * $per_session, "$what: number of IDs");
	is($distinct, $rows, "$what: all distinct");
	is(value_of($main,
			'SELECT count(*) FROM (SELECT id, lag(id) OVER (PARTITION BY session ORDER BY n) AS last FROM made) m
			  WHERE id <= last'),
		0, "$what: strictly rising in each session");
	my ($shards) = map { /shards = '(\d+)-(\d+)'/ ? [ $1, $2 ] : /shards = '(\d+)'/ ? [ $1, $1 ] : () } @$settings;
	is(value_of($main, 'SELECT count(*) FROM made WHERE id_shard(id, ?::id_layout) NOT BETWEEN ? AND ?',
			$layout, @$shards),
		0, "$what: shards all in the pool");
	return;
}

my %way = (
	'next_id in INSERT' => sub {
		my ($session, $number, $count) = @_;
		$session->do("INSERT INTO made SELECT $number, n, next_id() FROM generate_series(1, $count) n");
	},
	'COPY with the DEFAULT' => sub {
		my ($session, $number, $count) = @_;
		$session->do("COPY made (session, n) FROM PROGRAM 'seq -f \"$number\t%.0f\" $count'");
	},
	'next_ids' => sub {
		my ($session, $number, $count) = @_;
		$session->do("INSERT INTO made SELECT $number, n, id FROM next_ids($count) WITH ORDINALITY AS i (id, n)");
	},
	'next_id_array' => sub {
		my ($session, $number, $count) = @_;
		$session->do("INSERT INTO made SELECT $number, n, id
			FROM unnest(next_id_array($count)) WITH ORDINALITY AS i (id, n)");
	},
);

$main->do('ALTER TABLE made ALTER id SET DEFAULT next_id()');
for my $shards ('5', '0-15')
{
	for my $way (sort keys %way)
	{
		check_run("$way, shards $shards", ["idgen.shards = '$shards'"], 'instagram', 250_000, $way{$way});
	}
}
check_run('borrowing', [ "idgen.shards = '5'", "idgen.overflow = 'borrow'" ],
	'instagram', 100_000, $way{'next_id in INSERT'});

# Sonyflake has its shard below the sequence: a session stays on its shard within a tick.
$main->do("ALTER TABLE made ALTER id SET DEFAULT next_id(layout => 'sonyflake')");
check_run('a sonyflake pool', ["idgen.shards = '0-15'"], 'sonyflake', 10_000, $way{'COPY with the DEFAULT'});

# More sessions than shards: they meet on shards that another session has filled.
check_run('a sonyflake pool smaller than its sessions',
	["idgen.shards = '3-5'"], 'sonyflake', 5_000, $way{'COPY with the DEFAULT'});

# A pool whose sessions draw one by one, in statements of their own.
check_run(
	'single statements',
	["idgen.shards = '0-15'"],
	'instagram', 2_000,
	sub {
		my ($session, $number, $count) = @_;
		my $insert = $session->prepare("INSERT INTO made VALUES ($number, ?::int, next_id())");
		$insert->execute($_) for 1 .. $count;
	});

# A token handed from session to session: on one shard, a call that starts after another returned
# gives the larger ID.
my @ring = map { connect_to($node) } 1 .. $sessions;
my $draw = { map { $_ => $ring[$_]->prepare('SELECT next_id(77)') } 0 .. $#ring };
my ($last, $smaller) = (0, 0);
for my $turn (1 .. 20_000)
{
	my $statement = $draw->{ $turn % @ring };
	$statement->execute;
	my ($id) = $statement->fetchrow_array;
	$smaller++ if $id <= $last;
	$last = $id;
}
is($smaller, 0, 'a token handed on: later calls give larger IDs');

# Several sessions take single IDs and blocks of one shard at once.
$main->do('TRUNCATE made');
ok( in_sessions(
		$node,
		$sessions,
		sub {
			my ($session, $number) = @_;
			my $ids = $number % 2 ? 'unnest(next_id_array(20000, 9))' : 'next_ids(20000, 9)';
			$session->do("INSERT INTO made SELECT $number, n, id FROM $ids WITH ORDINALITY AS i (id, n)");
			$session->do("INSERT INTO made SELECT $number, 20000 + n, next_id(9) FROM generate_series(1, 20000) n");
		}),
	'blocks and single IDs on one shard: every session succeeds');
is(value_of($main, 'SELECT count(*) - count(DISTINCT id) FROM made'), 0, 'blocks and single IDs: all distinct');

done_testing();
