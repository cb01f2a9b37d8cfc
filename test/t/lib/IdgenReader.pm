# Readers by ID for the TAP tests: processes that poll a table beside its writers, and what they missed in the end.
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

# Up to where a session may read; undef: nothing is known.
sub settled_id
{
	my ($session, $layout) = @_;
	return value_of($session, 'SELECT id_settled(?)', $layout // 'instagram');
}

# Begins a reader of a table: table, layout, naive (1: it reads all that is larger than the last ID). It connects again if its server
# is gone.
sub begin_reader
{
	my ($node, %reader) = @_;
	my $file = PostgreSQL::Test::Utils::tempdir() . '/seen';
	my $pid = fork // die "fork: $!";
	return { %reader, pid => $pid, file => $file } if $pid;
	my $end = 0;
	local $SIG{TERM} = sub { $end = 1 };
	my ($from, @seen) = (0);
	my $session;
	until ($end == 2)
	{
		# Once more after the last row was written.
		$end = 2 if $end;
		eval {
			$session //= connect_to($node);
			my $rows = $reader{naive} ? naive_rows($session, $reader{table}, \$from) : rows_below($session, \%reader, \$from, $end);
			push @seen, @$rows;
			1;
		} or ($session, $end) = (undef, $end ? 1 : 0);
		sleep 0.02;
	}
	open my $out, '>', $file or die "$file: $!";
	print $out map { "$_\n" } $from, @seen;
	close $out;
	_exit(0);
}

sub naive_rows
{
	my ($session, $table, $from) = @_;
	my $rows = $session->selectcol_arrayref("SELECT id FROM $table WHERE id > ? ORDER BY id", undef, $$from);
	$$from = $rows->[-1] if @$rows;
	return $rows;
}

# At the end until nothing that is there lies above; but not for ever.
sub rows_below
{
	my ($session, $reader, $from, $is_end) = @_;
	my $upto;
	for (1 .. 1000)
	{
		$upto = settled_id($session, $reader->{layout}) // return [];
		last if !$is_end || $upto > (value_of($session, "SELECT max(id) FROM $reader->{table}") // 0);
		sleep 0.02;
	}
	return [] if $upto <= $$from;
	my $rows =
	  $session->selectcol_arrayref("SELECT id FROM $reader->{table} WHERE id >= ? AND id < ? ORDER BY id", undef, $$from, $upto);
	$$from = $upto;
	return $rows;
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

# Ends it, and gives how many rows it lost, how many it has seen twice, and how many it has seen at all.
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
