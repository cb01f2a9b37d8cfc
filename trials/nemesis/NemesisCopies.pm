# Faults that copy, restore or recreate databases and servers; and machines that are resumed from a snapshot of their
# memory, as far as one machine can show it: a server stands still, its disk is copied, the word by which its host tells
# of copies changes, and it goes on with its memory; the copy starts from the disk, and reads the same word.
package NemesisCopies;

use strict;
use warnings;

use Exporter qw(import);
use File::Path qw(remove_tree);
use List::Util qw(shuffle);
use NemesisServer;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(sleep time);

our @EXPORT = qw(copy_faults);

sub copy_faults
{
	return (
		recreate_database => { modes => 'sayrc', own => 1, right => 1, exact => 1, strike => \&_recreate_database },
		swap_template     => { modes => 'sayrc', right => 1, strike => \&_swap_template },
		dump_and_restore  => { modes => 'sayrc', own => 1, right => 1, exact => 1, strike => \&_dump_and_restore },
		base_backup       => { modes => 's', brief => 1, not_beside => 'base_backup', strike => \&_base_backup },
		pitr_end          => { modes => 's', weight => 2, right => 1, not_beside => 'base_backup', strike => _recovered('') },
		pitr_earlier      => { modes => 's', weight => 2, right => 1, not_beside => 'base_backup', strike => _recovered(q{recovery_target = 'immediate'}) },
		copy_hot          => { modes => 'c', weight => 2, strike => \&_copy_hot },
		copy_backup       => { modes => 'c', weight => 2, strike => _copy_backup(sub { }) },
		copy_promoted     => { modes => 'c', weight => 2, strike => _copy_backup(sub { my ($copy) = @_; append_to_file("$copy->{data}/recovery.signal", ''); $copy->configure(q{restore_command = 'false'}) }) },
		copy_identified   => { modes => 'c', weight => 2, strike => _copy_backup(\&_identify) },
		copy_killed       => { modes => 'c', strike => sub { my ($world) = @_; return scalar grep { $_->kill_all } $world->of_role('copy') } },
		machine_moved     => { modes => 'sayrcm', own => 1, brief => 1, strike => sub { $_[0]{primary}->tell_disruption } },
		machine_copied    => { modes => 'src', own => 1, right => 1, weight => 4, awaits => qr/clock|freeze|frozen|base_backup|registry|keeper|number|lease/, strike => \&_copy_machine },
		machine_untold    => { modes => 'm', own => 1, strike => sub { my ($world) = @_; my $copy = _place($world); return _resume($world, $copy) && _ends_soon($copy) } },
		copy_ended        => { modes => 'c', strike => sub { my ($world) = @_; return scalar grep { $_->stop('fast') } $world->of_role('copy') } },
		copy_becomes_main => { modes => 'c', weight => 2, strike => \&_copy_becomes_main });
}

# The database is dropped and made again under its name.
sub _recreate_database
{
	my ($world) = @_;
	my $server = $world->{primary};
	$server->run('postgres', 'DROP DATABASE IF EXISTS app WITH (FORCE)') or return 0;
	return _until($server, sub { $world->mend_database($server) });
}

# Does something that a crash can interrupt until it is done.
sub _until { my ($server, $what) = @_; my $end = time + 60; while (time < $end) { return 1 if $what->(); $server->start; sleep 0.05 } return 0 }

# A copy by CREATE DATABASE takes the place of its template.
sub _swap_template
{
	my ($world) = @_;
	return $world->{primary}->run(
		'postgres',
		'DROP DATABASE IF EXISTS copy WITH (FORCE)',
		'ALTER DATABASE app ALLOW_CONNECTIONS false',
		q{SELECT pg_terminate_backend(pid, 2000) FROM pg_stat_activity WHERE datname = 'app'},
		'CREATE DATABASE copy TEMPLATE app',
		'DROP DATABASE app WITH (FORCE)',
		'ALTER DATABASE copy RENAME TO app',
		'ALTER DATABASE app ALLOW_CONNECTIONS true');
}

# A dump, restored into a new database that takes the place of the old one.
sub _dump_and_restore
{
	my ($world) = @_;
	my $server = $world->{primary};
	my $file = "$world->{folder}/dump";
	$server->run('postgres', 'DROP DATABASE IF EXISTS copy WITH (FORCE)', 'CREATE DATABASE copy', 'ALTER DATABASE app ALLOW_CONNECTIONS false') or return 0;
	my $ends = $server->run('postgres', q{SELECT pg_terminate_backend(pid, 2000) FROM pg_stat_activity WHERE datname = 'app'}, 'ALTER DATABASE app ALLOW_CONNECTIONS true', 'ALTER DATABASE app CONNECTION LIMIT 0');
	my $done = $ends && $server->run_program('pg_dump', '-Fc', '-f', $file, '-d', $server->connection) && $server->run_program('pg_restore', '--exit-on-error', '-d', $server->connection('copy'), $file)
	  && $server->run('postgres', 'DROP DATABASE app WITH (FORCE)', 'ALTER DATABASE copy RENAME TO app');
	_until($server, sub { $world->mend_database($server) });
	return $done;
}

