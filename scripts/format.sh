#!/usr/bin/env bash
# Formats the sources, or says what it would change: format.sh fix|lint
# Swift by the toolchain's own formatter, C and C++ by one version of clang-format from PyPI, since others disagree with it. That one is
# installed under build/ by `fix`; `lint` leaves C and C++ out where it is not.
set -euo pipefail
cd "$(dirname "$0")/.."

version=19.1.7
tools=build/tools/clang-format-$version

c_sources() { git ls-files -z '*.c' '*.h' '*.cpp' '*.hpp' ':!Tests/abi/baseline.h' ':!docs/Doxyfile.cpp'; }

case ${1:-} in
fix)
    scripts/setup.sh format
    if [ ! -x "$tools/bin/clang-format" ]; then
        echo "format: installing clang-format $version under build/"
        python3 -m venv "$tools"
        "$tools/bin/pip" install --quiet --disable-pip-version-check "clang-format==$version"
    fi
    swift format format --in-place --recursive --parallel Package.swift Sources Tests
    c_sources | xargs -0 -r "$tools/bin/clang-format" -i
    ;;
lint)
    swift format lint --strict --recursive --parallel Package.swift Sources Tests
    if [ -x "$tools/bin/clang-format" ]; then
        c_sources | xargs -0 -r "$tools/bin/clang-format" --dry-run -Werror
    else
        echo "lint: C and C++ are not looked at; make format installs clang-format $version"
    fi
    ;;
*) echo "usage: format.sh fix|lint" >&2; exit 2 ;;
esac
