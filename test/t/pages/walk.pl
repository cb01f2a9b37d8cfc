# The walk of docs/sharding.md, two shards with a registry, a feed and a failover: it does what the page says, the page
# leads to each of its files, and nothing of it is left, also where it is ended on its way.
use strict;
use warnings;
use File::Basename qw(basename);
use FindBin;
use lib "$FindBin::Bin/../lib";
use IPC::Run qw(finish pump start timeout);
use IdgenPages;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $folder = tree() . '/examples/sharded';

# Enough that the client still writes when the primary is killed, however busy the machine is.
my $posts = 2000;

my ($section) = page('sharding') =~ /^## All of it on one machine\n(.*)\z/ms;
is(join(' ', sort $section =~ m{\]\(\.\./examples/sharded/([\w.]+)\)}g), join(' ', sort map { basename($_) } glob "$folder/*"), 'the page leads to each file');

# Where it makes its folder, which is empty afterwards.
local $ENV{TMPDIR} = PostgreSQL::Test::Utils::tempdir;
local $ENV{PORT} = PostgreSQL::Test::Cluster::get_free_port();
my $running = sub { return grep { index(readlink("/proc/$_/cwd") // '', $ENV{TMPDIR}) == 0 } map { /(\d+)$/ } glob '/proc/[0-9]*' };
sub nothing_left
{
	my ($what) = @_;
	is(join(' ', glob "$ENV{TMPDIR}/*"), '', "$what: no folder is left");
	for (1 .. 15_000) { last unless $running->(); select undef, undef, undef, 0.02 }
	return is(join(' ', $running->()), '', "$what: no server runs");
}

# What it needs, and how to get it, is said before anything begins.
my ($out, $error) = ('', '');
{
	my $bare = PostgreSQL::Test::Utils::tempdir;
	symlink "/usr/bin/$_", "$bare/$_" for qw(bash dirname id);
	local $ENV{PATH} = $bare;
	delete local $ENV{PG_CONFIG};
	ok(!IPC::Run::run([ "$bare/bash", "$folder/walk" ], '<', \undef, '>', \$out, '2>', \$error), 'without its programs the walk does not begin');
	like($error, qr/\AThis walk needs:\n  pg_config .*\n  Python .*\n  pgrep.*\nOr run make walk/, 'it says all that it needs');
}
{
	local $ENV{PG_CONFIG} = PostgreSQL::Test::Utils::tempdir . '/pg_config';
	PostgreSQL::Test::Utils::append_to_file($ENV{PG_CONFIG}, "#!/bin/sh\necho /nowhere\n");
	chmod 0755, $ENV{PG_CONFIG};
	ok(!IPC::Run::run([ "$folder/walk" ], '<', \undef, '>', \$out, '2>', \$error), 'without a server the walk does not begin');
	like($error, qr/  idgen_lease in .*\n  idgen_registry in .*\n  a PostgreSQL server in \/nowhere/, 'it says where it looked');
}

# The programs of the server are those of pg_config, whatever else is in PATH.
my $other = PostgreSQL::Test::Utils::tempdir;
PostgreSQL::Test::Utils::append_to_file("$other/initdb", "#!/bin/sh\nexit 9\n");
chmod 0755, "$other/initdb";
local $ENV{PATH} = "$other:$ENV{PATH}";

($out, $error) = ('', '');
ok(IPC::Run::run([ "$folder/walk", $posts ], '<', \undef, '>', \$out, '2>', \$error, timeout(600)),
	'the walk comes to its end') or diag("$out$error");
is($error, '', 'the walk runs without a warning');
like($out, qr/^ +0 \| \S+ +\| f\n +1 \| \S+ +\| f\n/m, 'two shards are held');
is(join(' ', $out =~ /^ *(288)$/mg), '288 288', 'a day of both shards, twice');
my %count = (split /b is killed/, $out)[1] =~ /^ +(\d+) \| +(\d+) \|/mg;
is(join(' ', sort keys %count), '0 1 2', 'in the end there are posts of three shards');
cmp_ok($count{2} // 0, '>', 1, 'the new primary makes posts');
is(eval { $count{0} + $count{1} + $count{2} }, 2 * 4464 + 2 * $posts, 'each post once');
like($out, qr/^${\(2 * $posts)} posts were confirmed: 0 IDs twice, 0 missing in the feed$/m, 'every ID that a client was told of');
nothing_left('at the end');

my $walk = start([ "$folder/walk", $posts ], '<', \undef, '>', \$out, '2>', \$error, timeout(600));
$out = '';
pump $walk until $out =~ /A feed of both/;
$walk->signal('TERM');
finish $walk;
nothing_left('ended on its way');

done_testing();
