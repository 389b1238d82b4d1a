"""Unified diffs as ``patch`` and ``git apply`` take them, byte for byte."""

from __future__ import annotations

import re

import pygit2
from pygit2.enums import DiffOption

_FLAGS = DiffOption.FORCE_TEXT | DiffOption.INDENT_HEURISTIC
#: What libgit2 takes for the heading of a hunk is the same ``class Module:`` everywhere.
_HEADING = re.compile(rb"^(@@ -\S+ \+\S+ @@).*$", re.MULTILINE)


def patch_of(
    old: str,
    new: str,
    old_name: str,
    new_name: str,
    *,
    context: int = 3,
    ignore_whitespace: bool = False,
) -> bytes:
    """Return the patch that makes ``new`` of ``old``; empty where nothing differs.

    ``context``: lines around each change. With ``ignore_whitespace`` lines that
    differ in nothing else count as equal, and the patch makes no more than that.
    """
    if old == new:
        return b""
    # The patch looks into both when it is written out, and keeps neither.
    before, after = old.encode(), new.encode()
    patch = pygit2.Patch.create_from(
        before,
        after,
        context_lines=context,
        interhunk_lines=0,
        flag=_FLAGS | (DiffOption.IGNORE_WHITESPACE if ignore_whitespace else 0),
    )
    hunks = patch.data.partition(b"\n@@")[2]
    if not hunks:
        return b""
    head = f"--- a/{old_name}\n+++ b/{new_name}\n@@".encode()
    return _HEADING.sub(rb"\1", head + hunks)
