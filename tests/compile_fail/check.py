#!/usr/bin/env python3
"""Checks that a file compiles, and that each block of it that must not compile does not.

usage: check.py FILE -- COMPILER FLAGS...

A block starts with `#if MUST_NOT_COMPILE == N  // expect: regex`, where the regular expression
matches what both compilers say: failing for another reason is a failure of the test.
"""

import re
import subprocess
import sys


def compiles(command, path, number):
    return subprocess.run(
        [*command, f"-DMUST_NOT_COMPILE={number}", path], capture_output=True, text=True, check=False,
    )


def main():
    path, command = sys.argv[1], sys.argv[3:]
    with open(path, encoding="utf-8") as file:
        blocks = re.findall(r"^#if MUST_NOT_COMPILE == (\d+)\s*// expect: (.+)$", file.read(), re.M)
    if not blocks:
        print(f"{path} has no block `#if MUST_NOT_COMPILE == N  // expect: regex`")
        return 1
    failed = 0
    whole = compiles(command, path, 0)
    if whole.returncode != 0:
        print(f"{path} must compile without its blocks:\n{whole.stderr}")
        failed += 1
    for number, expected in blocks:
        done = compiles(command, path, number)
        if done.returncode == 0:
            print(f"{path}: block {number} compiles, and must not")
            failed += 1
        elif not re.search(expected.strip(), done.stderr):
            print(f"{path}: block {number} fails, but not with '{expected}':\n{done.stderr}")
            failed += 1
    print(f"{len(blocks) + 1 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
