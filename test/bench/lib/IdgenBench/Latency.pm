# How long single calls take, measured around each call inside the server.
package IdgenBench::Latency;

use strict;
use warnings;
use utf8;

use IdgenBench::Samples;
use IdgenBench::Session;

my $next_id = 'next_id(bigint, id_layout)';
my $nextval = 'nextval(regclass)';

# of: what the maker takes first, a shard or a sequence. interval_ns: from the beginning of one call to that of the next, at least. most_rounds: measured no more often.
my @cases = (
	{ name => 'empty', label => 'empty C function', maker => 'bench_empty()', of => '5', calls => 300_000, interval_ns => 3257 },
	{ name => 'below', label => 'next_id, 30 % of the shard', maker => $next_id, of => '5', calls => 300_000, interval_ns => 3257 },
	{
		name => 'nextval', label => 'nextval, CACHE 1, as often', maker => $nextval, of => q{'cache_1'::regclass::oid::bigint}, calls => 300_000,
		interval_ns => 3257
	},
	{
		name => 'long', label => 'the same, 10 million calls in a row', maker => $next_id, of => '5', calls => 10_000_000,
		interval_ns => 3257, most_rounds => 2
	},
	{ name => 'full', label => 'next_id, saturated', maker => $next_id, of => '5', calls => 1_000_000, interval_ns => 0 },
	{
		name => 'full_nextval', label => 'nextval, CACHE 1, in a row', maker => $nextval, of => q{'cache_1'::regclass::oid::bigint},
		calls => 1_000_000, interval_ns => 0
	},
);
my @figures = ('p50', 'p99', 'p99.9', 'p99.99', 'longest');

sub new
{
	my ($class) = @_;
	return bless { session => IdgenBench::Session->new, samples => IdgenBench::Samples->new }, $class;
}

# Microseconds by figure.
sub _run
{
	my ($self, $case, $calls) = @_;
	my ($ns) = $self->{session}
	  ->row("SELECT bench_latency('$case->{maker}', $case->{of}, 'instagram', $calls, $case->{interval_ns})");
	my %us;
	@us{@figures} = map { $_ / 1000 } @$ns;
	return %us;
}

sub warm_up
{
	my ($self) = @_;
	$self->_run($_, 20_000) for @cases;
	return;
}

sub round
{
	my ($self, $number) = @_;
	for my $case ($number % 2 ? @cases : reverse @cases)
	{
		next if $number > ($case->{most_rounds} // $number);
		my %us = $self->_run($case, $case->{calls});
		$self->{samples}->add("$case->{name} $_", $us{$_}) for @figures;
	}
	return;
}

sub section
{
	my ($self) = @_;
	my $samples = $self->{samples};
	my $row = sub { my ($case) = @_; return [ $case->{label}, map { $samples->text("$case->{name} $_") } @figures ] };
	return {
		title => 'Latency of single calls',
		text => _text(),
		header => [ 'calls', map { "$_, µs" } @figures ],
		rows => [ map { $row->($_) } @cases ],
		claims => [
			{
				what => 'p99 of a call below saturation, µs',
				most => 100,
				is_strict => 1,
				spread => $samples->spread('below p99')
			},
		],
	};
}

sub _text
{
	return <<'END';
One session, one shard of the default layout (1,024 IDs a ms). A C function in the server calls `next_id` or `nextval` with the monotonic clock
read before and after each call; what the readings cost is in the figures. Below saturation a call begins 3.3 µs or more after the
one before, which uses 30 % of the shard; an empty C function called in the same way shows what the machine itself adds.
Saturated means one call after the other: 1 in 1,024 waits for the next millisecond, so p99.9 lies where the waits begin.
Each round takes the percentiles of its own 300,000 or 1,000,000 calls. The 10 million take half a minute, in which the durable horizon is renewed
some sixty times: the calls that renew wait for a flush of the WAL. Every 32nd `nextval` writes to the WAL; its flush comes with the
commit, which is not measured here.
END
}

1;
