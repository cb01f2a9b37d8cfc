# What one call costs: the CPU time of a query that calls a function for each row, and its instructions, less those of the
# same query with an empty C function.
package IdgenBench::Calls;

use strict;
use warnings;

use IdgenBench::Cluster;
use IdgenBench::Samples qw(in_rounds number);
use IdgenBench::Session;

# No tick of this layout runs out of sequences, so the call never waits.
my $roomy = q{'epoch=2020-01-01T00:00:00Z unit=1ms time=40 shard=3 sequence=20'};
# Of AES-128, the key of the standard's samples.
my $key = q{'\x2b7e151628aed2a6abf7158809cf4f3c'};
# What readers are given begins here: an ID of 2026.
my $first_id = 3_900_000_000_000_000_000;

# rows: so many that a measurement takes a third of a second or so. reads: its argument is a column of IDs. from: the server's
# major that has it. is_ticket: it is called where there is a registry.
# uncounted: what it executes depends on the time. seldom: a call each 1.5 ms, which opens a tick of its own.
my @calls = (
	{ name => 'next_id(shard, layout)', call => "next_id(5, $roomy)", rows => 2_000_000 },
	{ name => 'nextval, CACHE 1', call => q{nextval('cache_1')}, rows => 2_000_000 },
	{ name => 'nextval, CACHE 1000', call => q{nextval('cache_1000')}, rows => 2_000_000 },
	{ name => 'gen_random_uuid()', rows => 500_000 },
	{ name => 'uuidv7()', rows => 500_000, from => 18 },
	{ name => "Instagram's PL/pgSQL", call => 'instagram_plpgsql()', rows => 200_000 },
	{ name => 'next_id() in SQL alone', call => 'idgen_sql.next_id()', rows => 200_000, uncounted => 1 },
	{ name => "Instagram's PL/pgSQL, each 1.5 ms", call => 'instagram_plpgsql()', rows => 1000, seldom => 1 },
	{ name => 'next_id() in SQL alone, each 1.5 ms', call => 'idgen_sql.next_id()', rows => 1000, seldom => 1 },
	{ name => 'clock_timestamp()', rows => 2_000_000 },
	(map { { name => "next_$_()", rows => 2_000_000 } } qw(uuidv7 ulid ksuid objectid nanoid)),
	{ name => q{next_ticket('orders')}, rows => 2_000_000, is_ticket => 1, uncounted => 1 },
	{ name => 'id_time(id)', rows => 2_000_000, reads => 1 },
	{ name => 'id_shard(id)', rows => 2_000_000, reads => 1 },
	{ name => 'id_decode(id)', rows => 1_000_000, reads => 1 },
	{ name => 'id_to_base62(id)', rows => 1_000_000, reads => 1 },
	{ name => 'id_to_uuid(id)', rows => 1_000_000, reads => 1 },
	{ name => 'id::text, decimal', call => 'id::text', rows => 1_000_000, reads => 1 },
	{ name => 'id_encrypt(id, key)', call => "id_encrypt(id, $key)", rows => 500_000, reads => 1 },
);
my %empty = (name => 'bench_empty()', rows => 2_000_000);

sub _query
{
	my ($call, $rows) = @_;
	my $first = $call->{reads} ? $first_id : 1;
	my $from = sprintf 'generate_series(%d, %d) AS id%s', $first, $first + $rows - 1, $call->{seldom} ? ', pg_sleep(0.0015)' : '';
	return sprintf 'SELECT count(%s) FROM (SELECT %s OFFSET 0) s', $call->{call} // $call->{name}, $from;
}

# CPU nanoseconds of a row.
sub _ns
{
	my ($session, $call) = @_;
	my %used = $session->used_by(_query($call, $call->{rows}), $call->{rows});
	return $used{cpu} * 1e9 / $call->{rows};
}

# The empty function, called as another is.
sub _empty_for
{
	my ($call) = @_;
	return { %empty, map { $_ => $call->{$_} } 'reads', $call->{seldom} ? qw(seldom rows) : () };
}

# Instructions of a row.
sub _instructions
{
	my ($counted, $call) = @_;
	my $rows = $call->{rows} / ($call->{seldom} ? 5 : 200);
	return $counted->instructions($rows, sub { $counted->session->row(_query($call, $_[0])) });
}

# A server that is its own registry, and a session there.
sub _ticket_server
{
	my $cluster = IdgenBench::Cluster->new([], q{shared_preload_libraries = 'idgen, idgen_lease'},
		"idgen.registry = 'host=$ENV{PGHOST} port=PORT dbname=registry user=postgres'");
	my $session = IdgenBench::Session->new(port => $cluster->port, client_min_messages => 'warning', 'idgen.max_wait' => '1min');
	$session->run('CREATE DATABASE registry', 'CREATE EXTENSION idgen_lease');
	IdgenBench::Session->new(port => $cluster->port, database => 'registry', client_min_messages => 'warning')
	  ->run('CREATE EXTENSION idgen_registry', q{SELECT idgen_registry.create_counter('orders', 1, 10, 9223372036854775806, 1000000)});
	return ($cluster, $session);
}

sub tables
{
	my ($class, $rounds) = @_;
	my $session = IdgenBench::Session->new;
	my ($ticket_server, $ticket_session) = _ticket_server();
	my $version = $session->version;
	my @measured = grep { $version >= ($_->{from} // 0) } @calls;
	my $session_of = sub { return $_[0]{is_ticket} ? $ticket_session : $session };
	_ns($session_of->($_), { %$_, rows => $_->{seldom} ? 20 : 20_000 }) for @measured;
	my $samples = in_rounds($rounds, sub {
		my ($call) = @_;
		my $row = _ns($session_of->($call), _empty_for($call));
		return (ns => _ns($session_of->($call), $call) - $row, row => $row);
	}, @measured);
	$ticket_server->remove;
	my $counted = IdgenBench::Counted->new;
	my $kind_of = sub { my ($call) = @_; return $call->{seldom} ? 'seldom' : $call->{reads} ? 'reads' : 'made' };
	my %row = map { $kind_of->($_) => _instructions($counted, _empty_for($_)) } {}, { reads => 1 }, { seldom => 1, rows => 1000 };
	my %instructions = map { $_->{name} => _instructions($counted, $_) - $row{ $kind_of->($_) } } grep { !$_->{uncounted} } @measured;
	$counted->remove;
	my @rows = map { [ $_->{name}, $samples->text("$_->{name} ns"), defined $instructions{ $_->{name} } ? number($instructions{ $_->{name} }) : '' ] } @measured;
	return {
		title => 'One call',
		header => [ "call, on $version", 'net CPU time, ns', 'net instructions' ],
		rows => [ @rows, [ 'the row itself', $samples->text("$measured[0]{name} row"), number($row{made}) ] ]
	};
}

1;
