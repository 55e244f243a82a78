"""Instructions per operation, by callgrind, at N = 100,000."""

import re
import shutil
import subprocess
import tempfile

N = 100_000
OPERATIONS = ["schedule", "reschedule", "reschedule_later", "cancel", "fire"]
PEERS = ["weaktimer-host", "limit-host", "libuv", "libev", "libevent"]


def count(program, operation):
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out",
                   f"--toggle-collect=measured_{operation}", program, "instructions", f"n={N}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    found = re.search(r"Collected : (\d+)", done.stderr)
    return int(found.group(1)) / N if done.returncode == 0 and found else None


def measure(programs, quick, only):
    if not shutil.which("valgrind"):
        return {}
    peers = only or (PEERS[:2] if quick else PEERS)
    result = {}
    for peer in peers:
        if peer not in PEERS or not shutil.which(f"{programs}/bench-{peer}"):
            continue
        counts = {operation: count(f"{programs}/bench-{peer}", operation) for operation in OPERATIONS}
        result[peer] = {operation: value for operation, value in counts.items() if value}
    return result
