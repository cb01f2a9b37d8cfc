# The durable horizon: ahead of every ID, seldom written, and in nobody's way; whatever is done to it, no ID is
# made twice.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use DBD::Pg qw(:async);
use IdgenNode;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time sleep);

my $node = start_node(
	'horizon',
	fake_clock => 1,
	extension  => 0,
	init       => { allows_streaming => 1 },
	conf       => [ "idgen.shards = '5'", 'autovacuum = off', 'checkpoint_timeout = 1h' ]);
my %made;
my $session = connect_to($node);

sub horizon_ms
{
	return value_of($session, 'SELECT last_value FROM idgen.horizon');
}

sub ms_of
{
	my ($id) = @_;
	return value_of($session, 'SELECT (extract(epoch FROM id_time(?)) * 1000)::bigint', $id);
}

sub timed
{
	my ($work) = @_;
	my $began = time;
	my @result = $work->();
	return (time - $began, @result);
}

# A new extension does not wait, even if the clock stands still.
freeze_clock($node, int(time) + 2);
$session->begin_work;
$session->do('CREATE EXTENSION idgen');
my ($took, $id) = timed(sub { value_of($session, 'SELECT next_id()') });
cmp_ok($took, '<', 0.5, 'the first ID, in the transaction of CREATE EXTENSION, does not wait');
repeated(\%made, $id);
$session->rollback;
set_clock($node, '+3');
$session->do('CREATE EXTENSION idgen');
is(repeated(\%made, draw($session, 10_000)), 0, 'after the rollback, other IDs');

# Ahead of every ID.
my $behind = 0;
my $end = time + 2.5;
while (time < $end)
{
	my @ids = draw($session, 1000);
	repeated(\%made, @ids);
	$behind++ if ms_of($ids[-1]) >= horizon_ms();
}
is($behind, 0, 'the horizon on the page is ahead of every ID');

# Seldom written.
sub generic_records
{
	my ($from, $to) = @_;
	my ($out) = run_command(
		[ 'pg_waldump', '--rmgr=Generic', '-p', $node->data_dir . '/pg_wal', '-s', $from, '-e', $to ]);
	return scalar(() = $out =~ /rmgr: Generic/g);
}

sub flushed_lsn
{
	$session->do('SELECT txid_current()');
	return value_of($session, 'SELECT pg_current_wal_flush_lsn()');
}

my $from = flushed_lsn();
($took) = timed(
	sub {
		in_sessions(
			$node, 3,
			sub {
				my $until = time + 3;
				draw($_[0], 1000) while time < $until;
			});
	});
my $to = flushed_lsn();
my $records = generic_records($from, $to);
cmp_ok($records, '>=', 1, 'three sessions for 3 s: the horizon was written');
cmp_ok($records, '<=', 2 * $took + 1, 'three sessions for 3 s: at most twice a second');
sleep 1.5;
is(generic_records($to, flushed_lsn()), 0, 'the horizon is not written while idle');
is(value_of($session, 'SELECT next_id() > 0'), 1, 'one ID');
$from = flushed_lsn();
($took) = timed(sub { value_of($session, 'SELECT next_id()') for 1 .. 20 });
cmp_ok(generic_records($from, flushed_lsn()), '<=', 1 + 2 * $took, 'IDs within the window write nothing');

# Nothing is held: not within a transaction either.
$session->begin_work;
sleep 1.1;
my $before_ms = horizon_ms();
repeated(\%made, draw($session, 10));
my $other = connect_to($node);
is( value_of(
		$other, q{SELECT count(*) FROM pg_locks WHERE relation = 'idgen.horizon'::regclass AND mode <> 'AccessShareLock'}),
	0, 'an open transaction that renewed holds no lock on the horizon');
$session->rollback;
cmp_ok(horizon_ms(), '>', $before_ms, 'an open transaction that drew has renewed the horizon');

# Another session writes to its sequence, or gives it another file. IDs go on above, live and after a crash.
$session->do('CREATE ROLE app LOGIN');
$session->do('GRANT USAGE, UPDATE, SELECT ON ALL SEQUENCES IN SCHEMA idgen TO app');

# As long as this sequence is all there is, what nextval leaves there is logged: else a standby would have another horizon.
$session->do('CREATE DATABASE undrawn');
$node->safe_psql('undrawn', 'CREATE EXTENSION idgen');
is($node->safe_psql('undrawn', 'SELECT log_cnt < 0 FROM idgen.horizon'), 't', 'before the first ID: nothing is logged ahead');
$node->safe_psql('undrawn', q{SELECT nextval('idgen.horizon')});
is($node->safe_psql('undrawn', 'SELECT log_cnt = 32 FROM idgen.horizon'), 't',
	'before the first ID: nextval logs what it leaves');

