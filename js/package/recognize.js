// What a text can be: every kind of ID that it fits, the likeliest first.
//
// Most texts have one kind by their shape. A number has many readings, one for each source (sources.js), and each weighs as much as it is
// likely that a source made just this number: how common the source is, how likely the time, and how likely the lower bits. A time is likelier
// if it is recent, and a thousandth of that if it lies ahead of the clock. The likelihood of a reading is its share of all weights: a guess.
import { textSize } from './core.js';
import { clipped, IdgenError, sqlstate } from './errors.js';
import { givenOptions, givenText } from './given.js';
import { bounds, decode, fromUuid, timeNear, timeNearUs } from './ids.js';
import { dateOf, toInstant } from './instants.js';
import { readKsuid, readObjectId, readTypeId, readUlid, readUuid } from './kinds.js';
import { layoutInfo } from './layouts.js';
import { sourceOf, sources } from './sources.js';
import { fromBase32, fromBase62, fromBase64url } from './texts.js';

const dayMs = 86400000;
const impossible = 1e-9, unusual = 0.001;

// The share of a source's IDs whose time is in one ms: half of them lately, half at any time.
function weightOf(time, now, since = -Infinity) {
  const age = (now - time) / dayMs;
  const weight = 1 / 5000 + 1 / (5 * (30 + Math.max(age, 0)));
  return (age < -1 || time < since ? impossible : 1) * weight / dayMs;
}

// The value, or nothing if the text is refused.
function attempt(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}

// The parts of an ID; where time wraps, its time in the turn nearest to now.
function partsNear(id, layout, now) {
  const parts = decode(id, layout);
  if (!parts || !layoutInfo(layout).wraps) return parts;
  return { ...parts, time: timeNear(id, now, layout), ...(parts.timeUs !== undefined && { timeUs: timeNearUs(id, now, layout) }) };
}

const digitsOfTid = '234567abcdefghijklmnopqrstuvwxyz';
const valueOf = (text, digits) => [...text].reduce((value, digit) => value * 32n + BigInt(digits.indexOf(digit)), 0n);

// The 64-bit numbers that a text can be.
const numberForms = [
  { form: 'decimal', pattern: /^\d{1,19}$/, read: BigInt },
  { form: 'base62', pattern: /^[0-9A-Za-z]{11}$/, read: fromBase62 },
  { form: 'base64url', pattern: /^[B-Za-z0-9_-][A-Za-z0-9_-]{8,10}$/, read: (text) => fromBase64url(text, { short: true }) },
  { form: 'base32', pattern: /^(?:[0-9a-z]-*){13}$/i, read: fromBase32 },
  { form: 'base32check', pattern: /^(?:[0-9a-z]-*){13}[0-9a-z*~$=]$/i, read: (text) => fromBase32(text, { checksum: true }) },
  { form: 'tid', pattern: /^[2-7a-j][2-7a-z]{12}$/, read: (text) => valueOf(text, digitsOfTid) },
];

// How usual a form is at a source: all that it knows if the source is said.
function usualness(form, texts = {}, isSaid = false) {
  if (isSaid) return form === 'decimal' ? 1 : texts[form] ?? 0;
  return texts[form] ?? (form === 'decimal' ? 1 : unusual);
}

function readingOf(id, form, [name, source], isSaid, now) {
  const { layout, common, chance, since, texts, lastWithoutTime } = source;
  const usual = usualness(form, texts, isSaid);
  const parts = usual === 0 || lastWithoutTime >= id ? undefined : attempt(() => partsNear(id, layout, now));
  if (!parts) return undefined;
  const weight = usual * common * weightOf(parts.time, now, since) * chance(parts);
  return { kind: 'id', source: name, form, layout, id, ...parts, weight };
}

function numberReadings(text, asked, isSaid, now) {
  return numberForms.flatMap(({ form, pattern, read }) => {
    const id = pattern.test(text) ? attempt(() => read(text)) : undefined;
    return id === undefined ? [] : asked.map((each) => readingOf(id, form, each, isSaid, now)).filter(Boolean);
  });
}

// A number that is nothing but a number: the larger, the less likely.
function plainNumber(text) {
  if (!/^\d{1,19}$/.test(text) || BigInt(text) >= 2n ** 63n) return [];
  return [{ kind: 'number', id: BigInt(text), time: null, weight: 1 / ((Number(text) + 1) * Math.log2(Number(text) + 2) ** 2) }];
}

// Seconds, ms and us since 1970 have 10, 13 and 16 digits from 2001 to 2286. Some of them lie ahead, such as the end of a session.
function unixTime(text, now) {
  const [unit, unitUs] = { 10: ['s', 1000000n], 13: ['ms', 1000n], 16: ['us', 1n] }[text.length] ?? [];
  if (!unit || !/^[1-9]\d+$/.test(text)) return [];
  const timeUs = BigInt(text) * unitUs;
  const time = dateOf(Number(timeUs / 1000n));
  return [{ kind: 'unix', unit, time, timeUs, text, weight: (time > now ? 0.01 : 1) * weightOf(Math.min(time, now), now) * Number(unitUs) / 1000 }];
}

const shapeWeight = (time, now) => (time !== null && time - now > dayMs ? impossible : 1);

// The ID of a UUID of version 7: that the time beside it is its own is no chance.
const checkedReading = (id, [name, { layout, common }]) =>
  ({ kind: 'id', source: name, form: 'uuid', layout, id, ...decode(id, layout), weight: 1000 * common });

