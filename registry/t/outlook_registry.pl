# Whether a server with shards from a registry makes IDs, as idgen.status() says it, in states in which it does and does
# not, each with what a draw says beside it. A keeper that does what the test says stands for the real one.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenKeeper;
use IdgenNode;
use IdgenOutlook;
use Test::More;

my $node = start_node('outlook', fake_clock => 1,
	conf => [ "idgen.registry = 'postgresql://registry.example/registry'", "idgen.shards = 'lease'", "idgen.lease_window = '40s'", 'idgen.lease_count = 1', 'idgen.max_wait = 0' ]);
expect_blame($node, 'registry');
my $session = connect_to($node);
create_keeper($session);
my $by_hand = connect_to($node);
$by_hand->do(q{SET idgen.shards = '7'});
sub advice { return value_of($session, 'SELECT advice FROM idgen.status() WHERE key = ?', @_) }

agrees($session, 'registry', 'no keeper');
registry_says($session, keeper => $session->{pg_pid});
is(value_of($session, q{SELECT value FROM idgen.status() WHERE key = 'server'}), 'makes IDs as soon as the registry grants a shard', 'nothing was asked yet');
registry_says($session, keeper => $session->{pg_pid}, silent => 70000, trouble => 'no route');
agrees($session, 'registry', 'silent from the start');
like(advice('registry'), qr/ No shard is held, so no ID is made\.$/, 'silent from the start: no number');
registry_says($session, keeper => $session->{pg_pid}, answered => 100);
hold($session, 3, 25000);
agrees($session, '', 'a number that is held');
ok(!eval { value_of($by_hand, 'SELECT next_id()') }, 'another one by hand is asked for');
in_the_way($session, 7, 'shard 7 is held by "barn"');
agrees($by_hand, 'lease', 'one that another server has');
in_the_way($session, 7, undef);
registry_says($session, keeper => $session->{pg_pid}, silent => 70000, answered => 71000, trouble => 'no route');
agrees($session, '', 'silent, and the horizon is ahead');
like(advice('registry'), qr/ IDs can be made up to the horizon in row lease\.$/, 'silent, and the horizon is ahead: until when');
hold($session, 3, -2500);
agrees($session, 'registry', 'silent, and the horizon has passed');
like(advice('registry'), qr/ IDs have ended at the horizon in row lease\.$/, 'silent, and the horizon has passed: in the past');
like(advice('lease'), qr/^IDs have ended at the horizon/, 'the same in row lease');
registry_says($session, keeper => $session->{pg_pid}, answered => 100);
hold($session, 3, 25000);
agrees($session, '', 'extended');
begin_at($session, 3, 15000);
agrees($session, 'lease', 'a number that begins later');
$_->disconnect for $session, $by_hand;
$node->stop('fast');
done_testing();
