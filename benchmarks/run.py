#!/usr/bin/env python3
"""Runs the benchmarks: comparisons, bars, and the harness's own test.

    run.py http|echo [--quick] [--json FILE]     every server, interleaved in one run
    run.py udp [--quick] [--json FILE]           what a datagram costs, and what segments save
    run.py --bars [--json FILE] [--only PATTERN] figures with a limit
    run.py --list                                what there is
    run.py selftest                              tests of the harness and the load generator

Exit status of --bars: 0 when all hold, 1 when one does not, 2 when one could not be measured.
"""

import argparse
import dataclasses
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

# The modules of bars register their groups when they are imported; this is the order of the runs.
from harness import bars_speed  # isort: skip
from harness import bars_exact, bars_scale, bars_build, bars_simulation, bars_static, bars_overload, bars_bulk  # noqa: F401  isort: skip
from harness import bars, contenders, machine, report, settings, udp
from harness.processes import LoadFailed


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", choices=["http", "echo", "udp", "selftest"])
    parser.add_argument("--bars", action="store_true", help="measure the bars")
    parser.add_argument("--list", action="store_true", help="name scenarios, servers and bars")
    parser.add_argument("--only", metavar="PATTERN", help="bars whose name contains or matches it")
    parser.add_argument("--json", metavar="FILE", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true", help="fewer and shorter slices")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--build", type=pathlib.Path, default=settings.REPOSITORY / "build/release", metavar="DIR"
    )
    arguments = parser.parse_args()
    if not (arguments.what or arguments.bars or arguments.list):
        parser.error("nothing to do: http, echo, udp, --bars, --list or selftest")
    return arguments


def show_list():
    print("scenarios: http echo udp")
    print("HTTP servers: " + ", ".join(c.name for c in contenders.HTTP))
    print("echo servers: " + ", ".join(c.name for c in contenders.ECHO))
    for each in bars.GROUPS:
        print(f"\n{each.measure.__doc__.strip()}")
        for name, limit in each.limits.items():
            sign = "at most" if limit.better == "lower" else "at least"
            print(f"  {name}: {sign} {limit.limit:,g}")


def measure_group(chosen, group):
    """Returns the bars of one group; what cannot be measured has no value and a reason."""
    recorder = bars.Recorder(group.limits)
    try:
        group.measure(chosen, recorder)
        recorder.complete("not measured")
    except settings.Unavailable as reason:
        recorder.complete(str(reason))
    except LoadFailed as problem:
        # A server that answers wrongly holds no bar, whatever it was meant to show.
        recorder.complete(f"FAILED: {problem}")
    return recorder.bars


def run_bars(chosen, pattern, header):
    results = []
    groups = [g for g in bars.GROUPS if g.wants(pattern)]
    if not groups:
        sys.exit(f"no bar matches '{pattern}'")
    for number, group in enumerate(groups):
        report.note(f"[{number + 1}/{len(groups)}] {', '.join(group.limits)}")
        results += [b for b in measure_group(chosen, group) if bars.matches(b.name, pattern)]
    skipped = [{"name": b.name, "reason": b.detail} for b in results if b.value is None]
    report.bars(results)
    document = {
        "bars": [bar.as_json() for bar in results],
        "details": {bar.name: bar.detail for bar in results},
        "skipped": skipped,
        "header": header,
    }
    if any(not b.holds and b.value is not None for b in results):
        return 1, document
    if any(b.value is None for b in results):
        failed = any(b.detail.startswith("FAILED") for b in results)
        return (1 if failed else 2), document
    return 0, document


def run_scenario(chosen, name, header):
    scenarios = [
        {"title": title, "slices": [dataclasses.asdict(s) for s in slices]}
        for title, slices in bars_speed.show(chosen, name)
    ]
    return 0, {"scenarios": scenarios, "header": header}


def run_selftest(chosen):
    from harness import selftest

    selftest.SETTINGS = chosen
    suite = unittest.defaultTestLoader.loadTestsFromModule(selftest)
    return 0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1


def main():
    arguments = parse()
    if arguments.list:
        show_list()
        return 0
    server_cpu, load_cpu = settings.choose_cpus()
    chosen = settings.Settings(
        build=arguments.build.resolve(),
        quick=arguments.quick,
        seed=arguments.seed,
        server_cpu=server_cpu,
        load_cpu=load_cpu,
    )
    limit = settings.raise_descriptor_limit()
    if arguments.what == "selftest":
        return run_selftest(chosen)
    header = machine.header(chosen, limit)
    report.header(header)
    try:
        if arguments.bars:
            status, document = run_bars(chosen, arguments.only, header)
        elif arguments.what == "udp":
            status, document = 0, {"udp": udp.show(chosen), "header": header}
        else:
            status, document = run_scenario(chosen, arguments.what, header)
    except (settings.Unavailable, LoadFailed) as problem:
        sys.exit(f"cannot run: {problem}")
    header["stolen_s"] = round(machine.stolen() - header.pop("stolen_s_before"), 2)
    print(f"\nCPU time that the hypervisor took meanwhile: {header['stolen_s']} s")
    if arguments.json:
        arguments.json.write_text(json.dumps(document, indent=1) + "\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
