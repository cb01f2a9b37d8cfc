# Fields whose values the database makes.
from django.db import models
from django.db.backends.signals import connection_created
from django.dispatch import receiver
from psycopg.types import TypeInfo


class IdField(models.BigAutoField):
    """A bigint that the database makes: leaves itself out of INSERT and reads itself back."""

    def db_type(self, connection):
        return 'bigint DEFAULT next_id()'

    def db_type_suffix(self, connection):
        return None

    def rel_db_type(self, connection):
        return 'bigint'


class ByDefault(models.Expression):
    """What INSERT has in a column whose DEFAULT makes the value."""

    def as_sql(self, compiler, connection):
        return 'DEFAULT', []


class Id64Field(models.Field):
    """A string of 11 characters that the database makes, and that is read back. Not an AutoField: no sequence is reset."""

    db_returning = True
    empty_strings_allowed = False

    def __init__(self, **options):
        super().__init__(**{'editable': False, **options})

    def get_db_prep_save(self, value, connection):
        return ByDefault() if value is None else super().get_db_prep_save(value, connection)

    def db_type(self, connection):
        return 'id64 DEFAULT next_id()'

    def rel_db_type(self, connection):
        return 'id64'


class UlidField(Id64Field):
    def db_type(self, connection):
        return 'ulid DEFAULT next_ulid()'

    def rel_db_type(self, connection):
        return 'ulid'


class Id64Text(models.TextField):
    """An id64 that is not a key, such as the elements of ArrayField(Id64Text())."""

    def db_type(self, connection):
        return 'id64'


@receiver(connection_created)
def read_arrays(connection, **options):
    """Has psycopg 3 read arrays of these types as lists."""
    for name in 'id64', 'ulid':
        if known := TypeInfo.fetch(connection.connection, name):
            known.register(connection.connection)
