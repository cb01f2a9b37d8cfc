# docs/reading.md does what it says, as it is typed there: the one statement in each isolation level, in a view, on a
# standby, over a foreign table and below the line on a subscriber of two publishers; in PL/pgSQL; the queue; the column
# for IDs that are given; the queries that name who holds readers back; and whole transactions, by their numbers.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use DBD::Pg qw(:async);
use IdgenNode;
use IdgenPages;
use IdgenPair;
use POSIX qw(_exit WNOHANG);
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my @publishes = ('wal_level = logical', 'logical_decoding_work_mem = 64kB');
my @visits = ('autovacuum = on', 'autovacuum_naptime = 1s', "shared_preload_libraries = 'idgen'");
my $node = begin_primary('reading_page', 'max_prepared_transactions = 5', @visits, @publishes);
my $standby = begin_standby($node, 'reading_page_standby', '+0');
my $main = connect_to($node);

# A query of a page, with a parameter in place of psql's variable.
sub query { my ($text) = @_; return ($text =~ /(?:\A|\n)(SELECT [^;]*);\n\z/)[0] =~ s/:next\b/\$1/r }
my $first = block('reading', 'Reading by ID', 'sql');
my ($event) = $first =~ /\A(.*?);/;
$main->do($event);
my $statement = query($first);

# Does something again until it is true, and not for ever: a minute at least.
sub repeat_until
{
	my ($is_done) = @_;
	for (1 .. 20_000) { return if $is_done->(); sleep 0.02 }
	die 'it never came true';
}

sub statement_of { my ($session, $sql, @binds) = @_; return $session->selectall_arrayref($sql, undef, @binds) }

# A reader by a statement of the page, from the beginning, by each of some sessions in turn. Each call reads on, and
# gives all that was read so far, by a column.
sub reader_of
{
	my ($sql, @sessions) = @_;
	my ($from, @seen) = (0);
	return sub {
		push @sessions, shift @sessions;
		my $rows = statement_of($sessions[0], $sql, $from);
		push @seen, map { $_->[1] } @$rows;
		$from = $rows->[-1][0] + 1 if @$rows;
		return "@seen";
	};
}

sub words_of { my ($text) = @_; return scalar(() = $text =~ /\S+/g) }

