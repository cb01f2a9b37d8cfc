# The stores of a registry of numbers as nodes call them, for the TAP tests: store_calls.cpp's functions on a server,
# and what lies in a PostgreSQL's tables or an etcd's keys, looked at past the store.
package IdgenStoreCalls;

use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use Exporter qw(import);
use IdgenNode;
use JSON::PP qw(decode_json encode_json);
use MIME::Base64 qw(decode_base64 encode_base64);

our @EXPORT = qw(make_store_functions);

# Makes the calls of the stores SQL functions of a database.
sub make_store_functions
{
	my ($session) = @_;
	my $call = 'address text, answer_ms int, identity text, kind text, number bigint, incarnation bigint, proposed bigint, life bigint, from_ms bigint, to_ms bigint, ttl_ms bigint, name text';
	$session->do("CREATE FUNCTION store_$_ RETURNS text AS '$ENV{IDGEN_PRELOADS}/store_calls' LANGUAGE C STRICT")
	  for 'identity(address text, answer_ms int)', 'list(address text, answer_ms int)', 'release(address text, answer_ms int, number bigint)', "call($call)",
	  'fetch(address text, answer_ms int, identity text, names text[], counts bigint[], least_counts bigint[], sinces bigint[])',
	  'give_back(address text, answer_ms int, identity text, names text[], firsts bigint[], versions bigint[])',
	  'manage(address text, answer_ms int, act text, name text, first bigint, largest bigint, block bigint, max_block bigint)', 'counters(address text, answer_ms int)',
	  'administer(address text, answer_ms int, act text, a bigint, b bigint, c bigint)';
	return;
}

# A store: `kind` is postgres or etcd, `address` what idgen.registry would say, `session` one on a server that has the
# functions, `registry` one of the registry's owner or an IdgenEtcd.
sub new
{
	my ($class, %self) = @_;
	return bless { answer_ms => 20000, prefix => '/idgen', %self }, $class;
}

# The same from another session, or at another address, or with another patience.
sub with { my ($self, %other) = @_; return bless { %$self, %other }, ref $self }

sub identity
{
	my ($self) = @_;
	my $answer = value_of($self->{session}, 'SELECT store_identity(?, ?)', @$self{qw(address answer_ms)});
	$self->{identity} = $1 if $answer =~ /^answered (\S+)$/;
	return $answer;
}

sub list { my ($self) = @_; return value_of($self->{session}, 'SELECT store_list(?, ?)', @$self{qw(address answer_ms)}) }
sub release { my ($self, $number) = @_; return value_of($self->{session}, 'SELECT store_release(?, ?, ?)', @$self{qw(address answer_ms)}, $number) }

