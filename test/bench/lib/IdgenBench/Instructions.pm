# Instructions of one call, counted by callgrind: the same on a busy machine as on a quiet one.
package IdgenBench::Instructions;

use strict;
use warnings;

use IdgenBench::Cluster;
use IdgenBench::Samples;

my $roomy = q{'epoch=2020-01-01T00:00:00Z unit=1ms time=40 shard=3 sequence=20'};
my $rows = 200_000;
my @calls = (
	{ name => 'next_id', label => 'next_id(shard, layout)', call => "next_id(5, $roomy)" },
	{ name => 'nextval', label => 'nextval, CACHE 1', call => q{nextval('cache_1')} },
	{ name => 'nextval_1000', label => 'nextval, CACHE 1000', call => q{nextval('cache_1000')} },
	{ name => 'uuid', label => 'gen_random_uuid()', call => 'gen_random_uuid()' },
);

sub new
{
	my ($class) = @_;
	return bless { samples => IdgenBench::Samples->new }, $class;
}

# It takes long, and comes out the same.
sub most_rounds { return 1 }

sub warm_up { return }

# Instructions of a backend that runs one query on its own and ends.
sub _instructions
{
	my ($folder, $call) = @_;
	my $query = "SELECT count($call) FROM (SELECT generate_series(1, $rows) OFFSET 0) s";
	my $command = "valgrind --tool=callgrind --callgrind-out-file=/dev/null postgres --single -D '$folder' postgres";
	my $out = qx{echo "$query" | $command 2>&1};
	$out =~ /count = "$rows"/ && $out =~ /Collected : (\d+)/ or die "$command: $out\n";
	return $1;
}

sub round
{
	my ($self) = @_;
	my $cluster = IdgenBench::Cluster->new('alone');
	$cluster->stop('fast');
	my $empty = _instructions($cluster->folder, 'bench_empty()');
	for (@calls)
	{
		my $count = (_instructions($cluster->folder, $_->{call}) - $empty) / $rows;
		$self->{samples}->add($_->{name}, $count);
	}
	$cluster->remove;
	return;
}

sub section
{
	my ($self) = @_;
	my $samples = $self->{samples};
	return {
		title => 'Instructions of one call',
		text => <<'END',
What callgrind counts for the same queries, less the one with the empty C function. Other work on the machine does not
change it.
END
		header => [ 'call', 'instructions' ],
		rows => [ map { [ $_->{label}, sprintf '%.0f', $samples->spread($_->{name})->{median} ] } @calls ],
		claims => [],
	};
}

1;
