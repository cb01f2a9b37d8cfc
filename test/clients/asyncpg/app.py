# asyncpg: an ID is an int. Prints as psycopg/app.py does. With an argument, keys that are id64: prints as JSON what it made
# and read.
import asyncio
import json
import sys

import asyncpg


async def ids(connection):
    await connection.execute('CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id(), title text)')
    await connection.execute(
        'CREATE TABLE comment (id bigint PRIMARY KEY DEFAULT next_id(), photo_id bigint REFERENCES photo)')

    # In docs/clients/python.md:
    # One row, and its ID.
    photo_id = await connection.fetchval('INSERT INTO photo (title) VALUES ($1) RETURNING id', 'one')
    await connection.executemany('INSERT INTO comment (photo_id) VALUES ($1)', [(photo_id,), (None,)])
    # End.

    # Several rows in one statement, and their IDs.
    titles = ['batch 1', 'batch 2']
    rows = await connection.fetch('INSERT INTO photo (title) SELECT unnest($1::text[]) RETURNING title, id', titles)

    # A block of IDs beforehand, for COPY.
    block = await connection.fetchval('SELECT next_id_array($1)', 2)
    records = [(id, f'block {number}') for number, id in enumerate(block, 1)]
    await connection.copy_records_to_table('photo', columns=['id', 'title'], records=records)

    print('one', photo_id, sep='\t')
    for title, id in rows:
        print(title, id, sep='\t')
    for id, title in records:
        print(title, id, sep='\t')
    for (id,) in await connection.fetch('SELECT photo_id FROM comment ORDER BY photo_id'):
        print('comment', id or '', sep='\t')
    print('found', await connection.fetchval('SELECT title FROM photo WHERE id = $1', photo_id), sep='\t')
    begin, seen = 0, 0
    while seen < 5:
        for (id,) in await connection.fetch('SELECT id FROM photo WHERE id >= $1 AND id < id_settled() ORDER BY id', begin):
            print('read', id, sep='\t')
            begin, seen = id + 1, seen + 1


DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'


def id64_to_bytes(text):
    """Raises an error for what the server refuses as an id64."""
    if len(text) != 11:
        raise ValueError(f'an id64 has 11 characters: {text!r}')
    number = 0
    for digit in text:
        number = number * 62 + DIGITS.index(digit)
    return number.to_bytes(8, 'big', signed=True)  # a positive bigint


def id64_from_bytes(data):
    number, text = int.from_bytes(data, 'big'), ''
    for _ in range(11):
        number, digit = divmod(number, 62)
        text = DIGITS[digit] + text
    return text


def is_refused(text):
    try:
        return not id64_to_bytes(text)
    except (ValueError, OverflowError):
        return True


async def kinds(connection):
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
        'refused': [text for text in ('', '5', '04oBVmyxvRfX', '4oBVmyxvRf-', 'AzL8n0Y58m8', 'AzL8n0Y58m7') if is_refused(text)],
        'max': await connection.fetchval('SELECT 9223372036854775807::id64'), 'version': asyncpg.__version__}))


async def main():
    connection = await asyncpg.connect()
    await (kinds if len(sys.argv) > 1 else ids)(connection)


asyncio.run(main())
