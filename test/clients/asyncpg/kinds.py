# asyncpg: keys that are id64. Prints as JSON what it made and read.
import asyncio
import json

import asyncpg

DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'


def id64_to_bytes(text):
    number = 0
    for digit in text:
        number = number * 62 + DIGITS.index(digit)
    return number.to_bytes(8, 'big')


def id64_from_bytes(data):
    number, text = int.from_bytes(data, 'big'), ''
    for _ in range(11):
        number, digit = divmod(number, 62)
        text = DIGITS[digit] + text
    return text


async def main():
    connection = await asyncpg.connect()
    await connection.execute('CREATE TABLE album (id id64 PRIMARY KEY DEFAULT next_id(), title text, pictures id64[])')
    album_id = await connection.fetchval('INSERT INTO album (title) VALUES ($1) RETURNING id', 'one')
    pictures = await connection.fetchval('SELECT next_id_array(2)::id64[]')
    await connection.execute('UPDATE album SET pictures = $1 WHERE id = $2', pictures, album_id)

    # In docs/clients/python.md:
    # COPY is binary, and needs a codec. For a pool, do this in its parameter init.
    await connection.set_type_codec(
        'id64', schema='public', format='binary', encoder=id64_to_bytes, decoder=id64_from_bytes)
    # End.
    await connection.copy_records_to_table(
        'album', columns=['id', 'title', 'pictures'], records=[(id, 'copied', [album_id]) for id in pictures])
    print(json.dumps({
        'album': album_id, 'pictures': pictures, 'stored': await connection.fetchval('SELECT pictures FROM album WHERE id = $1', album_id),
        'copied': [id for (id,) in await connection.fetch('SELECT id FROM album WHERE id = ANY($1) ORDER BY id', pictures)],
        'same': [id64_from_bytes(id64_to_bytes(id)) for id in pictures],
        'max': await connection.fetchval('SELECT 9223372036854775807::id64'), 'version': asyncpg.__version__}))


asyncio.run(main())
