"""Instructions that a program's libraries execute inside one of its functions, counted by callgrind."""

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


def count(program, arguments, function):
    """What was counted, and what valgrind said."""
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/out"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", f"--toggle-collect={function}", program]
        done = subprocess.run(command + arguments, capture_output=True, text=True)
        if done.returncode != 0 or not os.path.exists(out):
            return None, done.stderr
        return outside(out, program), done.stderr
