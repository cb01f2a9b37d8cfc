# The long test of readers: writers in transactions of 0 to 40 ms, and three readers every 20 ms: of id > last, the same of a sequence, and below
# id_settled(). The last loses nothing; the other two are the controls. Then how far the bound lies behind, and what a call costs. MINUTES (10) says
# for how long, WRITERS (8) how many.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../t/lib";
use IdgenNode;
use IdgenReader;
use POSIX qw(_exit);
use Test::More;
use Time::HiRes qw(sleep time);

my $minutes = $ENV{MINUTES} || 10;
my $writers = $ENV{WRITERS} || 8;
my $node = start_node('readers', conf => [ "idgen.shards = '0-15'", 'max_connections = 150', 'max_wal_size = 4GB' ]);
my $main = connect_to($node);
$main->do('CREATE TABLE event (id bigint PRIMARY KEY DEFAULT next_id(), writer int)');
$main->do('CREATE TABLE counted (id bigserial PRIMARY KEY, writer int)');

# One transaction of up to that many ms, sometimes with a savepoint, or rolled back.
sub write_once
{
	my ($session, $number, $ms) = @_;
	$session->begin_work;
	$session->do("INSERT INTO $_ (writer) VALUES ($number)") for 'event', 'counted';
	$session->do('SAVEPOINT s') if rand() < 0.2;
	sleep $ms / 1000;
	$session->do("INSERT INTO $_ (writer) VALUES ($number)") for 'event', 'counted';
	rand() < 0.05 ? $session->rollback : $session->commit;
	return;
}

# Runs the writers for that long, each transaction as $ms->() says.
sub begin_writers
{
	my ($seconds, $ms) = @_;
	my @pids;
	for my $number (1 .. $writers)
	{
		my $pid = fork // die "fork: $!";
		push(@pids, $pid), next if $pid;
		srand $number;
		my $session = connect_to($node);
		my $end = time + $seconds;
		write_once($session, $number, $ms->()) while time < $end;
		_exit(0);
	}
	return @pids;
}

sub ended { return scalar grep { waitpid($_, 0) == $_ && $? == 0 } @_ }

my %reader = (
	'id > last'         => begin_reader($node, table => 'event', naive => 1),
	'id > last, of a sequence' => begin_reader($node, table => 'counted', naive => 1),
	'below id_settled()' => begin_reader($node, table => 'event', layout => 'instagram'));
is(ended(begin_writers(60 * $minutes, sub { rand 40 })), $writers, 'every writer succeeds');
my @table = ('| reader | rows | lost | twice |', '|---|---|---|---|');
my %lost;
for my $name (sort keys %reader)
{
	my $rows = value_of($main, "SELECT count(*) FROM $reader{$name}{table}");
	($lost{$name}, my $twice) = missed_by($main, $reader{$name});
	push @table, "| $name | $rows | $lost{$name} | $twice |";
	is($twice, 0, "$name: nothing twice");
}
is(delete $lost{'below id_settled()'}, 0, 'below id_settled(): nothing lost');
cmp_ok($lost{$_}, '>', 0, "$_: rows are lost") for sort keys %lost;

# How far the bound lies behind the clock, in ms: median and 99th percentile.
sub lags
{
	my ($ms) = @_;
	my @pids = begin_writers(20, sub { $ms });
	my (@lags, $end);
	for ($end = time + 19; time < $end; sleep 0.005)
	{
		my $upto = settled_id($main);
		push @lags, value_of($main, 'SELECT 1000 * extract(epoch FROM clock_timestamp() - id_time(?))', $upto);
	}
	ended(@pids);
	@lags = sort { $a <=> $b } @lags;
	return map { sprintf '%.1f', $lags[ $_ * @lags ] } 0.5, 0.99;
}
push @table, '', '| transactions of | bound behind the clock, median | 99 % |', '|---|---|---|';
push @table, join(' | ', "| $_ ms", map { "$_ ms" } lags($_)) . ' |' for 1, 40;

# What a call costs beside sessions that are in a transaction and have drawn, in microseconds.
my $calls = 20000;
sub call_us
{
	my ($count) = @_;
	my @others = map { my $session = connect_to($node); $session->begin_work; value_of($session, 'SELECT next_id()'); $session } 1 .. $count;
	my $began = time;
	$main->do("DO 'DECLARE v bigint; BEGIN FOR i IN 1 .. $calls LOOP CALL id_settled(v); END LOOP; END'");
	my $us = 1e6 * (time - $began) / $calls;
	$_->disconnect for @others;
	return sprintf '%.1f', $us;
}
push @table, '', '| sessions in a transaction | CALL, us |', '|---|---|', map { "| $_ | " . call_us($_) . ' |' } 10, 100;

diag($_) for @table;
done_testing();
