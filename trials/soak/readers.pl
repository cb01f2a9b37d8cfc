# The long test of readers by ID: writers in transactions of 0 to 40 ms, and beside them readers every 20 ms, each in one statement. Those below
# id_settled() lose nothing: in either isolation level, by a cursor, of a view and of a partitioned table, on a hot standby, and on a logical
# subscriber below a line that a job moves. The naive ones beside them are the controls. Then how far the bound lies behind, by which rule it comes,
# and what a call costs. MINUTES (10) says for how long, WRITERS (8) how many; PART which of readers, lags, idle, rules, calls, filter (all).
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../test/t/lib";
use IdgenNode;
use IdgenReader;
use POSIX qw(_exit);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $minutes = $ENV{MINUTES} || 10;
my $writers = $ENV{WRITERS} || 8;
my $most = 1000;
my $node = start_node(
	'readers',
	init => { allows_streaming => 'logical' },
	conf => [ "idgen.shards = '0-15'", 'max_connections = ' . ($most + 50), 'shared_buffers = 512MB', 'max_wal_size = 4GB', 'wal_keep_size = 2GB', 'autovacuum_naptime = 1s', 'log_statement = none' ]);
my $main = connect_to($node);
$main->do($_)
  for 'CREATE TABLE event (id bigint PRIMARY KEY DEFAULT next_id(), writer int)',
  'CREATE VIEW event_settled AS SELECT * FROM event WHERE id < id_settled()',
  'CREATE TABLE counted (id bigserial PRIMARY KEY, writer int)',
  'CREATE TABLE part (id bigint DEFAULT next_id(), writer int, PRIMARY KEY (id, writer)) PARTITION BY LIST (writer)',
  (map { "CREATE TABLE part$_ PARTITION OF part FOR VALUES IN ($_)" } 1 .. $writers),
  'CREATE TABLE settled_line (upto bigint NOT NULL DEFAULT 0)',
  'ALTER TABLE settled_line REPLICA IDENTITY FULL',
  'INSERT INTO settled_line DEFAULT VALUES',
  'CREATE PUBLICATION events FOR TABLE event, settled_line';
my $standby = begin_standby();
my $subscriber = begin_subscriber();
my (@table, @job);

sub begin_standby
{
	$node->backup('base');
	my $follower = PostgreSQL::Test::Cluster->new('standby');
	$follower->init_from_backup($node, 'base', has_streaming => 1);
	$follower->append_conf('postgresql.conf', 'hot_standby_feedback = on');
	return start_again($follower) && $follower;
}

sub begin_subscriber
{
	my $other = start_node('subscriber', preload => 0, extension => 0);
	my $session = connect_to($other);
	$session->do($_)
	  for 'CREATE TABLE event (id bigint PRIMARY KEY, writer int)', 'CREATE TABLE settled_line (upto bigint NOT NULL)', sprintf('CREATE SUBSCRIPTION events CONNECTION %s PUBLICATION events', $session->quote($node->connstr('postgres')));
	wait_until($session, "SELECT count(*) = 2 FROM pg_subscription_rel WHERE srsubstate = 'r'");
	return $other;
}

# Runs work in another process.
sub begin_work
{
	my ($work) = @_;
	my $pid = fork // die "fork: $!";
	return $pid if $pid;
	$work->();
	_exit(0);
}

# How many of these processes end well.
sub ended { return scalar grep { waitpid($_, 0) == $_ && $? == 0 } @_ }

# The job that moves the line of the subscriber.
sub begin_job
{
	my $move = 'UPDATE settled_line SET upto = b FROM (SELECT id_settled() AS b) AS s WHERE b > upto';
	return begin_work(sub { my $session = connect_to($node); while (1) { $session->do($move); sleep 0.1 } });
}

sub end_job { my ($pid) = @_; kill 'TERM', $pid; waitpid $pid, 0; return }

