# Servers that take their numbers from a registry, for the TAP tests; and a registry in a PostgreSQL of its own.
package IdgenLease;

use strict;
use warnings;

use Exporter qw(import);
use IdgenNode;
use Test::More;
use Time::HiRes qw(sleep time);

our @EXPORT = qw(start_registry address_of start_leased lease_conf number_of first_id numbers_in row_in try_id ids_of wait_for_id);

# A registry without the library, its database `postgres`, its role node_role.
sub start_registry
{
	my ($name, %option) = @_;
	my $node = start_node($name, preload => 0, extension => 0, %option);
	$node->safe_psql('postgres', 'CREATE EXTENSION idgen_registry; CREATE ROLE node_role LOGIN IN ROLE idgen_node');
	return $node;
}

sub address_of
{
	my ($registry) = @_;
	return sprintf 'host=%s port=%s dbname=postgres user=node_role', $registry->host, $registry->port;
}

# The configuration of a server that takes its numbers from an address. The settings of a test replace those given here.
sub lease_conf
{
	my ($address, %setting) = @_;
	my %all = ('idgen.registry' => $address, 'idgen.shards' => 'lease', 'idgen.lease_window' => '4s', 'idgen.lease_ttl' => '20s', %setting);
	return ("shared_preload_libraries = 'idgen, idgen_lease'", map { "$_ = '$all{$_}'" } sort keys %all);
}

# A server with both extensions, whose first ID is still to come.
sub start_leased
{
	my ($name, $address, %option) = @_;
	my $setting = delete $option{setting} // {};
	my $node = start_node($name, %option, conf => [ lease_conf($address, %$setting), @{ $option{conf} // [] } ]);
	$node->safe_psql('postgres', 'CREATE EXTENSION idgen_lease');
	return $node;
}

# The number of the IDs that a session makes.
sub number_of { my ($session) = @_; return value_of($session, 'SELECT id_shard(next_id())') }

# How long the first ID of a server takes, ms.
sub first_id
{
	my ($node) = @_;
	my $began = time;
	my $id = $node->safe_psql('postgres', 'SELECT next_id()');
	return int((time - $began) * 1000);
}

# An ID, or the SQLSTATE and message of its error.
sub try_id
{
	my ($session) = @_;
	my $id = eval { value_of($session, 'SELECT next_id()') };
	return defined $id ? $id : $session->state . ' ' . $session->errstr;
}

# Waits until a session makes an ID; it.
sub wait_for_id
{
	my ($session, $seconds) = @_;
	my $end = time + ($seconds // 60);
	my $tried;
	while (time < $end)
	{
		$tried = try_id($session);
		return $tried if $tried =~ /^\d+$/;
		sleep 0.1;
	}
	die "no ID: $tried";
}

sub ids_of { my ($session, $count) = @_; return draw($session, $count) }

# The rows of a registry in PostgreSQL, by number.
sub numbers_in
{
	my ($registry) = @_;
	my $session = connect_to($registry);
	my $rows = $session->selectall_hashref('SELECT * FROM idgen_registry.lease', 'number');
	$session->disconnect;
	return $rows;
}

sub row_in { my ($registry, $number) = @_; return numbers_in($registry)->{$number} }

1;
