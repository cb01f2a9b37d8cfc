# psycopg 3: an ID is an int. Prints each photo's ID, and what a comment refers to; see test/t/lib/IdgenShown.pm.
import json

import psycopg

connection = psycopg.connect()
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
