// The text forms of a 64-bit ID. Those that read accept what the server's functions of these names accept: all digits, unless zeros in
// front may be missing (short).
import { answer, core, takeText } from './core.js';
import { forms, textError } from './errors.js';
import { givenFlag } from './given.js';
import { toBigInt } from './ids.js';
import { digitsText } from './kinds.js';

// Reads a text by a function of the core, whose reason is 0 if it is such a text.
function readForm(form, text, parse) {
  const reason = parse(digitsText(form, text));
  if (reason !== 0) throw textError(form, reason, answer.position, text);
  return answer.id;
}

// A flag as the core takes it.
const numberOf = (options, name) => (givenFlag(options, name) ? 1 : 0);

// The same by a function that may accept a text whose zeros in front are missing.
function readShort(form, text, options, parse) {
  const short = numberOf(options, 'short');
  return readForm(form, text, (size) => parse(size, short));
}

// Base62: 11 digits, zeros in front, in the order of the numbers. It is how the type id64 is written.
export const toBase62 = (id) => takeText(core.idgen_print_base62(toBigInt(id)));
export const fromBase62 = (text, options = {}) => readShort(forms.base62, text, options, core.idgen_parse_base62);

// The same, as the type's own input reads it.
export const toId64 = toBase62;
export const fromId64 = (text) => readForm(forms.id64, text, (size) => core.idgen_parse_base62(size, 0));

// Crockford's Base32 for people who type: 13 digits, and a check symbol if asked for.
export const toBase32 = (id, options = {}) => takeText(core.idgen_print_base32(toBigInt(id), numberOf(options, 'checksum')));
export function fromBase32(text, options = {}) {
  const checksum = numberOf(options, 'checksum');
  const form = checksum ? { ...forms.base32, missing: 'A digit or the check symbol' } : forms.base32;
  return readShort(form, text, options, (size, short) => core.idgen_parse_base32(size, checksum, short));
}

// The shortest form, for addresses.
export const toBase64url = (id) => takeText(core.idgen_print_base64url(toBigInt(id)));
export const fromBase64url = (text, options = {}) => readShort(forms.base64url, text, options, core.idgen_parse_base64url);
