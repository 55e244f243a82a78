#!/usr/bin/env bash
# Sets the version in each place that says it, and tells what the SONAME has to do: bump_version.sh X.Y.Z
#
#   patch   nothing that a program can see has changed: bugs only
#   minor   functions, fields at the end of a struct, or enumerators were added: Tests/abi/diff.sh reports additions alone;
#           accept them with Tests/abi/diff.sh include build/abi --update. Programs linked before go on working.
#   major   anything else: SONAME, symbol version and Debian package name change with it, and programs are linked anew
set -euo pipefail
cd "$(dirname "$0")/.."

new=${1:-}
[[ $new =~ ^([0-9]+)\.([0-9]+)\.([0-9]+)$ ]] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
parts=("${BASH_REMATCH[@]:1}")
header=include/weaktimer.h
names=(MAJOR MINOR PATCH)
old=()
for name in "${names[@]}"; do
    old+=("$(sed -n "s/^#define WTM_VERSION_$name \([0-9]*\)$/\1/p" "$header")")
done
for i in 0 1 2; do
    sed -i "s/^#define WTM_VERSION_${names[i]} [0-9]*$/#define WTM_VERSION_${names[i]} ${parts[i]}/" "$header"
done
echo "version ${old[0]}.${old[1]}.${old[2]} -> $new in $header"

if [ "${parts[0]}" != "${old[0]}" ]; then
    sed -i "s/^WEAKTIMER_${old[0]} {/WEAKTIMER_${parts[0]} {/" cmake/weaktimer.map
    echo "symbol version WEAKTIMER_${old[0]} -> WEAKTIMER_${parts[0]} in cmake/weaktimer.map; the SONAME becomes libweaktimer.so.${parts[0]}"
    python3 Tests/abi/header.py bare "$header" >Tests/abi/baseline.h
    echo "the ABI baseline is today's header: adapt Tests/abi/layout.c and Sources/CWeakTimer/layout.c by hand"
fi
if ! grep -q "^## $new" CHANGELOG.md; then
    sed -i "0,/^## Unreleased.*/s//## Unreleased\n\n## $new/" CHANGELOG.md
    echo "CHANGELOG.md: what was unreleased is now under $new"
fi
echo "next: make test, then commit and tag"
