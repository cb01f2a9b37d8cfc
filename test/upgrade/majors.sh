#!/bin/bash
# From one major of PostgreSQL to another: majors.sh OLD NEW, as a user who may run a server, with both installed. IDs are made before
# and after; none is made again, and none is lower than one before, whether the time of the last ID or the horizon lies ahead.
set -eu
old=$1 new=$2
folder=$(mktemp -d)
trap 'for server in "$folder"/*/postmaster.pid; do [ ! -e "$server" ] || kill -QUIT "$(head -n 1 "$server")"; done; rm -rf "$folder"' EXIT
passed=0 failed=0
cd "$folder"
export PGHOST=$folder PGUSER=postgres

server() { echo "/usr/lib/postgresql/$1/bin"; }

is() {
    if [ "$2" = "$3" ]; then passed=$((passed + 1)); echo "ok - $1"
    else failed=$((failed + 1)); echo "not ok - $1"; echo "# got: $2, expected: $3"; fi
}

# Makes a cluster of a major in a folder.
make_cluster() {
    "$(server "$1")/initdb" -D "$2" -U postgres -A trust -E UTF8 --locale=C.UTF-8 -k --no-sync >log
    printf '%s\n' "shared_preload_libraries = 'idgen'" "listen_addresses = ''" "unix_socket_directories = '$folder'" 'fsync = off' >>"$2/postgresql.conf"
}

start() { "$(server "$1")/pg_ctl" -D "$2" -w -s -l "$2/log" start || { cat "$2/log"; exit 1; }; }
stop() { "$(server "$1")/pg_ctl" -D "$2" -w -s -m fast stop; }
sql() { psql -X -q -At -v ON_ERROR_STOP=1 "$@"; }

# What a user has: IDs of several kinds as keys, and shards for the database; another database whose horizon lies an hour ahead.
fill() {
    sql -d postgres -c 'CREATE DATABASE app' -c 'CREATE DATABASE ahead' -c "ALTER DATABASE app SET idgen.shards = '5'" \
        -c "ALTER DATABASE ahead SET idgen.shards = '5'"
    sql -d app <<'SQL'
CREATE EXTENSION idgen;
CREATE EXTENSION idgen_kinds;
CREATE EXTENSION idgen_lease;
CREATE EXTENSION idgen_migrate;
CREATE EXTENSION idgen_registry;
CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id(), name id64 UNIQUE DEFAULT next_id(), token uuid UNIQUE DEFAULT next_uuidv7(),
    key ulid UNIQUE DEFAULT next_ulid(), segment ksuid DEFAULT next_ksuid(), object objectid DEFAULT next_objectid(),
    number bigint UNIQUE DEFAULT next_decimal_id(), made_by text DEFAULT 'before');
CREATE VIEW recent AS SELECT * FROM photo WHERE id_within(id, '[2020-01-01, 2040-01-01)');
INSERT INTO photo SELECT FROM generate_series(1, 5000);
SQL
    sql -d ahead -c 'CREATE SCHEMA idgen' -c 'CREATE SCHEMA ids' -c 'CREATE EXTENSION idgen SCHEMA ids' -c "SELECT idgen.advance(now() + interval '1 hour')" >/dev/null
}

# What must hold after: $1 says how it came here.
check() {
    is "$1: the rows are there" "$(sql -d app -c 'SELECT count(*) FROM recent')" 5000
    sql -d app -c "INSERT INTO photo (made_by) SELECT 'after' FROM generate_series(1, 5000)"
    is "$1: every extension is there" "$(sql -d app -c "SELECT string_agg(extname, ' ' ORDER BY extname) FROM pg_extension WHERE extname ~ '^idgen'")" \
        'idgen idgen_kinds idgen_lease idgen_migrate idgen_registry'
    is "$1: the schemas that they made are theirs" "$(for db in app ahead; do sql -d "$db" -c "SELECT string_agg(nspname, ' ' ORDER BY nspname)
        FROM pg_namespace JOIN pg_depend ON objid = pg_namespace.oid WHERE deptype = 'e'"; done)" 'idgen idgen_lease
idgen'
    is "$1: no ID is lower than one before" "$(sql -d app -c "SELECT bool_and(id > before_id), bool_and(name > before_name)
        FROM photo, (SELECT max(id) before_id, max(name) before_name FROM photo WHERE made_by = 'before') b WHERE made_by = 'after'")" 't|t'
    is "$1: no ID is made again" "$(sql -d app -c 'SELECT count(DISTINCT id), count(DISTINCT name), count(DISTINCT number), count(DISTINCT key) FROM photo')" '10000|10000|10000|10000'
    is "$1: the library and the extension are of one version" "$(sql -d app -c "SELECT ok FROM idgen.status() WHERE key = 'library'")" t
    is "$1: a horizon that lay ahead still does" "$(sql -d ahead -c "SELECT horizon > now() + interval '50 minutes' FROM idgen.stat_database")" t
    is "$1: and no ID is made below it" "$(sql -d ahead -v VERBOSITY=sqlstate -c "SET idgen.max_wait = 0" -c 'SELECT ids.next_id()' 2>&1)" 'ERROR:  55000'
}

