# What one call costs: the CPU time of a query that calls a function for each row, less that of the
# same query with an empty C function.
package IdgenBench::Calls;

use strict;
use warnings;

use IdgenBench::Samples;
use IdgenBench::Session;

# No tick of this layout runs out of sequences, so the call never waits.
my $roomy = q{'epoch=2020-01-01T00:00:00Z unit=1ms time=40 shard=3 sequence=20'};

# Of AES-128, the key of the standard's samples.
my $key = q{'\x2b7e151628aed2a6abf7158809cf4f3c'};

# What readers are given begins here: an ID of 2026.
my $first_id = 3_900_000_000_000_000_000;

# In the order of measuring. rows: so many that a measurement takes a third of a second or so.
# reads: its argument is a column of IDs. of_uuid: the claim, the largest share of gen_random_uuid's net time.
my @functions = (
	{ name => 'next_id', label => 'next_id(shard, layout)', call => "next_id(5, $roomy)", rows => 2_000_000 },
	{ name => 'nextval', label => 'nextval, CACHE 1', call => q{nextval('cache_1')}, rows => 2_000_000 },
	{ name => 'nextval_1000', label => 'nextval, CACHE 1000', call => q{nextval('cache_1000')}, rows => 2_000_000 },
	{ name => 'clock', label => 'clock_timestamp()', call => 'clock_timestamp()', rows => 2_000_000 },
	{ name => 'uuid', label => 'gen_random_uuid()', call => 'gen_random_uuid()', rows => 500_000 },
	{ name => 'ulid', label => 'next_ulid()', call => 'next_ulid()', rows => 2_000_000, of_uuid => 0.10 },
	{ name => 'uuidv7', label => 'next_uuidv7()', call => 'next_uuidv7()', rows => 2_000_000, of_uuid => 0.10 },
	{ name => 'ksuid', label => 'next_ksuid()', call => 'next_ksuid()', rows => 2_000_000, of_uuid => 0.10 },
	{ name => 'objectid', label => 'next_objectid()', call => 'next_objectid()', rows => 2_000_000, of_uuid => 0.08 },
	{ name => 'nanoid', label => 'next_nanoid()', call => 'next_nanoid()', rows => 1_000_000, of_uuid => 0.25 },
	{ name => 'plpgsql', label => "Instagram's PL/pgSQL", call => 'instagram_plpgsql()', rows => 200_000 },
	{ name => 'time', label => 'id_time(id)', call => 'id_time(id)', rows => 2_000_000, reads => 1 },
	{ name => 'shard', label => 'id_shard(id)', call => 'id_shard(id)', rows => 2_000_000, reads => 1 },
	{ name => 'decode', label => 'id_decode(id)', call => 'id_decode(id)', rows => 1_000_000, reads => 1 },
	{ name => 'base62', label => 'id_to_base62(id)', call => 'id_to_base62(id)', rows => 1_000_000, reads => 1 },
	{ name => 'base64url', label => 'id_to_base64url(id)', call => 'id_to_base64url(id)', rows => 1_000_000, reads => 1 },
	{ name => 'to_uuid', label => 'id_to_uuid(id)', call => 'id_to_uuid(id)', rows => 1_000_000, reads => 1 },
	{ name => 'text', label => 'id::text, decimal', call => 'id::text', rows => 1_000_000, reads => 1 },
	{ name => 'encrypt', label => 'id_encrypt(id, key)', call => "id_encrypt(id, $key)", rows => 500_000, reads => 1 },
	{ name => 'decrypt', label => 'id_decrypt(id, key)', call => "id_decrypt(id, $key)", rows => 500_000, reads => 1 },
);
my @empty = (
	{ name => 'makes', call => 'bench_empty()', rows => 2_000_000 },
	{ name => 'reads', call => 'bench_empty()', rows => 2_000_000, reads => 1 },
);

sub new
{
	my ($class) = @_;
	return bless { session => IdgenBench::Session->new, samples => IdgenBench::Samples->new }, $class;
}

# CPU nanoseconds of one row.
sub _ns
{
	my ($self, $function, $rows) = @_;
	my $first = $function->{reads} ? $first_id : 1;
	my $from = sprintf 'generate_series(%d, %d) AS id', $first, $first + $rows - 1;
	my $run = $self->{session}->timed("SELECT count($function->{call}) FROM (SELECT $from OFFSET 0) s");
	die "$function->{call}: $run->{value} rows of $rows\n" unless $run->{value} == $rows;
	return $run->{cpu} * 1e9 / $rows;
}

sub warm_up
{
	my ($self) = @_;
	$self->_ns($_, 50_000) for @empty, @functions;
	return;
}

# The baselines stand before and after the rest; every other round goes backward.
sub round
{
	my ($self, $number) = @_;
	my @order = $number % 2 ? @functions : reverse @functions;
	my %row;
	$row{ $_->{name} } += $self->_ns($_, $_->{rows}) / 2 for @empty;
	my %ns = map { $_->{name} => $self->_ns($_, $_->{rows}) } @order;
	$row{ $_->{name} } += $self->_ns($_, $_->{rows}) / 2 for @empty;
	$ns{ $_->{name} } -= $row{ $_->{reads} ? 'reads' : 'makes' } for @functions;

	my $samples = $self->{samples};
	$samples->add($_, $ns{$_}) for keys %ns;
	$samples->add(row => $row{makes});
	$samples->add(to_nextval => $ns{next_id} / $ns{nextval});
	$samples->add(to_nextval_1000 => $ns{next_id} / $ns{nextval_1000});
	$samples->add("$_->{name} to uuid" => $ns{ $_->{name} } / $ns{uuid}) for grep { $_->{of_uuid} } @functions;
	return;
}

sub section
{
	my ($self) = @_;
	my $samples = $self->{samples};
	return {
		title => 'One call',
		text => _text($samples->text('row')),
		header => [ 'call', 'net CPU time, ns' ],
		rows => [ map { [ $_->{label}, $samples->text($_->{name}) ] } @functions ],
		claims => [
			{
				what => 'net `next_id` as a share of net `nextval`, CACHE 1',
				in_short => 1,
				most => 0.16,
				spread => $samples->spread('to_nextval')
			},
			{
				what => 'net `next_id` as a share of net `nextval`, CACHE 1000',
				in_short => 1,
				most => 0.40,
				spread => $samples->spread('to_nextval_1000')
			},
			map {
				{
					what => "net `$_->{call}` as a share of net `gen_random_uuid()`",
					in_short => $_->{name} eq 'uuidv7',
					most => $_->{of_uuid},
					spread => $samples->spread("$_->{name} to uuid")
				}
			} grep { $_->{of_uuid} } @functions,
		],
	};
}

sub _text
{
	my ($row) = @_;
	return <<"END";
The CPU time of the backend for a row of `SELECT count(f()) FROM (SELECT generate_series(1, N) OFFSET 0) s`, less that
of the same query with an empty C function, which is $row ns. `next_id` has the layout
`$roomy`, in which no call waits. The PL/pgSQL function is
the one of Instagram's blog post. The key for `id_encrypt` has 128 bits. Bars of more than 250 ns are cut off in the
first chart.
END
}

1;
