# All functions of an extension that hand something out, as the catalog knows them; and the ways in which a transaction
# comes to hold what it was handed, beside a machine that is copied with its memory: for the TAP tests.
package IdgenMakers;

use strict;
use warnings;

use DBD::Pg qw(:async);
use Exporter qw(import);
use IdgenNode;
use Test::More;
use Time::HiRes qw(sleep);

our @EXPORT = qw(conf_of_ways makers_of begin_ways walk_ways walk_controls walk_readers begin_source draw_in_workers is_refused);

my $tables = 0;
my $waiting = q{SELECT count(*) = ? FROM pg_stat_activity WHERE wait_event = 'relation' AND query !~ 'LOCK' AND (backend_type = 'parallel worker') = ?};
my @workers = ('parallel_leader_participation = off', 'max_parallel_workers_per_gather = 2', map { "$_ = 0" } qw(min_parallel_table_scan_size parallel_setup_cost parallel_tuple_cost));

# Each way, for a session of its own in a transaction, which must not be committed if there was a copy: what it does
# before the copy, and after it; how it ends, if not by COMMIT; what follows. `alone`: it is a statement of its own;
# `under_way`: the copy finds it in the middle of a statement, which waits at the gate; `no_rows`: not for a function
# that returns rows.
my @ways = (
	{ name => 'drawn', before => sub { _value($_[0], $_[0]{call}) } },
	{ name => 'stored', before => \&_store },
	{ name => 'drawn by workers', before => \&_draw_in_workers, by_workers => 1 },
	{ name => 'stored by a cursor', before => sub { _open_cursor($_[0]); _store_rows($_[0], 3) } },
	{ name => 'the rest of a cursor', before => sub { _open_cursor($_[0]); _store_rows($_[0], 3) }, after => sub { _store_rows($_[0], 150) } },
	{ name => 'a cursor with hold', before => sub { _open_cursor($_[0], 'WITH HOLD'); _fetch($_[0], 3) } },
	{ name => 'by a trigger', before => sub { _do($_[0], "INSERT INTO triggered_$_[0]{number} (n) VALUES (1)") } },
	{ name => 'by a default', before => sub { _do($_[0], "INSERT INTO defaults_$_[0]{number} (n) VALUES (1)") }, no_rows => 1 },
	{ name => 'by a default in COPY', before => \&_copy_rows, no_rows => 1 },
	{ name => 'in a savepoint, kept by the client', before => \&_keep_value, after => sub { _do($_[0], 'INSERT INTO kept VALUES (?)', $_[0]{kept}) } },
	{ name => 'in a block, kept in a variable', before => \&_keep_variable },
	{ name => 'a statement under way', before => sub { _begin($_[0], "DO \$\$ BEGIN INSERT INTO kept SELECT ($_[0]{call})::text; PERFORM FROM gate; END \$\$") }, under_way => 1, alone => 1 },
	{ name => 'a block that commits', before => sub { _begin($_[0], "DO \$\$ BEGIN INSERT INTO kept SELECT ($_[0]{call})::text; PERFORM FROM gate; COMMIT; END \$\$") }, under_way => 1, alone => 1 },
	{ name => 'a deferred trigger under way', before => \&_begin_deferred, under_way => 1, alone => 1 },
	{ name => 'COPY under way', before => \&_begin_copying, after => \&_end_copying, no_rows => 1 },
	{ name => 'workers under way', before => \&_begin_workers, after => \&_end_workers, under_way => 1, by_workers => 1 },
	{ name => 'before and after', before => \&_store, after => \&_store },
	{ name => 'by workers before, by the session after', before => \&_draw_in_workers, after => \&_store, by_workers => 1 },
	{ name => 'by the session before, by workers after', before => \&_store, after => \&_draw_in_workers, by_workers => 1 },
	{ name => 'by workers before and after', before => \&_draw_in_workers, after => \&_draw_in_workers, by_workers => 1 },
	{ name => 'prepared', before => \&_store, end => \&_prepare, finish => \&_commit_prepared },
	{ name => 'prepared, drawn by workers', before => \&_draw_in_workers, end => \&_prepare, finish => \&_commit_prepared, by_workers => 1 });

