# The page of a server's numbers as a later version of idgen_lease wrote it: the server says so and claims nothing; with
# the page of its own version it goes on.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenLease;
use IdgenNode;
use IdgenRecord;
use Test::More;

my $registry = start_registry('registry');
my $node = start_leased('member', address_of($registry), init => { no_data_checksums => 1 });
my $session = connect_to($node);
wait_for_id($session);
my $path = $node->data_dir . '/' . value_of($session, q{SELECT pg_relation_filepath('idgen_lease.record')});
wait_until($session, q{SELECT pg_relation_size('idgen_lease.record') = 16384});
my $remembered = remembered($session);

# Starts again with another version in the page, signed.
sub restart_with_version
{
	my ($version) = @_;
	$session->disconnect;
	$node->stop;
	open my $file, '+<:raw', $path or die "$path: $!";
	sysseek $file, 8192, 0;
	sysread $file, my $page, 8192;
	my $special = unpack 'x16 S', $page;
	my ($size) = unpack sprintf('x%d S', $special + 6), $page;
	substr $page, $special + 4, 2, pack 'S', $version;
	substr $page, $special + 8 + $size, 4, pack 'L', crc32c(substr $page, $special, 8 + $size);
	sysseek $file, 8192, 0;
	syswrite $file, $page;
	close $file;
	start_again($node);
	$session = connect_to($node);
	return;
}

ok($remembered && keys %{ $remembered->{numbers} }, 'a server remembers its number');
restart_with_version(2);
wait_until($session, q{SELECT EXISTS (SELECT FROM idgen.status() WHERE key IN ('lease', 'registry') AND NOT ok AND value ~ 'a later version of idgen_lease wrote sequence idgen_lease.record')});
pass('a page of a later version: idgen.status() says so');
like(try_id($session), qr/^55000 .*a later version of idgen_lease wrote/s, 'and so does who wants an ID');
restart_with_version(1);
ok(wait_for_id($session), 'a page of its own version: IDs again');
done_testing();
