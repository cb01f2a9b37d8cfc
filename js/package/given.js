// What callers give: what a function does not take is refused with an IdgenError, whatever it is.
import { IdgenError, sqlstate } from './errors.js';

export function refuseNull(value, name) {
  if (value === null || value === undefined)
    throw new IdgenError(sqlstate.nullValueNotAllowed, `${name} must not be null`, 'It has no default.', 'Give a value.');
}

export const wrongType = (value, rule, hint) => new IdgenError(sqlstate.datatypeMismatch, rule, `It was of type ${Array.isArray(value) ? 'array' : typeof value}.`, hint);

export function givenText(value, name) {
  refuseNull(value, name);
  if (typeof value !== 'string') throw wrongType(value, `${name} is a string`, 'Give a string.');
  return value;
}

// Options by their names, of which any may be missing.
export function givenOptions(value) {
  refuseNull(value, 'options');
  if (typeof value !== 'object' || Array.isArray(value)) throw wrongType(value, 'options are an object', 'Give an object, or nothing.');
  return value;
}

// One of the options: true or false; false if it is missing.
export function givenFlag(options, name) {
  const value = givenOptions(options)[name] ?? false;
  if (typeof value !== 'boolean') throw wrongType(value, `${name} is true or false`, 'Give a boolean.');
  return value;
}
