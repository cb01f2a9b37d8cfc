# Every page runs as it is printed: each block of SQL, in the order of the page, in psql, on the server that the page
# describes. A block that is not typed here is named in the table below, with the reason, or with the test that types it.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../../registry/t/lib";
use IPC::Run qw(pump start timeout);
use IdgenLease;
use IdgenNode;
use IdgenPages;
use PostgreSQL::Test::Utils;
use Test::More;

my $server = start_node('server', extension => 0, kernel => '0 20000 100', conf => [ "idgen.shards = '5'", "timezone = 'UTC'", 'wal_level = logical' ]);
my $registry = start_registry('registry');
my $node = start_leased('node', address_of($registry), setting => { 'idgen.shards' => 1 }, conf => ["timezone = 'UTC'"]);
my $user = $server->safe_psql('postgres', 'SELECT current_user');
$server->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE ROLE app; GRANT pg_read_all_stats TO owner');
$server->safe_psql('postgres', 'CREATE ROLE postgres SUPERUSER LOGIN') if $user ne 'postgres';

# Of a page: test (types it, and needs more for that than these servers), given (the SQL of what the page says is there), of
# (its server, if it is not the usual one), on (that of a block), as (its role), results (sections whose comments are what
# a line gives), shell (its commands are typed, too, by that role), shell_in (the test that types those with psql), holds
# (what is true afterwards), not_here (blocks by what is in them, with the reason).
my $idgen = 'CREATE EXTENSION idgen';
my $partman = $server->safe_psql('postgres', q{SELECT default_version FROM pg_available_extensions WHERE name = 'pg_partman'});
my %table = (
	README => { given => $idgen, not_here => [ [ qr/CREATE/, 'test/neighbors/readme.pl' ] ], shell_in => 'test/neighbors/readme.pl' },
	behind => { test => 'test/neighbors/behind.pl' },
	citus => { not_here => [ [ qr/./, 'needs Citus, which Debian does not have: tools/citus' ] ] },
	'clients/README' => { given => $idgen, not_here => [ [ qr/\$1/, 'a driver binds its parameter: test/t/reading/reading_page.pl' ] ] },
	installing => {
		shell_in => 'test/neighbors/first_hour.pl',
		not_here => [
			[ qr/docker/, 'needs Docker' ], [ qr/^names=/, 'another schema: test/t/pages/docs_pages.pl' ],
			[ qr/TABLE (?:photo|album)\b|EXTENSION IF EXISTS/, 'needs the tables of a user: test/t/pages/docs_pages.pl' ]
		]
	},
	migration => {
		given => qq{$idgen; CREATE TABLE parcel (id bigint PRIMARY KEY, note text); INSERT INTO parcel VALUES (id_from_base32('0123456789ABC'), 'old');
			ALTER TABLE parcel ALTER COLUMN id SET DEFAULT next_id(layout => 'snowflake'); INSERT INTO parcel (note) VALUES ('new')},
		not_here => [ [ qr/uuid_abandon/, 'the way back: migrate/t/move_live.pl' ], [ qr/old_next_id|SCHEMA ids/, 'two other ways: test/t/pages/placed.pl' ] ],
		holds => q{(SELECT max(id) FILTER (WHERE id < 2000) < max(id) FROM invoice) AND (SELECT count(DISTINCT id) = 5000 AND count(DISTINCT id_shard(id)) = 1 FROM photo)
			AND NOT EXISTS (SELECT FROM (SELECT id, lag(id) OVER (ORDER BY created_at) AS before FROM photo) o WHERE id <= before)
			AND (SELECT count(*) = 5 FROM track WHERE album_id = (SELECT min(id) FROM album)) AND (SELECT max(id) FILTER (WHERE note = 'old') < max(id) FILTER (WHERE note = 'new') FROM event)
			AND (SELECT array_agg(id_time(id, 'snowflake') > now() - interval '5 min' ORDER BY note) = '{t,f}' FROM parcel)}
	},
	monitoring => { given => "$idgen; CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id()); INSERT INTO photo SELECT FROM generate_series(1, 1000)" },
	order => { given => "$idgen; CREATE EXTENSION idgen_kinds", results => qr/^(?!The bounds of the clock)/ },
	'other-kinds' => { given => $idgen, results => qr// },
	ranges => { given => $idgen, not_here => [ $partman =~ /^4/ ? () : [ qr/partman/, 'needs pg_partman 4: test/t/pages/ranges.pl types it for others' ] ] },
	registry => {
		given => 'CREATE EXTENSION idgen_registry',
		not_here => [ $server->pg_version < 17 ? () : [ qr/DROP ROLE/, 'it can fail from 17 on, as the page says' ] ],
		shell_in => 'test/neighbors/first_hour.pl'
	},
	sharding => { test => 'test/t/pages/sharding_page.pl' },
	'sql-only' => {
		shell => 1,
		as => sub { $_[0] =~ /^ALTER DATABASE/ ? $user : 'owner' },
		holds => q{to_regnamespace('idgen_sql') IS NULL AND EXISTS (SELECT FROM photo WHERE title = 'first')}
	},
	tickets => { of => $node, on => sub { $_[0] =~ /^SELECT idgen_registry\./ ? $registry : $node }, given => "$idgen; CREATE EXTENSION idgen_lease" },
	'text-forms' => { given => $idgen, results => qr// }
);

# A psql on a database, as a role, that stays open.
sub open_psql
{
	my ($on, $db, $role) = @_;
	my %psql = (on => $on, in => '', out => '', error => '', typed => 0);
	$psql{run} = start([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-h', $on->host, '-p', $on->port, '-U', $role, '-d', $db ],
		'<', \$psql{in}, '>', \$psql{out}, '2>', \$psql{error}, timeout(600));
	return \%psql;
}

# Types a text, and waits until it has run; for what \watch repeats, until it has run once. What was printed, and what was
# said of it: nothing, or an error, a warning.
sub type
{
	my ($psql, $text) = @_;
	my $end = 'typed ' . ++$psql->{typed};
	my ($pid) = $text =~ /\\watch/ ? (type($psql, 'SELECT pg_backend_pid();'))[0] =~ /(\d+)\n/ : ();
	@$psql{qw(in out error)} = ("$text\n\\echo $end\n\\warn $end\n", '', '');
	if ($pid)
	{
		my $has_run = "SELECT count(*) FROM pg_stat_activity WHERE pid = $pid AND state = 'idle' AND query !~ 'pg_backend_pid'";
		do { $psql->{run}->pump_nb } until !$psql->{run}->pumpable || $psql->{on}->safe_psql('postgres', $has_run);
		$psql->{run}->kill_kill;
		return ($psql->{out}, $psql->{error});
	}
	while ("$psql->{out}$psql->{error}" !~ /$end\n.*$end\n/s)
	{
		eval { pump $psql->{run}; 1 } or return ($psql->{out}, "psql ended: $psql->{error}");
	}
	my ($out, $error) = map { s/^$end\n//mr } @$psql{qw(out error)};
	return ($out, $error =~ /\b(?:ERROR|FATAL|WARNING):|^psql:/m ? $error : '');
}

# Commands of a page, typed by a role into a shell, in a folder that has the folders that pages name.
my $folder = PostgreSQL::Test::Utils::tempdir;
symlink tree() . "/$_", "$folder/$_" for 'sql-only';

sub type_shell
{
	my ($text, $role) = @_;
	local %ENV = (%ENV, PGHOST => $server->host, PGPORT => $server->port, PGUSER => $role);
	my $done = IPC::Run::run([ 'bash', '-e', '-o', 'pipefail', '-c', $text ], '<', \undef, '>', \my $out, '2>', \my $error, init => sub { chdir $folder or die });
	return ($out, $done && $error !~ /WARNING|ERROR/ ? '' : "it failed: $error");
}

# The blocks of a page that are SQL, or commands of a shell with psql; each with the reason if it is not typed here.
sub blocks_to_type
{
	my ($name, $entry) = @_;
	my @blocks = grep { is_sql($_) || $_->{language} eq 'sh' && ($entry->{shell} || $_->{text} =~ /\bpsql\b/) } blocks($name);
	for my $block (@blocks)
	{
		($block->{reason}) = map { $block->{text} =~ $_->[0] ? $_->[1] : () } @{ $entry->{not_here} // [] };
		$block->{reason} //= $entry->{test} // (is_sql($block) || $entry->{shell} ? undef : $entry->{shell_in});
	}
	return @blocks;
}

# Types a page into a database `app` of its own.
sub type_page
{
	my ($name, $entry) = @_;
	my $of_page = $entry->{of} // $server;
	my %psql;
	$of_page->safe_psql('postgres', $_) for 'DROP DATABASE IF EXISTS app WITH (FORCE)', 'CREATE DATABASE app' . ($entry->{as} ? ' OWNER owner' : '');
	$of_page->safe_psql('app', $entry->{given}) if $entry->{given};
	for my $block (blocks_to_type($name, $entry))
	{
		if ($block->{reason})
		{
			note("$name.md, $block->{section}, block $block->{number}: $block->{reason}");
			next;
		}
		my $what = "$name.md, $block->{section}, block $block->{number}";
		my $on = $entry->{on} ? $entry->{on}->($block->{text}) : $of_page;
		my $role = $entry->{as} ? $entry->{as}->($block->{text}) : $user;
		my $here = $on->name . $role;
		my ($out, $error) = ('', '');
		if ($block->{language} eq 'sh')
		{
			%psql = ();
			($out, $error) = type_shell($block->{text}, $role);
		}
		else
		{
			my $is_result = $entry->{results} && $block->{section} =~ $entry->{results} && $block->{text} =~ /;\s+-- (?!then reconnect)/;
			for my $part (split /(?<=reconnect\n)/, $block->{text})
			{
				$part =~ s{host 'a(?:rchive)?', dbname 'app'}{sprintf "host '%s', port '%s', dbname 'app'", $on->host, $on->port}e;
				my $to = $on == $registry ? 'postgres' : 'app';
				my $psql = $part =~ /\\watch/ ? open_psql($on, $to, $role) : ($psql{$here} //= open_psql($on, $to, $role));
				type($psql, '\pset format ' . ($is_result ? 'unaligned' : 'aligned') . "\n" . '\pset tuples_only ' . ($is_result ? 'on' : 'off'));
				my ($printed, $wrong) = type($psql, $part);
				$out .= $printed;
				$error .= $wrong;
				delete $psql{$here} if $error || $part =~ /reconnect$/;
			}
			is($out =~ s/\n\z//r, join("\n", $block->{text} =~ /;\s+-- (?!then reconnect)(.*)$/mg), "$what: the results") if $is_result && !$error;
		}
		is($error, '', "$what: runs") or diag($block->{text});
		my $says = $block->{says} // next;
		like($out =~ s/ +$//mgr, qr/^\Q$says\E/, "$what: prints what the page says") if $says =~ /-\+-/;
	}
	is($server->safe_psql('app', "SELECT $entry->{holds}"), 't', "$name.md: does what it says") if $entry->{holds};
	%psql = ();
	$server->safe_psql('postgres', 'ALTER SYSTEM RESET ALL; SELECT pg_reload_conf()');
	return;
}

my %count;
for my $name (pages())
{
	my $entry = delete $table{$name} // { given => $idgen };
	my @blocks = blocks_to_type($name, $entry);
	$count{ $_->{reason} // 'here' }++ for grep { is_sql($_) } @blocks;
	like(slurp_file(tree() . "/$_"), qr/\b\Q$name\E\b/, "$_ knows $name.md") for grep { defined } @$entry{qw(test shell_in)};
	type_page($name, $entry) if grep { !$_->{reason} } @blocks;
}
is(join(' ', keys %table), '', 'the table names no page that is not there');
note(map { "blocks of SQL typed here, or why not: $count{$_} $_\n" } sort keys %count);
done_testing();
