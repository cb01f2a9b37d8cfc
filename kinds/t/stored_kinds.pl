# ULID, KSUID and ObjectId: the sort of a million values, binary COPY, and processes that share no random bytes.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../test/t/lib";
use IdgenNode;
use Test::More;

my $node = start_node('kinds', kinds => 1, conf => ["idgen.shards = '5'"]);
my $session = connect_to($node);

# A million values, sorted by abbreviated keys, by text, and by an index that is built by such a sort.
for my $type (qw(ulid ksuid objectid))
{
	my $tail = $type eq 'ulid' ? 7 : 5;
	$session->do(<<"SQL");
CREATE TABLE many_$type AS
SELECT CASE WHEN n % 3 = 0 THEN next_$type()
            ELSE ${type}_make(to_timestamp(1500000000 + n % 50000), substr(next_$type()::bytea, $tail)) END AS v
  FROM generate_series(1, 1000000) n
SQL
	my $digest = sub {
		my ($order) = @_;
		return value_of($session, "SELECT md5(string_agg(left(md5(v::text), 8), '')) FROM (SELECT v FROM many_$type ORDER BY $order) s");
	};
	$session->do('SET work_mem = 512000');
	my $by_text = $digest->('v::text COLLATE "C"');
	is($digest->('v'), $by_text, "$type: a million by abbreviated keys and by text");
	$session->do("CREATE INDEX ON many_$type (v)");
	$session->do('SET enable_sort = off');
	is($digest->('v'), $by_text, "$type: a million by index");
	$session->do('RESET enable_sort');

	# Binary COPY keeps every byte.
	my $file = $node->basedir . "/$type.copy";
	$session->do("COPY (SELECT v FROM many_$type ORDER BY v LIMIT 10000) TO '$file' (FORMAT binary)");
	$session->do("CREATE TABLE copied_$type (v $type)");
	$session->do("COPY copied_$type FROM '$file' (FORMAT binary)");
	is(value_of($session, "SELECT count(*) FROM (SELECT v FROM copied_$type EXCEPT SELECT v FROM many_$type) s"), 0,
		"$type: binary COPY");
	$session->do("DROP TABLE many_$type, copied_$type");
}

# Every backend is a fork of one process, and they share no random bytes.
my %seen;
for (1 .. 20)
{
	my $other = connect_to($node);
	$seen{$_}++ for $other->selectrow_array(
		q{SELECT substr(next_objectid()::bytea, 5, 5), substr(next_ksuid()::bytea, 5), substr(next_ulid()::bytea, 7, 8)});
}
is(scalar(keys %seen), 60, 'twenty backends: no random bytes twice');

$session->disconnect;
done_testing();
