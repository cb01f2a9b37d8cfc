# What is published names what exists.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Checkout;
use Test::More;

# What the public workflows name exists: targets of make, variants, Dockerfiles; and the page for the owner names each secret.
{
	my $tree = source_tree();
	my %workflow = map { m{([^/]+)\.yml$} => text_of($_) } glob "$tree/.github/workflows/*.yml";
	my $owners_page = text_of("$tree/packaging/README.md");
	my %target = map { ($_ => 1) } map { split } join("\n", map { text_of($_) } "$tree/Makefile", glob("$tree/*/*.mk")) =~ /^([\w -]+):(?!=)/mg;
	my ($usage) = text_of("$tree/trials/variants") =~ /usage: make variant OF=(\S+?)"/;

	# What of a workflow does not exist.
	sub missing
	{
		my ($text, $page) = @_;
		my @missing = map { "make $_" } grep { !$target{$_} } $text =~ /(?:run:|then|&&|;) make ([a-z][\w-]*)\b(?![\w=-])/g;
		push @missing, grep { !-e "$tree/$_" } $text =~ m{\./((?:tools|trials)/[\w-]+)}g;
		push @missing, map { "packaging/$_" } grep { !-e "$tree/packaging/$_" } $text =~ /\bfile: (\w[\w.]*Dockerfile)/g;
		push @missing, map { "secret $_" } grep { $page !~ /^\|.*`$_`/m } $text =~ /secrets\.(\w+)/g;
		push @missing, map { "variant $_" } grep { "|$usage|" !~ /\|$_\|/ } map { split /, / } $text =~ /^\s*variant: \[(.*)\]$/mg;
		return join ' ', @missing;
	}

	is(missing($workflow{$_}, $owners_page), '', "$_: what it names exists") for sort keys %workflow;
	like($workflow{ci}, qr/\bmake test\b.*\bmake test-neighbors\b/s, 'ci runs all tests');
	my %variant = map { ($_ => 1) } map { split /, / } $workflow{ci} =~ /^\s*variant: \[(.*)\]$/mg;
	is(join(' ', grep { !$variant{$_} } split /\|/, $usage), '', 'ci runs each variant');
	my ($secrets) = $owners_page =~ /^\| secret \|.*?\n((?:\|.*\n)+)/ms;
	is(join(' ', grep { $workflow{release} !~ /secrets\.$_\b/ } $secrets =~ /`([A-Z_]+)`/g), '', 'release uses each secret that the page names');

	is(missing("run: make nothing\n", ''), 'make nothing', 'noticed: a target that does not exist');
	is(missing("{ file: no.Dockerfile }\nvariant: [clang, none]\n\${{ secrets.NONE }}", $owners_page), 'packaging/no.Dockerfile secret NONE variant none', 'noticed: a file, a secret, a variant');
	is(missing("run: ./tools/none\n", ''), 'tools/none', 'noticed: a tool');
}

# The rule for udev lets the server read the device that it looks at, and nobody else; both kinds of packages have it, and the page says how to install it by hand.
{
	my $tree = source_tree();
	my $rule = 'packaging/60-idgen.rules';
	my ($device) = text_of("$tree/src/pg/host/machine.cpp") =~ m{ \*device = "/dev/(\w+)";} or die "no device\n";
	my @rules = grep { !/^#/ } split /\n/, text_of("$tree/$rule");
	is(scalar @rules, 1, 'one rule');
	my %part = map { /^(\w+)(==?)"(.*)"$/ ? ("$1$2" => $3) : die "not a part of a rule: $_\n" } split /, /, $rules[0];
	is(join(' ', sort keys %part), 'GROUP= KERNEL== MODE= SUBSYSTEM==', 'it asks for a device by its name and kind, and sets who may read it');
	my $names = join '\w*', map { quotemeta } split /\*/, $part{'KERNEL=='}, -1;
	like($device, qr/\A$names\z/, "it is for /dev/$device");
	is($part{'SUBSYSTEM=='}, 'misc', 'the kernel calls it a misc device');
	is("$part{'GROUP='} $part{'MODE='}", 'postgres 0640', 'the group of the server may read it, and nobody else');

	SKIP:
	{
		skip 'no folder of Debian', 1 unless -e "$tree/debian";
		like(text_of("$tree/debian/idgen-common.install"), qr{^\Q$rule\E usr/lib/udev/rules\.d$}m, 'the Debian package of all majors has it');
	}
	my ($files) = text_of("$tree/packaging/idgen.spec") =~ /^%files -n idgen-common\n(.*?)\n\n/ms;
	like($files, qr{^%\{_udevrulesdir\}/60-idgen\.rules$}m, 'the RPM package of all majors has it');
	ok(text_of("$tree/docs/installing.md") =~ /^sudo install .*\Q$rule\E /m, 'docs/installing.md says how to install it by hand');
}

done_testing();
