# What the tests stand on: the clock that they move, and that one which dies says why.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

# The clock that tests move: it is read in handlers of signals, too, and no timeout that comes amid malloc() may end a server.
{
	my $node = start_node('moved', fake_clock => 1, extension => 0);
	my $session = connect_to($node);

	sub ahead { return value_of($session, 'SELECT extract(epoch FROM clock_timestamp())') - clock_offset() - time }
	for my $seconds ('+0', '+3600', '+0.25', '-0.25', '-86400.5', '+2500000000')
	{
		set_clock($node, $seconds);
		my $began = time;
		my $ahead = ahead();
		my $took = time - $began;
		ok($ahead >= $seconds - $took - 0.001 && $ahead <= $seconds + $took + 0.001, "$seconds seconds off the true clock") || diag($ahead);
	}
	for my $second (-14_182_980, 1_700_000_000)
	{
		set_clock($node, "=$second");
		is(value_of($session, 'SELECT count(DISTINCT clock_timestamp()) FROM generate_series(1, 1000)'), 1, "the clock stands at $second");
		is(value_of($session, 'SELECT extract(epoch FROM clock_timestamp())::bigint'), $second, "$second: there");
	}
	set_clock($node, '+0');

	# 800 timeouts, most of them while a session takes memory or reads the clock
	ok(
		in_sessions(
			$node, 4,
			sub {
				my ($mine) = @_;
				for my $number (1 .. 200)
				{
					my $timeout = 1 + $number % 9;
					eval { $mine->do("SET LOCAL statement_timeout = $timeout; SELECT count(clock_timestamp()), string_agg(repeat('x', i % 200), ',') FROM generate_series(1, 10000000) i") };
					die "timeout $number: " . $mine->state if $mine->state ne '57014';
				}
			}),
		'each session goes on after its timeouts');
	unlike(slurp_file($node->logfile), qr/terminated by signal/, 'no timeout ends a process of the server');
}

# A test that dies says why in what prove shows, on every major; what an eval catches is not said.
{
	my $dying = <<'PERL';
use IdgenNode;
use Test::More;
ok(1, 'begun');
eval { die "caught\n" };
die "never: an answer\n";
PERL
	my $folder = PostgreSQL::Test::Utils::tempdir;
	my $pid = open(my $output, '-|') // die "fork: $!";
	if ($pid == 0)
	{
		open STDERR, '>&', \*STDOUT or die "STDERR: $!";
		@ENV{qw(TESTDATADIR TESTLOGDIR)} = ("$folder/data", "$folder/log");
		exec $^X, '-I', "$FindBin::Bin/../lib", '-e', $dying or die "perl: $!";
	}
	my $said = join '', <$output>;
	like($said, qr/^ok 1 - begun$/m, 'it begins');
	like($said, qr/^# di[^:]*: never: an answer$/m, 'it says why it died');
	unlike($said, qr/caught/, 'what is caught is not said');
}

done_testing();
