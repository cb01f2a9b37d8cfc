# Two sessions at once on one shard whose ticks never run out, against one alone: what sharing costs.
package IdgenBench::Pair;

use strict;
use warnings;

use IdgenBench::Samples;
use IdgenBench::Session;

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
