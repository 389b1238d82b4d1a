"""Texts and patches on standard output: byte for byte into a pipe, harmless at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ..diff import diff_lines
from ..paint import Painter, Piece
from ..patch import patch_of
from ..terminal import printable
from ..texts import NamedText
from .terminal_diff import painted_diff

_TAB = 4


def write_text(text: str) -> None:
    """Write a text as it is, or for a terminal with escapes for what that might act on."""
    if not sys.stdout.isatty():
        _write_bytes(text.encode())
        return
    for line in text.removesuffix("\n").split("\n"):
        sys.stdout.write(f"{printable(line.expandtabs(_TAB))}\n")


def write_patch(
    old: NamedText, new: NamedText, *, context: int, ignore_whitespace: bool = False
) -> None:
    """Write the unified diff of two texts: a patch, or for a terminal with colours."""
    painter = Painter(sys.stdout)
    if not painter.on_terminal:
        _write_bytes(
            patch_of(
                old.text,
                new.text,
                old.name,
                new.name,
                context=context,
                ignore_whitespace=ignore_whitespace,
            )
        )
        return
    texts = (old.text, new.text)
    compared = tuple(map(_without_blanks, texts)) if ignore_whitespace else texts
    diff = diff_lines(*compared)
    if diff.hunks:
        sys.stdout.write(painter.line(("title", f"--- a/{old.name}")))
        sys.stdout.write(painter.line(("title", f"+++ b/{new.name}")))
    sys.stdout.writelines(painted_diff(painter, *texts, diff, context=context))


def text_line(painter: Painter, head: Sequence[Piece], *body: Piece) -> str:
    """Return a line about a line of a text, which goes into a pipe as it is."""
    if painter.on_terminal:
        return painter.line(*head, *body)
    return "".join(text for _, text in (*head, *body)) + "\n"


def _without_blanks(text: str) -> str:
    return "\n".join("".join(line.split()) for line in text.split("\n"))


def _write_bytes(data: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
