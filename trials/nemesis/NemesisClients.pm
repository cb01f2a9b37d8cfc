# The clients of the nemesis. Each is a process that stays with one server, draws whatever happens there, and writes a history, as trials/nemesis/check reads it.
package NemesisClients;

use strict;
use warnings;

use Exporter qw(import);
use POSIX qw(_exit);
use Time::HiRes qw(sleep time);

our @EXPORT = qw(begin_clients end_clients ranges read_in_the_end write_rows);

my %kinds = (bulk => \&_bulk, single => \&_single, events => \&_events, decimals => \&_decimals, readers => \&_readers, tickets => \&_tickets, orders => \&_orders);
my $number = 0;

# Begins the clients of a server. Options: histories (a folder), maker (an expression that makes an ID), is_own (it is idgen's), writes (every transaction writes),
# by_hand (numbers that
# some sessions set themselves), kinds (a list of names).
sub begin_clients
{
	my ($server, %option) = @_;
	my @pids;
	my $parent = $$;
	for my $kind (@{ $option{kinds} })
	{
		my $name = sprintf '%s/%s.%s.%d.history', $option{histories}, $server->{name}, $kind, ++$number;
		my $pid = fork // die "fork: $!";
		push(@pids, $pid), next if $pid;
		$SIG{$_} = 'DEFAULT' for qw(INT TERM __DIE__);
		srand $$;
		open my $history, '>', $name or _exit(1);
		my $db = $kind =~ /^(?:tickets|orders)$/ ? 'postgres' : 'app';
		my $client = { %option, server => $server, history => $history, db => $db };
		_go_on($client, $kinds{$kind}) while getppid == $parent;
		_exit(0);
	}
	return @pids;
}

sub end_clients
{
	my (@pids) = @_;
	kill 'KILL', @pids;
	waitpid $_, 0 for @pids;
	return;
}

# One round of a client; after an error it goes on, in a new session if the old one is gone.
sub _go_on
{
	my ($client, $round) = @_;
	return if eval { _connect($client) unless $client->{session}; $round->($client); 1 };
	my $session = $client->{session};
	eval { $session->rollback } if $session && !$session->{AutoCommit};
	delete $client->{session} unless $session && $session->ping > 0;
	sleep 0.05;
	return;
}

sub _connect
{
	my ($client) = @_;
	my $session = $client->{server}->session($client->{db});
	$session->do('RESET statement_timeout; RESET lock_timeout; RESET synchronous_commit');
	$session->do('SET idgen.overflow = ' . (qw(wait borrow))[ rand 2 ]) if $client->{is_own};
	$session->do("SET idgen.shards = '$client->{by_hand}'") if $client->{by_hand} && rand() < 0.3;
	_note($client, 'session');
	$client->{session} = $session;
	return;
}

sub _note { my ($client, @words) = @_; return syswrite $client->{history}, "@words\n" }

# What was received and committed.
sub _note_ids { my ($client, @ids) = @_; return @ids && _note($client, 'ids', ranges(@ids)) }

# Numbers as ranges, in their order.
sub ranges
{
	my ($first, @rest) = @_;
	my ($last, @ranges) = $first;
	for my $id (@rest, undef)
	{
		if (defined $id && $id == $last + 1) { $last = $id; next }
		push @ranges, $last > $first ? $first . '+' . ($last - $first) : $first;
		$first = $last = $id;
	}
	return @ranges;
}

# Has a transaction draw; what it received counts once it has committed. If clients write, it writes too, and its commit is flushed: nextval() promises nothing
# to a transaction that only reads.
sub _committed
{
	my ($client, $draw) = @_;
	return $draw->() unless $client->{writes};
	my $session = $client->{session};
	$session->begin_work;
	my @ids = $draw->();
	$session->do('INSERT INTO note VALUES (1)');
	$session->commit;
	return @ids;
}

