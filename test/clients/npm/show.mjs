// What the programs of several clients share.
import pg from 'pg';

// Prints as psycopg/app.py does: titles and IDs, as the client has them.
export function show(rows, comments, found) {
    for (const { title, id } of rows) console.log(`${title}\t${id}`);
    for (const photoId of comments) console.log(`comment\t${photoId ?? ''}`);
    console.log(`found\t${found}`);
}

// Reads on from the beginning until all five photos are there, and prints their IDs. `readFrom` takes the first one that may
// come, as a string.
export async function showAll(readFrom) {
    for (let seen = 0, begin = 0n, rows; seen < 5; seen += rows.length) {
        rows = await readFrom(String(begin));
        for (const { id } of rows) console.log(`read\t${id}`);
        if (rows.length) begin = BigInt(rows.at(-1).id) + 1n;
    }
}

// Has node-postgres, and what stands on it, read arrays of id64 as those of text are, whose number is 1009.
export async function readIdArrays(connection) {
    const { rows: [{ oid }] } = await connection.query(`SELECT 'id64[]'::regtype::oid AS oid`);
    pg.types.setTypeParser(oid, pg.types.getTypeParser(1009));
}
