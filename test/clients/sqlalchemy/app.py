# SQLAlchemy: the DEFAULT makes the ID, RETURNING reads it back. Prints as psycopg/app.py does.
# In docs/clients/python.md:
from sqlalchemy import BigInteger, Column, ForeignKey, Identity, Text, create_engine, func, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import Session, declarative_base, relationship

Base = declarative_base()


class NextId(Identity):
    """DEFAULT next_id(). SQLAlchemy takes it for an identity, and inserts many objects by one statement."""

    def _copy(self, **options):
        return NextId()


@compiles(NextId)
def default_next_id(default, compiler, **options):
    return 'DEFAULT next_id()'


class Photo(Base):
    __tablename__ = 'photo'
    id = Column(BigInteger, NextId(), primary_key=True)
    title = Column(Text)
    comments = relationship('Comment', back_populates='photo')


class Comment(Base):
    __tablename__ = 'comment'
    id = Column(BigInteger, NextId(), primary_key=True)
    photo_id = Column(BigInteger, ForeignKey('photo.id'))
    photo = relationship('Photo', back_populates='comments')


# End.
engine = create_engine('postgresql+psycopg2://')
Base.metadata.create_all(engine)
with Session(engine) as session:
    # In docs/clients/python.md:
    photo = Photo(title='one', comments=[Comment()])
    batch = [Photo(title=f'batch {number}') for number in (1, 2, 3)]
    session.add_all([photo, *batch])
    session.commit()  # photo.id is set, and comment.photo_id

    block = session.scalar(select(func.next_id_array(2)))
    session.add_all(Photo(id=id, title=f'block {number}') for number, id in enumerate(block, 1))
    session.commit()
    # End.
    session.add(Comment())
    session.commit()
    for made in [photo, *batch]:
        print(made.title, made.id, sep='\t')
    for number, id in enumerate(block, 1):
        print(f'block {number}', id, sep='\t')
    for comment in session.scalars(select(Comment)):
        print('comment', comment.photo_id or '', sep='\t')
    id = photo.id
    session.expunge_all()
    print('found', session.get(Photo, id).title, sep='\t')
    begin, seen = 0, 0
    while seen < 6:
        for read in session.query(Photo).filter(Photo.id >= begin, Photo.id < func.id_settled()).order_by(Photo.id):
            print('read', read.id, sep='\t')
            begin, seen = read.id + 1, seen + 1
