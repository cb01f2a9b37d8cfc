// Asks the package what a server was asked: node run_against.mjs FOLDER node|chromium. The folder has ids.tsv, whose lines against.mjs explains,
// and asked.json: the layouts of ids.tsv by number, and calls of the package as JavaScript. Prints what differs, and what each call gives.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compareWithServer } from './against.mjs';
import { openBrowser, openPage, serve, top } from './browser.mjs';

const [folder, where] = process.argv.slice(2);
const { layouts, calls } = JSON.parse(readFileSync(join(folder, 'asked.json'), 'utf8'));
const user = join(top, 'build/user');

const plain = (value) => JSON.parse(JSON.stringify(value ?? null, (key, part) => (typeof part === 'bigint' ? String(part) : part)));

async function inNode() {
  const reader = await import(pathToFileURL(join(user, 'node_modules/idgen-reader/index.js')));
  const answers = calls.map((call) => {
    try {
      return { value: plain(new Function('reader', `with (reader) { return ${call}; }`)(reader)) };
    } catch ({ name, code, message }) {
      return { name, code, message };
    }
  });
  return { ...compareWithServer(reader, layouts, readFileSync(join(folder, 'ids.tsv'), 'utf8')), answers };
}

async function inChromium() {
  const browser = await openBrowser();
  const files = await serve(user, join(top, 'js/test'), folder);
  const page = await openPage(browser);
  await page.goto(files.url);
  const compared = await page.evaluate(async (given) => {
    const { compareWithServer: compare } = await import('/lib/against.mjs');
    return compare(await import('/node_modules/idgen-reader/index.js'), given, await (await fetch('/ids.tsv')).text());
  }, layouts);
  await browser.close();
  files.close();
  return compared;
}

console.log(JSON.stringify(await (where === 'node' ? inNode() : inChromium())));
