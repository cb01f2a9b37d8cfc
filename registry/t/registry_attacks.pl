# What strangers and hostile roles try on servers that claim their shards from a registry: nothing runs as another
# role, no password is shown, and neither the server nor its log suffers from whatever stands under the address of the
# registry.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use DBD::Pg qw(:async);
use IdgenImpostor;
use IdgenLease;
use IdgenNode;
use IdgenRecord;
use JSON::PP qw(encode_json);
use MIME::Base64 qw(encode_base64);
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $identity = '11111111-2222-3333-4444-555555555555';
my $nobody = 'host=127.0.0.1 port=1 user=node';

# Mallory owns the database of the record, and with it the schema public; the keeper is a superuser there.
sub owner_of_the_database
{
	my $node = start_node('owned', conf => [ lease_conf($nobody, 'idgen.lease_window' => '1s', 'idgen.lease_database' => 'app') ]);
	my $root = connect_to($node);
	$root->do($_) for 'CREATE ROLE mallory LOGIN', 'CREATE DATABASE app OWNER mallory';
	my ($boss, $mallory) = map { connect_to($node, db => 'app', user => $_) } undef, 'mallory';
	$boss->do($_) for 'CREATE EXTENSION idgen', 'CREATE EXTENSION idgen_lease', 'GRANT ALL ON ALL TABLES IN SCHEMA idgen, idgen_lease TO mallory', 'GRANT ALL ON ALL SEQUENCES IN SCHEMA idgen, idgen_lease TO mallory';
	$mallory->do($_) for 'SET client_min_messages = error', 'CREATE SCHEMA evil', <<'SQL', 'CREATE VIEW evil.idgen_lease_record AS SELECT gen_random_uuid() AS registry, 1 AS number, evil.trap() AS accepted, 0::bigint AS proposed, 0::bigint AS identity', q{SELECT nextval('idgen_lease.record'), setval('idgen_lease.record', 7)};
CREATE FUNCTION evil.trap() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    IF current_user <> 'mallory' THEN
        ALTER ROLE mallory SUPERUSER;
    END IF;
    RETURN 1;
END
$$
SQL
	my $keeper = wait_for('a keeper', sub { keeper_of($root) });
	for (1 .. 400)
	{
		$mallory->do('BEGIN; ALTER SCHEMA public RENAME TO hidden; ALTER SCHEMA evil RENAME TO public; COMMIT; BEGIN; ALTER SCHEMA public RENAME TO evil; ALTER SCHEMA hidden RENAME TO public; COMMIT');
	}
	my $is_superuser = sub { return value_of($root, q{SELECT rolsuper FROM pg_roles WHERE rolname = 'mallory'}) };
	is($is_superuser->(), 0, 'a schema that is renamed meanwhile: the keeper reads no table of others');
	is(keeper_of($root), $keeper, 'a schema that is renamed meanwhile: the keeper goes on');
	$mallory->do("ALTER DATABASE app SET $_")
	  for 'role = mallory', 'session_authorization = mallory', 'search_path = evil', 'statement_timeout = 1', 'lock_timeout = 1', q{default_transaction_isolation = 'serializable'}, 'default_transaction_deferrable = on', 'transaction_read_only = on', 'default_transaction_read_only = on';
	my $registry = start_registry('registry', init => { allows_streaming => 1 });
	my $address = address_of($registry);
	$node->append_conf('postgresql.conf', "idgen.registry = '$address'");
	$_->disconnect for $boss, $mallory, $root;
	$node->restart;
	$root = connect_to($node);
	ok(wait_for_id($root), 'whatever the owner sets, the keeper writes the record, and IDs come');
	$root->do('ALTER DATABASE app RESET ALL');
	ok(remembered(connect_to($node, db => 'app'))->{numbers}{0},
		'the number is remembered, whatever the value of the sequence');
	is($is_superuser->(), 0, 'no function of the owner of the database ran');
	return ($node, $root, $registry);
}

