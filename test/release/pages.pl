# The pages hang together: the index and llms.txt name every page, every link leads somewhere, no page is too long and no line too wide.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../trials/bench/lib";
use Checkout;
use File::Basename qw(dirname);
use File::Spec;
use IdgenBench::Page qw(table_of with_table);
use Test::More;

my $tree = source_tree();
my $most_words = 2000;
my $most_words_of_all = 42_000;
my $most_links_first = 12;
my $widest = 120;
# Tables of everything: only these may be as long as they must.
my %may_be_long = map { ("docs/$_.md" => 1) } qw(reference troubleshooting);

sub below { my ($pattern) = @_; return map { s{^\Q$tree\E/}{}r } glob "$tree/$pattern" }

# What stands outside of blocks of code.
sub prose { my ($text) = @_; return $text =~ s/^```.*?^```[^\n]*\n//gmsr =~ s/^    .*\n//gmr }

# Links to files of the tree, as they are written.
sub links { my ($text) = @_; return grep { !/^[a-z]+:/ } prose($text) =~ /\]\(([^)\s]+)\)/g }

# The anchors of a page's headings, as a code host makes them: in lower case, without punctuation; repeated ones are numbered.
sub anchors
{
	my ($text) = @_;
	my (%seen, %anchor);
	for my $heading ($text =~ s/^```.*?^```[^\n]*\n//gmsr =~ /^#+ +(.*?) *$/gm)
	{
		my $name = lc($heading =~ s/\[([^\]]*)\]\([^)]*\)/$1/gr) =~ s/[^\w\- ]//gr =~ tr/ /-/r;
		my $before = $seen{$name}++;
		$anchor{ $before ? "$name-$before" : $name } = 1;
	}
	return \%anchor;
}

# The file that a link of a page means, without what is relative in it; and the anchor.
sub target
{
	my ($page, $link) = @_;
	my ($path, $anchor) = split /#/, $link, 2;
	return ($page, $anchor) if $path eq '';
	my @steps;
	for my $step (File::Spec->splitdir(dirname($page) . "/$path"))
	{
		if ($step eq '..') { pop @steps }
		elsif ($step ne '.' && $step ne '') { push @steps, $step }
	}
	return (join('/', @steps), $anchor);
}

# What is wrong with a link of a page, if anything.
sub fault_of
{
	my ($page, $link) = @_;
	my ($file, $anchor) = target($page, $link);
	return "$link: no such file" unless $file eq '' || -e "$tree/$file";
	return "$link: no such heading" if defined $anchor && !anchors(text_of("$tree/$file"))->{$anchor};
	return;
}

my @pages = below('docs/{,clients/}*.md');
cmp_ok(scalar @pages, '>', 20, 'there are pages');
cmp_ok(scalar(() = below('docs/*.md')), '<=', 27, 'and not too many');
cmp_ok(scalar(() = join("\n", map { text_of("$tree/$_") } 'README.md', below('docs/*.md'), below('docs/clients/*.md')) =~ /\S+/g), '<=', $most_words_of_all, "README and all pages: at most $most_words_of_all words, with blocks");
for my $index ('docs/README.md', 'llms.txt')
{
	my %linked = map { ((target($index, $_))[0] => 1) } links(text_of("$tree/$index"));
	is(join(' ', grep { $_ ne $index && !$linked{$_} } @pages), '', "$index links to every page");
}

for my $page (below('*.md'), 'llms.txt', @pages, below('{src,kinds,kinds/vectors,migrate,registry,sql-only,js,js/package,test/{memory,sim,vectors},trials,trials/{bench,evidence},test,examples/*,monitoring,packaging,.github,.github/ISSUE_TEMPLATE}/*.md'))
{
	is(join("\n", map { fault_of($page, $_) } links(text_of("$tree/$page"))), '', "$page: every link leads somewhere");
}

for my $page ('README.md', @pages)
{
	cmp_ok(scalar(() = text_of("$tree/$page") =~ /\S+/g), '<=', $most_words, "$page: at most $most_words words, with blocks") unless $may_be_long{$page};
}
# Where a newcomer looks first.
my ($first_list) = text_of("$tree/docs/README.md") =~ /^((?:- .*\n(?:  .*\n)*)+)/m;
cmp_ok(scalar(links($first_list)), '<=', $most_links_first, "docs/README.md: at most $most_links_first links in the first list");
for my $page ('README.md', 'CHANGELOG.md', @pages)
{
	# Of a link only what is read counts.
	utf8::decode(my $text = prose(text_of("$tree/$page")));
	my @wide = grep { length > $widest } map { s/\]\([^)]*\)/]/gr } grep { !/^\|/ } split /\n/, $text;
	is(join("\n", @wide), '', "$page: no line is wider than $widest");
}

