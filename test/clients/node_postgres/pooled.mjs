// postgres.js behind a pooler in transaction mode. Prints how many reads of thirty found their row.
import postgres from 'postgres';

const sql = postgres({ prepare: false, max: 3 });
const [{ id }] = await sql`INSERT INTO album ${sql({ title: 'pooled' })} RETURNING id`;
const found = await Promise.all(Array(30).fill().map(() => sql`SELECT title FROM album WHERE id = ${id}`));
console.log(found.filter(([{ title }]) => title === 'pooled').length);
await sql.end();
