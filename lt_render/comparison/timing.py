"""How long two lowerings took: by pass, with the noise of a machine told apart from a change."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from ..model import Pass
from .verdict import Comparison

#: A pass stands out from this many microseconds on, from this many times what was
#: to be expected, up or down, and from this many times what is usual among passes.
_LEAST = 1000
_FACTOR = 1.5
_USUAL = 4.0


@dataclass(frozen=True)
class PassTime:
    """What passes of one name took by themselves, in microseconds, where both sides ran them."""

    name: str
    runs: int
    a: int
    b: int


@dataclass(frozen=True)
class Timing:
    """The times of two sides, of those passes that both of them ran to their ends."""

    a: int
    b: int
    #: The median of the passes' ratios: what another machine, or another load, makes.
    usual_ratio: float | None
    #: Passes that changed more than that, and noise, can make them; the biggest change first.
    outstanding: list[PassTime]

    @property
    def ratio(self) -> float | None:
        """B's time over A's."""
        return self.b / self.a if self.a else None


def timing(comparison: Comparison) -> Timing:
    """Sum up what the passes took; those inside of a pass count for themselves."""
    times: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for kernel in comparison.kernels:
        if kernel.a is None or kernel.b is None:
            continue
        ours, theirs = own_times(kernel.a.passes), own_times(kernel.b.passes)
        for row in kernel.rows:
            if row.a in ours and row.b in theirs:
                times[row.one.name].append((ours[row.a], theirs[row.b]))
    passes = [
        PassTime(name, len(pairs), sum(a for a, _ in pairs), sum(b for _, b in pairs))
        for name, pairs in times.items()
    ]
    ratios = [math.log(b / a) for pairs in times.values() for a, b in pairs if a and b]
    usual = statistics.median(ratios) if ratios else None
    return Timing(
        sum(one.a for one in passes),
        sum(one.b for one in passes),
        None if usual is None else math.exp(usual),
        [] if usual is None else _outstanding(passes, ratios, usual),
    )


def _outstanding(passes: list[PassTime], ratios: list[float], usual: float) -> list[PassTime]:
    spread = statistics.median(abs(ratio - usual) for ratio in ratios)
    limit = max(math.log(_FACTOR), _USUAL * spread)

    def change(one: PassTime) -> float:
        return abs(one.b - one.a * math.exp(usual))

    found = [
        one
        for one in passes
        if change(one) >= _LEAST and abs(math.log(max(1, one.b) / max(1, one.a)) - usual) >= limit
    ]
    return sorted(found, key=lambda one: (-change(one), one.name))


def own_times(passes: Sequence[Pass]) -> dict[Pass | None, int]:
    """Return what each pass that ended took, without those inside of it."""
    inside: dict[Pass | None, int] = defaultdict(int)
    for one in passes:
        inside[one.parent] += one.duration or 0
    return {one: max(0, one.duration - inside[one]) for one in passes if one.duration is not None}
