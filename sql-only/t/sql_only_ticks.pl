# Ticks of any whole number of us from 1us to 1s, in idgen in SQL alone: how a unit is written, what the readers make of
# it, where time ends, and makers whose ticks are shorter than one call. What is wanted is computed here, not by the
# extension.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenNode;
use IdgenSqlOnly;
use PostgreSQL::Test::Utils;
use List::Util qw(min);
use Test::More;
use Time::HiRes qw(time);

my $node = start_node('sql_only_ticks', preload => 0, extension => 0);
install_sql_only($node, 'postgres');
my $session = connect_to($node);
$session->do(q{SET TimeZone = 'UTC'});

my $tid = 'epoch=1970-01-01T00:00:00Z unit=1us time=53 shard=10';
my $tenth = 'epoch=2020-01-01T00:00:00Z unit=100us time=44 shard=10 sequence=6';
my $hundredth = 'epoch=2020-01-01T00:00:00Z unit=10us time=47 shard=10 sequence=3';

sub layout_of { my ($unit, $rest) = @_; return "epoch=2020-01-01 unit=$unit " . ($rest // 'time=30 shard=10') }
sub sql { my ($call, @values) = @_; return value_of($session, "SELECT idgen_sql.$call", @values) }

# How a unit is written: equal ones are one layout.
for my $case (
	[qw(1us 1us)], [qw(0001us 1us)], [qw(100us 100us)], [qw(999us 999us)], [qw(1000us 1ms)], [qw(1ms 1ms)], [qw(1500us 1500us)], [qw(10000us 10ms)],
	[qw(65535us 65535us)], [qw(65536us 65536us)], [qw(999999us 999999us)], [qw(1000000us 1s)], [qw(1000ms 1s)], [qw(1s 1s)], [qw(999ms 999ms)])
{
	my ($written, $canonical) = @$case;
	is(sql('idgen_layout_text(?)', layout_of($written)), "epoch=2020-01-01T00:00:00Z unit=$canonical time=30 shard=10", "unit=$written");
}
is(sql('idgen_layout_text(?)', 'epoch=2020-01-01 unit=1000us time=41 shard=10 sequence=12'), 'snowflake', 'a preset by its us');
fails_with($session, "SELECT idgen_sql.idgen_layout_text('" . layout_of($_) . "')", '22P02',
	qr/invalid id_layout: "unit=\Q$_\E" is not a whole number of us from 1us to 1s\n.*HINT:  Write unit=100us, unit=1ms or unit=1s\.$/ms, "unit=$_")
  for qw(0us 0ms 0s 1000001us 1001ms 2s 4294967297us 4294967296us 65537ms 1048577ms 18446744073709551617us 1.5ms 1ns 1 us -1us 1US 1us1);

# What is stored for layouts of whole ms is on disk, and stays as it was.
is(value_of($session, q{SELECT idgen_sql.idgen_form('instagram')::text}),
	'(instagram,"epoch=2011-08-24T21:07:01.721Z unit=1ms time=41 shard=13 sequence=10","epoch=1314220021721 unit=1 node=13 sequence=10 below",'
	  . '1314220021721,1,1099511627776,f,23,13,13,0,10,8191,t,10,0,0,1023,9223372036854775807)', 'the form of a preset');
is(value_of($session, 'SELECT (idgen_sql.idgen_form(?)).packing', layout_of($_->[0])), "epoch=1577836800000 unit=$_->[1] node=10 sequence=0 below", "packing of unit=$_->[0]")
  for [qw(1ms 1)], [qw(10ms 10)], [qw(1s 1000)], [qw(1000us 1)], [qw(100us 0.1)], [qw(1us 0.001)], [qw(1500us 1.5)];
is(value_of($session, q{SELECT string_agg(DISTINCT idgen_sql.idgen_cycle_shift(us)::text, ' ') FROM generate_series(1000, 1000000) AS us}), 17, 'the shift of cycles');
# From year 1 to 2230 there are 70340486400000000 us.
is(value_of($session, <<'SQL'), 0, 'all ticks until 2230 fit above the count of cycles, and 32 cycles in each us below them');
SELECT count(*) FROM generate_series(1, 1000000) AS us, LATERAL (SELECT idgen_sql.idgen_cycle_shift(us)) AS s (shift)
 WHERE 70340486400000000 / us >= 1::bigint << (63 - shift) OR us < 1000 AND (1::bigint << (shift - 1)) / us < 32
SQL

# What a layout can do.
is(join('|', $session->selectrow_array('SELECT first_time, last_time, tick, shards, ids_per_tick, ids_per_second FROM idgen_sql.id_layout_info(?)', undef, $_->[0])), $_->[1], "id_layout_info: $_->[0]")
  for [ $tid, '1970-01-01 00:00:00+00|2255-06-05 23:47:34.740991+00|00:00:00.000001|1024|1|1000000' ],
  [ layout_of('1500us', 'time=10 sequence=4'), '2020-01-01 00:00:00+00|2020-01-01 00:00:01.5345+00|00:00:00.0015|1|16|10666' ],
  [ layout_of('3us', 'time=20 sequence=4+1'), '2020-01-01 00:00:00+00|2020-01-01 00:00:03.145725+00|00:00:00.000003|1|15|5000000' ];

# Readers, beside plain arithmetic: the tick of an instant is the us since the epoch, divided.
for my $layout ($tid, $tenth, $hundredth, layout_of('1500us', 'time=40 sequence=8 shard=12'), layout_of('333333us', 'time=33 shard=12 sequence=8'), 'epoch=0001-01-01 unit=7us time=56 shard=7')
{
	my ($form) = sql('idgen_layout_text(?)', $layout);
	my ($epoch, $unit, $in) = $form =~ /^epoch=(\S+)Z unit=(\d+)(us|ms|s) / or die $form;
	$unit *= { us => 1, ms => 1000, s => 1000000 }->{$in};
	my ($shift) = value_of($session, 'SELECT (idgen_sql.idgen_form(?)).time_shift', $layout);
	my $wrong = value_of($session, <<'SQL', $layout, $epoch, $unit, $shift);
WITH l AS (SELECT $1::text AS layout, $2::timestamp AT TIME ZONE 'UTC' AS epoch, $3::bigint AS unit, $4::int AS shift),
     sample AS (SELECT l.*, at, div((extract(epoch FROM at) - extract(epoch FROM epoch)) * 1000000, unit)::bigint AS tick
                  FROM l, generate_series(0, 2000) AS n, LATERAL (SELECT '2026-11-27 12:00:00.999999Z'::timestamptz + n * (n % 7) * '37 us'::interval) AS a (at)),
     start AS (SELECT sample.*, '1970-01-01 00:00:00Z'::timestamptz + unix_us / 86400000000 * '1 day'::interval + unix_us % 86400000000 * '1 us'::interval AS begins
                 FROM sample, LATERAL (SELECT (extract(epoch FROM epoch) * 1000000 + tick * unit)::bigint) AS u (unix_us))
SELECT concat_ws(' ', count(*) FILTER (WHERE idgen_sql.id_min(at, layout) <> tick << shift), count(*) FILTER (WHERE idgen_sql.id_max(at, layout) <> ((tick + 1) << shift) - 1),
       count(*) FILTER (WHERE idgen_sql.id_time(tick << shift, layout) IS DISTINCT FROM begins),
       count(*) FILTER (WHERE (idgen_sql.id_decode((tick << shift) + 1, layout)).created_at IS DISTINCT FROM begins),
       count(*) FILTER (WHERE idgen_sql.id_time_near(tick << shift, at, layout) IS DISTINCT FROM begins),
       count(*) FILTER (WHERE idgen_sql.id_make(at, 5, 6 & (idgen_sql.idgen_form(layout)).sequence_last::int, layout) >> shift <> tick),
       count(*) FILTER (WHERE NOT idgen_sql.id_within(tick << shift, tstzrange(begins, begins, '[]'), layout) OR idgen_sql.id_within(tick << shift, tstzrange(begins - '1 us'::interval, begins), layout)
                          OR idgen_sql.id_within(tick << shift, tstzrange(begins, begins + '1 us'::interval, '()'), layout)),
       count(*) FILTER (WHERE idgen_sql.id_within_last(tstzrange(begins, begins + unit * '1 us'::interval), layout) <> ((tick + 1) << shift) - 1),
       count(*) FILTER (WHERE left(replace(idgen_sql.id_to_uuid(tick << shift, layout)::text, '-', ''), 12) <> lpad(to_hex(floor(extract(epoch FROM begins) * 1000)::bigint), 12, '0')),
       count(*) FILTER (WHERE idgen_sql.id_from_uuid(idgen_sql.id_to_uuid((tick << shift) + 3, layout), layout) <> (tick << shift) + 3))
  FROM start
SQL
	is($wrong, '0 0 0 0 0 0 0 0 0 0', "readers: $form");
}
# A turn of 2^20 us, which ends at .048576 of a second: the nearest one is told from its neighbor by one us.
my $turn = layout_of('1us', 'time=20w shard=10 sequence=8');
is(value_of($session, q{SELECT idgen_sql.id_time_near(0, '2020-01-01 00:00:00Z'::timestamptz + ? * '1 us'::interval, ?)}, $_->[0], $turn), "2020-01-01 00:00:0$_->[1]+00", "$_->[0] us: the nearest turn")
  for [ 524288, '0' ], [ 524289, '1.048576' ], [ 1572864, '1.048576' ], [ 1572865, '2.097152' ];
is(sql(q{id_make('2020-01-01 00:00:01.048579Z', 5, 6, ?) >> 18}, $turn), 3, 'a tick of the second turn');
# In a UUID the ms is that in which the tick starts; a UUID of another ms is refused, and says the exact time.
my $uuid = sql('id_to_uuid(?::bigint << 10, ?)', 1795780800001999, $tid);
is(substr($uuid =~ tr/-//dr, 0, 12), sprintf('%012x', 1795780800001), 'the ms in which a tick starts');
(my $other = $uuid) =~ s/^(.{12})(.)/sprintf '%s%x', $1, hex($2) ^ 1/e;
fails_with($session, "SELECT idgen_sql.id_from_uuid('$other', '$tid')", '22023', qr/whose time in that layout is 2026-11-27 12:00:00\.001999\+00, beside the time/, 'a UUID of another ms');

# Where time ends: with the calendar, at 2^63 us in one turn, at 62 bits.
for my $fits ('epoch=1970-01-01 unit=1us time=62 shard=1', 'epoch=1970-01-01 unit=1us time=63 shard=1', 'epoch=9999-12-31 unit=1us time=62', 'epoch=1970-01-01 unit=63us time=57',
	'epoch=0001-01-01 unit=63us time=57', 'epoch=1970-01-01 unit=1ms time=53 shard=10', 'epoch=1970-01-01 unit=1us time=62w')
{
	ok(sql('idgen_layout_text(?)', $fits), "fits: $fits");
	is(value_of($session, 'SELECT idgen_sql.id_time(f.largest, $1) = i.last_time FROM idgen_sql.idgen_form($1) AS f, idgen_sql.id_layout_info($1) AS i', $fits), 1, "its last ID has its last time: $fits");
}
fails_with($session, "SELECT idgen_sql.idgen_layout_text('$_')", '22P02', qr/time would reach past the year 294276/, "does not fit: $_")
  for 'epoch=1970-01-01 unit=1us time=63', 'epoch=1970-01-01 unit=1us time=64', 'epoch=0001-01-01 unit=64us time=57', 'epoch=9999-12-31 unit=63us time=57',
  'epoch=0001-01-01 unit=1ms time=54', 'epoch=1970-01-01 unit=1025us time=53', 'epoch=1970-01-01 unit=1us time=63w';
# 294277-01-01 is 9224318016000000000 us of unix time.
my ($late, $wrapping) = ('294276-12-31 23:59:59.999999Z', 'unit=1us time=40w');
is(sql('id_make(?, 0, 0, ?)', $late, "epoch=2020-01-01 $wrapping"), value_of($session, 'SELECT (9224318015999999999 - 1577836800000000) % (1::bigint << 40)'), 'the last us of the calendar');
fails_with($session, "SELECT idgen_sql.id_make('$late', 0, 0, 'epoch=1970-01-01 $wrapping')", '22003', qr/past the end.*until before 294247-01-10 04:00:54\.775807\+00/s, 'more ticks than a bigint holds');
fails_with($session, qq{SELECT idgen_sql.id_make('2255-06-05 23:47:34.740992Z', 0, 0, '$tid')}, '22003', qr/past the end.*until before 2255-06-05 23:47:34\.740992\+00/s, 'the first us that a layout does not hold');
is(sql('id_make(?, 1023, 0, ?)', '2255-06-05 23:47:34.740991Z', $tid), '9223372036854775807', 'the last one that it holds');

# Makers. A layout whose turns are short has no numbers left in its sequence by 2230; the hint has a remedy.
fails_with($session, "SELECT idgen_sql.idgen_set_shards('5', '" . layout_of('1us', 'time=20w shard=10 sequence=12') . "')", '0A000', qr/more ticks than a sequence holds.*a longer unit, or a shorter sequence/s, 'too many ticks');
my @remedies = ($turn, layout_of('1ms', 'time=20w shard=10 sequence=12'));
set_shards($session, '5', $tid, $tenth, $hundredth, @remedies);
is(value_of($session, 'SELECT idgen_sql.id_shard(idgen_sql.next_id(layout => ?), ?)', $_, $_), 5, "a remedy: $_") for @remedies;
is(value_of($session, 'SELECT count(*) FROM (SELECT idgen_sql.next_id(layout => ?) AS id, clock_timestamp() AS at FROM generate_series(1, 200) OFFSET 0) AS d'
	  . ' WHERE idgen_sql.id_time(id, ?) NOT BETWEEN now() AND at', $_, $_), 0, "the IDs of one session lie between its clocks: $_") for $tid, $tenth, $hundredth;

# Saturated: 8 sessions, one at a time and in blocks. In each the IDs rise, none comes twice, none lies ahead of the
# clock.
$session->do('CREATE UNLOGGED TABLE drawn (layout text, id bigint, session int, n bigserial, at timestamptz DEFAULT clock_timestamp())');
for my $layout ($tid, $tenth, $hundredth)
{
	ok( in_sessions($node, 8, sub {
			my ($own, $number) = @_;
			for my $round (1 .. 5)
			{
				$own->do("INSERT INTO drawn (layout, id, session) SELECT '$layout', idgen_sql.next_id(layout => '$layout'), $number FROM generate_series(1, 600)");
				$own->do("INSERT INTO drawn (layout, id, session) SELECT '$layout', id, $number FROM unnest(idgen_sql.next_id_array(150, layout => '$layout')) AS id");
				$own->do("INSERT INTO drawn (layout, id, session) SELECT '$layout', id, $number FROM idgen_sql.next_ids(50, layout => '$layout') AS id");
			}
	}), "8 sessions: $layout");
	is(join('|', $session->selectrow_array(<<'SQL', undef, $layout)), '32000|32000|0|0|0', "none twice, of the shard, rising in each session, not ahead of the clock: $layout");
SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE id <= before), count(*) FILTER (WHERE idgen_sql.id_shard(id, $1) <> 5), count(*) FILTER (WHERE idgen_sql.id_time(id, $1) > at)
  FROM (SELECT *, lag(id) OVER (PARTITION BY session ORDER BY n) AS before FROM drawn WHERE layout = $1) AS d
SQL
}

# Full ticks of 100 us: 20 waits for the next take less than a third of as many sleeps of a ms, each at their best.
my $pair = layout_of('100us', 'time=44 shard=10 sequence=1') =~ s/2020-01-01/2020-01-01T00:00:00Z/r;
set_shards($session, '5', $pair);
sub taken { my ($work) = @_; my $began = time; $work->(); return time - $began }
my ($filled, @filling, @sleeping) = (0);
for (1 .. 20)
{
	push @filling, taken(sub { $filled += value_of($session, 'SELECT count(DISTINCT id) FROM (SELECT idgen_sql.next_id(layout => ?) AS id FROM generate_series(1, 40) OFFSET 0) AS d', $pair) });
	push @sleeping, taken(sub { $session->do('DO $$BEGIN FOR i IN 1 .. 20 LOOP PERFORM pg_sleep(0.001); END LOOP; END$$') });
}
is($filled, 800, 'full ticks of 100 us: none twice');
cmp_ok(3 * min(@filling), '<', min(@sleeping), 'a wait for the next tick is shorter than a ms');

# A clock that stands still, or steps back.
my $frozen_node = start_node('sql_only_ticks_clock', preload => 0, extension => 0, fake_clock => 1);
install_sql_only($frozen_node, 'postgres');
my $frozen = connect_to($frozen_node);
set_shards($frozen, '5', $pair);
sub refused
{
	my ($max_wait, $sqlstate, $text, $what) = @_;
	$frozen->do('UPDATE idgen_sql.idgen_setting SET max_wait = ?', undef, $max_wait);
	return fails_with($frozen, "SELECT idgen_sql.next_id(layout => '$pair')", $sqlstate, $text, $what);
}
my $second = int(time) + 6;
my $full = qr/no ID is left in this tick for shard 5.*makes 2 IDs in 0\.1 ms/s;
freeze_clock($frozen_node, $second);
my @ids = map { value_of($frozen, 'SELECT idgen_sql.next_id(layout => ?)', $pair) } 1 .. 2;
cmp_ok($ids[0], '<', $ids[1], 'the two IDs of a tick');
is(value_of($frozen, q{SELECT count(idgen_sql.idgen_spin('100 us'))}), 1, 'a clock that stands still: a wait ends');
refused('0', '2200H', $full, 'no wait allowed');
freeze_clock($frozen_node, $second + 2);
push @ids, value_of($frozen, 'SELECT idgen_sql.next_id(layout => ?)', $pair);
freeze_clock($frozen_node, $second + 1);
push @ids, value_of($frozen, 'SELECT idgen_sql.next_id(layout => ?)', $pair);
is(join(' ', @ids), join(' ', sort { $a <=> $b } @ids), 'a clock that stepped back by max_lead: the ID is held');
refused('0', '55000', qr/the clock is $duration behind the next ID of shard 5.*HINT:  Correct the clock, or increase max_wait in idgen_sql\.idgen_setting/s, 'a clock that stepped back, a full tick');
freeze_clock($frozen_node, $second - 60);
refused('1 ms', '55000', qr/the clock is $duration behind the next ID of shard 5/, 'a clock that stepped back by more');

done_testing();
