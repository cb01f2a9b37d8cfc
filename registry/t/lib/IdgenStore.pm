# A registry for the TAP tests, in PostgreSQL or in etcd, behind functions that are the same for both: it can be away,
# stand still, be put back to an older state, or be another one under the same address.
package IdgenStore;

use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use Exporter qw(import);
use IdgenEtcd;
use IdgenLease;
use IdgenNode;
use JSON::PP qw(decode_json encode_json);
use MIME::Base64 qw(decode_base64 encode_base64);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

our @EXPORT = qw(store_kinds begin_store make_counter freeze thaw processes_of);

my %begin = (postgresql => \&_begin_postgresql, etcd => \&_begin_etcd);
my $stores = 0;

# The kinds to test: both if there is an etcd, or the one that IDGEN_STORE names.
sub store_kinds
{
	my $has_etcd = grep { -x "$_/etcd" } split /:/, $ENV{PATH};
	return $ENV{IDGEN_STORE} // grep { $has_etcd || $_ ne 'etcd' } reverse sort keys %begin;
}

# Starts one, in PostgreSQL with options of start_node. Each function of the hash that it gives: stop(mode), go, freeze, thaw, save, put_back, replace,
# limit_horizons(seconds), secret(number), which gives what lies in the store of it, advance(session on a node, interval
# from now), advance_by(session, longest_ahead), demand_password(password), which gives the address with it; rows, by
# number, looked at past the store, forget_rows, count_holders, end_lease(number); address is what idgen.registry takes,
# address_at(port) the same over a proxy before its port.
sub begin_store
{
	my ($kind, %option) = @_;
	my $store = $begin{$kind}->(%option);
	$store->{kind} = $kind;
	_add_copies($store);
	return $store;
}

# Makes a counter whose blocks have that size.
sub make_counter
{
	my ($store, $session, $name, $block) = @_;
	return value_of($session, "SELECT idgen_lease.create_counter('$name', block => $block, max_block => $block)") if $store->{kind} eq 'etcd';
	return $store->{node}->safe_psql('postgres', "SELECT idgen_registry.create_counter('$name', block => $block, max_block => $block)");
}

# Stops all processes of a server, and lets them go on: its postmaster last and first, so that none is missed.
sub freeze { my ($node) = @_; kill 'STOP', $node->{_pid}; return kill 'STOP', processes_of($node) }
sub thaw { my ($node) = @_; kill 'CONT', processes_of($node); return kill 'CONT', $node->{_pid} }

sub processes_of { my ($node) = @_; return split ' ', `ps -o pid= --ppid $node->{_pid}` }

