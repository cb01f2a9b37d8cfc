# What the pages print: the blocks of code in them, each with the section that it stands in.
package IdgenPages;

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(dirname);
use PostgreSQL::Test::Utils qw(slurp_file);

our @EXPORT = qw(tree page blocks block);

# The folder of the tree that is tested.
sub tree { return abs_path(dirname(__FILE__) . '/../../..') }

# The text of a page: README, or one of docs by its name.
sub page { my ($name) = @_; return slurp_file(tree() . ($name eq 'README' ? '/README.md' : "/docs/$name.md")) }

# The blocks of a page between its fences, in their order: page, section (the heading above), language ('' where none is
# said), number among those of the page, text; and says, what stands without a language right behind it.
sub blocks
{
	my ($name) = @_;
	my ($section, $open, @blocks) = ('');
	my $gap = 0;
	for my $line (split /^/, page($name))
	{
		if ($open)
		{
			if ($line =~ /^```$/) { push @blocks, $open; undef $open; $gap = 0 }
			else { $open->{text} .= $line }
		}
		elsif ($line =~ /^```(\w*)$/)
		{
			$open = { page => $name, section => $section, language => $1, number => @blocks + 1, text => '', follows => @blocks && $gap <= 1 };
		}
		else
		{
			$section = $1 if $line =~ /^#+ (.*)$/;
			$gap += $line =~ /\S/ ? 2 : 1;
		}
	}
	die "$name: a block without an end" if $open;
	for my $number (1 .. $#blocks)
	{
		my ($before, $block) = @blocks[ $number - 1, $number ];
		$before->{says} = $block->{text} if $block->{follows} && $block->{language} eq '' && $before->{language} ne '';
	}
	return @blocks;
}

# The text of the one block of a section in a language that matches a pattern.
sub block
{
	my ($name, $section, $language, $pattern) = @_;
	my @found = grep { $_->{section} eq $section && $_->{language} eq $language && (!$pattern || $_->{text} =~ $pattern) } blocks($name);
	die sprintf '%s has %d blocks of %s in "%s"', $name, scalar @found, $language, $section if @found != 1;
	return $found[0]{text};
}

1;
