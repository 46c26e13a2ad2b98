"""Bars that no clock blurs: user instructions, kernel transitions, allocations."""

import pathlib
import re
import struct
import subprocess
import tempfile
import time

from . import contenders
from .bars import Limit, group
from .contenders import HTTP, OURS
from .processes import Server, free_port, load_command, pin_to, read_report, run_load
from .settings import Unavailable, tool

CONNECTIONS = 16
RUNS = (2_000, 12_000)


def h2load(settings, server, requests):
    command = [tool("h2load"), "--h1", "-c", str(CONNECTIONS), "-n", str(requests)]
    done = subprocess.run(
        [*command, f"http://{server.address}/"],
        capture_output=True,
        text=True,
        preexec_fn=pin_to(settings.load_cpu),
        timeout=300,
    )
    found = re.search(r"(\d+) done, (\d+) succeeded, (\d+) failed", done.stdout)
    return int(found.group(2)) if found else 0


def dump(server, output):
    """Makes callgrind write its counters now; returns the instructions executed so far."""
    subprocess.run(
        [tool("vgdb"), f"--pid={server.pid}", "dump"], capture_output=True, check=True, timeout=30
    )
    written = output.with_name(output.name + ".1")
    return int(re.search(r"^totals: (\d+)", written.read_text(), re.MULTILINE).group(1))


def stop_under_valgrind(settings, server):
    """Valgrind looks at signals only between slices of work, so it needs some to see SIGTERM."""
    server.terminate()
    deadline = time.monotonic() + 20
    while server.running() and time.monotonic() < deadline:
        h2load(settings, server, 2_000)
    return server.stop(1)


def callgrind(settings, command, requests):
    """Instructions of a server that answered so many requests, and its statistics if it prints any."""
    with tempfile.TemporaryDirectory(prefix="rill-bench-callgrind-") as folder:
        output = pathlib.Path(folder) / "out"
        address = f"127.0.0.1:{free_port()}"
        wrapper = [tool("valgrind"), "--tool=callgrind", f"--callgrind-out-file={output}"]
        environment = {"RILL_CORES": "1"}
        full = [*wrapper, command, address]
        with Server("callgrind", full, address, settings.server_cpu, environment, 60) as server:
            answered = h2load(settings, server, requests)
            if answered != requests:
                raise Unavailable(f"under callgrind {answered} of {requests} requests were answered")
            instructions = dump(server, output)
            return instructions, stop_under_valgrind(settings, server)


def instructions_per_request(settings, command):
    """User instructions per request, and requests per turn of the loop (none without statistics)."""
    (less, _), (more, statistics) = (callgrind(settings, command, n) for n in RUNS)
    turns = statistics["requests"] / statistics["turns"] if statistics else None
    return (more - less) / (RUNS[1] - RUNS[0]), turns


@group(http__user_instructions=Limit(3_000), http__requests_per_turn=Limit(16))
def instructions(settings, record):
    """Instructions in user space per kept request, by callgrind."""
    program = settings.program("examples/hello")
    bare, _ = instructions_per_request(settings, settings.program("benchmarks/bare_ring_http"))
    ours, turns = instructions_per_request(settings, program)
    together = f"{turns:.1f} requests per turn of the loop" if turns else "turns are not counted"
    record.value("http.user_instructions", ours, f"{together}; the bare ring server {bare:,.0f}")
    if turns:
        record.value("http.requests_per_turn", turns, "at 16 connections, under callgrind")
    else:
        record.absent("http.requests_per_turn", "the server printed no statistics line")


def transitions_by_perf(settings, server, load):
    """System calls of the server while `load` runs, counted by the kernel at its entry."""
    with tempfile.NamedTemporaryFile(mode="r", prefix="rill-bench-perf-") as output:
        pids = ",".join(str(p) for p in server.pids())
        command = [tool("perf"), "stat", "-x", ",", "-o", output.name]
        command += ["-e", "raw_syscalls:sys_enter", "-p", pids, "--", *load]
        done = subprocess.run(
            command, capture_output=True, text=True, preexec_fn=pin_to(settings.load_cpu)
        )
        found = re.search(r"^(\d+),.*raw_syscalls:sys_enter", output.read(), re.MULTILINE)
        if done.returncode != 0 or not found:
            raise Unavailable(f"perf cannot count system calls: {done.stderr.strip()[-200:]}")
        return int(found.group(1)), read_report(server, 0, done.stdout, "")["requests"]


