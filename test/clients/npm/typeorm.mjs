// TypeORM: an ID is a string.
import assert from 'node:assert';
import { show, showAll } from './show.mjs';
// In docs/clients/javascript.md:
import typeorm from 'typeorm';

const id = { type: 'bigint', primary: true, default: () => 'next_id()' };
const Photo = new typeorm.EntitySchema({
    name: 'photo',
    columns: { id, title: { type: 'text' } },
});
const Comment = new typeorm.EntitySchema({
    name: 'comment',
    columns: { id },
    relations: { photo: { type: 'many-to-one', target: 'photo', joinColumn: { name: 'photo_id' } } },
});
// End.
const source = new typeorm.DataSource({
    type: 'postgres', host: process.env.PGHOST, port: process.env.PGPORT, username: process.env.PGUSER,
    database: process.env.PGDATABASE, entities: [Photo, Comment],
});
await source.initialize();
await source.synchronize();
const { upQueries } = await source.driver.createSchemaBuilder().log();
assert.deepStrictEqual(upQueries, [], 'the schema is what the entities say');
// In docs/clients/javascript.md:
const photos = source.getRepository(Photo);
const photo = await photos.save({ title: 'one' });  // photo.id is set
const comment = await source.getRepository(Comment).save({ photo });
const batch = await photos.save([{ title: 'batch 1' }, { title: 'batch 2' }]);

const block = await source.query('SELECT next_ids(2)::text AS id');
await photos.insert(block.map(({ id }, n) => ({ id, title: `block ${n + 1}` })));
// End.
assert.strictEqual(typeof photo.id, 'string');
const found = await photos.findOneBy({ id: photo.id });
show([photo, ...batch, ...block.map(({ id }, n) => ({ id, title: `block ${n + 1}` }))], comment.photo.id, found.title);
await showAll((begin) => photos.find({
    where: { id: typeorm.Raw((id) => `${id} >= :begin AND ${id} < id_settled()`, { begin }) }, order: { id: 'ASC' },
}));
await source.destroy();
