# What many databases that draw at once cost: each renews its own horizon, which is a flush of the WAL. How many flushes a second
# the machine has says how many databases it can carry.
package IdgenBench::Scale::Renewals;

use strict;
use warnings;

use IdgenBench::Samples;
use IdgenBench::Session;
use List::Util qw(sum);
use Time::HiRes qw(time);

my $flushes = 300;

# Of the databases of Growth.pm so many at most, for `seconds`.
sub new
{
	my ($class, %of) = @_;
	my @counts = grep { $_ <= $of{databases} } 1, 10, 50;
	my @sessions = map { local $ENV{PGDATABASE} = "scale_$_"; IdgenBench::Session->new } 0 .. $counts[-1] - 1;
	return bless { counts => \@counts, sessions => \@sessions, ticks => 50 * $of{seconds}, samples => IdgenBench::Samples->new }, $class;
}

sub warm_up { return }

# Renewals and bytes of WAL of the first so many databases.
sub _used
{
	my (@sessions) = @_;
	return (sum(map { ($_->row('SELECT renewals FROM idgen.stat_database'))[0] } @sessions), $sessions[0]->row(q{SELECT pg_current_wal_insert_lsn() - '0/0'}));
}

sub round
{
	my ($self) = @_;
	my $samples = $self->{samples};
	for my $count (@{ $self->{counts} })
	{
		my @sessions = @{ $self->{sessions} }[ 0 .. $count - 1 ];
		my ($began, @before) = (time, _used(@sessions));
		$_->begin("SELECT count(next_id(6)), count(pg_sleep(0.02)) FROM generate_series(1, $self->{ticks})") for @sessions;
		$_->finish_row for @sessions;
		my @after = _used(@sessions);
		my $seconds = time - $began;
		$samples->add("renewals $count" => ($after[0] - $before[0]) / $seconds);
		$self->{of_one} = ($after[0] - $before[0]) / $seconds / $count;
		$samples->add("wal $count" => ($after[1] - $before[1]) / $seconds);
	}
	my $run = $self->{sessions}[0]->timed("DO \$\$ BEGIN FOR n IN 1 .. $flushes LOOP PERFORM pg_logical_emit_message(true, '', ''); COMMIT; END LOOP; END \$\$");
	my $rate = $flushes / $run->{wall};
	$samples->add(flushes => $rate);
	$samples->add(databases => $rate / $self->{of_one});
	return;
}

sub sections
{
	my ($self) = @_;
	my $samples = $self->{samples};
	return {
		title => 'Databases that draw at once',
		text => <<'END',
One session in each database draws 50 times a second. Each database renews its horizon twice in
`idgen.horizon_window`, and each renewal is a flush of the WAL. The last rows say how many flushes a second one
session has on this machine, one after the other, and for how many databases they are enough; sessions that commit at
once share flushes.
END
		header => [ 'databases', 'renewals a second', 'bytes of WAL a second' ],
		rows => [
			(map { [ $_, $samples->text("renewals $_"), $samples->text("wal $_") ] } @{ $self->{counts} }),
			[ 'flushes a second of one session', $samples->text('flushes'), '' ],
			[ 'databases that use them up', $samples->text('databases'), '' ],
		],
	};
}

1;
