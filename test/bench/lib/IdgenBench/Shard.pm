# One shard of the default layout, saturated by one session: 1,024 IDs a millisecond are all it has.
package IdgenBench::Shard;

use strict;
use warnings;

use IdgenBench::Samples;
use IdgenBench::Session;

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

1;
