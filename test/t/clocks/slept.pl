# A laptop that slept, WSL or Docker Desktop: the wall clock went on by ten hours, the time since boot stood still. What an
# ordinary role reads, also after a restart; what a superuser does, as docs/troubleshooting.md says; and the way back.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use IdgenPages;
use Test::More;

my $node = start_node('laptop', fake_clock => 1, kernel => '0 20000 100', conf => ["idgen.shards = '5'"]);
$node->safe_psql('postgres', 'CREATE ROLE app LOGIN; SELECT next_id()');

# What an ordinary role gets.
sub is_refused
{
	my ($pattern, $what) = @_;
	my $session = connect_to($node, user => 'app');
	fails_with($session, 'SELECT next_id()', '55000', $pattern, $what);
	$session->disconnect;
	return;
}
sub makes
{
	my ($what) = @_;
	my $session = connect_to($node, user => 'app');
	is(value_of($session, 'SELECT abs(extract(epoch FROM id_time(next_id()) - clock_timestamp())) < 2'), 1, $what);
	$session->disconnect;
	return;
}
sub restart { $node->stop; start_again($node); return }

my $jumped = qr/^ERROR:  the clock jumped forward by 10 h\nDETAIL:  idgen\.max_clock_jump is 10 min\. No ID is stamped .*\nHINT:  .*have a superuser call idgen\.accept_clock\(\)\.$/;
makes('before it sleeps');
set_clock($node, '+36000');
is_refused($jumped, 'after it slept');
restart();
is_refused($jumped, 'after a restart');
$node->safe_psql('postgres', 'SELECT idgen.accept_clock()');
makes('accepted');

# A clock that was wrong and is right now: a wait of hours is not advised by a setting.
my $behind = qr/^ERROR:  the clock is (?:9 h 5\d min|10 h(?: 1 min)?) behind the next ID of shard 5\n.*\nHINT:  Correct the clock; or, if it is right now, wait until it has passed that time\.$/;
set_clock($node, '+0');
is_refused($behind, 'set back');
restart();
is_refused($behind, 'set back, and restarted');
set_clock($node, '+36000');
makes('the clock forward again');

# For development only: a clock that may jump.
my ($row) = grep { /Docker Desktop/ } split /\n/, page('troubleshooting');
my @typed = $row =~ /`((?:ALTER SYSTEM|SELECT) [^`]+)`/g;
is(scalar @typed, 2, 'the page has two commands');
$node->safe_psql('postgres', $_) for @typed;
my $session = connect_to($node);
wait_until($session, q{SELECT current_setting('idgen.max_clock_jump') = '24d'});
$session->disconnect;
set_clock($node, '+96000');
makes('a jump of hours is taken where the setting says so');

done_testing();
