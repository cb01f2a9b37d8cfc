# The dashboard as it is written: its rows, what stands in them, and where its expressions get their metrics. What
# Prometheus says to them is for test/neighbors/monitoring.pl.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Checkout;
use JSON::PP;
use List::Util qw(max);
use Test::More;

my $monitoring = source_tree() . '/monitoring';
my @rows = ('State and rate', 'Clock and horizon', 'Registry and counters', 'Capacity');
my $columns = 24;

my $text = text_of("$monitoring/dashboard.json");

# The metrics of queries.yaml, with their labels; and what rules.yml records.
sub metrics
{
	my ($queries) = @_;
	my ($query, $name, %metrics, %labels);
	for (split /\n/, $queries)
	{
		$query = $1 if /^(\w+):/;
		$name = $1 if /^    - (\w+):/;
		next unless /^        usage: "(\w+)"/;
		if ($1 eq 'LABEL') { push @{ $labels{$query} }, $name }
		else { $metrics{"${query}_$name"} = $query }
	}
	return { map { $_ => $labels{ $metrics{$_} } } keys %metrics };
}
my $metrics = metrics(text_of("$monitoring/queries.yaml"));
# A longer expression goes on further right than the keys.
my %expression_of = text_of("$monitoring/rules.yml") =~ /- (?:alert|record): (\S+)\n +expr: (.*(?:\n {10,}\S.*)*)/g;
my %records = map { $_ => 1 } grep { /:/ } keys %expression_of;
cmp_ok(scalar keys %$metrics, '>', 30, 'queries.yaml gives metrics');
cmp_ok(scalar keys %records, '>', 3, 'rules.yml makes records');

# What an expression names that neither gives.
sub unknown_in
{
	my ($expression) = @_;
	my %word = map { $_ => 1 } qw(by without on ignoring and or unless);
	my $bare = $expression =~ s/"(?:[^"\\]|\\.)*"//gr =~ s/\{[^}]*\}|\[\w+\]//gr;
	$bare =~ s/\b(?:by|without|on|ignoring) ?\([^)]*\)//g;
	return grep { !$metrics->{$_} && !$records{$_} && !$word{$_} } $bare =~ /(?<![\w:])([a-z_][\w:]*)(?![\w:]*\s*\()/g;
}

sub is_row { return $_[0]->{type} eq 'row' }
sub place { my ($panel) = @_; return @{ $panel->{gridPos} }{qw(x y w h)} }
sub bottom { my ($panel) = @_; return $panel->{gridPos}{y} + $panel->{gridPos}{h} }

sub overlap
{
	my ($x, $y, $w, $h) = place($_[0]);
	my ($other_x, $other_y, $other_w, $other_h) = place($_[1]);
	return $x < $other_x + $other_w && $other_x < $x + $w && $y < $other_y + $other_h && $other_y < $y + $h;
}

# What is wrong with a dashboard.
sub faults
{
	my ($dashboard) = @_;
	my @panels = @{ $dashboard->{panels} };
	my @found = join(', ', map { $_->{title} } grep { is_row($_) } @panels) eq join(', ', @rows) ? () : 'other rows';
	my $row;
	for my $at (0 .. $#panels)
	{
		my $panel = $panels[$at];
		my ($x, $y, $w, $h) = place($panel);
		my $title = $panel->{title};
		push @found, "$title is wider than the grid" if $x < 0 || $x + $w > $columns;
		push @found, map { "$title overlaps $_->{title}" } grep { overlap($panel, $_) } @panels[ $at + 1 .. $#panels ];
		if (is_row($panel))
		{
			push @found, "$title is closed" if $panel->{collapsed} || @{ $panel->{panels} };
			push @found, "$title is not a line across" if $w != $columns || $h != 1;
			push @found, "$title is not below what stands before it" if $y < max 0, map { bottom($_) } @panels[ 0 .. $at - 1 ];
			push @found, "$title has no panel" if $at == $#panels || is_row($panels[ $at + 1 ]);
			$row = $panel;
			next;
		}
		push @found, "$title stands in no row" if !$row || $y <= $row->{gridPos}{y};
		push @found, "$title has no expression" if !@{ $panel->{targets} };
		push @found, map { "$title: $_ is not a metric" } map { unknown_in($_->{expr}) } @{ $panel->{targets} };
	}
	return join "\n", @found;
}

is(faults(decode_json($text)), '', 'each panel stands in its row, none overlaps another, each metric is there');
my ($variable) = map { $_->{definition} // () } @{ decode_json($text)->{templating}{list} };
is(join(' ', unknown_in($variable =~ s/^label_values\((.*), \w+\)$/$1/r)), '', 'its variables: the metric is there');
is(join(' ', unknown_in($expression_of{$_})), '', "$_: each metric is there") for sort keys %expression_of;

# What an operator asks first.
my %panel = map { $_->{title} => $_ } @{ decode_json($text)->{panels} };
for ([ 'Who holds which shard', 'instance', 'shard' ], [ 'Errors a second', 'instance' ])
{
	my ($title, @labels) = @$_;
	my @targets = @{ $panel{$title}{targets} // [] };
	ok(scalar @targets, "there is a panel $title");
	for my $target (@targets)
	{
		like($target->{expr} . ($target->{legendFormat} // ''), qr/\b$_\b/, "$title: by $_") for @labels;
		my ($metric) = $target->{expr} =~ /\b(idgen_\w+)/;
		my %has = map { $_ => 1 } 'instance', @{ $metrics->{$metric} };
		is(join(' ', grep { !$has{$_} } @labels), '', "$title: $metric has the labels");
	}
}

# The rules notice what is wrong.
sub broken
{
	my ($change) = @_;
	my $dashboard = decode_json($text);
	$change->(@{ $dashboard->{panels} });
	return faults($dashboard);
}
is(broken(sub { @_[ 0, 1 ] = @_[ 1, 0 ] }), "State stands in no row\nState and rate is not below what stands before it",
	'noticed: a panel above the rows');
is(broken(sub { $_[0]{title} = 'Rate' }), 'other rows', 'noticed: a row of another name');
is(broken(sub { $_[3]{gridPos}{x} = 11 }), 'Who holds which shard overlaps IDs a second', 'noticed: an overlap');
is(broken(sub { $_[3]{gridPos}{w} = 13 }), 'IDs a second is wider than the grid', 'noticed: a panel that is too wide');
is(broken(sub { $_[3]{targets}[0]{expr} = 'rate(idgen_made_total[5m]) / on (datname) time()' }),
	'IDs a second: idgen_made_total is not a metric', 'noticed: a metric that queries.yaml does not give');

done_testing();
