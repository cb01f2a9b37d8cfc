# idgen.reset(): the server knows what it made, so a reset goes above that, or is refused: in the ms of the last ID, after a
# restart, after a slot was given to another shard, by a horizon that a wrong clock raised, after an advance by mistake,
# and while others draw. No ID comes twice.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('node', fake_clock => 1, conf => [ q{idgen.shards = '5'}, 'idgen.max_wait = 10s', 'idgen.max_slots_per_database = 2' ]);
my $session = connect_to($node);
my %made;

sub refuses
{
	my ($call, $detail, $hint, $what) = @_;
	return fails_with($session, "SELECT idgen.reset($call)", '55000',
		qr/IDs could be made twice from 20\S+ \S+ on\nDETAIL:  $detail\.\nHINT:  $hint/, $what);
}
my $without = qr/Call idgen\.reset\(\) without an instant: it goes above that\.$/m;
my $forced = qr/If that is wrong, give an instant above all IDs in the tables, .*: idgen\.reset\(at, force => true\)\.$/m;
my $at_last = qr/This server has made IDs up to 20\S+ \S+/;

# The clock stands still: the next ms never comes.
my $second = time + 1;
freeze_clock($node, $second);
is(repeated(\%made, draw($session, 100)), 0, 'IDs of a ms');
refuses(q{'today'}, $at_last, $without, 'below the last ID');
refuses('clock_timestamp()', $at_last, $without, 'in the ms of the last ID');
set_clock($node, '+3');
my @pairs = map { my @id = draw($session, 1); $session->do('SELECT idgen.reset()'); (@id, draw($session, 1)) } 1 .. 200;
is(repeated(\%made, @pairs), 0, '200 times between two IDs: none comes twice');
$session->do(q{SELECT idgen.reset(clock_timestamp() + '1 s')});
is(repeated(\%made, draw($session, 10)), 0, 'just above them');

# A slot that is given to another shard leaves what it made behind.
$second = time + 8;
freeze_clock($node, $second);
$session->do(q{SET idgen.shards = '5-8'});
is(repeated(\%made, map { value_of($session, "SELECT next_id($_)") } 5, 6), 0, 'two slots');
set_clock($node, "+10");
select undef, undef, undef, 2.5;
is(repeated(\%made, map { value_of($session, "SELECT next_id($_)") } 7, 8), 0, 'given to other shards');
freeze_clock($node, $second);
refuses('clock_timestamp()', $at_last, $without, 'below what a slot made that was given back');
set_clock($node, '+15');
$session->do('RESET idgen.shards');
set_for_server($session, 'idgen.max_slots_per_database', '64');

# By mistake. The next ID comes at once.
$session->do(q{SELECT idgen.advance(clock_timestamp() + '1 h')});
fails_with($session, 'SELECT next_id()', '55000', qr/ahead of the clock.*\nHINT:  .*have a superuser call idgen\.reset\(\)\.$/s, 'advanced by mistake');
$session->do('SELECT idgen.reset()');
is(repeated(\%made, draw($session, 1000)), 0, 'and reset: IDs at once');

# After a start nobody knows what was made before, but that it lies below the horizon.
set_clock($node, '+30');
is(repeated(\%made, draw($session, 100)), 0, 'before a restart');
freeze_clock($node, time + 25);
$node->stop;
start_again($node);
$session = connect_to($node);
my $found = qr/This server found the horizon at 20\S+ \S+: IDs from before may lie up to there/;
refuses('', $found, $forced, 'after a restart, without an instant');
refuses('clock_timestamp()', $found, $forced, 'after a restart, with one');
set_clock($node, '+40');
$session->do('SELECT idgen.reset()');
is(repeated(\%made, draw($session, 100)), 0, 'once that is past: IDs');

# A wrong clock raised it, and a restart has forgotten how: a person must say.
$node->stop;
set_clock($node, '+31536000');
start_again($node);
$session = connect_to($node);
$session->do('SELECT idgen.accept_clock()');
my ($poisoned) = draw($session, 1);
$node->stop;
set_clock($node, '+60');
start_again($node);
$session = connect_to($node);
refuses('', $found, $forced, 'a horizon a year ahead');
$session->do('SELECT idgen.reset(?, force => true)', undef, value_of($session, 'SELECT clock_timestamp()'));
is(repeated(\%made, draw($session, 100)), 0, 'forced: IDs');
refuses(q{'today'}, $at_last, $without, 'then it knows what it made again');

# Eight sessions draw meanwhile.
my $stop = $node->basedir . '/stop';
my $makers = begin_makers($node, 8, $stop);
for my $round (1 .. 40)
{
	$session->do(q{SELECT idgen.advance(clock_timestamp() + '300 ms')}) if $round % 2;
	$session->do('SELECT idgen.reset()');
}
append_to_file($stop, '');
my @ids = made_by($makers);
cmp_ok(scalar @ids, '>', 0, 'sessions drew meanwhile');
is(repeated(\%made, @ids), 0, 'while eight sessions draw: none comes twice');

fails_with($session, 'SELECT idgen.reset(force => NULL)', '22004', qr/force must not be null/, 'no word');
done_testing;