# README's figures are those of the last run: of a call, and of a row in each protocol.
my $benchmarks = text_of("$tree/docs/benchmarks.md");
sub cell
{
	my ($heading, $row, $column) = @_;
	my ($header, @rows) = table_of($benchmarks, $heading);
	my ($place) = grep { $header->[$_] =~ /^\Q$column\E/ } 0 .. $#$header;
	my ($found) = grep { $_->[0] eq $row } @rows;
	return $found->[$place];
}
my $readme = text_of("$tree/README.md") =~ s/\s+/ /gr;
for ([ 'takes ([\d.]+) ns of CPU', 'next_id(shard, layout)' ], [ 'one `nextval` ([\d.,]+) ns', 'nextval, CACHE 1' ])
{
	my ($figure) = $readme =~ /$_->[0]/ or die "README does not say $_->[1]\n";
	like(cell('One call', $_->[1], 'net CPU time'), qr/^\Q$figure\E \[/, "README has the figure of $_->[1]");
}
for ([ 'in the simple protocol', 'one row, simple protocol' ], [ 'as an unnamed statement', 'one row, unnamed statement' ], [ 'prepared', 'one row, prepared' ], [ 'by `COPY`', '`COPY`' ])
{
	my ($ratio) = $readme =~ /([\d.]+) \Q$_->[0]\E/ or die "README does not say $_->[0]\n";
	like(cell('Instructions of a row', $_->[1], '`next_id()`'), qr/ \(\Q$ratio\E\)$/, "README has the figure of $_->[1]");
}

# What a superuser runs in a database of another role begins with a path of its own: otherwise an operator of that role is called that fits
# better than pg_catalog's. Scripts of extensions have the server's, and these blocks are run by roles with rights on their own tables only.
my $reads_catalogs = qr/\bpg_(?:class|depend|proc|type|namespace|extension|trigger|rewrite|attribute|attrdef|index|constraint|operator|roles|authid|auth_members|database|settings|db_role_setting|publication|subscription|identify_object|describe_object|stat_activity)\b/;
my $pinned = qr/\A(?:\s*(?:--[^\n]*|\\[^\n]*)\n|\s+|BEGIN;)*SET (?:LOCAL )?search_path = pg_catalog, pg_temp;/;
my @typed_by_owners = ('docs/reading.md');
my @of_extensions = ('kinds/install', 'migrate/install', 'registry/install', 'registry/lease', 'sql/install', 'sql/common');

sub is_pinned { my ($text) = @_; return $text !~ $reads_catalogs || $text =~ $pinned }

# A block for the shell: each psql in it that reads catalogs of a database that is named. The others are in the superuser's own.
sub is_pinned_in_shell
{
	my ($text) = @_;
	return !grep { /$reads_catalogs/ && /\A[^\n]*\bpsql\b[^\n]* -d / && !/\bPGOPTIONS='-c search_path=[ ']/ } split /^(?=[^\n]*\bpsql\b)/m, $text;
}
my @files = grep { my $file = $_; $file !~ m{^(?:test|trials)/|/pgtap/|^(?:\w+/)?sql/\w+\.sql$|/(?:from|after)-} && !grep { $file =~ m{^$_/} } @of_extensions } below('*.sql'), below('*/*.sql'), below('*/*/*.sql');
cmp_ok(scalar @files, '>=', 8, 'there are files of SQL');
is(join(' ', grep { !is_pinned(text_of("$tree/$_")) } @files), '', 'every file of SQL that reads catalogs pins its path first');
for my $page ('README.md', grep { my $page = $_; !grep { $page eq $_ } @typed_by_owners } @pages)
{
	my $text = text_of("$tree/$page");
	is(join("\n", grep { !is_pinned($_) } $text =~ /^```sql\n(.*?)^```/gms), '', "$page: SQL that reads catalogs pins its path first");
	is(join("\n", grep { !is_pinned_in_shell($_) } $text =~ /^```sh\n(.*?)^```/gms), '', "$page: psql that reads catalogs pins its path");
}

# A body without a path of its own pins one first, and again after each end of a transaction. Between a path of the caller and the next pin,
# nothing is looked up: statements of the caller run, and their rows are counted.
my $pin = qr/\@PIN\@|PERFORM pg_catalog\.set_config\('search_path', 'pg_catalog, pg_temp', true\);/;
my $of_caller = qr/EXECUTE [\w.]+(?: USING [\w, ]+)?;|GET DIAGNOSTICS \w+ = ROW_COUNT;/;

