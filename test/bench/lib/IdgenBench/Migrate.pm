# Five million rows that get an ID each: idgen_migrate.backfill against a plain UPDATE in batches.
package IdgenBench::Migrate;

use strict;
use warnings;

use IdgenBench::Samples;
use IdgenBench::Session;

my $rows = 5_000_000;
my $batch = 10_000;
my @runs = (
	{ name => 'ours', label => 'idgen_migrate.backfill', sql => "CALL idgen_migrate.backfill('migrated', 'id', 'made', 5)" },
	{ name => 'plain', label => 'UPDATE by ranges of the primary key', sql => "CALL bench_plain_update($batch)" },
);

sub new
{
	my ($class) = @_;
	return bless { session => IdgenBench::Session->new(client_min_messages => 'warning'), samples => IdgenBench::Samples->new }, $class;
}

# Each run takes about a minute.
sub most_rounds { return 3 }

# The table as it is before: times nearly in the order of the rows, as of sessions that insert side by side.
sub warm_up
{
	my ($self) = @_;
	$self->{session}->run($_) for 'CREATE EXTENSION IF NOT EXISTS idgen_migrate', 'SELECT setseed(0.5)', <<"SQL", <<'SQL';
CREATE TABLE unmigrated AS
SELECT n::bigint AS key, NULL::bigint AS id, 'the text of row ' || n AS body,
       '2020-01-01'::timestamptz + n * interval '800 us' + random() * interval '1 s' AS made
  FROM generate_series(1, $rows) n
SQL
CREATE PROCEDURE bench_plain_update(batch bigint) LANGUAGE plpgsql AS $$
DECLARE
    low bigint := 0;
BEGIN
    LOOP
        UPDATE migrated SET id = key + 1000000000000 WHERE key > low AND key <= low + batch;
        EXIT WHEN NOT FOUND;
        COMMIT;
        low := low + batch;
    END LOOP;
END
$$
SQL
	return;
}

# The table anew, its files and indexes the same each time, and the run.
sub _run
{
	my ($self, $run) = @_;
	my $session = $self->{session};
	$session->run($_)
	  for 'DROP TABLE IF EXISTS migrated', 'CREATE TABLE migrated AS TABLE unmigrated',
	  'ALTER TABLE migrated ADD PRIMARY KEY (key)', 'CREATE INDEX ON migrated (made)', 'CREATE UNIQUE INDEX ON migrated (id)',
	  'VACUUM ANALYZE migrated', 'CHECKPOINT';
	my $timed = $session->timed($run->{sql});
	my ($count) = $session->row('SELECT count(DISTINCT id) FROM migrated');
	die "$run->{name}: $count rows\n" unless $count == $rows;
	return $timed;
}

sub round
{
	my ($self, $number) = @_;
	my %run = map { $_->{name} => $self->_run($_) } $number % 2 ? @runs : reverse @runs;
	for my $kind (qw(wall cpu))
	{
		$self->{samples}->add("$kind $_->{name}", $run{ $_->{name} }{$kind}) for @runs;
		$self->{samples}->add("$kind ratio", $run{ours}{$kind} / $run{plain}{$kind});
	}
	return;
}

sub section
{
	my ($self) = @_;
	my $samples = $self->{samples};
	my $row = sub { my ($label, $of) = @_; return [ $label, map { $samples->text("$_ $of") } qw(wall cpu) ] };
	return {
		title => 'Five million rows migrated',
		text => <<'END',
`idgen_migrate.backfill` gives each row an ID in the order of a column of times. A plain `UPDATE` in a loop gives it a
number. Both commit batches of 10,000 rows. The table has indexes on the primary key, the time and the ID.
END
		header => [ 'run', 'wall time, s', 'CPU time, s' ],
		rows => [ (map { $row->("`$_->{label}`", $_->{name}) } @runs), $row->('ratio', 'ratio') ],
		claims => [
			{
				what => 'wall time of 5 million rows backfilled, as a share of a plain batched UPDATE',
				in_short => 1,
				most => 1.6,
				spread => $samples->spread('wall ratio')
			} ],
	};
}

1;
