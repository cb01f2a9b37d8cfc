# The keeper ends, or its server, between any two steps.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenDisk;
use IdgenInjection;
use IdgenLease;
use IdgenNode;
use IdgenPair qw(poll);
use IdgenProxy;
use IdgenRecord;
use IdgenStore;
use MIME::Base64 qw(encode_base64);
use Test::More;

# A server, or only the keeper of its shards, that ends between each two steps of a claim: before what it asks is
# executed, and before it is answered. It finds its number again. For each kind of registry.
{
	# The steps of a claim and of the first extension: what it is, what its request holds, and which of those that hold it.
	my $look = '"request_range": {"key": "' . encode_base64('/idgen/number/0000000000', '') . '"}';
	my %steps = (
		postgresql => [ [ 'a claim', 'idgen_registry.claim(', 1 ], [ 'the first extension', 'idgen_registry.extend(', 1 ] ],
		etcd => [
			[ "a claim's look", $look, 1 ], [ 'its lease', '/v3/lease/grant', 1 ], [ 'a claim', 'request_put', 1 ],
			[ "the first extension's look", $look, 2 ], [ "that an extension's lease goes on", '/v3/lease/keepalive', 1 ], [ 'the first extension', 'request_put', 2 ] ]);

	for my $kind (store_kinds())
	{
		my $store = begin_store($kind);
		my $proxy = IdgenProxy->start($store->{port});
		my $address = $store->{address_at}->($proxy->{port});
		# R never lies further ahead than IDs may, nor H above the next R; a call waits for its answer for 10 s.
		my %setting = ('idgen.lease_window' => '40s', 'idgen.lease_ttl' => '1h', 'idgen.horizon_window' => '100ms', 'idgen.overflow' => 'borrow');
		my $node = start_leased("cut-$kind", $address, setting => \%setting);
		my %made = (wait_for_id(connect_to($node)) => 1);
		$node->append_conf('postgresql.conf', q{idgen.max_lead = '5min'});
		for my $step (@{ $steps{$kind} })
		{
			cut_take($kind, $store, $proxy, $node, \%made, $_, @$step) for qw(hold lose_answers_to);
		}
		lose_keeper($kind, $store, $proxy, $node, $_, $steps{$kind}) for qw(hold lose_answers_to);
		$node->stop('immediate');
		$store->{stop}->('immediate');
	}

	# Starts the server while the registry knows of no number, up to the step; gives what it remembers by then.
	sub start_up_to
	{
		my ($store, $proxy, $node, $mode, $text, $from) = @_;
		$node->stop if $node->{_pid};
		$store->{forget_rows}->();
		$proxy->$mode($text, $from);
		$node->start;
		$proxy->wait_for_match;
		return join ' ', map { @$_ } values %{ remembered(connect_to($node))->{numbers} };
	}

	sub cut_take
	{
		my ($kind, $store, $proxy, $node, $made, $mode, $step, $text, $from) = @_;
		my $what = "$kind, a crash before $step is " . ($mode eq 'hold' ? 'executed' : 'answered');
		my ($remembered, $late, $resumed);
		# A call is given up after 10 s: tried again if it took half of that to come to the crash.
		for (1 .. 10)
		{
			my $began = time;
			$remembered = start_up_to($store, $proxy, $node, $mode, $text, $from);
			$late = told($node, 'it did not answer in time');
			$resumed = told($node, 'goes on with shard 0 as it was left');
			my $took = time - $began;
			crash($node);
			last if $took < 5;
			# What it holds now outlives the crash, and the registry forgets it.
			forget_left($node);
		}
		is(told($node, 'it did not answer in time'), $late,
			"$what: the keeper ends with its server, and does not wait for the answer");
		my ($row, @others) = values %{ $store->{rows}->() };
		is(scalar @others, 0, "$what: there is no more than one number");
		is(defined $row, $mode ne 'hold',
			"$what: the number is there only if the claim was executed") if $step eq 'a claim';
		is($row->{horizon_ms} > 0, $mode ne 'hold',
			"$what: the number was extended only if the extension was executed") if $step eq 'the first extension';
		like(join(' ', map { $store->{secret}->($_) } split ' ', $remembered), qr/(?:^| )$row->{incarnation}(?: |$)/,
			"$what: the record knows the registry's row") if $row;
		$proxy->pass;
		$node->start;
		my $session = connect_to($node);
		my $id = wait_for_id($session);
		is(repeated($made, $id, ids_of($session, 1000)), 0, "$what: IDs come, none twice");
		is(number_of($session), 0, "$what: the number is found again");
		# What it has claimed it finds in memory that the crash leaves; else it claims the number again.
		my $is_left = told($node, 'goes on with shard 0 as it was left') > $resumed;
		is($is_left, $step =~ /extension/, "$what: the server goes on with a number that it had extended, and claims any other again");
		cmp_ok(value_of($session, 'SELECT (extract(epoch FROM id_time(?)) * 1000)::bigint', $id), '>=',
			$row ? $row->{horizon_ms} : 0, "$what: IDs begin at R") unless $is_left;
		is_deeply([ keys %{ $store->{rows}->() } ], [0], "$what: no other number was claimed");
		is($store->{count_holders}->(), 1, "$what: one lease holds the number");
		$session->disconnect;
		return;
	}

	# Only the keeper ends while its claim is on its way: the next one asks for the same, and remembers the number.
	sub lose_keeper
	{
		my ($kind, $store, $proxy, $node, $mode, $steps) = @_;
		my ($claim) = grep { $_->[0] eq 'a claim' } @$steps;
		my $what = "$kind, a keeper that ends before a claim is " . ($mode eq 'hold' ? 'executed' : 'answered');
		start_up_to($store, $proxy, $node, $mode, @$claim[ 1, 2 ]);
		my $session = connect_to($node);
		my $keeper = keeper_of($session);
		# What waits for a lost answer goes on waiting.
		$proxy->pass if $mode ne 'hold';
		value_of($session, 'SELECT pg_cancel_backend(?)', $keeper);
		wait_for('another keeper', sub { my $now = keeper_of($session); $now && $now != $keeper });
		$proxy->pass;
		wait_for_id($session);
		my ($row) = values %{ $store->{rows}->() };
		is_deeply([ map { $store->{secret}->($_) } @{ remembered($session)->{numbers}{0} } ], [ $row->{incarnation}, 0 ],
			"$what: the next one remembers what was claimed, and from which registry");
		return $session->disconnect;
	}
}

