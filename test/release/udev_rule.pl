# The rule for udev lets the server read the device that it looks at, and nobody else; both kinds of packages have it, and the page says how to install it by hand.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Checkout;
use Test::More;

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

done_testing();
