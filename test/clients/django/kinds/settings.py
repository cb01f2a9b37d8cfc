# Settings of a project with idgen.
import os

SECRET_KEY = 'of a test'
INSTALLED_APPS = ['photos']
USE_TZ = True
DATABASES = {
    'default': {
        'ENGINE': 'django.db.backends.postgresql',
        'NAME': os.environ['PHOTOS'],
        'HOST': os.environ['PGHOST'],
        'PORT': os.environ['PGPORT'],
        'DISABLE_SERVER_SIDE_CURSORS': True,  # as PgBouncer in transaction mode needs it
    }
}
