# A chart as SVG: horizontal bars with a whisker for the quartiles, or dots on a logarithmic axis. It
# brings its own background, light or dark as the reader's system asks.
package IdgenBench::Chart;

use strict;
use warnings;

use Exporter qw(import);
use IdgenBench::Palette qw(escape style);
use IdgenBench::Samples qw(number);
use List::Util qw(max min);
use POSIX qw(ceil floor);

our @EXPORT_OK = qw(chart linear_axis);

my $width = 560;
my $head = 84;        # above the plot
my $foot = 44;        # below it
my $row_height = 30;
my $bar_height = 16;
my $letter = 8.6;     # room for a letter of the labels
my $value_room = 76;  # right of the plot, for values

my $style = <<'END';
  .back { fill: $back; stroke: $edge } .grid { stroke: $grid } .axis { stroke: $axis }
  text { fill: $text }
  text { font: 15px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif }
  .title { font-weight: 600 } .group { font-weight: 600 } .tick { font-size: 14px }
  .tick { fill: $muted }
  .ours { fill: $ours } .peer { fill: $peer }
  .whisker { stroke: $text } .gap { stroke: $back }
  .whisker { stroke-width: 1.5 } .gap { stroke-width: 4 }
END

# Takes title, unit, bars (label, spread, ours; group, where they have groups: each begins with its name), and either
# cut, the value at which bars are cut off, or logarithmic.
sub chart
{
	my ($chart) = @_;
	my @bars = @{ $chart->{bars} };
	my $axis = $chart->{logarithmic} ? _logarithmic_axis(@bars) : linear_axis($chart->{cut} // max(map { $_->{spread}{high} } @bars));
	$axis->{left} = 16 + $letter * max(map { length $_->{label}, 1 + length($_->{group} // '') } @bars);
	$axis->{right} = $width - $value_room;
	my ($bottom, @rows) = ($head);
	for my $i (0 .. $#bars)
	{
		my $group = $bars[$i]{group} // '';
		if ($group ne ($i == 0 ? '' : $bars[ $i - 1 ]{group} // ''))
		{
			push @rows, _text($group, 16, $bottom + $row_height / 2 + 4.5, 'class="group"');
			$bottom += $row_height;
		}
		push @rows, _bar($axis, $bars[$i], $bottom);
		$bottom += $row_height;
	}
	my $height = $bottom + $foot;
	my @parts = (_legend(@bars), _ticks($axis, $bottom), @rows);
	my $title = escape("$chart->{title}, $chart->{unit}");
	my $subtitle = 'median of the rounds, whiskers: quartiles' . ($chart->{logarithmic} ? '; logarithmic axis' : '');
	my $desc = escape(join '; ', map { join(', ', grep { defined } @$_{qw(group label)}) . ': ' . number($_->{spread}{median}) } @bars);
	return <<"END";
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 $width $height" width="$width" height="$height"
     role="img" aria-labelledby="title desc">
<title id="title">$title</title>
<desc id="desc">$desc</desc>
@{[ style($style) =~ s/\n\z//r ]}
<rect class="back" x="0.5" y="0.5" width="@{[ $width - 1 ]}" height="@{[ $height - 1 ]}" rx="6"/>
<text class="title" x="16" y="26">$title</text>
<text class="tick" x="16" y="46">$subtitle</text>
@{[ join "\n", @parts ]}
</svg>
END
}

# What the two colours mean, where both are there.
sub _legend
{
	my (@bars) = @_;
	return unless grep({ $_->{ours} } @bars) && grep({ !$_->{ours} } @bars);
	my $key = sub {
		my ($class, $words, $x) = @_;
		return (sprintf('<rect class="%s" x="%d" y="57" width="12" height="12"/>', $class, $x), _text($words, $x + 18, 68, 'class="tick"'));
	};
	return ($key->('ours', 'idgen', 16), $key->('peer', 'for comparison', 96));
}

# An axis from 0 to a value at least: its last value, its ticks, and the place of a value as a share of its length.
sub linear_axis
{
	my ($most) = @_;
	my $power = 10**floor(log($most / 4) / log 10);
	my ($step) = grep { $most / $_ <= 6 } map { $_ * $power } 1, 2, 2.5, 5, 10;
	my $end = $step * ceil($most / $step);
	return {
		end => $end,
		ticks => [ map { $_ * $step } 0 .. $end / $step ],
		place => sub { max(0, min(1, $_[0] / $end)) },
	};
}

# An axis of powers of ten, from a thousandth on.
sub _logarithmic_axis
{
	my (@bars) = @_;
	my $power = sub { log(max(0.001, @_)) / log 10 };
	my $first = floor($power->(min(map { $_->{spread}{low} } @bars)));
	my $last = ceil($power->(map { $_->{spread}{high} } @bars));
	my @ticks = map { 10**$_ } $first .. $last;
	return {
		is_logarithmic => 1,
		end => $ticks[-1],
		ticks => \@ticks,
		place => sub { ($power->($_[0]) - $first) / ($last - $first) },
	};
}

sub _x
{
	my ($axis, $value) = @_;
	return sprintf '%.1f', $axis->{left} + $axis->{place}->($value) * ($axis->{right} - $axis->{left});
}

sub _line
{
	my ($class, @ends) = @_;
	return sprintf '<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>', $class, @ends;
}

sub _ticks
{
	my ($axis, $bottom) = @_;
	my @parts;
	my $free = 0;    # where the next label may begin
	for my $tick (@{ $axis->{ticks} })
	{
		my $x = _x($axis, $tick);
		my $text = number($tick) =~ s/\.0+$//r =~ s/(\.\d*?)0+$/$1/r;
		push @parts, _line(@parts ? 'grid' : 'axis', $x, $head, $x, $bottom);
		my $half = $letter * length($text) / 2;
		next if $x - $half < $free;
		$free = $x + $half + 4;
		push @parts, _text($text, $x, $bottom + 20, 'class="tick" text-anchor="middle"');
	}
	return @parts;
}

# Label, bar or dot, whisker, value.
sub _bar
{
	my ($axis, $bar, $top) = @_;
	my ($low, $median, $high) = map { _x($axis, $bar->{spread}{$_}) } qw(low median high);
	my $middle = $top + $row_height / 2;
	my $class = $bar->{ours} ? 'ours' : 'peer';
	my $is_cut = !$axis->{is_logarithmic} && $bar->{spread}{median} > $axis->{end};
	my $end = $is_cut ? $axis->{right} : max($median + ($axis->{is_logarithmic} ? 5 : 0), $high);
	return (
		_text($bar->{label}, $axis->{left} - 8, $middle + 4.5, 'text-anchor="end"'),
		$axis->{is_logarithmic} ? _dot($class, $median, $middle) : _rectangle($class, $axis->{left}, $median, $middle),
		$is_cut ? _gap($axis, $middle) : _whisker($low, $high, $middle),
		_text(number($bar->{spread}{median}), $end + 8, $middle + 4.5, ''));
}

sub _text
{
	my ($text, $x, $y, $attributes) = @_;
	return sprintf '<text x="%.1f" y="%.1f" %s>%s</text>', $x, $y, $attributes, escape($text);
}

sub _dot
{
	my ($class, $x, $middle) = @_;
	return sprintf '<circle class="%s" cx="%s" cy="%s" r="5"/>', $class, $x, $middle;
}

sub _rectangle
{
	my ($class, $left, $right, $middle) = @_;
	return sprintf '<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%d"/>',
	  $class, $left, $middle - $bar_height / 2, $right - $left, $bar_height;
}

sub _whisker
{
	my ($low, $high, $middle) = @_;
	return (_line('whisker', $low, $middle, $high, $middle),
		map { _line('whisker', $_, $middle - 5, $_, $middle + 5) } $low, $high);
}

# The mark of a bar that goes on past the end of the axis.
sub _gap
{
	my ($axis, $middle) = @_;
	my @at = map { $axis->{right} - $_ } 24, 34;
	return map { _line('gap', $_ - 4, $middle + 11, $_ + 4, $middle - 11) } @at;
}

1;
