#!/usr/bin/env python3
"""Smoke runs of the examples: each does what its first lines say, and ends well when told to.

usage: examples_test.py NAME PROGRAM [HELPER_PROGRAM]
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

from driver import PATIENCE_SECONDS, Lines, Server, free_port, same
from other_libraries import database_query, name_lookup  # noqa: F401, found by name
from secured_servers import hello_tls  # noqa: F401, found by name


def wait_for(condition, process):
    """Waits until the condition holds while the process runs."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < end, "it does not come up"
        try:
            code = process.wait(timeout=0.01)
        except subprocess.TimeoutExpired:
            continue
        raise AssertionError(f"it ended with {code} before it listened")


def hello(program):
    with Server(program) as server:
        same(server.ask("GET", "/"), (200, "Hello, World!"))
        same(server.ask("GET", "/nothing")[0], 404)
    # All cores on one local address.
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "hello")
        server = subprocess.Popen([program, f"unix:{path}"])

        def answers():
            try:
                with socket.socket(socket.AF_UNIX) as client:
                    client.settimeout(PATIENCE_SECONDS)
                    client.connect(path)
                    client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                    got = b""
                    while piece := client.recv(4096):
                        got += piece
                    return got.endswith(b"Hello, World!")
            except (ConnectionRefusedError, FileNotFoundError):
                return False

        wait_for(answers, server)
        for _ in range(20):
            same(answers(), True)
        server.send_signal(signal.SIGTERM)
        same(server.wait(timeout=PATIENCE_SECONDS), 0)
        same(os.path.exists(path), False)


def path_parameters(program):
    with Server(program) as server:
        same(server.ask("GET", "/users/7?greet=Servus"), (200, "Servus, user 7!"))
        same(server.ask("GET", "/users/7"), (200, "Hello, user 7!"))
        same(server.ask("GET", "/users/me"), (200, "That is you."))
        same(server.ask("GET", "/users/seven")[0], 400)
        same(server.ask("GET", "/users/1001")[0], 404)
        same(server.ask("GET", "/echo/a/b%20c"), (200, "a/b c"))


def streamed_answer(program):
    with Server(program) as server:
        same(server.ask("GET", "/count?to=3"), (200, "1\n2\n3\n"))
        same(server.ask("GET", "/count?to=0"), (200, ""))


def server_events(program):
    with Server(program) as server:
        same(server.ask("GET", "/")[0], 200)
        with server.connect() as peer:
            peer.sendall(b"GET /events HTTP/1.1\r\nHost: x\r\nLast-Event-ID: 41\r\n\r\n")
            heard = Lines(peer)
            while heard.next() != "data: 42":
                pass
            while heard.next() != "data: 43":
                pass
            # An open stream ends by itself: one that had to be cut would make this a 1.
            server.process.send_signal(signal.SIGTERM)
            same(server.process.wait(timeout=PATIENCE_SECONDS), 0)


def ws_echo(program):
    def ask(peer, path):
        peer.sendall(b"GET " + path + b" HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n"
                     b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                     b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
                     b"\x81\x82\0\0\0\0hi\x88\x80\0\0\0\0")
        answer = b""
        while piece := peer.recv(4096):
            answer += piece
        return answer.partition(b"\r\n\r\n")[2]

    with Server(program) as server:
        with server.connect() as peer:
            same(ask(peer, b"/echo"), b"\x81\x02hi\x88\x00")
        with server.connect() as peer:
            same(ask(peer, b"/rooms/blue"), b"\x81\x0fyou are in blue\x81\x02hi\x88\x00")
        same(server.ask("GET", "/echo")[0], 426)


