# A disk that is full, read-only, or fails to flush: an operation that cannot be written gives the server's error and
# its SQLSTATE, IDs that need no write go on, and so do all once the disk is well. What the disk had not flushed is lost
# with the server. No ID is made twice.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenDisk;
use IdgenInjection;
use IdgenNode;
use PostgreSQL::Test::Utils;
use Test::More;

my ($no_space, $read_only, $io_error) = (28, 30, 5);
my %made;
my $node = start_node('disk', fake_clock => 1, conf => [ injected_conf(), 'restart_after_crash = off', 'fsync = on', 'wal_recycle = off' ], init => { extra => ['--wal-segsize=1'] });
$node->stop;
%ENV = (%ENV, failing($node));
calls_fail($node);
start_again($node);
my $session = connect_to($node);
my $other = connect_to($node);

sub none_twice { my ($what, $sql) = @_; return is(draw_repeated($node, \%made, $_, 50, $sql), 0, "$what: none twice") for $session, $other; }

# The data directory is full, and a sequence has no page of its own yet.
my $extending = qr/^ERROR:  could not extend file "base\/\d+\/\d+".*: No space left on device\nHINT:  Check free disk space\./;
my $decimals = 'SELECT array_agg(next_decimal_id()) FROM generate_series(1, ?)';
for (1, 2)
{
	$session->do('DROP EXTENSION idgen; CREATE EXTENSION idgen');
	go_on($node, 5);
	calls_fail($node, "extend $no_space /base/");
	for my $sql ('SELECT next_id()', q{SELECT idgen.advance(now() + '100ms')})
	{
		fails_with($_, $sql, '53100', $extending, "a full data directory, $sql") for $session, $other;
	}
	is(value_of($session, q{SELECT count(*) FROM pg_locks WHERE relation = 'idgen.horizon'::regclass}), 0,
		'nothing stays locked');
	calls_fail($node);
	none_twice('space again');
	calls_fail($node, "write $no_space /base/");
	go_on($node, 5);
	none_twice('a full data directory, the page is there');
	fails_with($session, 'CHECKPOINT', 'XX000', qr/checkpoint request failed/, 'a checkpoint');
	calls_fail($node);
	$session->do('CHECKPOINT');
}
$session = kill_server(1);
none_twice('a crash after that');

# Generators of DecimalIds: the first of a start.
$session->do($_) for 'DROP EXTENSION idgen', 'CREATE EXTENSION idgen', 'CREATE EXTENSION idgen_kinds';
$session = kill_server(0);
calls_fail($node, "extend $no_space /base/");
fails_with($session, 'SELECT next_decimal_id()', '53100', $extending, 'a full data directory, a generator');
calls_fail($node);
none_twice('space again, DecimalIds', $decimals);

# The WAL cannot be written or flushed: the server ends, with what its disk had not flushed. On a file system that is
# read-only it may already fail to open a file, and go on.
my @of_wal = (
	[ 'a full disk of the WAL',  "extend $no_space /pg_wal/", qr/^PANIC:  could not write to file "pg_wal.*: No space left on device/ ],
	[ 'a read-only file system', "write $read_only /",        qr/^(?:PANIC|ERROR):  could not (?:write to|open) .*: Read-only file system/ ],
	[ 'a flush that fails',      "flush $io_error /pg_wal/",  qr/^PANIC:  could not f(?:data)?sync file "[0-9A-F]+": Input\/output error/ ],
	[ 'a write that fails',      "write $io_error /pg_wal/",  qr/^PANIC:  could not (?:write to log|open) file .*: Input\/output error/ ]);
for (@of_wal)
{
	my ($what, $line, $pattern) = @$_;
	for my $sql ('SELECT next_id()', q{SELECT idgen.advance(clock_timestamp() + '100ms')}, 'SELECT idgen.confirm_shards()')
	{
		go_on($node, 5);
		none_twice("$what, $sql, before");
		use_up_segments() if $what =~ /full/;
		calls_fail($node, $line);
		is(draw_repeated($node, \%made, $session, 1), 0, "$what: an ID that needs no write");
		go_on($node, 5);
		my $done = eval { $session->selectall_arrayref($sql) };
		like($done ? 'it succeeded' : $session->errstr, $pattern, "$what, $sql: the server says so");
		calls_fail($node);
		$session = kill_server(1);
		none_twice("$what, $sql, then the disk is well");
	}
}
$_->disconnect for $session, $other;
$node->stop('immediate');
done_testing();

# The next record of the WAL needs a new file.
sub use_up_segments
{
	my $left = q{SELECT count(*) FROM pg_ls_waldir() WHERE name > pg_walfile_name(pg_current_wal_lsn())};
	$session->do(q{SELECT pg_logical_emit_message(false, 'idgen', 'a record'), pg_switch_wal()}) for 0 .. value_of($session, $left);
	return;
}

sub kill_server
{
	my ($is_lost) = @_;
	my @processes = processes_of($node);
	kill 'KILL', @processes;
	wait_for_end($node, @processes);
	lose_writes($node) if $is_lost;
	start_again($node);
	$other = connect_to($node);
	return connect_to($node);
}
