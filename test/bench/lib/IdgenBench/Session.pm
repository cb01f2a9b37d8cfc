# A session on the server, and the CPU time that its backend uses.
package IdgenBench::Session;

use strict;
use warnings;

use DBD::Pg qw(:async);
use DBI;
use Time::HiRes qw(sleep time);

# Opens a session; PGHOST, PGUSER and PGDATABASE say where. Options: settings of the session.
sub new
{
	my ($class, %setting) = @_;
	my $handle = DBI->connect('dbi:Pg:', undef, undef, { RaiseError => 1, PrintError => 0 });
	$handle->do('SELECT set_config(?, ?, false)', undef, $_, $setting{$_}) for sort keys %setting;
	my ($pid) = $handle->selectrow_array('SELECT pg_backend_pid()');
	return bless { handle => $handle, pid => $pid }, $class;
}

sub run
{
	my ($self, $sql) = @_;
	$self->{handle}->do($sql);
	return;
}

# Process id of the backend.
sub pid
{
	my ($self) = @_;
	return $self->{pid};
}

# The first row of a query.
sub row
{
	my ($self, $sql) = @_;
	return $self->{handle}->selectrow_array($sql);
}

# The first values of all rows of a query.
sub column
{
	my ($self, $sql) = @_;
	return $self->{handle}->selectcol_arrayref($sql);
}

# CPU time of the backend so far in seconds, once it is idle again: the kernel counts in full only
# what no longer runs.
sub cpu
{
	my ($self) = @_;
	sleep 0.005;
	open my $file, '<', "/proc/$self->{pid}/schedstat" or die "/proc/$self->{pid}/schedstat: $!\n";
	my ($ns) = split ' ', <$file>;
	return $ns / 1e9;
}

# Runs a statement: the first value of its first row, its wall time and its CPU time in seconds.
sub timed
{
	my ($self, $sql) = @_;
	my $cpu = $self->cpu;
	my $began = time;
	my $query = $self->{handle}->prepare($sql, { pg_server_prepare => 0 });
	$query->execute;
	my ($value) = $query->{NUM_OF_FIELDS} ? $query->fetchrow_array : ();
	$query->finish;
	my $wall = time - $began;
	return { value => $value, wall => $wall, cpu => $self->cpu - $cpu };
}

# SQLSTATE and words of the error that the last query failed with.
sub state { my ($self) = @_; return $self->{handle}->state }
sub error { my ($self) = @_; return $self->{handle}->errstr =~ /^(?:ERROR:\s*)?(.*)/ ? $1 : '' }

# Begins a query; finish_row gives its first row.
sub begin
{
	my ($self, $sql) = @_;
	$self->{query} = $self->{handle}->prepare($sql, { pg_async => PG_ASYNC, pg_server_prepare => 0 });
	$self->{query}->execute;
	return;
}

sub finish_row
{
	my ($self) = @_;
	$self->{handle}->pg_result;
	my @row = $self->{query}->fetchrow_array;
	$self->{query}->finish;
	return @row;
}

1;
