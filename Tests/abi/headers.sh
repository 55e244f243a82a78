#!/usr/bin/env bash
# The header compiles without a warning in every language version that it promises: headers.sh INCLUDE-FOLDER CLANG-FOLDER
set -euo pipefail
include=${1:?usage: headers.sh INCLUDE-FOLDER CLANG-FOLDER}
PATH=$PATH:${2:?usage: headers.sh INCLUDE-FOLDER CLANG-FOLDER}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
strict=(-Wall -Wextra -Wpedantic -Werror -fsyntax-only "-I$include")
failures=0

# newest COMPILER LANGUAGE STANDARD OLDER-NAME: the name of the standard that this compiler knows
newest() {
    if "$1" "-std=$3" -x "$2" -fsyntax-only /dev/null 2>/dev/null; then echo "$3"; else echo "$4"; fi
}

try() { # COMPILER LANGUAGE STANDARD HEADER
    # Twice, since a header may be included twice; each initialiser macro is used.
    {
        printf '#include <%s>\n#include <%s>\n' "$4" "$4"
        if [ "$2" = c ]; then
            printf 'wtm_timer_options a = WTM_TIMER_OPTIONS_INIT;\nwtm_scheduler_options b = WTM_SCHEDULER_OPTIONS_INIT;\n'
            printf 'wtm_executor_ops c = WTM_EXECUTOR_OPS_INIT;\nwtm_weak_ops d = WTM_WEAK_OPS_INIT;\n'
            printf 'wtm_timer_info e = WTM_TIMER_INFO_INIT;\nwtm_scheduler_stats f = WTM_SCHEDULER_STATS_INIT;\n'
        fi
    } >"$work/source"
    if "$1" "-std=$3" "${strict[@]}" -x "$2" "$work/source"; then
        echo "  ok: $4, $1 -std=$3"
    else
        echo "  FAILED: $4, $1 -std=$3"
        failures=$((failures + 1))
    fi
}

for compiler in gcc clang; do
    for standard in c99 c11 c17 "$(newest $compiler c c23 c2x)"; do try $compiler c "$standard" weaktimer.h; done
done
for compiler in g++ clang++; do
    latest=$(newest $compiler c++ c++23 c++2b)
    for standard in c++11 c++14 c++17 c++20 "$latest"; do try $compiler c++ "$standard" weaktimer.h; done
    for standard in c++17 c++20 "$latest"; do try $compiler c++ "$standard" weaktimer.hpp; done
done
[ "$failures" = 0 ] || { echo "headers: $failures combinations failed" >&2; exit 1; }
