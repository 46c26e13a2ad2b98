#!/usr/bin/env python3
"""Slow clients of slowhttptest against examples/tools/testbed, and what others notice of them.

usage: slowhttp.py TESTBED [--connections N] [--seconds S] [MODE...]

In each mode so many clients send their heads or content in drops, ask for very many ranges, or take
their answers in drops. Meanwhile another client asks for small things, over connections that are kept
and over new ones, and must be answered within the deadline each time. Ends with 0 when it was.
"""

import argparse
import contextlib
import os
import re
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples"))

from driver import Server  # noqa: E402

DEADLINE_SECONDS = 1.0
PAUSE_SECONDS = 0.01
# Descriptors of a process that are no connections.
RESERVED = 200

# What slowhttptest is told in each mode, and the target that it asks for.
MODES = {
    "headers": (["-H", "-i", "5", "-x", "24"], "/"),
    "body": (["-B", "-i", "5", "-s", "8192", "-x", "10"], "/"),
    "range": (["-R", "-a", "5", "-b", "3000"], "/large"),
    "read": (["-X", "-w", "256", "-y", "512", "-n", "1", "-z", "32", "-k", "3"], "/large"),
}


class Ordinary(threading.Thread):
    """A client that asks and notes how long each answer took; None for one that never came whole."""

    def __init__(self, port, keep):
        super().__init__(daemon=True)
        self.took = []
        self._port = port
        self._keep = keep
        self._over = threading.Event()
        self._peer = None

    def run(self):
        while not self._over.wait(PAUSE_SECONDS):
            begin = time.monotonic()
            whole = self._ask()
            self.took.append(time.monotonic() - begin if whole else None)
            if not (self._keep and whole):
                self._close()
        self._close()

    def finish(self):
        self._over.set()
        self.join()

    def _close(self):
        if self._peer is not None:
            self._peer.close()
            self._peer = None

    def _ask(self):
        try:
            if self._peer is None:
                self._peer = socket.create_connection(("127.0.0.1", self._port), timeout=30)
            self._peer.sendall(b"GET /small HTTP/1.1\r\nHost: a\r\n\r\n")
            answer = b""
            while not answer.endswith(b"\r\n\r\nsmall"):
                piece = self._peer.recv(65536)
                if not piece:
                    return False
                answer += piece
            return answer.startswith(b"HTTP/1.1 200 ")
        except OSError:
            return False


def slow_clients(mode, port, connections, seconds):
    """Runs slowhttptest to its end; returns the most connections that it had open at once, of those
    that it tells every five seconds, and how it ended."""
    arguments, target = MODES[mode]
    command = ["slowhttptest", *arguments, "-c", str(connections), "-r", str(max(1, connections // 2))]
    command += ["-l", str(seconds), "-t", "POST" if mode == "body" else "GET"]
    command += ["-u", f"http://127.0.0.1:{port}{target}"]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds + 120, check=False
    )
    text = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)
    counts = [int(n) for n in re.findall(r"connected:\s+(\d+)", text)]
    ended = re.search(r"Test ended on (\d+)\w+ second\s+Exit status: (.*)", text)
    if not counts or not ended:
        sys.exit(f"slowhttptest did not run:\n{text[-2000:]}")
    return max(counts), f"{ended[1]} s: {ended[2].strip().lower()}"


def run_mode(mode, program, root, connections, seconds):
    """Prints the row of the table; returns whether everybody was served in time."""
    with Server(program, "--root", root, option=("--listen",), stderr=subprocess.DEVNULL) as server:
        clients = [Ordinary(server.port, keep) for keep in (True, False)]
        for each in clients:
            each.start()
        held, ended = slow_clients(mode, server.port, connections, seconds)
        for each in clients:
            each.finish()
        took = [each for client in clients for each in client.took]
    lost = sum(1 for each in took if each is None)
    times = sorted(each for each in took if each is not None) or [float("inf")]
    late = sum(1 for each in times if each > DEADLINE_SECONDS)
    figures = [each * 1000 for each in (times[len(times) // 2], times[int(len(times) * 0.99)], times[-1])]
    print(
        f"{mode:8} {held:8} {len(took):9} {lost:5} {late:5} {figures[0]:8.2f} {figures[1]:8.2f} {figures[2]:8.2f}"
        f"   {ended}",
        flush=True,
    )
    return lost == 0 and late == 0


def raise_descriptor_limit(wanted):
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < wanted:
        sys.exit(f"{wanted} descriptors are needed, {hard} may be had: ulimit -Hn")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("modes", nargs="*", metavar="MODE", help=f"one of {', '.join(MODES)}; all")
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=25)
    arguments = parser.parse_intermixed_args()
    unknown = [each for each in arguments.modes if each not in MODES]
    if unknown:
        parser.error(f"there is no mode {unknown[0]}")
    if shutil.which("slowhttptest") is None:
        sys.exit("slowhttptest is not installed: ./dev packages conformance")
    raise_descriptor_limit(arguments.connections + RESERVED)
    everybody = True
    with contextlib.ExitStack() as stack:
        root = stack.enter_context(tempfile.TemporaryDirectory(prefix="rill-slowhttp-"))
        for name, text in (("small", b"small"), ("large", b"x" * 1_000_000)):
            with open(os.path.join(root, name), "wb") as file:
                file.write(text)
        print(f"{arguments.connections} slow clients; others have {DEADLINE_SECONDS:g} s for each answer")
        print("mode     at once  requests  lost  late   p50 ms   p99 ms   max ms   slow clients ended after")
        for mode in arguments.modes or MODES:
            served = run_mode(mode, arguments.program, root, arguments.connections, arguments.seconds)
            everybody = everybody and served
    return 0 if everybody else 1


if __name__ == "__main__":
    sys.exit(main())
