# ULIDs and UUIDs of version 7 rise across all sessions of a server: a call that starts after another has returned gives
# the larger value, also while the clock steps and stands still; and none is given twice.
use strict;
use warnings;
use DBD::Pg qw(:async);
use FindBin;
use lib "$FindBin::Bin/../../test/t/lib";
use IdgenNode;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

my $workers = 8;
my $calls   = 1000;
my @makers  = qw(next_ulid next_uuidv7);

# Its order outlives every step of the clocks below.
my $node = start_node('order', kinds => 1, fake_clock => 1, conf => ["idgen.max_lead = '1min'"]);

# What a round of values broke: pairs in the order of the calls that do not rise. Text sorts as the values do.
sub falls
{
	my @values = @_;
	return scalar grep { $values[$_] le $values[ $_ - 1 ] } 1 .. $#values;
}

sub stamp_of
{
	my ($uuid) = @_;
	no warnings 'portable';
	return hex(join '', $uuid =~ /^(\w{8})-(\w{4})-7(\w{3})/);
}

# A token goes from session to session, each drawing when the one before has its answer, and steps the clock on the way.
my @clocks = ('+0', '-0.001', '-0.0001', '-5', '+40', '+0', '-18', '+0.01');
{
	my @sessions = map { connect_to($node) } 1 .. $workers;
	my %drawn;
	for my $turn (0 .. 999)
	{
		set_clock($node, $clocks[ $turn / 50 % @clocks ]) if $turn % 50 == 0;
		my $session = $sessions[ ($turn * 5 + int($turn / 7)) % $workers ];
		push @{ $drawn{$_} }, value_of($session, "SELECT $_()") for @makers;
	}
	is(falls(@{ $drawn{$_} }), 0, "$_: a token through $workers sessions, the clock stepping") for @makers;

	# The clock stands still: 4096ths of a millisecond one after the other, also from session to session.
	freeze_clock($node, time - 15);
	my @stamps = map { stamp_of(value_of($sessions[ $_ % $workers ], 'SELECT next_uuidv7()')) } 1 .. 100;
	is($stamps[-1] - $stamps[0], 99, 'next_uuidv7: the clock behind: the last plus 1');
	my $many = $sessions[0]->selectcol_arrayref('SELECT next_uuidv7() FROM generate_series(1, 10000)');
	is(falls(@$many), 0, 'next_uuidv7: over the ends of milliseconds');
	is(stamp_of($many->[-1]) - stamp_of($many->[0]), 9999, 'next_uuidv7: none left out');

	# A clock before 1970 changes nothing.
	set_clock($node, '=-14182980');
	my %before = map { $_ => value_of($sessions[1], "SELECT $_()") } @makers;
	cmp_ok(value_of($sessions[2], "SELECT $_()"), 'gt', $before{$_}, "$_: the clock before 1970") for @makers;

	# The clock right again: later than all that was made while it was wrong.
	set_clock($node, '+0');
	my $later = value_of($sessions[3], 'SELECT next_uuidv7()');
	cmp_ok($later, 'gt', $before{next_uuidv7}, 'next_uuidv7: the clock right again');
	$_->disconnect for @sessions;
}

# All at once, each call noted with its beginning and end; the first of them steps the clock after every 20 calls.
ok( in_sessions(
		$node, $workers,
		sub {
			my ($session, $number) = @_;
			open my $notes, '>', $node->basedir . "/order.$number" or die "notes: $!";
			my $draw = $session->prepare('SELECT ' . join ', ', map { "$_()" } @makers);
			for my $call (0 .. $calls - 1)
			{
				set_clock($node, $clocks[ $call / 20 % @clocks ]) if $number == 1 && $call % 20 == 0;
				my $began = clock_gettime(CLOCK_MONOTONIC);
				$draw->execute;
				my @values = $draw->fetchrow_array;
				printf $notes "%.9f %.9f %s\n", $began, clock_gettime(CLOCK_MONOTONIC), "@values";
			}
			close $notes or die "notes: $!";
		}),
	"$workers sessions at once");
my @calls;
for my $number (1 .. $workers)
{
	open my $notes, '<', $node->basedir . "/order.$number" or die "notes: $!";
	push @calls, map { [split] } <$notes>;
}
is(scalar @calls, $workers * $calls, 'every call is noted');

