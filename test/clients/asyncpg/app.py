# asyncpg: an ID is an int. Prints as psycopg/app.py does.
import asyncio

import asyncpg


async def main():
    connection = await asyncpg.connect()
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


asyncio.run(main())
