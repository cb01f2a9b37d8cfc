# Alembic's environment.
import os

from alembic import context
from sqlalchemy import create_engine

# In docs/clients/python.md:
# env.py
from idgen_types import Id64, Id64Array, NextId, Ulid
from models import Base


def render_item(kind, item, autogenerate):
    """Writes what is ours into migrations by its name."""
    if isinstance(item, (Id64, Id64Array, NextId, Ulid)):
        autogenerate.imports.add('from idgen_types import Id64, Id64Array, NextId, Ulid')
        return f'{type(item).__name__}()'
    return False


OPTIONS = dict(target_metadata=Base.metadata, compare_type=True, compare_server_default=True, render_item=render_item)
# End.
with create_engine(os.environ['DATABASE']).connect() as connection:
    context.configure(connection=connection, **OPTIONS)
    with context.begin_transaction():
        context.run_migrations()
