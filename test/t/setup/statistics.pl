# Statistics: what is counted for each shard, session and database, who may read it, what idgen.status() says.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use DBD::Pg qw(:async);
use IdgenNode;
use Test::More;

my $node = start_node(
	'statistics',
	fake_clock => 1,
	kernel     => '0 20000 100',
	init       => { allows_streaming => 'logical' },
	conf       => [ 'idgen.max_slots = 32', "idgen.max_wait = '1h'" ]);
my $session = connect_to($node);
my $watcher = connect_to($node);

sub row_of
{
	my ($sql, @binds) = @_;
	return $watcher->selectrow_hashref($sql, undef, @binds) // {};
}
sub shard_row { return row_of('SELECT *, extract(epoch FROM last_time) AS at FROM idgen.stat_shard WHERE shard = ?', @_) }
sub database_row { return row_of('SELECT * FROM idgen.stat_database') }
sub fact { return row_of('SELECT * FROM idgen.status() WHERE key = ?', @_) }

# The columns of a row, as one text.
sub columns
{
	my ($row, @names) = @_;
	return join ' ', map { "$_=" . ($row->{$_} // 'null') } @names;
}

sub becomes_true
{
	my ($check, $what) = @_;
	for (1 .. 15_000)
	{
		return pass($what) if $check->();
		select undef, undef, undef, 0.02;
	}
	return fail($what);
}

is(columns(database_row(), qw(datname in_recovery renewals renewed_at stall lead clock_offset slots slots_limit server_slots server_slots_limit server_databases server_databases_limit)),
	'datname=postgres in_recovery=0 renewals=0 renewed_at=null stall=0 lead=0 clock_offset=null slots=0 slots_limit=8 server_slots=0 server_slots_limit=32 server_databases=1 server_databases_limit=1000',
	'before the first ID');
is(value_of($watcher, 'SELECT (SELECT count(*) FROM idgen.stat_shard) + (SELECT count(*) FROM idgen.stat_backend)'), 0,
	'no rows yet');

# IDs, the last one and its time. The clock stands still.
my $now = int(time) + 2;
freeze_clock($node, $now);
my ($last) = @{ $session->selectcol_arrayref('SELECT max(id) FROM next_ids(100, 5) id') };
my $row = shard_row(5);
my $at = $now + clock_offset();
is(columns($row, qw(layout ids waits wait_time borrows holds max_lead last_id at)),
	"layout=instagram ids=100 waits=0 wait_time=0 borrows=0 holds=0 max_lead=0 last_id=$last at=$at.000000", '100 IDs');
my @kinds = map { value_of($session, 'SELECT next_id(layout => ?)', $_) } 'mastodon';
is(value_of($watcher, q{SELECT last_id || ' ' || (shard IS NULL) FROM idgen.stat_shard WHERE layout = 'mastodon'}),
	"$kinds[0] true", 'a layout without a shard');
my $long = 'epoch=2020-01-01T00:00:00Z unit=1ms time=40 region=2 shard=3 sequence=18';
my $trace = value_of($session, q{SELECT next_id(7, 'trace')});
my $id = value_of($session, 'SELECT next_id(9, ?)', $long);
is(value_of($watcher, 'SELECT last_id FROM idgen.stat_shard WHERE layout = ? AND shard = 9', $long), $id,
	'a layout of its own, spelt as it was given');
is(value_of($watcher, q{SELECT last_id FROM idgen.stat_shard WHERE layout = 'trace' AND shard = 7}), $trace,
	'a layout that wraps');

# Holds: the clock back by exactly the lead that is allowed.
freeze_clock($node, $now - 1);
$session->do('SELECT next_id_array(10, 5)');
is(columns(shard_row(5), qw(ids waits borrows holds max_lead)), 'ids=110 waits=0 borrows=0 holds=10 max_lead=1000',
	'10 IDs held');
is(database_row()->{lead}, 1000, 'the lead is shown');

# Borrows: what a tick does not hold. The first 914 fill it.
freeze_clock($node, $now);
$session->do("SET idgen.overflow = 'borrow'");
$session->do('SELECT next_id_array(914 + 1034, 5)');
is(columns(shard_row(5), qw(ids waits borrows holds max_lead)), 'ids=2058 waits=0 borrows=1034 holds=10 max_lead=1000',
	'1034 IDs borrowed, in two ticks');
$session->do('SET idgen.overflow = error');
fails_with($session, 'SELECT next_id_array(2000, 6)', '2200H', qr/no ID is left/, 'a full tick');
is(columns(shard_row(6), qw(ids waits wait_time borrows holds)), 'ids=1024 waits=0 wait_time=0 borrows=0 holds=0',
	'an error is no wait');
$session->do('RESET idgen.overflow');

# Waits: one draw that waits until the clock goes on.
$session->do('SELECT next_id(6)', { pg_async => PG_ASYNC });
becomes_true(sub { shard_row(6)->{wait_time} > 150 }, 'a wait is seen while it lasts');
is(columns(shard_row(6), qw(ids waits)), 'ids=1024 waits=1', 'one wait, no ID yet');
my $pid = $session->{pg_pid};
is(row_of('SELECT * FROM idgen.stat_backend WHERE pid = ?', $pid)->{waits}, 1, 'the session waits');
freeze_clock($node, ++$now);
$session->pg_result;
$row = shard_row(6);
is(columns($row, qw(ids waits)), 'ids=1025 waits=1', 'the session that waited has its ID');
cmp_ok($row->{wait_time}, '<', 600_000, 'wait_time is in ms');
my $backend = row_of('SELECT * FROM idgen.stat_backend WHERE pid = ?', $pid);
is($backend->{wait_time}, $row->{wait_time}, 'wait_time of the session');

# Sessions.
is(columns($backend, qw(datname usename layout shard ids last_id)),
	'datname=postgres usename=' . value_of($session, 'SELECT current_user') . ' layout=instagram shard=6 ids=' .
	  (2058 + 1025 + 3) . " last_id=$row->{last_id}", 'a session');
value_of($session, 'SELECT next_id(5)');
is(row_of('SELECT * FROM idgen.stat_backend WHERE pid = ?', $pid)->{shard}, 5,
	'the session shows the shard of a slot that it found before');
$session->do('CREATE DATABASE other');
$node->safe_psql('other', 'CREATE EXTENSION idgen');
my $other = connect_to($node, db => 'other');
value_of($other, 'SELECT next_id(70)');
is(value_of($watcher, q{SELECT string_agg(datname || ' ' || shard, ', ' ORDER BY datname) FROM idgen.stat_backend}),
	'other 70, postgres 5', 'sessions of all databases');
is(value_of($watcher, 'SELECT count(*) FROM idgen.stat_shard WHERE shard = 70'), 0, 'shards of this one alone');
is(columns(database_row(), qw(slots server_slots server_databases)), 'slots=5 server_slots=6 server_databases=2',
	'slots and databases in use');
is(value_of($other, 'SELECT count(*) FROM idgen.stat_shard'), 1, 'each database has its own');
$other->disconnect;
becomes_true(sub { value_of($watcher, 'SELECT count(*) FROM idgen.stat_backend') == 1 },
	'a session that ended is gone');
my $killed = connect_to($node);
value_of($killed, 'SELECT next_id(5)');
is(value_of($watcher, 'SELECT count(*) FROM idgen.stat_backend WHERE pid = ?', $killed->{pg_pid}), 1, 'a new session');
is(row_of('SELECT ids FROM idgen.stat_backend WHERE pid = ?', $killed->{pg_pid})->{ids}, 1,
	'counts from 0, whoever was there before');
value_of($watcher, 'SELECT pg_terminate_backend(?)', $killed->{pg_pid});
becomes_true(sub { value_of($watcher, 'SELECT count(*) FROM idgen.stat_backend') == 1 },
	'a session that was terminated is gone');

# Setting back: this database's counts, not its IDs.
my $before = shard_row(5);
$watcher->do('SELECT idgen.reset_stats()');
is(columns(shard_row(5), qw(ids waits wait_time borrows holds max_lead last_id)),
	"ids=0 waits=0 wait_time=0 borrows=0 holds=0 max_lead=0 last_id=$before->{last_id}", 'set back to 0');
is(columns(shard_row(6), qw(ids waits wait_time)), 'ids=0 waits=0 wait_time=0', 'the shard that waited too');
is(columns(row_of('SELECT * FROM idgen.stat_backend'), qw(ids waits wait_time)), 'ids=0 waits=0 wait_time=0',
	'set back to 0: sessions, too');
cmp_ok(value_of($session, 'SELECT next_id(5)'), '>', $before->{last_id}, 'IDs go on above');
is(columns(shard_row(5), qw(ids)) . ' ' . columns(row_of('SELECT * FROM idgen.stat_backend'), qw(ids)), 'ids=1 ids=1',
  'IDs are counted anew after the statistics are set back');

# A slot that is given to another shard counts from 0, and the row of its former one is gone. Advancing keeps counts.
$session->do('SELECT next_id_array(10, 5)');
$session->do('SELECT next_id_array(1025, 6)', { pg_async => PG_ASYNC });
becomes_true(sub { shard_row(6)->{wait_time} > 0 }, 'a shard waits again');
freeze_clock($node, ++$now);
$session->pg_result;
$session->do(q{SELECT idgen.advance(clock_timestamp() + '1 ms')});
is(columns(shard_row(5), qw(ids last_id last_time)), 'ids=11 last_id=null last_time=null',
	'advanced: counts stay, the last ID is not known');
$now += 5;
freeze_clock($node, $now);
$session->do(q{SET idgen.shards = '30-37'});
is(scalar @{ $session->selectcol_arrayref('SELECT next_id(n) FROM generate_series(30, 37) n') }, 8,
	'eight other shards');
$session->do('RESET idgen.shards');
is(value_of($watcher, q{SELECT string_agg(shard || ':' || ids || ':' || waits || ':' || holds, ' ' ORDER BY shard) FROM idgen.stat_shard}),
	join(' ', map { "$_:1:0:0" } 30 .. 37), 'slots given to other shards');
is(fact('slots')->{ok}, 0, 'idgen.status: every slot of the database used');
like(fact('slots')->{value}, qr/^8 of 8 in this database, 9 of 32 in all; IDs are made in 2 of at most 1000 databases$/,
	'idgen.status: how many');

# Who may read.
$watcher->do('CREATE ROLE reader LOGIN IN ROLE pg_monitor');
$watcher->do('CREATE ROLE anybody LOGIN');
my %as = map { $_ => connect_to($node, user => $_) } qw(reader anybody);
for my $what (qw(idgen.stat_shard idgen.stat_backend idgen.stat_database))
{
	ok(eval { $as{reader}->selectall_arrayref("SELECT * FROM $what") }, "a member of pg_monitor reads $what");
	fails_with($as{anybody}, "SELECT * FROM $what", '42501',
		qr/permission denied for view @{[ $what =~ s{idgen[.]}{}r ]}/, "$what, anybody");
	fails_with($as{anybody}, "SELECT * FROM $what()", '42501',
		qr/permission denied for function @{[ $what =~ s{idgen[.]}{}r ]}/, "$what(), anybody");
}
is(value_of($as{anybody}, 'SELECT count(*) FROM idgen.status()'), 16, 'anybody may ask idgen.status()');
fails_with($as{$_}, 'SELECT idgen.reset_stats()', '42501', qr/permission denied/,
	"idgen.reset_stats(), $_") for qw(reader anybody);
$watcher->do('GRANT EXECUTE ON FUNCTION idgen.reset_stats() TO reader');
ok(eval { $as{reader}->do('SELECT idgen.reset_stats()') }, 'idgen.reset_stats() granted');
$_->disconnect for values %as;

# idgen.status(): each fact turns when its cause is made.
set_clock($node, '+20');
value_of($session, 'SELECT next_id(30)');
my %ok = map { $_->[0] => $_->[1] } @{ $watcher->selectall_arrayref('SELECT key, ok::int FROM idgen.status()') };
is(join(' ', map { "$_=$ok{$_}" } qw(library server shards horizon renewal lead clock standby layout)),
	'library=1 server=0 shards=0 horizon=1 renewal=1 lead=1 clock=1 standby=1 layout=1', 'a healthy server without shards of its own');
is(value_of($watcher, 'SELECT count(*) FROM idgen.status() WHERE NOT ok AND advice IS NULL OR ok AND advice IS NOT NULL'), 0,
	'advice where something is wrong, and only there');
like(fact('shards')->{advice}, qr/ALTER DATABASE/, 'shards: how to set them');
$watcher->do("SET idgen.shards = '5'");
is(columns(fact('shards'), qw(value ok)), 'value=5; set by this session ok=1', 'shards set');
$watcher->do('SET idgen.region = 3');
is(fact('shards')->{value}, 'layout "instagram" has no region. idgen.region is 3.', 'with a region');
$watcher->do('RESET idgen.region');

# The clock's error is judged if a failover rests on it; the row says why, or why not.
sub ntp_says
{
	my ($use, $is_judged) = @_;
	for my $case (
		[ '0 20000 100',  'synchronized, off by at most 0.020 s',                                       1 ],
		[ '0 500000 100', 'synchronized, off by at most 0.500 s',                                       1 ],
		[ '0 500001 100', 'synchronized, off by at most 0.501 s, more than idgen.clock_error, 0.500 s', 0 ],
		[ '0 100 700000', 'synchronized, off by at most 0.700 s, more than idgen.clock_error, 0.500 s', 0 ],
		[ '5 100 100',    q{the clock of this machine is not synchronized},                                    0 ])
	{
		my ($words, $state, $is_right) = @$case;
		kernel_says($node, $words);
		my $ok = $is_right || !$is_judged ? 1 : 0;
		is(columns(fact('ntp'), qw(value ok)), "value=$state; $use ok=$ok", "ntp: a kernel that says $words");
		is(database_row()->{clock_synchronized}, $words =~ /^0/ ? 1 : 0, "ntp: the column clock_synchronized for a kernel that says $words");
	}
	kernel_says($node, '0 20000 100');
	return;
}
my $unused = 'no failover rests on it, because no standby and no archive is known';
ntp_says($unused, 0);
$watcher->do(q{SELECT pg_create_physical_replication_slot('backup', temporary => true), pg_create_logical_replication_slot('subscriber', 'pgoutput')});
ntp_says($unused, 0);
$watcher->do(q{SELECT pg_create_physical_replication_slot('standby')});
ntp_says('failover to its standby rests on it', 1);
$watcher->do(q{ALTER SYSTEM SET synchronous_standby_names = '*'});
$watcher->do('SELECT pg_reload_conf()');
becomes_true(sub { database_row()->{synchronous} }, 'synchronous standbys are configured');
ntp_says('failover to a synchronous standby does not rest on it', 0);
$watcher->do('SET synchronous_commit = local');
set_for_server($watcher, 'idgen.require_clock_sync', 'warn');
ntp_says('idgen.require_clock_sync asks for it', 1);
set_for_server($watcher, 'idgen.require_clock_sync', 'off');
$watcher->do('ALTER SYSTEM RESET synchronous_standby_names');
$watcher->do('SELECT pg_reload_conf()');
becomes_true(sub { !database_row()->{synchronous} }, 'none are configured');
$watcher->do("SELECT pg_drop_replication_slot('$_')") for qw(backup subscriber standby);
ntp_says($unused, 0);

# A shard that a layout in use does not have; if none is in use, one that the default layout does not have.
my $shards_in = sub {
	my ($db, $setting, @draws) = @_;
	my $seen = connect_to($node, db => $db);
	$seen->do("SET idgen.shards = '$setting'");
	$seen->do("SELECT $_") for @draws;
	my ($value, $ok) = $seen->selectrow_array(q{SELECT value, ok::int FROM idgen.status() WHERE key = 'shards'});
	$seen->disconnect;
	return "$value | $ok";
};
$watcher->do("CREATE DATABASE $_") for qw(unused wide);
$node->safe_psql($_, 'CREATE EXTENSION idgen_kinds CASCADE') for qw(unused wide);
my $too_large = qr/^shard 9000 is out of range for layout "instagram"\. The layout has the shards 0 to 8191; idgen\.shards is "(?:5,)?9000", set by this session\. \| 0$/;
like($shards_in->('unused', '9000'), $too_large, 'shards: beyond the default layout, which is not used yet');
is($shards_in->('unused', '8191'), '8191; set by this session | 1', 'shards: the last of the default layout');
like($shards_in->('unused', '9000', 'hlc_now()', q{next_id(layout => 'mastodon')}), $too_large,
	'shards: layouts without a shard do not count');
is($shards_in->('wide', '9000', q{next_id(layout => 'sonyflake')}), '9000; set by this session | 1',
	'shards: the only layout in use has it');
like($shards_in->('wide', '5,9000', 'next_id(5)'), $too_large, 'shards: one of two layouts in use has it');
$watcher->do("DROP DATABASE $_") for qw(unused wide);

$row = database_row();
cmp_ok($row->{renewals}, '>=', 2, 'renewals are counted');
is(value_of($watcher, q{SELECT horizon - renewed_at BETWEEN '-10 s' AND '1001 ms' FROM idgen.stat_database}), 1,
	'the horizon is at most a window above its renewal');
is($row->{clock_offset}, 0, 'the clock is as accepted');

set_clock($node, '+86400');
fails_with($session, 'SELECT next_id(30)', '55000', qr/jumped forward/, 'a day forward');
$row = fact('clock');
is($row->{ok}, 0, 'clock: a day forward');
like($row->{value}, qr/^the clock jumped forward by (?:1 day|23 h 5\d min)[.:] /, 'clock: by how much');
like($row->{advice}, qr/idgen\.accept_clock/, 'clock: what to do');
cmp_ok(database_row()->{clock_offset}, '>', 86_000_000, 'clock_offset');
cmp_ok(database_row()->{clock_steps_forward}, '>=', 1, 'clock_steps_forward');

my $steps = database_row()->{clock_steps_back};
set_clock($node, '-3600');
$session->do('SET idgen.max_wait = 0');
my $errors = database_row()->{server_errors};
fails_with($session, 'SELECT next_id(30)', '55000', qr/behind/, 'an hour back') for 1 .. 3;
is(database_row()->{server_errors}, $errors + 3, 'server_errors: calls that made no ID');
my $unset = connect_to($node);
$unset->do(q{SET idgen.shards = ''});
fails_with($unset, 'SELECT next_id()', '55000', qr/idgen\.shards is not set/, 'no shard');
fails_with($unset, q{SELECT id_min('1900-01-01')}, '22003', qr/before the epoch/, 'a reader of what is no ID');
is(database_row()->{server_errors}, $errors + 4, 'server_errors: calls of readers do not count');
$watcher->do($_) for 'SET idgen.max_wait = 0', q{SET idgen.shards = '30'};
$row = fact('clock');
$watcher->do($_) for 'RESET idgen.max_wait', q{SET idgen.shards = '5'};
is($row->{ok}, 0, 'clock: an hour back');
like($row->{value}, qr/^the clock is 1 h 1 min behind the next ID of shard 30\. /, 'clock: by how much it is back');
is(database_row()->{clock_steps_back}, $steps + 1, 'clock_steps_back: one step, however often it is met');
is(fact('lead')->{ok}, 0, 'lead: the IDs are an hour ahead');
like(fact('lead')->{advice}, qr/^Correct the clock; or, if it is right now, wait/, 'lead: the clock is behind');
like(fact('horizon')->{advice}, qr/^Correct the clock if it is behind/, 'horizon: it may be the clock');
like(fact('horizon')->{value}, qr/ (?:5\d min(?: \d+ s)?|1 h(?: \d+ min)?) ahead of the clock$/,
	'horizon: far ahead of the clock');
is(fact('horizon')->{ok}, 0, 'horizon: not ok');
set_clock($node, '+21');
value_of($session, 'SELECT next_id(30)');
is(join(' ', map { fact($_)->{ok} } qw(clock lead horizon)), '1 1 1',
	'after the clock is set: clock, lead and horizon are well');

# IDs that were made ahead of the clock as far as they might, and may no longer: the clock is not to blame.
set_for_server($session, 'idgen.max_lead', '60s');
set_clock($node, '-20');
value_of($session, 'SELECT next_id(30)');
$session->do('SELECT idgen.accept_clock()');
set_for_server($watcher, 'idgen.max_lead', '1s');
is(fact('lead')->{ok}, 0, 'lead: idgen.max_lead was lowered');
like(fact('lead')->{advice}, qr/^IDs of that shard wait until then/, 'lead: the clock is not blamed');
set_clock($node, '+21');
$session->do('SELECT idgen.accept_clock()');
value_of($session, 'SELECT next_id(30)');
is(join(' ', map { fact($_)->{ok} } qw(clock lead horizon)), '1 1 1',
	'after accept_clock(): clock, lead and horizon are well');

# IDs are borrowed to the limit, while the clock goes on between the looks at it and at them.
my $borrower = connect_to($node);
$borrower->do(q{SET idgen.overflow = borrow});
$borrower->do(q{SELECT count(next_id(31, 'epoch=2011-08-24T21:07:01.721Z unit=1ms time=41 shard=13 sequence=1')) FROM generate_series(1, 100000000)}, { pg_async => PG_ASYNC });
wait_until($watcher, q{SELECT max_lead > 990 FROM idgen.stat_shard WHERE shard = 31});
ok(eval {
		$watcher->do(q{DO $$ DECLARE says text; BEGIN
			FOR i IN 1 .. 3000 LOOP
				SELECT value INTO says FROM idgen.status() WHERE key = 'lead' AND NOT ok;
				IF found THEN RAISE EXCEPTION '%', says; END IF;
			END LOOP;
		END $$});
		1;
	}, 'lead: at the limit, and never beyond') || note $watcher->errstr;
$borrower->pg_cancel;
$borrower->disconnect;

# A renewal that is held up.
my $locker = connect_to($node);
$locker->begin_work;
$locker->do('ALTER SEQUENCE idgen.horizon OWNED BY NONE');
set_clock($node, '+31');
$session->do("SET idgen.max_wait = '1h'");
$session->do('SELECT next_id(30)', { pg_async => PG_ASYNC });
becomes_true(sub { database_row()->{stall} > 5100 }, 'stall: how long a renewal has been asked for in vain');
$row = fact('renewal');
is($row->{ok}, 0, 'renewal: not ok');
like($row->{value}, qr/^the durable horizon was not renewed within 1 h\. Another transaction holds a lock on sequence/, 'renewal: why not');
$locker->rollback;
$locker->disconnect;
$session->pg_result;
is(columns(database_row(), 'stall') . ' ' . fact('renewal')->{ok}, 'stall=0 1', 'renewed at last');
is(row_of('SELECT * FROM idgen.stat_backend WHERE pid = ?', $pid)->{waits}, 0,
	'waiting for the horizon is no wait for a tick');

# Standbys, the end of the layout, a broken horizon.
set_for_server($watcher, 'idgen.synchronous', 'required');
like(columns(fact('standby'), qw(value ok)), qr/none is configured(?:\. .*)? ok=0/, 'standby: required and none');
set_for_server($watcher, 'idgen.synchronous', 'auto');
$watcher->do(q{ALTER SYSTEM SET synchronous_standby_names = '*'});
$watcher->do('SELECT pg_reload_conf()');
becomes_true(sub { fact('standby')->{value} =~ /^(?:0 synchronous standbys connected$|the durable horizon was not renewed within )/ }, 'standby: none connected');
is(columns(database_row(), qw(synchronous standbys)), 'synchronous=1 standbys=0',
	'standby: none connected, as columns');
is(fact('standby')->{ok}, 0, 'standby: not ok');
$watcher->do('SET synchronous_commit = local');
$watcher->do('ALTER SYSTEM RESET synchronous_standby_names');
$watcher->do('SELECT pg_reload_conf()');
becomes_true(sub { fact('standby')->{ok} }, 'standby: not needed any more');

set_clock($node, '+60');
my $ending = value_of($watcher, q{SELECT format('epoch=%s unit=1s time=30 shard=3 sequence=10',
	to_char(date_trunc('second', now() AT TIME ZONE 'UTC') - '1073741824 s'::interval + '400 days', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))});
value_of($session, 'SELECT next_id(1, ?)', $ending);
is(value_of($watcher, 'SELECT layout::text FROM idgen.stat_database'),
	value_of($watcher, 'SELECT ?::id_layout::text', $ending), 'the layout that ends first');
is(value_of($watcher, q{SELECT layout_end - now() BETWEEN '398 days' AND '401 days' FROM idgen.stat_database}), 1,
  'stat_database has the end of the layout that ends first');
like(fact('layout')->{value}, qr/ in (399|400) days$/, 'layout: in how many days');
is(fact('layout')->{ok}, 0, 'layout: within two years');

# A standby of this server: it has the horizon and makes no IDs.
$node->backup('copy');
my $standby = PostgreSQL::Test::Cluster->new('statistics_standby');
$standby->init_from_backup($node, 'copy', has_streaming => 1);
start_again($standby);
$node->wait_for_catchup($standby);
my $copy = connect_to($standby);
my $ntp = q{SELECT value || ok FROM idgen.status() WHERE key = 'ntp'};
like(fact('ntp')->{value}, qr/; failover to its standby rests on it$/, 'ntp: a standby is connected');
like(value_of($copy, $ntp), qr/; its promotion rests on it/, 'ntp: a standby');
is(value_of($copy, 'SELECT horizon FROM idgen.stat_database'), database_row()->{horizon},
	'a standby knows the horizon');
is(value_of($copy, q{SELECT value || ok FROM idgen.status() WHERE key = 'server'}),
	'standby: its primary makes the IDstrue', 'server: a standby');
is(value_of($copy, 'SELECT (SELECT count(*) FROM idgen.stat_shard) + (SELECT count(*) FROM idgen.stat_backend)'), 0,
	'a standby has no shards');
$copy->disconnect;
$standby->stop;

$session->do('SELECT setval($$idgen.horizon$$, 946684800000)');
$session->do('ALTER SEQUENCE idgen.horizon MINVALUE 1');
$session->do('SELECT setval($$idgen.horizon$$, 1)');
like(columns(fact('horizon'), qw(value ok)), qr/^value=the durable horizon \d+ is out of bounds(?:\. .*)? ok=0/, 'horizon: out of bounds');
is(database_row()->{horizon}, undef, 'horizon: unknown as a column when out of bounds');
$_->disconnect for $session, $watcher;

# What is archived can be restored on another server.
{
	my $archived = start_node('archived', kernel => '5 100 100', init => { allows_streaming => 1 }, conf => [ 'archive_mode = on', "archive_command = 'true'" ]);
	is($archived->safe_psql('postgres', $ntp),
		q{the clock of this machine is not synchronized; a restore from its archive rests on itfalse}, 'ntp: an archive');
	$archived->stop;
}

# The hybrid logical clock is in the view, as no layout: a minute before bit 31 of the unix ms turns, and a minute
# after. The clock is put there once the server is ready, and stands still.
{
	my $clock = start_node('hybrid', kinds => 1, fake_clock => 1);
	my $clock_session = connect_to($clock);
	my $turn_ms = 2**31 * (1 + int((time + clock_offset() + 3600) * 1000 / 2**31));
	my %state;
	for my $count (1, 2)
	{
		freeze_clock($clock, int($turn_ms / 1000) + ($count == 1 ? -60 : 60) - clock_offset());
		$clock_session->do('SELECT idgen.accept_clock()') if $count == 1;
		my $last = value_of($clock_session, 'SELECT max(hlc_now()) FROM generate_series(1, 3)');
		$state{ $last >> 47 & 1 }++;
		is_deeply(
			$clock_session->selectall_arrayref('SELECT layout, shard, ids, last_id, last_time = hlc_time(?) FROM idgen.stat_shard', undef, $last),
			[ [ undef, undef, 3 * $count, $last, 1 ] ], 'the hybrid logical clock has a row without a layout');
	}
	is_deeply(\%state, { 0 => 1, 1 => 1 }, 'in both states of bit 31');
	$clock_session->disconnect;
}

# And its IDs, leads and waits are counted like those of a shard, for the database and for the session. DecimalIds have
# no shard.
{
	my $counted = start_node('counted', kinds => 1, fake_clock => 1, conf => ["idgen.max_wait = '1h'"]);
	my ($hybrid, $onlooker) = map { connect_to($counted) } 1 .. 2;
	my $counts = sub {
		return columns($onlooker->selectrow_hashref('SELECT * FROM idgen.stat_shard') // {}, qw(ids waits borrows holds max_lead));
	};
	my $session_row = sub { return $onlooker->selectrow_hashref('SELECT * FROM idgen.stat_backend WHERE pid = ?', undef, $hybrid->{pg_pid}) // {} };
	my $second = int(time) + 2;
	freeze_clock($counted, $second);
	my $last = value_of($hybrid, 'SELECT max(hlc_now()) FROM generate_series(1, 100)');
	is($counts->(), 'ids=100 waits=0 borrows=0 holds=0 max_lead=0', 'the clock: 100 timestamps');
	is(columns($session_row->(), qw(layout shard ids waits wait_time last_id)), "layout=null shard=null ids=100 waits=0 wait_time=0 last_id=$last",
		'the clock: its session');
	freeze_clock($counted, $second - 1);
	value_of($hybrid, 'SELECT max(hlc_now()) FROM generate_series(1, 10)');
	is($counts->(), 'ids=110 waits=0 borrows=0 holds=10 max_lead=1000', 'the clock: 10 timestamps held');
	freeze_clock($counted, $second);
	value_of($hybrid, q{SELECT hlc_receive(hlc_make(clock_timestamp() + '500 ms'))});
	is($counts->(), 'ids=111 waits=0 borrows=1 holds=10 max_lead=1000',
		'the clock: one timestamp ahead, above one received');
	my $steps_back = value_of($onlooker, 'SELECT clock_steps_back FROM idgen.stat_database');
	freeze_clock($counted, $second - 2);
	$hybrid->do('SELECT hlc_now()', { pg_async => PG_ASYNC });
	becomes_true(sub { $session_row->()->{wait_time} > 150 }, 'the clock: a wait is seen while it lasts');
	is($counts->(), 'ids=111 waits=1 borrows=1 holds=10 max_lead=1000', 'the clock: one wait, no timestamp yet');
	cmp_ok(value_of($onlooker, 'SELECT clock_steps_back FROM idgen.stat_database'), '>', $steps_back,
		'the clock: that it was set back is seen');
	freeze_clock($counted, $second);
	$hybrid->pg_result;
	is($counts->(), 'ids=112 waits=1 borrows=2 holds=10 max_lead=1000',
		'the clock: it ended, with one of the tick begun ahead');
	my $waited = $session_row->();
	is(columns($waited, qw(ids waits)), 'ids=112 waits=1', 'the clock: the same of its session');
	is($waited->{wait_time}, value_of($onlooker, 'SELECT wait_time FROM idgen.stat_shard'), 'the clock: the time too');

	my $decimal = value_of($hybrid, 'SELECT next_decimal_id()');
	is(columns($session_row->(), qw(layout shard ids waits last_id)),
		"layout=null shard=null ids=113 waits=1 last_id=$decimal", 'a DecimalId: its session');
	value_of($hybrid, 'SELECT next_id(9)');
	value_of($hybrid, 'SELECT next_decimal_id()');
	is(columns($session_row->(), qw(layout shard ids)), 'layout=null shard=null ids=115',
		'a DecimalId: not of the shard of the ID before it');
	is(value_of($onlooker, 'SELECT count(*) FROM idgen.stat_shard'), 2, 'a DecimalId: no row of a shard');
	$onlooker->do('SELECT idgen.reset_stats()');
	is(columns($session_row->(), qw(ids waits wait_time)), 'ids=0 waits=0 wait_time=0', 'the clock: set back');
	$_->disconnect for $hybrid, $onlooker;
}

# Without the library loaded by the server.
{
	my $bare = start_node('bare', preload => 0);
	my $bare_session = connect_to($bare);
	my $needs_preload = $bare->pg_version->major < 17;
	is(value_of($bare_session, q{SELECT ok FROM idgen.status() WHERE key = 'library'}), $needs_preload ? 0 : 1,
		'library: loaded or not');
	is(value_of($bare_session, q{SELECT string_agg(key, ' ') FROM idgen.status() WHERE key IN ('library', 'nodes', 'horizon', 'lead', 'slots')}),
		$needs_preload ? 'library horizon' : 'library nodes horizon lead slots', 'what then is not known is not there');
	is(value_of($bare_session, 'SELECT horizon IS NOT NULL FROM idgen.stat_database'), 1, 'the horizon is');
	if ($needs_preload)
	{
		fails_with($bare_session, "SELECT * FROM $_", '55000', qr/idgen is not loaded by the server.*shared_preload_libraries/s, $_)
		  for qw(idgen.stat_shard idgen.stat_backend idgen.reset_stats());
	}
	$bare_session->disconnect;
}

done_testing();
