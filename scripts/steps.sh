#!/usr/bin/env bash
# The steps of scripts/test.sh, a function each. As a program it runs one: steps.sh STEP
# shellcheck disable=SC2034  # the lists are for test.sh
ALL_STEPS=(tools build c fallback asan tsan ubsan valgrind spin fuzz swift swift_tsan swift_asan consumers deb promises lint)
QUICK_STEPS=(tools build c_quick swift promises lint)
JOBS=${JOBS:-2}
export JOBS

title() {
    case $1 in
    tools) echo "install what is missing" ;;
    build) echo "Embedded Swift, shared and static library, tests and examples" ;;
    c) echo "C and C++ tests, examples, ABI, on the shipped library" ;;
    c_quick) echo "C and C++ tests and examples without the long ones" ;;
    fallback) echo "the same C tests on the fallback build (normal Swift, static runtime)" ;;
    asan) echo "C and C++ tests and examples under AddressSanitizer and LeakSanitizer" ;;
    tsan) echo "C and C++ tests and examples under ThreadSanitizer" ;;
    ubsan) echo "C and C++ tests and examples under UndefinedBehaviorSanitizer" ;;
    valgrind) echo "C tests and examples on the shipped library under valgrind memcheck" ;;
    spin) echo "the stop protocol's model, and the mutations that it must catch" ;;
    fuzz) echo "a minute of fuzzing from the committed corpus" ;;
    swift) echo "Swift package, debug" ;;
    swift_tsan) echo "Swift package under ThreadSanitizer" ;;
    swift_asan) echo "Swift package under AddressSanitizer and LeakSanitizer" ;;
    consumers) echo "programs and packages that use the installed library" ;;
    deb) echo "Debian packages: install, link, run, uninstall" ;;
    promises) echo "every promise and every field report is named by a test, every mutant applies" ;;
    lint) echo "formatting of the sources, code in the documentation" ;;
    esac
}

# What a passed step may say, and what is shown of a failed one.
closing_lines() {
    grep -hE '\*\*\*(Failed|Timeout|Exception)' "$1" | sed 's/^[[:space:]]*/   only when run again: /'
    grep -hE '% tests passed|Executed [0-9]+ tests?, with|Test run with|^(promises|field reports|mutation|consumers|spin|fuzz|lint): ' "$1" | sed 's/^[[:space:]]*/   /' |
        tail -12
}
complaint() {
    grep -nE 'error:|FAILED|Failed|\*\*\*|SUMMARY: |Assertion|not so:|No such' "$1" | head -40 | sed 's/^/   | /'
    echo "   | ... the end of it:"
    tail -40 "$1" | sed 's/^/   | /'
}
# The same in few lines, for the end of everything: of ctest's log what each failed test said, of another log its errors.
gist() {
    local failed
    failed=$(awk '/^ *Start +[0-9]+:|^ *[0-9]+\/[0-9]+ Test/ { left = 0 }
        /\*\*\*(Failed|Timeout|Exception|Not Run)|Subprocess aborted/ { left = 12 }
        left-- > 0 && NF' "$1" | cut -c -200 | head -40)
    [ -n "$failed" ] || failed=$(grep -nE 'error:|FAILED|SUMMARY: |ERROR: |Assertion|not so:|No such' "$1" | cut -c -200 | head -12)
    [ -n "$failed" ] || failed=$(tail -8 "$1" | cut -c -200)
    printf '%s\n' "$failed" | sed 's/^/   | /'
}

run_ctest() { # FOLDER [ctest argument ...]
    local folder=$1
    shift
    # Real-time tests have generous upper bounds, but a shared machine may stand still for longer: a test that fails is run once more,
    # and the log has both runs.
    (cd "build/$folder" && ctest --output-on-failure --no-tests=error --timeout 300 --repeat until-pass:2 -j "$JOBS" "$@")
}

step_tools() { scripts/setup.sh build test loops abi package model; }
step_build() { scripts/build.sh test; }
step_c() { run_ctest test; }
step_c_quick() { run_ctest test -LE 'stress|slow'; }
step_fallback() { scripts/build.sh fallback -DWEAKTIMER_BUILD_EXAMPLES=OFF && run_ctest fallback -L '^c$'; }

# An instrumented build proves nothing unless the library really is instrumented.
has_symbol() { # LIBRARY SYMBOL
    if ! nm -D "$1" | grep "$2" >/dev/null; then echo "error: $1 has no $2: it is not instrumented" && return 1; fi
}
step_asan() {
    scripts/build.sh asan && has_symbol build/asan/libweaktimer.so __asan_ &&
        ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1 run_ctest asan -LE 'abi|nosan'
}
step_tsan() {
    scripts/build.sh tsan && has_symbol build/tsan/libweaktimer.so __tsan_ &&
        TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1 run_ctest tsan -LE 'abi|nosan'
}
step_ubsan() {
    scripts/build.sh ubsan && UBSAN_OPTIONS=print_stacktrace=1 run_ctest ubsan -LE 'abi|nosan|stress'
}
# The programs of the plain build are run again, so only the tests' command lines are written anew, and then again.
# A program's own operator new stays its own (nouserintercepts): there are tests that count by it.
step_valgrind() {
    local memcheck="valgrind;--quiet;--error-exitcode=99;--leak-check=full;--errors-for-leak-kinds=definite,indirect"
    memcheck="$memcheck;--fair-sched=try;--soname-synonyms=somalloc=nouserintercepts"
    local status
    scripts/build.sh test "-DCMAKE_CROSSCOMPILING_EMULATOR=$memcheck" &&
        run_ctest test -LE 'abi|stress|slow|novalgrind' --timeout 600
    status=$?
    scripts/build.sh test && return $status
}
step_spin() { Tests/spin/run.sh check && Tests/spin/run.sh mutations; }
step_fuzz() { Tests/fuzz/run.sh 60; }

# The three kinds of Swift build keep folders of their own: each would otherwise rebuild everything.
step_swift() {
    swift build -j "$JOBS" --build-tests 2>&1 | tee build/logs/swift-build.txt
    [ "${PIPESTATUS[0]}" = 0 ] || return 1
    if grep -E '/(Sources|Tests)/.*warning: ' build/logs/swift-build.txt; then echo "error: the Swift sources compile with warnings" && return 1; fi
    swift test -j "$JOBS"
}
step_swift_tsan() { TSAN_OPTIONS=halt_on_error=1 swift test -j "$JOBS" --sanitize=thread --scratch-path build/swift-tsan; }
step_swift_asan() {
    LSAN_OPTIONS="suppressions=$PWD/Tests/lsan.supp:print_suppressions=0" \
        swift test -j "$JOBS" --sanitize=address --scratch-path build/swift-asan
}
step_consumers() { scripts/build.sh package && Tests/consumers/run.sh . build/consumers; }
step_deb() { make --no-print-directory deb && Tests/consumers/deb.sh . build/deb/packages build/deb-root; }
step_promises() { scripts/promises.py --check && scripts/field_reports.py --check && Tests/mutation/mutate.py --list | tail -n 1; }
step_lint() { scripts/format.sh lint && python3 docs/check_snippets.py && echo "lint: nothing to change"; }

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
    cd "$(dirname "$0")/.." || exit 1
    set -o pipefail
    "step_${1:?usage: steps.sh STEP}"
fi
