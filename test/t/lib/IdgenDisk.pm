# A disk that loses what was not flushed, or on which calls fail, for the TAP tests: lib/write_cache.cpp and
# lib/failing_calls.cpp below a server.
package IdgenDisk;

use strict;
use warnings;

use Exporter qw(import);
use File::Find qw(find);
use IdgenNode qw(preload start_node start_again);

our @EXPORT = qw(cache_of cached failing calls_fail start_on_held_disk lose_writes lose_writes_of bytes_of write_bytes);

my $sector = 512;

# The environment of a server whose writes are kept in a cache.
sub cached
{
	my ($node) = @_;
	return (LD_PRELOAD => join(' ', preload('write_cache'), $ENV{LD_PRELOAD} // ()), cache_of($node->data_dir, $node->basedir));
}

# Of any server: where its data lie, and a folder beside them.
sub cache_of
{
	my ($data, $folder) = @_;
	mkdir "$folder/write_cache";
	return (CACHED_FOLDER => $data, WRITE_CACHE => "$folder/write_cache");
}

# The environment of a server on whose disk calls can fail, and whose writes are kept in a cache.
sub failing
{
	my ($node) = @_;
	my %cached = cached($node);
	return (%cached, LD_PRELOAD => preload('failing_calls') . " $cached{LD_PRELOAD}", FAILING_CALLS => _faults_of($node));
}

# From now on these calls fail or wait: lines for lib/failing_calls.cpp; none: no call.
sub calls_fail
{
	my ($node, @lines) = @_;
	my $file = _faults_of($node);
	open my $new, '>', "$file.new" or die "$file: $!";
	print $new map { "$_\n" } @lines;
	close $new;
	return rename "$file.new", $file;
}

# A node with one shard and a window of 10 s, whose disk flushes nothing of the log while a test wants it so:
# calls_fail($node, 'hold 1 /pg_wal/').
sub start_on_held_disk
{
	my ($name) = @_;
	my $node = start_node(
		$name,
		fake_clock => 1,
		conf       => [
			"idgen.shards = '5'", "idgen.horizon_window = '10s'", 'idgen.max_wait = 1h', 'fsync = on', 'restart_after_crash = off',
			'autovacuum = off', 'checkpoint_timeout = 1h', 'bgwriter_lru_maxpages = 0' ]);
	$node->stop;
	%ENV = (%ENV, failing($node));
	calls_fail($node);
	start_again($node);
	return $node;
}

sub _faults_of { my ($node) = @_; return $node->basedir . '/failing_calls' }

# Takes the power of a server that was killed: all that was written and not flushed is gone, or, if torn, some sectors
# of it. Gives how many sectors are gone.
sub lose_writes { my ($node, $is_torn) = @_; return lose_writes_of($node->data_dir, $node->basedir, $is_torn) }

sub lose_writes_of
{
	my ($data, $folder, $is_torn) = @_;
	my %path_of;
	find({ wanted => sub { my @status = lstat; $path_of{ $status[1] } = $File::Find::name if -f _ }, no_chdir => 1 }, $data);
	my $lost = 0;
	for my $journal (glob "$folder/write_cache/*")
	{
		my ($inode) = $journal =~ /(\d+)$/;
		$lost += _undo($path_of{$inode}, bytes_of($journal), $is_torn) if $path_of{$inode} && -s $journal;
		unlink $journal;
	}
	return $lost;
}

# From the last write to the first; a sector that reached the disk is not undone by an older write.
sub _undo
{
	my ($path, $journal, $is_torn) = @_;
	my (@writes, %reached);
	for (my $at = 0; $at < length $journal; $at += 32 + $writes[0]{length})
	{
		my ($size, $offset, $written, $length) = unpack "x$at q4", $journal;
		unshift @writes, { size => $size, offset => $offset, written => $written, length => $length, bytes => substr $journal, $at + 32, $length };
	}
	my $lost = 0;
	open my $file, '+<:raw', $path or die "$path: $!";
	for my $write (@writes)
	{
		my $end = $write->{offset} + $write->{written};
		for (my $at = $write->{offset}; $at < $end; $at += $sector - $at % $sector)
		{
			my $number = int $at / $sector;
			$reached{$number} = 1 if $is_torn && rand() < 0.5;
			next if $reached{$number};
			my $to = $at + $sector - $at % $sector;
			my $count = ($to < $end ? $to : $end) - $at;
			my $old = $at - $write->{offset} < $write->{length} ? substr $write->{bytes}, $at - $write->{offset}, $count : '';
			sysseek $file, $at, 0;
			syswrite $file, $old . "\0" x ($count - length $old);
			$lost++;
		}
		truncate $file, $write->{size} unless %reached;
	}
	close $file or die "$path: $!";
	return $lost;
}

sub bytes_of
{
	my ($path) = @_;
	open my $file, '<:raw', $path or die "$path: $!";
	local $/ = undef;
	my $bytes = <$file>;
	close $file;
	return $bytes;
}

# Overwrites a file from its beginning.
sub write_bytes
{
	my ($path, $bytes) = @_;
	open my $file, '+<:raw', $path or die "$path: $!";
	print $file $bytes;
	close $file or die "$path: $!";
	return;
}

1;
