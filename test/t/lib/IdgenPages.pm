# What the pages print: the blocks of code in them, each with the section that it stands in.
package IdgenPages;

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(dirname);
use PostgreSQL::Test::Utils qw(slurp_file);

our @EXPORT = qw(refusals_in tree page pages blocks block is_sql);

# The folder of the tree that is tested.
sub tree { return abs_path(dirname(__FILE__) . '/../../..') }

# The text of a page: README, or one of docs by its path there.
sub page { my ($name) = @_; return slurp_file(tree() . ($name eq 'README' ? '/README.md' : "/docs/$name.md")) }

# The names of all pages.
sub pages { return ('README', grep { $_ ne 'README' } map { m{/docs/(.+)\.md$} } sort glob tree() . '/docs/{,clients/}*.md') }

# The refusals in a source (src/pg/report/words.hpp): each a pair of condition and message, as the source writes it.
sub refusals_in
{
	my ($text) = @_;
	my $literal = qr/"(?:[^"\\]|\\.)*"/;
	my $call = qr/(\((?:[^()"]|$literal|(?-1))*\))/;
	my @refusals;
	while ($text =~ /\{\s*ERRCODE_(\w+),\s*((?:[^,()"]|$literal|$call)+),/g)
	{
		my ($condition, $messages) = (lc $1, $2);
		# Each alternative: a literal, or the first argument of psprintf.
		push @refusals, map { [ $condition, join '', /"((?:[^"\\]|\\.)*)"/g ] } $messages =~ /((?:$literal\s*)+)/g;
	}
	return @refusals;
}

# The blocks of a page, in their order: page, section (the heading above), language ('' if none is given, "indented" if
# it stands indented and not between fences), number among those of the page, text; and says, what stands without a
# language, or indented, right behind it.
sub blocks
{
	my ($name) = @_;
	my ($section, $gap, $open, @blocks) = ('', 0);
	my $begin = sub { my ($language) = @_; return { page => $name, section => $section, language => $language, number => @blocks + 1, text => '', follows => @blocks && $gap <= 1 } };
	my $end = sub { $open->{text} =~ s/\n+\z/\n/; push @blocks, $open; undef $open; $gap = 0 };
	for my $line (split /^/, page($name))
	{
		if ($open && $open->{language} eq 'indented')
		{
			if ($line =~ /^(?: {4}(.*)|)$/s) { $open->{text} .= $1 // "\n"; next }
			$gap = $open->{text} =~ /\n\n\z/;
			$end->();
		}
		if ($open)
		{
			if ($line =~ /^```$/) { $end->() }
			else { $open->{text} .= $line }
		}
		elsif ($line =~ /^```(\w*)$/) { $open = $begin->($1) }
		elsif ($line =~ /^ {4}(.*)/s && $gap % 2) { $open = $begin->('indented'); $open->{text} = $1 }
		else
		{
			$section = $1 if $line =~ /^#+ (.*)$/;
			$gap = $line =~ /\S/ ? 2 : $gap | 1;
		}
	}
	$end->() if $open && $open->{language} eq 'indented';
	die "$name: a block without an end" if $open;
	for my $number (1 .. $#blocks)
	{
		my ($before, $block) = @blocks[ $number - 1, $number ];
		$before->{says} = $block->{text} if $block->{follows} && $block->{language} =~ /^(?:indented)?$/ && $before->{language} =~ /^\w/ && !is_sql($block);
	}
	return @blocks;
}

# Whether a block is SQL, also if the page does not say so.
sub is_sql
{
	my ($block) = @_;
	return $block->{language} eq 'sql'
	  || $block->{language} =~ /^(?:indented)?$/
	  && $block->{text} =~ /^(?:\\c |(?:ALTER|BEGIN|CALL|CREATE|DELETE|DROP|EXPLAIN|GRANT|INSERT|REVOKE|SELECT|SET|SHOW|UPDATE|WITH)\b.*(?:;|[^.]$))/m;
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
