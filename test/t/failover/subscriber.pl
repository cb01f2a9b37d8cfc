# pg_createsubscriber (17) makes two servers of a pair: the standby is promoted, then given another system identifier,
# and its primary goes on. Such a copy makes no ID of its own by default. Before 17 the same is done by hand.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../../registry/t/lib";
use IdgenLease;
use IdgenNode;
use IdgenPair;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my $has_tool = `pg_config --version` !~ /PostgreSQL 1[56]\b/;
my @conf = ('autovacuum = off', 'idgen.max_wait = 20s', 'max_logical_replication_workers = 4', 'max_worker_processes = 12');
my $refused = qr/this server was converted from a standby.*\nDETAIL:.* became .*pg_createsubscriber.*\nHINT:.*idgen.confirm_shards\(\)/s;

# Gives a stopped server an identifier of this moment, as initdb and pg_createsubscriber draw it.
sub identify
{
	my ($node) = @_;
	my $now = time;
	my $identifier = int($now) << 32 | int(($now - int $now) * 1e6) << 12;
	my $control = $node->data_dir . '/global/pg_control';
	open my $file, '+<', $control or die "$control: $!";
	syswrite $file, pack('Q', $identifier);
	close $file;
	return system_or_bail('pg_resetwal', '-f', $node->data_dir);
}

# Starts a standby of a backup and stops it when it has all that its primary has.
sub stopped_standby
{
	my ($primary, $backup, $name, @more) = @_;
	my $standby = PostgreSQL::Test::Cluster->new($name);
	$standby->init_from_backup($primary, $backup, has_streaming => 1);
	$standby->append_conf('postgresql.conf', $_) for @more;
	start_again($standby);
	wait_for_replay($primary, $standby);
	$standby->stop;
	return $standby;
}

# Makes a stopped standby a subscriber of the database postgres; it is not started.
sub convert
{
	my ($primary, $standby) = @_;
	if ($has_tool)
	{
		$standby->command_ok(
			[
				'pg_createsubscriber', '-D', $standby->data_dir, '-P', $primary->connstr('postgres'),
				'-s', $standby->host, '-p', $standby->port, '-d', 'postgres', '-t', 180
			],
			$standby->name . ': pg_createsubscriber');
		return $standby;
	}
	start_again($standby);
	$standby->promote;
	$standby->stop;
	identify($standby);
	return $standby;
}

# Whether the row `copy` of idgen.status() is well.
sub copy_row
{
	my ($node, $db) = @_;
	my $on = connect_to($node, db => $db);
	my $ok = value_of($on, q{SELECT ok FROM idgen.status() WHERE key = 'copy'});
	$on->disconnect;
	return $ok;
}

sub is_refused
{
	my ($node, $db, $what) = @_;
	my $on = connect_to($node, db => $db);
	fails_with($on, 'SELECT next_id()', '55000', $refused, $what);
	$on->disconnect;
	return;
}

# Passes if a database makes IDs that no server made before.
sub makes
{
	my ($node, $db, $made, $what) = @_;
	my $on = connect_to($node, db => $db);
	my @ids = eval { draw($on, 1000) };
	is(scalar @ids, 1000, "$what: IDs are made") || note $on->errstr;
	is(repeated($made, @ids), 0, "$what: none twice");
	$on->disconnect;
	return;
}

sub set_on_copy
{
	my ($node, $word) = @_;
	$node->safe_psql('postgres', "ALTER SYSTEM SET idgen.on_copy = '$word'");
	$node->reload;
	return wait_until_true($node, "current_setting('idgen.on_copy') = '$word'");
}

