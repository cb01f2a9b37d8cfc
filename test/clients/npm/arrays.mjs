import pg from 'pg';

// Has node-postgres, and what stands on it, read arrays of id64 as those of text are, whose number is 1009.
export async function readIdArrays(connection) {
    const { rows: [{ oid }] } = await connection.query(`SELECT 'id64[]'::regtype::oid AS oid`);
    pg.types.setTypeParser(oid, pg.types.getTypeParser(1009));
}
