# What the scripts that make and try packages share: sourced by them.
. "$(dirname "${BASH_SOURCE[0]}")/roots.sh"
version=$(sed -n "s/^default_version = '\(.*\)'/\1/p" "$here/idgen.control")
packages=$here/build/deb
"$here/tools/packages" packaging || exit 1

# A root of a major's suite, made once, with further packages in it: make_kept NAME MAJOR [PACKAGE ...]. The file .made says which.
make_kept() {
    local name=$1 major=$2
    shift 2
    [ ! -e "$roots/$name.made" ] || [ "$(cat "$roots/$name.made")" != "$*" ] || return 0
    echo "making the root $name ..." >&2
    [ -e "$roots/$name.made" ] || make_major_root "$name" "$major" || return 1
    in_root "$name" DEBIAN_FRONTEND=noninteractive sh -c "apt-get update && apt-get install -y --no-install-recommends $*" \
        >>"$roots/$name.log" 2>&1 || { tail -n 20 "$roots/$name.log" >&2; return 1; }
    echo "$*" >"$roots/$name.made"
}

# The root in which what belongs to a major is built.
make_builder() {
    make_kept "build-$1" "$1" build-essential debhelper fakeroot libssl-dev libpq-dev libcurl4-openssl-dev postgresql-server-dev-all "postgresql-server-dev-$1"
}

# A clean root of a major's suite.
make_clean() {
    make_kept "clean-$1" "$1"
}

# The package of a major, made if it is not there, or of another commit.
need_package() {
    [ "$(cat "$packages/$1.commit" 2>/dev/null)" = "$(git -C "$here" rev-parse HEAD)" ] || MAJORS=$1 "$here/tools/deb" build
}

# test_that "what" command...: one line of TAP. $work is the caller's folder.
test_that() {
    local what=$1
    shift
    if "$@" >"$work/log" 2>&1; then echo "ok - $what"; else echo "not ok - $what"; sed 's/^/# /' "$work/log"; fi
}

# The sum of what test_that said.
sum() {
    tee "$work/tap"
    echo "$(grep -c '^ok ' "$work/tap") passed, $(grep -c '^not ok ' "$work/tap") failed"
}
