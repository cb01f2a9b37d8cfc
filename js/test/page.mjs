// The page Read an ID in Chromium, as a file: at the width of a desk and of a phone, in light and dark. SCREENSHOTS names a folder for pictures.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { pathToFileURL } from 'node:url';
import { openBrowser, openPage, top } from './lib/browser.mjs';
import { isTimeOf, realIds } from './lib/real_ids.mjs';

const reader = await import(pathToFileURL(join(top, 'build/user/node_modules/idgen-reader/index.js')));
const file = join(top, 'build/web/index.html');
const id = '4036565484265537613';
const now = Date.UTC(2026, 10, 25, 12);
const widths = [1280, 390];
const own = 'epoch=2024-01-01T00:00:00Z unit=1ms time=41 region=4 shard=8 sequence=10';
const instagram = "Instagram (and idgen's default)";
const wrong = [];
let browser, page;

before(async () => {
  process.env.TZ = 'UTC';
  browser = await openBrowser();
  page = await openPage(browser);
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('console', (message) => wrong.push(message.text()));
  page.on('request', (request) => { if (!/^(?:file:.*\/index\.html|data:|about:)/.test(request.url())) wrong.push(`request of ${request.url()}`); });
  await page.evaluateOnNewDocument((time) => { Date.now = () => time; }, now);
});
after(() => browser.close());

// Opens the page anew at a width and an address.
async function open(hash = '', width = 1280, scheme = 'light') {
  await page.setViewport({ width, height: 800 });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  await page.goto('about:blank');
  await page.goto(pathToFileURL(file) + hash);
  await page.waitForSelector('#preset option');
}

const textOf = (selector) => page.$eval(selector, (found) => found.textContent);
const textsOf = (selector) => page.$$eval(selector, (found) => found.map((each) => each.textContent));

// Types into a field that has something else.
async function type(selector, text) {
  await page.click(selector, { clickCount: 3 });
  await page.keyboard.press('Backspace');
  await page.type(selector, text);
}

// The list of a card, by its terms.
const listOf = (selector) => page.$$eval(`${selector} dt`, (terms) => Object.fromEntries(
  terms.map((term) => [term.textContent, term.nextElementSibling.firstChild.textContent])));

test('a text of any length is cut to what an ID can have, in the fields and in the address', async () => {
  for (const hash of [`#id=${'1'.repeat(1e6)}&own=${'1'.repeat(1e6)}`, `#layout=${'1'.repeat(1e6)}`]) {
    await open(hash);
    assert.ok(await page.evaluate(() => ['text', 'own', 'epoch', 'unit'].every((name) => document.getElementById(name).value.length <= document.getElementById(name).maxLength)), 'the fields');
    assert.ok(await page.evaluate(() => location.hash.length) < 1500, 'the address');
    assert.ok((await textOf('main')).length < 20000, 'the page');
  }
  assert.deepEqual(await page.$$eval('textarea, input[type=text]', (found) => found.map(({ maxLength }) => maxLength)), [8000, 512, 512, 512]);
});

