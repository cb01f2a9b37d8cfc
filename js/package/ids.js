// 64-bit IDs: their parts, the numbers of a period, and UUIDs that hold one.
import { answer, core } from './core.js';
import { clipped, IdgenError, sqlstate } from './errors.js';
import { refuseNull, wrongType } from './given.js';
import { dateOf, instantText, isLater, never, toInstant, unixUs } from './instants.js';
import { formatUuid, uuidBytes } from './kinds.js';
import { isFinerThanMs, nameInUse, useLayout } from './layouts.js';

const smallest = -(2n ** 63n), largest = 2n ** 63n - 1n, mostDigits = 19;

// A bigint from what callers have: a bigint, a string of digits, or a number that is exact.
export function toBigInt(id) {
  if (typeof id === 'bigint') return inRange(id, id);
  if (typeof id === 'string') return bigIntOfText(id);
  if (typeof id === 'number') return bigIntOfNumber(id);
  refuseNull(id, 'id');
  throw wrongType(id, 'an ID is a bigint, a string of digits or a number', 'Give the ID as a string.');
}

function inRange(value, given) {
  if (value >= smallest && value <= largest) return value;
  throw new IdgenError(sqlstate.numericValueOutOfRange, typeof given === 'bigint' ? 'bigint out of range' : `value "${clipped(given)}" is out of range for type bigint`,
    'An ID has 64 bits, the first of them the sign.', 'Give the ID as it stands in the database.');
}

// The time that BigInt takes grows with the square of the digits, so they are counted first. One pattern for zeros and digits would take as long.
function bigIntOfText(text) {
  const [, sign, given] = /^([+-]?)(\d+)$/.exec(text.trim()) ?? [];
  if (given === undefined)
    throw new IdgenError(sqlstate.invalidTextRepresentation, `invalid input syntax for type bigint: "${clipped(text)}"`, 'It is not a decimal number.',
      'Text forms have functions of their own, such as fromId64.');
  const digits = given.replace(/^0+(?=\d)/, '');
  const size = digits.length > mostDigits ? largest + 1n + 1n : BigInt(digits);
  return inRange(sign === '-' ? -size : size, text);
}

function bigIntOfNumber(number) {
  if (!Number.isInteger(number))
    throw new IdgenError(sqlstate.invalidTextRepresentation, `invalid input syntax for type bigint: "${number}"`, 'It is not a whole number.', 'Give the ID as a string.');
  if (!Number.isSafeInteger(number))
    throw new IdgenError(sqlstate.numericValueOutOfRange, `number ${number} is too large to be exact`,
      'A JavaScript number is exact only below 2^53. This one was rounded before it came here, and so names another ID.',
      'Keep the ID as a string or a bigint on its whole way: quote it in JSON, or cast it to text in SQL.');
  return BigInt(number);
}

const timeUsAnswered = () => unixUs(answer.unixMs, answer.us);
const regionAnswered = (layout) => (layout.regionBits === 0 ? null : answer.region);
const shardAnswered = (layout) => (layout.regionBits + layout.shardBits === 0 ? null : answer.shard);
const sequenceAnswered = (layout) => (layout.sequenceBits === 0 ? null : answer.sequence);

// The parts of an ID, with timeUs only if time cannot say all of it; null for a number that the layout cannot have made, such as a negative one.
export function decode(id, layout = 'instagram') {
  const number = toBigInt(id);
  const used = useLayout(layout);
  if (!core.idgen_unpack(number)) return null;
  const parts = { time: dateOf(answer.unixMs), shard: shardAnswered(used), region: regionAnswered(used), sequence: sequenceAnswered(used) };
  return isFinerThanMs(used) ? { ...parts, timeUs: timeUsAnswered() } : parts;
}

// One part of an ID, or null as above or if the layout has no such field.
function part(id, layout, read) {
  const number = toBigInt(id);
  const used = useLayout(layout);
  return core.idgen_unpack(number) ? read(used) : null;
}
export const time = (id, layout = 'instagram') => part(id, layout, () => dateOf(answer.unixMs));
export const timeUs = (id, layout = 'instagram') => part(id, layout, timeUsAnswered);
export const shard = (id, layout = 'instagram') => part(id, layout, shardAnswered);
export const region = (id, layout = 'instagram') => part(id, layout, regionAnswered);
export const sequence = (id, layout = 'instagram') => part(id, layout, sequenceAnswered);

// The time of an ID in a layout whose time wraps, in the turn nearest to an instant.
function nearest(id, near, layout, read) {
  const number = toBigInt(id), instant = toInstant(near, 'near');
  useLayout(layout);
  return core.idgen_time_near(number, instant.ms, instant.us) ? read() : null;
}
export const timeNear = (id, near, layout = 'instagram') => nearest(id, near, layout, () => dateOf(answer.unixMs));
export const timeNearUs = (id, near, layout = 'instagram') => nearest(id, near, layout, timeUsAnswered);

function instantError(reason, layout, instant, end) {
  const [what, hint] = reason === 1
    ? ['before the epoch', 'Use a layout with an earlier epoch.']
    : ['past the end', 'Use a layout with a later epoch, a longer unit, or fewer bits below the time.'];
  return new IdgenError(sqlstate.numericValueOutOfRange, `${instantText(instant)} is ${what} of layout "${nameInUse()}"`,
    `The layout holds instants from ${instantText({ ms: layout.epochMs, us: 0 })} until before ${instantText(end)}.`, hint);
}

