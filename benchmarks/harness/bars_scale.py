"""Bars on many connections: memory of idle ones, and two ab with 10,000 each at once."""

import concurrent.futures
import contextlib
import dataclasses
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

from . import contenders
from .bars import Limit, group
from .contenders import HTTP, NGINX, OURS
from .processes import IdleLoad, LoadFailed, Server, free_port
from .settings import Unavailable, raise_descriptor_limit, tool

FEW, MANY = 5_000, 20_000
# Descriptors of a server that are no connections.
RESERVED = 64


def pss(pids):
    """Proportional resident bytes of the processes."""
    total = 0
    for pid in pids:
        text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
        total += int(re.search(r"^Pss:\s+(\d+) kB", text, re.MULTILINE).group(1)) * 1024
    return total


def slab():
    text = pathlib.Path("/proc/meminfo").read_text()
    return int(re.search(r"^Slab:\s+(\d+) kB", text, re.MULTILINE).group(1)) * 1024


def settled(read):
    """The median of some readings: the kernel frees in the background."""
    readings = []
    for _ in range(5):
        time.sleep(0.2)
        readings.append(read())
    return statistics.median(readings)


@dataclasses.dataclass(frozen=True)
class Idle:
    """What idle kept connections cost, in bytes per connection; `fixed` with none of them."""

    memory: float
    slab: float
    fixed: float
    count: int


def idle_memory(settings, contender, few, many):
    """Raises LoadFailed unless every connection answers, when new and again at the end."""
    with contender.start(settings) as server, IdleLoad(settings, "http", server, many) as load:
        fixed = pss(server.pids())
        points = []
        for count in (few, many):
            for command in (f"open {count}", "ask"):
                answer = load.command(command)
                if answer["answered"] != answer["asked"]:
                    raise LoadFailed(f"{server.name}: {answer} of {count} idle connections")
            points.append((settled(lambda: pss(server.pids())), settled(slab)))
        answer = load.command("ask")
        if answer["answered"] != many:
            raise LoadFailed(f"{server.name}: {answer['answered']} of {many} answered at the end")
    (less, less_slab), (more, more_slab) = points
    opened = many - few
    return Idle((more - less) / opened, (more_slab - less_slab) / opened, fixed, many)


@group(http__idle_memory_bytes=Limit(1024))
def idle(settings, record):
    """Slope of PSS per idle kept connection, all of them answered afterwards."""
    limit = raise_descriptor_limit()
    many = min(MANY, limit - RESERVED)
    if many < 2 * FEW:
        raise Unavailable(f"{limit} descriptors are too few for this bar")
    ours, nginx, bare = (
        contenders.pick(HTTP, name)[0] for name in (OURS, NGINX, contenders.RING)
    )
    own = idle_memory(settings, ours, FEW, many)
    text = f"{FEW:,} to {many:,} connections, all answered; fixed {own.fixed / 1024:,.0f} KiB"
    if many < MANY:
        text += f" ({MANY:,} needs more than this machine's {limit:,} descriptors)"
    text += f"; kernel slab {own.slab:,.0f} per connection, both ends"
    for contender in (nginx, bare):
        try:
            other = idle_memory(settings, contender, FEW, many)
            text += f"; {contender.name} {other.memory:,.0f}, its slab {other.slab:,.0f}"
        except (Unavailable, LoadFailed) as problem:
            text += f"; {contender.name} has no figure ({problem})"
    record.value("http.idle_memory_bytes", own.memory, text)


SYSCTLS = {
    "net/core/somaxconn": "65535",
    "net/core/netdev_max_backlog": "65535",
    "net/ipv4/tcp_max_syn_backlog": "65535",
    "net/ipv4/ip_local_port_range": "1024\t65535",
}


