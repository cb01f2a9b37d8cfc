# Whether what was tried is what the tree has now: for the scripts that keep rows of runs, each with its commit.
package Present;

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT_OK = qw(is_present shipped served);

# What the extension is made of, without its tests and pages.
sub shipped { return qw(src kinds/core kinds/pg kinds/install sql bin migrate/install registry/node registry/install registry/lease sql-only/*.sql *.control) }

# What a server runs that makes IDs: without what moves tables, and without the edition in SQL.
sub served { return qw(src kinds/core kinds/pg kinds/install sql/common sql/install bin registry/node registry/install registry/lease *.control) }

my (%differs, %text);

# Whether a commit has the same code as the last one in these paths: comments and empty lines may differ. No, if git does not know
# the commit.
sub is_present
{
	my ($commit, @paths) = @_;
	return 0 if $commit !~ /^[0-9a-f]{7,40}$/;
	return !($differs{"$commit @paths"} //= _differs($commit, @paths) ? 1 : 0);
}

sub _differs
{
	my ($commit, @paths) = @_;
	my @lines = qx(git diff --raw --no-renames --abbrev=40 $commit HEAD -- @{[ map { "':(glob)$_' ':(glob)$_/**'" } @paths ]} 2>/dev/null);
	return 1 if $?;
	for (@lines)
	{
		my (undef, undef, $before, $after, $status, $name) = split ' ', $_, 6;
		chomp $name;
		return 1 if $status ne 'M' || _code($before, $name) ne _code($after, $name);
	}
	return 0;
}

# The text of an object of git, without the comments that have a line of their own or end one behind a space.
sub _code
{
	my ($object, $name) = @_;
	my $comment = $name =~ /\.[ch]pp$/ ? qr{//} : $name =~ /\.sql$/ ? qr/--/ : $name =~ /\.control$/ ? qr/#/ : undef;
	return $text{$object} //= do
	{
		my $text = qx(git cat-file blob $object);
		$text =~ s/^\s*$comment.*\n//mg, $text =~ s/ +$comment .*$//mg if $comment;
		$text =~ s/^\s*\n//mgr;
	};
}

1;
