// Drizzle: a BigInt.
import assert from 'node:assert';
import { show, showAll } from './show.mjs';
import { and, eq, gte, lt } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
// In docs/clients/javascript.md:
import { sql } from 'drizzle-orm';
import { bigint, pgTable, text } from 'drizzle-orm/pg-core';

export const photo = pgTable('photo', {
    id: bigint('id', { mode: 'bigint' }).primaryKey().default(sql`next_id()`),
    title: text('title'),
});
export const comment = pgTable('comment', {
    id: bigint('id', { mode: 'bigint' }).primaryKey().default(sql`next_id()`),
    photoId: bigint('photo_id', { mode: 'bigint' }).references(() => photo.id),
});
// End.
const pool = new pg.Pool();
const db = drizzle(pool);
await db.execute(sql`
CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id(), title text);
CREATE TABLE comment (id bigint PRIMARY KEY DEFAULT next_id(), photo_id bigint REFERENCES photo)`);
// In docs/clients/javascript.md:
const [one] = await db.insert(photo).values({ title: 'one' }).returning();
const [remark] = await db.insert(comment).values({ photoId: one.id }).returning();
// End.
const batch = await db.insert(photo).values([{ title: 'batch 1' }, { title: 'batch 2' }]).returning();

const { rows: block } = await db.execute(sql`SELECT next_ids(2)::text AS id`);
await db.insert(photo).values(block.map(({ id }, n) => ({ id: BigInt(id), title: `block ${n + 1}` })));
assert.strictEqual(typeof one.id, 'bigint');
const [alone] = await db.insert(comment).values({ photoId: null }).returning();
const [found] = await db.select().from(photo).where(eq(photo.id, one.id));
show([one, ...batch, ...block.map(({ id }, n) => ({ id, title: `block ${n + 1}` }))],
    [remark.photoId, alone.photoId], found.title);
await showAll((begin) =>
    db.select().from(photo).where(and(gte(photo.id, BigInt(begin)), lt(photo.id, sql`id_settled()`))).orderBy(photo.id));
await pool.end();
