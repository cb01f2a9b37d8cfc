# How long single calls take, and how long clients wait on a slow disk.
package IdgenBench::Latency;

use strict;
use warnings;
use utf8;

use IdgenBench::Cluster;
use IdgenBench::Samples qw(in_rounds number);
use IdgenBench::Session;
use List::Util qw(sum0);
use Time::HiRes qw(sleep time);

my $next_id = q{'next_id(bigint, id_layout)', 5};
my $nextval = q{'nextval(regclass)', 'cache_1'::regclass::oid::bigint};
# interval: ns from the beginning of one call to that of the next, at least.
my @cases = (
	{ name => 'empty C function', call => q{'bench_empty()', 5}, interval => 3257 },
	{ name => 'next_id, 30 % of the shard', call => $next_id, interval => 3257 },
	{ name => 'nextval, CACHE 1, as often', call => $nextval, interval => 3257 },
	{ name => 'next_id, saturated', call => $next_id, interval => 0 },
	{ name => 'nextval, CACHE 1, in a row', call => $nextval, interval => 0 },
);
my @figures = ('p50', 'p99', 'p99.9', 'p99.99', 'longest');

my @statements = (
	{ name => 'SELECT next_id()', sql => 'SELECT next_id() WHERE ?::integer > 0' },
	{ name => 'INSERT, next_id()', sql => 'INSERT INTO by_next_id (n) VALUES (?)' },
	{ name => 'INSERT, bigserial', sql => 'INSERT INTO by_bigserial (n) VALUES (?)' },
);
my $seconds = 20;
# What counts as waiting, in seconds.
my $wait = 0.005;

sub tables
{
	my ($class, $rounds) = @_;
	my $session = IdgenBench::Session->new;
	my $samples = in_rounds($rounds, sub {
		my ($case) = @_;
		my ($ns) = $session->row("SELECT bench_latency($case->{call}, 'instagram', 1000000, $case->{interval})");
		return map { $figures[$_] => $ns->[$_] / 1000 } 0 .. $#figures;
	}, @cases);
	my @rows = map { my $name = $_->{name}; [ $name, map { $samples->median("$name $_") } @figures ] } @cases;
	return (
		{ title => 'Single calls, µs', header => [ 'calls', @figures ], rows => \@rows },
		{
			title => 'A slow disk',
			header => [ 'a flush takes', 'statement', 'a second', 'waited', 'p99.99, ms', 'longest, ms', 'waiting, % of the time' ],
			rows => [ map { _slow_disk($_) } 20, 300 ]
		});
}

sub _slow_disk
{
	my ($ms) = @_;
	my $cluster = IdgenBench::Cluster->new([ 'env', "FLUSH_MS=$ms", 'LD_PRELOAD=trials/bench/slow_flush.so' ], 'checkpoint_timeout = 1h');
	my $session = IdgenBench::Session->new(port => $cluster->port, 'idgen.shards' => '5', synchronous_commit => 'off');
	$session->run('CREATE TABLE by_next_id (id bigint PRIMARY KEY DEFAULT next_id(), n integer)',
		'CREATE TABLE by_bigserial (id bigserial PRIMARY KEY, n integer)');
	my @rows = map { [ "$ms ms", "`$_->{name}`", _application($session->statement($_->{sql}, 1)) ] } @statements;
	$cluster->remove;
	return @rows;
}

# A client that runs a statement each millisecond, or at once if it is late.
sub _application
{
	my ($statement) = @_;
	$statement->execute(1) for 1 .. 10;
	my ($began, @took) = (time);
	while (time < $began + $seconds)
	{
		my $due = $began + @took / 1000;
		my $now = time;
		sleep $due - $now if $due > $now;
		$now = time;
		$statement->execute(1);
		push @took, time - $now;
	}
	my $rate = @took / (time - $began);
	@took = sort { $a <=> $b } @took;
	my @waits = grep { $_ >= $wait } @took;
	return (sprintf('%d', $rate), scalar @waits, map { number($_) } 1000 * $took[ 0.9999 * $#took ], 1000 * $took[-1], 100 * sum0(@waits) / $seconds);
}

1;
