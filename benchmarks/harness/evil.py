"""Small servers that misbehave in one way each, for the self-test of the load generator."""

import contextlib
import socket
import socketserver
import threading
import time

GOOD = b"HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello, World!"


class Requests:
    """The stream of a connection, cut at blank lines."""

    def __init__(self, connection):
        self._connection = connection
        self._rest = b""

    def next(self):
        while b"\r\n\r\n" not in self._rest:
            data = self._connection.recv(65536)
            if not data:
                return False
            self._rest += data
        self._rest = self._rest.partition(b"\r\n\r\n")[2]
        return True


def http(answers):
    """A server that gives the answers in turn on each connection, the last of them for ever."""

    def serve(connection):
        requests = Requests(connection)
        count = 0
        while requests.next():
            connection.sendall(answers[min(count, len(answers) - 1)])
            count += 1

    return serve


def large(body, cut=1 << 20):
    """A server of one large body, sent in pieces of so many bytes."""
    head = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body)

    def serve(connection):
        requests = Requests(connection)
        while requests.next():
            whole = head + body
            for at in range(0, len(whole), cut):
                connection.sendall(whole[at : at + cut])

    return serve


def http_byte_by_byte(connection):
    requests = Requests(connection)
    while requests.next():
        for i in range(len(GOOD)):
            connection.sendall(GOOD[i : i + 1])


def http_closing(connection):
    requests = Requests(connection)
    if requests.next():
        connection.sendall(GOOD)


def echo(change):
    """An echo server that sends `change(number of the read, data)` back."""

    def serve(connection):
        count = 0
        while data := connection.recv(65536):
            connection.sendall(change(count, data))
            count += 1

    return serve


class Stalling:
    """Answers at once, but all connections stand still one time, from the given request on."""

    def __init__(self, after, seconds):
        self._after = after
        self._seconds = seconds
        self._count = 0
        self._lock = threading.Lock()

    def __call__(self, connection):
        requests = Requests(connection)
        while requests.next():
            with self._lock:
                self._count += 1
                if self._count == self._after:
                    time.sleep(self._seconds)
            connection.sendall(GOOD)


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        """A client that leaves in the middle is what these servers are for."""


@contextlib.contextmanager
def serving(serve):
    """Runs the server in threads; gives an object with the fields that the load commands use."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with contextlib.suppress(OSError):
                serve(self.request)

    with _Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield Target(f"127.0.0.1:{server.server_address[1]}")
        finally:
            server.shutdown()
            thread.join()


class Target:
    def __init__(self, address):
        self.name = "evil server"
        self.address = address

    def pids(self):
        return []
