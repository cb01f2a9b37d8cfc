# A million IDs looked over: idgen.audit against what a query of one's own does for one of its findings, the duplicates.
package IdgenBench::Audit;

use strict;
use warnings;

use IdgenBench::Samples;
use IdgenBench::Session;

my $rows = 1_000_000;
my @runs = (
	{ name => 'ours', label => 'idgen.audit', sql => "SELECT sum(value::bigint) FROM idgen.audit('audited', 'id') WHERE finding IN ('rows', 'duplicates')" },
	{ name => 'lag', label => 'lag() over the index of the key', sql => "SELECT $rows + count(*) FROM (SELECT id, lag(id) OVER (ORDER BY id) AS before FROM audited) a WHERE id = before" },
	{ name => 'group', label => 'GROUP BY id HAVING count(*) > 1', sql => "SELECT $rows + count(*) FROM (SELECT id FROM unkeyed GROUP BY id HAVING count(*) > 1) a" },
	{ name => 'unkeyed', label => 'idgen.audit, no index', sql => "SELECT sum(value::bigint) FROM idgen.audit('unkeyed', 'id') WHERE finding IN ('rows', 'duplicates')" },
);

sub new
{
	my ($class) = @_;
	return bless { session => IdgenBench::Session->new(client_min_messages => 'warning'), samples => IdgenBench::Samples->new }, $class;
}

# Rows of eight shards, nearly in the order of their IDs, as of sessions that insert side by side.
sub warm_up
{
	my ($self) = @_;
	$self->{session}->run($_)
	  for 'SELECT setseed(0.5)', <<"SQL", 'CREATE TABLE audited AS TABLE unkeyed', 'ALTER TABLE audited ADD PRIMARY KEY (id)', 'VACUUM ANALYZE unkeyed', 'VACUUM ANALYZE audited', 'CHECKPOINT', map { $_->{sql} } @runs;
CREATE TABLE unkeyed AS
SELECT id_make('2026-01-01'::timestamptz + n * interval '1 ms' + random() * interval '20 ms', n % 8, n / 8 % 1024) AS id, 'the text of row ' || n AS body
  FROM generate_series(1, $rows) n
SQL
	return;
}

sub round
{
	my ($self, $number) = @_;
	my %run;
	for my $run ($number % 2 ? @runs : reverse @runs)
	{
		$run{ $run->{name} } = $self->{session}->timed($run->{sql});
		die "$run->{name}: $run{ $run->{name} }{value}\n" unless $run{ $run->{name} }{value} == $rows;
	}
	for my $kind (qw(wall cpu))
	{
		$self->{samples}->add("$kind $_->{name}", $run{ $_->{name} }{$kind}) for @runs;
		$self->{samples}->add("$kind ratio", $run{ours}{$kind} / $run{lag}{$kind});
	}
	return;
}

sub section
{
	my ($self) = @_;
	my $samples = $self->{samples};
	my $row = sub { my ($label, $of) = @_; return [ $label, map { $samples->text("$_ $of") } qw(wall cpu) ] };
	return {
		title => 'A million IDs audited',
		text => <<'END',
`idgen.audit` finds duplicates, strangers, shards, the busiest tick and the order of storage. The queries beside it find
the duplicates only.
END
		header => [ 'run', 'wall time, s', 'CPU time, s' ],
		rows => [ (map { $row->("`$_->{label}`", $_->{name}) } @runs), $row->('`idgen.audit` as a share of `lag()`', 'ratio') ],
		claims => [
			{
				what => 'CPU time of an audit of a million IDs, as a share of lag() over the index of the key',
				in_short => 1,
				most => 2,
				spread => $samples->spread('cpu ratio')
			} ],
	};
}

1;