test('it is one file that names no other, and its policy allows no network', async () => {
  const html = readFileSync(file, 'utf8');
  const [head] = html.split('<style>');
  assert.match(head, /content="default-src 'none'; script-src 'sha256-[^']+' 'wasm-unsafe-eval'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'; form-action 'none'"/);
  assert.doesNotMatch(html.replace(/<script.*<\/script>/s, ''), /(?:src|href)="(?!data:)/);
  assert.ok(html.length < 120000, `${html.length} bytes`);
  await open();
  const before = wrong.length;
  assert.equal(await page.evaluate(() => fetch('http://127.0.0.1:9/').then(() => 'fetched', () => 'refused')), 'refused');
  assert.match(wrong.splice(before).join(), /Content Security Policy/);
});

for (const width of widths) {
  test(`a link with an ID shows its reading, at ${width} pixels`, async () => {
    await open(`#id=${id}`, width);
    assert.equal(await page.$eval('#text', (input) => input.value), id);
    assert.equal(await textOf('#summary'), "Likely from Instagram (and idgen's default), made 2 days ago.");
    const said = await listOf('article');
    assert.deepEqual(Object.keys(said).slice(0, 6), ['UTC', 'Your time', 'Age', 'Shard', 'Sequence', 'Layout']);
    assert.equal(said.UTC, '2026-11-23T06:42:05.325Z');
    assert.match(said['Your time'], /^Mon, Nov 23, 2026, 6:42:05\.325\sAM UTC$/);
    assert.equal(said.Age, '2 days ago');
    assert.equal(said.Layout, 'instagram');
    assert.equal(said.Shard, '4096');
    assert.equal(said.Sequence, '77');
    assert.equal(said['id64, Base62'], reader.toId64(id));
    assert.equal(said['Base32, with check'], reader.toBase32(id, { checksum: true }));
    assert.equal(said.base64url, reader.toBase64url(id));
    assert.equal(said.UUID, reader.toUuid(id));
    const { withExtension, plain } = reader.daySql(reader.time(id));
    assert.deepEqual(await textsOf('article pre'), [withExtension, plain]);
  });

  test(`nothing is wider than the window, and no text is cut, at ${width} pixels`, async () => {
    const kinds = ['', `#id=${id}`, '#id=user_01h455vb4pex5vsknk084sn02q', '#id=0ujtsYcgvSTl8PAuAdqWYSMnLOv', `#layout=${encodeURIComponent(own)}`, '#id=80351110224678912',
      `#id=${encodeURIComponent(realIds.map(({ given }) => given).join('\n'))}`, '#id=https://discord.com/channels/613425648685547541/1222027249826398250/1227003610148114493'];
    for (const hash of kinds) {
      await open(hash, width);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width, hash);
      if (!hash.startsWith('#layout')) assert.ok(await page.$eval('#from', ({ clientWidth }) => clientWidth) > 300, hash);
      const cut = await page.$$eval('.bar div', (parts) => parts.filter((part) => part.scrollWidth > part.clientWidth + 1).map((part) => part.textContent));
      assert.deepEqual(cut, [], hash);
    }
  });

  test(`the time is on the first screen, at ${width} pixels`, async () => {
    for (const text of ['80351110224678912', '01ARYZ6S41TSV4RRFFQ69G5FAV']) {
      await open(`#id=${text}`, width);
      const bottom = await page.$$eval('dd', ([utc, local]) => [utc, local].map((each) => each.getBoundingClientRect().bottom));
      assert.ok(Math.max(...bottom) <= 800, bottom.join());
    }
  });

  test(`pictures of both tabs, light and dark, at ${width} pixels`, async () => {
    const backgrounds = new Set();
    for (const scheme of ['light', 'dark'])
      for (const [name, hash] of [['read', `#id=${id}`], ['unknown', '#id=80351110224678912'], ['several', `#id=${id}%0A103270115826048975`], ['design', `#layout=${encodeURIComponent(own)}`]]) {
        await open(hash, width, scheme);
        const height = await page.evaluate(() => document.documentElement.scrollHeight);
        await page.setViewport({ width, height });
        const path = process.env.SCREENSHOTS && join(process.env.SCREENSHOTS, `${name}-${width}-${scheme}.png`);
        assert.ok((await page.screenshot({ path })).length > 10000);
        backgrounds.add(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
      }
    assert.equal(backgrounds.size, 2);
  });

  test(`the second tab designs a layout, at ${width} pixels`, async () => {
    await open(`#layout=${encodeURIComponent(own)}`, width);
    assert.equal(await page.$eval('#design', (panel) => panel.hidden), false);
    assert.equal(await page.$eval('#regionBits', (slider) => slider.value), '4');
    assert.deepEqual((await textsOf('#layout-result pre'))[0], own);
    const said = await listOf('#layout-result');
    const info = reader.layoutInfo(own);
    assert.equal(said['One shard makes'], '1,024 IDs a ms, 1,024,000 a second');
    assert.equal(said.Shards, '4,096 (16 regions of 256)');
    assert.equal(said.Until, info.lastTime.toISOString());
    assert.equal(said['A tick lasts'], '1 ms');
    assert.equal(said['Time lasts'], '69.7 years');
    assert.equal(said['Largest ID'], String(info.largestId));
    await page.focus('#shardBits');
    await page.keyboard.press('ArrowRight');
    assert.equal(await textOf('output[for=shardBits]'), '9 bits');
    assert.equal((await textsOf('#layout-result pre'))[0], own.replace('shard=8', 'shard=9'));
    assert.match(await page.evaluate(() => decodeURIComponent(location.hash.replaceAll('+', ' '))), /shard=9/);
  });
}

test('each kind is read, as it is typed', async () => {
  await open();
  const typed = {
    '12345': 'Plain number', [reader.toBase62(id)]: instagram, CO5WXONKMxM: instagram, [reader.toUuid(id)]: instagram, '1732700000123': 'Unix time in milliseconds',
    '017f22e2-79b0-76ff-bfff-f00000000000': 'UUID, version 7', '919108f7-52d1-4320-9bac-f847db4148a8': 'UUID, version 4', '01ARYZ6S41TSV4RRFFQ69G5FAV': 'ULID',
    '0ujtsYcgvSTl8PAuAdqWYSMnLOv': 'KSUID', '507f1f77bcf86cd799439011': 'ObjectId', user_01h455vb4pex5vsknk084sn02q: 'TypeID',
    '9m4e2mr0ui3e8a215n4g': 'Xid', '3l25zusnsfctk': 'Bluesky (AT Protocol)', 'V1StGXR8_Z5jdHi6B-myT': 'NanoID',
  };
  for (const [text, heading] of Object.entries(typed)) {
    await type('#text', text);
    assert.equal(await textOf('article h2'), heading, text);
    assert.equal(await page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get('id')), text);
  }
  assert.equal(await textOf('#summary'), 'This may be a NanoID, which has no time.');
  await type('#text', 'hello');
  assert.match(await textOf('#summary'), /not an ID that the page knows/);
  assert.deepEqual(await textsOf('article'), []);
});

