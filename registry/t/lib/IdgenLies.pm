# Registries that lie, for the TAP tests: each speaks the protocol of PostgreSQL or of etcd, and often enough tells the
# truth, so that the keeper gets far; otherwise it lies in one of the ways below. A seed and a connection's number
# decide what is said on that connection.
package IdgenLies;

use strict;
use warnings;

use Fcntl qw(:flock SEEK_SET);
use IdgenImpostor;
use JSON::PP qw(decode_json encode_json);
use MIME::Base64 qw(decode_base64 encode_base64);
use PostgreSQL::Test::Utils;
use Time::HiRes qw(sleep time);

my $identity = '11111111-2222-3333-4444-555555555555';

# The registry's key in an etcd.
my $registry = encode_base64(encode_json({ identity => $identity, floor_ms => '0', max_ahead_ms => '660000', largest_number => '8191', longest_ttl_ms => '0', advances => '0', cluster => '7' }), '');

# Longer than the keeper waits, whose window is 2 s.
my $late_s = 0.6;

# How an honest answer is sent as a lie. Each is given what says it, and gives the bytes to send, or undef to end the
# connection.
my %lie = (
	wrong => sub { my ($speech) = @_; return $speech->{wrong}->() },
	huge => sub { my ($speech) = @_; return $speech->{huge}->() },
	malformed => sub { my ($speech) = @_; return _damaged($speech->{honest}->()) },
	slow => \&_trickle,
	# What it was asked for it does late, too; but not any more in a registry that begins again meanwhile.
	late => sub { my ($speech) = @_; sleep $late_s + rand 1; return $speech->{is_over}->() ? undef : $speech->{honest}->() },
	repeated => sub { my ($speech) = @_; my $bytes = $speech->{honest}->(); return (rand) < 0.5 ? $bytes . $bytes : $speech->{repeated}->($bytes) },
	previous => sub { my ($speech) = @_; my $bytes = $speech->{honest}->(); my $before = $speech->{before}; return $before // $bytes },
	cut => sub { my ($speech) = @_; my $bytes = $speech->{honest}->(); syswrite $speech->{socket}, substr $bytes, 0, int rand length $bytes; return },
	refusal => sub { my ($speech) = @_; return $speech->{refusal}->() },
);

# What takes no time is said more often.
my @told = (sort(keys %lie), ('wrong') x 10, ('malformed') x 4, ('refusal') x 3);

# Starts one of a kind; its files are in a folder. It lies until it is made honest.
sub start
{
	my ($class, $kind, $seed, $folder) = @_;
	my $self = bless { folder => $folder, kind => $kind }, $class;
	my $said = $kind eq 'etcd' ? \&_etcd_speech : \&_postgres_speech;
	my ($before, $share);
	$self->{impostor} = IdgenImpostor->start(
		$kind,
		sub {
			my ($socket, $asked, $count, $connection) = @_;
			srand $seed + $connection * 1000 if $count == 1;
			$share //= _one_of(0.05, 0.15, 0.6);
			my $speech = { %{ $said->($self, $asked) }, socket => $socket, before => $before };
			my $honest = $speech->{honest};
			my $remembered = sub { return $before = $honest->() };
			my $bytes = eval { $self->_answer({ %$speech, honest => $remembered }, $share) };
			append_to_file("$self->{folder}/faults", $@) if $@;
			return $bytes;
		},
		greeting => sub { my ($socket, $usual, $connection) = @_; srand $seed + $connection; return $self->_greeting($socket, $usual) });
	return $self;
}

sub port { my ($self) = @_; return $self->{impostor}{port} }

# From now on it tells the truth, as a registry that begins again.
sub be_honest
{
	my ($self) = @_;
	unlink "$self->{folder}/etcd";
	append_to_file("$self->{folder}/honest", '');
	return;
}

# How many answers of each kind were sent.
sub sent
{
	my ($self) = @_;
	my %sent;
	$sent{$_}++ for split /\n/, slurp_file("$self->{folder}/sent");
	return \%sent;
}

# What was wrong with the lies themselves.
sub faults { my ($self) = @_; return -e "$self->{folder}/faults" ? slurp_file("$self->{folder}/faults") : '' }

sub _answer
{
	my ($self, $speech, $share) = @_;
	return $speech->{honest}->() if -e "$self->{folder}/honest";
	my $kind = (rand) < $share ? _one_of(@told) : 'honest';
	append_to_file("$self->{folder}/sent", "$kind\n");
	return $kind eq 'honest' ? $speech->{honest}->() : $lie{$kind}->({ %$speech, is_over => sub { return -e "$self->{folder}/honest" } });
}

# What PostgreSQL's protocol begins with: another way to log in, a refusal, or what is none of either.
sub _greeting
{
	my ($self, $socket, $usual) = @_;
	return $usual if -e "$self->{folder}/honest" || (rand) < 0.85;
	append_to_file("$self->{folder}/sent", "greeting\n");
	my @ways = (
		sub { return message('R', pack('N', int rand 14) . _one_of('', 'salt', "SCRAM-SHA-256\0\0", _noise(20))) },
		sub { return error_message(_one_of('no s3cret here', _noise(40)), _one_of('28P01', '57P03', 'XX000')) },
		sub { return _damaged($usual) },
		sub { return _trickle({ honest => sub { return $usual }, socket => $socket }) },
		sub { return 'EFATAL: s3cret ' . _noise(50) },
		sub { return message('v', pack('NN', 0, 1) . "x\0") . $usual },
		sub { return (message('S', "a\0" . 'b' x 1000 . "\0") x 1000) . $usual },
		sub { return undef });
	return _one_of(@ways)->();
}

sub _one_of { return $_[ int rand @_ ] }

sub _noise { my ($size) = @_; return join '', map { chr int rand 256 } 1 .. 1 + int rand $size }

# Numbers around the edges of what can hold them, and what is not a number.
sub _odd
{
	my @edges = (0, 8191, 1 << 31, -(1 << 31), 1 << 32, 1 << 53, 1 << 62, int(time * 1000), int(time * 1e6), 253402300799999, -62135596800000, 9224318015999999, -210866803200000);
	return _one_of(
		_one_of(@edges) + int(rand 2001) - 1000,
		_one_of(qw(9223372036854775807 -9223372036854775808 9223372036854775000 -9223372036854775000 9223372036854775808 -99999999999999999999999)),
		_one_of('', 't', 'f', 'granted', 'refused', 'too far', '1e400', 'NaN', '-', '007', '0x10', 's3cret', "a\0b", "\xff\xfe\x80", "line\nline\ttab", 'x' x 300, $identity, 'null', _noise(30)));
}

sub _damaged
{
	my ($bytes) = @_;
	for (1 .. 1 + int rand 8)
	{
		my $at = int rand length $bytes;
		my $change = int rand 4;
		substr($bytes, $at, 1) = chr int rand 256 if $change == 0;
		substr($bytes, $at, 1) = chr(ord(substr $bytes, $at, 1) ^ 1 << int rand 8) if $change == 1;
		substr($bytes, $at, 0) = _noise(20) if $change == 2;
		substr($bytes, $at, int rand 20) = '' if $change == 3 && length $bytes > 40;
	}
	return $bytes;
}

# Byte by byte, with pauses; the rest at once, or not at all.
sub _trickle
{
	my ($speech) = @_;
	my $bytes = $speech->{honest}->();
	my $end = time + rand 1.2;
	my $sent = 0;
	while ($sent < length $bytes && time < $end)
	{
		syswrite $speech->{socket}, substr $bytes, $sent++, 1 or return;
		sleep rand 0.02;
	}
	return (rand) < 0.8 ? substr $bytes, $sent : undef;
}

# What PostgreSQL answers: a table of values around which the lies are made.

my $parsed = message('1', '') . message('2', '');

sub _result { return $parsed . rows(@_) . command_complete() . ready() }

sub _postgres_speech
{
	my ($self, $asked) = @_;
	my @table = _honest_table($asked);
	my $rows = rows(@table) . command_complete();
	return {
		honest => sub { return _result(@table) },
		wrong => sub { return _result(_wrong_table(@table)) },
		huge => sub { return _result(_huge_table(@table)) },
		repeated => sub { return $parsed . $rows x (2 + int rand 3) . ready() },
		refusal => sub { return $parsed . _refusal() . ready() } };
}

sub _honest_table
{
	my ($asked) = @_;
	my $now = int(time * 1000);
	return [$identity] if $asked =~ /identity/;
	return [ '0', undef ] if $asked =~ /set_config/;
	return [ 'granted', $now - 1000, $now, 660_000 ] if $asked =~ /[.]claim/;
	return [ 'granted', $now + 2000, $now, 660_000 ] if $asked =~ /[.](extend|stop)/;
	return ['t'] if $asked =~ /release/;
	return [ $now + 720_000 ] if $asked =~ /advance/;
	return map { [ 0, $_, $now + 500, $_ % 2 ? 't' : 'f', "node $_", 4711, 1, $now - 60_000, 5000 ] } 0 .. 3;
}

sub _wrong_table
{
	my @table = map { [@$_] } @_;
	my $shape = int rand 8;
	push @$_, _odd() for $shape == 0 ? @table : $shape == 1 ? $table[-1] : ();
	pop @$_ for $shape == 2 ? @table : $shape == 3 ? $table[-1] : ();
	return () if $shape == 4;
	push @table, map { [@$_] } reverse @table for $shape == 5 ? 1 .. 3 : ();
	for (1 .. 1 + int rand 4)
	{
		my $row = _one_of(@table);
		$row->[ int rand @$row ] = (rand) < 0.15 ? undef : _odd() if @$row;
	}
	return @table;
}

sub _huge_table
{
	my @table = map { [@$_] } @_;
	my $row = _one_of(@table);
	return (@table) x (20_000 / @table) if (rand) < 0.3;
	$row->[ int rand @$row ] = _one_of('x', '9', "\xff", '-', "\0", ' ') x _one_of(70_000, 1_000_000, 20_000_000);
	return @table;
}

# What says that there is no answer, or something beside it.
sub _refusal
{
	my $state = _one_of(qw(28000 42501 3F000 22023 25006 55000 57P01 XX000 00000), '', '%s%n');
	my $words = _one_of('s3cret', 'a%sb%n', "x\n\ty", 'long ' x 1000, _noise(100), '');
	return _one_of(
		error_message($words, $state),
		message('E', "SERROR\0VERROR\0C$state\0M$words\0nidentity\0\0"),
		message('E', _one_of('', "\0", "S\0", 'M', _noise(30))),
		message('N', "SWARNING\0VWARNING\0C01000\0M$words\0\0") x _one_of(1, 1000) . rows(['granted', 0]) . command_complete(),
		message('A', pack('N', 1) . "a\0b\0") x _one_of(1, 1000) . command_complete(),
		message('S', "client_encoding\0" . _one_of('SJIS', 'nonsense', 'BIG5') . "\0") . rows(['granted', 0]) . command_complete(),
		message('H', "\0\0\0") . message('d', 'x') . message('c', ''),
		message('G', "\0\0\0"),
		message('W', "\0\0\0"),
		message('I', ''),
		message('s', ''),
		command_complete());
}

# What etcd answers: an object around whose text the lies are made.

sub _etcd_speech
{
	my ($self, $asked) = @_;
	my ($path) = $asked =~ m{^POST /v3/(\S+)};
	my ($body) = $asked =~ /\r\n\r\n(.*)/s;
	my $answer;
	my $text = sub { return $answer //= encode_json($self->_etcd_answer($path, decode_json($body))) };
	return {
		honest => sub { return http('200 OK', $text->(), _dated()) },
		wrong => sub { return http('200 OK', _wrong_text($text->()), _dated()) },
		huge => sub { return http('200 OK', _huge_text($text->()), _dated()) },
		repeated => sub { return http('200 OK', $text->() x 2, _dated()) },
		refusal => sub { return _odd_http($text->()) } };
}

# The answer has a date already, and the last one counts.
sub _dated { my ($at) = @_; return 'Date: ' . _date_text($at // time) }

sub _date_text
{
	my ($at) = @_;
	my @parts = gmtime $at;
	return sprintf '%s, %02d %s %04d %02d:%02d:%02d GMT', (qw(Sun Mon Tue Wed Thu Fri Sat))[ $parts[6] ], $parts[3],
	  (qw(Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec))[ $parts[4] ], $parts[5] + 1900, @parts[ 2, 1, 0 ];
}

# One that does what it is asked, in a file that all connections share: each key has its value, revision, and when it
# ends. What was written by callers who believed a lie stays no longer than a while; then all begins again.
sub _etcd_answer
{
	my ($self, $path, $asked) = @_;
	return { header => { cluster_id => '7' }, token => 't' } if $path =~ /^auth/;
	return { ID => 1 + int(rand 1e9) . '', TTL => '5' } if $path eq 'lease/grant';
	return { result => { ID => $asked->{ID}, TTL => '5' } } if $path eq 'lease/keepalive';
	open my $file, '+>>', "$self->{folder}/etcd" or die "etcd: $!";
	flock $file, LOCK_EX or die "etcd: $!";
	seek $file, 0, SEEK_SET;
	my $kept = do { local $/; <$file> };
	my $is_honest = -e "$self->{folder}/honest";
	my $state = $kept && ($is_honest || (rand) > 0.03) ? decode_json($kept) : _begun($is_honest);
	my $answer = _transact($state, $asked);
	truncate $file, 0;
	syswrite $file, encode_json($state);
	return $answer;
}

# What is there at first: a registry that needs no confirmation, or nothing. An honest etcd has the registry, at a revision that no
# caller who believed a lie has seen.
sub _begun
{
	my ($is_honest) = @_;
	my $revision = $is_honest ? 1_000_000_000 : 1;
	return { revision => $revision + 1, keys => { !$is_honest && (rand) < 0.2 ? () : ('/x/registry' => { value => $registry, revision => $revision }) } };
}

sub _transact
{
	my ($state, $asked) = @_;
	my $keys = $state->{keys};
	delete $keys->{$_} for grep { $keys->{$_}{ends} && $keys->{$_}{ends} < time } keys %$keys;
	my $differs = grep { ($keys->{ decode_base64($_->{key}) }{revision} // 0) != $_->{mod_revision} } @{ $asked->{compare} // [] };
	delete $keys->{$_} for grep { !$keys->{$_}{revision} } keys %$keys;
	my $answer = { header => { cluster_id => '7', revision => "$state->{revision}" } };
	return $answer if $differs;
	$state->{revision}++;
	$answer->{succeeded} = JSON::PP::true;
	$answer->{responses} = [ map { _operate($state, %$_) } @{ $asked->{success} // [] } ];
	return $answer;
}

sub _operate
{
	my ($state, $kind, $operation) = @_;
	my $keys = $state->{keys};
	my $key = decode_base64($operation->{key});
	$keys->{$key} = { value => $operation->{value}, revision => $state->{revision}, ends => $operation->{lease} ? time + 5 : 0 } if $kind eq 'request_put';
	delete $keys->{$key} if $kind eq 'request_delete_range';
	return { response_put => {} } if $kind ne 'request_range';
	my $end = decode_base64($operation->{range_end} // '') || "$key\0";
	my @found = map { { key => encode_base64($_, ''), value => $operation->{keys_only} ? '' : $keys->{$_}{value}, mod_revision => "$keys->{$_}{revision}" } }
	  grep { $_ ge $key && $_ lt $end } sort keys %$keys;
	return { response_range => @found ? { kvs => \@found, count => scalar @found . '' } : {} };
}

# A text of JSON with other values in some places, often within the JSON that a value holds.
sub _wrong_text
{
	my ($text) = @_;
	my @values;
	push @values, [ $-[1], $+[1] - $-[1] ] while $text =~ /"value":"([^"]{8,})"/g;
	return _changed_text($text) if !@values || (rand) < 0.4;
	my ($at, $size) = @{ _one_of(@values) };
	substr($text, $at, $size) = encode_base64(_changed_text(decode_base64(substr $text, $at, $size)), '');
	return $text;
}

sub _changed_text
{
	my ($text) = @_;
	for (1 .. 1 + int rand 4)
	{
		my @places;
		push @places, [ $-[0], $+[0] - $-[0] ] while $text =~ /"(?:[^"\\]|\\.)*"|-?\d+|true|false|null/g;
		return _one_of('', '[]', 'x', $text) unless @places;
		my ($at, $size) = @{ _one_of(@places) };
		substr($text, $at, $size) = _token();
	}
	return $text;
}

sub _token
{
	my $odd = _odd();
	return _one_of(qq("$odd"), qq("$odd"), $odd, 'null', 'true', '{}', '[]', '[{}]', '1e100000', '-0', '"\u0000"', '"\ud800"', '"=="', '"!"', '"a":1,"a"', '{"a":' x 50 . '1' . '}' x 50);
}

sub _huge_text
{
	my ($text) = @_;
	my $size = _one_of(70_000, 1_000_000, 20_000_000);
	return '[' x $size if (rand) < 0.1;
	return '[' . '0,' x ($size / 2) . '0]' if (rand) < 0.1;
	return $text . ' ' x $size if (rand) < 0.2;
	my $many = join ',', map { sprintf '{"key":"%s","value":"e30="}', encode_base64("/number/$_", '') } 1 .. $size / 100;
	return qq({"header":{"cluster_id":"7"},"responses":[{},{"response_range":{"kvs":[$many]}}]}) if (rand) < 0.4;
	my $character = _one_of('x', '9', 'A', '\\\\');
	$text =~ s/"cluster_id":"7"/'"cluster_id":"' . $character x $size . '"'/e if (rand) < 0.5;
	$text =~ s/"value":"[^"]*"/'"value":"' . $character x $size . '"'/e;
	return $text;
}

# What is wrong about an answer by HTTP, or no answer of an etcd.
sub _odd_http
{
	my ($text) = @_;
	my $message = _one_of('s3cret', 'invalid auth token', 'etcdserver: requested lease not found', 'authentication is not enabled', 'long ' x 1000);
	my $code = _one_of(3, 5, 7, 9, 16, -1, '"5"', '9223372036854775807', '1e400');
	return _one_of(
		http(_one_of('400 Bad Request', '401 Unauthorized', '404 Not Found', '500 x', '200 OK'), qq({"message":"$message","code":$code})),
		http(_one_of('100 Continue', '204 No Content', '302 Found', '503 y', '999 z'), $text, 'Location: http://127.0.0.1:1/'),
		http('200 OK', $text, _dated(_one_of(0, 1, -1, time + 1e9, 4294967296, 253402300799))),
		http('200 OK', $text, 'Date: ' . _one_of('never', 'x' x 70, '')),
		http('200 OK', $text, map { "A$_: " . 'b' x 500 } 1 .. _one_of(10, 1000)),
		"HTTP/1.1 200 OK\r\nContent-Length: " . _one_of('-1', '99999999999999999999', '5', '0') . "\r\n\r\n$text",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" . _one_of('5', 'ffffffffffffffffff', '-1', '0') . "\r\n$text\r\n0\r\n\r\n",
		"HTTP/1.0 200 OK\r\n\r\n$text",
		_noise(500));
}

1;
