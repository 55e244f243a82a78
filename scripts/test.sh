#!/usr/bin/env bash
# Runs the test steps one after the other, whatever becomes of each, and tells at the end how they went:
#   test.sh all             every step
#   test.sh quick           the steps of `make check`
#   test.sh STEP ...        these (scripts/steps.sh has them)
# What a step prints goes to build/logs/STEP.log; its closing lines are shown, and all that matters when it fails.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=scripts/steps.sh
. scripts/steps.sh

case ${1:-all} in
all) steps=("${ALL_STEPS[@]}") ;;
quick) steps=("${QUICK_STEPS[@]}") ;;
*) steps=("$@") ;;
esac

mkdir -p build/logs
passed=0
failed=()
started=$SECONDS
number=0
for step in "${steps[@]}"; do
    if ! declare -F "step_$step" >/dev/null; then
        echo "test.sh: there is no step '$step': ${ALL_STEPS[*]}" >&2
        exit 2
    fi
    number=$((number + 1))
    log=build/logs/$step.log
    echo "== [$number/${#steps[@]}] $step: $(title "$step")"
    began=$SECONDS
    # A step runs in a process group of its own, so that its limit ends all that it started.
    if timeout --kill-after=10 "${STEP_LIMIT:-1200}" scripts/steps.sh "$step" >"$log" 2>&1 </dev/null; then
        passed=$((passed + 1))
        closing_lines "$log"
        echo "   ok, $((SECONDS - began)) s"
    else
        status=$?
        failed+=("$step")
        complaint "$log"
        [ "$status" != 124 ] || echo "   it took longer than ${STEP_LIMIT:-1200} s"
        echo "   FAILED, $((SECONDS - began)) s, see $log"
    fi
done

for step in "${failed[@]}"; do
    echo "-- $step failed:"
    gist "build/logs/$step.log"
done
echo
echo "$passed steps passed, ${#failed[@]} failed, in $((SECONDS - started)) s${failed:+: ${failed[*]}}"
[ ${#failed[@]} = 0 ]