# As many IDs as a client can take, in one statement.
sub _bulk
{
	my ($client) = @_;
	my $count = (100, 10_000, 20_000, 40_000)[ rand 4 ];
	my @ways = ("SELECT array_agg($client->{maker}) FROM generate_series(1, ?)");
	push @ways, 'SELECT next_id_array(?)', 'SELECT array_agg(id) FROM next_ids(?) AS id' if $client->{is_own};
	my ($array) = _committed($client, sub { $client->{session}->selectrow_array($ways[ rand @ways ], undef, $count) });
	_note_ids($client, $array =~ /-?\d+/g);
	sleep 0.01;
	return;
}

# IDs one by one. What a transaction received that is rolled back counts only for idgen: others promise nothing for it.
sub _single
{
	my ($client) = @_;
	my $session = $client->{session};
	return _note_ids($client, _committed($client, sub { map { scalar $session->selectrow_array("SELECT $client->{maker}") } 1 .. 25 })) if $client->{writes};
	my $is_kept = !$client->{is_own} || rand() < 0.7;
	my @ids;
	$session->begin_work unless $is_kept;
	my $is_done = eval { push @ids, scalar $session->selectrow_array("SELECT $client->{maker}") for 1 .. 25; 1 };
	my $error = $@;
	_note_ids($client, @ids);
	die $error unless $is_done;
	$session->rollback unless $is_kept;
	sleep 0.005;
	return;
}

# DecimalIds, which rise within a session, too, and lie far below all other IDs.
sub _decimals
{
	my ($client) = @_;
	_note_ids($client, @{ $client->{session}->selectcol_arrayref('SELECT next_decimal_id() FROM generate_series(1, 25)') });
	sleep 0.02;
	return;
}

# Rows stored in transactions that take some time, and read by ID.
sub _events
{
	my ($client) = @_;
	my $session = $client->{session};
	$session->begin_work;
	my $ids = $session->selectcol_arrayref("INSERT INTO event SELECT $client->{maker}, $client->{line} FROM generate_series(1, ?) RETURNING id", undef, (1, 5, 20)[ rand 3 ]);
	sleep 0.02 * rand if rand() < 0.5;
	$session->commit;
	_note_ids($client, @$ids);
	_read($client) if $client->{is_own} && rand() < 0.3;
	sleep 0.01;
	return;
}

# Reads whatever the server is, a standby, too.
sub _readers { my ($client) = @_; _read($client); sleep 0.05 * rand; return }

# The line of a primary, or at least that of what a standby shows: it knows no other before it is promoted.
my $line_of_standby = '(SELECT line FROM event ORDER BY id DESC LIMIT 1)';

# Reads on from where it was on this line, in one of the ways; on a new one it begins ten seconds back.
my @ways = (\&_read_plainly, \&_read_plainly, \&_read_at_once, \&_read_late, \&_read_by_cursor);

