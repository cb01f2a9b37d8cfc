// Errors: the SQLSTATE and the words of the server. The reasons are those of the core, in the order of its enumerations.

export class IdgenError extends Error {
  // `code` is a SQLSTATE. detail and hint are sentences, as the server's are.
  constructor(code, message, detail, hint) {
    super(message);
    this.name = 'IdgenError';
    this.code = code;
    this.detail = detail;
    this.hint = hint;
  }
}

export const sqlstate = Object.freeze({
  dataException: '22000',
  programLimitExceeded: '54000',
  numericValueOutOfRange: '22003',
  nullValueNotAllowed: '22004',
  datetimeFieldOverflow: '22008',
  invalidParameterValue: '22023',
  invalidTextRepresentation: '22P02',
  invalidBinaryRepresentation: '22P03',
  datatypeMismatch: '42804',
});

// The beginning of what a caller gave, in whole characters: a message does not repeat more. Of all but texts and numbers, the type.
export function clipped(given) {
  const text = ['string', 'number', 'boolean'].includes(typeof given) ? String(given) : `of type ${typeof given}`;
  return text.length > 100 ? `${text.slice(0, 100).replace(/[\uD800-\uDBFF]$/, '')}...` : text;
}

// The character that begins where only digits stand before.
const characterAt = (text, position) => String.fromCodePoint(text.codePointAt(position));

const badCharacter = 2, tooLong = 3, tooShort = 4, tooLarge = 5, wrongCheck = 6, prefixBadCharacter = 7, prefixTooLong = 8;

// A text of digits, as messages say it. missing: what a short text lacks, if its reader has the option short.
export const forms = {
  base62: { name: 'Base62 text', digits: 11, largest: 'LygHa16AHYF', hint: 'Base62 has the digits 0-9, A-Z and a-z.', missing: 'A digit' },
  base32: {
    name: 'Base32 text', digits: 13, largest: 'FZZZZZZZZZZZZ', missing: 'A digit',
    hint: 'Base32 has the digits 0-9 and A-Z without I, L, O and U, in either case; hyphens may be between them. For a text that ends in a check symbol (a digit or * ~ $ = U), say { checksum: true }.',
  },
  base64url: { name: 'base64url text', digits: 11, largest: 'P__________', hint: 'base64url has the digits A-Z, a-z, 0-9, "-" and "_", without padding.', missing: 'A digit' },
  id64: { name: 'id64', digits: 11, largest: 'LygHa16AHYF', hint: 'An id64 is written as 11 digits of 0-9, A-Z and a-z. toId64 makes one of a number.' },
  ulid: { name: 'ULID', digits: 26, largest: '7ZZZZZZZZZZZZZZZZZZZZZZZZZ', hint: 'A ULID is written as 26 digits of 0-9 and A-Z without I, L, O and U, in either case, the first at most 7.' },
  ksuid: { name: 'KSUID', digits: 27, largest: 'aWgEPTl1tmebfsQzFP4bxwgy80V', hint: 'A KSUID is written as 27 digits of 0-9, A-Z and a-z.' },
  objectid: { name: 'ObjectId', digits: 24, largest: 'ffffffffffffffffffffffff', hint: 'An ObjectId is written as 24 hexadecimal digits, in either case.' },
};

// A text that is no value of a form, by its reason. `position` is where the wrong character stands.
export function textError(form, reason, position, text) {
  const { invalidTextRepresentation, numericValueOutOfRange } = sqlstate;
  const whole = `The text was "${clipped(text)}".`;
  switch (reason) {
    case badCharacter:
      return new IdgenError(invalidTextRepresentation, `invalid ${form.name}: "${characterAt(text, position)}" is not a digit`,
        `It is character ${position + 1} of "${clipped(text)}".`, form.hint);
    case tooLong:
      return new IdgenError(numericValueOutOfRange, `invalid ${form.name}: it has more than ${form.digits} digits`, whole, form.hint);
    case tooShort:
      return new IdgenError(invalidTextRepresentation, `invalid ${form.name}: it has fewer than ${form.digits} digits`, whole,
        form.missing ? `${form.missing} is missing. If zeros in front were left out instead, say { short: true }.` : form.hint);
    case tooLarge:
      return new IdgenError(numericValueOutOfRange, `invalid ${form.name}: it is too large`,
        `The text was "${clipped(text)}"; the largest is "${form.largest}".`, form.hint);
    case wrongCheck:
      return new IdgenError(invalidTextRepresentation, 'invalid Base32 text: its check symbol does not fit its digits', whole,
        'A digit was mistyped, or two changed places.');
    default:
      return new IdgenError(invalidTextRepresentation, `invalid ${form.name}: it has no digit`, whole, form.hint);
  }
}