const rowsOf = () => page.$$eval('tbody tr', (rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));

test('if it is not known where a number is from: a card of the likeliest, a table in words, and a press says it', async () => {
  await open('#id=1541815603606036480');
  assert.equal(await textOf('#summary'), 'Likely from X (Twitter), made 4 years ago. If you know where it is from, say so.');
  assert.deepEqual(await textsOf('article h2'), ['X (Twitter)']);
  assert.deepEqual(await rowsOf(), [['X (Twitter)', '2022-06-28 16:07:40.105', '4 years ago', 'likely'], ['Discord', '2026-08-25 14:24:45.448', '3 months ago', 'possible']]);
  await page.click('tbody tr:nth-child(2) button');
  assert.equal(await page.$eval('#from', ({ value }) => value), 'discord');
  assert.equal(await textOf('#summary'), 'From Discord, made 3 months ago.');
  assert.deepEqual(await textsOf('article h2'), ['Discord']);
  assert.equal(await page.$('table'), null);
  await open('#id=80351110224678912');
  assert.match(await textOf('#summary'), /^Possibly from Discord, made 11 years ago\. If/);
  assert.ok((await rowsOf()).every(([, , , word]) => word === 'possible'));
});

test('parts have the names and widths that their source gives them', async () => {
  for (const [hash, parts, words] of [
    ['#id=1541815603606036480&from=x', { Datacenter: '11', Worker: '26', Sequence: '0' }, 'unused 1, time 41, datacenter 5, worker 5, sequence 12'],
    ['#id=175928847299117063&from=discord', { Worker: '1', Process: '0', Increment: '7' }, 'time 42, worker 5, process 5, increment 12'],
    ['#id=388400145978465528&from=tsid', { Node: '25', Counter: '3320' }, 'unused 1, time 41, node 10, counter 12'],
    ['#id=3l25zusnsfctk&from=bluesky', { Clock: '816' }, 'unused 1, time 53, clock 10'],
    [`#id=1541815603606036480&own=twitter`, { Region: '11', Shard: '378', Sequence: '0' }, 'unused 1, time 41, region 5, shard 5, sequence 12'],
  ]) {
    await open(hash);
    const said = await listOf('article');
    assert.deepEqual(Object.fromEntries(Object.keys(parts).map((name) => [name, said[name]])), parts);
    assert.equal(await page.$eval('article .bar', ({ ariaLabel }) => ariaLabel), `64 bits from the highest: ${words}`);
  }
});

