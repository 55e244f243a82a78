#!/bin/sh
# Checks the models: the stop protocol (protocol.pml), the lock (lock.pml) and waiting for an end (event.pml). usage: run.sh [check|mutations|long]
#   check      every interleaving of the small configurations (half a minute on an idle machine, under 1 GiB)
#   mutations  every BREAK_ switch of the model must be caught
#   long       larger configurations as well, as far as 16 GiB reach
set -eu
here=$(CDPATH= cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
cp "$here"/*.pml "$work"
cd "$work"

# build <model> <model switches> <compiler flags>: makes ./pan
build() {
    rm -f pan pan.*
    # shellcheck disable=SC2086  # the switches are several words
    spin -a $2 "$1.pml" >spin.log || { cat spin.log; exit 1; }
    # shellcheck disable=SC2086
    gcc -w $3 -DSAFETY -DNOFAIR -DCOLLAPSE -o pan pan.c
}

# verify <name> <MiB> <model switches> [model]: no error, and the search was not cut short
verify() {
    build "${4:-protocol}" "$3" "-O2 -DMEMLIM=$2"
    ./pan -m100000 >pan.log 2>&1 || true
    if ! grep -q 'errors: 0' pan.log || grep -qE 'MEMLIM|max search depth too small' pan.log; then
        echo "spin: $1 ($3): FAILED"
        grep -vE 'unreached|state [0-9]+,|Depth=' pan.log
        ./pan -r 2>/dev/null | tail -n 60
        exit 1
    fi
    echo "spin: $1: no error in $(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' pan.log) states"
}

# caught <switch>: the broken model must fail in one of the two configurations
caught() {
    model=protocol
    for other in lock event; do
        if grep -q "$1\$" $other.pml; then model=$other; fi
    done
    for configuration in "-DBOUND=1 -DHOOKS_DO_NOT_WAIT" ""; do
        build "$model" "-D$1 $configuration" "-O0 -DMEMLIM=1500"
        ./pan -m100000 >pan.log 2>&1 || true
        if grep -q 'errors: [1-9]' pan.log; then
            echo "spin: $1: caught: $(grep -m1 '^pan:1:' pan.log | cut -c8-110)"
            return 0
        fi
    done
    echo "spin: $1: NOT CAUGHT"
    return 1
}

case ${1:-check} in
check)
    verify "calls from callbacks and hooks" 1500 ""
    verify "bounded waits, one timer without the target" 1500 "-DTIMED -DBOUND=1 -DHOOKS_DO_NOT_WAIT"
    verify "a second turn" 1500 "-DTURNS_OF_FIRST=2 -DCALLS_IN_CALLBACK=0 -DHOOKS_DO_NOT_WAIT"
    verify "the lock, three threads" 1500 "" lock
    verify "the lock, two threads" 1500 "-DTHREADS=2 -DTURNS=4" lock
    verify "waiting for an end" 1500 "" event
    ;;
mutations)
    survivors=0
    for switch in $(grep -ohE 'ifn?def BREAK_[A-Z_]+' ./*.pml | sed 's/.* //' | sort -u); do
        caught "$switch" || survivors=$((survivors + 1))
    done
    [ "$survivors" -eq 0 ] || { echo "spin: $survivors mutations survive"; exit 1; }
    ;;
long)
    verify "calls from callbacks and hooks" 16000 ""
    verify "one timer without the target" 16000 "-DBOUND=1"
    verify "bounded waits everywhere" 16000 "-DTIMED"
    verify "two turns of the first thread" 16000 "-DTURNS_OF_FIRST=2 -DHOOKS_DO_NOT_WAIT"
    verify "the lock, three turns each" 16000 "-DTURNS=3" lock
    verify "the lock, four threads" 16000 "-DTHREADS=4 -DTURNS=1" lock
    verify "waiting for an end, three waiters" 16000 "-DWAITERS=3" event
    verify "two turns each, no calls from callbacks" 16000 "-DTURNS=2 -DCALLS_IN_CALLBACK=0 -DHOOKS_DO_NOT_WAIT"
    ;;
*)
    echo "usage: run.sh [check|mutations|long]" >&2
    exit 2
    ;;
esac
