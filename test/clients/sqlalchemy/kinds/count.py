# SQLAlchemy: how many statements insert 1,000 rows, by what makes the key. Prints the rows of the page's table.
from idgen_types import NextId
from sqlalchemy import BigInteger, Column, Identity, Text, create_engine, event, func, insert, insert_sentinel, select, text
from sqlalchemy.orm import Session, declarative_base

Base = declarative_base()
ROWS = 1000


def model(name, id, **more):
    return type(name, (Base,), {'__tablename__': name, 'id': id, 'title': Column(Text), **more})


def by_default():
    return Column(BigInteger, primary_key=True, server_default=text('next_id()'))


By = model('by_next_id', Column(BigInteger, NextId(), primary_key=True))
ByIdentity = model('by_identity', Column(BigInteger, Identity(), primary_key=True))
ByDefault = model('by_default', by_default())
BySentinel = model('by_sentinel', by_default(), sentinel=insert_sentinel())

engine = create_engine('postgresql+psycopg2://')
Base.metadata.create_all(engine)
statements = []
event.listen(engine, 'before_cursor_execute', lambda *arguments: statements.append(arguments[2]))


def count(insert_rows, *arguments, **options):
    statements.clear()
    insert_rows(*arguments, **options)
    return f'{len([each for each in statements if not each.startswith("SELECT by_")]):,}'


# Each ID comes to the object whose row has it.
def add_all(Photo):
    photos = [Photo(title=str(n)) for n in range(ROWS)]
    session.add_all(photos)
    session.flush()
    stored = dict(session.execute(select(Photo.id, Photo.title)).all())
    assert [stored[photo.id] for photo in photos] == [photo.title for photo in photos]
    session.rollback()


def returning(Photo, **options):
    rows = [{'title': str(n)} for n in range(ROWS)]
    assert len(session.scalars(insert(Photo).returning(Photo, **options), rows).all()) == ROWS


def block():
    session.add_all(By(id=id) for id in session.scalar(select(func.next_id_array(ROWS))))
    session.flush()


with Session(engine) as session:
    print(f'| `NextId()` | {count(add_all, By)} | {count(returning, By)} |')
    print(f'| `Identity()`, which is not idgen | {count(add_all, ByIdentity)} | {count(returning, ByIdentity)} |')
    print(f"| `server_default=text('next_id()')` | {count(add_all, ByDefault)} | {count(returning, ByDefault)}, "
          f'but {count(returning, ByDefault, sort_by_parameter_order=True)} with `sort_by_parameter_order=True` |')
    print(f"| `server_default=text('next_id()')`, and a column `insert_sentinel()` | {count(add_all, BySentinel)}, "
          f'and a number in each row | {count(returning, BySentinel)} |')
    print(f'| given, from `next_id_array(1000)` | {count(block)} | |')
