# Clocks that step back, jump forward and stand still, on a real server.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my $node = start_node(
	'clock',
	fake_clock => 1,
	kernel     => '0 20000 100',
	extension  => 0,
	conf       => [ "idgen.shards = '5'", "idgen.max_lead = '1s'", "idgen.max_wait = '3s'" ]);
my $session = connect_to($node);

# The extension is two hours old, and the clock has been set right since.
$session->do('CHECKPOINT');
set_clock($node, '-7200');
fails_with($session, 'CREATE EXTENSION idgen', '55000',
	qr/the clock is (?:2 h|1 h 5\d min) behind this server's last checkpoint\nDETAIL:.*IDs of an earlier idgen.*\nHINT:.*CHECKPOINT/s,
	'CREATE EXTENSION under a clock far behind the last checkpoint');
$session->do($_) for 'CHECKPOINT', 'CREATE EXTENSION idgen';
value_of($session, 'SELECT next_id()');
set_clock($node, '+0');
fails_with($session, 'SELECT next_id()', '55000', qr/jumped forward/, 'two hours forward');
$session->do('SELECT idgen.accept_clock()');

sub one_id { return value_of($session, 'SELECT next_id()') }

# How far an ID lies ahead of the node's clock, in seconds.
sub lead_of
{
	my ($id) = @_;
	return value_of($session, 'SELECT extract(epoch FROM id_time(?) - clock_timestamp())', $id);
}

# A small step back: IDs go on at once, above the last, ahead of the clock by at most max_lead.
my $last = one_id();
for my $step ('-0.001', '-0.006', '-0.5')
{
	set_clock($node, $step);
	my $id = one_id();
	cmp_ok($id, '>', $last, "step to $step s: the next ID is larger");
	cmp_ok(lead_of($id), '<=', 1, "step to $step s: its lead is at most max_lead");
	$last = $id;
}

# Sets the clock that many seconds behind the last ID, however long ago that was made; gives the time when it did.
sub set_behind
{
	my ($seconds) = @_;
	my $now = time;
	my $at = value_of($session, 'SELECT extract(epoch FROM id_time(?))', $last);
	set_clock($node, sprintf '%+.3f', $at - clock_offset() - $now - $seconds);
	return $now;
}

# A middling one: the session waits until the lead is admitted.
my $stepped = set_behind(2.5);
my $id = one_id();
cmp_ok($id, '>', $last, '2.5 s behind: the next ID is larger');
cmp_ok(time - $stepped, '>=', 1.4, '2.5 s behind: it was waited for');
cmp_ok(lead_of($id), '<=', 1, '2.5 s behind: its lead is at most max_lead');
$last = $id;

# A large one: refused at once, with how much and until when.
my $began = set_behind(3600);
fails_with(
	$session, 'SELECT next_id()', '55000',
	qr/the clock is (?:59 min 5\d s|1 h) behind the next ID of shard 5\nDETAIL:.*The clock says 20.*the next ID would say 20.*\nHINT:  Correct the clock; or, if it is right now, wait until it has passed that time\./s,
	'step of an hour');
cmp_ok(time - $began, '<', 3, 'step of an hour: refused without a wait');
fails_with($session, 'SELECT next_id_array(3)', '55000', qr/behind/, 'step of an hour: an array is refused');
fails_with($session, 'SELECT count(*) FROM next_ids(3)', '55000', qr/behind/, 'step of an hour: rows are refused');
my $other = connect_to($node);
$other->do("SET idgen.shards = ''");
ok(value_of($other, 'SELECT next_id(6)') > 0, 'a shard that made no later ID goes on');
set_clock($node, '+0');
$id = one_id();
cmp_ok($id, '>', $last, 'the clock right again: IDs go on above');

# The same with other settings: no lead at all means that every step back is waited for.
set_for_server($session, 'idgen.max_lead', 0);
$last = value_of($session, 'SELECT next_id()');
set_clock($node, '-0.5');
$id = one_id();
cmp_ok($id, '>', $last, 'without lead: the next ID is larger');
cmp_ok(lead_of($id), '<=', 0, 'without lead: no ID is ahead of the clock');
set_for_server($session, 'idgen.max_lead', '1s');
set_clock($node, '+0');

# A clock that stands still: the IDs of one tick, then the error after max_wait.
my $now = int(time) + 2;
freeze_clock($node, $now);
my @ids = @{ $session->selectcol_arrayref('SELECT next_id() FROM generate_series(1, 1024)') };
is(value_of($session, 'SELECT count(DISTINCT id_time(id)) FROM unnest(?::bigint[]) id', \@ids),
	1, 'a frozen clock gives the IDs of one tick');
