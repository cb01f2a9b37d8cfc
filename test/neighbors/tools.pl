# Tables whose key is next_id() under tools that people run beside PostgreSQL: pg_repack rewrites one while it is
# written to, pglogical replicates one both ways, PgBouncer stands before a server, pgpool before a primary and its
# standby. No ID twice, no row lost.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../t/lib";
use IdgenNode;
use IdgenPooler;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use POSIX qw(_exit);
use Test::More;
use Time::HiRes qw(sleep);

my $bin = `pg_config --bindir` =~ s/\s//gr;
my $first = start_node('first', conf => [ 'idgen.shards = 1', 'shared_buffers = 8MB', 'autovacuum = off' ], init => { allows_streaming => 1 });

# Writes rows until the end; their IDs.
sub begin_writing
{
	my ($connect, $name) = @_;
	my $folder = PostgreSQL::Test::Utils::tempdir();
	my @pids;
	for my $number (1 .. 3)
	{
		my $pid = fork // die "fork: $!";
		push(@pids, $pid), next if $pid;
		my $session = $connect->();
		open my $out, '>', "$folder/$number" or _exit(1);
		until (-e "$folder/end")
		{
			my $ids = eval { $session->selectcol_arrayref("INSERT INTO $name (body) SELECT 'x' FROM generate_series(1, 5) RETURNING id") } or do { print STDERR $@; _exit(1) };
			syswrite $out, join '', map { "$_\n" } @$ids;
		}
		_exit(0);
	}
	return { pids => \@pids, folder => $folder };
}
sub end_writing
{
	my ($writing) = @_;
	append_to_file("$writing->{folder}/end", '');
	my $failed = grep { waitpid($_, 0); $? } @{ $writing->{pids} };
	is($failed, 0, 'every writer succeeds');
	return map { split /\n/, slurp_file($_) } grep { !/end$/ } glob "$writing->{folder}/*";
}

my $table = '(id bigint PRIMARY KEY DEFAULT next_id(), body text)';