sub _begin_postgresql
{
	my (%option) = @_;
	my $node = start_registry('registry' . ++$stores, %option, conf => [q{listen_addresses = '127.0.0.1'}]);
	return {
		node       => $node,
		folder     => $node->data_dir,
		address    => address_of($node),
		port       => $node->port,
		address_at => sub { return "host=127.0.0.1 port=$_[0] dbname=postgres user=node_role" },
		stop    => sub { $node->stop($_[0] // 'fast') },
		go      => sub { $node->start },
		freeze  => sub { freeze($node) },
		thaw    => sub { thaw($node) },
		replace => sub { $node->safe_psql('postgres', 'DROP EXTENSION idgen_registry; CREATE EXTENSION idgen_registry') },
		limit_horizons  => sub { $node->safe_psql('postgres', "SELECT idgen_registry.set_max_ahead('$_[0] s')") },
		advance         => sub { $node->safe_psql('postgres', "SELECT idgen_registry.advance(at => now() + interval '$_[1]')") },
		advance_by      => sub { $node->safe_psql('postgres', "SELECT idgen_registry.advance('$_[1]')") },
		rows            => sub { return numbers_in($node) },
		secret          => sub { return $_[0] && sha256_hex(pack 'q>', $_[0]) },
		count_holders   => sub { return $node->safe_psql('postgres', 'SELECT count(*) FROM idgen_registry.lease WHERE incarnation_hash IS NOT NULL') },
		forget_rows     => sub { $node->safe_psql('postgres', 'DELETE FROM idgen_registry.lease') },
		end_lease       => sub { $node->safe_psql('postgres', "UPDATE idgen_registry.lease SET lease_end = clock_timestamp() WHERE number = $_[0]") },
		demand_password => sub { _demand_password($node, $_[0]); return address_of($node) . " password=$_[0]" },
	};
}

sub _begin_etcd
{
	my $etcd = IdgenEtcd->start;
	my $folder = "$etcd->{folder}/data";
	return {
		etcd       => $etcd,
		folder     => $folder,
		address    => $etcd->registry('/idgen'),
		port       => $etcd->{port},
		address_at => sub { return "etcd://127.0.0.1:$_[0]/idgen" },
		stop    => sub { $etcd->stop(($_[0] // '') eq 'immediate' ? 'KILL' : 'TERM') },
		go      => sub { $etcd->go },
		freeze  => sub { $etcd->pause },
		thaw    => sub { $etcd->resume },
		replace => sub { $etcd->stop; system_or_bail('rm', '-rf', $folder); $etcd->go },
		limit_horizons  => sub { _limit_horizons($etcd, $_[0]) },
		advance         => sub { value_of($_[0], q{SELECT idgen_lease.advance_registry(at => now() + ?::interval)}, $_[1]) },
		advance_by      => sub { value_of($_[0], q{SELECT idgen_lease.advance_registry(?::interval)}, $_[1]) },
		rows            => sub { return _rows($etcd) },
		secret          => sub { return $_[0] },
		count_holders   => sub { return $etcd->call('kv/range', _keys('holder'))->{count} // 0 },
		forget_rows     => sub { $etcd->call('kv/deleterange', _keys($_)) for qw(number holder) },
		end_lease       => sub { $etcd->call('lease/revoke', { ID => _rows($etcd)->{ $_[0] }{lease} }) },
		demand_password => sub { $etcd->demand_password('root', 'node', $_[0], '/idgen'); return $etcd->registry('/idgen', "node:$_[0]") },
	};
}

sub _demand_password
{
	my ($node, $password) = @_;
	$node->safe_psql('postgres', "SET log_statement = 'none'; ALTER ROLE node_role PASSWORD '$password'");
	my $rules = $node->data_dir . '/pg_hba.conf';
	my $before = slurp_file($rules);
	unlink $rules;
	append_to_file($rules, "local all node_role scram-sha-256\nhost all node_role all scram-sha-256\n$before");
	return $node->reload;
}

# How far ahead a horizon may be raised stands in the key of the registry itself.
sub _limit_horizons
{
	my ($etcd, $seconds) = @_;
	my $key = encode_base64('/idgen/registry', '');
	my $registry = decode_json(decode_base64($etcd->call('kv/range', { key => $key })->{kvs}[0]{value}));
	$registry->{max_ahead_ms} = $seconds * 1000;
	return $etcd->call('kv/put', { key => $key, value => encode_base64(encode_json($registry), '') });
}

sub _keys { my ($kind) = @_; return { key => encode_base64("/idgen/$kind/", ''), range_end => encode_base64("/idgen/${kind}0", '') } }

sub _rows
{
	my ($etcd) = @_;
	my $keys = $etcd->call('kv/range', _keys('number'))->{kvs} // [];
	return { map { int(decode_base64($_->{key}) =~ s{.*/}{}r) => decode_json(decode_base64($_->{value})) } @$keys };
}

# What it holds now can be put back later.
sub _add_copies
{
	my ($store) = @_;
	my $saved = "$store->{folder}.saved";
	$store->{save} = sub {
		$store->{stop}->();
		system_or_bail('cp', '-a', $store->{folder}, $saved);
		$store->{go}->();
	};
	$store->{put_back} = sub {
		$store->{stop}->();
		system_or_bail('rm', '-rf', $store->{folder});
		system_or_bail('cp', '-a', $saved, $store->{folder});
		$store->{go}->();
	};
	return;
}

1;
