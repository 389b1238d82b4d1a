"""What a line was in earlier passes: the page's notion of it (``lineage.js``)."""

from __future__ import annotations

import bisect
import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .diff import Hunk, diff_lines
from .likeness import likeness, pair_up
from .model import Pass
from .texts import AFTER, BEFORE

#: Versions of a line that are told.
_MOST_VERSIONS = 60
#: Likeness from which a line counts as the other one, rewritten.
_ALIKE = 0.35
#: The latest steps among which the origin of a text of unknown origin is looked for.
_LATEST = 200

#: How a version of a line came in.
START = "start"
GENERATED = "generated"
BROUGHT = "brought"
REWRITTEN = "rewritten"


@dataclass(frozen=True)
class Version:
    """A wording of a line, and how it came in."""

    #: ``START``: it was there before the first pass; ``GENERATED``: a codegen wrote it;
    #: ``BROUGHT``: it is new; ``REWRITTEN``: it was another line.
    how: str
    #: The pass that did it; where ``between`` the first that was given the line.
    one: Pass
    #: Whether it was done between two passes, by nobody that was recorded.
    between: bool = False


class Changes:
    """The hunks between two texts, walked from the new one to the old one."""

    def __init__(self, old: str, new: str, hunks: Sequence[Hunk]) -> None:
        self._texts = old, new
        self._hunks = hunks
        self._starts = [hunk.new_start for hunk in hunks]
        self._partners: dict[Hunk, dict[int, int]] = {}

    def back(self, line: int) -> tuple[bool, int]:
        """Return whether a new line is changed, and the old line it was; −1 for none."""
        at = bisect.bisect_right(self._starts, line) - 1
        if at < 0:
            return False, line
        hunk = self._hunks[at]
        behind = line - hunk.new_start - hunk.new_count
        if behind >= 0:
            return False, hunk.old_start + hunk.old_count + behind
        if hunk not in self._partners:
            self._partners[hunk] = self._pairs(hunk)
        return True, self._partners[hunk].get(line, -1)

    def _pairs(self, hunk: Hunk) -> dict[int, int]:
        """Which old line each new line of a hunk was rewritten from."""
        runs = ((hunk.old_start, hunk.old_count), (hunk.new_start, hunk.new_count))
        old, new = (
            text.split("\n")[start : start + count]
            for text, (start, count) in zip(self._texts, runs, strict=True)
        )
        if len(old) > len(new):
            pairs = [(theirs, mine) for mine, theirs in enumerate(pair_up(new, old))]
        else:
            pairs = list(enumerate(pair_up(old, new)))
        return {
            hunk.new_start + mine: hunk.old_start + theirs
            for theirs, mine in pairs
            if likeness(new[mine], old[theirs]) >= _ALIKE
        }


@dataclass(eq=False)
class _Step:
    """A pass that recorded a text, and the step whose result it took up."""

    one: Pass
    before: str | None
    after: str | None
    source: _Step | None = None
    #: The differences to that step's result, where it was not the very same text, and
    #: the pass around that made them, if it is known.
    bridge: Changes | None = None
    culprit: Pass | None = None
    #: Whether a later step took up the very text that this one left.
    continued: bool = False

    @property
    def translates(self) -> bool:
        return self.one.is_codegen and not self.one.failed

    @functools.cached_property
    def changes(self) -> Changes:
        """What the pass itself did."""
        old, new = self.before or "", self.after or ""
        return Changes(old, new, diff_lines(old, new).hunks)


@dataclass(frozen=True)
class _Span:
    """What a pass did, by itself or by the passes inside it."""

    before: str | None
    after: str | None
    first: _Step
    last: _Step


