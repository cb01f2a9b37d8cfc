// The published vectors, read by a reader: the same in Node and in a browser. `texts` are the files of test/vectors and kinds/vectors by their names.

function* rowsOf(text) {
  const [head, ...lines] = text.trimEnd().split('\n').map((line) => line.split(','));
  for (const cells of lines) yield Object.fromEntries(head.map((name, at) => [name, cells[at]]));
}

const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const bytesOf = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));

// The code of the error that a call throws.
function codeOf(call) {
  try {
    call();
    return 'none';
  } catch (error) {
    return error.code;
  }
}

// What differs, in words, and how many checks there were.
export function checkVectors(reader, texts) {
  const differ = [];
  let checks = 0;
  const same = (got, wanted, what) => {
    checks++;
    if (String(got) !== String(wanted)) differ.push(`${what}: ${got} instead of ${wanted}`);
  };

  for (const row of rowsOf(texts['snowflake_family.csv'])) {
    const parts = reader.decode(row.id, row.layout), at = `${row.layout} ${row.id}`;
    const unixMs = Number(row.unix_ms);
    if (row.class !== 'published-unchecked') {
      same(parts.time >= unixMs && parts.time <= unixMs + Number(row.tolerance_ms), true, `${at}: time`);
      if (row.shard !== '') same(parts.shard, row.shard, `${at}: shard`);
      if (row.sequence !== '') same(parts.sequence, row.sequence, `${at}: sequence`);
    }
    if (row.id !== '0') same(reader.make(parts.time, parts.shard, parts.sequence, row.layout), row.id, `${at}: made again`);
  }

  for (const { a, b, seconds } of rowsOf(texts['trace_wrap.csv'])) {
    const [first, second] = [a, b].map((tick) => reader.make(Number(tick) * 1000, 0, 1, 'trace'));
    const turned = reader.timeNear(first, reader.timeNear(second, 1e12, 'trace'), 'trace');
    same(Math.abs(turned - reader.timeNear(second, 1e12, 'trace')) / 1000, seconds, `trace ${a} and ${b}`);
  }

  const codes = {
    empty: '22P02', bad_character: '22P02', too_short: '22P02', wrong_check: '22P02', too_long: '22003', too_large: '22003',
    text_too_large: '22003', text_too_short: '22P02', text_bad_character: '22P02',
  };
  for (const { form, value, text, direction, reason } of rowsOf(texts['text_forms.csv'])) {
    const name = form.replace(/check$/, '').replace(/^./, (letter) => letter.toUpperCase()), checksum = form.endsWith('check');
    const print = (number) => reader[`to${name}`](number, { checksum }), parse = (digits) => reader[`from${name}`](digits, { checksum, short: true });
    if (direction === 'refused') {
      same(codeOf(() => parse(text)), codes[reason], `${form} ${text}: refused`);
      continue;
    }
    const id = BigInt.asIntN(64, BigInt(value));
    same(parse(text), id, `${form} ${text}`);
    const zeros = form === 'base32' ? 13 : form === 'base32check' ? 14 : 0;
    if (direction === 'both') same(print(id), text.padStart(zeros, '0'), `${form} of ${value}`);
  }
  same(reader.fromId64('4oBVmyxvRfB'), '4036565484265537613', 'id64');

  const kinds = {
    ulid: [reader.readUlid, reader.formatUlid],
    ksuid: [reader.readKsuid, reader.formatKsuid],
    objectid: [reader.readObjectId, reader.formatObjectId],
  };
  for (const { kind, text, value, unix_ms: unixMs, direction, reason } of rowsOf(texts['stamped.csv'])) {
    const [read, format] = kinds[kind];
    if (direction === 'refused') {
      same(codeOf(() => read(text)), codes[reason], `${kind} ${text}: refused`);
    } else if (direction === 'same') {
      same(read(text).text, value, `${kind} ${text}`);
    } else {
      if (value !== '') same(hexOf(read(text).bytes), value, `${kind} ${text}: bytes`);
      if (value !== '') same(format(bytesOf(value)), text, `${kind} ${value}: text`);
      if (unixMs !== '') same(read(text).time.getTime(), unixMs, `${kind} ${text}: time`);
      same(read(text).text, text, `${kind} ${text}: there and back`);
    }
  }

  for (const { uuid, version, gregorian, unix_ms: unixMs } of rowsOf(texts['uuid.csv'])) {
    const read = reader.readUuid(uuid);
    same(read.version ?? '', version, `UUID ${uuid}: version`);
    const ms = gregorian === '' ? unixMs : (BigInt(gregorian) - 122192928000000000n) / 10000n;
    same(read.time?.getTime() ?? '', ms, `UUID ${uuid}: time`);
    same(reader.formatUuid(read.bytes).replaceAll('-', ''), uuid, `UUID ${uuid}: there and back`);
  }

  for (const { typeid, prefix, uuid, direction } of rowsOf(texts['typeid.csv'])) {
    if (direction === 'refused') {
      same(codeOf(() => reader.readTypeId(typeid)), '22P02', `TypeID ${typeid}: refused`);
      continue;
    }
    same(reader.readTypeId(typeid).prefix, prefix, `TypeID ${typeid}: prefix`);
    same(hexOf(reader.readTypeId(typeid).bytes), uuid, `TypeID ${typeid}: UUID`);
    same(reader.formatTypeId(prefix, uuid), typeid, `TypeID of ${prefix} and ${uuid}`);
  }
  return { checks, differ };
}
