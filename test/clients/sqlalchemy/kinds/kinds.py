# SQLAlchemy: keys that are id64 and ulid. Prints as JSON what it made, and what it read back.
import json
import os

from idgen_types import Id64Array, read_arrays
from models import Album, Photo, Visit
from sqlalchemy import bindparam, create_engine, func, select, text
from sqlalchemy.orm import Session

engine = create_engine(os.environ['DATABASE'])
read_arrays(engine)

with Session(engine) as session:
    album = Album(title='one', visits=[Visit(), Visit()])
    batch = [Album(title=f'batch {number}') for number in (1, 2)]
    session.add_all([album, *batch])
    session.commit()  # album.id is set, a string of 11 characters
    album.pictures = [each.id for each in batch]
    session.commit()
    chosen = session.scalars(select(Album).where(Album.id.in_(album.pictures)).order_by(Album.id)).all()
    photo = Photo(title='json')
    session.add(photo)
    session.commit()
    contains = select(Album.title).where(Album.pictures.contains([batch[0].id]))
    print(json.dumps({
        'album': album.id, 'visits': [visit.id for visit in album.visits], 'pictures': album.pictures,
        'batch': {each.title: each.id for each in batch}, 'chosen': [each.title for each in chosen],
        'of': session.get(Visit, album.visits[0].id).album.title, 'containing': session.scalars(contains).all(),
        'same time': session.scalar(select(func.id64_time(album.id)))
        == session.scalar(text('SELECT id_time(:id)'), {'id': session.scalar(text('SELECT (:id)::id64::bigint'), {'id': album.id})}),
        'photo': str(photo.id), 'returning': session.execute(text(
            'INSERT INTO visit (album_id) SELECT unnest(:ids) RETURNING album_id').bindparams(
                bindparam('ids', type_=Id64Array)), {'ids': album.pictures}).scalars().all()}))
    session.commit()
