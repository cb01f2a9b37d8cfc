// Prints as psycopg/app.py does: titles and IDs, as the client has them.
export function show(rows, comment, found) {
    for (const { title, id } of rows) console.log(`${title}\t${id}`);
    console.log(`comment\t${comment}`);
    console.log(`found\t${found}`);
}
