#!/usr/bin/env python3
"""Sums what the test programs of a run counted, and prints `N passed, N failed` as the last line.

usage: tally.py FAILED_STAGES FOLDER

FOLDER holds meson's testlog.json of each test stage as NAME.json, and the logs of the others as
NAME.log. A doctest program counts its test cases, a script what its closing line says, anything
else is one test. A program that fails without counting a failure (a crash, a timeout) is one. What
was left out is named and counted, and is neither.
"""

import json
import os
import re
import sys

_DOCTEST = re.compile(r"\[doctest\] test cases:\s*\d+\s*\|\s*(\d+) passed\s*\|\s*(\d+) failed")
_UNITTEST = re.compile(r"^Ran (\d+) tests? in .*?\n\n(OK|FAILED)(?: \((.*)\))?", re.M)
_LEFT_OUT = re.compile(r"^left out: (.*)$", re.M)
_PLAIN = re.compile(r"^(?:\w+: )?(\d+) passed, (\d+) failed", re.M)


def counted(output):
    """(passed, failed) by the program's own words, or None when it counts nothing."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", output)
    for pattern in (_DOCTEST, _PLAIN):
        found = pattern.findall(text)
        if found:
            return sum(int(f[0]) for f in found), sum(int(f[1]) for f in found)
    found = _UNITTEST.search(text)
    if found:
        notes = dict(re.findall(r"(\w+)=(\d+)", found.group(3) or ""))
        failed = int(notes.get("failures", 0)) + int(notes.get("errors", 0))
        return int(found.group(1)) - failed - int(notes.get("skipped", 0)), failed
    return None


def of_meson(path):
    passed = failed = 0
    left_out = []
    with open(path, encoding="utf-8") as file:
        for line in filter(str.strip, file):
            test = json.loads(line)
            left_out += _LEFT_OUT.findall(test.get("stdout", ""))
            if test["result"] == "SKIP":
                left_out.append(test["name"])
                continue
            good = test["result"] in ("OK", "EXPECTEDFAIL")
            own = counted(test.get("stdout", "") + "\n" + test.get("stderr", "")) or (int(good), 0)
            passed += own[0]
            failed += own[1] if good or own[1] else 1
    return passed, failed, left_out


def main():
    stages_failed, folder = int(sys.argv[1]), sys.argv[2]
    passed = failed = 0
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        left_out = []
        if name.endswith(".json"):
            *own, left_out = of_meson(path)
        elif not os.path.exists(path[:-4] + ".json"):
            with open(path, encoding="utf-8", errors="replace") as file:
                own = counted(file.read()) or (0, 0)
        else:
            continue
        passed, failed = passed + own[0], failed + own[1]
        if tuple(own) != (0, 0):
            text = f"{name.rsplit('.', 1)[0]:14} {own[0]:6} passed {own[1]:4} failed"
            print(text + (f" {len(left_out):4} left out" if left_out else ""))
        for each in left_out:
            print(f"{'':14} left out: {each}")
    # A stage that failed without a failed test (a build, the lint) still fails the run.
    if stages_failed and not failed:
        failed = stages_failed
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or stages_failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
