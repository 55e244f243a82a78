#!/bin/sh
# Compiles the header with every compiler named, in every standard from C++17 on, with and without exceptions, all warnings being errors.
# Usage: matrix.sh <include directory> <compiler>...
set -eu
here=$(cd "$(dirname "$0")" && pwd)
include=$1
shift
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast -Wnon-virtual-dtor -Wcast-align -Werror'
tried=0
for compiler in "$@"; do
    for standard in c++17 c++20 c++23 gnu++17; do
        echo '' | "$compiler" -std=$standard -x c++ -fsyntax-only - 2>/dev/null || continue
        # The whole of the interface, by the test that uses most of it.
        "$compiler" -std=$standard $warnings -I"$include" -fsyntax-only "$here/start_forms.cpp"
        # What a result converts to, and what it does not: compilers differ in how they choose.
        "$compiler" -std=$standard $warnings -I"$include" -fsyntax-only "$here/errors.cpp"
        # From C++20 on, options by name.
        "$compiler" -std=$standard $warnings -I"$include" -fsyntax-only "$here/units/designated.cpp"
        tried=$((tried + 1))
        echo "$compiler $standard: clean"
    done
    "$compiler" -std=c++17 -fno-exceptions $warnings -I"$include" -fsyntax-only "$here/units/without_exceptions.cpp"
    "$compiler" -std=c++17 -fno-rtti $warnings -I"$include" -fsyntax-only "$here/units/other_unit.cpp"
done
test "$tried" -ge 3 || { echo "matrix.sh: no compiler here knows three standards" >&2; exit 1; }
