# docs/sharding.md.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Basename qw(basename);
use IdgenHost;
use IdgenNode;
use IdgenPages;
use IPC::Run qw(finish pump start timeout);
use List::Util qw(max min);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# docs/sharding.md does what it says, as it is typed there, but for the addresses of its servers: four servers behind
# PL/Proxy, a table with a foreign partition, logical replication, a schema that moves to another server with its
# number, a map of shards, and IDs that land where they are made.
{
	my @conf = ('wal_level = logical', 'shared_buffers = 8MB', 'max_replication_slots = 8', 'max_wal_senders = 8', 'autovacuum = off');
	my @parts = map { start_node("part$_", conf => [ @conf, "idgen.shards = '$_'" ], extension => 0) } 0 .. 2;
	my $proxy = start_node('proxy', extension => 0, conf => \@conf);

	# The walk's drawing is no code.
	my @blocks = grep { $_->{language} && $_->{section} ne 'All of it on one machine' } blocks('sharding');
	my %typed;

	# The block of a section, by its place there, with the addresses of these servers.
	sub block_of
	{
		my ($section, $place) = @_;
		my $block = (grep { $_->{section} eq $section } @blocks)[ $place - 1 ] // die "no block $place in $section\n";
		$typed{ $block->{number} } = 1;
		my $text = $block->{text};
		my %server = (a => $parts[0], b => $parts[1]);
		$text =~ s{host=(\w+) dbname=app}{$server{$1}->connstr('postgres') =~ s/'/''/gr}ge;
		return $text;
	}
	sub type { my ($node, $section, $place) = @_; return $node->safe_psql('postgres', block_of($section, $place)) }

	# The last server's number comes from its environment.
	{
		my $folder = PostgreSQL::Test::Utils::tempdir();
		local $ENV{PGDATA} = $folder;
		mkdir "$folder/conf.d" or die "$folder: $!";
		my $write = sub { my ($place) = @_; system_or_bail('sh', '-c', block_of('A shard for each server', $place)); return slurp_file("$folder/conf.d/shard.conf") };
		{
			local $ENV{HOSTNAME} = 'pg-12';
			is($write->(2), "idgen.shards = '12'\n", 'the ordinal of a pod');
		}
		local $ENV{SHARD} = 3;
		is($write->(1), "idgen.shards = '3'\n", 'a variable of the environment');
		push @parts, start_node('part3', conf => [ @conf, "include_dir = '$folder/conf.d'" ], extension => 0);
		is($parts[3]->safe_psql('postgres', 'SHOW idgen.shards'), '3',
			'a server started with the variable of the environment has its number');
		my ($ordinal) = page('sharding') =~ /`(\$\(\(100\s+\+\s+\$\{HOSTNAME##\*-\}\)\))`/;
		is(`HOSTNAME=pg-12 bash -c 'echo $ordinal'`, "112\n", 'a second set has a range of its own');
		my ($options) = page('sharding') =~ /`docker\s+run\s+\.\.\.\s+postgres\s+(-c\s[^`]*)`/;
		my $container = PostgreSQL::Test::Cluster->new('container');
		$container->init;
		$container->command_ok([ 'pg_ctl', '-w', '-s', '-D', $container->data_dir, '-l', $container->logfile, '-o', $options =~ s/\s+/ /gr, 'start' ], 'the command line of a container');
		is($container->safe_psql('postgres', 'CREATE EXTENSION idgen; SELECT id_shard(next_id())'), '3',
		  'a server started by the command line of a container has its number');
		$container->command_ok([ 'pg_ctl', '-w', '-s', '-D', $container->data_dir, '-m', 'immediate', 'stop' ], 'the server of the container ends');
	}
	# A machine that is copied, as its host tells.
	{
		my $machine = start_told('machine', preload => 1, conf => ["idgen.shards = '7'"]);
		is($machine->safe_psql('postgres', 'SELECT id_shard(next_id())'), '7', 'machine: a server that looks at the page makes IDs');
		says_generation($machine, 2);
		my (undef, undef, $refusal) = $machine->psql('postgres', 'SELECT next_id()');
		like($refusal, qr/was resumed from a snapshot of its memory and keeps its shards/, 'machine: a copy makes no ID');
		type($machine, 'Machines that are copied', 1);
		is($machine->safe_psql('postgres', 'SELECT id_shard(next_id())'), '7', 'machine: it makes IDs once the shards are confirmed');
	}
	$_->safe_psql('postgres', 'CREATE EXTENSION idgen') for @parts;
	type($parts[0], 'One server', 1);
	type($_, 'One server', 2) for @parts;

	# PL/Proxy, where there is a package of it.
	SKIP:
	{
		my ($run) = page('sharding') =~ /`(RUN ON id_shard\(post_id\))`/ or die 'the page names no RUN ON';
		skip 'no PL/Proxy', 3 if !$proxy->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'plproxy'});
		$_->safe_psql('postgres', <<'SQL') for @parts;
CREATE FUNCTION add_post(author integer, body text) RETURNS bigint LANGUAGE sql AS 'INSERT INTO post (author, body) VALUES ($1, $2) RETURNING id';
CREATE FUNCTION body_of(post_id bigint) RETURNS SETOF text LANGUAGE sql AS 'SELECT body FROM post WHERE id = $1';
SQL
		my $partitions = join ', ', map { sprintf q{p%d '%s'}, $_, $parts[$_]->connstr('postgres') =~ s/'/''/gr } 0 .. 3;
		$proxy->safe_psql('postgres', <<"SQL");
CREATE EXTENSION idgen;
CREATE EXTENSION plproxy;
CREATE SERVER posts FOREIGN DATA WRAPPER plproxy OPTIONS ($partitions);
CREATE USER MAPPING FOR CURRENT_USER SERVER posts;
CREATE FUNCTION add_post(author integer, body text) RETURNS bigint LANGUAGE plproxy AS \$\$ CLUSTER 'posts'; RUN ON hashint4(author); \$\$;
CREATE FUNCTION body_of(post_id bigint) RETURNS SETOF text LANGUAGE plproxy AS \$\$ CLUSTER 'posts'; $run; \$\$;
SQL
		my $session = connect_to($proxy);
		my %id_of = map { ($_ => value_of($session, 'SELECT add_post(?, ?)', $_, "body of $_")) } 1 .. 200;
		is(repeated({}, values %id_of), 0, 'PL/Proxy: no ID twice');
		my @where = map { $parts[$_]->safe_psql('postgres', 'SELECT count(*), min(id_shard(id)), max(id_shard(id)) FROM post') } 0 .. 3;
		is(scalar(grep { $where[$_] =~ /^[1-9]\d*\|$_\|$_$/ } 0 .. 3), 4, 'PL/Proxy: each partition has rows, all with its own number') or diag("@where");
		is(scalar(grep { (value_of($session, 'SELECT body_of(?)', $id_of{$_}) // '') eq "body of $_" } keys %id_of), 200, 'PL/Proxy: each row is found by its ID');
	}

	# A foreign partition.
	{
		$parts[2]->safe_psql('postgres', 'CREATE TABLE message (id bigint DEFAULT next_id(), body text)');
		my ($host, $port) = ($parts[2]->host, $parts[2]->port);
		$parts[0]->safe_psql('postgres', <<"SQL");
CREATE EXTENSION postgres_fdw;
CREATE SERVER archive FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'postgres', extensions 'idgen');
CREATE USER MAPPING FOR CURRENT_USER SERVER archive;
CREATE TABLE message (id bigint NOT NULL DEFAULT next_id(), body text) PARTITION BY RANGE (id);
CREATE FOREIGN TABLE message_before PARTITION OF message
    FOR VALUES FROM (MINVALUE) TO (id_min('2026-01-01 00:00:00+00')) SERVER archive OPTIONS (table_name 'message');
CREATE TABLE message_since PARTITION OF message
    FOR VALUES FROM (id_min('2026-01-01 00:00:00+00')) TO (MAXVALUE);
SQL
		my $session = connect_to($parts[0]);
		$session->do($_) for q{INSERT INTO message (body) SELECT 'new' FROM generate_series(1, 100)}, q{INSERT INTO message SELECT id_make('2025-06-01 00:00:00+00', 0, n), 'old' FROM generate_series(1, 10) AS n};
		is(value_of($session, 'SELECT count(*) FROM message_since WHERE id_shard(id) = 0'), 100,
			'foreign: the parent makes IDs by its own number');
		is($parts[2]->safe_psql('postgres', 'SELECT count(*) FROM message'), '10',
			'foreign: old rows lie on the other server');
		my $plan = join "\n", map { $_->[0] } @{ $session->selectall_arrayref(q{EXPLAIN SELECT * FROM message WHERE id_within(id, '[2026-03-01,2026-04-01)'::tstzrange)}) };
		unlike($plan, qr/message_before/, 'foreign: a period that it cannot have does not ask it') or diag($plan);
		is(value_of($session, q{SELECT count(*) FROM message WHERE id_within(id, '["2025-05-01","2025-07-01")'::tstzrange)}), 10,
		  'foreign: a period that it has is read');
		$session->do($_) for q{CREATE FOREIGN TABLE message_there (body text) SERVER archive OPTIONS (table_name 'message')}, q{INSERT INTO message_there SELECT 'there' FROM generate_series(1, 100)};
		is($parts[2]->safe_psql('postgres', q{SELECT string_agg(DISTINCT id_shard(id)::text, ' ') FROM message WHERE body = 'there'}),
			'2', 'foreign: without the column id the other server makes the ID');
	}

	# Logical replication: rows keep their IDs, and those written on both sides never meet.
	{
		my ($a, $b) = @parts[ 0, 1 ];
		$_->safe_psql('postgres', 'TRUNCATE post') for $a, $b;
		type($a, 'Logical replication', 1);
		type($b, 'Logical replication', 2);
		my $write = q{INSERT INTO post (author, body) SELECT 1, 'x' FROM generate_series(1, 500)};
		$_->safe_psql('postgres', $write) for $a, $b, $a;
		$b->wait_for_subscription_sync($a, 'from_a');
		is($b->safe_psql('postgres', 'SELECT string_agg(shard || $$: $$ || n, $$, $$ ORDER BY shard) FROM (SELECT id_shard(id) AS shard, count(*) AS n FROM post GROUP BY 1) s'),
			'0: 1000, 1: 500', 'replication: rows of both servers in one table');
		if ($b->pg_version >= 16)
		{
			$b->safe_psql('postgres', 'CREATE PUBLICATION posts FOR TABLE post; DROP SUBSCRIPTION from_a');
			my ($options) = page('sharding') =~ /`WITH\s+(\(origin\s+=\s+none,\s+copy_data\s+=\s+false\))`/;
			$_->[0]->safe_psql('postgres', "CREATE SUBSCRIPTION $_->[1] CONNECTION '" . ($_->[2]->connstr('postgres') =~ s/'/''/gr) . "' PUBLICATION posts WITH $options") for [ $a, 'both_a', $b ], [ $b, 'both_b', $a ];
			$_->safe_psql('postgres', $write) for $a, $b;
			$a->wait_for_catchup('both_b');
			$b->wait_for_catchup('both_a');
			is($a->safe_psql('postgres', q{SELECT count(*) FROM post}), '2000',
				'replication both ways: a has its own and the new ones of b') or diag($a->safe_psql('postgres', 'SELECT id_shard(id), count(*) FROM post GROUP BY 1'));
			is($b->safe_psql('postgres', q{SELECT count(*) FROM post}), '2500', 'replication both ways: b has all');
			$_->[0]->safe_psql('postgres', "DROP SUBSCRIPTION $_->[1]") for [ $a, 'both_a' ], [ $b, 'both_b' ];
		}
		else
		{
			$b->safe_psql('postgres', 'DROP SUBSCRIPTION from_a');
		}
	}

	# A schema moves while it is written to.
	{
		my ($a, $b) = @parts[ 0, 1 ];
		my $section = 'A schema for each shard';
		type($a, $section, 1);
		my $writer = connect_to($a);
		my $write = sub { my ($session) = @_; return eval { value_of($session, q{INSERT INTO shard_6.photo (title) VALUES ('x') RETURNING id}) } };
		my @of_a = map { $write->($writer) } 1 .. 50;
		my $dump = $a->basedir . '/schema.sql';
		my ($options) = page('sharding') =~ /`pg_dump\s+(--schema=shard_6\s+--schema-only)\s+\|\s+psql`/;
		$a->command_ok([ 'pg_dump', split(' ', $options), '-d', $a->connstr('postgres'), '-f', $dump ], 'move: the schema alone is dumped');
		$b->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', $b->connstr('postgres'), '-f', $dump ],
		  'move: the dumped schema is restored');
		type($a, $section, 2);
		type($b, $section, 3);
		push @of_a, map { $write->($writer) } 1 .. 50;
		my $other = connect_to($b);
		is($write->($other), undef, 'move: b makes none before it has the number');
		type($a, $section, 4);
		wait_until($writer, q{SELECT current_setting('idgen.shards') = '5'});
		is($write->($writer), undef, 'move: a makes none any more');
		my $after = $a->safe_psql('postgres', block_of($section, 5));
		$b->wait_for_subscription_sync($a, 'shard_6');
		is($b->safe_psql('postgres', 'SELECT count(*) FROM shard_6.photo'), '100', 'move: all rows are there');
		$b->psql('postgres', block_of($section, 6), extra_params => [ '-v', "after=$after" ], on_error_die => 1);
		wait_until($other, q{SELECT current_setting('idgen.shards') = '6'});
		my @of_b = map { $write->($other) } 1 .. 50;
		is(scalar(grep { defined } @of_b), 50, 'move: b goes on');
		is(repeated({}, @of_a, @of_b), 0, 'move: no ID twice');
		cmp_ok(min(@of_b), '>', max(@of_a), 'move: those of b lie above all of a');
		is(value_of($other, 'SELECT count(DISTINCT id_shard(id)) FROM shard_6.photo'), 1,
			'move: all IDs have the same number');
		is(defined value_of($writer, q{INSERT INTO shard_5.photo (title) VALUES ('y') RETURNING id}), 1,
			'move: the other schema goes on where it was');
	}

	# Several masters: what the trigger finds is for watched_shards.pl.
	type($parts[2], 'Several masters', 1);
	is(value_of(connect_to($parts[2]), q{SELECT tgenabled FROM pg_trigger WHERE tgrelid = 'event'::regclass}), 'R', 'several masters: a table is watched');

	# The map of shards; and IDs that land where they are made.
	{
		my $node = $parts[3];
		my $session = connect_to($node);
		type($node, 'Resharding', 1);
		my $id = q{id_make('2026-02-01 00:00:00+00', 6, 1)};
		is(value_of($session, "SELECT server_of($id)"), 'a', 'map: a shard');
		type($node, 'Resharding', 2);
		is(join(' ', $session->selectrow_array("SELECT server_of($id), server_of(id_make('2025-12-31 23:59:59+00', 6, 1))")),
			'b a', 'map: rows of a time have moved');
		type($node, 'IDs that land where they are made', 1);
		is(value_of($session, 'SELECT count(*) FROM account_1'), 20000,
			'hash: 20,000 of 20,000 IDs land where they are made');
	}

	is(join(' ', map { "$_->{section}: $_->{number}" } grep { !$typed{ $_->{number} } } @blocks), '',
		'nothing of the page is left out');
}

# The walk of docs/sharding.md, two shards with a registry, a feed and a failover: it does what the page says, the page
# leads to each of its files, and nothing of it is left, also where it is ended on its way.
{
	my $folder = tree() . '/examples/sharded';

	# Enough that the client still writes when the primary is killed, however busy the machine is.
	my $posts = 2000;

	my ($section) = page('sharding') =~ /^## All of it on one machine\n(.*)\z/ms;
	is(join(' ', sort $section =~ m{\]\(\.\./examples/sharded/([\w.]+)\)}g), join(' ', sort map { basename($_) } glob "$folder/*"), 'the page leads to each file');

	# Where it makes its folder, which is empty afterwards.
	local $ENV{TMPDIR} = PostgreSQL::Test::Utils::tempdir;
	local $ENV{PORT} = PostgreSQL::Test::Cluster::get_free_port();
	my $running = sub { return grep { index(readlink("/proc/$_/cwd") // '', $ENV{TMPDIR}) == 0 } map { /(\d+)$/ } glob '/proc/[0-9]*' };
	sub nothing_left
	{
		my ($what) = @_;
		is(join(' ', glob "$ENV{TMPDIR}/*"), '', "$what: no folder is left");
		for (1 .. 15_000) { last unless $running->(); select undef, undef, undef, 0.02 }
		return is(join(' ', $running->()), '', "$what: no server runs");
	}

	# What it needs, and how to get it, is said before anything begins.
	my ($out, $error) = ('', '');
	{
		my $bare = PostgreSQL::Test::Utils::tempdir;
		symlink "/usr/bin/$_", "$bare/$_" for qw(bash dirname id);
		local $ENV{PATH} = $bare;
		delete local $ENV{PG_CONFIG};
		ok(!IPC::Run::run([ "$bare/bash", "$folder/walk" ], '<', \undef, '>', \$out, '2>', \$error), 'without its programs the walk does not begin');
		like($error, qr/\AThis walk needs:\n  pg_config .*\n  Python .*\n  pgrep.*\nOr run make walk/, 'it says all that it needs');
	}
	{
		local $ENV{PG_CONFIG} = PostgreSQL::Test::Utils::tempdir . '/pg_config';
		PostgreSQL::Test::Utils::append_to_file($ENV{PG_CONFIG}, "#!/bin/sh\necho /nowhere\n");
		chmod 0755, $ENV{PG_CONFIG};
		ok(!IPC::Run::run([ "$folder/walk" ], '<', \undef, '>', \$out, '2>', \$error), 'without a server the walk does not begin');
		like($error, qr/  idgen_lease in .*\n  idgen_registry in .*\n  a PostgreSQL server in \/nowhere/, 'it says where it looked');
	}

	# The programs of the server are those of pg_config, whatever else is in PATH.
	my $other = PostgreSQL::Test::Utils::tempdir;
	PostgreSQL::Test::Utils::append_to_file("$other/initdb", "#!/bin/sh\nexit 9\n");
	chmod 0755, "$other/initdb";
	local $ENV{PATH} = "$other:$ENV{PATH}";

	($out, $error) = ('', '');
	ok(IPC::Run::run([ "$folder/walk", $posts ], '<', \undef, '>', \$out, '2>', \$error, timeout(600)),
		'the walk comes to its end') or diag("$out$error");
	is($error, '', 'the walk runs without a warning');
	like($out, qr/^ +0 \| \S+ +\| f\n +1 \| \S+ +\| f\n/m, 'two shards are held');
	is(join(' ', $out =~ /^ *(288)$/mg), '288 288', 'a day of both shards, twice');
	my %count = (split /b is killed/, $out)[1] =~ /^ +(\d+) \| +(\d+) \|/mg;
	is(join(' ', sort keys %count), '0 1 2', 'in the end there are posts of three shards');
	cmp_ok($count{2} // 0, '>', 1, 'the new primary makes posts');
	is(eval { $count{0} + $count{1} + $count{2} }, 2 * 4464 + 2 * $posts, 'each post once');
	like($out, qr/^${\(2 * $posts)} posts were confirmed: 0 IDs twice, 0 missing in the feed$/m, 'every ID that a client was told of');
	nothing_left('at the end');

	my $walk = start([ "$folder/walk", $posts ], '<', \undef, '>', \$out, '2>', \$error, timeout(600));
	$out = '';
	pump $walk until $out =~ /A feed of both/;
	$walk->signal('TERM');
	finish $walk;
	nothing_left('ended on its way');
}

done_testing();
