# tools/packages beside other package managers: it waits for their locks, and for another of its kind. apt works in a
# folder of its own, with packages that are empty, and a dpkg that says what it finds.
use strict;
use warnings;
use Digest::SHA qw(sha256_hex);
use Fcntl qw(F_SETLK F_WRLCK SEEK_SET);
use File::Path qw(make_path);
use FindBin;
use IPC::Run qw(start timeout);
use POSIX ();
use PostgreSQL::Test::Utils qw(append_to_file slurp_file);
use Test::More;
use Time::HiRes qw(sleep);

my $root = PostgreSQL::Test::Utils::tempdir;
my $policy = "$root/usr/sbin/policy-rc.d";
my $administrators = "#!/bin/sh\n# Of the administrator.\nexit 0\n";
my %ours = (policy => "$policy.idgen-aside", cluster => "$root/etc/postgresql-common/createcluster.d/idgen-no-main-cluster.conf");
make_path(map { "$root/$_" }
	  qw(bin etc/apt/apt.conf.d etc/apt/preferences.d packages usr/sbin var/cache/apt/archives/partial var/lib/apt/lists/partial var/lib/dpkg var/log/apt));
append_to_file("$root/bin/sudo", qq(#!/bin/sh\necho "\$*" >>'$root/done'\nexec "\$@"\n));
append_to_file("$root/bin/dpkg", <<"EOF");
#!/bin/sh
case "\$*" in *--unpack*) ;; *) exit 0 ;; esac
cat '$policy' '$ours{cluster}' >'$root/found'
while [ -e '$root/slow' ]; do sleep 0.1; done
EOF
chmod 0755, "$root/bin/sudo", "$root/bin/dpkg";
append_to_file($policy, $administrators);
append_to_file("$root/var/lib/dpkg/status", '');
append_to_file("$root/etc/apt/sources.list", "deb [trusted=yes] file:$root/packages ./\n");
append_to_file("$root/apt.conf", qq(Dir "$root";\nDir::State::status "$root/var/lib/dpkg/status";\nDir::Bin::dpkg "$root/bin/dpkg";\n));
append_to_file("$root/packages/empty.deb", 'empty');
append_to_file("$root/packages/Packages", <<"EOF" . 'SHA256: ' . sha256_hex('empty') . "\n\n")
Package: $_
Version: 1
Architecture: all
Maintainer: the idgen developers <idgen\@packages.debian.org>
Description: empty
Filename: ./empty.deb
Size: 5
EOF
  for qw(g++ make perl postgresql-15 postgresql-server-dev-15 libssl-dev libpq-dev libcurl4-openssl-dev);
my %environment = (APT_CONFIG => "$root/apt.conf", DPKG_ADMINDIR => "$root/var/lib/dpkg", PACKAGES_ROOT => $root, PATH => "$root/bin:$ENV{PATH}", PG_MAJOR => 15);

# What was started and has not ended.
my (%holders, @runs);

END
{
	my $status = $?;
	kill 'KILL', keys %holders;
	$_->{harness}->kill_kill(grace => 5) for grep { $_->{harness}->pumpable } @runs;
	$? = $status;
}

# Starts tools/packages; what it says is gathered.
sub begin
{
	my (%more) = @_;
	local @ENV{ keys %environment, keys %more } = (values %environment, values %more);
	my %run = (said => '');
	$run{harness} = start([ "$FindBin::Bin/../../../tools/packages", 'demo' ], '<', \'', '>&', \$run{said}, timeout(600));
	push @runs, \%run;
	return \%run;
}

# Waits until it has said something, or has ended.
sub says
{
	my ($run, $pattern, $what) = @_;
	for (1 .. 12000)
	{
		$run->{harness}->pump_nb;
		last if $run->{said} =~ $pattern || !$run->{harness}->pumpable;
		sleep 0.01;
	}
	return like($run->{said}, $pattern, $what);
}

# Waits until it has ended; its status.
sub status_of
{
	my ($run) = @_;
	$run->{harness}->finish;
	return $run->{harness}->full_result(0) >> 8;
}

# Another package manager: takes a lock as apt and dpkg do, until it is killed.
sub hold
{
	my ($lock) = @_;
	my $pid = open(my $reader, '-|') // die "fork: $!";
	if ($pid == 0)
	{
		open my $file, '>>', "$root/$lock" or POSIX::_exit(1);
		my $all_of_it = pack 's s x4 q q i x4', F_WRLCK, SEEK_SET, 0, 0, 0;
		fcntl $file, F_SETLK, $all_of_it or POSIX::_exit(1);
		syswrite STDOUT, '.';
		sleep 3600;
		POSIX::_exit(0);
	}
	$holders{$pid} = 1;
	read($reader, my $held, 1) == 1 or die "$lock: not locked";
	return { pid => $pid, reader => $reader };
}

sub let_go
{
	my ($holder) = @_;
	kill 'KILL', $holder->{pid};
	delete $holders{ $holder->{pid} };
	close $holder->{reader};
	return;
}

