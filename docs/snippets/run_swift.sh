#!/bin/sh
# Compiles the module WeakTimers and the Swift snippets against the library that was just built, and runs them:
# run_swift.sh <folder of the library> <folder to work in>
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
library=$1
work=$2
mkdir -p "$work"
cd "$work"
find "$root/Sources/WeakTimers" -name '*.swift' >sources
# shellcheck disable=SC2046 # the list has no blanks in its names
swiftc -swift-version 6 -parse-as-library -package-name WeakTimer -module-name WeakTimers -I "$root/Sources/CWeakTimer/include" \
    -wmo -emit-module -emit-object $(cat sources) -o WeakTimers.o
for snippet in "$root"/docs/snippets/*.swift; do
    name=$(basename "$snippet" .swift)
    swiftc -swift-version 6 -warnings-as-errors -parse-as-library -I . -I "$root/Sources/CWeakTimer/include" \
        "$snippet" WeakTimers.o -L "$library" -lweaktimer -Xlinker "-rpath=$library" -o "$name"
    "./$name"
done
