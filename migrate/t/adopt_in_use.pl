# A schema that is adopted while it is in use: beside sessions that write and read its views, canceled, killed, kept from a
# table by a lock, by roles that own a part of it; and called again each time.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../test/t/lib";
use DBD::Pg qw(:async);
use IdgenNode;
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep);

my $node = start_node('adopt', conf => [ "idgen.shards = '5'", 'autovacuum = off' ]);
my $root = connect_to($node);
$root->do($_) for 'CREATE EXTENSION idgen_migrate', 'CREATE ROLE owner LOGIN', 'CREATE ROLE other LOGIN';
my $steps = q{SELECT count(DISTINCT step) FROM idgen_migrate.plan('shop')};

# A chain of tables, each of which references the one before, and a view of them all.
sub make_schema
{
	my ($session, $count) = @_;
	$session->do($_) for 'CREATE SCHEMA shop', 'CREATE TABLE shop.t0 (id serial PRIMARY KEY)';
	$session->do("CREATE TABLE shop.t$_ (id serial PRIMARY KEY, before integer REFERENCES shop.t" . ($_ - 1) . ')') for 1 .. $count;
	$session->do("INSERT INTO shop.t0 SELECT FROM generate_series(1, 300)");
	$session->do("INSERT INTO shop.t$_ (before) SELECT id FROM shop.t" . ($_ - 1)) for 1 .. $count;
	$session->do("CREATE VIEW shop.last_two AS SELECT a.id AS first, b.id AS second FROM shop.t" . ($count - 1) . " a JOIN shop.t$count b ON b.before = a.id");
	return;
}

# What must hold at each moment: a key that next_id() makes fits into what refers to it, and the view shows all rows of before.
sub is_whole
{
	my ($session, $what) = @_;
	is(value_of($session, q{SELECT count(*) FROM pg_constraint k JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
		JOIN pg_attrdef f ON f.adrelid = k.confrelid AND f.adnum = k.confkey[1]
		WHERE k.contype = 'f' AND k.connamespace = 'shop'::regnamespace AND a.attlen < 8 AND pg_get_expr(f.adbin, f.adrelid) ~ 'next_id'}), 0, "$what: no reference is too small");
	is(value_of($session, 'SELECT count(DISTINCT first) FROM shop.last_two WHERE first <= 300'), 300, "$what: the view is there");
	return;
}

my $owner = connect_to($node, user => 'owner');
$root->do('GRANT CREATE ON DATABASE postgres TO owner');
make_schema($owner, 5);
my $all = value_of($owner, $steps);
is($all, 12, 'a step for each table, and for each key');

# Another role, and a superuser, change nothing.
for my $user ('other', undef)
{
	my $session = connect_to($node, $user ? (user => $user) : ());
	$root->do('GRANT USAGE ON SCHEMA shop TO other');
	is(value_of($session, $steps), 0, 'no step for ' . ($user // 'a superuser'));
	is(value_of($session, q{SELECT count(*) FROM idgen_migrate.plan('shop') WHERE action = 'left' AND remarks ~ 'belongs to owner\. Connect as owner'}), 6, 'and it says why');
	$session->do(q{CALL idgen_migrate.adopt('shop')});
	$session->disconnect;
}
is(value_of($owner, $steps), $all, 'nothing has changed');

# A table in use: what is done until then stays.
my $reader = connect_to($node);
$reader->begin_work;
$reader->do('SELECT count(*) FROM shop.t3');
my $adopt = q{CALL idgen_migrate.adopt('shop', lock_wait => '50 ms', attempts => 2)};
fails_with($owner, $adopt, '55P03', qr/shop\.t\d.* is in use\nDETAIL:.*\nHINT:/, 'a table in use');
my $left = value_of($owner, $steps);
ok($left > 0 && $left < $all, "a table in use: $left of $all steps are left");
is_whole($owner, 'a table in use');

# Canceled, and killed, while it waits.
for my $way ('pg_cancel_backend', 'pg_terminate_backend')
{
	my $session = connect_to($node, user => 'owner');
	my $pid = $session->{pg_pid};
	$session->do(q{CALL idgen_migrate.adopt('shop', lock_wait => '1 h')}, { pg_async => PG_ASYNC });
	wait_until($root, "SELECT EXISTS (SELECT FROM pg_locks WHERE pid = $pid AND NOT granted)");
	value_of($root, "SELECT $way($pid)");
	ok(!succeeds($session), "$way ends it");
	is(value_of($owner, $steps), $left, "$way: as many steps are left");
	is_whole($owner, $way);
}
$reader->commit;
$reader->disconnect;

# Beside sessions that insert and read the view, all the time: none of them fails.
my $stop = $node->basedir . '/stop';
my @workers;
for my $work ('INSERT INTO shop.t0 DEFAULT VALUES', 'WITH a AS (INSERT INTO shop.t4 DEFAULT VALUES RETURNING id) INSERT INTO shop.t5 (before) SELECT 1 FROM a', 'SELECT count(*) FROM shop.last_two')
{
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		my $failed = eval {
			my $session = connect_to($node, user => 'owner');
			# Not more than a slow machine reads within the wait for a lock.
			do { $session->do($work); sleep 0.01 } until -e $stop;
			$session->disconnect;
			1;
		} ? 0 : 1;
		warn $@ if $failed;
		POSIX::_exit($failed);
	}
	push @workers, $pid;
}
ok(eval { $owner->do(q{CALL idgen_migrate.adopt('shop', lock_wait => '500 ms', attempts => 1000)}) }, 'in use, it goes on to its end') or diag($@);
open my $file, '>', $stop or die $!;
close $file;
for my $pid (@workers) { waitpid $pid, 0; is($?, 0, 'a session that works beside it meets no error') }
is(value_of($owner, $steps), 0, 'no step is left');
is_whole($owner, 'adopted');
$owner->do('INSERT INTO shop.t5 (before) SELECT id FROM shop.t4 ORDER BY id DESC LIMIT 3');
is(value_of($owner, 'SELECT count(*) FROM shop.t5 WHERE id > id_min(now() - interval $$1 d$$) AND id_shard(id) = 5 AND before IS NOT NULL') >= 3, 1,
	'new rows have IDs of this node, and refer to such');

# What came meanwhile and keeps a type is not dropped; what is left is done when it has gone.
$owner->do($_) for 'CREATE TABLE shop.late (id serial PRIMARY KEY)', 'CREATE VIEW shop.late_view AS SELECT id FROM shop.late';
$root->do('ALTER VIEW shop.late_view OWNER TO other');
is(value_of($owner, q{SELECT remarks FROM idgen_migrate.plan('shop') WHERE relation = 'shop.late'::regclass}),
	'view shop.late_view, which belongs to other, uses shop.late.id. Drop it before, and make it again after.', 'a view of another role');
$owner->do($adopt);
is(value_of($root, q{SELECT count(*) FROM pg_views WHERE viewname = 'late_view' AND viewowner = 'other'}), 1, 'it stays');
$root->do('DROP VIEW shop.late_view');
$owner->do($adopt);
is(value_of($owner, q{SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'shop.late'::regclass}), 'idgen.next_id()', 'without it the table is adopted');
$_->disconnect for $owner, $root;
done_testing();
