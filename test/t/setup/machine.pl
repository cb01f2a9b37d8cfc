# What a server does with the page by which its host tells of the machine: no page, no permission, a page that says
# less, one that goes away; and a move of the machine, which makes its clock doubtful.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenHost;
use IdgenNode;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

sub row
{
	my ($node) = @_;
	my $on = connect_to($node);
	return $on->selectrow_array(q{SELECT ok, value, coalesce(advice, '') FROM idgen.status() WHERE key = 'machine'});
}
sub is_row
{
	my ($node, $expected_ok, $expected, $what) = @_;
	my ($ok, $value, $advice) = row($node);
	is($ok, $expected_ok, "$what: ok");
	like($value, $expected, "$what: value");
	like($advice, $expected_ok ? qr/^$/ : qr/./, "$what: advice");
	return;
}

# The server does not start with a file that cannot be used.
my $node = start_node('page', conf => [ q{idgen.shards = '5'} ]);
my $device = -e '/dev/vmclock0';
is_row($node, 1, qr{^its kernel has no /dev/vmclock0: a copy of its memory would not be noticed$}, 'no device') unless $device;
my $page = page_of($node);
my $hint = qr/HINT:  Name a file of the form of \/dev\/vmclock0, or set idgen\.machine_generation to auto or off\./;
sub refuses
{
	my ($value, $text, $what) = @_;
	$node->stop if $node->{_pid};
	$node->append_conf('postgresql.conf', "idgen.machine_generation = '$value'");
	my $from = -s $node->logfile;
	ok(!$node->start(fail_ok => 1), "$what: the server does not start");
	like(substr(slurp_file($node->logfile), $from), $text, "$what: the log says why");
	return;
}
refuses('nowhere', qr/could not read "nowhere": No such file.*$hint/s, 'a name');
refuses("$page.missing", qr/could not read "[^"]+\.missing": No such file.*$hint/s, 'no file');
write_page($page, bytes => 0);
refuses($page, qr/has no generation of a machine.*$hint/s, 'an empty file');
write_page($page, bytes => 100);
refuses($page, qr/has no generation of a machine/, 'a file that ends early');
write_page($page, size => 104);
refuses($page, qr/has no generation of a machine/, 'a page of before there was a generation');
write_page($page, magic => 'KVCL');
refuses($page, qr/has no generation of a machine/, 'other bytes');
write_page($page, version => 2);
refuses($page, qr/has no generation of a machine/, 'another version');
write_page($page, flags => 1 << 7);
refuses($page, qr/has no generation of a machine.*the flag of its generation counter is not set/s, 'a page without a counter');
refuses($node->data_dir, qr/has no generation of a machine/, 'a folder');
chmod 0, $page;
refuses($page, qr/could not read "[^"]+": Permission denied/, 'no permission') if $> != 0;
chmod 0600, $page;

# Nor with one that another user can change. What the HINT says ends it.
my ($user, @groups) = ($>, split ' ', $));
my $group = shift @groups;
my ($strange_group) = grep { $_ != 0 && $_ != $group } @groups;
my $changed = qr/FATAL:  "[^"]+" can be changed by other users\n.*DETAIL:  idgen\.machine_generation names it, and whoever changes it can stop all IDs\./;
my $is_of = 'It belongs to user %d and group %d, and its mode is %s; the server runs as user %d and group %d\.';
sub refuses_stranger
{
	my ($mode, $file_group, $what) = @_;
	chown -1, $file_group, $page or die "$page: $!";
	chmod oct $mode, $page or die "$page: $!";
	my $detail = sprintf $is_of, $user, $file_group, $mode, $user, $group;
	refuses($page, qr/$changed $detail\n.*HINT:  Run as root: chown root:$group '\Q$page\E' && chmod 640 '\Q$page\E'\n/, $what);
	return;
}

