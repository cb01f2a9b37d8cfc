# The suite dates: the server's clock runs at other dates, moved by test/t/lib/offset_clock.cpp. Sourced by tools/test.
# Together they cover each state of bits 31 and 32 of the unix ms: 01, 00, 10, 11, 11.

# Each begins with what is special about it; then the TAP files that run there, beside pg_regress.
dates='
2026-12-20T12:00:00Z test/t/clocks/clock_steps kinds/t/order
2027-03-10T12:00:00Z test/t/clocks/clock_steps kinds/t/order
2028-02-29T12:00:00Z test/t/clocks/clock_steps test/t/setup/statistics
2038-01-19T03:14:00Z test/t/clocks/clock_steps test/t/setup/statistics kinds/t/hlc
2046-06-26T12:00:00Z test/t/clocks/clock_steps kinds/t/hlc
'

dates() {
    build_preloads || return 1
    remove_server
    regress_at_dates >"$sandbox/log/dates.regress" 2>&1 &
    local jobs=$! parity
    for parity in 0 1; do
        tap_at_dates $parity >"$sandbox/log/dates.tap.$parity" 2>&1 &
        jobs="$jobs $!"
    done
    local job status=0
    for job in $jobs; do wait "$job" || status=1; done
    cat "$sandbox"/log/dates.*
    remove_server
    return $status
}

# pg_regress at each date, on one server that lives through them all.
regress_at_dates() {
    local date files failed=0
    make_cluster 'autovacuum = off' || return 1
    while read -r date files; do
        [ -n "$date" ] || continue
        echo "pg_regress at $date"
        run_server_at "$date" || return 1
        inside make -s installcheck </dev/null || { failed=1; cat "$sandbox/src/regression.diffs"; }
        inside pg_ctl -w -s -m fast stop
    done <<<"$dates"
    return $failed
}

# Starts the cluster under a clock that begins at a date.
run_server_at() {
    echo "+$(($(date -d "$1" +%s) - $(date +%s)))" >"$sandbox/clock"
    run_server LD_PRELOAD="$sandbox/preloads/offset_clock.so" TEXT_CLOCK="$sandbox/clock"
}

# The TAP files of every other date, and with the first half what the year 2106 says.
tap_at_dates() {
    local parity=$1 number=0 date files failed=0
    while read -r date files; do
        [ -n "$date" ] || continue
        number=$((number + 1))
        [ $((number % 2)) = "$parity" ] || continue
        echo "TAP at $date"
        IDGEN_CLOCK=$(date -d "$date" +%s) test_folder=$sandbox/date$number \
            prove_inside $(printf '%s.pl ' $files) </dev/null || failed=1
    done <<<"$dates"
    [ "$parity" != 0 ] || test_folder=$sandbox/date2106 prove_inside test/dates/2106.pl || failed=1
    return $failed
}