# The calls by their beginnings; before each, those that have ended: it must be above the highest of them.
for my $maker (0 .. $#makers)
{
	my @by_end = sort { $a->[1] <=> $b->[1] } @calls;
	my ($highest, $wrong, $compared) = ('', 0, 0);
	for my $call (sort { $a->[0] <=> $b->[0] } @calls)
	{
		while (@by_end && $by_end[0][1] < $call->[0])
		{
			my $value = (shift @by_end)->[ 2 + $maker ];
			$highest = $value if $value gt $highest;
			$compared++;
		}
		$wrong++ if $call->[ 2 + $maker ] le $highest;
	}
	is($wrong, 0, "$makers[$maker]: above all that had returned before");
	cmp_ok($compared, '>', $calls, "$makers[$maker]: of $compared calls");
	# Of a UUID time and fraction, which the random bits would hide.
	my %values = map { $makers[$maker] eq 'next_uuidv7' ? stamp_of($_->[ 2 + $maker ]) : $_->[ 2 + $maker ], 1 } @calls;
	is(scalar keys %values, $workers * $calls, "$makers[$maker]: none twice");
}

# A clock that is a year ahead for a moment: what is made then says so, what is made after is of today again, and rises.
# The log has one message for each kind. Steps back within a second have none.
{
	my $jumping = start_node('jumping', kinds => 1, fake_clock => 1, conf => ["idgen.max_lead = '200ms'"]);
	my @sessions = map { connect_to($jumping) } 1 .. 3;
	my %time_of = (next_ulid => 'ulid_time', next_uuidv7 => 'uuid_time');
	my $off = sub { value_of($sessions[0], "SELECT extract(epoch FROM $time_of{$_[0]}(?) - clock_timestamp())", $_[1]) };
	for my $maker (@makers)
	{
		set_clock($jumping, '+0');
		my @values = value_of($sessions[0], "SELECT $maker()");
		for my $step ('-0.1', '-0.9')
		{
			set_clock($jumping, $step);
			push @values, value_of($sessions[1], "SELECT $maker()");
		}
		is(falls(@values), 0, "$maker: a clock 0.9 s back is waited for, whatever max_lead is");
		set_clock($jumping, '+31536000');
		my $ahead = value_of($sessions[1], "SELECT $maker()");
		cmp_ok(abs $off->($maker, $ahead), '<', 10, "$maker: under a clock a year ahead");
		set_clock($jumping, '+0');
		my @today = map { value_of($sessions[ $_ % 3 ], "SELECT $maker()") } 1 .. 30;
		cmp_ok(abs $off->($maker, $today[0]), '<', 10, "$maker: the clock right again: of today");
		is(falls(@today), 0, "$maker: the clock right again: rising in three sessions");
		unlike($today[0], qr/^\Q@{[ substr $ahead, 0, 20 ]}\E/, "$maker: not the next after the one of next year");
		set_clock($jumping, '+86400');
		value_of($sessions[1], "SELECT $maker()");
		set_clock($jumping, '+0');
		cmp_ok(abs $off->($maker, value_of($sessions[2], "SELECT $maker()")), '<', 10,
			"$maker: the clock right again after a day ahead: of today");
	}
	my $log = slurp_file($jumping->logfile);
	my $told = qr/begins again at the clock, 36\d days(?: \d+ h)? below the last one\n.*DETAIL:  The last one says 20.*, the clock says 20.*\n.*HINT:  See/;
	is(scalar(() = $log =~ /LOG:  the order of $_ $told/g), 1, "the log: $_") for 'ULIDs', 'UUIDs of version 7';
	is(scalar(() = $log =~ /begins again/g), 2, 'the log: once each');

	# More UUIDs than the clock has stamps for: they wait a second ahead of it, and the order does not begin again.
	freeze_clock($jumping, time);
	my $first = value_of($sessions[0], 'SELECT next_uuidv7()');
	$sessions[1]->do('SELECT count(next_uuidv7()) FROM generate_series(1, 6000000)', { pg_async => PG_ASYNC });
	wait_until($sessions[0], "SELECT wait_event_type = 'Extension' FROM pg_stat_activity WHERE state = 'active' AND pid = $sessions[1]{pg_pid}");
	cmp_ok($sessions[1]->pg_cancel, '==', 1, 'next_uuidv7: a wait for the clock can be canceled');
	set_clock($jumping, '+5');
	my $next = value_of($sessions[2], 'SELECT next_uuidv7()');
	cmp_ok($next, 'gt', $first, 'next_uuidv7: the clock has come so far: larger than all before');
	set_clock($jumping, '+4.5');
	my $second = value_of($sessions[2], 'SELECT next_uuidv7()');
	cmp_ok($second, 'gt', $next, 'next_uuidv7: the order goes on');
	is(scalar(() = slurp_file($jumping->logfile) =~ /begins again/g), 2, 'next_uuidv7: nothing began again');

	# The random part of ObjectIds changes when the clock goes back to a second of before, and only then.
	set_clock($jumping, '+10');
	my $part = sub { substr value_of($sessions[0], 'SELECT next_objectid()::text'), 8, 10 };
	my $begun = $part->();
	set_clock($jumping, '+20');
	is($part->(), $begun, 'next_objectid: later, the same random part');
	set_clock($jumping, '+5');
	my $anew = $part->();
	isnt($anew, $begun, 'next_objectid: the clock set back: another one');
	is($part->(), $anew, 'next_objectid: which stays');
	$_->disconnect for @sessions;
}

# Many to a statement: rising in each session, none twice in all. The clock is the machine's own: nothing slows the
# sessions.
my $plain = start_node('plain', kinds => 1);
$plain->safe_psql('postgres', 'CREATE UNLOGGED TABLE made (session int, statement int, n int, ulid ulid, uuid uuid, objectid objectid, ksuid ksuid)');
ok( in_sessions(
		$plain, $workers,
		sub {
			my ($session, $number) = @_;
			$session->do(<<'SQL', undef, $number, $_) for 1 .. 5;
INSERT INTO made SELECT ?, ?, n, next_ulid(), next_uuidv7(), next_objectid(), next_ksuid() FROM generate_series(1, 10000) AS n
SQL
		}),
	"$workers sessions, 10000 to a statement");
my $session = connect_to($plain);
for my $kind (qw(ulid uuid objectid ksuid))
{
	is(value_of($session, "SELECT count(*) FROM (SELECT DISTINCT $kind FROM made) AS s"), $workers * 50000,
		"$kind: none twice");
	next if $kind eq 'ksuid' || $kind eq 'objectid';
	is(value_of($session, <<"SQL"), 0, "$kind: rising in each session");
SELECT count(*) FROM (SELECT $kind, lag($kind) OVER (PARTITION BY session ORDER BY statement, n) AS last FROM made) AS s WHERE $kind <= last
SQL
}
# The random bits would hide it: no two have the same time and fraction.
is(value_of($session, 'SELECT count(DISTINCT left(uuid::text, 18)) FROM made'), $workers * 50000,
	'uuid: no stamp twice');
$session->disconnect;

done_testing();
