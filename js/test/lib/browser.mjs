// Debian's Chromium without a window, and a server of files on the loopback address for modules.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import puppeteer from 'puppeteer-core';

export const top = fileURLToPath(new URL('../../..', import.meta.url));

// Longer than a slow machine needs that runs other tests beside it, ms.
const patience = 600000;

// The sandbox of Chromium needs namespaces that a container seldom grants; all that it opens is ours.
export const openBrowser = () => puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  timeout: patience,
  protocolTimeout: patience,
});

export async function openPage(browser) {
  const page = await browser.newPage();
  page.setDefaultTimeout(patience);
  return page;
}

const types = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.csv': 'text/plain', '.html': 'text/html', '.tsv': 'text/plain' };

// Serves files below the folders, which are tried in turn, until it is closed; / is an empty page.
export async function serve(...folders) {
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url, 'http://localhost').pathname);
    for (const folder of path === '/' ? [] : folders) {
      const bytes = await readFile(join(folder, path)).catch(() => undefined);
      if (bytes) return response.writeHead(200, { 'content-type': types[extname(path)] ?? 'application/octet-stream' }).end(bytes);
    }
    return response.writeHead(path === '/' ? 200 : 404, { 'content-type': 'text/html' }).end('<!doctype html>');
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}
