"""Medians, spread, and the ratio of two contenders with drift removed and a bootstrap interval.

Costs are compared as logarithms, so that a ratio is a difference. One round has one slice of each
contender in random order. The machine's drift at a slice is estimated from the slices of other
moments around it (never from the slice itself), and subtracted; what is left of a round gives one
difference for each pair of contenders. Their mid-mean is the estimate, and resampling whole rounds
gives its interval.
"""

import dataclasses
import math
import random
import statistics

RESAMPLES = 4000


@dataclasses.dataclass(frozen=True)
class Sample:
    """One slice: who, in which round, when (seconds), and what was measured (positive)."""

    name: str
    round: int
    moment: float
    value: float


@dataclasses.dataclass(frozen=True)
class Ratio:
    value: float
    low: float  # the 95 % interval
    high: float
    rounds: int

    def __str__(self):
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def midmean(values):
    """The mean of the middle half: nearly as sharp as a mean, nearly as deaf to outliers as a median."""
    ordered = sorted(values)
    cut = len(ordered) // 4
    middle = ordered[cut : len(ordered) - cut]
    return sum(middle) / len(middle)


def spread(values):
    """Half of the interquartile range as a share of the median."""
    if len(values) < 2:
        return 0.0
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return (high - low) / 2 / statistics.median(values)


def student(degrees):
    """The 97.5 % point of Student's distribution (Cornish-Fisher; within 1 % from 4 degrees on)."""
    z = 1.959964
    first = (z**3 + z) / (4 * degrees)
    second = (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)
    return z + first + second


def drift_of(samples, residuals, width):
    """The smoothed residual around each sample, from the other samples only, outliers clipped."""
    limit = 3 * 1.4826 * statistics.median(abs(r) for r in residuals) or math.inf
    clipped = [max(-limit, min(limit, r)) for r in residuals]
    result = []
    for i, sample in enumerate(samples):
        weight_sum = total = 0.0
        for j, other in enumerate(samples):
            if i == j:
                continue
            weight = math.exp(-0.5 * ((sample.moment - other.moment) / width) ** 2)
            weight_sum += weight
            total += weight * clipped[j]
        result.append(total / weight_sum if weight_sum > 0 else 0.0)
    return result


def without_drift(samples):
    """Logarithms of the samples' values with the common drift removed, by (name, round)."""
    names = sorted({s.name for s in samples})
    logs = [math.log(s.value) for s in samples]
    moments = [s.moment for s in samples]
    rounds = len({s.round for s in samples})
    width = max((max(moments) - min(moments)) / max(rounds, 1), 1e-9)
    drift = [0.0] * len(samples)
    for _ in range(4):
        level = {
            name: midmean([v - d for s, v, d in zip(samples, logs, drift) if s.name == name])
            for name in names
        }
        residuals = [v - level[s.name] for s, v in zip(samples, logs)]
        drift = drift_of(samples, residuals, width)
    return {(s.name, s.round): v - d for s, v, d in zip(samples, logs, drift)}


def ratio(samples, ours, base, seed=1):
    """`ours` / `base`, from the rounds that have both. None where fewer than four have."""
    adjusted = without_drift(samples)
    differences = [
        adjusted[(ours, number)] - adjusted[(base, number)]
        for number in sorted({s.round for s in samples})
        if (ours, number) in adjusted and (base, number) in adjusted
    ]
    if len(differences) < 4:
        return None
    estimate = midmean(differences)
    low, high = bootstrap(differences, seed)
    # A bootstrap of few rounds is too narrow: it knows neither n - 1 nor Student's tails.
    count = len(differences)
    widen = math.sqrt(count / (count - 1)) * student(count - 1) / 1.959964
    return Ratio(
        math.exp(estimate),
        math.exp(estimate + (low - estimate) * widen),
        math.exp(estimate + (high - estimate) * widen),
        count,
    )


def bootstrap(differences, seed):
    """The 95 % percentile interval of the mid-mean."""
    source = random.Random(seed)
    count = len(differences)
    means = sorted(midmean(source.choices(differences, k=count)) for _ in range(RESAMPLES))
    return means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES) - 1]
