# A later version, made from a copy of the tree, takes over from this one: its files are exchanged below a running
# server, its library runs under the old SQL, ALTER EXTENSION UPDATE leads to what a fresh install has; and standbys one
# version behind or ahead are promoted. No ID is made twice on the way, and none is lower than one before.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../t/lib";
use File::Copy qw(copy move);
use IdgenLater;
use IdgenNode;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($this, $later) = (this_version(), later_version());
build_later();

my %made;
my $highest = 0;

# Makes IDs: none is made again, and each is above all before.
sub makes_ids
{
	my ($session, $what) = @_;
	my @ids = draw($session, 3000);
	is(repeated(\%made, @ids), 0, "$what: no ID is made again");
	cmp_ok($ids[0], '>', $highest, "$what: none is lower than one before");
	$highest = $ids[-1];
	return;
}

# Everything that the extensions of a database consist of, as text.
sub catalog_of
{
	my ($node, $db) = @_;
	return $node->safe_psql($db, <<'SQL');
SELECT pg_identify_object(d.classid, d.objid, 0)::text, obj_description(d.objid, c.relname),
       CASE WHEN p.prokind <> 'a' THEN pg_get_functiondef(p.oid) END, p.proacl, r.relacl, v.definition, t.typacl
  FROM pg_depend d
  JOIN pg_class c ON c.oid = d.classid
  LEFT JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
  LEFT JOIN pg_class r ON d.classid = 'pg_class'::regclass AND r.oid = d.objid
  LEFT JOIN pg_type t ON d.classid = 'pg_type'::regclass AND t.oid = d.objid
  LEFT JOIN pg_views v ON v.schemaname = r.relnamespace::regnamespace::text AND v.viewname = r.relname
 WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
   AND d.refobjid IN (SELECT oid FROM pg_extension WHERE extname LIKE 'idgen%')
 ORDER BY 1;
SELECT extname, extversion, extconfig IS NULL, extcondition FROM pg_extension WHERE extname LIKE 'idgen%' ORDER BY 1;
SQL
}

# The row library of idgen.status(): version, verdict and advice.
sub library_of
{
	my ($session) = @_;
	return join ' | ', map { $_ // '' } $session->selectrow_array(q{SELECT value, ok, advice FROM idgen.status() WHERE key = 'library'});
}

# Every function of the extension that is written in C has its symbol in the library.
sub finds_all_symbols
{
	my ($node, $what) = @_;
	my ($status, $out, $error) = $node->psql('postgres',
		q{SELECT count(fmgr_c_validator(oid)) > 100 FROM pg_proc WHERE probin = 'idgen'}, on_error_stop => 1);
	return is("$out$error", 't', "$what: every function is there");
}

sub begin_node
{
	my ($name, $server, @conf) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name, install_path => $server);
	$node->init(allows_streaming => 1);
	$node->append_conf('postgresql.conf', $_) for "idgen.shards = '5'", @conf;
	$node->start;
	return $node;
}

my @preloaded = ("shared_preload_libraries = 'idgen'");
my $server = copy_server('exchanged');
my $node = begin_node('exchanged', $server, @preloaded);
$node->safe_psql('postgres', 'CREATE EXTENSION idgen; CREATE EXTENSION idgen_kinds; CREATE EXTENSION idgen_migrate');
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE photo (id id64 PRIMARY KEY DEFAULT next_id(), key ulid DEFAULT next_ulid(), token uuid DEFAULT next_uuidv7(),
    day date GENERATED ALWAYS AS ((timezone('UTC', id_time(7))::date)) STORED);
CREATE INDEX ON photo (key);
CREATE VIEW recent AS SELECT * FROM photo WHERE id_within(id::bigint, '[2020-01-01, 2040-01-01)');
INSERT INTO photo SELECT FROM generate_series(1, 100);
SQL
my $session = connect_to($node);
makes_ids($session, 'this version');
like(library_of($session), qr/^\Q$this\E, loaded when the server started \| 1 \| $/,
	'the server says which version of the library it has');

# Exchanged below a running server: the old library goes on, and a session that asks for the new SQL gets the advice to
# restart.
install_later($server);
makes_ids($session, 'files exchanged, session from before');
my $new_session = connect_to($node);
makes_ids($new_session, 'files exchanged, new session');
my $restart = qr/the library of idgen \Q$this\E is loaded, and \Q$later\E is needed.*\nDETAIL:.*\nHINT:.*restart the server/s;
fails_with($session, 'ALTER EXTENSION idgen UPDATE', '55000', $restart, 'ALTER EXTENSION below a running server');
$node->safe_psql('postgres', 'CREATE DATABASE fresh');
fails_with(connect_to($node, db => 'fresh'), 'CREATE EXTENSION idgen', '55000', $restart,
	'CREATE EXTENSION below a running server');
makes_ids($session, 'after that');

# The new library under the old SQL.
$_->disconnect for $session, $new_session;
$node->restart;
$session = connect_to($node);
makes_ids($session, 'new library, old SQL');
finds_all_symbols($node, 'new library, old SQL');
is(library_of($session), "$later, and the extension is $this | 0 | ALTER EXTENSION idgen UPDATE",
  'new library, old SQL: the server says what is to be done');
