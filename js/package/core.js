// The core as WebAssembly, and the memory that both sides see: js/wasm/exchange/exchange.hpp says where what stands.
import { wasmBase64 } from './wasm.js';

const bytesOfBase64 = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

// The exported functions. Compiled at once, so that require() and bundles without a top-level await work: it takes a few ms. The memory never
// grows, so views of it stay valid.
export const core = new WebAssembly.Instance(new WebAssembly.Module(bytesOfBase64(wasmBase64))).exports;

// No text of an ID or a layout is longer.
export const textSize = 512;
const textBytes = new Uint8Array(core.memory.buffer, core.idgen_text(), textSize);
const answerAt = core.idgen_answer();
const doubles = new Float64Array(core.memory.buffer, answerAt, 1);
const longs = new BigInt64Array(core.memory.buffer, answerAt + 8, 2);
const words = new Uint32Array(core.memory.buffer, answerAt + 40, 6);
const layoutBytes = new Uint8Array(core.memory.buffer, answerAt + 24, 16);
const valueBytes = new Uint8Array(core.memory.buffer, answerAt + 64, 20);

// What the last call answered.
export const answer = {
  get unixMs() { return doubles[0]; },
  get id() { return longs[0]; },
  get last() { return longs[1]; },
  get shard() { return words[0]; },
  get region() { return words[1]; },
  get sequence() { return words[2]; },
  get position() { return words[3]; },
  get size() { return words[4]; },
  get us() { return words[5]; },
  layout: layoutBytes,
  bytes: valueBytes,
};

const encoder = new TextEncoder();
const decoder = new TextDecoder();

// Writes a text for the next call; its bytes, or nothing if it is too long.
export function giveText(text) {
  const { read, written } = encoder.encodeInto(text, textBytes);
  return read === text.length ? written : undefined;
}

// The text of that many bytes that the last call wrote, or a part of it.
export const takeText = (size, from = 0) => decoder.decode(textBytes.subarray(from, from + size));
