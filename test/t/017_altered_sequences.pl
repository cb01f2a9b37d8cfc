# What the owner of the horizon's sequence does to it by ALTER SEQUENCE: IDs go on above, live and after kill -9; and one
# that is not committed grants nothing to others.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IdgenNode;
use IdgenPair;
use Test::More;
use Time::HiRes qw(time);

my $node = begin_primary('altered', "wal_consistency_checking = 'generic, sequence'", 'checkpoint_timeout = 1h');
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
	my @sql = map { "ALTER SEQUENCE idgen_horizon $_" } split ', ', $change;
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
ok(eval { wait_for_replay($node, $standby) }, 'the standby has the same pages');
$standby->stop('immediate');

# In a transaction that is not over the sequence has a new file, which a crash takes away with all that it granted. The
# clock is then put where the IDs of others began.
my $altered = 'ALTER SEQUENCE idgen_horizon';
my $refused = qr/sequence "idgen_horizon".* in this transaction/;
my @not_over = (
	[ [ "$altered START WITH 1400000000000" ], $refused ],
	[ [ "$altered RESTART" ], $refused ],
	[ [ 'SAVEPOINT s', "$altered RESTART", 'RELEASE s' ], $refused ],
	# Whether the session may make IDs of an extension that is all its own does not matter here; others may not by its grant.
	[ [ 'DROP EXTENSION idgen', 'CREATE EXTENSION idgen' ], undef ]);
for (@not_over)
{
	my ($changes, $pattern) = @$_;
	my $change = join '; ', @$changes;
	set_clock($node, sprintf '%+.1f', $clock += 100);
	my $other = connect_to($node);
	$other->do(q{SET idgen.max_wait = '3s'});
	repeated(\%made, draw($other, 10));
	set_clock($node, sprintf '%+.1f', $clock += 100);
	$session->begin_work;
	$session->do($_) for @$changes;
	fails_with($session, 'SELECT next_id()', '55000', $pattern, "$change, not committed: refused") if $pattern;
	eval { repeated(\%made, value_of($session, 'SELECT next_id()')) } unless $pattern;
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
$session->disconnect;
done_testing();