sub unpinned
{
	my ($text) = @_;
	my @faults;
	push @faults, $1 while $text =~ /set_config\('search_path', (?!'pg_catalog, pg_temp')[^\n]*\n(?:\s*$of_caller\n)*+(?!\s*$pin)\s*([^\n]*)/g;
	for my $body ($text =~ /^CREATE (?:FUNCTION|PROCEDURE) (?:(?!\bSET search_path|^\$\$).)*?LANGUAGE plpgsql(?:(?!\bSET search_path).)*? AS \$\$\n(.*?)^\$\$/gms)
	{
		push @faults, $1 if $body =~ /^(?:DECLARE\n(?:(?!BEGIN).*\n)*)?BEGIN\n(?!\s*$pin)\s*([^\n]*)/ || $body =~ /\A(?:(?!^BEGIN).)*?(:=[^\n]*)/ms;
		push @faults, "$1 $2" while $body =~ /(COMMIT|ROLLBACK);\n(?!\s*(?:$pin|EXCEPTION))\s*([^\n]*)/g;
	}
	return @faults;
}
my @parts = grep { my $file = $_; grep { $file =~ m{^$_/} } @of_extensions } below('*/*/*.sql');
cmp_ok(scalar @parts, '>=', 20, 'there are parts of install scripts');
is(join("\n", map { unpinned(text_of("$tree/$_")) } @parts), '', 'nothing of an extension is looked up by the path of its caller');

# The rules notice what is wrong.
ok(!is_pinned("-- SET search_path = pg_catalog, pg_temp;\nSELECT FROM pg_class;\n"), 'noticed: SQL without a path');
ok(!is_pinned("SELECT FROM pg_class;\nSET search_path = pg_catalog, pg_temp;\n"), 'noticed: a path that comes later');
ok(is_pinned("-- a\n\n\\set b c\nBEGIN;\nSET LOCAL search_path = pg_catalog, pg_temp;\nSELECT FROM pg_class;\n"), 'SQL with a path passes');
ok(!is_pinned_in_shell("PGOPTIONS='-c search_path=' psql -d a -c 'SELECT 1'\npsql -d b <<END\nSELECT FROM pg_class\nEND\n"), 'noticed: a psql without a path');
my $caller = "PERFORM set_config('search_path', path, true);\nEXECUTE a.b USING c, d;\nGET DIAGNOSTICS n = ROW_COUNT;\n";
is_deeply([ unpinned("$caller\@PIN\@\nIF n < 1 THEN\n") ], [], 'a pin after statements of the caller passes');
is_deeply([ unpinned("${caller}IF n < 1 THEN\n\@PIN\@\n") ], ['IF n < 1 THEN'], 'noticed: what comes before the pin');
my $procedure = "CREATE PROCEDURE p()\nLANGUAGE plpgsql AS \$\$\n";
is_deeply([ unpinned("${procedure}DECLARE\n    n integer;\nBEGIN\n    \@PIN\@\n    COMMIT;\n    \@PIN\@\nEND\n\$\$;\n") ], [], 'a procedure that pins passes');
is_deeply([ unpinned("${procedure}BEGIN\n    n := 1 + 1;\nEND\n\$\$;\n") ], ['n := 1 + 1;'], 'noticed: a procedure without a pin');
is_deeply([ unpinned("${procedure}DECLARE\n    n integer := 1 + 1;\nBEGIN\n    \@PIN\@\nEND\n\$\$;\n") ], [':= 1 + 1;'], 'noticed: what a declaration computes');
is_deeply([ unpinned("${procedure}BEGIN\n    \@PIN\@\n    COMMIT;\n    n := 1;\nEND\n\$\$;\n") ], ['COMMIT n := 1;'], 'noticed: a COMMIT without a pin');
is_deeply([ sort keys %{ anchors("# A `b_c`, d\n## A `b_c`, d\n```\n# no\n```\n") } ], [ 'a-b_c-d', 'a-b_c-d-1' ], 'noticed: headings, not code');
is(fault_of('docs/README.md', 'none.md'), 'none.md: no such file', 'noticed: a page that is not there');
is(fault_of('docs/README.md', '../README.md#none'), '../README.md#none: no such heading', 'noticed: a heading that is not there');
is(fault_of('docs/README.md', '../README.md#idgen'), undef, 'a link that is right passes');

done_testing();
