"""Bars on static files: how long a large directory takes to be listed."""

import http.client
import pathlib
import statistics
import tempfile
import time

from .bars import Limit, group
from .processes import LoadFailed, Server, free_port

ENTRIES = 10_000
RUNS = 11


def list_directory(address, accept):
    """Milliseconds from the request to the last byte of the answer, and its body."""
    client = http.client.HTTPConnection(address, timeout=30)
    start = time.perf_counter()
    client.request("GET", "/", headers={"Accept": accept})
    answer = client.getresponse()
    body = answer.read()
    elapsed = (time.perf_counter() - start) * 1000
    client.close()
    if answer.status != 200 or body.count(b"entry-") < ENTRIES:
        raise LoadFailed(f"the list is not whole: {answer.status}, {len(body)} bytes")
    return elapsed, body


@group(static__listing_ms=Limit(100, strict=True))
def listing(settings, record):
    """Milliseconds to list 10,000 entries, as a page or as JSON: the slower median."""
    with tempfile.TemporaryDirectory(prefix="rill-bench-listing-") as folder:
        for i in range(ENTRIES):
            pathlib.Path(folder, f"entry-{i}.txt").write_bytes(b"x" * (i % 100))
        address = f"127.0.0.1:{free_port()}"
        command = [settings.program("examples/file_server"), address, folder]
        environment = {"RILL_CORES": "1"}
        medians = {}
        with Server("file_server", command, address, settings.server_cpu, environment) as server:
            for name, accept in (("page", "text/html"), ("JSON", "application/json")):
                runs = [list_directory(server.address, accept) for _ in range(RUNS)]
                medians[name] = statistics.median(elapsed for elapsed, _ in runs)
                size = len(runs[0][1])
                medians[name + " KiB"] = size / 1024
    text = f"page {medians['page']:.1f} ms, {medians['page KiB']:,.0f} KiB"
    text += f"; JSON {medians['JSON']:.1f} ms, {medians['JSON KiB']:,.0f} KiB; medians of {RUNS}"
    record.value("static.listing_ms", max(medians["page"], medians["JSON"]), text)
