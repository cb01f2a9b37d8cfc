# A separate folder with a separate PostgreSQL, below TMPDIR or /tmp: sourced by the scripts beside it.
#
#   $sandbox/usr    a copy of the server, found by its pg_config, so that make install touches no system file
#   $sandbox/src    a copy of this source tree, built there
#   $sandbox/data   a cluster, $sandbox/socket its only way in: no port is opened
#
# PostgreSQL refuses to run as root, so as root everything in the sandbox belongs to and is run by
# the user postgres, which its Debian package made.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Perl warns of a locale that the machine does not have, at each call.
export PERL_BADLANG=0
major=$("$here/tools/major")

# Installs what a goal needs; nothing if all is there. Which server there is, is known only then.
install_packages() {
    [ "$1" != none ] || return 0
    "$here/tools/packages" "$1" || return 1
    major=$("$here/tools/major")
}

# The sandbox of a run: a new one, or with QUICK the one that is kept. close_sandbox belongs into the trap for EXIT.
open_sandbox() {
    if [ -n "${QUICK:-}" ]; then keep_sandbox; else make_sandbox; fi
}

close_sandbox() {
    if [ -n "${QUICK:-}" ]; then leave_sandbox; else remove_sandbox; fi
}

make_sandbox() {
    umask 022
    find_sandbox "$(mktemp -u "${TMPDIR:-/tmp}/idgen.XXXXXX")"
    mkdir "$sandbox" || { sandbox=; return 1; }
    check_folder && fill_sandbox 2> >(head -n 5 >&2)
}