// The ID of a UUID of version 8, which has nothing beside it: it weighs as any number does, and more than random bits only if it is likelier.
function uncheckedReading(id, each, isSaid, now) {
  const reading = readingOf(id, 'uuid', each, isSaid, now);
  return reading && { ...reading, weight: reading.weight * 2 ** 64 };
}

// A UUID, and the IDs that it holds.
function uuidReadings(text, asked, isSaid, now) {
  const uuid = attempt(() => readUuid(text));
  if (!uuid) return [];
  const held = asked.map((each) => {
    const id = attempt(() => fromUuid(text, each[1].layout));
    if (id === undefined) return undefined;
    return uuid.version === 8 ? uncheckedReading(id, each, isSaid, now) : checkedReading(id, each);
  });
  return [{ ...uuid, weight: shapeWeight(uuid.time, now) }, ...held.filter(Boolean)];
}

// 12 bytes as 20 digits of 0-9 and a-v, with 4 bits left over: seconds since 1970, machine, process, counter.
function readXid(text) {
  if (!/^[0-9a-v]{19}[0g]$/.test(text)) throw new Error('not an xid');
  const hex = (valueOf(text, '0123456789abcdefghijklmnopqrstuv') >> 4n).toString(16).padStart(24, '0');
  return { kind: 'xid', time: new Date(parseInt(hex.slice(0, 8), 16) * 1000), bytes: Uint8Array.from(hex.match(/../g), (pair) => parseInt(pair, 16)), text };
}

// Random texts without a time: all that they have is their shape.
function readRandom(text) {
  if (/^[a-z][0-9a-z]{23}$/.test(text) && /[g-z]/.test(text)) return { kind: 'cuid2', time: null, text };
  if (/^(?=.*[a-z])(?=.*[A-Z])[\w-]{21}$/.test(text)) return { kind: 'nanoid', time: null, text };
  throw new Error('neither');
}

// ULID and a TypeID without prefix are both 26 digits: the one is written in upper case, the other in lower.
function otherReadings(text, now) {
  const isLower = text === text.toLowerCase();
  const readers = [[readUlid, isLower ? 0.01 : 1], [readKsuid, 1], [readObjectId, 1], [readTypeId, 1], [readXid, 1], [readRandom, 1]];
  return readers.map(([read, evidence]) => ({ value: attempt(() => read(text)), evidence })).filter(({ value }) => value)
    .map(({ value, evidence }) => ({ ...value, weight: evidence * shapeWeight(value.time, now) }));
}

// The readings of a text; one that is longer than any ID has none. `from` is a source or a layout: then no other is tried, if the text fits it.
export function recognize(text, options = {}) {
  const trimmed = givenText(text, 'text').trim();
  const { now: at = Date.now(), from } = givenOptions(options);
  const now = toInstant(at, 'now').ms;
  if (from !== undefined) givenText(from, 'from');
  if (trimmed.length > textSize) return [];
  const asked = from === undefined ? Object.entries(sources) : [[from, sources[from] ?? sourceOf(from)]];
  const readings = [...numberReadings(trimmed, asked, from !== undefined, now), ...uuidReadings(trimmed, asked, from !== undefined, now)];
  if (from === undefined || readings.length === 0) readings.push(...plainNumber(trimmed), ...unixTime(trimmed, now), ...otherReadings(trimmed, now));
  const all = readings.reduce((sum, { weight }) => sum + weight, 0);
  return readings.map(({ weight, ...reading }) => ({ ...reading, likelihood: weight / all })).sort((a, b) => b.likelihood - a.likelihood);
}

const quoted = (text) => `'${text.replaceAll("'", "''")}'`;

// The start of the day (UTC) of an instant, and of the next one: unix ms.
function dayOf(when) {
  const day = Math.floor(toInstant(when, 'when').ms / dayMs) * dayMs;
  return [day, day + dayMs];
}
// As PostgreSQL reads it, also behind the year 9999.
const dateText = (unixMs) => dateOf(unixMs).toISOString().split('T')[0].replace(/^\+0*/, '');

// The SQL that finds the rows of the day (UTC) in which an ID was made; nothing for a layout whose time wraps.
export function daySql(when, layout = 'instagram', table = 'photo', column = 'id') {
  const [day, next] = dayOf(when);
  givenText(table, 'table');
  givenText(column, 'column');
  if (layoutInfo(layout).wraps) return undefined;
  const { first, last } = bounds(day, next, layout);
  const named = layout === 'instagram' ? '' : `, ${quoted(layout)}`;
  return {
    withExtension: `SELECT * FROM ${table} WHERE id_within(${column}, '[${dateText(day)} 00:00Z, ${dateText(next)} 00:00Z)'${named});`,
    plain: `SELECT * FROM ${table} WHERE ${column} BETWEEN ${first} AND ${last};`,
  };
}

const lowest = { __proto__: null, ulid: 'ulid_min', ksuid: 'ksuid_min', objectid: 'objectid_min', uuid: 'uuidv7_min' };

// The same for a column of another kind, by the functions of idgen_kinds; of UUIDs, those of version 7.
export function kindDaySql(when, kind, table = 'photo', column = 'id') {
  const [days, least] = [dayOf(when), lowest[givenText(kind, 'kind')]];
  givenText(table, 'table');
  givenText(column, 'column');
  if (!least) throw new IdgenError(sqlstate.invalidParameterValue, 'kind is one of ulid, ksuid, objectid and uuid', `It was "${clipped(kind)}".`, 'Give one of these.');
  const [day, next] = days.map((unixMs) => `${least}('${dateText(unixMs)} 00:00Z')`);
  return `SELECT * FROM ${table} WHERE ${column} >= ${day} AND ${column} < ${next};`;
}
