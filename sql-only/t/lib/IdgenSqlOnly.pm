# idgen in SQL alone, for the TAP tests: it is put into a database, and its IDs are looked over.
package IdgenSqlOnly;

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(dirname);
use IdgenNode;
use PostgreSQL::Test::Utils;

our @EXPORT = qw(sql_only page_of_sql_only run_file take_over take_out install_sql_only set_shards two_editions make_loose_collation);

# The text of one of its files.
sub sql_only { my ($name) = @_; return slurp_file(abs_path(dirname(__FILE__) . "/../../../sql-only/$name")) }

sub page_of_sql_only { return slurp_file(abs_path(dirname(__FILE__) . '/../../../docs/sql-only.md')) }

# Runs one of its files as the page says: psql, in one transaction, but for the halves of the takeover, which have their
# own. Gives its exit status and what it said.
sub run_file
{
	my ($node, $db, $name, $user, %variables) = @_;
	my $text = ref $name ? $$name : sql_only($name);
	my ($out, $error) = ('', '');
	my @who = $user ? ('-U', $user) : ();
	my @transaction = $text =~ /^COMMIT;/m ? () : '-1';
	IPC::Run::run([ 'psql', '-X', '-q', @transaction, (map { ('-v', "$_=$variables{$_}") } sort keys %variables), '-v', 'ON_ERROR_STOP=1',
			'-h', $node->host, '-p', $node->port, @who, '-d', $db ], '<', \$text, '>', \$out, '2>', \$error);
	return ($? >> 8, $out . $error);
}

# Types commands of the page as they stand there, against a database, for its owner and for a superuser. Gives what
# run_file gives.
sub type_commands
{
	my ($commands, $node, $db, $owner, $superuser) = @_;
	$commands =~ s/-U owner/-U $owner/ && $commands =~ s/-d app/-d $db/g or die 'the commands name nobody';
	$commands =~ s/-U postgres/-U $superuser/ if defined $superuser;
	my $output = '';
	local %ENV = (%ENV, PGHOST => $node->host, PGPORT => $node->port);
	IPC::Run::run([ 'sh', '-c', $commands ], '>&', \$output, init => sub { chdir abs_path(dirname(__FILE__) . '/../../..') or die });
	return ($? >> 8, $output);
}

# Takes a database over, or the edition out of it again.
sub take_over
{
	my ($commands) = page_of_sql_only() =~ /^```sh\n(after=.*?)^```/ms or die 'the page does not say how to move';
	return type_commands($commands, @_);
}

sub take_out
{
	my ($command) = page_of_sql_only() =~ /^```sh\n([^\n]*-U owner [^\n]*uninstall\.sql\n)```/m or die 'the page does not say how to take it out';
	return type_commands($command, @_);
}

sub install_sql_only
{
	my ($node, $db, $user) = @_;
	my ($status, $said) = run_file($node, $db, 'idgen.sql', $user);
	die "idgen.sql: $said" if $status;
	return;
}

sub set_shards
{
	my ($session, $shards, @layouts) = @_;
	$session->do('SELECT idgen_sql.idgen_set_shards(?, ?)', undef, $shards, $_) for @layouts ? @layouts : 'instagram';
	return;
}

# A node with the extension in the schema ext, and SQL alone in the schema idgen_sql.
sub two_editions
{
	my ($name) = @_;
	my $node = start_node($name, extension => 0);
	$node->safe_psql('postgres', 'CREATE SCHEMA ext; CREATE EXTENSION idgen SCHEMA ext');
	install_sql_only($node, 'postgres');
	return $node;
}

# Makes the collation "loose", which takes a and A, and * and ~, for the same. Gives whether the server can have it.
sub make_loose_collation
{
	my ($session) = @_;
	return 0 unless value_of($session, q{SELECT EXISTS (SELECT FROM pg_collation WHERE collprovider = 'i')});
	$session->do(q{CREATE COLLATION loose (provider = icu, locale = 'und-u-ka-shifted-kv-currency-ks-level1', deterministic = false)});
	return 1;
}

1;
