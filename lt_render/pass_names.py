"""How a person names a pass: by number, name or phase, as in ``LowerTileOp@2``."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from lt_record.console import counted

from .errors import NotFound
from .model import Pass

LAST = "last"

#: Passes that an ambiguous name is told to mean; the rest is counted.
_SHOWN = 6
#: Names that are guessed for one that there is not.
_GUESSES = 3


def find_pass(passes: Sequence[Pass], wanted: int | str) -> Pass:
    """Return the one of ``passes`` that ``wanted`` names.

    ========================  =================================================
    ``12``, ``"12"``          the pass with that number
    ``"LowerTileOp"``         the only pass of that name, TVM's prefix or not
    ``"codegen/codegen"``     the only one of that name in a phase
    ``"LowerTileOp@2"``       the second of that name, with phase or without
    ``"LowerTileOp@last"``    the last one
    ``"@last"``, ``"@2"``     the last of all, the second
    ========================  =================================================

    Raises :class:`~lt_render.errors.NotFound`, which is a ``KeyError``, with a
    sentence that says what could be meant.
    """
    text = str(wanted).strip()
    if text.isdecimal():
        return _numbered(passes, int(text))
    named = [one for one in passes if text in _names(one)]
    if len(named) == 1:
        return named[0]
    if named:
        raise NotFound(_ambiguous(text, named))
    name, at, turn = text.rpartition("@")
    if at and (turn.isdecimal() or turn == LAST):
        named = [one for one in passes if not name or name in _names(one)]
        if named:
            return _one_of(named, name, turn)
        text = name
    raise NotFound(f"there is no pass {text!r}{_near(passes, text)}")


def _names(one: Pass) -> tuple[str, ...]:
    """All names that a pass goes by."""
    return one.name, one.full_name, one.label, f"{one.phase}/{one.full_name}"


def _numbered(passes: Sequence[Pass], index: int) -> Pass:
    for one in passes:
        if one.index == index:
            return one
    span = f": they go from {passes[0].index} to {passes[-1].index}" if passes else ""
    raise NotFound(f"there is no pass {index}{span}.")


def _one_of(named: list[Pass], name: str, turn: str) -> Pass:
    number = len(named) if turn == LAST else int(turn)
    if 1 <= number <= len(named):
        return named[number - 1]
    times = counted(len(named), "time" if name else "pass")
    ran = f"{name} ran {times}" if name else f"{times} ran"
    raise NotFound(f"there is no pass {name}@{turn}: {ran}, and the first is @1.")


def _ambiguous(text: str, named: list[Pass]) -> str:
    shown = ", ".join(f"{one.label} ({one.index})" for one in named[:_SHOWN])
    rest = f" and {len(named) - _SHOWN} more" if len(named) > _SHOWN else ""
    return (
        f"{len(named)} passes are named {text!r}: {shown}{rest}; "
        f"{text}@1 is the first, {text}@{LAST} the last."
    )


def _near(passes: Sequence[Pass], text: str) -> str:
    """What may have been meant: letter case, a part of the name, a slip."""
    labels = "/" in text
    names = [one.label if labels else one.name for one in passes]
    known = {name.casefold(): name for name in names}
    folded = text.casefold()
    near = [folded] if folded in known else []
    near += difflib.get_close_matches(folded, known, _GUESSES, 0.7)
    near += [name for name in known if folded and folded in name]
    meant = [known[name] for name in dict.fromkeys(near)][:_GUESSES]
    return f"; did you mean {' or '.join(meant)}?" if meant else "."
