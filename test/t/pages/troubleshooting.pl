# docs/troubleshooting.md has every message of src/pg, registry/node and kinds/pg once, and no other.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenPages;
use Test::More;
use PostgreSQL::Test::Utils;

my $tree = tree();

# The messages that the sources hold, as the page writes them: what varies is "…".
sub messages_of
{
	my ($text) = @_;
	$text =~ s{//.*}{}g;
	my $literals = qr/(?:"(?:[^"\\]|\\.)*"\s*)+/;
	my @messages = grep { defined && !/^"%s"/ } $text =~ /\b(?:errmsg|GUC_check_errmsg)\(\s*($literals)|\{LayoutReason::\w+,\s*($literals)/g;
	return (map({ join '', /"((?:[^"\\]|\\.)*)"/g } @messages), map { $_->[1] } refusals_in($text));
}

sub as_written
{
	my ($format) = @_;
	return $format =~ s/\\"/"/gr =~ s/%(?:\.\*)?(?:ll|z)?[a-z]/\xe2\x80\xa6/gr =~ s/%%/%/gr;
}

my %said = map { as_written($_) => $_ } map { messages_of(slurp_file($_)) } glob "$tree/{src/pg/*,registry/node/*,kinds/pg}/*.?pp";
cmp_ok(scalar keys %said, '>', 90, 'the sources have messages');
# What the server itself says when a setting's value is refused
$said{"invalid value for parameter \"\xe2\x80\xa6\""} = 1;

my ($tables) = slurp_file("$tree/docs/troubleshooting.md") =~ /\n## Making IDs(.*)/s;
# A row explains one message or several: `message`, `message` | cause | remedy.
my @rows = $tables =~ /^(\| `.*)$/gm;
my @explained = map { /`(.*?)`/g } map { /^\| (`.*?`(?:, `.*?`)*) \|/ } @rows;
my %times;
$times{$_}++ for @explained;
is(join("\n", sort grep { !$times{$_} } keys %said), '', 'every message is explained');
is(join("\n", sort grep { !$said{$_} } keys %times), '', 'the page explains no message that no source says');
is(join("\n", sort grep { $times{$_} > 1 } keys %times), '', 'every message is explained once');
is(join("\n", grep { !/^\| `.*?`(?:, `.*?`)* \| \S.*? \| \S.* \|$/ } @rows), '', 'every message has its cause and remedy');

done_testing();
