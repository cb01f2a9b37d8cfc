#!/usr/bin/python3
# A project with idgen: its settings, and Django's commands.
import os
import sys

from django.core.management import execute_from_command_line

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

if __name__ == '__main__':
    os.environ['DJANGO_SETTINGS_MODULE'] = 'manage'
    execute_from_command_line(sys.argv)
