# psycopg 3: an ID is an int. Prints each photo's ID, and what a comment refers to; see test/t/lib/IdgenShown.pm. With an
# argument, keys that are id64 and ulid, which are strings: prints as JSON what it made, and what it read back.
import json
import os
import sys

import psycopg
from psycopg.types import TypeInfo


def ids(connection):
    # In docs/clients/python.md:
    connection.execute('CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id(), title text)')
    connection.execute('CREATE TABLE comment (id bigint PRIMARY KEY DEFAULT next_id(), photo_id bigint REFERENCES photo)')

    # One row, and its ID.
    photo_id = connection.execute('INSERT INTO photo (title) VALUES (%s) RETURNING id', ['one']).fetchone()[0]
    connection.execute('INSERT INTO comment (photo_id) VALUES (%s)', [photo_id])

    # Several rows in one statement, and their IDs.
    titles = ['batch 1', 'batch 2', 'batch 3']
    rows = connection.execute(
        'INSERT INTO photo (title) SELECT unnest(%s::text[]) RETURNING title, id', [titles]).fetchall()

    # A block of IDs beforehand, for COPY or for rows that refer to one another.
    block = connection.execute('SELECT next_id_array(%s)', [2]).fetchone()[0]
    with connection.cursor() as cursor, cursor.copy('COPY photo (id, title) FROM STDIN') as copy:
        for number, id in enumerate(block, 1):
            copy.write_row((id, f'block {number}'))
    # End.
    connection.execute('INSERT INTO comment (photo_id) VALUES (%s)', [None])
    connection.commit()

    print('one', photo_id, sep='\t')
    for title, id in rows:
        print(title, id, sep='\t')
    for number, id in enumerate(block, 1):
        print(f'block {number}', id, sep='\t')
    for (id,) in connection.execute('SELECT photo_id FROM comment'):
        print('comment', id or '', sep='\t')
    print('found', connection.execute('SELECT title FROM photo WHERE id = %s', [photo_id]).fetchone()[0], sep='\t')
    assert json.loads(json.dumps(photo_id)) == photo_id

    begin, seen = 0, 0
    while seen < 6:
        for (id,) in connection.execute('SELECT id FROM photo WHERE id >= %s AND id < id_settled() ORDER BY id', [begin]):
            print('read', id, sep='\t')
            begin, seen = id + 1, seen + 1


def kinds(connection):
    connection.prepare_threshold = 1 if os.environ.get('PREPARES') else None
    # In docs/clients/python.md:
    for name in 'id64', 'ulid':
        TypeInfo.fetch(connection, name).register(connection)  # arrays of them are lists of strings
    # End.

    connection.execute('CREATE TABLE album (id id64 PRIMARY KEY DEFAULT next_id(), title text, pictures id64[])')
    connection.execute('CREATE TABLE visit (id ulid PRIMARY KEY DEFAULT next_ulid(), album_id id64 REFERENCES album)')

    # A string of 11 characters; in JSON it loses no digit.
    album_id = connection.execute('INSERT INTO album (title) VALUES (%s) RETURNING id', ['one']).fetchone()[0]

    # Many rows, by executemany() or COPY.
    cursor = connection.cursor()
    cursor.executemany('INSERT INTO visit (album_id) VALUES (%s) RETURNING id', [[album_id]] * 2, returning=True)
    pictures = [id for (id,) in connection.execute('SELECT next_id()::id64 FROM generate_series(1, 2)')]
    # In docs/clients/python.md:
    # A list needs a cast: to psycopg it is one of texts.
    connection.execute('UPDATE album SET pictures = %s::id64[] WHERE id = %s', [pictures, album_id])
    # End.
    with cursor.copy('COPY album (id, title, pictures) FROM STDIN') as copy:
        for id in pictures:
            copy.write_row((id, 'copied', [album_id]))

    # Its time: id64_time() of a string, id_time() of a number.
    made_at = connection.execute('SELECT id64_time(%s)', [album_id]).fetchone()[0]
    connection.commit()

    def one(query, *values):
        return connection.execute(query, values).fetchone()[0]

    def prepared():
        return one("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%%album WHERE id%%'")

    for _ in range(3):
        found = one('SELECT title FROM album WHERE id = %s', album_id)
    number = one('SELECT %s::id64::bigint', album_id)
    print(json.dumps({
        'album': album_id, 'visits': [id for (id,) in connection.execute('SELECT id FROM visit ORDER BY id')],
        'pictures': one('SELECT pictures FROM album WHERE id = %s', album_id), 'made': pictures, 'found': found,
        'copied': [id for (id,) in connection.execute("SELECT id FROM album WHERE pictures = ARRAY[%s]::id64[] ORDER BY id", [album_id])],
        'any': one('SELECT count(*) FROM album WHERE id = ANY(%s::id64[])', pictures),
        'of': one('SELECT title FROM visit JOIN album ON album_id = album.id LIMIT 1'),
        'same time': made_at == one('SELECT id_time(%s)', number), 'number': str(number), 'prepared': prepared() > 0,
        'batch': [id for (id,) in connection.execute(
            "INSERT INTO visit (album_id) SELECT unnest(%s::id64[]) RETURNING album_id", [pictures])]}))
    connection.commit()


(kinds if len(sys.argv) > 1 else ids)(psycopg.connect())
