# Servers that crash.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenLease;
use IdgenMany;
use IdgenNode;
use IdgenStore;
use Test::More;
use Time::HiRes qw(sleep time);

# A server that crashes every 5 s for two minutes while sessions draw: each life makes IDs, none twice, with few
# numbers, of which it holds one in the end. For each kind of registry, beside each other.
{
	my ($lives, $period) = (24, 5);

	my @servers = map { begin_server($_) } store_kinds();
	for my $life (1 .. $lives)
	{
		for my $server (@servers)
		{
			make_first($server);
			sleep 0.05 while time < $server->{until};
			$server->{until} = time + $period;
			kill_all($server->{node});
			start_again($server->{node});
		}
	}
	end_server($_) for @servers;

	# A server, and two processes that draw from it whether it is there or not.
	sub begin_server
	{
		my ($kind) = @_;
		my $store = begin_store($kind);
		my %setting = ('idgen.lease_window' => '4s', 'idgen.lease_ttl' => '15s', 'idgen.horizon_window' => '100ms');
		my $node = start_leased("$kind-node", $store->{address}, setting => \%setting, conf => [ small_server() ]);
		return {
			kind     => $kind,
			store    => $store,
			node     => $node,
			drawings => [ map { begin_rounds(0.01, $node) } 1, 2 ],
			until    => time + $period,
			first    => []
		};
	}

	# Waits for the first ID of a life, however long the server takes to come back: so every life makes one.
	sub make_first
	{
		my ($server) = @_;
		my $session = connect_to($server->{node});
		push @{ $server->{first} }, wait_for_id($session);
		$session->disconnect;
		return;
	}

	sub end_server
	{
		my ($server) = @_;
		my ($kind, $node, @first) = ($server->{kind}, $server->{node}, @{ $server->{first} });
		my $session = connect_to($node);
		wait_for_id($session);
		my @drawn = map { map { @$_ } end_rounds($_) } @{ $server->{drawings} };
		note sprintf '%s: %d IDs', $kind, scalar @drawn;
		is(scalar @first, $lives, "$kind: each of $lives lives makes IDs");
		is(repeated({}, @first, @drawn), 0, "$kind: none twice");
		check_numbers($kind, $session);
		$session->disconnect;
		$node->stop('immediate');
		return $server->{store}{stop}->('immediate');
	}

	# After a crash R of the number lies up to a window ahead: a server that is back before claims another, and after the
	# next crash the one before again, which it remembers whether its lease is past or not. A third one it takes only if the
	# registry carries out the last extension of a life so late that the next life has just asked for the number.
	sub check_numbers
	{
		my ($kind, $session) = @_;
		my $count = value_of($session, 'SELECT count(*) FROM idgen_lease.nodes()');
		note "$kind: $count numbers";
		cmp_ok($count, '<=', 3, "$kind: few numbers were used");
		my $is_one = sub { value_of($session, 'SELECT count(*) = 1 FROM idgen_lease.nodes() WHERE NOT is_free') };
		ok(eval { wait_for('one number that is held', $is_one) },
			"$kind: in the end it holds one number, and the others are free");
		return;
	}
}

