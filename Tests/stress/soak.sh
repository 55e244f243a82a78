#!/usr/bin/env bash
# One virtual year twice (a thousand timers checked to the nanosecond, and 100,000 of every kind with a balance sheet), then
# one real hour of stress: soak.sh [seconds] [days]
set -euo pipefail
cd "$(dirname "$0")/../.."
BUILD_TARGET=all scripts/build.sh test
build/test/Tests/stress/year "${2:-365}"
build/test/Tests/stress/soak_year "${2:-365}"
build/test/Tests/stress/stress "${1:-3600}"