sub is_put_back
{
	my ($what) = @_;
	is(slurp_file($policy), $administrators, "$what: the machine's policy-rc.d is in its place");
	return is_deeply([ grep { -e } values %ours ], [], "$what: nothing is left behind");
}

for my $lock (qw(var/lib/apt/lists/lock var/cache/apt/archives/lock var/lib/dpkg/lock-frontend var/lib/dpkg/lock))
{
	my $holder = hold($lock);
	my $run = begin();
	says($run, qr/^waiting: Could not get lock \S*\Q$lock\E\. It is held by process $holder->{pid} /m,
		"$lock: waited for, and the message names who has it");
	unlike(slurp_file("$root/done"), qr/policy-rc\.d/,
		"$lock: the holder's own services may start") unless $lock =~ /archives/;
	let_go($holder);
	is(status_of($run), 0, "$lock: the run goes on when the lock is released") || note $run->{said};
	like($run->{said}, qr/^installing for "make demo": .*\bmake\b/m, "$lock: the run installs when the lock is released");
	is(slurp_file("$root/found"),
		"#!/bin/sh\n# Put here for a moment by idgen.\nexit 101\ncreate_main_cluster = false\n",
		"$lock: no service starts meanwhile, and no cluster is made");
	like(slurp_file("$root/done"), qr/policy-rc\.d/, "$lock: no service may start once it has the lock");
	unlink "$root/found", "$root/done";
	is_put_back($lock);
}

my $holder = hold('var/lib/apt/lists/lock');
my $run = begin(LOCK_WAIT => 1);
is(status_of($run), 1, 'a lock that is held for longer: an error');
like($run->{said}, qr/^E(?:rror)?: Could not get lock .* process $holder->{pid} /m,
	'the error names the process that holds the lock');
let_go($holder);
is_put_back('a lock that is held for longer');

# Two at once: the first has put the machine's policy-rc.d aside when the second begins.
append_to_file("$root/slow", '');
my $first = begin();
says($first, qr/^installing for /m, 'the first is installing');
for (1 .. 12000) { last if -s "$root/found"; sleep 0.01 }
my $put = slurp_file($policy);
isnt($put, $administrators, 'no service may start while packages are installed');
my $ended = begin();
says($ended, qr/^waiting: another tools\/packages is at work$/m, 'the second waits for the first');
$ended->{harness}->signal('TERM');
$ended->{harness}->finish;
isnt($ended->{harness}->full_result(0), 0, 'the second is ended');
is(slurp_file($policy), $put, 'the second is ended: still no service may start');
my $late = begin(LOCK_WAIT => 1);
is(status_of($late), 1, 'the second waits no longer than it may');
like($late->{said}, qr/^another tools\/packages was at work for 1 s$/m, 'the second says how long it waited');
is(slurp_file($policy), $put, 'the second gave up: still no service may start');
my $second = begin();
says($second, qr/^waiting: another tools\/packages is at work$/m, 'the next one waits, too');
unlink "$root/slow";
is(status_of($_), 0, 'two at once: it goes on') for $first, $second;
is_put_back('two at once');

# Without a network, which apt-get update alone does not call an error; with the lists of before it goes on.
unlink "$root/etc/apt/sources.list";
append_to_file("$root/etc/apt/sources.list", "deb [trusted=yes] http://127.0.0.1:1/debian ./\n");
my $cut = begin();
is(status_of($cut), 1, 'no network: an error');
like($cut->{said}, qr/^[EW]: .*127\.0\.0\.1.*\n(?:.*\n)*apt-get could not fetch the lists of packages, as it says above/m, 'no network: it says so, after apt-get');
unlike($cut->{said}, qr/the packages here have no PostgreSQL/, 'no network: and nothing else');
is_put_back('no network');
unlink "$root/etc/apt/sources.list";
append_to_file("$root/etc/apt/sources.list", "deb [trusted=yes] file:$root/packages ./\ndeb [trusted=yes] http://127.0.0.1:1/debian ./\n");
$cut = begin();
is(status_of($cut), 0, 'one archive does not answer: it goes on') || note $cut->{said};
is_put_back('one archive does not answer');

# Without sudo, and before apt has lists: the packages that are missing, by names that there are.
{
	my $bare = PostgreSQL::Test::Utils::tempdir;
	symlink((grep { -x } map { "$_/apt-cache" } split /:/, $ENV{PATH})[0], "$bare/apt-cache");
	for my $program (qw(sh dirname basename dpkg-query grep sed sort awk tail tr id printf cat))
	{
		my ($path) = grep { -x } map { "$_/$program" } split /:/, $ENV{PATH};
		symlink $path, "$bare/$program" if $path;
	}
	unlink glob "$root/var/lib/apt/lists/*Packages*";
	unlink glob "$root/var/cache/apt/*.bin";
	my $alone = begin(PATH => $bare, PG_MAJOR => '', PG_SERVERS => $bare);
	is(status_of($alone), 1, 'no sudo: an error');
	like($alone->{said}, qr/^missing packages, and no sudo to install them: .* postgresql postgresql-server-dev-all /m, 'no sudo: it names what is missing');
}

done_testing();