# A number given by hand after a crash: the server finds its leases in memory that outlives it, and IDs go on at once,
# none twice. A copy of the data directory does not find them, nor does the server after a boot. For each kind of
# registry.
{
	# No R of before a crash passes while the file runs, so that an ID after it can only come from what was left.
	my %setting = ('idgen.shards' => '5', 'idgen.lease_window' => '5min', 'idgen.lease_ttl' => '1h', 'idgen.max_wait' => '0');
	my $waits = qr/lies $duration ahead of the clock.*The registry had granted the shard up to/s;

	# IDs of a session, beginning with the first that comes.
	sub first_ids { my ($session) = @_; return (wait_for_id($session), ids_of($session, 500)) }

	for my $kind (store_kinds())
	{
		my $store = begin_store($kind);
		my $made = {};
		my $node = start_leased("$kind-resumed", $store->{address}, fake_clock => 1, setting => \%setting, conf => [ small_server() ]);
		my $session = connect_to($node);
		is(repeated($made, first_ids($session)), 0, "$kind: IDs");
		is((stat left_leases($node))[2] & 0777, 0600, "$kind: what outlives a crash is for the server's own user");

		# A backend that crashes ends all, but not the postmaster. Until another session is ended, the postmaster has not
		# noticed, and would end a new one too.
		my $other = connect_to($node);
		kill 'KILL', value_of($session, 'SELECT pg_backend_pid()');
		wait_for('a restart', sub { !eval { $other->do('SELECT 1') } });
		$session = wait_for('a server again', sub { connect_to($node) });
		is(repeated($made, first_ids($session)), 0, "$kind: a backend crashes, IDs go on");
		wait_for('word in the log', sub { told($node, 'goes on with shard 5 as it was left') });
		is(told($node, 'goes on with shard 5 as it was left'), 1, "$kind: the log says so");

		# A copy of the disk as it is now, for later.
		my $aside = $node->basedir . '/aside';
		system_of('cp', '-a', $node->data_dir, $aside);
		is(repeated($made, ids_of($session, 500)), 0, "$kind: more IDs");
		sleep 1.5;    # and a later horizon
		is(repeated($made, ids_of($session, 500)), 0, "$kind: more IDs after a later horizon");

		# The whole server, and again before anybody asks for an ID; the registry is down meanwhile.
		$store->{stop}->('immediate');
		for (1, 2)
		{
			kill_all($node);
			start_again($node);
		}
		$session = connect_to($node);
		my $began = time;
		is(repeated($made, first_ids($session)), 0, "$kind: killed twice, the registry away, IDs go on");
		note sprintf '%s: the first ID after %.2f s', $kind, time - $began;
		$store->{go}->();

		# The disk is put back to the older copy, in its place, and the clock is set back: what was left lies above all IDs.
		my ($last) = sort { $b <=> $a } ids_of($session, 500);
		kill_all($node);
		set_clock($node, '-3');
		system_of('find', $node->data_dir, '-mindepth', 1, '-delete');
		system_of('cp', '-a', "$aside/.", $node->data_dir);
		unlink $node->data_dir . '/postmaster.pid';
		start_again($node);
		$session = connect_to($node);
		cmp_ok(wait_for_id($session), '>', $last,
			"$kind: an older copy of the disk in the place of the server, IDs go on above all");
		set_clock($node, '+0');

		# A copy elsewhere is another server: nothing was left to it.
		kill_all($node);
		my $copy = copy_node($node, "$kind-copy", '');
		start_again($copy);
		my $there = connect_to($copy);
		wait_for('the number on the copy', sub { eval { value_of($there, 'SELECT next_id()') } || $there->errstr =~ $waits });
		fails_to_draw($there, $waits, "$kind: a copy of the disk waits until R");
		unlink $copy->data_dir . '/postmaster.pid' unless $copy->stop('immediate');

		# The original has lost the number to it, but not the IDs below R.
		start_again($node);
		$session = connect_to($node);
		is(repeated($made, first_ids($session)), 0, "$kind: beside a copy that has the number, the server goes on up to R");
		kill_all($node);

		# After a boot nothing is left: what another boot wrote does not count.
		change_boot(left_leases($node));
		start_again($node);
		$session = connect_to($node);
		wait_for('the error', sub { eval { value_of($session, 'SELECT next_id()') }; $session->errstr =~ /shard 5|$waits/ });
		fails_to_draw($session, qr/shard 5|$waits/, "$kind: what was left is gone, and the number is not free");
		$session->disconnect;
		$node->stop('immediate');
		$store->{stop}->('immediate');
	}

	# A clean end gives the number up and leaves nothing behind, also if no session has asked for it since a crash.
	{
		my $store = begin_store('postgresql');
		my $node = start_leased('clean', $store->{address}, setting => \%setting);
		my $session = connect_to($node);
		wait_for_id($session);
		kill_all($node);
		start_again($node);
		wait_for('the number', sub { told($node, 'goes on with shard 5') });
		my $object = left_leases($node);
		ok(-e $object, 'after a crash it is there');
		$node->stop;
		ok(!-e $object, 'after a clean end it is gone');
		is($store->{node}->safe_psql('postgres', 'SELECT is_free FROM idgen_registry.list() WHERE number = 5'), 't',
			'a clean end gives the number back');
		$store->{stop}->('immediate');
	}

	# Memory that is not to be had: the server says so and goes on without.
	{
		my $store = begin_store('postgresql');
		my $node = start_leased('without', $store->{address}, setting => \%setting);
		$node->stop;
		my $object = left_leases($node);
		mkdir $object or die $!;
		$node->start;
		like(PostgreSQL::Test::Utils::slurp_file($node->logfile),
			qr/could not create shared memory that outlives a crash of this server: .*\n.*DETAIL:  After a crash/,
			'no memory: the log says what follows');
		my $session = connect_to($node);
		ok(wait_for_id($session), 'no memory: IDs are made');
		$session->disconnect;
		$node->stop;
		rmdir $object or die $!;
		$store->{stop}->('immediate');
	}

	# Makes an object one of another boot of the kernel.
	sub change_boot
	{
		my ($object) = @_;
		open my $file, '+<:raw', $object or die "$object: $!";
		seek $file, 24, 0;
		read $file, my $byte, 1 or die "$object: $!";
		seek $file, 24, 0;
		print $file chr(ord($byte) ^ 1);
		return close $file || die "$object: $!";
	}

	sub system_of { return system(@_) == 0 || die "@_" }
}

done_testing();
