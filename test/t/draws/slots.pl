# Slots: which IDs share one, how many there are, and when one is given to another session.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use Test::More;

my $node = start_node('slots', kinds => 1, fake_clock => 1, conf => ['idgen.max_slots = 16']);
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
set_for_server($session, 'idgen.shards', '0-13');
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
is(scalar(grep { $again[$_] <= $first[$_] } 0 .. 3), 0,
	'shards that were given other slots go on above what they made');

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
	cmp_ok(value_of($running, 'FETCH running'), '>', $first_made,
		"$make: a statement whose slot was given away finds another");
	my @later = @{ $session->selectcol_arrayref('SELECT next_id(n) FROM generate_series(11, 13) n') };
	is(scalar(grep { $later[ $_ - 1 ] <= $others[$_] } 1 .. 3), 0,
		"$make: a statement that finds another slot leaves those of others alone");
	$running->disconnect;
	a_second_later();
}

# A session whose shard is full turns to its next one, and there is no slot for that. The source of next_id() outlives the error. The slot of the
# full shard must not: the session would go on there, under the number of the other one.
a_second_later();
set_for_server($session, 'idgen.max_lead', '20ms');
my $turning;
for (1 .. 20)
{
	$turning = connect_to($node);
	$turning->do("SET idgen.shards = '1,2'");
	last if value_of($turning, 'SELECT id_shard(next_id())') == 1;
}
a_second_later();
$turning->do('SET idgen.overflow = borrow');
is(value_of($turning, 'SELECT id_shard(next_id())'), 1, 'a session whose home is the lower of two shards');
$session->selectall_arrayref('SELECT next_id(n) FROM generate_series(3, 5) n');
fails_with($turning, 'SELECT count(next_id()) FROM generate_series(1, 30 * 1024)', '53400', qr/all of its 4 idgen slots/, $_)
  for 'that is full, and no slot is left for the other', 'the same again, and no ID meanwhile';
set_for_server($session, 'idgen.max_slots_per_database', 8);
set_for_server($session, 'idgen.max_lead', '40ms');
my $other = connect_to($node);
$other->do('SET idgen.overflow = borrow');
my $make = 'SELECT %s FROM generate_series(1, %d)';
my @of_both = map { @$_ } $other->selectcol_arrayref(sprintf $make, 'next_id(2)', 30 * 1024), $turning->selectcol_arrayref(sprintf $make, 'next_id()', 3 * 1024);
my %is_made = map { $_ => 1 } @of_both;
is(scalar keys %is_made, 33 * 1024, 'with a slot for the other shard both go on, each with IDs of its own');
$_->disconnect for $turning, $other;

# The share can be changed without a restart.
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

# More databases than there is room for. The hint works, and so does a dropped database.
sub check_databases
{
	my $few = start_node('few', conf => [ 'idgen.max_databases = 4', "idgen.shards = '5'" ]);
	my @sessions = connect_to($few);
	$sessions[0]->do("CREATE DATABASE d$_ TEMPLATE template0") for 1 .. 4;
	$few->safe_psql("d$_", 'CREATE EXTENSION idgen') for 1 .. 3;
	push @sessions, map { connect_to($few, db => "d$_") } 1 .. 4;
	value_of($_, 'SELECT next_id()') for @sessions[ 0 .. 3 ];
	my $slots = sub { join ' | ', $sessions[0]->selectrow_array(q{SELECT value, ok::int, coalesce(advice, '') FROM idgen.status() WHERE key = 'slots'}) };
	is($slots->(), '1 of 4096 in this database, 4 of 16384 in all; IDs are made in 4 of at most 4 databases | 0 | ' .
		'No other database can make IDs: increase idgen.max_databases and restart.', 'idgen.status(): all databases that there is room for');
	fails_with($sessions[4], 'CREATE EXTENSION idgen',
		'53400', qr/no room is left for the IDs of another database\nDETAIL:.*room for, 4\.\nHINT:.*increase idgen.max_databases and restart/s, 'a database more than there is room for');
	$sessions[3]->disconnect;
	$sessions[0]->do('DROP DATABASE d3');
	is($slots->(), '1 of 4096 in this database, 4 of 16384 in all; IDs are made in 3 of at most 4 databases | 1 | ',
		'idgen.status(): a dropped database does not count');
	ok(eval { $sessions[4]->do('CREATE EXTENSION idgen'); value_of($sessions[4], 'SELECT next_id()') },
		'a dropped database leaves room for another');
	$sessions[0]->do('CREATE DATABASE d3 TEMPLATE template0');
	isnt($few->psql('d3', 'CREATE EXTENSION idgen', stderr => \my $refused), 0,
		'four databases again: one more is refused');
	$_->disconnect for @sessions[ 0 .. 2, 4 ];
	$few->append_conf('postgresql.conf', 'idgen.max_databases = 5');
	$few->restart;
	$few->safe_psql('d3', 'CREATE EXTENSION idgen');
	is($few->safe_psql($_, 'SELECT next_id() > 0'), 't',
		"with room for five databases: $_") for 'postgres', map { "d$_" } 1 .. 4;
	$few->stop;
	return;
}
check_databases();

