# How calls behave with more sessions, shards and databases.
package IdgenBench::Sessions;

use strict;
use warnings;
use utf8;

use IdgenBench::Samples qw(in_rounds);
use IdgenBench::Session;
use List::Util qw(sum);
use Time::HiRes qw(time);

my $roomy = q{'epoch=2020-01-01T00:00:00Z unit=1ms time=40 shard=3 sequence=20'};
# The sequence stands above the shard, so an ID of a lower shard may follow one of a higher shard in one tick.
my $by_shard = q{'epoch=2020-01-01T00:00:00Z unit=1000ms time=31 sequence=19 shard=13'};

# Each makes so many IDs, all sessions together.
my @makers = (
	{ name => 'one shard', call => 'next_id(5)', ids => 500_000 },
	{ name => 'one shard, roomy layout', call => "next_id(5, $roomy)", ids => 4_000_000 },
	{ name => 'pool of 16 shards', call => 'next_id()', shards => '0-15', ids => 4_000_000 },
	{ name => 'pool of 256 shards', call => 'next_id()', shards => '0-255', ids => 6_000_000 },
	{ name => 'nextval, CACHE 1', call => q{nextval('cache_1')}, ids => 1_500_000 },
	{ name => 'nextval, CACHE 1000', call => q{nextval('cache_1000')}, ids => 3_000_000 },
	{ name => 'no ID', call => 'generate_series', ids => 8_000_000 },
);
my @counts = (1, 2, 8);
my @databases = (1, 10);
my $rows = 400_000;
my $renewing_seconds = 5;

# Millions of IDs a second of all sessions.
sub _rate
{
	my ($maker, @sessions) = @_;
	$_->run("SET idgen.shards = '@{[ $maker->{shards} // '' ]}'") for @sessions;
	my $each = $maker->{ids} / @sessions;
	my $began = time;
	$_->begin("SELECT count($maker->{call}) FROM (SELECT generate_series(1, $each) OFFSET 0) s") for @sessions;
	my $made = sum map { ($_->finish_row)[0] } @sessions;
	die "$maker->{call}: $made rows\n" unless $made == $maker->{ids};
	return $made / 1e6 / (time - $began);
}

sub _sessions_at_once
{
	my ($rounds) = @_;
	my @sessions = map { IdgenBench::Session->new } 1 .. $counts[-1];
	_rate($_, @sessions) for @makers;
	my $samples = in_rounds($rounds, sub {
		my ($maker) = @_;
		return map { $_ => _rate($maker, @sessions[ 0 .. $_ - 1 ]) } @counts;
	}, @makers);
	my @rows = map {
		my $name = $_->{name};
		[ $name, map { sprintf '%s (%s)', $samples->median("$name $_"), $samples->median("$name $_", "$name 1") } @counts ];
	} @makers;
	return { title => 'Sessions at once', header => [ 'million a second', map { $_ == 1 ? '1 session' : "$_ sessions" } @counts ], rows => \@rows };
}

# CPU nanoseconds of a call with the number of the row, g, less those of an expression that does next to nothing with it.
sub _net
{
	my ($session, $empty, $call) = @_;
	my @cpu = map {
		my %used = $session->used_by("SELECT count($_) FROM (SELECT generate_series(1, $rows) AS g OFFSET 0) s", $rows);
		$used{cpu};
	} $empty, $call;
	return ($cpu[1] - $cpu[0]) * 1e9 / $rows;
}

sub _more_around
{
	my ($rounds, @others) = @_;
	my $session = IdgenBench::Session->new;
	my $call = sub { return _net($session, 'pg_backend_pid()', "next_id(5, $roomy)") };
	# Sessions that have drawn, and are idle in an open transaction.
	my $beside = sub {
		my @idle = @_;
		$_->run('BEGIN', 'SELECT next_id(6)') for @idle;
		my $ns = $call->();
		$_->run('ROLLBACK') for @idle;
		return $ns;
	};
	my @idle = map { IdgenBench::Session->new } 1 .. 50;
	my $in_turn = sub { my ($count) = @_; return sub { _net($session, "abs(g % $count)", "next_id(g % $count, $by_shard)") } };
	my @cases = (
		{ name => 'one of 8,192 shards', ns => $in_turn->(1) },
		{ name => '16 of them in turn', ns => $in_turn->(16) },
		{ name => '1,024 of them in turn', ns => $in_turn->(1024) },
		{ name => 'one shard, nobody else', ns => $call },
		{ name => 'beside 50 idle sessions', ns => sub { $beside->(@idle) } },
		{ name => 'beside an idle session in each of 10 databases', ns => sub { $beside->(@others) } },
	);
	my $samples = in_rounds($rounds, sub { return (ns => $_[0]{ns}->()) }, @cases);
	my @rows = map { [ $_->{name}, $samples->text("$_->{name} ns") ] } @cases;
	return { title => 'Shards and databases', header => [ 'next_id()', 'CPU time, ns' ], rows => \@rows };
}

# Renewals and bytes of WAL so far.
sub _used_by_all
{
	my (@sessions) = @_;
	my $renewals = sum map { ($_->row('SELECT renewals FROM idgen.stat_database'))[0] } @sessions;
	return ($renewals, $sessions[0]->row(q{SELECT pg_current_wal_insert_lsn() - '0/0'}));
}

sub _renewals
{
	my ($rounds, @sessions) = @_;
	my $slowly = sprintf 'SELECT count(next_id(6)), count(pg_sleep(0.02)) FROM generate_series(1, %d)', 50 * $renewing_seconds;
	my $fast = sprintf 'SELECT count(next_id(6)) FROM generate_series(1, %d)', 1_024_000 * $renewing_seconds;
	my @cases = (
		(map { { name => $_ == 1 ? '1 database, 50 IDs a second' : "$_ databases, 50 IDs a second each", count => $_, sql => $slowly } } @databases),
		{ name => '1 database, as fast as one shard can', count => 1, sql => $fast },
	);
	my $samples = in_rounds($rounds, sub {
		my ($case) = @_;
		my @drawing = @sessions[ 0 .. $case->{count} - 1 ];
		my ($began, @before) = (time, _used_by_all(@drawing));
		$_->begin($case->{sql}) for @drawing;
		$_->finish_row for @drawing;
		my @after = _used_by_all(@drawing);
		my $seconds = time - $began;
		return (flushes => ($after[0] - $before[0]) / $seconds, wal => ($after[1] - $before[1]) / $seconds);
	}, @cases);
	my @rows = map { my $name = $_->{name}; [ $name, map { $samples->median("$name $_") } qw(flushes wal) ] } @cases;
	return { title => 'Renewals', header => [ 'draws', 'flushes a second', 'bytes of WAL a second' ], rows => \@rows };
}

sub tables
{
	my ($class, $rounds) = @_;
	my $first = IdgenBench::Session->new;
	my @others;
	for my $number (1 .. $databases[-1])
	{
		$first->run("CREATE DATABASE bench_$number");
		push @others, IdgenBench::Session->new(database => "bench_$number");
		$others[-1]->run('CREATE EXTENSION idgen');
	}
	return (_sessions_at_once($rounds), _more_around($rounds, @others), _renewals($rounds > 3 ? 3 : $rounds, @others));
}

1;
