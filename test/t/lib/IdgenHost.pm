# The page by which a host tells a machine of copies (src/core/horizon/machine.hpp), as a file, for the TAP tests; and a
# machine that is resumed from a snapshot: all processes of a node stand still while the host writes.
package IdgenHost;

use strict;
use warnings;

use Exporter qw(import);
use IdgenNode;

our @EXPORT = qw(start_told page_of write_page write_generation write_disruption says_generation says_disruption resume);

my ($disruption_at, $generation_at) = (16, 104);

sub page_of { my ($node) = @_; return $node->basedir . '/machine' }

# Fields: magic, size, version, flags, generation, disruption, bytes (that the file has).
sub write_page
{
	my ($path, %field) = @_;
	my $page = pack 'a4 V v x6 Q< Q< x72 Q<', $field{magic} // 'VCLK', $field{size} // 4096, $field{version} // 1,
	  $field{disruption} // 0, $field{flags} // 1 << 8, $field{generation} // 0;
	open my $file, '>:raw', $path or die "$path: $!";
	print $file substr $page . "\0" x (4096 - length $page), 0, $field{bytes} // 4096;
	close $file or die "$path: $!";
	return;
}

# Starts a node whose host tells of generation 0. Options: those of start_node.
sub start_told
{
	my ($name, %option) = @_;
	my $path = PostgreSQL::Test::Utils::tempdir() . '/machine';
	write_page($path);
	push @{ $option{conf} }, "idgen.machine_generation = '$path'";
	my $node = start_node($name, %option);
	# Under a name that the node's other files have, too.
	link $path, page_of($node) or die page_of($node) . ": $!";
	return $node;
}

sub _put
{
	my ($path, $at, $value) = @_;
	open my $file, '+<:raw', $path or die "$path: $!";
	sysseek $file, $at, 0;
	syswrite $file, pack 'Q<', $value;
	close $file or die "$path: $!";
	return;
}
sub write_generation { my ($path, $value) = @_; return _put($path, $generation_at, $value) }
sub says_generation { my ($node, $value) = @_; return write_generation(page_of($node), $value) }
sub write_disruption { my ($path, $value) = @_; return _put($path, $disruption_at, $value) }
sub says_disruption { my ($node, $value) = @_; return write_disruption(page_of($node), $value) }

# The node goes on from a snapshot of its memory; its host has written the generation before it runs again.
sub resume
{
	my ($node, $generation) = @_;
	my $pid = $node->{_pid};
	kill 'STOP', $pid;
	my @processes = split ' ', `ps -o pid= --ppid $pid`;
	kill 'STOP', @processes;
	says_generation($node, $generation);
	kill 'CONT', $pid, @processes;
	return;
}

1;
