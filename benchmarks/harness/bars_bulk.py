"""Bars on memory: bodies of 5 GB, uploaded and downloaded."""

import http.client
import pathlib
import re

from .bars import Limit, group
from .processes import LoadFailed, Server, free_port

BYTES = 5_000_000_000
PIECE = bytes(range(256)) * 4096  # 1 MiB


def start(settings):
    address = f"127.0.0.1:{free_port()}"
    command = [settings.program("benchmarks/bulk_http"), address]
    return Server("bulk_http", command, address, settings.server_cpu, {"RILL_CORES": "1"})


def memory(server, name):
    """Bytes of a line of /proc/PID/status."""
    status = pathlib.Path(f"/proc/{server.pid}/status").read_text()
    return int(re.search(rf"^{name}:\s+(\d+) kB", status, re.MULTILINE).group(1)) * 1024


def grown_by(server, transfer):
    """Bytes by which the peak of the server's memory is above what it has when idle."""
    client = http.client.HTTPConnection(server.address, timeout=60)
    transfer(client, 1_000_000)
    idle = memory(server, "VmRSS")
    pathlib.Path(f"/proc/{server.pid}/clear_refs").write_text("5")  # the peak counts from here
    transfer(client, BYTES)
    client.close()
    return memory(server, "VmHWM") - idle


def upload(client, size):
    def pieces():
        left = size
        while left:
            yield PIECE[:left]
            left -= min(left, len(PIECE))

    client.request("POST", "/bulk", body=pieces(), headers={"Content-Length": str(size)})
    said = client.getresponse().read().decode()
    wanted = f"{size} {size // 256 * sum(range(256)) + sum(range(size % 256))}"
    if said != wanted:
        raise LoadFailed(f"uploaded {wanted} (bytes, their sum), the server has seen {said}")


def download(client, size):
    client.request("GET", f"/bulk?bytes={size}")
    answer = client.getresponse()
    room = memoryview(bytearray(1 << 20))
    twice = PIECE + PIECE
    got = 0
    while count := answer.readinto(room):
        at = got % 256
        if room[:count] != twice[at : at + count]:
            raise LoadFailed(f"a wrong byte behind {got:,} bytes of the answer")
        got += count
    if got != size:
        raise LoadFailed(f"{got:,} bytes came of {size:,}")


@group(http__upload_5gb_bytes=Limit(16 << 20), http__download_5gb_bytes=Limit(16 << 20))
def bulk(settings, record):
    """Peak of the memory above the idle server's while 5 GB are uploaded, and downloaded."""
    for name, transfer in (("upload", upload), ("download", download)):
        with start(settings) as server:
            grown = grown_by(server, transfer)
            text = f"idle {memory(server, 'VmRSS'):,} bytes; every byte checked by the other side"
        record.value(f"http.{name}_5gb_bytes", grown, text)
