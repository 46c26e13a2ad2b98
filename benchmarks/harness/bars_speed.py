"""Bars on CPU per request and on latency, against the bare servers and nginx."""

import statistics

from . import contenders, interleave, report
from .bars import Limit, group
from .contenders import ECHO, EPOLL, HTTP, NGINX, OURS, OURS_ON_EPOLL, RING, TWIN
from .processes import ahead_of_others
from .settings import Unavailable

KEPT = ("--connections", 64)
PIPELINED = ("--connections", 64, "--depth", 16)


def measure(settings, protocol, list_of, options, title, required=(OURS, RING), times=1):
    """Slices of all servers, `times` as many as usual where the limit is close to the figure."""
    rounds = times * settings.rounds
    with contenders.started(settings, list_of, required) as (servers, missing):
        report.missing(missing)
        progress = report.progress(title)
        return interleave.run(
            settings, protocol, servers, *options, rounds=rounds, progress=progress
        )


def detail(slices):
    text = report.noise(slices)
    warnings = interleave.warnings(slices)
    return "; ".join([text, *warnings])


@group(http__cpu_vs_ring=Limit(1.10), http__nginx_cpu_vs_ours=Limit(1.20, "higher"))
def kept(settings, record):
    """Server CPU per request, hello, 64 kept connections."""
    title = "HTTP hello, 64 kept connections"
    few = contenders.pick(HTTP, OURS, RING, TWIN, NGINX)
    slices = measure(settings, "http", few, KEPT, title, times=2)
    report.comparison(title, slices, RING)
    text = detail(slices)
    record.ratio("http.cpu_vs_ring", interleave.ratio(slices, OURS, RING), text)
    if interleave.of(slices, NGINX):
        record.ratio("http.nginx_cpu_vs_ours", interleave.ratio(slices, NGINX, OURS), text)


@group(http__epoll_cpu_vs_epoll=Limit(1.15))
def kept_on_epoll(settings, record):
    """The same with RILL_DRIVER=epoll, against the bare epoll server."""
    few = contenders.pick(HTTP, OURS_ON_EPOLL, EPOLL, RING)
    title = "HTTP hello, 64 kept connections, on epoll"
    slices = measure(settings, "http", few, KEPT, title, (OURS_ON_EPOLL, EPOLL))
    report.comparison(title, slices, EPOLL)
    ratio = interleave.ratio(slices, OURS_ON_EPOLL, EPOLL)
    record.ratio("http.epoll_cpu_vs_epoll", ratio, detail(slices))


@group(http__pipelined_cpu_vs_ring=Limit(1.25))
def pipelined(settings, record):
    """The same, 16 requests in each batch."""
    title = "HTTP hello, 64 kept connections, pipelined 16 deep"
    few = contenders.pick(HTTP, OURS, RING, TWIN)
    slices = measure(settings, "http", few, PIPELINED, title, times=2)
    report.comparison(title, slices, RING)
    ratio = interleave.ratio(slices, OURS, RING)
    record.ratio("http.pipelined_cpu_vs_ring", ratio, detail(slices))


def echo(settings, record, connections):
    title = f"TCP echo, 1 KiB, {connections} connections"
    few = contenders.pick(ECHO, OURS, RING, TWIN, EPOLL)
    options = ("--connections", connections, "--size", 1024)
    slices = measure(settings, "echo", few, options, title)
    report.comparison(title, slices, RING)
    ratio = interleave.ratio(slices, OURS, RING)
    record.ratio(f"echo.cpu_vs_ring_{connections}", ratio, detail(slices))


@group(echo__cpu_vs_ring_100=Limit(1.10))
def echo_100(settings, record):
    """Server CPU per 1 KiB message, 100 connections."""
    echo(settings, record, 100)


@group(echo__cpu_vs_ring_1000=Limit(1.10))
def echo_1000(settings, record):
    """Server CPU per 1 KiB message, 1000 connections."""
    echo(settings, record, 1000)


def capacity(settings, ring):
    """Requests per second of CPU that the bare ring server can serve with 64 connections.

    From its CPU per request and not from the throughput, which the load generator may limit."""
    slices = interleave.run(settings, "http", {RING: ring}, *KEPT, rounds=9)
    return 1e6 / statistics.median(s.cpu_us for s in slices)


def open_loop(settings, list_of, required):
    """Slices at half of the bare ring server's capacity. Returns them, the rate, and remarks.

    All servers run ahead of the machine's other processes. One time slice of another, 3 ms at this
    kernel's defaults, is the latency of 1 % of a slice's requests: without this the p99 tells how
    often that happened, and the same program against itself came out as 1.2 [0.4, 2.8]."""
    with contenders.started(settings, list_of, required) as (servers, missing):
        report.missing(missing)
        rate = round(capacity(settings, servers[RING]) / 2)
        refusals = {ahead_of_others(server.pids()) for server in servers.values()} - {None}
        options = (*KEPT, "--rate", rate, "--poisson")
        progress = report.progress("open loop")
        slices = interleave.run(settings, "http", servers, *options, progress=progress)
        return slices, rate, sorted(refusals)


def open_title(rate):
    return f"HTTP hello, open loop, {rate:,} requests per second (Poisson), 64 connections"


@group(http__p99_vs_ring=Limit(1.10))
def latency(settings, record):
    """p99 since the intended moment, open loop at half of the bare ring server's capacity."""
    few = contenders.pick(HTTP, OURS, RING, TWIN, EPOLL)
    slices, rate, remarks = open_loop(settings, few, (OURS, RING))
    report.comparison(open_title(rate), slices, RING, ("p99_us",))
    behind = sum(s.overloaded for s in interleave.of(slices, RING))
    if behind * 4 > len(interleave.of(slices, RING)):
        # Behind a queue that grows, all servers look alike, and the bar would hold for nothing.
        reason = f"the bare ring server fell behind half of its own capacity in {behind} slices"
        raise Unavailable(f"{reason}: the machine is too busy")
    twin = interleave.ratio(slices, TWIN, RING, "window_p99_us")
    whole = interleave.ratio(slices, OURS, RING, "p99_us")
    text = (
        f"{rate:,} per second; p99 of 20 ms at a time, in the median"
        f" {interleave.median(slices, OURS, 'window_p99_us'):.0f} us and"
        f" {interleave.median(slices, RING, 'window_p99_us'):.0f} us; the same program against itself"
        f" {twin}; by the p99 of whole slices {whole}"
    )
    text = "; ".join([text, *remarks, *interleave.warnings(slices)])
    record.ratio("http.p99_vs_ring", interleave.ratio(slices, OURS, RING, "window_p99_us"), text)


def show(settings, protocol):
    """`run.py http` and `run.py echo`: every contender, tables only."""
    if protocol == "http":
        for options, title in (
            (KEPT, "HTTP hello, 64 kept connections"),
            (PIPELINED, "HTTP hello, 64 kept connections, pipelined 16 deep"),
        ):
            slices = measure(settings, "http", HTTP, options, title, (RING,))
            report.comparison(title, slices, RING)
            yield title, slices
        slices, rate, _ = open_loop(settings, HTTP, (RING,))
        report.comparison(open_title(rate), slices, RING, ("p99_us",))
        yield open_title(rate), slices
        return
    for connections in (100, 1000):
        title = f"TCP echo, 1 KiB, {connections} connections"
        options = ("--connections", connections, "--size", 1024)
        slices = measure(settings, "echo", ECHO, options, title, (RING,))
        report.comparison(title, slices, RING)
        yield title, slices
