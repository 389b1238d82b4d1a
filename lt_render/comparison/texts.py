"""When two texts count as the same, and the diff of those that do not."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..diff import Hunk, LineDiff, diff_lines
from .variables import Masked, Masks

#: A line that only tells where in some file the next one comes from.
_DIRECTIVE = re.compile(
    r"\s*(?:#\s*line\b|#\s*\d+\s+\"|(?://|/\*|#)\s*\S+:\d+(?::\d+)?\s*(?:\*/)?$)"
)
#: The same behind a line's code.
_PLACE_AT_END = re.compile(r"(?<=\s)(?://|#)\s*\S+:\d+(?::\d+)?\s*$")


@dataclass(frozen=True)
class Ignored:
    """What does not count as a difference."""

    whitespace: bool = False
    #: The names of variables, as long as each keeps to its own.
    renumbering: bool = False
    #: ``#line``, and comments that name a line of a file.
    line_directives: bool = False


@dataclass(frozen=True)
class TextDiff:
    """Where two texts differ."""

    #: What counts of them: directives that are ignored are left out.
    old: str
    new: str
    diff: LineDiff


class Texts:
    """Compares texts, each looked at once."""

    def __init__(self, ignored: Ignored | None = None) -> None:
        self.ignored = ignored or Ignored()
        self._ids: dict[str, int] = {}
        self._keys: dict[str, int] = {}
        self._masks = Masks()
        self._diffs: dict[tuple[int, int, str, str], TextDiff] = {}

    def id(self, text: str) -> int:
        """Return a number that only texts which count as the same share."""
        number = self._ids.get(text)
        if number is None:
            number = self._ids[text] = self._keys.setdefault(self._key(text), len(self._keys))
        return number

    def diff(self, old: str, new: str) -> TextDiff:
        """Return where two texts differ, what is ignored left out."""
        key = (self.id(old), self.id(new), old, new)
        if key not in self._diffs:
            self._diffs[key] = self._diff(old, new)
        return self._diffs[key]

    def shown(self, text: str) -> str:
        """Return what counts of a text: directives that are ignored are left out."""
        if not self.ignored.line_directives:
            return text
        return "\n".join(
            _PLACE_AT_END.sub("", line).rstrip()
            for line in text.split("\n")
            if not _DIRECTIVE.match(line)
        )

    def _key(self, text: str) -> str:
        if self.ignored == Ignored():
            return text
        text = self.shown(text)
        if self.ignored.renumbering:
            masked = self._masks.mask(text)
            lines = zip(self._without_space(masked.lines), masked.variables, strict=True)
            return "\n".join(f"{line}{variables}" for line, variables in lines)
        return "\n".join(self._without_space(text.split("\n")))

    def _diff(self, old: str, new: str) -> TextDiff:
        old, new = self.shown(old), self.shown(new)
        if not self.ignored.renumbering:
            return TextDiff(old, new, self._lines_diff(old.split("\n"), new.split("\n")))
        one, other = self._masks.mask(old), self._masks.mask(new)
        diff = self._lines_diff(one.lines, other.lines)
        return TextDiff(old, new, _where_names_part(one, other, diff))

    def _lines_diff(self, old: list[str], new: list[str]) -> LineDiff:
        return diff_lines("\n".join(self._without_space(old)), "\n".join(self._without_space(new)))

    def _without_space(self, lines: list[str]) -> list[str]:
        if not self.ignored.whitespace:
            return lines
        return ["".join(line.split()) for line in lines]


def _where_names_part(old: Masked, new: Masked, diff: LineDiff) -> LineDiff:
    """Add the lines of equal structure in which a variable is not the one it was until there."""
    partners: dict[int, int] = {}
    taken: dict[int, int] = {}
    hunks: list[Hunk] = []
    at = 0
    for hunk in (*diff.hunks, Hunk(len(old.lines), 0, len(new.lines), 0)):
        shift = hunk.new_start - hunk.old_start
        for line in range(at, hunk.old_start):
            ours, theirs = old.variables[line], new.variables[line + shift]
            if len(ours) != len(theirs) or any(
                partners.setdefault(a, b) != b or taken.setdefault(b, a) != a
                for a, b in zip(ours, theirs, strict=True)
            ):
                _append(hunks, Hunk(line, 1, line + shift, 1))
        _append(hunks, hunk)
        at = hunk.old_start + hunk.old_count
    return LineDiff(tuple(hunk for hunk in hunks if hunk.old_count or hunk.new_count))


def _append(hunks: list[Hunk], hunk: Hunk) -> None:
    """Add a hunk; one that the last one touches becomes a part of that."""
    if hunks:
        last = hunks[-1]
        if (last.old_start + last.old_count, last.new_start + last.new_count) == (
            hunk.old_start,
            hunk.new_start,
        ):
            hunk = Hunk(
                last.old_start,
                last.old_count + hunk.old_count,
                last.new_start,
                last.new_count + hunk.new_count,
            )
            hunks.pop()
    hunks.append(hunk)
