# Tables of more and more rows with a key of IDs: the size and the depth of the index, and the rows of a period by an index scan.
# Larger ones than can be measured follow by arithmetic from the largest that was.
package IdgenBench::Scale::Rows;

use strict;
use warnings;
use utf8;

use IdgenBench::Samples qw(number);
use IdgenBench::Session;
use List::Util qw(max);
use POSIX qw(ceil);

my $first_day = '2026-01-01 00:00+00';
my $days = 100;
my $least_rows = 100_000;
my $period_rows = 1000;
my $runs = 200;

# Sizes by powers of ten, to `rows`.
sub new
{
	my ($class, %of) = @_;
	my @sizes = grep { $_ <= $of{rows} } map { $least_rows * 10**$_ } 0 .. 3;
	return bless { session => IdgenBench::Session->new(TimeZone => 'UTC'), sizes => \@sizes, samples => IdgenBench::Samples->new }, $class;
}

# Tables that are not logged: nothing here depends on the WAL.
sub warm_up
{
	my ($self) = @_;
	my $session = $self->{session};
	$session->run('CREATE EXTENSION IF NOT EXISTS pageinspect');
	$session->run(q{SET maintenance_work_mem = '1GB'});
	for my $size (@{ $self->{sizes} })
	{
		$session->run("CREATE UNLOGGED TABLE rows_$size (id bigint)");
		my $at = "'$first_day'::timestamptz + interval '$days days' * (n / $size.0)";
		$session->run("INSERT INTO rows_$size SELECT id_make($at, n % 16, n % 1024) FROM generate_series(0, $size - 1) AS n");
		$session->run("ALTER TABLE rows_$size ADD PRIMARY KEY (id)");
		$session->run("VACUUM (ANALYZE, INDEX_CLEANUP off) rows_$size");
		my ($bytes, $depth) = $session->row("SELECT pg_relation_size('rows_${size}_pkey'), level + 1 FROM bt_metap('rows_${size}_pkey')");
		$self->{index}{$size} = { bytes => $bytes, depth => $depth };
		$self->_microseconds($size, 50);
	}
	return;
}

# CPU microseconds of a count of a thousand rows, and milliseconds of a count of a hundredth of the table, on a day.
sub _microseconds
{
	my ($self, $size, $day) = @_;
	my $session = $self->{session};
	my $from = "'$first_day'::timestamptz + interval '1 day' * $day";
	my ($period, $whole) = map { scalar $session->row("SELECT tstzrange($from, $from + interval '1 day' * $_)") } $period_rows * $days / $size, 1;
	my $query = "SELECT count(*) FROM rows_$size WHERE id_within(id, '%s')";
	my ($found) = $session->row(sprintf $query, $period);
	die "$size: $found rows\n" unless $found == $period_rows;
	my $loop = sprintf "DO \$\$ DECLARE found bigint; BEGIN FOR n IN 1 .. $runs LOOP $query INTO found; END LOOP; END \$\$", $period;
	$session->run($loop);
	my $few = $session->timed($loop);
	my $all = $session->timed(sprintf $query, $whole);
	die "$size: $all->{value} rows of a day\n" unless $all->{value} == $size / $days;
	return ($few->{cpu} * 1e6 / $runs, $all->{cpu} * 1e3);
}

sub round
{
	my ($self, $number) = @_;
	for my $size (@{ $self->{sizes} })
	{
		my ($few, $day) = $self->_microseconds($size, $number);
		$self->{least} = $few if $size == $least_rows;
		$self->{samples}->add("few $size" => $few);
		$self->{samples}->add("few $size ratio" => $few / $self->{least});
		$self->{samples}->add("day $size" => $day);
	}
	return;
}

# Levels of pages that hold so many keys, if a page on each level has as many as those of the largest index: a leaf 366 of 8 KB,
# filled to 90 %; above it, with a separator of 8 bytes, 286 pages, filled to 70 %.
sub depth_of
{
	my ($size) = @_;
	my ($pages, $levels) = (ceil($size / 366), 1);
	($pages, $levels) = (ceil($pages / 286), $levels + 1) while $pages > 1;
	return $levels;
}

sub _measured
{
	my ($self, $size) = @_;
	my $index = $self->{index}{$size};
	my @times = map { $self->{samples}->text($_) } "few $size", "few $size ratio", "day $size";
	return [ number($size), number($index->{bytes} / 2**20), $index->{depth}, @times ];
}

sub _by_arithmetic
{
	my ($self, $size) = @_;
	my $largest = $self->{sizes}[-1];
	my $bytes = $self->{index}{$largest}{bytes} * $size / $largest;
	return [ number($size), number($bytes / 2**20), depth_of($size), 'by arithmetic', '', '' ];
}

sub sections
{
	my ($self) = @_;
	return {
		title => 'Rows',
		text => <<'END',
A table of IDs of 100 days, and its primary key, made over the sorted rows. A thousand rows, and those of a day (a
hundredth of the table), are counted by an index-only scan with `id_within`, in CPU time. The larger tables follow by
arithmetic.
END
		header => [ 'rows', 'index, MB', 'depth', 'a thousand rows, µs', 'to the smallest', 'a day, ms' ],
		rows => [
			(map { $self->_measured($_) } @{ $self->{sizes} }),
			(map { $self->_by_arithmetic($_) } grep { $_ > $self->{sizes}[-1] } 1e7, 1e8, 1e9, 1e10),
		],
	};
}

1;
