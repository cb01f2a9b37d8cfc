# models.py
from django.contrib.postgres.fields import ArrayField
from django.db import models

from .fields import Id64Field, Id64Text, IdField, UlidField


class Photo(models.Model):
    id = IdField(primary_key=True)
    title = models.TextField()


# In docs/clients/python.md:
class Album(models.Model):
    id = Id64Field(primary_key=True)
    title = models.TextField()
    pictures = ArrayField(Id64Text(), default=list)


class Visit(models.Model):
    id = UlidField(primary_key=True)
    album = models.ForeignKey(Album, on_delete=models.CASCADE)
# End.
