#!/usr/bin/env bash
# Line coverage of the core by the C and C++ tests and the examples: coverage.sh [LEAST-PERCENT]
# Writes build/coverage/report.txt, by file, and build/coverage/missed.txt, the lines that no test reaches (CONTRIBUTING.md explains them).
set -euo pipefail
cd "$(dirname "$0")/.."
least=${1:-95}
scripts/build.sh coverage
cd build/coverage
rm -rf profiles
mkdir profiles
LLVM_PROFILE_FILE=$PWD/profiles/%p-%m.profraw ctest --output-on-failure --timeout 300 --repeat until-pass:2 -j "${JOBS:-2}" -LE 'abi|stress|nosan' | tail -5
tools=$(dirname "$(readlink -f "$(command -v swiftc)")")
"$tools/llvm-profdata" merge --sparse --failure-mode=all profiles/*.profraw -o core.profdata
"$tools/llvm-cov" report libweaktimer.so --instr-profile core.profdata >report.txt
"$tools/llvm-cov" export libweaktimer.so --instr-profile core.profdata --format=lcov |
    awk -F '[:,]' '/^SF:/ { file = $0; sub(/^SF:.*Sources/, "Sources", file) } /^DA:/ && $3 == 0 { print file ":" $2 }' >missed.txt
cat report.txt
percent=$(awk '$1 == "TOTAL" { gsub("%", "", $10); print $10 }' report.txt)
echo "coverage: $percent % of the core's lines, $(wc -l <missed.txt) lines missed (build/coverage/missed.txt)"
awk -v percent="$percent" -v least="$least" 'BEGIN { exit !(percent >= least) }' || { echo "coverage: below $least %" >&2; exit 1; }
