#!/bin/sh
# Builds the library with yield points in its locks and explores schedules: run.sh [rounds] [seed] [scenario].
set -eu
cd "$(dirname "$0")/../.."
build=build/explore
generator=
if [ ! -e "$build/CMakeCache.txt" ] && command -v ninja >/dev/null; then generator="-G Ninja"; fi
mkdir -p "$build"
# shellcheck disable=SC2086  # the generator is two words or none
cmake -S . -B "$build" $generator -DWEAKTIMER_SWIFT_DEFINES=WTM_EXPLORE -DWEAKTIMER_BUILD_EXAMPLES=OFF >"$build/configure.log" 2>&1 ||
    { cat "$build/configure.log"; exit 1; }
cmake --build "$build" --parallel "${JOBS:-2}" --target explore >"$build/build.log" 2>&1 || { cat "$build/build.log"; exit 1; }
exec "$build/Tests/explore/explore" "$@"
