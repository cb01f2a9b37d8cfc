# The package for JavaScript beside a server: 100,000 IDs that the server made, as many of any time, and as many again of
# layouts whose ticks are no whole ms, decoded by both, in Node and in Chromium; the same bounds, layouts and errors. The
# edition in SQL alone decodes them, too. What the package needs comes from npm.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../test/t/lib";
use IPC::Run ();
use IdgenNode;
use JSON::PP;
use List::Util qw(sum);
use PostgreSQL::Test::Utils;
use Test::More;

my $web = "$FindBin::Bin/../test";
my $node = start_node('outside', kinds => 1, conf => [ "idgen.shards = '0-31'", "idgen.max_wait = '60s'", "timezone = 'UTC'", "datestyle = 'ISO'" ]);
my $session = connect_to($node);
my $folder = $node->basedir;
my @presets = @{ $session->selectcol_arrayref('SELECT name FROM id_layouts()') };
my @own = ('epoch=2024-02-29T00:00:00.5Z unit=7ms time=39 sequence=11 shard=9', 'epoch=1969-12-31T23:59:59.999Z unit=1ms time=42 region=4 shard=7 sequence=10+1');
# The first is that of AT Protocol's TIDs.
my @fine = ('epoch=1970-01-01T00:00:00Z unit=1us time=53 shard=10', 'epoch=2024-01-01T00:00:00Z unit=10us time=47 shard=8 sequence=8',
	'epoch=2024-01-01T00:00:00.001Z unit=100us time=44 region=3 shard=6 sequence=10', 'epoch=0001-01-01T00:00:00Z unit=125us time=50 sequence=6 shard=7',
	'epoch=2020-01-01T00:00:00Z unit=1500us time=40w shard=9 sequence=12+1', 'epoch=1999-12-31T23:59:59.999Z unit=999999us time=33 shard=6 sequence=16');
my @layouts = (@presets, @own, @fine);

