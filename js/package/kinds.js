// The other kinds of ID: ULID, KSUID, ObjectId, UUID and TypeID, read and written.
import { answer, core, giveText, takeText } from './core.js';
import { clipped, forms, IdgenError, sqlstate, textError, typeIdError } from './errors.js';
import { refuseNull, wrongType } from './given.js';

const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

// Gives a text to the core; its bytes.
export function digitsText(form, text) {
  refuseNull(text, form.name);
  if (typeof text !== 'string') throw wrongType(text, `a ${form.name} is a string`, 'Give a string.');
  const size = giveText(text);
  if (size === undefined)
    throw new IdgenError(sqlstate.programLimitExceeded, `a ${form.name} of more than 512 bytes`, 'No ID is that long.', form.hint);
  return size;
}

// Kinds that begin with their time: how many bytes each has, and the calls of the core.
const stamped = {
  ulid: { size: 16, parse: core.idgen_parse_ulid, print: core.idgen_print_ulid },
  ksuid: { size: 20, parse: core.idgen_parse_ksuid, print: core.idgen_print_ksuid },
  objectid: { size: 12, parse: core.idgen_parse_objectid, print: core.idgen_print_objectid },
};

function readStamped(kind, text) {
  const { size, parse, print } = stamped[kind];
  const reason = parse(digitsText(forms[kind], text));
  if (reason !== 0) throw textError(forms[kind], reason, answer.position, text);
  const read = { kind, time: new Date(answer.unixMs), bytes: answer.bytes.slice(0, size) };
  return { ...read, text: takeText(print()) };
}

function givenBytes(bytes, size, name) {
  refuseNull(bytes, name);
  if (!(bytes instanceof Uint8Array)) throw wrongType(bytes, `the bytes of a ${name} are a Uint8Array`, `Give ${size} bytes.`);
  if (bytes.length !== size)
    throw new IdgenError(sqlstate.invalidBinaryRepresentation, `invalid ${name}: wrong size`, `It has ${bytes.length} bytes.`, `Give ${size} bytes.`);
  answer.bytes.set(bytes);
}

function formatStamped(kind, bytes) {
  const { size, print } = stamped[kind];
  givenBytes(bytes, size, forms[kind].name);
  return takeText(print());
}

// Each gives kind, time, bytes, and the text as the server writes it.
export const readUlid = (text) => readStamped('ulid', text);
export const readKsuid = (text) => readStamped('ksuid', text);
export const readObjectId = (text) => readStamped('objectid', text);

// The text of such bytes.
export const formatUlid = (bytes) => formatStamped('ulid', bytes);
export const formatKsuid = (bytes) => formatStamped('ksuid', bytes);
export const formatObjectId = (bytes) => formatStamped('objectid', bytes);

// The 16 bytes of a UUID: hexadecimal digits, hyphens after any four of them, braces around them if need be.
export function uuidBytes(text) {
  const uuidForm = { name: 'UUID', hint: 'A UUID is written as 32 hexadecimal digits: 8-4-4-4-12.' };
  digitsText(uuidForm, text);
  const inner = /^\{(.*)\}$/.exec(text)?.[1] ?? text;
  if (!/^(?:[0-9a-f]{4}-?){7}[0-9a-f]{4}$/i.test(inner))
    throw new IdgenError(sqlstate.invalidTextRepresentation, `invalid input syntax for type uuid: "${clipped(text)}"`, 'It is not a UUID.', uuidForm.hint);
  return Uint8Array.from(inner.replaceAll('-', '').match(/../g), (pair) => parseInt(pair, 16));
}

export function formatUuid(bytes) {
  givenBytes(bytes, 16, 'UUID');
  return hexOf(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

// Version, null if the variant is another than that of RFC 9562, and time in whole ms, null unless the version is 1, 6 or 7.
function uuidFacts(bytes) {
  answer.bytes.set(bytes);
  const version = core.idgen_uuid_version();
  return { version: version < 0 ? null : version, time: core.idgen_uuid_time() ? new Date(answer.unixMs) : null };
}

export function readUuid(text) {
  const bytes = uuidBytes(text);
  return { kind: 'uuid', ...uuidFacts(bytes), bytes, text: formatUuid(bytes) };
}

const typeIdForm = { name: 'TypeID', hint: 'A TypeID has at most 90 characters.' };

// A TypeID holds a UUID: its prefix, that UUID, and version and time of it.
export function readTypeId(text) {
  const reason = core.idgen_parse_typeid(digitsText(typeIdForm, text));
  if (reason !== 0) throw typeIdError('TypeID', reason, answer.position, text);
  const prefix = text.slice(0, answer.size);
  const bytes = answer.bytes.slice(0, 16);
  return { kind: 'typeid', prefix, ...uuidFacts(bytes), bytes, uuid: formatUuid(bytes), text };
}

export function formatTypeId(prefix, uuid) {
  const bytes = uuid instanceof Uint8Array ? uuid : uuidBytes(uuid);
  givenBytes(bytes, 16, 'UUID');
  const size = core.idgen_print_typeid(digitsText({ name: 'prefix of a TypeID', hint: 'A prefix has at most 63 characters.' }, prefix));
  if (size < 0) throw typeIdError('prefix of a TypeID', -size, answer.position, prefix);
  return takeText(size);
}
