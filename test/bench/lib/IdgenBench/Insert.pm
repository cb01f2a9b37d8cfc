# A million rows inserted into a table whose primary key is made by its default.
package IdgenBench::Insert;

use strict;
use warnings;

use IdgenBench::Samples;
use IdgenBench::Session;

my $rows = 1_000_000;
my @tables = (
	{ name => 'by_next_id', label => 'next_id()' },
	{ name => 'by_bigserial', label => 'bigserial' },
);
my %name_of = (wall => 'wall time', cpu => 'CPU time');

sub new
{
	my ($class) = @_;
	my $session = IdgenBench::Session->new('idgen.shards' => '0-15');
	return bless { session => $session, samples => IdgenBench::Samples->new }, $class;
}

sub _run
{
	my ($self, $table, $count) = @_;
	$self->{session}->run("TRUNCATE $table");
	$self->{session}->run('CHECKPOINT');
	return $self->{session}->timed("INSERT INTO $table (n) SELECT generate_series(1, $count)");
}

# Of full size: the first run makes the files of the WAL, later ones use them again.
sub warm_up
{
	my ($self) = @_;
	$self->_run($_->{name}, $rows) for @tables;
	return;
}

sub round
{
	my ($self, $number) = @_;
	my @order = $number % 2 ? @tables : reverse @tables;
	my %run = map { $_->{name} => $self->_run($_->{name}, $rows) } @order;
	for my $kind (qw(wall cpu))
	{
		$self->{samples}->add("$kind $_->{name}", 1000 * $run{ $_->{name} }{$kind}) for @tables;
		$self->{samples}->add("$kind ratio", $run{by_next_id}{$kind} / $run{by_bigserial}{$kind});
	}
	return;
}

sub section
{
	my ($self) = @_;
	my $samples = $self->{samples};
	my $row = sub { my ($label, $of) = @_; return [ $label, map { $samples->text("$_ $of") } qw(wall cpu) ] };
	return {
		title => 'A million rows inserted',
		text => <<'END',
`INSERT INTO t (n) SELECT generate_series(1, 1000000)` into an empty table
`(id bigint PRIMARY KEY DEFAULT next_id(), n integer)`, with a pool of 16 shards, and into the same with `id bigserial`.

COPY computes a volatile default row by row; only `nextval` gets batches. Measured once, COPY of a million rows with
`DEFAULT next_id()` takes 1.15 times the CPU time of `bigserial`. It writes 132 MB of WAL instead of 86. If the file has
the IDs (`SELECT id FROM next_ids(1000000) AS id`), it writes 83 MB.
END
		header => [ 'key', 'wall time, ms', 'CPU time, ms' ],
		rows => [ (map { $row->("`$_->{label}`", $_->{name}) } @tables), $row->('ratio', 'ratio') ],
		claims => [ map { $self->_claim($_) } qw(wall cpu) ],
	};
}

sub _claim
{
	my ($self, $kind) = @_;
	return {
		what => "$name_of{$kind} of a million rows inserted, as a share of `bigserial`",
		in_short => $kind eq 'wall',
		most => 1,
		spread => $self->{samples}->spread("$kind ratio")
	};
}

1;
