// Knex: an ID is a string.
import assert from 'node:assert';
import Knex from 'knex';
import { readIdArrays, show, showAll } from './show.mjs';

const knex = Knex({ client: 'pg', connection: { host: process.env.PGHOST } });
// In docs/clients/javascript.md:
await knex.schema.createTable('photo', (table) => {
    table.bigInteger('id').primary().defaultTo(knex.raw('next_id()'));
    table.text('title');
});
await knex.schema.createTable('comment', (table) => {
    table.bigInteger('id').primary().defaultTo(knex.raw('next_id()'));
    table.bigInteger('photo_id').references('photo.id');
});

const [photo] = await knex('photo').insert({ title: 'one' }).returning(['id', 'title']);
const [comment] = await knex('comment').insert({ photo_id: photo.id }).returning('photo_id');
// End.
const batch = await knex('photo').insert([{ title: 'batch 1' }, { title: 'batch 2' }]).returning(['id', 'title']);

const { rows: block } = await knex.raw('SELECT next_ids(?)::text AS id', [2]);
await knex('photo').insert(block.map(({ id }, n) => ({ id, title: `block ${n + 1}` })));
assert.strictEqual(typeof photo.id, 'string');
const [alone] = await knex('comment').insert({ photo_id: null }).returning('photo_id');
const found = await knex('photo').where({ id: photo.id }).first();
show([photo, ...batch, ...block.map(({ id }, n) => ({ id, title: `block ${n + 1}` }))],
    [comment.photo_id, alone.photo_id], found.title);
await showAll((begin) => knex('photo').where('id', '>=', begin).where('id', '<', knex.raw('id_settled()')).orderBy('id'));

await readIdArrays({ query: async (text) => knex.raw(text) });
await knex.schema.createTable('album', (table) => {
    table.specificType('id', 'id64').primary().defaultTo(knex.raw('next_id()'));
    table.text('title');
    table.specificType('pictures', 'id64[]');
});
const [album] = await knex('album').insert({ title: 'one' }).returning('id');
const albums = await knex('album').insert([{ title: 'batch 1' }, { title: 'batch 2' }]).returning('id');
const pictures = albums.map(({ id }) => id);
await knex('album').where({ id: album.id }).update({ pictures });
const chosen = await knex('album').whereRaw('id = ANY(?)', [pictures]);
assert.deepStrictEqual(chosen.map(({ id }) => id), pictures);
const [one] = await knex('album').whereIn('id', [album.id]);
assert.deepStrictEqual(one.pictures, pictures);
await knex.destroy();
