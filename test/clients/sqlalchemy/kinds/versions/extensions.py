from alembic import op

revision = 'extensions'
down_revision = None


def upgrade():
    op.execute('CREATE EXTENSION IF NOT EXISTS idgen_kinds CASCADE')  # and idgen, which it requires


def downgrade():
    op.execute('DROP EXTENSION idgen_kinds, idgen')