# A base backup for later.
sub _base_backup
{
	my ($world) = @_;
	my $server = $world->{primary};
	my $folder = "$world->{folder}/backup";
	return 0 if -d "$folder.new";
	my $done = $server->run_program('pg_basebackup', '-N', '-c', 'fast', '-D', "$folder.new", '-d', $server->connection('postgres'));
	if ($done)
	{
		remove_tree("$folder.old") if -d "$folder.old";
		rename $folder, "$folder.old" if -d $folder;
		rename "$folder.new", $folder or return 0;
	}
	remove_tree("$folder.new") unless $done;
	return $done;
}

# The server is stopped, and what was backed up recovers in its place: to the end of the archive, or as far as it must.
sub _recovered
{
	my ($target) = @_;
	return sub {
		my ($world) = @_;
		my $server = $world->{primary};
		my $folder = "$world->{folder}/backup";
		return 0 unless -d $folder;
		rand() < 0.5 ? $server->stop('fast') : $server->kill_all;
		$server->kill_all;
		my $old = "$server->{data}.old";
		rename $server->{data}, $old or die "$old: $!";
		system_or_bail('cp', '-a', $folder, $server->{data});
		$server->forget_settings;
		system "cp -n $old/pg_wal/0* $server->{data}/pg_wal/" unless $target;
		# Else two servers could take the same timeline, and the archive would mix their files.
		system "cp -n $old/pg_wal/*.history $world->{folder}/archive/ 2>/dev/null";
		$server->configure("restore_command = 'cp $world->{folder}/archive/%f %p'", q{recovery_target_action = 'promote'}, $target ? $target : ());
		append_to_file("$server->{data}/recovery.signal", '');
		$server->wait_until('SELECT NOT pg_is_in_recovery()', 60) or die "$server->{name} does not recover: see $server->{log}";
		append_to_file("$server->{data}/postgresql.conf", "recovery_target = ''\n");
		remove_tree($old);
		return 1;
	};
}

