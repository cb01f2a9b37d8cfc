// Where 64-bit IDs are from: the layout, what its fields are called there, and what is seldom or often in them.
//
// A number fits nearly every layout. What tells the sources apart is that nodes and sequences are not random: X has the datacenters 1, 10 and
// 11, Discord mostly process 0, most sequences begin at 0 in each tick, those of Mastodon and TSID are random. `chance` is the share of a source's
// IDs that have these parts, `common` how much of what people look up is from there. The figures come from a few dozen public IDs: rough, and
// good enough, because the chances of two sources mostly differ by a factor of 100 or more.
const even = (bits) => () => 2 ** -bits;

// Of numbers that count from 0: the share of n. `usual` is how far half of them come; the shares add up to 1.
const counted = (n, usual = 1) => usual / ((n + usual) * (n + usual + 1));

const chanceAtX = ({ region, sequence }) => ([1, 10, 11].includes(region) ? 0.25 : 0.0086) / 32 * counted(sequence);
const mostlyLow = (n) => 0.5 * counted(n) + 0.5 / 32;
const chanceAtDiscord = ({ region, shard, sequence }) => mostlyLow(region) * mostlyLow(shard & 31) * counted(sequence, 8);
const chanceAtSonyflake = ({ shard, sequence }) => (0.05 * counted(shard, 4) + 2 ** -16) * counted(sequence);
const chanceOfCounters = ({ shard, sequence }) => counted(shard ?? 0, 4) * counted(sequence ?? 0);

const textsOfIdgen = { base62: 0.3, base32: 0.05, base32check: 0.05, base64url: 0.05, uuid: 0.05 };

// A layout of which no more is known.
export const sourceOf = (layout, common = 1, texts = textsOfIdgen) => ({ name: layout, layout, common, chance: chanceOfCounters, texts });

// By the name that addresses have. `since` is when it began, `texts` how usual text forms are there. IDs up to `lastWithoutTime` have none.
export const sources = Object.freeze({
  __proto__: null,
  x: { name: 'X (Twitter)', layout: 'twitter', region: 'datacenter', shard: 'worker', common: 1, chance: chanceAtX, lastWithoutTime: 29700859246n },
  discord: { name: 'Discord', layout: 'discord', region: 'worker', shard: 'process', sequence: 'increment', common: 1, chance: chanceAtDiscord },
  instagram: { name: "Instagram (and idgen's default)", layout: 'instagram', common: 1, chance: even(23), texts: { ...textsOfIdgen, base64url: 0.5 } },
  mastodon: { name: 'Mastodon', layout: 'mastodon', common: 1, chance: even(16), since: Date.UTC(2016, 0) },
  bluesky: { name: 'Bluesky (AT Protocol)', layout: 'epoch=1970-01-01T00:00:00Z unit=1us time=53 shard=10', shard: 'clock', common: 1, chance: even(10), since: Date.UTC(2022, 9), texts: { decimal: 0, tid: 1 } },
  tsid: { name: 'TSID', layout: 'snowflake', shard: 'node', sequence: 'counter', common: 0.1, chance: even(22), texts: { base32: 0.5 } },
  snowflake: { ...sourceOf('snowflake', 0.02), name: 'Snowflake from 2020' },
  bwmarrin: { ...sourceOf('epoch=2010-11-04T01:42:54.657Z unit=1ms time=41 shard=10 sequence=12', 0.02, {}), name: "Snowflake with Twitter's epoch", shard: 'node' },
  sonyflake: { name: 'Sonyflake', layout: 'sonyflake', shard: 'machine', common: 0.05, chance: chanceAtSonyflake },
  sonyflake2: { name: 'Sonyflake 2', layout: 'sonyflake2', shard: 'machine', common: 0.05, chance: chanceAtSonyflake },
  idgen: { ...sourceOf('idgen', 0.01), name: "idgen's layout idgen" },
  js53: { ...sourceOf('js53', 0.02), name: "idgen's layout js53" },
  js53ms: { ...sourceOf('js53ms', 0.02), name: "idgen's layout js53ms" },
  trace: { ...sourceOf('trace', 0.001, {}), name: "idgen's layout trace" },
});