def upload(program):
    with tempfile.TemporaryDirectory(dir=os.getcwd()) as folder:
        content = "0123456789" * 500_000
        with Server(program, folder) as server:
            same(server.ask("PUT", "/files/a.txt", content), (200, "5000000 bytes\n"))
            with open(os.path.join(folder, "a.txt"), encoding="utf-8") as file:
                same(file.read() == content, True)
            same(server.ask("PUT", "/files/.hidden", "x")[0], 403)
            same(server.ask("PUT", "/files/..%2Fb", "x")[0], 403)
            # What breaks off leaves nothing.
            with server.connect() as client:
                client.sendall(b"PUT /files/b HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc")
            same(server.ask("PUT", "/files/c", ""), (200, "0 bytes\n"))
            same(sorted(os.listdir(folder)), ["a.txt", "c"])


def dictionary(program):
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    with Server(program) as server:
        same(server.ask("GET", "/check?name=rill"), (200, "no\n"))
        same(server.ask("POST", "/add", "name=rill", form), (200, "added\n"))
        same(server.ask("GET", "/check?name=rill"), (200, "yes\n"))
        plain = {"Content-Type": "text/plain"}
        same(server.ask("POST", "/add", "name=brook", plain), (200, "added\n"))
        same(server.ask("POST", "/add", "name=brook"), (200, "known\n"))
        same(server.ask("POST", "/add", "name=")[0], 400)
        same(server.ask("GET", "/check")[0], 400)
        same(server.ask("GET", "/add")[0], 405)


def file_server(program):
    with tempfile.TemporaryDirectory() as root:
        with open(os.path.join(root, "a.txt"), "w", encoding="utf-8") as file:
            file.write("text of a file")
        os.mkdir(os.path.join(root, "folder"))
        with Server(program, root) as server:
            same(server.ask("GET", "/a.txt"), (200, "text of a file"))
            status, page = server.ask("GET", "/")
            same(status, 200)
            assert 'href="a.txt"' in page and 'href="folder/"' in page, page
            same(server.ask("GET", "/../etc/passwd")[0] in (400, 404), True)
            same(server.ask("GET", "/missing")[0], 404)
        missing = subprocess.run(
            [program, "127.0.0.1:0", os.path.join(root, "missing")],
            stderr=subprocess.PIPE, check=False, timeout=PATIENCE_SECONDS,
        )
        same(missing.returncode, 1)
        assert b"missing" in missing.stderr, missing.stderr


def ws_testclient(program):
    # With a server it is run by tests/conformance/websocket.py.
    for arguments, wanted in ((), 2), (("ws://127.0.0.1:1",), 1), (("http://127.0.0.1/",), 1):
        run = subprocess.run([program, *arguments], stderr=subprocess.DEVNULL, check=False)
        same(run.returncode, wanted)


