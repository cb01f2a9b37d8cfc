// The package as a user has it: installed from the archive that npm pack made; in Node and in Chromium, against the published vectors.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { openBrowser, openPage, serve, top } from './lib/browser.mjs';
import { isTimeOf, realIds } from './lib/real_ids.mjs';
import { checkVectors } from './lib/vectors.mjs';

const user = join(top, 'build/user');
const installed = join(user, 'node_modules/idgen-reader');
const reader = await import(pathToFileURL(join(installed, 'index.js')));
const texts = Object.fromEntries(['test/vectors', 'kinds/vectors'].flatMap((folder) =>
  readdirSync(join(top, folder)).map((name) => [name, readFileSync(join(top, folder, name), 'utf8')])));
const id = 4036565484265537613n;

let browser, files;
before(async () => {
  browser = await openBrowser();
  files = await serve(user, join(top, 'js/test'));
});
after(async () => {
  await browser.close();
  files.close();
});

// The code, message and hint of what a call throws.
function thrown(call) {
  try {
    return { none: call() };
  } catch (error) {
    assert.ok(error instanceof reader.IdgenError, `${error.stack}`);
    return error;
  }
}

test('the archive has what is needed, the version of the extension, and no dependency', () => {
  assert.deepEqual(readdirSync(installed).sort(), [
    'LICENSE', 'README.md', 'core.js', 'errors.js', 'given.js', 'ids.js', 'index.cjs', 'index.d.cts', 'index.d.ts', 'index.js', 'instants.js', 'kinds.js', 'layouts.js',
    'package.json', 'pasted.js', 'recognize.js', 'sources.js', 'texts.js', 'wasm.js',
  ]);
  const said = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  assert.equal(said.dependencies, undefined);
  assert.equal(said.version, /default_version = '(.*)'/.exec(readFileSync(join(top, 'idgen.control'), 'utf8'))[1]);
});

test('a program imports it by its name', () => {
  const program = "import { decode, time } from 'idgen-reader'; console.log(JSON.stringify(decode('4036565484265537613')), time(0n, 'discord').toISOString())";
  const out = execFileSync('node', ['--input-type=module', '-e', program], { cwd: user, encoding: 'utf8' });
  assert.equal(out, '{"time":"2026-11-23T06:42:05.325Z","shard":4096,"region":null,"sequence":77} 2015-01-01T00:00:00.000Z\n');
});

test('its README is right: each line of JavaScript gives what its comment says', () => {
  const readme = readFileSync(join(installed, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, block]) => block);
  const checks = blocks.join('\n').split('\n').map((line) => {
    const said = /^(?!import)(.*?);\s+\/\/ (.*)$/.exec(line);
    return said ? `show(() => (${said[1]}), ${JSON.stringify(said[2])});` : line;
  });
  const program = `import { inspect } from 'node:util';
const show = (call, said) => { let got; try { got = inspect(call(), { breakLength: Infinity }); } catch (e) { got = 'throws ' + e.code + ': ' + e.message; } console.log(got === said ? 'same' : got + ' instead of ' + said); };
${checks.join('\n')}`;
  writeFileSync(join(user, 'readme.mjs'), program);
  const out = execFileSync('node', ['readme.mjs'], { cwd: user, encoding: 'utf8' }).trimEnd().split('\n');
  assert.ok(out.length > 10, `${out.length} lines were checked`);
  assert.deepEqual(out.filter((line) => line !== 'same'), []);
});

test('the published vectors in Node: none differs', () => {
  const { checks, differ } = checkVectors(reader, texts);
  assert.deepEqual(differ, []);
  assert.ok(checks > 200, `${checks} checks`);
});

test('the published vectors in Chromium: none differs', async () => {
  const page = await openPage(browser);
  await page.goto(files.url);
  const { checks, differ } = await page.evaluate(async (given) => {
    const { checkVectors: check } = await import('/lib/vectors.mjs');
    return check(await import('/node_modules/idgen-reader/index.js'), given);
  }, texts);
  assert.deepEqual(differ, []);
  assert.equal(checks, checkVectors(reader, texts).checks);
});

