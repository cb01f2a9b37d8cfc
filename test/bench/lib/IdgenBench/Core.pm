# The core alone, without a server, by the program beside this folder.
package IdgenBench::Core;

use strict;
use warnings;
use utf8;

use Exporter qw(import);
use IdgenBench::Samples;
use JSON::PP qw(decode_json);

our @EXPORT_OK = qw(core_ns);

# name: the program's. per: IDs that one iteration makes.
my @steps = (
	{ name => 'clock_read', label => 'the clock alone (`clock_gettime`)' },
	{ name => 'lock_pair', label => 'a lock taken and given back, alone' },
	{ name => 'take_alone', label => 'a take, the clock handed in' },
	{ name => 'draw_blocks/1', label => 'an ID: clock, lock, take, pack' },
	{ name => 'draw_blocks/64', label => 'a block of 64: clock, lock, take, pack' },
	{ name => 'draw_blocks/64', label => 'the same for each of its IDs', per => 64 },
	{ name => 'pack_id', label => 'an ID packed from its parts' },
	{ name => 'unpack_id', label => 'an ID unpacked' },
	{ name => 'parse/preset', label => q{a layout parsed, `'instagram'`} },
	{ name => 'parse/long_form', label => 'a layout parsed, the same in the long form' },
	{ name => 'print_text/base62', label => 'an ID written as Base62' },
	{ name => 'parse_text/base62', label => 'an ID read from Base62' },
	{ name => 'print_text/base32', label => 'an ID written as Base32' },
	{ name => 'parse_text/base32', label => 'an ID read from Base32' },
	{ name => 'print_text/base32_check', label => 'an ID written as Base32 with its check symbol' },
	{ name => 'parse_text/base32_check', label => 'an ID read from Base32, the check symbol tested' },
	{ name => 'print_text/base64url', label => 'an ID written as base64url' },
	{ name => 'parse_text/base64url', label => 'an ID read from base64url' },
	{ name => 'uuid_write', label => 'an ID put into a UUID' },
	{ name => 'uuid_read', label => 'an ID taken out of a UUID' },
);

sub new
{
	my ($class, $program) = @_;
	return bless { program => $program, samples => IdgenBench::Samples->new }, $class;
}

sub _run
{
	my ($self, $seconds) = @_;
	return core_ns($self->{program}, $seconds);
}

# CPU nanoseconds of the program's benchmarks by name; all, or those whose names match.
sub core_ns
{
	my ($program, $seconds, $filter) = @_;
	my $output = `$program --benchmark_format=json --benchmark_min_time=$seconds --benchmark_filter='@{[ $filter // '' ]}' 2>/dev/null`;
	die "$program failed\n" if $?;
	return map { $_->{name} => $_->{cpu_time} } @{ decode_json($output)->{benchmarks} };
}

sub warm_up
{
	my ($self) = @_;
	$self->_run(0.01);
	return;
}

sub round
{
	my ($self) = @_;
	my %ns = $self->_run(0.1);
	$self->{samples}->add($_->{label}, $ns{ $_->{name} } / ($_->{per} // 1)) for @steps;
	return;
}

sub section
{
	my ($self) = @_;
	return {
		title => 'The core alone',
		text => <<'END',
The steps of making an ID, in a program without a server, one thread. The server's `next_id` reads the clock only once
in some 10 µs, so it costs less.
END
		header => [ 'step', 'CPU time, ns' ],
		rows => [ map { [ $_->{label}, $self->{samples}->text($_->{label}) ] } @steps ],
		is_long => 1,
		claims => [],
	};
}

1;
