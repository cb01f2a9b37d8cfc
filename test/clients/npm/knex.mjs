// Knex: an ID is a string.
import assert from 'node:assert';
import Knex from 'knex';
import { show, showAll } from './show.mjs';

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
const batch = await knex('photo').insert([{ title: 'batch 1' }, { title: 'batch 2' }]).returning(['id', 'title']);

const { rows: block } = await knex.raw('SELECT next_ids(?)::text AS id', [2]);
await knex('photo').insert(block.map(({ id }, n) => ({ id, title: `block ${n + 1}` })));
// End.
assert.strictEqual(typeof photo.id, 'string');
const found = await knex('photo').where({ id: photo.id }).first();
show([photo, ...batch, ...block.map(({ id }, n) => ({ id, title: `block ${n + 1}` }))], comment.photo_id, found.title);
await showAll((begin) => knex('photo').where('id', '>=', begin).where('id', '<', knex.raw('id_settled()')).orderBy('id'));
await knex.destroy();
