# The random parts of what the makers make.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../test/t/lib";
use IdgenHost;
use IdgenNode;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils ();
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

# The random parts of what the makers make, 64 MB of them, by ent: it must not find what chance would give less than
# once in 10^9 runs.
{
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
}

# Random kinds in a machine that is copied with its memory: what a process has in store is in each copy, and the kernel
# may give each copy the same next bytes. Here it always gives the same.
{
	my $calls = PostgreSQL::Test::Utils::tempdir() . '/calls';
	local $ENV{KNOWN_RANDOM} = $calls;
	local $ENV{LD_PRELOAD} = join ' ', preload('known_random'), $ENV{LD_PRELOAD} // ();
	sub calls { return -s $calls // 0 }

	# What a new session makes first.
	my %makers = (
		ULID     => q{substr(next_ulid()::text, 11)},
		KSUID    => q{encode(substr(next_ksuid()::bytea, 5), 'hex')},
		ObjectId => q{encode(substr(next_objectid()::bytea, 5), 'hex')},
		UUIDv7   => q{substr(next_uuidv7()::text, 20)},
		NanoID   => 'next_nanoid()');
	sub first_of { my ($node, $kind) = @_; return value_of(connect_to($node), "SELECT $makers{$kind}") }

	# Nothing is told: the bytes are the kernel's.
	my $untold = start_node('untold', kinds => 1, conf => ['idgen.machine_generation = off']);
	for my $kind (sort grep { $_ ne 'ULID' } keys %makers)
	{
		is(first_of($untold, $kind), first_of($untold, $kind), "$kind, nothing told: as random as the kernel");
	}
	$untold->stop;

	# Copies are told of: what the processor gives is mixed in.
	my $node = start_told('told', kinds => 1, conf => [ q{idgen.shards = '5'}, 'idgen.on_copy = warn' ]);
	for my $kind (sort keys %makers)
	{
		isnt(first_of($node, $kind), first_of($node, $kind), "$kind: two processes, the same bytes of the kernel");
	}

	# What is in store is thrown away when the machine is another.
	my $session = connect_to($node);
	value_of($session, 'SELECT next_nanoid()');
	my $before = calls();
	value_of($session, 'SELECT next_nanoid()') for 1 .. 3;
	is(calls(), $before, 'one page of bytes is enough for a while');
	resume($node, 1);
	value_of($session, 'SELECT next_nanoid()');
	is(calls(), $before + 1, 'another machine: another page');
	value_of($session, 'SELECT next_nanoid()') for 1 .. 3;
	is(calls(), $before + 1, 'which is enough for a while');

	# ObjectIds go on from other random bytes, ULIDs from a random start, above the last one, whatever the clock does.
	my $object = value_of($session, q{SELECT encode(substr(next_objectid()::bytea, 5, 5), 'hex')});
	is(value_of($session, q{SELECT encode(substr(next_objectid()::bytea, 5, 5), 'hex')}), $object, 'ObjectId: one origin');
	resume($node, 2);
	isnt(value_of($session, q{SELECT encode(substr(next_objectid()::bytea, 5, 5), 'hex')}), $object,
		'ObjectId, another machine: another origin');
	$node->stop;

	my $frozen = start_told('frozen', kinds => 1, fake_clock => 1, conf => [ q{idgen.shards = '5'}, 'idgen.on_copy = warn' ]);
	freeze_clock($frozen, time);
	$session = connect_to($frozen);
	my ($last, $next) = map { value_of($session, q{SELECT encode(next_ulid()::bytea, 'hex')}) } 1 .. 2;
	is(substr($next, 0, 28), substr($last, 0, 28), 'ULID, the clock stands still: the last one plus 1');
	resume($frozen, 1);
	my $after = value_of($session, q{SELECT encode(next_ulid()::bytea, 'hex')});
	cmp_ok($after, 'gt', $next, 'ULID, another machine: above the last one');
	is(hex(substr $after, 4, 8), hex(substr $next, 4, 8) + 1, 'in the next millisecond');
	isnt(substr($after, 12, 16), substr($next, 12, 16), 'from a random start');
}

# ULID, KSUID and ObjectId: the sort of a million values, binary COPY, and processes that share no random bytes.
{
	my $node = start_node('kinds', kinds => 1, conf => ["idgen.shards = '5'"]);
	my $session = connect_to($node);

	# A million values, sorted by abbreviated keys, by text, and by an index that is built by such a sort.
	for my $type (qw(ulid ksuid objectid))
	{
		my $tail = $type eq 'ulid' ? 7 : 5;
		$session->do(<<"SQL");
CREATE TABLE many_$type AS
SELECT CASE WHEN n % 3 = 0 THEN next_$type()
            ELSE ${type}_make(to_timestamp(1500000000 + n % 50000), substr(next_$type()::bytea, $tail)) END AS v
  FROM generate_series(1, 1000000) n
SQL
		my $digest = sub {
			my ($order) = @_;
			return value_of($session, "SELECT md5(string_agg(left(md5(v::text), 8), '')) FROM (SELECT v FROM many_$type ORDER BY $order) s");
		};
		$session->do('SET work_mem = 512000');
		my $by_text = $digest->('v::text COLLATE "C"');
		is($digest->('v'), $by_text, "$type: a million by abbreviated keys and by text");
		$session->do("CREATE INDEX ON many_$type (v)");
		$session->do('SET enable_sort = off');
		is($digest->('v'), $by_text, "$type: a million by index");
		$session->do('RESET enable_sort');

		# Binary COPY keeps every byte.
		my $file = $node->basedir . "/$type.copy";
		$session->do("COPY (SELECT v FROM many_$type ORDER BY v LIMIT 10000) TO '$file' (FORMAT binary)");
		$session->do("CREATE TABLE copied_$type (v $type)");
		$session->do("COPY copied_$type FROM '$file' (FORMAT binary)");
		is(value_of($session, "SELECT count(*) FROM (SELECT v FROM copied_$type EXCEPT SELECT v FROM many_$type) s"), 0,
			"$type: binary COPY");
		$session->do("DROP TABLE many_$type, copied_$type");
	}

	# Every backend is a fork of one process, and they share no random bytes.
	my %seen;
	for (1 .. 20)
	{
		my $other = connect_to($node);
		$seen{$_}++ for $other->selectrow_array(
			q{SELECT substr(next_objectid()::bytea, 5, 5), substr(next_ksuid()::bytea, 5), substr(next_ulid()::bytea, 7, 8)});
	}
	is(scalar(keys %seen), 60, 'twenty backends: no random bytes twice');

	$session->disconnect;
}

done_testing();
