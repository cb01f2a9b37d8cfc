# What dumps carry of the server that a database belongs to: the value of the sequence idgen.origin. It counts in a
# database that has made no ID yet, and then only if it can be a system identifier; else whatever writes it changes
# nothing, and no lock on it keeps anybody for long.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my $other = 7_000_000_000_000_000_001;
my $first_second = int time;
my @systems;

sub make_node
{
	my ($name) = @_;
	return start_node($name, conf => [ "idgen.shards = '5'", q{idgen.on_copy = 'refuse'}, 'idgen.max_wait = 1s', 'max_prepared_transactions = 2', 'autovacuum = off' ]);
}

sub mirror { my ($session) = @_; return value_of($session, 'SELECT last_value FROM idgen.origin') }

sub own_system { my ($session) = @_; return value_of($session, 'SELECT system_identifier FROM pg_control_system()') }

sub copy_row { my ($session) = @_; return value_of($session, q{SELECT ok FROM idgen.status() WHERE key = 'copy'}) }

# Before the first ID: locked, and written by those who may write every sequence.
{
	my $node = make_node('fresh');
	my $session = connect_to($node);
	my $holder = connect_to($node);
	is(mirror($session), own_system($session), 'the sequence names the server');
	push @systems, own_system($session);
	$holder->do($_) for 'CREATE ROLE heir', q{BEGIN; ALTER SEQUENCE idgen.origin OWNER TO heir; PREPARE TRANSACTION 'forgotten'};
	my $began = time;
	fails_with($session, 'SELECT next_id()', '55000',
		qr/within 1\.000 s.*DETAIL:.*Another transaction holds a lock on sequence "idgen.origin"/s,
		'locked before the first ID');
	cmp_ok(time - $began, '<', 30, 'locked: nobody waits for longer than idgen.max_wait says');
	ok(defined copy_row($session), 'locked: idgen.status() answers');
	$holder->do(q{ROLLBACK PREPARED 'forgotten'});
	fails_with($session, q{SELECT nextval('idgen.origin')}, '2200H', qr/reached maximum value/, 'nextval()');
	for my $value (1, 946684800)
	{
		$holder->do("SELECT setval('idgen.origin', $value)");
		is(copy_row($session), 1, "set to $value, which is not a system identifier: the database is not a copy");
	}
	ok(eval { value_of($session, 'SELECT next_id()') },
		'set to values that are not system identifiers: IDs are made') || note $session->errstr;
	is(mirror($session), own_system($session), 'the first ID sets the sequence right again');

	# From now on the page says it.
	$holder->do("SELECT setval('idgen.origin', $other)");
	is(copy_row($session), 1, 'set to another system identifier after the first ID: the database is not a copy');
	crash($node);
	start_again($node);
	$_ = connect_to($node) for $session, $holder;
	ok(eval { value_of($session, 'SELECT next_id()') },
	  'set to another system identifier after the first ID: IDs go on after kill -9') || note $session->errstr;
	is(mirror($session), own_system($session), 'the first ID after kill -9 sets the sequence right again');

	# Locked then: nothing needs it.
	$holder->do(q{BEGIN; ALTER SEQUENCE idgen.origin OWNER TO heir; PREPARE TRANSACTION 'forgotten'});
	crash($node);
	start_again($node);
	$_ = connect_to($node) for $session, $holder;
	ok(eval { value_of($session, 'SELECT next_id()') },
		'locked after the first ID: IDs are made') || note $session->errstr;
	$holder->do(q{ROLLBACK PREPARED 'forgotten'});
	$_->disconnect for $session, $holder;
	$node->stop;
}

# Another system identifier before the first ID is what a restored dump brings.
{
	my $node = make_node('restored');
	my $session = connect_to($node);
	$session->do("SELECT setval('idgen.origin', $other)");
	is(copy_row($session), 0, 'set to another system identifier before the first ID: the database is a copy');
	fails_with($session, 'SELECT next_id()', '55000', qr/$other/,
		'set to another system identifier before the first ID: no ID is made');
	is(mirror($session), $other, 'a dump of it names the same origin');
	$session->do('SELECT idgen.confirm_shards()');
	is(mirror($session), own_system($session), 'confirmed: a dump names this server');
	ok(value_of($session, 'SELECT next_id()'), 'confirmed shards: IDs are made');
	push @systems, own_system($session);
	$session->disconnect;
	$node->stop;
}

# As any two that initdb makes, though test/t/lib/initdb copies one cluster.
is(scalar(grep { $_ >> 32 >= $first_second && $_ >> 32 <= time } @systems), 2, 'the servers of a test: their system identifiers are of the second in which they were made');
isnt($systems[0], $systems[1], 'and each has its own');
done_testing();
