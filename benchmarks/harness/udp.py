"""What a datagram costs, sent and received: plain system calls, and the ways that rill has.

Sender and receiver are processes on a CPU each, over loopback. A round runs every variant once, in
random order; the figure is the median of datagrams per second of the measured side's CPU time. All
senders send to a receiver that takes merged datagrams; all receivers hear a sender of segments, so
that the other side is never the slow one.
"""

import os
import random
import re
import statistics
import subprocess

from . import settings

SEND = ["plain", "rill", "batch", "segments"]
RECEIVE = ["plain", "rill", "batch", "merge"]
SIZES = [200, 1200]


def _start(chosen, cpu, *arguments):
    program = chosen.build / "benchmarks/micro/udp_cost"
    if not program.exists():
        raise settings.Unavailable(f"{program} is not built")
    return subprocess.Popen(
        [program, *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: os.sched_setaffinity(0, {cpu}),
    )


def _rate(line):
    datagrams, cpu = map(int, re.fullmatch(r"datagrams=(\d+) cpu_ns=(\d+)\n", line).groups())
    return datagrams / cpu * 1e9


def _slice(chosen, sender, receiver, size, seconds):
    """Runs both for some seconds; returns datagrams per CPU second of sender and receiver."""
    receiving = _start(chosen, chosen.server_cpu, "receive", receiver, seconds, size)
    port = int(receiving.stdout.readline().removeprefix("port="))
    sending = _start(chosen, chosen.load_cpu, "send", sender, seconds, size, port)
    rates = _rate(sending.stdout.readline()), _rate(receiving.stdout.readline())
    for each in (sending, receiving):
        each.wait()
        each.stdout.close()
    return rates


def show(chosen):
    """Measures and prints; returns what was measured."""
    rounds, seconds = (3, 0.3) if chosen.quick else (11, 0.5)
    order = random.Random(chosen.seed)
    found = {}
    for _ in range(rounds):
        jobs = [("send", each, size) for each in SEND for size in SIZES]
        jobs += [("receive", each, size) for each in RECEIVE for size in SIZES]
        order.shuffle(jobs)
        for side, variant, size in jobs:
            sender = variant if side == "send" else "segments"
            receiver = variant if side == "receive" else "merge"
            rates = _slice(chosen, sender, receiver, size, seconds)
            found.setdefault((side, size, variant), []).append(rates[side == "receive"])
    rows = []
    for side, variants in (("send", SEND), ("receive", RECEIVE)):
        for size in SIZES:
            plain = statistics.median(found[side, size, "plain"])
            print(f"\n{side}, {size} bytes: datagrams per CPU second, ratio to plain calls")
            for variant in variants:
                rate = statistics.median(found[side, size, variant])
                print(f"  {variant:10} {rate:12,.0f}  {rate / plain:6.2f}")
                rows.append(
                    {"side": side, "size": size, "variant": variant, "rate": rate, "ratio": rate / plain}
                )
    return rows
