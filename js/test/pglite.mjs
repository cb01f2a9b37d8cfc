// idgen in SQL alone on PGlite, PostgreSQL as WebAssembly: the file as it is, the same IDs as the package and so as the server.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { pathToFileURL } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { top } from './lib/browser.mjs';

const reader = await import(pathToFileURL(join(top, 'build/user/node_modules/idgen-reader/index.js')));
let db;
const rows = async (sql, values) => (await db.query(sql, values)).rows;

before(async () => {
  db = await PGlite.create();
  await db.exec(readFileSync(join(top, 'sql-only/idgen.sql'), 'utf8'));
  await db.exec("SET search_path = idgen_sql, public; SELECT idgen_set_shards('5', 'instagram'); SELECT idgen_set_shards('5', 'snowflake')");
});
after(() => db.close());

test('5,000 IDs: distinct, ascending, and read as the package reads them', async () => {
  const began = Date.now();
  const made = await rows('SELECT n.id::text, d.shard, d.sequence, extract(epoch FROM d.created_at) * 1000 AS ms FROM next_ids(5000) AS n(id), id_decode(n.id) AS d');
  assert.equal(new Set(made.map(({ id }) => id)).size, 5000);
  assert.deepEqual(made.map(({ id }) => BigInt(id)), made.map(({ id }) => BigInt(id)).sort((a, b) => (a < b ? -1 : 1)));
  assert.deepEqual(made.filter(({ id, shard, sequence, ms }) => {
    const parts = reader.decode(id);
    return parts.shard !== shard || parts.shard !== 5 || parts.sequence !== sequence || parts.time.getTime() !== Number(ms);
  }), []);
  // A tick may lie ahead of the clock, if only a little.
  const first = reader.time(made[0].id).getTime();
  assert.ok(first >= began - 1 && first <= Date.now() + 1000, `made at ${first}, not from ${began} on`);
});

test('every layout: the same ID of the same parts', async () => {
  for (const layout of reader.layouts) {
    const { shards, sequenceFrom, idsPerTick, firstTime } = reader.layoutInfo(layout);
    const at = new Date(Number(firstTime) + 86400000 * 100), parts = [shards > 1 ? shards - 1 : null, sequenceFrom + idsPerTick - 1];
    const [{ id }] = await rows('SELECT id_make($1, $2, $3, $4)::text AS id', [at, ...parts, layout]);
    assert.equal(BigInt(id), reader.make(at, ...parts, layout), layout);
    if (layout === 'trace') continue;
    const [span] = await rows('SELECT id_min($1, $2)::text AS first, id_max($1, $2)::text AS last', [at, layout]);
    assert.deepEqual(reader.bounds(at, Number(at) + 1, layout), { first: BigInt(span.first), last: BigInt(span.last) }, layout);
  }
});

test('a table with such keys; id_within is a condition on its index', async () => {
  await db.exec('CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id(), title text); SET enable_seqscan = off; SET enable_bitmapscan = off');
  const [{ id }] = await rows("INSERT INTO photo (title) VALUES ('a') RETURNING id::text");
  const day = reader.time(id).toISOString().slice(0, 10);
  const period = `[${day} 00:00Z, ${day} 24:00Z)`;
  assert.deepEqual(await rows('SELECT id::text, title FROM photo WHERE id_within(id, $1)', [period]), [{ id, title: 'a' }]);
  const plan = (await rows(`EXPLAIN SELECT * FROM photo WHERE id_within(id, '${period}')`)).map((row) => row['QUERY PLAN']).join('\n');
  assert.match(plan, /Index Cond: \(\(id >= .*id </s, plan);
});
