#!/usr/bin/env python3
"""The programs that the pages of docs/ print, each run and asked. Usage: snippets_test.py NAME PROGRAM [ECHO]."""

import concurrent.futures
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile

from driver import PATIENCE_SECONDS, Lines, Server, output_of, same


def snippet_groups(program):
    same(output_of(program).split(), [str(i * i) for i in range(10)])


def snippet_shutdown(program):
    assert output_of(program).startswith("serving on 127.0.0.1:")


def snippet_deadlines(program, echo):
    with Server(echo) as server:
        output_of(program, f"127.0.0.1:{server.port}")
    refused = subprocess.run([program, f"127.0.0.1:{server.port}"], check=False, timeout=PATIENCE_SECONDS)
    same(refused.returncode, 2)


def snippet_streams(program, echo):
    with Server(echo) as server:
        same(output_of(program, f"127.0.0.1:{server.port}"), "10 bytes came\n")


def snippet_datagrams(program):
    same(output_of(program), "1 descriptor came\n")


def snippet_names(program, echo):
    with Server(echo) as server:
        lines = output_of(program, "localhost", str(server.port)).splitlines()
        same(lines[-1], f"connected to 127.0.0.1:{server.port}")
        port = server.port
    refused = subprocess.run(
        [program, "localhost", str(port)], stderr=subprocess.PIPE, check=False, timeout=PATIENCE_SECONDS
    )
    same(refused.returncode, 1)
    assert refused.stderr.count(b"refused") == 3, refused.stderr  # the cause, and both addresses


def snippet_files(program):
    with tempfile.TemporaryDirectory() as root:
        lines = output_of(program, root).splitlines()
        same(sorted(lines), ["log/", "log/today/", "log/today/events", "settings"])
        with open(os.path.join(root, "settings"), encoding="utf-8") as file:
            same(file.read(), "colour = blue\n")


def snippet_static_files(program):
    with tempfile.TemporaryDirectory() as root:
        os.mkdir(os.path.join(root, "assets"))
        os.mkdir(os.path.join(root, "downloads"))
        for name, text in (("index.html", "<p>app"), ("assets/a.js", "plain"), ("downloads/b", "bytes")):
            with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                file.write(text)
        with Server(program, root) as server:
            same(server.ask("GET", "/users/7"), (200, "<p>app"))
            same(server.ask("GET", "/assets/a.js"), (200, "plain"))
            same(server.ask("GET", "/assets/none")[0], 404)
            same(server.ask("GET", "/downloads/b", headers={"Range": "bytes=2-"}), (206, "tes"))


def snippet_processes(program):
    done = subprocess.run(
        [program], input=b"pear\napple\nfig", stdout=subprocess.PIPE, check=False, timeout=PATIENCE_SECONDS
    )
    same((done.returncode, done.stdout), (0, b"apple\nfig\npear\n"))


def snippet_behind_proxies(program):
    with Server(program) as server:
        same(server.ask("GET", "/", headers={"Host": "a"}), (200, "127.0.0.1 wants http://a/\n"))
        proxied = {"Host": "a", "X-Forwarded-For": "6.6.6.6, 1.2.3.4, 10.0.0.7", "X-Forwarded-Proto": "https"}
        same(server.ask("GET", "/", headers=proxied), (200, "1.2.3.4 wants https://a/\n"))


def snippet_callbacks(program):
    same(output_of(program), "36.6\n")


def snippet_from_beast(program):
    with Server(program) as server, server.connect() as peer:
        peer.sendall(b"hello\n")
        same(Lines(peer).next(), "you said: hello")


def snippet_from_libhv(program):
    with Server(program) as server, server.connect() as peer:
        peer.sendall(b"hello\n")
        same(Lines(peer).next(), "hello")


def snippet_from_cpp_httplib(program):
    with Server(program) as server:
        same(server.ask("GET", "/hi"), (200, "Hello World!"))
        same(server.ask("GET", "/users/7"), (200, "user 7"))
        same(server.ask("GET", "/users/x")[0], 400)
        same(server.ask("GET", "/search?q=a+b"), (200, "looking for a b"))
        same(server.ask("GET", "/search")[0], 400)
        same(server.ask("POST", "/content", "text"), (200, "text"))
        same(server.ask("GET", "/files/")[0], 200)


def snippet_from_uwebsockets(program):
    with Server(program) as server:
        same(server.ask("GET", "/now"), (200, "now"))
        same(server.ask("GET", "/later/key"), (200, "value of key"))
        same(server.ask("GET", "/parts"), (200, "0\n1\n2\n"))


