// What callers can give the package's functions: values of every kind in place of each argument, and texts that would take long to read if
// their time grew with the square of their size. The arguments are those of index.d.ts.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';

const installed = join(fileURLToPath(new URL('../..', import.meta.url)), 'build/user/node_modules/idgen-reader');
const reader = await import(pathToFileURL(join(installed, 'index.js')));
const functions = Object.entries(reader).filter(([name, value]) => typeof value === 'function' && name !== 'IdgenError');
const uuid = reader.toUuid('4036565484265537613');

// The arguments of each function: name, type, and whether it may be left out.
const source = ts.createSourceFile('index.d.ts', readFileSync(join(installed, 'index.d.ts'), 'utf8'), ts.ScriptTarget.Latest);
const declared = Object.fromEntries(source.statements.filter(ts.isFunctionDeclaration).map(({ name, parameters }) =>
  [name.text, parameters.map((each) => ({ name: each.name.text, type: each.type.getText(source), isOptional: each.questionToken !== undefined }))]));

const texts = {
  fromBase62: '4oBVmyxvRfB', fromId64: '4oBVmyxvRfB', fromBase32: '3G162XFD4002D', fromBase64url: 'CO5WXONKMxM', fromUuid: uuid, readUuid: uuid, formatTypeId: uuid,
  readUlid: '01ARYZ6S41TSV4RRFFQ69G5FAV', readKsuid: '0ujtsYcgvSTl8PAuAdqWYSMnLOv', readObjectId: '507f1f77bcf86cd799439011', readTypeId: 'user_01h455vb4pex5vsknk084sn02q',
};
const sizes = { formatUlid: 16, formatKsuid: 20, formatObjectId: 12, formatUuid: 16 };

