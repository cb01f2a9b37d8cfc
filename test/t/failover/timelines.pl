# Without an archive two promotions can take the same number of timeline, and then two servers have one identity.
# Nothing rests on these numbers being unique: each promoted server goes on above all that went before it, and with a
# registry each takes a number of its own.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../../registry/t/lib";
use File::Copy;
use IdgenClients qw();
use IdgenLease;
use IdgenNode;
use IdgenPair;
use IdgenStore;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my @for_rewind = ('wal_log_hints = on', 'wal_keep_size = 1GB', 'autovacuum = off');
my @settings = ('postgresql.conf', 'postgresql.auto.conf');

sub timeline_of { my ($node) = @_; return $node->safe_psql('postgres', q{SELECT ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int}) }

# Passes if a server is on that timeline, which its log says that it has just selected.
sub is_promoted_to
{
	my ($node, $timeline, $what) = @_;
	is(timeline_of($node), $timeline, "$what is on timeline $timeline");
	my ($selected) = reverse slurp_file($node->logfile) =~ /selected new timeline ID: (\d+)/g;
	return is($selected, $timeline, "$what has selected it itself");
}

# Starts standbys of a server from a copy that was made while it was stopped: only the timeline distinguishes them from
# it once they are promoted. A clock is theirs.
sub standbys_of
{
	my ($origin, $clock, @names) = @_;
	$origin->stop;
	$origin->backup_fs_cold($names[0]);
	start_again($origin);
	return map { begin_copy($origin, $names[0], $clock, $_) } @names;
}

sub begin_copy
{
	my ($origin, $backup, $clock, $name) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init_from_backup($origin, $backup, has_streaming => 1);
	give_clock($node, $clock) if $clock;
	start_again($node);
	return $node;
}

# What pg_rewind says that makes a server that has crashed a standby of another; its own settings stay.
sub rewind_onto
{
	my ($source, $node, $what) = @_;
	copy($node->data_dir . "/$_", $node->basedir . "/$_") or die "$_: $!" for @settings;
	my @command = ('pg_rewind', '--source-server', $source->connstr('postgres'), '--target-pgdata', $node->data_dir, '--no-sync');
	IPC::Run::run(\@command, '&>', \my $said);
	is($?, 0, "$what: pg_rewind");
	copy($node->basedir . "/$_", $node->data_dir . "/$_") or die "$_: $!" for @settings;
	note "$what: $said";
	return $said;
}

# Makes a server that has crashed a standby of another by pg_rewind, and starts it.
sub follow_again
{
	my ($source, $node, $what) = @_;
	like(rewind_onto($source, $node, $what), qr/Done!/, "$what is rewound");
	# What cut it off.
	$node->adjust_conf('postgresql.auto.conf', 'primary_conninfo', undef);
	$node->enable_streaming($source);
	start_again($node);
	wait_for_replay($source, $node);
	return;
}

# Draws ahead of the clock as far as borrowing goes, few a tick. Gives the highest ID of the default layout that it can
# have reached, and the clock by then, unix s.
sub lead_built_up
{
	my ($node, $made) = @_;
	my $session = connect_to($node);
	$session->do('SET idgen.overflow = borrow');
	my @ids = (draw($session, 5000), draw_few($session, 3000));
	my $highest = $ids[-1] >> 14 << 23 | 0x7fffff;
	my $now = value_of($session, 'SELECT extract(epoch FROM clock_timestamp())');
	return ($highest, $now, repeated($made, @ids[ 0 .. 4999 ]));
}

