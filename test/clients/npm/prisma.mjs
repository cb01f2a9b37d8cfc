// Prisma: a BigInt.
import assert from 'node:assert';
import pg from 'pg';
import { show, showAll } from './show.mjs';
import { PrismaPg } from '@prisma/adapter-pg';
import prismaClient from '@prisma/client';

const client = new pg.Client();
await client.connect();
await client.query(`
CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id(), title text);
CREATE TABLE comment (id bigint PRIMARY KEY DEFAULT next_id(), photo_id bigint NOT NULL REFERENCES photo)`);
await client.end();
const prisma = new prismaClient.PrismaClient({ adapter: new PrismaPg({}) });
// In docs/clients/javascript.md:
const photo = await prisma.photo.create({ data: { title: 'one' } });  // photo.id is a BigInt
const comment = await prisma.comment.create({ data: { photoId: photo.id } });
const batch = await prisma.photo.createManyAndReturn({ data: [{ title: 'batch 1' }, { title: 'batch 2' }] });

const block = await prisma.$queryRaw`SELECT next_ids(2) AS id`;
await prisma.photo.createMany({ data: block.map(({ id }, n) => ({ id, title: `block ${n + 1}` })) });
// End.
assert.strictEqual(typeof photo.id, 'bigint');
const found = await prisma.photo.findUnique({ where: { id: photo.id } });
show([photo, ...batch, ...block.map(({ id }, n) => ({ id, title: `block ${n + 1}` }))], comment.photoId, found.title);
await showAll((begin) =>
    prisma.$queryRaw`SELECT id, title FROM photo WHERE id >= ${BigInt(begin)} AND id < id_settled() ORDER BY id`);
await prisma.$disconnect();
