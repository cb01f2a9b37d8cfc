# What lies on disk and goes over the wire, as 1.0 writes it: values of each type, and the page of the horizon, read from
# bytes that no version after it may change (test/vectors/stored.csv, stored_types.csv).
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../../registry/t/lib";
use IdgenNode;
use IdgenRecord;
use PostgreSQL::Test::Utils;
use Test::More;

sub vectors { my ($name) = @_; my ($header, @rows) = map { chomp; [ split /,/ ] } split /^/, slurp_file("$FindBin::Bin/../../vectors/$name.csv"); return map { my %row; @row{@$header} = @$_; \%row } @rows }

local $ENV{REAL_INITDB} = 1;
my $node = start_node('stored', kinds => 1, conf => ["idgen.shards = '5'"], init => { no_data_checksums => 1 });
my $session = connect_to($node);
$session->do('CREATE EXTENSION pageinspect');

for my $row (vectors('stored_types'))
{
	my ($type, $text, $disk, $wire) = @$row{qw(type text disk wire)};
	$session->do("CREATE TABLE stored (v $type)");
	$session->do('INSERT INTO stored VALUES (?)', undef, $text);
	is(value_of($session, q{SELECT encode(t_data, 'hex') FROM heap_page_items(get_raw_page('stored', 0))}), $disk, "$type $text: on disk");
	my $file = $node->basedir . '/stored.copy';
	$session->do("COPY stored TO '$file' (FORMAT binary)");
	# A header of 19 bytes, the number of columns, the length, the value, the end.
	my $sent = unpack 'H*', substr slurp_file($file), 25, -2;
	is($sent, $wire, "$type $text: over the wire");
	$session->do('TRUNCATE stored');
	$session->do("COPY stored FROM '$file' (FORMAT binary)");
	is(value_of($session, 'SELECT v FROM stored'), $text, "$type $text: read from the wire");
	$session->do('DROP TABLE stored');
}

# The page of the horizon: what our own page begins with, and the record behind it.
use constant { BLOCK => 8192, SPECIAL => 8192 - 600, SIZE => 584 };
my $path = $node->data_dir . '/' . value_of($session, q{SELECT pg_relation_filepath('idgen.horizon')});
my $horizon = 'SELECT (extract(epoch FROM horizon) * 1000)::bigint FROM idgen.stat_database WHERE datname = current_database()';

sub own_page
{
	open my $file, '<:raw', $path or die "$path: $!";
	sysseek $file, BLOCK, 0;
	sysread $file, my $page, BLOCK;
	return $page;
}

# A page with that payload, by a version; the server must be stopped.
sub put_page
{
	my ($version, $payload) = @_;
	my $page = substr(own_page(), 0, SPECIAL) . pack 'L S S a*', 0x49444748, $version, length $payload, $payload;
	$page .= pack 'L', crc32c(substr $page, SPECIAL);
	open my $file, '+<:raw', $path or die "$path: $!";
	sysseek $file, BLOCK, 0;
	syswrite $file, $page . "\0" x (BLOCK - length $page);
	close $file;
	return;
}

# Without what the sequence itself says of the horizon, which counts if it is the further.
sub stop_server
{
	value_of($session, q{SELECT setval('idgen.horizon', 946684800000)});
	$session->disconnect;
	return $node->stop;
}

value_of($session, 'SELECT next_id()');
my ($shown, $system, $origin) = map { value_of($session, $_) } $horizon, 'SELECT system_identifier FROM pg_control_system()', 'SELECT last_value FROM idgen.origin';
stop_server();
my $page = own_page();
my ($magic, $version, $size, $value, undef, $owner) = unpack sprintf('x%d L S S q q q', SPECIAL), $page;
is_deeply([ unpack('x16 S', $page), $magic, $version, $size, $value, $owner ], [ SPECIAL, 0x49444748, 3, SIZE, $shown, $system ],
	'what the server wrote: where it lies');
is($origin, $system, 'the origin: the value of its sequence');
is(unpack(sprintf('x%d L', SPECIAL + 8 + SIZE), $page), crc32c(substr $page, SPECIAL, 8 + SIZE), 'and its checksum');

# The one of the vectors, and one of an earlier version that had no pairs.
my ($stored) = grep { $_->{record} eq 'RecordPage' } vectors('stored');
my ($at) = $stored->{fields} =~ /^value=(\d+) /;
for my $written ([ 3, SIZE ], [ 2, 64 ])
{
	my ($by, $length) = @$written;
	put_page($by, pack "a$length", pack 'H*', $stored->{bytes});
	start_again($node);
	$session = connect_to($node);
	is(value_of($session, $horizon), $at, "the page of the vectors, by version $by: read");
	cmp_ok(value_of($session, 'SELECT (extract(epoch FROM id_time(next_id())) * 1000)::bigint'), '>', $at, "by version $by: IDs begin above it");
	stop_server();
}
done_testing();
