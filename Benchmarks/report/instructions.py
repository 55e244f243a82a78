"""Instructions per operation, by callgrind, at N = 100,000: those of the library and of libc for it, not the driver's own."""

import os
import pathlib
import shutil
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "Tests" / "budget"))

import counting

N = 100_000
OPERATIONS = ["schedule", "reschedule", "reschedule_later", "cancel", "fire"]
PEERS = ["weaktimer-host", "limit-host", "libuv", "libev", "libevent"]


def measure(programs, quick, only):
    if not shutil.which("valgrind"):
        return {}
    result = {}
    for peer in PEERS[:2] if quick else PEERS:
        program = f"{programs}/bench-{peer}"
        if not os.path.exists(program) or (only and peer not in only):
            continue
        counts = {}
        for operation in OPERATIONS:
            total, _ = counting.count(program, ["instructions", f"n={N}"], f"measured_{operation}")
            if total:
                counts[operation] = total / N
        result[peer] = counts
    return result
