# Order across nodes and sessions: the hybrid logical clock, IDs above one seen elsewhere, the bounds of the clock;
# through steps of the clock, kill -9, restarts and promotion.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../test/t/lib";
use DBD::Pg qw(:async);
use IdgenNode;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

# The WAL writer sleeps: what survives kill -9 is what idgen flushed itself.
my @conf = (
	"idgen.shards = '5'", "idgen.max_lead = '1s'", "idgen.max_wait = '3s'", "idgen.horizon_window = '400ms'",
	"wal_writer_delay = '10s'", 'autovacuum = off', 'checkpoint_timeout = 1h', 'restart_after_crash = on');
my $node = start_node('hlc', kinds => 1, fake_clock => 1, init => { allows_streaming => 1 }, conf => \@conf);
my $other = start_node('other', kinds => 1, fake_clock => 1, conf => \@conf);
my $session = connect_to($node);
my %made;

sub lead_of
{
	my ($hlc) = @_;
	return value_of($session, 'SELECT extract(epoch FROM hlc_time(?) - clock_timestamp())', $hlc);
}

sub falls_in
{
	my @values = @_;
	return scalar grep { $values[$_] <= $values[ $_ - 1 ] } 1 .. $#values;
}

# A restart, under the node's own clock.
sub begin_again
{
	my ($server) = @_;
	$server->stop;
	return start_again($server);
}

# Timestamps of events in one statement.
sub events
{
	my ($session, $count) = @_;
	return @{ $session->selectcol_arrayref("SELECT hlc_now() FROM generate_series(1, $count)") };
}

