#!/usr/bin/env bash
# Configures and builds one flavour of the library under build/FLAVOUR: build.sh FLAVOUR [cmake argument ...]
# BUILD_TARGET in the environment builds that target alone.
set -euo pipefail
cd "$(dirname "$0")/.."

flavour=${1:?usage: build.sh embedded|demo|package|deb|test|asan|tsan|ubsan|coverage|fallback [cmake argument ...]}
shift
library_only=(-DWEAKTIMER_BUILD_TESTS=OFF -DWEAKTIMER_BUILD_EXAMPLES=OFF)
case $flavour in
embedded) options=("${library_only[@]}") ;;
package) options=("${library_only[@]}" -DCMAKE_INSTALL_LIBDIR=lib) ;;
deb)
    multiarch=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
    options=("${library_only[@]}" -DWEAKTIMER_DEBIAN=ON -DCMAKE_INSTALL_PREFIX=/usr "-DCMAKE_INSTALL_LIBDIR=lib/$multiarch")
    ;;
demo) options=(-DWEAKTIMER_BUILD_TESTS=OFF) ;;
test) options=(-DCMAKE_CROSSCOMPILING_EMULATOR=) ;;
asan) options=(-DWEAKTIMER_SANITIZE=address) ;;
tsan) options=(-DWEAKTIMER_SANITIZE=thread) ;;
ubsan) options=(-DWEAKTIMER_SANITIZE=undefined) ;;
coverage) options=(-DWEAKTIMER_COVERAGE=ON) ;;
fallback) options=(-DWEAKTIMER_FALLBACK=ON) ;;
*) echo "build.sh: no such flavour: $flavour" >&2; exit 2 ;;
esac

directory=build/$flavour
generator=()
if [ ! -e "$directory/CMakeCache.txt" ] && command -v ninja >/dev/null; then
    generator=(-G Ninja)
fi
log=$directory/configure.log
mkdir -p "$directory"
if ! cmake -S . -B "$directory" "${generator[@]}" "${options[@]}" "$@" >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
cmake --build "$directory" --parallel "${JOBS:-2}" ${BUILD_TARGET:+--target "$BUILD_TARGET"}