test('types: what index.d.ts says is exported, no more and no less', () => {
  const declared = [...readFileSync(join(installed, 'index.d.ts'), 'utf8').matchAll(/^export (?:declare )?(?:function|class|const) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual([...new Set(declared)].sort(), Object.keys(reader).sort());
});

// The errors of a program by TypeScript's own checks.
function typeErrors(program) {
  const file = join(user, 'program.ts');
  writeFileSync(file, program);
  const built = ts.createProgram([file], { strict: true, noEmit: true, module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, skipLibCheck: false, types: [] });
  return ts.getPreEmitDiagnostics(built).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

test('types: a program that is right', () => {
  assert.deepEqual(typeErrors(`
    import { bounds, decode, fromUuid, IdgenError, layoutInfo, make, recognize, time, timeNearUs, timeUs, toId64 } from 'idgen-reader';
    const shard: number | null | undefined = decode('1', 'twitter')?.shard;
    const { first }: { first: bigint } = bounds(new Date(), null);
    const exact: bigint | undefined = decode('1', 'unit=1us')?.timeUs;
    if (exact) make(exact, 1, null); const near: bigint | null = timeNearUs('1', timeUs('1') ?? 0n);
    const texts: string[] = [String(near), toId64(first), String(fromUuid('x')), String(shard)];
    for (const reading of recognize('1')) if (reading.kind === 'id') texts.push(reading.layout); else if (reading.kind === 'typeid') texts.push(reading.prefix);
    try { time(1); } catch (error) { if (error instanceof IdgenError) texts.push(error.code, layoutInfo().longForm); }`), []);
});

test('types: a program that is wrong', () => {
  const errors = typeErrors("import { decode, bounds } from 'idgen-reader'; decode({}); const at: string = decode(1)!.shard; const n: number = bounds(0, 1).first;");
  assert.equal(errors.length, 3, errors.join('\n'));
});

test('numbers: exact ones are read, others are refused with the reason', () => {
  assert.equal(reader.shard(2071261216836107, 'sonyflake'), 2571);
  assert.equal(reader.toBase62(Number.MAX_SAFE_INTEGER), reader.toBase62(9007199254740991n));
  const error = thrown(() => reader.decode(Number(id)));
  assert.equal(error.code, '22003');
  assert.equal(error.message, 'number 4036565484265537500 is too large to be exact');
  assert.match(error.detail, /exact only below 2\^53.*rounded/s);
  assert.match(error.hint, /string or a bigint/);
  for (const read of [reader.time, reader.shard, reader.toBase62, reader.toBase32, reader.toBase64url, reader.toUuid, reader.toId64])
    assert.equal(thrown(() => read(2 ** 53)).code, '22003');
});

test('what is not an ID is refused, and what no layout made has no parts', () => {
  assert.equal(thrown(() => reader.decode(1.5)).code, '22P02');
  assert.equal(thrown(() => reader.decode(NaN)).code, '22P02');
  assert.equal(thrown(() => reader.decode(null)).code, '22004');
  assert.equal(thrown(() => reader.decode(undefined)).code, '22004');
  assert.equal(thrown(() => reader.decode({})).code, '42804');
  assert.equal(thrown(() => reader.decode(1n, null)).code, '22004');
  assert.equal(thrown(() => reader.decode(1n, 5)).code, '42804');
  assert.equal(thrown(() => reader.decode(1n, 'x'.repeat(513))).code, '54000');
  assert.equal(thrown(() => reader.fromBase62('0'.repeat(513))).code, '54000');
  assert.equal(thrown(() => reader.fromBase62('0'.repeat(512))).code, '22003');
  assert.equal(thrown(() => reader.fromBase62('4oBVyxvRfB')).hint, 'A digit is missing. If zeros in front were left out instead, say { short: true }.');
  assert.equal(reader.fromBase62('z', { short: true }) + reader.fromBase32('z', { short: true }) + reader.fromBase64url('BWrVZ', { short: true }), 61n + 31n + 22721881n);
  assert.equal(thrown(() => reader.fromBase64url('BWrVZ')).code, '22P02');
  assert.equal(thrown(() => reader.fromBase32('3G162XFD402DS', { checksum: true })).code, '22P02');
  assert.match(thrown(() => reader.fromBase32('3G162XFD4002D', { checksum: true })).hint, /^A digit or the check symbol is missing\. /);
  assert.match(thrown(() => reader.fromBase32('3G162XFD402D')).hint, /^A digit is missing\. /);
  assert.equal(thrown(() => reader.fromBase62(null)).code, '22004');
  assert.equal(thrown(() => reader.bounds('2026-11-01', null)).code, '42804');
  assert.equal(thrown(() => reader.bounds(new Date(NaN), null)).code, '22023');
  assert.equal(thrown(() => reader.bounds(10n ** 400n, null)).code, '22023');
  assert.equal(thrown(() => reader.bounds(1n, 0n)).detail, 'They are 1970-01-01T00:00:00.000001Z and 1970-01-01T00:00:00.000Z.');
  assert.equal(thrown(() => reader.formatUlid(new Uint8Array(15))).code, '22P03');
  assert.equal(thrown(() => reader.time(2n ** 53n - 1n, 'epoch=1970-01-01 unit=1s time=43 sequence=10')).code, '22008');
  assert.equal(reader.decode(-1n), null);
  assert.equal(reader.time(-1n), null);
  assert.equal(reader.shard(5n, 'mastodon'), null);
  assert.equal(reader.region(5n), null);
  assert.equal(reader.sequence(5n, 'epoch=2020-01-01 unit=1ms time=41'), null);
});

// Each call that takes a text, with texts of a million characters in its place: none is read whole as a number, and no message repeats it.
test('texts of any length are refused at once, and messages are short', () => {
  const { BigInt: whole } = globalThis;
  let longest = 0;
  globalThis.BigInt = new Proxy(whole, {
    apply(target, self, [value]) {
      longest = Math.max(longest, String(value).length);
      return target(typeof value === 'string' && value.length > 1000 ? 1 : value);
    },
  });
  const ofId = ['decode', 'time', 'shard', 'region', 'sequence', 'toBase32', 'toBase62', 'toBase64url', 'toId64', 'toUuid'];
  const ofText = ['fromBase32', 'fromBase62', 'fromBase64url', 'fromId64', 'fromUuid', 'readKsuid', 'readObjectId', 'readTypeId', 'readUlid', 'readUuid', 'layoutInfo'];
  const calls = [
    ...[...ofId, ...ofText].map((name) => [name, (text) => reader[name](text)]),
    ...ofId.map((name) => [`${name}: layout`, (text) => reader[name](1n, text)]).filter(([name]) => !/toBase|toId64/.test(name)),
    ['timeNear', (text) => reader.timeNear(text, 0)], ['timeNear: instant', (text) => reader.timeNear(1n, text)], ['timeNear: layout', (text) => reader.timeNear(1n, 0, text)],
    ['fromBase32: checksum', (text) => reader.fromBase32(text, { checksum: true })], ['fromUuid: layout', (text) => reader.fromUuid(reader.toUuid(id), text)],
    ['make: instant', (text) => reader.make(text, 1, 1)], ['make: shard', (text) => reader.make(0, text, 1)], ['make: sequence', (text) => reader.make(0, 1, text)],
    ['make: layout', (text) => reader.make(0, 1, 1, text)], ['bounds', (text) => reader.bounds(text, null)], ['bounds: end', (text) => reader.bounds(null, text)],
    ['bounds: layout', (text) => reader.bounds(null, null, text)], ['formatTypeId', (text) => reader.formatTypeId(text, new Uint8Array(16))],
    ['formatTypeId: UUID', (text) => reader.formatTypeId('user', text)], ['formatUlid', (text) => reader.formatUlid(text)], ['formatKsuid', (text) => reader.formatKsuid(text)],
    ['formatObjectId', (text) => reader.formatObjectId(text)], ['formatUuid', (text) => reader.formatUuid(text)], ['daySql: layout', (text) => reader.daySql(0, text)],
    ['recognize', (text) => assert.deepEqual(reader.recognize(text), [])], ['recognize: from', (text) => assert.ok(reader.recognize('1', { from: text }).length < 2)],
    ['pasted', (text) => assert.ok(reader.pasted(text).length <= 100)],
  ];
  try {
    for (const part of ['1', '0', 'z', ' ', '-', '{', '_', '1 ', '-1', 'a=b ', 'é', '😀'])
      for (const [name, call] of calls) {
        const text = `1${part.repeat(1e6 / part.length)}x`;
        for (const given of [text, text.slice(0, -1), `${text}x`.slice(0, 400)]) {
          if (/^recognize/.test(name) && given.trim().length < 1000) continue;
          let said = [];
          try {
            call(given);
          } catch (error) {
            assert.ok(error instanceof reader.IdgenError, `${name}: ${String(error.stack).slice(0, 500)}`);
            said = [error.message, error.detail, error.hint];
          }
          assert.ok(said.every((words) => words.length < 350), `${name} of "${part}" says ${said.map((words) => words.length)} characters`);
        }
      }
  } finally {
    globalThis.BigInt = whole;
  }
  assert.ok(longest <= 20, `a number of ${longest} characters was read`);
  assert.equal(reader.toBase62(`${'0'.repeat(1e6)}${id}`), reader.toBase62(id));
  assert.equal(reader.decode('-0000000000000000000000001'), null);
  assert.equal(thrown(() => reader.decode('9'.repeat(1e6))).code, '22003');
  assert.equal(thrown(() => reader.decode('9223372036854775808')).message, 'value "9223372036854775808" is out of range for type bigint');
});

const fine = 'epoch=1969-12-31T23:59:59.999Z unit=1us time=52 shard=6 sequence=4';

test('ticks that are no whole ms: the Date is rounded down, timeUs is exact, and both are taken', () => {
  for (const at of [-1000n, -999n, -1n, 0n, 1n, 999n, 1000n, 1793527200000123n]) {
    const made = reader.make(at, 5, 2, fine);
    const ms = Math.floor(Number(at) / 1000);
    assert.deepEqual(reader.decode(made, fine), { time: new Date(ms), shard: 5, region: null, sequence: 2, timeUs: at });
    assert.deepEqual([reader.time(made, fine), reader.timeUs(made, fine), reader.timeNearUs(made, 0, fine)], [new Date(ms), at, at]);
    assert.deepEqual(reader.bounds(at, at + 1n, fine), { first: made - 82n, last: made - 82n + 1023n });
    const ofMs = reader.bounds(ms, ms + 1, fine);
    assert.equal(ofMs.last - ofMs.first + 1n, 1000n << 10n);
    assert.equal(reader.timeUs(reader.make(new Date(ms), 5, 2, fine), fine), BigInt(ms) * 1000n);
  }
  assert.deepEqual(Object.keys(reader.decode(id)), ['time', 'shard', 'region', 'sequence']);
  assert.equal(reader.timeUs(id), 1795416125325000n);
  assert.equal(reader.timeUs(-1n), null);
  assert.equal(reader.timeUs(2n ** 53n - 1n, 'epoch=1970-01-01 unit=1s time=43 sequence=10'), (2n ** 43n - 1n) * 1000000n);
});

test('timeNear: the turn nearest to microseconds', () => {
  const turnsOf16 = 'epoch=1970-01-01T00:00:00Z unit=1us time=4w shard=1';
  assert.deepEqual([7n, 9n, 23n, 25n].map((near) => reader.timeNearUs(1n, near, turnsOf16)), [0n, 16n, 16n, 32n]);
});

test('layoutInfo of units in us', () => {
  for (const [unit, tickMs, idsPerSecond] of [['1us', 0.001, 16000000], ['125us', 0.125, 128000], ['1500us', 1.5, 10666], ['999999us', 999.999, 16], ['1000000us', 1000, 16]]) {
    const info = reader.layoutInfo(`epoch=2020-01-01T00:00:00Z unit=${unit} time=30 shard=2 sequence=4`);
    assert.deepEqual([info.tickMs, info.idsPerSecond], [tickMs, idsPerSecond], unit);
    const lastUs = 1577836800000000n + (2n ** 30n - 1n) * BigInt(parseInt(unit, 10));
    assert.equal(info.lastTimeUs, unit === '1000000us' ? undefined : lastUs, unit);
    assert.equal(info.lastTime.getTime(), Number(lastUs / 1000n), unit);
  }
  assert.match(thrown(() => reader.layoutInfo('Instagran')).hint, /^Perhaps you meant "instagram"\. Write a preset's name/);
  assert.match(thrown(() => reader.layoutInfo('facebook')).hint, /^Write a preset's name/);
  assert.equal(reader.layoutInfo('Instagram').longForm, reader.layoutInfo().longForm);
  const { message, hint } = thrown(() => reader.layoutInfo('epoch=2020-01-01 unit=1000001us time=30'));
  assert.equal(`${message}. ${hint}`, 'invalid id_layout: "unit=1000001us" is not a whole number of us from 1us to 1s. Write unit=100us, unit=1ms or unit=1s.');
});

test('errors say microseconds where there are any', () => {
  const { message, detail } = thrown(() => reader.make(-1001n, 1, 1, fine));
  assert.equal(message, `1969-12-31T23:59:59.998999Z is before the epoch of layout "${fine}"`);
  assert.equal(detail, 'The layout holds instants from 1969-12-31T23:59:59.999Z until before 2112-09-17T23:53:47.369496Z.');
});

test('recognize: an own layout whose time wraps within ms has the turn nearest to now', () => {
  const wraps = 'epoch=2020-01-01T00:00:00Z unit=1500us time=30w shard=20 sequence=12', now = Date.UTC(2026, 10, 25);
  const made = reader.make(BigInt(now) * 1000n + 4500n, 3, 4, wraps);
  const [{ time, timeUs }] = reader.recognize(String(made), { now, from: wraps });
  assert.ok(timeUs > BigInt(now) * 1000n && timeUs <= BigInt(now) * 1000n + 4500n, `${timeUs}`);
  assert.equal(time.getTime(), Number(timeUs / 1000n));
});

test('a layout that is refused leaves the one in use', () => {
  assert.equal(reader.shard(id, 'twitter'), 0);
  assert.equal(thrown(() => reader.decode(id, 'twitters')).code, '22P02');
  assert.equal(reader.shard(id, 'twitter'), 0);
  assert.equal(reader.shard(id), 4096);
});

test('more layouts than are remembered', () => {
  for (let n = 0; n < 2500; n++) {
    const epoch = new Date(1577836800000 + n).toISOString();
    assert.equal(Number(reader.time(1n << 10n, `epoch=${epoch} unit=1ms time=41 sequence=10`)), 1577836800001 + n);
  }
});

test('recognize: each kind, by its shape and its time', () => {
  const now = Date.UTC(2026, 10, 25);
  const best = (text) => reader.recognize(text, { now })[0];
  assert.equal(best(String(id)).layout, 'instagram');
  assert.equal(best(` ${id}\n`).sequence, 77);
  assert.deepEqual(reader.recognize('1541815603606036480', { now }).slice(0, 2).map(({ source }) => source), ['x', 'discord']);
  assert.equal(best(reader.toBase62(id)).form, 'base62');
  assert.equal(best(reader.toBase32(id)).form, 'base32');
  assert.equal(best(reader.toBase32(id, { checksum: true })).form, 'base32check');
  assert.equal(best('CO5WXONKMxM').form, 'base64url');
  assert.equal(best(reader.toUuid(id)).form, 'uuid');
  assert.equal(best(reader.toUuid(id)).id, id);
  assert.equal(best('017f22e2-79b0-76ff-bfff-f00000000000').kind, 'uuid');
  assert.equal(best('3804c2eb-da40-8004-b5ed-60d0bd0e4e53').id, id);
  assert.equal(best('5c146b14-3c52-8afd-938a-375d0df1fbf6').kind, 'uuid', 'version 8, from another program: no ID of it has a likely time');
  assert.equal(best('01ARYZ6S41TSV4RRFFQ69G5FAV').kind, 'ulid');
  assert.equal(best('01h455vb4pex5vsknk084sn02q').kind, 'typeid');
  assert.equal(best('user_01h455vb4pex5vsknk084sn02q').prefix, 'user');
  assert.equal(best('0ujtsYcgvSTl8PAuAdqWYSMnLOv').kind, 'ksuid');
  assert.equal(best('507f1f77bcf86cd799439011').kind, 'objectid');
  assert.equal(best('12345').kind, 'number');
  assert.ok(best('9223372036854775807'));
  assert.equal(best('9223372036854775808'), undefined);
  assert.equal(best('hello'), undefined);
  assert.equal(best(''), undefined);
});

test('recognize: a text that is longer than any ID is compared with nothing', () => {
  const { exec } = RegExp.prototype;
  let longest = 0;
  RegExp.prototype.exec = function noted(text) {
    longest = Math.max(longest, text.length);
    return exec.call(this, text);
  };
  try {
    for (const text of ['9'.repeat(1e6), `a${'-'.repeat(1e6)}`, `${'_'.repeat(513)}`]) assert.deepEqual(reader.recognize(text), []);
    assert.equal(longest, 0);
    assert.ok(reader.recognize(String(id)).length > 0);
    assert.equal(longest, String(id).length);
  } finally {
    RegExp.prototype.exec = exec;
  }
});

test('recognize: likelihoods add up to 1, fall, and follow the time', () => {
  const readings = reader.recognize(String(id), { now: Date.UTC(2026, 10, 25) });
  assert.ok(Math.abs(readings.reduce((sum, { likelihood }) => sum + likelihood, 0) - 1) < 1e-9);
  assert.deepEqual(readings.map(({ likelihood }) => likelihood), readings.map(({ likelihood }) => likelihood).sort((a, b) => b - a));
  const snowflake = String(reader.make(Date.UTC(2026, 10, 23), 3, 4, 'snowflake'));
  assert.equal(reader.recognize(snowflake, { now: Date.UTC(2026, 10, 25) })[0].layout, 'snowflake');
});

test('public IDs: the likeliest reading is the right one', () => {
  assert.ok(realIds.length >= 20, `${realIds.length} IDs`);
  for (const real of realIds) {
    const [{ text, from }] = reader.pasted(real.given);
    const [best] = reader.recognize(text, { now: Date.UTC(2026, 10, 25), from });
    assert.equal(best?.source ?? best?.kind, real.from, real.given);
    assert.ok(isTimeOf(real, best.time), `${real.given}: ${best.time?.toISOString()} instead of ${real.time}`);
    for (const [part, value] of Object.entries(real.parts)) assert.equal(best[part], value, `${real.given}: ${part}`);
  }
});

test('recognize: where it is said to be from, nothing else is tried', () => {
  const own = 'epoch=2024-01-01T00:00:00Z unit=1ms time=41 shard=10 sequence=12', now = Date.UTC(2026, 10, 25);
  const only = (text, from) => reader.recognize(text, { now, from }).map(({ kind, source, form, likelihood }) => [kind, source, form, likelihood]);
  for (const from of [...Object.keys(reader.sources), own]) assert.deepEqual(only('1234567890123456', from), [['id', from, 'decimal', 1]], from);
  assert.deepEqual(only(reader.toUuid(id), 'instagram').map(([kind]) => kind), ['id', 'uuid']);
  assert.deepEqual(only('3804c2eb-da40-8004-b5ed-60d0bd0e4e53', 'instagram').map(([kind]) => kind), ['id', 'uuid']);
  assert.deepEqual(only('3804c2eb-da40-8004-b5ed-60d0bd0e4e53', 'x').map(([kind]) => kind), ['uuid'], 'X has no UUIDs');
  assert.deepEqual(only('20', 'x'), [['number', undefined, undefined, 1]], 'a post from before November 2010 has no time');
  assert.equal(only('29700859246', 'x')[0][0], 'number');
  assert.equal(only('29700859247', 'x')[0][0], 'id');
  assert.deepEqual(reader.recognize('CO5WXONKMxM', { from: 'x' }).filter(({ source }) => source === 'x'), [], 'X has no text form');
  assert.deepEqual(only('01ARYZ6S41TSV4RRFFQ69G5FAV', 'x'), [['ulid', undefined, undefined, 1]], 'what cannot be from there is read as what it is');
});

test('recognize: a preset by its name as where it is from; each preset is the layout of a source', () => {
  assert.deepEqual(reader.layouts.filter((layout) => !Object.values(reader.sources).some((source) => source.layout === layout)), []);
  assert.equal(reader.recognize('1541815603606036480', { from: 'twitter' })[0].shard, 378);
  assert.deepEqual(reader.recognize('1541815603606036480', { from: 'constructor' }).map(({ kind }) => kind), ['number']);
});

test('recognize: nodes and sequences tell IDs of one time apart', () => {
  const now = Date.UTC(2026, 10, 25), at = Date.UTC(2021, 5, 1);
  const best = (made) => reader.recognize(String(made), { now })[0].source;
  for (const region of [1, 10, 11]) assert.equal(best(reader.make(at, region * 32 + 21, 0, 'twitter')), 'x');
  assert.deepEqual([best('41771983423143937'), best(reader.toBase62('41771983423143937'))], ['discord', 'idgen'], 'Discord writes numbers only');
  const post = String(reader.make(Date.UTC(2024, 5, 1), 11 * 32 + 21, 0, 'twitter'));
  assert.equal(reader.recognize(post, { now }).some(({ source }) => source === 'bluesky'), false, 'TIDs are texts');
  assert.equal(best(reader.make(at, 5 * 32, 90, 'discord')), 'discord');
  assert.equal(best(reader.make(at, 28 * 32 + 15, 4, 'discord')), 'discord', 'X has no datacenter 28');
  assert.ok(reader.recognize('38352658567418872', { now }).findIndex(({ source }) => source === 'mastodon') > 4, 'Mastodon had no such IDs in 1988');
  assert.equal(best(reader.make(at, null, 43210, 'mastodon')), 'mastodon');
  assert.equal(best(reader.make(now - 5000, 3, 1, 'snowflake')), 'snowflake');
  assert.equal(best(reader.make(now - 5000, 3, 1, 'idgen')), 'idgen');
  for (const layout of ['js53', 'js53ms', 'sonyflake', 'sonyflake2']) assert.equal(best(reader.make(now - 5000, 3, 1, layout)), layout);
});

test('recognize: Unix times, TIDs, xid, and what has no time', () => {
  const now = Date.UTC(2026, 10, 25);
  const best = (text) => reader.recognize(text, { now })[0];
  for (const [text, unit, time] of [
    ['1300816219', 's', '2011-03-22T17:50:19.000Z'], ['1732700000123', 'ms', '2024-11-27T09:33:20.123Z'], ['1688137381887007', 'us', '2023-06-30T15:03:01.887Z'],
    ['1893456000', 's', '2030-01-01T00:00:00.000Z'],
  ]) assert.deepEqual([best(text).kind, best(text).unit, best(text).time.toISOString()], ['unix', unit, time]);
  assert.equal(best('1688137381887007').timeUs, 1688137381887007n);
  for (const text of ['130081621', '0300816219', '13008162190']) assert.notEqual(best(text).kind, 'unix', text);
  const { kind, source, shard, timeUs } = best('3jzfcijpj2z2a');
  assert.deepEqual([kind, source, shard, timeUs], ['id', 'bluesky', 6, 1688137381887007n]);
  const xid = best('9m4e2mr0ui3e8a215n4g');
  assert.deepEqual([xid.kind, xid.time.getTime(), Buffer.from(xid.bytes).toString('hex')], ['xid', 1300816219000, '4d88e15b60f486e428412dc9']);
  for (const text of ['9M4E2MR0UI3E8A215N4G', 'c6e52g2mrqcjl44hf179', 'invalid']) assert.equal(best(text), undefined, text);
  assert.deepEqual([best('V1StGXR8_Z5jdHi6B-myT').kind, best('V1StGXR8_Z5jdHi6B-myT').time], ['nanoid', null]);
  assert.deepEqual([best('tz4a98xxat96iws9zmbrgj3a').kind, best('tz4a98xxat96iws9zmbrgj3a').time], ['cuid2', null]);
});

test('pasted: what people have in their clipboard', () => {
  const number = '1541815603606036480';
  const same = (given, text, from) => assert.deepEqual(reader.pasted(given), [from ? { text, from } : { text }], given);
  for (const given of [number, ` ${number}\r\n`, `"${number}"`, `'${number}',`, `“${number}”`, `[${number}]`, `${number}n`, '1_541_815_603_606_036_480n', '1,541,815,603,606,036,480',
    '1.541.815.603.606.036.480', "1'541'815'603'606'036'480", '1 541 815 603 606 036 480', '1\u202f541\u202f815\u202f603\u202f606\u202f036\u202f480', '0x1565A11F6217A000', '0x1565a11f6217a000n',
    '1565a11f6217a000', `"id": "${number}",`, `id: ${number}`]) same(given, number);
  for (const given of [`https://x.com/Wikipedia/status/${number}`, `https://twitter.com/Wikipedia/status/${number}?s=20`, `mobile.twitter.com/i/web/status/${number}/photo/1`]) same(given, number, 'x');
  for (const given of ['https://discord.com/channels/613425648685547541/1222027249826398250/1227003610148114493', 'https://canary.discord.com/channels/@me/1/1227003610148114493', '<@1227003610148114493>',
    '<@!1227003610148114493>', '<@&1227003610148114493>', '<#1227003610148114493>', '<:name:1227003610148114493>', '<a:name:1227003610148114493>', '</name:1227003610148114493>'])
    same(given, '1227003610148114493', 'discord');
  for (const given of ['https://mastodon.social/@Gargron/103254962155278888', 'https://mastodon.social/@a@example.org/103254962155278888', 'https://example.org/users/a/statuses/103254962155278888',
    'https://example.org/web/statuses/103254962155278888']) same(given, '103254962155278888', 'mastodon');
  for (const given of ['https://www.instagram.com/p/CP5h-I1FuPr/', 'instagram.com/reel/CP5h-I1FuPr?igsh=1', 'https://www.instagram.com/someone/p/CP5h-I1FuPr/']) same(given, 'CP5h-I1FuPr', 'instagram');
  same('https://bsky.app/profile/bsky.app/post/3l25zusnsfctk', '3l25zusnsfctk', 'bluesky');
  same('at://did:plc:abc/app.bsky.feed.post/3l25zusnsfctk', '3l25zusnsfctk', 'bluesky');
  same('<t:1300816219:R>', '1300816219');
  same('{017f22e2-79b0-76ff-bfff-f00000000000}', '{017f22e2-79b0-76ff-bfff-f00000000000}');
  same('3G16-2XFD-4002-DS', '3G16-2XFD-4002-DS');
  assert.deepEqual(reader.pasted(`${number}\n\n<#20>, 30; "40"`), [{ text: number }, { text: '20', from: 'discord' }, { text: '30' }, { text: '40' }]);
  assert.equal(reader.pasted('1\n'.repeat(1000)).length, 100);
  assert.deepEqual(reader.pasted(' , "" '), []);
});

test('daySql: the day of an ID, and none where time wraps', () => {
  const { withExtension, plain } = reader.daySql(reader.time(id));
  assert.equal(withExtension, "SELECT * FROM photo WHERE id_within(id, '[2026-11-23 00:00Z, 2026-11-24 00:00Z)');");
  const { first, last } = reader.bounds(Date.UTC(2026, 10, 23), Date.UTC(2026, 10, 24));
  assert.equal(plain, `SELECT * FROM photo WHERE id BETWEEN ${first} AND ${last};`);
  assert.match(reader.daySql(0, 'mastodon').withExtension, /, 'mastodon'\);$/);
  assert.equal(reader.daySql(0, 'trace'), undefined);
  assert.deepEqual(reader.daySql(reader.timeUs(id)), reader.daySql(reader.time(id)));
  assert.match(reader.daySql(-1n).withExtension, /1969-12-31 00:00Z, 1970-01-01 00:00Z/);
  assert.match(reader.kindDaySql(new Date(Date.UTC(10100, 0, 2)), 'uuid'), /'10100-01-02 00:00Z'.*'10100-01-03 00:00Z'/);
});
