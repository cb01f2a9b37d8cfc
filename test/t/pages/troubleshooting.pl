# docs/troubleshooting.md has the messages of src/pg, registry/node and kinds/pg, each once and no other. A message may be
# missing if it is never reported without a HINT, which then says what to do. A row that ends in "…" where no source says
# so explains all messages that begin like it.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenPages;
use Test::More;
use PostgreSQL::Test::Utils;

my $tree = tree();
my $literals = qr/(?:"(?:[^"\\]|\\.)*"\s*)+/;
my $balanced = qr/(\((?:[^()"]|"(?:[^"\\]|\\.)*"|(?-1))*\))/;
my $varies = "\xe2\x80\xa6";

sub as_written
{
	my ($format) = @_;
	return $format =~ s/\\"/"/gr =~ s/%(?:\.\*)?(?:ll|z)?[a-z]/$varies/gr =~ s/%%/%/gr;
}

# The messages that a text reports, as the page writes them: what varies is "…".
sub messages_in
{
	my ($text) = @_;
	my @found = grep { defined && !/^"%s"/ } $text =~ /\b(?:errmsg|GUC_check_errmsg)\(\s*($literals)|\{LayoutReason::\w+,\s*($literals)/g;
	return map { as_written(join '', /"((?:[^"\\]|\\.)*)"/g) } @found;
}

# How often a source says each message, and how often with a HINT: in the same ereport. A refusal always has one.
my (%said, %hinted);
for my $text (map { slurp_file($_) =~ s{//.*}{}gr } glob "$tree/{src/pg/*,registry/node/*,kinds/pg}/*.?pp")
{
	$said{$_}++ for messages_in($text);
	while ($text =~ /\bereport$balanced/g)
	{
		my $report = $1;
		if ($report =~ /\berrhint\(|\bhint_of_/) { $hinted{$_}++ for messages_in($report) }
	}
	for (map { as_written($_->[1]) } refusals_in($text)) { $said{$_}++; $hinted{$_}++ }
}
cmp_ok(scalar keys %said, '>', 90, 'the sources have messages');
cmp_ok(scalar keys %hinted, '>', 90, 'with HINTs');
# What the server itself says when a setting's value is refused
$said{"invalid value for parameter \"$varies\""} = 1;

# The messages that a row explains.
sub explained_by
{
	my ($message) = @_;
	return $message if $said{$message} || $message !~ /^(.*)$varies\z/;
	my $begin = $1;
	return grep { index($_, $begin) == 0 } keys %said;
}

my ($tables) = slurp_file("$tree/docs/troubleshooting.md") =~ /\n## Making IDs(.*)/s;
# A row explains one message or several: `message`, `message` | cause | remedy.
my @rows = $tables =~ /^(\| `.*)$/gm;
my @written = map { /`(.*?)`/g } map { /^\| (`.*?`(?:, `.*?`)*) \|/ } @rows;
my %times;
$times{$_}++ for map { explained_by($_) } @written;
is(join("\n", sort grep { !$times{$_} && ($hinted{$_} // 0) < $said{$_} } keys %said), '', 'every message that can come without a HINT is explained');
is(join("\n", sort grep { !grep { $said{$_} } explained_by($_) } @written), '', 'the page explains no message that no source says');
is(join("\n", sort grep { $times{$_} > 1 } keys %times), '', 'every message is explained once at most');
is(join("\n", grep { !/^\| `.*?`(?:, `.*?`)* \| \S.*? \| \S.* \|$/ } @rows), '', 'every message has its cause and remedy');

done_testing();
