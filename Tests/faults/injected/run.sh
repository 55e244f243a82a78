#!/bin/sh
# Builds the library with fault injection and runs the tests that use it: run.sh, from anywhere.
set -eu
cd "$(dirname "$0")/../../.."
build=build/faults
generator=
if [ ! -e "$build/CMakeCache.txt" ] && command -v ninja >/dev/null; then generator="-G Ninja"; fi
mkdir -p "$build"
# shellcheck disable=SC2086  # the generator is two words or none
cmake -S . -B "$build" $generator -DWEAKTIMER_SWIFT_DEFINES=WTM_FAULTS -DWEAKTIMER_BUILD_EXAMPLES=OFF >"$build/configure.log" 2>&1 ||
    { cat "$build/configure.log"; exit 1; }
cmake --build "$build" --parallel "${JOBS:-2}" --target injected_refusals injected_clocks >"$build/build.log" 2>&1 ||
    { cat "$build/build.log"; exit 1; }
nm -D "$build/libweaktimer.so" | grep -q wtm_fault_inject || { echo "error: the library has no fault injection"; exit 1; }
"$build/Tests/faults/injected_refusals"
"$build/Tests/faults/injected_clocks"
