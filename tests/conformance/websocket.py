"""Python's `websockets` (Debian package python3-websockets) talks to both sides: websocket.py TESTBED CLIENT

Another implementation of RFC 6455 than rill's own tests are written with. Without the package the test is
skipped (exit code 77).
"""

import asyncio
import os
import signal
import sys

try:
    import websockets
except ImportError:
    # Debian's package is there for Debian's own interpreter.
    SYSTEM = "/usr/bin/python3"
    if os.environ.get("RILL_SYSTEM_PYTHON") is None and os.access(SYSTEM, os.X_OK):
        os.environ["RILL_SYSTEM_PYTHON"] = "1"
        os.execv(SYSTEM, [SYSTEM, *sys.argv])
    print("skipped: Debian package python3-websockets is not installed")
    sys.exit(77)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples"))
from driver import PATIENCE_SECONDS, Server, same  # noqa: E402

SIZES = (0, 1, 125, 126, 127, 4096, 65535, 65536, 1_000_000)


def connect(server, path="/", **options):
    return websockets.connect(f"ws://127.0.0.1:{server.port}{path}", max_size=None, **options)


async def echoes_messages_of_all_sizes(server):
    async with connect(server) as peer:
        for size in SIZES:
            await peer.send("x" * size)
            same(await peer.recv() == "x" * size, True)
            content = os.urandom(size)
            await peer.send(content)
            same(await peer.recv() == content, True)
        await peer.send("\u20ac\U0001f600")
        same(await peer.recv(), "\u20ac\U0001f600")


async def joins_fragments(server):
    async with connect(server) as peer:
        await peer.send(["one ", "", "two ", "\u20ac"])
        same(await peer.recv(), "one two \u20ac")


async def takes_64_mib_and_no_more(server):
    async with connect(server) as peer:
        content = bytes(64 * 1024 * 1024)
        await peer.send(content)
        same(await peer.recv() == content, True)
    async with connect(server) as peer:
        try:
            await peer.send(bytes(64 * 1024 * 1024 + 1))
            await peer.recv()
        except websockets.ConnectionClosed as end:
            # It reads on for a bounded number of bytes only: a reset may overtake its close.
            same(end.rcvd.code if end.rcvd else 1009, 1009)
        else:
            raise AssertionError("it took more")


async def answers_pings(server):
    async with connect(server) as peer:
        for payload in (b"", b"p" * 125):
            answered = await peer.ping(payload)
            await answered


async def agrees_to_no_compression(server):
    async with connect(server, compression="deflate") as peer:
        same("Sec-WebSocket-Extensions" in peer.response_headers, False)
        await peer.send("plain")
        same(await peer.recv(), "plain")


async def answers_a_close_with_its_code(server):
    peer = await connect(server)
    await peer.close(3001, "enough")
    same((peer.close_code, peer.close_reason), (3001, ""))


async def serves_many_at_once(server):
    async def one(number):
        async with connect(server, f"/client/{number}") as peer:
            for count in range(20):
                await peer.send(f"{number} {count}")
            for count in range(20):
                same(await peer.recv(), f"{number} {count}")

    await asyncio.gather(*(one(number) for number in range(50)))


async def says_1001_when_it_stops(server):
    async with connect(server) as peer:
        await peer.send("one")
        same(await peer.recv(), "one")
        server.process.send_signal(signal.SIGTERM)
        try:
            await peer.recv()
        except websockets.ConnectionClosed as end:
            same(end.rcvd.code, 1001)
        else:
            raise AssertionError("it sent something else")
    # A second signal would meet it on its way out.
    same(server.process.wait(timeout=PATIENCE_SECONDS), 0)


async def is_echoed_by_a_client(client):
    """A server that asks as the fuzzing server of Autobahn's suite does."""
    ran = []

    async def serve(peer, path):
        if path == "/getCaseCount":
            await peer.send("3")
        elif path.startswith("/runCase?case="):
            number = int(path[len("/runCase?case=")])
            for message in ("x" * 70_000 * number, b"\xff" * number, ["one ", "\u20ac"]):
                await peer.send(message)
                same(await peer.recv(), "".join(message) if isinstance(message, list) else message)
            answered = await peer.ping(b"there?")
            await answered
            await peer.close(1000)
            ran.append((path, peer.close_code))
        elif path == "/updateReports?agent=rill":
            ran.append((path, 0))

    async with websockets.serve(serve, "127.0.0.1", 0, max_size=None) as server:
        port = server.sockets[0].getsockname()[1]
        process = await asyncio.create_subprocess_exec(
            client, f"ws://127.0.0.1:{port}", stdout=asyncio.subprocess.DEVNULL
        )
        same(await process.wait(), 0)
    cases = [(f"/runCase?case={number}&agent=rill", 1000) for number in (1, 2, 3)]
    # A case is noted when the server has seen its end, which may be after the next one began.
    same(sorted(ran), [*cases, ("/updateReports?agent=rill", 0)])
    print("ok: is echoed by a client")


def main():
    asyncio.run(asyncio.wait_for(is_echoed_by_a_client(sys.argv[2]), 60))
    with Server(sys.argv[1], option=("--listen",)) as server:
        for test in (
            echoes_messages_of_all_sizes,
            joins_fragments,
            takes_64_mib_and_no_more,
            answers_pings,
            agrees_to_no_compression,
            answers_a_close_with_its_code,
            serves_many_at_once,
            says_1001_when_it_stops,
        ):
            asyncio.run(asyncio.wait_for(test(server), 60))
            print("ok:", test.__name__.replace("_", " "))


main()
