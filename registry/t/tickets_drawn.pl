# Numbers of counters on a server.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenEtcd;
use IdgenLease;
use IdgenNode;
use IdgenPages;
use IdgenRegistry;
use MIME::Base64 qw(decode_base64 encode_base64);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Numbers of counters on a server that holds them in memory: drawn, at their end, given back, given up, with a registry
# that is down, behind or put back. For each kind of registry.
{
	sub ticket { my ($session, $name) = @_; return value_of($session, 'SELECT next_ticket(?)', $name) }
	sub tickets { my ($session, $name, $n) = @_; return value_of($session, 'SELECT next_tickets(?, ?)', $name, $n) }

	# What the registry says of a counter.
	sub counter
	{
		my ($session, $name) = @_;
		return $session->selectrow_hashref('SELECT * FROM idgen_lease.counters() WHERE name = ?', undef, $name);
	}

	for my $kind ('postgresql', 'etcd')
	{
		my $registry = IdgenRegistry->start($kind);
		my @nodes = map { start_leased("$kind$_", $registry->address, setting => { 'idgen.shards' => $_, 'idgen.max_counters' => 5 }, init => { allows_streaming => 1 }) } 1, 2;
		my @sessions = map { connect_to($_) } @nodes;
		my $root = $sessions[0];
		# Who may make a counter: with etcd any superuser of a node, in a PostgreSQL only the owner of the registry.
		my $owner = $kind eq 'etcd' ? $root : connect_to($registry->{node});
		my $schema = $kind eq 'etcd' ? 'idgen_lease' : 'idgen_registry';
		my $manage = sub { my ($call, @values) = @_; return $owner->do("SELECT $schema.$call", undef, @values) };
		my $create = sub { my ($name, %option) = @_; return $manage->('create_counter(?, ?, ?, ?)', $name, $option{start} // 1, $option{block} // 10, $option{max} // 1000000) };
		fails_with($root, q{SELECT idgen_lease.create_counter('mine')}, '08004', qr/the registry refused the call.*permission denied for function create_counter/s, "$kind: a node makes no counter")
		  if $kind eq 'postgresql';

		# One server: in their order, none left out, whoever draws.
		fails_with($root, q{SELECT next_ticket('orders')}, '42704',
			qr/counter "orders" does not exist.*HINT:.*create_counter\('orders'\)/s, "$kind: no such counter");
		$create->('orders');
		is(join(' ', map { ticket($root, 'orders') } 1 .. 15), join(' ', 1 .. 15),
			"$kind: once it is there, numbers in their order");
		is(tickets($root, 'orders', 3), '[16,19)', "$kind: some numbers in a row");
		is(tickets($root, 'orders', 400), tickets($root, 'orders', 1) =~ /\[(\d+)/ && '[' . ($1 - 400) . ",$1)", "$kind: more in a row than a block has");
		$root->do($_) for q{CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT next_ticket('orders'), at int)}, 'INSERT INTO orders (at) SELECT generate_series(1, 2000)';
		my ($first, $last) = $root->selectrow_array('SELECT min(id), max(id) FROM orders');
		is($last - $first, 1999, "$kind: as a DEFAULT, none left out");
		my %wal;
		for my $value ('on', 'off')
		{
			$root->do("SET idgen.batch_copy = $value");
			my $from = value_of($root, 'SELECT pg_current_wal_insert_lsn()');
			$root->do(q{COPY orders (at) FROM PROGRAM 'seq 2000'});
			$wal{$value} = value_of($root, 'SELECT pg_current_wal_insert_lsn() - ?::pg_lsn', $from);
		}
		is(value_of($root, 'SELECT max(id) - min(id) + 1 - count(*) FROM orders'), 0, "$kind: as a DEFAULT in COPY, none left out");
		my $is_known = grep { $_ == int($root->{pg_server_version} / 10000) } 15, 17, 18, 19;
		cmp_ok($wal{on}, '<', 0.8 * $wal{off}, "$kind: COPY inserts in batches") if $is_known;
		$root->begin_work;
		my $lost = ticket($root, 'orders');
		$root->rollback;
		is(ticket($root, 'orders'), $lost + 1, "$kind: a ROLLBACK gives none back");
		my $stat = $root->selectrow_hashref(q{SELECT * FROM idgen_lease.stat_counter WHERE name = 'orders'});
		is("$stat->{state} $stat->{drawn} $stat->{left_out}", 'given ' . ($lost + 1) . ' 0', "$kind: what was drawn");
		cmp_ok($stat->{block}, '>', 10, "$kind: the block has grown");
		is(counter($root, 'orders')->{next}, $stat->{last_fetched} + 1, "$kind: the registry goes on behind what is held");
		cmp_ok($stat->{held}, '<=', 2 * $stat->{block}, "$kind: held are two blocks at most");

		# Bad names. What other arguments are refused: registry/sql/lease.sql.
		fails_with($root, "SELECT next_ticket($_->[0])", $_->[1], $_->[2], "$kind: next_ticket($_->[0])")
		  for [ 'NULL', '22004', qr/name must not be null/ ], [ q{''}, '22023', qr/has 1 to 63 bytes/ ], [ q{repeat(U&'\00E9', 32)}, '22023', qr/has 1 to 63 bytes.*It has 64/s ],
		  [ q{E'or\nders'}, '22023', qr/must not contain control characters.*it is "or\?ders"/s ];

		# Names are one for all encodings.
		$nodes[0]->safe_psql('postgres', q{CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'});
		$nodes[0]->safe_psql('latin', 'CREATE EXTENSION idgen; CREATE EXTENSION idgen_lease');
		my $named = q{U&'Z\00E4hler'};
		$owner->do("SELECT $schema.create_counter($named)");
		my $latin = connect_to($nodes[0], db => 'latin');
		is(join(' ', map { value_of($_, "SELECT next_ticket($named)") } $root, $latin, $root), '1 2 3',
			"$kind: a name in two encodings");
		is(value_of($latin, "SELECT count(*) FROM idgen_lease.counters() WHERE name = $named"), 1,
			"$kind: a name in two encodings is in the list once");
		fails_with($root, q{SELECT next_ticket(U&'\65E5')}, '42704', qr/does not exist/,
			"$kind: a name that only one encoding has");
		is(value_of($latin, q{SELECT count(*) FROM idgen_lease.stat_counter WHERE name = '???'}), 1,
			"$kind: the other one shows it all the same");
		$latin->disconnect;

		# A counter that ends.
		$create->('few', max => 7);
		is(tickets($root, 'few', 5), '[1,6)', "$kind: few: five of seven");
		fails_with($root, q{SELECT next_tickets('few', 3)}, '2200H',
			qr/does not have that many numbers left.*Asked for: 3/s, "$kind: few: no three more");
		is(join(' ', map { ticket($root, 'few') } 1, 2), '6 7', "$kind: few: the last two are given");
		fails_with($root, q{SELECT next_ticket('few')}, '2200H', qr/does not have that many numbers left/,
			"$kind: few: none is left");
		wait_until($root, q{SELECT EXISTS (SELECT FROM idgen.status() AS s WHERE s::text ~ 'counter ""few"" has come to its end')});
		$root->do('SET idgen.max_wait = 0');
		# If the registry is faster than the draw, it says that there is none: then a name that it was not asked for before.
		my $asked = 0;
		my $said = wait_for('a counter that was not asked for', sub { eval { ticket($root, 'unasked' . ++$asked) }; return $root->state eq '55000' && $root->errstr });
		like($said, qr/holds no number of counter "unasked$asked".*DETAIL:  The registry answers, and has not given any yet\. Waited/s,
			"$kind: few: what is wrong with it is not said of another counter");
		$root->do('RESET idgen.max_wait');
		$manage->('set_counter_max(?, ?)', 'few', 100);
		is(ticket($root, 'few'), 8, "$kind: few: its owner lets it go on");

		# A range that is longer than what is left, while enough is held for single numbers.
		$create->('half', block => 100, max => 150);
		is(ticket($root, 'half'), 1, "$kind: half: a block of 100");
		fails_with($root, q{SELECT next_tickets('half', 120)}, '2200H',
			qr/does not have that many numbers left.*Asked for: 120/s, "$kind: half: no 120 in a row are left");
		is(tickets($root, 'half', 90), '[2,92)', "$kind: half: 90 in a row are held");

		# More counters than there is room for: the least used is given up, and goes on where it was.
		$create->($_) for map { "c$_" } 1 .. 7;
		my %next = map { ("c$_" => 1) } 1 .. 7;
		my @wrong;
		for my $round (1 .. 4)
		{
			for my $name (sort keys %next)
			{
				my $ticket = ticket($root, $name);
				push @wrong, "$name: $ticket" if $ticket != $next{$name}++;
			}
		}
		is("@wrong", '', "$kind: seven counters where five have room: each goes on, none is left out");
		is(value_of($root, 'SELECT count(*) FROM idgen_lease.stat_counter'), 5, "$kind: five are held");

		# Names that no counter has take the place of none but one.
		my $held = sub { return value_of($root, q{SELECT string_agg(name, ' ' ORDER BY name) FROM idgen_lease.stat_counter WHERE name ~ '^c'}) };
		eval { value_of($root, q{SELECT next_ticket('nothing')}) };
		my $before = $held->();
		for my $name (1 .. 20) { eval { value_of($root, 'SELECT next_ticket(?)', "nothing$name") } }
		is($held->(), $before, "$kind: names that no counter has");

		# A clean end gives back what no session has used; not if another server has drawn since.
		$create->('calm', block => 50);
		is(ticket($sessions[0], 'calm'), 1, "$kind: calm: the first block");
		$nodes[0]->restart;
		$sessions[0] = $root = connect_to($nodes[0]);
		$owner = $root if $kind eq 'etcd';
		is(counter($root, 'calm')->{next}, 2, "$kind: calm: the rest is given back");
		is(ticket($sessions[0], 'calm'), 2, "$kind: calm: the counter goes on with the rest");
		is(ticket($sessions[1], 'calm'), 52, "$kind: calm: the other server has the next block");
		$nodes[0]->restart;
		$sessions[0] = $root = connect_to($nodes[0]);
		$owner = $root if $kind eq 'etcd';
		is(counter($root, 'calm')->{next}, 102, "$kind: calm: what lies below another's block is not given back");
		is(ticket($sessions[1], 'calm'), 53, "$kind: calm: the other server goes on in it");

		# A crash leaves out what was held, and no more.
		is(ticket($sessions[0], 'calm'), 102, "$kind: calm: a block before the crash");
		crash($nodes[0]);
		start_again($nodes[0]);
		$sessions[0] = $root = connect_to($nodes[0]);
		$owner = $root if $kind eq 'etcd';
		is(ticket($sessions[0], 'calm'), 152, "$kind: calm: a crash leaves out the rest of its block");

		# A registry that is down: what is held goes on, and then an error says why.
		$registry->pause;
		$sessions[0]->do(q{SET idgen.max_wait = '1s'});
		is(ticket($sessions[0], 'calm'), 153, "$kind: away: a number that was held");
		fails_with($sessions[0], q{SELECT next_tickets('calm', 1000)}, '55000',
			qr/this server holds no number of counter "calm".*Waited for 1\.\d+ s.*HINT:.*idgen\.status\(\)/s,
			"$kind: away: what is not");
		$sessions[0]->do(q{SET statement_timeout = '200ms'});
		fails_with($sessions[0], q{SELECT next_tickets('calm', 1000)}, '57014', qr/statement timeout/,
			"$kind: away: a wait can be cancelled");
		$registry->resume;
		$sessions[0]->do($_) for 'RESET statement_timeout', 'RESET idgen.max_wait';
		like(wait_for('numbers again', sub { tickets($sessions[0], 'calm', 1000) }), qr/^\[\d+,\d+\)$/,
			"$kind: away: over");

		# Who may draw.
		$nodes[0]->safe_psql('postgres', q{CREATE ROLE app LOGIN; CREATE TABLE notes (id bigint DEFAULT next_ticket('calm'), what text); GRANT INSERT, SELECT ON notes TO app});
		my $app = connect_to($nodes[0], user => 'app');
		fails_with($app, $_, '42501', qr/permission denied for function next_tickets?/,
			"$kind: app: $_") for q{SELECT next_ticket('calm')}, q{INSERT INTO notes (what) VALUES ('x')}, q{SELECT next_tickets('calm', 5)};
		$root->do('GRANT EXECUTE ON FUNCTION next_ticket(text) TO app');
		ok($app->do(q{INSERT INTO notes (what) VALUES ('x')}), "$kind: app: after a GRANT");
		fails_with($app, "SELECT $_", '42501', qr/permission denied for (?:schema|function)/, "$kind: app: $_")
		  for q{idgen_lease.create_counter('x')}, q{idgen_lease.advance_counter('calm', 5)}, q{idgen_lease.drop_counter('calm')}, 'count(*) FROM idgen_lease.counters()';
		$root->do('GRANT USAGE ON SCHEMA idgen_lease TO app');
		$root->do("GRANT EXECUTE ON FUNCTION idgen_lease.$_ TO app") for 'create_counter(text, bigint, bigint, bigint, bigint)', 'drop_counter(text, boolean)';
		fails_with($app, "SELECT idgen_lease.$_", '42501', qr/must be superuser/,
			"$kind: app: no superuser: $_") for q{create_counter('x')}, q{drop_counter('calm')};

		# A standby draws none; promoted, it holds nothing of what its origin held.
		my $before = ticket($sessions[0], 'calm');
		$nodes[0]->backup('base');
		my $standby = PostgreSQL::Test::Cluster->new("${kind}_standby");
		$standby->init_from_backup($nodes[0], 'base', has_streaming => 1);
		$standby->start;
		my $there = connect_to($standby);
		fails_with($there, q{SELECT next_ticket('calm')}, '25006', qr/cannot execute next_ticket\(\) during recovery/,
			"$kind: a standby");
		$standby->promote;
		my $promoted = ticket($there, 'calm');
		my $origin = ticket($sessions[0], 'calm');
		cmp_ok($promoted, '>', $before + 1, "$kind: promoted: a block of its own");
		is($origin, $before + 1, "$kind: promoted: its origin goes on in another");
		$_->disconnect for $app, $there;
		$standby->stop('immediate');

		# A registry that is put back to an older state, unnoticed: no number that this server was given comes again.
		my $seen = ticket($sessions[0], 'calm');
		my $set_back = sub {
			my ($to) = @_;
			return $owner->do("UPDATE idgen_registry.counter SET last = $to, run_start = $to + 1, version_hash = idgen_registry.hash(5) WHERE name = 'calm'") if $kind eq 'postgresql';
			my $key = '/idgen/counter/calm';
			my $etcd = $registry->{etcd};
			my $row = decode_base64($etcd->call('kv/range', { key => encode_base64($key, '') })->{kvs}[0]{value});
			$row =~ s/"last": *"?\d+"?/"last": $to/ && $row =~ s/"run_start": *"?\d+"?/"run_start": $to/ or die "no counter: $row";
			$etcd->call('kv/put', { key => encode_base64($key, ''), value => encode_base64($row, '') });
		};
		$set_back->(60);
		fails_with($sessions[0], q{SELECT next_tickets('calm', 300)}, '55000',
			qr/the registry gives numbers of counter "calm" again.*put back to an older state.*HINT:.*Advance it now/s,
			"$kind: put back, and not advanced");

		# Advanced, each counter waits for its owner.
		$kind eq 'etcd' ? $owner->do('SELECT idgen_lease.advance_registry()') : do { local $owner->{PrintWarn} = 0; $owner->do('SELECT idgen_registry.advance()') };
		fails_with($sessions[1], q{SELECT next_tickets('calm', 5000)}, '55000',
			qr/counter "calm" gives no numbers until advance_counter\(\) is called.*HINT:.*advance_counter\('calm', \.\.\.\)/s,
			"$kind: put back: it waits");
		is(counter($root, 'calm')->{awaits_advance}, 1, "$kind: put back: the list says so");
		fails_with($root, "SELECT idgen_lease.advance_counter('calm', $seen)", '22023', qr/counter "calm" has given numbers from $seen on\nDETAIL:  This server was given numbers up to \d+\.\nHINT:  Give a number above/,
			"$kind: put back: not below what this server was given");
		$manage->('advance_counter(?, ?)', 'calm', 500000);
		is(tickets($sessions[1], 'calm', 5000), '[500000,505000)', "$kind: put back: it goes on where its owner said");
		fails_with($kind eq 'etcd' ? $sessions[1] : $owner, "SELECT $schema.advance_counter('calm', 2)", $kind eq 'etcd' ? '08004' : '22023', qr/goes on/,
			"$kind: not below what it knows");

		# A counter that is dropped.
		$manage->('drop_counter(?)', 'calm');
		is(counter($root, 'calm'), undef, "$kind: dropped");
		fails_with($sessions[1], q{SELECT next_tickets('calm', 500)}, '42704', qr/counter "calm" does not exist/,
			"$kind: dropped: gives no more");
		$_->disconnect for @sessions;
		$_->stop('immediate') for @nodes;
		$registry->stop;
	}

	# A server that has not loaded the module, or has no registry.
	{
		my $node = start_node('without');
		$node->safe_psql('postgres', 'CREATE EXTENSION idgen_lease');
		my $session = connect_to($node);
		fails_with($session, q{SELECT next_ticket('orders')}, '55000',
			qr/has not loaded idgen_lease at its start.*HINT:.*shared_preload_libraries/s, 'not preloaded');
		is(value_of($session, 'SELECT count(*) FROM idgen_lease.stat_counter'), 0, 'not preloaded: nothing is held');
		$node->append_conf('postgresql.conf', "shared_preload_libraries = 'idgen, idgen_lease'");
		$node->restart;
		fails_with(connect_to($node), q{SELECT next_ticket('orders')}, '55000', qr/idgen\.registry is not set/,
			'no registry');
		$node->stop('immediate');
	}

	# A registry that was never heard since the start: waiting would not help, however long it is allowed.
	{
		my $node = start_leased('deaf', 'postgresql://node@127.0.0.1:1/registry', setting => { 'idgen.max_wait' => '10min' });
		my $session = connect_to($node);
		$session->do(q{SET statement_timeout = '2min'});
		fails_with($session, q{SELECT next_ticket('orders')}, '55000', qr/The keeper of its shards says: .*Connection refused/s, "never heard: $_") for 1 .. 3;
		$node->stop('immediate');
	}
}

# docs/tickets.md does what it says, as it is typed there.
{
	my $registry = start_registry('page_registry');
	my $node = start_leased('page_node', address_of($registry), setting => { 'idgen.shards' => 1 });
	my $owner = connect_to($registry);
	my $session = connect_to($node);
	my %blocks;
	push @{ $blocks{ $_->{section} } }, $_->{text} for grep { $_->{language} eq 'sql' } blocks('tickets');
	my $type = sub {
		my ($section, $on) = @_;
		my $text = shift @{ $blocks{$section} } // die "no block in $section\n";
		return $on->do($text);
	};

	$type->('Set-up', $owner);
	$type->('Set-up', $session);
	$session->do('ALTER ROLE shop LOGIN');
	my $shop = connect_to($node, user => 'shop');
	$shop->do(q{INSERT INTO orders (what) VALUES ('a'), ('b')}) for 1, 2;
	is(value_of($session, q{SELECT string_agg(number::text, ' ' ORDER BY number) FROM orders}), '1 2 3 4',
		'orders: numbers in their order, for a role that may');

	$type->('Block size', $owner);
	is(join(' ', $owner->selectrow_array('SELECT block, max_block FROM idgen_registry.counters()')), '10 1000',
		'the block is bounded');

	$type->('If numbers must have no gaps', $session);
	$session->do(q{DELETE FROM invoice; UPDATE invoice_series SET last = 0});
	my ($write) = page('tickets') =~ /^(WITH next AS \(.*?;)$/ms;
	my @got;
	for my $round (1 .. 3)
	{
		$session->begin_work;
		push @got, value_of($session, $write);
		$round == 2 ? $session->rollback : $session->commit;
	}
	is("@got", '1 2 2', 'invoices: what is rolled back is no gap');

	my ($advance, $go_on) = split /(?<=;)\n/, shift @{ $blocks{'If the registry is unreachable'} };
	$owner->do($advance);
	fails_with($session, q{SELECT next_tickets('orders', 1000)}, '55000',
		qr/gives no numbers until advance_counter\(\) is called/, 'after advance(): nothing');
	$owner->do($go_on);
	is(value_of($session, q{SELECT next_tickets('orders', 1000)}), '[51234,52234)',
		'tickets go on when the owner has said from where');
	is_deeply([ grep { @{ $blocks{$_} } } keys %blocks ], [], 'nothing of the page is left out');
}

done_testing();
