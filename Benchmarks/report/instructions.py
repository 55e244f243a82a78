"""Instructions per operation, by callgrind, at N = 100,000: those of the library and of libc for it, not the driver's own."""

import os
import pathlib
import shutil
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "Tests" / "budget"))

import counting

N = 100_000
OPERATIONS = ["schedule", "reschedule", "reschedule_later", "cancel", "fire_shuffled"]
PEERS = ["weaktimer-host", "limit-host", "libuv", "libev", "libevent"]


def measure(programs, quick, only):
    if not shutil.which("valgrind"):
        return {}
    result = {}
    for peer in PEERS[:2] if quick else PEERS:
        program = f"{programs}/bench-{peer}"
        if not os.path.exists(program) or (only and peer not in only):
            continue
        counts, _ = counting.count(program, ["instructions", f"n={N}"], OPERATIONS)
        result[peer] = {name: total / N for name, total in counts.items()}
    return result
