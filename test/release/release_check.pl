# tools/release-check lets a clean and consistent tree pass, and names what is wrong with another.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Checkout;
use Test::More;

my $tree = checkout();
my ($version) = text_of("$tree/idgen.control") =~ /^default_version = '(.*)'$/m;
my @controls = map { s{.*/}{}r } glob "'$tree'/*.control";
my $next = $version =~ s/(\d+)$/$1 + 1/er;

sub check_of
{
	my $output = `'$tree/tools/release-check' '$tree' 2>&1`;
	return ($? >> 8, $output);
}

# What is refused, and by which lines, after a change of files that is committed; then the tree is as it was.
sub refused
{
	my ($what, $change, @patterns) = @_;
	$change->();
	git($tree, 'add', '-A');
	git($tree, 'commit', '-q', '-m', $what);
	my ($status, $output) = check_of();
	is($status, 1, "$what: refused");
	like($output, $_, "$what: why") for @patterns;
	git($tree, 'reset', '-q', '--hard', 'HEAD~1');
	return;
}

my ($status, $output) = check_of();
is($output, "README.md says that nothing is published: tools/release address URL\n", 'the last commit can be released, once it says where');
isnt(system("'$tree/tools/release' address ftp://example.com 2>/dev/null"), 0, 'an address that is none is refused');
is(system("'$tree/tools/release' address https://example.com/Owner/idgen"), 0, 'the address is written');
unlike(text_of("$tree/README.md") . text_of("$tree/docs/installing.md"), qr/ADDRESS|published yet/, 'and nothing says that there is none');
like(text_of("$tree/README.md"), qr{^git clone https://example\.com/Owner/idgen idgen .*^    docker run .* ghcr\.io/owner/idgen:18$}ms, 'README has the repository and the image');
git($tree, 'commit', '-q', '-a', '-m', 'the address');
($status, $output) = check_of();
is($status, 0, 'then it can be released') or diag($output);
is($output, "$version can be released\n", 'the check says that the last commit can be released');

put("$tree/README.md", 'changed');
($status, $output) = check_of();
is($status, 1, 'a changed file: refused');
like($output, qr/^not committed:  M README\.md$/m, 'a changed file: why');
git($tree, 'checkout', '-q', 'README.md');
put("$tree/new.txt", 'new');
($status, $output) = check_of();
is($status, 1, 'a new file: refused');
like($output, qr/^not committed: \?\? new\.txt$/m, 'a new file: why');
unlink "$tree/new.txt";

for my $name (qw(idgen_migrate.control META.json debian/changelog packaging/idgen.spec CHANGELOG.md))
{
	refused("another version in $name", sub { edit("$tree/$name", qr/\Q$version\E/, '7.7.7') }, qr/^\Q$name\E.* says 7\.7\.7, idgen\.control says \Q$version\E$/m);
}
refused('a version that is none', sub { edit("$tree/idgen.control", qr/\Q$version\E/, '1.0rc1') }, qr/^idgen\.control: 1\.0rc1 is no version/m);
refused('no date', sub { edit("$tree/CHANGELOG.md", qr/^(## \S+) \(.*\)$/m, '$1 (soon)') }, qr/^CHANGELOG\.md gives no date/m);
refused('the version in a source', sub { put("$tree/src/pg/version.hpp", qq{// "$version"\n}) }, qr/^says the version, .*: src\/pg\/version\.hpp:1:/m);

# A later version: its scripts. Those that were put together of install parts are files by then.
my ($from) = map { m{/from-(.*)\.sql$} } glob "$tree/sql/from-*.sql";
my ($updates) = text_of("$tree/Makefile") =~ m{^UPDATES = (.*)$}m;
my @built = map { "sql/$_--$from--$version.sql" } split ' ', $updates =~ s/\$\(HAS_LEASE\)/idgen_lease/r;
sub later
{
	put("$tree/$_", "-- What was new.\nSELECT idgen.require_library('$version'::pg_catalog.text);\n") for @built;
	git($tree, 'add', '-f', @built);
	edit("$tree/$_", qr/\Q$version\E/, $next) for @controls, 'packaging/idgen.spec', 'debian/changelog';
	# Its own, and that of each extension.
	edit("$tree/META.json", qr/\Q$version\E/, $next) for 0 .. @controls;
	edit("$tree/CHANGELOG.md", qr/^## /m, "## $next (2027-01-01)\n\n## ");
	return;
}
my $script = "sql/idgen--$version--$next.sql";
my @other_scripts = map { "sql/$_--$version--$next.sql" } grep { $_ ne 'idgen' } map { s{\.control$}{}r } @controls;
my $guard = "SELECT idgen.require_library('$next'::pg_catalog.text);\n";
refused('no upgrade script', \&later, map { qr/^missing or empty: \Q$_\E$/m } $script, @other_scripts);
refused('an upgrade script that asks for no library',
	sub { later(); put("$tree/$script", "SELECT 1;\n"); put("$tree/$_", "-- Nothing changes.\n") for @other_scripts },
	qr/\A\Q$script\E does not begin with idgen.require_library\('\Q$next\E'\)\n\z/);
later();
put("$tree/$script", "-- What is new.\n$guard");
put("$tree/$_", "-- Nothing changes.\n") for @other_scripts;
git($tree, 'add', '-A');
git($tree, 'commit', '-q', '-m', 'later');
($status, $output) = check_of();
is("$status $output", "0 $next can be released\n", 'a later version with its scripts can be released');
git($tree, 'tag', "v$next");
($status) = check_of();
is($status, 0, 'its own tag does not hinder it');
refused('released already', sub { edit("$tree/README.md", qr/\A/, "\n") }, qr/^\Q$next\E was released already/m);

done_testing();
