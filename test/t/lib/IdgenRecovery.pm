# What becomes of a registry while servers use it: backups of it, restored later; a new one under its address; other
# limits; a thief who reads what lies there. An operator does what docs/registry.md says, and keeps nodes away from what
# is restored until it was advanced.
package IdgenRecovery;

use strict;
use warnings;

use IdgenLease;
use IdgenNode;
use PostgreSQL::Test::Utils;

# How far ahead of its clock the registry lets horizons be, in seconds, by turns. The largest is what its operator
# advances it by.
my @limits = (5, 8, 12);

# Begins to keep an IdgenRegistry.
sub of
{
	my ($class, $registry) = @_;
	my $self = bless { registry => $registry, saved => [], granted => 0 }, $class . ($registry->{etcd} ? '::Etcd' : '::PostgreSQL');
	$self->_begin;
	$self->limit;
	$self->_continue_counters;
	return $self;
}

# Sets one of the limits.
sub limit { my ($self) = @_; return $self->_limit($limits[ rand @limits ]) }

# Makes a backup, a copy of its files and one of what it says; the last four are kept.
sub save
{
	my ($self) = @_;
	my $copy = { folder => $self->_folder . '.saved.' . ++$self->{copies} };
	push @{ $self->{saved} }, $copy;
	$copy->{said} = $self->_said;
	$self->_replace_files(sub { system_or_bail('cp', '-a', $self->_folder, $copy->{folder}) }, 'clean');
	system_or_bail('rm', '-rf', (shift @{ $self->{saved} })->{folder}) if @{ $self->{saved} } > 4;
	return;
}

# The files are put back to those of a backup, which no call can tell: it is fenced until `reopen`.
sub put_back
{
	my ($self) = @_;
	my $folder = $self->_any->{folder};
	$self->{is_fenced} = 1;
	$self->_replace_files(sub { system_or_bail('rm', '-rf', $self->_folder); system_or_bail('cp', '-a', $folder, $self->_folder) });
	return;
}

# A backup of what it said is restored elsewhere, which refuses every call; or a new registry is made, which nodes
# refuse.
sub restore { my ($self) = @_; return $self->_make($self->_any->{said}) }
sub make_new { my ($self) = @_; return $self->_make }

# Advances it, after each of the three, and lets nodes use it again. The operator is told if its clock lies behind a
# horizon; knows that the clock is right, and names the instant.
sub reopen
{
	my ($self) = @_;
	my $longest = "interval '$limits[-1] s'";
	my $is_done = eval { $self->_advance("longest_ahead => $longest"); 1 };
	die $@ unless $is_done || $@ =~ /the clock of the \w+ lies behind an instant/;
	$self->_advance("at => clock_timestamp() + $longest") unless $is_done;
	$self->_continue_counters;
	$self->_unfence if delete $self->{is_fenced};
	return;
}

# Two counters, whose numbers do not overlap: one that is given for the other is given twice.
my %begins_at = (tickets => 0, orders => 4_000_000_000_000_000_000);

# They go on far above all that any server can hold. A new registry has none yet, and one can have been dropped.
sub _continue_counters
{
	my ($self) = @_;
	my ($session, $schema) = $self->owner;
	my $far = ++$self->{continued} * 1_000_000_000;
	for my $name (sort keys %begins_at)
	{
		my $next = $begins_at{$name} + $far;
		my $is_there = value_of($session, "SELECT count(*) FROM $schema.counters() WHERE name = ?", $name);
		my $call = $is_there ? 'advance_counter(?, ?)' : 'create_counter(?, ?, max_block => 1000)';
		$session->do("SELECT $schema.$call", undef, $name, $next);
	}
	return;
}

# Tries to end and extend the numbers of others, by all that can be read; `granted` counts what it was granted.
sub leak { return }

sub _any { my ($self) = @_; return $self->{saved}[ rand @{ $self->{saved} } ] }

package IdgenRecovery::PostgreSQL;

use strict;
use warnings;

