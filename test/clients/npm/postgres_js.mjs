// postgres.js: an ID is a string, or a BigInt if you ask for it.
import assert from 'node:assert';
import { show, showAll } from './show.mjs';
// In docs/clients/javascript.md:
import postgres from 'postgres';

const sql = postgres();
await sql`CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id(), title text)`;
await sql`CREATE TABLE comment (id bigint PRIMARY KEY DEFAULT next_id(), photo_id bigint REFERENCES photo)`;

const [photo] = await sql`INSERT INTO photo ${sql({ title: 'one' })} RETURNING id, title`;  // photo.id is a string
const [comment] = await sql`INSERT INTO comment ${sql({ photo_id: photo.id })} RETURNING photo_id`;
// End.
const batch = await sql`INSERT INTO photo ${sql([{ title: 'batch 1' }, { title: 'batch 2' }])} RETURNING id, title`;

const block = await sql`SELECT next_ids(${2}) AS id`;
await sql`INSERT INTO photo ${sql(block.map(({ id }, n) => ({ id, title: `block ${n + 1}` })))}`;
const chosen = await sql`SELECT title FROM photo WHERE id = ANY(${batch.map(({ id }) => id)}) ORDER BY id`;
assert.strictEqual(typeof photo.id, 'string');
assert.deepStrictEqual(chosen.map(({ title }) => title), ['batch 1', 'batch 2']);
const [alone] = await sql`INSERT INTO comment ${sql({ photo_id: null })} RETURNING photo_id`;
const [found] = await sql`SELECT title FROM photo WHERE id = ${photo.id}`;
show([photo, ...batch, ...block.map(({ id }, n) => ({ id, title: `block ${n + 1}` }))],
    [comment.photo_id, alone.photo_id], found.title);
await showAll((begin) => sql`SELECT id, title FROM photo WHERE id >= ${begin} AND id < id_settled() ORDER BY id`);

// In docs/clients/javascript.md:
const big = postgres({ types: { bigint: postgres.BigInt } });
// End.
const [{ ids }] = await big`SELECT next_id_array(3) AS ids`;
assert.deepStrictEqual(ids.map((id) => typeof id), Array(3).fill('bigint'));
for (const id of batch.map(({ id }) => BigInt(id))) {
    const [{ id: same }] = await big`SELECT id FROM photo WHERE id = ${id}`;
    assert.strictEqual(same, id);
}
await assert.rejects(big`SELECT id FROM photo WHERE id = ANY(${ids})`, /requires array on right side/);
assert.strictEqual((await big`SELECT id FROM photo WHERE id = ANY(${ids.map(String)})`).length, 0);
await big.end();

await sql`CREATE TABLE album (id id64 PRIMARY KEY DEFAULT next_id(), title text, pictures id64[])`;
const [album] = await sql`INSERT INTO album ${sql({ title: 'one' })} RETURNING id`;
const albums = await sql`INSERT INTO album ${sql([{ title: 'batch 1' }, { title: 'batch 2' }])} RETURNING id`;
const pictures = albums.map(({ id }) => id);
await sql`UPDATE album SET pictures = ${pictures} WHERE id = ${album.id}`;
const containing = await sql`SELECT id, pictures FROM album WHERE pictures @> ${[pictures[0]]}`;
assert.deepStrictEqual([...containing], [{ id: album.id, pictures }]);
await assert.rejects(sql`UPDATE album SET pictures = ${sql.array(pictures)}`,
    /is of type id64\[\] but expression is of type text\[\]/);
await sql.end();
