// What a text can be: every kind of ID that it fits, the likeliest first.
//
// A text has often many readings: 19 digits are an ID in most layouts, and 11 letters are Base62 and base64url. What tells them apart is the
// time that each reading gives. IDs that people look up were made lately, so a reading weighs 1 / (its age in days + 30); a time ahead of the
// clock weighs a thousandth of that. Evidence that chance would seldom give, such as a check symbol that fits, weighs more. The likelihood of
// a reading is its share of all weights: a guess, and meant as one.
import { textSize } from './core.js';
import { bounds, decode, fromUuid, timeNear, timeNearUs } from './ids.js';
import { toInstant } from './instants.js';
import { readKsuid, readObjectId, readTypeId, readUlid, readUuid } from './kinds.js';
import { layoutInfo, layouts as presets } from './layouts.js';
import { fromBase32, fromBase62, fromBase64url } from './texts.js';

const dayMs = 86400000;
const slackDays = 30, ahead = 0.001, wrapping = 0.001;

function weightOf(time, now) {
  if (time === null) return ahead / slackDays;
  const age = (now - time) / dayMs;
  return age < -1 ? ahead / (slackDays - age) : 1 / (slackDays + Math.max(age, 0));
}

// The parts of an ID; where time wraps, its time in the turn nearest to now. Every number has such a time, so that it is near says little.
function partsNear(id, layout, now) {
  const parts = decode(id, layout);
  if (!parts || !layoutInfo(layout).wraps) return parts;
  return { ...parts, time: timeNear(id, now, layout), ...(parts.timeUs !== undefined && { timeUs: timeNearUs(id, now, layout) }), wraps: true };
}

// The value, or nothing if the text is refused.
function attempt(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}

// The 64-bit numbers that a text can be: the form, and how much more than by chance the text says so.
const numberForms = [
  { form: 'decimal', pattern: /^\d{1,19}$/, read: BigInt, evidence: 1 },
  { form: 'base62', pattern: /^[0-9A-Za-z]{11}$/, read: fromBase62, evidence: 1 },
  { form: 'base64url', pattern: /^[B-Za-z0-9_-][A-Za-z0-9_-]{8,10}$/, read: fromBase64url, evidence: 1 },
  { form: 'base32', pattern: /^(?:[0-9a-z]-*){13}$/i, read: fromBase32, evidence: 1 },
  { form: 'base32check', pattern: /^(?:[0-9a-z]-*){13}[0-9a-z*~$=]$/i, read: (text) => fromBase32(text, { checksum: true }), evidence: 37 },
];

function numberReadings(text, layouts, now) {
  const readings = [];
  for (const { form, pattern, read, evidence } of numberForms) {
    const id = pattern.test(text) ? attempt(() => read(text)) : undefined;
    if (id === undefined) continue;
    for (const layout of layouts) {
      const parts = attempt(() => partsNear(id, layout, now));
      if (parts) readings.push({ kind: 'id', form, layout, id, ...parts, weight: evidence * (parts.wraps ? wrapping : 1) * weightOf(parts.time, now) });
    }
  }
  return readings;
}

// A number of up to ten digits is seldom an ID: a layout makes such numbers in its first minutes only. One of more than 64 bits is none.
function plainNumber(text) {
  if (!/^\d{1,19}$/.test(text) || BigInt(text) >= 2n ** 63n) return [];
  return [{ kind: 'number', id: BigInt(text), time: null, weight: text.length <= 10 ? 1 : 1e-6 }];
}

// A UUID, and the IDs that it holds: that the time beside an ID is its own is no chance.
function uuidReadings(text, layouts, now) {
  const uuid = attempt(() => readUuid(text));
  if (!uuid) return [];
  const readings = [{ ...uuid, weight: weightOf(uuid.time, now) }];
  for (const layout of layouts) {
    const id = attempt(() => fromUuid(text, layout));
    if (id !== undefined) readings.push({ kind: 'id', form: 'uuid', layout, id, ...decode(id, layout), weight: 1000 * weightOf(uuid.time, now) });
  }
  return readings;
}

// ULID and a TypeID without prefix are both 26 digits: the one is written in upper case, the other in lower.
function otherReadings(text, now) {
  const isLower = text === text.toLowerCase();
  const readers = [[readUlid, isLower ? 0.01 : 1], [readKsuid, 1], [readObjectId, 1], [readTypeId, 1]];
  return readers.map(([read, evidence]) => ({ value: attempt(() => read(text)), evidence })).filter(({ value }) => value)
    .map(({ value, evidence }) => ({ ...value, weight: evidence * weightOf(value.time, now) }));
}

// The readings of a text; one that is longer than any ID has none. `layouts` are those to try: presets, and one's own.
export function recognize(text, { now = Date.now(), layouts = presets } = {}) {
  const trimmed = String(text).trim();
  if (trimmed.length > textSize) return [];
  const readings = [
    ...numberReadings(trimmed, layouts, now), ...plainNumber(trimmed), ...uuidReadings(trimmed, layouts, now), ...otherReadings(trimmed, now),
  ];
  const all = readings.reduce((sum, { weight }) => sum + weight, 0);
  return readings.map(({ weight, wraps, ...reading }) => ({ ...reading, likelihood: weight / all })).sort((a, b) => b.likelihood - a.likelihood);
}

const quoted = (text) => `'${String(text).replaceAll("'", "''")}'`;

// The start of the day (UTC) of an instant, and of the next one: unix ms.
function dayOf(when) {
  const day = Math.floor(toInstant(when, 'when').ms / dayMs) * dayMs;
  return [day, day + dayMs];
}
const dateText = (unixMs) => new Date(unixMs).toISOString().slice(0, 10);

// The SQL that finds the rows of the day (UTC) in which an ID was made; nothing for a layout whose time wraps.
export function daySql(when, layout = 'instagram', table = 'photo', column = 'id') {
  if (layoutInfo(layout).wraps) return undefined;
  const [day, next] = dayOf(when);
  const { first, last } = bounds(day, next, layout);
  const named = layout === 'instagram' ? '' : `, ${quoted(layout)}`;
  return {
    withExtension: `SELECT * FROM ${table} WHERE id_within(${column}, '[${dateText(day)} 00:00Z, ${dateText(next)} 00:00Z)'${named});`,
    plain: `SELECT * FROM ${table} WHERE ${column} BETWEEN ${first} AND ${last};`,
  };
}

const lowest = { ulid: 'ulid_min', ksuid: 'ksuid_min', objectid: 'objectid_min', uuid: 'uuidv7_min' };

// The same for a column of another kind, by the functions of idgen_kinds; of UUIDs, those of version 7.
export function kindDaySql(when, kind, table = 'photo', column = 'id') {
  const [day, next] = dayOf(when).map((unixMs) => `${lowest[kind]}('${dateText(unixMs)} 00:00Z')`);
  return `SELECT * FROM ${table} WHERE ${column} >= ${day} AND ${column} < ${next};`;
}