# One transaction of up to that many ms, sometimes with a savepoint, or rolled back.
sub write_once
{
	my ($session, $number, $ms) = @_;
	my @tables = qw(event counted part);
	$session->begin_work;
	$session->do("INSERT INTO $_ (writer) VALUES ($number)") for @tables;
	$session->do('SAVEPOINT s') if rand() < 0.2;
	sleep $ms / 1000;
	$session->do("INSERT INTO $_ (writer) VALUES ($number)") for @tables;
	rand() < 0.05 ? $session->rollback : $session->commit;
	return;
}

# Runs the writers for that long, each transaction as $ms->() says.
sub begin_writers
{
	my ($seconds, $ms) = @_;
	my $write = sub {
		my ($number) = @_;
		srand $number;
		my $session = connect_to($node);
		my $end = time + $seconds;
		write_once($session, $number, $ms->()) while time < $end;
	};
	return map { my $number = $_; begin_work(sub { $write->($number) }) } 1 .. $writers;
}

# The standby and the subscriber have all that is there.
sub wait_for_followers
{
	$node->wait_for_catchup($standby);
	return $node->wait_for_catchup('events');
}

# Each partition is a node of its own in the plan, scanned one after the other, and the rows are sorted then.
my @append = map { "$_ = off" } qw(enable_seqscan enable_indexscan enable_indexonlyscan);
my $line = '(SELECT upto FROM settled_line)';
my @readers = (
	[ 'one SELECT', $node, table => 'event' ],
	[ '`REPEATABLE READ`, an older snapshot', $node, table => 'event', kind => 'repeatable_read' ],
	[ 'a cursor', $node, table => 'event', kind => 'cursor' ],
	[ 'a view', $node, table => 'event', view => 'event_settled' ],
	[ 'a partitioned table', $node, table => 'part', set => \@append ],
	[ 'one SELECT on a hot standby', $standby, table => 'event' ],
	[ '`REPEATABLE READ` on a hot standby', $standby, table => 'event', kind => 'repeatable_read' ],
	[ 'a subscriber, below the line', $subscriber, table => 'event', bound => $line ],
	[ '`id > last`', $node, table => 'event', naive => 1 ],
	[ '`id > last`, the ID of a sequence', $node, table => 'counted', naive => 1 ],
	[ '`id > last` on a hot standby', $standby, table => 'event', naive => 1 ],
	[ '`id > last` on a subscriber', $subscriber, table => 'event', naive => 1 ]);

sub check_readers
{
	my $job = begin_job();
	my @begun = map { my ($name, $at, %how) = @$_; { name => $name, %{ begin_reader($at, %how) } } } @readers;
	is(ended(begin_writers(60 * $minutes, sub { rand 40 })), $writers, 'every writer succeeds');
	wait_for_followers();
	push @table, '| reader | rows | lost | twice |', '|---|---|---|---|';
	check_reader($_) for @begun;
	return end_job($job);
}

sub check_reader
{
	my ($reader) = @_;
	my $name = $reader->{name};
	my $rows = value_of($main, "SELECT count(*) FROM $reader->{table}");
	my ($lost, $twice) = missed_by($main, $reader);
	push @table, "| $name | $rows | $lost | $twice |";
	cmp_ok($lost, $reader->{naive} ? '>' : '==', 0, "$name: " . ($reader->{naive} ? 'rows are lost' : 'nothing is lost'));
	is($twice, 0, "$name: nothing twice");
	return;
}