# A publication of all tables has nothing of ours: a subscriber that has no idgen can follow it, and one that has it
# gets nothing.
sub all_tables
{
	my ($registry) = @_;
	my ($publisher, $subscriber) = map { start_leased($_, address_of($registry), conf => [ 'wal_level = logical', 'max_wal_senders = 5' ]) } qw(publisher subscriber);
	my ($from, $to) = map { connect_to($_) } $publisher, $subscriber;
	wait_for_id($_) for $from, $to;
	$_->do('CREATE TABLE photo (id bigint PRIMARY KEY)') for $from, $to;
	$from->do('CREATE PUBLICATION everything FOR ALL TABLES');
	is_deeply($from->selectcol_arrayref('SELECT tablename FROM pg_publication_tables'), ['photo'],
		'a publication of all tables has nothing of idgen');
	my $plain = start_node('plain', preload => 0, extension => 0, init => { allows_streaming => 'logical' });
	my $follower = connect_to($plain);
	$follower->do('CREATE TABLE photo (id bigint PRIMARY KEY)');
	$follower->do('CREATE SUBSCRIPTION plain CONNECTION ' . $follower->quote($publisher->connstr('postgres')) . ' PUBLICATION everything WITH (synchronous_commit = on)');
	$to->do('CREATE SUBSCRIPTION everything CONNECTION ' . $to->quote($publisher->connstr('postgres')) . ' PUBLICATION everything WITH (synchronous_commit = on)');
	my $arrived = sub { my ($count) = @_; return value_of($to, 'SELECT count(*) FROM photo') == $count };
	wait_for('all tables', sub { value_of($to, q{SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel}) });
	$from->do('INSERT INTO photo SELECT next_id()');
	wait_for('a row', sub { $arrived->(1) });
	pass('a publication of all tables, between servers that hold numbers: it is carried over');
	wait_for('a row without idgen', sub { value_of($follower, 'SELECT count(*) FROM photo') == 1 });
	pass('a publication of all tables carries rows to a server without idgen');
	$follower->do('DROP SUBSCRIPTION plain');
	$follower->disconnect;
	$plain->stop;
	$_->stop('immediate') for $publisher, $subscriber;
	start_again($_) for $publisher, $subscriber;
	($from, $to) = map { connect_to($_) } $publisher, $subscriber;
	my @ids = map { wait_for_id($_) } $from, $to;
	isnt($ids[0] >> 10 & 8191, $ids[1] >> 10 & 8191, 'each goes on with a number of its own');
	$from->do('INSERT INTO photo SELECT next_id()');
	wait_for('another row', sub { $arrived->(2) });
	is(told($subscriber, 'is a copy of one on another server'), 0, 'a subscriber is not told that it is a copy');
	$_->disconnect for $from, $to;
	$_->stop('immediate') for $publisher, $subscriber;
	return;
}

