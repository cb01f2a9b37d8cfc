# The chart of the page: what a call that makes a value costs, as horizontal bars with whiskers for the quartiles. It is drawn from
# the page's own table, so that the two cannot differ, and brings its own background, light or dark as the reader's system asks.
package IdgenBench::Chart;

use strict;
use warnings;

use Exporter qw(import);
use IdgenBench::Page qw(table_of);

our @EXPORT_OK = qw(charts escape style);

# The colors of the charts and of the documentation's pictures, light and dark, by name: on a light page, on a dark
# one.
my %color_of = (
	back => [ '#ffffff', '#0d1117' ],
	edge => [ '#d0d7de', '#30363d' ],
	grid => [ '#e4e8ec', '#21262d' ],
	axis => [ '#8c959f', '#6e7681' ],
	text => [ '#1f2328', '#e6edf3' ],
	muted => [ '#59636e', '#9198a1' ],
	ours => [ '#0969da', '#4493f8' ],
	peer => [ '#9aa5b1', '#6e7781' ],
	good => [ '#1a7f37', '#3fb950' ],
	bad => [ '#cf222e', '#f85149' ],
	plain_fill => [ '#f6f8fa', '#161b22' ],
	good_fill => [ '#dafbe1', '#12291b' ],
	warn_fill => [ '#fff8c5', '#3a3114' ],
	bad_fill => [ '#ffebe9', '#331a1d' ],
);

# A style sheet from one that names colors as $name: with the light ones, and, as the reader's system asks, the dark ones.
# Takes more colors by name.
sub style
{
	my ($rules, %more) = @_;
	my %of = (%color_of, %more);
	my ($light, $dark) = map { my $i = $_; $rules =~ s/\$(\w+)/$of{$1}[$i]/gr } 0, 1;
	my $dark_rules = join '', map { "  $_\n" } grep { /#/ } split /\n/, $dark;
	return "<style>\n$light  \@media (prefers-color-scheme: dark) {\n$dark_rules  }\n</style>\n";
}

sub escape
{
	my ($text) = @_;
	my %entity = ('&' => '&amp;', '<' => '&lt;', '>' => '&gt;', '"' => '&quot;');
	return $text =~ s/([&<>"])/$entity{$1}/gr;
}

my $section = 'One call';
my $title = 'Net CPU time of a call that makes a value, ns';
my @ours = ('next_id(shard, layout)', map { "next_$_()" } qw(ksuid objectid ulid nanoid uuidv7));
my @peers = ('clock_timestamp()', 'nextval, CACHE 1000', 'nextval, CACHE 1', 'gen_random_uuid()', "Instagram's PL/pgSQL");
# Where bars end, in ns: longer ones are cut off.
my ($end, $step) = (250, 50);
my ($width, $head, $foot) = (560, 84, 44);
my ($row_height, $bar_height) = (30, 16);
my ($left, $right) = (16 + 8.6 * 22, 484);

my $style = <<'END';
  .back { fill: $back; stroke: $edge } .grid { stroke: $grid } .axis { stroke: $axis }
  text { fill: $text }
  text { font: 15px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif }
  .title { font-weight: 600 } .tick { font-size: 14px }
  .tick { fill: $muted }
  .ours { fill: $ours } .peer { fill: $peer }
  .whisker { stroke: $text } .gap { stroke: $back }
  .whisker { stroke-width: 1.5 } .gap { stroke-width: 4 }
END

# The charts of a page as SVG, by the name of their file.
sub charts
{
	my ($page) = @_;
	my (undef, @rows) = table_of($page, $section);
	my %cell = map { $_->[0] => $_->[1] } @rows;
	my @bars = map { { label => $_, class => 'ours', cell => $cell{$_} // die "$section: no row $_\n" } } @ours;
	push @bars, map { { label => $_, class => 'peer', cell => $cell{$_} // die "$section: no row $_\n" } } @peers;
	return ('benchmarks-makers.svg' => _chart(@bars));
}

sub _chart
{
	my (@bars) = @_;
	my $bottom = $head + $row_height * @bars;
	my $height = $bottom + $foot;
	my $top = $head - $row_height;
	my @parts = (_legend(), _ticks($bottom), map { _bar($_, $top += $row_height) } @bars);
	my $desc = escape(join '; ', map { "$_->{label}: " . $_->{cell} =~ s/ \[.*//r } @bars);
	return <<"END";
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 $width $height" width="$width" height="$height"
     role="img" aria-labelledby="title desc">
<title id="title">$title</title>
<desc id="desc">$desc</desc>
@{[ style($style) =~ s/\n\z//r ]}
<rect class="back" x="0.5" y="0.5" width="@{[ $width - 1 ]}" height="@{[ $height - 1 ]}" rx="6"/>
<text class="title" x="16" y="26">$title</text>
<text class="tick" x="16" y="46">median of the rounds, whiskers: quartiles</text>
@{[ join "\n", @parts ]}
</svg>
END
}

sub _x { my ($value) = @_; return sprintf '%.1f', $left + ($value < $end ? $value / $end : 1) * ($right - $left) }

sub _line
{
	my ($class, @ends) = @_;
	return sprintf '<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>', $class, @ends;
}

sub _text
{
	my ($text, $x, $y, $attributes) = @_;
	return sprintf '<text x="%.1f" y="%.1f" %s>%s</text>', $x, $y, $attributes, escape($text);
}

# What the two colors mean.
sub _legend
{
	return map {
		my ($class, $words, $x) = @$_;
		(sprintf('<rect class="%s" x="%d" y="57" width="12" height="12"/>', $class, $x), _text($words, $x + 18, 68, 'class="tick"'));
	} [ 'ours', 'idgen', 16 ], [ 'peer', 'for comparison', 96 ];
}

sub _ticks
{
	my ($bottom) = @_;
	return map {
		my $x = _x($_);
		(_line($_ ? 'grid' : 'axis', $x, $head, $x, $bottom), _text($_, $x, $bottom + 20, 'class="tick" text-anchor="middle"'));
	} map { $_ * $step } 0 .. $end / $step;
}

# Label, bar, whisker or the mark of a bar that goes on, value.
sub _bar
{
	my ($bar, $top) = @_;
	my ($median, $low, $high) = map { tr/,//dr } $bar->{cell} =~ /^([\d.,]+) \[([\d.,]+) to ([\d.,]+)\]$/ or die "$bar->{label}: $bar->{cell}\n";
	my $middle = $top + $row_height / 2;
	my $is_cut = $median > $end;
	my @mark = $is_cut
	  ? map { _line('gap', $_ - 4, $middle + 11, $_ + 4, $middle - 11) } $right - 24, $right - 34
	  : (_line('whisker', _x($low), $middle, _x($high), $middle), map { _line('whisker', _x($_), $middle - 5, _x($_), $middle + 5) } $low, $high);
	return (
		_text($bar->{label}, $left - 8, $middle + 4.5, 'text-anchor="end"'),
		sprintf('<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%d"/>', $bar->{class}, $left, $middle - $bar_height / 2, _x($median) - $left, $bar_height),
		@mark,
		_text($bar->{cell} =~ s/ \[.*//r, ($is_cut ? $right : _x($high)) + 8, $middle + 4.5, ''));
}

1;
