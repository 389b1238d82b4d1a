"""Which pass of one lowering is which of another: an alignment of two sequences.

Names decide, and of a name that comes up often, as ``Simplify`` does, the texts;
what is left on either side was inserted, taken out, moved or renamed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..diff import diff_lines

#: A place in each of two sequences; ``None`` where the other has nothing to match.
Place = tuple["int | None", "int | None"]

# What makes two passes the same one, by weight: a name counts more than all the rest.
_SAME_NAME = 16
_SAME_SHORT_NAME = 12
_SAME_INPUT = 3
_SAME_OUTPUT = 3
_SAME_DEPTH = 2
#: Passes of one sequence times those of the other that are looked at pair by pair.
_MOST_PAIRS = 250_000


@dataclass(frozen=True)
class Step:
    """What is to be known of a pass to align it."""

    name: str
    short_name: str
    depth: int
    #: The same number for the same text; ``None`` for one that is missing.
    before: int | None
    after: int | None


def align(a: Sequence[Step], b: Sequence[Step]) -> list[Place]:
    """Align two sequences: each place of both comes up once, in order."""
    places: list[Place] = []
    start = (0, 0)
    for i, j in (*_anchors(a, b), (len(a), len(b))):
        places += _between(a, b, start[0], i, start[1], j)
        if i < len(a):
            places.append((i, j))
        start = (i + 1, j + 1)
    return places


def _between(
    a: Sequence[Step], b: Sequence[Step], a0: int, a1: int, b0: int, b1: int
) -> Iterator[Place]:
    while a0 < a1 and b0 < b1 and a[a0] == b[b0]:
        yield a0, b0
        a0, b0 = a0 + 1, b0 + 1
    tail = 0
    while a0 < a1 - tail and b0 < b1 - tail and a[a1 - tail - 1] == b[b1 - tail - 1]:
        tail += 1
    a1, b1 = a1 - tail, b1 - tail
    if (a1 - a0) * (b1 - b0) <= _MOST_PAIRS:
        yield from _best(a, b, a0, a1, b0, b1)
    else:
        yield from _by_name(a, b, a0, a1, b0, b1)
    yield from ((a1 + i, b1 + i) for i in range(tail))


def _best(
    a: Sequence[Step], b: Sequence[Step], a0: int, a1: int, b0: int, b1: int
) -> Iterator[Place]:
    """Align so that the sum of what matches is the highest there is."""
    width = b1 - b0 + 1
    # best[i][j]: what can be had of the passes from i and j on.
    best = [[0] * width for _ in range(a1 - a0 + 1)]
    alike = [[_likeness(a[i], b[j]) for j in range(b0, b1)] for i in range(a0, a1)]
    for i in reversed(range(a1 - a0)):
        row, below, likenesses = best[i], best[i + 1], alike[i]
        for j in reversed(range(width - 1)):
            likeness = likenesses[j]
            most = below[j] if below[j] > row[j + 1] else row[j + 1]
            paired = likeness + below[j + 1]
            row[j] = paired if likeness and paired > most else most
    i, j = 0, 0
    while i < a1 - a0 and j < width - 1:
        if alike[i][j] and best[i][j] == alike[i][j] + best[i + 1][j + 1]:
            yield a0 + i, b0 + j
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            yield a0 + i, None
            i += 1
        else:
            yield None, b0 + j
            j += 1
    yield from _unmatched(a0 + i, a1, b0 + j, b1)


def _likeness(one: Step, other: Step) -> int:
    if one.name == other.name:
        likeness = _SAME_NAME
    elif one.short_name == other.short_name:
        likeness = _SAME_SHORT_NAME
    else:
        return 0
    if one.before == other.before is not None:
        likeness += _SAME_INPUT
    if one.after == other.after is not None:
        likeness += _SAME_OUTPUT
    return likeness + (_SAME_DEPTH if one.depth == other.depth else 0)


def _anchors(a: Sequence[Step], b: Sequence[Step]) -> list[tuple[int, int]]:
    """Of long sequences what each has once, in the longest run that is in order on both."""
    if len(a) * len(b) <= _MOST_PAIRS:
        return []
    in_a, in_b = Counter(a), Counter(b)
    places = {one: j for j, one in enumerate(b) if in_b[one] == 1}
    pairs = [(i, places[one]) for i, one in enumerate(a) if in_a[one] == 1 and one in places]
    # For each length of a run the pair at which one of that length ends soonest.
    ends: list[int] = []
    tails: list[int] = []
    previous: list[int] = []
    for at, (_, j) in enumerate(pairs):
        length = bisect_left(tails, j)
        tails[length : length + 1] = [j]
        ends[length : length + 1] = [at]
        previous.append(ends[length - 1] if length else -1)
    run = []
    at = ends[-1] if ends else -1
    while at >= 0:
        run.append(pairs[at])
        at = previous[at]
    return run[::-1]


def _by_name(
    a: Sequence[Step], b: Sequence[Step], a0: int, a1: int, b0: int, b1: int
) -> Iterator[Place]:
    """Align by nothing but names, in the time that a line diff takes."""
    numbers: dict[str, int] = {}

    def listed(steps: Sequence[Step]) -> str:
        return "\n".join(str(numbers.setdefault(one.name, len(numbers))) for one in steps)

    i, j = a0, b0
    for hunk in diff_lines(listed(a[a0:a1]), listed(b[b0:b1])).hunks:
        yield from zip(range(i, a0 + hunk.old_start), range(j, b0 + hunk.new_start), strict=True)
        i, j = a0 + hunk.old_start + hunk.old_count, b0 + hunk.new_start + hunk.new_count
        yield from _unmatched(i - hunk.old_count, i, j - hunk.new_count, j)
    yield from zip(range(i, a1), range(j, b1), strict=True)


def _unmatched(a0: int, a1: int, b0: int, b1: int) -> Iterator[Place]:
    yield from ((i, None) for i in range(a0, a1))
    yield from ((None, j) for j in range(b0, b1))
