# What the README prints is true: its tour, its way into one's own server, its pages; and the tables of docs/reference.md.
use strict;
use warnings;
use Cwd qw(abs_path);
use FindBin;
use lib "$FindBin::Bin/lib";
use IdgenNode;
use PostgreSQL::Test::Utils;
use Test::More;

my $readme = slurp_file("$FindBin::Bin/../../README.md");
cmp_ok(scalar(split /\n/, $readme), '<', 200, 'README.md has less than 200 lines');

# The text of a section's code block in a language.
sub block_of
{
	my ($section, $language) = @_;
	my ($text) = $readme =~ /^## \Q$section\E\n(.*?)(?=^## |\z)/ms or die "no section $section";
	my ($block) = $text =~ /^```$language\n(.*?)^```/ms or die "no $language block in $section";
	return $block;
}

# The way into one's own server, with stand-ins for what needs a machine of its own: sudo runs the command
# as it is, apt-get says whether the packages are there, systemctl restarts this node.
my $node = start_node('own_server', preload => 0, extension => 0);
my $bin = abs_path($node->basedir) . '/stand-ins';
mkdir $bin or die "$bin: $!";
sub stand_in
{
	my ($name, $script) = @_;
	open my $file, '>', "$bin/$name" or die "$bin/$name: $!";
	print $file "#!/bin/sh\n$script\n";
	close $file;
	chmod 0755, "$bin/$name";
	return;
}
stand_in('sudo', 'if [ "$1" = -u ]; then shift 2; fi; exec "$@"');
stand_in('apt-get', 'shift 2; dpkg-query -W "$@"');
stand_in('pg_lsclusters', '');
stand_in('pg_createcluster', "echo \"\$@\" >$bin/cluster");
stand_in('systemctl', 'exec pg_ctl -w -m fast restart -D ' . abs_path($node->data_dir) . ' -l ' . abs_path($node->logfile));

my ($share, $lib) = map { chomp(my $path = `pg_config --$_`); $path } qw(sharedir pkglibdir);
unlink glob("$share/extension/idgen*"), "$lib/idgen.so";
{
	local $ENV{PATH} = "$bin:$ENV{PATH}";
	local $ENV{PGHOST} = $node->host;
	local $ENV{PGPORT} = $node->port;
	my $source = "$FindBin::Bin/../..";
	system("make -s -C '$source' clean");
	my @lines = grep { /\S/ } split /\n/, block_of('Install it into your own server', 'sh');
	for my $line (@lines)
	{
		# The major version of this test's server.
		my $major = $node->pg_version->major;
		$line =~ s/(postgresql\S*-|pg_createcluster )15/$1$major/g;
		is(system("(cd '$source' && $line) >>$bin/log 2>&1"), 0, $line);
	}
	diag(slurp_file("$bin/log")) unless Test::More->builder->is_passing;
}
is(slurp_file("$bin/cluster"), $node->pg_version->major . " main --start\n", 'a cluster is made where there is none');
is($node->safe_psql('app', 'SELECT id_shard(next_id())'), 5, 'the installed server makes IDs of its shard');

# The tour, every line in one psql.
my ($status, $out, $error) = $node->psql('app', block_of('Five minutes', 'sql'), on_error_stop => 1);
is($status, 0, 'the tour runs to its end');
is($error, '', 'without an error or a warning');
like($out, qr/2046-06-27 .*\n/, 'it shows the end of the default layout');

# The examples of these pages run, and give what stands behind them.
for my $name (qw(text-forms other-kinds))
{
	my $page = slurp_file("$FindBin::Bin/../../docs/$name.md");
	my $examples = join '', $page =~ /^```sql\n(.*?)^```/msg;
	($status, $out, $error) = $node->psql('app', $examples, on_error_stop => 1);
	is($status, 0, "the examples of docs/$name.md run to their end");
	is($error, '', 'without an error or a warning');
	is($out, join("\n", $examples =~ /;\s+-- (.*)$/mg), 'they give the results that are printed');
}

# The tables name every function and every setting, and nothing else.
my $reference = slurp_file("$FindBin::Bin/../../docs/reference.md");
my ($functions) = $reference =~ /^## Functions\n(.*?)^## /ms;
my %named = map { $_ => 1 } map { /`(idgen\.\w+|\w+_\w+)[(`]/g } $functions =~ /^\| (.*?) \|/gm;
$node->safe_psql('app', slurp_file("$FindBin::Bin/../../sql/called.sql"));
my %real = map { $_ => 1 } split /\n/, $node->safe_psql('app', q{SELECT DISTINCT CASE WHEN nspname = 'idgen' THEN 'idgen.' ELSE '' END || c.proname FROM called c JOIN pg_proc USING (oid) JOIN pg_namespace n ON n.oid = pronamespace
	WHERE c.proname <> 'own_shards'});
delete @named{qw(id_layout)};
is_deeply(\%named, \%real, 'the table of functions');
my ($settings) = $reference =~ /^## Settings\n(.*)/ms;
is( join(' ', sort $settings =~ /^\| `(idgen\.\w+)`/gm),
	$node->safe_psql('app', q{SELECT string_agg(name, ' ' ORDER BY name COLLATE "C") FROM pg_settings WHERE name LIKE 'idgen.%'}),
	'the table of settings');
my $manual = slurp_file("$FindBin::Bin/../../docs/settings.md");
like($manual, qr/^## `$_`/m, "docs/settings.md has $_") for $settings =~ /^\| `(idgen\.\w+)`/gm;

# The ten calls most used are in it, as they are there.
my @calls = map { [/^\| `(([\w.]+)\(.*?\))/] } grep { /^\| `[\w.]+\(/ } split /\n/, ($readme =~ /^## The ten calls most used\n(.*?)^## /ms)[0];
is(scalar @calls, 10, 'ten calls');
ok($real{ $_->[1] }, "$_->[1] is a call") for @calls;

# The pages that it links to are there, and it links to all.
ok(-f "$FindBin::Bin/../../$_", "$_ is there") for $readme =~ /\]\(([^)h][^)]*)\)/g;
ok(index($readme, "(docs/$_)") >= 0, "docs/$_ is linked") for map { s{.*/}{}r } glob "$FindBin::Bin/../../docs/*.md";

done_testing();
