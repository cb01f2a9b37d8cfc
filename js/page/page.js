// The page Read an ID: two tabs, all of whose answers come from the package and so from the core.
import { IdgenError } from '../package/errors.js';
import { toUuid } from '../package/ids.js';
import { formatUlid, formatUuid } from '../package/kinds.js';
import { layoutInfo, layouts } from '../package/layouts.js';
import { daySql, kindDaySql, recognize } from '../package/recognize.js';
import { toBase32, toBase62, toBase64url } from '../package/texts.js';

const $ = (id) => document.getElementById(id);

// An element with attributes and children; texts are never read as HTML.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function copyButton(text, what) {
  const button = element('button', { type: 'button', class: 'plain', 'aria-label': `Copy ${what}` }, 'Copy');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Not allowed here';
    }
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  });
  return button;
}

// Rows of a list: [term, text] or [term, text, true] for what one may want to copy.
function list(rows) {
  const made = element('dl');
  for (const [term, text, isCopied] of rows) {
    if (text === undefined || text === null) continue;
    made.append(element('dt', {}, term), element('dd', isCopied ? { class: 'value' } : {}, String(text), ...(isCopied ? [copyButton(String(text), term)] : [])));
  }
  return made;
}

const code = (text, what) => element('div', {}, element('pre', {}, text), copyButton(text, what));

// Times

const units = [['year', 31557600000], ['month', 2629800000], ['day', 86400000], ['hour', 3600000], ['minute', 60000], ['second', 1000]];

// 2 days ago, in 3 years
function ageText(time, now) {
  const age = Math.abs(now - time);
  const [unit, ms] = units.find(([, length]) => age >= length) ?? ['second', 1000];
  const count = Math.floor(age / ms);
  const text = `${count} ${unit}${count === 1 ? '' : 's'}`;
  return time > now ? `in ${text}` : `${text} ago`;
}

// In UTC, with microseconds if the layout has them.
function utcText(time, timeUs) {
  if (timeUs === undefined) return time.toISOString();
  const us = timeUs - BigInt(time.getTime()) * 1000n;
  return time.toISOString().replace('Z', `${String(us).padStart(3, '0')}Z`);
}

const localText = (time) => time.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' });

// Bits

const fieldNames = { unused: 'unused', time: 'time', region: 'region', shard: 'shard', sequence: 'sequence' };

// The fields of a layout from the highest bit down, 64 bits together.
function fieldsOf(info) {
  const node = [['region', info.regionBits], ['shard', info.shardBits]];
  const sequence = [['sequence', info.sequenceBits]];
  const low = info.sequenceAbove ? [...sequence, ...node] : [...node, ...sequence];
  const used = info.timeBits + low.reduce((sum, [, bits]) => sum + bits, 0);
  return [['unused', 64 - used], ['time', info.timeBits], ...low].filter(([, bits]) => bits > 0);
}

function bar(fields) {
  const words = fields.map(([name, bits]) => `${fieldNames[name]} ${bits}`).join(', ');
  const made = element('div', { class: 'bar', role: 'img', 'aria-label': `64 bits from the highest: ${words}` });
  for (const [name, bits] of fields) {
    const part = element('div', { class: bits < 16 ? `${name} narrow` : name, 'data-bits': bits }, bits >= 9 ? `${fieldNames[name]} ${bits}` : '');
    part.style.flex = `${bits} 0 0`;
    made.append(part);
  }
  return made;
}

function legend(fields) {
  return element('ul', { class: 'legend', 'aria-hidden': 'true' },
    ...fields.map(([name, bits]) => element('li', {}, element('i', { class: name }), `${fieldNames[name]}: ${bits} bit${bits === 1 ? '' : 's'}`)));
}

// The bits of an ID, coloured as its fields are.
function bitsOf(id, fields) {
  const digits = BigInt.asUintN(64, id).toString(2).padStart(64, '0');
  const made = element('p', { class: 'bits', 'aria-hidden': 'true' });
  let at = 0;
  for (const [name, bits] of fields) {
    made.append(element('span', { class: name }, digits.slice(at, at + bits)));
    at += bits;
  }
  return made;
}