my $offset = 3;
my @writes = (
	[ 'nextval by a superuser', undef, q{SELECT nextval('idgen.horizon')} ],
	[ 'setval by a superuser', undef, q{SELECT setval('idgen.horizon', 946684800000)} ],
	[ 'ALTER SEQUENCE RESTART', undef, 'ALTER SEQUENCE idgen.horizon RESTART' ],
	[ 'ALTER SEQUENCE START', undef, 'ALTER SEQUENCE idgen.horizon START 1000000000000' ],
	[ 'unlogged and logged again', undef, 'ALTER SEQUENCE idgen.horizon SET UNLOGGED; ALTER SEQUENCE idgen.horizon SET LOGGED' ],
	[ 'nextval by a granted role', 'app', q{SELECT nextval('idgen.horizon')} ],
	[ 'setval by a granted role', 'app', q{SELECT setval('idgen.horizon', 1500000000000, false)} ],
	[ 'nextval twice', undef, q{SELECT nextval('idgen.horizon'), nextval('idgen.horizon')} ]);
for (@writes)
{
	my ($what, $user, $sql) = @$_;
	my ($last) = reverse draw($session, 5000);
	repeated(\%made, $last);
	my $writer = connect_to($node, user => $user);
	$writer->do($sql);
	my $end = time + 2;
	my ($repeats, $longest) = (0, 0);
	while (time < $end)
	{
		my ($took, @ids) = timed(sub { draw($session, 2000) });
		$repeats += repeated(\%made, @ids);
		$longest = $took if $took > $longest;
		$repeats++ if $ids[0] <= $last;
		$last = $ids[-1];
	}
	is($repeats, 0, "$what: IDs go on above");
	cmp_ok($longest, '<', 4, "$what: after about a second");

	my @ids = draw($session, 20_000);
	repeated(\%made, @ids);
	$last = $ids[-1];
	my $since = time;
	$writer->do($sql);
	crash($node);
	start_again($node);
	$session = connect_to($node);
	set_clock($node, sprintf '%+.3f', $offset - 0.4 + $since - time);
	($took, @ids) = timed(sub { draw($session, 20_000) });
	is(repeated(\%made, @ids), 0, "$what, then kill -9: none again");
	cmp_ok($ids[0], '>', $last, "$what, then kill -9: above");
	cmp_ok($took, '<', 4, "$what, then kill -9: after about a second");
	set_clock($node, sprintf '+%.1f', $offset += 0.5);
}

# Put far ahead by its owner: refused, until it is set right.
$session->do(q{ALTER SEQUENCE idgen.horizon RESTART WITH 2208988800000});
sleep 1.1;
fails_with($session, 'SELECT next_id()', '55000', qr/the clock is \d+ days(?: \d+ h)? behind/,
	'restarted at the year 2040');
$session->do('SELECT idgen.reset(clock_timestamp(), force => true)');
is(repeated(\%made, draw($session, 1000)), 0, 'restarted at the year 2040: IDs go on after idgen.reset');

# Unlogged: refused when a renewal is needed.
$session->do('ALTER SEQUENCE idgen.horizon SET UNLOGGED');
sleep 1.1;
fails_with($session, 'SELECT next_id()', '55000',
	qr/sequence "idgen.horizon" is unlogged\nDETAIL:.*crash.*\nHINT:.*SET LOGGED/s, 'unlogged');
$session->do('ALTER SEQUENCE idgen.horizon SET LOGGED');
is(repeated(\%made, draw($session, 1000)), 0, 'logged again: IDs go on');

# Locked by an open transaction: IDs go on within the window, then wait.
my $second = int(time) + 12;
freeze_clock($node, $second);
$session->do(q{SET idgen.max_wait = '1500ms'});
is(repeated(\%made, draw($session, 100)), 0, 'a lock to come: 100 IDs');
$other->disconnect;
$other = connect_to($node);
$other->begin_work;
$other->do('ALTER SEQUENCE idgen.horizon OWNER TO app');
is(repeated(\%made, draw($session, 100)), 0, 'a lock on the horizon: IDs go on within the window');
freeze_clock($node, $second + 5);
($took) = timed(
	sub {
		fails_with($session, 'SELECT next_id()', '55000',
			qr/the durable horizon was not renewed within 1\.5\d* s\nDETAIL:.*lock.*\nHINT:/, 'a lock on the horizon, past the window');
	});
