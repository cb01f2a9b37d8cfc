# Transactions that are open when a machine is copied with its memory.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenEtcd;
use IdgenHost qw(page_of resume write_page write_generation);
use IdgenLease;
use IdgenMakers;
use IdgenMany qw(copy_node);
use IdgenNode;
use IdgenStore;
use PostgreSQL::Test::Utils;
use Test::More;

# Transactions that are open when a machine is copied with its memory, and what is stored on the copies after all:
# nothing twice. As far as one machine can show it: a server stands still, its disk is copied, the word by which its host
# tells of copies changes, and it goes on with its memory. What it commits of before, another copy of its memory commits
# as well. Beside it runs the copy of its disk. For each kind of registry, and for shards by hand.
{
	# What is drawn, and of which kind it is: no value of a kind comes twice. Timestamps of two servers may be the same.
	my %kind_of = (
		'next_id()'                 => 'ID',
		'next_ids(20)'              => 'ID',
		'unnest(next_id_array(20))' => 'ID',
		'next_decimal_id()'         => 'DecimalId',
		'hlc_now()'                 => 'timestamp',
		'next_ulid()'               => 'ULID',
		'next_ksuid()'              => 'KSUID',
		'next_objectid()'           => 'ObjectId',
		'next_uuidv7()'             => 'UUIDv7',
		'next_nanoid()'             => 'NanoID',
		'id_to_uuidv8(1)'           => 'UUIDv8');
	my %with_counters = (%kind_of, q{next_ticket('orders')} => 'ticket', q{next_tickets('orders', 3)} => 'ticket');

	# No number of before is free again while the file runs.
	my %setting = ('idgen.lease_window' => '1min', 'idgen.lease_ttl' => '1h', 'idgen.max_wait' => '60s');
	my $folder = PostgreSQL::Test::Utils::tempdir();

	# Numbers that were given by hand, of shards and of DecimalIds, are another one's on the copy.
	for my $kind (store_kinds())
	{
		my $store = begin_store($kind);
		my $node = start_leased("$kind-node", $store->{address}, kinds => 1, setting => { %setting, 'idgen.machine_generation' => word_file("$kind-node") }, conf => [ conf_of_ways() ]);
		my $session = connect_to($node);
		make_counter($store, $session, 'orders', 200);
		$session->disconnect;
		two_servers($kind, $node, \%with_counters, 'idgen.decimal_launch = 77');
		$store->{stop}->('immediate');
	}
	my $by_hand = start_node('hand-node', kinds => 1, conf => [ q{idgen.shards = '5'}, 'idgen.max_wait = 60s', q{idgen.machine_generation = '} . word_file('hand-node') . q{'}, conf_of_ways() ]);
	two_servers('hand', $by_hand, \%kind_of, 'idgen.decimal_launch = 77', q{idgen.shards = '6'});
	sub two_servers
	{
		my ($what, $node, $kinds, @conf) = @_;
		my $session = connect_to($node);
		$session->do('CREATE TABLE stored (kind text, v text)');
		begin_source($session);
		my @calls = sort keys %$kinds;
		my @before = map { store($session, $kinds->{$_}, "SELECT $_") } @calls;

		# Transactions that are open: of each maker one that has drawn itself, and one whose workers have.
		my @open;
		for my $call (@calls)
		{
			push @open, my @pair = map { { session => connect_to($node), what => "$what: $call$_" } } '', ', by workers';
			$_->{session}->do('BEGIN') for @pair;
			$pair[0]{values} = [ store($pair[0]{session}, $kinds->{$call}, "SELECT $call") ];
			my $drawn = draw_in_workers($pair[1]{session}, $call);
			$pair[1]{values} = [ store($pair[1]{session}, $kinds->{$call}, "SELECT v FROM $drawn") ];
		}
		freeze($node);
		IdgenEtcd::halt($node->{_pid}, processes_of($node));
		my $copy = copy_node($node, "$what-copy", q{idgen.machine_generation = '} . word_file("$what-copy") . q{'}, @conf);
		unlink $copy->data_dir . '/postmaster.pid';
		write_generation("$folder/" . $_->name, 1) for $node, $copy;
		start_again($copy);
		thaw($node);

		# Other sessions go on first, on both.
		my $there = connect_to($copy);
		$_->do('SELECT idgen.confirm_shards()') for $session, $there;
		my @after = map { my $on = $_; map { store($on, $kinds->{$_}, "SELECT $_") } @calls } $session, $there;
		my @stored_twice;
		for my $it (@open)
		{
			is_refused($it->{session}, 'COMMIT', $it->{what}) or push @stored_twice, @{ $it->{values} };
			$it->{session}->disconnect;
		}
		is(scalar @stored_twice, 0, "$what: values that both machines would store");

		# What was committed before is on both.
		my %is_common = map { $_ => 1 } @before;
		my %stored;
		my @rows = map { rows_of($_) } $session, $there;
		is(scalar(grep { $is_common{$_} } @rows), 2 * @before, "$what: what was committed before is on both");
		is(scalar(grep { !/^timestamp/ } twice(\%stored, (grep { !$is_common{$_} } @rows), @before, @stored_twice)), 0, "$what: nothing is stored twice");
		my %handed;
		is(scalar(grep { !/^timestamp/ } twice(\%handed, @before, @after, map { @{ $_->{values} } } @open)), 0, "$what: nothing is handed out twice");
		cmp_ok(scalar(keys %handed), '>', 1000, "$what: of many");
		$_->disconnect for $session, $there;
		$_->stop('immediate') for $node, $copy;
		return;
	}

	sub twice { my ($seen, @values) = @_; return grep { $seen->{$_}++ } @values }

	# Stores what a query draws; each value with its kind.
	sub store
	{
		my ($session, $kind, $query) = @_;
		return with_kinds($session->selectall_arrayref("INSERT INTO stored SELECT '$kind', q.v::text FROM ($query) AS q(v) RETURNING kind, v"));
	}
	sub rows_of { my ($session) = @_; return with_kinds($session->selectall_arrayref('SELECT kind, v FROM stored')) }

	# Numbers in a row are each of them.
	sub with_kinds
	{
		my ($rows) = @_;
		return map { my ($kind, $v) = @$_; map { "$kind $_" } $v =~ /^\[(\d+),(\d+)\)$/ ? ($1 .. $2 - 1) : $v } @$rows;
	}

	# A file of the form of /dev/vmclock0, whose generation is 0.
	sub word_file
	{
		my ($name) = @_;
		write_page("$folder/$name");
		return "$folder/$name";
	}
}