// A value of an argument's type.
function rightValue(call, { name, type }) {
  if (type === 'Id') return '4036565484265537613';
  if (type === 'Layout') return 'instagram';
  if (/^Instant/.test(type)) return call === 'make' ? 1795416125325 : name === 'to' ? 1 : 0;
  if (/^number/.test(type)) return 1;
  if (/^\{/.test(type)) return {};
  if (type === 'Uint8Array') return new Uint8Array(sizes[call]);
  if (/^'ulid'/.test(type)) return 'ulid';
  if (name === 'prefix') return 'user';
  return texts[call] ?? 'photo';
}

// Whether the type says that an argument can be of that kind.
const kindsOf = { Id: 'bigint string number', Layout: 'string', Instant: 'Date number bigint', number: 'number', string: 'string', Uint8Array: 'Uint8Array' };
function mayBe({ type, isOptional }, value) {
  if (value === undefined) return isOptional;
  const parts = type.startsWith('{') ? ['object'] : type.split(' | ').flatMap((part) => (part.startsWith("'") ? 'string' : (kindsOf[part] ?? part).split(' ')));
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return parts.includes(kind) || (value instanceof Date && parts.includes('Date')) || (value instanceof Uint8Array && parts.includes('Uint8Array'));
}

const nested = [];
nested.push([nested]);
const deep = Array.from({ length: 20000 }).reduce((inner) => [inner], []);
const values = [
  null, undefined, [], [[1]], [['1']], nested, deep, {}, Object.create(null), { toString: () => '1', valueOf: () => 1 }, Symbol('1'), () => 1, true, false, NaN, Infinity, -Infinity, -0, -1, 0.5,
  2 ** 52, 2 ** 53, 1e300, -1n, 10n ** 30n, 10n ** 100000n, '', ' ', 'x', '\0', '\ud800', '9'.repeat(1e5), 'x'.repeat(1e5), '"'.repeat(1e4), new Date(NaN), new Date(8.64e15), new Date(-8.64e15),
  new Uint8Array(0), new Uint8Array(1e6), new String('1'), new Number(1), /x/, new Map(), new Proxy({}, {}), Promise.resolve('1'),
];
const shown = (value) => `${Object.prototype.toString.call(value)} ${['object', 'function', 'symbol'].includes(typeof value) ? '' : String(value).slice(0, 20)}`;

test('each function throws an IdgenError for what it does not take, and no other error', () => {
  assert.deepEqual(Object.keys(declared).sort(), functions.map(([name]) => name).sort());
  let calls = 0;
  for (const [call, run] of functions) {
    const right = declared[call].map((argument) => rightValue(call, argument));
    assert.doesNotThrow(() => run(...right), call);
    const given = declared[call].flatMap((argument, at) => values.map((value) => [argument, value, right.with?.(at, value) ?? right.map((one, other) => (other === at ? value : one))]));
    for (const [argument, value, all] of given) {
      calls++;
      const what = `${call}: ${argument.name} is ${shown(value)}`;
      let error;
      try {
        run(...all);
      } catch (thrown) {
        error = thrown;
      }
      assert.ok(error === undefined || error instanceof reader.IdgenError, `${what}: ${String(error?.stack).slice(0, 500)}`);
      assert.ok(error !== undefined || mayBe(argument, value), `${what}: taken`);
      if (error) assert.ok([error.code, error.message, error.detail, error.hint].every((words) => typeof words === 'string' && words !== '' && words.length < 350), what);
    }
  }
  assert.ok(calls > 1500, `${calls} calls`);
});

test('each option is true or false', () => {
  const options = Object.entries(declared).flatMap(([call, all]) => all.flatMap(({ type }) => [...type.matchAll(/(\w+)\?: boolean/g)].map(([, option]) => [call, option])));
  assert.equal(options.length, 5);
  for (const [call, option] of options)
    for (const value of values) {
      const run = () => reader[call](rightValue(call, declared[call][0]), { [option]: value });
      if (value === undefined || value === null || value === false) assert.doesNotThrow(run, `${call}: ${option}`);
      else if (value !== true) assert.throws(run, { name: 'IdgenError', code: '42804' }, `${call}: ${option} is ${shown(value)}`);
    }
  for (const [option, wrong] of [['now', NaN], ['now', '1'], ['now', [[1]]], ['now', null], ['from', null], ['from', [['x']]], ['from', Symbol('x')]])
    assert.throws(() => reader.recognize('1', { [option]: wrong }), { name: 'IdgenError' }, option);
});

// Both parts: which of them a moment counts for is only sampled.
const cpuMs = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
function timeOf(run, text) {
  const began = cpuMs();
  try {
    run(text);
  } catch (error) {
    assert.ok(error instanceof reader.IdgenError, `${String(error.stack).slice(0, 500)}`);
  }
  return cpuMs() - began;
}

// Whether a long text takes so long to read that its time must grow with the square of its size: at each of three tries 20 times as long as to
// split one into lines and words, which takes longer than any. With the square it is 100 times and more.
const size = 131072;
const threeTries = (run, text) => [1, 2, 3].map(() => timeOf(run, text));
const splitMs = Math.min(...threeTries((text) => text.split('\n').map((line) => line.trim()).flatMap((line) => line.split(/[\s,;]+/)), '\n'.repeat(size)));
function isSlow(run, [before, part, behind]) {
  const text = before + part.repeat(size / part.length) + behind;
  return timeOf(run, text) >= 20 * splitMs && Math.min(...threeTries(run, text)) >= 20 * splitMs;
}

const parts = ['"', "'", '“', '(', ')', ',', ';', ':', ' ', '\n', '\t', '\u00a0', '0', '1', '00', 'a', 'A', 'z', '_', '-', '.', '/', '@', '{', '}', '<', '#', '?', '1_', ',111', '1 ', '/1', '/a', '@a', ': ',
  'a.', '://', 'x.com/', '/status/', '/statuses/', '/post/', '"a', 'a"', '\ud83d\ude00', '\ud800'];
const beginnings = ['', '1', '-', 'a', '"', '{', '0x', 'ObjectId("', '<@', '<t:1', '<:a', '</', 'https://', 'x.com/', 'x.com/a/status/1', 'discord.com/channels/@me', 'discord.com/channels/1',
  'discord.com/channels/1/', 'www.instagram.com/p/', 'instagram.com/', 'at://', 'bsky.app/', 'a/@', 'a/users/', 'a/web/@a/1', '"id": "', 'epoch=', 'a_'];

test('the time to read a text does not grow with the square of its size', () => {
  assert.ok(isSlow((text) => /a*b/.test(text), ['', 'a', '']), 'one that does would be noticed');
  const found = [];
  let count = 0;
  for (const [call, run] of functions)
    for (const [at, argument] of declared[call].entries()) {
      const right = declared[call].map((one) => rightValue(call, one));
      const read = (text) => run(...right.map((one, other) => (other === at ? text : one)));
      const isPasted = call === 'pasted' && argument.name === 'text';
      for (const before of !mayBe(argument, '') ? [] : isPasted ? beginnings : ['', '1'])
        for (const part of parts)
          for (const behind of isPasted ? ['', 'x', '!'] : ['', 'x']) {
            count++;
            // Slow ones are named, not all waited for.
            if (found.length === 3) continue;
            if (isSlow(read, [before, part, behind])) found.push(`${call}: ${argument.name} is ${JSON.stringify(before)}, many ${JSON.stringify(part)}, ${JSON.stringify(behind)}`);
          }
    }
  assert.ok(count > 8000, `${count} texts`);
  assert.equal(found.join('; '), '');
});
