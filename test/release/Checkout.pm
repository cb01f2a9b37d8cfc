# A clean checkout of this tree's last commit, to be changed by a test.
package Checkout;

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use Test::More;

our @EXPORT = qw(checkout git text_of put edit source_tree);

my $tree = abs_path(dirname(__FILE__) . '/../..');

sub source_tree { return $tree }

# Skips all of the test if this tree is not one of git's.
sub checkout
{
	plan skip_all => 'no tree of git' unless -e "$tree/.git";
	my $folder = tempdir(CLEANUP => 1);
	# Whoever owns the tree, it is the one to be tested.
	put("$folder/gitconfig", "[safe]\n\tdirectory = *\n[user]\n\tname = nobody\n\temail = nobody\@localhost\n");
	$ENV{GIT_CONFIG_GLOBAL} = "$folder/gitconfig";
	git($folder, 'clone', '-q', '--no-tags', "file://$tree", 'idgen');
	return "$folder/idgen";
}

sub git
{
	my ($folder, @arguments) = @_;
	system('git', '-C', $folder, @arguments) == 0 or die "git @arguments\n";
	return;
}

sub text_of
{
	my ($name) = @_;
	open my $file, '<', $name or die "$name: $!";
	return do { local $/ = undef; <$file> };
}

sub put
{
	my ($name, $text) = @_;
	open my $file, '>', $name or die "$name: $!";
	print $file $text;
	close $file;
	return;
}

# Replaces the first match of a pattern; $1 in what is put there stands for its first group.
sub edit
{
	my ($name, $pattern, $new) = @_;
	my $text = text_of($name);
	$text =~ s/$pattern/my $first = $1 \/\/ ''; $new =~ s{\$1}{$first}r/e or die "$name has no $pattern";
	return put($name, $text);
}

1;
