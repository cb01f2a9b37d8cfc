# What ends first as a server grows, and how it says so. Each limit is reached on a real server: what is still allowed must
# succeed, and one more must fail with the SQLSTATE that is expected. The server is started again for some, with its defaults.
package IdgenBench::Scale::Limits;

use strict;
use warnings;

use DBI;
use IdgenBench::Session;
use IdgenBench::Samples qw(number);
use Time::HiRes qw(sleep);

my $registry_wait = 30;
my $two_layouts = "(CASE WHEN n < 8192 THEN 'instagram' ELSE 'sonyflake' END)::id_layout";

# allowed and refused: the queries at the limit and one beyond; beside says that another database draws one more. set: settings of the session.
# share: slots that a database may have.
my @limits = (
	{
		what => 'IDs of a shard in a tick', figure => '1,024 a ms by default ([layouts](layouts.md#presets))',
		remedy => 'a pool, or a longer sequence; by default sessions wait',
		state => '2200H',
		set => { 'idgen.overflow' => 'error' },
		allowed => 'SELECT count(next_id(5)) FROM generate_series(1, 1000)',
		refused => 'SELECT count(next_id(5)) FROM generate_series(1, 1000000)',
	},
	{
		what => 'slots of a database, for shards outside `idgen.shards` and layouts of its own', figure => '2,048',
		remedy => '`idgen.max_slots_per_database`',
		state => '53400',
		allowed => 'SELECT count(next_id(n)) FROM generate_series(0, 2047) n',
		refused => 'SELECT count(next_id(n)) FROM generate_series(0, 2048) n',
	},
	{
		what => 'slots of a database', figure => '4,096',
		remedy => '`idgen.max_slots_per_database`',
		state => '53400',
		set => { 'idgen.shards' => '0-8191' },
		allowed => 'SELECT count(next_id(n)) FROM generate_series(0, 4095) n',
		refused => 'SELECT count(next_id(n)) FROM generate_series(0, 4096) n',
	},
	{
		what => 'slots of the server', figure => '16,384',
		remedy => '`idgen.max_slots`, and a restart',
		state => '53400',
		set => { 'idgen.shards' => '0-8191' },
		share => 16384,
		allowed => "SELECT count(next_id(n % 8192, $two_layouts)) FROM generate_series(0, 16383) n",
		refused => "SELECT count(next_id(n % 8192, $two_layouts)) FROM generate_series(0, 16383) n",
		beside => 1,
	},
	{
		what => 'connections', figure => '100',
		remedy => '`max_connections`, and a restart, or a pooler',
		state => '53300',
		probe => \&_connections,
	},
	{
		what => 'shards of the default layout', figure => '8,192',
		remedy => 'a layout with more bits',
		state => '22003',
		allowed => 'SELECT next_id(8191)',
		refused => 'SELECT next_id(8192)',
	},
	{
		what => 'IDs of one array', figure => '134,217,724',
		remedy => '`next_ids`',
		state => '54000',
		set => { 'idgen.shards' => '0-255' },
		allowed => 'SELECT cardinality(next_id_array(1000000))',
		refused => 'SELECT next_id_array(134217725)',
	},
	{
		what => 'years of the default layout', figure => '2046-06-27',
		remedy => '`idgen`, which ends in 2095',
		state => '22003',
		allowed => q{SELECT id_make('2046-06-27 00:00+00', 5, 0)},
		refused => q{SELECT id_make('2046-06-28 00:00+00', 5, 0)},
	},
	{
		what => 'numbers from a registry on one server', figure => '128',
		remedy => 'fewer shards by hand',
		state => '54000',
		has_registry => 1,
		set => { 'idgen.shards' => '200-400' },
		allowed => 'SELECT count(next_id(n)) FROM generate_series(200, 327) n',
		refused => 'SELECT next_id(328)',
	},
);

sub new { return bless { memory => {}, rows => [] }, $_[0] }

sub warm_up { return }

