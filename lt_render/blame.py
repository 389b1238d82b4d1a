"""Which pass brought each line of a text in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .diff import diff_lines
from .lineage import GENERATED, Changes, Lineage, Version
from .model import Pass
from .origins import guess_origins
from .texts import AFTER, BEFORE, text_of

#: A line that is neither of a pass nor of a codegen: it was edited in by hand.
EDITED = "edited"


@dataclass(frozen=True)
class Statement:
    """A line of the IR that a codegen was given."""

    #: Counted from 1.
    number: int
    text: str


@dataclass(frozen=True)
class Blamed:
    """A line, and what brought it in."""

    #: Counted from 1.
    number: int
    text: str
    #: As :attr:`Version.how`, or ``EDITED``.
    how: str
    #: The pass that did it; where ``between``, the first that was given the line.
    one: Pass
    between: bool = False
    #: Of a generated line: what it most plausibly came from, so that ``one`` is a guess.
    guess: Statement | None = None


class Blame:
    """Tells of the lines of one text after another of a compile.

    ``passes``: those of the compile, in order. ``exact``: a line that was only
    indented anew was rewritten. ``first``: what brought in the line that became
    this one, however often it has been rewritten since.
    """

    def __init__(self, passes: Sequence[Pass], *, exact: bool = False, first: bool = False) -> None:
        self._lineage = Lineage(passes, exact=exact)
        self._first = first

    def lines(self, one: Pass, which: str) -> Iterator[Blamed]:
        """Yield the lines of a pass's input (``BEFORE``) or output (``AFTER``).

        Raises :class:`~lt_render.errors.RenderError` where it is missing.
        """
        text = text_of(one, which)
        lines = text.removesuffix("\n").split("\n")
        if which == AFTER and one.is_codegen:
            yield from self._generated(one, lines)
            return
        for at, line in enumerate(lines):
            version = self._version(one, which, at)
            yield Blamed(at + 1, line, version.how, version.one, version.between)

    def _generated(self, one: Pass, lines: Sequence[str]) -> Iterator[Blamed]:
        """Yield the lines of a codegen's source, which no diff connects with its IR."""
        generated, ir = one.generated_text, one.before_text
        edit = Changes(generated, one.after_text, diff_lines(generated, one.after_text).hunks)
        origins = guess_origins(generated, ir)
        statements = ir.split("\n")
        for at, line in enumerate(lines):
            edited, was = edit.back(at)
            if edited:
                yield Blamed(at + 1, line, EDITED, one)
                continue
            origin = origins[was]
            if origin is None:
                yield Blamed(at + 1, line, GENERATED, one)
                continue
            version = self._version(one, BEFORE, origin)
            guess = Statement(origin + 1, statements[origin].strip())
            yield Blamed(at + 1, line, version.how, version.one, version.between, guess)

    def _version(self, one: Pass, which: str, line: int) -> Version:
        versions = self._lineage.versions(one, which, line)
        return list(versions)[-1] if self._first else next(versions)
