# What one row costs whose key is made by its DEFAULT, by the way in which the row is sent: instructions, CPU time and WAL.
package IdgenBench::Rows;

use strict;
use warnings;
use utf8;

use IdgenBench::Cluster;
use IdgenBench::Samples qw(in_rounds number);
use IdgenBench::Session;

my @keys = (
	{ label => '`bigserial`', column => 'bigserial' },
	{ label => '`next_id()`', column => 'bigint DEFAULT next_id()' },
	{ label => '`idgen.next_id()`', column => 'bigint DEFAULT idgen.next_id()' },
	{ label => '`gen_random_uuid()`', column => 'uuid DEFAULT gen_random_uuid()' },
	{ label => '`uuidv7()`', column => 'uuid DEFAULT uuidv7()', from => 18 },
	{ label => '`next_uuidv7()`', column => 'uuid DEFAULT next_uuidv7()' },
);

# How statements are sent, how many rows are measured and counted, and how many one statement has.
my @ways = (
	{ label => 'one row, simple protocol', rows => 20_000, counted => 500, send => \&_simple },
	{ label => 'one row, unnamed statement', rows => 20_000, counted => 500, send => sub { _extended(@_, 0) } },
	{ label => 'one row, prepared', rows => 20_000, counted => 500, send => sub { _extended(@_, 1) } },
	{ label => '`VALUES` of 1,000', rows => 100_000, counted => 4000, bulk => 1, send => \&_values },
	{ label => '`INSERT ... SELECT`', rows => 300_000, counted => 5000, bulk => 1, send => \&_select },
	{ label => '`COPY`', rows => 300_000, counted => 5000, bulk => 1, send => \&_copy },
);

sub _simple
{
	my ($session, $table, $rows) = @_;
	$session->run("INSERT INTO $table (n) VALUES ($_)") for 1 .. $rows;
	return;
}

sub _extended
{
	my ($session, $table, $rows, $is_prepared) = @_;
	my $statement = $session->{kept}{"$table $is_prepared"} //= $session->statement("INSERT INTO $table (n) VALUES (?)", $is_prepared);
	$statement->execute($_) for 1 .. $rows;
	return;
}

sub _values
{
	my ($session, $table, $rows) = @_;
	my $values = join ', ', map { "($_)" } 1 .. 1000;
	$session->run("INSERT INTO $table (n) VALUES $values") for 1 .. $rows / 1000;
	return;
}

sub _select
{
	my ($session, $table, $rows) = @_;
	$session->run("INSERT INTO $table (n) SELECT generate_series(1, $rows)");
	return;
}

sub _copy
{
	my ($session, $table, $rows) = @_;
	$session->copy("COPY $table (n) FROM STDIN", 1 .. $rows);
	return;
}

# Each way with each key.
sub _cases
{
	my (@with) = @_;
	my @cases;
	for my $way (@ways) { push @cases, map { { name => "$way->{label} $_->{label}", way => $way, table => $_->{table} } } @with }
	return @cases;
}

# CPU nanoseconds and bytes of WAL of a row of an empty table.
sub _measured
{
	my ($session, $case) = @_;
	my ($way, $table) = @$case{qw(way table)};
	$session->run("TRUNCATE $table", 'CHECKPOINT');
	$way->{send}->($session, $table, $way->{bulk} ? 1000 : 20);
	my %used = $session->used(sub { $way->{send}->($session, $table, $way->{rows}) });
	return (us => $used{cpu} * 1e6 / $way->{rows}, wal => $used{wal} / $way->{rows});
}

sub _make_tables
{
	my ($session, @with) = @_;
	$session->run("CREATE TABLE $_->{table} (id $_->{column} PRIMARY KEY, n integer)") for @with;
	return;
}

# Instructions of a row.
sub _counts
{
	my ($setting, @with) = @_;
	my $counted = IdgenBench::Counted->new(%$setting);
	_make_tables($counted->session, @with);
	my %count;
	for my $case (_cases(@with))
	{
		my ($way, $table) = @$case{qw(way table)};
		$count{ $case->{name} } = $counted->instructions($way->{counted}, sub { $way->{send}->($counted->session, $table, $_[0]) });
	}
	$counted->remove;
	return %count;
}

sub tables
{
	my ($class, $rounds) = @_;
	my %setting = ('idgen.shards' => '0-15', synchronous_commit => 'off');
	my $session = IdgenBench::Session->new(%setting);
	my $version = $session->version;
	my @with = grep { $version >= ($_->{from} // 0) } @keys;
	$with[$_]{table} = "row_$_" for 0 .. $#with;
	_make_tables($session, @with);
	my $samples = in_rounds($rounds, sub { return _measured($session, $_[0]) }, _cases(@with));
	my %count = _counts(\%setting, @with);
	my $base = $with[0]{label};
	my $rows = sub {
		my ($figure, $ratio, @of) = @_;
		my $cell = sub { my ($way, $key) = @_; return sprintf '%s (%s)', $figure->("$way $key"), $ratio->("$way $key", "$way $base") };
		return [ map { my $way = $_->{label}; [ $way, map { $cell->($way, $_->{label}) } @with ] } @of ];
	};
	my $measured = sub {
		my ($name, @of) = @_;
		return $rows->(sub { $samples->median("$_[0] $name") }, sub { $samples->median("$_[0] $name", "$_[1] $name") }, @of);
	};
	my $header = [ "a row, on $version", map { $_->{label} } @with ];
	return (
		{
			title => 'Instructions of a row', header => $header,
			rows => $rows->(sub { number($count{ $_[0] }) }, sub { number($count{ $_[0] } / $count{ $_[1] }) }, @ways)
		},
		{ title => 'CPU time of a row, µs', header => $header, rows => $measured->('us', @ways) },
		{ title => 'Bytes of WAL of a row', header => $header, rows => $measured->('wal', grep { $_->{bulk} } @ways) });
}

1;
