# What other versions of idgen asked, answered and wrote.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenConversation;
use IdgenEtcd;
use IdgenImpostor;
use IdgenLease;
use IdgenNode;
use IdgenRecord;
use IdgenStoreCalls;
use PostgreSQL::Test::Utils;
use Test::More;

# What a node asks its registry and what it answers, as recorded when 1.0 was published (registry/t/recorded). A registry
# of today answers a node of then, and a node of today asks a registry of then nothing else, and understands it. With
# STABLE_WRITE, the files are written anew.
{
	my $node = start_node('node', preload => 0, extension => 0);
	my $session = connect_to($node);
	make_store_functions($session);
	my $folder = PostgreSQL::Test::Utils::tempdir();

	# The calls of a node, in this order. Each is given the store and the answers to those before, by name.
	my $wide = 9223372036854775806;
	my @calls = (
		[ 'identity', sub { $_[0]->identity } ],
		[ 'the list of no number', sub { $_[0]->list } ],
		[ 'a claim', sub { $_[0]->claim(0, 0, 11, 12) } ],
		[ 'the same claim again', sub { $_[0]->claim(0, 0, 11, 12) } ],
		[ 'a claim for ever', sub { $_[0]->claim(1, 0, 21, 22, 0) } ],
		[ 'a claim of a held number', sub { $_[0]->claim(0, 0, 31, 32) } ],
		[ 'an extension', sub { $_[0]->extend(0, 11, 12, 0, 5000) } ],
		[ 'the same extension again', sub { $_[0]->extend(0, 11, 12, 0, 5000) } ],
		[ 'an extension by another', sub { $_[0]->extend(0, 11, 13, 5000, 6000) } ],
		[ 'an extension too far', sub { $_[0]->extend(0, 11, 12, 5000, 4102444800000) } ],
		[ 'an extension of another registry', sub { $_[0]->with(identity => $IdgenConversation::foreign)->extend(0, 11, 12, 5000, 6000) } ],
		[ 'an extension for ever', sub { $_[0]->extend(1, 21, 22, 0, 7000, 0) } ],
		[ 'the list', sub { $_[0]->list } ],
		[ 'a stop', sub { $_[0]->stop(0, 11, 12, 5000, 4000) } ],
		[ 'the same stop again', sub { $_[0]->stop(0, 11, 12, 5000, 4000) } ],
		[ 'a claim of its own number', sub { $_[0]->claim(0, 11, 14, 15) } ],
		[ 'a release', sub { $_[0]->release(1) } ],
		[ 'a release of a number without an owner', sub { $_[0]->release(77) } ],
		[ 'a new counter', sub { $_[0]->manage('create', 'tickets') } ],
		[ 'a new counter that begins at 500', sub { $_[0]->manage('create', "b\xc3\xa4r", first => 500, largest => $wide) } ],
		[ 'the counters', sub { $_[0]->counters } ],
		[ 'a fetch', sub { _text($_[0]->fetch([ 'tickets', 0, 1, 0 ], [ 'missing', 0, 1, 0 ], [ "b\xc3\xa4r", 40, 1, 0 ])) } ],
		[ 'a give-back', sub { _text($_[0]->give_back([ 'tickets', 5, _version($_[1], 0) ], [ 'missing', 1, 1 ])) } ],
		[ 'the same give-back again', sub { _text($_[0]->give_back([ 'tickets', 5, _version($_[1], 0) ])) } ],
		[ 'a fetch of what was given back', sub { _text($_[0]->fetch([ 'tickets', 0, 1, 0 ])) } ],
		[ 'other blocks', sub { $_[0]->manage('set_block', 'tickets', block => 20, max_block => 200) } ],
		[ 'another end', sub { $_[0]->manage('set_max', 'tickets', largest => 5000) } ],
		[ 'a counter moved on', sub { $_[0]->manage('advance', 'tickets', first => 900) } ],
		[ 'a dropped counter', sub { $_[0]->manage('drop', 'tickets') } ],
		[ 'a forgotten counter', sub { $_[0]->manage('forget', 'tickets') } ],
		[ 'limits', sub { $_[0]->administer('limit', 120000, 100, 60000) } ],
		[ 'a claim above the limit', sub { $_[0]->claim(101, 0, 41, 42, 60000) } ],
		[ 'other limits', sub { $_[0]->administer('limit', 660000, -1, 0) } ],
		[ 'forgotten numbers', sub { $_[0]->administer('forget', 86400000) } ],
		[ 'an advance', sub { $_[0]->administer('advance', 900000, 0) } ],
		[ 'a fetch after the advance', sub { _text($_[0]->fetch([ "b\xc3\xa4r", 0, 1, 0 ])) } ],
		[ 'the list after the advance', sub { $_[0]->list } ]);

	sub _text { my ($reply, @of_each) = @_; return join '; ', $reply, map { join ' ', @$_ } @of_each }
	# That of the counter of that place in the fetch.
	sub _version { my ($given, $place) = @_; return (split / /, (split /; /, $given->{'a fetch'})[ $place + 1 ])[3] }

	sub start_real
	{
		my ($kind) = @_;
		return IdgenEtcd->start if $kind eq 'etcd';
		my $owner = connect_to(start_node('registry' . int rand 1e6, preload => 0, extension => 0));
		$owner->{pg_bool_tf} = 1;
		$owner->do('CREATE EXTENSION idgen_registry');
		return $owner;
	}

	# Makes all calls against what answers; $done is called after each with its name, what it gave, and what was asked and
	# answered for it.
	sub converse
	{
		my ($kind, $answer, $given, $done) = @_;
		my $log = "$folder/" . rand;
		append_to_file($log, '');
		my $impostor = IdgenImpostor->start(
			$kind,
			sub {
				my (undef, $request, undef, undef, @values) = @_;
				my $ask = IdgenConversation::ask_of($kind, $request, @values);
				my $answered = eval { $answer->($ask, scalar split /\n/, slurp_file($log)) } // { fault => $@ };
				append_to_file($log, IdgenConversation::print_value([ $ask, $answered ]) . "\n");
				return $answered->{fault} ? undef : IdgenConversation::bytes_of($kind, $answered);
			});
		my $address = $kind eq 'etcd' ? "etcd://127.0.0.1:$impostor->{port}/idgen" : "postgresql://node\@127.0.0.1:$impostor->{port}/postgres";
		my $store = IdgenStoreCalls->new(kind => $kind, session => $session, address => $address);
		my $seen = 0;
		for (@calls)
		{
			my ($name, $call) = @$_;
			$store->{identity} = $1 if ($given->{identity} // '') =~ /^answered ($IdgenConversation::uuid)/;
			my $gave = $call->($store, $given);
			my @exchanges = map { IdgenConversation::parse_value($_) } split /\n/, slurp_file($log);
			$done->($store, $name, $gave, @exchanges[ $seen .. $#exchanges ]);
			$seen = @exchanges;
		}
		$impostor->stop;
		return;
	}

	sub file_of { my ($kind) = @_; return "$FindBin::Bin/recorded/$kind.txt" }

	# Lines of a file: "call NAME", then "ask" and "answer" each as often as it asks, then "gives".
	sub record
	{
		my ($kind) = @_;
		my $real = start_real($kind);
		my $names = IdgenConversation->new($kind);
		my %given;
		open my $out, '>', file_of($kind) or die $!;
		# A session belongs to the process that opened it.
		my $own;
		converse(
			$kind,
			sub { my ($ask) = @_; $own //= $kind eq 'etcd' ? $real : $real->clone({ pg_bool_tf => 1 }); return IdgenConversation::answer_from($kind, $own, $ask) },
			\%given,
			sub {
				my (undef, $name, $gave, @exchanges) = @_;
				print $out "call $name\n";
				for (@exchanges)
				{
					my ($ask, $answer) = @$_;
					print $out "$_->[0] ", IdgenConversation::print_value($names->with_names($_->[1])), "\n" for [ ask => $ask ], [ answer => $answer ];
				}
				print $out 'gives ', $names->text_with_names($given{$name} = $gave), "\n";
			});
		close $out;
		return;
	}

	# The recorded calls, by name, each with what it gives and the numbers of its exchanges; and all exchanges.
	sub read_recorded
	{
		my ($kind) = @_;
		my ($call, %calls, @exchanges);
		for (split /\n/, slurp_file(file_of($kind)))
		{
			my ($what, $text) = split / /, $_, 2;
			if ($what eq 'call') { $call = $calls{$text} = { asked => [] } }
			elsif ($what eq 'ask') { push @exchanges, [ IdgenConversation::parse_value($text) ]; push @{ $call->{asked} }, $#exchanges }
			elsif ($what eq 'answer') { $exchanges[-1][1] = IdgenConversation::parse_value($text) }
			else { $call->{gives} = $text }
		}
		return (\%calls, @exchanges);
	}

	# What is named for the first time is new to who makes it.
	sub new_names { my ($text, $seen) = @_; return $text =~ s/<(\w+) (\d+)>/$seen->{"$1 $2"} ? "<$1 $2>" : "<new $1>"/ger }

	# $change: what a registry of another version answers.
	sub check_node
	{
		my ($kind, $what, $change) = @_;
		my ($recorded, @exchanges) = read_recorded($kind);
		my $names = IdgenConversation->new($kind, 1);
		my @answers = map { $change->($names->with_values($_->[1])) } @exchanges;
		my %given = map { $_ => $names->with_values($recorded->{$_}{gives}) } keys %$recorded;
		my %seen;
		converse(
			$kind,
			sub { my (undef, $number) = @_; return $answers[$number] },
			\%given,
			sub {
				my ($store, $name, $gave, @got) = @_;
				my $of = $recorded->{$name} or return fail("$kind, $what: $name is not recorded");
				my @wanted = map { $exchanges[$_] } @{ $of->{asked} };
				my @asked;
				for my $number (0 .. $#wanted)
				{
					my ($ask, $answer) = map { IdgenConversation::print_value($_) } @{ $wanted[$number] };
					push @asked, new_names($ask, \%seen);
					$seen{$_} = 1 for "$ask $answer" =~ /<(\w+ \d+)>/g;
				}
				is(join("\n", map { IdgenConversation::print_value($names->with_names($_->[0])) } @got), join("\n", @asked), "$kind, $what: $name: asks what is recorded");
				is(_plain($names->text_with_names($gave)), _plain($of->{gives}), "$kind, $what: $name: gives the same");
			});
		return;
	}

	# Random numbers are not the same.
	sub _plain { my ($text) = @_; return $text =~ s/<(?:new )?(?:version|identity)(?: \d+)?>/<random>/gr }

	sub check_registry
	{
		my ($kind) = @_;
		my ($recorded, @exchanges) = read_recorded($kind);
		my $real = start_real($kind);
		my ($names, $made) = map { IdgenConversation->new($kind, $_) } 0, 1;
		for (@exchanges)
		{
			my ($ask, $answer) = @$_;
			# What the node made has any value.
			for my $name (IdgenConversation::print_value($ask) =~ /(<\w+(?: \d+)?>)/g)
			{
				$names->{name}{ $names->{value}{$name} //= $made->value_of_name($name) } = $name;
			}
			my $got = $names->with_names(IdgenConversation::answer_from($kind, $real, $names->with_values($ask)));
			is(IdgenConversation::print_value($got), IdgenConversation::print_value($answer), "$kind: a registry of today answers " . substr IdgenConversation::print_value($ask), 0, 90);
		}
		return;
	}

	# An etcd's keys with a field that a later version has added, or without one.
	sub check_fields
	{
		my $etcd = start_real('etcd');
		my $store = IdgenStoreCalls->new(kind => 'etcd', session => $session, registry => $etcd, address => $etcd->registry('/idgen'));
		$store->identity;
		$store->claim(0, 0, 11, 12);
		$store->manage('create', 'tickets');
		my $extend = sub { return $store->extend(0, 11, 12, 0, 5000) };
		my $fetch = sub { return _text($store->fetch([ 'tickets', 0, 1, 0 ])) };
		is($extend->(), 'answered granted 5000', 'etcd: an extension');
		for ([ registry => $extend ], [ 'number/0000000000' => $extend ], [ 'counter/tickets' => $fetch ])
		{
			my ($key, $call) = ("/idgen/$_->[0]", $_->[1]);
			my $value = $store->value_in($key);
			for my $field (sort keys %$value)
			{
				my %lacking = %$value;
				delete $lacking{$field};
				$store->put($key, \%lacking);
				my $expected = $field eq 'name' ? qr/^answered granted/ : $key =~ /counter/ ? qr/^answered; awaits advance$/ : $field eq 'cluster' ? qr/^denied the registry has been copied/ : $key =~ /number/ ? qr/^limited .* lacks a field/ : qr/^denied .* lacks a field/;
				like($call->(), $expected, "etcd: $key without $field");
			}
			$store->put($key, { %$value, later => '1', list => [ { first => '1' } ] });
			like($call->(), qr/^answered(?: granted|; done)/, "etcd: $key with fields of a later version");
			is(join(' ', sort keys %{ $store->value_in($key) }), join(' ', sort keys(%$value), $key =~ /registry/ ? qw(later list) : ()), "etcd: $key: a node writes what it knows");
		}
		return;
	}

	# What a later version of the registry may say more.
	sub later
	{
		my ($answer) = @_;
		return [ map { later($_) } @$answer ] if ref $answer eq 'ARRAY';
		return $answer if ref $answer ne 'HASH' || $answer->{rows};
		return { later => '1', map { $_ => later($answer->{$_}) } keys %$answer };
	}

	for my $kind ('postgres', 'etcd')
	{
		record($kind) if $ENV{STABLE_WRITE};
		check_registry($kind);
		check_node($kind, 'the registry of then', sub { return $_[0] });
	}
	check_node('etcd', 'the registry of a later version', \&later);
	check_fields();
}

# The page of a server's numbers as a later version of idgen_lease wrote it: the server says so and claims nothing; with
# the page of its own version it goes on.
{
	my $registry = start_registry('later_registry');
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
}

done_testing();
