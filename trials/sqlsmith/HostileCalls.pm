# Calls at random of every function of idgen's extensions, with arguments that are extreme, wrong, too long or of another encoding.
package HostileCalls;

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT_OK = qw(calls_of call_at_random setting_at_random copy_at_random);

# The functions, procedures and aggregates of the extensions that SQL can call: name, kind, types of the arguments.
sub calls_of
{
	my ($session, $but) = @_;
	my $rows = $session->selectall_arrayref(<<'SQL', { Slice => {} });
SELECT format('%I.%I', nspname, proname) AS name, prokind AS kind, proretset AS returns_set,
       ARRAY(SELECT format_type(type, NULL)
             FROM unnest(CASE prokind WHEN 'p' THEN coalesce(proallargtypes, proargtypes) ELSE proargtypes END) WITH ORDINALITY AS a (type, position) ORDER BY position) AS types
FROM pg_catalog.pg_proc p
     JOIN pg_catalog.pg_namespace n ON n.oid = pronamespace
     JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_proc'::regclass AND objid = p.oid AND deptype = 'e'
     JOIN pg_catalog.pg_extension e ON e.oid = refobjid
WHERE extname ~ '^idgen' AND prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype, 'internal'::regtype)
  AND 'internal'::regtype <> ALL (proargtypes)
ORDER BY p.oid
SQL
	return grep { $_->{name} !~ $but } @$rows;
}

