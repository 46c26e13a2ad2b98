#!/usr/bin/env python3
"""RFC 9112 over raw sockets: the rules of rfc9112_rules.py, against examples/tools/testbed.

usage: rfc9112_test.py TESTBED [NAME]     runs all, or the rules whose name holds NAME
       rfc9112_test.py --table            the rows of docs/conformance.md
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples"))

from driver import Server  # noqa: E402
from rfc9112_rules import AFTER, LAST, RULES, has  # noqa: E402
from wire import Connection  # noqa: E402


def run_case(port, case, piece):
    kind, request, wanted = case
    with Connection(port) as peer:
        if kind == "served":
            peer.send(request + LAST, piece)
            for check in wanted:
                check(peer.read(check.head_only))
            has(200, b"ok", x_target=b"/last?show", connection=b"close")(peer.read())
        elif kind == "refused":
            peer.send(request + AFTER, piece)
            answer = peer.read()
            assert answer is not None, "no answer"
            assert answer.status in (wanted if isinstance(wanted, tuple) else (wanted,)), answer.status
            assert answer.one(b"connection") == b"close", answer.fields
        elif kind == "ended":
            peer.send(request + AFTER, piece)
            for check in wanted:
                check(peer.read(check.head_only))
        else:
            peer.send(request, piece)
            peer.end()
            answer = peer.read()
            assert answer is None or answer.status >= 400, answer.status
        peer.wait_for_end()


# What is longer is sent in one piece and in two only: byte by byte it takes minutes.
LONGEST_IN_BYTES = 4000


def run(program, wanted):
    failed = count = 0
    with Server(program, option=("--listen",)) as server:
        for section, _, name, _, cases in RULES:
            if wanted not in name:
                continue
            for case in cases():
                short = len(case[1]) <= LONGEST_IN_BYTES
                for piece in (1 << 30, 1 if short else len(case[1]) // 2):
                    count += 1
                    try:
                        run_case(server.port, case, piece)
                    except (AssertionError, OSError) as why:
                        failed += 1
                        print(f"RFC 9112 {section}: {name}\n  {case[0]} {case[1][:200]!r}, pieces of {piece}\n  {why!r}")
    print(f"{len(RULES)} rules, {count} cases, {failed} failed")
    return 1 if failed or count == 0 else 0


def table():
    """The rows of docs/conformance.md."""
    for section, says, name, also, _ in RULES:
        yield f"| {section} | {says} | {name}{'; ' + also if also else ''} |"


def check_page():
    page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "conformance.md")
    with open(page, encoding="utf-8") as file:
        lines = set(file.read().splitlines())
    missing = [row for row in table() if row not in lines]
    for row in missing:
        print(f"docs/conformance.md has not: {row}")
    return 1 if missing else 0


if __name__ == "__main__":
    if sys.argv[1] == "--table":
        print("\n".join(table()))
    else:
        sys.exit(run(sys.argv[1], "".join(sys.argv[2:])) or check_page())