# What a server says that reads a file and ends: nothing if the file is good. By further words, in a container.
sub said_of
{
	my ($file, @container) = @_;
	my @server = ($node->config_data('--bindir') . '/postgres', '-D', $node->data_dir);
	my ($out, $said) = run_command([ @container, @server, '-c', "idgen.machine_generation=$file", '-C', 'shared_memory_size' ]);
	return $said;
}
write_page($page);
refuses_stranger('0602', $group, 'a file that all can write to');
chmod 0640, $page;
is(said_of($page), '', 'what the HINT says');
for my $mode (0600, 0644, 0660, 0664)
{
	chmod $mode, $page;
	is(said_of($page), '', sprintf q{a file of the server's user, mode %04o}, $mode);
}
like(said_of('/etc/passwd'), qr/FATAL:  "\/etc\/passwd" has no generation of a machine/, 'a file of root');
SKIP:
{
	skip 'this user has no second group', 1 unless defined $strange_group;
	refuses_stranger('0620', $strange_group, 'a file that another group can write to');
	chmod 0644, $page;
	is(said_of($page), '', 'a file that another group can read');
}

# A container has its own users. A file that belongs to the host's is good if it is mounted to be read.
sub container
{
	my ($file, $how) = @_;
	my $mount = 'mount --bind "$1" "$1" && { [ "$2" = rw ] || mount -o remount,bind,ro "$1"; } && shift 2 && exec "$@"';
	return ('unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', $mount, 'sh', $file, $how,
		'unshare', '--user', "--map-user=$user", "--map-group=$group");
}
SKIP:
{
	my ($out, $said) = run_command([ container('/etc/passwd', 'ro'), 'echo', 'there' ]);
	skip 'users of this machine make no containers', 1 if $out ne 'there';
	my $mounted = qr/HINT:  The user namespace of this server lacks that owner or group: mount the file read-only\.$/;
	my $detail = sprintf $is_of, 65534, 65534, '0644', $user, $group;
	like(said_of('/etc/passwd', container('/etc/passwd', 'rw')), qr/$changed $detail\n.*$mounted/, 'a file of the host');
	like(said_of('/etc/passwd', container('/etc/passwd', 'ro')), qr/"\/etc\/passwd" has no generation of a machine/, 'mounted to be read');
	skip 'this user has no second group', 1 unless defined $strange_group;
	chmod 0664, $page;
	$detail = sprintf $is_of, $user, 65534, '0664', $user, $group;
	like(said_of($page, container($page, 'rw')), qr/$changed $detail\n.*$mounted/, 'a group of the host');
	is(said_of($page, container($page, 'ro')), '', 'mounted to be read');
}

$node->append_conf('postgresql.conf', 'idgen.machine_generation = off');
$node->start;
is_row($node, 1, qr/^idgen\.machine_generation is off: a copy of its memory would not be noticed$/, 'off');
my $on = connect_to($node);
fails_with($on, q{SET idgen.machine_generation = 'auto'}, '55P02', qr/cannot be changed without restarting the server/, 'it is of the start');
fails_with($on, q{ALTER SYSTEM SET idgen.machine_generation = 'nowhere'}, '22023',
	qr/invalid value for parameter "idgen\.machine_generation": "nowhere"\nDETAIL:  It must be auto, off, or the absolute path of a file\./, 'a name, by ALTER SYSTEM');
$on->disconnect;
$node->stop;

# A file that vanishes stays mapped; one that becomes shorter ends no process, and counts as another machine.
my $told = start_told('told', conf => [ q{idgen.shards = '5'}, 'idgen.max_wait = 30s' ]);
$on = connect_to($told);
my $first = value_of($on, 'SELECT next_id()');
my $file = value_of($on, q{SELECT current_setting('idgen.machine_generation')});
rename $file, "$file.moved" or die $!;
cmp_ok(value_of($on, 'SELECT next_id()'), '>', $first, 'a file that vanishes: IDs go on');
is_row($told, 1, qr/^its host tells of copies$/, 'a file that vanishes');
rename "$file.moved", $file or die $!;
my $pid = value_of($on, 'SELECT pg_backend_pid()');
truncate page_of($told), 0 or die $!;
fails_with($on, 'SELECT next_id()', '55000', qr/resumed from a snapshot of its memory/, 'a file that became shorter');
is(value_of($on, 'SELECT pg_backend_pid()'), $pid, 'its session lives');
is_row($told, 0, qr/became shorter$/, 'a file that became shorter');
is(value_of(connect_to($told), 'SELECT 1'), 1, 'new sessions come');
unlike(slurp_file($told->logfile), qr/terminated by signal/, 'no process has died');
$on->do('SELECT idgen.confirm_shards()');
cmp_ok(value_of($on, 'SELECT next_id()'), '>', $first, 'IDs go on after the word');
write_page(page_of($told), generation => 1);
$told->restart;
is_row($told, 1, qr/^its host tells of copies$/, 'written again, and a restart');
$told->stop;

# A machine that is moved to another host stays itself. What the kernel says of its clock counts again when the time
# service has spoken: the bound grows until then.
my $moved = start_told('moved', kernel => '0 2000 2000', conf => [ q{idgen.shards = '5'}, 'idgen.require_clock_sync = on', 'idgen.horizon_window = 100ms' ]);
$on = connect_to($moved);
my @ids = (value_of($on, 'SELECT next_id()'));
says_disruption($moved, 1);
my $doubt = qr/the clock of this machine may be wrong since it was moved to another host, or paused\nDETAIL:  The time service has not corrected it since; idgen\.require_clock_sync is "on"\.\nHINT:  Wait for chrony/;
my $refused = 0;
for (1 .. 30_000)
{
	last if $refused = !eval { push @ids, value_of($on, 'SELECT next_id()'); 1 };
	select undef, undef, undef, 0.01;
}
ok($refused, 'moved: IDs end with the window');
fails_with($on, 'SELECT next_id()', '55000', $doubt, 'moved');
is_row($moved, 0, qr/^the clock of this machine may be wrong since it was moved to another host, or paused/, 'moved');
is(scalar(() = slurp_file($moved->logfile) =~ /LOG:  this machine was moved to another host, or paused/g), 1, 'the log says so once');
kernel_says($moved, '0 2500 2500');
fails_with($on, 'SELECT next_id()', '55000', $doubt, 'the bound has grown');
kernel_says($moved, '0 1500 1500');
push @ids, value_of($on, 'SELECT next_id()');
is_deeply(\@ids, [ sort { $a <=> $b } @ids ], 'the time service has spoken: IDs go on in order');
is_row($moved, 1, qr/^its host tells of copies$/, 'the time service has spoken');
is(value_of($on, q{SELECT ok FROM idgen.status() WHERE key = 'copy'}), 1, 'it is no copy');
set_for_server($on, 'idgen.require_clock_sync', 'warn');
says_disruption($moved, 2);
my @warnings;
{
	local $SIG{__WARN__} = sub { push @warnings, @_ };
	local $on->{PrintWarn} = 1;
	for (1 .. 100) { value_of($on, 'SELECT next_id()'); select undef, undef, undef, 0.005 }
}
like("@warnings", qr/may be wrong since it was moved/, 'warn: a warning, and IDs');

done_testing;
