# Readers by ID for the TAP tests: processes that poll a table beside its writers, each in ONE statement, and what they
# missed in the end.
package IdgenReader;

use strict;
use warnings;

use Exporter qw(import);
use IdgenNode;
use POSIX qw(_exit);
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

our @EXPORT = qw(begin_reader end_reader missed_by settled_id);

# How each kind reads the statement that it is given.
my %read_by = (
	read_committed  => \&in_one_statement,
	naive           => \&in_one_statement,
	repeatable_read => \&in_old_snapshot,
	cursor          => \&by_cursor);

# Up to where a session may read; undef: nothing is known.
sub settled_id
{
	my ($session, $layout) = @_;
	return value_of($session, 'SELECT id_settled(?)', $layout // 'instagram');
}

# Begins a reader of a table: table, layout, kind (read_committed if none is said; naive reads all that is larger than
# the last ID, as naive => 1 does), bound (an expression in place of id_settled()), view (it reads this one, which has
# the bound), set (settings of its sessions), db. It connects again if its server is gone.
sub begin_reader
{
	my ($node, %reader) = @_;
	$reader{kind} //= $reader{naive} ? 'naive' : 'read_committed';
	$reader{naive} = $reader{kind} eq 'naive';
	$reader{bound} //= "id_settled('" . ($reader{layout} // 'instagram') . "')";
	my $file = PostgreSQL::Test::Utils::tempdir() . '/seen';
	my $parent = $$;
	my $pid = fork // die "fork: $!";
	return { %reader, pid => $pid, file => $file } if $pid;
	my ($end, $from, @seen) = (0, 0);
	local $SIG{TERM} = sub { $end = 1 };
	my $session;
	until ($end == 2)
	{
		_exit(1) if getppid != $parent;
		# Once more after the last row was written.
		$end = 2 if $end;
		eval {
			$session //= new_session($node, \%reader);
			push @seen, @{ read_on($session, \%reader, \$from, $end) };
			1;
		} or ($session, $end) = (undef, $end ? 1 : 0);
		sleep 0.02;
	}
	open my $out, '>', $file or die "$file: $!";
	print $out map { "$_\n" } $from, @seen;
	close $out;
	_exit(0);
}

sub new_session
{
	my ($node, $reader) = @_;
	my $session = connect_to($node, db => $reader->{db});
	$session->do("SET $_") for @{ $reader->{set} // [] };
	return $session;
}

# The rows from a position on, which moves behind the last of them; at the end until nothing that is there lies above,
# but not for ever.
sub read_on
{
	my ($session, $reader, $from, $is_end) = @_;
	my @rows;
	for (1 .. ($is_end ? 1000 : 1))
	{
		my $below = $reader->{naive} || $reader->{view} ? '' : " AND id < $reader->{bound}";
		my $query = sprintf 'SELECT id FROM %s WHERE id >= %s%s ORDER BY id', $reader->{view} // $reader->{table}, $$from, $below;
		my $new = $read_by{ $reader->{kind} }->($session, $query);
		$$from = $new->[-1] + 1 if @$new;
		push @rows, @$new;
		last if !$is_end || $reader->{naive} || !value_of($session, "SELECT EXISTS (SELECT FROM $reader->{table} WHERE id >= ?)", $$from);
		sleep 0.02;
	}
	return \@rows;
}

sub in_one_statement { my ($session, $query) = @_; return $session->selectcol_arrayref($query) }

# In a transaction whose snapshot another statement took, some time before.
sub in_old_snapshot
{
	my ($session, $query) = @_;
	$session->begin_work;
	my $rows = eval {
		$session->do('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
		value_of($session, 'SELECT count(*) FROM pg_extension');
		sleep rand() < 0.05 ? 0.3 * rand : 0.04 * rand;
		$session->selectcol_arrayref($query);
	};
	my $error = $@;
	$session->rollback;
	die $error unless $rows;
	return $rows;
}

# By a cursor that is fetched between other statements, which have later bounds.
sub by_cursor
{
	my ($session, $query) = @_;
	$session->begin_work;
	my @rows;
	my $done = eval {
		$session->do("DECLARE reading CURSOR FOR $query");
		my $new;
		do
		{
			sleep 0.01 * rand;
			value_of($session, 'SELECT count(*) FROM pg_extension');
			push @rows, @{ $new = $session->selectcol_arrayref('FETCH 8 FROM reading') };
		} while (@$new == 8);
		1;
	};
	my $error = $@;
	$session->rollback;
	die $error unless $done;
	return \@rows;
}

# Ends a reader; gives its position and how often it has seen each ID.
sub end_reader
{
	my ($reader) = @_;
	kill 'TERM', $reader->{pid};
	waitpid $reader->{pid}, 0;
	open my $in, '<', $reader->{file} or die "$reader->{file}: $!";
	chomp(my ($from, @ids) = <$in>);
	my %seen;
	$seen{$_}++ for @ids;
	return ($from, \%seen);
}

# Ends it, and gives how many rows it lost, how many it has seen twice, and how many it has seen at all. The rows are
# those of that session's server.
sub missed_by
{
	my ($session, $reader) = @_;
	my ($from, $seen) = end_reader($reader);
	my @there = @{ $session->selectcol_arrayref("SELECT id FROM $reader->{table} WHERE id < ?", undef, $from) };
	my $lost  = grep { !$seen->{$_} } @there;
	my $twice = grep { $_ > 1 } values %$seen;
	$lost += value_of($session, "SELECT count(*) FROM $reader->{table} WHERE id >= ?", $from) unless $reader->{naive};
	return ($lost, $twice, scalar keys %$seen);
}

1;
