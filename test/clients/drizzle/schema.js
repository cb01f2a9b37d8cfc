import { relations } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { bigint, index, pgTable, text } from 'drizzle-orm/pg-core';
import { id64, ulid } from './ids.js';

export const photo = pgTable('photo', {
    id: bigint('id', { mode: 'bigint' }).primaryKey().default(sql`next_id()`),
    title: text('title'),
});
export const album = pgTable('album', {
    id: id64('id').primaryKey().default(sql`next_id()`),
    title: text('title'),
    pictures: id64('pictures').array(),
});
export const visit = pgTable('visit', {
    id: ulid('id').primaryKey().default(sql`next_ulid()`),
    albumId: id64('album_id').references(() => album.id),
    photoId: bigint('photo_id', { mode: 'bigint' }).references(() => photo.id),
    before: ulid('before').array(),
}, (table) => [index('visit_album_id').on(table.albumId)]);

export const visitRelations = relations(visit, ({ one }) => ({
    album: one(album, { fields: [visit.albumId], references: [album.id] }),
    photo: one(photo, { fields: [visit.photoId], references: [photo.id] }),
}));
