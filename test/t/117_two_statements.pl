# A session that draws in two statements at once while the numbers of its server change: each statement goes on with the numbers that it found,
# and draws from no other server's.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IdgenLease;
use IdgenNode;
use Test::More;

my $registry = start_registry('registry');
my $identity = $registry->safe_psql('postgres', 'SELECT idgen_registry.identity()');
add_numbers();
replace_number();
done_testing();

# Lower numbers come to the two that a statement has found.
sub add_numbers
{
	my $node = start_with('growing', '4-7');
	my $watcher = holding($node, '4 5');
	my %by_number = statements_of($node, 3, 4, 5);
	set_for_server($watcher, 'idgen.lease_range', '0-7');
	set_for_server($watcher, 'idgen.lease_count', 4);
	holding($node, '0 1 4 5');
	for my $number (4, 5)
	{
		my $session = $by_number{$number};
		look_again($session);
		my %drawn;
		$drawn{ $_->[0] }++ for @{ $session->selectall_arrayref('FETCH 1000 FROM one') };
		is_deeply([ sort keys %drawn ], [ 4, 5 ], "a statement that began with number $number goes on with the two numbers that it found");
		$session->commit;
	}
	$node->stop;
	return;
}

# Another owner gets one of the two, and this server gets another for it, which the statement's layout has no room for: packed, it would be one
# that is not this server's.
sub replace_number
{
	take($_) for 2, 3;
	my $node = start_with('replacing', '0-7');
	holding($node, '0 1');
	my %by_number = statements_of($node, 2, 0, 1);
	take(0);
	holding($node, '1 [4-7]');
	for my $number (0, 1)
	{
		my $session = $by_number{$number};
		look_again($session);
		my %drawn;
		for (1 .. 1000) { $drawn{ eval { value_of($session, 'FETCH one') } // last }++ }
		is_deeply([ grep { $_ != 1 } keys %drawn ], [], "a statement that began with number $number draws from no number of another server");
		like($session->errstr, qr/shard [4-7] is out of range for layout/, "a statement that began with number $number says that a new number is no shard of its layout");
		$session->rollback;
	}
	return;
}

sub start_with
{
	my ($name, $range) = @_;
	return start_leased($name, address_of($registry), setting => { 'idgen.lease_count' => 2, 'idgen.lease_range' => $range, 'idgen.max_wait' => '20s' });
}

# Waits until a server holds these numbers; a session there.
sub holding
{
	my ($node, $numbers) = @_;
	my $session = connect_to($node);
	wait_for_id($session);
	my $held = q{SELECT string_agg(number::text, ' ' ORDER BY number) FROM idgen.stat_lease WHERE held};
	wait_for("numbers $numbers", sub { value_of($session, $held) =~ /^$numbers$/ });
	return $session;
}

# Begins a statement in each of two sessions; they begin with these numbers.
sub statements_of
{
	my ($node, $bits, @numbers) = @_;
	my $layout = "layout => 'epoch=2020-01-01T00:00:00Z unit=1ms time=41 shard=$bits sequence=2'";
	my %by_number;
	while (grep { !$by_number{$_} } @numbers)
	{
		my $session = connect_to($node);
		$session->begin_work;
		$session->do("DECLARE one CURSOR FOR SELECT id_shard(next_id($layout), $layout) FROM generate_series(1, 1000000)");
		$by_number{ value_of($session, 'FETCH one') } //= $session;
	}
	return %by_number;
}

# Another statement of the session looks at the numbers that there are now.
sub look_again { my ($session) = @_; return value_of($session, 'SELECT next_id()') }

# Has another owner hold a number, at once.
sub take
{
	my ($number) = @_;
	my $outcome = $registry->safe_psql('postgres',
		"BEGIN; SELECT FROM idgen_registry.release($number); SELECT outcome FROM idgen_registry.claim('$identity', $number, 0, 11, 12, 3600000, 'other', 1, 1); COMMIT");
	die "number $number: $outcome" unless $outcome =~ /granted/;
	return;
}
