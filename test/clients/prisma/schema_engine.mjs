#!/usr/bin/env node
// Prisma's engine for schemas, as its commands run it: requests of JSON-RPC, a line each. It is Prisma's own
// WebAssembly on Prisma's adapter. The binary in its place would be fetched from its maker's server.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as glue from '@prisma/schema-engine-wasm/schema_engine_bg';

// The engine asks for columns of types that the adapter does not know: name, "char", name[].
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

// PGHOST, PGPORT, PGUSER and PGDATABASE name the server, whatever --datasource says.
const { values: { datamodels = [] }, positionals: [command] } = parseArgs({
    allowPositionals: true,
    options: { datamodels: { type: 'string', multiple: true }, datasource: { type: 'string' } },
});
if (command === 'cli') process.exit();  // can-connect-to-database: the requests will tell

const { resolve } = createRequire(import.meta.url);
const file = resolve('@prisma/schema-engine-wasm/schema_engine_bg').replace(/js$/, 'wasm');
const wasm = new WebAssembly.Module(readFileSync(file));
const { exports } = new WebAssembly.Instance(wasm, { './schema_engine_bg.js': glue });
glue.__wbg_set_wasm(exports);
exports.__wbindgen_start();

// Connections end at once: the shadow database is dropped while the pool still has it.
const adapter = bindMigrationAwareSqlAdapterFactory(new Adapter({ idleTimeoutMillis: 1 }));
const files = datamodels.map((path) => [path, readFileSync(path, 'utf8')]);
const engine = await glue.SchemaEngine.new({ datamodels: files }, () => {}, adapter);

async function answer(method, params) {
    try {
        return { result: await engine[method](params) ?? null };
    } catch ({ message, code }) {
        return { error: { code: 4466, message, data: { message, error_code: code, is_panic: false } } };
    }
}

for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    console.log(JSON.stringify({ jsonrpc: '2.0', id, ...await answer(method, params) }));
}
process.exit();
