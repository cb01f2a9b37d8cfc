# The maker of idgen in SQL alone: none twice and rising by shard, whatever sessions, clocks and crashes do.
use strict;
use warnings;
use DBD::Pg qw(:async);
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenNode;
use IdgenSqlOnly;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time sleep);

# The WAL writer sleeps: what survives kill -9 is what a commit flushed. No library: nothing of the extension helps.
my $node = start_node('sql_only', preload => 0, extension => 0, fake_clock => 1,
	conf => [ "wal_writer_delay = '10s'", 'checkpoint_timeout = 1h', 'autovacuum = off', 'restart_after_crash = on' ]);
install_sql_only($node, 'postgres');
my $session = connect_to($node);
my %made;

sub bulk { my ($count, $layout) = @_; return @{ value_of($session, 'SELECT idgen_sql.next_id_array(?, layout => ?)', $count, $layout // 'instagram') } }

# Without shards; then what has no right to be drawn from.
fails_with($session, 'SELECT idgen_sql.next_id()', '55000', qr/owns no shard.*idgen_set_shards\('5', 'instagram'\)/s, 'no shards');
set_shards($session, '5');
fails_with($session, 'SELECT idgen_sql.next_id(6)', '22023', qr/shard 6 does not belong to this node/, "another's shard");
fails_with($session, 'SELECT idgen_sql.next_id(8192)', '22003', qr/out of range/, 'no shard of the layout');
fails_with($session, "SELECT idgen_sql.next_id(5, 'twitter')", '55000', qr/owns no shard of layout "twitter"/, 'another layout');
fails_with($session, "SELECT idgen_sql.next_id(5, 'face')", '22P02', qr/unknown word/, 'no layout');
fails_with($session, "SELECT idgen_sql.$_", '22004', qr/must not be null/, $_)
  for 'next_id(NULL)', 'next_id(5, NULL)', 'next_ids(NULL)', 'next_ids(0, NULL)', 'next_ids(0, 5, NULL)', 'next_id_array(NULL)', 'next_id_array(0, NULL)';
fails_with($session, "SELECT idgen_sql.$_", '22023', qr/negative/, $_) for 'next_ids(-1)', 'next_id_array(-1)';
fails_with($session, 'SELECT idgen_sql.next_id_array(134217725)', '54000', qr/at most 134217724/, 'too many for an array');
fails_with($session, "SELECT idgen_sql.idgen_set_shards('$_')", '22023', qr/neither a shard number nor a range/, "shards '$_'") for '5-', '9-5', '1,,2', '-1', 'five', '2147483648';
fails_with($session, "SELECT idgen_sql.idgen_set_shards('8192')", '22003', qr/out of range/, 'shards beyond the layout');
fails_with($session, "SELECT idgen_sql.idgen_set_shards('0-1024')", '54000', qr/at most 1024/, 'too many shards');
fails_with($session, "SELECT idgen_sql.idgen_set_shards('0', 'epoch=1970-01-01 unit=1ms time=1w shard=1 sequence=31')", '0A000', qr/more ticks than/, 'too many ticks');
is(value_of($session, 'SELECT string_agg(shard::text, $$,$$) FROM idgen_sql.idgen_shard WHERE rank IS NOT NULL'), '5', 'what was refused changed nothing');

# One ID, and its parts; names and defaults.
my $parts = $session->selectrow_arrayref(<<'SQL');
SELECT d.shard, d.sequence, abs(extract(epoch FROM d.created_at - clock_timestamp())) < 10 FROM idgen_sql.id_decode(idgen_sql.next_id(shard => 5, layout => 'instagram')) AS d
SQL
is("@$parts", '5 0 1', 'shard, first sequence and time of an ID');
is(value_of($session, 'SELECT count(*) FROM idgen_sql.next_ids(0)'), 0, 'no rows');
is(value_of($session, 'SELECT cardinality(idgen_sql.next_id_array(0))'), 0, 'an empty array');
set_shards($session, '5', ' epoch=2020-01-01 unit=1ms time=41 region=5   shard=5 sequence=12', 'js53', 'sonyflake', 'trace');
set_shards($session, '0', 'mastodon');
is(value_of($session, "SELECT array_agg(DISTINCT s.layout ORDER BY s.layout)::text FROM idgen_sql.idgen_shard s"),
	'{"epoch=2020-01-01T00:00:00Z unit=1ms time=41 region=5 shard=5 sequence=12",instagram,js53,mastodon,sonyflake,trace}', 'layouts are kept in their canonical form');
is(value_of($session, "SELECT idgen_sql.id_shard(idgen_sql.next_id(layout => 'unit=1ms epoch=2020-01-01 time=41 region=5 shard=5 sequence=12'), 'snowflake')"), 5, 'a layout may be written in any way');
for my $layout (qw(js53 sonyflake trace mastodon))
{
	my @ids = (bulk(300, $layout), map { value_of($session, 'SELECT idgen_sql.next_id(layout => ?)', $layout) } 1 .. 20);
	my %set;
	is(repeated(\%set, @ids), 0, "$layout: none twice");
	is(join(',', @ids), join(',', sort { $a <=> $b } @ids), "$layout: ascending");
	is(value_of($session, 'SELECT count(*) FROM unnest(?::bigint[]) AS id WHERE id <= 0 OR idgen_sql.id_shard(id, ?) <> 5 OR idgen_sql.id_sequence(id, ?) < ?',
			\@ids, $layout, $layout, $layout eq 'trace' ? 1 : 0), 0, "$layout: of the shard, above 0, from the first sequence on");
}
# Layouts of one packing share the sequences of a shard: their bits are the same.
set_shards($session, '5', 'snowflake');
my $other = 'epoch=2020-01-01 unit=1ms time=41 region=5 shard=5 sequence=12';
my @shared = map { ($_ % 2 ? bulk(3, 'snowflake') : bulk(3, $other), value_of($session, 'SELECT idgen_sql.next_id(5, ?)', $_ % 2 ? $other : 'snowflake')) } 1 .. 200;
is(repeated({}, @shared), 0, 'layouts of one packing make none twice');

# A text of a loose collation is taken as it is written.
if (make_loose_collation($session))
{
	$session->do(q{SELECT idgen_sql.idgen_set_shards('7, 8-9' COLLATE loose, 'js53' COLLATE loose)});
	my ($right, $wrong) = map { "'$_' COLLATE loose" } 'js53', 'js-53';
	is(join(',', $session->selectrow_array("SELECT idgen_sql.id_shard(idgen_sql.next_id(7, ' ' || $right), 'js53'), cardinality(idgen_sql.next_id_array(2, 8, $right)), (SELECT count(*) FROM idgen_sql.next_ids(3, 9, $right))")),
		'7,2,3', 'a layout of a loose collation');
	fails_with($session, "SELECT idgen_sql.$_", '22P02', qr/unknown word "js-53"/, "another spelling in it: $_")
	  for "next_id(7, $wrong)", "next_id_array(2, 7, $wrong)", "next_ids(2, 7, $wrong)", "idgen_set_shards('7', $wrong)";
}
is(value_of($session, q{SELECT string_agg(indexrelid::regclass::text, ' ') FROM pg_index WHERE indrelid = 'idgen_sql.idgen_shard'::regclass AND indcollation::text ~ $$\y100\y$$}), undef, 'no index depends on the locale');

# 8 sessions make a million IDs, one at a time, in rows and in arrays, on one shard and on a pool.
set_shards($session, '0-7', 'snowflake');
$session->do('CREATE UNLOGGED TABLE drawn (id bigint, session int, n bigserial, pool boolean)');
for my $pool (0, 1)
{
	my $layout = $pool ? 'snowflake' : 'instagram';
	ok( in_sessions($node, 8, sub {
			my ($own, $number) = @_;
			for my $round (1 .. 25)
			{
				$own->do("INSERT INTO drawn (id, session, pool) SELECT idgen_sql.next_id(layout => '$layout'), $number, $pool = 1 FROM generate_series(1, 500)");
				$own->do("INSERT INTO drawn (id, session, pool) SELECT id, $number, $pool = 1 FROM idgen_sql.next_ids(500, layout => '$layout') AS id");
				$own->do("INSERT INTO drawn (id, session, pool) SELECT id, $number, $pool = 1 FROM unnest(idgen_sql.next_id_array(1500, layout => '$layout')) AS id");
			}
	}), "8 sessions, $layout");
}
is(join('|', $session->selectrow_array(<<'SQL')), '1000000|1000000|1', 'a million IDs on one shard and on a pool of 8: none twice, from several shards');
SELECT count(*), count(DISTINCT (id, pool)), (count(DISTINCT idgen_sql.id_shard(id, 'snowflake')) FILTER (WHERE pool) > 1)::int FROM drawn
SQL
is(value_of($session, <<'SQL'), 0, 'in each shard the IDs of a session rise');
SELECT count(*) FROM (SELECT id, lag(id) OVER (PARTITION BY pool, session, CASE WHEN pool THEN idgen_sql.id_shard(id, 'snowflake') ELSE 5 END ORDER BY n) AS before FROM drawn) AS d WHERE id <= before
SQL
is(value_of($session, q{SELECT count(*) FROM drawn WHERE NOT pool AND idgen_sql.id_time(id) > clock_timestamp() + interval '1 ms'}), 0,
  'no ID of one shard lies ahead of the clock');
# Its ticks last a second, in which a slow machine gets to more than one shard, too.
set_shards($session, '0-7', 'js53');
is(value_of($session, <<'SQL'), 1, 'one session can use the whole pool, and goes upward');
SELECT count(DISTINCT idgen_sql.id_shard(id, 'js53')) > 1 AND bool_and(id > before OR before IS NULL)
  FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before FROM unnest(idgen_sql.next_id_array(70000, layout => 'js53')) WITH ORDINALITY AS a (id, n)) AS ids
SQL
# Order across shards where the sequence lies above the shard
set_shards($session, '0-3', 'sonyflake');
my @above = bulk(2000, 'sonyflake');
is(join(',', @above), join(',', sort { $a <=> $b } @above), 'a pool of sonyflake ascends, too');
$session->do('DROP TABLE drawn');

# What a rollback or a cancelled statement drew is not given again, and nobody waits for it.
repeated(\%made, bulk(2000));
$session->begin_work;
is(repeated(\%made, bulk(2000)), 0, 'in a transaction');
my $second = connect_to($node);
is(repeated(\%made, @{ value_of($second, 'SELECT idgen_sql.next_id_array(2000)') }), 0, 'another session beside an open transaction: it waits for nothing');
$session->rollback;
is(repeated(\%made, bulk(2000)), 0, 'after a rollback');
for (1 .. 30)
{
	eval { $second->do("SET LOCAL statement_timeout = '" . (1 + $_) . "ms'; SELECT idgen_sql.next_id_array(100000)") };
	is(repeated(\%made, bulk(100)), 0, 'after a cancelled statement') if $_ == 30 || repeated(\%made, bulk(100));
}
# A cycle that broke off leaves an odd number: the next one ends it.
for my $first (sub { bulk(10) }, sub { value_of($session, 'SELECT idgen_sql.next_id()') })
{
	$session->do("SELECT setval(cycles, pg_sequence_last_value(cycles) | 1) FROM idgen_sql.idgen_shard WHERE layout = 'instagram'");
	is(repeated(\%made, $first->(), map { value_of($session, 'SELECT idgen_sql.next_id()') } 1 .. 10), 0, 'after a cycle that broke off');
}
# While one is under way, nextval gives no ID in the tick that is open, either.
set_shards($session, '6', 'js53');
my ($numbers, $cycles, $lock) = $session->selectrow_array(q{SELECT numbers, cycles, lock FROM idgen_sql.idgen_shard WHERE (layout, shard) = ('js53', 6)});
my $drawing = connect_to($node);
value_of($session, q{SELECT idgen_sql.next_id(6, 'js53')});
$session->begin_work;
$session->do("LOCK TABLE $lock IN EXCLUSIVE MODE");
$session->do("SELECT setval('$cycles', pg_sequence_last_value('$cycles') | 1)");
my $waiting = $drawing->prepare(q{SELECT idgen_sql.next_id(6, 'js53')}, { pg_async => PG_ASYNC });
$waiting->execute;
wait_until($second, "SELECT EXISTS (SELECT FROM pg_locks WHERE relation = '$lock'::regclass AND NOT granted) OR state = 'idle' FROM pg_stat_activity WHERE pid = $drawing->{pg_pid}");
ok(!$drawing->pg_ready, 'who draws while a cycle is under way waits');
my $last_of_cycle = value_of($session, "SELECT idgen_sql.idgen_id(idgen_sql.idgen_slot(6, 'js53'), setval('$numbers', pg_sequence_last_value('$numbers') + 100))");
$session->do("SELECT setval('$cycles', pg_sequence_last_value('$cycles') + 1)");
$session->commit;
$drawing->pg_result;
cmp_ok(($waiting->fetchrow_array)[0], '>', $last_of_cycle, 'a session that waited draws above the IDs of the transaction before it');
$drawing->disconnect;
# A subtransaction's lock ends with the call: an open transaction holds none.
$session->begin_work;
bulk(10);
is(value_of($second, q{SELECT count(*) FROM pg_locks WHERE mode = 'ExclusiveLock' AND locktype = 'relation'}), 0, 'no lock outlives the call');
$session->rollback;
# Nor does one that ANALYZE keeps stand in the way, of what opens a tick and of blocks.
$second->begin_work;
$second->do($_) for 'ANALYZE', "ANALYZE $lock";
$session->do(q{SET statement_timeout = '10 s'});
ok(eval { value_of($session, 'SELECT idgen_sql.next_id()') for 1 .. 20; bulk(100) } || 0, 'IDs are made beside an open transaction with ANALYZE') or diag $session->errstr;
$session->do('RESET statement_timeout');
$second->rollback;
$second->disconnect;

# nextval in a cycle's way: a session that draws while another is in the cycle throws that number away.
$session->do('CREATE TABLE race (id bigint)');
ok( in_sessions($node, 8, sub {
		my ($own, $number) = @_;
		$own->do($number % 2 ? "INSERT INTO race SELECT unnest(idgen_sql.next_id_array(2)) FROM generate_series(1, 4000)" : 'INSERT INTO race SELECT idgen_sql.next_id() FROM generate_series(1, 20000)');
}), 'blocks of two beside single ones');
is(value_of($session, 'SELECT count(*) - count(DISTINCT id) FROM race'), 0, 'blocks of two beside single IDs: none twice');
# What is seldom seen by chance: next_id looks at the cycles before nextval and after it.
like(value_of($session, q{SELECT prosrc FROM pg_proc WHERE proname = 'next_id'}), qr/last_value\(slot\.cycles\).*nextval\(slot\.numbers\).*int8eq\(pg_catalog\.pg_sequence_last_value\(slot\.cycles\), cycle\)/s, 'cycles are read before and after');

# Clocks. The IDs of a clock that stepped back a little are held; further than max_lead they wait; further than max_wait
# they are refused.
$session->do(q{UPDATE idgen_sql.idgen_setting SET max_lead = '2 s', max_wait = '3 s'});
my $last = 0;
sub goes_on
{
	my ($what) = @_;
	my @ids = ((map { value_of($session, 'SELECT idgen_sql.next_id()') } 1 .. 20), bulk(500));
	my $up = $ids[0] > $last && join(',', @ids) eq join(',', sort { $a <=> $b } @ids);
	$last = $ids[-1];
	is(repeated(\%made, @ids), 0, "$what: none twice");
	return ok($up, "$what: rising");
}
goes_on('a right clock');
for my $step ('-1', '-0.5', '+0', '-1.5', '+3', '+2.2', '+4')
{
	set_clock($node, $step);
	goes_on("the clock at $step s");
	cmp_ok(value_of($session, 'SELECT extract(epoch FROM idgen_sql.id_time(?) - clock_timestamp())', $last), '<=', 2, 'at most max_lead ahead');
}
set_clock($node, '+0');
my $began = time;
my $lead = value_of($session, 'SELECT extract(epoch FROM idgen_sql.id_time(?) - clock_timestamp())', $last);
goes_on('4 s back: a wait');
cmp_ok(time - $began, '>=', $lead - 2.05, '4 s back: next_id() waited');
# However full the last tick is: the frozen clock begins one, of which one ID is taken.
freeze_clock($node, int(time) + 3);
bulk(1);
set_clock($node, '-60');
for my $state ([ 'numbers', 'IDs left' ], [ 'numbers | 1023', 'a full tick' ], [ 'numbers + 1', 'a nextval beyond it' ])
{
	my ($number, $what) = ($state->[0] =~ s/numbers/pg_sequence_last_value(numbers)/r, $state->[1]);
	$session->do("SELECT setval(numbers, $number) FROM idgen_sql.idgen_shard WHERE layout = 'instagram'");
	fails_with($session, "SELECT idgen_sql.$_", '55000', qr/the clock is $duration behind the next ID of shard 5.*HINT:  Correct the clock; or, if it is right now, wait until it has passed that time\./s, "a minute back, $what: $_")
	  for 'next_id()', 'next_id_array(5)', 'next_ids(5)';
}
my $before = value_of($session, q{SELECT pg_sequence_last_value(numbers) FROM idgen_sql.idgen_shard WHERE layout = 'instagram'});
eval { value_of($session, 'SELECT idgen_sql.next_id()') } for 1 .. 10;
is(value_of($session, q{SELECT pg_sequence_last_value(numbers) FROM idgen_sql.idgen_shard WHERE layout = 'instagram'}), $before,
  'refused calls use no number up');
# A pool of so many shards that one follows the shard from which this session draws first.
my ($size) = grep { $session->{pg_pid} % $_ < $_ - 1 } 2 .. 100;
my $own = 1 + $session->{pg_pid} % $size;
my $frozen = int(time) + 6;
my $blames = sub { my ($shard) = @_; return qr/the clock is $duration behind the next ID of shard $shard\b/ };
set_shards($session, "1-$size", 'js53');
$session->do(q{UPDATE idgen_sql.idgen_setting SET max_wait = '0'});
freeze_clock($node, $frozen);
bulk(1, 'js53');
freeze_clock($node, $frozen - 1);
fails_with($session, q{SELECT idgen_sql.next_id_array(9000, layout => 'js53')}, '55000', $blames->($own + 1), 'an array goes on in a shard that was not at its tick');
freeze_clock($node, $frozen + 9);
value_of($session, q{SELECT idgen_sql.next_id(?, 'js53')}, $_) for grep { $_ != $own } 1 .. $size;
set_clock($node, '-60');
fails_with($session, q{SELECT idgen_sql.next_id(layout => 'js53')}, '55000', $blames->($own), 'a minute back, a pool: the shard that is the first to have an ID');
$session->do(q{UPDATE idgen_sql.idgen_setting SET max_wait = '3 s'});
set_clock($node, '+4');
goes_on('set right');
set_shards($session, '5', 'epoch=2010-01-01 unit=1ms time=38 shard=5 sequence=5', 'epoch=2500-01-01 unit=1ms time=38 shard=5 sequence=5');
fails_with($session, "SELECT idgen_sql.next_id(layout => 'epoch=2010-01-01 unit=1ms time=38 shard=5 sequence=5')", '22003', qr/past the end/, 'past the end');
fails_with($session, "SELECT idgen_sql.next_id_array(2, layout => 'epoch=2500-01-01 unit=1ms time=38 shard=5 sequence=5')", '22003', qr/before the epoch/, 'before the epoch');

# A full tick: 4 IDs in 200 ms, never ahead of the clock; a wait beyond max_wait is refused. In its canonical form,
# which nextval serves.
my $tiny = 'epoch=2020-01-01T00:00:00Z unit=200ms time=40 shard=10 sequence=2';
set_shards($session, '5', $tiny);
$began = time;
my @drawn = @{ $session->selectall_arrayref(<<"SQL") };
SELECT id, (idgen_sql.id_time(id, '$tiny') > clock_timestamp())::int FROM (SELECT idgen_sql.next_id(layout => '$tiny') AS id FROM generate_series(1, 17) OFFSET 0) AS ids
SQL
my @few = ((map { $_->[0] } @drawn), bulk(9, $tiny));
is(repeated({}, @few), 0, 'a full tick: none twice');
cmp_ok(time - $began, '>', 0.9, 'a full tick: next_id() waited for the next');
is((grep { $_->[1] } @drawn), 0, 'a full tick: no ID lay ahead of the clock when it was made');
is(value_of($session, 'SELECT idgen_sql.id_time(?, ?) > clock_timestamp()', $few[-1], $tiny), 0,
  'a full tick: no ID of an array lies ahead of the clock');
# After a wait, too, a full tick is not the clock's fault: here nextval runs 40 minutes ahead, and while that is waited
# for, 40 more.
my $busy = $tiny =~ s/2020/2021/r;
my $run_ahead = "PERFORM setval(numbers, pg_sequence_last_value(numbers) + 50000) FROM idgen_sql.idgen_shard WHERE layout = '$busy';";
set_shards($session, '5', $busy);
value_of($session, 'SELECT idgen_sql.next_id(layout => ?)', $busy);
$session->do(q{UPDATE idgen_sql.idgen_setting SET max_wait = '1 hour'});
$session->do("DO \$\$BEGIN $run_ahead END\$\$");
my $beside = connect_to($node);
$beside->do(<<"SQL", { pg_async => PG_ASYNC });
DO \$\$BEGIN
    WHILE NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $session->{pg_pid} AND wait_event = 'PgSleep') LOOP
        PERFORM pg_sleep(0.01), pg_stat_clear_snapshot();
    END LOOP;
    $run_ahead
END\$\$
SQL
fails_with($session, "SELECT idgen_sql.next_id(layout => '$busy')", '2200H', qr/no ID is left in this tick for shard 5/, 'a full tick after a wait');
$beside->pg_result;
$beside->disconnect;
$session->do(q{UPDATE idgen_sql.idgen_setting SET max_wait = '0'});
freeze_clock($node, int(time) + 6);
my @allowed = map { value_of($session, "SELECT idgen_sql.next_id(layout => '$tiny')") } 1 .. 4;
is(repeated({}, @few, @allowed), 0, 'no wait allowed: the IDs of the tick');
# Each refusal may use a number up: so the last ones lie some ticks ahead of a clock that is right.
fails_with($session, "SELECT idgen_sql.next_id(layout => '$tiny')", '2200H', qr/no ID is left in this tick for shard 5/, "no wait allowed: refusal $_") for 1 .. 10;
freeze_clock($node, int(time) + 12);
fails_with($session, "SELECT idgen_sql.next_id_array(5, layout => '$tiny')", '2200H', qr/no ID is left in this tick for shard 5/, 'no wait allowed: an array that fills the tick');
set_clock($node, '+4');
$session->do(q{UPDATE idgen_sql.idgen_setting SET max_lead = DEFAULT, max_wait = DEFAULT});
fails_with($session, q{UPDATE idgen_sql.idgen_setting SET max_lead = '2 min'}, '23514', qr/max_lead/, 'a lead that is too long');

# Shards come and go: their sequences stay, so that one that comes back goes on above.
set_shards($session, '6');
fails_with($session, 'SELECT idgen_sql.next_id(5)', '22023', qr/does not belong/, 'a shard that was given up');
value_of($session, 'SELECT idgen_sql.next_id()');
set_shards($session, '5');
goes_on('a shard that came back');

# Shards are set by what is there now, not by an old snapshot, which would give a shard a second pair of sequences.
my $setting = connect_to($node);
for my $level ('REPEATABLE READ', 'SERIALIZABLE')
{
	$setting->do("BEGIN ISOLATION LEVEL $level");
	value_of($setting, 'SELECT 1');
	my $wanted = $level eq 'SERIALIZABLE' ? '5,40-41' : '5,40';
	set_shards($session, $wanted);
	fails_with($setting, "SELECT idgen_sql.idgen_set_shards('$wanted')", '25001', qr/shards cannot be set under isolation level \L$level\E.*DETAIL.*READ COMMITTED/s, "$level: idgen_set_shards");
	$setting->do('ROLLBACK');
	$setting->do("BEGIN ISOLATION LEVEL $level");
	fails_with($setting, $_, '25001', qr/shards cannot be set/, "$level: $_") for 'DELETE FROM idgen_sql.idgen_shard WHERE shard = 5';
	$setting->do('ROLLBACK');
}
is(value_of($session, q{SELECT count(*) FROM (SELECT FROM idgen_sql.idgen_shard s GROUP BY (s.form).packing, s.shard HAVING count(DISTINCT s.numbers) > 1) AS twice}), 0, 'no shard has two sequences');
# So too if two sessions write the table itself: the second waits.
$session->begin_work;
$session->do('DELETE FROM idgen_sql.idgen_shard WHERE shard = 40');
my $pending = $setting->prepare('DELETE FROM idgen_sql.idgen_shard WHERE shard = 41', { pg_async => PG_ASYNC });
$pending->execute;
my $watching = connect_to($node);
wait_until($watching, "SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = $setting->{pg_pid}");
$session->commit;
ok(eval { $setting->pg_result }, 'a change of the table waits for another');
fails_with($watching, "SELECT idgen_sql.next_id($_)", '22023', qr/does not belong/, "a row that was deleted: $_") for 40, 41;

# Who still has a plan or a snapshot of before draws nothing from a shard that is left out; who has drawn is waited for.
set_shards($session, '50,5');
my %stale;
$stale{'a cursor'} = [ 'SELECT idgen_sql.next_id(50)', 'BEGIN', 'DECLARE stale CURSOR FOR SELECT CASE n WHEN 2 THEN idgen_sql.next_id(50) END FROM generate_series(1, 2) AS n', 'FETCH stale', 'FETCH stale' ];
$stale{'a snapshot'} = [ 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT 1', $_ ] for 'SELECT idgen_sql.next_id_array(5, 50)';
$stale{'a snapshot, rows'} = [ 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT 1', $_ ] for 'SELECT idgen_sql.next_ids(5, 50)';
for my $what (sort keys %stale)
{
	my $old = connect_to($node);
	my @commands = @{ $stale{$what} };
	my $last_command = pop @commands;
	$old->do($_) for @commands;
	value_of($session, 'SELECT idgen_sql.next_id(50)');
	set_shards($session, '5');
	ok(!eval { $old->selectall_arrayref($last_command); 1 } && $old->errstr =~ /sequence "idgen_numbers_/, "a shard that is left out: nothing is drawn by $what") or diag $old->errstr;
	$old->disconnect;
	set_shards($session, '50,5');
	ok(repeated(\%made, bulk(10), map { value_of($session, 'SELECT idgen_sql.next_id(50)') } 1 .. 3) == 0, "a shard that came back after $what");
}
$setting->begin_work;
my $last_drawn = value_of($setting, 'SELECT idgen_sql.next_id(50)');
my $leaving = $session->prepare(q{SELECT idgen_sql.idgen_set_shards('5')}, { pg_async => PG_ASYNC });
$leaving->execute;
wait_until($watching, "SELECT wait_event_type = 'Lock' OR state = 'idle' FROM pg_stat_activity WHERE pid = $session->{pg_pid}");
ok(!$session->pg_ready, 'who leaves a shard out waits for what has drawn from it');
$last_drawn = value_of($setting, 'SELECT max(id) FROM idgen_sql.next_ids(5000, 50) AS id');
$setting->commit;
$session->pg_result;
fails_with($setting, 'SELECT idgen_sql.next_id(50)', '22023', qr/does not belong/, 'a shard that is left out');
set_shards($session, '50,5');
cmp_ok(value_of($session, 'SELECT idgen_sql.next_id(50)'), '>', $last_drawn, 'a shard that came back goes on above what was waited for');
# A layout of the same packing still draws.
set_shards($session, '50', $_) for 'snowflake', $other;
set_shards($session, '5', 'snowflake');
is(value_of($session, "SELECT idgen_sql.id_shard(idgen_sql.next_id(50, '$other'), 'snowflake')"), 50, 'a shard that another layout of the packing keeps');
set_shards($session, '5', $other);
is(value_of($session, q{SELECT idgen_sql.next_id(5, 'snowflake') < idgen_sql.next_id(5, '} . $other . q{')}), 1, 'the shard that both have then');
set_shards($session, '5');
$_->disconnect for $setting, $watching;

# Transactions that may not write make none; neither does a standby.
$session->do('BEGIN READ ONLY');
fails_with($session, 'SELECT idgen_sql.next_id_array(5)', '25006', qr/read-only/, 'a read-only transaction');
$session->do('ROLLBACK');

# kill -9, with rows that are committed: their clients know them, and none is made again, though the clock stands still.
$session->do('CREATE TABLE kept (id bigint PRIMARY KEY)');
for my $round (1 .. 4)
{
	freeze_clock($node, int(time) + 2 + 5 * $round) if $round > 1;
	$session->do('INSERT INTO kept SELECT idgen_sql.next_id() FROM generate_series(1, 300)');
	$session->do('INSERT INTO kept SELECT unnest(idgen_sql.next_id_array(100))');
	$session->begin_work;
	bulk(40);
	crash($node);
	start_again($node);
	$session = connect_to($node);
	is(value_of($session, 'SELECT count(*) FROM kept'), 400 * $round, "kill -9, round $round: what was committed is there");
	is(value_of($session, 'SELECT count(*) FROM kept WHERE id = ANY (?::bigint[])', [ (map { value_of($session, 'SELECT idgen_sql.next_id()') } 1 .. 20), bulk(200) ]), 0,
	  "kill -9, round $round: no committed ID is made again");
}
set_clock($node, '+60');
my $makers = begin_inserts();
sleep 2;
crash($node);
my @lists = lines_of($makers);
start_again($node);
$session = connect_to($node);
my %known;
is(repeated(\%known, map { @$_ } @lists), 0, 'kill -9 while 4 sessions commit: ' . scalar(map { @$_ } @lists) . ' rows, none twice');
is(value_of($session, 'SELECT count(*) FROM unnest(?::bigint[]) AS id WHERE id NOT IN (SELECT id FROM kept)', [ keys %known ]), 0,
  'kill -9 while 4 sessions commit: all rows are there');
is(repeated(\%known, bulk(2000), map { value_of($session, 'SELECT idgen_sql.next_id()') } 1 .. 200), 0,
  'kill -9 while 4 sessions commit: none of those IDs is made again');

# Sessions that commit rows and write down what was committed.
sub begin_inserts
{
	my %file_of;
	for my $number (1 .. 4)
	{
		my $file = $node->basedir . "/committed.$number";
		my $pid = fork // die "fork: $!";
		if ($pid == 0)
		{
			open my $made, '>', $file or POSIX::_exit(1);
			my $own = connect_to($node);
			eval { while (1) { syswrite $made, join("\n", map { $_->[0] } @{ $own->selectall_arrayref('INSERT INTO kept SELECT idgen_sql.next_id() FROM generate_series(1, 5) RETURNING id') }) . "\n" } };
			POSIX::_exit(0);
		}
		$file_of{$pid} = $file;
	}
	return \%file_of;
}

done_testing();