test('public IDs: what is pasted is read right, each alone and all together', async () => {
  assert.ok(realIds.length >= 20, `${realIds.length} IDs`);
  await open(`#id=${encodeURIComponent(realIds.map(({ given }) => given).slice(0, 2).join('\n'))}`);
  await page.$eval('#text', (field, text) => { field.value = text; field.dispatchEvent(new Event('input')); }, realIds.map(({ given }) => given).join('\n'));
  const rows = await rowsOf();
  assert.equal(rows.length, realIds.length);
  for (const [n, real] of realIds.entries()) {
    const name = reader.sources[real.from]?.name ?? { number: 'plain', unix: 'unix' }[real.from] ?? real.from;
    assert.ok(rows[n][1].toLowerCase().startsWith(name.toLowerCase()), `${real.given}: ${rows[n]}`);
    assert.ok(real.time === null ? rows[n][2] === 'no time' : isTimeOf(real, Date.parse(`${rows[n][2].replace(' ', 'T')}Z`)), `${real.given}: ${rows[n]}`);
    const from = reader.sources[real.from] ? real.from : '';
    await open(`#id=${encodeURIComponent(real.given)}&from=${from}`);
    const said = await listOf('article');
    assert.equal((await textsOf('article')).length, 1, real.given);
    assert.ok(real.time === null ? said.UTC === undefined : isTimeOf(real, Date.parse(said.UTC)), `${real.given}: ${said.UTC}`);
    if (from) assert.equal(await page.$('table'), null, real.given);
    assert.doesNotMatch(await textOf('main'), /\d%/);
  }
});

test('several lines: a row each', async () => {
  await open();
  await page.evaluate(() => { document.getElementById('text').focus(); document.execCommand('insertText', false, '1541815603606036480\n<@175928847299117063>\r\n"01ARYZ6S41TSV4RRFFQ69G5FAV",\nhello\n'); });
  assert.deepEqual(await rowsOf(), [
    ['1541815603606036480', 'X (Twitter)', '2022-06-28 16:07:40.105', '4 years ago', 'likely'], ['175928847299117063', 'Discord', '2016-04-30 11:18:25.796', '10 years ago', ''],
    ['01ARYZ6S41TSV4RRFFQ69G5FAV', 'ULID', '2016-07-30 22:36:16.385', '10 years ago', 'likely'], ['hello', 'not an ID that the page knows', '', '', ''],
  ]);
  assert.deepEqual(await textsOf('article'), []);
  assert.equal(await textOf('#summary'), '4 IDs');
  await page.$eval('#text', (field) => { field.value = '12\n'.repeat(1000); field.dispatchEvent(new Event('input')); });
  assert.equal(await textOf('#summary'), '100 IDs, as many as are read at once');
  assert.deepEqual(await page.$eval('#link', ({ hidden }) => [hidden, location.hash]), [true, '']);
});

test('what is said and cannot be, or hardly, is noted', async () => {
  await open('#id=01ARYZ6S41TSV4RRFFQ69G5FAV&from=x');
  assert.equal(await textOf('#summary'), 'This is not an ID of X (Twitter). ULID, made 10 years ago.');
  await open('#id=https://x.com/jack/status/20');
  assert.equal(await textOf('#summary'), 'From X (Twitter), whose IDs had no time until November 2010.');
  await open('#id=2574187014843321420&from=discord');
  assert.match(await textOf('#summary'), /^From Discord, made in 7 years\. It is hardly from there/);
  await open('#id=38352658567418872&from=mastodon');
  assert.match(await textOf('#summary'), /^From Mastodon, made 38 years ago\. It is hardly from there/);
  await open('#id=12345');
  assert.match(await textOf('article'), /too small for an ID with a time/);
  await open('#id=9223372036854775807');
  assert.match(await textOf('article'), /No layout that the page knows gives it a likely time/);
});

test('the field has the focus, and a paste replaces what is there', async () => {
  for (const hash of ['', `#id=${id}`]) {
    await open(hash);
    await page.keyboard.type('12345');
    assert.equal(await page.$eval('#text', ({ value }) => value), '12345');
  }
});

