# Rows that come from elsewhere, as docs/migration.md says.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use IdgenPages;
use List::Util qw(shuffle);
use POSIX qw(_exit WNOHANG);
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

# Taking over from the well-known PL/pgSQL function, as docs/migration.md says: same layout, same epoch, IDs go on
# above.
{
	my $node = start_node('drop_in', extension => 0);
	my ($section) = page('migration') =~ /^## Taking over a PL\/pgSQL next_id\(\)\n(.*?)^## /ms;
	my ($rename, $beside, @more) = $section =~ /((?:^    .*\n)+)/mg;
	ok($beside && !@more, 'the page has two ways');

	# A table as the blog post's readers have it, with 3,000 rows.
	sub make_old_database
	{
		my ($db) = @_;
		$node->safe_psql('postgres', "CREATE DATABASE $db");
		$node->safe_psql($db, <<'SQL');
CREATE SEQUENCE photo_seq;
CREATE FUNCTION next_id(OUT result bigint) LANGUAGE plpgsql AS $$
DECLARE
    our_epoch bigint := 1314220021721;
    now_ms bigint := floor(extract(epoch FROM clock_timestamp()) * 1000);
    shard_id int := 5;
BEGIN
    result := (now_ms - our_epoch) << 23 | (shard_id << 10) | (nextval('photo_seq') % 1024);
END
$$;
CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id(), made timestamptz DEFAULT clock_timestamp(), by text DEFAULT 'old');
SQL
		$node->safe_psql($db, "INSERT INTO photo (id) SELECT next_id() FROM generate_series(1, 3000) ON CONFLICT DO NOTHING");
		return;
	}

	# What must hold once the default is ours: later IDs larger, all decoded rightly.
	sub check_taken_over
	{
		my ($db, $what, $schema) = @_;
		$node->safe_psql($db, "INSERT INTO photo (by) SELECT 'new' FROM generate_series(1, 3000)");
		is( $node->safe_psql($db, "SELECT max(id) FILTER (WHERE by = 'old') < min(id) FILTER (WHERE by = 'new') FROM photo"),
			't', "$what: later IDs are larger than all earlier ones");
		is( $node->safe_psql($db, <<"SQL"),
SELECT by, count(*), bool_and(shard = 5), bool_and(abs(extract(epoch FROM made - created_at)) < 1)
  FROM photo, $schema.id_decode(id) GROUP BY by ORDER BY by DESC
SQL
			join("\n", 'old|' . $node->safe_psql($db, "SELECT count(*) FROM photo WHERE by = 'old'") . '|t|t', 'new|3000|t|t'),
			"$what: id_decode is right for both");
		return;
	}

	make_old_database('renamed');
	my ($status, $out, $error) = $node->psql('renamed', 'CREATE EXTENSION idgen');
	like($error, qr/functions of the same name exist in schema public: next_id\(\)/, 'CREATE EXTENSION names the clash');
	like($error, qr/HINT:.*CREATE EXTENSION idgen SCHEMA ids.*RENAME TO/,
		'CREATE EXTENSION names the two remedies of a clash');
	$node->safe_psql('renamed', $rename =~ s/DATABASE app/DATABASE renamed/r);
	check_taken_over('renamed', 'after a rename', 'public');

	make_old_database('schema');
	$node->safe_psql('schema', $beside =~ s/DATABASE app/DATABASE schema/r);
	check_taken_over('schema', 'in another schema', 'ids');

	for my $db ('renamed', 'schema')
	{
		my $file = PostgreSQL::Test::Utils::tempdir . "/$db";
		my $checksum = 'SELECT count(*), sum(hashint8(id)::bigint) FROM photo';
		my $before = $node->safe_psql($db, $checksum);
		$node->command_ok([ 'pg_dump', '--create', '-f', $file, $db ], "$db: dumped");
		$node->safe_psql('postgres', "DROP DATABASE $db");
		$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $file, 'postgres' ], "$db: restored");
		is($node->safe_psql($db, $checksum), $before, "$db: a restored dump has the same rows");
		$node->safe_psql($db, "INSERT INTO photo (by) VALUES ('restored')");
		is($node->safe_psql($db, "SELECT by FROM photo ORDER BY id DESC LIMIT 1"), 'restored', "$db: IDs go on above");
	}
}

