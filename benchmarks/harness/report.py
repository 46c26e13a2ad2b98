"""Tables for the terminal, and progress on standard error."""

import sys
import textwrap

from . import contenders, interleave, stats


def table(rows, right=()):
    """Rows of texts as aligned lines; the columns numbered in `right` lean to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for number, row in enumerate(rows):
        cells = [
            text.rjust(width) if i in right else text.ljust(width)
            for i, (text, width) in enumerate(zip(row, widths))
        ]
        lines.append("  ".join(cells).rstrip())
        if number == 0:
            lines.append("  ".join("-" * width for width in widths))
    return "\n".join(lines)


def header(values):
    versions = ", ".join(f"{k} {v}" for k, v in values["versions"].items())
    print(f"{values['cpu']}, {values['cpus']} CPUs, Linux {values['kernel']}")
    print(f"compiler {values['compiler']}, commit {values['commit']}, {values['date']}")
    print(f"server on CPU {values['server_cpu']}, load on CPU {values['load_cpu']}")
    print(f"load average at the start {values['load_average']}; {versions}")
    if values["load_cpu"] is None:
        print("ONE CPU ONLY: server and load share it; the figures mean little")


def comparison(title, slices, base, figures=("cpu_us", "p99_us")):
    """One scenario: medians, spread and the ratio to `base`."""
    print(f"\n{title}")
    rows = [["server", "CPU us/req", "spread", "req/s", "p50 us", "p99 us"]]
    rows[0] += [f"{f.split('_')[0]} ratio [95 %]" for f in figures]
    names = sorted({s.name for s in slices}, key=lambda n: interleave.median(slices, n, "cpu_us"))
    for name in names:
        own = interleave.of(slices, name)
        rows.append(
            [
                name,
                f"{interleave.median(slices, name, 'cpu_us'):.2f}",
                f"{stats.spread([s.cpu_us for s in own]):.1%}",
                f"{interleave.median(slices, name, 'rate'):,.0f}",
                f"{interleave.median(slices, name, 'p50_us'):.0f}",
                f"{interleave.median(slices, name, 'p99_us'):.0f}",
                *(ratio_text(slices, name, base, figure) for figure in figures),
            ]
        )
    print(table(rows, right=range(1, 6)))
    print(f"noise: {noise(slices, base)}")
    for warning in interleave.warnings(slices):
        print(f"WARNING {warning}")


def ratio_text(slices, name, base, figure):
    if name == base:
        return "1"
    found = interleave.ratio(slices, name, base, figure)
    return str(found) if found else "too few rounds"


def noise(slices, base=contenders.RING):
    """How far the same program is from itself, and how much single slices vary."""
    own = [s.cpu_us for s in interleave.of(slices, base)]
    text = f"single slices of {base} vary by {stats.spread(own):.1%}"
    twin = interleave.ratio(slices, contenders.TWIN, base)
    if twin:
        text = f"the same program against itself {twin}, {text}"
    return text


def missing(reasons):
    for name, reason in reasons.items():
        print(f"LEFT OUT {name}: {reason}")


def bars(results):
    """The verdicts, and below them what each figure rests on."""
    rows = [["bar", "value", "limit", "holds"]]
    for bar in results:
        value = "not measured" if bar.value is None else f"{bar.value:,.4g}"
        sign = {"lower": "at most", "higher": "at least"}[bar.better]
        verdict = "yes" if bar.holds else "NO"
        rows.append([bar.name, value, f"{sign} {bar.limit:,g}", verdict])
    print()
    print(table(rows, right=(1,)))
    print()
    for bar in results:
        if bar.detail:
            print(textwrap.fill(f"{bar.name}: {bar.detail}", 100, subsequent_indent="    "))


def progress(text):
    def show(done, total):
        if sys.stderr.isatty():
            end = "\n" if done == total else ""
            print(f"\r{text}: round {done} of {total}", end=end, file=sys.stderr, flush=True)

    return show


def note(text):
    print(text, file=sys.stderr, flush=True)
