# The colors of the charts and of the documentation's pictures, light and dark.
package IdgenBench::Palette;

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT_OK = qw(escape style);

# By name: on a light page, on a dark one.
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

1;
