# Servers whose registries lie, one of each kind: what answers is malformed, huge, slow, late, repeated, cut off, or out
# of range. Sessions draw and ask for whatever can be asked; the servers are reloaded and stopped, their keepers ended.
# No server crashes, no keeper takes much memory or stays when it is told to end, no log holds a password, and no ID is
# made twice. LIE_SECONDS says for how long, SEED repeats what the registries say.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenLease;
use IdgenLies;
use IdgenNode;
use POSIX qw(_exit);
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $seconds = $ENV{LIE_SECONDS} // 10;
my $seed = $ENV{SEED} // int rand 1e6;
my $sessions = 4;

# Below AddressSanitizer what was freed is kept for a while.
my $most_kb = ($ENV{ASAN_OPTIONS} ? 4 : 1) * 300_000;

# What sessions ask for: IDs half of the time; seldom for an advance, after which no number can be had for minutes.
my @draws = ('SELECT next_id()', 'SELECT next_id_array(50)');
my @looks = map { "SELECT * FROM $_" } qw(idgen_lease.nodes() idgen.status() idgen.stat_lease idgen.stat_registry idgen.stat_shard idgen.stat_database);
my @orders = map { "SELECT $_" } 'idgen_lease.release(0)', 'idgen_lease.release(2147483647)', 'idgen_lease.confirm_registry()';
my @advances = map { "SELECT idgen_lease.advance_registry($_)" } '', q{at => now() + interval '15 minutes'}, q{at => now() + interval '1 day'};

# A server, what stands under the address of its registry, and the sessions that ask.
sub begin
{
	my ($kind) = @_;
	my $folder = PostgreSQL::Test::Utils::tempdir;
	my $registry = IdgenLies->start($kind, $seed, $folder);
	my $address = "$kind://node:s3cret\@127.0.0.1:" . $registry->port . '/x';
	my $node = start_leased("lied_to_by_$kind", $address, setting => { 'idgen.max_wait' => '100ms' });
	my $end = "$folder/end";
	return { kind => $kind, node => $node, registry => $registry, end => $end, askers => [ map { begin_asking($node, $folder, $_) } 1 .. $sessions ], most_kb => 0, failures => [] };
}

# A process whose session asks at random, with little patience, until the file `end` is there. It notes the IDs, and the
# errors that tell the password.
sub begin_asking
{
	my ($node, $folder, $number) = @_;
	my $file = "$folder/asked.$number";
	my $pid = fork // die "fork: $!";
	return { pid => $pid, file => $file } if $pid;
	srand $seed + $number;
	open my $noted, '>', $file or _exit(1);
	my $session;
	until (-e "$folder/end")
	{
		$session = undef if $session && !$session->ping;
		$session //= eval { connect_to($node) };
		syswrite $noted, ask($session) if $session;
		sleep rand 0.02;
	}
	_exit(0);
}

