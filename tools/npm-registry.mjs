// A registry of npm in memory, for tools/release: npm-registry.mjs PORT. What is published there can be installed; nothing else is known.
import { createServer } from 'node:http'

const port = Number(process.argv[2])
const published = new Map()
const files = new Map()

async function bodyOf(request) {
    const parts = []
    for await (const part of request) parts.push(part)
    return JSON.parse(Buffer.concat(parts))
}

async function answer(request, response) {
    const path = decodeURIComponent(new URL(request.url, 'http://registry').pathname)
    if (request.method === 'PUT') {
        const { _attachments: attachments, ...document } = await bodyOf(request)
        for (const version of Object.values(document.versions)) version.dist.tarball = `http://127.0.0.1:${port}/${document.name}/-/${document.name}-${version.version}.tgz`
        for (const [name, { data }] of Object.entries(attachments)) files.set(`/${document.name}/-/${name}`, Buffer.from(data, 'base64'))
        published.set(`/${document.name}`, document)
        return response.writeHead(201, { 'content-type': 'application/json' }).end('{}')
    }
    if (files.has(path)) return response.end(files.get(path))
    const document = path === '/-/ping' ? {} : published.get(path)
    return response.writeHead(document ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(document ?? {}))
}

createServer((request, response) => answer(request, response).catch((error) => response.writeHead(500).end(String(error)))).listen(port, '127.0.0.1')
