# A Node.js client with the driver pg: JavaScript rounds a bigint in JSON, and carries id64 as a string.
use strict;
use warnings;
use FindBin;
use IPC::Run ();
use lib "$FindBin::Bin/../t/lib";
use IdgenNode;
use IdgenNpm;
use JSON::PP qw(decode_json);
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('node', conf => ["idgen.shards = '5'"]);
my $large = '9007199254740993';    # 2^53 + 1
$node->safe_psql('postgres', <<"SQL");
CREATE TABLE photo (plain bigint, id id64 PRIMARY KEY DEFAULT next_id(), title text);
INSERT INTO photo VALUES ($large, $large, 'large');
SQL
my $text = $node->safe_psql('postgres', "SELECT id_to_base62($large)");

my $client = "$FindBin::Bin/../clients/npm";
ok(install_npm($client), 'the driver is there');
my ($out, $error) = ('', '');
{
	local @ENV{qw(PGHOST PGPORT PGDATABASE)} = ($node->host, $node->port, 'postgres');
	local $ENV{PGUSER} = getpwuid $<;
	ok(IPC::Run::run([ 'node', "$client/client.cjs" ], '<', \undef, '>', \$out, '2>', \$error),
		'the client runs') or diag($error);
}
my $seen = decode_json($out);

# 2^53 + 1 is not a number that JavaScript has; it takes the one beside it and says nothing.
for my $type (qw(json jsonb))
{
	my $document = $seen->{$type};
	is("$document->{plain}", '9007199254740992', "$type: the bigint is rounded");
	is("$document->{again}{plain}", '9007199254740992', "$type: the bigint stays rounded when it is written again");
	is($document->{id}, $text, "$type: the id64 is a string");
	is($document->{again}{id}, $text, "$type: the id64 stays the same when it is written again");
}
is($seen->{by_number}, 0, 'the rounded number finds no row');

is_deeply($seen->{row}, { plain => $large, id => $text, type => 'id64' }, 'a row of the driver');
is($seen->{$_}, 'large', $_) for qw(found found_in_array found_in_document found_prepared);
is_deeply($seen->{made}, { type => 'string', length => 11 }, 'a new ID is a string of 11 characters');
is($seen->{found_made}, 'made', 'a new ID finds its row');
is($seen->{refused}{code}, '22P02', 'a wrong text: SQLSTATE');
is($seen->{refused}{message}, 'invalid id64: "-" is not a digit', 'a wrong text: message');
like($seen->{refused}{detail}, qr/^It is character 11 of/, 'a wrong text: detail');

done_testing();
