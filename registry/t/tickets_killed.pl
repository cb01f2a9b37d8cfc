# Eight sessions on three servers take three million numbers of a counter, half of them from each kind of registry,
# while servers, their keepers and the registry are killed: none comes twice, and what is left out is within what
# docs/tickets.md says.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenLease;
use IdgenNode;
use IdgenRegistry;
use POSIX qw(_exit);
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my ($per_store, $per_call, $max_block) = (1_500_000, 500, 2000);
my @places = (0, 0, 0, 1, 1, 1, 2, 2);

for my $kind ('postgresql', 'etcd')
{
	my $registry = IdgenRegistry->start($kind);
	my @nodes = map { start_leased("$kind$_", $registry->address, setting => { 'idgen.shards' => $_ }) } 0 .. 2;
	my $owner = connect_to($kind eq 'etcd' ? $nodes[0] : $registry->{node});
	$owner->do(sprintf q{SELECT %s.create_counter('orders', 1, 10, 9223372036854775806, %d)}, $kind eq 'etcd' ? 'idgen_lease' : 'idgen_registry', $max_block);
	$owner->disconnect;
	my $folder = PostgreSQL::Test::Utils::tempdir();
	my @pids = map { begin_taking($nodes[ $places[$_] ], "$folder/$_", "$folder/end") } 0 .. $#places;

	my ($crashes, $lost_answers) = (0, 0);
	my $break = sub {
		my ($round) = @_;
		if ($round % 4 == 3)
		{
			$registry->kill_it;
			sleep 0.1;
			$registry->go;
			$lost_answers += @nodes;
			return;
		}
		my $node = $nodes[ $round % 4 ];
		if ($round % 8 < 4)
		{
			crash($node);
			start_again($node);
			$crashes++;
		}
		else
		{
			eval { my $session = connect_to($node); $session->do('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type LIKE ?', undef, 'idgen keeper%') };
			$lost_answers++;
		}
	};
	my $round = 0;
	while (taken($folder) < $per_store || $round < 16)
	{
		sleep 0.3;
		$break->($round++) if $round < 16;
	}
	append_to_file("$folder/end", '');
	waitpid $_, 0 for @pids;

	my ($seen, $count, $twice, $largest, $cut) = ('', 0, 0, 0, 0);
	for my $line (map { split /\n/, slurp_file($_) } grep { !/end$/ } glob "$folder/*")
	{
		$cut++, next if $line eq 'cut';
		for my $number (split /,/, $line)
		{
			$twice++ if vec $seen, $number, 1;
			vec($seen, $number, 1) = 1;
			$count++;
			$largest = $number if $number > $largest;
		}
	}
	cmp_ok($count, '>=', $per_store, "$kind: $count numbers taken, $crashes crashes of servers, $cut calls cut off");
	is($twice, 0, "$kind: none twice");
	# Of what the sessions saw; what a server still holds lies above, or was left out below.
	my $left_out = $largest - $count;
	my $allowed = ($crashes + @nodes) * 2 * $max_block + $lost_answers * $max_block + $cut * $per_call;
	cmp_ok($left_out, '<=', $allowed, "$kind: $left_out left out");
	cmp_ok($cut, '>=', 6, "$kind: sessions were cut off");
	$_->stop('immediate') for @nodes;
	$registry->stop;
}

# Takes numbers until the end, and writes down what it got, and each call that was cut off.
sub begin_taking
{
	my ($node, $file, $end) = @_;
	my $pid = fork // die "fork: $!";
	return $pid if $pid;
	open my $out, '>', $file or _exit(1);
	my $session;
	until (-e $end)
	{
		local $SIG{__WARN__} = sub { };
		$session //= eval { connect_to($node) };
		sleep(0.02), next if !$session;
		my $numbers = eval { value_of($session, "SELECT string_agg(next_ticket('orders')::text, ',') FROM generate_series(1, $per_call)") };
		syswrite $out, ($numbers // 'cut') . "\n";
		undef $session if !defined $numbers;
	}
	_exit(0);
}

# About how many numbers were taken.
sub taken
{
	my ($folder) = @_;
	my $bytes = 0;
	$bytes += -s $_ for glob "$folder/*";
	return $bytes / 8;
}

done_testing();
