# pandas: a column with a NULL rounds its IDs, unless it is told not to. Prints as JSON what it read, as texts.
import io
import json

import pandas
from sqlalchemy import create_engine

engine = create_engine('postgresql+psycopg://')
with engine.begin() as connection:
    connection.exec_driver_sql('CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id(), title text)')
    connection.exec_driver_sql(
        'CREATE TABLE comment (id bigint PRIMARY KEY DEFAULT next_id(), photo_id bigint REFERENCES photo, text text)')
    photo_id = connection.exec_driver_sql("INSERT INTO photo VALUES (next_id() | 1, 'one') RETURNING id").scalar()
    connection.exec_driver_sql("INSERT INTO comment (photo_id, text) VALUES (%(id)s, 'first'), (NULL, 'second')", {'id': photo_id})

# In docs/clients/python.md:
query = 'SELECT id, photo_id FROM comment ORDER BY id'
rounded = pandas.read_sql(query, engine)  # photo_id has a NULL: float64, and its last digits are wrong
exact = pandas.read_sql(query, engine, dtype_backend='numpy_nullable')  # Int64, <NA>

# A file: the same option, or the dtype of each column.
csv = pandas.read_csv(io.StringIO(exact.to_csv(index=False)), dtype={'id': 'Int64', 'photo_id': 'Int64'})

# Rows without IDs get them from the DEFAULT; a foreign key stays an Int64.
rows = pandas.DataFrame({'photo_id': exact['photo_id'], 'text': ['third', 'fourth']})
rows.to_sql('comment', engine, if_exists='append', index=False)
# End.
block = pandas.read_sql('SELECT next_ids(2) AS id', engine, dtype_backend='numpy_nullable')
block.to_sql('comment', engine, if_exists='append', index=False)
outer = exact.merge(pandas.DataFrame({'photo_id': pandas.array([photo_id], 'Int64'), 'seen': [True]}), how='outer')


def texts(column):
    return [str(int(value)) if isinstance(value, float) and value == value else str(value) for value in column]


print(json.dumps({
    'photo': str(photo_id), 'rounded': texts(rounded['photo_id']), 'exact': texts(exact['photo_id']), 'csv': texts(csv['photo_id']),
    'types': [str(frame['photo_id'].dtype) for frame in (rounded, exact, csv, outer)], 'outer': texts(outer['photo_id'].dropna()),
    'ids': texts(rounded['id']), 'block': texts(block['id']),
    'plain csv': texts(pandas.read_csv(io.StringIO(exact.to_csv(index=False)))['photo_id']),
    'json': texts(pandas.read_json(io.StringIO(exact.to_json(orient='records')))['photo_id']),
    'version': pandas.__version__}))
