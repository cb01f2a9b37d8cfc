# A registry that was put back to an older state.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenEtcd;
use IdgenLease;
use IdgenNode;
use IdgenProxy;
use JSON::PP qw(decode_json encode_json);
use MIME::Base64 qw(decode_base64 encode_base64);
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

# A registry that was put back to an older state, with its older limit, or made again: a server goes on with a number
# that another takes from the registry once it is advanced. No ID is made twice. And what the owner of a registry
# allows, as servers meet it. For each kind of registry; all clocks are moved together, so that nobody waits a quarter
# of an hour.
{
	my $registries = 0;
	my %begin = (postgresql => \&begin_postgresql, etcd => \&begin_etcd);

	for my $kind (defined $ENV{IDGEN_STORE} ? $ENV{IDGEN_STORE} : qw(postgresql etcd))
	{
		for my $fate ('put back', 'made anew')
		{
			my $store = $begin{$kind}->();
			lose_memory("$kind, $fate", $store, $fate);
			$store->{stop}->();
		}
	}
	# A registry whose clock and content a test can change.
	sub begin_postgresql
	{
		my $node = start_registry('registry' . ++$registries, fake_clock => 1);
		my @tables = qw(registry lease);
		my $run = sub { return $node->safe_psql('postgres', join ';', @_) };
		return {
			address => address_of($node),
			limit => sub { $run->("SELECT idgen_registry.set_max_ahead('$_[0] s')") },
			save => sub { $run->(map {; "CREATE TABLE saved_$_ AS TABLE idgen_registry.$_" } @tables) },
			put_back => sub { $run->(map {; "DELETE FROM idgen_registry.$_", "INSERT INTO idgen_registry.$_ TABLE saved_$_" } @tables) },
			make_anew => sub { $run->('DROP EXTENSION idgen_registry', 'CREATE EXTENSION idgen_registry') },
			advance => sub { $run->('SELECT (extract(epoch FROM idgen_registry.advance()) * 1000)::bigint') },
			move_clock => sub { set_clock($node, "+$_[0]") },
			stop => sub { $node->stop('immediate') } };
	}

	sub begin_etcd
	{
		my $etcd = IdgenEtcd->start;
		my $proxy = IdgenProxy->start($etcd->{port});
		my $all = { key => encode_base64('/idgen/', ''), range_end => encode_base64('/idgen0', '') };
		my $key = encode_base64('/idgen/registry', '');
		my @saved;
		return {
			address => "etcd://127.0.0.1:$proxy->{port}/idgen",
			limit => sub {
				my $registry = decode_json(decode_base64($etcd->call('kv/range', { key => $key })->{kvs}[0]{value}));
				$registry->{max_ahead_ms} = $_[0] * 1000 . '';
				$etcd->call('kv/put', { key => $key, value => encode_base64(encode_json($registry), '') });
			},
			save => sub { @saved = grep { decode_base64($_->{key}) !~ /holder/ } @{ $etcd->call('kv/range', $all)->{kvs} } },
			put_back => sub { $etcd->call('kv/deleterange', $all); $etcd->call('kv/put', { key => $_->{key}, value => $_->{value} }) for @saved },
			make_anew => sub { $etcd->call('kv/deleterange', $all) },
			advance => sub { value_of($_[0], 'SELECT (extract(epoch FROM idgen_lease.advance_registry()) * 1000)::bigint') },
			move_clock => sub { $proxy->shift_dates($_[0]) },
			stop => sub { $etcd->stop('KILL') } };
	}

	sub start_one
	{
		my ($name, $store, %setting) = @_;
		return start_leased($name, $store->{address}, fake_clock => 1, setting => { 'idgen.lease_range' => '0-0', 'idgen.max_wait' => '1s', %setting });
	}

	# A backup of the time when little was allowed; then a server is granted minutes; then the registry forgets.
	sub lose_memory
	{
		my ($what, $store, $fate) = @_;
		my $name = $what =~ s/\W+/-/gr;
		my $first = start_one("$name-first", $store, 'idgen.lease_window' => '2s', 'idgen.lease_ttl' => '10min', 'idgen.max_clock_jump' => '1h');
		my $session = connect_to($first);
		my %made;
		repeated(\%made, wait_for_id($session));
		$store->{limit}->(5);
		$store->{save}->() if $fate eq 'put back';
		my $saved = time;
		# A registry that is made again has the usual limit. The one before had a larger one, and a server whose clock was
		# nine minutes ahead.
		$store->{limit}->($fate eq 'put back' ? 660 : 900);
		set_clock($first, '+540') if $fate eq 'made anew';
		set_for_server($session, 'idgen.lease_window', '5min');
		my $granted_ms = wait_for('minutes', sub { my $ms = row_of($session, 0)->{horizon_ms}; return $ms > time * 1000 + ($fate eq 'put back' ? 200000 : 800000) && $ms });
		$store->{ $fate eq 'put back' ? 'put_back' : 'make_anew' }->();
		sleep 0.1 while time < $saved + 4;
		my $advanced_ms = $store->{advance}->($session);
		note sprintf '%s: R lay %.1f s ahead, the registry begins %.1f s ahead', $what, map { $_ / 1000 - time } $granted_ms, $advanced_ms;
		cmp_ok($advanced_ms, '>', $granted_ms, "$what: the registry begins above what was granted");
		my $second = start_one("$name-second", $store, 'idgen.lease_window' => '2s');
		my $other = connect_to($second);
		my $ahead = int($advanced_ms / 1000 - time) + 3;
		$store->{move_clock}->($ahead);
		set_clock($second, "+$ahead");
		repeated(\%made, wait_for_id($other));
		is(number_of($other), 0, "$what: another server has the number");
		set_clock($first, "+$ahead");
		my @drawings = map { begin_drawing($_) } $first, $second;
		sleep 3;
		my @ids = map { end_drawing($_) } @drawings;
		my $twice = repeated(\%made, @ids);
		note sprintf '%s: %d IDs, %d twice', $what, scalar @ids, $twice;
		cmp_ok(scalar @ids, '>', 0, "$what: IDs are made");
		is($twice, 0, "$what: none twice");
		$_->disconnect for $session, $other;
		$_->stop('immediate') for $first, $second;
		return;
	}
}

