// Prints, as one JSON object, what this client sees of the table photo: (plain bigint, id id64, title text).
// PGHOST, PGPORT, PGUSER and PGDATABASE name the server.
'use strict';

const { Client } = require('pg');

async function look(client) {
    const first = async (sql, values) => (await client.query(sql, values)).rows[0];
    const seen = {};

    // The server's JSON, read by JavaScript: by the driver, which parses json and jsonb, and by hand.
    for (const type of ['json', 'jsonb']) {
        const row = await first(`SELECT to_${type}(p) AS doc, to_${type}(p)::text AS text FROM photo p WHERE title = 'large'`);
        seen[type] = { plain: row.doc.plain, id: row.doc.id, again: JSON.parse(JSON.stringify(JSON.parse(row.text))) };
    }

    // A row as the driver gives it: bigint and id64 are both strings.
    seen.row = await first("SELECT plain, id, pg_typeof(id) AS type FROM photo WHERE title = 'large'");

    // The string goes back as a parameter, alone, in an array and in a document.
    const { id } = seen.row;
    seen.found = (await first('SELECT title FROM photo WHERE id = $1', [id])).title;
    seen.found_in_array = (await first('SELECT title FROM photo WHERE id = ANY($1)', [[id, '00000000001']])).title;
    seen.found_in_document = (await first(
        'SELECT title FROM photo JOIN jsonb_to_record($1) AS d (id id64) USING (id)', [JSON.stringify({ id })])).title;
    seen.found_prepared = (await client.query(
        { name: 'by_id', text: 'SELECT title FROM photo WHERE id = $1', values: [id] })).rows[0].title;

    // The number that JavaScript makes of a bigint in JSON finds nothing, or another row.
    seen.by_number = (await client.query('SELECT title FROM photo WHERE plain = $1', [String(seen.json.plain)])).rowCount;

    // A new row, its ID made by the server, found by what came back.
    const made = await first("INSERT INTO photo (plain, title) VALUES (0, 'made') RETURNING id");
    seen.made = { type: typeof made.id, length: made.id.length };
    seen.found_made = (await first('SELECT title FROM photo WHERE id = $1', [made.id])).title;

    // What is no id64 is refused, with the server's words.
    try {
        await client.query('SELECT $1::id64', ['4oBVmyxvRf-']);
    } catch (error) {
        seen.refused = { code: error.code, message: error.message, detail: error.detail };
    }
    return seen;
}

async function main() {
    const client = new Client();
    await client.connect();
    try {
        process.stdout.write(JSON.stringify(await look(client)) + '\n');
    } finally {
        await client.end();
    }
}

main().catch((error) => {
    console.error(error);
    process.exitCode = 1;
});
