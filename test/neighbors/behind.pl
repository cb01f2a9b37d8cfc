# docs/behind.md: every block runs in the order of the page, and says what stands below it, but those of sections that say
# "Not run here". Those run, too, if they are SQL.
use strict;
use warnings;
use FindBin;
use IPC::Run ();
use lib "$FindBin::Bin/../t/lib";
use IdgenNode;
use IdgenNpm;
use IdgenPages;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $node = start_node('behind', conf => [
		"shared_preload_libraries = 'idgen, pg_cron'", "idgen.shards = '5'", "timezone = 'UTC'", 'wal_level = logical', 'max_worker_processes = 20' ]);
$node->append_conf('postgresql.conf', "cron.host = '@{[ $node->host ]}'");
# Newer minors load only those plugins that are named.
my $names_plugins = q{SELECT count(*) FROM pg_settings WHERE name = 'output_plugin_libraries'};
$node->append_conf('postgresql.conf', "output_plugin_libraries = 'pgoutput, wal2json'") if $node->safe_psql('postgres', $names_plugins);
$node->restart;
my $session = connect_to($node);

my $packages = "$FindBin::Bin/../clients/npm";
ok(install_npm($packages), 'the packages from npm are there');
my $folder = PostgreSQL::Test::Utils::tempdir_short();
symlink "$packages/node_modules", "$folder/node_modules" or die "node_modules: $!";