cmp_ok($took, '>=', 1.4, 'a lock on the horizon: waited for max_wait');
cmp_ok($took, '<', 10, 'a lock on the horizon: not much longer');
$session->do(q{SET idgen.max_wait = '1h'});
my $pid = value_of($session, 'SELECT pg_backend_pid()');
$session->do('SELECT next_id()', { pg_async => PG_ASYNC });
sleep 0.3;
my $third = connect_to($node);
is(value_of($third, 'SELECT count(*) FROM pg_locks WHERE pid = ? AND relation IS NOT NULL AND granted', $pid),
	0, 'a session that waits for the horizon holds no lock');
ok(value_of($third, 'SELECT pg_cancel_backend(?)', $pid), 'a wait for the horizon is canceled');
ok(!succeeds($session), 'the wait ends');
is($session->state, '57014', 'a canceled wait for the horizon ends with query_canceled');
$session->do('SELECT next_id()', { pg_async => PG_ASYNC });
sleep 0.2;
$other->rollback;
ok(succeeds($session), 'the lock gone, the wait ends with an ID');
is(repeated(\%made, draw($session, 100)), 0, 'the lock gone: IDs go on');
$session->do('RESET idgen.max_wait');
set_clock($node, '+20');

# The name of its schema may change: IDs go on.
$session->do($_) for 'CREATE TABLE photo (id bigint DEFAULT next_id(), title text)', 'ALTER SCHEMA public RENAME TO other';
repeated(\%made, value_of($session, q{INSERT INTO other.photo (title) VALUES ('one') RETURNING id}), @{ value_of($session, 'SELECT other.next_id_array(1000)') });
$session->do($_) for 'ALTER SCHEMA other RENAME TO public', 'DROP TABLE photo';
is(repeated(\%made, draw($session, 1000)), 0, 'its schema renamed: IDs go on');

# idgen.advance: no ID below that instant, durably, not from a block that was taken before either.
$session->begin_work;
$session->do('DECLARE c CURSOR FOR SELECT next_ids(1000)');
my @ids = @{ $session->selectcol_arrayref('FETCH 10 FROM c') };
my ($at, $at_ms) = $third->selectrow_array(
	q{SELECT t, (extract(epoch FROM t) * 1000)::bigint FROM date_trunc('milliseconds', clock_timestamp() + '900 ms') t});
$third->do('SELECT idgen.advance(?)', undef, $at);
my @after = @{ $session->selectcol_arrayref('FETCH ALL FROM c') };
$session->commit;
is(repeated(\%made, @ids, @after), 0, 'idgen.advance within a block: all distinct');
is(scalar(@after), 990, 'idgen.advance within a block: as many as asked for');
cmp_ok(ms_of($after[0]), '>=', $at_ms, 'idgen.advance: the next ID lies at or above the instant');
cmp_ok(ms_of(value_of($third, 'SELECT next_id(77)')), '>=', $at_ms, 'idgen.advance: of another shard too')
  if $third->do(q{SET idgen.shards = ''});
($at, $at_ms) = $third->selectrow_array(
	q{SELECT t, (extract(epoch FROM t) * 1000)::bigint FROM date_trunc('milliseconds', clock_timestamp() + '3 s') t});
$third->do('SELECT idgen.advance(?)', undef, $at);
crash($node);
start_again($node);
$session = connect_to($node);
@ids = draw($session, 100);
cmp_ok(ms_of($ids[0]), '>=', $at_ms, 'idgen.advance, then kill -9: above the instant');
is(repeated(\%made, @ids), 0, 'idgen.advance, then kill -9: none again');
$session->do(q{SELECT idgen.advance('2020-01-01')});
my $next = value_of($session, 'SELECT next_id()');
cmp_ok($next, '>', $ids[-1], 'idgen.advance to the past lowers nothing');
repeated(\%made, $next);

# Far ahead only if that is said in so many words, and told what it costs; the hints are followed.
sub told
{
	my ($sql) = @_;
	my @notices;
	local $SIG{__WARN__} = sub { push @notices, @_ };
	local $session->{PrintWarn} = 1;
	$session->do($sql);
	return "@notices";
}
my $costs = qr/NOTICE:  no ID will be made in this database for/;
is(told(q{SELECT idgen.advance(now() + '1500 ms')}), '', 'near: nobody notices');
like(told(q{SELECT idgen.advance(now() + '1 h')}),
	qr/$costs (?:59 min \d+ s|1 h)\nDETAIL:  The next ones lie at or above 20.*\nHINT:  .*idgen\.reset\(\)/,
	'an hour ahead: told');
like(told(q{SELECT idgen.reset(clock_timestamp() + '10 s')}), qr/$costs \d\.\d{3} s\n/, 'reset: told, too');
is(told('SELECT idgen.reset()'), '', 'reset: nothing to tell');
like(told(q{SELECT idgen.advance(now() + '400 days', far => true)}), qr/$costs (?:400 days|399 days 2\d h)\n/,
	'far, and meant: told');
