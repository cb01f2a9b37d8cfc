# What stays after 1.0 (docs/stability.md): each line of test/stable/*.txt still holds. More than that may be there. With
# STABLE_WRITE, as test/stable/write sets it, the lines that a file lacks are put into it.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../../registry/t/lib";
use IdgenLease;
use IdgenNode;
use IdgenPages;
use PostgreSQL::Test::Utils;
use Test::More;

my $tree = tree();
my $folder = "$tree/test/stable";

# Where the names of promised objects stand: the pages, but for the two that list internal objects, too; and what a node
# asks its registry.
my $named = join "\n", map({ page($_) } grep { !/^(?:security|development)$/ } pages()), map({ slurp_file($_) } glob "$tree/registry/node/postgres/*.cpp");

# Functions and procedures that are promised, and arguments that their comments do not name: \df+ is what explains them. Those
# that only a node calls are explained where it calls them.
sub unexplained
{
	my ($node) = @_;
	my %promised = map { /^(?:function|procedure) ([\w.]+)\(/ ? ($1 => 1) : () } split /\n/, slurp_file("$folder/catalog.txt");
	delete $promised{"idgen_registry.$_"} for qw(claim extend stop fetch_ranges give_back_ranges find_locker);
	my $arguments = q{
		SELECT p.oid::regproc, a.name FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
		  JOIN pg_extension e ON e.oid = d.refobjid, unnest(proargnames) WITH ORDINALITY AS a(name, number)
		 WHERE e.extname ~ '^idgen' AND coalesce(proargmodes[a.number], 'i') IN ('i', 'b', 'v')
		   AND coalesce(obj_description(p.oid, 'pg_proc'), '') !~* ('\m' || a.name || '\M') ORDER BY 1, 2};
	return grep { $promised{ s/[|].*|"//gr } } split /\n/, $node->safe_psql('postgres', $arguments);
}

# The promised lines of the catalog: the objects that are named there, and those that need not be; the keys of
# idgen.status(), of which a server shows those that it has something to say of.
sub catalog_lines
{
	my $node = start_leased('stable', 'host=/nowhere');
	$node->safe_psql('postgres', 'CREATE EXTENSION idgen_kinds; CREATE EXTENSION idgen_migrate; CREATE EXTENSION idgen_registry');
	my @rows = map { [ split /\t/, $_, 2 ] } split /\n/, $node->safe_psql('postgres', slurp_file("$folder/catalog.sql"), extra_params => [ '-F', "\t" ]);
	is(join("\n", unexplained($node)), '', 'the comment of each function that is promised names its arguments');
	my @keys = slurp_file("$tree/src/pg/monitor/facts.hpp") =~ /\{"(\w+)", \w+_fact\b/g;
	return map({ "status $_" } @keys), map { $_->[1] } grep { $_->[0] eq '' || $named =~ /(?<![\w.])\Q$_->[0]\E(?!\w)/ } @rows;
}

# Metrics and their labels, alerts and recorded series.
sub metric_lines
{
	my ($query, $name, @lines);
	for (split /\n/, slurp_file("$tree/monitoring/queries.yaml"))
	{
		$query = $1 if /^(\w+):/;
		$name = $1 if /^    - (\w+):/;
		push @lines, $1 eq 'LABEL' ? "label $query $name" : "metric ${query}_$name $1" if /^        usage: "(\w+)"/;
	}
	return @lines, map { /^ +- (alert|record): (\S+)/ ? "$1 $2" : () } split /\n/, slurp_file("$tree/monitoring/rules.yml");
}

sub setup_lines
{
	my ($usage) = split /\n\n(?=Run it)/, `'$tree/bin/idgen-setup' --help`;
	my %options = map { $_ => 1 } $usage =~ /(--[a-z][a-z-]+(?: (?:NAME|LIST|ADDRESS|FILE|NETWORK|\d+\/main))?)/g;
	return map { s/ \d+\/main/ CLUSTER/r } sort keys %options;
}

# The declarations of the package for JavaScript, a line each, and how it is imported. That the package is as declared is
# for js/test/package.mjs.
sub package_lines
{
	my $text = slurp_file("$tree/js/package/index.d.ts") =~ s{/\*\*.*?\*/}{}gsr;
	my @lines;
	my $open = '';
	for (map { s/^\s+|\s+$//gr } split /\n/, $text)
	{
		if (/^export (?:declare )?(?:interface|class) (\w+).*\{$/) { $open = "$1."; push @lines, s/ \{$//r }
		elsif ($_ eq '}') { $open = '' }
		elsif (/^(.*?)('\w+'(?: \| '\w+')+);$/) { push @lines, map { "$open$1may be $_" } split / \| /, $2 }
		elsif (length) { push @lines, $open . s/;$//r }
	}
	my $manifest = slurp_file("$tree/js/package/package.json");
	return @lines, map { "package.json $_" } $manifest =~ /("(?:name|type|main|types|import|require|default|node)": ".+")/g;
}

# The condition of each error whose message stands beside it in the sources. A message may be said in other words: then its
# line is written anew, with the same condition.
sub error_lines
{
	my $literals = qr/(?:"(?:[^"\\]|\\.)*"\s*)+/;
	my @lines;
	my $shown = sub { return $_[0] =~ s/\\"/"/gr =~ s/%(?:\.\*)?(?:ll|z)?[a-z]/%s/gr };
	for (map { slurp_file($_) } glob "$tree/{src/pg/*,registry/node/*,kinds/pg}/*.?pp")
	{
		s{//.*}{}g;
		push @lines, map { "$_->[0]: " . $shown->($_->[1]) } refusals_in($_);
		while (/\bERRCODE_(\w+)\),\s*errmsg\(\s*($literals)/g)
		{
			my ($condition, $message) = (lc $1, join '', $2 =~ /"((?:[^"\\]|\\.)*)"/g);
			push @lines, "$condition: " . $shown->($message);
		}
	}
	for (map { slurp_file($_) } glob "$tree/{sql,registry,migrate}/{install,common,lease}/*.sql")
	{
		push @lines, "$1: " . $2 =~ s/''/'/gr while /\bERRCODE = '(\w+)',[^;]*?\bMESSAGE = (?:format\()?'((?:[^']|'')*)'/g;
	}
	return grep { !/^(?:warning|successful_completion):/ } @lines;
}

my %subject = (catalog => \&catalog_lines, errors => \&error_lines, metrics => \&metric_lines, setup => \&setup_lines, javascript => \&package_lines);
for my $name (sort keys %subject)
{
	my %now = map { $_ => 1 } $subject{$name}->();
	my $file = "$folder/$name.txt";
	my @comment = grep { /^#/ } split /\n/, slurp_file($file);
	my @promised = grep { length && !/^#/ } split /\n/, slurp_file($file);
	if ($ENV{STABLE_WRITE})
	{
		my %all = (%now, map { $_ => 1 } @promised);
		open my $out, '>', $file or die "$file: $!";
		print $out map { "$_\n" } @comment, sort keys %all;
		close $out;
	}
	cmp_ok(scalar @promised, '>', 10, "$name: lines are promised");
	is(join("\n", grep { !$now{$_} } @promised), '', "$name: what was promised is there");
}
done_testing();
