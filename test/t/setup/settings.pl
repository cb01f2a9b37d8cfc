# Settings.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use PostgreSQL::Test::Utils;
use Test::More;

# Settings and where they come from: ALTER DATABASE, dumps, roles, a server without the library.
{
	my $node = start_node('settings', kinds => 1);
	my $early = connect_to($node);
	my $main = connect_to($node);

	# A connection that is older than the setting gets the advice to reconnect.
	fails_with($early, 'SELECT next_id()', '55000',
		qr/idgen.shards is not set\nDETAIL:.*\nHINT:.*ALTER DATABASE postgres SET idgen.shards = '5'/,
		'shards never set');
	$main->do("ALTER DATABASE postgres SET idgen.shards = '7'");
	fails_with($early, 'SELECT next_id()', '55000', qr/HINT:.*after this connection began: reconnect/,
		'shards set for the database after the connection began');
	my $late = connect_to($node);
	is(value_of($late, 'SELECT id_shard(next_id())'), 7, 'a new connection has them');

	$main->do('ALTER DATABASE postgres RESET idgen.shards');
	$main->do('CREATE ROLE app LOGIN');
	my $app = connect_to($node, user => 'app');
	$main->do("ALTER ROLE app SET idgen.shards = '8'");
	fails_with($app, 'SELECT next_id()', '55000', qr/HINT:.*reconnect/, 'shards set for the role');
	$app = connect_to($node, user => 'app');
	is(value_of($app, 'SELECT id_shard(next_id())'), 8, 'the role has them');
	$main->do("ALTER ROLE app IN DATABASE postgres SET idgen.shards = '9'");
	is(value_of(connect_to($node, user => 'app'), 'SELECT id_shard(next_id())'), 9,
		'the role has the shards that are set for it in the database');
	fails_with($early, 'SELECT next_id()', '55000', qr/HINT:.*ALTER DATABASE/,
		'another role\'s shards are no reason to reconnect');

	# A setting that changes under a kept plan takes effect at once.
	$main->do("SET idgen.shards = '1'");
	my $kept = $main->prepare('SELECT id_shard(next_id())', { pg_server_prepare => 1 });
	my @shards;
	for my $shard (1 .. 20)
	{
		$main->do("SET idgen.shards = '$shard'");
		$kept->execute;
		push @shards, $kept->fetchrow_array;
	}
	is("@shards", join(' ', 1 .. 20), 'a prepared statement follows idgen.shards');
	is(join(' ', @{ $main->selectcol_arrayref(
					q{SELECT id_shard(next_id()) FROM generate_series(1, 3) n
					   WHERE set_config('idgen.shards', (30 + n)::text, false) <> ''}) }),
		'31 32 33', 'a statement that changes idgen.shards follows it while it runs');

	# pg_dump --create keeps the settings of a database, plain pg_dump does not.
	$main->do("ALTER DATABASE postgres SET idgen.shards = '7'");
	$main->do("CREATE DATABASE app");
	$main->do("ALTER DATABASE app SET idgen.shards = '42'");
	$node->safe_psql('app', 'CREATE EXTENSION idgen_kinds CASCADE; CREATE TABLE t (id bigint PRIMARY KEY DEFAULT next_id());
		CREATE TABLE choice (layout id_layout); INSERT INTO choice VALUES ($$js53$$), ($$epoch=2020-01-01T00:00:00Z unit=5ms time=40 sequence=8$$)');
	$node->safe_psql('app', 'INSERT INTO t DEFAULT VALUES');
	my $dir = PostgreSQL::Test::Utils::tempdir;
	$node->command_ok([ 'pg_dump', '--create', '-f', "$dir/with", 'app' ], 'pg_dump --create');
	$node->command_ok([ 'pg_dump', '-f', "$dir/plain", 'app' ], 'pg_dump');
	like(slurp_file("$dir/with"), qr/ALTER DATABASE app SET "idgen.shards" TO '42'/, '--create keeps idgen.shards');
	unlike(slurp_file("$dir/plain"), qr/idgen.shards/, 'plain pg_dump does not');
	my $made = $node->safe_psql('app', 'SELECT id FROM t');
	$main->do('DROP DATABASE app');
	$node->command_ok([ 'psql', '-X', '-v', 'ON_ERROR_STOP=1', '-f', "$dir/with", 'postgres' ], 'restored');
	$node->safe_psql('app', 'INSERT INTO t DEFAULT VALUES');
	is($node->safe_psql('app', "SELECT count(*), min(id) = $made, min(id_shard(id)), max(id_shard(id)) FROM t"),
		'2|t|42|42', 'the restored database goes on, on its shard');
	is($node->safe_psql('app', 'SELECT layout FROM choice ORDER BY layout::text'),
		"epoch=2020-01-01T00:00:00Z unit=5ms time=40 sequence=8\njs53", 'layouts in columns are restored');

	# The shards survive a restart; IDs go on above.
	$node->restart;
	is($node->safe_psql('app', 'INSERT INTO t DEFAULT VALUES; SELECT count(*) = count(DISTINCT id) AND max(id_shard(id)) = 42 FROM t'),
		't', 'after a restart');

	# A server that did not load the library: reading works, making says what to do.
	my $bare = start_node('bare', preload => 0);
	my $session = connect_to($bare);
	is(value_of($session, 'SELECT id_shard(2574187014843321420)'), 2611, 'readers need no shared memory');
	if ($bare->pg_version >= 17)
	{
		ok(value_of($session, 'SELECT next_id(5)') > 0, 'from PostgreSQL 17 on makers need no preload');
	}
	else
	{
		fails_with($session, 'SELECT next_id(5)', '55000', qr/idgen is not loaded by the server/, 'makers without the library');
	}

	# Nor does it know idgen.keys: any value can be stored where every role can read it. A warning says that, and no such
	# key is ever taken.
	my $key = '1:' . 'ab' x 16;
	$bare->safe_psql('postgres', 'CREATE DATABASE keyed');
	$bare->safe_psql('postgres', "ALTER DATABASE keyed SET idgen.keys = '$key'");
	$bare->psql('keyed', 'CREATE EXTENSION idgen', stderr => \my $told);
	like($told, qr/WARNING:  idgen\.keys is set for a database or a role, where every role can read it\nDETAIL:.*\nHINT:.*RESET idgen\.keys.*new keys/,
		'keys in the catalogs: told by CREATE EXTENSION');
	$bare->psql('keyed', 'SELECT id_to_public(5)', stderr => \$told);
	like($told, qr/ERROR:  .*keys/, 'keys in the catalogs: not taken without the library');
	$bare->append_conf('postgresql.conf', "shared_preload_libraries = 'idgen'");
	$bare->restart;
	$bare->psql('keyed', 'SELECT id_to_public(5)', stderr => \$told);
	like($told, qr/ERROR:  .*keys/, 'keys in the catalogs: not taken with the library');
	$bare->stop;

	# The launch number of a database ends its DecimalIds.
	$node->safe_psql('postgres', 'ALTER DATABASE app SET idgen.decimal_launch = 31');
	is($node->safe_psql('app', 'SELECT (decimal_id_decode(next_decimal_id())).launch'), 31,
		'a database has its launch number');
	is($node->safe_psql('postgres', 'SELECT (decimal_id_decode(next_decimal_id())).launch'), 0,
		'another database has no launch number');

	# A standby makes no IDs until it is promoted.
	$node->append_conf('postgresql.conf', 'wal_level = replica');
	$node->append_conf('postgresql.conf', 'max_wal_senders = 4');
	$node->append_conf('pg_hba.conf', 'local replication all trust');
	$node->restart;
	$node->backup('base');
	my $standby = PostgreSQL::Test::Cluster->new('standby');
	$standby->init_from_backup($node, 'base', has_streaming => 1);
	$standby->start;
	my $on_standby = connect_to($standby, db => 'app');
	fails_with($on_standby, 'SELECT next_id()', '25006',
		qr/cannot make IDs during recovery\nDETAIL:.*\nHINT:.*promote/, 'a standby');
	is(value_of($on_standby, 'SELECT count(id_time(id)) FROM t'), 3, 'a standby reads');
	$standby->promote;
	is(value_of($on_standby, 'SELECT id_shard(next_id())'), 42, 'promoted, the same connection makes IDs');

	$_->disconnect for $early, $main, $late, $app, $session, $on_standby;
}

# Where a setting comes from: what is stored and refused is named, with the statement that mends it.
{
	my $node = start_node('stored', preload => 0, extension => 0);

	# The row of a key in idgen.status(), and the error of a draw, in a new connection.
	sub row
	{
		my ($key, @as) = @_;
		my $session = connect_to($node, @as);
		$session->do(q{SET client_min_messages = error});
		my $row = $session->selectrow_hashref('SELECT value, ok::int, advice FROM idgen.status() WHERE key = ?', undef, $key);
		$session->disconnect;
		return $row ? join ' | ', map { $_ // '' } @$row{qw(value ok advice)} : 'none';
	}

	sub error
	{
		my (@as) = @_;
		my $session = connect_to($node, @as);
		$session->do(q{SET client_min_messages = error});
		my $error = eval { $session->do('SELECT next_id()') } ? 'none' : $session->errstr;
		$session->disconnect;
		return $error =~ s/\s+\z//r;
	}
	sub shard_of_draw { return $node->safe_psql('postgres', 'SELECT id_shard(next_id())', extra_params => [ '-U', @_ ]) }
	my $reason = '"" is neither a shard number nor a range';

	# No session that has the library sees what is set before it is there.
	my $main = connect_to($node);
	$main->do("ALTER DATABASE postgres SET idgen.shards = '5,'");
	$main->do('CREATE EXTENSION idgen');
	$main->do($_) for 'CREATE ROLE clerk LOGIN', 'CREATE ROLE "Other one" LOGIN';
	my $mended = q{Set the shards of this node and reconnect, such as: ALTER DATABASE postgres SET idgen.shards = '5'};
	is(row('shards'), qq{idgen.shards is not set. The value "5," of ALTER DATABASE postgres is refused: $reason. | 0 | $mended}, 'stored before the library is loaded: idgen.status()');
	is(row('settings'), 'none', 'stored before the library is loaded: named once');
	$main->disconnect;
	$node->append_conf('postgresql.conf', "shared_preload_libraries = 'idgen'");
	$node->restart;
	$main = connect_to($node);
	my $said = qq{ERROR:  idgen.shards is not set\nDETAIL:  The value "5," of ALTER DATABASE postgres is refused: $reason.\nHINT:  $mended};
	is(error(), $said, 'stored before the library is loaded: a draw');
	is(error(), $said, 'stored before the library is loaded: reconnected');
	$main->do($mended =~ s/.*such as: //r);
	fails_with($main, 'SELECT next_id()', '55000', qr/HINT:  It was set for this database or role after this connection began: reconnect/,
		'mended since the connection began');
	is(shard_of_draw('postgres'), 5, 'mended by the statement of the hint');
	$main->do('ALTER DATABASE postgres RESET idgen.shards');

	# Has a value stored that ALTER refuses once the library is loaded.
	sub store
	{
		my ($whose, $name, $right, $wrong) = @_;
		$main->do("ALTER $whose SET $name = '$right'");
		is($main->do('UPDATE pg_db_role_setting SET setconfig = array_replace(setconfig, ?, ?) WHERE ? = ANY (setconfig)', undef, "$name=$right", "$name=$wrong", "$name=$right"), 1, "$whose: stored");
		return;
	}
	for my $whose ('DATABASE postgres', 'ROLE "Other one"', 'ROLE "Other one" IN DATABASE postgres', 'ROLE ALL')
	{
		store($whose, 'idgen.shards', '5', '1-2-3');
		my @as = (user => 'Other one');
		like(error(@as), qr/DETAIL:  The value "1-2-3" of ALTER $whose is refused: ".*" is neither a shard number nor a range\.\nHINT:.*: ALTER $whose SET idgen.shards = '5'$/,
			"refused for $whose: a draw");
		like(row('shards', @as), qr/^idgen\.shards is not set\. The value "1-2-3" of ALTER $whose is refused: .* \| 0 \| Set .*: ALTER $whose SET idgen.shards = '5'$/, "refused for $whose: idgen.status()");
		$main->do("ALTER $whose SET idgen.shards = '6'");
		is(shard_of_draw('Other one'), 6, "mended for $whose");
		is(row('shards', @as), "6; set by ALTER $whose | 1 | ", "idgen.status() names $whose");
		fails_with(connect_to($node, @as), 'SELECT next_id(9)', '22023', qr/DETAIL:  idgen\.shards is "6", set by ALTER $whose; idgen\.region is 0\./, "foreign for $whose");
		$main->do("ALTER $whose SET idgen.shards = ''");
		like(error(@as), qr/DETAIL:  ALTER $whose has set it to nothing\.\nHINT:  Set .*: ALTER $whose SET idgen.shards = '5'$/, "set to nothing for $whose");
		$main->do("ALTER $whose RESET idgen.shards");
	}

	# A role's own, as sessions of others see it.
	$main->do($_) for "ALTER DATABASE postgres SET idgen.shards = '5'", "ALTER ROLE clerk SET idgen.shards = '9'";
	is(row('shards'), '5; set by ALTER DATABASE postgres; ALTER ROLE clerk has "9" | 1 | ', q{another role's own});
	is(row('shards', user => 'clerk'), '9; set by ALTER ROLE clerk | 1 | ', 'the role itself');
	$main->do('ALTER ROLE clerk RESET idgen.shards');

	# It goes before what the server's files say.
	set_for_server($main, 'idgen.shards', '7');
	is(row('shards'), q{5; set by ALTER DATABASE postgres, which hides "7" of the server's configuration | 1 | }, 'hidden');
	$main->do('ALTER DATABASE postgres RESET idgen.shards');
	is(row('shards'), q{7; set by the server's configuration | 1 | }, 'no longer hidden');
	fails_with($main, 'SELECT next_id(9)', '22023', qr/idgen\.shards is "7", set by the server's configuration;/, 'foreign by the configuration');
	my $session = connect_to($node);
	$session->do(q{SET idgen.shards = ''});
	fails_with($session, 'SELECT next_id()', '55000', qr/HINT:  This session has set it to nothing: RESET idgen\.shards/, 'set to nothing by the session');
	$session->do(q{RESET idgen.shards});
	ok($session->do('SELECT next_id()'), 'the hint helps');
	$session->do(q{SET idgen.shards = '100000'});
	fails_with($session, 'SELECT next_id()', '22003', qr/DETAIL:  The layout has the shards 0 to 8191; idgen\.shards is "100000", set by this session\./, 'too large');
	$session->disconnect;

	# The server's files.
	$main->do('ALTER SYSTEM RESET idgen.shards');
	$node->append_conf('postgresql.conf', q{idgen.shards = '5,'});
	$node->restart;
	$main = connect_to($node);
	my $system = q{Set the shards of this node, such as: ALTER SYSTEM SET idgen.shards = '5'; SELECT pg_reload_conf()};
	is(error(), qq{ERROR:  idgen.shards is not set\nDETAIL:  The value "5," of the server's configuration is refused: $reason.\nHINT:  $system}, 'refused in postgresql.conf: a draw');
	is(row('shards'), qq{idgen.shards is not set. The value "5," of the server's configuration is refused: $reason. | 0 | $system}, 'refused in postgresql.conf: idgen.status()');
	my ($statement) = $system =~ /: (ALTER SYSTEM .*);/;
	$main->do($statement);
	like(error(), qr/HINT:  The server's configuration has it, and was not read since: SELECT pg_reload_conf\(\)$/, 'mended, and not read');
	$main->do('SELECT pg_reload_conf()');
	wait_until($main, q{SELECT current_setting('idgen.shards') = '5'});
	is(shard_of_draw('postgres'), 5, 'mended by the statements of the hint');
	$main->do('ALTER SYSTEM RESET idgen.shards');
	$main->disconnect;
	$node->stop;

	# The command line.
	my @start = ('pg_ctl', '-w', '-D', $node->data_dir, '-l', $node->logfile, '-o');
	system_or_bail(@start, q{-c 'idgen.shards=5;'}, 'start');
	$node->_update_pid(1);
	is(error(), qq{ERROR:  idgen.shards is not set\nDETAIL:  The value "5;" of the server's command line is refused: it is not a list of shards.\nHINT:  Correct it there, and restart.}, 'refused on the command line');
	$node->stop;
	system_or_bail(@start, q{-c idgen.shards=8}, 'start');
	$node->_update_pid(1);
	is(row('shards'), q{8; set by the server's command line | 1 | }, 'set on the command line');

	# Other settings that are stored and ignored.
	$main = connect_to($node);
	is(row('settings'), qq{idgen.shards of the server's configuration: invalid value for parameter "idgen.shards": "5," | 0 | Correct it in the file that pg_file_settings shows, then SELECT pg_reload_conf().}, 'refused in a file, and set elsewhere');
	$node->append_conf('postgresql.conf', q{idgen.shards = ''});
	is(row('settings'), 'none', 'nothing is refused');
	my $key = '1:' . 'ab' x 16;
	for my $case (
		[ 'idgen.overflow',       'wait', 'brrow',     'invalid value for parameter "idgen.overflow": "brrow"' ],
		[ 'idgen.region',         '0',    'north',     'invalid value for parameter "idgen.region": "north"' ],
		[ 'idgen.max_wait',       '5s',   '5 parsecs', 'invalid value for parameter "idgen.max_wait": "5 parsecs"' ])
	{
		my ($name, $right, $wrong, $message) = @$case;
		for my $whose ('DATABASE postgres', 'ROLE "Other one"')
		{
			store($whose, $name, $right, $wrong);
			is(row('settings'), "$name of ALTER $whose: $message | 0 | ALTER $whose RESET $name, or set a valid value.", "$name for $whose");
			$main->do("ALTER $whose RESET $name");
			is(row('settings'), 'none', 'the advice helps');
		}
	}
	store('ROLE clerk', 'idgen.overflow', 'wait', 'wait');
	$main->do(q{UPDATE pg_db_role_setting SET setconfig = '{idgen.shard=5}' WHERE setrole = 'clerk'::regrole});
	is(row('settings'), 'idgen.shard of ALTER ROLE clerk: there is no such setting here | 0 | ALTER ROLE clerk RESET idgen.shard.', 'no setting of that name');
	$main->do('ALTER ROLE clerk RESET idgen.shard');
	is(row('settings'), 'none', 'no setting of that name: the advice helps');
	store('DATABASE postgres', 'idgen.overflow', 'wait', 'brrow');
	store('ROLE ALL',          'idgen.region',   '0',    'x');
	like(row('settings'), qr/^idgen\.\w+ of ALTER .*; idgen\.\w+ of ALTER .* \| 0 \| ALTER .* RESET idgen\.\w+, or set a valid value\.$/, 'two are ignored');
	$main->do("ALTER $_") for 'DATABASE postgres RESET idgen.overflow', 'ROLE ALL RESET idgen.region';
	$node->append_conf('postgresql.conf', $_) for qq{idgen.keys = '$key,$key'}, q{idgen.lease_ttl = '1s'}, q{idgen.shard = '5'};
	like(row('settings'), qr/^idgen\.keys of the server's configuration: invalid value for parameter "idgen\.keys"; idgen\.lease_ttl of the server's configuration: .*"idgen\.lease_ttl": 1000; idgen\.shard of the server's configuration: there is no such setting here \| 0/,
		'refused in files');
	unlike(row('settings'), qr/abab/, 'no key is shown');

	# One that needs a restart is not wrong.
	$node->append_conf('postgresql.conf', $_) for 'idgen.keys = \'\'', 'idgen.lease_ttl = 10min', 'idgen.max_slots = 64', 'idgen.max_lead = 2s';
	is(row('settings'), q{idgen.shard of the server's configuration: there is no such setting here | 0 | Correct it in the file that pg_file_settings shows, then SELECT pg_reload_conf().}, 'what only waits for a restart or a reload is not ignored');
	$main->disconnect;
}

done_testing();