use parent -norequire, 'IdgenRecovery';
use IdgenNode;
use PostgreSQL::Test::Utils;

# The thief may call what nodes call and read every table; and reads the log, which has all statements with their
# parameters.
sub _begin
{
	my ($self) = @_;
	my $node = $self->{node} = $self->{registry}{node};
	$self->{rules} = slurp_file($node->data_dir . '/pg_hba.conf');
	$node->safe_psql('postgres', 'CREATE ROLE thief LOGIN IN ROLE idgen_node, pg_read_all_data');
	$node->append_conf('postgresql.conf', "$_\n") for 'log_min_duration_statement = 0', "log_statement = 'all'", 'log_parameter_max_length_on_error = -1';
	return $node->reload;
}

sub _folder { my ($self) = @_; return $self->{node}->data_dir }

# A session that may change counters, and where that is called.
sub owner { my ($self) = @_; return (connect_to($self->{node}), 'idgen_registry') }
sub _limit { my ($self, $seconds) = @_; return $self->{node}->safe_psql('postgres', "SELECT idgen_registry.set_max_ahead('$seconds s')") }
sub _advance { my ($self, $to) = @_; return connect_to($self->{node})->do("SELECT idgen_registry.advance($to)") }

sub _said
{
	my ($self) = @_;
	my $file = $self->_folder . ".$self->{copies}.sql";
	system_or_bail('pg_dump', '-d', $self->{node}->connstr('postgres'), '-f', $file);
	return $file;
}

sub _replace_files
{
	my ($self, $work, $is_clean) = @_;
	my $node = $self->{node};
	$is_clean ? $node->stop('fast') : crash($node);
	$work->();
	$self->_write_rules;
	return start_again($node);
}

sub _make
{
	my ($self, $dump) = @_;
	my @psql = ('psql', '-X', '-q', '-1', '-v', 'ON_ERROR_STOP=1', '-o', '/dev/null', '-d', $self->{node}->connstr('postgres'), '-c', 'DROP EXTENSION idgen_registry', '-c', 'DROP SCHEMA IF EXISTS idgen_registry');
	my @what = $dump ? ('-f', $dump) : ('-c', q{CREATE EXTENSION idgen_registry}, '-c', q{SELECT idgen_registry.set_max_ahead('5 s')});
	# Nodes that call it meanwhile can be in a deadlock with it, which ends it.
	for (1 .. 20) { return 1 if system_log(@psql, @what) == 0 }
	die "never: @what";
}

sub _unfence { my ($self) = @_; $self->_write_rules; return $self->{node}->reload }

sub _write_rules
{
	my ($self) = @_;
	my $file = $self->_folder . '/pg_hba.conf';
	unlink $file;
	return append_to_file($file, ($self->{is_fenced} ? "local all node_role,thief reject\n" : '') . $self->{rules});
}

# Tries each secret as the version of the counter; counts those that it is.
my $give_back = q{SELECT count(*) FROM unnest(?::bigint[]) AS s,
  idgen_registry.give_back_ranges(idgen_registry.identity(), ARRAY['tickets'::bytea], ARRAY[?::bigint], ARRAY[s]) AS o
  WHERE o = 'done'};

sub leak
{
	my ($self) = @_;
	my $thief = connect_to($self->{node}, user => 'thief');
	my $read = substr slurp_file($self->{node}->logfile), -300_000;
	my %secrets = map { $_ => 1 } grep { abs $_ < 9.2e18 } $read =~ /(?<![\d.])-?\d{12,19}(?!\d)/g;
	my $rows = $thief->selectall_arrayref('SELECT * FROM idgen_registry.lease WHERE incarnation_hash IS NOT NULL', { Slice => {} });
	eval { $self->{granted} += _act_as_owner($thief, $_, keys %secrets) } for @$rows;
	my ($last, $run_start) = $thief->selectrow_array(q{SELECT last, run_start FROM idgen_registry.counter WHERE name = 'tickets'});
	eval { $self->{granted} += value_of($thief, $give_back, [ keys %secrets ], $_) } for $last, $run_start;
	return;
}

