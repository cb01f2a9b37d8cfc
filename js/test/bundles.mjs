// The package in programs of every kind: imported, required, in a context of its own as Jest makes one, bundled, and checked by tsc.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { before } from 'node:test';
import { promisify } from 'node:util';
import vm from 'node:vm';
import { build } from 'esbuild';
import ts from 'typescript';
import { build as buildByVite } from 'vite';
import webpack from 'webpack';
import { openBrowser, openPage, serve, top } from './lib/browser.mjs';

const user = join(top, 'build/user'), made = join(user, 'made');
const said = '2026-11-23T06:42:05.325Z 22P02\n';
const body = "let code; try { fromId64('?'); } catch (error) { code = error instanceof IdgenError && error.code; } console.log(time('4036565484265537613').toISOString(), code);";
const imported = `import { fromId64, IdgenError, time } from 'idgen-reader'; ${body}`;
const required = `const { fromId64, IdgenError, time } = require('idgen-reader'); ${body}`;
const run = (...args) => execFileSync('node', args, { cwd: user, encoding: 'utf8' });

before(() => {
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made);
  writeFileSync(join(made, 'imports.mjs'), imported);
  writeFileSync(join(made, 'requires.cjs'), required);
});

test('Node imports it, and requires it', () => {
  assert.equal(run('made/imports.mjs'), said);
  assert.equal(run('made/requires.cjs'), said);
  const exported = 'console.log(Object.keys(reader).sort().join())';
  assert.equal(run('--input-type=commonjs', '-e', `const reader = require('idgen-reader'); ${exported}`),
    run('--input-type=module', '-e', `import * as reader from 'idgen-reader'; ${exported}`));
});

test('a context of its own, as Jest has one for each test file', () => {
  const file = createRequire(join(user, 'made/')).resolve('idgen-reader');
  assert.equal(file, join(user, 'node_modules/idgen-reader/index.cjs'));
  const context = vm.createContext({ WebAssembly, TextEncoder, TextDecoder, atob });
  const reader = vm.runInContext(`(function (module) { ${readFileSync(file, 'utf8')}\nreturn module.exports; })`, context)({ exports: {} });
  assert.equal(reader.time('4036565484265537613').toISOString(), '2026-11-23T06:42:05.325Z');
});

test('esbuild: of an import and of require(), as CommonJS and as a module', async () => {
  for (const entry of ['imports.mjs', 'requires.cjs'])
    for (const format of ['cjs', 'esm']) {
      const outfile = join(made, `esbuild-${entry}.${format === 'cjs' ? 'cjs' : 'mjs'}`);
      await build({ entryPoints: [join(made, entry)], bundle: true, format, outfile, platform: 'node', logLevel: 'silent' });
      assert.equal(run(outfile), said, `${entry} as ${format}`);
    }
});

test('webpack', async () => {
  for (const entry of ['imports.mjs', 'requires.cjs']) {
    const output = { path: made, filename: `webpack-${entry}.cjs` };
    const stats = await promisify(webpack)({ mode: 'production', target: 'node', entry: join(made, entry), output, context: user });
    assert.deepEqual([stats.compilation.errors, stats.compilation.warnings], [[], []]);
    assert.equal(run(join(made, output.filename)), said, entry);
  }
});

test('vite: in Node and on the main thread of Chromium', async () => {
  const out = join(made, 'vite');
  await buildByVite({ root: user, logLevel: 'error', build: { outDir: out, lib: { entry: join(made, 'imports.mjs'), formats: ['es', 'cjs'], fileName: (format) => `out.${format === 'es' ? 'mjs' : 'cjs'}` } } });
  assert.equal(run('made/vite/out.mjs'), said);
  assert.equal(run('made/vite/out.cjs'), said);
  const browser = await openBrowser(), files = await serve(user);
  const page = await openPage(browser);
  const lines = [];
  page.on('console', (message) => { if (message.type() === 'log') lines.push(message.text()); });
  await page.goto(files.url);
  await page.evaluate(() => import('/made/vite/out.mjs'));
  await browser.close();
  files.close();
  assert.deepEqual(lines, [said.trim()]);
});

// What tsc says of a program.
function typeErrors(name, program, options) {
  const file = join(made, name);
  writeFileSync(file, program);
  const built = ts.createProgram([file], { strict: true, noEmit: true, target: ts.ScriptTarget.ES2022, skipLibCheck: false, types: [], ...options });
  return ts.getPreEmitDiagnostics(built).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

test('tsc: types for import and for require(), as Node and as bundlers look for them', () => {
  const { Node16, ESNext, CommonJS } = ts.ModuleKind, { Bundler, Node10 } = ts.ModuleResolutionKind;
  const right = 'const at: Date | null = reader.time("1");';
  const wrong = 'const at: string = reader.time("1");';
  const ways = [
    ['one.mts', "import * as reader from 'idgen-reader';", { module: Node16 }],
    ['one.cts', "import reader = require('idgen-reader');", { module: Node16 }],
    ['one.ts', "import * as reader from 'idgen-reader';", { module: ESNext, moduleResolution: Bundler }],
    ['old.ts', "import * as reader from 'idgen-reader';", { module: CommonJS, moduleResolution: Node10 }],
  ];
  for (const [name, line, options] of ways) {
    assert.deepEqual(typeErrors(name, `${line} ${right}`, options), [], name);
    assert.equal(typeErrors(name, `${line} ${wrong}`, options).length, 1, name);
  }
});

test('npm pack before make js fails, and says what to do', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pack'));
  cpSync(join(top, 'js/package'), folder, { recursive: true });
  const { status, stderr } = spawnSync('npm', ['pack', '--dry-run'], { cwd: folder, encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  assert.notEqual(status, 0);
  assert.match(stderr, /^This folder lacks what is built: run make js at the top of the tree, which packs the package\.$/m);
});