# The server goes on, and its copy starts beside it, on the same boot. Both read the word that is given, or that of
# before.
sub _resume
{
	my ($world, $copy, $word) = @_;
	my $origin = $world->{primary};
	$origin->stand_still or return 0;
	$copy->{order} = $world->{has_registry} ? _next_order($world) : undef;
	system_or_bail('cp', '-a', $origin->{data}, $copy->{data});
	$copy->copy_boot($origin);
	$_->tell_copy($word // $origin->{word}) for $copy, $origin;
	$copy->configure(q{archive_mode = off});
	_run_copy($copy);
	return $origin->go_on;
}

# What counter orders gives next: whatever a server holds lies below.
sub _next_order
{
	my ($world) = @_;
	return eval { my ($session, $schema) = $world->{recovery}->owner; $session->selectrow_array("SELECT next FROM $schema.counters() WHERE name = 'orders'") };
}

# With a registry both take other numbers than the one of before, which its lease keeps for longer than the eight
# seconds, and no ticket of before, and go on. With shards by hand neither does until an operator has spoken.
sub _copy_machine
{
	my ($world) = @_;
	my $copy = _place($world);
	my $number = sub { my ($server) = @_; return $server->value_in('app', 'SELECT id_shard(next_id())') };
	my $before = $number->($world->{primary}) // return 0;
	my %is_taken = ($before => 1);
	my $began = time;
	_resume($world, $copy, NemesisServer::any_word()) or return 0;
	unless ($world->{has_registry})
	{
		_is_refused($_) for $world->{primary}, $copy;
		my @ways = (\&_end_copy, \&_give_other_shard, \&_end_origin);
		$ways[ rand @ways ]->($world, $copy);
	}
	for my $server ($world->{primary}, $copy->{role} eq 'copy' ? $copy : ())
	{
		$world->gives($server, 'app', 'SELECT next_id()') or die "wrong: no ID of $server->{name} after the copy\n";
		my $order = $world->{has_registry} ? $server->value(q{SELECT next_ticket('orders')}) : undef;
		die "wrong: $server->{name} gives ticket $order, from before the copy\n" if $order && $copy->{order} && $order < $copy->{order};
		my $taken = $number->($server) // next;
		die "wrong: $server->{name} has number $taken after the copy\n" if $world->{has_registry} && $is_taken{$taken}++ && time - $began < 8;
	}
	return _ends_soon($copy);
}

# The copy lives on beside its origin for some seconds.
sub _ends_soon { my ($copy) = @_; return $copy->{until} = time + 5 + 5 * rand }

# A server that keeps its shards makes no ID, whatever strikes it meanwhile.
sub _is_refused
{
	my ($server) = @_;
	my $session;
	_until($server, sub {
		my $id = eval { $session = $server->session('app'); $session->do(q{SET idgen.max_wait = '0'}); $session->selectrow_array('SELECT next_id()') };
		die "wrong: ID $id of $server->{name}, whose machine was copied\n" if $id;
		return $@ =~ /this machine was resumed from a snapshot of its memory and keeps its shards/;
	}) or die "wrong: $server->{name} does not say that its machine was copied: $@";
	return;
}

sub _confirm { my ($server) = @_; return _until($server, sub { $server->run('app', 'SELECT idgen.confirm_shards()') }) || die "wrong: no confirmation of $server->{name}: $@" }

# What an operator does: only one of the two is left, or each has shards of its own before it is confirmed.
sub _end_copy { my ($world, $copy) = @_; $world->end_copy($copy); return _confirm($world->{primary}) }

sub _give_other_shard
{
	my ($world, $copy) = @_;
	$copy->stop('fast');
	$copy->configure(q{idgen.shards = '9'});
	$copy->start;
	_confirm($_) for shuffle($copy, $world->{primary});
	return;
}

# The copy's disk takes the place of its origin's; what the origin has archived since then is another history.
sub _end_origin
{
	my ($world, $copy) = @_;
	my $origin = $world->{primary};
	$_->kill_all for $origin, $copy;
	$origin->remove_data;
	rename $copy->{data}, $origin->{data} or die "$copy->{data}: $!";
	$world->end_copy($copy);
	remove_tree("$world->{folder}/backup", glob "$world->{folder}/archive/*");
	$origin->configure(q{archive_mode = on});
	unlink "$origin->{data}/postmaster.pid";
	$origin->start;
	return _confirm($origin);
}

# A server for a copy: one that is not there yet, or the one that has been there for longest; on a machine of its own.
sub _place
{
	my ($world) = @_;
	my ($place) = sort { ($a->{since} // 0) <=> ($b->{since} // 0) } grep { $_->{role} =~ /^(?:none|copy)$/ } @{ $world->{servers} };
	$place->change_boot;
	$world->end_copy($place) if $place->{role} eq 'copy';
	return $place;
}

# It runs beside its origin from now on.
sub _run_copy
{
	my ($copy) = @_;
	@$copy{qw(role since until)} = ('copy', time, undef);
	unlink "$copy->{data}/postmaster.pid";
	$copy->forget_settings;
	$copy->start;
	return 1;
}

# The files of a server that is stopped for that.
sub _copy_hot
{
	my ($world) = @_;
	my $copy = _place($world);
	my $origin = $world->{primary};
	rand() < 0.5 ? $origin->stop('fast') : $origin->kill_all;
	system_or_bail('cp', '-a', $origin->{data}, $copy->{data});
	return _run_copy($copy);
}

# A base backup, started beside its origin after something was done to it.
sub _copy_backup
{
	my ($what) = @_;
	return sub {
		my ($world) = @_;
		my $copy = _place($world);
		$copy->run_program('pg_basebackup', '-N', '-c', 'fast', '-D', $copy->{data}, '-d', $world->{primary}->connection('postgres')) or return 0;
		$what->($copy);
		return _run_copy($copy);
	};
}

# Gives it another system identifier, as pg_createsubscriber does, after it has recovered.
sub _identify
{
	my ($copy) = @_;
	$copy->start;
	$copy->wait_until('SELECT true');
	$copy->stop('fast');
	open my $file, '+<', "$copy->{data}/global/pg_control" or die "$copy->{data}: $!";
	syswrite $file, pack 'Q', int(time) << 32 | int rand 1 << 31;
	close $file;
	return $copy->run_program('pg_resetwal', '-f', $copy->{data});
}

# A copy takes the place of its origin, which is lost.
sub _copy_becomes_main
{
	my ($world) = @_;
	my ($copy) = grep { $_->runs && $_->value('SELECT true') } $world->of_role('copy') or return 0;
	my $origin = $world->{primary};
	$origin->kill_all;
	$origin->remove_data;
	@$origin{qw(role since)} = ('none', 0);
	$copy->{role} = 'primary';
	$world->{primary} = $copy;
	return 1;
}

1;
