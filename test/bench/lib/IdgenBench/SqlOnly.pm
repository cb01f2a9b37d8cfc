# idgen in SQL alone (docs/sql-only.md) beside the PL/pgSQL function of Instagram's blog post, gen_random_uuid() and the extension: IDs a second of
# one session and of 8, and the rows of a day among 10 million by each edition's id_within.
package IdgenBench::SqlOnly;

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use IdgenBench::Samples;
use IdgenBench::Session;
use List::Util qw(min sum);
use Time::HiRes qw(time);

my $sessions = 8;
my $pool = q{'snowflake'};

# per: IDs of one call.
my @makers = (
	{ name => 'plpgsql', label => "Instagram's PL/pgSQL", call => 'instagram_plpgsql()', rows => 60_000 },
	{ name => 'uuid', label => 'gen_random_uuid()', call => 'gen_random_uuid()', rows => 200_000 },
	{ name => 'next_id', label => '`next_id()`, one shard', call => 'idgen_sql.next_id()', rows => 60_000 },
	{ name => 'next_id_pool', label => '`next_id()`, 16 shards', call => "idgen_sql.next_id(layout => $pool)", rows => 60_000 },
	{ name => 'array', label => '`next_id_array(1000)`, 16 shards', call => "idgen_sql.next_id_array(1000, layout => $pool)", rows => 400, per => 1000 },
	{ name => 'extension', label => 'the extension\'s `next_id()`, 16 shards', call => "public.next_id(layout => $pool)", rows => 1_000_000 },
);
my $rows = $ENV{SQL_ONLY_ROWS} || 10_000_000;
my $days = 100;
my $first_day = '2026-01-01 00:00+00';

# Heavy: this many rounds are enough.
sub most_rounds { return 9 }

sub new
{
	my ($class) = @_;
	my @all = map { IdgenBench::Session->new(TimeZone => 'UTC', 'idgen.shards' => '0-15') } 1 .. $sessions;
	return bless { sessions => \@all, samples => IdgenBench::Samples->new }, $class;
}

sub _query
{
	my ($maker) = @_;
	return "SELECT count($maker->{call}) FROM (SELECT generate_series(1, $maker->{rows}) OFFSET 0) s";
}

# IDs a second of the first so many sessions, all of them at work.
sub _rate
{
	my ($self, $maker, $count) = @_;
	my @own = @{ $self->{sessions} }[ 0 .. $count - 1 ];
	my $began = time;
	$_->begin(_query($maker)) for @own;
	my $calls = sum map { ($_->finish_row)[0] } @own;
	die "$maker->{call}: $calls calls\n" unless $calls == $count * $maker->{rows};
	return $calls * ($maker->{per} // 1) / (time - $began);
}

# CPU milliseconds of a day's count by an edition's id_within, the least of some, the first of which warm the caches.
sub _day_ms
{
	my ($self, $schema, $number) = @_;
	my $session = $self->{sessions}[0];
	my $at = "'$first_day'::timestamptz + interval '1 day' * $number";
	my $day = $session->row("SELECT tstzrange($at, $at + interval '1 day')");
	my @runs = map { $session->timed("SELECT count(*) FROM sql_only_day WHERE $schema.id_within(id, '$day')") } 1 .. 5;
	die "$schema: $runs[0]{value} rows\n" unless $runs[0]{value} == $rows / $days;
	return min(map { $_->{cpu} } @runs) * 1000;
}

sub warm_up
{
	my ($self) = @_;
	my $session = $self->{sessions}[0];
	my $file = abs_path(dirname(__FILE__) . '/../../../../sql-only/idgen.sql');
	system('psql', '-X', '-q', '-1', '-v', 'ON_ERROR_STOP=1', '-f', $file) == 0 or die "$file\n";
	$session->run("SELECT idgen_sql.idgen_set_shards('5'), idgen_sql.idgen_set_shards('0-15', $pool)");
	$session->run('CREATE TABLE sql_only_day (id bigint)');
	$session->run(<<"SQL");
INSERT INTO sql_only_day
SELECT public.id_make('$first_day'::timestamptz + interval '$days days' * (n / $rows.0), n % 16, n % 1024) FROM generate_series(0, $rows - 1) AS n
SQL
	$session->run('ALTER TABLE sql_only_day ADD PRIMARY KEY (id)');
	$session->run('VACUUM ANALYZE sql_only_day');
	$self->_rate({ %$_, rows => int($_->{rows} / 10) }, $sessions) for @makers;
	$self->_day_ms($_, 50) for qw(idgen_sql public);
	return;
}

# Every other round goes backward.
sub round
{
	my ($self, $number) = @_;
	my $samples = $self->{samples};
	my @order = $number % 2 ? @makers : reverse @makers;
	for my $count (1, $sessions)
	{
		my %rate = map { $_->{name} => $self->_rate($_, $count) } @order;
		$samples->add("$_ $count" => $rate{$_}) for keys %rate;
		$samples->add("$_ to plpgsql $count" => $rate{$_} / $rate{plpgsql}) for keys %rate;
	}
	my %ms = map { $_ => $self->_day_ms($_, $number % $days) } $number % 2 ? qw(idgen_sql public) : qw(public idgen_sql);
	$samples->add("day $_" => $ms{$_}) for keys %ms;
	$samples->add('day to extension' => $ms{idgen_sql} / $ms{public});
	return;
}

sub section
{
	my ($self) = @_;
	my $samples = $self->{samples};
	return {
		title => 'In SQL alone',
		text => <<'END',
IDs a second of the edition in SQL alone ([sql-only.md](sql-only.md)), and the CPU time for the rows of a day among 10
million, by the `id_within` of each edition.
END
		header => [ 'call', '1 session', '8 sessions' ],
		rows => [
			(map { [ $_->{label}, $samples->text("$_->{name} 1"), $samples->text("$_->{name} $sessions") ] } @makers),
			[ 'a day by `id_within`, SQL alone: ms', $samples->text('day idgen_sql'), '' ],
			[ 'a day by `id_within`, the extension: ms', $samples->text('day public'), '' ],
		],
		claims => [
			(map { {
				what => "`next_id()` in SQL alone, rate as a multiple of Instagram's function, $_ session" . ($_ > 1 ? 's' : ''),
				in_short => 1,
				least => 0.7,
				spread => $samples->spread("next_id to plpgsql $_")
			} } 1, $sessions),
			(map { {
				what => "`next_id_array()` in SQL alone, rate as a multiple of Instagram's function, $_ session" . ($_ > 1 ? 's' : ''),
				least => 5,
				spread => $samples->spread("array to plpgsql $_")
			} } 1, $sessions),
			{
				what => "a day by `id_within` in SQL alone, CPU time as a multiple of the extension's",
				most => 1.1,
				spread => $samples->spread('day to extension')
			},
		],
	};
}

1;
