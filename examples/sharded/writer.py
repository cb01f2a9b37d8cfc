# Writes posts to the shards, goes on where one fails over, and prints the ID of each: writer.py COUNT
import sys
import time
import uuid

import psycopg

shards = ['host=127.0.0.2', 'host=127.0.0.3,127.0.0.4 target_session_attrs=read-write']
connections = {}


def write(author, body):
    shard = shards[author % len(shards)]
    request = uuid.uuid4()
    while True:
        try:
            if shard not in connections:
                connections[shard] = psycopg.connect(shard, user='app', dbname='app', autocommit=True)
            return connections[shard].execute(
                'INSERT INTO post (author, body, request) VALUES (%s, %s, %s)'
                ' ON CONFLICT (request) DO UPDATE SET request = excluded.request RETURNING id',
                [author, body, request]).fetchone()[0]
        except psycopg.OperationalError:
            connections.pop(shard, None)
            time.sleep(0.1)


for author in range(int(sys.argv[1])):
    print(write(author, 'new'), flush=True)