# What one question gave, in lines: an ID each, or "told".
sub ask
{
	my ($session) = @_;
	my $choice = rand;
	my $asked = $choice < 0.5 ? \@draws : $choice < 0.8 ? \@looks : $choice < 0.97 ? \@orders : \@advances;
	my $sql = $asked->[ rand @$asked ];
	my $rows = eval { $session->do('SET statement_timeout = ' . (50 + int rand 1500)); $session->selectall_arrayref($sql) };
	return join '', map { "$_\n" } map { ref ? @$_ : $_ } map { @$_ } @{ $rows // [] } if $sql =~ /next_id/;
	return ($session->errstr // '') =~ /s3cret/ ? "told\n" : '';
}

# What happens to a server meanwhile. Each says what failed, if anything did.
my %event = (
	reload => sub { my ($it) = @_; $it->{node}->reload; return },
	'end of the keeper' => \&end_keeper,
	restart => sub {
		my ($it) = @_;
		$it->{node}->stop('fast', fail_ok => 1) or return 'the server did not stop';
		return start_again($it->{node}) ? () : 'the server did not start';
	},
	'immediate stop' => sub {
		my ($it) = @_;
		$it->{node}->stop('immediate', fail_ok => 1) or return 'the server did not stop at once';
		start_again($it->{node});
		return;
	});

sub keeper_pid { my ($it) = @_; my $session = connect_to($it->{node}); my $pid = keeper_of($session); $session->disconnect; return $pid }

sub end_keeper
{
	my ($it) = @_;
	my $pid = keeper_pid($it) or return;
	kill 'TERM', $pid;
	return eval { wait_for('the end of a keeper', sub { return !-e "/proc/$pid" }) } ? () : 'the keeper did not end';
}

# How much memory the keeper has ever taken.
sub note_memory
{
	my ($it) = @_;
	my $pid = eval { keeper_pid($it) } or return;
	my ($kb) = (eval { slurp_file("/proc/$pid/status") } // '') =~ /^VmHWM:\s+(\d+)/m;
	$it->{most_kb} = $kb if ($kb // 0) > $it->{most_kb};
	return;
}

# Every kind of event once, however little time there is, and then any.
sub lie_for_a_while
{
	my (@all) = @_;
	my $until = time + $seconds;
	my @left = sort keys %event;
	while (@left || time < $until)
	{
		my $name = shift @left // (sort keys %event)[ rand keys %event ];
		for my $it (@all)
		{
			sleep rand 2;
			note_memory($it);
			my $failure = eval { $event{$name}->($it) } // ($@ ? "$name: $@" : undef);
			push @{ $it->{failures} }, $failure if $failure;
		}
	}
	return;
}

# Ends the sessions; their lines.
sub lines_of_askers
{
	my ($it) = @_;
	append_to_file($it->{end}, '');
	waitpid $_->{pid}, 0 for @{ $it->{askers} };
	return map { split /\n/, slurp_file($_->{file}) } @{ $it->{askers} };
}

# As its registry tells the truth at last, a server has IDs again.
sub honest_again
{
	my ($it) = @_;
	$it->{registry}->be_honest;
	my $session = connect_to($it->{node});
	return wait_for("IDs from $it->{kind}", sub { $session->do('SELECT idgen_lease.confirm_registry(force => true)'); for (1 .. 20) { my $id = try_id($session); return $id if is_id($id); sleep 0.2 } return 0 });
}

sub report
{
	my ($it) = @_;
	my ($node, $kind) = @$it{qw(node kind)};
	my @lines = lines_of_askers($it);
	my @ids = grep { /^\d+$/ } @lines;
	push @ids, honest_again($it);
	my $sent = $it->{registry}->sent;
	note(sprintf '%s: %d s, %d IDs, at most %d kB, answers: %s', $kind, $seconds, scalar @ids, $it->{most_kb}, join ', ', map { "$_ $sent->{$_}" } sort keys %$sent);
	is($it->{registry}->faults, '', "$kind: each lie could be told");
	is_deeply($it->{failures}, [], "$kind: each stop succeeded, and each keeper ended that was told to");
	ok($node->stop('fast', fail_ok => 1), "$kind: the last stop succeeded");
	is(repeated({}, @ids), 0, "$kind: no ID was made twice");
	is(scalar(grep { $_ eq 'told' } @lines), 0, "$kind: no session was told the password");
	is(told($node, $_), 0,
		"$kind: the log has no \"$_\"") for 'terminated by signal', 'PANIC', 'Sanitizer', 'runtime error:', 's3cret';
	cmp_ok($it->{most_kb}, '<', $most_kb, "$kind: the keeper needed little memory");
	return;
}

note("SEED=$seed LIE_SECONDS=$seconds");
my @all = map { begin($_) } qw(postgresql etcd);
lie_for_a_while(@all);
report($_) for @all;
diag("SEED=$seed") unless Test::More->builder->is_passing;
done_testing();

# A test that dies leaves no session that asks.
END { append_to_file($_->{end}, '') for grep { !-e $_->{end} } @all }
