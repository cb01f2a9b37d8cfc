# What a ticket costs, beside nextval on the same server and nextval of another one through dblink: CPU time of the
# backend, net of the row, in turns, medians.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../t/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenLease;
use IdgenNode;
use IdgenRegistry;
use List::Util qw(sum);
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my $rounds = $ENV{ROUNDS} || 11;
my $registry = IdgenRegistry->start('postgresql');
my $node = start_leased('node', $registry->address, setting => { 'idgen.shards' => 1 }, conf => [ 'jit = off', 'max_parallel_workers_per_gather = 0' ]);
my $owner = connect_to($registry->{node});
$owner->do($_) for q{SELECT idgen_registry.create_counter('orders', 1, 10, 9223372036854775806, 1000000)}, 'CREATE SEQUENCE remote', 'GRANT USAGE ON SEQUENCE remote TO node_role';
my $session = connect_to($node);
$session->do($_) for 'CREATE SEQUENCE cache_1', 'CREATE SEQUENCE cache_1000 CACHE 1000', 'CREATE EXTENSION dblink', q{SELECT dblink_connect('remote', '} . $registry->address . q{')};
my $pid = value_of($session, 'SELECT pg_backend_pid()');

# The CPU time of the backend so far, in ticks of the machine.
sub cpu
{
	my @fields = split ' ', slurp_file("/proc/$pid/stat") =~ s/^.*\) //sr;
	return $fields[11] + $fields[12];
}

my %calls = (
	row       => [ 'id', 4_000_000 ],
	ticket    => [ q{next_ticket('orders')}, 4_000_000 ],
	nextval   => [ q{nextval('cache_1')}, 4_000_000 ],
	cached    => [ q{nextval('cache_1000')}, 4_000_000 ],
);
sub ns
{
	my ($call, $rows) = @_;
	my $before = cpu();
	$session->do("SELECT count($call) FROM (SELECT generate_series(1, $rows) AS id OFFSET 0) s");
	return (cpu() - $before) * 1e7 / $rows;
}
sub median { my @sorted = sort { $a <=> $b } @_; return $sorted[ $#sorted / 2 ] }

my (%ratio, %net);
ns(@{ $calls{$_} }) for sort keys %calls;
for my $round (1 .. $rounds)
{
	my %ns = map { $_ => ns(@{ $calls{$_} }) } $round % 2 ? sort keys %calls : reverse sort keys %calls;
	push @{ $net{$_} }, $ns{$_} - $ns{row} for qw(ticket nextval cached);
	push @{ $ratio{$_} }, ($ns{ticket} - $ns{row}) / ($ns{$_} - $ns{row}) for qw(nextval cached);
}
# Of a call over the network the time counts, not the CPU of one of its ends.
my @remote;
for (1 .. $rounds)
{
	my $time = sub {
		my ($n, $sql) = @_;
		my $began = time;
		$session->do($sql =~ s/:n/$n/r);
		return (time - $began) / $n;
	};
	my $ticket = $time->(1_000_000, q{SELECT count(next_ticket('orders')) FROM generate_series(1, :n)});
	# The number in the text has each row send a call of its own.
	push @remote, $time->(2000, q{SELECT count(d.n) FROM generate_series(1, :n) AS g, LATERAL dblink('remote', 'SELECT nextval(''remote'') -- ' || g) AS d(n bigint)}) / $ticket;
}
my $waits = $session->selectrow_hashref('SELECT drawn, fetches, waits, block FROM idgen_lease.stat_counter');
diag(sprintf 'net ns: ticket %.1f, nextval %.1f, nextval CACHE 1000 %.1f', map { median(@{ $net{$_} }) } qw(ticket nextval cached));
diag(sprintf 'a ticket takes %.0f times less time than nextval through dblink', median(@remote));
diag("drawn $waits->{drawn}, fetches $waits->{fetches}, waits $waits->{waits}, block $waits->{block}");
cmp_ok(median(@{ $ratio{nextval} }), '<=', 0.35, sprintf 'a ticket is %.3f of nextval, CACHE 1; %.3f of CACHE 1000',
	map { median(@{ $ratio{$_} }) } qw(nextval cached));
done_testing();
