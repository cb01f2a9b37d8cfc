# A server that did not load the library when it started, on a machine that is copied with its memory. From 17 on what
# holds with preload holds here, but a worker needs a session that has the library. Before 17 there is no shared memory:
# the kinds that need none are guarded by what the session remembers, and workers are refused. No setting names a file
# here, so the library looks for its device below the server's data directory.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenHost;
use IdgenMakers;
use IdgenNode;
use PostgreSQL::Test::Utils;
use Test::More;

my @need_memory = qw(next_id() idgen.next_id() next_ids(100) next_id_array(3) next_id_after(1) next_decimal_id() hlc_now() hlc_receive(0) next_ulid() next_uuidv7());
my @need_none = qw(next_ksuid() next_objectid() next_nanoid() uuidv7_make(clock_timestamp()) id_to_uuidv8(1));
my $has_memory = `pg_config --version` !~ /PostgreSQL 1[56]\b/;
my @calls = ($has_memory ? @need_memory : (), @need_none);

# The device's name has the length of this one.
my $libraries = PostgreSQL::Test::Utils::tempdir;
my $bytes = slurp_file(`pg_config --pkglibdir` =~ s/\n//r . '/idgen.so');
is($bytes =~ s{\0/dev/vmclock0\0}{\0idgen.machine\0}g, 1, 'the name of the device');
chmod 0755, $libraries;
sub install_library
{
	open my $file, '>:raw', "$libraries/new" or die $!;
	print $file $bytes;
	close $file;
	chmod 0755, "$libraries/new";
	return rename("$libraries/new", "$libraries/idgen.so") || die $!;
}
install_library();

my $node = start_node('unloaded', preload => 0, kinds => 1,
	conf => [ "dynamic_library_path = '$libraries:\$libdir'", q{idgen.shards = '5'}, 'idgen.on_copy = warn', 'idgen.max_wait = 30s', 'autovacuum = off', conf_of_ways() ]);
write_page(page_of($node));
link page_of($node), $node->data_dir . '/idgen.machine' or die $!;
my $session = connect_to($node);
my $generation = 0;
my $copy = sub { resume($node, ++$generation) };

my @makers;
for my $call (@calls)
{
	my ($name, $function) = $call =~ /^((?:\w+\.)?(\w+))/;
	my ($type, $has_rows) = $session->selectrow_array('SELECT prorettype::regtype, proretset FROM pg_proc WHERE proname = ?', undef, $function);
	push @makers, { name => $name, call => $call, type => $type, has_rows => $has_rows, is_parallel => $has_memory, number => scalar @makers };
}
begin_ways($session, @makers);
like(value_of($session, q{SELECT value FROM idgen.status() WHERE key = 'machine'}), qr/^its host tells of copies/, 'the library finds its device') if $has_memory;
walk_ways($node, $copy, @makers);
walk_controls($node, $copy, @makers);
walk_readers($node, grep { $_->{name} !~ /\bnext_id/ } @makers) if $has_memory;

# Workers that make nothing, also of a session that has the library, which its workers load.
sub workers_go_on
{
	my ($on, $what) = @_;
	$on->do('BEGIN');
	ok(eval { draw_in_workers($on, '1') }, "workers that make nothing: $what") or diag($@);
	return $on->do('ROLLBACK');
}
my $reader = connect_to($node);
workers_go_on($reader, 'a session without the library');
value_of($reader, 'SELECT id_time(1)');
workers_go_on($reader, 'a session with it');
value_of($reader, "SELECT $need_none[0]");
workers_go_on($reader, 'a session that has made something');
$reader->disconnect;

# Makers inside a function in PL/pgSQL: the session itself loads nothing, only its workers do.
my $refused = $has_memory ? qr/cannot make IDs in a parallel worker whose session has not loaded the same library of idgen/ : qr/cannot make IDs in a parallel worker without idgen's shared memory/;
for my $it (@makers)
{
	my ($name, $number) = @$it{qw(name number)};
	$session->do("CREATE FUNCTION wrapped_$number() RETURNS text LANGUAGE plpgsql PARALLEL SAFE AS \$\$ BEGIN RETURN (SELECT ($it->{call})::text LIMIT 1); END \$\$");
	my $leader = connect_to($node);
	my $is_refused = sub {
		my ($what, $call) = @_;
		$leader->do('BEGIN');
		ok(!eval { draw_in_workers($leader, $call); 1 }, "$name: $what: refused");
		is($leader->state, '55000', "$name: $what: SQLSTATE");
		like($leader->errstr // '', $refused, "$name: $what: text");
		$leader->do('ROLLBACK');
	};
	$is_refused->('by workers of a session without the library', "wrapped_$number()");
	$leader->do('SELECT idgen.own_shards()');
	if ($has_memory)
	{
		$leader->do('BEGIN');
		draw_in_workers($leader, "wrapped_$number()");
		$copy->();
		is_refused($leader, 'COMMIT', "$name: by workers of a session with it");
	}
	else { $is_refused->('by workers of a session with it', $it->{call}) }
	$leader->disconnect;
}

# The library's file is replaced by one that has another state. Sessions that have the older one, and have made
# something or only read, go on with transactions and with workers that make nothing.
my ($older, $loaded) = map { connect_to($node) } 1, 2;
value_of($older, "SELECT $need_none[0]");
value_of($loaded, 'SELECT id_time(1)');
is($bytes =~ s/\0idgen state (\d+)\0/sprintf "\0idgen state %0*d\0", length $1, $1 + 1/eg, 1, 'the name of the state') if $has_memory;
install_library();
value_of(connect_to($node), "SELECT $calls[0]");
for ([ $older, 'that has made something' ], [ $loaded, 'that has only read' ])
{
	my ($on, $what) = @$_;
	ok(eval { $on->do('INSERT INTO kept VALUES (1)') }, "a transaction of an older library, in a session $what") or diag($@);
	workers_go_on($on, "of an older library, in a session $what");
}

done_testing;
