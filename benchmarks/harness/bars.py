"""Bars: figures with a limit. Groups of them share a measurement; each module adds its groups."""

import dataclasses
import fnmatch
import math
import typing


@dataclasses.dataclass(frozen=True)
class Limit:
    """What a bar demands. `strict`: the value must stay below (above) the limit itself."""

    limit: float
    better: str = "lower"
    strict: bool = False

    def holds(self, value):
        if self.better == "lower":
            return value < self.limit if self.strict else value <= self.limit
        return value > self.limit if self.strict else value >= self.limit


@dataclasses.dataclass(frozen=True)
class Bar:
    name: str
    value: float | None
    limit: float
    better: str
    holds: bool
    detail: str = ""

    def as_json(self):
        return {
            "name": self.name,
            "value": self.value,
            "limit": self.limit,
            "better": self.better,
            "holds": self.holds,
        }


@dataclasses.dataclass(frozen=True)
class Group:
    """Bars that one measurement yields. `measure(settings, record)` calls record once for each."""

    limits: dict[str, Limit]
    measure: typing.Callable

    def wants(self, pattern):
        return any(matches(name, pattern) for name in self.limits)


GROUPS: list[Group] = []


def group(**limits):
    """Decorates the function that measures these bars. `__` in a keyword stands for `.`."""

    def add(function):
        named = {name.replace("__", "."): limit for name, limit in limits.items()}
        GROUPS.append(Group(named, function))
        return function

    return add


def matches(name, pattern):
    return pattern is None or pattern in name or fnmatch.fnmatch(name, pattern)


class Recorder:
    """Collects the bars of one group and judges them by their limits."""

    def __init__(self, limits):
        self._limits = limits
        self.bars = []

    def value(self, name, value, detail=""):
        limit = self._limits[name]
        holds = math.isfinite(value) and limit.holds(value)
        self.bars.append(Bar(name, value, limit.limit, limit.better, holds, detail))

    def ratio(self, name, ratio, detail=""):
        """A ratio holds when the worse end of its 95 % interval does."""
        if ratio is None:
            self.absent(name, "too few rounds for a ratio")
            return
        limit = self._limits[name]
        bound = ratio.high if limit.better == "lower" else ratio.low
        text = f"95 % [{ratio.low:.3f}, {ratio.high:.3f}], {ratio.rounds} rounds; {detail}"
        bar = Bar(name, ratio.value, limit.limit, limit.better, limit.holds(bound), text)
        self.bars.append(bar)

    def absent(self, name, reason):
        limit = self._limits[name]
        self.bars.append(Bar(name, None, limit.limit, limit.better, False, reason))

    def complete(self, reason):
        """Gives the bars that were not recorded a value of none."""
        have = {bar.name for bar in self.bars}
        for name in self._limits:
            if name not in have:
                self.absent(name, reason)
