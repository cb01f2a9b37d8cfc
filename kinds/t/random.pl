# The random parts of what the makers make, 64 MB of them, by ent: it must not find what chance would give less than
# once in 10^9 runs.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../test/t/lib";
use IdgenNode;
use IPC::Run ();
use PostgreSQL::Test::Utils ();
use Test::More;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

# The normal deviate that is exceeded, on either side, once in 10^9.
my $most = 6.11;

# Has the clock of a file be that many millionths faster than the true one, from now on.
sub run_faster
{
	my ($name, $millionths) = @_;
	open my $file, -e $name ? '+<' : '>', $name or die "$name: $!";
	syswrite $file, pack 'q3', 0, $millionths, int(clock_gettime(CLOCK_MONOTONIC) * 1e9);
	close $file;
	return;
}

# Writes the bytes of a query that gives one bytea to a file, in the binary form of COPY, and takes its frame off.
sub bytes_of
{
	my ($node, $query) = @_;
	my $file = $node->basedir . '/bytes';
	my $session = connect_to($node);
	$session->do("COPY ($query) TO '$file' (FORMAT binary)");
	$session->disconnect;
	open my $copied, '<:raw', $file or die "$file: $!";
	my $bytes = do { local $/; <$copied> };
	close $copied;
	unlink $file;
	# Signature, flags and extension: 19; number of columns: 2; size: 4. At the end: 2.
	my $size = unpack 'N', substr $bytes, 21, 4;
	die "not one value: $size of " . length $bytes unless length $bytes == 25 + $size + 2;
	return substr $bytes, 25, $size;
}

# Chi-square as a normal deviate (Wilson and Hilferty).
sub deviate
{
	my ($chi_square, $freedom) = @_;
	my $part = 2 / (9 * $freedom);
	return (($chi_square / $freedom)**(1 / 3) - (1 - $part)) / sqrt $part;
}

# What ent says: number, entropy, chi-square, mean, pi by Monte Carlo, serial correlation.
sub ent
{
	my ($bytes, @options) = @_;
	my $said = '';
	IPC::Run::run([ 'ent', '-t', @options ], '<', $bytes, '>', \$said) or die "ent: $?";
	my ($values) = $said =~ /^1,(.*)$/m or die "ent: $said";
	return split /,/, $values;
}

sub looks_random
{
	my ($what, $bytes) = @_;
	my ($count, undef, $chi_square, $mean, $pi, $correlation) = ent($bytes);
	is($count, length $$bytes, "$what: $count bytes");
	my $share = atan2(1, 1);
	my %deviates = (
		'how often each byte'    => deviate($chi_square, 255),
		'mean'                   => ($mean - 127.5) / sqrt((256**2 - 1) / 12 / $count),
		'points within a circle' => ($pi / 4 - $share) / sqrt($share * (1 - $share) / int($count / 6)),
		'serial correlation'     => $correlation * sqrt $count);
	my ($bits, undef, $of_bits, undef, undef, $correlation_of_bits) = ent($bytes, '-b');
	# One degree of freedom: chi-square is the square of the deviate.
	$deviates{'how often each bit'} = sqrt $of_bits;
	$deviates{'serial correlation of bits'} = $correlation_of_bits * sqrt $bits;
	cmp_ok(abs $deviates{$_}, '<', $most, "$what: $_") for sort keys %deviates;
	return;
}

# The tail of a ULID is random if it is the first of its millisecond, so a clock that runs fast makes every call such a
# one: ten billion millionths faster.
my $clock = PostgreSQL::Test::Utils::tempdir() . '/clock';
run_faster($clock, 0);
my $fast;
{
	local %ENV = (%ENV, LD_PRELOAD => preload('offset_clock'), OFFSET_CLOCK => $clock);
	$fast = start_node('fast', kinds => 1, conf => [ 'autovacuum = off', "checkpoint_timeout = '1d'" ]);
}
run_faster($clock, 1e10);
# A session reads it again after some microseconds, which clock_timestamp() takes here.
my $ulids = '';
until (length $ulids >= 5e6)
{
	$ulids .= bytes_of($fast, <<'SQL');
SELECT string_agg(substr(id::bytea, 7), '' ORDER BY id)
  FROM (SELECT id, lag(ulid_time(id)) OVER (ORDER BY id) AS before
          FROM (SELECT next_ulid() AS id, clock_timestamp(), clock_timestamp() FROM generate_series(1, 100000) OFFSET 0) AS made) AS pairs
 WHERE before < ulid_time(id)
SQL
}
$fast->stop('immediate');

# Of a UUID of version 7, the last seven bytes have nothing but random bits.
my $node = start_node('random', kinds => 1, conf => [ 'max_parallel_workers_per_gather = 0', 'jit = off' ]);
my $uuids = bytes_of($node, 'SELECT string_agg(substr(uuid_send(next_uuidv7()), 10), \'\') FROM generate_series(1, 4300000)');

# NanoIDs of 64 symbols are digits of Base64: 24 of them are 18 bytes.
my $nanoids = bytes_of($node, <<'SQL');
SELECT decode(string_agg(next_nanoid(24, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'), ''), 'base64') FROM generate_series(1, 1650000)
SQL
cmp_ok(length($ulids) + length($uuids) + length($nanoids), '>=', 64e6, '64 MB in all');

looks_random('ULID',   \$ulids);
looks_random('UUID',   \$uuids);
looks_random('NanoID', \$nanoids);
my $all = $ulids . $uuids . $nanoids;
looks_random('all', \$all);

done_testing();