# A registry whose server is put back to an older state and then gets a later dump: its tables have the OIDs again that
# they had when the dump was made, and the dump is an older state all the same.
{
	my $node = start_registry('again', conf => ['autovacuum = off']);
	my ($folder, $saved, $dump) = ($node->data_dir, $node->basedir . '/saved', $node->basedir . '/dump.sql');

	sub make
	{
		my (@with) = @_;
		system_or_bail('psql', '-X', '-q', '-1', '-v', 'ON_ERROR_STOP=1', '-o', '/dev/null', '-d', $node->connstr('postgres'), '-c', 'DROP EXTENSION idgen_registry',
			'-c', 'DROP SCHEMA IF EXISTS idgen_registry', @with);
		return $node->safe_psql('postgres', q{SELECT 'idgen_registry.registry'::regclass::oid});
	}

	$node->stop('fast');
	system_or_bail('cp', '-a', $folder, $saved);
	start_again($node);
	my $before = make('-c', 'CREATE EXTENSION idgen_registry');
	$node->safe_psql('postgres', 'SELECT idgen_registry.identity()');
	system_or_bail('pg_dump', '-d', $node->connstr('postgres'), '-f', $dump);
	$node->stop('fast');
	system_or_bail('rm', '-rf', $folder);
	system_or_bail('mv', $saved, $folder);
	start_again($node);
	is(make('-f', $dump), $before, 'the tables have their OIDs again');
	my $session = connect_to($node);
	fails_with($session, 'SELECT idgen_registry.identity()', '55000', qr/the registry has been copied or restored/,
	  'tables with the OIDs of earlier ones are told from those');
	$session->do('SELECT idgen_registry.advance()');
	ok(value_of($session, 'SELECT idgen_registry.identity()'), 'advanced, it answers');
	$session->disconnect;
	$node->stop('immediate');
}

done_testing();
