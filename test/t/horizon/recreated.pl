# A database that begins again, and one that is reset.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use DBD::Pg qw(:async);
use IdgenNode;
use IdgenPair;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

# The extension dropped and created again, and a database OID that is given again: whatever the server forgot in
# between, no ID is made twice.
{
	my $node = start_node(
		'recreated',
		fake_clock => 1,
		conf       => [
			"idgen.shards = '5'", "idgen.overflow = 'borrow'", "idgen.max_wait = '30s'", 'autovacuum = off', 'checkpoint_timeout = 1h' ]);
	my %made;
	my $session = connect_to($node);

	# A restart without the extension: what the server remembers of it is gone.
	sub drop_and_restart
	{
		$session->do('DROP EXTENSION idgen');
		$session->disconnect;
		$node->stop;
		start_again($node);
		$session = connect_to($node);
		return;
	}

	# How far an ID lies ahead of the clock, in seconds.
	sub lead_of
	{
		my ($id) = @_;
		return value_of($session, 'SELECT extract(epoch FROM id_time(?, ?::id_layout) - clock_timestamp())', $id, few_a_tick());
	}

	# Borrowed ahead as far as that goes; the clock stands still, in the second of the last checkpoint.
	my $second = int(time) + 2;
	freeze_clock($node, $second);
	my @ids = draw_few($session, 1900);
	cmp_ok(lead_of($ids[-1]), '>', 0.9, 'the last IDs lie ahead of the clock');
	repeated(\%made, @ids);
	drop_and_restart();
	$session->do('CREATE EXTENSION idgen');
	my ($horizon) = $session->selectrow_array(q{SELECT last_value / 1000.0 FROM idgen.horizon});
	cmp_ok($horizon, '>=', $second + 1.9, 'created in the second of a checkpoint: above its end, and the lead');
	freeze_clock($node, $second + 1);
	$session->do(q{SET idgen.max_wait = 0});
	@ids = eval { draw_few($session, 1) };
	is(scalar @ids, 1, 'borrowed ahead, dropped, restarted, created: the first ID does not wait');
	is(repeated(\%made, @ids), 0, 'borrowed ahead, dropped, restarted, created: it is another');
	set_clock($node, '+2');
	$session->do(q{RESET idgen.max_wait});
	is(repeated(\%made, draw_few($session, 4000)), 0, 'the clock runs: none again');

	# The clock set back by three seconds meanwhile.
	@ids = draw_few($session, 4000);
	repeated(\%made, @ids);
	drop_and_restart();
	set_clock($node, '-1');
	$session->do('CREATE EXTENSION idgen');
	is(repeated(\%made, draw_few($session, 4000)), 0, 'dropped, restarted, the clock set back, created: none again');

	# A checkpoint that far ahead shows that a clock was wrong, then or now: the user says which.
	set_clock($node, '+3600');
	$session->do('CHECKPOINT');
	set_clock($node, '+2');
	$session->do('DROP EXTENSION idgen');
	fails_with($session, 'CREATE EXTENSION idgen', '55000', qr/checkpoint.*\nDETAIL:.*\nHINT:.*CHECKPOINT/s,
		'a checkpoint an hour ahead');
	$session->do('CHECKPOINT');
	ok(eval { $session->do('CREATE EXTENSION IF NOT EXISTS idgen'); 1 }, 'a checkpoint under the right clock: created');
	is(repeated(\%made, draw_few($session, 4000)), 0, 'a checkpoint under the right clock: none again');

	# Without a restart the server remembers the horizon itself, whatever the checkpoint says, and writes it to the new one.
	for my $then ('', ', then kill -9')
	{
		my ($at, $at_ms) = $session->selectrow_array(
			q{SELECT t, (extract(epoch FROM t) * 1000)::bigint FROM date_trunc('milliseconds', clock_timestamp() + '3 s') t});
		$session->do('SELECT idgen.advance(?)', undef, $at);
		$session->do($_) for 'DROP EXTENSION idgen', 'CREATE EXTENSION idgen';
		if ($then)
		{
			crash($node);
			start_again($node);
			$session = connect_to($node);
		}
		@ids = draw_few($session, 100);
		cmp_ok(value_of($session, 'SELECT (extract(epoch FROM id_time(?, ?::id_layout)) * 1000)::bigint', $ids[0], few_a_tick()),
			'>=', $at_ms, "dropped and created without a restart$then: above the horizon that it had");
	}

	# A database OID given again while the dropped one's window lasts. A copy of the database has even the same files'
	# numbers.
	set_for_server($session, 'idgen.horizon_window', '60s');
	set_for_server($session, 'idgen.max_lead', '10s');
	my $offset = 2;
	for my $template ('older', 'template1')
	{
		%made = ();
		$session->do('CREATE DATABASE app');
		my $oid = value_of($session, q{SELECT oid FROM pg_database WHERE datname = 'app'});
		my $app = connect_to($node, db => 'app');
		$app->do('CREATE EXTENSION idgen');
		$app->disconnect;
		$session->do('CREATE DATABASE older TEMPLATE app');
		$app = connect_to($node, db => 'app');
		repeated(\%made, draw_few($app, 100));
		$app->disconnect;
		$session->do('DROP DATABASE app');
		$session->do("CREATE DATABASE app TEMPLATE $template OID = $oid");

		$app = connect_to($node, db => 'app');
		$app->do('CREATE EXTENSION idgen') if $template eq 'template1';
		is(repeated(\%made, draw_few($app, 16_000)), 0, "an OID given again, from $template: none again");
		crash($node);
		start_again($node);
		$session = connect_to($node);
		$app = connect_to($node, db => 'app');
		# Refused if the horizon lies further ahead than IDs may.
		$app->do('SET idgen.max_wait = 0');
		is(repeated(\%made, eval { draw_few($app, 16_000) }), 0,
			"an OID given again, from $template, then kill -9: none again");
		set_clock($node, '+' . ($offset += 100));
		is(repeated(\%made, draw_few($app, 100)), 0, "an OID given again, from $template, past the window: IDs go on");
		$app->disconnect;
		$session->do("DROP DATABASE $_") for 'app', 'older';
	}

	# Two first sessions of such a database at once, held up where they look for its row: neither takes the other for one of
	# a database that was there before.
	$session->do('CREATE ROLE app LOGIN');
	$session->do('CREATE DATABASE app');
	my $oid = value_of($session, q{SELECT oid FROM pg_database WHERE datname = 'app'});
	my $app = connect_to($node, db => 'app');
	$app->do('CREATE EXTENSION idgen');
	$app->disconnect;
	$session->do('CREATE DATABASE older TEMPLATE app');
	$app = connect_to($node, db => 'app');
	draw_few($app, 100);
	$app->disconnect;
	$session->do('DROP DATABASE app');
	$session->do("CREATE DATABASE app TEMPLATE older OID = $oid");
	my @first = map { connect_to($node, db => 'app') } 1 .. 2;
	# The row is read again once it has changed.
	$session->do('GRANT CONNECT ON DATABASE app TO app');
	$session->begin_work;
	$session->do('LOCK TABLE pg_database IN ACCESS EXCLUSIVE MODE');
	$_->do('SELECT next_id()', { pg_async => PG_ASYNC }) for @first;
	wait_until($session, q{SELECT count(*) = 2 FROM pg_locks WHERE relation = 'pg_database'::regclass AND NOT granted});
	$session->commit;
	$_->pg_result for @first;
	# Within the window that was granted to the one before.
	set_clock($node, '+' . ($offset + 30));
	my $id = value_of($first[0], 'SELECT next_id()');
	cmp_ok(value_of($first[0], q{SELECT (extract(epoch FROM id_time(?)) * 1000)::bigint}, $id), '<', value_of($first[0], 'SELECT last_value FROM idgen.horizon'),
		'an OID given again, two first sessions at once: below the horizon');
	$_->disconnect for @first;

	$session->disconnect;
}

