# Hostile statements for SECONDS (60), while two sessions draw IDs into a table that admits none twice: SQLsmith, whose catalog has little but
# idgen's functions, and clients that call every function of the extensions at random. They do so as an ordinary role, in databases of three
# encodings, and as a superuser in a database of its own. SEED says which calls. In the end the server must be as it was: no crash, no internal
# error, no ID twice. The totals go to the file SQLSMITH_TOTALS.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../test/t/lib", "$FindBin::Bin/../../registry/t/lib";
use DBD::Pg;
use HostileCalls qw(calls_of call_at_random copy_at_random setting_at_random);
use IdgenLease;
use IdgenNode;
use List::Util qw(sum0);
use POSIX qw(_exit);
use Test::More;
use Time::HiRes qw(time sleep);

my $seconds = $ENV{SQLSMITH_SECONDS} || 60;
my $seed = $ENV{SEED} || 1 + int rand 1e9;
diag("SEED=$seed SECONDS=$seconds");

# Shards from a registry are for next_ticket() and the calls of idgen_lease; the shards are given by hand.
my $registry = start_registry('registry');
my $node = start_node(
	'smith',
	extension => 0,
	conf      => [
		lease_conf(address_of($registry), 'idgen.shards' => '0-15', 'idgen.require_clock_sync' => 'off'),
		"idgen.keys = '1:" . '2b' x 16 . "'",
		'autovacuum = on', 'shared_buffers = 64MB', 'logging_collector = on', 'log_destination = jsonlog', "log_directory = 'json'", 'log_rotation_size = 20MB', 'log_error_verbosity = verbose', 'log_statement = none' ]);
my $root = connect_to($node);
# Where the keeper of the numbers looks for it.
$root->do("CREATE EXTENSION $_") for qw(idgen idgen_lease);
$root->do("CREATE ROLE $_ LOGIN") for qw(guest smith);
my $folder = $node->basedir;
my $began = time;
my $end = $began + $seconds;

# The extensions, and tables that their functions know something to do with.
sub make_database
{
	my ($name, $role, $encoding) = @_;
	$root->do("CREATE DATABASE $name TEMPLATE template0 LOCALE 'C' ENCODING '$encoding'");
	$root->do("ALTER DATABASE $name SET search_path = public, ids");
	my $session = connect_to($node, db => $name);
	$session->do($_) for 'CREATE SCHEMA ids', 'GRANT USAGE ON SCHEMA ids TO PUBLIC', 'CREATE EXTENSION idgen SCHEMA ids', 'CREATE EXTENSION idgen_kinds SCHEMA ids',
	  (map { "CREATE EXTENSION idgen_$_" } qw(migrate registry lease)), 'CREATE TABLE written (id bigint PRIMARY KEY DEFAULT ids.next_id())',
	  'GRANT CREATE ON SCHEMA public TO PUBLIC', "SET ROLE $role", 'CREATE TABLE t (id bigint PRIMARY KEY DEFAULT next_id(), u ulid DEFAULT next_ulid(), k ksuid DEFAULT next_ksuid(), at timestamptz DEFAULT now(), word text)',
	  'CREATE TABLE received (l id_layout, i id64, u ulid, k ksuid, o objectid)', 'CREATE TABLE small (id serial PRIMARY KEY, word text)', 'CREATE TABLE parts (id bigint DEFAULT next_id(), word text) PARTITION BY RANGE (id)',
	  "CREATE TABLE album (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), made timestamptz NOT NULL DEFAULT '2024-01-01')",
	  'CREATE TABLE track (key int PRIMARY KEY, album_id uuid REFERENCES album)', 'INSERT INTO t (word) SELECT n::text FROM generate_series(1, 100) n',
	  'INSERT INTO small (word) SELECT n::text FROM generate_series(1, 100) n', 'INSERT INTO album SELECT FROM generate_series(1, 50)',
	  'GRANT ALL ON t, small, parts, album, track TO smith';
	$session->disconnect;
	$root->do("ALTER DATABASE $name SET statement_timeout = '300ms'");
	return;
}

