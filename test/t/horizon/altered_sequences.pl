# What the owner of the horizon's sequence does to it by ALTER SEQUENCE: IDs go on above, live and after kill -9; and
# one that is not committed grants nothing to others.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use IdgenPair;
use Test::More;
use Time::HiRes qw(time);

my $node = begin_primary('altered', "wal_consistency_checking = 'generic, sequence'", 'checkpoint_timeout = 1h');
$node->safe_psql('postgres', 'CREATE EXTENSION idgen_kinds');
my $standby = begin_standby($node, 'follower', '+0');
my $session = connect_to($node);
$session->do('CREATE ROLE app LOGIN');
my %made;
my $clock = 0;

# Past the window: the next ID needs a renewal.
sub pass_window { return set_clock($node, sprintf '%+.1f', $clock += 1.5) }

sub crash_and_start
{
	my $since = time;
	crash($node);
	start_again($node);
	set_clock($node, sprintf '%+.3f', $clock - 0.4 + $since - time);
	return $session = connect_to($node);
}

my @changes = ('RESTART', 'MINVALUE 946684799999', 'SET UNLOGGED, SET LOGGED', 'OWNER TO app');
for my $change (@changes)
{
	repeated(\%made, my @ids = draw($session, 1000));
	my $last = $ids[-1];
	my @sql = map { "ALTER SEQUENCE idgen.horizon $_" } split ', ', $change;
	my $owner = connect_to($node);
	$owner->do($_) for @sql;
	pass_window();
	@ids = eval { draw($session, 5000) };
	cmp_ok($ids[0] // 0, '>', $last, "$change: IDs go on above");
	is(repeated(\%made, @ids), 0, "$change: none again");
	$last = $ids[-1] // $last;
	$owner->do($_) for @sql;
	crash_and_start();
	@ids = eval { draw($session, 5000) };
	cmp_ok($ids[0] // 0, '>', $last, "$change, then kill -9: IDs go on above");
	is(repeated(\%made, @ids), 0, "$change, then kill -9: none again");
	pass_window();
}
# A new file is nobody's, also when the server stops and starts: it waits out what a stranger may have made.
$session->do("ALTER SEQUENCE idgen.horizon START WITH 1400000000000");
$session->disconnect;
$node->stop;
start_again($node);
$session = connect_to($node);
$session->do('SET idgen.max_wait = 0');
fails_with($session, 'SELECT next_id()', '55000',
	qr{the next ID of shard 5 lies [12]\.\d+ s ahead of the clock\nDETAIL:.*the horizon is not as this server left it.*\nHINT:  Try again in}s,
	'START, then a restart');
$session->do('RESET idgen.max_wait');
ok(eval { !repeated(\%made, draw($session, 1000)) }, 'START, then a restart: IDs go on above') || note $session->errstr;
ok(eval { wait_for_replay($node, $standby) }, 'the standby has the same pages');
$standby->stop('immediate');

# In a transaction that is not over the sequence has a new file, which a crash takes away with all that it granted. The
# clock is then put where the IDs of others began. Also if the server was restarted before, and if a parallel worker
# asks.
my $altered = 'ALTER SEQUENCE idgen.horizon';
my @recreated = ('DROP EXTENSION idgen_kinds, idgen', 'CREATE EXTENSION idgen_kinds CASCADE');
my $in_worker = $node->pg_version >= 16 ? 'debug_parallel_query' : 'force_parallel_mode';
my @worker = ("$in_worker = on", 'parallel_leader_participation = off', map { "$_ = 0" } qw(parallel_setup_cost parallel_tuple_cost min_parallel_table_scan_size));
my @parallel = map { "SET LOCAL $_" } @worker;
$session->do('CREATE TABLE hundred AS SELECT generate_series(1, 100)');
my @not_over = (
	[ [ "$altered START WITH 1400000000000" ] ],
	[ [ "$altered RESTART" ] ],
	[ [ 'SAVEPOINT s', "$altered RESTART", 'RELEASE s' ] ],
	[ [ "$altered START WITH 1400000000000", @parallel ] ],
	[ [@recreated] ],
	[ [ 'SAVEPOINT s', @recreated, 'RELEASE s' ] ],
	[ [ @recreated, @parallel ] ],
	[ [@recreated], 'after a restart, ' ],
	[ [ @recreated, @parallel ], 'after a restart, ' ]);
for (@not_over)
{
	my ($changes, $restart) = @$_;
	my $change = ($restart // '') . join '; ', map { /SET LOCAL/ ? /debug_par|force_par/ ? 'a parallel worker' : () : $_ } @$changes;
	set_clock($node, sprintf '%+.1f', $clock += 100);
	repeated(\%made, draw($session, 10));
	if ($restart)
	{
		crash($node);
		start_again($node);
		$session = connect_to($node);
	}
	my $other = connect_to($node);
	$other->do(q{SET idgen.max_wait = '3s'});
	repeated(\%made, draw($other, 10)) unless $restart;
	set_clock($node, sprintf '%+.1f', $clock += 100);
	$session->begin_work;
	$session->do($_) for @$changes, 'SAVEPOINT t';
	fails_with($session, 'SELECT idgen.advance(now())', '55000', qr/sequence "idgen.horizon".* in this transaction/,
	  "$change, not committed: idgen.advance() is refused");
	$session->do('ROLLBACK TO t');
	fails_with($session, 'SELECT next_decimal_id()', '55000', qr/sequence "idgen.generator".* in this transaction/,
	  "$change, not committed: DecimalIds are refused") if $restart;
	$session->do('ROLLBACK TO t');
	fails_with($session, 'SELECT next_id() FROM hundred', '55000', qr/sequence "idgen.horizon".* in this transaction/,
		"$change, not committed: refused");
	my @ids = eval { draw($other, 100_000) };
	note scalar(@ids) . ' IDs by others ' . ($@ =~ s|\n.*||sr);
	repeated(\%made, @ids);
	my $began = @ids ? value_of($other, 'SELECT extract(epoch FROM id_time(?) - clock_timestamp())', $ids[0]) : 0;
	$other->disconnect;
	my $since = time;
	crash($node);
	start_again($node);
	set_clock($node, sprintf '%+.3f', $clock + $began + $since - time);
	$session = connect_to($node);
	@ids = draw($session, 100_000);
	is(repeated(\%made, @ids), 0, "$change, not committed, then kill -9: none again");
}

# If no other session sees another, the transaction makes IDs: again after it was rolled back, in a parallel worker, and
# with other things of the sequence changed or changes taken back.
$session->do($recreated[0]);
my @its_own = (
	[ [ $recreated[1] ], 'ROLLBACK' ],
	[ [ $recreated[1] ], 'ROLLBACK' ],
	[ [ $recreated[1], "$altered RESTART" ], 'ROLLBACK' ],
	[ [ @recreated[ 1, 0, 1 ] ], 'ROLLBACK' ],
	[ [ $recreated[1], @parallel ], 'COMMIT' ],
	[ [ 'SAVEPOINT s', "$altered RESTART", 'ROLLBACK TO s' ], 'COMMIT' ],
	[ [ 'SAVEPOINT s', @recreated, 'ROLLBACK TO s', @parallel ], 'COMMIT' ],
	[ [ "$altered OWNER TO app", 'GRANT SELECT ON SEQUENCE idgen.horizon TO PUBLIC', @parallel ], 'COMMIT' ]);
for (@its_own)
{
	my ($changes, $end) = @$_;
	my $change = join '; ', map { /SET LOCAL/ ? /debug_par|force_par/ ? 'a parallel worker' : () : $_ } @$changes;
	$session->do('BEGIN');
	$session->do($_) for @$changes;
	pass_window();
	my $ids = eval { $session->selectcol_arrayref('SELECT next_id() FROM hundred') } // [];
	is(scalar @$ids, 100, "$change; $end: IDs are made") || note $session->errstr;
	is(repeated(\%made, @$ids), 0, "$change; $end: others");
	ok(eval { value_of($session, 'SELECT next_decimal_id()') }, "$change; $end: DecimalIds are made");
	$session->do($end);
}
is(repeated(\%made, draw($session, 1000)), 0, 'committed: none again');
$session->disconnect;
done_testing();
