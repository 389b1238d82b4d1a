"""Colours and widths of a terminal, and plain lines where there is none."""

from __future__ import annotations

import os
import shutil
import unicodedata
from collections.abc import Iterator, Sequence
from typing import TextIO

from .terminal import printable

#: A piece of text and how it looks; the names are those of ``_LOOKS``.
Piece = tuple[str, str]

_LOOKS = {
    "": "",
    "title": "1",
    "dim": "2",
    "added": "32",
    "added-word": "32;7",
    "removed": "31",
    "removed-word": "31;7",
    "place": "36",
    "failed": "1;31",
    "noted": "33",
    "codegen": "35",
}

_TAB = 4
#: Rows of a terminal that one line may take; what is longer is cut.
_MOST_ROWS = 8
_NARROWEST = 20


class Painter:
    """Turns pieces of text into lines for one stream.

    Colours are for terminals only, unless ``FORCE_COLOR`` asks for them, and
    never where ``NO_COLOR`` is set. A terminal's lines are folded at its width;
    elsewhere a line stays one line.
    """

    def __init__(self, stream: TextIO) -> None:
        self.on_terminal = stream.isatty()
        self._colours = _wants_colours(self.on_terminal)

    @property
    def width(self) -> int | None:
        """Columns; ``None`` where lines have no end. Asked each time: windows change."""
        if not self.on_terminal:
            return None
        return max(_NARROWEST, shutil.get_terminal_size().columns)

    def line(self, *pieces: Piece, gutter: Sequence[Piece] = ()) -> str:
        """Return one line, newline included; ``gutter`` begins it, and each row it is folded to."""
        return "".join(f"{row}\n" for row in self._rows(list(pieces), list(gutter)))

    def rule(self, *pieces: Piece) -> str:
        """Return a line filled up to the width with a rule."""
        used = sum(columns(printable(text)) for _, text in pieces)
        length = max(3, min(self.width or 80, 100) - used - 4)
        return self.line(("dim", "── "), *pieces, ("dim", " " + "─" * (length - 1)))

    def _rows(self, pieces: list[Piece], gutter: list[Piece]) -> Iterator[str]:
        start = self._painted(gutter)
        shown = [(look, printable(text.expandtabs(_TAB))) for look, text in pieces]
        width = self.width
        if width is None:
            yield start + self._painted(shown)
            return
        width = max(_NARROWEST // 2, width - sum(columns(text) for _, text in gutter))
        row: list[Piece] = []
        room, rows = width, 1
        for at, (look, text) in enumerate(shown):
            while columns(text) > room:
                fitting = _fitting(text, room)
                if rows == _MOST_ROWS:
                    rest = len(text) + sum(len(piece) for _, piece in shown[at + 1 :])
                    row.append(("dim", f" … {rest} more characters"))
                    yield start + self._painted(row)
                    return
                yield start + self._painted([*row, (look, text[:fitting])])
                row, text = [("dim", "  ")], text[fitting:]
                room, rows = width - 2, rows + 1
            row.append((look, text))
            room -= columns(text)
        yield start + self._painted(row)

    def _painted(self, pieces: Sequence[Piece]) -> str:
        if not self._colours:
            return "".join(text for _, text in pieces)
        return "".join(
            f"\x1b[{_LOOKS[look]}m{text}\x1b[0m" if _LOOKS[look] and text else text
            for look, text in pieces
        )


def columns(text: str) -> int:
    """Columns that ``text`` takes on a terminal."""
    return len(text) if text.isascii() else sum(map(_columns_of, text))


def _columns_of(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def _fitting(text: str, room: int) -> int:
    """How many characters of ``text`` fit into ``room`` columns."""
    if text.isascii():
        return room
    for at, character in enumerate(text):
        room -= _columns_of(character)
        if room < 0:
            return at
    return len(text)


def _wants_colours(on_terminal: bool) -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    forced = os.environ.get("FORCE_COLOR", "")
    if forced:
        return forced not in ("0", "false")
    return on_terminal and os.environ.get("TERM") != "dumb"
