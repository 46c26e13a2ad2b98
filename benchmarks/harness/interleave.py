"""Short slices of load on each server in turn, in random order, round after round."""

import dataclasses
import random
import statistics
import time

from . import stats
from .processes import run_load, waited_for_cpu


@dataclasses.dataclass(frozen=True)
class Slice:
    name: str
    round: int
    moment: float
    cpu_us: float  # server CPU per request
    rate: float
    p50_us: float
    p99_us: float
    window_p99_us: float  # open loop: the median of the p99 of 20 ms each; otherwise 0
    limited: bool  # the load generator was the limit
    overloaded: bool  # open loop: the server did not keep up with the rate
    starved: float  # share of the time for which the server had no CPU although it wanted one


def judge_limit(report, open_loop):
    """Whether the figures are the generator's and not the server's."""
    if open_loop:
        # The generator spins; what counts is whether its requests left in time. The figure that is
        # compared is the p99, so the lag is held against the p99: against the median of some 40 us,
        # one turn of the spinning loop (a send is 5 to 8 us) already looks like a limit.
        return report["send_lag_ns"]["p99"] > 0.25 * report["latency_ns"]["p99"]
    wall = report["wall_s"]
    return report["load_cpu_s"] > 0.97 * wall and report["server_cpu_s"] < 0.95 * wall


def one_slice(settings, protocol, server, number, options, open_loop):
    pids = server.pids()
    begin = time.monotonic()
    waited = waited_for_cpu(pids)
    report = run_load(settings, protocol, server, *options)
    waited = waited_for_cpu(pids) - waited
    end = time.monotonic()
    requests = max(report["requests"], 1)
    return Slice(
        name=server.name,
        round=number,
        moment=(begin + end) / 2,
        cpu_us=max(report["server_cpu_s"] / requests * 1e6, 1e-6),
        rate=report["requests"] / report["wall_s"],
        p50_us=report["latency_ns"]["p50"] / 1e3,
        p99_us=max(report["latency_ns"]["p99"] / 1e3, 1e-3),
        window_p99_us=report["window_p99_ns"] / 1e3,
        limited=judge_limit(report, open_loop),
        overloaded=report["late"] > 0.02 * requests,
        starved=waited / (end - begin),
    )


def run(settings, protocol, servers, *options, rounds=None, progress=None):
    """Slices of all servers. `options` go to the load generator."""
    order = random.Random(settings.seed)
    open_loop = "--rate" in options
    times = ("--warm", settings.warm_seconds, "--time", settings.slice_seconds)
    slices = []
    for number in range(rounds or settings.rounds):
        names = sorted(servers)
        order.shuffle(names)
        for name in names:
            seeded = (*options, *times, "--seed", number + 1)
            slices.append(one_slice(settings, protocol, servers[name], number, seeded, open_loop))
        if progress:
            progress(number + 1, rounds or settings.rounds)
    return slices


def ratio(slices, ours, base, figure="cpu_us", seed=1):
    samples = [stats.Sample(s.name, s.round, s.moment, getattr(s, figure)) for s in slices]
    return stats.ratio(samples, ours, base, seed)


def of(slices, name):
    return [s for s in slices if s.name == name]


def median(slices, name, figure):
    return statistics.median(getattr(s, figure) for s in of(slices, name))


def warnings(slices):
    """What a reader has to know before believing the figures."""
    result = []
    for name in sorted({s.name for s in slices}):
        own = of(slices, name)
        limited = sum(s.limited for s in own)
        if limited * 2 > len(own):
            result.append(f"{name}: the load generator was the limit in {limited} of {len(own)} slices")
        overloaded = sum(s.overloaded for s in own)
        if overloaded:
            result.append(f"{name}: did not keep up with the rate in {overloaded} of {len(own)} slices")
    starved = statistics.median(s.starved for s in slices)
    if starved > 0.05:
        result.append(f"the machine is busy: servers waited for a CPU {starved:.0%} of the time")
    return result