# redis-cli as the page calls it, of a server without a port.
my $redis = IPC::Run::start([ 'redis-server', '--port', 0, '--unixsocket', "$folder/redis", '--dir', $folder, '--save', '' ], '<', \undef, '>', \my $redis_said);
END { my $status = $?; $redis->kill_kill if $redis; $? = $status }
append_to_file("$folder/redis-cli", qq(#!/bin/sh\nexec /usr/bin/redis-cli -s '$folder/redis' "\$@"\n));
chmod 0755, "$folder/redis-cli";
for (1 .. 30_000) { last if -S "$folder/redis"; sleep 0.01 }

@ENV{qw(PGHOST PGPORT PGUSER PGDATABASE)} = ($node->host, $node->port, scalar getpwuid $<, 'postgres');
$ENV{PATH} = "$folder:$ENV{PATH}";

# Runs a command in the folder, given a text; what it printed, without empty lines, and the errors.
sub printed_by
{
	my ($command, $text) = @_;
	IPC::Run::run($command, '<', \$text, '>', \my $out, '2>', \my $error, init => sub { chdir $folder or die });
	my @errors = map { s/^psql:\S+ //r } grep { /^(?:psql:\S+ )?(?:ERROR|WARNING):|^\w*Error:|not found/ } split /\n/, $error;
	return join "\n", (map { s/ +$//r } grep { /\S/ } split /\n/, $out), @errors;
}

# What the page says that a block prints: what a line gives, and then what stands below it.
sub said_of
{
	my ($block) = @_;
	my @results = $block->{language} eq 'sql' ? $block->{text} =~ /;\s+-- (.*)$/mg : ();
	return join "\n", @results, split /\n/, $block->{says} // '';
}

my %run = (
	sql => sub {
		my ($block) = @_;
		my $is_table = ($block->{says} // '') =~ /-\+-/;
		return printed_by([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-P', 'footer=off', $is_table ? () : '-At' ], $block->{text});
	},
	sh => sub { my ($block) = @_; return printed_by([ 'bash', '-e', '-o', 'pipefail', '-c', $block->{text} ], '') },
	js => sub {
		my ($block) = @_;
		append_to_file("$folder/$block->{number}.mjs", $block->{text});
		return printed_by([ 'node', "$block->{number}.mjs" ], '');
	});
my $partman = value_of($session, q{SELECT default_version FROM pg_available_extensions WHERE name = 'pg_partman'});
my %is_not_run = map { /\A(.*)\n\nNot run here\b/ ? ($1 => 1) : () } split /^#+ /m, page('behind');
my ($ran, %shown, %says) = (0);
for my $block (blocks('behind'))
{
	my ($section, $run) = ($block->{section}, $run{ $block->{language} });
	my $what = "$section, block $block->{number}";
	$says{$section}++ if defined $block->{says};
	if (!$run) { $shown{$section}++ }
	elsif ($block->{text} =~ /p_time_encoder/ && $partman =~ /^4/)
	{
		note("$what: the last call needs pg_partman 5.2");
		is(printed_by([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1' ], $block->{text} =~ s/^SELECT partman\..*//msr), '', "$what: the rest runs");
		is(value_of($session, q{SELECT visit_time(uuidv7_min('2026-11-27Z')::text) = '2026-11-27Z' AND uuidv7_min(visit_time('01a21a4d-4000-7000-8000-000000000000')) = '01a21a4d-4000-7000-8000-000000000000'}),
			1, "$what: the decoder undoes the encoder");
	}
	else
	{
		is($run->($block), said_of($block), "$what: prints what the page says") or diag($block->{text});
		$ran++;
	}
}
cmp_ok($ran, '>', 14, 'the page has blocks');
is(join(', ', grep { !$is_not_run{$_} && $shown{$_} != ($says{$_} // 0) } sort keys %shown), '', 'a section shows nothing but what ran, or says so');

# Redis, awk: what else the page says.
like(printed_by([ 'redis-cli', 'EVAL', 'return tostring(tonumber(ARGV[1]))', 0, '4038899821426250753' ], ''), qr/^4\.03\d+e\+18$/, 'Lua: tonumber() rounds');
is(printed_by([ 'redis-cli', 'EVAL', 'return ARGV[1]', 0, '4038899821426250753' ], ''), '4038899821426250753', 'Lua: a text is exact');
is(printed_by([ 'redis-cli', 'INCRBY', 'counter', '4038899821426250753' ], ''), '4038899821426250753', 'INCRBY is exact');
my $ids = join "\n", @{ $session->selectcol_arrayref('SELECT id FROM photo ORDER BY id DESC') }, '';
is(printed_by([ $_, '$1 == 4038899821426250753 { n++ } END { print n }' ], $ids), 257, "$_: one ID equals 257") for qw(mawk gawk);
is(printed_by([ qw(sort -n) ], $ids), join("\n", reverse split /\n/, $ids), 'sort -n is exact');

my $js53 = q{psql -Atc "SELECT format('ZADD small %s %1\$s', id_make('2026-11-26 12:00Z', 5, n, 'js53')) FROM generate_series(0, 1023) AS n" | redis-cli >/dev/null
redis-cli ZRANGE small 0 -1 WITHSCORES | awk 'NR % 2 == 0' | sort -u | wc -l};
is(printed_by([ 'bash', '-e', '-o', 'pipefail', '-c', $js53 ], ''), 1024, 'Redis: the scores of js53 are exact');
is(printed_by([ 'gawk', '-M', '$1 == 4038899821426250753 { n++ } END { print n }' ], $ids), 1, 'gawk -M is exact');

# jq from 1.7 on.
append_to_file("$folder/jq.mjs", q{import { raw } from 'jq-wasm';
for (const filter of ['.id', '.id + 1']) console.log(await raw('{"id": 4038899821426250753}', filter));
});
is(printed_by([ 'node', 'jq.mjs' ], ''), "4038899821426250753\n4038899821426251000", 'jq: it rounds only what it computes');

# The views use an index.
sub plan_of { my ($query) = @_; return $node->safe_psql('postgres', "SET enable_seqscan = off; SET enable_bitmapscan = off; EXPLAIN (COSTS OFF) $query") }
like(plan_of(q{SELECT title FROM photo_report WHERE id = '4038899821426250753'}), qr/Index Scan using photo_id_text/, 'BI tools: the text has an index');
like(plan_of('SELECT * FROM photo_settled WHERE id > 5 ORDER BY id'), qr/Index Cond: .*id_settled/, 'connectors: the bound is a condition of the index');
my $sql_only = slurp_file(tree() . '/sql-only/idgen.sql');
ok($sql_only =~ /FUNCTION idgen_sql\.id_to_base62/ && $sql_only !~ /id64/, 'SQL alone has id_to_base62, and no id64');
is(value_of($session, q{SELECT id_min(now()) - id_now() BETWEEN 0 AND 724775731200}), 1, 'TimescaleDB: the function gives the present');

# pg_partman: a table whose default partition is in the way stops those behind it; the remedy does not.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE waiting (id bigint PRIMARY KEY DEFAULT next_id(layout => 'snowflake'), body text) PARTITION BY RANGE (id);
SELECT partman.create_parent('public.waiting', 'id', 'native', (id_min('2026-11-22Z', 'snowflake') - id_min('2026-11-21Z', 'snowflake'))::text,
	p_premake => 2, p_start_partition => id_min(now(), 'snowflake')::text);
INSERT INTO waiting SELECT id_make(now() + interval '1 day', 1, 0, 'snowflake');
INSERT INTO paused SELECT id_make(now() + interval '20 days', 1, 0, 'snowflake');
SQL
my $partitions = q{SELECT count(*) FROM pg_inherits WHERE inhparent = 'waiting'::regclass};
my $before = value_of($session, $partitions);
my (undef, undef, $error) = $node->psql('postgres', 'CALL partman.run_maintenance_proc()');
like($error, qr/updated partition constraint for default partition "paused_default" would be violated/, 'pg_partman: maintenance fails again');
is(value_of($session, $partitions), $before, 'pg_partman: the table behind it gets none');
$node->safe_psql('postgres', q{CALL partman.partition_data_proc('public.paused')});
$node->safe_psql('postgres', 'CALL partman.run_maintenance_proc()');
cmp_ok(value_of($session, $partitions), '>', $before, 'pg_partman: after the remedy it gets its own');

# pg_cron: what it refuses, and that the job of the page ran.
fails_with($session, q{SELECT cron.schedule('often', '10 seconds', 'SELECT 1')}, '22023', qr/invalid schedule: 10 seconds/, 'pg_cron 1.4: seconds');
is(value_of($session, q{SELECT cron.schedule('six', '0 0 1 1 * 30', 'SELECT 1') > 0}), 1, 'pg_cron 1.4 takes a sixth field');
my $job = q{SELECT d.status, d.return_message FROM cron.job_run_details d JOIN cron.job USING (jobid) WHERE jobname = 'partitions' AND d.status IN ('succeeded', 'failed') LIMIT 1};
my @done;
for (1 .. 1200) { last if @done = $session->selectrow_array($job); sleep 0.1 }
is("@done", 'succeeded CALL', 'pg_cron: the job of the page ran');

# Row filters: what each lets through, and what is refused.
for my $publication (qw(of_shard_5 since_november))
{
	$node->safe_psql('postgres', "SELECT pg_create_logical_replication_slot('$publication', 'pgoutput')");
}
$node->safe_psql('postgres', <<'SQL');
INSERT INTO photo SELECT id_make('2026-11-22Z', shard, 7), 'late' FROM unnest('{0, 4, 5, 6, 8191}'::int[]) AS shard;
INSERT INTO photo SELECT id_make('2026-11-20 23:59:59.999Z', shard, 7), 'early' FROM unnest('{5, 6}'::int[]) AS shard;
INSERT INTO photo SELECT id_make('2026-11-21Z', 0, 0), 'first';
SQL
sub published
{
	my ($publication) = @_;
	return value_of($session, q{SELECT count(*) FROM pg_logical_slot_get_binary_changes($1, NULL, NULL, 'proto_version', '1', 'publication_names', $1) WHERE get_byte(data, 0) = ascii('I')} =~ s/\$1/'$publication'/gr);
}
is(published('of_shard_5'), 2, 'the filter of a shard lets its rows through');
is(published('since_november'), 6, 'the filter of a time lets the rows from it on through');
fails_with($session, "CREATE PUBLICATION refused FOR TABLE album WHERE ($_)", '0A000', qr/invalid publication WHERE expression/, "refused: $_")
  for q{id > '4oMCeITtYq9'}, 'id::bigint > 5';

done_testing();
