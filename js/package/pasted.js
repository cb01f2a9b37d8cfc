// What people paste: posts by their addresses, mentions, quoted and digitGroups numbers, hexadecimal, several lines.
import { givenText, wrongType } from './given.js';

const links = [
  [/^(?:www\.|mobile\.)?(?:x|twitter)\.com\/.*\/status(?:es)?\/(\d+)/, 'x'],
  [/^(?:\w+\.)?discord(?:app)?\.com\/channels\/(?:@me|\d+)(?:\/\d+)*?\/(\d+)\/?(?:[?#]|$)/, 'discord'],
  [/^(?:www\.)?instagram\.com\/(?:[\w.]+\/)?(?:p|reels?|tv)\/([\w-]{9,11})(?:[/?#]|$)/, 'instagram'],
  [/^(?:at:\/\/|bsky\.app\/).*\/([2-7a-z]{13})(?:[/?#]|$)/, 'bluesky'],
  [/^[\w.-]+\/(?:web\/|deck\/)?(?:@[\w.@-]+|users\/[\w.]+\/statuses|statuses)\/(\d+)(?:[/?#]|$)/, 'mastodon'],
];

const opening = '"\'`“”„‘’«»([,;', closing = '"\'`“”„‘’«»)],;';

// A pattern for a run at the end would try every place of every run.
function unquoted(text) {
  let start = 0, end = text.length;
  while (start < end && opening.includes(text[start])) start++;
  while (end > start && closing.includes(text[end - 1])) end--;
  return text.slice(start, end);
}

// One text, and from where it says to be.
function readPasted(given) {
  const text = unquoted(given);
  const time = /^<t:(\d+)(?::\w)?>$/.exec(text);
  if (time) return { text: time[1] };
  const mention = /^<(?:@[!&]?|#|a?:\w+:|\/[^:]+:)(\d+)>$/.exec(text);
  if (mention) return { text: mention[1], from: 'discord' };
  const object = /^ObjectId\(["'](\w+)["']?\)?$/.exec(text);
  if (object) return { text: object[1] };
  const address = text.replace(/^https?:\/\//i, '');
  for (const [pattern, from] of links) {
    const found = pattern.exec(address);
    if (found) return { text: found[1], from };
  }
  if (/^0x[0-9a-f]{1,16}n?$/i.test(text) || /^(?=.*[a-f])[0-9a-f]{16}$/i.test(text)) return { text: String(BigInt(`0x${text.replace(/^0x|n$/gi, '')}`)) };
  if (/^\d+(?:_\d+)*n?$/.test(text)) return { text: text.replace(/[_n]/g, '') };
  return { text };
}

const digitGroups = /^["'`]?\d{1,3}(?:[,.'’ \u00a0\u202f]\d{3})+["'`]?$/;

export const mostPasted = 100;

// The texts in what was pasted, at most `most`: one a line, or several with spaces, commas or semicolons between them. A name before a colon is left out.
export function pasted(given, most = mostPasted) {
  if (typeof most !== 'number' || !(most >= 0)) throw wrongType(most, 'most is a number from 0', 'Give a number, or nothing.');
  const lines = givenText(given, 'text').split('\n').map((line) => line.trim());
  const words = lines.flatMap((line) => (digitGroups.test(line) ? [line.replace(/\D/g, '')] : line.split(/[\s,;]+/)));
  return words.filter((word) => word !== '' && !/^["'\w]+:$/.test(word)).slice(0, most).map(readPasted).filter(({ text }) => text !== '');
}