# idgen.reset(): the server knows what it made, so a reset goes above that, or is refused: in the ms of the last ID, after a
# restart, after a slot was given to another shard, by a horizon that a wrong clock raised, after an advance by mistake,
# and while others draw. No ID comes twice.
{
	my $node = start_node('node', fake_clock => 1, conf => [ q{idgen.shards = '5'}, 'idgen.max_wait = 10s', 'idgen.max_slots_per_database = 2' ]);
	my $session = connect_to($node);
	my %made;

	sub refuses
	{
		my ($call, $detail, $hint, $what) = @_;
		return fails_with($session, "SELECT idgen.reset($call)", '55000',
			qr/IDs could be made twice from 20\S+ \S+ on\nDETAIL:  $detail\.\nHINT:  $hint/, $what);
	}
	my $without = qr/Call idgen\.reset\(\) without an instant: it goes above that\.$/m;
	my $forced = qr/If that is wrong, give an instant above all IDs in the tables, .*: idgen\.reset\(at, force => true\)\.$/m;
	my $at_last = qr/This server has made IDs up to 20\S+ \S+/;

	# The clock stands still: the next ms never comes.
	my $second = time + 1;
	freeze_clock($node, $second);
	is(repeated(\%made, draw($session, 100)), 0, 'IDs of a ms');
	refuses(q{'today'}, $at_last, $without, 'below the last ID');
	refuses('clock_timestamp()', $at_last, $without, 'in the ms of the last ID');
	set_clock($node, '+3');
	my @pairs = map { my @id = draw($session, 1); $session->do('SELECT idgen.reset()'); (@id, draw($session, 1)) } 1 .. 200;
	is(repeated(\%made, @pairs), 0, '200 times between two IDs: none comes twice');
	$session->do(q{SELECT idgen.reset(clock_timestamp() + '1 s')});
	is(repeated(\%made, draw($session, 10)), 0, 'just above them');

	# A slot that is given to another shard leaves what it made behind.
	$second = time + 8;
	freeze_clock($node, $second);
	$session->do(q{SET idgen.shards = '5-8'});
	is(repeated(\%made, map { value_of($session, "SELECT next_id($_)") } 5, 6), 0, 'two slots');
	set_clock($node, "+10");
	select undef, undef, undef, 2.5;
	is(repeated(\%made, map { value_of($session, "SELECT next_id($_)") } 7, 8), 0, 'given to other shards');
	freeze_clock($node, $second);
	refuses('clock_timestamp()', $at_last, $without, 'below what a slot made that was given back');
	set_clock($node, '+15');
	$session->do('RESET idgen.shards');
	set_for_server($session, 'idgen.max_slots_per_database', '64');

	# By mistake. The next ID comes at once.
	$session->do(q{SELECT idgen.advance(clock_timestamp() + '1 h')});
	fails_with($session, 'SELECT next_id()', '55000', qr/ahead of the clock.*\nHINT:  .*have a superuser call idgen\.reset\(\)\.$/s, 'advanced by mistake');
	$session->do('SELECT idgen.reset()');
	is(repeated(\%made, draw($session, 1000)), 0, 'and reset: IDs at once');

	# After a start nobody knows what was made before, but that it lies below the horizon.
	set_clock($node, '+30');
	is(repeated(\%made, draw($session, 100)), 0, 'before a restart');
	freeze_clock($node, time + 25);
	$node->stop;
	start_again($node);
	$session = connect_to($node);
	my $found = qr/This server found the horizon at 20\S+ \S+: IDs from before may lie up to there/;
	refuses('', $found, $forced, 'after a restart, without an instant');
	refuses('clock_timestamp()', $found, $forced, 'after a restart, with one');
	set_clock($node, '+40');
	$session->do('SELECT idgen.reset()');
	is(repeated(\%made, draw($session, 100)), 0, 'once that is past: IDs');

	# A wrong clock raised it, and a restart has forgotten how: a person must say.
	$node->stop;
	set_clock($node, '+31536000');
	start_again($node);
	$session = connect_to($node);
	$session->do('SELECT idgen.accept_clock()');
	my ($poisoned) = draw($session, 1);
	$node->stop;
	set_clock($node, '+60');
	start_again($node);
	$session = connect_to($node);
	refuses('', $found, $forced, 'a horizon a year ahead');
	$session->do('SELECT idgen.reset(?, force => true)', undef, value_of($session, 'SELECT clock_timestamp()'));
	is(repeated(\%made, draw($session, 100)), 0, 'forced: IDs');
	refuses(q{'today'}, $at_last, $without, 'then it knows what it made again');

	# Eight sessions draw meanwhile.
	my $stop = $node->basedir . '/stop';
	my $makers = begin_makers($node, 8, $stop);
	for my $round (1 .. 40)
	{
		$session->do(q{SELECT idgen.advance(clock_timestamp() + '300 ms')}) if $round % 2;
		$session->do('SELECT idgen.reset()');
	}
	append_to_file($stop, '');
	my @ids = made_by($makers);
	cmp_ok(scalar @ids, '>', 0, 'sessions drew meanwhile');
	is(repeated(\%made, @ids), 0, 'while eight sessions draw: none comes twice');

	fails_with($session, 'SELECT idgen.reset(force => NULL)', '22004', qr/force must not be null/, 'no word');
}

done_testing();