def testbed(program):
    def ask(server, start, content=b"", fields=b""):
        head = start + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + fields + b"\r\n"
        head, _, body = server.exchange(head + content).partition(b"\r\n\r\n")
        status, *lines = head.split(b"\r\n")
        same(status[:9], b"HTTP/1.1 ")
        return int(status[9:12]), dict(line.lower().split(b": ", 1) for line in lines), body

    def brief(server, *request):
        status, _, body = ask(server, *request)
        return status, body

    with tempfile.TemporaryDirectory() as root:
        os.mkdir(os.path.join(root, "sub"))
        with open(os.path.join(root, "sub", "a.txt"), "w", encoding="utf-8") as file:
            file.write("text of a file")
        for arguments in ((), ("--root", root)):
            with Server(program, *arguments, option=("--listen",)) as server:
                for start in (b"GET /", b"GET /any/path", b"DELETE /x", b"BREW /pot", b"GET /..%2Fx", b"GET /sub/"):
                    same(brief(server, start), (200, b"ok"))
                same(brief(server, b"HEAD /"), (200, b""))
                for start in (b"POST /x", b"PUT /sub/a.txt", b"BREW /", b"GET /with/content"):
                    same(brief(server, start, b"abc", b"Content-Length: 3\r\n"), (200, b"abc"))
                    chunks = (b"2\r\nab\r\n1\r\nc\r\n0\r\n\r\n", b"Transfer-Encoding: chunked\r\n")
                    same(brief(server, start, *chunks), (200, b"abc"))
                status, fields, body = ask(server, b"BREW /a%20b?show&x=1", b"", b"Accept: tea\r\n")
                same((status, body), (200, b"ok"))
                same(fields[b"x-method"], b"brew")
                same(fields[b"x-target"], b"/a%20b?show&x=1")
                same((fields[b"x-host"], fields[b"x-accept"]), (b"x", b"tea"))
                begun = time.monotonic()
                same(brief(server, b"GET /slow?ms=50"), (200, b"ok"))
                assert time.monotonic() - begun >= 0.05
                status, fields, body = ask(server, b"GET /stream?bytes=10&chunk=4")
                same(fields[b"transfer-encoding"], b"chunked")
                same(body, b"4\r\nxxxx\r\n4\r\nxxxx\r\n2\r\nxx\r\n0\r\n\r\n")
                same(brief(server, b"GET /stream?bytes=1&chunk=0")[0], 400)
                same(brief(server, b"GET /status/418")[0], 418)
                same(brief(server, b"GET /status/204"), (204, b""))
                same(brief(server, b"GET /status/99")[0], 400)
                status, fields, body = ask(server, b"GET /sse?count=2&ms=1", b"", b"Last-Event-ID: 7\r\n")
                same(fields[b"content-type"], b"text/event-stream")
                assert b"id: 8\ndata: 8\n\n" in body and b"id: 9\ndata: 9\n\n" in body, body
                wanted = b"text of a file" if arguments else b"ok"
                same(brief(server, b"GET /sub/a.txt"), (200, wanted))
                status, fields, body = ask(server, b"HEAD /sub/a.txt")
                same((status, int(fields[b"content-length"]), body), (200, len(wanted), b""))
                # The default limits of the library.
                same(brief(server, b"POST /", b"", b"Content-Length: 1048577\r\n")[0], 413)
                same(brief(server, b"GET /" + b"a" * 8192)[0], 414)
    same(subprocess.run([program], stderr=subprocess.DEVNULL, check=False).returncode, 2)


def tcp_echo(program):
    with Server(program) as server, server.connect() as peer:
        peer.sendall(b"one\n")
        same(Lines(peer).next(), "one")
        # A connection that stays open does not keep the server from ending.


def framed_echo(program):
    with Server(program) as server, server.connect() as peer:
        for message in (b"\0\5hello", b"\0\0", b"\1\0" + b"x" * 256):
            peer.sendall(message)
            got = b""
            while len(got) < len(message):
                piece = peer.recv(4096)
                assert piece, got
                got += piece
            same(got, message)
        peer.sendall(b"\xff\xff")  # more than a message may have: the connection ends
        same(peer.recv(1), b"")


def tcp_chat(program):
    with Server(program) as server:
        with server.connect() as ann, server.connect() as bob, server.connect() as cid:
            heard = {peer: Lines(peer) for peer in (ann, bob, cid)}

            def says(peer, line):
                peer.sendall(line.encode() + b"\n")

            # A name holds once a line of the same client has come back: lines are done in order.
            for peer, name in ((ann, "ann"), (bob, "bob"), (cid, "cid")):
                says(peer, f"={name}")
                says(peer, f"@{name} ready")
                same(heard[peer].next(), f"{name}: @{name} ready")
            for peer, name in ((ann, "ann"), (bob, "bob")):
                says(peer, "+tea")
                says(peer, f"@{name} in")
                same(heard[peer].next(), f"{name}: @{name} in")
            says(ann, "*to all")
            for peer in (ann, bob, cid):
                same(heard[peer].next(), "ann: *to all")
            says(ann, "#to the room")
            for peer in (ann, bob):
                same(heard[peer].next(), "ann: #to the room")
            says(ann, "@cid to one")
            same(heard[cid].next(), "ann: @cid to one")
            says(ann, "to the others")
            for peer in (bob, cid):
                same(heard[peer].next(), "ann: to the others")
            says(bob, "*last")
            for peer in (ann, bob, cid):
                same(heard[peer].next(), "bob: *last")
            ann.sendall(b"x" * 2000)  # a line without an end is not collected
            try:
                same(ann.recv(1), b"")
            except ConnectionResetError:
                pass  # closed with input unread


