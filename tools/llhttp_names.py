#!/usr/bin/env python3
"""Writes a header that gives every function of a private copy of llhttp a name of rill's own.

A program that links librill.a and an llhttp of its own would otherwise get whichever object comes
first, and the two may differ in the layout of their structures.

    llhttp_names.py OUTPUT SOURCE...
"""

import pathlib
import re
import sys

CALLED = re.compile(r"\b(llhttp_\w+)\s*\(")


def main(output, *sources):
    names = set()
    for source in sources:
        names.update(CALLED.findall(pathlib.Path(source).read_text()))
    lines = ["// Made by tools/llhttp_names.py.", "#pragma once", ""]
    lines += [f"#define {name} rill_private_{name}" for name in sorted(names)]
    pathlib.Path(output).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
