# Where an error says that it was found: the line that saw the fault, not the one that has its words.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IdgenNode;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('location', kinds => 1);
my $src = "$FindBin::Bin/../../src";
my %path = map { m{([^/]+)$} ? ($1 => $_) : () } glob "$src/pg/*/*.cpp $src/pg/*/*.hpp";

# The lines of a source up to that one: a call may begin two lines above its end.
sub lines_at
{
	my ($file, $line) = @_;
	my @lines = split /\n/, slurp_file($path{$file} // return '');
	return join "\n", @lines[ $line - 3 .. $line - 1 ];
}

for my $case (
	[ 'SELECT next_id()', 'resolve_own', 'source.cpp', 'report_no_shards' ],
	[ "SELECT id_make('2026-11-21', 8192, 0)", 'idgen_make', 'read_sql.cpp', 'report_part' ],
	[ "SELECT id_time_near(1, 'infinity')", 'finite_ms', 'arguments.hpp', 'report_infinite_instant' ],
	[ "SELECT 'x=1'::id_layout", 'idgen_layout_in', 'layout_sql.cpp', 'report_layout' ],
	[ "SELECT 'short'::ulid", 'prefixed_in', 'time_prefixed_face.hpp', 'report_text' ],
	[ "SELECT next_nanoid(alphabet => 'aba')", 'require_distinct', 'symbols.cpp', 'report_repeated_symbol' ])
{
	my ($statement, $function, $file, $call) = @$case;
	$node->psql('postgres', "\\set VERBOSITY verbose\n$statement;", stderr => \my $told);
	my ($said_function, $said_file, $line) = $told =~ /^LOCATION: +(\w+)\S*(?: .*)?, (\S+):(\d+)$/m;
	is("$said_function, $said_file", "$function, $file", "$statement: function and file");
	like(lines_at($said_file, $line), qr/\b$call\(/, 'and the line');
}

$node->stop;
done_testing();