test('the link has the ID and from where it is', async () => {
  await open();
  assert.equal(await page.$eval('#link', ({ hidden }) => hidden), true);
  await page.evaluate(() => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; });
  await page.keyboard.type('1541815603606036480');
  await page.select('#from', 'x');
  await page.click('#link');
  await page.waitForFunction(() => window.copied);
  const link = await page.evaluate(() => window.copied);
  assert.equal(link, `${pathToFileURL(file)}#id=1541815603606036480&from=x`);
  await open(link.slice(link.indexOf('#')));
  assert.equal(await textOf('#summary'), 'From X (Twitter), made 4 years ago.');
});

test('other kinds have their SQL', async () => {
  await open('#id=01ARYZ6S41TSV4RRFFQ69G5FAV');
  assert.deepEqual(await textsOf('article pre'), ["SELECT * FROM photo WHERE id >= ulid_min('2016-07-30 00:00Z') AND id < ulid_min('2016-07-31 00:00Z');"]);
});

test('the bar and the digits have 64 bits, by the fields of the layout', async () => {
  for (const layout of reader.layouts) {
    const made = reader.make(now - 1000, reader.layoutInfo(layout).oneNode ? null : 1, 1, layout);
    await open(`#id=${made}&own=${layout}`);
    // Of the first reading: a number can have others.
    const bits = await page.$eval('article .bar', (bar) => [...bar.querySelectorAll('div')].map((part) => Number(part.dataset.bits)));
    assert.equal(bits.reduce((sum, each) => sum + each), 64, layout);
    const label = await page.$eval('article .bar', (bar) => bar.getAttribute('aria-label'));
    assert.match(label, /^64 bits from the highest: .*time \d+/);
    assert.equal((await textOf('article .bits')).length, 64);
  }
  const info = reader.layoutInfo('sonyflake');
  await open(`#id=${reader.make(now - 1000, 1, 1, 'sonyflake')}`);
  assert.deepEqual(await page.$eval('article .bar', (bar) => [...bar.querySelectorAll('div')].map((part) => part.className.split(' ')[0])), ['unused', 'time', 'sequence', 'shard']);
  assert.equal(info.sequenceAbove, true);
});

test('an own layout; one that is wrong is said so', async () => {
  const mine = String(reader.make(now - 86400000, 3000, 5, own));
  await open(`#id=${mine}`);
  assert.equal(await page.$eval('#own', (field) => field.checkVisibility()), false);
  await page.select('#from', 'own');
  await type('#own', own);
  assert.equal(await textOf('article h2'), 'Your own layout');
  const said = await listOf('article');
  assert.equal(said.Layout, own);
  assert.equal(said.Shard, '3000');
  assert.equal(said.Region, '11');
  await type('#own', 'epoch=2024-01-01 unit=1ms time=4x');
  assert.match(await textOf('#own-error'), /^invalid id_layout: "time=4x" has something after its number\. Only time may end/);
});

test('a text is never read as HTML', async () => {
  const hostile = '<img src=x onerror=alert(1)>';
  await open(`#id=${encodeURIComponent(hostile)}&own=${encodeURIComponent(hostile)}`);
  assert.equal(await page.$('#read img'), null);
  await open(`#layout=${encodeURIComponent(hostile)}`);
  assert.equal(await page.$('#design img'), null);
  assert.equal((await textsOf('#layout-result pre'))[0], 'instagram');
});

test('presets, and warnings as id_layout_info has them', async () => {
  await open('#layout=instagram');
  const warnings = async (preset) => {
    await page.select('#preset', preset);
    assert.equal((await textsOf('#layout-result pre'))[0], preset);
    return (await textsOf('.warnings li')).join('\n');
  };
  for (const preset of reader.layouts) {
    const info = reader.layoutInfo(preset);
    const said = await warnings(preset);
    assert.equal(/beyond 2\^53/.test(said), !info.fitsJs, preset);
    assert.equal(/only one node/.test(said), info.oneNode, preset);
    assert.equal(/wraps/.test(said), info.wraps, preset);
  }
  assert.match(await warnings('mastodon'), /all 64 bits/);
  await warnings('js53');
  await page.focus('#timeBits');
  for (let n = 0; n < 3; n++) await page.keyboard.press('ArrowLeft');
  assert.match(await textOf('.warnings'), /It ends in \d+ years/);
  await page.click('#wraps');
  assert.match(await textOf('.warnings'), /wraps/);
  assert.match((await textsOf('#layout-result pre'))[0], /time=29w/);
});

