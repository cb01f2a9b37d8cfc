# Whether this server makes IDs, as idgen.status() says it, in states in which it does and does not: each with what a draw
# says beside it.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use DBD::Pg qw(:async);
use IdgenNode;
use IdgenOutlook;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node('outlook', fake_clock => 1, kernel => '0 1000 1000', init => { allows_streaming => 1 },
	conf => [ "idgen.shards = '5'", "idgen.max_wait = '3s'", "idgen.horizon_window = '1s'" ]);
my $session = connect_to($node);

# The settings of the session, for one state.
sub with
{
	my ($settings, $row, $what) = @_;
	my $other = connect_to($node);
	$other->do($_) for split /; /, $settings;
	agrees($other, $row, $what);
	$other->disconnect;
	return;
}

# Until the last window is used, and the one that was written ahead of need: a draw needs the page.
sub use_up { select undef, undef, undef, 2.2; return }

# In a setting of the server, for one state.
sub with_server
{
	my ($name, $value, $row, $what) = @_;
	set_for_server($session, $name, $value);
	use_up();
	agrees($session, $row, $what);
	$session->do($_) for "ALTER SYSTEM RESET $name", 'SELECT pg_reload_conf()';
	wait_until($session, "SELECT current_setting('$name') <> '$value'");
	return;
}

# Well, before the first ID and after it.
agrees($session, '', 'before the first ID');
agrees($session, '', 'after it');
is(value_of($session, 'SELECT ids FROM idgen.stat_shard'), 2, 'a look makes no ID');
is(value_of($session, 'SELECT count(*) FROM idgen.stat_shard'), 1, 'and takes no slot');

# The horizon.
$session->do(q{SELECT idgen.advance(clock_timestamp() + '30 min')});
agrees($session, 'horizon', 'advanced by mistake');
$session->do('SELECT idgen.reset()');
agrees($session, '', 'taken back');
$session->do('ALTER SEQUENCE idgen.horizon SET UNLOGGED');
use_up();
agrees($session, 'horizon', 'unlogged');
$session->do('ALTER SEQUENCE idgen.horizon SET LOGGED');
agrees($session, '', 'logged again');

# The clock.
set_clock($node, '-90');
agrees($session, 'clock', 'set back');
set_clock($node, '+0');
agrees($session, '', 'corrected');
set_clock($node, '+90000');
agrees($session, 'clock', 'set forward');
set_clock($node, '+0');
use_up();
agrees($session, '', 'corrected again');
kernel_says($node, '5 16000000 16000000');
with_server('idgen.require_clock_sync', 'warn', '', 'not synchronized, with a warning');
with_server('idgen.require_clock_sync', 'on', 'ntp', 'not synchronized');
kernel_says($node, '0 900000 900000');
with_server('idgen.require_clock_sync', 'on', 'ntp', 'uncertain');
agrees($session, '', 'uncertain, and not asked for');
kernel_says($node, '0 1000 1000');

# The shards and the slots.
with(q{SET idgen.shards = ''}, 'shards', 'no shards');
with(q{SET idgen.shards = '9000'}, 'shards', 'a shard that the layout lacks');
with('SET idgen.region = 3', 'shards', 'a region that the layout lacks');
with(q{SET idgen.shards = 'lease'}, 'shards', 'numbers from no registry');
with(q{SET idgen.shards = 'citus'}, 'shards', 'no group of Citus');
with(q{SET idgen.shards = '5-8'}, '', 'several');

# Slots: all of the database's are in use; and a layout of its own that is used alone counts instead of the default one.
{
	my $crowded = start_node('crowded', fake_clock => 1, conf => [ "idgen.shards = '5'", 'idgen.max_slots = 16', "idgen.max_wait = '0'" ]);
	my $other = connect_to($crowded);
	# The clock stands still: no slot is idle.
	freeze_clock($crowded, time + 2);
	$other->do($_) for q{SET idgen.shards = '0-3'}, q{SELECT next_id(n, 'snowflake') FROM generate_series(0, 3) n}, q{SET idgen.shards = '5'};
	is(value_of($other, q{SELECT string_agg(concat_ws(' | ', key, value), E'\n') FROM idgen.status() WHERE key IN ('server', 'slots')}), "server | makes no IDs: see slots\nslots | this database uses all of its 4 idgen slots. Each shard of each layout in use takes a slot, and none is idle.", 'all slots are used: idgen.status()');
	agrees($other, 'slots', 'all slots are used');
	freeze_clock($crowded, time + 5);
	agrees($other, '', 'they are idle');
	$other->disconnect;
	$crowded->stop('immediate');
	my $wide = start_node('wide', conf => [ 'idgen.region = 3', "idgen.shards = '7'" ]);
	$other = connect_to($wide);
	agrees($other, 'shards', 'a region beside the default layout');
	$other->do(q{SELECT next_id(layout => 'twitter')});
	is(value_of($other, q{SELECT value FROM idgen.status() WHERE key = 'server'}), 'makes IDs', 'one that has it is in use, and no other');
	$other->disconnect;
	$wide->stop('immediate');
}

