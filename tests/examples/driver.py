"""Starts an example, talks to it and stops it; what the example tests are written with.

Nothing here sleeps for a result: a server is ready when it answers, and a read ends by its deadline.
"""

import http.client
import os
import select
import signal
import socket
import subprocess
import sys
import time

# For a whole test; a sanitizer build on a busy machine is slow.
PATIENCE_SECONDS = 60


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """An example that listens. Ends it with SIGTERM, and wants exit code 0.

    `before` is what runs it, `option` what stands before the address, `process` how it is run: the
    arguments of Popen.
    """

    def __init__(self, program, *arguments, before=(), option=(), **process):
        self.port = free_port()
        command = [*before, program, *option, f"127.0.0.1:{self.port}", *arguments]
        self.process = subprocess.Popen(command, **process)

    def __enter__(self):
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            try:
                self.connect().close()
                return self
            except ConnectionRefusedError:
                pass
            try:
                # It has not come as far, or has ended: let it run, and ask again.
                code = self.process.wait(timeout=0.01)
            except subprocess.TimeoutExpired:
                continue
            raise AssertionError(f"it ended with {code} before it listened")
        self.process.kill()
        raise AssertionError("it does not listen")

    def __exit__(self, failure, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        if failure is None:
            assert code == 0, f"on SIGTERM it ended with {code}"

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_SECONDS)

    def ask(self, method, target, body=None, headers=None):
        """The status and the text of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        try:
            connection.request(method, target, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()


    def exchange(self, request):
        """All that comes back for these bytes, until the server ends the connection."""
        with self.connect() as peer:
            peer.sendall(request)
            got = b""
            while piece := peer.recv(65536):
                got += piece
            return got


class Lines:
    """Lines of a socket or of a pipe, as they come."""

    def __init__(self, source):
        self.source = source
        self.unread = b""

    def _more(self, end):
        left = max(0.0, end - time.monotonic())
        ready, _, _ = select.select([self.source], [], [], left)
        assert ready, f"nothing came; unread is {self.unread!r}"
        piece = os.read(self.source.fileno(), 65536)
        assert piece, f"it ended; unread is {self.unread!r}"
        self.unread += piece

    def next(self):
        end = time.monotonic() + PATIENCE_SECONDS
        while b"\n" not in self.unread:
            self._more(end)
        line, _, self.unread = self.unread.partition(b"\n")
        return line.decode()


def same(got, wanted):
    if got != wanted:
        sys.exit(f"got    {got!r}\nwanted {wanted!r}")


def output_of(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False, timeout=PATIENCE_SECONDS)
    same(done.returncode, 0)
    return done.stdout.decode()