fails_with($session, 'SELECT next_id()', '55000', qr/lies (?:399 days 2\d h|400 days(?: 1 h)?) ahead of the clock\nDETAIL:  idgen.advance\(\) has moved/,
  'far, and meant: no ID comes');
$session->do(q{SELECT idgen.reset(clock_timestamp() + '3 s')});
$session->do(q{SET idgen.max_wait = '10s'});
ok(!repeated(\%made, draw($session, 10)), 'a mistake: put right by idgen.reset()');
$session->do('RESET idgen.max_wait');

is(repeated(\%made, draw($session, 1000)), 0, 'after all that: none again');

# A year ahead while the server was down: the machine has run on, so that is a jump. Accepted wrongly, and the clock
# back, it does not go on until the horizon is reset.
$node->stop;
set_clock($node, '+31536000');
start_again($node);
$session = connect_to($node);
fails_with($session, 'SELECT next_id()', '55000', qr/jumped forward by 36\d days(?: \d+ h)?\n/,
	'a year ahead at the start');
$session->do('SELECT idgen.accept_clock()');
is(repeated(\%made, draw($session, 100)), 0, 'a year ahead at the start, accepted: IDs');
my $begun = connect_to($node);
$begun->do($_) for 'BEGIN', 'DECLARE begun CURSOR FOR SELECT next_ids(60)', 'FETCH 1 FROM begun';
set_clock($node, '+22');
fails_with($session, 'SELECT next_id()', '55000', qr/the clock is 36\d days(?: \d+ h)? behind/, 'the clock back');
my $late = connect_to($node);
my $right = value_of($session, 'SELECT clock_timestamp()');
$session->do('SELECT idgen.reset(?, force => true)', undef, $right);
@ids = (draw($session, 100), draw($late, 100));
is(repeated(\%made, @ids), 0, 'idgen.reset: none again');
my $block = $begun->selectcol_arrayref('FETCH 50 FROM begun');
is(value_of($session, q{SELECT count(*) FROM unnest(?::bigint[]) AS id WHERE id_time(id) < ?::timestamptz + '1 minute'}, $block, $right), 50, 'idgen.reset: what is left of a block that was drawn before is not handed out');
is(repeated(\%made, @$block), 0, 'idgen.reset: nor another ID again');
$begun->disconnect;
ok(value_of($session, q{SELECT id_time(?) < ?::timestamptz + '1 minute'}, $ids[0], $right),
	'idgen.reset: at the right time');
crash($node);
start_again($node);
$session = connect_to($node);
@ids = draw($session, 1000);
is(repeated(\%made, @ids), 0, 'idgen.reset, then kill -9: none again');
ok(value_of($session, q{SELECT id_time(?) < ?::timestamptz + '1 minute'}, $ids[0], $right),
	'idgen.reset, then kill -9: at the right time');

# What an array has from before a reset could come again in it.
my $drawing = connect_to($node);
$drawing->do('SET idgen.overflow = borrow');
my $count_before = value_of($session, 'SELECT sum(ids) FROM idgen.stat_shard');
$drawing->do('CREATE TEMP TABLE drawn AS SELECT count(DISTINCT id) FROM unnest(next_id_array(3000000)) AS id', { pg_async => PG_ASYNC });
wait_until($session, "SELECT sum(ids) > $count_before + 100000 FROM idgen.stat_shard");
$session->do('SELECT idgen.reset(clock_timestamp(), force => true)');
ok(succeeds($drawing), 'idgen.reset amid an array') || note $drawing->errstr;
is(value_of($drawing, 'TABLE drawn'), 3_000_000, 'idgen.reset amid an array: no ID twice in it');
$drawing->disconnect;

# The extension dropped and created again.
my ($last) = reverse @ids;
$session->do($_) for 'DROP EXTENSION idgen', 'CREATE EXTENSION idgen';
@ids = draw($session, 20_000);
is(repeated(\%made, @ids), 0, 'dropped and created again: none again');
cmp_ok($ids[0], '>', $last, 'dropped and created again: above');
$last = $ids[-1];
$session->do('DROP EXTENSION idgen');
crash($node);
start_again($node);
$session = connect_to($node);
$session->do('CREATE EXTENSION idgen');
@ids = draw($session, 20_000);
is(repeated(\%made, @ids), 0, 'dropped, kill -9, created again: none again');
cmp_ok($ids[0], '>', $last, 'dropped, kill -9, created again: above');

$session->disconnect;
done_testing();