# Only the first round says something.
sub round
{
	my ($self, $number) = @_;
	return if $number > 1;
	my $large = _memory();
	_start('-c max_connections=100 -c idgen.max_slots=16384');
	my $usual = _memory();
	$self->{memory} = { usual => $usual, slot => ($large - $usual) / (131072 - 16384) };
	push @{ $self->{rows} }, _reached($_) for grep { !$_->{has_registry} } @limits;
	_begin_registry();
	push @{ $self->{rows} }, _reached($_) for grep { $_->{has_registry} } @limits;
	return;
}

# Starts the server again with other settings.
sub _start
{
	my ($options) = @_;
	system('pg_ctl', '-w', '-s', '-m', 'fast', '-l', "$ENV{PGDATA}/../log/server", '-o', $options, 'restart') == 0 or die "pg_ctl\n";
	return;
}

# Bytes of shared memory that idgen has.
sub _memory { return scalar IdgenBench::Session->new->row(q{SELECT sum(size)::float FROM pg_shmem_allocations WHERE name LIKE 'idgen%'}) }

# A registry in a database of this server.
sub _begin_registry
{
	my $session = IdgenBench::Session->new;
	$session->run($_) for 'CREATE DATABASE registry', 'CREATE EXTENSION idgen_lease', 'CREATE ROLE node_role LOGIN';
	local $ENV{PGDATABASE} = 'registry';
	my $registry = IdgenBench::Session->new;
	$registry->run($_) for 'CREATE EXTENSION idgen_registry', 'GRANT idgen_node TO node_role';
	my $address = "host=$ENV{PGHOST} dbname=registry user=node_role";
	_start("-c shared_preload_libraries=idgen,idgen_lease -c idgen.max_wait=${registry_wait}s -c idgen.registry='$address'");
	return;
}

# A row of the table, once the limit was reached. A slot that is idle for half a second is given away, so a slow machine may need
# more than one try.
sub _reached
{
	my ($limit) = @_;
	for (1 .. 10)
	{
		my ($state, $said) = ($limit->{probe} // \&_queries)->($limit);
		next unless $state;
		die "$limit->{what}: $state $said\n" unless $state eq $limit->{state};
		return [ @$limit{qw(what figure)}, "$state: $said", $limit->{remedy} ];
	}
	die "$limit->{what}: no error\n";
}

# The error of one more, and its SQLSTATE; nothing if there was none.
sub _queries
{
	my ($limit) = @_;
	my $session = IdgenBench::Session->new(%{ $limit->{set} // {} });
	_share($session, $limit->{share}) if $limit->{share};
	sleep 0.7;
	$session->row($limit->{allowed});
	sleep 0.7;
	if ($limit->{beside}) { local $ENV{PGDATABASE} = 'scale_0'; IdgenBench::Session->new->row('SELECT next_id(6)') }
	return if eval { $session->row($limit->{refused}); 1 };
	return ($session->state, $session->error);
}

# Lets a database have so many slots, and waits until a session knows.
sub _share
{
	my ($session, $slots) = @_;
	$session->run($_) for "ALTER SYSTEM SET idgen.max_slots_per_database = $slots", 'SELECT pg_reload_conf()';
	sleep 0.05 until ($session->row(q{SELECT current_setting('idgen.max_slots_per_database')}))[0] eq $slots;
	return;
}

sub _connections
{
	my @open;
	while (@open <= 100)
	{
		my $session = DBI->connect('dbi:Pg:', undef, undef, { RaiseError => 0, PrintError => 0 });
		return ('53300', $DBI::errstr =~ /FATAL:\s*(.*)/ ? $1 : $DBI::errstr) unless $session;
		push @open, $session;
	}
	return;
}

sub sections
{
	my ($self) = @_;
	my ($usual, $slot) = (number($self->{memory}{usual} / 2**20), number($self->{memory}{slot}));
	return {
		title => 'What ends first',
		text => <<"END",
Each limit was reached on a server with the default settings: up to the figure there is no error (for the array, a
million IDs were tried), and one more fails with this one.
16,384 slots and 1,000 databases take $usual MB of shared memory, and each more slot $slot bytes. A slot that was idle for
half a second can go to another shard, so the limits of slots are of shards in use within half a second. Load meets the
first row first: one session can ask for more than one shard has.
END
		header => [ 'of', 'there are', 'one more', 'what helps' ],
		rows => $self->{rows},
	};
}

1;
