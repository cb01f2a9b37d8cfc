# The demo: shows what it promises, lets psql in, stops in no pager, and leaves nothing behind and nothing running,
# in terminals and without one, however it is asked to end. And what plain make prints.
use strict;
use warnings;
use FindBin;
use IO::Pty;
use IPC::Run qw(start pump timeout);
use PostgreSQL::Test::Utils qw(append_to_file);
use Test::More;

my $tree = "$FindBin::Bin/../../..";
my @demo = ('/usr/bin/make', '-s', '-C', $tree, 'demo');
my $stand_ins = PostgreSQL::Test::Utils::tempdir;
delete @ENV{qw(TMPDIR PGHOST PGPORT PGDATABASE PSQL_PAGER MAKEFLAGS MAKELEVEL)};

# A pager is noticed: this one says so, and waits for a key.
sub stand_in
{
	my ($name, $script) = @_;
	append_to_file("$stand_ins/$name", "#!/bin/sh\n$script\n");
	chmod 0755, "$stand_ins/$name";
	return;
}
stand_in('pager', 'echo IN A PAGER; cat >/dev/null; read -r key </dev/tty');
$ENV{PAGER} = "$stand_ins/pager";

# Instead of building once more, a demo's make gives it what this test's server has.
my ($share, $lib) = map { chomp(my $path = `pg_config --$_`); $path } qw(sharedir pkglibdir);
stand_in('make', qq(cp $lib/idgen.so "\$(\$PG_CONFIG --pkglibdir)" && cp $share/extension/idgen* "\$(\$PG_CONFIG --sharedir)/extension/"));
my $as_built = "$stand_ins:$ENV{PATH}";

# Starts a command in a terminal of that many rows and columns.
sub in_terminal
{
	my ($rows, $columns, @command) = @_;
	my $terminal = IO::Pty->new or die "no terminal: $!";
	$terminal->slave->set_winsize($rows, $columns, 0, 0);
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		# A shell that started this test in the background had Ctrl-C ignored.
		$SIG{INT} = $SIG{QUIT} = 'DEFAULT';
		$terminal->make_slave_controlling_terminal;
		my $slave = $terminal->slave;
		close $terminal;
		open STDIN, '<&', $slave;
		open STDOUT, '>&', $slave;
		open STDERR, '>&', $slave;
		exec @command or die "$command[0]: $!";
	}
	$terminal->close_slave;
	return { pid => $pid, terminal => $terminal, out => '' };
}

# Reads what it prints, until that matches or it has ended, for half an hour at most.
sub read_until
{
	my ($session, $pattern) = @_;
	local $SIG{ALRM} = sub { die "still not: $pattern\n$session->{out}" };
	alarm 1800;
	until ($session->{out} =~ $pattern)
	{
		sysread $session->{terminal}, my $part, 4096 or last;
		$session->{out} .= $part;
	}
	alarm 0;
	return;
}

sub press_ctrl_c
{
	my ($session) = @_;
	return syswrite $session->{terminal}, "\cC";
}

# Waits for its end, and gives its exit status.
sub ended
{
	my ($session) = @_;
	read_until($session, qr/(?!)/);
	waitpid $session->{pid}, 0;
	return $?;
}

# The folder of a demo's server, from what the demo printed.
sub sandbox_in
{
	my ($out) = @_;
	my ($sandbox) = $out =~ m{psql -h (\S+)/socket} or die "no server in: $out";
	return $sandbox;
}

