# The bytes on the disk: as 1.0 writes them, and damaged.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../../registry/t/lib";
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use IdgenPair;
use IdgenRecord;
use PostgreSQL::Test::Utils;
use Test::More;

# What lies on disk and goes over the wire, as 1.0 writes it: values of each type, and the page of the horizon, read from
# bytes that no version after it may change (test/vectors/stored.csv, stored_types.csv).
{
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
}

# The page that holds the durable horizon, damaged, of a later version, or left empty by a crash: an error that says so,
# no session ends, and no second page is put behind an empty one.
{
	use constant { SPECIAL_IN_FILE => 2 * 8192 - 600, CHECKED => 592 };

	my $node = begin_primary('paged', "wal_consistency_checking = 'generic'", 'checkpoint_timeout = 1h');
	$node->safe_psql('postgres', 'CREATE EXTENSION idgen_kinds');
	my $session = connect_to($node);
	my %made;
	repeated(\%made, draw($session, 1000));
	my $standby = begin_standby($node, 'follower', '+0');

	sub path_of
	{
		my ($on, $sequence) = @_;
		return $on->data_dir . '/' . $on->safe_psql('postgres', "SELECT pg_relation_filepath('$sequence')");
	}
	my %path = map { $_ => path_of($node, $_) } qw(idgen.horizon idgen.generator);

	sub bytes_of
	{
		my ($path) = @_;
		open my $file, '<:raw', $path or die "$path: $!";
		local $/ = undef;
		my $bytes = <$file>;
		close $file;
		return $bytes;
	}

	sub write_bytes
	{
		my ($path, $bytes) = @_;
		open my $file, '+<:raw', $path or die "$path: $!";
		print $file $bytes;
		close $file;
		return;
	}

	# The pages with other bytes at an offset of the record's page; the checksum is made to fit.
	sub signed
	{
		my ($bytes, $offset, $with) = @_;
		substr $bytes, SPECIAL_IN_FILE + $offset, length $with, $with;
		substr $bytes, SPECIAL_IN_FILE + CHECKED, 4, pack 'V', crc32c(substr $bytes, SPECIAL_IN_FILE, CHECKED);
		return $bytes;
	}

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

	sub flipped
	{
		my ($bytes, $offset) = @_;
		substr($bytes, $offset, 1) ^= "\x10";
		return $bytes;
	}

	value_of($session, 'SELECT next_decimal_id()');
	my $damaged = qr/does not hold the (?:durable horizon|generators).*\nDETAIL:.*\nHINT:/s;
	my $later = qr/"idgen\.\w+" was written by a later version of idgen\nDETAIL:.*\nHINT:.*Install/s;
	my @changes = (
		[ 'a bit of the number',  $damaged, sub { flipped($_[0], SPECIAL_IN_FILE + 9) } ],
		[ 'a bit of the owner',   $damaged, sub { flipped($_[0], SPECIAL_IN_FILE + 25) } ],
		[ 'a bit of the checksum', $damaged, sub { flipped($_[0], SPECIAL_IN_FILE + CHECKED) } ],
		[ 'another magic number', $damaged, sub { signed($_[0], 0, 'HGDH') } ],
		[ 'no special space', $damaged, sub { my $bytes = $_[0]; substr $bytes, BLOCK + 16, 2, pack 'v', BLOCK; $bytes } ],
		[ 'a later version',      $later,   sub { signed($_[0], 4, pack 'v', 4) } ]);
	my %sql = ('idgen.horizon' => 'SELECT next_id()', 'idgen.generator' => 'SELECT next_decimal_id()');
	for my $sequence (sort keys %sql)
	{
		for (@changes)
		{
			my ($what, $pattern, $change) = @$_;
			my $bytes = restart_with($sequence, $change);
			my $backend = value_of($session, 'SELECT pg_backend_pid()');
			fails_with($session, $sql{$sequence}, '55000', $pattern, "$sequence, $what");
			fails_with($session, 'SELECT idgen.advance(now())', '55000', $pattern, "$sequence, $what: idgen.advance")
			  if $sequence eq 'idgen.horizon';
			if ($sequence eq 'idgen.horizon')
			{
				my ($value, $ok, $advice) =
				  $session->selectrow_array(q{SELECT value, ok, advice FROM idgen.status() WHERE key = 'horizon'});
				is($ok, 0, "$what: idgen.status() says so");
				like("$value: $advice", $pattern eq $later ? qr/later version.*Install/ : qr/missing.*Create the extension again/,
				  "$what: idgen.status() says what to do");
			}
			is(value_of($session, 'SELECT pg_backend_pid()'), $backend, "$sequence, $what: the session lives");
			restart_with($sequence, sub { $bytes });
			repeated(\%made, my @ids = eval { draw($session, 10) });
			is(scalar @ids, 10, "$sequence, $what, put right: IDs go on") || note $session->errstr;
		}
	}

	# Extended by a crash before anything was written: taken as it is, here and where the WAL is replayed.
	wait_for_replay($node, $standby);
	$session->do($_) for 'DROP EXTENSION idgen_kinds, idgen', 'CREATE EXTENSION idgen_kinds CASCADE';
	%path = map { $_ => path_of($node, $_) } keys %sql;
	for my $sequence (sort keys %sql)
	{
		is(-s $path{$sequence}, BLOCK, "$sequence: one page before the first record");
		restart_with($sequence, sub { $_[0] . "\0" x BLOCK });
		value_of($session, $sql{$sequence});
		is($session->selectrow_array("SELECT pg_relation_size('$sequence')"), 2 * BLOCK,
			"$sequence, an empty page: taken in place");
	}
	is(repeated(\%made, draw($session, 1000)), 0, 'empty pages: none again');
	wait_for_replay($node, $standby);
	crash($node);
	start_again($node);
	$session = connect_to($node);
	is(repeated(\%made, draw($session, 1000)), 0, 'empty pages, then kill -9: none again');
	ok(value_of($session, 'SELECT next_decimal_id()'), 'empty pages, then kill -9: DecimalIds go on');
	ok(eval { wait_for_replay($node, $standby) }, 'the standby has the same pages');

	# Unlogged: a standby has no such file.
	my $state = q{SELECT value, advice FROM idgen.status() WHERE key = 'horizon'};
	$session->do('ALTER SEQUENCE idgen.horizon SET UNLOGGED');
	wait_for_replay($node, $standby);
	like(eval { $_->safe_psql('postgres', $state) }, qr{^sequence "idgen\.horizon" is unlogged(?:\. .*)?\|ALTER SEQUENCE idgen\.horizon SET LOGGED$}, 'unlogged: idgen.status() says so on the ' . $_->name)
	  for $node, $standby;
	$session->do('ALTER SEQUENCE idgen.horizon SET LOGGED');
	# Past the window, so that the new file gets its second page.
	set_clock($node, '+5');
	value_of($session, 'SELECT next_id()');
	wait_for_replay($node, $standby);
	my $copied = path_of($standby, 'idgen.horizon');
	$session->do('CHECKPOINT');
	wait_for_replay($node, $standby);
	$standby->stop;
	is(-s $copied, 2 * BLOCK, 'the standby: two pages');

	# The same on a standby whose own file has the empty page: the replayed record takes it.
	$session->do($_) for 'DROP EXTENSION idgen_kinds, idgen', 'CREATE EXTENSION idgen', 'CHECKPOINT';
	start_again($standby);
	wait_for_replay($node, $standby);
	$standby->safe_psql('postgres', 'CHECKPOINT');
	$copied = path_of($standby, 'idgen.horizon');
	$standby->stop;
	is(-s $copied, BLOCK, 'the standby: one page before the first record');
	write_bytes($copied, bytes_of($copied) . "\0" x BLOCK);
	start_again($standby);
	is($standby->safe_psql('postgres', q{SELECT ok FROM idgen.status() WHERE key = 'horizon'}), 't',
		'the standby, an empty page: idgen.status() reads the horizon');
	repeated(\%made, my ($last) = draw($session, 1));
	ok(eval { wait_for_replay($node, $standby) }, 'the standby, an empty page: it follows');
	crash($node);
	$standby->promote;
	$session = connect_to($standby);
	# Its clock is 5 s behind that of the primary, and so is its horizon ahead.
	$session->do(q{SET idgen.max_wait = '1min'});
	is(repeated(\%made, draw($session, 1000)), 0, 'promoted: none again');
	$standby->safe_psql('postgres', 'CHECKPOINT');
	is(-s $copied, 2 * BLOCK, 'promoted: two pages');
	$session->disconnect;
	$standby->stop('immediate');
}

done_testing();
