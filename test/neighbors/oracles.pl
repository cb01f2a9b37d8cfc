# ULID, KSUID, ObjectId, UUIDv7, TypeID and NanoID: what other people's programs see in ours, and we in theirs.
use strict;
use warnings;
use FindBin;
use IPC::Run ();
use lib "$FindBin::Bin/../t/lib";
use IdgenNode;
use IdgenNpm;
use JSON::PP qw(decode_json encode_json);
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('kinds', kinds => 1, conf => ["idgen.shards = '5'"]);
my $session = connect_to($node);

my $folder = "$FindBin::Bin/../clients/npm";
ok(install_npm($folder), 'the libraries for Node.js are there');

sub column { return @{ $session->selectcol_arrayref(@_) } }

# Texts over all of a type's times, and of now.
sub texts_of
{
	my ($type) = @_;
	my ($bytes) = $session->selectrow_array("SELECT octet_length(${type}_min('2026-01-01')::bytea)");
	return column(<<"SQL");
SELECT substr(set_byte(decode(md5(n::text) || md5((-n)::text), 'hex'), 0, n % 128), 1, $bytes)::$type FROM generate_series(1, 200) n
UNION ALL SELECT next_$type() FROM generate_series(1, 50)
SQL
}
my %ours = map { $_ => [ texts_of($_) ] } qw(ulid objectid);
$ours{uuidv7} = [
	column(q{SELECT uuidv7_min(timestamptz '1970-01-01Z' + n * interval '40 days') FROM generate_series(0, 100) n}),
	column('SELECT next_uuidv7() FROM generate_series(1, 50)') ];
$ours{typeid} = [ column(q{SELECT typeid_text('user_' || chr(97 + n % 26), next_uuidv7()) FROM generate_series(1, 50) n}) ];
$ours{nanoid} = [ column('SELECT next_nanoid() FROM generate_series(1, 50)') ];
my ($out, $error) = ('', '');
ok(IPC::Run::run([ 'node', "$folder/oracle.mjs" ], '<', \encode_json(\%ours), '>', \$out, '2>', \$error),
	'the libraries ran') or diag($error);
my $theirs = decode_json($out);
for my $type (qw(ulid objectid))
{
	my @read = @{ $theirs->{$type}{read} };
	is_deeply([ map { $_->{text} } @read ], $ours{$type}, "$type: our texts, as they write them again");
	is(scalar(grep { !$_->{valid} } @read), 0, "$type: all valid");
	is_deeply(
		[ map { $_->{time} } @read ],
		[ map { value_of($session, "SELECT (extract(epoch FROM ${type}_time(?)) * 1000)::bigint", $_) } @{ $ours{$type} } ],
		"$type: our values have the same times");
	my @made = @{ $theirs->{$type}{made} };
	is_deeply(
		[ map { value_of($session, "SELECT ?::$type || ' ' || (extract(epoch FROM ${type}_time(?)) * 1000)::bigint", $_->{text}, $_->{text}) } @made ],
		[ map { "$_->{text} $_->{time}" } @made ],
		"$type: their values and times, as we read them");
	next unless $made[0]{hex};
	is_deeply([ map { value_of($session, "SELECT encode(?::${type}::bytea, 'hex')", $_->{text}) } @made ],
		[ map { $_->{hex} } @made ], "$type: their values have the same bytes");
}

{
	my @read = @{ $theirs->{uuidv7}{read} };
	is(scalar(grep { !$_->{valid} } @read), 0, 'uuidv7: all of version 7');
	is_deeply(
		[ map { [ @$_{qw(text time)} ] } @read ],
		[ map { [ $_, value_of($session, 'SELECT (extract(epoch FROM uuid_time(?)) * 1000)::bigint', $_) ] } @{ $ours{uuidv7} } ],
		'uuidv7: with the same times');
	is(scalar(grep { value_of($session, 'SELECT (extract(epoch FROM uuid_time(?)) * 1000)::bigint', $_->{text}) != $_->{time} } @{ $theirs->{uuidv7}{made} }),
		0, 'uuidv7: theirs, as we read them');

	for my $typeid (@{ $theirs->{typeid}{read} }, @{ $theirs->{typeid}{made} })
	{
		my @seen = $session->selectrow_array('SELECT typeid_prefix(t), typeid_uuid(t), typeid_text(typeid_prefix(t), typeid_uuid(t)) FROM (SELECT ?::text AS t) s',
			undef, $typeid->{text});
		next if "@seen" eq "@$typeid{qw(prefix uuid text)}";
		fail("typeid: $typeid->{text} is @seen");
	}
	is_deeply([ map { $_->{text} } @{ $theirs->{typeid}{read} } ], $ours{typeid},
		'typeid: our texts, as they write them again');
	is(scalar(@{ $theirs->{typeid}{made} }), 200, 'typeid: theirs, as we read them');
	is(scalar(grep { !$_->{valid} } @{ $theirs->{nanoid}{read} }, @{ $theirs->{nanoid}{made} }), 0,
		'nanoid: of one size and one alphabet');
}

# The program of the KSUID's makers.
{
	my @texts = texts_of('ksuid');
	my $seen = '';
	ok(IPC::Run::run([ 'ksuid', '-f', 'template', '-t', '{{ .String }} {{ .Timestamp }} {{ .Payload }}', @texts ], '>', \$seen),
		'ksuid reads our texts');
	is($seen, join('', map { value_of($session, <<'SQL', $_) } @texts), 'ksuid: the same times and payloads');
SELECT k || ' ' || extract(epoch FROM ksuid_time(k))::bigint - 1400000000 || ' ' || upper(encode(substr(k::bytea, 5), 'hex')) || E'\n' FROM (SELECT ?::ksuid AS k) s
SQL
	my $made = '';
	ok(IPC::Run::run([ 'ksuid', '-n', '100', '-f', 'template', '-t', '{{ .String }} {{ .Timestamp }} {{ .Payload }}' ], '>', \$made), 'ksuid makes some');
	is(join('', map { my ($text) = split ' '; value_of($session, <<'SQL', $text) } split /\n/, $made), $made, 'ksuid: theirs, as we read them');
SELECT k || ' ' || extract(epoch FROM ksuid_time(k))::bigint - 1400000000 || ' ' || upper(encode(substr(k::bytea, 5), 'hex')) || E'\n' FROM (SELECT ?::ksuid AS k) s
SQL
}

$session->disconnect;
done_testing();
