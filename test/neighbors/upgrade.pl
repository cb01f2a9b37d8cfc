# A later version, made from a copy of the tree, takes over from this one: its files are exchanged below a running
# server, its library runs under the old SQL, ALTER EXTENSION UPDATE leads to what a fresh install has; and standbys one
# version behind or ahead are promoted. No ID is made twice on the way, and none is lower than one before.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../t/lib";
use IdgenNode;
use IdgenVersions;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($this, $later) = (this_version(), later_version());

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
$node->safe_psql('postgres', "CREATE EXTENSION $_") for qw(idgen idgen_kinds idgen_lease idgen_migrate idgen_registry);
$node->safe_psql('postgres', 'CREATE DATABASE before TEMPLATE postgres');
$node->safe_psql('postgres', <<'SQL');
CREATE VIEW before AS SELECT id_to_uuidv8(7) IS NOT NULL AS moved;
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

# Updated, and equal to a fresh install: what moved stands where it stands there.
my @extensions = qw(idgen idgen_kinds idgen_lease idgen_migrate idgen_registry);
$session->do($_) for updates_of($session);
is(value_of($session, 'SELECT idgen_later()'), 'later', 'the update brings what is new');
makes_ids($session, 'updated');
like(library_of($session), qr/^\Q$later\E, loaded .* \| 1 \| $/, 'all is well');
finds_all_symbols($node, 'updated');
is(value_of($session, 'SELECT idgen.id_to_uuidv8(7) IS NOT NULL'), 1, 'a function that moved is called in its new schema');
is(value_of($session, q{SELECT moved FROM before}), 1, 'and by a view from before');
ok($session->do('SELECT idgen.reset_stats(only_shards => true)'), 'a function has one more argument');
$node->safe_psql('fresh', "CREATE EXTENSION $_") for @extensions;
for my $extension (@extensions)
{
	same_catalog($node, 'postgres', 'fresh', $extension, "$extension: the catalog is that of a fresh install");
}

# An update that forgets something would be noticed.
my $script = extension_folder($server) . "/idgen--$this--$later.sql";
my $whole = slurp_file($script);
my $fresh = catalog_of($node, 'fresh', 'idgen');
cmp_ok(length $fresh, '>', 100_000, 'the catalog has much to say');
for my $part (qr/^ALTER FUNCTION .*\n/m, qr/^CREATE OR REPLACE FUNCTION.*?;\n/ms, qr/^REVOKE .*\n/m, qr/^COMMENT .*\n/m)
{
	my $broken = $whole =~ s/($part)//r;
	isnt($broken, $whole, "the script has $1");
	unlink $script;
	append_to_file($script, $broken);
	$node->safe_psql('postgres', $_) for 'DROP DATABASE IF EXISTS forgetful', 'CREATE DATABASE forgetful TEMPLATE before';
	$node->safe_psql('forgetful', 'ALTER EXTENSION idgen UPDATE');
	my @differences = different_lines(catalog_of($node, 'forgetful', 'idgen'), $fresh);
	cmp_ok(scalar @differences, '>', 0, 'an update without it would be noticed');
	note "@differences";
}
unlink $script;
append_to_file($script, $whole);

# The old library under what the new one wrote: no ID, and what to do.
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
