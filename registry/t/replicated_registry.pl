# A registry that gets the rows of another one by logical replication keeps its own: it gives no shard and no number again. As an extension, and
# from the plain file.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenLease;
use IdgenNode;
use PostgreSQL::Test::Utils;
use Test::More;

my @conf = ('max_logical_replication_workers = 8', 'wal_retrieve_retry_interval = 200ms');
my ($from, $to) = map { start_registry($_, init => { allows_streaming => 'logical' }, conf => \@conf) } qw(publisher subscriber);
for my $node ($from, $to)
{
	$node->safe_psql('postgres', 'CREATE ROLE keeper LOGIN; GRANT SET ON PARAMETER session_replication_role TO keeper');
	make_plain($node, 'plain');
}
check_replication('postgres', 'true');
check_replication('plain', 'false');
check_triggers();
check_restore();
done_testing();

# A database with the plain file, both of an ordinary role.
sub make_plain
{
	my ($node, $db) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $db OWNER keeper");
	$node->command_ok([ qw(psql -X -q -U keeper -v ON_ERROR_STOP=1 -d), $db, '-f', "$FindBin::Bin/../../sql/idgen_registry.sql" ], "the plain file: $db");
	return;
}

# All that a registry knows.
sub content
{
	my ($session, @tables) = @_;
	return join "\n", map { "$_: " . (value_of($session, "SELECT jsonb_agg(t ORDER BY t) FROM idgen_registry.$_ t") // 'empty') } @tables ? @tables : qw(creation registry lease counter);
}

# As a restore with --disable-triggers leaves them.
sub turn_on
{
	my ($session) = @_;
	for my $table (qw(creation registry lease counter))
	{
		$session->do("ALTER TABLE idgen_registry.$table $_ TRIGGER ALL") for qw(DISABLE ENABLE);
	}
	return;
}

sub state_of_triggers { my ($session) = @_; return value_of($session, q{SELECT string_agg(DISTINCT tgenabled::text, '') FROM pg_trigger WHERE tgname IN ('keep_own', 'keep_all')}) }

sub next_of { my ($session) = @_; return value_of($session, q{CALL idgen_registry.next_range('invoice', 10)}) }

sub claimed
{
	my ($session, $secret) = @_;
	return value_of($session, 'SELECT outcome FROM idgen_registry.claim(idgen_registry.identity(), 7, 0, ?, ?, 3600000, ?, ?, 1)', $secret, $secret, "node $secret", $secret);
}

# Two registries that both gave shard 7 and numbers of a counter, and a publication of all tables of the one.
sub check_replication
{
	my ($db, $copies) = @_;
	my ($publisher, $subscriber) = map { connect_to($_, db => $db) } $from, $to;
	for my $session ($publisher, $subscriber)
	{
		$session->do($_) for q{SELECT idgen_registry.create_counter('invoice')}, 'CREATE TABLE photo (id bigint PRIMARY KEY)';
	}
	is(claimed($publisher, 11), 'granted', "$db: the one has given the shard");
	is(claimed($subscriber, 21), 'granted', "$db: so has the other");
	is(next_of($subscriber), '[1,11)', "$db: and numbers");
	turn_on($subscriber);
	fails_with($subscriber, "SELECT idgen_registry.$_", '55000', qr/has been copied or restored.*--disable-triggers.*idgen_registry\.advance\(\) makes it safe to use, also after a switch by logical replication/s, "$db: triggers that a restore turned on: $_")
	  for q{take_range('invoice', 1)}, q{create_counter('other')}, 'identity()', 'claim((SELECT identity FROM idgen_registry.registry), 7, 0, 21, 21, 3600000, $$$$, 1, 1)';
	is(state_of_triggers($subscriber), 'O', "$db: no such call turns them on");
	$subscriber->do('SELECT idgen_registry.confirm_home()');
	is(state_of_triggers($subscriber), 'R', "$db: confirm_home() turns them on");
	my $before = content($subscriber);
	$publisher->do("CREATE PUBLICATION everything FOR ALL TABLES");
	$subscriber->do("CREATE SUBSCRIPTION of_$db CONNECTION " . $subscriber->quote($from->connstr($db)) . " PUBLICATION everything WITH (copy_data = $copies)");
	wait_for('all tables', sub { value_of($subscriber, q{SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel}) });
	is(content($subscriber), $before, "$db: no row comes with the subscription");

	$publisher->do($_)
	  for q{SELECT idgen_registry.take_range('invoice', 2)}, q{SELECT idgen_registry.create_counter('other')}, 'SELECT idgen_registry.set_largest_number(5)', 'DELETE FROM idgen_registry.lease', 'INSERT INTO photo VALUES (1)';
	wait_for('a row', sub { value_of($subscriber, 'SELECT count(*) FROM photo') == 1 });
	is(content($subscriber), $before, "$db: rows that are inserted, updated and deleted there change nothing here");
	is(claimed($subscriber, 31), 'refused', "$db: the shard is held");
	is(next_of($subscriber), '[11,21)', "$db: no number comes again");

	# The subscription goes on as the HINT says.
	for my $table (qw(lease counter))
	{
		my ($seen, $lsn) = (-s $to->logfile);
		my $kept = content($subscriber);
		my $rows = value_of($subscriber, 'SELECT count(*) FROM photo');
		$publisher->do("TRUNCATE idgen_registry.$table");
		$publisher->do('INSERT INTO photo SELECT max(id) + 1 FROM photo');
		my $stopped = qr/ERROR:  replication must not empty idgen_registry\.$table\n.*?HINT:.*?ALTER SUBSCRIPTION \.\.\. SKIP.*?CONTEXT:.*?finished at ([0-9A-F]+\/[0-9A-F]+)/s;
		ok(eval { wait_for('an error', sub { ($lsn) = slurp_file($to->logfile, $seen) =~ $stopped }, 20) }, "$db: a TRUNCATE of $table stops the subscription, and the error says where");
		is(content($subscriber), $kept, "$db: a TRUNCATE of $table empties nothing here");
		$subscriber->do("ALTER SUBSCRIPTION of_$db SKIP (lsn = '$lsn')") if $lsn;
		wait_for('another row', sub { value_of($subscriber, 'SELECT count(*) FROM photo') == $rows + 1 });
	}
	is(claimed($subscriber, 31), 'refused', "$db: the shard is still held");
	is(next_of($subscriber), '[21,31)', "$db: still no number comes again");

	# A trigger that replication fires takes a range once its function has what the HINT says.
	$subscriber->do($_) for q{SELECT idgen_registry.create_counter('fired')},
	  q{CREATE FUNCTION public.takes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM idgen_registry.take_range('fired', 7); RETURN NEW; END $$},
	  'CREATE TRIGGER takes BEFORE INSERT ON photo FOR EACH ROW EXECUTE FUNCTION takes()', 'ALTER TABLE photo ENABLE ALWAYS TRIGGER takes';
	my $seen = -s $to->logfile;
	my $rows = value_of($subscriber, 'SELECT count(*) FROM photo');
	$publisher->do('INSERT INTO photo SELECT max(id) + 1 FROM photo');
	my $refused = qr/ERROR:  a registry is not changed where session_replication_role is replica\n.*?HINT:  .*?(ALTER FUNCTION) \.\.\. (SET session_replication_role = origin)\./s;
	my @words = wait_for('an error', sub { slurp_file($to->logfile, $seen) =~ $refused ? [ $1, $2 ] : 0 })->@*;
	$subscriber->do(join ' takes() ', @words);
	wait_for('a row', sub { value_of($subscriber, 'SELECT count(*) FROM photo') == $rows + 1 });
	is(value_of($subscriber, q{SELECT last FROM idgen_registry.counter WHERE name = 'fired'}), 7, "$db: a trigger that replication fires takes a range as the HINT says");
	$subscriber->do("DROP SUBSCRIPTION of_$db");

	# What a call writes in such a session would not be kept.
	$subscriber->do('SET session_replication_role = replica');
	fails_with($subscriber, "SELECT $_", '55000', qr/a registry is not changed where session_replication_role is replica/, "$db: a session that replicates: $_")
	  for q{idgen_registry.take_range('invoice', 1)}, q{idgen_registry.drop_counter('invoice')}, 'idgen_registry.advance()', 'idgen_registry.release(7)', 'idgen_registry.identity()';
	$_->disconnect for $publisher, $subscriber;
	return;
}

# The triggers are in a dump of the plain file's tables, and do no harm if they are on for every session, as pg_restore --disable-triggers leaves
# them.
sub check_triggers
{
	my $triggers = q{SELECT string_agg(concat_ws(' ', tgenabled, pg_get_triggerdef(oid)), E'\n' ORDER BY pg_get_triggerdef(oid)) FROM pg_trigger WHERE NOT tgisinternal};
	my $dump = PostgreSQL::Test::Utils::tempdir . '/dump';
	$to->safe_psql('postgres', 'CREATE DATABASE restored');
	$to->command_ok([ qw(pg_dump --no-publications --no-subscriptions -d plain -f), $dump ], 'a dump');
	$to->command_ok([ qw(psql -X -q -v ON_ERROR_STOP=1 -d restored -f), $dump ], 'a dump: restored');
	my ($plain, $restored, $extension) = map { connect_to($to, db => $_) } qw(plain restored postgres);
	is(scalar(() = value_of($plain, $triggers) =~ /^R CREATE TRIGGER/mg), 8, 'each table that a publication can have is kept');
	is(value_of($_, $triggers), value_of($plain, $triggers), 'the same triggers: ' . $_->{pg_db}) for $restored, $extension;
	turn_on($plain);
	$plain->do($_) for 'SELECT idgen_registry.advance()', q{SELECT idgen_registry.advance_counter('invoice', 31)};
	is(state_of_triggers($plain), 'R', 'advance() turns them on');
	turn_on($plain);
	is(value_of($plain, 'SELECT idgen_registry.release(7)'), 0, 'triggers that are on for every session: what grants nothing works');
	$plain->do(q{UPDATE idgen_registry.counter SET last = 40 WHERE name = 'invoice'});
	$plain->do('SELECT idgen_registry.confirm_home()');
	is(next_of($plain), '[41,51)', 'triggers that are on for every session: they drop nothing there');
	$_->disconnect for $plain, $restored, $extension;
	return;
}

# What a client restores in the mode of a replica is kept: of the extension, whose triggers come before the rows, and of a plain file's tables.
sub check_restore
{
	my $dump = PostgreSQL::Test::Utils::tempdir . '/rows';
	local $ENV{PGOPTIONS} = '-c session_replication_role=replica';
	my @restore = qw(psql -X -q -v ON_ERROR_STOP=1);
	my @tables = qw(registry lease counter);
	$to->safe_psql('postgres', 'CREATE DATABASE extension_again');
	$to->command_ok([ qw(pg_dump --no-publications --no-subscriptions -d postgres -f), $dump ], 'a dump of the extension');
	$to->command_ok([ @restore, qw(-d extension_again -f), $dump ], 'a dump of the extension: restored');
	$to->command_ok([ qw(pg_dump -a -d plain -f), $dump, map { ('-t', "idgen_registry.$_") } @tables ], 'a dump of rows');
	my %from = (extension_again => 'postgres');
	for ([ 'by_owner', '-U', 'keeper' ], [ 'by_superuser' ], [ 'by_role', '-c', 'SET ROLE keeper' ])
	{
		my ($db, @who) = @$_;
		$from{$db} = 'plain';
		{
			local $ENV{PGOPTIONS} = '';
			make_plain($to, $db);
		}
		$to->command_ok([ @restore, '-d', $db, @who, '-f', $dump ], "a dump of rows: restored $db");
	}
	local $ENV{PGOPTIONS} = '';
	for my $db (sort keys %from)
	{
		my ($origin, $restored) = map { connect_to($to, db => $_) } $from{$db}, $db;
		is(content($restored, @tables), content($origin, @tables), "$db: each row has come");
		fails_with($restored, q{SELECT idgen_registry.take_range('invoice', 1)}, '55000', qr/has been copied or restored/, "$db: a copy");
		$_->disconnect for $origin, $restored;
	}
	return;
}
