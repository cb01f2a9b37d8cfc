# Twenty servers at once against one registry, ten of them copies of one data directory: each gets a number of its own,
# also after all were killed, and finds it again after all were stopped. For each kind of registry.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenLease;
use IdgenMany;
use IdgenNode;
use IdgenRecord;
use IdgenStore;
use Test::More;
use Time::HiRes qw(sleep time);

my @all = 0 .. 19;

for my $kind (store_kinds())
{
	my $store = begin_store($kind);
	my $made = {};
	my @nodes = make_nodes($kind, $store->{address}, $made);
	live("$kind, started at once", $made, \&kill_all, @nodes);

	# From now on no lease is past before the file ends, however long a start takes.
	$_->append_conf('postgresql.conf', q{idgen.lease_ttl = '1h'}) for @nodes;
	my @numbers = live("$kind, all killed and started at once", $made, sub { stop_all('fast', @_) }, @nodes);
	# The horizons lie at the next second, since IDs with long ticks were made. A server does not wait for its own
	# number if another is free.
	sleep 1.5;
	my @again = live("$kind, all stopped and started at once", $made, sub { stop_all('immediate', @_) }, @nodes);
	is_deeply(\@again, \@numbers, "$kind: after a clean stop each finds its own number again");
	$_->clean_node for @nodes;
	$store->{stop}->('immediate');
}

# Servers that are still to start. Each stands where a crash leaves one after number 0 was asked for, before the answer
# was taken in. Number 0 is the own one of the ten that have the system identifier of their origin; the others are
# clusters of their own.
sub make_nodes
{
	my ($kind, $address, $made) = @_;
	my %setting = ('idgen.lease_range' => "0-$all[-1]", 'idgen.lease_window' => '2s', 'idgen.lease_ttl' => '5s', 'idgen.max_wait' => '200ms');
	my $origin = start_leased("$kind-origin", $address, init => { extra => ['--wal-segsize=1'], no_data_checksums => 1 }, setting => \%setting, conf => [ small_server() ]);
	my $session = connect_to($origin);
	repeated($made, wait_for_id($session), ids_of($session, 1000));
	my $path = value_of($session, q{SELECT pg_relation_filepath('idgen_lease.record')});
	$session->disconnect;
	$origin->stop;
	change_remembered($origin, $path, 0, sub { return (0, $_[0]) });
	my @nodes = map { copy_node($origin, "$kind$_") } @all;
	make_another($nodes[$_], $_) for grep { $_ % 2 } @all;
	return @nodes;
}

# One life of all servers: they start, draw, and are ended. Gives their numbers.
sub live
{
	my ($what, $made, $end, @nodes) = @_;
	my $began = time;
	start_all(@nodes);
	my $drawing = begin_rounds(0.02, @nodes);
	my @numbers = settled(@nodes);
	note sprintf '%s: %d numbers after %.1f s', $what, scalar @all, time - $began;
	is_deeply([ map { $_->name } @nodes ], [ @{ owners($nodes[0]) }{@numbers} ],
		"$what: each has another number, the one that the registry says");
	my $draws = sub { return !grep { !@$_ } rounds_of($drawing) };
	ok(eval { wait_for("$what: IDs of all", $draws) }, "$what: all make IDs");
	$end->(@nodes);
	is(repeated($made, map { @$_ } end_rounds($drawing)), 0, "$what: no ID twice, or made before");
	return @numbers;
}

# The numbers of the servers, once each has another, and none is left over.
sub settled
{
	my (@nodes) = @_;
	my @numbers;
	my $is_settled = sub {
		@numbers = map { number_at($_) } @nodes;
		return "@{[ sort @numbers ]}" eq "@{[ sort @all ]}";
	};
	eval { wait_for('another number each', $is_settled) } or diag $@, rows_as_text($nodes[0]), map { $_->name . ': ' . state_of($_) . "\n" } @nodes;
	return @numbers;
}

sub number_at
{
	my ($node) = @_;
	my $session = connect_to($node);
	my $number = eval { number_of($session) } // 'none';
	$session->disconnect;
	return $number;
}

# What a server says of its numbers, and what the registry does: for one that has waited in vain.
sub state_of
{
	my ($node) = @_;
	my $session = connect_to($node);
	my $tried = try_id($session);
	my $said = is_id($tried) ? "ID $tried" : $tried;
	$session->disconnect;
	return $said =~ s/\s*\n\s*/ /gr;
}

sub rows_as_text
{
	my ($node) = @_;
	my $session = connect_to($node);
	my $rows = $session->selectall_arrayref('SELECT * FROM idgen_lease.nodes()');
	$session->disconnect;
	return map { join(' | ', map { $_ // '' } @$_) . "\n" } @$rows;
}

# Who holds which number, as the registry says.
sub owners
{
	my ($node) = @_;
	my $session = connect_to($node);
	my %owner_of = map { @$_ } @{ $session->selectall_arrayref('SELECT shard, owner FROM idgen_lease.nodes() WHERE NOT is_free') };
	$session->disconnect;
	return \%owner_of;
}

done_testing();
