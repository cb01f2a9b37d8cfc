// Kysely: an ID is a string.
import assert from 'node:assert';
import { readIdArrays, show, showAll } from './show.mjs';
import pg from 'pg';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { Migrator } from 'kysely/migration';
// In docs/clients/javascript.md:
import { Kysely, PostgresDialect, sql } from 'kysely';

const migration = {
    async up(db) {
        await db.schema.createTable('photo')
            .addColumn('id', 'bigint', (column) => column.primaryKey().defaultTo(sql`next_id()`))
            .addColumn('title', 'text')
            .execute();
        await db.schema.createTable('comment')
            .addColumn('id', 'bigint', (column) => column.primaryKey().defaultTo(sql`next_id()`))
            .addColumn('photo_id', 'bigint', (column) => column.references('photo.id'))
            .execute();
        await db.schema.createTable('album')
            .addColumn('id', sql`id64`, (column) => column.primaryKey().defaultTo(sql`next_id()`))
            .addColumn('title', 'text')
            .addColumn('pictures', sql`id64[]`)
            .execute();
    },
};
// End.
const pool = new pg.Pool();
const db = new Kysely({ dialect: new PostgresDialect({ pool }) });
const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ photos: migration }) } });
for (const names of [['photos'], []]) {
    const { error, results } = await migrator.migrateToLatest();
    assert.deepStrictEqual([error, results.map(({ migrationName }) => migrationName)], [undefined, names]);
}
// In docs/clients/javascript.md:
const photo = await db.insertInto('photo').values({ title: 'one' }).returning(['id', 'title']).executeTakeFirst();
const comment = await db.insertInto('comment').values({ photo_id: photo.id }).returning('photo_id').executeTakeFirst();
// End.
const batch = await db.insertInto('photo')
    .values([{ title: 'batch 1' }, { title: 'batch 2' }]).returning(['id', 'title']).execute();

const { rows: block } = await sql`SELECT next_ids(${2}) AS id`.execute(db);
await db.insertInto('photo').values(block.map(({ id }, n) => ({ id, title: `block ${n + 1}` }))).execute();
assert.strictEqual(typeof photo.id, 'string');
const alone = await db.insertInto('comment').values({ photo_id: null }).returning('photo_id').executeTakeFirst();
const found = await db.selectFrom('photo').select('title').where('id', '=', photo.id).executeTakeFirst();
show([photo, ...batch, ...block.map(({ id }, n) => ({ id, title: `block ${n + 1}` }))],
    [comment.photo_id, alone.photo_id], found.title);
await showAll((begin) => db.selectFrom('photo').select('id').where('id', '>=', begin)
    .where('id', '<', sql`id_settled()`).orderBy('id').execute());

await readIdArrays(pool);
const album = await db.insertInto('album').values({ title: 'one' }).returning('id').executeTakeFirst();
const albums = await db.insertInto('album')
    .values([{ title: 'batch 1' }, { title: 'batch 2' }]).returning('id').execute();
const pictures = albums.map(({ id }) => id);
await db.updateTable('album').set({ pictures }).where('id', '=', album.id).execute();
const chosen = await db.selectFrom('album').selectAll().where('id', '=', sql`ANY(${pictures})`).execute();
assert.deepStrictEqual(chosen.map(({ id }) => id), pictures);
const [one] = await db.selectFrom('album').selectAll().where('id', 'in', [album.id]).execute();
assert.deepStrictEqual(one.pictures, pictures);

// The nested rows of a query are JSON, which rounds a bigint: the page says so.
const comments = await db.insertInto('comment').values(Array(20).fill({ photo_id: null })).returning('id').execute();
const { id } = comments.find(({ id }) => BigInt(Number(id)) !== BigInt(id));  // the first of a millisecond is a number
const nested = (column) => db.selectFrom('photo').where('photo.id', '=', photo.id)
    .select((photos) => jsonArrayFrom(
        photos.selectFrom('comment').select(column).where('comment.id', '=', id)).as('comments'))
    .executeTakeFirst();
assert.notStrictEqual(String((await nested('comment.id')).comments[0].id), id);
// In docs/clients/javascript.md:
const exact = sql`comment.id::text`.as('id');
// End.
assert.strictEqual((await nested(exact)).comments[0].id, id);
await db.deleteFrom('comment').where('id', 'in', comments.map(({ id }) => id)).execute();
await db.destroy();
