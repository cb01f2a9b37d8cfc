#!/bin/bash
# By the rules of the image postgres: an empty PGDATA gets a cluster, with the password of POSTGRES_PASSWORD, and what lies in
# /docker-entrypoint-initdb.d runs on it before anyone else can connect; then the command runs, as the user postgres.
set -eu -o pipefail
user=${POSTGRES_USER:-postgres} method=${POSTGRES_HOST_AUTH_METHOD:-scram-sha-256}

sql() { psql -X -q -v ON_ERROR_STOP=1 -U "$user" "$@"; }

make_cluster() {
    [ -n "${POSTGRES_PASSWORD:-}" ] || [ "$method" = trust ] || { echo 'POSTGRES_PASSWORD is not set' >&2; exit 1; }
    # shellcheck disable=SC2086
    initdb -U "$user" --pwfile=<(echo "${POSTGRES_PASSWORD:-}") ${POSTGRES_INITDB_ARGS:-}
    printf 'host all all all %s\n' "$method" >>"$PGDATA/pg_hba.conf"
    pg_ctl -w start -o "$(printf '%q ' "${@:2}" -c listen_addresses=)"
    [ "${POSTGRES_DB:-postgres}" = postgres ] || sql -d postgres -c "CREATE DATABASE \"$POSTGRES_DB\""
    for file in /docker-entrypoint-initdb.d/*; do
        case $file in
            *.sh) . "$file" ;;
            *.sql) sql -d "${POSTGRES_DB:-postgres}" -f "$file" ;;
        esac
    done
    pg_ctl -w -m fast stop
}

[ "${1#-}" = "$1" ] || set -- postgres "$@"
if [ "$1" = postgres ] && [ "$(id -u)" = 0 ]; then
    mkdir -p "$PGDATA" && chmod 700 "$PGDATA"
    find "$PGDATA" /var/run/postgresql ! -user postgres -exec chown postgres {} +
    exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi
[ "$1" != postgres ] || [ -s "$PGDATA/PG_VERSION" ] || make_cluster "$@"
exec "$@"
