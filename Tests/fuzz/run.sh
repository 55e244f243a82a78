#!/bin/sh
# Fuzzes the library from the committed corpus: run.sh [seconds]. Inputs that fail are kept in build/fuzz/findings, new
# inputs of interest in build/fuzz/corpus; FUZZ_TRACE=1 fuzz_calls FILE tells what an input does.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-60}
build=build/fuzz
generator=
if [ ! -e "$build/CMakeCache.txt" ] && command -v ninja >/dev/null; then generator="-G Ninja"; fi
mkdir -p "$build"
# shellcheck disable=SC2086  # the generator is two words or none
cmake -S . -B "$build" $generator -DWEAKTIMER_FUZZ=ON -DWEAKTIMER_SANITIZE=address -DWEAKTIMER_BUILD_EXAMPLES=OFF \
    >"$build/configure.log" 2>&1 || { cat "$build/configure.log"; exit 1; }
cmake --build "$build" --parallel "${JOBS:-2}" --target fuzz_calls_run fuzz_garbage_run fuzz_calls fuzz_garbage >"$build/build.log" 2>&1 ||
    { cat "$build/build.log"; exit 1; }

# An uninstrumented library would be fuzzed blindly.
for symbol in __asan_ __sanitizer_cov_; do
    nm -D "$build/libweaktimer.so" | grep -q "U $symbol" || { echo "fuzz: error: the library has no $symbol: it is not instrumented"; exit 1; }
done

fuzz() { # NAME SECONDS LENGTH
    corpus=$build/corpus/$1
    findings=$build/findings
    mkdir -p "$corpus" "$findings"
    log=$build/$1.log
    if ! "$build/Tests/fuzz/fuzz_$1_run" -max_total_time="$2" -max_len="$3" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$findings/$1-" "$corpus" "Tests/fuzz/corpus/$1" >"$log" 2>&1; then
        grep -vE '^#[0-9]+.*(NEW|REDUCE|pulse)' "$log" | tail -n 80
        echo "fuzz: $1: FAILED, the input is in $findings"
        exit 1
    fi
    echo "fuzz: $1: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs in $2 s, $(ls "$corpus" | wc -l) kept, none failed"
}
fuzz calls $((seconds * 2 / 3)) 1500
fuzz garbage $((seconds - seconds * 2 / 3)) 1000
