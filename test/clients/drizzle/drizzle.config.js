// PGHOST, PGPORT, PGUSER and PGDATABASE name the server. SCHEMA is another file than the project's own.
const { PGHOST: host, PGPORT: port, PGUSER: user, PGDATABASE: database, SCHEMA: schema = './schema.js' } = process.env;

export default { dialect: 'postgresql', schema, out: './drizzle', dbCredentials: { host, port, user, database, ssl: false } };
