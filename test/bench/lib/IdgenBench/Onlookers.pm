# The first ID of a new session beside eight sessions that ask for idgen.status() in a loop, against the same beside eight that
# run SELECT 1.
package IdgenBench::Onlookers;

use strict;
use warnings;

use IdgenBench::Samples;
use IdgenBench::Session;
use Time::HiRes qw(sleep time);

my $others = 8;
my $sessions = 15;
my %loop = (
	one    => 'DO $$ BEGIN LOOP PERFORM 1; END LOOP; END $$',
	status => 'DO $$ BEGIN LOOP PERFORM count(*) FROM idgen.status(); END LOOP; END $$');
my @kinds = sort keys %loop;

sub new
{
	my ($class) = @_;
	return bless { main => IdgenBench::Session->new, others => [ map { IdgenBench::Session->new } 1 .. $others ], samples => IdgenBench::Samples->new }, $class;
}

sub most_rounds { return 9 }

sub warm_up
{
	my ($self) = @_;
	$_->row('SELECT count(*) FROM idgen.status()') for @{ $self->{others} };
	return;
}

# The median time of a new session's first ID, in ms.
sub _first
{
	my @ms;
	for (1 .. $sessions)
	{
		my $session = IdgenBench::Session->new;
		my $began = time;
		$session->row('SELECT next_id(5)');
		push @ms, 1000 * (time - $began);
	}
	return (sort { $a <=> $b } @ms)[ @ms / 2 ];
}

sub _beside
{
	my ($self, $kind) = @_;
	my @others = @{ $self->{others} };
	$_->begin($loop{$kind}) for @others;
	sleep 0.5;
	my $ms = _first();
	$self->{main}->row('SELECT pg_cancel_backend(' . $_->pid . ')') for @others;
	for (@others)
	{
		die "a loop of $kind has ended by itself\n" if eval { $_->finish_row; 1 };
	}
	return $ms;
}

sub round
{
	my ($self, $number) = @_;
	my %ms = map { $_ => $self->_beside($_) } $number % 2 ? @kinds : reverse @kinds;
	$self->{samples}->add($_, $ms{$_}) for @kinds;
	$self->{samples}->add(ratio => $ms{status} / $ms{one});
	return;
}

sub section
{
	my ($self) = @_;
	my $samples = $self->{samples};
	return {
		title => 'The first ID of a session beside others that look on',
		text => <<"END",
A new session calls `next_id(5)`, and its first ID is timed, while $others sessions run `SELECT 1` or ask for
`idgen.status()` in a loop. Of $sessions sessions a round, the median.
END
		header => [ 'figure', 'beside `SELECT 1`', 'beside `idgen.status()`' ],
		rows => [
			[ 'time of the first ID, ms', map { $samples->text($_) } @kinds ],
			[ 'the same, to that beside `SELECT 1`', '1', $samples->text('ratio') ],
		],
		claims => [
			{
				what => "time of a first ID beside $others loops of idgen.status(), to that beside $others of SELECT 1",
				most => 3,
				spread => $samples->spread('ratio')
			},
		],
	};
}

1;