# A transaction that was handed a number of a counter before its machine was copied with its memory is neither committed
# nor prepared after it: by every maker of idgen_lease, in every way, for each kind of registry.
{
	# Each volatile function is a maker, with a call, or none, by the reason.
	my %makers = (next_ticket => q{next_ticket('orders')}, next_tickets => q{next_tickets('orders', 3)});
	my %others = (
		'of the registry' => [ map { "idgen_lease.$_" } qw(nodes release advance_registry limit_registry forget_shards confirm_registry
			counters create_counter drop_counter set_counter_max set_counter_block advance_counter) ],
		'of statistics' => ['idgen_lease.stat_counter']);

	# The registry's extension has no library: what it hands out stands in its tables.
	my %of_registry = (
		'in its tables' => [ map { "idgen_registry.$_" } qw(claim check_untold extend stop release list enter identity answer_of lease_end lease_left forget advance latest_known lock_registry
			find_locker locked_rows confirm_home set_max_ahead set_largest_number set_longest_ttl fetch_one fetch_ranges give_back_one give_back_ranges take_range taken_range
			next_range counters create_counter drop_counter set_counter_max set_counter_block advance_counter stop_counters lock_counter) ],
		'random'               => ['idgen_registry.random_version'],
		'looks at the clock'   => ['idgen_registry.clock_ms'],
		'changes the settings' => ['idgen_registry.begin_write'],
		'turns triggers on' => ['idgen_registry.keep_again'],
		'is a trigger' => ['idgen_registry.keep_own']);

	# No number is free again while the file runs.
	my %setting = ('idgen.lease_window' => '1min', 'idgen.lease_ttl' => '1h', 'idgen.max_wait' => '60s');

	for my $kind (store_kinds())
	{
		my $store = begin_store($kind);
		my $word = PostgreSQL::Test::Utils::tempdir() . '/machine';
		write_page($word);
		my $node = start_leased($kind . '_node', $store->{address}, setting => { %setting, 'idgen.machine_generation' => $word }, conf => [ conf_of_ways() ]);
		link $word, page_of($node) or die page_of($node) . ": $!";
		my $session = connect_to($node);
		make_counter($store, $session, 'orders', 10);
		my @makers = makers_of($session, ['idgen_lease'], \%makers, \%others);
		makers_of(connect_to($store->{node}), ['idgen_registry'], {}, \%of_registry) if $kind eq 'postgresql';
		begin_ways($session, @makers);
		my $generation = 0;
		my $copy = sub { resume($node, ++$generation) };
		walk_ways($node, $copy, @makers);
		walk_controls($node, $copy, @makers);
		walk_readers($node, @makers);
		my ($drawn, $repeated) = $session->selectrow_array(q{SELECT count(*), count(*) - count(DISTINCT v) FROM kept WHERE v ~ '^\d+$'});
		cmp_ok($drawn, '>', 0, "$kind: numbers are stored");
		is($repeated, 0, "$kind: and none twice");
		$session->disconnect;
		$node->stop('immediate');
		$store->{stop}->('immediate');
	}
}

done_testing();
