# How long a server that was stopped, crashed or promoted takes to its first ID.
package IdgenBench::Recovery;

use strict;
use warnings;
use utf8;

use IdgenBench::Cluster;
use IdgenBench::Samples;
use Time::HiRes qw(sleep time);

my @kinds = (
	{ name => 'restart', label => 'restart' },
	{ name => 'crash', label => 'kill -9 of the postmaster, start' },
	{ name => 'standby', label => 'promotion, asynchronous' },
	{ name => 'synchronous', label => 'promotion, synchronous' },
	{ name => 'restore', label => 'restore of a base backup, with recovery.signal' },
);

sub new
{
	my ($class) = @_;
	return bless { samples => IdgenBench::Samples->new }, $class;
}

# Each round makes its servers anew.
sub most_rounds { return 5 }

sub warm_up { return }

# Makes IDs until the horizon has moved on a few times.
sub _use
{
	my ($cluster, $seconds) = @_;
	my $session = $cluster->connect;
	my $until = time + $seconds;
	$session->do('SELECT next_id_array(20000)') while time < $until;
	$session->disconnect;
	return;
}

# Notes how long the server took, and from then on its first ID.
sub _note
{
	my ($self, $kind, $ready, $session) = @_;
	$session->do(q{SET idgen.max_wait = '1min'});
	my $began = time;
	$session->do('SELECT next_id()');
	$self->{samples}->add("$kind ready", 1000 * $ready);
	$self->{samples}->add("$kind first", 1000 * (time - $began));
	return;
}

sub _promote
{
	my ($self, $kind, $primary, $standby) = @_;
	_use($primary, 1.2);
	$primary->crash;
	my $session = $standby->connect;
	my $began = time;
	$session->do('SELECT pg_promote()');
	$self->_note($kind, time - $began, $session);
	$session->disconnect;
	return;
}

sub round
{
	my ($self) = @_;
	my $primary = IdgenBench::Cluster->new('primary');
	_use($primary, 1.2);
	$primary->stop('fast');
	$self->_note(restart => $primary->start, $primary->connect);
	_use($primary, 1.2);
	$primary->crash;
	$self->_note(crash => $primary->start, $primary->connect);

	my $restored = IdgenBench::Cluster->standby_of($primary, 'restored');
	my $standby = IdgenBench::Cluster->standby_of($primary, 'standby');
	$standby->start;
	$self->_promote(standby => $primary, $standby);
	$primary->remove;

	rename $restored->folder . "/standby.signal", $restored->folder . "/recovery.signal";
	$restored->configure(q{restore_command = 'false'}, 'hot_standby = off');
	$self->_note(restore => $restored->start, $restored->connect);
	$restored->remove;

	my $synchronous = IdgenBench::Cluster->standby_of($standby, 'synchronous');
	$synchronous->start;
	_use_synchronous($standby);
	$self->_promote(synchronous => $standby, $synchronous);
	$_->remove for $standby, $synchronous;
	return;
}

# From now on the server waits for its standby; the standby, promoted, waits for none.
sub _use_synchronous
{
	my ($primary) = @_;
	my $session = $primary->connect;
	$session->do(q{ALTER SYSTEM SET synchronous_standby_names = '*'});
	$session->do('SELECT pg_reload_conf()');
	sleep 0.01
	  until $session->selectrow_array(q{SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'});
	$session->disconnect;
	return;
}

sub section
{
	my ($self) = @_;
	my $samples = $self->{samples};
	return {
		title => 'The first ID after a restart, a crash, a failover',
		text => <<'END',
One session makes IDs; then the server is stopped, killed, or replaced by its standby. Clocks are right, and settings
are the defaults. A server of another identity first waits for 2 × `idgen.clock_error` + 1 ms, longer if clocks are
wrong ([guarantees.md](guarantees.md)).
END
		header => [ 'what', 'until the server takes queries, ms', 'from then on to the first ID, ms', 'the longest, ms' ],
		rows => [ map { $self->_row($_) } @kinds ],
		claims => [],
	};
}

sub _row
{
	my ($self, $kind) = @_;
	my $samples = $self->{samples};
	my $longest = $samples->spread("$kind->{name} first")->{max};
	return [ $kind->{label}, $samples->text("$kind->{name} ready"), $samples->text("$kind->{name} first"),
		sprintf '%.1f', $longest ];
}

1;