class Lineage:
    """The texts of one compile as steps from text to text; ``passes`` are those of it, in order.

    A pass whose inner passes account for all that it did is left to them. Lines
    that differ in nothing but their indentation are the same, unless ``exact``,
    which is what the page goes by.
    """

    def __init__(self, passes: Sequence[Pass], *, exact: bool = False) -> None:
        self._seen = _as_it_is if exact else functools.lru_cache(_LATEST)(_without_indentation)
        self._steps: list[_Step] = []
        #: By text, the latest step that led to it.
        self._latest: dict[str, _Step] = {}
        self._spans: dict[Pass, _Span] = {}
        self._inner: dict[Pass, list[_Span]] = {}
        for one in _finish_order(passes):
            self._add(one)

    def versions(self, one: Pass, side: str, line: int) -> Iterator[Version]:
        """Yield the wordings of a line of a pass's text, the newest first.

        ``side``: ``BEFORE`` or ``AFTER``, a text that is there; ``line`` from 0.
        """
        span = self._spans[one]
        step = span.first if side == BEFORE else span.last
        told = 0
        while told < _MOST_VERSIONS:
            if side == AFTER and (step.translates or step.before is None):
                yield Version(GENERATED if step.translates else START, step.one)
                return
            if side == BEFORE and step.source is None:
                yield Version(START, step.one)
                return
            changes = step.changes if side == AFTER else step.bridge
            if changes is not None:
                changed, line = changes.back(line)
                if changed:
                    yield _version(step, side, REWRITTEN if line >= 0 else BROUGHT)
                    told += 1
                if line < 0:
                    return
            if side == AFTER:
                side = BEFORE
            elif step.source is not None:
                step, side = step.source, AFTER

    def _add(self, one: Pass) -> None:
        before = None if one.before is None else self._seen(one.before_text)
        after = None if one.after is None else self._seen(one.after_text)
        if before is None and after is None:
            return
        inner = self._inner.get(one, [])
        if _account_for(inner, before, after):
            span = _Span(before, after, inner[0].first, inner[-1].last)
        else:
            step = _Step(one, before, after)
            if before is not None:
                self._connect(step, before)
            self._steps.append(step)
            if after is not None:
                self._latest[after] = step
            span = _Span(before, after, step, step)
        self._spans[one] = span
        if one.parent is not None:
            self._inner.setdefault(one.parent, []).append(span)

    def _connect(self, step: _Step, before: str) -> None:
        """Find the step whose result ``step`` took up."""
        parent = step.one.parent
        base: str | None = before
        source = self._latest.get(before)
        if source is None and parent is not None and parent.before is not None:
            base = self._seen(parent.before_text)
            source = self._latest.get(base)
            step.culprit = parent
        elif source is None:
            source = self._most_like(before)
            base = None if source is None else source.after
        if source is None or base is None:
            return
        step.source = source
        if base == before:
            source.continued = True
        else:
            step.bridge = Changes(base, before, diff_lines(base, before).hunks)

    def _most_like(self, text: str) -> _Step | None:
        """Of the latest steps that nothing took up, the one that shares most lines with a text."""
        lines = set(text.split("\n"))
        best, most = None, 1
        for step in self._steps[-_LATEST:]:
            if step.after is None or step.translates or step.continued:
                continue
            shared = len(lines.intersection(step.after.split("\n")))
            if shared >= most:
                best, most = step, shared
        return best


def _as_it_is(text: str) -> str:
    return text


def _without_indentation(text: str) -> str:
    return "\n".join(line.strip() for line in text.split("\n"))


def _version(step: _Step, side: str, how: str) -> Version:
    if side == AFTER:
        return Version(how, step.one)
    return Version(how, step.culprit or step.one, between=step.culprit is None)


def _finish_order(passes: Sequence[Pass]) -> Iterator[Pass]:
    """Yield the passes in the order they ended: those inside of one before it."""
    running: list[Pass] = []
    for one in passes:
        while running and running[-1] is not one.parent:
            yield running.pop()
        running.append(one)
    yield from reversed(running)


def _account_for(inner: list[_Span], before: str | None, after: str | None) -> bool:
    """Whether inner passes lead, each from where the one before it left off, from text to text."""
    if not inner or inner[0].before != before or inner[-1].after != after:
        return False
    return all(one.before == other.after for one, other in zip(inner[1:], inner, strict=False))