# Locks, which a look tries as a draw does: no session has to try, and what one found is over with the lock.
sub server_says { return value_of($session, q{SELECT value FROM idgen.status() WHERE key = 'server'}) }
my $locker = connect_to($node);
$locker->begin_work;
$locker->do('ALTER SEQUENCE idgen.horizon CACHE 1');
use_up();
agrees($session, 'renewal', 'a locked horizon');
is(server_says(), 'makes no IDs: see renewal', 'after a try, too');
$locker->rollback;
$locker->disconnect;
is(server_says(), 'makes IDs', 'the lock is gone, and nobody has tried since');
agrees($session, '', 'after the lock');

# Standbys.
set_for_server($session, 'idgen.synchronous', 'required');
use_up();
agrees($session, 'standby', 'required, and none is named');
name_standbys($session, 'nobody');
agrees($session, 'standby', 'one that is not there');
$session->do($_) for 'ALTER SYSTEM RESET idgen.synchronous', 'ALTER SYSTEM RESET synchronous_standby_names', 'SELECT pg_reload_conf()';
wait_until($session, q{SELECT current_setting('synchronous_standby_names') = ''});
# The checkpointer tells the walsenders, when it has read it.
ok(value_of($session, 'SELECT next_id()'), 'no standby is named: an ID');
agrees($session, '', 'without any');

$node->backup('backup', backup_options => ['-c', 'fast']);
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'backup', has_streaming => 1);
$standby->start;
my $reader = connect_to($standby);
is(value_of($reader, q{SELECT value FROM idgen.status() WHERE key = 'server'}), 'standby: its primary makes the IDs', 'a standby');
$reader->disconnect;
name_standbys($session, '*');
agrees($session, '', 'a standby that confirms');
my ($receiver) = map { /^(\d+)/ } grep { /walreceiver/ } split /\n/, `ps -o pid=,args= --ppid $standby->{_pid} | sed 's/^ *//'`;
kill 'STOP', $receiver;
use_up();
ok(!eval { value_of($session, 'SELECT next_id()'); 1 }, 'a standby that is connected and silent: no ID');
agrees($session, 'standby', 'a silent standby');
like(server_says(), qr/^makes no IDs: see standby, as a session found $duration ago$/, 'and since when');
kill 'CONT', $receiver;
wait_until($session, q{SELECT value = 'makes IDs' FROM idgen.status() WHERE key = 'server'});
use_up();
is(server_says(), 'makes IDs', 'it has confirmed, and nobody has tried since');
agrees($session, '', 'a standby that confirms again');
$session->do($_) for q{ALTER SYSTEM RESET synchronous_standby_names}, 'SELECT pg_reload_conf()';
$standby->stop('immediate');
wait_until($session, q{SELECT current_setting('synchronous_standby_names') = ''});

# A copy, which may not make IDs.
$session->do("ALTER SYSTEM SET idgen.on_copy = refuse");
$session->disconnect;
$node->stop("fast");
open my $control, '+<', $node->data_dir . '/global/pg_control' or die $!;
syswrite $control, pack('Q', 7_000_000_000_000_000_001);
close $control;
$node->command_ok([ 'pg_resetwal', '-f', $node->data_dir ], 'another system identifier');
start_again($node);
$session = connect_to($node);
# What another server may have made is waited for once.
ok(!eval { value_of($session, 'SELECT next_id()'); 1 }, 'a copy of a system: no ID');
agrees($session, 'copy', 'a copy of a system');
$session->do("SELECT idgen.confirm_shards()");
agrees($session, '', 'confirmed');

# The end of the layout; what the clock says is right.
$session->disconnect;
$node->stop('fast');
set_clock($node, '+' . 60 * 365 * 86400);
start_again($node);
$session = connect_to($node);
$session->do('SELECT idgen.accept_clock()');
agrees($session, 'layout', 'a layout that has ended');
$session->disconnect;
$node->stop('fast');

# A server that has not loaded the library.
my $bare = start_node('bare', preload => 0);
$session = connect_to($bare);
agrees($session, $bare->pg_version >= 17 ? 'shards' : 'library', 'not loaded');
$session->disconnect;
$bare->stop('fast');
done_testing();
