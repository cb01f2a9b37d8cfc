# Rows inserted by several sessions at once: into one table, whose sessions all write at the right end of
# one index, and into tables that spread them by the shard of the ID.
package IdgenBench::HotSpot;

use strict;
use warnings;
use utf8;

use IdgenBench::Samples;
use IdgenBench::Session;
use Time::HiRes qw(time);

my $sessions = 4;
my $parts = 8;
# Rows of each session, and the statement that inserts them: one with all of them, or one and a commit for each.
my %kinds = (
	bulk => {
		rows => 250_000,
		insert => 'WITH made AS (INSERT INTO %s (n) SELECT generate_series(1, %d) RETURNING n) SELECT count(*) FROM made'
	},
	single => { rows => 2_000, insert => q{CALL insert_singly('%s', %d, 0)} },
);
my @tables = (
	{ name => 'by_time', label => '`PRIMARY KEY (id)`' },
	{ name => 'by_hash', label => "`PARTITION BY HASH (id_shard(id))`, $parts parts" },
	{ name => 'by_key', label => '`UNIQUE (id_shard(id), id)`, one table' },
	{ name => 'by_random', label => '`uuid PRIMARY KEY`, random' },
);

# Heavy: this many rounds are enough.
sub most_rounds { return 5 }

sub new
{
	my ($class) = @_;
	my @sessions = map { IdgenBench::Session->new('idgen.shards' => '0-15') } 1 .. $sessions;
	my $self = bless { sessions => \@sessions, samples => IdgenBench::Samples->new }, $class;
	my $columns = '(id bigint DEFAULT next_id() NOT NULL, n integer)';
	$self->_do(
		"CREATE TABLE by_time $columns",
		'ALTER TABLE by_time ADD PRIMARY KEY (id)',
		"CREATE TABLE by_hash $columns PARTITION BY HASH (id_shard(id))",
		(map { _part($_) } 0 .. $parts - 1),
		"CREATE TABLE by_key $columns",
		'CREATE UNIQUE INDEX ON by_key (id_shard(id), id)',
		'CREATE TABLE by_random (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n integer)',
		<<'SQL');
CREATE OR REPLACE PROCEDURE insert_singly(name text, count integer, INOUT made integer) LANGUAGE plpgsql AS $$
BEGIN
    FOR made IN 1 .. count LOOP
        EXECUTE format('INSERT INTO %I (n) VALUES (%s)', name, made);
        COMMIT;
    END LOOP;
    made := count;
END
$$
SQL
	return $self;
}

sub _part
{
	my ($number) = @_;
	return "CREATE TABLE by_hash_$number PARTITION OF by_hash (PRIMARY KEY (id))
		FOR VALUES WITH (MODULUS $parts, REMAINDER $number)";
}

sub _do
{
	my ($self, @statements) = @_;
	$self->{sessions}[0]->run($_) for @statements;
	return;
}

# Rows a second of all sessions at once.
sub _rate
{
	my ($self, $table, $kind) = @_;
	my ($rows, $insert) = @{ $kinds{$kind} }{qw(rows insert)};
	$self->_do("TRUNCATE $table", 'CHECKPOINT');
	my $began = time;
	$_->begin(sprintf $insert, $table, $rows) for @{ $self->{sessions} };
	my @made = map { $_->finish_row } @{ $self->{sessions} };
	my $rate = $sessions * $rows / (time - $began);
	die "$table: @made rows\n" if grep { $_ != $rows } @made;
	return $rate;
}

sub warm_up
{
	my ($self) = @_;
	$self->_rate($_->{name}, 'bulk') for @tables;
	return;
}

sub round
{
	my ($self, $number) = @_;
	my @order = $number % 2 ? @tables : reverse @tables;
	for my $kind (sort keys %kinds)
	{
		my %rate = map { $_->{name} => $self->_rate($_->{name}, $kind) } @order;
		for my $name (keys %rate)
		{
			$self->{samples}->add("$kind $name", $rate{$name} / 1000);
			$self->{samples}->add("$kind to $name", $rate{$name} / $rate{by_time});
		}
	}
	return;
}

sub section
{
	my ($self) = @_;
	my $samples = $self->{samples};
	$self->_do('DROP TABLE by_time, by_hash, by_key, by_random', 'DROP PROCEDURE insert_singly');
	return {
		title => 'Inserts at the right end of an index',
		text => <<"END",
$sessions sessions insert at once, with the shards 0 to 15. The tables differ in the index that all sessions write to. In bulk:
one statement of $kinds{bulk}{rows} rows in each session. One by one: $kinds{single}{rows} rows in each, each with its own COMMIT. In thousands of
rows a second, and as a ratio to the first table ([hot-spots.md](hot-spots.md)).
END
		header => [ 'table', 'in bulk', 'to the first', 'one by one', 'to the first' ],
		rows => [ map { $self->_row($_) } @tables ],
		is_long => 1,
		claims => [],
	};
}

sub _row
{
	my ($self, $table) = @_;
	my @figures = map { $self->{samples}->text("$_ $table->{name}") } ('bulk', 'bulk to', 'single', 'single to');
	return [ $table->{label}, @figures ];
}

1;
