// IDs that are public, with the reading that is right: what is pasted, from where it is, its time (null: it has none) as published, how far the time
// may lie behind that (ms: a published second, or a time noted after the ID was made), parts that are published, and where all this is from.
export const realIds = [
  ['1541815603606036480', 'x', '2022-06-28T16:07:40.105Z', 0, { region: 11, sequence: 0 }, 'Wikipedia, Snowflake ID'],
  ['https://twitter.com/TwitterAPI/status/1050118621198921728', 'x', '2018-10-10T20:19:24.000Z', 999, {}, 'X, data dictionary of API 1.1: Tweet object'],
  ['1212092628029698048', 'x', '2019-12-31T19:26:16.000Z', 999, {}, 'X, data dictionary of API 2: Tweet object'],
  ['850006245121695744', 'x', '2017-04-06T15:24:15.000Z', 999, {}, 'X, introduction to Tweet JSON'],
  ['210462857140252672', 'x', '2012-06-06T20:07:10.000Z', 999, {}, 'X, API 1.1: GET statuses/show/:id'],
  ['https://x.com/jack/status/20', 'number', null, 0, {}, 'the first post, of 2006; X has IDs with a time since November 2010'],
  ['175928847299117063', 'discord', '2016-04-30T11:18:25.796Z', 0, { region: 1, shard: 32, sequence: 7 }, 'Discord, API reference: Snowflakes'],
  ['<@105484726235607040>', 'discord', '2015-10-19T01:58:38.546Z', 0, {}, 'crate twilight-util, snowflake'],
  ['90339695967350784', 'discord', '2015-09-07T06:57:41.949Z', 0, { region: 0, shard: 3, sequence: 0 }, 'npm discord-snowflake, README'],
  ['2574187014843321420', 'instagram', '2021-05-15T13:57:06.000Z', 999, {}, 'instagrapi, usage guide: location'],
  ['CO5ahY6BzLH', 'instagram', '2021-05-15T14:33:27.000Z', 999, {}, 'instagrapi, usage guide: hashtag'],
  ['https://www.instagram.com/p/CP5h-I1FuPr/', 'instagram', '2021-06-09T12:09:56.000Z', 999, {}, 'instagrapi, usage guide: media'],
  ['103270115826048975', 'mastodon', '2019-12-08T03:48:33.901Z', -100, {}, 'Mastodon, entities: Status'],
  ['103254962155278888', 'mastodon', '2019-12-05T11:34:47.196Z', -100, {}, 'Mastodon, methods: POST /api/v1/statuses'],
  ['0ARYZVZXW377R', 'tsid', '2022-12-07T18:43:30.927Z', 0, {}, 'odan/tsid, README, as 388400145978465528; its time by the definition'],
  ['3l25zusnsfctk', 'bluesky', '2024-08-20T16:31:35.793Z', 0, { shard: 816 }, '@atcute/tid, README'],
  ['3jzfcijpj2z2a', 'bluesky', '2023-06-30T15:03:01.887Z', 0, { shard: 6 }, 'AT Protocol, specification of TIDs; its time by the definition'],
  ['01ARYZ6S41TSV4RRFFQ69G5FAV', 'ulid', '2016-07-30T22:36:16.385Z', 0, {}, 'ulid/javascript, README'],
  ['0ujtsYcgvSTl8PAuAdqWYSMnLOv', 'ksuid', '2017-10-10T04:00:47.000Z', 0, {}, 'segmentio/ksuid, README'],
  ['017F22E2-79B0-7CC3-98C4-DC0C0C07398F', 'uuid', '2022-02-22T19:22:22.000Z', 0, {}, 'RFC 9562, A.6'],
  ['ObjectId("507c7f79bcf86cd7994f6c0e")', 'objectid', '2012-10-15T21:26:17.000Z', 0, {}, 'MongoDB manual, ObjectId.getTimestamp()'],
  ['9m4e2mr0ui3e8a215n4g', 'xid', '2011-03-22T17:50:19.000Z', 0, {}, 'rs/xid, id_test.go'],
  ['tz4a98xxat96iws9zmbrgj3a', 'cuid2', null, 0, {}, 'paralleldrive/cuid2, README'],
  ['V1StGXR8_Z5jdHi6B-myT', 'nanoid', null, 0, {}, 'ai/nanoid, README'],
  ['1234567890', 'unix', '2009-02-13T23:31:30.000Z', 0, {}, 'POSIX'],
].map(([given, from, time, within, parts, published]) => ({ given, from, time, within, parts, published }));

// Whether a time is the published one.
export const isTimeOf = ({ time, within }, read) => (time === null ? read === null : read - Date.parse(time) >= Math.min(within, 0) && read - Date.parse(time) <= Math.max(within, 0));
