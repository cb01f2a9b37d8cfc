// build/idgen.wasm: what it exports, how large it is, and that it is the same wherever it is built.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const top = fileURLToPath(new URL('../..', import.meta.url));
const wasm = readFileSync(join(top, 'build/idgen.wasm'));
const compiled = new WebAssembly.Module(wasm);

test('it has at most 40 kB', () => {
  assert.ok(wasm.length <= 40000, `${wasm.length} bytes`);
});

test('it imports nothing', () => {
  assert.deepEqual(WebAssembly.Module.imports(compiled), []);
});

test('it exports its memory and the functions of the face, and nothing else', () => {
  const face = readdirSync(join(top, 'js/wasm/face')).map((name) => readFileSync(join(top, 'js/wasm/face', name), 'utf8')).join('');
  const functions = [...face.matchAll(/^\S.* \*?(idgen_\w+)\(.*noexcept \{$/gm)].map(([, name]) => name);
  assert.ok(functions.length > 20, `${functions.length} functions`);
  assert.deepEqual(WebAssembly.Module.exports(compiled).map(({ name }) => name).sort(), ['memory', ...functions].sort());
});

test('a build in another folder gives the same bytes, and one package, whatever an older version left there', () => {
  const other = mkdtempSync(join(tmpdir(), 'another folder '));
  for (const name of ['src', 'kinds/core', 'js/wasm', 'js/package', 'js/build.mk', 'js/inline', 'idgen.control', 'LICENSE']) cpSync(join(top, name), join(other, name), { recursive: true });
  mkdirSync(join(other, 'build'));
  writeFileSync(join(other, 'build/idgen-reader-0.0.1.tgz'), '');
  execFileSync('make', ['-s', '-C', other, '-f', 'js/build.mk', 'js']);
  const again = readFileSync(join(other, 'build/idgen.wasm'));
  const archives = readdirSync(join(other, 'build')).filter((name) => name.endsWith('.tgz'));
  rmSync(other, { recursive: true });
  assert.ok(wasm.equals(again), 'they differ');
  assert.equal(archives.length, 1, archives.join(' '));
});

test('make web says where the page is', () => {
  const said = execFileSync('make', ['-s', '-f', 'js/build.mk', 'web'], { cwd: top, encoding: 'utf8' });
  assert.match(readFileSync(new URL(/^Read an ID: (file:\/\/\S+)$/m.exec(said)[1]), 'utf8'), /<title>Read an ID/);
});
