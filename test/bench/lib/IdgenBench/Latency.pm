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
				in_short => 1,
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
One session on one shard of the default layout; a C function in the server reads the clock around each call. Calls begin
at least 3.3 µs after one another, which uses 30 % of the shard. Saturated means one call after the other: 1 in 1,024
waits for the next millisecond. The empty C function shows what the machine adds. A round has 300,000 or 1,000,000
calls. During the 10 million the durable horizon is renewed some sixty times, and the calls that renew wait for a flush
of the WAL.
Every 32nd `nextval` writes to the WAL; its flush comes with the commit, which is not measured here.
END
}

1;
