# IDs a second of more and more sessions: next_id() on one shard and on pools, nextval and the statement without an ID
# beside it. As many processors as sessions are used, until there are no more; then more sessions share them.
package IdgenBench::Scale::Curve;

use strict;
use warnings;

use IdgenBench::Samples;
use IdgenBench::Session;
use List::Util qw(min sum uniq);
use Time::HiRes qw(time);

my $roomy = q{'epoch=2020-01-01T00:00:00Z unit=1ms time=40 shard=3 sequence=20'};
my @makers = (
	{ name => 'one', label => 'one shard', call => 'next_id(5)' },
	{ name => 'roomy', label => 'one shard, roomy layout', call => "next_id(5, $roomy)" },
	{ name => 'pool', label => 'pool of 16 shards', call => 'next_id()', shards => '0-15' },
	{ name => 'large', label => 'pool of 256 shards', call => 'next_id()', shards => '0-255' },
	{ name => 'nextval', label => 'nextval, CACHE 1', call => q{nextval('cache_1')} },
	{ name => 'cached', label => 'nextval, CACHE 50', call => q{nextval('cache_50')} },
	{ name => 'none', label => 'no ID', call => 'generate_series' },
);

# `seconds` is how long one measurement takes.
sub new
{
	my ($class, %of) = @_;
	my @processors = _processors();
	my @counts = uniq sort { $a <=> $b } (grep { $_ <= @processors } map { 2**$_ } 0 .. 10), map { $_ * @processors } 1, 2, 4, 8;
	my @sessions = map { IdgenBench::Session->new } 1 .. $counts[-1];
	$sessions[0]->run($_) for 'CREATE SEQUENCE cache_1', 'CREATE SEQUENCE cache_50 CACHE 50';
	return bless {
		seconds => $of{seconds}, processors => \@processors, counts => \@counts, sessions => \@sessions, samples => IdgenBench::Samples->new
	}, $class;
}

# Those that this program may use.
sub _processors
{
	open my $status, '<', '/proc/self/status' or die "/proc/self/status: $!\n";
	my ($list) = join('', <$status>) =~ /^Cpus_allowed_list:\s*(\S+)/m;
	return map { my ($first, $last) = split /-/; $first .. $last // $first } split /,/, $list;
}

# The first so many sessions, on as many processors.
sub _pinned
{
	my ($self, $count) = @_;
	my @processors = @{ $self->{processors} };
	my $list = join ',', @processors[ 0 .. min($count, scalar @processors) - 1 ];
	my @sessions = @{ $self->{sessions} }[ 0 .. $count - 1 ];
	for (@sessions) { system("taskset -cp $list @{[ $_->pid ]} >/dev/null") == 0 or die "taskset\n" }
	return @sessions;
}

# IDs a second of all of them, if each makes so many.
sub _rate
{
	my ($maker, $rows, @sessions) = @_;
	$_->run("SET idgen.shards = '@{[ $maker->{shards} // '' ]}'") for @sessions;
	my $began = time;
	$_->begin("SELECT count($maker->{call}) FROM (SELECT generate_series(1, $rows) OFFSET 0) s") for @sessions;
	my $made = sum map { ($_->finish_row)[0] } @sessions;
	die "$maker->{call}: $made rows\n" unless $made == $rows * @sessions;
	return $made / (time - $began);
}

# Finds how many IDs each maker makes in the time.
sub warm_up
{
	my ($self) = @_;
	for my $count (@{ $self->{counts} })
	{
		my @sessions = $self->_pinned($count);
		for my $maker (@makers)
		{
			my $rows = 20_000;
			$rows = 1 + int(_rate($maker, $rows, @sessions) * $_ / $count) for 0.05, $self->{seconds};
			$self->{rows}{ $maker->{name} }{$count} = $rows;
		}
	}
	return;
}

# Every other round goes backward.
sub round
{
	my ($self, $number) = @_;
	my $samples = $self->{samples};
	my @order = $number % 2 ? @makers : reverse @makers;
	my %alone;
	for my $count (@{ $self->{counts} })
	{
		my @sessions = $self->_pinned($count);
		my %rate = map { $_->{name} => _rate($_, $self->{rows}{ $_->{name} }{$count}, @sessions) } @order;
		%alone = %rate unless %alone;
		$samples->add("$_ $count" => $rate{$_} / 1e6) for keys %rate;
		$samples->add("$_ $count to alone" => $rate{$_} / $alone{$_}) for keys %rate;
		$samples->add("large $count to $_" => $rate{large} / $rate{$_}) for qw(nextval cached);
	}
	return;
}

sub _label
{
	my ($self, $count) = @_;
	my $processors = min($count, scalar @{ $self->{processors} });
	return sprintf '%d session%s on %d processor%s', $count, $count > 1 ? 's' : '', $processors, $processors > 1 ? 's' : '';
}

sub sections
{
	my ($self) = @_;
	my $samples = $self->{samples};
	my $rows = sub {
		my (@names) = @_;
		return [ map { my $count = $_; [ $self->_label($count), map { $samples->text(s/#/$count/r) } @names ] } @{ $self->{counts} } ];
	};
	return (
		{
			title => 'More processors and sessions',
			text => <<'END',
Each session runs one statement that makes IDs, all at once. Backends are bound to as many processors as there are
sessions, up to those of this machine. `one shard` and the pools have the default layout, 1,024 IDs a millisecond and
shard: at most 16.4 million a second from 16 shards. `roomy` is `'epoch=2020-01-01T00:00:00Z unit=1ms time=40 shard=3
sequence=20'`, in which no call waits: there the sessions share one lock. `no ID` only counts the rows: what another
processor of this machine is worth. In millions of IDs or rows a second.
END
			header => [ 'sessions', map { $_->{label} } @makers ],
			rows => $rows->(map { "$_->{name} #" } @makers),
		},
		{
			title => 'The same as ratios',
			text => <<'END',
Taken within a round. The first columns compare with one session, the last two a pool of 256 shards with `nextval`.
END
			header => [ 'sessions', (map { $_->{label} } @makers), 'pool of 256 to CACHE 1', 'pool of 256 to CACHE 50' ],
			rows => $rows->((map { "$_->{name} # to alone" } @makers), 'large # to nextval', 'large # to cached'),
		});
}

1;
