// What a decode of the package costs beside the same by BigInt shifts in plain JavaScript, both with the same answer, as ratios, the median of
// seven rounds that take turns: node test/bench/js_decode.mjs [MILLISECONDS], after js/test/prepare.
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';

const reader = await import(pathToFileURL(resolve('build/user/node_modules/idgen-reader/index.js')));
const milliseconds = Number(process.argv[2] ?? 200);

const shifted = (id) => ({ time: new Date(Number(id >> 23n) + 1314220021721), shard: Number((id >> 10n) & 8191n), region: null, sequence: Number(id & 1023n) });
const shiftedTime = (id) => new Date(Number(id >> 23n) + 1314220021721);

// Sixteen IDs in turn, so that no answer can be kept.
const ids = Array.from({ length: 16 }, (_, n) => 4036565484265537613n + BigInt(n) * 8388613n);
const texts = ids.map(String);
for (const id of ids)
  if (JSON.stringify(reader.decode(id)) !== JSON.stringify(shifted(id))) throw new Error(`${id} differs`);

let sink = 0;
function nanoseconds(work) {
  const began = process.hrtime.bigint();
  let calls = 0, spent = 0n;
  while (spent < BigInt(milliseconds) * 1000000n) {
    for (let n = 0; n < 1000; n++) sink += work(n % 16);
    calls += 1000;
    spent = process.hrtime.bigint() - began;
  }
  return Number(spent) / calls;
}

const pairs = {
  'decode of a bigint': [(n) => reader.decode(ids[n]).shard, (n) => shifted(ids[n]).shard],
  'decode of a string': [(n) => reader.decode(texts[n]).shard, (n) => shifted(BigInt(texts[n])).shard],
  'time of a bigint': [(n) => reader.time(ids[n]).getTime(), (n) => shiftedTime(ids[n]).getTime()],
  'shard of a bigint': [(n) => reader.shard(ids[n]), (n) => Number((ids[n] >> 10n) & 8191n)],
};
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
for (const [what, [own, plain]] of Object.entries(pairs)) {
  const rounds = Array.from({ length: 7 }, () => [nanoseconds(own), nanoseconds(plain)]);
  const [ownNs, plainNs] = [0, 1].map((at) => median(rounds.map((round) => round[at])));
  const ratio = median(rounds.map(([a, b]) => a / b));
  console.log(`${what}: ${ratio.toFixed(2)} times plain JavaScript (${ownNs.toFixed(0)} and ${plainNs.toFixed(0)} ns)`);
}
if (sink === 0) throw new Error('no work was done');
