"""Where a pattern stands in the texts of passes, line by line, and which pass changed that."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .errors import RenderError
from .model import Pass

#: Distinct lines whose matches are remembered; lines come again and again.
_REMEMBERED = 1 << 16
#: Texts whose lines are: a pass mostly begins with what the one before it left.
_TEXTS = 4


@dataclass(frozen=True)
class Match:
    """A line that holds the pattern."""

    #: ``in`` for a pass's input, ``out`` for its output.
    side: str
    #: Counted from 1.
    number: int
    text: str


@dataclass(frozen=True)
class Change:
    """How a pass changed the number of times that the pattern occurs."""

    before: int
    after: int
    #: Changed lines that hold the pattern, of the input and of the output.
    removed: list[str]
    added: list[str]


class Pattern:
    """A regular expression that is looked for line by line.

    Raises :class:`RenderError` where it is none; ``fixed``: a string, letter by letter.
    """

    def __init__(self, pattern: str, *, fixed: bool = False, ignore_case: bool = False) -> None:
        try:
            self._regex = re.compile(
                re.escape(pattern) if fixed else pattern, re.IGNORECASE if ignore_case else 0
            )
        except re.error as error:
            raise RenderError(
                f"{pattern!r} is no regular expression: {error}; -F takes it letter by letter."
            ) from None
        self._times: dict[str, int] = {}
        self._lines: dict[str, tuple[tuple[int, str], ...]] = {}

    def times(self, line: str) -> int:
        """Return how often it occurs in a line."""
        known = self._times.get(line)
        if known is None:
            if len(self._times) >= _REMEMBERED:
                self._times.clear()
            known = self._times[line] = sum(1 for _ in self._regex.finditer(line))
        return known

    def places(self, line: str) -> Iterator[tuple[int, int]]:
        """Yield where in a line it occurs: starts and ends in characters."""
        for found in self._regex.finditer(line):
            yield found.span()

    def numbered_lines(self, text: str) -> tuple[tuple[int, str], ...]:
        """Return the lines of a text that hold it, with their numbers from 1."""
        if text not in self._lines:
            if len(self._lines) >= _TEXTS:
                del self._lines[next(iter(self._lines))]
            self._lines[text] = tuple(self._search(text))
        return self._lines[text]

    def _search(self, text: str) -> Iterator[tuple[int, str]]:
        known = self._times
        for number, line in enumerate(text.split("\n"), 1):
            times = known.get(line)
            if self.times(line) if times is None else times:
                yield number, line


class Search:
    """Finds the lines with a pattern, each once in a compile: where it first is to be seen.

    With ``everywhere`` in every pass: in its output, or where there is none, its input.
    """

    def __init__(self, pattern: Pattern, *, everywhere: bool = False) -> None:
        self._pattern = pattern
        self._everywhere = everywhere
        #: Hashes, so that what has been seen needs no memory to speak of.
        self._seen_texts: set[tuple[int, int]] = set()
        self._seen_lines: set[tuple[int, int]] = set()

    def matches(self, one: Pass) -> list[Match]:
        """Return what is found in a pass."""
        # An input that is not new was looked at as what an earlier pass left.
        before = self._found(one, one.before, one.before_text, "in")
        after = self._found(one, one.after, one.after_text, "out")
        if self._everywhere:
            return after or before
        new = {
            line
            for line in {match.text for match in (*before, *after)}
            if self._is_new(self._seen_lines, one, line)
        }
        return [match for match in (*before, *after) if match.text in new]

    def _found(self, one: Pass, number: int | None, text: str, side: str) -> list[Match]:
        if number is None:
            return []
        told = self._everywhere and (side == "out" or one.after is None)
        if not self._is_new(self._seen_texts, one, text) and not told:
            return []
        return [Match(side, at, line) for at, line in self._pattern.numbered_lines(text)]

    def _is_new(self, seen: set[tuple[int, int]], one: Pass, text: str) -> bool:
        key = (one.unit.number, hash(text))
        if key in seen:
            return False
        seen.add(key)
        return True


class Pickaxe:
    """Finds passes that changed how often a pattern occurs."""

    def __init__(self, pattern: Pattern) -> None:
        self._pattern = pattern

    def change(self, one: Pass) -> Change | None:
        """Return what a pass did to the occurrences; ``None`` for nothing."""
        if one.before is None or not one.changed:
            return None
        before, after = self._count(one.before_text), self._count(one.after_text)
        if before == after:
            return None
        old, new = one.before_text.split("\n"), one.after_text.split("\n")
        hunks = one.diff.hunks
        return Change(
            before,
            after,
            self._holding(old, ((hunk.old_start, hunk.old_count) for hunk in hunks)),
            self._holding(new, ((hunk.new_start, hunk.new_count) for hunk in hunks)),
        )

    def _holding(self, lines: list[str], runs: Iterable[tuple[int, int]]) -> list[str]:
        return [
            line
            for start, count in runs
            for line in lines[start : start + count]
            if self._pattern.times(line)
        ]

    def _count(self, text: str) -> int:
        lines = self._pattern.numbered_lines(text)
        return sum(self._pattern.times(line) for _, line in lines)
