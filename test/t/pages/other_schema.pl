# A dump of a database that has idgen in one schema goes into one that has it in another, as docs/installing.md says.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use IdgenPages;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('dumps', extension => 0, conf => [ "idgen.shards = '5'", "timezone = 'UTC'" ]);
@ENV{qw(PGHOST PGPORT PGUSER)} = ($node->host, $node->port, scalar getpwuid $<);
$node->safe_psql('postgres', 'CREATE DATABASE one; CREATE DATABASE two');
$node->safe_psql('one', <<'SQL');
CREATE EXTENSION idgen_kinds CASCADE;
CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id(), code id64 GENERATED ALWAYS AS (id::id64) STORED, layout id_layout, note text,
	upload ulid DEFAULT next_ulid(), codes id64[], CHECK (id_time(id) > '2020-01-01Z'), CHECK (layout <> 'trace'));
CREATE INDEX photo_id_time_idx ON photo (id_time(id));
CREATE INDEX photo_brin ON photo USING brin (code id64_minmax_multi_ops);
CREATE VIEW recent AS SELECT next_id() AS next, id_to_base62(id), note FROM photo WHERE id_within(id, '[2020-01-01, infinity)') AND id = code AND code >= 5;
CREATE FUNCTION note_of(wanted id64) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT note FROM public.photo WHERE code OPERATOR(public.=) wanted::public.id64); END $$;
CREATE TABLE id_times (public text);
INSERT INTO photo (layout, note, codes) VALUES ('js53', 'text of public.next_id() and OPERATOR(public.=)', ARRAY[next_id()]::id64[]), (NULL, 'other', NULL);
SQL
$node->safe_psql('two', <<'SQL');
CREATE SCHEMA ids;
CREATE EXTENSION idgen SCHEMA ids;
CREATE EXTENSION idgen_kinds SCHEMA ids;
CREATE TABLE there (id ids.id64 PRIMARY KEY DEFAULT ids.next_id());
INSERT INTO there DEFAULT VALUES;
SQL

sub fails_in_two
{
	my ($command) = @_;
	my $done = IPC::Run::run([ 'bash', '-o', 'pipefail', '-c', $command ], '<', \undef, '>', \my $out, '2>', \my $error);
	return $done ? '' : $error;
}
like(fails_in_two('pg_dump -d one | psql -X -q -v ON_ERROR_STOP=1 -1 -d two'), qr/type (?:"public\.id64"|public\.id64) does not exist/, 'as it is, the dump fails');
like(($node->psql('two', 'ALTER EXTENSION idgen SET SCHEMA public'))[2], qr/does not support SET SCHEMA/, 'the extension stays in its schema');

my $shown = q{SELECT id, code::text, layout::text, note, upload::text, codes::text FROM photo ORDER BY id};
my ($command) = map { $_->{text} } grep { $_->{section} eq 'Into a database that has idgen in another schema' } blocks('installing');
is(fails_in_two($command), '', 'the commands of the page');
is($node->safe_psql('two', "SET search_path = public, ids; $shown"), $node->safe_psql('one', $shown), 'the rows are the same, also what they say of public');
$node->safe_psql('two', q{SET search_path = ''; INSERT INTO public.photo (note) VALUES ('new')});
is($node->safe_psql('two', q{SET search_path = public, ids; SELECT count(*), max(id_shard(id)), count(DISTINCT next) FROM photo, recent}), '9|5|3', 'the default and the view work');
is($node->safe_psql('two', q{SET search_path = public, ids; SELECT count(*) FROM photo WHERE note_of(code) = note}), 3, 'a function that names the schema works');
is($node->safe_psql('two', q{SELECT count(*) FROM pg_extension e JOIN pg_namespace n ON n.oid = extnamespace WHERE extname ~ '^idgen' AND nspname = 'ids'}), 2, 'the extensions are where they were');
is($node->safe_psql('two', q{SELECT count(*) FROM pg_class WHERE relname IN ('photo_id_time_idx', 'photo_brin', 'id_times') AND relnamespace = 'public'::regnamespace}), 3, 'the other names stay in public');
done_testing();
