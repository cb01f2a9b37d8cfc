# The page of results, in Markdown.
package IdgenBench::Page;

use strict;
use warnings;
use utf8;

use Exporter qw(import);
use File::Basename qw(dirname);
use IdgenBench::Charts qw(charts_of);
use IdgenBench::Samples qw(claim_row);
use List::Util qw(max);

our @EXPORT_OK = qw(page renewed scale_of scale_section with_scale);

# A table from its header and rows.
sub _table
{
	my ($header, @rows) = @_;
	my $rule = [ map { '---' } @$header ];
	return join '', map { '| ' . join(' | ', @$_) . " |\n" } $header, $rule, @rows;
}

# The same as text in columns, for long tables that few people read.
sub _listing
{
	my @rows = map { [ map { tr/`//dr } @$_ ] } @_;
	my @width = map { my $i = $_; max(map { length($_->[$i] // '') } @rows) } 0 .. $#{ $rows[0] };
	return "```\n" . join('', map { (join '  ', _cells($_, @width)) =~ s/ +$//r . "\n" } @rows) . "```\n";
}

sub _cells
{
	my ($row, @width) = @_;
	return map { sprintf '%-*s', $width[$_], $row->[$_] // '' } 0 .. $#width;
}

sub _section
{
	my ($section, $level) = @_;
	my @rows = ($section->{header}, @{ $section->{rows} });
	my $text = ($level // '##') . " $section->{title}\n\n$section->{text}\n" . ($section->{is_long} ? _listing(@rows) : _table(@rows));
	return join '', $text, map { "\n![$_->{title}, $_->{unit}]($_->{name})\n" } charts_of($section->{title});
}

# Some claims without what was demanded, which run.pl prints for all.
sub _claims
{
	my (@claims) = @_;
	return _table([ 'figure', 'measured' ], map { [ (claim_row($_))[ 0, 2 ] ] } grep { $_->{in_short} } @claims);
}

sub _machine
{
	my (@facts) = @_;
	return "## The machine\n\n" . join('', map { "- $_->[0]: $_->[1]\n" } @facts);
}

# A page with the figures of these sections and their claims, its other lines as they are.
sub renewed
{
	my ($page, @sections) = @_;
	for my $section (grep { !$_->{is_long} } @sections)
	{
		my $rows = _table($section->{header}, @{ $section->{rows} });
		$page =~ s/^## \Q$section->{title}\E\n.*?\K(?:^\|[^\n]*\n)+/$rows/ms or die "no table of $section->{title}\n";
		for my $claim (grep { $_->{in_short} } @{ $section->{claims} })
		{
			my ($figure, undef, $measured) = claim_row($claim);
			$page =~ s/^\| \Q$figure\E \|.*$/| $figure | $measured |/m or die "no claim: $figure\n";
		}
	}
	return $page;
}

# What make scale measured, from the page that is there; nothing if it has none.
sub scale_of
{
	my ($page) = @_;
	return $page =~ /^(## Scale\n.*?)\n(?=## |\z)/ms ? $1 : ();
}

# The same from new figures: an introduction, and sections below it.
sub scale_section
{
	my ($introduction, @sections) = @_;
	return join "\n", "## Scale\n\n$introduction", map { _section($_, '###') } @sections;
}

# A page with it, in the place of what it had or before the last section.
sub with_scale
{
	my ($page, $scale) = @_;
	$page =~ s/^## Scale\n.*?\n(?=## )/$scale\n/ms or $page =~ s/^(?=## How far to trust this\n)/$scale\n/m or die "no place for the section\n";
	return $page;
}

# All results as one page; what make scale measured is as it was.
sub page
{
	my ($rounds, $facts, $scale, @sections) = @_;
	my @claims = map { @{ $_->{claims} } } @sections;
	return join "\n", _head($rounds), _claims(@claims), _machine(@$facts),
	  (map { _section($_) } @sections), _trials(), $scale, _notes();
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

For readers who want to know what idgen costs. `make bench` measures it on a private server, writes this page, and
prints which of the demanded limits are met. A figure is the median of $rounds rounds, with the lower and the upper quartile
in brackets; ratios are taken within a round.

## In short
END
}

sub _notes
{
	return <<'END';
## How far to trust this

- A virtual machine shares its processor and caches. CPU time depends less on others than wall time. If the quartiles
  lie far apart, the run was not quiet.
- Net figures are differences: an error of 1 % in the row's cost is an error of about 1 ns.
- The server has `fsync = on`, `jit = off`, `max_parallel_workers_per_gather = 0`, `autovacuum = off`,
  `shared_buffers = 512MB`, `max_wal_size = 8GB` and otherwise the defaults.
- The longest latency is also that of the machine: a session is paused while another process has its core.
END
}

1;
