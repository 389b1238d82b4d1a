"""A trace as rows of plain values: what the JSON and the Parquet export have in common.

Version history of the rows
    1  first version
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from lt_record import format

from ..model import Pass, Trace
from ..sources import shown

VERSION: Final = 1

Row = dict[str, Any]


def journal_id(journal: Path) -> str:
    """The eight random bytes in a journal's header, in hexadecimal.

    Where the header is damaged, what takes their place is out of its bytes.
    """
    with journal.open("rb") as file:
        head = file.read(format.HEADER_SIZE)
    try:
        return format.decode_header(head).journal_id.hex()
    except format.FormatError:
        return hashlib.sha256(head).hexdigest()[:16]


def text_id(text: str) -> str:
    """The SHA-256 of a text's UTF-8, in hexadecimal: the same in every journal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Rows:
    """The rows of one journal."""

    def __init__(self, trace: Trace, journal: Path) -> None:
        self._trace = trace
        self._journal = journal
        self.id = journal_id(journal)
        self._ids: dict[int, str] = {}

    def journal(self) -> Row:
        """What is known of the process and of the journal.

        ``started`` is in microseconds since 1970, 0 where it is not known.
        """
        trace, process = self._trace, self._trace.process
        in_flight = trace.in_flight
        return {
            "journal": self.id,
            "place": shown(self._journal),
            "script": trace.script,
            "host": _string(process.get("host")),
            "started": trace.started // 1000,
            **{
                key: _string(process.get(key))
                for key in ("tilelang", "tvm", "python", "recorder", "platform")
            },
            "state": trace.condition.state.value,
            "state_message": trace.state_message,
            "died_in": None if in_flight is None else in_flight.label,
        }

    def passes(self) -> Iterator[Row]:
        """One row a pass; times are in microseconds, ``start_us`` from the trace's start.

        ``before``, ``after``, ``generated`` and ``edited`` are ids of texts; a codegen's
        ``after`` is what was compiled. Lines are counted where both texts are there and
        are of one kind.
        """
        for one in self._trace.passes:
            unit = one.unit
            yield {
                "journal": self.id,
                "kernel": unit.kernel,
                "unit": unit.number,
                "target": one.target or unit.target,
                "index": one.index,
                "phase": one.phase,
                "name": one.name,
                "full_name": one.full_name,
                "is_codegen": one.is_codegen,
                "role": one.role or None,
                "depth": one.depth,
                "parent": None if one.parent is None else one.parent.index,
                "status": one.status,
                "changed": one.changed,
                "insertions": 0 if one.is_codegen else one.diff.insertions,
                "deletions": 0 if one.is_codegen else one.diff.deletions,
                "start_us": one.start,
                "duration_us": one.duration,
                "recorder_us": one.cost,
                "thread": one.thread,
                "before": self._id(one.before),
                "after": self._id(one.after),
                "generated": self._id(one.generated),
                "edited": self._id(_edited(one)),
                "error_type": one.error_type or None,
                "error": one.error_msg or None,
                "note": one.note or None,
            }

    def texts(self) -> Iterator[tuple[str, str]]:
        """Each text that a pass refers to, once, with its id; in the order of the passes."""
        given: set[str] = set()
        for one in self._trace.passes:
            for number in (one.before, one.generated, one.after, _edited(one)):
                name = self._id(number)
                if name is not None and name not in given:
                    given.add(name)
                    yield name, self._trace.text(number)

    def _id(self, number: int | None) -> str | None:
        if number is None:
            return None
        if number not in self._ids:
            self._ids[number] = text_id(self._trace.text(number))
        return self._ids[number]


def _edited(one: Pass) -> int | None:
    """The number of the edited source, if it is there."""
    return None if one.edit is None or one.edited_text is None else one.edit.text


def _string(value: object) -> str | None:
    return None if value is None else str(value)
