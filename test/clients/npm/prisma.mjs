// Prisma: a BigInt.
import assert from 'node:assert';
import pg from 'pg';
import { show, showAll } from './show.mjs';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './build/client/client.ts';

const client = new pg.Client();
await client.connect();
await client.query(`
CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id(), title text);
CREATE TABLE comment (id bigint PRIMARY KEY DEFAULT next_id(), photo_id bigint REFERENCES photo);
CREATE TABLE folder (id bigint PRIMARY KEY DEFAULT next_id(), photos bigint[], parent_id bigint REFERENCES folder)`);
await client.end();
const prisma = new PrismaClient({ adapter: new PrismaPg({}) });
// In docs/clients/javascript.md:
const photo = await prisma.photo.create({ data: { title: 'one' } });  // photo.id is a BigInt
const comment = await prisma.comment.create({ data: { photoId: photo.id } });
// End.
const batch = await prisma.photo.createManyAndReturn({ data: [{ title: 'batch 1' }, { title: 'batch 2' }] });

const block = await prisma.$queryRaw`SELECT next_ids(2) AS id`;
await prisma.photo.createMany({ data: block.map(({ id }, n) => ({ id, title: `block ${n + 1}` })) });
assert.strictEqual(typeof photo.id, 'bigint');
const alone = await prisma.comment.create({ data: { photoId: null } });
const found = await prisma.photo.findUnique({ where: { id: photo.id } });
show([photo, ...batch, ...block.map(({ id }, n) => ({ id, title: `block ${n + 1}` }))],
    [comment.photoId, alone.photoId], found.title);
await showAll((begin) =>
    prisma.$queryRaw`SELECT id, title FROM photo WHERE id >= ${BigInt(begin)} AND id < id_settled() ORDER BY id`);

// Relations that come as JSON have every digit.
const comments = await prisma.comment.createManyAndReturn({ data: Array(20).fill({ photoId: photo.id }) });
const idsOf = (rows) => rows.map(({ id }) => id).sort();
for (const relationLoadStrategy of ['query', 'join']) {
    const { comments: nested } = await prisma.photo.findUnique({
        where: { id: photo.id }, include: { comments: true }, relationLoadStrategy,
    });
    assert.deepStrictEqual(idsOf(nested), idsOf([comment, ...comments]));
    assert(nested.every(({ photoId }) => photoId === photo.id));
}
const parent = await prisma.folder.create({ data: {} });
const { photos: listed } = await prisma.folder.create({ data: { parentId: parent.id, photos: idsOf(batch) } });
assert.deepStrictEqual(listed, idsOf(batch));
const inside = { where: { id: parent.id }, include: { folders: true } };
await assert.rejects(prisma.folder.findUnique({ ...inside, relationLoadStrategy: 'join' }), /map is not a function/);
const { folders: [{ photos }] } = await prisma.folder.findUnique({ ...inside, relationLoadStrategy: 'query' });
assert.deepStrictEqual(photos, listed);
await prisma.comment.deleteMany({ where: { id: { in: idsOf(comments) } } });
await prisma.$disconnect();