def transitions(settings, start, requests):
    """Kernel transitions per request of a server at 64 connections, and how they were counted."""
    with start(settings) as server:
        load = ("--connections", 64, "--requests", requests)
        command = load_command(settings, "http", server, *load)
        try:
            calls, answered = transitions_by_perf(settings, server, command)
            return calls / answered, "counted by perf, connecting included"
        except Unavailable as reason:
            cause = str(reason)
            run_load(settings, "http", server, *load)
        counted = server.stop()
    if not counted:
        raise Unavailable(f"{cause}; and the server printed no statistics line")
    return counted["enters"] / counted["requests"], "entries of the ring as the server counts them"


@group(http__transitions_per_request=Limit(0.3))
def kernel_transitions(settings, record):
    """System calls per request at 64 connections."""
    requests = 50_000 if settings.quick else 300_000
    ours, bare = (c.start for c in contenders.pick(HTTP, OURS, contenders.RING))
    value, how = transitions(settings, ours, requests)
    reference, _ = transitions(settings, bare, requests)
    record.value(
        "http.transitions_per_request", value, f"{how}; the bare ring server {reference:.3f}"
    )


def count_allocations(settings, program, protocol, *options, driver="uring"):
    """Allocations, frees and mappings per request of one running load, after its first second."""
    with tempfile.NamedTemporaryFile(prefix="rill-bench-malloc-") as counters:
        counters.write(bytes(32))
        counters.flush()
        address = f"127.0.0.1:{free_port()}"
        environment = {
            "RILL_CORES": "1",
            "RILL_DRIVER": driver,
            "LD_PRELOAD": str(settings.program("benchmarks/malloc_count.so")),
            "MALLOC_COUNT_FILE": counters.name,
        }
        command = [settings.program(program), address]
        with Server(program, command, address, settings.server_cpu, environment) as server:
            load = subprocess.Popen(
                load_command(
                    settings, protocol, server, *options, "--warm", "0.5", "--time", "2.5"
                ),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                preexec_fn=pin_to(settings.load_cpu),
            )
            before, moment = settled_counters(counters.name, 1.0)
            after, end = settled_counters(counters.name, 1.5)
            output, errors = load.communicate(timeout=60)
            done = read_report(server, load.returncode, output, errors)
    requests = done["requests"] / done["wall_s"] * (end - moment)
    names = ("allocations", "frees", "mmaps", "munmaps")
    return {n: b - a for n, a, b in zip(names, before, after)}, requests


def settled_counters(name, seconds):
    time.sleep(seconds)
    return struct.unpack("4Q", pathlib.Path(name).read_bytes()), time.monotonic()


def record_allocations(settings, record, name, program, protocol, *options, driver="uring"):
    counts, requests = count_allocations(settings, program, protocol, *options, driver=driver)
    text = ", ".join(f"{count} {what}" for what, count in counts.items())
    text = f"{text} in about {requests:,.0f} requests after the first second"
    record.value(name, sum(counts.values()) / requests, text)


@group(http__allocations_per_request=Limit(0))
def http_allocations(settings, record):
    """malloc, free, mmap and munmap per request in the steady state of hello."""
    name = "http.allocations_per_request"
    record_allocations(settings, record, name, "examples/hello", "http", "--connections", 64)


@group(http__epoll_allocations_per_request=Limit(0))
def http_allocations_on_epoll(settings, record):
    """The same with RILL_DRIVER=epoll."""
    name = "http.epoll_allocations_per_request"
    options = ("--connections", 64)
    record_allocations(settings, record, name, "examples/hello", "http", *options, driver="epoll")


@group(echo__allocations_per_message=Limit(0))
def echo_allocations(settings, record):
    """The same per message of the echo server."""
    name = "echo.allocations_per_message"
    record_allocations(settings, record, name, "examples/tcp_echo", "echo", "--connections", 100)
