# The texts of the other kinds, in the core and in the npm libraries that people use.
package IdgenBench::Codecs;

use strict;
use warnings;
use utf8;

use IdgenBench::Core qw(core_ns);
use IdgenBench::Samples;
use JSON::PP qw(decode_json);

my @kinds = (
	{ name => 'ulid', label => 'ULID' },
	{ name => 'ksuid', label => 'KSUID' },
	{ name => 'objectid', label => 'ObjectId' },
);
my @steps = (print => 'written', parse => 'read');

sub new
{
	my ($class, $program) = @_;
	return bless { program => $program, samples => IdgenBench::Samples->new }, $class;
}

# The libraries come with the oracles of the tests.
sub warm_up
{
	system('npm --prefix test/oracles ci --no-audit --no-fund >/dev/null 2>&1') == 0 or die "npm ci failed\n";
	return;
}

sub round
{
	my ($self) = @_;
	my %ours = core_ns($self->{program}, 0.1, '^(print|parse)/(ulid|ksuid|objectid)$');
	my $theirs = decode_json(`node test/bench/npm_codecs.mjs 100`);
	for my $kind (map { $_->{name} } @kinds)
	{
		for my $step (qw(print parse))
		{
			my ($core, $npm) = ($ours{"$step/$kind"}, $theirs->{$kind}{$step});
			$self->{samples}->add("core $step $kind", $core);
			$self->{samples}->add("npm $step $kind", $npm);
			$self->{samples}->add("ratio $step $kind", $core / $npm);
		}
	}
	return;
}

sub section
{
	my ($self) = @_;
	return {
		title => 'Texts of the other kinds',
		text => <<'END',
Without a server: the core beside the npm libraries `ulid`, `ksuid` and `bson`.
END
		header => [ 'text', 'core, ns', 'npm, ns', 'core / npm' ],
		rows => [ map { $self->_rows($_) } @kinds ],
		is_long => 1,
		claims => [],
	};
}

sub _rows
{
	my ($self, $kind) = @_;
	my @rows;
	for my $n (0, 1)
	{
		my ($step, $done) = @steps[ 2 * $n, 2 * $n + 1 ];
		my @texts = map { $self->{samples}->text("$_ $step $kind->{name}") } qw(core npm ratio);
		push @rows, [ "$kind->{label} $done", @texts ];
	}
	return @rows;
}

1;
