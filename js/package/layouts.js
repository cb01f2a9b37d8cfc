// Layouts: how an ID is packed, by a preset's name or in the long form. The core has one in use; it is changed only if a call wants another.
import { answer, core, giveText, takeText } from './core.js';
import { IdgenError, layoutError, sqlstate } from './errors.js';
import { wrongType } from './given.js';
import { unixUs } from './instants.js';

// The names of the presets, the default first.
export const layouts = Object.freeze(presetNames());

function presetNames() {
  const names = [];
  for (let size; (size = core.idgen_preset_name(names.length)) > 0;) names.push(takeText(size));
  return names;
}

// The layouts that were read, by their texts; forgotten when there are many.
const known = new Map();
const mostKnown = 1000;
let inUse = { text: layouts[0], ...readLayout(layouts[0]) };

// Reads a layout and has the core use it.
function readLayout(text) {
  const size = giveText(text);
  if (size === undefined) throw new IdgenError(sqlstate.programLimitExceeded, 'a layout of more than 512 bytes', 'No layout is that long.', 'See layouts for the names.');
  const reason = core.idgen_parse_layout(size);
  if (reason !== 0) {
    const part = takeText(answer.size, answer.position);
    throw layoutError(reason, part, text, layouts, takeText(core.idgen_nearest_preset(answer.position, answer.size)));
  }
  const bytes = answer.layout.slice();
  const fields = new DataView(bytes.buffer);
  const flags = fields.getUint8(14);
  return {
    bytes,
    epochMs: Number(fields.getBigInt64(0, true)),
    unitUs: (flags & 8) !== 0 ? fields.getUint16(8, true) + fields.getUint8(15) * 65536 : fields.getUint16(8, true) * 1000,
    timeBits: fields.getUint8(10),
    regionBits: fields.getUint8(11),
    shardBits: fields.getUint8(12),
    sequenceBits: fields.getUint8(13),
    wraps: (flags & 1) !== 0,
    sequenceFrom: (flags & 2) !== 0 ? 1 : 0,
    sequenceAbove: (flags & 4) !== 0,
  };
}

// Has the core use a layout; gives its fields.
export function useLayout(text) {
  if (text === inUse.text) return inUse;
  if (typeof text !== 'string')
    throw text === null || text === undefined
      ? new IdgenError(sqlstate.nullValueNotAllowed, 'layout must not be null', 'A null would give a null ID.', 'Leave the argument out to use its default.')
      : wrongType(text, 'a layout is a string', "Give a preset's name or the long form.");
  let layout = known.get(text);
  if (layout === undefined) {
    if (known.size >= mostKnown) known.clear();
    layout = { text, ...readLayout(text) };
    known.set(text, layout);
  } else {
    answer.layout.set(layout.bytes);
    core.idgen_use_layout();
  }
  inUse = layout;
  return layout;
}

// Whether times of a layout need more than the ms that a Date holds.
export const isFinerThanMs = ({ unitUs }) => unitUs % 1000 !== 0;

// The layout in use as messages name it.
export const nameInUse = () => takeText(core.idgen_print_layout());

// What a layout can do, as id_layout_info of the server says it, and its fields. lastTime is null if no Date can hold it.
export function layoutInfo(layout = layouts[0]) {
  const fields = useLayout(layout);
  core.idgen_describe_layout();
  const { unixMs, us, id, shard, sequence } = answer;
  return {
    name: nameInUse(),
    longForm: takeText(core.idgen_print_long_layout()),
    firstTime: new Date(fields.epochMs),
    lastTime: unixMs <= 8.64e15 ? new Date(unixMs) : null,
    ...(isFinerThanMs(fields) && { lastTimeUs: unixUs(unixMs, us) }),
    wraps: fields.wraps,
    tickMs: fields.unitUs / 1000,
    shards: shard + 1,
    idsPerTick: sequence,
    idsPerSecond: Math.floor((sequence * 1000000) / fields.unitUs),
    largestId: id,
    fitsJs: id < 9007199254740992n,
    oneNode: fields.regionBits + fields.shardBits === 0,
    timeBits: fields.timeBits,
    regionBits: fields.regionBits,
    shardBits: fields.shardBits,
    sequenceBits: fields.sequenceBits,
    sequenceFrom: fields.sequenceFrom,
    sequenceAbove: fields.sequenceAbove,
  };
}