my %made;
local $ENV{REAL_INITDB} = 1;
my $origin = start_node('origin', init => { allows_streaming => 'logical' }, conf => [ "idgen.shards = '5'", 'idgen.max_lead = 5s', @conf ]);
for my $db ('other', 'fresh', 'warned')
{
	$origin->safe_psql('postgres', "CREATE DATABASE $db");
	$origin->safe_psql($db, 'CREATE EXTENSION idgen');
}
makes($origin, $_, \%{ $made{$_} }, "the origin, $_") for 'postgres', 'other', 'warned';
my $session = connect_to($origin);
my $dump = $origin->basedir . '/dump';
$origin->command_ok([ 'pg_dump', '-f', $dump, 'postgres' ], 'pg_dump');
$origin->backup('base');

# A database that is named to the tool, one that is not, and one that has made no ID yet: each is refused until an
# administrator says more.
{
	my $copy = convert($origin, stopped_standby($origin, 'base', 'subscriber'));
	give_clock($copy, '+0');
	start_again($copy);
	for my $db ('postgres', 'other', 'fresh', 'warned')
	{
		is_refused($copy, $db, "$db: by default");
		is(copy_row($copy, $db), 0, "$db: idgen.status() says so");
	}
	is($copy->safe_psql('postgres', 'SELECT count(*) FROM pg_subscription'), 1,
		'pg_createsubscriber made a subscriber') if $has_tool;
	my $on = connect_to($copy);
	$on->do(q{SELECT idgen.advance(now() + interval '1 s')});
	is_refused($copy, 'postgres', 'moved forward');
	$on->do(q{SELECT idgen.reset(now(), force => true)});
	$on->do('SELECT idgen.advance(now())');
	$on->disconnect;
	is_refused($copy, 'postgres', 'moved back, and forward');
	crash($copy);
	start_again($copy);
	is_refused($copy, 'postgres', 'after kill -9');
	set_on_copy($copy, 'refuse');
	$on = connect_to($copy);
	fails_with($on, 'SELECT next_id()', '55000', qr/this database is a copy.*"refuse"/s,
		'with on_copy = refuse, as any copy');
	$on->disconnect;
	set_on_copy($copy, 'warn');
	$on = connect_to($copy, db => 'warned');
	ok(eval { value_of($on, 'SELECT next_id()') }, 'with on_copy = warn IDs are made') || note $on->errstr;
	$on->disconnect;
	set_on_copy($copy, 'auto');
	is_refused($copy, 'postgres', 'with on_copy = auto again, a database that made none meanwhile');
	$copy->stop;
	start_again($copy);
	$on = connect_to($copy, db => 'warned');
	ok(eval { value_of($on, 'SELECT next_id()') },
		'with on_copy = auto again, a database that made IDs meanwhile makes them') || note $on->errstr;
	is(copy_row($copy, 'warned'), 0, 'idgen.status() goes on to tell of a copy that makes IDs');
	$on->disconnect;

	# Both at work, by default.
	my $stop = $origin->basedir . '/stop';
	my @makers = map { begin_makers($_, 2, $stop) } $origin, $copy;
	my $before = value_of($session, 'SELECT sum(ids) FROM idgen.stat_shard');
	wait_until($session, "SELECT sum(ids) > $before + 10000 FROM idgen.stat_shard");
	append_to_file($stop, '');
	my ($by_origin, $by_copy) = map { [ made_by($_) ] } @makers;
	cmp_ok(scalar @$by_origin, '>', 1000, 'both at work: the origin makes IDs');
	is(scalar @$by_copy, 0, 'both at work: the copy makes no ID');
	is(repeated($made{postgres}, @$by_origin), 0, 'both at work: no ID twice');

	# Shards of its own; the origin's, when it makes no more: the last of them lie as far ahead as its lead lets them.
	$copy->safe_psql('postgres', q{ALTER DATABASE other SET idgen.shards = '6'});
	is_refused($copy, 'other', 'shards of its own, not confirmed');
	$copy->safe_psql('other', 'SELECT idgen.confirm_shards()');
	makes($copy, 'other', $made{other}, 'shards of its own');
	makes($origin, 'other', $made{other}, 'shards of its own for the copy: the origin goes on');
	is(copy_row($copy, 'other'), 1, 'shards of its own: idgen.status() says nothing');
	$session->do('SET idgen.overflow = borrow');
	is(repeated($made{postgres}, draw_few($session, 9000)), 0, 'the origin, ahead of its clock: none twice');
	$on = connect_to($copy);
	$on->do('SELECT idgen.confirm_shards()');
	is(repeated($made{postgres}, draw_few($on, 2000)), 0, 'confirmed as soon as the origin makes no more: none twice');
	$on->disconnect;
	$copy->safe_psql('fresh', 'SELECT idgen.confirm_shards()');
	makes($copy, 'fresh', \%{ $made{fresh} }, 'confirmed');
	$copy->stop;
	start_again($copy);
	makes($copy, 'fresh', $made{fresh}, 'confirmed, after a restart');

	# A dump that is restored there looks like one that the primary had restored before the disk was copied.
	$copy->safe_psql('postgres', 'CREATE DATABASE restored');
	$copy->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $dump, 'restored' ], 'a dump is restored there');
	is_refused($copy, 'restored', 'a restored dump');
	$copy->safe_psql('restored', 'SELECT idgen.confirm_shards()');
	makes($copy, 'restored', \%{ $made{restored} }, 'a restored dump, confirmed');
	set_clock($copy, '+10');
	makes($copy, 'restored', $made{restored}, 'a restored dump, past the next renewal');
	$copy->stop('immediate');
}