# Made: of each layout as many, more of the default. Of any time: parts that the layout has, at random.
my @of_any_time = ((8400) x (@presets + @own), (17000) x @fine);
my $made = 100000;
my $each = int $made / (2 + @layouts);
my @made = map { [ $_, $_ == 0 ? $made - $each * $#layouts : $each ] } 0 .. $#layouts;
my $fine = sum(@of_any_time[-@fine .. -1], map { $_->[1] } @made[-@fine .. -1]);
my $rows = join ' UNION ALL ',
  map({ "SELECT $_->[0], id FROM next_ids($_->[1], layout => '$layouts[$_->[0]]') AS id" } @made),
  map({ <<"SQL" } 0 .. $#layouts);
SELECT $_, id_make(i.first_time + random() * (least(i.last_time, '9999-12-31') - i.first_time), floor(random() * i.shards)::bigint,
	(p.first + floor(random() * i.ids_per_tick))::int, '$layouts[$_]')
FROM id_layout_info('$layouts[$_]') AS i, (SELECT (long_form LIKE '%+1%')::int AS first FROM id_layout_info('$layouts[$_]')) AS p, generate_series(1, $of_any_time[$_])
SQL
my $layouts = join ', ', map { "'$_'" } @layouts;
$session->do("CREATE TABLE made AS SELECT r.n, r.id, (ARRAY[$layouts])[r.n + 1] AS layout FROM ($rows) AS r(n, id)");
my $query = <<"SQL";
COPY (
	SELECT m.n, m.id, (extract(epoch FROM d.created_at) * 1000000)::bigint, d.shard, id_region(m.id, l.layout), d.sequence, id_to_base62(m.id), id_to_base32(m.id, true),
		id_to_base64url(m.id), CASE WHEN d.created_at BETWEEN '1970-01-01Z' AND '9999-01-01Z' THEN id_to_uuid(m.id, l.layout) END
	FROM made AS m, LATERAL (SELECT m.layout::id_layout) AS l(layout), id_decode(m.id, l.layout) AS d
) TO STDOUT WITH (NULL '')
SQL
IPC::Run::run([ 'psql', '-X', '-v', 'ON_ERROR_STOP=1', '-h', $node->host, '-p', $node->port, '-d', 'postgres', '-c', $query =~ s/\s+/ /gr ], '>', "$folder/ids.tsv")
  or BAIL_OUT('no IDs');

# Calls of the package, and the same in SQL; what JSON makes of either is compared.
my @same = (
	map({ my $layout = $_; map { ["bounds(Date.parse('$_->[0]'), Date.parse('$_->[1]'), '$layout')", "SELECT id_within_first(p, '$layout') AS first, id_within_last(p, '$layout') AS last FROM tstzrange('$_->[0]', '$_->[1]') AS p"] }
		  [ '2026-11-01Z', '2026-11-02Z' ], [ '2026-11-01T10:00:00.001Z', '2026-11-01T10:00:00.002Z' ], [ '1960-01-01Z', '2300-01-01Z' ], [ '1960-01-01Z', '1961-01-01Z' ] }
		grep { !value_of($session, 'SELECT wraps FROM id_layout_info(?)', $_) } @layouts),
	# Periods of less than a ms.
	map({ my $layout = $_; map { ["bounds(1793527200000${\$_->[0]}n, 1793527200000${\$_->[1]}n, '$layout')",
			"SELECT id_within_first(p, '$layout') AS first, id_within_last(p, '$layout') AS last FROM tstzrange('2026-11-01T10:00:00.000$_->[0]Z', '2026-11-01T10:00:00.000$_->[1]Z') AS p"] }
		  [ 100, 101 ], [ 100, 300 ], [ 123, 124 ], [ '000', 999 ] }
		grep { !/w / } 'instagram', @fine),
	map({ ["{ id: make(1793527200000999n, 31, null, '$_') }", "SELECT id_make('2026-11-01T10:00:00.000999Z', 31, NULL, '$_')::text AS id"] } $fine[0]),
	map({ ["{ id: make(1793527200000999n, 31, 7, '$_') }", "SELECT id_make('2026-11-01T10:00:00.000999Z', 31, 7, '$_')::text AS id"] } 'snowflake', @fine[1 .. $#fine]),
	[ "{ at: timeNearUs(5197794958151101n, 1793527200000999n, '$fine[4]').toString() }", "SELECT (extract(epoch FROM id_time_near(5197794958151101, '2026-11-01T10:00:00.000999Z', '$fine[4]')) * 1000000)::bigint::text AS at" ],
	map({ ["bounds($_, 'epoch=9999-12-31 unit=1s time=43 sequence=20')", "SELECT id_within_first(p, l) AS first, id_within_last(p, l) AS last FROM tstzrange(NULL, NULL) AS p, CAST('epoch=9999-12-31 unit=1s time=43 sequence=20' AS id_layout) AS l"] } 'null, null'),
	map({ ["bounds($_->[0])", "SELECT id_within_first(p) AS first, id_within_last(p) AS last FROM (SELECT tstzrange($_->[1]) AS p)AS p"] }
		[ 'null, Date.parse("2020-01-01")', 'NULL, $$2020-01-01Z$$' ], [ 'Date.parse("2020-01-01"), null', '$$2020-01-01Z$$, NULL' ], [ 'null, null', 'NULL, NULL' ], [ '1.6e12, 1.6e12', '$$2020-09-13T12:26:40Z$$, $$2020-09-13T12:26:40Z$$' ]),
	map({ ["(i => ({ a: i.longForm, b: +i.firstTime, c: String(i.lastTimeUs ?? BigInt(+i.lastTime) * 1000n), d: i.wraps, e: i.tickMs, f: i.shards, g: i.idsPerTick, h: i.idsPerSecond, i: i.largestId, j: i.fitsJs, k: i.oneNode }))(layoutInfo('$_'))", <<"SQL"] } @layouts),
SELECT long_form AS a, round(extract(epoch FROM first_time) * 1000) AS b, (extract(epoch FROM last_time) * 1000000)::bigint::text AS c, wraps AS d,
	(extract(epoch FROM tick) * 1000)::float8 AS e, shards AS f, ids_per_tick AS g, ids_per_second AS h, largest_id::text AS i, fits_js AS j, one_node AS k FROM id_layout_info('$_')
SQL
	[ "{ at: +timeNear('5197794958151101819', Date.parse('2026-11-01'), 'trace') }", "SELECT round(extract(epoch FROM id_time_near(5197794958151101819, '2026-11-01Z', 'trace')) * 1000) AS at" ],
	[ "{ names: layouts.join(' ') }", "SELECT '@presets' AS names" ],
	[ "{ id: fromUuid('3804c2eb-da40-8004-b5ed-60d0bd0e4e53') }", "SELECT id_from_uuid('3804c2eb-da40-8004-b5ed-60d0bd0e4e53')::text AS id" ],
	[ "{ at: decode(-1n) }", "SELECT id_time(-1) AS at" ],
	[ "{ at: decode('9223372036854775807', 'js53') }", "SELECT id_time(9223372036854775807, 'js53') AS at" ]);

# The same with errors: code and message, or the code alone where the message has a time in it.
my @refused = (
	map({ ["fromBase62('$_')", "SELECT id_from_base62('$_')"] } '', 'a-b', '4oBVyxvRfB', 'zzzzzzzzzzz', '000000000000', "\x{e4}1"),
	map({ ["fromId64('$_')", "SELECT '$_'::id64"] } '', 'abc', 'a b', 'zzzzzzzzzzz', '000000000000'),
	map({ ["fromBase32('$_')", "SELECT id_from_base32('$_')"] } '', '-', 'U', '3G162XFD402D', 'ZZZZZZZZZZZZZ', '00000000000000'),
	map({ ["fromBase32('$_', { checksum: true })", "SELECT id_from_base32('$_', true)"] } '3G162XFD4002DT', '3G162XFD4002D!', '3G162XFD4002D', '', 'G'),
	map({ ["fromBase32('$_', { checksum: true, short: true })", "SELECT id_from_base32('$_', true, true)"] } '16JE', 'G', '16J!'),
	map({ ["fromBase64url('$_')", "SELECT id_from_base64url('$_')"] } '', 'a=', 'CO5WXONKMx', '___________', 'AAAAAAAAAAAA'),
	map({ ["decode('$_')", "SELECT id_decode('$_'::bigint)"] } 'x', '', '9223372036854775808', '1.5'),
	map({ ["decode(1n, '$_')", "SELECT id_decode(1, '$_')"] } '', ' ', 'Instagran', 'epoch=2020-02-30 unit=1ms time=41', 'epoch=2020-01-01 unit=0ms time=41', 'epoch=2020-01-01 unit=0us time=41', 'epoch=2020-01-01 unit=1000001us time=41', 'epoch=2020-01-01 unit=1.5ms time=41', 'epoch=2020-01-01 unit=1us time=63',
		'epoch=2020-01-01 unit=1ms time=41 time=41',
		'epoch=2020-01-01 unit=1ms time=0', 'epoch=2020-01-01 unit=1ms time=41w+1', 'unit=1ms time=41', 'epoch=2020-01-01 time=41', 'epoch=2020-01-01 unit=1ms', 'epoch=2020-01-01 unit=1ms shard=5 time=41',
		'epoch=2020-01-01 unit=1ms time=41 region=5', 'epoch=2020-01-01 unit=1ms time=30 shard=32', 'epoch=2020-01-01 unit=1ms time=41 shard=20 sequence=10', 'epoch=2020-01-01 unit=1ms time=41w shard=13 sequence=10',
		'epoch=2020-01-01 unit=1s time=54', "instagram \x{20ac}"),
	map({ ["readUlid('$_')", "SELECT '$_'::ulid"] } '', '8ZZZZZZZZZZZZZZZZZZZZZZZZZ', 'U1ARYZ6S41TSV4RRFFQ69G5FAV', '01ARYZ6S41TSV4RRFFQ69G5FA', '01ARYZ6S41TSV4RRFFQ69G5FAVV'),
	map({ ["readKsuid('$_')", "SELECT '$_'::ksuid"] } '', 'aWgEPTl1tmebfsQzFP4bxwgy80W', '123', '-WgEPTl1tmebfsQzFP4bxwgy80V'),
	map({ ["readObjectId('$_')", "SELECT '$_'::objectid"] } '', '507f1f77bcf86cd79943901', '507f1f77bcf86cd79943901g', '507f1f77bcf86cd7994390111'),
	map({ ["readTypeId('$_')", "SELECT typeid_uuid('$_')"] } '', '_', 'User_01h455vb4pex5vsknk084sn02q', 'user_', 'user_01h455vb4pex5vsknk084sn02', 'user_01h455vb4pex5vsknk084sn02qq', 'user_01h455vb4pex5vsknk084sn02u',
		'user_81h455vb4pex5vsknk084sn02q', 'a' x 64 . '_01h455vb4pex5vsknk084sn02q', "us\x{e9}r_01h455vb4pex5vsknk084sn02q"),
	map({ ["formatTypeId('$_', '01890a5d-ac96-774b-bcce-b302099a8057')", "SELECT typeid_text('$_', '01890a5d-ac96-774b-bcce-b302099a8057'::uuid)"] } 'A', '_a', 'a_', 'a' x 64),
	map({ ["readUuid('$_')", "SELECT uuid_time('$_')"] } 'x', '', '01890a5d-ac96-774b-bcce-b302099a805', '{01890a5d-ac96-774b-bcce-b302099a8057'),
	map({ ["fromUuid('$_->[0]', '$_->[1]')", "SELECT id_from_uuid('$_->[0]', '$_->[1]')"] } [ '01890a5d-ac96-474b-bcce-b302099a8057', 'instagram' ], [ '01890a5d-ac96-774b-bcce-b302099a8057', 'instagram' ], [ '01a20723-ef8d-7000-b804-c2ebda40004d', 'snowflake' ], [ '3804c2eb-da40-8004-b5ed-60d0bd0e4e53', 'js53' ]),
	[ "toUuid(-1n)", 'SELECT id_to_uuid(-1)' ], [ "toUuid(9223372036854775807n, 'js53')", "SELECT id_to_uuid(9223372036854775807, 'js53')" ],
	[ "toUuid(9223372036854775807n, 'epoch=9999-12-31 unit=1s time=40 sequence=20')", "SELECT id_to_uuid(9223372036854775807, 'epoch=9999-12-31 unit=1s time=40 sequence=20')" ],
	[ "bounds(2, 1)", "SELECT id_within_first(tstzrange('2026-01-02', '2026-01-01'))" ], [ "bounds(0, 1, 'trace')", "SELECT id_within_first('[1970-01-01,1970-01-02)', 'trace')" ],
	[ "make(Date.parse('2026-01-01'), 8192, 0)", "SELECT id_make('2026-01-01', 8192, 0)" ], [ "make(Date.parse('2026-01-01'), -1, 0)", "SELECT id_make('2026-01-01', -1, 0)" ],
	[ "make(Date.parse('2026-01-01'), 1, 1024)", "SELECT id_make('2026-01-01', 1, 1024)" ], [ "make(Date.parse('2026-01-01'), 1, 0, 'trace')", "SELECT id_make('2026-01-01', 1, 0, 'trace')" ],
	[ "make(1314220021721, 0, 0)", "SELECT id_make('2011-08-24T21:07:01.721Z', 0, 0)" ], [ "make(Date.parse('2026-01-01'), null, 0)", "SELECT id_make('2026-01-01', NULL, 0)" ],
	[ "make(Date.parse('2026-01-01'), 1, null)", "SELECT id_make('2026-01-01', 1, NULL)" ]);
my @refused_by_time = ([ "make(0, 1, 1)", "SELECT id_make('1970-01-01', 1, 1)" ], [ "make(1793527200000000n, 1, 1, 'epoch=2026-11-01T10:00:00.001Z unit=1us time=5 shard=3 sequence=3')", "SELECT id_make('2026-11-01T10:00:00Z', 1, 1, 'epoch=2026-11-01T10:00:00.001Z unit=1us time=5 shard=3 sequence=3')" ],
	[ "make(1793527200001032n, 1, 1, 'epoch=2026-11-01T10:00:00.001Z unit=1us time=5 shard=3 sequence=3')", "SELECT id_make('2026-11-01T10:00:00.001032Z', 1, 1, 'epoch=2026-11-01T10:00:00.001Z unit=1us time=5 shard=3 sequence=3')" ], [ "make(Date.parse('2050-01-01'), 1, 1)", "SELECT id_make('2050-01-01', 1, 1)" ]);

# SQL that the package writes: for a table of a layout, and of another kind; the rows of 2026-11-23 are found.
my @of_layouts = qw(instagram snowflake js53);
my %of_kinds = (ulid => 'ulid_min', ksuid => 'ksuid_min', objectid => 'objectid_min', uuid => 'uuidv7_min');
my @day_sql = (
	map({ ["daySql(Date.parse('2026-11-23T15:00:00Z'), '$_', 'of_$_')"] } @of_layouts),
	map({ ["kindDaySql(Date.parse('2026-11-23T15:00:00Z'), '$_', 'of_$_')"] } sort keys %of_kinds));

append_to_file("$folder/asked.json", JSON::PP->new->utf8->encode({ layouts => \@layouts, calls => [ map { $_->[0] } @same, @refused, @refused_by_time, @day_sql ] }));
my $prepared = '';
ok(IPC::Run::run([ "$web/prepare" ], '<', \undef, '>&', \$prepared), 'the package is installed') or diag($prepared);

# SQL alone, in the same database.
my $said = '';
IPC::Run::run([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-h', $node->host, '-p', $node->port, '-d', 'postgres', '-f', "$FindBin::Bin/../../sql-only/idgen.sql" ], '>&', \$said)
  or BAIL_OUT("sql-only: $said");
is(value_of($session, <<'SQL'), 0, 'in SQL alone: 0 differ');
SELECT count(*) FROM made AS m, id_decode(m.id, m.layout::id_layout) AS c, idgen_sql.id_decode(m.id, m.layout) AS s
WHERE (c.created_at, c.shard, c.sequence) IS DISTINCT FROM (s.created_at, s.shard, s.sequence)
SQL

my %ran;
for my $where (qw(node chromium))
{
	my ($out, $error) = ('', '');
	ok(IPC::Run::run([ 'node', "$web/lib/run_against.mjs", $folder, $where ], '<', \undef, '>', \$out, '2>', \$error),
		"$where: the package ran") or diag($error);
	my $ran = $ran{$where} = eval { JSON::PP->new->utf8->allow_nonref->decode($out) } // {};
	is($ran->{ids}, $made + sum(@of_any_time), "$where: $made IDs that the server made, and others");
	is($ran->{fine}, $fine, "$where: $fine of them of layouts whose ticks are no whole ms");
	is($ran->{differ}, 0, "$where: 0 differ") or diag(join "\n", @{ $ran->{examples} // [] });
}

# Numbers and texts alike, as JSON has them.
sub as_text
{
	my ($value) = @_;
	return 'null' unless defined $value;
	return '{' . join(', ', map { "$_: " . as_text($value->{$_}) } sort keys %$value) . '}' if ref $value eq 'HASH';
	return JSON::PP::is_bool($value) ? ($value ? 'true' : 'false') : "$value";
}

my @answers = @{ $ran{node}{answers} // [] };
my @wrong;
for my $asked (@same)
{
	my $answer = shift @answers;
	my $row = decode_json($session->selectrow_array("SELECT row_to_json(r) FROM ($asked->[1]) AS r"));
	push @wrong, "$asked->[0]: " . as_text($answer) . ' instead of ' . as_text($row) if !exists $answer->{value} || as_text($answer->{value}) ne as_text($row);
}
is(join("\n", @wrong), '', @same . ' questions: the same answers');

@wrong = ();
$session->{pg_enable_utf8} = -1;
for my $asked (@refused, @refused_by_time)
{
	my $answer = shift @answers;
	$session->do('SET client_encoding = utf8');
	my $refuses = !eval { $session->do($asked->[1]); 1 };
	my ($message) = ($session->errstr // '') =~ /\AERROR:\s+(.*)$/m;
	my $has_time = grep { $_ == $asked } @refused_by_time;
	my ($own, $server) = map { join ' ', @$_ } [ $answer->{name} // '', $answer->{code} // '', $has_time ? () : $answer->{message} // '' ], [ 'IdgenError', $session->state, $has_time ? () : $message // '' ];
	push @wrong, "$asked->[0]: $own instead of $server" if !$refuses || $own ne $server;
}
is(join("\n", @wrong), '', @refused + @refused_by_time . ' refusals: the same codes and messages');

# Five rows: before the day, its first and its last instant, one inside, and the next day.
my @instants = map { "2026-11-$_" } '22T23:59:59.999Z', '23T00:00:00Z', '23T12:00:00Z', '23T23:59:59Z', '24T00:00:00Z';
my $instants = join ', ', map { "('$_'::timestamptz)" } @instants;
$session->do("CREATE TABLE of_$_ AS SELECT id_make(at, 1, 1, '$_') AS id FROM (VALUES $instants) AS v(at)") for @of_layouts;
$session->do("CREATE TABLE of_$_ AS SELECT $of_kinds{$_}(at) AS id FROM (VALUES $instants) AS v(at)") for sort keys %of_kinds;
for my $asked (@day_sql)
{
	my $sql = (shift @answers)->{value};
	my @found = map { scalar @{ $session->selectall_arrayref($_) } } ref $sql ? @$sql{qw(withExtension plain)} : $sql // 'SELECT 1';
	is("@found", ref $sql ? '3 3' : '3', "$asked->[0]: finds the rows of the day");
}

done_testing();
