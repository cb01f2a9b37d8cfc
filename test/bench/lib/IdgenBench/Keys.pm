# Five million rows under each kind of key: what they cost to insert, and how large the index is.
package IdgenBench::Keys;

use strict;
use warnings;
use utf8;

use IdgenBench::Samples;
use IdgenBench::Session;

my $rows = 5_000_000;
my @keys = (
	{ name => 'next_id', label => 'next_id(), bigint', type => 'bigint', maker => 'next_id()' },
	{ name => 'bigserial', label => 'bigserial', type => 'bigserial' },
	{ name => 'ulid', label => 'next_ulid(), ulid', type => 'ulid', maker => 'next_ulid()' },
	{ name => 'uuidv7', label => 'next_uuidv7(), uuid', type => 'uuid', maker => 'next_uuidv7()' },
	{ name => 'uuid', label => 'gen_random_uuid(), uuid', type => 'uuid', maker => 'gen_random_uuid()' },
	{ name => 'ulid_text', label => 'next_ulid(), text', type => 'text', maker => 'next_ulid()::text' },
);

sub new
{
	my ($class) = @_;
	my $session = IdgenBench::Session->new('idgen.shards' => '0-15');
	return bless { session => $session, samples => IdgenBench::Samples->new }, $class;
}

sub most_rounds { return 3 }

sub warm_up { return }

sub _run
{
	my ($self, $key) = @_;
	my $session = $self->{session};
	my $default = $key->{maker} ? "DEFAULT $key->{maker}" : '';
	$session->run("CREATE TABLE keyed (id $key->{type} PRIMARY KEY $default, n integer)");
	$session->run('CHECKPOINT');
	my $run = $session->timed("INSERT INTO keyed (n) SELECT generate_series(1, $rows)");
	my ($size) = $session->row(q{SELECT pg_relation_size('keyed_pkey') / 1e6});
	$session->run('DROP TABLE keyed');
	return { cpu => $run->{cpu}, size => $size };
}

sub round
{
	my ($self, $number) = @_;
	my %run = map { $_->{name} => $self->_run($_) } $number % 2 ? @keys : reverse @keys;
	for my $name (keys %run)
	{
		$self->{samples}->add("cpu $name", $run{$name}{cpu});
		$self->{samples}->add("size $name", $run{$name}{size});
		$self->{samples}->add("ratio $name", $run{$name}{cpu} / $run{next_id}{cpu});
	}
	return;
}

sub section
{
	my ($self) = @_;
	my $samples = $self->{samples};
	return {
		title => 'Five million rows under each kind of key',
		text => <<'END',
`INSERT INTO t (n) SELECT generate_series(1, 5000000)` into an empty table
`(id ... PRIMARY KEY DEFAULT ..., n integer)`: the CPU time of the backend, and the size of the index. Text has the
collation C.UTF-8.
END
		header => [ 'key', 'CPU time, s', 'to next_id', 'index, MB' ],
		rows => [ map { my $name = $_->{name}; [ $_->{label}, map { $samples->text("$_ $name") } qw(cpu ratio size) ] } @keys ],
		claims => [],
	};
}

1;
