// Instants: what callers give and get, and the two numbers of the core: unix ms, and the microseconds beyond that ms.
import { IdgenError, sqlstate } from './errors.js';
import { refuseNull, wrongType } from './given.js';

// What a Date holds, unix ms.
const mostMs = 8.64e15;

// Later than any time of any layout, as the core reads it.
export const never = { ms: 9.3e15, us: 0 };

export const unixUs = (ms, us) => BigInt(ms) * 1000n + BigInt(us);

// An instant of a caller: a Date, a number of milliseconds, or a bigint of microseconds.
export function toInstant(given, name) {
  refuseNull(given, name);
  if (!(given instanceof Date) && typeof given !== 'number' && typeof given !== 'bigint')
    throw wrongType(given, `${name} is a Date, a number of milliseconds or a bigint of microseconds`, 'Give a Date.');
  const instant = typeof given === 'bigint' ? ofMicroseconds(given) : { ms: Number(given), us: 0 };
  if (Number.isInteger(instant.ms) && Math.abs(instant.ms) <= mostMs) return instant;
  throw new IdgenError(sqlstate.invalidParameterValue, `${name} is not a time`,
    'It must be a valid Date, or since 1970 a whole number of milliseconds or a bigint of microseconds.', 'Give a finite time.');
}

function ofMicroseconds(given) {
  const us = ((given % 1000n) + 1000n) % 1000n;
  return { ms: Number((given - us) / 1000n), us: Number(us) };
}

// A time of the core as a Date, which ends before timestamptz does.
export function dateOf(unixMs) {
  if (Math.abs(unixMs) <= mostMs) return new Date(unixMs);
  throw new IdgenError(sqlstate.datetimeFieldOverflow, 'no Date can hold the time of this ID', 'A Date ends in the year 275760.', 'Give the layout that the ID was made with.');
}

export const isLater = (a, b) => a.ms > b.ms || (a.ms === b.ms && a.us > b.us);

// As messages say it: with microseconds only if they are not 0.
export function instantText({ ms, us }) {
  if (Math.abs(ms) > mostMs) return 'the end of the calendar';
  const text = new Date(ms).toISOString();
  return us === 0 ? text : text.replace('Z', `${String(us).padStart(3, '0')}Z`);
}