$began = time;
fails_with($session, 'SELECT next_id()', '55000',
	qr/the clock is 0\.001 s behind the next ID of shard 5\nDETAIL:.*Waited for 3\.\d{3} s.*\nHINT:  Correct the clock, or increase idgen\.max_wait to wait for it\./s,
	'a frozen clock, the tick used up');
cmp_ok(time - $began, '>=', 2.9, 'a frozen clock: the error comes after max_wait');

# Each way to meet a full tick.
$session->do("SET idgen.overflow = 'error'");
fails_with(
	$session, 'SELECT next_id()', '2200H',
	qr/no ID is left in this tick for shard 5\nDETAIL:.*"instagram" makes 1024 IDs in 1 ms.*\nHINT:.*idgen.overflow/s,
	'overflow = error');
$session->do("SET idgen.overflow = 'borrow'");
my @borrowed = @{ $session->selectcol_arrayref('SELECT next_id() FROM generate_series(1, 20000)') };
is(scalar(grep { $borrowed[$_] <= $borrowed[ $_ - 1 ] } 1 .. $#borrowed), 0, 'overflow = borrow: IDs rise');
cmp_ok($borrowed[0], '>', $ids[-1], 'overflow = borrow: above the tick that was full');
cmp_ok(lead_of($borrowed[-1]), '<=', 1, 'overflow = borrow: at most max_lead ahead');
cmp_ok(lead_of($borrowed[-1]), '>=', 0.019, 'overflow = borrow: 20,000 IDs use 19 ticks ahead and more');
$session->do('SET idgen.max_wait = 0');
fails_with($session, 'SELECT count(next_id()) FROM generate_series(1, 2000000)',
	'2200H', qr/its next tick is 1\.001 s ahead of the clock/, 'overflow = borrow: no more than max_lead');
$session->do('RESET idgen.overflow');
$session->do('RESET idgen.max_wait');
set_clock($node, '+0');
value_of($session, 'SELECT next_id()');

# A pool on a clock that stands still has a tick of each of its shards.
freeze_clock($node, $now + 6);
my $pool = connect_to($node);
$pool->do("SET idgen.shards = '100-115'");
$pool->do("SET idgen.max_wait = 0");
my ($home) = map { value_of($pool, 'SELECT id_shard(?)', $_) } value_of($pool, 'SELECT next_id()');
@ids = @{ $pool->selectcol_arrayref('SELECT next_id() FROM generate_series(1, ?)', undef, (116 - $home) * 1024 - 1) };
is(value_of($pool, 'SELECT count(DISTINCT id_time(id)) || $$ $$ || count(DISTINCT id_shard(id)) FROM unnest(?::bigint[]) id', \@ids),
	'1 ' . (116 - $home), 'a pool gives the tick of every shard from its home up');
fails_with($pool, 'SELECT next_id()', '2200H', qr/no ID is left in this tick/, 'the pool used up');
set_clock($node, '+0');

# A jump forward: refused, and no ID carries it, until the clock comes back or is accepted.
# Of a layout that does not end within the year.
value_of($session, 'SELECT next_id()');
set_clock($node, '+31536000');
fails_with(
	$session, q{SELECT next_id(layout => 'discord')}, '55000',
	qr/the clock jumped forward by 36[45] days(?: \d+ h)?\nDETAIL:.*idgen.max_clock_jump is 10 min\..*\nHINT:.*idgen.accept_clock/s,
	'a year forward');
set_clock($node, '+0');
$id = one_id();
cmp_ok(lead_of($id), '<=', 1, 'the clock back: no ID carries the jump');

set_clock($node, '+500');
$id = one_id();
cmp_ok(lead_of($id), '>', -1, 'a jump below max_clock_jump is taken');
set_clock($node, '+86400');
fails_with($session, 'SELECT next_id()', '55000', qr/jumped forward by (?:23 h 5\d min|1 day)\n/, 'a day forward');
fails_with($other, 'SELECT next_id(6)', '55000', qr/jumped forward/, 'a day forward, another session and shard');
$session->do('SELECT idgen.accept_clock()');
$id = one_id();
cmp_ok(lead_of($id), '>', -1, 'accepted: IDs carry the new time');
ok(value_of($other, 'SELECT next_id(6)') > 0, 'accepted for every session');

# A horizon that a superuser moved ahead and put right again is not a cause any more.
$session->do($_) for q{SELECT idgen.advance(clock_timestamp() + interval '2 h', far => true)}, 'SELECT idgen.reset(clock_timestamp())', 'SELECT next_id()';
set_clock($node, '+82800');
fails_with($session, 'SELECT next_id()', '55000',
	qr/the clock is (?:59 min \d+ s|1 h(?: 1 min)?) behind the next ID of shard 5/, 'an hour back after idgen.reset()');
set_clock($node, '+86400');
ok(value_of($session, 'SELECT next_id()') > 0, 'a clock set right again after idgen.reset() gives IDs');

# Steps back while eight sessions make IDs: small ones are held or waited for, large ones refused, and nothing is made
# twice, nor after the clock is right again.
{
	my $stop_file = $node->basedir . '/stop';
	my $offset = 86400;
	set_clock($node, "+$offset");
	my $makers = begin_makers($node, 8, $stop_file);
	sleep 1;
	for my $step (1, 5, 1000, 3_600_000, 86_400_000)
	{
		$offset -= $step / 1000;
		set_clock($node, sprintf '%+.3f', $offset);
		sleep 2;
		my $id = eval { value_of($session, 'SELECT next_id()') };
		my $state = $session->state;
		if ($step <= 1000)
		{
			cmp_ok(lead_of($id // 0), '<=', 1, "step of -$step ms in eight sessions: IDs go on, at most max_lead ahead");
		}
		else
		{
			is($state, '55000', "step of -$step ms in eight sessions: refused");
		}
	}
	set_clock($node, '+86400');
	sleep 1;
	open my $stop, '>', $stop_file or die "$stop_file: $!";
	my @lists = lines_of($makers);
	my @refused = map { grep { /^refused/ } @$_ } @lists;
	is(join(' ', grep { $_ ne 'refused 55000' } @refused), '', 'eight sessions: refused for no other reason');
	is(scalar(grep { my $list = $_; !grep { /^refused/ } @$list } @lists), 0, 'eight sessions: the large steps were refused to each');
	my %made;
	is(repeated(\%made, grep { !/^refused/ } map { @$_ } @lists), 0, 'eight sessions: no ID was made twice');
	my $falls = 0;
	for my $list (@lists)
	{
		my @ids = grep { !/^refused/ } @$list;
		$falls += grep { $ids[$_] <= $ids[ $_ - 1 ] } 1 .. $#ids;
		like($list->[-1], qr/^\d+$/, 'a session goes on once the clock is right again');
	}
	is($falls, 0, 'eight sessions: IDs rise in each');
}

# NTP: what the kernel says of its clock counts at each renewal of the horizon. A system without such a word is never trusted.
my $silent = is_linux() ? undef : qr/this system does not say whether its clock is synchronized/;
my $later = 86420;
my @warnings;
local $SIG{__WARN__} = sub { push @warnings, @_ };
$session->{PrintWarn} = 1;
for my $case (
	[ 'on',   '0 20000 100',  undef,                        'well' ],
	[ 'on',   '0 500000 100', undef,                        'off by as much as idgen.clock_error' ],
	[ 'on',   '0 500001 100', qr/may be wrong by 0\.501 s/, 'off by more' ],
	[ 'on',   '0 100 500001', qr/may be wrong by 0\.501 s/, 'off by more, as is estimated' ],
	[ 'on',   '5 100 100',    qr/is not synchronized/,      'not synchronized' ],
	[ 'off',  '5 100 100',    undef,                        'not synchronized' ],
	[ 'off',  '0 500001 100', undef,                        'off by more' ],
	[ 'warn', '0 20000 100',  undef,                        'well' ])
{
	my ($required, $words, $refused, $what) = @$case;
	$refused = $required eq 'on' ? $silent : undef if $silent;
	set_for_server($session, 'idgen.require_clock_sync', $required) if value_of($session, 'SHOW idgen.require_clock_sync') ne $required;
	kernel_says($node, $words);
	set_clock($node, sprintf '+%d', $later += 10);
	$what = "require_clock_sync = $required, a clock that is $what";
	if   ($refused) { fails_with($session, 'SELECT next_id()', '55000', $refused, $what) }
	else            { ok(eval { value_of($session, 'SELECT next_id()') }, "$what: an ID is made") }
}
is(join('', grep { !$silent || !/$silent/ } @warnings), '', 'no draw at these clocks warns');
kernel_says($node, '0 500001 100');
for (1 .. 2)
{
	set_clock($node, sprintf '+%d', $later += 10);
	ok(eval { value_of($session, 'SELECT next_id()') },
		'require_clock_sync = warn, a clock that is off by more: an ID is made');
}
is(scalar @warnings, 1, 'require_clock_sync = warn: a warning, and one a minute');
like($warnings[0] // '', $silent // qr/the clock of this machine may be wrong by 0\.501 s/, 'require_clock_sync = warn: the warning says by how much');
set_for_server($session, 'idgen.require_clock_sync', 'on');
set_clock($node, sprintf '+%d', $later += 10);
fails_with($session, 'SELECT next_id()', '55000',
	$silent // qr/may be wrong by 0\.501 s\nDETAIL:  The kernel gives that bound, idgen.clock_error is 0\.500 s, and .* is "on"\.\nHINT:  .*chrony or ntpd.*increase idgen.clock_error/, 'the whole error');
set_for_server($session, 'idgen.clock_error', '501ms');
is(defined eval { value_of($session, 'SELECT next_id()') }, !$silent, 'a larger idgen.clock_error admits it, if there is a bound');

# A server whose clock is well: what lies ahead of it is named, and the clock is not blamed. The horizon is found
# further ahead than IDs may be.
{
	my $well = start_node('well', kinds => 1, conf => [ "idgen.shards = '5'", "idgen.max_lead = '100ms'", "idgen.horizon_window = '20s'", 'idgen.max_wait = 0' ]);
	my $on_well = connect_to($well);
	my $patience = sub { $on_well->do("SET idgen.max_wait = '$_[0]'") };
	$patience->('5s');
	value_of($on_well, 'SELECT next_id()');
	$on_well->disconnect;
	crash($well);
	start_again($well);
	$on_well = connect_to($well);
	fails_with($on_well, 'SELECT next_id()', '55000',
		qr/the next ID of shard 5 lies $duration ahead of the clock\nDETAIL:  IDs begin at the durable horizon as this server found it, 20.*\. Waited for 0\.000 s; idgen.max_lead is 0\.100 s, idgen.max_wait is 0\.000 s\.\nHINT:  Try again in \d+\.\d{3} s, or increase/,
		'after a crash');
	fails_with($on_well, 'SELECT hlc_now()', '55000',
		qr/the next HLC timestamp lies $duration ahead of the clock\nDETAIL:  IDs begin at the durable horizon/,
		'after a crash: the hybrid logical clock');
	$on_well->do(q{SELECT idgen.reset(clock_timestamp(), force => true)});
	$patience->('5s');
	ok(value_of($on_well, 'SELECT next_id()'), 'put right: an ID is made');
	$patience->(0);

	# Moved by hand, near and far; and within what a restart leaves.
	for my $ahead ('2 s', '1 h')
	{
		my ($at) = $on_well->selectrow_array(q{SELECT t::text FROM (SELECT clock_timestamp() + ?::interval AS t) s, idgen.advance(t)}, undef, $ahead);
		fails_with($on_well, 'SELECT next_id()', '55000',
			qr/lies $duration ahead of the clock\nDETAIL:  idgen.advance\(\) has moved the durable horizon to 20.*\nHINT:  Wait for that time; .*idgen.reset\(\)/, "moved by $ahead");
		fails_with($on_well, 'SELECT hlc_now()', '55000',
			qr/HLC timestamp lies .*\nDETAIL:  idgen.advance\(\) has moved/,
			"moved by $ahead: the hybrid logical clock");
	}
	my $horizon = q{SELECT ok::int, advice FROM idgen.status() WHERE key = 'horizon'};
	my ($ok, $advice) = $on_well->selectrow_array($horizon);
	is($ok, 0, 'moved by an hour: idgen.status()');
	like($advice, qr/^Wait for that time; or, if it was a mistake/,
		'moved by an hour: idgen.status() does not blame the clock');
	$on_well->do(q{SELECT idgen.reset(clock_timestamp(), force => true)});
	ok(value_of($on_well, $horizon), 'put right: idgen.status()');

	# Sessions that wait for a shard of two IDs a second, and find it full again: that is what the error says.
	my $file = $well->basedir . '/refused';
	my $narrow = q{'epoch=2011-08-24T21:07:01.721Z unit=1s time=32 shard=8 sequence=1'};
	in_sessions(
		$well, 6,
		sub {
			my ($on_narrow) = @_;
			$on_narrow->do(q{SET idgen.max_wait = '1500ms'});
			my $done = 1;
			for (1 .. 30) { $done &&= eval { $on_narrow->do("SELECT next_id(5, $narrow)"); 1 } }
			append_to_file($file, $on_narrow->state . ' ' . $on_narrow->errstr =~ s/\n.*//sr . "\n") unless $done;
		});
	my %refused = map { $_ => 1 } split /\n/, slurp_file($file);
	is(join('', keys %refused), '2200H ERROR:  no ID is left in this tick for shard 5', 'a full shard, waited for');
	$on_well->disconnect;
}

$_->disconnect for $session, $other, $pool;
done_testing();
