# The sequences of the extension in other hands: nextval and setval by a role that was granted all sequences change
# nothing, stall nothing and end nothing, on the server, after kill -9, on a standby and in a dump.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use IdgenPair;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

# The standby compares each page that it replays with the primary's.
my $node = begin_primary('granted', "wal_consistency_checking = 'generic, sequence'", 'checkpoint_timeout = 1h');
$node->safe_psql('postgres', 'CREATE EXTENSION idgen_kinds');
my $standby = begin_standby($node, 'follower', '+0');
my $session = connect_to($node);
$session->do('CREATE ROLE app LOGIN');
$session->do('GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA idgen TO app');
my %made;
my $clock = 0;

# Past the window: the next ID needs a renewal.
sub pass_window { return set_clock($node, sprintf '%+.1f', $clock += 1.5) }

sub horizon { return value_of($session, 'SELECT horizon FROM idgen.stat_database') }

# Kills the server and starts it under a clock that lost 0.4 s.
sub crash_and_start
{
	my $since = time;
	crash($node);
	start_again($node);
	set_clock($node, sprintf '%+.3f', $clock - 0.4 + $since - time);
	return $session = connect_to($node);
}

my @writes = (
	[ 'nothing', 'SELECT 1' ],
	[ 'nextval', q{SELECT nextval('idgen.horizon')} ],
	[ 'nextval a hundred thousand times', q{SELECT count(nextval('idgen.horizon')) FROM generate_series(1, 100000)} ],
	[ 'setval to 2000', q{SELECT setval('idgen.horizon', 946684800000)} ],
	[ 'setval to 2199', q{SELECT setval('idgen.horizon', 7258118400000)} ],
	[ 'setval, not called', q{SELECT setval('idgen.horizon', 1500000000000, false)} ]);
for (@writes)
{
	my ($what, $sql) = @$_;
	repeated(\%made, draw($session, 1000));
	my $before = horizon();
	my $app = connect_to($node, user => 'app');
	$app->do($sql);
	is(horizon(), $before, "$what: the horizon is as it was");
	pass_window();
	$session->do('SET idgen.max_wait = 0');
	my @ids = eval { draw($session, 10) };
	is(scalar @ids, 10, "$what: IDs go on at once");
	$session->do('RESET idgen.max_wait');
	is(repeated(\%made, @ids, eval { draw($session, 5000) }), 0, "$what: none again");

	$app->do($sql);
	$app->disconnect;
	crash_and_start();
	is(repeated(\%made, eval { draw($session, 5000) }), 0, "$what, then kill -9: none again");
	@ids = eval { draw($session, 1) };
	is(scalar @ids, 1, "$what, then kill -9: IDs go on") || $session->do('SELECT idgen.reset(clock_timestamp(), force => true)');
	repeated(\%made, @ids);
	pass_window();
}

# A dump carries the horizon that is, not what another role wrote beside it.
my $app = connect_to($node, user => 'app');
$app->do(q{SELECT setval('idgen.horizon', 7258118400000)});
$session->disconnect;
$node->stop;
start_again($node);
$session = connect_to($node);
eval { repeated(\%made, draw($session, 1000)); 1 } || $session->do('SELECT idgen.reset(clock_timestamp(), force => true)');
my $at = value_of($session, q{SELECT clock_timestamp() + '3 s'});
$session->do('SELECT idgen.advance(?)', undef, $at);
my $dump = $node->basedir . '/dump';
$node->command_ok([ 'pg_dump', '-f', $dump, 'postgres' ], 'pg_dump');
$session->do('CREATE DATABASE restored');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $dump, 'restored' ], 'restored');
my $restored = connect_to($node, db => 'restored');
my $id = eval { value_of($restored, 'SELECT next_id()') } // 0;
ok(value_of($restored, q{SELECT id_time(?) BETWEEN ?::timestamptz AND ?::timestamptz + '1 min'}, $id, $at, $at),
	'restored: IDs go on above the horizon that was dumped');
$restored->disconnect;

# The generators of DecimalIds: neither used up nor given again.
my %decimal;
for my $last (99_999, 0, 5)
{
	repeated(\%decimal, value_of($session, 'SELECT next_decimal_id()')) for 1 .. 3;
	$app = connect_to($node, user => 'app');
	$app->do("SELECT setval('idgen.generator', $last)");
	eval { $app->do(q{SELECT count(nextval('idgen.generator')) FROM generate_series(1, 1000)}) };
	repeated(\%decimal, value_of($session, 'SELECT next_decimal_id()'));
	crash_and_start();
	my $decimal = eval { value_of($session, 'SELECT next_decimal_id()') };
	ok($decimal, "the generators set to $last, 1000 taken, then kill -9: DecimalIds go on")
	  || $session->do(q{SELECT setval('idgen.generator', 1000)});
	is(repeated(\%decimal, grep { defined } $decimal), 0, "the generators set to $last, then kill -9: none again");
	cmp_ok(value_of($session, 'SELECT (decimal_id_decode(?)).generator', $decimal // 0) // 0, '<', 1000,
		"the generators set to $last, then kill -9: few were skipped");
}

# The standby follows, page by page, and makes none of them again.
ok(eval { wait_for_replay($node, $standby) },
	'the standby has the same pages') || note slurp_file($standby->logfile) =~ /(FATAL:.*)/;
crash($node);
if (eval { $standby->promote; 1 })
{
	set_clock($standby, sprintf '%+.1f', $clock);
	my $on_standby = connect_to($standby);
	is(repeated(\%made, eval { draw($on_standby, 5000) }), 0, 'the standby promoted: none again');
	is(scalar(my @ids = eval { draw($on_standby, 10) }), 10, 'the standby promoted: IDs go on');
	ok(eval { !repeated(\%decimal, value_of($on_standby, 'SELECT next_decimal_id()')) },
		'the standby promoted: DecimalIds go on');
	$on_standby->disconnect;
	$standby->stop('immediate');
}
done_testing();
