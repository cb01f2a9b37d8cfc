# The demo: shows what it promises, lets psql in, and leaves nothing running when it is asked to end.
use strict;
use warnings;
use FindBin;
use IPC::Run qw(start pump finish timeout);
use Test::More;

my ($out, $error) = ('', '');
my $bounds = timeout(300);
local $ENV{DEMO_WAIT} = 1;
delete @ENV{qw(PGHOST PGPORT PGDATABASE)};
my $demo = start ["$FindBin::Bin/../../tools/demo"], '<', \undef, '>', \$out, '2>', \$error, $bounds;
pump $demo until $out =~ /Ctrl-C here/ || !$demo->pumpable;

like($out, qr/100000 \|\s+100000/, '4 sessions make 100,000 distinct IDs');
like($out, qr/\d+ \| 20\d\d-.*\|\s+5 \|\s+\d+/, 'IDs are decoded');
like($out, qr/100001 \|\s+100000/, 'the rows of a day are found');
like($out, qr/Index Scan using photo_pkey.*Index Cond: \(\(id >= id_min/s, 'by an index scan');
is($error, '', 'nothing on standard error');

my ($connect, $socket) = $out =~ /^\s*(psql -h (\S+) -U postgres app)$/m;
like(`$connect -XAtc 'SELECT id_shard(next_id())' 2>&1`, qr/^5$/, 'psql as it says');

my ($sandbox) = $socket =~ m{^(.*)/socket$};
open my $pid_file, '<', "$sandbox/data/postmaster.pid" or die $!;
chomp(my $postmaster = <$pid_file>);
$demo->signal('INT');
finish $demo;
ok(!-e $sandbox, 'asked to end, it removes its folder');
ok(!defined readlink "/proc/$postmaster/exe", 'and its server is gone');

done_testing();
