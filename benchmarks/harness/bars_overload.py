"""Bars on overload: twice as many requests as the server can answer, in open loop."""

import statistics

from . import report
from .bars import Limit, group
from .processes import Server, free_port, run_load

# CPU time of a handler, and what a request may wait before it is refused. What is refused costs, too: with
# answers of 100 us, 0.84 to 0.88 of the capacity were answered on a busy machine; with 200 us 0.955.
COST_US = 200
SHED_US = 1000
CROWD = ("--connections", 512, "--poisson", "--busy")


def start(settings, *more):
    address = f"127.0.0.1:{free_port()}"
    program = settings.program("benchmarks/costly_http")
    command = [program, address, COST_US, *more]
    return Server("costly_http", command, address, settings.server_cpu, {"RILL_CORES": "1"})


def seconds(settings, warm, length):
    return ("--warm", warm, "--time", length / 2 if settings.quick else length)


def one_round(settings, without, with_shedding):
    """Capacity, then p99 of an unloaded server and of one that is offered twice its capacity."""
    closed = run_load(settings, "http", without, "--connections", 8, *seconds(settings, 0.5, 2))
    capacity = closed["requests"] / closed["wall_s"]

    def offered(server, share, warm, length):
        rate = ("--rate", f"{share * capacity:.0f}")
        return run_load(settings, "http", server, *CROWD, *rate, *seconds(settings, warm, length))

    calm = offered(with_shedding, 0.1, 0.5, 4)
    busy = offered(with_shedding, 2, 2, 4)
    return {
        "capacity": capacity,
        "calm_us": calm["latency_ns"]["p99"] / 1e3,
        "calm_refused": calm["refused"],
        "busy_us": busy["latency_ns"]["p99"] / 1e3,
        # What was answered in the time of measuring, and not after it.
        "goodput": (busy["requests"] - busy["late"]) / busy["wall_s"] / capacity,
        "refused": busy["refused"] / (busy["refused"] + busy["requests"]),
        "lag_us": busy["send_lag_ns"]["p99"] / 1e3,
    }


@group(http__overload_p99=Limit(5.0), http__overload_goodput=Limit(0.9, "higher"))
def overload(settings, record):
    """Twice the capacity offered in open loop: p99 of who is admitted, in unloaded p99; goodput."""
    rounds = 3 if settings.quick else 5
    with start(settings) as without, start(settings, SHED_US) as with_shedding:
        all_rounds = []
        progress = report.progress("overload")
        for number in range(rounds):
            all_rounds.append(one_round(settings, without, with_shedding))
            progress(number + 1, rounds)
        # What happens without shedding, once, and last: its queue is seconds long.
        rate = ("--rate", f"{2 * all_rounds[-1]['capacity']:.0f}")
        naive = run_load(settings, "http", without, *CROWD, *rate, *seconds(settings, 1, 2))

    def middle(name):
        return statistics.median(each[name] for each in all_rounds)

    text = (
        f"medians of {rounds} rounds; handler {COST_US} us of CPU, shed_delay {SHED_US} us, capacity"
        f" {middle('capacity'):,.0f}/s; p99 {middle('calm_us'):,.0f} us at a tenth of it and"
        f" {middle('busy_us'):,.0f} us at twice; {middle('refused'):.0%} refused, none of them in"
        f" the p99 ({sum(each['calm_refused'] for each in all_rounds)} refused at a tenth); lag of the"
        f" generator p99 {middle('lag_us'):,.0f} us; without shedding p99"
        f" {naive['latency_ns']['p99'] / 1e6:,.0f} ms"
    )
    ratios = statistics.median(each["busy_us"] / each["calm_us"] for each in all_rounds)
    record.value("http.overload_p99", ratios, text)
    record.value("http.overload_goodput", middle("goodput"), "of the capacity in closed loop")