sub _read
{
	my ($client) = @_;
	my $session = $client->{session};
	my ($line, $what) = $session->selectrow_array("SELECT CASE WHEN pg_is_in_recovery() THEN $line_of_standby ELSE $client->{line} END, CASE WHEN pg_is_in_recovery() THEN 'standby' ELSE 'read' END");
	return unless defined $line;
	my $way = $ways[ rand @ways ];
	my ($from, $upto, @ids) = $way->($session, sprintf 'coalesce(%s, id_settled() - %d)', $client->{from}{$line} // 'NULL', 10_000 << 23);
	return if !defined $upto || $upto <= $from;
	$client->{from}{$line} = $upto;
	return _note($client, $what, $line, $from, $upto, @ids ? ranges(@ids) : ());
}

# Each way is one statement, and gives the position, the bound and the rows between them.

# As docs/reading.md has it: the rows alone, of which the last one is the bound.
my @settled = ('id < id_settled()', 'id < (SELECT id_settled())');

sub _read_plainly
{
	my ($session, $from) = @_;
	my ($first) = $session->selectrow_array("SELECT $from") // return;
	my $rows = $session->selectcol_arrayref("SELECT id FROM event WHERE id >= ? AND $settled[ rand @settled ] ORDER BY id", undef, $first);
	return ($first, @$rows ? $rows->[-1] + 1 : undef, @$rows);
}

sub _read_at_once
{
	my ($session, $from) = @_;
	my ($first, $upto, $ids) = $session->selectrow_array("SELECT $from, id_settled(), array(SELECT id FROM event WHERE id >= $from AND id < id_settled() ORDER BY id)");
	return ($first, $upto, $ids =~ /\d+/g);
}

# In a snapshot that another statement took, some time before.
sub _read_late
{
	my ($session, $from) = @_;
	$session->begin_work;
	$session->do('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
	$session->selectrow_array('SELECT count(*) FROM pg_extension');
	sleep 0.1 * rand;
	my @read = _read_at_once($session, $from);
	$session->commit;
	return @read;
}

# By a cursor, between other statements that have later bounds.
sub _read_by_cursor
{
	my ($session, $from) = @_;
	$session->begin_work;
	$session->do("DECLARE reading CURSOR FOR SELECT $from, id_settled(), id FROM event WHERE id >= $from AND id < id_settled() ORDER BY id");
	my $count = 5 + int rand 100;
	my (@rows, $new);
	do
	{
		sleep 0.02 * rand;
		$session->selectrow_array('SELECT id_settled()');
		push @rows, @{ $new = $session->selectall_arrayref("FETCH $count FROM reading") };
	} while (@$new == $count);
	$session->commit;
	return unless @rows;
	return (@{ $rows[-1] }[ 0, 1 ], map { $_->[2] } @rows);
}

# Numbers of a counter, some in a row.
sub _draw_tickets
{
	my ($client, $counter) = @_;
	my $session = $client->{session};
	if (rand() < 0.2)
	{
		my $range = $session->selectrow_array("SELECT next_tickets('$counter', 50)");
		my ($first, $end) = $range =~ /\[(\d+),(\d+)\)/ or die 'no range';
		_note($client, 'tickets', $first . '+' . ($end - 1 - $first));
	}
	else
	{
		my $count = (1, 20, 200)[ rand 3 ];
		my $sql = "SELECT next_ticket('$counter') FROM generate_series(1, $count)";
		_note($client, 'tickets', ranges(@{ $session->selectcol_arrayref($sql) }));
	}
	sleep 0.01;
	return;
}

# Numbers of the counter that faults strike, at times of both in one statement.
sub _tickets
{
	my ($client) = @_;
	return _draw_tickets($client, 'tickets') if rand() < 0.8;
	my $both = q{SELECT unnest(ARRAY[next_ticket('tickets'), next_ticket('orders')]) FROM generate_series(1, 20)};
	my $numbers = $client->{session}->selectcol_arrayref($both);
	return _note($client, 'tickets', ranges(@$numbers));
}

# Numbers of the one that stays, whatever becomes of the other.
sub _orders { my ($client) = @_; return _draw_tickets($client, 'orders') }

# What a server shows below its bound in the end: the rows, as one more read of all of them; how many there are.
sub read_in_the_end
{
	my ($server, $histories) = @_;
	my ($what, $upto, $ids) = $server->session('app')
	  ->selectrow_array("SELECT CASE WHEN pg_is_in_recovery() THEN 'standby' ELSE 'read' END, id_settled(), array(SELECT id FROM event WHERE id < id_settled() ORDER BY id)");
	return 0 unless defined $upto;
	my @ids = $ids =~ /\d+/g;
	open my $history, '>', "$histories/$server->{name}.end.history" or die "$histories: $!";
	_note({ history => $history }, $what, 1 << 31, 0, $upto, @ids ? ranges(@ids) : ());
	return scalar @ids;
}

# Writes down the rows that a server has in the end.
sub write_rows
{
	my ($server, $histories) = @_;
	my %of;
	push @{ $of{ $_->[1] } }, $_->[0] for @{ $server->session('app')->selectall_arrayref('SELECT id, line FROM event ORDER BY id') };
	open my $history, '>', "$histories/rows.history" or die "$histories: $!";
	print $history join(' ', 'rows', $_, ranges(@{ $of{$_} })), "\n" for sort { $a <=> $b } keys %of;
	return close $history;
}

1;