# Rows that get an ID at their own past time: importers that write at once and are killed, and a server that crashes,
# give every row of the source one ID, in the millisecond of its time.
{
	# As the page has it, but for its own row.
	my ($place) = block('ranges', 'Rows at times of their own', 'sql') =~ /\A(.*?\n)SELECT id_time/s or die 'no such block';

	my $node = start_node('placed', conf => [ "idgen.shards = '5'", "timezone = 'UTC'" ]);
	$node->safe_psql('postgres', $place);
	my $main = connect_to($node);
	my $watch = connect_to($node);
	my @workers;

	# The source: milliseconds with 1 to 1024 rows, whose times have microseconds. Its first row stands in the middle of what
	# a worker does.
	my %rows_of = ('000' => 1, '001' => 10, '002' => 500, '003' => 900, '007' => 1024);
	my @source;
	for my $ms (sort keys %rows_of)
	{
		my $time = "2019-05-01 12:00:00.$ms";
		push @source, { source => "$ms.$_", ms => "$time+00", at => $time . sprintf('%03d+00', $_ % 1000) } for 1 .. $rows_of{$ms};
	}

	# Places a row; if the server goes away meanwhile, again when it is back. Gives the session.
	sub place
	{
		my ($session, $row) = @_;
		my $end = time + $patience;
		until (
			eval {
				$session //= connect_to($node);
				value_of($session, 'SELECT place(?, ?, ?)', $row->{at}, $row->{source}, $row->{ms});
				1;
			})
		{
			my $error = $@;
			die $error if time > $end || $session && $session->ping;
			undef $session;
			sleep 0.05;
		}
		return $session;
	}

	# Starts a worker that places all rows, in an order of its own.
	sub begin_worker
	{
		my ($number) = @_;
		my $pid = fork // die "fork: $!";
		return $pid if $pid;
		srand $number;
		my ($held, @others) = @source;
		my @order = shuffle @others;
		splice @order, @order / 2, 0, $held;
		my $session;
		my $done = eval { $session = place($session, $_) for @order; 1 };
		warn $@ unless $done;
		_exit($done ? 0 : 1);
	}

	# Waits until more rows than that are stored.
	sub wait_for_rows
	{
		my ($count) = @_;
		my $end = time + $patience;
		until (value_of($watch, 'SELECT count(*) FROM post') > $count)
		{
			die "no more than $count rows" if time > $end || grep { waitpid $_, WNOHANG } @workers;
			sleep 0.01;
		}
		return;
	}

	# While this transaction is open no worker gets past the middle: so none has ended when the server crashes.
	$main->begin_work;
	$main->do('INSERT INTO post (source) VALUES (?)', undef, $source[0]{source});
	@workers = map { begin_worker($_) } 1 .. 4;
	wait_for_rows(300);
	my $killed = shift @workers;
	kill 'KILL', $killed;
	waitpid $killed, 0;
	is($?, 9, 'a worker was killed');
	push @workers, begin_worker(5);
	wait_for_rows(700);
	crash($node);
	start_again($node);
	my $failed = 0;
	for my $pid (@workers) { waitpid $pid, 0; $failed++ if $? }
	is($failed, 0, 'the workers ended well');

	$main = connect_to($node);
	is(value_of($main, 'SELECT count(*) FROM post'), scalar @source, 'as many rows as the source has');
	my %id_of = map { @$_ } @{ $main->selectall_arrayref('SELECT source, id FROM post') };
	is(scalar(grep { !$id_of{ $_->{source} } } @source), 0, 'each row of the source has one row');
	is(value_of($main, 'SELECT count(*) FROM post WHERE id_time(id) <> what::timestamptz OR id_shard(id) <> 8191'),
		0, 'each ID has the millisecond of its time, and the shard of the import');
	my $full = '[2019-05-01 12:00:00.007Z, 2019-05-01 12:00:00.008Z)';
	is(value_of($main, 'SELECT count(*) FROM post WHERE id_within(id, ?)', $full),
		1024, 'a full millisecond has all its IDs');

	# Once more, and one more.
	place($main, $_) for @source[ 0, 5, -1 ];
	is(value_of($main, 'SELECT count(*) FROM post'), scalar @source, 'what comes again is not stored again');
	is(value_of($main, 'SELECT place(?, ?, NULL)', $source[-1]{at}, $source[-1]{source}), $id_of{ $source[-1]{source} },
		'it has the ID that it had');
	is(value_of($main, q{SELECT id_time(place('2019-05-01 12:00:00.007Z', 'one more', NULL))}),
		'2019-05-01 12:00:00.008+00', 'after a full millisecond comes the next');
}

done_testing();
