# What sessions get of shards: one that a session saturates, a pool of 16 that one draws from, and one that two share.
use strict;
use warnings;

use IdgenBench::Samples;
use IdgenBench::Session;

# One shard of the default layout, saturated by one session: 1,024 IDs a millisecond are all it has.
package IdgenBench::Shard;

my $ids = 3_000_000;
my $most_per_second = 1_024_000;

sub new
{
	my ($class) = @_;
	my $session = IdgenBench::Session->new('idgen.shards' => '5');
	return bless { session => $session, samples => IdgenBench::Samples->new }, $class;
}

sub _run
{
	my ($self, $count) = @_;
	return $self->{session}->timed("SELECT count(next_id()) FROM (SELECT generate_series(1, $count) OFFSET 0) s");
}

sub warm_up
{
	my ($self) = @_;
	$self->_run(100_000);
	return;
}

sub round
{
	my ($self) = @_;
	my $before = $self->{session}->row('SELECT pg_current_wal_insert_lsn()');
	my $run = $self->_run($ids);
	my $wal = $self->{session}->row("SELECT pg_current_wal_insert_lsn() - '$before'::pg_lsn");
	my $rate = $ids / $run->{wall};
	$self->{samples}->add(rate => $rate);
	$self->{samples}->add(share => $rate / $most_per_second);
	$self->{samples}->add(wal => $wal / $run->{wall});
	$self->{samples}->add(cpu => 100 * $run->{cpu} / $run->{wall});
	return;
}

sub section
{
	my ($self) = @_;
	my $samples = $self->{samples};
	return {
		title => 'One saturated shard',
		text => <<'END',
One session calls `next_id()` 3 million times on one shard of the default layout, which has 1,024 IDs a millisecond.
END
		header => [ 'figure', 'measured' ],
		rows => [
			[ 'IDs a second', $samples->text('rate') ],
			[ 'share of the 1,024,000 there are', $samples->text('share') ],
			[ 'bytes of WAL a second', $samples->text('wal') ],
			[ 'CPU time of the backend, % of a core', $samples->text('cpu') ],
		],
		claims => [
			{
				what => 'IDs a second of one saturated shard as a share of 1,024,000',
				least => 0.99,
				spread => $samples->spread('share')
			},
			{
				what => 'CPU time of the saturated session, % of a core',
				most => 20,
				spread => $samples->spread('cpu')
			},
		],
	};
}

# A pool of 16 shards of the default layout, drawn from by one session in arrays.
package IdgenBench::Pool;

my $array_size = 1_000_000;
my $arrays = 20;

sub new
{
	my ($class) = @_;
	my $session = IdgenBench::Session->new('idgen.shards' => '0-15');
	return bless { session => $session, samples => IdgenBench::Samples->new }, $class;
}

sub _run
{
	my ($self, $count) = @_;
	my $run = $self->{session}
	  ->timed("SELECT sum(cardinality(next_id_array($array_size))) FROM generate_series(1, $count)");
	die "$run->{value} IDs\n" unless $run->{value} == $array_size * $count;
	return $run;
}

sub warm_up
{
	my ($self) = @_;
	$self->_run(2);
	return;
}

sub round
{
	my ($self) = @_;
	my $run = $self->_run($arrays);
	my $ids = $array_size * $arrays;
	$self->{samples}->add(rate => $ids / $run->{wall} / 1000);
	$self->{samples}->add(cpu => 100 * $run->{cpu} / $run->{wall});
	$self->{samples}->add(ns => $run->{cpu} * 1e9 / $ids);
	return;
}

sub section
{
	my ($self) = @_;
	my $samples = $self->{samples};
	return {
		title => 'A pool of 16 shards',
		text => <<'END',
One session with `idgen.shards = '0-15'` calls `next_id_array(1000000)` 20 times. There are 16,384 IDs a millisecond.
END
		header => [ 'figure', 'measured' ],
		rows => [
			[ 'IDs a millisecond', $samples->text('rate') ],
			[ 'CPU time of an ID, ns', $samples->text('ns') ],
			[ 'CPU time of the backend, % of a core', $samples->text('cpu') ],
		],
		claims => [
			{
				what => 'IDs a millisecond of one session on 16 shards',
				least => 10_000,
				spread => $samples->spread('rate')
			},
		],
	};
}

# Two sessions at once on one shard whose ticks never run out, against one alone: what sharing costs.
package IdgenBench::Pair;

my $calls = 4_000_000;
my $layout = q{'epoch=2020-01-01T00:00:00Z unit=1ms time=40 shard=3 sequence=20'};

sub new
{
	my ($class) = @_;
	my @sessions = map { IdgenBench::Session->new } 1 .. 2;
	return bless { sessions => \@sessions, samples => IdgenBench::Samples->new }, $class;
}

# Seconds that the query took, by the server's clock.
sub _query
{
	my ($count) = @_;
	return "SELECT extract(epoch FROM clock_timestamp() - statement_timestamp()), made
	          FROM (SELECT count(next_id(5, $layout)) AS made
	                  FROM (SELECT generate_series(1, $count) OFFSET 0) s) m";
}

# Runs all sessions at once: the mean rate of one and the CPU time of an ID.
sub _run
{
	my ($count, @sessions) = @_;
	my $cpu = 0;
	$cpu -= $_->cpu for @sessions;
	$_->begin(_query($count)) for @sessions;
	my $rate = 0;
	$rate += $count / ($_->finish_row)[0] for @sessions;
	$cpu += $_->cpu for @sessions;
	return { rate => $rate / @sessions / 1e6, ns => $cpu * 1e9 / ($count * @sessions) };
}

sub warm_up
{
	my ($self) = @_;
	_run(100_000, @{ $self->{sessions} });
	return;
}

sub round
{
	my ($self, $number) = @_;
	my @sessions = @{ $self->{sessions} };
	my $alone = _run($calls, $sessions[ $number % 2 ]);
	my $both = _run($calls, @sessions);
	my $samples = $self->{samples};
	for my $kind (qw(rate ns))
	{
		$samples->add("$kind alone", $alone->{$kind});
		$samples->add("$kind both", $both->{$kind});
		$samples->add("$kind ratio", $both->{$kind} / $alone->{$kind});
	}
	$samples->add(total => 2 * $both->{rate});
	$samples->add('total ratio', 2 * $both->{rate} / $alone->{rate});
	return;
}

sub section
{
	my ($self) = @_;
	my $samples = $self->{samples};
	my $row = sub { my ($kind) = @_; return map { $samples->text("$kind $_") } qw(alone both ratio) };
	return {
		title => 'Two sessions on one shard',
		text => <<'END',
A session calls `next_id(5, layout)` 4 million times, with a layout in which no call waits; then two sessions do so at
once on the same shard.
END
		header => [ 'figure', 'alone', 'both at once', 'ratio' ],
		rows => [
			[ 'million IDs a second, one session', $row->('rate') ],
			[ 'million IDs a second, together', map { $samples->text($_) } 'rate alone', 'total', 'total ratio' ],
			[ 'CPU time of a row, ns', $row->('ns') ],
		],
		is_long => 1,
		claims => [],
	};
}

1;
