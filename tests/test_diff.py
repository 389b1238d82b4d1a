"""Diffs are right, small and fast enough to be taken of every pass."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from lt_render.diff import LineDiff, diff_lines

#: Few different lines, so that they repeat; odd ones that Python would split.
LINES = st.lists(
    st.sampled_from(["", "a", "b", "  a", "a\r", "x\u2028y", "\0", "\x0c"]), max_size=30
)


def apply(diff: LineDiff, old: str, new: str) -> str:
    """Rebuild ``new`` from ``old`` with nothing of ``new`` but the inserted lines."""
    old_lines, new_lines = old.split("\n"), new.split("\n")
    built: list[str] = []
    position = 0
    for hunk in diff.hunks:
        built += old_lines[position : hunk.old_start]
        assert len(built) == hunk.new_start
        built += new_lines[hunk.new_start : hunk.new_start + hunk.new_count]
        position = hunk.old_start + hunk.old_count
    return "\n".join(built + old_lines[position:])


@settings(deadline=None)
@given(LINES, LINES)
def test_a_diff_rebuilds_the_new_text(old_lines: list[str], new_lines: list[str]) -> None:
    old, new = "\n".join(old_lines), "\n".join(new_lines)
    diff = diff_lines(old, new)
    assert apply(diff, old, new) == new
    assert (diff.hunks == ()) == (old == new)
    assert diff.insertions - diff.deletions == len(new.split("\n")) - len(old.split("\n"))


def test_one_line_before_400_equal_ones() -> None:
    equal = "\n".join(["x"] * 400)
    diff = diff_lines(equal, f"new\n{equal}")
    assert (diff.insertions, diff.deletions) == (1, 0)


def test_a_newline_at_the_end_is_a_difference() -> None:
    diff = diff_lines("a\nb", "a\nb\n")
    assert (diff.insertions, diff.deletions) == (1, 0)


def test_big_texts_with_scattered_edits_give_a_small_diff() -> None:
    random.seed(0)
    old = [f"v_{n} = T.float32({n})" for n in range(50_000)]
    new = list(old)
    edited = random.sample(range(50_000), 3000)
    for at in edited:
        new[at] = f"edited_{at}"
    diff = diff_lines("\n".join(old), "\n".join(new))
    assert (diff.insertions, diff.deletions) == (3000, 3000)
