#!/usr/bin/env bash
# Compares the ABI of the header with that of the committed baseline: diff.sh INCLUDE-FOLDER WORK-FOLDER [--update]
# Both are compiled as stub libraries from their declarations. A difference is for a person to judge: an addition is
# accepted with --update, which makes today's header the baseline; anything else needs a new major version.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
include=${1:?usage: diff.sh INCLUDE-FOLDER WORK-FOLDER [--update]}
work=${2:?usage: diff.sh INCLUDE-FOLDER WORK-FOLDER [--update]}
mkdir -p "$work/baseline" "$work/today"

if [ "${3:-}" = --update ]; then
    python3 "$here/header.py" bare "$include/weaktimer.h" >"$here/baseline.h"
    echo "the baseline is now today's header"
fi
stub() { # HEADER FOLDER
    cp "$1" "$2/weaktimer.h"
    python3 "$here/header.py" stub "$2/weaktimer.h" >"$2/stub.c"
    cc -g -w -fPIC -shared "-I$2" "$2/stub.c" -Wl,-soname,libweaktimer.so -o "$2/libweaktimer.so"
}
stub "$here/baseline.h" "$work/baseline"
stub "$include/weaktimer.h" "$work/today"
if abidiff --no-show-locs "$work/baseline/libweaktimer.so" "$work/today/libweaktimer.so"; then
    echo "the ABI is that of the baseline"
else
    echo "the ABI differs from the baseline: see scripts/bump_version.sh" >&2
    exit 1
fi
