#!/usr/bin/env bash
# Builds the consumers against an installed tree, and against the same tree moved elsewhere: run.sh SOURCE-ROOT WORK-FOLDER
# The C and C++ ones are built and run with no Swift on PATH.
set -euo pipefail
root=$(cd "${1:?usage: run.sh SOURCE-ROOT WORK-FOLDER}" && pwd)
mkdir -p "${2:?usage: run.sh SOURCE-ROOT WORK-FOLDER}"
work=$(cd "$2" && pwd)
here=$root/Tests/consumers
swiftc=$(command -v swiftc)
with_swift=$PATH

passed=0
report() { passed=$((passed + 1)); echo "  ok: $*"; }
fail() { echo "  FAILED: $*" >&2; exit 1; }

# PATH without any folder that has a Swift compiler in it.
without_swift() {
    local folder kept=
    local IFS=:
    for folder in $with_swift; do
        [ -e "$folder/swiftc" ] || kept=${kept:+$kept:}$folder
    done
    echo "$kept"
}

# needs_no_swift PROGRAM [LIBRARY FOLDER]: it runs, and nothing that it loads comes from Swift.
needs_no_swift() {
    LD_LIBRARY_PATH=${2:-} "$1" >/dev/null || fail "$1 does not run"
    ! LD_LIBRARY_PATH=${2:-} ldd "$1" 2>&1 | grep -E 'libswift|libFoundation|libdispatch|libBlocksRuntime' || fail "$1 loads a Swift library"
}

by_pkg_config() { # PREFIX NAME
    local prefix=$1 out=$work/pkg-config-$2 program flags static
    mkdir -p "$out"
    export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
    read -ra flags <<<"$(pkg-config --cflags --libs weaktimer)"
    read -ra static <<<"$(pkg-config --static --cflags --libs weaktimer)"
    cc "$here/consumer.c" "${flags[@]}" -o "$out/c_shared"
    c++ -std=c++17 "$here/consumer.cpp" "${flags[@]}" -o "$out/cpp_shared"
    cc -static "$here/consumer.c" "${static[@]}" -o "$out/c_static"
    c++ -std=c++17 -static "$here/consumer.cpp" "${static[@]}" -o "$out/cpp_static"
    for program in c_shared cpp_shared; do
        needs_no_swift "$out/$program" "$prefix/lib"
        report "cc + pkg-config, $program, $2 prefix"
    done
    for program in c_static cpp_static; do
        needs_no_swift "$out/$program"
        report "cc + pkg-config, $program, $2 prefix"
    done
}

by_find_package() { # PREFIX NAME
    local component out program
    for component in shared static; do
        out=$work/find-package-$component-$2
        rm -rf "$out"
        cmake -S "$here/find_package" -B "$out" -DCMAKE_PREFIX_PATH="$1" -DCOMPONENT=$component >"$work/log" 2>&1 ||
            { cat "$work/log"; fail "find_package, $component"; }
        cmake --build "$out" >"$work/log" 2>&1 || { cat "$work/log"; fail "find_package, $component"; }
        for program in consumer_c consumer_cpp; do
            needs_no_swift "$out/$program"
            report "CMake find_package, $program, $component, $2 prefix"
        done
    done
}

# A copy of what a build needs, below a path with spaces.
by_add_subdirectory() {
    local out=$work/add-subdirectory clone="$work/a clone with spaces" program library
    rm -rf "$out" "$clone"
    mkdir "$clone"
    cp -r "$root"/{CMakeLists.txt,cmake,include,Sources,LICENSE,README.md,CHANGELOG.md} "$clone"
    # Makefiles here, since the library's own builds use Ninja.
    cmake -S "$here/add_subdirectory" -B "$out" -G "Unix Makefiles" -DWEAKTIMER_DIR="$clone" -DWEAKTIMER_SWIFTC="$swiftc" \
        >"$work/log" 2>&1 || { cat "$work/log"; fail "add_subdirectory"; }
    cmake --build "$out" --parallel "${JOBS:-2}" >"$work/log" 2>&1 || { cat "$work/log"; fail "add_subdirectory"; }
    for library in weaktimer weaktimer_static; do
        for program in consumer_c consumer_cpp; do
            needs_no_swift "$out/${program}_$library"
            report "CMake add_subdirectory, $program, $library"
        done
    done
}

by_examples() { # PREFIX
    # The examples are a project of their own as well, for whoever has the installed library only.
    local out=$work/examples
    rm -rf "$out"
    cmake -S "$root/examples-c" -B "$out" -DCMAKE_PREFIX_PATH="$1" >"$work/log" 2>&1 || { cat "$work/log"; fail "the examples"; }
    cmake --build "$out" --parallel "${JOBS:-2}" >"$work/log" 2>&1 || { cat "$work/log"; fail "the examples"; }
    report "the examples, against the installed library"
}

by_installed_module() { # PREFIX
    # Swift may import the installed C module and link the shared library like any other.
    "$swiftc" -I "$1/include/weaktimer" -L "$1/lib" "$here/installed_module.swift" -o "$work/installed_module"
    LD_LIBRARY_PATH="$1/lib" "$work/installed_module" >/dev/null || fail "the installed module, from Swift"
    report "Swift, the installed C module"
}

by_swift_package() {
    local outside
    outside=$(mktemp -d)
    # shellcheck disable=SC2064
    trap "rm -rf '$outside'" EXIT
    cp -R "$here/swift/." "$outside/"
    mkdir -p "$outside/Sources/UsesC"
    cp "$here/consumer.c" "$outside/Sources/UsesC/main.c"
    export WEAKTIMER_PATH=$root
    swift build -c release -j "${JOBS:-2}" --package-path "$outside" >"$work/log" 2>&1 || { cat "$work/log"; fail "the Swift package"; }
    for program in UsesC UsesWeakTimers UsesFoundation UsesAsyncMain; do
        "$outside/.build/release/$program" || fail "$program"
        report "Swift package by path, $program"
    done
}

rm -rf "$work/prefix" "$work/moved"
cmake --install "$root/build/package" --prefix "$work/prefix" >/dev/null
PATH=$(without_swift)
if command -v swiftc >/dev/null; then fail "PATH still has a Swift compiler"; fi
by_pkg_config "$work/prefix" installed
by_find_package "$work/prefix" installed
mv "$work/prefix" "$work/moved"
by_pkg_config "$work/moved" moved
by_find_package "$work/moved" moved
by_examples "$work/moved"
by_add_subdirectory
PATH=$with_swift
by_installed_module "$work/moved"
by_swift_package
echo "consumers: $passed passed"
