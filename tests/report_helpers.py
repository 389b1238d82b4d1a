"""What the model says of passes, in the terms of the report's page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from lt_render.model import Pass

if TYPE_CHECKING:
    from browser import Report, Row

Open = Callable[..., "Report"]

CONTEXT = 3


def of_kind(report: Report, *kinds: str) -> list[int]:
    return [one.index for one in report.trace.passes if report.kind(one) in kinds]


def pass_at(report: Report, index: int) -> Pass:
    (one,) = [one for one in report.trace.passes if one.index == index]
    return one


def first(report: Report, kind: str) -> Pass:
    return pass_at(report, of_kind(report, kind)[0])


def old_lines(one: Pass) -> set[int]:
    """Numbers, from 1, of the lines that a pass removed."""
    return {
        hunk.old_start + 1 + offset for hunk in one.diff.hunks for offset in range(hunk.old_count)
    }


def new_lines(one: Pass) -> set[int]:
    """Numbers, from 1, of the lines that a pass added."""
    return {
        hunk.new_start + 1 + offset for hunk in one.diff.hunks for offset in range(hunk.new_count)
    }


def stretches(one: Pass) -> Iterator[tuple[int, int, bool, bool]]:
    """Unchanged stretches of the old text: first line from 1, length, whether at either end."""
    at = 1
    for hunk in one.diff.hunks:
        if hunk.old_start + 1 > at:
            yield at, hunk.old_start + 1 - at, at == 1 and hunk.new_start > 0, False
        at = hunk.old_start + 1 + hunk.old_count
    rest = len(one.before_text.split("\n")) + 1 - at
    if rest:
        yield at, rest, False, True


def hidden_lines(one: Pass) -> dict[int, range]:
    """Lines of the old text that are folded away at first, by the first line of their stretch."""
    hidden = {}
    for start, length, at_top, at_bottom in stretches(one):
        lines = range(
            start + (0 if at_top else CONTEXT), start + length - (0 if at_bottom else CONTEXT)
        )
        if len(lines) > 1:
            hidden[start] = lines
    return hidden


def numbers(rows: list[Row], *marks: str) -> list[int]:
    return [row.line for row in rows if row.line is not None and (row.mark in marks or not marks)]


def assert_shows_diff(report: Report, one: Pass) -> None:
    """All of both texts is there, in order; what the model says changed is marked, nothing else."""
    both = report.pairs()
    left, right = [a for a, _ in both], [b for _, b in both]
    before, after = one.before_text.split("\n"), one.after_text.split("\n")
    assert numbers(left) == list(range(1, len(before) + 1))
    assert numbers(right) == list(range(1, len(after) + 1))
    assert [row.text for row in left if row.line] == before
    assert [row.text for row in right if row.line] == after
    assert set(numbers(left, "del")) == old_lines(one)
    assert set(numbers(right, "add")) == new_lines(one)
    assert not numbers(left, "add") and not numbers(right, "del")
    for a, b in both:
        assert a.line or b.line
        if not (a.mark or b.mark):
            assert a.text == b.text


def rows_by_line(rows: list[Row]) -> dict[int, int]:
    return {row.line: row.row for row in rows if row.line is not None}


def to_align(report: Report) -> tuple[Pass, int, int]:
    """A pass with a big change, and a line of each side in it, far from each other."""
    one = report.pass_named("LowerOpaqueBlock")
    hunk = max(one.diff.hunks, key=lambda hunk: hunk.old_count)
    assert hunk.old_count > 20 and hunk.new_count > 20
    return one, hunk.old_start + 6, hunk.new_start + hunk.new_count - 8


def assert_aligned(report: Report, one: Pass, left: int, right: int) -> None:
    both = report.pairs()
    (at,) = [i for i, (a, b) in enumerate(both) if (a.line, b.line) == (left, right)]
    for a, b in both[:at]:
        assert (a.line or 0) < left and (b.line or 0) < right
    for a, b in both[at + 1 :]:
        assert (a.line or left + 1) > left and (b.line or right + 1) > right
    assert report.lines("a") == one.before_text.split("\n")
    assert report.lines("b") == one.after_text.split("\n")
    for a, b in both:
        assert a.text == b.text or ((a.line is None or a.mark) and (b.line is None or b.mark))
