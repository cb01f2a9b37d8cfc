# Django: a field of its own, whose DDL has the DEFAULT. Prints as psycopg/app.py does.
import os

import django
from django.conf import settings
from django.db import connection, models

settings.configure(
    DATABASES={'default': {'ENGINE': 'django.db.backends.postgresql', 'NAME': os.environ['PGDATABASE']}},
    USE_TZ=True)
django.setup()


# In docs/clients/python.md:
class IdField(models.BigAutoField):
    """A bigint that the database makes: leaves itself out of INSERT and reads itself back."""

    def db_type(self, connection):
        return 'bigint DEFAULT next_id()'

    def db_type_suffix(self, connection):
        return None

    def rel_db_type(self, connection):
        return 'bigint'


class Photo(models.Model):
    id = IdField(primary_key=True)
    title = models.TextField()

    class Meta:
        app_label = 'photos'
        db_table = 'photo'


class Comment(models.Model):
    id = IdField(primary_key=True)
    photo = models.ForeignKey(Photo, on_delete=models.CASCADE)

    class Meta:
        app_label = 'photos'
        db_table = 'comment'


# End.
with connection.schema_editor() as editor:
    editor.create_model(Photo)
    editor.create_model(Comment)

# In docs/clients/python.md:
photo = Photo.objects.create(title='one')  # photo.id is set
comment = Comment.objects.create(photo=photo)
batch = Photo.objects.bulk_create([Photo(title=f'batch {number}') for number in (1, 2, 3)])

with connection.cursor() as cursor:
    cursor.execute('SELECT next_id_array(%s)', [2])
    block = cursor.fetchone()[0]
Photo.objects.bulk_create([Photo(id=id, title=f'block {number}') for number, id in enumerate(block, 1)])
# End.

for made in [photo, *batch]:
    print(made.title, made.id, sep='\t')
for number, id in enumerate(block, 1):
    print(f'block {number}', id, sep='\t')
print('comment', comment.photo_id, sep='\t')
print('found', Photo.objects.get(pk=photo.id).title, sep='\t')

begin, seen = 0, 0
while seen < 6:
    for read in Photo.objects.filter(id__gte=begin, id__lt=models.Func(function='id_settled')).order_by('id'):
        print('read', read.id, sep='\t')
        begin, seen = read.id + 1, seen + 1
