// TypeORM: an ID is a string.
import assert from 'node:assert';
import { readIdArrays, show, showAll } from './show.mjs';
// In docs/clients/javascript.md:
import { DataSource, EntitySchema, In, Raw } from 'typeorm';

const id = { type: 'bigint', primary: true, default: () => 'next_id()' };
const Photo = new EntitySchema({
    name: 'photo',
    columns: { id, title: { type: 'text' } },
});
const Comment = new EntitySchema({
    name: 'comment',
    columns: { id },
    relations: { photo: { type: 'many-to-one', target: 'photo', joinColumn: { name: 'photo_id' } } },
});
// End.
const Album = new EntitySchema({
    name: 'album',
    columns: {
        id: { type: 'id64', primary: true, default: () => 'next_id()' },
        title: { type: 'text' },
        pictures: { type: 'id64', array: true, nullable: true },
    },
});
const source = new DataSource({
    type: 'postgres', host: process.env.PGHOST, port: process.env.PGPORT, username: process.env.PGUSER,
    database: process.env.PGDATABASE, entities: [Photo, Comment, Album],
});
// In docs/clients/javascript.md:
source.driver.supportedDataTypes.push('id64', 'ulid');  // before initialize()
// End.
await source.initialize();
await source.synchronize();
const { upQueries } = await source.driver.createSchemaBuilder().log();
assert.deepStrictEqual(upQueries, [], 'the schema is what the entities say');
// In docs/clients/javascript.md:
const photos = source.getRepository(Photo);
const photo = await photos.save({ title: 'one' });  // photo.id is set
const comment = await source.getRepository(Comment).save({ photo });
// End.
const batch = await photos.save([{ title: 'batch 1' }, { title: 'batch 2' }]);

const block = await source.query('SELECT next_ids(2)::text AS id');
await photos.insert(block.map(({ id }, n) => ({ id, title: `block ${n + 1}` })));
assert.strictEqual(typeof photo.id, 'string');
const alone = await source.getRepository(Comment).save({ photo: null });
const found = await photos.findOneBy({ id: photo.id });
show([photo, ...batch, ...block.map(({ id }, n) => ({ id, title: `block ${n + 1}` }))],
    [comment.photo.id, alone.photo], found.title);
await showAll((begin) => photos.find({
    where: { id: Raw((id) => `${id} >= :begin AND ${id} < id_settled()`, { begin }) }, order: { id: 'ASC' },
}));

await readIdArrays({ query: async (text) => ({ rows: await source.query(text) }) });
const albums = source.getRepository(Album);
const album = await albums.save({ title: 'one' });
const pictures = (await albums.save([{ title: 'batch 1' }, { title: 'batch 2' }])).map(({ id }) => id);
await albums.update({ id: album.id }, { pictures });
const chosen = await albums.findBy({ id: Raw((id) => `${id} = ANY(:pictures)`, { pictures }) });
assert.deepStrictEqual(chosen.map(({ id }) => id), pictures);
const [one] = await albums.findBy({ id: In([album.id]) });
assert.deepStrictEqual(one.pictures, pictures);
await source.destroy();
