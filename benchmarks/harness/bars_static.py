"""Bars on static files: a small one against other servers, and how long a directory takes to be listed."""

import dataclasses
import http.client
import pathlib
import random
import statistics
import tempfile
import time

from . import file_servers, interleave, report
from .bars import Limit, group
from .bars_speed import measure
from .contenders import NGINX, OURS
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


SMALL_BYTES = 10 * 1024


def small(settings, record, connections):
    """CPU per request of a 10 KiB file, the same for all, as a ratio to the best of the others."""
    name = f"static.small_{connections}"
    title = f"10 KiB file, {connections} kept connections"
    text = "".join(f"line {i:04d}\n" for i in range(SMALL_BYTES // 10 + 1))[:SMALL_BYTES]
    with tempfile.TemporaryDirectory(prefix="rill-bench-files-") as root:
        pathlib.Path(root).chmod(0o755)
        pathlib.Path(root, "page.txt").write_text(text)
        options = ("--connections", connections, "--path", "/page.txt", "--expect", text)
        slices = measure(settings, "http", file_servers.all_of(root), options, title, (OURS, NGINX))
    others = [each for each in file_servers.OTHERS if interleave.of(slices, each)]
    best = min(others, key=lambda each: interleave.median(slices, each, "cpu_us"))
    report.comparison(title, slices, best)
    text = "; ".join([f"to {best}", report.noise(slices, best), *interleave.warnings(slices)])
    record.ratio(name, interleave.ratio(slices, OURS, best), text)


@group(static__small_20=Limit(0.75))
def small_20(settings, record):
    """CPU per request of a 10 KiB file, 20 connections, to the best of nginx, lighttpd and h2o."""
    small(settings, record, 20)


@group(static__small_100=Limit(0.75))
def small_100(settings, record):
    """The same with 100 connections."""
    small(settings, record, 100)


# A prime, so that bytes which came from elsewhere in the file are not taken for the right ones.
PERIOD = 65_521


def large(settings, record, mebibytes, connections):
    """CPU per request of a large file, against nginx with sendfile."""
    name = f"static.large_{mebibytes}m"
    title = f"{mebibytes} MiB file, {connections} kept connections"
    size = mebibytes * 1024 * 1024
    pattern = random.Random(1).randbytes(PERIOD)
    with tempfile.TemporaryDirectory(prefix="rill-bench-files-") as root:
        pathlib.Path(root).chmod(0o755)
        repeated = pathlib.Path(root, "pattern")
        repeated.write_bytes(pattern)
        with open(pathlib.Path(root, "large"), "wb") as file:
            for at in range(0, size, PERIOD):
                file.write(pattern[: size - at])
        options = ("--connections", connections, "--path", "/large", "--pattern", repeated)
        servers = [each for each in file_servers.all_of(root) if each.name in (OURS, NGINX)]
        slices = measure(
            settings, "http", servers, (*options, "--size", size), title, (OURS, NGINX)
        )
    report.comparison(title, slices, NGINX)
    record.ratio(name, interleave.ratio(slices, OURS, NGINX), "; ".join(
        [report.noise(slices, NGINX), *interleave.warnings(slices)]
    ))


@group(static__large_1m=Limit(1.0))
def large_1m(settings, record):
    """CPU per request of a file of 1 MiB, 20 connections, against nginx with sendfile."""
    large(settings, record, 1, 20)


@group(static__large_100m=Limit(1.0))
def large_100m(settings, record):
    """The same with 100 MiB and 4 connections, in slices that are long enough for it."""
    longer = dataclasses.replace(settings, slice_seconds_at_least=1.0)
    large(longer, record, 100, 4)


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
