#!/usr/bin/env python3
"""Compares what two builds of sim_trace print, byte by byte: compare_traces.py PROGRAM PROGRAM."""

import subprocess
import sys


def main():
    first, second = [subprocess.run([program], capture_output=True, check=True, timeout=100).stdout for program in sys.argv[1:]]
    if not first.startswith(b"seed 1:"):
        sys.exit("the first program prints no trace")
    if first != second:
        for number, pair in enumerate(zip(first.splitlines(), second.splitlines()), 1):
            if pair[0] != pair[1]:
                sys.exit(f"line {number} differs:\n  {pair[0].decode()}\n  {pair[1].decode()}")
        sys.exit("one trace is the beginning of the other")
    print(f"{len(first)} bytes are the same")


if __name__ == "__main__":
    main()