# The programs of a folder that run.
sub running_in
{
	my ($folder) = @_;
	return grep { /^\Q$folder\E\// } map { readlink // () } glob '/proc/[0-9]*/exe';
}

# Passes once the folder is gone and none of its programs runs, within five minutes.
sub nothing_left
{
	my ($sandbox, $what) = @_;
	for (1 .. 30_000)
	{
		last unless -e $sandbox || running_in($sandbox);
		select undef, undef, undef, 0.01;
	}
	ok(!-e $sandbox, "$what: the folder of the sandbox is gone");
	return is_deeply([ running_in($sandbox) ], [], "$what: none of its programs runs");
}

# Which server it takes: the installed and the packaged majors, PG_MAJOR, and what comes of it
for my $case ([ '', '15', '', 15 ], [ '', '17', '', 17 ], [ '', '13 15 17', '', 15 ], [ '16', '17', '', 16 ], [ '16 18', '', '', 18 ],
	[ '15 18', '', '', 15 ], [ '13 14', '17', '', 17 ], [ '14', '', '', '' ], [ '', '15', '18', 18 ])
{
	my ($installed, $packaged, $told, $taken) = @$case;
	my $servers = PostgreSQL::Test::Utils::tempdir;
	system 'mkdir', '-p', map { "$servers/$_/lib/pgxs" } split / /, $installed if $installed;
	unlink "$stand_ins/apt-cache";
	stand_in('apt-cache', join "\n", map { "echo postgresql-server-dev-$_ - development files for PostgreSQL $_" } split / /, $packaged);
	local $ENV{PATH} = $as_built;
	local $ENV{PG_SERVERS} = $servers;
	local $ENV{PG_MAJOR} = $told;
	chomp(my $major = `$tree/tools/major`);
	is($major, $taken, "installed: $installed; packaged: $packaged; PG_MAJOR: $told");
}
unlink "$stand_ins/apt-cache";

# In a terminal of the usual size
my $usual = do { local $ENV{PATH} = $as_built; in_terminal(24, 80, @demo) };
read_until($usual, qr/Ctrl-C.*\n|IN A PAGER/);
my $out = $usual->{out} =~ s/\e\[\d*m|\r//gr;
like($out, qr/100000 \|\s+100000/, '4 sessions make 100,000 distinct IDs');
like($out, qr/\d+ \| 20\d\d-.*\|\s+5 \|\s+\d+/, 'IDs are decoded');
like($out, qr/1440 \| photo of 05 Jan 00:00 \| photo of 05 Jan 23:59/, 'id_within finds the rows of a day');
like($out, qr/Index.* photo_pkey.*Index Cond: \(\(id >= '\d+'::bigint\) AND \(id <= \s*'\d+'::bigint\)\)/s,
	'id_within finds rows by an index scan');
unlike($out, qr/IN A PAGER/, 'no pager in 24 lines of 80 columns');
is_deeply([ grep { length > 80 } split /\n/, $out ], [], 'no line is longer than 80 columns');
like($out, qr/\nCtrl-C here ends the server and removes everything\.\n\z/, 'the last line says what Ctrl-C does');
my ($connect, $sandbox) = $out =~ /^\s*(psql -h (\S+)\/socket -U postgres app)$/m;
like(`$connect -XAtc 'SELECT id_shard(next_id())' 2>&1`, qr/^5$/, 'psql as it says');
ok(scalar(running_in($sandbox)), 'the server of the demo runs');
press_ctrl_c($usual);
ended($usual);
nothing_left($sandbox, 'Ctrl-C');

# In a small one, and Ctrl-C by an impatient hand
{
	local $ENV{PATH} = $as_built;
	my $small = in_terminal(10, 60, @demo);
	read_until($small, qr/Ctrl-C.*\n|IN A PAGER/);
	unlike($small->{out}, qr/IN A PAGER/, 'no pager in 10 lines of 60 columns');
	press_ctrl_c($small);
	for (1 .. 20)
	{
		select undef, undef, undef, 0.02;
		press_ctrl_c($small);
	}
	ended($small);
	nothing_left(sandbox_in($small->{out}), 'Ctrl-C again and again');
}

# Ctrl-C while it builds
my %before = map { $_ => 1 } glob '/tmp/idgen.*';
my $early = in_terminal(24, 80, @demo);
read_until($early, qr/building/);
my $begun;
select undef, undef, undef, 0.01 until ($begun) = grep { !$before{$_} && -d "$_/src/src" } glob '/tmp/idgen.*';
press_ctrl_c($early);
ended($early);
nothing_left($begun, 'Ctrl-C in the build');

# In the background of a terminal
{
	local $ENV{PATH} = $as_built;
	my $shell = in_terminal(24, 80, 'bash', '-c', 'set -m; "$@" & wait $!; echo status $?', 'bash', @demo);
	is(ended($shell), 0, 'in the background it ends by itself');
	like($shell->{out}, qr/in the background: the server ends here\r\n.*status 0/s,
		'in the background it says that the server ends');
	nothing_left(sandbox_in($shell->{out}), 'in the background');
}

# Without a terminal
{
	local $ENV{PATH} = $as_built;
	my ($said, $error) = ('', '');
	IPC::Run::run(\@demo, '<', \undef, '>', \$said, '2>', \$error);
	like($said, qr/no terminal: the server ends here\n\z/, 'without a terminal it ends by itself');
	is($error, '', 'nothing on standard error');
	nothing_left(sandbox_in($said), 'without a terminal');

	# With DEMO_WAIT there, and the process that started it killed
	local $ENV{DEMO_WAIT} = 1;
	($said, $error) = ('', '');
	my $demo = start(\@demo, '<', \undef, '>', \$said, '2>', \$error, timeout(1800));
	pump $demo until $said =~ /Ctrl-C here/;
	ok(scalar(running_in(sandbox_in($said))), 'told to wait, it waits');
	$demo->signal('KILL');
	nothing_left(sandbox_in($said), 'killed');
}

# A folder in which it cannot work is named first, with a way out, and nothing is left there: too small, mounted with
# noexec (for which a chmod stands that does nothing), full when the server is copied. TMPDIR says another one.
{
	my $folder = PostgreSQL::Test::Utils::tempdir;
	local %ENV = (%ENV, PATH => $as_built, TMPDIR => $folder);
	my %case = (
		"$folder has 7 MB free, and 300 are needed: name another folder" => [ 'df', 'echo header; echo dev 99 92 7 92% /tmp' ],
		"no program can run in $folder, which is mounted with noexec: name another folder" => [ 'chmod', ':' ],
		"No space left on device" => [ 'cp', q{for file in 1 2 3 4 5 6 7 8 9; do echo "cp: error writing $file: No space left on device" >&2; done; exit 1} ]);
	for my $said (sort keys %case)
	{
		stand_in(@{ $case{$said} });
		IPC::Run::run(\@demo, '<', \undef, '>&', \my $out);
		isnt($?, 0, "$said: it ends with an error");
		like($out, qr/\Q$said\E/, "$said: it says so");
		cmp_ok(scalar(split /\n/, $out), '<=', 10, "$said: in a few lines");
		is(join(' ', glob "$folder/idgen.*"), '', "$said: nothing is left");
		unlink "$stand_ins/$case{$said}[0]";
	}
	IPC::Run::run(\@demo, '<', \undef, '>', \my $shown);
	like($shown, qr{psql -h \Q$folder\E/idgen\.}, 'TMPDIR is followed');
	nothing_left(sandbox_in($shown), 'TMPDIR');
}

# Plain make says a line for each object, V=1 the commands, -s nothing; and perl nothing of a locale that is not there.
{
	my $folder = PostgreSQL::Test::Utils::tempdir;
	my $object = 'src/core/text/duration.o';
	my $made = sub {
		my (@arguments) = @_;
		unlink glob "$folder/src/core/text/*";
		local %ENV = (%ENV, LC_ALL => 'xx_XX.UTF-8', LANG => 'xx_XX.UTF-8');
		IPC::Run::run([ '/usr/bin/make', '-B', '-C', $folder, '--no-print-directory', '-f', "$tree/Makefile", @arguments ], '<', \undef, '>&', \my $out);
		return $out;
	};
	is($made->($object), "  $object\n", 'plain make: a line for an object');
	like($made->($object, 'V=1'), qr/^\S+ .*-std=c\+\+17 .*duration\.cpp/m, 'make V=1: the command');
	is($made->('-s', $object), '', 'make -s: nothing');
	my ($script) = map { s{.*/}{sql/}r } glob "$tree/sql/idgen_kinds--[0-9].[0-9].[0-9].sql";
	is($made->($script), '', 'perl says nothing of a locale that is not there');
}

done_testing();
