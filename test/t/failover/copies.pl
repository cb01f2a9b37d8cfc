# Copies of a node, which keep its shards: what can be seen of them is reported, until an administrator says that it is
# meant, or that the copy has shards of its own.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use DBD::Pg qw(:async);
use IdgenNode;
use IdgenPair;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $database = q{ALTER DATABASE postgres SET idgen.shards = };
my $origin = begin_primary('origin', q{idgen.shards = ''}, 'idgen.max_wait = 20s');
my $session = connect_to($origin);
$session->do($database . q{'5'});
$session->disconnect;
$session = connect_to($origin);
value_of($session, 'SELECT next_id()');
my $dump = $origin->basedir . '/dump';
$origin->command_ok([ 'pg_dump', '-f', $dump, 'postgres' ], 'pg_dump');
$session->do('CHECKPOINT');
$origin->backup('used');

# What idgen.status() says of copies.
sub is_told
{
	my ($node, $expected, $what) = @_;
	my $on = connect_to($node);
	my ($value, $ok, $advice) = eval { $on->selectrow_array(q{SELECT value, ok, advice FROM idgen.status() WHERE key = 'copy'}) };
	is($ok, $expected ? 0 : 1,
		"$what: idgen.status() says " . ($expected ? 'so' : 'nothing')) || note $on->errstr // 'no row';
	like($advice // '', qr/idgen\.confirm_shards\(\)/, "$what: idgen.status() says what to do") if $expected;
	$on->disconnect;
	return;
}

# How often a copy is logged.
sub told
{
	my ($node) = @_;
	return scalar(() = slurp_file($node->logfile) =~ /(?:WARNING|LOG):  (?!statement|execute|received)[^\n]*\bcop(?:y|ied)\b/g);
}

# Takes IDs as if nothing were wrong, then refuses, then ends it in each way.
sub check_copy
{
	my ($node, $what) = @_;
	my $on = connect_to($node);
	ok(eval { value_of($on, 'SELECT next_id()') }, "$what: IDs are made by default") || note $on->errstr;
	is_told($node, 1, $what);
	is(told($node), 1, "$what: the log is told once");

	eval { $on->do(q{ALTER SYSTEM SET idgen.on_copy = 'refuse'}) };
	$on->do('SELECT pg_reload_conf()');
	poll(sub { (eval { value_of($on, q{SELECT current_setting('idgen.on_copy')}) } // '') eq 'refuse' });
	poll(sub { !eval { value_of($on, 'SELECT next_id()') } });
	fails_with($on, 'SELECT next_id()', '55000', qr/cop(?:y|ied).*\nDETAIL:.*\nHINT:.*idgen.confirm_shards\(\)/s,
		"$what, on_copy = refuse");
	$node->restart;
	is_told($node, 1, "$what, after a restart");
	$on = connect_to($node);

	# Shards of its own are no word: sessions of before have the old ones.
	$on->do($database . q{'6'});
	$on->disconnect;
	$on = connect_to($node);
	fails_with($on, 'SELECT next_id()', '55000', qr/is a copy/, "$what, shards of its own, not confirmed");
	is_told($node, 1, "$what, shards of its own, not confirmed");
	$on->do('SELECT idgen.confirm_shards()');
	ok(eval { value_of($on, 'SELECT next_id()') }, "$what, shards of its own, confirmed: IDs are made") || note $on->errstr;
	is_told($node, 0, "$what, shards of its own, confirmed");
	return $on;
}

is_told($origin, 0, 'the origin');
is(told($origin), 0, 'the origin: the log is told nothing');

# A copy whose system identifier was changed, as pg_createsubscriber does; it is not started.
sub identified
{
	my ($name, $backup) = (@_, 'used');
	my $copy = PostgreSQL::Test::Cluster->new($name);
	$copy->init_from_backup($origin, $backup);
	start_again($copy);
	$copy->stop;
	my $control = $copy->data_dir . '/global/pg_control';
	open my $file, '+<', $control or die "$control: $!";
	syswrite $file, pack('Q', 7_000_000_000_000_000_001);
	close $file;
	$copy->command_ok([ 'pg_resetwal', '-f', $copy->data_dir ], "$name: another system identifier");
	return $copy;
}
{
	my $copy = identified('identified');
	start_again($copy);
	check_copy($copy, 'another system identifier')->disconnect;
	$copy->stop('immediate');
}

# A copy of an origin whose shards were changed since it made IDs: they are the origin's all the same.
{
	my $root = connect_to($origin);
	$root->do($database . q{'6'});
	$origin->backup('changed');
	$root->do($database . q{'5'});
	$root->disconnect;
	my $copy = identified('changed', 'changed');
	$copy->append_conf('postgresql.conf', q{idgen.on_copy = 'refuse'});
	start_again($copy);
	my $on = connect_to($copy);
	fails_with($on, 'SELECT next_id()', '55000', qr/is a copy/, 'shards changed before the copy was made');
	$on->disconnect;
	is_told($copy, 1, 'shards changed before the copy was made');
	$copy->stop('immediate');
}

# What a role, a session or its worker has for itself confirms nothing, and is refused, too.
{
	my $copy = identified('roles');
	$copy->append_conf('postgresql.conf', q{idgen.on_copy = 'refuse'});
	start_again($copy);
	my $root = connect_to($copy);
	$root->do($_) for 'CREATE ROLE app LOGIN', 'CREATE ROLE batch LOGIN', q{ALTER ROLE batch SET idgen.shards = '6'};
	my $parallel = value_of($root, q{SELECT name FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')});
	my %as = map { $_ => connect_to($copy, user => $_) } qw(app batch);
	my $refused = sub { my ($on, $whose) = @_; fails_with($on, 'SELECT next_id()', '55000', qr/is a copy of one on another server/, "a copy: refused with $whose"); fails_with($as{app}, 'SELECT next_id()', '55000', qr/is a copy/, "a copy: others after that, too"); return };
	$refused->($as{batch}, q{a role's shards});
	$root->do(q{SET idgen.shards = '5'});
	$refused->($root, 'the shards of a session');
	$root->do("SET $parallel = on");
	$refused->($root, 'the shards of a worker');
	$root->do("RESET $parallel");
	is_told($copy, 1, 'a copy with roles that have shards of their own');
	$root->do($database . q{'7'});
	my $other = connect_to($copy, user => 'app');
	$refused->($other, 'shards of another setting of the database');
	$root->do('SELECT idgen.confirm_shards()');
	ok(eval { value_of($other, 'SELECT next_id()') }, 'confirmed: IDs are made') || note $other->errstr;
	ok(eval { value_of($as{batch}, 'SELECT next_id()') }, q{and with a role's shards}) || note $as{batch}->errstr;
	$_->disconnect for $root, $other, values %as;
	$copy->stop('immediate');
}

# A dump restored in another cluster, and confirmed there.
{
	my $copy = start_node('restored', extension => 0, conf => ['idgen.max_wait = 20s']);
	$copy->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $dump, 'postgres' ], 'restored in another cluster');
	my $on = connect_to($copy);
	$on->do($database . q{'5'});
	$on->do('CREATE ROLE app LOGIN');
	$on->disconnect;
	is_told($copy, 1, 'a restored dump, before its first ID');
	$on = connect_to($copy);
	ok(eval { value_of($on, 'SELECT next_id()') }, 'a restored dump: IDs are made by default') || note $on->errstr;
	my $app = connect_to($copy, user => 'app');
	fails_with($app, 'SELECT idgen.confirm_shards()', '42501', qr/./, 'idgen.confirm_shards() by an ordinary role');
	fails_with($on, 'BEGIN READ ONLY; SELECT idgen.confirm_shards()', '25006', qr/read-only transaction/,
		'idgen.confirm_shards() where nothing may be written');
	$on->do('ROLLBACK');

	# Twice at once, and twice in one statement.
	my $second = connect_to($copy);
	$on->do('BEGIN');
	ok(eval { $on->do('SELECT idgen.confirm_shards(), idgen.confirm_shards()') }, 'confirmed') || note $on->errstr;
	$second->do('SELECT idgen.confirm_shards()', { pg_async => PG_ASYNC });
	ok(succeeds($second),
		'confirmed by two sessions at once, and neither waits for the end of the other') || note $second->errstr;
	$on->do('COMMIT');
	is(value_of($on, 'SELECT last_value = system_identifier FROM idgen.origin, pg_control_system()'), 1,
		'confirmed: the next dump names this server');
	$second->disconnect;
	is_told($copy, 0, 'a restored dump, confirmed');
	my $told = '';
	{
		local $SIG{__WARN__} = sub { $told .= "@_" };
		local @$on{qw(PrintWarn PrintError)} = (1, 0);
		$on->do('SELECT idgen.confirm_shards()');
	}
	like($told, qr/NOTICE:  nothing was to be confirmed in this database\n/, 'confirmed again: nothing to confirm');
	crash($copy);
	start_again($copy);
	is_told($copy, 0, 'a restored dump, confirmed, then kill -9');
	$on = connect_to($copy);
	eval { $on->do(q{ALTER SYSTEM SET idgen.on_copy = 'refuse'}) };
	$on->do('SELECT pg_reload_conf()');
	ok(eval { value_of($on, 'SELECT next_id()') }, 'confirmed: IDs are made, also with on_copy = refuse');

	# The dump of the copy names it to the next copy.
	$on->do('CREATE DATABASE moved');
	$copy->command_ok([ 'pg_dump', '-f', "$dump.again", 'postgres' ], 'a dump of the copy');
	$copy->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', "$dump.again", '-d', 'moved' ], 'restored in the same cluster');
	my $moved = connect_to($copy, db => 'moved');
	is(value_of($moved, q{SELECT count(*) FROM idgen.status() WHERE key = 'copy' AND ok}), 1,
		'restored in the same cluster: nothing is told');
	$_->disconnect for $on, $app, $moved;
	$copy->stop('immediate');
}

# A restored dump that is refused, then given shards of its own.
{
	my $copy = start_node('given', extension => 0, conf => ['idgen.max_wait = 20s']);
	$copy->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $dump, 'postgres' ], 'restored in a third cluster');
	my $on = connect_to($copy);
	$on->do($database . q{'5'});
	$on->disconnect;
	check_copy($copy, 'a restored dump')->disconnect;
	$copy->stop('immediate');
}

# A promoted copy: nobody can tell it from a failover, so one line says what to do.
{
	my $copy = begin_standby($origin, 'promoted', '+0', q{idgen.on_copy = 'refuse'});
	wait_for_replay($origin, $copy);
	$copy->promote;
	my $on = connect_to($copy);
	ok(eval { value_of($on, 'SELECT next_id()') },
		'promoted: IDs are made, also with on_copy = refuse') || note $on->errstr;
	is_told($copy, 0, 'promoted');
	my $line = qr/LOG: .*\n?.*if the former primary lives on, change idgen\.shards/i;
	is(scalar(() = slurp_file($copy->logfile) =~ /$line/g), 1, 'promoted: the log says what to do where the former primary lives on');
	$on->disconnect;
	$copy->restart;
	$on = connect_to($copy);
	value_of($on, 'SELECT next_id()');
	is(scalar(() = slurp_file($copy->logfile) =~ /$line/g), 1, 'promoted, after a restart: not again');
	$on->disconnect;
	$copy->stop('immediate');
}
done_testing();