// A part of an ID to be made. It may be missing only if the layout has no field for it.
function givenPart(value, bits, name) {
  if (bits === 0 && (value === null || value === undefined)) return 0;
  refuseNull(value, name);
  if (Number.isSafeInteger(value)) return value;
  throw new IdgenError(sqlstate.datatypeMismatch, `${name} is a whole number`, `It was ${clipped(value)}.`, 'Give a number.');
}

function partError(reason, values) {
  const name = nameInUse();
  core.idgen_describe_layout();
  const { shard: lastShard, sequence: count } = answer;
  switch (reason) {
    case 1:
      return new IdgenError(sqlstate.numericValueOutOfRange, `shard ${values.shard} is out of range for layout "${name}"`,
        `The layout has the shards 0 to ${lastShard}.`, 'Give a shard in that range.');
    case 2:
      return new IdgenError(sqlstate.numericValueOutOfRange, `sequence ${values.sequence} is out of range for layout "${name}"`,
        `The layout has the sequences ${values.first} to ${values.first + count - 1}.`, 'Give a sequence in that range.');
    default:
      return new IdgenError(sqlstate.numericValueOutOfRange, `these parts give 0 in layout "${name}"`, 'An ID is at least 1.',
        'In the first tick, give shard or sequence a number above 0.');
  }
}

// The ID with those parts, for tests and for rows of the past. It takes nothing from a generator: a server makes IDs.
export function make(at, shardNumber, sequenceNumber, layout = 'instagram') {
  const instant = toInstant(at, 'time');
  const used = useLayout(layout);
  const values = {
    shard: givenPart(shardNumber, used.regionBits + used.shardBits, 'shard'),
    sequence: givenPart(sequenceNumber, used.sequenceBits, 'sequence'),
    first: used.sequenceFrom,
  };
  let reason = core.idgen_check_instant(instant.ms, instant.us);
  if (reason !== 0) throw instantError(reason, used, instant, { ms: answer.unixMs, us: answer.us });
  reason = core.idgen_make(instant.ms, instant.us, values.shard, values.sequence);
  if (reason !== 0) throw partError(reason, values);
  return answer.id;
}

// The first and the last number of the IDs whose time is at or after `from` and before `to`; null leaves an end open.
// For a query: WHERE id BETWEEN first AND last. A period without a tick has first above last.
export function bounds(from, to, layout = 'instagram') {
  const start = from === null ? { ms: -8.64e15, us: 0 } : toInstant(from, 'from');
  const end = to === null ? never : toInstant(to, 'to');
  if (isLater(start, end))
    throw new IdgenError(sqlstate.dataException, 'range lower bound must be less than or equal to range upper bound', `They are ${instantText(start)} and ${instantText(end)}.`, 'Give the earlier time first.');
  useLayout(layout);
  if (core.idgen_span(start.ms, start.us, end.ms, end.us)) return { first: answer.id, last: answer.last };
  throw new IdgenError(sqlstate.invalidParameterValue, `layout "${nameInUse()}" has no bounds in time`, 'Its time wraps, so the IDs of a period are not one range.',
    'Compare timeNear(id, near, layout) instead.');
}

// The UUID of version 7 that holds an ID beside its time.
export function toUuid(id, layout = 'instagram') {
  const number = toBigInt(id);
  useLayout(layout);
  const reason = core.idgen_uuid_from_id(number);
  if (reason === 0) return formatUuid(answer.bytes.slice(0, 16));
  const name = nameInUse();
  core.idgen_describe_layout();
  throw reason === 1
    ? new IdgenError(sqlstate.numericValueOutOfRange, `${number} is not an ID of layout "${name}"`, `Its IDs lie between 0 and ${answer.id}.`, 'Give the layout that the ID was made with.')
    : new IdgenError(sqlstate.numericValueOutOfRange, `no UUID can hold the time of ID ${number}`, 'A UUID of version 7 has times from 1970 to the year 10889.',
      'Use a text form, or a layout with another epoch.');
}

// The ID that such a UUID holds.
export function fromUuid(uuid, layout = 'instagram') {
  const bytes = uuidBytes(uuid);
  useLayout(layout);
  answer.bytes.set(bytes);
  const reason = core.idgen_id_from_uuid(), number = answer.id, name = nameInUse();
  if (reason === 0) return number;
  core.idgen_describe_layout();
  const why = [
    '', 'It is not a UUID of version 7 or 8 (RFC 9562).', 'The bits below its time do not hold an ID of that layout.',
    `It holds the number ${number}, whose time in that layout is another than the time beside it.`,
    `It holds the number ${number}; IDs of that layout lie between 0 and ${answer.id}.`,
  ];
  throw new IdgenError(sqlstate.invalidParameterValue, `UUID ${formatUuid(bytes)} does not hold an ID of layout "${name}"`, why[reason],
    'Give a UUID that id_to_uuid, id_to_uuidv8 or toUuid made, and the same layout.');
}
