# docs/reading.md does what it says, as it is typed there: the readers in psql and in PL/pgSQL, the queue, the recipe for a standby, the column for
# IDs that are given, here and on a subscriber, and the queries that name who holds readers back; and what docs/sql-only.md has in its place.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IdgenNode;
use IdgenPages;
use IdgenPair;
use IdgenSqlOnly;
use POSIX qw(_exit WNOHANG);
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $node = begin_primary('reading_page', 'max_prepared_transactions = 5', 'wal_level = logical');
my $standby = begin_standby($node, 'reading_page_standby', '+0');
my $main = connect_to($node);
my $event = 'CREATE TABLE event (id bigint PRIMARY KEY DEFAULT next_id(), what text)';
$main->do($event);

# Does something again until it is true, and not for ever.
sub repeat_until
{
	my ($is_done) = @_;
	for (1 .. 1000) { return if $is_done->(); sleep 0.02 }
	die 'it never came true';
}

# A reader in psql: the lines of a page, from a position on. Gives the rows, and where to go on.
sub psql_reads
{
	my ($on, $lines, $from) = @_;
	$lines =~ s/^\\set from 0$/\\set from $from/m or $lines = "\\set from $from\n$lines";
	my ($status, $out, $error) = $on->{node}->psql($on->{db} // 'postgres', "$lines\\echo from=:from upto=:upto\n", on_error_stop => 1);
	die "psql: $error" if $status || $error;
	my ($next, $upto) = $out =~ s/^from=(\d+) upto=(\d+)\n?//m ? ($1, $2) : die "psql gave no position: $out";
	return ([ $out =~ /^\d+\|(.*)$/mg ], $next, $upto);
}

# A late commit: what a reader in psql sees of two writers, the first of which commits last; and what a naive one does.
sub check_psql
{
	my ($what, $on, $lines) = @_;
	my ($first, $second) = map { connect_to($on->{node}, db => $on->{db} // 'postgres') } 1, 2;
	my $from = 0;
	my (@seen, $rows);
	my $read = sub { ($rows, $from, my $upto) = psql_reads($on, $lines, $from); $from = $upto if $upto > $from; push @seen, @$rows };
	$first->begin_work;
	$first->do("INSERT INTO event (what) VALUES ('late')");
	$second->do("INSERT INTO event (what) VALUES ('early')");
	my ($last, $early) = $second->selectrow_array('SELECT id, what FROM event ORDER BY id DESC LIMIT 1');
	is($early, 'early', "$what: a naive reader sees the second one");
	$read->() for 1 .. 3;
	is("@seen", '', "$what: this one waits");
	$first->commit;
	is(value_of($second, 'SELECT count(*) FROM event WHERE id > ?', $last), 0, "$what: a naive reader never sees the first one");
	$second->do("INSERT INTO event (what) VALUES ('next')");
	repeat_until(sub { $read->(); @seen >= 3 });
	is("@seen", 'late early next', "$what: nothing is lost");
	$read->();
	is("@seen", 'late early next', "$what: and nothing comes twice");
	return;
}

my $psql = block('reading', 'In psql', 'sql');
check_psql('psql', { node => $node }, $psql);
like($psql, qr/\Q${\ (block('reading', 'Reading by ID', 'sql') =~ s{^SELECT.*\n}{}mr) }\E/, 'the page begins with the same call');

# The procedure beside writers that commit late, of whom some roll back: each row is handled once. A reader that fails has read nothing.
sub write_events
{
	my ($session, $number) = @_;
	for my $round (1 .. 40)
	{
		$session->begin_work;
		$session->do("INSERT INTO event (what) VALUES ('$number')") for 1 .. 1 + $round % 3;
		sleep rand 0.02;
		$round % 5 ? $session->commit : $session->rollback;
	}
	return;
}

sub check_procedure
{
	$main->do('CREATE TABLE mail (id bigint PRIMARY KEY DEFAULT next_id(), event bigint, what text)');
	my ($make, $call) = block('reading', 'In PL/pgSQL', 'sql') =~ /\A(.*\n)(CALL read_events\('mailer'\);\n)\z/s or die 'the page does not end with its call';
	$node->safe_psql('postgres', $make);
	my $pid = fork // die "fork: $!";
	unless ($pid) { my $good = in_sessions($node, 4, \&write_events); _exit($good ? 0 : 1) }
	my ($calls, $handled) = (0);
	until (waitpid $pid, WNOHANG) { $node->safe_psql('postgres', $call); $calls++ }
	is($?, 0, 'PL/pgSQL: the writers succeed');
	cmp_ok($calls, '>', 3, 'PL/pgSQL: the reader reads beside them');
	my $left = 'FROM event WHERE id NOT IN (SELECT event FROM mail)';
	my $before = value_of($main, "SELECT count(*) $left");
	$main->begin_work;
	$main->do('CALL read_events(?)', undef, 'mailer');
	$main->rollback;
	is(value_of($main, "SELECT count(*) $left"), $before, 'PL/pgSQL: a reader that fails has read nothing');
	repeat_until(sub { $main->do('CALL read_events(?)', undef, 'mailer'); value_of($main, "SELECT count(*) = 0 $left") });
	is(value_of($main, 'SELECT count(*) FROM mail'), value_of($main, 'SELECT count(*) FROM event'), 'PL/pgSQL: each row once');
	is(value_of($main, 'SELECT count(DISTINCT event) FROM mail'), value_of($main, 'SELECT count(*) FROM event'), 'PL/pgSQL: and every row');
	return;
}
check_procedure();

# Workers share a queue beside writers that commit late: each job is done once, and all are.
sub check_queue
{
	my $take = block('reading', 'Several readers, and queues', 'sql') =~ s/;\s*\z//r;
	$main->do('CREATE TABLE job (id bigint PRIMARY KEY DEFAULT next_id(), what text)');
	$main->do('CREATE TABLE done (id bigint)');
	my $work = sub {
		my ($session, $number) = @_;
		for my $round (1 .. 30)
		{
			$session->begin_work;
			$session->do('INSERT INTO job DEFAULT VALUES') for 1 .. 4;
			sleep rand 0.01;
			$session->commit;
			$session->begin_work;
			$session->do('INSERT INTO done VALUES (?)', undef, $_->[0]) for @{ $session->selectall_arrayref($take) };
			sleep rand 0.01;
			$session->commit;
		}
		return;
	};
	ok(in_sessions($node, 4, $work), 'queue: the workers succeed');
	while (my @jobs = @{ $main->selectall_arrayref($take) }) { $main->do('INSERT INTO done VALUES (?)', undef, $_->[0]) for @jobs }
	is(join(' ', $main->selectrow_array('SELECT count(*), count(DISTINCT id) FROM done')), '480 480', 'queue: each job is done once');
	return;
}
check_queue();

# The standby is behind: it says so, and has all the rows when it says that it may read.
sub check_standby
{
	my ($here, $there) = grep { $_->{section} eq 'On a standby' } blocks('reading');
	my ($may_read, $read) = $there->{text} =~ /\A(.*?;\n)(.*;\n)\z/s or die 'the page does not ask before it reads';
	my $conninfo = sprintf q{\c "host=%s port=%d dbname=postgres"}, $standby->host, $standby->port;
	wait_for_replay($node, $standby);
	my $asleep = connect_to($standby);
	my $from = value_of($main, 'SELECT max(id) + 1 FROM event');
	$asleep->do('SELECT pg_wal_replay_pause()');
	$main->do("INSERT INTO event (what) VALUES ('replicated')");
	repeat_until(sub { settled_past($from) });
	my $script = "\\set from $from\n$here->{text}$conninfo\n$may_read";
	is($node->safe_psql('postgres', "$script$read"), 'f', 'standby: while it is behind, it may not be read');
	$asleep->do('SELECT pg_wal_replay_resume()');
	$may_read =~ s/;\n\z/ \\gset\n/;
	my $loop = "\\set from $from\n$here->{text}$conninfo\n" . ("$may_read\\if :may_read\n\\else\nSELECT pg_sleep(0.1) \\gset\n\\endif\n" x 100);
	like($node->safe_psql('postgres', "$loop\\echo :may_read\n$read"), qr/\At\n\d+\|replicated\z/, 'standby: then it has the row');
	my (undef, undef, $error) = $standby->psql('postgres', 'CALL id_settled()');
	like($error, qr/cannot call id_settled\(\) during recovery.*HINT: +Call it on the primary, then pg_current_wal_insert_lsn/s, 'standby: the call itself is refused');
	return;
}
sub settled_past { my ($id) = @_; return value_of($main, 'CALL id_settled()') > $id + (1 << 23) }
check_standby();

# Rows with IDs of earlier, by id_make and by COPY, and rows that replication brings: a reader by a column of its own gets each of them once.
sub check_given
{
	my ($make, $lines) = map { block('reading', 'IDs that are given', 'sql', $_) } qr/^ALTER/, qr/^CALL/;
	$node->safe_psql('postgres', $make);
	my ($from, @seen) = (0);
	my $read_from = sub { my ($on) = @_; (my $rows, undef, my $upto) = psql_reads($on, $lines, $from); $from = $upto if $upto > $from; push @seen, @$rows };
	my $given = connect_to($node);
	$given->begin_work;
	$given->do(q{INSERT INTO event (id, what) VALUES (id_make('2020-01-01', 5, 0), 'made')});
	$main->do("INSERT INTO event (what) VALUES ('drawn')");
	$read_from->({ node => $node }) for 1 .. 3;
	is("@seen", '', 'IDs that are given: a reader waits for the transaction that stores one');
	$given->do('COPY event (id, what) FROM STDIN');
	$given->pg_putcopydata("7\tcopied\n");
	$given->pg_putcopyend;
	$given->commit;
	repeat_until(sub { $read_from->({ node => $node }); @seen >= 3 });
	is("@seen", 'made drawn copied', 'IDs that are given: nothing is lost, whatever its ID is');
	$read_from->({ node => $node });
	is(scalar @seen, 3, 'IDs that are given: and nothing comes twice');

	my $subscriber = start_node('reading_subscriber', conf => ["idgen.shards = '6'"]);
	$subscriber->safe_psql('postgres', "$event;\n$make");
	$main->do('CREATE PUBLICATION events FOR TABLE event (id, what)');
	$subscriber->safe_psql('postgres', sprintf q{CREATE SUBSCRIPTION events CONNECTION '%s' PUBLICATION events}, $node->connstr('postgres') =~ s/'/''/gr);
	my $at_origin = sub { return value_of($main, 'SELECT count(*) FROM event') };
	($from, @seen) = (0);
	repeat_until(sub { $read_from->({ node => $subscriber }); @seen >= $at_origin->() });
	my ($late, $early) = map { connect_to($node) } 1, 2;
	$late->begin_work;
	$late->do("INSERT INTO event (what) VALUES ('late')");
	$early->do("INSERT INTO event (what) VALUES ('early')");
	repeat_until(sub { $read_from->({ node => $subscriber }); ($seen[-1] // '') eq 'early' });
	my $last = value_of($early, q{SELECT id FROM event WHERE what = 'early' ORDER BY id DESC LIMIT 1});
	$late->commit;
	repeat_until(sub { $read_from->({ node => $subscriber }); $seen[-1] eq 'late' });
	is($subscriber->safe_psql('postgres', "SELECT count(*) FROM event WHERE id > $last"), 0, 'a subscriber: by its ID the row that came late would be lost');
	is(scalar @seen, $at_origin->(), 'a subscriber: by a column of its own every row comes once');
	$subscriber->stop;
	return;
}
check_given();

# Who holds readers back: a session, and a prepared transaction.
sub check_holders
{
	my ($status, $holders) = block('reading', 'What holds it back', 'sql') =~ /\A(.*?;\n)(.*;\n)\z/s or die 'the page has no two queries';
	my $writer = connect_to($node);
	$writer->begin_work;
	$writer->do("INSERT INTO event (what) VALUES ('open')");
	my $pid = $writer->{pg_pid};
	like($node->safe_psql('postgres', $status), qr/\bsession $pid\b|\b$pid\b/, 'the first query names the session');
	like($node->safe_psql('postgres', $holders), qr/\A$pid\|\w+\|[^|]+\|[^|]+\|\|\z/, 'the second shows it');
	$writer->do(q{PREPARE TRANSACTION 'held'});
	like($node->safe_psql('postgres', $status), qr/\bheld\b/, 'the first query names a prepared transaction');
	like($node->safe_psql('postgres', $holders), qr/\A\|\|[^|]+\|[^|]+\|\d+\|held\z/, 'the second shows it');
	$main->do(q{ROLLBACK PREPARED 'held'});
	is($node->safe_psql('postgres', $holders), '', 'and then nothing');
	return;
}
check_holders();

# The edition in SQL alone.
sub check_sql_only
{
	$node->safe_psql('postgres', 'CREATE DATABASE plain');
	install_sql_only($node, 'plain');
	set_shards(connect_to($node, db => 'plain'), '5');
	$node->safe_psql('plain', $event =~ s/next_id/idgen_sql.next_id/r);
	check_psql('SQL alone', { node => $node, db => 'plain' }, block('sql-only', 'Reading by ID', 'sql') =~ s/^SELECT \*/SELECT id, what/mr);
	return;
}
check_sql_only();

done_testing();
