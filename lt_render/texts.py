"""The texts of a pass: its input, its output, and what a codegen generated."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import RenderError
from .model import Pass
from .names import safe

BEFORE = "before"
AFTER = "after"
#: Of a codegen: what was generated, whether that or an edit was compiled.
GENERATED = "generated"

_WORDS = {BEFORE: "input", AFTER: "output", GENERATED: "generated source"}


_PORTS = {"in": BEFORE, "out": AFTER}


@dataclass(frozen=True)
class NamedText:
    """A text, and what a diff calls it."""

    name: str
    text: str


def text_of(one: Pass, which: str) -> str:
    """Return a text of ``one``.

    Raises :class:`RenderError` where it is missing; the sentence says why, and
    what there is.
    """
    if _number_of(one, which) is None:
        raise RenderError(f"{one.label} ({one.index}) has no {_WORDS[which]}{_why(one, which)}.")
    return {
        BEFORE: one.before_text,
        AFTER: one.after_text,
        GENERATED: one.generated_text,
    }[which]


def split_port(wanted: str) -> tuple[str, str]:
    """Take ``PASS:in`` or ``PASS:out`` apart: the pass, and which text; ``PASS`` is its output."""
    name, _, port = wanted.rpartition(":")
    return (name, _PORTS[port]) if port in _PORTS else (wanted, AFTER)


def text_or_none(one: Pass, which: str) -> str | None:
    """Return a text of ``one``; ``None`` where it is missing."""
    return None if _number_of(one, which) is None else text_of(one, which)


def named_text(one: Pass, which: str) -> NamedText:
    """Return a text of ``one``, called as its file among the phase directories.

    Raises what :func:`text_of` does.
    """
    ending = "tir" if which == BEFORE or not one.is_codegen else "cpp"
    return NamedText(f"{one.index:02d}_{safe(one.name)}_{which}.{ending}", text_of(one, which))


def _number_of(one: Pass, which: str) -> int | None:
    return {BEFORE: one.before, AFTER: one.after, GENERATED: one.generated}[which]


def _why(one: Pass, which: str) -> str:
    if which == GENERATED and not one.is_codegen:
        return ": it is no codegen"
    if one.failed and which != BEFORE:
        inputs = "" if one.before is None else "; its input is there"
        return f": it {one.status if one.status == 'failed' else 'never ended'}{inputs}"
    return f": {one.note}" if one.note else ""