sub one_of { return $_[ rand @_ ] }
sub quoted { my ($text) = @_; return "'" . ($text =~ s/'/''/gr =~ s/\0//gr) . "'" }

# A whole number, most often at an edge of some type.
sub number
{
	my $edge = 2**int rand 64;
	return one_of(0, 1, -1, 2, 7, 255, 1023, 4095, 8191, -32768, 32767, -2147483648, 2147483647, '-9223372036854775808', '9223372036854775807', int rand 100, int rand 1e6)
	  if rand() < 0.6;
	return sprintf '%.0f', one_of(1, -1) * ($edge == 2**63 ? 9223372036854774784 : $edge + one_of(-1, 0, 1));
}

my @texts = (
	'', ' ', 'a', '0', '-1', 'snowflake', 'instagram', 'discord', 'mastodon', 'js53', 'epoch=2024-01-01 unit=1ms time=41 shard=10 sequence=12', 'region=3 shard=7 time=41w sequence=12',
	'lease', '0-15', '1,2-4, 9', '0-2147483647', '5-3', '01ARZ3NDEKTSV4RRFFQ69G5FAV', '7ZZZZZZZZZZZZZZZZZZZZZZZZZ', '8ZZZZZZZZZZZZZZZZZZZZZZZZZ', '0ujtsYcgvSTl8PAuAdqWYSMnLOv', '507f1f77bcf86cd799439011',
	'user_01h455vb4pex5vsknk084sn02q', 'AzL8n0Y58m7', '7AzL8n0Y58m7', 'aWgEPTl1tmebfsQzFP4bxwgy80V', '018cc251-f400-7000-8000-000000000001', 'public.t', 'idgen.horizon', 'pg_class', 'id', 'new', 'made', '10 days', '1 month',
	'hour', 'day', 'week', 'month', 'year', 'fortnight', '2024-01-01', 'infinity', '{}', '{1,2}', 'NULL', '%s%n%I', q{'; DROP TABLE t; --}, "\xff\xfe", "\xc3", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\x01\x7f", "a\tb\nc");

# A text: one of these, a part of it changed, or one that is too long.
sub text
{
	my $text = one_of(@texts);
	substr($text, rand length $text, 1) = chr rand 256 if length $text && rand() < 0.3;
	$text .= one_of(@texts) if rand() < 0.2;
	return rand() < 0.005 ? one_of('x', '0', "\xe2\x82\xac", '1,') x 10**(1 + int rand 5) : $text;
}

my @instants = ('-infinity', 'infinity', 'epoch', 'now', '4713-01-01 00:00:00+00 BC', '294276-12-31 23:59:59.999999+00', '2024-01-01', '1969-12-31 23:59:59.999+00', '0001-01-01', '2011-08-24 21:07:01.721+00', '2106-02-07 06:28:16+00', '9999-12-31',
	'2262-04-11 23:47:17+00', '10889-08-02 05:31:50.656+00', '1582-10-15');
my @steps = ('0', '1 day', '-1 day', '1 month', '1 hour', '1 us', '178000000 years', '-178000000 years', '1 month 1 day', '3 years', '7 days', '2147483647 days', '1 ms', '90 minutes', '1 week');

# Digits of an alphabet; or, one time in six, a text that need not be any.
sub digits
{
	my ($first, $alphabet, $count) = @_;
	return rand() < 0.17 ? text() : join '', one_of(@$first), map { one_of(@$alphabet) } 2 .. $count;
}
my @base62 = (0 .. 9, 'A' .. 'Z', 'a' .. 'z');
my @base32 = (0 .. 9, grep { !/[ILOU]/ } 'A' .. 'Z');
my @hex = (0 .. 9, 'a' .. 'f');

sub layout
{
	return one_of(qw(snowflake instagram discord mastodon js53)) if rand() < 0.6;
	return text() if rand() < 0.3;
	return sprintf 'epoch=%04d-01-01 unit=%dms time=%d%s shard=%d sequence=%d', 1 + rand 9999, one_of(1, 1, 1, 2, 10, 1000, 1001), one_of(41, 41, 32, 1 + int rand 63), one_of('', 'w'), one_of(10, 4, int rand 33), one_of(12, int rand 33);
}

# Literals by the type of the argument; what is not here is read from a text.
my %literal = (
	(map { my ($type, $bits) = @$_; ($type => sub { my $number = number(); quoted(abs $number < 2**$bits || rand() < 0.05 ? $number : one_of(-1, 0, 1)) }) } [ smallint => 15 ], [ integer => 31 ], [ bigint => 63 ], [ real => 63 ]),
	oid       => sub { rand() < 0.1 ? quoted(int rand 20000) : quoted(one_of('t', 'album', 'track', 'small', 'parts', 'pg_class')) . '::regclass' },
	id_layout => sub { quoted(layout()) },
	id64      => sub { quoted(digits([ 0 .. 9, 'A' .. 'L' ], \@base62, 11)) },
	ulid      => sub { quoted(digits([ 0 .. 7 ], \@base32, 26)) },
	ksuid     => sub { quoted(digits([ 0 .. 9, 'A' .. 'Z' ], \@base62, 27)) },
	objectid  => sub { quoted(digits(\@hex, \@hex, 24)) },
	tstzrange => sub { quoted('[' . one_of(@instants) . ',' . one_of(@instants) . one_of(')', ']')) },
	int8range => sub { quoted('[' . number() . ',' . number() . ')') },
	numeric                       => sub { quoted(one_of(number(), 'NaN', 'Infinity', '-Infinity', '1e1000', '0.5', number() . '.999')) },
	'double precision'            => sub { quoted(one_of(number(), 'NaN', 'Infinity', '-Infinity', '1e308', '1e-308')) },
	boolean                       => sub { one_of('true', 'false') },
	'timestamp with time zone'    => sub { quoted(one_of(@instants)) },
	'timestamp without time zone' => sub { quoted(one_of(@instants)) },
	interval                      => sub { quoted(one_of(@steps)) },
	uuid                          => sub { rand() < 0.3 ? quoted(join '', map { sprintf '%04x', rand 65536 } 1 .. 8) : quoted(one_of('00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '018cc251-f400-7000-8000-000000000001')) },
	bytea                         => sub { quoted('\\x' . join '', map { sprintf '%02x', rand 256 } 1 .. rand 40) },
	regclass                      => sub { quoted(one_of('t', 'album', 'track', 'small', 'parts', 'idgen.horizon', 'idgen.status', 'pg_class', 'pg_proc', 'idgen_migrate.job', number())) },
	json                          => sub { quoted(one_of('{}', '[]', 'null', '{"a": 1}', text())) },
	jsonb                         => sub { quoted(one_of('{}', '[]', 'null', '{"a": 1, "b": 9223372036854775807}', '{"a": -1}', '{"": 1e400}')) },
	record                        => sub { 'ROW(1, NULL)' });

my @any = ('integer', 'bigint', 'text', 'uuid', 'boolean', 'timestamp with time zone', 'bytea', 'id_layout', 'ulid', 'id64');

# An argument of a type, as SQL writes it.
sub argument
{
	my ($type) = @_;
	$type = one_of(@any) . ($type =~ /array/ ? '[]' : '') if $type =~ /^any|^"any"$/;
	return "NULL::$type" if rand() < 0.08;
	$type = one_of(@any) if rand() < 0.01;
	return array_of($1) if $type =~ /^(.*)\[\]$/;
	my $literal = $literal{$type} // sub { quoted(text()) };
	return $type eq 'record' ? $literal->() : '(' . $literal->() . ")::$type";
}

sub array_of
{
	my ($type) = @_;
	return one_of(quoted('{}'), quoted('{NULL}'), quoted('{NULL,NULL}')) . "::${type}[]" if rand() < 0.2;
	my $elements = 'ARRAY[' . join(', ', map { argument($type) } 0 .. rand 5) . "]::${type}[]";
	return rand() < 0.1 ? "array_fill(" . argument($type) . ', ARRAY[2, 3])' : rand() < 0.1 ? "ARRAY[$elements, $elements]" : rand() < 0.05 ? "array_fill(" . argument($type) . ", ARRAY[100000])" : $elements;
}

# A statement that calls the function: once, for each of some rows, or in the place of a table.
sub call_at_random
{
	my ($call) = @_;
	my ($name, $kind, @types) = (@{$call}{qw(name kind)}, @{ $call->{types} });
	my $arguments = sub { return join ', ', map { argument($_) } @types };
	return "CALL $name(" . $arguments->() . ')' if $kind eq 'p';
	my $way = rand;
	return "SELECT * FROM $name(" . $arguments->() . ') LIMIT 1000' if $kind eq 'f' && ($call->{returns_set} ? $way < 0.8 : $way < 0.1);
	return "SELECT $name(" . $arguments->() . ')' . ($kind eq 'a' ? ' FROM generate_series(1, 3)' : '') if $way < 0.7 || !@types;
	my @columns = map { "c$_" } 1 .. @types;
	# The columns have the types of the first row.
	my $rows = join ', ', map { '(' . $arguments->() . ')' } 0 .. 1 + rand 4;
	return sprintf 'SELECT %s(%s) FROM (VALUES %s) AS v (%s)', $name, join(', ', @columns), $rows, join(', ', @columns);
}

# A value for COPY FROM of the format binary, of this size in bytes most often, with whatever in it: the whole of what COPY reads.
sub copy_at_random
{
	my ($size) = @_;
	$size = int rand 40 if rand() < 0.1;
	my $top = one_of(1, 2, 256);
	my $value = join '', map { chr rand $top } 1 .. $size;
	# A layout, with one byte that may be wrong.
	substr($value, 0, 15) = pack('q>nC5', 1735689600000, 1, 41, 0, 10, 12, 0) if $size == 16 && rand() < 0.5;
	substr($value, rand $size, 1) = chr rand 256 if $size && rand() < 0.5;
	return "PGCOPY\n\xff\r\n\0" . pack('NNnN/a*', 0, 0, 1, $value) . "\xff\xff";
}

my @encodings = qw(UTF8 LATIN1 SQL_ASCII EUC_JP SJIS WIN1251 BIG5);

# A SET of one of these settings, or of what the session does with texts and time.
sub setting_at_random
{
	my @settings = @_;
	my $way = rand;
	return 'RESET ALL' if $way < 0.3;
	return 'SET statement_timeout = ' . one_of(1, 1, 2, 10, 200) if $way < 0.5;
	return 'SET client_encoding = ' . one_of(@encodings) if $way < 0.6;
	return 'SET ' . one_of('TimeZone', 'DateStyle', 'IntervalStyle', 'extra_float_digits', 'bytea_output', 'work_mem') . ' TO ' . one_of(quoted(text()), 'DEFAULT', "'Asia/Kathmandu'", "'SQL, DMY'", "'sql_standard'", "'64kB'", "'escape'", '-15') if $way < 0.7;
	return 'SET ' . one_of(@settings) . ' TO ' . one_of('DEFAULT', quoted(text()), quoted(text()), quoted(number()), quoted(one_of(@steps)), "'on'", "'off'");
}

1;
