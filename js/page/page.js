// The page Read an ID: two tabs, all of whose answers come from the package and so from the core.
import { IdgenError } from '../package/errors.js';
import { toUuid } from '../package/ids.js';
import { formatUlid, formatUuid } from '../package/kinds.js';
import { layoutInfo, layouts } from '../package/layouts.js';
import { mostPasted, pasted } from '../package/pasted.js';
import { daySql, kindDaySql, recognize } from '../package/recognize.js';
import { sources } from '../package/sources.js';
import { toBase32, toBase62, toBase64url } from '../package/texts.js';

// Of more characters no address is made.
const longestAddress = 1000;

const $ = (id) => document.getElementById(id);

// An element with attributes and children; texts are never read as HTML.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

async function copy(button, text) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Not allowed here';
  }
  setTimeout(() => { button.textContent = label; }, 1500);
}

function copyButton(text, what) {
  const button = element('button', { type: 'button', class: 'plain', 'aria-label': `Copy ${what}` }, 'Copy');
  button.addEventListener('click', () => copy(button, text));
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

const localText = (time) => time.toLocaleString(undefined, {
  weekday: 'short', year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3, timeZoneName: 'short',
});

// Bits

// The fields of a layout from the highest bit down, 64 bits together: what each is, its bits, and its name at a source.
function fieldsOf(info, source = {}) {
  const field = (kind, bits) => [kind, bits, source[kind] ?? kind];
  const node = [field('region', info.regionBits), field('shard', info.shardBits)];
  const sequence = [field('sequence', info.sequenceBits)];
  const low = info.sequenceAbove ? [...sequence, ...node] : [...node, ...sequence];
  const used = info.timeBits + low.reduce((sum, [, bits]) => sum + bits, 0);
  return [field('unused', 64 - used), field('time', info.timeBits), ...low].filter(([, bits]) => bits > 0);
}

function bar(fields) {
  const words = fields.map(([, bits, name]) => `${name} ${bits}`).join(', ');
  const made = element('div', { class: 'bar', role: 'img', 'aria-label': `64 bits from the highest: ${words}` });
  for (const [kind, bits, name] of fields) {
    const part = element('div', { class: bits < 16 ? `${kind} narrow` : kind, 'data-bits': bits }, bits >= 9 ? `${name} ${bits}` : '');
    part.style.flex = `${bits} 0 0`;
    made.append(part);
  }
  return made;
}

function legend(fields) {
  return element('ul', { class: 'legend', 'aria-hidden': 'true' },
    ...fields.map(([kind, bits, name]) => element('li', {}, element('i', { class: kind }), `${name}: ${bits} bit${bits === 1 ? '' : 's'}`)));
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
  decimal: 'a number', base62: 'Base62 (id64)', base32: 'Base32', base32check: 'Base32 with a check symbol', base64url: 'base64url', tid: 'a TID', uuid: 'a UUID that holds it',
};
const kindNames = {
  uuid: 'UUID', ulid: 'ULID', ksuid: 'KSUID', objectid: 'ObjectId', typeid: 'TypeID', xid: 'xid', number: 'plain number', unix: 'Unix time', nanoid: 'NanoID', cuid2: 'cuid2',
};
const unitNames = { s: 'seconds', ms: 'milliseconds', us: 'microseconds' };
const nameFrom = (from) => sources[from]?.name ?? 'your own layout';

function nameOf({ kind, source, version, unit }) {
  if (kind === 'id') return nameFrom(source);
  if (kind === 'unix') return `Unix time in ${unitNames[unit]}`;
  return kind === 'uuid' && version !== null ? `UUID, version ${version}` : kindNames[kind];
}

const capital = (text) => text.replace(/^[a-z]/, (letter) => letter.toUpperCase());

function attemptText(read) {
  try {
    return read();
  } catch (error) {
    if (error instanceof IdgenError) return null;
    throw error;
  }
}

const timeRows = ({ time, timeUs }, now) => (time === null ? [['Time', 'It has none']]
  : [['UTC', utcText(time, timeUs), true], ['Your time', localText(time)], ['Age', ageText(time, now)]]);

// The parts of an ID by the names that its source has for them. Where region and shard have names of their own, the shard is without the region.
function partRows({ shard, region, sequence }, source, { shardBits }) {
  const row = (kind, value) => [capital(source[kind] ?? kind), value];
  return [row('region', region), row('shard', source.region ? shard % 2 ** shardBits : shard), row('sequence', sequence)];
}

function cardOfId(reading, now) {
  const { id, layout, time, form } = reading;
  const info = layoutInfo(layout);
  const source = sources[reading.source] ?? {};
  const fields = fieldsOf(info, source);
  const sql = daySql(time, layout);
  return [
    list([...timeRows(reading, now), ...partRows(reading, source, info), ['Given as', form === 'decimal' ? null : formNames[form]], ['Layout', info.name]]),
    bar(fields), legend(fields), bitsOf(id, fields),
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
  const { kind, time, version, prefix, uuid, bytes = [], text } = reading;
  const column = kind === 'typeid' ? 'uuid' : kind;
  const hasRange = time !== null && (['ulid', 'ksuid', 'objectid'].includes(column) || version === 7);
  return [
    list([...timeRows(reading, now), ['Version', version], ['Prefix', prefix]]),
    element('h3', {}, 'Other forms'),
    list([
      [capital(kindNames[kind]), text, true], ...(bytes.length === 16 && kind !== 'uuid' ? [['UUID', uuid ?? formatUuid(bytes), true]] : []),
      ...(bytes.length === 16 && kind !== 'ulid' ? [['ULID', formatUlid(bytes), true]] : []),
      ...(bytes.length ? [['Bytes', Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(''), true]] : []),
    ]),
    ...(hasRange ? [element('h3', {}, `Rows of that day, UTC, if the column is ${column}`), code(kindDaySql(time, column), 'SQL')] : []),
  ];
}

const cardOfNumber = (reading) => [
  list([['Number', reading.id, true]]),
  element('p', {}, reading.id < 10n ** 10n ? 'It is too small for an ID with a time. Counters such as bigserial make such numbers; X did until November 2010.'
    : 'No layout that the page knows gives it a likely time.'),
];

// The card of a reading: its time and parts first; then `others`, and what follows from it.
function card(reading, others, now) {
  const [parts, ...rest] = reading.kind === 'id' ? cardOfId(reading, now) : reading.kind === 'number' ? cardOfNumber(reading) : cardOfKind(reading, now);
  return element('article', {}, element('h2', {}, capital(nameOf(reading))), parts, ...others, ...rest);
}

const likely = 0.8, possible = 0.01;
const wordOf = ({ likelihood }) => (likelihood >= likely ? 'likely' : 'possible');

function tableOf(caption, words, rows) {
  const head = words.map((word) => element('th', { scope: 'col', ...(word === 'Age' ? { class: 'optional' } : {}) }, word));
  const bodies = rows.map((cells) => element('tr', {}, ...cells.map((cell, at) => element('td', words[at] === 'Age' ? { class: 'optional' } : {}, ...[cell].flat()))));
  return element('table', {}, element('caption', {}, caption), element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...bodies));
}

// Lines break between the date and the time only.
function timeCells({ time, timeUs }, now) {
  if (!time) return [['no time'], ''];
  const [date, clock] = utcText(time, timeUs).slice(0, -1).split('T');
  return [[element('span', { class: 'whole' }, date), ' ', element('span', { class: 'whole' }, clock)], ageText(time, now)];
}

// What a text can be, if it is not known where it is from; a press says it.
function candidates(readings, now) {
  const rows = readings.map((reading) => {
    const said = element('button', { type: 'button', class: 'plain' }, nameOf(reading));
    said.addEventListener('click', () => {
      $('from').value = reading.source;
      select('read');
      $('from').focus();
    });
    return [reading.kind === 'id' ? said : capital(nameOf(reading)), ...timeCells(reading, now), wordOf(reading)];
  });
  return tableOf('It can be from', ['From', 'UTC', 'Age', 'It is'], rows);
}

// Several texts: the likeliest reading of each.
function several(texts, now) {
  const rows = texts.map(({ text, from }) => {
    const [best] = readingsOf(text, from, now);
    return best ? [text, capital(nameOf(best)), ...timeCells(best, now), from ? '' : wordOf(best)] : [text, 'not an ID that the page knows', '', '', ''];
  });
  return tableOf('Each as it is likeliest', ['ID', 'From', 'UTC', 'Age', 'It is'], rows);
}

// From where the IDs are said to be: a source, the own layout if it is right, or nothing.
function fromSaid() {
  const from = $('from').value;
  $('own-field').hidden = from !== 'own';
  $('own-error').textContent = '';
  if (from !== 'own') return from || undefined;
  const own = $('own').value.trim();
  try {
    layoutInfo(own);
    return own;
  } catch (error) {
    $('own-error').textContent = own && `${error.message}. ${error.hint}`;
    return undefined;
  }
}

const readingsOf = (text, from, now) => recognize(text, { now, from }).filter(({ likelihood }) => likelihood >= possible);

const madeText = ({ time }, now) => (time ? `, made ${ageText(time, now)}` : '');

// The first sentence: what was found in the one text.
function summaryOf(readings, from, now) {
  const [best] = readings;
  if (!best) return 'This is not an ID that the page knows. Check that all of it was copied.';
  const name = nameOf(best) + madeText(best, now);
  if (best.source === from && from !== undefined) {
    const isOdd = best.time > now + 86400000 || best.time < sources[from]?.since;
    return `From ${name}.${isOdd ? ' It is hardly from there, with such a time.' : ''}`;
  }
  if (best.kind === 'number' && sources[from]?.lastWithoutTime >= best.id) return `From ${nameFrom(from)}, whose IDs had no time until November 2010.`;
  const unlike = from === undefined ? '' : `This is not an ID of ${nameFrom(from)}. `;
  if (best.kind === 'nanoid' || best.kind === 'cuid2') return `${unlike}This may be a ${nameOf(best)}, which has no time.`;
  if (best.kind !== 'id') return `${unlike}${capital(name)}.`;
  return `${unlike}${best.likelihood >= likely ? 'Likely' : 'Possibly'} from ${name}.${readings.length > 1 ? ' If you know where it is from, say so.' : ''}`;
}

function showReadings() {
  const now = Date.now();
  const said = fromSaid();
  const texts = pasted($('text').value).map(({ text, from }) => ({ text, from: from ?? said }));
  $('link').hidden = texts.length === 0 || $('text').value.trim().length > longestAddress;
  $('examples').hidden = texts.length > 0;
  if (texts.length !== 1) {
    $('summary').textContent = texts.length ? `${texts.length} IDs${texts.length === mostPasted ? ', as many as are read at once' : ''}` : '';
    $('readings').replaceChildren(...(texts.length ? [several(texts, now)] : []));
    return;
  }
  const [{ text, from }] = texts;
  const readings = readingsOf(text, from, now);
  const others = readings.length > 1 && from === undefined ? [candidates(readings.slice(0, 5), now)] : [];
  $('summary').textContent = summaryOf(readings, from, now);
  $('readings').replaceChildren(...readings.slice(0, 1).map((reading) => card(reading, others, now)));
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
    $('from').value = 'own';
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

// Tabs and addresses: #id=..., with &from= for a source or &own= for a layout, or #layout=...

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
  const text = $('text').value.trim(), from = $('from').value, own = $('own').value.trim();
  if (name === 'read') {
    if (text && text.length <= longestAddress) said.set('id', text);
    if (from === 'own' && own) said.set('own', own);
    else if (from && from !== 'own') said.set('from', from);
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
  const from = $('own').value ? 'own' : said.get('from') ?? '';
  $('from').value = from === 'own' || sources[from] ? from : '';
  const layout = said.get('layout');
  try {
    fillForm(layout ?? 'instagram');
  } catch {
    fillForm('instagram');
  }
  select(layout === null ? 'read' : 'design');
  if (layout !== null) return;
  $('text').focus();
  $('text').select();
}

function begin() {
  $('preset').append(...Object.entries(starts).map(([name, layout]) => element('option', { value: layout }, name)), element('option', { value: '' }, 'your own'));
  $('from').append(...Object.entries(sources).map(([name, source]) => element('option', { value: name }, source.name)), element('option', { value: 'own' }, 'your own layout'));
  $('link').addEventListener('click', () => copy($('link'), location.href));
  const examples = {
    'a 64-bit ID': '4036565484265537613', 'a post on X': 'https://x.com/Wikipedia/status/1541815603606036480', 'a Discord user': '<@80351110224678912>', 'a post': 'CO5WXONKMxM', 'a ULID': '01ARYZ6S41TSV4RRFFQ69G5FAV', 'a TypeID': 'user_01h455vb4pex5vsknk084sn02q',
  };
  for (const [name, text] of Object.entries(examples)) {
    const button = element('button', { type: 'button', class: 'plain' }, name);
    button.addEventListener('click', () => {
      $('text').value = text;
      $('from').value = '';
      select('read');
    });
    $('examples').append(button);
  }
  for (const id of ['text', 'from', 'own'])
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