# The catalog as SQLsmith sees it: all of idgen's functions, and one in thirty of the others.
sub bias
{
	my $session = connect_to($node, db => 'app');
	$session->do($_)
	  for 'CREATE SCHEMA bias', 'GRANT USAGE ON SCHEMA bias TO PUBLIC', <<'SQL', 'GRANT SELECT ON bias.pg_proc TO PUBLIC', "ALTER ROLE smith SET search_path = bias, pg_catalog, public, ids";
CREATE VIEW bias.pg_proc AS
SELECT * FROM pg_catalog.pg_proc
WHERE pronamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('ids', 'idgen', 'idgen_lease', 'idgen_migrate')) OR oid::bigint % 30 = 7
SQL
	$session->disconnect;
	return;
}

# Runs $work->() in a process of its own until the end; what it gives is told by total_of.
my %clients;
sub begin
{
	my ($name, $work) = @_;
	my $pid = fork // die "fork: $!";
	if ($pid) { $clients{$pid} = $name; return }
	srand $seed + keys %clients;
	my %counted = eval { $work->() };
	my $failed = $@;
	open my $file, '>', "$folder/$name.counted" or die "$folder/$name.counted: $!";
	print $file map { "$_ $counted{$_}\n" } sort keys %counted;
	close $file;
	warn "$name: $failed" if $failed;
	_exit($failed ? 1 : 0);
}

sub total_of
{
	my ($what) = @_;
	return sum0(map { /^\Q$what\E (\d+)$/ ? $1 : () } map { lines($_) } glob "$folder/*.counted");
}

sub lines { my ($path) = @_; open my $file, '<', $path or die "$path: $!"; my @lines = <$file>; return @lines }

sub session_of { my ($db, $user) = @_; local $ENV{PGAPPNAME} = 'calls'; return connect_to($node, db => $db, user => $user) }

my %size_of = (l => 16, i => 8, u => 16, k => 20, o => 12);

# The binary form of a type, with whatever in it, read and printed. Gives what it counts as.
sub receive
{
	my ($session) = @_;
	my $column = (sort keys %size_of)[ rand keys %size_of ];
	$session->do("COPY received ($column) FROM STDIN (FORMAT binary)");
	$session->pg_putcopydata(copy_at_random($size_of{$column}));
	$session->pg_putcopyend;
	$session->do($_) for 'SELECT r::text FROM received r', 'TRUNCATE received';
	return "received $column";
}

# Does one thing at random; gives the function that answered, or the type that was received, if any.
sub act
{
	my ($session, $calls, $settings) = @_;
	my ($way, $call) = (rand, $calls->[ rand @$calls ]);
	if    ($way < 0.08) { $session->do($way < 0.03 ? 'ROLLBACK' : $way < 0.05 ? 'COMMIT' : 'BEGIN') }
	elsif ($way < 0.14) { $session->do(setting_at_random(@$settings)) }
	elsif ($way < 0.16) { return receive($session) }
	else
	{
		$session->do(call_at_random($call));
		return $call->{name};
	}
	return;
}

# Calls functions at random. What ends a session for good ends the client with it.
sub call
{
	my ($db, $user, $but) = @_;
	my $session = session_of($db, $user);
	$session->{PrintWarn} = 0;
	my @calls = calls_of($session, $but);
	my @settings = map { $_->[0] } @{ $session->selectall_arrayref(q{SELECT name FROM pg_settings WHERE name ~ '^idgen\.'}) };
	my ($statements, %answered) = (0);
	while (time < $end)
	{
		my $name = eval { act($session, \@calls, \@settings) };
		$answered{$name} = 1 if defined $name;
		$statements++;
		# 0: the session has ended; 4: its transaction has failed.
		my $state = $session->ping;
		$session->do('ROLLBACK') if $state == 4;
		next if $state;
		$session = eval { session_of($db, $user) } // last;
	}
	my %names = map { ($_->{name} => 1) } @calls;
	my @received = grep { /^received / } keys %answered;
	return (statements => $statements, received => scalar @received, "functions_$db" => scalar keys %names, "answered_$db" => keys(%answered) - @received);
}

# Has SQLsmith write statements, and counts what it says of each: . for one that ran, e, S, t and C for others.
sub smith
{
	my $target = sprintf 'host=%s port=%s dbname=app user=smith', $node->host, $node->port;
	my %counted = (statements => 0, smith => 0);
	for (my $round = $seed; time < $end - 1; $round++)
	{
		my $left = int($end - time);
		my $output = qx(timeout -s TERM $left sqlsmith --target='$target' --exclude-catalog --verbose --seed=$round --max-queries=2000 2>&1);
		my ($marks) = join '', $output =~ /^([.eStC]+)$/mg;
		$counted{$_} += length $marks for qw(statements smith received);
		die "SQLsmith wrote no statement: ", substr($output, -500) if $marks eq '';
	}
	return %counted;
}

