# What a reader of an ID's text notices if somebody who copied it made a slip: the table of docs/text-forms.md, measured.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IdgenNode;
use IdgenPages;
use Test::More;

my $node = start_node('slips', kinds => 1, conf => ["idgen.keys = '1:2b7e151628aed2a6abf7158809cf4f3c'"]);
my $session = connect_to($node);

# Each form: an ID as a text, a text as an ID, and its digits. What is random in a UUID of version 8 is here the same in each run.
my %form = (
	'decimal' => [ 'id::text', 'text::bigint', '0123456789' ],
	'Base62, `id64`' => [ 'id_to_base62(id)', 'id_from_base62(text)', join '', 0 .. 9, 'A' .. 'Z', 'a' .. 'z' ],
	'base64url' => [ 'id_to_base64url(id)', 'id_from_base64url(text)', join '', 'A' .. 'Z', 'a' .. 'z', 0 .. 9, '-', '_' ],
	'Base32' => [ 'id_to_base32(id)', 'id_from_base32(text)', '0123456789ABCDEFGHJKMNPQRSTVWXYZ' ],
	'Base32 with its check symbol' => [ 'id_to_base32(id, checksum => true)', 'id_from_base32(text, checksum => true)', '0123456789ABCDEFGHJKMNPQRSTVWXYZ' ],
	'public ID' => [ 'id_to_public(id)', 'id_from_public(text)', join '', 0 .. 9, 'A' .. 'Z', 'a' .. 'z' ],
	'UUID' => [ q{replace(id_to_uuid(id)::text, '-', '')}, 'id_from_uuid(text::uuid)', '0123456789abcdef' ],
	'UUID of version 8' => [ q{left(replace(id_to_uuidv8(id)::text, '-', ''), 17) || to_hex((id & 3) << 2) || left(md5(id::text), 14)}, 'id_from_uuid(text::uuid)', '0123456789abcdef' ],
	'TypeID of a UUID' => [ q{typeid_text('', id_to_uuid(id))}, 'id_from_uuid(typeid_uuid(text))', '0123456789abcdefghjkmnpqrstvwxyz' ]);

# Each slip, at one place of a text.
my %slip = (
	'a digit changed' => q{SELECT overlay(text PLACING digit FROM place FOR 1) AS slipped FROM regexp_split_to_table(digits, '') AS digit},
	'two neighbors swapped' => 'SELECT overlay(text PLACING reverse(substr(text, place, 2)) FROM place FOR 2) AS slipped',
	'a digit left out' => q{SELECT overlay(text PLACING '' FROM place FOR 1) AS slipped},
	'a digit twice' => 'SELECT overlay(text PLACING repeat(substr(text, place, 1), 2) FROM place FOR 1) AS slipped');

# Of all slips that change the text of 50 IDs, the share that is refused.
sub refused
{
	my ($form, $slip) = @_;
	my ($print, $read, $digits) = @{ $form{$form} };
	$session->do('DROP FUNCTION IF EXISTS is_refused');
	$session->do(<<"SQL");
CREATE FUNCTION is_refused(text text) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN PERFORM $read; RETURN false; EXCEPTION WHEN data_exception THEN RETURN true; END'
SQL
	my ($all, $refused) = $session->selectrow_array(<<"SQL", undef, $digits);
SELECT count(*), count(*) FILTER (WHERE is_refused(slipped))
  FROM (SELECT $print AS text, ?::text AS digits FROM (SELECT id_make('2026-01-01Z'::timestamptz + n * interval '6.7 days', 5 * n, n) AS id FROM generate_series(1, 50) AS n) AS i) AS t,
       generate_series(1, length(text)) AS place, LATERAL ($slip{$slip}) AS s
 WHERE slipped <> text
SQL
	return 'all' if $refused == $all;
	return 'none' if $refused == 0;
	return 'under 1 %' if 100 * $refused < $all;
	return sprintf '%.0f %%', 100 * $refused / $all;
}

my ($head, @rows) = map { [ map { s/^ +| +$//gr } split /\|/, s/^\| | \|$//gr ] } grep { !/^\|-/ } page('text-forms') =~ /^(\| form \|.*?)^\n/ms ? split(/\n/, $1) : ();
my ($first, @slips) = @$head;
is_deeply([ sort @slips ], [ sort keys %slip ], 'the table has each slip');
is_deeply([ sort map { $_->[0] } @rows ], [ sort keys %form ], 'and each form');
for my $row (@rows)
{
	my ($form, @said) = @$row;
	is(join(' | ', @said), join(' | ', map { refused($form, $_) } @slips), $form);
}

done_testing();
