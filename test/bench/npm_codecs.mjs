// Nanoseconds that the npm libraries take to write and to read a text, as {kind: {print, parse}}: node npm_codecs.mjs MILLISECONDS
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(pathToFileURL(`${process.cwd()}/test/oracles/`));
const { ObjectId } = require('bson');
const KSUID = require('ksuid');
const ulid = require('ulid');
const uuid = require('uuid');

const milliseconds = Number(process.argv[2]);

// Keeps the engine from leaving the work out.
let sink = 0;

function nanoseconds(work) {
  for (let n = 0; n < 20000; n++) sink += work(n).length;
  let calls = 0;
  const began = process.hrtime.bigint();
  let spent = 0n;
  while (spent < BigInt(milliseconds) * 1000000n) {
    for (let n = 0; n < 1000; n++) sink += work(calls + n).length;
    calls += 1000;
    spent = process.hrtime.bigint() - began;
  }
  return Number(spent) / calls;
}

// Sixteen values in turn, so that no answer can be kept.
const sixteen = (make) => Array.from({ length: 16 }, (_, n) => make(n));
const pick = (values, n) => values[n % 16];
const bytes = (size) => (n) => Buffer.from(Array.from({ length: size }, (_, i) => (17 * n + 31 * i + 1) % 128));

const uuids = sixteen((n) => uuid.v7({ msecs: 1700000000000 + n }));
const uuidBytes = uuids.map((text) => uuid.parse(text));
const ulids = uuids.map((text) => ulid.uuidToULID(text));
const ksuids = sixteen(bytes(20)).map((raw) => new KSUID(raw));
const ksuidTexts = ksuids.map((id) => id.string);
const ksuidBytes = ksuids.map((id) => id.raw);
const objectIds = sixteen(bytes(12)).map((raw) => new ObjectId(raw).toHexString());
const objectIdBytes = sixteen(bytes(12));

console.log(JSON.stringify({
  ulid: { print: nanoseconds((n) => ulid.uuidToULID(pick(uuids, n))), parse: nanoseconds((n) => ulid.ulidToUUID(pick(ulids, n))) },
  ksuid: { print: nanoseconds((n) => new KSUID(pick(ksuidBytes, n)).string), parse: nanoseconds((n) => KSUID.parse(pick(ksuidTexts, n)).raw) },
  objectid: { print: nanoseconds((n) => new ObjectId(pick(objectIdBytes, n)).toHexString()), parse: nanoseconds((n) => new ObjectId(pick(objectIds, n)).id) },
  uuid: { print: nanoseconds((n) => uuid.stringify(pick(uuidBytes, n))), parse: nanoseconds((n) => uuid.parse(pick(uuids, n))) },
}));
if (sink === 0) throw new Error('no work was done');