# A server makes IDs ahead of its clock and dies. The one that is promoted in its place knows none of them, goes on at
# the same moment by a clock that is behind, and makes its IDs above, also if the extension is created again before the
# first of them. Its timeline is number 2. Gives the line that the readers of the trials know it by, which is of seconds.
sub succeed
{
	my ($made, $old, $new, $what, %option) = @_;
	my ($highest, $now, $repeats) = lead_built_up($old, $made);
	is($repeats, 0, "$what: the one before it makes none again");
	crash($old);
	# CREATE EXTENSION also begins above the last checkpoint, which is that of the promotion.
	my $go_behind = sub { return set_clock($new, sprintf '%+.3f', $now - time - clock_offset() - 0.4) };
	$go_behind->() if $option{creates_again};
	sleep 1;
	$new->promote;
	$go_behind->();
	my $session = connect_to($new);
	if ($option{creates_again}) { $session->do($_) for 'DROP EXTENSION idgen', 'CREATE EXTENSION idgen' }
	my @ids = draw($session, 5000);
	is(repeated($made, @ids), 0, "$what: none again");
	cmp_ok($ids[0], '>', $highest, "$what: above all that was made before");
	is_promoted_to($new, 2, $what);
	return value_of($session, 'SELECT ' . IdgenClients::line());
}

# Three promotions to timeline 2, one server alive at a time: a standby that knows nothing of the first one; and the
# very server of the first one, made a standby of the old primary again.
{
	my %made;
	my $primary = start_node('primary', fake_clock => 1, init => { allows_streaming => 1 }, conf => [ "idgen.shards = '5'", @for_rewind ]);
	draw(connect_to($primary), 10);
	my ($first, $second) = standbys_of($primary, '+0', 'first', 'second');
	for my $standby ($first, $second) { wait_for_replay($primary, $standby); cut_off($standby) }
	my @lines = succeed(\%made, $primary, $first, 'the first promoted');

	# The old primary again, on timeline 1. It is not promoted: an administrator says how far its successor was.
	my ($highest, $now, $repeats) = lead_built_up($first, \%made);
	is($repeats, 0, 'the first promoted goes on: none again');
	crash($first);
	set_clock($primary, sprintf '%+.3f', $now - time - clock_offset() - 0.4);
	start_again($primary);
	my $session = connect_to($primary);
	$session->do(q{SELECT idgen.advance(id_time(?) + interval '1 ms')}, undef, $highest);
	my @ids = draw($session, 5000);
	is(repeated(\%made, @ids), 0, 'the old primary, told by hand: none again');
	cmp_ok($ids[0], '>', $highest, 'the old primary, told by hand: above');
	is(timeline_of($primary), 1, 'the old primary is on timeline 1');
	$session->disconnect;

	set_clock($first, '+0');
	follow_again($primary, $first, 'the first promoted');
	cut_off($first);
	push @lines, succeed(\%made, $primary, $first, 'the first promoted once more');

	push @lines, succeed(\%made, $first, $second, 'the second promoted, with the extension created again', creates_again => 1);
	is(join(' ', map { $_ >> 40 } @lines), '2 2 2', 'the trials know the number of a line');
	is(keys %{ { map { $_ => 1 } @lines } }, 3, 'and three lines of one number as three');

	# The server finds nothing to rewind between two timelines of one number. Made again as a standby of the other, it
	# is promoted to a higher one.
	$second->safe_psql('postgres', 'CHECKPOINT');
	like(rewind_onto($second, $first, 'the same number'), qr/no rewind required/,
		'pg_rewind takes the two for one history');
	# What cut the second off goes, so that the third hears of what is written from now on.
	$second->adjust_conf('postgresql.auto.conf', 'primary_conninfo', undef);
	my ($third) = standbys_of($second, '+0', 'third');
	wait_for_replay($second, $third);
	cut_off($third);
	($highest, $now, $repeats) = lead_built_up($second, \%made);
	crash($second);
	$third->promote;
	set_clock($third, sprintf '%+.3f', $now - time - clock_offset() - 0.4);
	@ids = draw(connect_to($third), 5000);
	is($repeats + repeated(\%made, @ids), 0, 'a standby of the second promoted: none again');
	cmp_ok($ids[0], '>', $highest, 'a standby of the second promoted: above');
	is_promoted_to($third, 3, 'a standby of the second');
	$third->stop('immediate');
}

