"""Instructions that a program's libraries execute inside some of its functions, counted by callgrind."""

import os
import re
import subprocess
import tempfile

POSITION = re.compile(r"(\+|-|\*)?(\d+)? (\d+)$")


def outside(path, program):
    """The sum of self costs in all objects but the program, of a callgrind output file."""
    name, objects, current, total, is_call = os.path.basename(program), {}, "", 0, False
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            named = re.match(r"c?ob=\((\d+)\)(?: (.*))?$", line)
            if named:
                if named.group(2):
                    objects[named.group(1)] = named.group(2)
                if line.startswith("ob="):
                    current = objects[named.group(1)]
            elif line.startswith("calls="):
                is_call = True  # the next line is the callee's cost, which is counted where it arises
            elif POSITION.match(line):
                if not is_call and os.path.basename(current) != name:
                    total += int(line.split()[1])
                is_call = False
    return total


def count(program, arguments, names):
    """What was counted in each function measured_NAME, as far as the program came to it, and what valgrind said.

    All functions of that prefix must be named: what one counts is what came since the dump after the one before.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out"]
        command += ["--toggle-collect=measured_*"] + [f"--dump-after=measured_{name}" for name in names]
        done = subprocess.run(command + [program] + arguments, capture_output=True, text=True)
        counts = {}
        for name in os.listdir(folder):
            with open(f"{folder}/{name}", encoding="utf-8", errors="replace") as file:
                trigger = re.search(r"^desc: Trigger: --dump-after=measured_(\S+)", file.read(4000), re.M)
            if trigger:
                counts[trigger.group(1)] = outside(f"{folder}/{name}", program)
        return counts if done.returncode == 0 else {}, done.stderr