# An upgrade by pg_upgrade leaves the page with the old identifier, too. What distinguishes the two: the new server's
# own is older than any timeline it begins by a promotion. So is a standby of it that is promoted before the first ID,
# and one of that one.
{
	my $upgraded = PostgreSQL::Test::Cluster->new('upgraded');
	$upgraded->init_from_backup($origin, 'base', standby => 0);
	start_again($upgraded);
	$upgraded->stop;
	identify($upgraded);
	start_again($upgraded);
	$upgraded->backup('base');
	my $first = stopped_standby($upgraded, 'base', 'upgraded-first');
	start_again($first);
	$first->promote;
	is(copy_row($first, 'postgres'), 0,
		'upgraded, then failed over: idgen.status() says that the shards are not confirmed');
	makes($first, 'postgres', $made{postgres}, 'upgraded, then failed over before the first ID');
	$first->backup('base');
	my $second = stopped_standby($first, 'base', 'upgraded-second');
	start_again($second);
	$second->promote;
	makes($second, 'postgres', $made{postgres}, 'failed over once more');
	is(copy_row($second, 'postgres'), 0, 'failed over once more: idgen.status() goes on to tell');
	makes($upgraded, 'other', $made{other}, 'upgraded, and not failed over');
	$_->stop('immediate') for $upgraded, $first, $second;
}
$session->disconnect;
$origin->stop;

# With shards from a registry it takes another one, and nothing is refused.
{
	my $registry = start_registry('registry', conf => ['autovacuum = off']);
	my $leased = start_leased('leased', address_of($registry), init => { allows_streaming => 'logical' }, conf => [@conf]);
	my %of_registry;
	$session = connect_to($leased);
	repeated(\%of_registry, wait_for_id($session));
	$leased->backup('base');
	my $copy = convert($leased, stopped_standby($leased, 'base', 'leased-subscriber'));
	start_again($copy);
	my $on = connect_to($copy);
	my @ids = (wait_for_id($on), ids_of($on, 1000), ids_of($session, 1000));
	is(repeated(\%of_registry, @ids), 0, 'with a registry: both make IDs, none twice');
	isnt(number_of($on), number_of($session), 'with a registry: with two numbers');
	is(copy_row($copy, 'postgres'), 1, 'with a registry: idgen.status() says nothing');
	$_->disconnect for $session, $on;
	$copy->stop;
	$copy->append_conf('postgresql.conf', "idgen.registry = ''\nidgen.shards = '5'");
	start_again($copy);
	is_refused($copy, 'postgres', 'once it has left the registry');
	$_->stop('immediate') for $copy, $leased, $registry;
}
done_testing();
