# Copies the posts of both shards into the feed, each once, until the feed has that many: reader.py COUNT
import sys
import time

import psycopg

hosts = {'a': '127.0.0.2', 'b': '127.0.0.3,127.0.0.4'}
connections = {}


def connected(shard):
    if shard not in connections:
        connections[shard] = psycopg.connect(
            host=hosts[shard], user='app', dbname='app', target_session_attrs='read-write', autocommit=True)
    return connections[shard]


def read_on(feed, name, shard):
    with feed.transaction():
        begin = feed.execute('SELECT next FROM position WHERE shard = %s FOR UPDATE', [name]).fetchone()[0]
        posts = shard.execute(
            'SELECT id, author, body FROM post WHERE id >= %s AND id < id_settled() ORDER BY id', [begin]).fetchall()
        if posts:
            feed.cursor().executemany('INSERT INTO post VALUES (%s, %s, %s)', posts)
            feed.execute('UPDATE position SET next = %s WHERE shard = %s', [posts[-1][0] + 1, name])


feed = psycopg.connect(host='127.0.0.5', user='app', dbname='app', autocommit=True)
while feed.execute('SELECT count(*) FROM post').fetchone()[0] < int(sys.argv[1]):
    for name in hosts:
        try:
            read_on(feed, name, connected(name))
        except psycopg.OperationalError:
            connections.pop(name, None)
    time.sleep(0.1)
