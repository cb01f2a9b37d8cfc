# Twenty servers at once against one registry, ten of them copies of one data directory: each gets a number of its own, also after all
# were killed, and finds it again after all were stopped. For each kind of registry.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IdgenLease;
use IdgenMany;
use IdgenNode;
use IdgenStore;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my $count = 20;
my @all = 0 .. $count - 1;
my $patience = 300;

for my $kind (store_kinds())
{
	my $store = begin_store($kind);
	my $made = {};
	my @nodes = make_nodes($kind, $store->{address}, $made);
	note sprintf '%s: made', $kind;
	start_at_once($kind, $made, @nodes);
	start_after_crash($kind, $made, @nodes);
	start_after_stop($kind, $made, @nodes);
	$_->stop('immediate') for @nodes;
	$_->clean_node for @nodes;
	$store->{stop}->('immediate');
}

# Servers that are still to start. All stand where a crash has left them after number 0 was asked for, and before the answer was taken in. It
# is the own number of the ten that have the system identifier of their origin; the others are clusters of their own.
sub make_nodes
{
	my ($kind, $address, $made) = @_;
	my %setting = ('idgen.lease_range' => "0-$all[-1]", 'idgen.lease_window' => '2s', 'idgen.lease_ttl' => '5s', 'idgen.max_wait' => '200ms');
	my $origin = start_leased("$kind-origin", $address, init => { extra => ['--wal-segsize=1'] }, setting => \%setting, conf => [small_server()]);
	my $session = connect_to($origin);
	repeated($made, wait_for_id($session, $patience), ids_of($session, 1000));
	$session->do('UPDATE idgen_lease_record SET accepted = 0, proposed = accepted WHERE number = 0');
	$session->disconnect;
	$origin->stop;
	my @nodes = map { copy_node($origin, "$kind$_", "idgen.lease_name = '$kind$_'") } @all;
	make_another($nodes[$_], $_) for grep { $_ % 2 } @all;
	return @nodes;
}

# The numbers of the servers, once each has another, and none is left over.
sub settled
{
	my (@nodes) = @_;
	my @numbers;
	wait_for("numbers 0 to $all[-1], each once", sub {
		@numbers = map { $_->safe_psql('postgres', 'SELECT id_shard(next_id())') } @nodes;
		return join(' ', sort { $a <=> $b } @numbers) eq "@all";
	}, $patience);
	return @numbers;
}

# Starts all; their numbers, and the process that draws from them.
sub start_and_draw
{
	my ($what, @nodes) = @_;
	my $began = time;
	start_all(@nodes);
	my $drawing = begin_rounds(0.02, @nodes);
	my @numbers = settled(@nodes);
	note sprintf '%s: %d numbers after %.1f s', $what, $count, time - $began;
	wait_for("$what: IDs of all", sub { !grep { !@$_ } rounds_of($drawing) }, $patience);
	return ($drawing, @numbers);
}

sub start_at_once
{
	my ($kind, $made, @nodes) = @_;
	my ($drawing, @numbers) = start_and_draw("$kind, the first start", @nodes);
	is_deeply([ sort { $a <=> $b } @numbers ], \@all, "$kind: $count servers that start at once have $count numbers");
	kill_all(@nodes);
	is(repeated($made, map { @$_ } end_rounds($drawing)), 0, "$kind: no ID twice");
	return;
}

# All were killed while they drew. From now on a number is its owner's for an hour.
sub start_after_crash
{
	my ($kind, $made, @nodes) = @_;
	$_->append_conf('postgresql.conf', q{idgen.lease_ttl = '1h'}) for @nodes;
	my ($drawing, @numbers) = start_and_draw("$kind, after a crash of all", @nodes);
	is_deeply([ sort { $a <=> $b } @numbers ], \@all, "$kind: all killed and started at once, they have $count numbers again");
	my $owner_of = owners($nodes[0]);
	is_deeply([ map { $owner_of->{$_} } @numbers ], [ map { $_->name } @nodes ], "$kind: each the one that the registry says");
	stop_all(@nodes);
	is(repeated($made, map { @$_ } end_rounds($drawing)), 0, "$kind: no ID of before made again");
	return $owner_of;
}

# Who holds which number, as the registry says.
sub owners
{
	my ($node) = @_;
	my $session = connect_to($node);
	my $owner_of = { map { @$_ } @{ $session->selectall_arrayref('SELECT number, owner FROM idgen_nodes() WHERE NOT is_free') } };
	$session->disconnect;
	return $owner_of;
}

sub start_after_stop
{
	my ($kind, $made, @nodes) = @_;
	my ($drawing, @numbers) = start_and_draw("$kind, after a stop of all", @nodes);
	my $owner_of = owners($nodes[0]);
	is_deeply([ map { $owner_of->{$_} } @numbers ], [ map { $_->name } @nodes ], "$kind: ");
	is(repeated($made, map { @$_ } end_rounds($drawing)), 0, "$kind: no ID twice");
	return;
}

done_testing();
