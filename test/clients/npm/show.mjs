// Prints as psycopg/app.py does: titles and IDs, as the client has them.
export function show(rows, comment, found) {
    for (const { title, id } of rows) console.log(`${title}\t${id}`);
    console.log(`comment\t${comment}`);
    console.log(`found\t${found}`);
}

// Reads on from the beginning until all five photos are there, and prints their IDs.
export async function showAll(readOn, begin) {
    for (let seen = 0, rows; seen < 5; seen += rows.length) {
        [rows, begin] = await readOn(begin);
        for (const { id } of rows) console.log(`read\t${id}`);
    }
}
