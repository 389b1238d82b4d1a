"""A journal's passes one after another, in memory that does not grow with the journal."""

from __future__ import annotations

import os
from collections.abc import Iterator

from lt_record import format
from lt_record.journal import FRAME_LIMIT

from .condition import Condition
from .load import Builder, explain_missing_texts
from .model import Pass, Trace
from .reader import MEMORY_LIMIT, JournalReader, limit_exceeded

#: A record refers to texts of its own frame, but for what a running pass still
#: holds: characters of later texts after which a text can be let go. Twice a
#: frame, so that a thread that is late with its record is not too late.
_REACH = 2 * FRAME_LIMIT

#: The rest has gone when the next record comes.
_KEPT_KINDS = frozenset({format.PROCESS, format.UNIT, format.END_RECORD})
#: Bytes that a running pass takes besides its strings, and a text (what its record takes at least).
_PASS_BASE, _TEXT_BASE = 1 << 11, 1 << 5


class PassStream:
    """The passes of the journal at ``path``: iterate over :meth:`passes`.

    Raises what :class:`JournalReader` does; ``memory_limit`` (bytes) is for
    what is kept: the passes that are running, their texts, and the compiles.
    """

    def __init__(self, path: str | os.PathLike[str], *, memory_limit: int = MEMORY_LIMIT) -> None:
        self._reader = JournalReader(path, memory_limit=memory_limit, kept_kinds=_KEPT_KINDS)
        self._builder = _Window(self._reader.path, self._reader.condition, memory_limit)

    @property
    def trace(self) -> Trace:
        """What is known of the process so far; holds no passes."""
        return self._builder.trace

    def passes(self) -> Iterator[Pass]:
        """Yield each pass when it has ended, those that never ended at the end.

        A pass around others comes after them; each has a trace of its own that
        holds its texts and nothing else.
        """
        for record in self._reader.records():
            self._builder.add(record)
            ended = self._builder.take_ended(record)
            if ended is not None:
                yield ended
        yield from self._builder.finish().passes


class _Window(Builder):
    """Keeps the passes that are running, and the texts that may still be referred to."""

    def __init__(self, path: str, condition: Condition, memory_limit: int) -> None:
        super().__init__()
        self.trace.condition = condition
        self._path = path
        self._limit = memory_limit
        #: Characters of all texts within reach, and bytes of all running passes.
        self._reachable = 0
        self._running = 0

    def add(self, record: format.Record) -> None:
        """Take one record, and hand its pass the texts that it names."""
        super().add(record)
        kind, number = record["k"], record.get("pass")
        if kind == format.TEXT:
            self._let_go(record)
        elif kind == format.UNIT_END:
            self._units.pop(_integer(record.get("unit")), None)
        elif kind in (format.PASS, format.CODEGEN):
            self._begun(self._passes.get(_integer(number)))

    def take_ended(self, record: format.Record) -> Pass | None:
        """Return the pass that ended with ``record``, and forget it."""
        if record["k"] not in (format.PASS_END, format.CODEGEN_END):
            return None
        one = self._passes.pop(_integer(record.get("pass")), None)
        if one is not None:
            self._running -= _weight(one)
            self._hand_texts(one)
            explain_missing_texts(one)
        return one

    def _begun(self, one: Pass | None) -> None:
        if one is None:
            return
        one.trace = Trace(process=self.trace.process, condition=self.trace.condition)
        self._hand_texts(one)
        self._running += _weight(one)
        if self._running > self._limit:
            raise limit_exceeded(self._path, self._limit)

    def _hand_texts(self, one: Pass) -> None:
        edited = None if one.edit is None else one.edit.text
        for number in (one.before, one.after, one.generated, edited):
            if number is not None and number in self.trace.texts:
                one.trace.texts.setdefault(number, self.trace.texts[number])

    def _let_go(self, record: format.Record) -> None:
        texts = self.trace.texts
        newest = texts.get(_integer(record.get("text")))
        if newest is None:
            return
        self._reachable += len(newest) + _TEXT_BASE
        while len(texts) > 1:
            oldest = next(iter(texts))
            left = self._reachable - len(texts[oldest]) - _TEXT_BASE
            if left <= _REACH:
                return
            self._reachable = left
            del texts[oldest]


def _weight(one: Pass) -> int:
    """Bytes, roughly, of a pass that has begun and not ended."""
    strings = (one.full_name, one.phase, one.role, one.target, one.trace.text(one.before))
    return _PASS_BASE + sum(map(len, strings))


def _integer(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else -1
