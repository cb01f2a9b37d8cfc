# Calls that the module makes of the server: each fails, or the server is killed before it.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenDisk;
use IdgenInjection;
use IdgenNode;
use Test::More;

# A call of the server fails in the middle of an operation of the module, with locks held; or the clock jumps between
# two readings. The error is passed on as it is, nothing stays locked, other sessions and this one go on, and no ID is
# made twice.
{
	my $is_all = ($ENV{INJECTION} // '') eq 'all';
	my $node = start_injected('failing', conf => [q{idgen.horizon_window = '8s'}, q{idgen.max_lead = '300ms'}, q{idgen.clock_error = 0}, 'log_statement = none']);
	my $other = connect_to($node);
	my %made;
	my %operation = operations();

	sub draw_by { my ($session, $operation) = @_; return draw_repeated($node, \%made, $session, 10, $operation->{sql}) }

	$operation{generator}{restarts} = 1;
	# Half of the window is over: the renewal is not needed yet, and its error takes no ID away.
	$operation{'renewal ahead of need'} = { act => sub { my ($session, $note) = @_; return $note->(1) }, seconds => 5, is_ahead => 1 };
	for my $name ($is_all ? sort keys %operation : ('advance', 'generator', 'renewal', 'renewal ahead of need'))
	{
		my $operation = $operation{$name};
		my ($failed, $repeats, @wrong) = (0, 0);
		draw_by($other, $operation) unless $operation->{restarts};
		for (;;)
		{
			my $number = $failed + 1;
			$other = kill_and_start($node) if $operation->{restarts};
			my ($session, $again, $error, $is_done) = act_under($node, \%made, $operation, $operation->{seconds} // 20, sub { "error $number" });
			$repeats += $again;
			last unless $is_done;
			$failed++;
			my $call = (injected($node))[-1];
			my $is_expected = $operation->{is_ahead} ? $error eq '' : $error =~ /^58030 ERROR:  injected before \Q$call\E/;
			push @wrong, "$number, $call: $error" unless $is_expected;
			$operation->{end}->($session) if $operation->{end};
			$repeats += draw_by($_, $operation) for $other, $session;
			# The next one is ahead of need only if this one is granted, however long the WAL writer takes.
			$other->do(q{SELECT pg_logical_emit_message(true, 'flushed', '')}) if $operation->{is_ahead};
			$repeats += draw_by($other, $operation) if $operation->{is_ahead};
			my $locks = value_of($other, q{SELECT count(*) FROM pg_locks WHERE pid <> pg_backend_pid() AND locktype = 'relation'});
			push @wrong, "$number, $call: $locks locks are left" if $locks;
			$session->disconnect;
		}
		cmp_ok($failed, '>', 2, "$name: $failed of its calls failed");
		is_deeply(\@wrong, [], "$name: the error is passed on, and nothing stays locked");
		is($repeats, 0, "$name: none twice");
	}

	# The clock jumps before a reading, and is right again after the operation. A jump forward beyond idgen.max_clock_jump
	# is refused: no ID is stamped with it, so that IDs go on once the clock is right. Only CREATE EXTENSION and
	# idgen.reset() go by any clock.
	delete @operation{qw(generator creation drop reset)};
	my $refusal = qr/^55000 ERROR:  the (?:clock (?:jumped forward by|is $duration behind)|next ID of shard \d+ lies)/;
	my %is_stamped = (3 => 1, 100 => 1);
	for my $jump (-100, -3, 3, 100, 2000)
	{
		for my $name (sort keys %operation)
		{
			my $operation = $operation{$name};
			my ($jumps, $repeats, @wrong) = (0, 0);
			for (;;)
			{
				my $number = $jumps + 1;
				my ($session, $again, $error, $is_done) = act_under($node, \%made, $operation, $operation->{seconds} // 20, sub { "clock $number " . date_after($node, $jump) });
				$repeats += $again;
				last unless $is_done;
				$jumps++;
				push @wrong, "$number: $error" unless $error eq '' || $error =~ $refusal;
				go_on($node, 0);
				$operation->{end}->($session) if $operation->{end};
				my $id = eval { value_of($other, 'SELECT next_id()') };
				push @wrong, "$number, right again: " . $other->errstr unless $id || ($other->state . ' ' . $other->errstr) =~ $refusal;
				$repeats += repeated(\%made, $id // ());
				# What was stamped with it, the clock has to reach.
				go_on($node, $jump) if !$id && $is_stamped{$jump};
				$repeats += draw_by($_, $operation) for $other, $session;
				$session->disconnect;
			}
			cmp_ok($jumps, '>', 1, "a jump by $jump s, $name: before $jumps readings");
			is_deeply(\@wrong, [], "a jump by $jump s, $name: an ID or a clear error");
			is($repeats, 0, "a jump by $jump s, $name: none twice");
		}
	}
	$_->disconnect for $other;
	$node->stop('immediate');
}

# The server is killed before a call that the module makes of it, while it renews the horizon, creates the extension,
# moves the horizon by hand: no ID is made twice. With the server goes what lies in the disk's cache: nothing of it, all
# of it, or some sectors. INJECTION=all (make injection) tries every call; without it, every call of a renewal and
# every twelfth of the rest.
{
	my $stride = ($ENV{INJECTION} // '') eq 'all' ? 1 : 12;
	srand($ENV{SEED} // 1);

	my $node = start_injected('steps', conf => ['fsync = on']);
	$node->stop;
	%ENV = (%ENV, cached($node));
	start_again($node);

	# What the disk loses, in turn. Once an operation is over, all that was not flushed.
	my ($crashes, $lost) = (0, 0);
	sub lose { my ($node, $is_over) = @_; return $lost += $is_over || $crashes++ % 3 ? lose_writes($node, !$is_over && $crashes % 3) : 0 }

	my %made;
	my %operation = operations();
	for my $name (sort keys %operation)
	{
		my ($number, $killed, $repeats) = (1, 0, 0);
		for (my $is_over = 0; !$is_over; $number += $name eq 'renewal' ? 1 : $stride)
		{
			(my $again, $is_over) = crash_at($node, \%made, $operation{$name}, $number, \&lose);
			$repeats += $again;
			$killed++;
		}
		cmp_ok($killed, '>', 1, "$name: killed $killed times");
		is($repeats, 0, "$name: none twice");
	}
	my %count;
	$count{$_}++ for injected($node);
	note join ', ', "$lost sectors lost", map { "$_ $count{$_}" } sort keys %count;
	cmp_ok($lost, '>', 0, 'sectors were lost');
	ok($count{$_}, "killed before $_") for qw(GenericXLogFinish XLogFlush LWLockRelease UnlockReleaseBuffer);
	$node->stop('immediate');
}

done_testing();
