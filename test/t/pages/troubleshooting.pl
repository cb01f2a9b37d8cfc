# Messages and their remedies.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use IdgenPages;
use PostgreSQL::Test::Utils;
use Test::More;

# docs/troubleshooting.md has the messages of src/pg, registry/node and kinds/pg, each once and no other. A message may be
# missing if it is never reported without a HINT, which then says what to do. A row that ends in "…" where no source says
# so explains all messages that begin like it.
{
	my $tree = tree();
	my $literals = qr/(?:"(?:[^"\\]|\\.)*"\s*)+/;
	my $balanced = qr/(\((?:[^()"]|"(?:[^"\\]|\\.)*"|(?-1))*\))/;
	my $varies = "\xe2\x80\xa6";

	sub as_written
	{
		my ($format) = @_;
		return $format =~ s/\\"/"/gr =~ s/%(?:\.\*)?(?:ll|z)?[a-z]/$varies/gr =~ s/%%/%/gr;
	}

	# The messages that a text reports, as the page writes them: what varies is "…".
	sub messages_in
	{
		my ($text) = @_;
		my @found = grep { defined && !/^"%s"/ } $text =~ /\b(?:errmsg|GUC_check_errmsg)\(\s*($literals)|\{LayoutReason::\w+,\s*($literals)/g;
		return map { as_written(join '', /"((?:[^"\\]|\\.)*)"/g) } @found;
	}

	# How often a source says each message, and how often with a HINT: in the same ereport. A refusal always has one.
	my (%said, %hinted);
	for my $text (map { slurp_file($_) =~ s{//.*}{}gr } glob "$tree/{src/pg/*,registry/node/*,kinds/pg}/*.?pp")
	{
		$said{$_}++ for messages_in($text);
		while ($text =~ /\bereport$balanced/g)
		{
			my $report = $1;
			if ($report =~ /\berrhint\(|\bhint_of_/) { $hinted{$_}++ for messages_in($report) }
		}
		for (map { as_written($_->[1]) } refusals_in($text)) { $said{$_}++; $hinted{$_}++ }
	}
	cmp_ok(scalar keys %said, '>', 90, 'the sources have messages');
	cmp_ok(scalar keys %hinted, '>', 90, 'with HINTs');
	# What the server itself says when a setting's value is refused
	$said{"invalid value for parameter \"$varies\""} = 1;

	# The messages that a row explains.
	sub explained_by
	{
		my ($message) = @_;
		return $message if $said{$message} || $message !~ /^(.*)$varies\z/;
		my $begin = $1;
		return grep { index($_, $begin) == 0 } keys %said;
	}

	my ($tables) = slurp_file("$tree/docs/troubleshooting.md") =~ /\n## Making IDs(.*)/s;
	# A row explains one message or several: `message`, `message` | cause | remedy.
	my @rows = $tables =~ /^(\| `.*)$/gm;
	my @written = map { /`(.*?)`/g } map { /^\| (`.*?`(?:, `.*?`)*) \|/ } @rows;
	my %times;
	$times{$_}++ for map { explained_by($_) } @written;
	is(join("\n", sort grep { !$times{$_} && ($hinted{$_} // 0) < $said{$_} } keys %said), '', 'every message that can come without a HINT is explained');
	is(join("\n", sort grep { !grep { $said{$_} } explained_by($_) } @written), '', 'the page explains no message that no source says');
	is(join("\n", sort grep { $times{$_} > 1 } keys %times), '', 'every message is explained once at most');
	is(join("\n", grep { !/^\| `.*?`(?:, `.*?`)* \| \S.*? \| \S.* \|$/ } @rows), '', 'every message has its cause and remedy');
}

# Who follows a HINT gets what was wanted: each of those in expected/errors.out, that of a server without the library,
# and those of docs/troubleshooting.md for errors of the server itself.
{
	my $node = start_node('hints', conf => ["idgen.shards = '5'"]);
	my $session = connect_to($node);
	expect_blame($node, 'clock');
	my $layout = 'epoch=2020-01-01 unit=10ms time=40 shard=10';

	# The HINT of a statement that fails.
	sub hint_of
	{
		my ($on, $sql) = @_;
		my $succeeded = eval { local $on->{PrintWarn} = 0; $on->do($sql); 1 };
		return $succeeded ? 'succeeded' : ($on->errstr =~ /^HINT: +(.*)$/m)[0] // 'no HINT';
	}

	# What is refused, and what its HINT says, then what follows it.
	my @followed = (
		[ 'next_id(NULL)', qr/^Leave the argument out to use its default\.$/, 'next_id()' ],
		[ 'id_make(NULL, 5, 6)', qr/^Give a value\.$/, q{id_make('2026-11-21', 5, 6)} ],
		[ q{next_id(hashtext('kit'))}, qr/^Give a shard from 0 to \d+\. A hash becomes one by .* (\(hash & \d+\) % \d+)\.$/,
			sub { sprintf q{SET idgen.shards = ''; SELECT next_id(%s)}, $_[0] =~ s/hash/hashtext('kit')/r } ],
		[ q{next_id(70000, 'idgen')}, qr/^Give a shard from 0 to \d+, or a layout with more shards\.$/, q{SET idgen.shards = '70000'; SELECT next_id(70000, 'epoch=2020-01-01 unit=1ms time=41 shard=17 sequence=5')} ],
		[ q{id_make('2026-11-21', 1, 6, 'mastodon')}, qr/^The layout has no shard field: leave the shard out, or give 0\.$/, q{id_make('2026-11-21', 0, 6, 'mastodon')} ],
		[ 'next_id(6)', qr/^Leave the shard out to use the node's own, or add it to idgen\.shards/, q{SET idgen.shards = '5,6'; SELECT next_id(), next_id(6)} ],
		[ 'next_ids(-1)', qr/^Ask for 0 IDs or more\.$/, '(SELECT count(*) FROM next_ids(0))' ],
		[ 'next_id_array(134217725)', qr/^Use next_ids, which gives rows\.$/, '(SELECT next_ids(134217725) LIMIT 1)' ],
		[ q{id_make('2026-11-21', 5, 1024)}, qr/^Give a sequence in that range\.$/, q{id_make('2026-11-21', 5, 1023)} ],
		[ q{id_make('2011-08-24 21:07:01.721Z', 0, 0)}, qr/^In the first tick, give shard or sequence a number above 0\.$/, q{id_make('2011-08-24 21:07:01.721Z', 0, 1)} ],
		[ q{id_make('2011-01-01', 5, 6)}, qr/^Use a layout with an earlier epoch\.$/, q{id_make('2011-01-01', 5, 6, 'twitter')} ],
		[ q{id_make('2090-01-01', 5, 6)}, qr/^Use a layout with a later epoch, a longer unit, or fewer bits below the time\.$/, q{id_make('2090-01-01', 5, 6, 'idgen')} ],
		[ q{id_make('infinity', 5, 6)}, qr/^Give a finite timestamp\.$/, q{id_make('2026-11-21', 5, 6)} ],
		[ q{(1 < id_min('infinity') AND 1 > id_min('2026-11-21'))}, qr/^Leave that bound out of the condition\.$/, q{(1 > id_min('2026-11-21'))} ],
		[ q{(id_min('2026-11-21', 'trace') < 5)}, qr/^Compare id_time_near\(id, near, layout\) instead\.$/, q{(id_time_near(5, '2026-11-21', 'trace') >= '2026-11-21')} ],
		[ q{next_id(5, 'facebook')}, qr/^Write a preset's name \((\w+).*or fields .* such as "(.*)"\.$/, sub { "next_id(5, '$_[0]'), next_id(5, '$_[1]')" } ],
		[ q{next_id(5, 'snowflak')}, qr/^Perhaps you meant "(\w+)"\./, sub { "next_id(5, '$_[0]')" } ],
		[ "(SELECT count(next_id(5, '$layout')) FROM generate_series(1, 3))", qr/^Increase idgen\.max_wait, set idgen\.overflow to (wait) or borrow,/,
			sub { "SET idgen.overflow = $_[0]; SELECT count(next_id(5, '$layout')) FROM generate_series(1, 3)" } ],
		[ q{idgen.advance('1999-12-31')}, qr/^Give an instant near the clock\.$/, 'idgen.advance(clock_timestamp())' ],
		[ q{idgen.advance(clock_timestamp() + '2 h')}, qr/^Correct the clock .* or give an instant at most an hour ahead of it; or, if that wait is meant, call it with (far => true)\.$/,
			sub { qq{idgen.advance(clock_timestamp() + '1 min'), idgen.advance(clock_timestamp() + '2 h', $_[0])} } ],
		# Now the mistake is made, and the next ID says how to take it back.
		[ 'next_id()', qr/^Wait for that time; or, if it was a mistake, have a superuser call (idgen\.reset\(\))\.$/, sub { "$_[0]; SELECT next_id()" } ],
		[ q{idgen.reset(clock_timestamp() + '2 h')}, qr/^Correct the clock .*then call (idgen\.advance)\(\) with that one and (far => true)\.$/,
			sub { "$_[0](clock_timestamp() + '2 h', $_[1])" } ]);
	$session->do('CREATE TABLE made AS SELECT next_id() AS id');
	for my $case (@followed)
	{
		my ($refused, $pattern, $then) = @$case;
		$session->do('SET idgen.overflow = error') if $refused =~ /generate_series/;
		my $hint = hint_of($session, "SELECT $refused");
		like($hint, $pattern, "$refused: the HINT");
		my @parts = $hint =~ $pattern;
		my $call = ref $then ? $then->(@parts) : $then;
		ok(eval { $session->do($_) for split /; /, $call =~ /^SET/ ? $call : "SELECT $call"; 1 }, "followed: $call") or diag($session->errstr);
		$session->do("SET idgen.shards = '5'; RESET idgen.overflow");
	}
	my %hints = map { ($_ => 1) } slurp_file(tree() . '/expected/errors.out') =~ /^(?:    )?HINT: +(.*)$/mg;
	is(join("\n", grep { my $hint = $_; !grep { $hint =~ $_->[1] } @followed } sort keys %hints), '', 'every HINT of errors.out is followed');
	$session->disconnect;

	# A server that has not loaded the library: the HINT is the statement, and keeps what is loaded. ALTER SYSTEM wins over
	# postgresql.conf.
	my $bare = start_node('unloaded', preload => 0, extension => 0,
		conf => [ "shared_preload_libraries = 'auto_explain'", "auto_explain.log_min_duration = '1h'" ]);
	$bare->safe_psql('postgres', q{ALTER SYSTEM SET shared_preload_libraries = pg_stat_statements, '$libdir/auto_explain'});
	$bare->restart;
	SKIP:
	{
		skip 'from 17 on makers need no preload', 7 if $bare->pg_version >= 17;
		$bare->psql('postgres', 'CREATE EXTENSION idgen', stderr => \my $told);
		my $pattern = qr/HINT: +(ALTER SYSTEM SET shared_preload_libraries = .*); then restart the server\.$/m;
		my ($statement) = $told =~ $pattern;
		is($statement, q{ALTER SYSTEM SET shared_preload_libraries = pg_stat_statements, '$libdir/auto_explain', idgen}, 'not loaded: CREATE EXTENSION warns, with the statement');
		$session = connect_to($bare);
		fails_with($session, 'SELECT next_id(5)', '55000', $pattern, 'not loaded: no IDs');
		is(value_of($session, q{SELECT string_agg(concat_ws(': ', key, advice), ' ') FROM idgen.status() WHERE NOT ok AND key NOT IN ('shards', 'server')}), "library: $statement; then restart the server.",
			'not loaded: one row says so');
		$session->do('CREATE ROLE app LOGIN');
		my $app = connect_to($bare, user => 'app');
		fails_with($app, 'SELECT next_id(5)', '55000', qr/^HINT: +Have a superuser add idgen to shared_preload_libraries and restart the server\.$/m,
			'not loaded: who may not read the setting');
		$app->disconnect;
		$session->do($statement);
		$session->disconnect;
		$bare->restart;
		is($bare->safe_psql('postgres', q{SELECT next_id(5) > 0, current_setting('shared_preload_libraries')}), 't|pg_stat_statements, "$libdir/auto_explain", idgen', 'followed: it is loaded, and all that was');
	}
	$bare->stop;

	# What the server itself says, the page's remedy, and what then works.
	my ($table) = page('troubleshooting') =~ /^## PostgreSQL does not know my function, type, schema or setting\n(.*?)^## /ms or die 'no such section';
	my $within = q{SELECT id_within(5, %s) FROM (VALUES (date '2026-11-01', timestamptz '2026-11-01', timestamptz '2026-12-01', tsrange '[2026-11-01, 2026-11-02)')) v (day, a, b, d)};
	my @of_server = (
		[ 'SELECT next_id() FROM idgen.status()', 'schema "idgen" does not exist', 'CREATE EXTENSION idgen', undef, 'without' ],
		[ 'SELECT next_id()', 'function next_id() does not exist', 'CREATE EXTENSION idgen', 'CREATE EXTENSION idgen; SELECT next_id(5)', 'without' ],
		[ 'SELECT ids.next_id(5) + next_id()', 'function next_id() does not exist', 'SET search_path = "$user", public, ids', 'SET search_path = "$user", public, ids; SELECT next_id(5)' ],
		[ q{SELECT next_id(5, 'twitter'::text)}, 'function next_id(integer, text) does not exist', q{'twitter'::id_layout}, q{SELECT next_id(5, 'twitter'::id_layout)} ],
		[ q{SELECT next_id('twitter')}, 'invalid input syntax for type bigint: "twitter"', q{layout => 'twitter'}, q{SET idgen.shards = '5'; SELECT next_id(layout => 'twitter')} ],
		[ sprintf($within, 'd'), 'function id_within(integer, tsrange) does not exist', 'tstzrange(lower(d), upper(d))', sprintf($within, 'tstzrange(lower(d), upper(d))') ],
		[ sprintf($within, 'day'), 'function id_within(integer, date) does not exist', 'tstzrange(day, day + 1)', sprintf($within, 'tstzrange(day, day + 1)') ],
		[ sprintf($within, 'a, b'), 'function id_within(integer, timestamp with time zone, timestamp with time zone) does not exist', 'tstzrange(a, b)', sprintf($within, 'tstzrange(a, b)') ],
		[ 'SELECT next_id(5); SET idgen.shard = 5', '"idgen" is a reserved prefix', q{SELECT name FROM pg_settings WHERE name ~ '^idgen'}, q{DO $$ BEGIN ASSERT (SELECT count(*) > 10 FROM pg_settings WHERE name ~ '^idgen'); END $$} ],
		[ 'CREATE TABLE g (id bigint GENERATED ALWAYS AS (next_id()) STORED)', 'generation expression is not immutable', 'DEFAULT next_id()', 'CREATE TABLE g (id bigint DEFAULT next_id())' ],
		[ 'SELECT lastval()', 'lastval is not yet defined in this session', 'INSERT … RETURNING id', q{SET idgen.shards = '5'; INSERT INTO g DEFAULT VALUES RETURNING id} ],
		[ 'SELECT hlc_now()', 'function hlc_now() does not exist', 'CREATE EXTENSION idgen_kinds' ],
		[ 'SELECT next_ulid()', 'function next_ulid() does not exist', 'CREATE EXTENSION idgen_kinds', 'CREATE EXTENSION idgen_kinds; SELECT next_ulid(), hlc_now()' ],
		[ q{SELECT next_ticket('orders')}, 'function next_ticket(unknown) does not exist', 'CREATE EXTENSION idgen_lease' ],
		[ 'CREATE TABLE narrow (id integer DEFAULT next_id(), title text); INSERT INTO narrow (title) VALUES (1)', 'integer out of range',
			'ALTER TABLE … ALTER id TYPE bigint', 'ALTER TABLE narrow ALTER id TYPE bigint; INSERT INTO narrow (title) VALUES (1)' ],
		[ q{SELECT id_within(5, daterange('2026-11-01', '2026-12-01'))}, 'function id_within(integer, daterange) does not exist', 'tstzrange(lower(d), upper(d))',
			q{SELECT id_within(5, tstzrange(lower(d), upper(d))) FROM daterange('2026-11-01', '2026-12-01') d} ],
		[ q{SELECT id_within(5, '2026-11-01')}, 'malformed range literal: "2026-11-01"', q{'[2026-11-01, 2026-11-02)'}, q{SELECT id_within(5, '[2026-11-01, 2026-11-02)')} ],
		[ q{SELECT '4oBVmyxvRfB'::ids.id64 = '4oBVmyxvRfB'}, 'operator does not exist: ids.id64 = unknown', 'SET search_path = "$user", public, ids',
			q{SET search_path = "$user", public, ids; SELECT '4oBVmyxvRfB'::ids.id64 = '4oBVmyxvRfB'} ],
		[ q{SELECT ids.next_id(5) + next_id(5)}, 'function next_id(integer) does not exist', 'SET search_path = "$user", public, ids', 'SET search_path = "$user", public, ids; SELECT next_id(5)' ],
		[ 'CREATE TABLE booking (id bigint, during tstzrange, EXCLUDE USING gist (id WITH =, during WITH &&))', 'data type bigint has no default operator class for access method "gist"',
			'CREATE EXTENSION btree_gist', 'CREATE EXTENSION btree_gist; CREATE TABLE booking (id bigint, during tstzrange, EXCLUDE USING gist (id WITH =, during WITH &&))' ]);
	$node->safe_psql('postgres', "CREATE DATABASE $_") for qw(app apart without);
	$node->safe_psql('app', 'CREATE EXTENSION idgen');
	$node->safe_psql('apart', 'CREATE SCHEMA ids; CREATE EXTENSION idgen SCHEMA ids');
	for my $case (@of_server)
	{
		my ($sql, $said, $remedy, $then, $db) = @$case;
		$db //= $sql =~ /ids\./ ? 'apart' : 'app';
		$node->psql($db, $sql, stderr => \my $error);
		like($error, qr/(?:ERROR|DETAIL):  \Q$said\E/, $said);
		my ($row) = grep { index($_, $remedy) >= 0 } grep { /\Q@{[ substr $said, 0, 16 ]}\E/ } split /\n/, $table;
		ok($row, "$said: the page has the remedy, $remedy");
		next unless $then;
		is($node->psql($db, $then, stderr => \$error), 0, "followed: $then") or diag($error);
	}
}

done_testing();