def snippet_cleanup(program):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(PATIENCE_SECONDS)
        client = subprocess.Popen([program, f"127.0.0.1:{listener.getsockname()[1]}"])
        peer, _ = listener.accept()
        with peer:
            peer.settimeout(PATIENCE_SECONDS)
            got = b""
            while piece := peer.recv(4096):
                got += piece
        assert got.endswith(b"tick\nbye\n"), got
        same(client.wait(timeout=PATIENCE_SECONDS), 0)


def snippet_frame_codecs(program):
    tried = dict(line.split(": ") for line in output_of(program).splitlines())
    same({name for name, outcome in tried.items() if outcome != "ok"}, set())
    # The table of docs/framing.md names these objects, and no other ones.
    page = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "framing.md")
    with open(page, encoding="utf-8") as file:
        table = file.read().partition("## In use")[2].partition("##")[0]
    rows = {line.split("`")[1] for line in table.splitlines() if line.startswith("| `")}
    same(rows, set(tried))


def snippet_handlers(program):
    with Server(program) as server:
        same(server.ask("GET", "/plain"), (200, "a literal, never copied"))
        same(server.ask("GET", "/number/7"), (200, "<p>Hello, number 7!</p>"))
        same(server.ask("GET", "/later"), (200, "later"))
        same(server.ask("GET", "/teapot")[0], 418)
        same(server.ask("DELETE", "/old"), (204, ""))
        same(server.ask("GET", "/moved")[0], 302)


def snippet_cores(program):
    with Server(program) as server:
        same(server.ask("GET", "/count")[0], 200)
        same(server.ask("GET", "/fibonacci/20"), (200, "6765"))
        same(server.ask("GET", "/fibonacci/41")[0], 400)


def snippet_calling(program):
    same(output_of(program), "3 404\n")


def snippet_content(program):
    text = {"Content-Type": "text/plain"}
    with Server(program) as server:
        same(server.ask("POST", "/length", "x" * 100), (200, "100\n"))
        same(server.ask("POST", "/length", "x" * 101)[0], 413)
        same(server.ask("POST", "/lines", "a\nb\n" * 1_000_000, text), (200, "2000000\n"))
        same(server.ask("POST", "/lines", "a\n")[0], 415)
        same(server.ask("POST", "/copy", "abc" * 1_000_000), (200, "abc" * 1_000_000))


def snippet_forms(program):
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    with Server(program) as server:
        same(server.ask("GET", "/search?q=a+b%26c&page=2"), (200, "a b&c, page 2\n"))
        same(server.ask("GET", "/search?q=a"), (200, "a, page 1\n"))
        same(server.ask("GET", "/search?q=a&page=x")[0], 400)
        same(server.ask("GET", "/search")[0], 400)
        same(server.ask("GET", "/tags?tag=a&x=1&tag=%62"), (200, "a\nb\n"))
        same(server.ask("POST", "/subscribe", "name=J+D&agreed=on", form), (200, "name is J D\nagreed is on\n"))
        same(server.ask("POST", "/subscribe", "name=J+D", form)[0], 422)
        same(server.ask("POST", "/subscribe", "{}", {"Content-Type": "application/json"})[0], 415)


def snippet_cookies(program):
    def cookies_of(server, path):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_SECONDS)
        connection.request("POST", path)
        set_cookie = connection.getresponse().getheader("Set-Cookie")
        connection.close()
        return set_cookie

    with Server(program, "0123456789abcdef") as server:
        same(server.ask("GET", "/")[0], 403)
        same(cookies_of(server, "/theme/dark"), "theme=dark; Path=/; Max-Age=31536000; Secure; HttpOnly; SameSite=Lax")
        user = cookies_of(server, "/enter").partition(";")[0]
        same(server.ask("GET", "/", headers={"Cookie": user}), (200, "user 7 likes it light\n"))
        same(server.ask("GET", "/", headers={"Cookie": f"theme=dark; {user}"}), (200, "user 7 likes it dark\n"))
        same(server.ask("GET", "/", headers={"Cookie": user.replace("=7", "=8")})[0], 403)
        same(server.ask("POST", "/theme/a%0d%0ab")[0], 500)  # refused, and nothing of it was sent
        assert cookies_of(server, "/leave").startswith("__Host-user=; Path=/; Max-Age=0; Expires=Thu, 01 Jan 1970")


