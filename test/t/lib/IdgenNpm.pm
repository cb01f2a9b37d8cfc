# The packages of a client from npm, of the versions that its package.json pins, for all tests that want them: the first
# one installs them. A Node.js among them is the one that runs.
package IdgenNpm;

use strict;
use warnings;

use Exporter qw(import);
use Fcntl qw(LOCK_EX);
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(install_npm version_of_npm);

# Installs what the folder's package.json names; false, and what npm said, if that fails.
sub install_npm
{
	my ($folder) = @_;
	open my $lock, '<', "$folder/package.json" or die "$folder/package.json: $!";
	flock $lock, LOCK_EX or die "flock: $!";
	my ($wanted, $stamp) = (slurp_file("$folder/package.json"), "$folder/node_modules/.installed");
	return use_node($folder) if -e $stamp && slurp_file($stamp) eq $wanted;
	local $ENV{npm_config_update_notifier} = 'false';
	my $out;
	my $succeeds = IPC::Run::run([ qw(npm install --no-package-lock --ignore-scripts --no-audit --no-fund) ],
		'<', \undef, '>&', \$out, init => sub { chdir $folder or die "$folder: $!" });
	if ($succeeds) { append_to_file($stamp, $wanted) }
	else { diag($out) }
	return $succeeds && use_node($folder);
}

# Debian's Node.js may be older than the packages ask for.
sub use_node
{
	my ($folder) = @_;
	my ($node) = glob "$folder/node_modules/node-linux-*/bin";
	$ENV{PATH} = "$node:$ENV{PATH}" if defined $node && index($ENV{PATH}, $node) < 0;
	return 1;
}

# The version of a package that is installed there.
sub version_of_npm
{
	my ($folder, $package) = @_;
	my ($version) = slurp_file("$folder/node_modules/$package/package.json") =~ /"version": "([^"]+)"/;
	return $version;
}

1;
