/** A 64-bit ID: a bigint, its decimal digits, or a number if it is below 2^53. */
export type Id = bigint | string | number;
/** The name of a preset, or the long form, as in SQL. */
export type Layout = string;
/** A Date, or since 1970 whole milliseconds as a number or microseconds as a bigint. */
export type Instant = Date | number | bigint;

/** An error with the SQLSTATE that the server gives in the same case. */
export class IdgenError extends Error {
  readonly code: string;
  readonly detail: string;
  readonly hint: string;
}

export interface Parts {
  /** Rounded down to its millisecond. */
  time: Date;
  /** The whole number of the node; null if the layout has no such field. */
  shard: number | null;
  region: number | null;
  sequence: number | null;
  /** The exact time in microseconds since 1970; only if the layout's unit is not whole milliseconds. */
  timeUs?: bigint;
}

/** null: a number that the layout cannot have made. */
export function decode(id: Id, layout?: Layout): Parts | null;
export function time(id: Id, layout?: Layout): Date | null;
export function timeNear(id: Id, near: Instant, layout?: Layout): Date | null;
/** Microseconds since 1970, exact in every layout. */
export function timeUs(id: Id, layout?: Layout): bigint | null;
export function timeNearUs(id: Id, near: Instant, layout?: Layout): bigint | null;
export function shard(id: Id, layout?: Layout): number | null;
export function region(id: Id, layout?: Layout): number | null;
export function sequence(id: Id, layout?: Layout): number | null;
/** The ID with those parts, for tests and rows of the past. */
export function make(time: Instant, shard: number | null, sequence: number | null, layout?: Layout): bigint;
/** The IDs of a period, for BETWEEN: `from` is part of it, `to` is not, null leaves an end open. */
export function bounds(from: Instant | null, to: Instant | null, layout?: Layout): { first: bigint; last: bigint };

/** The presets' names. */
export const layouts: readonly string[];
export interface LayoutInfo {
  name: string;
  longForm: string;
  firstTime: Date;
  lastTime: Date | null;
  /** As timeUs of an ID. */
  lastTimeUs?: bigint;
  wraps: boolean;
  /** A fraction if the layout's unit is not whole milliseconds. */
  tickMs: number;
  shards: number;
  idsPerTick: number;
  idsPerSecond: number;
  largestId: bigint;
  fitsJs: boolean;
  oneNode: boolean;
  timeBits: number;
  regionBits: number;
  shardBits: number;
  sequenceBits: number;
  sequenceFrom: 0 | 1;
  sequenceAbove: boolean;
}
export function layoutInfo(layout?: Layout): LayoutInfo;

export function toBase62(id: Id): string;
export function fromBase62(text: string, options?: { short?: boolean }): bigint;
export function toId64(id: Id): string;
export function fromId64(text: string): bigint;
export function toBase32(id: Id, options?: { checksum?: boolean }): string;
export function fromBase32(text: string, options?: { checksum?: boolean; short?: boolean }): bigint;
export function toBase64url(id: Id): string;
export function fromBase64url(text: string, options?: { short?: boolean }): bigint;
export function toUuid(id: Id, layout?: Layout): string;
export function fromUuid(uuid: string, layout?: Layout): bigint;

export interface Stamped<Kind extends string> {
  kind: Kind;
  time: Date;
  bytes: Uint8Array;
  text: string;
}
export function readUlid(text: string): Stamped<'ulid'>;
export function readKsuid(text: string): Stamped<'ksuid'>;
export function readObjectId(text: string): Stamped<'objectid'>;
export function formatUlid(bytes: Uint8Array): string;
export function formatKsuid(bytes: Uint8Array): string;
export function formatObjectId(bytes: Uint8Array): string;

export interface Uuid {
  kind: 'uuid';
  /** null: of another variant than that of RFC 9562. */
  version: number | null;
  /** null unless the version is 1, 6 or 7. */
  time: Date | null;
  bytes: Uint8Array;
  text: string;
}
export function readUuid(text: string): Uuid;
export function formatUuid(bytes: Uint8Array): string;

export interface TypeId {
  kind: 'typeid';
  prefix: string;
  uuid: string;
  version: number | null;
  time: Date | null;
  bytes: Uint8Array;
  text: string;
}
export function readTypeId(text: string): TypeId;
export function formatTypeId(prefix: string, uuid: string | Uint8Array): string;

/** Where 64-bit IDs are from, and what the fields of the layout are called there. */
export interface Source {
  readonly name: string;
  readonly layout: Layout;
  readonly region?: string;
  readonly shard?: string;
  readonly sequence?: string;
}
export const sources: Readonly<Record<string, Source>>;

export interface IdReading extends Parts {
  kind: 'id';
  form: 'decimal' | 'base62' | 'base64url' | 'base32' | 'base32check' | 'tid' | 'uuid';
  /** A name in sources, or the layout that was given. */
  source: string;
  layout: Layout;
  id: bigint;
}
export interface NumberReading {
  kind: 'number';
  id: bigint;
  time: null;
}
/** A number of seconds, milliseconds or microseconds since 1970. */
export interface UnixTime {
  kind: 'unix';
  unit: 's' | 'ms' | 'us';
  time: Date;
  timeUs: bigint;
  text: string;
}
/** Only its shape says so; it has no time. */
export interface RandomText {
  kind: 'cuid2' | 'nanoid';
  time: null;
  text: string;
}
export type Reading = (IdReading | NumberReading | UnixTime | RandomText | Uuid | TypeId | Stamped<'ulid'> | Stamped<'ksuid'> | Stamped<'objectid'> | Stamped<'xid'>) & { likelihood: number };
/** What a text can be, the likeliest first; the likelihoods add up to 1. `from` is a name in sources, or a layout. */
export function recognize(text: string, options?: { now?: number; from?: string }): Reading[];
/** The IDs in what was pasted: addresses of posts, mentions, quoted, grouped and hexadecimal numbers, several lines. */
export function pasted(text: string, most?: number): { text: string; from?: string }[];

/** The SQL that finds the rows of the day (UTC) in which an ID was made; undefined if the layout's time wraps. */
export function daySql(when: Instant, layout?: Layout, table?: string, column?: string): { withExtension: string; plain: string } | undefined;
/** The same for a column of another kind, by the functions of idgen_kinds; of UUIDs, those of version 7. */
export function kindDaySql(when: Instant, kind: 'ulid' | 'ksuid' | 'objectid' | 'uuid', table?: string, column?: string): string;