# A token goes through eight sessions, on two nodes whose clocks are apart: each sees what was before it.
{
	set_clock($other, '+0.4');
	my @sessions = map { connect_to($_ % 2 ? $other : $node) } 1 .. 8;
	my @tokens = value_of($session, 'SELECT hlc_now()');
	for my $round (1 .. 200)
	{
		push @tokens, value_of($_, 'SELECT hlc_receive(?)', $tokens[-1]) for @sessions;
	}
	is(falls_in(@tokens), 0, 'a token in eight sessions on two nodes rises');
	repeated(\%made, @tokens[ grep { $_ % 2 == 0 } 1 .. $#tokens ]);
	cmp_ok(value_of($session, 'SELECT hlc_now()'), '>', $tokens[-2], 'receive, then now: above it');
	$_->disconnect for @sessions;
}

# Eight sessions at once: one clock.
{
	my $folder = $node->basedir;
	ok(in_sessions($node, 8, sub {
				my ($mine, $number) = @_;
				append_to_file("$folder/events.$number", join("\n", events($mine, 20_000)) . "\n");
			}),
		'eight sessions at once');
	my @lists = map { [ split /\n/, slurp_file("$folder/events.$_") ] } 1 .. 8;
	is(repeated(\%made, map { @$_ } @lists), 0, 'eight sessions: no timestamp twice');
	is(scalar(grep { falls_in(@$_) } @lists), 0, 'eight sessions: they rise in each');
}

# The clock steps back.
my ($last) = events($session, 1);
for my $step ('-0.001', '-0.5')
{
	set_clock($node, $step);
	my ($hlc) = events($session, 1);
	cmp_ok($hlc, '>', $last, "step to $step s: the next timestamp is larger");
	cmp_ok(lead_of($hlc), '<=', 1, "step to $step s: its lead is at most max_lead");
	$last = $hlc;
}
# So far behind the last timestamp, however long ago that was.
my $began = time;
set_clock($node, sprintf '%+.3f', value_of($session, 'SELECT extract(epoch FROM hlc_time(?))', $last) - clock_offset() - $began - 2);
my ($hlc) = events($session, 1);
cmp_ok($hlc, '>', $last, '2 s behind: the next timestamp is larger');
cmp_ok(time - $began, '>=', 0.9, '2 s behind: it was waited for');
cmp_ok(lead_of($hlc), '<=', 1, '2 s behind: its lead is at most max_lead');
set_clock($node, '-3600');
fails_with(
	$session, 'SELECT hlc_now()', '55000',
	qr/the clock is (?:59 min \d+ s|1 h) behind the next HLC timestamp\nDETAIL:.*idgen.max_lead is 1.000 s.*\nHINT:  Correct the clock; or, if it is right now, wait until it has passed that time\./s,
	'step of an hour');
set_clock($node, '+0');
cmp_ok((events($session, 1))[0], '>', $hlc, 'the clock right again: timestamps go on above');

# A remote clock that is far ahead is refused, and leaves no trace.
fails_with(
	$session,
	q{SELECT hlc_receive(hlc_make(clock_timestamp() + '1 hour'))},
	'55000',
	qr/the remote timestamp is (?:59 min \d+ s|1 h) ahead of the clock\nDETAIL:.*It says 20.*the clock says 20.*idgen.max_lead is 1.000 s/s,
	'a remote clock an hour ahead');
cmp_ok(lead_of(events($session, 1)), '<=', 0, 'a remote clock an hour ahead: no trace of it');
$hlc = value_of($session, q{SELECT hlc_receive(hlc_make(clock_timestamp() + '0.8 s', 65535))});
cmp_ok(lead_of($hlc), '>', 0, 'a remote clock 0.8 s ahead is taken');
is($hlc % 65536, 0, 'a full logical part carries at once');
is(value_of($session, 'SELECT hlc_now()'), $hlc + 1, 'the next event is the next timestamp');

# A clock that stands still, and a crash: nothing again, and the order is kept. Only the horizon keeps new ones from old
# ones.
my $second = int(time) + 5;
for my $how ('kill -9', 'kill -9 again', 'a restart')
{
	$second += 5;
	freeze_clock($node, $second);
	my @hlcs = events($session, 70_000);
	push @hlcs, value_of($session, q{SELECT hlc_receive(hlc_make(clock_timestamp() + '0.2 s', 17))}), events($session, 100);
	is(repeated(\%made, @hlcs) + falls_in(@hlcs), 0, "$how: 70,101 timestamps before");
	$how eq 'a restart' ? $node->stop : crash($node);
	start_again($node);
	$session = connect_to($node);
	my @again = events($session, 100);
	cmp_ok($again[0], '>', $hlcs[-1], "$how on a clock that stands still: the order is kept");
	is(repeated(\%made, @again), 0, "$how on a clock that stands still: none again");
}
set_clock($node, '+30');

# Its slot is the clock's own: IDs of a layout of the same bits have another.
my ($mastodon, $after) = $session->selectrow_array(q{SELECT next_id(layout => 'mastodon'), next_id(layout => 'mastodon')});
$session->do(q{SELECT hlc_receive(hlc_make(clock_timestamp() + '0.9 s'))});
cmp_ok(value_of($session, q{SELECT extract(epoch FROM id_time(next_id(layout => 'mastodon'), 'mastodon') - clock_timestamp())}),
	'<=', 0, 'a timestamp received moves no ID');

# An ID above one that another node made.
my $after_sql = 'SELECT next_id_after(?)';
sub seen_at
{
	my ($ahead, $shard) = @_;
	return value_of($session, "SELECT id_make(clock_timestamp() + '$ahead s', ?, 7)", $shard);
}

sub id_lead
{
	my ($id) = @_;
	return value_of($session, 'SELECT extract(epoch FROM id_time(?) - clock_timestamp())', $id);
}
{
	my @tokens = value_of($session, 'SELECT next_id()');
	my @sessions = map { connect_to($_ % 2 ? $node : $other) } 0 .. 7;
	set_clock($other, '+29.7');
	$sessions[$_]->do("SET idgen.shards = '" . ('5', '6', '0-3,9', '7')[ $_ % 4 ] . q{'}) for 0 .. 7;
	for my $round (1 .. 100)
	{
		push @tokens, value_of($_, $after_sql, $tokens[-1]) for @sessions;
	}
	is(falls_in(@tokens), 0, 'an ID handed through eight sessions on two nodes rises');
	$_->disconnect for @sessions;
}
for my $shard (4, 5, 6)
{
	my $seen = seen_at(0.3, $shard);
	my $id = value_of($session, $after_sql, $seen);
	cmp_ok($id, '>', $seen, "an ID of shard $shard 0.3 s ahead: the next is larger");
	cmp_ok(id_lead($id), '>', 0, "an ID of shard $shard 0.3 s ahead: it was not waited for");
	cmp_ok(value_of($session, 'SELECT next_id()'), '>', $id,
		"an ID of shard $shard 0.3 s ahead: the session goes on above");
}
my $seen = seen_at(2.5, 6);
$began = time;
my $id = value_of($session, $after_sql, $seen);
cmp_ok($id, '>', $seen, 'an ID 2.5 s ahead: the next is larger');
cmp_ok(time - $began, '>=', 1.4, 'an ID 2.5 s ahead: it was waited for');
cmp_ok(id_lead($id), '<=', 1, 'an ID 2.5 s ahead: the lead is at most max_lead');
cmp_ok(value_of($session, $after_sql, 1), '>', $id, 'an ID long past: the session goes on above its own');
set_clock($node, '+40');
my $trace = seen_at(100, 6);
fails_with(
	$session, "SELECT next_id_after($trace)", '55000',
	qr/an ID above $trace would be $duration ahead of the clock\nDETAIL:.*idgen.max_lead is 1.000 s, idgen.max_wait is 3.000 s/s,
	'an ID 100 s ahead');
cmp_ok(id_lead(value_of($session, 'SELECT next_id()')), '<=', 0, 'an ID 100 s ahead: no trace of it');
my $admin = connect_to($node);
$trace = seen_at(30, 6);
$session->do('SET idgen.max_wait = 60000');
for my $call ("next_id_after($trace)", "next_id_after($trace, 5)")
{
	$session->do("SELECT $call", { pg_async => PG_ASYNC });
	$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event_type = 'Extension'});
	value_of($admin, 'SELECT pg_cancel_backend(?)', $session->{pg_pid});
	ok(!succeeds($session), "$call: the wait can be cancelled");
	is($session->state, '57014', "$call: as asked for");
}
$session->do('RESET idgen.max_wait');
$admin->disconnect;
cmp_ok(id_lead(value_of($session, 'SELECT next_id()')), '<=', 0, 'a wait that is cancelled: no trace of it');

# DecimalIds: a generator for each run of the server, a counter of all sessions.
sub decimals
{
	my ($session, $count) = @_;
	return @{ $session->selectcol_arrayref("SELECT next_decimal_id() FROM generate_series(1, $count)") };
}

sub generator_of
{
	return int($_[0] / 100_000) % 100_000;
}

# Their generators, if all of them were made since the last change.
sub is_new_generator
{
	my ($before, $what, @ids) = @_;
	my %generators = map { generator_of($_) => 1 } @ids;
	is(join(' ', keys %generators), $before + 1, "$what: the next generator");
	is(int($ids[0] / 10_000_000_000), 1, "$what: the counter of the next generator begins at 1");
	is(repeated(\%made, @ids), 0, "$what: none again");
	return $before + 1;
}
my $generator = is_new_generator(0, 'the first', decimals($session, 1000));
{
	my $folder = $node->basedir;
	ok(in_sessions($node, 8, sub {
				my ($mine, $number) = @_;
				append_to_file("$folder/decimals.$number", join("\n", decimals($mine, 5000)) . "\n");
			}),
		'DecimalIds in eight sessions');
	my @ids = map { split /\n/, slurp_file("$folder/decimals.$_") } 1 .. 8;
	is(repeated(\%made, @ids), 0, 'DecimalIds in eight sessions: none twice');
	my @counters = sort { $a <=> $b } map { int($_ / 10_000_000_000) } @ids;
	is("$counters[0] $counters[-1]", '1001 41000', 'DecimalIds in eight sessions: one counter, without a gap');
}
for my $how ('kill -9', 'kill -9 after one ID', 'a restart', 'an immediate stop', 'kill -9 of a backend')
{
	if ($how eq 'kill -9 of a backend')
	{
		my $victim = connect_to($node);
		kill 'KILL', $victim->{pg_pid};
		select undef, undef, undef, 0.02 while eval { value_of($session, 'SELECT 1') };
		$session = undef;
		select undef, undef, undef, 0.02 until $session = eval { connect_to($node) };
	}
	else
	{
		$how =~ /^kill/ ? crash($node) : $node->stop($how eq 'a restart' ? 'fast' : 'immediate');
		start_again($node);
		$session = connect_to($node);
	}
	$generator = is_new_generator($generator, $how, decimals($session, $how eq 'a restart' ? 1 : 100));
}
# The generators belong to idgen: dropping idgen_kinds forgets neither the one in use nor, over a crash, those that were
# taken.
for my $has_crashed (0, 1)
{
	$session->do('DROP EXTENSION idgen_kinds');
	if ($has_crashed)
	{
		crash($node);
		start_again($node);
		$session = connect_to($node);
	}
	$session->do('CREATE EXTENSION idgen_kinds');
	my @ids = decimals($session, 1000);
	if ($has_crashed) { $generator = is_new_generator($generator, 'idgen_kinds created again after kill -9', @ids) }
	else
	{
		is(join(' ', map { generator_of($_) } @ids[ 0, -1 ]), "$generator $generator",
			'idgen_kinds created again: the generator goes on');
		is(repeated(\%made, @ids), 0, 'idgen_kinds created again: no DecimalId again');
	}
}
$session->do('SET idgen.decimal_launch = 12345');
is(value_of($session, 'SELECT next_decimal_id()') % 100_000, 12345, 'idgen.decimal_launch ends the ID');

# What must be acknowledged by a standby is not used before: here nobody answers.
$node->append_conf('postgresql.conf', "synchronous_standby_names = 'nobody'\nidgen.max_wait = '500ms'");
begin_again($node);
$session = connect_to($node);
fails_with(
	$session, 'SELECT next_decimal_id()', '55000',
	qr/no generator for DecimalIds was taken within 0.500 s\nDETAIL:  The synchronous standbys have not confirmed it/,
	'no synchronous standby answers');
fails_with($session, 'SELECT next_decimal_id()', '55000', qr/have not confirmed it/,
	'no standby answers: the next call takes no generator either');
$node->append_conf('postgresql.conf', "synchronous_standby_names = ''\nidgen.max_wait = '3s'");
$node->reload;
$node->poll_query_until('postgres', q{SELECT current_setting('synchronous_standby_names') = ''});
$session = connect_to($node);
$generator = is_new_generator($generator, 'once none is needed', decimals($session, 10));
$node->append_conf('postgresql.conf', "idgen.synchronous = 'required'");
begin_again($node);
$session = connect_to($node);
fails_with($session, 'SELECT next_decimal_id()', '55000', qr/IDs need a synchronous standby/,
	'a synchronous standby is required');
$node->append_conf('postgresql.conf', "idgen.synchronous = 'auto'");
begin_again($node);
$session = connect_to($node);
my $blocker = connect_to($node);
$blocker->begin_work;
$blocker->do('LOCK TABLE pg_class IN ACCESS SHARE MODE');
$blocker->do(q{ALTER SEQUENCE idgen.generator OWNER TO CURRENT_USER});
$session->do('SET idgen.max_wait = 100');
fails_with($session, 'SELECT next_decimal_id()', '55000', qr/Another transaction holds a lock on sequence "idgen.generator"/,
	'the sequence is locked');
$blocker->rollback;
$blocker->disconnect;
$session->do('RESET idgen.max_wait');
$generator = is_new_generator($generator, 'the lock given back', decimals($session, 10));

# A hot standby makes none of these; promoted, it goes on above, with a generator well beyond.
$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
give_clock($standby, '+40');
start_again($standby);
my $on_standby = connect_to($standby);
fails_with($on_standby, "SELECT $_", '25006', qr/cannot make IDs during recovery/, "a standby: $_")
  for 'hlc_now()', 'hlc_receive(5)', 'next_id_after(5)', 'next_decimal_id()';
is(value_of($on_standby, 'SELECT hlc_logical(65537) || $$ $$ || (decimal_id_decode(10000100000)).counter'), '1 1',
	'a standby reads');
($hlc) = events($session, 1);
repeated(\%made, $hlc, decimals($session, 10));
my $flushed = $node->lsn('flush');
$standby->poll_query_until('postgres', "SELECT pg_last_wal_replay_lsn() >= '$flushed'");
$node->stop;
$standby->promote;
my @promoted = events($on_standby, 1000);
cmp_ok($promoted[0], '>', $hlc, 'promoted: timestamps go on above');
is(repeated(\%made, @promoted), 0, 'promoted: no timestamp again');
$generator = is_new_generator($generator + 99, 'promoted: some are skipped', decimals($on_standby, 10));

# Set by another role: no generator again, nor one left out. Set by its owner, as after a restore: some are skipped. At
# the end of them.
$on_standby->do(q{SELECT setval('idgen.generator', 1)});
begin_again($standby);
$on_standby = connect_to($standby);
$generator = is_new_generator($generator, 'set back by setval and restarted: the next', decimals($on_standby, 1));
$on_standby->do(q{ALTER SEQUENCE idgen.generator RESTART 1000});
begin_again($standby);
$on_standby = connect_to($standby);
$generator = is_new_generator(1099, 'altered and restarted: as after a restore', decimals($on_standby, 1));
$on_standby->do(q{ALTER SEQUENCE idgen.generator RESTART 99999});
is(generator_of(value_of($on_standby, 'SELECT next_decimal_id()')), $generator, 'a generator in use goes on');
begin_again($standby);
$on_standby = connect_to($standby);
fails_with($on_standby, 'SELECT next_decimal_id()', '2200H',
	qr/no generator is left for DecimalIds\nDETAIL:.*at 99999.*\nHINT:.*idgen.decimal_launch/, 'no generator is left');

# The bounds of the clock, as the kernel says, asked in another way.
use constant ADJTIMEX => 159;
use constant TIME_ERROR => 5;
my $buffer = "\0" x 512;
my $verdict = syscall(ADJTIMEX, $buffer);
if ($verdict >= 0 && $verdict != TIME_ERROR)
{
	is(value_of($on_standby, 'SELECT lower(clock_bounds()) <= upper(clock_bounds())'), 1,
		'the kernel knows the bounds of its clock');
}
else
{
	fails_with($on_standby, 'SELECT clock_bounds()', '55000', qr/not synchronized\nDETAIL:.*NTP.*\nHINT:.*chrony/,
		'the kernel knows no bounds of its clock');
}

# And with a kernel that says what the test wants.
my $library = preload('kernel_clock');
my $kernel = $other->basedir . '/kernel_clock';

sub kernel_says
{
	my ($words) = @_;
	unlink $kernel;
	append_to_file($kernel, $words);
	return;
}
kernel_says('0 200000 100');
my $bounded;
{
	local $ENV{LD_PRELOAD} = $library;
	local $ENV{KERNEL_CLOCK} = $kernel;
	$bounded = start_node('bounded', kinds => 1);
}
my $on_bounded = connect_to($bounded);
my $width = q{SELECT extract(epoch FROM upper(b) - lower(b)), clock_timestamp() <@ b, lower_inc(b) AND upper_inc(b) FROM clock_bounds() b};
my ($wide, $is_inside, $is_closed) = $on_bounded->selectrow_array($width);
cmp_ok($wide, '>=', 0.4, 'bounds: twice the largest error');
is("$is_inside $is_closed", '1 1', 'bounds: the clock lies inside, and both ends belong to them');
kernel_says('0 100 300000');
cmp_ok(($on_bounded->selectrow_array($width))[0], '>=', 0.6, 'bounds: an estimate that is larger counts');

# Commit-wait: asleep until the instant is past for certain.
kernel_says('0 200000 100');
for my $past (q{'-infinity'}, q{'2000-01-01'}, q{clock_timestamp() - interval '0.3 s'})
{
	ok(defined value_of($on_bounded, "SELECT wait_until_past($past)"), "past already: $past");
}
$began = time;
my ($at) = $on_bounded->selectrow_array('SELECT now() FROM wait_until_past(now())');
cmp_ok(time - $began, '>=', 0.19, 'now: waited for as long as the clock may be off');
is(value_of($on_bounded, 'SELECT lower(clock_bounds()) > ?', $at), 1, 'now: past for certain afterwards');
fails_with(
	$on_bounded, q{SELECT wait_until_past(clock_timestamp() + interval '10 s')},
	'55000',
	qr/is certain to be past only in 10\.\d{3} s\nDETAIL:.*idgen.max_wait is 5.000 s/,
	'beyond max_wait');
$on_bounded->do(q{SET statement_timeout = '200ms'});
$began = time;
fails_with($on_bounded, q{SELECT wait_until_past(clock_timestamp() + interval '4 s')}, '57014', qr/statement timeout/,
	'a wait can be cancelled');
cmp_ok(time - $began, '<', 3, 'a wait can be cancelled: at once');
kernel_says('5 200000 100');
fails_with($on_bounded, 'SELECT clock_bounds()', '55000', qr/not synchronized/,
	'a kernel that is not synchronized: bounds');
fails_with($on_bounded, q{SELECT wait_until_past('2000-01-01')}, '55000', qr/not synchronized/,
	'a kernel that is not synchronized: wait');
unlink $kernel;
fails_with($on_bounded, 'SELECT clock_bounds()', '55000', qr/not synchronized/, 'a kernel that cannot be asked');

$_->disconnect for $session, $on_standby, $on_bounded;
done_testing();
