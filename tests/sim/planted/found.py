#!/usr/bin/env python3
"""Checks that a program with a planted fault is found out by a seed, which replays: found.py PROGRAM."""

import os
import re
import subprocess
import sys


def run(program, seed=None):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RILL_SEED")}
    if seed:
        environment["RILL_SEED"] = seed
    return subprocess.run([program], env=environment, capture_output=True, text=True, timeout=100)


def verdict(ended):
    """How it went wrong, without addresses."""
    lines = [line for line in ended.stderr.splitlines() if line.startswith("rill: ")]
    return ended.returncode, lines


def main():
    program = sys.argv[1]
    first = run(program)
    print(first.stderr)
    if first.returncode == 0:
        sys.exit("no seed has found the planted fault")
    seed = re.search(r"RILL_SEED=(\d+)", first.stderr)
    if not seed:
        sys.exit("it fails without naming its seed")
    again = run(program, seed.group(1))
    if verdict(again) != verdict(first):
        sys.exit(f"seed {seed.group(1)} does not do the same again:\n{again.stderr}")
    print(f"found by seed {seed.group(1)}, and again")


if __name__ == "__main__":
    main()