# What was read is compared with the hashes; if it is neither, the hashes are tried themselves. Then what a member of
# idgen_node may do: release the number, and claim every second one for a moment.
my $released = 0;

sub _act_as_owner
{
	my ($thief, $row, @read) = @_;
	my ($incarnation, $life) = map {
		value_of($thief, 'SELECT s FROM unnest(?::bigint[]) AS s WHERE sha256(int8send(s)) = ?::bytea', \@read, "\\x$_")
		  // value_of($thief, q{SELECT ('x' || left(?, 16))::bit(64)::bigint}, $_)
	} map { unpack 'H*', $row->{$_} } qw(incarnation_hash life_hash);
	my $registry = value_of($thief, 'SELECT idgen_registry.identity()');
	my @owner = ($registry, $row->{number}, $incarnation, $life, $row->{horizon_ms});
	my $granted = grep { $_ eq 'granted' } value_of($thief, 'SELECT outcome FROM idgen_registry.extend(?, ?, ?, ?, ?, ?, 1)', @owner, $row->{horizon_ms} + 1),
	  value_of($thief, 'SELECT outcome FROM idgen_registry.stop(?, ?, ?, ?, ?, ?)', @owner, $row->{claimed_ms});
	value_of($thief, 'SELECT idgen_registry.release(?)', $row->{number});
	value_of($thief, q{SELECT outcome FROM idgen_registry.claim(?, ?, 0, 1, 1, 2000, 'thief', 1, 1)}, $registry, $row->{number}) if ++$released % 2;
	return $granted;
}

package IdgenRecovery::Etcd;

use strict;
use warnings;

use parent -norequire, 'IdgenRecovery';
use IdgenLease;
use IdgenNode;
use MIME::Base64 qw(encode_base64);
use PostgreSQL::Test::Utils;

# The operator has a server of his own, which asks the etcd at a port that no node knows.
sub _begin
{
	my ($self) = @_;
	$self->{etcd} = $self->{registry}{etcd};
	my $operator = $self->{registry}{operator} = start_leased('operator', $self->{etcd}->operator_registry('/idgen'), setting => { 'idgen.shards' => '' });
	return expect_blame($operator, 'registry');
}

sub _folder { my ($self) = @_; return "$self->{etcd}{folder}/data" }

sub _operator { my ($self) = @_; return connect_to($self->{registry}{operator}) }
sub owner { my ($self) = @_; return ($self->_operator, 'idgen_lease') }
sub _manage { my ($self, $call) = @_; return $self->_operator->do("SELECT idgen_lease.$call") }
sub _limit { my ($self, $seconds) = @_; return $self->_manage("limit_registry(max_ahead => '$seconds s')") }
sub _advance { my ($self, $to) = @_; return $self->_manage("advance_registry($to)") }

sub _said { my ($self) = @_; return $self->{etcd}->call('kv/range', { key => encode_base64('/idgen/', ''), range_end => encode_base64('/idgen0', '') })->{kvs} // [] }

sub _replace_files
{
	my ($self, $work, $is_clean) = @_;
	$self->{etcd}->stop($is_clean ? 'TERM' : 'KILL');
	$work->();
	return $self->{etcd}->go($self->{is_fenced});
}

# Another etcd, by its token, with what it is to hold from the start.
sub _make
{
	my ($self, $keys) = @_;
	my $etcd = $self->{etcd};
	$etcd->stop('KILL');
	system_or_bail('rm', '-rf', $self->_folder);
	$etcd->{token_of_cluster}++;
	$etcd->go('fenced');
	$self->_limit(5) unless $keys;
	my $lease = $etcd->call('lease/grant', { TTL => '15' })->{ID};
	$etcd->call('kv/put', { key => $_->{key}, value => $_->{value} // '', $_->{lease} ? (lease => $lease) : () }) for @{ $keys // [] };
	return $self->_unfence;
}

sub _unfence { my ($self) = @_; $self->{etcd}->stop; return $self->{etcd}->go }

1;
