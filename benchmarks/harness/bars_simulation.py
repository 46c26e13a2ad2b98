"""Bars on simulated worlds: what the test of a long wait costs in real time."""

import statistics
import subprocess

from .bars import Limit, group
from .processes import pin_to

RUNS = 101


@group(simulation__idle_hour_ms=Limit(50, strict=True))
def idle_hour(settings, record):
    """Real milliseconds of a test in which an HTTP server closes a connection idle for an hour."""
    done = subprocess.run(
        [settings.program("benchmarks/micro/idle_hour"), str(RUNS)],
        capture_output=True,
        check=True,
        text=True,
        preexec_fn=pin_to(settings.server_cpu),
        timeout=60,
    )
    first, *later = map(float, done.stdout.split())
    text = f"the first run of a process; the median of {len(later)} more is"
    record.value("simulation.idle_hour_ms", first, f"{text} {statistics.median(later):.3f}")