# The server is killed before a call that the process makes of it that keeps the numbers from a registry: while it
# claims a further number, and while it extends one. It goes on, and no ID is made twice. Half of the times the machine
# begins again, too, and forgets what lies in its memory. INJECTION=all (make injection) tries every call; without it,
# every thirteenth.
{
	my $stride = ($ENV{INJECTION} // '') eq 'all' ? 1 : 13;
	my $store = begin_store('postgresql');
	my %setting = ('idgen.lease_window' => '500ms', 'idgen.lease_ttl' => '2s', 'idgen.horizon_window' => '100ms');
	my $node = start_leased('kept', $store->{address}, setting => \%setting, conf => [ grep { !/^idgen|^shared_buffers/ } injected_conf() ]);
	my %made = (wait_for_id(connect_to($node)) => 1);

	# ALTER SYSTEM knows no setting of an injection.
	sub set_conf
	{
		my (@lines) = @_;
		my $file = $node->data_dir . '/postgresql.auto.conf';
		truncate $file, 0;
		return write_bytes($file, join '', map { "$_\n" } @lines);
	}

	# Has the keeper be killed before a call, counted from when it begins what it is told; false if it has fewer.
	sub keeper_crashes
	{
		my ($number, @change) = @_;
		my $session = connect_to($node);
		repeated(\%made, wait_for_id($session));
		my @processes = processes_of($node);
		set_conf(@change, "injection.idgen_lease = 'crash $number'");
		$node->reload;
		my $count = told($node, 'has claimed shard');
		my $is_over = sub { !$session->ping || (@change && told($node, 'has claimed shard') > $count) };
		repeated(\%made, eval { draw($session, 20) }) until poll($is_over, 0.02) || $number > 300;
		return 0 if $session->ping;
		wait_for_end($node, @processes);
		return 1;
	}

	for my $what ('an extension', 'a claim')
	{
		my @change = $what eq 'a claim' ? 'idgen.lease_count = 2' : ();
		my ($number, $killed, $repeats) = (1, 0, 0);
		while ($number <= ($what eq 'a claim' ? 300 : 30) && keeper_crashes($number, @change))
		{
			set_conf();
			forget_left($node) if $killed % 2;
			start_again($node);
			my $session = connect_to($node);
			$repeats += repeated(\%made, wait_for_id($session), eval { draw($session, 1000) });
			$killed++;
			$number += $stride;
		}
		cmp_ok($killed, '>', 1, "$what: killed before $killed calls");
		is($repeats, 0, "$what: none twice");
	}
	my %count;
	$count{$_}++ for injected($node);
	note join ', ', map { "$_ $count{$_}" } sort keys %count;
	# The last one may yet come to the call that it is to be killed before.
	my @processes = processes_of($node);
	kill 'KILL', @processes;
	wait_for_end($node, @processes);
	$store->{stop}->('immediate');
}

done_testing();