# Transactions that are committed although there was a copy: they hold nothing of before.
my @controls = (
	{ name => 'an earlier transaction committed', before => sub { _store($_[0]); _do($_[0], 'COMMIT; BEGIN'); _write($_[0]) } },
	{ name => 'an earlier one rolled back', before => sub { _store($_[0]); _do($_[0], 'ROLLBACK; BEGIN'); _write($_[0]) } },
	{ name => 'an earlier one prepared', before => sub { _store($_[0]); _prepare($_[0]); _do($_[0], 'BEGIN'); _write($_[0]) }, finish => \&_commit_prepared },
	{ name => 'an earlier one chained', before => sub { _store($_[0]); _do($_[0], 'COMMIT AND CHAIN'); _write($_[0]) } },
	{ name => 'an earlier one, by workers', before => sub { _draw_in_workers($_[0]); _do($_[0], 'COMMIT; BEGIN'); _write($_[0]) }, by_workers => 1 },
	{ name => 'an earlier one, by workers, rolled back', before => sub { _draw_in_workers($_[0]); _do($_[0], 'ROLLBACK; BEGIN'); _write($_[0]) }, by_workers => 1 },
	{ name => 'after the copy', before => \&_write, after => \&_store },
	{ name => 'by workers after the copy', before => \&_write, after => \&_draw_in_workers, by_workers => 1 },
	{ name => 'by a cursor that was not fetched from before', before => \&_open_cursor, after => sub { _store_rows($_[0], 3) } },
	{ name => 'prepared, after the copy', before => \&_write, after => \&_store, end => \&_prepare, finish => \&_commit_prepared });

# Transactions that are open, or prepared, beside a reader by ID.
my @open_ways = (
	{ name => 'drawn', before => \&_store },
	{ name => 'drawn by workers', before => \&_draw_in_workers, by_workers => 1 },
	{ name => 'prepared', before => sub { _store($_[0]); _prepare($_[0]) }, end => \&_commit_prepared },
	{ name => 'prepared, drawn by workers', before => sub { _draw_in_workers($_[0]); _prepare($_[0]) }, end => \&_commit_prepared, by_workers => 1 });

# What a server needs so that each maker can have a session and workers in each way.
sub conf_of_ways { return ('max_prepared_transactions = 40', 'max_worker_processes = 90', 'max_parallel_workers = 80') }

