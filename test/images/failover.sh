# shellcheck shell=bash
# Sourced by tools/images. A cluster of three servers, of the extension's image mounted beside a server, and their registry. The
# primary is lost several times, under writers, and this script does what CloudNativePG does: it promotes the replica that
# has received most, lets the other one follow it, and brings the lost one back by pg_rewind, or by a new copy.

# The node of a cluster, on its volume.
begin_instance() {
    start "$1" "postgres:$major" -v "${run}_$1:/var/lib/postgresql" "${options[@]}" -- "${settings[@]}" -c shared_preload_libraries=idgen,idgen_lease \
        -c idgen.shards=lease -c "idgen.registry=host=${run}_registry dbname=postgres user=node" -c idgen.lease_database=app -c wal_log_hints=on
}

begin_registry() {
    start registry "postgres:$major" -v "$here/examples/sharded/registry.sql:/docker-entrypoint-initdb.d/registry.sql:ro" "${options[@]}" -- "${settings[@]}"
}

begin_primary() {
    options+=(-e POSTGRES_DB=app -v "$here/examples/sharded/node.sql:/docker-entrypoint-initdb.d/node.sql:ro")
    begin_instance "$1" && podman exec "${run}_$1" sh -c 'echo "host replication all all trust" >>"$PGDATA/pg_hba.conf"' &&
        sql "$1" -d app -c 'SELECT pg_reload_conf()' -c 'CREATE TABLE post (id bigint PRIMARY KEY DEFAULT next_id())'
}

# Runs a command on the volume of a server that does not run.
in_volume() {
    podman run --rm --network "$run" --user postgres -v "${run}_$1:/var/lib/postgresql" "${options[@]}" "postgres:$major" sh -euc "$2"
}

begin_replica() {
    in_volume "$1" "rm -rf \"\$PGDATA\" && pg_basebackup -h ${run}_$2 -U postgres -D \"\$PGDATA\" -R -c fast" && begin_instance "$1"
}

# The lost primary comes back as a replica of the new one.
return_to() {
    podman rm -f -t 0 "${run}_$1" && sql "$2" -c CHECKPOINT || return 1
    if in_volume "$1" "rm -f \"\$PGDATA/postmaster.pid\" && pg_rewind -R -D \"\$PGDATA\" --source-server='host=${run}_$2 user=postgres dbname=postgres'"; then
        begin_instance "$1"
    else
        begin_replica "$1" "$2"
    fi
}

# A replica takes no more from its primary: nobody is promoted before.
receives_nothing() {
    local try
    for try in {1..300}; do [ "$(sql "$1" -c 'SELECT count(*) FROM pg_stat_wal_receiver')" != 0 ] || return 0; sleep 0.2; done
    return 1
}

follow() { sql "$1" -c "ALTER SYSTEM SET primary_conninfo = '${2:+host=${run}_$2 user=postgres}'" -c 'SELECT pg_reload_conf()'; }

most_advanced() {
    local name
    for name; do
        echo "$(sql "$name" -c "SELECT pg_wal_lsn_diff(greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()), '0/0')") $name"
    done | sort -n | sed -n '$s/.* //p'
}

# A client connects to whichever server takes writes, and notes each ID that it was given.
begin_writer() {
    local hosts=${run}_a,${run}_b,${run}_c
    mkdir -p "$work/made" && podman run -d --name "${run}_writer$1" --network "$run" -v "$work/made:/made" "postgres:$major" sh -c "
        while [ ! -e /made/end ]; do
            while [ ! -e /made/end ]; do echo '$2'; done | psql -X -q -At 'host=$hosts user=postgres dbname=app target_session_attrs=read-write connect_timeout=2' || sleep 0.2
        done >>/made/$1 2>>/made/$1.refused"
}

# The number of the server that makes IDs now, as soon as it does.
number_of() {
    local try
    for try in {1..300}; do ! sql "$1" -d app -c 'SELECT id_shard(next_id())' 2>/dev/null || return 0; sleep 0.2; done
    return 1
}

# lose PRIMARY REPLICA REPLICA: how the primary is lost says $how. Leaves the new one's name in $primary.
lose() {
    local old=$1 new number began other
    shift
    number=$(number_of "$old")
    case $how in
        killed) podman kill -s KILL "${run}_$old" ;;
        stopped) podman stop "${run}_$old" ;;
        'cut off') for other; do follow "$other" ''; done ;;
    esac
    for other; do receives_nothing "$other" || return 1; done
    new=$(most_advanced "$@")
    sql "$new" -c 'SELECT pg_promote()'
    began=$EPOCHREALTIME
    number_of "$new" >"$work/number" || return 1
    echo "$how: $old had number $number, $new has $(cat "$work/number"), first ID $(((${EPOCHREALTIME/./} - ${began/./}) / 1000)) ms after it was promoted" >>"$work/turns"
    # The old primary goes on beside the new one.
    if [ "$how" = 'cut off' ]; then
        sql "$new" -d app -c 'SELECT next_id() FROM generate_series(1, 100000)' >>"$work/made/new" && [ "$(number_of "$old")" = "$number" ] &&
            podman kill -s KILL "${run}_$old" || return 1
    fi
    primary=$new
    for other; do [ "$other" = "$new" ] || follow "$other" "$new"; done
    return_to "$old" "$new" && wait_for_replicas "$new" && { [ "$how" = stopped ] || [ "$(cat "$work/number")" != "$number" ]; }
}

# Both replicas have all that the primary has now.
wait_for_replicas() {
    local try now
    now=$(sql "$1" -c 'SELECT pg_current_wal_lsn()')
    for try in {1..300}; do
        [ "$(sql "$1" -c "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND replay_lsn >= '$now'")" != 2 ] || return 0
        sleep 0.2
    done
    return 1
}

none_twice() {
    local file
    touch "$work/made/end"
    podman wait "${run}_writer1" "${run}_writer2"
    for file in "$work"/made/*.refused; do sort "$file" | uniq -c | sort -rn | head -n 5; done
    cat "$work"/made/{1,2,new} | sort -n >"$work/all"
    echo "$(wc -l <"$work/all") IDs" >>"$work/turns"
    [ "$(wc -l <"$work/all")" -gt 10000 ] && [ -z "$(uniq -d "$work/all" | head -n 3 | tee /dev/stderr)" ]
}

try_failover() {
    local options settings how primary=a
    [ "$major" -ge 18 ] || return 0
    mounted
    test_that "packaging/extension.Dockerfile is built" build_extension
    test_that "a registry and the primary start" eval 'begin_registry && begin_primary a'
    test_that "two replicas start" eval 'begin_replica b a && begin_replica c a && wait_for_replicas a'
    test_that "two writers begin" eval 'begin_writer 1 "INSERT INTO post DEFAULT VALUES RETURNING id;" && begin_writer 2 "SELECT unnest(next_id_array(10));"'
    for how in killed stopped 'cut off' killed stopped 'cut off'; do
        # shellcheck disable=SC2046
        test_that "the primary is $how: a replica takes over, with a number of its own unless that one gave its number up" lose "$primary" $(echo a b c | tr -d "$primary")
    done
    test_that "no ID was made twice" none_twice
    sed 's/^/# /' "$work/turns" || true
}