test('a tick of any length: typed with its unit, and shown; times have its microseconds', async () => {
  await open('#layout=instagram');
  await page.select('#preset', 'epoch=1970-01-01T00:00:00Z unit=1us time=53 shard=10');
  assert.equal(await page.$eval('#preset', (select) => select.selectedOptions[0].textContent), 'AT Protocol TID');
  assert.equal(await page.$eval('#unit', (input) => input.value), '1us');
  let said = await listOf('#layout-result');
  assert.deepEqual([said['One shard makes'], said['A tick lasts'], said['Time lasts'], said.Until],
    ['1,000 IDs a ms, 1,000,000 a second', '1 us', '285.4 years', '2255-06-05T23:47:34.740991Z']);
  await page.select('#preset', 'snowflake');
  for (const [unit, wanted, tickMs] of [
    ['57us', '57 us', 0.057], ['125 us', '125 us', 0.125], ['1500us', '1.5 ms', 1.5], ['1ms', '1 ms', 1], ['1s', '1 s', 1000], ['999999us', '999.999 ms', 999.999],
  ]) {
    await type('#unit', unit);
    said = await listOf('#layout-result');
    assert.equal(said['A tick lasts'], wanted, unit);
    assert.equal(reader.layoutInfo((await textsOf('#layout-result pre'))[0]).tickMs, tickMs);
  }
  for (const unit of ['', '10', '0us', '2s', '1.5ms', '1ms time=3']) {
    await type('#unit', unit);
    assert.match(await textOf('#layout-error'), /is not a whole number of us from 1us to 1s\. Write unit=100us, unit=1ms or unit=1s\.$/, unit);
  }
  const tid = '1728652679052295174';
  await open(`#id=${tid}&own=${encodeURIComponent('epoch=1970-01-01T00:00:00Z unit=1us time=53 shard=10')}`);
  assert.equal((await listOf('article')).UTC, '2023-06-30T15:03:01.887007Z');
});

test('what cannot be a layout is said, and nothing else shown', async () => {
  await open('#layout=instagram');
  await type('#epoch', '2026-02-30');
  assert.match(await textOf('#layout-error'), /^This layout cannot be: "epoch=2026-02-30" is not an instant/);
  assert.equal(await textOf('#layout-result'), '');
  await type('#epoch', '2026-02-28');
  assert.equal(await textOf('#layout-error'), '');
  await page.click('button.plain::-p-text(Read IDs with this layout)');
  assert.equal(await page.$eval('#own', (input) => input.value), 'epoch=2026-02-28T00:00:00Z unit=1ms time=41 shard=13 sequence=10');
  assert.equal(await page.$eval('#read', (panel) => panel.hidden), false);
});

test('keyboard: tabs by arrows, everything in order, nothing else needed', async () => {
  await open(`#id=${id}`);
  await page.focus('#tab-read');
  await page.keyboard.press('ArrowRight');
  assert.deepEqual(await page.$$eval('[role=tab]', (tabs) => tabs.map((tab) => [tab.ariaSelected, tab.tabIndex])), [['false', -1], ['true', 0]]);
  assert.equal(await page.evaluate(() => document.activeElement.id), 'tab-design');
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'tab-read');
  await page.keyboard.press('End');
  assert.equal(await page.$eval('#read', (panel) => panel.hidden), true);
  await page.keyboard.press('Home');
  const visited = [];
  for (let n = 0; n < 8; n++) {
    await page.keyboard.press('Tab');
    visited.push(await page.evaluate(() => document.activeElement.id || document.activeElement.ariaLabel || document.activeElement.textContent));
  }
  assert.deepEqual(visited, ['text', 'from', 'link', 'Copy UTC', 'Copy Number', 'Copy id64, Base62', 'Copy Base32, with check', 'Copy base64url']);
  assert.notEqual(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), 'none');
  await open();
  await page.focus('#examples button');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  assert.equal(await textOf('article h2'), 'X (Twitter)');
});

