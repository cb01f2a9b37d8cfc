# A sandbox that stays for the next run, with what was built in it: sourced by tools/test if QUICK is set.
#
# There is one for each folder that a tree stands in, below /var/tmp/idgen.UID. It begins again if the server, a compiler or
# the flags of a build have changed.

keep_sandbox() {
    local folder
    folder=/var/tmp/idgen.$(id -u)
    mkdir -m 755 "$folder" 2>/dev/null || { [ -O "$folder" ] && [ ! -L "$folder" ]; } ||
        { echo "$folder belongs to somebody else" >&2; return 1; }
    find_sandbox "$folder/$(cksum <<<"$here" | cut -d ' ' -f 1)"
    exec 4>"$sandbox.lock"
    flock -n 4 || { echo "waiting for another run in this tree" && flock 4; }
    local versions
    versions=$(dpkg-query -W "postgresql-$major" "postgresql-server-dev-$major" g++ clang && cksum Makefile */house.mk test/*/Makefile test/core.mk registry/walks/*/Makefile &&
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
    rm -f "$sandbox"/src/*.so "$sandbox"/src/{test,registry/walks}/*/build/{core_tests,sim,lease,walk} \
        "$sandbox/usr/lib/postgresql/$major/lib"/idgen*.so "$sandbox/usr/share/postgresql/$major/extension"/idgen*
}

leave_sandbox() {
    trap '' INT TERM HUP
    remove_server >/dev/null 2>&1
    end_processes
}

# The sources of src that differ from the main branch, or from the last commit if there is no other; all if there is no
# git. For a header, a source that includes it, as the build noted.
changed_units() {
    local base file
    base=$({ git merge-base HEAD origin/HEAD || git merge-base HEAD origin/main || git merge-base HEAD main || git rev-parse HEAD; } 2>/dev/null) ||
        { find src js/wasm -name '*.cpp'; return; }
    { git diff --name-only --diff-filter=d "$base" -- src js/wasm && git ls-files --others --exclude-standard src js/wasm; } | while read -r file; do
        case $file in
            *.cpp) echo "$file" ;;
            *.hpp) (cd "$sandbox/src" && grep -rlF --include='*.d' "$file" src | sort | sed -n '1s/d$/cpp/p') ;;
        esac
    done | sort -u
}