# Refuses a folder in which no server can be built and run. A demo takes 150 MB.
check_folder() {
    local folder=${sandbox%/*} why= free
    free=$(df -Pm "$folder" | awk 'END { print $4 }')
    printf '#!/bin/sh\n' >"$sandbox/program" && chmod 755 "$sandbox/program" || why="$folder cannot be written"
    if [ "$free" -lt 300 ]; then
        why="$folder has $free MB free, and 300 are needed"
    elif [ -z "$why" ] && ! "$sandbox/program"; then
        why="no program can run in $folder, which is mounted with noexec"
    elif [ "$(id -u)" = 0 ] && ! runuser -u postgres -- test -x "$sandbox"; then
        why="the user postgres, who runs the server, cannot enter $folder"
    fi 2>/dev/null
    [ -n "$why" ] || { rm "$sandbox/program"; return 0; }
    echo "$why: name another folder, as in TMPDIR=/var/tmp make demo" >&2
    return 1
}

find_sandbox() {
    sandbox=$1
    bin=$sandbox/usr/lib/postgresql/$major/bin
}

fill_sandbox() {
    mkdir -p "$sandbox/usr/lib/postgresql" "$sandbox/usr/share/postgresql" "$sandbox/usr/include" "$sandbox/socket" &&
        cp -aL "/usr/lib/postgresql/$major" "$sandbox/usr/lib/postgresql/" &&
        cp -aL "/usr/share/postgresql/$major" "$sandbox/usr/share/postgresql/" &&
        ln -s /usr/include/postgresql "$sandbox/usr/include/postgresql" && fill_tree
}

fill_tree() {
    mkdir -p "$sandbox/log" && "$here/tools/copy-tree" "$sandbox/src" || return 1
    # What tests update from. If it cannot be made, they fail and say why.
    rm -f "$sandbox/earlier.tar"
    ! "$here/tools/earlier" >"$sandbox/log/earlier" 2>"$sandbox/earlier.tar.error" || cp "$(cat "$sandbox/log/earlier")" "$sandbox/earlier.tar"
    [ "$(id -u)" != 0 ] || chown -R postgres "$sandbox"
}

# Runs a command in the sandbox, as the user who may run a server. No psql stops in a pager.
inside() {
    set -- env PATH="$bin:$PATH" PG_CONFIG="$bin/pg_config" PGHOST="$sandbox/socket" PGDATA="$sandbox/data" \
        PGUSER=postgres PGDATABASE=postgres HOME="$sandbox" PSQL_PAGER= LANG=C.UTF-8 LC_ALL=C.UTF-8 "$@"
    (cd "$sandbox/src" && if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi)
}

# COPT are further options of the compiler and BUILD further arguments of make. In a new sandbox each tenth is said.
build_extension() {
    local watcher=
    [ -n "${QUICK:-}" ] || { watch_build & watcher=$!; }
    run_build || { [ -z "$watcher" ] || kill "$watcher"; return 1; }
    [ -z "$watcher" ] || kill "$watcher" 2>/dev/null || true
}

watch_build() {
    local began=$SECONDS all said=0 tenth
    all=$(find "$sandbox/src/src" -name '*.cpp' | wc -l)
    # Ends with the build, with the sandbox, or with whoever began it.
    while sleep 1 && [ -d "$sandbox/src/src" ] && kill -0 $$ 2>/dev/null; do
        tenth=$((10 * $(find "$sandbox/src/src" -name '*.o' | wc -l) / all))
        [ "$tenth" = "$said" ] || echo "  building ${tenth}0 %, $((SECONDS - began)) s"
        said=$tenth
    done
}

run_build() {
    inside make -s -j"$(nproc)" with_llvm=no COPT="-Werror ${COPT:-}" ${BUILD:-} install >"$sandbox/log/build" 2>&1 ||
        { cat "$sandbox/log/build" >&2; return 1; }
}

# Makes and starts the cluster, the library loaded unless IDGEN_WITHOUT_PRELOAD is set; arguments are further lines of its configuration.
start_server() {
    make_cluster "$@" && run_server
}

make_cluster() {
    inside initdb -U postgres -A trust -E UTF8 --no-sync >"$sandbox/log/initdb" 2>&1 ||
        { cat "$sandbox/log/initdb" >&2; return 1; }
    printf '%s\n' "${IDGEN_WITHOUT_PRELOAD:+#}shared_preload_libraries = 'idgen'" "listen_addresses = ''" \
        "unix_socket_directories = '$sandbox/socket'" 'fsync = off' "$@" |
        inside tee -a "$sandbox/data/postgresql.conf" >/dev/null
}

# Starts the cluster; arguments are settings of its environment. SERVER_LIBRARIES are loaded into it first, by name those that
# build_preloads makes. SERVER_BELOW is a command that runs it, such as valgrind.
run_server() {
    put_server_below || return 1
    inside env "$@" pg_ctl -w -s -l "$sandbox/log/server" start || { cat "$sandbox/log/server" >&2; return 1; }
}

# From now on the server's program is a script, which loads SERVER_LIBRARIES and runs the real one by SERVER_BELOW. Nothing
# changes if there is neither.
put_server_below() {
    local below=${SERVER_BELOW:-} library libraries=
    [ -n "$below${SERVER_LIBRARIES:-}" ] && [ ! -e "$bin/postgres.real" ] || return 0
    [ -z "${SERVER_LIBRARIES:-}" ] || build_preloads || return 1
    for library in ${SERVER_LIBRARIES:-}; do
        case $library in /*) ;; *) library=$sandbox/preloads/$library.so ;; esac
        libraries="$libraries${libraries:+:}$library"
    done
    [ -z "$libraries" ] || below="env LD_PRELOAD=$libraries $below"
    inside mv "$bin/postgres" "$bin/postgres.real"
    printf '#!/bin/sh\n[ "$1" != -V ] || exec "%s" -V\nexec %s "%s" "$@"\n' "$bin/postgres.real" "$below" "$bin/postgres.real" |
        inside tee "$bin/postgres" >/dev/null && inside chmod 755 "$bin/postgres"
}

remove_server() {
    [ ! -f "$sandbox/data/postmaster.pid" ] || inside pg_ctl -w -s -m immediate stop
    rm -rf "$sandbox/data"
}

# Builds what tests load into a server ahead of the C library, once.
build_preloads() {
    [ ! -d "$sandbox/preloads" ] || return 0
    inside mkdir "$sandbox/preloads" || return 1
    local name
    for name in boot_id kernel_clock known_random offset_clock plain_messages write_cache failing_calls no_libcurl; do
        inside g++ -O1 -shared -fPIC -o "$sandbox/preloads/$name.so" "test/t/lib/$name.cpp" -ldl || return 1
    done
    build_store_calls && build_test_module registry/t/lib/fake_keeper && build_test_module test/t/lib/kept_call &&
        build_test_module test/t/lib/held_lock && link_injected
}

# Builds the calls of the registries' stores as SQL functions, if idgen_lease was built.
build_store_calls() {
    [ -e "$sandbox/src/registry/node/keep/open_registry.o" ] || return 0
    local objects
    objects=$(objects_of STORE_OBJS) || return 1
    inside sh -c 'to=$1; shift; g++ -std=c++17 -fno-exceptions -fno-rtti -fvisibility=hidden -O1 -shared -fPIC -Isrc -I. -I"$(pg_config --includedir-server)" \
        -D_GNU_SOURCE -Wno-register ${COPT:-} -o "$to/store_calls.so" registry/t/lib/store_calls.cpp "$@" -lpq -ldl' build "$sandbox/preloads" $objects
}

# Links each module with what test/injection puts between it and the server, to preloads/injected.
link_injected() {
    link_one_injected idgen -lcrypto OBJS || return 1
    [ ! -e "$sandbox/src/registry/node/module.o" ] || link_one_injected idgen_lease '-lpq -ldl' LEASE_OBJS
}

# link_one_injected MODULE LIBRARIES LIST: a list of the Makefile.
link_one_injected() {
    local objects
    objects=$(objects_of "$3") || return 1
    inside ${COPT:+env COPT="$COPT"} test/injection/link "$sandbox/preloads/injected" "$1" "$2" $objects
}

# The objects of a list of the Makefile.
objects_of() {
    inside make -s ${BUILD:-} objects LIST="$1"
}

# Builds functions in C that tests create: build_test_module SOURCE, without its .cpp.
build_test_module() {
    inside sh -c 'g++ -std=c++17 -fno-exceptions -fno-rtti -fvisibility=hidden -O1 -shared -fPIC -Isrc -I. -I"$(pg_config --includedir-server)" \
        -D_GNU_SOURCE -Wno-register -DIDGEN_VERSION="\"$3\"" ${COPT:-} -o "$1/${2##*/}.so" "$2.cpp"' \
        build "$sandbox/preloads" "$1" "$(sed -n "s/^default_version = '\(.*\)'$/\1/p" "$here/idgen.control")"
}

