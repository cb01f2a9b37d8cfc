# What next_id() costs, in CPU time, with more shards, idle sessions, databases and layouts beside it.
package IdgenBench::Scale::Growth;

use strict;
use warnings;
use utf8;

use DBI;
use IdgenBench::Samples qw(number);
use IdgenBench::Session;
use POSIX qw(strftime);

my $rows = 400_000;
my $roomy = q{'epoch=2020-01-01T00:00:00Z unit=1ms time=40 shard=3 sequence=20'};
# The sequence stands above the shard, so an ID of a lower shard may follow one of a higher shard in one tick.
my $by_shard = q{'epoch=2020-01-01T00:00:00Z unit=1000ms time=31 sequence=19 shard=13'};
my @kinds = ('shard', 'idle session', 'database', 'layout');

# With so many sessions and databases at most.
sub new
{
	my ($class, %most) = @_;
	my %counts = (
		shard => [ 1, 16, 256, 4096, 8192 ],
		'idle session' => [ grep { $_ <= $most{sessions} } 1, 10, 100, 1000 ],
		database => [ grep { $_ <= $most{databases} } 1, 10, 50 ],
		layout => [ 1, 10, 100, 1000 ],
	);
	return bless { counts => \%counts, session => IdgenBench::Session->new, samples => IdgenBench::Samples->new, others => [] }, $class;
}

# CPU nanoseconds of a row with an expression of its number, g.
sub _ns
{
	my ($self, $expression) = @_;
	my $run = $self->{session}->timed("SELECT count($expression) FROM (SELECT generate_series(1, $rows) AS g OFFSET 0) s");
	die "$expression: $run->{value} rows\n" unless $run->{value} == $rows;
	return $run->{cpu} * 1e9 / $rows;
}

# Less an expression that does next to nothing with the same argument, before and after.
sub _net
{
	my ($self, $empty, $call) = @_;
	my ($before, $ns, $after) = map { $self->_ns($_) } $empty, $call, $empty;
	return $ns - ($before + $after) / 2;
}

sub _call { my ($self) = @_; return $self->_net('pg_backend_pid()', "next_id(5, $roomy)") }

# Microseconds of 3,000 transactions with a call each: within one the same answer is kept.
sub _transaction_us
{
	my ($self, $call) = @_;
	my $run = $self->{session}->timed("DO \$\$ DECLARE id bigint; BEGIN FOR n IN 1 .. 3000 LOOP id := $call; COMMIT; END LOOP; END \$\$");
	return $run->{cpu} * 1e6 / 3000;
}

# The same of id_settled(), net of transactions without it.
sub _settled_us
{
	my ($self) = @_;
	my ($before, $us, $after) = map { $self->_transaction_us($_) } 'pg_backend_pid()', 'id_settled()', 'pg_backend_pid()';
	return $us - ($before + $after) / 2;
}

# By kind: the net cost of a call with so many.
my %cost_of = (
	shard => sub { my ($self, $count) = @_; return $self->_net("abs(g % $count)", "next_id(g % $count, $by_shard)") },
	layout => sub {
		my ($self, $count) = @_;
		my $layout = "('{$self->{layouts}}'::id_layout[])[g % $count + 1]";
		return $self->_net("$layout IS NOT NULL", "next_id(5, $layout)");
	},
	'idle session' => sub {
		my ($self, $count) = @_;
		$self->_open($count, sub { 'postgres' });
		$self->{samples}->add("settled $count" => $self->_settled_us);
		return $self->_call;
	},
	database => sub { my ($self, $count) = @_; $self->_open($count, sub { "scale_$_[0]" }); return $self->_call },
);

# So many sessions that have drawn, and are idle in an open transaction.
sub _open
{
	my ($self, $count, $database_of) = @_;
	my $others = $self->{others};
	while (@$others < $count)
	{
		my $session = DBI->connect('dbi:Pg:dbname=' . $database_of->(scalar @$others), undef, undef, { RaiseError => 1, PrintError => 0 });
		$session->begin_work;
		$session->do('SELECT next_id(6)');
		push @$others, $session;
	}
	return;
}

sub _close
{
	my ($self) = @_;
	for (@{ $self->{others} }) { $_->rollback; $_->disconnect }
	$self->{others} = [];
	return;
}

sub warm_up
{
	my ($self) = @_;
	my $session = $self->{session};
	$self->{layouts} = join ',', map { qq{"epoch=$_ unit=1ms time=40 shard=3 sequence=20"} } map { strftime('%Y-%m-%dT%H:%M:%SZ', gmtime(1_577_836_800 + $_)) } 1 .. $self->{counts}{layout}[-1];
	for my $number (0 .. $self->{counts}{database}[-1] - 1)
	{
		$session->run("CREATE DATABASE scale_$number");
		DBI->connect("dbi:Pg:dbname=scale_$number", undef, undef, { RaiseError => 1 })->do('CREATE EXTENSION idgen');
	}
	$self->_call;
	return;
}

sub round
{
	my ($self) = @_;
	for my $kind (@kinds)
	{
		$self->_close;
		my $least;
		for my $count (@{ $self->{counts}{$kind} })
		{
			my $ns = $cost_of{$kind}->($self, $count);
			$least //= $ns;
			$self->{samples}->add("$kind $count" => $ns);
			$self->{samples}->add("$kind $count ratio" => $ns / $least);
		}
	}
	$self->_close;
	return;
}

sub sections
{
	my ($self) = @_;
	my $samples = $self->{samples};
	my @rows = map {
		my $kind = $_;
		map {
			my $name = "$kind $_";
			[ number_of($_) . " $kind" . ($_ > 1 ? 's' : ''), $samples->text($name), $samples->text("$name ratio") ]
		} @{ $self->{counts}{$kind} }
	} @kinds;
	my @settled = map { [ number_of($_), $samples->text("settled $_") ] } @{ $self->{counts}{'idle session'} };
	return (
		{
			title => 'What a call costs as things grow',
			text => <<'END',
The CPU time of one `next_id()`, net of the statement without it. Shards: one session draws from each in turn, in a
layout with 8,192 shards. Idle sessions: others that have drawn and keep their transaction open. Databases:
one such session in each. Layouts: of as many packings, in turn, on one shard. A session remembers the slot that it drew
from last; another one costs a search in shared memory, whose time hardly depends on how many there are.
END
			header => [ 'there are', 'CPU time, ns', 'to the fewest' ],
			rows => \@rows,
		},
		{
			title => 'Reading by ID beside open transactions',
			text => <<'END',
The CPU time of one `id_settled()`, which looks at each session that has drawn, net of the transaction that calls it.
END
			header => [ 'open transactions that have drawn', 'CPU time, µs' ],
			rows => \@settled,
		});
}

# A count in groups of three digits.
sub number_of { my ($count) = @_; return $count < 1000 ? $count : number($count) }

1;
