# What the README prints is true: its first example, its way into one's own server, its tour; and the tables of
# docs/reference.md.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../t/lib";
use IdgenMachine;
use IdgenNode;
use IdgenPages;
use PostgreSQL::Test::Utils;
use Test::More;

my $readme = page('README');
cmp_ok(scalar(split /\n/, $readme), '<=', 150, 'README.md has at most 150 lines');

# The way into one's own server, on a machine without a cluster. What is compiled already is only linked: test/bare starts from nothing.
my $node = start_node('own_server', preload => 0, extension => 0);
my $machine = IdgenMachine->new($node);
my ($share, $lib) = map { chomp(my $path = `pg_config --$_`); $path } qw(sharedir pkglibdir);
unlink glob("$share/extension/idgen*"), "$lib/idgen.so", "$lib/idgen_lease.so";
{
	local $ENV{MAKEFLAGS} = ' -- with_llvm=no';
	$machine->types_readme;
}
is($node->safe_psql('app', 'SELECT id_shard(next_id())'), 5, 'the installed server makes IDs of its shard');

# Headers of libraries that the sources include come with the packages that README names; some libraries are built only
# where theirs are.
ok(-f "$lib/idgen_lease.so", 'idgen_lease is built, too');
my %named = map { $_ => 1 } split ' ', slurp_file($machine->file('/packages'));
for my $header (qw(libpq-fe.h curl/curl.h openssl/evp.h))
{
	my @packages = `dpkg-query -S '*/include/*$header'` =~ /^([\w.+-]+-dev)\b/mg;
	ok(scalar(grep { $named{$_} } @packages), "README installs one of @packages, for $header");
}

# The first example prints what stands below it, but for the digits; and the parts that are printed are those of the ID.
sub without_digits { my ($text) = @_; return $text =~ s/\.\d+\+/+/gr =~ s/\d+/9/gr =~ s/-{4,}/----/gr =~ s/ +/ /gr =~ s/ $//mgr }
$ENV{PGTZ} = 'UTC';
my ($first) = grep { $_->{language} eq 'sql' } blocks('README');
my $printed = $machine->types($first, db => 'app');
like(without_digits($printed), qr/^\Q${\ without_digits($first->{says})}\E/m,
	'the first example prints what the page says');
my ($id, @parts) = $first->{says} =~ /^ (\d+) \| (\S+ \S+) \| +(\d+) \| +(\d+)$/m;
is($node->safe_psql('app', "SELECT * FROM id_decode($id)"), join('|', @parts),
	'the first example prints the parts of its ID');
$node->safe_psql('app', 'DROP TABLE photo');

# The tour, every line in one psql.
my $tour = block('README', 'Five minutes', 'sql');
my ($status, $out, $error) = $node->psql('app', $tour, on_error_stop => 1);
is($status, 0, 'the tour runs to its end');
is($error, '', 'the tour runs without an error or a warning');
like($out, qr/2095-09-07 .*\n/, 'the tour shows the end of the layout idgen');

# The tables name every function and every setting, and nothing else.
$node->safe_psql('app', 'CREATE EXTENSION idgen_kinds');
my $reference = page('reference');
my ($functions) = $reference =~ /^## Functions\n(.*?)^## /ms;
my %described = map { $_ => 1 } map { /`(idgen\.\w+|\w+_\w+)[(`]/g } $functions =~ /^\| (.*?) \|/gm;
$node->safe_psql('app', slurp_file("$FindBin::Bin/../../sql/called.sql"));
my %real = map { $_ => 1 } split /\n/, $node->safe_psql('app', q{SELECT DISTINCT CASE WHEN nspname = 'idgen' THEN 'idgen.' ELSE '' END || c.proname FROM called c JOIN pg_proc USING (oid) JOIN pg_namespace n ON n.oid = pronamespace
	WHERE c.proname NOT IN ('own_shards', 'instagram')});
# And of idgen_lease, what stands in the schema that its user chooses.
$real{$_} = 1 for slurp_file("$FindBin::Bin/../../registry/lease/30-tickets.sql") =~ /^CREATE FUNCTION \@extschema\@\.(\w+)\(/mg;
delete @described{qw(id_layout)};
is_deeply(\%described, \%real, 'the table of functions');
# Those of a server's start are there only if it loads the library.
my ($settings) = $reference =~ /^## Settings\n(.*)/ms;
is( join(' ', sort $settings =~ /^\| `(idgen\.\w+)`/gm),
	start_node('loading', preload => 1)->safe_psql('postgres', q{SELECT string_agg(name, ' ' ORDER BY name COLLATE "C") FROM pg_settings WHERE name LIKE 'idgen.%'}),
	'the table of settings');
my $manual = page('settings');
like($manual, qr/^## `$_`/m, "docs/settings.md has $_") for $settings =~ /^\| `(idgen\.\w+)`/gm;

# The ten calls most used, of docs/README.md, are in it.
my ($most_used) = slurp_file(tree() . '/docs/README.md') =~ /^## The ten calls most used\n(.*)/ms;
my @calls = map { [/^\| `(([\w.]+)\(.*?\))/] } grep { /^\| `[\w.]+\(/ } split /\n/, $most_used;
is(scalar @calls, 10, 'ten calls');
ok($real{ $_->[1] }, "$_->[1] is a call") for @calls;

done_testing();
