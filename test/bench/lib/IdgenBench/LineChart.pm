# Lines as SVG over a logarithmic axis, with a whisker for the quartiles of each point. It brings its own background, light or
# dark as the reader's system asks.
package IdgenBench::LineChart;

use strict;
use warnings;

use Exporter qw(import);
use IdgenBench::Chart qw(linear_axis);
use IdgenBench::Palette qw(escape style);
use IdgenBench::Samples qw(number);
use List::Util qw(max min uniq);

our @EXPORT_OK = qw(line_chart);

my ($width, $left, $right) = (560, 64, 536);
my ($row, $plot) = (22, 240);

my $style = <<'END';
  .back { fill: $back; stroke: $edge } .grid { stroke: $grid } .axis { stroke: $axis }
  text { fill: $text }
  text { font: 15px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif }
  .title { font-weight: 600 } .tick { font-size: 14px }
  .tick { fill: $muted }
  path { fill: none; stroke-width: 2 } .dashed { stroke-dasharray: 6 4 }
  path.ours { stroke: $ours } path.good { stroke: $good } path.bad { stroke: $bad } path.peer { stroke: $peer }
  circle.ours { fill: $ours } circle.good { fill: $good } circle.bad { fill: $bad } circle.peer { fill: $peer }
END

# Takes title, unit, along (what the axis below counts), and lines (label, class, points: x and spread, from left to right).
sub line_chart
{
	my ($chart) = @_;
	my @lines = @{ $chart->{lines} };
	my @points = map { @{ $_->{points} } } @lines;
	my $top = 46 + $row * @lines;
	my $y_axis = linear_axis(max(map { $_->{spread}{high} } @points));
	my $y = sub { $top + $plot * (1 - $y_axis->{place}->($_[0])) };
	my $x = _place_of(map { $_->{x} } @points);
	my $height = $top + $plot + 52;
	my $title = escape("$chart->{title}, $chart->{unit}");
	my $desc = escape(join '; ', map { _said($_) } @lines);
	my @parts = (
		_rows($y_axis, $y), _columns($x, $top + $plot, map { $_->{x} } @points),
		sprintf('<text class="tick" x="%g" y="%g" text-anchor="middle">%s</text>', ($left + $right) / 2, $height - 10, escape($chart->{along})),
		map { _line($lines[$_], 50 + $row * $_, $x, $y) } 0 .. $#lines);
	return <<"END";
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 $width $height" width="$width" height="$height"
     role="img" aria-labelledby="title desc">
<title id="title">$title</title>
<desc id="desc">$desc</desc>
@{[ style($style) =~ s/\n\z//r ]}
<rect class="back" x="0.5" y="0.5" width="@{[ $width - 1 ]}" height="@{[ $height - 1 ]}" rx="6"/>
<text class="title" x="16" y="26">$title</text>
@{[ join "\n", @parts ]}
</svg>
END
}

# What a screen reader says of a line.
sub _said
{
	my ($line) = @_;
	return "$line->{label}: " . join ', ', map { number($_->{spread}{median}) . " at $_->{x}" } @{ $line->{points} };
}

# The place of a value on the axis below.
sub _place_of
{
	my ($least, $most) = (min(@_), max(@_));
	my $length = log($most / $least) || 1;
	return sub { $left + 12 + ($right - $left - 24) * log($_[0] / $least) / $length };
}

sub _rows
{
	my ($axis, $y) = @_;
	return map {
		sprintf('<line class="%s" x1="%d" y1="%.1f" x2="%d" y2="%.1f"/>', $_ ? 'grid' : 'axis', $left, $y->($_), $right, $y->($_)),
		  sprintf('<text class="tick" x="%d" y="%.1f" text-anchor="end">%s</text>', $left - 8, $y->($_) + 5, $_)
	} @{ $axis->{ticks} };
}

# Each value has its tick if they are few; otherwise the powers of ten have one.
sub _columns
{
	my ($x, $bottom, @values) = @_;
	my @ticks = sort { $a <=> $b } uniq @values;
	@ticks = grep { $_ <= $ticks[-1] } map { 10**$_ } 0 .. 6 if @ticks > 7;
	return map {
		sprintf('<line class="axis" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/>', $x->($_), $bottom, $x->($_), $bottom + 5),
		  sprintf('<text class="tick" x="%.1f" y="%d" text-anchor="middle">%s</text>', $x->($_), $bottom + 21, 1 * $_)
	} @ticks;
}

# A line with its words above the plot.
sub _line
{
	my ($line, $key_y, $x, $y) = @_;
	my ($color) = split ' ', $line->{class};
	my @points = @{ $line->{points} };
	my $path = join ' ', map { sprintf '%.1f %.1f', $x->($_->{x}), $y->($_->{spread}{median}) } @points;
	return (
		sprintf('<path class="%s" d="M%d %d H%d"/>', $line->{class}, 16, $key_y, 48),
		sprintf('<text class="tick" x="56" y="%d">%s</text>', $key_y + 5, escape($line->{label})),
		sprintf('<path class="%s" d="M%s"/>', $line->{class}, $path),
		map {
			sprintf('<path class="%s" d="M%.1f %.1f V%.1f"/>', $color, $x->($_->{x}), $y->($_->{spread}{low}), $y->($_->{spread}{high})),
			  sprintf('<circle class="%s" cx="%.1f" cy="%.1f" r="3.5"/>', $color, $x->($_->{x}), $y->($_->{spread}{median}))
		} @points);
}

1;
