// node-postgres: an ID is a string, or a BigInt if you ask for it.
import assert from 'node:assert';
import { show, showAll } from './show.mjs';
// In docs/clients/javascript.md:
import pg from 'pg';

const client = new pg.Client();
await client.connect();
await client.query('CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id(), title text)');
await client.query('CREATE TABLE comment (id bigint PRIMARY KEY DEFAULT next_id(), photo_id bigint REFERENCES photo)');

// A bigint comes as a string: nothing is lost, and JSON.stringify keeps it.
const { rows: [photo] } = await client.query('INSERT INTO photo (title) VALUES ($1) RETURNING id, title', ['one']);
const { rows: [comment] } = await client.query(
    'INSERT INTO comment (photo_id) VALUES ($1) RETURNING photo_id', [photo.id]);

const { rows: batch } = await client.query(
    'INSERT INTO photo (title) SELECT unnest($1::text[]) RETURNING id, title', [['batch 1', 'batch 2']]);

const { rows: [{ block }] } = await client.query('SELECT next_id_array($1)::text[] AS block', [2]);
await client.query(
    'INSERT INTO photo (id, title) SELECT * FROM unnest($1::bigint[], $2::text[])', [block, ['block 1', 'block 2']]);
// End.
assert.strictEqual(typeof photo.id, 'string');
const { rows: [alone] } = await client.query('INSERT INTO comment (photo_id) VALUES ($1) RETURNING photo_id', [null]);
assert.strictEqual(JSON.parse(JSON.stringify(photo)).id, photo.id);
const { rows: [{ title }] } = await client.query('SELECT title FROM photo WHERE id = $1', [photo.id]);
show([photo, ...batch, ...block.map((id, n) => ({ id, title: `block ${n + 1}` }))],
    [comment.photo_id, alone.photo_id], title);

await showAll(async (begin) =>
    (await client.query('SELECT id, title FROM photo WHERE id >= $1 AND id < id_settled() ORDER BY id', [begin])).rows);

// In docs/clients/javascript.md:
pg.types.setTypeParser(pg.types.builtins.INT8, BigInt);  // never Number or parseInt: they round
// End.
const { rows: [{ id }] } = await client.query('SELECT id FROM photo WHERE id = $1', [photo.id]);
assert.strictEqual(id, BigInt(photo.id));
assert.notStrictEqual(BigInt(Number(photo.id) + 1), id + 1n);
await client.end();