# Runs TAP tests, which start servers of their own, in a folder of their own if $test_folder says one. PostgreSQL 16 and later
# ask for two folders instead of one.
prove_inside() {
    local libraries=$sandbox/usr/lib/postgresql/$major/lib/pgxs/src/test folder=${test_folder:-$sandbox}
    inside mkdir -p "$folder"
    build_preloads && put_server_below || return 1
    inside env -u PGHOST -u INITDB_TEMPLATE PATH="$sandbox/src/test/t/lib:$bin:$PATH" \
        PG_REGRESS="$libraries/regress/pg_regress" PERL5LIB="$libraries/perl" TESTDIR="$folder" \
        TESTDATADIR="$folder/tmp_check" TESTLOGDIR="$folder/tmp_check/log" IDGEN_PRELOADS="$sandbox/preloads" PGPORT=65432 \
        PGCTLTIMEOUT=600 PG_TEST_TIMEOUT_DEFAULT=600 \
        prove --verbose --merge "$@"
}

# Leaves nothing behind and nothing running, however often it is asked to end meanwhile.
remove_sandbox() {
    trap '' INT TERM HUP
    [ -n "${sandbox:-}" ] || return 0
    [ ! -f "$sandbox/data/postmaster.pid" ] || inside pg_ctl -w -s -m immediate stop >/dev/null 2>&1 || true
    end_processes
    rm -rf "$sandbox"
    sandbox=
}

# Kills what still runs a program of the sandbox, such as a server that had no time to write its postmaster.pid.
end_processes() {
    local exe pids
    while pids= && for exe in /proc/[0-9]*/exe; do
        case $(readlink "$exe") in "$sandbox"/*) exe=${exe%/exe} && pids="$pids ${exe#/proc/}" ;; esac
    done && [ -n "$pids" ]; do
        kill -9 $pids 2>/dev/null || true
        sleep 0.1
    done
}

# A sandbox that stays for the next run, with what was built in it. There is one for each folder that a tree stands in, below
# /var/tmp/idgen.UID. It begins again if the server, a compiler or the flags of a build have changed.
keep_sandbox() {
    local folder
    folder=/var/tmp/idgen.$(id -u)
    mkdir -m 755 "$folder" 2>/dev/null || { [ -O "$folder" ] && [ ! -L "$folder" ]; } ||
        { echo "$folder belongs to somebody else" >&2; return 1; }
    find_sandbox "$folder/$(cksum <<<"$here" | cut -d ' ' -f 1)"
    exec 4>"$sandbox.lock"
    flock -n 4 || { echo "waiting for another run in this tree" && flock 4; }
    local versions
    versions=$(dpkg-query -W "postgresql-$major*" "postgresql-server-dev-$major" g++ clang && cksum Makefile */house.mk test/*/Makefile test/core.mk registry/walks/*/Makefile &&
        echo "COPT=${COPT:-} BUILD=${BUILD:-}")
    end_processes
    forget_last_run
    if [ "$(cat "$sandbox/versions" 2>/dev/null)" != "$versions" ]; then
        rm -rf "$sandbox"
        fill_sandbox && echo "$versions" >"$sandbox/versions" || return 1
    else
        fill_tree
    fi
}

# Removes all that a run leaves behind but the objects that make knows how to renew: a source that is gone would go unnoticed in
# what was linked or installed.
forget_last_run() {
    rm -rf "$sandbox/data" "$sandbox/log" "$sandbox/tmp_check" "$sandbox/preloads" "$sandbox/copy"
    rm -f "$sandbox"/src/*.so "$sandbox"/src/{test,registry/walks}/*/build/{core_tests,memory,sim,lease,walk} \
        "$sandbox/usr/lib/postgresql/$major"/{lib/idgen*.so,bin/idgen-setup} "$sandbox/usr/share/postgresql/$major/extension"/idgen*
}

leave_sandbox() {
    trap '' INT TERM HUP
    [ -n "${sandbox:-}" ] || return 0
    remove_server >/dev/null 2>&1
    end_processes
}