@contextlib.contextmanager
def kernel_limits():
    """Raises backlogs and the port range, and puts them back. Gives what could not be set."""
    before = {}
    refused = []
    try:
        for name, value in SYSCTLS.items():
            path = pathlib.Path("/proc/sys") / name
            try:
                old = path.read_text().strip()
                path.write_text(value)
                before[path] = old
            except OSError:
                refused.append(name.replace("/", "."))
        yield refused
    finally:
        for path, old in before.items():
            path.write_text(old)


@dataclasses.dataclass(frozen=True)
class AbResult:
    failed: int  # failed, missing, or another status than 2xx
    longest_connect_ms: int
    rate: float


def read_ab(output, requests):
    def number(pattern, default=None):
        found = re.search(pattern, output, re.MULTILINE)
        if not found and default is None:
            raise LoadFailed(f"ab was cut short: {output.strip().splitlines()[-1]}")
        return float(found.group(1)) if found else default

    complete = number(r"^Complete requests:\s+(\d+)", 0)
    failed = number(r"^Failed requests:\s+(\d+)", 0) + number(r"^Non-2xx responses:\s+(\d+)", 0)
    failed += number(r"^Write errors:\s+(\d+)", 0) + requests - complete
    connect = number(r"^Connect:\s+\d+\s+\d+\s+\S+\s+\d+\s+(\d+)")
    return AbResult(int(failed), int(connect), number(r"^Requests per second:\s+(\S+)"))


def run_ab(url, connections, requests, body):
    command = [tool("ab"), "-q", "-r", "-s", "60", "-c", str(connections), "-n", str(requests)]
    if body:
        # The answer to a word that is known may differ from that to a new one.
        command += ["-l", "-p", str(body), "-T", "application/x-www-form-urlencoded"]
    done = subprocess.run([*command, url], capture_output=True, text=True, timeout=600)
    return read_ab(done.stdout + done.stderr, requests)


def two_at_once(command, path, body, connections, requests):
    """Both ab and the server choose their CPUs themselves, as at a user's machine."""
    port = free_port()
    with Server(path, [*command, f"0.0.0.0:{port}"], f"0.0.0.0:{port}", None):
        with concurrent.futures.ThreadPoolExecutor(2) as both:
            # Two addresses of the server: each has a range of local ports of its own.
            urls = [f"http://127.0.0.{i}:{port}{path}" for i in (1, 2)]
            jobs = [both.submit(run_ab, url, connections, requests, body) for url in urls]
            return [job.result() for job in jobs]


def ab_bars(settings, record, name, command, path, body=None):
    connections, requests = (1_000, 20_000) if settings.quick else (10_000, 100_000)
    with kernel_limits() as refused:
        results = two_at_once(command, path, body, connections, requests)
    text = f"two ab -c {connections} -n {requests}, {sum(r.rate for r in results):,.0f} per second"
    if settings.quick:
        text += " (quick: fewer than the bar asks for)"
    if refused:
        text += f"; could not be set: {', '.join(refused)}"
    limit = raise_descriptor_limit()
    if limit < 2 * connections + RESERVED:
        text += f"; the server may have {limit:,} descriptors only"
    record.value(f"ab.{name}_failed", sum(r.failed for r in results), text)
    longest = max(r.longest_connect_ms for r in results)
    record.value(f"ab.{name}_longest_connect_ms", longest, "")


@group(ab__hello_failed=Limit(0), ab__hello_longest_connect_ms=Limit(1000, strict=True))
def ab_hello(settings, record):
    """Two ab with 10,000 connections each on hello."""
    ab_bars(settings, record, "hello", [settings.program("examples/hello")], "/")


@group(ab__add_failed=Limit(0), ab__add_longest_connect_ms=Limit(1000, strict=True))
def ab_add(settings, record):
    """The same on POST /add of the dictionary."""
    with tempfile.NamedTemporaryFile(mode="w", prefix="rill-bench-body-") as body:
        body.write("name=benchmark")
        body.flush()
        program = settings.program("examples/dictionary")
        ab_bars(settings, record, "add", [program], "/add", body.name)