# One role cannot take what all need: whatever it opens, the node's own shards find a slot in every preset. The clock
# stands still, so that no slot is idle.
{
	my $shared = start_node('shared', kinds => 1, fake_clock => 1, conf => [ 'idgen.max_slots = 80', "idgen.shards = '5'" ]);
	$shared->safe_psql('postgres', 'CREATE ROLE greedy LOGIN; CREATE ROLE unset LOGIN; ALTER ROLE unset SET idgen.shards = $$$$');
	$shared->safe_psql('postgres', 'CREATE DATABASE next');
	$shared->safe_psql('next', 'CREATE EXTENSION idgen_kinds CASCADE');
	my $application = connect_to($shared);
	my $in_next = connect_to($shared, db => 'next');
	my %greedy = map { $_ => connect_to($shared, user => $_) } qw(greedy unset);
	my $second = time + 2;
	my $a_second_later = sub { freeze_clock($shared, ++$second) };

	# Draws with so many layouts that nobody needs, or from so many shards, errors or not. How many slots there are
	# then.
	my $take_all = sub {
		my ($taker, $make) = @_;
		$taker->do(qq{DO \$\$ DECLARE refused text := '00000'; BEGIN
			FOR n IN 0 .. 4999 LOOP
				BEGIN PERFORM $make; EXCEPTION WHEN configuration_limit_exceeded THEN refused := SQLSTATE; END;
			END LOOP;
			PERFORM set_config('test.refused', refused, false);
		END \$\$});
		return value_of($taker, q{SELECT current_setting('test.refused')}) . ' ' .
		  value_of($application, 'SELECT slots FROM idgen.stat_database');
	};
	my $layouts = q{next_id(5, format('epoch=%s unit=1ms time=41 shard=5 sequence=10',
		to_char(timestamp '2020-01-01' + n * interval '1 hour', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))::id_layout)};
	my $draw_own = sub {
		my ($drawer) = @_;
		my $made = eval {
			value_of($drawer, q{SELECT count(DISTINCT next_id(layout => layout::id_layout))
				FROM unnest('{instagram,snowflake,twitter,discord,sonyflake,mastodon,js53,trace}'::text[]) layout}) +
			  (value_of($drawer, 'SELECT hlc_now()') > 0);
		};
		return $made // $drawer->errstr;
	};

	# What of these distinguishes nodes.
	my $nodes = sub { value_of($in_next, q{SELECT value || ', ' || ok FROM idgen.status() WHERE key = 'nodes'}) };
	value_of($in_next, 'SELECT hlc_now() + next_id()');
	is($nodes->(), 'every layout in use tells nodes apart, true',
		'idgen.status(): layouts with a shard, and the hybrid logical clock');
	value_of($in_next, q{SELECT next_id(layout => 'mastodon')});
	is($nodes->(), 'mastodon is for one node only, false', 'idgen.status(): one without');
	$in_next->do(q{SET idgen.shards = ''});
	is($nodes->(), 'mastodon is for one node only, true', 'idgen.status(): where no shards are set');
	$in_next->do('RESET idgen.shards');

	$a_second_later->();
	is($take_all->($greedy{greedy}, $layouts), '53400 10', 'layouts of his own: half of the share');
	is($draw_own->($application), 9, 'the own shard finds a slot in each preset, and the clock one');
	is($draw_own->($greedy{greedy}), 9, 'the own shard of a greedy role finds a slot in each preset');
	fails_with($greedy{greedy}, q{SELECT next_id(5, 'epoch=2021-01-01 unit=1ms time=41 shard=3 sequence=5')},
		'53400',
		qr/this database uses all of its 10 idgen slots for other shards and layouts.*DETAIL:.*Half of the 20 slots.*HINT:.*max_slots_per_database/s,
		  'a layout above half of the share is refused');
	is(value_of($application, q{SELECT value || ok FROM idgen.status() WHERE key = 'slots'}),
		q{19 of 20 in this database, 22 of 80 in all; those left are for this node's own shards in presetsfalse}, 'idgen.status()');
	for (1 .. 3)
	{
		$a_second_later->();
		is($take_all->($greedy{unset}, "next_id(n)"), '53400 19',
			'any shards, where none are set: his idle slots and no others');
		is($draw_own->($application), 9, 'the own shard goes on beside idle slots that were taken');
	}

	# In all databases together.
	set_for_server($application, 'idgen.max_slots_per_database', 80);
	$a_second_later->();
	like($take_all->($greedy{greedy}, $layouts), qr/^53400 (49|50)$/,
		'a database with a share of all: half of the server');
	fails_with($in_next, q{SELECT next_id(5, 'epoch=2021-01-01 unit=1ms time=41 shard=3 sequence=5')},
		'53400',
		qr/all 40 idgen slots of this server for other shards and layouts are used.*DETAIL:.*Half of the 80 slots.*HINT:.*increase idgen.max_slots and/s,
		  'a layout above half of the server in another database is refused');
	is($draw_own->($_), 9, 'own shards find slots in both') for $application, $in_next;
	$_->disconnect for $application, $in_next, values %greedy;
}
done_testing();
