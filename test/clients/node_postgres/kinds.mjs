// Keys that are id64 and ulid, by node-postgres. Prints as JSON what it made, and what it read back. POOLED says that
// no statement is prepared.
import pg from 'pg';

const client = new pg.Client();
await client.connect();
await client.query(`
CREATE TABLE album (id id64 PRIMARY KEY DEFAULT next_id(), title text, pictures id64[]);
CREATE TABLE visit (
    id ulid PRIMARY KEY DEFAULT next_ulid(), album_id id64 REFERENCES album, title text, before ulid[])`);

// In docs/clients/javascript.md:
// Once in a process: arrays of these types are read as those of text are, whose number is 1009.
const { rows: types } = await client.query(`SELECT unnest('{id64[],ulid[]}'::regtype[])::oid AS oid`);
for (const { oid } of types) pg.types.setTypeParser(oid, pg.types.getTypeParser(1009));
// End.

// One row: album.id is a string of 11 characters.
const { rows: [album] } = await client.query('INSERT INTO album (title) VALUES ($1) RETURNING id, title', ['one']);

// Several rows in one statement.
const titles = ['batch 1', 'batch 2'];
const { rows: batch } = await client.query(
    'INSERT INTO album (title) SELECT unnest($1::text[]) RETURNING id, title', [titles]);
const ids = batch.map(({ id }) => id);
const { rows: visits } = await client.query(
    'INSERT INTO visit (album_id, title) SELECT * FROM unnest($1::id64[], $2::text[]) RETURNING id', [ids, titles]);

// Arrays.
await client.query('UPDATE album SET pictures = $2 WHERE id = $1', [album.id, ids]);
const { rows: chosen } = await client.query('SELECT * FROM album WHERE id = ANY($1) ORDER BY id', [ids]);

// What an ID says. No parameter needs a type: an id64 has functions of its own.
const { rows: [photo] } = await client.query('SELECT next_id() AS id');
const { rows: [times] } = await client.query(
    'SELECT id_time($1) AS bigint, id64_time($2) AS id64', [photo.id, album.id]);
const byId = (id) => client.query({ name: 'album_by_id', text: 'SELECT * FROM album WHERE id = $1', values: [id] });
const [{ rows: [found] }] = process.env.POOLED
    ? [await client.query('SELECT * FROM album WHERE id = $1', [album.id])]
    : await Promise.all([byId(album.id), byId(ids[0])]);
await client.query('CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id(), title text)');
const { rows: photos } = await client.query(
    'INSERT INTO photo (title) SELECT $1 FROM generate_series(1, 20) RETURNING id', ['json']);
const { id: photoId } = photos.find(({ id }) => BigInt(Number(id)) !== BigInt(id));  // the first of a millisecond is a number
const { rows: [seen] } = await client.query(
    'INSERT INTO visit (album_id, before) VALUES ($1, $2) RETURNING id', [album.id, visits.map(({ id }) => id)]);
// JSON has an id64 as a string, and a bigint only on request.
const { rows: [{ json }] } = await client.query(`
SELECT jsonb_build_object('album', to_jsonb(album), 'photo', photo.id::text) AS json
  FROM album, photo WHERE album.id = $1 AND photo.id = $2`, [album.id, photoId]);
const { rows: copied } = await client.query(`
INSERT INTO visit (album_id, title)
SELECT album_id, title FROM jsonb_to_recordset($1) AS row (album_id id64, title text) RETURNING id, album_id`,
    [JSON.stringify([{ album_id: json.album.id, title: 'json' }])]);
const { rows: [{ before }] } = await client.query('SELECT before FROM visit WHERE id = $1', [seen.id]);
const { rows: containing } = await client.query('SELECT title FROM album WHERE pictures @> $1', [[ids[0]]]);
const { rows: prepared } = await client.query('SELECT name FROM pg_prepared_statements');

const titlesOf = (rows) => rows.map(({ title }) => title);
console.log(JSON.stringify({
    one: album.id, visit: seen.id, visits: visits.map(({ id }) => id), photo: photoId, copied, drawn: photo.id,
    batch: Object.fromEntries(batch.map(({ title, id }) => [title, id])),
    found: found.title, chosen: titlesOf(chosen), containing: titlesOf(containing), pictures: found.pictures, before,
    json: [album, seen].map((row) => JSON.stringify(row)), document: json, times, prepared: prepared.length,
}));
await client.end();
