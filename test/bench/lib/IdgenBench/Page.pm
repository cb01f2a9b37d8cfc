# The page of results, in Markdown.
package IdgenBench::Page;

use strict;
use warnings;
use utf8;

use Exporter qw(import);
use File::Basename qw(dirname);
use IdgenBench::Charts qw(charts_of);
use IdgenBench::Claims qw(claim_row);

our @EXPORT_OK = qw(page renewed);

# A table from its header and rows.
sub _table
{
	my ($header, @rows) = @_;
	my $rule = [ map { '---' } @$header ];
	return join '', map { '| ' . join(' | ', @$_) . " |\n" } $header, $rule, @rows;
}

sub _section
{
	my ($section) = @_;
	my $text = "## $section->{title}\n\n$section->{text}\n" . _table($section->{header}, @{ $section->{rows} });
	return join '', $text, map { "\n![$_->{title}, $_->{unit}]($_->{name})\n" } charts_of($section->{title});
}

sub _claim
{
	my ($claim) = @_;
	my @row = claim_row($claim);
	$row[3] =~ s/^missed$/**missed**/;
	return \@row;
}

sub _claims
{
	my (@claims) = @_;
	return _table([ 'figure', 'demanded', 'measured', '' ], map { _claim($_) } @claims);
}

# A page with the figures of these sections and their claims, its other lines as they are.
sub renewed
{
	my ($page, @sections) = @_;
	for my $section (@sections)
	{
		my $rows = _table($section->{header}, @{ $section->{rows} });
		$page =~ s/^## \Q$section->{title}\E\n.*?\K(?:^\|[^\n]*\n)+/$rows/ms or die "no table of $section->{title}\n";
		for my $row (map { _claim($_) } @{ $section->{claims} })
		{
			my $line = '| ' . join(' | ', @$row) . ' |';
			$page =~ s/^\| \Q$row->[0]\E \|.*$/$line/m or die "no claim: $row->[0]\n";
		}
	}
	return $page;
}

# All results as one page.
sub page
{
	my ($rounds, $facts, @sections) = @_;
	my @claims = map { @{ $_->{claims} } } @sections;
	return join "\n", _head($rounds), _claims(@claims), "## The machine\n", _table([ '', '' ], @$facts),
	  (map { _section($_) } @sections), _trials(), _notes();
}

# What long tests on servers measured, not `make bench`.
sub _trials
{
	open my $in, '<:encoding(UTF-8)', dirname(__FILE__) . '/../../trials.md' or die "trials.md: $!\n";
	local $/;
	return <$in>;
}

sub _head
{
	my ($rounds) = @_;
	return <<"END";
# Benchmarks

`make bench` measures all of this anew on a private server and writes this page. Rounds: $rounds, after a warm-up, each with every
measurement in turn; what is compared with each other changes its order from round to round. Figures are the median of the rounds and,
in brackets and as whiskers in the charts, the lower and the upper quartile. Ratios are taken within each round. A demand is met
if the median meets it.

## Demanded and measured
END
}

sub _notes
{
	return <<'END';
## How far to trust this

- A virtual machine shares its processor with others, and with whatever else runs on it. CPU time is less sensitive to that than
  wall time, but caches and clock rates are shared too. Look at what others used, above, and at the quartiles: where they lie far apart, the run was not quiet.
- Net figures are differences of two larger ones, so an error of 1 % in the row's cost is an error of about 1 ns in each of them.
- The CPU time of a backend is read from /proc, before and after each query, when the backend is idle.
- The server runs with `fsync = on`, `jit = off`, `max_parallel_workers_per_gather = 0`, `autovacuum = off`, `shared_buffers = 512MB`,
  `max_wal_size = 8GB`, else the defaults, on the local file system.
- The longest latency is that of the machine as well: a session is put off for as long as another process has its core.
END
}

1;
