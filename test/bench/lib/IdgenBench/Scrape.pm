# How long prometheus-postgres-exporter takes to scrape a server whose 64 shards all make IDs.
package IdgenBench::Scrape;

use strict;
use warnings;

use HTTP::Tiny;
use IdgenBench::Samples;
use IdgenBench::Session;
use IO::Socket::INET;
use POSIX ();
use Time::HiRes qw(sleep time);

my $shards = 64;
my $scrapes = 5;    # in each round

my @kinds = (
	{ name => 'ours', label => 'what `monitoring/queries.yaml` asks' },
	{ name => 'server', label => "the exporter's own metrics" },
);

# A round draws, scrapes and draws again.
sub most_rounds { return 5 }

sub new
{
	my ($class, $queries) = @_;
	my $self = bless {
		session => IdgenBench::Session->new,
		samples => IdgenBench::Samples->new,
		http => HTTP::Tiny->new(timeout => 30, no_proxy => ['127.0.0.1']),
		pids => []
	}, $class;
	$self->{url}{ours} = $self->_begin_exporter('--disable-default-metrics', '--disable-settings-metrics',
		'--no-collector.database', '--no-collector.bgwriter', "--extend.query-path=$queries");
	$self->{url}{server} = $self->_begin_exporter;
	return $self;
}

sub DESTROY
{
	my ($self) = @_;
	local $?;
	kill 'TERM', @{ $self->{pids} } if @{ $self->{pids} };
	waitpid $_, 0 for @{ $self->{pids} };
	return;
}

# Starts an exporter on a free port of the loopback interface and gives its address.
sub _begin_exporter
{
	my ($self, @options) = @_;
	my $free = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1', ReuseAddr => 1) or die "no free port: $!\n";
	my $port = $free->sockport;
	close $free;
	my $pid = fork // die "fork: $!\n";
	if ($pid == 0)
	{
		$ENV{DATA_SOURCE_NAME} = "user=$ENV{PGUSER} host=$ENV{PGHOST} dbname=$ENV{PGDATABASE} sslmode=disable";
		open STDOUT, '>', '/dev/null' or POSIX::_exit(1);
		open STDERR, '>&', \*STDOUT or POSIX::_exit(1);
		exec 'prometheus-postgres-exporter', "--web.listen-address=127.0.0.1:$port", @options or POSIX::_exit(1);
	}
	push @{ $self->{pids} }, $pid;
	return "http://127.0.0.1:$port/metrics";
}

# One scrape: its milliseconds and its text.
sub _scrape
{
	my ($self, $kind) = @_;
	my $began = time;
	my $response = $self->{http}->get($self->{url}{$kind});
	my $ms = 1000 * (time - $began);
	return ($ms, $response->{success} ? $response->{content} : '');
}

sub _draw
{
	my ($self) = @_;
	$self->{session}->run("SELECT count(next_id(n)) FROM generate_series(1, $shards) AS n");
	return;
}

sub warm_up
{
	my ($self) = @_;
	$self->_draw;
	for (1 .. 100)
	{
		my (undef, $ours) = $self->_scrape('ours');
		my (undef, $server) = $self->_scrape('server');
		my $seen = () = $ours =~ /^idgen_shard_ids_total/mg;
		return if $seen >= $shards && $server =~ /^pg_up 1$/m;
		sleep 0.1;
	}
	die "the exporter shows less than $shards shards\n";
}

sub round
{
	my ($self, $number) = @_;
	for my $kind ($number % 2 ? @kinds : reverse @kinds)
	{
		for (1 .. $scrapes)
		{
			$self->_draw;
			my ($ms) = $self->_scrape($kind->{name});
			$self->{samples}->add($kind->{name}, $ms);
		}
	}
	return;
}

sub section
{
	my ($self) = @_;
	my $samples = $self->{samples};
	return {
		title => 'One scrape',
		text => <<"END",
`prometheus-postgres-exporter` answers one HTTP request, while $shards shards make IDs and the server has 16384 slots: one
exporter with `monitoring/queries.yaml` only, one with its own metrics only.
END
		header => [ 'metrics', 'wall time, ms' ],
		rows => [ map { [ $_->{label}, $samples->text($_->{name}) ] } @kinds ],
		claims => [],
	};
}

1;
