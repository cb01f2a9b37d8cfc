# Django: keys that are id64 and ulid. Prints as JSON what it made, and what it read back.
import json
import os

import django

os.environ['DJANGO_SETTINGS_MODULE'] = 'manage'
django.setup()
from django.core import serializers
from django.db import connection
from photos.models import Album, Photo, Visit

album = Album.objects.create(title='one')  # album.id is set, a string of 11 characters
visits = Visit.objects.bulk_create([Visit(album=album), Visit(album=album)])
batch = Album.objects.bulk_create([Album(title=f'batch {number}') for number in (1, 2)])
album.pictures = [each.id for each in batch]
album.save()
chosen = Album.objects.filter(id__in=album.pictures).order_by('id')


def one(query, *values):
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return cursor.fetchone()[0]


photo = Photo.objects.create(title='json')
album.refresh_from_db()
print(json.dumps({
    'album': album.id, 'visits': [visit.id for visit in visits], 'pictures': album.pictures,
    'batch': {each.title: each.id for each in batch}, 'chosen': [each.title for each in chosen],
    'of': Visit.objects.select_related('album').get(pk=visits[0].id).album.title,
    'containing': [each.title for each in Album.objects.filter(pictures__contains=[batch[0].id])],
    'same time': one('SELECT id64_time(%s)', album.id) == one('SELECT id_time(%s)', one('SELECT %s::id64::bigint', album.id)),
    'photo': str(photo.id), 'json': serializers.serialize('json', [album, visits[0]])}))
