# The rooms whose mutants tools/test compiles: those that changed since the main branch.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Checkout;
use Test::More;

my $tree = checkout();
my ($rooms) = text_of(source_tree() . '/tools/test') =~ /^(changed_files\(\) \{.*?)^style\(\)/ms or die 'no function';

# A header of the core, built into a file of a house.
system('mkdir', '-p', "$tree/built/src/registry/node/rules", "$tree/built/src/src", "$tree/built/src/kinds") == 0 or die 'mkdir';
put("$tree/built/src/registry/node/rules/lease.d", "registry/node/rules/lease.o: src/core/slot/slot.hpp\n");

sub rooms_of
{
	my ($setting) = @_;
	open my $bash, '-|', 'bash', '-c', "cd '$tree' && sandbox=built && $rooms\n$setting changed_rooms" or die "bash: $!";
	return join ' ', split ' ', join '', <$bash>;
}
sub change { my ($name) = @_; put("$tree/$name", text_of("$tree/$name") . "\n"); return }

is(rooms_of(''), '', 'nothing changed: no room');
is(rooms_of('MUTANTS=all'), 'all', 'all, if asked');
change('src/core/slot/slot.hpp');
is(rooms_of(''), 'registry/node/rules src/core/slot', 'a header: also the rooms that include it');
put("$tree/src/core/text/new.cpp", '');
is(rooms_of(''), 'registry/node/rules src/core/slot src/core/text', 'a new file');
change('test/sim/main.cpp');
is(rooms_of(''), 'all', 'the simulator: all');
system 'rm', '-rf', "$tree/.git";
is(rooms_of(''), 'all', 'no git: all');

done_testing();
