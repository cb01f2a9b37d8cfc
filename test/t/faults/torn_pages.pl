# Disks that fail, and what they tear or lose.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenDisk;
use IdgenInjection;
use IdgenNode;
use PostgreSQL::Test::Utils;
use Test::More;

# A disk that is full, read-only, or fails to flush: an operation that cannot be written gives the server's error and
# its SQLSTATE, IDs that need no write go on, and so do all once the disk is well. What the disk had not flushed is lost
# with the server. No ID is made twice.
{
	my ($no_space, $read_only, $io_error) = (28, 30, 5);
	my %made;
	my $node = start_node('disk', fake_clock => 1, conf => [ injected_conf(), 'restart_after_crash = off', 'fsync = on', 'wal_recycle = off' ], init => { extra => ['--wal-segsize=1'] });
	$node->stop;
	%ENV = (%ENV, failing($node));
	calls_fail($node);
	start_again($node);
	my $session = connect_to($node);
	my $other = connect_to($node);

	sub none_twice { my ($what, $sql) = @_; return is(draw_repeated($node, \%made, $_, 50, $sql), 0, "$what: none twice") for $session, $other; }

	# The data directory is full, and a sequence has no page of its own yet.
	my $extending = qr/^ERROR:  could not extend file "base\/\d+\/\d+".*: No space left on device\nHINT:  Check free disk space\./;
	my $decimals = 'SELECT array_agg(next_decimal_id()) FROM generate_series(1, ?)';
	for (1, 2)
	{
		$session->do('DROP EXTENSION idgen; CREATE EXTENSION idgen');
		go_on($node, 5);
		calls_fail($node, "extend $no_space /base/");
		for my $sql ('SELECT next_id()', q{SELECT idgen.advance(now() + '100ms')})
		{
			fails_with($_, $sql, '53100', $extending, "a full data directory, $sql") for $session, $other;
		}
		is(value_of($session, q{SELECT count(*) FROM pg_locks WHERE relation = 'idgen.horizon'::regclass}), 0,
			'nothing stays locked');
		calls_fail($node);
		none_twice('space again');
		calls_fail($node, "write $no_space /base/");
		go_on($node, 5);
		none_twice('a full data directory, the page is there');
		fails_with($session, 'CHECKPOINT', 'XX000', qr/checkpoint request failed/, 'a checkpoint');
		calls_fail($node);
		$session->do('CHECKPOINT');
	}
	$session = kill_server(1);
	none_twice('a crash after that');

	# Generators of DecimalIds: the first of a start.
	$session->do($_) for 'DROP EXTENSION idgen', 'CREATE EXTENSION idgen', 'CREATE EXTENSION idgen_kinds';
	$session = kill_server(0);
	calls_fail($node, "extend $no_space /base/");
	fails_with($session, 'SELECT next_decimal_id()', '53100', $extending, 'a full data directory, a generator');
	calls_fail($node);
	none_twice('space again, DecimalIds', $decimals);

	# The WAL cannot be written or flushed: the server ends, with what its disk had not flushed. On a file system that is
	# read-only it may already fail to open a file, and go on.
	my @of_wal = (
		[ 'a full disk of the WAL',  "extend $no_space /pg_wal/", qr/^PANIC:  could not write to file "pg_wal.*: No space left on device/ ],
		[ 'a read-only file system', "write $read_only /",        qr/^(?:PANIC|ERROR):  could not (?:write to|open) .*: Read-only file system/ ],
		[ 'a flush that fails',      "flush $io_error /pg_wal/",  qr/^PANIC:  could not f(?:data)?sync file "[0-9A-F]+": Input\/output error/ ],
		[ 'a write that fails',      "write $io_error /pg_wal/",  qr/^PANIC:  could not (?:write to log|open) file .*: Input\/output error/ ]);
	for (@of_wal)
	{
		my ($what, $line, $pattern) = @$_;
		for my $sql ('SELECT next_id()', q{SELECT idgen.advance(clock_timestamp() + '100ms')}, 'SELECT idgen.confirm_shards()')
		{
			go_on($node, 5);
			none_twice("$what, $sql, before");
			use_up_segments() if $what =~ /full/;
			calls_fail($node, $line);
			is(draw_repeated($node, \%made, $session, 1), 0, "$what: an ID that needs no write");
			go_on($node, 5);
			my $done = eval { $session->selectall_arrayref($sql) };
			like($done ? 'it succeeded' : $session->errstr, $pattern, "$what, $sql: the server says so");
			calls_fail($node);
			$session = kill_server(1);
			none_twice("$what, $sql, then the disk is well");
		}
	}
	$_->disconnect for $session, $other;
	$node->stop('immediate');
	# The next record of the WAL needs a new file.
	sub use_up_segments
	{
		my $left = q{SELECT count(*) FROM pg_ls_waldir() WHERE name > pg_walfile_name(pg_current_wal_lsn())};
		$session->do(q{SELECT pg_logical_emit_message(false, 'idgen', 'a record'), pg_switch_wal()}) for 0 .. value_of($session, $left);
		return;
	}

	sub kill_server
	{
		my ($is_lost) = @_;
		my @processes = processes_of($node);
		kill 'KILL', @processes;
		wait_for_end($node, @processes);
		lose_writes($node) if $is_lost;
		start_again($node);
		$other = connect_to($node);
		return connect_to($node);
	}
}

# Pages of the extension's sequences that a disk tore, lost or put back, with checksums and without full_page_writes.
# After a crash the WAL repairs them all: each of our records holds whole pages. After a clean stop a torn page is an
# error, one of zeros is replaced by its mirror or is an error; of an older block 1 the mirror knows better, and for an
# older horizon the clock makes up.
{
	use constant { BLOCK => 8192, SECTOR => 512 };

	my $node = start_node('torn', kinds => 1, fake_clock => 1, conf => [ injected_conf(), 'full_page_writes = off' ], init => { extra => ['--data-checksums'] });
	my $session = connect_to($node);
	my $decimals = 'SELECT array_agg(next_decimal_id()) FROM generate_series(1, ?)';
	my %made;
	my @sequences = qw(idgen.horizon idgen.generator idgen.origin);
	$session->do('CREATE EXTENSION pageinspect');
	draw_both();
	my %path = map { $_ => $node->data_dir . '/' . value_of($session, "SELECT pg_relation_filepath('$_')") } @sequences;

	sub draw_both { return draw_repeated($node, \%made, $session, 100) + draw_repeated($node, \%made, $session, 5, $decimals) }

	# The pages of a sequence as the server has them now.
	sub pages_of
	{
		my ($sequence) = @_;
		return join '', map { pack 'H*', value_of($session, "SELECT encode(get_raw_page('$sequence', $_), 'hex')") } 0 .. value_of($session, "SELECT pg_relation_size('$sequence') / 8192") - 1;
	}

	# Each page half from the one text and half from the other, or sector by sector.
	sub halves { my ($first, $second) = @_; return join '', map { substr($first, $_ * BLOCK, BLOCK / 2) . substr($second, $_ * BLOCK + BLOCK / 2, BLOCK / 2) } 0 .. length($second) / BLOCK - 1 }
	sub sectors { my ($first, $second) = @_; return join '', map { substr $_ % 2 ? $first : $second, $_ * SECTOR, SECTOR } 0 .. length($second) / SECTOR - 1 }

	# What the disk has of pages: from what it had at the last checkpoint, and what the server had.
	my @damages = (
		[ 'the first half is new', sub { my ($old, $new) = @_; halves($new, $old) } ],
		[ 'the second half is new', sub { my ($old, $new) = @_; halves($old, $new) } ],
		[ 'every other sector is new', \&sectors ],
		[ 'zeros', sub { "\0" x length $_[0] } ],
		[ 'what it was at the checkpoint', sub { $_[0] } ]);

	# After a crash, under a clock that stands still: only the horizon keeps new IDs from old ones.
	for (@damages, [ 'no second page', sub { substr $_[0], 0, BLOCK } ])
	{
		my ($what, $damage) = @$_;
		$session->do('CHECKPOINT');
		go_on($node, 5);
		$session = kill_and_start($node);
		$session->do('CHECKPOINT');
		my %old = map { $_ => bytes_of($path{$_}) } @sequences;
		draw_both();
		my %new = map { $_ => pages_of($_) } @sequences;
		my @processes = processes_of($node);
		kill 'KILL', @processes;
		wait_for_end($node, @processes);
		for my $sequence (@sequences)
		{
			isnt($new{$sequence}, $old{$sequence}, "$sequence: its pages were written") unless $sequence eq 'idgen.origin';
			truncate $path{$sequence}, 0;
			write_bytes($path{$sequence}, $damage->($old{$sequence}, $new{$sequence}));
		}
		start_again($node);
		$session = connect_to($node);
		is(draw_both(), 0, "after a crash, $what: none twice");
	}

	# After a clean stop. Gives the pages as they were.
	sub restart_with
	{
		my ($sequence, $change) = @_;
		$session->disconnect;
		$node->stop;
		my $bytes = bytes_of($path{$sequence});
		write_bytes($path{$sequence}, $change->($bytes));
		start_again($node);
		$session = connect_to($node);
		return $bytes;
	}

	my %sql = ('idgen.horizon' => 'SELECT next_id()', 'idgen.generator' => 'SELECT next_decimal_id()', 'idgen.origin' => 'SELECT next_id()');
	for my $sequence (@sequences)
	{
		my $blocks = (-s $path{$sequence}) / BLOCK;
		my $older = bytes_of($path{$sequence});
		go_on($node, 5);
		$session = kill_and_start($node);
		draw_both();
		for my $block (0 .. $blocks - 1)
		{
			my $at = $block * BLOCK;
			my $whole = restart_with($sequence, sub { my ($bytes) = @_; substr($bytes, $at, BLOCK / 2) = substr $older, $at, BLOCK / 2; substr($bytes, $at + BLOCK / 2, 8) ^= "\x55" x 8; $bytes });
			go_on($node, 5);
			fails_with($session, $sql{$sequence}, 'XX001',
				qr/^ERROR:  invalid page in block $block of relation "?base\/\d+\/\d+/, "$sequence, block $block is torn");
			restart_with($sequence, sub { $whole });
			is(draw_both(), 0, "$sequence, block $block put right: none twice");
		}
	}

	# A page of zeros is as one that a crash has extended: the mirror counts. Without it nothing does.
	for my $sequence (@sequences[ 0, 1 ])
	{
		go_on($node, 5);
		restart_with($sequence, sub { substr($_[0], 0, BLOCK) . "\0" x BLOCK });
		is(draw_both(), 0, "$sequence, zeros in block 1: none twice");
		go_on($node, 5);
		my $whole = restart_with($sequence, sub { "\0" x (2 * BLOCK) });
		fails_with($session, $sql{$sequence}, '55000',
			qr/does not hold the (?:durable horizon|generators of DecimalIds)\nDETAIL:.*\nHINT:  Create the extension again/s,
			"$sequence, zeros");
		restart_with($sequence, sub { $whole });
		is(draw_both(), 0, "$sequence, put right: none twice");
	}

	# An older block 1, which is whole: the mirror knows better, under a clock that stands still, too. What setval writes is
	# not ours.
	for my $sequence (@sequences[ 0, 1 ])
	{
		my $older = restart_with($sequence, sub { $_[0] });
		go_on($node, 5);
		draw_both();
		restart_with($sequence, sub { substr($_[0], 0, BLOCK) . substr $older, BLOCK });
		is(draw_both(), 0, "$sequence, block 1 of before: none twice");
		value_of($session, 'SELECT setval(?, ?)', $sequence, $sequence eq 'idgen.horizon' ? 7258118400000 : 90000);
		restart_with($sequence, sub { $_[0] });
		is(draw_both(), 0, "$sequence, setval: none twice, and IDs");
	}

	# The mirror of the origin, which a server with a horizon of its own does not need, is left as it is.
	go_on($node, 5);
	my $origin = restart_with('idgen.origin', sub { "\0" x BLOCK });
	is(draw_both(), 0, 'idgen.origin, zeros: none twice');
	ok($session->ping, 'idgen.origin, zeros: the session lives');
	restart_with('idgen.origin', sub { $origin });

	# An older version of the horizon, which is whole.
	my $older = restart_with('idgen.horizon', sub { $_[0] });
	draw_both();
	go_on($node, 5);
	draw_both();
	go_on($node, 5);
	restart_with('idgen.horizon', sub { $older });
	is(draw_repeated($node, \%made, $session, 1000), 0, 'an older horizon: none twice under a clock that went on');
	$session->disconnect;
	$node->stop('immediate');
}

done_testing();
