// The project's configuration, with Prisma's engine for schemas as WebAssembly: the binary would be fetched from its
// maker's server.
import { webcrypto } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { defineConfig } from 'prisma/config';
import config from './prisma.config';

// The adapter wants what Node.js has from 19 on.
globalThis.crypto ??= webcrypto;

// The engine asks for columns of types that this version of the adapter does not know: name, "char", name[].
const known = { 18: 25, 19: 25, 1003: 1009 };

function withCatalog(connection) {
    const pool = connection.underlyingDriver();
    const query = pool.query.bind(pool);
    pool.query = async (...args) => {
        const result = await query(...args);
        for (const field of result.fields ?? []) field.dataTypeID = known[field.dataTypeID] ?? field.dataTypeID;
        return result;
    };
    return connection;
}

class Adapter extends PrismaPg {
    async connect() { return withCatalog(await super.connect()); }
    async connectToShadowDb() { return withCatalog(await super.connectToShadowDb()); }
}

// The engine does not clear its timeouts, of up to a minute: the process need not wait for them.
const { setTimeout } = globalThis;
globalThis.setTimeout = (callback, delay, ...rest) => {
    const timer = setTimeout(callback, delay, ...rest);
    return delay >= 5000 ? timer.unref() : timer;
};

export default defineConfig({
    schema: config.schema,
    tables: config.tables,
    experimental: { ...config.experimental, adapter: true },
    engine: 'js',
    // Connections end at once: the shadow database is dropped while the pool still has it.
    adapter: async () => new Adapter({ idleTimeoutMillis: 1 }),
});