def tcp_client(program, echo):
    def run(*arguments):
        return subprocess.Popen(
            [program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )

    with Server(echo) as server:
        address = f"127.0.0.1:{server.port}"
        client = run(address)
        heard = Lines(client.stdout)
        client.stdin.write(b"start\none\n")
        same(heard.next(), "one")
        client.stdin.write(b"stop\n")
        same(heard.next(), "[ended]")
        client.stdin.write(b"start\ntwo\n")
        same(heard.next(), "two")
        client.stdin.write(b"close\n")
        same(heard.next(), "[ended]")
        client.stdin.write(b"start\nthree\n")
        same(heard.next(), "three")
        client.stdin.close()  # the end of the input ends the client once the server has ended too
        same(heard.next(), "[ended]")
        same(client.wait(timeout=PATIENCE_SECONDS), 0)

        client = run(address)
        heard = Lines(client.stdout)
        client.stdin.write(b"start\nfour\n")
        same(heard.next(), "four")
        client.send_signal(signal.SIGTERM)  # while it waits for a line
        same(client.wait(timeout=PATIENCE_SECONDS), 0)
    client = run(address)
    client.stdin.write(b"start\n")
    assert "refused" in Lines(client.stdout).next()
    client.stdin.close()
    same(client.wait(timeout=PATIENCE_SECONDS), 0)


def reconnecting_client(program):
    def accept(listener):
        listener.settimeout(PATIENCE_SECONDS)
        peer, _ = listener.accept()
        peer.settimeout(PATIENCE_SECONDS)
        same(Lines(peer).next(), "HELLO\r")
        return peer

    def until(heard, wanted):
        while not (line := heard.next()).startswith(wanted):
            assert line.startswith("["), line

    port = free_port()
    client = subprocess.Popen([program, f"127.0.0.1:{port}"], stdout=subprocess.PIPE, bufsize=0)
    heard = Lines(client.stdout)
    until(heard, "[failed")
    for line in (b"one\r\n", b"two\n"):  # it comes, goes and comes back
        with socket.create_server(("127.0.0.1", port)) as listener, accept(listener) as peer:
            peer.sendall(line)
            until(heard, line.decode().strip())
            listener.close()
        until(heard, "[lost")
        until(heard, "[failed")
    with socket.create_server(("127.0.0.1", port)) as listener, accept(listener):
        client.send_signal(signal.SIGTERM)  # while it is connected
        same(client.wait(timeout=PATIENCE_SECONDS), 0)


def udp_echo(program):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.bind(("127.0.0.1", 0))
        client.settimeout(0.05)
        address = ("127.0.0.1", free_port())
        server = subprocess.Popen([program, f"127.0.0.1:{address[1]}"])

        def answers():
            try:
                client.sendto(b"ping", address)
                return client.recv(100) == b"ping"
            except (ConnectionRefusedError, TimeoutError):
                return False

        wait_for(answers, server)
        server.send_signal(signal.SIGTERM)
        same(server.wait(timeout=PATIENCE_SECONDS), 0)


def local_echo(program):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "echo")
        server = subprocess.Popen([program, f"unix:{path}"], stdout=subprocess.PIPE)
        wait_for(lambda: os.path.exists(path), server)
        same(os.stat(path).st_mode & 0o777, 0o600)
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(PATIENCE_SECONDS)

            def connects():
                try:
                    client.connect(path)
                    return True
                except ConnectionRefusedError:
                    return False

            wait_for(connects, server)
            client.sendall(b"one\n")
            same(Lines(client).next(), "one")
            assert Lines(server.stdout).next().startswith(f"process {os.getpid()} of user")
        server.send_signal(signal.SIGTERM)
        same(server.wait(timeout=PATIENCE_SECONDS), 0)
        server.stdout.close()
        same(os.path.exists(path), False)


