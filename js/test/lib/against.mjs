// IDs as a server decoded them, compared with what a reader says: the same in Node and in a browser. `text` has a line for each: the layout's
// number, the ID, unix us, shard, region, sequence, Base62, Base32 with its check symbol, base64url and UUID; empty where the server said null.

const said = (value) => (value === null ? '' : String(value));

const floorToMs = (us) => Number((us - (((us % 1000n) + 1000n) % 1000n)) / 1000n);

// How many IDs, how many of them of layouts finer than a ms, and how many questions there were, how many IDs differ, and the first ones that do.
export function compareWithServer(reader, layouts, text) {
  let ids = 0, fine = 0, fields = 0, differ = 0;
  const examples = [];
  for (const line of text.trimEnd().split('\n')) {
    const [number, id, ...server] = line.split('\t');
    const layout = layouts[number], big = BigInt(id);
    const parts = reader.decode(id, layout);
    const [, , , , base62, base32, base64url, uuid] = server;
    const readBack = [
      reader.fromBase62(base62), reader.fromId64(base62), reader.fromBase32(base32, { checksum: true }), reader.fromBase64url(base64url, { short: true }),
      ...(uuid === '' ? [] : [reader.fromUuid(uuid, layout)]),
    ];
    const timeUs = reader.timeUs(id, layout);
    const own = [
      timeUs, said(parts.shard), said(parts.region), said(parts.sequence),
      reader.toBase62(big), reader.toBase32(id, { checksum: true }), reader.toBase64url(big), uuid === '' ? '' : reader.toUuid(id, layout),
    ].map(String);
    // A Date is enough, unless it would lose microseconds.
    const isFine = parts.timeUs !== undefined;
    const made = isFine ? parts.timeUs : parts.time.getTime();
    const { first, last } = reader.layoutInfo(layout).wraps ? { first: big, last: big } : reader.bounds(made, isFine ? made + 1n : made + 1, layout);
    const isSame = own.every((value, at) => value === server[at]) && readBack.every((value) => value === big)
      && parts.time.getTime() === floorToMs(timeUs) && (!isFine || made === timeUs)
      && first <= big && big <= last && reader.make(made, parts.shard, parts.sequence, layout) === big;
    ids++;
    if (isFine) fine++;
    fields += own.length + readBack.length + 3;
    if (isSame) continue;
    differ++;
    if (examples.length < 5) examples.push(`${layout} ${id}: ${own.join(' ')} instead of ${server.join(' ')}`);
  }
  return { ids, fine, fields, differ, examples };
}
