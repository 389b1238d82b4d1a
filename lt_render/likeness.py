"""Which lines are alike: the page's notion of it (``words.js``), so that both tell the same."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Sequence

#: Characters of a line that are looked at.
_LONGEST = 10_000
#: Beyond this many comparisons lines are paired in order.
_MOST_PAIRS = 3000

_WORD = re.compile(r"\w+|.", re.DOTALL)


def likeness(one: str, other: str) -> float:
    """How much of two lines is the same, from 0 to 1: Dice's coefficient over their words."""
    left, right = _bag(one), _bag(other)
    weight = _weight(left) + _weight(right)
    return 2 * _weight(left & right) / weight if weight else 0.0


def pair_up(short: Sequence[str], long: Sequence[str]) -> list[int]:
    """Return which of ``long`` lines each of ``short`` lines stands beside.

    Ascending, and most alike in sum.
    """
    slack = len(long) - len(short)
    if slack == 0 or len(short) * (slack + 1) > _MOST_PAIRS:
        return list(range(len(short)))
    # best[i][s]: what the first i lines have with at most s lines left out; gain: with s.
    best = [[0.0] * (slack + 1) for _ in range(len(short) + 1)]
    gain = [[0.0] * (slack + 1) for _ in range(len(short) + 1)]
    for i, line in enumerate(short, 1):
        for s in range(slack + 1):
            gain[i][s] = best[i - 1][s] + likeness(line, long[i - 1 + s])
            best[i][s] = max(best[i][s - 1], gain[i][s]) if s else gain[i][s]
    places = [0] * len(short)
    s = slack
    for i in range(len(short), 0, -1):
        while s > 0 and best[i][s - 1] >= gain[i][s]:
            s -= 1
        places[i - 1] = i - 1 + s
    return places


@functools.lru_cache(maxsize=4096)
def _bag(line: str) -> Counter[str]:
    return Counter(word for word in _WORD.findall(line[:_LONGEST]) if word.strip())


def _weight(bag: Counter[str]) -> int:
    return sum(len(word) * times for word, times in bag.items())
