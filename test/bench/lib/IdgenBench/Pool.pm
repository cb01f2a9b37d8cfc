# A pool of 16 shards of the default layout, drawn from by one session in arrays.
package IdgenBench::Pool;

use strict;
use warnings;

use IdgenBench::Samples;
use IdgenBench::Session;

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

1;