# A late commit: a naive reader loses it, and one by the page does not. It has read all that is there before.
sub check_late
{
	my ($what, $read, $naive, $is_settled) = @_;
	my ($first, $second) = map { connect_to($node) } 1, 2;
	my $before;
	repeat_until(sub { $before = $read->(); words_of($before) == value_of($naive, 'SELECT count(*) FROM event') });
	$first->begin_work;
	$first->do("INSERT INTO event (what) VALUES ('late')");
	my $early = value_of($second, "INSERT INTO event (what) VALUES ('early') RETURNING id");
	repeat_until(sub { value_of($naive, 'SELECT count(*) FROM event WHERE id = ?', $early) });
	$is_settled->($early) if $is_settled;
	my $read_since = sub { return substr($read->(), length $before) =~ s/^ //r };
	is(join('', map { $read_since->() } 1 .. 3), '', "$what: where a naive reader sees the second row, this one waits");
	$first->commit;
	$second->do("INSERT INTO event (what) VALUES ('next')");
	my $seen = '';
	repeat_until(sub { $seen = $read_since->(); $seen =~ /next/ });
	is($seen, 'late early next', "$what: nothing is lost");
	is(value_of($naive, q{SELECT string_agg(what, ' ' ORDER BY id) FROM event WHERE id > ?}, $early), 'next',
		"$what: a naive reader loses the first");
	is($read_since->(), $seen, "$what: nothing comes twice");
	return;
}
check_late('one statement', reader_of($statement, connect_to($node)), $main);

# Snapshots that are older than a commit: their bound is, too. A naive reader sees the second row in each.
sub check_snapshots
{
	my $last = value_of($main, 'SELECT max(id) FROM event');
	my %session = map { $_ => connect_to($node) } qw(late repeatable serializable cursor imported);
	my $begin = sub { my ($name, $level) = @_; $session{$name}->begin_work; $session{$name}->do("SET TRANSACTION ISOLATION LEVEL $level"); return value_of($session{$name}, 'SELECT pg_export_snapshot()') };
	$session{late}->begin_work;
	$session{late}->do("INSERT INTO event (what) VALUES ('late')");
	$main->do("INSERT INTO event (what) VALUES ('early')");
	my $exported = $begin->('repeatable', 'REPEATABLE READ');
	$begin->('serializable', 'SERIALIZABLE');
	$session{cursor}->begin_work;
	my $bound = $statement =~ s/\$1/$last + 1/er;
	my $all = $bound =~ s/ AND id < id_settled\(\)//r;
	$session{cursor}->do("DECLARE $_->[0] CURSOR FOR $_->[1]") for [ 'reader', $bound ], [ 'naive', $all ];
	$session{late}->commit;
	$session{imported}->begin_work;
	$session{imported}->do('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
	$session{imported}->do("SET TRANSACTION SNAPSHOT '$exported'");
	my $seen = sub { my ($session, $sql) = @_; return join ' ', map { $_->[1] } @{ statement_of($session, $sql) } };
	for my $name (qw(repeatable serializable imported))
	{
		is($seen->($session{$name}, $bound), '', "$name: the bound is that of the snapshot");
		is($seen->($session{$name}, $all), 'early', "$name: the snapshot lacks the first row, and not the second");
	}
	is($seen->($session{cursor}, 'FETCH ALL FROM reader'), '', 'a cursor: the bound is that of its snapshot');
	is($seen->($session{cursor}, 'FETCH ALL FROM naive'), 'early',
		'a cursor: its snapshot lacks the first row, and not the second');
	repeat_until(sub { $seen->($main, $bound) eq 'late early' });
	is($seen->($main, $bound), 'late early', 'a query after the cursor has both rows');
	$_->disconnect for values %session;
	return;
}
check_snapshots();

# A VOLATILE function around it gives several bounds in one query if transactions end meanwhile, a STABLE one gives one.
sub check_wrappers
{
	$main->do("CREATE FUNCTION \L$_\E_bound() RETURNS bigint $_ LANGUAGE plpgsql AS 'BEGIN RETURN id_settled(); END'") for qw(VOLATILE STABLE);
	my $asking = connect_to($node);
	my $bounds = sub {
		my ($name) = @_;
		my $query = $asking->prepare("SELECT count(DISTINCT b) FROM (SELECT ${name}_bound() AS b FROM generate_series(1, 20) WHERE pg_sleep(0.01) IS NOT NULL) AS s", { pg_async => PG_ASYNC });
		$query->execute;
		do { $main->do("INSERT INTO event (what) VALUES ('meanwhile')") } until $query->pg_ready;
		$query->pg_result;
		return ($query->fetchrow_array)[0];
	};
	my %bounds;
	repeat_until(sub { $bounds{ $bounds->('stable') }++; $bounds->('volatile') > 1 });
	is(join(' ', keys %bounds), 1, 'a STABLE function around it gives one bound, where a VOLATILE one gives several');
	return;
}
check_wrappers();

# The view: it loses nothing, and its bound is a condition of the index, whose order it keeps.
sub plan_of { my ($session, $sql) = @_; return join '', map { "$_\n" } @{ $session->selectcol_arrayref("EXPLAIN (COSTS OFF) $sql") } }

sub check_view
{
	$main->do(block('reading', 'In a view', 'sql'));
	check_late('the view', reader_of('SELECT id, what FROM event_settled WHERE id >= $1 ORDER BY id', connect_to($node)), $main);
	my ($plan) = page('reading') =~ /^## In a view\n.*?\n\n((?:    [^\n]*\n)+)/ms or die 'the page shows no plan';
	$plan =~ s/^    //mg;
	$main->do("INSERT INTO event (what) SELECT 'many' FROM generate_series(1, 5000)");
	$main->do('ANALYZE event');
	my $query = 'SELECT * FROM event_settled WHERE id >= 1 ORDER BY id';
	is(plan_of($main, $query), $plan, 'the view: the bound is a condition of the index, whose order it keeps');
	$main->do($_)
	  for 'CREATE ROLE app LOGIN', 'ALTER VIEW event_settled SET (security_invoker)', 'GRANT SELECT ON event, event_settled TO app',
	  q{CREATE POLICY early ON event FOR SELECT USING (what <> 'late')}, 'ALTER TABLE event ENABLE ROW LEVEL SECURITY';
	my $app = connect_to($node, user => 'app');
	my $filtered = plan_of($app, $query);
	like($filtered, qr/^\s+Filter: .*late/m, 'row-level security: the policy is there');
	is($filtered =~ s/^\s+Filter:.*\n//mr, $plan, 'row-level security: the plan is otherwise the same');
	$main->do($_) for 'ALTER TABLE event DISABLE ROW LEVEL SECURITY', 'ALTER VIEW event_settled SET (security_barrier)';
	like(plan_of($main, "$query LIMIT 10"), qr/\ALimit\n  ->  Sort\n/, 'a security_barrier view sorts');
	$main->do('ALTER VIEW event_settled RESET (security_invoker, security_barrier)');
	$main->do("SET $_ = 0") for qw(parallel_setup_cost parallel_tuple_cost min_parallel_table_scan_size min_parallel_index_scan_size);
	my ($as_plan, $as_call) = map { "SELECT count(*) FROM event WHERE id < $_" } '(SELECT id_settled())', 'id_settled()';
	like(plan_of($main, $as_plan), qr/Parallel/, 'the bound as a query of its own lets the scan be parallel');
	unlike(plan_of($main, $as_call), qr/Parallel/, 'the call does not');
	my $count = value_of($main, 'SELECT count(*) FROM event');
	repeat_until(sub { value_of($main, $as_call) == $count });
	is(value_of($main, $as_plan), $count, 'the call and the query give the same bound');
	$main->do("RESET $_") for qw(parallel_setup_cost parallel_tuple_cost min_parallel_table_scan_size min_parallel_index_scan_size);
	return;
}
check_view();

# The same statement on a standby. Nobody does anything on the primary after the last row: autovacuum's visit lets it
# through.
sub check_standby
{
	check_late('a standby', reader_of($statement, connect_to($standby)), connect_to($standby));
	check_late('now here, now there', reader_of($statement, connect_to($node), connect_to($standby)), connect_to($standby));
	return;
}
check_standby();

# The procedure beside writers that commit late, of whom some roll back: each row is handled once. A reader that fails
# has read nothing.
sub write_events
{
	my ($session, $number) = @_;
	for my $round (1 .. 40)
	{
		$session->begin_work;
		$session->do("INSERT INTO event (what) VALUES ('$number')") for 1 .. 1 + $round % 3;
		sleep rand 0.02;
		$round % 5 ? $session->commit : $session->rollback;
	}
	return;
}

# Runs writers on some nodes, and calls a reader beside them. Gives how often.
sub beside_writers
{
	my ($write, $read, @nodes) = @_;
	my ($calls, @pids) = (0);
	for my $on (@nodes)
	{
		my $pid = fork // die "fork: $!";
		unless ($pid) { my $good = in_sessions($on, 4, $write); _exit($good ? 0 : 1) }
		push @pids, $pid;
	}
	for my $pid (@pids)
	{
		until (waitpid $pid, WNOHANG) { $read->(); $calls++ }
		is($?, 0, 'the writers succeed');
	}
	return $calls;
}

sub check_procedure
{
	my ($make, $call) = block('reading', 'In PL/pgSQL', 'sql') =~ /\A(.*\n)(CALL read_events\('mailer'\);\n)\z/s or die 'the page does not end with its call';
	$node->safe_psql('postgres', $make);
	my $read = sub { return $main->do($call) };
	cmp_ok(beside_writers(\&write_events, $read, $node), '>', 3, 'PL/pgSQL: the reader reads beside the writers');
	my $left = 'FROM event WHERE id NOT IN (SELECT event FROM mail)';
	$main->do("INSERT INTO event (what) VALUES ('last')");
	my $before = value_of($main, "SELECT count(*) $left");
	$main->begin_work;
	repeat_until(sub { $main->do('SAVEPOINT s'); $read->(); my $has_read = value_of($main, "SELECT count(*) = 0 $left"); $main->do('ROLLBACK TO s') unless $has_read; $has_read });
	$main->rollback;
	is(value_of($main, "SELECT count(*) $left"), $before, 'PL/pgSQL: a reader that fails has read nothing');
	repeat_until(sub { $read->(); value_of($main, "SELECT count(*) = 0 $left") });
	is(value_of($main, 'SELECT count(*) FROM mail'), value_of($main, 'SELECT count(*) FROM event'),
		'PL/pgSQL: each row once');
	is(value_of($main, 'SELECT count(DISTINCT event) FROM mail'), value_of($main, 'SELECT count(*) FROM event'),
		'PL/pgSQL: every row is read');
	return;
}
check_procedure();

# Workers share a queue beside writers that commit late: each job is done once, and all are.
sub check_queue
{
	my ($make, $take) = split /;\n/, block('reading', 'Several readers, and queues', 'sql');
	$main->do($make);
	$main->do('CREATE TABLE done (id bigint)');
	my $work = sub {
		my ($session, $number) = @_;
		for my $round (1 .. 30)
		{
			$session->begin_work;
			$session->do('INSERT INTO job DEFAULT VALUES') for 1 .. 4;
			sleep rand 0.01;
			$session->commit;
			$session->begin_work;
			$session->do('INSERT INTO done VALUES (?)', undef, $_->[0]) for @{ $session->selectall_arrayref($take) };
			sleep rand 0.01;
			$session->commit;
		}
		return;
	};
	ok(in_sessions($node, 4, $work), 'queue: the workers succeed');
	while (my @jobs = @{ $main->selectall_arrayref($take) }) { $main->do('INSERT INTO done VALUES (?)', undef, $_->[0]) for @jobs }
	is(join(' ', $main->selectrow_array('SELECT count(*), count(DISTINCT id) FROM done')), '480 480',
		'queue: each job is done once');
	return;
}
check_queue();

# Another node: its foreign table over the view, and, as a second publisher, its line.
my $other = start_node('reading_other', init => { allows_streaming => 'logical' }, conf => [ "idgen.shards = '6'", @publishes ]);
my $there = connect_to($other);

sub check_foreign
{
	my $text = block('reading', 'Several nodes', 'sql');
	my ($make) = $text =~ /^(CREATE FOREIGN TABLE .*)$/m;
	my $before = $text =~ s/^CREATE FOREIGN.*//msr =~ s/host 'a', dbname 'app'/sprintf q{host '%s', port '%d', dbname 'postgres'}, $node->host, $node->port/er;
	$there->do($_) for $before, $make, $make =~ s/event_of_a/event/r =~ s/event_settled/event/r;
	check_late('a foreign table over the view', reader_of(query($text), connect_to($other)), $there);
	$there->do('DROP FOREIGN TABLE event');
	return;
}
check_foreign();

# Has psql do what the page says, until it is ended; gives its process. Each line on its own, as it is typed.
my $jobs = 0;
sub begin_job
{
	my ($on, $text) = @_;
	my $file = sprintf '%s/job.%d', $node->basedir, ++$jobs;
	open my $script, '>', "$file.sql" or die "$file: $!";
	print $script $text;
	close $script;
	my $pid = fork // die "fork: $!";
	return $pid if $pid;
	open STDOUT, '>', $file or _exit(1);
	open STDERR, '>&', \*STDOUT or _exit(1);
	exec 'psql', '-X', '-v', 'ON_ERROR_STOP=1', '-d', $on->connstr('postgres'), '-f', "$file.sql" or _exit(1);
}

sub subscribe
{
	my ($subscriber, $to, $streaming) = @_;
	my $connection = $to->connstr('postgres') =~ s/'/''/gr;
	return $subscriber->safe_psql('postgres', sprintf q{CREATE SUBSCRIPTION %s CONNECTION '%s' PUBLICATION events WITH (streaming = %s)}, $to->name, $connection, $streaming);
}

# A subscriber of two publishers, below the least of their lines: a node without a line holds all back, and so does a
# first copy.
sub check_line
{
	my $section = 'The bound as data';
	my $make = block('reading', $section, 'sql', qr/^CREATE/);
	my ($job, $drawing) = map { block('reading', $section, 'sql', $_) } qr/^UPDATE/, qr/^SELECT next_id/;
	my $read = query(block('reading', $section, 'sql', qr/^SELECT id, what/));
	my $subscriber = start_node('reading_subscriber', conf => [ 'max_logical_replication_workers = 8', 'max_worker_processes = 16' ]);
	my $streaming = $node->pg_version->major < 16 ? 'on' : 'parallel';
	$there->do($event);
	$node->safe_psql('postgres', $make);
	$other->safe_psql('postgres', $make =~ s/'a'/'b'/r);
	$subscriber->safe_psql('postgres', "$event;\n" . $make =~ s/^INSERT.*\n//mr);
	$_->safe_psql('postgres', 'CREATE PUBLICATION events FOR TABLE event, settled_line') for $node, $other;
	$there->do("INSERT INTO event (what) VALUES ('of_b')");
	my @jobs = (begin_job($node, $job), begin_job($other, $drawing));
	my $reads = reader_of($read, connect_to($subscriber));
	my $at = connect_to($subscriber);
	my $line = sub { my ($name) = @_; return value_of($at, 'SELECT upto FROM settled_line WHERE node = ?', $name) // 0 };
	my $is_ready = q{SELECT count(*) >= 2 AND bool_and(srsubstate = 'r') FROM pg_subscription_rel};

	subscribe($subscriber, $node, $streaming);
	$main->do("INSERT INTO event (what) VALUES ('of_a')");
	my $last = value_of($main, 'SELECT max(id) FROM event');
	repeat_until(sub { value_of($at, $is_ready) && $line->('a') > $last });
	is($reads->(), '', 'a subscriber: a node without a line holds all back');

	# The copy of b's rows waits for a lock, after the lines are there.
	$at->do($_) for q{CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.what = 'of_b' THEN PERFORM pg_advisory_xact_lock(1); END IF; RETURN NEW; END $$},
	  'CREATE TRIGGER hold BEFORE INSERT ON event FOR EACH ROW EXECUTE FUNCTION hold()', 'ALTER TABLE event ENABLE ALWAYS TRIGGER hold', 'SELECT pg_advisory_lock(1)';
	subscribe($subscriber, $other, $streaming);
	repeat_until(sub { $line->('a') > 0 && $line->('b') > $last && value_of($at, q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted}) });
	is($reads->(), '', 'a subscriber: the first copy of a table holds back');
	$at->do('SELECT pg_advisory_unlock(1)');
	my $of_both = sub { return value_of($main, 'SELECT count(*) FROM event') + value_of($there, 'SELECT count(*) FROM event') };
	repeat_until(sub { words_of($reads->()) >= $of_both->() });
	is(words_of($reads->()), $of_both->(), 'a subscriber: all of both is read in the end');

	check_late('a subscriber', $reads, $at, sub { my ($early) = @_; repeat_until(sub { $line->('b') > $early + (2500 << 23) }) });

	my $write = sub {
		my ($session) = @_;
		for my $round (1 .. 12)
		{
			$session->begin_work;
			$session->do(q{INSERT INTO event (what) SELECT repeat('x', 100) FROM generate_series(1, ?)}, undef, $round % 4 ? 1 : 2000);
			sleep rand 0.1;
			$round % 5 ? $session->commit : $session->rollback;
		}
		return;
	};
	beside_writers($write, $reads, $node, $other);
	repeat_until(sub { words_of($reads->()) >= $of_both->() });
	is(words_of($reads->()), $of_both->(), 'a subscriber: beside writers it reads each row of both publishers once');
	repeat_until(sub { value_of($main, 'SELECT sum(stream_txns) > 0 FROM pg_stat_replication_slots') });
	kill 'TERM', @jobs;
	waitpid $_, 0 for @jobs;
	$subscriber->safe_psql('postgres', "DROP SUBSCRIPTION $_") for map { $_->name } $node, $other;
	$subscriber->stop;
	return;
}
check_line();
$other->stop;

# Rows with IDs of earlier, by id_make and by COPY: a reader by a column of its own gets each of them once.
sub check_given
{
	my $text = block('reading', 'IDs that are given', 'sql');
	$node->safe_psql('postgres', $text =~ s/^SELECT.*//msr);
	my $reads = reader_of(query($text), connect_to($node));
	my $given = connect_to($node);
	$given->begin_work;
	$given->do(q{INSERT INTO event (id, what) VALUES (id_make('2020-01-01', 5, 0), 'made')});
	$main->do("INSERT INTO event (what) VALUES ('drawn')");
	is(join('', map { $reads->() } 1 .. 3), '',
		'IDs that are given: a reader waits for the transaction that stores one');
	$given->do('COPY event (id, what) FROM STDIN');
	$given->pg_putcopydata("7\tcopied\n");
	$given->pg_putcopyend;
	$given->commit;
	repeat_until(sub { $reads->() =~ /copied/ });
	is($reads->(), 'made drawn copied',
		'IDs that are given: nothing is lost, whatever its ID is, and nothing comes twice');
	return;
}
check_given();

# Who holds readers back: a session, and a prepared transaction.
sub check_holders
{
	my ($status, $holders) = block('reading', 'What holds it back', 'sql') =~ /\A(.*?;\n)(.*;\n)\z/s or die 'the page has no two queries';
	my $writer = connect_to($node);
	$writer->begin_work;
	$writer->do("INSERT INTO event (what) VALUES ('open')");
	my $pid = $writer->{pg_pid};
	like($node->safe_psql('postgres', $status), qr/\bsession $pid\b|\b$pid\b/, 'the first query names the session');
	like($node->safe_psql('postgres', $holders), qr/\A$pid\|\w+\|[^|]+\|[^|]+\|\|\z/,
		'the second query shows the session');
	$writer->do(q{PREPARE TRANSACTION 'held'});
	like($node->safe_psql('postgres', $status), qr/\bheld\b/, 'the first query names a prepared transaction');
	like($node->safe_psql('postgres', $holders), qr/\A\|\|[^|]+\|[^|]+\|\d+\|held\z/,
		'the second query shows the prepared transaction');
	$main->do(q{ROLLBACK PREPARED 'held'});
	is($node->safe_psql('postgres', $holders), '', 'no holder is shown when the prepared transaction is rolled back');
	return;
}
check_holders();

# The bound is null where no ID was ever made, and for a snapshot that is older than all that the server knows. It
# stands still while a transaction is open that was prepared before the start.
sub check_null
{
	$node->safe_psql('postgres', 'CREATE DATABASE bare');
	$node->safe_psql('bare', 'CREATE EXTENSION idgen');
	wait_for_replay($node, $standby);
	is(value_of(connect_to($standby, db => 'bare'), 'SELECT id_settled()'), undef,
		'null: on a standby that does not know of any ID');
	my $bare = connect_to($node, db => 'bare');
	$bare->begin_work;
	$bare->do('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
	$bare->do('SELECT 1');
	$main->do("INSERT INTO event (what) VALUES ('moves xmax')");
	is(value_of($bare, 'SELECT id_settled()'), undef, 'null: the snapshot is older than all that is known');
	$bare->commit;
	isnt(value_of($bare, 'SELECT id_settled()'), undef, 'a new snapshot has a bound');
	$main->do('BEGIN');
	my $open = value_of($main, "INSERT INTO event (what) VALUES ('open') RETURNING id");
	$main->do(q{PREPARE TRANSACTION 'old'});
	$main->disconnect;
	$node->stop;
	start_again($node);
	$main = connect_to($node);
	sleep 2.2;
	cmp_ok(value_of($main, 'SELECT coalesce(id_settled(), 0)'), '<=', $open,
		'a transaction is open that was prepared before the start: the bound stands still');
	$main->do(q{ROLLBACK PREPARED 'old'});
	cmp_ok(value_of($main, 'SELECT id_settled()'), '>', $open,
		'the bound goes on when the prepared transaction is rolled back');
	return;
}
check_null();

# Whole transactions: a table with the numbers of the transactions, and a reader of it at a position; each call gives what came, by
# transactions as "what what" in a list.
sub reader_by_transactions
{
	my ($sql, @position) = @_;
	@position = (0, 0) unless @position;
	my $read = sub {
		my ($session) = @_;
		my (%of, @order);
		for (@{ statement_of($session, $sql, @position) })
		{
			my ($tx, $id, $what) = @$_;
			push @order, $tx unless $of{$tx};
			push @{ $of{$tx} }, $what;
			@position = ($tx, $id);
		}
		return map { "@{ $of{$_} }" } @order;
	};
	return ($read, sub { return @position });
}

sub check_transactions
{
	my $text = block('reading', 'Whole transactions, with any key', 'sql');
	my ($make, $index) = $text =~ /\A(CREATE TABLE [^;]*);\n(CREATE INDEX [^;]*);\n/ or die 'the page makes no table';
	my $sql = query($text) =~ s/:'tx'/\$1/r =~ s/:id\b/\$2/r;
	$main->do($_) for $make, $index;
	my ($first, $second) = map { connect_to($node) } 1, 2;
	my ($read, $position) = reader_by_transactions($sql);
	my $insert = sub { my ($session, $what) = @_; $session->do('INSERT INTO message (what) VALUES (?)', undef, $what) };
	$first->begin_work;
	$insert->($first, 'a1');
	# In a tick of its own.
	sleep 0.01;
	$second->begin_work;
	$insert->($second, 'b1');
	$insert->($first, 'a2');
	$first->commit;
	my $half = q{SELECT string_agg(what, ' ' ORDER BY id) FROM message WHERE id < id_settled()};
	repeat_until(sub { defined value_of($main, $half) });
	is(value_of($main, $half), 'a1', 'below id_settled() half of a transaction can be read');
	is(join(', ', $read->($main)), 'a1 a2', 'by transactions all of it');
	$insert->($second, 'b2');
	$second->commit;
	is(join(', ', $read->($main)), 'b1 b2', 'by transactions: and the next one, all of it');
	$first->begin_work;
	$insert->($first, 'p1');
	$first->do(q{PREPARE TRANSACTION 'p'});
	$insert->($main, 'q');
	is(join(', ', $read->($main)), '', 'by transactions: one that is prepared holds back those after it');
	$main->do(q{COMMIT PREPARED 'p'});
	is(join(', ', $read->($main)), 'p1, q', 'by transactions: until it ends');

	# Writers, whose transactions have one to three rows, and readers on both servers.
	my $writers = fork // die "fork: $!";
	if ($writers == 0)
	{
		my $work = sub {
			my ($session, $number) = @_;
			for my $n (1 .. 150)
			{
				my $rows = 1 + $n % 3;
				$session->begin_work;
				for my $k (1 .. $rows) { $insert->($session, "$number.$n.$k/$rows"); sleep rand 0.002 if $k < $rows }
				$n % 7 ? $session->commit : $session->rollback;
			}
			return;
		};
		_exit(in_sessions($node, 4, $work) ? 0 : 1);
	}
	my $on_standby = connect_to($standby);
	my ($read_there, $position_there) = reader_by_transactions($sql, $position->());
	my (@here, @there);
	my $is_over = 0;
	my $expected = 4 * grep { $_ % 7 } 1 .. 150;
	repeat_until(sub {
		$is_over ||= waitpid($writers, WNOHANG) == $writers;
		push @here, $read->($main);
		push @there, $read_there->($on_standby);
		return $is_over && @here >= $expected && @there >= $expected;
	});
	for ([ 'a primary', @here ], [ 'a standby', @there ])
	{
		my ($where, @transactions) = @$_;
		my %times;
		$times{$_}++ for @transactions;
		is(scalar(grep { $times{$_} != 1 } keys %times), 0, "by transactions on $where: nothing comes twice");
		is(scalar(@transactions), $expected, "by transactions on $where: nothing is lost");
		is(scalar(grep { my ($rows) = m{/(\d)}; (() = /\S+/g) != $rows } @transactions), 0, "by transactions on $where: each is whole");
	}

	# In another cluster, whose transactions have lower numbers.
	my $dump = $node->basedir . '/message.sql';
	start_again($other);
	my $there = connect_to($other);
	$node->command_ok([ 'pg_dump', '-t', 'message', '-f', $dump, '-d', $node->connstr('postgres') ], 'by transactions: a dump');
	$other->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $dump, '-d', $other->connstr('postgres') ], 'by transactions: it is restored elsewhere');
	my ($put_right) = page('reading') =~ /`(UPDATE message SET tx = '3')`/ or die 'the page does not say how old numbers are put right';
	my ($restored) = reader_by_transactions($sql);
	$there->do(q{UPDATE message SET tx = '9000000000'});
	$there->do(q{INSERT INTO message (what) VALUES ('new')});
	is(join(', ', $restored->($there)), 'new', 'by transactions, restored: old numbers above the new ones are not read');
	$there->do($put_right);
	($restored) = reader_by_transactions($sql);
	my $rows = join ' ', $restored->($there);
	is(words_of($rows), value_of($there, 'SELECT count(*) FROM message'), 'by transactions, restored: once that is done, all are read');
	$there->do(q{INSERT INTO message (what) VALUES ('newer')});
	is(join(', ', $restored->($there)), 'newer', 'by transactions, restored: and what comes after');

	# After a promotion, last of all.
	wait_for_replay($node, $standby);
	$_->disconnect for $first, $second, $on_standby;
	$node->stop('immediate');
	$standby->promote;
	my $promoted = connect_to($standby);
	repeat_until(sub { eval { $promoted->do(q{INSERT INTO message (what) VALUES ('promoted')}); 1 } });
	is(join(', ', $read_there->($promoted)), 'promoted', 'by transactions: readers go on after a promotion');
	return;
}
# A partition that is rewritten meanwhile, as the page says. If a release of the server shows its rows, the page is wrong.
{
	$main->do($_) for 'CREATE TABLE rewritten (id bigint DEFAULT next_id(), what text) PARTITION BY RANGE (id)', 'CREATE TABLE rewritten_1 PARTITION OF rewritten DEFAULT',
	  'INSERT INTO rewritten SELECT next_id() FROM generate_series(1, 100)';
	my $read = 'SELECT count(*) FROM rewritten WHERE id < id_settled()';
	my ($old, $new) = map { connect_to($node) } 1, 2;
	$old->do($_) for 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT 1 FROM event LIMIT 1';
	$main->do('ALTER TABLE rewritten_1 SET UNLOGGED');
	wait_until($new, 'SELECT count(*) = 100 FROM rewritten WHERE id < id_settled()');
	is(value_of($old, 'SELECT count(*) FROM rewritten'), 0, 'an older snapshot sees a partition that was rewritten empty');
	is(value_of($new, $read), 100, 'a plain SELECT sees its rows');
	$_->disconnect for $old, $new;
}

check_transactions();

done_testing();
