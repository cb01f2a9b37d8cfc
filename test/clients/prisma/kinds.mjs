// Keys that are id64 and ulid, by Prisma. Prints as JSON what it made, and what it read back.
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from './client/client.ts';

// In docs/clients/javascript.md:
// Arrays of these types come as text, {a,b}: they are read as those of text are, whose number is 1009.
const parseArray = pg.types.getTypeParser(1009);
const adapter = new PrismaPg({}, {
    userDefinedTypeParser: (oid, value) => value?.startsWith?.('{') ? parseArray(value) : value,
});
const prisma = new PrismaClient({ adapter });
// End.

const album = await prisma.album.create({ data: { title: 'one' } });  // album.id is a string of 11 characters
const visit = await prisma.visit.create({ data: { albumId: album.id } });
const batch = await prisma.album.createManyAndReturn({ data: [{ title: 'batch 1' }, { title: 'batch 2' }] });
const ids = batch.map(({ id }) => id);
await prisma.album.update({ where: { id: album.id }, data: { pictures: ids } });
const chosen = await prisma.album.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } });
const containing = await prisma.album.findMany({ where: { pictures: { has: ids[0] } } });

const block = await prisma.$queryRaw`SELECT next_ids(2)::id64 AS id`;
await prisma.album.createMany({ data: block.map(({ id }, n) => ({ id, title: `block ${n + 1}` })) });
const photos = await prisma.photo.createManyAndReturn({ data: Array(20).fill({ title: 'json' }) });
const photo = photos.find(({ id }) => BigInt(Number(id)) !== id);  // the first of a millisecond is a number
const visits = await prisma.visit.createManyAndReturn({ data: [{ albumId: album.id }, { albumId: album.id }] });
await prisma.visit.update({ where: { id: visit.id }, data: { before: visits.map(({ id }) => id) } });
const found = await prisma.album.findUnique({ where: { id: album.id }, include: { visits: true } });
const again = await prisma.visit.findUnique({ where: { id: visit.id }, include: { album: true } });
const [times] = await prisma.$queryRaw`SELECT id_time(${photo.id}) AS bigint, id64_time(${album.id}) AS id64`;
const prepared = await prisma.$queryRaw`SELECT name::text FROM pg_prepared_statements`;
const idsOf = (rows) => rows.map(({ id }) => id);
const titlesOf = (rows) => rows.map(({ title }) => title);
console.log(JSON.stringify({
    one: album.id, visit: visit.id, visits: idsOf(visits), photo: String(photo.id), block: idsOf(block),
    batch: Object.fromEntries(batch.map(({ title, id }) => [title, id])),
    found: found.title, chosen: titlesOf(chosen), containing: titlesOf(containing), pictures: again.album.pictures, before: again.before,
    json: [album, visit].map((row) => JSON.stringify(row)), nested: idsOf(found.visits).sort(), times, prepared: prepared.length,
}));
await prisma.$disconnect();
