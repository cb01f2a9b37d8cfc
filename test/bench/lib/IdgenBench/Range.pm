# The rows of a day among 100 days: by id_within, by an indexed column of the time, by reading all.
package IdgenBench::Range;

use strict;
use warnings;
use utf8;

use IdgenBench::Samples qw(number);
use IdgenBench::Session;

my $rows = 10_000_000;
my $days = 100;
my $first_day = '2026-01-01 00:00+00';
my @ways = (
	{ name => 'id', label => '`id_within(id, day)`', where => q{id_within(id, '%s')} },
	{
		name => 'column',
		label => 'indexed `created_at`',
		where => q{created_at >= lower('%1$s'::tstzrange) AND created_at < upper('%1$s'::tstzrange)}
	},
	{
		name => 'all',
		label => 'sequential scan',
		where => q{id_within(id, '%s')},
		settings => [qw(indexscan indexonlyscan bitmapscan)]
	},
);

# Heavy: this many rounds are enough.
sub most_rounds { return 5 }

sub new
{
	my ($class) = @_;
	return bless { session => IdgenBench::Session->new(TimeZone => 'UTC'), samples => IdgenBench::Samples->new }, $class;
}

# A day as a period, the days from 0.
sub _day
{
	my ($self, $number) = @_;
	my $at = "'$first_day'::timestamptz + interval '1 day' * $number";
	return scalar $self->{session}->row("SELECT tstzrange($at, $at + interval '1 day')");
}

sub _query
{
	my ($way, $day) = @_;
	return sprintf "SELECT count(*) FROM by_day WHERE $way->{where}", $day;
}

# Wall seconds of a day's count.
sub _run
{
	my ($self, $way, $day) = @_;
	my $session = $self->{session};
	$session->run("SET enable_$_ = off") for @{ $way->{settings} // [] };
	my $run = $session->timed(_query($way, $day));
	$session->run("RESET enable_$_") for @{ $way->{settings} // [] };
	die "$way->{name}: $run->{value} rows\n" unless $run->{value} == $rows / $days;
	return $run->{wall};
}

sub warm_up
{
	my ($self) = @_;
	my $session = $self->{session};
	$session->run('CREATE TABLE by_day (id bigint, created_at timestamptz, n integer)');
	$session->run(<<"SQL");
INSERT INTO by_day
SELECT id_make(at, n % 16, n % 1024), at, n
  FROM (SELECT n, '$first_day'::timestamptz + interval '$days days' * (n / $rows.0) AS at
          FROM generate_series(0, $rows - 1) AS n) AS s
SQL
	$session->run('ALTER TABLE by_day ADD PRIMARY KEY (id)');
	$session->run('CREATE INDEX ON by_day (created_at)');
	$session->run('VACUUM ANALYZE by_day');
	$self->_run($_, $self->_day(50)) for @ways;
	return;
}

# Another day each round, so that no way has it all in the processor's cache.
sub round
{
	my ($self, $number) = @_;
	my $day = $self->_day(7 * $number % $days);
	my @order = $number % 2 ? @ways : reverse @ways;
	my %wall = map { $_->{name} => $self->_run($_, $day) } @order;
	my $samples = $self->{samples};
	$samples->add($_, 1000 * $wall{$_}) for keys %wall;
	$samples->add("to_$_", $wall{id} / $wall{$_}) for qw(column all);
	my $expected = $self->_expected_rows($day);
	$samples->add(expected => $expected);
	my $off = $expected / ($rows / $days);
	$samples->add(off => $off < 1 ? 1 / $off : $off);
	return;
}

# Rows that the planner expects of a day.
sub _expected_rows
{
	my ($self, $day) = @_;
	my ($plan) = $self->{session}->row('EXPLAIN ' . sprintf "SELECT id FROM by_day WHERE $ways[0]{where}", $day);
	return $plan =~ /rows=(\d+)/ ? $1 : die "$plan\n";
}

sub _plan
{
	my ($self) = @_;
	my $query = _query($ways[0], $self->_day(50));
	my $lines = $self->{session}->column("EXPLAIN (ANALYZE, COSTS ON, TIMING OFF, SUMMARY OFF) $query");
	return join '', map { "    $_\n" } $query, '', @$lines;
}

sub section
{
	my ($self) = @_;
	my $samples = $self->{samples};
	my $plan = $self->_plan;
	$self->{session}->run('DROP TABLE by_day');
	return {
		title => 'The rows of a day',
		text => _text($plan),
		header => [ 'by', 'wall time, ms', 'id_within as a share' ],
		rows => [
			[ $ways[0]{label}, $samples->text('id'), '' ],
			(map { [ $_->{label}, $samples->text($_->{name}), $samples->text("to_$_->{name}") ] } @ways[ 1, 2 ]),
			[ 'rows that the planner expects', $samples->text('expected'), 'of ' . number($rows / $days) ],
		],
		claims => [
			{
				what => "a day's rows of 10 million by `id_within`, as a share of a sequential scan",
				in_short => 1,
				most => 0.1,
				spread => $samples->spread('to_all')
			},
			{
				what => "the planner's estimate of a day's rows, times too large or too small",
				most => 2,
				spread => $samples->spread('off')
			},
		],
	};
}

sub _text
{
	my ($plan) = @_;
	return <<"END";
`SELECT count(*)` of the rows of one day, 100,000 of 10 million in a table `(id bigint PRIMARY KEY, created_at
timestamptz, n integer)` with an index on `created_at`, all in memory.

$plan
END
}

1;
