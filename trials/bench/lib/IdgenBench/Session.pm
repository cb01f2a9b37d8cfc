# A session on a server, and the CPU time that its backend uses.
package IdgenBench::Session;

use strict;
use warnings;

use DBD::Pg qw(:async);
use DBI;
use Time::HiRes qw(sleep time);

# Opens a session; PGHOST, PGUSER and PGDATABASE say where. Options: port, database, and settings of the session.
sub new
{
	my ($class, %setting) = @_;
	my $where = join ';', map { my $value = delete $setting{ $_->[0] }; defined $value ? "$_->[1]=$value" : () } [qw(port port)], [qw(database dbname)];
	my $handle = DBI->connect("dbi:Pg:$where", undef, undef, { RaiseError => 1, PrintError => 0 });
	$handle->do('SELECT set_config(?, ?, false)', undef, $_, $setting{$_}) for sort keys %setting;
	my ($pid) = $handle->selectrow_array('SELECT pg_backend_pid()');
	return bless { handle => $handle, pid => $pid }, $class;
}

# Runs statements by the simple protocol.
sub run
{
	my ($self, @statements) = @_;
	$self->{handle}->do($_) for @statements;
	return;
}

# Process id of the backend.
sub pid { my ($self) = @_; return $self->{pid} }

# The first row of a query.
sub row { my ($self, $sql) = @_; return $self->{handle}->selectrow_array($sql) }

sub version { my ($self) = @_; return ($self->row('SHOW server_version'))[0] =~ s/ .*//r }

# A statement with a parameter, for the extended protocol: prepared in the server, or unnamed and parsed at each execution.
sub statement
{
	my ($self, $sql, $is_prepared) = @_;
	return $self->{handle}->prepare($sql, $is_prepared ? { pg_server_prepare => 1, pg_switch_prepared => 1 } : { pg_server_prepare => 0 });
}

# Sends lines to a COPY.
sub copy
{
	my ($self, $sql, @lines) = @_;
	$self->{handle}->do($sql);
	$self->{handle}->pg_putcopydata("$_\n") for @lines;
	$self->{handle}->pg_putcopyend;
	return;
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

# What some work took: wall and CPU time of the backend in seconds, and bytes of WAL.
sub used
{
	my ($self, $work) = @_;
	my ($lsn) = $self->row('SELECT pg_current_wal_insert_lsn()');
	my ($cpu, $began) = ($self->cpu, time);
	$work->();
	my %used = (wall => time - $began, cpu => $self->cpu - $cpu);
	$used{wal} = ($self->row("SELECT pg_current_wal_insert_lsn() - '$lsn'"))[0];
	return %used;
}

# The same of a query that must give a value.
sub used_by
{
	my ($self, $sql, $expected) = @_;
	return $self->used(sub {
		my ($value) = $self->row($sql);
		die "$sql: $value\n" unless $value eq $expected;
	});
}

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