def snippet_negotiation(program):
    def weather(**headers):
        return server.ask("GET", "/weather", headers={name.replace("_", "-"): v for name, v in headers.items()})

    with Server(program) as server:
        same(weather(), (200, "<p>sun"))
        same(weather(Accept="application/json", Accept_Language="de-CH, en;q=0.5"), (200, '{"sky":"Sonne"}\n'))
        status, text = weather(Accept="image/png")
        same(status, 406)
        assert "text/html, application/json" in text, text
        same(server.ask("POST", "/transfer?amount=30")[0], 303)
        status, text = server.ask("POST", "/transfer?amount=31")
        same((status, json.loads(text)["balance"], json.loads(text)["type"]), (403, 30, "/problems/no-credit"))


def snippet_uploads(program):
    field = '--XX\r\nContent-Disposition: form-data; name="title"\r\n\r\nholiday\r\n'
    file = '--XX\r\nContent-Disposition: form-data; name="file"; filename="../a.jpg"\r\n\r\n'
    form = {"Content-Type": "multipart/form-data; boundary=XX"}
    with tempfile.TemporaryDirectory() as root, Server(program, root) as server:
        content = "\r\n--X" * 1_000_000
        same(
            server.ask("POST", "/", f"{field}{file}{content}\r\n--XX--\r\n", form),
            (200, "title is holiday\n../a.jpg has 5000000 bytes\n"),
        )
        (name,) = os.listdir(root)
        with open(os.path.join(root, name), encoding="utf-8", newline="") as kept:
            same(kept.read(), content)
        same(server.ask("POST", "/", f"{field}{file}{content}", form)[0], 400)
        same(os.listdir(root), [name])  # nothing is left of the one that broke off
        same(server.ask("POST", "/", "a=b", {"Content-Type": "application/x-www-form-urlencoded"})[0], 415)
def snippet_upgrade(program):
    offer = b"GET /lines HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: lines\r\n\r\n"
    with Server(program) as server:
        same(server.ask("GET", "/lines")[0], 426)
        with server.connect() as peer:
            peer.sendall(offer + b"hello\n")
            heard = Lines(peer)
            while heard.next() != "\r":
                pass
            same(heard.next(), "5")
            peer.sendall(b"four\n")
            same(heard.next(), "4")
            server.process.send_signal(signal.SIGTERM)
            same(heard.next(), "the server stops")
        # A second signal may find it without a handler, on its way out.
        same(server.process.wait(timeout=60), 0)


def snippet_json(program):
    kind = {"Content-Type": "application/json"}
    with Server(program) as server:
        status, text = server.ask("GET", "/items")
        same((status, json.loads(text)[0]), (200, {"name": "tea", "count": 2}))
        same(server.ask("POST", "/count", text, kind), (201, '{"count":3}'))
        status, text = server.ask("POST", "/count", '[{"name": 5, "count": 1}]', kind)
        same((status, json.loads(text)["pointer"]), (400, "/0/name"))
        status, text = server.ask("POST", "/count", '[\n{"name": }]', kind)
        same((status, json.loads(text)["line"]), (400, 2))
        same(server.ask("POST", "/count", "[]")[0], 415)


def snippet_limits(program):
    with Server(program) as server:
        same(server.ask("POST", "/echo", "x" * 65536), (200, "x" * 65536))
        same(server.ask("POST", "/echo", "x" * 65537)[0], 413)


def snippet_middleware(program):
    with Server(program) as server:
        same(server.ask("GET", "/api/me")[0], 401)
        same(server.ask("GET", "/private")[0], 401)
        same(server.ask("GET", "/x"), (404, "<p>There is no /x here.</p>"))
        same(server.ask("GET", "/api/me", headers={"x-user": "ann"}), (200, "ann"))
        same(server.ask("GET", "/", headers={"host": "a.example.org"}), (200, "another site"))


def snippet_ready_middleware(program):
    with Server(program) as server:
        same(server.ask("GET", "/"), (200, "a page"))
        same(server.ask("GET", "/api/me")[0], 401)
        token = {"authorization": "Bearer token-of-ann"}
        same([server.ask("GET", "/api/me", headers=token)[0] for _ in range(5)], [200] * 4 + [429])
        same(server.ask("GET", "/admin", headers={"authorization": "Basic cm9vdDpzZWNyZXQ="}), (200, "hello"))


def snippet_protection(program):
    with Server(program) as server:
        same(server.ask("GET", "/"), (200, "a page"))
        same(server.ask("GET", "/download"), (200, "x" * 100_000))
        with concurrent.futures.ThreadPoolExecutor(3) as clients:
            asked = [clients.submit(server.ask, "GET", "/report") for _ in range(3)]
            same(sorted(each.result()[0] for each in asked), [200, 200, 503])


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