test('screen reader: roles, names and states', async () => {
  for (const [hash, panel] of [[`#id=${id}`, 'Read an ID'], ['#id=80351110224678912', 'Read an ID'], ['#layout=instagram', 'Design a layout']]) {
    await open(hash);
    const all = [];
    const walk = (node) => { all.push(node); (node.children ?? []).forEach(walk); };
    walk(await page.accessibility.snapshot({ interestingOnly: false }));
    const of = (role) => all.filter((node) => node.role === role);
    assert.deepEqual(of('tab').map(({ name, selected }) => [name, Boolean(selected)]), [['Read an ID', panel === 'Read an ID'], ['Design a layout', panel !== 'Read an ID']]);
    assert.deepEqual(of('tabpanel').map(({ name }) => name), [panel]);
    const controls = all.filter(({ role }) => ['textbox', 'button', 'slider', 'checkbox', 'combobox', 'spinbutton', 'columnheader', 'img', 'image'].includes(role));
    assert.ok(controls.length > 8, `${controls.length} controls`);
    assert.deepEqual(controls.filter(({ name }) => !name), [], 'all have names');
    if (panel === 'Read an ID') assert.ok(of('status').length >= 1);
  }
  assert.equal(await page.$eval('html', (html) => html.lang), 'en');
});

test('contrast of at least 4.5 to 1 for every text, in light and dark', async () => {
  for (const scheme of ['light', 'dark'])
    for (const hash of ['', `#id=${id}`, '#id=80351110224678912', `#id=${id}%0Ahello`, '#layout=mastodon']) {
      await open(hash, 1280, scheme);
      const low = await page.evaluate(() => {
        const channels = (color) => color.match(/[\d.]+/g).map(Number);
        const background = (node) => {
          for (let at = node; at; at = at.parentElement) {
            const color = getComputedStyle(at).backgroundColor;
            if (channels(color)[3] !== 0) return color;
          }
          return 'rgb(255, 255, 255)';
        };
        const luminance = (color) => {
          const [r, g, b] = channels(color).map((value) => value / 255).map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        return [...document.body.querySelectorAll('*')].filter((node) => node.checkVisibility() && [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()))
          .map((node) => {
            const [a, b] = [luminance(getComputedStyle(node).color), luminance(background(node))].sort((x, y) => y - x);
            return [(a + 0.05) / (b + 0.05), node.textContent.slice(0, 40)];
          }).filter(([ratio]) => ratio < 4.5);
      });
      assert.deepEqual(low, [], `${scheme} ${hash}`);
    }
});

test('Copy copies', async () => {
  await open(`#id=${id}`);
  // The word goes when the test says so: a slow machine would come too late to see it.
  await page.evaluate(() => {
    navigator.clipboard.writeText = async (text) => { window.copied = text; };
    window.setTimeout = (then) => { window.later = then; };
  });
  await page.click('button[aria-label="Copy UUID"]');
  await page.waitForFunction(() => window.later);
  assert.equal(await page.evaluate(() => window.copied), reader.toUuid(id));
  assert.equal(await textOf('button[aria-label="Copy UUID"]'), 'Copied');
  await page.evaluate(() => window.later());
  assert.equal(await textOf('button[aria-label="Copy UUID"]'), 'Copy');
});

test('an address that changes is read again, back and forth', async () => {
  await open(`#id=${id}`);
  await page.evaluate(() => { location.hash = '#id=01ARYZ6S41TSV4RRFFQ69G5FAV'; });
  await page.waitForFunction(() => document.querySelector('article h2')?.textContent === 'ULID');
  await page.evaluate(() => { location.hash = '#layout=js53'; });
  await page.waitForFunction(() => !document.getElementById('design').hidden);
  assert.equal((await textsOf('#layout-result pre'))[0], 'js53');
});

test('no error, no message in the console and no request in all of this', () => {
  assert.deepEqual(wrong, []);
});
