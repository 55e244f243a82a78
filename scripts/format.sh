#!/usr/bin/env bash
# Formats the sources, or says what it would change: format.sh fix|lint
# Swift by the toolchain's own formatter; C and C++ by clang-format, in place only.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-} in
fix)
    scripts/setup.sh format
    swift format format --in-place --recursive --parallel Package.swift Sources Tests
    git ls-files '*.c' '*.h' '*.cpp' '*.hpp' | grep -v '^Tests/abi/baseline.h$' | xargs -r clang-format -i
    ;;
lint)
    swift format lint --strict --recursive --parallel Package.swift Sources Tests
    ;;
*) echo "usage: format.sh fix|lint" >&2; exit 2 ;;
esac
