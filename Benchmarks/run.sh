#!/bin/sh
# Builds the peers' programs and runs the workloads. Installs Debian packages that are missing, quietly, when it may.
#   BENCH_QUICK=1   at most three minutes
#   BENCH_SWIFT=0   leaves the driver of the Swift API out
#   BENCH_INSTALL=0 installs nothing: peers whose packages are missing are left out
#   WEAKTIMER_PREFIX=DIR measures an installed library (DIR/include, DIR/lib) in place of the one in build/embedded
# The arguments go to report/run.py: --workloads operations,fire --peers weaktimer,limit --sizes 1e4 --runs 7 --largest
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
out=${BENCH_OUT:-$root/build/bench}
log=$out/setup.log
mkdir -p "$out"

packages="build-essential pkg-config valgrind libuv1-dev libevent-dev libev-dev libglib2.0-dev libboost-dev"
missing=
for package in $packages; do
    dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"
done
if [ -n "$missing" ] && [ "${BENCH_INSTALL:-1}" = 1 ]; then
    echo "installing:$missing"
    { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $missing; } >"$log" 2>&1 ||
        echo "could not install$missing (see $log): their peers are left out" >&2
fi

python=python3
if ! $python -c 'import matplotlib' 2>/dev/null; then
    if [ ! -x "$out/venv/bin/python" ] && [ "${BENCH_INSTALL:-1}" = 1 ]; then
        { python3 -m venv "$out/venv" && "$out/venv/bin/pip" install -q matplotlib; } >>"$log" 2>&1 ||
            DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends python3-matplotlib >>"$log" 2>&1 ||
            echo "could not install matplotlib (see $log): no plots" >&2
    fi
    for python in "$out/venv/bin/python" /usr/bin/python3 python3; do
        "$python" -c 'import matplotlib' 2>/dev/null && break
    done
fi

include=$root/include
library=${WEAKTIMER_LIB:-$root/build/embedded}
if [ -n "${WEAKTIMER_PREFIX:-}" ]; then
    include=$WEAKTIMER_PREFIX/include
    library=$(dirname "$(find "$WEAKTIMER_PREFIX" -name libweaktimer.so | head -n 1)")
elif [ ! -e "$library/libweaktimer.so" ]; then
    make -C "$root" lib
fi
make -s -C "$here" OUT="$out" WEAKTIMER_INCLUDE="$include" WEAKTIMER_LIB="$library"

# The Swift API's driver takes a minute or two to build: not in the quick mode, unless it has been built before.
swift_driver=${BENCH_SWIFT:-$([ "${BENCH_QUICK:-0}" = 1 ] && [ ! -e "$out/bench-swift" ] && echo 0 || echo 1)}
if [ "$swift_driver" = 1 ] && command -v swift >/dev/null; then
    if swift build -c release --package-path "$here/swift" --scratch-path "$out/swift" >>"$log" 2>&1; then
        cp "$out/swift/release/Bench" "$out/bench-swift"
    else
        echo "could not build the Swift driver (see $log): it is left out" >&2
    fi
fi

quick=
[ "${BENCH_QUICK:-0}" = 1 ] && quick=--quick
cd "$here/report"
PYTHONDONTWRITEBYTECODE=1 exec "$python" run.py --programs "$out" --library "$library/libweaktimer.so" --out "$out/results" $quick "$@"
