# models.py
from idgen_types import Id64, Id64Array, NextId, Ulid
from sqlalchemy import BigInteger, Column, ForeignKey, Text, text
from sqlalchemy.orm import declarative_base, relationship

Base = declarative_base()


class Photo(Base):
    __tablename__ = 'photo'
    id = Column(BigInteger, NextId(), primary_key=True)
    title = Column(Text)


class Album(Base):
    __tablename__ = 'album'
    id = Column(Id64, primary_key=True, server_default=text('next_id()'))
    title = Column(Text)
    pictures = Column(Id64Array)
    visits = relationship('Visit', back_populates='album')


class Visit(Base):
    __tablename__ = 'visit'
    id = Column(Ulid, primary_key=True, server_default=text('next_ulid()'))
    album_id = Column(Id64, ForeignKey('album.id'))
    album = relationship('Album', back_populates='visits')