const typeIdHint = 'A TypeID is written as a prefix, "_", and 26 digits of 0-9 and a-z without i, l, o and u, the first at most 7; without a prefix, as the digits alone.';
const prefixHint = 'A prefix has up to 63 of a-z and "_", no "_" at its ends; it may be empty.';

// A text that is not a TypeID, or not a prefix of one: `what` says which.
export function typeIdError(what, reason, position, text) {
  const isCharacter = reason === badCharacter || reason === tooLarge || reason === prefixBadCharacter;
  const character = isCharacter ? `"${characterAt(text, position)}"` : '';
  const messages = {
    [prefixBadCharacter]: `${character} is not allowed there in a prefix`,
    [prefixTooLong]: 'the prefix has more than 63 characters',
    [badCharacter]: `${character} is not a digit`,
    [tooLarge]: `${character} is above 7, the largest first digit`,
    [tooLong]: 'it has more than 26 digits',
    [tooShort]: 'it has fewer than 26 digits',
  };
  return new IdgenError(sqlstate.invalidTextRepresentation, `invalid ${what}: ${messages[reason] ?? 'it has no digit'}`,
    isCharacter ? `It is character ${position + 1} of "${clipped(text)}".` : `The text was "${clipped(text)}".`,
    reason === prefixBadCharacter || reason === prefixTooLong ? prefixHint : typeIdHint);
}

// Why a text is not a layout, by the reason: what is said of the refused word, and what to do.
const layoutWords = [
  null,
  ['the text is empty'],
  ['unknown word "%"'],
  ['"%" repeats a word', 'Each word may occur once.'],
  ['"%" needs a number of bits from 1', 'Leave out a field that the layout does not have.'],
  ['"%" is not a whole number of us from 1us to 1s', 'Write unit=100us, unit=1ms or unit=1s.'],
  ['"%" is not an instant from year 1 to 9999', 'Write a day that exists, in UTC: epoch=2020-01-01T00:00:00Z, with up to three decimals of a second.'],
  ['"%" has something after its number', 'Only time may end in "w" (it wraps), only sequence in "+1" (it counts from 1).'],
  ['it has no epoch', 'Add the instant of tick 0, such as epoch=2020-01-01T00:00:00Z.'],
  ['it has no unit', 'Add the length of a tick, such as unit=1ms.'],
  ['it has no time field', 'Add it as the first field, such as time=41.'],
  ['"%" is not the highest field', 'Put time before the other fields, so that IDs sort by time.'],
  ['region is not directly above shard', 'Write region=N shard=M next to each other.'],
  ['region and shard together, or sequence, have more than 31 bits', 'SQL shows each as an int of at most 31 bits.'],
  ['the fields have more than 64 bits together', 'Time, region, shard and sequence share 64 bits.'],
  ['a time that wraps would set the sign bit', 'Let the fields have at most 63 bits together.'],
  ['time would reach past the year 294276', 'Use fewer bits for time or a shorter unit: timestamptz ends there.'],
];

// A text that is not a layout. `presets` are the names that there are.
export function layoutError(reason, part, text, presets, meant) {
  const [message, hint] = layoutWords[reason];
  return new IdgenError(sqlstate.invalidTextRepresentation, `invalid id_layout: ${message.replace('%', () => clipped(part))}`, `The layout was "${clipped(text)}".`,
    hint ?? `${meant && `Perhaps you meant "${meant}". `}Write a preset's name (${presets.join(', ')}) or fields from the highest bit down, such as "epoch=2020-01-01T00:00:00Z unit=1ms time=41 shard=10 sequence=12".`);
}
