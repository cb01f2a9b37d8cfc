# Throw-away Debian roots, for what this machine's own packages lack: sourced by the scripts beside it.
#
# They stay below $roots, outside the tree, for the next run. What a command mounts in one is mounted in a namespace of
# its own, and its processes have another: when it ends, however it ends, both are gone.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
roots=${XDG_CACHE_HOME:-$HOME/.cache}/idgen
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo

# The mirror of Debian that this machine's packages come from; DEBIAN_MIRROR says another.
debian_mirror() {
    {
        [ -z "${DEBIAN_MIRROR:-}" ] || echo "$DEBIAN_MIRROR/debian"
        cat /etc/apt/sources.list.d/*.sources | sed -n 's/^URIs: *\([^ ]*\).*/\1/p'
        cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list | sed -n 's/^deb \(\[[^]]*\] *\)\?\([^ ]*\).*/\2/p'
        true
    } 2>/dev/null | grep -m 1 -E '/debian/?$' ||
        { echo "no mirror of Debian among this machine's apt sources: name one's parent, DEBIAN_MIRROR=..." >&2; return 1; }
}

# make_root NAME SUITE [LINE ...]: makes a root of a suite; lines are further sources, "deb SUITE" or "deb-src SUITE".
# Standard input holds apt's preferences. A suite's list may be past its date, its signature is checked all the same.
# VARIANT is mmdebstrap's, and INCLUDE what is added to it. Nothing waits for the disk.
make_root() {
    local name=$1 root=$roots/$1 suite=$2 mirror line lines= include=${INCLUDE-make,perl,ca-certificates,procps}
    shift 2
    mirror=$(debian_mirror) || return 1
    for line in "deb $suite" "$@"; do lines="$lines${line% *} $mirror ${line##* } main"$'\n'; done
    mkdir -p "$roots" && $as_root rm -rf --one-file-system "$root" && cat >"$root.preferences" || return 1
    $as_root mmdebstrap --mode=root --variant="${VARIANT:-apt}" --keyring="$keyring" ${include:+--include="$include"} \
        --aptopt='APT::Install-Recommends "false"' --aptopt='Acquire::Check-Valid-Until "false"' --dpkgopt=force-unsafe-io \
        --setup-hook="mkdir -p \"\$1/etc/apt/preferences.d\" && cp '$root.preferences' \"\$1/etc/apt/preferences.d/idgen\"" \
        "$suite" "$root" - <<<"$lines" >"$root.log" 2>&1 || { tail -n 20 "$root.log" >&2; return 1; }
}

# make_major_root NAME MAJOR [deb-src]: makes a root of the suite that has a major of PostgreSQL, with the sources of that suite
# if asked for. Experimental has only 19, and what belongs to it.
make_major_root() {
    case $2 in
        15) make_root "$1" bookworm ${3:+"$3 bookworm"} </dev/null ;;
        17) make_root "$1" trixie ${3:+"$3 trixie"} </dev/null ;;
        18) make_root "$1" sid ${3:+"$3 sid"} </dev/null ;;
        19) make_root "$1" sid 'deb experimental' ${3:+"$3 experimental"} <<<$'Package: src:postgresql-19\nPin: release a=experimental\nPin-Priority: 900' ;;
        *) echo "no suite of Debian has PostgreSQL $2" >&2; return 1 ;;
    esac
}

# The root of a major that tests run in, with its packages.
make_major() {
    local major=$1
    [ ! -e "$roots/$major.made" ] || return 0
    echo "making a root for PostgreSQL $major ..."
    make_major_root "$major" "$major" && in_root "$major" PG_MAJOR="$major" /mnt/tools/packages major && in_root "$major" sh -c "$borrow_pgtap" pgtap "$major" &&
        touch "$roots/$major.made"
}

# pgTAP is only SQL: if there is no package for a major, the one before it will do.
borrow_pgtap='set -e
to=/usr/share/postgresql/$1/extension
[ ! -e "$to/pgtap.control" ] || exit 0
cd "$(mktemp -d)"
apt-get download -q -o APT::Sandbox::User=root "postgresql-$(($1 - 1))-pgtap"
dpkg-deb -x *.deb .
cp usr/share/postgresql/*/extension/pgtap* "$to"'

# Runs a command in a root as its superuser, with this tree at /mnt: in_root NAME [VARIABLE=VALUE ...] COMMAND...
in_root() {
    $as_root unshare --mount --pid --ipc --fork --kill-child \
        bash -c "$(declare -f enter_root); enter_root \"\$@\"" enter_root "$here" "$roots/$1" "${@:2}"
}

# The first process of the namespaces: a signal ends it only because it asks for it.
enter_root() {
    local tree=$1 root=$2
    shift 2
    trap 'exit 130' INT TERM HUP
    mount --bind -o ro "$tree" "$root/mnt" && mount -t proc proc "$root/proc" && mount -t tmpfs -o mode=1777 tmp "$root/tmp" &&
        mount -t tmpfs -o mode=1777 shm "$root/dev/shm" && mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$root/dev/pts" || return 1
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    printf '127.0.0.1 localhost\n::1 localhost\n' >"$root/etc/hosts"
    chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        ${http_proxy:+http_proxy="$http_proxy"} "$@"
}

remove_roots() {
    $as_root rm -rf --one-file-system "$roots"
}

# The same in a copy of the root, in memory: what the command does to it is gone with it.
in_copy() {
    $as_root unshare --mount --pid --ipc --fork --kill-child \
        bash -c "$(declare -f enter_root enter_copy); enter_copy \"\$@\"" enter_copy "$here" "$roots/$1" "${@:2}"
}

enter_copy() {
    local tree=$1 root=$2 layers=$2.layers
    shift 2
    mkdir -p "$layers" && mount -t tmpfs layers "$layers" && mkdir "$layers/upper" "$layers/work" "$layers/root" &&
        mount -t overlay -o "lowerdir=$root,upperdir=$layers/upper,workdir=$layers/work" root "$layers/root" || return 1
    enter_root "$tree" "$layers/root" "$@"
}

# Passes on what test commands print, each line "N passed, N failed" indented, and ends with the sum of them in such a line; before
# it what failed, again, since who keeps of a long log only its end. One that printed none counts as a failure. Returns 1
# unless all passed.
total() {
    perl -ne '
        BEGIN { $| = 1; $passed = $failed = 0 }
        if (/^(\d+) passed, (\d+) failed$/) { $lines++; $passed += $1; $failed += $2; print "    " }
        print;
        $comment = /^#/ && $comment ? $comment - 1 : 0;
        if (/^not ok|^\[  FAILED  \]|\.\.\. FAILED|\(Wstat: \d|^# died: |^\w+: \d+ passed, [1-9]\d* failed/) { $comment = 10; push @again, "  again: $_" }
        elsif ($comment) { push @again, "    $_" }
        END { $failed++ unless $lines; print splice(@again, 0, 60), "$passed passed, $failed failed\n"; $? = $failed || !$passed ? 1 : 0 }'
}
