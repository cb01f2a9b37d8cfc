# An application that waits for IDs of a shard which four other sessions exhaust: beside sessions that borrow, and beside one more that
# draws above IDs ahead of the clock, against the same beside sessions that wait as it does.
package IdgenBench::Borrow;

use strict;
use warnings;

use IdgenBench::Samples;
use IdgenBench::Session;
use Time::HiRes qw(sleep time);

my $others = 4;
my $seconds = 3;
my $exhaust = 'SELECT count(next_id(5)) FROM (SELECT generate_series(1, 2000000000) OFFSET 0) s';
# Ten times a second, as far ahead as idgen.max_lead and the next tick allow.
my $lift = q{SELECT count(next_id_after(id_make(clock_timestamp() + '990 ms', 5, 0), 5)), count(pg_sleep(0.1))
  FROM (SELECT generate_series(1, 1000000) OFFSET 0) s};
my @kinds = qw(wait borrow ahead);

sub new
{
	my ($class) = @_;
	my %others = map { my $kind = $_; $kind => [ map { IdgenBench::Session->new('idgen.overflow' => $kind) } 1 .. $others ] } qw(wait borrow);
	$others{ahead} = [ @{ $others{wait} }, IdgenBench::Session->new ];
	return bless { app => IdgenBench::Session->new, others => \%others, samples => IdgenBench::Samples->new }, $class;
}

# Heavy for its time: this many rounds are enough.
sub most_rounds { return 9 }

sub warm_up
{
	my ($self) = @_;
	$self->{app}->row('SELECT next_id(5)');
	return;
}

# The IDs that the shard has made, whoever drew them.
sub _made
{
	my ($self) = @_;
	my ($ids) = $self->{app}->row('SELECT ids FROM idgen.stat_shard WHERE shard = 5');
	return $ids;
}

# Draws one ID after the other for some seconds: IDs a second, the median time of one in ms, how many errors; and the IDs that all
# sessions draw a second meanwhile.
sub _draw
{
	my ($self) = @_;
	my $began = time;
	my $made = $self->_made;
	my ($errors, @ms) = (0);
	while (time - $began < $seconds)
	{
		my $before = time;
		$errors++ unless eval { $self->{app}->row('SELECT next_id(5)') };
		push @ms, 1000 * (time - $before);
	}
	my $rate = (@ms - $errors) / (time - $began);
	my $all = ($self->_made - $made) / (time - $began);
	return { rate => $rate, all => $all, ms => (sort { $a <=> $b } @ms)[ @ms / 2 ], errors => $errors };
}

# The same beside sessions of a kind, once they are as far ahead as they may be. Afterwards the clock catches up.
sub _beside
{
	my ($self, $kind) = @_;
	my @others = @{ $self->{others}{$kind} };
	$_->begin($exhaust) for @others[ 0 .. $others - 1 ];
	$_->begin($lift) for @others[ $others .. $#others ];
	sleep 1;
	my $drawn = $self->_draw;
	$self->{app}->row('SELECT pg_cancel_backend(' . $_->pid . ')') for @others;
	for (@others)
	{
		die "a session beside it has ended by itself: $kind\n" if eval { $_->finish_row; 1 };
	}
	sleep 1.5;
	return $drawn;
}

sub round
{
	my ($self, $number) = @_;
	my %drawn = map { $_ => $self->_beside($_) } $number % 2 ? @kinds : reverse @kinds;
	my $samples = $self->{samples};
	for my $kind (@kinds)
	{
		$samples->add("$_ $kind", $drawn{$kind}{$_}) for qw(rate all ms errors);
	}
	for my $kind (qw(borrow ahead))
	{
		$samples->add("$_ ratio $kind" => $drawn{$kind}{$_} / $drawn{wait}{$_}) for qw(rate all);
	}
	return;
}

sub section
{
	my ($self) = @_;
	my $samples = $self->{samples};
	my $row = sub { my ($figure) = @_; return map { $samples->text("$figure $_") } @kinds };
	return {
		title => 'One ID of a shard that others exhaust',
		text => <<"END",
An application calls `next_id(5)` for $seconds seconds, a statement for each ID. $others other sessions take all IDs of
the same shard. The application waits (`idgen.overflow = wait`); the others wait as well, or they borrow, or they wait
beside one more that calls `next_id_after()` ten times a second with IDs 990 ms ahead of the clock.
END
		header => [ 'figure', 'beside sessions that wait', 'beside sessions that borrow', 'with one that draws ahead' ],
		rows => [
			[ 'IDs a second of the application', $row->('rate') ],
			[ 'the same, to that beside sessions that wait', '1', map { $samples->text("rate ratio $_") } qw(borrow ahead) ],
			[ 'IDs a second of all sessions', $row->('all') ],
			[ 'the same, to that beside sessions that wait', '1', map { $samples->text("all ratio $_") } qw(borrow ahead) ],
			[ 'time of one ID, ms', $row->('ms') ],
			[ 'errors', $row->('errors') ],
		],
		claims => [
			{
				what => "IDs a second beside $others sessions that borrow, to those beside $others that wait",
				least => 0.25,
				spread => $samples->spread('rate ratio borrow')
			},
			{
				what => 'IDs a second of a shard with a session that draws ahead of the clock, to those without',
				least => 0.5,
				spread => $samples->spread('all ratio ahead')
			},
		],
	};
}

1;
