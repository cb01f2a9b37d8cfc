# Servers that claim their shards from a registry, for the TAP tests; and a registry in a PostgreSQL of its own.
package IdgenLease;

use strict;
use warnings;

use Exporter qw(import);
use IdgenNode;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $drawings = 0;
my @stop_files;
my $test = $$;

our @EXPORT = qw(start_registry address_of start_leased lease_conf number_of first_id numbers_in row_in row_of try_id is_id ids_of wait_for_id fails_to_draw
  begin_drawing end_drawing of_number wait_for keeper_of told crash_and_start left_leases forget_left);

# A registry without the library, its database `postgres`, its role node_role.
sub start_registry
{
	my ($name, %option) = @_;
	my $node = start_node($name, preload => 0, extension => 0, %option);
	$node->safe_psql('postgres', 'CREATE EXTENSION idgen_registry; CREATE ROLE node_role LOGIN IN ROLE idgen_node');
	return $node;
}

sub address_of
{
	my ($registry) = @_;
	return sprintf 'host=%s port=%s dbname=postgres user=node_role', $registry->host, $registry->port;
}

# The configuration of a server that claims its shards from an address. The settings of a test replace those given
# here.
sub lease_conf
{
	my ($address, %setting) = @_;
	my %all = ('idgen.registry' => $address, 'idgen.shards' => 'lease', 'idgen.lease_window' => '2s', 'idgen.lease_ttl' => '5s', 'idgen.max_lead' => '100ms', %setting);
	return ("shared_preload_libraries = 'idgen, idgen_lease'", 'shared_buffers = 8MB', 'autovacuum = off', 'restart_after_crash = on', map { "$_ = '$all{$_}'" } sort keys %all);
}

# A server with both extensions, whose first ID is still to come.
sub start_leased
{
	my ($name, $address, %option) = @_;
	my $setting = delete $option{setting} // {};
	my $node = start_node($name, %option, conf => [ lease_conf($address, %$setting), @{ $option{conf} // [] } ]);
	$node->safe_psql('postgres', 'CREATE EXTENSION idgen_lease');
	return $node;
}

# The number of the IDs that a session makes.
sub number_of { my ($session) = @_; return value_of($session, 'SELECT id_shard(next_id())') }

# How long the first ID of a server takes, ms.
sub first_id
{
	my ($node) = @_;
	my $began = time;
	my $id = $node->safe_psql('postgres', 'SELECT next_id()');
	return int((time - $began) * 1000);
}

# An ID, or the SQLSTATE and message of its error.
sub try_id
{
	my ($session) = @_;
	my $id = eval { value_of($session, 'SELECT next_id()') };
	return defined $id ? $id : $session->state . ' ' . $session->errstr;
}

# Whether that was an ID.
sub is_id { my ($tried) = @_; return $tried =~ /^\d+$/ }

# Waits until a session makes an ID; it.
sub wait_for_id
{
	my ($session, $seconds) = @_;
	my $end = time + ($seconds // $patience);
	my $tried;
	while (time < $end)
	{
		$tried = try_id($session);
		return $tried if is_id($tried);
		sleep 0.1;
	}
	die "no ID: $tried";
}

sub ids_of { my ($session, $count) = @_; return draw($session, $count) }

# The rows of a registry in PostgreSQL, by number; `incarnation` is a hash.
sub numbers_in
{
	my ($registry) = @_;
	my $session = connect_to($registry);
	my $rows = $session->selectall_hashref(q{SELECT *, encode(incarnation_hash, 'hex') AS incarnation FROM idgen_registry.lease}, 'number');
	$session->disconnect;
	return $rows;
}

# The same of any registry, as a server sees it; undef if the number was never held.
sub row_of
{
	my ($session, $number) = @_;
	return $session->selectrow_hashref(
		'SELECT *, (extract(epoch FROM horizon) * 1000)::bigint AS horizon_ms, extract(epoch FROM lease_left) AS left_s FROM idgen_lease.nodes() AS n(shard) WHERE shard = ?',
		undef, $number);
}

# Passes if no ID can be drawn and the error says so: SQLSTATE 55000, and a pattern of its whole text. A registry that was
# too slow to answer is asked again.
sub fails_to_draw
{
	my ($session, $pattern, $what) = @_;
	my $end = time + $patience;
	1 while 'it did not answer in time' !~ $pattern && try_id($session) =~ /it did not answer in time/ && time < $end;
	return fails_with($session, 'SELECT next_id()', '55000', $pattern, $what);
}

# Starts sessions that draw from a server until end_drawing, whatever is refused on the way.
sub begin_drawing
{
	my ($node, $count) = @_;
	my $stop_file = $node->basedir . '/drawn.' . ++$drawings;
	push @stop_files, $stop_file;
	return { makers => begin_makers($node, $count // 1, $stop_file), stop_file => $stop_file };
}

# Ends them; their IDs.
sub end_drawing
{
	my ($drawing) = @_;
	append_to_file($drawing->{stop_file}, '');
	return made_by($drawing->{makers});
}

# The IDs of a number, in the default layout.
sub of_number
{
	my ($number, @ids) = @_;
	return sort { $a <=> $b } grep { ($_ >> 10 & 8191) == $number } @ids;
}

# Waits until the question, a function, is answered with true; its answer.
sub wait_for
{
	my ($what, $question, $seconds) = @_;
	my $end = time + ($seconds // $patience);
	my $error = '';
	while (time < $end)
	{
		my $answer = eval { $question->() };
		return $answer if $answer;
		$error = $@;
		sleep 0.02;
	}
	die "never: $what" . ($error && "; the last question failed: $error");
}

# The process that keeps the shards of a session's server; 0 if none runs.
sub keeper_of
{
	my ($session) = @_;
	return value_of($session, q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'idgen keeper'}) // 0;
}

# How often the log of a server matches.
sub told { my ($node, $pattern) = @_; return scalar(() = slurp_file($node->logfile) =~ /$pattern/g) }

# Where the leases of a server lie that a crash leaves.
sub left_leases
{
	my ($node) = @_;
	my ($device, $inode) = stat $node->data_dir;
	return sprintf '/dev/shm/idgen.%x.%x', $device, $inode;
}

# Forgets what a crash has left, as a boot of the machine does.
sub forget_left { my ($node) = @_; return unlink(left_leases($node)) || die left_leases($node) . ": $!" }

# A server after a crash.
sub crash_and_start { my ($node) = @_; crash($node); start_again($node); return connect_to($node) }

sub row_in { my ($registry, $number) = @_; return numbers_in($registry)->{$number} }

# A test that dies leaves no session that draws.
END
{
	if ($$ == $test) { append_to_file($_, '') for grep { !-e } @stop_files }
}

1;