# The makers among the volatile functions of extensions. A test names each such function: $makers has a call of it, or
# the call and why no parallel worker runs it; $others have those that are none, by the reason. Fails if one of them is
# missing there, or is there no more.
sub makers_of
{
	my ($session, $extensions, $makers, $others) = @_;
	my $functions = $session->selectall_hashref(<<'SQL', 'name', undef, $extensions);
SELECT p.oid::regproc::text AS name, prorettype::regtype::text AS type, proretset AS has_rows, (proparallel = 's')::int AS is_parallel,
       count(*) OVER (PARTITION BY p.oid::regproc::text) AS count
  FROM pg_extension e JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e' AND d.classid = 'pg_proc'::regclass
  JOIN pg_proc p ON p.oid = d.objid
 WHERE extname = ANY (?) AND provolatile = 'v'
SQL
	my $names = join ' and ', @$extensions;
	my %known;
	$known{$_}++ for keys %$makers, map { @$_ } values %$others;
	is(join("\n", grep { !$known{$_} } sort keys %$functions), '', "$names: each volatile function is known as a maker or as none");
	is(join("\n", grep { !$functions->{$_} } sort keys %known), '', "$names: and is there");
	is(join("\n", grep { $known{$_} > 1 || (exists $functions->{$_} && $functions->{$_}{count} > 1) } sort keys %known), '', "$names: and is only one");
	my @found;
	for my $name (grep { $functions->{$_} } sort keys %$makers)
	{
		my ($call, $why_serial) = ref $makers->{$name} ? @{ $makers->{$name} } : $makers->{$name};
		my $maker = { %{ $functions->{$name} }, call => $call, number => scalar @found };
		is($maker->{is_parallel}, $why_serial ? 0 : 1, "$name: " . ($why_serial // 'parallel workers run it'));
		push @found, $maker;
	}
	return @found;
}

# Makes what the ways need.
sub begin_ways
{
	my ($session, @makers) = @_;
	begin_source($session);
	$session->do($_) for 'CREATE TABLE kept (v text)', 'CREATE TABLE gate ()',
	  q{CREATE FUNCTION waiting_process() RETURNS int LANGUAGE plpgsql PARALLEL SAFE AS 'BEGIN PERFORM FROM gate; RETURN pg_backend_pid(); END'};
	for my $it (@makers)
	{
		my ($number, $type) = @$it{qw(number type)};
		$session->do("CREATE TABLE triggered_$number (v $type, n int)");
		$session->do("CREATE FUNCTION assign_$number() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN SELECT $it->{call} INTO NEW.v; RETURN NEW; END \$\$");
		$session->do("CREATE TRIGGER assign BEFORE INSERT ON triggered_$number FOR EACH ROW EXECUTE FUNCTION assign_$number()");
		$session->do("CREATE TABLE deferred_$number (n int)");
		$session->do("CREATE FUNCTION draw_$number() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN INSERT INTO kept SELECT ($it->{call})::text; PERFORM FROM gate; RETURN NULL; END \$\$");
		$session->do("CREATE CONSTRAINT TRIGGER draw AFTER INSERT ON deferred_$number DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION draw_$number()");
		$session->do("CREATE TABLE defaults_$number (v $type DEFAULT $it->{call}, n int, filler text)") unless $it->{has_rows};
	}
	return;
}

# Makes the rows that workers read.
sub begin_source
{
	my ($session) = @_;
	$session->do($_) for q{CREATE TABLE source WITH (parallel_workers = 2) AS SELECT repeat('x', 100) AS filler FROM generate_series(1, 300)}, 'ANALYZE source',
	  q{CREATE FUNCTION process() RETURNS int LANGUAGE plpgsql PARALLEL SAFE AS 'BEGIN RETURN pg_backend_pid(); END'};
	return;
}

# Each maker in each way: committed if there is no copy, else not. $copy->() copies the machine.
sub walk_ways
{
	my ($node, $copy, @makers) = @_;
	for my $way (@ways)
	{
		_walk($node, $way, undef, @makers);
		_walk($node, $way, $copy, @makers);
	}
	return;
}

# Each maker in transactions that hold nothing of before the copy.
sub walk_controls
{
	my ($node, $copy, @makers) = @_;
	_walk($node, { %$_, is_control => 1 }, $copy, @makers) for @controls;
	return;
}

# Transactions that were handed something by these makers only do not hold back a reader by ID.
sub walk_readers
{
	my ($node, @makers) = @_;
	my $reader = connect_to($node);
	for my $way (@open_ways)
	{
		for my $it (map { { %$_, way => $way, session => connect_to($node) } } _fitting($way, @makers))
		{
			_do($it, 'BEGIN');
			$way->{before}->($it);
			my $id = value_of($reader, 'SELECT next_id()');
			ok(_is_settled($reader, $id), "$it->{name}, $way->{name}: a reader by ID goes on");
			($way->{end} // \&_commit)->($it);
			$it->{session}->disconnect;
		}
	}
	$reader->disconnect;
	return;
}

sub _is_settled
{
	my ($reader, $id) = @_;
	for (1 .. 30_000)
	{
		return 1 if value_of($reader, 'SELECT id_settled() > ?', $id);
		sleep 0.01;
	}
	return 0;
}

sub _fitting
{
	my ($way, @makers) = @_;
	return grep { ($_->{is_parallel} || !$way->{by_workers}) && !($_->{has_rows} && $way->{no_rows}) } @makers;
}

# One way, for all makers at once: each in a session that has drawn nothing before.
sub _walk
{
	my ($node, $way, $copy, @makers) = @_;
	my @open = map { { %$_, way => $way, session => connect_to($node) } } _fitting($way, @makers);
	my $gate = connect_to($node);
	$gate->do('BEGIN; LOCK TABLE gate') if $way->{under_way};
	for my $it (@open)
	{
		_do($it, 'BEGIN') unless $way->{alone};
		$way->{before}->($it);
	}
	_wait_for_all($node, $way, scalar @open) if $way->{under_way};
	$copy->() if $copy;
	$gate->do('COMMIT') if $way->{under_way};
	_end_way($_, $copy && !$way->{is_control}) for @open;
	$_->disconnect for $gate, map { $_->{session} } @open;
	return;
}

# Waits until all of them, or two workers of each, wait at the gate.
sub _wait_for_all
{
	my ($node, $way, $count) = @_;
	my $session = connect_to($node);
	my $workers = $way->{by_workers} ? 1 : 0;
	my $is_reached = 0;
	for (1 .. 30_000)
	{
		last if $is_reached = value_of($session, $waiting, $count * (1 + $workers), $workers);
		sleep 0.01;
	}
	$session->do(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'}) unless $is_reached;
	$session->disconnect;
	return $is_reached || die "$way->{name}: not all wait";
}

# Passes if the transaction is committed, or fails as it must.
sub _end_way
{
	my ($it, $is_refused) = @_;
	my ($way, $session) = @$it{qw(way session)};
	my $what = "$it->{name}, $way->{name}";
	my $end = sub {
		$way->{after}->($it) if $way->{after};
		return $way->{alone} ? $session->pg_result : ($way->{end} // \&_commit)->($it);
	};
	if ($is_refused) { is_refused($session, $end, $what) }
	else { ok(eval { $end->(); 1 }, "$what: " . ($way->{is_control} ? 'committed beside a copy' : 'committed if there is no copy')) or diag($@) }
	eval { _do($it, 'ROLLBACK') };
	eval { $way->{finish}->($it) } if $way->{finish};
	return;
}

# Passes if what ends a transaction, a statement or a function, fails because the machine was copied.
sub is_refused
{
	my ($session, $end, $what) = @_;
	return fail("$what: it succeeded") if eval { ref $end ? $end->() : $session->do($end); 1 };
	is($session->state, '40001', "$what: SQLSTATE");
	return like($session->errstr, qr/^ERROR:  this machine was resumed from a snapshot of its memory while the transaction was open\n/, "$what: text");
}

sub _do { my ($it, $sql, @binds) = @_; return $it->{session}->do($sql, undef, @binds) }
sub _value { my ($it, $expression) = @_; return value_of($it->{session}, "SELECT $expression") }
sub _write { my ($it) = @_; return _do($it, q{INSERT INTO kept VALUES ('of no maker')}) }
sub _store { my ($it) = @_; return _do($it, "INSERT INTO kept SELECT ($it->{call})::text") }
sub _commit { my ($it) = @_; return _do($it, 'COMMIT') }
sub _prepare { my ($it) = @_; return _do($it, "PREPARE TRANSACTION 'drawn by $it->{number}'") }
sub _commit_prepared { my ($it) = @_; return _do($it, "COMMIT PREPARED 'drawn by $it->{number}'") }

sub _open_cursor { my ($it, $hold) = @_; return _do($it, "DECLARE rows CURSOR @{[ $hold // '' ]} FOR SELECT ($it->{call})::text FROM generate_series(1, 200)") }
sub _fetch { my ($it, $count) = @_; return $it->{session}->selectcol_arrayref("FETCH $count FROM rows") }
sub _store_rows { my ($it, $count) = @_; return _do($it, 'INSERT INTO kept SELECT unnest(?::text[])', _fetch($it, $count)) }

sub _copy_rows
{
	my ($it) = @_;
	_do($it, "COPY defaults_$it->{number} (n) FROM STDIN");
	$it->{session}->pg_putcopydata("$_\n") for 1 .. 3;
	return $it->{session}->pg_putcopyend;
}

# Has sent so many rows that the server has taken some.
sub _begin_copying
{
	my ($it) = @_;
	_do($it, "COPY defaults_$it->{number} (filler) FROM STDIN");
	$it->{session}->pg_putcopydata('x' x 1000 . "\n") for 1 .. 300;
	my $session = $it->{session}->clone;
	wait_until($session, "SELECT tuples_processed > 0 FROM pg_stat_progress_copy WHERE pid = $it->{session}{pg_pid}");
	return $session->disconnect;
}
sub _end_copying { my ($it) = @_; $it->{session}->pg_putcopydata("last\n"); return $it->{session}->pg_putcopyend }

# It draws in its COMMIT, and waits there.
sub _begin_deferred
{
	my ($it) = @_;
	_do($it, 'BEGIN');
	_do($it, "INSERT INTO deferred_$it->{number} VALUES (1)");
	return _begin($it, 'COMMIT');
}

sub _keep_value
{
	my ($it) = @_;
	_do($it, 'SAVEPOINT s');
	$it->{kept} = _value($it, "($it->{call})::text");
	return _do($it, 'ROLLBACK TO s');
}

sub _keep_variable
{
	my ($it) = @_;
	return _do($it, <<"SQL");
DO \$\$
DECLARE value text;
BEGIN
	BEGIN
		SELECT ($it->{call})::text INTO value;
		RAISE division_by_zero;
	EXCEPTION WHEN division_by_zero THEN NULL;
	END;
	INSERT INTO kept VALUES (value);
END \$\$
SQL
}

# A statement that workers execute, and its table, whose rows say which process made them.
sub _by_workers
{
	my ($session, $call, $process) = @_;
	$session->do("SET LOCAL $_") for @workers;
	my $table = 'drawn_' . ++$tables;
	return ($table, "CREATE TABLE $table AS SELECT $call AS v, $process() AS process FROM source");
}

# Draws in workers only, in a transaction; the table whose column v has all of it.
sub draw_in_workers
{
	my ($session, $call) = @_;
	my ($table, $statement) = _by_workers($session, $call, 'process');
	$session->do($statement);
	return _check_rows($session, $table);
}

# Dies unless all rows are of workers.
sub _check_rows
{
	my ($session, $table) = @_;
	my ($rows, $own) = $session->selectrow_array("SELECT count(*), count(*) FILTER (WHERE process = pg_backend_pid()) FROM $table");
	return $rows > 0 && $own == 0 ? $table : die "$own of $rows rows are not of a worker";
}

sub _draw_in_workers { my ($it) = @_; return draw_in_workers(@$it{qw(session call)}) }

sub _begin_workers
{
	my ($it) = @_;
	($it->{table}, my $statement) = _by_workers(@$it{qw(session call)}, 'waiting_process');
	return _begin($it, $statement);
}
sub _end_workers { my ($it) = @_; $it->{session}->pg_result; return _check_rows(@$it{qw(session table)}) }

sub _begin { my ($it, $sql) = @_; return $it->{session}->do($sql, { pg_async => PG_ASYNC }) }

1;
