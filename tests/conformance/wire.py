"""Answers of HTTP/1.1, read from a socket and taken apart without leniency; for the conformance tests."""

import socket
import time

# For one answer; a sanitizer build on a busy machine is slow.
PATIENCE_SECONDS = 60


class Answer:
    """One answer: `status`, `fields` as pairs in their order with names in lower case, `body`."""

    def __init__(self, head, version):
        line, *rest = head.split(b"\r\n")
        assert line.startswith(version + b" ") and line[12:13] == b" " and line[9:12].isdigit(), line
        self.status = int(line[9:12])
        self.fields = []
        for each in rest:
            name, colon, value = each.partition(b": ")
            assert colon and name and not set(each) & set(b"\0\r\n"), each
            self.fields.append((name.lower(), value))
        self.body = b""

    def all(self, name):
        return [value for each, value in self.fields if each == name]

    def one(self, name):
        values = self.all(name)
        assert len(values) <= 1, (name, values)
        return values[0] if values else None


class Connection:
    """A connection that sends the bytes it is told to, and reads answers."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.unread = b""
        self.over = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, what, piece):
        """In pieces of that many bytes. A server that has refused may have closed: that is no failure."""
        try:
            for at in range(0, len(what), piece):
                self.socket.sendall(what[at : at + piece])
        except (BrokenPipeError, ConnectionResetError):
            pass

    def _more(self):
        piece = self.socket.recv(65536)
        self.unread += piece
        self.over = not piece
        return bool(piece)

    def _until(self, end):
        while end not in self.unread:
            assert self._more(), f"it ended within {self.unread!r}"
        got, _, self.unread = self.unread.partition(end)
        return got

    def _exactly(self, count):
        while len(self.unread) < count:
            assert self._more(), f"it ended within {self.unread!r}"
        got, self.unread = self.unread[:count], self.unread[count:]
        return got

    def _chunks(self):
        body = b""
        while size := int(self._until(b"\r\n"), 16):
            body += self._exactly(size)
            assert self._exactly(2) == b"\r\n"
        while self._until(b"\r\n"):  # trailers
            pass
        return body

    def read(self, head_only=False):
        """The next answer, or None where the connection has ended before it."""
        while b"\r\n\r\n" not in self.unread:
            if not self._more():
                assert not self.unread, self.unread
                return None
        answer = Answer(self._until(b"\r\n\r\n"), b"HTTP/1.1")
        length, coding = answer.one(b"content-length"), answer.one(b"transfer-encoding")
        assert not (length is not None and coding is not None), answer.fields  # RFC 9112 section 6.2
        no_body = answer.status < 200 or answer.status in (204, 304)
        assert not (no_body and coding), answer.fields  # section 6.1
        if head_only or no_body:
            pass
        elif coding is not None:
            assert coding == b"chunked", coding
            answer.body = self._chunks()
        elif length is not None:
            answer.body = self._exactly(int(length))
        else:
            assert answer.one(b"connection") == b"close", answer.fields
            while self._more():
                pass
            answer.body, self.unread = self.unread, b""
        return answer

    def end(self):
        """Ends this side of the stream."""
        self.socket.shutdown(socket.SHUT_WR)

    def wait_for_end(self):
        """Waits until the server has ended the connection, and wants nothing before."""
        begun = time.monotonic()
        while not self.over:
            assert not self._more(), self.unread
        return time.monotonic() - begun