# Whether there is a package of an extension for this major.
sub has_extension { my ($name) = @_; return $first->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = '$name'") }

# pg_repack.
SKIP:
{
	skip 'no pg_repack', 6 unless has_extension('pg_repack');
	$first->safe_psql('postgres', "CREATE EXTENSION pg_repack; CREATE TABLE repacked $table; INSERT INTO repacked (body) SELECT 'old' FROM generate_series(1, 20000); DELETE FROM repacked WHERE id_sequence(id) % 2 = 1");
	my $before = $first->safe_psql('postgres', q{SELECT pg_relation_filenode('repacked')});
	my $rows = $first->safe_psql('postgres', 'SELECT count(*) FROM repacked');
	my $writing = begin_writing(sub { connect_to($first) }, 'repacked');
	sleep 0.3;
	$first->command_ok([ "$bin/pg_repack", '-h', $first->host, '-p', $first->port, '-d', 'postgres', '-t', 'repacked' ], 'pg_repack rewrites a table that is written to');
	sleep 0.3;
	my @ids = end_writing($writing);
	is(repeated({}, @ids), 0, 'pg_repack: no ID twice');
	isnt($first->safe_psql('postgres', q{SELECT pg_relation_filenode('repacked')}), $before,
		'pg_repack: it is another file');
	is($first->safe_psql('postgres', 'SELECT count(*) FROM repacked'), $rows + @ids, 'pg_repack: no row is lost');
	is($first->safe_psql('postgres', q{SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'repacked'::regclass}),
		'next_id()', 'pg_repack: the DEFAULT stays');
}

# pglogical: each of two servers has the rows of both, and those that were written at the same time never meet.
SKIP:
{
	skip 'no pglogical', 7 unless has_extension('pglogical');
	my @conf = (
		"shared_preload_libraries = 'idgen, pglogical'", 'track_commit_timestamp = on', 'max_worker_processes = 20', 'shared_buffers = 8MB', 'autovacuum = off');
	# Newer minors load only those plugins that are named.
	push @conf, "output_plugin_libraries = 'pgoutput, pglogical_output'" if $first->safe_psql('postgres', q{SELECT count(*) FROM pg_settings WHERE name = 'output_plugin_libraries'});
	my @nodes = map { start_node("pglogical$_", init => { allows_streaming => 'logical' }, conf => [ @conf, "idgen.shards = $_" ]) } 1, 2;
	my @dsn = map { $_->connstr('postgres') =~ s/'/''/gr } @nodes;
	for my $place (0, 1)
	{
		$nodes[$place]->safe_psql('postgres', $_)
		  for 'CREATE EXTENSION pglogical', "CREATE TABLE replicated $table", "SELECT pglogical.create_node('node$place', '$dsn[$place]')", q{SELECT pglogical.replication_set_add_table('default', 'replicated')};
	}
	for my $place (0, 1)
	{
		$nodes[$place]->safe_psql('postgres', $_)
		  for "SELECT pglogical.create_subscription('other', '$dsn[ 1 - $place ]', synchronize_structure := false, synchronize_data := false, forward_origins := '{}')",
		  q{SET statement_timeout = '60s'; SELECT pglogical.wait_for_subscription_sync_complete('other')};
	}
	my @writing = map { my $node = $_; begin_writing(sub { connect_to($node) }, 'replicated') } @nodes;
	sleep 1;
	my @ids = map { [ end_writing($_) ] } @writing;
	is(repeated({}, map { @$_ } @ids), 0, 'pglogical: no ID twice');
	my $rows = @{ $ids[0] } + @{ $ids[1] };
	for my $node (@nodes)
	{
		my $session = connect_to($node);
		wait_until($session, "SELECT count(*) >= $rows FROM replicated");
		is(value_of($session, 'SELECT count(*) FROM replicated'), $rows,
			'pglogical: ' . $node->name . ' has the rows of both');
		is(value_of($session, q{SELECT string_agg(DISTINCT id_shard(id)::text, ' ') FROM replicated}), '1 2',
			'pglogical: each with the ID that it was given where it was written');
		$session->disconnect;
	}
	$_->stop('immediate') for @nodes;
}

# PgBouncer, which gives each transaction another connection of the server.
{
	my $pooler = start_pooler($first);
	my $connect = sub { DBI->connect("dbi:Pg:host=$pooler->{folder};port=$pooler->{port};dbname=postgres", scalar getpwuid $<, '', { RaiseError => 1, PrintError => 0, AutoCommit => 1, pg_server_prepare => 0 }) };
	cmp_ok(widen_pool($pooler, 'postgres', 4), '>=', 4, 'PgBouncer: four connections of the server');
	my $session = $connect->();
	my (%by, @ids);
	for (1 .. 50)
	{
		my ($pid, $id) = $session->selectrow_array('SELECT pg_backend_pid(), next_id()');
		$by{$pid}++;
		push @ids, $id;
	}
	cmp_ok(scalar keys %by, '>', 1, 'PgBouncer: one client draws in several of them');
	is(join(' ', sort { $a <=> $b } @ids), "@ids", 'PgBouncer: its IDs rise all the same');
	$first->safe_psql('postgres', "CREATE TABLE bounced $table");
	my @written = end_writing(do { my $writing = begin_writing($connect, 'bounced'); sleep 0.5; $writing });
	is(repeated({}, @ids, @written), 0, 'PgBouncer: no ID twice');
	is($first->safe_psql('postgres', 'SELECT count(*) FROM bounced'), scalar @written, 'PgBouncer: no row is lost');
	$session->disconnect;
}

# pgpool before a primary and its standby: SELECT next_id() reads nothing that a standby has; pgpool sends it to the
# primary, since the function is volatile.
{
	$first->backup('base');
	my $standby = PostgreSQL::Test::Cluster->new('standby');
	$standby->init_from_backup($first, 'base', has_streaming => 1);
	$standby->start;
	my ($folder, $port, $pcp) = (PostgreSQL::Test::Utils::tempdir_short(), map { PostgreSQL::Test::Cluster::get_free_port() } 1, 2);
	my $user = getpwuid $<;
	append_to_file("$folder/pool_hba.conf", "local all all trust\nhost all all 127.0.0.1/32 trust\n");
	append_to_file("$folder/pcp.conf", '');
	# The folder of the socket has two names: that of pgpool before 4.5, and the one since.
	append_to_file("$folder/pgpool.conf", <<"CONF");
listen_addresses = '127.0.0.1'
port = $port
pcp_port = $pcp
pcp_listen_addresses = '127.0.0.1'
socket_dir = '$folder'
unix_socket_directories = '$folder'
pcp_socket_dir = '$folder'
pid_file_name = '$folder/pgpool.pid'
logdir = '$folder'
work_dir = '$folder'
memqcache_oiddir = '$folder'
backend_clustering_mode = 'streaming_replication'
backend_hostname0 = '@{[ $first->host ]}'
backend_port0 = @{[ $first->port ]}
backend_weight0 = 0
backend_hostname1 = '@{[ $standby->host ]}'
backend_port1 = @{[ $standby->port ]}
backend_weight1 = 1
load_balance_mode = on
sr_check_period = 1
sr_check_user = '$user'
health_check_period = 0
num_init_children = 8
max_pool = 1
CONF
	my $pgpool = fork // die "fork: $!";
	if ($pgpool == 0)
	{
		open STDOUT, '>', "$folder/log";
		open STDERR, '>&', \*STDOUT;
		exec('/usr/sbin/pgpool', '-n', '-f', "$folder/pgpool.conf", '-F', "$folder/pcp.conf", '-a', "$folder/pool_hba.conf") or _exit(1);
	}
	my $connect = sub { DBI->connect("dbi:Pg:host=$folder;port=$port;dbname=postgres", $user, '', { RaiseError => 1, PrintError => 0, AutoCommit => 1 }) };
	my $session;
	for (1 .. 3000) { last if $session = eval { $connect->() }; sleep 0.1 }
	ok($session, 'pgpool runs') or diag(slurp_file("$folder/log"));
	my @ids = map { value_of($session, 'SELECT next_id()') } 1 .. 50;
	is(repeated({}, @ids), 0, 'pgpool: SELECT next_id() goes to the primary');
	is(value_of($session, q{SELECT current_setting('port')}), $standby->port, 'pgpool: other reads go to the standby');
	$first->safe_psql('postgres', "CREATE TABLE pooled $table");
	wait_until($session, q{SELECT to_regclass('pooled') IS NOT NULL});
	my @written = end_writing(do { my $writing = begin_writing($connect, 'pooled'); sleep 0.5; $writing });
	is(repeated({}, @ids, @written), 0, 'pgpool: no ID twice');
	is($first->safe_psql('postgres', 'SELECT count(*) FROM pooled'), scalar @written, 'pgpool: no row is lost');
	$session->disconnect;
	kill 'INT', $pgpool;
	waitpid $pgpool, 0;
	$standby->stop('immediate');
}

done_testing();