// The first tab: what a text can be

const formNames = {
  decimal: 'a number', base62: 'Base62 (id64)', base32: 'Base32', base32check: 'Base32 with a check symbol', base64url: 'base64url', uuid: 'a UUID that holds it',
};
const kindNames = { uuid: 'UUID', ulid: 'ULID', ksuid: 'KSUID', objectid: 'ObjectId', typeid: 'TypeID', number: 'Plain number' };

function nameOf(reading) {
  if (reading.kind === 'id') return `64-bit ID, layout ${layoutInfo(reading.layout).name}`;
  return reading.kind === 'uuid' && reading.version !== null ? `UUID, version ${reading.version}` : kindNames[reading.kind];
}

const percent = (likelihood) => (likelihood >= 0.9995 ? '100%' : likelihood < 0.001 ? 'below 0.1%' : `${(likelihood * 100).toFixed(1)}%`);

function attemptText(read) {
  try {
    return read();
  } catch (error) {
    if (error instanceof IdgenError) return null;
    throw error;
  }
}

function cardOfId(reading, now) {
  const { id, layout, time, timeUs, shard, region, sequence, form } = reading;
  const info = layoutInfo(layout);
  const fields = fieldsOf(info);
  const sql = daySql(time, layout);
  return [
    bar(fields), legend(fields), bitsOf(id, fields),
    list([
      ['Made', `${utcText(time, timeUs)} (${ageText(time, now)})`], ['Your time', localText(time)], ['Shard', shard], ['Region', region], ['Sequence', sequence],
      ['Given as', formNames[form]],
    ]),
    element('h3', {}, 'Other forms'),
    list([
      ['Number', id, true], ['id64, Base62', toBase62(id), true], ['Base32, with check', toBase32(id, { checksum: true }), true], ['base64url', toBase64url(id), true],
      ['Hexadecimal', `0x${id.toString(16).padStart(16, '0')}`, true], ['UUID', attemptText(() => toUuid(id, layout)), true],
    ]),
    element('h3', {}, 'Rows of that day, UTC'),
    ...(sql ? [code(sql.withExtension, 'SQL'), element('p', { class: 'quiet' }, 'Without the extension:'), code(sql.plain, 'SQL without the extension')]
      : [element('p', { class: 'quiet' }, 'The time of this layout wraps: the IDs of a day are not one range. The time shown is the one nearest to now.')]),
  ];
}

function cardOfKind(reading, now) {
  const { kind, time, version, prefix, uuid, bytes, text } = reading;
  const column = kind === 'typeid' ? 'uuid' : kind;
  const hasRange = time !== null && (column !== 'uuid' || version === 7);
  return [
    list([
      ['Made', time === null ? 'It has no time' : `${time.toISOString()} (${ageText(time, now)})`], ['Your time', time && localText(time)], ['Version', version], ['Prefix', prefix],
    ]),
    element('h3', {}, 'Other forms'),
    list([
      [kindNames[kind], text, true], ...(bytes.length === 16 && kind !== 'uuid' ? [['UUID', uuid ?? formatUuid(bytes), true]] : []),
      ...(bytes.length === 16 && kind !== 'ulid' ? [['ULID', formatUlid(bytes), true]] : []),
      ['Bytes', Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(''), true],
    ]),
    ...(hasRange ? [element('h3', {}, `Rows of that day, UTC, if the column is ${column}`), code(kindDaySql(time, column), 'SQL')] : []),
  ];
}

const cardOfNumber = (reading) => [
  list([['Number', reading.id, true]]),
  element('p', {}, 'It is too small for an ID with a time. Counters such as bigserial make such numbers.'),
];

function card(reading, now) {
  const content = reading.kind === 'id' ? cardOfId(reading, now) : reading.kind === 'number' ? cardOfNumber(reading) : cardOfKind(reading, now);
  const likelihood = element('span', { class: 'likelihood', title: 'A guess from the time that this reading gives' }, `${percent(reading.likelihood)} likely`);
  return element('article', {}, likelihood, element('h2', {}, nameOf(reading)), ...content);
}

