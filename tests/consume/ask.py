#!/usr/bin/env python3
"""Runs a server, asks it for / and stops it with SIGTERM. usage: ask.py PROGRAM"""

import http.client
import signal
import socket
import subprocess
import sys
import time

GREETING = "Hello, World!"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def ask(port, program):
    """The answer to GET /, as soon as the server listens; fails once it ended or 20 s have passed."""
    end = time.monotonic() + 20
    while True:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request("GET", "/")
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except ConnectionRefusedError:
            if program.poll() is not None or time.monotonic() > end:
                raise
            time.sleep(0.02)


def main():
    port = free_port()
    program = subprocess.Popen([sys.argv[1], f"127.0.0.1:{port}"])
    try:
        status, body = ask(port, program)
        assert (status, body) == (200, GREETING), (status, body)
        program.send_signal(signal.SIGTERM)
        assert program.wait(timeout=20) == 0, f"ended with {program.returncode} on SIGTERM"
    finally:
        if program.poll() is None:
            program.kill()


if __name__ == "__main__":
    main()
