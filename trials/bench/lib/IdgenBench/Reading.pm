# Reading by ID: the rows of a day, an audit, and IDs for rows that have none.
package IdgenBench::Reading;

use strict;
use warnings;
use utf8;

use IdgenBench::Samples qw(in_rounds);
use IdgenBench::Session;

my ($rows, $days) = (10_000_000, 100);
my $first_day = q{'2026-01-01 00:00+00'::timestamptz};
my $small = 1_000_000;

sub tables
{
	my ($class, $rounds) = @_;
	my $session = IdgenBench::Session->new(client_min_messages => 'warning', TimeZone => 'UTC', 'idgen.shards' => '0-15');
	return (_day($session, $rounds), _audit($session, $rounds), _backfill($session, $rounds > 3 ? 3 : $rounds));
}

# Times of each case, each as a multiple of the last one's.
sub _table
{
	my ($title, $rounds, $measure, @cases) = @_;
	my $samples = in_rounds($rounds, $measure, @cases);
	my @figures = qw(wall cpu);
	my @body = map {
		my $name = $_->{name};
		[ $name, map { ($samples->median("$name $_"), $samples->median("$name $_", "$cases[-1]{name} $_")) } @figures ];
	} @cases;
	return { title => $title, header => [ 'by', 'wall time', 'ratio', 'CPU time', 'ratio' ], rows => \@body };
}

# Another day each round, so that neither has it all in the processor's cache.
sub _day
{
	my ($session, $rounds) = @_;
	$session->run('CREATE TABLE by_day (id bigint, created_at timestamptz)', <<"SQL", 'ALTER TABLE by_day ADD PRIMARY KEY (id)',
INSERT INTO by_day SELECT id_make(at, n % 16, n % 1024), at
  FROM (SELECT n, $first_day + interval '$days days' * (n / $rows.0) AS at FROM generate_series(0, $rows - 1) AS n) AS s
SQL
		'CREATE INDEX ON by_day (created_at)', 'VACUUM ANALYZE by_day');
	my $measure = sub {
		my ($case, $round) = @_;
		my ($from, $to) = map { "$first_day + interval '1 day' * " . (7 * $round % $days + $_) } 0, 1;
		my %used = $session->used_by(sprintf("SELECT count(*) FROM by_day WHERE $case->{where}", $from, $to), $rows / $days);
		return map { $_ => 1000 * $used{$_} } qw(wall cpu);
	};
	my @cases = (
		{ name => '`id_within(id, day)`', where => 'id_within(id, tstzrange(%s, %s))' },
		{ name => 'index on `created_at`', where => 'created_at >= %s AND created_at < %s' });
	$measure->($_, 0) for @cases;
	my $table = _table('A day of 10 million rows, ms', $rounds, $measure, @cases);
	$session->run('DROP TABLE by_day');
	return $table;
}

sub _audit
{
	my ($session, $rounds) = @_;
	$session->run('CREATE TABLE audited (id bigint PRIMARY KEY DEFAULT next_id(), n integer)',
		"INSERT INTO audited (n) SELECT generate_series(1, $small)", 'VACUUM ANALYZE audited');
	my @cases = (
		{ name => '`idgen.audit`', sql => q{SELECT count(*) FROM idgen.audit('audited', 'id') WHERE finding = 'duplicates' AND ok}, gives => 1 },
		{ name => '`GROUP BY id HAVING count(*) > 1`', sql => 'SELECT count(*) FROM (SELECT id FROM audited GROUP BY id HAVING count(*) > 1) s', gives => 0 },
		{
			name => "`lag()` over the key's index", gives => 0,
			sql => 'SELECT count(*) FILTER (WHERE id = before) FROM (SELECT id, lag(id) OVER (ORDER BY id) AS before FROM audited) s'
		},
	);
	return _table('An audit of a million rows, s', $rounds, sub { return $session->used_by(@{ $_[0] }{qw(sql gives)}) }, @cases);
}

# The table anew, its files and indexes the same each time, and the run.
sub _backfill
{
	my ($session, $rounds) = @_;
	$session->run('CREATE EXTENSION IF NOT EXISTS idgen_migrate', 'SELECT setseed(0.5)', <<"SQL", <<'SQL');
CREATE TABLE unmigrated AS
SELECT n::bigint AS key, NULL::bigint AS id, 'the text of row ' || n AS body,
       '2020-01-01'::timestamptz + n * interval '4 ms' + random() * interval '1 s' AS made
  FROM generate_series(1, $small) n
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
	my $measure = sub {
		my ($case) = @_;
		$session->run('DROP TABLE IF EXISTS migrated', 'CREATE TABLE migrated AS TABLE unmigrated', 'ALTER TABLE migrated ADD PRIMARY KEY (key)',
			'CREATE INDEX ON migrated (made)', 'CREATE UNIQUE INDEX ON migrated (id)', 'VACUUM ANALYZE migrated', 'CHECKPOINT');
		my %used = $session->used(sub { $session->run($case->{sql}) });
		my ($count) = $session->row('SELECT count(DISTINCT id) FROM migrated');
		die "$case->{name}: $count rows\n" unless $count == $small;
		return %used;
	};
	return _table('A million rows that get an ID, s', $rounds, $measure,
		{ name => '`idgen_migrate.backfill`', sql => q{CALL idgen_migrate.backfill('migrated', 'id', 'made', 5)} },
		{ name => '`UPDATE` by ranges of the key', sql => 'CALL bench_plain_update(10000)' });
}

1;
