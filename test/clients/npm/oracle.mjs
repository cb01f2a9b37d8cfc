// Reads the texts of a JSON document on standard input, {kind: [text, ...]}, by the libraries that people use, and prints what they see; and
// values that they make, with what those hold: {kind: {read: [value, ...], made: [value, ...]}}. Times are unix ms.
import { readFileSync } from 'node:fs';
import { ObjectId } from 'bson';
import { nanoid } from 'nanoid';
import { TypeID } from 'typeid-js';
import { decodeTime, isValid, monotonicFactory } from 'ulid';
import * as uuid from 'uuid';

const count = 200;
const times = Array.from({ length: count }, (_, n) => 1577836800000 + n * 86400000 * 31 + n);
const ulid = monotonicFactory();
const hex = (bytes) => Buffer.from(bytes).toString('hex');

// The time that a UUID of version 7 begins with.
const uuidTime = (text) => parseInt(text.replaceAll('-', '').slice(0, 12), 16);

const kinds = {
  ulid: {
    read: (text) => ({ text, valid: isValid(text), time: decodeTime(text) }),
    make: (time) => ulid(time),
  },
  objectid: {
    read: (text) => {
      const id = new ObjectId(text);
      return { text: id.toHexString(), valid: ObjectId.isValid(text), time: id.getTimestamp().getTime(), hex: hex(id.id) };
    },
    make: (time) => new ObjectId(ObjectId.generate(time / 1000)).toHexString(),
  },
  uuidv7: {
    read: (text) => ({ text: uuid.stringify(uuid.parse(text)), valid: uuid.version(text) === 7, time: uuidTime(text), hex: hex(uuid.parse(text)) }),
    make: (time) => uuid.v7({ msecs: time }),
  },
  typeid: {
    read: (text) => {
      const id = TypeID.fromString(text);
      return { text: id.toString(), valid: true, prefix: id.getType(), uuid: id.toUUID() };
    },
    make: (time) => TypeID.fromUUID('user', uuid.v7({ msecs: time })).toString(),
  },
  nanoid: {
    read: (text) => ({ text, valid: text.length === nanoid().length && /^[A-Za-z0-9_-]*$/.test(text) }),
    make: () => nanoid(),
  },
};

const asked = JSON.parse(readFileSync(0, 'utf8'));
const answer = {};
for (const [kind, texts] of Object.entries(asked)) {
  const { read, make } = kinds[kind];
  answer[kind] = { read: texts.map(read), made: times.map((time) => read(make(time))) };
}
console.log(JSON.stringify(answer));
