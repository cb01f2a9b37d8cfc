# What the keeper of a server's numbers says, said by tests: see fake_keeper.cpp.
package IdgenKeeper;

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT = qw(create_keeper hold begin_at in_the_way registry_says registry_lost counters_are);

# Makes the functions in the session's database.
sub create_keeper
{
	my ($session) = @_;
	my $as = "RETURNS void LANGUAGE c AS '$ENV{IDGEN_PRELOADS}/fake_keeper.so'";
	$session->do("CREATE FUNCTION fake_hold(number bigint, by_hand boolean, ahead_ms bigint) $as");
	$session->do("CREATE FUNCTION fake_claim(number bigint, ahead_ms bigint) $as");
	$session->do("CREATE FUNCTION fake_registry(keeper int, answered_ms bigint, silent_ms bigint, trouble text) $as");
	$session->do("CREATE FUNCTION fake_trouble(number bigint, trouble text) $as");
	$session->do("CREATE FUNCTION fake_older(number bigint, granted_ms bigint, known_ms bigint) $as");
	$session->do("CREATE FUNCTION fake_counters(count int, in_trouble int, used int, trouble text) $as");
	$session->do("CREATE FUNCTION fake_wish() RETURNS text LANGUAGE c AS '$ENV{IDGEN_PRELOADS}/fake_keeper.so'");
	return;
}

# Has a number be held, up to that many ms ahead of the clock, or not held (undef): chosen by the registry, or by_hand.
sub hold
{
	my ($session, $number, $ahead_ms, %option) = @_;
	$session->do('SELECT fake_hold(?, ?, ?)', undef, $number, $option{by_hand} ? 1 : 0, $ahead_ms);
	return;
}

# Has a number that is held begin that many ms ahead of the clock.
sub begin_at
{
	my ($session, $number, $ahead_ms) = @_;
	$session->do('SELECT fake_claim(?, ?)', undef, $number, $ahead_ms);
	return;
}

# Says what stands in the way of a number that is wanted; undef: nothing.
sub in_the_way { my ($session, $number, $sentence) = @_; $session->do('SELECT fake_trouble(?, ?)', undef, $number, $sentence); return }

# The registry granted a number up to one instant, and knows another: both in ms ahead of the clock.
sub registry_lost { my ($session, @numbers) = @_; $session->do('SELECT fake_older(?, ?, ?)', undef, @numbers); return }

# keeper: 0 if none runs; answered, silent: ms ago; trouble: why.
sub registry_says
{
	my ($session, %said) = @_;
	$session->do('SELECT fake_registry(?, ?, ?, ?)', undef, $said{keeper} // 4711, @said{qw(answered silent trouble)});
	return;
}

# count, in_trouble: how many are; used: percent, of the one nearest to its end; trouble: what is wrong.
sub counters_are
{
	my ($session, %said) = @_;
	$session->do('SELECT fake_counters(?, ?, ?, ?)', undef, $said{count}, $said{in_trouble} // 0, $said{used} // 0, $said{trouble});
	return;
}

1;
