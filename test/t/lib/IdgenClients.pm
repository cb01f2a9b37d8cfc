# Clients of a cluster, each pinned to one node, that draw IDs whatever happens, and what they received. Each writes a file, a line for each
# attempt: when it ended, how many IDs were asked for, and these IDs, or ! and the SQLSTATE. A line with a + begins a session.
package IdgenClients;

use strict;
use warnings;

use Exporter qw(import);
use IdgenPatroni;
use POSIX qw(_exit);
use Time::HiRes qw(time sleep);

our @EXPORT = qw(begin_clients end_clients together received survey parts_of);

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
				_draw_for_ever($node, $made, $clients->{owner}, $shards);
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
	my ($node, $received, $parent, $shards) = @_;
	$SIG{__DIE__} = $SIG{TERM} = 'DEFAULT';
	my $session;
	srand $$;
	while (getppid == $parent)
	{
		my $count = (1, 10, 50)[ rand 3 ];
		my $ids = eval {
			$session //= _session($node, $received, $shards);
			$session->selectcol_arrayref('SELECT next_id() FROM generate_series(1, ?)', undef, $count);
		};
		syswrite $received, sprintf "%.6f %d %s\n", time, $count, $ids ? "@$ids" : '!' . ($session ? $session->state : $DBI::state);
		undef $session unless $ids || ($session && $session->state !~ /^(?:08|57P|$)/);
		sleep($ids ? 0.003 : 0.1);
	}
	_exit(0);
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

# What they received so far, on one node or on all: attempted, received, duplicates, disordered (IDs not above the one before in their
# session), gap (the longest time in seconds without an ID for anybody), gap_began (when), refused (how often, by SQLSTATE).
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

# Of the IDs of some nodes, in the default layout: how many of each tick (unix ms), and the first and last ticks by shard.
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
