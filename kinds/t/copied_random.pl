# Random kinds in a machine that is copied with its memory: what a process has in store is in each copy, and the kernel
# may give each copy the same next bytes. Here it always gives the same.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../test/t/lib";
use IdgenHost;
use IdgenNode;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

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

done_testing;