my @ways = ('INSERT INTO written SELECT next_id() FROM generate_series(1, 400)', 'INSERT INTO written SELECT next_ids(400)', 'INSERT INTO written SELECT unnest(next_id_array(400))',
	'INSERT INTO written SELECT next_id() FROM generate_series(1, 400)');

# Draws IDs, no more than a table of some hours can hold. An ID that comes twice violates the table's constraint.
sub write_ids
{
	my $session = connect_to($node, db => 'app', user => $ENV{USER} // scalar getpwuid($<));
	$session->do('SET statement_timeout = 0');
	my %counted = (ids => 0, twice => 0, refused => 0);
	for (my $round = 0; time < $end; $round++)
	{
		my $count = eval { $session->do($ways[ $round % @ways ]) };
		$counted{ids} += $count // 0;
		$counted{ ($session->state // '') eq '23505' ? 'twice' : 'refused' }++ unless $count;
		last unless $session->ping;
		sleep 0.08;
	}
	return %counted;
}

# Takes the logs that are complete, in the end all, out of the folder; adds what is in them.
my %log;
sub take_logs
{
	my ($is_end) = @_;
	my @files = sort { (stat $a)[9] <=> (stat $b)[9] } glob $node->data_dir . '/json/*.json';
	pop @files unless $is_end;
	push @files, $node->logfile, glob $node->data_dir . '/json/*.log' if $is_end;
	for my $file (@files)
	{
		my @found = split /\n/, qx('$FindBin::Bin/check' '$file');
		my ($totals) = grep { /^log / } @found;
		diag($_) for grep { !/^log / } @found;
		$log{$1} += $2 while $totals =~ /(\w+)=(\d+)/g;
		unlink $file if $file =~ /\.json$/;
	}
	return;
}

make_database(@$_) for [qw(app guest UTF8)], [qw(latin1 guest LATIN1)], [qw(ascii guest SQL_ASCII)], [ 'boss', $ENV{USER} // scalar getpwuid($<), 'UTF8' ];
bias();
$root->disconnect;
# Nobody but a superuser can name what is in the registry's schema: once is enough to try.
begin("calls_$_", sub { call($_, 'guest', $_ eq 'ascii' ? qr/^$/ : qr/^idgen_registry[.]/) }) for qw(app latin1 ascii);
begin('calls_boss', sub { call('boss', scalar getpwuid($<), qr/\.(?:release|release_number)$/) });
begin('smith', \&smith);
begin("writer$_", \&write_ids) for 1, 2;
while (time < $end) { sleep 5; take_logs(0) }
for my $pid (keys %clients)
{
	waitpid $pid, 0;
	is($?, 0, "client $clients{$pid}");
}
ok(eval { $root = connect_to($node, db => 'app'); $root->do('SET statement_timeout = 0'); value_of($root, 'SELECT next_id() > 0') }, 'the server makes IDs in the end');
my ($kept, $different) = $root->selectrow_array('SELECT count(*), count(DISTINCT id) FROM written');
my $ids = total_of('ids');
is($kept, $ids, 'each ID that was written is there');
my $twice = total_of('twice') + $kept - $different;
is($twice, 0, 'none twice');
cmp_ok($ids, '>', 0, 'IDs were written');
cmp_ok(total_of($_), '>', 0, "$_ ran") for qw(statements smith received);
$root->disconnect;
$node->stop;
take_logs(1);
is($log{internal}, 0, 'no internal error');
is($log{crashes}, 0, 'no crash');
cmp_ok($log{ours}, '>', 0, 'idgen refused some');
my $totals = sprintf "totals statements=%d errors=%d ours=%d internal=%d crashes=%d ids=%d twice=%d seconds=%d seed=%d\n", total_of('statements'), @log{qw(errors ours internal crashes)}, $ids, $twice, time - $began, $seed;
diag("$_: ", total_of("functions_$_"), ' functions called, ', total_of("answered_$_"), ' of them answered') for qw(app latin1 ascii boss);
diag('of these statements, ', total_of('smith'), " by SQLsmith; $log{others} internal errors of the server itself; ", total_of('refused'), ' draws refused');
open my $file, '>', $ENV{SQLSMITH_TOTALS} // '/dev/stdout' or die "$ENV{SQLSMITH_TOTALS}: $!";
print $file $totals;
close $file;
done_testing();