# A server dies as it is promoted, when it is no longer a standby and its new timeline does not count yet: it goes on as
# a primary on the timeline of the one before it. What distinguishes them is the backup that it began as; also if it
# dies again before its first ID.
{
	my %made;
	my $primary = start_node('before', fake_clock => 1, init => { allows_streaming => 1 }, conf => [ "idgen.shards = '5'", @for_rewind ]);
	draw(connect_to($primary), 10);
	$primary->backup('base');
	my $standby = begin_copy($primary, 'base', '+0', 'halfway');
	wait_for_replay($primary, $standby);
	cut_off($standby);
	my ($highest, $now, $repeats) = lead_built_up($primary, \%made);
	crash($_) for $primary, $standby;
	unlink $standby->data_dir . '/standby.signal' or die "standby.signal: $!";
	start_again($standby);
	crash($standby);
	start_again($standby);
	set_clock($standby, sprintf '%+.3f', $now - time - clock_offset() - 0.4);
	my @ids = draw(connect_to($standby), 5000);
	is($repeats + repeated(\%made, @ids), 0, 'half promoted: none again');
	cmp_ok($ids[0], '>', $highest, 'half promoted: above all that was made before');
	is(timeline_of($standby), 1, 'half promoted: on the timeline of the one before');
	$standby->stop('immediate');
}

# Two promotions to timeline 2 with shards from a registry: all are alive at once, and the old primary makes IDs
# throughout.
for my $kind (store_kinds())
{
	my $store = begin_store($kind);
	my %setting = ('idgen.lease_ttl' => '1h', 'idgen.max_lead' => '5s');
	my $primary = start_leased("$kind-primary", $store->{address}, init => { allows_streaming => 1 }, setting => \%setting, conf => \@for_rewind);
	my $session = connect_to($primary);
	my %made;
	repeated(\%made, wait_for_id($session));
	$session->disconnect;
	my @promoted = standbys_of($primary, undef, "$kind-first", "$kind-second");
	$session = connect_to($primary);
	my $drawing = begin_drawing($primary);
	$_->promote for @promoted;
	my @sessions = map { connect_to($_) } @promoted;
	my $repeats = repeated(\%made, map { wait_for_id($_), ids_of($_, 1000) } @sessions, @sessions);
	is_promoted_to($promoted[$_], 2, "$kind: promoted server $_") for 0, 1;
	my @numbers = map { number_of($_) } $session, @sessions;
	is(keys %{ { map { $_ => 1 } @numbers } }, 3, "$kind: three servers alive, three numbers: @numbers");

	# The first is rewound onto the primary, and promoted once more.
	$sessions[0]->disconnect;
	crash($promoted[0]);
	follow_again($primary, $promoted[0], "$kind: the first promoted");
	$promoted[0]->promote;
	$sessions[0] = connect_to($promoted[0]);
	$repeats += repeated(\%made, map { wait_for_id($_), ids_of($_, 1000) } @sessions);
	is_promoted_to($promoted[0], 2, "$kind: the first promoted once more");
	my $number = number_of($sessions[0]);
	ok(!grep({ $_ == $number } @numbers), "$kind: the first promoted once more has a new number: $number");
	push @numbers, $number;

	# A standby of the second, whose record of its number it has.
	$sessions[1]->disconnect;
	my ($third) = standbys_of($promoted[1], undef, "$kind-third");
	$sessions[1] = connect_to($promoted[1]);
	wait_for_replay($promoted[1], $third);
	$third->promote;
	my $on_third = connect_to($third);
	$repeats += repeated(\%made, map { wait_for_id($_), ids_of($_, 1000) } $on_third, $session, @sessions);
	is_promoted_to($third, 3, "$kind: a standby of the second");
	$number = number_of($on_third);
	ok(!grep({ $_ == $number } @numbers), "$kind: a standby of the second has a new number: $number");

	is($repeats + repeated(\%made, end_drawing($drawing)), 0, "$kind: no ID twice");
	is(told($_, 'has lost shard'), 0, "$kind: " . $_->name . ' keeps its number') for $primary, @promoted, $third;
	$_->disconnect for $session, @sessions, $on_third;
	$_->stop('immediate') for $primary, @promoted, $third;
	$store->{stop}->('immediate');
}

done_testing();
