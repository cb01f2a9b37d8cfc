# The year 2106: the default layout has ended long ago, a count of seconds in 32 bits ends during the test. What still
# works, and what those say that do not.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../t/lib";
# An hour before 2^32 s, 2106-02-07 06:28:16 UTC. The test moves the clock there when it needs it, however long it took
# until then.
BEGIN { $ENV{IDGEN_CLOCK} = 2**32 - 3600 }
use IdgenNode;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('far', kinds => 1, fake_clock => 1, conf => ["idgen.shards = '5'"]);
my $session = connect_to($node);
# A kind of ID that has ended says that the clock may be wrong.
expect_blame($node, 'clock');

# How far an instant lies from the node's clock, in seconds.
sub distance_of
{
	my ($instant) = @_;
	return value_of($session, "SELECT abs(extract(epoch FROM $instant - clock_timestamp()))");
}

# The default layout.
my $has_ended =
  qr/2106-02-07 0[56]:\d\d:\d\d\.\d+\+00 is past the end of layout "instagram"\nDETAIL:.*before 2046-06-27 17:00:49.497\+00.*\nHINT:.*later epoch/s;
fails_with($session, "SELECT $_", '22003', $has_ended, $_)
  for 'next_id()', 'idgen.next_id()', 'next_id(5)', 'next_id_array(3)', 'count(*) FROM next_ids(3)', 'next_id_after(5)';
my ($value, $is_ok) = $session->selectrow_array(q{SELECT value, ok::int FROM idgen.status() WHERE key = 'layout'});
is($is_ok, 0, 'idgen.status: the default layout has ended');
like($value, qr/^2106-02-07 0[56]:\d\d:\d\d\.\d+\+00 is past the end of layout "instagram"\. .* before 2046-06-27 17:00:49.497\+00\.$/, 'idgen.status: and when');

# Every preset makes IDs of this instant, or says that it has ended.
my %ends = map { $_ => value_of($session, 'SELECT NOT wraps AND last_time < clock_timestamp() FROM id_layout_info(?)', $_) }
  @{ $session->selectcol_arrayref('SELECT name FROM id_layouts()') };
my ($header, @presets) = map { chomp; [ split /,/, $_, -1 ] } split /^/, slurp_file("$FindBin::Bin/../vectors/presets.csv");
my @last = map { my %preset; @preset{@$header} = @$_; $preset{wraps} eq 'false' && $preset{last_ms} < 2**32 * 1000 ? $preset{name} : () } @presets;
cmp_ok(scalar @last, '>', 3, 'some layouts have ended');
is(join(' ', grep { $ends{$_} } sort keys %ends), join(' ', sort @last), 'layouts that have ended');
for my $layout (sort keys %ends)
{
	if ($ends{$layout})
	{
		fails_with($session, "SELECT next_id(layout => '$layout')", '22003', qr/is past the end of layout "$layout"/,
			$layout);
	}
	else
	{
		my $id = value_of($session, 'SELECT next_id(layout => ?)', $layout);
		cmp_ok(distance_of("id_time_near($id, clock_timestamp(), '$layout')"), '<', 10,
			"$layout: an ID of this instant");
	}
}
# The other kinds.
my %time_of = (
	next_ulid     => 'ulid_time(%s)',
	next_uuidv7   => 'uuid_time(%s)',
	next_ksuid    => 'ksuid_time(%s)',
	next_objectid => 'objectid_time(%s)',
	hlc_now       => 'hlc_time(%s)');
for my $maker (sort keys %time_of)
{
	cmp_ok(distance_of(sprintf $time_of{$maker}, "$maker()"), '<', 10, "$maker(): of this instant");
}
is(value_of($session, 'SELECT (decimal_id_decode(next_decimal_id())).counter'), 1, 'next_decimal_id()');

# Nothing is made again after a crash.
my $last = value_of($session, q{SELECT max(id) FROM next_ids(5000, layout => 'mastodon') AS id});
my $hlc = value_of($session, 'SELECT hlc_now()');
crash($node);
start_again($node);
$session = connect_to($node);
cmp_ok(value_of($session, q{SELECT next_id(layout => 'mastodon')}), '>', $last, 'after kill -9: IDs go on above');
cmp_ok(value_of($session, 'SELECT hlc_now()'), '>', $hlc, 'after kill -9: timestamps too');

# The last second below 2^32, and the next one, on a clock that stands still: what counts seconds from 1970 in 32 bits
# ends, the others go on.
sub stop_at { return freeze_clock($node, $_[0] - clock_offset()) }
stop_at(2**32 - 1);
$session->do('SELECT idgen.accept_clock()');
is(distance_of('objectid_time(next_objectid())'), '0.000000', 'the last second below 2^32 s: next_objectid()');
my %before = map { $_ => value_of($session, "SELECT $_()::text") } qw(next_ulid next_uuidv7 next_ksuid hlc_now);
stop_at(2**32);
for my $maker (sort keys %before)
{
	my $next = value_of($session, "SELECT $maker()::text");
	cmp_ok(distance_of(sprintf $time_of{$maker}, $maker eq 'next_uuidv7' ? "'$next'::uuid" : "'$next'"), '<', 2,
		"at 2^32 s: $maker()");
	cmp_ok($next, 'gt', $before{$maker}, "at 2^32 s: $maker() goes on above");
}
fails_with($session, 'SELECT next_objectid()', '22008',
	qr/no ObjectId can hold the time of the clock, 2106-02-07 06:28:16.*\nDETAIL:.*from 1970-01-01 00:00:00\+00 to 2106-02-07 06:28:15\+00.*\nHINT:/,
	'at 2^32 s: next_objectid()');
set_clock($node, '=1356998400');
fails_with($session, 'SELECT next_ksuid()', '22008', qr/no KSUID can hold the time of the clock, 2013-01-01 00:00:00/,
	'before its epoch: next_ksuid()');
$session->disconnect;
done_testing();