def nc(program, echo):
    def run(*arguments):
        return subprocess.Popen(
            [program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )

    def ends(*processes):
        for each in processes:
            each.stdin.close()
        for each in processes:
            same(each.wait(timeout=PATIENCE_SECONDS), 0)
            each.stdout.close()

    with Server(echo) as server:
        # The end of the input ends our side; what still comes back is printed.
        client = run("127.0.0.1", str(server.port))
        got, _ = client.communicate(b"x" * 100_000, timeout=PATIENCE_SECONDS)
        same((client.returncode, got), (0, b"x" * 100_000))
        closed = free_port()
        same(subprocess.run([program, "-z", "127.0.0.1", str(server.port)], check=False).returncode, 0)
        same(subprocess.run([program, "-z", "127.0.0.1", str(closed)], check=False).returncode, 1)
        # Silence ends it.
        quiet = run("-w", "1", "127.0.0.1", str(server.port))
        same(quiet.wait(timeout=PATIENCE_SECONDS), 0)
        ends(quiet)
    same(subprocess.run([program, "127.0.0.1", str(closed)], check=False).returncode, 1)
    same(subprocess.run([program], check=False, stderr=subprocess.DEVNULL).returncode, 2)

    def connected(listen, connect, ready):
        """Starts both sides, and sends a line each way."""
        first = run(*listen)
        wait_for(ready, first)
        second = run(*connect)
        from_second, from_first = Lines(first.stdout), Lines(second.stdout)
        second.stdin.write(b"hello\n")
        same(from_second.next(), "hello")
        first.stdin.write(b"and back\n")
        same(from_first.next(), "and back")
        return first, second

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "socket")

        def listening():
            with open("/proc/net/unix", encoding="utf-8") as table:
                return any(path in line and " 00010000 " in line for line in table)

        ends(*connected(["-l", "-U", path], ["-U", path], listening))
        same(os.path.exists(path), False)
        there = lambda: os.path.exists(path)  # noqa: E731
        first, second = connected(["-l", "-u", "-U", path], ["-u", "-U", path], there)
        ends(second)
        first.send_signal(signal.SIGTERM)
        ends(first)
    port = free_port()

    def bound():
        with open("/proc/net/udp", encoding="ascii") as table:
            return f"0100007F:{port:04X}" in table.read()

    first, second = connected(
        ["-l", "-u", "127.0.0.1", str(port)], ["-u", "127.0.0.1", str(port)], bound
    )
    ends(second)
    first.send_signal(signal.SIGTERM)
    ends(first)

    # One connection after the other.
    port = free_port()
    keeper = run("-l", "-k", "127.0.0.1", str(port))
    heard = Lines(keeper.stdout)
    for word in ("one", "two"):

        def sends(line=word.encode() + b"\n"):
            try:
                socket.create_connection(("127.0.0.1", port)).sendall(line)
                return True
            except ConnectionRefusedError:
                return False

        wait_for(sends, keeper)
        same(heard.next(), word)
    keeper.send_signal(signal.SIGTERM)
    ends(keeper)


def timers_and_groups(program):
    done = subprocess.run([program], stdout=subprocess.PIPE, check=False, timeout=PATIENCE_SECONDS)
    same(done.returncode, 0)
    lines = done.stdout.decode().splitlines()
    same(sorted(lines[:6]), ["fast 1", "fast 2", "fast 3", "fast 4", "slow 1", "slow 2"])
    same(lines[6], "the wait with index 1 was first")
    assert lines[7].startswith("cancelled"), lines
    assert lines[8].startswith("with a deadline: ") and "done" not in lines[8], lines


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