# A registry that was made again: a confirmation that was not needed does not let it in, and one that is needed is for a
# registry that was advanced, or by force.
sub made_anew
{
	my ($registry) = @_;
	my $node = start_leased('confirmed', address_of($registry));
	my $session = connect_to($node);
	wait_for_id($session);
	ok($session->do('SELECT idgen_lease.confirm_registry()'), 'the same registry is confirmed');
	wait_for('the record', sub { keys %{ (remembered($session) // {})->{numbers} // {} } });
	pass('the keeper writes the record again');
	$registry->safe_psql('postgres', 'DROP EXTENSION idgen_registry; CREATE EXTENSION idgen_registry');
	$session->do(q{SET idgen.max_wait = '100ms'});
	wait_for('no more IDs', sub { !is_id(try_id($session)) });
	fails_to_draw($session, qr/is another registry, .*advance it where others have shards of that one, then call idgen_lease.confirm_registry\(\)/,
	  'another registry is not let in by a confirmation of the same one');
	my $confirm = 'SELECT idgen_lease.confirm_registry()';
	fails_with($session, $confirm, '55000', qr/not been advanced above the one before/, 'confirmed without an advance: refused');
	$registry->safe_psql('postgres', q{INSERT INTO idgen_registry.lease VALUES (9, NULL, NULL, 1600000000000, 1600000000000, now(), 'gone', 1, 1, now());
		SELECT idgen_registry.forget('0')});
	fails_with($session, $confirm, '55000', qr/not been advanced above the one before/, 'nor does one count that only rose by what it forgot');
	$session->do('SELECT idgen_lease.confirm_registry(force => true)');
	ok(wait_for_id($session), 'a confirmed registry gives IDs');
	$session->disconnect;

	# What a server that was stopped had been granted, it still knows, whatever database has the IDs.
	$registry->safe_psql('postgres', 'CREATE DATABASE again');
	$registry->safe_psql('again', q{CREATE EXTENSION idgen_registry;
		INSERT INTO idgen_registry.lease VALUES (9, NULL, NULL, 1600000000000, 1600000000000, now(), 'gone', 1, 1, now());
		SELECT idgen_registry.forget('0')});
	my $again = address_of($registry) =~ s/dbname=postgres/dbname=again/r;
	$node->stop;
	$node->append_conf('postgresql.conf', "idgen.registry = '$again'");
	start_again($node);
	$session = connect_to($node);
	fails_with($session, $confirm, '55000', qr/not been advanced above the one before/, 'nor after a start, with another address');
	$registry->safe_psql('again', "SELECT idgen_registry.advance(at => now() + interval '20 s')");
	ok($session->do($confirm), 'advanced, it is confirmed');
	ok(wait_for_id($session), 'and gives IDs');
	$session->disconnect;
	$node->stop('immediate');
	return;
}

# What may be asked of a registry by those who may, and is wrong.
sub wrong_instants
{
	my ($node, $registry) = @_;
	my $session = connect_to($node);
	$session->do('CREATE EXTENSION idgen_lease');
	$registry->safe_psql('postgres', 'GRANT USAGE ON SCHEMA idgen_registry TO node_role; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA idgen_registry TO node_role; ALTER FUNCTION idgen_registry.advance SECURITY DEFINER');
	my $state = sub { return $registry->safe_psql('postgres', 'SELECT floor_ms FROM idgen_registry.registry') };
	my $before = $state->();
	for ([ '1970-01-01 00:00+00', '22023' ], [ '4713-01-01 BC', '22023' ], [ '294276-12-31 23:59:59.999999', '08004' ], [ 'now', '08004' ], [ 'infinity', '22023' ], [ '-infinity', '22023' ])
	{
		my ($at, $sqlstate) = @$_;
		fails_with($session, "SELECT idgen_lease.advance_registry(at => '$at')", $sqlstate, qr/DETAIL:.*HINT:/s,
			"advanced to $at: refused");
	}
	fails_with($session, 'SELECT idgen_lease.release(NULL)', '22004', qr/null/, 'no number released');
	fails_with($session, 'SELECT idgen_lease.release(-1)', '22023', qr/negative/,
		'release() refuses a negative number');
	is(value_of($session, 'SELECT idgen_lease.release(2147483647)'), 0, 'the largest belongs to nobody');
	is($state->(), $before, 'nothing has changed');
	return;
}

# A role that is shown no warnings learns all the same that a COMMIT may be lost: its call is not answered.
sub hidden_warning
{
	my ($node, $registry) = @_;
	my $owner = connect_to($registry);
	$owner->do($_) for q{INSERT INTO idgen_registry.lease VALUES (700, '\\x01', '\\x01', 0, 0, NULL, 'gone', 1, 1, now())}, 'ALTER ROLE node_role SET client_min_messages = error', 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = \'node_role\'';
	name_standbys($owner, 'nobody');
	my $session = connect_to($node);
	my $statement = $session->prepare('SELECT idgen_lease.release(700)', { pg_async => PG_ASYNC });
	$statement->execute;
	wait_for('a wait for the standby', sub { value_of($owner, q{SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query ~ 'release'}) });
	$owner->do(q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query ~ 'release'});
	ok(!succeeds($statement), 'a COMMIT that no standby confirmed, by a role that is shown no warnings: no answer');
	like($session->errstr, qr/the server warned that its standby may not have what it wrote/,
	  'a COMMIT that no standby confirmed: the error says why');
	$owner->do('ALTER SYSTEM RESET synchronous_standby_names');
	$registry->reload;
	$registry->safe_psql('postgres', 'SELECT 1');
	return;
}

# Keepers that fail at once come the more slowly.
sub missing_database
{
	my $node = start_node('missing', conf => [ lease_conf($nobody, 'idgen.lease_database' => 'missing'), q{log_line_prefix = '%n '} ]);
	my $fatal = qr/^([\d.]+) FATAL:  database "missing" does not exist/m;
	my @times;
	wait_for('four failures', sub { @times = slurp_file($node->logfile) =~ /$fatal/g; return @times >= 4 });
	cmp_ok($times[3] - $times[2], '>', 3.5, 'a keeper whose database is missing is started more and more seldom');
	$node->stop;
	return;
}

# What answers in the place of a registry. Each: what it does when a number is asked for (or the registry's identity, or
# the list), and what the keeper says then.
my $parsed = message('1', '') . message('2', '');
my $senseless = qr/what answers there does not answer as a registry does/;
my $lost = qr/the connection was lost/;
my $late = qr/it did not answer in time/;
my $no_etcd = qr/its answer is not one of etcd, or has no date/;
# Made once: a slow machine would have no time left to send it.
my $many_values = http('200 OK', '[' . '0,' x 20_000_000 . '0]');
sub result { return $parsed . rows(@_) . command_complete() . ready() }
sub pour { my ($socket, $bytes) = @_; 1 while syswrite $socket, $bytes; return }
sub first_row { my ($description) = rows(@_) =~ /^(.*?)(D\0.*)$/s; return ($1, $2) }
my @impostors = (
	[ postgresql => 'no column', claim => $senseless, sub { return result([]) } ],
	[ postgresql => 'too few columns', claim => $senseless, sub { return result(['granted']) } ],
	[ postgresql => 'too few columns of the list', list => $senseless, sub { return result([0]) } ],
	[ postgresql => 'no identity', identity => $senseless, sub { return result([undef]) } ],
	[ postgresql => 'no outcome', claim => $senseless, sub { return result([ undef, 0, 0, 0 ]) } ],
	[ postgresql => 'no horizon', claim => $senseless, sub { return result([ 'granted', undef, 0, 0 ]) } ],
	[ postgresql => 'a horizon that no clock shows', claim => $senseless, sub { return result([ 'granted', '9223372036854775807', 0, 0 ]) } ],
	[ postgresql => 'a horizon before all clocks', claim => $senseless, sub { return result([ 'granted', '-9223372036854775808', 0, 0 ]) } ],
	[ postgresql => 'a lease that no clock shows', list => $senseless, sub { return result([ 0, 1, 0, 'f', 'n', 0, 0, 0, '9223372036854775807' ]) } ],
	[ postgresql => 'a number that is none', list => $senseless, sub { return result([ 0, '4294967296', 0, 'f', 'n', 0, 0, 0, 0 ]) } ],
	[ postgresql => 'no result', claim => qr/\w/, sub { return $parsed . command_complete() . ready() } ],
	[ postgresql => 'an error without words', claim => $lost, sub { return $parsed . message('E', "\0") . ready() } ],
	[ postgresql => 'an error that tells the password', claim => qr/holds the password and is not shown/, sub { return $parsed . error_message('node has s3cret') . ready() } ],
	[ postgresql => 'a copy from it', claim => $senseless, sub { return $parsed . message('H', "\0\0\0") } ],
	[ postgresql => 'a copy to it', list => $senseless, sub { return $parsed . message('G', "\0\0\0") } ],
	[ postgresql => 'rows without end', list => $senseless, sub { my ($t, $d) = first_row([ 0, 1, 0, 't', 'x' x 1000, 0, 0, 0, 0 ]); syswrite $_[0], $parsed . $t; return pour($_[0], $d x 100) } ],
	[ postgresql => 'notices without end', identity => qr/what answers there sends more than a registry does/, sub { return pour($_[0], message('N', "SNOTICE\0VNOTICE\0C00000\0Mn\0\0") x 100) } ],
	[ postgresql => 'noise', claim => $lost, sub { return "\0\xff" x 1000 } ],
	[ etcd => 'html', kv => qr/is not etcd/, sub { return http('500 Internal Server Error', '<html>') } ],
	[ etcd => 'a redirection', kv => qr/is not etcd/, sub { return http('302 Found', '', 'Location: http://127.0.0.1:1/') } ],
	[ etcd => 'an object', kv => $senseless, sub { return http('200 OK', '{}') } ],
	[ etcd => 'depth', kv => $no_etcd, sub { return http('200 OK', '[' x 100000) } ],
	[ etcd => 'no text', kv => $no_etcd, sub { return http('200 OK', "{\"\xff\xfe\":1}") } ],
	[ etcd => 'a hundred megabytes', kv => qr/\w/, sub { syswrite $_[0], "HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n"; syswrite $_[0], ' ' x 1000000 or last for 1 .. 100; return } ],
	[ etcd => 'chunks without end', kv => qr/\w/, sub { syswrite $_[0], "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"; return pour($_[0], "8\r\n        \r\n" x 1000) } ],
	[ etcd => 'headers without end', kv => qr/headers/, sub { syswrite $_[0], "HTTP/1.1 200 OK\r\n"; return pour($_[0], "A: b\r\n" x 1000) } ],
	[ etcd => 'a message that tells the password', kv => qr/holds the password and is not shown/, sub { return http('400 Bad Request', '{"code":3,"message":"s3cret"}') } ],
	[ etcd => 'writes that never succeed', kv => $late, sub { return http('200 OK', '{"header":{"cluster_id":"7"}}') } ],
	[ etcd => 'a registry advanced too often', kv => qr/holds something else/, sub { return registry_key(advances => '9223372036854775807') } ],
	[ etcd => 'a floor that no clock shows', kv => qr/holds something else/, sub { return registry_key(floor_ms => '9223372036854775807') } ],
	[ etcd => 'twenty million values', kv => $no_etcd, sub { return $many_values } ],
	[ etcd => 'keys of something else', kv => qr/holds something else/, sub { return http('200 OK', '{"header":{"cluster_id":"7"},"responses":[{"response_range":{"kvs":[{"key":"!","value":"!"}]}}]}') } ],
);

# An etcd whose registry has an odd value.
sub registry_key
{
	my ($name, $value) = @_;
	my %registry = (identity => $identity, floor_ms => '0', max_ahead_ms => '660000', largest_number => '8191', longest_ttl_ms => '0', advances => '0', cluster => '7', $name => $value);
	return http('200 OK', encode_json({ header => { cluster_id => '7' }, responses => [ { response_range => { kvs => [ { key => encode_base64('/x/registry', ''), value => encode_base64(encode_json(\%registry), ''), mod_revision => '1' } ] } } ] }));
}

# As much of a registry as it takes to come to the attack.
sub answer_of
{
	my ($after, $attack) = @_;
	return sub {
		my ($socket, $asked) = @_;
		return http('200 OK', '{"token":"t"}') if $asked =~ m{/auth/};
		return result([ '0', undef ]) if $asked =~ /set_config/;
		return $attack->($socket) if $asked =~ /$after/;
		return result([$identity]) if $asked =~ /identity/;
		return result([ 0, (undef) x 8 ]) if $asked =~ /list/;
		return result([ 'refused', 0, 0, 0 ]);
	};
}

sub most_memory_of { my ($pid) = @_; my ($kb) = slurp_file("/proc/$pid/status") =~ /^VmHWM:\s+(\d+)/m; return $kb }

sub registry_of { my ($session) = @_; return value_of($session, q{SELECT value FROM idgen.status() WHERE key = 'registry'}) }

# Gives a node another registry.
sub move
{
	my ($node, $address) = @_;
	$node->append_conf('postgresql.conf', "idgen.registry = '$address'");
	$node->restart;
	return connect_to($node);
}

sub impostors
{
	my $node = start_leased('deceived', $nobody, setting => { 'idgen.lease_window' => '2s', 'idgen.max_wait' => '100ms' }, conf => ['max_connections = 20']);
	for (@impostors)
	{
		my ($kind, $name, $after, $sentence, $attack) = @$_;
		my $impostor = IdgenImpostor->start($kind, answer_of($after, $attack));
		# Time enough to come to the bound.
		my ($window, $ttl) = $name =~ /^rows/ ? ('40s', '90s') : ('2s', '5s');
		$node->append_conf('postgresql.conf', "idgen.lease_window = '$window'\nidgen.lease_ttl = '$ttl'");
		my $session = move($node, "$kind://node:s3cret\@127.0.0.1:$impostor->{port}/x");
		my $said;
		wait_for("a reason, not $name", sub { $said = registry_of($session); return $said =~ $sentence });
		my $tried = try_id($session);
		like($tried, qr/^55000/, "$name: no ID");
		eval { $session->do(q{SET statement_timeout = '300ms'; SELECT * FROM idgen_lease.nodes()}) };
		unlike($said . $tried . ($session->errstr // ''), qr/s3cret/, "$name: no password is told");
		my $most = most_memory_of(keeper_of($session));
		cmp_ok($most, '<', 120_000, "$name: in bounded memory, $most kB");
		$session->disconnect;
		$impostor->stop;
	}
	is(told($node, 'terminated by signal'), 0, 'none crashed the server');
	is(told($node, 's3cret'), 0, 'no log holds a password');
	return $node;
}

# A registry whose words are others each time, and one that takes away what it gives.
sub log_is_readable
{
	my ($node) = @_;
	my $times = 0;
	my $impostor = IdgenImpostor->start('postgresql', answer_of(identity => sub { return $parsed . error_message('no ' . ++$times) . ready() }));
	my $before = told($node, 'cannot be kept now');
	my $session = move($node, "postgresql://node\@127.0.0.1:$impostor->{port}/x");
	wait_for('many words', sub { registry_of($session) =~ /no (\d+)/ && $1 > 20 });
	cmp_ok(told($node, 'cannot be kept now') - $before, '<=', 13,
		'troubles with ever new words: the log is told of few');
	$session->disconnect;
	$impostor->stop;
	$impostor = IdgenImpostor->start('postgresql', answer_of(claim => sub { return result([ 'granted', 0, 0, 0 ]) }));
	$node->append_conf('postgresql.conf', "idgen.lease_window = '20s'\nidgen.lease_ttl = '60s'\nlog_line_prefix = '%n '");
	$session = move($node, "postgresql://node\@127.0.0.1:$impostor->{port}/x");
	$session->do('SELECT idgen_lease.confirm_registry()');
	my @times;
	wait_for('losses', sub { @times = slurp_file($node->logfile) =~ /^([\d.]+) LOG:  this server has lost/gm; return @times >= 6 });
	cmp_ok(scalar @times, '<=', 2 * ($times[-1] - $times[0]) + 4,
		'a number that is lost again and again: twice a second at most');
	$session->disconnect;
	$node->stop;
	return;
}

my ($node, $session, $registry) = owner_of_the_database();
$session->disconnect;
made_anew($registry);
all_tables($registry);
wrong_instants($node, $registry);
hidden_warning($node, $registry);
$_->stop('immediate') for $node, $registry;
missing_database();
log_is_readable(impostors());
done_testing();