sub arguments
{
	my ($self, $kind, $number, $incarnation, $proposed, $life, $from, $to, $ttl, $name) = @_;
	return (@$self{qw(address answer_ms identity)}, $kind, $number, $incarnation, $proposed, $life, $from, $to, $ttl, $name // 'name');
}
sub call_sql { return 'SELECT store_call(' . join(', ', ('?') x 12) . ')' }
sub _call { my ($self, @call) = @_; return value_of($self->{session}, call_sql(), $self->arguments(@call)) }

# The calls of a node: "answered granted 1700000000000", or the reply and why.
sub claim { my ($self, $number, $accepted, $proposed, $life, $ttl, $name) = @_; return $self->_call('claim', $number, $accepted, $proposed, $life, 0, 0, $ttl // 600000, $name // "name $proposed") }
sub extend { my ($self, $number, $incarnation, $life, $from, $to, $ttl) = @_; return $self->_call('extend', $number, $incarnation, 0, $life, $from, $to, $ttl // 600000) }
sub stop { my ($self, $number, $incarnation, $life, $from, $to) = @_; return $self->_call('stop', $number, $incarnation, 0, $life, $from, $to, 0) }

# The calls of counters, many in one: fetch([ name, count, least, since ], ...), give_back([ name, first, version ],
# ...). Each gives the reply, or why not, and then for each counter a list: done, and what came with it; or another
# outcome.
sub fetch_sql { return 'SELECT store_fetch(?, ?, ?, ?, ?, ?, ?)' }
sub fetch_arguments { my ($self, @calls) = @_; return (@$self{qw(address answer_ms identity)}, map { my $i = $_; [ map { $_->[$i] } @calls ] } 0 .. 3) }
sub fetch { my ($self, @calls) = @_; return answers_in(value_of($self->{session}, fetch_sql(), $self->fetch_arguments(@calls))) }

sub give_back
{
	my ($self, @calls) = @_;
	return answers_in(value_of($self->{session}, 'SELECT store_give_back(?, ?, ?, ?, ?, ?)', @$self{qw(address answer_ms identity)}, map { my $i = $_; [ map { $_->[$i] } @calls ] } 0 .. 2));
}

sub answers_in
{
	my ($text) = @_;
	return $text if $text !~ s/^answered //;
	return ('answered', map { /^done (.*)/ ? [ 'done', split / /, $1 ] : [$_] } split /; /, $text);
}

# What an owner does: `first` is where a counter begins (-1: not said), or goes on.
sub manage
{
	my ($self, $act, $name, %option) = @_;
	my $answer = value_of($self->{session}, 'SELECT store_manage(?, ?, ?, ?, ?, ?, ?, ?)', @$self{qw(address answer_ms)}, $act, $name, $option{first} // -1, $option{largest} // 1000000, $option{block} // 10, $option{max_block} // 100);
	return $answer =~ s/ $//r;
}

sub counters { my ($self) = @_; return value_of($self->{session}, 'SELECT store_counters(?, ?)', @$self{qw(address answer_ms)}) }

# advance: longest_ahead_ms, at_ms. limit: max_ahead_ms, largest_number, longest_ttl_ms. forget: unused_ms.
sub administer { my ($self, $act, @numbers) = @_; return value_of($self->{session}, 'SELECT store_administer(?, ?, ?, ?, ?, ?)', @$self{qw(address answer_ms)}, $act, map { $_ // 0 } @numbers[ 0 .. 2 ]) }

sub key { my ($self, $what, $number) = @_; return "$self->{prefix}/$what" . (defined $number ? sprintf('/%010d', $number) : '') }
sub _base64 { my ($text) = @_; return encode_base64($text, '') }

# What a key of the etcd holds; undef if it is not there.
sub value_in
{
	my ($self, $key) = @_;
	my $found = $self->{registry}->call('kv/range', { key => _base64($key) })->{kvs} // return;
	return $found->[0]{value} ? decode_json(decode_base64($found->[0]{value})) : {};
}
sub put
{
	my ($self, $key, $value, $lease) = @_;
	return $self->{registry}->call('kv/put', { key => _base64($key), value => _base64(ref $value ? encode_json($value) : $value), $lease ? (lease => $lease) : () });
}

# What lies there of a secret: in PostgreSQL its hash, or 0 for none.
sub secret { my ($self, $secret) = @_; return $self->{kind} eq 'postgres' && $secret ? sha256_hex(pack 'q>', $secret) : $secret // 0 }

# The row of a number as it lies there: incarnation, life (as secret() has them), horizon_ms, claimed_ms, and `lease`:
# past, left or for ever.
sub row
{
	my ($self, $number) = @_;
	if ($self->{kind} eq 'postgres')
	{
		return $self->{registry}->selectrow_hashref(<<'SQL', undef, $number);
SELECT coalesce(encode(incarnation_hash, 'hex'), '0') AS incarnation, coalesce(encode(life_hash, 'hex'), '0') AS life, horizon_ms, claimed_ms,
       CASE WHEN lease_end IS NULL THEN 'for ever' WHEN lease_end <= clock_timestamp() THEN 'past' ELSE 'left' END AS lease
  FROM idgen_registry.lease WHERE number = ?
SQL
	}
	my $row = $self->value_in($self->key('number', $number)) // return;
	my $holder = $self->{registry}->call('kv/range', { key => _base64($self->key('holder', $number)) })->{kvs};
	my $lease = !$holder ? 'past' : $holder->[0]{lease} ? 'left' : 'for ever';
	return { (map { $_ => $row->{$_} } qw(incarnation life horizon_ms claimed_ms)), lease => $lease };
}

# Puts a row there, whose lease is past, left (ten minutes) or for ever.
sub put_row
{
	my ($self, $number, %row) = @_;
	if ($self->{kind} eq 'postgres')
	{
		my $end = { past => '-infinity', left => '10 min' }->{ $row{lease} };
		$self->{registry}->do(q{INSERT INTO idgen_registry.lease VALUES (?, idgen_registry.hash(nullif(?, 0)), idgen_registry.hash(nullif(?, 0)), ?, ?, CASE WHEN ? = '10 min' THEN now() + '10 min' WHEN ? = '-infinity' THEN '-infinity'::timestamptz END, 'owner', 1, 1, now())},
			undef, $number, @row{qw(incarnation life horizon_ms claimed_ms)}, $end, $end);
		return;
	}
	my $lease = $row{lease} eq 'left' ? $self->{registry}->call('lease/grant', { TTL => '600' })->{ID} : 0;
	$self->put($self->key('number', $number),
		{ (map { $_ => "$row{$_}" } qw(incarnation life horizon_ms claimed_ms)), lease => "$lease", ttl_ms => $lease ? '600000' : '0', lease_end_ms => '0', name => 'owner',
			system_identifier => '1', timeline => '1', since_ms => '0', advances => $self->value_in($self->key('registry'))->{advances} });
	$self->put($self->key('holder', $number), '', $lease) if $row{lease} ne 'past';
	return;
}

# No number has ever been held.
sub clear
{
	my ($self) = @_;
	if ($self->{kind} eq 'postgres') { $self->{registry}->do('DELETE FROM idgen_registry.lease'); return }
	$self->{registry}->call('kv/deleterange', { key => _base64("$self->{prefix}/$_/"), range_end => _base64("$self->{prefix}/${_}0") }) for 'number', 'holder';
	return;
}

1;