function table(readings, now) {
  const head = ['Kind', 'Made', 'Age', 'Likelihood'].map((word) => element('th', { scope: 'col', ...(word === 'Age' ? { class: 'optional' } : {}) }, word));
  const rows = readings.map((reading) => element('tr', {},
    element('td', {}, nameOf(reading) + (reading.form && reading.form !== 'decimal' ? `, as ${formNames[reading.form]}` : '')),
    element('td', {}, reading.time ? reading.time.toISOString().slice(0, 16).replace('T', ' ') : 'no time'),
    element('td', { class: 'optional' }, reading.time ? ageText(reading.time, now) : ''),
    element('td', {}, percent(reading.likelihood))));
  return element('details', {}, element('summary', {}, `${readings.length} less likely reading${readings.length === 1 ? '' : 's'}`),
    element('table', {}, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...rows)));
}

// The layouts to try: the presets, and the own one if it is right.
function layoutsToTry() {
  const own = $('own').value.trim();
  $('own-error').textContent = '';
  if (own === '') return layouts;
  try {
    const { name } = layoutInfo(own);
    return [own, ...layouts.filter((preset) => preset !== name)];
  } catch (error) {
    $('own-error').textContent = `${error.message}. ${error.hint}`;
    return layouts;
  }
}

const madeText = ({ time }, now) => (time ? `, made ${ageText(time, now)}` : '');

// What is said of all readings; `shown` of them have cards.
function summaryOf(text, readings, shown, now) {
  if (text === '') return '';
  if (readings.length === 0) return 'This is not an ID that the page knows. Check that all of it was copied.';
  const [best, ...others] = readings.slice(0, shown).map((reading) => nameOf(reading) + madeText(reading, now));
  const also = others.length ? ` It can also be: ${others.join('; ')}.` : '';
  return `${readings[0].likelihood > 0.98 ? 'Very likely' : 'Likeliest'}: ${best}.${also}`;
}

function showReadings() {
  const text = $('text').value.trim();
  const now = Date.now();
  const readings = recognize(text, { now, layouts: layoutsToTry() });
  const shown = Math.max(1, readings.filter(({ likelihood }) => likelihood >= 0.05).length);
  const rest = readings.slice(shown);
  $('summary').textContent = summaryOf(text, readings, shown, now);
  $('readings').replaceChildren(...readings.slice(0, shown).map((reading) => card(reading, now)), ...(rest.length ? [table(rest, now)] : []));
}

// The second tab: a layout

const numbers = ['timeBits', 'regionBits', 'shardBits', 'sequenceBits'];
const checks = ['sequenceAbove', 'sequenceFrom', 'wraps'];

// What to start from: names and layouts.
const starts = {
  ...Object.fromEntries(layouts.map((name) => [name, name])),
  'AT Protocol TID': 'epoch=1970-01-01T00:00:00Z unit=1us time=53 shard=10',
};

// The long form of what the form says.
function designed() {
  const bits = Object.fromEntries(numbers.map((name) => [name, Number($(name).value)]));
  const field = (name, count, mark = '') => (count > 0 ? ` ${name}=${count}${mark}` : '');
  const node = field('region', bits.regionBits) + field('shard', bits.shardBits);
  const sequence = field('sequence', bits.sequenceBits, $('sequenceFrom').checked ? '+1' : '');
  const low = $('sequenceAbove').checked ? sequence + node : node + sequence;
  return `epoch=${$('epoch').value.trim()} unit=${$('unit').value.replace(/\s/g, '')}${field('time', bits.timeBits, $('wraps').checked ? 'w' : '')}${low}`;
}

function fillForm(text) {
  const info = layoutInfo(text);
  for (const name of numbers) $(name).value = info[name];
  for (const name of checks) $(name).checked = Boolean(info[name]);
  $('epoch').value = /epoch=(\S+)/.exec(info.longForm)[1];
  $('unit').value = /unit=(\S+)/.exec(info.longForm)[1];
  showStart(info.name);
}

