export { IdgenError } from './errors.js';
export { bounds, decode, fromUuid, make, region, sequence, shard, time, timeNear, timeNearUs, timeUs, toUuid } from './ids.js';
export { formatKsuid, formatObjectId, formatTypeId, formatUlid, formatUuid, readKsuid, readObjectId, readTypeId, readUlid, readUuid } from './kinds.js';
export { layoutInfo, layouts } from './layouts.js';
export { pasted } from './pasted.js';
export { daySql, kindDaySql, recognize } from './recognize.js';
export { sources } from './sources.js';
export { fromBase32, fromBase62, fromBase64url, fromId64, toBase32, toBase62, toBase64url, toId64 } from './texts.js';
