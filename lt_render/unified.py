"""Unified diffs: changed lines with some of what is around them, and the words that changed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from .diff import Hunk, LineDiff, diff_lines

CONTEXT = " "
REMOVED = "-"
ADDED = "+"

#: Beyond these the words of a hunk are not compared: lines times lines, and
#: characters of a line.
_MOST_PAIRS = 2500
_LONGEST_LINE = 2000
#: Share of the words in common from which a line counts as another one, changed.
_ALIKE = 0.5

_WORD = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True)
class Line:
    """One line of a unified diff."""

    #: ``CONTEXT``, ``REMOVED`` or ``ADDED``.
    kind: str
    text: str
    #: Where it differs from the line that it was, or became: starts and ends in characters.
    changes: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Section:
    """A piece of a unified diff: hunks close to each other, and their context."""

    old_start: int
    new_start: int
    lines: list[Line] = field(default_factory=list)

    @property
    def header(self) -> str:
        """``@@ -1,7 +1,8 @@``, as in a patch."""
        old = sum(line.kind != ADDED for line in self.lines)
        new = sum(line.kind != REMOVED for line in self.lines)
        # An empty side is named by the line before it.
        return f"@@ -{self.old_start + (old > 0)},{old} +{self.new_start + (new > 0)},{new} @@"


def sections(
    old: str, new: str, diff: LineDiff, *, context: int = 3, words: bool = True
) -> Iterator[Section]:
    """Yield the unified diff from ``old`` to ``new`` with ``context`` lines around each change.

    ``diff`` is the one of the two texts; ``words``: look for changed words, too.
    """
    before, after = old.split("\n"), new.split("\n")
    for hunks in _close_together(diff.hunks, 2 * context):
        at = max(0, hunks[0].old_start - context)
        section = Section(at, hunks[0].new_start - (hunks[0].old_start - at))
        for hunk in hunks:
            section.lines.extend(Line(CONTEXT, line) for line in before[at : hunk.old_start])
            at = hunk.old_start + hunk.old_count
            removed = before[hunk.old_start : at]
            added = after[hunk.new_start : hunk.new_start + hunk.new_count]
            section.lines.extend(_changed(removed, added, words=words))
        section.lines.extend(Line(CONTEXT, line) for line in before[at : at + context])
        yield section


def _close_together(hunks: Sequence[Hunk], distance: int) -> Iterator[list[Hunk]]:
    group: list[Hunk] = []
    for hunk in hunks:
        if group and hunk.old_start - group[-1].old_start - group[-1].old_count > distance:
            yield group
            group = []
        group.append(hunk)
    if group:
        yield group


def _changed(removed: list[str], added: list[str], *, words: bool) -> Iterator[Line]:
    marks_removed: dict[int, tuple[tuple[int, int], ...]] = {}
    marks_added: dict[int, tuple[tuple[int, int], ...]] = {}
    if words:
        for one, other in _partners(removed, added):
            marks_removed[one], marks_added[other] = _changed_words(removed[one], added[other])
    for at, line in enumerate(removed):
        yield Line(REMOVED, line, marks_removed.get(at, ()))
    for at, line in enumerate(added):
        yield Line(ADDED, line, marks_added.get(at, ()))


def _changed_words(
    old: str, new: str
) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]:
    """Return where each of two lines differs from the other: starts and ends in characters."""
    before, after = _WORD.findall(old), _WORD.findall(new)
    diff = diff_lines("\n".join(before), "\n".join(after))
    return (
        _places(before, [(hunk.old_start, hunk.old_count) for hunk in diff.hunks]),
        _places(after, [(hunk.new_start, hunk.new_count) for hunk in diff.hunks]),
    )


def _places(words: list[str], runs: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    return tuple((starts[start], starts[start + count]) for start, count in runs if count)


def _partners(removed: list[str], added: list[str]) -> list[tuple[int, int]]:
    """Pair lines that are alike, in order, so that as much as possible is alike."""
    if not removed or not added or len(removed) * len(added) > _MOST_PAIRS:
        return []
    bags_removed, bags_added = ([_bag(line) for line in lines] for lines in (removed, added))
    # best[i][j]: what can be had of the lines from i and j on.
    best = [[0.0] * (len(added) + 1) for _ in range(len(removed) + 1)]
    alike = [[_alikeness(one, other) for other in bags_added] for one in bags_removed]
    for i in reversed(range(len(removed))):
        for j in reversed(range(len(added))):
            paired = alike[i][j] + best[i + 1][j + 1] if alike[i][j] >= _ALIKE else 0.0
            best[i][j] = max(paired, best[i + 1][j], best[i][j + 1])
    pairs, i, j = [], 0, 0
    while i < len(removed) and j < len(added):
        if best[i][j] == best[i + 1][j]:
            i += 1
        elif best[i][j] == best[i][j + 1]:
            j += 1
        else:
            pairs.append((i, j))
            i, j = i + 1, j + 1
    return pairs


def _bag(line: str) -> Counter[str]:
    if len(line) > _LONGEST_LINE:
        return Counter()
    return Counter(word for word in _WORD.findall(line) if not word.isspace())


def _alikeness(one: Counter[str], other: Counter[str]) -> float:
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0
