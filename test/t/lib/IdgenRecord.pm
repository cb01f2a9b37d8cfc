# The page in which a server remembers its shards (registry/node/rules/lease_record.hpp), for the TAP tests: read by
# pageinspect, written to the files of a stopped server.
package IdgenRecord;

use strict;
use warnings;

use Exporter qw(import);
use IdgenNode;

our @EXPORT = qw(remembered change_remembered crc32c);

my $block = 8192;

# What a page of ours remembers: { registry, identity, numbers => { number => [ accepted, proposed ] } }; undef for a
# page that holds none.
sub unpack_page
{
	my ($page) = @_;
	my $special = unpack 'x16 S', $page;
	my ($magic, $version, $size) = unpack "x$special L S S", $page;
	return undef unless ($magic // 0) == 0x4944474C;
	my ($high, $low, $identity, $count, undef, @rows) = unpack sprintf('x%d q q q L L q*', $special + 8), substr $page, 0, $special + 8 + $size;
	return undef unless $high || $low;
	return { registry => "$high $low", identity => $identity, numbers => { map { $rows[ 3 * $_ ] => [ @rows[ 3 * $_ + 1, 3 * $_ + 2 ] ] } 0 .. $count - 1 } };
}

# What the server remembers; undef: nothing, or there is no page.
sub remembered
{
	my ($session) = @_;
	local $session->{PrintWarn} = 0;
	$session->do('SET client_min_messages = error; CREATE EXTENSION IF NOT EXISTS pageinspect; RESET client_min_messages');
	return undef if value_of($session, q{SELECT pg_relation_size('idgen_lease.record')}) < 2 * $block;
	return unpack_page(pack 'H*', value_of($session, q{SELECT encode(get_raw_page('idgen_lease.record', 1), 'hex')}));
}

sub crc32c
{
	my ($bytes) = @_;
	my $crc = 0xFFFFFFFF;
	for my $byte (unpack 'C*', $bytes)
	{
		$crc ^= $byte;
		$crc = $crc >> 1 ^ ($crc & 1 ? 0x82F63B78 : 0) for 1 .. 8;
	}
	return $crc ^ 0xFFFFFFFF;
}

# Changes what a stopped server remembers of a number: $change->([ accepted, proposed ]) gives both as they should be.
# $path is that of pg_relation_filepath().
sub change_remembered
{
	my ($node, $path, $number, $change) = @_;
	open my $file, '+<:raw', $node->data_dir . "/$path" or die "$path: $!";
	sysseek $file, $block, 0;
	sysread $file, (my $page), $block;
	my $special = unpack 'x16 S', $page;
	my $size = unpack sprintf('x%d S', $special + 6), $page;
	my $at = $special + 8 + 32;
	$at += 24 until unpack(sprintf('x%d q', $at), $page) == $number;
	substr $page, $at + 8, 16, pack 'q q', $change->(unpack sprintf('x%d q q', $at + 8), $page);
	substr $page, $special + 8 + $size, 4, pack 'L', crc32c(substr $page, $special, 8 + $size);
	sysseek $file, $block, 0;
	syswrite $file, $page;
	close $file;
	return;
}

1;
