#!/usr/bin/env bash
# One virtual year, then one real hour of stress. `soak.sh [seconds] [days]`, from the root of the tree.
set -euo pipefail
cd "$(dirname "$0")/../.."
BUILD_TARGET=all scripts/build.sh test
build/test/Tests/stress/year "${2:-365}"
build/test/Tests/stress/stress "${1:-3600}"
