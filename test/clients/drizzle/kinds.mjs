// Keys that are id64 and ulid, by Drizzle. Prints as JSON what it made, and what it read back. POOLED says that
// no statement is prepared.
import pg from 'pg';
import { arrayContains, eq, inArray, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import * as schema from './schema.js';

const { album, photo, visit } = schema;
const pool = new pg.Pool();
const db = drizzle(pool, { schema });
const [one] = await db.insert(album).values({ title: 'one' }).returning();  // one.id is a string of 11 characters
const [seen] = await db.insert(visit).values({ albumId: one.id }).returning();
const batch = await db.insert(album).values([{ title: 'batch 1' }, { title: 'batch 2' }]).returning();
const ids = batch.map(({ id }) => id);
await db.update(album).set({ pictures: ids }).where(eq(album.id, one.id));
const chosen = await db.select().from(album).where(inArray(album.id, ids)).orderBy(album.id);
const containing = await db.select().from(album).where(arrayContains(album.pictures, [ids[0]]));

const { rows: block } = await db.execute(sql`SELECT next_ids(2)::id64 AS id`);
await db.insert(album).values(block.map(({ id }, n) => ({ id, title: `block ${n + 1}` })));
const photos = await db.insert(photo).values(Array(20).fill({ title: 'json' })).returning();
const { id: photoId } = photos.find(({ id }) => BigInt(Number(id)) !== id);  // the first of a millisecond is a number
const visits = await db.insert(visit).values([{ albumId: one.id, photoId }, { albumId: one.id, photoId }]).returning();
await db.update(visit).set({ before: visits.map(({ id }) => id) }).where(eq(visit.id, seen.id));
const byId = db.select().from(album).where(eq(album.id, sql.placeholder('id'))).prepare('album_by_id');
const [found] = process.env.POOLED
    ? await db.select().from(album).where(eq(album.id, one.id))
    : await byId.execute({ id: one.id });
const [again] = await db.select().from(visit).where(eq(visit.id, seen.id));
const first = eq(visit.id, visits[0].id);
const [joined] = await db.select().from(visit).innerJoin(photo, eq(visit.photoId, photo.id)).where(first);
const nested = await db.query.visit.findFirst({ where: first, with: { album: true, photo: true } });
const { rows: [times] } = await db.execute(sql`SELECT id_time(${photoId}) AS bigint, id64_time(${one.id}) AS id64`);
const { rows: prepared } = await db.execute(sql`SELECT name FROM pg_prepared_statements`);
const idsOf = (rows) => rows.map(({ id }) => id);
const titlesOf = (rows) => rows.map(({ title }) => title);
const { album: of, photo: by } = nested;
console.log(JSON.stringify({
    one: one.id, visit: seen.id, visits: idsOf(visits), photo: photoId, block: idsOf(block),
    batch: Object.fromEntries(batch.map(({ title, id }) => [title, id])),
    found: found.title, chosen: titlesOf(chosen), containing: titlesOf(containing), pictures: found.pictures, before: again.before,
    json: [one, seen].map((row) => JSON.stringify(row)), joined: joined.photo.id,
    nested: { album: of.id, pictures: of.pictures, photo: by.id, photoId: nested.photoId },
    times: { bigint: new Date(times.bigint), id64: new Date(times.id64) }, prepared: prepared.length,
}, (key, value) => typeof value === 'bigint' ? String(value) : value));
await pool.end();
