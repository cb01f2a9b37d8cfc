# psycopg 3: keys that are id64 and ulid are strings. Prints as JSON what it made, and what it read back.
import json
import os

import psycopg
from psycopg.types import TypeInfo

connection = psycopg.connect(**json.loads(os.environ.get('CONNECT', '{}')))
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
