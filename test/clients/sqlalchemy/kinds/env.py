# Alembic's environment.
import os

from alembic import context
from sqlalchemy import create_engine

# In docs/clients/python.md:
# env.py
from idgen_types import Id64, Id64Array, Ulid
from models import Base


def render_item(kind, item, autogenerate):
    """Writes our types into migrations by their names."""
    if kind == 'type' and isinstance(item, (Id64, Id64Array, Ulid)):
        autogenerate.imports.add('from idgen_types import Id64, Id64Array, Ulid')
        return f'{type(item).__name__}()'
    return False


OPTIONS = dict(target_metadata=Base.metadata, compare_type=True, compare_server_default=True, render_item=render_item)
# End.
with create_engine(os.environ['DATABASE']).connect() as connection:
    context.configure(connection=connection, **OPTIONS)
    with context.begin_transaction():
        context.run_migrations()