is(value_of($session, 'SELECT count(*) FROM recent'), 100, 'new library, old SQL: rows are read');

# Updated, and equal to a fresh install.
$session->do('ALTER EXTENSION idgen UPDATE');
$session->do('ALTER EXTENSION idgen_migrate UPDATE');
is(value_of($session, 'SELECT idgen_later()'), 'later', 'the update brings what is new');
makes_ids($session, 'updated');
like(library_of($session), qr/^\Q$later\E, loaded .* \| 1 \| $/, 'all is well');
$node->safe_psql('fresh', 'CREATE EXTENSION idgen; CREATE EXTENSION idgen_kinds; CREATE EXTENSION idgen_migrate');
my $updated = catalog_of($node, 'postgres');
cmp_ok(length $updated, '>', 50_000, 'the catalog has much to say');
is($updated, catalog_of($node, 'fresh'), 'the catalog is that of a fresh install');

# The old library under what the new one wrote: no ID, and what to do.
sub exchange_library
{
	my ($from, $to) = @_;
	copy("$from/lib/idgen.so", "$to/lib/idgen.so.new") && rename("$to/lib/idgen.so.new", "$to/lib/idgen.so") or die "$to: $!";
	return;
}
my $plain_server = copy_server('plain');
my $later_server = copy_server('later');
install_later($later_server);
$session->disconnect;
exchange_library($plain_server, $server);
$node->restart;
$session = connect_to($node);
my $newer = qr/"idgen.horizon" was written by a later version of idgen\nDETAIL:.*\nHINT:.*Install the version/s;
fails_with($session, 'SELECT next_id()', '55000', $newer, 'old library, new page');
is(library_of($session), "$this, and the extension is $later | 0 | Install the library of that version if it is not there, and restart.",
	'old library, new SQL: it says what is to be done');
fails_with($session, 'SELECT idgen_later()', '42883', qr/could not find function "idgen_later"/,
	'a function that only the later one has');
exchange_library($later_server, $server);
$session->disconnect;
$node->restart;
makes_ids(connect_to($node), 'the later library again');
$node->stop;

# A standby of another version than its primary's is promoted.
sub promoted
{
	my ($primary_server, $standby_server, $tag) = @_;
	(%made, $highest) = ();
	$highest = 0;
	my $primary = begin_node("primary_$tag", $primary_server, @preloaded);
	$primary->safe_psql('postgres', 'CREATE EXTENSION idgen');
	$primary->backup('base');
	my $standby = PostgreSQL::Test::Cluster->new("standby_$tag", install_path => $standby_server);
	$standby->init_from_backup($primary, 'base', has_streaming => 1);
	$standby->start;
	makes_ids(connect_to($primary), "$tag: the primary");
	$primary->wait_for_catchup($standby, 'flush', $primary->lsn('write'));
	fails_with(connect_to($standby), 'SELECT next_id()', '25006', qr/during recovery/, "$tag: the standby");
	$primary->stop('immediate');
	$standby->promote;
	return $standby;
}
my $ahead = promoted($plain_server, $later_server, 'ahead');
makes_ids(connect_to($ahead), 'ahead: promoted');
$ahead->safe_psql('postgres', 'ALTER EXTENSION idgen UPDATE');
makes_ids(connect_to($ahead), 'ahead: updated');
$ahead->stop;

my $behind = promoted($later_server, $plain_server, 'behind');
my $behind_session = connect_to($behind);
fails_with($behind_session, 'SELECT next_id()', '55000', $newer, 'behind: promoted');
$behind_session->disconnect;
exchange_library($later_server, $plain_server);
$behind->restart;
makes_ids(connect_to($behind), 'behind: promoted, and the later library installed');
$behind->stop;

# Without shared_preload_libraries, new sessions have the new library at once, beside those with the old one.
SKIP:
{
	skip 'before 17 the library is loaded at the start', 1 if $behind->pg_version->major < 17;
	(%made, $highest) = ();
	my $mixed_server = copy_server('mixed');
	my $mixed = begin_node('mixed', $mixed_server);
	$mixed->safe_psql('postgres', 'CREATE EXTENSION idgen');
	my $old = connect_to($mixed);
	is(repeated(\%made, draw($old, 3000)), 0, 'without preload: this version');
	install_later($mixed_server);
	my $new = connect_to($mixed);
	like(library_of($new), qr/^\Q$later\E, and the extension is \Q$this\E/,
		'without preload: a new session has the new library');
	my @refused;
	my $draw_in_turn = sub {
		my ($times) = @_;
		return map { my @ids = eval { draw($_, 300) }; push @refused, $_ unless @ids; @ids } ($old, $new) x $times;
	};
	is(repeated(\%made, $draw_in_turn->(50)), 0, 'without preload: both draw, none twice');
	fails_with($old, 'SELECT next_id() FROM idgen.require_library(\'' . $later . '\')', '55000', $restart,
		'without preload: the old session');
	$new->do('ALTER EXTENSION idgen UPDATE');
	is(repeated(\%made, $draw_in_turn->(10)), 0, 'without preload: none twice after the update');
	is(scalar(grep { $_ != $old } @refused), 0, 'without preload: the new session is never refused');
	like($old->errstr, qr/written by a later version/, 'without preload: the old one says what refused it') if @refused;
	$mixed->stop;
}

done_testing();
