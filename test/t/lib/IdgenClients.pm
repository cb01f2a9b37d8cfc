# Clients of a cluster, each pinned to one node, that draw IDs whatever happens, and what they received. Each writes a
# file, a line for each attempt: when it ended, how many IDs were asked for, and these IDs, or ! and the SQLSTATE. A
# line with a + begins a session.
#
# If begin_events was called, each stores some of its IDs in the table event, and reads it by ID, on a standby, too. A
# second file has a row for each read: "read" or "standby", the line, up to where, and the IDs that came. If replication is asynchronous, a reader begins
# again on each line: clocks that are wrong by more than idgen.clock_error may put a new primary behind the old one.
package IdgenClients;

use strict;
use warnings;

use Exporter qw(import);
use IdgenPatroni;
use POSIX qw(_exit);
use Time::HiRes qw(time sleep);

our @EXPORT = qw(begin_clients end_clients together received survey parts_of begin_events events_of lines_of missed_of begin_tickets tickets_of each_attempt each_ticket each_read);

# Begins as many clients of each node, rivals included, with that in idgen.shards if it is given; gives their handle.
sub begin_clients
{
	my ($cluster, $count, $shards) = @_;
	my $clients = { folder => $cluster->{folder}, began => time, owner => $$ };
	for my $node ($cluster->nodes, @{ $cluster->{rivals} // [] })
	{
		for (1 .. $count)
		{
			my $file = sprintf '%s/ids.%s.%d', $cluster->{folder}, $node->{name}, ++$cluster->{clients};
			open my $made, '>', $file or die "$file: $!";
			my $pid = fork // die "fork: $!";
			if ($pid == 0)
			{
				$cluster->let_go;
				_draw_for_ever($node, $made, $file, $clients->{owner}, $shards, @$cluster{qw(has_events has_tickets)});
			}
			push @{ $clients->{pids} }, $pid;
			push @{ $clients->{files}{ $node->{name} } }, $file;
		}
	}
	return $clients;
}

# Draws until its parent is gone, or it is killed.
sub _draw_for_ever
{
	my ($node, $received, $file, $parent, $shards, $has_events, $has_tickets) = @_;
	$SIG{__DIE__} = $SIG{TERM} = 'DEFAULT';
	my $session;
	my %from;
	open my $seen, '>', _seen_file($file) or _exit(1);
	open my $tickets, '>', _tickets_file($file) or _exit(1);
	srand $$;
	while (getppid == $parent)
	{
		my $count = (1, 10, 50)[ rand 3 ];
		my $ids = eval {
			$session //= _session($node, $received, $shards);
			_read($session, \%from, $seen) if $has_events && rand() < 0.2;
			_take_tickets($session, $tickets, $count) if $has_tickets && rand() < 0.2;
			$has_events && rand() < 0.3 ? _store($session, $count) : $session->selectcol_arrayref('SELECT next_id() FROM generate_series(1, ?)', undef, $count);
		};
		syswrite $received, sprintf "%.6f %d %s\n", time, $count, $ids ? "@$ids" : '!' . ($session ? $session->state : $DBI::state);
		eval { $session->rollback } if $session && !$session->{AutoCommit};
		undef $session unless $ids || ($session && $session->state !~ /^(?:08|57P|$)/);
		sleep($ids ? 0.003 : 0.1);
	}
	_exit(0);
}

# A registry that is down ends no client's round: the error is noted, and IDs go on.
sub _take_tickets
{
	my ($session, $tickets, $count) = @_;
	my $numbers = eval { $session->selectcol_arrayref(q{SELECT next_ticket('tickets') FROM generate_series(1, ?)}, undef, $count) };
	syswrite $tickets, $numbers ? "@$numbers\n" : '!' . $session->state . "\n";
	return;
}

# Has the clients of a cluster, which begin later, take numbers of the counter that IdgenRecovery makes.
sub begin_tickets { my ($cluster) = @_; return $cluster->{has_tickets} = 1 }

# What clients took of it: taken, twice; and refused, how often by SQLSTATE.
sub tickets_of
{
	my ($clients) = @_;
	my (%seen, %tickets);
	@tickets{qw(taken twice)} = (0, 0);
	_each_line($_, sub { my (@numbers) = @_; return $tickets{refused}{$1}++ if $numbers[0] =~ /^!(.*)/; $tickets{taken} += @numbers; $tickets{twice} += grep { $seen{$_}++ } @numbers })
	  for map { _tickets_file($_) } _files($clients);
	return \%tickets;
}

sub _tickets_file { my ($file) = @_; return $file =~ s/ids(?=[^\/]*$)/tickets/r }
sub _seen_file { my ($file) = @_; return $file =~ s/ids(?=[^\/]*$)/seen/r }

# What a primary writes since it was promoted is a line: its timeline and when that began, since without an archive two servers can take one number. Or 0, if
# all that a reader has seen outlasts a failover.
my $line = q{CASE current_setting('idgen.synchronous') WHEN 'required' THEN 0 ELSE (
	SELECT ('x' || timeline)::bit(32)::bigint << 40 | coalesce(extract(epoch FROM (pg_stat_file('pg_wal/' || timeline || '.history', true)).modification)::bigint, 0)
	FROM left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) AS timeline) END};

sub line { return $line }

# The line of what a standby shows, if it receives that timeline; on another one no row may be there yet, and it can be one
# that leads nowhere.
my $shown = q{(SELECT line FROM (SELECT line FROM event ORDER BY id DESC LIMIT 1) AS e, pg_stat_wal_receiver WHERE line >> 40 IN (0, received_tli))};

# Has the clients of a cluster, which begin later, store and read events.
sub begin_events
{
	my ($cluster) = @_;
	IdgenPatroni::session($_)->do('CREATE TABLE event (id bigint PRIMARY KEY, line bigint)')
	  for $cluster->wait_for('a primary', sub { $cluster->primary }), @{ $cluster->{rivals} // [] };
	return $cluster->{has_events} = 1;
}

# One transaction, sometimes of some ms.
sub _store
{
	my ($session, $count) = @_;
	$session->begin_work;
	my $ids =
	  $session->selectcol_arrayref("INSERT INTO event SELECT next_id(), $line FROM generate_series(1, ?) RETURNING id", undef, $count);
	sleep 0.02 * rand if rand() < 0.5;
	$session->commit;
	return $ids;
}

sub _read
{
	my ($session, $from, $seen) = @_;
	my ($what, $key) = $session->selectrow_array("SELECT what, CASE what WHEN 'read' THEN $line ELSE $shown END FROM (SELECT CASE WHEN pg_is_in_recovery() THEN 'standby' ELSE 'read' END AS what OFFSET 0) AS server");
	return unless defined $key;
	my $begin = $from->{$key} // 0;
	# The bound along with the rows: one query has one.
	my ($upto, $ids) =
	  $session->selectrow_array('SELECT id_settled(), ARRAY(SELECT id FROM event WHERE id >= ? AND id < id_settled())', undef, $begin);
	return if !defined $upto || $upto <= $begin;
	$from->{$key} = $upto;
	syswrite $seen, "$what $key $upto @$ids\n";
	return;
}

# All events that a server has: their lines, by ID.
sub events_of
{
	my ($session) = @_;
	return { map { @$_ } @{ $session->selectall_arrayref('SELECT id, line FROM event') } };
}

# The lines that rows are of, which are those that led to where they are, each to 1. Readers can have been on others: a
# server was promoted, and then another one that had not followed it.
sub lines_of { my ($events) = @_; return { map { $_ => 1 } values %$events } }

# What the readers of some nodes missed of these events, below where each has come on one of these lines: lost,
# twice; and seen, how often they saw one.
sub missed_of
{
	my ($clients, $events, @names) = @_;
	my $lines = lines_of($events);
	my %missed = map { $_ => 0 } qw(lost twice seen);
	my @events = sort { $a->[0] <=> $b->[0] } map { [ $_, $events->{$_} ] } keys %$events;
	for my $file (map { _seen_file($_) } _files($clients, @names))
	{
		my (%upto, %seen);
		_each_line($file, sub { my ($what, $key, $upto, @ids) = @_; $upto{$key} = $upto; $seen{$key}{$_}++ for @ids });
		for my $key (grep { $lines->{$_} } keys %upto)
		{
			$missed{seen} += keys %{ $seen{$key} };
			$missed{twice} += grep { $_ > 1 } values %{ $seen{$key} };
			for my $event (@events)
			{
				last if $event->[0] >= $upto{$key};
				$missed{lost}++ if $event->[1] <= $key && !$seen{$key}{ $event->[0] };
			}
		}
	}
	return \%missed;
}

sub _session
{
	my ($node, $received, $shards) = @_;
	my $session = IdgenPatroni::session($node);
	$session->do("SET idgen.shards = '$shards'") if defined $shards;
	syswrite $received, sprintf "%.6f 0 +\n", time;
	return $session;
}

# Clients of the same cluster as one handle.
sub together
{
	my ($clients, @others) = @_;
	my %files = map { my $name = $_; $name => [ map { @{ $_->{files}{$name} } } $clients, @others ] } keys %{ $clients->{files} };
	return { %$clients, files => \%files, pids => [ map { @{ $_->{pids} } } $clients, @others ] };
}

# Ends them. One that waits for a server that is stopped ends too.
sub end_clients
{
	my ($clients) = @_;
	kill 'KILL', @{ $clients->{pids} };
	waitpid $_, 0 for @{ $clients->{pids} };
	$clients->{ended} = time;
	return;
}

# Calls a function for each line that is whole: when, how many, and what came.
sub _each_line
{
	my ($file, $use) = @_;
	open my $received, '<', $file or die "$file: $!";
	while (my $line = <$received>)
	{
		next unless chomp $line;
		$use->(split / /, $line);
	}
	return;
}

# The same of what one client, by its first file, attempted, took of the counter and read.
sub each_attempt { my ($file, $use) = @_; return _each_line($file, $use) }
sub each_ticket { my ($file, $use) = @_; return _each_line(_tickets_file($file), $use) }
sub each_read { my ($file, $use) = @_; return _each_line(_seen_file($file), $use) }

sub _files
{
	my ($clients, @names) = @_;
	return map { @{ $clients->{files}{$_} } } @names ? @names : sort keys %{ $clients->{files} };
}

# How many IDs they received so far, on one node or on all.
sub received
{
	my ($clients, @names) = @_;
	my $received = 0;
	_each_line($_, sub { my ($instant, $count, $first) = @_; $received += $count if $first =~ /^\d/ }) for _files($clients, @names);
	return $received;
}

# What they received so far, on one node or on all: attempted, received, duplicates, disordered (IDs not above the one
# before in their session), gap (the longest time in seconds without an ID for anybody), gap_began (when), refused (how
# often, by SQLSTATE).
sub survey
{
	my ($clients, @names) = @_;
	my %survey = map { $_ => 0 } qw(attempted received disordered);
	my @instants;
	my $distinct = "$clients->{folder}/distinct";
	open my $sort, '|-', "LC_ALL=C sort -u -S 64M -T '$clients->{folder}' | wc -l >'$distinct'" or die "sort: $!";
	for my $file (_files($clients, @names))
	{
		my $last = 0;
		_each_line(
			$file,
			sub {
				my ($instant, $count, @ids) = @_;
				$survey{attempted} += $count;
				return $last = 0 if $ids[0] eq '+';
				return $survey{refused}{$1}++ if $ids[0] =~ /^!(.*)/;
				$survey{received} += @ids;
				push @instants, $instant;
				for my $id (@ids)
				{
					$survey{disordered}++ if $id <= $last;
					$last = $id;
				}
				print $sort map { "$_\n" } @ids;
			});
	}
	close $sort or die "sort: $?";
	open my $file, '<', $distinct or die "$distinct: $!";
	$survey{duplicates} = $survey{received} - <$file>;
	@survey{qw(gap gap_began)} = _longest_gap($clients->{began}, sort { $a <=> $b } @instants, $clients->{ended} // ());
	return \%survey;
}

sub _longest_gap
{
	my ($last, @instants) = @_;
	my ($gap, $began) = (0, $last);
	for my $instant (@instants)
	{
		($gap, $began) = ($instant - $last, $last) if $instant - $last > $gap;
		$last = $instant;
	}
	return ($gap, $began);
}

# Of the IDs of some nodes, in the default layout: how many of each tick (unix ms), and the first and last ticks by
# shard.
sub parts_of
{
	my ($clients, @names) = @_;
	my (%ticks, %shards);
	for my $file (_files($clients, @names))
	{
		_each_line(
			$file,
			sub {
				my ($instant, $count, @ids) = @_;
				return if $ids[0] !~ /^\d/;
				for my $id (@ids)
				{
					my ($tick, $shard) = (($id >> 23) + 1314220021721, $id >> 10 & 0x1fff);
					$ticks{$tick}++;
					my $of = $shards{$shard} //= { first => $tick, last => $tick };
					$of->{first} = $tick if $tick < $of->{first};
					$of->{last} = $tick if $tick > $of->{last};
				}
			});
	}
	return (\%ticks, \%shards);
}

1;
