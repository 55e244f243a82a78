#!/usr/bin/env bash
# All documentation: docs/build.sh [OUTPUT FOLDER]      (build/docs by default)
#   c/, cpp/      the headers of C and C++, by doxygen; a warning is an error
#   man/man3/     weaktimer(3) and a page for each group
#   swift/        the Swift modules, by the toolchain's docc, where they are
#   diagrams      docs/diagrams/*.dot become docs/img/*.svg, which are committed
# and the code blocks of the Markdown pages are compared with the files that they come from.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-build/docs}

need() { # COMMAND PACKAGE
    command -v "$1" >/dev/null 2>&1 && return 0
    command -v apt-get >/dev/null || { echo "docs: $1 is missing (Debian's package $2)" >&2; exit 1; }
    local root=() get=(env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o DPkg::Lock::Timeout=300) log
    [ "$(id -u)" = 0 ] || root=(sudo -n)
    log=$(mktemp)
    echo "docs: installing $2"
    if ! "${root[@]}" "${get[@]}" install --no-install-recommends "$2" >"$log" 2>&1; then
        "${root[@]}" "${get[@]}" update >"$log" 2>&1 || true
        "${root[@]}" "${get[@]}" install --no-install-recommends "$2" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
    fi
    rm -f "$log"
    hash -r
}

version() {
    sed -n 's/^#define WTM_VERSION_\(MAJOR\|MINOR\|PATCH\) \([0-9]*\)$/\2/p' include/weaktimer.h | paste -sd.
}

diagrams() {
    local dot
    for dot in docs/diagrams/*.dot; do
        dot -Tsvg "$dot" -o "docs/img/$(basename "$dot" .dot).svg"
    done
    echo "diagrams in docs/img"
}

headers() {
    rm -rf "$out/c" "$out/cpp" "$out/doxygen-man" "$out/man"
    mkdir -p "$out"
    export WEAKTIMER_DOCS_OUT=$out WEAKTIMER_VERSION
    WEAKTIMER_VERSION=$(version)
    doxygen docs/Doxyfile
    doxygen docs/Doxyfile.cpp
    # The first page is the one that tells of the whole.
    local first='<meta http-equiv="refresh" content="0; url=%s"><a href="%s">WeakTimer</a>\n'
    # shellcheck disable=SC2059 # the format is the page
    printf "$first" group__weaktimer.html group__weaktimer.html >"$out/c/index.html"
    # shellcheck disable=SC2059
    printf "$first" namespacewtm.html namespacewtm.html >"$out/cpp/index.html"
    python3 docs/man_pages.py "$out/doxygen-man/man3" "$out/man/man3"
    rm -rf "$out/doxygen-man"
    echo "the C header in $out/c/index.html, the C++ header in $out/cpp/index.html"
}

# The compiler writes what is public, with its comments, as symbol graphs; docc makes pages of them.
swift_module() {
    local module=$1 graphs=$out/symbol-graphs/$1
    rm -rf "$graphs" "$out/swift/$module"
    mkdir -p "$graphs" "$out/swift"
    local built
    built=$(swift build --show-bin-path)
    swift symbolgraph-extract -module-name "$module" -I "$built/Modules" -I Sources/CWeakTimer/include -I Sources/CPlatform \
        -target "$(swift -print-target-info | sed -n 's/.*"triple" *: *"\([^"]*\)".*/\1/p' | head -1)" \
        -minimum-access-level public -skip-synthesized-members -output-dir "$graphs" >"$out/docc-$module.log" 2>&1 || { cat "$out/docc-$module.log" >&2; exit 1; }
    local catalog=()
    [ -d "Sources/$module/$module.docc" ] && catalog=("Sources/$module/$module.docc")
    docc convert "${catalog[@]}" --warnings-as-errors --additional-symbol-graph-dir "$graphs" --fallback-display-name "$module" \
        --fallback-bundle-identifier "$module" --output-path "$out/swift/$module" >>"$out/docc-$module.log" 2>&1 || { cat "$out/docc-$module.log" >&2; exit 1; }
    echo "the Swift module $module in $out/swift/$module"
}

swift_modules() {
    command -v swift >/dev/null && command -v docc >/dev/null || { echo "no docc: the Swift modules are left out"; return; }
    local module log=$out/swift-build.log
    compgen -G 'Sources/WeakTimers/*.swift' >/dev/null || return 0
    swift build --target WeakTimersFoundation >"$log" 2>&1 || { tail -50 "$log" >&2; exit 1; }
    for module in WeakTimers WeakTimersFoundation; do swift_module "$module"; done
}

need dot graphviz
need doxygen doxygen
need python3 python3
diagrams
headers
swift_modules
python3 docs/check_snippets.py
