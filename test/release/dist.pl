# make dist makes an archive that has what it takes to build idgen, and nothing of the project's own machinery; make install
# prefix=... puts it all below one folder.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Checkout;
use File::Find;
use JSON::PP;
use Test::More;

my $tree = checkout();
my ($version) = text_of("$tree/idgen.control") =~ /^default_version = '(.*)'$/m;
my $folder = "$tree/build";
is(system("make -s -C '$tree' dist >/dev/null 2>&1"), 0, 'make dist');
ok(-f "$folder/idgen-$version.zip", "build/idgen-$version.zip is there");
is(system('python3', '-m', 'zipfile', '-e', "$folder/idgen-$version.zip", $folder), 0, 'it can be unpacked');
my $source = "$folder/idgen-$version";

sub files_below
{
	my ($top) = @_;
	my @files;
	find({ no_chdir => 1, wanted => sub { push @files, s{^\Q$top\E/}{}r if -f } }, $top);
	return sort @files;
}
my %is_there = map { $_ => 1 } files_below($source);
chomp(my @tracked = `git -C '$tree' ls-files`);
my @wanted = sort 'js/page/index.html', grep { !m{^(?:debian|\.ci|\.github)/|^\.git} } @tracked;
is_deeply([ sort keys %is_there ], \@wanted, 'it has what the tree has, but for packaging and the code host, and the page as it is built');
is(text_of("$source/js/page/index.html"), text_of("$folder/web/index.html"), 'the page is that of make web');

# Without a compiler for WebAssembly.
my $said = `rm -rf '$folder/web' '$folder/idgen.wasm' && make -s -C '$tree' dist CLANG=false 2>/dev/null && python3 -m zipfile -l '$folder/idgen-$version.zip'`;
like($said, qr/^js\/page\/index\.html is left out: it needs clang/m, 'without a compiler for it, the page is left out, and make dist says so');
like($said, qr/js\/page\/page\.html/, 'without a compiler for it, the sources of the page are there');
unlike($said, qr/ \S*js\/page\/index\.html|^\S+\/js\/page\/index\.html/m, 'without a compiler for it, the page is not there');

# As an older machine would: without bitcode, quickly.
my $make = "make -s -C '$source' with_llvm=no COPT=-O0";
is(system("$make -j2 >'$folder/log' 2>&1"), 0, 'the archive builds') or diag(text_of("$folder/log"));
is(system("$make install prefix='$folder/installed' >'$folder/log' 2>&1"), 0, 'the archive installs below a prefix') or diag(text_of("$folder/log"));
my $meta = decode_json(text_of("$source/META.json"));
my @released = text_of("$source/CHANGELOG.md") =~ /^## (\S+)/mg;
my @updates = map { "$released[$_]--$released[$_ - 1]" } 1 .. $#released;
is_deeply(
	[ files_below("$folder/installed") ],
	[ sort 'bin/idgen-setup', 'lib/idgen.so', 'lib/idgen_lease.so', 'share/extension/idgen_registry.sql', map { my $name = $_; ("share/extension/$name.control", map { "share/extension/$name--$_.sql" } $version, @updates) } keys %{ $meta->{provides} } ],
	'all that the archive provides is installed');

# If the headers of libpq or libcurl are missing, as this directory's empty ones would be, the second module is left out, in one line.
mkdir "$folder/curl";
open my $none, '>', "$folder/curl/curl.h" or die "curl.h: $!";
print $none "#error no libcurl\n";
close $none;
my $without = "$make CPPFLAGS='-I$folder'";
is(system("$without -j2 >'$folder/log' 2>&1"), 0, 'the archive builds without libcurl') or diag(text_of("$folder/log"));
is(text_of("$folder/log"), "idgen_lease is left out: it needs the headers of libpq, and of libcurl 7.66 or later\n", 'a build without libcurl says what it leaves out');
is(system("$without install prefix='$folder/without' >'$folder/log' 2>&1"), 0, 'it installs without libcurl') or diag(text_of("$folder/log"));
is_deeply([ files_below("$folder/without") ], [ grep { !/idgen_lease/ } files_below("$folder/installed") ], 'all but idgen_lease');
is(system("$make install prefix='$folder/without' >'$folder/log' 2>&1 && $make uninstall prefix='$folder/without' >>'$folder/log' 2>&1"), 0, 'uninstall') or diag(text_of("$folder/log"));
is_deeply([ files_below("$folder/without") ], [], 'nothing is left');
is(system("$make clean >'$folder/log' 2>&1"), 0, 'clean');
is_deeply([ grep { m{\.(?:o|d|so)$|^sql/idgen\w*--[\d.]+\.sql$} } files_below($source) ], [], 'nothing built is left');

done_testing();
