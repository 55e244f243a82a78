"""What the shared library itself weighs: bytes when stripped, what it needs, how long it takes to load."""

import os
import re
import statistics
import subprocess
import tempfile

LOADS = 51


def measure(path, programs):
    if not path or not os.path.exists(path):
        return {}
    with tempfile.TemporaryDirectory() as folder:
        stripped = f"{folder}/libweaktimer.so"
        subprocess.run(["strip", "-o", stripped, path], check=True)
        dynamic = subprocess.run(["readelf", "-d", stripped], capture_output=True, text=True, check=True).stdout
        loads = [float(subprocess.run([f"{programs}/load", stripped], capture_output=True, text=True, check=True).stdout)
                 for _ in range(LOADS)]
        return {"stripped_bytes": os.path.getsize(stripped), "load_us": statistics.median(loads),
                "needs": " ".join(re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic))}
