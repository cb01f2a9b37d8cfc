# The types of idgen for SQLAlchemy and Alembic.
from psycopg2 import STRING
from psycopg2.extensions import new_array_type, register_type
from sqlalchemy import Identity, cast, event
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.dialects.postgresql.base import ischema_names
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.types import TypeDecorator, UserDefinedType


class NextId(Identity):
    """DEFAULT next_id(). SQLAlchemy takes it for an identity, and inserts many objects by one statement."""

    def _copy(self, **options):
        return NextId()


@compiles(NextId)
def default_next_id(default, compiler, **options):
    return 'DEFAULT next_id()'


class Id64(UserDefinedType):
    """An ID as a string of 11 characters."""

    cache_ok = True

    def get_col_spec(self, **options):
        return 'id64'


class Ulid(UserDefinedType):
    cache_ok = True

    def get_col_spec(self, **options):
        return 'ulid'


class Id64Array(TypeDecorator):
    """Casts what it binds: to psycopg2 a list is one of texts."""

    impl = ARRAY(Id64)
    cache_ok = True

    def bind_expression(self, value):
        return cast(value, self)


# Reflection, and so Alembic, knows the types by their names.
ischema_names.update(id64=Id64, ulid=Ulid)


def read_arrays(engine):
    """Has psycopg2 read arrays of these types as lists."""

    @event.listens_for(engine, 'connect')
    def register(connection, record):
        with connection.cursor() as cursor:
            cursor.execute("SELECT typarray, typname FROM pg_type WHERE oid IN (to_regtype('id64'), to_regtype('ulid'))")
            for oid, name in cursor.fetchall():
                register_type(new_array_type((oid,), name + '[]', STRING), connection)
        connection.rollback()