# The value at a part of a list.
sub quantile { my ($part, @values) = @_; return (sort { $a <=> $b } @values)[ $part * $#values ] }

# How far the bound lies behind the clock, in ms, on the primary and on the standby; from two seconds after the writers began, since before that the
# standby's stands where the last of those before them left it.
my $lag = 'SELECT 1000 * extract(epoch FROM clock_timestamp() - id_time(id_settled()))';

sub measure_lags
{
	push @table, '', '| transactions of | server | median | 99 % | without an answer |', '|---|---|---|---|---|';
	for my $ms (1, 40)
	{
		my %session = (primary => $main, standby => connect_to($standby));
		my %lags;
		my @pids = begin_writers(20, sub { $ms });
		my $end = time + 19;
		sleep 2;
		while (time < $end)
		{
			push @{ $lags{$_} }, value_of($session{$_}, $lag) for sort keys %session;
			sleep 0.005;
		}
		is(ended(@pids), $writers, "transactions of $ms ms: every writer succeeds");
		push @table, lag_row("$ms ms | $_", @{ $lags{$_} }) for sort keys %lags;
	}
	return;
}

sub lag_row
{
	my ($what, @lags) = @_;
	my @known = grep { defined } @lags;
	return sprintf '| %s | %.1f ms | %.1f ms | %d of %d |', $what, (map { quantile($_, @known) } 0.5, 0.99), @lags - @known, scalar @lags;
}

# How long a row that nothing follows waits for a reader of the standby: seconds from its commit on. Nobody but autovacuum begins a transaction at the
# primary meanwhile.
sub measure_idle
{
	my $session = connect_to($standby);
	my @waits;
	for (1 .. 15)
	{
		sleep rand;
		my $id = value_of($main, 'INSERT INTO event (writer) VALUES (0) RETURNING id');
		my $began = time;
		wait_until($session, "SELECT EXISTS (SELECT FROM event WHERE id = $id AND id < id_settled())");
		push @waits, time - $began;
	}
	push @table, '', '| an idle primary | median | longest |', '|---|---|---|',
	  sprintf '| the last row is read on the standby after | %.1f s | %.1f s |', map { quantile($_, @waits) } 0.5, 1;
	return;
}

# Commits that many times a second for a while, or as often as it can (0).
sub begin_commits
{
	my ($seconds, $a_second) = @_;
	my $commit = sub {
		my $session = connect_to($node);
		my ($began, $count) = (time, 0);
		while (time < $began + $seconds)
		{
			$session->do('INSERT INTO event (writer) VALUES (0)');
			my $early = $a_second ? $began + ++$count * $writers / $a_second - time : 0;
			sleep $early if $early > 0;
		}
	};
	return map { begin_work($commit) } 1 .. $writers;
}

# How many of its queries a session is answered by each rule, beside such commits.
sub count_rules
{
	my ($seconds, $ask) = @_;
	my %count;
	local $SIG{__WARN__} = sub { $_[0] =~ /id_settled\(\) answered by (.*)/ ? $count{$1}++ : warn @_ };
	my $session = connect_to($node);
	$session->{PrintWarn} = 1;
	$session->do('SET client_min_messages = debug2');
	my $end = time + $seconds;
	$ask->($session) while time < $end;
	return \%count;
}

sub ask_at_once { my ($session) = @_; value_of($session, 'SELECT id_settled()'); sleep 0.002; return }

sub ask_late
{
	my ($session) = @_;
	$session->begin_work;
	$session->do('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
	value_of($session, 'SELECT count(*) FROM pg_extension');
	sleep 0.02;
	value_of($session, 'SELECT id_settled()');
	return $session->rollback;
}

my @asking = ([ 'at once', \&ask_at_once ], [ 'in a snapshot of 20 ms ago', \&ask_late ]);
my @rules = ('the snapshot', 'a pair', 'nothing');

sub measure_rules
{
	push @table, '', '| commits a second | asked | by its snapshot | by a pair | not |', '|---|---|---|---|---|';
	for my $a_second (100, 1000, 0)
	{
		for my $asking (@asking)
		{
			my $before = value_of($main, 'SELECT count(*) FROM event');
			my @pids = begin_commits(10, $a_second);
			my $count = count_rules(9.5, $asking->[1]);
			is(ended(@pids), $writers, "$a_second commits a second: every writer succeeds");
			my $got = (value_of($main, 'SELECT count(*) FROM event') - $before) / 10;
			push @table, sprintf('| %.0f | %s | ', $got, $asking->[0]) . join(' | ', map { $count->{$_} // 0 } @rules) . ' |';
		}
	}
	return;
}

# The CPU time of a statement in the backend, in seconds, once that is idle again: the kernel counts in full only what no longer runs.
sub cpu_of
{
	my ($sql) = @_;
	my $before = cpu_so_far();
	$main->do($sql);
	return cpu_so_far() - $before;
}

sub cpu_so_far
{
	sleep 0.005;
	my ($ns) = split ' ', slurp_file("/proc/$main->{pg_pid}/schedstat");
	return $ns / 1e9;
}

# What a call costs, net, in microseconds: each in a transaction of its own, or it would be answered by what is kept.
my $calls = 20_000;

sub us_of
{
	my ($expression) = @_;
	return 1e6 / $calls * cpu_of("DO 'DECLARE v bigint; BEGIN FOR i IN 1 .. $calls LOOP v := $expression; COMMIT; END LOOP; END'");
}

sub call_us { return sprintf '%.1f', quantile(0.5, map { us_of('id_settled()') - us_of('pg_backend_pid()') } 1 .. 5) }

# What other sessions have done: what a row of the table says, and each more than the one before.
my @states = (
	[ 'are idle and have drawn', sub { value_of($_[0], 'SELECT next_id()') } ],
	[ 'are in a transaction that has drawn', sub { $_[0]->begin_work; value_of($_[0], 'SELECT next_id()') } ],
	[ 'are in a transaction that has stored', sub { $_[0]->do('INSERT INTO event (writer) VALUES (0)') } ]);

sub measure_calls
{
	push @table, '', '| other sessions | a call, CPU time, us |', '|---|---|', '| none | ' . call_us() . ' |';
	my @others;
	for my $count (10, $most)
	{
		push @others, connect_to($node) while @others < $count;
		for my $state (@states)
		{
			$state->[1]->($_) for @others;
			push @table, "| $count $state->[0] | " . call_us() . ' |';
		}
		$_->rollback for @others;
	}
	$_->disconnect for @others;
	return;
}

# A filter that is asked for each of a million rows, beside a constant and an init plan: medians, taken in turn.
sub measure_filter
{
	$main->do($_)
	  for 'CREATE TABLE million AS SELECT next_id() AS id FROM generate_series(1, 1000000)',
	  'VACUUM (FREEZE, ANALYZE) million', 'SET max_parallel_workers_per_gather = 0', 'SET jit = off';
	my @bounds = ('id_settled()', '(SELECT id_settled())', '9223372036854775807');
	my (@ms, @ratios);
	for my $round (0 .. 40)
	{
		my @now = map { ms_of_filter($_) } @bounds;
		next unless $round;
		push @{ $ms[$_] }, $now[$_] for 0 .. $#bounds;
		push @{ $ratios[$_] }, $now[$_] / $now[-1] for 0 .. $#bounds;
	}
	push @table, '', '| a million rows, `WHERE id + 0 <` | CPU time, ms | to a constant |', '|---|---|---|', map { sprintf '| `%s` | %.1f | %.2f |', $bounds[$_], map { quantile(0.5, @$_) } $ms[$_], $ratios[$_] } 0 .. $#bounds;
	return;
}

sub ms_of_filter { my ($bound) = @_; return 1000 * cpu_of("SELECT count(*) FROM million WHERE id + 0 < $bound") }

my @parts = ([ readers => \&check_readers ], [ lags => \&measure_lags ], [ idle => \&measure_idle ], [ rules => \&measure_rules ], [ calls => \&measure_calls ], [ filter => \&measure_filter ]);
my %is_asked = map { $_ => 1 } split /[\s,]+/, $ENV{PART} || join ' ', map { $_->[0] } @parts;
$_->[1]->() for grep { $is_asked{ $_->[0] } } @parts;
ok(@table > 0, 'there are figures');
diag($_) for @table;
done_testing();
