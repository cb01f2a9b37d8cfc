# What the README prints is true: its tour, its way into one's own server, its pages; and the tables of docs/reference.md.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IdgenMachine;
use IdgenNode;
use IdgenPages;
use PostgreSQL::Test::Utils;
use Test::More;

my $readme = page('README');
cmp_ok(scalar(split /\n/, $readme), '<', 200, 'README.md has less than 200 lines');

# The way into one's own server, on a machine without a cluster, from the source.
my $node = start_node('own_server', preload => 0, extension => 0);
my $machine = IdgenMachine->new($node, cluster => 0);
my ($share, $lib) = map { chomp(my $path = `pg_config --$_`); $path } qw(sharedir pkglibdir);
unlink glob("$share/extension/idgen*"), "$lib/idgen.so", "$lib/idgen_lease.so";
system('make', '-s', '-C', tree(), 'clean');
$machine->types_readme;
is(slurp_file($machine->file('/cluster')), $node->pg_version->major . " main --start\n", 'a cluster is made where there is none');
is($node->safe_psql('app', 'SELECT id_shard(next_id())'), 5, 'the installed server makes IDs of its shard');

# Headers of libraries that the sources include come with the packages that README names; some libraries are built only where theirs are.
ok(-f "$lib/idgen_lease.so", 'idgen_lease is built, too');
my %named = map { $_ => 1 } split ' ', slurp_file($machine->file('/packages'));
for my $header (qw(libpq-fe.h curl/curl.h openssl/evp.h))
{
	my @packages = `dpkg-query -S '*/include/*$header'` =~ /^([\w.+-]+-dev)\b/mg;
	ok(scalar(grep { $named{$_} } @packages), "README installs one of @packages, for $header");
}

# The tour, every line in one psql.
my $tour = block('README', 'Five minutes', 'sql');
my ($status, $out, $error) = $node->psql('app', $tour, on_error_stop => 1);
is($status, 0, 'the tour runs to its end');
is($error, '', 'without an error or a warning');
like($out, qr/2046-06-27 .*\n/, 'it shows the end of the default layout');

# The examples of these pages run, and give what stands behind them.
for my $name (qw(text-forms other-kinds))
{
	my $examples = join '', map { $_->{text} } grep { $_->{language} eq 'sql' } blocks($name);
	($status, $out, $error) = $node->psql('app', $examples, on_error_stop => 1);
	is($status, 0, "the examples of docs/$name.md run to their end");
	is($error, '', 'without an error or a warning');
	is($out, join("\n", $examples =~ /;\s+-- (.*)$/mg), 'they give the results that are printed');
}

# The tables name every function and every setting, and nothing else.
my $reference = page('reference');
my ($functions) = $reference =~ /^## Functions\n(.*?)^## /ms;
my %described = map { $_ => 1 } map { /`(idgen\.\w+|\w+_\w+)[(`]/g } $functions =~ /^\| (.*?) \|/gm;
$node->safe_psql('app', slurp_file("$FindBin::Bin/../../sql/called.sql"));
my %real = map { $_ => 1 } split /\n/, $node->safe_psql('app', q{SELECT DISTINCT CASE WHEN nspname = 'idgen' THEN 'idgen.' ELSE '' END || c.proname FROM called c JOIN pg_proc USING (oid) JOIN pg_namespace n ON n.oid = pronamespace
	WHERE c.proname <> 'own_shards'});
# And of idgen_lease, what stands in the schema that its user chooses.
$real{$_} = 1 for slurp_file("$FindBin::Bin/../../sql/lease/30-tickets.sql") =~ /^CREATE FUNCTION \@extschema\@\.(\w+)\(/mg;
delete @described{qw(id_layout)};
is_deeply(\%described, \%real, 'the table of functions');
my ($settings) = $reference =~ /^## Settings\n(.*)/ms;
is( join(' ', sort $settings =~ /^\| `(idgen\.\w+)`/gm),
	$node->safe_psql('app', q{SELECT string_agg(name, ' ' ORDER BY name COLLATE "C") FROM pg_settings WHERE name LIKE 'idgen.%'}),
	'the table of settings');
my $manual = page('settings');
like($manual, qr/^## `$_`/m, "docs/settings.md has $_") for $settings =~ /^\| `(idgen\.\w+)`/gm;

# The ten calls most used are in it, as they are there.
my @calls = map { [/^\| `(([\w.]+)\(.*?\))/] } grep { /^\| `[\w.]+\(/ } split /\n/, ($readme =~ /^## The ten calls most used\n(.*?)^## /ms)[0];
is(scalar @calls, 10, 'ten calls');
ok($real{ $_->[1] }, "$_->[1] is a call") for @calls;

# The pages that it links to are there, and it links to all.
ok(-f "$FindBin::Bin/../../$_", "$_ is there") for $readme =~ /\]\(([^)h][^)]*)\)/g;
ok(index($readme, "(docs/$_)") >= 0, "docs/$_ is linked") for map { s{.*/}{}r } glob "$FindBin::Bin/../../docs/*.md";

done_testing();