# pg_upgrade, in a folder of its own.
upgrade() {
    local way=$1
    make_cluster "$old" "old_$way"
    start "$old" "old_$way"
    fill
    stop "$old" "old_$way"
    make_cluster "$new" "new_$way"
    "$(server "$new")/pg_upgrade" "--$way" -b "$(server "$old")" -B "$(server "$new")" -d "old_$way" -D "new_$way" -U postgres >log 2>&1 ||
        { cat log; find . -name '*.log' -path '*pg_upgrade*' -exec tail -n 20 {} +; exit 1; }
    start "$new" "new_$way"
    check "$old to $new, pg_upgrade --$way"
    stop "$new" "new_$way"
}

# A dump of all, restored by the new one.
restore() {
    make_cluster "$old" old_dump
    start "$old" old_dump
    fill
    "$(server "$new")/pg_dumpall" -f dump
    stop "$old" old_dump
    make_cluster "$new" new_dump
    start "$new" new_dump
    psql -X -q -d postgres -f dump >log 2>&1
    is "$old to $new, dump: it is restored" "$(grep -v 'role "postgres" already exists' log | grep ERROR || true)" ''
    check "$old to $new, dump"
    stop "$new" new_dump
}

# pg_upgrade with a number given by hand, from a registry that goes on meanwhile: the stop gives the number up, so that the new cluster, which
# cannot prove that it is the old one, has it at once.
upgrade_leased() {
    make_cluster "$old" registry
    echo 'port = 5433' >>registry/postgresql.conf
    start "$old" registry
    sql -p 5433 -d postgres -c 'CREATE EXTENSION idgen_registry' -c 'CREATE ROLE node LOGIN IN ROLE idgen_node'
    for cluster in old new; do
        make_cluster "${!cluster}" "${cluster}_leased"
        printf '%s\n' "shared_preload_libraries = 'idgen, idgen_lease'" "idgen.registry = 'host=$folder port=5433 dbname=postgres user=node'" \
            "idgen.shards = '5'" "idgen.lease_ttl = '1h'" "idgen.max_wait = '1min'" >>"${cluster}_leased/postgresql.conf"
    done
    start "$old" old_leased
    sql -d postgres -c 'CREATE EXTENSION idgen' -c 'CREATE EXTENSION idgen_lease' -c 'CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id(), after bool)' \
        -c 'INSERT INTO photo SELECT FROM generate_series(1, 5000)'
    stop "$old" old_leased
    "$(server "$new")/pg_upgrade" -b "$(server "$old")" -B "$(server "$new")" -d old_leased -D new_leased -U postgres >log 2>&1 ||
        { cat log; find . -name '*.log' -path '*pg_upgrade*' -exec tail -n 20 {} +; exit 1; }
    start "$new" new_leased
    sql -d postgres -c 'INSERT INTO photo (after) SELECT true FROM generate_series(1, 5000)'
    is "$old to $new, a number by hand: IDs at once, all above those before" "$(sql -d postgres -c 'SELECT min(id) FILTER (WHERE after) > max(id) FILTER (WHERE after IS NULL), count(*) FROM photo')" 't|10000'
    is "$old to $new, a number by hand: of that number" "$(sql -d postgres -c 'SELECT string_agg(DISTINCT id_shard(id)::text, $$ $$) FROM photo')" 5
    is "$old to $new, a number by hand: the registry has one owner" "$(sql -p 5433 -d postgres -c 'SELECT count(*), bool_and(NOT is_free) FROM idgen_registry.list()')" '1|t'
    stop "$new" new_leased
    stop "$old" registry
}

upgrade copy
upgrade link
upgrade_leased
restore
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
