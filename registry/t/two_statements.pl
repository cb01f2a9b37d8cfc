# A session that draws in two statements at once while the numbers of its server change: each statement goes on with the
# numbers that it found, and draws from no other server's.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use DBD::Pg qw(:async);
use IdgenLease;
use IdgenNode;
use Test::More;

my $registry = start_registry('registry');
my $identity = $registry->safe_psql('postgres', 'SELECT idgen_registry.identity()');

# The numbers of a hundred IDs of a statement. After the first the server gets the numbers that are given, and another
# statement draws.
my $draw_in_two = <<'SQL';
CREATE FUNCTION draw_in_two(awaited text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	layout id_layout := 'epoch=2020-01-01T00:00:00Z unit=10ms time=39 shard=3 sequence=1';
	number integer;
	drawn integer[] := '{}';
BEGIN
	FOR i IN 0 .. 100 LOOP
		number := id_shard(next_id(layout => layout), layout);
		IF i = 0 THEN
			WHILE awaited <> (SELECT string_agg(l.shard::text, ' ' ORDER BY l.shard) FROM idgen.stat_lease l WHERE held) LOOP
				PERFORM pg_sleep(0.01);
			END LOOP;
			PERFORM next_id();
		ELSIF number <> ALL (drawn) THEN
			drawn := drawn || number;
		END IF;
	END LOOP;
	RETURN array_to_string(ARRAY(SELECT unnest(drawn) ORDER BY 1), ' ');
END
$$
SQL
add_numbers();
replace_number();
done_testing();

# Lower numbers come to the two that a statement has found. It is in a function, because a session reads its settings
# again between statements.
sub add_numbers
{
	my $node = start_with('growing', '4-7', 'idgen.lease_window' => '1min', 'idgen.lease_ttl' => '10min');
	my $watcher = holding($node, '4 5');
	$watcher->do($draw_in_two);
	my @sessions = map { connect_to($node) } 0 .. 3;
	my @calls = map { $_->prepare(q{SELECT draw_in_two('0 1 4 5')}, { pg_async => PG_ASYNC }) } @sessions;
	$_->execute for @calls;
	wait_for('first IDs', sub { value_of($watcher, q{SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'}) == @calls });
	set_for_server($watcher, 'idgen.lease_range', '0-7');
	set_for_server($watcher, 'idgen.lease_count', 4);
	for my $number (0 .. $#calls)
	{
		$sessions[$number]->pg_result;
		is(($calls[$number]->fetchall_arrayref)->[0][0], '4 5',
			"session $number: a statement goes on with the two numbers that it found, after another has found four");
	}
	$_->disconnect for @sessions;
	$node->stop;
	return;
}

# Another owner gets one of the two, and later the other, and this server gets others for them, which the statement's layout has no room for:
# packed, they would be ones that are not this server's.
sub replace_number
{
	take($_) for 2, 3;
	my $node = start_with('replacing', '0-7');
	my $watcher = holding($node, '0 1');
	my %by_number = statements_of($node, 0, 1);
	take(0);
	await_held($watcher, '1 [4-7]');
	for my $number (0, 1)
	{
		look_again($by_number{$number});
		is_deeply([ grep { $_ != 1 } map { value_of($by_number{$number}, 'FETCH one') } 1 .. 20 ], [],
			"a statement that began with number $number goes on with the one that is left");
	}
	take(1);
	await_held($watcher, '[4-7] [4-7]');
	for my $number (0, 1)
	{
		fails_with($by_number{$number}, 'FETCH one', '22003', qr/shard [4-7] is out of range for layout/,
			"a statement that began with number $number says that a new number is no shard of its layout");
		$by_number{$number}->rollback;
	}
	return;
}

sub start_with
{
	my ($name, $range, %setting) = @_;
	return start_leased($name, address_of($registry), setting => { 'idgen.lease_count' => 2, 'idgen.lease_range' => $range, 'idgen.max_wait' => '20s', %setting });
}

# Waits until a server holds these numbers; a session there.
sub holding
{
	my ($node, $numbers) = @_;
	my $session = connect_to($node);
	wait_for_id($session);
	await_held($session, $numbers);
	return $session;
}

sub await_held
{
	my ($session, $numbers) = @_;
	my $held = q{SELECT string_agg(shard::text, ' ' ORDER BY shard) FROM idgen.stat_lease WHERE held};
	return wait_for("numbers $numbers", sub { value_of($session, $held) =~ /^$numbers$/ });
}

# Begins a statement in each of two sessions; they begin with these numbers.
sub statements_of
{
	my ($node, @numbers) = @_;
	my $layout = q{layout => 'epoch=2020-01-01T00:00:00Z unit=100ms time=37 shard=2 sequence=1'};
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