// The layout that the form has, in the list of those to start from.
function showStart(name) {
  $('preset').value = Object.values(starts).includes(name) ? name : '';
}

const grouped = (number) => number.toLocaleString('en-US');

// What id_layout_info warns of, in words, and what is easily overlooked.
function warningsOf(info, now) {
  const warnings = [];
  const total = info.timeBits + info.regionBits + info.shardBits + info.sequenceBits;
  const years = info.lastTime === null ? Infinity : (info.lastTime - now) / 31557600000;
  if (!info.fitsJs) warnings.push('IDs go beyond 2^53: JavaScript numbers cannot hold them exactly. Send them as strings, or use a layout of at most 53 bits.');
  if (info.oneNode) warnings.push('It has no shard field: only one node may make IDs with it.');
  if (info.wraps) warnings.push('Time wraps: IDs of a period are not one range, so id_within, id_min and id_max refuse it, and old IDs come again.');
  if (!info.wraps && years < 0) warnings.push('It has ended: its last time is past.');
  else if (!info.wraps && years < 15) warnings.push(`It ends in ${Math.floor(years)} years. Use a later epoch, a longer unit or more bits for time.`);
  if (total === 64) warnings.push('It uses all 64 bits. An ID must not be negative, so the highest bit of time is never set: it ends halfway.');
  if (info.firstTime > now) warnings.push('Its epoch is in the future: it makes no IDs until then.');
  if (info.idsPerSecond < 1000) warnings.push(`One shard makes at most ${grouped(info.idsPerSecond)} IDs a second.`);
  return warnings;
}

const tickText = (ms) => (ms < 1 ? `${ms * 1000} us` : ms < 1000 ? `${ms} ms` : `${ms / 1000} s`);

// How long the ticks of all values of the time field last: of 64 bits the highest is never set.
function turnText({ timeBits, regionBits, shardBits, sequenceBits, tickMs }) {
  const length = 2 ** Math.min(timeBits, 63 - regionBits - shardBits - sequenceBits) * tickMs;
  const [unit, ms] = units.find(([, unitMs]) => length >= unitMs) ?? ['second', 1000];
  const count = grouped(Number((length / ms).toFixed(length < 1000 ? 6 : 1)));
  return `${count} ${unit}${count === '1' ? '' : 's'}`;
}

function layoutResult(info, now) {
  const fields = fieldsOf(info);
  const warnings = warningsOf(info, now);
  const regions = info.regionBits > 0 ? ` (${grouped(2 ** info.regionBits)} regions of ${grouped(2 ** info.shardBits)})` : '';
  const perMs = info.idsPerTick / info.tickMs;
  const read = element('button', { type: 'button', class: 'plain' }, 'Read IDs with this layout');
  read.addEventListener('click', () => {
    $('own').value = info.longForm;
    select('read');
    $('text').focus();
  });
  return [
    bar(fields), legend(fields),
    list([
      ['One shard makes', `${grouped(perMs >= 10 ? Math.floor(perMs) : Number(perMs.toFixed(3)))} IDs a ms, ${grouped(info.idsPerSecond)} a second`],
      ['Shards', `${grouped(info.shards)}${regions}`], ['A tick lasts', tickText(info.tickMs)], [info.wraps ? 'A turn lasts' : 'Time lasts', turnText(info)],
      ['From', info.firstTime.toISOString()], [info.wraps ? 'First turn until' : 'Until', info.lastTime === null ? 'after the year 275760' : utcText(info.lastTime, info.lastTimeUs)],
      ['Largest ID', info.largestId], ['As a JavaScript number', info.fitsJs ? 'exact' : 'not exact'],
    ]),
    ...(warnings.length ? [element('ul', { class: 'warnings', 'aria-label': 'Warnings' }, ...warnings.map((text) => element('li', {}, text)))] : []),
    element('h3', {}, 'The layout as text'), code(info.name, 'layout'),
    element('h3', {}, 'A table with it'), code(`CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id(layout => '${info.name}'));`, 'SQL'),
    element('p', {}, read),
  ];
}

function showLayout() {
  for (const name of numbers) {
    document.querySelector(`output[for=${name}]`).textContent = `${$(name).value} bit${$(name).value === '1' ? '' : 's'}`;
    $(name).setAttribute('aria-valuetext', `${$(name).value} bits`);
  }
  try {
    const info = layoutInfo(designed());
    $('layout-error').textContent = '';
    $('layout-result').replaceChildren(...layoutResult(info, Date.now()));
    return info;
  } catch (error) {
    if (!(error instanceof IdgenError)) throw error;
    $('layout-error').textContent = `${error.message.replace('invalid id_layout: ', 'This layout cannot be: ')}. ${error.hint}`;
    $('layout-result').replaceChildren();
    return undefined;
  }
}

// Tabs and addresses: #id=..., with &own= for a layout, or #layout=...

const tabs = ['read', 'design'];

function select(name) {
  for (const tab of tabs) {
    const isSelected = tab === name;
    $(`tab-${tab}`).setAttribute('aria-selected', String(isSelected));
    $(`tab-${tab}`).tabIndex = isSelected ? 0 : -1;
    $(tab).hidden = !isSelected;
  }
  if (name === 'read') showReadings();
  else showLayout();
  writeAddress(name);
}

function writeAddress(name) {
  const said = new URLSearchParams();
  if (name === 'read') {
    if ($('text').value.trim()) said.set('id', $('text').value.trim());
    if ($('own').value.trim()) said.set('own', $('own').value.trim());
  } else {
    said.set('layout', designed());
  }
  const hash = String(said);
  history.replaceState(null, '', hash ? `#${hash}` : location.pathname + location.search);
}

function readAddress() {
  const said = new URLSearchParams(location.hash.slice(1));
  // An address can be longer than what the fields take.
  for (const [id, name] of [['text', 'id'], ['own', 'own']]) $(id).value = (said.get(name) ?? '').slice(0, $(id).maxLength);
  const layout = said.get('layout');
  try {
    fillForm(layout ?? 'instagram');
  } catch {
    fillForm('instagram');
  }
  select(layout === null ? 'read' : 'design');
}

function begin() {
  $('preset').append(...Object.entries(starts).map(([name, layout]) => element('option', { value: layout }, name)), element('option', { value: '' }, 'your own'));
  const examples = { 'a 64-bit ID': '4036565484265537613', 'a post': 'CO5WXONKMxM', 'a ULID': '01ARYZ6S41TSV4RRFFQ69G5FAV', 'a TypeID': 'user_01h455vb4pex5vsknk084sn02q' };
  for (const [name, text] of Object.entries(examples)) {
    const button = element('button', { type: 'button', class: 'plain' }, name);
    button.addEventListener('click', () => {
      $('text').value = text;
      select('read');
    });
    $('examples').append(button);
  }
  for (const id of ['text', 'own'])
    $(id).addEventListener('input', () => {
      showReadings();
      writeAddress('read');
    });
  $('layout-form').addEventListener('submit', (event) => event.preventDefault());
  $('layout-form').addEventListener('input', ({ target }) => {
    if (target.id === 'preset') {
      if (target.value) fillForm(target.value);
    }
    const info = showLayout();
    showStart(info?.name);
    writeAddress('design');
  });
  for (const [at, tab] of tabs.entries()) {
    $(`tab-${tab}`).addEventListener('click', () => select(tab));
    $(`tab-${tab}`).addEventListener('keydown', ({ key }) => {
      const to = { ArrowRight: at + 1, ArrowLeft: at + tabs.length - 1, Home: 0, End: tabs.length - 1 }[key];
      if (to === undefined) return;
      select(tabs[to % tabs.length]);
      $(`tab-${tabs[to % tabs.length]}`).focus();
    });
  }
  window.addEventListener('hashchange', readAddress);
  readAddress();
}

begin();
